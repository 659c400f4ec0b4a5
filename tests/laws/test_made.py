"""LAW. What is made from something else says what that says."""

from __future__ import annotations

import pytest

from tests.made import CHECKOUT, MADE


@pytest.mark.parametrize("name", MADE)
def test_what_is_made_is_as_it_would_be_made_now(name: str) -> None:
    assert (CHECKOUT / name).read_text() == MADE[name](), "run `python -m tests.made`"
