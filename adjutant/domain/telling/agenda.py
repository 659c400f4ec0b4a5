"""DOMAIN. Answers from the picture: what is due, late, open, waited for, today, with somebody, on a project."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from typing import NamedTuple

from msgspec.structs import replace

from adjutant.domain.matters import says, wording
from adjutant.domain.matters.cues import cues
from adjutant.domain.matters.picture import Open, Picture, sections
from adjutant.domain.telling import message
from adjutant.domain.telling.asking import Asked
from adjutant.domain.telling.mentions import DAYS, PAST, Mention, Sought
from adjutant.domain.telling.topic import ENOUGH, Topic
from adjutant.language.figures import figures, is_money
from adjutant.language.stems import stems

MOST_LINES = 24  # of an answer, as many as a page of a terminal shows
HEADS, LEAST_SAID = 4, 4  # lines of an answer that name no matter; lines of the notes that have room in it
TODAY, SOON = "Today and tomorrow", "Coming up"
NOTHING = "I found nothing certain about that."
BELOW = "In case you meant what is open:"
NONE = "I found no"  # so begins whatever says that a part of the picture is empty
HEART = "identity/heart.md"
ALSO = "Your notes also say, and it may be settled:"
WEEK = 6  # days after today
STUCK, WAITS = ("blocked", "problem"), "You are waiting for"


_NAME = re.compile(r".*/|\.[^.]*\Z|[_-]+")  # what is no word of a page's name
_Found = tuple[str, str, list[Open]]  # heading, what is said where nothing is, matters


class AgendaAnswer(NamedTuple):
    """`lines` for a person; the matters that they name; `left`: how many more there are."""

    lines: list[str]
    matters: list[Open]
    left: int
    holds: bool = False  # something was found

    def cleaned(self, clean: Callable[[str], str]) -> AgendaAnswer:
        """The same without what `clean` takes out of a text."""
        lines = [clean(line) for line in self.lines]
        return self._replace(lines=lines, matters=[_clean(each, clean) for each in self.matters])


def _clean(each: Open, clean: Callable[[str], str]) -> Open:
    evidence = [replace(cited, quote=clean(cited.quote)) for cited in each.evidence]
    return replace(each, what=clean(each.what), evidence=evidence)


def answer(
    wanted: Asked, picture: Picture, *, several: bool, said: Sequence[Mention] = (), most: int = MOST_LINES
) -> AgendaAnswer | None:
    """The matters that answer a question, the gravest or the nearest first; None where nothing is open about what it
    names, for the files may say more than that. `said`: lines of the files that may answer as well."""
    today = picture.now.date()
    shown = _about(picture.shown(), wanted)
    if wanted.kind == "mute":
        return _offer(wanted.about, shown, today, several=several)
    title, none, chosen = _choose(wanted, shown, today)
    if wanted.about and not chosen and not said:
        return None
    hint = Topic(wanted.hint)
    chosen.sort(key=lambda each: not hint.is_in(*_texts(each)))  # what a question may have named comes first
    said = said[: max(MOST_LINES - HEADS - min(most, len(chosen)), LEAST_SAID)]
    most = min(most, MOST_LINES - HEADS - len(said))
    named = message.first(_drop_points(chosen) if len(chosen) > most else chosen, most)
    left = len(chosen) - len(named)
    late = [each for each in named if each.is_late(today)]
    ahead = [each for each in named if not each.is_late(today)]
    same = wanted.kind == "unpaid"  # rows without a day to pay by are no matters, and unpaid all the same
    lines = [] if chosen or (same and said) else [none]
    parted = late and (ahead or wanted.kind in ("due", "today"))
    soon = [each for each in ahead if title == TODAY and (each.left(today) or 0) > 1]
    now = [each for each in ahead if each not in soon]
    for head, group in ((title, now), (SOON, soon), ("Late", late)) if parted or soon else ((title, named),):
        lines += [f"{head}:" for _ in group[:1]]
        lines += [f"- {message.line(each, today, several=several, wide=True)}" for each in group]
    lines += message.more(left)
    if said:
        lines += [] if same and chosen else [f"{title}:" if same else ALSO]
        lines += _tell(said, today, several=several)
    return AgendaAnswer(lines, named, left, bool(named or said))


def _drop_points(matters: Sequence[Open]) -> list[Open]:
    """The matters without all but the first of what one page says of one hour: the points of a meeting's agenda."""
    firsts: dict[object, str] = {}
    for each in matters:
        firsts.setdefault((each.kb, each.evidence[0].path, each.first, each.time) if each.time else each.id, each.id)
    return [each for each in matters if each.id in firsts.values()]


