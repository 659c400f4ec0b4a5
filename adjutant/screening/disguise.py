"""SCREENING. Orders in letters run apart or turned: `i g n o r e`, mirrored, or shifted by thirteen."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator

_APART = re.compile(r"(?<![^\W_])(?:[^\W\d_][\s.·•*|/\\~-]{1,3}){5,}[^\W\d_](?![^\W_])")
_BROKEN = re.compile(r"(?<=[^\W\d_])[.·•*|/\\~-](?=[^\W\d_])")
_NOT_LETTERS = re.compile(r"[\W\d_]+")
_ORDERS = re.compile(
    r"(?:ignore|disregard|forget|override|bypass)(?:all|any|every|the|these|those|of|my|your|and)*"
    r"(?:previous|prior|above|earlier|preceding|system|your|existing|original|all)+(?:and|previous|prior|above|system)*"
    r"(?:instruction|rule|prompt|guideline|directive|command)"
    r"|(?:reveal|print|show|repeat|leak|output)(?:me|us)?(?:your|the)(?:hidden|entire|full)?"
    r"(?:systemprompt|instructions|prompt)"
    r"|youarenow(?:dan|an?(?:unrestricted|ai)|jailbroken)|ignoreeverythingabove"
    r"|(?:ignorer|glem|overstyr|sebortfra)(?:alle?|de|dine)*(?:tidligere|forrige|dine|ovenstående)+"
    r"(?:instruks|regler|retningslinjer)"
    r"|(?:ignoriere?n?(?:sie)?|vergiss|missachten?)(?:alle?|die|deine)*(?:vorherigen|bisherigen|obigen|vorigen|deine)+"
    r"(?:anweisung|regeln|instruktion|richtlinien)"
    r"|(?:dontnotify|donotnotify|donttell|donottell)theoperator|markthisas(?:resolved|done|low)andignore"
)
_MARKS = ("snoitcurtsni", "tpmorp", "erongi", "negnusiewna", "vafgehpgvba", "cebzcg", "vtaber", "najrvfhat")


def run_together(text: str) -> Iterator[tuple[int, str]]:
    """Line numbers of `text` (prepared by `reading`) that give an order in letters set apart."""
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) < 11 or not (_APART.search(line) or len(_BROKEN.findall(line)) >= 3):
            continue
        if _ORDERS.search(_NOT_LETTERS.sub("", line)):
            yield number, "an order in letters set apart"


def turned_letters(text: str) -> Iterator[tuple[int, str]]:
    """Line numbers of `text` (prepared by `reading`) that give an order mirrored or shifted by thirteen letters."""
    if not any(mark in text for mark in _MARKS):
        return
    for number, line in enumerate(text.split("\n"), 1):
        if not any(mark in line for mark in _MARKS):
            continue
        for turned in (line[::-1], codecs.encode(line, "rot13")):
            if _ORDERS.search(_NOT_LETTERS.sub("", turned)):
                yield number, "an order in turned letters"
