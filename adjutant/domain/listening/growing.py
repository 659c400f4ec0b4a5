"""DOMAIN. An answer that grows in the chat: one message, edited at a pace that Telegram bears, while the verb works."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from adjutant.domain.listening.splitting import LIMIT, split
from adjutant.ports import BotFailed
from adjutant.printable import escape

if TYPE_CHECKING:
    from adjutant.ports import Bot

FIRST, PACE = 1.0, 2.5  # seconds from its first words to the message: a quick answer is one; and between two edits
LONGEST_FLOOD = 20.0  # seconds; whoever asks for a longer pause gets no more edits
KNOWN_WITHIN, STEP = 11.0, 0.05  # seconds: a call of the bot takes no longer; and between two looks
MARK = " …"


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
        wait = FIRST
        while True:
            with self._news:
                self._news.wait_for(lambda: self._over, wait)
                self._news.wait_for(lambda: self._over or self._text != self._shown)
                if self._over:
                    return
                text = self._text
            wait = self._put(text)
            if wait < 0:
                return

    def _put(self, text: str) -> float:
        """Seconds until the next time; -1 for none."""
        pieces = split(escape(text), LIMIT - len(MARK))
        if not pieces:
            self._shown = text
            return PACE
        try:
            if self._message is None:
                self._message = self._bot.begin(pieces[0] + MARK)
            else:
                self._bot.edit(self._message, pieces[0] + MARK)
        except BotFailed as failed:
            if failed.cause != "flood" or failed.wait > LONGEST_FLOOD:
                return -1.0
            return max(PACE, failed.wait)
        self._shown = text
        return PACE
