"""DOMAIN. The mirrors on servers: brought up to the index and the contract, asked where they hold what those hold."""

import re
import unicodedata
from collections.abc import Collection as Several
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from typing import Any

from adjutant.app import App
from adjutant.domain.recall import ranking
from adjutant.domain.recall.indexing import Drift
from adjutant.domain.recall.places import TABLE, Collection
from adjutant.domain.recall.question import beginnings, calendar, read_question
from adjutant.errors import AdjutantError, ConfigInvalid, FileDamaged, IoFailed, MirrorDiffers, MirrorUnavailable
from adjutant.index_ports import Document, Hit, Query, ServerIndex
from adjutant.language.pack import cached, listed
from adjutant.language.stems import stem_by
from adjutant.records import behavior_history
from adjutant.records import contract as contracts
from adjutant.records.mirror_state import explain, note, read_noted
from adjutant.store.index import Index
from adjutant.store.index_tables import UNSPACED

BEHIND = "behind typesense"  # kept in the index: who took in what that Typesense may lack, "RUN COLLECTION…"
TOLD = "told of typesense"  # kept in the index: what a search has said of it, until it answers again
SEARCH_PUSHES = 500  # documents that a search pushes at most; what is more is for `index`
GATE_EVERY = 200
TAKEN_OVER = (
    "{}: what another instance of this name put there is this one's now; where both are in use, "
    "give one another `instance.name`"
)
BRINGS_UP = " (`adjutant index` brings it up)"
TROUBLE = (MirrorUnavailable, ConfigInvalid, FileDamaged)  # of one mirror; it keeps nothing from the others


def mark(app: App, index: Index, collections: Several[Collection]) -> None:
    """Called under the index lock before these are taken in: a run that is killed leaves no Typesense that lies."""
    if app.config.addresses("typesense.nodes"):
        keys = {*(each.key for each in collections), *index.read_kept(BEHIND).split()[1:]}
        index.keep(BEHIND, " ".join([app.run, *sorted(keys)]))


def answer(app: App, index: Index, query: Query) -> tuple[list[Hit], str]:
    """The hits, and which index gave them: Typesense where it is chosen and holds all that the index holds. Else the
    index, which is said once until Typesense answers again: also where its key is missing. Raises IoFailed."""
    if app.config.text("retrieval.backend") == "typesense":
        try:
            if (server := app.typesense()) is None:
                return index.search(query), index.name
            with closing(server):
                brought_up = _behind(index)
                _bring_up(app, index, server, brought_up, SEARCH_PUSHES)
                server.hurry()
                # It says that it is healthy before it has read its log again: what it holds by then is not all.
                wanted, there = index.counts(), server.counts()
                for key in query.collections:
                    if wanted.get(key, 0) != there.get(key, 0):
                        short = f"{there.get(key, 0)} documents of {key}, not {wanted.get(key, 0)}"
                        raise MirrorDiffers(f"{server.name} at {server.place} holds {short}{BRINGS_UP}")
                held = find_holders(server, query)
            # The server says which documents hold a word; what stands in them, and their order, is the index's own:
            # whoever else may write there changes nothing that is shown.
            hits = index.look_up(lambda lookup: ranking.search(lookup, query, held))
            _remember(index, "")
            note(app, "typesense", None, _behind(index), _drift_but(app, brought_up), always=False)
            return hits, server.name
        except TROUBLE as error:
            if index.read_kept(TOLD) != error.code:
                app.say(f"{explain(error)}; searched in {index.name} instead")
            _remember(index, error.code)
            note(app, "typesense", error, _behind(index), None, always=False)
    return index.search(query), index.name


def _behind(index: Index) -> list[str]:
    return index.read_kept(BEHIND).split()[1:]


def _remember(index: Index, said: str) -> None:
    """What a search has said of Typesense; one that cannot be kept is said again, and the search goes on."""
    if index.read_kept(TOLD) != said:
        with suppress(MirrorUnavailable, IoFailed):
            index.keep(TOLD, said)


def _drift_but(app: App, keys: Several[str]) -> list[str]:
    return [each for each in read_noted(app.files, "typesense", "drift") if each.partition(":")[0] not in keys]


def _read_gated(app: App, index: Index, key: str) -> Iterator[Document]:
    for number, each in enumerate(index.documents(key)):
        if number % GATE_EVERY == 0:
            app.gate()
        yield each


