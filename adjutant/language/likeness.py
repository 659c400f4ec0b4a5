"""LANGUAGE. How alike two texts are: the same but for inflection, articles and the order of clauses.

A wrong "same" loses what a person said; a wrong "other" costs one more note. So whatever could make a difference does:
numbers, names, negation, tense, direction, symbols, and the order of words.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from itertools import product
from typing import NamedTuple

from adjutant.language.detect import language_of
from adjutant.language.pack import cached, entry, listed, packs
from adjutant.language.sentences import by_line
from adjutant.language.stems import stem
from adjutant.language.words import fold as fold  # part of this module's face
from adjutant.language.words import is_idle
from adjutant.language.words import words as words_of

_WRAPPING = "*_`\"'“”„‘’«»()[]{}"
_ENDS = ",;:.!?…"
_DASHES = frozenset("-–—·•")
_PLAIN = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")
_UMLAUTS = re.compile("[äöüßæøå]")
_ITEM = re.compile(r"(?m)^[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+(?:\[ \][ \t]+)?|^[ \t]*#{1,6}[ \t]+|^[ \t]*>[ \t]?")
_CHECKED = re.compile(r"\[[xX]\]")


class Word(NamedTuple):
    """A word as compared: lower case, and how it was written; `noun` where an article stands before it."""

    text: str
    written: str
    noun: bool


class Meaning(NamedTuple):
    """The words that count, in order; the places where a clause begins; the language, "" when none is told."""

    words: tuple[Word, ...]
    clauses: tuple[int, ...]
    language: str


class _Spoken(NamedTuple):
    """{word: what it is written out as}, {ending: the same}, and the words that come of it."""

    words: Mapping[str, str]
    endings: Mapping[str, str]
    made: frozenset[str]


def same(one: str, two: str) -> bool:
    """Whether the two say the same."""
    first, second = meaning(one), meaning(two)
    if len(first.words) != len(second.words) or not first.words:
        return False
    language = first.language or second.language
    pairs = (zip(ours, theirs, strict=True) for ours, theirs in product(_orders(first), _orders(second)))
    return any(all(_same_word(a, b, language) for a, b in each) for each in pairs)


def marks(text: str) -> tuple[str, ...]:
    """What a text that says the same holds somewhere once it is folded: a filter before any closer look."""
    words = [word.text for word in meaning(text).words]
    found = {fold(word)[:3] for word in words if len(word) > 3 and word.isalpha() and word not in _spell_out().made}
    numbers = {word for word in words if word.isascii() and word.isdigit()}
    return (*sorted(numbers, key=len, reverse=True), *sorted(found))  # what most texts lack comes first


def content(text: str) -> tuple[Word, ...]:
    """The words of a text that say what it is about."""
    found = meaning(text)
    small = packs()[found.language or "en"].stop
    return tuple(word for word in found.words if word.text not in small and any(map(str.isalnum, word.text)))


def holds(text: str, words: tuple[Word, ...]) -> bool:
    """Whether each of these words stands in a text, in whatever form and case."""
    found = meaning(text)
    return all(any(_same_word(_small(word), _small(other), found.language) for other in found.words) for word in words)


def _small(word: Word) -> Word:
    return Word(word.text.lower(), word.text.lower(), False)


@cached(2048)
def meaning(text: str) -> Meaning:
    """The words of a text that make what it says."""
    chunks = list(_chunks(unicodedata.normalize("NFKC", text).replace("’", "'")))
    language = language_of(text, "")
    dropped = listed("words", "idle", language or "en") if language else frozenset()
    determiners = listed("words", "determiners")
    words, clauses, before = list[Word](), list[int](), ""
    for chunk, ends in chunks:
        for part in _parts(chunk):
            lower = part.lower() if _PLAIN.fullmatch(part) else part
            if lower == "not" and words and words[-1].text in ("do", "does"):
                words.pop()
            if lower not in dropped or (len(part) == 2 and part.isupper()):
                words.append(Word(lower, part, before in determiners))
            before = lower
        if ends and words and (not clauses or clauses[-1] != len(words)):
            clauses.append(len(words))
    return Meaning(tuple(words), tuple(at for at in clauses if at < len(words)), language)


def _chunks(text: str) -> Iterator[tuple[str, bool]]:
    """(what stands between blanks, without quotes and stops; whether a clause ends there)."""
    for line in _ITEM.sub("", text).split("\n"):
        for raw in line.split():
            if raw in _DASHES:
                yield "", True
            elif _CHECKED.fullmatch(raw):
                yield raw.lower(), False
            else:
                core = raw.lstrip(_WRAPPING).rstrip(_WRAPPING + _ENDS)
                asks = raw.rstrip(_WRAPPING + "!.").endswith("?")
                yield core, not asks and raw.rstrip(_WRAPPING)[-1:] in tuple(_ENDS)
                if asks:
                    yield "?", True
        yield "", True


def _parts(chunk: str) -> Iterator[str]:
    """The words of a chunk; what is no plain word (a number, a flag, a path) stays whole and as it is written."""
    lower = chunk.lower()
    if not chunk:
        return
    if not _PLAIN.fullmatch(chunk):
        yield chunk
    elif lower in _spell_out().words:
        yield from _spell_out().words[lower].split()
    else:
        for part in chunk.split("-"):
            ending = next((each for each in _spell_out().endings if part.lower().endswith(each)), "")
            yield from part[: len(part) - len(ending)].split("'")
            yield from _spell_out().endings.get(ending, "").split()


def _orders(found: Meaning) -> Iterator[tuple[Word, ...]]:
    yield found.words
    if len(found.clauses) == 1:
        cut = found.clauses[0]
        yield found.words[cut:] + found.words[:cut]


def _same_word(one: Word, two: Word, language: str) -> bool:
    if one.text == two.text:
        return one.text not in listed("words", "acronyms") or one.written.isupper() == two.written.isupper()
    if not (one.text.isalpha() and two.text.isalpha()):
        return False
    if one.written[0].isupper() and two.written[0].isupper() and not (_is_day(one.text) and _is_day(two.text)):
        return False  # two names: Hans is not Han
    short, long = sorted((one, two), key=lambda word: len(word.text))
    if language in ("", "en"):
        return _english(short, long)
    marked = _UMLAUTS.findall(short.text) == _UMLAUTS.findall(long.text)  # schon is not schön
    return marked and len(short.text) > 2 and stem(short.text, language) == stem(long.text, language)


def _is_day(word: str) -> bool:
    days = listed("dates", "weekdays") | listed("dates", "weekend")
    return word in days or word.removesuffix("s") in days


def _english(short: Word, long: Word) -> bool:
    """Plurals and third persons; the -ing form, but not of a noun (`the building` is no form of `build`)."""
    a, b = short.text, long.text
    if len(a) < 3:
        return False
    if stem(a, "en") != stem(b, "en"):
        return False  # news are not new
    if b in (f"{a}s", f"{a}es") or (a.endswith("y") and b == f"{a[:-1]}ies"):
        return True
    noun = long.noun or short.noun or b in listed("words", "nouns_in_ing", "en")
    return not noun and b.endswith("ing") and b[:-3] in (a, a.removesuffix("e"), a + a[-1])


@cached(1)
def _spell_out() -> _Spoken:
    words, endings = dict[str, str](), dict[str, str]()
    for pack in packs().values():
        words.update(dict(entry(pack, "words", "contractions")) | dict(entry(pack, "words", "spelled")))
        words.update(dict.fromkeys(entry(pack, "words", "never"), entry(pack, "words", "not") or ""))
        endings.update(dict(entry(pack, "words", "contracted")))
    made = frozenset(" ".join((*words.values(), *endings.values())).split())
    return _Spoken(words, endings, made)


def is_negated(text: str) -> bool:
    """Whether a text denies anything, by the words of every language; "not only" denies nothing."""
    negators, idle, longest = _negations()
    said, at = tuple(words_of(text)), 0
    while at < len(said):
        phrases = [said[at : at + size] for size in range(longest, 0, -1)]
        skipped = next((len(phrase) for phrase in phrases if phrase in idle), 0)
        if not skipped and any(phrase in negators for phrase in phrases):
            return True
        at += skipped or 1
    return False


@cached(1)
def _negations() -> tuple[frozenset[tuple[str, ...]], frozenset[tuple[str, ...]], int]:
    lists = listed("words", "negators"), listed("words", "denies_nothing")
    negators, idle = (frozenset(tuple(words_of(phrase)) for phrase in each) for each in lists)
    return negators, idle, max(map(len, negators | idle), default=1)


# -- how near two rules are: one covers the other, both say the same, or one contradicts the other -----------------
COVERED = 0.8  # of an item's content stems, in one entry
LEAST = 3  # stems shared before two texts are held to be about the same
AGAIN = 0.6  # of all content stems of two lines, shared: the same said again
OPPOSED = 0.6  # of the stems of the longer rule: about the same, before the difference counts
_RUN = re.compile(r"[^\W_]+")
_NAME = re.compile(r"(?<=[a-zæøåäöü,;] )[A-ZÆØÅÄÖÜ][\w-]+")


class AgreementGist(NamedTuple):
    """What a text is about: `stems` of its words; among them the `values` (figures, weekdays), and the `telling` ones,
    without what is said of any matter. Whether it `denies`."""

    stems: frozenset[str]
    values: frozenset[str]
    telling: frozenset[str]
    denies: bool


@cached(8192)
def gist(text: str, language: str) -> AgreementGist:
    """The gist of a text read in a language (en, nb, de, "")."""
    words = [word.text.lower() for word in content(text)]
    values = frozenset(day for word in words if (day := _value(word)))
    plain = {word: stem(word, language) for word in words if not _value(word)}
    telling = frozenset(found for word, found in plain.items() if not is_idle(word))
    return AgreementGist(frozenset(plain.values()) | values, values, telling | values, is_negated(text))


def _value(word: str) -> str:
    """A figure as it stands, the number of a weekday, "" for any other word."""
    if any(char.isdigit() for char in word):
        return word
    days = _weekdays()
    return days.get(word, "") or days.get(word.removesuffix("s"), "")


@cached(1)
def _weekdays() -> Mapping[str, str]:
    every = [dict(entry(pack, "dates", "weekdays")) for pack in packs().values()]
    return {name: f"weekday {number}" for days in every for name, number in days.items() if len(name) > 5}


@cached(1)
def _opposites() -> Mapping[str, str]:
    pairs = [pair.split() for pair in listed("words", "opposites")]
    return {word: other for one, two in pairs for word, other in ((one, two), (two, one))}


def is_covered(item: str, entry: str) -> bool:
    """Whether an entry (title and text) says already what an item does."""
    if same(item, entry) or any(same(item, part) for part in by_line(entry)):
        return True
    language = common_language(item, entry)
    one, two = gist(item, language), gist(entry, language)
    shared = one.stems & two.stems
    if len(shared) < LEAST or len(shared) < COVERED * len(one.stems) or not one.values <= two.values:
        return False
    if _is_turned(item, entry) or is_of_another(item, entry):
        return False
    return one.denies == gist(_nearest(one, entry, language), language).denies


def again(one: str, two: str) -> bool:
    """Whether two lines say the same word for word, or by most of the content stems of both: same figures, same days,
    both denied or neither. What says the same in other words is not told by this."""
    if same(one, two):
        return True
    if not (is_covered(one, two) or is_covered(two, one)):
        return False
    language = common_language(one, two)
    first, second = gist(one, language), gist(two, language)
    shared, all_stems = len(first.stems & second.stems), len(first.stems | second.stems)
    return first.values == second.values and shared > 0 and shared >= AGAIN * all_stems


def contradicts(item: str, entry: str) -> bool:
    """Whether the first sentence of an item says otherwise what a sentence of an entry says."""
    if is_of_another(item, entry):
        return False
    language = common_language(item, entry)
    one = gist(next(by_line(item), ""), language)
    two = gist(_nearest(one, entry, language), language)
    shared, most = one.stems & two.stems, max(len(one.stems), len(two.stems))
    if one.denies != two.denies and len(shared) >= 2 and len(shared) >= OPPOSED * most:
        return True
    topic = shared - one.values - two.values
    if len(topic) < 2:
        return False
    fewer, plain = sorted((len(one.stems - one.values), len(two.stems - two.values)))
    if len(topic) < OPPOSED * plain:
        return False
    if one.values - two.values and two.values - one.values and len(topic) >= COVERED * fewer:
        return one.denies == two.denies
    return _is_turned(item, entry)


def is_of_another(item: str, entry: str) -> bool:
    """Whether the first sentence of an item says of another person or thing what a sentence of an entry says: they are
    the same word for word but for one, no figure or day, or each has a name that the other lacks."""
    language = common_language(item, entry)
    first = next(by_line(item), "")
    near = _nearest(gist(first, language), entry, language)
    if language != "de":  # where every noun is written so
        ours, theirs = _names(first), _names(near)
        if any(name not in entry for name in ours) and any(name not in item for name in theirs):
            return True
    one, two = ([word.text.lower() for word in content(text)] for text in (first, near))
    other = [pair for pair in zip(one, two, strict=False) if pair[0] != pair[1]]
    if len(one) != len(two) or len(other) != 1:
        return False
    told = [gist(word, language) for word in other[0]]
    opposed = not set(other[0]).isdisjoint(_opposites())
    return not opposed and told[0].stems != told[1].stems and all(each.telling and not each.values for each in told)


def _names(text: str) -> list[str]:
    return [name for name in _NAME.findall(text) if not _value(name.lower())]


def share(text: str, support: str) -> tuple[float, frozenset[str]]:
    """(how much of a text's content stems stand in its support, 0 to 1; the stems that do not)."""
    language = common_language(support, text)
    wanted = gist(text, language).stems
    missing = wanted - gist(support, language).stems
    return (1 - len(missing) / len(wanted) if wanted else 0.0), missing


def _nearest(one: AgreementGist, entry: str, language: str) -> str:
    parts = list(by_line(entry)) or [""]
    return max(parts, key=lambda part: (len((found := gist(part, language)).stems & one.stems), -len(found.stems)))


def _is_turned(one: str, two: str) -> bool:
    ours, theirs = (set(_RUN.findall(text.lower())) for text in (one, two))
    return any(_opposites()[word] in theirs - ours and word not in theirs for word in ours & _opposites().keys())


def common_language(one: str, two: str) -> str:
    """Both are read in one language: that of the first that tells one."""
    return language_of(one, "") or language_of(two, "")
