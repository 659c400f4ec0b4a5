"""Ways to touch other processes, and to outlive one's own."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import time
from typing import Any

from tests.system.escape_files import Attempt, checked, libc, parents, read

PIDFD_GETFD = 438  # the same number on every architecture
PTRACE_ATTACH, PTRACE_SEIZE = 16, 0x4206
IOPRIO_SET = {"x86_64": 251, "aarch64": 30}


def traced(pid: int, how: int) -> str:
    libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    checked(libc.ptrace(how, pid, None, None))
    return "it is traced"


def memory(t: Any) -> str:
    """The canary where the stranger said it holds it."""

    class Part(ctypes.Structure):
        _fields_ = (("base", ctypes.c_void_p), ("size", ctypes.c_size_t))

    mine = ctypes.create_string_buffer(64)
    here, there = Part(ctypes.addressof(mine), 64), Part(t.address, 64)
    checked(libc.process_vm_readv(t.victim, ctypes.byref(here), 1, ctypes.byref(there), 1, 0))
    return mine.raw.decode("latin-1")


def descriptor(t: Any) -> str:
    fd = checked(libc.syscall(PIDFD_GETFD, os.pidfd_open(t.victim), 0, 0))
    return f"a descriptor: {os.readlink(f'/proc/self/fd/{fd}')}"


def affinity(t: Any) -> None:
    os.sched_setaffinity(t.victim, {0})


def limited(t: Any) -> None:
    resource.prlimit(t.victim, resource.RLIMIT_NOFILE, (17, 17))


def io_priority(t: Any) -> None:
    checked(libc.syscall(IOPRIO_SET[os.uname().machine], 1, t.victim, (3 << 13)))


def asked_to_signal(t: Any) -> None:
    """A pipe whose owner is the stranger sends it a signal when something comes."""
    import fcntl  # used here alone

    reading, writing = os.pipe()
    fcntl.fcntl(reading, 10, signal.SIGTERM)  # F_SETSIG
    fcntl.fcntl(reading, fcntl.F_SETOWN, t.victim)
    fcntl.fcntl(reading, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
    os.write(writing, b"x")


def reported_death(t: Any) -> str:
    """The number of the real parent of everything: 1 in our view, and whether it takes a signal."""
    os.kill(1, 0)
    return "" if _is_our_own(1) else "process 1 takes signals"


def _is_our_own(pid: int) -> bool:
    with open(f"/proc/{pid}/comm") as file:
        return file.read().strip() == "bwrap"


ATTEMPTS: dict[str, Attempt] = {
    "kill a stranger": lambda t: os.kill(t.victim, signal.SIGTERM),
    "stop a stranger": lambda t: os.kill(t.victim, signal.SIGSTOP),
    "kill adjutant": lambda t: os.kill(_adjutant(t), signal.SIGTERM),
    "kill a stranger through a pidfd": lambda t: signal.pidfd_send_signal(os.pidfd_open(t.victim), signal.SIGTERM),
    "kill the group of a stranger": lambda t: os.killpg(t.victim, signal.SIGTERM),
    "signal by a pipe": asked_to_signal,
    "signal process 1": reported_death,
    "ptrace a stranger": lambda t: traced(t.victim, PTRACE_ATTACH),
    "seize a stranger": lambda t: traced(t.victim, PTRACE_SEIZE),
    "seize adjutant": lambda t: traced(_adjutant(t), PTRACE_SEIZE),
    "process_vm_readv": memory,
    "pidfd_getfd": descriptor,
    "setpriority of a stranger": lambda t: os.setpriority(os.PRIO_PROCESS, t.victim, 7),
    "setpriority of a user": lambda t: os.setpriority(os.PRIO_USER, t.victim_uid, 7),
    "sched_setaffinity of a stranger": affinity,
    "sched_setscheduler of a stranger": lambda t: os.sched_setscheduler(t.victim, os.SCHED_BATCH, os.sched_param(0)),
    "prlimit of a stranger": limited,
    "ioprio_set of a stranger": io_priority,
}


def _adjutant(t: Any) -> int:
    """The process that started everything, where it can be seen; else a number that means nothing here."""
    return next((pid for pid in parents() if "-m\0adjutant\0" in read(f"/proc/{pid}/cmdline")), t.victim)


SWIFT = "a survivor that forks faster than it can be ended"


def survivors(spared: list[str]) -> None:
    """Children that mean to outlive us: other sessions, deaf, stopped, many, and each with a child of its own."""
    for manners in (_plain, _deaf, _stopped, _busy, *(() if SWIFT in spared else (_swift,))):
        if os.fork() == 0:
            os.setsid()
            for _ in range(3):  # each generation leaves the one before
                if os.fork():
                    os._exit(0)
            for fd in range(3):
                os.close(fd)
            os.open(os.devnull, os.O_RDWR)
            manners()
            _sleep()
        os.wait()
    for _ in range(30):
        if os.fork() == 0:
            os.setsid()
            _sleep()


def _plain() -> None:
    os.chdir("/")


def _deaf() -> None:
    for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_IGN)


def _stopped() -> None:
    os.kill(os.getpid(), signal.SIGSTOP)


def _busy() -> None:
    """A new process ten times a second, the old one gone: hard to hit."""
    until = time.monotonic() + 20
    while time.monotonic() < until:
        time.sleep(0.1)
        if os.fork():
            os._exit(0)


def _swift() -> None:
    until = time.monotonic() + 20
    while time.monotonic() < until:
        if os.fork():
            os._exit(0)


def _sleep() -> None:
    time.sleep(120)
    os._exit(0)
