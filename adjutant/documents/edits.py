"""DOCUMENTS. YAML that a person keeps, edited in place: every byte that is not the entry's own stays.

The marks of the YAML tree say where to write. A caller reads the result again and compares it with what was meant. A
comment on a line of its own stays; one behind an entry goes with the entry.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any

import yaml

from adjutant.documents import frontmatter, markdown
from adjutant.documents.markdown import Element
from adjutant.errors import FileDamaged
from adjutant.store import marked_yaml
from adjutant.store.marked_yaml import Node

STEP = "  "
_PLAIN = re.compile(r"[^\W\d_](?:[\w/.-]| (?=\w))*(?<![.-])")
_RESERVED = frozenset(("null", "true", "false", "yes", "no", "on", "off", "y", "n", "nan", "inf"))
_TAIL = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\r?\n)*\Z")
BOM = "\ufeff"


class EditRefused(Exception):
    """The text is written in a way that cannot be edited for certain; the message says where and why."""


def with_value(text: str, shown: str, path: Sequence[str], value: str | None) -> str:
    """The text with `a: b: value` for the keys `path`, set where it stands or added; None is null. Raises Refused."""
    try:
        node, depth = marked_yaml.mapping(text.encode("utf-8", "surrogatepass"), shown), 0
    except marked_yaml.Broken as error:
        raise EditRefused(str(error)) from error
    while depth < len(path) and node.is_mapping and (inner := dict(node.items()).get(path[depth])) is not None:
        node, depth = inner, depth + 1
    if depth == len(path):
        if not node.is_scalar:
            raise EditRefused(f"{shown}:{node.line}: `{'.'.join(path)}` is {node.shown}")
        start = node.node.start_mark.index
        if start == node.node.end_mark.index:  # `key:` with nothing behind it
            at = text.rindex(":", 0, start + 1) + 1
            return f"{text[:at]} {scalar(value)}{text[at:]}"
        return text[:start] + scalar(value) + text[node.node.end_mark.index :]
    if not (node.is_null or node.is_mapping):
        raise EditRefused(f"{shown}:{node.line}: {node.shown} where a mapping belongs")
    if node.is_mapping and node.node.value and getattr(node.node, "flow_style", False):
        raise EditRefused(f"{shown}:{node.line}: it is written in brackets")
    return _insert(text, node, path[depth:], value, depth)


def _insert(text: str, node: Node, path: Sequence[str], value: str | None, depth: int) -> str:
    """`path: value` as a new entry of the mapping `node`, which stands `depth` keys deep."""

    def add(text: str, at: int, indent: str) -> str:
        lines = [f"{indent}{STEP * depth}{key}:" for depth, key in enumerate(path)]
        return _add_below(text, at, [*lines[:-1], f"{lines[-1]} {scalar(value)}"])

    if node.is_mapping and node.node.value:
        last = node.node.value[-1]
        return add(text, _content_end(last[1]), " " * last[0].start_mark.column)
    if depth == 0:
        return add(text, len(text), "")
    start, end = node.node.start_mark.index, node.node.end_mark.index  # a key that holds `{}`, null or nothing
    if start == end:
        start = end = text.rindex(":", 0, start + 1) + 1
    head = text[:start].rstrip(" ")
    line = head[head.rfind("\n") + 1 :]
    return add(head + text[end:], len(head), " " * (len(line) - len(line.lstrip(" "))) + STEP)


def with_entry(text: str, entry: Sequence[tuple[str, Any]]) -> str:
    """The list of mappings that `text` is with one more at its end; `without_entry` gives the same text again
    (but for an empty `[]`, which goes for good). Raises Refused."""
    root, indent, dense = _root(text), "", False
    if isinstance(root, yaml.SequenceNode) and root.flow_style:
        text = _without_hollow_list(text, root)
    elif isinstance(root, yaml.SequenceNode):
        indent = " " * root.start_mark.column
        starts = [_span(text, root, number)[0] for number in range(1, len(root.value))]
        dense = bool(starts) and all(_line_above(text, at).strip() for at in [*starts, len(text)])
    lines = [f"{indent}{STEP if n else '- '}{key}: {inline(value)}" for n, (key, value) in enumerate(entry)]
    newline = "\r\n" if "\r\n" in text else "\n"
    block = newline.join(["", *lines] if text and not dense else lines)  # `without_entry` takes one blank line with it
    return text + block + newline if not text or text.endswith("\n") else text + newline + block


def without_entry(text: str, index: int) -> str:
    """The list that `text` is without its entry number `index` (from 0), comments above it kept. Raises Refused."""
    root = _root(text)
    if not isinstance(root, yaml.SequenceNode) or root.flow_style:
        raise EditRefused("it is no list with a line for each entry")
    start, end = _span(text, root, index)
    above = _line_above(text, start)
    start -= 0 if above.strip() else len(above)
    if end == len(text) and not text.endswith("\n"):
        return text[:start].removesuffix("\n").removesuffix("\r")
    return text[:start] + text[end:]


def _without_hollow_list(text: str, root: yaml.SequenceNode) -> str:
    """The text with an empty `[]` taken out, and its line when nothing else stands there."""
    start, end = root.start_mark.index, root.end_mark.index
    if root.value or "#" in text[start:end]:
        raise EditRefused("it is written in brackets")
    line, after = text.rfind("\n", 0, start) + 1, text.find("\n", end) + 1 or len(text)
    if text[line:start].strip() or text[end:after].strip():
        return text[:start] + text[end:]
    return text[:line] + text[after:]


def _span(text: str, root: Any, index: int) -> tuple[int, int]:
    """Start and end of the whole lines of one entry of a block list, its dash included."""
    node, column = root.value[index], root.start_mark.column
    start = text.rfind("\n", 0, node.start_mark.index) + 1
    while text[start + column : start + column + 1] != "-" or text[start : start + column].strip():
        if start == 0:
            break
        start = text.rfind("\n", 0, start - 1) + 1
    inside = text[node.start_mark.index : _content_end(node)].rstrip()
    end = text.find("\n", node.start_mark.index + len(inside))
    return start, len(text) if end < 0 else end + 1


def _line_above(text: str, start: int) -> str:
    return text[text.rfind("\n", 0, max(start - 1, 0)) + 1 : start]


def with_keys(text: str, shown: str, values: dict[str, Any]) -> str:
    """The text with these keys of its frontmatter set; all else and the ends of its lines stay. Raises FileDamaged."""
    before = frontmatter.read(text, shown)
    for key, value in values.items():
        text = _with_key(text, shown, key, value)
    try:
        after = frontmatter.read(text, shown)
        meant = frontmatter.read(f"---\n{frontmatter.dump(values)}---\n", shown)
        same = _read_known(after) == _read_known(before) | _read_known(meant)
        same = same and after.body.strip() == before.body.strip()
    except FileDamaged:
        same = False
    if not same:
        wrong = f"{shown}:1: the frontmatter is written in a way that cannot be edited line by line"
        raise FileDamaged(wrong, "write it as `key: value` lines")
    return text


def _read_known(front: frontmatter.Front) -> dict[str, Any]:
    return {key: frontmatter.plain(node) for key, node in front.root.items()}


def _with_key(text: str, shown: str, key: str, value: Any) -> str:
    front, newline = frontmatter.read(text, shown), newline_of(text)
    line = frontmatter.dump({key: value}).replace("\n", newline)
    if not front.end:
        return f"---{newline}{line}---{newline * 2}{text}"
    found = next((pair for pair in front.root.node.value if pair[0].value == key), None)
    if found is None:
        head = text[: front.end]
        return f"{head}{'' if head.endswith(newline) else newline}{line}{text[front.end :]}"
    start, end = front.start + found[0].start_mark.index, front.start + found[1].end_mark.index
    kept = _TAIL.search(text[start:end])  # a list ends where the next key begins: comments between them stay
    assert kept is not None
    return f"{text[:start]}{line.rstrip()}{kept.group()}{text[end:]}"


def scalar(value: str | None) -> str:
    """A text as YAML writes it on one line: plain where nothing else can be read into it, else between quotes; null."""
    if value is None:
        return "null"
    if _PLAIN.fullmatch(value) and value.lower() not in _RESERVED:
        return value
    return '"' + "".join(map(_escape, value)) + '"'


def inline(value: Any) -> str:
    """A text, a truth value or a list of texts on one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return scalar(value) if isinstance(value, str) else f"[{', '.join(map(inline, value))}]"


