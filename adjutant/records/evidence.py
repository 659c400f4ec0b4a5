"""RECORDS. Evidence: a line of a file of a knowledge base, as insights and looks cite it."""

from __future__ import annotations

import msgspec


class Evidence(msgspec.Struct, frozen=True):
    """A line of a file: path relative to its knowledge base, 1-based line; `quote` literally stands in it."""

    path: str
    line: int
    quote: str
