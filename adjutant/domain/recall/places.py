"""DOMAIN. Where documents come from: the files of each source with size and time of change, found without reading them.

No link is followed but those the operator names (a vault, the layers), nothing hidden is entered, and the instance's
own state is looked at only where a collection is made of it.
"""

from __future__ import annotations

import importlib
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cached_property, partial
from itertools import chain
from typing import Any, NamedTuple, TypeVar

from adjutant.children.folder import is_instance
from adjutant.clock import Clock
from adjutant.errors import AdjutantError, SearchInvalid
from adjutant.index_ports import Document
from adjutant.store.config import Config
from adjutant.store.files import Files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from adjutant.documents.folder import Excluded
    from adjutant.domain.recall.taxonomy import Scheme
    from adjutant.records.registry import KnowledgeBase

Row = tuple[str, int, int]  # name, bytes, when it changed in ns
Make = Callable[[str, bytes, int], list[Document]]  # path as documents name it, bytes, when changed -> documents
More = Callable[[str, bytes, bytes], list[Document] | None]  # path, lines that were known, lines since
T = TypeVar("T")
FORM = "8"  # of documents: a release that makes others of the same bytes counts it up
PAGES = (".md", ".markdown")
MAX_DEPTH = 40
LOG_BYTES = 64 * 1024 * 1024
HIDDEN = frozenset({"node_modules"})
_KIND = 0o170000  # the bits of a mode that tell a file from a folder
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class Listing:
    """The files of one folder that a source reads. `limit`: bytes a file may have, or with `cut` those that are read of
    it; `make` turns one into documents. `more`, of a log: only the documents that its new lines make or change, None
    where all have to be made."""

    def __init__(
        self, folder: str, rows: list[Row], make: Make, limit: int, more: More | None = None, *, cut: bool = False
    ) -> None:
        self.folder, self.rows, self.make, self.limit, self.more, self.cut = folder, rows, make, limit, more, cut


