"""A machine whose clock, zone, sleep and crashes a test decides; its files are the overlay of a dry run, in memory."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from adjutant.clock import Clock
from adjutant.domain.schedule import due, slots
from adjutant.records import ledger
from adjutant.store.config import Config
from adjutant.store.files import Files
from adjutant.store.tree import Tree

DAY = timedelta(days=1)


class Machine:
    """Runs `pulse --if-due` as the runner does, and remembers by itself what was run."""

    def __init__(self, root: Path, zone: str, text: str, start: datetime) -> None:
        self.files = Files(Tree(str(root)), dry=True)
        self.seconds = start.timestamp()
        self.runs: list[datetime] = []  # whose first step was completed, in order, in UTC
        self.slots: list[tuple[datetime, str, str]] = []  # what completed runs of --if-due were for
        self.tried: tuple[datetime, int] | None = None  # a slot that no run has completed since
        self.installed: datetime | None = None
        self.set(zone, text)

    def set(self, zone: str, text: str) -> None:
        self.zone, self.text = zone, text
        self.clock = Clock(lambda: self.seconds, lambda: self.seconds, ZoneInfo(zone))
        self.config = Config({"schedule.pulse": text}, {})

    @property
    def now(self) -> datetime:
        return self.clock.now().astimezone(UTC)

    def install(self) -> None:
        self.installed = self.now
        due.note_entries(self.files, self.clock.now(), stand=True)

    def fire(self, ends: str = "well", takes: float = 0) -> bool:
        """`pulse --if-due`: True when it ran. `ends`: well, failed, killed, or dead after its first step."""
        if due.check(self.files, self.config, self.clock, "pulse").slot is None:
            return False
        slot = due.check(self.files, self.config, self.clock, "pulse").slot  # once more, under the lock
        assert slot is not None
        moment = slot.astimezone(UTC)
        self.tried = (moment, self.tried[1] + 1 if self.tried and self.tried[0] == moment else 1)
        self._run(slot, ends, takes)
        if ends == "well":
            self.slots.append((moment, self.zone, self.text))
        return True

    def by_hand(self, takes: float = 0) -> None:
        self._run(None, "well", takes)

    def _run(self, slot: datetime | None, ends: str, takes: float) -> None:
        known, began = due.beginning(self.files, self.clock, "pulse"), self.now
        if slot is not None:
            due.begin(self.files, self.clock, "pulse", slot)
        record = ledger.record(self.clock.now(), "pulse", {}, run="r")
        self.seconds += takes
        if ends in ("failed", "killed"):
            return
        ledger.write_last(self.files, record, "", datetime.fromisoformat(record["ts"]))
        self.runs.append(began)
        if ends == "dead":
            return
        self.runs.append(self.now)
        self.tried = None
        due.settle(self.files, self.clock, "pulse", known)

    def missed(self) -> list[datetime]:
        """As `status` names them."""
        found = due.standing(self.files, self.config, self.clock, [])["pulse"].missed
        return [slot.astimezone(UTC) for slot in found]

    # -- what ought to be, from memory -----------------------------------------------------------------------

    def is_due(self) -> bool:
        """Is there a slot at or before now without a complete run, that was not tried three times?"""
        slot = slots.previous(self.text, self.clock.now())
        coming = slots.following(self.text, self.clock.now())
        assert slot is not None
        assert coming is not None
        moment, until = slot.astimezone(UTC), max(coming.astimezone(UTC), self.now + DAY)
        if not self.runs:
            old = self.installed is not None and self.installed <= self.now + DAY and moment <= self.installed
        else:
            old = any(moment <= run < until for run in self.runs)
        if self.tried is not None and self.tried[0] == moment:
            return self.tried[1] < 3
        return not old

    def not_run(self) -> list[datetime]:
        """The slots that passed without a run since the installation or else the first run, in the last 14 days."""
        installed = self.installed if self.installed and self.installed <= self.now + DAY else None
        start = installed or min(self.runs, default=self.now)
        since = max(start, self.now - 14 * DAY)
        found = list[datetime]()
        for slot in slots.backwards(self.text, self.clock.now()):
            if slot.astimezone(UTC) <= since:
                break
            found.insert(0, slot.astimezone(UTC))
        coming = slots.following(self.text, self.clock.now())
        assert coming is not None
        ends = [*found[1:], max(coming.astimezone(UTC), self.now + DAY)]
        spans = zip(found, ends, strict=bool(found))
        return [slot for slot, end in spans if not any(slot <= run < end for run in self.runs)]
