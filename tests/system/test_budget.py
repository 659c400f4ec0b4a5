"""The budget from outside: whatever races, dies, hangs or lies, no more than max_per_day messages leave on one day."""

from __future__ import annotations

import json
import random
import subprocess
import time
from collections import Counter

import pytest

from tests.botapi import CHAT, TOKEN, BotApi
from tests.system.world import DAY, World, mannered

STORM, ROUNDS, SEED = 12, 3, 1120
NIGHT, MORNING, EVENING = "2026-11-20T23:30:00+00:00", "2026-11-21T06:30:00+00:00", "2026-11-21T20:00:00+00:00"


def connected(world: World, api: BotApi, **more: object) -> World:
    world.settings(notifications__channel="telegram", messaging__telegram__api_base=api.url, **more)
    world.secrets(TELEGRAM_BOT_TOKEN=TOKEN, TELEGRAM_CHAT_ID=CHAT)
    return world


def finished(children: list[subprocess.Popen[str]]) -> list[tuple[int, str, str]]:
    ended = []
    for child in children:
        with child:
            out, err = child.communicate(timeout=120)
        ended.append((child.returncode, out, err))
    return ended


def told(ended: list[tuple[int, str, str]]) -> Counter[str]:
    """How many of them said which outcome."""
    return Counter(json.loads(out)["result"]["outcome"] for _, out, _ in ended)


def test_of_24_notices_at_once_exactly_3_leave(world: World) -> None:
    with BotApi() as api:
        connected(world, api)
        ended = finished([world.start("notify", f"number {n}", "--key", f"k{n}", "--json") for n in range(24)])
        assert [code for code, _, _ in ended] == [0] * 24, ended
        assert told(ended) == {"sent": 3, "budget_exceeded": 21}
        assert len(api.messages) == 3
        assert world.count() == 3
        outcomes = [record["outcome"] for record in world.records("notices") if record["event"] != "reserved"]
        assert sorted(outcomes) == ["budget_exceeded"] * 21 + ["sent"] * 3
        sent = {message.body["text"] for message in api.messages}
        assert len(sent) == 3
        assert {message.body["chat_id"] for message in api.messages} == {CHAT}
        held = {held["key"] for held in world.result("status")["notices_unsent"]}
        assert len(held) == 21, "nothing is lost: the next review carries them"


def test_one_key_sent_by_many_at_once_leaves_once(world: World) -> None:
    with BotApi() as api:
        connected(world, api)
        ended = finished([world.start("notify", "the oven is here", "--key", "oven", "--json") for _ in range(8)])
        assert [code for code, _, _ in ended] == [0] * 8
        assert told(ended) == {"sent": 1, "duplicate": 7}
        assert len(api.messages) == 1
        assert world.count() == 1


def test_storms_with_kills_never_send_a_fourth(world: World) -> None:
    chance = random.Random(SEED)
    with BotApi() as api:
        connected(world, api)
        for day in range(21, 21 + ROUNDS):
            world.now = f"2026-11-{day}T09:00:00+00:00"
            before = len(api.messages)
            children = [world.start("notify", f"storm {day} {n}", "--key", f"s{day}-{n}") for n in range(STORM)]
            began = time.monotonic()
            while any(child.poll() is None for child in children):
                time.sleep(chance.uniform(0.005, 0.12))
                chance.choice(children).kill()
                if time.monotonic() - began > 60:
                    break
            finished(children)
            left = len(api.messages) - before
            assert left <= 3 and world.count(f"2026-11-{day}") >= left, (day, left)
            for n in range(4):
                mannered(world.run("notify", f"after {day} {n}", check=0))
            left = len(api.messages) - before
            assert left <= 3, f"{left} messages left on day {day}"
        assert len({message.body["text"] for message in api.messages}) == len(api.messages)


def test_a_server_that_accepts_and_hangs_keeps_its_slot_and_is_not_asked_again(world: World) -> None:
    with BotApi("hang") as api:
        connected(world, api)
        world.plant("from adjutant.channels import telegram; telegram.Telegram.__init__.__defaults__ = (1.0,)")
        ran = world.run("notify", "is anyone there", "--key", "hung", "--json", check=69)
        mannered(ran)
        assert ran.json["error"]["details"]["outcome"] == "unknown"
        assert world.count() == 1
        api.mode = "ok"
        assert world.result("notify", "is anyone there", "--key", "hung")["outcome"] == "duplicate"
        outcomes = [world.result("notify", f"next {n}")["outcome"] for n in range(3)]
        assert outcomes == ["sent", "sent", "budget_exceeded"]
        assert len(api.messages) == 3


@pytest.mark.parametrize("mode", ["500", "reset", "cut", "not-ok"])
def test_what_may_have_been_delivered_counts(world: World, mode: str) -> None:
    with BotApi(mode) as api:
        connected(world, api, notifications__max_per_day=1)
        assert world.refusal("notify", "hello", check=69)["error"]["details"]["outcome"] == "unknown"
        api.mode = "ok"
        assert world.result("notify", "hello again")["outcome"] == "budget_exceeded"
        assert len(api.messages) == 1


