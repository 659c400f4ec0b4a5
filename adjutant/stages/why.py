"""STAGE. why: the chain from a notice back to insight, judgement, evidence line and file."""

import json
import os
from collections.abc import Iterator

from adjutant.app import App, Args, Outcome, Row
from adjutant.domain.matters import drawing
from adjutant.domain.telling import message
from adjutant.errors import AdjutantError, CheckFailed
from adjutant.judgements import briefing, recording
from adjutant.printable import to_line
from adjutant.records import insights, matters_log, notice_log, registry
from adjutant.screening.screen import SET_ASIDE
from adjutant.store import jsonl

TEXT = 200
REASONS = {
    "box": "a checkbox",
    "row": "a row of a table, read by its columns",
    "event": "an event of a calendar",
    "clash": "two things at one time",
    "thread": "a thread of mail: likely, not certain",
    "page": "the page's own state",
    "label": "a label or a tag",
    "section": "a heading",
    "day": "a plain sentence with a day to come: likely, not certain",
    "word": "a plain sentence with a word of state: likely, not certain",
}


def run(app: App, args: Args) -> Outcome:
    """{chain[]}; CheckFailed when nothing of that name is known."""
    notices = notice_log.last_of_each(jsonl.read(app.files, app.tree.notices))
    what = app.given([args.what]).removeprefix("insights/pending/").removeprefix("insights/sent/")
    if what == "last" and notices:
        what = str(notices[-1].get("key"))
    ways = (_from_notice, _from_insight, _from_matter, _from_run)
    chain = next(filter(None, (list(way(app, what, notices)) for way in ways)), [])
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


def _link(kind: str, id: str, path: str | None, text: str) -> Row:
    return {"kind": kind, "id": id, "path": path, "text": to_line(text, TEXT)}


def _link_notice(app: App, record: Row, text: object) -> Row:
    return _link("notice", str(record.get("key")), app.tree.relative(app.tree.notices), str(text))


def _names(record: Row) -> list[str]:
    return list(filter(None, str(record.get("insight") or "").split(",")))


def _from_notice(app: App, key: str, notices: list[Row]) -> Iterator[Row]:
    for last in [record for record in notices if record.get("key") == key][:1]:
        yield _link_notice(app, last, f"{last['outcome']}: {last.get('text')}")
        for name in _names(last):
            yield from _insight_chain(app, name)
        yield from () if _names(last) else _from_run(app, str(last.get("run")), notices)


def _from_insight(app: App, what: str, notices: list[Row]) -> Iterator[Row]:
    name = what if what.endswith(".md") else f"{what}.md"
    chain = list(_insight_chain(app, name))
    told = [record for record in notices if chain and name in _names(record)]
    yield from (_link_notice(app, each, each.get("text")) for each in told[-1:])
    yield from chain


def _from_matter(app: App, name: str, notices: list[Row]) -> Iterator[Row]:
    """File and line first, then what made it grave, when it was told; of one that is open no more how it ended."""
    picture, register = drawing.draw(app), app.tree.relative(app.tree.matters)
    found = picture.named(name)
    if len(found) > 1:
        several = ", ".join(each.id for each in found[:5])
        raise CheckFailed(f"`{name}` is the beginning of several ids: {several}", "give one more")
    if not found:
        known = matters_log.read(app.files)
        begun = [known[name]] if name in known else [each for id, each in known.items() if name and id.startswith(name)]
        for was in begun[:1]:
            text = f"{was.what}: {was.state} since {app.clock.tell(was.changed)}, {was.kb}/{was.path}"
            yield _link("matter", was.id, register, text)
        return
    each = found[0]
    folders = {kb.name: kb.folder for kb in registry.load(app.files)}
    for cited in each.evidence:
        at = f"{cited.path}:{cited.line}"
        yield _link("evidence", f"{each.kb}/{at}", f"{folders[each.kb]}/{at}", cited.quote)
    sure, when = "certain" if each.certain else "likely", message.when(each, picture.now.date())
    said = ", ".join(filter(None, (f"{each.kind}, {sure}", f"severity {each.severity}", when)))
    yield _link("matter", each.id, None, f"{each.what}: {said}")
    touches = f"touches your {each.part or 'concern'} '{each.concern}' (score {each.share:.2f})"
    factors = [each.why, *(REASONS.get(rest, rest) for rest in each.rests), touches if each.concern else ""]
    factors += [each.muted, f"held back: {each.held}" if each.held else ""]
    factors += ["the model was asked and gave no verdict"] if each.unjudged else []
    yield from (_link("factor", each.id, None, text) for text in factors if text)
    if each.first_seen:
        yield _link("seen", each.id, register, f"first seen {app.clock.tell(each.first_seen)}")
    for record in [record for record in notices if each.id in (record.get("matters") or ())][-3:]:
        yield _link_notice(app, record, f"{record['outcome']}: {app.clock.tell(record.get('ts'))}")
    for insight in insights.pending(app.files)[0]:
        yield from _insight_chain(app, insight.name) if insight.matter == each.id else ()


