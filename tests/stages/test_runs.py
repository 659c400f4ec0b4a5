"""runs list, show and replay: what was asked can be told, and asked again of today's code without asking anybody."""

from __future__ import annotations

import json
import shutil
from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest

from adjutant.app import App, Outcome
from adjutant.errors import CheckFailed, Stopped
from adjutant.judgements import hearing, recording
from adjutant.judgements.asking import Asker
from adjutant.stages import runs
from tests.asked import FAILED, GOOD, INPUTS, LIE, NOW, RUN, Queue, judgement, make
from tests.conftest import parsed

TINY = judgement()
OFFLINE = "llm: {backend: offline}\n"


@pytest.fixture(autouse=True)
def _the_tiny_judgement_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(hearing.JUDGEMENTS, "tiny", TINY.__name__)


def verb(app: App, *words: str) -> Outcome:
    return runs.run(app, parsed(runs, *words))


def asked(root: Path, *answers: Any, settings: str = "", run: str = RUN, gate: Any = lambda: None) -> App:
    """A run in which each answer was the reply to a question of its own."""
    app = make(root, Queue(*answers) if answers else None, settings, run=run, gate=gate)
    Asker(app).ask(TINY, INPUTS)
    recording.note_run(app.files, run, "pulse", NOW, "completed")
    return app


def alter(root: Path, change: Any, name: str = "01-tiny.json", run: str = RUN) -> None:
    path = root / "state" / "runs" / run / name
    kept = json.loads(path.read_bytes())
    change(kept)
    path.write_text(json.dumps(kept))


KINDS: dict[str, tuple[Any, ...]] = {
    "offline": (),
    "well": (GOOD,),
    "repaired": ("no", GOOD),
    "cleaned": (GOOD.replace("2", "9"),),
    "malformed": ("no", "neither"),
    "check": (LIE, LIE),
    "repair timed out": ("no", FAILED["timeout"]),
    "timeout": (FAILED["timeout"],),
    "too long": (GOOD + " " * 300_000, GOOD),
    "half a pair": (GOOD.replace("high", "high\ud800"), GOOD),
}


def of_kind(root: Path, kind: str) -> App:
    return asked(root, *KINDS[kind], settings="" if KINDS[kind] else OFFLINE)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_replay_of_any_run_reports_no_difference_asks_nobody_and_writes_nothing(tmp_path: Path, kind: str) -> None:
    of_kind(tmp_path, kind)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}

    def nobody() -> None:
        raise AssertionError("a replay asks nobody")

    outcome = verb(make(tmp_path, nobody, run="20261121T090000-0001"), "replay", RUN)
    assert outcome.result["differences"] == []
    assert outcome.result["damaged"] == []
    assert outcome.exit_code == 0
    assert len(outcome.result["judgements"]) == 1
    after = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert {path: data for path, data in after.items() if path.name != "adjutant.yaml"} == {
        path: data for path, data in before.items() if path.name != "adjutant.yaml"
    }


def test_a_replay_of_a_run_that_was_stopped_before_its_repair_reports_no_difference(tmp_path: Path) -> None:
    model = Queue("no", GOOD)

    def gate() -> None:
        if model.prompts:
            raise Stopped("paused")

    app = make(tmp_path, model, gate=gate)
    with pytest.raises(Stopped):
        Asker(app).ask(TINY, INPUTS)
    assert verb(app, "replay", RUN).result["differences"] == []


ALTERED: list[tuple[str, str, Any, str]] = [
    ("well", "a result", lambda kept: kept["result"].update(quote="something else"), "result.quote"),
    ("well", "the whole result", lambda kept: kept.update(result=None), "result"),
    ("well", "two fields", lambda kept: kept["result"].update(quote="x", level="low"), "result.level,result.quote"),
    ("cleaned", "the notes", lambda kept: kept["check"].update(notes=[]), "check.notes"),
    ("malformed", "the reason", lambda kept: kept["check"].update(error="because"), "check.error"),
    ("offline", "an input", lambda kept: kept["inputs"].update(lines=["the cat sleeps", "x"]), "result.quote"),
    ("timeout", "the result", lambda kept: kept["result"].update(count=5), "result.count"),
    ("repaired", "the second reply", lambda kept: kept["replies"].__setitem__(1, "no"), "degraded,result.level"),
]


