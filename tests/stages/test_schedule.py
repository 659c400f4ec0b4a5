"""schedule show|install|remove against a crontab program whose table is in HOME, and what doctor says of it."""

from __future__ import annotations

import argparse
import fcntl
import itertools
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

import pytest

from adjutant import cli, commands
from adjutant.children import crontab as cron
from adjutant.children.crontab import Crontab
from adjutant.domain.schedule import slots
from adjutant.domain.schedule.crontab import encode, make_block, plan_block
from adjutant.errors import CronRefused, CronUnavailable, FileChanged
from adjutant.stages import doctor
from adjutant.store import config
from tests.conftest import CHECKOUT, NOW, adjutant, make_app, make_instance
from tests.store.conftest import full

FOREIGN = b'MAILTO=""\n# caf\xe9\r\n\n# BEGIN adjutant /srv/other\n5 4 * * * x % y\n# END adjutant /srv/other\n'
LINES = 3 + sum(bool(row.schedule) for row in commands.TABLE)
SYSTEMD = CHECKOUT / "docs" / "systemd"
OTHERS = {f"schedule__{row.schedule}": None for row in commands.TABLE if row.schedule not in ("", "pulse")}


def table() -> Path:
    """Where the crontab program of the tests keeps its table."""
    return Path.home() / ".crontab"


