"""OUTSIDE. Telegram: notices to the one chat of the operator, over the Bot API."""

from __future__ import annotations

from adjutant.channels.botapi import NOTHING_SENT, Line
from adjutant.ports import Refused, Uncertain

SECONDS = 10.0
REPLY_BYTES = 64 * 1024


class Telegram:
    """A notifier."""

    channel = "telegram"

    def __init__(self, api_base: str, token: str, chat_id: str, seconds: float = SECONDS) -> None:
        self._line, self._chat_id, self._seconds = Line(api_base, token), chat_id, seconds

    def send(self, text: str, key: str) -> None:
        """One message, plain text. Raises Refused (4xx, refused or unresolved connection), Uncertain (all else)."""
        payload: dict[str, object] = {"chat_id": self._chat_id, "text": text, "disable_web_page_preview": True}
        answer = self._line.call("sendMessage", payload, self._seconds, REPLY_BYTES)
        if answer.status == NOTHING_SENT or 400 <= answer.status < 500:
            raise Refused(answer.reason)
        if answer.reason:
            raise Uncertain(answer.reason)
