"""OPINION. Another heart: what today's rules would raise of the recorded pulses and of the folders as they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import msgspec

from adjutant.domain.matters.signal import Signal
from adjutant.judgements import brief, escalation, pulse, synthesis, triage
from adjutant.judgements.asking import OFFLINE
from adjutant.judgements.material import RANK, Issue
from adjutant.judgements.seeing import Base
from adjutant.records.heart import Heart
from adjutant.records.suggestion import BY_RULES, Decided
from adjutant.replay import replay
from adjutant.replay.history import RecordedRun
from adjutant.replay.looks import Looked, Looks, OutOfTime
from adjutant.replay.sides import TODAY, Copy, Lane, count, one_line, row

RAISING = (brief.NAME, pulse.NAME, triage.NAME, synthesis.NAME)
NOT_RAISED = "not raised"


class _RunInputs(NamedTuple):
    """A run on record, the inputs of its questions, and the knowledge bases that it was about."""

    kept: RecordedRun
    asked: list[Any]
    bases: dict[str, Base]


def rehearse(copy: Copy) -> Lane:
    """Pulses and reviews on record, and the knowledge bases as they lie there now, under both hearts.

    Raises FileDamaged, IoFailed."""
    return _HeartWalk(copy).lane()


def muted(copy: Copy) -> list[Issue]:
    """The open matters of the knowledge bases as they lie there now that nobody would hear of any more with the other
    heart. Raises FileDamaged, IoFailed."""
    was, now = _HeartWalk(copy).today()[1:]
    return [each for each in was if _same(each, now) is None]


class _HeartWalk:
    """One walk over what lies there now, then over the record, from the newest run to the oldest."""

    def __init__(self, copy: Copy) -> None:
        self._copy = copy
        self._looks = Looks(copy)
        self._judged = self._by_model = 0

    def lane(self) -> Lane:
        """What came of it."""
        folders, was, now = self.today()
        today = list(_differences(TODAY, triage.NAME, was, now, folders))
        found = self._copy.history((*RAISING, escalation.NAME))
        changed: list[Decided] = []
        runs: set[str] = set()
        for run in self._read(found.runs):
            try:
                changed += self._decided(run)
            except OutOfTime:
                break
            except Exception:  # noqa: BLE001 - a record that was edited can be wrong in any way; the walk goes on
                self._copy.damaged += 1
                continue
            runs.add(run.kept.run)
            self._judged += len(run.kept.records)
            self._by_model += sum(each.backend != OFFLINE for each in run.kept.records)
        known = {(each.what, each.then, each.now) for each in changed}
        changed += [each for each in today if (each.what, each.then, each.now) not in known]
        notes = tuple(self._notes(len(folders)))
        return Lane(BY_RULES, frozenset(runs), self._judged + bool(folders), tuple(changed), notes)

    def today(self) -> tuple[dict[str, Looked], list[Issue], list[Issue]]:
        """The knowledge bases as they lie there, those for which there was time, and what is raised of them."""
        when, looked = self._copy.app.clock.now(), dict[str, Looked]()
        for kb in self._looks.kbs.values():
            if not kb.enabled:
                continue
            try:
                looked[kb.name] = self._looks.today(kb, when)
            except OutOfTime:
                break
            except OSError:
                continue  # a pulse names it as unavailable
            except Exception:  # noqa: BLE001 - a text our reader stumbles over; pulse makes a report of it
                self._copy.damaged += 1
        return looked, *_raised(looked)

    def _notes(self, folders: int) -> Iterator[str]:
        if folders:
            yield f"looked at besides: {count(folders, 'knowledge base')} as of now"
        if self._looks.rebuilt:
            yield (
                f"{count(len(self._looks.rebuilt), 'text')} changed since or went: judged by the lines on record, "
                "which are not all there were"
            )
        if self._by_model:
            yield (
                f"a model answered {self._by_model} of these questions: what it would say to the other text cannot "
                "be known, the decisions shown are those of the rules"
            )

    # -- one run ---------------------------------------------------------------------------------------------

    def _read(self, runs: Sequence[RecordedRun]) -> list[_RunInputs]:
        """The runs, newest first: a knowledge base that had not changed is as an older one saw it."""
        found: list[_RunInputs] = []
        standing: dict[str, Base] = {}
        for kept in reversed(runs):
            asked = list(self._inputs(kept))
            bases = {base.kb: base for each in asked for base in getattr(each, "bases", ())}
            for each in asked:
                if isinstance(each, triage.Inputs):
                    bases = {kb: standing.get(kb) or _unseen(kb, each) for kb in each.signals} | bases
            found.append(_RunInputs(kept, asked, bases))
            standing |= bases
        return found[::-1]

    def _inputs(self, kept: RecordedRun) -> Iterator[Any]:
        """The inputs of a run's questions; those that are none of today's are counted."""
        for recorded in kept.records:
            try:
                yield replay.inputs_of(recorded)
            except replay.Unreplayable:
                self._copy.damaged += 1

    def _decided(self, run: _RunInputs) -> list[Decided]:
        """The decisions of a run that would change. Raises OutOfTime."""
        when = datetime.fromisoformat(run.kept.records[0].ts)
        looked = {kb: self._looks.again(base, when) for kb, base in run.bases.items()}
        was, now = _raised(looked)
        names = [each.judgement for each in run.kept.records if each.judgement in RAISING]
        changed = list(_differences(run.kept.run, names[-1], was, now, looked)) if names else []
        for asked in run.asked:
            if isinstance(asked, escalation.Inputs):
                for filed in asked.waiting:
                    changed += self._escalated(run.kept.run, filed, was, now)
        return changed

    def _escalated(
        self, run: str, filed: escalation.Filed, was: Sequence[Issue], now: Sequence[Issue]
    ) -> Iterator[Decided]:
        """An insight of the same run: not filed any more, or filed at another severity."""
        source = next((each for each in was if (each.kb, each.title) == (filed.kb, filed.title)), None)
        if source is None:
            return  # of an earlier run, or in a model's words
        after, floor = _same(source, now), RANK[self._copy.app.config.text("heartbeat.escalate_at")]
        then, new = escalation.rule(filed).action, "not filed, so nothing to decide"
        if after is not None and RANK[after.severity] >= floor:
            new = escalation.rule(msgspec.structs.replace(filed, severity=after.severity)).action
        if new != then:
            yield row(run, escalation.NAME, f"{filed.kb}: {one_line(filed.title)}", then, new)


def _unseen(kb: str, asked: triage.Inputs) -> Base:
    """A knowledge base of which only the signals are on record."""
    return Base(kb=kb, description="", open=[], lines=[], left=0, signals=asked.signals[kb], summary="")


def _raised(looked: Mapping[str, Looked]) -> tuple[list[Issue], list[Issue]]:
    """The rules' issues, before and after."""
    was = {kb: each.was for kb, each in looked.items()}
    now = {kb: each.now for kb, each in looked.items()}
    return _issues(was), _issues(now)


