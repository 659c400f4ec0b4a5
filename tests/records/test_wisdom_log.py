"""state/wisdom.jsonl: what is folded from it, what is left out, and changes that were cut."""

from __future__ import annotations

import json
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest

from adjutant.errors import CheckFailed, FileChanged, FileDamaged, IoFailed
from adjutant.records import wisdom_file, wisdom_log
from adjutant.records.wisdom_file import RuleEntry, Wisdom, render
from adjutant.records.wisdom_log import Distilled, Dropped, EntryHistory, Ruled, Support, WisdomSettled, WisdomState
from tests.conftest import TestedApp, make_app

NOW = datetime.fromisoformat("2026-11-20T09:00:00+00:00")
ASK, KEYS, FLOUR = (
    RuleEntry("Ask", "Ask for the day."),
    RuleEntry("Keys", "They hang here."),
    RuleEntry("Flour", "Order early."),
)


def text(*entries: RuleEntry, compacted: str = "2026-11-01") -> str:
    return render(Wisdom("Adjutant", compacted, entries))


def record(run: str, day: str, before: str | None, after: str, *made: object) -> Distilled:
    def of(kind: type) -> Any:
        return tuple(each for each in made if isinstance(each, kind))

    return wisdom_log.Distilled(
        f"{day}T03:00:00+00:00",
        run,
        before,
        after,
        decisions=of(Ruled),
        dropped=of(Dropped),
        entries=of(EntryHistory),
    )


def decided(item: str, decision: str = "ADD", entry: str = "Ask", sha: str = "1") -> Ruled:
    return Ruled(item, sha, decision, entry, "why")


def made(app: TestedApp, *changes: wisdom_log.Change) -> WisdomState:
    for change in changes:
        wisdom_log.write(app.files, app.config, change, NOW)
    return wisdom_log.read(app.files)


def seen(state: WisdomState, day: str, *entries: RuleEntry) -> list[EntryHistory]:
    return [found for _, found, _ in wisdom_log.review(state, entries, date.fromisoformat(day), 90)]


@pytest.fixture
def app(tmp_path: Path) -> TestedApp:
    (tmp_path / "identity").mkdir()
    return make_app(tmp_path)


def on_disk(app: TestedApp) -> str | None:
    path = Path(app.tree.wisdom)
    return path.read_text() if path.exists() else None


# -- what it amounts to --------------------------------------------------------------------------------------


def test_without_a_log_nothing_is_known(app: TestedApp) -> None:
    state = wisdom_log.read(app.files)
    assert state == WisdomState({}, {}, (), None, None, ())


def test_the_last_decision_on_an_item_holds(app: TestedApp) -> None:
    one, two = text(ASK), text(ASK, KEYS)
    state = made(
        app,
        record("r1", "2026-11-01", None, one, decided("a"), decided("b", "DROP", "")),
        record("r2", "2026-11-08", one, two, decided("b", "MERGE", "Keys", "2")),
    )
    assert state.items == {"a": decided("a"), "b": decided("b", "MERGE", "Keys", "2")}
    assert [(each.change.run, each.outcome) for each in state.versions] == [("r1", "stands"), ("r2", "stands")]
    assert on_disk(app) == two
    assert state.unfinished is None


def test_a_record_that_is_written_is_read_as_it_was(app: TestedApp) -> None:
    first = record(
        "r1",
        "2026-11-01",
        None,
        text(ASK),
        decided("a"),
        Dropped("Old", "stale", "It was."),
        EntryHistory("Ask", "2026-11-01", (Support("2026-11-01", "a"),), "asks"),
    )
    assert made(app, first).versions[0].change == first
    row = json.loads(Path(app.tree.wisdom_log).read_text().split("\n")[0])
    assert row["event"] == "distilled"
    assert row["before"] is None
    assert row["after"] == text(ASK)
    assert row["decisions"] == [{"item": "a", "sha256": "1", "decision": "ADD", "entry": "Ask", "reason": "why"}]
    assert row["entries"][0]["reinforced"] == [{"date": "2026-11-01", "item": "a"}]


