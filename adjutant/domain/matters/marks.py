"""DOMAIN. The marks of the Tasks plug-in, inline fields and tags of a line."""

import re
from collections.abc import Sequence

from adjutant.documents import markdown
from adjutant.language.dates import Date

TAG = re.compile(r"(?<![\w/])[@#]([^\W\d_][\w-]{1,30})(?![\w.])")
_MARK = re.compile(
    r"(?P<mark>📅|⏳|🛫|➕|✅|❌|✔|✓|☑|\b(?:due|deadline|scheduled|start|done|completed|cancelled)::)\s*"
)
_DUE = frozenset(("📅", "due::", "deadline::", "⏳", "scheduled::"))
_CLOSED_MARKS = frozenset(("✅", "❌", "✔", "✓", "☑", "done::", "completed::", "cancelled::"))

_SHOWN = re.compile(
    r"[\[(]?(?P<mark>📅|⏳|🛫|➕|✅|❌|\b(?:due|deadline|scheduled|start|done|completed|cancelled)::)\s*"
    r"(?:\d{4}-\d\d-\d\d\b)?[\])]?|[⏫🔼🔽🔺⏬]|🔁[^📅⏳🛫➕✅❌⏫🔼🔽🔺⏬#]*"
)
_ITEM = re.compile(r"\s*(?:>\s*)*(?:[-*+]\s+(?=\S)|\d{1,3}[.)]\s+(?=\[))?")  # "24. Nov: dentist" begins with a day


def marks_of(text: str, days: Sequence[Date]) -> tuple[Date | None, bool]:
    """(the day that a mark of the Tasks plug-in or an inline field names as due, whether a mark closes the line)."""
    due, closed = None, False
    for found in _MARK.finditer(text):
        mark = found["mark"].lower()
        closed = closed or mark in _CLOSED_MARKS
        if mark in _DUE and due is None:
            due = next((day for day in days if 0 <= day.start - found.end() <= 2), None)
    return due, closed


def says(text: str) -> bool:
    """Whether a line has a word beside its marks and tags."""
    return any(map(str.isalpha, TAG.sub("", _MARK.sub("", text))))


def strip_marks(text: str) -> str:
    """A line without its marks, tags and what stands behind marks."""
    cut = _MARK.search(text)
    return TAG.sub("", text[: cut.start()] if cut and cut.start() > 0 else text).strip().rstrip("([").rstrip()


def bare(text: str) -> str:
    """A line as a page shows it: without its marker, box, marks and tags; what stands behind them stays."""
    _, said = markdown.boxed(_ITEM.sub("", text, count=1).strip())
    return " ".join(TAG.sub("", _SHOWN.sub("", markdown.plain(said))).split())
