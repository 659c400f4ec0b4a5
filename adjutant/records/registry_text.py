"""RECORDS. Editing the text of registry.yaml by its YAML marks: every byte that is not the entry's own stays."""

from __future__ import annotations

import codecs
import re
from collections.abc import Sequence

import yaml

PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_./-]*(?: [A-Za-z0-9_./-]+)*")
WORDS = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"}


def added(raw: bytes, entry: Sequence[tuple[str, str | bool]]) -> bytes | None:
    """The file with one more entry at its end; None when its layout cannot be edited. `entry`: (key, value) pairs.

    `removed` on the new entry gives the same bytes again (but for an empty `[]`, which goes for good).
    """
    bom, text, root = _read(raw)
    if isinstance(root, yaml.SequenceNode) and root.flow_style and root.value:
        last = root.value[-1].end_mark.index
        flow = ", ".join(f"{key}: {_scalar(value)}" for key, value in entry)
        return bom + f"{text[:last]}, {{{flow}}}{text[last:]}".encode()
    indent = ""
    if isinstance(root, yaml.SequenceNode) and root.flow_style:
        hollow = _without_hollow_list(text, root)
        if hollow is None:
            return None
        text, spaced = hollow, bool(hollow)
    elif isinstance(root, yaml.SequenceNode):
        indent = " " * root.start_mark.column
        spaced = any(_blank_before(text, _span(text, root, n)[0]) for n in range(1, len(root.value)))
        spaced = spaced or len(root.value) == 1
    else:
        spaced = bool(text)
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = [f"{indent}{'  ' if n else '- '}{key}: {_scalar(value)}" for n, (key, value) in enumerate(entry)]
    if spaced or _blank_before(text, len(text)):  # `removed` takes one blank line with it, so this one is ours
        lines.insert(0, "")
    block = newline.join(lines)
    whole = not text or text.endswith("\n")
    return bom + (text + block + newline if whole else text + newline + block).encode()


def removed(raw: bytes, index: int) -> bytes | None:
    """The file without its entry number `index` (from 0), comments above it kept; None when it cannot be edited."""
    bom, text, root = _read(raw)
    if not isinstance(root, yaml.SequenceNode):
        return None
    if root.flow_style:
        return _removed_from_flow(bom, text, root, index)
    start, end = _span(text, root, index)
    if _blank_before(text, start):
        start = text.rfind("\n", 0, start - 1) + 1
    if end == len(text) and not text.endswith("\n"):
        cut = text[:start]
        return bom + (cut[:-2] if cut.endswith("\r\n") else cut[:-1]).encode()
    return bom + (text[:start] + text[end:]).encode()


def _read(raw: bytes) -> tuple[bytes, str, yaml.Node | None]:
    """(byte order mark, text without it, root node); the bytes have been parsed before, so they are good YAML."""
    bom = codecs.BOM_UTF8 if raw.startswith(codecs.BOM_UTF8) else b""
    text = raw[len(bom) :].decode()
    return bom, text, yaml.compose(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def _removed_from_flow(bom: bytes, text: str, root: yaml.SequenceNode, index: int) -> bytes | None:
    nodes = root.value
    if index + 1 < len(nodes):
        start, end = nodes[index].start_mark.index, nodes[index + 1].start_mark.index
        gap = text[nodes[index].end_mark.index : end]
    elif index:
        start, end = nodes[index - 1].end_mark.index, nodes[index].end_mark.index
        gap = text[start : nodes[index].start_mark.index]
    else:
        start, end, gap = nodes[0].start_mark.index, nodes[0].end_mark.index, ""
        comma = re.match(r"\s*,", text[end:])
        end += comma.end() if comma else 0
    if "#" in gap:
        return None  # a comment stands between the two, and it is the operator's
    return bom + (text[:start] + text[end:]).encode()


def _without_hollow_list(text: str, root: yaml.SequenceNode) -> str | None:
    """The text with an empty `[]` taken out, and its line when nothing else stands there."""
    start, end = root.start_mark.index, root.end_mark.index
    if "#" in text[start:end]:
        return None
    line, after = text.rfind("\n", 0, start) + 1, text.find("\n", end) + 1 or len(text)
    if text[line:start].strip() or text[end:after].strip():
        return text[:start] + text[end:]
    return text[:line] + text[after:]


def _span(text: str, root: yaml.SequenceNode, index: int) -> tuple[int, int]:
    """Start and end of the whole lines of one entry of a block list, its dash included."""
    node, column = root.value[index], root.start_mark.column
    start = text.rfind("\n", 0, node.start_mark.index) + 1
    while text[start + column : start + column + 1] != "-" or text[start : start + column].strip():
        if start == 0:
            break
        start = text.rfind("\n", 0, start - 1) + 1
    inside = text[node.start_mark.index : _last(node)].rstrip()
    end = text.find("\n", node.start_mark.index + len(inside))
    return start, len(text) if end < 0 else end + 1


def _last(node: yaml.Node) -> int:
    """Where the last value of a node really ends; a block mapping's own mark lies behind the comments after it."""
    if isinstance(node, yaml.MappingNode) and not node.flow_style and node.value:
        return _last(node.value[-1][1])
    if isinstance(node, yaml.SequenceNode) and not node.flow_style and node.value:
        return _last(node.value[-1])
    end: int = node.end_mark.index
    return end


def _blank_before(text: str, start: int) -> bool:
    """Whether the line before the one that starts at `start` is there and blank."""
    return start > 0 and not text[text.rfind("\n", 0, start - 1) + 1 : start].strip()


def _scalar(value: str | bool) -> str:
    """A YAML scalar that every reader takes for this text (or this truth value)."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if PLAIN.fullmatch(value) and value.lower() not in WORDS:
        return value
    return '"' + "".join(_escaped(c) for c in value) + '"'


def _escaped(c: str) -> str:
    if c in '"\\':
        return f"\\{c}"
    if c.isprintable() and c != "\ufeff":
        return c
    return f"\\x{ord(c):02x}" if ord(c) < 256 else f"\\u{ord(c):04x}" if ord(c) < 65536 else f"\\U{ord(c):08x}"
