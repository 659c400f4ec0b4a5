"""DOMAIN. Where copies of a fact may lie, and each kind of file without it."""

from __future__ import annotations

import gzip
import json
import os
import re
import zlib
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec

from adjutant.errors import AdjutantError, FileDamaged, WisdomInvalid
from adjutant.language import agreement
from adjutant.language.sentences import sentences
from adjutant.language.words import fold
from adjutant.records import calendar, period_file, wisdom_file, wisdom_log
from adjutant.records.note import title_of
from adjutant.records.period_file import Bullet
from adjutant.records.wisdom_file import RuleEntry
from adjutant.store import jsonl
from adjutant.store.files import Files, encode

LONG = 400  # characters of a sentence, above which only the very words are the fact
BEGINNING, HELD = 4, 0.6  # letters of a word, and the share of a statement's words, by which a text is looked into
_WORD = re.compile(r"[^\W_]+")


class StatedFact(NamedTuple):
    """What is taken back or put right. `put`: what stands in its place, "" for nothing at all."""

    statements: tuple[str, ...]
    put: str = ""

    def may_stand_in(self, text: str) -> bool:
        """Whether a text is worth a closer look."""
        return _may_say(self.statements, text)

    def says(self, text: str) -> bool:
        """Whether a text says it."""
        return self.without(text)[0] != text

    def without(self, text: str) -> tuple[str, list[str]]:
        """(the text with `put` in the place of the fact, what stood there)."""
        taken: list[str] = []
        if not _may_say(self.statements, text):
            return text, taken
        for statement in (each for each in self.statements if len(_WORD.findall(each)) > 2):
            text = _spell(statement).sub(lambda found: self._take(found[0], taken), text)
        parts, end = list[str](), 0
        for each in sentences(text) if _may_say(self.statements, text) else ():
            if len(each.text) <= LONG and any(agreement.covered(one, each.text) for one in self.statements):
                parts += [text[end : each.start], self._take(text[each.start : each.end], taken)]
                end = each.end
        return "".join([*parts, text[end:]]), taken

    def _take(self, found: str, taken: list[str]) -> str:
        taken.append(found)
        return self.put


def statements(body: str) -> tuple[str, ...]:
    """The sentences of a note that say something by themselves; the whole of one that has none."""
    found = [each.text for each in sentences(body)]
    own = [text for text in found if len(agreement.gist(text, "").telling) > 1]
    return tuple(own or [" ".join(body.split())])


@lru_cache(maxsize=64)
def _spell(statement: str) -> re.Pattern[str]:
    """The words of a statement one after the other, whatever stands between them, and its full stop."""
    return re.compile(
        r"(?<!\w)" + r"[\W_]+".join(map(re.escape, _WORD.findall(statement))) + r"(?!\w)[.!?]?", re.IGNORECASE
    )


def _may_say(statements: Sequence[str], text: str) -> bool:
    """Whether enough words of a statement begin like words of the text: a filter before any closer look."""
    folded = fold(text)
    for statement in statements:
        words = _beginnings(statement)
        if sum(word in folded for word in words) >= HELD * len(words):
            return True
    return False


@lru_cache(maxsize=64)
def _beginnings(statement: str) -> tuple[str, ...]:
    words = _WORD.findall(statement)
    return tuple(dict.fromkeys(fold(word)[:BEGINNING] for word in words if len(word) >= BEGINNING)) or tuple(
        map(fold, words)
    )


TEXTS, LINES, OBJECT = (".md", ".txt", ".log"), ".jsonl", ".json"
PACKED = ".jsonl.gz"  # what `ledger rotate` moved away
PARTS = "; "  # between decisions that share a bullet


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

    def without(self, fact: StatedFact, mark: str, path: str, data: bytes) -> tuple[bytes, list[str]]:
        """(the bytes of a file without the fact, what was taken out). `mark`: what stands for it in a text that is no
        summary of ours."""
        tree, text = self._files.tree, data.decode("utf-8", "surrogateescape")
        if not fact.may_stand_in(text):
            return data, []
        marked = fact._replace(put=f"{fact.put} {mark}".strip())
        if path == self._wisdom:
            changed, taken = strip_wisdom(fact, text)
        elif path.endswith(TEXTS) and os.path.dirname(path) in (tree.daily, tree.weekly, tree.monthly):
            changed, taken = _strip_period(fact, path, data, text)
        elif path == tree.wisdom_log:
            changed, taken = _by_line(fact, text, lambda record, out: _strip_run(fact, record, out))
        elif path.endswith((LINES, PACKED)):
            changed, taken = _by_line(fact, text, lambda record, out: _strip_value(marked, record, out))
        elif path.endswith(OBJECT):
            changed, taken = _strip_object(marked, text)
        else:
            changed, taken = marked.without(text)
        return changed.encode("utf-8", "surrogateescape"), taken


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


