"""What stands out in rows: the odd one of its column, the end of a run that changed, the line unlike its siblings."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import date
from itertools import pairwise
from statistics import median

import msgspec

from adjutant.domain.knowledge import dates, reading
from adjutant.domain.knowledge.context import Base, Place, counted
from adjutant.domain.knowledge.structure import Field, Unit

MIN_ROWS = 3
ANSWER = frozenset(["answer", "answers", "rsvp", "reply", "coming", "svar", "kommer", "antwort", "kommt"])
COMMENT = frozenset(
    {"note", "notes", "remark", "remarks", "comment", "comments", "merknad", "bemerkung", "anmerkung", "notat"}
)
VACANT = re.compile(r"\?+|tbd|tba|tbc|n\.n\.|nn|vakant|vacant|ledig|offen|ubesatt|-+|–|—", re.I)


class Odd(msgspec.Struct, frozen=True):
    """A unit that stands out: `share` 0..1 is how sure; `kind` gap, outlier or limit."""

    index: int
    line: int
    kind: str
    weight: float
    why: str = ""


class Column(msgspec.Struct):
    """One column of a table: (unit index, field) in row order."""

    key: str
    cells: list[tuple[int, Field]]


def find(place: Place, base: Base) -> list[Odd]:
    """Everything that stands out in a document's tables, records and lists."""
    found: list[Odd] = []
    for rows in _tables(place):
        dated = sum(1 for i in rows if place.doc.units[i].dated) >= 0.8 * len(rows) and len(rows) >= MIN_ROWS
        columns = _columns(place, rows)
        if (dated and _ordered(place, rows)) or (len(rows) >= 6 and counted(place.doc, rows)):
            found += _runs(place, base, rows, columns)
        else:
            found += _odd_values(place, base, rows, columns)
            found += _odd_numbers(place, base, rows, columns)
            found += _odd_days(place, base, rows, columns)
            found += _pairs(place, base, rows, columns)
        found += _blanks(place, base, rows, columns, dated)
        found += _sums(place, base, rows, columns)
        found += _few(place, base, rows, columns)
        found += _unpaid(place, base, rows, columns)
    found += _odd_lines(place, base)
    found += _twice(place)
    found += _same_hour(place, base)
    return found


HOUR = re.compile(
    r"(?<![\d.])(\d{1,2})(?:[:.](\d{2}))?\s?(?:uhr|h|am|pm|o'clock)\b|(?:kl\.?\s?|at\s)(\d{1,2})(?:[:.](\d{2}))?\b|(?<![\d.:-])(\d{1,2}):(\d{2})(?![\d:])",
    re.I,
)


def _same_hour(place: Place, base: Base) -> list[Odd]:
    """Two entries of one calendar on the same coming day at the same hour."""
    seen: dict[tuple[date, str], int] = {}
    found = []
    for index, unit in enumerate(place.doc.units):
        if unit.box == "done" or unit.kind in ("quote", "code"):
            continue
        days = [f.day for f in place.found[index] if f.grain == "day" and f.day >= base.today]
        hour = HOUR.search(unit.text)
        if len(days) != 1 or not hour or (days[0] - base.today).days > 120:
            continue
        at = (days[0], ":".join(g for g in hour.groups() if g).removesuffix(":00"))
        if at in seen and place.doc.units[seen[at]].section == unit.section:
            found.append(Odd(index, unit.line, "conflict", 0.75, "same hour"))
            found.append(Odd(seen[at], place.doc.units[seen[at]].line, "conflict", 0.75, "same hour"))
        seen.setdefault(at, index)
    return found


def _twice(place: Place) -> list[Odd]:
    """The same dated entry with the same figure a second time."""
    seen: set[str] = set()
    found = []
    for index, unit in enumerate(place.doc.units):
        text = re.sub(r"\s*\(.*?\)\s*$", "", unit.text).strip().lower()
        if unit.dated and len(re.findall(r"\d", text)) >= 7 and len(text) > 18:
            if text in seen:
                found.append(Odd(index, unit.line, "conflict", 0.75, "entered twice"))
            seen.add(text)
    return found


def _tables(place: Place) -> list[list[int]]:
    tables: dict[tuple[str, int], list[int]] = defaultdict(list)
    for index, unit in enumerate(place.doc.units):
        if unit.kind == "row" or (unit.kind == "record" and unit.table >= 0):
            tables[(unit.kind, unit.table)].append(index)
    return [rows for rows in tables.values() if len(rows) >= 2]


