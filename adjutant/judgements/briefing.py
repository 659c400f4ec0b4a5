"""OPINION. All knowledge bases looked at and judged: in one call where they fit, else by a brief each."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from adjutant.app import App
from adjutant.documents import folder
from adjutant.documents.folder import Entry
from adjutant.domain.heartbeat import silence
from adjutant.domain.matters import drawing, opened, wording
from adjutant.domain.matters import look as looking
from adjutant.domain.matters.picture import CLASH, Open
from adjutant.domain.matters.signal import Signal
from adjutant.domain.telling import message
from adjutant.errors import AdjutantError
from adjutant.judgements import seeing
from adjutant.judgements.asking import OFFLINE
from adjutant.judgements.calling import model_name
from adjutant.judgements.material import RANK, Find, Issue, severity_of
from adjutant.judgements.seeing import BRIEF, PULSE, Base, OpenMatter, Result
from adjutant.ports import Folder
from adjutant.records.registry import KnowledgeBase
from adjutant.records.sections import tokens
from adjutant.store.settings import AGENTS

if TYPE_CHECKING:
    from adjutant.judgements.cycle import Cycle

RULES, MAIL = "rules", "mail"
T = TypeVar("T")
R = TypeVar("R")


class Briefed(msgspec.Struct):
    """A knowledge base after its look. `by`: who answered, "rules" or a backend; `before`: what was offered last."""

    kb: KnowledgeBase
    result: Result = Result(items=[])
    signals: list[Signal] = []
    seen: drawing.Seen | None = None
    look: looking.Look | None = None
    before: dict[str, opened.Offered] | None = None
    unchanged: bool = False
    unavailable: str | None = None
    by: str = ""
    at_once: bool = False

    @property
    def by_model(self) -> bool:
        return self.by not in ("", RULES)

    @property
    def left_out(self) -> str:
        """What limits and kinds of files left unread, counted; "" when everything was read."""
        return opened.count_left_out(self.look.skipped) if self.look is not None else ""


def survey(cycle: Cycle, memory: silence.Memory, *, full: bool = False) -> list[Briefed]:
    """Every knowledge base looked at; where nothing changed since `memory` its last brief stands. `full`: all anew."""
    return _each_of(cycle.app, partial(_survey_one, cycle, memory, full), cycle.kbs, first_alone=True)


def _survey_one(cycle: Cycle, memory: silence.Memory, full: bool, kb: KnowledgeBase) -> Briefed:
    app, before = cycle.app, memory.kbs.get(kb.name)
    horizon = app.config.whole("heartbeat.horizon_days")
    try:
        may_read = cycle.asker.allowance.may_read
        base, open_now = drawing.look_at(app.files, app.config, kb, cycle.heart, cycle.now, may_read)
        seen = drawing.Seen(open_now.opens, base)
        signals = [signal for signal in open_now.signals if not signal.muted and signal.listed][: looking.MOST_SIGNALS]
        if before is not None and silence.is_unchanged(before, base.found.fingerprint(), cycle.now.date(), horizon):
            with suppress(msgspec.ValidationError):  # a brief of an earlier version
                return Briefed(kb, msgspec.convert(before.brief, Result), signals, seen, unchanged=True)
            return Briefed(kb, signals=signals, seen=seen, unchanged=True)
        last = opened.load_offered(app.files, kb.name, cycle.basis) if cycle.has_model and not full else None
        chars = app.config.whole(f"limits.{'look_chars' if last is None else 'look_again_chars'}")
        shown = chars if cycle.has_model and kb.kind != MAIL else None
        found = looking.look(base, open_now, cycle.heart, cycle.now, shown, last)
    except AdjutantError:
        raise
    except OSError as error:
        return Briefed(kb, unavailable=f"{error.strerror or error}")
    except Exception as error:  # noqa: BLE001 - a text our reader stumbles over costs one knowledge base, not the cycle
        return Briefed(kb, unavailable=f"a bug in reading it ({type(error).__name__}); report: {app.report(error)}")
    live = [signal for signal in found.signals if not signal.muted]
    return Briefed(kb, signals=live, seen=seen, look=found, before=last)


def remember(cycle: Cycle) -> silence.Memory:
    """What pulse.json keeps of each knowledge base, but of one that was unavailable. Raises IoFailed, Stopped."""
    kept: dict[str, silence.RememberedBase] = {}
    horizon = cycle.app.config.whole("heartbeat.horizon_days")
    for briefed in cycle.found:
        name, look = briefed.kb.name, briefed.look
        if look is not None:
            near = silence.buckets(look.deadlines, cycle.now.date(), horizon)
            result = msgspec.to_builtins(briefed.result)
            kept[name] = silence.RememberedBase(look.fingerprint, look.deadlines, near, result)
            if briefed.by_model and briefed.seen is not None:
                opened.save_offered(cycle.app.files, briefed.seen.base, cycle.basis, briefed.before)
        elif briefed.unchanged:
            kept[name] = cycle.memory.kbs[name]
    return silence.Memory(cycle.basis, kept)


def _each_of(app: App, work: Callable[[T], R], entries: Sequence[T], *, first_alone: bool = False) -> list[R]:
    """`work` on each entry, in threads when that helps; `first_alone`: making types in threads crashed Python."""
    width = min(app.config.whole("heartbeat.parallel"), len(entries))
    if width <= 1:
        return [work(entry) for entry in entries]
    done = [work(entry) for entry in entries[: int(first_alone)]]
    with ThreadPoolExecutor(width) as pool:
        try:
            return [*done, *pool.map(work, entries[len(done) :])]
        except KeyboardInterrupt:
            app.halt()  # children under way end now, not with their time
            raise


def judge(cycle: Cycle, room: Sequence[str] = ()) -> list[Issue]:
    """What is raised of all of them: by one call where it can be, else by a brief each. Fills in `result` and `by`."""
    found = [each for each in cycle.found if each.kb.kind != MAIL]  # no stranger's letter decides on anything
    if not (waiting := _show(cycle, found)):
        return []
    issues = _ask_at_once(cycle, waiting, room)
    if issues is None and not all(briefed.by == RULES for briefed, _ in waiting.values()):
        _ask_each(cycle, waiting)
    return _raise(cycle, found) if issues is None else issues


Waiting = dict[str, tuple[Briefed, Base]]


def _show(cycle: Cycle, found: Sequence[Briefed]) -> Waiting:
    return {each.kb.name: (each, _base_of(cycle, each.kb, each.look)) for each in found if each.look is not None}


def _inputs(cycle: Cycle, bases: Sequence[Base], room: Sequence[str] = (), folder: str = "") -> seeing.Inputs:
    about: dict[str, Any] = {"heart": cycle.heart, "layers": dict(cycle.layers), "depth": cycle.depth}
    return seeing.Inputs(now=cycle.tell_now(), bases=list(bases), room=list(room), folder=folder, **about)


def _ask_at_once(cycle: Cycle, waiting: Waiting, room: Sequence[str]) -> list[Issue] | None:
    """One question for all that changed; None where that cannot be, no reply was of use, or rules answer all."""
    if cycle.contract is None or not _fit(cycle, waiting):
        return None
    inputs = _inputs(cycle, [base for _, base in waiting.values()], room)
    timeout = cycle.app.config.number("heartbeat.kb_timeout_seconds")
    answer = cycle.asker.ask(PULSE, inputs, timeout=timeout, contract=cycle.contract, spare=True)
    if answer.degraded in ("malformed", "check"):
        return None
    for briefed, base in waiting.values():
        if answer.degraded is not None:  # no model is to be had, nor will it be for each by itself
            briefed.by, briefed.result = RULES, seeing.rules(_inputs(cycle, [base]))
            continue
        ids = {one.id for one in base.open}
        briefed.by, briefed.at_once = answer.backend, True
        briefed.result = Result(
            items=[item for item in answer.result.items if item.kb == base.kb],
            open=[verdict for verdict in answer.result.open if verdict.matter in ids],
            summary=base.summary,
        )
    return list(answer.result.items) if answer.degraded is None else None


def _fit(cycle: Cycle, waiting: Waiting) -> bool:
    config, bases = cycle.app.config, [base for _, base in waiting.values()]
    tiers = (PULSE.TIER, *(each.kb.model or PULSE.TIER for each, _ in waiting.values()))
    if config.text("llm.backend") in (OFFLINE, *AGENTS) or len({model_name(config, PULSE.NAME, t) for t in tiers}) > 1:
        return False
    chars = sum(len(line.text) + 6 for base in bases for line in base.lines)
    chars += sum(len(one.what) + 60 for base in bases for one in base.open)
    return chars <= config.whole("limits.one_call_chars")


def _ask_each(cycle: Cycle, waiting: Waiting) -> None:
    first = cycle.asker.allowance.reserve(len(waiting))
    left, show = list(waiting), cycle.app.progress if cycle.has_model else lambda line: None

    def ask(numbered: tuple[int, tuple[Briefed, Base]]) -> None:
        number, (briefed, base) = numbered
        show(f"briefs: {len(waiting) - len(left)} of {len(waiting)}, at {', '.join(left[:4])}")
        assert briefed.look is not None
        home = os.path.realpath(briefed.kb.folder)
        answer = cycle.asker.ask(
            BRIEF,
            _inputs(cycle, [base], folder=home),
            number=number,
            model_tier=briefed.kb.model,
            timeout=cycle.app.config.number("heartbeat.kb_timeout_seconds"),
            reads=Folder(home, names=briefed.look.names),
            widen=lambda inputs, result: seeing.widen(inputs, result, reader(cycle.app, briefed.kb)),
        )
        briefed.result = answer.result
        briefed.by = RULES if answer.degraded is not None or answer.backend == OFFLINE else answer.backend
        left.remove(briefed.kb.name)

    try:
        _each_of(cycle.app, ask, list(enumerate(waiting.values(), start=first)))
    finally:
        show("")


def _raise(cycle: Cycle, found: Sequence[Briefed]) -> list[Issue]:
    """What a model's briefs found stands, if it is at least medium; of the others what the rules raise. Worst first."""
    ruled, items = dict[str, list[Signal]](), list[Issue]()
    for each in (each for each in found if each.unavailable is None):
        if each.by_model or (each.unchanged and cycle.has_model):
            items += each.result.items
        else:
            ruled[each.kb.name] = each.signals
    by_rules = [seeing.issue_of(each, kb) for kb, each in wording.rank(ruled)]
    return sorted([*seeing.keep_grave(items), *by_rules], key=lambda each: -RANK[each.severity])


