"""RECORDS. Updates of the Bot API: which are messages of the operator, and state/telegram.jsonl, their fates."""

import os
import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple, TypeVar

import msgspec

from adjutant.clock import Clock, moment
from adjutant.store import jsonl
from adjutant.store.files import Files

T = TypeVar("T")
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
    """A message of the operator's in the private chat. `date`: seconds since the epoch. `text` is None where it holds
    none (a picture, a voice). `own`: not forwarded. A `press` has the text of the command that does the same."""

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


def read_update(raw: dict[str, Any], operator: str, now: float = 0.0) -> Update | Other | None:
    """What an update is; None for one without a usable id. `operator`: the number of the chat and of its one sender.
    `now` is taken for the time of a press, which has none: its seal says whether it still holds."""
    id = number_of(raw)
    if id is None:
        return None
    query, message = raw.get("callback_query"), raw.get("message")
    if isinstance(query, dict):
        sender, message = _as(dict, query.get("from")), _as(dict, query.get("message"))
    elif isinstance(message, dict):
        sender = _as(dict, message.get("from"))
    else:
        kinds = sorted(key for key in raw if key != "update_id")
        return Other(id, f"not a message: {kinds[0][:40]}" if kinds else "empty")
    chat = _as(dict, message.get("chat"))
    mine = str(chat.get("id")) == str(sender.get("id")) == operator
    if not mine or chat.get("type") != "private" or sender.get("is_bot"):
        where, who = (each.get("id") if type(each.get("id")) is int else None for each in (chat, sender))
        return Other(id, "stranger", where, who)
    if isinstance(query, dict):
        return _read_press(id, query, message, int(now))
    text = message.get("text")
    told = _mark_quoted(text, message.get("entities")) if isinstance(text, str) else None
    return Update(id, number_of(message, "date") or 0, told, not any(key in message for key in _NOT_OWN))


def _read_press(id: int, query: dict[str, Any], message: dict[str, Any], now: int) -> Update | Other:
    number, button, place = query.get("id"), query.get("data"), number_of(message, "message_id")
    if not (isinstance(number, str) and isinstance(button, str) and BUTTON.fullmatch(button)) or place is None:
        return Other(id, "not a button of ours")
    rows = _as(list, _as(dict, message.get("reply_markup")).get("inline_keyboard"))
    data = [str(each.get("callback_data")) for row in rows for each in _as(list, row) if isinstance(each, dict)]
    text = message.get("text")
    press = Press(number, place, text if isinstance(text, str) else "", button, tuple(filter(BUTTON.fullmatch, data)))
    verb, matter, _ = button.split(":")
    return Update(id, now, f"/{verb} {matter}{f' {SNOOZED}' if verb == 'snooze' else ''}", press=press)


def _mark_quoted(text: str, entities: Any) -> str:
    """The text with `> ` before each line that a quotation or code covers: none of these is a directive."""
    units = text.encode("utf-16-le", "surrogatepass")
    covered = set[int]()  # characters
    for each in _as(list, entities):
        if isinstance(each, dict) and each.get("type") in _QUOTED:
            start, length = (number_of(each, key) or 0 for key in ("offset", "length"))
            covered |= {*range(*(len(units[: 2 * at].decode("utf-16-le", "ignore")) for at in (start, start + length)))}
    lines, at = list[str](), 0
    for line in text.split("\n"):
        lines.append(line if covered.isdisjoint(range(at, at + (len(line) or 1))) else f"> {line}")
        at += len(line) + 1
    return "\n".join(lines)


def number_of(raw: dict[str, Any], key: str = "update_id") -> int | None:
    """The number under a key, None where there is none that Telegram would give."""
    value = raw.get(key)
    return value if type(value) is int and 0 <= value < _KNOWN else None


def _as(kind: type[T], value: Any) -> T:
    """The value, where it is of this kind, else an empty one."""
    return value if isinstance(value, kind) else kind()


LIMIT = 1024 * 1024  # bytes; then the older half goes, but for what is undone
WINDOW = 8 * LIMIT
NUMBERS_LAST = 6 * 86400.0  # after a week of silence Telegram begins anew with any number
FROM_THE_START, NEWEST = 0, -1
ANSWERED = "answered"  # the outcome of what did its work
RECEIVED, STARTED, REPLY, DONE, IGNORED, SKIPPED = "received", "started", "reply", "done", "ignored", "skipped"
_TAKEN = (RECEIVED, IGNORED, SKIPPED)


class Job(NamedTuple):
    """A message and how far it came: its conversation, how often it was begun, its reply and the `outcome` of that, and
    which secrets were `taken` out of the text before it was kept."""

    update: Update
    session: str
    begun: int = 0
    reply: str | None = None
    outcome: str = ""
    taken: tuple[str, ...] = ()


