"""SCREENING. Text carried inside text: encoded payloads, comments and invisible markup, each with where it stands."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from typing import NamedTuple

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


def encoded(text: str) -> Iterator[Carried]:
    """Each base64, hexadecimal or binary run of `text` that decodes to words."""
    for match in _BASE64.finditer(text):
        run = _NOT_BASE64.sub("", match.group()[:_LONGEST_PAYLOAD]).replace("-", "+").replace("_", "/")
        yield from _carried(match, _from_base64(run))
    for match in _HEX.finditer(text):
        digits = _NOT_HEX.sub("", match.group()[:_LONGEST_PAYLOAD])
        yield from _carried(match, bytes.fromhex(digits[: len(digits) // 2 * 2]))
    for match in _BITS.finditer(text):
        bits = re.sub(r"[ ,]", "", match.group()[:_LONGEST_PAYLOAD])
        yield from _carried(match, bytes(int(bits[at : at + 8], 2) for at in range(0, len(bits) - 7, 8)))


def unseen(text: str) -> Iterator[Carried]:
    """Each text that a page would not show: comments of HTML and markdown, and elements styled away."""
    for pattern in (_COMMENT, _REFERENCE, _UNSEEN):
        for match in pattern.finditer(text):
            yield Carried(match.start(), match.end(), match[1][:_LONGEST_COMMENT])


def _carried(match: re.Match[str], data: bytes) -> Iterator[Carried]:
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
    """`data` as text where it is text of more than one word, else nothing."""
    if data[1:40:2] and not any(data[1:40:2]):
        data = data[::2]  # UTF-16 of plain text, as PowerShell encodes
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return ""
    letters = sum(char.isalpha() or char in " \n" for char in text[:400])
    return text if " " in text.strip() and letters >= 0.8 * len(text[:400]) else ""
