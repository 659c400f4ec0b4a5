"""DOMAIN. Records by their column names: table rows, CSV rows, YAML and JSON entries. The header decides each role."""

from datetime import date
from typing import NamedTuple

from adjutant.documents.document import Block
from adjutant.domain.matters import columns
from adjutant.domain.matters.columns import DATE_ROLES, MOST_STATUS, Table
from adjutant.domain.matters.cues import Cues
from adjutant.language.dates import Date
from adjutant.language.pack import listed
from adjutant.language.words import words

MOST_DAYS = 12  # open days of one row


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


def state_of(row: Block, table: Table, near: date, known: Cues, code: str) -> str:
    """open, closed, waiting, blocked, problem, unknown for a word nobody listed, or "" where nothing tells."""
    status = columns.status_of(row, table.columns)
    if status:
        closes = not table.closing.isdisjoint((status, *words(status)[:1]))
        return "closed" if closes else columns.name_state(status, known) or "unknown"
    paid = table.of_role("paid")
    if paid is not None:
        said = _cell(row, table, "paid")
        state = columns.name_state(said, known) if said else "open"
        if state and state != "closed":  # "Paid: pending"
            return state
        remark = paid.learnt and len(said) > MOST_STATUS and columns.date_in(said, near, code, paid.order) is None
        idle = remark or not columns.says(said)  # an hourglass or dash says nothing
        return "open" if idle and not known.states["closed"].whole(said) else "closed"
    stated = (cell for cell in row.columns if cell.name in table.remarks)
    return next((said for cell in stated if (said := columns.state_in(cell.value, near, known, code))), "")


def read_row(row: Block, table: Table, near: date, known: Cues, code: str) -> tuple[str, list[MatterRow]]:
    """(the row's state, what is open in it). A closed row has nothing open; every column with dates is looked at."""
    state = state_of(row, table, near, known, code)
    closed = state == "closed"
    if (closed and not table.mild) or table.newest not in (0, row.line) or _is_total(row, table):
        return state, []
    state = "" if closed else state
    found: list[MatterRow] = []
    who, again = _cell(row, table, "owner"), table.of_role("last")
    last = columns.date_in(_cell(row, table, "last"), near, code, again.order) if again else None
    for cell in row.columns:
        column = table.columns[cell.name]
        day = columns.day_in(cell.name, cell.value, table.columns, near, code)
        if day is None or column.role in ("sent", "last", "start", "paid", "log") or len(found) == MOST_DAYS:
            continue
        said = MatterRow("deadline", _words(row, table, cell.name, cell.value), day, False, who, cell.line, True)
        ahead = not day.relative and day.last >= near
        if (closed and column.role != "when") or (column.role == "due" and last and day.last <= last.last):
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


def _is_total(row: Block, table: Table) -> bool:
    """Whether a row is the last and sums up the others: "Total" and figures."""
    said = [cell.value for cell in row.columns if cell.value.strip() and not table.columns[cell.name].dated]
    worded = [cell.lower() for cell in said if not columns.is_figure(cell)]
    return row.line == table.end and len(worded) == 1 and worded[0].strip(": *") in listed("records", "total")


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
    if said and columns.is_figure(said[0]):  # an amount names nothing
        thing = next((cell.value.strip() for cell in row.columns if cell.name == table.name), said[0])
        said.sort(key=lambda cell: cell != thing)
    own = ", ".join(filter(None, dict.fromkeys(said)))
    if row.kind == "record" and row.table < 0 and row.path:
        own = f"{row.path[-1]}: {own}" if own else row.path[-1]  # an entry is called by its key
    if not name or (own and table.columns[name].role == "when"):
        return own  # `date` says nothing of what is on that day
    return f"{own}: {name.replace('_', ' ')} {value.strip()}".lstrip(": ")
