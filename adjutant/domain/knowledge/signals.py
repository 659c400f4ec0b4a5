"""From files to signals: what stands open, is due, is wrong or short, against the operator's heart."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from adjutant.domain.knowledge import context, headline, judge, lexicon, structure
from adjutant.domain.knowledge.findings import LEVELS, Evidence, Extraction, RaisedIssue, Signal
from adjutant.domain.knowledge.lexicon import Lexicon
from adjutant.domain.knowledge.matters import issues, summary
from adjutant.domain.knowledge.passages import KbFile
from adjutant.domain.knowledge.relevance import Item, Relevance
from adjutant.domain.knowledge.structure import Document
from adjutant.records.heart import Heart

QUOTE_CHARS = 300
__all__ = ["Evidence", "Extraction", "RaisedIssue", "Signal", "extract", "issues", "summary"]


def extract(
    files: Sequence[KbFile],
    heart: Heart,
    now: datetime,
    lex: Lexicon,
    *,
    kb: str,
    description: str = "",
    limit: int = 200,
    horizon: int = 14,
) -> Extraction:
    """Signals of one KB against the heart at `now` (aware; its day in the instance's zone counts).

    Days more than `horizon` days ahead are left alone; the gravest `limit` signals are kept.
    """
    today = now.date()
    sample = "\n".join([*heart.priorities, *heart.concerns, *(f.text[:2000] for f in files[:60])])
    language = lex.detect(lexicon.tokens(sample[:60_000]))
    relevance = Relevance(heart, lex, today, language)
    docs = [d for f in files if (d := structure.parse(f, lex, today, language)) is not None]
    base = context.Base(docs, lex, relevance, kb, description, today, horizon)
    found: list[Signal] = []
    deadlines: list[tuple[str, str, int]] = []
    open_tasks = 0
    for doc in docs:
        for verdict in judge.document(doc, base):
            open_tasks += verdict.open_task
            if verdict.due is not None and not verdict.done:
                deadlines.append((verdict.due.isoformat(), doc.file.path, verdict.line))
            if verdict.kind:
                found.append(_signal(verdict, doc, base))
    found.sort(key=lambda s: (s.muted is not None, -LEVELS.index(s.severity), -s.score, s.path, s.line))
    deadlines.sort()
    return Extraction(found[:limit], open_tasks, deadlines, max(0, len(found) - limit), today.isoformat())


def _signal(v: judge.Verdict, doc: Document, base: context.Base) -> Signal:
    quote = quote_of(doc, v.line)
    evidence = [Evidence(doc.file.path, n, q) for n in v.lines if (q := quote_of(doc, n))]
    item = base.relevance.items[v.item] if v.item >= 0 else None
    return Signal(
        path=doc.file.path,
        line=v.line,
        quote=quote,
        kind=v.kind,
        date=v.due.isoformat() if v.due else None,
        severity=v.severity,
        title=headline.title(_topic(v, doc), v.text, quote),
        why=headline.why(judge.SAYS.get(v.kind, v.kind), v.kind, v.due, _touched(item), base.today),
        concern=item.text if item else None,
        relevance=round(v.relevance, 3),
        evidence=evidence[:5] or [Evidence(doc.file.path, v.line, quote)],
        muted=v.muted or None,
        topic=_topic(v, doc),
        matter=v.matter,
        score=round(v.score, 3),
        part=item.part if item else "",
        stems=sorted(v.stems),
    )


def quote_of(doc: Document, line: int) -> str:
    """The line's text, stripped, at most 300 characters, so that it literally stands in that line."""
    if not 1 <= line <= len(doc.lines):
        return ""
    return doc.lines[line - 1].strip()[:QUOTE_CHARS].rstrip()


def _topic(v: judge.Verdict, doc: Document) -> str:
    return headline.plain(v.heading or doc.title or doc.file.path.rsplit("/", 1)[-1])


def _touched(item: Item | None) -> str:
    return f"{item.part} '{headline.name_of(item.text)}'" if item is not None else ""
