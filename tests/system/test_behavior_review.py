"""behavior review through the shell: from a talk to a directive, under the switches, and killed anywhere."""

from __future__ import annotations

import json
import re
import signal
from pathlib import Path
from typing import Any

import pytest

from adjutant import commands
from adjutant.records import behavior_history
from adjutant.store.files import Files
from adjutant.store.tree import Tree
from tests.modelserver import ModelServer
from tests.system.syscalls import CHANGING, Point, disturbed, each, points, sampled
from tests.system.test_model import prompt
from tests.system.world import World, changed, mannered, outside

EVENING = "2026-11-20T21:30:00+00:00"
KEYS = [
    "run",
    "status",
    "reason",
    "dry_run",
    "outcome",
    "good_patterns",
    "bad_patterns",
    "candidates",
    "expired",
    "notice",
    "since",
    "read",
    "left_out",
    "refused",
    "model_calls",
    "tokens",
    "degraded",
]
ASKED = ("Always name your sources.", "Please always name your sources.")
WANTED = 4  # points on a desk
KILLED = (-signal.SIGKILL, 128 + signal.SIGKILL)


@pytest.fixture
def talked(empty: World) -> World:
    """An evening after a day on which the operator asked twice for the same."""
    empty.now = EVENING
    rows = [
        ("operator", "what is due?"),
        ("agent", "The deposit."),
        ("operator", ASKED[0]),
        ("agent", "Noted."),
        ("operator", ASKED[1]),
    ]
    records = [
        {"id": f"m{number}", "ts": f"2026-11-20T1{number}:00:00+00:00", "role": role, "name": role, "text": text}
        for number, (role, text) in enumerate(rows)
    ]
    empty.write("state/conversations/cli.jsonl", "".join(json.dumps(record) + "\n" for record in records))
    return empty


def test_from_a_talk_to_a_directive(talked: World) -> None:
    found = talked.result("behavior", "review")
    assert list(found)[: len(KEYS)] == KEYS
    assert (found["outcome"], found["read"]) == ("proposed", 3)
    [candidate] = talked.result("behavior", "candidates")["candidates"]
    assert found["candidates"] == [candidate]
    assert candidate["text"] == "name your sources"
    assert not talked.text("state/behavior/contract.json")
    ran = talked.run("behavior", "review", check=0)
    mannered(ran)
    assert "nothing new to propose from 3 messages since 2026-11-19 21:30" in ran.out
    assert talked.result("behavior", "promote", candidate["id"])["outcome"] == "promoted"
    assert talked.result("behavior", "review")["outcome"] == "nothing"
    chain = talked.result("behavior", "why", "start-")["chain"]
    assert [each["text"] for each in chain if each["kind"] == "evidence"] == [f'"{said}"' for said in ASKED[::-1]]
    assert talked.journal().count("Behaviour review") == 1


SHOWN = {  # what somebody says, and the directive of the source text that it shows
    "You told me four times since lunch where things stand.": ("LESS", "frequent status handoffs"),
    "Two pages of strategy again; I read the last line.": ("STOP", "long strategy monologues"),
    "The heartbeat says in ten lines that all is well.": ("LESS", "redundant heartbeat verbosity"),
}
SMALL_TALK = ("good morning", "what a lovely day", "the cake was too long in the oven", "thanks, see you tomorrow")


def judged(body: dict[str, Any]) -> str:
    """A model that knows what shows a directive, and nothing else."""
    lines = re.findall(r"^(m\d+) \(.*?\): (.*)$", prompt(body), re.MULTILINE)
    rows = [
        {"reason": "It disturbs.", "quotes": [{"handle": handle, "quote": said}], "type": type, "text": text}
        for handle, said in lines
        if said in SHOWN
        for type, text in [SHOWN[said]]
    ]
    return json.dumps({"proposals": [row | {"confidence": 0.8} for row in rows]})


def reviewed(world: World, *said: str) -> list[str]:
    """What a review with that model proposes of a talk, by the real command line."""
    records = [
        {"id": f"m{number}", "ts": f"2026-11-20T1{number}:00:00+00:00", "role": "operator", "name": "o", "text": text}
        for number, text in enumerate(said)
    ]
    world.now = EVENING
    world.write("state/conversations/cli.jsonl", "".join(json.dumps(record) + "\n" for record in records))
    with ModelServer(answer=judged) as server:
        world.settings(llm__backend="openai", llm__base_url=server.url, llm__models__cheap="m")
        found = world.result("behavior", "review")
    assert found["model_calls"] == 1
    return [f"{each['type']}: {each['text']}" for each in found["candidates"]]


