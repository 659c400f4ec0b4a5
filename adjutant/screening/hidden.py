"""SCREENING. Hidden text: characters that make a line mean something else than it shows, told from ordinary ones."""

from __future__ import annotations

import re

from adjutant.screening.characters import BIDI_CONTROLS, DECEIVING, JOINERS, SELECTORS, TAGS, ZERO_WIDTH

_LATIN = "A-Za-z\u00c0-\u024f"
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_TURNED = re.compile("[\u202a\u202b\u202d\u202e\u2066\u2067]([^\u202c\u2069\n]*)")
_REVERSED = re.compile(f"\u202e[^\u202c\n]*[{_LATIN}]")
_TAGGED = re.compile(f"[{TAGS}]+")
_FLAG = re.compile("\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{4,5}\U000e007f")
_SELECTED = re.compile(f"[{SELECTORS}]{{4,}}")
_PAYLOAD = re.compile(f"[{ZERO_WIDTH}{JOINERS}]{{4,}}")
_WIDTHLESS = "[\u180e\u200b\u2060-\u2064\ufeff]+"
# `Some<zero width>Class` is where a documentation tool lets a long name break: only a break inside a word counts.
_SPLIT = re.compile(f"(?<=[{_LATIN}]){_WIDTHLESS}(?=[a-z\u00df-\u024f])|(?<=[A-Z]){_WIDTHLESS}(?=[A-Z])")
_JOINED = re.compile(f"(?<=[{_LATIN}])[{JOINERS}]+(?=[{_LATIN}])")
_SHORTEST = 4  # characters; less cannot hide a word
_SUSPECT = re.compile(f"[{BIDI_CONTROLS}{JOINERS}{ZERO_WIDTH}{TAGS}{SELECTORS}\u0370-\u03ff\u0400-\u051d]")
_WORD = re.compile(r"[^\W\d_]{4,40}")
_FOREIGN = re.compile("[\u0370-\u03ff\u0400-\u04ff\u0501-\u051d]")
_MIXED = re.compile(f"[{''.join(DECEIVING)}](?=[a-z])")


def hidden_on(line: str) -> str | None:
    """Why `line` holds hidden text, or None.

    Ordinary are: emoji sequences and flags, joiners of Persian and Indic scripts, direction marks, numbers that
    programs wrap in direction controls, soft hyphens, a byte order mark, zero-width blanks between words.
    """
    if len(line) < _SHORTEST or not _SUSPECT.search(line):
        return None
    if _TAGGED.search(_FLAG.sub("", line)):
        return "invisible tag characters"
    if _SELECTED.search(line) or len(set(_longest(line))) > 1:
        return "a message in invisible characters"
    if _SPLIT.search(line) or len(_JOINED.findall(line)) > 1:
        return "invisible characters inside words"
    if _is_turned(line):
        return "characters that turn the direction of text"
    if _FOREIGN.search(line) and any(map(_is_disguised, _WORD.findall(line))):
        return "look-alike letters of another script inside a word"
    return None


def _longest(line: str) -> str:
    return max(_PAYLOAD.findall(line), key=len, default="")


def _is_turned(line: str) -> bool:
    if _REVERSED.search(line):
        return True
    turned = _TURNED.search(line)
    return bool(turned and re.search(f"[{_LATIN}]", turned[1]) and not _RIGHT_TO_LEFT.search(line))


def _is_disguised(word: str) -> bool:
    """Mostly Latin, each foreign letter one that passes for Latin: not `TNFα`, not `SMSка`, not a slip in Russian."""
    foreign = _FOREIGN.findall(word)
    if not foreign or len(foreign) * 2 > len(word) or not all(char in DECEIVING for char in foreign):
        return False
    return bool(_MIXED.search(word))
