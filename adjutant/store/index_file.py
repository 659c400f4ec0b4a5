"""FILES. What lies at state/index.sqlite: our tables, made where there are none, or what is wrong with the file."""

from __future__ import annotations

import os
import sqlite3
from urllib.parse import quote

from adjutant.errors import IoFailed, MirrorUnavailable
from adjutant.store import index_tables as tables

WAIT, LOOK_WAIT = 10.0, 2.0  # seconds for another writer: of one who writes, of one who only looks
_BROKEN = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT, sqlite3.SQLITE_MISMATCH}
_DISK = {
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_AUTH,
}
_SAID = ("no such", "vtable constructor failed", "Could not decode to UTF-8")  # damage that has no code of its own


class Damaged(Exception):
    """What lies at the path is no index that can be used; the message is what to say of it."""


def prepare(db: sqlite3.Connection) -> None:
    """Looks whether this is our file, of this version; makes the tables in an empty one. Raises Damaged."""
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = NORMAL")  # a cache: the last moments may be lost in a power cut, never its form
    db.execute("PRAGMA cache_size = -8000")
    if _read_version(db) == 0:
        db.execute("BEGIN IMMEDIATE")
        try:
            if _read_version(db) == 0:
                if db.execute("SELECT 1 FROM sqlite_master").fetchone():
                    raise Damaged("was damaged")
                tables.create_all(db)
        except BaseException:
            db.execute("ROLLBACK")
            raise
        db.execute("COMMIT")
    if db.execute("PRAGMA application_id").fetchone()[0] != tables.APPLICATION:
        raise Damaged("was damaged")
    if _read_version(db) != tables.VERSION:
        raise Damaged("is of another release")


def _read_version(db: sqlite3.Connection) -> int:
    return int(db.execute("PRAGMA user_version").fetchone()[0])


def look(path: str) -> tuple[str, int]:
    """(what is wrong with the file, "" for nothing; documents in it), without making or mending anything. No file at
    all is nothing wrong."""
    if not os.path.lexists(path):
        return "", 0
    if not os.path.isfile(path) or os.path.islink(path):
        return "not a regular file", 0
    try:
        db = sqlite3.connect(f"file:{quote(path)}?mode=rw", uri=True, timeout=LOOK_WAIT)
        try:
            if _read_version(db) != tables.VERSION:
                return "of another release", 0
            (told,) = db.execute("PRAGMA quick_check(1)").fetchone()
            (documents,) = db.execute("SELECT count(*) FROM documents").fetchone()
        finally:
            db.close()
    except sqlite3.Error as error:
        return str(error), 0
    return ("" if told == "ok" else str(told)), documents


def tell_damage(error: Exception) -> str:
    """What is to be said of a file that has to be made anew, "" for one that has not."""
    if isinstance(error, Damaged):
        return str(error)
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    damaged = code in _BROKEN or str(error).startswith(_SAID) or isinstance(error, UnicodeDecodeError)
    return "was damaged" if damaged else ""


def explain(error: sqlite3.Error, path: str) -> Exception:
    """What is raised for an error of SQLite's that is no damage."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in _DISK:
        return IoFailed(f"{path}: {error}")
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return MirrorUnavailable(f"{path}: another process has been writing for over {WAIT:.0f} s", "try again")
    return MirrorUnavailable(f"{path}: {error}", "delete the file: it is made anew")
