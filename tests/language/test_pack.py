"""The languages there are: ours as data, the operator's folder, and a folder that somebody adds."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
import yaml

import adjutant
from adjutant.errors import FileDamaged
from adjutant.language import dates, pack
from adjutant.language.detect import language_of
from adjutant.language.likeness import is_negated
from adjutant.language.pack import add_folder, digest, listed, packs
from adjutant.language.phrases import matcher
from adjutant.language.sentences import sentences
from adjutant.language.stems import stem, stems
from adjutant.language.words import content
from tests.conftest import adjutant as adjutant_command

NEAR = date(2026, 11, 20)  # a Friday
MADE_UP = {  # a language nobody speaks
    "words": {
        "name": "Zombil",
        "stemmer": "",
        "stop": ["zu", "vu", "xel", "qua", "pri"],
        "everyday": ["blom"],
        "doing": [],
        "endings": ["azzix"],
        "letters": "ž",
        "looks_foreign": [],
        "forms": ["grok grokku"],
        "contractions": {},
        "contracted": {},
        "spelled": {},
        "negators": ["nixo"],
        "denies_nothing": [],
        "denies_back": [],
        "turns": ["butu"],
        "titles": ["hrx"],
        "abbreviations": [],
        "numbering": [],
        "after_ordinal": [],
        "idle": [],
        "fillers": [],
        "determiners": [],
        "nouns_in_ing": [],
        "never": [],
        "not": "nixo",
        "acronyms": [],
        "opposites": [],
    },
    "dates": {"months": {"yarek": "11"}, "weekdays": {"frimdag": "4"}, "relative": {"demorro": "1"}, "order": "dmy"},
    "questions": {"agenda": {"due": ["qua xel forfall [{when}]"]}},
}


@pytest.fixture(autouse=True)
def no_folder() -> Iterator[None]:
    """The operator's folder is taken away again."""
    yield
    add_folder("")
    forget()


def forget() -> None:
    """What was made of the lists."""
    for each in pack._forget:
        each()


def folder(path: Path, lists: dict[str, object] = MADE_UP, code: str = "zz") -> Path:
    """A language as a folder of lists."""
    (path / code).mkdir(parents=True)
    for name, value in lists.items():
        (path / code / f"{name}.yaml").write_text(yaml.safe_dump(value, allow_unicode=True))
    return path


def known(code: str) -> dict[str, object]:
    """What the room says of a text in the made-up language."""
    text = "Vu hrx. Grokku xel pri frimdag. Qua nixo grok"
    found = dates.find("grok pri 24 yarek xel demorro", NEAR, anchor=NEAR)
    return {
        "language": language_of(text),
        "sentences": [each.text for each in sentences(text)],
        "content": content(text, code),
        "stems": sorted(stems(text)),
        "stem": stem("grokku", code),
        "dates": [each.first.isoformat() for each in found],
        "negated": is_negated("grok nixo"),
        "phrase": matcher("questions", "agenda").whole("Qua xel forfall frimdag?").name,  # type: ignore[union-attr]  # None fails the test
    }


EXPECTED = {
    "language": "zz",
    "sentences": ["Vu hrx. Grokku xel pri frimdag.", "Qua nixo grok"],
    "content": ["hrx", "grokku", "nixo", "grok"],
    "stems": ["grok", "grokku", "hrx", "nixo"],
    "stem": "grokku",
    "dates": ["2026-11-24", "2026-11-21"],
    "negated": True,
    "phrase": "due",
}


def test_english_comes_first_and_the_others_by_code() -> None:
    assert list(packs()) == ["en", "de", "nb"]
    assert [each.name for each in packs().values()] == ["English", "Deutsch", "Norsk"]
    assert all(each.code == code and each.stop and each.everyday for code, each in packs().items())


def shape(value: object) -> object:
    """The keys of lists, as far as they name lists."""
    if isinstance(value, dict) and any(isinstance(each, list | dict) for each in value.values()):
        return {key: shape(each) for key, each in value.items()}
    return type(value).__name__


@pytest.mark.parametrize("code", ["nb", "de"])
def test_every_language_has_the_lists_of_english(code: str) -> None:
    english, other = packs()["en"].lists, packs()[code].lists
    assert english.keys() == other.keys()
    for name in english:
        assert list(english[name]) == list(other[name]), name
        if name not in (
            "questions",
            "screen",
            "periods",
            "manner",
            "corrections",
        ):  # whose named parts are a language's own
            assert shape(english[name]) == shape(other[name]), name
    assert english["questions"]["agenda"].keys() == other["questions"]["agenda"].keys()


@pytest.mark.parametrize("code", ["en", "nb", "de"])
def test_what_interrupts_stays_short(code: str) -> None:
    assert len(listed("matters", "deadline", code)) <= 12
    assert len(listed("matters", "likely", code)) <= 100


def test_a_list_of_all_languages_joins_theirs() -> None:
    every = listed("dates", "months")
    assert {"march", "mars", "märz"} <= every
    assert listed("dates", "months", "nb") < every
    assert "fällig" in listed("records", "columns.due")
    assert not listed("records", "columns.nothing")
    assert listed("words", "stop", "xx") == frozenset() == listed("nothing", "stop")


def test_a_language_is_known_by_its_folder_alone(tmp_path: Path) -> None:
    before = digest()
    add_folder(str(folder(tmp_path)))
    assert list(packs()) == ["en", "de", "nb", "zz"]
    assert known("zz") == EXPECTED
    assert digest() != before
    add_folder(str(tmp_path / "gone"))
    assert list(packs()) == ["en", "de", "nb"]
    assert digest() == before


