"""OUTSIDE. A program of the operator's: ntfy, mail, notify-send. The text comes on its standard input."""

import shlex
import subprocess
from collections.abc import Mapping, Sequence
from typing import Any

from adjutant.children import child
from adjutant.ports import Refused, Told, Uncertain

SECONDS = 10.0
PASSED_ON = ("PATH", "HOME", "LANG")


class CommandChannel:
    """Exit code 0 is delivered; a program that could not be started is refused. All else is uncertain: it may have
    delivered before it failed. It runs in `folder` with PATH, HOME and LANG alone, in a process group that is ended
    with the limit; what it prints is dropped."""

    channel = "command"

    def __init__(self, command: str, environment: Mapping[str, str], folder: str, seconds: float = SECONDS) -> None:
        self._command, self._folder, self._seconds = command, folder, seconds
        self._environment = {name: environment[name] for name in PASSED_ON if name in environment}

    def send(self, text: str, key: str, buttons: Sequence[Told] = ()) -> None:
        try:
            argv = shlex.split(self._command)
        except ValueError as error:
            raise Refused(f"notifications.command cannot be read: {error}") from None
        if not argv:
            raise Refused("notifications.command is empty")
        alone: dict[str, Any] = {"cwd": self._folder, "env": self._environment, "start_new_session": True}
        quiet = subprocess.DEVNULL
        try:
            process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=quiet, stderr=quiet, **alone)
        except OSError as error:
            raise Refused(f"notifications.command: {argv[0]}: {error.strerror or error}") from None
        try:
            process.communicate(f"{text}\n".encode("utf-8", "replace"), timeout=self._seconds)
        except subprocess.TimeoutExpired:
            raise Uncertain(f"notifications.command did not end within {self._seconds:g} s") from None
        finally:
            if process.returncode is None:
                child.end(process)
                assert process.stdin is not None
                process.stdin.close()
        if process.returncode != 0:
            how = f"exit code {process.returncode}" if process.returncode > 0 else f"signal {-process.returncode}"
            raise Uncertain(f"notifications.command ended with {how}")
