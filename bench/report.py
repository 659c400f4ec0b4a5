"""How figures are shown: a line of the table each, and all of them as data."""

from __future__ import annotations

import json
import platform
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.measure import Figure, Skipped

WIDTH = 48
HEADER = f"{'row':<8} {'what':<{WIDTH}} {'is':>7} {'aim':>7}"


def line(figure: Figure | Skipped) -> str:
    """One line of the table, at most 80 columns where names are short."""
    if isinstance(figure, Skipped):
        return f"{figure.row:<8} {figure.what:<{WIDTH}} left out: {figure.why}"
    sign = ("≤" if figure.most else "≥") if not (figure.exact and figure.aim) else "="
    mark = "" if figure.met else " missed"
    value, aim = (f"{number:.0f}" if figure.unit == "" else f"{number:.2f}" for number in (figure.value, figure.aim))
    return f"{figure.row:<8} {figure.what:<{WIDTH}} {value:>7} {sign + aim:>7}{mark}"


def write(path: Path, figures: Sequence[Figure | Skipped]) -> None:
    """The results as data."""
    found: dict[str, Any] = {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "figures": [
            {**each._asdict(), "met": each.met} if isinstance(each, Figure) else each._asdict() for each in figures
        ],
    }
    path.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