def test_what_is_known_of_an_entry_is_what_the_last_run_says(app: TestedApp) -> None:
    one, two = text(ASK), text(ASK, KEYS)
    first, later = (Support("2026-10-30", "a"),), (Support("2026-10-30", "a"), Support("2026-11-08", "b"))
    state = made(
        app,
        record("r1", "2026-11-01", None, one, EntryHistory("Ask", "2026-11-01", first, "asks")),
        record(
            "r2", "2026-11-08", one, two, EntryHistory("ask ", "2026-11-01", later), EntryHistory("Keys", "2026-11-08")
        ),
    )
    ask, keys, flour = seen(state, "2026-11-20", ASK, KEYS, FLOUR)
    assert ask == EntryHistory("ask ", "2026-11-01", later)
    assert ask.last == "2026-11-08"
    assert keys == EntryHistory("Keys", "2026-11-08")
    assert flour == EntryHistory("Flour", "2026-11-20"), "first seen today"


def test_an_entry_that_was_dropped_and_comes_again_is_new(app: TestedApp) -> None:
    one, none = text(ASK), text()
    state = made(
        app,
        record("r1", "2026-08-01", None, one, EntryHistory("Ask", "2026-08-01")),
        record("r2", "2026-09-01", one, none, Dropped("Ask", "cap")),
    )
    assert seen(state, "2026-11-01", ASK) == [EntryHistory("Ask", "2026-11-01")]


def test_what_nothing_bore_out_for_long_is_stale_but_never_what_is_pinned(app: TestedApp) -> None:
    borne = EntryHistory("Keys", "2026-08-01", (Support("2026-08-02", "a"),))
    state = made(app, record("r1", "2026-08-02", None, text(KEYS), borne))

    def stale(entry: RuleEntry, day: str) -> bool:
        [(_, _, found)] = wisdom_log.review(state, [entry], date.fromisoformat(day), 90)
        return found

    assert not stale(KEYS, "2026-10-30")
    assert stale(KEYS, "2026-10-31")
    assert not stale(KEYS._replace(pinned=True), "2026-10-31")
    assert not stale(KEYS, "2026-01-01"), "a clock that was set back"


# -- damage --------------------------------------------------------------------------------------------------


def test_lines_that_are_no_records_are_left_out_and_numbered(app: TestedApp) -> None:
    whole = record("r1", "2026-11-01", None, text(ASK), decided("a"))
    made(app, whole)
    path = Path(app.tree.wisdom_log)
    forged = json.loads(path.read_text().split("\n")[0])
    rows = [{**forged, "after": text(KEYS)}, {**forged, "decisions": "none"}, {"event": "odd"}, {**forged, "run": 7}]
    path.write_text("nonsense\n" + path.read_text() + "".join(json.dumps(row) + "\n" for row in rows) + '{"torn')
    state = wisdom_log.read(app.files)
    assert state.damaged == (1, 4, 5, 6, 7, 8)
    assert [each.change for each in state.versions] == [whole]
    state = made(app, record("r2", "2026-11-08", text(ASK), text(ASK, KEYS)))
    assert [each.change.run for each in state.versions] == ["r1", "r2"]


def test_a_record_with_fields_of_a_later_release_is_read(app: TestedApp) -> None:
    made(app, record("r1", "2026-11-01", None, text(ASK)))
    path = Path(app.tree.wisdom_log)
    path.write_text(path.read_text().replace('"run": "r1"', '"run": "r1", "more": [1]'))
    assert wisdom_log.read(app.files).damaged == ()
    assert len(wisdom_log.read(app.files).versions) == 1


def test_days_and_texts_that_are_none_are_let_be(app: TestedApp) -> None:
    odd = EntryHistory("Ask", "some day", (Support("soon", "a"),))
    wisdom_log.write(app.files, app.config, Distilled("some day", "r1", None, "no wisdom", entries=(odd,)), NOW)
    [(_, _, stale)] = wisdom_log.review(wisdom_log.read(app.files), [ASK], date(2026, 11, 1), 90)
    assert not stale


# -- one change, kept whole ----------------------------------------------------------------------------------


