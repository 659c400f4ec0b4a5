"""SHELL. What the page shows: its six pages, why, a run, and a file at a line. It changes nothing."""

import json
import os
from collections.abc import Callable, Iterator
from itertools import groupby
from urllib.parse import urlencode

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from adjutant.app import Row
from adjutant.desk import Desk
from adjutant.domain.recall.showing import line_of
from adjutant.errors import AdjutantError, PageRefused
from adjutant.page.site import MOST_STREAMS, Site, site_of
from adjutant.records import conversation, period_file, queue, registry, usage
from adjutant.store import jsonl
from adjutant.store.tree import Tree

SESSION = "page"
MOST = {"Late": 20, "Today and tomorrow": 20, "This week": 12, "Waiting for": 8, "Open": 8, "Also noted": 0}
PART, MESSAGES, NOTES, EVENTS, DAYS, PERIODS, HITS, JOBS = 50, 12, 40, 30, 14, 8, 20, 20
COLLECTIONS = ("memory", "vault", "journal", "conversations", "skills", "slog")
TEXT, QUOTES = 6000, 5
AROUND, MOST_BYTES, LINE_CHARS = 150, 2 * 1024 * 1024, 1000
INSIDE = "./"  # begins the path of a file of the instance, whatever a knowledge base is called
OPENED = (
    *("identity", "prompts", "skills", "memory", "journal", "insights", "evolution", "knowledge_bases", "conflicts"),
    *("runs", "conversations", "today", "config", "outbox", "actions", "notices", "matters", "behavior_history"),
)


def _today(site: Site, request: Request) -> Row:
    query, view = request.query_params, site.day.view()
    if view is None:
        return {"reading": True}
    only = query.get("part", "")
    shown = view._asdict() | {"only": only, "several": len({each["kb"] for each in view.rows}) > 1}
    return shown | {
        "parts": list(_parts(site, view.rows, only, line_of(query.get("from")))),
        "now": site.desk.look("status").result,
        "told": site.desk.look("notices", "list").result["notices"][:5],
        "waits": sum(len(each) for each in _find_waiting(site.desk)),
    }


def _parts(site: Site, rows: list[Row], only: str, start: int) -> Iterator[Row]:
    """Each part with as many lines as a page has room for; one alone from a line on."""
    for title, group in groupby(rows, key=lambda each: str(each["part"])):
        every = list(group)
        if only in ("", title):
            shown = every[start : start + PART] if only else every[: MOST.get(title, 0)]
            matters = [site.bind("matter", each) | {"file": _open_matter(each)} for each in shown]
            yield {"title": title, "matters": matters, "left": len(every) - len(shown) - (start if only else 0)}


def _open_matter(each: Row) -> str:
    cited = each["evidence"][0]
    return _address(f"{each['kb']}/{cited['path']}", cited["line"])


def _why(site: Site, request: Request) -> Row:
    id = request.path_params["id"]
    chain = site.desk.look("why", "--", id).result["chain"]
    for link in chain:
        path = site.desk.tree.relative(link["path"] or "")
        link["file"] = _cite_path(site.desk, path if path.startswith("/") else INSIDE + path)
    return {"here": "today", "id": id, "chain": chain}


# -- approvals: everything that waits for a yes ----------------------------------------------------------------
def _approvals(site: Site, request: Request) -> Row:
    suggestions, candidates, proposals = _find_waiting(site.desk)
    every = [*(_suggestion(site, each["id"]) for each in suggestions), *(_candidate(site, each) for each in candidates)]
    every += [_proposal(site.desk, name) for name in proposals]
    every.sort(key=lambda each: str(each["since"]))  # the oldest first
    return {"waiting": every[:PART], "left": len(every) - PART}


def _find_waiting(desk: Desk) -> tuple[list[Row], list[Row], list[str]]:
    suggestions = desk.look("evolve", "list").result["suggestions"]
    candidates = desk.look("behavior", "candidates").result["candidates"]
    names = [name for name in desk.app("kb").files.names(desk.tree.conflicts) if not name.startswith(".")]
    return suggestions, candidates, [name for name in names if os.path.isfile(desk.tree.conflict(name))]


