"""Decides per unit: is it open or done, due when, how sure is it that something is wrong, and why it is muted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date, timedelta

import msgspec

from adjutant.domain.knowledge import dates, figures, over
from adjutant.domain.knowledge.context import GLOSS, Base, Place
from adjutant.domain.knowledge.figures import Figure
from adjutant.domain.knowledge.structure import Document, Unit

ENOUGH, ENOUGH_FIGURES = 0.36, 0.07  # strength times relevance from which something is an issue
STALE_DAYS, LASTING_DAYS, OLD_OVERDUE_DAYS, LOG_DAYS = 25, 70, 200, 21
LOOK_BEYOND = 300  # later entries of a log that are looked at
FIRST_PRIORITIES = 2
AT_HAND = 2  # days around its day in which a thing is critical
BESIDE = 4  # units of a block looked at on both sides
SERIOUS = frozenset({"limit", "outlier", "conflict", "gap", "waiting", "expired"})
HARD = frozenset({"trend", "failing", "blocked", "refused", "absent", "late", "lost", "overdue"})
STATES = frozenset({"waiting", "gap", "risk", "limit", "expired", "conflict", "overdue"})
LASTING = frozenset({"waiting", "gap", "overdue"})  # these last until somebody acts; events fade
SAYS = {
    "task": "open",
    "deadline": "due",
    "overdue": "overdue",
    "blocked": "blocked",
    "waiting": "waiting for someone",
    "risk": "at risk",
    "failing": "failing",
    "gap": "something is missing",
    "limit": "a limit is reached",
    "outlier": "the odd one out",
    "refused": "refused or cancelled",
    "absent": "someone is out",
    "late": "late",
    "trend": "moving the wrong way",
    "lost": "lost or gone",
    "expired": "expired or used up",
    "conflict": "does not fit together",
}


class Verdict(msgspec.Struct):
    """What is to be said about one unit."""

    line: int
    lines: list[int]
    text: str
    kind: str = ""
    severity: str = "low"
    score: float = 0.0
    due: date | None = None
    done: bool = False
    open_task: int = 0
    relevance: float = 0.0
    item: int = -1
    muted: str = ""
    heading: str = ""
    matter: str = ""
    stems: frozenset[str] = frozenset()


def document(doc: Document, base: Base) -> Iterator[Verdict]:
    """Verdicts of a document's units, and one for the document itself where its frontmatter has a due date."""
    place = base.places[doc.file.path]
    figured: dict[int, list[Figure]] = {}
    for one in figures.find(place, base):
        figured.setdefault(one.index, []).append(one)
    place.settled = over.settled_before(place, base)
    whole = _doc_due(place, base) if not place.settled else None
    latest = _latest_days(place)
    for index in range(len(doc.units)):
        verdict = _unit(place, base, index, figured.get(index, []), whole, latest)
        if verdict is not None:
            yield verdict
    if whole is not None:
        yield _doc_verdict(place, base, whole)


# -- due dates -------------------------------------------------------------------------------------------


class DocDue(msgspec.Struct):
    """A due date that a whole file has by its frontmatter, and what in it is still open."""

    day: date
    line: int
    status: str
    status_line: int
    open_boxes: list[int]


def _doc_due(place: Place, base: Base) -> DocDue | None:
    """A due date in the frontmatter of a file whose status is not done."""
    doc = place.doc
    if doc.units and doc.units[0].kind == "record":
        return None
    due: tuple[date, int] | None = None
    status, status_line = "", 0
    for f in doc.meta:
        roles = base.lex.role(f.key, doc.language)
        if "due" in roles and due is None:
            found = dates.find(f.value, doc.day, base.today, base.lex, doc.language)
            if found:
                due = found[0].day, f.line
        if f.key.lower() in ("status", "state", "tilstand", "stand"):
            status, status_line = base.lex.status_of(f.value, doc.language), f.line
        if "done" in roles and base.lex.status_of(f.value, doc.language) == "done":
            status = "done"
    if due is None:
        return None
    boxes = [u.line for u in doc.units if u.box == "open" and not base.is_filler(place, u)]
    done_boxes = sum(1 for u in doc.units if u.box == "done")
    if status == "done" or (not status and done_boxes and not boxes):
        return None
    return DocDue(due[0], due[1], status, status_line, boxes)


