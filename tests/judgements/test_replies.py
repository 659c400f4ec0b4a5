"""What a model writes becomes a typed result or a reason, whatever it writes."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable
from typing import Literal

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjutant.judgements import hearing
from adjutant.judgements.hearing import ReplyBroken, parse


class Quote(msgspec.Struct, frozen=True):
    path: str
    line: int
    text: str


class Found(msgspec.Struct, frozen=True):
    title: str
    severity: Literal["low", "high"]
    quotes: list[Quote]
    weight: float = 0.0


class Reply(msgspec.Struct, frozen=True):
    issues: list[Found] = []


GOOD = json.dumps(
    {
        "issues": [
            {
                "title": 'the "boiler" {leaks} \\ [badly]',
                "severity": "high",
                "weight": 0.5,
                "quotes": [{"path": "a.md", "line": 3, "text": "kjelen lekker \u2013 \U0001f600 \u00e6\u00f8\u00e5"}],
            },
            {"title": "rent", "severity": "low", "quotes": []},
        ]
    }
)
MEANT = Reply(
    [
        Found(
            'the "boiler" {leaks} \\ [badly]',
            "high",
            [Quote("a.md", 3, "kjelen lekker \u2013 \U0001f600 \u00e6\u00f8\u00e5")],
            0.5,
        ),
        Found("rent", "low", []),
    ]
)


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"```json\n{GOOD}\n```",
        f"```\n{GOOD}\n```\n",
        f"Sure! Here you go:\n\n{GOOD}\n\nLet me know.",
        f"\ufeff  {GOOD}",
        f'<think>\nperhaps {{"issues": []}}? no.\n</think>\n{GOOD}',
        f"I read {{all of it}}. {GOOD}",
        f'He said "look: {{}}" and then {GOOD}',
        json.dumps(json.loads(GOOD), ensure_ascii=False, indent=2),
    ],
)
def test_the_object_is_found_whatever_stands_around_it(text: str) -> None:
    assert parse(text, Reply) == MEANT


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no JSON object"),
        ("All is well.", "no JSON object"),
        ("[1, 2]", "no JSON object"),
        ("null", "no JSON object"),
        ("{}", "none of the fields issues"),
        ('{"answer": []}', "none of the fields issues"),
        ('{"issues": [], "issues": []}', "a key given twice"),
        ('{"issues": [{"title": "a", "title": "b", "severity": "low", "quotes": []}]}', "a key given twice"),
        ('{"issues": [{"title": "a", "severity": "low", "quotes": [], "weight": NaN}]}', "NaN"),
        ('{"issues": [{"title": "a", "severity": "low", "quotes": [], "weight": -Infinity}]}', "Infinity"),
        ('{"issues": [{"title": "a", "severity": "low", "quotes": [], "weight": 1e999}]}', "too large"),
        (
            '{"issues": [{"title": "a", "severity": "low", "quotes": [], "weight": ' + "9" * 5000 + "}]}",
            "not strict JSON",
        ),
        ('{"issues": [{"title": "a", "severity": "dire", "quotes": []}]}', "Invalid enum value"),
        ('{"issues": [{"title": 7, "severity": "low", "quotes": []}]}', "Expected `str`"),
        ('{"issues": [{"title": "a", "severity": "low", "quotes": [{"path": "p", "line": "3"}]}]}', "Expected `int`"),
        ('{"issues": "none"}', "Expected `array`"),
        ("{'issues': []}", "not strict JSON"),
        ('{"issues": [],}', "not strict JSON"),
        ('{"issues": [] // none\n}', "not strict JSON"),
        ('{"issues": [', "not closed"),
        ("{" * 100_000, "nested more than"),
        ('{"issues": ' + "[" * 100_000 + "]" * 100_000 + "}", "nested more than"),
        ('{"a":' * 40_000 + "1" + "}" * 40_000, "nested more than"),
        ('{"a":' * 100_000 + "1" + "}" * 100_000, "longer than"),
        (GOOD + " " * 10_000_000, "longer than"),
        ('{"issues": [' + '"x",' * 3_000_000 + '"x"]}', "longer than"),
    ],
)
def test_what_is_no_such_object_is_refused_with_a_reason(text: str, why: str) -> None:
    with pytest.raises(ReplyBroken) as broken:
        parse(text, Reply)
    assert why in broken.value.reason
    assert len(broken.value.reason) < 400


def test_an_object_that_was_cut_off_is_never_taken_for_one_of_the_objects_inside_it() -> None:
    class Loose(msgspec.Struct):
        issues: list[str] = []
        title: str = ""

    inner = '{"issues": ["real"], "more": {"title": "only a part"}'
    with pytest.raises(ReplyBroken, match="not closed"):
        parse(inner, Loose)


def test_strings_come_without_control_characters_and_half_pairs() -> None:
    text = '{"issues": [{"title": "a\\u0000b\\u001b[31mc\\ud800d\\u2028e\\n", "severity": "low", "quotes": []}]}'
    assert parse(text, Reply).issues[0].title == "ab[31mc\ufffdd e\n"


def survives(text: str, read: Callable[[str, type[Reply]], Reply] = parse) -> Reply | None:
    """The result of a mutated reply, None when it was refused; a result can always be written down and read back."""
    try:
        result = read(text, Reply)
    except ReplyBroken:
        return None
    again = msgspec.json.decode(json.dumps(msgspec.to_builtins(result), allow_nan=False).encode(), type=Reply)
    assert again == result
    msgspec.json.encode(result)
    return result


def test_a_reply_cut_at_any_byte_is_whole_or_refused() -> None:
    data = json.dumps(json.loads(GOOD), ensure_ascii=False).encode()
    for end in range(len(data) + 1):
        found = survives(data[:end].decode("utf-8", "replace"))
        assert found is None if end < len(data) else found == MEANT


def mutated(rng: random.Random, text: str) -> str:
    at, to = sorted((rng.randrange(len(text)), rng.randrange(len(text) + 1)))
    insert = rng.choice(
        [
            "{",
            "}",
            "[",
            "]",
            '"',
            "\\",
            ",",
            ":",
            "NaN",
            "1e999",
            "-0",
            "\\ud800",
            "\\u0000",
            "\x00",
            "null",
            "true",
            "\ud800",
            '{"issues": []}',
            '"issues": [],',
            "```",
            "<think>",
            "</think>",
            "{" * 50,
            "[" * 50,
            '"' * 3,
            "//",
            "9" * 5000,
        ]
    )
    kind = rng.randrange(5)
    if kind == 0:
        return text[:at] + insert + text[at:]
    if kind == 1:
        return text[:at] + text[to:]
    if kind == 2:
        return text[:at] + insert + text[to:]
    if kind == 3:
        return text[:at] + text[at:to] * rng.randrange(2, 4) + text[to:]
    return text[:at] + chr(rng.randrange(0x110000)) + text[at + 1 :]


def test_twenty_thousand_mutated_replies_raise_nothing_but_their_refusal() -> None:
    rng, refused = random.Random(20261120), 0
    began = time.monotonic()
    for _ in range(20_000):
        text = GOOD
        for _ in range(rng.randrange(1, 4)):
            text = mutated(rng, text) or "{"
        refused += survives(text) is None
    assert 2000 < refused < 20_000, "both kinds occur"
    assert time.monotonic() - began < 20


def test_the_mutations_find_a_careless_parser() -> None:
    def careless(text: str, kind: type[Reply]) -> Reply:
        try:
            return msgspec.convert(json.loads(text[text.find("{") : text.rfind("}") + 1]), kind)
        except (ValueError, msgspec.ValidationError):
            raise ReplyBroken("no") from None

    rng, faults = random.Random(20261120), 0
    for _ in range(3000):
        try:
            survives(mutated(rng, GOOD), careless)
        except (ValueError, msgspec.MsgspecError, AssertionError):  # infinity, half pairs: what no file can hold
            faults += 1
    assert faults > 0


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.text(alphabet=st.sampled_from('{}[]":,\\ntfu0129.eE-aN \n\ud800é')), st.text(max_size=40))
def test_any_text_at_all_is_a_result_or_a_refusal(soup: str, around: str) -> None:
    survives(around + soup + around)


@pytest.mark.parametrize(
    "text",
    [
        "{" + '"a' * 130_000,
        '{"' + "\\" * 260_000,
        "{}" * 130_000,
        "}" * 260_000,
        '{"a":"' + '\\"' * 130_000,
        "{ [" * 10 + '"' * 200_000,
        "<think>" * 37_000,
        "<think>" + "</think" * 37_000,
    ],
)
def test_hostile_replies_are_refused_fast(text: str) -> None:
    began = time.monotonic()
    assert survives(text) is None
    assert time.monotonic() - began < 1.0


def test_the_limits_are_reached_exactly() -> None:
    class Deep(msgspec.Struct):
        a: object

    most = hearing.MAX_DEPTH - 1
    assert parse('{"a":' + "[" * most + "]" * most + "}", Deep)
    with pytest.raises(ReplyBroken):
        parse('{"a":' + "[" * (most + 1) + "]" * (most + 1) + "}", Deep)
    filler = hearing.MAX_CHARS - len('{"a": ""}')
    assert parse('{"a": "' + "x" * filler + '"}', Deep)
    with pytest.raises(ReplyBroken):
        parse('{"a": "' + "x" * (filler + 1) + '"}', Deep)
