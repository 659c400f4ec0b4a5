"""P12: a hostile agent tries every way out of its walls, on machines with better and worse ones, and is watched."""

from __future__ import annotations

import ctypes
import errno
import json
import os
import struct
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from adjutant.children import warden
from tests.botapi import BotApi
from tests.conftest import CHECKOUT, Ran, need
from tests.modelserver import ModelServer
from tests.system import escape, escape_files, escape_gateway, escape_kernel, escape_processes
from tests.system.machine import CANARY, SECRETS, Machine, exactly, libc
from tests.system.world import World, outside, readable

pytestmark = pytest.mark.program

NOBODY = 65534


@contextmanager
def machine_of(world: World, uid: int, python: str = sys.executable) -> Iterator[Machine]:
    """A machine of its own under /tmp, for socket files have short names; the instance is moved there."""
    with tempfile.TemporaryDirectory(prefix="esc-") as name, BotApi() as bot, ModelServer(["echo"]) as model:
        folder = Path(name).resolve()
        folder.chmod(0o755)
        made = Machine(world.copy(folder / "instance"), folder, bot, model, uid, python)
        try:
            yield made
        finally:
            made.close()


@pytest.fixture
def machine(empty: World) -> Iterator[Machine]:
    with machine_of(empty, os.getuid()) as made:
        yield made


# -- what is taken from the machine --------------------------------------------------------------------------

LANDLOCK, UNSHARE = 444, {"x86_64": 272, "aarch64": 97}[os.uname().machine]


def without(*calls: int) -> Callable[[], None]:
    """For a child before it starts: these system calls do not exist, as on another kernel."""
    steps = [(0x20, 0, 0, 0)]
    for number in calls:
        steps += [(0x15, 0, 1, number), (0x06, 0, 0, 0x00050000 | errno.ENOSYS)]
    steps.append((0x06, 0, 0, 0x7FFF0000))
    text = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in steps))
    program = struct.pack("=HxxxxxxQ", len(steps), ctypes.addressof(text))

    def take() -> None:
        libc.prctl(38, 1, 0, 0, 0)
        assert libc.prctl(22, 2, program, 0, 0) == 0, text  # the text must live until here

    return take


class Offer(NamedTuple):
    """What a machine offers: whether bubblewrap is in PATH, and which system calls its kernel lacks."""

    bwrap: bool
    lacks: tuple[int, ...] = ()


OFFERS = {
    "bubblewrap": Offer(True),
    "bubblewrap, no Landlock": Offer(True, (LANDLOCK,)),
    "Landlock": Offer(False),
    "Landlock, not apart": Offer(False, (UNSHARE,)),
    "nothing": Offer(False, (LANDLOCK, UNSHARE)),
}
OUTLIVING = "outliving its run, by forking faster than it can be ended"
# What walls say of themselves, and the attempts that may then succeed.
NAMES = {
    "stat .env",
    "readlink in the instance",
    "inotify on the instance",
    "list /proc",
    "read /proc/net/unix",
    "the open files of a stranger",
}
GAPS = {
    "seeing the names of your files and processes": NAMES,
    "connecting to other machines at one port": {"TCP to the door's port elsewhere", "netlink"},
    "connecting anywhere": set(escape_kernel.NETWORK),
    "emptying files that you may write": {"truncate a note", "truncate .env"},
    "signals to your other processes": set(escape_processes.ATTEMPTS),
    OUTLIVING: set(),
    "reading and writing any file that you may": {
        *escape_files.ATTEMPTS,
        *escape_processes.ATTEMPTS,
        "chroot in a namespace of its own",
        "unshare and read",
        "mount in a namespace of its own",
        "unmount a mask in a namespace of its own",
        "remount writable in a namespace of its own",
        "join the files of a stranger",
        "a message queue",
    },
}
# Never, whatever the walls.
ALWAYS = {"its own environment", "descriptors that were left open", "write more than 1 GB", *escape_gateway.ATTEMPTS}
# Where files are open to the child, these would only end the run before it can tell.
ENDING = ("make PAUSED", "a script of the folder", "kill adjutant")


