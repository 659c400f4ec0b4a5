"""The word lists of all languages, compiled: tokens, cues, stems, and which languages a text is written in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

import msgspec
import yaml

from adjutant.errors import FileDamaged
from adjutant.store import marked_yaml, package, snowball
from adjutant.store.files import Files

_NEGATED = re.compile(r"(\w+)n t\b")
TOKEN = re.compile(r"[^\W\d_][^\W_]*(?:[-'’][^\W\d_]+)*|\d+\.x\b|\d+(?:[.,:]\d+)*[^\W_]*|_{3,}|[?!.;:,()\[\]–—|/%+]")
MIN_PREFIX, MAX_AFFIX = 3, 18
LISTS = "lists.json"
MAX_LIST = 1024 * 1024
HEAD_KINDS = ("example", "template", "past", "someday")


class Token(NamedTuple):
    """A word of a text and where it begins."""

    text: str  # lower case; "n't" is split off as "not"
    start: int


class Cue(NamedTuple):
    """A listed word or phrase found at tokens [first, end)."""

    first: int
    end: int
    group: str  # good, expected, bad, neg, subject, concede, hypothetical, ...
    kind: str  # of bad: failing, blocked, ...; else ""
    weight: float


class Phrases(msgspec.Struct):
    """Phrases of one language, looked up by first word: exactly, by prefix (`word*`) or by suffix (`*word`)."""

    exact: dict[str, list[tuple[tuple[str, ...], str, str, float]]] = msgspec.field(default_factory=dict)
    prefix: dict[str, list[tuple[tuple[str, ...], str, str, float]]] = msgspec.field(default_factory=dict)
    suffix: dict[str, list[tuple[tuple[str, ...], str, str, float]]] = msgspec.field(default_factory=dict)
    _seen: dict[str, list[tuple[tuple[str, ...], str, str, float]]] = msgspec.field(default_factory=dict)

    def add(self, phrase: str, group: str, kind: str = "", weight: float = 1.0) -> None:
        words = tuple(_unhyphenated(phrase).split())
        if not words:
            return
        head = words[0]
        entry = (words[1:], group, kind, weight)
        if head.startswith("*"):
            self.suffix.setdefault(head[1:], []).append(entry)
        elif head.endswith("*"):
            self.prefix.setdefault(head[:-1], []).append(entry)
        else:
            self.exact.setdefault(head, []).append(entry)

    def starting(self, word: str) -> list[tuple[tuple[str, ...], str, str, float]]:
        """Entries whose first word matches `word`; the longest phrase first."""
        known = self._seen.get(word)
        if known is None:
            known = list(self.exact.get(word, ()))
            for n in range(MIN_PREFIX, min(len(word), MAX_AFFIX) + 1):
                known += self.prefix.get(word[:n], ())
                if n < len(word):
                    known += self.suffix.get(word[-n:], ())
            known.sort(key=lambda entry: -len(entry[0]))
            if len(self._seen) > 200_000:
                self._seen.clear()
            self._seen[word] = known
        return known


class Language(msgspec.Struct):
    """One language's lists, ready to ask."""

    name: str
    backward: bool  # a negator may follow what it denies
    function: frozenset[str]
    cues: Phrases
    generic: Phrases
    fields: Phrases
    heads: Phrases
    keys: dict[str, frozenset[str]]
    status: dict[str, frozenset[str]]
    limits: dict[str, tuple[str, ...]]
    openers: tuple[tuple[str, ...], ...]
    dates: Mapping[str, Any]
    arrivals: frozenset[str]
    wanted: frozenset[str]
    got: frozenset[str]
    stemmer: Any


CORE_GROUPS = frozenset({"good", "bad", "expected", "negators", "subjects"})  # among these the longest phrase wins
PLAIN_GROUPS = (
    "good",
    "expected",
    "negators",
    "subjects",
    "concede",
    "hypothetical",
    "past",
    "trivial",
    "ongoing",
    "resolve_future",
    "due",
    "demand",
    "dated",
)


