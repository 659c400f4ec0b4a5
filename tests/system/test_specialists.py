"""A specialist on an agent's program: it edits and runs commands in its own folder, and does nothing anywhere else."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.modelserver import Answer, ModelServer
from tests.ports.test_agents import bubblewrap
from tests.system.agents import Turn, calls, doctor, use, without_bubblewrap
from tests.system.test_model import CANARY
from tests.system.world import World, changed, outside

pytestmark = pytest.mark.program

BACKENDS = ("opencode", "claude")
RECORDS = (r"state/.*", r"journal.*")


@pytest.fixture
def agents_world(empty: World) -> World:
    bubblewrap()
    empty.secrets(OPENAI_API_KEY=f"sk-{CANARY}-openai", ANTHROPIC_API_KEY=f"sk-{CANARY}-other")
    empty.write("workspace/other/note.md", "of another\n")
    return empty


def model(talk: Callable[[Turn], Answer]) -> ModelServer:
    """A server whose model does what `talk` says."""
    return ModelServer(["well"], lambda body: talk(Turn(body)))


def coder(world: World, server: ModelServer, backend: str, **more: Any) -> World:
    """A specialist on this program, whatever the others are on."""
    return use(world, server, backend, specialists={"coder": {"workloads": ["build"]}}, **more)


def offered(body: dict[str, Any]) -> set[str]:
    return {(tool.get("function") or tool)["name"].casefold() for tool in body.get("tools", ())}


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_specialist_edits_and_runs_commands_in_its_folder_and_nowhere_else(
    agents_world: World,
    backend: str,
) -> None:
    world = agents_world
    mine, root = str(world.root / "workspace" / "coder"), str(world.root)
    work = f"cd {mine} && printf 'print(6 * 7)\\n' > sum.py && python3 sum.py > out.txt && echo ran"
    # in a file of its own: opencode reads a command's words, and refuses one that names a path outside by itself
    hostile = "\n".join(
        [
            f"cat {root}/.env {root}/workspace/other/note.md",
            f"echo x > {root}/PAUSED",
            f"echo x > {root}/workspace/other/note.md",
            f"ln -s {root}/.env {mine}/link; cat {mine}/link",
            "env",
            "",
        ]
    )

    def talk(turn: Turn) -> Answer:
        if turn.number == 0:
            return calls(backend, ("bash", work, "add up"))
        if turn.number == 1:
            return calls(backend, ("bash", f"cd {mine} && printf '%s' '{hostile}' > evil.sh && sh evil.sh", "evil"))
        return "The sum is in out.txt."

    with model(talk) as server:
        coder(world, server, backend)
        before = world.snapshot()
        told = world.result("ask", "--role", "coder", "add it up")
        said = json.dumps([request.body for request in server.requests])
    assert (told["agent"], told["answer"], told["degraded"]) == ("coder", "The sum is in out.txt.", None)
    assert world.text("workspace/coder/out.txt") == "42\n"
    assert outside(changed(before, world.snapshot()), *RECORDS) == {
        "workspace/coder/sum.py",
        "workspace/coder/out.txt",
        "workspace/coder/evil.sh",
        "workspace/coder/link",
    }
    assert "ran" in said
    assert CANARY not in said
    assert "of another" not in said
    assert f"Your own folder is {mine}" in said


@pytest.mark.parametrize("backend", BACKENDS)
def test_without_bubblewrap_it_may_edit_and_run_nothing_and_that_is_said(
    agents_world: World,
    tmp_path: Path,
    backend: str,
) -> None:
    world = without_bubblewrap(agents_world, tmp_path)
    world.write("workspace/coder/list.md", "- milk\n")
    mine = str(world.root / "workspace" / "coder" / "list.md")

    def talk(turn: Turn) -> Answer:
        if turn.number == 0:
            return calls(backend, ("read", mine))
        if turn.number == 1:
            return calls(backend, ("edit", mine, "milk", "oat milk"))
        if turn.number == 2:
            return calls(backend, ("bash", f"echo x > {world.root}/workspace/coder/x", "write"))
        return "Done."

    with model(talk) as server:
        coder(world, server, backend)
        ran = world.run("ask", "--role", "coder", "oat milk, please", check=0)
        bodies = [request.body for request in server.requests]
    assert "coder may edit files and run no commands: bwrap is not installed" in ran.err
    assert world.text("workspace/coder/list.md") == "- oat milk\n"
    assert not (world.root / "workspace/coder/x").exists()
    assert not any("bash" in offered(body) for body in bodies)
    assert any("edit" in offered(body) for body in bodies)
    assert "You may run no commands." in json.dumps(bodies[0])


def test_a_dry_run_lets_it_look_and_no_more(agents_world: World) -> None:
    world = agents_world
    world.write("workspace/coder/list.md", "- milk\n")
    with model(lambda turn: "Seen.") as server:
        coder(world, server, "opencode")
        world.result("ask", "--role", "coder", "what is in the list?", "--dry-run")
        assert not {"bash", "edit", "write"} & offered(server.requests[0].body)
        assert "read" in offered(server.requests[0].body)


def test_the_conductor_has_no_folder_and_no_tools_of_a_program(agents_world: World) -> None:
    with model(lambda turn: "Hello.") as server:
        coder(agents_world, server, "opencode")
        assert agents_world.result("ask", "good morning")["agent"] == "conductor"
        assert not offered(server.requests[0].body)
        assert "Your own folder" not in json.dumps(server.requests[0].body)


@pytest.mark.parametrize("place", ["workspace", "workspace/coder"])
def test_a_folder_that_is_a_link_is_refused_by_name(agents_world: World, tmp_path: Path, place: str) -> None:
    world = agents_world
    (tmp_path / "elsewhere" / "coder").mkdir(parents=True)
    here = world.root / place
    if here.exists():
        here.rename(tmp_path / "away")
    here.symlink_to(tmp_path / "elsewhere")
    with model(lambda turn: "Done.") as server:
        coder(world, server, "opencode")
        error = world.refusal("ask", "--role", "coder", "build it", check=65)["error"]
        assert place in error["message"]
        assert server.requests == []


def test_a_task_is_worked_by_the_program(agents_world: World) -> None:
    world = agents_world
    mine = str(world.root / "workspace" / "coder")

    def talk(turn: Turn) -> Answer:
        return calls("opencode", ("bash", f"echo built > {mine}/a.txt", "build")) if turn.number == 0 else "Built."

    with model(talk) as server:
        coder(world, server, "opencode")
        world.result("delegate", "coder", "build it")
        assert world.result("delegate", "--run")["answer"] == "Built."
    assert world.text("workspace/coder/a.txt") == "built\n"


def test_doctor_looks_for_the_program_of_a_specialist_and_says_whether_it_may_run_commands(
    empty: World,
    tmp_path: Path,
) -> None:
    empty.settings(specialists={"coder": {"workloads": ["build"], "backend": "opencode"}})
    found = doctor(without_bubblewrap(empty, tmp_path))
    assert not found["agent of coder"]["ok"]
    assert "opencode is not there" in found["agent of coder"]["detail"]
    assert found["confinement"]["detail"].endswith("; specialists run no commands")
    empty.settings(specialists={"coder": {"workloads": ["build"]}})
    assert not {"agent", "agent of coder", "confinement"} & doctor(empty).keys()


def test_doctor_names_a_task_that_cannot_be_read(empty: World) -> None:
    empty.write("state/tasks/20200101T000000-aaaa.json", "{")
    assert "state/tasks/20200101T000000-aaaa.json" in doctor(empty)["task"]["detail"]
