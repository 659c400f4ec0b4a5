"""FILES. Documents into the tables and out of them: each gets a place, those of a sitting beside each other."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple

from adjutant.index_ports import Document
from adjutant.store import index_tables as tables
from adjutant.store.index_tables import GROUPED, SEATS, SQL, FileStamp

Nears = Sequence[tuple[Document, int]]  # each with how many neighbours its context repeats
End = tuple[int, int] | None  # (place, created) of the last message of a file
PAUSE = 4 * 3600  # seconds of silence that end a sitting
FORMS = (2, 1, -1, -2)  # contexts: the texts of so many neighbours a side, or (less than 0) their titles and texts
_ADD = f"INSERT INTO documents({', '.join(tables.COLUMNS)}) VALUES({', '.join('?' * len(tables.COLUMNS))})"
_POSTED = ", ".join("?" * (len(tables.FOUND) + 1))
_POST = f"INSERT INTO found(rowid, {', '.join(tables.FOUND)}) VALUES({_POSTED})"
_UNPOST = f"INSERT INTO found(found, rowid, {', '.join(tables.FOUND)}) VALUES('delete', {_POSTED})"


class Writer:
    """Writes into the tables; the caller holds the transaction. Raises sqlite3.DatabaseError."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._numbers: dict[str, int] = dict(db.execute("SELECT name, number FROM collections").fetchall())
        self._last: dict[int, int] = {}

    def number(self, collection: str) -> int:
        if collection not in self._numbers:
            number = max(self._numbers.values(), default=-1) + 1
            self._db.execute("INSERT INTO collections(number, name) VALUES(?, ?)", (number, collection))
            self._numbers[collection] = number
        return self._numbers[collection]

    def file(self, collection: str, path: str, seen: FileStamp) -> tuple[int, bool]:
        """(id, whether it is new) of a file, remembered as it was seen."""
        number, (folder, name) = self.number(collection), tables.split(path)
        found = self._db.execute(SQL["find_file"], (number, folder, name)).fetchone()
        if found is None:
            row = (self._folder(number, folder), name, *seen.row())
            return self._db.execute(SQL["add_file"], row).lastrowid or 0, True
        self._db.execute("UPDATE seen SET size = ?, mtime_ns = ?, sha = ? WHERE id = ?", (*seen.row(), found[0]))
        return int(found[0]), False

    def _folder(self, number: int, path: str) -> int:
        for (id,) in self._db.execute("SELECT id FROM folders WHERE collection = ? AND path = ?", (number, path)):
            return int(id)
        return self._db.execute("INSERT INTO folders(collection, path) VALUES(?, ?)", (number, path)).lastrowid or 0

    def put_file(
        self, collection: str, path: str, seen: FileStamp, documents: Sequence[Document], more: bool = False
    ) -> tuple[int, int]:
        """(written, deleted): the documents of a file, those that are as they were left alone. `more`: it has others
        besides. Of a conversation these are the last messages, and the neighbours of the first may lack: its
        fingerprint alone tells."""
        file, new = self.file(collection, path, seen)
        wanted = {each.id: tables.clean(each) for each in documents}
        there = self._read_named(collection, list(wanted)) if more else self.read_held(collection, "file = ?", (file,))
        held = {} if new else {each.document.id: each for each in there}
        nears = dict(zip(wanted, _nears(list(wanted.values())), strict=True))
        gone = [each for id, each in held.items() if id not in wanted]
        same = {id for id, near in nears.items() if id in held and held[id].is_now(wanted[id], near, more)}
        if not _in_order(wanted, held):
            same, gone, held = set(), list(held.values()), {}
        fresh = [(wanted[id], near) for id, near in nears.items() if id not in same]
        self._remove([*gone, *(held[each.id] for each, _ in fresh if each.id in held)], collection)
        # An id is one document: where another file had it before, this one has it now.
        self._remove(self._read_named(collection, [each.id for each, _ in fresh if each.id not in held]), collection)
        kept = {id: each.place for id, each in held.items() if id in wanted}
        self._insert(collection, file, fresh, kept, _end_of(held[id] for id in kept))
        return len(fresh), sum(each.document.id not in wanted for each in gone)

    def fill(self, files: Iterable[tuple[str, str, FileStamp, Iterable[Document]]]) -> int:
        """Files and their documents into empty tables; how many documents. Of two with one id the first counts."""
        given, parent = set[tuple[int, str]](), cache(self._folder)
        for collection, path, seen, documents in files:
            number, (folder, name) = self.number(collection), tables.split(path)
            fresh = {(number, each.id): tables.clean(each) for each in documents if (number, each.id) not in given}
            given.update(fresh)
            file = self._db.execute(SQL["add_file"], (parent(number, folder), name, *seen.row())).lastrowid or 0
            wanted = list(fresh.values())
            self._insert(collection, file, list(zip(wanted, _nears(wanted), strict=True)), {}, None)
        return len(given)

    def drop_file(self, collection: str, path: str) -> int:
        file, _ = self.file(collection, path, FileStamp(0, 0, ""))
        held = self.read_held(collection, "file = ?", (file,))
        self._remove(held, collection)
        (folder,) = self._db.execute("SELECT folder FROM seen WHERE id = ?", (file,)).fetchone()
        self._db.execute("DELETE FROM seen WHERE id = ?", (file,))
        last = "DELETE FROM folders WHERE id = ? AND NOT EXISTS (SELECT 1 FROM seen WHERE folder = folders.id)"
        self._db.execute(last, (folder,))
        return len(held)

    def read_held(self, collection: str, where: str, values: Sequence[object]) -> list[StoredDocument]:
        """What is there, in the order of places."""
        rows = self._db.execute(f"{SQL['whole']} WHERE {where} ORDER BY place", values)
        return [
            StoredDocument(place, created, words, tables.document(collection, path, created, fields), fields[-1])
            for place, path, created, words, *fields in rows
        ]

    def _read_named(self, collection: str, ids: Sequence[str]) -> list[StoredDocument]:
        where = "documents.id IN (SELECT value FROM json_each(?)) AND place >= ? AND place < ?"
        return self.read_held(collection, where, (json.dumps(ids), *tables.rooms(self.number(collection))))

    def _place(self, number: int, document: Document, created: int, end: End, kept: Iterable[int]) -> int:
        """A new place: the next free one; for a message the seat after the last, in a new sitting after a pause.
        `kept`: places that are free only until their documents are written again."""
        first, after = tables.room(number, document)
        last = self._last.get(first)
        if last is None:
            taken = "SELECT max(place) FROM documents WHERE place >= ? AND place < ?"
            (highest,) = self._db.execute(taken, (first, after)).fetchone()
            last = max([first - 1 if highest is None else int(highest), *(each for each in kept if each < after)])
        place = last + 1
        if document.group:
            place, seat = ((last >> SEATS) + 1) << SEATS, first
            if end is not None and first <= end[0] < after:
                paused = end[1] and created and abs(created - end[1]) > PAUSE
                seat = first if paused else end[0] + 1
            if seat > last or seat % (1 << SEATS):
                place = seat
        self._last[first] = max(last, place)
        return place

    def _insert(self, collection: str, file: int, documents: Nears, kept: dict[str, int], end: End) -> None:
        number, made, rows = self.number(collection), list[StoredDocument](), list[tuple[object, ...]]()
        for each, near in documents:
            created, words, kind = tables.measure(each)
            place = kept.get(each.id, -1)
            if place < 0 or place not in range(*tables.room(number, each)):
                place = self._place(number, each, created, end, kept.values())
                end = (place, created) if each.group else end
            rows.append((place, file, *tables.row(each, near, created), created, words, kind))
            made.append(StoredDocument(place, created, words, each, near))
        self._db.executemany(_ADD, rows)
        self._post(_POST, made, number, 1)

    def _remove(self, held: Sequence[StoredDocument], collection: str) -> None:
        self._db.executemany("DELETE FROM documents WHERE place = ?", [(each.place,) for each in held])
        self._post(_UNPOST, held, self.number(collection), -1)

    def _post(self, statement: str, several: Sequence[StoredDocument], number: int, sign: int) -> None:
        """Into the words that are searched, or out of them; and into the totals."""
        shown = [each for each in several if not each.document.superseded]
        self._db.executemany(statement, [(each.place, *tables.list_searched(each.document)) for each in shown])
        words = sum(each.words for each in several)
        self._db.execute(SQL["tally"], (number, sign * len(several), sign * words))


