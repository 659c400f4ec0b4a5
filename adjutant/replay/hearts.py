"""OPINION. Another heart: what today's rules would raise of the recorded pulses and of the folders as they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from typing import Any, NamedTuple

import msgspec

from adjutant.app import plural
from adjutant.documents import document
from adjutant.domain.matters import drawing, extract, opened
from adjutant.domain.matters import look as looking
from adjutant.domain.matters.fact import Reading
from adjutant.domain.matters.signal import Signal
from adjutant.judgements import brief, escalation, pulse, synthesis, triage
from adjutant.judgements.asking import OFFLINE
from adjutant.judgements.material import RANK, Issue
from adjutant.judgements.recording import Recorded
from adjutant.judgements.seeing import Base
from adjutant.records import registry
from adjutant.records.heart import Heart
from adjutant.records.registry import KnowledgeBase
from adjutant.records.suggestion import BY_RULES, Decided
from adjutant.replay import replay
from adjutant.replay.sides import TODAY, Copy, Lane, one_line, row

RAISING = (brief.NAME, pulse.NAME, triage.NAME, synthesis.NAME)
NOT_RAISED = "not raised"
MOST_LINES = 200_000  # of a file; a record that was edited may name any number
Looked = Mapping[str, Sequence[list[Signal]]]  # {knowledge base: its signals under the one heart and the other}


def rehearse(copy: Copy) -> Lane:
    """Pulses and reviews on record, and the knowledge bases as they lie there now, under both hearts.

    Raises FileDamaged, IoFailed."""
    looks = _Looks(copy)
    lying = looks.look_today()
    changed: list[Decided] = []
    judged: list[Recorded] = []
    runs: set[str] = set()
    for run in _read(copy):
        try:
            changed += _decide(copy, looks, run)
        except _OutOfTime:
            break
        except Exception:  # noqa: BLE001 - a record that was edited can be wrong in any way; the walk goes on
            copy.budget.damaged += 1
            continue
        runs.add(run.id)
        judged += run.records
    known = {(each.what, each.then, each.now) for each in changed}
    today = _differences(TODAY, triage.NAME, lying)
    changed += [each for each in today if (each.what, each.then, each.now) not in known]
    notes = [f"looked at besides: {plural(len(lying), 'knowledge base')} as of now"] if lying else []
    if runs:
        notes.append("recorded runs are judged by the lines on record, which are not all there were")
    if by_model := sum(each.backend != OFFLINE for each in judged):
        notes.append(
            f"a model answered {by_model} of these questions: what it would say to the other text cannot be known, "
            "the decisions shown are those of the rules"
        )
    return Lane(BY_RULES, frozenset(runs), len(judged) + bool(lying), tuple(changed), tuple(notes))


# -- what is looked at -------------------------------------------------------------------------------------------


class _OutOfTime(Exception):
    """No time is left for another look."""


class _Looks:
    """Looks again, each text once a day: the folders as they lie there, and what a run was shown of them."""

    def __init__(self, copy: Copy) -> None:
        """Raises FileDamaged (the registry), IoFailed."""
        self._copy, self._config = copy, copy.app.config
        self._kbs = {kb.name: kb for kb in registry.load(copy.app.files)}
        self._seen: dict[tuple[object, ...], list[list[Signal]]] = {}

    def look_today(self) -> dict[str, list[list[Signal]]]:
        """The knowledge bases as they lie there, those for which there was time."""
        when, looked = self._copy.app.clock.now(), dict[str, list[list[Signal]]]()
        files, budget = self._copy.before.files, self._copy.budget
        for kb in (each for each in self._kbs.values() if each.enabled):
            try:
                there = opened.open_base(files, self._config, kb, when, lambda size: not budget.over)
                looked[kb.name] = self._look(kb, there.found.readings, when)
            except _OutOfTime:
                break
            except OSError:
                continue  # a pulse names it as unavailable
            except Exception:  # noqa: BLE001 - a text our reader stumbles over; pulse makes a report of it
                self._copy.budget.damaged += 1
        return looked

    def look_again(self, base: Base, when: datetime) -> list[list[Signal]]:
        """A knowledge base by the lines that a run was shown of it. Raises _OutOfTime."""
        kb = self._kbs.get(base.kb) or KnowledgeBase(base.kb, "", "", base.description)
        return self._look(kb, [_rebuild(path, lines, when) for path, lines in _lines_on_record(base).items()], when)

    def _look(self, kb: KnowledgeBase, files: Sequence[Reading], when: datetime) -> list[list[Signal]]:
        key = (kb.name, when.date(), *((each.path, each.sha) for each in files))
        if key not in self._seen:
            if self._copy.budget.over:
                raise _OutOfTime
            horizon, reach = self._config.whole("heartbeat.horizon_days"), drawing.reach(self._config, when)
            hearts = (side.heart for side in self._copy.sides)
            self._seen[key] = [looking.extract(kb, files, each, when, horizon, reach).signals for each in hearts]
        return self._seen[key]


def _lines_on_record(base: Base) -> dict[str, dict[int, str]]:
    """{path: {line: text}} that a run was shown, quotes where there are no whole lines."""
    known: dict[str, dict[int, str]] = {}
    quoted = [(cited.path, cited.line, cited.quote) for signal in base.signals for cited in signal.evidence]
    for path, number, text in (*((line.path, line.line, line.text) for line in base.lines), *quoted):
        if 1 <= number <= MOST_LINES:
            known.setdefault(path, {}).setdefault(number, text)
    return known


def _rebuild(path: str, lines: Mapping[int, str], when: datetime) -> Reading:
    text = "\n".join(lines.get(number, "") for number in range(1, max(lines) + 1))
    got = extract.read(document.read(path, text, near=when.date()), when.date(), when.date(), None)
    return Reading(path, len(text), 0, when.date(), got.facts, got.seen, f"rebuilt {hash(text)}", False)


# -- one run -----------------------------------------------------------------------------------------------------


class _Run(NamedTuple):
    """A run on record, the inputs of its questions, and the knowledge bases that it was about."""

    id: str
    records: list[Recorded]
    asked: list[Any]
    bases: dict[str, Base]


def _read(copy: Copy) -> list[_Run]:
    """The runs, newest first: a knowledge base that had not changed is as an older one saw it."""
    found: list[_Run] = []
    standing: dict[str, Base] = {}
    every = sorted(copy.asked((*RAISING, escalation.NAME)), key=lambda each: each.run)
    for run, several in groupby(every, key=lambda each: each.run):
        records = [each.recorded for each in several]
        asked = list(_inputs(copy, records))
        bases = {base.kb: base for each in asked for base in getattr(each, "bases", ())}
        for each in asked:
            if isinstance(each, triage.Inputs):
                bases = {kb: standing.get(kb) or _unseen(kb, each) for kb in each.signals} | bases
        found.append(_Run(run, records, asked, bases))
        standing |= bases
    return found[::-1]


def _inputs(copy: Copy, records: Iterable[Recorded]) -> Iterator[Any]:
    """The inputs of questions; those that are none of today's are counted."""
    for recorded in records:
        try:
            yield replay.inputs_of(recorded)
        except replay.Unreplayable:
            copy.budget.damaged += 1


