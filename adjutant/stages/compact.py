"""STAGE. compact: days, weeks and months, each made from what was said in it, remade where that has changed."""

from datetime import date
from typing import Any

from adjutant.app import App, Args, Outcome, cut_list, plural
from adjutant.domain.periods import sources
from adjutant.errors import FileChanged
from adjutant.judgements import asking, recording
from adjutant.judgements.compaction import Compactor
from adjutant.records import period_file
from adjutant.store.files import DATA_LOCK_WAIT

SHOWN, MOST_LINES = 6, 40


class _Compaction:
    def __init__(self, app: App) -> None:
        self.app, self.compactor = app, Compactor(app)
        self.sources = sources.Sources(app.files, app.clock)
        self.told: dict[str, list[Any]] = {"written": [], "unchanged": [], "skipped": [], "damaged": []}
        self.lines: list[str] = []

    def work(self, word: str, on: date | None) -> None:
        for kind in period_file.KINDS if word == sources.DUE else (word,):
            wanted = sources.choose(self.sources, word, kind, on)
            for number, period in enumerate(wanted, start=1):
                planned = sources.plan(self.sources, self.app.config, period)
                if planned.action == sources.UNCHANGED:
                    self.told["unchanged"].append(period.name)
                elif planned.made is None:
                    self.told["skipped"].append({"period": period.name, "reason": planned.reason})
                else:
                    self.app.gate()
                    self.app.progress(f"compact: {period.name}, {number} of {len(wanted)} {kind} files")
                    self._make(period, planned.made, planned.expect)

    def _make(self, period: period_file.Period, gathered: sources.GatheredPieces, expect: str) -> None:
        files = self.app.files
        for reason in (each for each in gathered.damaged if each not in self.told["damaged"]):
            self.app.say(f"{period.name}: {reason}")
            self.told["damaged"].append(reason)
        bullets, by, dropped = self.compactor.make(period, gathered.pieces)
        text = period_file.render(period, gathered.sources, bullets, by, dropped)
        try:
            with files.lock("memory", DATA_LOCK_WAIT):
                files.replace(files.tree.period(period.kind, period.name), text, expect)
        except FileChanged as error:
            self.told["skipped"].append({"period": period.name, "reason": error.message})
            return
        self.told["written"].append(period.name)
        left = f", {plural(dropped, 'bullet')} of the model's left out" if dropped else ""
        about = f"{plural(len(bullets), 'line')} of {plural(len(gathered.sources), 'source')}{left}"
        self.lines.append(f"wrote {period.name} ({about})")


def run(app: App, args: Args) -> Outcome:
    """Also damaged[]. `status` partial: not all that is due was asked for, which settles no slot of the schedule."""
    compaction = _Compaction(app)
    status = asking.conduct(app, lambda: compaction.work(args.what, args.date))
    whole = status == recording.STOPPED or (args.what == sources.DUE and args.date is None)
    status, told, asker = status if whole else "partial", compaction.told, compaction.compactor.asker
    counts = ", ".join(f"{len(told[name])} {name}" for name in ("written", "unchanged", "skipped"))
    lines, reasons = cut_list(compaction.lines, MOST_LINES), dict[str, list[str]]()
    for each in told["skipped"]:
        reasons.setdefault(each["reason"], []).append(each["period"])
    lines += [f"skipped {', '.join(cut_list(names, SHOWN))}: {reason}" for reason, names in reasons.items()]
    lines.append(f"compact: {counts}{' (dry run)' if app.dry_run else ''}")
    return Outcome(asker.report(status, "", told), lines + asker.close("compact", status))
