"""Strict reading of JSON and JSONL: split on newline bytes alone, damage told by its line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from adjutant.errors import FileDamaged
from adjutant.store import jsonl
from tests.store.conftest import Store

DAMAGED = (
    b"{",
    b'{"a": 1',
    b'{"a": 1}}',
    b'{"a": 1, "a": 2}',
    b'{"a": NaN}',
    b'{"a": -Infinity}',
    b"[1]",
    b"1",
    b"null",
    b'"a"',
    b"\xff",
    b'{"a": "\xff"}',
    b'{"a":' * 100_000,
    b"[" * 100_000,
    b"\x00",
    b'{"a": "' + b"x" * jsonl.MAX_LINE + b'"}',
)


@pytest.mark.parametrize("line", DAMAGED, ids=range(len(DAMAGED)))
def test_a_damaged_line_is_told_by_its_number_and_the_others_are_read(files: Store, line: bytes) -> None:
    Path(files.tree.state).mkdir()
    Path(files.tree.actions).write_bytes(b'{"n": 1}\n' + line + b'\n\n{"n": 2}\n')
    assert jsonl.read(files, files.tree.actions) == [{"n": 1}, {"n": 2}]
    assert jsonl.find_damaged(files, files.tree.actions) == [2]


def test_lines_end_at_newline_bytes_and_nowhere_else(files: Store) -> None:
    Path(files.tree.state).mkdir()
    text = "a\u2028b\u0085c\u2029d\x1ee"
    Path(files.tree.actions).write_text(json.dumps({"t": text}, ensure_ascii=False) + "\r\n" + '{"n": 2}', newline="")
    assert jsonl.read(files, files.tree.actions) == [{"t": text}, {"n": 2}]


def test_no_file_is_no_records(files: Store) -> None:
    assert jsonl.read(files, files.tree.actions) == []
    assert jsonl.find_damaged(files, files.tree.actions) == []
    assert jsonl.read_object(files, files.tree.pulse) is None


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('{\n "a": 1,\n "b":\n}', 4),
        ("[1]", 1),
        ("", 1),
        ('{"a": 1}\n{"b": 2}', 2),
        ('{"a": 1, "a": 1}', 1),
        ("{" * 9999, 1),
    ],
)
def test_a_damaged_object_is_named_with_its_line(files: Store, text: str, line: int) -> None:
    Path(files.tree.state).mkdir()
    Path(files.tree.pulse).write_text(text)
    with pytest.raises(FileDamaged, match=rf"state/pulse\.json:{line}: "):
        jsonl.read_object(files, files.tree.pulse)


def test_bytes_that_are_no_text_are_damage_and_no_crash(files: Store) -> None:
    Path(files.tree.state).mkdir()
    for data in (b"\xff\xfe{}", b'{"a": "\xc3"}', b"\x80abc"):
        Path(files.tree.pulse).write_bytes(data)
        with pytest.raises(FileDamaged, match=r"state/pulse\.json:1: not JSON"):
            jsonl.read_object(files, files.tree.pulse)


@given(st.binary())
@example(b"\xef\xbb\xbf{}")
@example(b"{}\n\xff\n")
@example(b'{"a": 1' * 2000)
def test_whatever_the_bytes_are_reading_them_does_not_fail(data: bytes) -> None:
    for number, record in jsonl.parse(data):
        assert number >= 1
        assert record is None or isinstance(record, dict)
