"""DOMAIN. One change of a fact from its record to its end: the record first, then every copy, then the note itself.

memory/.archive/changes/<id>.jsonl: what is taken back or put right, a line for each file with what stood there, and
that it is done. A run that was cut is ended by the next; to do it again changes nothing. The caller holds the lock.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from functools import partial
from typing import NamedTuple

from adjutant.domain.forgetting.copies import PACKED, Copies, StatedFact, pack, statements, unpack
from adjutant.domain.memory import notes
from adjutant.domain.memory.shelf import Shelf, ShelfPlace
from adjutant.errors import FileDamaged, IoFailed, MemoryUnknown
from adjutant.records import note as note_file
from adjutant.records import rotation
from adjutant.records.note import CORRECT, FORGET, Note, new_id
from adjutant.store import jsonl
from adjutant.store.files import Files, sha256

SUFFIX = ".jsonl"


class Act(NamedTuple):
    """What is done: `verb` forget or correct; `note` its id; `put` the new text, "" for none; `path` of its record."""

    id: str
    verb: str
    note: str
    statements: tuple[str, ...]
    put: str
    path: str


class FactChange(NamedTuple):
    """What came of an act: the note's place (None where it was gone already), those that are live again, and how much
    was taken out of which file; `left`: the operator's own pages that say it still."""

    act: Act
    place: ShelfPlace | None
    others: list[str]
    changed: dict[str, int]
    left: list[str]


class Acts:
    """Takes back and puts right, under the lock on the notes."""

    def __init__(self, shelf: Shelf, copies: Copies, now: datetime) -> None:
        self._shelf, self._files, self._copies, self._now = shelf, shelf.files, copies, now

    def change(self, note: Note, put: str = "") -> FactChange:
        """Takes back a note and every copy of what it says, or with `put` has all of them say that from now on. Raises
        MemoryUnknown, FileChanged, FileDamaged, IoFailed."""
        tree, verb = self._files.tree, CORRECT if put else FORGET
        names = [name.removesuffix(SUFFIX) for name in self._files.names(tree.changes)]
        id = new_id(self._now, names)
        act = Act(id, verb, note.id, statements(note.body), put, tree.change(id))
        record = {"verb": verb, "note": note.id, "statements": list(act.statements), "put": put, "before": note.body}
        self._files.append(act.path, {"ts": self._now.isoformat(), "event": "begun", **record})
        return self._carry_out(act)

    def complete(self) -> list[FactChange]:
        """Ends what earlier runs have begun. Raises as `change`."""
        return [self._carry_out(act) for act in list_unfinished(self._files)]

    def restore(self, note: str) -> list[str]:
        """Puts what a forgotten note's copies said back into the logs it was taken from; the paths of these."""
        found = [act for act, ended in _acts(self._files) if ended and act.verb == FORGET and act.note == note]
        return self._put_back(found[-1]) if found else []

    # -- the steps -------------------------------------------------------------------------------------------

    def _carry_out(self, act: Act) -> FactChange:
        fact, mark = StatedFact(act.statements, act.put), note_file.mark(act.verb, act.id)
        changed = {}
        rotation.settle(self._files)
        for path in self._copies.paths():
            if gone := self._change(act, fact, mark, path):
                changed[self._files.tree.relative(path)] = gone
        place, others = self._change_note(act)
        left = [
            self._files.tree.relative(path)
            for path in self._copies.own_pages()
            if fact.says(self._read(path).decode("utf-8", "replace"))
        ]
        self._files.append(act.path, {"ts": self._now.isoformat(), "event": "done"})
        return FactChange(act, place, others, changed, left)

    def _change(self, act: Act, fact: StatedFact, mark: str, path: str) -> int:
        """How much was taken out of a file; what stood there is on record before it goes."""
        files, shown = self._files, self._files.tree.relative(path)
        try:
            data = files.read(path)
            after, gone = self._copies.strip(fact, mark, path, unpack(path, data))
        except (FileNotFoundError, FileDamaged, IoFailed):
            return 0  # what cannot be read is named by the verbs that need it

        def record(texts: list[str]) -> None:
            files.append(act.path, {"event": "taken", "path": shown, "texts": texts})

        def change(now: bytes) -> bytes:
            there, texts = self._copies.strip(fact, mark, path, unpack(path, now))
            record(texts)
            return pack(path, there) if texts else now

        if gone and not files.dry:
            if files.tree.may_be_link(path):
                record(gone)
                files.replace(path, after, sha256(data))
            else:
                files.rewrite(path, change)
        return len(gone)

    def _change_note(self, act: Act) -> tuple[ShelfPlace | None, list[str]]:
        try:
            if act.verb == CORRECT:
                notes.reword(self._shelf, act.note, act.put)
                return self._shelf.place(act.note), []
            moved = notes.move_away(self._shelf, act.note)
            return moved.places[0], moved.others
        except MemoryUnknown:
            return None, notes.settle(self._shelf)  # a run that was cut came as far as this

    def _read(self, path: str) -> bytes:
        """What a file holds, unpacked; b"" for one that cannot be read."""
        try:
            return unpack(path, self._files.read(path))
        except (FileNotFoundError, FileDamaged, IoFailed):
            return b""

    def _put_back(self, act: Act) -> list[str]:
        mark, changed = note_file.mark(act.verb, act.id), list[str]()
        records = jsonl.read(self._files, act.path)
        said = {str(each["path"]): each["texts"] for each in records if each.get("event") == "taken"}
        for shown, texts in said.items():
            path = self._files.tree.inside(shown)
            if self._read(path).count(mark.encode()) == len(texts) and not self._files.dry:
                self._files.rewrite(path, partial(_fill, path=path, mark=mark, texts=texts))
                changed.append(shown)
        return changed


def list_unfinished(files: Files) -> list[Act]:
    """The acts that were cut. Raises FileDamaged, IoFailed."""
    return [act for act, ended in _acts(files) if not ended]


def _acts(files: Files) -> Iterator[tuple[Act, bool]]:
    """Every act, oldest first, and whether it ended."""
    tree = files.tree
    for name in files.names(tree.changes):
        path, id = tree.change(name.removesuffix(SUFFIX)), name.removesuffix(SUFFIX)
        records = jsonl.read(files, path) if name.endswith(SUFFIX) else []
        begun = next((each for each in records if each.get("event") == "begun"), None)
        if begun is not None and begun.get("verb") in note_file.WORDS:
            said = tuple(map(str, begun.get("statements") or ()))
            act = Act(id, str(begun["verb"]), str(begun.get("note")), said, str(begun.get("put") or ""), path)
            yield act, any(each.get("event") == "done" for each in records)


def _fill(data: bytes, path: str, mark: str, texts: list[str]) -> bytes:
    """Puts what stood there in the place of each mark, in JSON as it is escaped there."""
    escaped = path.endswith((".json", SUFFIX, PACKED))
    told = [json.dumps(text, ensure_ascii=False)[1:-1] if escaped else text for text in texts]
    first, *rest = unpack(path, data).split(mark.encode())
    return pack(path, first + b"".join(text.encode() + after for text, after in zip(told, rest, strict=True)))