def _issues(signals: dict[str, list[Signal]]) -> list[Issue]:
    return triage.rules(triage.Inputs(now="", heart=Heart(), briefs=[], signals=signals)).issues


def _differences(
    run: str, judgement: str, was: Sequence[Issue], now: Sequence[Issue], looked: Mapping[str, Looked]
) -> Iterator[Decided]:
    """Issues that are raised on one side alone, or at another severity."""
    for issue in was:
        after, first = _same(issue, now), issue.cited[0]
        if after is None:
            why = looked[issue.kb].muted.get((first.path, first.line), "")
            yield row(run, judgement, _name(issue), issue.severity, f"{NOT_RAISED} ({why})" if why else NOT_RAISED)
        elif after.severity != issue.severity:
            yield row(run, judgement, _name(issue), issue.severity, after.severity)
    for issue in now:
        if _same(issue, was) is None:
            yield row(run, judgement, _name(issue), NOT_RAISED, issue.severity)


def _name(issue: Issue) -> str:
    return f"{issue.kb}: {one_line(issue.title)}"


def _same(issue: Issue, others: Sequence[Issue]) -> Issue | None:
    """The issue of `others` that is about the same line."""
    cited = {(issue.kb, each.path, each.line) for each in issue.cited}
    return next(
        (other for other in others if any((other.kb, each.path, each.line) in cited for each in other.cited)), None
    )
