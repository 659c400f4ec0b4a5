"""DOMAIN. One value of adjutant.yaml changed, one concept added to a taxonomy, and every other byte as it was.

The marks of the YAML tree tell where to write; the result is read again and compared with what was meant. What cannot
be done for certain is refused. A comment on a line of its own stays; one behind an item goes with the item.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from adjutant.domain.recall import taxonomy
from adjutant.domain.recall.concept import Concept
from adjutant.domain.recall.taxonomy import Scheme
from adjutant.errors import ConfigInvalid, TaxonomyInvalid
from adjutant.store import config as settings
from adjutant.store import marked_yaml
from adjutant.store.config import Config
from adjutant.store.files import Files
from adjutant.store.marked_yaml import Node
from adjutant.store.tree import Tree

STEP = "  "
_BOM = "\ufeff"
_PLAIN = re.compile(r"[^\W\d_](?:[\w/.-]| (?=\w))*(?<![.-])")
_RESERVED = frozenset(("null", "true", "false", "yes", "no", "on", "off", "y", "n", "nan", "inf"))
_COMMENT = re.compile(r"[ \t]*(?:#.*)?")


class Refused(Exception):
    """The file is written in a way that cannot be edited for certain; the message says what to do by hand."""


def with_setting(text: str, name: str, value: str) -> str:
    """adjutant.yaml with `a.b.c: value`, set where it stands or added. Raises Refused."""
    path = tuple(name.split("."))
    advice, before = f"set `{name}: {value}` by hand", _config(text)
    changed = _edited(text, lambda plain: _set(plain, path, value), advice)
    return _proved(before, changed, path, value, advice)


def without_item(text: str, name: str, item: str) -> str:
    """adjutant.yaml with one item taken out of the list `a.b.c`. Raises Refused, also where it is not in it."""
    path, advice = tuple(name.split(".")), f"take `{item}` out of `{name}` by hand"
    before = _config(text)
    changed = _edited(text, lambda plain: _taken(plain, path, item), advice)
    return _proved(before, changed, path, [each for each in _value(before, path) if each != item], advice)


def with_concept(text: str, shown: str, concept: Concept) -> str:
    """A taxonomy with one concept more, below the others of its broader one. Raises Refused; `shown` is its path."""
    advice, before = f"add `{concept.id}` by hand", _scheme(text, shown)
    changed = _edited(text, lambda plain: _added(plain, concept, shown), advice)
    after = _scheme(changed, shown)
    known = {id: each._replace(lines={}) for id, each in before.concepts.items()}
    found = {id: each._replace(lines={}) for id, each in after.concepts.items()}
    if found != known | {concept.id: concept._replace(lines={})} or concept.id in known or after.pref != before.pref:
        raise Refused(f"{shown}: it is written in a way that nothing can be added to for certain; {advice}")
    return changed


# -- reading -------------------------------------------------------------------------------------------------


def _edited(text: str, edit: Any, advice: str) -> str:
    """What an edit makes of a text; a byte order mark stays in front. Raises Refused."""
    mark = _BOM if text.startswith(_BOM) else ""
    try:
        return mark + str(edit(text.removeprefix(_BOM)))
    except marked_yaml.Broken as error:
        raise Refused(f"{error}; {advice}") from error
    except LookupError as error:
        raise Refused(f"{error.args[0]}; {advice}") from error


def _config(text: str) -> Config:
    try:
        return settings.parse(text.encode("utf-8", "surrogatepass"))
    except ConfigInvalid as error:
        raise Refused(error.message) from error


def _scheme(text: str, shown: str) -> Scheme:
    """The scheme of a text, read as if it lay in an instance."""
    files = Files(Tree("/"), dry=True)
    files.overlay[files.tree.taxonomy] = text.encode("utf-8", "surrogatepass")
    try:
        return taxonomy.load(files)
    except TaxonomyInvalid as error:
        raise Refused(error.message.replace(files.tree.relative(files.tree.taxonomy), shown)) from error


def _value(config: Config, path: Sequence[str]) -> Any:
    """The value of judgements.NAME.FIELD, specialists.NAME.FIELD, or of any other setting; None where it has none."""
    if path[0] in ("judgements", "specialists"):
        maps: Mapping[str, Mapping[str, Any]] = getattr(config, path[0])
        return maps.get(path[1], {}).get(path[2]) if len(path) == 3 else None
    return config.values.get(".".join(path))


def _proved(before: Config, changed: str, path: Sequence[str], value: Any, advice: str) -> str:
    """`changed`, where it says what is meant and else what it said before. Raises Refused."""
    after = _config(changed)
    if path[0] in ("judgements", "specialists") and len(path) == 3:
        maps: dict[str, dict[str, Any]] = getattr(before, path[0])
        maps.setdefault(path[1], {})[path[2]] = value
    else:
        before.values[".".join(path)] = value
    same = (before.values, before.judgements, before.specialists) == (after.values, after.judgements, after.specialists)
    if not same:
        raise Refused(f"{settings.NAME}: it is written in a way that cannot be edited for certain; {advice}")
    return changed


# -- setting a value -----------------------------------------------------------------------------------------


def _set(text: str, path: Sequence[str], value: str) -> str:
    node, depth, flow = marked_yaml.mapping(text.encode(), settings.NAME), 0, False
    while depth < len(path) and node.is_mapping and (inner := dict(node.items()).get(path[depth])) is not None:
        flow = flow or _in_brackets(node)
        node, depth = inner, depth + 1
    if depth == len(path):
        if not node.is_scalar:
            raise LookupError(f"{settings.NAME}:{node.line}: `{'.'.join(path)}` is {node.shown}")
        start = node.node.start_mark.index
        if start == node.node.end_mark.index:  # `key:` with nothing behind it
            at = text.rindex(":", 0, start + 1) + 1
            return f"{text[:at]} {scalar(value)}{text[at:]}"
        return _replaced(text, node, scalar(value))
    if flow and not (node.is_mapping and list(node.items())):
        return _replaced(text, node, f"{{{_flow(path[depth:], value)}}}")
    return _inserted(text, node, path[depth:], value, depth)


def _inserted(text: str, node: Node, path: Sequence[str], value: str, depth: int) -> str:
    """`path: value` as a new entry of the mapping `node`, which stands `depth` keys deep."""
    newline = _newline(text)
    if depth == 0 and not list(node.items()):
        return _after(text, len(text), _block(path, value, "", newline), newline)
    if node.is_mapping and list(node.items()):
        last = list(node.node.value)[-1]
        if _in_brackets(node):
            at = last[1].end_mark.index
            return f"{text[:at]}, {_flow(path, value)}{text[at:]}"
        indent = " " * last[0].start_mark.column
        return _after(text, _content_end(last[1]), _block(path, value, indent, newline), newline)
    if not (node.is_null or node.is_mapping) or depth == 0:
        raise LookupError(f"{settings.NAME}:{node.line}: {node.shown} where a mapping belongs")
    return _opened(text, node, path, value, newline)


def _opened(text: str, node: Node, path: Sequence[str], value: str, newline: str) -> str:
    """`path: value` below a key that holds `{}`, null or nothing."""
    start, end = node.node.start_mark.index, node.node.end_mark.index
    if start == end:
        start = end = text.rindex(":", 0, start + 1) + 1
    head = text[:start].rstrip(" ")
    line = head[head.rfind("\n") + 1 :]
    indent = " " * (len(line) - len(line.lstrip(" "))) + STEP
    return _after(head + text[end:], len(head), _block(path, value, indent, newline), newline)


def _block(path: Sequence[str], value: str, indent: str, newline: str) -> str:
    lines = [f"{indent}{STEP * depth}{key}:" for depth, key in enumerate(path)]
    lines[-1] += f" {scalar(value)}"
    return newline.join(lines) + newline


def _flow(path: Sequence[str], value: str) -> str:
    head, *rest = path
    return f"{head}: {{{_flow(rest, value)}}}" if rest else f"{head}: {scalar(value)}"


# -- taking an item ------------------------------------------------------------------------------------------


def _taken(text: str, path: Sequence[str], item: str) -> str:
    node: Node | None = marked_yaml.mapping(text.encode(), settings.NAME)
    for key in path:
        node = dict(node.items()).get(key) if node is not None and node.is_mapping else None
    if node is None or not node.is_list:
        raise LookupError(f"{settings.NAME}: there is no list `{'.'.join(path)}`")
    items = list(node.elements())
    found = [number for number, each in enumerate(items) if each.text == item]
    if len(found) != 1:
        raise LookupError(f"{settings.NAME}:{node.line}: `{item}` does not stand in `{'.'.join(path)}`")
    if _in_brackets(node):
        return _from_flow(text, node, items, found[0])
    return _from_block(text, items, found[0])


def _from_flow(text: str, node: Node, items: Sequence[Node], number: int) -> str:
    if len(items) == 1:
        start, end = node.node.start_mark.index + 1, node.node.end_mark.index - 1
    elif number + 1 < len(items):
        start, end = items[number].node.start_mark.index, items[number + 1].node.start_mark.index
    else:
        start, end = items[number - 1].node.end_mark.index, items[number].node.end_mark.index
    if "#" in text[start:end]:
        raise LookupError(f"{settings.NAME}:{items[number].line}: a comment stands between the items")
    return text[:start] + text[end:]


def _from_block(text: str, items: Sequence[Node], number: int) -> str:
    """Without the item's own line; an empty list is written as one."""
    node = items[number].node
    start = text.rfind("\n", 0, node.start_mark.index) + 1
    end = text.find("\n", node.end_mark.index) + 1 or len(text)
    if not re.fullmatch(r"[ \t]*-[ \t]+", text[start : node.start_mark.index]) or not _COMMENT.fullmatch(
        text[node.end_mark.index : end].rstrip("\r\n")
    ):
        raise LookupError(f"{settings.NAME}:{items[number].line}: more than the item stands on its line")
    left = text[:start] + text[end:]
    if len(items) > 1:
        return left
    rows = text[:start].split("\n")
    while not (plain := rows[-1].strip()) or plain.startswith("#"):
        rows.pop()
    at = len("\n".join(rows[:-1])) + bool(rows[:-1]) + rows[-1].index(":") + 1
    return f"{left[:at]} []{left[at:]}"


