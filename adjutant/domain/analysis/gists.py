"""DOMAIN. The gist of what was said: stems that tell, values, names, what is set against what, whether it denies.

Two ways to say the same share most of it. Whatever could make another matter of it is kept apart: figures, days, names,
a "not" that denies, and which side of "Berg, not Hansen" is the right one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from adjutant.language.detect import language_of
from adjutant.language.likeness import fold
from adjutant.language.pack import cached, entry, listed, packs
from adjutant.language.patterns import either, regex
from adjutant.language.stems import stem

FILE = "gists"
_TOKEN = re.compile(
    r"(?P<word>\d{1,3}(?:[ \u00a0.,']\d{3})+(?![\d.,:]?\d)"
    r"|[^\W_]+(?:[._/@:+-][^\W_]+)*(?:['’][^\W_]+)?)"
    r"|(?P<stop>[,;:()–—!?]|\.(?=\s)|(?<!\w)-(?!\w))"
)
_WHOLE = re.compile(r"\d{1,3}(?:[ \u00a0.,']\d{3})+")
_CLOCK = re.compile(r"(\d{1,2})[.:](\d\d)(?!\d)")
_PARTS = re.compile(r"[._/@:+'’-]")
_LEAVES = r"\b{leaves}\b[^.;]{1,40}?\b{away}\b"
_MORE_WORDS = re.compile(r"[^\W_]+\W+[^\W_]+")


class Gist(NamedTuple):
    """`telling`: stems of what it is about, values and names among them; `light`: stems of everyday words beside them.
    `values`: figures and days of the right side; `wrong`: stems of what is set against it ("not Hansen").
    `denies`: whether it says not to. `capital`: telling stems written with a capital within a sentence. `order`: the
    telling stems of the right side as they stand; `point`: the one it comes to, the last or the one before "not …".
    `sides`: of which matters it names which side ("the start of", "the end of")."""

    telling: frozenset[str]
    light: frozenset[str]
    values: frozenset[str]
    wrong: frozenset[str]
    denies: bool
    capital: frozenset[str]
    order: tuple[str, ...] = ()
    point: str = ""
    sides: frozenset[tuple[str, int]] = frozenset()


@cached(1)
def _instead() -> tuple[tuple[str, ...], ...]:
    """Phrases that set what follows against what was said."""
    return tuple(tuple(phrase.split()) for phrase in sorted(listed(FILE, "instead")))


@cached(1)
def _may_oppose() -> frozenset[str]:
    return listed(FILE, "not").union(phrase[0] for phrase in _instead())


class _Word(NamedTuple):
    text: str  # small letters
    written: str
    first: bool  # of the text


def opened(sentence: str) -> str:
    """A sentence without what only says that it corrects: "No, that's wrong: invoices go to Berg" -> "invoices go …".

    It is a part of the sentence as it stands; the whole where nothing but that is said.
    """
    match = _openers().match(sentence)
    rest = sentence[match.end() :] if match else sentence
    return rest if _MORE_WORDS.search(rest) else sentence


@cached(1)
def _openers() -> re.Pattern[str]:
    mark = r"(?![^\W_])[\s,.:;!–—-]*"
    return re.compile(rf"(?:{either(FILE, 'openers')}{mark})+(?:{either(FILE, 'that')}\s+)?", re.IGNORECASE)


@cached(16384)
def gist(text: str, language: str = "") -> Gist:
    """The gist of a sentence. `language`: in which it is read where its words do not tell (en, nb, de)."""
    tongue = language_of(text, language)
    clauses, wrong, at = _clauses(text)
    read = [_Read(clause, tongue) for clause in clauses]
    main = next((each for each in read if each.telling), None)
    denies = main is not None and main.denies
    # "They do not run at midnight, they run at 02:00": what is denied is only set against what is right.
    if (
        denies
        and main is not None
        and any(not each.denies and (each.values or each.capital or each.telling > main.telling) for each in read)
    ):
        denies = False
    right = [each for each in read if denies or not each.denies or each is main]
    set_against = set(_Read(wrong, tongue).telling)
    if not denies:
        set_against |= {
            stem
            for each in read
            if each.denies
            for stem in (each.values | each.capital if each is main else each.telling)
        }
        set_against -= {stem for each in right if not each.denies for stem in each.telling}
    telling = {stem for each in read for stem in each.telling} | set_against
    order = [stem for each in right for stem in each.order if stem not in set_against]
    before = read[at].order if wrong else ()
    return Gist(
        frozenset(telling),
        frozenset(stem for each in read for stem in each.light),
        frozenset(value for each in right for value in each.values if value not in set_against),
        frozenset(set_against),
        denies or regex(FILE, _LEAVES, flags=re.IGNORECASE).search(text) is not None,
        frozenset(stem for each in (*read, _Read(wrong, tongue)) for stem in each.capital),
        tuple(order),
        (before or order or [""])[-1],
        frozenset(side for each in right for side in each.sides),
    )


def joined(gists: Iterable[Gist]) -> Gist:
    """The gist of several sentences; they deny where the first that tells anything does."""
    found = [each for each in gists if each.telling]
    denies = bool(found) and found[0].denies
    main = [each for each in found if each.denies == denies]
    right = {stem for each in main for stem in each.telling - each.wrong}
    wrong = {stem for each in found for stem in (each.wrong if each in main else each.telling)} - right
    contrasted = [each.point for each in main if each.wrong and each.point]
    return Gist(
        frozenset(right | wrong),
        frozenset(stem for each in found for stem in each.light),
        frozenset(value for each in main for value in each.values),
        frozenset(wrong),
        denies,
        frozenset(stem for each in found for stem in each.capital),
        tuple(stem for each in main for stem in each.order),
        next((point for point in (*contrasted, *(each.point for each in main)) if point), ""),
        frozenset(side for each in main for side in each.sides),
    )


class _Read:
    """The words of a clause, read in a language."""

    def __init__(self, words: Sequence[_Word], language: str) -> None:
        self.telling, self.light, self.values = set[str](), set[str](), set[str]()
        self.capital, self.order = set[str](), list[str]()
        self.sides = set[tuple[str, int]]()
        denying = listed(FILE, "not") | listed(FILE, "denying")
        capitals = "yes" not in listed("words", "capital_nouns", language or "en")
        self.denies = any(word.text in denying or word.text.endswith("n't") for word in words)
        for word in words:
            telling, light, values = _stems(word, language)
            self.order += sorted(telling - self.telling)
            self.sides |= _sides(word.text, language)
            self.telling |= telling
            self.light |= light
            self.values |= values
            if capitals and not word.first and word.written[:1].isupper():
                self.capital |= telling - values


def _clauses(text: str) -> tuple[list[list[_Word]], list[_Word], int]:
    """(the words of each clause, the words that are set against others, in which clause these are)."""
    tokens = list(_tokens(text))
    clauses: list[list[_Word]] = [[]]
    wrong: list[_Word] = []
    at = where = 0
    while at < len(tokens):
        word = tokens[at]
        if taken := _against(tokens, at):
            at += taken
            where = len(clauses) - 1 if clauses[-1] or len(clauses) == 1 else len(clauses) - 2
            while at < len(tokens) and (found := tokens[at]) is not None and found.text not in listed(FILE, "but"):
                wrong.append(found)
                at += 1
            continue
        if word is None:
            clauses.append([])
        else:
            clauses[-1].append(word)
        at += 1
    return clauses, wrong, where


def _against(tokens: list[_Word | None], at: int) -> int:
    """How many words set what follows against what was said: 0 where none do. A denying "not" follows a verb."""
    word = tokens[at]
    if word is None or not (word.text in _may_oppose() or word.text.endswith("n't")):
        return 0
    rest = tuple(each.text if each else "" for each in tokens[at : at + 3])
    for phrase in _instead():
        if rest[: len(phrase)] == phrase:
            return len(phrase)
    if word.text.endswith("n't"):
        return int(word.text in listed(FILE, "is_not"))
    return int(word.text not in listed(FILE, "never") and _sets_against(tokens, at))


def _sets_against(tokens: list[_Word | None], at: int) -> bool:
    """Whether a "not" names what is wrong ("Berg, not Hansen"); else it denies what is done."""
    following = tokens[at + 1] if at + 1 < len(tokens) else None
    denies = following is not None and following.text in listed(FILE, "act")
    if not at:  # "Not Nilsen!", "not the shelf, the drive"; "not start it" is an order
        named = following is not None and (following.written[0].isupper() or following.written[0].isdigit())
        return not denies and (named or any(each is None or each.text in listed(FILE, "but") for each in tokens[1:-1]))
    before = tokens[at - 1]
    if before is None:
        return True
    if before.text in listed(FILE, "joins"):
        return not denies
    return any(each is not None and each.text in listed(FILE, "but") for each in tokens[at + 1 : at + 6])


def _tokens(text: str) -> Iterator[_Word | None]:
    """The words of a text; None where a clause ends."""
    first = True
    for match in _TOKEN.finditer(text.replace("’", "'")):
        if match["stop"]:
            yield None
            continue
        written = match["word"]
        head, apostrophe, tail = written.partition("'")
        if apostrophe and tail.lower() in listed(FILE, "apostrophes"):
            written = head
        yield _Word(written.lower(), written, first)
        first = False


@cached(32768)
def _stems(word: _Word, language: str) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """(telling stems, stems of an everyday word, values) of a word; none for a word that only joins others."""
    nothing = frozenset[str]()
    if value := _value(word, language):
        return frozenset((value,)), nothing, frozenset((value,))
    text = word.text
    if text in listed(FILE, "said_of_all") or text in listed("words", "stop", language or "en"):
        return nothing, nothing, nothing
    if len(text) < 2 or text.endswith("n't"):
        return nothing, nothing, nothing
    if _PARTS.search(text):
        parts = [_stems(_Word(part, part, word.first), language) for part in _PARTS.split(text) if len(part) > 1]
        telling, light, values = (nothing.union(*(each[of] for each in parts)) for of in range(3))
        return telling, light, values
    stems = frozenset((_stem(text, language),))
    named = (
        not word.first and word.written[0].isupper() and "yes" not in listed("words", "capital_nouns", language or "en")
    )
    everyday = text in listed(FILE, "units") or (stems <= _everyday(language) and not named)
    return (nothing, stems, nothing) if everyday else (stems, nothing, nothing)


def _sides(word: str, language: str) -> frozenset[tuple[str, int]]:
    return _by_side().get(_folded(word, language)) or _by_side().get(word, frozenset())


@cached(1)
def _by_side() -> dict[str, frozenset[tuple[str, int]]]:
    """{word or stem: (which pair, which side of it)}."""
    found: dict[str, set[tuple[str, int]]] = {}
    for pack in packs().values():
        for name, pair in dict(entry(pack, FILE, "sides")).items():
            for side, words in enumerate(pair):
                for word in words.split():
                    for form in (word, *(_folded(word, language) for language in packs())):
                        found.setdefault(form, set()).add((name, side))
    return {word: frozenset(sides) for word, sides in found.items()}


def _value(word: _Word, language: str) -> str:
    """A figure, hour or day in one form: "9.15" and "9:15", "forty" and "40", "torsdag" and "Thursday"."""
    text = word.text
    if number := _numbers(language or "en").get(text):
        return number
    if text[0].isdigit() or (any(char.isdigit() for char in text) and not text.isalpha()):
        if _WHOLE.fullmatch(text):
            return re.sub(r"\D", "", text)
        if clock := _CLOCK.fullmatch(text):
            return f"{int(clock[1])}:{clock[2]}"
        if ordinal := re.fullmatch(rf"(\d+)(?:{either('dates', 'ordinal_endings')}|\.)", text):
            return ordinal[1]
        return str(int(text)) if text.isascii() and text.isdigit() and len(text) < 12 else text
    days = _days()
    for end in ("", *listed(FILE, "day_ends")):
        bare = text.removesuffix(end)
        if bare in days and (days[bare] not in listed(FILE, "capital_months") or word.written[0].isupper()):
            return days[bare]
    return ""


@cached(16)
def _numbers(language: str) -> dict[str, str]:
    return dict(entry(packs()[language], FILE, "numbers")) if language in packs() else {}


@cached(1)
def _days() -> dict[str, str]:
    """{month, or whole name of a weekday, in any language: its longest English name}."""
    found: dict[str, str] = {}
    for key, least in (("months", 3), ("weekdays", 6)):  # shorter names of days are other words
        names = {code: dict(entry(pack, "dates", key)) for code, pack in packs().items()}
        english = {number: name for name, number in sorted(names["en"].items(), key=lambda item: len(item[0]))}
        every = [item for known in names.values() for item in known.items()]
        found.update({name: english[number] for name, number in every if len(name) >= least})
    return found


def _stem(word: str, language: str) -> str:
    """The folded stem of a word, the same for words that are forms of one ("bought", "buys")."""
    found = _folded(word, language)
    return _forms().get(found, found) if language in ("", "en") else found


def _folded(word: str, language: str) -> str:
    return fold(stem(word, language))


@cached(1)
def _forms() -> dict[str, str]:
    """{English stem: the one that stands for all forms}."""
    groups = [line.split() for line in listed("words", "forms", "en")]
    return {_folded(word, "en"): _folded(min(group), "en") for group in groups for word in group}


@cached(16)
def _everyday(language: str) -> frozenset[str]:
    """The stems of the words that any message may hold."""
    said = listed("words", "everyday", language or "en").union(_days())
    return frozenset(_stem(word, language) for word in said)