def _insight_chain(app: App, name: str) -> Iterator[Row]:
    """Insight, the judgements of its run, and each evidence line as it stands now; none for what is no insight."""
    places = () if "/" in name else (app.tree.pending_insight(name), app.tree.sent_insight(name))
    path = next(filter(app.files.exists, places), "")
    if not path:
        return
    found = insights.load(app.files, name)
    yield _link("insight", name, app.tree.relative(path), f"{found.kb}, {found.severity}: {found.title}")
    yield from _judgements(app, found.run, found)
    kb = next((kb for kb in registry.load(app.files) if kb.name == found.kb), None)
    find = briefing.reader(app, kb) if kb is not None else None
    for cited in found.evidence:
        place = f"{cited.path}:{cited.line}"
        where = f"{kb.folder}/{place}" if kb is not None else None
        yield _link("evidence", f"{found.kb}/{place}", where, cited.quote)
        now = ((find(cited.path) if find else None) or [])[cited.line - 1 : cited.line]
        if kb is not None and not (now and cited.quote.strip() in now[0]) and SET_ASIDE not in cited.quote:
            yield _link("changed", f"{found.kb}/{place}", where, now[0] if now else "the line is gone")


def _judgements(app: App, run_id: str, insight: insights.Insight | None) -> Iterator[Row]:
    """What one run asked: all of it, or what led to one insight. None when the run was pruned."""
    kept = bool(run_id) and os.path.isdir(app.tree.run(run_id))
    for name in recording.names(app.files, run_id) if kept else ():
        try:
            record = recording.read(app.files, run_id, name)
        except AdjutantError as error:
            yield _link("judgement", name, None, error.message)
            continue
        if insight is None or _leads_to(record, insight):
            path = app.tree.relative(app.tree.run_file(run_id, name))
            by = "by rules" if record.degraded or record.backend == "offline" else f"by {record.backend}"
            about = recording.kb_of(record.inputs) or "all knowledge bases"
            yield _link("judgement", f"{run_id}/{name}", path, f"{record.judgement} of {about}, answered {by}")


def _leads_to(record: recording.Recorded, insight: insights.Insight) -> bool:
    if record.judgement == "brief":
        return recording.kb_of(record.inputs) == insight.kb
    if record.judgement == "escalation":
        return f'"{insight.name}"' in json.dumps(record.inputs.get("waiting"))
    return record.judgement == "pulse"


def _from_run(app: App, wanted: str, notices: list[Row]) -> Iterator[Row]:
    try:
        run_id = recording.find(app.files, wanted)
    except AdjutantError:
        return
    note = recording.note_of(app.files, run_id)
    text = f"{note.verb} at {note.ts}: {note.status}" if note is not None else "no note of its verb"
    yield _link("run", run_id, app.tree.relative(app.tree.run(run_id)), text)
    yield from _judgements(app, run_id, None)
