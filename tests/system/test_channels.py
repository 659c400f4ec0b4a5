"""Channels from outside: any service through Apprise, the next one when one is down, one budget over all of them."""

from __future__ import annotations

import random
import time

import pytest

from tests.botapi import CHAT, TOKEN, BotApi
from tests.places import Ntfy, Smtp
from tests.ports.test_notifier import free_port
from tests.system.test_model import CANARY, holders
from tests.system.world import World, mannered

PASSWORD = f"{CANARY}-Pa55"


def apprise(world: World, *urls: str, **more: object) -> World:
    world.settings(notifications__channel="apprise", **more)
    world.secrets(ADJUTANT_NOTIFY_URLS=" ".join(urls))
    return world


def falling(world: World, api: BotApi, *urls: str, fallback: object = "apprise", **more: object) -> World:
    """Telegram first, then Apprise."""
    world.settings(
        notifications__channel="telegram",
        notifications__fallback=fallback,
        messaging__telegram__api_base=api.url,
        **more,
    )
    world.secrets(TELEGRAM_BOT_TOKEN=TOKEN, TELEGRAM_CHAT_ID=CHAT, ADJUTANT_NOTIFY_URLS=" ".join(urls))
    return world


def outcomes(world: World, count: int) -> list[str]:
    return [world.result("notify", f"number {n}")["outcome"] for n in range(count)]


def test_a_pulse_tells_through_apprise(world: World) -> None:
    with Ntfy() as ntfy, Smtp() as smtp:
        apprise(world, ntfy.url(), smtp.url()).run("pulse", check=0)
        [notice] = ntfy.notices
        assert "Pay the deposit for the oven to Halvorsen" in notice["message"]
        assert len(smtp.mails) == 1
        assert str(smtp.mails[0]["subject"]) == "Adjutant"


def test_three_a_day_over_all_channels(world: World) -> None:
    with BotApi("401") as api, Ntfy() as ntfy:
        falling(world, api, ntfy.url())
        assert outcomes(world, 2) == ["sent", "sent"]
        api.mode = "ok"
        assert outcomes(world, 3) == ["sent", "budget_exceeded", "budget_exceeded"]
        assert len(ntfy.notices) + len([m for m in api.messages if m.mode == "ok"]) == 3


def test_a_dead_channel_is_told_once_a_death(world: World) -> None:
    with BotApi("401") as api, Ntfy() as ntfy:
        falling(world, api, ntfy.url(), notifications__max_per_day=10)
        for mode in ("401", "401", "ok", "401", "401"):
            api.mode = mode
            world.result("notify", f"{mode} {len(api.messages)}")
        told = ["telegram is down" in notice["message"] for notice in ntfy.notices]
        assert told == [True, False, True, False]
        assert world.count() == 5


def test_status_and_doctor_show_what_is_down(world: World) -> None:
    with BotApi("401") as api, Ntfy() as ntfy:
        falling(world, api, ntfy.url()).run("notify", "hello", check=0)
        [problem] = [each for each in world.result("status")["problems"] if "down" in each]
        assert problem.startswith("telegram has been down since 2026-11-20 09:00 (HTTP 401")
        assert problem in world.run("doctor").out
        api.mode = "ok"
        world.run("notify", "hello again", check=0)
        assert world.result("status")["problems"] == []


@pytest.mark.sweep
@pytest.mark.parametrize("mode", ["500", "reset"])
def test_what_may_have_been_delivered_falls_no_further(world: World, mode: str) -> None:
    with BotApi(mode) as api, Ntfy() as ntfy:
        falling(world, api, ntfy.url())
        assert world.refusal("notify", "hello", check=69)["error"]["details"]["outcome"] == "unknown"
        assert ntfy.asked == 0
        assert world.count() == 1


def test_a_channel_without_its_settings_is_down(world: World) -> None:
    world.settings(notifications__channel="telegram", notifications__fallback=["apprise", "outbox"])
    assert world.result("notify", "hello")["outcome"] == "sent"
    [notice] = world.outbox()
    assert "telegram is down" in notice
    assert "apprise is down" in notice


