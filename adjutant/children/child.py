"""GROUND. One child process: a group of its own, a deadline, a cap on what it may say, and an end it cannot refuse."""

import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import IO, Any, NamedTuple

GRACE = 1.0  # seconds between TERM and KILL
DRAIN = 0.2  # and for what a child wrote before it ended, when a descendant holds its pipes open
ERR_LIMIT = 64 * 1024
CHUNK = 64 * 1024
TICK = 0.1


class Ended(NamedTuple):
    """Exit code (negative: the signal), what it said, capped, and why it was ended: timeout, flood, None by itself."""

    code: int
    out: bytes
    err: bytes
    cause: str | None


def run(
    argv: Sequence[str],
    *,
    env: Mapping[str, str],
    cwd: str,
    stdin: bytes = b"",
    seconds: float,
    out_limit: int,
    watch: Callable[[], None] = lambda: None,
    pass_fds: Sequence[int] = (),
    grace: float = GRACE,
) -> Ended:
    """Runs it to its end or a limit; nothing of its process group is left. Errors beyond 64 KB are dropped, output
    beyond `out_limit` bytes ends it, and so does what `watch` raises, ten times a second. Raises OSError: not
    started."""
    how: dict[str, Any] = {**dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE), "bufsize": 0, "cwd": cwd}
    process = subprocess.Popen(list(argv), env=dict(env), start_new_session=True, pass_fds=tuple(pass_fds), **how)
    talk = _Talk(process, stdin, out_limit)
    try:
        cause = talk.until(time.monotonic() + seconds, watch)
    finally:
        end(process, grace=grace)
        talk.close()
    return Ended(process.returncode, bytes(talk.out), bytes(talk.err), cause)


def end(process: subprocess.Popen[bytes], *, grace: float = GRACE) -> None:
    """TERM to the whole group, KILL when the child has ended or after `grace` seconds; then it is reaped."""
    _signal(process.pid, signal.SIGTERM)
    until = time.monotonic() + grace
    while not _has_ended(process.pid) and time.monotonic() < until:
        time.sleep(0.01)
    _signal(process.pid, signal.SIGKILL)
    process.wait()


def _signal(group: int, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):  # nobody is left in it, or (macOS) only the dead
        os.killpg(group, number)


def _has_ended(pid: int) -> bool:
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


class _Talk:
    def __init__(self, process: subprocess.Popen[bytes], stdin: bytes, out_limit: int) -> None:
        self._process, self._left, self._limit = process, memoryview(stdin), out_limit
        self.out, self.err = bytearray(), bytearray()
        self._selector = selectors.DefaultSelector()
        self._open = [pipe for pipe in (process.stdin, process.stdout, process.stderr) if pipe is not None]
        for pipe in self._open:
            os.set_blocking(pipe.fileno(), False)
            self._selector.register(pipe, selectors.EVENT_WRITE if pipe is process.stdin else selectors.EVENT_READ)

    def until(self, deadline: float, watch: Callable[[], None]) -> str | None:
        """Talks until the child has ended and all it wrote was read (None), or a limit is met (its name)."""
        looked, ended = 0.0, False
        while True:
            now = time.monotonic()
            if now - looked >= TICK:
                watch()
                looked = now
            if len(self.out) > self._limit:
                return "flood"
            if not ended and _has_ended(self._process.pid):
                ended, deadline = True, min(deadline, now + DRAIN)
            pipes = self._selector.get_map()
            if now >= deadline or (ended and not any(key.events & selectors.EVENT_READ for key in pipes.values())):
                return None if ended else "timeout"
            for key, _ in self._selector.select(min(TICK, deadline - now)) if pipes else ():
                self._serve(key.fileobj)  # type: ignore[arg-type]  # only our three pipes are registered
            if not pipes:
                time.sleep(0.02)

    def _serve(self, pipe: IO[bytes]) -> None:
        try:
            if pipe is self._process.stdin:
                self._left = self._left[os.write(pipe.fileno(), self._left[:CHUNK]) if self._left else 0 :]
                done = not self._left
            else:
                data = os.read(pipe.fileno(), CHUNK)
                done = not data
                if pipe is self._process.stdout:
                    self.out += data
                else:
                    self.err += data[: max(0, ERR_LIMIT - len(self.err))]
        except BlockingIOError:
            return
        except OSError:  # the reader went away
            done = True
        if done:
            self._selector.unregister(pipe)
            pipe.close()

    def close(self) -> None:
        self._selector.close()
        for pipe in self._open:
            pipe.close()
