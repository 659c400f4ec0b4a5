"""OPINION. Prompt text as it would be: does it assemble and render, what would it cost, and who reads it at all?"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from adjutant.domain.prompting.assembly import Assembly, Limits, assemble
from adjutant.domain.prompting.roles import CONDUCTOR
from adjutant.domain.prompting.standing import Shelf, Standing
from adjutant.errors import AdjutantError
from adjutant.judgements import past, recording, replaying, synthesis, triage, turn
from adjutant.judgements.asking import OFFLINE
from adjutant.judgements.calling import tokens_of
from adjutant.judgements.copying import TODAY, Copy, Lane, counted, left_out, row, tried
from adjutant.judgements.judgement import JUDGEMENTS, load
from adjutant.judgements.past import Past
from adjutant.judgements.recording import Recorded
from adjutant.records import layers
from adjutant.records.suggestion import BY_RECORD, BY_RULES, UNKNOWN, Decided
from adjutant.screening.fence import Fence
from adjutant.store.files import Files

if TYPE_CHECKING:
    from adjutant.judgements.templates import Templates

ALSO = {"soul": (triage.NAME, synthesis.NAME)}  # judgements that show a layer beside the turn
FAILS, HELD = "would fail: ", "answered"
STANDING, RENDERED = "what stands in every prompt takes", "such a prompt takes about"


class _Read(NamedTuple):
    """What reads the changed text: by rules, by a model under the same words, by a model under other words."""

    by_rules: int = 0
    same: int = 0
    other: int = 0

    def and_(self, *, by_model: bool, differs: bool) -> _Read:
        """One question on record more."""
        if not by_model:
            return self._replace(by_rules=self.by_rules + 1)
        return self._replace(other=self.other + 1) if differs else self._replace(same=self.same + 1)

    @property
    def method(self) -> str:
        """By what it is known that nothing changes, or that it cannot be known."""
        if self.other or not any(self):
            return UNKNOWN
        return BY_RECORD if self.same else BY_RULES

    def notes(self) -> Iterator[str]:
        """A clause each."""
        if self.by_rules:
            yield f"rules answered {self.by_rules} of these questions and do not read this text"
        if self.same:
            stay = counted(self.same, "prompt stays", "prompts stay")
            yield f"{stay} the same, blank lines aside, so what was replied stands"
        if self.other:
            yield (
                f"a model answered {self.other} of these questions under the old words: what it would reply to the "
                "new ones was never recorded and cannot be known"
            )


# -- templates -----------------------------------------------------------------------------------------------


def of_template(copy: Copy, name: str) -> Lane:
    """The recorded inputs rendered by a template as it was and as it would be. Raises IoFailed."""
    from adjutant.judgements.templates import Templates  # jinja2: only where a template changes

    asking = [each for each in JUDGEMENTS if name == load(each).TEMPLATE]
    if not asking:
        return Lane(notes=("no question is put by this file",))
    found = past.runs(copy.before, asking, copy.budget)
    sides = Templates(copy.before), Templates(copy.after)
    read, changed, sizes, damaged = _Read(), list[Decided](), [0, 0], found.damaged
    broken = ""
    for kept in found.runs:
        for recorded in kept.records:
            try:
                was, now = (_rendered(copy, each, recorded) for each in sides)
                replaying.replay(recorded)
            except (msgspec.ValidationError, replaying.Unreplayable):
                damaged += 1
                continue
            fails = now.removeprefix(FAILS) if now.startswith(FAILS) and not was.startswith(FAILS) else ""
            if fails and recorded.backend != OFFLINE:
                changed.append(row(kept.run, recorded.judgement, _about(recorded), HELD, now))
            broken = broken or fails
            read = read.and_(by_model=recorded.backend != OFFLINE, differs=_words(was) != _words(now))
            sizes = [sizes[0] + tokens_of(was), sizes[1] + tokens_of(now)]
    if not found.runs and (fault := tried(lambda: _compiles(copy.after, name))):
        broken = fault
    notes = [f"it would not render: {broken}"] if broken and not changed else []
    notes += _cost(RENDERED, *(size // sum(read) for size in sizes)) if any(read) and not broken else []
    method = BY_RULES if changed else read.method
    return Lane(
        method,
        frozenset(kept.run for kept in found.runs),
        sum(read),
        tuple(changed),
        (*notes, *read.notes(), *left_out(damaged, ran_out=copy.budget.ran_out)),
    )


def _rendered(copy: Copy, templates: Templates, recorded: Recorded) -> str:
    """The prompt's text, or how it fails. Raises msgspec.ValidationError."""
    judgement = load(recorded.judgement)
    inputs = msgspec.convert(recorded.inputs, judgement.Inputs)
    fence = Fence(copy.app.marker)
    try:
        return templates.render(judgement.TEMPLATE, judgement.variables(inputs, fence))
    except AdjutantError as error:
        return f"{FAILS}{error.message}"


def _compiles(files: Files, name: str) -> str:
    """ "" for a template that compiles. Raises ConfigInvalid, FileDamaged, IoFailed."""
    from adjutant.judgements.templates import check_own  # jinja2: as above

    check_own(files, name)
    return ""


