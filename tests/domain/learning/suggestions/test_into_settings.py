"""One value changed in a YAML file that a person keeps: every comment and every other byte stays."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjutant.documents.edits import EditRefused, with_value
from adjutant.store import config, package

DEFAULT = package.text("instance", "settings.yaml")
EXAMPLES = settings(max_examples=40, derandomize=True, deadline=None)


def comments(text: str) -> list[str]:
    return re.findall(r"#[^\r\n]*", text)


def with_setting(text: str, name: str, value: str) -> str:
    return with_value(text, "adjutant.yaml", name.split("."), value)


def lines_lost(before: str, after: str) -> list[str]:
    rows = after.splitlines()
    return [line for line in before.splitlines() if line not in rows]


# -- adjutant.yaml -------------------------------------------------------------------------------------------

SET = {
    "": "judgements:\n  pulse:\n    model: medium\n",
    "judgements: {}  # mine\nllm: {}\n": "judgements:  # mine\n  pulse:\n    model: medium\nllm: {}\n",
    "judgements: # none\n# below\nllm: {}\n": "judgements: # none\n  pulse:\n    model: medium\n# below\nllm: {}\n",
    "judgements:\n  pulse:\n    # the quick one\n    model: cheap  # for now\n": (
        "judgements:\n  pulse:\n    # the quick one\n    model: medium  # for now\n"
    ),
    'judgements: {pulse: {model: "cheap"}}\n': "judgements: {pulse: {model: medium}}\n",
    "judgements:\r\n  pulse:\r\n    model: cheap\r\n": "judgements:\r\n  pulse:\r\n    model: medium\r\n",
}


@pytest.mark.parametrize("before", SET)
def test_a_value_is_set_where_it_stands_or_would_stand(before: str) -> None:
    after = with_setting(before, "judgements.pulse.model", "medium")
    assert after == SET[before]
    assert config.parse(after.encode()).judgements["pulse"]["model"] == "medium"


def test_in_the_file_that_init_writes_one_line_becomes_three() -> None:
    after = with_setting(DEFAULT, "judgements.pulse.model", "expensive")
    assert lines_lost(DEFAULT, after) == ["judgements: {}"]
    assert comments(after) == comments(DEFAULT)
    again = with_setting(after, "judgements.brief.model", "medium")
    assert lines_lost(after, again) == []
    assert config.parse(again.encode()).judgements == {
        "pulse": {"model": "expensive"},
        "brief": {"model": "medium"},
    }


@pytest.mark.parametrize(
    ("before", "reason"),
    [
        ("specialists: [\n", "adjutant.yaml:"),
        ("a: &x {}\njudgements: *x\n", "aliases"),
        ("judgements: 3\n", "mapping"),
        ("{judgements: {brief: {model: a}}}\n", "brackets"),
    ],
)
def test_what_cannot_be_done_for_certain_is_refused_with_the_reason(before: str, reason: str) -> None:
    with pytest.raises(EditRefused, match=re.escape(reason)):
        with_setting(before, "judgements.pulse.model", "medium")


ROWS = st.lists(
    st.sampled_from(
        (
            "# note",
            "",
            "llm:\n  # the model\n  models:\n    cheap: tiny # small\n    medium: mid",
            "instance: {name: adjutant}",
            "turn:\n  max_steps: 3",
            "debug:\n  dry_run: false # no",
            "specialists:\n  # who\n  coder:\n    workloads: [build, meta]\n    model: m # x",
        )
    ),
    max_size=6,
    unique=True,
)


@EXAMPLES
@given(ROWS, st.sampled_from(("\n", "\r\n")), st.booleans(), st.sampled_from(("brief", "pulse", "turn", "wisdom")))
def test_whatever_stands_around_it_stays(rows: list[str], newline: str, end: bool, name: str) -> None:
    before = newline.join("\n".join(rows).split("\n")) + (newline if end else "")
    after = with_setting(before, f"judgements.{name}.model", "medium")
    old, new = config.parse(before.encode()), config.parse(after.encode())
    assert new.judgements == {name: {"model": "medium"}}
    assert (new.values, new.specialists) == (old.values, old.specialists)
    assert comments(after) == comments(before)
    assert lines_lost(before, after) in ([], [""])
    assert after.count("\n") == after.count(newline) or newline not in before
