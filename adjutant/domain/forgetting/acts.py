"""DOMAIN. One change of a fact from its record to its end: the record first, then every copy, then the note itself.

memory/.archive/changes/<id>.jsonl: what is taken back or put right, a line for each file with what stood there, and
that it is done: a run that was cut is ended by the next. The caller holds the lock.
"""

import gzip
import json
import os
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple

import msgspec

from adjutant.domain.forgetting.fact import StatedFact, statements
from adjutant.domain.memory import notes
from adjutant.domain.memory.shelf import Shelf, ShelfPlace
from adjutant.errors import AdjutantError, FileDamaged, IoFailed, MemoryUnknown
from adjutant.records import note as note_file
from adjutant.records import period_file, rotation, wisdom_file
from adjutant.records.note import CORRECT, FORGET, Note, new_id, title_of
from adjutant.records.wisdom_file import RuleEntry
from adjutant.store import jsonl
from adjutant.store.files import Files, encode, sha256, state_of

TEXTS, LINES, OBJECT = (".md", ".txt", ".log"), ".jsonl", ".json"
PACKED = ".jsonl.gz"  # what `ledger rotate` moved away


class Act(NamedTuple):
    """What is done: `verb` forget or correct; `note` its id, or ""; `put` the new text, or ""; `path` of its record."""

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

    def __init__(self, shelf: Shelf, wisdom: str, now: datetime) -> None:
        self._shelf, self._files, self._wisdom, self._now = shelf, shelf.files, wisdom, now

    def forget(self, said: Sequence[str]) -> FactChange:
        return self._begin(FORGET, "", tuple(said), "", "\n".join(said))

    def change(self, note: Note, put: str = "") -> FactChange:
        """Takes back a note and every copy of what it says, or with `put` has all of them say that from now on. Raises
        MemoryUnknown, FileChanged, FileDamaged, IoFailed."""
        return self._begin(CORRECT if put else FORGET, note.id, statements(note.body), put, note.body)

    def _begin(self, verb: str, note: str, said: tuple[str, ...], put: str, before: str) -> FactChange:
        tree = self._files.tree
        id = new_id(self._now, [name.removesuffix(LINES) for name in self._files.names(tree.changes)])
        act = Act(id, verb, note, said, put, tree.change(id))
        record = {"verb": verb, "note": note, "statements": list(said), "put": put, "before": before}
        self._files.append(act.path, {"ts": self._now.isoformat(), "event": "begun", **record})
        return self._carry_out(act)

    def complete(self) -> list[FactChange]:
        return [self._carry_out(act) for act in list_unfinished(self._files)]

    def restore(self, id: str) -> list[str]:
        """Puts what a forgotten note's copies said back into the logs it was taken from; the paths of these. `id`: of
        the note, or where there was none of the act."""
        every = [act for act, ended in _acts(self._files) if ended and act.verb == FORGET]
        found, changed = [act for act in every if id == (act.note or act.id)], list[str]()
        for act in found[-1:]:
            mark, records = note_file.mark(act.verb, act.id), jsonl.read(self._files, act.path)
            said = {str(each["path"]): each["texts"] for each in records if each.get("event") == "taken"}
            for shown, texts in said.items():
                path = self._files.tree.inside(shown)
                if self._read(path).count(mark.encode()) == len(texts) and not self._files.dry:
                    self._files.rewrite(path, partial(_fill, path=path, mark=mark, texts=texts))
                    changed.append(shown)
        return changed

    # -- the steps -------------------------------------------------------------------------------------------

    def _carry_out(self, act: Act) -> FactChange:
        rotation.settle(self._files)
        shown = self._files.tree.relative
        changed = {shown(path): gone for path in self._copies() if (gone := self._change(act, path))}
        place, others, fact = None, list[str](), StatedFact(act.statements, act.put)
        try:
            if act.verb == CORRECT:
                notes.reword(self._shelf, act.note, act.put)
                place = self._shelf.place(act.note)
            elif act.note:
                place, others = notes.move_away(self._shelf, act.note)
        except MemoryUnknown:
            others = notes.settle(self._shelf)  # a run that was cut came as far as this
        tree = self._files.tree  # the operator's own pages, which every prompt holds, are left as they are
        own = [path for folder in (tree.identity, tree.skills) for path in self._below(folder) if path != self._wisdom]
        said = (path for path in own if path.endswith(TEXTS) and fact.says(self._read(path).decode("utf-8", "replace")))
        left = [shown(path) for path in said]
        self._files.append(act.path, {"ts": self._now.isoformat(), "event": "done"})
        return FactChange(act, place, others, changed, left)

    def _change(self, act: Act, path: str) -> int:
        """How much was taken out of a file; what stood there is on record before it goes."""
        files = self._files
        try:
            data = files.read(path)
            _, gone = self._strip(act, path, unpack(path, data))
        except (FileNotFoundError, FileDamaged, IoFailed):
            return 0  # what cannot be read is named by the verbs that need it

        def change(now: bytes) -> bytes:
            there, texts = self._strip(act, path, unpack(path, now))
            if texts:
                files.append(act.path, {"event": "taken", "path": files.tree.relative(path), "texts": texts})
            return pack(path, there) if texts else now

        if gone and not files.dry:
            if files.tree.may_be_link(path):
                files.replace(path, change(data), sha256(data))
            else:
                files.rewrite(path, change)
        return len(gone)

    def _read(self, path: str) -> bytes:
        try:
            return unpack(path, self._files.read(path))
        except (FileNotFoundError, FileDamaged, IoFailed):
            return b""

    # -- where copies lie ------------------------------------------------------------------------------------

    def _copies(self) -> Iterator[str]:
        """The absolute paths of what may hold a copy. Raises FileDamaged, IoFailed."""
        tree = self._files.tree
        yield from (path for path in (self._wisdom, tree.wisdom_archive, tree.today) if self._files.exists(path))
        yield from (path for path in self._below(tree.archive) if path.endswith(PACKED))
        for folder in (tree.journal, tree.insights, tree.daily, tree.weekly, tree.monthly, tree.evolution, tree.state):
            yield from self._below(folder)

    def _below(self, folder: str) -> Iterator[str]:
        tree = self._files.tree
        for name in self._files.names(folder):
            path = f"{folder}/{name}"
            if os.path.islink(path) or path in (tree.locks, tree.archive):
                continue
            if os.path.isdir(path):
                yield from self._below(path)
            elif name.endswith((*TEXTS, LINES, OBJECT, PACKED)):
                yield path

    def _strip(self, act: Act, path: str, data: bytes) -> tuple[bytes, list[str]]:
        """(a file's bytes without the fact, what was taken out); a mark stands for it but in our summaries."""
        tree, text = self._files.tree, data.decode("utf-8", "surrogateescape")
        summary = path.endswith(TEXTS) and os.path.dirname(path) in (tree.daily, tree.weekly, tree.monthly)
        ours = summary or path in (self._wisdom, tree.wisdom_log)
        fact = StatedFact(act.statements, act.put if ours else f"{act.put} {note_file.mark(act.verb, act.id)}".strip())
        if not fact.may_stand_in(text):
            return data, []
        if path == self._wisdom:
            text = _strip_wisdom(fact, text)
        elif summary:
            text = _strip_period(fact, path, data, text)
        elif path.endswith((LINES, PACKED)):
            text = _strip_lines(fact, text, _strip_run if path == tree.wisdom_log else _strip_value)
        else:
            text = _strip_object(fact, text) if path.endswith(OBJECT) else fact.strip(text)
        return text.encode("utf-8", "surrogateescape"), fact.taken