def _suggestion(site: Site, id: str) -> Row:
    each = site.desk.look("evolve", "show", id).result["suggestion"]
    quotes = [str(quote.get("text", "")) for quote in each["evidence"]][:QUOTES]
    shown = {"sort": "suggestion", "since": each["ts"], "file": _address(INSIDE + each["path"]), "quotes": quotes}
    return site.bind("suggestion", each) | shown | {"diff": each["diff"][:TEXT].split("\n") if each["diff"] else []}


def _candidate(site: Site, each: Row) -> Row:
    quotes = [str(quote.get("quote")) for quote in each.get("evidence") or [] if isinstance(quote, dict)][:QUOTES]
    shown = {"sort": "candidate", "kind": "directive", "title": f"{str(each['type']).upper()}: {each['text']}"}
    return site.bind("candidate", each) | shown | {"since": each["createdAt"], "quotes": quotes, "text": ""}


def _proposal(desk: Desk, name: str) -> Row:
    """A text that lost against a person's edit, or waits for their word: they take what they want of it by hand."""
    app, path, text, since = desk.app("kb"), desk.tree.conflict(name), "", ""
    try:
        text = app.files.read(path, 64 * 1024, cut=True).decode("utf-8", "replace")
        since = app.clock.local(os.stat(path).st_mtime).isoformat()
    except OSError:
        pass  # it was taken away meanwhile
    relative = desk.tree.relative(path)
    shown = {"sort": "proposal", "kind": "proposal", "id": name, "title": name, "since": since, "status": "pending"}
    return {**shown, "path": relative, "file": _address(INSIDE + relative), "text": text[:TEXT]}


# -- ask, memory, behaviour ------------------------------------------------------------------------------------
def _ask(site: Site, request: Request) -> Row:
    app, roles = site.desk.app("ask"), (conversation.OPERATOR, conversation.AGENT)
    found = jsonl.tail(app.files, app.tree.conversation(SESSION), 256 * 1024)
    talk = [each for each in found if isinstance(each.get("text"), str) and each.get("role") in roles][-2 * MESSAGES :]
    for each in talk:
        named = _name_matters(site, each["text"]) if each["role"] == conversation.AGENT else []
        cited = [_cite(site.desk, cited) for cited in each.get("citations") or [] if isinstance(cited, dict)]
        each["cited"] = named or cited[:6]
    return {"talk": talk, "message_id": os.urandom(8).hex(), "asked": request.query_params.get("q", "")[:500]}


def _name_matters(site: Site, text: str) -> list[Row]:
    """The matters that an answer tells, by the ids that its lines end with, each with the address of its line."""
    ids = [line.rpartition(" · ")[2].strip() for line in text.split("\n") if " · " in line][:12]
    found = []
    for each in filter(None, map(site.day.find_known, ids)):
        cited = each["evidence"][0]
        found.append({"path": f"{each['kb']}/{cited['path']}", "line": cited["line"], "file": _open_matter(each)})
    return found


def _cite(desk: Desk, cited: Row) -> Row:
    path, line = str(cited.get("path") or ""), line_of(cited.get("line"))
    return {"path": path, "line": line, "file": _cite_path(desk, path, line)}


