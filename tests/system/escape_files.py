"""Ways to read what is not the child's, and to write anywhere at all."""

from __future__ import annotations

import ctypes
import mmap
import os
import socket
import stat
from collections.abc import Callable
from typing import Any

libc = ctypes.CDLL(None, use_errno=True)
OPENAT2, FCHMODAT2 = 437, 452  # the same numbers on every architecture
RENAME_EXCHANGE = 2
Attempt = Callable[[Any], "str | None"]


def checked(result: int) -> int:
    """The result of a call of the C library. Raises OSError."""
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return int(result)


def read(path: str, folder: int | None = None) -> str:
    """The beginning of a file."""
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK, dir_fd=folder)
    return os.read(fd, 1 << 20).decode("utf-8", "replace")


def parents() -> list[int]:
    """Process numbers from our parent up, as far as they can be seen."""
    found, pid = [], os.getppid()
    while pid > 0:
        found.append(pid)
        try:
            pid = int(read(f"/proc/{pid}/stat").rpartition(")")[2].split()[1])
        except OSError:
            break
    return found


def of_any(numbers: list[int], name: str) -> str:
    """What /proc/N/NAME of all of them hold. Raises OSError when none can be read."""
    found, refused = [], FileNotFoundError(2, "nobody")
    for number in numbers:
        try:
            found.append(read(f"/proc/{number}/{name}"))
        except OSError as error:
            refused = error
    if not found:
        raise refused
    return "".join(found)


def inherited(t: Any) -> str:
    """What open descriptors beyond the three are; the pipe that we tell our outcome by is our own."""
    found = []
    for name in os.listdir("/proc/self/fd"):
        try:
            target = os.readlink(f"/proc/self/fd/{name}")
        except OSError:
            continue  # the one of the listing itself
        if int(name) > 2 and not target.startswith("pipe:"):
            found.append(target)
    return " ".join(found)


def listed(path: str, *known: str) -> str:
    """The first names of a folder, but for those that the path of the child's own folder tells."""
    found = sorted({*os.listdir(path)} - {*known})[:8]
    return f"names: {' '.join(found)}" if found else ""


def mapped(path: str) -> str:
    fd = os.open(path, os.O_RDONLY)
    return bytes(mmap.mmap(fd, 0, prot=mmap.PROT_READ)[:200]).decode("utf-8", "replace")


def sent(path: str) -> str:
    fd = os.open(path, os.O_RDONLY)
    left, right = socket.socketpair()
    os.sendfile(left.fileno(), fd, 0, 200)
    return right.recv(200).decode("utf-8", "replace")


def opened2(t: Any) -> str:
    how = (ctypes.c_uint64 * 3)(os.O_RDONLY, 0, 0)
    fd = checked(libc.syscall(OPENAT2, -100, t.env.encode(), ctypes.byref(how), ctypes.c_size_t(24)))
    return os.read(fd, 200).decode()


def by_handle(t: Any) -> str:
    """open_by_handle_at walks no path."""
    handle = ctypes.create_string_buffer(8 + 128)
    ctypes.memmove(handle, (128).to_bytes(4, "little"), 4)
    mount = ctypes.c_int()
    checked(libc.name_to_handle_at(-100, t.env.encode(), handle, ctypes.byref(mount), 0))
    fd = checked(libc.open_by_handle_at(os.open("/usr", os.O_RDONLY), handle, os.O_RDONLY))
    return os.read(fd, 200).decode()


def raw_disk(t: Any) -> str:
    """A device file of the disk itself, made in our own HOME."""
    path = os.path.join(os.environ["HOME"], "disk")
    os.mknod(path, 0o600 | stat.S_IFBLK, t.disk)
    return f"raw bytes: {os.read(os.open(path, os.O_RDONLY), 16)!r}"


def own_environment(t: Any) -> str:
    """Names that the adapter did not set."""
    return " ".join(
        name for name in t.environment if name not in t.allowed and not name.startswith(("OPENCODE_", "XDG_"))
    )


def watched(t: Any) -> str:
    os.stat(t.env)  # what is watched is the instance, and no empty folder of its name
    fd = checked(libc.inotify_init1(os.O_CLOEXEC))
    checked(libc.inotify_add_watch(fd, t.root.encode(), 0x100))
    return "names: would be told of every name that comes"


def watched_by_fanotify(t: Any) -> str:
    fd = checked(libc.fanotify_init(0, 0))
    checked(libc.fanotify_mark(fd, 0x11, ctypes.c_uint64(0x20), -100, t.root.encode()))
    return "would be handed every file that is opened"


def shell_of_kb(t: Any) -> str:
    """A script of the folder may run: behind the same walls. It prints .env and makes PAUSED."""
    reading, writing = os.pipe()
    if os.fork() == 0:
        os.dup2(writing, 1)
        os.execv("/bin/sh", ["sh", os.path.join(t.kb, "run.sh")])
    os.close(writing)
    os.wait()
    return os.read(reading, 300).decode()


