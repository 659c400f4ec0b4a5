"""RECORDS. state/wisdom.jsonl: what each run decided and made of wisdom.md, written before the file is."""

import os
from collections.abc import Sequence
from datetime import date, datetime
from typing import NamedTuple

import msgspec

from adjutant.clock import read_day
from adjutant.errors import CheckFailed, FileChanged
from adjutant.records import wisdom_file
from adjutant.records.wisdom_file import RuleEntry
from adjutant.store import jsonl
from adjutant.store.config import Config
from adjutant.store.files import Files, state_of

MERGE, ADD, DROP = DECISIONS = ("MERGE", "ADD", "DROP")
WRITTEN, REFUSED = "written", "refused"
STANDS, LOCK = "stands", "memory"
ARCHIVE_HEAD = "# What wisdom.md no longer says\n"


class Ruled(msgspec.Struct, frozen=True):
    """What became of an item: MERGE or ADD with the title of its `entry`, or DROP; `sha256` of the item as it was."""

    item: str
    sha256: str
    decision: str
    entry: str = ""
    reason: str = ""


class Dropped(msgspec.Struct, frozen=True):
    """An entry that left the file."""

    title: str
    reason: str
    text: str = ""


class Support(msgspec.Struct, frozen=True):
    """An item that bore an entry out, and its day (YYYY-MM-DD)."""

    date: str
    item: str


class EntryHistory(msgspec.Struct, frozen=True):
    """Since when (YYYY-MM-DD) an entry stands, what bore it out, oldest first, the behaviour that the run `changes`."""

    title: str
    first: str
    reinforced: tuple[Support, ...] = ()
    changes: str = ""

    @property
    def last(self) -> str:
        return max((self.first, *(each.date for each in self.reinforced)))


class _Change(msgspec.Struct, frozen=True, tag_field="event"):
    """What a run makes of the file. `ts` is when. One whose texts were altered since is no record."""

    ts: str
    run: str
    before: str | None
    after: str | None
    before_sha: str = ""
    after_sha: str = ""

    def __post_init__(self) -> None:
        for name in ("before", "after"):
            sha = state_of(getattr(self, name))
            if getattr(self, f"{name}_sha") not in ("", sha):
                raise ValueError(f"`{name}` was altered")
            msgspec.structs.force_setattr(self, f"{name}_sha", sha)


