"""The judgement `answer`: quotes that stand, rules that cite, and a plain word when nothing is known."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjutant.domain.matters.signal import Evidence
from adjutant.judgements import answer
from adjutant.judgements.material import KbLine, Near
from adjutant.ports import ReplyRefused
from adjutant.records.registry import KnowledgeBase
from adjutant.screening.fence import Fence

BOILER = [KbLine("house.md", 4, "- Boiler"), KbLine("house.md", 5, "  - service: 14 March")]
SERVICE = Near("house.md", "5", "- service: 14 March", "Boiler: service: 14 March", True)
ROOF = Near("roof.md", "1", "The roof is new.", "The roof is new.", False)


def asked(*shown: list[KbLine], answers: tuple[Near, ...] = ()) -> answer.Inputs:
    return answer.Inputs(
        kb="home",
        question="When is the boiler service?",
        today="Friday 2026-11-20",
        lines=[line for each in shown for line in each],
        answers=list(answers),
    )


def test_rules_answer_with_the_line_that_is_certain() -> None:
    told = answer.rules(asked(BOILER, answers=(SERVICE, ROOF)))
    assert (told.known, told.answer) == (True, "Boiler: service: 14 March")
    assert told.citations == [Evidence("house.md", 5, "- service: 14 March")]


def test_rules_say_that_nothing_is_certain_and_what_comes_near() -> None:
    alone, near = answer.rules(asked()), answer.rules(asked(answers=(ROOF,)))
    assert [(each.known, each.citations) for each in (alone, near)] == [(False, [])] * 2
    assert "nothing certain" in alone.answer
    assert "The roof is new." in near.answer


def test_what_the_rules_say_passes_the_check() -> None:
    inputs = asked(BOILER, answers=(SERVICE,))
    assert answer.check(inputs, answer.rules(inputs)) == (answer.rules(inputs), [])


def test_a_quote_that_stands_nowhere_is_dropped_and_counted() -> None:
    reply = answer.Result(
        True,
        "On 14 March.",
        [
            Evidence("house.md", 5, "service: 14 March"),
            Evidence("house.md", 5, "the heating costs nothing"),
            Evidence("other.md", 1, "service: 14 March"),
        ],
    )
    told, notes = answer.check(asked(BOILER), reply)
    assert [(cited.path, cited.line) for cited in told.citations] == [("house.md", 5)]
    assert notes == ["2 citations that stand for no line were dropped"]


@pytest.mark.parametrize("cited", [[], [Evidence("house.md", 5, "service: never")], [Evidence("house.md", 50, " ")]])
def test_an_answer_without_a_standing_quote_fails_its_check(cited: tuple[Evidence, ...]) -> None:
    with pytest.raises(ReplyRefused, match="nothing that you cite stands"):
        answer.check(asked(BOILER), answer.Result(True, "On 14 March.", [*cited]))


def test_an_empty_answer_fails_its_check() -> None:
    with pytest.raises(ReplyRefused, match="empty"):
        answer.check(asked(BOILER), answer.Result(True, " \n", [Evidence("house.md", 5, "14 March")]))


def test_a_model_that_does_not_know_cites_nothing_and_says_so_in_our_words() -> None:
    reply = answer.Result(False, "Surely in spring!", [Evidence("house.md", 5, "14 March")])
    told, _ = answer.check(asked(BOILER), reply)
    assert told == answer.unknown(asked())


def test_markup_and_control_characters_leave_the_answer() -> None:
    reply = answer.Result(True, "On <b>14</b> March\x1b[31m.\n# Heading", [Evidence("house.md", 5, "14 March")])
    told, _ = answer.check(asked(BOILER), reply)
    assert "\x1b" not in told.answer
    assert "<b>" not in told.answer
    assert "#" not in told.answer


def test_question_and_passages_reach_the_prompt_only_inside_the_fence() -> None:
    fence = Fence("0123456789abcdef")
    told = answer.variables(asked(BOILER), fence)
    assert told["question"] == fence.wrap("When is the boiler service?", "the question")
    assert "L2:   - service: 14 March" in told["passages"]
    assert told["passages"].startswith("<<<DATA 0123456789abcdef")


def test_a_file_that_goes_while_the_folder_is_looked_at_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "stays.md").write_text("here")
    monkeypatch.setattr(answer.os, "walk", lambda folder: [(folder, [], ["gone.md", "stays.md"])])
    kb = KnowledgeBase("docs", "docs", str(tmp_path))
    assert list(answer._look_into(kb)) == ["stays.md"]
