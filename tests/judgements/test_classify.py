"""The judgement `classify`: ids of the scheme and no others, the labels' answer as its rules, nothing unfenced."""

from __future__ import annotations

import msgspec
import pytest

from adjutant.judgements import filing, hearing
from adjutant.judgements.filing import Choice, Inputs, Result
from adjutant.ports import ReplyRefused
from adjutant.screening.fence import Fence

MAIL = Choice("adjutant:comms/email", "Email", "")
COMMS = Choice("adjutant:comms", "Communication", "Talking with people.")
RULED = Result("adjutant:comms/email", 0.4)
ASKED = Inputs("Answer the letter from Ina", [COMMS, MAIL], RULED)


@pytest.mark.parametrize("concept", ["adjutant:comms", "adjutant:comms/email", "uncategorised"])
def test_an_id_of_the_scheme_and_uncategorised_pass(concept: str) -> None:
    told = Result(concept, 0.9)
    assert filing.check(ASKED, told) == (told, [])


@pytest.mark.parametrize("concept", ["adjutant:meta", "comms", "adjutant:comms/email ", "", "x" * 5000])
def test_any_other_word_fails_and_the_reason_says_what_to_do(concept: str) -> None:
    with pytest.raises(ReplyRefused, match="is no id of the list: repeat one as it stands there") as failed:
        filing.check(ASKED, Result(concept, 0.9))
    assert len(failed.value.reason) < 200


@pytest.mark.parametrize("confidence", ["1.01", "-0.1", '"sure"', "null"])
def test_a_confidence_that_is_none_is_refused(confidence: str) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(f'{{"concept": "adjutant:comms", "confidence": {confidence}}}', type=Result)
    assert hearing.schema_of(Result)["properties"]["confidence"]["maximum"] == 1


def test_the_rules_are_the_labels_answer() -> None:
    assert filing.rules(ASKED) == RULED


def test_text_and_taxonomy_reach_the_prompt_only_inside_the_fence() -> None:
    fence = Fence("0123456789abcdef")
    told = filing.variables(ASKED, fence)
    assert told["text"] == fence.wrap("Answer the letter from Ina", "the text")
    assert told["concepts"] == fence.wrap(
        "adjutant:comms: Communication. Talking with people.\nadjutant:comms/email: Email", "the taxonomy"
    )
    assert told["none"] == "uncategorised"
