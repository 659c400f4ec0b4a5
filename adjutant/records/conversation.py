"""RECORDS. Conversations: state/conversations/SESSION.jsonl, a message a line, only ever appended to."""

from itertools import islice
from typing import Any, NamedTuple

from adjutant.errors import UsageError
from adjutant.store import jsonl
from adjutant.store.files import Files

OPERATOR, AGENT, STRANGER = "operator", "agent", "stranger"
DEFAULT_SESSION = "cli"
ANSWER_OF = "-answer"
LONGEST_NAME = 60
TAIL = 1024 * 1024  # bytes of a conversation that are looked at: more messages than any prompt has room for
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")


class ConversationMessage(NamedTuple):
    """One message. `ts` ISO-8601; `trust`: "untrusted" of an answer that repeats what untrusted sources say."""

    id: str
    ts: str
    role: str
    name: str
    text: str
    trust: str = ""


_NEEDED = ConversationMessage._fields[:-1]


def session_named(name: str) -> str:
    """`name`, where a conversation may be called so. Raises UsageError: it becomes the name of a file."""
    if not name or len(name) > LONGEST_NAME or not set(name) <= _PLAIN or name[0] in ".-":
        form = f"1 to {LONGEST_NAME} of a-z, A-Z, 0-9, `.`, `_` and `-`; the first is no dot or dash"
        raise UsageError(f"--session {name[:40]!r}: {form}")
    return name


def answer_id(id: str) -> str:
    """The id of the answer to a message."""
    return f"{id}{ANSWER_OF}"


def newest(files: Files, session: str, most: int | None = None) -> list[ConversationMessage]:
    """The last `most` messages (None: all) near the end that operator and agent exchanged, oldest first, damaged lines
    left out. A stranger's words are found by search, and are no part of the talk."""
    lines = reversed(files.tail(files.tree.conversation(session), TAIL).split(b"\n"))
    rows = (row for line in lines for _, row in jsonl.parse(line) if row is not None and _whole(row))
    talk = islice((row for row in rows if row["role"] in (OPERATOR, AGENT)), most)
    told = ([*(row[name] for name in _NEEDED), str(row.get("trust", ""))] for row in talk)
    return [ConversationMessage._make(each) for each in told][::-1]


def _whole(record: dict[str, Any]) -> bool:
    return all(isinstance(record.get(field), str) for field in _NEEDED)


def record_of(files: Files, session: str, id: str) -> dict[str, Any] | None:
    """The whole record of a message by its id, None where there is none near the end."""
    found = jsonl.tail(files, files.tree.conversation(session), TAIL, id)
    return next((record for record in found if record.get("id") == id and _whole(record)), None)


def append(files: Files, session: str, message: ConversationMessage, **more: Any) -> None:
    """Adds a message; durable when this returns. `more`: what else is known of it. Raises IoFailed, Stopped."""
    told = {key: value for key, value in message._asdict().items() if value or key in _NEEDED}
    files.append(files.tree.conversation(session), {**told, **more})
