"""FILES. state/index.sqlite: its tables, how a document becomes a row and back, and what may be wrong with the file."""

import os
import re
import sqlite3
from binascii import crc32
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta, timezone
from typing import Any, NamedTuple
from urllib.parse import quote

from adjutant.errors import IoFailed, MirrorUnavailable
from adjutant.index_ports import Document
from adjutant.ports import TRUST
from adjutant.store import package, settings

# What index.sql says, by its headings.
_PARTS = re.split(r"(?m)^-- (?=\w+$)", package.text("store", "index.sql"))
SQL = {name: script.strip() for name, _, script in (part.partition("\n") for part in _PARTS)}
VERSION = 3
APPLICATION = 0x41444A58
FOUND = ("title", "text", "names", "extra", "context")
QUESTION = 1
# Numbers are part of a document's place: those searched by default stand together, so that they are one range.
COLLECTIONS = (*settings.COLLECTIONS, "otel_events", "behavior_history", "interaction_taxonomy")
# A document's place (its rowid) says where it stands: collection, whether it is trusted, whether its neighbours are its
# context, and then the number of the sitting (everything above the last SEATS bits) and of the seat in it.
SEATS = 8
ROOM = 34
GROUPED, UNTRUSTED_BIT = 1 << ROOM, 1 << (ROOM + 1)
COLLECTION = ROOM + 2
# Scripts that write no spaces between words (Hangul does, but glues its particles on).
UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]+")
CLEANED = ("id", "title", "text", "names", "context", "anchor")


class FileStamp(NamedTuple):
    """A file as it was when its documents were taken in: bytes, mtime in nanoseconds, a hash of its bytes in hex."""

    size: int
    mtime_ns: int
    sha: str

    def row(self) -> tuple[object, ...]:
        return self.size, self.mtime_ns, pack(self.sha)


def make(db: sqlite3.Connection, *parts: str) -> None:
    """Does what index.sql says under these headings; the caller holds the transaction."""
    for statement in (each for part in parts for each in SQL[part].split(";\n")):
        db.execute(statement)


def split(path: str) -> tuple[str, str]:
    """(folder with its slash, name): as the path of a file is kept."""
    name = path.rfind("/") + 1
    return path[:name], path[name:]


def rooms(number: int) -> tuple[int, int]:
    """The range of places of one collection: first, and first after."""
    return number << COLLECTION, (number + 1) << COLLECTION


def room(number: int, document: Document) -> tuple[int, int]:
    """The part of its collection's range that a document belongs to."""
    first = number << COLLECTION
    if document.group:
        first |= GROUPED  # whoever spoke: messages are each other's context
    elif document.trust == "untrusted":
        first |= UNTRUSTED_BIT
    return first, first + GROUPED


FIELDS = (
    *("id", "title", "text", "anchor", "concepts", "tags", "trust", "created_at", "updated_at", "source_sha"),
    *("context", "names", "assembly", "level", "superseded", "near"),
)
COLUMNS = ("place", "file", *FIELDS, "created", "words", "kind")


def row(document: Document, near: int, created: int) -> tuple[object, ...]:
    """The values of FIELDS. What others tell is not said twice: a group that is named as the file, a context that
    `near` tells, a time of change that is the time of making."""
    changed = document.updated_at and document.updated_at != document.created_at
    return (
        document.id,
        document.title,
        document.text,
        None if document.anchor == _end(document.id) else document.anchor,
        "\n".join(document.concepts),
        "\n".join(document.tags),
        TRUST.index(document.trust) if document.trust in TRUST else document.trust,
        document.created_at if changed else _offset(document.created_at, created),
        None if document.updated_at and not changed else document.updated_at,
        pack(document.source_sha),
        "" if near else document.context,
        document.names,
        None if document.group == document.path else document.group,
        document.level,
        int(document.superseded),
        near,
    )