def test_a_model_s_reading_of_a_talk_is_proposed(empty: World) -> None:
    assert reviewed(empty, *SHOWN) == [f"{type}: {text}" for type, text in SHOWN.values()]


def test_small_talk_leads_to_nothing(empty: World) -> None:
    assert reviewed(empty, *SMALL_TALK) == []


@pytest.mark.parametrize(("named", "lines"), ((False, 0), (True, 1)))
def test_the_next_digest_names_what_waits(talked: World, named: bool, lines: int) -> None:
    talked.settings(behavior__digest=named, review__deliver="always")
    talked.result("behavior", "review")
    talked.result("review")
    told = talked.outbox()[0]
    assert "Waiting for your word: 1 candidate: adjutant behavior candidates" in told
    assert told.count("START: name your sources") == lines


def test_it_runs_once_a_slot_and_by_hand_whenever_asked(talked: World) -> None:
    assert talked.result("behavior", "review", "--if-due")["outcome"] == "proposed"
    assert talked.result("behavior", "review", "--if-due")["reason"] == "not_due"
    assert talked.result("behavior", "review")["status"] == "completed"
    late = talked.result("behavior", "review", "--if-due", now="2026-11-23T21:30:00+00:00")
    assert late["since"] == EVENING and late["read"] == 0, "it goes back to the last one"


def test_switches_the_lock_and_a_dry_run_hold_it(talked: World) -> None:
    before = talked.snapshot()
    (talked.root / "PAUSED").touch()
    for words in (("behavior", "review"), ("behavior", "review", "--if-due")):
        assert talked.result(*words) == {"status": "skipped", "reason": "paused"}
    other = commands.row_of(["behavior", "--", "review"])
    assert other is not None
    assert other.paused
    (talked.root / "PAUSED").unlink()
    assert changed(before, talked.snapshot()) == set()
    with Files(Tree(str(talked.root))).lock("learning"):
        told = talked.refusal("behavior", "review", check=75)["error"]["message"]
        assert "another run holds the learning lock" in told
        assert talked.result("behavior", "candidates")["candidates"] == [], "the other verbs wait for nobody"
    assert talked.result("behavior", "review", "--dry-run")["outcome"] == "proposed"
    assert (
        outside(
            changed(before, talked.snapshot()),
            r"journal/2026-11-20\.md",
            r"state/(events|usage|actions)\.jsonl",
            r"state/(runs|cache|locks)/.*",
        )
        == set()
    )
    (talked.root / "KILLED").touch()
    assert talked.result("behavior", "review")["outcome"] == "proposed"


def test_help_and_wrong_words(talked: World) -> None:
    assert "review" in talked.run("behavior", "--help", check=0).out
    assert "--if-due" in talked.run("behavior", "review", "--help", check=0).out
    talked.refusal("behavior", "review", "--frob", check=2)
    talked.refusal("behavior", "--if-due", "review", check=2)


@pytest.mark.real_strace
def test_killed_anywhere_the_next_run_leaves_one_candidate_and_one_digest(
    talked: World,
    tmp_path: Path,
) -> None:
    found = points(talked, "behavior", "review", names=CHANGING)
    assert len(found) >= 10, f"only {len(found)} calls that change a file: the sweep has gone blind"
    killed: list[Point] = []

    def one(point: Point) -> None:
        copy = talked.copy(tmp_path / f"{point.name}-{point.number}")
        ran = disturbed(copy, "behavior", "review", fault=f"{point.name}:signal=SIGKILL:when={point.number}")
        killed.extend([point] if ran.code in KILLED else [])
        copy.result("behavior", "review")
        [candidate] = behavior_history.read(Files(Tree(str(copy.root))))
        assert copy.journal().count(f"**{candidate['id']}**") == 1, point

    chosen = sampled(found, WANTED)
    each(chosen, one)
    assert len(killed) >= 0.9 * len(chosen)