def _memory(site: Site, request: Request) -> Row:
    query, look = request.query_params, site.desk.look
    words, within, workload = query.get("q", "").strip()[:500], query.get("in", ""), query.get("workload", "")
    shown: Row = {"query": words, "within": within, "workload": workload, "collections": COLLECTIONS, "hits": None}
    if words:
        options = ["--in", within] if within in COLLECTIONS else []
        options += ["--workload", workload] if workload else []
        shown["hits"] = look("search", "--limit", str(HITS), *options, "--", words).result["hits"]
        for each in shown["hits"]:
            each["file"] = _cite_path(site.desk, each["path"], line_of(each.get("anchor")))
    notes = [each for each in look("memory", "list").result["notes"] if not each["superseded_by"]][::-1]
    try:
        shown["wisdom"] = look("wisdom", "show").result["entries"]
    except AdjutantError:
        shown["wisdom"] = []  # doctor names it
    return shown | {
        "concepts": [each["id"] for each in look("taxonomy", "list").result["concepts"]][:60],
        "notes": [site.bind("note", each) for each in notes[:NOTES]],
        "many": len(notes),
        "periods": [(kind, _periods(site.desk, kind)) for kind in period_file.KINDS],
        "wisdom_file": _address(INSIDE + site.desk.tree.relative(site.desk.tree.wisdom)),
    }


def _periods(desk: Desk, kind: str) -> list[tuple[str, str]]:
    tree = desk.tree
    names = [name for name in desk.app("memory").files.names(getattr(tree, kind)) if name.endswith(".md")]
    newest = [name.removesuffix(".md") for name in sorted(names, reverse=True)[:PERIODS]]
    return [(name, _address(INSIDE + tree.relative(tree.period(kind, name)))) for name in newest]


def _behaviour(site: Site, request: Request) -> Row:
    look = site.desk.look
    contract = look("behavior", "list").result
    return {
        "contract": contract | {"directives": [site.bind("directive", each) for each in contract["directives"]]},
        "block": look("behavior", "show").result["block"],
        "events": look("behavior", "history", "--limit", str(EVENTS)).lines[::-1],
        "hashes": look("behavior", "stats").result["turns_by_hash"][::-1],
    }


# -- runs ---------------------------------------------------------------------------------
def _runs(site: Site, request: Request) -> Row:
    ledger = site.desk.look("ledger", "--tail", str(EVENTS))
    jobs = site.desk.look("job", "list", "--all").result["jobs"][:JOBS]
    for each in jobs:
        each["acts"] = [word for word, states in queue.ACTS.items() if each["status"] in states]
    return {
        "jobs": [site.bind("job", each) for each in jobs],
        "runs": site.desk.look("runs", "list").result["runs"][:EVENTS],
        "records": ledger.lines[-EVENTS:][::-1] if ledger.result["records"] else [],
        "days": _count_tokens(site.desk),
        "totals": site.desk.look("status").result["model"],
    }


def _count_tokens(desk: Desk) -> list[tuple[str, int, str]]:
    app, days, found = desk.app("runs"), dict[str, usage.UsageTotals](), []
    prices = app.config.prices()
    for record in jsonl.tail(app.files, app.tree.usage, 4 * 1024 * 1024):
        days.setdefault(str(record.get("ts"))[:10], usage.UsageTotals()).add_record(record, prices)
    for day, spent in sorted(days.items())[-DAYS:]:
        told = f"{day}: {spent.calls} calls, {spent.tokens:,} tokens{', ' + spent.told if spent.told else ''}"
        found.append((day, spent.tokens, told))
    return found


def _run(site: Site, request: Request) -> Row:
    replayed = request.query_params.get("replay") == "yes"
    found = site.desk.look("runs", "replay" if replayed else "show", "--", request.path_params["id"]).result
    app = site.desk.app("runs")
    for each in found["judgements"]:
        try:
            record = jsonl.read_object(app.files, app.tree.inside(each["path"])) or {}
        except AdjutantError:
            record = {}  # named among what is damaged
        prompt = record.get("prompt")
        each["prompt"] = _cut(str(prompt.get("text", "")) if isinstance(prompt, dict) else "")
        each["reply"] = _cut("\n\n".join(map(str, record.get("replies") or [])))
        each["came"] = _cut(json.dumps(record.get("result"), indent=1, ensure_ascii=False, default=str), 3000)
    records = site.desk.look("ledger", "--tail", "2000").result["records"]
    steps = [each for each in records if each.get("run") == found["run"]]
    return {"here": "runs", "run": found, "steps": steps, "replayed": replayed}


