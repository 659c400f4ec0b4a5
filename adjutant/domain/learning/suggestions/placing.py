"""DOMAIN. A draft becomes a change of one file as it stands today; or the reason why it fits none.

Whatever a draft's words have been through, they are looked at here once more, right before they stand in a diff: whose
they are, what they hide.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from itertools import chain, count

from adjutant.app import App
from adjutant.documents import edits, frontmatter
from adjutant.documents.edits import EditRefused
from adjutant.domain.learning.interactions import layer_items
from adjutant.domain.learning.suggestions import drafting, target
from adjutant.domain.learning.suggestions.drafting import flatten
from adjutant.domain.matters.cues import names_nothing
from adjutant.domain.memory import gate, notes
from adjutant.domain.memory.shelf import Shelf
from adjutant.domain.prompting import roles
from adjutant.domain.recall import skills, taxonomy
from adjutant.domain.recall.taxonomy import PREFIX
from adjutant.errors import AdjutantError, FileDamaged, IoFailed
from adjutant.language import likeness
from adjutant.ports import TRUST
from adjutant.records import heart
from adjutant.records import note as note_file
from adjutant.records import suggestion as kinds
from adjutant.records.suggestion import Change, Draft, Quote
from adjutant.screening.characters import without_controls, without_hidden
from adjutant.screening.screen import screen
from adjutant.store.own_secrets import own_secrets

STANDS = "stands already"
NOT_HIS = "its words are not yours: say it in your own, and it can be kept"
OPEN = "it ends inside of a comment or of code; close that first"
ENTANGLED = "it is written in a way that nothing can be added to for certain"
NAME_WORDS, NAME_CHARS = 3, 40  # of a quiet zone that is named after what notices have in common
_QUIET, _QUIET_TITLE = re.compile("quiet", re.IGNORECASE), "Quiet Zones"
_TOLD, _TOLD_TITLE = re.compile("corrections", re.IGNORECASE), "Corrections"


class Unplaced(Exception):
    """A draft that fits no file; the message says why, in words for the person."""


def place(app: App, draft: Draft) -> Change | str:
    """The change of today's file that a draft asks for; else why there is none. Raises IoFailed."""
    try:
        change = _PLACERS[draft.kind](app, draft)
    except IoFailed:
        raise
    except (Unplaced, EditRefused, AdjutantError) as refusal:  # what cannot be read is named, the others are placed
        told = refusal.message.removeprefix("refused: ") if isinstance(refusal, AdjutantError) else str(refusal)
        return " ".join(without_hidden(without_controls(told)).split())  # names in it may be anybody's
    why = target.why_refused(app.files, app.config, draft.kind, change.path)
    why = why or target.why_unfit(app.files, app.config, draft.kind, change.path, change.after)
    return why or (change if change.before != change.after else STANDS)


# -- the file as it is, and words that may stand in it -----------------------------------------------------------


def _read(app: App, path: str) -> str | None:
    """A file as it is, its byte order mark and its newlines too; None where there is none. Raises FileDamaged."""
    data = app.files.find(app.tree.inside(path))
    try:
        return None if data is None else data.decode()
    except UnicodeDecodeError as error:
        raise FileDamaged(f"{path}: not UTF-8") from error


def _refuse_if(wrong: object, why: str) -> None:
    if wrong:
        raise Unplaced(why)


def _harmless(app: App, *several: str) -> None:
    """Raises Unplaced unless each may stand in a prompt."""
    for each in several:
        why = drafting.find_problem(each, own_secrets(app.files, app.secret, app.environment))
        _refuse_if(why, why)


def _line(app: App, draft: Draft, *, his: bool = True) -> str:
    """The draft's words as one line that may stand in a prompt, and is the operator's by the evidence. Raises
    Unplaced."""
    line = flatten(draft.text)
    _harmless(app, draft.text.strip(), line)
    _refuse_if(his and not drafting.is_his(line, draft.evidence), NOT_HIS)
    return line


def _says(text: str, line: str) -> bool:
    return any(likeness.same(flatten(row), line) for row in text.split("\n"))


def _with_item(text: str, path: str, line: str, heading: re.Pattern[str] | None = None, title: str = "") -> str:
    """A page with one item more. Raises Unplaced."""
    after = edits.with_item(text, line, heading, title)
    if after is None:
        raise Unplaced(f"{path}: {OPEN}")
    return after


# -- into the layers ---------------------------------------------------------------------------------------------


def _layer_path(app: App, layer: str) -> str:
    """The file of a layer relative to the instance; one outside stays absolute."""
    return app.tree.relative(os.path.normpath(app.tree.inside(app.config.text(f"layers.{layer}.path"))))


def _items(layer: str, path: str, text: str | None) -> list[str]:
    return [item.text for item in layer_items.split_text(layer, path, (text or "").removeprefix("\ufeff"))]


