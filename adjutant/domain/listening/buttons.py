"""DOMAIN. Buttons below a notice: each works once; who pressed it sees what came of it, and the message shows it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from adjutant.domain.listening.children import ANSWERED, ChildReply
from adjutant.domain.listening.splitting import split
from adjutant.ports import Bot, BotFailed
from adjutant.records.telegram_update import Press

SEEN = 200  # characters that a press is answered with
WHY = "why"


class Buttons:
    """`pressed`: (message, button) of those that did their work in an earlier run."""

    def __init__(self, bot: Bot, pressed: Iterable[tuple[int, str]]) -> None:
        self._bot, self._used = bot, set(pressed)
        self._lines: dict[int, list[str]] = defaultdict(list)  # what a press has not seen yet of its own message
        self._gone: set[tuple[int, str]] = set()

    def are_used(self, press: Press) -> bool:
        """Whether this one did its work."""
        return (press.message, press.button) in self._used

    def shown(self, press: Press, told: ChildReply) -> bool:
        """Answers a press; False where it is to be said in a message besides: what is long, and what nobody saw."""
        words, done = told.text + told.own, told.outcome == ANSWERED
        verb, matter, _ = press.button.split(":")
        seen = self._answered(press, "" if done and verb == WHY else words, done)
        if not done:
            return seen and len(words) <= SEEN
        self._used.add((press.message, press.button))
        over = [press.button] if verb == WHY else [each for each in press.buttons if f":{matter}:" in each]
        self._gone |= {(press.message, each) for each in over}
        if verb != WHY:
            self._lines[press.message].append(words)
        return self._edited(press) and verb != WHY

    def _answered(self, press: Press, words: str, done: bool) -> bool:
        first, *more = split(words, SEEN - 1) or [""]
        try:
            self._bot.answer(press.number, first + ("…" if more else ""), alert=not done)
        except BotFailed:
            return False  # too old, or the server is away
        return True

    def _edited(self, press: Press) -> bool:
        if not press.text:
            return False
        there = press.text.split("\n")
        lines = [line for line in self._lines[press.message] if line not in there]
        left = [each for each in press.buttons if (press.message, each) not in self._gone]
        try:
            self._bot.edit(press.message, "\n".join([*there, *lines]), buttons=left)
        except BotFailed:
            return False
        return True
