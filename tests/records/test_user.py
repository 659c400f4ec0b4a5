"""By which names notes speak of the operator."""

from __future__ import annotations

import pytest

from adjutant.records.layers import names


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("# User\n\n- Mira Solberg, engineer\n- Hours: 8 to 17\n", {"mira solberg", "mira"}),
        ("Name: Åse Berg\n", {"åse berg", "åse"}),
        ("- **Bo** (39), nurse\n", {"bo"}),
        ("- Hours: weekdays\n- Bo, nurse\n", set()),
        ("- works at the harbour\n", set()),
        ("# Bo\n", set()),
        ("", set()),
    ],
)
def test_the_first_item_begins_with_the_name(text: str, found: set[str]) -> None:
    assert names(text) == found
