"""Accept, reject, revert: the stored diff and nothing else, once, whole, and back."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjutant.domain.learning import acting, target
from adjutant.errors import AdjutantError, EvolutionChanged, EvolutionUnknown
from adjutant.records import evolution_log
from adjutant.records.suggestion import (
    DEMOTE,
    MEMORY,
    PROMOTE,
    PROMPT_EDIT,
    SKILL_GAP,
    Change,
    Suggestion,
)
from tests.conftest import TestedApp
from tests.domain.learning.deciding.suggested import (
    LINES,
    NOTE,
    NOTE_TEXT,
    SKILL,
    USER,
    a_note,
    a_skill,
    edit,
    events,
    learning,
    made,
    one,
    proposed,
    sha,
    status,
)


@pytest.fixture
def app(tmp_path: Path) -> TestedApp:
    return learning(tmp_path)


def text(app: TestedApp, path: str = USER) -> str:
    return (Path(app.tree.root) / path).read_text()


def tree(app: TestedApp) -> dict[str, bytes]:
    """Everything that accepting might change, but the log and the locks."""
    root = Path(app.tree.root)
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file()
        and not str(path.relative_to(root)).startswith(("state/locks", "state/evolution", "state/cache"))
    }


def refused(app: TestedApp, id: str, match: str, **more: Any) -> EvolutionChanged:
    """What accept says; nothing is written by it, and the suggestion waits as before."""
    before = tree(app)
    with pytest.raises(EvolutionChanged, match=match) as caught:
        acting.accept(app, id, **more)
    assert tree(app) == before
    assert status(app, id) == "pending"
    return caught.value


# -- accept --------------------------------------------------------------------------------------------------


def test_accept_applies_the_stored_diff_and_revert_gives_the_bytes_back(app: TestedApp) -> None:
    each = one(app)
    done = acting.accept(app, each.id)
    assert text(app) == LINES.replace("- The van", "- Invoices go to Berg\n- The van")
    assert (done.status, done.diff) == ("accepted", each.diff)
    assert status(app, each.id) == "accepted"
    assert acting.revert(app, each.id).status == "reverted"
    assert text(app) == LINES
    assert status(app, each.id) == "reverted"
    assert events(app) == ["run", "proposed", "settled", "accepted", "settled", "reverted", "settled"]


def test_a_second_accept_is_refused_and_says_when_the_first_was(app: TestedApp) -> None:
    each = one(app)
    acting.accept(app, each.id)
    after = text(app)
    with pytest.raises(EvolutionChanged, match="was accepted on 2026-11-20 09:00") as caught:
        acting.accept(app, each.id)
    assert text(app) == after
    assert f"evolve revert {each.id}" in caught.value.fix
    acting.revert(app, each.id)
    with pytest.raises(EvolutionChanged, match="was reverted on"):
        acting.accept(app, each.id)
    assert text(app) == LINES


def test_an_id_may_be_its_beginning(app: TestedApp) -> None:
    each = one(app)
    assert acting.accept(app, each.id[2:7]).suggestion == each
    with pytest.raises(EvolutionUnknown, match="no suggestion"):
        acting.accept(app, "s-zzzz")
    with pytest.raises(EvolutionUnknown):
        acting.accept(app, "")
    with pytest.raises(EvolutionUnknown):
        acting.accept(app, "s-")


def test_a_file_that_was_edited_since_is_left_alone(app: TestedApp) -> None:
    each = one(app)
    (Path(app.tree.root) / USER).write_text(LINES + "- mine\n")
    refused(app, each.id, "changed since")
    assert text(app) == LINES + "- mine\n"
    assert "accepted" not in events(app)
    (Path(app.tree.root) / USER).unlink()
    refused(app, each.id, "is gone")
    (Path(app.tree.root) / USER).write_text(LINES)
    assert acting.accept(app, each.id).status == "accepted"


def test_an_altered_report_is_refused_until_the_stored_diff_is_asked_for(app: TestedApp) -> None:
    each = one(app)
    path = Path(app.tree.root) / each.report
    path.write_text(path.read_text() + "\nanother diff\n")
    error = refused(app, each.id, "was altered or is gone")
    assert f"evolve show {each.id}" in error.fix
    assert "--stored" in error.fix
    path.unlink()
    refused(app, each.id, "is gone")
    path.mkdir()
    refused(app, each.id, "altered or is gone")
    assert acting.accept(app, each.id, stored=True).status == "accepted"


def test_two_that_wait_for_one_file_can_both_be_accepted_and_taken_back_in_any_order(app: TestedApp) -> None:
    first = made(app, edit(app, "- Short", "- Invoices go to Berg\n- Short"))
    second = made(app, edit(app, "- The van is blue\n", "- The van is blue\n- The shed is locked\n"), subject="shed")
    third = made(app, edit(app, "- Euros, never kroner\n"), kind=DEMOTE, subject="euros")
    proposed(app, first, second, third)
    for each in (first, second, third):
        acting.accept(app, each.id)
    assert text(app) == (
        "# User\n\n- Invoices go to Berg\n- Short answers\n- Ruth reads no mail before noon\n"
        "- The van is blue\n- The shed is locked\n"
    )
    for each in (first, third, second):
        acting.revert(app, each.id)
    assert text(app) == LINES


def test_an_edit_between_two_accepts_stops_the_second(app: TestedApp) -> None:
    first = made(app, edit(app, "- Short", "- Invoices go to Berg\n- Short"))
    second = made(app, edit(app, "- The van is blue\n", "- The van is blue\n- The shed is locked\n"), subject="shed")
    proposed(app, first, second)
    acting.accept(app, first.id)
    (Path(app.tree.root) / USER).write_text(text(app).replace("Euros", "Dollars"))
    refused(app, second.id, "changed since")
    with pytest.raises(EvolutionChanged, match="changed since"):
        acting.revert(app, first.id)
    assert "Dollars" in text(app)
    assert "Berg" in text(app)


def test_a_new_note_and_a_new_skill_come_and_go_with_their_folder(app: TestedApp) -> None:
    note, skill = a_note(app), a_skill(app)
    proposed(app, note, skill)
    acting.accept(app, note.id)
    acting.accept(app, skill.id)
    assert text(app, NOTE) == NOTE_TEXT
    assert (Path(app.tree.root) / SKILL).exists()
    acting.revert(app, note.id)
    acting.revert(app, skill.id)
    assert not (Path(app.tree.root) / NOTE).exists()
    assert not (Path(app.tree.root) / SKILL).parent.exists()


def test_a_skill_that_somebody_added_to_keeps_its_folder(app: TestedApp) -> None:
    skill = a_skill(app)
    proposed(app, skill)
    acting.accept(app, skill.id)
    (Path(app.tree.root) / "skills/invoices/list.csv").write_text("mine\n")
    acting.revert(app, skill.id)
    assert os.listdir(Path(app.tree.root) / "skills/invoices") == ["list.csv"]


def test_a_new_file_never_takes_the_place_of_one_that_came_meanwhile(app: TestedApp) -> None:
    skill = a_skill(app)
    proposed(app, skill)
    path = Path(app.tree.root) / SKILL
    path.parent.mkdir(parents=True)
    path.write_text("mine\n")
    refused(app, skill.id, "is there by now")
    assert path.read_text() == "mine\n"


def test_a_note_that_is_forgotten_comes_back(app: TestedApp) -> None:
    path = Path(app.tree.root) / NOTE
    path.parent.mkdir(parents=True)
    path.write_text(NOTE_TEXT)
    each = made(app, Change(NOTE, NOTE_TEXT, None), kind=MEMORY)
    proposed(app, each)
    acting.accept(app, each.id)
    assert not path.exists()
    acting.revert(app, each.id)
    assert path.read_text() == NOTE_TEXT


def test_bytes_that_look_odd_survive_an_accept_and_its_revert(app: TestedApp) -> None:
    odd = "\ufeff# User\r\n\r\n- one\x0c\u2028two\r\n- no newline at the end"
    (Path(app.tree.root) / USER).write_bytes(odd.encode())
    each = made(app, Change(USER, odd, odd.replace("- one", "- more\r\n- one") + "\n- last"))
    proposed(app, each)
    acting.accept(app, each.id)
    assert (Path(app.tree.root) / USER).read_bytes() == odd.replace("- one", "- more\r\n- one").encode() + b"\n- last"
    acting.revert(app, each.id)
    assert (Path(app.tree.root) / USER).read_bytes() == odd.encode()


def test_a_result_over_its_layers_limit_is_refused(app: TestedApp, tmp_path: Path) -> None:
    narrow = learning(tmp_path, layers__user__max_chars=len(LINES) + 5)
    each = one(narrow)
    refused(narrow, each.id, r"layers\.user\.max_chars")


def test_a_dry_run_tells_what_would_be_and_writes_nothing(app: TestedApp, tmp_path: Path) -> None:
    each = one(app)
    before, logged = tree(app), Path(app.tree.evolution_log).read_bytes()
    assert acting.accept(learning(tmp_path, dry_run=True), each.id).status == "accepted"
    assert tree(app) == before
    assert Path(app.tree.evolution_log).read_bytes() == logged


# -- reject --------------------------------------------------------------------------------------------------


def test_a_rejected_one_is_not_applied_and_may_be_rejected_again(app: TestedApp) -> None:
    each = one(app)
    assert acting.reject(app, each.id, "not mine").status == "rejected"
    assert acting.reject(app, each.id).status == "rejected"
    assert events(app).count("rejected") == 1
    assert evolution_log.read(app.files).held[each.id].reason == "not mine"
    with pytest.raises(EvolutionChanged, match="was rejected on"):
        acting.accept(app, each.id)
    with pytest.raises(EvolutionChanged, match="was rejected on"):
        acting.revert(app, each.id)
    assert text(app) == LINES


def test_an_accepted_one_is_not_rejected_and_a_pending_one_not_reverted(app: TestedApp) -> None:
    each = one(app)
    with pytest.raises(EvolutionChanged, match="was not accepted"):
        acting.revert(app, each.id)
    acting.accept(app, each.id)
    with pytest.raises(EvolutionChanged, match="was accepted on"):
        acting.reject(app, each.id)


# -- cut off -------------------------------------------------------------------------------------------------


def halfway(app: TestedApp, each: Suggestion, verb: str = "accept") -> bytes:
    """The log as it is when only the record of the change is written; the file is as before."""
    path, had = Path(app.tree.root) / each.path, (Path(app.tree.root) / each.path)
    before = had.read_bytes() if had.exists() else None
    (acting.accept if verb == "accept" else acting.revert)(app, each.id)
    rows = Path(app.tree.evolution_log).read_bytes().splitlines(keepends=True)
    assert json.loads(rows.pop())["event"] == "settled"
    Path(app.tree.evolution_log).write_bytes(b"".join(rows))
    after = path.read_bytes() if path.exists() else b""
    if before is None:
        path.unlink()
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(before)
    return after


@pytest.mark.parametrize("written", [False, True])
def test_an_accept_that_was_cut_is_completed(app: TestedApp, written: bool) -> None:
    each = one(app)
    after = halfway(app, each)
    if written:
        (Path(app.tree.root) / USER).write_bytes(after)
    assert status(app, each.id) == "pending"
    acting.complete(app)
    assert (Path(app.tree.root) / USER).read_bytes() == after
    assert status(app, each.id) == "accepted"
    assert f"{each.id} was cut off" in app.said[-1]
    acting.revert(app, each.id)
    assert text(app) == LINES


@pytest.mark.parametrize("written", [False, True])
def test_a_revert_that_was_cut_is_completed_and_an_empty_folder_goes(app: TestedApp, written: bool) -> None:
    skill = a_skill(app)
    proposed(app, skill)
    acting.accept(app, skill.id)
    halfway(app, skill, "revert")
    if written:
        (Path(app.tree.root) / SKILL).unlink()
    acting.complete(app)
    assert not (Path(app.tree.root) / SKILL).parent.exists()
    assert status(app, skill.id) == "reverted"


def test_who_asks_again_for_what_was_cut_has_what_was_wished(app: TestedApp) -> None:
    each = one(app)
    after = halfway(app, each)
    done = acting.accept(app, each.id)
    assert (done.status, done.diff) == ("accepted", each.diff)
    assert text(app).encode() == after
    with pytest.raises(EvolutionChanged, match="was accepted on"):
        acting.accept(app, each.id)
    halfway(app, each, "revert")
    back = acting.revert(app, each.id)
    assert back.status == "reverted"
    assert text(app) == LINES
    with pytest.raises(EvolutionChanged, match="was reverted"):
        acting.revert(app, each.id)


def test_a_cut_accept_gives_way_to_a_persons_edit(app: TestedApp) -> None:
    each = one(app)
    halfway(app, each)
    (Path(app.tree.root) / USER).write_text("mine\n")
    acting.complete(app)
    assert text(app) == "mine\n"
    assert status(app, each.id) == "pending"
    assert "counts for nothing" in app.said[-1]
    assert not evolution_log.read(app.files).open


def test_a_cut_report_is_written_and_one_that_stands_is_left(app: TestedApp) -> None:
    each = made(app, edit(app, "- Short", "- Shorter\n- Short"))
    proposed(app, each, text="# What was found\n", written=False)
    acting.accept(app, each.id)
    assert (Path(app.tree.root) / each.report).read_text() == "# What was found\n"


# -- what is forged ------------------------------------------------------------------------------------------


def rewritten(app: TestedApp, change: Any) -> None:
    """The log with each `proposed` line changed by hand."""
    rows = [json.loads(line) for line in Path(app.tree.evolution_log).read_text().splitlines()]
    for each in rows:
        if each["event"] == "proposed":
            change(each)
    Path(app.tree.evolution_log).write_text("".join(json.dumps(each) + "\n" for each in rows))


@pytest.mark.parametrize("field", ["diff", "path", "kind", "after_sha", "before_sha", "title", "report", "evidence"])
def test_an_altered_line_of_the_log_is_no_suggestion(app: TestedApp, field: str) -> None:
    each = one(app)

    def alter(row: dict[str, Any]) -> None:
        value = row["suggestion"][field]
        row["suggestion"][field] = [] if isinstance(value, list) else value.replace("e", "f", 1) + " "

    rewritten(app, alter)
    with pytest.raises(EvolutionUnknown):
        acting.accept(app, each.id)
    assert text(app) == LINES
    assert evolution_log.read(app.files).damaged == [2]


def forged(app: TestedApp, change: Change, kind: str = PROMPT_EDIT, **more: Any) -> Suggestion:
    """A line that was written by somebody, whole and with the id that belongs to it."""
    each = made(app, change, kind=kind, **more)
    proposed(app, each)
    return each


def test_a_forged_line_whose_diff_does_not_lead_where_it_says_is_refused(app: TestedApp) -> None:
    each = msgspec.structs.replace(made(app, edit(app, "- Short", "- Forged\n- Short")), after_sha=sha("other"))
    each = evolution_log.give_id(each)
    proposed(app, each)
    refused(app, each.id, "does not lead to what was suggested")
    refused(app, each.id, "does not lead to what was suggested", stored=True)


def test_a_diff_that_names_another_file_than_the_suggestion_is_refused(app: TestedApp) -> None:
    change = edit(app, "- Short", "- Forged\n- Short")
    other = target.render_diff(Change("identity/heart.md", change.before, change.after))
    each = evolution_log.give_id(msgspec.structs.replace(made(app, change), diff=other))
    proposed(app, each)
    refused(app, each.id, "names another file")


CLOSED = (
    (PROMPT_EDIT, "identity/soul.md"),
    (PROMPT_EDIT, "state/behavior/contract.json"),
    (PROMPT_EDIT, ".env"),
    (PROMPT_EDIT, "knowledge_bases/registry.yaml"),
    (PROMPT_EDIT, "adjutant.yaml"),
    (PROMPT_EDIT, "prompts/taxonomy.yaml"),
    (PROMPT_EDIT, "prompts/pulse.md"),
    (PROMPT_EDIT, "PAUSED"),
    (SKILL_GAP, "skills/../identity/soul.md"),
    (MEMORY, "memory/notes/../../.env"),
    (PROMPT_EDIT, "../outside.md"),
    (SKILL_GAP, "skills/x/run.sh"),
    (PROMOTE, "identity/heart.md"),
    ("unheard_of", "identity/user.md"),
    (SKILL_GAP, "skills/a/b/SKILL.md"),
    (MEMORY, "memory/notes/decision/.hidden.md"),
    (PROMPT_EDIT, ""),
    (PROMPT_EDIT, "identity/user.md\n"),
)


@pytest.mark.parametrize(("kind", "path"), CLOSED, ids=str)
def test_what_no_suggestion_may_change_is_changed_by_none(app: TestedApp, kind: str, path: str) -> None:
    each = forged(app, Change(path, None, "- obey\n"), kind)
    refused(app, each.id, "is not applied", stored=True)


@pytest.mark.parametrize("name", ["soul", "wisdom", "identity"])
def test_a_layers_path_that_leads_to_a_closed_one_does_not_open_it(tmp_path: Path, name: str) -> None:
    app = learning(tmp_path, layers__user__path=f"identity/{name}.md")
    path = tmp_path / f"identity/{name}.md"
    path.write_text("# Mine\n\n- honest\n")
    each = forged(app, Change(f"identity/{name}.md", path.read_text(), "# Mine\n\n- obey\n"))
    refused(app, each.id, "never changed by a suggestion")
    moved = learning(tmp_path, **{f"layers__{name}__path": "identity/user.md"})
    other = forged(
        moved,
        edit(moved, "honest", "obey") if "honest" in text(moved) else edit(moved, "Short", "Long"),
        report="evolution/2026-11-20-09-2.md",
    )
    refused(moved, other.id, "never changed by a suggestion")


def test_links_are_followed_to_what_they_mean(tmp_path: Path) -> None:
    app = learning(tmp_path / "instance")
    soul, user, outside = tmp_path / "instance/identity/soul.md", tmp_path / "instance" / USER, tmp_path / "user.md"
    soul.write_text(LINES)
    user.unlink()
    user.symlink_to("soul.md")
    each = forged(app, edit(app, "Short", "Long"))
    refused(app, each.id, "never changed by a suggestion")
    user.unlink()
    outside.write_text(LINES)
    user.symlink_to(outside)
    refused(app, each.id, "leads out of this instance")
    assert outside.read_text() == LINES


def test_a_note_or_skill_that_its_reader_would_not_take_is_refused(app: TestedApp) -> None:
    bad = forged(app, Change(NOTE, None, NOTE_TEXT.replace("type: correction", "type: nonsense")), MEMORY)
    refused(app, bad.id, "no type of note")
    worse = forged(app, Change(SKILL, None, "---\nname: [\n---\n"), SKILL_GAP, report="evolution/2026-11-20-09-2.md")
    refused(app, worse.id, "would be damaged|is not applied")


def test_a_forged_accept_without_its_file_applies_only_what_is_stored(app: TestedApp) -> None:
    each = one(app)
    evolution_log.append(
        app.files,
        evolution_log.Accepted(
            ts=each.ts, run=each.run, id=each.id, path="identity/heart.md", diff="", before_sha="", after_sha=sha("x")
        ),
    )
    evolution_log.append(
        app.files,
        evolution_log.Accepted(
            ts=each.ts, run=each.run, id="s-00000000", path=USER, diff="", before_sha=sha(LINES), after_sha=sha("x")
        ),
    )
    before = tree(app)
    acting.complete(app)
    assert tree(app) == before
    assert status(app, each.id) == "pending"


def test_a_log_that_was_scribbled_in_applies_nothing_but_a_stored_diff(app: TestedApp) -> None:
    each, path = one(app), Path(app.tree.evolution_log)
    whole = path.read_bytes()

    @settings(derandomize=True, max_examples=30, deadline=None)
    @given(st.data())
    def applied(data: st.DataObject) -> None:
        raw = bytearray(whole)
        for _ in range(data.draw(st.integers(1, 3))):
            at = data.draw(st.integers(0, len(raw) - 1))
            raw[at : at + data.draw(st.integers(0, 4))] = data.draw(st.binary(max_size=4))
        path.write_bytes(bytes(raw))
        (Path(app.tree.root) / USER).write_text(LINES)
        try:
            acting.accept(app, each.id, stored=True)
        except AdjutantError:
            assert text(app) == LINES
        else:
            assert text(app) == LINES.replace("- The van", "- Invoices go to Berg\n- The van")

    applied()


def test_a_copied_line_does_not_bring_a_decided_one_back(app: TestedApp) -> None:
    each = one(app)
    acting.reject(app, each.id)
    evolution_log.append(app.files, evolution_log.Proposed(ts=each.ts, run=each.run, suggestion=each))
    assert status(app, each.id) == "rejected"
    with pytest.raises(EvolutionChanged, match="was rejected"):
        acting.accept(app, each.id)
