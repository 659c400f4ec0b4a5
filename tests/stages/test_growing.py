"""A text that grows on a terminal: each word once, on a line with room, whatever was shown before it."""

from __future__ import annotations

import pytest

from adjutant import terminal


def shown(capsys: pytest.CaptureFixture[str], *texts: str, end: str | None = None, width: int = 40) -> tuple[str, bool]:
    growing = terminal.TerminalText(width)
    for text in texts:
        growing.show(text)
    stands = growing.finish(texts[-1] if end is None else end)
    return capsys.readouterr().out, stands


def test_a_text_stands_once_however_it_came(capsys: pytest.CaptureFixture[str]) -> None:
    text = "The boiler service is on 3 December, says the house.\n\n- Nils comes at ten.\n  He wants the cellar free."
    pieces = [text[:end] for end in range(len(text) + 1)]
    told, stands = shown(capsys, *pieces)
    assert stands
    assert told == shown(capsys, text)[0]
    assert told.split("\n") == [
        "The boiler service is on 3 December,",
        "  says the house.",
        "",
        "- Nils comes at ten.",
        "  He wants the cellar free.",
        "",
    ]


def test_a_word_is_shown_once_it_is_whole(capsys: pytest.CaptureFixture[str]) -> None:
    growing = terminal.TerminalText(40)
    growing.show("The boi")
    assert capsys.readouterr().out == "The"
    growing.show("The boiler ")
    assert capsys.readouterr().out == " boiler"


def test_what_begins_anew_has_a_line_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    told, stands = shown(capsys, "Let me look", "", "It is on", "It is on 3 December.")
    assert told == "Let me look\nIt is on 3 December.\n"
    assert stands


def test_another_text_in_the_end_does_not_stand_there(capsys: pytest.CaptureFixture[str]) -> None:
    told, stands = shown(capsys, "It is on 3 De", end="Offline (the model cannot be reached)")
    assert told == "It is on 3 De\n"
    assert not stands
    assert shown(capsys, "", end="Offline") == ("", False)


def test_what_steers_a_terminal_is_spelled_out(capsys: pytest.CaptureFixture[str]) -> None:
    assert "\x1b" not in shown(capsys, "It \x1b[31mis", "It \x1b[31mis red")[0]
