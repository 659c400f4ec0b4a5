"""The best passage of a text, however long."""

from __future__ import annotations

import time

from adjutant.domain.recall.showing import cut_passage

FILL = "\n".join(f"Line {number} of what is of no interest to anybody at all, told at length." for number in range(400))
RARE = {"boiler": 1.0, "pressure": 0.8, "line": 0.05}


def test_a_short_text_is_its_own_passage() -> None:
    assert cut_passage(" The boiler hums. \n", RARE, 600) == "The boiler hums."


def test_the_passage_is_where_the_rare_words_stand_together() -> None:
    text = f"{FILL}\nThe boiler was painted.\n{FILL}\nThe boiler wants a pressure of 1.5 bar.\n{FILL}"
    found = cut_passage(text, RARE, 600)
    assert "The boiler wants a pressure of 1.5 bar." in found
    assert len(found) <= 600


def test_a_passage_is_made_of_whole_lines_and_says_what_is_left_out() -> None:
    text = f"{FILL}\nThe boiler wants a pressure of 1.5 bar.\n{FILL}"
    lines = cut_passage(text, RARE, 600).split("\n")
    assert lines[0] == lines[-1] == "[…]"
    assert set(lines[1:-1]) <= set(text.split("\n"))


def test_there_is_text_on_both_sides_of_what_was_found() -> None:
    lines = cut_passage(f"{FILL}\nThe boiler wants a pressure of 1.5 bar.\n{FILL}", RARE, 600).split("\n")
    at = lines.index("The boiler wants a pressure of 1.5 bar.")
    assert 2 <= at <= len(lines) - 3


def test_a_text_without_lines_is_cut_at_sentences() -> None:
    said = " ".join(f"Sentence {number} says nothing that matters here." for number in range(400))
    found = cut_passage(f"{said} The boiler wants a pressure of 1.5 bar. {said}", RARE, 600)
    inside = found.removeprefix("[…]\n").removesuffix("\n[…]")
    assert inside.startswith("Sentence")
    assert inside.endswith(".")
    assert "boiler wants a pressure" in inside
    assert len(found) <= 600


def test_a_text_without_sentences_is_cut_at_words_and_one_without_words_anywhere() -> None:
    found = cut_passage(f"{'lorem ipsum ' * 2000} boiler {'dolor amet ' * 2000}", RARE, 300)
    assert "boiler" in found
    assert len(found) <= 300
    assert set(found.split()) <= {"lorem", "ipsum", "boiler", "dolor", "amet", "[…]"}
    assert len(cut_passage("x" * 5000, RARE, 300)) <= 300


def test_the_heading_above_a_passage_comes_along() -> None:
    text = f"# House\n\n{FILL}\n\n## Heating\n\n{FILL}\nThe boiler wants a pressure of 1.5 bar.\n{FILL}\n\n## Garden\n"
    lines = cut_passage(text, RARE, 600).split("\n")
    assert lines[:2] == ["## Heating", "[…]"]
    assert "Garden" not in "".join(lines)


def test_a_heading_within_the_passage_is_not_told_twice_and_a_long_one_is_cut() -> None:
    found = cut_passage(f"{FILL}\n\n## The boiler's pressure\n\n1.5 bar.\n\n{FILL}", RARE, 600)
    assert found.count("## The boiler's pressure") == 1
    long = cut_passage(f"# {'very ' * 100}long\n\n{FILL}\nThe boiler's pressure\n{FILL}", RARE, 600)
    assert len(long) <= 600
    assert long.split("\n")[0].endswith("…")


def test_without_any_of_the_words_the_beginning_is_shown() -> None:
    assert cut_passage(FILL, {"xylophone": 1.0}, 300).startswith("Line 0 of")
    assert cut_passage(FILL, {}, 300).startswith("Line 0 of")


def test_what_stands_at_the_very_end_is_found() -> None:
    found = cut_passage(f"{FILL}\nThe boiler's pressure is 1.5 bar.", RARE, 600)
    assert found.endswith("The boiler's pressure is 1.5 bar.")
    assert 450 <= len(found) <= 600


def test_a_text_of_megabytes_takes_no_longer_than_its_length_asks_for() -> None:
    text = f"{'the boiler hums. ' * 120_000}\nboiler pressure\n"
    began = time.perf_counter()
    assert len(cut_passage(text, RARE, 600)) <= 600
    assert time.perf_counter() - began < 5