class Lexicon:
    """All languages at once. English is always read; the others where a text is written in them."""

    def __init__(self, languages: Sequence[Language]) -> None:
        self.languages = {language.name: language for language in languages}
        self._stems: dict[tuple[str, str], str] = {}
        self._stemming = Lock()  # a Snowball stemmer holds the word under work: one thread at a time

    def stem(self, word: str, language: str) -> str:
        """Snowball stem of a lower-case word; digits are kept as they are."""
        key = (language, word)
        known = self._stems.get(key)
        if known is None:
            if len(self._stems) > 200_000:
                self._stems.clear()
            with self._stemming:
                known = str(self.languages[language].stemmer.stemWord(word)) if len(word) < 60 else word
            self._stems[key] = known
        return known

    def detect(self, tokens: Iterable[Token], fallback: str = "en") -> str:
        """The language whose function words a text uses most; `fallback` where the text says too little."""
        counts = dict.fromkeys(self.languages, 0)
        for total, token in enumerate(tokens, start=1):
            for name, language in self.languages.items():
                if token.text in language.function:
                    counts[name] += 1
            if total >= 4000:
                break
        if not counts:
            return fallback
        best = max(counts, key=lambda name: (counts[name], name == fallback))
        if counts[best] < 3 or counts[best] <= counts.get(fallback, 0):
            return fallback
        return best

    def find(self, tokens: Sequence[Token], language: str) -> list[Cue]:
        """Cues in reading order, the longest phrase at each place; several groups may share one place."""
        found: list[Cue] = []
        lists = [self.languages[language].cues]
        foreign = language != "en" and "en" in self.languages
        if foreign:
            lists.append(self.languages["en"].cues)
        size = len(tokens)
        taken_bad = 0
        for index, token in enumerate(tokens):
            for nth, phrases in enumerate(lists):
                longest = 0
                for rest, group, kind, weight in phrases.starting(token.text):
                    length = 1 + len(rest)
                    if index + length > size or (length < longest and group in CORE_GROUPS):
                        continue
                    if rest and not _matches(tokens, index + 1, rest):
                        continue
                    if nth and (group not in ("good", "bad") or len(token.text) < 5):
                        continue  # in another language's text only long open-class English words count
                    if group not in CORE_GROUPS:
                        found.append(Cue(index, index + length, group, kind, weight))
                        continue
                    if index < taken_bad and length < 2:
                        continue
                    longest = max(longest, length)
                    found.append(Cue(index, index + length, group, kind, weight))
                    if length > 1:
                        taken_bad = max(taken_bad, index + length)
                if longest:
                    break
        return found

    def is_generic(self, word: str, language: str) -> bool:
        spoken = self.languages[language]
        if word in spoken.function or any(True for e in spoken.generic.starting(word) if not e[0]):
            return True
        english = self.languages.get("en")
        return english is not None and language != "en" and word in english.function

    def names_nothing(self, word: str, language: str) -> bool:
        """Whether a word tells no thing from another: it says how pressing one is ("overdue"), or nothing."""
        small = word.lower()
        return self.is_generic(small, language) or any(  # in any language: a title is often too short to tell which
            cue.group == "bad" for name in self.languages for cue in self.find(tokens(small), name)
        )

    def fields(self, word: str, language: str) -> frozenset[str]:
        """Fields of life a word belongs to (money, health, ...), the same names in every language."""
        return frozenset(entry[1] for entry in self.languages[language].fields.starting(word) if not entry[0])

    def head_kinds(self, tokens: Sequence[Token], language: str) -> frozenset[str]:
        """What a heading or file name says about what stands under it: example, template, past, someday."""
        kinds: set[str] = set()
        for name in {language, "en"} & set(self.languages):
            phrases = self.languages[name].heads
            for index, token in enumerate(tokens):
                for rest, group, _, _ in phrases.starting(token.text):
                    if not rest or _matches(tokens, index + 1, rest):
                        kinds.add(group)
        return frozenset(kinds)

    def arrivals(self, language: str) -> frozenset[str]:
        """Words by which a thing is told to come, be ready or be moved."""
        return self.languages[language].arrivals

    def role(self, key: str, language: str) -> frozenset[str]:
        """Roles of a column header or a record's key: due, owner, status, done, planned, now, max, min, log."""
        return _role(self, key.strip().lower(), language)

    def status_of(self, value: str, language: str) -> str:
        """ "done", "open" or "" for a short status value."""
        value = value.strip().strip(".!").lower()
        if not value:
            return ""
        for name in (language, "en"):
            spoken = self.languages.get(name)
            if spoken is None:
                continue
            head = re.split(r"[,;(]|\s\d|\s[–-]\s", value)[0].strip()
            for state in ("open", "done"):
                if value in spoken.status[state] or head in spoken.status[state]:
                    return state
        return ""


@lru_cache(maxsize=20_000)
def _role(lexicon: Lexicon, key: str, language: str) -> frozenset[str]:
    plain = re.sub(r"[_\-]+", " ", key)
    words = plain.split()
    roles: set[str] = set()
    for name in (language, "en"):
        spoken = lexicon.languages.get(name)
        if spoken is None:
            continue
        for role, listed in spoken.keys.items():
            if (
                key in listed
                or plain in listed
                or (role in ("max", "min") and words and (words[0] in listed or words[-1] in listed))
                or (role in ("due",) and len(words) > 1 and (words[-1] in listed or words[0] in listed))
            ):
                roles.add(role)
    return frozenset(roles)


def tokens(text: str) -> list[Token]:
    """Words, numbers and the punctuation that bounds clauses, lower-cased; "hasn't" gives "has", "not"."""
    found: list[Token] = []
    for match in TOKEN.finditer(text.lower()):
        word, start = match.group(), match.start()
        if len(word) < 3 or word.isalnum():
            found.append(Token(word, start))
        elif "n't" in word or "n’t" in word:
            stem = word[: word.index("n't" if "n't" in word else "n’t")]
            found.append(Token({"ca": "can", "wo": "will", "sha": "shall"}.get(stem, stem), start))
            found.append(Token("not", start))
        elif "-" in word:
            found += [Token(part, start) for part in word.split("-")]
        elif word.endswith(("'s", "’s")):
            found.append(Token(word[:-2], start))
        elif word.endswith(".x"):
            found.append(Token(word.replace(".", ""), start))
        else:
            found.append(Token(word, start))
    return found


