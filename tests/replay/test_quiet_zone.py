"""A quiet zone for useless notices: it is not suggested where it would mute what nobody called useless."""

from __future__ import annotations

import json
from argparse import Namespace
from pathlib import Path

import pytest

from adjutant.domain.heartbeat import marking
from adjutant.records.finding import CORRECTION, USELESS_NOTICES
from adjutant.records.suggestion import Change
from adjutant.replay import quiet_zone
from adjutant.stages import evolve
from tests.rehearsal import HEART, Record

PLUMBER = "- [ ] Pay the invoice of the plumber, due 2026-11-17"
PAINTER = "- [ ] Pay the invoice of the painter, due 2026-11-16"
SWEEP = "- [ ] Pay the invoice of the chimney sweep, due 2026-11-15"
COURT = "- [ ] Pay the invoice of the court, due 2026-11-18"


def house(root: Path, *lines: str) -> Record:
    record = Record(root, evolution__min_interactions=1, notifications__max_per_day=50)
    record.write("home/tasks.md", "# Bills\n\n" + "".join(f"{line}\n" for line in lines))
    return record


def why(record: Record, word: str, cause: str = USELESS_NOTICES) -> str:
    return quiet_zone.why_refused(record.app(), cause, Change("identity/heart.md", HEART, f"{HEART}- {word}\n"))


def useless(root: Path, *lines: str) -> Record:
    """A house whose matters were all called useless."""
    record = house(root, *lines)
    record.pulse()
    for filed in (root / "insights").rglob("*.md"):
        call(record, filed.name, "useless")
    return record


def test_a_word_that_only_the_useless_ones_hold_may_be_left_alone(tmp_path: Path) -> None:
    assert why(useless(tmp_path, PLUMBER, PAINTER, SWEEP), "invoice") == ""


def test_a_word_that_another_open_matter_holds_may_not(tmp_path: Path) -> None:
    record = useless(tmp_path, PLUMBER, PAINTER, SWEEP)
    record.write("home/tasks.md", "# Bills\n\n" + "".join(f"{line}\n" for line in (PLUMBER, PAINTER, SWEEP, COURT)))
    told = why(record, "invoice")
    assert "it would also mute what is open now" in told
    assert "court" in told
    assert "plumber" not in told
    assert why(record, "plumber") == ""
    assert why(record, "invoice", CORRECTION) == ""


def test_the_same_words_in_another_knowledge_base_are_another_matter(tmp_path: Path) -> None:
    record = useless(tmp_path, PLUMBER)
    record.write("shop/bills.md", f"# Bills\n\n{PLUMBER}\n")
    record.write("knowledge_bases/registry.yaml", "- name: home\n  path: home\n- name: shop\n  path: shop\n")
    assert why(record, "invoice").endswith("of shop")


def test_a_matter_that_was_called_useless_is_known_whatever_its_notice_said(tmp_path: Path) -> None:
    record = house(tmp_path, COURT)
    record.pulse()
    record.write("home/tasks.md", f"# Bills\n\n{COURT.replace('11-18', '11-19')}\n")
    assert why(record, "invoice")
    [filed] = [path.name for path in (tmp_path / "insights").rglob("*.md")]
    call(record, filed, "useless")
    assert why(record, "invoice") == ""
    call(record, filed, "useful")
    assert why(record, "invoice")


def call(record: Record, name: str, state: str) -> None:
    app = record.app()
    marking.apply(app.files, name, state, None, now=app.clock.now(), run=app.run)


@pytest.mark.parametrize("court", [False, True])
def test_a_look_tells_it_in_words_instead(tmp_path: Path, *, court: bool) -> None:
    record = house(tmp_path)
    for count in (1, 2, 3):
        late = (PLUMBER, PAINTER, SWEEP)[:count]
        record.write("home/tasks.md", "# Bills\n\n" + "".join(f"{line}\n" for line in late))
        record.pulse()
    record.ask("what is late?")
    lines = (tmp_path / "state" / "notices.jsonl").read_text().splitlines()
    keys = dict.fromkeys(json.loads(line)["key"] for line in lines)
    assert len(keys) == 3
    for key in keys:
        call(record, key, "useless")
    if court:
        record.write("home/tasks.md", f"# Bills\n\n{PLUMBER}\n{COURT}\n")
    app = record.app(None, "evolve")
    found = evolve.run(app, Namespace(subverb=None, hours=None)).result
    zones = [each for each in found["suggestions"] if each["kind"] == "prompt_edit"]
    assert len(zones) == (not court), found
    assert any("court" in str(each["why"]) for each in found["words"]) == court
