"""OUTSIDE. Telegram over the Bot API: notices to the operator's one chat, and the bot that the operator talks to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from adjutant.channels.botapi import NOTHING_SENT, SECONDS, BotAnswer, BotTransport
from adjutant.ports import BUTTONS, BotFailed, Refused, Told, Uncertain

UPDATES_BYTES = 8 * 1024 * 1024
BATCH = 50  # updates of one poll
UPDATES = ["message", "callback_query"]
LONGEST_WAIT = 3600.0
UNCHANGED = "message is not modified"  # how an edit is refused that would change nothing


class Telegram:
    """A notifier."""

    channel = "telegram"

    def __init__(self, api_base: str, token: str, chat_id: str, seconds: float = SECONDS) -> None:
        self._line, self._chat_id, self._seconds = BotTransport(api_base, token), chat_id, seconds

    def send(self, text: str, key: str, buttons: Sequence[Told] = ()) -> None:
        """One message, plain text. Raises Refused (4xx, refused or unresolved connection), Uncertain (all else)."""
        data = [f"{verb}:{each.id}:{each.seal}" for each in buttons for verb in BUTTONS]
        answer = self._line.say(self._chat_id, text, "", self._seconds, buttons=data)
        if answer.status == NOTHING_SENT or 400 <= answer.status < 500:
            raise Refused(answer.reason)
        if answer.reason:
            raise Uncertain(answer.reason)


class TelegramBot:
    """One bot and the chat it answers in. `seconds` are beyond what a long poll is asked to wait."""

    def __init__(self, api_base: str, token: str, chat_id: str, seconds: float = SECONDS) -> None:
        self._line, self._chat_id, self._seconds = BotTransport(api_base, token), chat_id, seconds

    def updates(self, offset: int, wait: float) -> list[dict[str, Any]]:
        """What has come since, after at most `wait` seconds. An `offset` confirms all before it; 0 confirms nothing,
        -1 gives the newest alone. Raises BotFailed."""
        payload: dict[str, object] = {"timeout": int(wait), "limit": BATCH, "allowed_updates": UPDATES}
        if offset:
            payload["offset"] = offset
        answer = self._line.call("getUpdates", payload, wait + self._seconds, UPDATES_BYTES)
        if answer.reason:
            raise _failed(answer)
        found = answer.body.get("result")
        return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []

    def say(self, text: str, own: str = "") -> None:
        """One message of at most 4,096 UTF-16 units, what can be tapped in it in `own` alone. Raises BotFailed."""
        answer = self._line.say(self._chat_id, text, own, self._seconds)
        if answer.reason:
            raise _failed(answer)

    def begin(self, text: str) -> int:
        """As `say`; the number of the message, which may be edited. Raises BotFailed."""
        answer = self._line.say(self._chat_id, text, "", self._seconds)
        if answer.reason:
            raise _failed(answer)
        found = answer.body.get("result")
        number = found.get("message_id") if isinstance(found, dict) else None
        if not isinstance(number, int) or isinstance(number, bool):
            raise BotFailed("uncertain", "the message has no number")
        return number

    def answer(self, press: str, text: str, alert: bool) -> None:
        """What whoever pressed a button sees at once, at most 200 characters. Raises BotFailed."""
        answer = self._line.answer(press, text, alert, self._seconds)
        if answer.reason:
            raise _failed(answer)

    def edit(self, message: int, text: str, own: str = "", buttons: Sequence[str] = ()) -> None:
        """Puts this in place of what a message of ours says; doing it twice does no harm. Raises BotFailed."""
        answer = self._line.say(self._chat_id, text, own, self._seconds, message, buttons)
        if answer.reason and UNCHANGED not in answer.reason:
            raise _failed(answer)


def _failed(answer: BotAnswer) -> BotFailed:
    """What went wrong, by the status: 401 and 404 are what a wrong token gets."""
    if answer.status == NOTHING_SENT:
        return BotFailed("unreachable", answer.reason)
    if answer.status in (401, 404):
        return BotFailed("token", answer.reason)
    if answer.status == 409:
        return BotFailed("conflict", answer.reason)
    if answer.status == 429:
        return BotFailed("flood", answer.reason, _retry_after(answer.body))
    return BotFailed("refused" if 400 <= answer.status < 500 else "uncertain", answer.reason)


def _retry_after(body: dict[str, Any]) -> float:
    """Seconds that the server asks for; one where it names none."""
    asked = body.get("parameters")
    seconds = asked.get("retry_after") if isinstance(asked, dict) else None
    known = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    return min(max(1.0, float(seconds)), LONGEST_WAIT) if known and seconds is not None else 1.0