def test_a_folder_added_to_the_package_is_known_at_once(tmp_path: Path) -> None:
    home = Path(adjutant.__file__).parent
    shutil.copytree(home, tmp_path / "adjutant", ignore=shutil.ignore_patterns("__pycache__"))
    folder(tmp_path / "adjutant" / "language" / "data")
    shutil.copy(__file__, tmp_path / "said.py")
    program = "import json, said; print(json.dumps([list(said.packs()), said.known('zz')]))"
    path = [str(tmp_path), *(each for each in sys.path if each and Path(each) != home.parent)]
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": ":".join(path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [["en", "de", "nb", "zz"], EXPECTED]


def test_the_compiled_lists_are_used_only_while_they_are_those_of_the_yaml(monkeypatch: pytest.MonkeyPatch) -> None:
    read = pack.package.read

    def changed(*path: str) -> bytes:
        text = read(*path)
        return text.replace(b"name: Norsk", b"name: Nynorsk") if path[-2:] == ("nb", "words.yaml") else text

    monkeypatch.setattr(pack.package, "read", changed)
    forget()
    assert packs()["nb"].name == "Nynorsk"


def test_a_file_of_the_operators_takes_the_place_of_ours(tmp_path: Path) -> None:
    add_folder(str(folder(tmp_path, {"zones": {"archive": ["kjeller"]}}, "nb")))
    assert listed("zones", "archive", "nb") == {"kjeller"}
    assert not listed("zones", "template", "nb")
    assert "innen" in listed("matters", "deadline", "nb")  # the other files stay


def test_a_folder_without_words_is_no_language(tmp_path: Path) -> None:
    add_folder(str(folder(tmp_path, {"zones": {"archive": ["kjeller"]}}, "xx")))
    assert "xx" not in packs()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("stop: [a\nb: c", ":2: not a word list"),
        ("- a\n- b\n", ":1: not a word list (names and lists are missing)"),
        ("stop: &a [x]\neveryday: *a\n", ":2: a word list holds no references"),
        ("stop: [[[[[[[[[[a]]]]]]]]]]\n", ":1: a word list holds no references and no depths"),
        ("stop: {a: b}\n", "`stop` has to be a list"),
        ("contractions: [a]\n", "`contractions` has to be a mapping"),
        ("stop: [\xff]", ""),
    ],
)
def test_a_damaged_list_is_named_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "en" / "words.yaml"
    path.parent.mkdir()
    path.write_bytes(text.encode("latin-1"))
    add_folder(str(tmp_path))
    with pytest.raises(FileDamaged) as error:
        packs()
    assert error.value.message.startswith(f"{path}:")
    assert said in error.value.message


@pytest.mark.parametrize("kind", ["fifo", "link", "folder"])
def test_what_is_no_file_is_refused(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "instance" / "en" / "words.yaml"
    path.parent.mkdir(parents=True)
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "link":
        (tmp_path / "elsewhere.yaml").write_text("stop: [a]\n")
        path.symlink_to(tmp_path / "elsewhere.yaml")
    else:
        path.mkdir()
    add_folder(str(tmp_path / "instance"))
    with pytest.raises(FileDamaged, match=str(path)):
        packs()


def test_a_language_behind_a_link_is_not_read(tmp_path: Path) -> None:
    folder(tmp_path / "elsewhere")
    (tmp_path / "instance").mkdir()
    (tmp_path / "instance" / "zz").symlink_to(tmp_path / "elsewhere" / "zz")
    add_folder(str(tmp_path / "instance"))
    assert "zz" not in packs()


@pytest.mark.parametrize(("idle", "notes"), [([], 2), (["vax"], 1)])
def test_the_commands_read_the_lists_of_their_instance(tmp_path: Path, idle: list[str], notes: int) -> None:
    """`memory save` takes two texts for one where the instance's own language says that their difference is nothing."""
    root = tmp_path / "i"
    adjutant_command("init", str(root), check=0)
    folder(root / "prompts" / "words", {**MADE_UP, "words": {**MADE_UP["words"], "idle": idle}})  # type: ignore[dict-item]  # a mapping
    for text in ("Vu grok pri zu blix.", "Vu vax grok pri zu blix."):
        adjutant_command("memory", "save", text, cwd=root, check=0)
    assert len(adjutant_command("memory", "list", cwd=root, check=0).out.strip().splitlines()) == notes


def test_a_damaged_list_stops_a_command_that_reads_lists_and_no_other(tmp_path: Path) -> None:
    adjutant_command("init", str(tmp_path / "i"), check=0)
    path = tmp_path / "i" / "prompts" / "words" / "en" / "words.yaml"
    path.parent.mkdir(parents=True)
    path.write_text("stop: [a\n")
    done = adjutant_command("memory", "save", "Never deploy on Fridays.", cwd=tmp_path / "i", check=65)
    assert f"{path}:2: not a word list" in done.err
    adjutant_command("status", cwd=tmp_path / "i", check=0)


def test_a_list_without_end_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "en" / "words.yaml"
    path.parent.mkdir()
    path.write_text("stop: [" + "a, " * 400_000 + "b]")
    add_folder(str(tmp_path))
    with pytest.raises(FileDamaged, match="larger than"):
        packs()
