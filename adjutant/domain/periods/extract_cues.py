"""DOMAIN. What a statement is by the words that tell it: decision, correction, lesson, open, done.

The words are lists, a language each. They are looked for in lower case.
"""

from __future__ import annotations

import re

from adjutant.language.negation import is_negated
from adjutant.language.pack import cached, packs
from adjutant.language.patterns import cues, plain, regex

FILE = "periods"
_SECTIONS = ("Decisions", "Corrections", "Lessons", "Open threads", "Patterns")
_LABELS = dict(zip(_SECTIONS, ("decisions", "corrections", "lessons", "open", "patterns"), strict=True)) | {"": "idle"}
_LABEL_END = r"\s*(:|–|—| - )\s*"
_NAMED = r"({at}\s+){0,2}[\"'“]?([A-ZÆØÅÄÖÜ]\w|[$€£]?\d)"
_FIGURE = r"([$€£]?\d[\d.,:]*\d|\d)(st|nd|rd|th)?( ?[\w%€$£]{1,9}\.?)?"
# In the text as written: figures and names on both sides, so that "not cheap but good" is none.
_CONTRAST = (
    rf"\b{{not}}\s+{_NAMED}\S*(\s\S+){{0,3}}?,?\s+{{but}}\s+{_NAMED}"
    rf"|{_NAMED}[^\s;]{{0,30}}(\s[^\s;]{{1,30}}){{0,4}},\s+({{and}}\s+)?{{not}}\s+{_NAMED}[^\s,]*(\s\S+)?\s*([.!;)]|$)"
    rf"|{_FIGURE}(,| {{and}}|, {{and}})\s+{{not}}\s+({{at}}\s+){{0,2}}({_FIGURE}|{{counted}})\b"
)
_SAME_UNIT = r"\b{not}\s+(?P<unit>\w+) \d\S*,\s+{but}\s+(?P=unit) \d"
_QUESTION = re.compile(r"\?[\"')\]]*\s*$")


def label(text: str) -> tuple[str, int]:
    """(section, length) of a label that a text begins with, such as `Decision: `; ("", n) for one that tells none."""
    begun = plain(text[:60])
    for section, name in _LABELS.items():
        if found := regex(FILE, f"{{labels.{name}}}{_LABEL_END}").match(begun):
            return section, found.end()
    return "", 0


def heading(text: str) -> str:
    """The section that a heading such as `Decisions` or `Lessons learned` names, "" for any other."""
    return label(f"{text.strip().strip('*_#:')}: ")[0] if len(text) <= 60 else ""


def lead_in(text: str) -> int:
    """The length of what a text is begun with and says nothing: `Well, `, `Actually, `."""
    found = regex(FILE, r"({leads}\b(,|:| -| –| —)\s+)+").match(plain(text[:80]))
    return found.end() if found else 0


@cached(4096)
def section_of(text: str) -> str:
    """Decisions, Corrections, Lessons or Open threads, by what the text says; "" for what only happened."""
    lower = plain(text)
    asked = _QUESTION.search(lower) is not None
    if not asked:
        learned = cues(FILE, "learned").search(lower)
        if cues(FILE, "corrected").search(lower) or _contrasts(text, lower):
            return "Corrections"
        if learned and learned.start() == 0:
            return "Lessons"
        if decides(lower):
            return "Decisions"
        if learned:
            return "Lessons"
    if any(not is_negated(lower, found.start()) for found in cues(FILE, "open").finditer(lower)) or _finds(
        r"^{tasks.verbs} {tasks.objects}\b", lower
    ):
        return "Open threads"
    return "Open threads" if asked and len(lower.split()) >= 3 and not _finds(r"^{rhetorical}\b", lower) else ""


def _finds(pattern: str, lower: str) -> bool:
    return regex(FILE, pattern).search(lower) is not None


def _contrasts(text: str, lower: str) -> bool:
    """`not A but B` with figures or names; `Actually, …` with something firm in it."""
    if _finds(_CONTRAST, text) or _finds("{contrasts}", text):
        return True
    if any(regex(FILE, _SAME_UNIT, code).search(text) for code in packs()):
        return True
    if not _finds("{corrective}", lower) or _finds(r"\b{not_firm}\b", lower):
        return False
    return _finds(r"\d|\b({firm}|{long_month}|{weekday})\b", lower)


def decides(lower: str) -> bool:
    """Whether something is decided here, and not only about to be."""
    return cues(FILE, "decided").search(lower) is not None and not cues(FILE, "undecided").search(lower)


def done(text: str) -> bool:
    """Whether something came to its end: sent, paid, arrived, fixed; `not paid yet` is none."""
    lower = plain(text)
    if regex(FILE, r"{whenever}\b").match(lower):
        return False
    undone = regex(FILE, r"\b{not_done} ([^\s,.;]+ ){0,3}$")
    return any(
        not undone.search(lower[max(found.start() - 40, 0) : found.start()])
        for found in cues(FILE, "done").finditer(lower)
    )


def failed(text: str) -> bool:
    """Whether something went wrong."""
    return _finds(r"\b{failed}\b", plain(text))


def weighty(text: str) -> bool:
    """Whether a text names what is seldom small: a contract, an accident, a first time."""
    return _finds(r"\b{weighty}\b", plain(text))


def once_more(text: str) -> bool:
    """Whether a text says that something came another time."""
    return _finds(r"\b{once_more}\b", plain(text))


def recurs(text: str) -> bool:
    """Whether a text says by itself that something comes again and again."""
    return _finds(r"\b{again}\b", plain(text))
