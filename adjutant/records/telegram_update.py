"""RECORDS. An update of the Bot API -> a message of the operator's, or the reason why it is none."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

TOO_OLD = 600  # seconds
FORWARDED = "---------- Forwarded message ----------\n"  # as mail programs mark it: no line below it is a directive
# What Telegram sets on a message whose words are not the sender's own.
_NOT_OWN = ("forward_origin", "forward_from", "forward_from_chat", "forward_sender_name", "forward_date", "via_bot")
BUTTON = re.compile(r"(?:done|snooze|why):[a-z0-9]{4,20}:[0-9a-f]{12}")
SNOOZED = "tomorrow"
_KNOWN = 1 << 53
_QUOTED = ("blockquote", "expandable_blockquote", "pre", "code")  # entities whose words are shown, not said


class Press(NamedTuple):
    """A button that was pressed: the number of the press, its message and that one's text ("" where the server does not
    tell it), the button, VERB:ID:SEAL, and all `buttons` of the message as they were then."""

    number: str
    message: int
    text: str
    button: str
    buttons: tuple[str, ...]


class Update(NamedTuple):
    """A message of the operator's in the private chat. `date`: seconds since the epoch, when it was sent.

    `text` is None where it holds none (a picture, a voice). `own` is False for a forwarded one. A `press` of a button
    has the text of the command that does the same.
    """

    id: int
    date: int
    text: str | None
    own: bool = True
    press: Press | None = None


class Other(NamedTuple):
    """An update that is not answered: why, and of a message by somebody else where and by whom."""

    id: int
    reason: str
    chat: int | None = None
    sender: int | None = None


def read(raw: dict[str, Any], operator: str, now: float = 0.0) -> Update | Other | None:
    """What an update is; None for one without a usable id. `operator`: the number of the chat and of its one sender.
    `now` is taken for the time of a press, which has none: its seal says whether it still holds."""
    id = number_of(raw)
    if id is None:
        return None
    query, message = raw.get("callback_query"), raw.get("message")
    if isinstance(query, dict):
        sender, message = _part(query, "from"), _part(query, "message")
    elif isinstance(message, dict):
        sender = _part(message, "from")
    else:
        kinds = sorted(key for key in raw if key != "update_id")
        return Other(id, f"not a message: {kinds[0][:40]}" if kinds else "empty")
    chat = _part(message, "chat")
    mine = str(chat.get("id")) == str(sender.get("id")) == operator
    if not mine or chat.get("type") != "private" or sender.get("is_bot"):
        return Other(id, "stranger", _number(chat.get("id")), _number(sender.get("id")))
    if isinstance(query, dict):
        return _read_press(id, query, message, int(now))
    text = message.get("text")
    told = _mark_quoted(text, message.get("entities")) if isinstance(text, str) else None
    return Update(id, _natural(message.get("date")) or 0, told, not any(key in message for key in _NOT_OWN))


def _read_press(id: int, query: dict[str, Any], message: dict[str, Any], now: int) -> Update | Other:
    """A press of one of our buttons, by the operator, below a message in the private chat."""
    number, button, place = query.get("id"), query.get("data"), _natural(message.get("message_id"))
    if not (isinstance(number, str) and isinstance(button, str) and BUTTON.fullmatch(button)) or place is None:
        return Other(id, "not a button of ours")
    rows = _as_list(_part(message, "reply_markup").get("inline_keyboard"))
    data = [str(each.get("callback_data")) for row in rows for each in _as_list(row) if isinstance(each, dict)]
    text = message.get("text")
    press = Press(number, place, text if isinstance(text, str) else "", button, tuple(filter(BUTTON.fullmatch, data)))
    verb, matter, _ = button.split(":")
    return Update(id, now, f"/{verb} {matter}{f' {SNOOZED}' if verb == 'snooze' else ''}", press=press)


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _mark_quoted(text: str, entities: Any) -> str:
    """The text with `> ` before each line that a quotation or code covers, so that no line of it is a directive.
    Entities count in UTF-16 code units."""
    units = text.encode("utf-16-le", "surrogatepass")
    covered: list[tuple[int, int]] = []
    for each in _as_list(entities):
        if isinstance(each, dict) and each.get("type") in _QUOTED:
            start, length = (_natural(each.get(key)) or 0 for key in ("offset", "length"))
            ends = (units[: 2 * at].decode("utf-16-le", "ignore") for at in (start, start + length))
            first, last = map(len, ends)
            covered.append((first, last))
    lines, at = list[str](), 0
    for line in text.split("\n"):
        inside = any(first < at + len(line) and at < last for first, last in covered)
        lines.append(f"> {line}" if inside else line)
        at += len(line) + 1
    return "\n".join(lines)


def number_of(raw: dict[str, Any]) -> int | None:
    """The id of an update, None where it has none."""
    return _natural(raw.get("update_id"))


def is_old(update: Update, now: float) -> bool:
    """True when it is too old to be acted on."""
    return int(now) - update.date > TOO_OLD


def _natural(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _KNOWN else None


def _part(message: dict[str, Any], key: str) -> dict[str, Any]:
    found = message.get(key)
    return found if isinstance(found, dict) else {}


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
