"""The kill switches: PAUSED stops a stage before any work and a running one before its next effect."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.botapi import CHAT, TOKEN, BotApi
from tests.conftest import Ran, adjutant
from tests.modelserver import ModelServer
from tests.system.syscalls import RECORDS, Call, each, effects, strace, traced, unguarded
from tests.system.world import PERMIT, World, changed, mannered, outside

STAGES = ("pulse", "escalation", "review", "reflect")
EFFECTS = 7  # of a pulse: insight, last_heartbeat, pulse.json, outbox, insight revised, moved, last_heartbeat
SWITCHED = ("rename", "renameat2", "link", "unlink", "rmdir", "write", "connect", "execve", "newfstatat", "lstat")


def as_file(path: Path) -> None:
    path.write_text("away until Monday\n")


def as_empty_file(path: Path) -> None:
    path.touch()


def as_folder(path: Path) -> None:
    path.mkdir()


def as_dangling_link(path: Path) -> None:
    path.symlink_to("nowhere")


WAYS = (as_file, as_empty_file, as_folder, as_dangling_link)


# -- before --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("verb", STAGES)
@pytest.mark.parametrize("make", WAYS, ids=lambda make: make.__name__)
def test_a_paused_stage_says_one_line_and_changes_nothing(
    world: World,
    verb: str,
    make: Callable[[Path], None],
) -> None:
    make(world.root / "PAUSED")
    before = world.snapshot()
    ran = world.run(verb, check=0)
    assert len(ran.out.splitlines()) == 1
    assert "paused" in ran.out
    assert ran.err == ""
    assert world.result(verb) | {"run": ""} == {"status": "skipped", "reason": "paused", "run": ""}
    assert changed(before, world.snapshot()) == set()


@pytest.mark.parametrize("broken", ["notifcations: {}\n", "llm: [\n", b"\xff\xfe", "a: 1\na: 2\n", "&a [*a]\n"])
def test_paused_comes_before_a_broken_config(world: World, broken: str | bytes) -> None:
    world.write("adjutant.yaml", broken)
    (world.root / "PAUSED").touch()
    before = world.snapshot()
    ran = world.run("pulse", check=0)
    assert len(ran.out.splitlines()) == 1
    assert ran.err == ""
    assert changed(before, world.snapshot()) == set()
    (world.root / "PAUSED").unlink()
    assert world.refusal("pulse", check=78)["error"]["code"] == "config.invalid"


def test_paused_comes_before_dry_run_and_before_bad_arguments_are_found_out(world: World) -> None:
    (world.root / "PAUSED").touch()
    assert world.result("pulse", "--dry-run")["reason"] == "paused"
    world.settings(debug__dry_run=True)
    assert world.result("review")["reason"] == "paused"


def test_under_paused_a_notice_is_held_back_and_the_operators_verbs_go_on(world: World) -> None:
    world.run("pulse", check=0)
    world.run("pause", "out", "sailing", check=0)
    told = world.outbox()
    held = world.result("notify", "the oven is here", "--key", "oven")
    assert held["outcome"] == "paused"
    assert world.outbox() == told
    assert world.count() == 1
    assert world.result("kb", "query", "bakery", "who pays the deposit?")["reason"] == "paused"
    for words in (
        ("status",),
        ("doctor",),
        ("notices", "list"),
        ("ledger",),
        ("kb", "list"),
        ("why", "last"),
        ("runs", "list"),
        ("config", "check"),
        ("version",),
    ):
        mannered(world.run(*words, check=0))
    status = world.result("status")
    assert status["paused"]["reason"] == "out sailing"
    assert status["paused"]["since"]
    assert [held["key"] for held in status["notices_unsent"]] == ["oven"]


def test_killed_alone_does_not_stop_a_pulse(world: World) -> None:
    (world.root / "KILLED").touch()
    result = world.result("pulse")
    assert result["status"] == "completed"
    assert len(world.outbox()) == 1
    assert world.result("review")["status"] == "completed"


# -- the four verbs ------------------------------------------------------------------------------------------

BEGINNINGS: dict[str, tuple[str, ...]] = {
    "nothing": (),
    "touched PAUSED": ("touch PAUSED",),
    "touched KILLED": ("touch KILLED",),
    "both by hand": ("touch PAUSED", "touch KILLED"),
    "kill": ("kill",),
    "pause then kill": ("pause", "kill"),
    "kill then resume": ("kill", "resume"),
}
# what is on (PAUSED, KILLED) after pause, resume, kill, start
MATRIX = {
    "nothing": {"pause": (1, 0), "resume": (0, 0), "kill": (1, 1), "start": (0, 0)},
    "touched PAUSED": {"pause": (1, 0), "resume": (0, 0), "kill": (1, 1), "start": (1, 0)},
    "touched KILLED": {"pause": (1, 1), "resume": (0, 1), "kill": (1, 1), "start": (0, 0)},
    "both by hand": {"pause": (1, 1), "resume": (0, 1), "kill": (1, 1), "start": (1, 0)},
    "kill": {"pause": (1, 1), "resume": (0, 1), "kill": (1, 1), "start": (0, 0)},
    "pause then kill": {"pause": (1, 1), "resume": (0, 1), "kill": (1, 1), "start": (1, 0)},
    "kill then resume": {"pause": (1, 1), "resume": (0, 1), "kill": (1, 1), "start": (0, 0)},
}


@pytest.mark.parametrize("beginning", BEGINNINGS)
def test_each_switch_verb_leaves_the_switches_as_the_table_says(
    world: World,
    tmp_path: Path,
    beginning: str,
) -> None:
    for step in BEGINNINGS[beginning]:
        word, _, name = step.partition(" ")
        if name:
            (world.root / name).touch()
        else:
            world.run(word, check=0)
    for verb, (paused, killed) in MATRIX[beginning].items():
        copy = world.copy(tmp_path / verb)
        told = copy.result(verb)
        on = ((copy.root / "PAUSED").exists(), (copy.root / "KILLED").exists())
        assert on == (bool(paused), bool(killed)), (beginning, verb)
        assert told == {"paused": on[0], "killed": on[1]}


@pytest.mark.parametrize("make", WAYS, ids=lambda make: make.__name__)
def test_the_switch_verbs_work_with_any_entry_and_a_broken_config(world: World, make: Callable[[Path], None]) -> None:
    world.write("adjutant.yaml", "nonsense: [\n")
    make(world.root / "PAUSED")
    assert world.result("pause", "again") == {"paused": True, "killed": False}
    assert world.result("kill") == {"paused": True, "killed": True}
    assert world.result("resume") == {"paused": False, "killed": True}
    assert world.result("start") == {"paused": False, "killed": False}


def test_the_reason_may_be_anything_and_stays_one_line(world: World) -> None:
    world.run("pause", "a\nb\x1b[31m", "ü" * 300, check=0)
    reason = world.result("status")["paused"]["reason"]
    assert reason.startswith("a b [31m ü")
    assert "\n" not in reason
    assert "\x1b" not in reason


# -- while a run is under way --------------------------------------------------------------------------------


def answers(body: dict[str, Any]) -> str:
    """What a model that does its work says to each question."""
    wanted = body["response_format"]["json_schema"]["name"]
    quote = "- [ ] Pay the deposit for the oven to Halvorsen, Ina, due 2026-11-17"
    evidence = [{"path": "tasks.md", "line": 3, "quote": quote}]
    item = {"title": "The deposit is overdue", "why": "overdue", "severity": "high", "evidence": evidence}
    text = {
        "brief": {"summary": "one overdue", "items": [{**item, "concern": "oven"}]},
        "escalation": {"decisions": [{"insight": "n1", "reason": "grave", "action": "notify"}]},
    }
    return json.dumps(text[wanted])


@pytest.mark.parametrize("nth", [1, 2])
def test_paused_while_the_model_answers_stops_before_the_next_effect(world: World, nth: int) -> None:
    asked: list[str] = []

    def and_pause(body: dict[str, Any]) -> str:
        asked.append(body["response_format"]["json_schema"]["name"])
        if len(asked) == nth:
            (world.root / "PAUSED").touch()
            at_that_moment.update(world.snapshot())
        return answers(body)

    at_that_moment: dict[str, tuple[str, bytes]] = {}
    with ModelServer(answer=and_pause) as server:
        world.settings(
            llm__backend="openai", llm__base_url=server.url, llm__models__cheap="m", limits__one_call_chars=0
        )
        ran = world.run("pulse", "--json", check=0)
    assert asked == ["brief", "escalation"][:nth]
    result = ran.json["result"]
    assert (result["status"], result["reason"]) == ("stopped", "paused"), ran
    assert outside(changed(at_that_moment, world.snapshot()), *RECORDS) == set(), "an effect after PAUSED"
    assert world.outbox() == []
    assert world.count() == 0
    assert len(world.insights("pending")) == (1 if nth == 2 else 0)
    (world.root / "PAUSED").unlink()
    world.settings()
    assert world.result("pulse")["escalations"][0]["action"] == "notified"
    assert len(world.insights("sent")) == 1
    assert len(world.outbox()) == 1


def test_paused_ends_the_wait_that_a_server_asked_for(world: World) -> None:
    with ModelServer(["429-soon"], answer=answers) as server:
        world.settings(llm__backend="openai", llm__base_url=server.url, llm__models__cheap="m")
        running = world.start("pulse", "--json")
        while not server.requests:
            time.sleep(0.02)
        (world.root / "PAUSED").touch()
        began = time.monotonic()
        out, _ = running.communicate(timeout=25)
        assert time.monotonic() - began < 5, "it asked to wait for 20 seconds"
        assert json.loads(out)["result"]["status"] == "stopped"
        assert len(server.requests) == 1


def test_paused_between_reserving_and_sending_gives_the_slot_back(world: World) -> None:
    program = f"import os; open({str(world.root / 'PAUSED')!r}, 'w').close()"
    world.settings(notifications__channel="command", notifications__command=f'{sys.executable} -c "{program}"')
    world.knowledge("permit", {"permit.md": PERMIT})
    result = world.result("pulse")
    assert (result["status"], result["reason"]) == ("stopped", "paused")
    assert world.count() == 1, "the notice that was in flight counts"
    assert len(world.insights("pending")) == 2, "no file was moved after PAUSED"
    (world.root / "PAUSED").unlink()
    again = world.result("pulse")
    assert {row["action"] for row in again["escalations"]} == {"notified"}
    assert world.count() == 1
    assert [record["event"] for record in world.records("notices")] == ["reserved", "sent"]


@pytest.mark.real_strace
@pytest.mark.parametrize("verb", ["pulse", "review", "escalation"])
def test_every_effect_has_a_look_at_paused_since_the_one_before(world: World, verb: str) -> None:
    world.knowledge("permit", {"permit.md": PERMIT})
    if verb != "pulse":
        world.write("insights/pending/mine.md", "Ring the flour mill about the bakery oven\n\nToday.\n")
    with ModelServer(answer=lambda body: "{}") as server, BotApi() as api:
        world.settings(
            llm__backend="openai",
            llm__base_url=server.url,
            llm__models__cheap="m",
            heartbeat__parallel=1,
            notifications__channel="telegram",
            messaging__telegram__api_base=api.url,
        )
        world.secrets(TELEGRAM_BOT_TOKEN=TOKEN, TELEGRAM_CHAT_ID=CHAT)
        ran, calls = traced(world, verb, calls=SWITCHED)
    assert ran.code == 0, ran
    assert api.messages
    assert "connect" in effects(str(world.root), calls)
    assert len(effects(str(world.root), calls)) > 5
    assert unguarded(str(world.root), calls[1:]) == []


def test_the_order_proof_sees_an_effect_without_a_look() -> None:
    look = Call("1", "newfstatat", 'AT_FDCWD, "/i/PAUSED", 0x1, AT_SYMLINK_NOFOLLOW) = -1 ENOENT (No such file)')
    move = Call("1", "renameat2", 'AT_FDCWD, "/i/insights/pending/a.md", AT_FDCWD, "/i/insights/sent/a.md", 1) = 0')
    send = Call("1", "connect", "5<TCP>, {sa_family=AF_INET, sin_port=htons(80)}, 16) = -1 EINPROGRESS (Operation now")
    note = Call("1", "rename", '"/i/state/.x.adj-tmp", "/i/state/notify_count_2026-11-20.txt") = 0')
    outbox = Call("1", "write", '5</i/state/outbox.md>, "- hello"..., 20) = 20')
    assert unguarded("/i", [look, send, look, note, move, look, outbox]) == []
    assert unguarded("/i", [send]) == ["connect"]
    assert unguarded("/i", [look, send, note, move]) == ["renameat2 insights/sent/a.md"]
    assert unguarded("/i", [look, send, outbox]) == ["write state/outbox.md"]


def visible(world: World) -> dict[str, tuple[str, bytes]]:
    """What counts as an effect on the tree: neither records nor half-made files."""
    found = world.snapshot()
    files = (path for path, (kind, content) in found.items() if kind == "file" and content)
    names = outside(files, *RECORDS, r".*\.adj-tmp")
    return {path: found[path] for path in names}


@pytest.mark.real_strace
def test_paused_in_a_widened_gap_stops_before_the_next_effect(world: World, tmp_path: Path) -> None:
    """Each rename, link and append takes long to return; PAUSED appears while the n-th effect does."""
    world.settings(heartbeat__parallel=1)

    def prove(nth: int) -> None:
        copy = world.copy(tmp_path / f"gap-{nth}")
        at_that_moment, ran = paused_at_effect(copy, nth)
        late = changed(at_that_moment, visible(copy)) - {"PAUSED"}
        assert ran.code == 0 and late == set(), f"after PAUSED: {late}"
        result = ran.json["result"]
        assert (result["status"], result["reason"]) == ("stopped", "paused") or nth == EFFECTS, ran
        (copy.root / "PAUSED").unlink()
        copy.run("pulse", check=0)
        assert len(copy.insights("sent")) == 1
        assert copy.insights("pending") == []
        assert len(copy.outbox()) == 1

    each(range(1, EFFECTS + 1), prove)


def paused_at_effect(world: World, nth: int) -> tuple[dict[str, tuple[str, bytes]], Ran]:
    """A pulse under delays; PAUSED is set once its n-th effect is seen. What the tree was then, and how it ended."""
    slow = ("rename", "renameat2", "link", "fdatasync")
    command = [*strace(), "-o", os.devnull, "-e", f"trace={','.join(slow)}"]
    for name in slow:
        command += ["-e", f"inject={name}:delay_exit=80000"]
    child = subprocess.Popen(
        [*command, *world.argv("pulse", "--json")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "ADJUTANT_NOW": world.now},
    )
    with child:
        seen, last = 0, visible(world)
        while child.poll() is None and seen < nth:
            now = visible(world)
            if now != last:
                seen, last = seen + 1, now
                if seen == nth:
                    (world.root / "PAUSED").touch()
            else:
                time.sleep(0.005)
        out, err = child.communicate(timeout=60)
    assert seen == nth, f"a pulse has {seen} effects"
    return last, Ran(subprocess.CompletedProcess([], child.returncode, out, err))


def test_a_pause_that_speaks_of_killed_is_not_lifted_by_start(world: World) -> None:
    world.run("pause", "killed the wrong process, looking into it")
    world.run("resume")
    world.run("pause", "killed")
    world.run("start")
    assert (world.root / "PAUSED").exists()


def test_a_lone_dash_dash_is_no_way_past_paused(world: World) -> None:
    world.write("PAUSED", "")
    for words in (("kb", "query"), ("kb", "--", "query")):
        assert "paused" in adjutant(*words, "bakery", "who pays?", cwd=world.root, check=0).out
