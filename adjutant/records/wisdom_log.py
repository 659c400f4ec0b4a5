"""RECORDS. state/wisdom.jsonl: what each run decided and made of wisdom.md, written before the file is.

One record a line, by `event`:

- `distilled`: a run. `before` and `after` are the whole text of wisdom.md (null: no file), so that it can be completed
  after a crash and undone later; `decisions` one an item; `dropped` entries; `entries` what bore an entry out
- `undone`: a run taken back; its items are undecided again
- `settled`: that the run before is done with: `written`, or `refused` where a person's edit came first; a refused run
  counts for nothing

What is folded from them holds without the runs that were undone or refused.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import date, datetime
from functools import lru_cache
from typing import NamedTuple

import msgspec

from adjutant.clock import read_day
from adjutant.errors import CheckFailed, FileChanged, WisdomInvalid
from adjutant.records import wisdom_file
from adjutant.records.wisdom_file import RuleEntry, WisdomHeld
from adjutant.store import jsonl
from adjutant.store.config import Config
from adjutant.store.files import Files, state_of

MERGE, ADD, DROP = DECISIONS = ("MERGE", "ADD", "DROP")
WRITTEN, REFUSED = "written", "refused"
STANDS, UNDONE = "stands", "undone"
LOCK = "memory"
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


class Trace(msgspec.Struct, frozen=True):
    """What a run did for an entry: the behaviour it `changes`, what bore it out, the title it had before."""

    title: str
    changes: str = ""
    reinforced: tuple[Support, ...] = ()
    renamed_from: str = ""


class _Whole(msgspec.Struct, frozen=True):
    """A change whose texts are those that were written: one that was altered since is no record."""

    def __post_init__(self) -> None:
        for name in ("before", "after"):
            sha = state_of(getattr(self, name))
            if getattr(self, f"{name}_sha") not in ("", sha):
                raise ValueError(f"`{name}` was altered")
            msgspec.structs.force_setattr(self, f"{name}_sha", sha)


class Distilled(_Whole, frozen=True, tag_field="event", tag="distilled"):
    """A run of distill. `ts` is when; `day` the day it counts for, "" for that of `ts`."""

    ts: str
    run: str
    before: str | None
    after: str | None
    decisions: tuple[Ruled, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    entries: tuple[Trace, ...] = ()
    day: str = ""
    before_sha: str = ""
    after_sha: str = ""


class Undone(_Whole, frozen=True, tag_field="event", tag="undone"):
    """A run taken back by a run of its own."""

    ts: str
    run: str
    undoes: str
    before: str | None
    after: str | None
    before_sha: str = ""
    after_sha: str = ""


class WisdomSettled(msgspec.Struct, frozen=True, tag_field="event", tag="settled"):
    """The end of what the run wrote ahead."""

    ts: str
    run: str
    outcome: str


Change = Distilled | Undone


class EntrySeen(NamedTuple):
    """Since when an entry stands, and what bore it out since: (YYYY-MM-DD, item), oldest first."""

    first: str
    reinforced: tuple[tuple[str, str], ...] = ()

    @property
    def last(self) -> str:
        """The last day on which something spoke for it."""
        return max((self.first, *(day for day, _ in self.reinforced)))


class Version(NamedTuple):
    """A change of the file. `outcome`: stands, undone since, or refused because a person's edit came first."""

    change: Change
    outcome: str


class WisdomState(NamedTuple):
    """What the log amounts to.

    `items`: the last decision on each. `entries`: {key: (text, Seen)} of the last version. `unfinished`: the last
    change, where nothing says that it is settled. `damaged`: numbers of lines that are no records.
    """

    items: dict[str, Ruled]
    entries: dict[str, tuple[str, EntrySeen]]
    versions: tuple[Version, ...]
    unfinished: Change | None
    damaged: tuple[int, ...]

    @property
    def last(self) -> Distilled | None:
        """The last run that stands: the one to be undone next."""
        return next(reversed(self.standing), None)

    @property
    def standing(self) -> list[Distilled]:
        """The runs that count, oldest first."""
        return [each for each, outcome in self.versions if outcome == STANDS and isinstance(each, Distilled)]


