"""DOMAIN. What a question asks of the picture, by a phrase of the language packs or by its words.

A phrase fits the whole of a question. What fits none is judged by its words: questions.json weighs how much each speaks
for one kind of question or another, learnt from the questions of many hands (bench/judging). The words that hardly
weigh say whom or what a question is about.
"""

import re
from collections.abc import Mapping
from datetime import date, timedelta
from itertools import pairwise
from typing import NamedTuple

from adjutant.language import dates, judging
from adjutant.language.dates import Date
from adjutant.language.detect import language_of
from adjutant.language.judging import Judge
from adjutant.language.pack import cached, listed
from adjutant.language.phrases import Match, matcher
from adjutant.language.stems import stems
from adjutant.language.words import content, day_names, tokens, words

MOST_ASKED = 200  # characters of a question
SOON, LATER = 4, 30  # days after today of which "the next few days" and "the near future" speak
NEAR = 7  # days that a question may name, to be answered by what there is on them
FIRST = 2  # words of a question, of which one asks
FEW = 4  # words that say too little, unless they are plain
FACT = "fact"
UNLIKELY, HALF, MAYBE, SURE = 0.2, 0.4, 0.6, 0.8  # how likely a question is about the picture
CLEAR = 0.4  # that it is of one kind
UNASKED = 0.9  # how likely it has to be without the mark of a question or a word that asks
OTHER, TELLING = 0.2, 0.5  # what speaks for a second kind; the weight of a word that tells what is asked for
MINE = ("promised", "late", "owed", "waiting")  # what may be asked of days that are over
SUMS = ("unpaid", "pay", "late")  # what may be asked with "how much" and "since when"
PLACE = ("domain", "telling", "questions.json")
_PAUSE = re.compile(r"[,;:.–—]\s+")
_CLAUSE = re.compile(r"[,;?]\s+(?:and|und|og)\s+")


class Asked(NamedTuple):
    """A question about the picture: its kind (due late waiting owed longest blocked today pay unpaid promised
    open with on mute), the days it names, None for none, and whom or what it is about, "" for everything."""

    kind: str
    span: tuple[date, date] | None
    about: str
    hint: str = ""  # further words, which may be part of a name; what shares them comes first
    other: str = ""  # the kind that it may be as well
    sure: bool = True  # else a search is tried first, and the picture answers where that finds nothing certain


def asked(text: str, today: date) -> Asked | None:
    """What a message asks of the picture; None where it asks for something else."""
    if len(text) > MOST_ASKED:
        return None
    for part in dict.fromkeys((text, _CLAUSE.split(text, maxsplit=1)[0])):  # "what is on today, and does it clash?"
        matches = matcher("questions", "agenda").wholes(part)
        found = next((found for match in matches if (found := _read(match, part, today)) is not None), None)
        if found is not None:
            return found
    return _by_words(text, today, MAYBE)


def _by_words(text: str, today: date, least: float) -> Asked | None:
    """What a question asks by the weights of its words; None where less than `least` speaks for the picture."""
    said = words(text)
    asks = _is_question(text)
    if not said or not (asks or listed("matters", "own").isdisjoint(said[:1])):
        return None  # "I promised her the list" asks nothing
    shares = load().shares(judging.features(text, today))
    open_ones = 1 - shares.pop(FACT)
    kind, other, *_ = sorted(shares, key=lambda kind: (-shares[kind], kind))
    span = _span(text, today)
    over = span is not None and span[1] < today
    clear = shares[kind] >= CLEAR
    if (
        open_ones < (least if asks else UNASKED)
        or (least >= MAYBE and not clear and open_ones < SURE)
        or ((len(said) < FEW or not asks) and shares[kind] < MAYBE)
        or (over and kind not in MINE)
    ):
        return None
    figure = matcher("questions", "figure").first(text)
    begins = figure is not None and not text[: figure.start].strip()
    ahead = span is not None and not over  # "was habe ich morgen im Kalender?"
    if (begins and kind not in SUMS and open_ones < SURE) or (
        kind != "promised" and not ahead and matcher("questions", "past").whole(text)
    ):
        return None
    names, others = _find_topic(text, today)
    about, hint = ", ".join(names), " ".join(others)
    kind = kind if clear or not hint else "open"  # whatever is asked, it is about that
    span = None if over else span  # what I forgot last week is still to be done
    first, second = (_suit(each, span, about, hint) for each in (kind, other))
    return Asked(
        first,
        span,
        about or (", ".join(others) if first in ("on", "with") else ""),
        hint,
        second if second != first and shares[other] > OTHER * open_ones else "",
        open_ones >= SURE or span is not None,
    )