def _doc_verdict(place: Place, base: Base, whole: DocDue) -> Verdict:
    doc = place.doc
    lines = [whole.line] + ([whole.status_line] if whole.status_line else []) + whole.open_boxes[:3]
    v = Verdict(whole.line, lines, doc.title or doc.file.path, due=whole.day, matter=f"{doc.file.path}#0")
    v.kind = "overdue" if whole.day < base.today else "deadline"
    score, item, _ = _doc_relevance(place, base)
    v.relevance, v.item = score, item
    gap = (whole.day - base.today).days
    strength = 0.9 if gap <= 2 else 0.75 if gap <= 7 else 0.3
    v.score = strength * min(1.0, score)
    v.severity = _severity(v.kind, whole.day, None, base, v)
    v.muted = _muted_by_file(place, base, v.due) or _muted_by_score(v)
    if -gap > OLD_OVERDUE_DAYS:
        v.muted = v.muted or "past"
    if gap > base.horizon:
        v.muted = v.muted or "future"
    v.stems = _stems(place, base, None)
    return v


def _doc_relevance(place: Place, base: Base) -> tuple[float, int, float]:
    best = (0.0, -1, 0.0)
    if base.relevance.open:
        return 1.0, -1, 1.0
    for index in range(len(place.doc.units)):
        if not base.is_filler(place, place.doc.units[index]):
            best = max(best, base.relevance_of(place, index))
    return best


def due_of(place: Place, base: Base, index: int) -> date | None:
    """The day by which a unit wants something: a due field, or a date that a due word or an open box makes one."""
    doc, unit, read = place.doc, place.doc.units[index], place.readings[index]
    for f in unit.fields:
        if "due" in base.lex.role(f.key, doc.language):
            found = dates.find(f.value, unit.day, base.today, base.lex, doc.language)
            if found:
                return found[0].day
    days = [f for f in place.found[index] if f.grain in ("day", "week")]
    if unit.kind in ("row", "record") or not days:
        return None
    text = unit.text
    spoken = [base.lex.languages[n] for n in {doc.language, "en"} & set(base.lex.languages)]
    for found_day in days:
        before = read_words(text[max(0, found_day.start - 40) : found_day.start])[-5:]
        cues = {e[1] for s in spoken for w in before for e in s.cues.starting(w) if not e[0]}
        told = {e[1] for s in spoken for w in before[-1:] for e in s.cues.starting(w)}
        if "dated" in told and "due" not in cues and unit.box != "open" and found_day.day < base.today:
            continue
        if "due" in cues:
            return found_day.day
        if read.demand and found_day.day >= base.today - timedelta(days=3):
            return found_day.day
    if unit.box != "open" or not days:
        return None
    last = max(f.day for f in days)
    if (base.today - last).days > 60 and str(last.year) not in text:
        last = _next_year(last)  # an open box with a bare day long gone means the one to come
    return last


def _next_year(day: date) -> date:
    try:
        return day.replace(year=day.year + 1)
    except ValueError:
        return day + timedelta(days=365)


def read_words(text: str) -> list[str]:
    """The words of a text in lower case, letters only."""
    return [w.lower() for w in re.findall(r"[^\W\d_]+", text)]


# -- one unit --------------------------------------------------------------------------------------------


def _unit(
    place: Place, base: Base, index: int, figured: Sequence[Figure], whole: DocDue | None, latest: dict[int, date]
) -> Verdict | None:
    doc, unit, read = place.doc, place.doc.units[index], place.readings[index]
    if unit.kind == "code" or not unit.text.strip():
        return None
    filler = base.is_filler(place, unit)
    v = Verdict(
        unit.line, list(dict.fromkeys([unit.line, *range(unit.line + 1, min(unit.end, unit.line + 3) + 1)])), unit.text
    )
    v.heading = unit.headings[-1] if unit.headings else ""
    v.open_task = int(unit.box == "open" and not base_muted_head(place, unit))
    v.due = due_of(place, base, index)
    state = _state(place, base, index)
    v.done = state == "done"
    if filler and not v.due:
        return _counted(v)
    strength, kind, lines = _strength(place, base, index, figured, state, v.due)
    late = _too_late(place, base, index, base.relevance_of(place, index)[1]) if state != "done" else None
    if late is not None:
        strength, kind = max(strength, 0.8), "late"
    if lines:
        v.line, v.lines = lines[0], list(dict.fromkeys([*lines, *v.lines]))
    if not kind:
        if unit.box == "open":
            v.kind, v.muted, v.matter = "task", "undated", f"{doc.file.path}#{unit.line}"
            v.relevance, v.item, _ = base.relevance_of(place, index)
            return v
        return _counted(v)
    v.kind = kind
    v.relevance, v.item, direct = base.relevance_of(place, index)
    faint = strength < 0.5 and v.due is None and not figured
    v.score = strength * min(
        1.0, direct if faint else v.relevance
    )  # a faint cue counts where the line itself is to the point
    if whole is not None and v.due is None and kind in HARD | STATES and abs((whole.day - base.today).days) <= 30:
        v.lines = [*v.lines, whole.line]
    day = v.due or (whole.day if whole else None) or _near_day(place, base, index)
    v.severity = _severity(
        kind, day, _beside(place, base, index), base, v, plain=unit.box == "open" and not read.open_events()
    )
    v.muted = _muted(place, base, index, state, latest, v, bool(figured))
    v.stems = _stems(place, base, index)
    v.matter = _matter(doc, unit, v)
    return v