def _columns(place: Place, rows: Sequence[int]) -> list[Column]:
    columns: dict[str, Column] = {}
    for index in rows:
        for f in place.doc.units[index].fields:
            columns.setdefault(f.key, Column(f.key, [])).cells.append((index, f))
    return [c for c in columns.values() if c.key]


def _ordered(place: Place, rows: Sequence[int]) -> bool:
    days = [d for i in rows if (d := place.doc.units[i].day) is not None]
    return (
        len(days) >= MIN_ROWS and (days == sorted(days) or days == sorted(days, reverse=True)) and days[0] != days[-1]
    )


def value_of(text: str) -> float | None:
    """The number a cell is, with or without a unit; None for dates, ids with letters, and prose."""
    text = text.strip().strip("~≈*_ ").replace("−", "-")
    match = re.match(r"^[€$£]?\s?([-+]?\d[\d ,.’']*)\s?(%|°?C|[^\W\d]{0,6}\.?|[€$£])?$", text)
    if not match or dates.DOTTED.match(text) or re.match(r"^\d{4}-\d", text):
        return None
    return parse_number(match[1])


def parse_number(digits: str) -> float | None:
    """1,912 and 1.912 are thousands; 0.88 and 0,88 are fractions; 4,123.50 and 4.123,50 are both."""
    plain = digits.strip().replace(" ", "").replace("’", "").replace("'", "")
    if re.fullmatch(r"[-+]?[1-9]\d{0,2}(?:[.,]\d{3})+", plain) and not re.fullmatch(r"1\.0\d\d", plain):
        plain = plain.replace(".", "").replace(",", "")
    elif "," in plain and "." in plain:
        last = max(plain.rfind("."), plain.rfind(","))
        plain = re.sub(r"[.,]", "", plain[:last]) + "." + plain[last + 1 :]
    else:
        plain = plain.replace(",", ".")
    try:
        return float(plain.rstrip("."))
    except ValueError:
        return None


def _is_log(base: Base, place: Place, key: str) -> bool:
    return "log" in base.lex.role(key, place.doc.language)