def test_a_change_is_recorded_before_the_file_is_written(app: TestedApp, monkeypatch: pytest.MonkeyPatch) -> None:
    change = record("r1", "2026-11-01", None, text(ASK), decided("a"))

    def full(*args: object, **more: object) -> None:
        raise IoFailed("no space left")

    with monkeypatch.context() as patch:
        patch.setattr(app.files, "replace", full)
        with pytest.raises(IoFailed):
            wisdom_log.write(app.files, app.config, change, NOW)
    assert wisdom_log.read(app.files).unfinished == change
    assert on_disk(app) is None
    done = wisdom_log.complete(app.files, app.config, NOW)
    assert done == "run r1 was cut; what it had decided is written now"
    assert on_disk(app) == text(ASK)
    assert wisdom_log.read(app.files).unfinished is None
    assert wisdom_log.complete(app.files, app.config, NOW) == ""


def test_a_run_that_was_cut_after_the_file_was_written_is_only_settled(app: TestedApp) -> None:
    change = record("r1", "2026-11-01", None, text(ASK), Dropped("Old", "stale", "It was."))
    wisdom_log.append(app.files, change)
    app.files.replace(app.tree.wisdom, text(ASK))
    assert wisdom_log.complete(app.files, app.config, NOW).endswith("is written now")
    app.files.replace(app.tree.wisdom, text())  # by hand, to what it was: no crash, so nothing is completed
    assert wisdom_log.complete(app.files, app.config, NOW) == ""
    assert on_disk(app) == text()
    assert Path(app.tree.wisdom_archive).read_text().count("**Old**") == 1


def test_the_archive_is_told_once_however_often_a_change_is_tried(app: TestedApp) -> None:
    before = text(KEYS)
    app.files.replace(app.tree.wisdom, before)
    change = record("r1", "2026-11-01", before, text(ASK), Dropped("Keys", "stale", "They hang here."))
    wisdom_log.write(app.files, app.config, change, NOW)
    path = Path(app.tree.wisdom_log)
    path.write_text(path.read_text().split("\n")[0] + "\n")  # cut before it was settled
    assert wisdom_log.complete(app.files, app.config, NOW).endswith("is written now")
    assert Path(app.tree.wisdom_archive).read_text() == (
        "# What wisdom.md no longer says\n\n## 2026-11-01, run r1\n\n**Keys**\nThey hang here.\nDropped: stale\n"
    )


def test_an_archive_that_cannot_be_read_stops_a_change_before_it_has_begun(app: TestedApp) -> None:
    Path(app.tree.wisdom_archive).mkdir(parents=True)
    with pytest.raises(FileDamaged, match=r"memory/wisdom-archive\.md"):
        made(app, record("r1", "2026-11-01", None, text(ASK), Dropped("Old", "stale")))
    assert on_disk(app) is None
    assert wisdom_log.read(app.files) == WisdomState({}, {}, (), None, None, ())
    made(app, record("r2", "2026-11-01", None, text(ASK)))
    assert on_disk(app) == text(ASK), "a change that drops nothing has no need of it"


def test_bytes_that_are_no_text_in_the_archive_stay_there(app: TestedApp) -> None:
    path = Path(app.tree.wisdom_archive)
    path.parent.mkdir()
    path.write_bytes(b"\xff mine")
    made(app, record("r1", "2026-11-01", None, text(ASK), Dropped("Old", "stale", "It was.")))
    assert path.read_bytes() == b"\xff mine\n\n## 2026-11-01, run r1\n\n**Old**\nIt was.\nDropped: stale\n"


def test_an_edit_that_came_first_wins_and_the_run_counts_for_nothing(app: TestedApp) -> None:
    change = record("r1", "2026-11-01", None, text(ASK), decided("a"), Dropped("Old", "stale"))
    app.files.replace(app.tree.wisdom, text(FLOUR))
    with pytest.raises(FileChanged, match=r"state/conflicts/wisdom\.md"):
        wisdom_log.write(app.files, app.config, change, NOW)
    state = wisdom_log.read(app.files)
    assert (state.items, state.unfinished, state.last, state.versions[0].outcome) == ({}, None, None, "refused")
    assert on_disk(app) == text(FLOUR)
    assert not Path(app.tree.wisdom_archive).exists()
    assert [each.read_text() for each in Path(app.tree.conflicts).iterdir()] == [text(ASK)]


