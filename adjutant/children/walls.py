"""GROUND. The walls around an agent's child: bubblewrap's own file system, else the kernel's Landlock, else none."""

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple

from adjutant.children import child, filter, folder, warden
from adjutant.children.child import Ended

BWRAP, LANDLOCK, NONE = "bwrap", "landlock", "none"
PROBE_SECONDS = 10.0
ROOM = "/run/adjutant"  # where our own things stand inside bubblewrap's file system
HOME, WORK = f"{ROOM}/home", f"{ROOM}/work"
DOOR, WARDEN = f"{ROOM}/door", f"{ROOM}/warden.py"
DOOR_PORT = 8017  # inside a network of its own: nobody else is there
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/opt/homebrew")
SYSTEM_FILES = ("/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives", "/etc/localtime")
APART = ("--die-with-parent", "--unshare-all")
SHUT = ("--unshare-user", "--disable-userns")  # no namespaces within, where a child would be root; from 0.8.0 on
# What a child and all that came of it may take of the machine: open files each, the rest together.
MOST = {"files": 4096, "threads": 1024, "memory": 4 << 30}
MOST_WRITTEN = 1 << 30  # bytes, in each of its folders in memory
WRITABLE_BY_ROOT = ("/proc/sys", "/proc/irq", "/proc/bus", "/proc/acpi", "/proc/scsi", "/proc/fs")
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")


class Walls(NamedTuple):
    """What this machine offers. `version`: of Landlock, 0 for none; `apart`: the child gets a network and a process
    tree of its own; `shut`: bubblewrap can keep it from namespaces of its own."""

    kind: str
    program: str
    detail: str
    version: int = 0
    apart: bool = True
    shut: bool = True

    def missing(self) -> list[str]:
        if self.kind == BWRAP:
            return [] if self.shut else ["namespaces of its own, a wide door of the kernel (bubblewrap before 0.8)"]
        bare, open_net = os.uname().machine not in filter.MACHINES, not self.apart
        shared = "changing modes, owners and times of your files; memory and keys that your processes share"
        landlock = self.kind == LANDLOCK
        reach = "connecting anywhere" if self.version < 4 else "connecting to other machines at one port"
        gaps = {
            "reading and writing any file that you may": not landlock,
            "seeing the names of your files and processes": landlock,
            "emptying files that you may write": landlock and self.version < 3,
            shared: landlock and bare,
            "sockets that are files": bare,
            "UDP": open_net and bare,
            reach: open_net,
            "signals to your other processes": open_net and self.version < 6,
            "outliving its run, by forking faster than it can be ended": open_net,
        }
        return [what for what, is_open in gaps.items() if is_open]


class Door(NamedTuple):
    """The one way out: a socket file of ours where the child's network is apart, else a port on loopback."""

    socket: str
    port: int


class Cell(NamedTuple):
    """What is to run, and what it may touch. `programs`: what it is made of; `scratch`: its HOME and working directory;
    `reads`: the operator's folder, which must be `inode`. `env` may hold {home}, {work} and {port}."""

    argv: Sequence[str]
    env: Mapping[str, str]
    programs: Sequence[str]
    scratch: str
    door: Door | None = None
    reads: str | None = None
    writes: bool = False
    inode: tuple[int, int] | None = None


def find(environment: Mapping[str, str]) -> Walls:
    """The best walls that work here, tried and not guessed."""
    if not sys.platform.startswith("linux"):
        return Walls(NONE, "", f"no walls are known for {sys.platform}", apart=False)
    program = which("bwrap", environment.get("PATH", ""))
    reason = "bwrap is not installed (apt-get install bubblewrap)"
    if program is not None:
        for shut in (True, False):
            said = _try([program, *APART, *(SHUT if shut else ()), *_system_arguments(), "/usr/bin/true"])
            if not said:
                return Walls(BWRAP, program, "bubblewrap", warden.landlock_version(), shut=shut)
            reason = f"bwrap may not run here ({said})"
    version, apart = warden.landlock_version(), not _try([*_python(os.path.realpath(warden.__file__)), warden.PROBE])
    if version:
        return Walls(LANDLOCK, "", reason, version, apart)
    return Walls(NONE, "", f"{reason}, and this kernel has no Landlock", 0, apart)


def is_system(path: str) -> bool:
    """Whether it stands in a folder of the system, which every child sees."""
    return path.startswith(tuple(f"{place}/" for place in SYSTEM))


