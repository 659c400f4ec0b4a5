"""GROUND. The `crontab` program: the user's table read and replaced as a whole, to the byte; never removed."""

import os
import re
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, tzinfo
from zoneinfo import ZoneInfo

from adjutant.children import child
from adjutant.errors import CronRefused, CronUnavailable, FileChanged
from adjutant.printable import to_line

SECONDS = 10.0
LIMIT = 4 * 1024 * 1024
PASSED_ON = ("PATH", "HOME", "LANG", "LOGNAME", "USER")
DAEMONS = (b"cron", b"crond", b"fcron")
# Debian's `crontab -l` shows these two control characters as two characters each, and everything else as it is.
_SHOWN = re.compile(rb"\\[br]")


class Crontab:
    """The table of the user we are. The program gets five variables of `environment`, and no shell."""

    def __init__(self, environment: Mapping[str, str], seconds: float = SECONDS) -> None:
        self._seconds = seconds
        passed = {name: environment[name] for name in PASSED_ON if name in environment}
        self._environment = {"PATH": os.defpath, **passed, "LC_ALL": "C"}

    def read(self) -> bytes:
        """The table, b"" when the user has none. Raises CronRefused, CronUnavailable."""
        listed = self._run("-l")
        if listed.code != 0:
            if b"no crontab for" in listed.err:
                return b""
            raise CronRefused(f"`crontab -l` failed: {_words(listed.err)}")
        return self._exact(listed.out) if _SHOWN.search(listed.out) else listed.out

    def write(self, text: bytes, expect: bytes) -> None:
        """Replaces the table; `expect` is what was read of it. Raises FileChanged, CronRefused, CronUnavailable."""
        if self.read() != expect:
            raise FileChanged("the crontab changed since it was read; nothing was written", "run the command again")
        written = self._run("-", stdin=text)
        if written.code != 0:
            raise CronRefused(f"cron refused the new crontab and keeps the old one: {_words(written.err)}")
        if self.read() != text:
            raise CronRefused("the crontab holds something else than was written", "look at it with `crontab -l`")

    def _exact(self, shown: bytes) -> bytes:
        r"""The bytes behind a listing with `\r` or `\b` in it: an editor is given the file itself, and cat is one."""
        edited = self._run("-e", VISUAL="cat", EDITOR="cat")
        if edited.code == 0 and shown in (edited.out, edited.out.replace(b"\b", rb"\b").replace(b"\r", rb"\r")):
            return edited.out
        what = "the crontab holds control characters that `crontab -l` does not show as they are"
        raise CronRefused(what, "take carriage returns and backspaces out of it with `crontab -e`, then run this again")

    def _run(self, option: str, stdin: bytes = b"", **more: str) -> child.Ended:
        env, seconds = {**self._environment, **more}, self._seconds
        try:
            ended = child.run(["crontab", option], env=env, cwd="/", stdin=stdin, seconds=seconds, out_limit=LIMIT)
        except OSError as error:
            raise CronUnavailable(f"there is no `crontab` program here ({error.strerror})") from None
        if ended.cause is not None:
            what = f"did not end within {seconds:g} s" if ended.cause == "timeout" else "never stopped talking"
            raise CronUnavailable(f"`crontab {option}` {what}", "try `crontab -l` by hand")
        return ended


def _words(said: bytes) -> str:
    return to_line(said.decode("utf-8", "replace"), 300)


def zone(path: str = "/etc/localtime") -> tzinfo:
    """The zone that cron goes by: the machine's, whatever TZ says in this shell."""
    try:
        with open(path, "rb") as file:
            return ZoneInfo.from_file(file)
    except (OSError, ValueError):
        return UTC  # what the C library makes of a missing or broken file


def daemon_runs() -> bool | None:
    """Whether a cron daemon is seen running; None where processes cannot be looked at."""
    try:
        numbers = [name for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return None
    for number in numbers:
        with suppress(OSError), open(f"/proc/{number}/comm", "rb") as file:
            if file.read().strip() in DAEMONS:
                return True
    return False
