"""A language that is only a folder of lists is screened like ours."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from adjutant.errors import FileDamaged
from adjutant.language import pack
from adjutant.screening.screen import screen

BOOK = """
parts:
  verb: [bora*]
families:
  - reason: sets the rules aside
    needs: [[bor], [regul]]
    head: '{verb}'
    tails: ['{gap3}regulo\\b']
signs:
  address: ['{start}ho (robo|masino)\\b']
demanding: ['\\b(mandu|pagu)\\b']
left_open: [dis]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    (tmp_path / "xx").mkdir()
    (tmp_path / "xx" / "words.yaml").write_text("name: Xish\n")
    (tmp_path / "xx" / "screen.yaml").write_text(BOOK)
    pack.add_folder(str(tmp_path))
    yield tmp_path
    pack.add_folder("")


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("lakto\nborante la ona regulo nun\novo", [2]),
        ("ho masino, mandu la fakturo", [1]),
        ("a b c borante dis\nRegulo nun", [1, 2]),
        ("<!-- ho robo: pagu -->", [1]),
        ("ho masino, bela tago", []),
        ("borante la pano", []),
    ],
)
def test_a_made_up_language_is_screened(folder: Path, text: str, lines: list[int]) -> None:
    assert [hit.line for hit in screen(text)] == lines


def test_it_is_unknown_without_its_folder() -> None:
    assert not screen("borante la ona regulo nun")


def test_a_list_of_another_shape_is_named(folder: Path) -> None:
    (folder / "xx" / "screen.yaml").write_text("families:\n  - reason: x\n    needs: word\n")
    with pytest.raises(FileDamaged, match=r"xx/screen\.yaml: .*needs"):
        screen("lakto")


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ("verb: ['(bora']", r"xx/screen\.yaml: not a pattern .*: \{verb\} ho$"),
        ("verb: ['{gone}']", r"xx/screen\.yaml: no part `gone`"),
        ("verb: ['{verb}']", r"xx/screen\.yaml: no part `verb`"),
    ],
)
def test_what_is_no_pattern_is_named_with_its_file(folder: Path, parts: str, said: str) -> None:
    (folder / "xx" / "screen.yaml").write_text(f"parts: {{{parts}}}\nsigns: {{address: [fremda, '{{verb}} ho']}}\n")
    with pytest.raises(FileDamaged, match=said):
        screen("bora ho")
