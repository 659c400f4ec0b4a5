"""RECORDS. What a standing rule may say: one to three sentences that hold on any day; no task, recipe or date."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from adjutant.language import dates
from adjutant.language.detect import language_of
from adjutant.language.pack import listed
from adjutant.language.sentences import sentences as split

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
_ANY_DAY = date(2000, 1, 1)


def unfit(title: str, text: str) -> list[tuple[int, str]]:
    """Why a title and a text are no standing rule: (line from the title on, reason)."""
    long = [(0, f"a title of {len(title)} characters, {TITLE_CHARS} are allowed")] * (len(title) > TITLE_CHARS)
    dated = [(0, f"a date as content (`{found}`): a standing rule has none")] if (found := _date(title)) else []
    return [*long, *dated, *_text(text)]


def _text(text: str) -> Iterator[tuple[int, str]]:
    if not _COMMENTS.sub("", text).strip():
        yield 0, "an entry without text: one to three sentences stand below its title"
        return
    steps, fenced = 0, False
    shown = _COMMENTS.sub(lambda found: "\n" * found[0].count("\n"), text)  # its lines kept in number
    for number, line in enumerate(shown.split("\n"), start=1):
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
        elif found := _date(line):
            yield number, f"a date as content (`{found}`): a standing rule has none"
    count = sentences(text)
    if count > SENTENCES:
        yield 0, f"{count} sentences, at most {SENTENCES} are allowed"


def _date(text: str) -> str:
    """The first date of a text; a weekday, a bare month and "the 3rd" come again, so a rule may name them."""
    found = (each for each in dates.find(text, _ANY_DAY) if each.exact and not each.relative)
    said = (text[each.start : each.end].rstrip(".") for each in found)
    words = listed("dates", "doubtful", "en") if language_of(text) == "en" else ()  # "2 may fail"
    return next((each for each in said if not any(word in words for word in each.split())), "")


def sentences(text: str) -> int:
    """How many sentences a text has; items of a list and paragraphs end one too. Comments and code are not counted."""
    said = _FENCED.sub("\n\n", _COMMENTS.sub("", text))
    parts = re.split(r"\n\s*\n|\0", "\n".join(_ITEM.sub("\0", line, count=1) for line in said.split("\n")))
    return sum(len(split(" ".join(part.split()))) for part in parts)
