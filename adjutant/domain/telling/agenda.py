"""DOMAIN. Questions about the picture: what is due, late, open, waited for, today, with somebody, on a project.

Which questions these are is said by the phrases of the language packs; they are answered from the picture alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from typing import NamedTuple

from msgspec.structs import replace

from adjutant.domain.matters import wording
from adjutant.domain.matters.cues import CuePhrases, cues
from adjutant.domain.matters.picture import Open, Picture, sections
from adjutant.domain.telling import message
from adjutant.domain.telling.mentions import PAST, Mention, Sought, asks_back, waits
from adjutant.language import dates
from adjutant.language.detect import language_of
from adjutant.language.figures import figures, is_money
from adjutant.language.pack import listed
from adjutant.language.phrases import Match, matcher
from adjutant.language.stems import stems
from adjutant.language.words import content, tokens, words

MOST_ASKED, MOST_LINES = 200, 25
ENOUGH = 0.5  # of a name, that a matter has to hold more than
KIND, SMALL = 0.4, 0.5  # what a noun behind a name counts, and a word of one or two letters
NOTHING = "I found nothing certain about that."
HEART = "identity/heart.md"
ALSO = "Your notes also say, and it may be settled:"
WEEK, SOON = 6, 4  # days after today; of which "the next few days" speak
NEAR = 7  # days that a question may name, to be answered by what there is on them
FIRST = 3  # words of a question, of which one asks
_CLAUSE = re.compile(r"[,;?]\s+(?:and|und|og)\s+")
STUCK = ("blocked", "problem")


class Asked(NamedTuple):
    """A question about the picture: its kind (due late waiting owed longest blocked today pay unpaid promised
    open with on mute), the days it names, None for none, and whom or what it is about, "" for everything."""

    kind: str
    span: tuple[date, date] | None
    about: str


_Found = tuple[str, str, list[Open]]  # heading, what is said where nothing is, matters


class AgendaAnswer(NamedTuple):
    """`lines` for a person; the matters that they name; `left`: how many more there are."""

    lines: list[str]
    matters: list[Open]
    left: int

    def cleaned(self, clean: Callable[[str], str]) -> AgendaAnswer:
        """The same without what `clean` takes out of a text."""
        matters = [
            replace(
                each,
                what=clean(each.what),
                evidence=[replace(cited, quote=clean(cited.quote)) for cited in each.evidence],
            )
            for each in self.matters
        ]
        return AgendaAnswer([clean(line) for line in self.lines], matters, self.left)


def asked(text: str, today: date) -> Asked | None:
    """What a message asks of the picture; None where it asks for something else."""
    if len(text) > MOST_ASKED:
        return None
    for part in dict.fromkeys((text, _CLAUSE.split(text, maxsplit=1)[0])):  # "what is on today, and does it clash?"
        matches = matcher("questions", "agenda").wholes(part)
        found = next((found for match in matches if (found := _read(match, part, today)) is not None), None)
        if found is not None:
            return found
    return _by_form(text, today)


def _by_form(text: str, today: date) -> Asked | None:
    """What a question asks that none of the phrases fits: what has to be done, or what there is on days to come.

    It begins with a word that asks for things or people. Where it says that something has to be done, its verb does not
    matter and a name says what it is about; without a duty or without a day it may name nothing else.
    """
    said = words(text)
    asks = listed("questions", "asks").isdisjoint(said[:FIRST])
    if asks or CuePhrases(listed("questions", "figure")).find(said) or matcher("questions", "past").whole(text):
        return None
    span = _span(text, today)
    if span is not None and span[1] < today:
        return None
    duty = CuePhrases(listed("questions", "duties")).find(said)
    named, rest = _find_names(text, today)
    if (rest and not (duty and span)) or (named and not duty) or not (duty or span):
        return None
    pays = not listed("questions", "pays").isdisjoint(said)
    return Asked("pay" if pays else "due" if span else "today", span, " ".join(named))


def on_days(text: str, today: date) -> Asked | None:
    """What there is on the days to come that a question names, for where nothing else answers it."""
    if len(text) > MOST_ASKED or not text.rstrip().endswith("?"):
        return None
    span = _span(text, today)
    near = span is not None and span[1] >= today and (span[1] - span[0]).days <= NEAR
    return Asked("due", span, "") if near else None


def _find_names(text: str, today: date) -> tuple[list[str], list[str]]:
    """(names, other words) of a question that say what it is about; in German a capital makes no name."""
    code = language_of(text)
    days = dates.find(text, today, anchor=today)
    soon = {word for found in matcher("questions", "soon").find(text) for word in words(text[found.start : found.end])}
    idle = listed("questions", "asks") | listed("questions", "plain") | soon
    idle |= {word for duty in listed("questions", "duties") for word in words(duty)}
    named, rest = list[str](), list[str]()
    for number, word in enumerate(tokens(text)):
        if any(day.start <= word.start < day.end for day in days) or not content(word.text, code) or word.text in idle:
            continue
        written = text[word.start : word.end]
        (named if number and written[:1].isupper() and code != "de" else rest).append(written)
    return named, rest


def _span(text: str, today: date) -> tuple[date, date] | None:
    """The days that a question names, from the first to the last; all up to it with "by"."""
    found = dates.find(text, today, anchor=today)
    if matcher("questions", "soon").find(text):
        return today, today + timedelta(days=SOON)
    if not found:
        return None
    first = today if not listed("questions", "limits").isdisjoint(words(text)) else min(day.first for day in found)
    return min(first, found[0].first), max(day.last for day in found)


def _read(match: Match, text: str, today: date) -> Asked | None:
    """A question by one of its readings; None where that does not hold: "what is on the roof" names no day."""
    about, span = "", None
    for slot, said in match.slots.items():
        found = dates.find(said, today, anchor=today)
        if found:
            span = (found[0].first, found[0].last)
            said = f"{_before(said[: found[0].start])} {said[found[0].end :]}"  # "the Kessler job by Friday"
        if slot == "when":
            if not found or (stems(said) and not _is_clause(match.slots["when"])):
                return None  # no day, or more than one: "for the Kessler job this week"
        elif stems(said) and not (match.name == "unpaid" and slot == "things"):
            about = " ".join(said.split())
    if match.name == "mute" and (span is not None or not about):
        return None  # "stop telling me about it" names nothing
    idle = {"when", "things"} if match.name == "unpaid" else {"when"}
    if about == "" and not match.slots.keys() <= idle and span is None:
        return None
    return Asked(match.name, _span(text, today), about)


def _is_clause(said: str) -> bool:
    """Whether a day ends what is only there to name it: "before I fly on Friday"."""
    return next((word.text in listed("questions", "limits") for word in tokens(said)), False)


def _before(said: str) -> str:
    """What stands before a day, without the function words that lead to it."""
    idle = listed("words", "stop")
    last = next((word for word in reversed(tokens(said)) if word.text not in idle), None)
    return said[: last.end] if last is not None else ""


def answer(wanted: Asked, picture: Picture, *, several: bool, said: Sequence[Mention] = ()) -> AgendaAnswer | None:
    """The matters that answer a question, the gravest or the nearest first; None where nothing is open about what it
    names, for the files may say more than that. `said`: lines of the files that may answer as well."""
    today = picture.now.date()
    shown = _about(picture.shown(), wanted)
    if wanted.kind == "mute":
        return _offer(wanted.about, shown, today, several=several)
    title, none, chosen = _HOW[wanted.kind](wanted, shown, today)
    if wanted.about and not chosen:
        return None
    named, left = message.first(chosen, MOST_LINES), max(0, len(chosen) - MOST_LINES)
    late = [each for each in named if each.is_late(today)]
    ahead = [each for each in named if not each.is_late(today)]
    same = wanted.kind == "unpaid"  # rows without a day to pay by are no matters, and unpaid all the same
    lines = [] if chosen or (same and said) else [none]
    parted = late and (ahead or wanted.kind in ("due", "today"))
    for head, group in ((title, ahead), ("Late", late)) if parted else ((title, named),):
        lines += [f"{head}:" for _ in group[:1]]
        lines += [f"- {message.line(each, today, several=several, wide=True)}" for each in group]
    if left:
        lines.append(f"{left} more: `adjutant today --all`")
    if said:
        lines += [] if same and chosen else [f"{title}:" if same else ALSO]
        lines += [f"- {each.line(today, several=several, wide=True)}" for each in said]
    return AgendaAnswer(lines, named, left)


def _offer(about: str, shown: Sequence[Open], today: date, *, several: bool) -> AgendaAnswer:
    """What mutes whatever the operator wants to hear no more of: nothing is muted by a phrase alone, which may be
    about more than was meant."""
    named, left = message.first(shown, MOST_LINES), max(0, len(shown) - MOST_LINES)
    lines = [f"You want to hear no more about {about}. Nothing is muted yet."]
    if named:
        lines += ["Open about it:", *(f"- {message.line(each, today, several=several)}" for each in named)]
        lines += [f"{left} more: `adjutant today --all`"] if left else []
        lines.append(f"`adjutant mark {named[0].id} useless` mutes one of these.")
    else:
        lines.append("Nothing that is open is about it.")
    lines.append(f"All that is about it stays quiet with this line under Quiet Zones in {HEART}: `- {about}`")
    return AgendaAnswer(lines, named, left)


def days(wanted: Asked, today: date) -> tuple[date, date]:
    """The days that a question is about, whether it names them or not."""
    if wanted.span is not None:
        return wanted.span
    ahead = 0 if wanted.kind == "today" else WEEK
    return today, today + timedelta(days=ahead)


def sought(wanted: Asked, today: date) -> Sought | None:
    """Which lines of the files may answer besides; None where the picture alone does."""
    if wanted.about:
        return None
    first, last = days(wanted, today)
    if wanted.kind in ("due", "today") or (wanted.kind == "pay" and wanted.span):
        return Sought("dated", (max(first, today), last), today) if last >= today else None
    if wanted.kind == "late":
        return Sought("late", (today - timedelta(days=PAST), today - timedelta(days=1)), today)
    if wanted.kind in ("owed", "unpaid"):
        return Sought(wanted.kind, (first, last), today)
    return Sought("waiting", (first, last), today) if wanted.kind in ("waiting", "longest") else None


def _about(matters: Sequence[Open], wanted: Asked) -> list[Open]:
    """The matters that are about whom or what a question names; a noun that no matter has (`which bills`) tells none
    from another."""
    name = _Name(wanted.about)
    shares = [name.share(each) for each in matters]
    found = [each for each, share in zip(matters, shares, strict=True) if share > ENOUGH]
    if not found and name.is_whole:  # of a first name and a last one either is written
        found = [each for each, share in zip(matters, shares, strict=True) if share >= ENOUGH]
    return found if found or wanted.kind != "pay" else [each for each in matters if _costs(each)]


class _Name:
    """What a question names, word by word: what each counts. A noun behind a name says of what kind it is, hardly
    more (`the Kessler job`), and a word of one or two letters is half of one."""

    def __init__(self, about: str) -> None:
        self._weights: dict[str, float] = {}
        self.is_whole = True
        before = False
        for word in tokens(about):
            capital = about[word.start : word.end][:1].isupper()
            for stem in stems(word.text):
                weight = KIND if before and not capital else SMALL if len(word.text) <= 2 else 1.0
                self._weights[stem] = max(weight, self._weights.get(stem, 0.0))
                self.is_whole = self.is_whole and capital
            before = capital

    def share(self, each: Open) -> float:
        """How much of the name stands in a matter or over it, 0 to 1."""
        if not self._weights:
            return 1.0
        cited = " ".join(f"{quote.path} {quote.quote}" for quote in each.evidence)
        held = stems(f"{each.what} {each.who} {' '.join(each.heads)} {cited.replace('/', ' ').replace('.', ' ')}")
        return sum(weight for stem, weight in self._weights.items() if stem in held) / sum(self._weights.values())


def _costs(each: Open) -> bool:
    """Whether a matter names an amount: a figure with pence or with its currency."""
    return any(figure.kind == "number" and is_money(figure.text) for figure in figures(each.what))


def _within(each: Open, span: tuple[date, date]) -> bool:
    """Whether a matter falls on one of these days; one that has a month's time only on its last day."""
    if each.first is None or each.last is None:
        return False
    long = (each.last - each.first).days > WEEK
    return (each.last if long else each.first) <= span[1] and each.last >= span[0]