def which(name: str, path: str) -> str | None:
    """The absolute path of a program, as a shell would find it; None when there is none."""
    for place in [""] if "/" in name else [entry for entry in path.split(os.pathsep) if entry.startswith("/")]:
        full = os.path.join(place, name) if place else os.path.abspath(name)
        if os.path.isfile(full) and os.access(full, os.X_OK):  # no pipe, which would be waited for
            return full
    return None


def _try(argv: Sequence[str]) -> str:
    try:
        done = child.run(argv, env={}, cwd="/", seconds=PROBE_SECONDS, out_limit=1024)
    except OSError as error:
        return str(error.strerror)
    said = done.err.decode("utf-8", "replace").strip().split("\n")[0][:200]
    return "" if done.code == 0 else said or done.cause or f"exit code {done.code}"


def run(walls: Walls, cell: Cell, *, stdin: bytes, seconds: float, out_limit: int, watch: Callable[[], None]) -> Ended:
    """Runs the cell to its end or a limit; nothing of it is left. `watch` as in child.run. Raises OSError, TooLarge."""
    boxed, scratch = walls.kind == BWRAP, cell.scratch
    home, work = (HOME, WORK) if boxed else (f"{scratch}/home", f"{scratch}/work")
    port = DOOR_PORT if walls.apart else cell.door.port if cell.door is not None else 0

    def fill(text: str) -> str:
        return text.replace("{home}", home).replace("{work}", work).replace("{port}", str(port))

    found = os.stat(cell.reads) if cell.reads is not None else None
    top = {"path": cell.reads, "inode": cell.inode or (found.st_dev, found.st_ino)} if found is not None else None
    argv, env = [fill(word) for word in cell.argv], {name: fill(value) for name, value in cell.env.items()}
    door = {"port": port, "socket": DOOR if boxed else cell.door.socket} if cell.door and walls.apart else None
    plan: dict[str, Any] = {"argv": argv, "env": env, "folder": top, "most": MOST, "door": door}
    plan |= {"apart": walls.apart and not boxed, "filter": filter.program(alone=not boxed).hex()}
    plan |= {"parent": None if boxed else os.getpid(), "work": None if boxed else work}
    plan |= {"landlock": _list_rules(walls, cell, home, work, port)}
    with ExitStack() as held:
        fds = [held.enter_context(_open(json.dumps(plan).encode()))]
        before: list[str] = []
        if boxed:
            around = b"".join(os.fsencode(word) + b"\0" for word in _bwrap_words(walls, cell))
            fds.append(held.enter_context(_open(around)))
            before = [walls.program, "--args", str(fds[1]), "--"]
        words = [*before, *_python(WARDEN if boxed else os.path.realpath(warden.__file__)), str(fds[0])]
        return child.run(
            words, env={}, cwd=scratch, stdin=stdin, seconds=seconds, out_limit=out_limit, watch=watch, pass_fds=fds
        )


def _python(script: str) -> list[str]:
    return [os.path.realpath(sys.executable), "-I", "-S", "-B", script]


@contextmanager
def _open(data: bytes) -> Iterator[int]:
    fd = os.memfd_create("plan")
    try:
        os.write(fd, data)
        os.lseek(fd, 0, os.SEEK_SET)
        yield fd
    finally:
        os.close(fd)


def _bwrap_words(walls: Walls, cell: Cell) -> list[str]:
    """A file system that holds the system, the programs and the folder, and a network that holds the door. Parts of
    /proc that root may write to are covered where no Landlock keeps the child, which is root there, from them."""
    memory = ["--size", str(MOST_WRITTEN), "--tmpfs"] if walls.shut else ["--tmpfs"]
    words = [*APART, *(SHUT if walls.shut else ()), "--cap-drop", "ALL", *_system_arguments(), *memory, "/tmp"]
    if cell.reads is not None:
        words += ["--bind" if cell.writes else "--ro-bind", cell.reads, cell.reads]
        for path, is_folder in folder.view(cell.reads).shut:
            words += ["--tmpfs", path, "--remount-ro", path] if is_folder else ["--ro-bind", os.devnull, path]
    for path in (*_interpreter(), *cell.programs):
        words += ["--ro-bind", path, path]
    words += [*memory, ROOM, "--dir", HOME, "--dir", WORK, "--chdir", WORK]
    words += ["--bind", cell.door.socket, DOOR] if cell.door is not None else []
    words += ["--ro-bind", os.path.realpath(warden.__file__), WARDEN]
    for path in () if walls.version else WRITABLE_BY_ROOT:
        words += ["--tmpfs", path, "--remount-ro", path] if os.path.isdir(path) else []
    return words


