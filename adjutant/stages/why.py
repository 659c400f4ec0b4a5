"""STAGE. why: the chain from a notice back to insight, judgement, evidence line and file."""

from __future__ import annotations

import os
from typing import Any

from adjutant.app import App, Args, Outcome, names
from adjutant.domain.matters import drawing
from adjutant.domain.telling import message
from adjutant.errors import AdjutantError, CheckFailed
from adjutant.judgements import briefing, recording
from adjutant.printable import to_line
from adjutant.records import insights, matters_log, notice_log, registry
from adjutant.records.insights import Insight
from adjutant.screening.screen import SET_ASIDE
from adjutant.store import jsonl

READS = names("config heart user notices matters marks pending sent runs registry knowledge_bases")
WRITES = names("cache")
TEXT = 200
REASONS = {
    "row": "a row of a table, read by its columns",
    "event": "an event of a calendar",
    "clash": "two things at one time",
    "thread": "a thread of mail: likely, not certain",
    "page": "the page's own state",
    "label": "a label or a tag",
    "section": "a heading",
    "word": "a plain sentence with a word of state: likely, not certain",
}


def run(app: App, args: Args) -> Outcome:
    """Result {chain[{kind, id, path, text}]}. Raises CheckFailed when nothing of that name is known."""
    notices = notice_log.last_of_each(jsonl.read(app.files, app.tree.notices))
    what = app.given([args.what]).removeprefix("insights/pending/").removeprefix("insights/sent/")
    if what == "last" and notices:
        what = str(notices[-1].get("key"))
    chain = (
        _from_notice(app, what, notices)
        or _from_insight(app, what, notices)
        or _from_matter(app, what, notices)
        or _from_run(app, what)
    )
    if not chain:
        raise CheckFailed(
            f"nothing is known as `{to_line(what, 80)}`: no matter, notice, insight or run",
            "`adjutant today --all`, `adjutant notices list` and `adjutant runs list` show the names",
        )
    lines = []
    for link in chain:
        lines.append(f"{link['kind']:<10} {link['id']}")
        lines += [f"{'':<10} {link[key]}" for key in ("text", "path") if link[key]]
    return Outcome({"chain": chain}, lines)


def _link(kind: str, id: str, path: str | None, text: str) -> dict[str, Any]:
    return {"kind": kind, "id": id, "path": path, "text": to_line(text, TEXT)}


def _from_notice(app: App, key: str, notices: list[dict[str, Any]]) -> list[dict[str, Any]]:
    if (last := next((record for record in notices if record.get("key") == key), None)) is None:
        return []
    chain = [_link("notice", key, app.tree.relative(app.tree.notices), f"{last['outcome']}: {last.get('text')}")]
    names = list(filter(None, str(last.get("insight") or "").split(",")))
    chain += [link for name in names for link in _insight_chain(app, name)]
    return chain if names else [*chain, *_from_run(app, str(last.get("run")))]


def _from_insight(app: App, what: str, notices: list[dict[str, Any]]) -> list[dict[str, Any]]:
    name = what if what.endswith(".md") else f"{what}.md"
    chain = _insight_chain(app, name)
    told = [record for record in notices if name in str(record.get("insight") or "").split(",")] if chain else []
    where = app.tree.relative(app.tree.notices)
    return [_link("notice", str(each.get("key")), where, str(each.get("text"))) for each in told[-1:]] + chain


