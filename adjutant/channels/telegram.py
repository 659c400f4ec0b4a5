"""OUTSIDE. Telegram: sends to the one chat of the operator, over the Bot API (https://core.telegram.org/bots/api)."""

from __future__ import annotations

import json
import logging
import time
from urllib.parse import quote

import requests
from urllib3.exceptions import MaxRetryError, NewConnectionError

from adjutant.ports import Refused, Uncertain

SECONDS = 10.0
REPLY_BYTES = 64 * 1024
_LOGGERS = ("urllib3.connectionpool", "urllib3.util.retry", "requests")


class Telegram:
    """The token stands in the URL of each request and nowhere else: what is logged or raised here is rid of it."""

    channel = "telegram"

    def __init__(self, api_base: str, token: str, chat_id: str, seconds: float = SECONDS) -> None:
        self._url = f"{api_base.rstrip('/')}/bot{quote(token, safe=':')}/sendMessage"
        self._secrets = {token, quote(token), quote(token, safe=":")}
        self._chat_id, self._seconds = chat_id, seconds

    def send(self, text: str, key: str) -> None:
        """One message, plain text. Raises Refused (4xx, refused or unresolved connection), Uncertain (all else)."""
        blot = _Blot(self._secrets)
        for name in _LOGGERS:
            logging.getLogger(name).addFilter(blot)
        try:
            status, reason = self._post(text)
        finally:
            for name in _LOGGERS:
                logging.getLogger(name).removeFilter(blot)
        # Raised here, outside of any handler: no context that could carry the URL hangs on the exception.
        if status == 0 or 400 <= status < 500:
            raise Refused(blot.clean(reason))
        if status != 200 or reason:
            raise Uncertain(blot.clean(reason))

    def _post(self, text: str) -> tuple[int, str]:
        """(HTTP status, what is wrong); 0: nothing was sent, -1: nobody knows."""
        try:
            return self._ask({"chat_id": self._chat_id, "text": text, "disable_web_page_preview": True})
        except requests.ConnectionError as error:
            if _never_connected(error):
                return 0, "the connection was refused or the host is unknown"
            return -1, f"the connection broke: {type(error).__name__}"
        except requests.Timeout:
            return -1, f"no whole answer within {self._seconds:g} s"
        except (requests.exceptions.InvalidURL, requests.exceptions.InvalidSchema) as error:
            return 0, f"messaging.telegram.api_base cannot be asked: {type(error).__name__}"
        except (requests.RequestException, OSError) as error:
            return -1, f"the answer broke off: {type(error).__name__}"

    def _ask(self, payload: dict[str, object]) -> tuple[int, str]:
        end = time.monotonic() + self._seconds
        with requests.Session() as session:
            session.trust_env = False  # only wire reads the environment; no .netrc is sent along
            asked = session.post(self._url, json=payload, timeout=self._seconds, stream=True, allow_redirects=False)
            with asked as reply:
                status, body = reply.status_code, b""
                try:
                    body = _body(reply, end)
                except (requests.RequestException, OSError):
                    if not 400 <= status < 500:
                        raise
        return status, "" if status == 200 and _accepted(body) else f"HTTP {status}{_description(body)}"


class _Blot(logging.Filter):
    """Takes secrets out of log records and messages."""

    def __init__(self, secrets: set[str]) -> None:
        super().__init__()
        self._secrets = sorted((secret for secret in secrets if secret), key=len, reverse=True)

    def clean(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return text

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args, record.exc_info = self.clean(record.getMessage()), (), None
        return True


def _never_connected(error: requests.ConnectionError) -> bool:
    """True when no connection came about (refused, unreachable, unresolved): nothing can have been delivered."""
    inner = error.args[0] if error.args else None
    return isinstance(inner, MaxRetryError) and isinstance(inner.reason, NewConnectionError)


def _body(reply: requests.Response, end: float) -> bytes:
    """The reply's body, whole. Raises requests.Timeout when it trickles past `end` or is too long to be one."""
    body = bytearray()
    for byte in reply.iter_content(1):  # a larger piece would be waited for, however slowly it comes
        body += byte
        if len(body) > REPLY_BYTES or time.monotonic() > end:
            raise requests.Timeout("the reply has no end")
    return bytes(body)


def _accepted(body: bytes) -> bool:
    return bool(_answer(body).get("ok") is True)


def _description(body: bytes) -> str:
    """Telegram's own words about what is wrong."""
    said = _answer(body).get("description")
    return f": {said[:200]}" if isinstance(said, str) else ""


def _answer(body: bytes) -> dict[str, object]:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