def load(extra: Path | None = None) -> Lexicon:
    """The package's languages and, from `extra`, the operator's: a file of the same name replaces ours.

    Raises FileDamaged when a list cannot be read.
    """
    languages = {name: _compile(lists) for name, lists in _packaged().items()}
    if extra is not None and extra.is_dir():
        for path in extra.glob("*.yaml"):
            languages[path.name] = _language(path.name, path.read_text(encoding="utf-8"))
    return Lexicon([languages[name] for name in sorted(languages)])


def load_for(files: Files) -> Lexicon:
    """The languages of an instance: ours, and the operator's lists in prompts/words/, which are read with care.

    Raises FileDamaged with file and line, IoFailed.
    """
    own = [name for name in files.names(files.tree.words) if name.endswith(".yaml")]
    languages = {name: _compile(lists) for name, lists in _packaged().items() if name not in own}
    for name in own:
        path = files.tree.word_list(name)
        text, shown = files.text(path, MAX_LIST), files.tree.relative(path)
        try:
            marked_yaml.mapping(text.encode(), shown, max_depth=6)
        except marked_yaml.Broken as error:
            raise FileDamaged(str(error)) from error
        languages[name] = _language(shown, text)
    return Lexicon([languages[name] for name in sorted(languages)])


def _packaged() -> dict[str, Any]:
    """{file name: word lists} of ours: as JSON, made from the YAML beside it, which takes twenty times as long."""
    found: dict[str, Any] = msgspec.json.decode(package.read("words", LISTS))
    return found


def _language(name: str, text: str) -> Language:
    try:
        lists = yaml.load(text, Loader=getattr(yaml, "CBaseLoader", yaml.BaseLoader))
        return _compile(lists)
    except (yaml.YAMLError, KeyError, TypeError, AttributeError, ValueError) as error:
        what = f"`{error.args[0]}` is missing" if isinstance(error, KeyError) else str(error).split("\n")[0]
        raise FileDamaged(f"{name}:1: not a word list ({what})") from error


def _compile(lists: Mapping[str, Any]) -> Language:
    cues = Phrases()
    for group in PLAIN_GROUPS:
        for phrase in lists.get(group, ()):
            cues.add(phrase.lstrip("~"), group, "", 0.5 if phrase.startswith("~") else 1.0)
    for group, weight in (("bad", 1.0), ("weak", 0.4)):
        for kind, phrases in lists.get(group, {}).items():
            for phrase in phrases:
                cues.add(phrase, "bad", kind, weight)
    keys = {role: frozenset(words) for role, words in lists.get("keys", {}).items()}
    status = {state: frozenset(words) for state, words in lists.get("status", {}).items()}
    return Language(
        name=lists["language"],
        backward=lists.get("reach") == "both",
        function=frozenset(lists["function"]),
        cues=cues,
        generic=_phrases(lists.get("generic", ()), ""),
        fields=_grouped(lists.get("fields", {})),
        heads=_grouped(lists.get("heads", {})),
        keys=keys,
        status={"open": status.get("open", frozenset()), "done": status.get("done", frozenset())},
        limits={side: tuple(words) for side, words in lists.get("limits", {}).items()},
        openers=tuple(tuple(phrase.split()) for phrase in lists.get("openers", ())),
        dates=lists.get("dates", {}),
        arrivals=frozenset(lists.get("arrive", ())),
        wanted=frozenset(lists.get("wanted", ())),
        got=frozenset(lists.get("got", ())),
        stemmer=snowball.stemmer(lists["stemmer"]),
    )


def _unhyphenated(phrase: str) -> str:
    """A phrase in the form tokens() gives: hyphens are spaces, "doesn t" is "does not"."""
    plain = phrase.lower().replace("-", " ")
    plain = plain.replace("won t", "will not").replace("can t", "can not")
    return _NEGATED.sub(r"\1 not", plain) if "n t" in plain else plain


def _phrases(words: Iterable[str], group: str) -> Phrases:
    phrases = Phrases()
    for word in words:
        phrases.add(word, group)
    return phrases


def _grouped(groups: Mapping[str, Iterable[str]]) -> Phrases:
    phrases = Phrases()
    for group, words in groups.items():
        for word in words:
            phrases.add(word.strip("()"), group)
    return phrases


def _matches(found: Sequence[Token], at: int, rest: tuple[str, ...]) -> bool:
    if at + len(rest) > len(found):
        return False
    for offset, wanted in enumerate(rest):
        word = found[at + offset].text
        if wanted.endswith("*"):
            if not word.startswith(wanted[:-1]):
                return False
        elif word != wanted:
            return False
    return True
