"""The program is driven through a life: what it read, in what order, and the same bytes every time."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from bench.lives import command, drive, life
from bench.lives.life import Fortnight
from tests import warm
from tests.bench import small


@pytest.fixture
def lives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    small.write(tmp_path / "lives" / "fortnights" / "petra", small.FORTNIGHT)
    small.write(tmp_path / "lives" / "mornings" / "petra-again", small.MORNING)
    for part in (life.fortnights, life.mornings):
        monkeypatch.setattr(part, "__defaults__", (tmp_path / "lives", (), ""))
    program = tmp_path / "adjutant"
    monkeypatch.setattr(drive, "PROGRAM", program)
    with warm.door(str(program), same=True):
        yield tmp_path


def test_a_folder_is_laid_out_with_the_times_its_names_say(tmp_path: Path) -> None:
    petra = Fortnight(small.write(tmp_path / "petra", small.FORTNIGHT))
    folders = [tmp_path / number for number in "12"]
    for folder in folders:
        drive.lay_out(petra, folder, petra.tree_at(), petra.time("2026-11-23T07:00"))
    times = [{path.name: path.stat().st_mtime for path in sorted(each.rglob("*.*"))} for each in folders]
    assert times[0] == times[1]
    assert len(times[0]) == 4
    assert times[0]["Concert 2026-11-24.md"] == petra.time("2026-11-23T07:00").timestamp()  # none is of tomorrow
    weeks = (petra.time("2026-11-23T07:00").timestamp() - times[0]["Boat.md"]) / 7 / 86400
    assert 1 <= weeks < 5


def test_a_life_is_lived_in_the_order_of_its_times(lives: Path) -> None:
    petra = life.fortnights()[0]
    steps = drive.live(petra, lives / "work", {})
    assert [each["verb"] for each in steps[:5]] == ["kb", "pulse", "pulse", "review", "pulse"]
    assert [datetime.fromisoformat(each["at"]) for each in steps] == sorted(petra.time(each["at"]) for each in steps)
    assert [each["args"] for each in steps if each["verb"] == "ask"] == [[each.ask] for each in petra.questions]
    assert {each["rc"] for each in steps} == {0}
    assert "Oduya rang" in (lives / "work" / "kbs" / "notes" / "Log.md").read_text()
    assert "[x] Insurance" in (lives / "work" / "kbs" / "notes" / "Boat.md").read_text()
    assert any("nsurance" in notice["text"] for each in steps for notice in each["notices"])
    assert str(lives) not in json.dumps(steps)


def test_a_morning_is_one_pulse_over_its_folders(lives: Path) -> None:
    petra = life.mornings()[0]
    steps = drive.wake(petra, lives / "work", {})
    assert [each["verb"] for each in steps] == ["kb", "kb", "pulse", "today"]
    assert json.loads(steps[2]["stdout"])["result"]["kbs_checked"] == ["boat", "money"]


def test_settings_reach_the_instance(lives: Path) -> None:
    petra = life.mornings()[0]
    drive.wake(petra, lives / "work", {"instance": {"name": "bench"}, "notifications": {"max_per_day": 0}})
    assert "max_per_day: 0" in (lives / "work" / "instance" / "adjutant.yaml").read_text()
    assert "timezone: Europe/Oslo" in (lives / "work" / "instance" / "adjutant.yaml").read_text()


@pytest.mark.sweep
def test_two_runs_give_the_same_bytes(lives: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = []
    for number in ("one", "two"):
        os.makedirs(lives / number)
        command.main(["--keep", str(lives / number), "--out", str(lives / number / "results.json")])
        told.append(capsys.readouterr().out)
    assert told[0] == told[1]
    for name in ("results.json", "petra/transcript.json", "petra-again/transcript.json"):
        assert (lives / "one" / name).read_bytes() == (lives / "two" / name).read_bytes()
    assert set(json.loads((lives / "one" / "seconds.json").read_text())) == {"petra", "petra-again"}


def test_tables_name_each_life_the_sets_and_both_baselines(lives: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--out", str(lives / "r.json")]) in (0, 1)
    lines = capsys.readouterr().out.splitlines()
    starts = [line.partition("  ")[0] for line in lines]
    assert starts[:5] == ["fortnights", "petra", "dev", "every dated line", "every open box"]
    assert starts[6:10] == ["mornings", "dev", "every dated line", "every open box"]
    assert max(map(len, lines)) <= 100
    figures = json.loads((lives / "r.json").read_text())["figures"]
    assert {each["row"] for each in figures} == {"lives"}
    assert len(figures) == 18


@pytest.mark.sweep
def test_what_was_held_out_shows_its_numbers_only(lives: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = lives / "lives" / "fortnights" / "petra" / "life.yaml"
    for held in (False, True):
        command.main(["--life", "petra", "--out", str(lives / "r.json")])
        assert ("renew" in capsys.readouterr().out) is not held
        path.write_text(path.read_text() + "set: held-out\n")


def test_counts_as_data(lives: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command.main(["--json", "--life", "petra-again", "--out", str(lives / "r.json")])
    found = json.loads(capsys.readouterr().out)
    assert found["mornings"]["dev"]["musts"] == 2
    assert found["fortnights"]["every open box"] == {}


def test_check_says_what_is_wrong(lives: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--check", "--life", "petra-again"]) == 0
    assert "0 fortnights and 1 mornings: all right" in capsys.readouterr().out
    assert command.main(["--check"]) == 1
    assert "petra: 2 musts, not 10" in capsys.readouterr().out
    (lives / "lives" / "mornings" / "petra-again" / "life.yaml").unlink()
    with pytest.raises(SystemExit):
        command.main(["--check", "--life", "petra-again"])
