"""DOMAIN. What of a message is the operator's own: nothing forwarded, quoted, pasted as code, or handed over."""

from __future__ import annotations

import re
from collections.abc import Iterator

from adjutant.domain.behavior import grammar
from adjutant.domain.behavior.feedback_subjects import LANGUAGES, plain

MOST_CHARS, SENTENCES, LONGEST_SENTENCE = 6000, 60, 320
QUOTED_WORDS = 3
_CODE = re.compile(r"[ \t]*(?:`{3,}|~{3,})")
_NOT_OWN = re.compile(r"\s*(?:>|\||(?:[-*+•·–]|\d{1,3}[.)])\s)|(?: {4}|\t)\s*\S")
# What stands in quotation marks; a mark that is never closed quotes all the rest.
_QUOTATION = re.compile("“[^“”]*”|\"[^\"\\n]*\"|„[^„“”]*[“”]|«[^«»]*»|»[^«»]*«|‘[^‘’\\n]*’|(?<!\\w)'[^'\\n]{3,}'(?!\\w)"
                        "|(?:(?<=\\s)|^)[“\"„«][^”\"“»]*\\Z")
QUOTED = "[…]"
_COLON = re.compile(r"(?<!\d):(?:\s|$)")
# What is to be told somebody, or put into other words, is none of the operator's on how to be answered.
_HANDED = re.compile(
    r"\b(?:tell|say|write|reply|answer|mail|e-?mail|send|text|message|post|translate|draft|ask|remind|quote|read|summari[sz]e"
    r"|rewrite|shorten|proofread|correct|check|si|fortell|skriv|svar|send|meld|oversett|spør|minn|les|oppsummer|rett|sag|schreib\w*"
    r"|antworte|schick\w*|übersetz\w*|frag|erinner\w*|lies|fasse|korrigier\w*)\b", re.IGNORECASE)


def own_words(text: str) -> str:
    """What of a message are the operator's own words, line by line as they stand: no forwarded part, no code, no quoted
    or listed lines, no directives, nothing behind a line that hands something over (`Mail to Ola:`)."""
    parsed = grammar.parse(text[:MOST_CHARS].encode("utf-8", "replace"))
    told, every = parsed.remainder, text.split("\n")
    nearly = {every[miss.line - 1].rstrip("\r") for miss in parsed.misses if miss.line <= len(every)}
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
        own, goes_on = (line, True) if line in nearly else _before_colon(line)
        kept.append(own)
        if not goes_on:
            break
    return _QUOTATION.sub(_quoted, "\n".join(kept)).strip()


def _before_colon(line: str) -> tuple[str, bool]:
    """(a line as far as it is the operator's own, whether what stands below may be so too).

    `From now on: tables` hands nothing over; `Kari: …` hands over the line, `Tell Kari: …` the rest.
    """
    colon = _COLON.search(line)
    if colon is None:
        return line, True
    head, rest = plain(line[: colon.start()]), line[colon.end() :].strip()
    if rest and any(re.fullmatch(rf"(?:{each.lasting}|feedback|{each.good})(?: please)?", head)
                    for each in LANGUAGES.values()):
        return line, True
    return line[: colon.start()], bool(rest) and _HANDED.search(head) is None


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
