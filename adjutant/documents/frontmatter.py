"""DOCUMENTS. Frontmatter: the `key: value` lines between `---` at the top, within one limit, read as YAML."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from adjutant.documents.blocks import Field
from adjutant.store import marked_yaml
from adjutant.store.marked_yaml import Node

MAX_LINES, MAX_CHARS, MAX_DEPTH = 200, 65_536, 6
VALUE_CHARS = 2000


def split(text: str) -> tuple[tuple[Field, ...], int]:
    """(fields, first line of the body, 0-based); ((), 0) without frontmatter and where it is no YAML: that is text.

    A list's items are one value, joined by commas; names of what is nested are joined by dots.
    """
    end = _end(text)
    if not end:
        return (), 0
    try:
        return tuple(_fields(root(text))), end + 1
    except marked_yaml.Broken:
        return (), 0


def root(text: str) -> Node:
    """The mapping at the top of a text, an empty one without. Raises marked_yaml.Broken with `:LINE: what`."""
    lines = text.split("\n", MAX_LINES)[1 : _end(text)]
    return marked_yaml.mapping("\n".join(["", *lines]).encode("utf-8", "replace"), "", MAX_DEPTH)


def damage(text: str) -> str:
    """What is wrong with frontmatter that `split` takes for text, `:LINE: what`; "" where nothing is."""
    try:
        root(text)
    except marked_yaml.Broken as error:
        return str(error)
    return ""


def _end(text: str) -> int:
    """The line (0-based) of the closing `---`, 0 without."""
    if not text.startswith("---"):
        return 0
    lines: Sequence[str] = text[:MAX_CHARS].split("\n", MAX_LINES)
    if lines[0].rstrip() != "---":
        return 0
    return next((at for at in range(1, len(lines)) if lines[at].rstrip() in ("---", "...")), 0)


def _fields(node: Node, prefix: str = "") -> Iterator[Field]:
    for key, value in node.items():
        name = f"{prefix}{key}"
        if value.is_mapping:
            yield from _fields(value, f"{name}.")
        elif value.is_list:
            plain = (each.text for each in value.elements() if each.is_scalar and not each.is_null)
            yield Field(name, ", ".join(plain)[:VALUE_CHARS], value.key_line)
        else:
            text = "" if value.is_null else " ".join(value.text.split())
            yield Field(name, text[:VALUE_CHARS], value.key_line)
