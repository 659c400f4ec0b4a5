"""DOMAIN. Takes in what changed: size and time first, the hash when they differ, then upsert and delete by file.

A folder whose files all have the size and time they had is settled by one digest, without a look at what is known of
each. Everything is found out from the files and the index itself: a run that is killed leaves nothing to repair.
"""

import json
import marshal
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, suppress
from hashlib import blake2b
from typing import Any

from adjutant.app import App
from adjutant.domain.recall.places import ASKED, NAMED, TABLE, Collection, Listing, Places, Row
from adjutant.errors import AdjutantError, LockBusy
from adjutant.index_ports import Document, Embedder
from adjutant.store import index_lookup, jsonl
from adjutant.store.files import DATA_LOCK_WAIT, sha256
from adjutant.store.index import Index
from adjutant.store.index_tables import FileStamp

Lock = Callable[[float], AbstractContextManager[None]]

HASH = 32  # hex digits of the sha256 that a file is known by: in 128 bits chance makes no two alike
FRESH_NS = 2_000_000_000  # file systems count time in ticks, the coarsest of them in two seconds
BATCH = 256  # files put in one transaction: so many are read again after a kill


class ReadFile:
    """One file as it is now: its documents, what to know it by, and what is `wrong` with it ("" for nothing). `kept`:
    its bytes begin with those known, and `documents` are only what the others make or change."""

    def __init__(self, documents: list[Document], seen: FileStamp, wrong: str = "", kept: bool = False) -> None:
        self.documents, self.seen, self.wrong, self.kept = documents, seen, wrong, kept

    @property
    def same(self) -> bool:
        return self.kept and not self.documents


class SourceReader:
    """Turns the files of `places` into documents. `now_ns`: the machine's own time. `secrets`: {value: name}; no value
    reaches a document. `veil` changes with them: all is to be read again then; it is too short to tell any.
    `step(files)`: called before each file is read, with how many there were: to show it, and to stop by raising."""

    def __init__(
        self, places: Places, now_ns: int, secrets: Mapping[str, str], step: Callable[[int], None] | None = None
    ) -> None:
        self.places, self._now_ns, self._step, self._count = places, now_ns, step, 0
        written = dict[str, str]()  # each as it stands in a text, and in a line of JSON
        for value, name in secrets.items():
            forms = (value, json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1])
            written |= dict.fromkeys(forms, name)
        told = {form: (form.encode("utf-8", "surrogateescape"), f"<{name}>".encode()) for form, name in written.items()}
        self._secrets = [told[form] for form in sorted(told, key=len, reverse=True)]
        values = sorted(value for value, _ in self._secrets)
        self.veil = blake2b(b"\0".join(values), digest_size=2).hexdigest()

    def listings(self, collection: Collection) -> Iterator[Listing]:
        """The files of a collection, folder by folder; in the order of their paths where that says whose an id is."""
        for source in collection.sources:
            if collection.key not in NAMED:
                yield from self.places.listings(source)
                continue
            for listing in sorted(self.places.listings(source), key=lambda listing: listing.folder):
                listing.rows.sort()
                yield listing

    def path(self, listing: Listing, row: Row) -> str:
        return self.places.show_path(f"{listing.folder}/{row[0]}")

    def read(
        self, listing: Listing, row: Row, known: FileStamp | None = None, most: int | None = None
    ) -> ReadFile | None:
        """A file as it is now, or its first `most` bytes; None when it is gone. Raises what `step` raises. What cannot
        be trusted to stay (a fresh file, one that cannot be read) is known by no time: it is read again."""
        self._count += 1
        if self._step is not None:
            self._step(self._count)
        name, size, changed = row
        try:
            data = self.places.files.read(f"{listing.folder}/{name}", listing.limit, cut=listing.cut)[:most]
        except FileNotFoundError:
            return None
        except AdjutantError as error:
            return ReadFile([], FileStamp(size, 0, ""), error.message)
        is_fresh = changed > self._now_ns - FRESH_NS  # it may change once more and keep the time it has
        seen = FileStamp(len(data), 0 if is_fresh else changed, sha256(data)[:HASH])
        if known is not None and known.sha == seen.sha:
            return ReadFile([], seen, kept=True)
        path = self.path(listing, row)
        if known is not None and listing.more is not None:
            before, since = data[: known.size], self._veil_secrets(data[known.size :])
            whole = before.endswith(b"\n") and sha256(before)[:HASH] == known.sha  # lines that stand there still
            if whole and not _bad_lines(path, since):
                more = listing.more(path, self._veil_secrets(before), since)
                if more is not None:
                    return ReadFile(more, seen, kept=True)
        data = self._veil_secrets(data)
        try:
            wrong = f"{path}: read to the first {listing.limit} bytes only" * (listing.cut and size > listing.limit)
            return ReadFile(listing.make(path, data, changed), seen, wrong or _bad_lines(path, data))
        except AdjutantError as error:
            return ReadFile([], seen, error.message)

    def _veil_secrets(self, data: bytes) -> bytes:
        for value, instead in self._secrets:
            data = data.replace(value, instead)
        return data


