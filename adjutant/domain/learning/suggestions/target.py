"""DOMAIN. Which files a suggestion may change, looked at again when it is accepted: by the real path and by its reader.

A layer's path may lead anywhere, and a link too: what counts is the file behind it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

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
    try:
        return _unfit(files, config, kind, path, after)
    except UnicodeEncodeError:
        return f"{path} would not be UTF-8"
    except AdjutantError as error:
        return f"{path} would be damaged: {error.message}"


def _unfit(files: Files, config: Config, kind: str, path: str, after: str) -> str:
    tree, data, size = files.tree, after.encode(), len(after.removeprefix("\ufeff"))
    real = os.path.realpath(tree.inside(path))
    for name, layer in zip(OPEN, _layer_paths(tree, config, OPEN), strict=True):
        limit = config.whole(f"layers.{name}.max_chars")
        if real == os.path.realpath(layer) and size > limit:
            return f"{path} would be {size} characters, {limit} are allowed (layers.{name}.max_chars)"
    if kind == MEMORY:
        if len(data) > note.MAX_BYTES:
            return f"{path} would be {len(data)} bytes, {note.MAX_BYTES} are allowed"
        note.parse(data, path)
    if real.startswith(f"{os.path.realpath(tree.skills)}/"):
        return "; ".join(skills.parse(path, data, taxonomy.load(files)).complaints[:3])
    if real.startswith(f"{os.path.realpath(tree.roles)}/") and len(after) > roles.MAX_CHARS:
        return f"{path} would be {len(after)} characters, {roles.MAX_CHARS} are allowed"
    return ""


# -- what it costs -----------------------------------------------------------------------------------------------


def count_tokens(change: Change, config: Config) -> tuple[int, int]:
    """(before, after): the tokens that the file of a change takes in every turn, of a role in every turn of that role.

    Notes and skills take room only in the turns that find them.
    """
    path, roles_folder = change.path, Tree("/").relative(Tree("/").roles)
    for layer in LAYERS:
        if os.path.normpath(f"/{config.text(f'layers.{layer}.path')}").endswith(f"/{path}"):
            return _layer_cost(layer, change.before), _layer_cost(layer, change.after)
    if path.startswith(f"{roles_folder}/"):
        name = path.rpartition("/")[2].removesuffix(".md")
        before = read_packaged(name) if change.before is None else change.before
        return tokens(section("role", before)), tokens(section("role", change.after or ""))
    return 0, 0


def _layer_cost(name: str, text: str | None) -> int:
    return tokens(section(name, Layer(name, "", (text or "").removeprefix("\ufeff"), text is None, False, 0).prompt))


def read_packaged(role: str) -> str:
    """The text that comes with the package for a role."""
    return roles.read_packaged(role if role in (roles.CONDUCTOR, *roles.MODES) else roles.SPECIALIST)
