"""Specialists and their queue: who answers, where, and that each task is done once, whatever happens to the runs."""

from __future__ import annotations

import json
import signal
import time
from typing import Any

import pytest

from tests.modelserver import Answer, ModelServer
from tests.system.syscalls import Point, disturbed, each, points, sampled
from tests.system.world import World, changed, outside

CODER = {"workloads": ["build"], "model": "big", "workspace": "workspace/coder"}
RECORDS = (r"state/(usage|events)\.jsonl", r"state/index\.sqlite.*", r"state/(runs|cache|locks)(/.*)?", r"journal.*")
KILLED = (-signal.SIGKILL, 128 + signal.SIGKILL)
Body = dict[str, Any]


def use(world: World, server: ModelServer, **more: Any) -> World:
    settings = {
        "specialists": {"coder": CODER, "worker": {"workloads": ["pipeline"]}},
        "llm__backend": "openai",
        "llm__base_url": server.url,
        "llm__models__cheap": "m",
        "llm__max_retries": 0,
        **more,
    }
    world.settings(**settings)
    return world


def task(world: World, words: str = "make a script", name: str = "coder") -> str:
    id: str = world.result("delegate", name, words)["id"]
    return id


def kept(world: World, id: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(world.text(f"state/tasks/{id}.json"))
    return found


def asked(server: ModelServer, words: str) -> list[Body]:
    """The requests in which the operator's message holds these words."""
    return [
        request.body
        for request in server.requests
        if any(each["role"] == "user" and words in str(each["content"]) for each in request.body["messages"])
    ]


def waited_for(server: ModelServer, requests: int) -> None:
    """Returns when so many requests have come."""
    until = time.monotonic() + 30
    while len(server.requests) < requests and time.monotonic() < until:
        time.sleep(0.05)


# -- one task --------------------------------------------------------------------------------------------------


def test_a_task_is_worked_in_the_specialists_role_by_its_model_and_in_its_own_folder(empty: World) -> None:
    empty.write("prompts/roles/coder.md", "You write small scripts.\n")

    def answer(body: Body) -> Answer:
        if body["messages"][-1]["role"] == "user":
            return [("workspace_write", {"path": "count.py", "text": "print(3)\n"})]
        return "It is in count.py."

    with ModelServer(answer=answer) as server:
        use(empty, server)
        empty.run("behavior", "add", "KEEP: short answers", check=0)
        filed = empty.result("delegate", "coder", "make a script")
        assert (filed["status"], filed["answer"]) == ("queued", None)
        assert list(filed)[:3] == ["id", "status", "answer"]
        assert [row["status"] for row in empty.result("status")["tasks"]] == ["queued"]
        assert "queued coder: make a script" in empty.run("status").out
        done = empty.result("delegate", "--run")
        first = server.requests[0].body
    assert (done["id"], done["status"], done["answer"]) == (filed["id"], "done", "It is in count.py.")
    assert done["left"] == 0
    assert empty.text("workspace/coder/count.py") == "print(3)\n"
    assert first["model"] == "big"
    assert "You are coder, a specialist who works for" in first["messages"][0]["content"]
    assert "You write small scripts." in first["messages"][0]["content"]
    assert "- KEEP: short answers" in first["messages"][0]["content"]
    assert empty.result("job", "show", filed["id"])["answer"] == "It is in count.py."
    assert empty.result("status")["tasks"] == []
    assert kept(empty, filed["id"])["run"] == done["run"]
    assert empty.result("runs", "replay", done["run"])["differences"] == []


@pytest.mark.parametrize(
    ("message", "agent"),
    [("write the code of the importer and fix its unit tests", "coder"), ("thank you, good night", "conductor")],
)
def test_what_a_message_is_about_picks_who_answers_and_the_answer_names_them(
    empty: World,
    message: str,
    agent: str,
) -> None:
    with ModelServer(answer="Done.") as server:
        use(empty, server)
        told = empty.result("ask", message)
        assert told["agent"] == agent, told["concept"]
        assert server.requests[0].body["model"] == ("big" if agent == "coder" else "m")
        assert (empty.run("ask", message).out.startswith("coder:")) == (agent == "coder")


@pytest.mark.parametrize(
    "words",
    [
        ("writer", "a mail"),
        ("nobody", "x"),
        ("coder", " "),
        ("coder",),
        ("coder", "x", "--run"),
        (),
        ("--run", "--limit", "0"),
    ],
)
def test_what_cannot_be_filed_is_refused_and_nothing_is_kept(empty: World, words: tuple[str, ...]) -> None:
    with ModelServer() as server:
        use(empty, server)
        empty.refusal("delegate", *words, check=2)
    assert not (empty.root / "state" / "tasks").exists()


def test_a_secret_in_a_task_is_neither_kept_nor_sent(empty: World) -> None:
    key = "sk-canary-5f20c1d97a-openai"
    with ModelServer(answer="Done.") as server:
        use(empty, server)
        empty.secrets(OPENAI_API_KEY=key)
        task(empty, f"log in with {key}")
        empty.result("delegate", "--run")
        assert key not in json.dumps([request.body for request in server.requests])
        assert server.requests
        assert all(key in request.headers["authorization"] for request in server.requests)
    kept_files = [path for path in (empty.root / "state").rglob("*") if path.is_file()]
    assert not [path for path in kept_files if key.encode() in path.read_bytes()]


# -- the queue ---------------------------------------------------------------------------------------------------


def test_two_runs_at_once_do_each_task_once(empty: World) -> None:
    def slow(body: Body) -> Answer:
        time.sleep(1)
        return "Done."

    with ModelServer(answer=slow) as server:
        use(empty, server)
        ids = [task(empty, f"task number {n} of mine") for n in range(4)]
        first = empty.start("delegate", "--run")
        waited_for(server, 1)
        assert empty.refusal("delegate", "--run", check=75)["error"]["code"] == "lock.busy"
        first.communicate(timeout=60)
        assert [len(asked(server, f"task number {n} of mine")) for n in range(4)] == [1] * 4
    assert {kept(empty, id)["status"] for id in ids} == {"done"}
    assert {kept(empty, id)["tries"] for id in ids} == {1}


def test_a_run_takes_the_oldest_and_no_more_than_its_limit(empty: World) -> None:
    with ModelServer(answer="Done.") as server:
        use(empty, server)
        ids = [
            empty.result("delegate", "coder", f"task {n}", now=f"2026-11-20T09:0{n}:00+00:00")["id"] for n in range(3)
        ]
        done = empty.result("delegate", "--run", "--limit", "2")
    assert [row["id"] for row in done["tasks"]] == ids[:2]
    assert done["left"] == 1


def test_a_task_of_a_dead_run_is_queued_again_and_fails_after_three(empty: World) -> None:
    with ModelServer(["hang"]) as server:
        use(empty, server, llm__timeout_seconds=30)
        id = task(empty)
        for tries in (1, 2, 3):
            under_way = empty.start("delegate", "--run")
            waited_for(server, tries)
            assert kept(empty, id)["status"] == "running"
            assert kept(empty, id)["tries"] == tries
            under_way.kill()
            under_way.communicate()
        done = empty.result("delegate", "--run")
    assert done["tasks"] == []
    assert (kept(empty, id)["status"], kept(empty, id)["tries"]) == ("failed", 3)
    assert "ended before the task did" in kept(empty, id)["reason"]
    assert [row["status"] for row in empty.result("status")["tasks"]] == ["failed"]


def test_a_server_that_is_away_costs_no_try_and_the_next_run_does_it(empty: World) -> None:
    with ModelServer() as server:
        use(empty, server)
        ids = [task(empty), task(empty, "another")]
    error = empty.refusal("delegate", "--run", check=69)["error"]
    assert error["code"] == "model.unavailable"
    assert error["details"]["left"] == 2
    assert [(kept(empty, id)["status"], kept(empty, id)["tries"]) for id in ids] == [("queued", 0)] * 2
    assert [kept(empty, id)["reason"].partition(":")[0] for id in ids].count("unreachable") == 1, "one was asked"
    with ModelServer(answer="Done.") as server:
        use(empty, server)
        assert empty.result("delegate", "--run")["left"] == 0


def test_a_model_that_says_nothing_costs_its_task_and_no_other(empty: World) -> None:
    def answer(body: Body) -> Answer:
        return "" if "riddle" in str(body["messages"]) else "Done."

    with ModelServer(answer=answer) as server:
        use(empty, server)
        bad, good = task(empty, "the riddle"), task(empty, "the easy one")
        for _ in range(3):
            empty.result("delegate", "--run")
    assert kept(empty, good)["status"] == "done"
    assert (kept(empty, bad)["status"], kept(empty, bad)["tries"]) == ("failed", 3)
    assert kept(empty, bad)["reason"].startswith("malformed")
    assert kept(empty, bad)["answer"] == ""


def test_without_a_model_a_task_waits_and_that_is_said(empty: World) -> None:
    empty.settings(specialists={"coder": CODER})
    id = task(empty)
    assert "no model is configured for coder" in empty.refusal("delegate", "--run", check=69)["error"]["message"]
    assert kept(empty, id)["status"] == "queued"
    assert kept(empty, id)["tries"] == 0


def test_a_task_whose_specialist_is_gone_fails_by_name_and_the_others_are_done(empty: World) -> None:
    with ModelServer(answer="Done.") as server:
        use(empty, server)
        old, new = task(empty), task(empty, "another", "worker")
        use(empty, server, specialists={"worker": {"workloads": ["pipeline"]}})
        empty.result("delegate", "--run")
    assert kept(empty, old)["reason"] == "adjutant.yaml has no specialist coder"
    assert kept(empty, new)["status"] == "done"


@pytest.mark.parametrize("text", ["{", "[]", '{"id": "x"}', "\x00", ""])
def test_a_damaged_task_is_named_and_left_and_the_others_are_done(empty: World, text: str) -> None:
    with ModelServer(answer="Done.") as server:
        use(empty, server)
        empty.write("state/tasks/20200101T000000-aaaa.json", text)
        task(empty)
        done = empty.result("delegate", "--run")
    assert done["status"] == "done"
    assert "state/tasks/20200101T000000-aaaa.json" in done["damaged"][0]
    assert empty.text("state/tasks/20200101T000000-aaaa.json") == text
    assert "20200101T000000-aaaa" in " ".join(empty.result("status")["problems"])


def test_an_edit_while_the_model_answers_stands(empty: World) -> None:
    def answer(body: Body) -> Answer:
        (path,) = (empty.root / "state" / "tasks").glob("*.json")
        path.write_text(path.read_text().replace("make a script", "make two scripts"))
        return "Done."

    with ModelServer(answer=answer) as server:
        use(empty, server)
        id = task(empty)
        ran = empty.run("delegate", "--run", check=0)
        assert "was changed or taken away meanwhile" in ran.err
    assert kept(empty, id)["task"] == "make two scripts"
    assert kept(empty, id)["answer"] == ""


def test_paused_before_a_run_does_nothing_and_within_one_it_stops_and_the_next_run_does_it(empty: World) -> None:
    def answer(body: Body) -> Answer:
        (empty.root / "PAUSED").touch()
        return [("workspace_write", {"path": "x.md", "text": "x"})]

    with ModelServer(answer=answer) as server:
        use(empty, server)
        id = task(empty)
        for _ in range(4):  # oftener than a task may fail: the operator's stop is no try
            (empty.root / "PAUSED").unlink(missing_ok=True)
            assert empty.result("delegate", "--run")["status"] == "stopped"
            assert kept(empty, id)["status"] == "running"
        assert not (empty.root / "workspace" / "coder" / "x.md").exists()
        assert len(server.requests) == 4
        assert empty.result("delegate", "--run")["status"] == "skipped"
        assert kept(empty, id)["status"] == "running"
        (empty.root / "PAUSED").unlink()
        server.answer = lambda body: "Done."
        assert empty.result("delegate", "--run")["status"] == "done"


def test_a_dry_run_files_and_settles_nothing(empty: World) -> None:
    def answer(body: Body) -> Answer:
        if body["messages"][-1]["role"] == "user":
            return [("workspace_write", {"path": "x.md", "text": "x"})]
        return "Done."

    with ModelServer(answer=answer) as server:
        use(empty, server)
        task(empty)
        before = empty.snapshot()
        assert empty.result("delegate", "coder", "another", "--dry-run")["status"] == "queued"
        assert empty.result("delegate", "--run", "--dry-run")["status"] == "done"
    assert outside(changed(before, empty.snapshot()), *RECORDS) == set()


def test_a_layer_over_its_limit_stops_the_queue_before_a_task_is_taken_up(empty: World) -> None:
    with ModelServer(answer="Done.") as server:
        use(empty, server)
        id = task(empty)
        empty.write("identity/tools.md", "x" * 5000)
        assert "identity/tools.md" in empty.refusal("delegate", "--run", check=78)["error"]["message"]
        assert server.requests == []
        assert kept(empty, id)["tries"] == 0


@pytest.mark.real_strace
def test_a_run_killed_at_any_write_leaves_its_task_to_the_next_one(empty: World, tmp_path: Any) -> None:
    with ModelServer(answer="Done.") as server:
        use(empty, server)
        id = task(empty)
        found = points(empty.copy(tmp_path / "reference"), "delegate", "--run")
        killed: list[Point] = []

        def one(point: Point) -> None:
            copy = empty.copy(tmp_path / f"{point.name}-{point.number}")
            ran = disturbed(copy, "delegate", "--run", fault=f"{point.name}:signal=SIGKILL:when={point.number}")
            killed.extend([point] if ran.code in KILLED else [])
            left = kept(copy, id)["status"]
            copy.run("delegate", "--run", check=0)
            assert kept(copy, id)["status"] == "done", f"it was {left}"
            assert not list((copy.root / "state" / "tasks").glob("*.adj-tmp"))

        chosen = sampled(found, 14)
        each(chosen, one)
    assert len(killed) >= 0.9 * len(chosen)