def _near_day(place: Place, base: Base, index: int) -> date | None:
    """A day of the coming week that stands in the unit itself: what is wrong there is wrong by then."""
    days = [f.day for f in place.found[index] if f.grain == "day" and 0 <= (f.day - base.today).days <= 7]
    unit = place.doc.units[index]
    return min(days) if days and not (unit.dated and unit.day in days) else None


def _counted(v: Verdict) -> Verdict | None:
    return v if v.open_task or v.due else None


def base_muted_head(place: Place, unit: Unit) -> bool:
    """True where the file or a heading above says that all of it is a template."""
    return "template" in place.kinds or "template" in place.head_kinds[unit.headings]


def _state(place: Place, base: Base, index: int) -> str:
    """ "done", "open" or "" as boxes, status and done columns, and the words of status cells say."""
    doc, unit, read = place.doc, place.doc.units[index], place.readings[index]
    if unit.box:
        return unit.box
    parent = unit.parent
    while parent >= 0:
        if doc.units[parent].box == "done":
            return "done"
        parent = doc.units[parent].parent
    state = ""
    for f in unit.fields:
        roles = base.lex.role(f.key, doc.language)
        says = base.lex.status_of(f.value, doc.language)
        if "done" in roles and "due" not in roles:
            if says == "open" or not f.value.strip(" -–—"):
                state = state or ("open" if says == "open" else "")
            elif says == "done" or dates.ISO.search(f.value) or dates.DOTTED.search(f.value):
                return "done"
        elif "status" in roles and says:
            if says == "done":
                return "done"
            state = "open"
    if not state and unit.kind not in ("row", "record") and read.closed:
        return "done"
    return state


def _done_by_field(place: Place, base: Base, index: int) -> bool:
    unit = place.doc.units[index]
    for f in unit.fields:
        roles = base.lex.role(f.key, place.doc.language)
        if roles & {"done", "status"} and base.lex.status_of(f.value, place.doc.language) == "done":
            return True
    return False


def _has_state_field(place: Place, base: Base, index: int) -> bool:
    """Whether a row or record has a place to say that it is done, and something else stands there."""
    unit, read = place.doc.units[index], place.readings[index]
    roles = {r for f in unit.fields for r in base.lex.role(f.key, place.doc.language)}
    return bool(roles & {"status", "done"}) and not read.closed


def _ran_out(place: Place, base: Base, index: int) -> bool:
    """A row whose day is over in a column of days still to come: what is valid elsewhere has run out here."""
    unit = place.doc.units[index]
    mine = due_of(place, base, index)
    if unit.kind not in ("row", "record") or unit.table < 0 or place.readings[index].closed:
        return False
    if mine is None or (base.today - mine).days > 60:
        return False
    days = []
    for other, sibling in enumerate(place.doc.units):
        if sibling.table == unit.table and sibling.kind == unit.kind and other != index:
            day = due_of(place, base, other)
            if day is not None:
                days.append(day)
        if len(days) > 50:
            break
    return len(days) >= 2 and sum(1 for d in days if d >= base.today) >= 0.6 * len(days)


ARRIVAL_AFTER = 60  # days beyond its event within which a thing that comes too late is told as such