def _promote(app: App, draft: Draft) -> Change:
    """A note's words as an item of a layer. Raises Unplaced, FileDamaged, IoFailed."""
    layer, note = draft.target, Shelf(app.files).find_known(draft.subject.partition("/")[2])
    _refuse_if(layer not in (drafting.BEDROCK, drafting.TOPSOIL), f"nothing is promoted to {layer[:40]}")
    if note is None or note.superseded_by:
        raise Unplaced(f"the note {draft.subject[:120]} is not there any more")
    foreign = f"{note.path} is not your own writing (trust: {note.trust}): say it in your own words"
    _refuse_if(note.trust != TRUST[0], foreign)
    line = flatten(draft.text or note.body)
    _harmless(app, draft.text.strip() or line, line)
    _refuse_if(not drafting.is_his(line, (Quote("", "", note.body),)), NOT_HIS)
    for item in layer_items.read_items(app.files, app.config):
        same = likeness.same(flatten(item.text), line) or _says(item.text, line)
        _refuse_if(same, f"{STANDS}: {item.path}:{item.line}")
    path = _layer_path(app, layer)
    before = _read(app, path)
    after = f"# {layer.capitalize()}\n\n- {line}\n" if before is None else _with_item(before, path, line)
    old, new = _items(layer, path, before), _items(layer, path, after)
    added = len(new) == len(old) + 1 and [text for text in new if flatten(text) != line] == old
    _refuse_if(not added, f"{path}: {ENTANGLED}")
    return Change(path, before, after)


def _demote(app: App, draft: Draft) -> Change:
    """A layer without one of its items. Raises Unplaced, FileDamaged, IoFailed."""
    item = next((each for each in layer_items.read_items(app.files, app.config) if each.id == draft.target), None)
    if item is None:
        raise Unplaced(f"{draft.target} is not there any more")
    path = _layer_path(app, item.layer)
    before = _read(app, path) or ""
    heads = edits.heads_others(before, item.line, item.lines)  # then it stays: others stand below it
    after = edits.without_lines(before, item.line + heads, item.lines - heads)
    old, new = _items(item.layer, path, before), _items(item.layer, path, after)
    entangled = [text for text in old if text != item.text] != [text for text in new if text != item.text]
    _refuse_if(entangled or item.text in new, f"{path}:{item.line}: it is entangled with what stands around it")
    return Change(path, before, after)


# -- into the heart, skills and roles ----------------------------------------------------------------------------


def _edit_prompt(app: App, draft: Draft) -> Change:
    what, _, name = draft.target.partition(" ")
    if what == drafting.HEART:
        return _edit_heart(app, draft)
    _refuse_if(what not in (drafting.SKILL, drafting.ROLE), f"{draft.target[:60]} is nothing that a suggestion changes")
    return (_edit_skill if what == drafting.SKILL else _edit_role)(app, draft, name)


def _edit_heart(app: App, draft: Draft) -> Change:
    """The heart with one quiet zone more: in the operator's words, or a few that all notices have in common. Raises
    Unplaced, FileDamaged, IoFailed."""
    line, path = _line(app, draft, his=False), _layer_path(app, "heart")
    plain = line.replace("-", "").replace(" ", "").isalpha() and len(line) <= NAME_CHARS
    told = " ".join(quote.text for quote in draft.evidence).casefold()
    named = plain and len(line.split()) <= NAME_WORDS and line.casefold() in told
    _refuse_if(not named and not drafting.is_his(line, draft.evidence), NOT_HIS)
    nothing = all(map(names_nothing, line.casefold().split()))  # whatever a model made of it
    _refuse_if(nothing, f'"{line}" names no matter: as a quiet zone it would mute whatever is that')
    before = _read(app, path)
    if before is None:
        raise Unplaced(f"{path} is not there: nothing is weighed by a heart yet")
    old = heart.parse(before)
    same = any(likeness.same(line, each) or line.casefold() == each.casefold() for each in old.quiet)
    _refuse_if(same, f"{STANDS}: {path}")
    after = _with_item(before, path, line, _QUIET, _QUIET_TITLE)
    new = heart.parse(after)
    added = (new.priorities, new.concerns, new.quiet) == (old.priorities, old.concerns, [*old.quiet, line])
    _refuse_if(not added, f"{path}: its Quiet Zones are written in a way that nothing can be added to for certain")
    return Change(path, before, after)


def _edit_skill(app: App, draft: Draft, name: str) -> Change:
    """A skill with one item more, under its corrections. Raises Unplaced, TaxonomyInvalid, FileDamaged, IoFailed."""
    line, scheme = _line(app, draft), taxonomy.load(app.files)
    found = [each for each in skills.load(app.files, scheme).skills if name in (each.name, each.path.split("/")[-2])]
    _refuse_if(not found, f"there is no skill {name[:60]}")
    _refuse_if(len(found) > 1, f"{len(found)} skills are called {name[:60]}")
    [skill], path = found, found[0].path
    before = _read(app, path) or ""
    _refuse_if(_says(skill.body, line), f"{STANDS}: {path}")
    try:
        body = frontmatter.read(before, path).body
    except FileDamaged:
        raise Unplaced(f"{path}: its frontmatter cannot be read; mend that first") from None
    after = before[: len(before) - len(body)] + _with_item(body, path, line, _TOLD, _TOLD_TITLE)
    new = skills.parse(path, after.encode(), scheme)
    kept = (new.name, new.description, new.workload) == (skill.name, skill.description, skill.workload)
    _refuse_if(not kept, f"{path}: {ENTANGLED}")
    return Change(path, before, after)


