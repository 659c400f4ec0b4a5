"""What returning.txt holds, read."""

from __future__ import annotations

from pathlib import Path

_TEXT = (Path(__file__).parent / "returning.txt").read_text(encoding="utf-8")
_ROWS = [line.partition(":") for line in _TEXT.split("\n") if line and not line.startswith("#")]


def rows(kind: str) -> list[list[str]]:
    """The messages of each line of a kind: same, other, asked, unlike, manner, task."""
    return [[each.strip() for each in rest.split(" | ")] for name, _, rest in _ROWS if name == kind]