# -- adding a concept ----------------------------------------------------------------------------------------


def _added(text: str, concept: Concept, shown: str) -> str:
    listed = dict(marked_yaml.mapping(text.encode(), shown, max_depth=6).items())["concepts"]
    if _in_brackets(listed) or not concept.broader:
        raise LookupError(f"{shown}:{listed.line}: there is no block of concepts to add to")
    broader = concept.broader[0]
    near = [pair for pair in listed.node.value if pair[0].value == broader or pair[0].value.startswith(f"{broader}/")]
    if not near:
        raise LookupError(f"{shown}: there is no concept `{broader}`")
    key, node = near[-1]
    newline, indent = _newline(text), " " * key.start_mark.column
    rows = [f"{indent}{concept.id}:", f"{indent}{STEP}prefLabel: {_labels(concept.pref)}"]
    for name, labels in (("altLabels", concept.alt), ("hiddenLabels", concept.hidden)):
        rows += [f"{indent}{STEP}{name}:"] if labels else []
        rows += [
            f"{indent}{STEP * 2}{language}: [{', '.join(map(scalar, several))}]" for language, several in labels.items()
        ]
    rows.append(f"{indent}{STEP}broader: {broader}")
    return _after(text, _content_end(node), newline.join(rows) + newline, newline)


