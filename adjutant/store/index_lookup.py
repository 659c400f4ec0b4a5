"""FILES. What a ranker may look up in the index, within one state of its tables: what holds which words.

Vectors tell what documents mean. They are a cache in the index's own file, kept by document, fingerprint and model; a
rebuild leaves them. What has none yet is ranked by its words alone.
"""

import heapq
import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from adjutant.index_ports import Document, Embedder, Query
from adjutant.store import index_tables as tables
from adjutant.store.index_tables import SQL

Ranges = Sequence[tuple[int, int]]  # of places: first, and first after


_PLACED = "place IN (SELECT value FROM json_each(?))"
_BESIDE = "WHERE file = (SELECT file FROM documents WHERE place >= ? AND place < ? AND documents.id = ?) ORDER BY place"
_MEANT = """JOIN vectors ON vectors.collection = place >> ? AND vectors.id = documents.id
    AND vectors.sha = source_sha WHERE documents.id IN (SELECT value FROM json_each(?)) AND created >= ?
    AND NOT superseded"""


class Stock(NamedTuple):
    """A collection with documents: its number, its name, how many there are, the words in all of them."""

    number: int
    name: str
    documents: int
    words: int


class IndexRow(NamedTuple):
    """What is known of a document without reading its text; `kind` as in index_tables."""

    place: int
    file: int
    words: int
    kind: int
    names: str
    level: int
    trust: int | str
    created: int


class Lookup:
    """The tables of the index, for one question. `embedder`: where documents have vectors."""

    def __init__(self, db: sqlite3.Connection, embedder: Embedder | None = None) -> None:
        self._db, self._embedder = db, embedder
        rows = db.execute("SELECT number, name, documents, words FROM collections JOIN totals ON number = collection")
        self.stock = [Stock(*row) for row in rows if row[2]]
        self._names = {each.number: each.name for each in self.stock}

    def places(self, match: str, ranges: Ranges, most: int, *, newest: bool = False) -> set[int]:
        """The documents of these ranges that an FTS5 expression matches, at most `most` of a range; none for words that
        its tokenizer, which knows an older Unicode, splits otherwise."""
        statement, found = SQL["newest" if newest else "places"], set[int]()
        try:
            for each in ranges:
                found.update(json.loads(self._db.execute(statement, (match, *each, most)).fetchone()[0]))
        except sqlite3.OperationalError as error:
            if "phrase queries" not in str(error):
                raise
        return found

    def count(self, match: str, ranges: Ranges, most: int) -> int:
        """How many there are; counting stops at `most` of a range."""
        return sum(self._db.execute(SQL["counted"], (match, *each, most)).fetchone()[0] for each in ranges)

    def find_in_file(self, path: str) -> set[int]:
        return {place for (place,) in self._db.execute(SQL["in_file"], tables.split(path))}

    def places_of(self, held: Mapping[str, Iterable[str]]) -> set[int]:
        """Where the documents with these ids are, {collection: ids}; ids that are not known are nowhere."""
        every = ((tables.rooms(each.number), held.get(each.name, ())) for each in self.stock)
        rows = (self._db.execute(SQL["named"], (*room, json.dumps([*ids]))) for room, ids in every if ids)
        return {place for found in rows for (place,) in found}

    def rows(self, places: Iterable[int], since: str, level: int) -> list[IndexRow]:
        """Those of `places` that are no older than `since` and no summaries above `level`, superseded ones left out."""
        return [IndexRow(*row) for row in self._db.execute(SQL["rows"], (json.dumps([*places]), _moment(since), level))]

    def texts(self, places: Iterable[int]) -> dict[int, str]:
        return dict(self._db.execute(f"SELECT place, text FROM documents WHERE {_PLACED}", (json.dumps([*places]),)))

    def documents(self, places: Iterable[int]) -> dict[int, Document]:
        rows = self._db.execute(f"{SQL['whole']} WHERE {_PLACED}", (json.dumps([*places]),))
        return {place: self._document(place, *row) for place, *row in rows}

    def beside(self, document: Document) -> list[Document]:
        number = next((each.number for each in self.stock if each.name == document.collection), -1)
        rows = self._db.execute(f"{SQL['whole']} {_BESIDE}", (*tables.rooms(number), document.id))
        return [self._document(place, *row) for place, *row in rows]

    def tags(self, wanted: Iterable[str]) -> set[str]:
        """Which of these words stand among the tags of a document."""
        words = list(wanted)
        rows = self._db.execute(SQL["tags"], (" OR ".join(words),)) if words else ()
        return {tag for (tags,) in rows for tag in tags.split("\n")}.intersection(words)

    def likeness(self, query: Query) -> dict[tuple[str, str], float]:
        """{(collection, id): how much it means what the query says} of every document that has a vector."""
        wanted = [each.number for each in self.stock if each.name in query.collections]
        found = self._db.execute(SQL["vectors"], (json.dumps(wanted),)).fetchall() if self._embedder else []
        if self._embedder is None or not found or query.limit <= 0 or not query.text.strip():
            return {}
        (vector,) = self._embedder.embed([query.text])
        likeness = self._embedder.likeness(vector, [each for _, _, each in found])
        return {(self._names[number], id): like for (number, id, _), like in zip(found, likeness, strict=True)}

    def meaning(
        self, query: Query, likeness: dict[tuple[str, str], float], least: float, most: int
    ) -> dict[int, Document]:
        """{place: document} of those whose likeness is at least `least`, the first `most` of them by it, of those that
        the query's concepts, tag and day let through."""
        alike = {key for key in heapq.nlargest(most, likeness, key=likeness.__getitem__) if likeness[key] >= least}
        ids, narrowed = json.dumps([id for _, id in alike]), set(query.concepts)
        rows = (
            self._db.execute(f"{SQL['whole']} {_MEANT}", (tables.COLLECTION, ids, _moment(query.since)))
            if alike
            else ()
        )
        found = {place: self._document(place, *row) for place, *row in rows}
        found = {place: each for place, each in found.items() if (each.collection, each.id) in alike}
        found = {place: each for place, each in found.items() if not query.tag or query.tag in each.tags}
        return {place: each for place, each in found.items() if not narrowed or not narrowed.isdisjoint(each.concepts)}

    def _document(self, place: int, path: str, created: int, words: int, *values: object) -> Document:
        return tables.document(self._names[place >> tables.COLLECTION], path, created, values)


