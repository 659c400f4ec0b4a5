"""Instances to measure on: made by `init`, lived in for a while."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import date, timedelta
from pathlib import Path

from bench.measure import Spent, spent

CHECKOUT = Path(__file__).resolve().parent.parent
NOW = "2026-11-20T09:00:00+00:00"
OURS = (sys.executable, "-P", "-m", "adjutant")
LINES = """\
# {name}, week {number}

The plan stands; {name} meets again on Thursday. Minutes follow by mail, numbers in the sheet.

- [ ] Send the revised plan of {name} to Ingrid, due 2026-11-{day}
- [ ] Ask Halvorsen for the delivery note
- [x] Book the room for {name}
- Blocked: the permit of {name} waits for the signature of the council

| item | owner | due | status |
|---|---|---|---|
| drawings | Ola | 2026-11-18 | open |
| tender | Kari | 2026-12-04 | at risk |
| keys | Per | 2026-11-02 | done |
"""
HEART = """\
# Heart

## Current Priorities

- Deliveries and permits on time: plan, drawings, tender

## Active Concerns

- Halvorsen, late before
"""


def environment(**more: str) -> dict[str, str]:
    """This one's, with the checkout importable and nothing that belongs to another instance."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ADJ", "OPENAI", "TELEGRAM"))}
    return {**kept, "PYTHONPATH": str(CHECKOUT), **more}


def run(root: Path, *words: str, **more: str) -> str:
    """One verb; its standard output. Raises CalledProcessError."""
    done = subprocess.run(
        [*OURS, *words, "--root", str(root)],
        env=environment(**more),
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=True,
    )
    return done.stdout


def cost(root: Path, *words: str, now: str = NOW) -> Spent:
    """What one verb used. Raises CalledProcessError."""
    return spent([*OURS, *words, "--root", str(root)], environment(ADJUTANT_NOW=now))


def with_knowledge(root: Path, count: int, settings: str = "", parts: int = 3) -> Path:
    """An instance with `count` knowledge bases of `parts` small files each."""
    subprocess.run([*OURS, "init", str(root)], env=environment(), capture_output=True, check=True)
    (root / "identity" / "heart.md").write_text(HEART)
    rows = []
    for number in range(count):
        name = f"kb-{number:02d}"
        folder = root / "knowledge_bases" / name
        folder.mkdir()
        for part in range(parts):
            (folder / f"week-{part}.md").write_text(LINES.format(name=name, number=part, day=15 + part))
        rows.append(f"- name: {name}\n  path: knowledge_bases/{name}\n")
    (root / "knowledge_bases" / "registry.yaml").write_text("".join(rows))
    if settings:
        (root / "adjutant.yaml").write_text(settings)
    return root


def lived_in(root: Path) -> Path:
    """Three knowledge bases, a pulse, and the records of half a year."""
    with_knowledge(root, 3)
    run(root, "pulse", ADJUTANT_NOW=NOW)
    state = root / "state"
    for name, copies in (("actions", 1000), ("notices", 200), ("usage", 1)):
        path = state / f"{name}.jsonl"
        if path.exists():
            path.write_bytes(path.read_bytes() * copies)
    for back in range(1, 180):
        day = date(2026, 11, 20) - timedelta(days=back)
        (root / "journal" / f"{day}.md").write_text("## 09:00 — Pulse\n- **kb-00**: nothing new\n" * 3)
    run(root, "status")
    return root


def result(text: str) -> dict[str, object]:
    """`result` of a --json envelope."""
    found: dict[str, object] = json.loads(text)["result"]
    return found
