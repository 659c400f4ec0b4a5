"""OUTSIDE. Telegram over the Bot API (https://core.telegram.org/bots/api): notices to one chat, and the bot in it.

The token is never told. Every message leaves through `BotTransport.say`: nothing in it can be tapped but the commands
of our own words.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Sequence
from typing import Any, NamedTuple
from urllib.parse import quote

import requests
from urllib3.exceptions import HTTPError, MaxRetryError, NewConnectionError

from adjutant.channels.tappable import code_entities
from adjutant.ports import BUTTONS, BotFailed, Refused, Told, Uncertain
from adjutant.printable import escape

UPDATES_BYTES = 8 * 1024 * 1024
BATCH = 50  # updates of one poll
UPDATES = ["message", "callback_query"]
LONGEST_WAIT = 3600.0
UNCHANGED = "message is not modified"  # how an edit is refused that would change nothing
SECONDS = 10.0
NOTHING_SENT, NOBODY_KNOWS = 0, -1
CAUSES = {NOTHING_SENT: "unreachable", 401: "token", 404: "token", 409: "conflict", 429: "flood"}
REPLY_BYTES = 64 * 1024
_LOGGERS = ("urllib3.connectionpool", "urllib3.util.retry", "requests")
_CHUNK = 64 * 1024


class BotAnswer(NamedTuple):
    """`status`: HTTP's, NOTHING_SENT or NOBODY_KNOWS. `reason`: what is wrong, "" for an `ok` answer with `body`."""

    status: int
    reason: str
    body: dict[str, Any]


