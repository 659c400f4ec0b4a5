"""RECORDS. The words of a directive: which characters may stand in them, and the form in which two are compared."""

from __future__ import annotations

import re
import unicodedata

TYPES = ("KEEP", "MORE", "LESS", "STOP", "START")
AGAINST = ("LESS", "STOP")
SHORTEST, LONGEST = 4, 320
# What no text may hold: controls and line breaks; what turns, hides or joins letters; tags, fillers and selectors.
# Spelled out here since `status` reads a contract too; a test holds it against prompting/characters.
_HIDDEN = (
    "\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u08e2\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff"
)
# Patterns as text: `re` compiles one when it is first needed, and ASCII needs none.
_CONTROL = "[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029]"
# U+FE0F asks for an emoji's colours: telephones set it, and behind anything else it has no business.
_UNSEEN = f"[{_HIDDEN}]|(?<![0-9#*\u00a9\u00ae\u203c-\u3299\U0001f000-\U0001faff])\ufe0f"
_BLANKS = "[\t \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]+"
_CLOSING = " .!?;:"
_NO_TEXT = "\ufffd"  # what decoding leaves of bytes that are no text


def collapse(text: str) -> str:
    """`text` with one blank for every run of blanks and tabs, none around it."""
    if text.isascii() and text.isprintable() and "  " not in text:
        return text.strip(" ")
    return re.sub(_BLANKS, " ", text).strip(" ")


def find_hidden(text: str) -> str:
    """What a collapsed text holds that no directive may, "" for nothing."""
    if text.isascii() and text.isprintable():
        return ""
    if _NO_TEXT in text:
        return "bytes that are no UTF-8"
    if re.search(_CONTROL, text):
        return "control characters or an unusual line break"
    return "characters that cannot be seen" if re.search(_UNSEEN, text) else ""


def without_hidden(text: str) -> str:
    """`text` without what `find_hidden` finds."""
    if text.isascii() and text.isprintable():
        return text
    return re.sub(_UNSEEN, "", re.sub(_CONTROL, "", text)).replace(_NO_TEXT, "")


def problem(text: str) -> str:
    """Why a collapsed text is no directive's, "" when it is one."""
    if found := find_hidden(text):
        return found
    if len(text) < SHORTEST:
        return f"too short, {len(text)} of at least {SHORTEST} characters"
    return f"too long, {len(text)} of at most {LONGEST} characters" if len(text) > LONGEST else ""


def normal(text: str) -> str:
    """The normalised text: NFKC, blanks collapsed, closing marks away, casefolded; marks alone are kept."""
    plain = " ".join(unicodedata.normalize("NFKC", text).split())
    return (plain.rstrip(_CLOSING) or plain).casefold()
