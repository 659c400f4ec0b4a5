"""DOMAIN. How grave an open matter is, by the one yardstick of spec/25, and the signal that a pulse judges."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import NamedTuple

from adjutant.domain.matters import scorer, wording
from adjutant.domain.matters.fact import JUDGED, THREAD, Fact
from adjutant.domain.matters.picture import OLD_NEWS, QUIET, Extraction, Open
from adjutant.domain.matters.relevance import Relevance, Touch
from adjutant.domain.matters.settle import Matter
from adjutant.domain.matters.signal import LEVELS, Evidence, Signal

MAX_EVIDENCE, MOST_OPEN = 5, 2000  # matters of one knowledge base in the picture and the register, the gravest
MOST_HEADS, HEAD_CHARS = 4, 120  # of what stands over a line, as the register keeps it
CLOSE, SOON, NEAR = 2, 3, 7  # days: critical with something in the way, high, medium
DAY_BEFORE = 1  # days: an appointment is told no sooner
ROUTINE, ROTA = 3, 5  # appointments of the same words; days of a table
HABIT = 3  # days between two times of what is done again and again
RECENT = 7  # days: what nobody called a priority is news for so long after its day
LATELY = 14  # days for which a plain sentence without a day is news
SAID = frozenset(("sentence", "promise"))  # nothing ticks these off: after their day they are not late
GRAVE = ("high", "critical")
OWN = frozenset(("box", "plan", "label", "page"))  # of one's own: without a priority it can wait
STUCK = frozenset(("blocked", "waiting", "problem"))


class Weighed(NamedTuple):
    """A matter with its severity, its place in the order, and what of the heart it touches."""

    matter: Matter
    severity: str
    order: tuple[int, float, float]
    touch: Touch | None
    muted: str
    listed: bool
    tellable: bool


def extraction(
    matters: Sequence[Matter],
    heart: Relevance,
    now: datetime,
    horizon: int,
    reach: int = 0,
    changed: Mapping[str, date] | None = None,
) -> Extraction:
    """The matters of one knowledge base as signals, the gravest first, and the counts of a brief; what is due beyond
    `horizon` days is left alone. `reach`: days to the day after the next look, which nothing near may fall behind;
    `changed`: when each file was last changed."""
    today = now.date()
    still = [each for each in matters if not _is_over(each.first, now) and _is_news(each.first, heart, today)]
    days = sorted(
        (fact.last.isoformat(), each.facts[0].path, fact.line)
        for each in still
        if (fact := each.first).last is not None and fact.certain
    )
    chances = _Chances(matters, heart, today, changed or {})
    weighed = sorted((_weigh(each, heart, chances, reach) for each in still), key=lambda each: each.order, reverse=True)
    weighed = [each._replace(listed=each.listed and _counts(each.matter.first, now, horizon)) for each in weighed]
    counted = [each for each in weighed if _counts(each.matter.first, now, horizon)]
    opens = [_open_of(each, heart.base, today) for each in weighed[:MOST_OPEN]]
    return Extraction([_signal(each, today) for each in counted], days, opens, today.isoformat())


class _Chances:
    """How likely matters are ones to raise, by the trained scorer; one day, one knowledge base."""

    def __init__(self, matters: Sequence[Matter], heart: Relevance, today: date, changed: Mapping[str, date]) -> None:
        self.today, self.weights = today, scorer.load()
        self._heart, self._changed, self._under = heart, changed, scorer.headings(matters)
        met = [each for each in matters if each.first.kind == "appointment"]
        self._met = Counter(each.first.stems for each in met)
        self._days: dict[tuple[str, int], set[date]] = defaultdict(set)
        for each in met:
            if each.first.basis == "row" and each.first.first is not None and not each.first.time:
                self._days[each.facts[0].path, each.first.group].add(each.first.first)

    def recurs(self, fact: Fact) -> bool:
        """Whether an appointment of the same words comes again and again: a person knows it by heart."""
        return fact.kind == "appointment" and bool(fact.stems) and self._met[fact.stems] >= ROUTINE

    def is_routine(self, matter: Matter) -> bool:
        """Whether an appointment is one of a rota, which has a row for every other day at least."""
        days = self._days.get((matter.facts[0].path, matter.first.group), set())
        dense = len(days) >= ROTA and (max(days) - min(days)).days <= 2 * len(days)
        return dense and matter.first.kind == "appointment" and not matter.first.time

    def of(self, matter: Matter) -> float:
        path = matter.facts[0].path
        like = self._under[path, matter.first.heads]
        values = scorer.features(matter, self._heart, self.today, self._changed.get(path, self.today), like)
        return scorer.chance(self.weights, values)


def _counts(fact: Fact, now: datetime, horizon: int) -> bool:
    """Whether a matter counts today: what is due far ahead does not, unless it is stuck."""
    if fact.last is not None and (fact.last - now.date()).days > horizon:
        return fact.kind in STUCK and fact.certain
    return True


def _is_over(fact: Fact, now: datetime) -> bool:
    """Whether a matter's day is past and makes it not late but over: an appointment's, a likely line's, that of a row
    whose state nobody knows."""
    late = fact.certain and fact.dated and fact.kind != "appointment" and fact.basis not in SAID
    if fact.last is None or late or fact.basis == THREAD:
        return False
    if fact.certain and (
        fact.basis in SAID or (fact.basis == "plan" and fact.group < 0)
    ):  # nobody ticks it off: for a week it may still be open, and is listed
        return (now.date() - fact.last).days > RECENT
    return (fact.last, fact.time or "24") < (now.date(), f"{now:%H:%M}")


def _is_news(fact: Fact, heart: Relevance, today: date) -> bool:
    """Whether a likely line counts: it names a day near now, or something of the heart in its own words. What names
    none is news for a fortnight; a plain sentence has to say when it was written, and to touch the heart."""
    if fact.certain or fact.basis == THREAD or (fact.last is not None and abs((fact.last - today).days) <= NEAR):
        return True
    if fact.last is None and fact.day is not None and not 0 <= (today - fact.day).days <= LATELY:
        return False
    if fact.basis == JUDGED:
        return fact.day is not None and heart.touched(fact.stems, fact.around) is not None
    return heart.touched(fact.stems, frozenset()) is not None if not heart.empty else fact.last is not None


def _weigh(matter: Matter, heart: Relevance, chances: _Chances, reach: int) -> Weighed:
    fact, today = matter.first, chances.today
    touch = heart.touched(fact.stems, fact.around)
    muted = heart.quiet(fact.stems, fact.around)
    severity = _severity(matter, touch, heart, today, reach)
    left = (fact.last - today).days if fact.last else 99
    share = touch.share if touch else 0.0
    chance, least = chances.of(matter), chances.weights
    listed = fact.basis == THREAD or severity in GRAVE or (severity != "low" if heart.empty else chance >= least.list)
    tellable = _is_tellable(fact, today, reach) and not (
        chances.recurs(fact) or chances.is_routine(matter) or _is_habit(matter, left) or matter.doubtful
    )
    tellable = tellable and (heart.empty or not least.tells or chance >= least.tell)
    return Weighed(matter, severity, (LEVELS.index(severity), share, -abs(left)), touch, muted, listed, tellable)


def _severity(matter: Matter, touch: Touch | None, heart: Relevance, today: date, reach: int) -> str:
    fact = matter.first
    left = (fact.last - today).days if fact.last else None
    if fact.basis == THREAD:
        return "medium"
    near = left is not None and 0 <= left <= NEAR
    if touch is None and not heart.empty:
        if heart.nears_quiet(fact.stems, fact.around) or fact.basis in OWN:
            return "low"
        return "high" if _binds(fact, left, max(SOON, reach)) else "medium" if _binds(fact, left, NEAR) else "low"
    stuck = any(_is_stuck(each.fact, today) for each in matter.facts)
    if not fact.certain:
        soon = touch is not None and touch.part == "priority" and _binds(fact, left, max(SOON, reach))
        return "high" if soon else "medium" if near or touch is not None else "low"
    if left is not None and left < -OLD_NEWS:
        return "low"
    if left is not None and left <= max(CLOSE, reach) and stuck:
        return "critical"
    if left is not None and left <= max(SOON, reach):
        return "high"
    blocking = fact.kind == "blocked" and (touch is None or touch.part == "priority")
    if blocking or fact.kind == "problem":
        return "high"
    both = heart.touched(fact.stems, frozenset()) and heart.touched(frozenset(), fact.around)
    return "medium" if left is not None or fact.kind in STUCK or both else "low"


def _is_stuck(fact: Fact, today: date) -> bool:
    """Whether something is in the way; who says that he comes tomorrow is not late before that."""
    said = fact.kind == "waiting" and fact.basis in SAID and fact.last is not None and fact.last >= today
    return fact.kind in STUCK and fact.certain and not said


def _binds(fact: Fact, left: int | None, within: int) -> bool:
    """Whether a day binds though no priority names the matter: a letter, a register, a calendar or a sentence gives it,
    and it is near or, where that is certain, just past."""
    if left is None or (fact.kind == "appointment" and fact.basis in ("row", "event") and not fact.time):
        return False  # a rota, a list of days, a holiday
    return (-RECENT if fact.certain else 0) <= left <= within


def _evidence(each: Weighed) -> list[Evidence]:
    cited = (Evidence(placed.path, placed.fact.line, placed.fact.quote) for placed in each.matter.facts)
    return list(dict.fromkeys(cited))[:MAX_EVIDENCE]


def _is_tellable(fact: Fact, today: date, reach: int) -> bool:
    """Whether rules may interrupt for it: for nothing likely, no step of a plan, no appointment days ahead; for what
    somebody else sends not before it is late."""
    left = (fact.last - today).days if fact.last is not None else None
    if not fact.certain or fact.basis == "plan" or left is None:
        return fact.certain and fact.basis != "plan"
    if fact.kind == "appointment":
        return left <= max(DAY_BEFORE, reach)
    if fact.basis in SAID and left < 0:
        return False
    return fact.kind != "waiting" or left < 0


def _is_habit(matter: Matter, left: int) -> bool:
    """Whether a thing was done within days of its next time: then it is told only when it is late."""
    before, day = matter.before, matter.first.first
    return left >= 0 and before is not None and day is not None and (day - before).days <= HABIT


def _open_of(each: Weighed, kb: str, today: date) -> Open:
    """A matter of the picture, without its id."""
    fact = each.matter.first
    return Open(
        kb=kb,
        what=wording.whole(fact, each.matter.facts[0].path),
        kind=fact.kind,
        evidence=_evidence(each),
        severity=each.severity,
        found=each.severity,
        first=fact.first,
        last=fact.last,
        time=fact.time,
        who=fact.who,
        certain=fact.certain,
        dated=fact.dated and fact.kind != "appointment" and fact.basis not in SAID,
        heads=tuple(head[:HEAD_CHARS] for head in fact.heads[-MOST_HEADS:]),
        concern=each.touch.text if each.touch else None,
        part=each.touch.part if each.touch else "",
        share=round(each.order[1], 3),
        listed=each.listed,
        tellable=each.tellable,
        muted=f"{QUIET}{each.muted}" if each.muted else "",
        why=wording.why(fact, each.touch, today),
        rests=[fact.basis],
    )


def _signal(each: Weighed, today: date) -> Signal:
    fact, first = each.matter.first, each.matter.facts[0]
    return Signal(
        path=first.path,
        line=fact.line,
        quote=fact.quote,
        kind=fact.kind,
        date=fact.last.isoformat() if fact.last else None,
        severity=each.severity,
        title=wording.title(fact.what),
        why=wording.why(fact, each.touch, today),
        concern=each.touch.text if each.touch else None,
        evidence=_evidence(each),
        muted=f"{QUIET}{each.muted}" if each.muted else None,
        score=round(each.order[1], 3),
        part=each.touch.part if each.touch else "",
        listed=each.listed and each.severity != LEVELS[0],  # an issue is at least medium
    )
