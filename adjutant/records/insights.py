"""RECORDS. The insights folders: filed in pending/, moved to sent/ exactly once, discarded to quarantine.

Every change is one read-check-write under the data lock `insights`; a name is unique over the three folders.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime

import msgspec

from adjutant.errors import FileDamaged, IoFailed
from adjutant.records import insight as insight_file
from adjutant.records import pending as waiting
from adjutant.records.fingerprint import fingerprint as fingerprint  # part of this room's face
from adjutant.records.insight import Insight as Insight  # the same
from adjutant.store.files import Files, sha256
from adjutant.store.settings import SEVERITIES

RANK = {severity: rank for rank, severity in enumerate(SEVERITIES)}
MAX_BYTES = 256 * 1024


def file(files: Files, insight: Insight, now: datetime, host: str = "") -> str:
    """Files a new insight under a free name YYYY-MM-DD-HHMM.md, which is returned; `host` in it keeps two machines from
    taking one name. Raises IoFailed, LockBusy."""
    with files.lock("insights"):
        name = _free(files, f"{now:%Y-%m-%d-%H%M}{host and f'-{host}'}.md")
        files.create(files.tree.pending_insight(name), insight_file.render(insight).encode("utf-8", "replace"))
    return name


def load(files: Files, name: str) -> Insight:
    """A pending or sent insight by its file name. Raises FileNotFoundError, FileDamaged, IoFailed."""
    if not waiting.is_name(name):
        raise FileNotFoundError(f"no insight `{name}`")
    path = files.tree.pending_insight(name)
    return _read(files, path if files.exists(path) else files.tree.sent_insight(name))


def pending(files: Files) -> tuple[list[Insight], list[tuple[str, str]]]:
    """(insights oldest `created` first, [(name, reason)] of what cannot be read and is left alone)."""
    good, damaged = [], []
    for name, found in _each(files, files.tree.pending, waiting.names(files)):
        if isinstance(found, Insight):
            good.append(found)
        else:
            damaged.append((name, found))
    return sorted(good, key=lambda insight: (datetime.fromisoformat(insight.created), _place(insight.name))), damaged


def _each(files: Files, folder: str, names: list[str]) -> Iterator[tuple[str, Insight | str]]:
    """Each name with its insight, or why it cannot be read: a file that the disk or its mode refuses stops nothing."""
    for name in names:
        try:
            yield name, _read(files, f"{folder}/{name}")
        except (FileDamaged, IoFailed) as error:
            yield name, error.message
        except FileNotFoundError:
            continue  # another run moved it meanwhile


def _place(name: str) -> tuple[str, int]:
    """Sorts the names of one minute as they were given: 0900, 0900-2 … 0900-10."""
    stem, _, number = name.removesuffix(".md").rpartition("-")
    later = number.isascii() and number.isdigit() and len(number) < 4
    return (stem, int(number)) if later else (name.removesuffix(".md"), 1)


def damaged_sent(files: Files) -> list[tuple[str, str]]:
    """[(name, reason)] of insights in sent/ that cannot be read. Raises FileDamaged (no folder), IoFailed."""
    names = [name for name in files.names(files.tree.sent) if waiting.is_name(name)]
    return [(name, found) for name, found in _each(files, files.tree.sent, names) if isinstance(found, str)]


def any_untold(files: Files) -> bool:
    """True when an insight waits that was not decided on, or was to be told and is not."""
    found = _each(files, files.tree.pending, waiting.names(files))
    return any(isinstance(each, Insight) and each.decided in (None, "notify") for _, each in found)


def update(
    files: Files,
    insight: Insight,
    *,
    attempts: int | None = None,
    notice: str | None = None,
    decided: str | None = None,
) -> Insight:
    """Writes what is given (None: as it was) into a pending insight's frontmatter; the rest stays as it is.

    Raises FileChanged when a person edited it since it was read, FileNotFoundError, FileDamaged, IoFailed.
    """
    attempts = insight.attempts if attempts is None else attempts
    notice = insight.notice if notice is None else notice
    decided = insight.decided if decided is None else decided
    path = files.tree.pending_insight(insight.name)
    with files.lock("insights"):
        text = files.text(path, MAX_BYTES)
        revised = insight_file.revise(text, files.tree.relative(path), attempts, notice, decided).encode(
            "utf-8", "replace"
        )
        files.replace(path, revised, expect=insight.sha)
    return msgspec.structs.replace(insight, attempts=attempts, notice=notice, decided=decided, sha=sha256(revised))


def settle(files: Files, name: str) -> bool:
    """Moves a pending insight to sent/; False when it is not pending (another run was faster). Raises IoFailed.

    Where sent/ holds the same text under that name already, an earlier move was cut in its middle and is completed;
    where it holds another text, the insight goes there under a free name.
    """
    source = files.tree.pending_insight(name)
    with files.lock("insights"):
        if not files.exists(source):
            return False
        target = files.tree.sent_insight(name)
        if files.exists(target):
            if files.read(target) == files.read(source):
                files.remove(source)
                return True
            target = files.tree.sent_insight(_free(files, name))
        files.move(source, target)
    return True


def discard(files: Files, name: str) -> str:
    """Moves a pending insight to quarantine; its name there, "" when it is not pending. Raises IoFailed."""
    source = files.tree.pending_insight(name)
    with files.lock("insights"):
        if not files.exists(source):
            return ""
        kept = name if not files.exists(files.tree.quarantined(name)) else _free(files, name)
        files.move(source, files.tree.quarantined(kept))
    return kept


def _read(files: Files, path: str) -> Insight:
    shown, data = files.tree.relative(path), files.read(path, MAX_BYTES)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FileDamaged(f"{shown}:{line}: not UTF-8") from error
    return insight_file.parse(text, os.path.basename(path), shown, sha256(data), _filed(path))


def _filed(path: str) -> str:
    """When the file was last changed, for a file that does not say when it was created."""
    try:
        seconds = os.lstat(path).st_mtime
    except OSError:
        seconds = 0.0
    return datetime.fromtimestamp(int(seconds), UTC).isoformat()


def _free(files: Files, name: str) -> str:
    """`name`, else with -2, -3 …: the first that none of the three folders holds."""
    tree = files.tree
    stem, dot, suffix = name.rpartition(".")
    stem, suffix = (stem, f"{dot}{suffix}") if stem else (name, "")
    number, free = 1, name
    homes = (tree.pending_insight, tree.sent_insight, tree.quarantined)
    while any(files.exists(home(free)) for home in homes):
        number += 1
        free = f"{stem}-{number}{suffix}"
    return free
