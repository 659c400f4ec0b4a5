"""Many at once: one pulse runs, the others leave at once; what several write, nobody loses."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import yaml

from tests.modelserver import ModelServer
from tests.system.world import World, readable

PATIENCE = 30  # seconds the one that runs would wait for its model; it is let go much earlier


def finished(children: list[subprocess.Popen[str]]) -> list[tuple[int, str, str]]:
    ended = []
    for child in children:
        with child:
            out, err = child.communicate(timeout=120)
        ended.append((child.returncode, out, err))
    return ended


def until(what: Callable[[], object], seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "it never came about"
        time.sleep(0.01)


def test_of_ten_pulses_at_once_one_runs_and_nine_leave_at_once(world: World) -> None:
    with ModelServer(["hang"]) as server:
        world.settings(
            llm__backend="openai",
            llm__base_url=server.url,
            llm__models__cheap="m",
            llm__timeout_seconds=PATIENCE,
            llm__max_retries=0,
        )
        first = world.start("pulse", "--json")
        until(lambda: server.requests)
        others = finished([world.start("pulse", "--json") for _ in range(9)])
        by_hand = [world.run(verb).code for verb in ("review", "escalation", "reflect")]
        free = [world.run(*words).code for words in (("status",), ("notify", "hello"), ("kb", "list"), ("ledger",))]
        waited = first.poll() is not None
        server.done.set()
        ((code, out, err),) = finished([first])
    assert not waited, "nobody waited for the first"
    assert code == 0 and json.loads(out)["result"]["degraded"] == "unreachable", err
    for refused, told, said in others:
        assert refused == 75
        assert json.loads(told)["error"]["code"] == "lock.busy"
        assert len(said.splitlines()) == 2
    assert by_hand == [75] * 3 and free == [0] * 4, "verbs without that lock go on"
    assert [record["type"] for record in world.records("actions")].count("pulse") == 1
    assert len(world.insights("sent")) == 1
    readable(world)


def test_ten_offline_pulses_at_once_file_and_tell_once(world: World) -> None:
    ended = finished([world.start("pulse", "--json") for _ in range(10)])
    codes = [code for code, _, _ in ended]
    assert set(codes) <= {0, 75}
    assert 0 in codes
    assert len(world.insights("sent")) == 1
    assert world.insights("pending") == []
    assert len(world.outbox()) == 1
    readable(world)


def test_a_holder_that_was_killed_blocks_nobody(world: World) -> None:
    with ModelServer(["hang"]) as server:
        world.settings(llm__backend="openai", llm__base_url=server.url, llm__models__cheap="m", llm__timeout_seconds=30)
        holder = world.start("pulse")
        until(lambda: server.requests)
        assert world.run("pulse").code == 75
        holder.send_signal(signal.SIGKILL)
        finished([holder])
    world.settings()
    assert world.result("pulse")["status"] == "completed"
    assert len(world.outbox()) == 1


def test_a_child_of_ours_does_not_inherit_the_run_lock(world: World, tmp_path: Path) -> None:
    script = tmp_path / "slow.sh"
    script.write_text(f"#!/bin/sh\ncat >/dev/null\nsleep 60 >/dev/null 2>&1 </dev/null &\necho $! >{tmp_path}/child\n")
    script.chmod(0o755)
    world.settings(notifications__channel="command", notifications__command=str(script))
    world.result("pulse")
    child = int((tmp_path / "child").read_text())
    try:
        assert world.result("pulse")["status"] == "completed", "a program of the channel that lives on holds no lock"
    finally:
        subprocess.run(["kill", str(child)], check=False)


def test_knowledge_bases_added_by_eight_at_once_are_all_there(world: World, tmp_path: Path) -> None:
    names, more = [f"kb{n}" for n in range(8)], [f"more{n}" for n in range(4)]
    for name in (*names, *more):
        (tmp_path / "notes" / name).mkdir(parents=True)
    ended = finished([world.start("kb", "add", name, str(tmp_path / "notes" / name)) for name in names])
    assert [code for code, _, _ in ended] == [0] * 8, ended
    registry = yaml.safe_load(world.text("knowledge_bases/registry.yaml"))
    assert sorted(entry["name"] for entry in registry) == ["bakery", *names]
    ended = finished(
        [world.start("kb", "remove", name) for name in names[:4]]
        + [world.start("kb", "add", name, str(tmp_path / "notes" / name)) for name in more]
    )
    assert [code for code, _, _ in ended] == [0] * 8, ended
    registry = yaml.safe_load(world.text("knowledge_bases/registry.yaml"))
    assert sorted(entry["name"] for entry in registry) == ["bakery", *names[4:], *more]


def test_one_name_added_by_eight_at_once_is_there_once(world: World, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    ended = finished([world.start("kb", "add", "notes", str(tmp_path / "notes")) for _ in range(8)])
    assert sorted(code for code, _, _ in ended) == [0, *[1] * 7]
    assert [kb["name"] for kb in world.result("kb", "list")["knowledge_bases"]] == ["bakery", "notes"]


def test_a_review_and_an_escalation_and_a_person_racing_move_each_insight_once(world: World) -> None:
    for n in range(20):
        world.write(f"insights/pending/2026-11-19-17{n:02}.md", f"Ring mill number {n} about the bakery oven\n")
    children = [world.start(verb) for verb in ("review", "escalation", "review", "pulse")]
    moved = 0
    while any(child.poll() is None for child in children):
        for path in (world.root / "insights" / "pending").glob("*1719.md"):
            try:
                path.rename(world.root / "insights" / "sent" / path.name)
                moved += 1
            except FileNotFoundError:
                pass  # one of ours was faster
        time.sleep(0.01)
    assert {code for code, _, _ in finished(children)} <= {0, 75}
    world.run("review", check=0)
    readable(world)
    assert world.insights("pending") == []
    assert len(world.insights("sent")) >= 20
    assert moved <= 1


def test_an_edit_a_person_makes_while_the_model_thinks_is_kept(world: World) -> None:
    world.write("insights/pending/mine.md", "Ring the mill about the bakery oven\n")

    def and_edit(body: object) -> str:
        world.write("insights/pending/mine.md", "Ring the mill, no: write to them\n\nAnd ask for the price.\n")
        return '{"action": "notify", "reason": "grave"}'

    with ModelServer(answer=and_edit) as server:
        world.settings(llm__backend="openai", llm__base_url=server.url, llm__models__cheap="m")
        ran = world.run("escalation")
    assert ran.code in (0, 1), ran
    held = world.text("insights/pending/mine.md") + world.text("insights/sent/mine.md")
    assert "And ask for the price." in held, "the person's edit wins"
