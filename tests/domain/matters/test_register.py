"""Which matter is which: an id stays with its matter through edits, moves and years, and is never another's."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from adjutant.domain.matters import register
from adjutant.domain.matters.picture import Open
from adjutant.records import matters_log
from tests.picturing import Vault, made

RENT = "- [ ] Pay the rent of the workshop by 25 November"
SWEEP = "- [ ] Ring the chimney sweep about the flue by 26 November"


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return Vault(tmp_path / "mine", "home", "shop")


def events(vault: Vault) -> list[tuple[str, str]]:
    """(event, state) of the register, oldest first."""
    path = vault.root / "state" / "matters.jsonl"
    records = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    return [(record["event"], record.get("state", "")) for record in records]


def ended(vault: Vault, day: int) -> dict[str, tuple[str, str]]:
    """{what: (how it ended, where that stands)} as that day's look says it."""
    return {each.what: (each.state, each.place) for each in vault.look(day).closed}


# -- the same matter -----------------------------------------------------------------------------------------


def test_a_line_keeps_its_id_wherever_it_stands_in_its_file(vault: Vault) -> None:
    vault.write("home/tasks.md", f"# Tasks\n\n{RENT}\n{SWEEP}\n")
    before = vault.ids()
    vault.write("home/tasks.md", f"# Tasks\n\nA new paragraph.\n\n{SWEEP}\n{RENT}\n")
    assert vault.ids(1) == before
    assert len(set(before.values())) == 2
    assert [event for event, _ in events(vault)] == ["seen", "seen"], "where a line stands is no news"


def test_a_line_put_in_other_words_keeps_its_id(vault: Vault) -> None:
    vault.write("home/tasks.md", f"# Tasks\n\n{SWEEP}\n{RENT}\n")
    ((_, sweep), (_, rent)) = sorted((what, id) for what, id in vault.ids().items() if id)[::-1]
    vault.write("home/tasks.md", "# Tasks\n\n- [ ] Ring the chimney sweep about the old flue by 30 November\n")
    assert list(vault.ids(1).values()) == [sweep]
    assert rent != sweep
    assert vault.known()[sweep].last == "2026-11-30"


def test_other_words_under_another_heading_or_in_another_file_are_another_matter(vault: Vault) -> None:
    vault.write("home/tasks.md", f"# Tasks\n\n{SWEEP}\n")
    (before,) = vault.ids().values()
    for path, text in (("home/tasks.md", "# Roof"), ("home/other.md", "# Tasks")):
        vault.write("home/tasks.md", "# Tasks\n\nNothing.\n")
        vault.write(path, f"{text}\n\n- [ ] Ring the chimney sweep about the old flue\n")
        assert before not in vault.ids(1).values()


def test_a_line_with_few_of_the_old_words_is_another_matter(vault: Vault) -> None:
    vault.write("home/tasks.md", f"# Tasks\n\n{SWEEP}\n")
    (before,) = vault.ids().values()
    vault.write("home/tasks.md", "# Tasks\n\n- [ ] Ring the roofer about the gutter\n")
    (after,) = vault.ids(1).values()
    assert after != before
    assert vault.known()[before].state == "gone"


def test_a_file_that_moved_takes_its_matters_with_their_ids_along(vault: Vault) -> None:
    vault.write("home/tasks.md", f"# Tasks\n\n{RENT}\n{SWEEP}\n")
    before = vault.ids()
    (vault.root / "home" / "tasks.md").unlink()
    vault.look(1)
    vault.write("home/2026/november.md", f"# November\n\n{RENT}\n{SWEEP}\n")
    assert vault.ids(2) == before
    assert {each.first_seen[:10] for each in vault.look(2).matters} == {"2026-11-23"}


def test_a_line_that_comes_back_keeps_its_id(vault: Vault) -> None:
    vault.write("home/tasks.md", f"# Tasks\n\n{RENT}\n")
    before = vault.ids()
    vault.write("home/tasks.md", "# Tasks\n\nNothing.\n")
    assert ended(vault, 1) == {"Pay the rent of the workshop by 25 November": ("gone", "")}
    vault.write("home/tasks.md", f"# Tasks\n\n{RENT}\n")
    assert vault.ids(2) == before
    assert events(vault) == [("seen", ""), ("settled", "gone"), ("seen", "")]
    (known,) = vault.known().values()
    assert (known.state, known.first_seen[:10]) == ("open", "2026-11-23")