def _moment(since: str) -> int:
    return tables.seconds(since) if since else -(1 << 40)


MODEL = "vectors of"  # kept in the index: the name of the model


class Unread(NamedTuple):
    """A document that has no vector: the number of its collection, its fingerprint as it is kept, what it says."""

    collection: int
    id: str
    sha: bytes | str
    text: str


def prepare_vectors(db: sqlite3.Connection, model: str) -> None:
    """Makes the table where there is none; vectors of another model are of no use."""
    db.execute(SQL["vectored"])
    if db.execute("SELECT 1 FROM kept WHERE key = ? AND value = ?", (MODEL, model)).fetchone():
        return
    with tables.transaction(db):
        db.execute("DELETE FROM vectors")
        db.execute(SQL["keep"], (MODEL, model))


def list_unread(db: sqlite3.Connection, most: int) -> list[Unread]:
    """Documents without a vector, at most `most`, those taken in last first."""
    unread = f"SELECT place, documents.id, source_sha, title, text {SQL['vectorless']} ORDER BY place DESC LIMIT ?"
    rows = db.execute(unread, (tables.COLLECTION, most)).fetchall()
    return [Unread(place >> tables.COLLECTION, id, sha, _join(place, *said)) for place, id, sha, *said in rows]


def count_unread(db: sqlite3.Connection) -> int:
    """How many documents have no vector yet."""
    return int(db.execute(f"SELECT count(*) {SQL['vectorless']}", (tables.COLLECTION,)).fetchone()[0])


def put_vectors(db: sqlite3.Connection, documents: Sequence[Unread], vectors: Sequence[bytes]) -> None:
    """Keeps what the model made of these documents."""
    rows = [(*each[:3], vector) for each, vector in zip(documents, vectors, strict=True)]
    db.executemany("INSERT OR REPLACE INTO vectors VALUES(?, ?, ?, ?)", rows)


def drop_gone(db: sqlite3.Connection) -> None:
    """Takes away the vectors of documents that are no more."""
    db.execute(SQL["forgotten"], (tables.COLLECTION,))


def _join(place: int, title: str, text: str) -> str:
    """What a vector is made of: title and text; of a message who speaks, without where."""
    name = title.partition(" in ")[0] if place & tables.GROUPED else title
    return f"{name}: {text}" if name else text
