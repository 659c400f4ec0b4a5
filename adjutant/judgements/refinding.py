"""OPINION. Recorded messages looked up anew, with a note or a skill as it would be: which would find it now?"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from adjutant.domain.conversation import weather
from adjutant.domain.prompting.assembly import Found
from adjutant.domain.recall import excerpt, ranking, taxonomy
from adjutant.domain.recall.classify import UNCATEGORISED, classify
from adjutant.domain.recall.sources import notes, skills
from adjutant.domain.recall.wanted import Wanted
from adjutant.errors import AdjutantError, MirrorUnavailable
from adjutant.judgements import past, turn
from adjutant.judgements.copying import DECISION, TODAY, Copy, Lane, counted, left_out, row, told, tried
from adjutant.judgements.past import Turn
from adjutant.ports import Document, Hit, Query
from adjutant.records.suggestion import BY_RULES, Decided
from adjutant.store.files import sha256
from adjutant.store.index import Index
from adjutant.store.index_tables import Seen

SHOWN, WORDS = 3, 60  # ids named, and characters of a passage that changed
NOTHING = "finds nothing"
BY_INDEX = "looked up in the search index with the file as it was and as it would be"
ALONE = "the document alone was held against the messages: {}"


class _Lookup(NamedTuple):
    """A recorded message: what it tells, and the query that a turn makes of it."""

    turn: Turn
    wanted: Wanted
    query: Query


def rehearse(copy: Copy, collection: str) -> Lane:
    """The messages on record, looked up with the file as it was and as it would be. Raises TaxonomyInvalid (the one in
    force), FileDamaged, IoFailed."""
    was = tried(lambda: _documents(copy, collection, copy.change.before))
    now = tried(lambda: _documents(copy, collection, copy.change.after))
    if isinstance(now, str):
        return Lane(BY_RULES, changed=(row(TODAY, turn.NAME, copy.path, "read", f"would fail: {now}"),))
    before = [] if isinstance(was, str) else was
    every = past.turns(copy.before, copy.budget)
    runs = frozenset(each.ref for each in every)
    if collection not in copy.config.values["retrieval.weather"]:
        return Lane(BY_RULES, runs, len(every), notes=(f"retrieval.weather leaves {collection} out: no turn finds it",))
    affected = [each for each in _lookups(copy, every) if _shares(each.wanted, [*before, *now])]
    changed, how = _compared(copy, collection, before, now, affected)
    said = [f"the last {counted(len(every), 'message')} on record: {len(affected)} share a word with it, {how}"]
    if copy.config.text("retrieval.backend") != "sqlite" or copy.config.flag("retrieval.semantic"):
        said.append("servers and meanings were not asked, only words in the folder's own index")
    if every:
        said.append("what a model makes of the words it then finds cannot be known")
    return Lane(BY_RULES, runs, len(every), tuple(changed), (*said, *left_out(0, ran_out=copy.budget.ran_out)))


def _documents(copy: Copy, collection: str, text: str | None) -> list[Document]:
    """What the file gives the index. Raises FileDamaged, TaxonomyInvalid."""
    if text is None:
        return []
    if collection == skills.COLLECTION:
        return skills.documents(copy.path, text.encode(), taxonomy.load(copy.before))
    return notes.documents(copy.path, text.encode())


def _lookups(copy: Copy, every: Sequence[Turn]) -> Iterator[_Lookup]:
    scheme = taxonomy.load(copy.before)
    for each in every:
        wanted, where = Wanted(each.message), weather.where(copy.app, each.message, each.session, "")
        if wanted.telling:
            about = classify(each.message, scheme).concept
            yield _Lookup(
                each,
                wanted,
                Query(
                    text=each.message.encode("utf-8", "replace").decode(),
                    collections=tuple(each.key for each in where.collections),
                    limit=weather.LOOKED_AT,
                    now=copy.app.clock.now().isoformat(),
                    concept="" if about == UNCATEGORISED else about,
                    but=where.but,
                    level=where.level,
                ),
            )


def _shares(wanted: Wanted, documents: Sequence[Document]) -> bool:
    """Whether a document holds a word of the message, in whatever form: any other stays out of its hits."""
    words = excerpt.pattern(wanted.telling)
    return any(
        words.search("\n".join((each.title, each.names, *each.tags, each.text, each.context))) for each in documents
    )


# -- by the index --------------------------------------------------------------------------------------------


class _Undone(Exception):
    """Ends the trial: nothing of it is kept."""


def _compared(
    copy: Copy,
    collection: str,
    before: Sequence[Document],
    now: Sequence[Document],
    affected: Sequence[_Lookup],
) -> tuple[list[Decided], str]:
    """The rows, and how it was compared."""
    if not affected:
        return [], "and none would be answered from anything else"
    try:
        with _trial(copy) as index:

            def put(documents: Sequence[Document]) -> None:
                text = copy.change.after or copy.change.before or ""
                index.put_file(collection, copy.path, Seen(len(text), 0, sha256(text.encode())[:32]), documents)

            put(before)
            was = _found(copy, affected, index.search)
            put(now)
            then = _found(copy, affected[: len(was)], index.search)
        return list(_rows(affected, was, then)), BY_INDEX
    except AdjutantError as error:
        why = told(error.message, DECISION)
    was = _found(copy, affected, lambda query: _by_words(query, before))
    then = _found(copy, affected, lambda query: _by_words(query, now))
    return list(_rows(affected, was, then)), ALONE.format(why)


@contextmanager
def _trial(copy: Copy) -> Iterator[Index]:
    """The index within a transaction that is taken back. Raises LockBusy, MirrorUnavailable, IoFailed."""
    app = copy.app
    if not os.path.isfile(app.tree.index):
        raise MirrorUnavailable("there is no search index yet")
    with app.files.lock("index", 0.0):
        index = Index(app.tree.index, app.say, _held, ranking.search)
        try:
            with index.together():
                yield index
                raise _Undone
        except _Undone:
            pass
        finally:
            index.close()


@contextmanager
def _held() -> Iterator[None]:
    """The lock that is held already."""
    yield


def _found(copy: Copy, lookups: Sequence[_Lookup], search: Callable[[Query], list[Hit]]) -> list[list[Found]]:
    """What each message would find; of the first ones only, where time is up."""
    found: list[list[Found]] = []
    for each in lookups:
        if copy.budget.over:
            break
        found.append(weather.chosen(search(each.query), each.wanted))
    return found


def _by_words(query: Query, held: Sequence[Document]) -> list[Hit]:
    """These documents as hits, each word as rare as can be."""
    wanted = Wanted(query.text)
    hits: list[Hit] = []
    for each in held:
        inside = wanted.held("\n".join((each.title, each.names, *each.tags, each.text, each.context))).keys()
        if inside & wanted.telling and not each.superseded:
            hits.append(Hit(each, float(len(inside)), {"terms": sorted(inside), "rarity": dict.fromkeys(inside, 1.0)}))
    return hits


# -- what differs --------------------------------------------------------------------------------------------


def _rows(lookups: Sequence[_Lookup], was: Sequence[list[Found]], now: Sequence[list[Found]]) -> Iterator[Decided]:
    """Messages that find another document, or another passage of the same."""
    for each, before, after in zip(lookups, was, now, strict=False):
        old, new = ({found.id: found for found in side} for side in (before, after))
        other = old.keys() ^ new.keys()
        if other:
            yield row(each.turn.ref, turn.NAME, each.turn.message, _named(before, other), _named(after, other))
            continue
        changed = next((id for id in old if old[id].passage != new[id].passage), None)
        if changed is not None:
            shown = [_around(side[changed].passage, each.wanted) for side in (old, new)]
            if shown[0] == shown[1]:
                shown = ["its passage as it was", "its passage as it would be"]
            yield row(each.turn.ref, turn.NAME, each.turn.message, *(f"finds {changed}: {text}" for text in shown))


def _named(found: Sequence[Found], other: Collection[str]) -> str:
    """Those of `other` that are found, each with its rank."""
    named = [f"{each.id} ({rank} of {len(found)})" for rank, each in enumerate(found, start=1) if each.id in other]
    if named:
        return f"finds {', '.join(named[:SHOWN])}"
    return f"finds {counted(len(found), 'other', 'others')}" if found else NOTHING


def _around(passage: str, wanted: Wanted) -> str:
    return told(excerpt.best(passage, dict.fromkeys(wanted.telling, 1.0), 4 * WORDS), WORDS)
