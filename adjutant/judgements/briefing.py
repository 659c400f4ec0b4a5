"""OPINION. All knowledge bases looked at and briefed, in parallel; one that fails is named and the others go on."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import TypeVar

import msgspec

from adjutant.app import App
from adjutant.documents import folder
from adjutant.documents.folder import Entry
from adjutant.domain.heartbeat import silence
from adjutant.domain.heartbeat.silence import Memory
from adjutant.domain.heartbeat.silence import Seen as Remembered
from adjutant.domain.matters import drawing, opened
from adjutant.domain.matters import look as looking
from adjutant.domain.matters.drawing import Seen
from adjutant.domain.matters.look import Look
from adjutant.domain.matters.signal import Signal
from adjutant.errors import AdjutantError
from adjutant.judgements import brief
from adjutant.judgements.asking import Asker
from adjutant.judgements.material import Line
from adjutant.ports import Folder
from adjutant.records.heart import Heart
from adjutant.records.registry import KnowledgeBase

T = TypeVar("T")
R = TypeVar("R")


class Briefed(msgspec.Struct):
    """One knowledge base after its look: briefed now, unchanged (the last brief stands), or unavailable."""

    kb: KnowledgeBase
    result: brief.Result
    signals: list[Signal]
    seen: Seen | None = None
    look: Look | None = None
    unchanged: bool = False
    unavailable: str | None = None
    degraded: str | None = None


class Desk(msgspec.Struct, frozen=True):
    """What every look needs."""

    app: App
    asker: Asker
    heart: Heart
    now: datetime
    depth: str = "quick"


def survey(desk: Desk, kbs: Sequence[KnowledgeBase], memory: Memory) -> list[Briefed]:
    """Every knowledge base looked at; where nothing changed since `memory` its last brief stands. Asks nothing."""
    msgspec.convert({"summary": "", "items": []}, brief.Result)  # its first use is not safe in threads
    return _each(desk.app, lambda kb: _survey_one(desk, kb, memory.kbs.get(kb.name)), kbs)


def ask_all(desk: Desk, found: Sequence[Briefed]) -> None:
    """One brief per knowledge base that changed, numbered in registry order before the fan-out. Raises Stopped."""
    waiting = [briefed for briefed in found if briefed.look is not None]
    first = desk.asker.reserve(len(waiting)) if waiting else 0

    left = [briefed.kb.name for briefed in waiting]
    show = desk.app.progress if desk.app.config.text("llm.backend") != "offline" else lambda line: None

    def ask(numbered: tuple[int, Briefed]) -> None:
        number, briefed = numbered
        show(f"briefs: {len(waiting) - len(left)} of {len(waiting)}, at {', '.join(left[:4])}")
        assert briefed.look is not None
        answer = desk.asker.ask(
            brief,
            inputs_of(desk, briefed),
            number=number,
            model_tier=briefed.kb.model,
            timeout=desk.app.config.number("heartbeat.kb_timeout_seconds"),
            reads=Folder(os.path.realpath(briefed.kb.folder), names=briefed.look.names),
            widen=lambda inputs, result: brief.widened(inputs, result, reader(desk.app, briefed.kb)),
        )
        briefed.result, briefed.degraded = answer.result, answer.degraded
        left.remove(briefed.kb.name)

    try:
        _each(desk.app, ask, [(first + offset, briefed) for offset, briefed in enumerate(waiting)])
    finally:
        show("")


def reader(app: App, kb: KnowledgeBase) -> Callable[[str], Sequence[str] | None]:
    """Gives the lines of a knowledge base's file by its path, as code reads it; None for what is none of its texts."""
    known: dict[str, Entry] = {}

    def find(path: str) -> Sequence[str] | None:
        limits = opened.limits_of(app.config)
        if not known:
            known.update((entry.path, entry) for entry in opened.list_files(kb, limits).entries)
        if path not in known:
            return None
        try:
            return folder.text_of(kb.folder, known[path], limits.file_bytes).split("\n")
        except OSError:
            return None

    return find


def inputs_of(desk: Desk, briefed: Briefed) -> brief.Inputs:
    """The typed inputs of one brief."""
    look = briefed.look
    assert look is not None
    return brief.Inputs(
        kb=briefed.kb.name,
        description=briefed.kb.description,
        today=f"{desk.now:%A %Y-%m-%d}",
        heart=desk.heart,
        signals=look.signals,
        lines=[Line(line.path, line.line, line.text) for line in look.lines],
        summary=look.summary,
        depth=desk.depth,
        folder=os.path.realpath(briefed.kb.folder),
    )


def remembered(found: Sequence[Briefed], before: Memory, today: datetime, horizon: int) -> Mapping[str, Remembered]:
    """What pulse.json keeps of each knowledge base; one that was unavailable is forgotten: looked at next time."""
    kept: dict[str, Remembered] = {}
    for briefed in found:
        name = briefed.kb.name
        if briefed.look is not None:
            look = briefed.look
            near = silence.buckets(look.deadlines, today.date(), horizon)
            result = msgspec.to_builtins(briefed.result)
            kept[name] = Remembered(look.fingerprint, look.deadlines, near, result)
        elif briefed.unchanged:
            kept[name] = before.kbs[name]
    return kept


def left_out(briefed: Briefed) -> str:
    """What limits and kinds of files left unread, counted; "" when everything was read."""
    return opened.left_out(briefed.look.skipped) if briefed.look is not None else ""


def _survey_one(desk: Desk, kb: KnowledgeBase, before: Remembered | None) -> Briefed:
    app, nothing = desk.app, brief.Result("", [])
    horizon = app.config.whole("heartbeat.horizon_days")
    try:
        base, open_now = drawing.look_at(app.files, app.config, kb, desk.heart, desk.now, desk.asker.may_read)
        seen, signals = Seen(open_now.opens, base), [signal for signal in open_now.signals if not signal.muted]
        if before is not None and silence.is_unchanged(before, base.found.fingerprint(), desk.now.date(), horizon):
            return Briefed(kb, msgspec.convert(before.brief, brief.Result), signals, seen, unchanged=True)
        found = looking.look(base, open_now, depth=desk.depth)
    except AdjutantError:
        raise
    except OSError as error:
        return Briefed(kb, nothing, [], unavailable=f"{error.strerror or error}")
    except Exception as error:  # noqa: BLE001 - a text our reader stumbles over costs one knowledge base, not the cycle
        report = app.report(error)
        return Briefed(kb, nothing, [], unavailable=f"a bug in reading it ({type(error).__name__}); report: {report}")
    return Briefed(kb, nothing, [signal for signal in found.signals if not signal.muted], seen, look=found)


def _each(app: App, work: Callable[[T], R], entries: Sequence[T]) -> list[R]:
    """`work` on each entry, in order; in threads only when that can help."""
    width = min(app.config.whole("heartbeat.parallel"), len(entries))
    if width <= 1:
        return [work(entry) for entry in entries]
    with ThreadPoolExecutor(width) as pool:
        try:
            return list(pool.map(work, entries))
        except KeyboardInterrupt:
            app.halt()  # children under way end now, not with their time
            raise
