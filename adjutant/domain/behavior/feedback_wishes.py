"""DOMAIN. Standing wishes for the manner of answers: `from now on`, `always`, `next time`, and what is to be done."""

from __future__ import annotations

import re
from typing import NamedTuple

from adjutant.domain.behavior import feedback_words as words
from adjutant.domain.behavior.feedback_subjects import about, manner, names_one, plain
from adjutant.domain.behavior.feedback_words import FILE, LENGTH, WISH, Language, languages
from adjutant.language.pack import cached, listed
from adjutant.language.patterns import regex
from adjutant.records.wording import collapsed, problem

Found = tuple[str, str, str]


def wish(sentence: str, name: str, asked: bool) -> Found | None:
    """(kind, type, text) of a standing wish: a marker such as `from now on`, and what the agent is to do."""
    language, know = languages()[name], _wishing(name)
    text = sentence.replace("’", "'").strip(" .!?…")
    marks = list(know.lasting.finditer(text))
    if not marks or len(text) > words.LONGEST_SENTENCE:
        return None
    denied = any(mark.group().lower() in language["denying"] for mark in marks)
    rest = " ".join(know.lasting.sub(" ", text).replace(" ,", ",").split()).strip(" ,")
    if know.at_most.match(rest):
        return fit(WISH, words.START, rest)
    wanted = False
    for _ in range(5):
        before = rest
        if found := know.wanted.match(rest):
            wanted = wanted or know.wants_a_thing.match(found.group()) is not None
            rest = rest[found.end() :].strip(" ,")
        if none := know.none.match(rest):  # `no jokes`; with a comma it only leads in, and what else it means is open
            denied, rest = True, rest[none.end() :]
            if not know.thing.match(rest):
                return None
        rest = know.head.sub("", rest).strip(" ,")
        rest = know.tail.sub("", rest).strip(" ,")
        if rest == before:
            break
    if found := know.never.match(rest):
        denied, rest = True, rest[found.end() :].strip(" ,")
    if asked and not know.politely.match(plain(sentence)):
        return None
    rest = know.any_more.sub("", rest) if denied else rest
    noun = know.thing.match(rest) is not None
    if not noun and (know.not_me.match(rest) or not _is_asked_of_me(rest, name, know)):
        return None
    if know.elsewhere.search(rest):
        return None
    if about(words.MORE, rest) == f"{LENGTH} short":
        return WISH, words.START, language.lists.said["short"][1]
    if noun:
        return fit(WISH, words.STOP if denied else words.MORE, rest)
    first = rest[:1].lower() + rest[1:]
    first = first if denied else know.starting.sub("", first)  # START says it
    return fit(WISH, words.STOP if denied else words.START, gerund(first, language) if denied else first)


def speaks(phrase: str, name: str) -> bool:
    """Whether a phrase begins with a verb of speaking or writing."""
    return _wishing(name).verbs.match(phrase) is not None


def _is_asked_of_me(rest: str, name: str, know: _Wishing) -> bool:
    """Whether it begins (in German: ends) with a verb of speaking, or with another one beside a noun of manner."""
    if know.verbs.search(rest) or know.tongue.match(rest):
        return True
    return know.acts.search(rest) is not None and manner(name).search(rest) is not None


class _Wishing(NamedTuple):
    lasting: re.Pattern[str]
    wanted: re.Pattern[str]
    wants_a_thing: re.Pattern[str]
    head: re.Pattern[str]
    tail: re.Pattern[str]
    never: re.Pattern[str]
    none: re.Pattern[str]
    any_more: re.Pattern[str]
    starting: re.Pattern[str]
    politely: re.Pattern[str]
    not_me: re.Pattern[str]
    verbs: re.Pattern[str]
    acts: re.Pattern[str]
    tongue: re.Pattern[str]
    thing: re.Pattern[str]
    at_most: re.Pattern[str]
    elsewhere: re.Pattern[str]


@cached(16)
def _wishing(name: str) -> _Wishing:
    language = languages()[name]

    def flat(pattern: str) -> re.Pattern[str]:
        return language.pattern(pattern, re.IGNORECASE)

    at_end = r"|\b{%s}$" if language.lists.verbs_last else ""
    return _Wishing(
        flat(r"\b{lasting}\b"),
        flat(r"^{wanted}\b"),
        flat("{wants_a_thing}$"),
        flat("^{leads}[,!:]? "),
        flat(" {ends}$"),
        flat(r"^{never}\b"),
        flat("{none}"),
        flat(" {any_more}$"),
        flat("{starting}"),
        flat("{politely}"),
        flat(r"^{not_me}\b"),
        flat(r"^{verbs}\b" + at_end.replace("%s", "verbs")),
        flat(r"^{acts}\b" + at_end.replace("%s", "acts")),
        flat(r"^{in_tongue}\b"),
        flat(r"^({first}\b|({articles} )?{some}\b|{several}\b|{short} {answer}\b)"),
        flat(r"^{at_most} (\w+ ){1,2}({some}|{units})\b"),
        flat(r"\b{elsewhere}"),
    )


def fit(kind: str, type: str, text: str) -> Found | None:
    """What was found, where its text is one that a directive may have."""
    text = collapsed(text.strip(" ,.;:!?"))
    if (used := regex(FILE, "{using} ", flags=re.IGNORECASE).match(text)) is not None and names_one(text[used.end() :]):
        text = text[used.end() :]  # `use emojis` and `emojis` are one wish
    return None if problem(text) else (kind, type, text)


def gerund(phrase: str, language: Language) -> str:
    """An imperative as what is done: `use emojis` -> `using emojis`, where the language has that form."""
    first, blank, rest = phrase.partition(" ")
    return language.lists.gerunds.get(first.lower(), first) + blank + rest


def is_lasting(text: str) -> bool:
    """Whether a text wishes for something from now on; `always` and `never` are said of habits, too."""
    habits = listed(FILE, "habits")
    return any(
        mark.group().lower() not in habits for name in languages() for mark in _wishing(name).lasting.finditer(text)
    )
