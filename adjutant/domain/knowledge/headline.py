"""What a signal is called: one short line from its own words, and one sentence on why it matters."""

from __future__ import annotations

import re
from datetime import date

TITLE_CHARS, TOPIC_CHARS, NAME_CHARS = 90, 40, 48
_MARKER = re.compile(r"^(?:>\s*)*(?:#{1,6}\s+|[-*+]\s+|\d+[.)]\s+)?(?:\[[ xX]\]\s*)?")
_DUE_TAIL = re.compile(
    r"[,;:(–-]*\s*\b(?:due|deadline|by|until|frist|innen|forfaller|fällig(?:\s+am)?|bis)\b[:\s]*"
    r"(?:\d{4}-\d{2}-\d{2}|\d{1,2}\.\d{1,2}\.(?:\d{2,4})?|@\S+)\)?\s*$",
    re.IGNORECASE,
)
_FIGURE = re.compile(r"^[\d\s.,:/%€£$+*–-]*$")
_FILE_NAME = re.compile(r"^\S+\.[a-z]{2,5}$")
_DAY = re.compile(r"\d{4}|\b\d{1,2}[./-]\d{1,2}\b")


def title(topic: str, text: str, quote: str) -> str:
    """At most 90 characters: the heading where it adds something, and the statement without what follows it.

    `text` is the whole unit (cells joined by " · " for a row), `quote` its decisive line.
    """
    own = statement(text, quote)
    head = plain(topic)
    adds = head and len(head) <= TOPIC_CHARS and not _DAY.search(head) and not _FILE_NAME.match(head)
    if adds and head.casefold() not in own.casefold():
        own = f"{head}: {own}"
    return cut(own, TITLE_CHARS)


def statement(text: str, quote: str) -> str:
    """The unit in its own words: a row's telling cells, or the decisive line without marker and due date."""
    whole = plain(text)
    if " · " in whole:
        cells = [cell.strip() for cell in whole.split(" · ")]
        return ", ".join(cell for cell in cells if cell and not _FIGURE.match(cell)) or whole
    line = plain(_MARKER.sub("", quote.strip()))
    own = line if line and whole.startswith(line) else whole
    return _DUE_TAIL.sub("", own).rstrip(" .,;:") or own


def plain(text: str) -> str:
    """One line without emphasis marks and control characters."""
    shown = "".join(c if c.isprintable() else " " for c in text)
    return " ".join(shown.replace("*", "").replace("`", "").replace("|", "·").split()).strip(" -–·")


def cut(text: str, limit: int) -> str:
    """At most `limit` characters, ended at a word with an ellipsis where more stood."""
    if len(text) <= limit:
        return text
    short = text[: limit - 1]
    head, blank, _ = short.rpartition(" ")
    return (head if blank and len(head) > limit // 2 else short).rstrip(" ,;:–-") + "…"


def name_of(item: str) -> str:
    """A priority or concern by its first words: up to the colon where it has an early one."""
    head, colon, _ = plain(item).partition(":")
    return head if colon and len(head) <= NAME_CHARS else cut(plain(item), NAME_CHARS)


def why(says: str, kind: str, due: date | None, touched: str, today: date) -> str:
    """From typed facts only: the state, its day, and what of the heart it touches (`priority 'Tax'`, or "")."""
    parts = [says]
    if due is not None:
        gap = (due - today).days
        day = f"{due.day} {due:%B}" + (f" {due.year}" if due.year != today.year else "")
        if gap < 0:
            parts = [f"overdue since {day}"] + ([says] if kind not in ("overdue", "deadline") else [])
        else:
            when = "today" if gap == 0 else "tomorrow" if gap == 1 else f"in {gap} days"
            parts = ([says] if kind != "deadline" else []) + [f"due {day} ({when})"]
    if touched:
        parts.append(f"touches {touched}")
    return "; ".join(parts)