def _by_day(matters: Sequence[Open], today: date) -> list[Open]:
    return sorted(matters, key=lambda each: (max(each.first or date.max, today), each.time or "99", each.last or today))


def _say_span(span: tuple[date, date], today: date) -> str:
    if span[0] == span[1]:
        return wording.day(span[0], today)
    return (
        f"until {wording.day(span[1], today)}"
        if span[0] <= today
        else (f"{wording.day(span[0], today)} to {wording.day(span[1], today)}")
    )


def _due(wanted: Asked, shown: Sequence[Open], today: date) -> _Found:
    span = days(wanted, today)
    found = [each for each in shown if _within(each, span) and (each.last or today) >= today]
    late = sections(shown, today).late if span[0] <= today else []
    spoken = _say_span(span, today)
    return f"Due {spoken}", f"I found nothing due {spoken}.", [*_by_day(found, today), *late]


def _late(wanted: Asked, shown: Sequence[Open], today: date) -> _Found:
    found = sorted((each for each in shown if each.is_late(today)), key=lambda each: each.rank, reverse=True)
    return "Late", "I found nothing late.", found


def _waiting(wanted: Asked, shown: Sequence[Open], today: date) -> _Found:
    found = [each for each in shown if _waits(each)]
    if wanted.kind == "longest":
        found.sort(key=_since)
    return "You are waiting for", "I found nobody you are waiting for.", found


