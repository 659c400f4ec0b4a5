"""OUTSIDE. Telegram over the Bot API (https://core.telegram.org/bots/api): notices to one chat, and the bot in it.

The token is never told. Every message leaves through `_Chat.put`: nothing in it can be tapped but the commands
of our own words.
"""

import json
import logging
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

import requests
from urllib3.exceptions import HTTPError, MaxRetryError, NewConnectionError

from adjutant.channels.tappable import code_entities
from adjutant.children.waiting import Late, within
from adjutant.ports import BUTTONS, BotFailed, Refused, Told, Uncertain
from adjutant.printable import escape

BATCH = 50  # updates of one poll
UPDATES = ["message", "callback_query"]
LONGEST_WAIT = 3600.0
UNCHANGED = "message is not modified"  # how an edit is refused that would change nothing
SECONDS = 10.0
MOST_BYTES = 8 * 1024 * 1024  # of a reply
CAUSES = {401: "token", 404: "token", 409: "conflict", 429: "flood"}  # 401 and 404 are what a wrong token gets
_LOGGERS = ("urllib3.connectionpool", "urllib3.util.retry", "requests")
_SECRETS = set[str]()


def _clean(text: str) -> str:
    for secret in sorted(_SECRETS, key=len, reverse=True):
        text = text.replace(secret, "***")
    return text


def _clean_record(record: logging.LogRecord) -> bool:
    record.msg, record.args, record.exc_info = _clean(record.getMessage()), (), None
    return True


class _Chat:
    """One bot and its chat. The token stands in the URL of each request, and in nothing that is logged or raised."""

    channel = "telegram"

    def __init__(self, api_base: str, token: str, chat_id: str, seconds: float = SECONDS) -> None:
        self._base = f"{api_base.rstrip('/')}/bot{quote(token, safe=':')}"
        self._chat_id, self._seconds = chat_id, seconds
        _SECRETS.update({token, quote(token), quote(token, safe=":")} - {""})
        for name in _LOGGERS:
            logging.getLogger(name).addFilter(_clean_record)  # once for all lines, and for good: threads may share it

    def put(self, text: str, own: str, message: int | None = None, buttons: Sequence[str] = ()) -> Any:
        """One message of at most 4,096 UTF-16 units: `text`, in which nothing can be tapped, and `own` behind it; in
        place of what `message` says. `buttons` by their data, those of one matter in a row. What the API gives. Raises
        BotFailed."""
        text = escape(text)
        payload: dict[str, object] = {"chat_id": self._chat_id, "text": text + own, "disable_web_page_preview": True}
        if entities := code_entities(text):
            payload["entities"] = entities
        rows: dict[str, list[dict[str, str]]] = {}  # `done:k7f2:SEAL` is a button named `done k7f2`
        for data in buttons:
            verb, id, _ = data.split(":")
            rows.setdefault(id, []).append({"text": f"{verb} {id}", "callback_data": data})
        if rows:
            payload["reply_markup"] = {"inline_keyboard": list(rows.values())}
        if message is not None:
            payload["message_id"] = message
        return self.call("sendMessage" if message is None else "editMessageText", payload)

    def call(self, method: str, payload: dict[str, object], wait: float = 0.0) -> Any:
        """The result of one POST, its answer waited for `wait` seconds longer. Raises BotFailed."""
        seconds = wait + self._seconds
        try:
            status, data = within(seconds, lambda told: _post(f"{self._base}/{method}", payload, seconds))
        except (
            requests.RequestException,
            HTTPError,
            OSError,
            Late,
        ) as error:  # what is raised from it would hold the URL
            cause, detail = _name_trouble(error, seconds)
        else:
            try:
                found = json.loads(data)
            except (ValueError, RecursionError):
                found = None
            body = found if isinstance(found, dict) else {}
            if status == 200 and body.get("ok") is True:
                return body.get("result")
            said = body.get("description")
            detail = _clean(f"HTTP {status}" + (f": {said[:200]}" if isinstance(said, str) else ""))
            cause = CAUSES.get(status, "refused" if 400 <= status < 500 else "uncertain")
            if cause == "flood":
                raise BotFailed(cause, detail, _retry_after(body))
        raise BotFailed(cause, detail)


def _post(url: str, payload: dict[str, object], seconds: float) -> tuple[int, bytes]:
    with requests.Session() as session:
        session.trust_env = False  # only wire reads the environment; no .netrc is sent along
        plain = {"Accept-Encoding": "identity"}  # what is read is read as it comes: a small reply cannot become large
        asked = session.post(url, json=payload, headers=plain, timeout=seconds, stream=True, allow_redirects=False)
        with asked as reply:
            body = reply.raw.read(MOST_BYTES + 1)
            if len(body) > MOST_BYTES:
                raise requests.Timeout("the reply has no end")
            return reply.status_code, body


def _name_trouble(error: Exception, seconds: float) -> tuple[str, str]:
    """(cause of BotFailed, what is wrong) where there is no answer."""
    inner = error.args[0] if error.args else None
    if isinstance(inner, MaxRetryError) and isinstance(inner.reason, NewConnectionError):  # it never came about
        return "unreachable", "the connection was refused or the host is unknown"
    if isinstance(error, requests.exceptions.InvalidURL | requests.exceptions.InvalidSchema):
        return "unreachable", f"messaging.telegram.api_base cannot be asked: {type(error).__name__}"
    late = isinstance(error, requests.Timeout | Late)
    return "uncertain", f"no whole answer within {seconds:g} s" if late else f"it broke off: {type(error).__name__}"


class Telegram(_Chat):
    """A notifier."""

    def send(self, text: str, key: str, buttons: Sequence[Told] = ()) -> None:
        """One message, plain text. Raises Refused (4xx, refused or unresolved connection), Uncertain (all else)."""
        try:
            self.put(text, "", buttons=[f"{verb}:{each.id}:{each.seal}" for each in buttons for verb in BUTTONS])
        except BotFailed as failed:
            raise (Uncertain if failed.cause == "uncertain" else Refused)(failed.detail) from None


class TelegramBot(_Chat):
    """A bot. `seconds` are beyond what a long poll is asked to wait."""

    def updates(self, offset: int, wait: float) -> list[dict[str, Any]]:
        payload: dict[str, object] = {"timeout": int(wait), "limit": BATCH, "allowed_updates": UPDATES}
        if offset:
            payload["offset"] = offset
        found = self.call("getUpdates", payload, wait)
        return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []

    def say(self, text: str, own: str = "") -> None:
        self.put(text, own)

    def begin(self, text: str) -> int:
        found = self.put(text, "")
        number = found.get("message_id") if isinstance(found, dict) else None
        if not isinstance(number, int) or isinstance(number, bool):
            raise BotFailed("uncertain", "the message has no number")
        return number

    def answer(self, press: str, text: str, alert: bool) -> None:
        payload: dict[str, object] = {"callback_query_id": press, "text": escape(text), "show_alert": alert}
        self.call("answerCallbackQuery", payload)

    def edit(self, message: int, text: str, own: str = "", buttons: Sequence[str] = ()) -> None:
        try:
            self.put(text, own, message, buttons)
        except BotFailed as failed:
            if UNCHANGED not in failed.detail:
                raise


def _retry_after(body: dict[str, Any]) -> float:
    try:
        return min(max(1.0, float(body["parameters"]["retry_after"])), LONGEST_WAIT)
    except (KeyError, TypeError, ValueError, OverflowError):
        return 1.0
