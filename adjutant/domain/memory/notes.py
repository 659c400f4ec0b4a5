"""DOMAIN. Notes are saved, reinforced, superseded, forgotten and restored, one read-check-write under one lock.

What is forgotten waits in memory/.archive with the bytes it had. Which note supersedes which is told by the newer one;
`settle` writes it into the older ones, and puts right what a run that was cut has left.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any, NamedTuple

from adjutant.domain.memory.shelf import AGAIN, Shelf, ShelfPlace, clean_id
from adjutant.domain.recall import classify, taxonomy
from adjutant.errors import MemoryRefused, MemoryUnknown, find_one
from adjutant.language.phrases import matcher
from adjutant.ports import TRUST
from adjutant.records import note as note_file
from adjutant.records.note import MAX_BYTES, TYPES, Note, new_id
from adjutant.store.files import Files

LOCK = "memory"
LAST = 5  # forgotten notes that are named
MAX_MOVED = 1024 * 1024
_LINKED = re.compile(r"(?m)^supersede(?:s|d_by)[ \t]*:[ \t]*[\"']?(?!null\b|~)[^\s\"'#]")


class NoteDraft(NamedTuple):
    """What is to be saved; `text` has passed the gate. `under`: the heading it stood under. `supersedes`: an id or its
    beginning. `obstacle`: why it may repeat a note but not become a new one, "" when it may."""

    text: str
    type: str
    concepts: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    trust: str = "operator"
    source: str = "command"
    under: str = ""
    supersedes: str = ""
    obstacle: str = ""


class Saved(NamedTuple):
    """`outcome`: saved, reinforced. `superseded`: the id of the note whose place it takes, "" for none."""

    outcome: str
    note: Note
    superseded: str = ""


class LockedNotes:
    """The notes while the lock is held: as they were when it was taken, and what has been saved since."""

    def __init__(self, shelf: Shelf, now: datetime) -> None:
        self._shelf, self._now, self._places = shelf, now, shelf.places()
        self._texts = list(shelf.texts(self._places))
        settle(shelf, self._texts)
        self._forgotten = [place.id for place in shelf.list_forgotten()]

    def saying(self, text: str) -> list[Note]:
        return self._shelf.saying(text, self._texts)

    def save(self, draft: NoteDraft) -> Saved:
        shelf = self._shelf
        old = shelf.find(draft.supersedes) if draft.supersedes else None
        if old is not None and TRUST.index(draft.trust) > TRUST.index(old.trust):
            why = f"{old.id} is trusted as {old.trust}, and {draft.trust} words cannot replace such a note"
            raise MemoryRefused(f"refused: {why}", "save it without --supersedes, or say it yourself")
        live = [note for note in self.saying(draft.text) if not note.superseded_by]
        if old is not None:
            live = [note for note in live if note.id != old.id and note.supersedes in (None, old.id)]
        twin = min(live, key=lambda note: (TRUST.index(note.trust), note.id), default=None)
        if old is not None and old.superseded_by and (twin is None or twin.id != old.superseded_by):
            raise MemoryRefused(f"refused: {old.id} is superseded by {old.superseded_by} already", "name that one")
        if twin is not None and TRUST.index(twin.trust) <= TRUST.index(draft.trust):
            return _reinforce(shelf.files, twin, old, self._now)
        if draft.obstacle:
            raise MemoryRefused(f"refused: {draft.obstacle}", "say what is new in your own words")
        return self._add(draft, old or twin)

    def _add(self, draft: NoteDraft, old: Note | None) -> Saved:
        files, taken = self._shelf.files, [*(place.id for place in self._places), *self._forgotten]
        made = make_note(files, draft, old, self._now, taken)
        path = files.tree.note(made.type, made.id)
        files.create(path, note_file.render(made).encode("utf-8", "replace"))
        self._places.append(ShelfPlace(made.type, made.id, path))
        self._texts += self._shelf.texts(self._places[-1:])
        if old is not None:
            _revise(files, old, superseded_by=made.id)
        return Saved("saved", made, old.id if old is not None else "")


def make_note(files: Files, draft: NoteDraft, old: Note | None, now: datetime, taken: Collection[str]) -> Note:
    """A new note as it is to be filed, under an id that none of `taken` is; `old`: the one whose place it takes."""
    id, shared = new_id(now, taken), ("type", "concepts", "tags", "source", "trust")
    said: dict[str, Any] = {name: getattr(draft, name) for name in shared}
    said |= {"supersedes": old.id if old is not None else None, "created": now.isoformat(), "body": draft.text}
    path = files.tree.relative(files.tree.note(draft.type, id))
    return Note(id=id, title=note_file.title_of(draft.text, draft.under), path=path, **said)


@contextmanager
def hold(shelf: Shelf, now: datetime) -> Iterator[LockedNotes]:
    """The lock on the notes, for a few saves: others wait for it. Raises FileDamaged, LockBusy, IoFailed."""
    for _ in shelf.texts():
        pass  # whatever has to be read is read before the lock is taken
    with shelf.files.lock(LOCK):
        _sweep(shelf.files, now)
        yield LockedNotes(shelf, now)


def save(shelf: Shelf, draft: NoteDraft, now: datetime) -> Saved:
    """Keeps a text as a note of its own, or reinforces the one that says the same and is trusted no less. Raises
    MemoryRefused, MemoryUnknown, FileChanged, FileDamaged, LockBusy, IoFailed."""
    with hold(shelf, now) as notes:
        return notes.save(draft)


def move_away(shelf: Shelf, id: str) -> tuple[ShelfPlace, list[str]]:
    """Moves a note to the archive: its place there, and the ids of those that nothing supersedes any more. The caller
    holds the lock. Raises MemoryUnknown, MemoryRefused, FileChanged, FileDamaged, IoFailed."""
    files, place, number = shelf.files, shelf.place(id), 1
    shelf.damaged.pop(files.tree.relative(place.path), None)  # it is not left where it is
    data, target = files.read(place.path, MAX_MOVED), files.tree.old_note(place.type, place.id)
    while files.exists(target) and files.read(target, MAX_MOVED) != data:
        number += 1
        target = files.tree.old_note(place.type, f"{place.id}{AGAIN}{number}")
    return _move(files, place, target), settle(shelf)


def reword(shelf: Shelf, id: str, text: str) -> Note:
    """The note with another text, and a title of it; all else as it was. The caller holds the lock. Raises
    MemoryUnknown, FileChanged, FileDamaged, IoFailed."""
    note = shelf.find(id)
    if note.body == text:
        return note
    path = shelf.files.tree.inside(note.path)
    data = note_file.revise(shelf.files.read(path, MAX_BYTES), note.path, title=note_file.title_of(text))
    head, _, _ = data.decode().partition(note.body)
    shelf.files.replace(path, f"{head}{text}\n", expect=note.sha)
    return shelf.find(id)


def find_gone(shelf: Shelf, ids: Sequence[str], besides: Sequence[str] = ()) -> list[ShelfPlace]:
    """Forgotten notes by their ids, not taken since; `besides`: other ids that are named. Raises MemoryUnknown."""
    here, known = ({place.id: place for place in each} for each in (shelf.places(), shelf.list_forgotten()))
    last = ", ".join(sorted([*besides, *known])[-LAST:])
    fix = f"the last that were forgotten: {last}" if last else "nothing was forgotten so far"
    chosen = [find_one(known, clean_id(id), "forgotten note", MemoryUnknown, fix) for id in ids]
    for place in chosen:
        if (other := here.get(place.id, place)).type != place.type:
            fix = f"`adjutant memory forget {place.id}`, or give that file another name"
            raise MemoryRefused(f"refused: {shelf.files.tree.relative(other.path)} has the id of this note", fix)
    return list(dict.fromkeys(chosen))


def restore(shelf: Shelf, ids: Sequence[str], now: datetime) -> tuple[list[ShelfPlace], list[str]]:
    """Brings notes back byte for byte: their places, and the ids superseded again. Raises as `move_away`, LockBusy."""
    files = shelf.files
    with files.lock(LOCK):
        _sweep(files, now)
        places = [_move(files, place, files.tree.note(place.type, place.id)) for place in find_gone(shelf, ids)]
        return places, settle(shelf)


def _reinforce(files: Files, note: Note, old: Note | None, now: datetime) -> Saved:
    day = f"{now:%Y-%m-%d}"
    values: dict[str, object] = {} if day in note.reinforced else {"reinforced": (*note.reinforced, day)}
    if old is not None and note.supersedes != old.id:
        values["supersedes"] = old.id
    note = _revise(files, note, **values) if values else note
    if old is not None and not old.superseded_by:
        _revise(files, old, superseded_by=note.id)
    return Saved("reinforced", note, old.id if old is not None else "")


def _revise(files: Files, note: Note, **values: object) -> Note:
    """Sets keys of a note's frontmatter; a person who edited the file meanwhile wins. Raises FileChanged."""
    path = files.tree.inside(note.path)
    data = note_file.revise(files.read(path, MAX_BYTES), note.path, **values)
    files.replace(path, data, expect=note.sha)
    return note_file.parse(data, note.path, note.created)


