"""OUTSIDE. What Telegram makes links and commands of in plain text, as `code` entities, which nobody can tap.

It looks for them by itself (https://core.telegram.org/bots/api#messageentity); code is exempt. Whole words are covered.
"""

import re
from collections.abc import Iterator, Sequence

MOST = 100  # entities of one message; Telegram drops the rest
_WORD = re.compile(r"\S+")
_TAPPED = re.compile(
    r"(?<![0-9A-Za-z_\u00c0-\u024f])/[^\s/]"  # a command, or the path behind `://`
    r"|@\S|#[^\s#]|\$1?[^\s\d.,]"  # a mention or an address of mail, a hashtag, a cashtag ($1INCH is one)
    r"|[^\s.]\.[^\W\d_]{2}|[^\s.]\.xn--|\d(?:\.\d+){3}"  # a domain, an IP address
    r"|\d{7}"  # a number, or one of our ids: whole, so that one tap copies it
)
# Days are no telephone numbers; other runs of digits may be one, or the number of a bank card.
_NUMBER = re.compile(
    r"(?<!\d)(?:\d{4}-\d\d-\d\d|\d\d?[./]\d\d?[./]\d{4})(?![\d-])"
    r"|(\+?\d(?:[ \u00a0\u202f().\u2010-\u2015-]{0,3}\d){6,})"
)
# Telegram drops some of these marks, and what they kept apart comes together.
_MARKS = re.compile("[\u0300-\u036f]")
_SIGNS = re.compile("[/@#$.:\\d][\u0300-\u036f]*")


def code_entities(text: str) -> list[dict[str, object]]:
    """`entities` for sendMessage that cover all of `text` that could be tapped, in UTF-16 code units."""
    spans = _all_spans(text)
    if len(spans) > MOST:
        spans = [(0, len(text))]
    return [{"type": "code", "offset": _units(text[:start]), "length": _units(text[start:end])} for start, end in spans]


def _all_spans(text: str) -> list[tuple[int, int]]:
    unmarked = [at for at, char in enumerate(text) if not _MARKS.match(char)]
    bare = "".join(text[at] for at in unmarked)
    merged: list[tuple[int, int]] = []
    for start, end in sorted([*_spans(text, range(len(text) + 1)), *_spans(bare, [*unmarked, len(text)])]):
        if merged and start <= merged[-1][1]:
            start, end = merged[-1][0], max(end, merged.pop()[1])
        merged.append((start, end))
    return merged


def _spans(text: str, places: Sequence[int]) -> Iterator[tuple[int, int]]:
    """(start, end) of what is to be covered, by the places that the characters of `text` have in the message."""
    for word in _WORD.finditer(text):
        if _TAPPED.search(text, word.start(), word.end()):
            yield places[word.start()], places[word.end()]
    yield from ((places[each.start(1)], places[each.end(1)]) for each in _NUMBER.finditer(text) if each[1])


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def harmless(text: str) -> str:
    """The text for a channel without entities: a word joiner, which nobody sees, stands in what could be tapped."""
    pieces, at = list[str](), 0
    for start, end in _all_spans(text):
        pieces += [text[at:start], _SIGNS.sub("\\g<0>\u2060", text[start:end])]
        at = end
    return "".join([*pieces, text[at:]])
