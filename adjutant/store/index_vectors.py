"""FILES. The index that also knows what its documents mean: a vector each, and their likeness to the question.

Vectors are a cache in the index's file, kept by document, fingerprint and model; a rebuild leaves them. What has none
yet is ranked by its words alone.
"""

from __future__ import annotations

import heapq
import json
from typing import NamedTuple

from adjutant.ports import Hit
from adjutant.store import index_rank as rank
from adjutant.store import index_tables as tables
from adjutant.store.index import Index
from adjutant.store.index_lines import Sought
from adjutant.store.index_query import MOST_READ, WORD, Called, asked, root
from adjutant.store.index_rules import NOTES, Candidate, ordered
from adjutant.store.index_words import superseding

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Sequence
    from contextlib import AbstractContextManager
    from typing import Any

    from adjutant.ports import Document, Embedder, Query
    from adjutant.store.index_tables import Seen

# Shares of the words' score and of the likeness, each against the best in the answer: found on three long
# conversations. Together they gain; one loses .002 of its MRR, one .004 of its recall at 10. From .65 to .8 the
# difference is small.
WORDS, MEANING = 0.75, 0.25
WIDER = 30  # hits by words beyond the limit that likeness may lift into it
CLOSE = 100  # documents looked at for their likeness alone
NARROWED = 20  # times as many where concepts or a day leave most of them out
LIKE = 0.35  # by likeness alone nothing is found below this: most pairs of unrelated texts stay under .2
ANSWERS = 1  # the bit of a candidate that answers in either way; those above it are the question's terms
MODEL = "vectors of"  # kept in the index: the name of the model

_VECTORS = "SELECT collection, id, vector FROM vectors WHERE collection IN (SELECT value FROM json_each(?))"
_MISSING = """FROM documents LEFT JOIN vectors ON vectors.collection = place >> ? AND vectors.id = documents.id
    WHERE vectors.sha IS NOT source_sha AND NOT superseded"""
_UNREAD = f"SELECT place, documents.id, source_sha, title, text {_MISSING} ORDER BY place DESC LIMIT ?"
_GONE = """DELETE FROM vectors WHERE NOT EXISTS
    (SELECT 1 FROM documents WHERE documents.id = vectors.id AND place >> ? = collection)"""
_WHOLE = f"""SELECT place, path, created, {", ".join(f"documents.{name}" for name in tables.FIELDS)}
    FROM documents JOIN files ON files.id = file JOIN vectors ON vectors.collection = place >> ?
    AND vectors.id = documents.id AND vectors.sha = source_sha
    WHERE documents.id IN (SELECT value FROM json_each(?)) AND created >= ? AND NOT superseded"""

_TAGS = "SELECT tags FROM documents WHERE place IN (SELECT rowid FROM found WHERE found MATCH 'extra : (' || ? || ')')"


class Unread(NamedTuple):
    """A document that has no vector: the number of its collection, its fingerprint as it is kept, what it says."""

    collection: int
    id: str
    sha: bytes | str
    text: str


class VectorIndex(Index):
    """An Index that mixes likeness into the order of hits. `changed`: documents were put since it was opened."""

    def __init__(
        self,
        path: str,
        warn: Callable[[str], None],
        lock: Callable[[], AbstractContextManager[None]],
        embedder: Embedder,
    ) -> None:
        super().__init__(path, warn, lock)
        self.embedder = embedder
        self.changed = False

    # -- vectors ---------------------------------------------------------------------------------------------

    def unread(self, most: int) -> list[Unread]:
        """Documents without a vector, at most `most`, those taken in last first."""
        rows = self._do(lambda db: db.execute(_UNREAD, (rank.COLLECTION, most)).fetchall())
        return [
            Unread(place >> rank.COLLECTION, id, sha, _said(place, title, text)) for place, id, sha, title, text in rows
        ]

    def left(self) -> int:
        """How many documents have no vector yet."""
        return int(self._do(lambda db: db.execute(f"SELECT count(*) {_MISSING}", (rank.COLLECTION,)).fetchone())[0])

    def put_vectors(self, documents: Sequence[Unread], vectors: Sequence[bytes]) -> None:
        """Keeps what the model made of these documents."""
        rows = [(*each[:3], vector) for each, vector in zip(documents, vectors, strict=True)]
        self._in_transaction(lambda db: db.executemany("INSERT OR REPLACE INTO vectors VALUES(?, ?, ?, ?)", rows))

    def forget_gone(self) -> None:
        """Takes away the vectors of documents that are no more."""
        self._in_transaction(lambda db: db.execute(_GONE, (rank.COLLECTION,)))

    # -- what an index does ----------------------------------------------------------------------------------

    def put_file(
        self, collection: str, path: str, seen: Seen, documents: Iterable[Document], more: bool = False
    ) -> tuple[int, int]:
        """As Index does."""
        written, deleted = super().put_file(collection, path, seen, documents, more)
        self.changed = self.changed or written > 0
        return written, deleted

    def search(self, query: Query) -> list[Hit]:
        """As Index does, with likeness."""
        return self.fused(query, super().search)

    def fused(self, query: Query, search: Callable[[Query], list[Hit]]) -> list[Hit]:
        """What `search` finds by words, any index's, and what means much the same, in one order."""
        likeness = self._likeness(query) if query.limit > 0 and query.text.strip() else {}
        if not likeness:
            return search(query)
        hits = search(query._replace(limit=query.limit + WIDER))
        return _mixed(query, hits, likeness, self._close(query, likeness))

    def _likeness(self, query: Query) -> dict[tuple[str, str], float]:
        """{(collection, id): likeness} of every document that has a vector."""

        def rows(db: sqlite3.Connection) -> tuple[dict[int, str], list[tuple[int, str, bytes]]]:
            names = {
                number: name
                for number, name in db.execute("SELECT number, name FROM collections")
                if name in query.collections
            }
            return names, db.execute(_VECTORS, (json.dumps(list(names)),)).fetchall()

        names, found = self._do(rows)
        if not found:
            return {}
        (wanted,) = self.embedder.embed([query.text])
        likeness = self.embedder.likeness(wanted, [vector for _, _, vector in found])
        return {(names[number], id): value for (number, id, _), value in zip(found, likeness, strict=True)}

    def _close(self, query: Query, likeness: dict[tuple[str, str], float]) -> list[Document]:
        """Those that mean what the question does."""
        most = CLOSE * (NARROWED if query.concepts or query.since else 1)
        alike = [key for key in heapq.nlargest(most, likeness, key=likeness.__getitem__) if likeness[key] >= LIKE]
        since = tables.seconds(query.since) if query.since else -(1 << 40)

        def rows(db: sqlite3.Connection) -> list[Document]:
            names = dict(db.execute("SELECT number, name FROM collections").fetchall())
            found = db.execute(_WHOLE, (rank.COLLECTION, json.dumps([id for _, id in alike]), since))
            documents = [
                tables.document(names[place >> rank.COLLECTION], path, created, values)
                for place, path, created, *values in found
            ]
            older = {superseding(each.id) for each in documents if each.collection == NOTES}
            newer = db.execute(_TAGS, (" OR ".join(older),)).fetchall() if older else []
            said = {tag for (tags,) in newer for tag in tags.split("\n")}
            return [each for each in documents if each.collection != NOTES or superseding(each.id) not in said]

        wanted, narrowed = set(alike), set(query.concepts)
        return [
            each
            for each in (self._do(rows) if alike else [])
            if _key(each) in wanted and (not narrowed or not narrowed.isdisjoint(each.concepts))
        ]

    # -- the file --------------------------------------------------------------------------------------------

    def _open(self) -> sqlite3.Connection:
        if self._db is not None:
            return self._db
        db = super()._open()
        try:
            _prepare(db, self.embedder.name)
        except BaseException:
            self.close()
            raise
        return db

    def _in_transaction(self, work: Callable[[sqlite3.Connection], object]) -> None:
        def within(db: sqlite3.Connection) -> None:
            with self._transaction():
                work(db)

        self._do(within)