def _is_question(text: str) -> bool:
    """Whether a text ends as a question, or a clause of it begins with a word that asks, as one that is typed may."""
    begins = (word for clause in _PAUSE.split(text) for word in words(clause)[:FIRST])
    return text.rstrip().endswith("?") or not listed("questions", "asks").isdisjoint(begins)


def _suit(kind: str, span: tuple[date, date] | None, about: str, hint: str) -> str:
    if kind == "open" and (about or hint):
        return "on"
    return ("with" if about or hint else "today") if kind == "due" and span is None else kind


@cached(1)
def load() -> Judge:
    """The weights of questions that come with the package. Raises OSError, msgspec.DecodeError."""
    return judging.read(*PLACE)


def perhaps(text: str, today: date, *, answered: bool) -> Asked | None:
    """What a question may ask of the picture besides, for where something else answers it or nothing does."""
    if len(text) > MOST_ASKED or not _is_question(text):
        return None
    span = _span(text, today)
    if span is not None and span[1] >= today and (span[1] - span[0]).days <= NEAR:
        return Asked("due", span, "")
    return _by_words(text, today, HALF if answered else UNLIKELY)


def _find_days(text: str, today: date) -> tuple[list[Date], list[str]]:
    """(the days that a question names, its feasts): `Good Friday` is called by a day of the week and is none."""
    names, found, feasts = judging.names(text), list[Date](), list[str]()
    idle = listed("words", "stop") | day_names(0)
    for day in dates.find(text, today, anchor=today):
        before = next((word for word in reversed(tokens(text)) if word.start < day.start), None)
        if before and {before.start, day.start} <= names and before.text not in idle and day.start - before.end == 1:
            feasts.append(text[before.start : day.end])
        else:
            found.append(day)
    return found, feasts


def _find_topic(text: str, today: date) -> tuple[list[str], list[str]]:
    """(names, other words) of a question that may say what it is about: content by which it is hardly judged, in German
    nouns where there are any."""
    (days, feasts), names = _find_days(text, today), judging.names(text)
    code, weights = language_of(text), load().weights
    named, others, end = feasts, list[str](), 0
    found = tokens(text)
    titled = {two.start for one, two in pairwise(found) if one.text in listed("words", "titles")}  # "Frau Berg"
    names |= {at for at in titled if text[at].isupper()}
    for word in found:
        if (
            any(text[word.start : word.end] in each for each in feasts)
            or any(day.start <= word.start < day.end for day in days)
            or not content(word.text, code)
        ):
            continue
        written = text[word.start : word.end]
        if word.start in names and end and _is_one_name(text[end : word.start]):
            named[-1], end = f"{named[-1]} {written}", word.end
        elif word.start in names:
            named, end = [*named, written], word.end
        elif not _weighs(word.text, code, weights):
            others.append(written)
    return named, [each for each in others if each[:1].isupper()] or others


def _weighs(word: str, code: str, weights: Mapping[str, Mapping[str, float]]) -> bool:
    return any(abs(weight) >= TELLING for stem in stems(word, code) for weight in weights.get(stem, {}).values())


def _is_one_name(between: str) -> bool:
    """Whether what stands between two names makes one of them: nothing, a full stop or one small word."""
    said, idle = words(between), listed("words", "stop") - listed("dates", "and")
    return len(said) < FIRST and idle.issuperset(said) and not set(between) & set(",;:")


def _span(text: str, today: date) -> tuple[date, date] | None:
    """The days that a question names, from the first to the last; all up to it with "by"."""
    for name, ahead in (("soon", SOON), ("later", LATER)):
        if matcher("questions", name).find(text):
            return today, today + timedelta(days=ahead)
    found, _ = _find_days(text, today)
    if not listed("questions", "limits").isdisjoint(words(text)):
        firsts = [today, *(day.first for day in found[:1])]
    else:
        found = [day for day in found if not any(_is_narrower(other, day) for other in found)]
        firsts = [day.first for day in found]
    return (min(firsts), max(day.last for day in found)) if found else None


def _is_narrower(one: Date, other: Date) -> bool:
    """Whether a day lies within others that are named with it: "on Wednesday of this week"."""
    return other.first <= one.first <= one.last <= other.last and one.last - one.first < other.last - other.first


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
    last = next((word for word in reversed(tokens(said)) if word.text not in listed("words", "stop")), None)
    return said[: last.end] if last is not None else ""
