"""OPINION. Recorded pulses and reviews under another heart: what today's rules would raise."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple, TypeVar

import msgspec

from adjutant.judgements import brief, escalation, past, pulse, replaying, synthesis, triage
from adjutant.judgements.asking import OFFLINE
from adjutant.judgements.copying import TODAY, Copy, Lane, counted, left_out, row, told, tried
from adjutant.judgements.material import RANK, Issue
from adjutant.judgements.past import Kept
from adjutant.judgements.recording import Recorded
from adjutant.judgements.relooking import Looked, Looks, OutOfTime, Shown
from adjutant.judgements.seeing import Base
from adjutant.records import heart as hearts
from adjutant.records import layers
from adjutant.records.heart import Heart
from adjutant.records.suggestion import BY_RULES, Decided
from adjutant.store.files import Files

JUDGED = (pulse.NAME, brief.NAME, triage.NAME, synthesis.NAME, escalation.NAME)
NOT_RAISED = "not raised"
T = TypeVar("T")


def rehearse(copy: Copy) -> Lane:
    """Pulses and reviews on record, and the knowledge bases as they lie there now, under the heart of both sides.

    Raises FileDamaged, IoFailed."""
    was = _heart(copy, copy.before)
    now = tried(lambda: _heart(copy, copy.after))
    if isinstance(now, str):
        return Lane(BY_RULES, changed=(row(TODAY, triage.NAME, copy.path, "read", f"would fail: {now}"),))
    return _Again(copy, was, now).lane()


def muted(copy: Copy) -> list[Issue]:
    """The open matters of the knowledge bases as they lie there now that nobody would hear of any more with the other
    heart. Raises FileDamaged, IoFailed."""
    return _Again(copy, _heart(copy, copy.before), _heart(copy, copy.after)).muted()


def _heart(copy: Copy, files: Files) -> Heart:
    return hearts.parse(layers.read(files, copy.config, "heart").text)


class _Brief(NamedTuple):
    """A knowledge base as a run showed it, alone or with others, under which heart."""

    base: Base
    heart: Heart


Briefs = dict[str, _Brief]


class _Run(NamedTuple):
    """A run on record: what its questions showed, by number; its briefs, and those that stood when it began."""

    kept: Kept
    shown: dict[int, list[_Brief]]
    briefs: Briefs
    standing: Briefs


class _Again:
    """One walk over what lies there now, then over the record, from the newest run to the oldest."""

    def __init__(self, copy: Copy, was: Heart, now: Heart) -> None:
        self._copy, self._was, self._now = copy, was, now
        self._looks = Looks(copy, was, now)
        self._judged = self._by_model = self._damaged = self._folders = 0

    def lane(self) -> Lane:
        """What came of it."""
        today = list(self._today())
        found = past.runs(self._copy.before, JUDGED, self._copy.budget)
        self._damaged += found.damaged
        changed: list[Decided] = []
        runs: set[str] = set()
        for run in self._read(found.runs):
            before = self._judged, self._by_model
            try:
                changed += self._judge(run)
            except OutOfTime:
                self._judged, self._by_model = before
                break
            runs.add(run.kept.run)
        known = {(each.what, each.then, each.now) for each in changed}
        changed += [each for each in today if (each.what, each.then, each.now) not in known]
        return Lane(BY_RULES, frozenset(runs), self._judged, tuple(changed), tuple(self._notes()))

    def _read(self, runs: Sequence[Kept]) -> list[_Run]:
        """The runs with their briefs, newest first: a knowledge base that did not change is briefed by an older one."""
        read: list[_Run] = []
        standing: Briefs = {}
        for kept in reversed(runs):
            shown = {recorded.number: self._shown(recorded) for recorded in kept.records}
            briefs = {each.base.kb: each for found in shown.values() for each in found}
            read.append(_Run(kept, shown, briefs, standing))
            standing = {**standing, **briefs}
        return read[::-1]

    def _notes(self) -> Iterator[str]:
        if self._folders:
            yield f"looked at besides: {counted(self._folders, 'knowledge base')} as of now"
        if self._looks.rebuilt:
            yield (
                f"{counted(len(self._looks.rebuilt), 'text')} changed since or went: judged by the lines on record, "
                "which are not all there were"
            )
        if self._by_model:
            yield (
                f"a model answered {self._by_model} of these questions: what it would say to the other text cannot "
                "be known, the decisions shown are those of the rules"
            )
        yield from left_out(self._damaged, ran_out=self._copy.budget.ran_out)

    # -- one run ---------------------------------------------------------------------------------------------

    def _judge(self, run: _Run) -> list[Decided]:
        """The decisions of a run that would be others; a record that cannot be judged again is counted. Raises
        OutOfTime."""
        try:
            return list(self._decisions(run))
        except OutOfTime:
            raise
        except Exception:  # noqa: BLE001 - a record that was edited can be wrong in any way; the walk goes on
            self._damaged += 1
            return []

    def _decisions(self, run: _Run) -> Iterator[Decided]:
        kept, looked = run.kept, dict[str, Looked]()
        for recorded in kept.records:
            shown = run.shown[recorded.number]
            if shown:
                self._count(recorded)
            for each in shown:
                base, when = each.base, datetime.fromisoformat(recorded.ts)
                looked[base.kb] = self._looks.again(
                    Shown(base.kb, base.description, base.lines, base.signals, each.heart, when)
                )
        was, now = self._raised(looked, datetime.fromisoformat(kept.records[0].ts))
        told_of = {recorded.judgement for recorded in kept.records} & {triage.NAME, synthesis.NAME}
        if not told_of:  # a model is not asked to choose from nothing, and a run can end before it comes to that
            yield from _differences(kept.run, brief.NAME, was, now, looked)
        for recorded in kept.records:
            if recorded.judgement not in (brief.NAME, pulse.NAME):
                self._count(recorded)
            if recorded.judgement == triage.NAME and (asked := self._inputs(recorded, triage.Inputs)) is not None:
                looked |= {kb: self._unbriefed(run, kb, asked, recorded.ts) for kb in asked.signals if kb not in looked}
                was, now = self._raised(looked, datetime.fromisoformat(recorded.ts))
                yield from _differences(kept.run, triage.NAME, was, now, looked)
            elif recorded.judgement == synthesis.NAME and (day := self._inputs(recorded, synthesis.Inputs)) is not None:
                yield from self._reviewed(kept.run, recorded, day, looked)
            elif (
                recorded.judgement == escalation.NAME
                and (filed := self._inputs(recorded, escalation.Inputs)) is not None
            ):
                for one in filed.waiting:
                    yield from self._escalated(kept.run, one, was, now)

    def _shown(self, recorded: Recorded) -> list[_Brief]:
        """The knowledge bases that a question was about, as they were shown."""
        if recorded.judgement == brief.NAME:
            one = self._inputs(recorded, brief.Inputs)
            return [_Brief(one.base, one.heart)] if one is not None else []
        if recorded.judgement == pulse.NAME:
            all_of = self._inputs(recorded, pulse.Inputs)
            return [_Brief(base, all_of.heart) for base in all_of.bases] if all_of is not None else []
        return []

    def _inputs(self, recorded: Recorded, kind: type[T]) -> T | None:
        """The inputs as they were; None, and counted, where they are none of today's."""
        try:
            return msgspec.convert(recorded.inputs, kind)
        except msgspec.ValidationError:
            self._damaged += 1
            return None

    def _count(self, recorded: Recorded) -> None:
        self._judged += 1
        self._by_model += recorded.backend != OFFLINE

    def _unbriefed(self, run: _Run, kb: str, asked: triage.Inputs, ts: str) -> Looked:
        """A knowledge base that had not changed: what stood in its last brief that is on record."""
        last = run.standing.get(kb)
        return self._looks.again(
            Shown(
                kb,
                last.base.description if last else "",
                last.base.lines if last else [],
                asked.signals[kb],
                asked.heart,
                datetime.fromisoformat(ts),
            )
        )

    def _raised(self, looked: Mapping[str, Looked], when: datetime) -> tuple[list[Issue], list[Issue]]:
        """The rules' issues, before and after."""
        was, now = (
            triage.Inputs(now=when.isoformat(), heart=heart, briefs=[], signals=signals)
            for heart, signals in (
                (self._was, {kb: each.was for kb, each in looked.items()}),
                (self._now, {kb: each.now for kb, each in looked.items()}),
            )
        )
        return triage.rules(was).issues, triage.rules(now).issues

    def _reviewed(
        self,
        run: str,
        recorded: Recorded,
        day: synthesis.Inputs,
        looked: Mapping[str, Looked],
    ) -> Iterator[Decided]:
        """A review: its standing issues, and whether a model's recorded words on them would still pass the check."""
        every, after = self._raised(looked, datetime.fromisoformat(recorded.ts))
        was = [each for each in every if _same(each, day.issues)]
        now = [each for each in after if _same(each, day.issues) or not _same(each, every)]  # a mark silences others
        yield from _differences(run, synthesis.NAME, was, now, looked)
        sides = [
            msgspec.structs.replace(day, heart=heart, issues=_merged(day.issues, was, issues))
            for heart, issues in ((self._was, was), (self._now, now))
        ]
        then, new = (replaying.replay(_with(recorded, side)) for side in sides)
        if then["degraded"] != new["degraded"]:
            yield row(run, synthesis.NAME, "the words of the review", _by(then), _by(new))

    def _escalated(
        self,
        run: str,
        filed: escalation.Filed,
        was: Sequence[Issue],
        now: Sequence[Issue],
    ) -> Iterator[Decided]:
        """An insight of the same run: not filed any more, or filed at another severity."""
        source = next((each for each in was if (each.kb, each.title) == (filed.kb, filed.title)), None)
        if source is None:
            return  # of an earlier run, or in a model's words
        after = _same(source, now)
        floor = RANK[self._copy.config.text("heartbeat.escalate_at")]
        then = escalation.rule(filed).action
        if after is None or RANK[after.severity] < floor:
            yield row(run, escalation.NAME, f"{filed.kb}: {told(filed.title)}", then, "not filed, so nothing to decide")
        else:
            new = escalation.rule(msgspec.structs.replace(filed, severity=after.severity)).action
            if new != then:
                yield row(run, escalation.NAME, f"{filed.kb}: {told(filed.title)}", then, new)

    def _today(self) -> Iterator[Decided]:
        """What a pulse would raise of the folders as they are now."""
        looked = self._folders_now()
        self._folders = len(looked)
        self._judged += bool(looked)
        yield from _differences(TODAY, triage.NAME, *self._raised(looked, self._copy.app.clock.now()), looked)

    def muted(self) -> list[Issue]:
        """As the function of this name."""
        was, now = self._raised(self._folders_now(), self._copy.app.clock.now())
        return [each for each in was if _same(each, now) is None]

    def _folders_now(self) -> dict[str, Looked]:
        """The knowledge bases as they lie there; those for which there was time."""
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
                self._damaged += 1
        return looked


