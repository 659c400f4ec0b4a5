"""An item put into a person's list, or taken out: every other line stays, comments and code are no lists."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjutant.documents import edits
from adjutant.documents.edits import lines_of
from adjutant.domain.learning import layer_items

EXAMPLES = settings(max_examples=200, derandomize=True, deadline=None)
QUIET = re.compile("quiet", re.IGNORECASE)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "- x\n"),
        ("# T\n", "# T\n\n- x\n"),
        ("# T", "# T\n\n- x\n"),
        ("- a", "- a\n- x\n"),
        ("* a\n\nend\n", "* a\n* x\n\nend\n"),
        ("- a\n  more\n  - b\n\ntext\n", "- a\n  more\n  - b\n- x\n\ntext\n"),
        ("- a\r\n- b\r\n", "- a\r\n- b\r\n- x\r\n"),
        ("- a\n\n## H\n\n1. b\n", "- a\n- x\n\n## H\n\n1. b\n"),
        ("1. a\n", "1. a\n\n- x\n"),
        ("- a\n<!-- - old -->\n", "- a\n- x\n<!-- - old -->\n"),
        ("<!-- - a -->\ntext\n", "<!-- - a -->\ntext\n\n- x\n"),
        ("```\n- a\n```\n- b\n", "```\n- a\n```\n- b\n- x\n"),
        ("- a\nlazy\n", "- a\nlazy\n- x\n"),
        ("- a <!-- one\n- two --> b\n- c\n", "- a <!-- one\n- two --> b\n- c\n- x\n"),
        ("```\n- a\n", None),
        ("- a\n<!-- open\n", None),
        ("~~~\n```\n", None),
    ],
)
def test_an_item_goes_to_the_end_of_the_last_list(before: str, after: str | None) -> None:
    assert edits.with_item(before, "x") == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("## Quiet Zones\n\n- a\n\n## Else\n\n- b\n", "## Quiet Zones\n\n- a\n- x\n\n## Else\n\n- b\n"),
        ("## Quiet\n## Else\n", "## Quiet\n\n- x\n## Else\n"),
        ("# H\n\n- a\n", "# H\n\n- a\n\n## Quiet Zones\n\n- x\n"),
        ("## Quiet\n\n<!-- a\nb -->\n\n## Else\n", "## Quiet\n\n<!-- a\nb -->\n\n- x\n\n## Else\n"),
        ("## Quiet\n### Deep\n- d\n", "## Quiet\n### Deep\n- d\n- x\n"),
        ("", "## Quiet Zones\n\n- x\n"),
        ("<!--\n## Quiet\n-->\n", "<!--\n## Quiet\n-->\n\n## Quiet Zones\n\n- x\n"),
    ],
)
def test_or_into_the_section_that_is_named(before: str, after: str) -> None:
    assert edits.with_item(before, "x", QUIET, "Quiet Zones") == after


ROW = st.sampled_from(
    (
        "# H",
        "## Sub",
        "- a",
        "- b",
        "* c",
        "  more",
        "text",
        "",
        "<!-- c -->",
        "<!-- open",
        "-->",
        "```",
        "1. n",
        "- d <!-- in",
        "---",
        "> q",
    )
)
TEXT = st.builds(
    lambda rows, newline, end: newline.join(rows) + (newline if end else ""),
    st.lists(ROW, max_size=12),
    st.sampled_from(("\n", "\r\n")),
    st.booleans(),
)


@EXAMPLES
@given(TEXT)
def test_nothing_but_the_item_comes_and_no_line_goes(before: str) -> None:
    after = edits.with_item(before, "planted here")
    if after is None:
        return
    old, new = before.splitlines(), after.splitlines()
    added = [line for line in new if "planted here" in line]
    assert len(added) == 1
    assert added[0][:2] in ("- ", "* ")
    new.remove(added[0])
    assert [line for line in new if line] == [line for line in old if line]
    assert len(new) <= len(old) + 1
    assert any("planted here" in item.text for item in layer_items.split_text("user", "user.md", after))


@EXAMPLES
@given(TEXT, st.data())
def test_lines_are_taken_out_and_no_others(before: str, data: st.DataObject) -> None:
    lines = lines_of(before)
    first = data.draw(st.integers(1, max(len(lines), 1)))
    count = data.draw(st.integers(0, max(len(lines) - first + 1, 0)))
    after = edits.without_lines(before, first, count)
    kept = [line for line in (*lines[: first - 1], *lines[first - 1 + count :]) if line.strip()]
    assert [line for line in lines_of(after) if line.strip()] == kept


def test_two_blank_lines_do_not_meet() -> None:
    assert edits.without_lines("a\n\nb\n\nc\n", 3, 1) == "a\n\nc\n"
    assert edits.without_lines("a\n\nb\n", 3, 1) == "a\n"
    assert edits.without_lines("b\n\nc\n", 1, 1) == "c\n"
