"""RECORDS. What a standing rule may say: one to three sentences that hold on any day; no task, recipe or date."""

from __future__ import annotations

import re
from collections.abc import Iterator

RULE = "---"
TITLE_CHARS, SENTENCES = 80, 3
FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_COMMENTS = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_FENCED = re.compile(r"(?ms)^ {0,3}(```+|~~~+).*?(?:^ {0,3}\1[`~]*\s*$|\Z)")
_CHECKBOX = re.compile(r"\s*[-*+]\s+\[[ xX]?\](?:\s|\Z)")
_COMMAND = re.compile(r"\s*\$\s+\S")
_STEP = re.compile(r"\s*\d+[.)]\s+\S")
_ITEM = re.compile(r"\A\s*(?:[-*+]|\d+[.)])\s+")
_RULE_LINE = re.compile(r" {0,3}(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}")
_MONTHS = (
    "Jan(?:uary|uar)?|Feb(?:ruary|ruar)?|Mar(?:ch|s)?|März|Apr(?:il)?|May|Mai|mai|June?|Juni|July?|Juli|Aug(?:ust)?"
    "|Sept?(?:ember)?|Oct(?:ober)?|O[kc]t(?:ober)?|Nov(?:ember)?|De[cz](?:ember)?|Desember"
    "|januar|februar|mars|april|juni|juli|august|september|oktober|november|desember"
)
_DATE = re.compile(
    r"(?<!\d)(?:\d{4}-\d\d-\d\d|\d{1,2}\.\s?\d{1,2}\.\s?\d{4}|\d{1,2}/\d{1,2}/\d\d(?:\d\d)?)(?!\d)"
    rf"|\b\d{{1,2}}(?:st|nd|rd|th|\.)?\s+(?:of\s+)?(?:{_MONTHS})\b|\b(?:{_MONTHS})\s+\d{{1,2}}(?:st|nd|rd|th)?\b(?!\s*%)"
)
_STOP = re.compile(r"(?<!\S)(\S*[.!?…])[\"'”’»)\]*_]*\s+(?=[\"'“‘«(\[*_]*[^\W_a-zæøåäöüß])")
_SHORT = re.compile(
    r"(?:(?:[^\W\d_]\.)*[^\W\d_]|etc|vs|cf|approx|mr|mrs|ms|dr|bzw|ca|f\.eks|bl\.a|\d\d?)\.", re.IGNORECASE
)
_NUMBER = re.compile(r"(?:no|nr)\.\s+\d", re.IGNORECASE)


def unfit(title: str, text: str) -> list[tuple[int, str]]:
    """Why a title and a text are no standing rule: (line from the title on, reason)."""
    return [*_title(title), *_text(text)]


def _title(title: str) -> Iterator[tuple[int, str]]:
    if len(title) > TITLE_CHARS:
        yield 0, f"a title of {len(title)} characters, {TITLE_CHARS} are allowed"
    if found := _DATE.search(title):
        yield 0, f"a date as content (`{found[0]}`): a standing rule has none"


def _text(text: str) -> Iterator[tuple[int, str]]:
    if not _COMMENTS.sub("", text).strip():
        yield 0, "an entry without text: one to three sentences stand below its title"
        return
    steps, fenced = 0, False
    for number, line in enumerate(_blank(_COMMENTS, text).split("\n"), start=1):
        fence = bool(FENCE.match(line))
        steps += bool(_STEP.match(line))
        if fenced or fence:
            if not fenced:
                yield number, "a command block: recipes belong elsewhere"
            fenced ^= fence
        elif _COMMAND.match(line):
            yield number, "a command: recipes belong elsewhere"
        elif _CHECKBOX.match(line):
            yield number, "a checkbox: tasks belong elsewhere"
        elif _STEP.match(line) and steps == 2:
            yield number, "a list of steps: recipes belong elsewhere"
        elif _RULE_LINE.fullmatch(line.rstrip()):
            yield number, f"`{RULE}` stands once, above the entries"
        elif found := _DATE.search(line):
            yield number, f"a date as content (`{found[0]}`): a standing rule has none"
    count = sentences(text)
    if count > SENTENCES:
        yield 0, f"{count} sentences, at most {SENTENCES} are allowed"


def _blank(what: re.Pattern[str], text: str) -> str:
    """The text without what matches, its lines kept in number."""
    return what.sub(lambda found: "\n" * found[0].count("\n"), text)


def sentences(text: str) -> int:
    """How many sentences a text has; items of a list and paragraphs end one too. Comments and code are not counted."""
    said = _FENCED.sub("\n\n", _COMMENTS.sub("", text))
    parts = re.split(r"\n\s*\n|\0", "\n".join(_ITEM.sub("\0", line, count=1) for line in said.split("\n")))
    return sum(1 + _stops(part.strip()) for part in parts if part.strip())


def _stops(part: str) -> int:
    """How many sentences end within a part, before its last."""
    told = ((found[1].lstrip("(\"'“"), found) for found in _STOP.finditer(part))
    return sum(
        1
        for word, found in told
        if not _SHORT.fullmatch(word) and not _NUMBER.match(word + part[found.end(1) : found.end() + 1])
    )
