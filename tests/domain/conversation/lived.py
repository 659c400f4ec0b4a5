"""A tree that somebody lives in, and sixty messages: thirty that it has an answer to, thirty that it has not."""

from __future__ import annotations

import json
from pathlib import Path

NOTES = {
    "fact/dentist": "The dentist is Dr. Moen in Storgata 12; her number is 22 33 44 55. Sara goes in spring.",
    "fact/car": "The Volvo's winter tyres are stored at Dekkmann, rack 114. The change is booked in November.",
    "fact/wifi-cabin": "The cabin's router restarts itself every night at three; the guest network is Hytta.",
    "fact/passport": "Both passports expire in August 2027; renewal takes six weeks at the police in Lillestrøm.",
    "decision/postgres": "We stay on Postgres 15 until the spring; the upgrade broke the replication slots on staging.",
    "decision/invoices": "Invoices go out on the first working day of the month, never on a Friday.",
    "decision/kitchen": "We chose the oak worktop from Ask & Eik for the kitchen, not the laminate.",
    "gotcha/deploy": "Never deploy the webshop while the nightly import runs: it locks the orders table until four.",
    "gotcha/terraform": "Terraform state is in the Stockholm bucket; a plan from Dublin shows everything as new.",
    "gotcha/printer": "The office printer forgets its scan folder after a power cut; set it again under Scan to SMB.",
    "preference/travel": "I prefer trains to planes below eight hours, and a window seat with a table.",
    "preference/food": "Coriander is out. Sara is allergic to hazelnuts.",
    "preference/reports": "Reports have a table first and at most one page of text.",
    "person/ingrid": "Ingrid Halvorsen leads procurement at the municipality; she answers mail before eight.",
    "person/jonas": "Jonas takes over the payroll from Mette in December.",
    "pattern/standup": "The standup works best when blockers come first and nobody shares a screen.",
    "correction/vat": "The reduced VAT rate for food is 15 %, not 12 %.",
    "fact/boiler": "The boiler needs 1.5 bar; below one it switches itself off and shows E4.",
    "fact/hund": "Hunden får tabletter mot flått hver fjerde uke, og vaksinen tas i mars hos Groruddalen dyreklinikk.",
    "fact/steuer": "Die Steuererklärung für Hamburg macht Frau Petersen; die Belege gehen bis Ende Mai an sie.",
}
SKILLS = {
    "release-checklist": (
        "How a release of the webshop goes out, step by step",
        "Freeze the branch. Tag it. Run the smoke tests. Announce it in the channel.\n",
    ),
    "restore-backup": (
        "Restoring the database from last night's backup",
        "Stop the application. Get the dump with restic. Load it with pg_restore. Compare counts.\n",
    ),
    "meeting-minutes": (
        "Minutes of a meeting: who, what was agreed, by when",
        "One line a decision with its owner and its date. No narration.\n",
    ),
    "incident-report": (
        "After an outage: the timeline, the root cause, what will be different",
        "Blame nobody. Quote the graphs. End with actions that have an owner.\n",
    ),
    "onboarding": (
        "A new colleague's first week: accounts, laptop, introductions",
        "Order the laptop two weeks ahead. The accounts come from the identity portal.\n",
    ),
}
VAULT = {
    "boat.md": "# Boat\n\n## Engine\n\nThe oil filter is 4711; the impeller is due every second season.\n\n"
    "## Mooring\n\nBerth 32 at Frognerkilen; the fee is paid in February.\n",
    "garden.md": "# Garden\n\nPrune the apple trees in March. The hedge is thuja and wants cutting in June.\n",
    "talks/observability.md": "# Talk on observability\n\nThree pillars are marketing; start from the question you "
    "cannot answer today.\n\n## Outline\n\nTraces, then metrics, then logs.\n",
    "recipes.md": "# Recipes\n\n## Sourdough\n\nHydration 72 %, bulk at 24 degrees for five hours.\n\n"
    "## Gravlaks\n\nEqual parts salt and sugar, dill, two days under weight.\n",
}
SLOG = (
    "Rotated the TLS certificates of the mail gateway",
    "Renewed the domain adjutant.example for two years",
    "Moved the Grafana dashboards to the new Kubernetes cluster",
    "Answered the auditors about access logs",
    "Paid the deposit for the summer house in Tjøme",
    "Called the roofer: the gutters come in week 49",
    "Merged the pagination fix for the customer list",
    "Cancelled the gym membership",
)

