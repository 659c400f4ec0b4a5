"""OUTSIDE. What a dialogue with tools is over either API: turns in the order servers take, calls that may go back."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from adjutant.ports import Message, ToolCall
from adjutant.store import jsonl

MOST_CALLS = 32
MOST_DEEP = 64  # of arguments: they are written again in every later request
LONGEST_NAME = 64
NO_NAME = re.compile(r"[^A-Za-z0-9_-]")
NO_MODEL = re.compile(r"[^\w.:/@-]", re.ASCII)
UNNAMED = "unnamed"
NO_RESULT, EMPTY, BEFORE = "(no result)", "(empty)", "(what was said before is left out)"


class TalkTurn(NamedTuple):
    """What one side says at a stretch: its texts, an assistant's calls, and {call: result}."""

    role: str
    texts: list[str]
    calls: list[ToolCall]
    answered: dict[str, str]

    @property
    def text(self) -> str:
        """All that was said, "" for nothing."""
        return "\n\n".join(text for text in self.texts if text.strip())

    @property
    def results(self) -> list[tuple[ToolCall, str]]:
        """Each call with its result, in the order of the calls: both APIs want one for each."""
        found = [(call, self.answered.get(call.id, NO_RESULT)) for call in self.calls]
        return [(call, text if text.strip() else EMPTY) for call, text in found]


def turns(messages: Iterable[Message]) -> list[TalkTurn]:
    """The sides by turns, the user first; what says nothing and results without a call are left out.

    Two turns of the assistant follow each other only with the results of the first between them. A second result for
    the same call changes nothing.
    """
    found: list[TalkTurn] = []
    for message in messages:
        if message.role == "tool":
            spoke = next((turn for turn in reversed(found) if turn.role == "assistant"), None)
            if spoke is not None and any(call.id == message.call_id for call in spoke.calls):
                spoke.answered.setdefault(message.call_id, message.text)
            continue
        if not (message.text.strip() or message.calls):
            continue
        if not found and message.role == "assistant":
            found.append(TalkTurn("user", [BEFORE], [], {}))
        if not found or found[-1].role != message.role or found[-1].answered:
            found.append(TalkTurn(message.role, [], [], {}))
        found[-1].texts.append(message.text)
        found[-1].calls.extend(message.calls)
    return found


class Calls:
    """Makes calls of what a model wrote, whatever that is, so that each may stand in the next request.

    An id that is missing, odd or taken in this dialogue is replaced (by nine letters and digits, which every server
    takes); so are characters of a name that no API allows. Past MOST_CALLS calls are left out.
    """

    def __init__(self, before: Sequence[Message], scrubbed: Callable[[str], str], allowed: re.Pattern[str]) -> None:
        """`before`: what was said so far; `scrubbed` takes the key out of a text; `allowed`: what an id looks like."""
        self.found: list[ToolCall] = []
        self.short = False  # the reply ended because it was as long as it may be
        self.model = ""  # the one that answered, as the server calls it
        self._taken = {call.id for message in before for call in message.calls}
        self._scrubbed, self._allowed = scrubbed, allowed

    def add(self, id: Any, name: Any, given: Any, kept: dict[str, Any] | None = None) -> None:
        """One call: `given` are the arguments, as JSON text or decoded; null and "" mean that there are none."""
        if len(self.found) == MOST_CALLS:
            return
        raw = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
        made = ToolCall(self._id(id), self._name(name), self._arguments(raw), self._sound(raw), self._kept(kept))
        self.found.append(made)

    def cut(self) -> None:
        """The reply was ended within its last call: nobody knows whether that one is whole."""
        if self.found:
            self.found[-1] = self.found[-1]._replace(arguments=None)

    def came_from(self, model: Any) -> None:
        """Notes the model that answered, as far as that is a name."""
        shown = self._scrubbed(model) if isinstance(model, str) else ""
        self.model = NO_MODEL.sub("_", shown)[:LONGEST_NAME]

    def _arguments(self, raw: str) -> dict[str, Any] | None:
        try:
            found = self._sound(jsonl.loads(raw) if raw.strip() else None)
        except (ValueError, RecursionError):
            return None
        return {} if found is None else found if isinstance(found, dict) else None

    def _name(self, given: Any) -> str:
        shown = self._scrubbed(given) if isinstance(given, str) else ""
        return NO_NAME.sub("_", shown)[:LONGEST_NAME] or UNNAMED

    def _id(self, given: Any) -> str:
        shown = self._scrubbed(given) if isinstance(given, str) else ""
        if shown in self._taken or not self._allowed.fullmatch(shown):
            number = len(self._taken)
            while (shown := f"call{number:05d}") in self._taken:
                number += 1
        self._taken.add(shown)
        return shown

    def _kept(self, kept: dict[str, Any] | None) -> dict[str, Any] | None:
        try:
            found: dict[str, Any] | None = self._sound(kept) or None
        except ValueError:
            return None
        return found

    def _sound(self, value: Any, deep: int = MOST_DEEP) -> Any:
        """The value as it can be written again, without the key. Raises ValueError for what cannot."""
        if isinstance(value, str):
            return self._scrubbed(value.encode("utf-8", "replace").decode())
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError("a number too large")  # 1e999 is JSON, and is read as infinity
        if isinstance(value, dict | list) and deep == 0:
            raise ValueError("nested too deeply")
        if isinstance(value, dict):
            return {self._sound(name): self._sound(inner, deep - 1) for name, inner in value.items()}
        return [self._sound(inner, deep - 1) for inner in value] if isinstance(value, list) else value
