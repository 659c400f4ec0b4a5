"""Twenty days with a rule that recurs, a decision that is revised and a thread that stays open, through the shell."""

from __future__ import annotations

import re
from datetime import date, timedelta
from pathlib import Path

import pytest

from adjutant.records.period_file import bullets
from tests.system.world import World, once

BEGIN = date(2026, 9, 28)  # the Monday with which October begins
DAYS = [
    (BEGIN + timedelta(days=number)).isoformat()
    for number in range(26)
    if (BEGIN + timedelta(days=number)).weekday() < 5
]
RULE = "rinse the brass lanterns with rain water"
CHATTER = """
Counted visitors at the east quay: {0}.
The gulls tore up a bin behind the ticket booth, {1} bags in all.
Halfdan told the story of the fog bell to class {2}.
Lunch on the pier with the volunteers from Strand school, {3} of them.
New postcards in the shop, motif {4}.
The radio in the wheelhouse crackled until {5}.
Swept the engine room and oiled {6} hinges.
A reporter asked for the year of the boiler, found page {7}.
"""
SAID = {
    DAYS[1]: "Decision: the harbour tour starts at 10:00 from the east quay.",
    DAYS[2]: "- [ ] get the insurance papers of the ferry Solveig from Brenna",
    DAYS[3]: "- [ ] order ropes for the gangway",
    DAYS[5]: "- [x] order ropes for the gangway",
    DAYS[8]: "Correction: the ferry museum has 212 members, not 221.",
    DAYS[11]: "Decision: the harbour tour starts at 11:30 from the east quay.",
}
PULSE = "## 17:00 — Pulse\n\n- **harbour**: 1 issue, 0 new, nothing urgent; invoice 77 of Brenna is done\n"


def journal(number: int) -> str:
    """A chatty day: sixteen lines and, somewhere among them, the rule."""
    lines = [line.format(*(number * 31 + at * 7 + 11 for at in range(8))) for line in CHATTER.split("\n") if line]
    lines += [f"Also {line[0].lower()}{line[1:]}" for line in lines[::-1]]
    lines.insert(number % len(lines), f"{RULE.capitalize()}.")
    return "".join(f"- {line}\n" for line in lines)


def live(empty: World) -> None:
    for number, day in enumerate(DAYS):
        own = f"{SAID.get(day, '')}\n"
        empty.write(f"journal/{day}.md", f"## 09:00 Quay\n\n{journal(number)}\n## 15:00\n\n{own}\n{PULSE}")
    empty.run("compact", check=0)


@pytest.fixture
def lived(empty: World, kept: Path) -> World:
    return once(kept / "lived", empty, live)


def section(world: World, path: str, name: str) -> list[str]:
    return [each.text for each in bullets(world.text(path)) if each.section == name]


MONTH = "memory/monthly/2026-10.md"
TIMES = "(20×: 2026-09-28, 29, 30, 2026-10-01, 02, 05, 06, 07, 08, 09, 12, 13, 14, 15, 16, 19, 20, 21, 22, 23)"


def test_month_holds_the_recurring_rule(lived: World) -> None:
    [found] = [text for text in section(lived, MONTH, "Patterns") if RULE in text.lower()]
    assert found == f"{RULE.capitalize()}. {TIMES}"


def test_month_holds_the_newest_decision(lived: World) -> None:
    found = section(lived, MONTH, "Decisions")
    assert found == ["The harbour tour starts at 10:00 → 11:30 from the east quay. (2026-09-29, 2026-10-13)"]


def test_month_holds_the_thread_as_open(lived: World) -> None:
    found = section(lived, MONTH, "Open threads")
    assert found == ["get the insurance papers of the ferry Solveig from Brenna"]


def test_nothing_is_called_done_that_is_not(lived: World) -> None:
    ended = [line for line in lived.text(MONTH).split("\n") if "✓" in line or "done" in line]
    assert [line.partition(" [")[0] for line in ended] == ["- ✓ order ropes for the gangway (2026-10-01, 05)"]


def test_a_day_has_at_most_fifteen_lines(lived: World) -> None:
    for day in DAYS:
        assert len(bullets(lived.text(f"memory/daily/{day}.md"))) <= 15


def test_no_line_stands_twice_in_a_period(lived: World) -> None:
    for path in (lived.root / "memory").glob("*/*.md"):
        texts = [re.sub(r"\W+", " ", each.text.lower()) for each in bullets(path.read_text())]
        assert len(texts) == len(set(texts)), path


def test_a_month_is_shorter_than_its_weeks(lived: World) -> None:
    weeks = sum(len(path.read_text()) for path in (lived.root / "memory/weekly").glob("*.md"))
    assert len(lived.text(MONTH)) < weeks / 2


def test_machine_lines_reach_no_period(lived: World) -> None:
    assert not [path for path in (lived.root / "memory").glob("*/*.md") if "invoice 77" in path.read_text()]


# -- a language nobody has lists of ------------------------------------------------------------------------------

ODD_RULE = "Nolvi bresta lampon mirdo sula telvo"
ODD_CHATTER = "Kelmo {0} drivan peska\nMirto solna {1} gruven pal {2}\nVelka tronda bim {3} sorvel\nPlimo {4} ardu fesk"
ODD_SAID = {
    DAYS[1]: "Tarvel humo: 10:00",
    DAYS[2]: "- [ ] feska dronel Solveg Brenna",
    DAYS[3]: "- [ ] mirdo kapten skora",
    DAYS[5]: "- [x] mirdo kapten skora",
    DAYS[11]: "Tarvel humo: 11:30",
}


