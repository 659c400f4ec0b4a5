"""FILES. The embedded search index, state/index.sqlite: a mirror of the documents, made anew when it is damaged."""

import json
import os
import sqlite3
import stat
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from typing import Any, TypeVar

from adjutant.errors import IoFailed, MirrorUnavailable
from adjutant.index_ports import Document, Embedder, Hit, Query
from adjutant.store import index_lookup
from adjutant.store import index_tables as tables
from adjutant.store.disk import discard, make_folder
from adjutant.store.index_lookup import Lookup
from adjutant.store.index_tables import SQL, WAIT, Damaged, FileStamp, explain, prepare, tell_damage
from adjutant.store.index_write import Writer, whole

T = TypeVar("T")
Rank = Callable[[Lookup, Query], list[Hit]]


IN_MEMORY = ":memory:"
FREE, FREE_SHARE = 1000, 4  # pages, and one page in so many, that may be free before the file is made smaller


class Index:
    """The documents in one SQLite file, opened at the first call; IN_MEMORY makes none.

    `warn` is told when the file was made anew, and why; `anew` says so too: what was in it has to be put again. `lock`:
    the one that its writers share, taken for that repair alone. `rank` decides what answers a query, from what it may
    look up, with an `embedder` meanings too; `changed`: documents were put since it was opened. Every method raises
    MirrorUnavailable (another process writes for too long) and IoFailed.
    """

    name = "sqlite"

    def __init__(
        self,
        path: str,
        warn: Callable[[str], None],
        lock: Callable[[], AbstractContextManager[None]],
        rank: Rank,
        embedder: Embedder | None = None,
    ) -> None:
        self._path, self._warn, self._lock, self._rank = path, warn, lock, rank
        self.embedder, self.changed = embedder, False
        self._db: sqlite3.Connection | None = None
        self._inode: tuple[int, int] | None = None
        self._within = False
        self.anew = False

    def search(self, query: Query) -> list[Hit]:
        """At most `query.limit` hits, best first. No text is an error; superseded documents are left out."""
        return self.look_up(lambda lookup: self._rank(lookup, query))

    def look_up(self, work: Callable[[Lookup], T]) -> T:
        """What `work` finds in one state of the tables, whatever is written meanwhile."""

        def within(db: sqlite3.Connection) -> T:
            with nullcontext() if self._within else tables.transaction(db, "BEGIN", "ROLLBACK"):
                return work(Lookup(db, self.embedder))

        return self.do(within)

    def _rows(self, statement: str, *values: object) -> list[Any]:
        return self.do(lambda db: db.execute(statement, values).fetchall())

    def fingerprints(self, collection: str) -> dict[str, str]:
        return {id: tables.unpack(sha) for id, sha in self._rows(SQL["fingerprints"], collection)}

    def list_seen(self, collection: str, but: Container[str] = ()) -> dict[str, FileStamp]:
        """{path: as it was seen} of the files whose documents are here; those in the folders of `but` are left out."""
        return {
            folder + name: FileStamp(size, mtime_ns, tables.unpack(sha))
            for number, folder in self._rows(SQL["folders"], collection)
            if folder.removesuffix("/") not in but
            for name, size, mtime_ns, sha in self._rows(SQL["stamps"], number)
        }

    def put_file(
        self, collection: str, path: str, seen: FileStamp, documents: Sequence[Document], more: bool = False
    ) -> tuple[int, int]:
        """(written, deleted): the documents of a file; those of it that vanished are deleted, except with `more`."""
        written, deleted = self._write(lambda writer: writer.put_file(collection, path, seen, documents, more))
        self.changed = self.changed or written > 0
        return written, deleted

    def owners(self, collection: str, ids: list[str]) -> dict[str, str]:
        """{id: path of the file it is in} of those that are there."""
        return dict(self._rows(SQL["owners"], json.dumps(ids), collection))

    def saw(self, collection: str, path: str, seen: FileStamp) -> None:
        """The file was looked at again, its documents are the same."""
        self._write(lambda writer: writer.file(collection, path, seen))

    def drop_file(self, collection: str, path: str) -> int:
        return self._write(lambda writer: writer.drop_file(collection, path))

    def rebuild_files(self, files: Iterable[tuple[str, str, FileStamp, Iterable[Document]]]) -> int:
        """Everything anew at one stroke, from (collection, path, seen, documents); searches meanwhile see the old, and
        a crash leaves it. How many documents; of two with one id the first counts."""

        def work(db: sqlite3.Connection) -> int:
            tables.make(db, "emptied", "rebuilt")
            count = Writer(db).fill(files)
            tables.make(db, "findable")
            return count

        return self.do(work, writes=True)

    def tidy(self) -> None:
        """Gives back room when much is free. Not within `together`; the caller holds the lock that writers share."""
        ((free,),), ((pages,),) = self._rows("PRAGMA freelist_count"), self._rows("PRAGMA page_count")
        if free > max(FREE, pages // FREE_SHARE):
            with suppress(IoFailed, MirrorUnavailable):  # no room for the copy: the index is right as it is
                self._rows("VACUUM")

    def purge(self) -> None:
        """Leaves no word of what was deleted in the file: neither in a segment of the search nor on a free page. The
        caller holds the lock that writers share. Not within `together`."""
        for each in ("INSERT INTO found(found) VALUES('optimize')", "VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"):
            self._rows(each)

    def documents(self, collection: str) -> Iterator[Document]:
        """Every document of a collection, file by file in its order, contexts included."""
        for file in self._rows(SQL["files"], collection):
            yield from self._read_file(collection, file)

    def _read_file(self, collection: str, file: tuple[int]) -> list[Document]:
        return self.do(lambda db: whole(Writer(db).read_held(collection, "file = ?", file)))

    def counts(self) -> dict[str, int]:
        return dict(self._rows(SQL["sizes"]))

    def count(self, collection: str) -> int:
        return self.counts().get(collection, 0)

    def keep(self, key: str, value: str) -> None:
        """Remembers a text; it is gone when the file is made anew."""
        self.do(lambda db: db.execute(SQL["keep"], (key, value)), writes=True)

    def read_kept(self, key: str) -> str:
        return "".join(value for (value,) in self._rows(SQL["recall"], key))

    @contextmanager
    def together(self) -> Iterator[None]:
        """One transaction around many calls."""
        if self._within:
            yield
            return
        self._rows("BEGIN IMMEDIATE")
        self._within = True
        try:
            yield
            self._rows("COMMIT")
        finally:
            self._within = False
            if self._db is not None and self._db.in_transaction:
                self._db.execute("ROLLBACK")

    def close(self) -> None:
        if self._db is not None:
            self._db.close()
            self._db = None

    def _write(self, work: Callable[[Writer], T]) -> T:
        return self.do(lambda db: work(Writer(db)), writes=True)

    def do(self, work: Callable[[sqlite3.Connection], T], *, writes: bool = False) -> T:
        """Does it, in a transaction if it `writes`; on a damaged file once more, after that was made anew."""

        def run(db: sqlite3.Connection) -> T:
            with tables.transaction(db) if writes and not self._within else nullcontext():
                return work(db)

        try:
            try:
                return run(self._open())
            except (Damaged, sqlite3.DatabaseError, UnicodeDecodeError) as error:
                if not (wrong := tell_damage(error)):
                    raise
                within = self._within
                self._make_anew(wrong)
                if within:  # what was put before in this transaction is lost with the file
                    raise MirrorUnavailable(f"{self._path} {wrong}, and was made anew", "run it again") from error
                return run(self._open())
        except sqlite3.Error as error:
            raise explain(error, self._path) from error
        except Damaged as error:
            raise MirrorUnavailable(f"{self._path}: {error}") from error

    def _open(self) -> sqlite3.Connection:
        if self._db is None:
            self._inode = _inode(self._path)
            if self._path != IN_MEMORY:
                make_folder(os.path.dirname(self._path))
                if self._inode is not None and not stat.S_ISREG(os.lstat(self._path).st_mode):
                    raise Damaged("was damaged")
            db = sqlite3.connect(self._path, timeout=WAIT, isolation_level=None)
            try:
                prepare(db)
                if self.embedder is not None:
                    index_lookup.prepare_vectors(db, self.embedder.name)
            except BaseException:
                db.close()
                raise
            self._db, self._inode = db, _inode(self._path)
        return self._db

    def _make_anew(self, wrong: str) -> None:
        """Unlinks the file, of which `wrong` is told, unless another process has done so since it was opened here."""
        self.close()
        self._within = False
        damaged = self._inode
        with self._lock():
            if _inode(self._path) == damaged:
                for ending in ("-wal", "-shm", ""):  # the file last: a -wal must never be left to a new one
                    discard(self._path + ending)
                self._warn(f"{os.path.basename(self._path)} {wrong} and is made anew; nothing is lost by that")
            self._open()
        self.anew = True


def _inode(path: str) -> tuple[int, int] | None:
    try:
        found = os.lstat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino
