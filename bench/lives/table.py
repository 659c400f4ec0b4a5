"""The figures of lives as tables: a row a life, each set pooled, the baselines below."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

Cell = Callable[[Counter[str]], str]


class Row(NamedTuple):
    """A name and its counts."""

    name: str
    counts: Counter[str]


def share(counts: Mapping[str, int], part: str, *whole: str) -> float:
    """`part` of the sum of `whole`; 1 of nothing."""
    total = sum(counts.get(each, 0) for each in whole)
    return counts.get(part, 0) / total if total else 1.0


def _share(part: str, *whole: str) -> Cell:
    return lambda counts: f"{share(counts, part, *whole):.2f}" if any(counts[each] for each in whole) else "-"


def _of(part: str, whole: str) -> Cell:
    return lambda counts: f"{counts[part]}/{counts[whole]}" if counts[whole] else "-"


def _count(*parts: str) -> Cell:
    return lambda counts: str(sum(counts[each] for each in parts))


ASKED: dict[str, Cell] = {
    "agenda": _of("agenda_right", "agenda"),
    "parts": _share("agenda_named", "agenda_parts"),
    "fact": _of("fact_right", "fact"),
    "none": _of("none_right", "none"),
}
DAYS: dict[str, Cell] = {
    "told": _count("told"),
    "P": _share("right", "told"),
    "in time": _share("weight_in_time", "weight"),
    "either": _share("weight_either", "weight"),
    "false": _count("false", "vague"),
    "nag": _count("nag"),
    "stale": _count("stale"),
    "silent": _of("kept", "silent"),
    **ASKED,
}
MORNINGS: dict[str, Cell] = {
    "lives": _count("mornings"),
    "musts": _count("musts"),
    "list P": _share("listed_useful", "listed_useful", "listed_false"),
    "R": _share("listed_musts", "musts"),
    "near": _share("rated_near", "rated"),
    "tell P": _share("told_useful", "told_useful", "told_false"),
    "R ": _share("told_grave", "grave"),
    "silent": _of("kept", "quiet"),
    **ASKED,
}


def pooled(name: str, rows: Sequence[Row]) -> Row:
    """The counts of several lives added up."""
    total: Counter[str] = Counter()
    for row in rows:
        total.update(row.counts)
    return Row(name, total)


def table(title: str, rows: Sequence[Row], cells: Mapping[str, Cell]) -> str:
    """A table as text, at most 100 columns where names are short."""
    filled = [[title, *(name.strip() for name in cells)]]
    filled += [[row.name, *(cell(row.counts) for cell in cells.values())] for row in rows]
    widths = [max(map(len, column)) for column in zip(*filled, strict=True)]
    return "\n".join(
        "  ".join(
            [line[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True))]
        )
        for line in filled
    )
