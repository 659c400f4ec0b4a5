"""RECORDS. One note as a file: strict frontmatter, and one to three sentences that a person can read and rewrite."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

import msgspec

from adjutant.documents import edits, frontmatter
from adjutant.errors import FileDamaged
from adjutant.ports import TRUST
from adjutant.screening.fence import clean_line
from adjutant.store.files import sha256
from adjutant.store.text import BOM, decode

TYPES = ("decision", "invariant", "gotcha", "pattern", "preference", "person", "fact", "correction")
TITLE_CHARS = 80
MAX_BYTES = 64 * 1024


class Note(msgspec.Struct, frozen=True, kw_only=True):
    """A note. `created` an ISO-8601 time, `reinforced` days; `path` relative to the instance, `sha` of the bytes read.

    `source`: the message, journal entry, knowledge base or command it comes from.
    """

    id: str
    type: str
    title: str
    body: str
    created: str
    concepts: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    reinforced: tuple[str, ...] = ()
    source: str = ""
    trust: str = "operator"
    supersedes: str | None = None
    superseded_by: str | None = None
    path: str = ""
    sha: str = ""


class _NoteFront(msgspec.Struct):
    """What the frontmatter may say; a key that is missing has the value of a note that the operator wrote by hand."""

    id: str = ""
    type: str = ""
    title: str = ""
    concepts: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    created: str = ""
    reinforced: tuple[str, ...] = ()
    source: str = ""
    trust: str = TRUST[0]
    supersedes: str | None = None
    superseded_by: str | None = None


KEYS = _NoteFront.__struct_fields__


def render(note: Note) -> str:
    """The text of a new note's file."""
    values = {key: getattr(note, key) for key in KEYS}
    return f"---\n{frontmatter.dump(_listed(values))}---\n\n{note.body}\n"


def revise(data: bytes, shown: str, **values: Any) -> bytes:
    """The same bytes with these keys of the frontmatter set, all else as it was. Raises FileDamaged."""
    mark = BOM if data.startswith(BOM) else b""
    return mark + edits.with_keys(decode(data, shown), shown, _listed(values)).encode("utf-8", "replace")


def parse(data: bytes, shown: str, filed: str = "") -> Note:
    """The note in a file's bytes; `shown` is its path MEMORY/…/TYPE/ID.md, `filed` the time of one that tells none.

    A text without frontmatter is the operator's own. Raises FileDamaged with file and line.
    """
    *_, folder, name = shown.split("/")
    text = decode(data, shown)
    parts = frontmatter.read(text, shown)
    found = _front(parts, shown)
    id, type = name.removesuffix(".md"), found.type or folder
    if type not in TYPES:
        raise FileDamaged(
            f"{shown}:{parts.line_of('type')}: `{type[:40]}` is no type of note ({' '.join(TYPES)})",
            "write one of them as its `type`, or move it into the folder of one",
        )
    if found.id not in ("", id):
        raise FileDamaged(
            f"{shown}:{parts.line_of('id')}: `id: {found.id[:60]}` is not the file's name",
            "give the file the name of its id, or take the line out",
        )
    body = parts.body.strip()
    if not body:
        raise FileDamaged(f"{shown}:{text.count(chr(10)) + 1}: a note without any text", "write it, or delete the file")
    told = msgspec.structs.asdict(found) | {"id": id, "type": type, "title": found.title or title_of(body)}
    told |= {"created": found.created or filed, "supersedes": found.supersedes or None}
    return Note(**told | {"superseded_by": found.superseded_by or None}, body=body, path=shown, sha=sha256(data))


def replaces(newer: Note, older: Note) -> bool:
    """Whether one note takes the place of the other: it says so, and is trusted no less."""
    return newer.id != older.id == newer.supersedes and TRUST.index(newer.trust) <= TRUST.index(older.trust)


def title_of(body: str, under: str = "") -> str:
    """A title for a text: its first line, behind the heading it stands under."""
    rows = (clean_line(row, TITLE_CHARS) for row in body.split("\n") if not row.lstrip().startswith(("```", "~~~")))
    first = next((row for row in rows if row), body[:TITLE_CHARS])
    return clean_line(f"{under}: {first}" if under else first, TITLE_CHARS).rstrip(".")


def _front(parts: frontmatter.Front, shown: str) -> _NoteFront:
    plain = {key: value for key, value in parts.plain().items() if key in KEYS}
    try:
        found = msgspec.convert(plain, _NoteFront)
    except msgspec.ValidationError as error:
        key = str(error).partition("$.")[2].partition("`")[0].partition("[")[0]
        raise FileDamaged(f"{shown}:{parts.line_of(key)}: {error}") from error
    if found.trust not in TRUST:
        raise FileDamaged(f"{shown}:{parts.line_of('trust')}: `{found.trust[:40]}` is no trust ({' '.join(TRUST)})")
    for key, told in (("created", [found.created] if found.created else []), ("reinforced", found.reinforced)):
        for moment in told:
            if not (_is_time(moment) if key == "created" else _is_day(moment)):
                raise FileDamaged(
                    f"{shown}:{parts.line_of(key)}: `{key}: {moment[:40]}` is no ISO-8601 "
                    + ("time with an offset" if key == "created" else "day")
                )
    return found


def _is_time(text: str) -> bool:
    try:
        return _is_day(text) or datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        return False


def _is_day(text: str) -> bool:
    try:
        return len(text) == 10 and bool(date.fromisoformat(text))
    except ValueError:
        return False


def _listed(values: dict[str, Any]) -> dict[str, Any]:
    return {key: list(value) if isinstance(value, tuple) else value for key, value in values.items()}
