"""DOMAIN. Which files a suggestion may change, looked at again when it is accepted: by real path and reader."""

import difflib
import os
import re
from collections.abc import Iterable, Sequence
from itertools import islice

from adjutant.documents.edits import lines_of
from adjutant.domain.learning import layer_items
from adjutant.domain.prompting import roles
from adjutant.domain.recall import skills, taxonomy
from adjutant.errors import AdjutantError
from adjutant.records import note
from adjutant.records.layers import Layer
from adjutant.records.sections import section, tokens
from adjutant.records.suggestion import DEMOTE, MEMORY, PROMOTE, PROMPT_EDIT, SKILL_GAP, Change
from adjutant.store.config import Config
from adjutant.store.files import Files
from adjutant.store.tree import LAYERS, Tree

OPEN = ("user", "tools", "heart")  # layers that may be edited
CLOSED = ("soul", "wisdom", "identity")
_NAME = r"[A-Za-z0-9_][A-Za-z0-9._-]*"
_SKILL = "skills", re.compile(rf"{_NAME}/SKILL\.md")
_NOTE = "notes", re.compile(rf"({'|'.join(note.TYPES)})/{_NAME}\.md")
_ROLE = "roles", re.compile(rf"{_NAME}\.md")
# What a kind may change: layers, and folders of the tree with the names of files in them.
_LAYERS = {PROMPT_EDIT: OPEN, DEMOTE: OPEN, PROMOTE: ("user", "tools")}
_FOLDERS = {PROMPT_EDIT: (_ROLE, _SKILL), SKILL_GAP: (_SKILL,), MEMORY: (_NOTE,)}


def why_refused(files: Files, config: Config, kind: str, path: str) -> str:
    """Why a suggestion of this kind may not change this file (relative to the instance); "" where it may."""
    tree = files.tree
    if not path or path.startswith("/") or not path.isprintable() or os.path.normpath(path) != path:
        return f"{path[:200]!a}: not the plain path of a file of this instance"
    real, root = os.path.realpath(tree.inside(path)), os.path.realpath(tree.root)
    if not real.startswith(f"{root}/"):
        return f"{path} leads out of this instance; change it where it is kept"
    closed = [tree.soul, tree.wisdom, tree.layer("identity"), tree.registry_notes, tree.env, tree.registry]
    closed += [tree.state, tree.gitignore, tree.paused, tree.killed, tree.config, tree.taxonomy]
    closed += [tree.evolution, tree.journal, tree.insights, tree.wisdom_archive, *_layer_paths(tree, config, CLOSED)]
    if any(real == each or real.startswith(f"{each}/") for each in map(os.path.realpath, closed)):
        return f"{path} is never changed by a suggestion"
    if real in map(os.path.realpath, _layer_paths(tree, config, _LAYERS.get(kind, ()))):
        return ""
    for folder, names in _FOLDERS.get(kind, ()):
        above = f"{os.path.realpath(getattr(tree, folder))}/"
        if real.startswith(above) and names.fullmatch(real.removeprefix(above)):
            return ""
    return f"{path} is no file that a suggestion of the kind {kind} may change"


def _layer_paths(tree: Tree, config: Config, names: Iterable[str]) -> list[str]:
    return [tree.inside(config.text(f"layers.{name}.path")) for name in names]


def why_unfit(files: Files, config: Config, kind: str, path: str, after: str | None) -> str:
    """Why the file may not read `after` (None: no file), by whoever reads it; "" where it may."""
    if after is None:
        return "" if kind == MEMORY else f"{path} would be gone"
    tree, size, real = files.tree, len(after.removeprefix("\ufeff")), os.path.realpath(files.tree.inside(path))
    try:
        data = after.encode()
        for name, layer in zip(OPEN, _layer_paths(tree, config, OPEN), strict=True):
            limit = config.whole(f"layers.{name}.max_chars")
            if real == os.path.realpath(layer) and size > limit:
                items = sorted(layer_items.split_text(name, path, after), key=lambda item: -len(item.text))[:2]
                longest = ", ".join(f"{item.id} ({len(item.text)})" for item in items)
                told = f"{path} would be {size} characters, {limit} are allowed (layers.{name}.max_chars)"
                return f"{told}; its longest items: {longest}"
        if kind == MEMORY:
            if len(data) > note.MAX_BYTES:
                return f"{path} would be {len(data)} bytes, {note.MAX_BYTES} are allowed"
            note.parse(data, path)
        if real.startswith(f"{os.path.realpath(tree.skills)}/"):
            return "; ".join(skills.parse(path, data, taxonomy.load(files)).complaints[:3])
    except UnicodeEncodeError:
        return f"{path} would not be UTF-8"
    except AdjutantError as error:
        return f"{path} would be damaged: {error.message}"
    if real.startswith(f"{os.path.realpath(tree.roles)}/") and len(after) > roles.MAX_CHARS:
        return f"{path} would be {len(after)} characters, {roles.MAX_CHARS} are allowed"
    return ""