def bring_up(
    app: App, index: Index, collections: Several[Collection], *, full: bool, take_over: bool
) -> tuple[dict[str, str], bool]:
    """({mirror: "ok", or why not} of every one that is configured, whether Redis took a contract), one after the other;
    one that is away keeps nothing from the others. `full`: Typesense is made anew when all collections are meant.
    `take_over`: what another instance of the same name put there is this one's now. Raises Stopped, IoFailed."""
    told, pushed, keys = dict[str, str](), False, [each.key for each in collections]
    try:
        if (server := app.typesense()) is not None:
            app.progress("index: Typesense")
            with closing(server):
                if take_over and server.take_over():
                    app.say(TAKEN_OVER.format(server.name))
                _bring_up(app, index, server, keys, anew=full and len(keys) == len(TABLE))
            told["typesense"] = "ok"
            _remember(index, "")
            note(app, "typesense", None, _behind(index), _drift_but(app, keys))
    except TROUBLE as error:
        told["typesense"] = explain(error)
        note(app, "typesense", error, _behind(index), None)
    try:
        if (cache := app.redis()) is not None:
            if take_over and cache.take_over():
                app.say(TAKEN_OVER.format(cache.name))
            contract = _contract(app)
            if contract is None:
                cache.forget()
            else:  # as its file has it, whatever stood there
                pushed = cache.push(*contract, force=True)
            told["redis"] = "ok"
            note(app, "redis", holds=contract[:2] if contract is not None else None)
    except TROUBLE as error:
        told["redis"] = explain(error)
        note(app, "redis", error, ["behavior"] if app.files.exists(app.tree.contract) else [], None)
    return told, pushed


def _bring_up(
    app: App, index: Index, server: ServerIndex, keys: Several[str], most: int | None = None, *, anew: bool = False
) -> None:
    """Raises MirrorUnavailable, also where `most` documents are not enough for a collection."""
    marked = index.read_kept(BEHIND)
    if anew:
        server.rebuild(each for key in keys for each in _read_gated(app, index, key))
    elif most is None:
        server.upsert(())  # a collection without documents is one that can be searched
    for key in () if anew else keys:
        held = server.fingerprints(key)  # first: what a search adds to both meanwhile is then nothing to be deleted
        wanted = index.fingerprints(key)
        changed = {name for name, print in wanted.items() if held.get(name) != print}
        gone = sorted(held.keys() - wanted.keys())
        if most is not None and len(changed) + len(gone) > most:
            raise MirrorDiffers(f"{server.name} is {len(changed) + len(gone)} documents behind{BRINGS_UP}")
        if gone:
            server.delete(key, gone)
        if changed:
            server.upsert(each for each in _read_gated(app, index, key) if each.id in changed)
    if marked and set(marked.split()[1:]) <= set(keys) and index.read_kept(BEHIND) == marked:
        index.keep(BEHIND, "")


def _contract(app: App) -> tuple[int, str, str] | None:
    """(version, hash, JSON) of the behaviour contract as its file has it; None when there is none. Raises
    MirrorUnavailable for one that cannot be read: no copy is made of that."""
    try:
        found = behavior_history.read_contract(app.files)
    except AdjutantError as error:
        raise MirrorDiffers(f"not pushed: {error.message}", error.fix) from None
    return (found.version, found.hash, contracts.text_of(found)) if found.version else None


def drifts(app: App, index: Index, wanted: dict[str, dict[str, str]]) -> Iterator[tuple[str, Drift | str]]:
    """(mirror, how it differs) for every mirror and collection, or (mirror, why it cannot be compared). `wanted`:
    {collection: {id: source_sha}} as the files have it."""
    for name in ("typesense", "redis"):
        try:
            found = _compare(app, index, wanted) if name == "typesense" else _compare_contract(app)
        except TROUBLE as error:
            note(app, name, error, read_noted(app.files, name, "pending"), None)
            yield name, explain(error)
            continue
        if found is not None:
            said = "{0.collection}: {1} missing, {2} extra, {3} stale"
            told = [said.format(each, *map(len, (each.missing, each.extra, each.stale))) for each in found if each]
            note(app, name, None, read_noted(app.files, name, "pending") if told else (), told)
            yield from ((name, each) for each in found)


