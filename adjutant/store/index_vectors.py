"""FILES. What documents of the index mean: a vector each, in a table of the index's own file.

Vectors are a cache, kept by document, fingerprint and model; a rebuild leaves them. What has none yet is ranked by its
words alone.
"""

from __future__ import annotations

from typing import NamedTuple

from adjutant.store import index_tables as tables

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

MODEL = "vectors of"  # kept in the index: the name of the model

_MISSING = """FROM documents LEFT JOIN vectors ON vectors.collection = place >> ? AND vectors.id = documents.id
    WHERE vectors.sha IS NOT source_sha AND NOT superseded"""
_UNREAD = f"SELECT place, documents.id, source_sha, title, text {_MISSING} ORDER BY place DESC LIMIT ?"
_GONE = """DELETE FROM vectors WHERE NOT EXISTS
    (SELECT 1 FROM documents WHERE documents.id = vectors.id AND place >> ? = collection)"""


class Unread(NamedTuple):
    """A document that has no vector: the number of its collection, its fingerprint as it is kept, what it says."""

    collection: int
    id: str
    sha: bytes | str
    text: str


def prepare(db: sqlite3.Connection, model: str) -> None:
    """Makes the table where there is none; vectors of another model are of no use."""
    db.execute("""CREATE TABLE IF NOT EXISTS vectors(collection INTEGER, id TEXT, sha BLOB, vector BLOB,
        PRIMARY KEY(collection, id)) WITHOUT ROWID""")
    if db.execute("SELECT 1 FROM kept WHERE key = ? AND value = ?", (MODEL, model)).fetchone():
        return
    db.execute("BEGIN IMMEDIATE")
    try:
        db.execute("DELETE FROM vectors")
        db.execute("INSERT OR REPLACE INTO kept(key, value) VALUES(?, ?)", (MODEL, model))
    except BaseException:
        db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")


def list_unread(db: sqlite3.Connection, most: int) -> list[Unread]:
    """Documents without a vector, at most `most`, those taken in last first."""
    rows = db.execute(_UNREAD, (tables.COLLECTION, most)).fetchall()
    return [Unread(place >> tables.COLLECTION, id, sha, _join(place, *said)) for place, id, sha, *said in rows]


def count_unread(db: sqlite3.Connection) -> int:
    """How many documents have no vector yet."""
    return int(db.execute(f"SELECT count(*) {_MISSING}", (tables.COLLECTION,)).fetchone()[0])


def put(db: sqlite3.Connection, documents: Sequence[Unread], vectors: Sequence[bytes]) -> None:
    """Keeps what the model made of these documents."""
    rows = [(*each[:3], vector) for each, vector in zip(documents, vectors, strict=True)]
    db.executemany("INSERT OR REPLACE INTO vectors VALUES(?, ?, ?, ?)", rows)


def drop_gone(db: sqlite3.Connection) -> None:
    """Takes away the vectors of documents that are no more."""
    db.execute(_GONE, (tables.COLLECTION,))


def _join(place: int, title: str, text: str) -> str:
    """What a vector is made of: title and text; of a message who speaks, without where."""
    name = title.partition(" in ")[0] if place & tables.GROUPED else title
    return f"{name}: {text}" if name else text
