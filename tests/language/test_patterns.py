"""Patterns kept as data are filled in by language, and one that cannot be read is named with its place."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from adjutant.errors import FileDamaged
from adjutant.language import pack
from adjutant.language.patterns import cues, either, regex


@pytest.fixture
def lists(tmp_path: Path) -> Iterator[Path]:
    """A folder of two languages of the operator's: xx and yy."""
    for code in ("xx", "yy"):
        (tmp_path / code).mkdir()
        (tmp_path / code / "words.yaml").write_text(f"name: {code}\n")
    pack.add_folder(str(tmp_path))
    yield tmp_path
    pack.add_folder("")


def write(folder: Path, code: str, text: str) -> None:
    (folder / code / "found.yaml").write_text(text)


def test_a_pattern_is_filled_in_with_lists_texts_and_parts(lists: Path) -> None:
    write(lists, "xx", "verbs: [bora*, 'kel(a|o)']\nparts: {which: '(dis | dat) '}\nend: '{which}({verbs})!'\n")
    found = regex("found", r"^{verbs} {end}", "xx")
    assert found.search("borando dat kelo!") and found.search("kela dis bora!")
    assert not found.search("kel dis bora!") and found.groups == 0


def test_every_language_adds_its_branch_and_one_that_lacks_a_part_none(lists: Path) -> None:
    write(lists, "xx", "on: [upa]\noff: [dona]\n")
    write(lists, "yy", "on: [ana]\n")
    assert [bool(regex("found", "{on}").search(text)) for text in ("upa", "ana", "dona")] == [True, True, False]
    both = regex("found", "{on} {off}")
    assert both.search("upa dona") and not both.search("ana dona")
    assert not regex("found", "{nowhere}").search("")


def test_a_list_without_entries_finds_nothing(lists: Path) -> None:
    write(lists, "xx", "on: [upa]\noff: []\nsaid: ['{on}|{off}']\n")
    assert regex("found", "{said}").fullmatch("upa") and not regex("found", "{said}").fullmatch("")
    assert not regex("found", "{off}").search("upa") and either("found", "off") == "(?:(?!))"
    assert not cues("found", "off").search("upa")


def test_cues_are_whole_words_and_patterns(lists: Path) -> None:
    write(lists, "xx", "done: {words: [fin*, 'ok|en ordo'], patterns: ['^jam .{2,9}!']}\n")
    write(lists, "yy", "done: {words: [preta]}\n")
    found = [
        bool(cues("found", "done").search(text)) for text in ("la finita", "refin", "en ordo", "jam nun!", "preta")
    ]
    assert found == [True, False, True, True, True]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("on: ['(upa']\n", r"xx/found.yaml: not a pattern"),
        ("on: ['{gone}']\n", "xx/found.yaml: no part `gone`"),
        ("on: ['{on}']\n", "xx/found.yaml: no part `on`"),
    ],
)
def test_what_is_no_pattern_is_named_with_its_file(lists: Path, text: str, said: str) -> None:
    write(lists, "xx", text)
    with pytest.raises(FileDamaged, match=said):
        regex("found", "{on}")


@pytest.mark.parametrize("cue", ["(upa", "upa)", "[upa"])
def test_a_cue_that_is_no_pattern_is_named_with_its_file(lists: Path, cue: str) -> None:
    write(lists, "xx", "on: {words: [dona]}\n")
    write(lists, "yy", f"on: {{words: [ana, '{cue}']}}\n")
    with pytest.raises(FileDamaged, match=r"yy/found.yaml: not a pattern"):
        cues("found", "on")