# message, and what must be found for it: the last part of a path, a skill's name, or words of a line of the log
RIGHT = (
    ("When does Sara see the dentist?", "dentist.md"),
    ("what's Dr. Moen's phone number again", "dentist.md"),
    ("Where did we store the winter tyres?", "car.md"),
    ("the wifi at the cabin is gone every night, why?", "wifi-cabin.md"),
    ("Do we need to renew the passports before the trip next summer?", "passport.md"),
    ("Can we upgrade postgres this month?", "postgres.md"),
    ("When do the invoices go out?", "invoices.md"),
    ("Which worktop did we pick for the kitchen?", "kitchen.md"),
    ("I'd like to deploy the webshop tonight around two, anything against it?", "deploy.md"),
    ("terraform plan wants to create everything from scratch, what is going on?", "terraform.md"),
    ("The printer does not scan to the folder any more", "printer.md"),
    ("Book me something to Copenhagen: train or plane?", "travel.md"),
    ("We are cooking for Sara on Saturday - anything she must not eat? Is she allergic to something?", "food.md"),
    ("Draft the quarterly report; how do I want reports to look?", "reports.md"),
    ("Who is Ingrid Halvorsen?", "ingrid.md"),
    ("who does payroll from December on?", "jonas.md"),
    ("what VAT rate applies to food", "vat.md"),
    ("The boiler shows E4", "boiler.md"),
    ("Når skal hunden ha ny vaksine?", "hund.md"),
    ("Wer macht unsere Steuererklärung in Hamburg?", "steuer.md"),
    ("Walk me through the release of the webshop", "release-checklist"),
    ("how do we restore the database from a backup?", "restore-backup"),
    ("please write the minutes of this morning's meeting with the roofer", "meeting-minutes"),
    ("A new colleague starts on Monday - what about her laptop and accounts?", "onboarding"),
    ("Which oil filter does the boat take?", "boat.md"),
    ("When should I prune the apple trees?", "garden.md"),
    ("hydration of my sourdough?", "recipes.md"),
    ("what was the outline of my talk on observability", "observability.md"),
    ("did we rotate the certificates of the mail gateway?", "Rotated the TLS certificates"),
    ("Have I already cancelled the gym?", "Cancelled the gym"),
)
NOTHING = (
    "thanks!",
    "good morning",
    "ok do that",
    "yes please, go ahead",
    "hm, not sure about this one",
    "👍",
    "Takk for hjelpen!",
    "Vielen Dank, das war alles",
    "haha that's great",
    "can you say that again, shorter?",
    "What do you think?",
    "who are you and what can you do for me?",
    "no, the other one",
    "let's talk tomorrow",
    "what day is it today?",
    "what did I ask you last week?",
    "…",
    "why?",
    "Tell me a joke about penguins",
    "What is the capital of Mongolia?",
    "How tall is the Eiffel tower?",
    "Translate 'the early bird catches the worm' into French",
    "Write a haiku about autumn leaves",
    "What's the best time of year to visit Japan with two small children and a grandmother?",
    "Explain the difference between a monad and an applicative functor in Haskell",
    "Who won the world cup in 1998, and who scored in the final against Brazil?",
    "How many minutes should I boil an egg so that the yolk stays soft?",
    "Which stocks paid the highest dividends on the New York exchange last quarter?",
    "I start learning the violin; which first piece would you pick for an adult who reads music?",
    "How long does light take from the sun to Neptune and back?",
)


def live(root: Path) -> None:
    """Writes it all below an instance's folder; the vault is `vault`."""
    files = {f"memory/notes/{name}.md": f"{text}\n" for name, text in NOTES.items()}
    files |= {f"vault/{name}": text for name, text in VAULT.items()}
    files |= {
        f"skills/{name}/SKILL.md": f"---\nname: {name}\ndescription: {about}\n---\n\n# {name}\n\n{text}"
        for name, (about, text) in SKILLS.items()
    }
    files["state/slog.jsonl"] = "".join(
        json.dumps(
            {
                "ts": f"2026-11-{number:02d}T10:00:00+00:00",
                "id": f"202611{number:02d}T100000-000{number}",
                "text": text,
                "concept": "uncategorised",
                "confidence": 0.0,
                "tags": [],
            }
        )
        + "\n"
        for number, text in enumerate(SLOG, 1)
    )
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
