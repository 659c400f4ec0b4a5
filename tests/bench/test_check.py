"""The labels of the lives that are published, and that a wrong label would be seen."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.lives import check, life
from bench.lives.life import Fortnight, LifeError, Morning
from tests.bench import small

SMALL = ("4 days, not 14", "1 silent days, not 2", "2 musts, not 10", "3 questions, not 10")


@pytest.mark.sweep
@pytest.mark.parametrize("folder", life._folders(life.HERE / "fortnights", ()), ids=lambda folder: folder.name)
def test_labels_of_a_fortnight(folder: Path) -> None:
    assert list(check.fortnight(Fortnight(folder))) == []


@pytest.mark.parametrize("folder", life._folders(life.HERE / "mornings", ()), ids=lambda folder: folder.name)
def test_labels_of_a_morning(folder: Path) -> None:
    assert list(check.morning(Morning(folder))) == []


def problems(folder: Path, file: str = "", old: str = "", new: str = "") -> list[str]:
    """What is wrong with the small life after an edit of one of its files."""
    files = dict(small.FORTNIGHT)
    if file:
        assert old in files[file]
        files[file] = files[file].replace(old, new)
    return [each for each in check.fortnight(Fortnight(small.write(folder / "petra", files))) if each not in SMALL]


def test_the_small_life_is_right_but_small(tmp_path: Path) -> None:
    petra = Fortnight(small.write(tmp_path / "petra", small.FORTNIGHT))
    assert tuple(check.fortnight(petra)) == SMALL


SURVEY = small.FORTNIGHT["musts.yaml"].partition("- id: survey\n")[2]
BOTH = """\
  what: the report
  words: ["report|insurance"]
  evidence: [{path: Boat.md, has: Survey report}]
  tell_from: 2026-11-23T00:00
  tell_by: 2026-11-26T10:00
"""


@pytest.mark.parametrize(
    ("file", "old", "new", "problem"),
    [
        ("life.yaml", "[2026-11-25]", "[2026-12-25]", "the silent 2026-12-25 is none of its days"),
        ("life.yaml", "[2026-11-25]", "[2026-11-26]", "survey: begins or ends on the silent 2026-11-26"),
        ("musts.yaml", "tell_by: 2026-11-23T18:00", "tell_by: 2026-11-23T08:00", "insurance: no pulse between"),
        ("musts.yaml", "settled: 2026-11-24T12:00", "settled: 2026-11-23T12:00", "insurance: settled before tell_by"),
        ("musts.yaml", "words: [insurance]", "words: [premium]", "insurance: its words do not match what it says"),
        (
            "musts.yaml",
            "words: [insurance]",
            "words: [24 nov, out on]",
            "insurance: no line of its evidence",
        ),
        (
            "musts.yaml",
            "has: Insurance runs",
            "has: Insurance ran",
            "insurance: Boat.md does not hold 'Insurance ran",
        ),
        ("musts.yaml", "has: Survey report", "has: Survey papers", "survey: Boat.md never holds 'Survey papers'"),
        ("musts.yaml", SURVEY, BOTH, "by pointers: told by the labels is nag survey"),
        ("musts.yaml", "id: survey", "id: insurance", "insurance stands twice"),
        ("mays.yaml", "has: Sunde", "has: Sand", "sunde: bills.csv never holds 'Sand'"),
        ("questions.yaml", '"rule 500"', '"rule 600"', "q2: 'rule 600' stands nowhere at that time"),
        ("questions.yaml", "[marina]", "[survey]", "by pointers: answers made from the labels are wrong: q1"),
    ],
)
def test_a_wrong_label_is_seen(tmp_path: Path, file: str, old: str, new: str, problem: str) -> None:
    found = problems(tmp_path, file, old, new)
    assert any(each.startswith(problem) for each in found), found


def test_a_life_in_which_telling_everything_pays_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "FLOOD", 0.001)
    assert any(each.startswith("telling every line is right in") for each in problems(tmp_path))


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("changes.yaml", 'old: "- [ ] Insurance"', 'old: "- [ ] Premium"'),
        ("changes.yaml", "op: replace", "op: change"),
        ("musts.yaml", "weight: 3", "wieght: 3"),
        ("musts.yaml", "tell_by: 2026-11-23T18:00", "tell_to: 2026-11-23T18:00"),
        ("life.yaml", "timezone", "zone"),
    ],
)
def test_a_life_that_cannot_be_read_names_its_file(tmp_path: Path, file: str, old: str, new: str) -> None:
    with pytest.raises(LifeError, match=file if file != "changes.yaml" else "Boat.md|changes.yaml"):
        problems(tmp_path, file, old, new)


def test_faults_are_planted_and_each_is_counted_as_what_it_is(tmp_path: Path) -> None:
    petra = Fortnight(small.write(tmp_path / "petra", small.FORTNIGHT))
    assert [what for what, _, _ in check.planted(petra)] == ["nag", "false", "false", "stale", "early"]


@pytest.mark.parametrize("fault", ["nag", "stale", "early", "false"])
def test_a_scorer_blind_to_a_fault_is_seen(tmp_path: Path, fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    petra = Fortnight(small.write(tmp_path / "petra", small.FORTNIGHT))
    told = check.score._Days.told

    def blind(self: object, at: object, matter: object) -> object:
        found = told(self, at, matter)
        return found._replace(verdict="may") if found.verdict == fault else found

    monkeypatch.setattr(check.score._Days, "told", blind)
    assert any(each.startswith(f"a planted {fault} line") for each in check.fortnight(petra))


def test_a_morning_with_too_little_in_it_is_seen(tmp_path: Path) -> None:
    bare = {name: text for name, text in small.MORNING.items() if "Soup" not in name}
    [problem] = check.morning(Morning(small.write(tmp_path / "bare", bare)))
    assert problem.startswith("telling every line is right in 2")
    twice = small.MORNING | {"issues.yaml": small.MORNING["issues.yaml"].replace("id: bilge", "id: sunde")}
    assert "sunde stands twice" in list(check.morning(Morning(small.write(tmp_path / "twice", twice))))