def _bad_lines(path: str, data: bytes) -> str:
    """What to say of a JSONL file with lines that are no records; the others are read."""
    bad = [number for number, record in jsonl.parse(data) if record is None] if path.endswith(".jsonl") else []
    more = f" ({len(bad)} such lines)" if len(bad) > 1 else ""
    return f"{path}:{bad[0]}: not a record{more}" if bad else ""


class Counts:
    """What was done to a collection, in documents. `damaged`: {path: what is wrong}; `news`: what was not told yet."""

    def __init__(self) -> None:
        self.documents = self.upserted = self.deleted = 0
        self.damaged: dict[str, str] = {}
        self.news: list[str] = []

    @property
    def unchanged(self) -> int:
        return self.documents - self.upserted


class Pass:
    """One collection, looked at once: `look` only finds out what changed, `take_in` brings the index up to date."""

    def __init__(self, index: Index, reader: SourceReader, collection: Collection, *, full: bool = False) -> None:
        self.index, self.reader, self.collection = index, reader, collection
        self._key, kept = f"settled {collection.key}", dict[str, Any]()
        with suppress(ValueError, TypeError):  # a damaged index gives something else
            kept = dict(json.loads(index.read_kept(self._key) or "{}"))
        self._damaged: dict[str, str] = kept.get("damaged", {})
        self._twice: bool = kept.get("twice", False)
        self._given: dict[str, str] = {}
        self._basis = [reader.veil, *(reader.places.basis(source) for source in collection.sources)]
        self._full = full or kept.get("basis", self._basis) != self._basis
        self._before: dict[str, str] = {} if self._full else kept.get("folders", {})
        self._folders: dict[str, str] = {}
        self._changed: list[Listing] = []

    def look(self) -> bool:
        for listing in self.reader.listings(self.collection):
            digest = blake2b(marshal.dumps(listing.rows, 2), digest_size=16).hexdigest()
            if self._before.get(listing.folder) != digest:
                self._changed.append(listing)
            self._folders[listing.folder] = digest
        return bool(self._full or self._changed or self._before.keys() - self._folders.keys())

    def take_in(self) -> Counts:
        """Call it after `look`, under the index lock. Raises IoFailed, what the reader's `step` raises."""
        counts = Counts()
        if not (self._full or self._changed or self._before.keys() - self._folders.keys()):
            counts.damaged, counts.documents = self._damaged, self.index.count(self.collection.key)
            return counts
        if self._twice or not self._compare(counts):
            # Every file once more: whose an id is depends on those that have not changed, too.
            self._full, self._twice, self._before, self._changed, self._given = True, False, {}, [], {}
            self.look()
            self._compare(counts)
        self.settle(counts)
        return counts

    def everything(self, counts: Counts) -> Iterator[tuple[str, str, FileStamp, list[Document]]]:
        """(collection, path, seen, documents) of every file, for a rebuild; call `settle` when that has ended."""
        for listing, row in _files(self._changed):
            path, read = self.reader.path(listing, row), self.reader.read(listing, row)
            if read is not None:
                self._note(listing, path, read, counts)
                own = self._own(path, read.documents, counts)
                counts.upserted += len(own)
                yield self.collection.key, path, read.seen, own

    def settle(self, counts: Counts) -> None:
        kept = {"basis": self._basis, "folders": self._folders, "damaged": counts.damaged, "twice": self._twice}
        self.index.keep(self._key, json.dumps(kept))
        counts.documents = self.index.count(self.collection.key)
        counts.upserted = min(counts.upserted, counts.documents)  # what two looks have written is counted once
        counts.news = [wrong for path, wrong in counts.damaged.items() if self._damaged.get(path) != wrong]

    def _note(self, listing: Listing, path: str, read: ReadFile, counts: Counts) -> None:
        if not read.seen.mtime_ns:
            self._folders[listing.folder] = ""
        if wrong := read.wrong or (self._damaged.get(path, "") if read.kept else ""):
            counts.damaged[path] = wrong

    def _own(self, path: str, documents: list[Document], counts: Counts) -> list[Document]:
        """Those whose id no file before this one has; the other file is named."""
        if self.collection.key not in NAMED:
            return documents
        own = [each for each in documents if self._given.setdefault(each.id, path) == path]
        for each in documents:
            if (first := self._given[each.id]) != path:
                self._twice = True
                counts.damaged[path] = f"{path}: `{each.id}` is what {first} is called too; name one of them otherwise"
        return own

    def _compare(self, counts: Counts) -> bool:
        """False when a file that was not looked at has the id of one that was: then all have to be."""
        key, changed = self.collection.key, {listing.folder for listing in self._changed}
        quiet = {self.reader.places.show_path(folder) for folder in self._folders.keys() - changed}
        known = self.index.list_seen(key, quiet)  # those alone: a quiet folder costs nothing, however large
        gone = set(known)
        counts.damaged = {path: wrong for path, wrong in self._damaged.items() if path.rpartition("/")[0] in quiet}
        waiting: list[tuple[str, ReadFile]] = []
        for listing, row in _files(self._changed):
            path = self.reader.path(listing, row)
            gone.discard(path)
            seen = known.get(path)
            if not self._full and seen is not None and (seen.size, seen.mtime_ns) == row[1:]:
                if path in self._damaged:
                    counts.damaged[path] = self._damaged[path]
                continue
            read = self.reader.read(listing, row, None if self._full else seen)
            if read is None:
                gone.add(path)
                continue
            self._note(listing, path, read, counts)
            waiting.append((path, read))
            if len(waiting) >= BATCH and not self._put(waiting, counts):
                return False
        if not self._put(waiting, counts):
            return False
        with self.index.together():
            counts.deleted += sum(self.index.drop_file(key, path) for path in sorted(gone & known.keys()))
        return True

    def _put(self, waiting: list[tuple[str, ReadFile]], counts: Counts) -> bool:
        key = self.collection.key
        own = {path: self._own(path, read.documents, counts) for path, read in waiting if not read.same}
        if key in NAMED and not self._full:
            owners = self.index.owners(key, [each.id for documents in own.values() for each in documents])
            if any(self._given[id] != path for id, path in owners.items()):
                return False
        with self.index.together():
            for path, read in waiting:
                if read.same:
                    self.index.saw(key, path, read.seen)
                else:
                    upserted, deleted = self.index.put_file(key, path, read.seen, own[path], more=read.kept)
                    counts.upserted += upserted
                    counts.deleted += deleted
        waiting.clear()
        return True


