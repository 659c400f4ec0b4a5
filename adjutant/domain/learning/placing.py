"""DOMAIN. A draft becomes a change of one file as it stands today; or the reason why it fits none.

Its `target`: promote: the layer (`user`, `tools`); demote: the item (`user#fountain-pens`); prompt_edit: `heart`,
`skill NAME`, `role NAME`; memory: the id of a note that goes, or that the text replaces.
"""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, count

from adjutant.app import App, plural
from adjutant.documents import edits, frontmatter
from adjutant.domain.learning import layer_items, target
from adjutant.domain.matters.cues import names_nothing
from adjutant.domain.memory import gate, notes
from adjutant.domain.memory.shelf import Shelf
from adjutant.domain.prompting import roles
from adjutant.domain.recall import skills, taxonomy
from adjutant.errors import AdjutantError, FileDamaged, IoFailed
from adjutant.language import likeness
from adjutant.ports import TRUST
from adjutant.records import contract, heart
from adjutant.records import note as note_file
from adjutant.records import suggestion as kinds
from adjutant.records.sections import close_tags
from adjutant.records.suggestion import CORRECTION, MEMORY, Analysis, Change, Draft, Quote
from adjutant.screening.characters import without_controls, without_hidden
from adjutant.screening.fence import clean_line
from adjutant.screening.screen import screen
from adjutant.store.files import Files
from adjutant.store.own_secrets import own_secrets

BEDROCK, TOPSOIL = "user", "tools"
HEART, SKILL, ROLE = "heart", "skill", "role"
MOST = 320  # characters of a line that is added
TITLE = 68  # characters of what is to be remembered
GROUNDED = 2 / 3  # of a line's content stems: so many the operator has said
DRAFT = "A draft from your own words. Read it, correct it, and take this line out."
_MARK = re.compile(r"(?:(?:[-*+•>|#]+|\d{1,3}[.)]|\[[ xX]?\])[ \t]+)+")
_MARKUP = re.compile(r"<!--|-->|```|~~~|<\s*/?\s*[A-Za-z!][^<>]*>")
_ENDS = " \t.,;:–—-"
STANDS = "stands already"
NOT_HIS = "its words are not yours: say it in your own, and it can be kept"
OPEN = "it ends inside of a comment or of code; close that first"
ENTANGLED = "it is written in a way that nothing can be added to for certain"
NAME_WORDS, NAME_CHARS = 3, 40  # of a quiet zone that is named after what notices have in common
_QUIET, _QUIET_TITLE = re.compile("quiet", re.IGNORECASE), "Quiet Zones"
_TOLD, _TOLD_TITLE = re.compile("corrections", re.IGNORECASE), "Corrections"


class Unplaced(Exception):
    """A draft that fits no file; the message says why, in words for the person."""


def draft_all(files: Files, analysis: Analysis) -> list[Draft]:
    """What the operator said again, as a note that replaces one that says otherwise. Raises FileDamaged, IoFailed."""
    drafts = list[Draft]()
    for found in analysis.findings:
        text = flatten(found.text)
        if found.cause != CORRECTION or not is_verbatim(text, found.evidence):
            continue
        count = round(found.figures.get("sessions", 0)) or len({quote.interaction for quote in found.evidence})
        effect, note = f"You said so in {plural(count, 'session')}; future answers will use this note", ""
        live = (note for note in Shelf(files).all() if not note.superseded_by)
        against = (note for note in live if likeness.contradicts(text, note.body))
        old = max(against, key=lambda note: note.id, default=None)  # the newest that says otherwise
        if old is not None:
            effect += f'; it takes the place of the note "{clean_line(old.title, 60)}"'
            note = f"the older note {old.path} is hidden from then on, and comes back when this is reverted"
        said = (f'Remember: "{clean_line(text, TITLE)}"', text, f"{effect}.", found.evidence, found.figures)
        about = (found.workload, old.id if old is not None else "", note, found.weight)
        drafts.append(Draft(MEMORY, CORRECTION, found.subject, *said, *about))
    return drafts


def place(app: App, draft: Draft) -> Change | str:
    """The change of today's file that a draft asks for; else why there is none. Raises IoFailed."""
    try:
        edit = _EDITORS.get(draft.target.partition(" ")[0]) if draft.kind == kinds.PROMPT_EDIT else _PLACERS[draft.kind]
        if edit is None:
            raise Unplaced(f"no suggestion can change {draft.target[:60]}")
        change = edit(app, draft)
    except IoFailed:
        raise
    except (Unplaced, edits.EditRefused, AdjutantError) as refusal:  # what cannot be read is named
        told = refusal.message.removeprefix("refused: ") if isinstance(refusal, AdjutantError) else str(refusal)
        return " ".join(without_hidden(without_controls(told)).split())  # names in it may be anybody's
    why = target.why_refused(app.files, app.config, draft.kind, change.path)
    why = why or target.why_unfit(app.files, app.config, draft.kind, change.path, change.after)
    return why or (change if change.before != change.after else STANDS)


