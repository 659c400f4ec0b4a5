"""GROUND. Text that is safe to show: what controls a terminal, turns text or hides in it is spelled out (`\\u001b`)."""

from __future__ import annotations

_UNSAFE = (
    (0x0000, 0x0008),  # controls; newline and tab stay
    (0x000B, 0x001F),
    (0x007F, 0x009F),
    (0x00AD, 0x00AD),  # what shows nothing, turns the direction of text, or breaks a line unseen
    (0x034F, 0x034F),
    (0x061C, 0x061C),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200B, 0x200B),
    (0x200E, 0x200F),
    (0x2028, 0x202E),
    (0x2060, 0x206F),
    (0x3164, 0x3164),
    (0xD800, 0xDFFF),  # halves of surrogate pairs: bytes of a file name that are no UTF-8
    (0xFE00, 0xFE0D),  # the two selectors after these ask for an emoji's form
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFFB),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE0FFF),
)
_JOINERS = "\u200c\u200d"
_LATIN_ENDS = "\u02ff"


class _Spelled(dict[int, str]):
    """Filled as characters come, so that importing this module costs nothing."""

    def __missing__(self, code: int) -> str:
        unsafe = any(first <= code <= last for first, last in _UNSAFE)
        self[code] = shown = _spell(chr(code)) if unsafe else chr(code)
        return shown


_SPELLED = _Spelled()


def escape(text: str) -> str:
    r"""`text` with each unsafe character as `\uXXXX`, the notation of JSON: in an envelope the data stays exact.

    Newlines and tabs stay, the carriage return of a line end goes. A joiner stays between two characters of an emoji
    or of a script that needs it. Escaping twice changes nothing.
    """
    if text.isascii() and text.isprintable():
        return text
    text = text.replace("\r\n", "\n").removesuffix("\r").translate(_SPELLED)
    if not any(joiner in text for joiner in _JOINERS):
        return text
    return "".join(_spell(char) if char in _JOINERS and not _joins(text, at) else char for at, char in enumerate(text))


def _joins(text: str, at: int) -> bool:
    return 0 < at < len(text) - 1 and all(_LATIN_ENDS < text[near] not in _JOINERS for near in (at - 1, at + 1))


def _spell(char: str) -> str:
    units = char.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{unit}" for unit in (units[:4], units[4:]) if unit)