def _by(replay: Mapping[str, Any]) -> str:
    return f"the rules', as {replay['check']['error']}" if replay["degraded"] else "the model's"


def _differences(
    run: str,
    judgement: str,
    was: Sequence[Issue],
    now: Sequence[Issue],
    looked: Mapping[str, Looked],
) -> Iterator[Decided]:
    """Issues that are raised on one side alone, or at another severity."""
    for issue in was:
        after, first = _same(issue, now), issue.cited[0]
        if after is None:
            why = looked[issue.kb].muted.get((first.path, first.line), "") if issue.kb in looked else ""
            yield row(run, judgement, _matter(issue), issue.severity, f"{NOT_RAISED} ({why})" if why else NOT_RAISED)
        elif after.severity != issue.severity:
            yield row(run, judgement, _matter(issue), issue.severity, after.severity)
    for issue in now:
        if _same(issue, was) is None:
            yield row(run, judgement, _matter(issue), NOT_RAISED, issue.severity)


def _matter(issue: Issue) -> str:
    return f"{issue.kb}: {told(issue.title)}"


def _same(issue: Issue, others: Sequence[Issue]) -> Issue | None:
    """The issue of `others` that is about the same line."""
    cited = {(issue.kb, each.path, each.line) for each in issue.cited}
    return next(
        (other for other in others if any((other.kb, each.path, each.line) in cited for each in other.cited)), None
    )


def _merged(recorded: Sequence[Issue], was: Sequence[Issue], now: Sequence[Issue]) -> list[Issue]:
    """The standing issues on record without those that are raised no more, and with those that are new."""
    kept = [each for each in recorded if _same(each, was) is None or _same(each, now) is not None]
    return kept + [each for each in now if _same(each, recorded) is None]


def _with(recorded: Recorded, inputs: msgspec.Struct) -> Recorded:
    plain: dict[str, Any] = json.loads(json.dumps(msgspec.to_builtins(inputs)))
    return msgspec.structs.replace(recorded, inputs=plain)
