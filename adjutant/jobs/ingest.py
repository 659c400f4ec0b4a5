"""JOBS. ingest: the text of a file or page becomes notes in a folder of a knowledge base, with where it came from."""

from __future__ import annotations

import hashlib
import json
import os
import re
from typing import TYPE_CHECKING, Any

import msgspec

from adjutant.app import App
from adjutant.domain.recall import collections
from adjutant.errors import KbInvalid, KbUnknown
from adjutant.jobs import source
from adjutant.jobs.source import Text
from adjutant.jobs.steps import StepFailed
from adjutant.records import registry
from adjutant.records.jobs import Job
from adjutant.records.registry import KnowledgeBase
from adjutant.screening.fence import clean_line
from adjutant.screening.screen import redact_hits, screen

if TYPE_CHECKING:
    from adjutant.jobs.working import Walk

FOLDER = "ingested"
NOTE_CHARS = 200_000  # of one note: what a pulse reads of a file
TITLE = 120
_SLUG = re.compile(r"[^a-z0-9]+")


def plan(app: App, given: dict[str, Any]) -> list[tuple[str, str]]:
    """As Pipeline says. Raises UsageError, KbInvalid, KbUnknown, FileDamaged, IoFailed."""
    kb = _kb(app, given["kb"])
    made = "" if kb is not None else ", which is made"
    return [*source.plan(given["source"]), ("apply", f"write notes to the knowledge base {given['kb']}{made}")]


def make(walk: Walk, given: dict[str, Any]) -> Text:
    """What it says; text that gives orders to an assistant is refused, or with `redact` taken out."""
    found = source.read(walk, given["source"])
    hits = screen(found.text)
    if not given["redact"] and (unseen := screen(found.hidden)[:1] + hits[:1]):
        where = f"line {unseen[0].line}" if unseen[0] in hits else "hidden text"
        why = "`--redact` leaves such lines out and takes in the rest"
        raise StepFailed(f"{where} reads like orders to an assistant ({unseen[0].excerpt!r}); {why}")
    return found._replace(text=redact_hits(found.text, hits, found.source), title=given["title"] or found.title)


def apply(app: App, job: Job, made: Text) -> dict[str, Any]:
    """{kb, notes[], title, characters}. Notes that stand there already, and say the same, are left alone."""
    from adjutant.domain.recall.search import look_again  # brings SQLite

    kb = _kb(app, job.given["kb"]) or _library(app, job.given["kb"])
    app.files.sweep(os.path.join(kb.folder, FOLDER), app.clock.now().timestamp())
    title = clean_line(made.title, TITLE) or "untitled"
    digest = hashlib.sha256(f"{made.source}\0{made.text}".encode("utf-8", "replace")).hexdigest()[:8]
    slug = _SLUG.sub("-", title.lower()).strip("-")[:50].strip("-") or "note"
    parts, notes = _parts(made.text), []
    for number, part in enumerate(parts, start=1):
        name = f"{job.created[:10]}-{slug}-{digest}" + (f"-{number}" if len(parts) > 1 else "")
        path = os.path.join(kb.folder, FOLDER, f"{name}.md")
        shown = f"{title} ({number} of {len(parts)})" if len(parts) > 1 else title
        try:
            app.files.create(path, _note(shown, made.source, job, part))
        except FileExistsError:
            pass  # as a run that was cut has left it, or as the operator has it since
        notes.append(app.tree.relative(path))
    look_again(app, collections.find("kb"))
    return {"kb": kb.name, "notes": notes, "title": title, "characters": len(made.text)}


def tell(outcome: dict[str, Any]) -> list[str]:
    """Lines."""
    head = f"{outcome['title']}: {outcome['characters']:,} characters in the knowledge base {outcome['kb']}, untrusted"
    return [head, *(f"  {path}" for path in outcome["notes"])]


def _note(title: str, source: str, job: Job, text: str) -> bytes:
    quoted = {"title": title, "source": source}
    head = [f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in quoted.items()]
    lines = ["---", *head, f"date: {job.created[:10]}", "trust: untrusted", f"job: {job.id}", "---", ""]
    lines += [] if text.startswith("# ") else [f"# {title}", ""]
    return ("\n".join(lines) + f"\n{text}\n").encode("utf-8", "replace")


def _parts(text: str) -> list[str]:
    """The text in pieces that fit a note, cut between paragraphs or lines where there are any."""
    parts = []
    while len(text) > NOTE_CHARS:
        places = (text.rfind(mark, NOTE_CHARS // 2, NOTE_CHARS) for mark in ("\n\n", "\n", " "))
        cut = next((place for place in places if place > 0), NOTE_CHARS)
        parts.append(text[:cut].rstrip())
        text = text[cut:].lstrip("\n")
    return [*parts, text]


def _kb(app: App, name: str) -> KnowledgeBase | None:
    """Where the notes go; None for the library, where it is still to be made. Raises KbInvalid where what is written
    there would count as the operator's word."""
    try:
        kb = registry.find(app.files, name)
    except KbUnknown:
        if name == app.config.text("jobs.kb"):
            registry.check_name(name)
            return None
        raise
    if kb.kind != "notes":
        raise KbInvalid(f"{name} is a {kb.kind} knowledge base, which is only read", "name one of notes")
    if kb.trust != "untrusted":
        raise KbInvalid(f"the files of {name} count as your own word, and what is ingested must not", "name another")
    return kb


def _library(app: App, name: str) -> KnowledgeBase:
    """The knowledge base of its own, made on first use."""
    folder = app.tree.kb(name)
    made = KnowledgeBase(name, app.tree.relative(folder), folder, "what was ingested: other people's words")
    registry.add(app.files, msgspec.structs.replace(made, trust="untrusted"))
    return made