def refresh(
    index: Index, reader: SourceReader, collections: Iterable[Collection], *, full: bool = False
) -> dict[str, Counts]:
    """Brings these collections up to date, under the index lock: {name: what was done}. `full`: reads every file.
    Raises IoFailed, MirrorUnavailable, what the reader's `step` raises."""
    done = {}
    for collection in collections:
        one = Pass(index, reader, collection, full=full)
        one.look()
        done[collection.name] = one.take_in()
    index.tidy()
    return done


def rebuild(index: Index, reader: SourceReader) -> dict[str, Counts]:
    """Everything anew at one stroke, under the index lock; searches meanwhile see the old. As `refresh`."""
    passes = [Pass(index, reader, collection, full=True) for collection in TABLE]
    done = {one.collection.name: Counts() for one in passes}
    for one in passes:
        one.look()
    index.rebuild_files(file for one in passes for file in one.everything(done[one.collection.name]))
    for one in passes:
        one.settle(done[one.collection.name])
    index.tidy()
    return done


class Drift:
    """How a mirror differs from the files in one collection: ids that lack, that nothing stands for, that are old.
    `wanted`: {id: source_sha} of the files. `behind`: documents of a log that are new or other by lines that no `index`
    has read yet, which is no drift."""

    def __init__(self, collection: str, wanted: dict[str, str], held: dict[str, str], behind: int) -> None:
        self.collection, self.behind, self.wanted = collection, behind, wanted
        self.missing = sorted(wanted.keys() - held.keys())
        self.extra = sorted(held.keys() - wanted.keys())
        self.stale = sorted(id for id in wanted.keys() & held.keys() if wanted[id] != held[id])

    def __bool__(self) -> bool:
        return bool(self.missing or self.extra or self.stale)