class Distilled(_Change, frozen=True, tag="distilled"):
    """A run of distill. `day` is the one it counts for."""

    decisions: tuple[Ruled, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    entries: tuple[EntryHistory, ...] = ()
    day: str = ""


class Undone(_Change, frozen=True, tag="undone"):
    """A run taken back by a run of its own. `back`: titles of the entries that it had dropped."""

    undoes: str = ""
    back: tuple[str, ...] = ()


class WisdomSettled(msgspec.Struct, frozen=True, tag_field="event", tag="settled"):
    """The end of what the run wrote ahead."""

    ts: str
    run: str
    outcome: str


Change = Distilled | Undone


class Version(NamedTuple):
    """A change of the file. `outcome`: stands, undone since, or refused because a person's edit came first."""

    change: Change
    outcome: str


class WisdomState(NamedTuple):
    """What the log amounts to. `items`: the last decision on each. `entries`: {key: EntryHistory} of the last version.
    `last`: the run to be undone next. `unfinished`: the last change, unless it is settled. `damaged`: lines that are no
    records."""

    items: dict[str, Ruled]
    entries: dict[str, EntryHistory]
    versions: tuple[Version, ...]
    last: Distilled | None
    unfinished: Change | None
    damaged: tuple[int, ...]


def append(files: Files, record: Change | WisdomSettled) -> None:
    """Makes a record durable."""
    files.append(files.tree.wisdom_log, msgspec.to_builtins(record))


def read(files: Files) -> WisdomState:
    """The state that the log leads to; without a log, one of nothing."""
    changes, settled, damaged = list[Change](), dict[str, str](), list[int]()
    for number, row in jsonl.in_order(files.log(files.tree.wisdom_log)):
        try:
            match msgspec.convert(row, Distilled | Undone | WisdomSettled):
                case WisdomSettled(run=run, outcome=outcome):
                    settled[run] = outcome
                case change:
                    changes.append(change)
        except msgspec.ValidationError:
            damaged.append(number)
    refused = {run: REFUSED for run, outcome in settled.items() if outcome == REFUSED}
    undone = {each.undoes: "undone" for each in changes if isinstance(each, Undone) and each.run not in refused}
    versions = tuple(Version(each, {**undone, **refused}.get(each.run, STANDS)) for each in changes)
    standing = [each for each, outcome in versions if outcome == STANDS and isinstance(each, Distilled)]
    items = {each.item: each for change in standing for each in change.decisions}
    entries = {wisdom_file.key(each.title): each for change in standing[-1:] for each in change.entries}
    cut = changes[-1] if changes and changes[-1].run not in settled else None
    return WisdomState(items, entries, versions, standing[-1] if standing else None, cut, tuple(damaged))


def review(
    state: WisdomState, entries: Sequence[RuleEntry], today: date, days: int
) -> list[tuple[RuleEntry, EntryHistory, bool]]:
    """Each entry of the file, what is known of it, and whether it is stale: not pinned, and nothing has borne it out
    for `days` days. One that the log does not know is first seen today."""
    known = ((each, state.entries.get(each.key, EntryHistory(each.title, today.isoformat()))) for each in entries)
    aged = ((each, seen, (today - (read_day(seen.last) or today)).days) for each, seen in known)
    return [(each, seen, not each.pinned and age >= days) for each, seen, age in aged]


def write(files: Files, config: Config, change: Change, now: datetime) -> None:
    """Records a change, and makes it. Raises FileChanged when a person edited the file since its `before` was read:
    theirs stands, the proposal is kept under state/conflicts/, and the record counts for nothing."""
    if _block(change):
        files.log(files.tree.wisdom_archive)  # one that cannot be read stops the change before it has begun
    append(files, change)
    _carry_out(files, config, change, now)


def complete(files: Files, config: Config, now: datetime) -> str:
    """Ends what an earlier run has begun; says what came of it, "" where none was."""
    for path in (wisdom_file.read_file(files, config).path, files.tree.conflict("")):
        files.sweep(os.path.dirname(path), now.timestamp())
    change = read(files).unfinished
    if change is None:
        return ""
    try:
        _carry_out(files, config, change, now)
    except FileChanged as error:
        return f"run {change.run} was cut before wisdom.md was written, and counts for nothing: {error.message}"
    return f"run {change.run} was cut; what it had decided is written now"


def undo(files: Files, config: Config, run: str, now: datetime) -> tuple[Distilled, str]:
    """Takes back the last run that stands: the file has its bytes of before, the run's items are undecided. Raises
    CheckFailed when there is none, FileChanged when an edit made since would be lost."""
    completed = complete(files, config, now)
    change = read(files).last
    if change is None:
        raise CheckFailed("no run of distill is left to undo", "`adjutant wisdom history` tells what was done")
    held = wisdom_file.read_file(files, config)
    if held.sha not in (change.before_sha, change.after_sha) and change.before != change.after:
        fix = f"take back by hand what you do not want: `adjutant wisdom history --run {change.run}` tells what it did"
        raise FileChanged(f"{held.shown} was edited since run {change.run}; undone, it would lose that", fix)
    back = tuple(each.title for each in change.dropped)
    write(files, config, Undone(now.isoformat(), run, change.after, change.before, undoes=change.run, back=back), now)
    return change, completed


def _carry_out(files: Files, config: Config, change: Change, now: datetime) -> None:
    held, archive, block = wisdom_file.read_file(files, config), files.tree.wisdom_archive, _block(change)
    made = change.before == change.after or held.sha == change.after_sha  # by a run that was cut after it, or nothing
    try:
        if change.after is not None and not made:
            files.replace(held.path, change.after, expect=change.before_sha)
        elif not made:
            if held.sha != change.before_sha:
                raise FileChanged(f"{held.shown} changed since it was read", "delete it by hand, or keep it")
            files.remove(held.path)
    except FileChanged:
        append(files, WisdomSettled(now.isoformat(), change.run, REFUSED))
        raise
    told = files.log(archive) if block else b""
    if block.encode("utf-8", "replace") not in told:  # once, however often it is tried
        files.append_text(archive, block if told.strip() else f"{ARCHIVE_HEAD}{block}")
    append(files, WisdomSettled(now.isoformat(), change.run, WRITTEN))


def _block(change: Change) -> str:
    if isinstance(change, Undone):
        day, titles = change.ts[:10], ", ".join(f"**{title}**" for title in change.back)
        told = f"\nUndone: run {change.undoes}. {titles}: back in wisdom.md\n" if titles else ""
    else:
        day, entries = change.day or change.ts[:10], change.dropped
        told = "".join(f"\n**{each.title}**\n{each.text}\nDropped: {each.reason}\n" for each in entries)
    return f"\n## {day}, run {change.run}\n{told}" if told else ""
