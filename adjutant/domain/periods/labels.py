"""DOMAIN. What stands around the words of a line: its label, which names what it is, and its days."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from adjutant.domain.matters.cues import cues
from adjutant.language.detect import language_of
from adjutant.language.figures import figures
from adjutant.language.likeness import AgreementGist, gist
from adjutant.language.pack import cached, listed
from adjutant.language.words import words
from adjutant.ports import TRUST
from adjutant.records.period_file import NEVER_CUT

EVENTS, DECISIONS, PATTERNS, CORRECTIONS, OPEN = "Key events", "Decisions", "Patterns", "Corrections", "Open threads"
DONE, DROPPED = "done", "dropped"
MARKS = {DONE: "✓ ", DROPPED: "✗ "}  # in front of a thread that ended


class PeriodLine(NamedTuple):
    """One thing said. `moment`: ISO-8601, the newest. `days`: YYYY-MM-DD of all that was merged into it. `state`: done
    or dropped for a thread that ended. `again`: the same was said on several days. `order`: as it came."""

    text: str
    section: str
    refs: tuple[str, ...]
    moment: str
    trust: str
    days: tuple[str, ...] = ()
    state: str = ""
    again: bool = False
    order: int = 0

    @property
    def kept(self) -> bool:
        return self.section in NEVER_CUT

    @property
    def strange(self) -> bool:
        return self.trust == TRUST[-1]

    @property
    def moved(self) -> bool:
        return any(value.was for value in figures(self.text))

    @property
    def gist(self) -> AgreementGist:
        return _gist(self.text)

    @property
    def about(self) -> frozenset[str]:
        """The stems of what it is about, without figures and days."""
        found = self.gist
        return found.telling - found.values


@cached(16384)
def _gist(text: str) -> AgreementGist:
    return gist(text, language_of(text))


FILE = "periods"
ENDED, ANSWER = "done", "answer"
_START = 60  # characters in which a line says that it waits or decides
_SECTIONS = {name: name.lower() for name in (DECISIONS, CORRECTIONS, "Lessons", PATTERNS)} | {OPEN: "open"}
_FRONT = re.compile(r"([^:–—\n]{1,40}?)\s*(?::|\s[–—-])\s+")
_BACK = re.compile(r"(?:\s[–—-]\s|:\s|\s\()([^:–—()]{2,20})\)?[.!]?$")
_TAIL = re.compile(r"\s\((?:(\d{1,3})×: )?(\d{4}-\d\d-\d\d(?:, (?:\d{4}-\d\d-)?\d\d)+)\)$")


def front(text: str) -> tuple[str, str]:
    """(section, `done` or `answer`; what follows) of a text that begins with a label; ("", text) for any other."""
    found = _FRONT.match(text)
    name = _load_known().get(_plain(found[1]), "") if found else ""
    return (name, capital(text[found.end() :])) if found and name else ("", text)


def heading(text: str) -> str:
    """What a heading such as `Lessons learned` or `Todo:` names, "" for any other."""
    return _load_known().get(_plain(text), "")


def back(text: str) -> tuple[bool, str]:
    """(whether a text ends with the label of what is done, the text without it): `Deposit – done`."""
    found = _BACK.search(text)
    ended = found is not None and _load_known().get(_plain(found[1])) == ENDED
    return ended, text[: found.start()].rstrip() if ended and found else text


def begins(text: str) -> str:
    """The section of a text that begins as a line does that waits for somebody or is blocked, or that, maybe behind a
    colon, says what was decided; "" for any other."""
    said, known = words(text[:_START]), cues().labels
    if said and any(known[name].at(said, 0) for name in ("waiting", "blocked")):
        return OPEN
    parts = [f"{' '.join(words(part[:_START]))} " for part in text[: 2 * _START].split(":", 1)]
    return DECISIONS if any(part.startswith(f"{each} ") for part in parts for each in listed(FILE, "decided")) else ""


def capital(text: str) -> str:
    """The text with a capital first."""
    return text[:1].upper() + text[1:]


def _plain(text: str) -> str:
    return " ".join(text.strip(" *_#:.").replace("’", "'").lower().split())


@cached(1)
def _load_known() -> Mapping[str, str]:
    """{label in small letters: section, `done` or `answer`} of every language."""
    keys = {**_SECTIONS, ENDED: ENDED, ANSWER: ANSWER}
    return {word: name for name, key in keys.items() for word in listed(FILE, f"labels.{key}")}


def tail(days: tuple[str, ...], *, again: bool) -> str:
    """The days behind a line, `2026-11-16, 17`; "" for what was said on one. `again`: with their number."""
    if len(days) < 2:
        return ""
    every = sorted(days)
    told = [day[8:] if before[:7] == day[:7] else day for before, day in zip(["", *every], every, strict=False)]
    return f" ({f'{len(days)}×: ' if again else ''}{', '.join(told)})"


def without_tail(text: str) -> tuple[str, tuple[str, ...], bool]:
    """(the text without what `tail` wrote, its days, whether they were counted)."""
    found, days = _TAIL.search(text), list[str]()
    for told in found[2].split(", ") if found else ():
        days.append(told if len(told) > 2 else days[-1][:8] + told)
    return (text[: found.start()], tuple(days), found[1] is not None) if found else (text, (), False)
