"""DOMAIN. The crontab entries that an instance's settings call for, and their block in the text of a crontab."""

import os
import re
import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

import adjutant
from adjutant.app import App
from adjutant.children import crontab as cron
from adjutant.errors import CronRefused

MADE_BY = "# made by `adjutant schedule install`, which replaces what stands here; `schedule remove` takes it out"
QUARTERS = "*/15 * * * *"
COMMAND_BYTES = 999  # MAX_COMMAND of Vixie cron: what is longer is cut without a word
YEARS_AHEAD, STEP = 2, 3600
_MARKER = re.compile(rb"# (?:BEGIN|END) adjutant /")
_SAFE = {"'": "'\"'\"'", "\\": "\\''", "%": "\\%"}


def plan_block(app: App) -> list[str]:
    """The lines of the instance's block: one row a scheduled verb. Raises CronRefused for what no crontab can hold."""
    keyed = [(row.verb, app.config.text_or_none(f"schedule.{row.schedule}")) for row in app.table.TABLE if row.schedule]
    rows = [(verb, text) for verb, text in keyed if text is not None]  # null in adjutant.yaml is no schedule
    zone = app.config.text_or_none("instance.timezone")
    if zone is not None and same_offsets(ZoneInfo(zone), cron.zone(), app.clock.now()):
        zone = None  # it shows no other time than the one cron goes by
    return make_block(app.tree.root, app.tree.cron_log, program_words(), rows, zone)


def program_words() -> list[str]:
    """The words that start this very adjutant: a checkout's bin/adjutant, which keeps its .venv right, or Python."""
    checkout = os.path.dirname(os.path.dirname(os.path.abspath(adjutant.__file__)))
    script = os.path.join(checkout, "bin", "adjutant")
    return [script] if os.access(script, os.X_OK) else [sys.executable, "-P", "-m", "adjutant"]


def make_block(
    root: str, log: str, program: Sequence[str], rows: Sequence[tuple[str, str]], zone: str | None = None
) -> list[str]:
    """The lines of one instance, markers included; [] when nothing is scheduled. `rows` are (verb, five fields or
    @name). `zone`, where cron's clock is another one: the rows then only ask every quarter of an hour whether something
    is due. Raises CronRefused for a path that no crontab can hold, and for a row that is too long."""
    for path in (root, log, *program):
        if "\n" in path or "\0" in path:
            raise CronRefused(f"{path!r}: a crontab cannot hold a path with a line break", "rename the folder")
    start = " ".join(quote(word) if word.startswith("/") else word for word in program)
    lines = [os.fsdecode(_markers(root)[0]), MADE_BY]
    if zone is not None:
        lines.append(f"# cron knows no zones: every quarter of an hour --if-due looks at the schedule, in {zone}")
    for verb, time in rows:
        command = f"{start} --root {quote(root)} --quiet {verb} --if-due >>{quote(log)} 2>&1"
        if len(os.fsencode(command)) > COMMAND_BYTES:
            message = f"the row of {verb} is longer than the {COMMAND_BYTES} bytes that cron reads"
            raise CronRefused(message, "move the instance or the checkout to a shorter path")
        lines.append(f"{time if zone is None else QUARTERS} {command}")
    return [*lines, os.fsdecode(_markers(root)[1])] if rows else []


def encode(lines: Sequence[str]) -> bytes:
    """A block as it stands in a crontab."""
    return b"".join(os.fsencode(line) + b"\n" for line in lines)


def quote(text: str) -> str:
    r"""One word for /bin/sh in a crontab's command. cron reads `\%` as %, some crons `\\` as \, in quotes too: here a
    backslash has a quote behind it, or its own %."""
    return "'" + "".join(_SAFE.get(char, char) for char in text) + "'"


def _markers(root: str) -> tuple[bytes, bytes]:
    name = os.fsencode(root)
    return b"# BEGIN adjutant " + name, b"# END adjutant " + name


def span(table: bytes, root: str) -> tuple[int, int] | None:
    """Where the instance's block begins and ends; None without one. Raises CronRefused for one damaged by hand."""
    begin, end = _markers(root)
    marks, offset = list[tuple[bytes, int, int, int]](), 0  # every instance's: the line, its number, from, to
    for number, line in enumerate(table.split(b"\n"), 1):
        if line in (begin, end) or _MARKER.match(line):
            marks.append((line, number, offset, min(offset + len(line) + 1, len(table))))
        offset += len(line) + 1
    own = [at for at, (line, *_) in enumerate(marks) if line in (begin, end)]
    if not own:
        return None
    (_, number, before, _), (*_, after) = marks[own[0]], marks[own[-1]]
    if [line for line, *_ in marks[own[0] : own[-1] + 1]] != [begin, end]:
        what = "BEGIN and END of this instance do not stand once each, with no other marker between them"
        fix = "`crontab -e`, delete this instance's lines and their markers, then `adjutant schedule install`"
        raise CronRefused(f"crontab:{number}: {what}; nothing was changed", fix, details={"line": number})
    return before, after


def find_block(table: bytes, root: str) -> bytes | None:
    """The instance's block as it stands in a crontab, None without one. Raises CronRefused."""
    place = span(table, root)
    return None if place is None else table[place[0] : place[1]]


def replace_block(table: bytes, root: str, block: bytes) -> bytes:
    """The crontab with `block` as the instance's block (b"": without one). Raises CronRefused. A first block goes to
    the top: SHELL, PATH or TZ set further down mean later rows only, and a last line without newline stays as it is."""
    before, after = span(table, root) or (0, 0)
    return table[:before] + block + table[after:]


def same_offsets(one: tzinfo, other: tzinfo, now: datetime) -> bool:
    """Whether two zones show the same time from `now` (aware) on, every hour of two years."""
    start = datetime.fromtimestamp(now.timestamp() // STEP * STEP, UTC)
    moments = (start + timedelta(seconds=STEP * n) for n in range(YEARS_AHEAD * 366 * 24))
    return all(one.utcoffset(moment.astimezone(one)) == other.utcoffset(moment.astimezone(other)) for moment in moments)
