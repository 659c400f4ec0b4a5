"""STAGE. distill: what months and notes say becomes standing rules, one recorded decision an item."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date

import msgspec

from adjutant.app import App, Args, Outcome, Row, cut_list, plural
from adjutant.domain.wisdom import deciding, items
from adjutant.domain.wisdom.book import Book, DistillMatter, StandingRule, as_written
from adjutant.domain.wisdom.items import WisdomItem
from adjutant.errors import FileChanged, UsageError
from adjutant.judgements import asking, recording, wisdom
from adjutant.ports import ReplyRefused
from adjutant.records import wisdom_file, wisdom_log
from adjutant.records.period_file import plain
from adjutant.screening.fence import clean_line
from adjutant.store import package
from adjutant.store.files import sha256
from adjutant.store.own_secrets import own_secrets

WRITTEN, UNCHANGED, NOTHING, REFUSED = "written", "unchanged", "nothing", "refused"
SHOWN, MOST_LINES = 200, 40
DECIDED = ("item", "decision", "entry", "reason")


class _Distill:
    def __init__(self, app: App, day: date) -> None:
        self.app, self.day = app, day.isoformat()
        self.asker = asking.Asker(app)
        with app.files.lock(wisdom_log.LOCK):
            completed = wisdom_log.complete(app.files, app.config, app.clock.now())
        state = wisdom_log.read(app.files)
        self.held = wisdom_file.read_file(app.files, app.config)
        self.wisdom = wisdom_file.parse(self.held.data, self.held.shown, app.config.text("conductor.name"))
        self.gathered = items.gather(app.files, state, day, own_secrets(app.files, app.secret, app.environment))
        log = app.tree.relative(app.tree.wisdom_log)
        damaged = (*(f"{log}:{line}: not a record" for line in state.damaged), *self.gathered.damaged.values())
        for told in filter(None, (completed, *(f"left alone: {reason}" for reason in damaged))):
            app.say(told)
        days = app.config.whole("memory.wisdom.stale_after_days")
        stood = wisdom_log.review(state, self.wisdom.entries, day, days)
        current = [StandingRule(*entry, seen.last, stale) for entry, seen, stale in stood]
        named = ("max_entries", "max_chars", "categories")
        limits: Row = dict(zip(named, wisdom_file.limits(app.config), strict=True))
        self.frame = DistillMatter(name=self.wisdom.name, day=self.day, newline=self.wisdom.newline, **limits)
        self.book = Book(current, self.frame.categories, [seen for _, seen, _ in stood])
        self.outcome, self.status, self.reason = NOTHING, recording.COMPLETED, ""
        self.waiting = self.proposal = ""
        self.error: FileChanged | None = None

    def run(self) -> None:
        found, auto = self.gathered.items, self.app.config.flag("memory.wisdom.auto")
        path = self.app.tree.conflict(f"wisdom.md.{_digest(self.held.sha, found)}")
        if not found:
            return
        if auto or not self.app.files.exists(path):
            text = self._decide_all(found)
            if auto or text is None:
                self._write(text)
                return
            self._propose(path, text)
        self.outcome, self.proposal = UNCHANGED, self.app.tree.relative(path)
        self.reason = f"memory.wisdom.auto is off: the proposal is in {self.proposal}"

    def _decide_all(self, found: Sequence[WisdomItem]) -> str | None:
        """The whole file as it shall be; None where no entry changes. A model decides in parts whose answers fit."""
        for item in (item for item in found if item.unfit):
            self.book.set_aside(item)
        left, longest = [item for item in found if not item.unfit], self.asker.settings(wisdom)[1]
        offline = self.app.config.text("llm.backend") == asking.OFFLINE
        while left:
            size = len(left) if offline else wisdom.fitting(len(self.book.entries), longest)
            self._decide(left[:size])
            left = left[size:]
        entries = as_written(self.book.rules)
        made = wisdom_file.render(self.wisdom._replace(compacted=self.day, entries=entries))
        return made if entries != self.wisdom.entries else None

    def _decide(self, batch: Sequence[WisdomItem]) -> None:
        gone = [item for item, choice, _ in self.book.decided.values() if choice.decision == wisdom_log.DROP]
        said = tuple(items.with_past(item, gone) for item in batch)
        matter = msgspec.structs.replace(self.frame, current=tuple(self.book.rules), items=said)
        answered = self.asker.ask(wisdom, matter)
        try:
            result, _ = deciding.check(matter, answered.result)
        except ReplyRefused as refused:  # the rules' own answer, which no model has passed: the file stays as it is
            self.reason = f"{plural(len(batch), 'item')} left undecided: {refused.reason}"
            self.app.say(self.reason)
            return
        self.book.apply(matter, result)

    def _write(self, after: str | None) -> None:
        """Records the run and writes the file, and what waits for the operator's word in another; an operator's edit
        since it was read wins."""
        app, book = self.app, self.book
        if not book.decided:
            self.outcome = REFUSED
            return
        if waiting := [item for item, choice, _ in book.decided.values() if choice.reason == deciding.WAITS]:
            path = app.tree.conflict(f"wisdom-waiting.{_digest('', waiting)}.md")
            lines = (f"- {plain(each.text)} [{each.trust}] [{', '.join((each.id, *each.refs))}]\n" for each in waiting)
            self._propose(path, "".join([package.text("instance", "wisdom-waiting.md"), "\n", *lines]))
            self.waiting = app.tree.relative(path)
        before, now = None if self.held.data is None else self.held.data.decode(), app.clock.now()
        change = wisdom_log.Distilled(now.isoformat(), app.run, before, after or before, day=self.day)
        decided = {"decisions": tuple(book.decisions), "dropped": tuple(book.dropped)}
        change = msgspec.structs.replace(change, **decided, entries=tuple(book.histories))
        try:
            with app.files.lock(wisdom_log.LOCK):
                wisdom_log.write(app.files, app.config, change, now)
        except FileChanged as error:
            self.outcome, self.status, self.reason, self.error = REFUSED, REFUSED, error.message, error
            return
        self.outcome = UNCHANGED if after is None else WRITTEN

    def _propose(self, path: str, text: str) -> None:
        if not self.app.files.exists(path):
            self.app.files.create(path, text.encode("utf-8", "replace"))


def _digest(sha: str, items: Iterable[WisdomItem]) -> str:
    """The same for the same items and file: they are not proposed every night."""
    parts = [*filter(None, [sha]), *(f"{item.id} {item.sha256}" for item in items)]
    return sha256("\0".join(parts).encode("utf-8", "replace"))[:12]


def run(app: App, args: Args) -> Outcome:
    """`proposal` and `waiting`: files under state/conflicts/, or null; `entries` is how many stand now; damaged[]."""
    today = app.clock.now().date()
    day = args.date or today
    if day > today:
        raise UsageError(f"--date {day}: that day is still to come", f"write it as {today}")
    distill = _Distill(app, day)
    if asking.conduct(app, distill.run) == recording.STOPPED:
        distill.outcome, distill.status, distill.reason = UNCHANGED, recording.STOPPED, "paused"
    written = distill.outcome == WRITTEN
    entries = len(distill.book.entries if written else distill.wisdom.entries)
    decisions = [{name: getattr(each, name) for name in DECIDED} for each in distill.book.decisions]
    dropped = [{"title": each.title, "reason": each.reason} for each in distill.book.dropped]
    told: Row = {"outcome": distill.outcome, "entries": entries, "decisions": decisions, "dropped": dropped}
    told |= {"path": distill.held.shown, "proposal": distill.proposal or None, "waiting": distill.waiting or None}
    told |= {"damaged": sorted(distill.gathered.damaged)}
    result = distill.asker.report(distill.status, distill.reason, told)
    history = (f"adjutant wisdom history --run {app.run}", "what was decided on each item")
    actions = [history, ("adjutant wisdom undo", "take it back")] if written and not app.dry_run else []
    return Outcome(result, list(_lines(distill, entries)), error=distill.error, next_actions=[*actions])


def _lines(distill: _Distill, entries: int) -> Iterator[str]:
    app, counts = distill.app, distill.outcome != REFUSED  # what was refused decides no item
    decisions = distill.book.decisions if counts else []
    told = [f"{each.decision:<5}  {each.entry}: {each.reason} ({each.item})" for each in decisions if each.entry]
    yield from (clean_line(each, SHOWN) for each in cut_list(told, MOST_LINES))
    for gone in distill.book.dropped if counts else ():
        yield clean_line(f"gone   {gone.title}: {gone.reason}", SHOWN)
    if distill.waiting:
        yield f"no rule without your word: see {distill.waiting}"
    if distill.reason and distill.status != recording.STOPPED:
        yield clean_line(distill.reason, SHOWN)
    became = {WRITTEN: "written", UNCHANGED: "as it was", NOTHING: "unchanged, nothing new", REFUSED: "left alone"}
    decided = f", {plural(len(decisions), 'item')} decided" if decisions else ""
    stand = f"{plural(entries, 'entry')}{' (dry run)' if app.dry_run else ''}"
    yield f"{distill.held.shown}: {became[distill.outcome]}{decided}, {stand}"
    yield from distill.asker.close("distill", distill.status)