def settle(shelf: Shelf, texts: Iterable[tuple[ShelfPlace, str]] | None = None) -> list[str]:
    """Has each note say which one took its place, itself or through others that are forgotten; the ids of those that
    are live again, or no more. The caller holds the lock. Raises FileChanged, FileDamaged, IoFailed."""
    here, gone = ({place.id: place for place in found} for found in (shelf.places(), shelf.list_forgotten()))
    linked = [shelf.get(place) for place, folded in texts or shelf.texts() if _LINKED.search(folded)]
    notes = {note.id: note for note in linked if note is not None}
    newer, changed = dict[str, str](), list[str]()
    for note in [*notes.values()]:
        at: Note | None = note
        met = {note.id, *here}
        while at is not None and at.supersedes in gone and at.supersedes not in met:
            met.add(at.supersedes)
            at = shelf.get(gone[at.supersedes])
        older = shelf.get(here[at.supersedes]) if at is not None and at.supersedes in here else None
        if at is not None and older is not None and note_file.replaces(at, older):
            newer[older.id], notes[older.id] = note.id, older
    for note in notes.values():
        written, right = note.superseded_by, newer.get(note.id)
        if written != right and (not written or (written in gone and written not in here)):
            _revise(shelf.files, note, superseded_by=right)
            changed += [] if written and right else [note.id]
    return changed


