"""DOMAIN. What Adjutant remembers as documents: notes, the days, weeks and months made of the past, standing rules."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from adjutant.documents import frontmatter
from adjutant.domain.recall.sources.parts import Ids, day_words, make, text_of
from adjutant.index_ports import Document
from adjutant.records import note as note_file
from adjutant.records import period_file, wisdom_file
from adjutant.store.index_tables import superseding

COLLECTION = "agent_memory"
_COMPACTED = re.compile(r"(?m)^Last compacted:\s*(\d{4}-\d\d-\d\d)\s*$")
_NOT_WORD = re.compile(r"[\W_]+")


def notes(path: str, data: bytes) -> list[Document]:
    """The note of memory/notes/<type>/<id>.md, under its own id; what another note has superseded is hidden.

    Raises FileDamaged with file and line.
    """
    note = note_file.parse(data, path)
    created, tags = _moment(note.created), [note.type, *note.tags]
    if note.supersedes not in (None, note.id) and note.trust != "untrusted":  # a stranger's hides nobody's
        tags.append(superseding(str(note.supersedes)))
    updated = max([created, *map(_moment, note.reinforced)], key=lambda moment: moment[:10])
    about = {"concepts": note.concepts, "tags": tuple(tags), "superseded": note.superseded_by is not None}
    about |= {"trust": note.trust, "created_at": created, "updated_at": updated, "source_sha": note.sha}
    return [make(COLLECTION, path, note.id, note.title, note.body, **about)]


def periods(path: str, data: bytes) -> list[Document]:
    """The bullets of memory/daily|weekly|monthly/<period>.md, ids PERIOD/SECTION/N, each trusted no more than the
    source it ends with; none when its name is no period.

    Raises FileDamaged.
    """
    folder, _, name = path.rpartition("/")
    kind = folder.rpartition("/")[2]
    period = period_file.find_period(kind, name.removesuffix(".md")) if kind in period_file.KINDS else None
    if period is None:
        return []
    moment, counts, found = _moment(period.last.isoformat()), Counter[str](), list[Document]()
    about: dict[str, Any] = {"created_at": moment, "updated_at": moment, "names": day_words(moment), "group": path}
    about["level"] = period_file.KINDS.index(kind) + 1
    for bullet in period_file.bullets(frontmatter.read(text_of(path, data), path).body):
        anchor = _anchor(bullet.section)
        counts[anchor] += 1
        id, title = f"{period.name}/{anchor or 'top'}/{counts[anchor]}", f"{period.name} {bullet.section}".strip()
        text = " ".join([bullet.text, *(f"[{ref}]" for ref in bullet.refs)])
        found.append(make(COLLECTION, path, id, title, text, anchor=anchor, trust=bullet.trust, **about))
    return found


def wisdom(path: str, data: bytes) -> list[Document]:
    """The entries `**title**` of identity/wisdom.md with the text below each, ids wisdom/TITLE. Raises FileDamaged."""
    text, ids, found = text_of(path, data), Ids(), list[Document]()
    day = _COMPACTED.search(text)
    moment = _moment(day[1]) if day else ""
    for each in wisdom_file.entries(text):
        anchor = ids.own(_anchor(each.title)[:80] or "entry")
        about = {"anchor": anchor, "tags": (each.category,) if each.category else ()}
        about |= {"created_at": moment, "updated_at": moment}
        found.append(make(COLLECTION, path, f"wisdom/{anchor}", each.title, each.text or each.title, **about))
    return found


def _anchor(heading: str) -> str:
    return _NOT_WORD.sub("-", heading.lower()).strip("-")


def _moment(told: str) -> str:
    """A time with an offset: a day that stands alone begins at midnight UTC."""
    return f"{told}T00:00:00+00:00" if len(told) == 10 else told