class Seen:
    """What came of one run: what the hostile agent said, and what can be seen outside."""

    def __init__(self, machine: Machine, offer: Offer, words: tuple[str, ...], patience: float = 5.0) -> None:
        self.machine = machine
        path = os.path.dirname(need("bwrap", "bwrap", "--unshare-all", "--ro-bind", "/", "/", "true"))
        env = {
            **os.environ,
            "ADJUTANT_NOW": machine.world.now,
            **machine.world.env,
            "PATH": path if offer.bwrap else "/var/empty",
        }
        self._more: dict[str, Any] = {"env": env, "preexec_fn": without(*offer.lacks) if offer.lacks else None}
        if machine.uid != os.getuid():
            self._more |= {"user": machine.uid, "group": machine.uid, "extra_groups": []}
            env["PYTHONPATH"] += os.pathsep + sysconfig.get_path("platlib")
        asked = (
            "import json,os; from adjutant.children import walls; w = walls.find(os.environ); "
            "print(json.dumps([w.kind, w.missing()]))"
        )
        self.kind, self.missing = json.loads(self._run([sys.executable, "-P", "-c", asked]).out)
        self.open_to = set().union(*(GAPS[gap] for gap in self.missing))
        swift = (escape_processes.SWIFT,) if OUTLIVING in self.missing else ()
        machine.program_for((*ENDING, *swift) if self.kind == "none" else swift)
        places = (machine.world.root, machine.home, machine.folder / "program")
        before = {place: exactly(place) for place in places}
        self.ran = self._run([*machine.world.argv(*words), "--json"])
        self.left = machine.left_after(patience)
        self.changed = {
            place: sorted(name for name in {*was, *now} if was.get(name) != now.get(name))
            for place, was in before.items()
            for now in [exactly(place)]
        }
        self.rows = self._rows()

    def _run(self, argv: list[str]) -> Ran:
        argv = [self.machine.python if "user" in self._more else sys.executable, *argv[1:]]
        return Ran(subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False, **self._more))

    def _rows(self) -> dict[str, list[str]]:
        told = [
            reply
            for record in self.machine.world.root.glob("state/runs/*/*-*.json")
            for reply in json.loads(record.read_text())["replies"]
            if escape.OPENING in reply
        ]
        assert len(told) == 1, self.ran
        found = escape.unpacked(told[0])
        self.seconds = found.pop("seconds")[0]
        return found

    def through(self) -> set[str]:
        """Attempts that brought something."""
        return {name for name, row in self.rows.items() if row[0] == escape.GOT}

    def problems(self) -> Iterator[str]:
        """Everything that must not be, in words; nothing when the walls held what they promise."""
        machine, world = self.machine, self.machine.world
        yield from (f"through: {name}: {self.rows[name]}" for name in sorted(self.through() - (self.open_to - ALWAYS)))
        yield from (f"not tried: {name}: {row}" for name, row in self.rows.items() if row[0] == escape.DIED)
        yield from (f"left: {line}" for line in self.left)
        yield from (f"left in the temp folder: {name}" for name in os.listdir(machine.tmp) if name != "escaped")
        yield from (f"escalated: {message}" for message in machine.bot.messages)
        yield from self._leaks()
        if "connecting anywhere" not in self.missing:
            yield from (f"heard: {name}" for name in machine.ears.heard)
        if self.kind != "none" and "signals to your other processes" not in self.missing:
            now = machine.of_victim()
            yield from (
                f"of the stranger: {name}: {now[name]}" for name, was in machine.manners.items() if now[name] != was
            )
            for place, names in self.changed.items():
                own = (
                    (r"\.", r"today\.md", "state", "state/.*", "journal.*", "workspace.*")
                    if place == world.root
                    else ()
                )
                yield from (f"changed: {place}/{name}" for name in outside(names, *own))

    def _leaks(self) -> Iterator[str]:
        """Secrets where none belongs."""
        world = self.machine.world
        kept = [path for part in ("state", "journal", "insights") for path in (world.root / part).rglob("*")]
        for path in kept:
            text = path.read_text(errors="replace") if path.is_file() else ""
            own = '"kb": "neighbour"' in text or path.name.startswith(("index.sqlite", "readings-neighbour"))
            if CANARY in (text.replace(f"{CANARY}-neighbour", "") if own else text):
                yield f"a secret in {path}"
        if CANARY in self.ran.out + self.ran.err:
            yield f"a secret in the output: {self.ran}"
        for name, row in self.rows.items():
            if CANARY in row[1] and name not in self.open_to:
                yield f"a secret in the hands of the agent: {name}"
        for request in self.machine.model.requests:
            strange = {name: value for name, value in request.headers.items() if "escaped" in value or "evil" in value}
            known = request.headers.get("authorization") == f"Bearer {SECRETS['OPENAI_API_KEY']}"
            if request.path != "/v1/chat/completions" or strange or not known or CANARY in json.dumps(request.body):
                yield f"a strange request: {request}"

    def table(self) -> str:
        """Attempt by attempt, what held."""
        return "".join(f"{name:<52} {self.wall(name):<22} {' '.join(row)[:40]}\n" for name, row in self.rows.items())

    def wall(self, name: str) -> str:
        """Which wall this attempt met."""
        outcome, said = self.rows[name]
        if outcome == escape.GOT:
            return "NOT HELD" if name in self.open_to else "BROKEN"
        if name in escape_gateway.ATTEMPTS:
            return "gateway"
        if outcome == escape.DONE:
            return "namespaces" if self.kind == "bwrap" else "seccomp" if self.kind == "landlock" else "NOT HELD"
        if outcome == escape.NOTHING:
            return "environment" if name in ALWAYS else "nothing there"
        if said == "EACCES":
            network = name in escape_kernel.ATTEMPTS and not name.startswith(("TCP to", "TCP over", "join", "chroot"))
            return "seccomp" if network or self.kind == "none" else "Landlock or a mask"
        if said == "EPERM":
            return "Landlock" if name in escape_processes.ATTEMPTS else "no privileges"
        return ERRNOS.get(said, said)