def _base_of(cycle: Cycle, kb: KnowledgeBase, look: looking.Look) -> Base:
    suspects = {(suspect.path, suspect.line) for suspect in look.suspects}
    return Base(
        kb=kb.name,
        description=kb.description,
        open=list(_open_in(cycle, kb.name, suspects)) if cycle.has_model else [],
        lines=look.lines,
        left=look.left,
        signals=look.signals,
        summary=look.summary,
    )


def _open_in(cycle: Cycle, kb: str, suspects: set[tuple[str, int]]) -> Iterator[OpenMatter]:
    floor, shown = RANK[cycle.app.config.text("heartbeat.escalate_at")], cycle.picture.shown()
    mine = [each for each in shown if each.kb == kb and (each.certain or each.listed or each.by != RULES)]
    owed = {each.id for each in mine if is_owed(each, floor)}
    mine.sort(key=lambda each: (each.id in owed, each.rank), reverse=True)
    for each in mine[: min(max(seeing.MAX_OPEN, len(owed)), seeing.MOST_OPEN)]:
        cited = each.evidence[0]
        hidden = (cited.path, cited.line) in suspects
        text = looking.replacement(cited.path, cited.line) if hidden else message.said(each)
        said = [f"told {each.told[:10]}" if each.told else "", f"held back: {each.held}" if each.held else ""]
        yield OpenMatter(
            id=each.id,
            what=text,
            when=message.when(each, cycle.now.date()),
            severity=each.severity,
            path=cited.path,
            line=cited.line,
            quote=text if hidden else cited.quote,
            said="; ".join(filter(None, said)),
            decide=each.id in owed,
        )


