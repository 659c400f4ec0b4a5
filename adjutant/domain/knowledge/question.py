"""DOMAIN. A question in everyday words: which words must be found, how much each counts, what answer it wants."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from adjutant.domain.knowledge.lexicon import Lexicon, tokens

LIGHT, STATE, VERB = 0.25, 0.5, 0.4  # weight of an asking word, of one that names a state, of a verb; 1 for others
RELATED, COMPOUND = 0.7, 0.6  # how well a word of the same state, synonym or compound matches; 1 is the same stem
STEM_START = 2  # words of one stem share at least so many first letters
FORMLESS, DATELESS = 0.4, 0.75  # what is left of a score when the kind of answer asked for is not there
MAX_TERMS = 40


def _words(*texts: str) -> frozenset[str]:
    return frozenset(word for text in texts for word in text.split())


WANTS: Mapping[str, frozenset[str]] = {
    "date": _words("when date day deadline due time når dato dag frist tid klokka wann datum tag uhr uhrzeit"),
    "person": _words("who whom whose", "hvem", "wer wem wen wessen"),
    "number": _words(
        "much many long often old far big high price cost costs fee number phone amount total",
        "mye mange lenge ofte gammelt koster pris nummer telefon beløp",
        "viel viele wieviel lange oft kostet preis betrag nummer summe",
    ),
}
DURATION = _words("long often old lenge ofte gammelt lange oft alt")  # a day may answer these; it is no amount
# Verbs and nouns of asking: they say which attribute is wanted, and a text that answers seldom repeats them.
ASKING = WANTS["number"] | _words(
    "happen happens happened happening tell know find give show mean means say says said think believe want wants",
    "wanted anything something someone somebody anyone everything responsible supposed scheduled planned planning",
    "expected take place places name names address email pay kind exactly currently info information detail details",
    "question answer agreed decided wrong matter level size colour color length width weight height age value rate",
    "skjer skjedde si sier sa vet vite fortell fortelle vis finne finnes noe noen ansvarlig planlagt navn adresse",
    "epost kosta galt hvilken hvilket hvilke avtalt bestemt egentlig har",
    "passiert passierte sagen sagt weiß wissen zeig zeige finden gibt etwas jemand verantwortlich zuständig geplant",
    "name kosten wieso vereinbart beschlossen eigentlich hat",
)
STOP = _words(
    "who whom whose what which when where why how please there any still yet now",
    "hvem hva hvor hvorfor når hvordan hvis er det enda ennå fortsatt nå",
    "wer wem wen wessen was wann wo wohin woher wie warum",
    "welche welcher welches bitte gibt ist noch schon denn mal bereits beim zum zur jetzt",
)
# The word after one of these is the verb in all three languages; English puts it last after do, does, did, will.
VERB_FOLLOWS = _words("who", "hvem hva når hvor", "wer was wann wo wem wen")
FOCUSING = _words("what which hva hvilken hvilket hvilke was welche welcher welches")
COUNTED = _words("many much mange mye viele viel wieviel")
HELPERS = _words("do does did will can should must")
BEFORE_NOUNS = _words("the a an of for to in on at by with from my our your his her their its this that and or")
# Words that stand for one another when a question meets a text, over the three languages.
SYNONYMS = tuple(
    _words(group)
    for group in (
        "price cost costs costing fee fees pris koster kostnad preis kostet kosten gebühr honorar",
        "phone telephone tel mobile telefon mobil handy tlf",
        "email mail epost",
        "address street adresse gate vei straße",
        "deadline due frist fällig expires forfall forfaller stichtag",
        "doctor dr lege legen arzt ärztin",
        "owner responsible ansvarlig verantwortlich zuständig",
        "begin begins start starts starter beginnt beginner opens",
        "end ends finish finishes slutter endet",
        "appointment termin",
        "pay paid pays betalt betaler bezahlt",
        "send sent sends sende sendt geschickt schickt",
        "buy bought kjøpt kjøpe gekauft kaufen",
        "meet meets met meeting møte treffen",
        "write wrote written",
        "take takes took taken",
        "hold holds held",
        "speak spoke talk talked",
        "build builds built",
        "lend lent borrow borrowed lånt geliehen",
        "sell sold solgt verkauft",
        "choose chose chosen valgt gewählt",
        "break broke broken",
        "lose lost",
        "run ran",
        "see saw seen",
        "give gave given",
        "todo open unfinished remaining left åpen åpne åpent gjenstår igjen offen offene",
    )
)


# An attribute that shows in a line by its form; a line without it is no answer.
FORMS: tuple[tuple[frozenset[str], re.Pattern[str]], ...] = (
    (
        _words("phone telephone mobile telefon telefonnummer mobilnummer handy handynummer tlf"),
        re.compile(r"\d[\d /-]{3,}\d"),
    ),
    (_words("address street adresse gateadresse anschrift straße"), re.compile(r"\d")),
    (_words("email e-mail mail epost e-post mailadresse epostadresse"), re.compile(r"@")),
)
FOLDED = str.maketrans({"å": "aa", "ø": "oe", "æ": "ae", "ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "é": "e"})


class Term(NamedTuple):
    """One word to be found: `weight` before rarity; `state` if it names one (gap, waiting); `name`: a proper name."""

    text: str
    weight: float
    state: str
    name: bool


class Question(NamedTuple):
    """`wants` holds date, person, number; `form` is what an answer must show. `focus`: the term that is asked for
    (which CHANNEL is the router on). `days`: (number of a term, pattern of the day it names). `compounds`: words are
    run together in the language; `names`: a capital marks a name in it.
    """

    terms: tuple[Term, ...]
    wants: frozenset[str]
    form: re.Pattern[str] | None
    focus: int | None
    days: tuple[tuple[int, re.Pattern[str]], ...]
    compounds: bool
    names: bool


def understand(text: str, lexicon: Lexicon, *, known: str = "") -> Question:
    """The question's terms, function words left out. Words of `known`, the knowledge base's own name, count little."""
    found = [token for token in tokens(text) if token.text]
    spoken = _languages([token.text for token in found], lexicon)
    home = {token.text for token in tokens(known.replace("-", " ").replace("_", " "))}
    verbs = _verbs([token.text for token in found])
    words = {token.text for token in found}
    terms: dict[str, Term] = {}
    for nth, token in enumerate(found):
        word = token.text
        function = word in STOP or any(word in lexicon.languages[name].function for name in spoken)
        if not word[0].isalnum() or function:
            continue
        state = _state(word, lexicon, spoken)
        asking = word in ASKING or word in home or any(lexicon.is_generic(word, name) for name in spoken)
        weight = STATE if state else LIGHT if asking else VERB if nth in verbs else 1.0
        capital = nth > 0 and text[token.start].isupper() and "de" not in spoken and weight == 1.0
        terms.setdefault(word, Term(word, weight, state, capital or (word.isdigit() and weight == 1.0)))
    days = _days(text, lexicon)
    kept = [term for term in terms.values() if not any(term.text in day.split() for day, _ in days)]
    kept = kept[:MAX_TERMS] + [Term(day, 1.0, "", True) for day, _ in days]
    return Question(
        tuple(kept),
        frozenset(
            kind for kind, listed in WANTS.items() if words & listed and not (kind == "number" and words & DURATION)
        ),
        next((form for listed, form in FORMS if words & listed), None),
        0 if words & FOCUSING and kept else None,
        tuple((len(kept) - len(days) + n, pattern) for n, (_, pattern) in enumerate(days)),
        spoken != ["en"],
        "de" not in spoken,
    )


def _days(text: str, lexicon: Lexicon) -> list[tuple[str, re.Pattern[str]]]:
    """(words, pattern) of each day a question names, as `18. januar` or `January 18`, however a text writes it."""
    months = {
        name: int(number)
        for language in lexicon.languages.values()
        for name, number in language.dates.get("months", {}).items()
    }
    any_month = "|".join(map(re.escape, sorted(months, key=len, reverse=True)))
    found = []
    named = rf"\b(\d{{1,2}})(?:st|nd|rd|th)?\.? (?:of )?({any_month})\b|\b({any_month}) (\d{{1,2}})\b"
    for match in re.finditer(named, " ".join(text.lower().split())):
        name, day = match[2] or match[3], int(match[1] or match[4])
        month = months[name]
        names = "|".join(re.escape(n) for n, number in months.items() if number == month)
        found.append(
            (
                f"{match[1] or match[4]} {name}",
                re.compile(
                    rf"(?<!\d)0?{day}[./]\s?0?{month}(?!\d)|-{month:02}-{day:02}(?!\d)"
                    rf"|(?<!\d)0?{day}(?:st|nd|rd|th)?\.?\s+(?:{names})|\b(?:{names})\.?\s+0?{day}(?!\d)",
                    re.I,
                ),
            )
        )
    return found


def names_a_state(text: str, lexicon: Lexicon) -> bool:
    """Whether a question asks for what is missing, overdue, blocked, waited for, ..."""
    return any(term.state for term in understand(text, lexicon).terms)


def matching(question: Question, vocabulary: Iterable[str], lexicon: Lexicon) -> dict[str, dict[int, float]]:
    """{word of the knowledge base: {number of a term: how well it matches, 0 to 1}}."""
    by_start: dict[str, list[str]] = {}
    listed = list(vocabulary)
    for word in listed:
        by_start.setdefault(_start(word), []).append(word)
    found: dict[str, dict[int, float]] = {}
    for number, term in enumerate(question.terms):
        stems = _stems(term.text, lexicon)
        for word in by_start.get(_start(term.text), ()):
            if word == term.text or any(_stem_equal(word, stem, name, lexicon) for name, stem in stems):
                found.setdefault(word, {})[number] = 1.0
        for word in listed if question.compounds and len(term.text) >= 5 else ():
            if _compound(term.text, word, stems):
                found.setdefault(word, {}).setdefault(number, COMPOUND)
        for word in _related(term, lexicon):
            if word in by_start.get(_start(word), ()):
                found.setdefault(word, {}).setdefault(number, RELATED)
        if term.state:
            for word in listed:
                if number not in found.get(word, {}) and _state(word, lexicon, list(lexicon.languages)) == term.state:
                    found.setdefault(word, {})[number] = RELATED
    return found


DIGITS_OF_A_DATE = re.compile(
    r"\d{4}-\d\d(?:-\d\d)?|\b(?:0?[1-9]|[12]\d|3[01])[./](?:0?[1-9]|1[0-2])\b"
    r"|\b\d{1,2}:\d\d\b|\b\d{1,2}(?:st|nd|rd|th)\b"
)
CAPITAL = re.compile(r"\b[A-ZÆØÅÄÖÜ][a-zæøåäöüß]+")
OWNER_COLUMNS = _words("owner who by name", "hvem ansvarlig", "wer zuständig verantwortlich")
DATE_COLUMNS = _words("due when date day week until", "når dato uke dag frist", "wann datum woche tag termin frist")
GAP = re.compile(r"(?:^|[,|:;])\s*\?(?=\s*(?:[,|;]|$))|_{3,}|\bTBD\b|\btba\b|\bn/a\b", re.I)


class Answers:
    """Knows which kind of answer a line holds."""

    def __init__(self, asked: Question, lexicon: Lexicon) -> None:
        self.asked, self.lexicon = asked, lexicon
        spoken = [language.dates for language in lexicon.languages.values()]
        self.dated = {
            word
            for dates in spoken
            for group in ("months", "weekdays", "relative")
            for word in dates.get(group, {})
            if " " not in word and len(word) > 2
        }
        months = "|".join(re.escape(month) for dates in spoken for month in dates.get("months", {}))
        self.days = re.compile(
            rf"\b\d{{1,2}}(?:st|nd|rd|th)?\.?\s+(?:{months})\b|\b(?:{months})\.?\s+\d{{1,2}}\b", re.I
        )
        self.numbers = {word for dates in spoken for word in dates.get("numbers", {}) if len(word) > 2}

    def fits(self, line: str, filled: Collection[str] = ()) -> bool:
        """Whether a line gives a date, a name or a number, as asked; `filled`: the names of its filled columns."""
        wanted = self.asked.wants
        roles = {role for column in filled for role in self.lexicon.role(column, "en") | {column.lower()}}
        if ("person" in wanted and roles & OWNER_COLUMNS) or ("date" in wanted and roles & DATE_COLUMNS):
            return True
        return (
            ("date" in wanted and self._date(line))
            or ("number" in wanted and self._number(line))
            or ("person" in wanted and self.asked.names and self._name(line))
        )

    def lacking(self, line: str, block: str) -> float:
        """What is left of a score: less when a date, an amount or a phone number is asked, and none is there."""
        if self.asked.form is not None:
            return 1.0 if self.asked.form.search(line) else FORMLESS
        if "number" in self.asked.wants and "person" not in self.asked.wants:
            return 1.0 if self._number(block) else FORMLESS
        return DATELESS if "date" in self.asked.wants and not self._date(block) else 1.0

    def _date(self, text: str) -> bool:
        return DIGITS_OF_A_DATE.search(text) is not None or any(token.text in self.dated for token in tokens(text))

    def _number(self, text: str) -> bool:
        digits = any(c.isdigit() for c in self.days.sub("", DIGITS_OF_A_DATE.sub("", text)))
        return digits or any(token.text in self.numbers for token in tokens(text))

    def _name(self, text: str) -> bool:
        return any(
            not any(self.lexicon.is_generic(word, name) for name in self.lexicon.languages)
            for word in (match.group().lower() for match in CAPITAL.finditer(text))
        )


def _verbs(words: list[str]) -> set[int]:
    """Where verbs stand in a question: who WAITS for, hvor SOVER, when does it EXPIRE; how many HOURS as well."""
    found = {n + 1 for n, word in enumerate(words) if word in VERB_FOLLOWS or word in COUNTED}
    inner = [n for n, word in enumerate(words) if word[0].isalnum()]
    if len(inner) > 3 and HELPERS & set(words) and words[inner[-2]] not in BEFORE_NOUNS:
        found.add(inner[-1])
    return found


def _languages(words: list[str], lexicon: Lexicon) -> list[str]:
    """The languages that know most of these words as function words; English when none does."""
    counts = {name: sum(word in spoken.function for word in words) for name, spoken in lexicon.languages.items()}
    best = max(counts.values(), default=0)
    return [name for name, count in counts.items() if count == best] if best else ["en"]


def _state(word: str, lexicon: Lexicon, names: list[str]) -> str:
    """The trouble a single word names in one of these languages (gap, waiting, overdue, ...), "" for none."""
    for name in names:
        for rest, group, kind, weight in lexicon.languages[name].cues.starting(word):
            if not rest and group == "bad" and weight >= 1.0:
                return kind
    return ""


def _stems(word: str, lexicon: Lexicon) -> list[tuple[str, str]]:
    return [(name, lexicon.stem(word, name)) for name in lexicon.languages]


def _start(word: str) -> str:
    return word.translate(FOLDED)[:STEM_START]


def _stem_equal(word: str, stem: str, language: str, lexicon: Lexicon) -> bool:
    """Also where one is spelled without its letters: laan.csv for lån."""
    plain = stem.translate(FOLDED)
    if len(stem) < 3 or not (word.startswith(stem[:-1]) or word.startswith(plain[:-1])):
        return False
    return lexicon.stem(word, language) in (stem, plain)


def _compound(term: str, word: str, stems: list[tuple[str, str]]) -> bool:
    """One is the first or last part of the other: Kesselwartung and Wartung, forsikringspremie and forsikring."""
    if len(word) < 5 or word == term:
        return False
    parts = {stem for _, stem in stems if len(stem) >= 5}
    return (
        any(word.startswith(part) or part in word[3:] for part in parts)
        or term.startswith(word)
        or (term.endswith(word))
    )


def _related(term: Term, lexicon: Lexicon) -> list[str]:
    """Synonyms, and the names of the same month or weekday: Friday, Fri, fredag, Freitag."""
    found = {word for group in SYNONYMS if term.text in group for word in group}
    for group in ("months", "weekdays"):
        named = [
            (word, number)
            for spoken in lexicon.languages.values()
            for word, number in spoken.dates.get(group, {}).items()
        ]
        numbers = {number for word, number in named if word == term.text}
        found |= {word for word, number in named if number in numbers}
    return sorted(found - {term.text})
