"""FILES. The frontmatter of a file that people edit too: read strictly, changed one key at a time."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import yaml
from frontmatter.default_handlers import YAMLHandler

from adjutant.errors import FileDamaged
from adjutant.store import marked_yaml
from adjutant.store.marked_yaml import Node

MAX_DEPTH = 4
_BOUNDARY = YAMLHandler.FM_BOUNDARY
_TAIL = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\r?\n)*\Z")


class Front(NamedTuple):
    """A text in its parts: `root` the mapping between the `---` lines at [start, end), `lines` what stands above it."""

    root: Node
    start: int
    end: int
    lines: int
    body: str

    def plain(self) -> dict[str, Any]:
        """Texts as written (no YAML 1.1 guessing), lists and mappings of them; what is null is left out."""
        return {key: _plain(node) for key, node in self.root.items() if not node.is_null}

    def line_of(self, key: str) -> int:
        """The line of the file on which a key stands; that of the frontmatter's beginning for one that is missing."""
        return next((node.key_line for name, node in self.root.items() if name == key), 1) + self.lines


def split(text: str, shown: str) -> Front:
    """The parts of a text; without frontmatter, `end` is 0. Raises FileDamaged with `shown` and the line."""
    lead = len(text) - len(text.lstrip())
    opening = _BOUNDARY.match(text, lead)
    if opening is None:
        return Front(marked_yaml.mapping(b"", ""), 0, 0, 0, text)
    closing = _BOUNDARY.search(text, opening.end())
    before = text.count("\n", 0, opening.end())
    if closing is None:
        raise FileDamaged(f"{shown}:{text.count(chr(10), 0, lead) + 1}: the frontmatter has no closing `---`")
    inner = text[opening.end() : closing.start()]
    try:
        root = marked_yaml.mapping(inner.encode("utf-8", "replace"), "", MAX_DEPTH)
    except marked_yaml.Broken as error:
        _, number, reason = str(error).split(":", 2)
        raise FileDamaged(f"{shown}:{int(number) + before}:{reason}") from error
    return Front(root, opening.end(), closing.start(), before, text[closing.end() :])


def with_values(text: str, shown: str, values: dict[str, Any]) -> str:
    """The same text with these keys of its frontmatter set; all else stays as it is, and so do the ends of its lines.

    Raises FileDamaged.
    """
    for key, value in values.items():
        text = _with_value(text, shown, key, value)
    try:
        found = {key: _plain(node) for key, node in split(text, shown).root.items()}
    except FileDamaged:
        found = {}
    if any(found.get(key, ...) != _as_written(value) for key, value in values.items()):
        raise FileDamaged(
            f"{shown}:1: the frontmatter is written in a way that cannot be edited line by line",
            "write it as `key: value` lines",
        )
    return text


def dump(values: dict[str, Any]) -> str:
    """`key: value` lines; lists of texts on one line."""
    return "".join(map(_line, values.items()))


def _line(item: tuple[str, Any]) -> str:
    key, value = item
    one_line = isinstance(value, list | tuple) and not any(isinstance(each, dict) for each in value)
    flow = None if one_line else False  # None: the innermost lists and mappings stand on one line
    return str(
        yaml.safe_dump({key: _whole(value)}, allow_unicode=True, sort_keys=False, width=10_000, default_flow_style=flow)
    )


def _with_value(text: str, shown: str, key: str, value: Any) -> str:
    front, end_of_line = split(text, shown), "\r\n" if "\r\n" in text[: text.find("\n") + 1] else "\n"
    line = dump({key: value}).replace("\n", end_of_line)
    if not front.end:
        return f"---{end_of_line}{line}---{end_of_line * 2}{text}"
    found = next(((name, node) for name, node in front.root.node.value if name.value == key), None)
    if found is None:
        return f"{text[: front.end].rstrip()}{end_of_line}{line}{text[front.end :]}"
    start, end = front.start + found[0].start_mark.index, front.start + found[1].end_mark.index
    kept = _TAIL.search(text[start:end])  # a list ends where the next key begins: comments between them stay
    assert kept is not None
    return f"{text[:start]}{line.rstrip()}{kept.group()}{text[end:]}"


def _as_written(value: Any) -> Any:
    """A value as `_plain` reads it."""
    if isinstance(value, dict):
        return {key: _as_written(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_as_written(inner) for inner in value]
    return value if value is None or isinstance(value, str) else str(value)


def _plain(node: Node) -> Any:
    if node.is_scalar:
        return None if node.is_null else node.text
    if node.is_mapping:
        return {key: _plain(child) for key, child in node.items()}
    return [_plain(child) for child in node.elements()]


def _whole(value: Any) -> Any:
    """The value with no half of a surrogate pair in its texts: YAML would write one, and read none."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {key: _whole(inner) for key, inner in value.items()}
    return [_whole(inner) for inner in value] if isinstance(value, list | tuple) else value