def list_unfinished(files: Files) -> list[Act]:
    """The acts that were cut. Raises FileDamaged, IoFailed."""
    return [act for act, ended in _acts(files) if not ended]


def list_noteless(files: Files) -> dict[str, Act]:
    """What was forgotten and no note said, by the ids of the acts. Raises FileDamaged, IoFailed."""
    return {act.id: act for act, ended in _acts(files) if ended and act.verb == FORGET and not act.note}


def _acts(files: Files) -> Iterator[tuple[Act, bool]]:
    tree = files.tree
    for id in (name.removesuffix(LINES) for name in files.names(tree.changes) if name.endswith(LINES)):
        path = tree.change(id)
        records = jsonl.read(files, path)
        begun = next((each for each in records if each.get("event") == "begun"), None)
        if begun is not None and begun.get("verb") in note_file.WORDS:
            said = tuple(map(str, begun.get("statements") or ()))
            act = Act(id, str(begun["verb"]), str(begun.get("note")), said, str(begun.get("put") or ""), path)
            yield act, any(each.get("event") == "done" for each in records)


def _fill(data: bytes, path: str, mark: str, texts: list[str]) -> bytes:
    escaped = path.endswith((OBJECT, LINES, PACKED))
    told = [json.dumps(text, ensure_ascii=False)[1:-1] if escaped else text for text in texts]
    first, *rest = unpack(path, data).split(mark.encode())
    return pack(path, first + b"".join(text.encode() + after for text, after in zip(told, rest, strict=True)))


