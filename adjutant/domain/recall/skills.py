"""DOMAIN. Agent Skills (agentskills.io): read as others write them, checked by their limits, tagged, and searched."""

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NamedTuple

from adjutant.documents import edits, frontmatter
from adjutant.domain.recall import taxonomy
from adjutant.domain.recall.classify import Classified, classify
from adjutant.domain.recall.sources.parts import make, text_of
from adjutant.domain.recall.taxonomy import FileProblem, Scheme
from adjutant.errors import FileDamaged, IoFailed
from adjutant.index_ports import Document
from adjutant.screening.fence import clean_line
from adjutant.store import package
from adjutant.store.files import Files, sha256
from adjutant.store.reader import BOM, decode

MAX_BYTES = 1024 * 1024
NAME_CHARS, DESCRIPTION_CHARS, BODY_CHARS = 100, 2000, 4000
KEYS = ("name", "description", "workload")
METADATA, WORKLOAD = "metadata", "workload"
NAME, LONGEST_NAME, LONGEST_DESCRIPTION = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*"), 64, 1024
SPECIFIED = ("name", "description", "license", "compatibility", METADATA, "allowed-tools")


class Skill(NamedTuple):
    """A skill. `workload` is a concept's id, None when it has none; `wants_tag`: nothing stands where it belongs.
    `complaints`: what is odd in its file, each with file and line. `sha`: of the file's bytes."""

    name: str
    description: str
    workload: str | None
    wants_tag: bool
    path: str
    body: str
    sha: str
    complaints: tuple[str, ...] = ()


class SkillShelf(NamedTuple):
    """The skills of an instance by folder, and what is wrong with some of them, each with file and line."""

    skills: list[Skill]
    damaged: list[str]


def load(files: Files, scheme: Scheme) -> SkillShelf:
    """Every skills/*/SKILL.md; one that cannot be read is named and the others go on. Raises FileDamaged, IoFailed."""
    skills, damaged, named = list[Skill](), list[str](), dict[str, str]()
    for folder in files.names(files.tree.skills):
        path = files.tree.skill(folder)
        if folder.startswith(".") or not files.exists(path):
            continue
        shown = files.tree.relative(path)
        if os.path.islink(os.path.dirname(path)):
            damaged.append(f"{os.path.dirname(shown)}: a link; copy the skill into the instance")
            continue
        try:
            skill = parse(shown, files.read(path, MAX_BYTES), scheme)
        except (FileDamaged, IoFailed) as error:
            damaged.append(error.message)
            continue
        damaged += skill.complaints
        if named.setdefault(skill.name, shown) != shown:
            damaged.append(f"{shown}:1: the name `{skill.name}` is that of {named[skill.name]} too")
        skills.append(skill)
    return SkillShelf(skills, damaged)


def parse(shown: str, data: bytes, scheme: Scheme) -> Skill:
    """The skill in a file's bytes; `shown` is its path. Raises FileDamaged for what is not UTF-8."""
    text, complaints = decode(data, shown), list[str]()
    try:
        parts = frontmatter.read(text, shown)
        values, body, line_of = parts.plain(), parts.body, parts.line_of
    except FileDamaged as error:
        values, body = frontmatter.by_line(text)
        if not values.get("description"):  # else it is understood as it was meant, as others who read skills do
            complaints.append(error.message)
        line_of = lambda key: 1  # noqa: E731 - beside the other
    meta, at = values.get(METADATA), WORKLOAD
    if isinstance(meta, dict) and WORKLOAD in meta:  # else where it stood before skills had metadata
        values, at = {**values, WORKLOAD: meta[WORKLOAD]}, METADATA
    lines = {key: line_of(at if key == WORKLOAD else key) for key in KEYS}
    odd = [key for key in KEYS if not isinstance(values.get(key, ""), str)]
    complaints += [f"{shown}:{lines[key]}: `{key}` is not a text" for key in odd]
    name, description, named = ("" if key in odd else values.get(key, "") for key in KEYS)
    workload = scheme.find(named) if named else None
    if named and workload is None:
        what = f"`workload: {clean_line(named, 60)}` is no concept of the taxonomy; `adjutant taxonomy list` names them"
        complaints.append(f"{shown}:{lines[WORKLOAD]}: {what}")
    name = clean_line(name, NAME_CHARS) or clean_line(shown.rpartition("/")[0].rpartition("/")[2], NAME_CHARS)
    said = (name, clean_line(description, DESCRIPTION_CHARS), workload, WORKLOAD not in values)
    return Skill(*said, shown, body.strip(), sha256(data), tuple(complaints))


def classify_skill(skill: Skill, scheme: Scheme) -> Classified:
    """What the skill is about: by its name and description, and by its text where these say nothing."""
    head = f"{skill.name}\n{skill.description}"
    found = classify(head, scheme)
    return found if found.concepts else classify(f"{head}\n{skill.body[:BODY_CHARS]}", scheme)