def _cut(text: str, most: int = TEXT) -> str:
    return text if len(text) <= most else f"{text[:most]}\n… {len(text) - most} characters more"


# -- files to read: the folders of the instance that hold words, and knowledge bases ------------------------------
def _file(site: Site, request: Request) -> Row:
    query = request.query_params
    return {"here": "", "file": _read(site.desk, query.get("path", ""), line_of(query.get("line")))}


def _address(path: str, line: int = 0) -> str:
    """Where the page shows a file: its path in the instance, `kb/path` in a knowledge base, or an absolute one."""
    at = {"line": str(line)} if line else {}
    return f"/file?{urlencode({'path': path} | at, errors='replace')}" + (f"#L{line}" if line else "")


def _cite_path(desk: Desk, path: str, line: int = 0) -> str:
    """The address of a path, or path:line, that a verb names; "" where the page opens no such file."""
    before, _, number = path.rpartition(":")
    if found := line_of(number):
        path, line = before, line or found
    try:
        _place(desk, path)
    except PageRefused:
        return ""
    return _address(path, line)


def _read(desk: Desk, path: str, line: int) -> Row:
    """Its `title`, `lines` from `first` on, those around `line`, of `total`. Raises PageRefused."""
    title, place = _place(desk, path)
    try:
        text = desk.app("kb").files.read(place, MOST_BYTES, cut=True).decode("utf-8", "replace")
    except (OSError, ValueError):
        raise PageRefused("There is no such file here.") from None
    lines = [each[:LINE_CHARS] for each in text.split("\n")]
    first = max(0, line - 1 - AROUND)
    shown = lines[first : first + 2 * AROUND]
    return {"title": title, "lines": shown, "first": first + 1, "total": len(lines), "line": line}


def _place(desk: Desk, path: str) -> tuple[str, str]:
    """(title, absolute path) of what may be opened. Raises PageRefused."""
    kb, rest, folder = "", path.removeprefix(INSIDE), desk.tree.root
    for each in registry.load(desk.app("kb").files) if not path.startswith(INSIDE) else ():
        for begins in (f"{each.folder}/", f"{each.name}/"):
            if path.startswith(begins):
                kb, rest, folder = f"{each.name}: ", path[len(begins) :], each.folder
    hidden = any(part.startswith(".") for part in rest.split("/") if part != ".sample")
    if "\0" not in rest and not rest.startswith("/") and not hidden:
        place, root = os.path.realpath(os.path.join(folder, rest)), os.path.realpath(folder)
        if place.startswith(f"{root}/") and (kb or _may_open(desk.tree, place[len(root) + 1 :])):
            return f"{kb}{rest}", place
    raise PageRefused("This page opens no such file.")


def _may_open(tree: Tree, path: str) -> bool:
    """Whether a path of the instance is one of words: none of its secrets, keys, caches, or switches."""
    place, opened = tree.inside(path), [getattr(tree, name) for name in OPENED]
    return any(place == each or place.startswith(f"{each}/") for each in opened)


async def live(request: Request) -> Response:
    """The stream that says when something changed."""
    site = site_of(request)
    if site.streams >= MOST_STREAMS:
        raise HTTPException(429, "Too many open pages.")
    return StreamingResponse(site.tail(), media_type="text/event-stream")


def _route(path: str, view: Callable[[Site, Request], Row], name: str) -> Route:
    def show(request: Request) -> Response:
        site = site_of(request)
        return site.page(request, f"{name}.html", **view(site, request))

    return Route(path, show, methods=["GET"])


VIEWS = {"/why/{id}": _why, "/runs/{id}": _run}
VIEWS |= {f"/{each.__name__[1:]}": each for each in (_today, _approvals, _ask, _memory, _behaviour, _runs, _file)}
ROUTES = [
    Route("/", lambda request: RedirectResponse("/today", 303), methods=["GET"]),
    *(_route(path, view, view.__name__[1:]) for path, view in VIEWS.items()),
    Route("/live", live, methods=["GET"]),
]