def test_an_edit_after_a_crash_wins_too(app: TestedApp) -> None:
    wisdom_log.append(app.files, record("r1", "2026-11-01", None, text(ASK), decided("a")))
    app.files.replace(app.tree.wisdom, text(FLOUR))
    done = wisdom_log.complete(app.files, app.config, NOW)
    assert "counts for nothing" in done
    assert "state/conflicts/" in done
    assert on_disk(app) == text(FLOUR)
    assert wisdom_log.read(app.files).items == {}
    assert wisdom_log.complete(app.files, app.config, NOW) == ""


def test_a_run_that_changes_nothing_is_settled_whatever_the_file_says(app: TestedApp) -> None:
    app.files.replace(app.tree.wisdom, text(FLOUR))
    wisdom_log.append(app.files, record("r1", "2026-11-01", text(ASK), text(ASK), decided("a", "DROP", "")))
    assert wisdom_log.complete(app.files, app.config, NOW).endswith("is written now")
    assert "a" in wisdom_log.read(app.files).items
    assert on_disk(app) == text(FLOUR)


# -- undo ----------------------------------------------------------------------------------------------------


def test_undo_brings_back_the_bytes_run_by_run_and_the_items(app: TestedApp) -> None:
    begun = "\ufeff" + text(KEYS).replace("\n", "\r\n")
    Path(app.tree.wisdom).write_bytes(begun.encode())
    one, two = text(KEYS, ASK), text(KEYS, ASK, FLOUR)
    fresh = EntryHistory("Ask", "2026-11-01")
    borne = EntryHistory("Ask", "2026-11-01", (Support("2026-11-08", "b"),))
    made(
        app,
        record("r1", "2026-11-01", begun, one, decided("a"), decided("b", sha="old"), fresh),
        record("r2", "2026-11-08", one, two, decided("b", "DROP", ""), borne),
    )
    assert wisdom_log.undo(app.files, app.config, "u1", NOW)[0].run == "r2"
    state = wisdom_log.read(app.files)
    assert on_disk(app) == one
    assert state.items == {"a": decided("a"), "b": decided("b", sha="old")}
    assert state.entries == {"ask": fresh}
    assert wisdom_log.undo(app.files, app.config, "u2", NOW)[0].run == "r1"
    assert Path(app.tree.wisdom).read_bytes() == begun.encode()
    assert wisdom_log.read(app.files).items == {}
    with pytest.raises(CheckFailed):
        wisdom_log.undo(app.files, app.config, "u3", NOW)
    assert [each.outcome for each in wisdom_log.read(app.files).versions] == ["undone", "undone", "stands", "stands"]


def test_undoing_the_run_that_made_the_file_leaves_none(app: TestedApp) -> None:
    made(app, record("r1", "2026-11-01", None, text(ASK)))
    wisdom_log.undo(app.files, app.config, "u1", NOW)
    assert on_disk(app) is None


def test_undo_refuses_to_lose_an_edit(app: TestedApp) -> None:
    made(app, record("r1", "2026-11-01", None, text(ASK), decided("a")))
    app.files.replace(app.tree.wisdom, text(ASK, FLOUR))
    with pytest.raises(FileChanged, match="was edited since run r1") as raised:
        wisdom_log.undo(app.files, app.config, "u1", NOW)
    assert "history --run r1" in raised.value.fix
    assert on_disk(app) == text(ASK, FLOUR)
    assert "a" in wisdom_log.read(app.files).items


def test_undo_of_what_was_taken_back_by_hand_frees_the_items(app: TestedApp) -> None:
    app.files.replace(app.tree.wisdom, text(KEYS))
    made(app, record("r1", "2026-11-01", text(KEYS), text(KEYS, ASK), decided("a")))
    app.files.replace(app.tree.wisdom, text(KEYS))
    wisdom_log.undo(app.files, app.config, "u1", NOW)
    assert on_disk(app) == text(KEYS)
    assert wisdom_log.read(app.files).items == {}