def _prepare(db: sqlite3.Connection, model: str) -> None:
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


def _said(place: int, title: str, text: str) -> str:
    """What a vector is made of: title and text; of a message who speaks, without where."""
    name = title.partition(" in ")[0] if place & rank.GROUPED else title
    return f"{name}: {text}" if name else text


def _mixed(
    query: Query,
    hits: list[Hit],
    likeness: dict[tuple[str, str], float],
    close: list[Document],
) -> list[Hit]:
    """The best `query.limit` by words and likeness; the rules about whose word stands above whose hold as before."""
    bits: dict[str, int] = {}
    sought = [Sought(root(term.word), 1.0) for term in asked(query.text).terms]
    found: dict[tuple[str, str], tuple[Candidate, dict[str, Any]]] = {}
    for hit in hits:
        mask = sum(bits.setdefault(term, 2 * ANSWERS << len(bits)) for term in hit.why["terms"])
        found[_key(hit.document)] = _candidate(hit.document, mask, hit.score, len(found), sought), hit.why
    for document in close:
        if _key(document) not in found:
            found[_key(document)] = _candidate(document, 0, 0.0, len(found), sought), _unworded(document)
    called = Called(frozenset(WORD.findall(query.text[:MOST_READ].lower())))
    alike = {key: likeness.get(key, 0.0) * _factor(each.document, called) for key, (each, _) in found.items()}
    top, best = max((hit.score for hit in hits), default=0.0) or 1.0, max(LIKE, *alike.values(), 0.0)
    for key, (each, _) in found.items():
        each.score = WORDS * each.score / top + MEANING * max(alike[key], 0.0) / best
        if (like := likeness.get(key, 0.0)) >= LIKE:
            each.rules.append(f"means much the same ({like:.2f})")
    mixed = ordered([each for each, _ in found.values()], query.limit)
    return [Hit(each.document, each.score, _why(found[_key(each.document)][1], each.rules)) for each in mixed]


def _candidate(document: Document, mask: int, score: float, place: int, sought: list[Sought]) -> Candidate:
    made = Candidate(-place, document, mask | ANSWERS, score, tables.measured(document)[0])
    made.sought = sought
    return made


def _unworded(document: Document) -> dict[str, Any]:
    return {"terms": [], "near": [], "fields": [], "concept": None, "prior": _prior(document), "rules": []}


def _why(why: dict[str, Any], rules: list[str]) -> dict[str, Any]:
    return {**why, "rules": list(dict.fromkeys([*why["rules"], *rules]))}


def _factor(document: Document, called: Called) -> float:
    """What multiplies the score of words, too: what kind of document it is, and whose."""
    found = _prior(document) * rank.LEVELS[min(document.level, 3)]
    if document.trust == "untrusted" and not document.group:
        found *= rank.UNTRUSTED
    return found * rank.NAMED if document.group and called.by(document.names) else found


def _prior(document: Document) -> float:
    return rank.PRIORS.get(document.collection, 1.0)


def _key(document: Document) -> tuple[str, str]:
    return document.collection, document.id
