"""SCREENING. Hidden text: characters that mean something else than they show, encoded payloads, invisible markup."""

import base64
import binascii
import re
from collections.abc import Iterator
from typing import NamedTuple

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


def find_hidden(line: str) -> str | None:
    """Why `line` holds hidden text, or None. Ordinary are: emoji sequences and flags, joiners of Persian and Indic
    scripts, direction marks, numbers that programs wrap in direction controls, soft hyphens, a byte order mark,
    zero-width blanks between words."""
    if len(line) < _SHORTEST or not _SUSPECT.search(line):
        return None
    if _TAGGED.search(_FLAG.sub("", line)):
        return "invisible tag characters"
    if _SELECTED.search(line) or len(set(max(_PAYLOAD.findall(line), key=len, default=""))) > 1:
        return "a message in invisible characters"
    if _SPLIT.search(line) or len(_JOINED.findall(line)) > 1:
        return "invisible characters inside words"
    if _is_turned(line):
        return "characters that turn the direction of text"
    if _FOREIGN.search(line) and any(map(_is_disguised, _WORD.findall(line))):
        return "look-alike letters of another script inside a word"
    return None


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


_BASE64 = re.compile(r"(?<![A-Za-z0-9+/=_-])(?:[A-Za-z0-9+/_-]{40,100}\r?\n[ \t>]{0,8})*[A-Za-z0-9+/_-]{16,}={0,2}")
_HEX = re.compile(r"(?<![0-9A-Za-z])(?:0x)?(?:[0-9A-Fa-f]{2}[ :,-]?){16,}(?![0-9A-Za-z])")
_BITS = re.compile(r"(?<![0-9])(?:[01]{8}[ ,]?){12,}(?![0-9])")
_NOT_HEX = re.compile(r"^0x|[^0-9A-Fa-f]")
_NOT_BASE64 = re.compile(r"[^A-Za-z0-9+/_-]")
_COMMENT = re.compile(r"<!--(.{3,}?)(?:-->|\Z)", re.DOTALL)
_REFERENCE = re.compile(
    r"^[ ]{0,3}\[(?://|comment|_metadata_|hidden|note)[^\]\n]{0,40}\]: ?#? ?[(\"']([^\n]{3,})", re.MULTILINE
)
_UNSEEN = re.compile(
    r"<[a-z][^<>]{0,300}(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?![.\d]*[1-9])"
    r"|opacity\s*:\s*0(?!\.\d)|color\s*[:=]\s*[\"']?(?:white|#fff(?:fff)?\b|transparent)|\shidden[\s>=]"
    r"|(?:left|top|text-indent)\s*:\s*-\d{3,})[^<>]{0,300}>([^<]{3,1200})",
    re.IGNORECASE,
)
_LONGEST_COMMENT = 4000
_LONGEST_PAYLOAD = 200_000


class Carried(NamedTuple):
    """Text found inside text; `start` is the offset of its carrier."""

    start: int
    end: int
    text: str


def find_encoded(text: str) -> Iterator[Carried]:
    """Each base64, hexadecimal or binary run of `text` that decodes to words."""
    for match in _BASE64.finditer(text):
        run = _NOT_BASE64.sub("", match.group()[:_LONGEST_PAYLOAD]).replace("-", "+").replace("_", "/")
        yield from _carry(match, _from_base64(run))
    for match in _HEX.finditer(text):
        digits = _NOT_HEX.sub("", match.group()[:_LONGEST_PAYLOAD])
        yield from _carry(match, bytes.fromhex(digits[: len(digits) // 2 * 2]))
    for match in _BITS.finditer(text):
        bits = re.sub(r"[ ,]", "", match.group()[:_LONGEST_PAYLOAD])
        yield from _carry(match, bytes(int(bits[at : at + 8], 2) for at in range(0, len(bits) - 7, 8)))


def find_unseen(text: str) -> Iterator[Carried]:
    """Each text that a page would not show: comments of HTML and markdown, and elements styled away."""
    for pattern in (_COMMENT, _REFERENCE, _UNSEEN):
        for match in pattern.finditer(text):
            yield Carried(match.start(), match.end(), match[1][:_LONGEST_COMMENT])


def _carry(match: re.Match[str], data: bytes) -> Iterator[Carried]:
    words = _as_words(data)
    if words:
        yield Carried(match.start(), match.end(), words)


def _from_base64(run: str) -> bytes:
    run = run[: len(run) // 4 * 4] if len(run) % 4 == 1 else run + "=" * (-len(run) % 4)
    try:
        return base64.b64decode(run, validate=True)
    except binascii.Error:
        return b""


def _as_words(data: bytes) -> str:
    if data[1:40:2] and not any(data[1:40:2]):
        data = data[::2]  # UTF-16 of plain text, as PowerShell encodes
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return ""
    letters = sum(char.isalpha() or char in " \n" for char in text[:400])
    return text if " " in text.strip() and letters >= 0.8 * len(text[:400]) else ""