def _tell(said: Sequence[Mention], today: date, *, several: bool) -> list[str]:
    """Lines of the notes with what stands around them; a sentence that stands around another is not said again."""
    lines: list[str] = []
    for each in said:
        if not any(each.says.strip() in line and f":{each.number}" in line for line in lines):
            lines.append(f"- {each.line(today, several=several, wide=True)}")
    return lines


def join(found: Sequence[AgendaAnswer]) -> AgendaAnswer | None:
    """The answers to a question that can be read in two ways, as one; None for none. What finds nothing is left out
    where the other finds something."""
    telling = [each for each in found if each.holds]
    if len(telling) < 2:
        return next(iter(telling), next(iter(found), None))
    lines: list[str] = []
    for each in telling:
        fresh = [line for line in each.lines if not (line.startswith("- ") and line in lines)]
        below = [*fresh[1:], ":"]  # a heading goes with the last line under it
        lines += [line for line, next in zip(fresh, below, strict=True) if not (line[-1] == next[-1] == ":")]
    matters = {matter.id: matter for each in telling for matter in each.matters}
    return _page(AgendaAnswer(lines, list(matters.values()), sum(each.left for each in telling), True))


def _page(found: AgendaAnswer) -> AgendaAnswer:
    """As much of an answer as a person sees at once, and how many matters are left out."""
    if len(found.lines) <= MOST_LINES:
        return found
    every = [line for line in found.lines if not line.endswith("`adjutant today --all`")]
    lines = every[: MOST_LINES - 1]
    lines = lines[:-1] if lines[-1].endswith(":") else lines
    named = [each for each in found.matters if any(line.endswith(f" · {each.id}") for line in lines)]
    left = found.left + len(found.matters) - len(named)
    return found._replace(lines=lines + message.more(left), matters=named, left=left)


def add(found: AgendaAnswer, more: AgendaAnswer) -> AgendaAnswer:
    """An answer with another below it that may have been meant; what stands in both is said once."""
    lines = [line for line in head(more, BELOW).lines if line not in found.lines]
    matters = {matter.id: matter for each in (found, more) for matter in each.matters}
    return AgendaAnswer([*found.lines, *lines], list(matters.values()), found.left + more.left, True)


def head(found: AgendaAnswer, head: str) -> AgendaAnswer:
    """The answer under a line that says why it is given, without what says that a part of it is empty: below a search
    that found NOTHING certain, or what only may be asked for, BELOW."""
    return found._replace(lines=[head, *(line for line in found.lines if not line.startswith(NONE))])


def _offer(about: str, shown: Sequence[Open], today: date, *, several: bool) -> AgendaAnswer:
    """What mutes whatever the operator wants to hear no more of: nothing is muted by a phrase alone, which may be
    about more than was meant."""
    named, left = message.first(shown, MOST_LINES), max(0, len(shown) - MOST_LINES)
    lines = [f"You want to hear no more about {about}. Nothing is muted yet."]
    if named:
        lines += ["Open about it:", *(f"- {message.line(each, today, several=several)}" for each in named)]
        lines += [*message.more(left), f"`adjutant mark {named[0].id} useless` mutes one of these."]
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


def sought(wanted: Asked, picture: Picture) -> Sought | None:
    """Which lines of the files may answer besides; None where the picture alone does."""
    today = picture.now.date()
    kind = _SOUGHT.get(wanted.kind, "")
    if kind == "open" and wanted.span is not None:
        kind = "dated"
    if not kind or (kind == "open" and not wanted.about and not wanted.hint):  # the picture holds all that is open
        return None
    first, last = days(wanted, today)
    if kind == "late":
        first, last = today - timedelta(days=PAST), today - timedelta(days=1)
    elif wanted.span is None and kind != "dated":
        last = date.max
    first = first if kind == "late" else max(first, today)
    _, _, chosen = _choose(wanted, _about(picture.shown(), wanted), today)
    seen = kind in (*DAYS, "waiting")  # a day has moved with its matter, and whoever is waited for was chosen by words
    shown = None if seen else frozenset(each.id for each in chosen)
    return Sought(kind, (first, last), today, wanted.about, shown, wanted.hint) if first <= last else None