class StoredDocument(NamedTuple):
    """A document as it stands in the tables; `near`: its context is that of so many neighbours, 0: it is in the row."""

    place: int
    created: int
    words: int
    document: Document
    near: int

    def is_now(self, document: Document, near: int, more: bool = False) -> bool:
        """Nothing of it has changed. `more`: not all of its neighbours were there to find out how `near` it is."""
        near = near or (self.near if more else 0)
        return near == self.near and self.document == (document._replace(context="") if near else document)


def whole(held: Sequence[StoredDocument]) -> list[Document]:
    """The documents of one file in their order, with the contexts that their neighbours make."""
    documents = [each.document for each in held]
    contexts = (_around(documents, at, each.near) if each.near else "" for at, each in enumerate(held))
    return [each._replace(context=near) if near else each for each, near in zip(documents, contexts, strict=True)]


def _in_order(wanted: dict[str, Document], held: dict[str, StoredDocument]) -> bool:
    """Whether the seats of a file's messages are still right: nothing new but at the end, nobody changed groups."""
    kept = [id for id in wanted if id in held]
    places = [held[id].place for id in kept]
    stay = kept == list(wanted)[: len(kept)] and places == sorted(places)
    grouped = any(each.group for each in wanted.values())
    return not grouped or (stay and all(wanted[id].group == held[id].document.group for id in kept))


def _end_of(held: Iterable[StoredDocument]) -> End:
    return max(((each.place, each.created) for each in held if each.place & GROUPED), default=None)


def _nears(documents: Sequence[Document]) -> list[int]:
    """For each document of a file how many neighbours on each side its context repeats; 0 when it is something else."""
    found = [0] * len(documents)
    for at, each in enumerate(documents):
        if each.context and each.group:
            found[at] = next((near for near in FORMS if each.context == _around(documents, at, near)), 0)
    return found


def _around(documents: Sequence[Document], at: int, near: int) -> str:
    many = abs(near)
    others = (*documents[max(at - many, 0) : at], *documents[at + 1 : at + 1 + many])
    return "\n".join(each.text if near > 0 else f"{each.title}\n{each.text}" for each in others)