class Places:
    """Finds the files of an instance's sources. `problems` names what could not be looked at. `base`: the one knowledge
    base that is looked at, even switched off; all others for ""."""

    def __init__(self, files: Files, config: Config, clock: Clock, base: str = "") -> None:
        self.files, self.config, self.clock, self.tree = files, config, clock, files.tree
        self._base, self.problems, self._real = base, list[str](), os.path.realpath(self.tree.root)
        tree = self.tree
        pages = partial(self._walk, suffixes=(".md",))
        periods = partial(pages, make=_make_by("memory", "periods"), depth=0)
        logs, said = partial(self._file, module="logs"), partial(self._walk, make=_make_by("logs", "conversations"))
        more = partial(_call, "logs", "more_conversations")
        self._by_source: dict[str, Callable[[], Iterator[Listing]]] = {
            "notes": partial(pages, tree.notes, make=_make_by("memory", "notes"), depth=1),
            "periods": lambda: chain(periods(tree.daily), periods(tree.weekly), periods(tree.monthly)),
            "wisdom": lambda: self._file(tree.inside(config.text("layers.wisdom.path")), "wisdom", module="memory"),
            "skills": self._skills,
            "vault": self._vault,
            "journal": partial(pages, tree.journal, make=_make_by("memory", "journal", clock.parse), depth=0),
            "kb": self._kb,
            "conversations": partial(said, tree.conversations, (".jsonl",), depth=0, limit=LOG_BYTES, more=more),
            "slog": partial(logs, tree.slog, "slog"),
            "events": partial(logs, tree.events, "events", more="more_events"),
            "behavior": partial(logs, tree.behavior_history, "behavior"),
            "interactions": partial(logs, tree.interactions, "interactions", more="more_interactions"),
        }

    def listings(self, source: str) -> Iterator[Listing]:
        return self._by_source[source]()

    def basis(self, source: str) -> str:
        """What the documents of a source depend on beside its files: another basis, and they are all made anew."""
        if source not in ("skills", "vault", "kb"):
            return FORM
        words: list[object] = [FORM]
        if source == "vault":
            words += [(each.path, each.trust) for each in self.config.folders("retrieval.vault")]
        elif source == "kb":
            words += [(kb.path, kb.trust) for kb in self._bases if kb.trust == "operator"]
        with suppress(OSError):  # the package's own, which FORM stands for
            words += _row("", os.stat(self.tree.taxonomy))[1:]
        return " ".join(map(str, words))

    def show_path(self, path: str) -> str:
        """The path as documents name it: relative to the instance, absolute outside it, always UTF-8."""
        inside = path.startswith(f"{self._real}/")
        relative = path[len(self._real) + 1 :] if inside else self.tree.relative(path)
        return relative if relative.isascii() else relative.encode("utf-8", "replace").decode()

    # -- one source each -------------------------------------------------------------------------------------
    def _skills(self) -> Iterator[Listing]:
        def make(path: str, data: bytes, changed: int) -> list[Document]:
            from adjutant.domain.recall import skills  # brings the taxonomy

            return skills.read_documents(path, data, self._scheme)

        for found in self._walk(self.tree.skills, ("SKILL.md",), make, depth=1):
            found.rows = [row for row in found.rows if row[0] == "SKILL.md"]
            if found.folder != self.tree.skills and found.rows:
                yield found

    def _vault(self) -> Iterator[Listing]:
        vaults = {each.path: each for each in self.config.folders("retrieval.vault")}
        roots = {named: os.path.realpath(self.tree.inside(named)) for named in vaults}
        if not roots:
            return
        from adjutant.documents import folder  # only instances that have a vault

        tree = self.tree  # of the folders of the instance other collections are made, or nobody's
        mine = (tree.state, tree.journal, tree.memory, tree.skills, tree.insights, tree.workspace)
        own = set(map(os.path.realpath, mine))
        # What a knowledge base says is nobody's word: below a vault it stays a knowledge base, screened and untrusted.
        others = {self.tree.knowledge_bases, *(kb.folder for kb in self._bases)}
        seen = own | ({os.path.realpath(other) for other in others} - set(roots.values()))
        for named, root in roots.items():
            ours = any(f"{root}/".startswith(f"{mine}/") for mine in own)
            if ours or not os.path.isdir(root):
                why = "has a collection of its own" if ours else "is no folder that can be read"
                self.problems.append(f"retrieval.vault: {named} {why}")
                continue
            make, out = self._make_pages(root, vaults[named].trust), folder.exclude_from(root, vaults[named].exclude)
            yield from self._walk(root, PAGES, make, seen=seen, out=out, cut=True)

    def _kb(self) -> Iterator[Listing]:
        every = self._bases
        bases = [kb for kb in every if (kb.name == self._base if self._base else kb.enabled)]
        if not bases:
            return
        from adjutant.documents import folder  # only instances that have knowledge bases

        most, seen = self.config.whole("limits.files_per_kb"), set[str]()
        roots = {os.path.realpath(kb.folder): kb for kb in bases}
        for root, kb in roots.items():
            above, _, own = root.rpartition("/")
            if not os.path.exists(root):
                self.problems.append(f"knowledge base {kb.name}: {root} is no folder that can be read")
                continue
            make = self._make_pages(above if os.path.isfile(root) else root, kb.trust, kb.name)
            if os.path.isfile(root):  # one calendar, or an mbox
                limit = self.config.whole("limits.bytes_per_file")
                yield Listing(above, [_row(own, os.stat(root))], make, limit, cut=True)
                continue
            others, out = seen | (roots.keys() - {root}), folder.exclude_from(root, kb.exclude)
            found = list(self._walk(root, ("",), make, seen=others, out=out, cut=True))
            for each in found:
                each.rows = [
                    row for row in each.rows if folder.KINDS.get(row[0].rpartition(".")[2].lower()) != "binary"
                ]
            if found and found[0].folder == root:
                found[0].rows = [row for row in found[0].rows if row[0] not in folder.TOP_LEVEL_OURS]
            yield from _newest(found, most)

    def _make_pages(self, top: str, trust: str, base: str = "") -> Make:
        """For files below `top`: sections of pages, or with `base` the passages of that knowledge base."""
        above = f"{self.show_path(top)}/"

        def make(path: str, data: bytes, changed: int) -> list[Document]:
            from adjutant.domain.recall.sources import pages  # brings the readers of documents and the screen

            with suppress(OSError):  # when a person wrote it; `changed` may be when it was copied
                changed = min(changed, os.stat(self.tree.inside(path)).st_mtime_ns)
            written = self.clock.local(changed / 1_000_000_000).isoformat()
            place = pages.FilePlace(path, path.removeprefix(above), written, trust)
            return pages.base(place, data, base, self._scheme) if base else pages.vault(place, data, self._scheme)

        return make

    @cached_property
    def _bases(self) -> list[KnowledgeBase]:
        if not os.path.lexists(self.tree.registry):
            return []
        from adjutant.records import registry  # YAML: only instances that have knowledge bases

        return self._load(registry.load, list)

    def _file(self, path: str, name: str, *, module: str, more: str = "") -> Iterator[Listing]:
        """One file, read by a function of this module of sources/; `more`: the name of the one for its new lines."""
        try:
            info = os.stat(path) if self.tree.may_be_link(path) else os.lstat(path)
        except OSError:
            return
        if stat.S_ISREG(info.st_mode):
            folder, _, own = path.rpartition("/")
            since = partial(_call, module, more) if more else None
            yield Listing(folder, [_row(own, info)], _make_by(module, name), LOG_BYTES, since)
        else:
            self.problems.append(f"{self.tree.relative(path)}: not a regular file")

    @cached_property
    def _scheme(self) -> Scheme:
        """The instance's own concept scheme; the package's where it cannot be read, which is then named."""
        from adjutant.domain.recall import taxonomy  # YAML: only where a skill has changed

        return self._load(taxonomy.load, taxonomy.own)

    def _load(self, load: Callable[[Files], T], instead: Callable[[], T]) -> T:
        try:
            return load(self.files)
        except AdjutantError as error:
            self.problems.append(error.message)
            return instead()

    # -- walking ---------------------------------------------------------------------------------------------
    def _walk(
        self,
        root: str,
        suffixes: tuple[str, ...],
        make: Make,
        *,
        depth: int = MAX_DEPTH,
        limit: int | None = None,
        seen: set[str] | None = None,
        cut: bool = False,
        out: Excluded | None = None,
        more: More | None = None,
    ) -> Iterator[Listing]:
        """Every folder below `root` with its files of these suffixes. Folders in `seen` are left out, those entered
        are added; with `out`, what it leaves out and other instances are, too. Folders are opened with O_NOFOLLOW:
        one swapped for a link meanwhile is not entered."""
        most = self.config.whole("limits.bytes_per_file") if limit is None else limit
        entered = set[str]() if seen is None else seen
        waiting = [(root, 0)]
        while waiting:
            folder, level = waiting.pop()
            if folder in entered:
                continue
            entered.add(folder)
            try:
                rows, below = _scan(folder, suffixes)
            except FileNotFoundError:
                continue
            except OSError as error:
                self.problems.append(f"{self.tree.relative(folder)}: {error.strerror}")
                continue
            if out is not None:
                if level and is_instance(folder):
                    continue
                if out.any:
                    inside = f"{folder}/"[len(root) + 1 :]
                    rows = [row for row in rows if not out.leaves_out(f"{inside}{row[0]}")]
                    below = [name for name in below if not out.leaves_out(f"{inside}{name}", folder=True)]
            if level < depth:
                waiting += [(f"{folder}/{name}", level + 1) for name in below]
            if rows:
                yield Listing(folder, rows, make, most, more, cut=cut)