def _too_late(place: Place, base: Base, index: int, item: int) -> date | None:
    """The day on which something comes that was wanted for an earlier one: its file's due date, or its priority's."""
    unit = place.doc.units[index]
    days = [f.day for f in place.found[index] if f.grain in ("day", "week") and f.day > base.today]
    if not days or unit.kind in ("quote", "code"):
        return None
    words = {t.text for t in place.readings[index].tokens}
    if not words & base.lex.arrivals(place.doc.language):
        return None
    wanted = [f.day for m in place.doc.meta for f in base.dates_of(place.doc, m) if f.day >= base.today]
    if item >= 0:
        wanted += [d for d in base.relevance.items[item].days if d >= base.today]
    for day in days:
        if any(0 < (day - w).days <= ARRIVAL_AFTER for w in wanted) and not any(w in days for w in wanted):
            return day
    return None


def _strength(
    place: Place, base: Base, index: int, figured: Sequence[Figure], state: str, due: date | None
) -> tuple[float, str, list[int]]:
    """(how sure, kind, decisive lines) of what is wrong with or due from a unit."""
    unit, read = place.doc.units[index], place.readings[index]
    best, kind, lines = 0.0, "", list[int]()
    for one in figured:
        if one.weight > best:
            best, kind, lines = one.weight, one.kind, [one.line, *one.also]
    if state != "done" and read.open_events():
        trouble = read.trouble * (0.5 if read.question and not read.unfilled else 1.0)
        if trouble >= best - 0.05 or best < 0.5:
            best, kind = max(best, trouble), read.kinds()[0]
        else:
            best = 1 - (1 - best) * (1 - 0.5 * trouble)
    if read.unfilled and unit.kind in ("item", "row", "para", "task") and state != "done":
        best, kind = max(best, 0.75), kind if best > 0.75 else "gap"
    portion = figures.part_of(unit.text)
    if portion and state != "done" and not read.closed:
        best = 1 - (1 - best) * 0.6
        kind = kind or "gap"
    if portion is None and state != "done" and base.short_of(place, index):
        best, kind = max(best, 0.6), kind or "gap"
    if due is not None and state != "done":
        gap = (due - base.today).days
        explicit = state == "open" or best >= 0.5
        explicit = explicit or (state == "" and (_has_state_field(place, base, index) or _ran_out(place, base, index)))
        firm = unit.kind in ("task", "row", "record") or explicit
        if gap < 0 and explicit:
            strength = 0.9
            if strength >= best or kind in ("waiting", "gap", "risk", "task", ""):
                kind = "overdue"
            best = max(best, strength)
        elif 0 <= gap <= 7:
            strength = 0.85
            if not firm:
                strength = 0.7
            if not read.closed:
                kind = kind if best >= 0.5 else "deadline"
                best = max(best, strength)
        elif 7 < gap <= base.horizon and not read.closed:
            kind = kind or "deadline"
            best = max(best, 0.3)
    elif state == "open" and unit.kind in ("record", "row") and best < 0.3:
        best, kind = max(best, 0.2), kind or "task"
    return best, kind, lines


# -- severity --------------------------------------------------------------------------------------------


def _severity(kind: str, due: date | None, near: date | None, base: Base, v: Verdict, *, plain: bool = False) -> str:
    """By rule: critical where the day is at hand or just gone, high by default, medium where it can wait a little.

    `due`: the day by which something is wanted; `near`: a day of today or tomorrow that stands beside the statement;
    `plain`: nothing but an open box says that it is wanted.
    What has no day is medium when it touches a lesser concern, or is only awaited for a lesser priority.
    """
    item = base.relevance.items[v.item] if v.item >= 0 else None
    priorities = sum(1 for i in base.relevance.items if i.part == "priority")
    gap = (due - base.today).days if due is not None else None
    lesser = item is not None and item.part == "concern" and v.item > priorities
    if kind in ("deadline", "task"):
        if gap is None or gap > base.horizon:
            return "low"
        if gap > 3:
            return "medium"
        return "critical" if gap <= AT_HAND and item is not None and not lesser and not plain else "high"
    if gap is not None and -AT_HAND <= gap <= AT_HAND:
        return "critical"
    if gap is None and near is not None and kind != "absent":
        return "critical"
    if gap is None and item is not None:
        if lesser and kind in SERIOUS | {"failing", "overdue", "lost", "absent"}:
            return "medium"
        if item.part == "priority" and v.item >= FIRST_PRIORITIES and kind == "waiting":
            return "medium"
    return "high"


