"""OPINION. answer: what does one knowledge base say to a question, and on which line?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from adjutant.domain.matters.signal import Evidence
from adjutant.judgements.material import KbLine, Near, ShownLines, beyond, note_dropped, tell_nears
from adjutant.ports import ReplyRefused
from adjutant.screening.fence import Fence, clean_line

NAME = "answer"
TEMPLATE = "answer.md"
TIER = "cheap"
TEMPERATURE = 0.1
MAX_TOKENS = 800
SHOWN_CHARS = 40_000
ANSWER_LINES, LINE_CHARS = 12, 400


class Inputs(msgspec.Struct, frozen=True):
    """A question to one knowledge base, the lines that code found, best first, the folder where an agent looks, the
    lines that answer without a model (their anchors are numbers of lines), and those that an agent found besides;
    `agenda`: what the picture says to it, where it asks for what is open, and what that rests on.
    """

    kb: str
    question: str
    today: str
    lines: list[KbLine]
    folder: str = ""
    answers: list[Near] = []
    added: list[KbLine] = []
    agenda: list[str] = []
    agenda_rests: list[Evidence] = []


class Result(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`known` is false when the knowledge base does not say; then there is no citation."""

    known: bool
    answer: str
    citations: list[str | Evidence]


def variables(inputs: Inputs, fence: Fence) -> dict[str, Any]:
    """For prompts/answer.md."""
    return {
        "kb": inputs.kb,
        "today": inputs.today,
        "question": fence.wrap(inputs.question, "the question"),
        "passages": fence.wrap(shown(inputs).text(), f"knowledge base {inputs.kb}", limit=SHOWN_CHARS),
    }


def check(inputs: Inputs, result: Result) -> tuple[Result, list[str]]:
    """Only quotes that stand. Raises CheckFailed when an answer says it knows and no quote of it stands."""
    if not result.known:
        return unknown(inputs), []
    citations, missing = shown(inputs).lines_of(result.citations)
    if not citations:
        raise ReplyRefused(
            "`known` is true, and nothing that you cite stands in the lines shown: cite a line by its handle, such as "
            '"L3", or say known: false'
        )
    text = _clean(result.answer)
    if not text:
        raise ReplyRefused("`known` is true, and the answer is empty")
    return Result(True, text, list(citations)), note_dropped(missing)


def widened(inputs: Inputs, result: Result, find: Callable[[str], Sequence[str] | None]) -> Inputs:
    """The inputs and the lines that an agent found beyond them; these answer nothing by rules.

    They stand last: where the agent has changed a line, the new one counts.
    """
    return msgspec.structs.replace(inputs, added=beyond(result.citations, shown(inputs), inputs.folder, find))


def rules(inputs: Inputs) -> Result:
    """The line that answers, or two; else that nothing is certain, and what comes near."""
    if inputs.agenda:
        return Result(True, "\n".join(clean_line(line, LINE_CHARS) for line in inputs.agenda), [*inputs.agenda_rests])
    certain = [each for each in inputs.answers if each.certain]
    if not certain:
        return unknown(inputs)
    told = _clean("\n".join(each.says for each in certain))
    return Result(True, told, [Evidence(each.path, int(each.anchor), each.quote) for each in certain])


def unknown(inputs: Inputs) -> Result:
    """What is said when the knowledge base does not say."""
    return Result(False, _clean("\n".join(tell_nears([each for each in inputs.answers if not each.certain]))), [])


def cited(result: Result) -> list[Evidence]:
    """The lines that an answer rests on, after its check."""
    return [each for each in result.citations if isinstance(each, Evidence)]


def shown(inputs: Inputs) -> ShownLines:
    """The lines as a model is shown them."""
    return ShownLines([*inputs.lines, *inputs.added], folder=inputs.folder)


def _clean(text: str) -> str:
    lines = (clean_line(line, LINE_CHARS) for line in text.split("\n")[:ANSWER_LINES])
    return "\n".join(line for line in lines if line)