def _waits(each: Open) -> bool:
    """Whether a matter waits for somebody: by its kind, by the heading or column that it stands under, or because it
    says so."""
    if each.kind in ("waiting", "blocked") or each.kind == "appointment":
        return each.kind == "waiting"
    heads = any(cues().labels["waiting"].whole(head) for head in each.heads[-1:])
    return heads or waits(each.what)


def _since(each: Open) -> tuple[date, str]:
    """What a matter has been open since, as far as is known: its day, else when it was first seen."""
    seen = date.fromisoformat(each.first_seen[:10]) if each.first_seen else date.max
    return min(each.last or date.max, seen), each.id


def _pay(wanted: Asked, shown: Sequence[Open], today: date) -> _Found:
    dated = [each for each in shown if each.kind in ("deadline", "task") and each.dated]
    if wanted.span is not None:
        dated = [each for each in dated if _within(each, wanted.span) or each.is_late(today)]
        if not dated and not wanted.about:
            return _due(wanted, shown, today)  # what has to be paid does not always say so
    return "To pay", "I found nothing to pay.", _by_day(dated, today)


def _find_owed(wanted: Asked, shown: Sequence[Open], today: date) -> _Found:
    found = [each for each in shown if each.kind != "waiting" and asks_back(f"{each.what} {each.evidence[0].quote}")]
    if wanted.span is not None:
        found = [each for each in found if _within(each, wanted.span) or each.is_late(today)]
    return "Waiting for your answer", "I found nobody who is waiting for your answer.", _by_day(found, today)


