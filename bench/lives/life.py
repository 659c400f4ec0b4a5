"""Reads a life: its folder, how that changes, and the labels. README.md describes the files."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from datetime import date, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar
from unicodedata import normalize
from zoneinfo import ZoneInfo

import msgspec
import yaml

HERE = Path(__file__).resolve().parent
LEVELS = ("low", "medium", "high", "critical")
MONTHS = frozenset(("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"))
Tree = dict[str, str]  # path -> text
T = TypeVar("T")


class LifeError(ValueError):
    """A life that cannot be read: which file, and what is wrong with it."""


class Place(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A line that holds `has`, in a file of a knowledge base."""

    path: str
    has: str = ""
    kb: str = ""

    def line_in(self, tree: Mapping[str, str]) -> int | None:
        """The number of the first such line, from 1."""
        lines = lines_of(tree.get(self.path, ""))
        return next((number for number, line in enumerate(lines, 1) if self.has in line), None)


class Change(msgspec.Struct, forbid_unknown_fields=True):
    """An edit of the folder. `at`: local wall time, read by the life it belongs to."""

    at: Any
    op: Literal["write", "append", "delete", "replace"]
    path: str
    text: str = ""
    old: str = ""
    new: str = ""

    def apply(self, tree: Tree) -> None:
        """Edits the tree. Raises LifeError where it does not fit."""
        if self.op == "write":
            tree[self.path] = self.text
        elif self.op == "append":
            tree[self.path] = tree.get(self.path, "") + self.text
        elif self.path not in tree:
            raise LifeError(f"{self.path} is not there at {self.at}")
        elif self.op == "delete":
            del tree[self.path]
        elif self.old not in tree[self.path]:
            raise LifeError(f"{self.path} does not hold {self.old!r} at {self.at}")
        else:
            tree[self.path] = tree[self.path].replace(self.old, self.new, 1)


class Question(msgspec.Struct, forbid_unknown_fields=True):
    """What the person asks, patterns that an answer has to hold, and patterns that it must not."""

    id: str
    kind: Literal["agenda", "fact", "none"]
    ask: str
    at: Any = ""  # of a morning: that morning
    expect: list[str] = []
    never: list[str] = []
    where: str | list[str] = ""  # the places that answer, for people