def is_owed(each: Open, floor: int) -> bool:
    """Whether structure is certain, would tell it, and no model has said anything of it yet."""
    certain = each.certain and each.tellable and each.by == RULES and not each.told and CLASH not in each.rests
    return certain and RANK[severity_of(each.severity)] >= floor and not (each.tell or each.held)


def estimate(cycle: Cycle) -> dict[str, Any]:
    """What asking would cost at most, asking nobody: {calls, tokens, by_kb, by_layer, reply_tokens_max}."""
    waiting = _show(cycle, cycle.found)
    layers = {"soul": cycle.layers.get("soul", ""), "heart": "\n".join(text for _, text in cycle.heart.items())}
    bases = [base for _, base in waiting.values()]
    at_once = bool(waiting) and _fit(cycle, waiting)
    planned = [(PULSE, _inputs(cycle, bases))] if at_once else [(BRIEF, _inputs(cycle, [base])) for base in bases]
    costs, by_layer = list[int](), dict.fromkeys(layers, 0)
    for judgement, inputs in planned:
        system, text = cycle.asker.prompt(judgement, inputs)
        costs.append(tokens(system, text))
        for name, layer in layers.items():
            by_layer[name] += tokens(*(line for line in layer.split("\n") if line.strip() and line.strip() in text))
    shares = [tokens("\n".join(line.text for line in base.lines)) for base in bases] if at_once else costs
    return {
        "calls": len(planned),
        "tokens": sum(costs),
        "by_kb": {base.kb: share for base, share in zip(bases, shares, strict=True)},
        "by_layer": by_layer,
        "reply_tokens_max": sum(cycle.asker.settings(judgement)[1] for judgement, _ in planned),
    }


def reader(app: App, kb: KnowledgeBase) -> Find:
    """Gives the lines of a knowledge base's file by its path, as code reads it; None for what is none of its texts."""
    known, limits = dict[str, Entry](), opened.limits_of(app.config)

    def find(path: str) -> Sequence[str] | None:
        if not known:
            known.update((entry.path, entry) for entry in opened.list_files(kb, limits).entries)
        with suppress(KeyError, OSError):
            return folder.text_of(kb.folder, known[path], limits.file_bytes).split("\n")
        return None

    return find
