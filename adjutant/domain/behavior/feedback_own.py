"""DOMAIN. What of a message is the operator's own: nothing forwarded, quoted, pasted as code, or handed over."""

from __future__ import annotations

import re
from collections.abc import Iterator

from adjutant.domain.behavior import grammar

MOST_CHARS, SENTENCES, LONGEST_SENTENCE = 6000, 60, 320
QUOTED_WORDS = 3
_CODE = re.compile(r"[ \t]*(?:`{3,}|~{3,})")
_NOT_OWN = re.compile(r"\s*(?:>|\||(?:[-*+•·–]|\d{1,3}[.)])\s)|(?: {4}|\t)\s*\S")
# What stands in quotation marks; a mark that is never closed quotes all the rest.
_QUOTATION = re.compile("“[^“”]*”|\"[^\"\\n]*\"|„[^„“”]*[“”]|«[^«»]*»|»[^«»]*«|‘[^‘’\\n]*’|(?<!\\w)'[^'\\n]{3,}'(?!\\w)"
                        "|(?:(?<=\\s)|^)[“\"„«][^”\"“»]*\\Z")
QUOTED = "[…]"
_OPEN_COLON = re.compile(r":[ \t]*$")


def own_words(text: str) -> str:
    """What of a message are the operator's own words, line by line as they stand: no forwarded part, no code, no quoted
    or listed lines, no directives, nothing behind a line that hands something over (`Mail to Ola:`)."""
    parsed = grammar.parse(text[:MOST_CHARS].encode("utf-8", "replace"))
    told = parsed.remainder
    if parsed.forwarded:
        told = told[: -len(parsed.forwarded)] if told.endswith(parsed.forwarded) else ""
    kept: list[str] = []
    fenced = False
    for line in told.split("\n"):
        if _CODE.match(line):
            fenced = not fenced
            continue
        if fenced or _NOT_OWN.match(line):
            continue
        if _OPEN_COLON.search(line):
            kept.append(line)
            break
        kept.append(line)
    return _QUOTATION.sub(_quoted, "\n".join(kept)).strip()


def _quoted(match: re.Match[str]) -> str:
    """Quotation marks around a word or three name something; around more they hold what somebody says."""
    return match.group() if len(match.group().split()) <= QUOTED_WORDS else QUOTED


_SENTENCE = re.compile(r"(?<=[.!?;…])\s+|\n+")


def sentences(text: str) -> Iterator[str]:
    """The sentences of own words, each on one line, those with somebody else's words in them left out."""
    for part in _SENTENCE.split(text)[:SENTENCES]:
        sentence = " ".join(part.split())
        if not 3 < len(sentence) <= LONGEST_SENTENCE:
            continue
        if QUOTED not in sentence:
            yield sentence
