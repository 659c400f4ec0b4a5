"""OPINION. Another heart: what today's rules would raise of the folders as they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from adjutant.app import plural
from adjutant.domain.matters import drawing, opened, wording
from adjutant.domain.matters import look as looking
from adjutant.domain.matters.signal import Signal
from adjutant.judgements import pulse, seeing
from adjutant.judgements.asking import OFFLINE
from adjutant.judgements.material import Issue
from adjutant.records import registry
from adjutant.records.suggestion import BY_RULES, Decided
from adjutant.replay.sides import TODAY, Copy, Lane, one_line, row

NOT_RAISED = "not raised"
Looked = dict[str, list[list[Signal]]]  # {knowledge base: its signals under the one heart and the other}


def rehearse(copy: Copy) -> Lane:
    """The knowledge bases as they lie there now, under both hearts. Raises FileDamaged, IoFailed."""
    looked = look_today(copy)
    if not looked:
        return Lane()
    notes = [f"looked at: {plural(len(looked), 'knowledge base')} as of now"]
    if copy.app.config.text("llm.backend") != OFFLINE:
        notes.append("what a model would say under the other heart cannot be known: these decisions are the rules'")
    return Lane(BY_RULES, frozenset(), 1, tuple(_differences(looked)), tuple(notes))


def look_today(copy: Copy) -> Looked:
    """The knowledge bases for which there is time. Raises FileDamaged (the registry), IoFailed."""
    config, files, budget, when = copy.app.config, copy.before.files, copy.budget, copy.app.clock.now()
    horizon, reach = config.whole("heartbeat.horizon_days"), drawing.reach(config, when)
    looked: Looked = {}
    for kb in (each for each in registry.load(copy.app.files) if each.enabled):
        if budget.over:
            break
        try:
            found = opened.open_base(files, config, kb, when, lambda size: not budget.over).found.readings
            hearts = (side.heart for side in copy.sides)
            looked[kb.name] = [looking.extract(kb, found, each, when, horizon, reach).signals for each in hearts]
        except OSError:
            continue  # a pulse names it as unavailable
        except Exception:  # noqa: BLE001 - a text our reader stumbles over; pulse makes a report of it
            budget.damaged += 1
    return looked


def _differences(looked: Looked) -> Iterator[Decided]:
    """Issues that are raised on one side alone, or at another severity."""
    was, now = (_raise(looked, side) for side in (0, 1))
    for issue in was:
        after = _same(issue, now)
        new = after.severity if after is not None else _why_left(issue, looked[issue.kb][1])
        if new != issue.severity:
            yield row(TODAY, pulse.NAME, f"{issue.kb}: {one_line(issue.title)}", issue.severity, new)
    for issue in now:
        if _same(issue, was) is None:
            yield row(TODAY, pulse.NAME, f"{issue.kb}: {one_line(issue.title)}", NOT_RAISED, issue.severity)


def _raise(looked: Looked, side: int) -> list[Issue]:
    """The rules' issues under one of the hearts."""
    return [seeing.issue_of(each, kb) for kb, each in wording.ranked({kb: each[side] for kb, each in looked.items()})]


def _why_left(issue: Issue, signals: Iterable[Signal]) -> str:
    """That the rules leave a matter alone, and why where something tells."""
    place = issue.cited[0].path, issue.cited[0].line
    for each in signals:
        if (each.path, each.line) == place and (each.muted or not each.listed):
            return f"{NOT_RAISED} ({each.muted or ('irrelevant' if each.concern is None else f'{each.severity} only')})"
    return NOT_RAISED


def _same(issue: Issue, others: Sequence[Issue]) -> Issue | None:
    """The issue of `others` that is about the same line."""
    cited = {(issue.kb, each.path, each.line) for each in issue.cited}
    return next(
        (other for other in others if any((other.kb, each.path, each.line) in cited for each in other.cited)), None
    )