def _unseen(kb: str, asked: triage.Inputs) -> Base:
    """A knowledge base of which only the signals are on record."""
    return Base(kb=kb, description="", open=[], lines=[], left=0, signals=asked.signals[kb], summary="")


def _decide(copy: Copy, looks: _Looks, run: _Run) -> list[Decided]:
    """The decisions of a run that would change. Raises _OutOfTime."""
    when = datetime.fromisoformat(run.records[0].ts)
    looked = {kb: looks.look_again(base, when) for kb, base in run.bases.items()}
    names = [each.judgement for each in run.records if each.judgement in RAISING]
    changed = list(_differences(run.id, names[-1], looked)) if names else []
    was, now = _raise(looked)
    filed = [each for asked in run.asked if isinstance(asked, escalation.Inputs) for each in asked.waiting]
    return [*changed, *(made for each in filed for made in _escalate(copy, run.id, each, was, now))]


def _escalate(
    copy: Copy, run: str, filed: escalation.Filed, was: Sequence[Issue], now: Sequence[Issue]
) -> Iterator[Decided]:
    """An insight of the same run: not filed any more, or filed at another severity."""
    source = next((each for each in was if (each.kb, each.title) == (filed.kb, filed.title)), None)
    if source is None:
        return  # of an earlier run, or in a model's words
    after, floor = _same(source, now), RANK[copy.app.config.text("heartbeat.escalate_at")]
    then, new = escalation.rule(filed).action, "not filed, so nothing to decide"
    if after is not None and RANK[after.severity] >= floor:
        new = escalation.rule(msgspec.structs.replace(filed, severity=after.severity)).action
    if new != then:
        yield row(run, escalation.NAME, f"{filed.kb}: {one_line(filed.title)}", then, new)


# -- what is raised ----------------------------------------------------------------------------------------------


def _raise(looked: Looked) -> list[list[Issue]]:
    """The rules' issues under the one heart and the other: of what a triage gets to see."""
    sides = [
        {kb: [each for each in found[side] if not each.muted and each.listed] for kb, found in looked.items()}
        for side in (0, 1)
    ]
    return [triage.rules(triage.Inputs(now="", heart=Heart(), briefs=[], signals=each)).issues for each in sides]


def _differences(run: str, judgement: str, looked: Looked) -> Iterator[Decided]:
    """Issues that are raised on one side alone, or at another severity."""
    was, now = _raise(looked)
    for issue in was:
        after = _same(issue, now)
        new = after.severity if after is not None else _why_left(issue, looked[issue.kb][1])
        if new != issue.severity:
            yield row(run, judgement, f"{issue.kb}: {one_line(issue.title)}", issue.severity, new)
    for issue in now:
        if _same(issue, was) is None:
            yield row(run, judgement, f"{issue.kb}: {one_line(issue.title)}", NOT_RAISED, issue.severity)


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
