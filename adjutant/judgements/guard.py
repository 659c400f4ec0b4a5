"""OPINION. The guard around judgements: suspects set aside and journalled, and no hit makes news vanish."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from datetime import datetime

import msgspec

from adjutant.app import App
from adjutant.domain.matters import look
from adjutant.judgements import seeing
from adjutant.judgements.briefing import Briefed
from adjutant.judgements.material import RANK, Issue
from adjutant.records import journal
from adjutant.screening.screen import redact_hits, screen


def keep_news(issues: Sequence[Issue], found: Sequence[Briefed]) -> list[Issue]:
    """The issues, and one for every grave signal on a set-aside line that was left out; worst first."""
    cited = {(issue.kb, quote.path, quote.line) for issue in issues for quote in issue.cited}
    kept = list(issues)
    for briefed in found:
        marked = {(s.path, s.line) for s in briefed.look.suspects} if briefed.look is not None else set()
        for signal in briefed.signals:
            hit = [quote for quote in signal.evidence if (quote.path, quote.line) in marked]
            if hit and not any((briefed.kb.name, quote.path, quote.line) in cited for quote in hit):
                kept.append(msgspec.structs.replace(seeing.issue_of(signal, briefed.kb.name), evidence=list(hit)))
                cited |= {(briefed.kb.name, quote.path, quote.line) for quote in hit}
    return sorted(kept, key=lambda issue: -RANK[issue.severity])


def set_aside(app: App, found: Iterable[Briefed], now: datetime) -> None:
    """The instruction-like lines of looked-at knowledge bases to quarantine and journal. Raises Stopped, IoFailed."""
    put_aside(
        app,
        now,
        [
            (
                f"{look.replacement(suspect.path, suspect.line)} of {briefed.kb.name}",
                f"{briefed.kb.name}/{suspect.path}:{suspect.line}",
                suspect.reason,
                suspect.original,
            )
            for briefed in found
            for suspect in (briefed.look.suspects if briefed.look is not None else ())
        ],
    )


def screen_text(app: App, text: str, name: str, now: datetime) -> str:
    """A text without its instruction-like lines, which go to quarantine and journal. Raises Stopped, IoFailed."""
    hits, lines = screen(text), text.split("\n")
    if not hits:
        return text
    put_aside(
        app,
        now,
        [(look.replacement(name, hit.line), f"{name}:{hit.line}", hit.reason, lines[hit.line - 1]) for hit in hits],
    )
    return redact_hits(text, hits, name)


def put_aside(app: App, now: datetime, found: Iterable[tuple[str, str, str, str]]) -> None:
    """Originals (what is said, place, reason, text) to state/quarantine/, each on a Security line in the journal.

    The journal comes first: a run that dies between the two says it again, and never keeps it to itself.
    """
    originals: dict[str, bytes] = {}
    lines: list[str] = []
    for said, place, reason, original in found:
        text = f"{place}\n{reason}\n\n{original}\n"
        name = f"suspect-{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}.txt"
        if name in originals or app.files.exists(app.tree.quarantined(name)):
            continue  # journalled and set aside by an earlier run
        originals[name] = text.encode("utf-8", "replace")
        lines.append(f"{said} ({reason}): set aside in {app.tree.relative(app.tree.quarantined(name))}")
    if lines:
        app.gate()
        journal.entry(app.files, now, "Security", lines, dry_run=app.dry_run)
    for name, content in originals.items():
        app.files.create(app.tree.quarantined(name), content)
