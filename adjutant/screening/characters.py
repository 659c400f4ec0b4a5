"""SCREENING. Characters that hide or disguise text: which they are, and how text reads without them."""

import html
import re
import unicodedata

BIDI_CONTROLS = "\u202a-\u202e\u2066-\u2069"
BIDI_MARKS = "\u061c\u200e\u200f"
JOINERS = "\u200c\u200d"
ZERO_WIDTH = (
    "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb"
)
TAGS = "\U000e0000-\U000e007f"
SELECTORS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
SOFT_HYPHEN = "\u00ad"
INVISIBLE = BIDI_CONTROLS + BIDI_MARKS + JOINERS + ZERO_WIDTH + TAGS + SELECTORS + SOFT_HYPHEN

_CONTROLS = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]")
_BREAKS = re.compile("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
_SURROGATES = re.compile("[\ud800-\udfff]")
_HIDDEN = re.compile(f"[{BIDI_CONTROLS}{ZERO_WIDTH}{TAGS}]|[{SELECTORS}]{{2,}}")
_STRAY_JOINER = re.compile(f"(?<![^\x00-\u02ff])[{JOINERS}]+|[{JOINERS}]{{2,}}|[{JOINERS}]+(?=[\x00-\u02ff]|$)")
_ALL_INVISIBLE = re.compile(f"[{INVISIBLE}]+")

# Letters of other scripts that a reader takes for Latin ones (the common part of Unicode TR39's confusables).
_CYRILLIC = dict(zip("асеорхуіјѕһԁԛԝӏАВЕКМНОРСТХІЈЅ", "aceopxyijshdqwlABEKMHOPCTXIJS", strict=True))
_GREEK = dict(zip("ονΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ovABEZHIKMNOPTYX", strict=True))
_LOOSE = dict(zip("αειкκρτυгпгтмвьбёςσηɑɡıɩƖⅼ", "aeikkptyrnrtmvb6econagiill", strict=True))
DECEIVING = {**_CYRILLIC, **_GREEK}
_FOLDED = str.maketrans({**_LOOSE, **DECEIVING, "’": "'", "‘": "'", "ʼ": "'", "´": "'"})
_BEYOND_ASCII = re.compile("[^\n]?[^\x00-\x7f]+")
_LEET = str.maketrans("013457@$!", "oieastasi")

_ENTITY = re.compile(r"&(?:#\d{1,7}|#x[0-9a-fA-F]{1,6}|[a-zA-Z]{2,8});")
_ESCAPE = re.compile(r"%([2-7][0-9a-fA-F])|\\x([2-7][0-9a-fA-F])|\\u00([2-7][0-9a-fA-F])")
_INLINE = re.compile(
    r"</?(?:b|i|u|s|em|strong|span|font|a|sub|sup|mark|small|wbr|ins|del|tt|code)(?:\s[^<>\n]{0,120})?/?>"
)
_EMPTY_COMMENT = re.compile(r"(?<=\w)<!--[^<>\n]{0,40}-->(?=\w)")
_EMPHASIS = re.compile(r"[*~\"“”„«»]+|\\(?<=[^\W\d_]\\)(?=[^\W\d_]{2})")
_CAPITAL_I = re.compile(r"I(?:(?<=[a-z]{2}I)(?=[a-z]{2})|(?<=[a-z]I)I+(?![A-Za-z]))")
_SMALL_L = re.compile(r"l(?<![^\W_]l)(?=n[a-z])")
_DOTTED = re.compile(r"\.(?<=[a-z]{4}\.)(?=[a-z]{4})")
_ELLIPSIS = re.compile(r"\.{2,}|…")
_LEET_WORD = re.compile(r"(?<![\w@$])(?!@[a-z]{4})[a-z@$!]{0,12}[013457@$!][a-z013457@$!]{2,16}")
_LEET_TARGET = re.compile(
    "ignor|instruct|previ|prompt|rules|assist|system|reveal|disreg|forget|overri|anweis|instruk|ledete|bypass"
)


def without_controls(text: str) -> str:
    """`text` with `\\n` as its only line break and no control character but it and the tab, nor half a surrogate pair.
    Unusual line breaks (lone carriage return, form feed, U+2028 ...) become a blank, so that line numbers stay those of
    the file."""
    if text.isascii() and text.replace("\n", "").isprintable():
        return text
    text = _BREAKS.sub(lambda match: "\n" if match.group() == "\r\n" else " ", text)
    text = _CONTROLS.sub("", text)
    return text if text.isascii() else _SURROGATES.sub("\ufffd", text)


def without_hidden(text: str) -> str:
    """`text` without characters that hide or turn text; joiners stay where scripts and emoji need them."""
    return text if text.isascii() else _STRAY_JOINER.sub("", _HIDDEN.sub("", text))


def without_invisible(text: str) -> str:
    """`text` without any character that shows nothing, needed or not."""
    return text if text.isascii() else _ALL_INVISIBLE.sub("", text)


def letters_seen(text: str) -> str:
    """`text` as the eye takes it, lower case: compatibility forms and look-alikes made plain; lines stay lines."""
    if not text.isascii():
        text = _BEYOND_ASCII.sub(_plain, text)
    return text.replace("_", " ").replace("\t", " ").replace("`", "'").lower()


def _plain(match: re.Match[str]) -> str:
    return unicodedata.normalize("NFKC", _ALL_INVISIBLE.sub("", match.group())).translate(_FOLDED)


def reading(text: str) -> str:
    """`text` as a model may read it, for matching only: escapes resolved, markup in words gone, letters plain."""
    if "&" in text:
        text = _ENTITY.sub(lambda match: html.unescape(match.group()).replace("\n", " "), text)
    if "%" in text or "\\" in text:
        text = _ESCAPE.sub(lambda match: chr(int(match[1] or match[2] or match[3], 16)), text)
    text = letters_seen(_CAPITAL_I.sub(lambda match: "l" * len(match.group()), without_controls(text)))
    if "<" in text:
        text = _EMPTY_COMMENT.sub("", _INLINE.sub("", text))
    text = _SMALL_L.sub("i", _DOTTED.sub(" ", text))
    return _LEET_WORD.sub(_unleet, _ELLIPSIS.sub(" ", _EMPHASIS.sub("", text)))


def _unleet(match: re.Match[str]) -> str:
    """A word with digits for letters (`1gn0r3`), spelled out when it is one the screen looks for."""
    plain = match.group().translate(_LEET)
    return plain if _LEET_TARGET.search(plain) else match.group()