def unpack(path: str, data: bytes) -> bytes:
    """The bytes of a file as they were written, an archive unpacked. Raises FileDamaged."""
    try:
        return gzip.decompress(data) if path.endswith(PACKED) else data
    except (OSError, EOFError, zlib.error) as error:
        raise FileDamaged(f"{path}: no gzip archive: {error}") from error


def pack(path: str, data: bytes) -> bytes:
    """The reverse of `unpack`."""
    return gzip.compress(data, mtime=0) if path.endswith(PACKED) else data


def _strip_period(fact: StatedFact, path: str, data: bytes, text: str) -> str:
    kind, name = os.path.basename(os.path.dirname(path)), os.path.basename(path).removesuffix(".md")
    period = period_file.find_period(kind, name)
    held = None
    with suppress(AdjutantError):
        held = period_file.parse(data, path)
    if period is None or held is None or held.touched:
        return fact.strip(text)
    said = {each for each in held.bullets if fact.says(each.text)}
    fact.taken += [each.text for each in held.bullets if each in said]
    left = (each for each in held.bullets if fact.put or each not in said)
    kept = [each._replace(text=fact.put) if each in said else each for each in left]
    return period_file.render(period, held.sources, kept, held.made, held.dropped) if fact.taken else text


def _strip_wisdom(fact: StatedFact, text: str) -> str:
    try:
        wisdom = wisdom_file.parse(text.encode("utf-8", "surrogateescape"), "")
    except AdjutantError:
        return fact.strip(text)
    before, kept = len(fact.taken), dict[str, RuleEntry]()
    for entry in wisdom.entries:
        if (left := _strip_entry(fact, entry)) is not None:
            kept.setdefault(left.key, left)
    return wisdom_file.render(wisdom._replace(entries=tuple(kept.values()))) if len(fact.taken) > before else text


def _strip_entry(fact: StatedFact, entry: RuleEntry) -> RuleEntry | None:
    own = StatedFact(fact.statements, fact.put)
    text, titled = own.strip(entry.text), fact.says(entry.title)
    if not own.taken and not titled:
        return entry
    fact.taken.append(f"**{entry.title}**\n{entry.text}")
    text = " ".join(text.split()) if fact.put or not titled else ""
    if not any(map(str.isalnum, text)) and not fact.put:
        return None
    return entry._replace(title=title_of(fact.put) if titled else entry.title, text=text or fact.put)


def _strip_run(fact: StatedFact, record: Any) -> Any:
    """A record of wisdom.jsonl without the fact: the texts of before and after, and what was decided of it."""
    found = {key: value if key in ("before", "after") else _strip_value(fact, value) for key, value in record.items()}
    for name in ("before", "after"):
        if isinstance(found.get(name), str):
            found[name] = _strip_wisdom(fact, found[name])
            found[f"{name}_sha"] = state_of(found[name])
    return found


def _strip_lines(fact: StatedFact, text: str, change: Callable[[StatedFact, Any], Any]) -> str:
    lines = text.split("\n")
    for number, line in enumerate(lines):
        try:
            record = jsonl.loads(line) if line.strip() and fact.may_stand_in(line) else None
        except ValueError:
            continue
        if isinstance(record, dict) and (left := change(fact, record)) != record:
            lines[number] = encode(left).decode().rstrip("\n")
    return "\n".join(lines)


def _strip_object(fact: StatedFact, text: str) -> str:
    try:
        found = _strip_value(fact, jsonl.loads(text))
    except ValueError:
        return text
    return msgspec.json.format(msgspec.json.encode(found), indent=2).decode() + "\n" if fact.taken else text


def _strip_value(fact: StatedFact, value: Any) -> Any:
    if isinstance(value, str):
        return fact.strip(value)
    if isinstance(value, list):
        return [_strip_value(fact, each) for each in value]
    if isinstance(value, dict):
        return {key: _strip_value(fact, each) for key, each in value.items()}
    return value