def newline_of(text: str) -> str:
    """How the first line ends."""
    return "\r\n" if text.partition("\n")[0].endswith("\r") else "\n"


def _escape(c: str) -> str:
    if c in '"\\':
        return f"\\{c}"
    if c.isprintable() and c != BOM:
        return c
    return f"\\x{ord(c):02x}" if ord(c) < 256 else f"\\u{ord(c):04x}" if ord(c) < 65536 else f"\\U{ord(c):08x}"


def _root(text: str) -> yaml.Node | None:
    """The root of a text that has been parsed before, so it is good YAML."""
    return yaml.compose(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def _content_end(node: Any) -> int:
    """Where the last scalar of a block ends: the block's own mark stands before whatever comes next."""
    while isinstance(node.value, list) and node.value and not node.flow_style:
        node = node.value[-1][1] if isinstance(node.value[-1], tuple) else node.value[-1]
    return int(node.end_mark.index)


def _add_below(text: str, at: int, lines: Iterable[str]) -> str:
    """`text` with `lines` below that of offset `at`."""
    newline = newline_of(text)
    block = "".join(f"{line}{newline}" for line in lines)
    at = len(text[:at].rstrip()) if at < len(text) else at  # a folded text's own mark stands before the next key
    end = text.find("\n", at)
    if end >= 0:
        return text[: end + 1] + block + text[end + 1 :]
    return f"{text}{newline if text and not text.endswith(newline) else ''}{block}"


# -- a page in Markdown: one list item more, or lines taken out; what stands in comments and in code is no list ----
DASH = "-"
_BULLET = re.compile(r" ?([-*+])[ \t]+\S")


def with_item(text: str, words: str, heading: re.Pattern[str] | None = None, title: str = "") -> str | None:
    """`text` with one item more, at the end of its last list; None where it ends inside of code or a comment.
    `heading`: only in the first section whose title holds this; where there is none it is made, called `title`."""
    lines = lines_of(text)
    found, _, inside = markdown.page([line.rstrip("\r\n") for line in lines])
    if any(each.box if each.kind == "code" else "<!--" in each.text for each in found):
        return None
    newline = newline_of(text)
    section = _section(found, heading, len(lines)) if heading is not None else (0, len(lines))
    if section is None:
        return _append(text, f"## {title}{newline}{newline}{DASH} {words}{newline}", newline)
    start, end = section
    items = [at for at, each in enumerate(found) if each.kind == "item" and not each.quoted and each.parent < 0]
    marks = ((at, _BULLET.match(lines[found[at].line - 1])) for at in items if start < found[at].line <= end)
    bullets = [(at, mark[1]) for at, mark in marks if mark]
    if bullets:
        number, dash = bullets[-1]
        at = _end_of_item(found, number)
        while at in inside:
            at += 1
        return _join(lines, at, f"{dash} {words}{newline}", newline)
    if end == len(lines):
        return _append(text, f"{DASH} {words}{newline}", newline)
    at = max((at + 1 for at in range(start, end) if lines[at].strip()), default=start)
    between = newline if at == start or lines[at - 1].strip() else ""
    return _join(lines, at, f"{between}{DASH} {words}{newline}", newline)


def without_lines(text: str, first: int, count: int) -> str:
    """`text` without `count` lines from line `first` (from 1) on; of two blank lines that then meet, one."""
    lines = lines_of(text)
    before, after = lines[: first - 1], lines[first - 1 + count :]
    if after and not after[0].strip() and (not before or not before[-1].strip()):
        after = after[1:]
    while before and not after and not before[-1].strip():
        before = before[:-1]
    return "".join([*before, *after])


def heads_others(text: str, first: int, count: int) -> bool:
    """Whether a section that begins in line `first` (from 1) goes on below its first `count` lines with what needs its
    heading: a list, a paragraph, a heading of a lower level."""
    found = [each for each in markdown.elements(text.split("\n")) if each.kind != "comment"]
    level = next((each.level for each in found if each.line == first and each.kind == "heading"), 0)
    below = next((each for each in found if each.line >= first + count), None)
    return bool(level) and below is not None and not (below.kind == "heading" and below.level <= level)


def lines_of(text: str) -> list[str]:
    """The lines of a text with their ends; only `\\n` is one."""
    parts = text.split("\n")
    return [f"{part}\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def _section(found: Sequence[Element], heading: re.Pattern[str], count: int) -> tuple[int, int] | None:
    """[start, end) of the lines below the first heading whose title fits, to the next of its level or a higher one."""
    heads = [each for each in found if each.kind == "heading" and not each.quoted]
    head = next((each for each in heads if heading.search(each.text)), None)
    if head is None:
        return None
    end = next((each.line - 1 for each in heads if each.line > head.line and each.level <= head.level), count)
    return head.end, end


def _end_of_item(found: Sequence[Element], at: int) -> int:
    """The last line of an item: what stands under it and what goes on right below it belongs to it."""
    end = found[at].end
    for each in found[at + 1 :]:
        if each.parent < at and not (each.kind == "text" and each.line == end + 1):
            break
        end = max(end, each.end)
    return end


def _join(lines: Sequence[str], at: int, block: str, newline: str) -> str:
    head = "".join(lines[:at])
    if head and not head.endswith("\n"):
        head += newline
    return head + block + "".join(lines[at:])


def _append(text: str, block: str, newline: str) -> str:
    if not text.strip():
        return text + block
    return f"{text}{'' if text.endswith(newline) else newline}{newline}{block}"
