"""Suggestions on record, as `evolve` leaves them: with their run and their report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from adjutant.domain.learning import acting, target
from adjutant.records import evolution_log
from adjutant.records.suggestion import (
    BY_RULES,
    CORRECTION,
    MEMORY,
    PROMPT_EDIT,
    SKILL_GAP,
    Change,
    Quote,
    Rehearsal,
    Suggestion,
)
from adjutant.store.files import sha256
from tests.conftest import TestedApp, make_app

USER = "identity/user.md"
LINES = "# User\n\n- Short answers\n- Euros, never kroner\n- Ruth reads no mail before noon\n- The van is blue\n"
NOTE = "memory/notes/correction/20261120T090000-0001.md"
NOTE_TEXT = """\
---
id: 20261120T090000-0001
type: correction
title: Invoices go to Berg
created: 2026-11-20T09:00:00+00:00
trust: operator
---

Invoices go to Berg, not to Hansen.
"""
SKILL = "skills/invoices/SKILL.md"
SKILL_TEXT = "---\nname: invoices\ndescription: How invoices leave the house.\n---\n\n1. Berg first.\n"
QUOTE = Quote("m-1", "state/conversations/2026-11-19.jsonl#m-1", "no, invoices go to Berg")


def sha(text: str | None) -> str:
    return "" if text is None else sha256(text.encode())


def learning(root: Path, **more: Any) -> TestedApp:
    """An App on an instance that has a user.md."""
    app = make_app(root, verb=more.pop("verb", "evolve accept"), **more)
    if not Path(app.tree.identity).exists():
        Path(app.tree.identity).mkdir()
        (root / USER).write_text(LINES)
    return app


def edit(app: TestedApp, before: str, after: str | None = None, path: str = USER) -> Change:
    """A change of what stands in a file now: `before` for `after` in it."""
    text = (Path(app.tree.root) / path).read_text()
    return Change(path, text, text.replace(before, after or "", 1))


def made(app: TestedApp, change: Change, *, kind: str = PROMPT_EDIT, **more: Any) -> Suggestion:
    """A suggestion of a change."""
    told: dict[str, Any] = {
        "ts": app.clock.now().isoformat(),
        "run": app.run,
        "cause": CORRECTION,
        "subject": "berg invoic",
        "title": "Send invoices to Berg",
        "evidence": (QUOTE,),
        "effect": "Nobody has to say it again.",
        "rehearsal": Rehearsal(BY_RULES),
        "figures": {"sessions": 4.0},
        "report": "evolution/2026-11-20-09.md",
        "fingerprint": "0123456789abcdef",
        "tokens_before": 20,
        "tokens_after": 25,
        "weight": 0.7,
    } | more
    return evolution_log.give_id(
        Suggestion(
            id="",
            kind=kind,
            path=change.path,
            diff=target.render_diff(change),
            before_sha=sha(change.before),
            after_sha=sha(change.after),
            **told,
        )
    )


def proposed(app: TestedApp, *several: Suggestion, text: str = "# Suggestions\n", written: bool = True) -> None:
    """Puts suggestions on record, with the run and the report that they stand in."""
    first = several[0]
    run = evolution_log.Run(
        ts=first.ts,
        run=first.run,
        since=first.ts,
        until=first.ts,
        read=20,
        report=first.report,
        report_sha=sha(text),
        text=text,
        suggestions=tuple(each.id for each in several),
    )
    evolution_log.append(
        app.files, run, *(evolution_log.Proposed(ts=each.ts, run=each.run, suggestion=each) for each in several)
    )
    if written:
        acting.write_report(app, run)


def one(app: TestedApp, change: Change | None = None, **more: Any) -> Suggestion:
    """One suggestion on record: of a line more in user.md, unless another change is given."""
    each = made(app, change or edit(app, "- The van", "- Invoices go to Berg\n- The van"), **more)
    proposed(app, each)
    return each


def a_note(app: TestedApp) -> Suggestion:
    """Of a note that is new."""
    return made(app, Change(NOTE, None, NOTE_TEXT), kind=MEMORY)


def a_skill(app: TestedApp) -> Suggestion:
    """Of a skill that is new."""
    return made(app, Change(SKILL, None, SKILL_TEXT), kind=SKILL_GAP)


def status(app: TestedApp, id: str) -> str:
    return evolution_log.read(app.files).held[id].status


def events(app: TestedApp) -> list[str]:
    """The events on record, in their order."""
    import json

    lines = Path(app.tree.evolution_log).read_text().splitlines()
    return [json.loads(line)["event"] for line in lines]
