"""OUTSIDE. One call of the Telegram Bot API (https://core.telegram.org/bots/api), and a token that is never told.

Every message leaves through `Line.say`: nothing in it can be tapped but the commands of our own words.
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
from adjutant.printable import escape

SECONDS = 10.0
NOTHING_SENT, NOBODY_KNOWS = 0, -1
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
        self,
        chat_id: str,
        text: str,
        own: str,
        seconds: float,
        message: int | None = None,
        buttons: Sequence[str] = (),
    ) -> BotAnswer:
        """One message of at most 4,096 UTF-16 units: `text`, in which nothing can be tapped, and `own` behind it; in
        place of what `message` says, where that is given. `buttons` by their data, those of one matter in a row."""
        text = escape(text)
        payload: dict[str, object] = {"chat_id": chat_id, "text": text + own, "disable_web_page_preview": True}
        if entities := code_entities(text):
            payload["entities"] = entities
        if buttons:
            payload["reply_markup"] = {"inline_keyboard": _rows(buttons)}
        if message is not None:
            payload["message_id"] = message
        method = "sendMessage" if message is None else "editMessageText"
        return self.call(method, payload, seconds, REPLY_BYTES)

    def answer(self, press: str, text: str, alert: bool, seconds: float) -> BotAnswer:
        """What whoever pressed a button sees; no client makes links of it."""
        payload: dict[str, object] = {"callback_query_id": press, "text": escape(text), "show_alert": alert}
        return self.call("answerCallbackQuery", payload, seconds, REPLY_BYTES)

    def _post(
        self,
        url: str,
        payload: dict[str, object],
        seconds: float,
        limit: int,
    ) -> tuple[int, str, dict[str, Any]]:
        try:
            status, data = self._ask(url, payload, seconds, limit)
        except requests.ConnectionError as error:
            if _never_connected(error):
                return NOTHING_SENT, "the connection was refused or the host is unknown", {}
            return NOBODY_KNOWS, f"the connection broke: {type(error).__name__}", {}
        except requests.Timeout:
            return NOBODY_KNOWS, f"no whole answer within {seconds:g} s", {}
        except (requests.exceptions.InvalidURL, requests.exceptions.InvalidSchema) as error:
            return NOTHING_SENT, f"messaging.telegram.api_base cannot be asked: {type(error).__name__}", {}
        except (requests.RequestException, HTTPError, OSError) as error:
            return NOBODY_KNOWS, f"the answer broke off: {type(error).__name__}", {}
        body = _decoded(data)
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
                    body = _body(reply, end, limit)
                except (requests.RequestException, HTTPError, OSError):
                    if not 400 <= status < 500:
                        raise
        return status, body


def _rows(buttons: Sequence[str]) -> list[list[dict[str, str]]]:
    """`done:k7f2:SEAL` is a button named `done k7f2`."""
    rows: dict[str, list[dict[str, str]]] = {}
    for data in buttons:
        verb, id, _ = data.split(":")
        rows.setdefault(id, []).append({"text": f"{verb} {id}", "callback_data": data})
    return list(rows.values())


def _never_connected(error: requests.ConnectionError) -> bool:
    """True when no connection came about (refused, unreachable, unresolved): nothing can have been delivered."""
    inner = error.args[0] if error.args else None
    return isinstance(inner, MaxRetryError) and isinstance(inner.reason, NewConnectionError)


def _body(reply: requests.Response, end: float, limit: int) -> bytes:
    """The reply's body, whole. Raises requests.Timeout when it trickles past `end` or is too long to be one."""
    body = bytearray()
    while piece := reply.raw.read1(_CHUNK):  # what there is; `read` would wait for all of it, however slowly it comes
        body += piece
        if len(body) > limit or time.monotonic() > end:
            raise requests.Timeout("the reply has no end")
    return bytes(body)


def _decoded(body: bytes) -> dict[str, Any]:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
