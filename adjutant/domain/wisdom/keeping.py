"""DOMAIN. A change of wisdom.md, kept whole: its record first, then the file, then the archive, then that it is done.

A run that was cut anywhere in between is completed by the next one. The caller holds the data lock.
"""

from __future__ import annotations

import os
from datetime import datetime

from adjutant.errors import CheckFailed, FileChanged
from adjutant.records import wisdom_file, wisdom_log
from adjutant.records.wisdom_file import WisdomHeld
from adjutant.records.wisdom_log import REFUSED, WRITTEN, Change, Distilled, Undone, WisdomSettled, WisdomState
from adjutant.store.config import Config
from adjutant.store.files import Files

LOCK = "memory"
ARCHIVE_HEAD = "# What wisdom.md no longer says\n"


def write(files: Files, config: Config, change: Change, now: datetime) -> None:
    """Records a change, and makes it. Its `before` is what the caller has read.

    Raises FileChanged when a person edited the file since: theirs stands, the proposal is kept under state/conflicts/,
    and the record counts for nothing. Raises FileDamaged, IoFailed.
    """
    state = wisdom_log.read(files)
    if _block(change, state):
        files.log(files.tree.wisdom_archive)  # one that cannot be read stops the change before it has begun
    wisdom_log.append(files, change)
    _carry_out(files, config, change, state, now)


def complete(files: Files, config: Config, now: datetime) -> str:
    """Ends what an earlier run has begun; says what came of it, "" where none was. Raises FileDamaged, IoFailed."""
    for path in (wisdom_file.read_file(files, config).path, files.tree.conflict("")):
        files.sweep(os.path.dirname(path), now.timestamp())
    state = wisdom_log.read(files)
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
    change = wisdom_log.read(files).last
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
        wisdom_log.append(files, WisdomSettled(now.isoformat(), change.run, REFUSED))
        raise
    archive, block = files.tree.wisdom_archive, _block(change, state)
    if block and block.encode("utf-8", "replace") not in (
        told := files.log(archive)
    ):  # once, however often it is tried
        files.append_text(archive, block if told.strip() else f"{ARCHIVE_HEAD}{block}")
    wisdom_log.append(files, WisdomSettled(now.isoformat(), change.run, WRITTEN))


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