def test_undo_of_a_run_that_changed_nothing_keeps_an_edit_made_since(app: TestedApp) -> None:
    app.files.replace(app.tree.wisdom, text(KEYS))
    made(app, record("r1", "2026-11-01", text(KEYS), text(KEYS), decided("a", "DROP", "")))
    app.files.replace(app.tree.wisdom, text(FLOUR))
    wisdom_log.undo(app.files, app.config, "u1", NOW)
    assert on_disk(app) == text(FLOUR)
    assert wisdom_log.read(app.files).items == {}


def test_undo_of_a_drop_brings_the_entry_back_and_the_archive_says_so(app: TestedApp) -> None:
    app.files.replace(app.tree.wisdom, text(KEYS, ASK))
    made(app, record("r1", "2026-11-01", text(KEYS, ASK), text(ASK), Dropped("Keys", "stale", "They hang here.")))
    wisdom_log.undo(app.files, app.config, "u1", NOW)
    assert on_disk(app) == text(KEYS, ASK)
    archive = Path(app.tree.wisdom_archive).read_text()
    assert archive.endswith("\n## 2026-11-20, run u1\n\nUndone: run r1. **Keys**: back in wisdom.md\n")
    assert archive.count("**Keys**\nThey hang here.") == 1


def test_undo_completes_a_run_that_was_cut_before_it_takes_it_back(app: TestedApp) -> None:
    wisdom_log.append(app.files, record("r1", "2026-11-01", None, text(ASK)))
    change, done = wisdom_log.undo(app.files, app.config, "u1", NOW)
    assert (change.run, on_disk(app)) == ("r1", None)
    assert done.endswith("is written now")


def test_an_undo_that_was_cut_is_completed(app: TestedApp) -> None:
    made(app, record("r1", "2026-11-01", None, text(KEYS)), record("r2", "2026-11-08", text(KEYS), text(ASK)))
    last = wisdom_log.read(app.files).last
    assert last is not None
    wisdom_log.append(app.files, wisdom_log.Undone(NOW.isoformat(), "u1", last.after, last.before, undoes=last.run))
    assert wisdom_log.complete(app.files, app.config, NOW).endswith("is written now")
    assert on_disk(app) == text(KEYS)


def test_an_undo_that_an_edit_forestalled_counts_for_nothing(app: TestedApp) -> None:
    made(app, record("r1", "2026-11-01", None, text(KEYS), decided("a")))
    last = wisdom_log.read(app.files).last
    assert last is not None
    wisdom_log.append(app.files, wisdom_log.Undone(NOW.isoformat(), "u1", last.after, last.before, undoes=last.run))
    app.files.replace(app.tree.wisdom, text(FLOUR))
    assert "counts for nothing" in wisdom_log.complete(app.files, app.config, NOW)
    assert on_disk(app) == text(FLOUR)
    assert "a" in wisdom_log.read(app.files).items


def test_a_settled_word_that_says_nothing_known_settles_all_the_same(app: TestedApp) -> None:
    made(app, record("r1", "2026-11-01", None, text(KEYS)))
    wisdom_log.append(app.files, WisdomSettled(NOW.isoformat(), "r9", "written"))
    assert wisdom_log.read(app.files).unfinished is None
    assert wisdom_file.read_file(app.files, app.config).data is not None


def test_a_dry_run_writes_neither_log_nor_file(tmp_path: Path) -> None:
    dry = make_app(tmp_path, dry_run=True)
    wisdom_log.write(dry.files, dry.config, record("r1", "2026-11-01", None, text(ASK), Dropped("Old", "cap")), NOW)
    assert wisdom_file.read_file(dry.files, dry.config).data == text(ASK).encode()
    assert wisdom_log.read(dry.files).last is not None
    assert not any(Path(path).exists() for path in (dry.tree.wisdom, dry.tree.wisdom_log, dry.tree.wisdom_archive))
