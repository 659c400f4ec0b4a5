"""Plain sentences without a day, judged to say that something is open: when they are listed, and when not."""

from __future__ import annotations

from datetime import date

import pytest

from adjutant.domain.matters import scorer
from adjutant.domain.matters.picture import Open
from adjutant.domain.matters.relevance import Relevance
from adjutant.records.heart import Heart
from tests.noticing import TODAY, extraction, open_facts, still_open

HEART = Heart(["Bakery opening: oven, permit and bakers ready"], [], [])
OPEN = [
    "The oven trips the fuse whenever the mixer runs.",
    "The permit form still lacks the second signature of the landlord.",
    "Somebody has to measure the door before the oven can come in.",
]


def found(text: str, path: str = "2026-11-20.md") -> list[Open]:
    return [each for each in extraction({path: text}, HEART).opens if each.listed]


@pytest.mark.parametrize("line", OPEN)
def test_what_a_sentence_says_is_open_is_listed_and_never_told(line: str) -> None:
    (one,) = found(f"{line}\n")
    assert (one.what, one.severity, one.certain, one.tellable) == (line, "medium", False, False)


@pytest.mark.parametrize(
    "line",
    [
        "We had a nice lunch with the bakers by the river.",  # says nothing open
        "The gutter drips whenever it rains from the west.",  # nothing of the heart
        "Who measures the door before the oven can come in?",  # asks
        "Left for the oven to be repaired by somebody:",  # heads what follows
    ],
)
def test_what_says_nothing_open_is_not(line: str) -> None:
    assert not found(f"{line}\n")


@pytest.mark.parametrize("line", [OPEN[0], "The oven is still broken and nobody comes."])
@pytest.mark.parametrize(("path", "listed"), [("2026-11-09.md", 1), ("2026-11-08.md", 0)])
def test_it_is_news_for_a_fortnight_from_the_day_it_was_written(line: str, path: str, listed: int) -> None:
    assert len(found(f"{line}\n", path)) == listed


def test_without_a_day_of_writing_only_a_word_of_state_is_news() -> None:
    assert not found(f"{OPEN[0]}\n", "notes.md")
    assert found("The oven is still broken and nobody comes.\n", "notes.md")


def test_beside_a_matter_it_only_tells_more_of_it() -> None:
    (one,) = found(f"- [ ] Pay the deposit of the oven by Friday\n- {OPEN[2]}\n")
    assert one.kind == "task"


@pytest.mark.parametrize(
    "line",
    [
        "The oven of my grandmother was broken for years and the bakers sang anyway.",
        "The bakers were late and we missed half of the film, which nobody minded.",
        "Der Bäcker kam zu spät, und wir haben gelacht.",
    ],
)
def test_a_word_of_state_in_a_story_is_no_matter(line: str) -> None:
    assert not [each for each in open_facts(f"{line}\n", "2026-11-20.md") if each.basis == "word"]


def test_the_next_day_of_a_story_is_no_day() -> None:
    assert not [
        each for each in open_facts("The mule would not cross; the bridge fell in the next day.\n") if each.last
    ]


@pytest.mark.parametrize("day", ["2026-11-20", "2026-12-20"])
def test_a_file_from_the_future_is_as_old_as_its_text(day: str) -> None:
    (matter,) = still_open({"2026-11-22.md": "- [ ] Order the flour for the bakers\n"})
    values = scorer.features(matter, Relevance(HEART, "home"), TODAY, date.fromisoformat(day), 1)
    assert values["just written"]


@pytest.mark.parametrize(
    ("line", "last"),
    [
        ("w/c 23 Nov: fit the shower tray", "2026-11-29"),
        ("w/c 30 Nov: mend the shed roof", "2026-12-06"),
        ("Thu 26 Nov: fit the new lock", "2026-11-26"),
        ("26.11.: Öl für die Kette kaufen", "2026-11-26"),
        ("Thu 26 Nov: no rehearsal for us", ""),  # denied
        ("Mon 23 Nov: rained on the beans", ""),  # today's diary
        ("Urgent Care is on Thursday", ""),
    ],
)
def test_a_day_and_a_colon_head_what_is_planned(line: str, last: str) -> None:
    assert [str(each.last) for each in open_facts(f"{line}\n") if each.last] == [last] * bool(last)