def _odd_values(place: Place, base: Base, rows: Sequence[int], columns: Sequence[Column]) -> list[Odd]:
    """A word column in which all rows but one or two say the same thing, or all but one say that it is done."""
    found = []
    for column in columns:
        cells = [(i, f) for i, f in column.cells if f.value.strip()]
        if len(cells) < MIN_ROWS or column.key.lower() in COMMENT | ANSWER or _is_log(base, place, column.key):
            continue
        values = Counter(f.value.strip().lower() for _, f in cells)
        common, count = values.most_common(1)[0]
        number = value_of(common) is not None
        odd = [(i, f) for i, f in cells if f.value.strip().lower() != common]
        done = [f for _, f in cells if base.lex.status_of(f.value, place.doc.language) == "done"]
        if number and value_of(common) != 0:
            continue  # an even number is judged by how far the odd one is: _odd_numbers
        if (
            1 <= len(odd) <= max(1, len(cells) // 8)
            and count >= 2
            and count >= 2 * len(odd)
            and (number or count >= 3 or len(done) == count)
        ):
            weight = 0.72 if count >= 3 else 0.6
            for i, f in odd:
                if not reading.read(f.value, base.lex, place.doc.language).closed or number:
                    found.append(Odd(i, f.line, "outlier", weight, f"{column.key}: {f.value}"))
    return found


def _odd_numbers(place: Place, base: Base, rows: Sequence[int], columns: Sequence[Column]) -> list[Odd]:
    """One number far from an otherwise even column: six times its spread."""
    found = []
    for column in columns:
        if _is_log(base, place, column.key) and not re.search(r"\d", column.key):
            continue
        cells = [(i, f, v) for i, f in column.cells if (v := value_of(f.value)) is not None]
        if len(cells) < 4 or len(cells) < 0.6 * len(column.cells):
            continue
        values = [v for _, _, v in cells]
        middle = median(values)
        spread = median(abs(v - middle) for v in values)
        if middle and spread > 0.3 * abs(middle):
            continue
        scale = max(spread, 0.08 * abs(middle), 0.5 if middle == 0 else 0)
        odd = [(i, f) for i, f, v in cells if abs(v - middle) > 6 * scale]
        if 1 <= len(odd) <= max(1, len(cells) // 10):
            found += [Odd(i, f.line, "outlier", 0.72, f"{column.key}: {f.value}") for i, f in odd]
    return found


def _odd_days(place: Place, base: Base, rows: Sequence[int], columns: Sequence[Column]) -> list[Odd]:
    """One date behind or before all others of its column by more than they spread."""
    found = []
    for column in columns:
        cells = []
        for i, f in column.cells:
            days = dates.find(f.value, place.doc.day, base.today, base.lex, place.doc.language)
            if days and len(f.value) <= 40:
                cells.append((i, f, days[0].day))
        if len(cells) < 3 or len(cells) < 0.6 * len(column.cells):
            continue
        due = "due" in base.lex.role(column.key, place.doc.language)
        ordered = sorted(d for _, _, d in cells)
        if (
            due
            and len(ordered) >= 4
            and -30 <= (ordered[0] - base.today).days <= 45
            and (ordered[1] - ordered[0]).days > 120
        ):
            i, f, _ = min(cells, key=lambda c: c[2])
            found.append(Odd(i, f.line, "outlier", 0.75, f"{column.key}: {f.value}"))
            continue
        middle = ordered[len(ordered) // 2]
        rest = sorted(abs((d - middle).days) for d in ordered)
        spread = max(rest[len(rest) // 2], rest[max(0, len(rest) - 2)] if len(rest) > 3 else 0, 2)
        odd = [
            (i, f, d)
            for i, f, d in cells
            if (middle - d).days > 2.5 * spread or (len(cells) == 3 and (middle - d).days > 14 and rest[1] <= 3)
        ]
        if len(odd) == 1 and len(cells) >= 3:
            i, f, d = odd[0]
            if (due and -30 <= (d - base.today).days <= 120) or (
                not due and d < base.today and (base.today - d).days <= 200
            ):
                found.append(Odd(i, f.line, "outlier", 0.75, f"{column.key}: {f.value}"))
    return found


def _pairs(place: Place, base: Base, rows: Sequence[int], columns: Sequence[Column]) -> list[Odd]:
    """Two columns that nearly agree in every row but one (out and back, booked and paid)."""
    found = []
    for left, right in pairwise(columns):
        both = [
            (i, fl, fr, a, b)
            for (i, fl), (_, fr) in zip(left.cells, right.cells, strict=False)
            if (a := value_of(fl.value)) is not None and (b := value_of(fr.value)) is not None
        ]
        if len(both) < 3:
            continue
        near = [x for x in both if abs(x[3] - x[4]) <= 0.12 * max(abs(x[3]), abs(x[4]), 1)]
        far = [x for x in both if abs(x[3] - x[4]) > 0.3 * max(abs(x[3]), abs(x[4]), 1)]
        if len(both) >= 3:
            signs = [(x, x[3] > x[4]) for x in both if x[3] != x[4]]
            more = sum(1 for _, s in signs if s)
            if len(signs) >= 3 and min(more, len(signs) - more) == 1 and len(signs) >= len(both) - 1:
                even = all(0.5 <= x[3] / x[4] <= 2 for x in both if x[4])
                odd = next(x for x, s in signs if s == (more == 1))
                if even:
                    found.append(
                        Odd(
                            odd[0],
                            odd[2].line,
                            "outlier",
                            0.7,
                            f"{left.key} {odd[1].value}, {right.key} {odd[2].value}",
                        )
                    )
        if len(far) in (1, 2) and len(near) >= 2 and len(near) + len(far) == len(both) and len(near) > len(far):
            found += [
                Odd(x[0], x[2].line, "outlier", 0.72, f"{left.key} {x[1].value}, {right.key} {x[2].value}") for x in far
            ]
    return found


def _few(place: Place, base: Base, rows: Sequence[int], columns: Sequence[Column]) -> list[Odd]:
    """A column in which every cell names two ("Anna + Leif") but one cell names fewer."""
    found = []
    for column in columns:
        counts = [
            (i, f, len(re.split(r"\s*(?:\+|&| og | and | und |/)\s*", f.value.strip())))
            for i, f in column.cells
            if f.value.strip()
        ]
        if len(counts) < 4:
            continue
        usual, often = Counter(n for _, _, n in counts).most_common(1)[0]
        fewer = [(i, f) for i, f, n in counts if n < usual]
        if usual >= 2 and often >= 0.7 * len(counts) and 1 <= len(fewer) <= max(1, len(counts) // 5):
            found += [Odd(i, f.line, "gap", 0.72, f"{column.key}: only {f.value}") for i, f in fewer]
    return found


def _unpaid(place: Place, base: Base, rows: Sequence[int], columns: Sequence[Column]) -> list[Odd]:
    """An empty "paid", "answered" or "returned" beside a day of more than six weeks ago."""
    found = []
    for column in columns:
        if "done" not in base.lex.role(column.key, place.doc.language):
            continue
        for i, f in column.cells:
            if f.value.strip(" -–—"):
                continue
            days = [d.day for d in place.found[i] if d.grain == "day"]
            if days and 42 < (base.today - max(days)).days < 200:
                found.append(Odd(i, f.line, "gap", 0.65, f"{column.key} is empty"))
    return found


TOTAL = frozenset(["total", "totals", "sum", "summe", "gesamt", "totalt", "sammenlagt"])


def _sums(place: Place, base: Base, rows: Sequence[int], columns: Sequence[Column]) -> list[Odd]:
    """A total row that is not the sum of its column, or percents that do not make a hundred."""
    last = place.doc.units[rows[-1]]
    if len(rows) < 3 or not any(f.value.strip().lower() in TOTAL for f in last.fields):
        return []
    found = []
    for column in columns:
        values = [value_of(f.value) for _, f in column.cells]
        if len(values) < 3 or any(v is None for v in values) or column.cells[-1][0] != rows[-1]:
            continue
        parts, total = sum(v for v in values[:-1] if v is not None), values[-1] or 0.0
        percent = (
            "%" in column.key
            or "percent" in column.key.lower()
            or "prosent" in column.key.lower()
            or "prozent" in column.key.lower()
        )
        if abs(parts - total) > max(0.002 * abs(total), 0.051) or (percent and abs(total - 100) > 0.15):
            found.append(
                Odd(rows[-1], column.cells[-1][1].line, "conflict", 0.72, f"{column.key} adds up to {parts:g}")
            )
    return found


def _blanks(place: Place, base: Base, rows: Sequence[int], columns: Sequence[Column], dated: bool) -> list[Odd]:
    """Cells left empty, or filled with "?", where the other rows have something."""
    blanks: dict[int, list[Field]] = defaultdict(list)
    sure: set[int] = set()
    for column in columns:
        filled = [f for _, f in column.cells if f.value.strip() and not VACANT.fullmatch(f.value.strip())]
        if len(column.cells) < 2 or column.key.lower() in COMMENT:
            continue
        for i, f in column.cells:
            value = f.value.strip()
            vacant = bool(value) and VACANT.fullmatch(value) is not None
            if vacant and re.fullmatch(r"[-–—]+", value) and len(filled) < 0.75 * len(column.cells):
                continue
            if value and not vacant:
                continue
            ahead = dates.find(
                place.doc.units[i].text, place.doc.units[i].day, base.today, base.lex, place.doc.language
            )
            if (
                not vacant
                and any(d.day > base.today for d in ahead)
                and not base.lex.role(column.key, place.doc.language)
            ):
                continue
            if len(filled) >= max(2, 0.6 * len(column.cells)) and (len(rows) >= 3 or vacant):
                blanks[i].append(f)
                if vacant or base.lex.role(column.key, place.doc.language) & {"owner", "done"}:
                    sure.add(i)
            elif vacant and re.fullmatch(r"\?+|tb[dac]|n\.n\.|vakant|vacant|ubesatt", value, re.I):
                blanks[i].append(f)
                sure.add(i)
    if len(blanks) > max(2, 0.4 * len(rows)):
        blanks = {i: fs for i, fs in blanks.items() if i in sure}
    found = []
    for i, fields in blanks.items():
        unit = place.doc.units[i]
        if len(fields) == len(unit.fields) - 1 and len(fields) > 1 and i not in sure:
            continue  # nothing at all is planned for it
        if dated and unit.day is not None and (base.today - unit.day).days > 150:
            continue
        weight = 0.75 if len(fields) > 1 or i in sure else 0.65
        found.append(Odd(i, fields[0].line, "gap", weight, f"{fields[0].key} is empty"))
    return found


# -- runs: what the latest rows of a log say against all before them ---------------------------------------


def _runs(place: Place, base: Base, rows: Sequence[int], columns: Sequence[Column]) -> list[Odd]:
    units = place.doc.units
    ordered = sorted(rows, key=lambda i: (units[i].day or date.min, i))
    newest_day = units[ordered[-1]].day
    if newest_day is not None and units[ordered[-1]].dated and (base.today - newest_day).days > 45:
        return []
    found: list[Odd] = []
    groups = _groups(place, base, ordered, columns)
    for odd in _odd_values(place, base, rows, columns) + _odd_numbers(place, base, rows, columns):
        if odd.index in ordered[-2:]:
            found.append(odd)
    for column in columns:
        if _is_log(base, place, column.key) or column is columns[0]:
            continue
        for members in groups:
            cells = [(i, f) for i in members for f in units[i].fields if f.key == column.key]
            if len(cells) < 5:
                continue
            values = [value_of(f.value) for _, f in cells]
            if sum(v is not None for v in values) >= 0.8 * len(values):
                found += _trend(
                    column.key, [(i, f, v) for (i, f), v in zip(cells, values, strict=True) if v is not None]
                )
            else:
                found += _switch(column.key, cells)
    return found


def _groups(place: Place, base: Base, rows: Sequence[int], columns: Sequence[Column]) -> list[list[int]]:
    """Rows by the thing they measure, where one column names a few things again and again."""
    for column in columns:
        names = {i: f.value.strip().lower() for i, f in column.cells}
        kinds = Counter(names.values())
        if _is_log(base, place, column.key) or not 2 <= len(kinds) <= max(2, len(rows) // 4):
            continue
        if all(value_of(v) is None for v in kinds) and min(kinds.values()) >= 3:
            groups: dict[str, list[int]] = defaultdict(list)
            for i in rows:
                groups[names.get(i, "")].append(i)
            return list(groups.values())
    return [list(rows)]


def _trend(key: str, cells: Sequence[tuple[int, Field, float]]) -> list[Odd]:
    """The last value lies far outside the first half's spread and the last three steps go the same way."""
    values = [v for _, _, v in cells]
    half = values[: max(3, len(values) // 2)]
    middle = median(half)
    spread = max(median(abs(v - middle) for v in half), 0.02 * abs(middle), 1e-9)
    steps = [b - a for a, b in zip(values[-4:], values[-3:], strict=False)]
    last = values[-1]
    one_way = (
        len(steps) == 3
        and (all(s <= 0 for s in steps) or all(s >= 0 for s in steps))
        and sum(1 for s in steps if s) >= 2
    )
    if (
        one_way
        and abs(last - middle) > 5 * spread
        and abs(last - middle) > 0.15 * abs(middle)
        and last in (min(values), max(values))
    ):
        return [Odd(i, f.line, "trend", 0.62, f"{key} now {f.value}") for i, f, _ in cells[-2:]][::-1]
    if len(values) >= 6 and steps[-1:] and all(s < 0 for s in steps[-2:]) and last < values[0] and steps[0] > 0:
        return [Odd(cells[-1][0], cells[-1][1].line, "trend", 0.5, f"{key} falls")]
    return []


def _switch(key: str, cells: Sequence[tuple[int, Field]]) -> list[Odd]:
    """The last rows say something that hardly any row before them said."""
    values = [f.value.strip().lower() for _, f in cells]
    last = values[-1]
    run = 0
    while run < len(values) and values[-1 - run] == last:
        run += 1
    before = values[: len(values) - run]
    if len(before) < 4 or run > 6:
        return []
    common, count = Counter(before).most_common(1)[0]
    if count >= 0.8 * len(before) and common != last and before.count(last) <= 1:
        return [Odd(i, f.line, "outlier", 0.7, f"{key}: {f.value}") for i, f in cells[-run:]][::-1]
    return []


# -- lists: the line that lacks what its siblings say -------------------------------------------------------


def _odd_lines(place: Place, base: Base) -> list[Odd]:
    """In a list of four or more siblings that share a phrase ("passed to ... same day"), the one without it."""
    lists: dict[tuple[int, int, bool], list[int]] = defaultdict(list)
    for index, unit in enumerate(place.doc.units):
        if unit.kind in ("item", "para", "log") and not base.is_filler(place, unit) and unit.parent < 0:
            lists[(unit.section, 0 if unit.kind == "item" else unit.block, unit.kind == "item")].append(index)
    found: list[Odd] = []
    for members in lists.values():
        if len(members) < 4:
            continue
        phrases: Counter[tuple[str, ...]] = Counter()
        of: dict[int, set[tuple[str, ...]]] = {}
        for i in members:
            words = [t.text for t in place.readings[i].tokens if t.text.isalpha()]
            grams = {tuple(words[n : n + 2]) for n in range(len(words) - 1)}
            of[i] = grams
            phrases.update(grams)
        shared = {p for p, n in phrases.items() if n >= max(3, 0.7 * len(members))}
        if not shared:
            continue
        lacking = [i for i in members if not of[i] & shared]
        if 1 <= len(lacking) <= max(1, len(members) // 5):
            for i in lacking:
                later = sum(1 for m in members if m > i and place.doc.units[m].dated) if place.doc.units[i].dated else 0
                if len(place.readings[i].tokens) >= 5 and not place.readings[i].closed and later < 6:
                    found.append(Odd(i, place.doc.units[i].line, "outlier", 0.6, "unlike its siblings"))
    return found


def newest(units: Sequence[Unit]) -> date | None:
    """The newest day any dated unit speaks from."""
    return max((u.day for u in units if u.dated and u.day is not None), default=None)
