"""OPINION. Prompt text as it would be: does it render, what would it cost, and who reads it at all?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from adjutant.app import plural
from adjutant.domain.prompting.assembly import PromptLimits, assemble
from adjutant.domain.prompting.roles import CONDUCTOR
from adjutant.errors import AdjutantError
from adjutant.judgements import recording, turn
from adjutant.judgements.asking import OFFLINE
from adjutant.judgements.calling import tokens_of
from adjutant.judgements.judgement import JUDGEMENTS, load
from adjutant.judgements.recording import Recorded
from adjutant.records.suggestion import BY_RECORD, BY_RULES, UNKNOWN
from adjutant.replay import replay
from adjutant.replay.sides import FAILS, TODAY, Copy, Lane, RecordedQuestion, Side, attempt, decided, row
from adjutant.screening.fence import Fence

ANSWERED = "answered"
NO_RENDER = "it would not render: "


def of_template(copy: Copy, name: str) -> Lane:
    """The recorded inputs rendered by a template as it was and as it would be. Raises IoFailed."""
    asking = tuple(each for each in JUDGEMENTS if name == load(each).TEMPLATE)
    return (
        _rehearse(copy, asking, lambda recorded: True) if asking else Lane(notes=("no question is put by this file",))
    )


def of_layer(copy: Copy, name: str) -> Lane:
    """The prompts that show a layer, with the layer as it would be. Raises FileDamaged, IoFailed."""
    asked = (turn.NAME,) if name == "heart" else (turn.NAME, *JUDGEMENTS)  # rules read the heart in all other questions

    def reads(recorded: Recorded) -> bool:
        return recorded.judgement == turn.NAME or name in (recorded.inputs.get("layers") or {})

    return _every_turn(copy, CONDUCTOR, _rehearse(copy, asked, reads))


def of_role(copy: Copy, name: str) -> Lane:
    """The prompts of recorded turns that this role answered. Raises FileDamaged, IoFailed."""
    lane = _rehearse(copy, (turn.NAME,), lambda recorded: (recorded.inputs.get("role") or CONDUCTOR) == name)
    return _every_turn(copy, name, lane)


def _every_turn(copy: Copy, role: str, lane: Lane) -> Lane:
    """With a row where no turn of this role could be put any more, and none on record says so."""
    was, now = (attempt(partial(side.shelf.standing, role)) for side in copy.sides)
    if lane.changed or not isinstance(now, str) or isinstance(was, str):
        return lane
    return lane._replace(method=BY_RULES, changed=(row(TODAY, turn.NAME, "every turn", ANSWERED, f"{FAILS}{now}"),))


class _Put(NamedTuple):
    """A question as it is put on both sides. `fault`: how it would fail that did not before, "" where it would not."""

    asked: RecordedQuestion
    was: str
    now: str
    fault: str

    @property
    def by_model(self) -> bool:
        """Whether a model was asked it."""
        return self.asked.recorded.backend != OFFLINE

    @property
    def same(self) -> bool:
        """Whether both say the same: no model is told another thing by a blank line."""
        was, now = ([line.rstrip() for line in text.split("\n") if line.strip()] for text in (self.was, self.now))
        return was == now


def _rehearse(copy: Copy, names: tuple[str, ...], reads: Callable[[Recorded], bool]) -> Lane:
    """The questions on record that read the text, put anew on both sides."""
    every: list[_Put] = []
    for asked in copy.asked(names):
        try:
            if reads(asked.recorded):
                (was, failed), (now, fails) = (_prompt(copy, side, asked.recorded) for side in copy.sides)
                every.append(_Put(asked, was, now, "" if failed else fails))
        except replay.Unreplayable:
            copy.budget.damaged += 1
    changed = [
        row(
            run, recorded.judgement, recording.about(recorded.inputs) or recorded.judgement, ANSWERED, FAILS + put.fault
        )
        for put in every
        for run, recorded in (put.asked,)
        if put.fault and (put.by_model or recorded.judgement == turn.NAME)
    ]
    by_model = [put for put in every if put.by_model]
    other = sum(not put.same for put in by_model)
    method = UNKNOWN if other or not every else BY_RECORD if by_model else BY_RULES
    notes = _notes(every, len(by_model) - other, other, told=bool(changed))
    return decided([put.asked for put in every], changed, notes, BY_RULES if changed else method)


def _prompt(copy: Copy, side: Side, recorded: Recorded) -> tuple[str, str]:
    """(a recorded question as this side puts it, why it cannot be put). Raises Unreplayable."""
    try:
        inputs = replay.rebuild(recorded, side)
        if isinstance(inputs, turn.Inputs):
            standing = side.shelf.standing(inputs.role or CONDUCTOR)
            limits = PromptLimits(copy.app.config.whole("prompt.max_tokens"), 0, 0)
            return assemble(standing.parts, standing.contract, inputs.message, limits).text, ""
        judgement = load(recorded.judgement)
        return side.templates.render(judgement.TEMPLATE, judgement.variables(inputs, Fence(copy.app.marker))), ""
    except AdjutantError as error:
        return "", error.message


def _notes(every: Sequence[_Put], same: int, other: int, *, told: bool) -> Iterator[str]:
    """A clause each. `told`: that a prompt would fail stands among the rows."""
    fault = next((put.fault for put in every if put.fault), "")
    if fault and not told:
        yield f"{NO_RENDER}{fault}"
    if every and not fault:
        was, now = (
            sum(map(tokens_of, texts)) // len(every) for texts in zip(*(put[1:3] for put in every), strict=True)
        )
        yield f"such a prompt takes about {now} tokens{'' if was == now else f', {was} before'}"
    if by_rules := len(every) - same - other:
        yield f"rules answered {by_rules} of these questions and do not read this text"
    if same:
        stay = "stays" if same == 1 else "stay"
        yield f"{plural(same, 'prompt')} {stay} the same, blank lines aside, so what was replied stands"
    if other:
        yield (
            f"a model answered {other} of these questions under the old words: what it would reply to the new ones was "
            "never recorded and cannot be known"
        )
