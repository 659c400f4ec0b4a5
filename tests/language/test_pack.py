"""The languages there are: ours as data, and a folder that somebody adds."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest
import yaml

import adjutant
from adjutant.language import dates, pack
from adjutant.language.detect import language_of
from adjutant.language.likeness import is_negated
from adjutant.language.pack import listed, packs
from adjutant.language.phrases import matcher
from adjutant.language.sentences import sentences
from adjutant.language.stems import stem, stems
from adjutant.language.words import content

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


def forget() -> None:
    """Drops what was read of the lists themselves."""
    for each in (pack._read, packs, listed):
        each.cache_clear()  # type: ignore[attr-defined]  # `cached` hides that it is an lru_cache


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


def test_a_folder_added_to_the_package_is_known_at_once(tmp_path: Path) -> None:
    home = Path(adjutant.__file__).parent
    shutil.copytree(home, tmp_path / "adjutant", ignore=shutil.ignore_patterns("__pycache__"))
    made = tmp_path / "adjutant" / "language" / "data" / "zz"
    made.mkdir()
    for name, value in MADE_UP.items():
        (made / f"{name}.yaml").write_text(yaml.safe_dump(value, allow_unicode=True))
    shutil.copy(__file__, tmp_path / "said.py")
    program = "import json, said; print(json.dumps([list(said.packs()), said.known('zz'), said.pack.digest()]))"
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
    *told, sum_ = json.loads(done.stdout)
    assert told == [["en", "de", "nb", "zz"], EXPECTED]
    assert sum_ != pack.digest()


def test_the_compiled_lists_are_used_only_while_they_are_those_of_the_yaml(monkeypatch: pytest.MonkeyPatch) -> None:
    read = pack.package.read

    def changed(*path: str) -> bytes:
        text = read(*path)
        return text.replace(b"name: Norsk", b"name: Nynorsk") if path[-2:] == ("nb", "words.yaml") else text

    with monkeypatch.context() as patched:
        patched.setattr(pack.package, "read", changed)
        forget()
        assert packs()["nb"].name == "Nynorsk"
    forget()
    assert packs()["nb"].name == "Norsk"
