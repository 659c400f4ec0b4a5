"""Unified diffs: there and back for any text, and taken by git."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjutant.domain.learning import target
from adjutant.records.suggestion import Change

# Lines as people write them and lines made to be taken for something else: a hunk's head, a mark, an odd line break.
PIECES = (
    "a",
    "b",
    "",
    " ",
    "- x",
    "+ y",
    "--- a/p",
    "+++ b/p",
    "@@ -1 +1 @@",
    "\\ No newline at end of file",
    "\r",
    "x\r",
    "\u2028",
    "x\x0cy",
    "\x85",
    "æøå",
    "\x1c",
    "\x0b",
    "\ufeff",
    "😀",
    "the same",
    "the same",
)
LINE = st.sampled_from(PIECES) | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n"), max_size=6)
TEXT = st.builds(lambda lines, end: "\n".join(lines) + end, st.lists(LINE, max_size=14), st.sampled_from(("", "\n")))
FILE = st.none() | TEXT
EXAMPLES = settings(max_examples=80, derandomize=True, deadline=None)


def diff(before: str | None, after: str | None, path: str = "identity/user.md") -> str:
    return target.render_diff(Change(path, before, after))


@st.composite
def edited(draw: st.DrawFn) -> tuple[str, str]:
    """A text and the same with a few lines changed: hunks far from each other."""
    lines = draw(st.lists(LINE, min_size=1, max_size=40))
    after = list(lines)
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(after)))
        after[at : at + draw(st.integers(0, 2))] = draw(st.lists(LINE, max_size=2))
    return "\n".join(lines), "\n".join(after)


@EXAMPLES
@given(FILE, FILE)
def test_a_diff_leads_there_and_back(before: str | None, after: str | None) -> None:
    made = diff(before, after)
    if made:
        assert target.apply_diff(before, made) == after
        assert target.apply_diff(after, made, back=True) == before


@EXAMPLES
@given(edited())
def test_so_does_one_of_a_few_lines(texts: tuple[str, str]) -> None:
    before, after = texts
    if made := diff(before, after):
        assert target.apply_diff(before, made) == after
        assert target.apply_diff(after, made, back=True) == before


@pytest.mark.parametrize(
    "made",
    [
        "nonsense",
        "--- a/x\n+++ b/x\n\\ No newline at end of file\n",
        "--- a/x\n+++ b/x\n@@ -1 +1 @@ def f():\n-a\n+b\n",
        "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\nmore\n",
        "--- a/x\n+++ b/x\n@@ -2 +2 @@\n-a\n+b\n",
        "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-b\n+a\n",
        "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n",
        "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n@@ -1 +1 @@\n-a\n+b\n",
    ],
)
def test_what_does_not_fit_the_text_is_refused(made: str) -> None:
    with pytest.raises(target.Mismatch):
        target.apply_diff("a\n", made)


def test_a_new_file_a_deleted_one_and_an_empty_one_are_three_things() -> None:
    assert diff(None, "x\n").startswith("--- /dev/null\n+++ b/identity/user.md\n@@ -0,0 +1 @@\n")
    assert diff("x\n", None).startswith("--- a/identity/user.md\n+++ /dev/null\n@@ -1 +0,0 @@\n")
    assert diff("", None) != diff(None, "") != diff(None, None) == ""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a\nb\nc\n", "a\nB\nc\n"),
        ("a\nb\nc", "a\nb\nc\n"),
        ("a\r\nb\r\n", "a\r\nc\r\n"),
        (None, "a\nb\n"),
        ("a\nb\n", None),
        ("".join(f"{n}\n" for n in range(40)), "".join(f"{n}\n" for n in range(40) if n not in (3, 30))),
        ("a\n", "a\nb"),
        ("", "a\n"),
        ("æ\n\x0c\n", "ø\n\x0c\n"),
        ("--- a\n+++ b\n", "+++ b\n--- a\n"),
    ],
)
@pytest.mark.parametrize("path", ["identity/user.md", "identity/my tools.md"])
def test_git_takes_the_same_diffs(tmp_path: Path, path: str, before: str | None, after: str | None) -> None:
    file = tmp_path / path
    file.parent.mkdir()
    if before is not None:
        file.write_bytes(before.encode())
    made = diff(before, after, path)
    for text, result in ((made, after), (diff(after, before, path), before)):
        git = subprocess.run(
            ["git", "apply", "--whitespace=nowarn", "-"],
            cwd=tmp_path,
            input=text.encode(),
            capture_output=True,
            check=False,
        )
        assert git.returncode == 0, git.stderr
        assert (file.read_bytes().decode() if file.exists() else None) == result
