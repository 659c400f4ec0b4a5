"""DOMAIN. What Adjutant remembers as documents: notes, the days, weeks and months made of the past, standing rules."""

import re
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from typing import Any

from adjutant.documents import frontmatter
from adjutant.domain.recall.sources.parts import Ids, day_words, make, text_of
from adjutant.index_ports import Document
from adjutant.records import note as note_file
from adjutant.records import period_file, wisdom_file
from adjutant.records.journal import DRY_RUN
from adjutant.store.index_tables import superseding

COLLECTION = "agent_memory"
_COMPACTED = re.compile(r"(?m)^Last compacted:\s*(\d{4}-\d\d-\d\d)\s*$")
_NOT_WORD = re.compile(r"[\W_]+")


def notes(path: str, data: bytes) -> list[Document]:
    """The note of memory/notes/<type>/<id>.md, hidden where another one has superseded it. Raises FileDamaged."""
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
    source it ends with; none when its name is no period. Raises FileDamaged."""
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


# -- the journal: one document an entry, id DATE#HH:MM; what stands above the first entry is one as well -----------
JOURNAL = "journal"
DAY_FILE = re.compile(r"(\d{4}-\d\d-\d\d)\.md")
# Entries that runs write, by their title. What these tell stood in a knowledge base, or was made of one; the fourth
# names files alone, the last one what a model may have worded. Everything else in a journal is the operator's.
MACHINES = dict.fromkeys(("Pulse", "Escalation", "Review"), "untrusted")
MACHINES |= dict.fromkeys(("Security", "Behaviour review"), "agent")
_ENTRY = re.compile(r"## (\d\d:\d\d)(?:\s+[—–-]+)?\s*(.*)")


def journal(path: str, data: bytes, parse: Callable[[str], datetime]) -> list[Document]:
    """The entries of `path`; none when its name is no day. `parse`: the clock's. Raises FileDamaged."""
    named = DAY_FILE.fullmatch(path.rpartition("/")[2])
    if named is None:
        return []
    day, entries = named[1], _entries(text_of(path, data))
    texts = [f"{title}\n{body}" for _, title, body in entries]
    ids, found = Ids(), []
    for number, (hour, title, body) in enumerate(entries):
        if not (title or body):
            continue
        anchor = ids.own(hour) if hour else ""
        around = "\n".join(texts[max(number - 1, 0) : number] + texts[number + 1 : number + 2])
        trust = MACHINES.get(title.removesuffix(DRY_RUN), "operator")
        about = {"anchor": anchor, "trust": trust, "created_at": _local_moment(day, hour, parse)}
        id = f"{day}#{anchor}" if anchor else day
        near = {"context": around, "names": day_words(day), "group": path}
        found.append(make(JOURNAL, path, id, title or day, body or title, **about, **near))
    return found


def _entries(text: str) -> list[tuple[str, str, str]]:
    """(HH:MM, title, body), the hour "" for what stands above the first entry."""
    found: list[tuple[str, str, list[str]]] = [("", "", [])]
    for line in text.split("\n"):
        if heading := _ENTRY.match(line):
            found.append((heading[1], heading[2].strip(), []))
        else:
            found[-1][2].append(line)
    return [(hour, title, "\n".join(body).strip()) for hour, title, body in found]


def _local_moment(day: str, hour: str, parse: Callable[[str], datetime]) -> str:
    with suppress(ValueError):  # 25:61, written by hand
        return parse(f"{day}T{hour or '00:00'}").isoformat()
    return ""
