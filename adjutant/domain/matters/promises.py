"""DOMAIN. What somebody said that they would do, and whom a line names."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date

from adjutant.domain.matters.cues import Cues
from adjutant.domain.matters.lines import MatterLine, deadline, is_past
from adjutant.language.dates import Date
from adjutant.language.pack import listed
from adjutant.language.words import day_names, words

_NAME = re.compile(r"\b[A-ZÆØÅÄÖÜ][^\W\d_]+")


def find_promise(
    said: MatterLine, known: Cues, anchor: date | None, everyday: Callable[[str], bool]
) -> tuple[str, Date, str] | None:
    """(task or waiting, its day, who) of a promise with a date: mine is a task, somebody else's is waited for.

    "I promised Sinead the list by Friday"; "Berg sends the frames on the 14th". `everyday`: whether a capitalised word
    is also written small in this file, and so is no name.
    """
    day = next((each for each in said.dates if not is_past(said, each, known, anchor)), None)
    if day is None or said.text.rstrip().endswith("?"):
        return None
    place = said.place(day.start)
    for at, _ in known.promise.find(said.words):
        if at <= place:
            mine = at == 0 or any(word in known.own for word in said.words[max(0, at - 2) : at])
            who = name_in(said.text[said.starts[at] :] if mine else said.text[: said.starts[at] + 1], said, everyday)
            return ("task" if mine else "waiting", day, who) if who else None
    for at, _ in known.delivers.find(said.words):
        if 0 < at < place and said.words[at - 1] in known.others:  # "he answers by Monday"
            return "waiting", day, ""
        if 0 < at < place:
            before = said.text[: said.starts[at]].rstrip()
            who = name_in(before[-40:], said, everyday)
            if who and before.endswith(who):
                return "waiting", day, who
    return None


def find_commitment(said: MatterLine, known: Cues, anchor: date) -> Date | None:
    """The day by which a letter says that something will be done: "by Friday", "I will send it on Friday"."""
    due = deadline(said, known)
    ahead = (
        each for each in said.dates if each.last >= anchor if each == due or not is_past(said, each, known, anchor)
    )
    day = next((each for each in ahead if each.exact), None)
    if day is None or said.text.rstrip().endswith("?") or known.absent.find(said.words):
        return None
    return day if day == due or _means(said.words, said.place(day.start), known) else None


def _means(said: Sequence[str], place: int, known: Cues) -> bool:
    """Whether "I" or "we" will do something on a day whose first word is at `place`, or "you" will have something."""
    own = next((at for at, word in enumerate(said) if word in known.own), len(said))
    acts = any(phrases.find(said) for phrases in (known.commits, known.promise, known.delivers))
    acts = acts and own <= place and not known.stays.find(said)
    begin = min([at for at, _ in known.commits.find(said)], default=own)
    return (acts or bool(known.receives.find(said))) and known.negators.isdisjoint(said[begin:place])


def names_of(text: str, known: Cues, everyday: Callable[[str], bool]) -> list[str]:
    """The names in a text: capitalised words that are no everyday word and no day; one that begins it has to do
    something ("Berg wrote")."""
    found, none = list[str](), day_names(0) | listed("words", "titles")
    for each in _NAME.finditer(text):
        before = text[: each.start()].rstrip(" \"'“„«(")
        begins = not before or before[-1] in ".!?:…–—-"
        acts = not begins or not known.past.firsts.isdisjoint(words(text[each.end() :])[:1])
        if acts and each[0].lower() not in none and not everyday(each[0].lower()):
            found.append(each[0])
    return found


def name_in(text: str, said: MatterLine, everyday: Callable[[str], bool]) -> str:
    """The last capitalised word of a text that is neither part of a date nor an everyday word, "" for none."""
    dated = {word for day in said.dates for word in _NAME.findall(said.text[day.start : day.end])}
    found = [name for name in _NAME.findall(text) if name not in dated and not everyday(name.lower())]
    return found[-1] if found else ""