LINKS = {
    "a link to .env": "env",
    "a link to /etc/passwd": "passwd",
    "a link to HOME": "home/secret.txt",
    "a link of dots": "up/.env",
    "a link to a folder": "neighbour/secret.md",
    "a link through /proc/self/cwd": "cwd/secret.md",
    "a link in a folder": "deep/er/env",
}
HIDDEN = (
    ".env",
    "AGENTS.md",
    "deep/CLAUDE.md",
    "opencode.json",
    ".opencode/plugin/evil.js",
    ".claude/settings.json",
    ".mcp.json",
    "deep/er/agents.md",
)

READING: dict[str, Attempt] = {
    "open .env by its path": lambda t: read(t.env),
    "open .env by ..": lambda t: read(f"{t.kb}/../../.env"),
    "openat the folder, ..": lambda t: read("../../.env", os.open(t.kb, os.O_RDONLY)),
    "open .env through cwd": lambda t: read("../" * 30 + t.env[1:]),
    "open .env through /proc/self/cwd": lambda t: read(f"/proc/self/cwd/{'../' * 30}{t.env[1:]}"),
    "open .env through /proc/self/root": lambda t: read(f"/proc/self/root{t.env}"),
    "open .env through /proc/1/root": lambda t: read(f"/proc/1/root{t.env}"),
    "open .env through the root of a parent": lambda t: of_any(parents(), f"root{t.env}"),
    "open .env through the root of a stranger": lambda t: of_any([t.victim], f"root{t.env}"),
    "open .env through the cwd of a parent": lambda t: of_any(parents(), f"cwd{t.env}"),
    "openat2 .env": opened2,
    "open_by_handle_at .env": by_handle,
    "mmap .env": lambda t: mapped(t.env),
    "sendfile .env": lambda t: sent(t.env),
    "hard link to .env, made in HOME": lambda t: (
        os.link(t.env, f"{os.environ['HOME']}/hard") or read(f"{os.environ['HOME']}/hard")
    ),
    "rename .env into HOME": lambda t: os.rename(t.env, f"{os.environ['HOME']}/moved"),
    "open a file in the operator's HOME": lambda t: read(f"{t.home}/secret.txt"),
    "open /etc/passwd": lambda t: read("/etc/passwd"),
    "open /etc/shadow": lambda t: read("/etc/shadow"),
    "open the neighbour's notes": lambda t: read(f"{t.neighbour}/secret.md"),
    "open the program's own folder above": lambda t: read(f"{t.outside}/secret.txt"),
    "a file of /dev/shm": lambda t: read(f"/dev/shm/{t.shm}"),
    "list the instance": lambda t: listed(t.root, "knowledge_bases", "workspace"),
    "list the folders beside": lambda t: listed(os.path.dirname(t.kb), "hostile"),
    "list HOME of the operator": lambda t: listed(t.home),
    "list /tmp of the machine": lambda t: listed(t.tmp),
    "stat .env": lambda t: f"names: {os.stat(t.env).st_size} bytes",
    "readlink in the instance": lambda t: f"names: {os.readlink(f'{t.root}/pointer')}",
    "inotify on the instance": watched,
    "fanotify on the instance": watched_by_fanotify,
    "list /proc": lambda t: "names: a stranger" if str(t.victim) in os.listdir("/proc") else "",
    "read /proc/net/unix": lambda t: "names: a socket" if t.unix in read("/proc/net/unix") else "",
    "the environment of a parent": lambda t: of_any(parents()[1:], "environ").removeprefix("PWD=/run/adjutant/work\0"),
    "the environment of a stranger": lambda t: of_any([t.victim], "environ"),
    "the memory map of a stranger": lambda t: of_any([t.victim], "maps"),
    "the memory of a stranger": lambda t: of_any([t.victim], "mem"),
    "the open files of a stranger": lambda t: listed(f"/proc/{t.victim}/fd"),
    "the folder of a stranger": lambda t: os.readlink(f"/proc/{t.victim}/cwd"),
    "descriptors that were left open": inherited,
    "its own environment": own_environment,
    "a raw disk": raw_disk,
    "/dev/mem": lambda t: read("/dev/mem"),
    "/dev/kmsg": lambda t: read("/dev/kmsg"),
    "a script of the folder": shell_of_kb,
    **{f"read through {name}": (lambda t, path=path: read(f"{t.kb}/{path}")) for name, path in LINKS.items()},
    **{f"read {path} of the folder": (lambda t, path=path: read(f"{t.kb}/{path}")) for path in HIDDEN},
}


# -- writing: a call that says yes is judged by what it did, from outside ------------------------------------


def make(path: str) -> None:
    os.write(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL), b"escaped\n")


def append(path: str) -> None:
    os.write(os.open(path, os.O_WRONLY | os.O_APPEND), b"escaped\n")


