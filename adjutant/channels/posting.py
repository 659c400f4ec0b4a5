"""OUTSIDE. The child that hands one message to Apprise for one place: JSON on standard input, a line of JSON back.

Apprise tells only yes or no, so what became of each request is listened for in requests and smtplib. What a plug-in
logs, prints or raises goes nowhere: it may quote the address.
"""

import json
import logging
import re
import smtplib
import sys
from typing import Any

REFUSED, UNKNOWN, TAKEN, DELIVERED = "refused", "unknown", "taken", "delivered"
FETCHING = frozenset(("attach", "attachment", "template", "filename"))  # what a plug-in would read a file or page for
_HOST = re.compile(r"(?i)localhost|[a-z0-9-]+(?:\.[a-z0-9-]+)+|\[?[0-9a-f:]*:[0-9a-f:]+\]?")
_notes: list[tuple[str, str]] = []  # what became of each request, in their order


def main() -> None:
    """{url, text, title, actions} -> {name, verdict, why}."""
    asked = json.loads(sys.stdin.buffer.read())
    out, sys.stdout = sys.stdout, sys.stderr
    logging.disable(logging.CRITICAL)
    _listen()
    name, verdict, why = _post(asked["url"], asked)
    print(json.dumps({"name": name, "verdict": verdict, "why": why}), file=out, flush=True)


def _post(url: str, asked: dict[str, Any]) -> tuple[str, str, str]:
    from apprise import Apprise, AppriseAsset, NotifyFormat  # an extra, and only this child needs it

    scheme = url.partition("://")[0].lower()[:30]
    asset = AppriseAsset(
        app_id="Adjutant", app_desc="Adjutant", app_url="", image_url_mask="", image_url_logo="",
        http_redirects=False, storage_mode="memory", async_mode=False,
    )  # fmt: skip
    if asked["actions"] and scheme in ("ntfy", "ntfys"):
        from urllib.parse import quote  # beside its only use

        url += f"{'&' if '?' in url else '?'}actions={quote(json.dumps(asked['actions']), safe='')}"
    try:
        place: Any = Apprise.instantiate(url, asset=asset)
        if place is None or FETCHING & place.parse_url(url)["qsd"].keys():
            return scheme, REFUSED, "Apprise cannot use this address" if place is None else "it names a file to send"
        name = _name(scheme, place)
        sender = Apprise(asset=asset)
        sender.add(place)
        done = sender.notify(body=asked["text"], title=asked["title"], body_format=NotifyFormat.TEXT)
    except Exception as error:  # noqa: BLE001 - of any plug-in; what it says may quote the address
        return scheme, _verdict(False)[0], f"Apprise failed: {type(error).__name__}"
    return name, *_verdict(bool(done))


def _name(scheme: str, place: Any) -> str:
    """Scheme and host; of many services what stands in the host's place is a token."""
    host = str(getattr(place, "host", None) or "")
    named = any("{host}" in template for template in place.templates) and _HOST.fullmatch(host)
    return f"{scheme}://{host}" if named else f"{scheme}://"


def _verdict(done: bool) -> tuple[str, str]:
    """Refused where every request certainly was; mail that one of several got is delivered."""
    if done or any(how == TAKEN for how, _ in _notes):
        return DELIVERED, ""
    how = REFUSED if _notes and all(how == REFUSED for how, _ in _notes) else UNKNOWN
    return how, next((why for each, why in reversed(_notes) if each == how), "Apprise does not say why")


def _listen() -> None:
    import requests  # Apprise brings it
    from urllib3.exceptions import MaxRetryError, NewConnectionError

    asked, data, connect = requests.Session.send, smtplib.SMTP.data, smtplib.SMTP.connect

    def send(self: Any, *given: Any, **named: Any) -> Any:
        try:
            answer = asked(self, *given, **named)
        except requests.RequestException as error:
            inner = error.args[0] if error.args else None  # where none came about, nothing can have been delivered
            never = isinstance(inner, MaxRetryError) and isinstance(inner.reason, NewConnectionError)
            _notes.append((REFUSED if never else UNKNOWN, "it cannot be reached" if never else type(error).__name__))
            raise
        _notes.append((REFUSED if 400 <= answer.status_code < 500 else UNKNOWN, f"HTTP {answer.status_code}"))
        return answer

    def put(self: Any, message: Any) -> Any:
        try:
            code, said = data(self, message)
        except smtplib.SMTPDataError as error:
            _notes.append((REFUSED, f"SMTP {error.smtp_code}"))
            raise
        except Exception as error:
            _notes.append((UNKNOWN, type(error).__name__))
            raise
        _notes.append((TAKEN if code == 250 else REFUSED, f"SMTP {code}"))
        return code, said

    def begin(self: Any, *given: Any, **named: Any) -> Any:
        _notes.append(
            (REFUSED, "the mail server was not reached, or took no mail")
        )  # until `data` has something to say
        return connect(self, *given, **named)

    requests.Session.send = send  # type: ignore[method-assign]  # this process does nothing else
    smtplib.SMTP.data = put  # type: ignore[method-assign, assignment]  # as above
    smtplib.SMTP.connect = begin  # type: ignore[method-assign]  # as above


if __name__ == "__main__":
    main()