def test_a_line_that_stands_twice_is_one_matter_and_two_days_of_the_same_words_are_two(vault: Vault) -> None:
    physio = "- Physio Wed 25 Nov 9:00\n- Physio Thu 26 Nov 9:00\n"
    vault.write(
        "home/tasks.md", f"# Tasks\n\n## Upstairs\n\n{RENT}\n\n## Downstairs\n\n{RENT}\n\n## Calendar\n\n{physio}"
    )
    first = {(each.what, each.first): each.id for each in vault.look().matters}
    assert len(first) == 3 == len(set(first.values()))
    assert {(each.what, each.first): each.id for each in vault.look(1).matters} == first
    assert [event for event, _ in events(vault)] == ["seen"] * 3
    vault.write("home/tasks.md", f"# Tasks\n\n## Downstairs\n\n{RENT}\n\n## Calendar\n\n- Physio Thu 26 Nov 9:00\n")
    assert {(each.what, each.first): each.id for each in vault.look(1).matters}.items() <= first.items()
    assert events(vault)[3:] == [("changed", ""), ("settled", "gone")], "what stands is told by its other line now"


def test_a_row_keeps_its_id_while_its_status_changes_and_is_settled_by_it(vault: Vault) -> None:
    def bills(status: str) -> None:
        rows = "gas,2026-10-25,paid\nwater,2026-09-25,paid\n"
        vault.write("home/bills.csv", f"bill,due,status\n{rows}telephone line,2026-11-25,{status}\n")

    bills("open")
    (before,) = vault.ids().values()
    bills("waiting for a copy")
    assert list(vault.ids(1).values()) == [before]
    bills("paid")
    ((what, (state, place)),) = ended(vault, 2).items()
    assert "telephone" in what
    assert (state, place) == ("done", "bills.csv:4")
    assert vault.known()[before].state == "done"


# -- how it ended --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("after", "state", "place"),
    [
        (RENT.replace("[ ]", "[x]"), "done", "tasks.md:3"),
        (RENT.replace("[ ]", "[-]"), "dropped", "tasks.md:3"),
        (f"- [ ] ~~{RENT[6:]}~~", "done", "tasks.md:3"),
        ("- [x] Pay the rent of the workshop by 25 November (by transfer)", "done", "tasks.md:3"),
        ("Nothing.", "gone", ""),
        ("- [x] Pay the piano teacher", "gone", ""),
    ],
)
def test_what_is_ticked_is_done_what_is_struck_is_dropped_and_what_vanished_is_gone(
    vault: Vault, after: str, state: str, place: str
) -> None:
    vault.write("home/tasks.md", f"# Tasks\n\n{RENT}\n")
    vault.look()
    vault.write("home/tasks.md", f"# Tasks\n\n{after}\n")
    assert ended(vault, 1) == {"Pay the rent of the workshop by 25 November": (state, place)}
    assert [known.state for known in vault.known().values()] == [state]
    assert vault.look(2).closed == [], "said once"


def test_among_many_closed_lines_the_one_that_ended_a_matter_is_found(vault: Vault) -> None:
    vault.write("home/tasks.md", f"# Tasks\n\n{RENT}\n")
    vault.look()
    others = "".join(f"- [x] Pay the rent of garage number {number}\n" for number in range(200))
    vault.write("home/tasks.md", f"# Tasks\n\n{others}- [x] {RENT[6:]}\n")
    assert ended(vault, 1) == {"Pay the rent of the workshop by 25 November": ("done", "tasks.md:203")}


def test_nothing_in_one_knowledge_base_settles_renames_or_ends_what_is_in_another(vault: Vault) -> None:
    vault.write("home/tasks.md", f"# Tasks\n\n{RENT}\n")
    before = vault.ids()
    vault.write("shop/tasks.md", f"# Tasks\n\n{RENT}\n{SWEEP.replace('[ ]', '[x]')}\n")
    both = {each.kb: each.id for each in vault.look(1).matters}
    assert both["home"] in before.values()
    assert both["shop"] != both["home"]
    vault.write("shop/tasks.md", f"# Tasks\n\n{RENT.replace('[ ]', '[x]')}\n")
    picture = vault.look(2)
    assert [(each.kb, each.id) for each in picture.matters] == [("home", both["home"])]
    assert [(each.kb, each.state) for each in picture.closed] == [("shop", "done")]
    vault.write("home/tasks.md", "# Tasks\n\nNothing.\n")
    assert [(each.kb, each.state) for each in vault.look(3).closed] == [("home", "gone")]


# -- ids -----------------------------------------------------------------------------------------------------


def many(count: int) -> list[Open]:
    """Matters of as many different words."""
    letters = [chr(ord("a") + number) for number in range(26)]
    words = [f"{one}{two}{three}x" for one in letters for two in letters for three in letters]
    return [made(f"Order {word}", id="") for word in words[:count]]