def flatten(text: str) -> str:
    """A text as one line: blanks collapsed, no mark of a list, heading or quote before it."""
    line = " ".join(text.split())
    match = _MARK.match(line)
    return line[match.end() :] if match else line


def find_problem(line: str, own: Mapping[str, str]) -> str:
    """Why a line may stand in no such file, "" where it may. `own`: {value: name} of secrets; none is repeated."""
    if not any(char.isalnum() for char in line):
        return "there are no words to write"
    if len(line) > MOST:
        return f"{len(line)} characters are too many for a line; {MOST} are allowed"
    if "\n" in line or without_hidden(without_controls(line)) != line or contract.find_hidden(line):
        return "it holds control characters, or some that cannot be seen"
    if kind := gate.secret_in(line, own):
        return f"it holds {kind}"
    if close_tags(line) != line or _MARKUP.search(line):
        return "it could open or close a part of a prompt"
    if hits := screen(line):
        return f"it reads like an instruction to the assistant ({hits[0].reason})"
    return ""


def is_his(line: str, evidence: Iterable[Quote]) -> bool:
    """Whether a line is the operator's: most of its words stand in what he said, and none but he said the others."""
    said = read_own(evidence)
    return bool(said) and (is_verbatim(line, evidence) or likeness.share(line, " ".join(said))[0] >= GROUNDED)


def is_whole(line: str, evidence: Iterable[Quote]) -> bool:
    """Whether all that a line says stands in what the operator said: function words and inflection do not count."""
    said = " ".join(read_own(evidence))
    return is_verbatim(line, evidence) or (is_his(line, evidence) and not likeness.share(line, said)[1])


def is_verbatim(line: str, evidence: Iterable[Quote]) -> bool:
    """Whether a line stands as it is in something that the operator said."""
    wanted = line.rstrip(_ENDS).casefold()
    return bool(wanted) and any(wanted in said.casefold() for said in read_own(evidence))


def read_own(evidence: Iterable[Quote]) -> list[str]:
    """What the operator said, each quote as one line; what he quoted in it is not his."""
    his = [quote.text.split("\n") for quote in evidence if quote.trust == TRUST[0]]
    own = [" ".join(line for line in lines if not line.lstrip().startswith((">", "|"))) for lines in his]
    return [line for each in own if (line := " ".join(each.split()))]


def _read(app: App, path: str) -> str | None:
    data = app.files.find(app.tree.inside(path))
    try:
        return None if data is None else data.decode()
    except UnicodeDecodeError as error:
        raise FileDamaged(f"{path}: not UTF-8") from error


def _refuse_if(wrong: object, why: str) -> None:
    if wrong:
        raise Unplaced(why)


def _harmless(app: App, *several: str) -> None:
    for each in several:
        _refuse_if(why := find_problem(each, own_secrets(app.files, app.secret, app.environment)), why)


def _line(app: App, draft: Draft, *, his: bool = True) -> str:
    line = flatten(draft.text)
    _harmless(app, draft.text.strip(), line)
    _refuse_if(his and not is_his(line, draft.evidence), NOT_HIS)
    return line


def _says(text: str, line: str) -> bool:
    return any(likeness.same(flatten(row), line) for row in text.split("\n"))


def _with_item(text: str, path: str, line: str, heading: re.Pattern[str] | None = None, title: str = "") -> str:
    after = edits.with_item(text, line, heading, title)
    if after is None:
        raise Unplaced(f"{path}: {OPEN}")
    return after


def _layer_path(app: App, layer: str) -> str:
    return app.tree.relative(os.path.normpath(app.tree.inside(app.config.text(f"layers.{layer}.path"))))


def _items(layer: str, path: str, text: str | None) -> list[str]:
    return [item.text for item in layer_items.split_text(layer, path, (text or "").removeprefix("\ufeff"))]


def _promote(app: App, draft: Draft) -> Change:
    layer, note = draft.target, Shelf(app.files).find_known(draft.subject.partition("/")[2])
    _refuse_if(layer not in (BEDROCK, TOPSOIL), f"nothing is promoted to {layer[:40]}")
    if note is None or note.superseded_by:
        raise Unplaced(f"the note {draft.subject[:120]} is not there any more")
    foreign = f"{note.path} is not your own writing (trust: {note.trust}): say it in your own words"
    _refuse_if(note.trust != TRUST[0], foreign)
    line = flatten(draft.text or note.body)
    _harmless(app, draft.text.strip() or line, line)
    _refuse_if(not is_his(line, (Quote("", "", note.body),)), NOT_HIS)
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