def document(collection: str, path: str, created: int, values: Sequence[Any]) -> Document:
    """The other way round; the context is only there when it was kept as a text."""
    found = dict(zip(FIELDS, values, strict=True))
    made, trust, group, _ = found["created_at"], found["trust"], found.pop("assembly"), found.pop("near")
    if isinstance(made, int):
        made = datetime.fromtimestamp(created, timezone(timedelta(minutes=made))).isoformat()
    derived = {"anchor": _end(found["id"]), "updated_at": made}
    found |= {name: value for name, value in derived.items() if found[name] is None}
    found |= {name: tuple(found[name].split("\n")) if found[name] else () for name in ("concepts", "tags")}
    found["created_at"] = made
    found |= {"trust": TRUST[trust] if isinstance(trust, int) else str(trust), "superseded": bool(found["superseded"])}
    found |= {"source_sha": unpack(found["source_sha"]), "group": path if group is None else group}
    return Document(collection=collection, path=path, **found)


def list_searched(document: Document) -> tuple[str, str, str, str, str]:
    """The values of FOUND, always the same ones of a document: they are needed again to delete it. The context of a
    message is no part of it: its neighbours are looked at when a question is asked."""
    extra = [*document.tags, *map(label_token, (*document.concepts, *document.tags))]
    if pairs := grams(f"{document.title}\n{document.text}"):
        extra.append(pairs)
    title = "" if document.names.startswith(document.title) else document.title  # who spoke is one of the names
    return title, document.text, document.names, " ".join(extra), "" if document.group else document.context


def measure(document: Document) -> tuple[int, int, int]:
    """(created, words, kind): seconds since 1970 or 0, how long it is, and QUESTION or 0."""
    text = document.text
    said = text.partition(" [")[0] if text.endswith("]") else text  # a message may end in what its picture shows
    kind = QUESTION if said.rstrip().endswith("?") else 0
    return seconds(document.updated_at or document.created_at), text.count(" ") + document.title.count(" ") + 2, kind


def seconds(stamp: str) -> int:
    """Seconds since 1970 of an ISO date or time (UTC where it names no offset); 0 for anything else."""
    try:
        moment = datetime.fromisoformat(stamp)
        return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())
    except (ValueError, OverflowError):
        return 0


def _offset(stamp: str, created: int) -> int | str:
    """A time as most programs write it is its seconds (a column of its own) and the minutes of its offset."""
    if len(stamp) != 25 or stamp[10] != "T" or not created or stamp.endswith("-00:00"):
        return stamp
    if not "0001" < stamp[:4] < "9999":
        return stamp  # in UTC it may be a year that no calendar has
    minutes = int(stamp[20:22]) * 60 + int(stamp[23:25])
    return -minutes if stamp[19] == "-" else minutes


def _end(id: str) -> str:
    """What an id ends in: the anchor of most documents."""
    return id[max(id.rfind("/"), id.rfind("#")) + 1 :]


def label_token(label: str) -> str:
    """One word that no person writes and no stemmer changes, for a concept or a tag."""
    return f"adjutantlabel{crc32(label.encode('utf-8', 'replace')):010d}"


def superseding(id: str) -> str:
    """The tag of a note that takes the place of the note `id`, a word as of `label_token`: the older note's own file
    may not say so, where a hand wrote the newer one."""
    return f"adjutantsupersedes{crc32(id.encode('utf-8', 'replace')):010d}"


def pairs(run: str) -> list[str]:
    """["東京", "京都", "都"] of "東京都"."""
    return [run[at : at + 2] for at in range(len(run))]


def grams(text: str) -> str:
    """Overlapping pairs of characters of what is written without spaces (and each run's last one), else ""."""
    return "" if text.isascii() else " ".join(gram for run in UNSPACED.findall(text) for gram in pairs(run))


def clean(document: Document) -> Document:
    """The same with what no UTF-8 can hold replaced; nearly always the document itself."""
    id, _, title, text, _, anchor, _, tags, *_ = document
    if f"{id}{title}{text}{anchor}{document.context}{document.names}{tags}".isascii():
        return document
    cleaned: dict[str, Any] = {name: _clean(getattr(document, name)) for name in CLEANED}
    return document._replace(**cleaned, tags=tuple(map(_clean, document.tags)))


