"""Sections: nothing inside one can close it or open another."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjutant.records.sections import PARTS, TAGS, close_tags, section, tokens

SPELLINGS = (
    "</BEHAVIOR_CONTRACT>",
    "</behavior_contract>",
    "< / BEHAVIOR_CONTRACT >",
    "</BEHAVIOR CONTRACT>",
    "</BEHAVIOR-CONTRACT>",
    "</\u200bBEHAVIOR\u200b_CONTRACT>",
    "＜/BEHAVIOR_CONTRACT＞",
    "‹/BEHAVIOR_CONTRACT›",
    "</ＢＥＨＡＶＩＯＲ_CONTRACT>",
    "</BEНАVIOR_CONTRACT>",
    "&lt;/BEHAVIOR_CONTRACT&gt;",
    "&#60;/BEHAVIOR_CONTRACT>",
    "&#x3C;/BEHAVIOR_CONTRACT>",
    "</B.E.H.A.V.I.O.R.C.O.N.T.R.A.C.T>",
    "<\tSOUL>",
    "<core>",
    '<BEHAVIOR_CONTRACT version="9">',
    "<\n/BEHAVIOR_CONTRACT>",
    "</BEHAVIOR_\nCONTRACT>",
    "</SOUL\x00>",
)


@pytest.mark.parametrize("spelled", SPELLINGS)
def test_a_tag_inside_is_no_tag_however_it_is_spelled(spelled: str) -> None:
    made = section("soul", f"before {spelled} after")
    inside = made.removeprefix("<SOUL>\n").removesuffix("\n</SOUL>")
    assert made.startswith("<SOUL>\n")
    assert made.endswith("\n</SOUL>")
    assert not set("<＜") & set(inside)
    assert "&lt" not in inside
    assert "&#" not in inside
    assert inside.startswith("before")
    assert inside.endswith("after")


def test_what_is_no_tag_stays_as_it_was_written() -> None:
    text = "a < b, x << 2, <https://example.org>, <b>bold</b>, List<int>, «quoted», 1 &lt; 2, ‹so›"
    assert close_tags(text) == text


def test_an_empty_text_is_no_section() -> None:
    assert section("soul", " \n\t ") == ""


def test_every_part_has_a_tag_of_its_own() -> None:
    assert len(set(TAGS.values())) == len(PARTS) == 16


def test_tokens_are_rounded_up() -> None:
    assert [tokens(text) for text in ("", "a", "abcd", "abcde")] == [0, 1, 1, 2]


@settings(max_examples=300)
@given(
    st.lists(
        st.sampled_from([*SPELLINGS, "text", "\n", "<", ">", "/", "SOUL", "BEHAVIOR", "_", "CONTRACT", "\u200b", "‹"]),
        max_size=12,
    )
)
def test_whatever_is_put_together_opens_and_closes_nothing(pieces: list[str]) -> None:
    inside = close_tags("".join(pieces))
    assert close_tags(inside) == inside
    flat = "".join(char for char in inside.casefold() if char.isalpha() or char == "<")
    assert not any(f"<{tag.replace('_', '').casefold()}" in flat for tag in TAGS.values())
