"""DOCUMENTS. CSV files: the delimiter found by how evenly it cuts, the head by having words alone."""

import csv
import re
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

DELIMITERS = ",;\t|"
_SEPARATOR = re.compile(r"sep=([,;\t|])\s*")  # the first line of what Excel is to open
SIGNS = frozenset("$€£¥₦₹#%")
SAMPLE_LINES, SAMPLE_CHARS = 30, 2000


class Row(NamedTuple):
    """A record, `line` to `end` from 1."""

    line: int
    end: int
    cells: tuple[str, ...]


def read(lines: Sequence[str]) -> tuple[tuple[str, ...], list[Row]] | None:
    """(names of the columns, rows) of a file; names are () without a head, None where nothing cuts it into columns."""
    said = _SEPARATOR.fullmatch(lines[0]) if lines else None
    delimiter = said[1] if said else _delimiter(lines)
    if not delimiter:
        return None
    rows = _rows(lines, delimiter, csv.QUOTE_MINIMAL)
    if rows is None:
        rows = _rows(lines, delimiter, csv.QUOTE_NONE)
    rows = rows[1:] if rows and said else rows
    if not rows:
        return None
    return (rows[0].cells, rows[1:]) if is_head(rows[0].cells) else ((), rows)


def is_head(cells: Sequence[str]) -> bool:
    """Whether a row names columns: words in it, a sign of money or number at most besides, no figure, no name twice."""
    named = [cell for cell in cells if cell]
    rest = [cell for cell in named if cell not in SIGNS]
    worded = all(any(c.isalpha() for c in cell) and not cell[0].isdecimal() and len(cell) <= 60 for cell in rest)
    return bool(rest) and worded and len(set(named)) == len(named)


def _rows(lines: Sequence[str], delimiter: str, quoting: int) -> list[Row] | None:
    reader = csv.reader((f"{line}\n" for line in lines), delimiter=delimiter, quoting=quoting)  # type: ignore[arg-type]  # the stub wants a literal
    found, before = [], 0
    try:
        for cells in reader:
            line, before = before + 1, reader.line_num
            if any(map(str.strip, cells)) and not cells[0].startswith("#"):
                found.append(Row(line, before, tuple(" ".join(cell.split()) for cell in cells)))
    except csv.Error:  # a cell of more than 128 KB: a quotation mark that nothing closes
        return None
    return found


def _delimiter(lines: Sequence[str]) -> str:
    filled = (line[:SAMPLE_CHARS] for line in lines if line.strip() and not line.startswith("#"))
    sample = list(islice(filled, SAMPLE_LINES))
    best, chosen = (0, 0), ""
    for delimiter in DELIMITERS:
        widths = Counter(len(row) for row in csv.reader(sample, delimiter=delimiter))
        width, times = max(widths.items(), key=lambda item: (item[0] > 1, item[1]), default=(1, 0))
        if width > 1 and times * 2 >= len(sample) and (times, width) > best:
            best, chosen = (times, width), delimiter
    return chosen
