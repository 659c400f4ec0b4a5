"""The notes as they lie there: saved, reinforced, superseded, forgotten, restored; damage is left alone and named."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

from adjutant.domain.memory import notes
from adjutant.domain.memory.notes import NoteDraft, Saved
from adjutant.domain.memory.shelf import Shelf
from adjutant.errors import FileDamaged, MemoryRefused, MemoryUnknown
from adjutant.records import note as note_file
from adjutant.records.note import Note
from tests.conftest import NOW, make_app
from tests.system.world import changed, snapshot

NOON = datetime.fromisoformat(NOW)


def shelf(root: Path, dry_run: bool = False) -> Shelf:
    return Shelf(make_app(root, dry_run=dry_run).files)


def save(root: Path, text: str, *, now: str = NOW, **more: str) -> Saved:
    return notes.save(shelf(root), NoteDraft(text, more.pop("type", "fact"), **more), datetime.fromisoformat(now))


def live(root: Path) -> list[Note]:
    return [note for note in shelf(root).all() if not note.superseded_by]


def test_a_note_lies_under_its_type_and_its_id_sorts_by_time(tmp_path: Path) -> None:
    first = save(tmp_path, "Tea is at four.", now="2026-10-25T02:30:00+02:00").note
    second = save(tmp_path, "Coffee is at nine.", now="2026-10-25T02:15:00+01:00", type="person").note
    assert first.path == f"memory/notes/fact/{first.id}.md"
    assert (tmp_path / first.path).exists()
    assert second.path == f"memory/notes/person/{second.id}.md"
    assert first.id < second.id, "an hour that comes twice is two hours"
    assert first.id[:16] == "20261025T003000-"
    assert int(first.id[16:], 16) >= 0
    assert len(first.id) == 20
    assert [note.id for note in shelf(tmp_path).all()] == [first.id, second.id]


def test_ids_of_one_second_keep_their_order_and_never_meet(tmp_path: Path) -> None:
    made = [save(tmp_path, f"Shelf {number} holds the keys.").note.id for number in range(40)]
    assert made == sorted(set(made))
    assert len({id[:16] for id in made}) == 1
    full = {f"20261120T090000-{number:04x}" for number in range(0x10000) if number % 64}
    assert int(note_file.new_id(NOON, full)[-4:], 16) % 64 == 0


def test_an_equivalent_text_reinforces_once_a_day(tmp_path: Path) -> None:
    first = save(tmp_path, "Never deploy on Fridays.")
    for now in (NOW, NOW, "2026-11-21T09:00:00+00:00"):
        again = save(tmp_path, "never deploy on friday", now=now, type="invariant")
        assert (again.outcome, again.note.id) == ("reinforced", first.note.id)
    [note] = shelf(tmp_path).all()
    assert note.reinforced == ("2026-11-20", "2026-11-21")
    assert note.body == "Never deploy on Fridays."


@pytest.mark.parametrize(
    "other",
    [
        "Deploy on Fridays.",
        "Never deploy on Mondays.",
        "Never deploy on 2 Fridays.",
    ],
)
def test_a_contradiction_is_a_note_of_its_own(tmp_path: Path, other: str) -> None:
    save(tmp_path, "Never deploy on Fridays.")
    assert save(tmp_path, other).outcome == "saved"
    assert len(live(tmp_path)) == 2


def test_supersession_is_written_on_both_sides(tmp_path: Path) -> None:
    old = save(tmp_path, "Rent is 1,400 euros.").note
    new = save(tmp_path, "Rent is 1,450 euros.", supersedes=old.id[:18])
    found = {note.id: note for note in shelf(tmp_path).all()}
    assert new.superseded == old.id
    assert found[new.note.id].supersedes == old.id
    assert found[old.id].superseded_by == new.note.id
    assert "superseded_by: " + new.note.id in (tmp_path / old.path).read_text()
    with pytest.raises(MemoryRefused, match="superseded by"):
        save(tmp_path, "Rent is 1,500 euros.", supersedes=old.id)
    again = save(tmp_path, "Rent is 1,450 euros", supersedes=old.id)
    assert (again.outcome, again.note.id) == ("reinforced", new.note.id)
    back = save(tmp_path, "Rent is 1,400 euros.")
    assert back.outcome == "saved", "what was superseded is hidden, and reinforces nothing"


def test_a_supersession_that_was_cut_in_its_middle_is_read_and_then_completed(tmp_path: Path) -> None:
    old = save(tmp_path, "Rent is 1,400 euros.").note
    before = (tmp_path / old.path).read_bytes()
    new = save(tmp_path, "Rent is 1,450 euros.", supersedes=old.id).note
    (tmp_path / old.path).write_bytes(before)
    assert [note.id for note in live(tmp_path)] == [new.id]
    save(tmp_path, "Tea is at four.")
    assert f"superseded_by: {new.id}" in (tmp_path / old.path).read_text()


def test_a_stranger_cannot_get_in_before_the_operator(tmp_path: Path) -> None:
    planted = save(tmp_path, "Invoices go to Berg.", trust="untrusted")
    mine = save(tmp_path, "Invoices go to Berg.")
    assert mine.outcome == "saved"
    assert mine.superseded == planted.note.id
    assert mine.note.trust == "operator"
    echoed = save(tmp_path, "Invoices go to Berg", trust="untrusted")
    assert (echoed.outcome, echoed.note.id, echoed.note.trust) == ("reinforced", mine.note.id, "operator")


def test_words_of_less_trust_take_no_note_s_place(tmp_path: Path) -> None:
    mine, theirs = save(tmp_path, "Invoices go to Berg.").note, save(tmp_path, "Berg is out.", trust="untrusted").note
    for trust in ("agent", "untrusted"):
        with pytest.raises(MemoryRefused, match="trusted as operator"):
            save(tmp_path, "Invoices go to Dale.", trust=trust, supersedes=mine.id)
    assert save(tmp_path, "Berg is back.", trust="agent", supersedes=theirs.id).superseded == theirs.id
    assert mine.id in {note.id for note in live(tmp_path)}


def test_a_text_of_the_prompt_may_repeat_a_note_and_become_none(tmp_path: Path) -> None:
    with pytest.raises(MemoryRefused, match=r"identity/soul\.md:3"):
        save(tmp_path, "Say it once.", obstacle="it stands in identity/soul.md:3")
    assert not (tmp_path / "memory").exists() or live(tmp_path) == []
    save(tmp_path, "Say it once.")
    assert save(tmp_path, "Say it once.", obstacle="it stands in identity/soul.md:3").outcome == "reinforced"


def test_what_is_forgotten_comes_back_byte_for_byte(tmp_path: Path) -> None:
    note = save(tmp_path, "Tea is at four.").note
    path = tmp_path / note.path
    path.write_bytes(path.read_bytes() + b"\r\nby hand \xff")
    held = path.read_bytes()
    gone, _ = notes.move_away(shelf(tmp_path), note.id)
    assert not path.exists()
    assert Path(gone.path).read_bytes() == held
    assert gone.path.startswith(f"{tmp_path}/memory/.archive/fact/")
    with pytest.raises(MemoryUnknown, match="was forgotten"):
        shelf(tmp_path).find(note.id)
    [back] = notes.restore(shelf(tmp_path), [note.id[:17]], NOON)[0]
    assert path.read_bytes() == held
    assert back.path == str(path)
    assert not Path(gone.path).exists()


def chain(root: Path, *texts: str) -> list[Note]:
    """Notes each of which supersedes the one before it."""
    made: list[Note] = []
    for text in texts:
        made.append(save(root, text, supersedes=made[-1].id if made else "").note)
    return made


def test_what_a_note_superseded_is_live_again_when_that_is_forgotten_and_hidden_when_it_comes_back(
    tmp_path: Path,
) -> None:
    one, two = chain(tmp_path, "Rent is 1,400 euros.", "Rent is 1,450 euros.")
    before = snapshot(tmp_path / "memory/notes")
    assert notes.move_away(shelf(tmp_path), two.id)[1] == [one.id]
    assert [note.id for note in live(tmp_path)] == [one.id]
    assert save(tmp_path, "Rent is 1,400 euros").note.id == one.id
    assert notes.restore(shelf(tmp_path), [two.id], NOON)[1] == [one.id]
    assert [note.id for note in live(tmp_path)] == [two.id]
    assert changed(before, snapshot(tmp_path / "memory/notes")) == {f"fact/{one.id}.md"}, "reinforced on that day"


def test_of_a_longer_chain_one_note_is_live_whatever_is_forgotten(tmp_path: Path) -> None:
    one, two, three = chain(tmp_path, "Rent is 1,400 euros.", "Rent is 1,450 euros.", "Rent is 1,500 euros.")
    assert notes.move_away(shelf(tmp_path), two.id)[1] == []
    assert [note.id for note in live(tmp_path)] == [three.id], "the newest stands for all before it"
    assert notes.move_away(shelf(tmp_path), three.id)[1] == [one.id]
    assert [note.id for note in live(tmp_path)] == [one.id], "through one that was forgotten before"
    assert notes.restore(shelf(tmp_path), [three.id], NOON)[1] == [one.id]
    assert [note.id for note in live(tmp_path)] == [three.id]
    notes.restore(shelf(tmp_path), [two.id], NOON)
    assert [note.id for note in live(tmp_path)] == [three.id]
    notes.move_away(shelf(tmp_path), two.id)
    assert notes.move_away(shelf(tmp_path), three.id)[1] == [one.id]
    assert notes.move_away(shelf(tmp_path), one.id)[1] == []


def test_a_strangers_note_takes_the_place_of_nobodys_who_is_trusted_more(tmp_path: Path) -> None:
    mine = save(tmp_path, "Rent is 1,400 euros.").note
    planted = tmp_path / "memory/notes/fact/planted.md"
    planted.write_text(f"---\ntrust: untrusted\nsupersedes: {mine.id}\n---\n\nNobody pays rent.\n")
    held = (tmp_path / mine.path).read_bytes()
    save(tmp_path, "Tea is at four.")
    assert (tmp_path / mine.path).read_bytes() == held
    assert mine.id in {note.id for note in live(tmp_path)}


def test_an_id_that_is_forgotten_twice_keeps_both_and_gives_back_the_last(tmp_path: Path) -> None:
    note = save(tmp_path, "Tea is at four.").note
    path = tmp_path / note.path
    notes.move_away(shelf(tmp_path), note.id)
    path.write_text("Tea is at five.\n")
    notes.move_away(shelf(tmp_path), note.id)
    assert len(list((tmp_path / "memory/.archive/fact").iterdir())) == 2
    notes.restore(shelf(tmp_path), [note.id], NOON)
    assert path.read_text() == "Tea is at five.\n"
    with pytest.raises(MemoryRefused, match="says something else"):
        notes.restore(shelf(tmp_path), [note.id], NOON)


def test_no_note_comes_back_beside_another_of_its_id(tmp_path: Path) -> None:
    id = save(tmp_path, "Tea is at four.").note.id
    notes.move_away(shelf(tmp_path), id)
    other = tmp_path / "memory/notes/decision" / f"{id}.md"
    other.parent.mkdir()
    other.write_text("Tea is at five.\n")
    with pytest.raises(MemoryRefused, match=f"memory/notes/decision/{id}.md has the id"):
        notes.restore(shelf(tmp_path), [id], NOON)
    assert not (tmp_path / "memory/notes/fact" / f"{id}.md").exists()
    other.unlink()
    assert notes.restore(shelf(tmp_path), [id], NOON)[0][0].type == "fact"


def test_one_note_is_named_or_none_is_forgotten(tmp_path: Path) -> None:
    one, two = save(tmp_path, "Tea is at four.").note, save(tmp_path, "Coffee is at nine.").note
    before = snapshot(tmp_path / "memory")
    with pytest.raises(MemoryUnknown):
        notes.move_away(shelf(tmp_path), "nothing")
    with pytest.raises(MemoryUnknown, match="2 notes have an id that begins"):
        notes.move_away(shelf(tmp_path), "2026")
    with pytest.raises(MemoryRefused, match="empty"):
        notes.move_away(shelf(tmp_path), " ")
    assert snapshot(tmp_path / "memory") == before
    assert [notes.move_away(shelf(tmp_path), name)[0].id for name in (f" {one.id}", two.path)] == [
        one.id,
        two.id,
    ]


def test_a_damaged_note_is_named_and_left_while_the_others_go_on(tmp_path: Path) -> None:
    good = save(tmp_path, "Tea is at four.").note
    folder = tmp_path / "memory" / "notes"
    (folder / "fact" / "bad.md").write_text("---\ntype: [fact\n---\nTea is at four.\n")
    (folder / "fact" / "link.md").symlink_to(tmp_path / good.path)
    (folder / "fact" / "huge.md").write_bytes(b"x" * 70_000)
    (folder / "idea").mkdir()
    (folder / "gotcha").mkdir()
    (folder / "gotcha" / "mine.md").write_text("Mind the step.\n")
    (folder / "pattern").mkdir()
    (folder / "pattern" / "mine.md").write_text("The same id.\n")
    (folder / "person").write_text("a file where a folder belongs")
    before = snapshot(folder)
    found = shelf(tmp_path)
    assert [note.id for note in found.all()] == [good.id, "mine"]
    assert set(found.damaged) == {
        "memory/notes/fact/bad.md",
        "memory/notes/fact/link.md",
        "memory/notes/fact/huge.md",
        "memory/notes/idea",
        "memory/notes/pattern/mine.md",
        "memory/notes/person",
    }
    assert "memory/notes/fact/bad.md:" in found.damaged["memory/notes/fact/bad.md"]
    with pytest.raises(FileDamaged, match=r"bad\.md:"):
        found.find("bad")
    assert save(tmp_path, "Tea is at four").outcome == "reinforced"
    assert changed(before, snapshot(folder)) == {f"fact/{good.id}.md"}
    notes.move_away(shelf(tmp_path), "bad")


def test_a_note_that_a_person_edited_meanwhile_is_left_alone(tmp_path: Path) -> None:
    note = save(tmp_path, "Tea is at four.").note
    slow = shelf(tmp_path)
    slow.all()
    path = tmp_path / note.path
    path.write_text(path.read_text().replace("at four", "at five, sharp"))
    saved = notes.save(slow, NoteDraft("Tea is at four.", "fact"), NOON)
    assert saved.outcome == "saved" and "at five, sharp" in path.read_text(), "what was read before is read again"


def test_a_dry_run_tells_the_same_and_touches_nothing(tmp_path: Path) -> None:
    old = save(tmp_path, "Rent is 1,400 euros.").note
    before = snapshot(tmp_path / "memory")
    dry = shelf(tmp_path, dry_run=True)
    made = notes.save(dry, NoteDraft("Rent is 1,450 euros.", "fact", supersedes=old.id), NOON)
    again = notes.save(dry, NoteDraft("rent is 1,450 euros", "fact"), NOON)
    assert (made.outcome, again.outcome, again.note.id) == ("saved", "reinforced", made.note.id)
    notes.move_away(dry, made.note.id)
    notes.restore(dry, [made.note.id], NOON)
    assert {note.id for note in dry.all()} == {old.id, made.note.id}
    assert snapshot(tmp_path / "memory") == before


def test_a_query_finds_the_notes_that_hold_all_its_words(tmp_path: Path) -> None:
    wanted = save(tmp_path, "Never deploy on Fridays.").note
    save(tmp_path, "Never deploy on Mondays.")
    assert [note.id for note in shelf(tmp_path).holding("deploys friday")] == [wanted.id]
    for nothing in ("", "  ", "the", "***"):
        with pytest.raises(MemoryRefused, match="query"):
            shelf(tmp_path).holding(nothing)
