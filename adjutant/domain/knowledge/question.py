"""DOMAIN. A question in everyday words: which words must be found, how much each counts, what answer it wants."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from adjutant.domain.knowledge.lexicon import Lexicon, tokens

LIGHT, STATE, VERB = 0.25, 0.5, 0.4  # weight of an asking word, of one that names a state, of a verb; 1 for others
RELATED, COMPOUND = 0.7, 0.6  # how well a word of the same state, synonym or compound matches; 1 is the same stem
STEM_START = 2  # words of one stem share at least so many first letters
MAX_TERMS = 40

def _words(*texts: str) -> frozenset[str]:
    return frozenset(word for text in texts for word in text.split())


WANTS: Mapping[str, frozenset[str]] = {
    "date": _words(
        "when date day deadline due time", "når dato dag frist tid klokka", "wann datum tag fällig uhr uhrzeit"),
    "person": _words("who whom whose", "hvem", "wer wem wen wessen"),
    "number": _words(
        "much many long often old far big high price cost costs fee number phone amount total",
        "mye mange lenge ofte gammelt koster pris nummer telefon beløp",
        "viel viele wieviel lange oft kostet preis betrag nummer summe"),
}
# Verbs and nouns of asking: they say which attribute is wanted, and a text that answers seldom repeats them.
ASKING = WANTS["number"] | _words(
    "happen happens happened happening tell know find give show mean means say says said think believe want wants",
    "wanted anything something someone somebody anyone everything responsible supposed scheduled planned planning",
    "expected take place places name names address email pay kind exactly currently info information detail details",
    "question answer agreed decided",
    "skjer skjedde si sier sa vet vite fortell fortelle vis finne finnes noe noen ansvarlig planlagt navn adresse",
    "epost kosta hvilken hvilket hvilke avtalt bestemt egentlig har",
    "passiert passierte sagen sagt weiß wissen zeig zeige finden gibt etwas jemand verantwortlich zuständig geplant",
    "name kosten wieso vereinbart beschlossen eigentlich hat",
)
STOP = _words(
    "who whom whose what which when where why how please there any", "hvem hva hvor hvorfor når hvordan hvis er det",
    "wer wem wen wessen was wann wo wohin woher wie warum welche welcher welches bitte gibt ist",
)
# The word after one of these is the verb in all three languages; English puts it last after do, does, did, will.
VERB_FOLLOWS = _words("who", "hvem hva når hvor", "wer was wann wo wem wen")
HELPERS = _words("do does did will can should must")
BEFORE_NOUNS = _words("the a an of for to in on at by with from my our your his her their its this that and or")
# Words that stand for one another when a question meets a text, over the three languages.
SYNONYMS = tuple(_words(group) for group in (
    "price cost costs costing fee fees pris koster kostnad preis kostet kosten gebühr honorar",
    "phone telephone tel mobile telefon mobil handy tlf", "email mail epost", "address street adresse gate vei straße",
    "deadline due frist fällig expires forfall forfaller stichtag", "doctor dr lege legen arzt ärztin",
    "owner responsible ansvarlig verantwortlich zuständig",
    "begin begins start starts starter beginnt beginner opens",
    "end ends finish finishes slutter endet", "appointment termin", "pay paid pays betalt betaler bezahlt",
    "send sent sends sende sendt geschickt schickt", "buy bought kjøpt kjøpe gekauft kaufen",
    "meet meets met meeting møte treffen", "write wrote written", "take takes took taken", "hold holds held",
    "speak spoke talk talked", "build builds built", "lend lent borrow borrowed lånt geliehen",
    "sell sold solgt verkauft",
    "choose chose chosen valgt gewählt", "break broke broken", "lose lost", "run ran", "see saw seen",
    "give gave given",
    "todo open unfinished remaining left åpen åpne åpent gjenstår igjen offen offene",
))


class Term(NamedTuple):
    """One word to be found: `weight` before rarity; `state` if it names one (gap, waiting); `name`: a proper name."""

    text: str
    weight: float
    state: str
    name: bool


class Question(NamedTuple):
    """`wants` holds date, person, number. `german`: nouns are written like names there."""

    terms: tuple[Term, ...]
    wants: frozenset[str]
    compounds: bool


def understand(text: str, lexicon: Lexicon, *, known: str = "") -> Question:
    """The question's terms, function words left out. Words of `known` (the knowledge base's own name) count little."""
    found = tokens(text)
    spoken = _languages([token.text for token in found], lexicon)
    home = {token.text for token in tokens(known.replace("-", " ").replace("_", " "))}
    verbs = _verbs([token.text for token in found])
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
    words = {token.text for token in found}
    wants = frozenset(kind for kind, listed in WANTS.items() if words & listed)
    return Question(tuple(terms.values())[:MAX_TERMS], wants, spoken != ["en"])


def names_a_state(text: str, lexicon: Lexicon) -> bool:
    """Whether a question asks for what is missing, overdue, blocked, waited for, ..."""
    return any(term.state for term in understand(text, lexicon).terms)


def matching(question: Question, vocabulary: Iterable[str], lexicon: Lexicon) -> dict[str, dict[int, float]]:
    """{word of the knowledge base: {number of a term: how well it matches, 0 to 1}}."""
    by_start: dict[str, list[str]] = {}
    listed = list(vocabulary)
    for word in listed:
        by_start.setdefault(word[:STEM_START], []).append(word)
    found: dict[str, dict[int, float]] = {}
    for number, term in enumerate(question.terms):
        stems = _stems(term.text, lexicon)
        for word in by_start.get(term.text[:STEM_START], ()):
            if word == term.text or any(_stem_equal(word, stem, name, lexicon) for name, stem in stems):
                found.setdefault(word, {})[number] = 1.0
        for word in listed if question.compounds and len(term.text) >= 5 else ():
            if _compound(term.text, word, stems):
                found.setdefault(word, {}).setdefault(number, COMPOUND)
        for word in _related(term, lexicon):
            if word in by_start.get(word[:STEM_START], ()):
                found.setdefault(word, {}).setdefault(number, RELATED)
        if term.state:
            for word in listed:
                if number not in found.get(word, {}) and _state(word, lexicon, list(lexicon.languages)) == term.state:
                    found.setdefault(word, {})[number] = RELATED
    return found


def dated_words(lexicon: Lexicon) -> frozenset[str]:
    """Names of months and weekdays, and words like `tomorrow`, of all languages."""
    return frozenset(
        word for language in lexicon.languages.values() for group in ("months", "weekdays", "relative")
        for word in language.dates.get(group, {}) if " " not in word and len(word) > 2)


DIGITS_OF_A_DATE = re.compile(r"\d{4}-\d\d|\b\d{1,2}[./]\d{1,2}\b|\b\d{1,2}[:.]\d\d\b|\b\d{1,2}(?:st|nd|rd|th)\b")
CAPITAL = re.compile(r"\b[A-ZÆØÅÄÖÜ][a-zæøåäöüß]+")
GAP = re.compile(r"(?:^|[,|:;])\s*\?(?=\s*(?:[,|;]|$))|_{3,}|\bTBD\b|\btba\b|\bn/a\b", re.I)


def gives(line: str, wanted: frozenset[str], lexicon: Lexicon, dated: frozenset[str]) -> bool:
    """Whether a line holds the kind of answer that is wanted: a date, a name, a number."""
    if "date" in wanted and (DIGITS_OF_A_DATE.search(line) or any(t.text in dated for t in tokens(line))):
        return True
    if "number" in wanted and any(c.isdigit() for c in line):
        return True
    return "person" in wanted and any(
        not any(lexicon.is_generic(word, name) for name in lexicon.languages)
        for word in (match.group().lower() for match in CAPITAL.finditer(line)))


def _verbs(words: list[str]) -> set[int]:
    """Where the verb stands, by the order of a question: who WAITS for ..., hvor SOVER ..., when does it EXPIRE."""
    found = {n + 1 for n, word in enumerate(words) if word in VERB_FOLLOWS}
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


def _stem_equal(word: str, stem: str, language: str, lexicon: Lexicon) -> bool:
    return len(stem) > 2 and word.startswith(stem[:-1]) and lexicon.stem(word, language) == stem


def _compound(term: str, word: str, stems: list[tuple[str, str]]) -> bool:
    """One is the first or last part of the other: Kesselwartung and Wartung, forsikringspremie and forsikring."""
    if len(word) < 5 or word == term:
        return False
    parts = {stem for _, stem in stems if len(stem) >= 5}
    return any(word.startswith(part) or part in word[3:] for part in parts) or term.startswith(word) or (
        term.endswith(word))


def _related(term: Term, lexicon: Lexicon) -> list[str]:
    return [word for group in SYNONYMS if term.text in group for word in group if word != term.text]