def _compare(app: App, index: Index, wanted: dict[str, dict[str, str]]) -> list[Drift] | None:
    """None where it is not configured. Raises MirrorUnavailable, ConfigInvalid, FileDamaged."""
    if (server := app.typesense()) is None:
        return None
    with closing(server):
        found = [Drift(key, prints, server.fingerprints(key), 0) for key, prints in wanted.items()]
        for drift in found:
            altered = server.find_altered(drift.collection, index.documents(drift.collection)) & drift.wanted.keys()
            drift.stale = sorted({*drift.stale, *altered})
    return found


def _compare_contract(app: App) -> list[Drift] | None:
    if (cache := app.redis()) is None:
        return None
    contract, held = _contract(app), cache.read()
    there = {} if contract is None else {"contract": contract[2]}
    return [Drift("behavior", there, {} if held is None else {"contract": held}, 0)]


def findings(app: App) -> Iterator[tuple[str, str, str, str]]:
    """(name, problem, what is said where there is none, fix) of every mirror and model that is asked for."""
    for name, make in (("typesense", app.typesense), ("redis", app.redis), ("semantic", app.embedder)):
        try:
            mirror: Any = make()
            if mirror is not None and name == "semantic":
                yield name, "", "its model is installed", ""
            elif mirror is not None and name == "redis":
                yield name, "", "can be reached" + ("" if mirror.read() is not None else "; it holds no contract"), ""
            elif mirror is not None:
                with closing(mirror):
                    told = f"{mirror.version()} at {mirror.place} holds {sum(mirror.counts().values())} documents"
                yield name, "", told, ""
        except AdjutantError as error:
            yield name, error.message, "", error.fix


# -- words as a server without stems can match them, and which documents it says hold those of a question -------
LONGEST = 40
MOST_TOKENS = 32  # of one question
PORTER = "porter"
WORD = re.compile(r"[^\W_]+")
_QUOTED = re.compile(r'"([^"]+)"')


def find_holders(server: ServerIndex, query: Query) -> dict[str, set[str]]:
    """{collection: ids} of the documents that hold any word of a question; where none is held, of longer words that
    begin so. Asked one by one: such a server ranks only documents that hold all. Raises MirrorUnavailable."""
    read = read_question(query.text)
    for terms, begun in ((read.terms, False), (beginnings(read), True)):
        # A term's `match` is an expression of FTS5: alternatives, each one word or several that must all be there.
        alternatives = (each for term in terms for each in term.match.split(" OR "))
        every = (" ".join(map(stem, _QUOTED.findall(each))) for each in alternatives)
        wanted = list(dict.fromkeys(token for token in every if token))[:MOST_TOKENS]
        found = server.find_holders(query, wanted, beginnings=begun) if wanted and query.collections else {}
        if any(found.values()):
            return found
    return {}


def tokens(text: str) -> list[str]:
    """The words of `text` in order, stemmed, in a-z and 0-9; what knows no blanks by characters and pairs."""
    found: list[str] = []
    for word in WORD.findall(_plain(text)):
        if word.isascii():
            found.append(stem(word))
            continue
        for run in UNSPACED.findall(word):
            found += [stem(part) for at in range(len(run)) for part in (run[at], run[at : at + 2])]
        found += [stem(part) for part in UNSPACED.sub(" ", word).split()]
    return found


@cached(65536)
def stem(word: str) -> str:
    """One token for all forms of a plain word: Porter's stem; hexadecimal where it has other letters than a-z. No
    server takes such a token apart, folds it, or finds it in another."""
    (base,) = calendar().get(_plain(word), (_plain(word),))
    if base.isascii():
        found = stem_by(base[:LONGEST], PORTER)
        return _bases().get(found, found)
    return "z" + base.encode("utf-8", "replace").hex()[: 4 * LONGEST]


@cached(1)
def _bases() -> Mapping[str, str]:
    """{stem of a word: stem of the longest of its forms}: a beginning is looked for in that one."""
    groups = [sorted(group.split(), key=lambda word: (len(word), word)) for group in sorted(listed("words", "forms"))]
    return {stem_by(word, PORTER): stem_by(group[-1], PORTER) for group in groups for word in group}


def _plain(text: str) -> str:
    if text.isascii():
        return text.lower()
    parts = unicodedata.normalize("NFKD", text.casefold())
    return unicodedata.normalize("NFC", "".join(each for each in parts if not 0x300 <= ord(each) <= 0x36F))
