"""wisdom: what a person sees of the standing rules, and the way back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from adjutant.app import Outcome
from adjutant.errors import AdjutantError, CheckFailed, FileChanged, WisdomInvalid
from adjutant.parsing import parse
from adjutant.records import wisdom_log
from adjutant.records.wisdom_file import RuleEntry, Wisdom, render
from adjutant.records.wisdom_log import Dropped, EntryHistory, Ruled, Support
from adjutant.stages import wisdom
from tests.conftest import TestedApp, adjutant, make_app
from tests.system.test_damage import DAMAGE

ASK = RuleEntry("Ask for the day", 'Treat "soon" as no date at all.', pinned=True)
BORNE = (Support("2026-08-01", "n1"), Support("2026-11-01", "m1"))
KEYS, FLOUR = RuleEntry("Keys", "They hang by the door."), RuleEntry("Flour", "Order early.\nThe mill is slow.")


def text(*entries: RuleEntry, compacted: str = "2026-11-01") -> str:
    return render(Wisdom("Adjutant", compacted, entries))


def ask(root: Path, *words: str, app: TestedApp | None = None, **more: Any) -> Outcome:
    """The verb in this process."""
    app = app or make_app(root, verb="wisdom", **more)
    return wisdom.run(app, parse(app.table.ROWS["wisdom"], list(words)))


def distilled(app: TestedApp, run: str, day: str, after: str, *decisions: Ruled, **more: Any) -> None:
    path = Path(app.tree.wisdom)
    before = path.read_bytes().decode() if path.exists() else None
    change = wisdom_log.Distilled(f"{day}T03:00:00+00:00", run, before, after, decisions=decisions, **more)
    wisdom_log.write(app.files, app.config, change, app.clock.now())


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Two runs: the first ADDed Ask and Keys, the second MERGEd into Ask, ADDed Flour and dropped Old."""
    app = make_app(tmp_path)
    (tmp_path / "identity").mkdir()
    distilled(
        app,
        "20260801T030000-aaaa",
        "2026-08-01",
        text(ASK, KEYS, RuleEntry("Old", "It was so.")),
        Ruled("n1", "1", "ADD", "Ask for the day", "the operator said so"),
        Ruled("n2", "2", "ADD", "Keys"),
        entries=(EntryHistory("Ask for the day", "2026-08-01", BORNE[:1], "asks"), EntryHistory("Keys", "2026-08-01")),
    )
    distilled(
        app,
        "20261101T030000-bbbb",
        "2026-11-01",
        text(ASK, KEYS, FLOUR),
        Ruled("m1", "3", "MERGE", "Ask for the day"),
        Ruled("m2", "4", "ADD", "Flour"),
        Ruled("m3", "5", "DROP", "", "ephemeral"),
        dropped=[Dropped("Old", "stale", "It was so.")],
        entries=(
            EntryHistory("Ask for the day", "2026-08-01", BORNE),
            EntryHistory("Keys", "2026-08-01"),
            EntryHistory("Flour", "2026-11-01", changes="orders"),
        ),
    )
    return tmp_path


# -- show ----------------------------------------------------------------------------------------------------


def test_each_entry_is_shown_with_what_is_known_of_it(root: Path) -> None:
    found = ask(root, "show")
    assert found.result["path"] == "identity/wisdom.md"
    assert found.result["compacted"] == "2026-11-01"
    assert found.result["entries"] == [
        {
            "title": "Ask for the day",
            "text": 'Treat "soon" as no date at all.',
            "category": None,
            "pinned": True,
            "first_seen": "2026-08-01",
            "reinforced": 2,
            "last_reinforced": "2026-11-01",
            "stale": False,
        },
        {
            "title": "Keys",
            "text": "They hang by the door.",
            "category": None,
            "pinned": False,
            "first_seen": "2026-08-01",
            "reinforced": 0,
            "last_reinforced": None,
            "stale": True,
        },
        {
            "title": "Flour",
            "text": "Order early.\nThe mill is slow.",
            "category": None,
            "pinned": False,
            "first_seen": "2026-11-01",
            "reinforced": 0,
            "last_reinforced": None,
            "stale": False,
        },
    ]
    assert found.lines[0] == "identity/wisdom.md: 3 entries, last compacted 2026-11-01"
    assert found.lines[2] == "Ask for the day  (pinned, since 2026-08-01, confirmed on 2 days, last 2026-11-01)"
    assert found.lines[5] == "Keys  (since 2026-08-01, stale)"
    assert found.lines[-1] == "  The mill is slow."


def test_an_entry_that_no_run_has_met_is_new_today(root: Path) -> None:
    (root / "identity" / "wisdom.md").write_text(text(RuleEntry("Mine", "So it is.", "Work")))
    entry = ask(root, "show").result["entries"][0]
    assert (entry["first_seen"], entry["category"], entry["stale"]) == ("2026-11-20", "Work", False)