def _scan(folder: str, suffixes: tuple[str, ...]) -> tuple[list[Row], list[str]]:
    """(rows, folders below). This loop is what `index` with nothing to do costs: one stat a file and no more."""
    rows: list[Row] = []
    below: list[str] = []
    descriptor = os.open(folder, _FOLDER)
    try:
        with os.scandir(descriptor) as entries:
            for entry in entries:
                name = entry.name
                if name[0] == ".":
                    continue
                if name.endswith(suffixes):
                    try:
                        info = entry.stat(follow_symlinks=False)
                    except FileNotFoundError:
                        continue  # gone since the folder was read
                    kind = info.st_mode & _KIND
                    if kind == stat.S_IFREG:
                        mtime, ctime = info.st_mtime_ns, info.st_ctime_ns
                        rows.append((name, info.st_size, mtime if mtime > ctime else ctime))
                        continue
                    if kind != stat.S_IFDIR:
                        continue
                elif not entry.is_dir(follow_symlinks=False):
                    continue
                if name not in HIDDEN:
                    below.append(name)
    finally:
        os.close(descriptor)
    return rows, below


def _row(name: str, info: os.stat_result) -> Row:
    """An edit that sets the old mtime again cannot set the inode's own time."""
    return name, info.st_size, max(info.st_mtime_ns, info.st_ctime_ns)


