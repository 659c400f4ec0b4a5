"""DOMAIN. What somebody said that they would do, and whom a line names."""

import re
from collections.abc import Callable, Sequence
from datetime import date

from adjutant.documents.document import Block
from adjutant.domain.matters import deadlines
from adjutant.domain.matters.cues import Cues
from adjutant.domain.matters.lines import MatterLine, in_one_clause, is_past
from adjutant.language.dates import Date
from adjutant.language.pack import listed
from adjutant.language.words import day_names, words

CAPITALISING = "de"  # the language whose nouns look like names
TITLE = 140  # characters
PASSIVE = 5  # words before a participle among which one makes it passive
_NAME = re.compile(r"\b[A-ZÆØÅÄÖÜ][^\W\d_]+")


def find_promise(
    said: MatterLine, known: Cues, anchor: date | None, everyday: Callable[[str], bool]
) -> tuple[str, Date | None, str] | None:
    """(task or waiting, its day, who) of a promise with a date: mine is a task, somebody else's is waited for.

    "I promised Sinead the list by Friday"; "Berg sends the frames on the 14th". What is owed needs no date. `everyday`:
    whether a capitalised word is also written small in this file, and so is no name.
    """
    due = deadlines.find(said, known)
    day = due or next((each for each in said.dates if not is_past(said, each, known, anchor)), None)
    if (day is None and said.dates) or said.text.rstrip().endswith("?"):
        return None
    place = said.place(day.start) if day else len(said.words)
    for at, _ in known.promise.find(said.words):
        ends = said.words[at] in listed("matters", "participles")  # of a German sentence
        if (at <= place or ends) and (day is not None or said.words[at] in listed("matters", "owes")):
            found = _promised(said, at, known, everyday, governed=due is not None)
            return (
                (found[0], day, found[1])
                if found and (day or _is_beside(said.text, found[1], said.starts[at]))
                else None
            )
    intends = [at for at, length in known.intends.find(said.words) if due and _is_theirs(said, at, length, due)]
    for at in (*(at for at, _ in known.delivers.find(said.words)), *intends) if day else ():
        before = said.text[: said.starts[at]].rstrip()
        who = name_in(before[-40:], said, everyday)
        if 0 < at < place and said.words[at - 1] in known.others:  # "he answers by Monday"
            return "waiting", day, ""
        article = words(before.removesuffix(who))[-1:] if at in intends else []  # "Die Straße wird", and nobody
        none = not known.negators.isdisjoint(said.words[at:])  # "ohne Brücke kommt am 19. niemand"
        if 0 < at < place and who and before.endswith(who) and known.idle.isdisjoint(article) and not none:
            return "waiting", day, who
    return None


def _is_beside(text: str, who: str, at: int) -> bool:
    """Whether a name stands next to the word at a place."""
    return who in text[max(at - len(who) - 1, 0) : at] or who in text[at:].split(" ")[1:2]


def _is_theirs(said: MatterLine, at: int, length: int, day: Date) -> bool:
    """Whether they mean to do it, and want it of nobody: not "Bo would like it by Friday", nor "that we …"."""
    wanted = said.words[at + length : at + length + 1] + said.words[max(at - 1, 0) : said.place(day.start)]
    none = listed("matters", "subjects") | listed("matters", "wants")
    return none.isdisjoint(wanted) and in_one_clause(said.text, said.starts[at], day)


def _promised(
    said: MatterLine, at: int, known: Cues, everyday: Callable[[str], bool], *, governed: bool
) -> tuple[str, str] | None:
    """(task or waiting, who) of a word that promises; no name where another did, for a `governed` day."""
    before, head, mean = said.words[:at], said.text[: said.starts[at]], listed("matters", "subjects")
    if not listed("matters", "passive").isdisjoint(before[-PASSIVE:]) and before[-1] not in mean:
        return "waiting", ""  # "the keys were promised for Friday"
    ends = said.words[at] in listed("matters", "participles")
    helped = ends and not listed("matters", "helps").isdisjoint(before)  # "Jana hat mir … versprochen"
    first = at > 1 and before[0] in mean and before[1] in known.idle  # "Ich habe Jana … versprochen"
    mine = not helped and (ends or at == 0 or first or not mean.isdisjoint(before[-2:]))
    who = name_in(head, said, everyday, first=ends) if ends or not mine else ""
    who = name_in(said.text[len(head) + len(said.words[at]) :], said, everyday, first=True) if mine and not who else who
    begins = mine and said.text[said.starts[at]].isupper()  # "Promised: Friday, with the key"
    return ("task" if mine else "waiting", who) if who or begins or (governed and not mine) else None


def find_commitment(said: MatterLine, known: Cues, anchor: date) -> Date | None:
    """The day by which a letter says that something will be done: "by Friday", "I will send it on Friday"."""
    due = deadlines.find(said, known)
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


def name_in(text: str, said: MatterLine, everyday: Callable[[str], bool], *, first: bool = False) -> str:
    """The last (or the first) capitalised word of a text that is no title, part of a date or everyday word, "" for
    none."""
    dated = {word for day in said.dates for word in _NAME.findall(said.text[day.start : day.end])}
    none = listed("words", "titles")
    found = [each for each in _NAME.findall(text) if each not in dated and not everyday(each.lower())]
    found = [each for each in found if each.lower() not in none or each.isupper()]
    return found[0 if first else -1] if found else ""


def with_name(
    said: str, block: Block, run: Sequence[Block], code: str, known: Cues, everyday: Callable[[str], bool]
) -> str:
    """A sentence with the name of whom it is from, or about, in front, where it does not say it. `run`: the sentences
    before it in its paragraph."""
    named = block.sender
    about = not named and code != CAPITALISING and not known.others.isdisjoint(words(said))
    if about and not names_of(said, known, everyday):
        every = (names_of(each.text, known, everyday) for each in reversed(run))
        named = next((names[0] for names in every if names), "")
    told = f"{named}: {said}" if named and set(words(named)).isdisjoint(words(said)) else said
    return told if len(told) <= TITLE else said
