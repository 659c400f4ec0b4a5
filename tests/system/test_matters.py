"""What a pulse tells of a folder: the probes that every release has to pass, two knowledge bases, limits by name."""

from __future__ import annotations

import os
import time
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from tests.system.world import DOCUMENTED, World

MONDAY = "2026-11-23T09:00:00+00:00"
FOUND = {
    "notes.md": """\
# Notes

Dentist Tues 24 Nov 10:30

Return the ladder by tomorrow.

Renew the passport due:: 2026-11-25

Order the filters 📅 2026-11-26

- [ ] Send the deck to Priya by Tuesday
- [ ] Pay the gardener 24/11
- [ ] Parking permit Wed 25th
- [ ] Stocktake w/c 23 Nov
""",
    "bills.csv": "status,issued,what,due\nopen,2026-11-01,gas,2026-11-20\npaid,2026-10-01,water,2026-11-20\n",
    "rents.csv": "due,paid,what\n2026-11-24,,workshop\n2026-11-24,2026-11-20,garage\n",
}
TOLD = {
    "Dentist Tues 24 Nov 10:30",
    "Return the ladder by tomorrow.",
    "Renew the passport due:: 2026-11-25",
    "Order the filters 📅 2026-11-26",
    "- [ ] Send the deck to Priya by Tuesday",
    "- [ ] Pay the gardener 24/11",
    "- [ ] Parking permit Wed 25th",
    "- [ ] Stocktake w/c 23 Nov",
    "open,2026-11-01,gas,2026-11-20",
    "2026-11-24,,workshop",
}
NOTHING = {
    "diary.md": """\
# Diary

She says no problem

Zoom: cancelled the subscription

Critical Role is on Thursday

Planning application lodged 2 Nov

Karim has the draft since the 12th

- [x] Pay the builder by Tuesday

An old silent pond, a frog jumps in: the sound of water
""",
    "Archive/2024/plan.md": "- [ ] Return the keys by Tuesday 24 November 2026\n",
    "Templates/weekly.md": "- [ ] Plan the week by Tuesday\n- [ ] {{task}} due 2026-11-24\n",
    "Clippings/offer.md": "---\nsource: https://example.org/offer\n---\n\nThe offer closes on 24 November.\n",
    "bread.md": "# Bread\n\nBake until golden, 25 minutes at 180 degrees.\n\n- Prove by 10:30\n",
    "journal.md": "<!-- adjutant 2026-11-22 -->\n- [ ] Told already, due 2026-11-24\n",
}


@pytest.fixture
def bare(empty: World) -> World:
    """An instance whose heart holds nothing, so that everything counts; it is Monday."""
    empty.write("identity/heart.md", "# Heart\n")
    empty.now = MONDAY
    return empty


def age(folder: Path, now: str = MONDAY) -> None:
    """Everything was written today, long before now."""
    moment = datetime.fromisoformat(now).timestamp() - 3600
    for path in folder.rglob("*"):
        os.utime(path, (moment, moment))


def pulse(world: World) -> list[dict[str, Any]]:
    issues: list[dict[str, Any]] = world.result("pulse")["issues"]
    return issues


def quotes(issues: list[dict[str, Any]]) -> set[str]:
    return {each["evidence"][0]["quote"] for each in issues}


def test_the_probes_that_are_to_be_found_are_found(bare: World) -> None:
    age(bare.knowledge("home", FOUND))
    assert quotes(pulse(bare)) == TOLD


def test_the_probes_that_say_nothing_are_not_told(bare: World) -> None:
    age(bare.knowledge("home", NOTHING))
    assert not pulse(bare)


def test_of_many_issues_a_terminal_shows_a_dozen_and_counts_the_rest(bare: World) -> None:
    age(bare.knowledge("home", {"n.md": "".join(f"- [ ] Return book {n} by 24 November\n" for n in range(30))}))
    lines = bare.run("pulse").out.splitlines()
    told = [line for line in lines if line.startswith("Return book")]
    assert sum(line.startswith("      high") for line in lines) == 12
    assert f"            and {30 - len(told) - 12} more: `adjutant today --all`" in lines


def test_told_beside_each_other_they_are_the_same(bare: World) -> None:
    age(bare.knowledge("home", {**FOUND, **NOTHING}))
    assert quotes(pulse(bare)) == TOLD


def test_what_an_instance_in_the_folder_wrote_is_no_matter(bare: World) -> None:
    """Somebody keeps an instance in the folder that another one reads."""
    age(bare.knowledge("home", FOUND))
    inner = bare.copy(bare.root.parent / "vault" / "agent")
    pulse(inner)
    inner.run("review", check=0)
    (inner.root.parent / "plan.md").write_text("- [ ] Sign the lease by 25 November\n")
    bare.run("kb", "remove", "home", check=0)
    bare.run("kb", "add", "vault", str(inner.root.parent), check=0)
    assert quotes(pulse(bare)) == {"- [ ] Sign the lease by 25 November"}


