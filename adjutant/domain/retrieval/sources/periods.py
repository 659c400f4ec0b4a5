"""DOMAIN. Days, weeks and months as documents: one a bullet, trusted no more than the source it ends with."""

from __future__ import annotations

import re
from calendar import monthrange
from collections import Counter
from datetime import date

from adjutant.domain.retrieval.sources.parts import day_words, fingerprint, text_of
from adjutant.ports import Document
from adjutant.store import front

COLLECTION = "agent_memory"
_NAMES = (
    ("daily", 1, re.compile(r"\d{4}-\d\d-\d\d")),
    ("weekly", 2, re.compile(r"\d{4}-W\d\d")),
    ("monthly", 3, re.compile(r"\d{4}-\d\d")),
)
_HEADING = re.compile(r"#{1,6}\s+(.*?)\s*#*")
_BULLET = re.compile(r"[-*+]\s+(.*)")
_SOURCE = re.compile(r"\[([^\[\]]+)\]\s*\Z")
_NOT_WORD = re.compile(r"[\W_]+")


def documents(path: str, data: bytes) -> list[Document]:
    """The bullets of memory/daily|weekly|monthly/<period>.md, ids PERIOD/SECTION/N; none when its name is no period.

    Raises FileDamaged.
    """
    folder, _, name = path.rpartition("/")
    period = name.removesuffix(".md")
    level = next((level for kind, level, form in _NAMES if folder.endswith(kind) and form.fullmatch(period)), 0)
    last = _last_day(period) if level else None
    if last is None:
        return []
    moment = f"{last}T00:00:00+00:00"
    counts, found = Counter[str](), list[Document]()
    for section, bullet in _bullets(front.split(text_of(path, data), path).body):
        anchor = _NOT_WORD.sub("-", section.lower()).strip("-")
        counts[anchor] += 1
        found.append(Document(
            id=f"{period}/{anchor or 'top'}/{counts[anchor]}", collection=COLLECTION,
            title=f"{period} {section}".strip(),
            text=bullet, path=path, anchor=anchor, trust=_trust(bullet), created_at=moment, updated_at=moment,
            source_sha=fingerprint(period, section, bullet),
            names=day_words(str(last)), group=path, level=level,
        ))
    return found


def _bullets(body: str) -> list[tuple[str, str]]:
    """(section, text) of each top-level bullet, its indented lines with it."""
    section, found = "", list[tuple[str, list[str]]]()
    for line in body.split("\n"):
        bullet = _BULLET.fullmatch(line)
        if heading := _HEADING.fullmatch(line):
            section = heading[1] if line.startswith("##") else ""
        elif bullet:
            found.append((section, [bullet[1]]))
        elif found and found[-1][0] == section and line.startswith((" ", "\t")) and line.strip():
            found[-1][1].append(line.strip())
    return [(section, "\n".join(lines).strip()) for section, lines in found]


def _trust(bullet: str) -> str:
    """What a machine wrote down is at most the agent's word; what it has from a knowledge base is nobody's."""
    source = _SOURCE.search(bullet)
    told = source[1].lower().split() if source is not None else []
    return "untrusted" if "untrusted" in told or (told and told[0].rstrip(":") == "kb") else "agent"


def _last_day(period: str) -> date | None:
    """The day on which a day, week or month ends; None for one that does not exist."""
    try:
        if "W" in period:
            return date.fromisocalendar(int(period[:4]), int(period[6:]), 7)
        if len(period) == 7:
            return date(int(period[:4]), int(period[5:]), monthrange(int(period[:4]), int(period[5:]))[1])
        return date.fromisoformat(period)
    except ValueError:
        return None