def _edit_role(app: App, draft: Draft, name: str) -> Change:
    """A role with an item added; copied from the package if need be. Raises Unplaced, FileDamaged, IoFailed."""
    line = _line(app, draft)
    _refuse_if(name not in roles.names(app.config), f"there is no role {name[:60]}")
    path = app.tree.relative(roles.path(app.files, name))
    before = _read(app, path)
    text = target.read_packaged(name) if before is None else before
    _refuse_if(_says(text, line), f"{STANDS}: {path if before is not None else f'the role {name}'}")
    return Change(path, before, _with_item(text, path, line))


def _add_skill(app: App, draft: Draft) -> Change:
    """A new skill. Raises Unplaced, TaxonomyInvalid, FileDamaged, IoFailed."""
    steps = [flatten(step) for step in draft.text.split("\n") if step.strip()]
    _harmless(app, *steps)
    _refuse_if(not steps or not all(drafting.is_his(step, draft.evidence) for step in steps), NOT_HIS)
    scheme = taxonomy.load(app.files)
    concept = scheme.concepts.get(draft.workload)
    if concept is None:
        raise Unplaced(f"`{draft.workload[:60]}` is no concept of the taxonomy")
    plain, taken = concept.id.rpartition("/")[2].removeprefix(PREFIX), app.files.names(app.tree.skills)
    name = next(each for each in chain([plain], (f"{plain}-{n}" for n in count(2))) if each not in taken)
    path = app.tree.relative(app.tree.skill(name))
    text = drafting.render_skill(name, concept.label(), concept.id.removeprefix(PREFIX), steps)
    new = skills.parse(path, text.encode(), scheme)
    odd = new.complaints or (new.workload, new.name) != (concept.id, name)
    _refuse_if(odd, "; ".join(new.complaints) or f"{path}: it would not be read as it is meant")
    return Change(path, None, text)


# -- into memory -------------------------------------------------------------------------------------------------


def _change_notes(app: App, draft: Draft) -> Change:
    """A note that comes, takes the place of another, or goes. Raises Unplaced, MemoryRefused, FileDamaged, IoFailed."""
    shelf, text = Shelf(app.files), draft.text.strip()
    old = shelf.find_known(draft.target) if draft.target else None
    _refuse_if(draft.target and old is None, f"the note {draft.target[:120]} is not there any more")
    if old is not None and not text:
        return Change(old.path, _read(app, old.path), None)
    trust = TRUST[0] if drafting.is_whole(flatten(text), draft.evidence) else TRUST[1]
    if trust == TRUST[0]:
        text = flatten(text)
        _harmless(app, text)
    guard = gate.for_app(app)
    text = guard.admit(text, trust)
    if hits := screen(text):
        raise Unplaced(f"it reads like an instruction to the assistant ({hits[0].reason})")
    lifted = guard.find_lifted(text)
    _refuse_if(lifted, f"{STANDS}: {lifted}")
    for note in shelf.saying(text, shelf.texts()):
        _refuse_if(not note.superseded_by and TRUST.index(note.trust) <= TRUST.index(trust), f"{STANDS}: {note.path}")
    if old is not None:
        _refuse_if(old.superseded_by, f"{old.path} is superseded already")
        _refuse_if(TRUST.index(old.trust) < TRUST.index(trust), f"{old.path} holds your words, and these are not yours")
    kind = "correction" if draft.cause == kinds.CORRECTION else notes.type_of(text)
    known_workload = (draft.workload,) if draft.workload in taxonomy.load(app.files).concepts else ()
    concepts = notes.concepts_of(app.files, text) or known_workload
    ref = next((quote.ref for quote in draft.evidence if quote.ref and quote.text), "")
    drafted = notes.NoteDraft(text, kind, concepts, trust=trust, source=f"evolve {ref}".strip())
    taken = [place.id for place in (*shelf.places(), *shelf.list_forgotten())]
    made = notes.make_note(app.files, drafted, old, app.clock.now(), taken)
    return Change(made.path, None, note_file.render(made))


_PLACERS: dict[str, Callable[[App, Draft], Change]] = {
    kinds.PROMOTE: _promote,
    kinds.DEMOTE: _demote,
    kinds.PROMPT_EDIT: _edit_prompt,
    kinds.SKILL_GAP: _add_skill,
    kinds.MEMORY: _change_notes,
}