def _edit_heart(app: App, draft: Draft) -> Change:
    line, path = _line(app, draft, his=False), _layer_path(app, "heart")
    plain = line.replace("-", "").replace(" ", "").isalpha() and len(line) <= NAME_CHARS
    told = " ".join(quote.text for quote in draft.evidence).casefold()
    named = plain and len(line.split()) <= NAME_WORDS and line.casefold() in told
    _refuse_if(not named and not is_his(line, draft.evidence), NOT_HIS)
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


def _edit_skill(app: App, draft: Draft) -> Change:
    line, name, scheme = _line(app, draft), draft.target.partition(" ")[2], taxonomy.load(app.files)
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


def _edit_role(app: App, draft: Draft) -> Change:
    line, name = _line(app, draft), draft.target.partition(" ")[2]
    _refuse_if(name not in roles.names(app.config), f"there is no role {name[:60]}")
    path = app.tree.relative(app.tree.role(name))
    before = _read(app, path)
    text = roles.read_packaged(name) if before is None else before
    _refuse_if(_says(text, line), f"{STANDS}: {path if before is not None else f'the role {name}'}")
    return Change(path, before, _with_item(text, path, line))


def render_skill(name: str, label: str, workload: str, steps: Sequence[str]) -> str:
    """The text of a drafted SKILL.md. `label`: of the workload; `workload`: its id without prefix."""
    head = frontmatter.dump({"name": name, "description": label, "workload": workload})
    numbered = "".join(f"{number}. {step}\n" for number, step in enumerate(steps, start=1))
    return "\n".join([f"---\n{head}---\n", f"# {name}\n", f"{DRAFT}\n", "## Steps\n", numbered])


def _add_skill(app: App, draft: Draft) -> Change:
    steps = [flatten(step) for step in draft.text.split("\n") if step.strip()]
    _harmless(app, *steps)
    _refuse_if(not steps or not all(is_his(step, draft.evidence) for step in steps), NOT_HIS)
    scheme = taxonomy.load(app.files)
    concept = scheme.concepts.get(draft.workload)
    if concept is None:
        raise Unplaced(f"`{draft.workload[:60]}` is no concept of the taxonomy")
    plain, taken = concept.id.rpartition("/")[2].removeprefix(taxonomy.PREFIX), app.files.names(app.tree.skills)
    name = next(each for each in chain([plain], (f"{plain}-{n}" for n in count(2))) if each not in taken)
    path = app.tree.relative(app.tree.skill(name))
    text = render_skill(name, concept.label(), concept.id.removeprefix(taxonomy.PREFIX), steps)
    new = skills.parse(path, text.encode(), scheme)
    odd = new.complaints or (new.workload, new.name) != (concept.id, name)
    _refuse_if(odd, "; ".join(new.complaints) or f"{path}: it would not be read as it is meant")
    return Change(path, None, text)


def _change_notes(app: App, draft: Draft) -> Change:
    shelf, text = Shelf(app.files), draft.text.strip()
    old = shelf.find_known(draft.target) if draft.target else None
    _refuse_if(draft.target and old is None, f"the note {draft.target[:120]} is not there any more")
    if old is not None and not text:
        return Change(old.path, _read(app, old.path), None)
    trust = TRUST[0] if is_whole(flatten(text), draft.evidence) else TRUST[1]
    if trust == TRUST[0]:
        text = flatten(text)
        _harmless(app, text)
    guard = gate.for_app(app)
    text = guard.admit(text, trust)
    if hits := screen(text):
        raise Unplaced(f"it reads like an instruction to the assistant ({hits[0].reason})")
    _refuse_if(lifted := guard.find_lifted(text), f"{STANDS}: {lifted}")
    for note in shelf.saying(text, shelf.texts()):
        _refuse_if(not note.superseded_by and TRUST.index(note.trust) <= TRUST.index(trust), f"{STANDS}: {note.path}")
    if old is not None:
        _refuse_if(old.superseded_by, f"{old.path} is superseded already")
        _refuse_if(TRUST.index(old.trust) < TRUST.index(trust), f"{old.path} holds your words, and these are not yours")
    kind = "correction" if draft.cause == CORRECTION else notes.type_of(text)
    known_workload = (draft.workload,) if draft.workload in taxonomy.load(app.files).concepts else ()
    concepts = notes.concepts_of(app.files, text) or known_workload
    ref = next((quote.ref for quote in draft.evidence if quote.ref and quote.text), "")
    drafted = notes.NoteDraft(text, kind, concepts, trust=trust, source=f"evolve {ref}".strip())
    taken = [place.id for place in (*shelf.places(), *shelf.list_forgotten())]
    made = notes.make_note(app.files, drafted, old, app.clock.now(), taken)
    return Change(made.path, None, note_file.render(made))


_PLACERS = {kinds.PROMOTE: _promote, kinds.DEMOTE: _demote, kinds.SKILL_GAP: _add_skill, MEMORY: _change_notes}
_EDITORS = {HEART: _edit_heart, SKILL: _edit_skill, ROLE: _edit_role}  # of a PROMPT_EDIT, by its target
