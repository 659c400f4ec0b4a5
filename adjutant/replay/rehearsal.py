"""OPINION. A rehearsal: a change is applied to a copy, and what was decided lately is decided again with it."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from adjutant.errors import AdjutantError, Stopped
from adjutant.records.suggestion import BY_RECORD, BY_RULES, UNKNOWN, Change, Decided, Rehearsal
from adjutant.replay import hearts, prompts
from adjutant.replay.sides import DECISION, Copy, Lane
from adjutant.screening.fence import clean_line

if TYPE_CHECKING:
    from adjutant.app import App

MOST_SHOWN = 12
NOBODY = "which answers would find it, and what a model would make of it, cannot be replayed"
NEVER_RAN = "nothing on record touches it yet"


def rehearse(app: App, change: Change) -> Rehearsal:
    """What would be decided otherwise with `change`: by today's rules where these read the file, by the recorded
    replies where the prompts stay the same, and unknown where a model was never asked under the new words.

    Asks no model and leaves the folder as it is. What is damaged is left out and counted. Raises Stopped.
    """
    copy = Copy(app, change)
    lanes: list[Lane] = []
    for look in _ways(copy):
        try:
            lanes.append(look())
        except Stopped:
            raise
        except AdjutantError as error:
            lanes.append(Lane(notes=(f"not all of it could be rehearsed: {clean_line(error.message, DECISION)}",)))
    return _join(copy, lanes)


def _ways(copy: Copy) -> list[Callable[[], Lane]]:
    """The ways to look at a change, by what its file is to this instance."""
    tree, layer = copy.app.tree, copy.layer
    folder, name = posixpath.split(tree.inside(copy.path))
    if layer:
        rules: list[Callable[[], Lane]] = [lambda: hearts.rehearse(copy)] if layer == "heart" else []
        return [*rules, lambda: prompts.of_layer(copy, layer)]
    if folder == tree.roles:
        return [lambda: prompts.of_role(copy, name.removesuffix(".md"))]
    if folder == tree.prompts and tree.inside(copy.path) != tree.taxonomy:
        return [lambda: prompts.of_template(copy, name)]
    return [lambda: Lane(notes=(NOBODY,))]


def _join(copy: Copy, lanes: Sequence[Lane]) -> Rehearsal:
    """The lanes as one: the rules' word before the record's, and the same change in several runs shown once.

    Runs and questions are those that the method speaks for; the notes tell of the others.
    """
    changed = [each for lane in lanes for each in lane.changed]
    methods = {each.method for each in lanes if each.judgements or each.changed}
    method = next((each for each in (BY_RULES, BY_RECORD) if each in methods), UNKNOWN)
    shown: dict[tuple[str, str, str, str], Decided] = {}
    for each in changed:
        shown.setdefault((each.judgement, each.what, each.then, each.now), each)
    heard = [each for each in lanes if each.method == method]
    runs = frozenset[str]().union(*(each.runs for each in heard))
    said = dict.fromkeys([*(clause for lane in lanes for clause in lane.notes), *copy.left_out()])
    if method == UNKNOWN and not runs and NOBODY not in said:
        said = {NEVER_RAN: None, **said}
    if len(changed) > len(shown):
        said["what would change alike in several runs is shown once"] = None
    judgements, first = sum(each.judgements for each in heard), tuple(shown.values())[:MOST_SHOWN]
    return Rehearsal(method, len(runs), judgements, len(changed), first, "; ".join(said))
