"""OPINION. Recorded messages looked up anew, with a note or a skill as it would be: which would find it now?"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from typing import NamedTuple

from adjutant.app import plural
from adjutant.domain.conversation import weather
from adjutant.domain.prompting.assembly import Retrieved
from adjutant.domain.recall import excerpt, ranking
from adjutant.domain.recall.classify import UNCATEGORISED, classify
from adjutant.domain.recall.sources import notes, skills
from adjutant.domain.recall.wanted import Wanted
from adjutant.errors import AdjutantError, MirrorUnavailable
from adjutant.index_ports import Document, Query
from adjutant.judgements import turn
from adjutant.records.suggestion import Decided
from adjutant.replay import history
from adjutant.replay.history import RecordedTurn
from adjutant.replay.sides import DECISION, Copy, Lane, Side, attempt, decided, failure, one_line, row
from adjutant.store.files import sha256
from adjutant.store.index import IN_MEMORY, Index
from adjutant.store.index_tables import FileStamp

SHOWN, WORDS = 3, 60  # ids named, and characters of a passage that changed
BY_INDEX = "looked up in the search index with the file as it was and as it would be"


class _Lookup(NamedTuple):
    """A recorded message, its words, and the query that a turn makes of it."""

    turn: RecordedTurn
    wanted: Wanted
    query: Query


def rehearse(copy: Copy, collection: str) -> Lane:
    """The messages on record, looked up with the file as it was and as it would be. Raises TaxonomyInvalid (the one in
    force), FileDamaged, IoFailed."""
    failed = failure(copy, turn.NAME, lambda side: side is copy.before or _documents(copy, side, collection))
    if failed is not None:
        return failed
    turns = history.turns(copy.before.files, copy.budget)
    if collection not in copy.app.config.values["retrieval.weather"]:
        return decided(turns, (), (f"retrieval.weather leaves {collection} out: no turn finds it",))
    before = attempt(lambda: _documents(copy, copy.before, collection))
    sides = [[] if isinstance(before, str) else before, _documents(copy, copy.after, collection)]
    affected = [each for each in _lookups(copy, turns) if _shares(each.wanted, [*sides[0], *sides[1]])]
    changed, how = _compare(copy, collection, sides, affected)
    said = [f"the last {plural(len(turns), 'message')} on record: {len(affected)} share a word with it, {how}"]
    if copy.app.config.text("retrieval.backend") != "sqlite" or copy.app.config.flag("retrieval.semantic"):
        said.append("servers and meanings were not asked, only words in the folder's own index")
    if turns:
        said.append("what a model makes of the words it then finds cannot be known")
    return decided(turns, changed, said)


def _documents(copy: Copy, side: Side, collection: str) -> list[Document]:
    """What the file gives the index. Raises FileDamaged, TaxonomyInvalid."""
    if side.text is None:
        return []
    if collection == skills.COLLECTION:
        return skills.documents(copy.path, side.text.encode(), side.scheme)
    return notes.documents(copy.path, side.text.encode())


def _lookups(copy: Copy, turns: Sequence[RecordedTurn]) -> Iterator[_Lookup]:
    for each in turns:
        wanted, where = Wanted(each.message), weather.where(copy.app, each.message, each.session, "")
        if not wanted.telling:
            continue
        about = classify(each.message, copy.before.scheme).concept
        query = Query(
            text=each.message.encode("utf-8", "replace").decode(),
            collections=tuple(known.key for known in where.collections),
            limit=weather.LOOKED_AT,
            now=copy.app.clock.now().isoformat(),
            concept="" if about == UNCATEGORISED else about,
            but=where.but,
            level=where.level,
        )
        yield _Lookup(each, wanted, query)


def _shares(wanted: Wanted, documents: Sequence[Document]) -> bool:
    """Whether a document holds a word of the message, in whatever form: any other stays out of its hits."""
    words = excerpt.pattern(wanted.telling)
    return any(words.search("\n".join((one.title, one.names, *one.tags, one.text, one.context))) for one in documents)


def _compare(
    copy: Copy, collection: str, sides: Sequence[Sequence[Document]], affected: Sequence[_Lookup]
) -> tuple[list[Decided], str]:
    """Messages that find another document, or another passage of the same; and how it was compared."""
    if not affected:
        return [], "and none would be answered from anything else"
    with _trial(copy) as (index, how):
        text = copy.after.text or copy.before.text or ""
        stamp = FileStamp(len(text), 0, sha256(text.encode())[:32])
        found: list[list[list[Retrieved]]] = []
        for documents in sides:
            index.put_file(collection, copy.path, stamp, documents)
            found.append([*_find(copy, affected, index)])
    rows = (_row(each, was, now) for each, was, now in zip(affected, *found, strict=False))
    return [each for each in rows if each is not None], how


def _find(copy: Copy, lookups: Sequence[_Lookup], index: Index) -> Iterator[list[Retrieved]]:
    """What each message would find; of the first ones only, where time is up."""
    for each in lookups:
        if copy.budget.over:
            return
        yield weather.chosen(index.search(each.query), each.wanted)


class _Undone(Exception):
    """Ends the trial: nothing of it is kept."""


@contextmanager
def _trial(copy: Copy) -> Iterator[tuple[Index, str]]:
    """The index within a transaction that is taken back, or an empty one where it cannot be had; and which."""
    app = copy.app
    path, how = app.tree.index, BY_INDEX
    with ExitStack() as stack:
        try:
            if not os.path.isfile(path):
                raise MirrorUnavailable("there is no search index yet")
            stack.enter_context(app.files.lock("index", 0.0))
        except AdjutantError as error:
            path = IN_MEMORY
            how = f"the document alone was held against the messages: {one_line(error.message, DECISION)}"
        index = Index(path, app.say, nullcontext, ranking.search)
        stack.callback(index.close)
        with suppress(_Undone), index.together():
            yield index, how
            raise _Undone


def _row(each: _Lookup, before: list[Retrieved], after: list[Retrieved]) -> Decided | None:
    old, new = ({found.id: found.passage for found in side} for side in (before, after))
    then, now = (_named(side, old.keys() ^ new.keys()) for side in (before, after))
    if old.keys() == new.keys():
        changed = next((id for id in old if old[id] != new[id]), None)
        if changed is None:
            return None
        then, now = (f"finds {changed}: {_around(side[changed], each.wanted)}" for side in (old, new))
    return row(each.turn.run, turn.NAME, each.turn.message, then, now)


def _named(found: Sequence[Retrieved], other: set[str]) -> str:
    """Those of `other` that are found, each with its rank."""
    named = [f"{each.id} ({rank} of {len(found)})" for rank, each in enumerate(found, start=1) if each.id in other]
    if named:
        return f"finds {', '.join(named[:SHOWN])}"
    return f"finds {plural(len(found), 'other')}" if found else "finds nothing"


def _around(passage: str, wanted: Wanted) -> str:
    return one_line(excerpt.best(passage, dict.fromkeys(wanted.telling, 1.0), 4 * WORDS), WORDS)
