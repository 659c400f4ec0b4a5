"""What was not shown is not recorded as told: a matter on record stands in the text that left, under its id."""

from __future__ import annotations

import random
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path

import pytest

from adjutant.domain.matters.picture import Open, Picture
from adjutant.domain.matters.signal import LEVELS, Evidence
from adjutant.domain.telling import digest, message, notices
from adjutant.domain.telling.notices import KINDS
from tests.hostile import CONTROLS, LINES, WORDS, make
from tests.laws.test_one_base import at
from tests.noticing import TODAY
from tests.picturing import made
from tests.system.world import World

ODD = (
    *CONTROLS,
    "<b>",
    "[x](http://a.example)",
    "`",
    "**",
    "| ",
    " · ",
    "…",
    "- ",
    "# ",
    "@all",
    "/kill",
    "\n",
    "é" * 90,
)
CHARS = {"escalation": message.NOTICE_CHARS, "review": digest.CHARS}


def text(draw: random.Random, most: int) -> str:
    parts = [
        *draw.choices(WORDS.split(), k=draw.randint(0, most)),
        *draw.choices(ODD, k=draw.randint(0, 4)),
        *LINES[:1],
    ]
    draw.shuffle(parts)
    return " ".join(parts)


def drawn(draw: random.Random) -> list[Open]:
    """Up to forty matters in words that nobody would choose."""
    return [
        made(
            text(draw, 60),
            draw.randint(-40, 9),
            id=f"k{number:03d}",
            kb=draw.choice(("home", "mail", "a" * 60)),
            severity=draw.choice(LEVELS),
            held=draw.choice(("", text(draw, 30))),
            evidence=[Evidence(f"{text(draw, 9)}/{text(draw, 40)}.md", draw.randint(1, 10**7), "q")],
            changed=at(9),
        )
        for number in range(draw.randint(1, 40))
    ]


def stands(id: str, said: str) -> bool:
    """Whether a line of a text ends with this id."""
    return any(line.rsplit(" · ", 1)[-1] == id for line in said.split("\n"))


@pytest.mark.parametrize("seed", range(60))
def test_what_a_notice_names_leaves_with_it(seed: int) -> None:
    draw = random.Random(seed)
    waiting = drawn(draw)
    said, named = message.notice(waiting, TODAY, draw.randint(1, 20), several=draw.random() < 0.5)
    left = notices.tidy(said, "escalation")
    assert [each.id for each in named if not stands(each.id, left)] == []
    assert len(left.split("\n")) == len(named)


@pytest.mark.parametrize("seed", range(60))
def test_what_a_digest_counts_stands_in_it(seed: int) -> None:
    draw = random.Random(seed)
    picture = Picture(datetime.combine(TODAY, time(12), UTC), drawn(draw), [], [], [])
    made = digest.compose(picture, since="", notes=[text(draw, 40)] * draw.randint(0, 6), several=True)
    left = notices.tidy(made.text, "review")
    assert [id for id in made.ids if not stands(id, left)] == []


OVENS = ("first oven", "flour delivery", "counter permit")


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(3))
def test_what_is_on_record_was_delivered(empty: World, tmp_path: Path, seed: int) -> None:
    """Three days of two hostile folders and one of alarms, as whole runs."""
    for number in range(2):
        make(tmp_path / f"odd{number}", 50 + 2 * seed + number)
        empty.run("kb", "add", f"odd{number}", str(tmp_path / f"odd{number}"), check=0)
    folder = empty.knowledge("bakery", {"tasks.md": "# Bakery opening\n"})
    for day in range(3):
        due = (date(2026, 11, 20) + timedelta(days=day)).isoformat()
        (folder / f"{day}.md").write_text(
            "".join(f"BLOCKED: {text(random.Random(n), 20)}, due {due}\n\n" for n in range(9))
        )
        (folder / f"plain-{day}.md").write_text(f"BLOCKED: the {OVENS[day]} of the bakery opening, due {due}\n")
        for hour, verb in ((8, "pulse"), (13, "pulse"), (20, "review")):
            empty.run(verb, now=at(hour, day), check=0)
    delivered = "\n".join(empty.outbox())
    records = [each for each in empty.records("notices") if each["event"] == "sent" and each["kind"] in CHARS]
    assert len(records) > 2
    for each in records:
        assert [id for id in each["matters"] if not stands(id, each["text"])] == []
        assert [line for line in each["text"].split("\n") if line not in delivered] == []
        assert len(each["text"]) <= CHARS[each["kind"]]
    assert {each["kind"] for each in records} <= set(KINDS)
