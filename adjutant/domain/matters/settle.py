"""DOMAIN. What of a knowledge base's facts is still open: closed by a later line, moved, or told twice.

Only within one knowledge base: nothing in one settles a matter of another.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from datetime import date
from typing import NamedTuple

from msgspec.structs import replace

from adjutant.domain.matters.cues import names_nothing
from adjutant.domain.matters.fact import JUDGED, THREAD, Fact
from adjutant.language.dates import find
from adjutant.language.pack import cached, listed, packs
from adjutant.language.stems import stems
from adjutant.language.words import day_names, is_idle, words
from adjutant.records.insights import stems_of

ALIKE, HALF = 0.6, 0.5  # of the content stems: the same matter in other lines; of the shorter line's: maybe the same
SOME_DAY = date(2000, 1, 3)
_NUMBERED = re.compile(r"\w*\d\w*")
AGAIN = 14  # days: what was done so long before it is due was done another time
BESIDE = 1  # lines between a matter and a sentence that tells more of it
SHARED = 2  # stems that two lines share before one says anything of the other
NEVER_ALIKE = 40  # lines of one stem: a stem that common finds nothing
RARE = 6  # lines that share a word by which a newer one is known
SAYING = frozenset(("sentence", "promise", "appointment", "moved"))  # prose with a day
NEWS = SAYING - {"appointment"}  # what may say that a day was moved


class Placed(NamedTuple):
    """A fact and its file."""

    path: str
    fact: Fact


class Matter(NamedTuple):
    """One open thing: its decisive fact first, the other lines about it behind; `before`: the day of the last time that
    it was done, where it recurs; `doubtful`: a newer line that may be about it names another day, or something done."""

    facts: tuple[Placed, ...]
    before: date | None = None
    doubtful: bool = False

    @property
    def first(self) -> Fact:
        return self.facts[0].fact

    def is_acted_on(self, other: Placed) -> bool:
        """Whether a later line says that something was done, and shares half of the words of the shorter one."""
        said, own = other.fact.stems - _idle(), self.first.stems - _idle()
        least = max(SHARED, HALF * min(len(said), len(own)))
        return len(said & own) >= least and all(_is_behind(other, each) for each in self.facts)


def open_matters(placed: Sequence[Placed], today: date) -> list[Matter]:
    """The open things of one knowledge base, in the order of their files. A line dated ahead settles nothing today."""
    done = [each for each in placed if each.fact.state != "open" and not _ahead(each.fact, today)]
    closing, acted = [each for each in done if each.fact.certain], _Index(done)
    sections = {(each.path, each.fact.heads): each.fact.line for each in closing if each.fact.basis == "section"}
    closers = _Index(closing)
    lines, waiting = defaultdict[tuple[str, int], list[Fact]](list), list[Placed]()
    for one in reversed(placed):  # a sentence ends those before it on its line
        path, fact = one
        if fact.state != "open":
            ends = fact.certain and fact.basis not in ("row", "section") and not _ahead(fact, today)
            lines[path, fact.line] += [fact] * ends
        elif fact.line > sections.get((path, fact.heads), 0):
            waiting += [one] * (not any(_ends_line(done, fact) for done in lines.get((path, fact.line), ())))
    waiting.reverse()
    still = [each for each in waiting if not any(_closes(other, each) for other in closers.near(each.fact))]
    still = _postpone(_without_context(still))
    times, newer, found = _last_times(closing), _Newer(still), list[Matter]()
    for each in _with_pages(_group(still)):
        earlier = [day for day in times.get(each.first.stems, ()) if each.first.first and day < each.first.first]
        doubtful = newer.than(each) or any(map(each.is_acted_on, acted.near(each.first)))
        found.append(each._replace(before=max(earlier, default=None), doubtful=doubtful))
    return found


def _without_context(still: Sequence[Placed]) -> list[Placed]:
    """What is open but for plain sentences beside something else: they tell more of it."""
    lines = {(path, fact.line) for path, fact in still if fact.basis != JUDGED}
    near = {(path, line + step) for path, line in lines for step in range(-BESIDE, BESIDE + 1)}
    return [each for each in still if each.fact.basis != JUDGED or (each.path, each.fact.line) not in near]


def _ends_line(done: Fact, still: Fact) -> bool:
    """Whether what is done on a line is the open thing there: another sentence of it is, where it says no more than
    that ("Paid.") or shares a word."""
    said = {stem for stem in done.stems - _idle() if not is_idle(stem)}
    return done.basis != "sentence" or not said or not done.stems.isdisjoint(still.stems)


def _postpone(still: Sequence[Placed]) -> list[Placed]:
    """A page's own day, and what of the page is due on it, moved to the later day that a dated entry of the page gives:
    the newest entry decides."""
    days = {(each.path, each.fact.last) for each in still if each.fact.basis == "page" and each.fact.last is not None}
    entries: dict[str, Fact] = {}
    for path, fact in still:
        if fact.basis in NEWS and fact.day is not None and fact.last is not None:
            before = entries.get(path)
            entries[path] = fact if before is None or (before.day or date.min) <= fact.day else before
    found = list[Placed]()
    for each in still:
        path, fact = each
        to = entries.get(path) if (path, fact.last) in days and fact.basis in ("page", "box", "label") else None
        if to is not None and to.last is not None and fact.last is not None and fact.last < to.last:
            each = each._replace(fact=replace(fact, first=to.first, last=to.last, time=to.time))
        found.append(each)
    return found


class _Newer:
    """The dated prose of a knowledge base, by the rare words of it and of its place."""

    def __init__(self, still: Sequence[Placed]) -> None:
        self._by_stem = defaultdict[str, list[int]](list)
        self._said = [each for each in still if each.fact.basis in SAYING and each.fact.last is not None]
        for number, each in enumerate(self._said):
            for stem in each.fact.stems | each.fact.around:
                self._by_stem[stem].append(number)

    def than(self, matter: Matter) -> bool:
        """Whether a line of a later day than all of a matter's names another day near its own, and shares two of its
        words: in one file of the line itself, else those of the headings and names too."""
        path, fact = matter.facts[0]
        if fact.last is None or fact.basis == "row":
            return False
        written = max(one.day or date.min for _, one in matter.facts)
        shared: Counter[int] = Counter()
        for stem in (fact.stems | fact.around) - _idle():
            lines = self._by_stem.get(stem, ())
            for number in lines if len(lines) <= RARE else ():
                other = self._said[number]
                about = path != other.path or (stem in fact.stems and stem in other.fact.stems)
                apart = abs(((other.fact.last or fact.last) - fact.last).days)
                newer = about and written < (other.fact.day or date.min) and 0 < apart <= AGAIN
                own = stem in fact.stems & other.fact.stems and not names_nothing(stem)
                sure = own and (fact.basis, other.fact.basis) == ("appointment", "moved")
                shared[number] += newer * (SHARED if sure else 1)
        return any(count >= SHARED for count in shared.values())


def _last_times(closing: Sequence[Placed]) -> dict[frozenset[str], list[date]]:
    """{stems: the days for which it was done}."""
    found: dict[frozenset[str], list[date]] = defaultdict(list)
    for _, fact in closing:
        if fact.last is not None:
            found[fact.stems].append(fact.last)
    return found


def _with_pages(matters: Sequence[Matter]) -> list[Matter]:
    """A page's own state and day are one matter, and none beside the first line of that page that has its day."""
    pages: dict[str, list[Placed]] = defaultdict(list)
    others, found = list[Matter](), list[Matter]()
    for each in matters:
        if all(one.fact.basis == "page" for one in each.facts):
            pages[each.facts[0].path] += each.facts
        else:
            others.append(each)
    for each in others:
        line, days = each.facts[0], [one.fact.last for one in pages.get(each.facts[0].path, ())]
        if line.fact.last is not None and line.fact.last in days:
            own = pages.pop(line.path)
            each = Matter((_title(line, _whole(own)), *each.facts[1:], *own))
        found.append(each)
    return found + [Matter((_whole(own), *own)) for own in pages.values()]


