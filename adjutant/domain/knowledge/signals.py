"""From files to signals: what stands open, is due, is wrong or short, against the operator's heart."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime

from adjutant.domain.knowledge import context, judge, lexicon, structure
from adjutant.domain.knowledge.findings import LEVELS, Evidence, Extraction, RaisedIssue, Signal
from adjutant.domain.knowledge.heart import Heart
from adjutant.domain.knowledge.lexicon import Lexicon
from adjutant.domain.knowledge.matters import issues, summary
from adjutant.domain.knowledge.passages import KbFile
from adjutant.domain.knowledge.relevance import Relevance
from adjutant.domain.knowledge.structure import Document

QUOTE_CHARS, TITLE_CHARS = 300, 120
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
) -> Extraction:
    """Signals of one KB against the heart at `now` (aware; its day in the instance's zone counts)."""
    today = now.date()
    sample = "\n".join([*heart.priorities, *heart.concerns, *(f.text[:2000] for f in files[:60])])
    language = lex.detect(lexicon.tokens(sample[:60_000]))
    relevance = Relevance(heart, lex, today, language)
    docs = [d for f in files if (d := structure.parse(f, lex, today, language)) is not None]
    base = context.Base(docs, lex, relevance, kb, description, today)
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
        title=_title(v, doc),
        why=_why(v, item.label() if item else "", base.today),
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
    return _one_line(v.heading or doc.title or doc.file.path.rsplit("/", 1)[-1])


def _title(v: judge.Verdict, doc: Document) -> str:
    topic = _topic(v, doc)
    text = _one_line(v.text)
    title = text if topic.lower() in text.lower() else f"{topic}: {text}"
    return title if len(title) <= TITLE_CHARS else title[: TITLE_CHARS - 1].rstrip() + "…"


def _one_line(text: str) -> str:
    plain = "".join(c if c.isprintable() else " " for c in text)
    return " ".join(plain.replace("*", "").replace("`", "").replace("|", "·").split()).strip(" -–·")


def _why(v: judge.Verdict, label: str, today: date) -> str:
    """One sentence from typed facts only: state, day, and what of the heart it touches."""
    says = judge.SAYS.get(v.kind, v.kind)
    parts = [says]
    if v.due is not None:
        gap = (v.due - today).days
        day = f"{v.due.day} {v.due:%B}" + (f" {v.due.year}" if v.due.year != today.year else "")
        if gap < 0:
            parts = [f"overdue since {day}"] + ([says] if v.kind not in ("overdue", "deadline") else [])
        else:
            when = "today" if gap == 0 else "tomorrow" if gap == 1 else f"in {gap} days"
            parts = ([says] if v.kind != "deadline" else []) + [f"due {day} ({when})"]
    if label:
        parts.append(f"touches {label}")
    return "; ".join(parts)
