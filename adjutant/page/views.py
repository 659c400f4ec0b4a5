"""SHELL. What the page shows: Today, Ask, Memory, Behaviour, Runs, and a file at a line. It changes nothing."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any
from urllib.parse import urlencode

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from adjutant.app import Row
from adjutant.domain.recall.showing import line_of
from adjutant.errors import AdjutantError
from adjutant.page import opening, waiting
from adjutant.page.site import Site, site_of
from adjutant.records import conversation, period_file, queue, usage
from adjutant.store import jsonl

SESSION = "page"
MOST = {"Late": 20, "Today and tomorrow": 20, "This week": 12, "Waiting for": 8, "Open": 8, "Also noted": 0}
PART, MESSAGES, NOTES, EVENTS, DAYS, PERIODS, HITS, JOBS = 50, 12, 40, 30, 14, 8, 20, 20
COLLECTIONS = ("memory", "vault", "journal", "conversations", "skills", "slog")


def _today(request: Request) -> Response:
    site = site_of(request)
    view = site.day.view()
    if view is None:
        return site.pages.page(request, "reading.html", here="today")
    status = site.desk.look("status").result
    only, start = request.query_params.get("part", ""), _number(request.query_params.get("from", "0"))
    return site.pages.page(
        request,
        "today.html",
        parts=list(_parts(site, view.rows, only, start)),
        only=only,
        several=len({each["kb"] for each in view.rows}) > 1,
        settled=view.settled[:10],
        unread=view.unread,
        error=view.error,
        now=status,
        told=site.desk.look("notices", "list").result["notices"][:5],
        waits=waiting.count(site.desk),
        written=len(view.rows),
    )


def _parts(site: Site, rows: list[Row], only: str, start: int) -> Iterator[Row]:
    """Each part with as many lines as a page has room for; one alone from a line on."""
    for title, group in groupby(rows, key=lambda each: str(each["part"])):
        every = list(group)
        if only and title != only:
            continue
        shown = every[start : start + PART] if only else every[: MOST.get(title, 0)]
        bound = [each | {"seen": site.seen.show(*matter_shown(each))} for each in shown]
        yield {"title": title, "matters": bound, "left": len(every) - len(shown) - (start if only else 0)}


def matter_shown(each: Mapping[str, Any]) -> tuple[Row, str]:
    """What of a matter a form is bound to, and its words, to be shown beside what it became."""
    cited = each["evidence"][0]
    parts = (each["said"], each["spoken"], f"{each['kb']}: {cited['path']}:{cited['line']}", cited["quote"])
    bound = ("id", "said", "spoken", "severity", "kb", "evidence", "certainty")
    return {key: each.get(key) for key in bound}, "\n".join(filter(None, parts))


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 8 else 0


def _why(request: Request) -> Response:
    site, id = site_of(request), request.path_params["id"]
    chain = site.desk.look("why", "--", id).result["chain"]
    for link in chain:
        link["file"] = opening.address(site.desk.tree, link["path"]) if link["path"] else ""
    return site.pages.page(request, "why.html", here="today", id=id, chain=chain)


def _approvals(request: Request) -> Response:
    site = site_of(request)
    every = waiting.everything(site.desk)
    for each in every:
        each["seen"] = site.seen.show(*each["shown"])
    return site.pages.page(request, "approvals.html", waiting=every[:PART], left=len(every) - PART)


def _ask(request: Request) -> Response:
    site = site_of(request)
    app = site.desk.app("ask")
    try:
        data = app.files.tail(app.tree.conversation(SESSION), 256 * 1024)
    except FileNotFoundError:
        data = b""
    found = [each for _, each in jsonl.parse(data) if each is not None and isinstance(each.get("text"), str)]
    talk = [each for each in found if each.get("role") in (conversation.OPERATOR, conversation.AGENT)][-2 * MESSAGES :]
    for each in talk:
        named = _name_matters(site, each["text"]) if each["role"] == conversation.AGENT else []
        cited = [_cite(site, cited) for cited in each.get("citations") or [] if isinstance(cited, dict)]
        each["cited"] = named or cited[:6]
    asked = request.query_params.get("q", "")[:500]
    return site.pages.page(request, "ask.html", talk=talk, message_id=os.urandom(8).hex(), asked=asked)


def _name_matters(site: Site, text: str) -> list[Row]:
    """The matters that an answer tells, by the ids that its lines end with, each with the address of its line."""
    ids = [line.rpartition(" · ")[2].strip() for line in text.split("\n") if " · " in line][:12]
    found = []
    for each in filter(None, map(site.day.find_known, ids)):
        kb, cited = each["kb"], each["evidence"][0]
        query = urlencode({"kb": kb, "path": cited["path"], "line": cited["line"]}, errors="replace")
        file = f"/file?{query}#L{cited['line']}"
        found.append({"path": f"{kb}/{cited['path']}", "line": cited["line"], "file": file})
    return found


def _cite(site: Site, cited: Mapping[str, Any]) -> Row:
    """A citation with the address that opens its file at the line."""
    path, line = str(cited.get("path") or ""), cited.get("line")
    return {**cited, "path": path, "file": opening.cite(site.desk, path, line if isinstance(line, int) else 0)}


def _memory(request: Request) -> Response:
    site, query = site_of(request), request.query_params
    words, within, workload = query.get("q", "").strip()[:500], query.get("in", ""), query.get("workload", "")
    hits = None
    if words:
        options = ["--in", within] if within in COLLECTIONS else []
        options += ["--workload", workload] if workload else []
        hits = site.desk.look("search", "--limit", str(HITS), *options, "--", words).result["hits"]
        for each in hits:
            each["file"] = opening.cite(site.desk, each["path"], line_of(each.get("anchor")))
    tree, app = site.desk.tree, site.desk.app("memory")
    periods = []
    for kind in period_file.KINDS:
        names = [name.removesuffix(".md") for name in app.files.names(getattr(tree, kind)) if name.endswith(".md")]
        paths = [(name, tree.relative(tree.period(kind, name))) for name in sorted(names, reverse=True)[:PERIODS]]
        periods.append((kind, [(name, opening.inside(path)) for name, path in paths]))
    notes = [each for each in site.desk.look("memory", "list").result["notes"] if not each["superseded_by"]][::-1]
    for each in notes[:NOTES]:
        each["seen"] = site.seen.show(*note_shown(each))
    concepts = site.desk.look("taxonomy", "list").result["concepts"]
    try:
        wisdom = site.desk.look("wisdom", "show").result["entries"]
    except AdjutantError:
        wisdom = []  # doctor names it
    return site.pages.page(
        request,
        "memory.html",
        query=words,
        within=within,
        workload=workload,
        collections=COLLECTIONS,
        concepts=[each["id"] for each in concepts if each.get("id")][:60],
        hits=hits,
        notes=notes[:NOTES],
        many=len(notes),
        periods=periods,
        wisdom=wisdom,
        wisdom_file=opening.inside(app.tree.relative(app.tree.wisdom)),
    )


def note_shown(each: Mapping[str, Any]) -> tuple[Row, str]:
    """As matter_shown, of a note."""
    bound = {key: each[key] for key in ("id", "title", "type", "trust", "reinforced", "superseded_by")}
    return bound, f"{each['title']} ({each['type']}, {each['trust']})"


def _behaviour(request: Request) -> Response:
    site = site_of(request)
    look = site.desk.look
    listed = look("behavior", "list").result
    for each in listed["directives"]:
        each["seen"] = site.seen.show(*directive_shown(each))
    return site.pages.page(
        request,
        "behaviour.html",
        contract=listed,
        block=look("behavior", "show").result["block"],
        events=look("behavior", "history", "--limit", str(EVENTS)).lines[::-1],
        hashes=look("behavior", "stats").result["turns_by_hash"][::-1],
    )


def directive_shown(each: Mapping[str, Any]) -> tuple[Row, str]:
    """As matter_shown, of a directive."""
    return {key: each[key] for key in ("id", "type", "text")}, f"{each['type']}: {each['text']}"


def _runs(request: Request) -> Response:
    site = site_of(request)
    ledger = site.desk.look("ledger", "--tail", str(EVENTS))
    pairs = zip(ledger.result["records"], ledger.lines[-EVENTS:], strict=False)
    records = [{**record, "line": line} for record, line in pairs]
    return site.pages.page(
        request,
        "runs.html",
        jobs=list(_jobs(site)),
        runs=site.desk.look("runs", "list").result["runs"][:EVENTS],
        records=records[::-1],
        days=_spent(site),
        totals=site.desk.look("status").result["model"],
    )


def _jobs(site: Site) -> Iterator[Row]:
    """The newest jobs, and what may be done with each."""
    for each in site.desk.look("job", "list", "--all").result["jobs"][:JOBS]:
        acts = [word for word, states in queue.ACTS.items() if each["status"] in states]
        yield {**each, "acts": acts, "seen": site.seen.show(*job_shown(each))}


def job_shown(each: Mapping[str, Any]) -> tuple[Row, str]:
    """As matter_shown, of a job."""
    bound = {key: each[key] for key in ("id", "name", "status", "input")}
    return bound, f"{each['name']}: {each['input']} ({each['status']})"


def _spent(site: Site) -> list[tuple[str, int, str]]:
    """(day, tokens, words) of the last fortnight in which a model was asked."""
    app = site.desk.app("runs")
    try:
        data = app.files.tail(app.tree.usage, 4 * 1024 * 1024)
    except FileNotFoundError:
        return []
    calls: dict[str, list[tuple[str, int, int]]] = {}
    for _, record in jsonl.parse(data):
        if record is not None and isinstance(record.get("ts"), str):
            numbers = [record.get(key) for key in ("tokens_in", "tokens_out")]
            tokens = [number if isinstance(number, int) and number > 0 else 0 for number in numbers]
            calls.setdefault(record["ts"][:10], []).append((str(record.get("model") or ""), tokens[0], tokens[1]))
    days = []
    for day in sorted(calls)[-DAYS:]:
        spent = usage.count(calls[day], app.config.prices())
        told = f"{day}: {spent.calls} calls, {spent.tokens:,} tokens{', ' + spent.told if spent.told else ''}"
        days.append((day, spent.tokens, told))
    return days


def _run(request: Request) -> Response:
    site, id = site_of(request), request.path_params["id"]
    replayed = request.query_params.get("replay") == "yes"
    found = site.desk.look("runs", "replay" if replayed else "show", "--", id).result
    app = site.desk.app("runs")
    for each in found["judgements"]:
        try:
            record = jsonl.loads(app.files.text(app.tree.inside(each["path"])))
        except (AdjutantError, OSError, ValueError):
            record = {}
        record = record if isinstance(record, dict) else {}
        prompt = record.get("prompt")
        each["prompt"] = _cut(str(prompt.get("text", "")) if isinstance(prompt, dict) else "")
        each["reply"] = _cut("\n\n".join(map(str, record.get("replies") or [])))
        each["came"] = _cut(json.dumps(record.get("result"), indent=1, ensure_ascii=False, default=str), 3000)
    records = site.desk.look("ledger", "--tail", "2000").result["records"]
    steps = [each for each in records if each.get("run") == found["run"]]
    return site.pages.page(request, "run.html", here="runs", run=found, steps=steps, replayed=replayed)


def _cut(text: str, most: int = 6000) -> str:
    return text if len(text) <= most else f"{text[:most]}\n… {len(text) - most} characters more"


def _file(request: Request) -> Response:
    site, query = site_of(request), request.query_params
    found = opening.read(site.desk, query.get("kb", ""), query.get("path", ""), _number(query.get("line", "0")))
    return site.pages.page(request, "file.html", here="", file=found)


async def live(request: Request) -> Response:
    """The stream that says when something changed."""
    site = site_of(request)
    if site.live.full:
        raise HTTPException(429, "Too many open pages.")
    return StreamingResponse(site.live.tail(), media_type="text/event-stream")


VIEWS = {"/today": _today, "/why/{id}": _why, "/approvals": _approvals, "/ask": _ask, "/memory": _memory}
VIEWS |= {"/behaviour": _behaviour, "/runs": _runs, "/runs/{id}": _run, "/file": _file}
ROUTES = [
    Route("/", lambda request: RedirectResponse("/today", 303), methods=["GET"]),
    *(Route(path, view, methods=["GET"]) for path, view in VIEWS.items()),
    Route("/live", live, methods=["GET"]),
]
