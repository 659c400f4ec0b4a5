"""DOMAIN. The extra `semantic`: which index is opened, and when its documents get their vectors.

The model computes outside of every lock, and whatever has no vector yet is found by its words.
"""

from __future__ import annotations

from adjutant.domain.recall import ranking
from adjutant.errors import LockBusy, MirrorUnavailable
from adjutant.store import index_lookup
from adjutant.store.files import DATA_LOCK_WAIT
from adjutant.store.index import Index

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from adjutant.app import App
    from adjutant.index_ports import Embedder

    Lock = Callable[[float], AbstractContextManager[None]]

SEARCH_READS = 16  # documents that one search reads at most, well below a second; the others are for `index`
TOGETHER = 64  # documents read between two looks at PAUSED
INDEX_SECONDS = 300.0  # one `index`; the next goes on


def open_index(app: App, lock: Callable[[], AbstractContextManager[None]]) -> Index:
    """The index of words, or the one that knows meanings as well where that is asked for.

    Where its model is not installed, words alone decide, which is said in one line. Raises IoFailed.
    """
    try:
        embedder = app.embedder()
    except MirrorUnavailable as error:
        app.say(f"{error.message}; words alone decide until then: {error.fix}")
        embedder = None
    return Index(app.tree.index, app.say, lock, ranking.search, embedder)


def catch_up(app: App, index: Index, lock: Lock) -> None:
    """After a search has taken something in: reads what came last, unless another process writes just now."""
    if index.embedder is not None and index.changed:
        try:
            _read(index, index.embedder, lock, SEARCH_READS, 0)
        except LockBusy:
            return


def take_in(app: App, index: Index, lock: Lock) -> dict[str, int] | None:
    """{read, left}: how many documents were read now, and how many are for the next `index`; None for words alone.

    Raises Stopped, LockBusy, IoFailed, MirrorUnavailable.
    """
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


def findings(app: App) -> Iterator[tuple[str, bool, str, str]]:
    """(name, good, detail, fix), for `doctor`; nothing where meanings are not asked for."""
    try:
        if app.embedder() is not None:
            yield "semantic", True, "its model is installed", ""
    except MirrorUnavailable as error:
        yield "semantic", False, error.message, error.fix


def _read(index: Index, embedder: Embedder, lock: Lock, most: int, wait: float) -> int:
    documents = index.do(lambda db: index_lookup.list_unread(db, most))
    vectors = embedder.embed([each.text for each in documents])
    with lock(wait):
        index.do(lambda db: index_lookup.put_vectors(db, documents, vectors), writes=True)
    return len(documents)
