"""How much work something is: the calls it makes, counted, which is the same on a busy machine."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any


def calls(work: Callable[[], object]) -> int:
    """How many functions are called while `work` runs, built-in ones among them."""
    count = 0

    def see(frame: Any, event: str, arg: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(see)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


def grows(work: Callable[[int], object], small: int) -> float:
    """How many times the work is of twice as much: 2 where it grows with the size, 4 where with its square."""
    work(small)  # what is made at the first use alone
    return calls(lambda: work(2 * small)) / calls(lambda: work(small))
