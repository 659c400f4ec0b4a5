"""The real crontab program and a real cron daemon. No other module touches the crontab of whoever runs the tests."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import pytest

from adjutant import commands
from adjutant.children.crontab import Crontab, daemon_runs
from adjutant.errors import CronRefused
from tests.conftest import PROGRAMS, adjutant, make_instance, need
from tests.system.world import TASKS, World

pytestmark = pytest.mark.program

PATIENCE = 150  # seconds; one of our own fires within 61, one that ran before may take a minute to see the new table
ODD = """it's "100%" mine \\% of $HOME"""
FOREIGN = (
    b"# caf\xe9, and a line from elsewhere\r\n\n\n"
    b'MAILTO=""\nPATH=/usr/bin:/bin\n'
    b"# BEGIN adjutant /srv/other\n5 4 1 1 * printf 'a\\rb\\n' % data\n# END adjutant /srv/other\n"
    b" # BEGIN adjutant\n# back\bspace, tab\t, bell\a, \xff\xfe\n   \n@yearly /bin/true \\% | tr -d '\\r\\b'\n# end\n"
)


def exact() -> bytes | None:
    """The user's crontab, byte for byte as an editor gets it; None without one."""
    listed = subprocess.run(["crontab", "-l"], capture_output=True, check=False)
    if listed.returncode != 0:
        assert b"no crontab for" in listed.stderr, listed.stderr
        return None
    as_editor = {**os.environ, "VISUAL": "cat", "EDITOR": "cat"}
    return subprocess.run(["crontab", "-e"], env=as_editor, capture_output=True, check=True).stdout


@pytest.fixture(autouse=True)
def crontab(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The machine's own program on the PATH, and the user's table back as it was in the end."""
    monkeypatch.setenv("PATH", os.environ["PATH"].removeprefix(f"{PROGRAMS}{os.pathsep}"))
    need("crontab")
    with (Path(tempfile.gettempdir()) / f"adjutant-tests-crontab-{os.getuid()}").open("w") as alone:
        fcntl.flock(alone, fcntl.LOCK_EX)  # another checkout's tests would change the same table
        saved = exact()
        try:
            yield
        finally:
            if saved is None:
                subprocess.run(["crontab", "-r"], capture_output=True, check=False)
            else:
                subprocess.run(["crontab", "-"], input=saved, check=True)
            assert exact() == saved


def put(table: bytes) -> None:
    subprocess.run(["crontab", "-"], input=table, check=True)


def test_foreign_bytes_survive_the_real_program(tmp_path: Path) -> None:
    make_instance(tmp_path / ODD)
    put(FOREIGN)
    adjutant("schedule", "install", cwd=tmp_path / ODD, check=0)
    installed = exact()
    assert installed is not None
    assert installed.endswith(b"\n" + FOREIGN)
    assert installed.count(b"--if-due >>") == sum(bool(row.schedule) for row in commands.TABLE)
    adjutant("schedule", "install", cwd=tmp_path / ODD, check=0)
    assert exact() == installed
    adjutant("schedule", "remove", cwd=tmp_path / ODD, check=0)
    assert exact() == FOREIGN


def test_the_last_block_leaves_an_empty_crontab_not_none(tmp_path: Path) -> None:
    make_instance(tmp_path)
    put(b"")
    adjutant("schedule", "install", cwd=tmp_path, check=0)
    adjutant("schedule", "remove", cwd=tmp_path, check=0)
    listed = subprocess.run(["crontab", "-l"], capture_output=True, check=False)
    assert listed.returncode == 0
    assert listed.stdout == b""


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (b"61 * * * * /bin/true\n", "bad minute"),
        (b"1 * * * * /bin/true", "newline"),
    ],
)
def test_what_cron_refuses_is_told_and_the_old_table_stays(table: bytes, words: str) -> None:
    put(FOREIGN)
    with pytest.raises(CronRefused, match=words):
        Crontab(os.environ).write(table, FOREIGN)
    assert exact() == FOREIGN


@contextmanager
def daemon() -> Iterator[None]:
    """A cron daemon: the one that runs already, else one of ours, ended by its own number."""
    if daemon_runs():
        yield
        return
    program = need("cron")
    if os.geteuid() != 0:
        pytest.skip("no cron daemon runs, and only root can start one")
    ours = subprocess.Popen([program, "-f"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield
        assert ours.poll() is None, "cron ended by itself"
    finally:
        ours.terminate()
        ours.wait(10)


def test_a_real_cron_wakes_an_instance_whatever_its_path_holds(tmp_path: Path) -> None:
    world, broken = World(tmp_path / ODD), World(tmp_path / "broken 5%")
    others = {f"schedule__{row.schedule}": None for row in commands.TABLE if row.schedule not in ("", "pulse")}
    for one in (world, broken):
        make_instance(one.root, schedule__pulse="* * * * *", **others)
        adjutant("schedule", "install", cwd=one.root, check=0)
    world.knowledge("bakery", {"tasks.md": TASKS})
    broken.write("adjutant.yaml", "pulse: often\n")

    def ended() -> bool:
        return '"pulse"' in world.text("state/actions.jsonl") and '"pulse"' in world.text("state/last_heartbeat.json")

    with daemon():
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until and not (ended() and broken.text("state/cron.log").endswith("\n")):
            time.sleep(0.2)
    ran = [record for record in world.records("actions") if record["type"] == "pulse"]
    assert ran and ran[0]["kbs_checked"] == ["bakery"], world.text("state/cron.log")
    slot = datetime.fromisoformat(ran[0]["slot"])
    assert slot.second == 0
    assert 0 <= (datetime.fromisoformat(ran[0]["ts"]) - slot).total_seconds() < 60
    assert (world.root / "state" / "cron.log").exists()
    assert world.text("state/cron.log") == ""
    assert broken.text("state/cron.log").startswith("adjutant: adjutant.yaml:1: unknown key `pulse`")
    assert json.loads(world.text("state/last_heartbeat.json"))["last"]["pulse"] == ran[-1]["ts"]
