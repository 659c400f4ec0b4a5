"""FILES. YAML as a tree with line numbers and the text as written; no aliases, no duplicate keys, no surprises."""

from __future__ import annotations

import re
from collections.abc import Iterator

import yaml

from adjutant.errors import FileDamaged
from adjutant.store.reader import decode

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Broken(Exception):
    """The text is not the YAML we accept; the message starts with FILE:LINE."""


class Node:
    """A YAML node: `line` (1-based), `text` of a scalar as written, `items()` of a mapping, `elements()` of a list."""

    def __init__(self, node: yaml.nodes.Node, key_line: int) -> None:
        self.node, self.key_line = node, key_line
        self.line: int = node.start_mark.line + 1
        self.end_line: int = node.end_mark.line + 1
        self.is_mapping = isinstance(node, yaml.nodes.MappingNode)
        self.is_list = isinstance(node, yaml.nodes.SequenceNode)
        self.is_scalar = isinstance(node, yaml.nodes.ScalarNode)
        self.is_null = self.is_scalar and node.tag == "tag:yaml.org,2002:null"  # null, ~ or nothing at all, unquoted
        self.text = str(node.value) if self.is_scalar else ""  # as written: 22:00 is "22:00", no is "no"

    @property
    def shown(self) -> str:
        if self.is_scalar:
            return f"`{self.text[:40]}`" if self.text else "nothing"
        return "a mapping" if self.is_mapping else "a list"

    def items(self) -> Iterator[tuple[str, Node]]:
        for key, value in self.node.value:
            yield str(key.value), Node(value, key.start_mark.line + 1)

    def elements(self) -> Iterator[Node]:
        for value in self.node.value:
            yield Node(value, value.start_mark.line + 1)


def compose(raw: bytes, name: str, max_depth: int = 12) -> Node | None:
    """The root node, None for an empty document. Raises Broken with NAME:LINE."""
    try:
        text = decode(raw, name)
    except FileDamaged as error:
        raise Broken(error.message) from error
    try:
        _refuse_bombs(text, name, max_depth)
        root = yaml.compose(text, Loader=_LOADER)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        raise Broken(f"{name}:{line}: {error.problem or 'not YAML'}") from error
    except (yaml.YAMLError, RecursionError) as error:
        odd = re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]", text)  # such characters carry no mark
        line = text.count("\n", 0, odd.start()) + 1 if odd else 1
        raise Broken(f"{name}:{line}: {str(error).splitlines()[0]}") from error
    if root is None:
        return None
    _refuse_duplicates(root, name)
    return Node(root, root.start_mark.line + 1)


def mapping(raw: bytes, name: str, max_depth: int = 12) -> Node:
    """As `compose`, but the root must be a mapping (an empty file is an empty one). Raises Broken."""
    root = compose(raw, name, max_depth)
    if root is None or root.is_null:
        mark = yaml.Mark("", 0, 0, 0, "", 0)
        return Node(yaml.nodes.MappingNode("tag:yaml.org,2002:map", [], mark, mark), 1)
    if not root.is_mapping:
        raise Broken(f"{name}:{root.line}: must be `key: value` lines, not {root.shown}")
    return root


def _refuse_bombs(text: str, name: str, max_depth: int) -> None:
    depth = 0
    for event in yaml.parse(text, Loader=_LOADER):
        line = event.start_mark.line + 1 if event.start_mark else 1
        if isinstance(event, yaml.AliasEvent):
            raise Broken(f"{name}:{line}: aliases (*{event.anchor}) are not read here")
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > max_depth:
                raise Broken(f"{name}:{line}: nested deeper than {max_depth}")
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


def _refuse_duplicates(node: yaml.nodes.Node, name: str) -> None:
    if isinstance(node, yaml.nodes.MappingNode):
        seen: dict[str, int] = {}
        for key, value in node.value:
            line = key.start_mark.line + 1
            if not isinstance(key, yaml.nodes.ScalarNode):
                raise Broken(f"{name}:{line}: a key must be a plain word")
            if key.value in seen:
                raise Broken(f"{name}:{line}: `{key.value}` is given twice (first on line {seen[key.value]})")
            seen[key.value] = line
            _refuse_duplicates(value, name)
    elif isinstance(node, yaml.nodes.SequenceNode):
        for value in node.value:
            _refuse_duplicates(value, name)
