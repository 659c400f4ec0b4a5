"""OPINION. A rehearsal: a change is applied to a copy, and what today's rules read of it is decided again."""

import posixpath
from collections.abc import Iterable, Iterator, Sequence

from adjutant.app import App, plural
from adjutant.domain.matters import drawing, opened, wording
from adjutant.domain.matters import look as looking
from adjutant.domain.matters.signal import Signal
from adjutant.judgements import seeing
from adjutant.judgements.asking import OFFLINE
from adjutant.judgements.material import Issue
from adjutant.records import heart as hearts
from adjutant.records import registry
from adjutant.records.suggestion import BY_RULES, UNKNOWN, Change, Decided, Rehearsal
from adjutant.screening.fence import clean_line
from adjutant.screening.screen import screen

SECONDS = 10.0  # a rehearsal takes no longer; what it did not come to is said
MOST_SHOWN = 12
WHAT, DECISION = 100, 140  # characters
NOT_RAISED = "not raised"
INSTRUCTION = "(a line that reads like an instruction)"
WORDS = "what a model makes of new words was never recorded and cannot be known"
Looked = dict[str, list[list[Signal]]]  # {knowledge base: its signals under the one heart and the other}


def rehearse(app: App, change: Change) -> Rehearsal:
    """What would be decided otherwise with `change`: of the heart, which rules read, on the knowledge bases as they lie
    there. Asks no model and writes nothing. Raises Stopped, FileDamaged (the registry), IoFailed."""
    inside = app.tree.inside
    if posixpath.normpath(inside(app.config.text("layers.heart.path"))) != posixpath.normpath(inside(change.path)):
        return Rehearsal(UNKNOWN, note=WORDS)
    looked, notes = _look(app, change)
    if not looked:
        return Rehearsal(UNKNOWN, note="; ".join([*notes, "there is no knowledge base to look at"]))
    notes.insert(0, f"{plural(len(looked), 'knowledge base')} as of now")
    if app.config.text("llm.backend") != OFFLINE:
        notes.append("these decisions are the rules', what a model would say cannot be known")
    changed = list(_differences(looked))
    return Rehearsal(BY_RULES, len(changed), tuple(changed[:MOST_SHOWN]), "; ".join(notes))


def _look(app: App, change: Change) -> tuple[Looked, list[str]]:
    config, when, until = app.config, app.clock.now(), app.clock.monotonic() + SECONDS
    horizon, reach = config.whole("heartbeat.horizon_days"), drawing.reach(config, when)
    sides = [hearts.parse(text or "") for text in (change.before, change.after)]
    looked, notes = Looked(), list[str]()
    for kb in (each for each in registry.load(app.files) if each.enabled):
        if app.clock.monotonic() >= until:
            notes.append("time was up before all of them were looked at")
            break
        try:
            base = opened.open_base(app.files, config, kb, when, lambda size: app.clock.monotonic() < until)
            found = [looking.extract(kb, base.found.readings, heart, when, horizon, reach) for heart in sides]
            looked[kb.name] = [each.signals for each in found]
        except OSError:
            continue  # a pulse names it as unavailable
        except Exception:  # noqa: BLE001 - a text our reader stumbles over; pulse makes a report of it
            notes.append(f"{kb.name} could not be read")
    return looked, notes


def _differences(looked: Looked) -> Iterator[Decided]:
    sides = (wording.rank({kb: each[side] for kb, each in looked.items()}) for side in (0, 1))
    was, now = ([seeing.issue_of(each, kb) for kb, each in side] for side in sides)
    for issue in was:
        after = _same(issue, now)
        new = after.severity if after is not None else _why_left(issue, looked[issue.kb][1])
        if new != issue.severity:
            yield _row(issue, issue.severity, new)
    for issue in now:
        if _same(issue, was) is None:
            yield _row(issue, NOT_RAISED, issue.severity)


def _why_left(issue: Issue, signals: Iterable[Signal]) -> str:
    place = issue.cited[0].path, issue.cited[0].line
    for each in signals:
        if (each.path, each.line) == place and (each.muted or not each.listed):
            return f"{NOT_RAISED} ({each.muted or ('irrelevant' if each.concern is None else f'{each.severity} only')})"
    return NOT_RAISED


def _same(issue: Issue, others: Sequence[Issue]) -> Issue | None:
    cited = {(issue.kb, each.path, each.line) for each in issue.cited}
    about = (other for other in others if any((other.kb, each.path, each.line) in cited for each in other.cited))
    return next(about, None)


def _row(issue: Issue, then: str, now: str) -> Decided:
    """A decision that would be another, each part as one clean line; what is quoted may be anybody's words."""
    what = f"{issue.kb}: {issue.title}"
    told = INSTRUCTION if screen(what) else clean_line(what, WHAT)
    return Decided("today", seeing.PULSE.NAME, told, clean_line(then, DECISION), clean_line(now, DECISION))
