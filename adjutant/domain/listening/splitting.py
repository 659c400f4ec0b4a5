"""DOMAIN. A long text as messages of Telegram's size, nothing lost and in order."""

from __future__ import annotations

LIMIT = 4096  # UTF-16 code units, as Telegram counts
_JOINERS = "\u200d\ufe0f"


def split(text: str, limit: int = LIMIT) -> list[str]:
    """The text in pieces that joined are the text again: cut after a line, else after a blank, else between characters.

    Pieces of blanks alone go with their neighbours' words; a text of blanks alone gives none.
    """
    pieces: list[str] = []
    while text.strip():
        cut = _fitting(text, limit)
        if cut < len(text):
            cut = _after(text, "\n", cut) or _after(text, " ", cut) or _between(text, cut)
        if text[:cut].strip():
            pieces.append(text[:cut])
        text = text[cut:]
    return pieces


def units(text: str) -> int:
    """UTF-16 code units."""
    return len(text) + sum(char > "\uffff" for char in text)


def _fitting(text: str, limit: int) -> int:
    """How many characters fit."""
    if units(text) <= limit:
        return len(text)
    used = 0
    for at, char in enumerate(text):
        used += 2 if char > "\uffff" else 1
        if used > limit:
            return at
    return len(text)


def _after(text: str, mark: str, cut: int) -> int:
    """The place behind the last `mark` before `cut`, where words stand before it; 0 for none."""
    place = text.rfind(mark, 0, cut) + 1
    return place if text[:place].strip() else 0


def _between(text: str, cut: int) -> int:
    """A place that does not tear a joined emoji apart, as far as one is near."""
    for place in range(cut, max(cut - 16, 1), -1):
        if text[place] not in _JOINERS and text[place - 1] != _JOINERS[0]:
            return place
    return cut