def live_oddly(empty: World) -> None:
    for number, day in enumerate(DAYS):
        lines = [line.format(*(number * 31 + at * 7 + 11 for at in range(5))) for line in ODD_CHATTER.split("\n")]
        lines.insert(number % 4, ODD_RULE)
        text = "".join(f"- {line}\n" for line in lines)
        empty.write(f"journal/{day}.md", f"## 09:00 Kvor\n\n{text}\n## 15:00\n\n{ODD_SAID.get(day, '')}\n\n{PULSE}")
    empty.run("compact", check=0)


@pytest.fixture
def odd(empty: World, kept: Path) -> World:
    return once(kept / "odd", empty, live_oddly)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        (
            "Patterns",
            f"{ODD_RULE} {TIMES}",
        ),
        ("Open threads", "feska dronel Solveg Brenna"),
        ("Key events", "Tarvel humo: 10:00 → 11:30 (2026-09-29, 2026-10-13)"),
        ("Key events", "✓ mirdo kapten skora (2026-10-01, 05)"),
    ],
)
def test_a_month_without_any_list_holds_what_structure_tells(odd: World, name: str, told: str) -> None:
    assert told in section(odd, MONTH, name)


def test_without_any_list_only_a_box_ends_a_thread(odd: World) -> None:
    assert odd.text(MONTH).count("✓") == 1


def test_without_any_list_forgetting_leaves_no_hit(odd: World) -> None:
    odd.run("memory", "save", f"{ODD_RULE}.", "--type", "invariant", check=0)
    odd.run("index", check=0)
    odd.run("memory", "forget", note(odd), check=0)
    assert holding(odd, "bresta") == []


# -- forgetting and correcting -----------------------------------------------------------------------------------


@pytest.fixture
def known(lived: World) -> World:
    """The rule is a note, a standing rule, talked of, indexed, and on record of a run as well."""
    lived.run("memory", "save", f"{RULE.capitalize()}.", "--type", "invariant", check=0)
    lived.run("ask", f"Why do we {RULE}?", check=0)
    lived.run("distill", check=0)
    lived.run("index", check=0)
    return lived


def note(world: World) -> str:
    return str(world.result("memory", "list")["notes"][0]["id"])


def holding(world: World, word: str) -> list[str]:
    """The files of the instance that hold a word, memory/.archive left out."""
    found = (path for path in world.root.rglob("*") if path.is_file() and ".archive" not in path.parts)
    return sorted(str(path.relative_to(world.root)) for path in found if word.encode() in path.read_bytes().lower())


def test_the_rule_is_everywhere_before_it_is_forgotten(known: World) -> None:
    folders = {path.rpartition("/")[0] for path in holding(known, "lantern")}
    assert folders >= {"journal", "memory/daily", "memory/weekly", "memory/monthly", "identity", "state/conversations"}


def test_forgetting_the_rule_leaves_no_hit(known: World) -> None:
    known.run("memory", "forget", note(known), check=0)
    assert holding(known, "lantern") == []
    assert known.result("search", "brass lanterns rain water")["hits"] == []
    assert "lantern" not in known.run("prompt", "show", "what about the lanterns?").out.replace("the lanterns?", "")
    known.run("compact", check=0)
    known.run("distill", check=0)
    assert [path for path in holding(known, "lantern") if not path.startswith("state/")] == []


# -- a rule that no note says ------------------------------------------------------------------------------------


def leave_unnoted(lived: World) -> None:
    for words in (("ask", f"Why do we {RULE}?"), ("distill",), ("index",)):
        lived.run(*words, check=0)


@pytest.fixture
def unnoted(lived: World, kept: Path) -> World:
    """The rule stands in the journal, a talk, the periods and the standing rules alone."""
    return once(kept / "unnoted", lived, leave_unnoted)


def test_a_query_shows_what_no_note_says(unnoted: World) -> None:
    found = unnoted.result("memory", "forget", "--query", "brass lanterns")
    places = {each["place"].partition(" ")[0].rpartition("/")[0] for each in found["said"]}
    assert places == {"", "memory/daily", "memory/weekly", "memory/monthly"}
    assert found["ids"] == []


def test_a_shown_query_forgets_nothing(unnoted: World) -> None:
    before = holding(unnoted, "lantern")
    unnoted.run("memory", "forget", "--query", "brass lanterns", check=0)
    assert holding(unnoted, "lantern") == before


def test_what_no_note_says_is_forgotten(unnoted: World) -> None:
    unnoted.run("memory", "forget", "--query", "brass lanterns", "--yes", check=0)
    unnoted.run("compact", check=0)
    unnoted.run("distill", check=0)
    assert holding(unnoted, "lantern") == []
    assert unnoted.result("search", "brass lanterns rain water")["hits"] == []


def test_what_no_note_says_comes_back(unnoted: World) -> None:
    before = [path for path in holding(unnoted, "lantern") if path.startswith("journal/")]
    (act,) = unnoted.result("memory", "forget", "--query", "brass lanterns", "--yes")["changes"]
    unnoted.run("memory", "restore", act, check=0)
    assert [path for path in holding(unnoted, "lantern") if path.startswith("journal/")] == before


def test_restore_names_what_no_note_said(unnoted: World) -> None:
    (act,) = unnoted.result("memory", "forget", "--query", "brass lanterns", "--yes")["changes"]
    assert act in unnoted.run("memory", "restore", "20250101T000000-beef", check=1).err


def test_forgetting_what_nothing_says_fails(unnoted: World) -> None:
    assert "nothing here holds" in unnoted.run("memory", "forget", "--query", "tin kettles", "--yes", check=1).err


def test_other_lines_stay_when_a_rule_goes(unnoted: World) -> None:
    before = holding(unnoted, "Solveig")
    unnoted.run("memory", "forget", "--query", "brass lanterns", "--yes", check=0)
    assert holding(unnoted, "Solveig") == before
