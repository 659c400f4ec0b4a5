"""DOMAIN. Records by their column names: table rows, CSV rows, YAML and JSON entries. The header decides each role."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from itertools import pairwise
from typing import NamedTuple

from adjutant.documents.document import Block
from adjutant.domain.matters.cues import Cues
from adjutant.language import dates
from adjutant.language.dates import Date
from adjutant.language.pack import listed
from adjutant.language.words import words

DATE_ROLES = ("due", "promised", "sent", "start", "end", "paid", "when", "log")
_BARE_DAY = re.compile(r"\d{1,2}\.\d{2}")
LONG_OVER, MOST_STATUS = 7, 20  # days after which a row is over; characters of a status
USUAL, LEAST = 0.6, 3  # the state that so much of a table's past rows has, of at least so many, closes a row
WEEK, TERM = 7, 90  # days; nothing is done so long before it is due, it is done anew then
FULL = 0.7  # of a column's cells are dates
ALIKE = 5  # letters with which the names of two columns begin
MOST_DAYS = 12  # open days of one row
MOST_CELLS = 200  # of a column are looked at


class Column(NamedTuple):
    """A column's name and role, whether it holds dates, and the order in which they are written; `learnt`: the role is
    read from its cells; `ahead`: it has a day to come, so that today is planned in it and not noted."""

    name: str
    role: str
    dated: bool
    order: str | None
    learnt: bool = False
    ahead: bool = False


class Table(NamedTuple):
    """The columns of one table, and which words close a row in it."""

    columns: Mapping[str, Column]
    closing: frozenset[str]
    newest: int = 0  # the line of the row that alone speaks, where each row is a look at the same thing
    kept: bool = False  # rows stand on after their day, and nothing says which are done
    mild: bool = False  # what closes a row is known from the cells alone, and says nothing of a day to come

    def of_role(self, role: str) -> Column | None:
        """The first column of a role."""
        return next((each for each in self.columns.values() if each.role == role), None)


class MatterRow(NamedTuple):
    """One open thing of a row: its kind, words, day (None for a state alone), whether a day past makes it late, and the
    line of the cell that says so. `is_plan`: the day is the end of something that goes on, not a deadline of it."""

    kind: str
    what: str
    day: Date | None
    dated: bool
    who: str
    line: int
    is_plan: bool = False


def role_of(name: str, known: Cues) -> str:
    """The role of a column by its name: the whole name, else its last or first word, else a deadline word that it is or
    ends with ("mot lapses"); "" for one nobody listed."""
    for role, phrases in known.columns.items():
        if phrases.whole(name):
            return role
    said = words(name)
    for word in (said[-1:], said[:1]) if len(said) > 1 else ():
        for role, phrases in known.columns.items():
            if role in DATE_ROLES and phrases.whole("".join(word)):
                return role
    if said and (known.deadline.at(said, 0) == len(said) or known.deadline.at(said, len(said) - 1)):
        return "due"
    spelled = name.lower().replace("ae", "ä").replace("oe", "ö").replace("ue", "ü")  # `faellig`
    return role_of(spelled, known) if spelled != name.lower() else ""


def table_of(rows: Sequence[Block], near: date, known: Cues, code: str, order: str | None = None) -> Table:
    """What the rows of one table tell of its columns."""
    values: dict[str, list[str]] = {}
    for row in rows:
        for cell in row.columns:
            values.setdefault(cell.name, []).append(cell.value)
    columns = {}
    for name, said in values.items():
        cells = [value for value in said if value.strip()][:MOST_CELLS]
        own = dates.order_of(cells) or order
        found = [day for cell in cells if (day := _date_in(cell, near, code, own)) is not None]
        figured = sum(any(char.isdigit() for char in cell) for cell in cells)  # "whenever" is no day and no other thing
        dated = len(found) >= max(1, FULL * figured, len(cells) / 2)
        ahead = any(day.first > near for day in found)
        columns[name] = Column(name, role_of(name, known), dated, own, ahead=ahead)
    _settling(columns, values, len(rows), near, code)
    if not any(each.role in ("paid", "status") for each in columns.values()):
        closing = _name_status(columns, rows, near, code)
        if closing and name_state(closing, known) in ("", "closed"):
            return Table(columns, frozenset((closing,)))
        if closing := _find_denied(columns, values, known):
            return Table(columns, frozenset((closing,)), mild=True)
    about = (rows, columns, near, code)
    return Table(columns, _learnt(rows, columns, near, known, code), _newest(*about), _is_kept(*about))


def _is_kept(rows: Sequence[Block], columns: Mapping[str, Column], near: date, code: str) -> bool:
    """Whether rows stand on after they are due, without a column that says what is done: none of them is late."""
    ticked = any(each.role in ("status", "paid") for each in columns.values())
    due = [each.name for each in columns.values() if each.role in ("due", "promised") and not ticked]
    days = (_day(name, _value(row, name), columns, near, code) for name in due for row in rows[:MOST_CELLS])
    return sum(day is not None and day.last < near for day in days) >= LEAST


def _newest(rows: Sequence[Block], columns: Mapping[str, Column], near: date, code: str) -> int:
    """The line of the newest row of a log of checks, which mostly say the same until the same day; 0 without one."""
    dated = [each for each in columns.values() if each.dated]
    logged = next((each.name for each in dated if each.role in ("when", "log") and not each.ahead), "")
    due = next((each.name for each in dated if each.role in ("due", "promised")), "")
    said = [{cell[:2] for cell in row.columns if cell.value and cell.name != logged} for row in rows[-MOST_CELLS:]]
    alike = sum(2 * len(one & two) > len(one) and due in dict(one & two) for one, two in pairwise(said))
    if not logged or len(rows) < LEAST or alike < USUAL * (len(rows) - 1):
        return 0
    days = ((_day(logged, _value(row, logged), columns, near, code), row.line) for row in rows)
    return max(((day.first, line) for day, line in days if day is not None), default=(near, 0))[1]


def _name_status(columns: dict[str, Column], rows: Sequence[Block], near: date, code: str) -> str:
    """A column that no header calls a status is one, the last of them, where the rows up to today hold one word and
    those to come do not: that word, "" where there is none."""
    over, ahead = list[Block](), list[Block]()
    for row in rows[:MOST_CELLS]:
        days = [day.last for cell in row.columns if (day := _day(cell.name, cell.value, columns, near, code))]
        if days:
            (over if max(days) <= near else ahead).append(row)
    for name, column in reversed(columns.items()):
        if column.role or column.dated or len(over) < LEAST:
            continue
        usual, count = Counter(_value(row, name) for row in over).most_common(1)[0]
        short = 0 < len(usual) <= MOST_STATUS and not any(char.isdigit() for char in usual)
        later = [_value(row, name) for row in ahead]
        if short and count >= max(LEAST, USUAL * len(over)) and later.count(usual) <= len(later) // 4:
            columns[name] = column._replace(role="status")
            return usual
    return ""


def _find_denied(columns: dict[str, Column], values: Mapping[str, Sequence[str]], known: Cues) -> str:
    """As `_name_status`: the last column in which most cells begin with one word ("came", "yes") and some deny it ("no,
    rang twice")."""
    for name, column in reversed(columns.items()):
        said = Counter(first for value in values[name] for first in words(value)[:1])
        usual, count = said.most_common(1)[0] if said else ("", 0)
        often = usual.isalpha() and count >= max(LEAST, USUAL * said.total())
        states = [name_state(value, known) for value in (usual, *values[name])]
        if often and not column.role and not column.dated and states[0] in ("", "closed") and "open" in states:
            columns[name] = column._replace(role="status")
            return usual
    return ""


def _value(row: Block, name: str) -> str:
    return next((cell.value.strip().lower() for cell in row.columns if cell.name == name), "")


def _settling(
    columns: dict[str, Column], values: Mapping[str, Sequence[str]], rows: int, near: date, code: str
) -> None:
    """Learns from the table itself what its headers do not say: the end of what has a beginning; the column that is
    filled in when a row is done, which stands behind the date that it answers; what that date is."""
    names = list(columns)
    _begin(columns, values, near, code)
    begins = (at for at, name in enumerate(names) if columns[name].role == "start" and columns[name].dated)
    start = next(begins, None)
    behind = names[start + 1 :] if start is not None else []
    if end := next((name for name in behind if columns[name].dated), None):
        columns[end] = columns[end]._replace(role="end")
    awaited = [name for name in names if columns[name].role in ("due", "promised")]
    if (pair := _pair(columns, values)) is not None:
        asked, answer = pair
        columns[asked] = columns[asked]._replace(role=columns[asked].role or "due")
        columns[answer] = columns[answer]._replace(role="paid")
        return
    after = names[names.index(awaited[0]) + 1 :] if awaited else []
    handed = (name for name in after if name.lower() in listed("records", "columns.handed"))
    if name := next((name for name in handed if not all(value.strip() for value in values[name])), None):
        columns[name] = columns[name]._replace(role="paid")
    if any(columns[name].role in ("paid", "status") for name in names):
        done = next((name for name in names if columns[name].role == "paid"), None)
    else:
        done = next((name for name in names[::-1] if _is_settling(name, columns, values, rows, near, code)), None)
        done = names[-1] if done is None and _is_ticked(names[-1], values[names[-1]]) else done
    if done is None:
        return
    columns[done] = columns[done]._replace(role="paid", learnt=not columns[done].role)
    if not awaited:
        before = (columns[name] for name in names[: names.index(done)])
        full = [each.name for each in before if each.dated and each.ahead and not each.role]  # else it is a log
        if full:
            columns[full[-1]] = columns[full[-1]]._replace(role="due")


def _is_ticked(name: str, cells: Sequence[str]) -> bool:
    """Whether a column without a name is filled in when a row is done: most of what stands in it begins with one word
    ("pd", "pd cash 1/4"), and some cells are empty."""
    filled = [words(cell)[:1] for cell in cells if _says(cell)]
    if name.strip() or not LEAST <= len(filled) < len(cells):
        return False
    usual, count = Counter("".join(first) for first in filled).most_common(1)[0]
    return usual.isalpha() and count >= USUAL * len(filled)


def _begin(columns: dict[str, Column], values: Mapping[str, Sequence[str]], near: date, code: str) -> None:
    """Finds the column with which a term begins: `received` is in every row about as many days before `reply by`, and
    `last done` mostly long before `expires`."""
    names = list(columns)
    due = next((name for name in names if columns[name].role == "due"), names[0])
    for name in names[: names.index(due)]:
        if columns[name].role == "paid" and columns[name].dated:
            both = zip(values[name][:MOST_CELLS], values[due], strict=False)
            ends = ([_date_in(cell, near, code, columns[name].order) for cell in pair] for pair in both)
            spans = sorted((two.first - one.first).days if one and two else 0 for one, two in ends)
            even = spans[0] >= WEEK >= spans[-1] - spans[0]
            if len(spans) >= LEAST and (even or spans[len(spans) // 2] >= TERM):
                columns[name] = columns[name]._replace(role="sent")


def _pair(columns: Mapping[str, Column], values: Mapping[str, Sequence[str]]) -> tuple[str, str] | None:
    """(the column that sets a day, the one that says when that was done), as `order by` and `ordered on`: their names
    begin alike. Where the second is full, they do not begin with one word: `invoice due` and `invoice sent` are two
    things. None where there are none."""
    asked = [each for each in columns.values() if each.role in ("due", "promised") or (each.dated and not each.role)]
    answers = [each.name for each in columns.values() if each.role in ("sent", "paid")]
    open_ones = {name for name in answers if not all(value.strip() for value in values[name])}
    for one in asked:
        for two in answers:
            alike = _beginning(one.name) == _beginning(two) != ""
            if alike and (two in open_ones or words(one.name)[:1] != words(two)[:1]):
                return one.name, two
    return None


def _beginning(name: str) -> str:
    """The first letters of a column's name, "" where it is too short to tell."""
    first = words(name)[:1]
    return first[0][:ALIKE] if first and len(first[0]) >= ALIKE else ""


def _is_settling(
    name: str, columns: Mapping[str, Column], values: Mapping[str, Sequence[str]], rows: int, near: date, code: str
) -> bool:
    """Whether a column is filled in when a row is done: it is named as the answer to the one that is waited for ("reply
    by", "reply"), or holds days up to today, some cells none, behind another column of dates."""
    names, filled = list(columns), [value for value in values[name] if _says(value)]
    before = names[: names.index(name)]
    if columns[name].role or not filled or not before:
        return False
    asked = [words(each) for each in before if columns[each].role in ("due", "promised")]
    if any(words(name) == each[: len(words(name))] and len(each) > len(words(name)) for each in asked):
        return True
    if not any(columns[each].dated for each in before) or any(columns[each].dated for each in names[len(before) + 1 :]):
        return False
    days = [_date_in(value, near, code, columns[name].order) for value in filled[:MOST_CELLS]]
    past = [day for day in days if day is not None and day.last <= near]
    return (
        (len(filled) < rows or len(past) < len(days))
        and len(past) >= max(LEAST - 1, USUAL * len(days))
        and all(day is None or day.last <= near for day in days)
    )


def _learnt(rows: Sequence[Block], columns: Mapping[str, Column], near: date, known: Cues, code: str) -> frozenset[str]:
    """The status words that close a row here: the usual state of the rows whose day is over."""
    past: Counter[str] = Counter()
    for row in rows:
        days = [day.last for cell in row.columns if (day := _day(cell.name, cell.value, columns, near, code))]
        status = _status(row, columns)
        if status and days and max(days) < near - timedelta(days=LONG_OVER):
            past[status] += 1
    if not past:
        return frozenset()
    usual, count = past.most_common(1)[0]
    enough = count >= max(LEAST, USUAL * past.total()) and name_state(usual, known) in ("", "closed")
    return frozenset((usual,)) if enough else frozenset()


def _status(row: Block, columns: Mapping[str, Column]) -> str:
    return next((cell.value.strip().lower() for cell in row.columns if columns[cell.name].role == "status"), "")


def _day(name: str, value: str, columns: Mapping[str, Column], near: date, code: str) -> Date | None:
    column = columns[name]
    if column.role in DATE_ROLES:
        return _date_in(value, near, code, column.order, 0)
    return _date_in(value, near, code, column.order) if column.dated else None


def _date_in(value: str, near: date, code: str, order: str | None, share: float = 0.5) -> Date | None:
    """The date that makes up `share` of a cell; a cell of prose with a date in it is none."""
    if not 2 < len(value) <= 40:
        return None
    if _BARE_DAY.fullmatch(value.strip()):
        value = f"{value.strip()}."  # in a cell of its own 29.06 is a day
    said = dates.find(value, near, anchor=near, code=code, order=order)
    found = [day for day in said if not share or day.exact or not day.relative]  # "not this year" is a remark
    return found[0] if found and found[0].end - found[0].start >= share * len(value.strip()) else None


def state_of(row: Block, table: Table, near: date, known: Cues, code: str) -> str:
    """open, closed, waiting, blocked, problem, unknown for a word nobody listed, or "" where nothing tells."""
    status = _status(row, table.columns)
    if status:
        closes = not table.closing.isdisjoint((status, *words(status)[:1]))
        return "closed" if closes else name_state(status, known) or "unknown"
    paid = table.of_role("paid")
    if paid is not None:
        said = _cell(row, table, "paid")
        state = name_state(said, known) if said else "open"
        if state and state != "closed":  # "Paid: pending"
            return state
        closed = known.states["closed"].whole(said)
        remark = paid.learnt and len(said) > MOST_STATUS and _date_in(said, near, code, paid.order) is None
        return "open" if not closed and (remark or not _says(said)) else "closed"  # an hourglass or dash says nothing
    return ""


def _says(cell: str) -> bool:
    return any(char.isalnum() for char in cell)


def name_state(status: str, known: Cues) -> str:
    """The state that a status begins with, "" for a word that nobody listed; what is denied is open: "noch nicht"."""
    said = words(status)
    for name in ("open", "blocked", "waiting", "problem", "closed"):  # "not paid" is open before "paid" closes
        if known.states[name].whole(status) or (said and known.states[name].at(said, 0)):
            return name
    first = next((word for word in said if word not in listed("words", "stop") - known.negators), "")
    return "open" if first in known.negators else ""


def read_row(row: Block, table: Table, near: date, known: Cues, code: str) -> tuple[str, list[MatterRow]]:
    """(the row's state, what is open in it). A closed row has nothing open; every column with dates is looked at."""
    state = state_of(row, table, near, known, code)
    closed = state == "closed"
    if (closed and not table.mild) or table.newest not in (0, row.line):
        return state, []
    state = "" if closed else state
    found: list[MatterRow] = []
    who = _cell(row, table, "owner")
    for cell in row.columns:
        column = table.columns[cell.name]
        day = _day(cell.name, cell.value, table.columns, near, code)
        if day is None or column.role in ("sent", "start", "paid", "log") or len(found) == MOST_DAYS:
            continue
        said = MatterRow("deadline", _words(row, table, cell.name, cell.value), day, False, who, cell.line, True)
        ahead = not day.relative and day.last >= near
        if closed and column.role != "when":
            continue
        if column.role == "end" or (not column.role and column.dated and ahead):
            found.append(said)
        elif column.role in ("due", "promised"):
            kind = "waiting" if column.role == "promised" and who else "deadline"
            found.append(said._replace(kind=kind, dated=not table.kept and state != "unknown", is_plan=False))
        elif column.role == "when" and ahead and column.ahead:
            found.append(said._replace(kind="appointment", is_plan=False))
    if state in ("waiting", "blocked", "problem"):
        days = [each.day for each in found if each.day is not None]
        day = min(days, key=lambda day: day.last) if days else None
        found = [MatterRow(state, _words(row, table, "", ""), day, True, who, _line_of(row, table, "status"))]
    return state, found


def _line_of(row: Block, table: Table, role: str) -> int:
    return next((cell.line for cell in row.columns if table.columns[cell.name].role == role), row.line)


def _cell(row: Block, table: Table, role: str) -> str:
    return next((cell.value.strip() for cell in row.columns if table.columns[cell.name].role == role), "")


def _words(row: Block, table: Table, name: str, value: str) -> str:
    """A row in its own words: its cells without other dates, and the column that this is about; a status only where the
    row is about that."""
    idle = {*DATE_ROLES, *(("status",) if name else ())} - {"start"}  # `from` without days names somebody
    said = [
        cell.value.strip()
        for cell in row.columns
        if cell.name != name and not table.columns[cell.name].dated and table.columns[cell.name].role not in idle
    ]
    own = ", ".join(filter(None, dict.fromkeys(said)))
    if row.kind == "record" and row.table < 0 and row.path:
        own = f"{row.path[-1]}: {own}" if own else row.path[-1]  # an entry is called by its key
    if not name or (own and table.columns[name].role == "when"):
        return own  # `date` says nothing of what is on that day
    return f"{own}: {name.replace('_', ' ')} {value.strip()}".lstrip(": ")