def test_without_a_file_there_is_nothing_to_show(tmp_path: Path) -> None:
    assert ask(tmp_path, "show").result == {"path": "identity/wisdom.md", "compacted": "never", "entries": []}


def test_a_file_that_cannot_be_read_is_refused_by_line(root: Path) -> None:
    (root / "identity" / "wisdom.md").write_text(text(ASK).replace("---\n", "---\nA word.\n"))
    with pytest.raises(WisdomInvalid, match=r"identity/wisdom\.md:8: text outside"):
        ask(root, "show")


def test_another_file_of_the_settings_is_the_one_shown(root: Path) -> None:
    (root / "identity" / "rules.md").write_text(text(FLOUR))
    found = ask(root, "show", layers__wisdom__path="identity/rules.md").result
    assert found["path"] == "identity/rules.md"
    assert [each["title"] for each in found["entries"]] == ["Flour"]


def test_damaged_lines_of_the_log_are_named_and_the_rest_counts(root: Path) -> None:
    path = root / "state" / "wisdom.jsonl"
    path.write_text("damage\n" + path.read_text())
    app = make_app(root)
    assert ask(root, "show", app=app).result["entries"][0]["reinforced"] == 2
    assert app.said == ["left alone: state/wisdom.jsonl:1: not a record"]
    assert "state/wisdom.jsonl:1: not a record (1 such lines)" in adjutant("doctor", cwd=root, check=1).out


# -- lint ----------------------------------------------------------------------------------------------------


def test_a_right_file_has_no_problems_and_so_has_none(root: Path) -> None:
    found = ask(root, "lint")
    assert (found.exit_code, found.lines, found.result["problems"]) == (0, ["identity/wisdom.md: no problems"], [])
    (root / "identity" / "wisdom.md").unlink()
    assert ask(root, "lint").exit_code == 0


def test_each_problem_has_its_line_and_what_becomes_of_the_file(root: Path) -> None:
    path = root / "identity" / "wisdom.md"
    path.write_text(text(ASK, RuleEntry("Tasks", "- [ ] ring the mill")))
    soft = ask(root, "lint")
    assert soft.result["problems"] == [{"line": 13, "message": "a checkbox: tasks belong elsewhere", "hard": False}]
    assert soft.exit_code == 65
    assert soft.lines == ["identity/wisdom.md:13: a checkbox: tasks belong elsewhere"]
    assert soft.error is not None
    assert "distill works with the file as it is" in soft.error.message
    path.write_text(text(ASK, RuleEntry("Tasks", "- [ ] ring the mill")) + "\n**Half*\n\n# Head\n")
    hard = ask(root, "lint")
    assert [(row["line"], row["hard"]) for row in hard.result["problems"]] == [(13, False), (15, True), (17, True)]
    assert hard.error is not None
    assert "2 of them hard; distill leaves the file alone until it is mended" in hard.error.message
    assert hard.error.fix == "mend line 15 first"


def test_the_limits_are_those_of_the_settings(root: Path) -> None:
    told = ask(root, "lint", memory__wisdom__max_entries=2, memory__wisdom__categories=["Work"]).result["problems"]
    assert [row["line"] for row in told] == [9, 12, 15, 15]


# -- history -------------------------------------------------------------------------------------------------


def test_runs_are_told_oldest_first_with_what_they_did(root: Path) -> None:
    found = ask(root, "history")
    assert [
        (row["run"][-4:], row["event"], row["outcome"], row["decisions"], row["dropped"], row["changed"])
        for row in found.result["versions"]
    ] == [
        ("aaaa", "distilled", "stands", {"MERGE": 0, "ADD": 2, "DROP": 0}, [], True),
        ("bbbb", "distilled", "stands", {"MERGE": 1, "ADD": 1, "DROP": 1}, ["Old"], True),
    ]
    assert found.lines[1] == "1 Nov 03:00  20261101T030000-bbbb  1 MERGE, 1 ADD, 1 DROP (1 entry dropped)"
    assert ask(root / "new", "history").lines == ["no run has changed it yet"]


def test_a_run_tells_each_item_once(root: Path) -> None:
    for name in ("20261101T030000-bbbb", "20261101", "last"):
        found = ask(root, "history", "--run", name)
        assert [(row["item"], row["decision"], row["entry"]) for row in found.result["decisions"]] == [
            ("m1", "MERGE", "Ask for the day"),
            ("m2", "ADD", "Flour"),
            ("m3", "DROP", ""),
        ]
        assert found.result["dropped"] == [{"title": "Old", "reason": "stale", "text": "It was so."}]
        assert found.result["after"] == text(ASK, KEYS, FLOUR)
        assert "Old" in found.result["before"]
    assert found.lines[1:] == [
        "  MERGE    m1 -> Ask for the day",
        "  ADD      m2 -> Flour",
        "  DROP     m3: ephemeral",
        "  dropped  Old: stale",
    ]