def append(files: Files, record: Change | WisdomSettled) -> None:
    """Makes a record durable. Raises FileDamaged, IoFailed."""
    files.append(files.tree.wisdom_log, msgspec.to_builtins(record))


def read(files: Files) -> WisdomState:
    """The state that the log leads to; without a log, one of nothing. Raises FileDamaged, IoFailed."""
    found, damaged = list[Change | WisdomSettled](), list[int]()
    for number, row in jsonl.in_order(files.log(files.tree.wisdom_log)):
        try:
            found.append(msgspec.convert(row, Distilled | Undone | WisdomSettled))
        except msgspec.ValidationError:
            damaged.append(number)
    return _fold(found, tuple(damaged))


def _fold(found: Sequence[Change | WisdomSettled], damaged: tuple[int, ...]) -> WisdomState:
    settled = {each.run: each.outcome for each in found if isinstance(each, WisdomSettled)}
    changes = [each for each in found if not isinstance(each, WisdomSettled)]
    refused = {run: REFUSED for run, outcome in settled.items() if outcome == REFUSED}
    undone = {each.undoes: UNDONE for each in changes if isinstance(each, Undone) and each.run not in refused}
    versions = tuple(Version(each, {**undone, **refused}.get(each.run, STANDS)) for each in changes)
    unfinished = changes[-1] if changes and changes[-1].run not in settled else None
    state = WisdomState({}, {}, versions, unfinished, damaged)
    entries: dict[str, tuple[str, EntrySeen]] = {}
    for change in state.standing:
        state.items.update((each.item, each) for each in change.decisions)
        entries = _bear_out(entries, change)
    return state._replace(entries=entries)


def _bear_out(known: dict[str, tuple[str, EntrySeen]], change: Distilled) -> dict[str, tuple[str, EntrySeen]]:
    """What is known of the entries after a run."""
    day = str(read_day(change.day) or read_day(change.ts[:10]) or "")
    known = _carry_over(known, _entries(change.before), day)
    traces = {wisdom_file.key(each.title): each for each in change.entries}
    for name, trace in traces.items():
        old = known.pop(wisdom_file.key(trace.renamed_from), None) if trace.renamed_from else None
        text, seen = known.get(name) or old or ("", EntrySeen(day))
        added = ((each.date, each.item) for each in trace.reinforced if read_day(each.date))
        known[name] = text, EntrySeen(seen.first, tuple(dict.fromkeys((*seen.reinforced, *added))))
    return _carry_over(known, _entries(change.after), day)


def _carry_over(
    known: dict[str, tuple[str, EntrySeen]], entries: Sequence[RuleEntry], day: str
) -> dict[str, tuple[str, EntrySeen]]:
    """What is known of the entries that stand now: one that was renamed is known by its text."""
    here = {each.key for each in entries}
    gone = {text: seen for name, (text, seen) in known.items() if name not in here and text}
    return {
        each.key: (each.text, known[each.key][1] if each.key in known else gone.get(each.text, EntrySeen(day)))
        for each in entries
    }


@lru_cache(maxsize=4)
def _entries(text: str | None) -> tuple[RuleEntry, ...]:
    try:
        return wisdom_file.parse(None if text is None else text.encode(), "").entries
    except WisdomInvalid:
        return ()  # nothing of ours: such a text is only met where somebody wrote it into the log


def find_seen(state: WisdomState, entries: Sequence[RuleEntry], today: date) -> dict[str, EntrySeen]:
    """{key: Seen} of the entries that stand in the file now; one that the log does not know is first seen today."""
    return {name: found for name, (_, found) in _carry_over(state.entries, entries, today.isoformat()).items()}


def stale(state: WisdomState, entries: Sequence[RuleEntry], today: date, days: int) -> list[RuleEntry]:
    """The entries that nothing has borne out for `days` days, in the file's order; pinned ones never are."""
    known = find_seen(state, entries, today)
    return [
        each
        for each in entries
        if not each.pinned and (today - date.fromisoformat(known[each.key].last or today.isoformat())).days >= days
    ]


