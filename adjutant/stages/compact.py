"""STAGE. compact: days, weeks and months, each made from what was said in it, remade where that has changed."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from datetime import date

from adjutant.app import App, Args, Outcome, names, plural
from adjutant.clock import need_day
from adjutant.domain.periods import sources
from adjutant.domain.periods.sources import DUE, Planned, Sources
from adjutant.errors import FileChanged
from adjutant.judgements import asking
from adjutant.judgements.compaction import Compactor
from adjutant.judgements.recording import STOPPED
from adjutant.records import period_file
from adjutant.records.period_file import Period
from adjutant.store.files import DATA_LOCK_WAIT

READS = names("config env journal conversations pending sent slog matters daily weekly monthly prompts registry usage")
WRITES = names("daily weekly monthly conflicts schedule_state actions runs usage locks cache events interactions")
SHOWN, MOST_LINES = 6, 40


class _Compaction:
    """One run under way."""

    def __init__(self, app: App) -> None:
        self.app, self.compactor = app, Compactor(app)
        self.sources = Sources(app.files, app.clock)
        self.written: list[str] = []
        self.unchanged: list[str] = []
        self.skipped: list[dict[str, str]] = []
        self.damaged: list[str] = []
        self.lines: list[str] = []

    def work(self, word: str, on: date | None) -> None:
        """Each kind of period after the one that it is made from. Raises Stopped."""
        for kind in sources.kinds(word):
            planned = sources.plan(self.sources, self.app.config, word, kind, on)
            self.unchanged += [each.period.name for each in planned if each.action == sources.UNCHANGED]
            for each in planned:
                if each.action == sources.SKIPPED:
                    self._skip(each.period, each.reason)
            waiting = [each for each in planned if each.action in (sources.WRITE, sources.PROPOSE)]
            for number, each in enumerate(waiting, start=1):
                self.app.gate()
                if len(waiting) > 1:
                    self.app.progress(f"compact: {each.period.name}, {number} of {len(waiting)} {kind} files")
                self._make(each)

    def _make(self, planned: Planned) -> None:
        period, files = planned.period, self.app.files
        gathered = self.sources.gather(period)
        for reason in gathered.damaged:
            self.app.say(f"{period.name}: {reason}")
        self.damaged += [reason for reason in gathered.damaged if reason not in self.damaged]
        made = self.compactor.make(period, gathered.pieces)
        text = period_file.render(period, gathered.sources, made.bullets, made.by, made.dropped)
        if planned.action == sources.PROPOSE:
            self._propose(planned, text)
            return
        try:
            with files.lock("memory", DATA_LOCK_WAIT):
                files.replace(files.tree.period(period.kind, period.name), text, planned.expect)
        except FileChanged as error:
            self._skip(period, error.message)
            return
        self.written.append(period.name)
        left = f", {plural(made.dropped, 'bullet')} of the model's left out" if made.dropped else ""
        self.lines.append(
            f"wrote {period.name} ({plural(len(made.bullets), 'line')} of "
            f"{plural(len(gathered.sources), 'source')}{left})"
        )

    def _propose(self, planned: Planned, text: str) -> None:
        path = self.app.files.tree.conflict(planned.proposal)
        with contextlib.suppress(FileExistsError):
            self.app.files.create(path, text)
        self._skip(planned.period, planned.reason)

    def _skip(self, period: Period, reason: str) -> None:
        self.skipped.append({"period": period.name, "reason": reason})


def run(app: App, args: Args) -> Outcome:
    """{run, status, reason, dry_run, written[], unchanged[], skipped[{period, reason}], damaged[], model_calls, tokens,
    degraded}. `status`: completed, or partial for less than all that is due, which settles no slot of the schedule.

    Raises UsageError, ConfigInvalid, FileDamaged, LockBusy, IoFailed."""
    on = None if args.date is None else need_day("--date", args.date)
    compaction = _Compaction(app)
    status = asking.conduct(app, lambda: compaction.work(args.what, on))
    whole = status == STOPPED or (args.what == DUE and on is None)
    return _outcome(compaction, status if whole else "partial")


def _outcome(done: _Compaction, status: str) -> Outcome:
    app, asker = done.app, done.compactor.asker
    counts = (f"{len(done.written)} written", f"{len(done.unchanged)} unchanged", f"{len(done.skipped)} skipped")
    lines, more = done.lines[:MOST_LINES], len(done.lines) - MOST_LINES
    if more > 0:
        lines.append(f"and {more} more")
    lines += [*_tell_skipped(done.skipped), f"compact: {', '.join(counts)}{' (dry run)' if app.dry_run else ''}"]
    told = {name: getattr(done, name) for name in ("written", "unchanged", "skipped", "damaged")}
    return Outcome(asker.report(status, "", told), lines + asker.close("compact", status))


def _tell_skipped(skipped: Sequence[dict[str, str]]) -> Iterator[str]:
    """One line a reason, with the first periods that it holds for."""
    reasons: dict[str, list[str]] = {}
    for each in skipped:
        reasons.setdefault(each["reason"], []).append(each["period"])
    for reason, paths in reasons.items():
        more = f" and {len(paths) - SHOWN} more" if len(paths) > SHOWN else ""
        yield f"skipped {', '.join(paths[:SHOWN])}{more}: {reason}"