@pytest.mark.parametrize("name", ["2026", "2025", "nothing"])
def test_a_run_that_is_none_or_several_is_refused(root: Path, name: str) -> None:
    with pytest.raises(CheckFailed, match=name):
        ask(root, "history", "--run", name)


def test_a_long_history_tells_the_newest_runs_and_where_the_rest_is(root: Path) -> None:
    app = make_app(root)
    for number in range(55):
        distilled(app, f"r{number}", "2026-11-02", text(ASK))
    found = ask(root, "history").result
    assert len(found["versions"]) == 50
    assert found["versions"][-1]["run"] == "r54"
    assert found["truncated"] is True
    assert found["path"] == "state/wisdom.jsonl"


def test_a_run_that_was_cut_is_told_of(root: Path) -> None:
    app = make_app(root)
    wisdom_log.append(
        app.files, wisdom_log.Distilled("2026-11-19T03:00:00+00:00", "cut", text(ASK, KEYS, FLOUR), text(ASK))
    )
    ask(root, "history", app=app)
    assert app.said == ["run cut was cut; the next distill or undo completes it"]


# -- undo ----------------------------------------------------------------------------------------------------


def test_undo_goes_back_a_run_and_again_one_more(root: Path) -> None:
    path = root / "identity" / "wisdom.md"
    found = ask(root, "undo", run="20261120T090000-0001")
    assert found.result == {
        "path": "identity/wisdom.md",
        "run": "20261101T030000-bbbb",
        "changed": True,
        "items": ["m1", "m2", "m3"],
    }
    assert found.lines == [
        "identity/wisdom.md: as it was before",
        "run 20261101T030000-bbbb: undone, its 3 items undecided again",
    ]
    assert path.read_text() == text(ASK, KEYS, RuleEntry("Old", "It was so."))
    assert "**Old**: back in wisdom.md" in (root / "memory" / "wisdom-archive.md").read_text()
    assert set(wisdom_log.read(make_app(root).files).items) == {"n1", "n2"}
    ask(root, "undo", run="20261120T090000-0002")
    assert not path.exists()
    with pytest.raises(CheckFailed, match="no run of distill is left"):
        ask(root, "undo", run="20261120T090000-0003")
    told = ask(root, "history")
    assert [row["outcome"] for row in told.result["versions"]] == ["undone", "undone", "stands", "stands"]
    assert told.lines[0].endswith("2 ADD (undone)")
    assert told.lines[2].endswith("undid run 20261101T030000-bbbb")
    assert ask(root, "history", "--run", "last").result["undoes"] == "20260801T030000-aaaa"


def test_undo_leaves_an_edited_file_alone(root: Path) -> None:
    path = root / "identity" / "wisdom.md"
    path.write_text(path.read_text().replace("slow", "quick"))
    edited = path.read_bytes()
    with pytest.raises(FileChanged, match="was edited since run 20261101T030000-bbbb"):
        ask(root, "undo")
    assert path.read_bytes() == edited
    assert set(wisdom_log.read(make_app(root).files).items) >= {"m1"}


def test_undo_works_while_paused_and_says_what_a_dry_run_would_do(root: Path) -> None:
    (root / "PAUSED").write_text("")
    before = (root / "identity" / "wisdom.md").read_text()
    dry = ask(root, "undo", dry_run=True)
    assert dry.lines[0] == "identity/wisdom.md: would be as it was before"
    assert (root / "identity" / "wisdom.md").read_text() == before
    assert ask(root, "undo").result["changed"] is True


def test_from_the_shell_scripts_get_the_problems_and_the_path(root: Path) -> None:
    done = adjutant("wisdom", "undo", "--json", cwd=root)
    assert done.code == 0 and done.json["result"]["path"] == "identity/wisdom.md", done
    (root / "identity" / "wisdom.md").write_text("# odd\n")
    done = adjutant("wisdom", "lint", "--json", cwd=root)
    envelope = json.loads(done.out)
    assert (done.code, envelope["ok"], envelope["error"]["code"]) == (65, False, "wisdom.invalid"), done
    assert envelope["error"]["details"]["problems"][0]["line"] == 1


# -- damage --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("damage", sorted(DAMAGE))
@pytest.mark.parametrize("place", ["identity/wisdom.md", "state/wisdom.jsonl", "memory/wisdom-archive.md"])
def test_damage_is_named_or_does_no_harm_and_is_left_as_it_is(root: Path, place: str, damage: str) -> None:
    path = root / place
    path.unlink()
    DAMAGE[damage](path)
    before = path.read_bytes() if path.is_file() and not path.is_symlink() else None
    for words in (("show",), ("lint",), ("history",), ("history", "--run", "last"), ("undo",)):
        try:
            ask(root, *words)
        except AdjutantError as error:
            assert error.exit_code in (1, 2, 65, 74) and error.message and error.fix, words
    if before is not None and place == "identity/wisdom.md":
        assert path.read_bytes() == before, "undo does not write over what it cannot read"
