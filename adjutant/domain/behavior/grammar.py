"""DOMAIN. The grammar of directives: bytes of a message -> what it tells to keep, and what only just does not."""

import re
import tomllib
import unicodedata
from typing import NamedTuple

from adjutant.records.contract import LONGEST, SHORTEST, TYPES, collapse, problem, without_hidden
from adjutant.screening.characters import DECEIVING
from adjutant.store import package


class DirectiveLine(NamedTuple):
    """A directive line: its type, its text with blanks collapsed, its number from 1."""

    type: str
    text: str
    line: int


class Miss(NamedTuple):
    """A line that is nearly a directive: why it is none, and the line that would be one."""

    line: int
    reason: str
    would_work: str


class Parsed(NamedTuple):
    """`remainder`: the message without directive lines. `forwarded`: what somebody else wrote, "" for nothing. `plain`:
    the lines that are neither of these, nor code, nor a directive whose text none may have."""

    directives: tuple[DirectiveLine, ...]
    misses: tuple[Miss, ...]
    remainder: str
    forwarded: str
    plain: str


_STRICT = re.compile(rb"(KEEP|MORE|LESS|STOP|START):[ \t]([^\n]*)")
_FENCE = re.compile(rb"[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(`{3,}(?=[^`]*$)|~{3,})")
_HEAD = 64  # characters within which the colon of a near miss stands
_COLON = re.compile("[:：︓﹕∶꞉˸։ː]")
_LOOK_ALIKES = str.maketrans({**DECEIVING, **dict(zip("αεκкρτтмσᏚᎢᎬᏢᏞᎪᏦᎷ", "aekkpttmoSTEPLAKM", strict=True))})
SHORTEST_LINE = 3  # bytes of a line that says anything here: a fence
_MARK = 600  # bytes of the line that marks a forward, at most
_FORWARDS = tomllib.loads(package.text("domain", "behavior", "forwards.toml"))
_DASHES, _LABEL, _FROM, _ALONE, _SENDER_WORDS, _SENT_WORDS, _SUBJECT_WORDS = map("|".join, _FORWARDS.values())
_FORWARDED = re.compile(
    rf"[\[(* \t➡→↪]{{0,6}}(?:[-=_]{{2,40}}[ \t]*(?:{_DASHES})[ \t]*[-=_]*|(?:{_LABEL})[ \t]*:|"
    rf"(?:{_FROM})\b[ \t]*:?[ \t]*\S.{{0,120}}|{_ALONE})[\])*_: \t]*",
    re.IGNORECASE,
)
_SENDER = re.compile(rf"\*?(?:{_SENDER_WORDS})\*?:\*?[ \t]+\S", re.IGNORECASE)
_SENT = re.compile(rf"\*?(?:{_SENT_WORDS})\*?:", re.IGNORECASE)
_SUBJECT = re.compile(rf"(?:{_SUBJECT_WORDS}):[ \t]+\S", re.IGNORECASE)


def parse(message: bytes) -> Parsed:
    """What a message says. Any bytes at all; nothing is raised."""
    found, misses = list[DirectiveLine](), list[Miss]()
    lines = message.split(b"\n")
    kept, plain, fence, foreign = list[bytes](), list[bytes](), b"", len(lines)
    for at, raw in enumerate(lines):
        line = raw.removesuffix(b"\r") if at + 1 < len(lines) else raw  # a `\r` that no `\n` follows is the line's own
        said: DirectiveLine | Miss | None = None
        if fence:
            closing = line.removesuffix(b"\r").strip(b" \t")
            fence = fence if len(closing) < len(fence) or closing.strip(fence[:1]) else b""
        elif len(line) < SHORTEST_LINE:
            plain.append(line)
        elif mark := _FENCE.match(line):
            fence = mark[1]
        elif (said := _read_line(line, at + 1)) is None and _is_forward(lines, at, line):
            foreign = at
            break
        elif not _STRICT.match(line):
            plain.append(line)
        if isinstance(said, DirectiveLine):
            found.append(said)
        else:
            kept.append(raw)
            misses += [said] if said is not None else []
    parts = ([*kept, *lines[foreign:]], lines[foreign:], plain)
    texts = (b"\n".join(each).decode("utf-8", "replace").strip("\r\n") for each in parts)
    return Parsed(tuple(found), tuple(misses), *texts)


def parse_one(line: str) -> DirectiveLine | Miss:
    """What one line says, taken by itself."""
    said = _read_line(line.encode("utf-8", "surrogatepass"), 1) if "\n" not in line else None
    return said or Miss(1, "it begins with no type and a colon", f"KEEP: <{SHORTEST} to {LONGEST} characters>")


def _read_line(line: bytes, number: int) -> DirectiveLine | Miss | None:
    match = _STRICT.fullmatch(line)
    if match is None:
        return _nearly(line.decode("utf-8", "replace"), number)
    type, text = match[1].decode(), collapse(match[2].decode("utf-8", "replace"))
    if reason := problem(text):
        return Miss(number, reason, _would(type, text))
    return DirectiveLine(type, text, number)


def _would(type: str, text: str) -> str:
    text = collapse(without_hidden(text))
    return f"{type}: {text}" if not problem(text) else f"{type}: <{SHORTEST} to {LONGEST} characters>"


def _nearly(text: str, number: int) -> Miss | None:
    """The miss that a line is: its type in other letters, without a blank behind it, or with something before it."""
    colon = _COLON.search(text, 0, _HEAD)
    if colon is None:
        return None
    head = text[: colon.start()]
    seen = head.strip()
    if not (seen.isascii() and seen.isprintable()):
        seen = collapse(unicodedata.normalize("NFKC", without_hidden(seen)).translate(_LOOK_ALIKES))
    type = seen.upper()
    if type not in TYPES:
        return None
    rest = text[colon.end() :]
    words = collapse(without_hidden(rest))
    if len(words) < SHORTEST and not head.startswith(type):
        return None  # `stop: 31`, `more:`: nobody meant a rule
    return Miss(number, _reason(head, colon.group(), rest, type), _would(type, words))


def _reason(head: str, colon: str, rest: str, type: str) -> str:
    word = head.strip(" \t\u00a0")
    if word.upper() == type != word:
        return f"`{type}` has to be in capitals"
    if word != type or colon != ":":
        return f"characters that only look like `{type}` and `:`, or cannot be seen"
    return "no space after the `:`" if head == type else f"spaces around `{type}`"


def _is_forward(lines: list[bytes], at: int, line: bytes) -> bool:
    """Whether somebody else's message begins here: a forward's mark, a subject that says so, a sender with a date."""
    if len(line) > _MARK:
        return False
    text = line.decode("utf-8", "replace").rstrip()
    if _SENDER.match(text):
        return _SENT.match(b"".join(lines[at + 1 : at + 2]).decode("utf-8", "replace")) is not None
    if _SUBJECT.match(text):
        return not any(each.strip() for each in lines[:at])
    return _FORWARDED.fullmatch(text) is not None
