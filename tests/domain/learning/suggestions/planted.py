"""A small house with something to find of every cause, and the findings as an analysis gives them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from adjutant.domain.learning import placing
from adjutant.records import note as note_file
from adjutant.records import suggestion as finding
from adjutant.records.suggestion import DEMOTE, MEMORY, PROMOTE, PROMPT_EDIT, SKILL_GAP, Analysis, Draft, Finding, Quote
from tests.conftest import TestedApp, make_app

INVOICES = "20260301T120000-0001"
KUBECTL = "20260302T120000-0002"
STANDUP = "20260303T120000-0003"
BINDER = "20260304T120000-0004"
AGENTS = "20260305T120000-0005"
NOTES = {
    INVOICES: ("fact", "Invoices go to Hansen in accounting.", "operator"),
    KUBECTL: ("gotcha", "Always pass `kubectl --context prod`, the default context is staging.", "operator"),
    STANDUP: ("fact", "The weekly standup meets on Tuesdays at nine in room four.", "operator"),
    BINDER: ("preference", "Findings carry the shelf mark of the archive, for the grey binder.", "operator"),
    AGENTS: ("pattern", "The staging cluster is rebuilt on Sundays.", "agent"),
}
USER = "# User\n\n- Runa Dahl runs a studio of two in Bergen\n- Collects fountain pens and wants to hear of auctions\n"
TOOLS = "# Tools\n\n<!-- where things are -->\n\n* bills.csv has one row a bill\n* beds.md lists the beds\n"
HEART = "# Heart\n\n## Current Priorities\n\n- Kestrel goes live\n\n## Quiet Zones\n\n<!-- leave alone -->\n"
SKILL = "---\nname: deploy\ndescription: How releases go out.\nworkload: build\n---\n\n# Deploy\n\n1. Tag.\n2. Push.\n"
SETTINGS = {
    "specialists": {"coder": {"workloads": ["build", "pipeline"]}, "worker": {"workloads": ["tooling"]}},
    "llm": {"backend": "openai", "models": {"cheap": "tiny", "medium": "mid"}},
}


def house(root: Path, **settings: Any) -> TestedApp:
    """An app on an instance with layers, notes, a skill, two specialists and a conversation."""
    app = make_app(root, **({"specialists": SETTINGS["specialists"], "llm": SETTINGS["llm"]} | settings))
    tree = app.tree
    for path, text in (
        (tree.layer("user"), USER),
        (tree.layer("tools"), TOOLS),
        (tree.heart, HEART),
        (tree.soul, "# Soul\n\nCalm.\n"),
        (tree.skill("deploy"), SKILL),
    ):
        put(path, text)
    for id, (type, body, trust) in NOTES.items():
        note = note_file.Note(
            id=id,
            type=type,
            title=note_file.title_of(body),
            body=body,
            trust=trust,
            created="2026-03-01T12:00:00+00:00",
        )
        put(tree.note(type, id), note_file.render(note))
    talk = (
        ("m1", "operator", "when is the VAT return due?"),
        ("a1", "agent", "On the tenth. It goes by mail."),
        ("m2", "operator", "thanks"),
    )
    put(
        tree.conversation("cli"),
        "".join(
            json.dumps({"id": id, "ts": "2026-11-19T09:00:00+00:00", "role": role, "name": role, "text": text}) + "\n"
            for id, role, text in talk
        ),
    )
    return app


def put(path: str, text: str) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_bytes(text.encode())


def said(*texts: str, trust: str = "operator") -> tuple[Quote, ...]:
    """Quotes of one session each."""
    return tuple(Quote(f"i{n}", f"state/conversations/s{n}.jsonl#m{n}", text, trust) for n, text in enumerate(texts))


def events(count: int) -> tuple[Quote, ...]:
    return tuple(Quote(f"e{n}", f"state/interactions.jsonl#e{n}", "") for n in range(count))


def of(cause: str, **more: Any) -> Finding:
    """A finding of this cause, as `FINDINGS` has it, with some fields changed."""
    import msgspec

    return msgspec.structs.replace(FINDINGS[cause](), **more)


def analysis(*findings: Finding, **more: Any) -> Analysis:
    return Analysis(
        **(
            {
                "since": "2026-11-19T09:00:00+00:00",
                "until": "2026-11-20T09:00:00+00:00",
                "read": 40,
                "cycles": 2,
                "enough": True,
                "compared": {},
                "tokens": {},
                "degraded": {},
                "notices": {},
                "churn": {},
                "findings": findings,
            }
            | more
        )
    )


_CORRECTIONS = (
    "Berg receives our invoices, not Hansen any more",
    "invoices go to Berg, not Hansen",
    "the invoices are for Berg and not for Hansen",
)
_STEPS = (
    "sync the payments with the gateway 1. export the ledger 2. map the accounts 3. post the batch",
    "why does the gateway refuse the batch?",
    "post the corrected batch to the gateway",
)
_BEES = (
    "when do I treat the hives against varroa mites?",
    "how much syrup does a hive of bees need?",
    "can the bees in the blue hive stay?",
    "where can I buy frames for the hives of my bees?",
)

FINDINGS: dict[str, Callable[[], Finding]] = {
    finding.CORRECTION: lambda: Finding(
        finding.CORRECTION,
        "berg invoic",
        {"sessions": 4.0, "times": 4.0},
        said(*_CORRECTIONS),
        text="invoices go to Berg, not Hansen",
        weight=0.9,
    ),
    finding.QUESTION: lambda: Finding(
        finding.QUESTION,
        "due return vat",
        {"sessions": 3.0, "turns": 3.0},
        (
            Quote("a", "state/conversations/cli.jsonl#a1", "On the tenth.", "agent"),
            *said("when is the VAT return due?", "VAT return: due when?"),
        ),
        text="when is the VAT return due?",
        weight=0.8,
    ),
    finding.STALE_NOTE: lambda: Finding(
        finding.STALE_NOTE,
        f"agent_memory/{STANDUP}",
        {"turns": 10.0, "used": 0.0},
        said("who leads the standup this week?", "how long was the last standup?"),
        weight=0.5,
    ),
    finding.FREQUENT: lambda: Finding(
        finding.FREQUENT,
        f"agent_memory/{KUBECTL}",
        {"share": 0.7, "turns": 20.0, "used": 14.0, "two_windows": 1.0},
        said("is the pod up?", "restart the ingress"),
        workload="adjutant:platform",
        weight=0.65,
    ),
    finding.UNUSED_ITEM: lambda: Finding(
        finding.UNUSED_ITEM,
        "user#collects-fountain-pens-and-wants",
        {"turns": 60.0, "used": 0.0, "before": 1.0},
        events(3),
        weight=0.3,
    ),
    finding.UNUSED_SKILL: lambda: Finding(finding.UNUSED_SKILL, "deploy", {"turns": 60.0}, events(1), weight=0.1),
    finding.SKILL_GAP: lambda: Finding(
        finding.SKILL_GAP,
        "integration",
        {"turns": 11.0, "sessions": 4.0, "friction": 0.35, "rounds": 4.5},
        said(*_STEPS),
        workload="adjutant:integration",
        text=_STEPS[0],
        weight=0.6,
    ),
    finding.MISROUTED: lambda: Finding(
        finding.MISROUTED,
        "coder",
        {"turns": 6.0, "failed": 4.0, "share": 0.667},
        said("run the import again"),
        workload="adjutant:pipeline",
        weight=0.7,
    ),
    finding.UNFILED: lambda: Finding(
        finding.UNFILED,
        "uncategorised",
        {"turns": 8.0, "share": 0.4},
        said(*_BEES),
        workload="uncategorised",
        weight=0.1,
    ),
    finding.USELESS_NOTICES: lambda: Finding(
        finding.USELESS_NOTICES,
        "allotment beds.md",
        {"useless": 4.0, "useful": 0.0},
        tuple(
            Quote(f"c{n}", f"state/notices.jsonl#n{n}", text, "untrusted")
            for n, text in enumerate(
                (
                    "[allotment] Water the bean net",
                    "[allotment] Bean net is torn",
                    "[allotment] The bean net has no price",
                )
            )
        ),
        text="bean net",
        weight=0.5,
    ),
    finding.SKILL_CORRECTED: lambda: Finding(
        finding.SKILL_CORRECTED,
        "deploy",
        {"sessions": 3.0, "times": 3.0},
        said("run the smoke test before you push", "the smoke test comes before the push"),
        text="run the smoke test before you push",
        weight=0.7,
    ),
    finding.ROLE_CORRECTED: lambda: Finding(
        finding.ROLE_CORRECTED,
        "coder",
        {"sessions": 3.0, "times": 3.0},
        said("name the branch in every report", "the branch belongs in the report"),
        text="name the branch in every report",
        weight=0.7,
    ),
}

AIMS = {
    finding.QUESTION: (MEMORY, lambda found: "", "when is the VAT return due? On the tenth."),
    finding.STALE_NOTE: (MEMORY, lambda found: found.subject.partition("/")[2], ""),
    finding.FREQUENT: (
        PROMOTE,
        lambda found: "tools",
        "Always pass `kubectl --context prod`, the default context is staging.",
    ),
    finding.UNUSED_ITEM: (DEMOTE, lambda found: found.subject, ""),
    finding.SKILL_GAP: (SKILL_GAP, lambda found: found.workload, "export the ledger\nmap the accounts\npost the batch"),
    finding.USELESS_NOTICES: (PROMPT_EDIT, lambda found: "heart", "bean net"),
    finding.SKILL_CORRECTED: (PROMPT_EDIT, lambda found: f"skill {found.subject}", ""),
    finding.ROLE_CORRECTED: (PROMPT_EDIT, lambda found: f"role {found.subject}", ""),
}


def draft_of(app: TestedApp, found: Finding) -> Draft:
    """The draft of a finding: by the rules, or as a model would make it of what it reads."""
    if found.cause not in AIMS:
        [made] = placing.draft_all(app.files, analysis(found))
        return made
    kind, aim, text = AIMS[found.cause]
    about = (found.evidence, found.figures, found.workload, aim(found))
    return Draft(kind, found.cause, found.subject, f"Because of {found.subject}", text or found.text, "", *about)