def _about(recorded: Recorded) -> str:
    return recording.about(recorded.inputs) or recorded.judgement


# -- layers and roles ----------------------------------------------------------------------------------------


def of_layer(copy: Copy, name: str) -> Lane:
    """The prompts of recorded turns with a layer as it would be. Raises FileDamaged, IoFailed."""
    problem = layers.read(copy.after, copy.config, name).problem
    was, now = (layers.read(files, copy.config, name).prompt for files in (copy.before, copy.after))
    lane = _of_turns(copy, lambda role: True, (turn.NAME, *ALSO.get(name, ())), differs=_words(was) != _words(now))
    if problem is not None and name in ("soul", "heart"):
        lane = lane._replace(notes=(*lane.notes, "pulse and review would go on by rules"))
    return lane


def of_role(copy: Copy, name: str) -> Lane:
    """The prompts of recorded turns that this role answered. Raises FileDamaged, IoFailed."""
    return _of_turns(copy, lambda role: role == name, (turn.NAME,), differs=None, roles=(name,))


def _of_turns(
    copy: Copy,
    reads: Callable[[str], bool],
    names: Collection[str],
    *,
    differs: bool | None,
    roles: Collection[str] = (CONDUCTOR,),
) -> Lane:
    """`differs`: whether the words do; None: as the standing parts tell."""
    shelves = Shelf(copy.before, copy.config), Shelf(copy.after, copy.config)
    said = [each for each in past.turns(copy.before, copy.budget) if reads(each.role or CONDUCTOR)]
    changed: list[Decided] = []
    standing = {
        role: [_standing(shelf, role) for shelf in shelves]
        for role in {*roles, *(each.role or CONDUCTOR for each in said)}
    }
    for each in said:
        was, now = (_assembled(copy, one, each.message) for one in standing[each.role or CONDUCTOR])
        if now.startswith(FAILS) and not was.startswith(FAILS):
            changed.append(row(each.ref, turn.NAME, each.message, HELD, now))
    first, second = standing[next(iter(roles))]
    if isinstance(second, str) and not isinstance(first, str) and not changed:
        changed.append(row(TODAY, turn.NAME, "every turn", HELD, f"{FAILS}{second}"))
    other = _words(_text(first)) != _words(_text(second)) if differs is None else differs
    read = _Read()
    for each in said:
        read = read.and_(by_model=each.by_model, differs=other)
    runs = {each.ref for each in said}
    read, replayed, damaged = _replayed(past.runs(copy.before, names, copy.budget), reads, read, runs, differs=other)
    whole = not isinstance(first, str) and not isinstance(second, str)
    notes = list(_cost(STANDING, _tokens(first), _tokens(second))) if whole else []
    method = BY_RULES if changed else read.method
    return Lane(
        method,
        replayed,
        sum(read),
        tuple(changed),
        (*notes, *read.notes(), *left_out(damaged, ran_out=copy.budget.ran_out)),
    )


def _standing(shelf: Shelf, role: str) -> Standing | str:
    return tried(lambda: shelf.standing(role))


def _assembled(copy: Copy, standing: Standing | str, message: str) -> str:
    """ "" for a message that finds room below the standing parts, else how the turn fails."""
    if isinstance(standing, str):
        return f"{FAILS}{standing}"
    limits = Limits(copy.config.whole("prompt.max_tokens"), 0, 0)
    made: Assembly | str = tried(lambda: assemble(standing.parts, standing.contract, message, limits))
    return f"{FAILS}{made}" if isinstance(made, str) else ""


def _replayed(
    found: Past,
    reads: Callable[[str], bool],
    read: _Read,
    runs: Collection[str],
    *,
    differs: bool,
) -> tuple[_Read, frozenset[str], int]:
    """The recorded questions that read this text, through today's checks; those of `runs` are in `read` already. All
    that read it, all runs, and how many could not be replayed."""
    damaged, every = found.damaged, set(runs)
    for kept in found.runs:
        for recorded in kept.records:
            if recorded.judgement == turn.NAME and not reads(str(recorded.inputs.get("role") or CONDUCTOR)):
                continue
            try:
                replaying.replay(recorded)
            except replaying.Unreplayable:
                damaged += 1
                continue
            every.add(kept.run)
            if recorded.judgement != turn.NAME or kept.run not in runs:
                read = read.and_(by_model=recorded.backend != OFFLINE, differs=differs)
    return read, frozenset(every), damaged


def _words(text: str) -> str:
    """What a text says: no model is told another thing by a blank line."""
    return "\n".join(line.rstrip() for line in text.split("\n") if line.strip())


def _text(standing: Standing | str) -> str:
    return standing if isinstance(standing, str) else "\n\n".join(each.text for each in standing.parts)


def _tokens(standing: Standing | str) -> int:
    return 0 if isinstance(standing, str) else sum(each.tokens for each in standing.parts)


def _cost(what: str, was: int, now: int) -> Iterator[str]:
    yield f"{what} {now} tokens" if was == now else f"{what} {now} tokens, {was} before"
