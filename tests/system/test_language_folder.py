"""A made-up language that is only a folder of lists in an instance is known to compact."""

from __future__ import annotations

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
  lessons: [leciono(j)?]
decided: {words: ['ni elektis']}
learned: {words: [lernita], patterns: ['^ciam .{5,60} antau\\b']}
open: {words: [atendas]}
done: {words: [venis]}
again: [ciufoje]
written: {open: malferma, done: farita, day: '{}-a'}
"""
DAYS = {
    "2026-10-12": "Decido: la ponto estas blua\n- Ni atendas la fakturo por la ponto",
    "2026-10-13": "Ciam pesu la farunon antau la bako\n- La fakturo por la ponto venis",
    "2026-10-14": "Ni elektis la verdan velon\n- La kato dormis",
}


@pytest.fixture
def spoken(empty: World) -> World:
    for name, text in (("words", WORDS), ("dates", DATES), ("periods", PERIODS), ("figures", "times: fojoj\n")):
        empty.write(f"prompts/words/xx/{name}.yaml", text)
    for day, text in DAYS.items():
        empty.write(f"journal/{day}.md", f"## 09:00 La domo\n\n- {text}\n- Purigis la grandan kornelon kun akvo\n")
    return empty


def section(world: World, path: str, name: str) -> list[str]:
    """The bullets under a heading, without where they are from."""
    text = (world.root / path).read_text().partition(f"## {name}\n")[2].partition("\n## ")[0]
    return [line[2:].partition(" [")[0] for line in text.split("\n") if line.startswith("- ")]


def test_compact_knows_the_labels_cues_and_words_of_a_made_up_language(spoken: World) -> None:
    spoken.run("compact", check=0)
    week = "memory/weekly/2026-W42.md"
    assert section(spoken, week, "Decisions") == ["La ponto estas blua", "Ni elektis la verdan velon"]
    assert section(spoken, week, "Lessons") == ["Ciam pesu la farunon antau la bako"]
    assert section(spoken, week, "Patterns") == [
        "Purigis la grandan kornelon kun akvo (3 fojoj: 12-a, 13-a, 14-a dek.)"
    ]
    assert section(spoken, week, "Open threads") == []
    (ended,) = (line for line in section(spoken, week, "Key events") if "venis" in line)
    assert ended.endswith("La fakturo por la ponto venis (malferma 12-a dek., farita 13-a dek.)")


def test_without_its_folder_it_is_only_news(spoken: World) -> None:
    (spoken.root / "prompts/words/xx/words.yaml").unlink()
    spoken.run("compact", check=0)
    assert section(spoken, "memory/weekly/2026-W42.md", "Decisions") == []


def test_a_list_that_cannot_be_read_is_named(spoken: World) -> None:
    spoken.write("prompts/words/xx/periods.yaml", "done: [\n")
    ran = spoken.run("compact", check=65)
    assert "prompts/words/xx/periods.yaml:" in ran.err and "Traceback" not in ran.err