def _whole(own: Sequence[Placed]) -> Placed:
    """A page's day, and what its state says of it."""
    dated = next((one for one in own if one.fact.last is not None), own[0])
    state = next((one for one in own if one.fact.kind != "deadline"), dated)
    return dated._replace(fact=replace(dated.fact, kind=state.fact.kind, what=state.fact.what))


def _title(line: Placed, page: Placed) -> Placed:
    """A line of a page with the page's name before it, where it does not say it."""
    what = line.fact.what if page.fact.stems & line.fact.stems else f"{page.fact.what}: {line.fact.what}"
    return line._replace(fact=replace(line.fact, what=what))


def _ahead(fact: Fact, today: date) -> bool:
    return fact.day is not None and fact.day > today


def _closes(closer: Placed, other: Placed) -> bool:
    """Whether a closed line is about an open one and not older than it."""
    done, still = closer.fact, other.fact
    if done.basis == THREAD:
        return False  # an answer ends its own thread
    if done.basis == "page":
        return closer.path != other.path and same_matter(done.stems, still.stems)
    said = done.stems - _idle()
    about = (len(still.stems) > 1 and still.stems <= done.stems) or (len(said) >= SHARED and said <= still.stems)
    return (about or same_matter(done.stems, still.stems)) and _is_behind(closer, other)