def _move(files: Files, place: ShelfPlace, target: str) -> ShelfPlace:
    if not files.exists(target):
        files.move(place.path, target)
    elif files.read(target, MAX_MOVED) == files.read(place.path, MAX_MOVED):
        files.remove(place.path)  # a move that was cut in its middle
    else:
        fix = f"`adjutant memory forget {place.id}`, or move one of the two files away"
        raise MemoryRefused(f"refused: {files.tree.relative(target)} is there and says something else", fix)
    return place._replace(path=target)


def _sweep(files: Files, now: datetime) -> None:
    for type in TYPES:
        for folder in (files.tree.note(type, ""), files.tree.old_note(type, "")):
            files.sweep(folder, now.timestamp())


FILE, DEFAULT = "notes", "fact"
ORDER = ("correction", "decision", "gotcha", "preference", "person", "invariant", "pattern")  # of those said as often


def type_of(text: str, heading: str = "") -> str:
    """The type of a note with this text; the heading it stands under decides where it names one."""
    named = matcher(FILE, "headings").first(heading)
    if named is not None:
        return named.name
    found = Counter(match.name for match in matcher(FILE, "types").find(text))
    return max(sorted(found, key=ORDER.index), key=lambda type: found[type], default=DEFAULT)


def concepts_of(files: Files, text: str) -> tuple[str, ...]:
    """Ids of the concepts a text is about; () when the rules are not sure. Raises TaxonomyInvalid, FileDamaged."""
    return classify.classify(text, taxonomy.load(files)).concepts