def for_writing(path: str) -> str:
    os.open(path, os.O_WRONLY)
    return f"{path} opened for writing"


def hard_link(t: Any) -> None:
    """A second name of a note in our own HOME, and a write through it."""
    mine = f"{os.environ['HOME']}/note"
    os.link(t.note, mine)
    append(mine)


def exchanged(t: Any) -> None:
    mine = f"{os.environ['HOME']}/forged"
    make(mine)
    checked(libc.renameat2(-100, mine.encode(), -100, t.note.encode(), RENAME_EXCHANGE))


def without_name(t: Any) -> None:
    fd = os.open(t.kb, os.O_TMPFILE | os.O_WRONLY)
    os.link(f"/proc/self/fd/{fd}", f"{t.kb}/tmpfile", follow_symlinks=True)


def by_descriptor(change: Callable[[int], None]) -> Attempt:
    return lambda t: change(os.open(t.note, os.O_RDONLY))


def huge(t: Any) -> str:
    """More in one file of its HOME than a child may write; only the last byte is really written."""
    fd = os.open(f"{os.environ['HOME']}/huge", os.O_WRONLY | os.O_CREAT)
    os.pwrite(fd, b"x", (1 << 30) + 1)
    return "a file beyond 1 GB"


def reopened(t: Any) -> None:
    """A note open for reading, opened again for writing through /proc."""
    append(f"/proc/self/fd/{os.open(t.note, os.O_RDONLY)}")


WRITING: dict[str, Attempt] = {
    **{
        f"make a file in {name}": (lambda t, name=name: make(f"{t.known[name]}/escaped"))
        for name in ("kb", "root", "home", "tmp", "neighbour", "outside")
    },
    "append to a note": lambda t: append(t.note),
    "append to a log of the instance": lambda t: append(f"{t.root}/state/actions.jsonl"),
    "append to the registry": lambda t: append(f"{t.root}/knowledge_bases/registry.yaml"),
    "append through a link": lambda t: append(f"{t.kb}/env"),
    "open a note again for writing": reopened,
    "truncate a note": lambda t: os.truncate(t.note, 0),
    "truncate .env": lambda t: os.truncate(t.env, 0),
    "unlink a note": lambda t: os.unlink(t.note),
    "rename a note": lambda t: os.rename(t.note, f"{t.kb}/renamed"),
    "exchange a note": exchanged,
    "a file without a name": without_name,
    "hard link of a note, made in HOME": hard_link,
    "make a folder": lambda t: os.mkdir(f"{t.kb}/made"),
    "remove a folder": lambda t: os.rmdir(f"{t.kb}/void"),
    "make PAUSED": lambda t: os.mkdir(f"{t.root}/PAUSED"),
    "make a link": lambda t: os.symlink(t.env, f"{t.kb}/planted"),
    "make a fifo": lambda t: os.mkfifo(f"{t.kb}/fifo"),
    "make a socket file": lambda t: os.mknod(f"{t.kb}/socket", 0o600 | stat.S_IFSOCK),
    "chmod a note": lambda t: os.chmod(t.note, 0o777),
    "chmod .env": lambda t: os.chmod(t.env, 0o777),
    "chmod the instance": lambda t: os.chmod(t.root, 0o711),
    "fchmod a note": by_descriptor(lambda fd: os.fchmod(fd, 0o777)),
    "fchmodat2 a note": lambda t: None if not checked(libc.syscall(FCHMODAT2, -100, t.note.encode(), 0o777, 0)) else "",
    "chown a note": lambda t: os.chown(t.note, t.other_uid, t.other_uid),
    "fchown a note": by_descriptor(lambda fd: os.fchown(fd, 65534, 65534)),
    "utime a note": lambda t: os.utime(t.note, (1, 1)),
    "futime a note": by_descriptor(lambda fd: os.utime(fd, (1, 1))),
    "utime .env": lambda t: os.utime(t.env, (1, 1)),
    "setxattr a note": lambda t: os.setxattr(t.note, "user.escaped", b"1"),
    "fsetxattr a note": by_descriptor(lambda fd: os.setxattr(fd, "user.escaped", b"1")),
    "removexattr a note": lambda t: os.removexattr(t.note, "user.mark"),
    "write more than 1 GB": huge,
    "write core_pattern": lambda t: for_writing("/proc/sys/kernel/core_pattern"),
    "write smp_affinity of interrupts": lambda t: for_writing("/proc/irq/default_smp_affinity"),
    "write sysrq-trigger": lambda t: for_writing("/proc/sysrq-trigger"),
    "write oom_score_adj of a stranger": lambda t: for_writing(f"/proc/{t.victim}/oom_score_adj"),
    "write in /sys": lambda t: for_writing("/sys/kernel/mm/transparent_hugepage/enabled"),
    "a file in /dev/shm": lambda t: make(f"/dev/shm/{t.shm}-escaped"),
}
ATTEMPTS = {**READING, **WRITING}