def _from_matter(app: App, name: str, notices: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """File and line first, then what made it grave, when it was told, and what was decided on it."""
    picture = drawing.draw(app)
    found = picture.named(name)
    if len(found) > 1:
        several = ", ".join(each.id for each in found[:5])
        raise CheckFailed(f"`{name}` is the beginning of several ids: {several}", "give one more")
    if not found:
        return _from_register(app, name)
    each = found[0]
    folders = {kb.name: kb.folder for kb in registry.load(app.files)}
    places = [(f"{cited.path}:{cited.line}", cited.quote) for cited in each.evidence]
    chain = [_link("evidence", f"{each.kb}/{at}", f"{folders[each.kb]}/{at}", quote) for at, quote in places]
    sure, when = "certain" if each.certain else "likely", message.when(each, picture.now.date())
    said = ", ".join(filter(None, (f"{each.kind}, {sure}", f"severity {each.severity}", when)))
    chain.append(_link("matter", each.id, None, f"{each.what}: {said}"))
    factors = [each.why, *(REASONS.get(rest, rest) for rest in each.rests)]
    if each.concern:
        factors.append(f"shares {each.share:.2f} of your {each.part or 'concern'} '{each.concern}'")
    factors += [each.muted, f"held back: {each.held}" if each.held else ""]
    factors += ["the model was asked and gave no verdict"] if each.unjudged else []
    chain += [_link("factor", each.id, None, text) for text in factors if text]
    if each.first_seen:
        first = f"first seen {app.clock.tell(each.first_seen)}"
        chain.append(_link("seen", each.id, app.tree.relative(app.tree.matters), first))
    for record in [record for record in notices if each.id in (record.get("matters") or ())][-3:]:
        outcome = f"{record['outcome']}: {app.clock.tell(record.get('ts'))}"
        chain.append(_link("notice", str(record.get("key")), app.tree.relative(app.tree.notices), outcome))
    for insight in insights.pending(app.files)[0]:
        chain += _insight_chain(app, insight.name) if insight.matter == each.id else []
    return chain


def _from_register(app: App, name: str) -> list[dict[str, Any]]:
    """A matter that is open no more."""
    known = matters_log.read(app.files)
    begun = (each for id, each in known.items() if name and id.startswith(name))
    if (each := known.get(name) or next(begun, None)) is None:
        return []
    text = f"{each.what}: {each.state} since {app.clock.tell(each.changed)}, {each.kb}/{each.path}"
    return [_link("matter", each.id, app.tree.relative(app.tree.matters), text)]


def _insight_chain(app: App, name: str) -> list[dict[str, Any]]:
    """Insight, the judgements of its run, and each evidence line as it stands now."""
    if "/" in name:
        return []
    try:
        found = insights.load(app.files, name)
    except FileNotFoundError:
        return []
    pending = app.tree.pending_insight(name)
    path = pending if app.files.exists(pending) else app.tree.sent_insight(name)
    chain = [_link("insight", name, app.tree.relative(path), f"{found.kb}, {found.severity}: {found.title}")]
    return chain + _judgements(app, found.run, found) + _evidence(app, found)


def _judgements(app: App, run_id: str, insight: Insight | None) -> list[dict[str, Any]]:
    """What one run asked: all of it, or what led to one insight. None when the run was pruned."""
    chain: list[dict[str, Any]] = []
    kept = bool(run_id) and os.path.isdir(app.tree.run(run_id))
    for name in recording.names(app.files, run_id) if kept else ():
        try:
            record = recording.read(app.files, run_id, name)
        except AdjutantError as error:
            chain.append(_link("judgement", name, None, error.message))
            continue
        inputs = record.inputs if isinstance(record.inputs, dict) else {}
        if insight is None or _leads_to(record.judgement, inputs, insight):
            path = app.tree.relative(app.tree.run_file(run_id, name))
            by = "by rules" if record.degraded or record.backend == "offline" else f"by {record.backend}"
            about = recording.kb_of(inputs) or "all knowledge bases"
            chain.append(_link("judgement", f"{run_id}/{name}", path, f"{record.judgement} of {about}, answered {by}"))
    return chain


def _leads_to(judgement: str, inputs: dict[str, Any], insight: Insight) -> bool:
    """The brief of its knowledge base or the call for all, and the decision on itself."""
    if judgement == "brief":
        return recording.kb_of(inputs) == insight.kb
    if judgement == "escalation":
        waiting = inputs.get("waiting")
        filed = waiting if isinstance(waiting, list) else []
        return any(isinstance(each, dict) and each.get("file") == insight.name for each in filed)
    return judgement == "pulse"


def _evidence(app: App, insight: Insight) -> list[dict[str, Any]]:
    kb = next((kb for kb in registry.load(app.files) if kb.name == insight.kb), None)
    find = briefing.reader(app, kb) if kb is not None else None
    chain = []
    for cited in insight.evidence:
        place = f"{cited.path}:{cited.line}"
        path = f"{kb.folder}/{place}" if kb is not None else None
        chain.append(_link("evidence", f"{insight.kb}/{place}", path, cited.quote))
        now = ((find(cited.path) if find else None) or [])[cited.line - 1 : cited.line]
        if kb is not None and not (now and cited.quote.strip() in now[0]) and SET_ASIDE not in cited.quote:
            chain.append(_link("changed", f"{insight.kb}/{place}", path, now[0] if now else "the line is gone"))
    return chain


def _from_run(app: App, wanted: str) -> list[dict[str, Any]]:
    try:
        run_id = recording.find(app.files, wanted)
    except AdjutantError:
        return []
    note = recording.note_of(app.files, run_id)
    text = f"{note.verb} at {note.ts}: {note.status}" if note is not None else "no note of its verb"
    return [_link("run", run_id, app.tree.relative(app.tree.run(run_id)), text), *_judgements(app, run_id, None)]