def schedule(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> dict[str, Any]:
    """The envelope of a `schedule` in the working directory."""
    assert cli.main(["schedule", *words, "--json"]) == code
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def program(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """Puts a crontab program of its own before the others on the PATH."""
    folder.mkdir(exist_ok=True)
    (folder / "crontab").write_text(f"#!/bin/sh\n{script}\n")
    (folder / "crontab").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An instance whose entries stand in the crontab."""
    make_instance(tmp_path)
    monkeypatch.setenv("ADJUTANT_NOW", NOW)
    assert cli.main(["schedule", "install", "--quiet"]) == 0
    return tmp_path


# -- the verb ------------------------------------------------------------------------------------------------


def test_show_prints_the_block_and_changes_nothing(tmp_path: Path) -> None:
    make_instance(tmp_path)
    shown = adjutant("schedule", "show", cwd=tmp_path, check=0)
    root, log = f"'{tmp_path}'", f"'{tmp_path}/state/cron.log'"
    begin, _, pulse, review, behavior, compact, distill, evolve, jobs, index, end = shown.out.splitlines()
    assert (begin, end) == (f"# BEGIN adjutant {tmp_path}", f"# END adjutant {tmp_path}")
    start = f"'{CHECKOUT}/bin/adjutant' --root {root} --quiet"
    assert pulse == f"0 9,17 * * 1-5 {start} pulse --if-due >>{log} 2>&1"
    assert review == f"0 20 * * 1-5 {start} review --if-due >>{log} 2>&1"
    assert compact == f"15 3 * * * {start} compact --if-due >>{log} 2>&1"
    assert distill == f"30 3 1 * * {start} distill --if-due >>{log} 2>&1"
    assert behavior == f"30 21 * * * {start} behavior review --if-due >>{log} 2>&1"
    assert evolve == f"0 7,13,21 * * * {start} evolve --if-due >>{log} 2>&1"
    assert index == f"*/15 * * * * {start} index --if-due >>{log} 2>&1"
    assert jobs == f"*/15 * * * * {start} job work --if-due >>{log} 2>&1"
    assert "not in your crontab" in shown.err
    assert not table().exists()
    assert not (tmp_path / "state" / "cron.log").exists()


def test_a_narrow_terminal_breaks_no_row(tmp_path: Path) -> None:
    make_instance(tmp_path)
    ours, theirs = pty.openpty()
    with open(ours, "rb") as screen:
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("4H", 24, 50, 0, 0))
        with open(theirs, "wb") as terminal:
            subprocess.run(
                [sys.executable, "-P", "-m", "adjutant", "schedule", "show"],
                cwd=tmp_path,
                stdout=terminal,
                stderr=subprocess.DEVNULL,
                check=True,
                timeout=30,
            )
        shown = os.read(screen.fileno(), 65536).decode()
    assert shown.replace("\r\n", "\n") == adjutant("schedule", "show", cwd=tmp_path, check=0).out


def test_install_says_so_when_nothing_would_wake_the_instance(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    make_instance(tmp_path)
    assert cli.main(["schedule", "install"]) == 0
    assert ("no cron daemon seems to run" in capsys.readouterr().err) is (cron.daemon_runs() is False)


def test_of_many_missed_slots_status_counts_the_early_ones(installed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADJUTANT_NOW", "2026-11-25T12:00:00+00:00")
    missed = [line for line in adjutant("status", check=0).out.splitlines() if line.startswith("missed")]
    assert missed[0] == "missed  4 earlier, and:"
    assert len(missed) == 6
    assert missed[-1] == "missed  pulse today 09:00"


def test_install_twice_and_remove_leave_every_foreign_byte(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_instance(tmp_path)
    table().write_bytes(FOREIGN)
    shown = schedule(capsys, "show")["result"]
    installed = schedule(capsys, "install")["result"]
    assert installed == {"lines": shown["lines"], "installed": True}
    assert shown["installed"] is False
    first = table().read_bytes()
    assert first == "".join(f"{line}\n" for line in shown["lines"]).encode() + FOREIGN
    schedule(capsys, "install")
    assert table().read_bytes() == first
    assert schedule(capsys, "show")["result"]["installed"] is True
    assert schedule(capsys, "remove")["result"] == {"lines": shown["lines"], "installed": False}
    assert table().read_bytes() == FOREIGN
    assert schedule(capsys, "remove")["result"] == {"lines": [], "installed": False}


def test_install_makes_the_folder_of_the_log_and_notes_when(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_instance(tmp_path)
    monkeypatch.setenv("ADJUTANT_NOW", "2026-11-20T09:00:00+00:00")
    assert cli.main(["schedule", "install"]) == 0
    noted = json.loads((tmp_path / "state" / "schedule.json").read_text())
    assert datetime.fromisoformat(noted["installed"]) == datetime(2026, 11, 20, 9, tzinfo=UTC)


def test_a_changed_schedule_takes_the_place_of_the_old_and_null_is_no_row(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    make_instance(tmp_path)
    table().write_bytes(FOREIGN)
    schedule(capsys, "install")
    make_instance(tmp_path, schedule__pulse="@hourly", **OTHERS)
    lines = schedule(capsys, "install")["result"]["lines"]
    assert [line.split(" ")[0] for line in lines if line[0] != "#"] == ["@hourly"]
    assert table().read_bytes().endswith(FOREIGN)
    assert b"review" not in table().read_bytes()
    make_instance(tmp_path, schedule__pulse=None, **OTHERS)
    assert schedule(capsys, "show")["result"] == {"lines": [], "installed": True}
    assert schedule(capsys, "install")["result"]["installed"] is False
    assert table().read_bytes() == FOREIGN


def test_a_dry_run_shows_and_changes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_instance(tmp_path)
    table().write_bytes(FOREIGN)
    found = schedule(capsys, "install", "--dry-run")["result"]
    assert found["installed"] is False
    assert len(found["lines"]) == LINES
    assert table().read_bytes() == FOREIGN
    assert not (tmp_path / "state" / "schedule.json").exists()
    schedule(capsys, "install")
    before = table().read_bytes()
    assert schedule(capsys, "remove", "--dry-run")["result"] == {"lines": found["lines"], "installed": True}
    assert table().read_bytes() == before


def test_paused_or_not_the_crontab_can_be_changed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_instance(tmp_path)
    (tmp_path / "PAUSED").touch()
    assert schedule(capsys, "install")["result"]["installed"] is True
    assert schedule(capsys, "remove")["result"]["installed"] is False


def test_with_a_broken_adjutant_yaml_remove_still_works(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_instance(tmp_path)
    schedule(capsys, "install")
    (tmp_path / "adjutant.yaml").write_text("schedule: {pulse: every day}\n")
    assert "adjutant.yaml:1" in schedule(capsys, "install", code=78)["error"]["message"]
    assert schedule(capsys, "remove")["result"]["installed"] is False


# -- zones ---------------------------------------------------------------------------------------------------


def test_in_a_zone_that_is_not_the_machines_rows_fire_every_quarter_of_an_hour(tmp_path: Path) -> None:
    app = make_app(tmp_path, instance__timezone="Pacific/Chatham", **OTHERS)
    lines = plan_block(app)
    assert "Pacific/Chatham" in lines[2]
    assert lines[3].startswith("*/15 * * * * ")
    assert len(lines) == 5


def test_the_machines_zone_under_another_name_is_the_machines(tmp_path: Path) -> None:
    machine, now = cron.zone(), datetime(2026, 11, 20, tzinfo=UTC)

    def year(zone: Any) -> list[timedelta | None]:
        return [(now + timedelta(days=day)).astimezone(zone).utcoffset() for day in range(0, 900, 5)]

    same = next(name for name in sorted(available_timezones()) if year(ZoneInfo(name)) == year(machine))
    app = make_app(tmp_path, instance__timezone=same, **OTHERS)
    assert len(plan_block(app)) == 4


def test_cron_goes_by_the_machine_whatever_tz_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Pacific/Chatham")
    noon = datetime(2026, 1, 1, 12, tzinfo=UTC)
    assert cron.zone().utcoffset(noon) != timedelta(hours=13, minutes=45)
    assert cron.zone(str(tmp_path / "missing")) is UTC
    (tmp_path / "broken").write_text("no zone")
    assert cron.zone(str(tmp_path / "broken")) is UTC


# -- trouble -------------------------------------------------------------------------------------------------


def test_a_damaged_block_is_refused_with_its_line_and_nothing_changes(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    make_instance(tmp_path)
    schedule(capsys, "install")
    damaged = FOREIGN + table().read_bytes().replace(f"# END adjutant {tmp_path}\n".encode(), b"")
    table().write_bytes(damaged)
    for verb in ("install", "remove", "show"):
        error = schedule(capsys, verb, code=1)["error"]
        assert error["code"] == "cron.refused"
        assert error["message"].startswith("crontab:7: ")
    assert table().read_bytes() == damaged


def test_a_crontab_that_cannot_be_read_is_not_taken_for_an_empty_one(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    make_instance(tmp_path)
    program(tmp_path / "programs", monkeypatch, f"echo $1 >>{tmp_path}/calls; echo 'you are not allowed' >&2; exit 1")
    for verb in ("install", "remove"):
        assert "you are not allowed" in schedule(capsys, verb, code=1)["error"]["message"]
    assert (tmp_path / "calls").read_text() == "-l\n-l\n"


def test_what_cron_refuses_is_told_in_its_own_words(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    make_instance(tmp_path)
    script = "[ $1 = -l ] && exit 0; cat >/dev/null; printf '\"-\":3: bad \\033[1mminute\\n' >&2; exit 1"
    program(tmp_path / "programs", monkeypatch, script)
    error = schedule(capsys, "install", code=1)["error"]
    assert error["code"] == "cron.refused"
    assert error["message"].endswith('"-":3: bad [1mminute')
    assert not (tmp_path / "state" / "schedule.json").exists()


def test_an_edit_between_reading_and_writing_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path, monkeypatch, f'echo "# $$"; echo $1 >>{tmp_path}/calls')
    crontab = Crontab(os.environ)
    with pytest.raises(FileChanged, match="changed since it was read"):
        crontab.write(b"mine\n", crontab.read())
    assert (tmp_path / "calls").read_text() == "-l\n-l\n"


def test_a_crontab_that_kept_something_else_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path, monkeypatch, "cat >/dev/null; exit 0")
    with pytest.raises(CronRefused, match="something else than was written"):
        Crontab(os.environ).write(b"mine\n", b"")


def test_a_listing_that_hides_control_characters_is_not_written_back(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    program(tmp_path, monkeypatch, "[ $1 = -l ] && printf '# a\\\\r\\n' || printf '# a\\r\\n'")
    assert Crontab(os.environ).read() == b"# a\r\n"
    program(tmp_path, monkeypatch, "[ $1 = -l ] && printf '# a\\\\r\\n' || printf '# b\\r\\n'")
    with pytest.raises(CronRefused, match="control characters"):
        Crontab(os.environ).read()


def test_without_a_crontab_program_show_still_shows_and_install_says_what_to_do(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    make_instance(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert len(schedule(capsys, "show")["result"]["lines"]) == LINES
    for verb in ("install", "remove"):
        found = schedule(capsys, verb, code=69)
        assert found["error"]["code"] == "cron.unavailable"
        assert "apt-get install cron" in found["fix"]
        assert "systemd" in found["fix"]


def test_a_crontab_program_that_does_not_end_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path, monkeypatch, "exec sleep 60")
    with pytest.raises(CronUnavailable, match=r"did not end within 0\.2 s"):
        Crontab(os.environ, seconds=0.2).read()


def test_the_crontab_program_gets_a_scrubbed_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path, monkeypatch, "env")
    given = {"PATH": os.environ["PATH"], "HOME": "/h", "USER": "u", "LOGNAME": "u", "LANG": "nb_NO.UTF-8"}
    listed = Crontab({**given, "OPENAI_API_KEY": "canary", "EDITOR": "vi", "CRONTAB_NOHEADER": "N"}).read().decode()
    seen = dict(line.split("=", 1) for line in listed.splitlines())
    assert {name: value for name, value in seen.items() if name not in ("PWD", "OLDPWD", "_", "SHLVL")} == {
        **given,
        "LC_ALL": "C",
    }


# -- the example and the page --------------------------------------------------------------------------------


def test_the_example_is_what_show_prints_on_the_defaults() -> None:
    rows = [(row.verb, config.defaults().text(f"schedule.{row.schedule}")) for row in commands.TABLE if row.schedule]
    root = "/path/to/instance"
    made = encode(make_block(root, f"{root}/state/cron.log", ["/path/to/adjutant/bin/adjutant"], rows))
    assert (CHECKOUT / "crontab.example").read_bytes() == made


@pytest.mark.parametrize("stage", ["pulse", "review"])
def test_the_timer_fires_at_the_default_times(stage: str) -> None:
    timer = (SYSTEMD / f"adjutant-{stage}.timer").read_text()
    week, later = datetime(2026, 11, 16, tzinfo=UTC), datetime(2026, 11, 23, tzinfo=UTC)
    hours, minute = re.findall(r"^OnCalendar=Mon\.\.Fri \*-\*-\* ([\d,]+):(\d\d):00$", timer, re.MULTILINE)[0]
    fires = [
        datetime(2026, 11, day, int(hour), int(minute), tzinfo=UTC)
        for day in range(16, 21)
        for hour in hours.split(",")
    ]
    asked = config.defaults().text(f"schedule.{stage}")
    known = itertools.takewhile(lambda slot: slot > week, slots.backwards(asked, later))
    assert fires == [*known][::-1]


@pytest.mark.parametrize("stage", ["pulse", "review"])
def test_the_timer_catches_up_after_sleep(stage: str) -> None:
    assert "\nPersistent=true\n" in (SYSTEMD / f"adjutant-{stage}.timer").read_text()


@pytest.mark.parametrize("stage", ["pulse", "review"])
def test_the_service_starts_what_is_due(stage: str) -> None:
    assert f" --quiet {stage} --if-due" in (SYSTEMD / f"adjutant-{stage}.service").read_text()


# -- the log of cron ------------------------------------------------------------------------------------------


def test_a_run_of_cron_cuts_a_log_that_has_grown_too_long_and_a_run_by_hand_does_not(
    installed: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    log = installed / "state" / "cron.log"
    log.write_bytes(b"adjutant: the disk refused\n" * 45_000)
    assert cli.main(["pulse", "--quiet"]) == 0
    assert log.stat().st_size > 1_200_000
    for _ in range(2):  # the second has nothing to do, and looks after the log all the same
        assert cli.main(["pulse", "--if-due", "--quiet"]) == 0
        assert 400_000 < log.stat().st_size < 600_000
        assert log.read_bytes().startswith(b"adjutant: the disk")
        log.write_bytes(log.read_bytes() * 3)


def test_a_log_that_cannot_be_cut_stops_no_run(installed: Path) -> None:
    assert cli.main(["pulse", "--if-due", "--quiet"]) == 0
    (installed / "state" / "cron.log").write_bytes(b"again\n" * 200_000)
    with full(1000):
        assert cli.main(["pulse", "--if-due", "--quiet"]) == 0


# -- doctor --------------------------------------------------------------------------------------------------


def checked(root: Path, **settings: Any) -> dict[str, Any]:
    """What doctor says of cron."""
    told = doctor.run(make_app(root, **settings), argparse.Namespace()).result["checks"]
    found: dict[str, Any] = next(check for check in told if check["name"] == "cron")
    return found


def test_doctor_has_nothing_against_an_instance_that_is_not_scheduled(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = checked(tmp_path)
    assert found["ok"]
    assert "not scheduled: `adjutant schedule install`" in found["detail"]
    monkeypatch.setenv("PATH", str(tmp_path))
    found = checked(tmp_path)
    assert found["ok"]
    assert "not scheduled" in found["detail"]


def test_doctor_tells_when_the_crontab_is_behind_adjutant_yaml(installed: Path) -> None:
    found = checked(installed)
    assert found["ok"]
    assert "as adjutant.yaml says" in found["detail"]
    assert ("no cron daemon" in found["detail"]) is (cron.daemon_runs() is False)
    found = checked(installed, schedule__pulse="30 8 * * *")
    assert not found["ok"]
    assert found["fix"] == "adjutant schedule install"


def test_doctor_tells_of_a_damaged_block(installed: Path) -> None:
    table().write_bytes(table().read_bytes().replace(b"# END", b"# and"))
    found = checked(installed)
    assert not found["ok"]
    assert "BEGIN and END of this instance" in found["detail"]
    assert "crontab -e" in found["fix"]


def test_doctor_tells_when_the_entries_went_missing_and_not_when_they_were_taken_out(installed: Path) -> None:
    table().unlink()
    found = checked(installed)
    assert not found["ok"]
    assert "no longer" in found["detail"]
    assert "adjutant schedule install" in found["fix"]
    assert cli.main(["schedule", "remove"]) == 0
    assert checked(installed)["ok"]


def test_a_cron_daemon_is_seen_by_its_process(tmp_path: Path) -> None:
    names = {path.read_text().strip() for path in Path("/proc").glob("[0-9]*/comm")}
    assert cron.daemon_runs() is bool(names & set(cron.DAEMONS))
