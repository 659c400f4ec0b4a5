"""What two replies about the knowledge bases come to."""

from __future__ import annotations

from typing import Any

from adjutant.judgements import seeing
from adjutant.judgements.material import Evidence, Issue
from adjutant.judgements.seeing import Result


def issue(title: str, line: int, matter: str = "") -> Issue:
    place = Evidence(path="a.md", line=line, quote=title)
    return Issue(matter=matter, evidence=[place], why="due", title=title, severity="high", kb="home")


def titles(first: list[Issue], second: list[Issue]) -> list[str]:
    nothing: Any = None  # the inputs say nothing here
    return [each.title for each in seeing.join(nothing, Result(items=first), Result(items=second)).items]


def test_two_matters_of_one_line_stay_two() -> None:
    first = [issue("Pay the rent", 3, "m1"), issue("Call Ole", 3, "m2")]
    assert titles(first, []) == ["Pay the rent", "Call Ole"]


def test_a_second_reply_adds_only_other_lines() -> None:
    first, second = [issue("Pay the rent", 3)], [issue("Rent again", 3), issue("Sign the lease", 5)]
    assert titles(first, second) == ["Pay the rent", "Sign the lease"]