@pytest.mark.parametrize(("kind", "what", "change", "field"), ALTERED, ids=[f"{row[0]}: {row[1]}" for row in ALTERED])
def test_one_altered_record_is_exactly_one_difference(
    tmp_path: Path,
    kind: str,
    what: str,
    change: Any,
    field: str,
) -> None:
    app = of_kind(tmp_path, kind)
    Asker(make(tmp_path, None, OFFLINE)).ask(TINY, INPUTS)
    alter(tmp_path, change)
    outcome = verb(app, "replay", RUN)
    found = outcome.result["differences"]
    assert [(row["number"], row["judgement"], row["field"]) for row in found] == [(1, "tiny", field)]
    assert found[0]["recorded"] != found[0]["now"]
    assert "1 difference" in outcome.lines[-1]


def test_todays_check_decides_in_a_replay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = asked(tmp_path, GOOD)
    stricter = judgement(
        "stricter",
        check=lambda inputs, result: (
            msgspec.structs.replace(result, count=0),
            ["stricter"],
        ),
    )
    monkeypatch.setitem(hearing.JUDGEMENTS, "tiny", stricter.__name__)
    found = verb(app, "replay", RUN).result["differences"]
    assert [(row["field"], row["recorded"], row["now"]) for row in found] == [
        (
            "check.notes,result.count",
            {"check.notes": [], "result.count": 2},
            {"check.notes": ["stricter"], "result.count": 0},
        )
    ]


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda path: path.write_bytes(b'{"torn": '), "not JSON"),
        (lambda path: path.write_bytes(b"{}"), "not a record"),
        (lambda path: path.write_bytes(b"[" * 200_000), "not JSON"),
        (lambda path: (path.unlink(), path.mkdir()), "not a regular file"),
        (lambda path: (path.unlink(), path.symlink_to("/etc/passwd")), "a link"),
        (lambda path: path.write_text(path.read_text().replace('"tiny"', '"os"')), "no judgement is called 'os'"),
        (lambda path: path.write_text(path.read_text().replace('"lines": [', '"lines": [7, ')), "inputs: "),
        (
            lambda path: path.write_text(
                json.dumps(json.loads(path.read_text()) | {"inputs": {"question": "", "lines": []}})
            ),
            "IndexError",
        ),
    ],
)
def test_a_damaged_record_is_named_and_the_others_are_told(tmp_path: Path, damage: Any, reason: str) -> None:
    app = asked(tmp_path, settings=OFFLINE)
    Asker(make(tmp_path, None, OFFLINE)).ask(TINY, INPUTS)
    damage(tmp_path / "state" / "runs" / RUN / "01-tiny.json")
    outcome = verb(app, "replay", RUN)
    assert outcome.exit_code == 65
    assert outcome.error is not None
    assert outcome.error.message.startswith(f"state/runs/{RUN}/01-tiny.json")
    assert reason in outcome.error.message
    assert reason in outcome.result["damaged"][0]["reason"]
    assert [row["number"] for row in outcome.result["judgements"]] == [2]
    assert outcome.result["differences"] == []


def test_show_tells_who_answered_and_why_not_the_model(tmp_path: Path) -> None:
    app = make(tmp_path, Queue(GOOD, FAILED["http"]))
    asker = Asker(app)
    asker.ask(TINY, INPUTS)
    asker.ask(TINY, INPUTS)
    outcome = verb(app, "show", RUN)
    told = [{key: row[key] for key in ("name", "backend", "ok", "degraded")} for row in outcome.result["judgements"]]
    assert told == [
        {"name": "tiny", "backend": "queue", "ok": True, "degraded": None},
        {"name": "tiny", "backend": "queue", "ok": False, "degraded": "http"},
    ]
    assert (outcome.result["run"], outcome.result["differences"]) == (RUN, [])
    assert outcome.lines == [
        f"run {RUN}",
        "  01 tiny         queue    ok  110 tokens",
        "  02 tiny         queue    by rules (http)",
    ]


def test_list_is_newest_first_and_names_verb_status_and_number_of_judgements(tmp_path: Path) -> None:
    older, newer, killed = "20261119T090000-0001", "20261120T090000-0002", "20261120T100000-0003"
    for run in (newer, older):
        asked(tmp_path, settings=OFFLINE, run=run)
    app = make(tmp_path, None, OFFLINE, run=killed)
    Asker(app).ask(TINY, INPUTS)
    (tmp_path / "state" / "runs" / "notes of mine").mkdir()
    (tmp_path / "state" / "runs" / older / "run.json").write_text("{")
    done = {"verb": "pulse", "ts": NOW.isoformat(), "status": "completed", "judgements": 1}
    assert verb(app, "list").result == {
        "runs": [
            {"run": killed, "verb": "unknown", "ts": "", "status": "unfinished", "judgements": 1},
            {"run": newer, **done},
            {"run": older, "verb": "unknown", "ts": "", "status": "damaged", "judgements": 0},
        ]
    }
    assert f"state/runs/{older}/run.json" in app.shared["said"][0]


