"""RECORDS. knowledge_bases/registry.yaml: which folders the heartbeat looks at, and how each may be read."""

import difflib
import os
import re
from collections.abc import Callable
from itertools import chain

import msgspec

from adjutant.documents import edits
from adjutant.documents.edits import EditRefused
from adjutant.documents.folder import refusal
from adjutant.errors import FileDamaged, KbInvalid, KbUnknown
from adjutant.store import marked_yaml
from adjutant.store.config_reader import Wrong, read_fields, refuse
from adjutant.store.files import Files, state_of
from adjutant.store.marked_yaml import Node
from adjutant.store.reader import BOM
from adjutant.store.settings import FOLDER_TRUST, MODEL_TIERS, Setting
from adjutant.store.tree import Tree

PROGRAM = os.path.dirname(os.path.dirname(__file__))
PROGRAMS = ("bin", "adjutant")  # of a checkout
NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}")
RESERVED = ("adjutant", "agent", "operator", "stranger", "untrusted")  # whose word a text is: no folder speaks for them
ACCESS = ("read-only", "read-write")
KINDS = ("notes", "calendar", "mail")
NAMED = "a-z, 0-9, _ and -, at most 63 characters"
FIELDS = (
    Setting("name", "", "what it is called"),
    Setting("path", "", "its folder", kind="path"),
    Setting("description", None, "what is in it", kind="prose"),
    Setting("access", ACCESS[0], "what an agent may do there", choices=ACCESS),
    Setting("model", MODEL_TIERS[0], "which tier looks at it", choices=MODEL_TIERS),
    Setting("enabled", True, "whether it is looked at"),
    Setting("trust", "untrusted", "whose word its files are", choices=FOLDER_TRUST),
    Setting("kind", KINDS[0], "what its files are", choices=KINDS),
    Setting("exclude", (), "what of it is left out", kind="patterns"),
)
PLAIN = 6  # fields that an entry is written with; of the others, those that are not the default
MAX_BYTES = 256 * 1024
MAX_DEPTH = 4


class KnowledgeBase(msgspec.Struct, frozen=True):
    """One entry: `path` as written, `folder` the absolute path it means. `trust`: whose word its files are, operator or
    untrusted; `exclude`: gitignore patterns of what is left out."""

    name: str
    path: str
    folder: str
    description: str = ""
    access: str = "read-only"
    model: str = "cheap"
    enabled: bool = True
    trust: str = "untrusted"
    kind: str = "notes"
    exclude: tuple[str, ...] = ()


def load(files: Files) -> list[KnowledgeBase]:
    """All entries in the file's order; none without a file."""
    return parse(files.log(files.tree.registry, MAX_BYTES), files.tree)


def find(files: Files, name: str) -> KnowledgeBase:
    """The entry of that name. Raises KbUnknown with the nearest name."""
    return _find(load(files), name)


def add(files: Files, entry: KnowledgeBase) -> None:
    """Registers one more, touching no byte that was there. Raises KbInvalid, FileChanged, LockBusy."""
    known = [(field.name, getattr(entry, field.name), field.default) for field in FIELDS]
    written = [(key, value) for at, (key, value, usual) in enumerate(known) if at < PLAIN or value != usual]
    with files.lock("registry"):
        before = load(files)
        refuse_taken(before, entry)
        _save(files, lambda text: edits.with_entry(text, written), [*before, entry])


def remove(files: Files, name: str) -> KnowledgeBase:
    """Takes an entry's own lines out and hands it back. Raises KbUnknown, KbInvalid, FileChanged, LockBusy."""
    with files.lock("registry"):
        before = load(files)
        gone = _find(before, name)
        index, left = before.index(gone), [one for one in before if one is not gone]
        _save(files, lambda text: edits.without_entry(text, index), left)
        return gone


def refuse_taken(known: list[KnowledgeBase], entry: KnowledgeBase) -> None:
    """Raises KbInvalid when the name or the folder is registered already."""
    real = os.path.realpath(entry.folder)
    for one in known:
        if one.name == entry.name:
            what = f"a knowledge base named `{one.name}` is registered already ({one.path})"
            raise KbInvalid(what, f"choose another name, or `adjutant kb remove {one.name}` first")
        if os.path.realpath(one.folder) == real:
            raise KbInvalid(f"{entry.path} is registered already, as `{one.name}`", f"`adjutant kb info {one.name}`")


def check_name(name: str) -> None:
    """Raises KbInvalid unless `name` can name a knowledge base."""
    if not NAME.fullmatch(name):
        raise KbInvalid(f"`{name[:70]}` cannot name a knowledge base")
    if name in RESERVED:
        raise KbInvalid(f"`{name}` says whose word a text is, and names no knowledge base", "choose another name")


def own_folder(tree: Tree, folder: str, access: str = ACCESS[0]) -> str | None:
    """Why a folder can be no knowledge base of this instance: it holds its own records, or an agent that may write
    there could rewrite what the instance lives by. None when it can, as the folder of the instance itself: a scan
    leaves out its own."""
    real = os.path.realpath(folder)
    if access != ACCESS[0] and _is_vital(tree, real):
        return "holds what this instance lives by, and `read-write` would let an agent change it"
    mine = (each for each in (tree.state, tree.journal, tree.insights) if _holds(each, real))
    return next((f"is where this instance keeps its own records ({tree.relative(each)}/)" for each in mine), None)


