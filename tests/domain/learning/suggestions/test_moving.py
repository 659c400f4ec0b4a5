"""A diff whose lines stand elsewhere by now: applied where they are, and nowhere for a guess."""

from __future__ import annotations

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from adjutant.domain.learning import target
from adjutant.records.suggestion import Change

LINE = st.text(st.characters(blacklist_categories=("Cs",), blacklist_characters="\n"), max_size=6)


def diff(before: str | None, after: str | None) -> str:
    return target.render_diff(Change("identity/user.md", before, after))


def move(text: str, made: str) -> str | None:
    """The text after a diff whose lines may stand elsewhere by now, None where it does not fit."""
    try:
        return target.apply_diff(text, made, moved=True)
    except target.Mismatch:
        return None


def test_a_line_follows_its_neighbours() -> None:
    given = diff("a\nb\nc\nd\n", "a\nb\nnew\nc\nd\n")
    assert move("x\ny\na\nb\nc\nd\n", given) == "x\ny\na\nb\nnew\nc\nd\n"
    assert move("y\nb\nc\nz\n", given) == "y\nb\nnew\nc\nz\n", "its nearest neighbours are enough"
    assert move("b\nz\nc\n", given) is None, "they are apart"
    assert move("b\nc\nb\nc\n", given) is None, "it could be either"


def test_two_places_that_come_in_another_order_are_refused() -> None:
    lines = [f"line {number}" for number in range(20)]
    changed = [*lines[:3], "first", *lines[3:15], "second", *lines[15:]]
    given = diff("\n".join(lines) + "\n", "\n".join(changed) + "\n")
    assert given.count("@@ -") == 2
    assert move("\n".join(["top", *lines]) + "\n", given) == "\n".join(["top", *changed]) + "\n"
    assert move("\n".join([*lines[10:], *lines[:10]]) + "\n", given) is None


def test_what_was_added_at_the_end_is_added_at_the_end() -> None:
    given = diff("a\nb\nc\n", "a\nb\nc\nd\n")
    assert move("a\nb\n", given) == "a\nb\nd\n"
    assert move("a\nb\nc\nx\n", given) == "a\nb\nc\nd\nx\n"
    assert move("a\nb", given) is None
    for after in ("a\nb\nd\nc\n", "a\nb\nd\n", "d\na\nb\nc\n"):
        assert move("x\n", diff("a\nb\nc\n", after)) is None


def test_a_new_file_a_last_line_without_a_newline_and_no_diff_at_all() -> None:
    assert move("", diff(None, "a\n")) is None
    assert move("a\n", diff(None, "a\n")) is None
    assert move("x\na\nb", diff("a\nb", "a\nb\nc")) == "x\na\nb\nc"
    assert move("x\na\nb\n", diff("a\nb", "a\nb\nc")) is None, "another end of line is another line"
    assert move("a\n", "") is None
    assert move("a\n", "no diff") is None


@settings(derandomize=True, max_examples=60, deadline=None)
@given(st.lists(LINE, min_size=1, max_size=12, unique=True), st.data())
def test_where_nothing_has_moved_it_does_what_applying_does(lines: list[str], data: st.DataObject) -> None:
    changed = list(lines)
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(changed)))
        changed[at : at + data.draw(st.integers(0, 2))] = data.draw(st.lists(LINE, max_size=2))
    before, after = "\n".join(lines) + "\n", "\n".join(changed) + "\n" if changed else ""
    assume(before != after)
    given = diff(before, after)
    found = move(before, given)
    assert found in (None, target.apply_diff(before, given))


@settings(derandomize=True, max_examples=60, deadline=None)
@given(st.lists(LINE, min_size=2, max_size=10, unique=True), st.lists(LINE, max_size=3), st.data())
def test_what_stands_around_it_is_never_touched(lines: list[str], above: list[str], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(lines)))
    given = diff("\n".join(lines) + "\n", "\n".join([*lines[:at], "the new line", *lines[at:]]) + "\n")
    assume("the new line" not in lines and not set(above) & set(lines))
    found = move("\n".join([*above, *lines]) + "\n", given)
    assert found == "\n".join([*above, *lines[:at], "the new line", *lines[at:]]) + "\n"
