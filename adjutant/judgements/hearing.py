"""OPINION. What a model's replies to one question come to: parsed, checked, what is missing asked for once more."""

import importlib
import math
import re
from collections.abc import Callable, Iterator
from typing import Any, Generic, Protocol, TypeVar, get_origin

import msgspec

from adjutant.ports import ReplyRefused
from adjutant.screening.characters import without_controls
from adjutant.screening.fence import Fence
from adjutant.store import jsonl, settings

MOST_REPLIES = 2
T = TypeVar("T", bound=msgspec.Struct)
REF = "#/$defs/"
ANNOTATIONS = ("default", "title", "examples")
MAX_CHARS, MAX_DEPTH, MAX_OBJECTS = 256 * 1024, 32, 20
_THOUGHT = re.compile(r"\A\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
_MARK = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[{}\[\]]', re.DOTALL)


# By string, MODULE:OBJECT or the module itself: a run loads the judgements it asks, no others.
_HELD = {"classify": "filing", "pulse": "seeing:PULSE", "brief": "seeing:BRIEF"}
_HELD |= {"content-review": "summarise:ContentReview"}
_NAMES = (name for name in settings.JUDGEMENTS if name != "turn")
JUDGEMENTS = {name: f"adjutant.judgements.{_HELD.get(name, name.replace('-', '_'))}" for name in _NAMES}

I = TypeVar("I", contravariant=True)  # noqa: E741 - the inputs; R is the result
R = TypeVar("R")


class Judgement(Protocol[I, R]):
    """What puts one question: its template, types, check and own answer. All that check and rules need is in the
    inputs, so that a run can be replayed. `variables` fences every untrusted text; `check` gives what holds and notes
    of what was dropped, or raises ReplyRefused; `rules` is the answer without any model."""

    NAME: str
    TEMPLATE: str
    TIER: str
    TEMPERATURE: float
    MAX_TOKENS: int
    Inputs: Any
    Result: Any

    def variables(self, inputs: I, fence: Fence) -> dict[str, Any]: ...

    def check(self, inputs: I, result: R) -> tuple[R, list[str]]: ...

    def rules(self, inputs: I) -> R: ...


def load_judgement(name: str) -> Judgement[Any, Any]:
    """A judgement by its name. Raises KeyError for a name that is none."""
    path, _, held = JUDGEMENTS[name].partition(":")
    module: Any = importlib.import_module(path)
    judgement: Judgement[Any, Any] = getattr(module, held) if held else module
    return judgement


class NoAnswer(Exception):
    """The model gives none: rules stand in, for this `cause`. `by_reply`: it did reply, but with nothing usable."""

    def __init__(self, cause: str, detail: str, *, by_reply: bool = False) -> None:
        super().__init__(detail)
        self.cause, self.detail, self.by_reply = cause, detail, by_reply


class ReplyBroken(ReplyRefused):
    """The reply holds no result of the asked type."""


class Hearing(Generic[I, R]):
    """The replies to one question, one after the other. A judgement may have `lacking(inputs, result)`, what is to be
    asked for once more, and `join(inputs, first, second)`. `again`: why to ask once more; `widen` adds what an agent
    cites."""

    def __init__(self, judgement: Judgement[I, R], inputs: I, widen: Callable[[I, R], I] | None = None) -> None:
        self._judgement, self.inputs, self._widen = judgement, inputs, widen
        self._more: Any = judgement  # with the functions that not every judgement has
        self.result: R | None = None  # of what counts so far; where there is one, the model is asked for the rest
        self._notes: list[str] = []
        self._refused = NoAnswer("malformed", "the model replied nothing", by_reply=True)
        self._heard = 0
        self.error: str | None = None
        self.again: str | None = None

    def hear(self, reply: str) -> None:
        self._heard += 1
        try:
            result, cut = self._parse(reply)
            if self._widen is not None:
                self.inputs = self._widen(self.inputs, result)
            result, notes = self._judgement.check(self.inputs, result)
        except ReplyRefused as refused:
            cause = "malformed" if isinstance(refused, ReplyBroken) else "check"
            self._refused = NoAnswer(cause, refused.reason, by_reply=True)
            self.error = self.again = refused.reason
        else:
            if self.result is not None and hasattr(self._more, "join"):
                result = self._more.join(self.inputs, self.result, result)
                notes = list(dict.fromkeys([*self._notes, *notes]))
            self.result, self._notes = result, notes
            lacking = str(self._more.lacking(self.inputs, self.result)) if hasattr(self._more, "lacking") else ""
            self.again = " ".join(filter(None, (cut, lacking))) or None
            self.error = self.again or self.error
        if self._heard >= MOST_REPLIES:
            self.again = None

    def finish(self) -> tuple[R, list[str]]:
        """The result and the notes of the check. Raises NoAnswer where no reply was of use."""
        if self.result is None:
            raise self._refused
        return self.result, self._notes

    def _parse(self, reply: str) -> tuple[R, str]:
        """A reply's result, unchecked, and what to say of one that was cut off: its whole items count."""
        try:
            return parse(reply, self._more.Result), ""
        except ReplyBroken:
            if hasattr(self._more, "join") and (found := salvage(reply, self._more.Result)) is not None:
                return found, "Your reply was cut off: its whole items count. Give the rest, and be shorter."
            raise


def parse(text: str, result: type[T]) -> T:
    """The first JSON object in `text` that is a `result`; prose and fences around it are let be. Strict, size and depth
    capped; one that is cut off is never searched for smaller ones inside it. Raises ReplyBroken."""
    if len(text) > MAX_CHARS:
        raise ReplyBroken(f"the reply is longer than {MAX_CHARS} characters")
    broken: ReplyBroken | None = None
    fields = {field.encode_name for field in msgspec.structs.fields(result)}
    for held in _objects(_THOUGHT.sub("", text)):
        try:
            value = _plain(jsonl.loads(held))
            if not fields or fields & value.keys():
                return msgspec.convert(value, result)
            error = f"the object has none of the fields {', '.join(sorted(fields))}"
        except msgspec.ValidationError as invalid:
            error = str(invalid)
        except ValueError as wrong:
            error = f"not strict JSON: {wrong}"
        broken = broken or ReplyBroken(error)
    raise broken or ReplyBroken("the reply holds no JSON object")


def salvage(text: str, result: type[T]) -> T | None:
    """What is whole of a reply that was cut off, up to the last whole entry of its list; None where nothing is."""
    text = _THOUGHT.sub("", text[:MAX_CHARS])
    start, whole = text.find("{"), 0
    try:
        for end, mark, opened in _marks(text, start):
            if not opened:
                return None  # it was not cut off, but is wrong
            if opened == ["{", "["] and mark == "}":
                whole = end
        empty = {field.encode_name: get_origin(field.type) or field.type for field in msgspec.structs.fields(result)}
        empty = {name: kind() for name, kind in empty.items() if kind in (list, str)}
        return msgspec.convert(empty | _plain(jsonl.loads(text[start:whole] + "]}")), result)
    except (ReplyBroken, ValueError, msgspec.ValidationError):
        return None


def _objects(text: str) -> Iterator[str]:
    end = 0
    for _ in range(MAX_OBJECTS):
        if (start := text.find("{", end)) < 0:
            return
        end = next((end for end, _, opened in _marks(text, start) if not opened), 0)
        if not end:
            raise ReplyBroken("the JSON object is not closed; the reply may have been cut off: be shorter")
        yield text[start:end]


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
    """Schema by the rules of OpenAI's structured outputs: every property required, no further ones, no defaults."""
    root: dict[str, Any] = _strict(msgspec.json.schema(result))
    held = root["$defs"]
    found: dict[str, Any] = held.pop(root["$ref"].removeprefix(REF))
    return {**found, "$defs": held} if held else found


def _strict(value: Any) -> Any:
    if isinstance(value, list):
        return [_strict(item) for item in value]
    if not isinstance(value, dict):
        return value
    held = value.get("properties") if value.get("type") == "object" else None
    rest = {key: _strict(inner) for key, inner in value.items() if key not in ANNOTATIONS and inner is not held}
    if isinstance(held, dict):
        rest |= {"properties": {name: _strict(inner) for name, inner in held.items()}}
        rest |= {"required": list(held), "additionalProperties": False}
    return rest
