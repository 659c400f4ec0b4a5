"""OPINION. What a model's replies to one question come to: parsed, checked, what is missing asked for once more.

The engine that asks and the one that replays hear the same way, so that a record comes out as it did.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic

from adjutant.judgements import replies
from adjutant.judgements.judgement import I, Judgement, R

MOST_REPLIES = 2


class NoAnswer(Exception):
    """The model gives none: rules stand in, for this `cause`. `by_reply`: it did reply, but with nothing usable."""

    def __init__(self, cause: str, detail: str, *, by_reply: bool = False) -> None:
        super().__init__(detail)
        self.cause, self.detail, self.by_reply = cause, detail, by_reply


class ReplyRefused(Exception):
    """A result that may not be used; `reason` is what the model is told before its one repair."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Hearing(Generic[I, R]):
    """The replies to one question, heard one after the other.

    A judgement may have `lacking(inputs, result)`, what has to be asked for once more ("" for nothing), and
    `join(inputs, first, second)`, what two replies come to. `again`: why the model is to be asked once more, None when
    it is not. `widen` adds to the inputs what an agent cites beyond what it was shown.
    """

    def __init__(self, judgement: Judgement[I, R], inputs: I, widen: Callable[[I, R], I] | None = None) -> None:
        self._judgement, self.inputs, self._widen = judgement, inputs, widen
        self._more: Any = judgement  # with the functions that not every judgement has
        self._result: R | None = None
        self._notes: list[str] = []
        self._refused = NoAnswer("malformed", "the model replied nothing", by_reply=True)
        self._heard = 0
        self.error: str | None = None
        self.again: str | None = None

    @property
    def partial(self) -> bool:
        """Whether something of a reply counts already: the model is asked for the rest."""
        return self._result is not None

    def hear(self, reply: str) -> None:
        """Takes in a reply; never raises for what it says."""
        self._heard += 1
        try:
            result, cut = self._parsed(reply)
            if self._widen is not None:
                self.inputs = self._widen(self.inputs, result)
            result, notes = self._judgement.check(self.inputs, result)
        except (replies.ReplyBroken, ReplyRefused) as refused:
            cause = "check" if isinstance(refused, ReplyRefused) else "malformed"
            self._refused = NoAnswer(cause, refused.reason, by_reply=True)
            self.error = self.again = refused.reason
        else:
            self._join(result, notes)
            lacking = str(self._more.lacking(self.inputs, self._result)) if hasattr(self._more, "lacking") else ""
            self.again = " ".join(filter(None, (cut, lacking))) or None
            self.error = self.again or self.error
        if self._heard >= MOST_REPLIES:
            self.again = None

    def finish(self) -> tuple[R, list[str]]:
        """The result and the notes of the check. Raises NoAnswer where no reply was of use."""
        if self._result is None:
            raise self._refused
        return self._result, self._notes

    def _join(self, result: R, notes: list[str]) -> None:
        if self._result is None or not hasattr(self._more, "join"):
            self._result, self._notes = result, notes
        else:
            self._result = self._more.join(self.inputs, self._result, result)
            self._notes = [*self._notes, *(note for note in notes if note not in self._notes)]

    def _parsed(self, reply: str) -> tuple[R, str]:
        """A reply's result, unchecked, and what to say of one that was cut off: its whole items count."""
        wanted: Any = self._judgement.Result
        try:
            result: R = replies.parse(reply, wanted)
            return result, ""
        except replies.ReplyBroken:
            if hasattr(self._more, "join") and (found := replies.salvage(reply, wanted)) is not None:
                return found, "Your reply was cut off: its whole items count. Give the rest, and be shorter."
            raise