def write(files: Files, config: Config, change: Change, now: datetime) -> None:
    """Records a change, and makes it. Its `before` is what the caller has read.

    Raises FileChanged when a person edited the file since: theirs stands, the proposal is kept under state/conflicts/,
    and the record counts for nothing. Raises FileDamaged, IoFailed.
    """
    state = read(files)
    if _block(change, state):
        files.log(files.tree.wisdom_archive)  # one that cannot be read stops the change before it has begun
    append(files, change)
    _carry_out(files, config, change, state, now)


def complete(files: Files, config: Config, now: datetime) -> str:
    """Ends what an earlier run has begun; says what came of it, "" where none was. Raises FileDamaged, IoFailed."""
    for path in (wisdom_file.read_file(files, config).path, files.tree.conflict("")):
        files.sweep(os.path.dirname(path), now.timestamp())
    state = read(files)
    change = state.unfinished
    if change is None:
        return ""
    try:
        _carry_out(files, config, change, state, now)
    except FileChanged as error:
        return f"run {change.run} was cut before wisdom.md was written, and counts for nothing: {error.message}"
    return f"run {change.run} was cut; what it had decided is written now"


def undo(files: Files, config: Config, run: str, now: datetime) -> tuple[Distilled, str]:
    """Takes back the last run that stands: the file has its bytes of before, the run's items are undecided.

    Raises CheckFailed when there is none, FileChanged when the file was edited since and the edit would be lost;
    FileDamaged, IoFailed.
    """
    completed = complete(files, config, now)
    change = read(files).last
    if change is None:
        raise CheckFailed("no run of distill is left to be undone", "`adjutant wisdom history` tells what was done")
    held = wisdom_file.read_file(files, config)
    if held.sha not in (change.before_sha, change.after_sha) and change.before != change.after:
        raise FileChanged(
            f"{held.shown} was edited since run {change.run}; undone, it would lose that",
            f"take back by hand what you do not want: `adjutant wisdom history --run {change.run}` tells what it did",
        )
    write(files, config, Undone(now.isoformat(), run, change.run, change.after, change.before), now)
    return change, completed


def _carry_out(files: Files, config: Config, change: Change, state: WisdomState, now: datetime) -> None:
    held = wisdom_file.read_file(files, config)
    try:
        if change.before != change.after and held.sha != change.after_sha:
            _make(files, held, change)
    except FileChanged:
        append(files, WisdomSettled(now.isoformat(), change.run, REFUSED))
        raise
    archive, block = files.tree.wisdom_archive, _block(change, state)
    if block and block.encode("utf-8", "replace") not in (
        told := files.log(archive)
    ):  # once, however often it is tried
        files.append_text(archive, block if told.strip() else f"{ARCHIVE_HEAD}{block}")
    append(files, WisdomSettled(now.isoformat(), change.run, WRITTEN))


def _make(files: Files, held: WisdomHeld, change: Change) -> None:
    if change.after is not None:
        files.replace(held.path, change.after, expect=change.before_sha)
    elif held.sha == change.before_sha:
        files.remove(held.path)
    else:
        raise FileChanged(f"{held.shown} changed since it was read", "delete it by hand, or keep it")


def _block(change: Change, state: WisdomState) -> str:
    if isinstance(change, Distilled):
        entries = "".join(f"\n**{each.title}**\n{each.text}\nDropped: {each.reason}\n" for each in change.dropped)
        return f"\n## {change.day or change.ts[:10]}, run {change.run}\n{entries}" if entries else ""
    back = next((each.change for each in state.versions if each.change.run == change.undoes), None)
    if not isinstance(back, Distilled) or not back.dropped:
        return ""
    titles = ", ".join(f"**{each.title}**" for each in back.dropped)
    return f"\n## {change.ts[:10]}, run {change.run}\n\nUndone: run {change.undoes}. {titles}: back in wisdom.md\n"
