"""Whole instances for black-box tests: made by `init`, looked at from outside, driven through `python -m adjutant`."""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml

from adjutant.store.disk import TEMP_SUFFIX
from tests import warm
from tests.conftest import CHECKOUT, NOW, Ran

DAY = NOW[:10]
HEART = """\
# Heart

## Current Priorities

- Bakery opening: oven, permit and bakers ready before the first of December

## Active Concerns

- Oven supplier Halvorsen, late before

## Quiet Zones

- Garden
"""
TASKS = """\
# Bakery opening

- [ ] Pay the deposit for the oven to Halvorsen, Ina, due 2026-11-17
- [ ] Choose the colour of the sign
- [x] Sign the lease of the bakery, due 2026-11-10
"""
PERMIT = """\
# Permit of the bakery

- [ ] Hand in the fire plan for the bakery permit, Ola, due 2026-11-18
"""
QUIET_TASKS = """\
# Bakery opening

- [x] Pay the deposit for the oven to Halvorsen, done 2026-11-16
- [x] Sign the lease of the bakery
"""
DOCUMENTED = (0, 1, 2, 65, 69, 74, 75, 78)
JSONL = ("actions", "notices", "usage", "events", "marks")


class World:
    """One instance. `now` is what its verbs take for the time; `env` goes to every child."""

    def __init__(self, root: Path, now: str = NOW, **env: str) -> None:
        self.root, self.now, self.env = root, now, env
        self.program = warm.PROGRAM

    # -- making ----------------------------------------------------------------------------------------------

    def write(self, path: str, text: str | bytes) -> Path:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode() if isinstance(text, str) else text)
        return target

    def secrets(self, **secrets: str) -> None:
        """.env anew, holding only these."""
        self.write(".env", "".join(f"{name}={value}\n" for name, value in secrets.items())).chmod(0o600)

    def settings(self, **settings: Any) -> None:
        """adjutant.yaml anew, holding only these: `heartbeat__parallel=1` is heartbeat.parallel."""
        values: dict[str, Any] = {}
        for name, value in settings.items():
            *heads, last = name.split("__")
            inner = values
            for head in heads:
                inner = inner.setdefault(head, {})
            inner[last] = value
        self.write("adjutant.yaml", yaml.safe_dump(values, sort_keys=False) if values else "# all defaults\n")

    def knowledge(self, name: str, files: Mapping[str, str | bytes]) -> Path:
        """A registered knowledge base with these files."""
        folder = self.root / "knowledge_bases" / name
        for path, text in files.items():
            self.write(f"knowledge_bases/{name}/{path}", text)
        registry = self.root / "knowledge_bases" / "registry.yaml"
        known = registry.read_text() if registry.exists() else ""
        known = "" if yaml.safe_load(known) in (None, []) else known
        registry.write_text(f"{known}- name: {name}\n  path: knowledge_bases/{name}\n")
        return folder

    def copy(self, root: Path) -> World:
        shutil.copytree(self.root, root, symlinks=True)
        made = World(root, self.now, **self.env)
        made.program = self.program
        return made

    def plant(self, defect: str) -> None:
        """Verbs of this world run with a defect, for tests of the tests. All modules may be loaded before."""
        self.program = [
            *warm.PLANTED,
            f"import sys\n{defect}\nfrom adjutant.cli import main\nsys.exit(main(sys.argv[1:]))",
        ]

    # -- driving ---------------------------------------------------------------------------------------------

    def run(
        self,
        *words: str,
        check: int | None = None,
        now: str | None = None,
        timeout: float = 60,
        stdin: str = "",
        **env: str,
    ) -> Ran:
        given = {**os.environ, "ADJUTANT_NOW": now or self.now, **self.env, **env}
        ran = Ran(warm.run(self.words(*words), self.program, stdin=stdin, timeout=timeout, env=given))
        assert check is None or ran.code == check, ran
        return ran

    def result(self, *words: str, check: int = 0, **more: Any) -> dict[str, Any]:
        """`result` of the envelope of a verb that does what it should."""
        ran = self.run(*words, "--json", check=check, **more)
        found: dict[str, Any] = ran.json["result"]
        return found

    def refusal(self, *words: str, check: int, **more: Any) -> dict[str, Any]:
        """The envelope of a verb that refuses, after a look at its manners."""
        ran = self.run(*words, "--json", check=check, **more)
        mannered(ran)
        envelope = ran.json
        assert envelope["ok"] is False and list(envelope)[:4] == ["ok", "command", "error", "fix"], ran
        return envelope

    def start(self, *words: str, **env: str) -> subprocess.Popen[str]:
        """The child under way."""
        given = {**os.environ, "ADJUTANT_NOW": self.now, **self.env, **env}
        return warm.start(
            self.words(*words),
            self.program,
            env=given,
            text=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def argv(self, *words: str) -> list[str]:
        return [sys.executable, *self.program, *self.words(*words)]

    def words(self, *words: str) -> list[str]:
        """What follows the program."""
        return [*words, "--root", str(self.root)]

    # -- looking ---------------------------------------------------------------------------------------------

    def text(self, path: str) -> str:
        found = self.root / path
        return found.read_text() if found.exists() else ""

    def records(self, name: str) -> list[dict[str, Any]]:
        """Every line of state/NAME.jsonl, each of which must be a record."""
        return [json.loads(line) for line in self.text(f"state/{name}.jsonl").split("\n") if line]

    def count(self, day: str = DAY) -> int:
        return int(self.text(f"state/notify_count_{day}.txt") or 0)

    def outbox(self) -> list[str]:
        """The notices of the outbox, each with all its lines."""
        entries = re.split(r"^(?=- \d{4}-\d\d-\d\d \d\d:\d\d · )", self.text("state/outbox.md"), flags=re.MULTILINE)
        return [entry.removesuffix("\n") for entry in entries if entry]

    def journal(self, day: str = DAY) -> str:
        return self.text(f"journal/{day}.md")

    def insights(self, where: str) -> list[str]:
        return sorted(path.name for path in (self.root / "insights" / where).glob("*.md"))

    def snapshot(self) -> dict[str, tuple[str, bytes]]:
        return snapshot(self.root)


def snapshot(root: Path) -> dict[str, tuple[str, bytes]]:
    """{relative path: (kind, content)} of everything below, folders and links too.

    A temp file that its writer, still at work, renames between the listing and the look is no part of the picture.
    """
    found: dict[str, tuple[str, bytes]] = {}
    for folder, folders, files in os.walk(root):
        if ".git" in folders:
            folders.remove(".git")
        for name in (*folders, *files):
            path = Path(folder) / name
            try:
                found[str(path.relative_to(root))] = _entry(path)
            except FileNotFoundError:
                if not name.endswith(TEMP_SUFFIX):
                    raise
    return found


def _entry(path: Path) -> tuple[str, bytes]:
    mode = path.lstat().st_mode
    if stat.S_ISLNK(mode):
        return "link", os.fsencode(path.readlink())
    if stat.S_ISREG(mode):
        return "file", path.read_bytes()
    return "folder" if stat.S_ISDIR(mode) else "other", b""


def changed(before: Mapping[str, tuple[str, bytes]], after: Mapping[str, tuple[str, bytes]]) -> set[str]:
    """Paths that came, went or hold something else now; folders that only came with their files are left out."""
    different = {path for path in {*before, *after} if before.get(path) != after.get(path)}
    return {path for path in different if not any(other.startswith(f"{path}/") for other in different)}


def outside(paths: Iterable[str], *allowed: str) -> set[str]:
    """The paths that none of the patterns (regular expressions, whole) allows."""
    return {path for path in paths if not any(re.fullmatch(pattern, path) for pattern in allowed)}


def mannered(ran: Ran, lines: int = 8) -> None:
    """A documented exit code, no traceback, no crash report, few lines."""
    assert ran.code in DOCUMENTED, ran
    for told in (ran.out, ran.err):
        assert "Traceback" not in told and "a bug in adjutant" not in told, ran
    assert len(ran.err.splitlines()) <= lines, ran


def readable(world: World) -> None:
    """What holds of every tree, whatever happened to it: whole records, insights in one place each, no half file."""
    for name in JSONL:
        path = world.root / "state" / f"{name}.jsonl"
        data = path.read_bytes() if path.exists() else b""
        whole, _, tail = data.rpartition(b"\n")
        for line in whole.split(b"\n"):
            assert not line or isinstance(json.loads(line), dict), (name, line)
        assert not tail, f"{name}: a torn tail was left: {tail!r}"
    places = [name for where in ("pending", "sent") for name in world.insights(where)]
    places += [path.name for path in (world.root / "state" / "quarantine").glob("????-??-??-????*.md")]
    assert len(places) == len(set(places)), f"an insight in two places: {places}"
    for name in ("last_heartbeat.json", "pulse.json", "schedule.json"):
        if (world.root / "state" / name).exists():
            json.loads(world.text(f"state/{name}"))
    count = world.root / "state" / f"notify_count_{DAY}.txt"
    assert not count.exists() or count.read_text().isdigit()
    assert not (world.root / "state" / "crash").exists()


def delivered_keys(world: World) -> list[str]:
    """Keys of notices that stand as sent."""
    return [record["key"] for record in world.records("notices") if record["event"] == "sent"]


# A defect for two writers at once: no lock holds, and whoever comes to its first `{write}` waits there for the other.
# Both have read what was there by then, however busy the machine is.
UNLOCKED = """
import os, sys, time
from contextlib import nullcontext
from adjutant.store import files as store

def meeting(write, own=[]):
    def met(self, path, *more, **named):
        if not own:
            own.append(f"{sys.argv[1]}-met-{os.getpid()}")
            open(own[0], "w").close()
            folder, name = os.path.split(f"{sys.argv[1]}-met-")
            end = time.monotonic() + 30
            while sum(each.startswith(name) for each in os.listdir(folder)) < 2 and time.monotonic() < end:
                time.sleep(0.01)
        return write(self, path, *more, **named)
    return met

store.Files.lock = lambda self, name, wait=0: nullcontext()
store.Files.{write} = meeting(store.Files.{write})
"""


def checkout_copy(root: Path) -> World:
    """What a fresh clone holds: the files that git knows."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=CHECKOUT, capture_output=True, check=True).stdout
    names = [name for name in listed.split(b"\0") if name and os.path.exists(os.path.join(bytes(CHECKOUT), name))]
    root.mkdir(parents=True)
    copy = ["xargs", "-0", "cp", "-P", "--preserve=mode,timestamps", "--parents", "-t", str(root), "--"]
    subprocess.run(copy, cwd=CHECKOUT, input=b"\0".join(names), check=True)  # thousands: in no time
    return World(root)


def once(place: Path, world: World, make: Callable[[World], object]) -> World:
    """A world as `make` leaves it, which is asked once: what it made waits at `place` for the next."""
    if place.exists():
        shutil.rmtree(world.root)
        shutil.copytree(place, world.root, symlinks=True)
    else:
        make(world)
        world.copy(place)
    return world