def _find_unpaid(wanted: Asked, shown: Sequence[Open], today: date) -> _Found:
    rows = [each for each in shown if "row" in each.rests and _costs(each)]
    return "Unpaid, as the records say", "I found no record that is unpaid.", _by_day(rows, today)


def _find_promised(wanted: Asked, shown: Sequence[Open], today: date) -> _Found:
    mine = [each for each in shown if not _waits(each) and each.kind != "problem"]
    return f"Open with {wanted.about}", "I found no promise that is open.", _by_day(mine, today)


def _find_blocked(wanted: Asked, shown: Sequence[Open], today: date) -> _Found:
    return "Blocked", "I found nothing blocked.", [each for each in shown if each.kind in STUCK]


def _today(wanted: Asked, shown: Sequence[Open], today: date) -> _Found:
    if wanted.span is not None and wanted.span != (today, today):
        return _due(wanted, shown, today)
    parts = sections(shown, today)
    grave = [each for each in (*parts.week, *parts.waiting, *parts.new, *parts.rest) if each.severity in message.GRAVES]
    return "Today", "I found nothing late, due today or tomorrow.", [*parts.near, *grave, *parts.late]


def _open(wanted: Asked, shown: Sequence[Open], today: date) -> _Found:
    if wanted.span is not None:
        shown = [each for each in shown if _within(each, wanted.span) or each.is_late(today)]
    parts = sections(shown, today)
    dated = [*parts.near, *parts.week, *parts.late]
    about = f" on {wanted.about}" if wanted.about else ""
    return f"Open{about}", f"I found nothing open{about}.", [*dated, *parts.waiting, *parts.new, *parts.rest]


_HOW: dict[str, Callable[[Asked, Sequence[Open], date], _Found]] = {
    "due": _due,
    "late": _late,
    "waiting": _waiting,
    "blocked": _find_blocked,
    "today": _today,
    "longest": _waiting,
    "pay": _pay,
    "unpaid": _find_unpaid,
    "owed": _find_owed,
    "promised": _find_promised,
    "open": _open,
    "with": _open,
    "on": _open,
}
