"""DOMAIN. Standing wishes for the manner of answers: `from now on`, `always`, `next time`, and what is to be done."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from adjutant.domain.behavior import feedback_words as words
from adjutant.domain.behavior.feedback_subjects import LANGUAGES, about, manner, names_one, plain
from adjutant.domain.behavior.feedback_words import LENGTH, WISH, Language
from adjutant.records.wording import collapsed, problem

Found = tuple[str, str, str]
MANY = "tables|lists|headlines|tabeller|lister|tabellen|listen"


def wish(sentence: str, name: str, asked: bool) -> Found | None:
    """(kind, type, text) of a standing wish: a marker such as `from now on`, and what the agent is to do."""
    language, know = LANGUAGES[name], _wishing(name)
    text = sentence.replace("’", "'").strip(" .!?…")
    marks = list(know.lasting.finditer(text))
    if not marks or len(text) > words.LONGEST_SENTENCE:
        return None
    denied = any(mark.group().lower() in ("never", "aldri", "nie", "nie wieder", "niemals") for mark in marks)
    rest = " ".join(know.lasting.sub(" ", text).replace(" ,", ",").split()).strip(" ,")
    if know.at_most.match(rest):
        return fit(WISH, words.START, rest)
    wanted = False
    for _ in range(5):
        before = rest
        if found := know.wanted.match(rest):
            wanted = wanted or know.wants_a_thing.match(found.group()) is not None
            rest = rest[found.end() :].strip(" ,")
        if none := _NONE.match(rest):  # `no jokes`; with a comma it only leads in, and what else it means is open
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
    rest = _ANY_MORE.sub("", rest) if denied else rest
    noun = know.thing.match(rest) is not None
    if not noun and (know.not_me.match(rest) or not _is_asked_of_me(rest, name, know)):
        return None
    if know.elsewhere.search(rest):
        return None
    if about(words.MORE, rest) == f"{LENGTH} short":
        return WISH, words.START, language.said["short"][1]
    if noun:
        return fit(WISH, words.STOP if denied else words.MORE, rest)
    first = _STARTING.sub("", rest[:1].lower() + rest[1:]) if not denied else rest[:1].lower() + rest[1:]
    return fit(WISH, words.STOP if denied else words.START, gerund(first, language) if denied else first)


_NONE = re.compile(r"no (?:more )?", re.IGNORECASE)
_ANY_MORE = re.compile(r" (?:any ?more|any longer|mehr|lenger)$", re.IGNORECASE)
_USED = re.compile(r"(?:us(?:e|ing)|add(?:ing)?|(?:å )?bruke?|benutze?n?|verwende?n?) ", re.IGNORECASE)
_STARTING = re.compile(r"start (?=(?:every|each|all|your)\b)")  # START says it


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
    politely: re.Pattern[str]
    not_me: re.Pattern[str]
    verbs: re.Pattern[str]
    acts: re.Pattern[str]
    tongue: re.Pattern[str]
    thing: re.Pattern[str]
    at_most: re.Pattern[str]
    elsewhere: re.Pattern[str]


_TONGUE = (
    r"(?:in|på|auf) (?:norwegian|english|german|danish|swedish|norsk|engelsk|tysk|bokmål|nynorsk|deutsch"
    r"|englisch|norwegisch|bullet points|plain \w+|stichpunkten|stichworten|punktlister?)\b"
)
_ELSEWHERE = (
    r"\bcall me (?:when|if|at|before|after|back|on|tomorrow|tonight|later|again|as soon)\b"
    r"|\banswer (?:the|your|her|his|their) (?:phone|door|bell|mail|letter)|\breply all\b"
    r"|\b(?:the phone|the door|telefon\w*|døra|tür)\b"
)


_FIRST = (
    r"(?:first|zuerst|først) (?:the |die |das |de )?"
    r"(?:numbers|result|answer|tallene|svaret|zahlen|ergebnis|antwort)\b"
)
_UNITS = "lines?|sentences?|words?|paragraphs?|linjer?|setninger|ord|zeilen|sätze|wörter|worte"


@lru_cache(maxsize=3)
def _wishing(name: str) -> _Wishing:
    language = LANGUAGES[name]
    sure = "|".join(language.sure.values())
    ends = "" if name != "de" else "|"

    def flat(pattern: str) -> re.Pattern[str]:
        return re.compile(pattern, re.IGNORECASE)

    verbs = rf"^(?:{language.verbs})\b" + (rf"|\b(?:{language.verbs})$" if ends else "")
    acts = rf"^(?:{language.acts})\b" + (rf"|\b(?:{language.acts})$" if ends else "")
    return _Wishing(
        flat(rf"\b(?:{language.lasting})\b"),
        flat(rf"^(?:{language.wanted})\b"),
        flat(
            r"(?:i(?:'d| would)? (?:want|like|need|prefer)|jeg (?:vil|ønsker).*(?:ha|alltid)"
            r"|ich (?:will|möchte|hätte.*))$"
        ),
        flat(rf"^{language.head}"),
        flat(rf"{language.tail}$"),
        flat(rf"^(?:{language.never})\b"),
        flat(r"(?:can|could|would|will) you|kan du|kunne du|vil du|kannst du|könntest du|würdest du"),
        flat(rf"^(?:{language.not_me})"),
        flat(verbs),
        flat(acts),
        flat(rf"^{_TONGUE}"),
        flat(
            rf"^(?:{_FIRST}|(?:{language.articles})?(?:{sure})\b|(?:{MANY})\b"
            rf"|(?:{language.short}) (?:{language.answer})\b)"
        ),
        flat(
            rf"^(?:no more than|at most|max(?:imum)?|maks|høyst|ikke mer enn|höchstens|maximal|nicht mehr als) "
            rf"(?:\w+ ){{1,2}}(?:{sure}|{_UNITS})\b"
        ),
        flat(_ELSEWHERE),
    )


def fit(kind: str, type: str, text: str) -> Found | None:
    """What was found, where its text is one that a directive may have."""
    text = collapsed(text.strip(" ,.;:!?"))
    if (used := _USED.match(text)) is not None and names_one(text[used.end() :]):
        text = text[used.end() :]  # `use emojis` and `emojis` are one wish
    return None if problem(text) else (kind, type, text)


def gerund(phrase: str, language: Language) -> str:
    """An imperative as what is done: `use emojis` -> `using emojis`, where the language has that form."""
    first, blank, rest = phrase.partition(" ")
    return language.gerunds.get(first.lower(), first) + blank + rest


def is_lasting(text: str) -> bool:
    """Whether a text wishes for something from now on; `always` and `never` are said of habits, too."""
    return any(
        mark.group().lower() not in _HABITS for name in LANGUAGES for mark in _wishing(name).lasting.finditer(text)
    )


_HABITS = frozenset(
    (
        "always",
        "never",
        "every time",
        "each time",
        "as a rule",
        "alltid",
        "aldri",
        "hver gang",
        "som regel",
        "immer",
        "nie",
        "niemals",
        "jedes mal",
        "stets",
    )
)
