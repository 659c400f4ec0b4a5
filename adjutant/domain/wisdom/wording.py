"""DOMAIN. An item in the words of a rule: its label and dates taken off, a title from its first clause; its fitness."""

from __future__ import annotations

import re
from collections.abc import Iterable

from adjutant.domain.memory import gate
from adjutant.domain.periods import labels
from adjutant.domain.wisdom.items import WisdomItem
from adjutant.language import agreement
from adjutant.language.sentences import sentences
from adjutant.records import rule_text, wisdom_file
from adjutant.records.note import title_of
from adjutant.records.wisdom_file import RuleEntry
from adjutant.screening.fence import clean_line
from adjutant.screening.screen import screen

LEAST_WORDS = 3  # of a clause that is a title
_DATED = re.compile(r"\s*\([^()]*\d{4}-\d\d-\d\d[^()]*\)")
_TAGS = re.compile(
    r"<\s*/?\s*[A-Za-z!][^<>]*>|<{2,}|>{2,}|\[/?(?:INST|SYS)\b|^\s*(?:system|assistant|user)\s*:|```",
    re.IGNORECASE | re.MULTILINE,
)
_CLAUSE = re.compile(r"\s*(?:[;:–—(]|,(?=\s)|\s-\s).*", re.DOTALL)


def rule_of(item: WisdomItem) -> tuple[str, str]:
    """(title, text) of the rule that an item states: its first three sentences, without when it was said."""
    text = labels.capital(labels.front(_DATED.sub("", " ".join(item.text.split())))[1].strip())
    text = text[: max((each.end for each in sentences(text)[: rule_text.SENTENCES]), default=0)]
    if text and text[-1].isalnum():
        text += "."
    own = item.title if item.title and item.title != title_of(item.text) else ""
    return _short(clean_line(own, 400)) or _title(text), text


def unfit(title: str, text: str) -> str:
    """Why nobody's words may stand as a rule, "" where they may; whoever they come from."""
    told = f"{title}\n{text}"
    for _, reason in wisdom_file.unfit(RuleEntry(title, text)):
        return reason
    if not agreement.gist(text, agreement.common_language(text, title)).stems:
        return "no word of it says what it is about"
    if _TAGS.search(told):
        return "tags or role names of a prompt"
    if screen(told):
        return "it reads like an instruction to the assistant, not like a rule"
    return f"it holds {kind}" if (kind := gate.secret_in(told)) else ""


def unique(title: str, text: str, taken: Iterable[str]) -> str:
    """A title that no entry has: this one, the whole first sentence, else with a number behind it."""
    known, number = set(map(wisdom_file.key, taken)), 2
    found = title if wisdom_file.key(title) not in known else _short(clean_line(_first(text), 400))
    while wisdom_file.key(found) in known:
        found, number = f"{_short(title, rule_text.TITLE_CHARS - 5)} ({number})", number + 1
    return found


def _title(text: str) -> str:
    """The first clause, in few words."""
    first = _first(text)
    clause = _CLAUSE.sub("", first)
    return _short(clean_line(clause if len(clause.split()) >= LEAST_WORDS else first, 400).rstrip(".!…,;:"))


def _first(text: str) -> str:
    """The first sentence, without its full stop."""
    return next((text[: each.end] for each in sentences(text)), "").rstrip(".!…")


def _short(title: str, most: int = rule_text.TITLE_CHARS) -> str:
    """A title of at most `most` characters, cut between words."""
    cut = title if len(title) <= most else title[: most + 1].rpartition(" ")[0] or title[:most]
    return cut.rstrip(" ,;:-–—")
