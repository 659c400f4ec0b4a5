"""YAML read by its marks: the text as written, the line it stands on, and nothing that surprises."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjutant.store.marked_yaml import Broken, compose, mapping


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: 1\nb: &x 2\nc: *x\n", "f.yaml:3: aliases"),
        ("a: 1\nb: 2\na: 3\n", r"f.yaml:3: `a` is given twice \(first on line 1\)"),
        ("a:\n  b: 1\n  b: 2\n", "f.yaml:3: `b` is given twice"),
        ("? [a, b]\n: 1\n", "f.yaml:1: a key must be a plain word"),
        ("a: [1, 2\nb: 3\n", "f.yaml:[23]: "),
        ("a: b: c\n", "f.yaml:1: "),
        ("- 1\n- 2\n", "f.yaml:1: must be `key: value` lines, not a list"),
        ("just words\n", "f.yaml:1: must be `key: value` lines"),
        ("a: 1\nb: \x07\n", "f.yaml:2: "),
        ("\ta: 1\n", "f.yaml:1: "),
        ("a: " + "[" * 50 + "]" * 50, "f.yaml:1: nested deeper than 12"),
        ("a: " + "{b: " * 3000, "f.yaml:1: nested deeper than 12"),
        ("a: 1\n---\nb: 2\n", "f.yaml:"),
    ],
    ids=lambda value: repr(value[:20]),
)
def test_what_is_refused_is_named_with_its_line(text: str, said: str) -> None:
    with pytest.raises(Broken, match=said):
        mapping(text.encode(), "f.yaml")


@pytest.mark.parametrize(("data", "line"), [(b"a: 1\nb: \xff\n", 2), ("a: 1".encode("utf-16"), 1), (b"\x80", 1)])
def test_what_is_not_utf_8_is_named_with_its_line(data: bytes, line: int) -> None:
    with pytest.raises(Broken, match=f"f.yaml:{line}: not UTF-8"):
        mapping(data, "f.yaml")


def test_scalars_come_as_they_were_written() -> None:
    root = mapping(b'a: 22:00\nb: no\nc: 007\nd: 2026-11-20\ne: "1e3"\nf: ~\ng:\nh: "null"\ni: 0x10\n', "f.yaml")
    assert {key: node.text for key, node in root.items()} == {
        "a": "22:00",
        "b": "no",
        "c": "007",
        "d": "2026-11-20",
        "e": "1e3",
        "f": "~",
        "g": "",
        "h": "null",
        "i": "0x10",
    }
    assert [key for key, node in root.items() if node.is_null] == ["f", "g"]


def test_marks_and_line_ends_of_other_editors_are_read() -> None:
    root = mapping(b"\xef\xbb\xbfa: 1\r\nb:\r\n  - x\r\n  - y\r\n", "f.yaml")
    b = dict(root.items())["b"]
    assert [(node.text, node.line) for node in b.elements()] == [("x", 3), ("y", 4)]
    assert b.key_line == 2


@pytest.mark.parametrize("data", [b"", b"\n\n", b"# nothing\n", b"---\n", b"\xef\xbb\xbf"])
def test_an_empty_file_is_an_empty_mapping(data: bytes) -> None:
    assert compose(data, "f.yaml") is None or compose(data, "f.yaml").is_null  # type: ignore[union-attr]  # the first says which
    assert list(mapping(data, "f.yaml").items()) == []


@given(st.one_of(st.text(), st.text(alphabet="ab:-[]{}#&*!|>'\" \n\t?,%@`~")))
def test_whatever_the_text_is_it_is_read_or_refused(text: str) -> None:
    try:
        compose(text.encode("utf-8", "surrogatepass"), "f.yaml")
    except Broken as broken:
        assert str(broken).startswith("f.yaml:")
