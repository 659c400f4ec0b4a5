"""One value changed in a YAML file that a person keeps: every comment and every other byte stays."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjutant.documents.edits import EditRefused
from adjutant.domain.learning.suggestions import into_settings
from adjutant.domain.recall.concept import Concept
from adjutant.store import config, package
from adjutant.store import settings as table

DEFAULT = table.default_file("house")
EXAMPLES = settings(max_examples=40, derandomize=True, deadline=None)


def bee(**more: object) -> Concept:
    made = Concept(
        "adjutant:knowledge/beekeeping",
        {},
        {"en": "Beekeeping"},
        {"en": ("hive", "queen bee")},
        {},
        {},
        ("adjutant:knowledge",),
        (),
    )
    return made._replace(**more)


def comments(text: str) -> list[str]:
    return re.findall(r"#[^\r\n]*", text)


def lines_lost(before: str, after: str) -> list[str]:
    rows = after.splitlines()
    return [line for line in before.splitlines() if line not in rows]


# -- adjutant.yaml -------------------------------------------------------------------------------------------

SET = {
    "": "judgements:\n  triage:\n    model: medium\n",
    "judgements: {}  # mine\nllm: {}\n": "judgements:  # mine\n  triage:\n    model: medium\nllm: {}\n",
    "judgements: # none\n# below\nllm: {}\n": "judgements: # none\n  triage:\n    model: medium\n# below\nllm: {}\n",
    "judgements:\n  triage:\n    # the quick one\n    model: cheap  # for now\n": (
        "judgements:\n  triage:\n    # the quick one\n    model: medium  # for now\n"
    ),
    'judgements: {triage: {model: "cheap"}}\n': "judgements: {triage: {model: medium}}\n",
    "judgements:\r\n  triage:\r\n    model: cheap\r\n": "judgements:\r\n  triage:\r\n    model: medium\r\n",
    "\ufeffjudgements: {}\n": "\ufeffjudgements:\n  triage:\n    model: medium\n",
    "{judgements: {brief: {model: a}}}\n": "{judgements: {brief: {model: a}, triage: {model: medium}}}\n",
}


@pytest.mark.parametrize("before", SET)
def test_a_value_is_set_where_it_stands_or_would_stand(before: str) -> None:
    after = into_settings.with_setting(before, "judgements.triage.model", "medium")
    assert after == SET[before]
    assert config.parse(after.encode()).judgements["triage"]["model"] == "medium"


def test_in_the_file_that_init_writes_one_line_becomes_three() -> None:
    after = into_settings.with_setting(DEFAULT, "judgements.triage.model", "expensive")
    assert lines_lost(DEFAULT, after) == ["judgements: {}"]
    assert comments(after) == comments(DEFAULT)
    again = into_settings.with_setting(after, "judgements.brief.model", "medium")
    assert lines_lost(after, again) == []
    assert config.parse(again.encode()).judgements == {"triage": {"model": "expensive"}, "brief": {"model": "medium"}}


TAKEN = {
    "specialists: {coder: {workloads: [build, pipeline]}}\n": "specialists: {coder: {workloads: [pipeline]}}\n",
    "specialists: {coder: {workloads: [ build ]}}  # c\n": "specialists: {coder: {workloads: []}}  # c\n",
    ("specialists:\n  coder:\n    workloads:\n      # small\n      - build  # code\n      # big\n      - pipeline\n"): (
        "specialists:\n  coder:\n    workloads:\n      # small\n      # big\n      - pipeline\n"
    ),
    ("specialists:\n  coder:\n    workloads:  # owns\n    # one\n    - build\n    # none\n    model: m\n"): (
        "specialists:\n  coder:\n    workloads: []  # owns\n    # one\n    # none\n    model: m\n"
    ),
    'specialists:\r\n  coder:\r\n    workloads:\r\n      - "build"\r\n      - meta\r\n': (
        "specialists:\r\n  coder:\r\n    workloads:\r\n      - meta\r\n"
    ),
}


@pytest.mark.parametrize("before", TAKEN)
def test_an_item_is_taken_out_of_a_list(before: str) -> None:
    assert into_settings.without_item(before, "specialists.coder.workloads", "build") == TAKEN[before]


@pytest.mark.parametrize(
    ("before", "reason"),
    [
        ("specialists: {}\n", "no list"),
        ("specialists: {coder: {workloads: [meta]}}\n", "does not stand in"),
        ("specialists: {coder: {workloads: [build, # why\n  meta]}}\n", "a comment"),
        ("specialists: {coder: {workloads: build}}\n", "must be a list"),
        ("specialists: [\n", "adjutant.yaml:"),
        ("specialists: {coder: {workloads: [build], nonsense: 1}}\n", "nonsense"),
        ("a: &x [build]\nspecialists: {coder: {workloads: *x}}\n", "aliases"),
    ],
)
def test_what_cannot_be_done_for_certain_is_refused_with_the_reason(before: str, reason: str) -> None:
    with pytest.raises(EditRefused, match=re.escape(reason)):
        into_settings.without_item(before, "specialists.coder.workloads", "build")


@pytest.mark.parametrize(
    "changed",
    [
        "judgements: {triage: {model: medium}}\nllm: {backend: offline}\nturn: {max_steps: 9}\n",
        "judgements: {triage: {model: medium, temperature: 1}}\n",
        "judgements: {brief: {model: medium}}\n",
        "judgements: {}\n",
    ],
)
def test_a_result_that_says_more_or_something_else_is_refused(changed: str) -> None:
    before = config.parse(b"judgements: {}\n")
    with pytest.raises(EditRefused, match="by hand"):
        into_settings._proved(before, changed, ("judgements", "triage", "model"), "medium", "do it by hand")


ROWS = st.lists(
    st.sampled_from(
        (
            "# note",
            "",
            "llm:\n  # the model\n  models:\n    cheap: tiny # small\n    medium: mid",
            "instance: {name: house}",
            "turn:\n  max_steps: 3",
            "debug:\n  dry_run: false # no",
            "specialists:\n  # who\n  coder:\n    workloads: [build, meta]\n    model: m # x",
        )
    ),
    max_size=6,
    unique=True,
)


@EXAMPLES
@given(ROWS, st.sampled_from(("\n", "\r\n")), st.booleans(), st.sampled_from(("brief", "triage", "turn", "wisdom")))
def test_whatever_stands_around_it_stays(rows: list[str], newline: str, end: bool, name: str) -> None:
    before = newline.join("\n".join(rows).split("\n")) + (newline if end else "")
    after = into_settings.with_setting(before, f"judgements.{name}.model", "medium")
    old, new = config.parse(before.encode()), config.parse(after.encode())
    assert new.judgements == {name: {"model": "medium"}}
    assert (new.values, new.specialists) == (old.values, old.specialists)
    assert comments(after) == comments(before)
    assert lines_lost(before, after) in ([], [""])
    assert after.count("\n") == after.count(newline) or newline not in before


# -- taxonomy ------------------------------------------------------------------------------------------------

SHIPPED = package.text("instance", "taxonomy.yaml")


def test_a_concept_is_added_below_the_others_of_its_kind_and_nothing_else_moves() -> None:
    after = into_settings.with_concept(SHIPPED, "prompts/taxonomy.yaml", bee())
    added = (
        "  adjutant:knowledge/beekeeping:\n    prefLabel: {en: Beekeeping}\n    altLabels:\n"
        "      en: [hive, queen bee]\n    broader: adjutant:knowledge\n"
    )
    at = after.index(added)
    assert after[:at] + after[at + len(added) :] == SHIPPED
    before, behind = re.findall(r"\n  adjutant:(\w+)", after[:at]), re.findall(r"\n  adjutant:(\w+)", after[at:])
    assert before[-1] == "knowledge"
    assert behind[0] == "comms"


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("broader", ["adjutant:platform", "adjutant:meta", "adjutant:comms"])
def test_every_workload_can_get_one_the_last_in_the_file_too(broader: str, newline: str) -> None:
    before = SHIPPED.replace("\n", newline).rstrip()
    after = into_settings.with_concept(before, "t.yaml", bee(id=f"{broader}/bees", broader=(broader,)))
    assert not lines_lost(before, after)
    assert comments(after) == comments(before)


@pytest.mark.parametrize("label", ["no", "a: b", "# x", '"quoted"', "[x]", "1234", "x, y", "*star", "back\\slash"])
def test_a_label_is_read_back_as_it_was_written(label: str) -> None:
    after = into_settings.with_concept(SHIPPED, "t.yaml", bee(pref={"en": label}, alt={"nb": (label + " a", "b")}))
    assert after.count("adjutant:knowledge/beekeeping:") == 1


@pytest.mark.parametrize(
    ("concept", "reason"),
    [
        (bee(id="adjutant:platform/k8s", broader=("adjutant:platform",)), "given twice"),
        (bee(alt={"en": ("Beekeeping",)}), "stands in prefLabel and in altLabels"),
        (bee(pref={"en": "Kubernetes"}), "and so has"),
        (bee(broader=("adjutant:nowhere",)), "no concept"),
        (bee(id="Bees"), "no id of a concept"),
        (bee(pref={}), "no prefLabel"),
        (bee(pref={"en": "a\nb"}), "control character"),
    ],
)
def test_a_concept_that_would_break_the_scheme_is_refused(concept: Concept, reason: str) -> None:
    with pytest.raises(EditRefused, match=reason):
        into_settings.with_concept(SHIPPED, "prompts/taxonomy.yaml", concept)


def test_a_taxonomy_that_is_broken_already_is_left_alone() -> None:
    with pytest.raises(EditRefused, match=r"mine\.yaml:1"):
        into_settings.with_concept("scheme: other\n", "mine.yaml", bee())
