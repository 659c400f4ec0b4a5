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


class _Prompt(NamedTuple):
    """A question as it is put, or why it cannot be."""

    text: str
    error: str = ""

    @property
    def words(self) -> str:
        """What it says: no model is told another thing by a blank line."""
        return "\n".join(line.rstrip() for line in self.text.split("\n") if line.strip())


class _PromptTally:
    """How many questions read the text: by rules, by a model under the same words, by a model under other words.

    `fault`: how a prompt would fail that did not before."""

    def __init__(self) -> None:
        self.fault = ""
        self.by_rules = self.same = self.other = 0
        self.tokens = [0, 0]

    def add(self, was: _Prompt, now: _Prompt, *, by_model: bool) -> None:
        """One question more."""
        self.fault = self.fault or ("" if was.error else now.error)
        self.by_rules += not by_model
        self.same += by_model and was.words == now.words
        self.other += by_model and was.words != now.words
        for place, prompt in enumerate((was, now)):
            self.tokens[place] += tokens_of(prompt.text)

    @property
    def total(self) -> int:
        """All of them."""
        return self.by_rules + self.same + self.other

    @property
    def method(self) -> str:
        """By what it is known that nothing changes, or that it cannot be known."""
        if self.other or not self.total:
            return UNKNOWN
        return BY_RECORD if self.same else BY_RULES

    def notes(self) -> Iterator[str]:
        """A clause each."""
        if self.total and not self.fault:
            was, now = (tokens // self.total for tokens in self.tokens)
            yield f"such a prompt takes about {now} tokens{'' if was == now else f', {was} before'}"
        if self.by_rules:
            yield f"rules answered {self.by_rules} of these questions and do not read this text"
        if self.same:
            stay = count(self.same, "prompt stays", "prompts stay")
            yield f"{stay} the same, blank lines aside, so what was replied stands"
        if self.other:
            yield (
                f"a model answered {self.other} of these questions under the old words: what it would reply to the "
                "new ones was never recorded and cannot be known"
            )


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
    if name == "heart":  # the rules read it in all other questions
        lane = _rehearse(copy, (turn.NAME,), lambda recorded: True)
    else:
        lane = _rehearse(
            copy,
            (turn.NAME, *JUDGEMENTS),
            lambda recorded: recorded.judgement == turn.NAME or name in (recorded.inputs.get("layers") or {}),
        )
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


def _rehearse(copy: Copy, names: tuple[str, ...], reads: Callable[[Recorded], bool]) -> Lane:
    """The questions on record that read the text, put anew on both sides."""
    tally, changed, runs = _PromptTally(), list[Decided](), set[str]()
    for run, recorded in copy.history(names).records():
        if not reads(recorded):
            continue
        try:
            was, now = (_prompt(copy, side, recorded) for side in copy.sides)
        except replay.Unreplayable:
            copy.damaged += 1
            continue
        by_model = recorded.backend != OFFLINE
        if now.error and not was.error and (by_model or recorded.judgement == turn.NAME):
            about = recording.about(recorded.inputs) or recorded.judgement
            changed.append(row(run, recorded.judgement, about, ANSWERED, f"{FAILS}{now.error}"))
        tally.add(was, now, by_model=by_model)
        runs.add(run)
    method = BY_RULES if changed else tally.method
    broken = [f"{NO_RENDER}{tally.fault}"] if tally.fault and not changed else []
    return Lane(method, frozenset(runs), tally.total, tuple(changed), (*broken, *tally.notes()))


def _prompt(copy: Copy, side: Side, recorded: Recorded) -> _Prompt:
    """A recorded question as this side puts it. Raises Unreplayable."""
    try:
        inputs = replay.rebuild(recorded, side)
        if isinstance(inputs, turn.Inputs):
            standing = side.shelf.standing(inputs.role or CONDUCTOR)
            limits = PromptLimits(copy.app.config.whole("prompt.max_tokens"), 0, 0)
            return _Prompt(assemble(standing.parts, standing.contract, inputs.message, limits).text)
        judgement = load(recorded.judgement)
        return _Prompt(side.templates.render(judgement.TEMPLATE, judgement.variables(inputs, Fence(copy.app.marker))))
    except AdjutantError as error:
        return _Prompt("", error.message)