def _beside(place: Place, base: Base, index: int) -> date | None:
    """Today or tomorrow, where a unit or a close neighbour of its block names it."""
    units = place.doc.units
    here = units[index]
    for n in range(max(0, index - BESIDE), min(len(units), index + BESIDE + 1)):
        if (units[n].section, units[n].block) != (here.section, here.block):
            continue
        for f in place.found[n]:
            if (
                f.grain == "day"
                and 0 <= (f.day - base.today).days <= 1
                and not (units[n].dated and units[n].day == f.day)
            ):
                return f.day
    return None


# -- muting ----------------------------------------------------------------------------------------------


def _muted(place: Place, base: Base, index: int, state: str, latest: dict[int, date], v: Verdict, figured: bool) -> str:
    doc, unit, read = place.doc, place.doc.units[index], place.readings[index]
    if unit.kind == "quote":
        return "quoted"
    if state == "done" and not (figured and not unit.box and not _done_by_field(place, base, index)):
        return "done"
    if by_file := _muted_by_file(place, base, v.due):
        return by_file
    kinds = place.head_kinds[unit.headings] | (base.label_kinds(unit.text, doc.language) - {"template"})
    if "template" in kinds or read.blank_form:
        return "template"
    if "example" in kinds and unit.box != "open":
        return "example"
    if place.glossary and GLOSS.match(doc.lines[unit.line - 1]):
        return "example"
    soon = v.due is not None and (v.due - base.today).days <= base.horizon
    if "someday" in kinds | place.kinds and not (soon and _direct(place, base, index)):
        return "future"
    if "past" in kinds and not (v.due is not None and (v.due >= base.today or unit.box == "open")):
        return "past"
    if read.hypothetical and not read.open_events() and not soon and not figured:
        return "hypothetical"
    if place.reference and unit.box != "open" and not soon:
        return "example"
    if unit.line < place.settled and unit.box != "open":
        return "past"
    if unit.box != "open" and not soon and (over.routine(place, index) or over.answered(place, index)):
        return "past"
    if unit.box != "open" and not figured and not soon and over.old_entry(place, index, base.today):
        return "past"
    if not figured and not soon and not _direct(place, base, index) and over.aside(place, index):
        return "aside"
    if old := _past(place, base, index, latest, v, figured):
        return old
    if read.trivial and not (v.due is not None and soon):
        return "negated"
    if quiet := base.quiet(place, index):
        return f"quiet zone: {quiet}"
    if (
        v.due is not None
        and (v.due - base.today).days > base.horizon
        and v.kind in ("deadline", "task", "risk", "waiting", "gap")
        and read.trouble < 0.5
    ):
        return "future"
    return _muted_by_score(v, figured)


def _direct(place: Place, base: Base, index: int) -> bool:
    return base.relevance_of(place, index)[2] >= 1.0


def _muted_by_score(v: Verdict, figured: bool = False) -> str:
    if v.relevance < (0.1 if figured else 0.3):
        return "irrelevant"
    if v.score < (ENOUGH_FIGURES if figured else ENOUGH):
        return "weak"
    return ""


def _muted_by_file(place: Place, base: Base, due: date | None) -> str:
    soon = due is not None and -30 <= (due - base.today).days <= base.horizon
    if "template" in place.kinds:
        return "template"
    if "example" in place.kinds and not soon:
        return "example"
    if "past" in place.kinds and not soon:
        return "past"
    return ""


def _latest_days(place: Place) -> dict[int, date]:
    """Per section the newest day that a dated line, row or entry speaks from."""
    newest: dict[int, date] = {}
    for unit in place.doc.units:
        if unit.dated and unit.day is not None:
            newest[unit.section] = max(unit.day, newest.get(unit.section, unit.day))
    return newest


