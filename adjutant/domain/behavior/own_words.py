"""DOMAIN. What of a message is the operator's own: nothing forwarded, quoted, pasted as code, or handed over.

Marks alone decide, no words: what he passes on is no wish of his. Time grows with the length alone, whatever stands in
a message.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from adjutant.domain.behavior import grammar
from adjutant.language.phrases import Match, matcher
from adjutant.language.sentences import by_line
from adjutant.records.contract import collapse, problem

READ = 6000  # characters of a message that are looked at
MOST_CHARS = 600  # of own sentences; what is longer is mostly pasted: nobody corrects in more words
QUOTED_WORDS = 3  # more of them in quotation marks are what somebody says, fewer name something
QUOTED = "[…]"
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_DIRECTIVE = re.compile(r"(?:KEEP|MORE|LESS|STOP|START):[ \t]")
_QUOTED = re.compile(r"\s*[>|]|(?: {4}|\t)\s*\S")
_LISTED = re.compile(r"\s*(?:[-*+•·–]|\d{1,3}[.)])\s")
_HEAD = re.compile(r"[^\W\d_]+:\s")  # "From: Berg", "Kari: …"
_COLON = re.compile(r"(?<!\d)[:：](?:\s|$)")
_QUOTATION = re.compile(
    "“[^“”]*”|\"[^\"\\n]*\"|„[^„“”]*[“”]|«[^«»]*»|»[^«»]*«|‘[^‘’\\n]*’|(?<!\\w)'[^'\\n]{3,}'(?!\\w)"
)
_OTHER_PAIR = re.compile('["“”„«»‟][^"“”„«»‟\\n]*["“”„«»‟]')  # `"Well then”`
_OPENING, _CLOSING = re.compile('(?:(?<=\\s)|^)[“"„«]'), '”"“»'
_MARKS = frozenset("\"'“”„«»‟‘’")
_DASH = re.compile(r"\s+[–—]\s+")


def read(text: str) -> str:
    """What of a message are the operator's own words, line by line as they stand; a quotation of some words in them is
    `QUOTED`.

    A colon hands over what stands behind it, at the end of a line or in a head such as `From: …` all that follows; a
    line that is nearly a directive has one of its own.
    """
    return _without_quotations(_lines(text))


def read_outright(text: str) -> str:
    """What of his own words he says outright: no lists."""
    return _without_quotations([line for line in _lines(text) if not _LISTED.match(line)])


@lru_cache(maxsize=8192)
def split(text: str) -> tuple[str, ...]:
    """The sentences of a message that are the operator's own, each as it stands there, without what is around it."""
    if not text.strip():
        return ()
    room, found = MOST_CHARS, list[str]()
    for line in read(text).split("\n"):
        line = line[:room]
        room -= len(line)
        found += [part for each in by_line(line) for part in _DASH.split(each) if part and QUOTED not in part]
    return tuple(found)


def _lines(text: str) -> list[str]:
    """The lines that are neither quoted, code, directives nor forwarded, as far as the first that hands over."""
    parsed = grammar.parse(text[:READ].encode("utf-8", "replace"))
    every = text[:READ].split("\n")
    nearly = {every[miss.line - 1].rstrip("\r") for miss in parsed.misses if miss.line <= len(every)}
    kept: list[str] = []
    for line in _plain_lines(parsed):
        colon = None if line in nearly else _COLON.search(line)
        kept.append(line if colon is None else line[: colon.start()])
        if colon is not None and (not line[colon.end() :].strip() or (len(kept) == 1 and _HEAD.match(line))):
            break  # where what is theirs ends, nobody can tell
    return kept


def _plain_lines(parsed: grammar.Parsed) -> Iterator[str]:
    """The lines of a message that are neither forwarded, quoted, code nor directives."""
    own = parsed.remainder
    if parsed.forwarded:
        own = own[: -len(parsed.forwarded)] if own.endswith(parsed.forwarded) else ""
    fence = ""
    for line in own.split("\n"):
        line = line.rstrip("\r")
        if fence:
            fence = "" if line.strip().startswith(fence) else fence
        elif mark := _FENCE.match(line):
            fence = mark[1]
        elif not _QUOTED.match(line) and not _DIRECTIVE.match(line):
            yield line


def _without_quotations(lines: list[str]) -> str:
    """Lines as one text, `QUOTED` for what somebody says in them; a mark that is never closed quotes all the rest."""
    text = "\n".join(lines)
    if _MARKS.isdisjoint(text):
        return text.strip()
    text = _OTHER_PAIR.sub(_drop_quotation, _QUOTATION.sub(_drop_quotation, text))
    opening = _OPENING.search(text, max(0, *(text.rfind(mark) for mark in _CLOSING)))
    if opening is not None and " " in text[opening.start() :].strip():
        text = text[: opening.start()] + QUOTED
    return text.strip()


def _drop_quotation(match: re.Match[str]) -> str:
    """Quotation marks around a word or three name something; around more they hold what somebody says."""
    return match.group() if len(match.group().split()) <= QUOTED_WORDS else QUOTED


WISHES = "wishes"
THING, WAY = "thing", "way"
_ENDS = " \t.!,;:"


class Wish(NamedTuple):
    """A directive's `type` and `text`; `quote`: the sentence that asks for it, as it stands."""

    type: str
    text: str
    quote: str


def find(message: str) -> list[Wish]:
    """The wishes of a message, in the operator's own words, each once."""
    found: dict[tuple[str, str], Wish] = {}
    for wish in (*_near_misses(message), *_find_spoken(read_outright(message))):
        found.setdefault((wish.type, wish.text.casefold()), wish)
    return list(found.values())


def read_wish(sentence: str) -> Wish | None:
    """The wish that a sentence is; None for none."""
    match = matcher(WISHES, WISHES).whole(sentence)
    if match is None:
        return None
    text = collapse(_text(sentence, match)).strip(_ENDS)
    return None if problem(text) else Wish(match.name, text, sentence)


def _text(sentence: str, match: Match) -> str:
    if THING in match.slots:
        return match.slots[THING]
    if WAY not in match.slots:
        return sentence
    before = sentence[: sentence.rfind(match.slots[WAY])].split()
    return " ".join([*before[-1:], match.slots[WAY]])


def _find_spoken(own: str) -> Iterator[Wish]:
    for sentence in by_line(own):
        wish = read_wish(sentence)
        if wish is not None:
            yield wish


def _near_misses(message: str) -> Iterator[Wish]:
    """`keep: tables`, in small letters: no directive, and yet hardly meant otherwise."""
    lines = message.split("\n")
    for miss in grammar.parse(message[:READ].encode("utf-8", "replace")).misses:
        would = grammar.parse_one(miss.would_work)
        if isinstance(would, grammar.DirectiveLine) and miss.line <= len(lines):
            yield Wish(would.type, would.text, collapse(lines[miss.line - 1]))
