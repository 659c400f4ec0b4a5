"""DOMAIN. Messages of the chat: a long text in pieces, an answer that grows in one, and the buttons below a notice."""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Iterable
from itertools import accumulate

from adjutant.domain.listening.commands import ANSWERED, ChildReply
from adjutant.ports import Bot, BotFailed
from adjutant.printable import escape
from adjutant.records.telegram_log import Press

LIMIT = 4096  # UTF-16 code units, as Telegram counts
_JOINERS = "\u200d\ufe0f"
FIRST, PACE = 1.0, 2.5  # seconds from its first words to the message: a quick answer is one; and between two edits
LONGEST_FLOOD = 20.0  # seconds; whoever asks for a longer pause gets no more edits
KNOWN_WITHIN, STEP = 11.0, 0.05  # seconds: a call of the bot takes no longer; and between two looks
MARK = " …"
SEEN = 200  # characters that a press is answered with
WHY = "why"


def split(text: str, limit: int = LIMIT) -> list[str]:
    """The text in pieces that joined are the text again: cut after a line, else after a blank, else between characters.

    Pieces of blanks alone go with their neighbours' words; a text of blanks alone gives none.
    """
    pieces: list[str] = []
    while text.strip():
        cut = _fit(text, limit)
        if cut < len(text):
            cut = _end_after(text, "\n", cut) or _end_after(text, " ", cut) or _end_between(text, cut)
        if text[:cut].strip():
            pieces.append(text[:cut])
        text = text[cut:]
    return pieces


def count_units(text: str) -> int:
    """UTF-16 code units."""
    return len(text) + sum(char > "\uffff" for char in text)


def _fit(text: str, limit: int) -> int:
    """How many characters fit."""
    if count_units(text) <= limit:
        return len(text)
    used = accumulate(2 if char > "\uffff" else 1 for char in text)
    return next(at for at, size in enumerate(used) if size > limit)


def _end_after(text: str, mark: str, cut: int) -> int:
    """The place behind the last `mark` before `cut`, where words stand before it; 0 for none."""
    place = text.rfind(mark, 0, cut) + 1
    return place if text[:place].strip() else 0


def _end_between(text: str, cut: int) -> int:
    """A place that does not tear a joined emoji apart, as far as one is near."""
    for place in range(cut, max(cut - 16, 1), -1):
        if text[place] not in _JOINERS and text[place - 1] != _JOINERS[0]:
            return place
    return cut


class Growth:
    """One message. What cannot be sent or edited is given up silently: the whole answer is sent in any case."""

    def __init__(self, bot: Bot) -> None:
        self._bot = bot
        self._news = threading.Condition()
        self._text, self._shown, self._over = "", "", False
        self._message: int | None = None
        self._thread: threading.Thread | None = None

    def show(self, text: str) -> None:
        """The text so far."""
        with self._news:
            self._text = text
            self._news.notify_all()
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, daemon=True, name="growing")
            self._thread.start()

    def end(self) -> None:
        """Nothing grows any more."""
        with self._news:
            self._over = True
            self._news.notify_all()

    def message(self, stop: threading.Event) -> int | None:
        """The message that is there after its end, to be edited into the whole answer; None where there is none, where
        nobody knows soon, and once `stop` is set."""
        until = time.monotonic() + KNOWN_WITHIN
        while self._thread is not None and self._thread.is_alive():
            if time.monotonic() >= until or stop.wait(STEP):
                return None
        return self._message

    def _work(self) -> None:
        wait: float | None = FIRST
        while wait is not None:
            with self._news:
                self._news.wait_for(lambda: self._over, wait)
                self._news.wait_for(lambda: self._over or self._text != self._shown)
                if self._over:
                    return
                text = self._text
            wait = self._put(text)

    def _put(self, text: str) -> float | None:
        """Seconds until the next time; None for no more."""
        pieces = split(escape(text), LIMIT - len(MARK))
        try:
            if pieces and self._message is None:
                self._message = self._bot.begin(pieces[0] + MARK)
            elif pieces and self._message is not None:
                self._bot.edit(self._message, pieces[0] + MARK)
        except BotFailed as failed:
            return max(PACE, failed.wait) if failed.cause == "flood" and failed.wait <= LONGEST_FLOOD else None
        self._shown = text
        return PACE


class Buttons:
    """`pressed`: (message, button) of those that did their work in an earlier run."""

    def __init__(self, bot: Bot, pressed: Iterable[tuple[int, str]]) -> None:
        self._bot, self._used = bot, set(pressed)
        self._lines: dict[int, list[str]] = defaultdict(list)  # what a press has not seen yet of its own message
        self._gone: set[tuple[int, str]] = set()

    def are_used(self, press: Press) -> bool:
        """Whether this one did its work."""
        return (press.message, press.button) in self._used

    def show(self, press: Press, told: ChildReply) -> bool:
        """Answers a press; False where it is to be said in a message besides: what is long, and what nobody saw."""
        words, done = told.text + told.own, told.outcome == ANSWERED
        verb, matter, _ = press.button.split(":")
        first, *more = split("" if done and verb == WHY else words, SEEN - 1) or [""]
        try:
            self._bot.answer(press.number, first + ("…" if more else ""), alert=not done)
            seen = True
        except BotFailed:
            seen = False  # too old, or the server is away
        if not done:
            return seen and len(words) <= SEEN
        self._used.add((press.message, press.button))
        over = [press.button] if verb == WHY else [each for each in press.buttons if f":{matter}:" in each]
        self._gone |= {(press.message, each) for each in over}
        if verb != WHY:
            self._lines[press.message].append(words)
        return self._edit(press) and verb != WHY

    def _edit(self, press: Press) -> bool:
        there = press.text.split("\n")
        lines = [line for line in self._lines[press.message] if line not in there]
        left = [each for each in press.buttons if (press.message, each) not in self._gone]
        try:
            if press.text:
                self._bot.edit(press.message, "\n".join([*there, *lines]), buttons=left)
        except BotFailed:
            return False
        return bool(press.text)
