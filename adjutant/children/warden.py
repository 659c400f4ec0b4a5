"""GROUND. The program that stands between us and a walled-in child: `python -I -S -B warden.py FD`.

It reads its plan (JSON) from FD, raises the walls that the kernel offers, carries the child's one connection, and when
the child is over, or we are, ends everything that came of it. It imports nothing of ours, which may not exist there.
"""

import ctypes
import fcntl
import json
import os
import resource
import select
import signal
import socket
import stat
import struct
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NoReturn

PROBE = "probe"
LOST = 125  # our own failure: the child was not started
OVER = 124  # it took more of the machine than it may
FILE_BYTES = 1 << 30
LOOK = 0.1  # seconds between two looks at what the child takes of the machine
PR_SET_PDEATHSIG, PR_SET_NO_NEW_PRIVS, PR_SET_CHILD_SUBREAPER = 1, 38, 36
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446  # the same numbers on every architecture
PATH_BENEATH, NET_PORT = 1, 2
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR, TRUNCATE, IOCTL_DEV = 1 << 0, 1 << 1, 1 << 2, 1 << 3, 1 << 14, 1 << 15
READ = EXECUTE | READ_FILE | READ_DIR
OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV
FS_BITS = {1: 13, 2: 14, 3: 15, 4: 15}  # access rights by version; 16 from version 5 on
CONNECT_TCP, BIND_TCP = 1 << 1, 1 << 0
SCOPES = 3  # from version 6 on: no abstract sockets and no signals to the outside
BUFFER = 64 * 1024
PR_SET_SECCOMP, FILTER = 22, 2
PR_CAPBSET_DROP, PR_CAP_AMBIENT, CLEAR_ALL, LAST_CAP = 24, 47, 4, 63
CAP_VERSION_3 = 0x20080522
NEWUSER, NEWPID, NEWNET = 0x10000000, 0x20000000, 0x40000000
SIOCSIFFLAGS, IFF_UP = 0x8914, 1

_over: list[int] = []  # the exit code, once the child took too much: either thread may see it end first
_libc = ctypes.CDLL(None, use_errno=True)


def landlock_version() -> int:
    """What the kernel offers; 0 for nothing."""
    return max(0, int(_libc.syscall(CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(1))))


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_uint16), ("steps", ctypes.c_char_p))


def _check(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def restrict(plan: dict[str, Any], folder: dict[str, Any] | None = None) -> None:
    """Puts Landlock's walls around this very process: `read`, `list` and `write` paths, `ports` to connect to."""
    version = landlock_version()
    if not version:
        raise OSError(0, "the kernel has no Landlock")
    fs = (1 << FS_BITS.get(version, 16)) - 1
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    attributes = struct.pack("=QQQ", fs, CONNECT_TCP | BIND_TCP, SCOPES)[:size]
    top = _top(folder)
    rules = _check(_libc.syscall(CREATE_RULESET, attributes, ctypes.c_size_t(size), ctypes.c_uint32(0)))
    rights = {"read": READ, "list": READ_DIR, "devices": READ | WRITE_FILE, "write": ~IOCTL_DEV}
    for kind, allowed in rights.items():
        for path in plan[kind]:
            _allow(rules, _open(path, folder, top), allowed & fs)
    if version >= 4:
        for port in plan["ports"]:
            rule = struct.pack("=QQ", CONNECT_TCP, port)
            _check(_libc.syscall(ADD_RULE, rules, NET_PORT, rule, ctypes.c_uint32(0)))
    _check(_libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    _check(_libc.syscall(RESTRICT_SELF, rules, ctypes.c_uint32(0)))
    os.close(rules)


def _top(folder: dict[str, Any] | None) -> int:
    """A descriptor of the operator's folder, -1 for none. Raises OSError where its path leads elsewhere by now."""
    if folder is None:
        return -1
    fd = os.open(folder["path"], os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    found = os.fstat(fd)
    if [found.st_dev, found.st_ino] != list(folder["inode"]):
        raise OSError(0, f"{folder['path']} was replaced by something else")
    return fd


def _open(path: str, folder: dict[str, Any] | None, top: int) -> int:
    """A descriptor for a rule; -1 for what is not there. In the operator's folder no link is followed: what stood there
    may have been swapped for one since it was looked at. The system's own may be links."""
    try:
        if folder is None or not f"{path}/".startswith(f"{folder['path']}/"):
            return os.open(path, os.O_PATH | os.O_CLOEXEC)
        fd = os.dup(top)
        for name in filter(None, path[len(folder["path"]) :].split("/")):
            inner = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=fd)
            os.close(fd)
            fd = inner
            if stat.S_ISLNK(os.fstat(fd).st_mode):
                os.close(fd)
                return -1
        return fd
    except OSError:
        return -1


def _allow(rules: int, fd: int, allowed: int) -> None:
    if fd < 0:
        return  # what is not there needs no rule
    try:
        if not os.path.isdir(f"/proc/self/fd/{fd}"):
            allowed &= OF_FILES
        _check(_libc.syscall(ADD_RULE, rules, PATH_BENEATH, struct.pack("=Qi", allowed, fd), ctypes.c_uint32(0)))
    finally:
        os.close(fd)


def give_up_privileges() -> None:
    """Leaves this very process none of root's privileges, and no way back to them."""
    for capability in range(LAST_CAP + 1):
        _libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)  # refused without privileges: nothing is to be dropped then
    _libc.prctl(PR_CAP_AMBIENT, CLEAR_ALL, 0, 0, 0)
    header, nothing = (ctypes.c_uint32 * 2)(CAP_VERSION_3, 0), (ctypes.c_uint32 * 6)()
    _check(_libc.capset(header, nothing))
    _check(_libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))