def test_a_long_list_is_cut_and_says_where_the_rest_is(tmp_path: Path) -> None:
    app = make(tmp_path, None, OFFLINE)
    for number in range(53):
        recording.note_run(app.files, f"20261120T090000-{number:04x}", "pulse", NOW, "completed")
    outcome = verb(app, "list")
    assert len(outcome.result["runs"]) == 50
    assert outcome.result["truncated"] is True
    assert outcome.result["path"] == "state/runs"
    assert "3 older" in outcome.lines[-1]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("20261119T090000-0001", "20261119T090000-0001"),
        ("20261119", "20261119T090000-0001"),
        ("last", "20261120T090000-00ff"),
        ("20261120T090000-00f", "20261120T090000-00ff"),
    ],
)
def test_a_run_is_meant_by_its_id_a_unique_beginning_or_last(tmp_path: Path, wanted: str, found: str) -> None:
    for run in ("20261119T090000-0001", "20261120T090000-0002", "20261120T090000-00ff"):
        app = asked(tmp_path, settings=OFFLINE, run=run)
    assert verb(app, "show", wanted).result["run"] == found


@pytest.mark.parametrize("wanted", ["2026", "nothing", "", "../runs"])
def test_an_id_that_means_no_run_or_several_is_refused(tmp_path: Path, wanted: str) -> None:
    for run in ("20261119T090000-0001", "20261120T090000-0002"):
        app = asked(tmp_path, settings=OFFLINE, run=run)
    with pytest.raises(CheckFailed):
        verb(app, "show", wanted)


# -- pruning -------------------------------------------------------------------------------------------------


def kept(root: Path) -> list[str]:
    return sorted(path.name for path in (root / "state" / "runs").iterdir())


def test_runs_older_than_they_are_kept_go_and_younger_ones_stay(tmp_path: Path) -> None:
    runs_of = {days: f"{NOW - timedelta(days=days):%Y%m%dT%H%M%S}-000{days % 10}" for days in (0, 13, 14, 15, 40)}
    for run in runs_of.values():
        app = asked(tmp_path, settings=OFFLINE, run=run)
    assert recording.prune(app.files, NOW, 14) == 2
    assert kept(tmp_path) == sorted(runs_of[days] for days in (0, 13, 14))
    assert recording.prune(app.files, NOW, 14) == 0


def test_pruning_leaves_what_is_not_ours(tmp_path: Path) -> None:
    old = "20260101T090000-0001"
    app = asked(tmp_path, settings=OFFLINE, run=old)
    (tmp_path / "state" / "runs" / old / "my notes.txt").write_text("keep")
    elsewhere = tmp_path / "elsewhere"
    shutil.copytree(tmp_path / "state" / "runs" / old, elsewhere)
    (tmp_path / "state" / "runs" / "20260101T090000-0002").symlink_to(elsewhere)
    (tmp_path / "state" / "runs" / "old stuff").mkdir()
    assert recording.prune(app.files, NOW, 14) == 0
    assert kept(tmp_path) == [old, "20260101T090000-0002", "old stuff"]
    assert sorted(path.name for path in elsewhere.iterdir()) == ["01-tiny.json", "my notes.txt", "run.json"]
    assert [path.name for path in (tmp_path / "state" / "runs" / old).iterdir()] == ["my notes.txt"]


def test_pruning_is_bounded_and_does_nothing_in_a_dry_run(tmp_path: Path) -> None:
    app = make(tmp_path, None, OFFLINE)
    for number in range(recording.PRUNED_RUNS + 5):
        (tmp_path / "state" / "runs" / f"20260101T090000-{number:04x}").mkdir(parents=True)
    assert recording.prune(make(tmp_path, None, OFFLINE, dry=True).files, NOW, 14) == 0
    assert recording.prune(app.files, NOW, 14) == recording.PRUNED_RUNS
    assert len(kept(tmp_path)) == 5