def _is_behind(closer: Placed, other: Placed) -> bool:
    """Whether what a line says was done can have been the open thing of another: not older, nor its last time."""
    done, still = closer.fact, other.fact
    if done.basis in (THREAD, "page"):
        return False
    if done.last is not None and still.first is not None and still.first > done.last:
        return False  # the next time of what recurs
    if are_numbered_apart(done.what, still.what):
        return False
    if done.basis in ("row", "event") and still.basis in ("row", "event"):
        return False  # two rows of a table are two things, and two events of a calendar
    if done.day is not None and still.day is not None:
        return done.day > still.day or (done.day == still.day and done.line > still.line)
    if done.day is not None and still.last is not None and (still.last - done.day).days > AGAIN:
        return False
    return (closer.path == other.path and done.line > still.line) or done.day is not None


@cached(1)
def _idle() -> frozenset[str]:
    """The stems of words that close or move, of days and of "Mr": they say nothing of what was closed or moved."""
    said = listed("records", "states.closed").union(*(listed("matters", name) for name in ("moved", "deadline")))
    said |= listed("words", "titles") | day_names(0)
    return frozenset().union(*(stems(" ".join(said), code) for code in packs()))


def same_matter(one: frozenset[str], two: frozenset[str]) -> bool:
    """Whether two lines share so much that they are about the same thing."""
    shared = len(one & two)
    return (shared >= SHARED and shared >= ALIKE * len(one | two)) or (bool(one) and one == two)


def _group(still: Sequence[Placed]) -> list[Matter]:
    """Lines about one matter together. The newest that names a day decides it; of several in one file the first."""
    index = _Index(still)
    group: dict[int, int] = {}
    members: dict[int, list[Placed]] = defaultdict(list)
    for number, each in enumerate(still):
        home = next(
            (group[other] for other in index.numbers(each.fact) if other in group and _joins(each, still[other])),
            number,
        )
        group[number] = home
        members[home].append(each)
    return [Matter(_move_first(sorted(found, key=_decisive, reverse=True))) for found in members.values()]


def _move_first(facts: Sequence[Placed]) -> tuple[Placed, ...]:
    """Lines about one matter, first the one that moves it from the day that the others give, as sure as they are."""
    old = facts[0].fact
    to = next((each for each in facts[1:] if _moves(each.fact, old)), None)
    if to is None:
        return tuple(facts)
    new = replace(to.fact, kind=old.kind, certain=old.certain, dated=old.dated, time=to.fact.time or old.time)
    return (to._replace(fact=new), *(each for each in facts if each is not to))