def find_page(wanted: Asked, matters: Sequence[Open]) -> Asked:
    """The question about a page that its words may name: where all nouns have capitals, none tells a name."""
    if wanted.about:
        return wanted
    pages = {stem for each in matters for head in _heads(each) for stem in stems(_NAME.sub(" ", head), "de")}
    pages |= {stem for each in matters for stem in stems(each.kb, "de")}
    named = [word for word in wanted.hint.split() if word[0].isupper() and not pages.isdisjoint(stems(word, "de"))]
    return wanted._replace(about=", ".join(named))


def _about(matters: Sequence[Open], wanted: Asked) -> list[Open]:
    """The matters that are about whom or what a question names; a noun that no matter has (`which bills`) tells none
    from another."""
    topic = Topic(wanted.about).narrow([text for each in matters for text in (each.kb, *each.heads, *_heads(each))])
    shares = [topic.share(*_texts(each)) for each in matters]
    found = [each for each, share in zip(matters, shares, strict=True) if share > ENOUGH]
    if not found and topic.is_whole:  # of a first name and a last one either is written
        found = [each for each, share in zip(matters, shares, strict=True) if share >= ENOUGH]
    return found if found or wanted.kind != "pay" else [each for each in matters if _costs(each)]


def _texts(each: Open) -> list[str]:
    """What a matter says of whom or what it is about: its words and whatever stands over them."""
    return [each.kb, each.what, each.who, *each.heads, *(f"{quote.path} {quote.quote}" for quote in each.evidence)]


def _heads(each: Open) -> list[str]:
    return [quote.path for quote in each.evidence]


def _costs(each: Open) -> bool:
    """Whether a matter names an amount: a figure with pence or with its currency."""
    return any(figure.kind == "number" and is_money(figure.text) for figure in figures(each.what))


def _within(each: Open, span: tuple[date, date]) -> bool:
    """Whether a matter falls on one of these days; one that has a month's time only on its last day."""
    if each.first is None or each.last is None:
        return False
    long = (each.last - each.first).days > WEEK
    return (each.last if long else each.first) <= span[1] and each.last >= span[0]


def _fits(each: Open, wanted: Asked, today: date) -> bool:
    return wanted.span is None or _within(each, wanted.span) or each.is_late(today)


def _by_day(matters: Sequence[Open], today: date) -> list[Open]:
    return sorted(matters, key=lambda each: (max(each.first or date.max, today), each.time or "99", each.last or today))


def _say_span(span: tuple[date, date], today: date) -> str:
    first, last = (wording.day(day, today) for day in span)
    if first == last:
        return first
    return f"by {last}" if span[0] <= today else f"{first} to {last}"


def _due(wanted: Asked, shown: Sequence[Open], today: date) -> _Found:
    span = days(wanted, today)
    found = [each for each in shown if _within(each, span) and (each.last or today) >= today]
    late = sections(shown, today).late if span[0] <= today else []
    spoken = _say_span(span, today)
    return f"Due {spoken}", f"I found nothing due {spoken}.", [*_by_day(found, today), *late]


def _waits(each: Open, today: date) -> bool:
    """Whether a matter waits for somebody: by its kind, by the heading or column that it stands under, or because it
    says so."""
    if each.kind in ("waiting", "blocked") or each.kind == "appointment":
        return each.kind == "waiting"
    heads = any(cues().labels["waiting"].whole(head) for head in each.heads[-1:])
    return heads or says.says(each.what, "waiting", today) > 0


def _says(each: Open, kind: str, today: date) -> bool:
    texts = dict.fromkeys((each.what, each.evidence[0].quote))
    return any(says.says(text, kind, today) for text in texts)