def tag(files: Files, skill: Skill, concept: str) -> None:
    """Adds the workload to the metadata in the skill's frontmatter. Raises FileChanged when the file is not what was
    read, FileDamaged when its frontmatter cannot be edited by line, IoFailed."""
    path = files.tree.inside(skill.path)
    files.replace(path, with_workload(files.read(path, MAX_BYTES), concept, skill.path), expect=skill.sha)


def with_workload(data: bytes, concept: str, shown: str) -> bytes:
    """The same bytes with `workload: …` in the metadata of their frontmatter; what is missing of the two is made.
    Raises FileDamaged for a frontmatter in which a line more would say something else."""
    text, mark = decode(data, shown), BOM if data.startswith(BOM) else b""
    meta = frontmatter.read(text, shown).plain().get(METADATA)
    made = {**(meta if isinstance(meta, dict) else {}), WORKLOAD: concept}
    return mark + edits.with_keys(text, shown, {METADATA: made}).encode()


def problems(shown: str, data: bytes, scheme: Scheme) -> list[FileProblem]:
    """What is wrong with a SKILL.md, in the order of its lines; `shown` is its path."""
    try:
        text = decode(data, shown)
        parts = frontmatter.read(text, shown)
    except FileDamaged as error:
        line, message = error.message.removeprefix(f"{shown}:").split(":", 1)
        return [FileProblem(shown, int(line), message.strip(), "write the frontmatter as YAML between two `---` lines")]
    values, folder = parts.plain(), shown.rpartition("/")[0].rpartition("/")[2]
    if not values:
        fix = "begin the file with `---`, `name:` and `description:` lines, `---`"
        return [FileProblem(shown, 1, "no frontmatter", fix)]
    found = [*_check(values, folder, scheme)]
    if not parts.body.strip():
        found.append(("name", "no text below the frontmatter", "write what is to be done"))
    return sorted(FileProblem(shown, parts.line_of(key), message, fix) for key, message, fix in found)


def _check(values: dict[str, Any], folder: str, scheme: Scheme) -> Iterator[tuple[str, str, str]]:
    name, text, meta = values.get("name"), values.get("description"), values.get(METADATA, {})
    if not isinstance(name, str) or not name:
        yield "name", "no `name`", f"add `name: {folder}`"
    elif not NAME.fullmatch(name) or len(name) > LONGEST_NAME:
        what = f"`{clean_line(name, 80)}` is no name of a skill"
        yield "name", what, f"1 to {LONGEST_NAME} of a-z, 0-9 and single dashes"
    elif name != folder:
        yield "name", f"`{name}` lies in the folder `{folder}`", "give both the same name"
    if not isinstance(text, str) or not text.strip():
        yield "description", "no `description`", "say what it does and when to use it"
    elif len(text) > LONGEST_DESCRIPTION:
        yield "description", f"{len(text)} characters of description", f"shorten it to {LONGEST_DESCRIPTION}"
    if not isinstance(meta, dict) or not all(isinstance(each, str) for each in meta.values()):
        yield METADATA, f"`{METADATA}` is no map of texts", "write it as indented `key: text` lines"
    elif WORKLOAD in meta and not scheme.find(meta[WORKLOAD]):
        yield METADATA, f"`{WORKLOAD}` names no concept", "take one that `adjutant taxonomy list` names"
    for key in values.keys() - SPECIFIED:
        yield key, f"`{key}` is no key of Agent Skills", f"move it under `{METADATA}:`"


# -- as documents: one a SKILL.md, with its workload, or what its words say it is about -------------------------
COLLECTION = "agent_skills"


def read_documents(path: str, data: bytes, scheme: Scheme | None = None) -> list[Document]:
    """The one document of a SKILL.md: its description, and around it what the file goes on to say. Of one as it came
    with the package the description alone is found, and it answers nothing: it holds no word of the operator's.
    `scheme`: the instance's own taxonomy, the package's when not given. Raises FileDamaged for what is not UTF-8."""
    scheme = scheme or taxonomy.own()
    skill = parse(path, text_of(path, data).encode(), scheme)
    shipped = False
    with suppress(OSError):
        shipped = data == package.read("instance", "skills", os.path.basename(os.path.dirname(path)), "SKILL.md")
    concepts = (skill.workload,) if skill.workload else classify_skill(skill, scheme).concepts
    text, around = (skill.description, skill.body) if skill.description else (skill.body, "")
    about = {"concepts": concepts, "source_sha": sha256(data), "context": "" if shipped else around}
    trust = "agent" if shipped else "operator"
    return [make(COLLECTION, path, skill.name, skill.name, text, trust=trust, **about)]