def _strip_period(fact: StatedFact, path: str, data: bytes, text: str) -> tuple[str, list[str]]:
    kind, name = os.path.basename(os.path.dirname(path)), os.path.basename(path).removesuffix(".md")
    period = calendar.find_period(kind, name)
    try:
        held = period_file.parse(data, path)
    except AdjutantError:
        return fact.without(text)
    if period is None or held.touched:
        return fact.without(text)
    taken, kept = list[str](), list[Bullet]()
    for bullet in held.bullets:
        kept += _strip_bullet(fact, bullet, taken)
    if not taken:
        return text, taken
    return period_file.render(period, held.sources, kept, held.made, held.dropped), taken


def _strip_bullet(fact: StatedFact, bullet: Bullet, taken: list[str]) -> list[Bullet]:
    """The bullet without the parts that say the fact, none where nothing is left of it."""
    parts = bullet.text.split(PARTS)
    left = [part for part in parts if not fact.says(part)]
    gone = [part for part in parts if part not in left]
    if not gone and not (gone := [bullet.text] if fact.says(bullet.text) else []):
        return [bullet]
    taken += gone
    told = [*(left if gone != [bullet.text] else []), *([fact.put] if fact.put else [])]
    return [bullet._replace(text=PARTS.join(told))] if told else []


# -- wisdom --------------------------------------------------------------------------------------------------


def strip_wisdom(fact: StatedFact, text: str) -> tuple[str, list[str]]:
    """(wisdom.md without the entries that say a fact, or with what is put in its place, what was taken out)."""
    try:
        wisdom = wisdom_file.parse(text.encode("utf-8", "surrogateescape"), "")
    except (WisdomInvalid, AdjutantError):
        return fact.without(text)
    taken, kept = list[str](), list[RuleEntry]()
    for entry in wisdom.entries:
        left = _strip_entry(fact, entry, taken)
        kept += [left] if left is not None and not any(left.key == other.key for other in kept) else []
    return (wisdom_file.render(wisdom._replace(entries=tuple(kept))), taken) if taken else (text, taken)


def _strip_entry(fact: StatedFact, entry: RuleEntry, taken: list[str]) -> RuleEntry | None:
    text, gone = fact.without(entry.text)
    titled = fact.says(entry.title)
    if not gone and not titled:
        return entry
    taken.append(f"**{entry.title}**\n{entry.text}")
    text = " ".join(text.split()) if fact.put or not titled else ""
    if not any(map(str.isalnum, text)) and not fact.put:
        return None
    return entry._replace(title=title_of(fact.put) if titled else entry.title, text=text or fact.put)


def _strip_run(fact: StatedFact, record: Any, taken: list[str]) -> Any:
    """A record of wisdom.jsonl without the fact: the texts of before and after, and what was decided of it."""
    if not isinstance(record, dict) or "before_sha" not in record:
        return _strip_value(fact, record, taken)
    found = dict(record)
    for name in ("before", "after"):
        if isinstance(found[name], str):
            found[name], gone = strip_wisdom(fact, found[name])
            taken += gone
        found[f"{name}_sha"] = wisdom_log.sha_of(found[name])
    for name in ("decisions", "dropped", "entries"):
        rows = found.get(name)
        left = [row for row in rows if not fact.says(json.dumps(row, ensure_ascii=False))] if rows else rows
        taken += [json.dumps(row, ensure_ascii=False) for row in rows or [] if row not in (left or [])]
        found |= {name: left} if rows else {}
    return found


# -- JSON ----------------------------------------------------------------------------------------------------


def _by_line(fact: StatedFact, text: str, change: Any) -> tuple[str, list[str]]:
    """JSONL, a record after the other; a line that is none stays as it is."""
    taken, lines = list[str](), list[str]()
    for line in text.split("\n"):
        gone = list[str]()
        try:
            record = change(jsonl.loads(line), gone) if line.strip() and fact.may_stand_in(line) else None
        except ValueError:
            gone, record = [], None
        lines.append(encode(record).decode().rstrip("\n") if gone and isinstance(record, dict) else line)
        taken += gone
    return "\n".join(lines), taken


def _strip_object(fact: StatedFact, text: str) -> tuple[str, list[str]]:
    taken: list[str] = []
    try:
        found = _strip_value(fact, jsonl.loads(text), taken)
    except ValueError:
        return text, taken
    return (
        (msgspec.json.format(msgspec.json.encode(found), indent=2).decode() + "\n", taken) if taken else (text, taken)
    )


def _strip_value(fact: StatedFact, value: Any, taken: list[str]) -> Any:
    if isinstance(value, str):
        text, gone = fact.without(value)
        taken += gone
        return text
    if isinstance(value, list):
        return [_strip_value(fact, each, taken) for each in value]
    if isinstance(value, dict):
        return {key: _strip_value(fact, each, taken) for key, each in value.items()}
    return value
