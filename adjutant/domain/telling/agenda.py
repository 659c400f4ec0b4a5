"""DOMAIN. Questions about the picture: what is due, late, open, waited for, today, with somebody, on a project.

Which questions these are is said by the phrases of the language packs; they are answered from the picture alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, timedelta
from typing import NamedTuple

from msgspec.structs import replace

from adjutant.domain.matters.picture import Open, Picture, sections
from adjutant.domain.telling import message
from adjutant.language import dates
from adjutant.language.pack import cached, listed, packs
from adjutant.language.phrases import matcher
from adjutant.language.stems import stems
from adjutant.language.words import words

MOST_ASKED, MOST_LINES = 200, 15
WEEK = 6  # days after today
STUCK = ("blocked", "problem")


class Asked(NamedTuple):
    """A question about the picture: its kind (due late waiting blocked today open with on), the days it names, None for
    none, and whom or what it is about, "" for everything."""

    kind: str
    span: tuple[date, date] | None
    about: str


_Found = tuple[str, str, list[Open]]  # heading, what is said where nothing is, matters


class Answer(NamedTuple):
    """`lines` for a person; the matters that they name; `left`: how many more there are."""

    lines: list[str]
    matters: list[Open]
    left: int

    def cleaned(self, clean: Callable[[str], str]) -> Answer:
        """The same without what `clean` takes out of a text."""
        matters = [
            replace(
                each,
                what=clean(each.what),
                evidence=[replace(cited, quote=clean(cited.quote)) for cited in each.evidence],
            )
            for each in self.matters
        ]
        return Answer([clean(line) for line in self.lines], matters, self.left)


def asked(text: str, today: date) -> Asked | None:
    """What a message asks of the picture; None where it asks for something else."""
    if len(text) > MOST_ASKED or (match := matcher("questions", "agenda").whole(text)) is None:
        return None
    about, span = "", None
    for slot, said in match.slots.items():
        found = dates.find(said, today, anchor=today)
        if found:
            span = (found[0].first, found[0].last)
        elif slot == "when":
            return None  # "what is on the roof" names no day
        else:
            about = said
    if span is None and (found := dates.find(text, today, anchor=today)):
        span = (found[0].first, found[0].last)
    if span is not None and any(word in _limits() for word in words(text)):
        span = (min(today, span[0]), span[1])  # "by Monday"
    return Asked(match.name, span, about)


@cached(1)
def _limits() -> frozenset[str]:
    """by, until, before: words of a deadline that say nothing else."""
    return frozenset(word for word in listed("matters", "deadline") for pack in packs().values() if word in pack.stop)


def answer(wanted: Asked, picture: Picture, *, several: bool) -> Answer | None:
    """The matters that answer a question, the gravest or the nearest first; None where nothing is open about what it
    names, for the files may say more than that."""
    today = picture.now.date()
    shown = [each for each in picture.shown() if _is_about(each, wanted.about)]
    title, none, chosen = _HOW[wanted.kind](wanted, shown, today)
    if not chosen:
        return None if wanted.about else Answer([none], [], 0)
    named, left = chosen[:MOST_LINES], max(0, len(chosen) - MOST_LINES)
    late = [each for each in named if each.is_late(today)]
    ahead = [each for each in named if not each.is_late(today)]
    lines = list[str]()
    for head, group in ((title, ahead), ("Late", late)) if late and ahead else ((title, named),):
        lines += [f"{head}:", *(f"- {message.line(each, today, several=several)}" for each in group)]
    if left:
        lines.append(f"{left} more: `adjutant today --all`")
    return Answer(lines, named, left)


def _is_about(each: Open, about: str) -> bool:
    """Whether a matter is about somebody or something: most of the words of its name stand in it or over it."""
    wanted = stems(about)
    if not wanted:
        return True
    cited = " ".join(f"{quote.path} {quote.quote}" for quote in each.evidence)
    held = stems(f"{each.what} {each.who} {' '.join(each.heads)} {cited.replace('/', ' ').replace('.', ' ')}")
    return len(wanted & held) * 2 > len(wanted)


def _within(each: Open, span: tuple[date, date]) -> bool:
    return each.first is not None and each.last is not None and each.first <= span[1] and each.last >= span[0]


def _by_day(matters: Sequence[Open], today: date) -> list[Open]:
    return sorted(matters, key=lambda each: (max(each.first or date.max, today), each.time or "99", each.last or today))


def _spoken(span: tuple[date, date], today: date) -> str:
    if span[0] == span[1]:
        return message.day(span[0], today)
    return (
        f"until {message.day(span[1], today)}"
        if span[0] <= today
        else (f"{message.day(span[0], today)} to {message.day(span[1], today)}")
    )


def _due(wanted: Asked, shown: Sequence[Open], today: date) -> _Found:
    span = wanted.span or (today, today + timedelta(days=WEEK))
    found = [each for each in shown if _within(each, span) and (each.last or today) >= today]
    late = sections(shown, today).late if span[0] <= today else []
    spoken = _spoken(span, today)
    return f"Due {spoken}", f"Nothing is due {spoken}.", [*_by_day(found, today), *late]


def _late(wanted: Asked, shown: Sequence[Open], today: date) -> _Found:
    found = sorted((each for each in shown if each.is_late(today)), key=lambda each: each.rank, reverse=True)
    return "Late", "Nothing is late.", found


def _waiting(wanted: Asked, shown: Sequence[Open], today: date) -> _Found:
    return "You are waiting for", "You are waiting for nothing.", [each for each in shown if each.kind == "waiting"]


def _blocked(wanted: Asked, shown: Sequence[Open], today: date) -> _Found:
    return "Blocked", "Nothing is blocked.", [each for each in shown if each.kind in STUCK]


def _today(wanted: Asked, shown: Sequence[Open], today: date) -> _Found:
    if wanted.span is not None and wanted.span != (today, today):
        return _due(wanted, shown, today)
    parts = sections(shown, today)
    grave = [each for each in (*parts.week, *parts.waiting, *parts.new, *parts.rest) if each.severity in message.GRAVES]
    return "Today", "Nothing is late, due today or tomorrow.", [*parts.near, *grave, *parts.late]


def _open(wanted: Asked, shown: Sequence[Open], today: date) -> _Found:
    parts = sections(shown, today)
    dated = [*parts.near, *parts.week, *parts.late]
    about = f" on {wanted.about}" if wanted.about else ""
    return f"Open{about}", f"Nothing is open{about}.", [*dated, *parts.waiting, *parts.new, *parts.rest]


_HOW: dict[str, Callable[[Asked, Sequence[Open], date], _Found]] = {
    "due": _due,
    "late": _late,
    "waiting": _waiting,
    "blocked": _blocked,
    "today": _today,
    "open": _open,
    "with": _open,
    "on": _open,
}