def _labels(labels: Mapping[str, str]) -> str:
    return "{" + ", ".join(f"{language}: {scalar(label)}" for language, label in labels.items()) + "}"


# -- writing -------------------------------------------------------------------------------------------------


def scalar(value: str) -> str:
    """A text as YAML writes it on one line: plain where nothing else can be read into it, else between quotes."""
    is_plain = _PLAIN.fullmatch(value) and value.lower() not in _RESERVED
    return value if is_plain else json.dumps(value, ensure_ascii=False)


def _in_brackets(node: Node) -> bool:
    """Whether a mapping or list is written as `{…}` or `[…]`."""
    return bool(getattr(node.node, "flow_style", False))


def _replaced(text: str, node: Node, new: str) -> str:
    return text[: node.node.start_mark.index] + new + text[node.node.end_mark.index :]


def _content_end(node: Any) -> int:
    """Where the last scalar of a block ends: the block's own mark stands before whatever comes next."""
    while isinstance(node.value, list) and node.value and not node.flow_style:
        node = node.value[-1][1] if isinstance(node.value[-1], tuple) else node.value[-1]
    return int(node.end_mark.index)


def _after(text: str, at: int, block: str, newline: str) -> str:
    """`text` with `block` on the lines below that of offset `at`."""
    at = len(text[:at].rstrip()) if at < len(text) else at  # a folded text's own mark stands before the next key
    end = text.find("\n", at)
    if end >= 0:
        return text[: end + 1] + block + text[end + 1 :]
    return f"{text}{newline if text and not text.endswith(newline) else ''}{block}"


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text[: text.find("\n") + 1] else "\n"
