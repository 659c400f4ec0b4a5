"""DOMAIN. How the operator wants to be answered, where he says so, in a form that stays the same over a month.

What he says is heard by behavior/feedback; here remarks in other words, and in other languages, come under one key.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from adjutant.domain.analysis.gists import gist, opened
from adjutant.domain.behavior import feedback
from adjutant.domain.behavior.feedback import Remark
from adjutant.domain.behavior.feedback_words import PRAISE
from adjutant.records.wording import AGAINST

MOST_WORDS = 16  # a longer sentence is about more than manner


class Manner(NamedTuple):
    """`kind` and `way`: "length shorter", "list none". `rule`: what is wished, as the line of a directive. `weight`:
    how plainly the sentence says it, 0 to 1."""

    kind: str
    way: str
    sentence: str
    rule: str
    weight: float


_SIDES = {"for": "wanted", "against": "none"}
_ONE = {
    "length short": ("length", "shorter"),
    "length long": ("length", "longer"),
    "detail for": ("length", "longer"),
    "detail against": ("length", "shorter"),
    "formal against": ("formality", "less"),
    "formal for": ("formality", "more"),
    "casual against": ("formality", "more"),
    "casual for": ("formality", "less"),
}
_TONGUES = {
    "english": r"english|engelsk|englisch\w*",
    "norwegian": r"norwegian|norsk|norwegisch\w*|bokmål|nynorsk",
    "german": r"german|tysk|deutsch\w*",
}
_NOT_IN = re.compile(r"(?i)\b(?:not|never|ikke|aldri|nicht|nie)(?:\s+(?:in|på|auf))?\s+$")
_IN_TONGUE = re.compile("(?i)" + "|".join(rf"(?P<{name}>\b(?:{words})\b)" for name, words in _TONGUES.items()))
_SOURCES = re.compile(r"(?i)\b(?:sources?|citations?|references|kilde\w*|quellen?)\b")
_FEW = re.compile(
    r"(?i)\b(?:\d{1,2}|one|two|three|four|five|a few|en|én|to|tre|fire|fem|noen få|eine[rmn]?|zwei|drei|vier|fünf"
    r"|wenigen)\s+(?:\w+\s+)?(?:lines?|sentences?|words|linjer?|setning(?:er)?|ord|zeilen?|sätzen?|satz|wörtern?|worten?)\b"
)


_LEAD = re.compile(  # "I told you: no emojis."
    r"(?i)^\s*(?:(?:no|nei|nein|but|men|aber)[,.]?\s+)?(?:(?:as|like|som|wie)\s+)?(?:i|jeg|ich)\s[^:\n]{0,30}:\s+"
)


@lru_cache(maxsize=8192)
def find(sentence: str, answered: bool = True) -> Manner | None:
    """The way of answering that a sentence of the operator's asks for; None where it asks for none, or for two that
    contradict. `answered`: it stands behind an answer, so that "too long" speaks of that."""
    # As it stands first: the "no" of "No emojis" opens no correction.
    for said in dict.fromkeys(each.strip() for each in (sentence, _LEAD.sub("", sentence), opened(sentence))):
        if not 0 < len(said.split()) <= MOST_WORDS:
            continue
        heard = [each for each in feedback.remarks(feedback.Said("", said, answered)) if each.kind != PRAISE]
        keys = {_key(each) for each in heard}
        if heard and len({kind for kind, _ in keys}) == len(keys):
            best = max(heard, key=lambda each: each.weight)
            return Manner(*_key(best), said, f"{best.type}: {best.text}", best.weight)
    return None


def _key(remark: Remark) -> tuple[str, str]:
    """What a remark is about, and which way, for all the wordings of one wish."""
    if remark.about in _ONE:
        return _ONE[remark.about]
    matter, _, side = remark.about.rpartition(" ")
    if not matter.startswith(("for:", "against:")):
        return matter, _SIDES[side]
    way = _SIDES["against" if remark.type in AGAINST else "for"]
    if tongue := _tongue(remark.text):
        return "language", tongue if way == "wanted" else f"not {tongue}"
    if _SOURCES.search(remark.text):
        return "source", way
    if _FEW.search(remark.text):
        return "length", "shorter" if way == "wanted" else "longer"
    told = gist(remark.text)
    return " ".join(sorted(told.telling | told.light)) or remark.text.lower(), way


def _tongue(text: str) -> str:
    """The language that a wish names, "" for none: "in German, not in English" wants German."""
    named = (match for match in _IN_TONGUE.finditer(text) if _NOT_IN.search(text[: match.start()]) is None)
    return next((match.lastgroup or "" for match in named), "")