def _past(place: Place, base: Base, index: int, latest: dict[int, date], v: Verdict, figured: bool) -> str:
    """ "past" for what an old line, or a line overtaken by a newer one, says about a state of long ago."""
    unit, read = place.doc.units[index], place.readings[index]
    if figured and v.kind in ("outlier", "gap", "limit") and not unit.dated:
        return ""
    if _older_file(place, base, v):
        return "past"
    if read.past and not (v.due is not None and v.due >= base.today):
        return "past"
    if _of_another_year(unit, base, v) and not read.ongoing:
        return "past"
    if base.stale_row(place, index):
        return "past"
    lasting = v.kind in LASTING or unit.box == "open"
    if v.due is not None:
        if (base.today - v.due).days > OLD_OVERDUE_DAYS:
            return "past"
        if unit.box == "open" or v.due >= base.today - timedelta(days=7):
            return ""
    if unit.dated and unit.day is not None:
        age = (base.today - unit.day).days
        newest = latest.get(unit.section, unit.day)
        if age > (LASTING_DAYS if unit.day == newest else 0) and age > (LASTING_DAYS if lasting else STALE_DAYS):
            return "past"
        if newest > unit.day and not (figured and v.kind not in HARD) and _overtaken(place, index, base, lasting):
            return "past"
        return ""
    days = [f for f in place.found[index] if not f.relative]
    if days and v.due is None and not read.ongoing:
        newest_day = max(f.day for f in days)
        if (base.today - newest_day).days > (
            100 if lasting else 25 if any(f.grain == "month" for f in days) else STALE_DAYS
        ):
            return "past"
    if (
        unit.day is not None
        and (base.today - unit.day).days > (LASTING_DAYS if lasting else STALE_DAYS)
        and unit.box != "open"
    ):
        return "past"
    return ""


YEAR = re.compile(r"(?<![\d./-])(1[5-9]\d\d|20\d\d)(?![\d./-]\d|\d)")


def _of_another_year(unit: Unit, base: Base, v: Verdict) -> bool:
    """A statement that names only years gone by ("In 2023 a crate came broken")."""
    if v.due is not None or unit.fields or unit.box == "open":
        return False
    found = list(YEAR.finditer(unit.text))
    if not found or max(int(m[1]) for m in found) >= base.today.year:
        return False
    return not re.search(r"[.!?;:]\s", unit.text[: found[0].start()])  # the year stands in the first sentence


def _older_file(place: Place, base: Base, v: Verdict) -> bool:
    """In a folder with a file a day, what an older file says is past once a newer one speaks of it or time went by."""
    doc = place.doc
    series = base.folders.get(doc.file.path.rpartition("/")[0])
    if series is None or doc.day is None or doc not in series or (v.due is not None and v.due >= base.today):
        return False
    for later in series:
        if later.day is None or later.day <= doc.day:
            continue
        if (base.today - doc.day).days > 10 or (later.day - doc.day).days > 2:
            other = base.places[later.file.path]
            if any(r.closed for r in other.readings) or (base.today - doc.day).days > LOG_DAYS:
                return True
    return False


def _overtaken(place: Place, index: int, base: Base, lasting: bool) -> bool:
    """A later dated entry of the same log says all is well, or speaks of the same thing again."""
    doc, unit = place.doc, place.doc.units[index]
    assert unit.day is not None
    mine = _stems(place, base, index)
    dated = [n for n, u in enumerate(doc.units) if u.dated and u.day is not None and u.section == unit.section][-9:]
    if len(dated) <= 8 and dated and dated[-1] > index and place.readings[dated[-1]].closed:
        return True  # a short log that ends well
    reach = LOOK_BEYOND
    for other, later in enumerate(doc.units):
        if reach == 0:
            break
        if not later.dated or later.day is None or later.day <= unit.day or later.section != unit.section:
            continue
        reach -= 1
        read = place.readings[other]
        shared = mine & _stems(place, base, other)
        if read.closed and (shared or not lasting):
            return True
        if not lasting and not read.open_events() and (shared or len(read.tokens) <= 8):
            return True
    return False


def _stems(place: Place, base: Base, index: int | None) -> frozenset[str]:
    if index is None:
        return frozenset()
    known = place.stems.get(index)
    if known is None:
        known = place.stems[index] = _stems_of(place, base, index)
    return known


def _stems_of(place: Place, base: Base, index: int) -> frozenset[str]:
    doc = place.doc
    words = place.readings[index].tokens
    return frozenset(
        {
            base.lex.stem(t.text, doc.language)
            for t in words
            if len(t.text) > 3 and t.text.isalpha() and not base.lex.is_generic(t.text, doc.language)
        }
    )


def _matter(doc: Document, unit: Unit, v: Verdict) -> str:
    """Which matter a unit belongs to: tasks and dated records stand alone, other lines go with their section."""
    if unit.kind in ("task", "record") and v.due is not None:
        return f"{doc.file.path}#{unit.section}:{unit.line}"
    if unit.kind == "task":
        return f"{doc.file.path}#{unit.section}:{unit.line}"
    if unit.kind == "row" and v.due is not None:
        return f"{doc.file.path}#{unit.section}:{v.kind if v.kind == 'deadline' else unit.line}"
    return f"{doc.file.path}#{unit.section}"