def _joins(one: Placed, two: Placed) -> bool:
    """Rows stay apart; lines of one matter join, in one file or across, where their days do not tell two events."""
    a, b = one.fact, two.fact
    if a.basis == b.basis == "row" or ({a.basis, b.basis} == {"row", "plan"} and min(a.group, b.group) >= 0):
        return one.path == two.path and a.line == b.line and a.what == b.what
    if THREAD in (a.basis, b.basis):
        return False
    if a.basis == b.basis == "event":
        return (a.first, a.time, a.what) == (b.first, b.time, b.what)
    if _moves(a, b) or _moves(b, a) or (one.path == two.path and (_moves_hour(a, b) or _moves_hour(b, a))):
        return True
    if a.kind == b.kind == "appointment" and a.first != b.first and "moved" not in (a.basis, b.basis):
        return False
    if are_numbered_apart(a.what, b.what):
        return False
    if len(a.stems) == 1 and a.kind != b.kind:
        return False  # "call the roofer" and the roofer's bill share a name alone
    if a.basis == b.basis == "box" and one.path == two.path:
        return (
            a.stems <= b.stems or b.stems <= a.stems
        )  # two boxes of one list are two things, unless one repeats the other
    return same_matter(a.stems, b.stems)


def overlap(one: str, two: str) -> float:
    """How much of the shorter one's content words the other has, 0 where they share fewer than two."""
    mine, theirs = stems_of(one), stems_of(two)
    shared = len(mine & theirs)
    if shared < SHARED or _numbers(one) != _numbers(two):
        return 0.0
    return shared / min(len(mine), len(theirs))


def _moves(later: Fact, earlier: Fact) -> bool:
    """Whether a line moves to another day what an earlier one has on the day that it names: "Friday instead of
    Thursday". They share a word, else they would not be compared."""
    return bool(later.was) and earlier.first in later.was and not earlier.was


def _moves_hour(later: Fact, earlier: Fact) -> bool:
    """Whether a line gives an appointment of the same day another hour and names the one that an earlier line has:
    "6:15 now, not 7"."""
    if later.first != earlier.first or not (later.time and earlier.time) or later.time == earlier.time:
        return False
    written = [(each.day or date.min, each.line) for each in (later, earlier)]
    if not later.kind == earlier.kind == "appointment" or written[0] <= written[1]:
        return False
    hour, said = int(earlier.time[:2]), set(words(later.what))
    names = {str(hour), f"{hour:02}", str(hour % 12 or 12), earlier.time}
    return not said.isdisjoint(names) and not said.isdisjoint(listed("matters", "now") | listed("words", "negators"))


def are_numbered_apart(one: str, two: str) -> bool:
    """Whether each has a number that the other lacks: chapter 3 is not chapter 4, whatever else they share."""
    if _NUMBERED.search(one) is None or _NUMBERED.search(two) is None:
        return False
    mine, theirs = _numbers(one), _numbers(two)
    return bool(mine - theirs) and bool(theirs - mine)


@cached(8192)
def _numbers(text: str) -> frozenset[str]:
    """What is numbered in a text, its dates aside: invoice 204 is not invoice 205."""
    for each in reversed(find(text, SOME_DAY, anchor=SOME_DAY)):
        text = f"{text[: each.start]} {text[each.end :]}"
    return frozenset(_NUMBERED.findall(text.lower()))


def _decisive(each: Placed) -> tuple[bool, bool, bool, date, int]:
    fact = each.fact
    return fact.certain, fact.first is not None, bool(fact.was), fact.day or date.min, -fact.line


class _Index:
    """Facts by their stems."""

    def __init__(self, placed: Sequence[Placed]) -> None:
        self._placed = placed
        self._by_stem: dict[str, list[int]] = defaultdict(list)
        self._by_place: dict[tuple[str, int], list[int]] = defaultdict(list)
        for number, each in enumerate(placed):
            for stem in each.fact.stems:
                self._by_stem[stem].append(number)

    def numbers(self, fact: Fact) -> list[int]:
        """Those that share a stem that is not everywhere, in order."""
        found: set[int] = set()
        for stem in fact.stems:
            holders = self._by_stem.get(stem, ())
            if len(holders) <= NEVER_ALIKE:
                found.update(holders)
        return sorted(found)

    def near(self, fact: Fact) -> Iterator[Placed]:
        """The facts of `numbers`."""
        return (self._placed[number] for number in self.numbers(fact))
