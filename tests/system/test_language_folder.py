"""A made-up language that is only a folder of lists in an instance is known to compact: its labels alone."""

from __future__ import annotations

import shutil

import pytest

from tests.system.world import World

WORDS = """
name: Xish
stop: [la, kaj, mi, ni, ili, sed, por, kun]
everyday: [bona, tago]
negators: [ne]
"""
DATES = """
months: {unuembro: 1, dekembrato: 12}
weekdays: {lundomo: 0, mardomo: 1}
written: [unu., du., tri., kva., kvi., ses., sep., ok., nau., dek., dku., ddu.]
"""
PERIODS = """
labels:
  decisions: [decido]
  lessons: [leciono]
  done: [farita]
"""
DAYS = {
    "2026-10-12": "Decido: la ponto estas blua\n- [ ] pagi la fakturon por la ponto",
    "2026-10-13": "Leciono: pesu la farunon antau la bako\n- Pagi la fakturon por la ponto – farita",
    "2026-10-14": "[ ] voki la veliston\n- La kato dormis sub la granda tablo",
}


@pytest.fixture
def spoken(empty: World) -> World:
    for name, text in (("words", WORDS), ("dates", DATES), ("periods", PERIODS)):
        empty.write(f"prompts/words/xx/{name}.yaml", text)
    for day, text in DAYS.items():
        empty.write(f"journal/{day}.md", f"## 09:00 La domo\n\n- {text}\n- Purigis la grandan kornelon kun akvo\n")
    return empty


def section(world: World, path: str, name: str) -> list[str]:
    """The bullets under a heading, without where they are from."""
    text = (world.root / path).read_text().partition(f"## {name}\n")[2].partition("\n## ")[0]
    return [line[2:].partition(" [")[0] for line in text.split("\n") if line.startswith("- ")]


WEEK = "memory/weekly/2026-W42.md"


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("Decisions", ["La ponto estas blua"]),
        ("Lessons", ["Pesu la farunon antau la bako"]),
        ("Patterns", ["Purigis la grandan kornelon kun akvo (3×: 2026-10-12, 13, 14)"]),
        ("Open threads", ["voki la veliston"]),
    ],
)
def test_compact_knows_the_labels_of_a_made_up_language(spoken: World, name: str, told: list[str]) -> None:
    spoken.run("compact", check=0)
    assert section(spoken, WEEK, name) == told


def test_a_made_up_label_ends_a_thread(spoken: World) -> None:
    spoken.run("compact", check=0)
    assert "✓ Pagi la fakturon por la ponto (2026-10-12, 13)" in section(spoken, WEEK, "Key events")


def test_without_its_folder_boxes_and_what_recurs_are_left(spoken: World) -> None:
    shutil.rmtree(spoken.root / "prompts/words/xx")
    spoken.run("compact", check=0)
    assert section(spoken, WEEK, "Decisions") == []
    assert section(spoken, WEEK, "Patterns") == ["Purigis la grandan kornelon kun akvo (3×: 2026-10-12, 13, 14)"]
    assert "voki la veliston" in section(spoken, WEEK, "Open threads")


def test_a_list_that_cannot_be_read_is_named(spoken: World) -> None:
    spoken.write("prompts/words/xx/periods.yaml", "labels: [\n")
    ran = spoken.run("compact", check=65)
    assert "prompts/words/xx/periods.yaml:" in ran.err
    assert "Traceback" not in ran.err


def test_a_template_that_cannot_be_read_is_named(spoken: World) -> None:
    spoken.write("prompts/words/xx/questions.yaml", 'rules: {a: "<a>"}\nwants: {date: ["<a>"]}\n')
    ran = spoken.run("ask", "what is open", check=65)
    assert "xx/questions.yaml: in `wants`: rules within rules without end: <a>" in ran.err
    assert "Traceback" not in ran.err