def count_tokens(change: Change, config: Config) -> tuple[int, int]:
    """(before, after): the tokens of a layer in every turn, of a role in its own; (0, 0) for notes and skills."""

    path = change.path
    for layer in LAYERS:
        if os.path.normpath(f"/{config.text(f'layers.{layer}.path')}").endswith(f"/{path}"):
            sides = ((text or "").removeprefix("\ufeff") for text in (change.before, change.after))
            was, now = (tokens(section(layer, Layer(layer, "", text, False, False, 0).prompt)) for text in sides)
            return was, now
    if path.startswith(f"{Tree('/').relative(Tree('/').roles)}/"):
        packaged = roles.read_packaged(os.path.basename(path).removesuffix(".md"))
        before = packaged if change.before is None else change.before
        return tokens(section("role", before)), tokens(section("role", change.after or ""))
    return 0, 0


CONTEXT = 3  # lines around what changes
NOTHING = "/dev/null"
_NO_NEWLINE = "\\ No newline at end of file\n"
_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@\n")

Hunk = tuple[int, list[tuple[str, str]]]  # where it begins in the text before, from 0; marks and lines, with their ends


class Mismatch(Exception):
    """The diff is none, or was made from another text; the message says where."""


def render_diff(change: Change) -> str:
    """The diff of a change; "" where nothing changes. The newlines are the file's own, the last line ends with one."""
    if change.before == change.after:
        return ""
    before, after = lines_of(change.before or ""), lines_of(change.after or "")
    body = islice(difflib.unified_diff(before, after, n=CONTEXT, lineterm="\n"), 2, None)
    return head_diff(change) + "".join(line if line.endswith("\n") else f"{line}\n{_NO_NEWLINE}" for line in body)


def head_diff(change: Change) -> str:
    """The two lines that name the file."""
    end = "\t" if " " in change.path else ""  # as git does: so that what follows a blank is not taken for a date
    old = NOTHING if change.before is None else f"a/{change.path}{end}"
    new = NOTHING if change.after is None else f"b/{change.path}{end}"
    return f"--- {old}\n+++ {new}\n"


def apply_diff(before: str | None, diff: str, *, back: bool = False, moved: bool = False) -> str | None:
    """The text after a diff, or before it with `back`; None: no file. `moved`: accepted suggestions changed the text
    since, so each hunk goes to the one place where its lines stand now. Raises Mismatch."""
    result, hunks = _read(diff, back)
    lines, after, done = lines_of(before or ""), list[str](), 0
    for at, rows in [_place_hunk(lines, rows) for _, rows in hunks] if moved else hunks:
        old = [line for mark, line in rows if mark != "+"]
        if at < done or lines[at : at + len(old)] != old:
            raise Mismatch(f"line {at + 1} is not what the diff was made from")
        after += [*lines[done:at], *(line for mark, line in rows if mark != "-")]
        done = at + len(old)
    text = "".join([*after, *lines[done:]])
    return None if result == NOTHING and not text else text


def _read(diff: str, back: bool) -> tuple[str, list[Hunk]]:
    """(the name of what it leads to, the hunks); with `back` the hunks of the diff that undoes it. Raises Mismatch."""
    lines = lines_of(diff)
    if len(lines) < 2 or not lines[0].startswith("--- ") or not lines[1].startswith("+++ "):
        raise Mismatch("it is no unified diff: it lacks `--- a/PATH` and `+++ b/PATH`")
    turned = {"+": "-", "-": "+"} if back else {}
    hunks: list[Hunk] = []
    for number, line in enumerate(lines[2:], start=3):
        rows, mark = hunks[-1][1] if hunks else [], line[:1]
        if found := _HUNK.fullmatch(line):
            first, count = found.group(3, 4) if back else found.group(1, 2)
            hunks.append((int(first) - (count != "0"), []))  # of no lines, the one before them is named
        elif hunks and mark in (" ", "-", "+"):
            rows.append((turned.get(mark, mark), line[1:]))
        elif rows and line == _NO_NEWLINE:
            rows[-1] = rows[-1][0], rows[-1][1].removesuffix("\n")
        else:
            raise Mismatch(f"line {number} of the diff belongs to no hunk")
    return lines[not back][4:-1], hunks


def _place_hunk(lines: Sequence[str], rows: list[tuple[str, str]]) -> Hunk:
    """A hunk at the one place where it belongs, with as much of its context as stands there. Raises Mismatch."""
    changed = [at for at, (mark, _) in enumerate(rows) if mark != " "]
    for context in range(CONTEXT, 0, -1) if changed else ():
        kept = rows[max(0, changed[0] - context) : changed[-1] + 1 + context]
        old = [line for mark, line in kept if mark != "+"]
        found = [at for at in range(len(lines) - len(old) + 1) if lines[at : at + len(old)] == old]
        if len(found) == 1 and old:
            return found[0], kept
        if found:
            break  # in less context it would stand in more places still
    if re.fullmatch(r" +\++", "".join(mark for mark, _ in rows)) and lines and lines[-1].endswith("\n"):
        return len(lines), [row for row in rows if row[0] == "+"]
    raise Mismatch("its lines stand nowhere, or in several places")