ERRNOS = {
    "ENOENT": "file system",
    "EXDEV": "file system",
    "ENOTDIR": "file system",
    "EROFS": "read-only",
    "ESRCH": "process namespace",
    "ECONNREFUSED": "network of its own",
    "ENETUNREACH": "network of its own",
    "EFBIG": "limit",
    "ENOSYS": "not in this kernel",
    "EINVAL": "namespaces",
    "EEXIST": "file system",
}
QUERY, PULSE = ("kb", "query", "hostile", "where does the oven stand?"), ("pulse",)
TURN = ("ask", "--role", "coder", "build it")  # may change files and run commands, in workspace/coder


@pytest.mark.parametrize(
    ("offer", "words"),
    [
        ("bubblewrap", QUERY),
        ("bubblewrap", PULSE),
        ("bubblewrap, no Landlock", QUERY),
        ("Landlock", QUERY),
        ("Landlock", PULSE),
        ("Landlock, not apart", QUERY),
        ("nothing", QUERY),
        ("bubblewrap", TURN),
        ("bubblewrap, no Landlock", TURN),
        ("Landlock", TURN),
    ],
    ids=lambda part: part if isinstance(part, str) else part[0],
)
def test_no_attempt_to_escape_gets_further_than_the_walls_say(
    machine: Machine,
    offer: str,
    words: tuple[str, ...],
) -> None:
    held(machine, offer, words)


@pytest.mark.parametrize("offer", ["bubblewrap", "bubblewrap, no Landlock", "Landlock"])
def test_nor_when_the_operator_is_an_ordinary_user(empty: World, offer: str) -> None:
    places = (sys.executable, f"/usr/bin/python3.{sys.version_info[1]}")
    python = next((path for path in places if _can_use(path)), None)
    if python is None:
        pytest.skip("needs root, and a Python and a checkout that other users can read")
    with machine_of(empty, NOBODY, python) as made:
        held(made, offer, QUERY)


def _can_use(python: str) -> bool:
    """Whether another user can run our code by it."""
    path = os.pathsep.join((str(CHECKOUT), sysconfig.get_path("platlib")))
    try:
        done = subprocess.run(
            [os.path.realpath(python), "-P", "-c", "import msgspec, yaml, adjutant"],
            env={"PYTHONPATH": path},
            cwd="/",
            capture_output=True,
            check=False,
            user=NOBODY,
            group=NOBODY,
            extra_groups=[],
        )
    except OSError:
        return False
    return done.returncode == 0


def held(machine: Machine, offer: str, words: tuple[str, ...]) -> None:
    """One run, judged."""
    seen = Seen(machine, OFFERS[offer], words)
    (machine.folder / "table.txt").write_text(seen.table())
    print(f"\n{offer}: {seen.kind}, {len(seen.rows)} attempts in {seen.seconds} s; not held off: {seen.missing}")
    print(seen.table())
    assert not list(seen.problems())
    assert len(seen.rows) > 150 and seen.ran.code == 0, seen.ran
    if seen.kind == "none":
        return  # what follows is of files, which are open to it
    readable(machine.world)
    result = seen.ran.json["result"]
    assert result["degraded"] == (None if words == TURN else "check")
    assert not (machine.world.root / "PAUSED").exists()
    for cited in result.get("citations", []):
        assert cited["quote"] in (machine.kb / cited["path"]).read_text()
    assert not result.get("issues")
    assert not machine.world.insights("pending") + machine.world.insights("sent")


# -- the tests of the test -------------------------------------------------------------------------------------

OPEN = "from adjutant.children import folder\nfolder.is_order = lambda name: False"
ELSEWHERE = """
from adjutant.domain.conversation import preparing
preparing.folder_of = lambda files, owner: (files.tree.knowledge_bases, None)
"""
LEFT = "from adjutant.children import warden\nwarden.__file__ = {path!r}"


def test_a_shut_list_that_is_ignored_is_seen(machine: Machine) -> None:
    machine.world.plant(OPEN)
    found = Seen(machine, OFFERS["bubblewrap"], QUERY).through()
    assert {"read .env of the folder", "read .opencode/plugin/evil.js of the folder"} <= found


def test_a_specialists_folder_that_is_another_is_seen(machine: Machine) -> None:
    machine.world.plant(ELSEWHERE)
    seen = Seen(machine, OFFERS["bubblewrap"], TURN)
    assert "open the neighbour's notes" in seen.through()
    assert any("changed:" in each for each in seen.problems())


def test_a_warden_that_leaves_without_looking_back_is_seen(machine: Machine) -> None:
    careless = machine.folder / "warden.py"
    text = Path(warden.__file__).read_text()
    assert text.count("    _end_all()\n") == 1
    careless.write_text(text.replace("    _end_all()\n", "    pass\n"))
    machine.world.plant(LEFT.format(path=str(careless)))
    seen = Seen(machine, OFFERS["Landlock, not apart"], QUERY, patience=0.5)
    try:
        assert seen.left
        assert not seen.through() - seen.open_to
    finally:
        machine.end_left()