def _system_arguments() -> list[str]:
    words = []
    for path in SYSTEM:
        if os.path.islink(path):
            words += ["--symlink", os.readlink(path), path]
        elif os.path.isdir(path):
            words += ["--ro-bind", path, path]
    for path in SYSTEM_FILES:
        words += ["--ro-bind-try", path, path]
    return [*words, "--proc", "/proc", "--dev", "/dev"]


def _interpreter() -> list[str]:
    home = {os.path.realpath(sys.base_prefix), os.path.dirname(os.path.dirname(os.path.realpath(sys.executable)))}
    return sorted(path for path in home if not path.startswith("/usr"))


def _list_rules(walls: Walls, cell: Cell, home: str, work: str, port: int) -> dict[str, Any] | None:
    """What Landlock lets be read, written, listed and connected to; None where it is not used."""
    if not walls.version or walls.kind == NONE:
        return None
    rules = {"devices": DEVICES, "ports": [port] if cell.door is not None or walls.kind == BWRAP else []}
    if walls.kind == BWRAP:
        own = [cell.reads] if cell.reads is not None and cell.writes else []
        return {**rules, "read": ["/"], "write": [home, work, *own], "list": []}
    seen = folder.view(cell.reads) if cell.reads is not None else folder.FolderView([], [])
    return {
        **rules,
        "read": [*SYSTEM, *SYSTEM_FILES, "/proc", *_interpreter(), *cell.programs, *seen.whole],
        "write": [home, work, *(seen.whole if cell.writes else [])],
        "list": [cell.reads] if cell.reads is not None else [],
    }


# -- where a program stands on this machine, and of what folders and files it is made ---------------------------


# Where the installers of agents put them. cron's PATH knows none of these.
_USUAL = "/usr/local/bin /opt/homebrew/bin ~/.local/bin ~/.opencode/bin ~/.bun/bin ~/.npm-global/bin ~/.claude/local"
USUAL = tuple(_USUAL.split())
ELF = b"\x7fELF"
MODULES = "node_modules"


class Program(NamedTuple):
    """`path`: absolute, links resolved. `parts`: what it needs to be read beside the system's own folders."""

    path: str
    parts: tuple[str, ...]


def find_program(named: str, environment: Mapping[str, str], away: Sequence[str] = ()) -> Program | None:
    """A program by path or name, in PATH and where agents are put, or None. `away`: folders no part of it may hold."""
    home = environment.get("HOME", "")
    usual = [place.replace("~", home, 1) for place in USUAL if home or not place.startswith("~")]
    path = os.pathsep.join([environment.get("PATH", ""), *usual])
    found = which(named.replace("~", home, 1) if named.startswith("~/") else named, path)
    if found is None:
        return None
    real = os.path.realpath(found)
    kept = [os.path.realpath(each) for each in (home, *away) if each]
    return Program(real, tuple(dict.fromkeys(_parts(real, path, kept))))


def _parts(real: str, path: str, away: Sequence[str]) -> list[str]:
    try:
        with open(real, "rb") as file:
            head = file.read(256)
    except OSError:
        head = ELF  # it may be run and not read: no script
    own = [] if is_system(real) else [_enclosing(real, head, away)]
    words = os.fsdecode(head[2:].split(b"\n")[0]).split() if head.startswith(b"#!") else []
    if words and words[0].endswith("/env"):
        words = [word for word in words[1:] if not word.startswith("-")]
    interpreter = which(words[0], path) if words else None
    if interpreter is None or is_system(runs := os.path.realpath(interpreter)):
        return own
    lib = os.path.join(os.path.dirname(os.path.dirname(runs)), "lib")  # not the folder of both: that may be HOME
    return [*own, runs, *([lib] if os.path.isdir(lib) else [])]


def _enclosing(real: str, head: bytes, away: Sequence[str]) -> str:
    """A program alone; a script with its folder, unless `away` is in it; all packages of node for one of them."""
    before, inside, _ = real.rpartition(f"/{MODULES}/")
    if inside:
        return f"{before.partition(f'/{MODULES}/')[0]}/{MODULES}"
    folder = os.path.dirname(real)
    holds = any(f"{each}/".startswith(f"{folder.rstrip('/')}/") for each in away)
    return real if head.startswith(ELF) or holds else folder