class _Label(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    what: str
    evidence: list[Place]
    words: list[str] = []
    joined: list[Place] = []
    tell_from: Any = None
    tell_by: Any = None
    settled: Any = None
    start: Any = msgspec.field(default=None, name="from")
    until: Any = None
    news: list[Any] = []
    weight: int = 1


class _Issue(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    kb: str
    path: str
    has: str
    what: str
    severity: Literal["critical", "high", "medium", "low"]
    must: bool
    also: list[Place] = []


class _Fortnight(msgspec.Struct):
    timezone: str
    start: date
    days: int
    schedule: dict[str, dict[str, list[str]]]
    silent_days: list[date]
    heart: str
    kb: str = "vault"
    name: str = ""
    author: str = ""
    set: Literal["dev", "held-out"] = "dev"


class _Morning(msgspec.Struct):
    timezone: str
    now: Any
    heart: str
    name: str = ""
    author: str = ""
    set: Literal["dev", "held-out"] = "dev"


class Words:
    """Stems that must all stand in a line; `a|b` is either. A stem starts a word, in any case; numbers and words of up
    to three letters are whole (months are not)."""

    def __init__(self, entries: list[str]) -> None:
        self._tests = [re.compile("|".join(map(_stem, folded(each).split("|")))) for each in entries]

    def match(self, line: str) -> bool:
        """Whether the line holds them all."""
        line = folded(line)
        return all(test.search(line) for test in self._tests)


class Label(NamedTuple):
    """What has to be told (`must`) or may be: since when, until when it helps, and when it is settled."""

    id: str
    what: str
    must: bool
    words: Words
    places: tuple[Place, ...]
    joined: tuple[Place, ...]
    start: datetime | None
    by: datetime | None
    settled: datetime | None
    news: tuple[datetime, ...]
    weight: int

    @property
    def every(self) -> tuple[Place, ...]:
        """The places it stands at, the evidence first."""
        return self.places + self.joined

    @property
    def paths(self) -> frozenset[str]:
        """The files it stands in."""
        return frozenset(place.path for place in self.every)


class Issue(NamedTuple):
    """What a morning's folder holds: where (knowledge base, path, line), how grave, and whether it must be raised."""

    id: str
    what: str
    severity: str
    must: bool
    places: tuple[tuple[str, str, int], ...]


class Life:
    """What both kinds of lives have: a name, the hand that wrote it, a zone, a heart, and whether rules may see it."""

    folder: Path
    info: _Fortnight | _Morning

    @property
    def name(self) -> str:
        """The name of its folder."""
        return self.folder.name

    @property
    def author(self) -> str:
        """Whoever wrote it; itself where nobody is named."""
        return self.info.author or self.name

    @property
    def set(self) -> str:
        """dev or held-out."""
        return self.info.set

    @cached_property
    def zone(self) -> ZoneInfo:
        """Where the person lives."""
        return ZoneInfo(self.info.timezone)

    def time(self, value: object) -> datetime:
        """Local wall time: a datetime, a day (its midnight), or the ISO form of either."""
        if isinstance(value, date) and not isinstance(value, datetime):
            value = datetime(value.year, value.month, value.day)
        found = value if isinstance(value, datetime) else datetime.fromisoformat(str(value))
        return found.replace(tzinfo=self.zone) if found.tzinfo is None else found.astimezone(self.zone)

    def _time(self, value: object) -> datetime | None:
        return None if value is None else self.time(value)


class Fortnight(Life):
    """A folder that changes for some days."""

    info: _Fortnight

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.info = _load(folder / "life.yaml", _Fortnight)
        self.kb, self.days = self.info.kb, self.info.days
        self.changes = sorted(_load(folder / "changes.yaml", list[Change], []), key=lambda each: self.time(each.at))
        for each in self.changes:
            each.at = self.time(each.at)
        self.musts = [self._label(each, must=True) for each in _load(folder / "musts.yaml", list[_Label], [])]
        self.mays = [self._label(each, must=False) for each in _load(folder / "mays.yaml", list[_Label], [])]
        self.questions = _load(folder / "questions.yaml", list[Question], [])
        for question in self.questions:
            question.at = self.time(question.at)
        self.silent = frozenset(self.info.silent_days)
        self._trees: dict[int, Tree] = {}

    def _label(self, raw: _Label, *, must: bool) -> Label:
        start, by, settled = (raw.tell_from, raw.tell_by, raw.settled) if must else (raw.start, raw.until, raw.until)
        if must and (start is None or by is None):
            raise LifeError(f"{self.folder / 'musts.yaml'}: {raw.id} has no tell_from or no tell_by")
        return Label(
            raw.id,
            raw.what,
            must,
            Words(raw.words),
            tuple(raw.evidence),
            tuple(raw.joined),
            self._time(start),
            self._time(by),
            self._time(settled),
            tuple(map(self.time, raw.news)),
            raw.weight,
        )

    def day(self, number: int) -> date:
        """The day of that number, from 0."""
        return self.info.start + timedelta(days=number)

    def slots(self) -> Iterator[tuple[datetime, str]]:
        """(time, verb) of each scheduled run, in order."""
        for day in map(self.day, range(self.days)):
            part = "weekdays" if day.weekday() < 5 else "weekends"
            clocks = [(clock, verb) for verb in ("pulse", "review") for clock in self.info.schedule[verb][part]]
            for clock, verb in sorted(clocks):
                yield self.time(f"{day}T{clock}"), verb

    def pulses(self) -> list[datetime]:
        """The times of the pulses."""
        return [at for at, verb in self.slots() if verb == "pulse"]

    def tree_at(self, when: datetime | None = None) -> Tree:
        """path -> text at a time; without one, on the morning of day 1. Not to be changed."""
        count = 0 if when is None else bisect_right(self.changes, when, key=lambda each: each.at)
        if count not in self._trees:
            tree = read_tree(self.folder / "files")
            for each in self.changes[:count]:
                each.apply(tree)
            self._trees[count] = tree
        return self._trees[count]

    @cached_property
    def paths(self) -> list[tuple[str, str]]:
        """(knowledge base, path) of every file that ever is."""
        return [(self.kb, path) for path in sorted({*self.tree_at(), *(each.path for each in self.changes)})]


class Morning(Life):
    """One to four folders as they stand one morning."""

    info: _Morning

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.info = _load(folder / "life.yaml", _Morning)
        self.now = self.time(self.info.now)
        self.trees = {each.name: read_tree(each) for each in sorted((folder / "kbs").iterdir()) if each.is_dir()}
        self.issues = [self._issue(each) for each in _load(folder / "issues.yaml", list[_Issue], [])]
        self.questions = _load(folder / "questions.yaml", list[Question], [])

    def _issue(self, raw: _Issue) -> Issue:
        places = tuple(self._placed(raw, each) for each in (Place(raw.path, raw.has, raw.kb), *raw.also))
        return Issue(raw.id, raw.what, raw.severity, raw.must, places)

    def _placed(self, raw: _Issue, place: Place) -> tuple[str, str, int]:
        kb = place.kb or raw.kb
        lines = lines_of(self.trees.get(kb, {}).get(place.path, ""))
        found = [number for number, line in enumerate(lines, 1) if place.has in line]
        if len(found) != 1 or not place.has:
            where = f"{self.folder / 'issues.yaml'}: {raw.id}"
            raise LifeError(f"{where}: {place.has!r} stands in {len(found)} lines of {kb}/{place.path}")
        return kb, place.path, found[0]

    @property
    def paths(self) -> list[tuple[str, str]]:
        """(knowledge base, path) of every file."""
        return [(kb, path) for kb, tree in self.trees.items() for path in sorted(tree)]


def folded(text: str) -> str:
    """A text in the form in which words are compared."""
    return normalize("NFC", text).casefold().replace("’", "'")


def lines_of(text: str) -> list[str]:
    """The lines of a text, counted as an editor counts them."""
    return [line.removesuffix("\r") for line in text.split("\n")]


def read_tree(folder: Path) -> Tree:
    """path -> text of the files below a folder, line ends as they are."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes().decode("utf-8", "surrogateescape") for path in files}


def fortnights(base: Path = HERE, names: tuple[str, ...] = (), part: str = "") -> list[Fortnight]:
    """Those below `base`, or of these names, or of this set, by name. Raises LifeError."""
    return _chosen([Fortnight(each) for each in _folders(base / "fortnights", names)], part)


def mornings(base: Path = HERE, names: tuple[str, ...] = (), part: str = "") -> list[Morning]:
    """Those below `base`, or of these names, or of this set, by name. Raises LifeError."""
    return _chosen([Morning(each) for each in _folders(base / "mornings", names)], part)


def _folders(base: Path, names: tuple[str, ...]) -> list[Path]:
    found = sorted(path.parent for path in base.glob("*/life.yaml"))
    return [each for each in found if not names or each.name in names]


def _chosen(found: list[T], part: str) -> list[T]:
    return [each for each in found if part in ("", getattr(each, "set", ""))]


def _stem(word: str) -> str:
    whole = word[-1:].isalpha() and len(word) <= 3 and word not in MONTHS
    end = r"(?!\d)" if word[-1:].isdigit() else r"(?![^\W\d])" if whole else ""
    return r"(?<!\w)" + re.escape(word) + end


def _load(path: Path, kind: type[T], default: T | None = None) -> T:
    try:
        raw = yaml.load(path.read_text(encoding="utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        return msgspec.convert(raw, kind)
    except FileNotFoundError:
        if default is not None:
            return default
        raise LifeError(f"{path} is missing") from None
    except (yaml.YAMLError, msgspec.ValidationError, UnicodeDecodeError) as error:
        raise LifeError(f"{path}: {error}") from None
