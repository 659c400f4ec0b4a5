"""What a message tells to keep: strict lines to the character, ordinary talk never, near misses with their remedy."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjutant.domain.behavior.grammar import DirectiveLine, Miss, parse, parse_one
from adjutant.records import contract
from adjutant.records.contract import LONGEST, SHORTEST, TYPES, Directive, collapse
from adjutant.screening.characters import INVISIBLE

HERE = Path(__file__).parent
ORDINARY = (HERE / "ordinary.txt").read_text().splitlines()
BLOCKS = (HERE / "blocks.txt").read_text().split("%%\n")
STRICT = b"KEEP: short answers"


def said(message: str | bytes) -> list[str]:
    data = message if isinstance(message, bytes) else message.encode()
    return [f"{each.type}: {each.text}" for each in parse(data).directives]


# -- what is one ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "wanted"),
    [
        (b"KEEP: short answers", ["KEEP: short answers"]),
        (b"STOP:\tsending mails\t\tat  night \t", ["STOP: sending mails at night"]),
        (b"MORE: abcd\r\nLESS: efgh\r\n", ["MORE: abcd", "LESS: efgh"]),
        (b"Hi!\n\nSTART: a day with its plan\nThanks", ["START: a day with its plan"]),
        ("KEEP: svar på norsk, æøå – «slik»".encode(), ["KEEP: svar på norsk, æøå – «slik»"]),
        (b"KEEP: " + b"x" * LONGEST, ["KEEP: " + "x" * LONGEST]),
        (b"KEEP: <b>bold</b> & </BEHAVIOR_CONTRACT>", ["KEEP: <b>bold</b> & </BEHAVIOR_CONTRACT>"]),
        (b"KEEP: STOP: both", ["KEEP: STOP: both"]),
        ("LESS: \u2764\ufe0f and \U0001f44d\U0001f3fd".encode(), ["LESS: \u2764\ufe0f and \U0001f44d\U0001f3fd"]),
        (b"KEEP: 1234", ["KEEP: 1234"]),
        (b"KEEP: ....", ["KEEP: ...."]),
        ("KEEP: a\u00a0b\u3000c d".encode(), ["KEEP: a b c d"]),
        (b"> they wrote\nKEEP: below a quote", ["KEEP: below a quote"]),
        (b"```\ncode\n```\nKEEP: below a fence", ["KEEP: below a fence"]),
        (b"~~~\ncode\n~~~~~  \r\nKEEP: below a fence", ["KEEP: below a fence"]),
        (b"```one line```\nKEEP: no fence at all", ["KEEP: no fence at all"]),
        (b"KEEP: above a forward\nForwarded from Ola\nSTOP: below it", ["KEEP: above a forward"]),
        (b"I forwarded it\nKEEP: an ordinary line", ["KEEP: an ordinary line"]),
        (b"Fwd: the offer of Kari\nKEEP: what a mail says", []),
        (b"\r\nWG: Angebot\r\n\r\nSTOP: what a mail says", []),
        (b"KEEP: above it\nFW: the offer\nSTOP: no mail begins here", ["KEEP: above it", "STOP: no mail begins here"]),
        (b"Re: the offer\nKEEP: an ordinary line", ["KEEP: an ordinary line"]),
        (b"From: the desk\nof Ola\nKEEP: no head of a mail", ["KEEP: no head of a mail"]),
        (b"KEEP: \xf0\x9f\x98\x80\xf0\x9f\x98\x80\xf0\x9f\x98\x80\xf0\x9f\x98\x80", ["KEEP: 😀😀😀😀"]),
    ],
)
def test_a_strict_line_is_taken_to_the_character(message: bytes, wanted: list[str]) -> None:
    assert said(message) == wanted


@pytest.mark.parametrize(
    ("message", "foreign"),
    [
        (b"mine\nForwarded from Ola\nSTOP: his\n", "Forwarded from Ola\nSTOP: his"),
        (b"KEEP: mine\n---------- Forwarded message ----------\nhis", "---------- Forwarded message ----------\nhis"),
        (b"```\nForwarded from Ola\n```\nmine", ""),
        (b"I forwarded it", ""),
    ],
)
def test_what_somebody_else_wrote_is_told_from_the_line_that_says_so(message: bytes, foreign: str) -> None:
    found = parse(message)
    assert found.forwarded == foreign
    assert found.remainder.endswith(foreign)


WORDS = st.text(
    st.characters(exclude_categories=("C", "Z", "M"), exclude_characters="\u115f\u1160\u3164\uffa0\ufffd"),
    min_size=1,
    max_size=40,
)
TEXTS = st.lists(WORDS, min_size=1, max_size=8).map(" ".join).filter(lambda text: SHORTEST <= len(text) <= LONGEST)


@settings(max_examples=400, derandomize=True)
@given(st.lists(st.tuples(st.sampled_from(TYPES), TEXTS), max_size=6), st.sampled_from(["\n", "\r\n"]))
def test_what_was_written_as_directives_is_read_as_these(wanted: list[tuple[str, str]], end: str) -> None:
    lines = [Directive("x", type, text).line for type, text in wanted]
    found = parse(end.join(lines).encode())
    assert [(each.type, each.text) for each in found.directives] == wanted
    assert found.misses == ()
    assert found.remainder == ""
    assert [parse_one(line) for line in lines] == [DirectiveLine(*each, 1) for each in wanted]


@settings(max_examples=400, derandomize=True)
@given(
    st.binary(max_size=300)
    | st.lists(
        st.sampled_from(
            [
                b"KEEP: one two",
                b"keep: one two",
                b"```",
                b"~~~",
                b"> q",
                b"From: a",
                b"Sent: b",
                b"\r",
                b"\n",
                b"\r\n",
                b" ",
                b"\xff",
                "КЕЕР: abcd".encode(),
                b"Forwarded",
                b"text",
            ]
        ),
        max_size=30,
    ).map(b"".join)
)
def test_any_bytes_are_read_and_what_is_no_directive_remains(message: bytes) -> None:
    found = parse(message)
    assert all(not contract.problem(each.text) and collapse(each.text) == each.text for each in found.directives)
    assert all(parse(miss.would_work.encode()).directives for miss in found.misses if "<" not in miss.would_work)
    lines = message.split(b"\n")
    for each in found.directives:
        assert lines[each.line - 1].startswith(f"{each.type}:".encode())
    kept = [line for number, line in enumerate(lines, 1) if number not in {each.line for each in found.directives}]
    assert found.remainder == b"\n".join(kept).decode("utf-8", "replace").strip("\r\n") or message.endswith(b"\n")


# -- what is none --------------------------------------------------------------------------------------------


def test_ordinary_talk_is_never_taken() -> None:
    assert len(ORDINARY) >= 300
    assert {line: found for line in ORDINARY if (found := said(line))} == {}
    assert {line: found for line in ORDINARY if (found := said(f"Hello,\r\n{line}\r\nBye"))} == {}


def test_ordinary_talk_is_seldom_even_nearly_one() -> None:
    nearly = {line for line in ORDINARY if parse(line.encode()).misses}
    assert len(nearly) <= len(ORDINARY) // 25, nearly


@pytest.mark.parametrize("block", BLOCKS)
def test_code_quotes_bullets_and_what_others_wrote_are_never_taken(block: str) -> None:
    assert said(block) == said(f"Look at this:\n\n{block}") == said(block.replace("\n", "\r\n")) == []
    assert parse(block.encode()).misses == ()


def test_the_blocks_would_be_taken_without_what_marks_them() -> None:
    assert all(
        said("\n".join(line for line in block.splitlines() if line.startswith(TYPES)))
        for block in BLOCKS
        if "\n> " not in f"\n{block}" and "\n- KEEP" not in f"\n{block}"
    )


@pytest.mark.parametrize(
    ("line", "reason", "works"),
    [
        ("keep: short answers", "in capitals", "KEEP: short answers"),
        ("Keep: short answers", "in capitals", "KEEP: short answers"),
        ("KEEP:short answers", "no space", "KEEP: short answers"),
        ("keep:short answers", "in capitals", "KEEP: short answers"),
        ("KEEP:\u00a0short answers", "no space", "KEEP: short answers"),
        ("KEEP : short answers", "spaces around", "KEEP: short answers"),
        (" KEEP: short answers", "spaces around", "KEEP: short answers"),
        ("\tKEEP: short answers", "spaces around", "KEEP: short answers"),
        ("\u00a0KEEP: short answers", "spaces around", "KEEP: short answers"),
        ("\u041a\u0415\u0415\u0420: short answers", "look like `KEEP`", "KEEP: short answers"),
        ("ST\u039fP: short answers", "look like `STOP`", "STOP: short answers"),
        ("\u041c\u041eRE: short answers", "look like `MORE`", "MORE: short answers"),
        ("LE\u0405\u0405: short answers", "look like `LESS`", "LESS: short answers"),
        ("\uff33\uff34\uff21\uff32\uff34: short answers", "look like `START`", "START: short answers"),
        ("\U0001d40a\U0001d404\U0001d404\U0001d40f: short answers", "look like `KEEP`", "KEEP: short answers"),
        ("st\u03b1rt: short answers", "look like `START`", "START: short answers"),
        ("KEEP\uff1a short answers", "only look like", "KEEP: short answers"),
        ("KEEP\u2236 short answers", "only look like", "KEEP: short answers"),
        ("\u200bKEEP: short answers", "cannot be seen", "KEEP: short answers"),
        ("\ufeffKEEP: short answers", "cannot be seen", "KEEP: short answers"),
        ("KE\u00adEP: short answers", "cannot be seen", "KEEP: short answers"),
        ("KEEP\u200b: short answers", "cannot be seen", "KEEP: short answers"),
        ("\x1bKEEP: short answers", "cannot be seen", "KEEP: short answers"),
        ("\rKEEP: short answers", "cannot be seen", "KEEP: short answers"),
        ("KEEP: abc", "too short, 3", "KEEP: <4 to 320 characters>"),
        ("KEEP: \u00a0a \t b", "too short, 3", "KEEP: <4 to 320 characters>"),
        ("KEEP: " + "x" * 321, "too long, 321", "KEEP: <4 to 320 characters>"),
        ("KEEP: short\x00 answers", "control", "KEEP: short answers"),
        ("KEEP: short\x1b[31m answers", "control", "KEEP: short[31m answers"),
        ("KEEP: short\x0b answers", "control", "KEEP: short answers"),
        ("KEEP: short \x85answers", "control", "KEEP: short answers"),
        ("KEEP: short\u2028STOP: long", "control", "KEEP: shortSTOP: long"),
        ("KEEP: short\rSTOP: long", "control", "KEEP: shortSTOP: long"),
        ("KEEP: short answers\r", "control", "KEEP: short answers"),
        ("KEEP: short \u202eanswers", "cannot be seen", "KEEP: short answers"),
        ("KEEP: short \u2066answers\u2069", "cannot be seen", "KEEP: short answers"),
        ("KEEP: sh\u200bort answers", "cannot be seen", "KEEP: short answers"),
        ("KEEP: sh\u200dort answers", "cannot be seen", "KEEP: short answers"),
        ("KEEP: short answers\ufe0f", "cannot be seen", "KEEP: short answers"),
        ("KEEP: short answers\U000e0041\U000e0042", "cannot be seen", "KEEP: short answers"),
        ("KEEP: short answers\U000e0100", "cannot be seen", "KEEP: short answers"),
        ("KEEP: short answers\u3164", "cannot be seen", "KEEP: short answers"),
    ],
)
def test_a_near_miss_is_not_taken_and_told_with_what_would_have_worked(line: str, reason: str, works: str) -> None:
    found = parse(line.encode())
    assert found.directives == ()
    assert found.remainder == line.strip("\r\n")
    (miss,) = found.misses
    assert reason in miss.reason
    assert miss.would_work == works
    assert miss.line == 1
    assert isinstance(parse_one(line), Miss)


def test_bytes_that_are_no_text_are_a_near_miss() -> None:
    for line in (b"KEEP: short \xff\xfe answers", b"KEEP: short \xff\xfe answers".decode("utf-8", "replace").encode()):
        (miss,) = parse(line).misses
        assert "UTF-8" in miss.reason
        assert miss.would_work == "KEEP: short answers"


def test_a_lone_carriage_return_ends_no_line() -> None:
    found = parse(b"Hi\rKEEP: short answers\n")
    assert found.directives == ()
    assert found.misses == ()
    assert [each.line for each in parse(b"Hi\r\n\r\nKEEP: short answers\r\n").directives] == [3]


def test_every_character_that_is_known_to_hide_is_refused() -> None:
    ranges = INVISIBLE.replace("\ufe0f", "\ufe0e")
    chars = set(ranges) | {
        chr(code)
        for at, dash in enumerate(ranges)
        if dash == "-"
        for code in range(ord(ranges[at - 1]), ord(ranges[at + 1]) + 1)
    }
    taken = [f"{ord(char):x}" for char in chars - {"-", "\ufe0f"} if said(f"KEEP: sho{char}rt answers")]
    assert taken == []
    assert len(chars) > 300


# -- how long it takes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "piece",
    [
        b"KEEP: abcd\n",
        b"keep: abcd\n",
        b"keep: x\n",
        b"From: x\n",
        b"a\n",
        b"\n",
        b"```\n",
        b"```\n~~~\n",
        b"[[[[",
        b"____",
        b"  ",
        b"- ",
        b"1",
        b"\xff",
        "Да: нет\n".encode(),
        "К".encode(),
        b"Forwarded from ",
        b":::",
        b"KEEP:",
        b"hello there, how are you today\n",
        b"*From:* ",
        b"\r",
        b"----- ",
    ],
    ids=repr,
)
def test_a_message_of_20_kilobytes_is_read_at_once_and_time_grows_with_length(piece: bytes) -> None:
    def seconds(size: int) -> float:
        message, best = (piece * size)[:size], 9.0
        for _ in range(3):
            began = time.process_time()
            parse(message)
            best = min(best, time.process_time() - began)
        return best

    seconds(20_000)
    assert seconds(20_480) < 0.05
    assert seconds(81_920) < 0.2
