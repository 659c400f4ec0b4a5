"""DOMAIN. What rules suggest by themselves, and words on their way into a file: whether they may stand there, whose.

What was said word for word in several sessions becomes a note. All else that an analysis finds is told in words; a
model that reads them drafts the change. A draft's `target` says what it is about to whoever places it:

- promote: the layer (`user`, `tools`)               demote: the item (`user#fountain-pens`)
- prompt_edit: `heart`, `skill NAME`, `role NAME`    memory: the id of a note that goes, or that the text replaces
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from adjutant.app import plural
from adjutant.documents import frontmatter
from adjutant.domain.memory.gate import secret_in
from adjutant.domain.memory.shelf import Shelf
from adjutant.language import likeness
from adjutant.language.likeness import share
from adjutant.ports import TRUST
from adjutant.records import contract
from adjutant.records.note import Note
from adjutant.records.sections import close_tags
from adjutant.records.suggestion import CORRECTION, MEMORY, Analysis, Draft, Quote
from adjutant.screening.characters import without_controls, without_hidden
from adjutant.screening.fence import clean_line
from adjutant.screening.screen import screen
from adjutant.store.files import Files

BEDROCK, TOPSOIL = "user", "tools"
HEART, SKILL, ROLE = "heart", "skill", "role"
MOST = 320  # characters of a line that is added
TITLE = 68  # characters of what is to be remembered
GROUNDED = 2 / 3  # of a line's content stems: so many the operator has said
DRAFT = "A draft from your own words. Read it, correct it, and take this line out."
_MARK = re.compile(r"(?:(?:[-*+•>|#]+|\d{1,3}[.)]|\[[ xX]?\])[ \t]+)+")
_MARKUP = re.compile(r"<!--|-->|```|~~~|<\s*/?\s*[A-Za-z!][^<>]*>")
_ENDS = " \t.,;:–—-"


def draft_all(files: Files, analysis: Analysis) -> list[Draft]:
    """The drafts of an analysis, none of them placed, in the order of its findings: what the operator said again, as a
    note of his; it takes the place of one that says otherwise. Raises FileDamaged, IoFailed."""
    drafts = list[Draft]()
    for found in analysis.findings:
        text = flatten(found.text)
        if found.cause != CORRECTION or not is_verbatim(text, found.evidence):
            continue
        count = round(found.figures.get("sessions", 0)) or len({quote.interaction for quote in found.evidence})
        effect, note = f"You said so in {plural(count, 'session')}; future answers will use this note", ""
        old = find_contradicted(files, text)
        if old is not None:
            effect += f'; it takes the place of the note "{clean_line(old.title, 60)}"'
            note = f"the older note {old.path} is hidden from then on, and comes back when this is reverted"
        made = Draft(MEMORY, CORRECTION, found.subject, f'Remember: "{clean_line(text, TITLE)}"', text, f"{effect}.")
        about = {name: getattr(found, name) for name in ("evidence", "figures", "workload", "weight")}
        drafts.append(replace(made, target=old.id if old is not None else "", note=note, **about))
    return drafts


def find_contradicted(files: Files, text: str) -> Note | None:
    """The live note that says otherwise what a sentence says, the newest of several. Raises FileDamaged, IoFailed."""
    live = (note for note in Shelf(files).all() if not note.superseded_by)
    against = (note for note in live if likeness.contradicts(text, note.body))
    return max(against, key=lambda note: note.id, default=None)


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
        return f"{len(line)} characters are no line; {MOST} are allowed"
    if "\n" in line or without_hidden(without_controls(line)) != line or contract.find_hidden(line):
        return "it holds control characters, or some that cannot be seen"
    if kind := secret_in(line, own):
        return f"it holds {kind}"
    if close_tags(line) != line or _MARKUP.search(line):
        return "it could open or close a part of a prompt"
    if hits := screen(line):
        return f"it reads like an instruction to the assistant ({hits[0].reason})"
    return ""


# -- whose they are ------------------------------------------------------------------------------------------


def is_his(line: str, evidence: Iterable[Quote]) -> bool:
    """Whether a line is the operator's: most of its words stand in what he said, and none but he said the others."""
    said = read_own(evidence)
    return bool(said) and (is_verbatim(line, evidence) or share(line, " ".join(said))[0] >= GROUNDED)


def is_whole(line: str, evidence: Iterable[Quote]) -> bool:
    """Whether all that a line says stands in what the operator said: function words and inflection do not count."""
    return is_verbatim(line, evidence) or (is_his(line, evidence) and not share(line, " ".join(read_own(evidence)))[1])


def is_verbatim(line: str, evidence: Iterable[Quote]) -> bool:
    """Whether a line stands as it is in something that the operator said."""
    wanted = line.rstrip(_ENDS).casefold()
    return bool(wanted) and any(wanted in said.casefold() for said in read_own(evidence))


def read_own(evidence: Iterable[Quote]) -> list[str]:
    """What the operator said, each quote as one line; what he quoted in it is not his."""
    his = [quote.text.split("\n") for quote in evidence if quote.trust == TRUST[0]]
    own = [" ".join(line for line in lines if not line.lstrip().startswith((">", "|"))) for lines in his]
    return [line for each in own if (line := " ".join(each.split()))]


# -- a drafted skill ------------------------------------------------------------------------------------------


def render_skill(name: str, label: str, workload: str, steps: Sequence[str]) -> str:
    """The text of a drafted SKILL.md. `label`: of the workload; `workload`: its id without prefix."""
    head = frontmatter.dump({"name": name, "description": label, "workload": workload})
    numbered = "".join(f"{number}. {step}\n" for number, step in enumerate(steps, start=1))
    return "\n".join([f"---\n{head}---\n", f"# {name}\n", f"{DRAFT}\n", "## Steps\n", numbered])
