"""How much of a sweep is taken: all of it costs more minutes than each change is worth."""

from __future__ import annotations

import os

EVERY = "ADJUTANT_EVERY_POINT"  # set: all of everything


def taken(desk: int, ci: int, every: int | None = None) -> int:
    """How many cases: `desk`, in CI `ci`; `every`, or `desk` where that is all there are, with EVERY set."""
    if os.environ.get(EVERY):
        return desk if every is None else every
    return ci if os.environ.get("CI") else desk
