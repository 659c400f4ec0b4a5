"""DOMAIN. The items of the layers - heading sections and top-level bullets - and which of them an answer used.

Code counts, no model is asked: an item is used where the answer cites it, or shares stems with it that are rare in the
layers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from adjutant.language import shared_stems
from adjutant.records import layers as layer_files
from adjutant.records.layers import Layer
from adjutant.store.tree import LAYERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from adjutant.store.config import Config
    from adjutant.store.files import Files

SHARED, RARE = 3, 2  # stems that an answer and an item have in common, each in at most so many items
SLUG_WORDS, SLUG_CHARS = 5, 40
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_NOT_NEWLINE = re.compile(r"[^\n]")
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]+(.*?)[ \t]*#*[ \t]*$")
# A line all bold: how wisdom.md heads its entries.
_BOLD = re.compile(r"(?:\*\*|__)(?=\S)((?:(?!\*\*|__).)+)(?:\*\*|__)[ \t]*$")
_MARK = re.compile(r"[ \t]*\((?:pinned|do not use)\)$", re.IGNORECASE)
_BULLET = re.compile(r" ?(?:[-*+]|\d{1,3}[.)])[ \t]+(?=\S)")
_FENCE = re.compile(r" {0,3}(```|~~~)")
_RULE = re.compile(r" {0,3}(?:[-*_][ \t]*){3,}$")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")


class Item(NamedTuple):
    """`id`: LAYER#SLUG. `path`: of the layer, relative to the instance. `text`: as it stands there, without comments.
    `line`: its first line, from 1; `lines`: how many it takes, blank ones at its end left out."""

    id: str
    layer: str
    path: str
    text: str
    line: int
    lines: int


class _Open:
    """An item whose end is not reached: its name, where it begins, and its lines."""

    def __init__(self, name: str, line: int, bullet: bool) -> None:
        self.name, self.line, self.bullet = name, line, bullet
        self.lines: list[str] = []
        self.filled = False  # a heading alone is no item


def items(files: Files, config: Config) -> list[Item]:
    """The items of soul to heart, in the layers' order and the lines'. Raises FileDamaged, IoFailed."""
    return of_layers(layer_files.read(files, config, name) for name in LAYERS)


def of_layers(found: Iterable[Layer]) -> list[Item]:
    """The items of layers that were read."""
    return [item for layer in found for item in of_text(layer.name, layer.path, layer.text)]


def of_text(layer: str, path: str, text: str) -> list[Item]:
    """The items of one layer's text. Each line is in one item at most: a bullet is no part of the section around it."""
    names = _Names()
    bare = _COMMENT.sub(lambda comment: _NOT_NEWLINE.sub("", comment[0]), text.replace("\r\n", "\n"))
    return [
        Item(
            f"{layer}#{names.own(slug(each.name or each.lines[0]))}",
            layer,
            path,
            "\n".join(each.lines),
            each.line,
            len(each.lines),
        )
        for each in _split(bare)
    ]


def _split(text: str) -> Iterator[_Open]:
    """The items in order; a section of which bullets are a part is an item without them, if anything else is in it."""
    here: _Open | None = None
    heading, fence = "", ""
    for number, line in enumerate(text.split("\n"), start=1):
        mark = _FENCE.match(line)
        if fence or mark is not None:
            fence = "" if fence and mark is not None and mark[1] == fence else fence or (mark[1] if mark else "")
            here = _continued(here, line, number, heading)
            continue
        title = _HEADING.match(line) or _BOLD.match(line)
        if title is not None:
            yield from _closed(here)
            heading = _MARK.sub("", title[1].strip("*_ "))
            here = _Open(heading, number, bullet=False)
            here.lines.append(line)
        elif _RULE.match(line):
            yield from _closed(here)
            here = None
        elif (bullet := _BULLET.match(line)) is not None:
            yield from _closed(here)
            here = _Open(_first_words(line[bullet.end() :]), number, bullet=True)
            here.lines.append(line)
            here.filled = True
        elif here is not None and here.bullet and line[:1] not in ("", " ", "\t") and not here.lines[-1].strip():
            yield from _closed(here)  # a paragraph after the list
            here = _continued(None, line, number, heading)
        else:
            here = _continued(here, line, number, heading)
    yield from _closed(here)


def _continued(here: _Open | None, line: str, number: int, heading: str) -> _Open | None:
    """The item with one line more; a new one, called as the heading above, where none is open."""
    if here is None:
        if not line.strip():
            return None
        here = _Open(heading, number, bullet=False)
    here.lines.append(line)
    here.filled = here.filled or bool(line.strip())
    return here


def _closed(here: _Open | None) -> Iterator[_Open]:
    if here is not None and here.filled:
        while not here.lines[-1].strip():
            here.lines.pop()
        here.name = here.name or _first_words(here.lines[0])
        yield here


def _first_words(text: str) -> str:
    """What a bullet is called: its label where it has one (`Hours: nine to five`), else its first words."""
    label, colon, _ = text.partition(": ")
    if colon and 0 < len(_WORD.findall(label)) < SLUG_WORDS:
        return label
    return " ".join(_WORD.findall(text)[:SLUG_WORDS])


def slug(name: str) -> str:
    """A name as it stands in an id: small letters and digits of any script, joined by `-`."""
    words = [word.replace("'", "").replace("’", "") for word in _WORD.findall(name.casefold())]
    kept = "-".join(words)
    while len(kept) > SLUG_CHARS and "-" in kept:
        kept = kept.rpartition("-")[0]
    return kept[:SLUG_CHARS] or "item"


class _Names:
    """Gives each item of a layer a name of its own: the second of the same name gets -2."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def own(self, wanted: str) -> str:
        """`wanted`, or with the first number that is free."""
        found, number = wanted, 1
        while found in self._taken:
            number += 1
            found = f"{wanted}-{number}"
        self._taken.add(found)
        return found


# -- use -----------------------------------------------------------------------------------------------------


def used(every: Sequence[Item], answer: str, citations: Iterable[tuple[str, str]] = ()) -> tuple[str, ...]:
    """The ids of the items that an answer used, in their order. `citations`: (path, anchor) of each."""
    if not every or not answer.strip():
        return ()
    places = set(citations)
    rare = shared_stems.rare(answer, [item.text for item in every], RARE)
    return tuple(
        item.id for item, stems in zip(every, rare, strict=True) if len(stems) >= SHARED or _cited(item, answer, places)
    )


def _cited(item: Item, answer: str, places: set[tuple[str, str]]) -> bool:
    """Whether the answer names the item's id, or a line of it, or it stands among the citations."""
    name = item.id.partition("#")[2]
    if any(path == item.path and anchor in (name, f"L{item.line}") for path, anchor in places):
        return True
    if item.layer not in answer:
        return False
    named = rf"(?<![\w/-])(?:{re.escape(item.id)}|{re.escape(item.path)}#{re.escape(name)})(?![\w-])"
    if re.search(named, answer):
        return True
    lines = re.findall(rf"(?<![\w/-]){re.escape(item.path)}(?::|#L)(\d{{1,5}})\b", answer)
    return any(item.line <= int(number) < item.line + item.lines for number in lines)