def test_all_channels_down_gives_the_slot_back(world: World) -> None:
    with BotApi("401") as api:
        falling(world, api, f"ntfy://127.0.0.1:{free_port()}/x")
        details = world.refusal("notify", "hello", check=69)["error"]["details"]
        assert details["outcome"] == "failed"
        assert world.count() == 0


@pytest.mark.parametrize(
    ("settings", "what"),
    [
        ({"channel": "outbox", "fallback": "outbox"}, "names the channel that it is to replace"),
        ({"channel": "outbox", "fallback": "pigeon"}, "outbox | telegram | command | apprise"),
        ({"channel": "outbox", "fallback": "telegam"}, "did you mean `telegram`?"),
        ({"channel": "outbox", "fallback": ["command"]}, "needs `notifications.command`"),
    ],
)
def test_a_fallback_that_makes_no_sense_is_refused(world: World, settings: dict[str, object], what: str) -> None:
    world.settings(notifications=settings)
    message = world.refusal("config", "check", check=78)["error"]["message"]
    assert what in message
    assert "adjutant.yaml:3" in message


@pytest.mark.parametrize("urls", ["", "no-address", " ".join(["ntfy://127.0.0.1/x"] * 11)])
def test_unusable_addresses_are_refused_unsaid(world: World, urls: str) -> None:
    ran = apprise(world, urls).run("notify", "hello", check=78)
    assert "ADJUTANT_NOTIFY_URLS" in ran.err
    assert "no-address" not in ran.err


def test_without_the_extra_one_line_says_what_to_install(world: World) -> None:
    apprise(world, "ntfy://127.0.0.1/x")
    world.plant(
        "import importlib.util as u; find = u.find_spec; u.find_spec = lambda n: None if n == 'apprise' else find(n)"
    )
    ran = world.run("notify", "hello", check=69)
    assert "adjutant[notify]" in ran.err
    mannered(ran)


@pytest.mark.parametrize("mode", ["ok", "401"])
def test_no_part_of_an_address_is_kept_or_said(world: World, mode: str) -> None:
    with Ntfy(mode) as ntfy:
        address = ntfy.url(f"ina:{PASSWORD}")
        apprise(world, address, f"json://127.0.0.1:{free_port()}/{CANARY}-in-a-path")
        world.write("knowledge_bases/bakery/keys.md", f"- [ ] The password is {PASSWORD}, due 2026-11-17\n")
        told = [world.run(*words) for words in (("notify", "hi", "--json"), ("pulse",), ("status",), ("doctor",))]
        told.append(world.run("config", "show", "--json"))
    assert [ran for ran in told if CANARY in ran.out + ran.err] == []
    copies = ("keys.md", "readings-bakery.bin")  # the operator's own file, and what reading it again would cost
    assert [path for path in holders(world.root) if not path.endswith(copies)] == []


def test_doctor_names_an_address_without_tls(world: World) -> None:
    apprise(world, f"ntfy://ina:{PASSWORD}@push.example.com/notices", "ntfy://a-topic-nobody-knows")
    told = world.run("doctor").out
    assert "without TLS: push.example.com" in told
    assert "nobody-knows" not in told
    assert PASSWORD not in told


DIES_WHILE_IT_FALLS = """
import os
from adjutant.channels.apprise import AppriseChannel
AppriseChannel.send = lambda *given: os._exit(9)
"""


def test_a_death_between_two_channels_costs_a_slot(world: World) -> None:
    with BotApi("401") as api, Ntfy() as ntfy:
        falling(world, api, ntfy.url())
        program = world.program
        world.plant(DIES_WHILE_IT_FALLS)
        assert world.run("notify", "the oven is here", "--key", "oven").code == 9
        world.program = program
        assert world.result("notify", "the oven is here", "--key", "oven")["outcome"] == "duplicate"
        assert outcomes(world, 3) == ["sent", "sent", "budget_exceeded"]


@pytest.mark.sweep
def test_kills_at_any_moment_never_send_a_fourth(world: World) -> None:
    chance = random.Random(95)
    with BotApi("401") as api, Ntfy() as ntfy:
        falling(world, api, ntfy.url())
        for n in range(8):
            child = world.start("notify", f"storm {n}", "--key", f"k{n}")
            time.sleep(chance.uniform(0.05, 0.9))
            child.kill()
            child.communicate()
        outcomes(world, 4)
        assert len(ntfy.notices) <= 3
