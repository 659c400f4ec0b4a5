"""DOMAIN. Where copies of a fact may lie, and each kind of file without it."""

from __future__ import annotations

import gzip
import json
import os
import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any

import msgspec

from adjutant.errors import AdjutantError, FileDamaged
from adjutant.language import likeness
from adjutant.language.sentences import sentences
from adjutant.language.words import fold
from adjutant.records import period_file, wisdom_file
from adjutant.records.note import title_of
from adjutant.records.period_file import Bullet
from adjutant.records.wisdom_file import RuleEntry
from adjutant.store import jsonl
from adjutant.store.files import Files, encode, state_of

LONG = 400  # characters of a sentence, above which only the very words are the fact
BEGINNING, HELD = 4, 0.6  # letters of a word, and the share of a statement's words, by which a text is looked into
_WORD = re.compile(r"[^\W_]+")


class StatedFact:
    """What is taken back or put right. `put`: what stands in its place, "" for nothing at all. `taken`: what stood in
    the texts that it was stripped from."""

    def __init__(self, statements: Sequence[str], put: str = "") -> None:
        self.statements, self.put, self.taken = statements, put, list[str]()

    def may_stand_in(self, text: str) -> bool:
        """Whether enough words of a statement begin like words of the text: a filter before any closer look."""
        folded = fold(text)
        for words in map(_beginnings, self.statements):
            if sum(word in folded for word in words) >= HELD * len(words):
                return True
        return False

    def says(self, text: str) -> bool:
        """Whether a text says it."""
        return StatedFact(self.statements, self.put).strip(text) != text

    def strip(self, text: str) -> str:
        """The text with `put` in the place of the fact."""
        if not self.may_stand_in(text):
            return text
        for statement in (each for each in self.statements if len(_WORD.findall(each)) > 2):
            text = _spell(statement).sub(lambda found: self._take(found[0]), text)
        parts, end = list[str](), 0
        for each in sentences(text) if self.may_stand_in(text) else ():
            if len(each.text) <= LONG and any(likeness.is_covered(one, each.text) for one in self.statements):
                parts += [text[end : each.start], self._take(text[each.start : each.end])]
                end = each.end
        return "".join([*parts, text[end:]])

    def _take(self, found: str) -> str:
        self.taken.append(found)
        return self.put


def statements(body: str) -> tuple[str, ...]:
    """The sentences of a note that say something by themselves; the whole of one that has none."""
    found = [each.text for each in sentences(body)]
    own = [text for text in found if len(likeness.gist(text, "").telling) > 1]
    return tuple(own or [" ".join(body.split())])


@lru_cache(maxsize=64)
def _spell(statement: str) -> re.Pattern[str]:
    """The words of a statement one after the other, whatever stands between them, and its full stop."""
    return re.compile(
        r"(?<!\w)" + r"[\W_]+".join(map(re.escape, _WORD.findall(statement))) + r"(?!\w)[.!?]?", re.IGNORECASE
    )


@lru_cache(maxsize=64)
def _beginnings(statement: str) -> tuple[str, ...]:
    words = _WORD.findall(statement)
    return tuple(dict.fromkeys(fold(word)[:BEGINNING] for word in words if len(word) >= BEGINNING)) or tuple(
        map(fold, words)
    )


TEXTS, LINES, OBJECT = (".md", ".txt", ".log"), ".jsonl", ".json"
PACKED = ".jsonl.gz"  # what `ledger rotate` moved away


