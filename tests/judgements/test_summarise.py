"""The judgement summarise: a point rests on lines that were shown."""

from __future__ import annotations

import pytest

from adjutant.judgements import summarise
from adjutant.judgements.summarise import Inputs

SHOWN = Inputs("a letter", 12, ["The boiler is old.", "It leaks."])


@pytest.mark.parametrize(
    ("handle", "line"),
    [("L12", "The boiler is old."), (" 13", "It leaks."), ("L14", None), ("L11", None), ("L²", None), ("", None)],
)
def test_a_handle_names_a_line_that_was_shown(handle: str, line: str | None) -> None:
    assert summarise.line_of(SHOWN, handle) == line


def test_a_handle_of_any_length_is_none() -> None:
    assert summarise.line_of(SHOWN, "L" + "9" * 5000) is None
