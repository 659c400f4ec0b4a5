"""OPINION. Prompt text as it would be: does it render, what would it cost, and who reads it at all?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from adjutant.domain.prompting.assembly import PromptLimits, assemble
from adjutant.domain.prompting.roles import CONDUCTOR
from adjutant.errors import AdjutantError
from adjutant.judgements import recording, turn
from adjutant.judgements.asking import OFFLINE
from adjutant.judgements.calling import tokens_of
from adjutant.judgements.judgement import JUDGEMENTS, load
from adjutant.judgements.recording import Recorded
from adjutant.records import layers
from adjutant.records.suggestion import BY_RECORD, BY_RULES, UNKNOWN, Decided
from adjutant.replay import replay
from adjutant.replay.sides import FAILS, TODAY, Copy, Lane, Side, attempt, count, row
from adjutant.screening.fence import Fence

ANSWERED = "answered"
NO_RENDER = "it would not render: "


def of_template(copy: Copy, name: str) -> Lane:
    """The recorded inputs rendered by a template as it was and as it would be. Raises IoFailed."""
    from adjutant.judgements.templates import check_own  # jinja2: only where a template changes

    asking = tuple(each for each in JUDGEMENTS if name == load(each).TEMPLATE)
    if not asking:
        return Lane(notes=("no question is put by this file",))
    lane = _rehearse(copy, asking, lambda recorded: True)
    fault = "" if lane.judgements else attempt(lambda: check_own(copy.after.files, name))
    return lane._replace(notes=(f"{NO_RENDER}{fault}", *lane.notes)) if fault else lane


def of_layer(copy: Copy, name: str) -> Lane:
    """The prompts that show a layer, with the layer as it would be. Raises FileDamaged, IoFailed."""
    asked = (turn.NAME,) if name == "heart" else (turn.NAME, *JUDGEMENTS)  # rules read the heart in all other questions

    def reads(recorded: Recorded) -> bool:
        return recorded.judgement == turn.NAME or name in (recorded.inputs.get("layers") or {})

    lane = _rehearse(copy, asked, reads)
    problem = layers.read(copy.after.files, copy.app.config, name).problem
    if problem is not None and name in ("soul", "heart"):
        lane = lane._replace(notes=(*lane.notes, "pulse and review would go on by rules"))
    return _every_turn(copy, CONDUCTOR, lane)


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


class _Prompts(NamedTuple):
    """A question as it is put on both sides, or why it cannot be; whether a model was asked it."""

    was: str
    now: str
    by_model: bool
    was_fault: str = ""
    now_fault: str = ""

    @property
    def fault(self) -> str:
        """How it would fail that did not before."""
        return "" if self.was_fault else self.now_fault

    @property
    def same(self) -> bool:
        """Whether both say the same: no model is told another thing by a blank line."""
        was, now = ([line.rstrip() for line in text.split("\n") if line.strip()] for text in (self.was, self.now))
        return was == now


def _rehearse(copy: Copy, names: tuple[str, ...], reads: Callable[[Recorded], bool]) -> Lane:
    """The questions on record that read the text, put anew on both sides."""
    every, changed, runs = list[_Prompts](), list[Decided](), set[str]()
    for run, recorded in copy.history(names).records():
        if not reads(recorded):
            continue
        try:
            (was, was_fault), (now, now_fault) = (_prompt(copy, side, recorded) for side in copy.sides)
        except replay.Unreplayable:
            copy.damaged += 1
            continue
        each = _Prompts(was, now, recorded.backend != OFFLINE, was_fault, now_fault)
        if each.fault and (each.by_model or recorded.judgement == turn.NAME):
            about = recording.about(recorded.inputs) or recorded.judgement
            changed.append(row(run, recorded.judgement, about, ANSWERED, f"{FAILS}{each.fault}"))
        every.append(each)
        runs.add(run)
    asked = [each for each in every if each.by_model]
    other = sum(not each.same for each in asked)
    method = UNKNOWN if other or not every else BY_RECORD if asked else BY_RULES
    notes = tuple(_notes(every, len(asked) - other, other, told=bool(changed)))
    return Lane(BY_RULES if changed else method, frozenset(runs), len(every), tuple(changed), notes)


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


def _notes(every: list[_Prompts], same: int, other: int, *, told: bool) -> Iterator[str]:
    """A clause each. `told`: that a prompt would fail stands among the rows."""
    fault = next((each.fault for each in every if each.fault), "")
    if fault and not told:
        yield f"{NO_RENDER}{fault}"
    if every and not fault:
        was = sum(tokens_of(each.was) for each in every) // len(every)
        now = sum(tokens_of(each.now) for each in every) // len(every)
        yield f"such a prompt takes about {now} tokens{'' if was == now else f', {was} before'}"
    if by_rules := len(every) - same - other:
        yield f"rules answered {by_rules} of these questions and do not read this text"
    if same:
        stay = count(same, "prompt stays", "prompts stay")
        yield f"{stay} the same, blank lines aside, so what was replied stands"
    if other:
        yield (
            f"a model answered {other} of these questions under the old words: what it would reply to the new ones was "
            "never recorded and cannot be known"
        )
