"""A text as YAML on one line: it reads back as it was, and shows what a person can see."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from adjutant.documents import edits


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("plain", "plain"),
        ("no", '"no"'),
        ('Ærlig "talt"', '"Ærlig \\"talt\\""'),
        ("🚀 launch", '"🚀 launch"'),
        ("a\u200bb\u202ec", '"a\\u200bb\\u202ec"'),  # what nobody sees is spelled out
        ("two\nlines", '"two\\x0alines"'),
    ],
)
def test_a_text_is_written_as_it_is_seen(value: str, written: str) -> None:
    assert edits.scalar(value) == written


@settings(max_examples=200, derandomize=True, deadline=None)
@given(st.text())
def test_a_text_reads_back_as_it_was(value: str) -> None:
    assert yaml.load(f"a: {edits.scalar(value)}\n", Loader=yaml.BaseLoader) == {"a": value}