def check(index: Index, reader: SourceReader, collections: Iterable[Collection], damaged: list[str]) -> Iterator[Drift]:
    """Each collection of the index against the files, all read; `damaged` takes what cannot be. Raises as `refresh`."""
    for collection in collections:
        known = index.list_seen(collection.key) if collection.taken_in == ASKED else {}
        wanted, behind = dict[str, str](), 0
        for listing, row in _files(reader.listings(collection)):
            path = reader.path(listing, row)
            read = reader.read(listing, row)
            if read is None:
                continue
            if read.wrong:
                damaged.append(read.wrong)
            documents = read.documents
            if collection.taken_in == ASKED:
                seen = known.get(path)  # as far as the last `index` read; a log that is shorter now was rotated
                part = reader.read(listing, row, most=seen.size) if seen is not None else None
                documents = part.documents if part is not None else []
                # A later line may change a document of an earlier.
                now, then = ({(each.id, each.source_sha) for each in some} for some in (read.documents, documents))
                behind += len(now - then)
            for document in documents:
                wanted.setdefault(document.id, document.source_sha)  # of two the first has it
        yield Drift(collection.key, wanted, index.fingerprints(collection.key), behind)


def _files(listings: Iterable[Listing]) -> Iterator[tuple[Listing, Row]]:
    return ((listing, row) for listing in listings for row in listing.rows)


# -- the extra `semantic`: the model computes outside of every lock; what has no vector yet is found by its words
SEARCH_READS = 16  # documents that one search reads at most, well below a second; the others are for `index`
TOGETHER = 64  # documents read between two looks at PAUSED
INDEX_SECONDS = 300.0  # one `index`; the next goes on


def catch_up(app: App, index: Index, lock: Lock) -> None:
    """After a search has taken something in: reads what came last, unless another process writes just now."""
    if index.embedder is not None and index.changed:
        with suppress(LockBusy):
            _read(index, index.embedder, lock, SEARCH_READS, 0)


def take_in(app: App, index: Index, lock: Lock) -> dict[str, int] | None:
    """{read, left}: how many documents were read now, and how many are for the next `index`; None for words alone.
    Raises Stopped, LockBusy, IoFailed, MirrorUnavailable."""
    if index.embedder is None:
        return None
    until, done = app.clock.monotonic() + INDEX_SECONDS, 0
    while app.clock.monotonic() < until and (read := _read(index, index.embedder, lock, TOGETHER, DATA_LOCK_WAIT)):
        done += read
        app.progress(f"index: {done} documents read for their meaning")
        app.gate()
    with lock(DATA_LOCK_WAIT):
        index.do(index_lookup.drop_gone, writes=True)
    return {"read": done, "left": index.do(index_lookup.count_unread)}


def _read(index: Index, embedder: Embedder, lock: Lock, most: int, wait: float) -> int:
    documents = index.do(lambda db: index_lookup.list_unread(db, most))
    vectors = embedder.embed([each.text for each in documents])
    with lock(wait):
        index.do(lambda db: index_lookup.put_vectors(db, documents, vectors), writes=True)
    return len(documents)
