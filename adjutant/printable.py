"""GROUND. Text that is safe to show: what controls a terminal, turns text or hides in it is spelled out (`\\u001b`)."""

# The first and the last of each range: controls but newline and tab; what shows nothing, turns the direction of text or
# breaks a line unseen; halves of surrogate pairs (a file name that is no UTF-8); selectors but those of an emoji; tags.
_RANGES = (
    "\x00\x08\x0b\x1f\x7f\x9f\xad\xad\u034f\u034f\u061c\u061c\u115f\u1160\u17b4\u17b5\u180b\u180f\u200b\u200b\u200e\u200f"
    "\u2028\u202e\u2060\u206f\u3164\u3164\ud800\udfff\ufe00\ufe0d\ufeff\ufeff\uffa0\uffa0\ufff0\ufffb"
    "\U0001bca0\U0001bca3\U0001d173\U0001d17a\U000e0000\U000e0fff"
)
_UNSAFE = tuple(zip(map(ord, _RANGES[::2]), map(ord, _RANGES[1::2]), strict=True))
_JOINERS = "\u200c\u200d"
_LATIN_ENDS = "\u02ff"


class _Spelled(dict[int, str]):
    """Filled as characters come, so that importing this module costs nothing."""

    def __missing__(self, code: int) -> str:
        unsafe = any(first <= code <= last for first, last in _UNSAFE)
        self[code] = shown = _spell(chr(code)) if unsafe else chr(code)
        return shown


_SPELLED = _Spelled()


def to_line(text: str, limit: int = 0) -> str:
    """`text` as one printable line, of at most `limit` characters where that is given."""
    line = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    return line if not limit or len(line) <= limit else f"{line[: limit - 1].rstrip()}…"


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