def test_what_was_refused_gives_its_slot_back_but_is_not_tried_for_ever(world: World) -> None:
    with BotApi("400") as api:
        connected(world, api, notifications__max_per_day=1)
        codes = [world.run("notify", f"try {n}").code for n in range(5)]
        assert codes == [69, 69, 69, 0, 0]
        assert len(api.messages) == 3
        assert world.count() == 0
        api.mode = "ok"
        world.now = "2026-11-21T09:00:00+00:00"
        assert world.result("notify", "a new day")["outcome"] == "sent"


def test_a_refused_connection_is_told_and_gives_its_slot_back(world: World) -> None:
    with BotApi() as api:
        connected(world, api)
    envelope = world.refusal("notify", "nobody listens", "--key", "n", check=69)
    assert envelope["error"]["code"] == "channel.unavailable"
    assert world.count() == 0
    assert TOKEN not in str(envelope)


@pytest.mark.parametrize("held", ["abc", "", "3 of them", "-1", "1.0", "٣", "\x00"])
def test_a_count_file_that_is_no_integer_means_no_budget_and_status_says_so(world: World, held: str) -> None:
    name = f"notify_count_{DAY}.txt"
    with BotApi() as api:
        connected(world, api)
        world.write(f"state/{name}", held)
        told = world.result("notify", "hello")
        assert told["outcome"] == "budget_exceeded"
        assert api.messages == []
        status = world.result("status")
        assert any(name in problem for problem in status["problems"])
        assert status["budget"]["left"] == 0
        assert name in world.run("status", check=0).out
        assert name in world.run("doctor", check=1).out
        assert world.text(f"state/{name}") == held, "it is left alone"
        assert world.result("pulse")["escalations"][0]["action"] == "logged"
        assert api.messages == []


def test_quiet_hours_across_midnight_hold_back_uncounted_and_the_next_review_carries(world: World) -> None:
    with BotApi() as api:
        connected(world, api, notifications__quiet_hours__enabled=True)
        for key, now in (("late", NIGHT), ("early", MORNING)):
            assert world.result("notify", f"a word {key}", "--key", key, now=now)["outcome"] == "quiet_hours"
        assert world.result("pulse", now=NIGHT)["escalations"][0]["action"] == "logged"
        (name,) = world.insights("pending")
        front = world.text(f"insights/pending/{name}")
        assert "notice: quiet_hours" in front
        assert "decided: notify" in front
        assert api.messages == []
        assert world.count() == 0 == world.count("2026-11-21")
        assert {held["key"] for held in world.result("status", now=MORNING)["notices_unsent"]} == {
            "late",
            "early",
            name.removesuffix(".md"),
        }
        world.result("review", now=EVENING)
        assert world.insights("sent") == [name]
        assert world.insights("pending") == []
        [digest] = api.messages
        assert "Pay the deposit" in digest.body["text"]
        journal = world.journal("2026-11-21")
        assert "a word late" in journal
        assert "a word early" in journal
        assert "Pay the deposit" in journal
        assert world.result("status", now=EVENING)["notices_unsent"] == []
        assert world.result("notify", "now", now="2026-11-21T21:59:00+00:00")["outcome"] == "sent"
        assert world.result("notify", "later", now="2026-11-21T22:00:00+00:00")["outcome"] == "quiet_hours"


MATTERS = (
    "Send the fire plan to the inspector of the bakery permit",
    "Hire a second baker for the bakery",
    "Repair the door of the oven",
    "Insure the bakery against water",
    "Answer the bank about the loan for the bakery",
)


def test_pulses_with_new_matters_leave_the_last_slot_to_the_digest_which_names_them_all(world: World) -> None:
    for n, matter in enumerate(MATTERS):
        world.knowledge(f"kb{n}", {"list.md": f"# List\n\n- [ ] {matter}, Ina, due 2026-11-1{n}\n"})
        world.result("pulse", now=f"2026-11-20T09:0{n}:00+00:00")
    assert len(world.outbox()) == 2 == world.count()
    held = world.result("status", now="2026-11-20T09:10:00+00:00")["notices_unsent"]
    assert held
    assert {record["outcome"] for record in held} == {"budget_exceeded"}
    waiting = world.insights("pending")
    assert len(waiting) == 3, "of six matters: two notices told two and one"
    consumed = world.result("review", now="2026-11-20T20:00:00+00:00")["insights_consumed"]
    digest = world.outbox()[-1]
    assert len(world.outbox()) == 3 == world.count()
    assert all(matter in digest for matter in MATTERS)
    assert (consumed, world.insights("pending")) == (waiting, [])
    assert world.result("status", now="2026-11-20T20:01:00+00:00")["notices_unsent"] == []
