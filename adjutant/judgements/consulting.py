"""OPINION. A question to one knowledge base: what is read, who is asked, what changed meanwhile."""

from __future__ import annotations

import os
import stat
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from adjutant.domain.knowledge import lexicon, passages, query
from adjutant.domain.knowledge.passages import KbFile, KbScan
from adjutant.domain.knowledge.query import Passage
from adjutant.domain.matters.look import replacement
from adjutant.errors import KbUnavailable, ModelUnavailable, Stopped, UsageError
from adjutant.judgements import answer, briefing
from adjutant.judgements.asking import Answered, Asker
from adjutant.ports import Folder
from adjutant.records import registry
from adjutant.records.registry import KnowledgeBase
from adjutant.screening.screen import screen
from adjutant.store.settings import AGENTS

if TYPE_CHECKING:
    from adjutant.app import App

MAX_QUESTION = 2000
FILL_FOR_A_MODEL = 12_000  # characters: a model may understand what shares no word with the question
TRANSPORT = ("timeout", "unreachable", "http")


class Consulted(NamedTuple):
    """What a knowledge base answered; `changed`: paths that an agent changed in it, None where it could change none."""

    kb: str
    answered: Answered[answer.Result]
    changed: list[str] | None


def consult(app: App, name: str, text: str, *, may_write: bool = True) -> Consulted:
    """Asks knowledge base `name`. What an agent changed is said, however its run ended.

    `may_write`: False where the words of the question are a model's: they change nothing in a knowledge base.

    Raises UsageError (no question), KbUnknown, KbUnavailable, ModelUnavailable, Stopped, FileDamaged, IoFailed.
    """
    asked = " ".join(text.split())[:MAX_QUESTION]
    if not asked:
        raise UsageError("an empty question", 'adjutant kb query NAME "When is the boiler service?"')
    kb, now = registry.find(app.files, name), app.clock.now()
    files, asker = scan(app, kb).files, Asker.for_app(app)
    found = _passages(app, kb, files, asked, now)
    folder = os.path.realpath(kb.folder)
    writes = may_write and kb.access == "read-write" and not app.dry_run and app.config.text("llm.backend") in AGENTS
    before = _contents_of(app, kb) if writes else {}
    inputs = answer.Inputs(kb=kb.name, question=asked, today=f"{now:%A %Y-%m-%d}", passages=found, folder=folder)
    try:
        answered = asker.ask(
            answer,
            inputs,
            model_tier=kb.model,
            timeout=app.config.number("heartbeat.kb_timeout_seconds"),
            reads=Folder(folder, writes, [file.path for file in files]),
            widen=lambda inputs, result: answer.widened(inputs, result, briefing.reader(app, kb)),
        )
    except (Stopped, KeyboardInterrupt):
        for path in _changed(before, _contents_of(app, kb)) if writes else []:
            app.say(f"changed by the agent: {path}")
        raise
    changed = _changed(before, _contents_of(app, kb)) if writes else []
    if answered.degraded in TRANSPORT or (answered.degraded == "malformed" and not answered.replied):
        raise ModelUnavailable(
            f"the model did not answer ({answered.degraded}): {answered.why}",
            details={"run": app.run, "changed": changed},
        )
    return Consulted(kb.name, answered, changed if writes else None)


def scan(app: App, kb: KnowledgeBase) -> KbScan:
    """The files of a knowledge base. Raises KbUnavailable."""
    limits = app.config
    try:
        return passages.scan(
            Path(kb.folder),
            max_files=limits.whole("limits.files_per_kb"),
            max_bytes=limits.whole("limits.bytes_per_file"),
            exclude=kb.exclude,
        )
    except OSError as error:
        raise unavailable(kb, error) from error


def unavailable(kb: KnowledgeBase, error: OSError) -> KbUnavailable:
    """What is to be said of a knowledge base whose folder cannot be read."""
    fix = f"restore the folder, or `adjutant kb remove {kb.name}`"
    return KbUnavailable(f"{kb.name}: {kb.folder}: {error.strerror or error}", fix)


def _contents_of(app: App, kb: KnowledgeBase) -> dict[str, tuple[int, int, int]]:
    """What tells a changed entry of the folder from an unchanged one, hidden ones included, links not followed."""
    found: dict[str, tuple[int, int, int]] = {}
    for place, folders, names in os.walk(kb.folder):
        for name in (*folders, *names):
            path = os.path.join(place, name)
            info = os.lstat(path)
            if not stat.S_ISDIR(info.st_mode):
                found[os.path.relpath(path, kb.folder)] = (info.st_ino, info.st_size, info.st_mtime_ns)
    return found


def _changed(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """Paths that came, went or changed."""
    return sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))


def _passages(app: App, kb: KnowledgeBase, files: list[KbFile], asked: str, now: datetime) -> list[Passage]:
    """The nearest passages, instruction-like lines replaced by their place."""
    words = lexicon.load_for(app.files)
    fill = 0 if app.config.text("llm.backend") == "offline" else FILL_FOR_A_MODEL
    return [_screened(passage) for passage in query.search(files, asked, words, kb=kb.name, fill=fill)]


def _screened(passage: Passage) -> Passage:
    lines, hits = passage.text.split("\n"), {hit.line for hit in screen(passage.text)}
    if not hits:
        return passage
    for number in hits:
        lines[number - 1] = replacement(passage.path, passage.line + number - 1)
    text, best = "\n".join(lines), replacement(passage.path, passage.best)
    if passage.best - passage.line + 1 not in hits:
        return msgspec.structs.replace(passage, text=text)
    return msgspec.structs.replace(passage, text=text, quote=best, says=best)