def obey(steps: bytes) -> None:
    """Puts a seccomp program of ours around this very process."""
    _check(_libc.prctl(PR_SET_SECCOMP, FILTER, ctypes.byref(_Program(len(steps) // 8, steps)), 0, 0))


def _start(plan: dict[str, Any]) -> int:
    """The child, forked and behind its walls. Its own failure to start ends it with code 125."""
    warden, pid = os.getpid(), os.fork()
    if pid:
        return pid
    try:
        _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != warden:
            os._exit(LOST)  # it died before we asked to be told
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
        if plan["apart"]:
            _in_a_tree_of_its_own()
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_BYTES, FILE_BYTES))
        files = min(plan["most"]["files"], resource.getrlimit(resource.RLIMIT_NOFILE)[1])
        resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
        os.umask(0o077)
        _top(plan["folder"])
        if plan["work"] is not None:
            os.chdir(plan["work"])
        if plan["landlock"] is not None:
            restrict(plan["landlock"], plan["folder"])
        give_up_privileges()
        if plan["filter"]:
            obey(bytes.fromhex(plan["filter"]))
        os.execve(plan["argv"][0], plan["argv"], plan["env"])
    except OSError as error:
        os.write(2, f"warden: {plan['argv'][0]}: {error.strerror}\n".encode())
    finally:
        os._exit(LOST)


def _in_a_tree_of_its_own() -> None:
    """Goes on as a process in a tree of which nothing outlives its first one, however fast it forks."""
    _check(_libc.unshare(NEWPID))
    for _ in ("its first process, which takes in orphans", "and the one that goes on"):
        pid = os.fork()
        if pid:
            os._exit(_code(pid))
        _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def _code(pid: int) -> int:
    while True:
        done, status = os.waitpid(-1, 0)
        if done == pid:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else 128 - code


def apart() -> None:
    """Takes us into a network of our own that is nothing but loopback. Raises OSError where we may not."""
    if _libc.unshare(NEWNET) < 0:  # not root: root of a namespace of users may
        _check(_libc.unshare(NEWUSER | NEWNET))
    with socket.socket() as any_socket:
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sH14x", b"lo", IFF_UP))


def _door(plan: dict[str, Any]) -> Callable[[], None]:
    """Listens where the child will look for its model; the answer starts carrying, after the fork."""
    listener = socket.create_server(("127.0.0.1", plan["port"]))

    def carry() -> None:
        while True:
            inner, _ = listener.accept()
            threading.Thread(target=_carry, args=(inner, plan["socket"]), daemon=True).start()

    return lambda: threading.Thread(target=carry, daemon=True).start()


def _carry(inner: socket.socket, path: str) -> None:
    with inner, socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as outer:
        try:
            outer.connect(path)
            other = {inner: outer, outer: inner}
            reading = [inner, outer]
            while reading:
                for side in select.select(reading, [], [])[0]:
                    data = side.recv(BUFFER)
                    if data:
                        other[side].sendall(data)
                    else:
                        reading.remove(side)
                        other[side].shutdown(socket.SHUT_WR)
        except OSError:
            return  # one of them is gone; closing tells the other


def _end_all() -> None:
    """KILL for every descendant, until there is none: orphans come to us, and no fork outruns an empty list."""
    while True:
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        for pid in [pid for pid, row in _processes().items() if row[0] == os.getpid()]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def _processes() -> dict[int, tuple[int, int, int]]:
    """(parent, threads, bytes in memory) of each process there is."""
    found = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        with suppress(OSError, ValueError, IndexError), open(f"/proc/{name}/stat", "rb") as file:
            row = file.read().rpartition(b")")[2].split()
            found[int(name)] = int(row[1]), int(row[17]), int(row[21]) * resource.getpagesize()
    return found


def _excess(most: dict[str, int]) -> str:
    """What all that came of us takes too much of; "" for nothing. A limit of the kernel's would not hold for root."""
    rows = _processes()
    below: dict[int, list[int]] = {}
    for pid, row in rows.items():
        below.setdefault(row[0], []).append(pid)
    left, ours = [os.getpid()], []
    while left:
        left += (found := below.pop(left.pop(), []))
        ours += found
    if sum(rows[pid][1] for pid in ours) > most["threads"]:
        return f"more than {most['threads']} processes and threads"
    memory = sum(rows[pid][2] for pid in ours)
    return f"more than {most['memory'] >> 20} MB of memory" if memory > most["memory"] else ""


def _watch(most: dict[str, int]) -> NoReturn:
    while not (excess := _excess(most)):
        time.sleep(LOOK)
    _over.append(OVER)
    os.write(2, f"warden: {excess}\n".encode())
    _leave(OVER)


def _leave(code: int) -> NoReturn:
    _end_all()
    os._exit(_over[0] if _over else code)


def _dismiss(pid: int, code: int) -> NoReturn:
    with suppress(ProcessLookupError, ChildProcessError):  # it has ended, and was waited for
        os.kill(pid, signal.SIGTERM)
        for _ in range(50):
            if os.waitpid(pid, os.WNOHANG)[0]:
                break
            time.sleep(0.01)
    _leave(code)


def main(fd: int) -> NoReturn:
    """Starts the child, waits, ends what is left, and takes over its exit code (128 + signal)."""
    with open(fd, "rb") as file:
        plan = json.loads(file.read())
    if plan["apart"]:
        apart()
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})  # until there is a child to pass it on to
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    _libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    if plan["parent"] not in (None, os.getppid()):
        _leave(LOST)  # whoever started us has died before we asked to be told
    carry = _door(plan["door"]) if plan["door"] is not None else None
    pid = _start(plan)
    signal.signal(signal.SIGTERM, lambda number, frame: _dismiss(pid, 128 + number))
    threading.Thread(target=_watch, args=(plan["most"],), daemon=True).start()
    if carry is not None:
        carry()
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})  # in this thread, which alone runs the handler
    try:
        _leave(_code(pid))
    except ChildProcessError:  # the other thread waited for it
        _leave(OVER)


def probe() -> None:
    """Tries what `apart` in a plan asks for. Raises OSError where we may not."""
    apart()
    _check(_libc.unshare(NEWPID))


if __name__ == "__main__":
    probe() if sys.argv[1] == PROBE else main(int(sys.argv[1]))