def _clean(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def pack(sha: str) -> bytes | str:
    """The bytes of a hash in hex: 32 of a sha256, 16 of one of a file."""
    try:
        found = bytes.fromhex(sha)
    except ValueError:
        return sha
    return found if len(found) in (16, 32) and found.hex() == sha else sha


def unpack(sha: bytes | str) -> str:
    """The digits again."""
    return sha.hex() if isinstance(sha, bytes) else sha


WAIT, LOOK_WAIT = 10.0, 2.0  # seconds for another writer: of one who writes, of one who only looks
_BROKEN = {"SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_FORMAT", "SQLITE_MISMATCH"}
_DISK = {"SQLITE_FULL", "SQLITE_IOERR", "SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_AUTH"}
_SAID = ("no such", "vtable constructor failed", "Could not decode to UTF-8")  # damage that has no code of its own


class Damaged(Exception):
    """What lies at the path is no index that can be used; the message is what to say of it."""


@contextmanager
def transaction(db: sqlite3.Connection, begin: str = "BEGIN IMMEDIATE", end: str = "COMMIT") -> Iterator[None]:
    """One that writes; rolled back where anything is raised in it."""
    db.execute(begin)
    try:
        yield
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise
    db.execute(end)


def prepare(db: sqlite3.Connection) -> None:
    """Looks whether this is our file, of this version; makes the tables in an empty one. Raises Damaged."""
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = NORMAL")  # a cache: the last moments may be lost in a power cut, never its form
    db.execute("PRAGMA cache_size = -8000")
    if _read_version(db) == 0:
        with transaction(db):
            if _read_version(db) == 0:
                if db.execute("SELECT 1 FROM sqlite_master").fetchone():
                    raise Damaged("was damaged")
                make(db, "rebuilt", "findable", "kept")
                db.executemany("INSERT INTO collections(number, name) VALUES(?, ?)", enumerate(COLLECTIONS))
    if db.execute("PRAGMA application_id").fetchone()[0] != APPLICATION:
        raise Damaged("was damaged")
    if _read_version(db) != VERSION:
        raise Damaged("is of another release")


def _read_version(db: sqlite3.Connection) -> int:
    return int(db.execute("PRAGMA user_version").fetchone()[0])


def look(path: str) -> tuple[str, int]:
    """(what is wrong with the file, "" for nothing; documents in it), without making or mending anything."""
    if not os.path.lexists(path):
        return "", 0
    if not os.path.isfile(path) or os.path.islink(path):
        return "not a regular file", 0
    try:
        with closing(sqlite3.connect(f"file:{quote(path)}?mode=rw", uri=True, timeout=LOOK_WAIT)) as db:
            if _read_version(db) != VERSION:
                return "of another release", 0
            (told,) = db.execute("PRAGMA quick_check(1)").fetchone()
            (documents,) = db.execute("SELECT count(*) FROM documents").fetchone()
    except sqlite3.Error as error:
        return str(error), 0
    return ("" if told == "ok" else str(told)), documents


def tell_damage(error: Exception) -> str:
    """What is to be said of a file that has to be made anew, "" for one that has not."""
    if isinstance(error, Damaged):
        return str(error)
    damaged = _name(error) in _BROKEN or str(error).startswith(_SAID) or isinstance(error, UnicodeDecodeError)
    return "was damaged" if damaged else ""


def _name(error: Exception) -> str:
    """Such as SQLITE_IOERR, for SQLITE_IOERR_READ too."""
    return "_".join(getattr(error, "sqlite_errorname", "").split("_")[:2])


def explain(error: sqlite3.Error, path: str) -> Exception:
    """What is raised for an error of SQLite's that is no damage."""
    if _name(error) in _DISK:
        return IoFailed(f"{path}: {error}")
    if _name(error) in ("SQLITE_BUSY", "SQLITE_LOCKED"):
        return MirrorUnavailable(f"{path}: another process has been writing for over {WAIT:.0f} s", "try again")
    return MirrorUnavailable(f"{path}: {error}", "delete the file: it is made anew")