class ListenerState(NamedTuple):
    """Where things stood: `offset` for the next poll, `known` ids, `undone` in their order, the conversation, when the
    latest messages were sent, and (message, button) of what was `pressed` and did its work. `damage` says what is wrong
    with the log, "" for nothing; the offset is then NEWEST."""

    offset: int
    known: frozenset[int]
    undone: tuple[Job, ...]
    session: str
    dates: tuple[int, ...]
    damage: str = ""
    pressed: frozenset[tuple[int, str]] = frozenset()


class _Received(msgspec.Struct):
    """What a `received` line tells."""

    date: int
    text: str | None
    session: str
    own: bool = True
    press: Press | None = None
    taken: tuple[str, ...] = ()


class Log:
    """Each line is durable when the method that writes it returns."""

    def __init__(self, files: Files, clock: Clock) -> None:
        self._files, self._clock, self._path = files, clock, files.tree.telegram_log

    def receive(self, came: Sequence[Job | Other]) -> None:
        """The messages of one poll, at one stroke."""
        rows = []
        for each in came:
            event, told = IGNORED, each._asdict()
            if isinstance(each, Job):
                event, told = RECEIVED, {**each.update._asdict(), "session": each.session, "taken": list(each.taken)}
            rows.append(self._row(told.pop("id"), event, told))
        self._files.append_all(self._path, rows)

    def note(self, event: str, *ids: int, **fields: Any) -> None:
        """STARTED before a verb runs for these, REPLY before something is said, DONE when nothing is left to do."""
        self._files.append_all(self._path, [self._row(id, event, fields) for id in ids])

    def _row(self, id: int, event: str, fields: dict[str, Any]) -> dict[str, Any]:
        return {"ts": self._clock.now().isoformat(), "update": id, "event": event, **fields}

    def cut(self) -> None:
        """Keeps a log of more than LIMIT bytes to about half of that; what is undone stays."""
        with suppress(OSError):  # not there, or what appends to it will say so
            if os.lstat(self._path).st_size > LIMIT:
                self._files.rewrite(self._path, _newer_half)

    def standing(self, session: str) -> ListenerState:
        """The replay; `session` is the conversation where none was begun."""
        data = self._files.tail(self._path, WINDOW)
        lines = list(jsonl.parse(data))
        if lines and not data.endswith(b"\n") and lines[-1][1] is None:
            lines.pop()  # torn while it was written: not acknowledged, so it will come again
        unread = f"a line near the end of {self._files.tree.relative(self._path)} cannot be read"
        return _replay([row for _, row in lines], self._clock, session, unread)


def _replay(rows: list[dict[str, Any] | None], clock: Clock, session: str, unread: str) -> ListenerState:
    jobs, known, dates, pressed = dict[int, Job](), set[int](), list[int](), set[tuple[int, str]]()
    offset, latest, damage = FROM_THE_START, "", ""
    for row in rows:
        if row is None:
            damage = unread  # until a later line says again where things stood
            continue
        id, event = number_of(row, "update"), row.get("event")
        if id is None:
            continue
        if event in _TAKEN:
            known.add(id)
            offset, latest, damage = id + 1, str(row.get("ts", "")), ""
        if event == RECEIVED:
            with suppress(msgspec.ValidationError):
                told = msgspec.convert(row, _Received)
                update, session = Update(id, told.date, told.text, told.own, told.press), told.session
                jobs[id] = Job(update, session, taken=told.taken)
                dates.append(told.date)
        elif event == STARTED and id in jobs:
            jobs[id] = jobs[id]._replace(begun=jobs[id].begun + 1)
        elif event == REPLY and id in jobs and isinstance(row.get("text"), str):
            jobs[id] = jobs[id]._replace(reply=row["text"], outcome=str(row.get("outcome", "")))
            if (press := jobs[id].update.press) is not None and row.get("outcome") == ANSWERED:
                pressed.add((press.message, press.button))
        elif event == DONE:
            jobs.pop(id, None)
    age = clock.now() - (moment(latest) or clock.now())
    offset = NEWEST if damage else FROM_THE_START if age.total_seconds() > NUMBERS_LAST else offset
    undone = tuple(jobs.values())
    return ListenerState(offset, frozenset(known), undone, session, tuple(dates), damage, frozenset(pressed))


def _newer_half(data: bytes) -> bytes:
    """The last half of LIMIT, from a line start on, below the lines of what is undone before it."""
    start = data.find(b"\n", max(0, len(data) - LIMIT // 2)) + 1
    done = {number_of(row, "update") for _, row in jsonl.parse(data) if row is not None and row.get("event") == DONE}
    older = ((line, row) for line in data[:start].split(b"\n") for _, row in jsonl.parse(line) if row)
    told = ((line, row) for line, row in older if row.get("event") in (RECEIVED, STARTED, REPLY))
    return b"".join(line + b"\n" for line, row in told if number_of(row, "update") not in done) + data[start:]