class Copies:
    """The files of an instance that may hold a copy; the operator's own pages and knowledge bases are none."""

    def __init__(self, files: Files, wisdom: str) -> None:
        """`wisdom`: the path of wisdom.md."""
        self._files, self._wisdom = files, wisdom

    def paths(self) -> Iterator[str]:
        """Their absolute paths. Raises FileDamaged, IoFailed."""
        tree = self._files.tree
        yield from (path for path in (self._wisdom, tree.wisdom_archive, tree.today) if self._files.exists(path))
        folders = (tree.journal, tree.insights, tree.daily, tree.weekly, tree.monthly, tree.evolution, tree.state)
        yield from (path for path in self._below(tree.archive) if path.endswith(PACKED))
        for folder in folders:
            yield from self._below(folder)

    def own_pages(self) -> Iterator[str]:
        """The pages of the operator's own that every prompt holds: they are left as they are."""
        for folder in (self._files.tree.identity, self._files.tree.skills):
            yield from (path for path in self._below(folder) if path != self._wisdom and path.endswith(TEXTS))

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

    def strip(self, fact: StatedFact, mark: str, path: str, data: bytes) -> tuple[bytes, list[str]]:
        """(the bytes of a file without the fact, what was taken out). `mark`: what stands for it in a text that is no
        summary of ours."""
        tree, text = self._files.tree, data.decode("utf-8", "surrogateescape")
        own = StatedFact(fact.statements, fact.put)
        marked = StatedFact(fact.statements, f"{fact.put} {mark}".strip())
        if not fact.may_stand_in(text):
            return data, []
        if path == self._wisdom:
            text = _strip_wisdom(own, text)
        elif path.endswith(TEXTS) and os.path.dirname(path) in (tree.daily, tree.weekly, tree.monthly):
            text = _strip_period(own, path, data, text)
        elif path == tree.wisdom_log:
            text = _strip_lines(own, text, _strip_run)
        elif path.endswith((LINES, PACKED)):
            text = _strip_lines(marked, text, _strip_value)
        elif path.endswith(OBJECT):
            text = _strip_object(marked, text)
        else:
            text = marked.strip(text)
        return text.encode("utf-8", "surrogateescape"), own.taken + marked.taken


def unpack(path: str, data: bytes) -> bytes:
    """The bytes of a file as they were written, an archive unpacked. Raises FileDamaged."""
    try:
        return gzip.decompress(data) if path.endswith(PACKED) else data
    except (OSError, EOFError, zlib.error) as error:
        raise FileDamaged(f"{path}: no gzip archive: {error}") from error


def pack(path: str, data: bytes) -> bytes:
    """The reverse of `opened`."""
    return gzip.compress(data, mtime=0) if path.endswith(PACKED) else data


# -- periods -------------------------------------------------------------------------------------------------


def _strip_period(fact: StatedFact, path: str, data: bytes, text: str) -> str:
    kind, name = os.path.basename(os.path.dirname(path)), os.path.basename(path).removesuffix(".md")
    period = period_file.find_period(kind, name)
    try:
        held = period_file.parse(data, path)
    except AdjutantError:
        return fact.strip(text)
    if period is None or held.touched:
        return fact.strip(text)
    kept = list[Bullet]()
    for bullet in held.bullets:
        if not fact.says(bullet.text):
            kept.append(bullet)
            continue
        fact.taken.append(bullet.text)
        kept += [bullet._replace(text=fact.put)] if fact.put else []
    return period_file.render(period, held.sources, kept, held.made, held.dropped) if fact.taken else text


# -- wisdom --------------------------------------------------------------------------------------------------


def _strip_wisdom(fact: StatedFact, text: str) -> str:
    """wisdom.md without the entries that say a fact, or with what is put in its place."""
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
    if not isinstance(record, dict) or "before_sha" not in record:
        return _strip_value(fact, record)
    found = dict(record)
    for name in ("before", "after"):
        found[name] = _strip_wisdom(fact, found[name]) if isinstance(found[name], str) else found[name]
        found[f"{name}_sha"] = state_of(found[name])
    for name in ("decisions", "dropped", "entries"):
        told = [(json.dumps(row, ensure_ascii=False), row) for row in found.get(name) or ()]
        gone = [text for text, _ in told if fact.says(text)]
        fact.taken += gone
        found |= {name: [row for text, row in told if text not in gone]} if told else {}
    return found


# -- JSON ----------------------------------------------------------------------------------------------------


def _strip_lines(fact: StatedFact, text: str, change: Callable[[StatedFact, Any], Any]) -> str:
    """JSONL, a record after the other; a line that is none stays as it is."""
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
