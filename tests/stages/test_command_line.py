"""The shell around every verb: options, help, long lists, and where the instance is."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from adjutant import cli
from tests.conftest import adjutant, make_app, make_instance


def run(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> dict[str, Any]:
    """The envelope of a command line run in this process."""
    assert cli.main([*words, "--json"]) == code
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_behind_a_lone_dash_dash_help_is_data_and_the_instance_is_still_found(tmp_path: Path) -> None:
    make_instance(tmp_path)
    said = adjutant("notify", "--", "--help", cwd=tmp_path, check=0)
    assert "sent" in said.out
    assert (tmp_path / "state" / "outbox.md").read_text().endswith("· help\n")


@pytest.mark.parametrize("words", [("pulse", "--help"), ("kb", "add", "-h")])
def test_help_with_json_is_one_object(capsys: pytest.CaptureFixture[str], words: tuple[str, ...]) -> None:
    text = run(capsys, *words)["result"]["help"]
    assert text.startswith(f"usage: adjutant {' '.join(words[:-1])}")
    assert cli.main(list(words)) == 0
    assert capsys.readouterr().out == f"{text}\n"


def test_a_paused_verb_told_to_be_quiet_says_nothing(tmp_path: Path) -> None:
    make_instance(tmp_path)
    (tmp_path / "PAUSED").touch()
    assert adjutant("pulse", "--quiet", cwd=tmp_path, check=0).out == ""
    assert "paused" in adjutant("pulse", cwd=tmp_path, check=0).out


def test_version_finds_the_instance_as_every_verb_does(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert run(capsys, "version")["result"]["root"] is None
    make_instance(tmp_path / "here")
    (tmp_path / "here" / "below").mkdir()
    monkeypatch.chdir(tmp_path / "here" / "below")
    assert run(capsys, "version")["result"]["root"] == str(tmp_path / "here")


def test_a_long_list_is_cut_and_its_file_is_no_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    app = make_app(tmp_path)
    now = app.clock.now() - timedelta(days=1)
    told = [
        {"ts": now.isoformat(), "key": f"k{n}", "event": "sent", "outcome": "sent", "kind": "manual", "text": "t"}
        for n in range(60)
    ]
    for record in told:
        app.files.append(app.tree.notices, record)
    for _ in range(2):
        found = run(capsys, "notices", "list", "--root", str(tmp_path))["result"]
        assert len(found["notices"]) == 50
        assert found["truncated"] is True
        assert len(json.loads((tmp_path / found["path"]).read_text())["notices"]) == 60
    assert not (tmp_path / "state" / "runs").exists()
    assert len(list((tmp_path / "state" / "cache").glob("result-*"))) == 1


def test_a_long_list_is_told_where_its_file_cannot_be_written(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    app = make_app(tmp_path)
    for number in range(60):
        path = app.tree.pending_insight(f"2026-11-20-09{number:02d}.md")
        app.files.create(path, "look at this\n")
    adjutant("status", cwd=tmp_path, check=0)
    (tmp_path / "state" / "cache").rename(tmp_path / "away")
    (tmp_path / "state" / "cache").touch()
    found = run(capsys, "status", "--root", str(tmp_path))["result"]
    assert len(found["pending_insights"]) == 50
    assert found["truncated"] is True
    assert found["path"] is None
