"""DOMAIN. Into adjutant.yaml and the taxonomy: who answers what, with which model, and what it is called."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adjutant.domain.proposing import drafting, lines, placement, yaml_edits
from adjutant.domain.proposing.placement import Unplaced
from adjutant.domain.recall import taxonomy
from adjutant.records.suggestion import Change, Draft
from adjutant.store import package

if TYPE_CHECKING:
    from adjutant.app import App


def routing(app: App, draft: Draft) -> Change:
    """A workload taken from a specialist, a model given to a judgement. Raises Unplaced, Refused, FileDamaged."""
    key, _, value = draft.target.partition(" ")
    path = app.tree.relative(app.tree.config)
    before = placement.text_of(app, path) or ""
    if not value:
        raise Unplaced("no dearer model is configured that it could ask (llm.models)")
    if value.startswith("-"):
        return Change(path, before, yaml_edits.without_item(before, key, value[1:]))
    return Change(path, before, yaml_edits.with_setting(before, key, value))


def concept(app: App, draft: Draft) -> Change:
    """The taxonomy with one concept more. Raises Unplaced, Refused, TaxonomyInvalid, FileDamaged, IoFailed."""
    scheme = taxonomy.load(app.files)
    made = drafting.concept_of(draft, scheme)
    if made is None:
        raise Unplaced("your words give it no name")
    for label in (*made.pref.values(), *(each for several in made.alt.values() for each in several)):
        if why := lines.problem(label, placement.secrets_of(app)):
            raise Unplaced(why)
    if not lines.his(made.label(), draft.evidence):
        raise Unplaced(placement.NOT_HIS)
    if made.id in scheme.concepts or scheme.find(made.label()) is not None:
        raise Unplaced(f"{placement.STANDS}: {scheme.find(made.label()) or made.id}")
    made = made._replace(id=draft.target, broader=(draft.target.rpartition("/")[0],))
    path = app.tree.relative(app.tree.taxonomy)
    before = placement.text_of(app, path)
    text = package.text("instance", "taxonomy.yaml") if before is None else before
    return Change(path, before, yaml_edits.with_concept(text, path, made))
