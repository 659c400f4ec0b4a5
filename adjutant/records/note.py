"""RECORDS. One note as a file, with strict frontmatter; ids, and what stands in a text where a fact was taken back."""

import os
import re
from collections.abc import Collection
from datetime import UTC, datetime
from typing import Any

import msgspec

from adjutant.clock import moment, read_day
from adjutant.documents import edits, frontmatter
from adjutant.errors import FileDamaged
from adjutant.ports import TRUST
from adjutant.screening.fence import clean_line
from adjutant.store.files import sha256
from adjutant.store.reader import BOM, decode

TYPES = ("decision", "invariant", "gotcha", "pattern", "preference", "person", "fact", "correction")
TITLE_CHARS = 80
MAX_BYTES = 64 * 1024


class Note(msgspec.Struct, frozen=True, kw_only=True):
    """A note. `created` an ISO-8601 time, `reinforced` days; `path` relative to the instance, `sha` of the bytes read.
    `source`: the message, journal entry, knowledge base or command it comes from."""

    id: str
    type: str
    title: str
    body: str
    concepts: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    created: str
    reinforced: tuple[str, ...] = ()
    source: str = ""
    trust: str = TRUST[0]
    supersedes: str | None = None
    superseded_by: str | None = None
    path: str = ""
    sha: str = ""


KEYS = Note.__struct_fields__[:3] + Note.__struct_fields__[4:-2]  # what the frontmatter holds, in its order


def render(note: Note) -> str:
    """The text of a new note's file."""
    values = {key: getattr(note, key) for key in KEYS}
    return f"---\n{frontmatter.dump(_to_yaml(values))}---\n\n{note.body}\n"


def revise(data: bytes, shown: str, **values: Any) -> bytes:
    """The same bytes with these keys of the frontmatter set, all else as it was."""
    mark = BOM if data.startswith(BOM) else b""
    return mark + edits.with_keys(decode(data, shown), shown, _to_yaml(values)).encode("utf-8", "replace")


def parse(data: bytes, shown: str, filed: str = "") -> Note:
    """The note in a file's bytes; `shown` is its path MEMORY/…/TYPE/ID.md, `filed` the time of one that tells none. A
    text without frontmatter is the operator's own."""
    *_, folder, name = shown.split("/")
    text = decode(data, shown)
    parts = frontmatter.read(text, shown)
    said, body = {key: value for key, value in parts.plain().items() if key in KEYS and value != ""}, parts.body.strip()
    own = {"id": name.removesuffix(".md"), "type": folder, "title": title_of(body), "created": filed}
    values = {**own, **said, "body": body, "path": shown, "sha": sha256(data)}
    note = parts.convert(Note, values, shown)
    timed = "created" not in said or read_day(note.created) or moment(note.created)
    for key, good, what, fix in (
        ("trust", note.trust in TRUST, f"is no trust ({' '.join(TRUST)})", ""),
        ("created", timed, "is no ISO-8601 time with an offset", ""),
        ("reinforced", all(map(read_day, note.reinforced)), "holds something else than ISO-8601 days", ""),
        ("type", note.type in TYPES, f"is no type of note ({' '.join(TYPES)})", "write one of them as its `type`"),
        ("id", note.id == own["id"], "is not the file's name", "name the file by its id, or take the line out"),
    ):
        if not good:
            raise FileDamaged(f"{shown}:{parts.line_of(key)}: `{key}: {str(values[key])[:60]}` {what}", fix)
    if not body:
        raise FileDamaged(f"{shown}:{text.count(chr(10)) + 1}: a note without any text", "write it, or delete the file")
    return note


def replaces(newer: Note, older: Note) -> bool:
    """Whether one note takes the place of the other: it says so, and is trusted no less."""
    return newer.id != older.id == newer.supersedes and TRUST.index(newer.trust) <= TRUST.index(older.trust)


def title_of(body: str, under: str = "") -> str:
    """A title for a text: its first line, behind the heading it stands under."""
    rows = (clean_line(row, TITLE_CHARS) for row in body.split("\n") if not row.lstrip().startswith(("```", "~~~")))
    first = next((row for row in rows if row), body[:TITLE_CHARS])
    return clean_line(f"{under}: {first}" if under else first, TITLE_CHARS).rstrip(".")


def _to_yaml(values: dict[str, Any]) -> dict[str, Any]:
    return {key: list(value) if isinstance(value, tuple) else value for key, value in values.items()}


STEP = 8  # so that some thousands fit into one second: an import makes as many
_OWN = re.compile(r"\d{8}T\d{6}-[0-9a-f]{4}")


def new_id(now: datetime, taken: Collection[str]) -> str:
    """YYYYMMDDTHHMMSS-xxxx in UTC, so that ids sort by time whatever the zone. Of one second each is drawn above those
    that are taken, as long as the four hex digits last."""
    second = f"{now.astimezone(UTC):%Y%m%dT%H%M%S}-"
    used = {int(id[-4:], 16) for id in taken if id.startswith(second) and _OWN.fullmatch(id)}
    draw = int.from_bytes(os.urandom(2))
    number = max(used) + 1 + draw % STEP if used else draw // 2
    while number > 0xFFFF or number in used:
        number = int.from_bytes(os.urandom(2))
    return f"{second}{number:04x}"


FORGET, CORRECT = "forget", "correct"
WORDS = {FORGET: "forgotten", CORRECT: "corrected"}
_MARK = re.compile(r"\s?\[(?:forgotten|corrected) \d{8}T\d{6}-[0-9a-f]{4}\]\.?")


def mark(verb: str, id: str) -> str:
    """The mark of one change."""
    return f"[{WORDS[verb]} {id}]"


def without_marks(text: str) -> str:
    """A text as it is read: the marks say nothing of the matter itself."""
    return _MARK.sub("", text) if "[" in text else text
