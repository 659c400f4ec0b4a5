"""DOMAIN. memory/notes/<type>/<id>.md as they lie there: listed, read, found by id, by words, by what they say."""

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import NamedTuple

import msgspec

from adjutant.errors import FileDamaged, MemoryRefused, MemoryUnknown, find_one
from adjutant.language import likeness
from adjutant.records import note as note_file
from adjutant.records.note import MAX_BYTES, TYPES, Note
from adjutant.store.disk import read_mtime
from adjutant.store.files import Files

SUFFIX = ".md"
AGAIN = "~"  # in the archive, before the number of a name that was taken already
_OLD = re.compile(rf"(.+?)(?:{AGAIN}([0-9]+))?\.md", re.DOTALL)


class ShelfPlace(NamedTuple):
    """A note's file: the folder it is in (a type), its id, its absolute path."""

    type: str
    id: str
    path: str


class Shelf:
    """The notes of an instance. A file is read once while it does not change. `damaged`: {path: reason} of what was met
    and cannot be read; it is left alone, and the others go on."""

    def __init__(self, files: Files) -> None:
        self.files = files
        self.damaged: dict[str, str] = {}
        self._read: dict[str, tuple[tuple[int, int, int], tuple[bytes, str, list[Note]]]] = {}

    def places(self) -> list[ShelfPlace]:
        """Every note's file, oldest id first. Raises FileDamaged (a file where memory/notes belongs), IoFailed."""
        tree, found = self.files.tree, dict[str, ShelfPlace]()
        for name in self.files.names(tree.notes):
            if name not in TYPES and not name.startswith("."):
                self._note_damage(tree.note(name, ""), f"is no type of note ({' '.join(TYPES)})")
        for type in TYPES:
            try:
                names = self.files.names(tree.note(type, ""))
            except FileDamaged as error:
                self.damaged[tree.relative(tree.note(type, ""))] = error.message
                continue
            for id in (name.removesuffix(SUFFIX) for name in names if name.endswith(SUFFIX) and name[0] != "."):
                place = ShelfPlace(type, id, tree.note(type, id))
                if found.setdefault(id, place) is not place:
                    self._note_damage(place.path, f"has the id of {tree.relative(found[id].path)}")
        return [found[id] for id in sorted(found)]

    def list_forgotten(self) -> list[ShelfPlace]:
        """Every note in the archive, oldest id first; of an id that was forgotten twice, the last one."""
        tree, found = self.files.tree, dict[str, tuple[int, ShelfPlace]]()
        for type in TYPES:
            for name in self.files.names(tree.old_note(type, "")):
                if old := _OLD.fullmatch(name):  # `x` is the first of its id, `x~2` the second
                    place = ShelfPlace(type, old[1], tree.old_note(type, name.removesuffix(SUFFIX)))
                    found[old[1]] = max(found.get(old[1], (0, place)), (int(old[2] or 1), place))
        return [found[id][1] for id in sorted(found)]

    def all(self) -> list[Note]:
        found = {place.id: note for place in self.places() if (note := self.get(place)) is not None}
        for note in [*found.values()]:
            older = found.get(note.supersedes or "")
            if older is not None and not older.superseded_by and note_file.replaces(note, older):
                found[older.id] = msgspec.structs.replace(older, superseded_by=note.id)
        return [*found.values()]

    def find(self, id: str) -> Note:
        """The note with this id, or the only one that begins so. Raises MemoryUnknown, MemoryRefused, FileDamaged."""
        return self._note(self.place(id))

    def find_known(self, id: str) -> Note | None:
        """A note by its whole id; None for one that is gone or damaged."""
        place = next((place for place in self.places() if place.id == id), None)
        return self.get(place) if place is not None else None

    def place(self, id: str) -> ShelfPlace:
        """As `find`, the file unread. Raises MemoryUnknown, MemoryRefused."""
        wanted, places = clean_id(id), {place.id: place for place in self.places()}
        gone = [] if any(known.startswith(wanted) for known in places) else self.list_forgotten()
        if any(place.id.startswith(wanted) for place in gone):
            raise MemoryUnknown(f"`{wanted[:60]}` was forgotten", f"`adjutant memory restore {wanted[:60]}`")
        return find_one(places, wanted, "note", MemoryUnknown)

    def holding(self, query: str) -> list[Note]:
        """The notes that hold every word of a query, in whatever form. Raises MemoryRefused when it has none."""
        words = likeness.content(query)
        if not words:
            raise MemoryRefused("refused: a query without any word to look for", "name what the notes are about")
        texts = ((note, f"{note.title}\n{note.body}\n{' '.join(note.tags)}") for note in self.all())
        return [note for note, text in texts if likeness.holds(text, words)]

    def saying(self, text: str, texts: Iterable[tuple[ShelfPlace, str]]) -> list[Note]:
        """The notes that say the same as a text, superseded ones too, of those whose folded `texts` are given."""
        marks = likeness.marks(text)
        near = (self.get(place) for place, folded in texts if all(mark in folded for mark in marks))
        return [note for note in near if note is not None and likeness.same(note.body, text)]

    def texts(self, places: list[ShelfPlace] | None = None) -> Iterator[tuple[ShelfPlace, str]]:
        """(place, folded text) of every file that can be read."""
        for place in self.places() if places is None else places:
            try:
                yield place, self._look(place)[1]
            except FileNotFoundError:
                continue  # another run moved it meanwhile
            except FileDamaged as error:
                self.damaged[self.files.tree.relative(place.path)] = error.message

    def get(self, place: ShelfPlace) -> Note | None:
        """The note of a file; None when it is gone, or damaged and named."""
        with suppress(FileNotFoundError):
            try:
                return self._note(place)
            except FileDamaged as error:
                self.damaged[self.files.tree.relative(place.path)] = error.message
        return None

    def _note(self, place: ShelfPlace) -> Note:
        data, _, known = self._look(place)
        if not known:
            known.append(note_file.parse(data, self.files.tree.relative(place.path), read_mtime(place.path)))
        return known[0]

    def _look(self, place: ShelfPlace) -> tuple[bytes, str, list[Note]]:
        """(the bytes of a file, its folded text, the note where it was read already)."""
        state = (0, 0, 0)
        if place.path not in self.files.overlay:
            info = os.lstat(place.path)
            state = (info.st_mtime_ns, info.st_size, info.st_ino)
            if place.path in self._read and self._read[place.path][0] == state:
                return self._read[place.path][1]
        data = self.files.read(place.path, MAX_BYTES)
        held = data, likeness.fold(data.decode("utf-8", "replace")), list[Note]()
        self._read[place.path] = state, held
        return held

    def _note_damage(self, path: str, what: str) -> None:
        shown = self.files.tree.relative(path)
        self.damaged[shown] = f"{shown}: {what}"


def clean_id(id: str) -> str:
    """What a person gave for an id: the id, its beginning, or the file. Raises MemoryRefused for nothing at all."""
    wanted = id.strip().rpartition("/")[2].removesuffix(SUFFIX)
    if not wanted:
        raise MemoryRefused("refused: an empty id", "`adjutant memory list` names the notes")
    return wanted
