"""DOMAIN. The items of the layers - heading sections and top-level bullets - and which of them an answer used."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from typing import NamedTuple

from adjutant.documents import markdown
from adjutant.language import stems
from adjutant.records import layers as layer_files
from adjutant.store.config import Config
from adjutant.store.files import Files
from adjutant.store.tree import LAYERS

SHARED, RARE = 3, 2  # stems that an answer and an item have in common, each in at most so many items
SLUG_WORDS, SLUG_CHARS = 5, 40
_MARK = re.compile(r"[ \t]*\((?:pinned|do not use)\)$", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")


class LayerItem(NamedTuple):
    """An item by LAYER#SLUG: its layer's path in the instance, its text, its first line from 1, how many lines."""

    id: str
    layer: str
    path: str
    text: str
    line: int
    lines: int


def read_items(files: Files, config: Config) -> list[LayerItem]:
    """The items of soul to heart, in the layers' order and the lines'. Raises FileDamaged, IoFailed."""
    return split_layers(layer_files.read(files, config, name) for name in LAYERS)


def split_layers(found: Iterable[layer_files.Layer]) -> list[LayerItem]:
    """The items of layers that were read."""
    return [item for layer in found for item in split_text(layer.name, layer.path, layer.text)]


def split_text(layer: str, path: str, text: str) -> list[LayerItem]:
    """The items of one layer's text. Each line is in one item at most: a bullet is no part of the section around it."""
    page = markdown.page(text.replace("\r\n", "\n").split("\n"))
    found: dict[str, LayerItem] = {}
    for name, first, end in _split(page):
        wanted = f"{layer}#{slug(name or _first_words(page.lines[first]))}"
        numbered = (f"{wanted}-{number}" for number in count(2))  # the second of the same name gets -2
        id = wanted if wanted not in found else next(each for each in numbered if each not in found)
        found[id] = LayerItem(id, layer, path, "\n".join(page.lines[first:end]), first + 1, end - first)
    return list(found.values())


def _split(page: markdown.Page) -> Iterator[tuple[str, int, int]]:
    """(name, first line from 0, line behind the last) of the items in order; a heading alone is none."""
    heading, name, first, end, filled, bullet = "", "", -1, 0, False, False
    for each in page.elements:
        title, own = _title(each), each.kind == "item" and each.parent < 0
        apart = bullet and each.parent < 0 and each.line > end + 1  # a paragraph after the list
        if title or own or apart or each.kind == "rule":
            if filled:
                yield name, first, end
            first, filled, bullet = -1, False, own
        if title:
            heading = name = title
        if each.kind in ("rule", "comment"):
            continue
        if first < 0:
            first = each.line - 1
            name = _first_words(each.text.partition("\n")[0]) if own else heading
        end = each.end
        filled = filled or not title or "\n" in each.text
    if filled:
        yield name, first, end


def _title(each: markdown.Element) -> str:
    """What a heading or a line all bold says, as wisdom.md heads its entries; "" for anything else."""
    line = each.text.partition("\n")[0].strip()
    bold = each.kind == "text" and line[:2] in ("**", "__") and markdown.unwrap(line) != line
    return _MARK.sub("", line.strip("*_ ")) if (each.kind == "heading" and not each.quoted) or bold else ""


def _first_words(text: str) -> str:
    label, colon, _ = text.partition(": ")
    labelled = colon and 0 < len(_WORD.findall(label)) < SLUG_WORDS
    return label if labelled else " ".join(_WORD.findall(text)[:SLUG_WORDS])


def slug(name: str) -> str:
    """A name as it stands in an id: small letters and digits of any script, joined by `-`."""
    words = [word.replace("'", "").replace("’", "") for word in _WORD.findall(name.casefold())]
    while len("-".join(words)) > SLUG_CHARS and len(words) > 1:
        words.pop()
    return "-".join(words)[:SLUG_CHARS] or "item"


def find_used(every: Sequence[LayerItem], answer: str, citations: Iterable[tuple[str, str]] = ()) -> tuple[str, ...]:
    """The ids of the items that an answer used, in their order. `citations`: (path, anchor) of each."""
    if not every or not answer.strip():
        return ()
    places, rare = set(citations), stems.rare(answer, [item.text for item in every], RARE)
    many = (len(shared) >= SHARED for shared in rare)
    return tuple(each.id for each, much in zip(every, many, strict=True) if much or _cites(each, answer, places))


def _cites(item: LayerItem, answer: str, places: set[tuple[str, str]]) -> bool:
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
