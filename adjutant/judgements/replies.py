"""OPINION. What a reply must look like, and how a raw one becomes a typed result, or a reason why it does not."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any, TypeVar, get_origin

import msgspec

from adjutant.screening.characters import without_controls
from adjutant.store import jsonl

T = TypeVar("T", bound=msgspec.Struct)
REF = "#/$defs/"
ANNOTATIONS = ("default", "title", "examples")
MAX_CHARS = 256 * 1024
MAX_DEPTH = 32
MAX_OBJECTS = 20
_THOUGHT = re.compile(r"\A\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
_MARK = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[{}\[\]]', re.DOTALL)


class ReplyBroken(Exception):
    """The reply holds no result of the asked type; `reason` says why, in words that help to do better."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def parse(text: str, result: type[T]) -> T:
    """The first JSON object in `text` that is a `result` (a msgspec.Struct); prose and fences around it are let be.

    Strict: no NaN, no key twice, no text where a number belongs. Size and depth are capped before anything is decoded,
    and an object that is cut off is never searched for smaller ones inside it. Raises ReplyBroken.
    """
    if len(text) > MAX_CHARS:
        raise ReplyBroken(f"the reply is longer than {MAX_CHARS} characters")
    broken: ReplyBroken | None = None
    for held in _objects(_THOUGHT.sub("", text)):
        try:
            return _typed(held, result)
        except ReplyBroken as error:
            broken = broken or error
    raise broken or ReplyBroken("the reply holds no JSON object")


def salvage(text: str, result: type[T]) -> T | None:
    """What is whole of a reply that was cut off: its root object up to the last whole entry of a list, missing lists
    empty and missing texts "". None where nothing is."""
    text = _THOUGHT.sub("", text[:MAX_CHARS])
    start, whole = text.find("{"), 0
    try:
        for end, mark, opened in _marks(text, start):
            if not opened:
                return None  # it was not cut off, but is wrong
            if opened == ["{", "["] and mark == "}":
                whole = end
        value = _plain(jsonl.loads(text[start:whole] + "]}"))
        for field in msgspec.structs.fields(result):
            if field.encode_name not in value and field.required:
                value[field.encode_name] = _EMPTY[str(get_origin(field.type) or field.type)]
        return msgspec.convert(value, result)
    except (ReplyBroken, ValueError, KeyError, msgspec.ValidationError):
        return None


_EMPTY: dict[str, Any] = {str(list): [], str(str): ""}


def _objects(text: str) -> Iterator[str]:
    """The balanced {...} of a text, outermost only."""
    start = text.find("{")
    for _ in range(MAX_OBJECTS):
        if start < 0:
            return
        end = next((end for end, _, opened in _marks(text, start) if not opened), None)
        if end is None:
            raise ReplyBroken("the JSON object is not closed; the reply may have been cut off: be shorter")
        yield text[start:end]
        start = text.find("{", end)


def _marks(text: str, start: int) -> Iterator[tuple[int, str, list[str]]]:
    """Each bracket of the JSON that begins at `start`: where it ends, the bracket, and those that are open by then."""
    opened: list[str] = []
    for found in _MARK.finditer(text, start) if start >= 0 else ():
        mark = text[found.start()]
        if mark in "{[":
            opened.append(mark)
        elif mark in "}]":
            opened.pop()
        else:
            continue
        if len(opened) > MAX_DEPTH:
            raise ReplyBroken(f"the JSON is nested more than {MAX_DEPTH} deep")
        yield found.end(), mark, opened
        if not opened:
            return


def _typed(held: str, result: type[T]) -> T:
    try:
        value = _plain(jsonl.loads(held))
    except ValueError as error:
        raise ReplyBroken(f"not strict JSON: {error}") from None
    fields = {field.encode_name for field in msgspec.structs.fields(result)}
    if fields and not fields & value.keys():
        raise ReplyBroken(f"the object has none of the fields {', '.join(sorted(fields))}")
    try:
        return msgspec.convert(value, result)
    except msgspec.ValidationError as error:
        raise ReplyBroken(str(error)) from None


def _plain(value: Any) -> Any:
    """The same value without what no file of ours may hold: control characters, half surrogates, infinity."""
    if isinstance(value, str):
        return without_controls(value)
    if isinstance(value, dict):
        return {without_controls(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("a number that is too large")
    return value


def schema_of(result: type[Any]) -> dict[str, Any]:
    """Schema of a msgspec.Struct: an object at the root, every property required, no further ones, no defaults.

    These are the rules of OpenAI's structured outputs; other servers take such a schema as well.
    """
    root: dict[str, Any] = _strict(msgspec.json.schema(result))
    name = str(root.get("$ref", ""))
    if name.startswith(REF):
        held = root["$defs"]
        found = held.pop(name.removeprefix(REF))
        root = {**found, "$defs": held} if held else found
    return root


def _strict(value: Any) -> Any:
    if isinstance(value, list):
        return [_strict(item) for item in value]
    if not isinstance(value, dict):
        return value
    if value.get("type") == "object" and isinstance(value.get("properties"), dict):
        properties = {name: _strict(inner) for name, inner in value["properties"].items()}
        rest = {key: _strict(inner) for key, inner in value.items() if key not in ("properties", *ANNOTATIONS)}
        return {**rest, "properties": properties, "required": list(properties), "additionalProperties": False}
    return {key: _strict(inner) for key, inner in value.items() if key not in ANNOTATIONS}