def _newest(found: list[Listing], most: int) -> list[Listing]:
    """The listings with at most `most` files in all, the newest."""
    if sum(len(each.rows) for each in found) <= most:
        return found
    every = sorted((-row[2], each.folder, row[0]) for each in found for row in each.rows)[:most]
    kept = {(folder, name) for _, folder, name in every}
    for each in found:
        each.rows = [row for row in each.rows if (each.folder, row[0]) in kept]
    return [each for each in found if each.rows]


def _make_by(module: str, name: str, *more: object) -> Make:
    return lambda path, data, changed: _call(module, name, path, data, *more)


def _call(module: str, name: str, *given: object) -> Any:
    return getattr(importlib.import_module(f"adjutant.domain.recall.sources.{module}"), name)(*given)


# -- the collections: what each is called, which sources feed it, when a search takes in what changed --------------
ALWAYS, AGED, ASKED = "always", "aged", "asked"  # by every search; when the last scan is old; by `index` alone


class Collection(NamedTuple):
    """`name`: what --in calls it. `key`: what it is called in an index. `sources`: modules of sources/ that feed it."""

    name: str
    key: str
    sources: tuple[str, ...]
    taken_in: str


TABLE = (
    Collection("memory", "agent_memory", ("notes", "periods", "wisdom"), ALWAYS),
    Collection("skills", "agent_skills", ("skills",), ALWAYS),
    Collection("vault", "vault_index", ("vault",), AGED),
    Collection("slog", "slog", ("slog",), ALWAYS),
    Collection("journal", "journal", ("journal",), ALWAYS),
    Collection("conversations", "conversations", ("conversations",), ALWAYS),
    Collection("kb", "kb", ("kb",), AGED),
    Collection("events", "otel_events", ("events",), ASKED),
    Collection("behavior", "behavior_history", ("behavior",), ASKED),
    Collection("interactions", "interaction_taxonomy", ("interactions",), ASKED),
)
NAMED = frozenset({"agent_memory", "agent_skills"})  # their files name the ids themselves: two may name the same
LINED = "kb"  # its anchors are lines of a file, those of all others names
SUMMARIES = 3  # the highest level of those made of the past: a month
DEFAULT = tuple(each for each in TABLE if each.taken_in != ASKED)


def find_collections(names: str | None) -> tuple[Collection, ...]:
    """The collections of a comma-joined list, in the table's order; those searched by default for None. The names of an
    index (`agent_memory`) are understood too. Raises SearchInvalid with the valid names."""
    if names is None:
        return DEFAULT
    wanted = {name.strip() for name in names.split(",") if name.strip()}
    unknown = wanted - {each.name for each in TABLE} - {each.key for each in TABLE}
    if unknown or not wanted:
        valid = [each.name for each in TABLE]
        what = f"no collection named `{sorted(unknown)[0][:40]}`" if unknown else "no collection is named"
        raise SearchInvalid(f"{what}; there are {', '.join(valid)}", details={"valid": valid})
    return tuple(each for each in TABLE if each.name in wanted or each.key in wanted)
