"""DOMAIN. What a table tells of its columns: their roles by header and cells, and which words close a row in it."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from datetime import date, timedelta
from itertools import pairwise
from typing import NamedTuple

from adjutant.documents.document import Block
from adjutant.domain.matters.cues import Cues
from adjutant.language import dates
from adjutant.language.dates import Date
from adjutant.language.pack import listed
from adjutant.language.words import words

DATE_ROLES = ("due", "promised", "sent", "last", "start", "end", "paid", "when", "log")
_BARE_DAY = re.compile(r"\d{1,2}\.\d{2}")
LONG_OVER, MOST_STATUS = 7, 20  # days after which a row is over; characters of a status
USUAL, LEAST = 0.6, 3  # the state that so much of a table's past rows has, of at least so many, closes a row
WEEK, TERM = 7, 90  # days; nothing is done so long before it is due, it is done anew then
FULL = 0.7  # of a column's cells are dates
UNIT = 3  # letters of a currency or a measure
ALIKE = 5  # letters with which the names of two columns begin
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
    name: str = ""  # the column that names the thing
    end: int = 0  # the line of the last row
    remarks: frozenset[str] = frozenset()  # the columns without a role in which a cell may be the state of its row

    def of_role(self, role: str) -> Column | None:
        """The first column of a role."""
        return next((each for each in self.columns.values() if each.role == role), None)


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
        found = [day for cell in cells if (day := date_in(cell, near, code, own)) is not None]
        figured = sum(any(char.isdigit() for char in cell) for cell in cells)  # "whenever" is no day and no other thing
        dated = len(found) >= max(1, FULL * figured, len(cells) / 2)
        ahead = any(day.first > near for day in found)
        columns[name] = Column(name, role_of(name, known), dated, own, ahead=ahead)
    _repeat(columns)
    _settling(columns, values, len(rows), near, code)
    if not any(each.role in ("paid", "status") for each in columns.values()):
        closing = _name_status(columns, rows, near, code)
        if closing and name_state(closing, known) in ("", "closed"):
            return Table(columns, frozenset((closing,)), name=_naming(columns, values))
        if closing := _find_denied(columns, values, known):
            return Table(columns, frozenset((closing,)), mild=True, name=_naming(columns, values))
    about = (rows, columns, near, code)
    states = {cell for said in values.values() for cell in said[:MOST_CELLS] if state_in(cell, near, known, code)}
    naming = _naming(columns, values, states)
    free = {each.name for each in columns.values() if each.role in ("", "amount") and states & {*values[each.name]}}
    table = Table(columns, _learnt(rows, columns, near, known, code), _newest(*about), name=naming, end=rows[-1].line)
    if not table.of_role("paid") and (remarks := free - {naming}):
        return table._replace(remarks=frozenset(remarks), mild=table.of_role("status") is None)
    return table._replace(kept=_is_kept(*about))


def _repeat(columns: dict[str, Column]) -> None:
    """`last service` says when a thing was done before, and closes nothing; beside such a column `next` is due."""
    for role, old in (("last", ("", "paid", "sent")), ("next", ("",))):
        starting = listed("records", f"columns.{role}")
        for name, column in columns.items():
            ahead = role == "last" and column.ahead  # "last instalment"
            if column.dated and not ahead and column.role in old and not starting.isdisjoint(words(name)[:1]):
                columns[name] = column._replace(role="due" if role == "next" else role)
        if not any(each.role in ("last", "paid", "sent") for each in columns.values()):
            return


def _naming(columns: Mapping[str, Column], values: Mapping[str, Sequence[str]], states: Set[str] = frozenset()) -> str:
    """The column that names the thing: called so, else of words that are no states, with the most distinct values."""
    best, chosen = (False, False, 0), ""
    for name, column in columns.items():
        cells = [cell for cell in values[name][:MOST_CELLS] if cell.strip()]
        worded = {cell for cell in cells if not is_figure(cell)}
        rank = (column.role == "name", not worded <= states, len(worded))
        if not column.dated and column.role in ("", "name", "owner") and worded and rank > best:
            best, chosen = rank, name
    return chosen


def is_figure(cell: str) -> bool:
    """Whether a cell is an amount or a number: "£40", "120,00 kr", "7"."""
    return any(char.isdigit() for char in cell) and sum(char.isalpha() for char in cell) <= UNIT


def state_in(cell: str, near: date, known: Cues, code: str) -> str:
    """What a cell says of its row in any column, closed ("paid", "sent on 12 Nov") or open ("unpaid"), "" where it says
    more than that and a day, or a word such as "yes" and "new"."""
    first = words(cell)[:1]
    if len(cell) > 2 * MOST_STATUS or not any(known.states[each].firsts & {*first} for each in ("open", "closed")):
        return ""
    day = dates.find(cell, near, anchor=near, code=code)[:1]
    bare = words(f"{cell[: day[0].start]} {cell[day[0].end :]}" if day else cell)
    for said in (" ".join(bare), " ".join(bare[:-1]) if day else ""):  # "paid on"
        for state in ("open", "closed"):
            if len(said) >= LEAST and said not in listed("records", "states.plain") and known.states[state].whole(said):
                return state
    return ""


def _is_kept(rows: Sequence[Block], columns: Mapping[str, Column], near: date, code: str) -> bool:
    """Whether rows stand on after they are due, without a column that says what is done: none of them is late."""
    ticked = any(each.role in ("status", "paid", "last") for each in columns.values())
    due = [each.name for each in columns.values() if each.role in ("due", "promised") and not ticked]
    days = (day_in(name, _value(row, name), columns, near, code) for name in due for row in rows[:MOST_CELLS])
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
    days = ((day_in(logged, _value(row, logged), columns, near, code), row.line) for row in rows)
    return max(((day.first, line) for day, line in days if day is not None), default=(near, 0))[1]


def _name_status(columns: dict[str, Column], rows: Sequence[Block], near: date, code: str) -> str:
    """A column that no header calls a status is one, the last of them, where the rows up to today hold one word and
    those to come do not: that word, "" where there is none."""
    over, ahead = list[Block](), list[Block]()
    for row in rows[:MOST_CELLS]:
        days = [day.last for cell in row.columns if (day := day_in(cell.name, cell.value, columns, near, code))]
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
    filled = [words(cell)[:1] for cell in cells if says(cell)]
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
            ends = ([date_in(cell, near, code, columns[name].order) for cell in pair] for pair in both)
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
    names, filled = list(columns), [value for value in values[name] if says(value)]
    before = names[: names.index(name)]
    if columns[name].role or not filled or not before:
        return False
    asked = [words(each) for each in before if columns[each].role in ("due", "promised")]
    if any(words(name) == each[: len(words(name))] and len(each) > len(words(name)) for each in asked):
        return True
    if not any(columns[each].dated for each in before) or any(columns[each].dated for each in names[len(before) + 1 :]):
        return False
    days = [date_in(value, near, code, columns[name].order) for value in filled[:MOST_CELLS]]
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
        days = [day.last for cell in row.columns if (day := day_in(cell.name, cell.value, columns, near, code))]
        status = status_of(row, columns)
        if status and days and max(days) < near - timedelta(days=LONG_OVER):
            past[status] += 1
    if not past:
        return frozenset()
    usual, count = past.most_common(1)[0]
    enough = count >= max(LEAST, USUAL * past.total()) and name_state(usual, known) in ("", "closed")
    return frozenset((usual,)) if enough else frozenset()


def status_of(row: Block, columns: Mapping[str, Column]) -> str:
    """What stands in the status column of a row, in small letters."""
    return next((cell.value.strip().lower() for cell in row.columns if columns[cell.name].role == "status"), "")


def day_in(name: str, value: str, columns: Mapping[str, Column], near: date, code: str) -> Date | None:
    """The day that a cell names in its column."""
    column = columns[name]
    if column.role in DATE_ROLES:
        return date_in(value, near, code, column.order, 0)
    return date_in(value, near, code, column.order) if column.dated else None


def date_in(value: str, near: date, code: str, order: str | None, share: float = 0.5) -> Date | None:
    """The date that makes up `share` of a cell; a cell of prose with a date in it is none."""
    if not 2 < len(value) <= 40:
        return None
    if _BARE_DAY.fullmatch(value.strip()):
        value = f"{value.strip()}."  # in a cell of its own 29.06 is a day
    said = dates.find(value, near, anchor=near, code=code, order=order)
    found = [day for day in said if not share or day.exact or not day.relative]  # "not this year" is a remark
    return found[0] if found and found[0].end - found[0].start >= share * len(value.strip()) else None


def says(cell: str) -> bool:
    """Whether a cell holds more than a dash or a sign."""
    return any(char.isalnum() for char in cell)


def name_state(status: str, known: Cues) -> str:
    """The state that a status begins with, "" for a word that nobody listed; what is denied is open: "noch nicht"."""
    said = words(status)
    for name in ("open", "blocked", "waiting", "problem", "closed"):  # "not paid" is open before "paid" closes
        if known.states[name].whole(status) or (said and known.states[name].at(said, 0)):
            return name
    first = next((word for word in said if word not in listed("words", "stop") - known.negators), "")
    return "open" if first in known.negators else ""