class _Blot(logging.Filter):
    """Takes secrets out of log records and messages."""

    def __init__(self) -> None:
        super().__init__()
        self._secrets: list[str] = []

    def hide(self, secrets: set[str]) -> None:
        known = {secret for secret in (*self._secrets, *secrets) if secret}
        self._secrets = sorted(known, key=len, reverse=True)

    def clean(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return text

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args, record.exc_info = self.clean(record.getMessage()), (), None
        return True


_BLOT = _Blot()


class BotTransport:
    """The token stands in the URL of each request and nowhere else: what is logged or returned here is rid of it."""

    def __init__(self, api_base: str, token: str) -> None:
        self._base = f"{api_base.rstrip('/')}/bot{quote(token, safe=':')}"
        _BLOT.hide({token, quote(token), quote(token, safe=":")})
        for name in _LOGGERS:
            logging.getLogger(name).addFilter(_BLOT)  # once for all lines, and for good: threads may share it

    def call(self, method: str, payload: dict[str, object], seconds: float, limit: int) -> BotAnswer:
        """One POST, its answer of at most `limit` bytes waited for `seconds` at most. Raises nothing of the network."""
        status, reason, body = self._post(f"{self._base}/{method}", payload, seconds, limit)
        return BotAnswer(status, _BLOT.clean(reason), body)

    def say(
        self, chat_id: str, text: str, own: str, seconds: float, message: int | None = None, buttons: Sequence[str] = ()
    ) -> BotAnswer:
        """One message of at most 4,096 UTF-16 units: `text`, in which nothing can be tapped, and `own` behind it; in
        place of what `message` says, where that is given. `buttons` by their data, those of one matter in a row."""
        text = escape(text)
        payload: dict[str, object] = {"chat_id": chat_id, "text": text + own, "disable_web_page_preview": True}
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
        method = "sendMessage" if message is None else "editMessageText"
        return self.call(method, payload, seconds, REPLY_BYTES)

    def answer(self, press: str, text: str, alert: bool, seconds: float) -> BotAnswer:
        """What whoever pressed a button sees; no client makes links of it."""
        payload: dict[str, object] = {"callback_query_id": press, "text": escape(text), "show_alert": alert}
        return self.call("answerCallbackQuery", payload, seconds, REPLY_BYTES)

    def _post(
        self, url: str, payload: dict[str, object], seconds: float, limit: int
    ) -> tuple[int, str, dict[str, Any]]:
        try:
            status, data = self._ask(url, payload, seconds, limit)
        except requests.ConnectionError as error:
            inner = error.args[0] if error.args else None
            if isinstance(inner, MaxRetryError) and isinstance(inner.reason, NewConnectionError):  # it never came about
                return NOTHING_SENT, "the connection was refused or the host is unknown", {}
            return NOBODY_KNOWS, f"the connection broke: {type(error).__name__}", {}
        except requests.Timeout:
            return NOBODY_KNOWS, f"no whole answer within {seconds:g} s", {}
        except (requests.exceptions.InvalidURL, requests.exceptions.InvalidSchema) as error:
            return NOTHING_SENT, f"messaging.telegram.api_base cannot be asked: {type(error).__name__}", {}
        except (requests.RequestException, HTTPError, OSError) as error:
            return NOBODY_KNOWS, f"the answer broke off: {type(error).__name__}", {}
        try:
            found = json.loads(data)
        except (ValueError, RecursionError):
            found = None
        body = found if isinstance(found, dict) else {}
        if status == 200 and body.get("ok") is True:
            return status, "", body
        said = body.get("description")
        return status, f"HTTP {status}" + (f": {said[:200]}" if isinstance(said, str) else ""), body

    def _ask(self, url: str, payload: dict[str, object], seconds: float, limit: int) -> tuple[int, bytes]:
        end = time.monotonic() + seconds
        with requests.Session() as session:
            session.trust_env = False  # only wire reads the environment; no .netrc is sent along
            plain = {"Accept-Encoding": "identity"}  # what is read is read as it comes
            asked = session.post(url, json=payload, headers=plain, timeout=seconds, stream=True, allow_redirects=False)
            with asked as reply:
                status, body = reply.status_code, b""
                try:
                    body = _read(reply, end, limit)
                except (requests.RequestException, HTTPError, OSError):
                    if not 400 <= status < 500:
                        raise
        return status, body


def _read(reply: requests.Response, end: float, limit: int) -> bytes:
    """The reply's body, whole. Raises requests.Timeout when it trickles past `end` or is too long to be one."""
    body = bytearray()
    while piece := reply.raw.read1(_CHUNK):  # what there is; `read` would wait for all of it, however slowly it comes
        body += piece
        if len(body) > limit or time.monotonic() > end:
            raise requests.Timeout("the reply has no end")
    return bytes(body)


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
        found = _result(self._line.call("getUpdates", payload, wait + self._seconds, UPDATES_BYTES))
        return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []

    def say(self, text: str, own: str = "") -> None:
        """One message of at most 4,096 UTF-16 units, what can be tapped in it in `own` alone. Raises BotFailed."""
        _result(self._line.say(self._chat_id, text, own, self._seconds))

    def begin(self, text: str) -> int:
        """As `say`; the number of the message, which may be edited. Raises BotFailed."""
        found = _result(self._line.say(self._chat_id, text, "", self._seconds))
        number = found.get("message_id") if isinstance(found, dict) else None
        if not isinstance(number, int) or isinstance(number, bool):
            raise BotFailed("uncertain", "the message has no number")
        return number

    def answer(self, press: str, text: str, alert: bool) -> None:
        """What whoever pressed a button sees at once, at most 200 characters. Raises BotFailed."""
        _result(self._line.answer(press, text, alert, self._seconds))

    def edit(self, message: int, text: str, own: str = "", buttons: Sequence[str] = ()) -> None:
        """Puts this in place of what a message of ours says; doing it twice does no harm. Raises BotFailed."""
        answer = self._line.say(self._chat_id, text, own, self._seconds, message, buttons)
        if UNCHANGED not in answer.reason:
            _result(answer)


def _result(answer: BotAnswer) -> Any:
    """What the API gives. Raises BotFailed, by the status: 401 and 404 are what a wrong token gets."""
    if answer.reason:
        cause = CAUSES.get(answer.status, "refused" if 400 <= answer.status < 500 else "uncertain")
        raise BotFailed(cause, answer.reason, _retry_after(answer.body) if cause == "flood" else 0.0)
    return answer.body.get("result")


def _retry_after(body: dict[str, Any]) -> float:
    """Seconds that the server asks for; one where it names none."""
    asked = body.get("parameters")
    seconds = asked.get("retry_after") if isinstance(asked, dict) else None
    known = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    return min(max(1.0, float(seconds)), LONGEST_WAIT) if known and seconds is not None else 1.0
