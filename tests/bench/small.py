"""A life of four days and a morning, small enough to know every figure by heart."""

from __future__ import annotations

from pathlib import Path

HEART = "# Heart\n\n## Current Priorities\n\n- Boat: survey, insurance, sale to Oduya\n\n## Quiet Zones\n\n- Choir\n"
FORTNIGHT = {
    "life.yaml": f"""\
name: Petra, who sells a boat
author: one
timezone: Europe/Oslo
start: 2026-11-23
days: 4
kb: notes
schedule:
  pulse: {{weekdays: ["09:00", "17:00"], weekends: ["10:00"]}}
  review: {{weekdays: ["20:00"], weekends: ["20:00"]}}
silent_days: [2026-11-25]
heart: |
{"".join("  " + line for line in HEART.splitlines(keepends=True))}""",
    "files/Boat.md": """\
# Boat

- [ ] Insurance runs out, renew it by 24 Nov
- [ ] Survey report to Oduya
- [x] Clean the bilge

The bilge pump is a Rule 500, bought at Sunde's.
""",
    "files/bills.csv": """\
who,amount,due,state
Sunde,420,2026-11-26,open
Marina,900,2026-10-30,paid
Rigger,60,2026-10-02,paid
""",
    "files/choir/Concert 2026-11-24.md": "# Concert\n\nTue 24 Nov 19:00 rehearsal, bring the folder\n",
    "files/recipes/Soup.md": "# Soup\n\n" + "".join(f"{n}. Stir in spoon {n} of flour\n" for n in range(1, 90)),
    "changes.yaml": """\
- {at: 2026-11-24T12:00, op: replace, path: Boat.md, old: "- [ ] Insurance", new: "- [x] Insurance"}
- at: 2026-11-24T12:00
  op: write
  path: Log.md
  text: |
    Oduya rang, wants the survey report by Thursday 26 Nov or he walks away
""",
    "musts.yaml": """\
- id: insurance
  what: the insurance of the boat runs out on 24 Nov
  words: [insurance]
  evidence: [{path: Boat.md, has: Insurance runs out}]
  tell_from: 2026-11-23T00:00
  tell_by: 2026-11-23T18:00
  settled: 2026-11-24T12:00
  weight: 3
- id: survey
  what: Oduya wants the survey report by 26 Nov
  words: ["survey|oduya", "26|report"]
  evidence: [{path: Log.md, has: survey report}]
  joined: [{path: Boat.md, has: Survey report}]
  tell_from: 2026-11-24T12:00
  tell_by: 2026-11-26T10:00
  news: [2026-11-26T08:00]
  weight: 2
""",
    "mays.yaml": """\
- {id: sunde, what: Sunde's bill, words: [sunde], evidence: [{path: bills.csv, has: Sunde}], from: 2026-11-24T00:00}
""",
    "questions.yaml": """\
- {id: q1, kind: agenda, at: 2026-11-24T13:00, ask: What is due?, expect: ["survey", "sunde"], never: [marina]}
- {id: q2, kind: fact, at: 2026-11-24T13:05, ask: Which bilge pump have I got?, expect: ["rule 500"]}
- {id: q3, kind: none, at: 2026-11-24T13:10, ask: When does the berth lapse?, never: ["berth.*20"]}
""",
}
MORNING = {
    "life.yaml": f"""\
name: Petra again
author: two
timezone: Europe/Oslo
now: 2026-11-23T08:00
heart: |
{"".join("  " + line for line in HEART.splitlines(keepends=True))}""",
    "kbs/boat/Boat.md": FORTNIGHT["files/Boat.md"],
    "kbs/boat/Soup.md": FORTNIGHT["files/recipes/Soup.md"],
    "kbs/money/bills.csv": FORTNIGHT["files/bills.csv"],
    "issues.yaml": """\
- {id: insurance, kb: boat, path: Boat.md, has: Insurance runs out, what: insurance, severity: high, must: true}
- {id: sunde, kb: money, path: bills.csv, has: "Sunde,420", what: a bill, severity: medium, must: true}
- {id: bilge, kb: boat, path: Boat.md, has: Rule 500, what: the pump, severity: low, must: false}
""",
}


def write(folder: Path, files: dict[str, str]) -> Path:
    """Writes a life below `folder`; of several texts for one path the last holds."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder
