"""FILES. What lies at state/index.sqlite, looked at without making or mending anything."""

from __future__ import annotations

import os
import sqlite3
from urllib.parse import quote

from adjutant.store import index_tables as tables

WAIT = 2.0


def look(path: str) -> tuple[str, int]:
    """(what is wrong with the file, "" for nothing; documents in it). No file at all is nothing wrong."""
    if not os.path.lexists(path):
        return "", 0
    if not os.path.isfile(path) or os.path.islink(path):
        return "not a regular file", 0
    try:
        db = sqlite3.connect(f"file:{quote(path)}?mode=rw", uri=True, timeout=WAIT)
        try:
            (version,) = db.execute("PRAGMA user_version").fetchone()
            if other := tables.release(version):
                return other, 0
            (told,) = db.execute("PRAGMA quick_check(1)").fetchone()
            (documents,) = db.execute("SELECT count(*) FROM documents").fetchone()
        finally:
            db.close()
    except sqlite3.Error as error:
        return str(error), 0
    return ("" if told == "ok" else str(told)), documents
