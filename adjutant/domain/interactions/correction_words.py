"""DOMAIN. How a correction begins, for where a clause begins: lists, a language each, in patterns of several."""

from __future__ import annotations

import re
from collections.abc import Iterable

from adjutant.language.pack import cached, packs
from adjutant.language.patterns import either, regex

FILE = "corrections"
_PATTERNS = {  # `<name>` is any entry of that list, in any language
    "filler": r"(?:<fillers>\b[,. ]*)+",
    "no": r"<no>(?:[, ]+<no>)*(?:[,.:!;]+|\s[-–—]|(?=\s+<after_no>\b))\s*(?=\S)",
    "only no": r"<no>[.!]*$",
    "declines": "<declines>",
    "not that": r"<not> (?:<articles> )?([^\W_]\w{2,})[.!]*$",  # "Not Brandt!"
    "contrast": r"(?:,| <and>) <not> (?:<before_that> )?([^\W_][\w.,:-]*)",  # "…, not Monday"
    "states": r"<subjects><states>\b",
    "asked": "<asked>",
    "changes": r"\b<changes>\b",
}
_LIST = re.compile(r"<(\w+)>")


@cached(16)
def finds(name: str) -> re.Pattern[str]:
    """One of the patterns; case matters in none of them."""
    return re.compile(_LIST.sub(lambda found: either(FILE, found[1]), _PATTERNS[name]), re.IGNORECASE)


def begins(clauses: Iterable[str], language: str) -> bool:
    """Whether one of these clauses, in small letters, begins as a correction in a language ("": in any)."""
    found = regex(FILE, "{begins}", language if language in packs() else "")
    return any(found.match(clause) for clause in clauses)


def is_of_change(sentence: str) -> bool:
    """Whether a question is about what may be otherwise by now: it comes back for a good reason."""
    return finds("changes").search(sentence) is not None