def test_two_knowledge_bases_leave_each_other_alone(bare: World) -> None:
    alarm = "BLOCKED: the harbour permit of the Kestrel, by 24 November"
    alone = pulse_of_boats(bare.copy(bare.root.parent / "alone"), alarm)
    words = "harbour permit of the Kestrel"
    bare.knowledge(
        "strange",
        {
            "flood.md": "".join(f"BLOCKED: the {words}, by 24 November, number {number}\n" for number in range(200)),
            "2026-11-23.md": f"Done: the {words}. The {words}: closed, resolved, paid.\n- [x] {words}\n",
            "2027-11-23.md": f"- [x] {words}\n",
        },
    )
    assert pulse_of_boats(bare, alarm) == alone != []


def pulse_of_boats(world: World, alarm: str) -> list[dict[str, Any]]:
    world.knowledge("boats", {"launch.md": f"{alarm}\n"})
    age(world.root / "knowledge_bases")
    found = pulse(world)
    return [{key: each[key] for key in ("title", "severity", "evidence")} for each in found if each["kb"] == "boats"]


# -- limits --------------------------------------------------------------------------------------------------


def stamp(path: Path, days: int) -> None:
    moment = datetime.fromisoformat(MONDAY).timestamp() - days * 86_400
    os.utime(path, (moment, moment))


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"limits__files_per_kb": 2}, "1 older file beyond limits.files_per_kb (2)"),
        ({"limits__bytes_per_kb": 60}, "1 older file beyond limits.bytes_per_kb (60)"),
    ],
)
def test_where_a_cap_bites_the_newest_are_read_and_the_rest_is_named(
    bare: World, settings: dict[str, int], said: str
) -> None:
    bare.settings(**settings)
    folder = bare.knowledge("home", {f"{name}.md": f"- [ ] Pay {name} by 24 Nov 2026\n" for name in ("aa", "bb", "cc")})
    for days, name in enumerate(("cc", "aa", "bb"), 3):
        stamp(folder / f"{name}.md", days)
    assert said in bare.run("pulse", "--dry-run", check=0).out
    assert quotes(pulse(bare)) == {"- [ ] Pay cc by 24 Nov 2026", "- [ ] Pay aa by 24 Nov 2026"}


def test_a_changed_file_beyond_the_cap_is_read_at_once(bare: World) -> None:
    bare.settings(limits__files_per_kb=2)
    folder = bare.knowledge("home", {f"{name}.md": f"- [ ] Pay {name} by 24 Nov 2026\n" for name in ("aa", "bb", "cc")})
    for days, name in enumerate(("cc", "aa", "bb"), 3):
        stamp(folder / f"{name}.md", days)
    pulse(bare)
    (folder / "bb.md").write_text("- [ ] Pay bb at last by 24 Nov 2026\n")
    stamp(folder / "bb.md", 0)
    assert "- [ ] Pay bb at last by 24 Nov 2026" in quotes(pulse(bare))


def test_a_large_file_is_read_to_its_limit_and_named(bare: World) -> None:
    bare.settings(limits__bytes_per_file=1024)
    text = "- [ ] Pay the first by 24 Nov 2026\n" + "words of no matter\n" * 100 + "- [ ] Pay the last by 24 Nov 2026\n"
    age(bare.knowledge("home", {"long.md": text}))
    assert "1 file read to the first 1024 bytes only" in bare.run("pulse", "--dry-run", check=0).out
    assert quotes(pulse(bare)) == {"- [ ] Pay the first by 24 Nov 2026"}


SLOW = """
from adjutant.documents import folder
import time
read = folder.text_of
def slow(*words, **more):
    time.sleep(0.15)
    return read(*words, **more)
folder.text_of = slow
"""


def test_reading_stops_when_the_run_has_no_time_left_and_goes_on_at_the_next(bare: World) -> None:
    bare.settings(limits__run_seconds=1)
    names = [f"n{number}.md" for number in range(9)]
    age(bare.knowledge("home", {name: f"- [ ] Pay {name} by 24 Nov 2026\n" for name in names}))
    honest = bare.program
    bare.plant(SLOW)
    found, runs = 0, 0
    while found < len(names) and runs < 9:
        ran = bare.run("pulse", "--full", "--json", check=0)
        told = quotes(ran.json["result"]["issues"])
        assert len(told) >= found, ran
        found, runs = len(told), runs + 1
        if found < len(names):
            assert "limits.run_seconds" in ran.json["result"]["kbs_left_out"][0]["what"], ran
    assert 1 < runs < 9
    bare.program = honest
    assert len(bare.result("pulse", "--full")["issues"]) == len(names)


def test_paused_while_reading_stops_between_two_files(bare: World) -> None:
    age(bare.knowledge("home", {f"n{number}.md": f"- [ ] Pay {number} by 24 Nov\n" for number in range(60)}))
    bare.plant(SLOW)
    child = bare.start("pulse")
    begun = time.monotonic()
    time.sleep(0.7)
    bare.write("PAUSED", "enough\n")
    out, err = child.communicate(timeout=60)
    assert time.monotonic() - begun < 8, "all sixty were read"
    assert child.returncode in DOCUMENTED and "paused" in (out + err).lower(), (out, err)
    assert not bare.insights("pending")
