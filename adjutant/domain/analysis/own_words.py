"""DOMAIN. What of a message is the operator's own: what he passes on, quotes or pastes is no wish of his."""

from __future__ import annotations

import re
from functools import lru_cache

from adjutant.domain.behavior import grammar

MOST_CHARS = 600  # what is longer is mostly pasted: nobody corrects in more words
QUOTE_CHARS = 240
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_DIRECTIVE = re.compile(r"(?:KEEP|MORE|LESS|STOP|START):[ \t]")
_QUOTED = re.compile(r"[ \t]*[>|]")
# What stands below such a line is somebody else's: "On Tuesday Berg wrote:", "the page says:", "From: Berg".
_SAYS = re.compile(
    r"(?i)^.{0,160}\b(?:wrote|writes|said|says|reads|states|told me|mail|email|e-mail|message|letter|text|post|page|log"
    r"|output|error|skrev|skriver|sier|sa|står|melding|brev|schrieb|schreibt|sagt|sagte|steht|nachricht|brief"
    r"|meldung)\b"
    r"[^:\n]{0,60}:\s*$|^(?:from|fra|von|subject|emne|betreff|sent|sendt|gesendet):\s")
# "Berg wrote: …", "tell Ola: …", "translate: …": what follows is theirs, or meant for them.
_HANDED = re.compile(
    r"(?i)(?:\b(?:wrote|writes|says|said to (?:me|us)|skrev|skriver|sier|schrieb|schreibt|sagt)\b[^:\n.!?]{0,40}"
    r"|\b(?:tell|write|reply|answer|mail|e-?mail|text|message|remind|ask|si|skriv|svar|meld|minn|spør|sag|schreib\w*"
    r"|antworte|frag)\s+(?:to\s+|til\s+|an\s+)?(?-i:[A-ZÆØÅÄÖÜ]|(?:him|her|them|everybody|ham|henne|dem|ihm|ihr|ihnen)\b)"
    r"[^:\n.!?]{0,60}"
    r"|\b(?:translate|proofread|rephrase|rewrite|summari[sz]e|shorten|oversett|oppsummer|übersetz\w*|fasse)\b"
    r"[^:\n.!?]{0,60}):(?:\s|$)")
# Four words or more in quotes; a mark that is never closed quotes all the rest.
_SPOKEN = re.compile(r"[\"“”„«»‟](?:[^\"“”„«»‟\s]*[^\S\n]){3}[^\"“”„«»‟\n]*[\"“”„«»‟]"
                     r"|(?:^|\s)[\"“„«][^\"“”„«»‟\n]*\s[^\"“”„«»‟\n]*$")
# A stop ends a sentence before a blank; behind a number only before a capital ("the 3. of May").
_END = re.compile(r"(?:(?<=[^\W\d_][.])|(?<=[!?…])|(?<=[)\]`\"'”»%€$][.])|(?<=\d\.)(?=\s+[^\W\d_a-zæøåäöü]))"
                  r"[)\]\"'”»]*\s+(?=\S)|\s+[–—]\s+")
_SHORT = re.compile(r"(?i)\b(?:e\.g|i\.e|etc|bzw|ca|nr|no|f\.eks|z\.b|dr|mr|mrs|vs|kl|st|inkl|incl|approx)\.$")
_BULLET = re.compile(r"^[ \t]*(?:[-*+•]|\d{1,2}[.)])[ \t]+")


@lru_cache(maxsize=8192)
def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a message that are the operator's own, each as it stands there, without what is around it."""
    if not text.strip():
        return ()
    room, found = MOST_CHARS, list[str]()
    for line in own_lines(text):
        line = line[:room]
        room -= len(line)
        found += [part for each in _split(_BULLET.sub("", line)) if (part := each.strip()) and not _SPOKEN.search(part)]
    return tuple(found)


def own_lines(text: str) -> list[str]:
    """The lines that are neither quoted, code, directives nor forwarded, as far as the first that hands over."""
    if forwarded := grammar.parse(text.encode("utf-8", "replace")).forwarded:
        text = text[: text.rfind(forwarded[:80])]
    kept: list[str] = []
    fence = ""
    for line in text.split("\n"):
        line = line.rstrip("\r")
        if fence:
            fence = "" if line.strip().startswith(fence) else fence
        elif mark := _FENCE.match(line):
            fence = mark[1]
        elif _SAYS.match(line):
            break  # where what is theirs ends, nobody can tell
        elif handed := _HANDED.search(line):
            return [*kept, line[: handed.start()]]
        elif not _QUOTED.match(line) and not _DIRECTIVE.match(line):
            kept.append(line)
    return kept


def _split(text: str) -> list[str]:
    parts: list[str] = []
    start = 0
    for match in _END.finditer(text):
        part = text[start : match.start()]
        if _SHORT.search(part):
            continue
        parts.append(part)
        start = match.end()
    return [*parts, text[start:]]


def quote(sentence: str) -> str:
    """A sentence as evidence shows it: verbatim, cut at a blank where it is too long."""
    if len(sentence) <= QUOTE_CHARS:
        return sentence
    cut = sentence[:QUOTE_CHARS]
    return cut[: cut.rfind(" ")] if " " in cut else cut