def _since(each: Open) -> tuple[date, str]:
    """What a matter has been open since, as far as is known: its day, else when it was first seen."""
    seen = date.fromisoformat(each.first_seen[:10]) if each.first_seen else date.max
    return min(each.last or date.max, seen), each.id


def _pay(wanted: Asked, shown: Sequence[Open], today: date) -> _Found:
    found = [each for each in shown if each.kind in ("deadline", "task") and (each.dated or _says(each, "pay", today))]
    found = [each for each in found if _fits(each, wanted, today)]
    paid = [each for each in found if _costs(each) or _says(each, "pay", today)]
    if wanted.span is not None and not paid and not wanted.about:
        return _due(wanted, shown, today)  # what has to be paid does not always say so
    return "To pay", "I found nothing to pay.", _by_day(paid or found, today)


def _today(wanted: Asked, shown: Sequence[Open], today: date) -> _Found:
    if wanted.span is not None and wanted.span != (today, today):
        return _due(wanted, shown, today)
    parts = sections(shown, today)
    grave = [each for each in (*parts.week, *parts.waiting, *parts.new, *parts.rest) if each.severity in message.GRAVES]
    return TODAY, "I found nothing late, due today or tomorrow.", [*parts.near, *grave, *parts.late]


def _open(wanted: Asked, shown: Sequence[Open], today: date) -> _Found:
    parts = sections([each for each in shown if _fits(each, wanted, today)], today)
    dated = [*parts.near, *parts.week, *parts.late]
    named = wanted.about != wanted.about.lower()  # else it is a word or two of the question
    about, none = (f" on {wanted.about}",) * 2 if named else ("", " about that" if wanted.about else "")
    return f"Open{about}", f"I found nothing open{none}.", [*dated, *parts.waiting, *parts.new, *parts.rest]


def _is_owed(each: Open, wanted: Asked, today: date) -> bool:
    return each.kind != "waiting" and _says(each, "owed", today) and _fits(each, wanted, today)


def _is_promised(each: Open, wanted: Asked, today: date) -> bool:
    mine = not _waits(each, today) and each.kind != "problem"
    return mine and bool(wanted.about or _says(each, "promised", today))


# What lines of the files may answer each kind besides.
_SOUGHT = {
    "due": "dated", "today": "dated", "late": "late", "waiting": "waiting", "longest": "waiting", "owed": "owed",
    "pay": "pay", "unpaid": "unpaid", "promised": "promised", "open": "open", "with": "open", "on": "open",
    "blocked": "stuck",
}  # fmt: skip
_OTHERS: dict[str, Callable[[Asked, Sequence[Open], date], _Found]] = {
    "due": _due, "pay": _pay, "today": _today, "open": _open, "with": _open, "on": _open,
}  # fmt: skip
# Of the rest: what stands over them, what is not found, which matters they are.
_PLAIN: dict[str, tuple[str, str, Callable[[Open, Asked, date], bool]]] = {
    "late": ("Late", "nothing late", lambda each, _, today: each.is_late(today)),
    "waiting": (WAITS, "nobody you are waiting for", lambda each, _, today: _waits(each, today)),
    "longest": (WAITS, "nobody you are waiting for", lambda each, _, today: _waits(each, today)),
    "blocked": ("Blocked", "nothing blocked", lambda each, *_: each.kind in STUCK),
    "owed": ("Waiting for your answer", "nobody who is waiting for your answer", _is_owed),
    "unpaid": (
        "Unpaid, as the records say",
        "no record that is unpaid",
        lambda each, *_: "row" in each.rests and _costs(each),
    ),
    "promised": ("You promised", "no promise that is open", _is_promised),
}


def _choose(wanted: Asked, shown: Sequence[Open], today: date) -> _Found:
    if wanted.kind in _OTHERS:
        return _OTHERS[wanted.kind](wanted, shown, today)
    title, none, holds = _PLAIN[wanted.kind]
    found = [each for each in shown if holds(each, wanted, today)]
    if wanted.kind in ("owed", "unpaid", "promised"):
        found = _by_day(found, today)
    elif wanted.kind == "longest":
        found.sort(key=_since)
    title = f"Open with {wanted.about}" if wanted.kind == "promised" and wanted.about else title
    return title, f"I found {none}.", found
