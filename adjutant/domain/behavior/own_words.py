"""DOMAIN. What of a message is the operator's own: nothing forwarded, quoted, pasted as code, or handed over.

What he passes on is no wish of his, and what he says to others is not said to the agent. Time grows with the length
alone, whatever stands in a message.
"""

from __future__ import annotations

import re
from functools import lru_cache

from adjutant.domain.behavior import grammar
from adjutant.domain.behavior.feedback_subjects import plain
from adjutant.domain.behavior.feedback_words import FILE
from adjutant.language.patterns import regex
from adjutant.language.sentences import by_line

READ = 6000  # characters of a message that are looked at
MOST_CHARS = 600  # of own sentences; what is longer is mostly pasted: nobody corrects in more words
QUOTED_WORDS = 3  # more of them in quotation marks are what somebody says, fewer name something
QUOTED = "[…]"
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_DIRECTIVE = re.compile(r"(?:KEEP|MORE|LESS|STOP|START):[ \t]")
_QUOTED = re.compile(r"\s*[>|]|(?: {4}|\t)\s*\S")
_LISTED = re.compile(r"\s*(?:[-*+•·–]|\d{1,3}[.)])\s")
# What stands below such a line is somebody else's: "On Tuesday Berg wrote:", "the page says:", "From: Berg".
_SAYS = r"^.{0,160}\b{theirs.says}\b[^:\n]{0,60}:\s*$|^{theirs.heads}:\s"
# "Berg wrote: …", "tell Ola: …", "translate: …": what follows is theirs, or meant for them.
_HANDED = (
    r"(\b{handed.says}\b[^:\n.!?]{0,40}"
    r"|\b{handed.tells}\s+({handed.to}\s+)?(?-i:[A-ZÆØÅÄÖÜ]|{handed.whom}\b)[^:\n.!?]{0,60}"
    r"|\b{handed.texts}\b[^:\n.!?]{0,60}):(\s|$)"
)
_COLON = re.compile(r"(?<!\d):(?:\s|$)")
_QUOTATION = re.compile(
    "“[^“”]*”|\"[^\"\\n]*\"|„[^„“”]*[“”]|«[^«»]*»|»[^«»]*«|‘[^‘’\\n]*’|(?<!\\w)'[^'\\n]{3,}'(?!\\w)"
)
_OTHER_PAIR = re.compile('["“”„«»‟][^"“”„«»‟\\n]*["“”„«»‟]')  # `"Well then”`
_OPENING, _CLOSING = re.compile('(?:(?<=\\s)|^)[“"„«]'), '”"“»'
_MARKS = frozenset("\"'“”„«»‟‘’")
_DASH = re.compile(r"\s+[–—]\s+")


def told(text: str) -> str:
    """What of a message are the operator's own words, line by line as they stand; a quotation of some words in them is
    `QUOTED`."""
    return _without_quotations(_lines(_parsed(text)))


def outright(text: str) -> str:
    """What of his own words he says outright: no lists, nothing behind a colon that may hand it over."""
    parsed, every = _parsed(text), text.split("\n")
    nearly = {every[miss.line - 1].rstrip("\r") for miss in parsed.misses if miss.line <= len(every)}
    kept: list[str] = []
    for line in _lines(parsed):
        if _LISTED.match(line):
            continue
        own, goes_on = (line, True) if line in nearly else _before_colon(line)
        kept.append(own)
        if not goes_on:
            break
    return _without_quotations(kept)


@lru_cache(maxsize=8192)
def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a message that are the operator's own, each as it stands there, without what is around it."""
    if not text.strip():
        return ()
    room, found = MOST_CHARS, list[str]()
    for line in told(text).split("\n"):
        line = line[:room]
        room -= len(line)
        found += [part for each in by_line(line) for part in _DASH.split(each) if part and QUOTED not in part]
    return tuple(found)


def _parsed(text: str) -> grammar.Parsed:
    return grammar.parse(text[:READ].encode("utf-8", "replace"))


def _lines(parsed: grammar.Parsed) -> list[str]:
    """The lines that are neither quoted, code, directives nor forwarded, as far as the first that hands over."""
    own = parsed.remainder
    if parsed.forwarded:
        own = own[: -len(parsed.forwarded)] if own.endswith(parsed.forwarded) else ""
    kept: list[str] = []
    fence = ""
    for line in own.split("\n"):
        line = line.rstrip("\r")
        if fence:
            fence = "" if line.strip().startswith(fence) else fence
        elif mark := _FENCE.match(line):
            fence = mark[1]
        elif ":" in line and regex(FILE, _SAYS, flags=re.IGNORECASE).match(line):
            break  # where what is theirs ends, nobody can tell
        elif ":" in line and (handed := regex(FILE, _HANDED, flags=re.IGNORECASE).search(line)):
            return [*kept, line[: handed.start()]]
        elif not _QUOTED.match(line) and not _DIRECTIVE.match(line):
            kept.append(line)
    return kept


def _before_colon(line: str) -> tuple[str, bool]:
    """(a line as far as it is the operator's own, whether what stands below may be so too).

    `From now on: tables` hands nothing over; `Kari: …` hands over the line, `Tell Kari: …` the rest.
    """
    colon = _COLON.search(line)
    if colon is None:
        return line, True
    head, rest = plain(line[: colon.start()]), line[colon.end() :].strip()
    if rest and regex(FILE, "{announces}").fullmatch(head):
        return line, True
    return line[: colon.start()], bool(rest) and not regex(FILE, r"\b{handed.may}\b", flags=re.IGNORECASE).search(head)


def _without_quotations(lines: list[str]) -> str:
    """Lines as one text, `QUOTED` for what somebody says in them; a mark that is never closed quotes all the rest."""
    text = "\n".join(lines)
    if _MARKS.isdisjoint(text):
        return text.strip()
    text = _OTHER_PAIR.sub(_quoted, _QUOTATION.sub(_quoted, text))
    opening = _OPENING.search(text, max(0, *(text.rfind(mark) for mark in _CLOSING)))
    if opening is not None and " " in text[opening.start() :].strip():
        text = text[: opening.start()] + QUOTED
    return text.strip()


def _quoted(match: re.Match[str]) -> str:
    """Quotation marks around a word or three name something; around more they hold what somebody says."""
    return match.group() if len(match.group().split()) <= QUOTED_WORDS else QUOTED
