"""DOMAIN. The one query: what changed is taken in first, then the index is asked."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from typing import Any, NamedTuple, TypeVar

from adjutant.app import App, Args, Outcome
from adjutant.domain.recall import indexing, ranking, servers, showing
from adjutant.domain.recall.indexing import Pass, SourceReader
from adjutant.domain.recall.places import AGED, ALWAYS, DEFAULT, SUMMARIES, Collection, Places
from adjutant.domain.recall.sources.parts import base_tag
from adjutant.domain.telemetry import spans
from adjutant.errors import IoFailed, LockBusy, MirrorUnavailable, SearchInvalid, UsageError
from adjutant.index_ports import Hit, Query
from adjutant.store.files import DATA_LOCK_WAIT, Files
from adjutant.store.index import IN_MEMORY, Index
from adjutant.store.own_secrets import SHORTEST_SOUGHT, own_secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from adjutant.domain.recall.answer_lines import FoundAnswer
    from adjutant.domain.recall.wanted import Wanted

T = TypeVar("T")
SCAN_SECONDS = 60
STEP = 100  # files between two signs of progress
TEXT_CHARS = 4000
SHIPPED = ("agent_skills", "agent")  # a skill as it came with the package: how to go about it, and no answer


class Mirror:
    """The index of an instance, the lock that its writers share, and a reader of the files it is made of. `step`: see
    Reader. The lock is taken once: within it, a repair of the index's file asks for no second one. `in_memory`: an
    index that no file is made of and no lock is needed for; `base`: of this knowledge base alone."""

    def __init__(
        self, app: App, step: Callable[[int], None] | None = None, *, in_memory: bool = False, base: str = ""
    ) -> None:
        self._files = Files(app.tree)  # what a dry run only would write is nothing to be found
        self._held = self.in_memory = in_memory
        secrets = own_secrets(self._files, app.secret, {})  # cron has another environment: they would index to and fro
        secrets = {value: name for value, name in secrets.items() if len(value) >= SHORTEST_SOUGHT}
        places = Places(self._files, app.config, app.clock, base)
        self.reader = SourceReader(places, app.clock.machine_ns(), secrets, step)
        embedder = None
        try:
            embedder = None if in_memory else app.embedder()
        except MirrorUnavailable as error:
            app.say(f"{error.message}; words alone decide until then: {error.fix}")
        path = IN_MEMORY if in_memory else app.tree.index
        self.index = Index(path, app.say, self.lock, ranking.search, embedder)

    @contextmanager
    def lock(self, wait: float = DATA_LOCK_WAIT) -> Iterator[None]:
        """The data lock `index`. Raises LockBusy, IoFailed."""
        if self._held:
            yield
            return
        with self._files.lock("index", wait):
            self._held = True
            try:
                yield
            finally:
                self._held = False

    def heal(self, work: Callable[[], T]) -> T:
        """What `work` gives; where the file was damaged and made anew under it, done once more, from the beginning."""
        self.index.anew = False
        try:
            found = work()
        except MirrorUnavailable:
            if not self.index.anew:
                raise
            return work()
        return work() if self.index.anew else found


class SearchResult(NamedTuple):
    """Hits, best first; `backend` that found them; `fresh`: False when another process held the index lock. `answers`:
    the lines that answer, where an answer was wanted."""

    hits: list[Hit]
    backend: str
    fresh: bool
    answers: Sequence[FoundAnswer] = ()


def search(
    app: App,
    text: str,
    *,
    collections: tuple[Collection, ...] = DEFAULT,
    workload: str | None = None,
    since: str | None = None,
    limit: int | None = None,
    fresh: bool = False,
    about: str = "",
    but: str = "",
    level: int = SUMMARIES,
    base: str = "",
    in_memory: bool = False,
    wanted: Wanted | None = None,
) -> SearchResult:
    """The documents that answer `text`, which may be any text. `fresh`: vault and knowledge bases are looked at now.
    `workload` leaves out what is filed elsewhere; `about`, a concept, only lifts what is filed under it. `but`: the
    path of a conversation that is left out; `level`: of summaries that are wanted at most; `base`: a knowledge base, in
    which alone is searched, up to date whatever holds the index. `wanted`: what an answer is to be found for. Where the
    index cannot be used, and with `in_memory`, the files are read into one in memory. What could not be read is said
    once. Raises SearchInvalid (workload, since, limit), TaxonomyInvalid, IoFailed."""
    query = Query(
        text=text.encode("utf-8", "replace").decode(),
        collections=tuple(each.key for each in collections),
        concepts=_concepts(app, workload),
        since=_since(app, since),
        limit=_limit(app, limit),
        now=app.clock.now().isoformat(),
        concept=about,
        tag=base_tag(base) if base else "",
        but=but,
        level=level,
    )

    def step(files: int) -> None:
        if files % STEP == 0:
            app.progress(f"taking in: {files} files")

    def within(*, in_memory: bool) -> SearchResult:
        mirror, now = Mirror(app, step, in_memory=in_memory, base=base if in_memory else ""), fresh or in_memory
        with closing(mirror.index):
            return mirror.heal(lambda: _ask(app, mirror, query, collections, fresh=now, wanted=wanted))

    try:
        operation = "search_memory" if [each.name for each in collections] == ["memory"] else "retrieval"
        with spans.share(app).span("retrieval", workload=workload, **spans.gen_ai(operation__name=operation)) as span:
            try:
                found = within(in_memory=in_memory)
            except (IoFailed, MirrorUnavailable, LockBusy) as error:
                app.say(f"the index cannot be used, so the files are read: {error.message}")
                found = within(in_memory=True)
            if base and not found.fresh:
                found = within(in_memory=True)
            name = app.config.text("retrieval.backend")
            fallback = name if name != found.backend else None
            span.set(backend=found.backend, hits=len(found.hits), fresh=found.fresh, fallback=fallback)
            return found
    finally:
        app.progress("")


def _ask(
    app: App, mirror: Mirror, query: Query, collections: tuple[Collection, ...], *, fresh: bool, wanted: Wanted | None
) -> SearchResult:
    taken = freshen(app, mirror, collections, fresh)
    if mirror.in_memory or query.tag:
        hits, backend = mirror.index.search(query), mirror.index.name
    else:
        indexing.catch_up(app, mirror.index, mirror.lock)
        hits, backend = servers.answer(app, mirror.index, query)
    if wanted is None:
        return SearchResult(hits, backend, taken)
    found = _find_answers(mirror, wanted, hits)
    if not any(each.certain for each in found):
        wider = _find_answers(mirror, wanted.widen(), mirror.index.search(query._replace(wider=True)))
        found = wider if any(each.certain for each in wider) else found
    return SearchResult(hits, backend, taken, found)


def _find_answers(mirror: Mirror, wanted: Wanted, hits: list[Hit]) -> Sequence[FoundAnswer]:
    from adjutant.domain.recall import answers  # only where an answer is wanted

    own = [hit for hit in hits if (hit.document.collection, hit.document.trust) != SHIPPED]
    safe = [hit._replace(document=showing.safe(hit.document)) for hit in own]
    return mirror.index.look_up(lambda lookup: answers.find(wanted, safe, lookup.beside))


def tell(app: App, text: str, collections: tuple[Collection, ...], args: Args) -> Outcome:
    """What a search by hand finds. Raises as `search`."""
    fresh = getattr(args, "fresh", False)
    wanted = {"workload": args.workload, "since": args.since, "limit": args.limit}
    found = search(app, text, collections=collections, fresh=fresh, **wanted)
    rows = [show(hit, args.explain) for hit in found.hits]
    lines = showing.lines(found.hits, text, explain=args.explain)
    return Outcome({"hits": rows, "backend": found.backend, "fresh": found.fresh}, lines)


def show(hit: Hit, explain: bool = False) -> dict[str, Any]:
    """A hit as results print it; `why` it was found with `explain`."""
    document = hit.document
    text = showing.cut(showing.whole(document), TEXT_CHARS)
    row = {key: getattr(document, key) for key in ("id", "collection", "title", "path", "anchor")}
    row |= {"text": text, "score": round(hit.score, 4), "concepts": list(document.concepts)}
    row |= {"created_at": document.created_at, "trust": document.trust}
    return {**row, "why": hit.why} if explain else row


def freshen(app: App, mirror: Mirror, collections: tuple[Collection, ...], force: bool) -> bool:
    """Takes in what changed in those of `collections` that a search looks at; False when another process is at it."""
    index, reader = mirror.index, mirror.reader
    always = [each for each in collections if each.taken_in == ALWAYS]
    aged = [each for each in collections if each.taken_in == AGED and (force or _is_old(app, index, each))]
    if not aged and not any(Pass(index, reader, each).look() for each in always):
        return True
    try:
        with mirror.lock(0):
            for each in (*always, *aged):
                one = Pass(index, reader, each)
                if one.look():
                    servers.mark(app, index, (each,))
                for line in one.take_in().news:
                    app.say(line)
            note_scan(app, index, aged)
    except LockBusy:
        return False
    for problem in dict.fromkeys(reader.places.problems):
        app.say(problem)
    return True


def note_scan(app: App, index: Index, collections: Iterable[Collection]) -> None:
    """Remembers that the files of these were looked at now."""
    for each in collections:
        if each.taken_in == AGED:
            index.keep(f"scanned {each.key}", f"{app.clock.now().timestamp()} {_roots(app, each)}")


def look_again(app: App) -> None:
    """The next search looks at the knowledge bases' files, however lately one did. An index that is busy or broken is
    left alone: the files are found a minute later."""
    if not app.files.exists(app.tree.index):
        return
    with suppress(IoFailed, LockBusy, MirrorUnavailable), closing(Mirror(app).index) as index:
        index.keep("scanned kb", "")


def _is_old(app: App, index: Index, collection: Collection) -> bool:
    moment, _, roots = index.read_kept(f"scanned {collection.key}").partition(" ")
    with suppress(ValueError):  # never, or the index is damaged
        age = app.clock.now().timestamp() - float(moment)
        return not 0 <= age <= SCAN_SECONDS or roots != _roots(app, collection)
    return True


def _roots(app: App, collection: Collection) -> str:
    if collection.name == "vault":
        return repr(app.config.values["retrieval.vault"])
    try:
        return str(os.stat(app.tree.registry).st_mtime_ns)
    except OSError:
        return ""


def _concepts(app: App, workload: str | None) -> tuple[str, ...]:
    if workload is None:
        return ()
    from adjutant.domain.recall import taxonomy  # YAML: only a search within a workload pays for it

    scheme = taxonomy.load(app.files)
    try:
        return scheme.expand(scheme.resolve(workload))
    except UsageError as error:
        valid = [concept.removeprefix(taxonomy.PREFIX) for concept in scheme.tops()]
        message = f"{error.message}; workloads are {', '.join(valid)}"
        raise SearchInvalid(message, error.fix, {"valid": valid}) from None


def _since(app: App, since: str | None) -> str:
    if since is None:
        return ""
    try:
        return app.clock.parse(since.strip()).isoformat()
    except ValueError:
        message = f"--since {since[:40]}: a day, YYYY-MM-DD, or an ISO-8601 time"
        raise SearchInvalid(message, "for example --since 2026-11-20") from None


def _limit(app: App, limit: int | None) -> int:
    if limit is None:
        return app.config.whole("retrieval.limit")
    if not 1 <= limit <= 100:
        raise SearchInvalid(f"--limit {limit}: a whole number from 1 to 100")
    return limit
