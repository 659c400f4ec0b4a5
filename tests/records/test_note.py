"""One note as a file: what is written is read, what a person wrote stays, damage is named with its line."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from adjutant.errors import FileDamaged
from adjutant.records import note as note_file
from adjutant.records.note import KEYS, Note

PATH = "memory/notes/fact/20261120T090000-1a2b.md"
NOTE = Note(
    id="20261120T090000-1a2b",
    type="fact",
    title="Tea: at “four”, #2",
    body="Tea is at four.\n\n---\n\nno: yes",
    created="2026-11-20T09:00:00+01:00",
    concepts=("adjutant:comms",),
    tags=("no", "22:00"),
    reinforced=("2026-11-21",),
    source="command memory save",
    trust="agent",
    supersedes="older",
)


def parsed(text: str, path: str = PATH) -> Note:
    return note_file.parse(text.encode(), path, "2026-11-19T00:00:00+00:00")


def revised(text: str, **values: Any) -> str:
    return note_file.revise(text.encode(), PATH, **values).decode()


def test_the_frontmatter_has_exactly_its_keys_in_their_order() -> None:
    front = yaml.safe_load(note_file.render(NOTE).split("---\n")[1])
    assert list(front) == list(KEYS)
    assert front["superseded_by"] is None
    assert front["tags"] == ["no", "22:00"]


def test_what_is_written_is_read() -> None:
    found = parsed(note_file.render(NOTE))
    assert {key: getattr(found, key) for key in (*KEYS, "body")} == {key: getattr(NOTE, key) for key in (*KEYS, "body")}
    assert found.path == PATH
    assert len(found.sha) == 64


@given(st.text(max_size=60), st.text(min_size=1, max_size=60))
def test_any_title_and_tag_comes_back_whole(title: str, tag: str) -> None:
    made = Note(
        id="a",
        type="fact",
        title=note_file.title_of(title) or "x",
        body="b",
        created="2026-11-20",
        tags=(tag.encode("utf-8", "replace").decode(),),
    )
    text = note_file.render(made)
    if tag.isprintable():
        found = note_file.parse(text.encode("utf-8", "replace"), "memory/notes/fact/a.md")
        assert (found.title, found.tags) == (made.title, made.tags)


BY_HAND = """---
# my own
tags:
  - æøå   # one
  - b
# between
trust: agent  # hers
mine: {kept: yes}
reinforced:
- '2026-11-01'
title: 'Æ: b'
---
Tea is at four.
"""


def test_a_key_is_set_and_every_other_byte_stays() -> None:
    text = revised(BY_HAND, reinforced=("2026-11-01", "2026-11-20"), superseded_by="x")
    assert text == BY_HAND.replace("reinforced:\n- '2026-11-01'", "reinforced: ['2026-11-01', '2026-11-20']").replace(
        "title: 'Æ: b'\n", "title: 'Æ: b'\nsuperseded_by: x\n"
    )
    text = revised(BY_HAND, tags=("c",), trust="operator")
    assert text == BY_HAND.replace("tags:\n  - æøå   # one\n  - b\n# between", "tags: [c]\n# between").replace(
        "trust: agent", "trust: operator"
    )


def test_the_ends_of_lines_and_the_mark_at_the_beginning_stay() -> None:
    values = {"reinforced": ("2026-11-20",), "tags": ("c",), "superseded_by": "x"}
    plain = revised(BY_HAND, **values)
    assert revised(BY_HAND.replace("\n", "\r\n"), **values) == plain.replace("\n", "\r\n")
    assert revised("\ufeff" + BY_HAND, **values) == "\ufeff" + plain
    assert revised("Tea.\r\n", trust="agent") == "---\r\ntrust: agent\r\n---\r\n\r\nTea.\r\n"
    assert revised("---\n---\nTea.", trust="agent") == "---\ntrust: agent\n---\nTea."


def test_a_note_without_frontmatter_is_the_operators_own() -> None:
    found = parsed("Tea is at four.\n", "memory/notes/gotcha/mine.md")
    assert (found.id, found.type, found.trust, found.title) == ("mine", "gotcha", "operator", "Tea is at four")
    assert found.created == "2026-11-19T00:00:00+00:00"
    text = revised("Tea is at four.\n", superseded_by="x")
    assert parsed(text).superseded_by == "x"
    assert text.endswith("---\n\nTea is at four.\n")


def test_a_frontmatter_on_one_line_is_left_alone() -> None:
    with pytest.raises(FileDamaged, match="cannot be edited"):
        revised("---\n{trust: agent}\n---\nTea.\n", superseded_by="x")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("---\ntype: fact\n", 1),
        ("---\ntype: fact\ntype: gotcha\n---\nTea.\n", 3),
        ("---\ntype: idea\n---\nTea.\n", 2),
        ("---\n\ntrust: me\n---\nTea.\n", 3),
        ("---\ntitle: a\nid: other\n---\nTea.\n", 3),
        ("---\ntype: fact\n---\n\n", 5),
        ("---\ncreated: yesterday\n---\nTea.\n", 2),
        ("---\ntags: a\n---\nTea.\n", 2),
        ("---\na: &x [b]\nc: *x\n---\nT.\n", 3),
        ("---\nreinforced: [2026-13-01]\n---\nTea.\n", 2),
        ("---\n- a\n---\nTea.\n", 2),
        ("", 1),
        ("---\na: [[[[[[[[b]]]]]]]]\n---\nTea.\n", 2),
    ],
)
def test_damage_is_named_with_its_line(text: str, line: int) -> None:
    with pytest.raises(FileDamaged, match=rf"{PATH}:{line}:"):
        parsed(text)


def test_a_bad_byte_is_named_with_its_line() -> None:
    with pytest.raises(FileDamaged, match=rf"{PATH}:2: not UTF-8"):
        note_file.parse(b"Tea\n\xff\n", PATH)
