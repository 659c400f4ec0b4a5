"""DOCUMENTS. Frontmatter: the YAML between `---` lines at the top of a text, within one limit.

python-frontmatter is the oracle of the tests and no more: it keeps no line numbers, which errors and edits need, takes
the second of two equal keys, and turns `22:00` into a number and `no` into False.
"""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple, TypeVar

import msgspec
import yaml

from adjutant.documents.blocks import Field
from adjutant.errors import FileDamaged
from adjutant.store import marked_yaml
from adjutant.store.marked_yaml import Node

MAX_LINES, MAX_CHARS, MAX_DEPTH = 1000, 65_536, 4
VALUE_CHARS = 2000
T = TypeVar("T")
_RULE = re.compile(r"^-{3,}[ \t]*\r?$", re.MULTILINE)
_KEY_LINE = re.compile(r"([A-Za-z][\w-]*)[ \t]*:[ \t]+([^\s\[{&*!|>].*)$")


class Front(NamedTuple):
    """A text in its parts: `root` the mapping between the `---` lines at [start, end), `lines` what stands above it."""

    root: Node
    start: int
    end: int
    lines: int
    body: str

    def plain(self) -> dict[str, Any]:
        """Texts as written (no YAML 1.1 guessing), lists and mappings of them; what is null is left out."""
        return {key: plain(node) for key, node in self.root.items() if not node.is_null}

    def line_of(self, key: str) -> int:
        """The line of the file on which a key stands; that of the frontmatter's beginning for one that is missing."""
        return next((node.key_line for name, node in self.root.items() if name == key), 1) + self.lines

    def convert(self, kind: type[T], values: dict[str, Any], shown: str, *, strict: bool = True) -> T:
        """Values, those of the frontmatter among them, as a msgspec Struct. Raises FileDamaged with the key's line."""
        try:
            return msgspec.convert(values, kind, strict=strict)
        except msgspec.ValidationError as error:
            key = re.search(r"\$\.(\w+)", str(error))
            raise FileDamaged(f"{shown}:{self.line_of(key[1] if key else '')}: {error}") from error


def read(text: str, shown: str) -> Front:
    """The parts of a text; without frontmatter, `end` is 0. Raises FileDamaged with `shown` and the line."""
    lead = len(text) - len(text.lstrip())
    opening = _RULE.match(text, lead)
    if opening is None:
        return Front(marked_yaml.mapping(b"", ""), 0, 0, 0, text)
    before = text.count("\n", 0, opening.end())
    closing = _RULE.search(text, opening.end(), opening.end() + MAX_CHARS)
    if closing is None or text.count("\n", opening.end(), closing.start()) > MAX_LINES:
        raise FileDamaged(f"{shown}:{before + 1}: the frontmatter has no closing `---` within {MAX_LINES} lines")
    inner = text[opening.end() : closing.start()]
    try:
        root = marked_yaml.mapping(inner.encode("utf-8", "replace"), "", MAX_DEPTH)
    except marked_yaml.Broken as error:
        _, number, reason = str(error).split(":", 2)
        raise FileDamaged(f"{shown}:{int(number) + before}:{reason}") from error
    return Front(root, opening.end(), closing.start(), before, text[closing.end() :])


def split(text: str) -> tuple[tuple[Field, ...], int]:
    """(fields, first line of the body, 0-based); ((), 0) without frontmatter and where it is no YAML: that is text. A
    list's items are one value, joined by commas; names of what is nested are joined by dots."""
    if not text.startswith("---"):
        return (), 0
    try:
        front = read(text, "")
    except FileDamaged:
        return (), 0
    if not front.end:
        return (), 0
    return tuple(_fields(front.root, "", front.lines)), text.count("\n", 0, front.end) + 1


def by_line(text: str) -> tuple[dict[str, str], str]:
    """({key: value}, body) of frontmatter that is no YAML, line by line: `about: Use when: …` is a common slip."""
    found: dict[str, str] = {}
    lines = text.split("\n", MAX_LINES)
    end = next((n for n, line in enumerate(lines[1:], start=1) if line.rstrip() == "---"), 0)
    for line in lines[1 : end or len(lines)]:
        if match := _KEY_LINE.match(line.rstrip()):
            found.setdefault(match[1], match[2].strip().strip("\"'"))
    return found, "\n".join(lines[end + 1 :]) if end else text


def dump(values: dict[str, Any]) -> str:
    """`key: value` lines; lists of texts on one line."""
    said = ""
    for key, value in values.items():
        one_line = isinstance(value, list | tuple) and not any(isinstance(each, dict) for each in value)
        flow = None if one_line else False  # None: the innermost lists and mappings stand on one line
        whole, width = {key: _whole(value)}, 10_000
        said += yaml.safe_dump(whole, allow_unicode=True, sort_keys=False, width=width, default_flow_style=flow)
    return said


def plain(node: Node) -> Any:
    """The value of a node, every scalar a text, null None."""
    if node.is_scalar:
        return None if node.is_null else node.text
    if node.is_mapping:
        return {key: plain(child) for key, child in node.items()}
    return [plain(child) for child in node.elements()]


def _fields(node: Node, prefix: str, above: int) -> Iterator[Field]:
    for key, value in node.items():
        name, line = f"{prefix}{key}", value.key_line + above
        if value.is_mapping:
            yield from _fields(value, f"{name}.", above)
            continue
        words = [value] if value.is_scalar else [each for each in value.elements() if each.is_scalar]
        said = ", ".join(" ".join(each.text.split()) for each in words if not each.is_null)
        yield Field(name, said[:VALUE_CHARS], line)


def _whole(value: Any) -> Any:
    """The value with no half of a surrogate pair in its texts: YAML would write one, and read none."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {key: _whole(inner) for key, inner in value.items()}
    return [_whole(inner) for inner in value] if isinstance(value, list | tuple) else value