def test_ids_begin_with_a_letter_and_hold_a_digit_and_most_have_four_characters() -> None:
    found, taken = many(6000), set[str]()
    register.identify({}, "home", found, taken)
    ids = [each.id for each in found]
    assert len(set(ids)) == 6000
    assert set(ids) == taken
    assert all(id[0].isalpha() and any(char.isdigit() for char in id) and id == id.lower() for id in ids)
    assert all(set(id) <= set("abcdefghijklmnopqrstuvwxyz234567") for id in ids)
    assert sum(len(id) == 4 for id in ids) > 5900
    assert max(map(len, ids)) <= 6


def test_a_clash_gives_a_longer_id_and_leaves_the_other_alone() -> None:
    one, two, three = made(id=""), made(id=""), made(id="")
    register.identify({}, "home", [one], set())
    taken = {one.id}
    register.identify({}, "home", [two], taken)
    assert len(one.id) == 4
    assert len(two.id) == 5
    assert taken == {one.id, two.id}
    register.identify({}, "home", [three], taken)
    assert len({one.id, two.id, three.id}) == 3


def test_many_of_the_same_words_keep_short_ids() -> None:
    taken: set[str] = set()
    for number in range(30):
        register.identify({}, "home", [made(f"Pay bill {number}", id="")], taken)
    assert max(map(len, taken)) == 5


def test_a_line_moved_on_one_day_keeps_its_id(vault: Vault) -> None:
    vault.write("home/inbox.md", f"{RENT}\n{SWEEP}\n")
    before = vault.ids()
    vault.write("home/inbox.md", f"{SWEEP}\n")
    vault.write("home/workshop.md", f"# Workshop\n\n{RENT}\n")
    assert vault.ids(1) == before


def test_an_id_depends_on_its_words_and_knowledge_base_and_on_no_date() -> None:
    def id(kb: str, what: str) -> str:
        each = made(what, id="")
        register.identify({}, kb, [each], set())
        return each.id

    rent = id("home", "Pay the rent by 25 November")
    assert rent == id("home", "Pay the rent by 9 December") == id("home", "- Pay the rents, 2026-12-01")
    assert rent not in (id("shop", "Pay the rent by 25 November"), id("home", "Pay the tax by 25 November"))
    assert id("home", "!?")
    assert id("home", "!?") != id("home", "?!")


def test_thousands_of_like_lines_get_their_ids_in_time() -> None:
    began, found = time.process_time(), [made(id="") for _ in range(3000)]
    register.identify({}, "home", found, set())
    assert len({each.id for each in found}) == 3000
    assert time.process_time() - began < 3


# -- the file ------------------------------------------------------------------------------------------------


def test_a_long_heading_does_not_swell_the_register(vault: Vault) -> None:
    vault.write("home/tasks.md", f"# {'Rent ' * 6000}\n\n{RENT}\n{SWEEP}\n")
    vault.look()
    assert (vault.root / "state" / "matters.jsonl").stat().st_size < 4000


def test_losing_the_register_costs_first_seen_and_nothing_else(vault: Vault) -> None:
    vault.write("home/tasks.md", f"# Tasks\n\n{RENT}\n{SWEEP}\n")
    before = vault.look().matters
    vault.tell(before[0].id)
    vault.mark(before[1].id, "done")
    (vault.root / "state" / "matters.jsonl").unlink()
    after = vault.look(1).matters
    assert [each.id for each in after] == [each.id for each in before]
    assert [bool(each.told) for each in after] == [True, False]
    assert [each.muted for each in after] == [
        "",
        "marked done",
    ]
    assert {each.first_seen for each in vault.look(2).matters} == {"2026-11-24T09:00:00+00:00"}


def rows(vault: Vault, lines: Sequence[str]) -> dict[str, matters_log.Known]:
    vault.write("state/matters.jsonl", "".join(f"{line}\n" for line in lines))
    return vault.known()


def test_a_line_of_the_register_that_is_no_event_is_passed_over(vault: Vault) -> None:
    vault.write("home/tasks.md", f"# Tasks\n\n{RENT}\n")
    ((_, id),) = vault.ids().items()
    seen = (vault.root / "state" / "matters.jsonl").read_text().strip()
    changed = {"ts": "2026-11-24T09:00:00+00:00", "id": id, "event": "changed", "run": "r", "severity": "critical"}
    for bad in (
        "[1]",
        "not json",
        "{}",
        json.dumps({**changed, "ts": "yesterday"}),
        json.dumps({**changed, "ts": "2026-11-24T09:00:00"}),
        json.dumps({**changed, "id": "zzz9"}),
        json.dumps({**changed, "event": "ordered"}),
        json.dumps({**changed, "severity": ["critical"]}),
        json.dumps({**json.loads(seen), "line": "three", "what": None}),
    ):
        assert rows(vault, [seen, bad])[id].severity == "high", bad
    assert rows(vault, [seen, json.dumps(changed)])[id].severity == "critical"
