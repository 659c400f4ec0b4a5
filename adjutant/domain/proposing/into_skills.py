"""DOMAIN. Into skills and roles: what the operator says of one, and a skill drafted in his words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from adjutant.documents import frontmatter, page_edits
from adjutant.domain.prompting import roles
from adjutant.domain.proposing import lines, placement, skill_text
from adjutant.domain.proposing.placement import Unplaced
from adjutant.domain.recall import skills, taxonomy
from adjutant.domain.recall.taxonomy import PREFIX
from adjutant.errors import FileDamaged
from adjutant.language import likeness
from adjutant.records.suggestion import Change, Draft

if TYPE_CHECKING:
    from adjutant.app import App

_TOLD = re.compile(
    r"(?i)\b(?:corrections?|notes?|remember|rules?|gotchas?|pitfalls?|watch out|mind|husk|merk\w*|regler"
    r"|rettelser|hinweise?|regeln|korrekturen)\b"
)
_TOLD_TITLE = "Corrections"


def skill_edit(app: App, draft: Draft, name: str) -> Change:
    """A skill with one item more, under its corrections. Raises Unplaced, TaxonomyInvalid, FileDamaged, IoFailed."""
    line = placement.line_of(app, draft)
    scheme = taxonomy.load(app.files)
    shelf = skills.load(app.files, scheme).skills
    found = [each for each in shelf if name in (each.name, each.path.split("/")[-2])]
    if len(found) != 1:
        raise Unplaced(f"there is no skill {name[:60]}" if not found else f"{len(found)} skills are called {name[:60]}")
    path = found[0].path
    before = placement.text_of(app, path) or ""
    if _says(found[0].body, line):
        raise Unplaced(f"{placement.STANDS}: {path}")
    try:
        body = frontmatter.read(before, path).body
    except FileDamaged:
        raise Unplaced(f"{path}: its frontmatter cannot be read; mend that first") from None
    newer = page_edits.with_item(body, line, _TOLD, _TOLD_TITLE)
    if newer is None:
        raise Unplaced(f"{path}: {placement.OPEN}")
    after = before[: len(before) - len(body)] + newer
    read = skills.parse(path, after.encode(), scheme)
    if (read.name, read.description, read.workload) != (found[0].name, found[0].description, found[0].workload):
        raise Unplaced(f"{path}: it is written in a way that nothing can be added to for certain")
    return Change(path, before, after)


def role_edit(app: App, draft: Draft, name: str) -> Change:
    """A role with an item added; copied from the package if need be. Raises Unplaced, FileDamaged, IoFailed."""
    line = placement.line_of(app, draft)
    if name not in roles.names(app.config):
        raise Unplaced(f"there is no role {name[:60]}")
    path = app.tree.relative(roles.path(app.files, name))
    before = placement.text_of(app, path)
    text = placement.packaged(name) if before is None else before
    if _says(text, line):
        raise Unplaced(f"{placement.STANDS}: {path if before is not None else f'the role {name}'}")
    after = page_edits.with_item(text, line)
    if after is None:
        raise Unplaced(f"{path}: {placement.OPEN}")
    return Change(path, before, after)


def _says(text: str, line: str) -> bool:
    return any(likeness.same(lines.plain(row), line) for row in text.split("\n"))


def skill_gap(app: App, draft: Draft) -> Change:
    """A new skill. Raises Unplaced, TaxonomyInvalid, FileDamaged, IoFailed."""
    own = placement.secrets_of(app)
    said = skill_text.said(lines.operators(draft.evidence))
    steps = [lines.plain(step) for step in draft.text.split("\n") if step.strip()]
    requests = [request for request in map(lines.plain, said.requests) if not lines.problem(request, own)]
    for step in steps:
        if why := lines.problem(step, own):
            raise Unplaced(why)
        if not lines.his(step, draft.evidence):
            raise Unplaced(placement.NOT_HIS)
    if not steps and not requests:
        raise Unplaced("there are no words of yours that it could be made of")
    path = app.tree.relative(app.tree.skill(draft.target))
    if app.files.exists(app.tree.inside(path).rpartition("/")[0]):
        raise Unplaced(f"{path}: there is a skill of that name already")
    scheme = taxonomy.load(app.files)
    concept = scheme.concepts.get(draft.workload)
    if concept is None:
        raise Unplaced(f"`{draft.workload[:60]}` is no concept of the taxonomy")
    text = skill_text.render(draft.target, concept.label(), concept.id.removeprefix(PREFIX), requests, steps)
    read = skills.parse(path, text.encode(), scheme)
    if read.complaints or read.workload != concept.id or read.name != draft.target:
        raise Unplaced("; ".join(read.complaints) or f"{path}: it would not be read as it is meant")
    return Change(path, None, text)