def _is_vital(tree: Tree, real: str) -> bool:
    """Whether a folder holds, or stands in, what the instance lives by: its words, its program, linked files."""
    own = (PROGRAM, tree.identity, tree.prompts, tree.memory, tree.skills, tree.evolution, tree.workspace)
    walks = chain(os.walk(tree.identity), os.walk(tree.prompts))
    below = (os.path.join(here, name) for here, folders, names in walks for name in (*folders, *names))
    held = any(_holds(real, one) for one in (tree.root, *own, tree.config, tree.env, tree.registry, *below))
    root = os.path.realpath(tree.root)
    top = real.removeprefix(f"{root}/").partition("/")[0]
    inside = _holds(root, real) and (top.startswith(".") or top in PROGRAMS)
    return held or inside or any(_holds(one, real) for one in own)


def _holds(folder: str, path: str) -> bool:
    return f"{os.path.realpath(path)}/".startswith(f"{os.path.realpath(folder).rstrip('/')}/")


def parse(raw: bytes, tree: Tree) -> list[KnowledgeBase]:
    """The entries that these bytes hold."""
    name = tree.relative(tree.registry)
    try:
        root = marked_yaml.compose(raw, name, MAX_DEPTH)
        return [] if root is None or root.is_null else _read_entries(root, tree)
    except marked_yaml.Broken as error:
        raise FileDamaged(str(error), f"edit the line named in {name}") from error
    except Wrong as error:
        fix = error.fix or f"edit line {error.line} of {name}"
        raise FileDamaged(f"{name}:{error.line}: {error}", fix) from error


def _read_entries(root: Node, tree: Tree) -> list[KnowledgeBase]:
    if not root.is_list:
        raise refuse(root.line, "", f"must be a list of `- name: …` entries, not {root.shown}")
    found: list[KnowledgeBase] = []
    lines: dict[str, int] = {}
    for node in root.elements():
        entry = _read_entry(node, tree)
        if lines.setdefault(entry.name, node.line) != node.line:
            problem = f"is given twice (first on line {lines[entry.name]})"
            raise refuse(node.line, entry.name, problem, "give one of the two another name, or take it out")
        found.append(entry)
    return found


def _read_entry(node: Node, tree: Tree) -> KnowledgeBase:
    values = {setting.name: setting.default for setting in FIELDS}
    values |= read_fields(node, FIELDS, needed=("name", "path"), fix="write `name: …` and `path: …` lines")
    lines, name = {key: each.line for key, each in node.items()}, values["name"]
    folder = os.path.normpath(tree.inside(values["path"]))
    if tree.relative(folder) == folder:  # outside of the instance; whoever reads a link refuses it
        folder = os.path.join(os.path.realpath(os.path.dirname(folder)), os.path.basename(folder))
    if not NAME.fullmatch(name):
        raise refuse(lines["name"], "name", f"must be {NAMED}, not `{name[:40]}`")
    if name in RESERVED:
        raise refuse(lines["name"], name, "says whose word a text is", "give the knowledge base another name")
    if reason := own_folder(tree, folder, values["access"]):
        raise Wrong(node.line, name, f"the folder of `{name}` {reason}", "name another folder")
    for pattern in values["exclude"]:
        if why := refusal(pattern):
            raise refuse(lines["exclude"], "exclude", f"takes gitignore patterns, and `{pattern}` {why}")
    values |= {"exclude": tuple(values["exclude"]), "description": values["description"] or ""}
    return KnowledgeBase(folder=folder, **values)


def _find(entries: list[KnowledgeBase], name: str) -> KnowledgeBase:
    known = {entry.name: entry for entry in entries}
    if name in known:
        return known[name]
    close = difflib.get_close_matches(name, known, n=1)
    raise KbUnknown(f"no knowledge base named `{name[:70]}`" + (f"; did you mean `{close[0]}`?" if close else ""))


def _save(files: Files, edit: Callable[[str], str], expected: list[KnowledgeBase]) -> None:
    """Writes only what reads back as exactly the entries meant; a layout that code cannot edit safely is refused."""
    name, held = files.tree.relative(files.tree.registry), files.find(files.tree.registry, MAX_BYTES)
    raw = held or b""
    mark = BOM if raw.startswith(BOM) else b""
    try:
        changed = mark + edit(raw[len(mark) :].decode()).encode()
        safe = parse(changed, files.tree) == expected
    except (EditRefused, FileDamaged):
        changed, safe = b"", False
    if not safe:
        what = f"{name} is written in a way that cannot be edited without touching your own text"
        raise KbInvalid(what, f"edit {name} by hand: one `- name: …` entry with a `path:` line for each knowledge base")
    if len(changed) > MAX_BYTES:
        raise KbInvalid(f"{name} would grow beyond {MAX_BYTES} bytes", "remove what is no longer used")
    files.replace(files.tree.registry, changed, expect=state_of(held))
