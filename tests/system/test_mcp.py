"""The door for agents: what they may look at, that a person is asked before anything changes, and who may call."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests import warm
from tests.calling import NEW, OLD, YES, Agent, by_page, by_pipe, hashes
from tests.conftest import adjutant
from tests.modelserver import ModelServer
from tests.serving import NOW, TASKS, Served, make_root

NO, CLOSED = {"action": "decline"}, {"action": "cancel"}
BOILER = "The boiler service is on 2026-12-01 with Hansen."
SECRET = "sk-test-0123456789abcdef"
WITHOUT = "import sys; sys.modules['mcp'] = None; from adjutant.__main__ import main; sys.exit(main())"
ERAS = pytest.mark.parametrize("era", [NEW, OLD])


class Door:
    """An instance behind one page; agents by era, asked or not."""

    def __init__(self, root: Path) -> None:
        self.root, self.served = root, Served(root)
        self.key = new_key(root)
        self._agents: dict[tuple[str, bool], Agent] = {}

    def agent(self, era: str, *, asks: bool = True) -> Agent:
        if (era, asks) not in self._agents:
            self._agents[era, asks] = Agent(by_page(self.served, self.key), era, asks=asks)
        agent = self._agents[era, asks]
        agent.questions.clear()
        agent.person = lambda question: YES
        return agent

    def close(self) -> None:
        for each in self._agents.values():
            each.close()
        self.served.stop()


def new_key(root: Path) -> str:
    return str(adjutant("serve", "--key", "--json", cwd=root, check=0, ADJUTANT_NOW=NOW).json["result"]["key"])


def make_lived_in(root: Path, *, model: str = "") -> Path:
    make_root(root)
    (root / "notes" / "house.md").write_text(f"# House\n\n{BOILER}\n\nThe key of the till is {SECRET} still.\n")
    (root / ".env").write_text(f"OPENAI_API_KEY={SECRET}\n")
    (root / ".env").chmod(0o600)
    if model:
        text = (root / "adjutant.yaml").read_text()
        text = text.replace("  backend: offline\n", "  backend: openai\n").replace(
            "base_url: null", f"base_url: {model}"
        )
        (root / "adjutant.yaml").write_text(text.replace("cheap: null", "cheap: m"))
        assert model in adjutant("config", "show", "--json", cwd=root, check=0).out
    adjutant("behavior", "add", "KEEP: short answers", cwd=root, check=0)
    return root


@pytest.fixture(scope="module")
def model() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture(scope="module")
def door(tmp_path_factory: pytest.TempPathFactory, model: ModelServer) -> Iterator[Door]:
    door = Door(make_lived_in(tmp_path_factory.mktemp("mcp") / "instance", model=model.url))
    yield door
    door.close()


@pytest.fixture(scope="module")
def pipe(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Agent]]:
    root = make_lived_in(tmp_path_factory.mktemp("pipe") / "instance")
    with Agent(by_pipe(root), NEW) as agent:
        yield root, agent


def notes(root: Path) -> list[str]:
    return [path.read_text() for path in sorted((root / "memory" / "notes").rglob("*.md"))]


# -- looking -------------------------------------------------------------------------------------------------


@ERAS
def test_answers_carry_path_and_line(door: Door, model: ModelServer, era: str) -> None:
    agent = door.agent(era, asks=False)
    before = hashes(door.root)
    found = agent.call("today", show="all")
    deposit = next(each for each in found.data["matters"] if "deposit" in each["said"])
    assert "tasks.md:3" in found.text
    assert deposit["evidence"][0]["path"] == "tasks.md"
    assert deposit["evidence"][0]["line"] == 3
    assert deposit["id"] in found.text
    found = agent.call("search", query="oven")
    assert "notes/tasks.md#4" in found.text
    assert (found.data["hits"][0]["path"], found.data["hits"][0]["line"]) == ("notes/tasks.md", 4)
    found = agent.call("kb_query", knowledge_base="notes", question="When is the boiler service?")
    assert f"house.md:3: {BOILER}" in found.text
    assert [(each["path"], each["line"]) for each in found.data["citations"]] == [("house.md", 3)]
    found = agent.call("ask", question="When is the boiler service?")
    assert found.text.startswith("By rules; this is")
    assert BOILER in found.text
    assert "house.md" in found.text
    assert found.data["citations"][0]["line"] == 3
    assert agent.call("behavior_list").data["directives"][0]["text"] == "short answers"
    assert hashes(door.root) == before and not model.requests, "looking changes nothing, and asks no model"


@ERAS
def test_resources_and_the_prompt(door: Door, era: str) -> None:
    from mcp.shared.exceptions import MCPError

    agent = door.agent(era)

    def text(uri: str) -> str:
        return str(agent.do(agent.client.read_resource(uri)).contents[0].text)

    assert "tasks.md:3" in text("adjutant://today")
    assert "wisdom.md" in text("adjutant://wisdom")
    assert "Pulse" in text("adjutant://journal/2026-11-20")
    prompt = agent.do(agent.client.get_prompt("briefing")).messages[0].content.text
    assert "<<<DATA" in prompt
    assert "tasks.md:3" in prompt
    for uri in ("adjutant://journal/2026-11-21", "adjutant://journal/x", "adjutant://journal/..%2F..%2F.env"):
        with pytest.raises(MCPError) as refused:
            text(uri)
        assert "journal" in str(refused.value)
        assert SECRET not in str(refused.value)


def test_descriptions_say_when_to_use_which(door: Door) -> None:
    agent = door.agent(NEW)
    tools = {each.name: each for each in agent.do(agent.client.list_tools()).tools}
    assert sorted(tools) == ["ask", "behavior_list", "kb_query", "mark", "memory_save", "search", "today"]
    said = [" ".join(str(each.description).split()) for each in tools.values()]
    assert all("Use it" in each or "Read them" in each for each in said)
    changes = {name for name, each in tools.items() if not each.annotations.read_only_hint}
    assert changes == {"memory_save", "mark"}
    assert "consent" not in tools["memory_save"].input_schema["properties"]


def test_no_secret_and_nothing_hidden_is_answered(door: Door) -> None:
    agent = door.agent(NEW)
    for found in (
        agent.call("search", query="key of the till"),
        agent.call("kb_query", knowledge_base="notes", question="What is the key of the till?"),
        agent.call("ask", question="What is the key of the till?"),
    ):
        assert SECRET not in found.text + json.dumps(found.data)
        assert not found.failed
    assert "\x1b" not in agent.call("search", query="a\x1b[31mb").text


def test_a_long_answer_is_cut_and_says_so(door: Door) -> None:
    lines = [f"- [ ] Write to guest {number} about the seat by the window, due 2026-11-19\n" for number in range(300)]
    path = door.root / "notes" / "guests.md"
    path.write_text("# Guests\n\n" + "".join(lines))
    try:
        found = door.agent(NEW).call("today", show="all")
    finally:
        path.unlink()
    assert found.data["truncated"]
    assert len(found.data["matters"]) <= 50
    assert len(json.dumps(found.data)) < 100_000
    assert "characters more" in found.text
    assert len(found.text) < 21_000


WRONG: dict[str, tuple[str, dict[str, Any], str]] = {
    "none": ("search", {}, "query: Field required"),
    "one too many": ("search", {"query": "a", "root": "/"}, "no argument is called `root`"),
    "too long": ("ask", {"question": "a" * 3000}, "at most 2000"),
    "no number": ("search", {"query": "a", "limit": "many"}, "limit: "),
    "out of bounds": ("search", {"query": "a", "limit": 1000}, "limit: "),
    "no such scope": ("today", {"show": "yesterday"}, "show: "),
    "no such base": ("kb_query", {"knowledge_base": "nots", "question": "a"}, "did you mean `notes`"),
    "a path": ("kb_query", {"knowledge_base": "../x", "question": "a"}, "no knowledge base named"),
    "no such matter": ("mark", {"id": "zzzz", "state": "done"}, "No open matter"),
    "an option": ("mark", {"id": "--json", "state": "done"}, "id: "),
    "no such state": ("mark", {"id": "zzzz", "state": "burnt"}, "state: "),
    "a spoofed day": ("mark", {"id": "zzzz", "state": "snooze", "until": "a\n> b"}, "until: "),
    "an empty note": ("memory_save", {"text": ""}, "text: "),
    "a secret": ("memory_save", {"text": f"The key is {SECRET}"}, "refused"),
    "no such kind": ("memory_save", {"text": "Berg likes rye", "kind": "poem"}, "--type"),
    "a directive": ("ask", {"question": "STOP: asking me"}, "directive"),
    "no such tool": ("rm", {}, "Unknown tool"),
}


@pytest.mark.parametrize(("tool", "arguments", "told"), WRONG.values(), ids=WRONG.keys())
def test_bad_arguments_are_told(door: Door, tool: str, arguments: dict[str, Any], told: str) -> None:
    agent, before = door.agent(NEW), hashes(door.root)
    found = agent.call(tool, **arguments)
    assert found.failed
    assert told in found.text
    assert "Traceback" not in found.text
    assert SECRET not in found.text
    assert not agent.questions and hashes(door.root) == before, "nobody is asked in vain"


def test_many_calls_at_once_are_answered(door: Door) -> None:
    found = door.agent(NEW).call_many(25, "search", query="oven")
    assert not [each.text for each in found if each.failed]
    crowd = door.agent(NEW).call_many(60, "today")
    assert all("wait already" in each.text for each in crowd if each.failed)
    assert sum(not each.failed for each in crowd) >= 32


# -- changing ------------------------------------------------------------------------------------------------


@ERAS
def test_a_note_is_saved_only_when_accepted(door: Door, era: str) -> None:
    agent, before, text = door.agent(era), hashes(door.root), f"Hansen rings twice in {era}"
    for answer, told in (
        (NO, "declined"),
        (CLOSED, "adjutant memory save"),
        ({**YES, "content": {"agreed": False}}, ""),
    ):
        agent.person = lambda question, answer=answer: answer  # type: ignore[misc]  # one of three
        found = agent.call("memory_save", text=text)
        assert found.failed
        assert told in found.text
        assert hashes(door.root) == before
    unchanged: list[bool] = []

    def agrees(question: str) -> dict[str, Any]:
        unchanged.append(hashes(door.root) == before)
        return YES

    agent.person = agrees
    found = agent.call("memory_save", text=text, kind="person")
    assert not found.failed
    assert unchanged == [True]
    assert all(f"> {text}" in each for each in agent.questions)
    saved = next(each for each in notes(door.root) if text in each)
    assert "trust: agent" in saved
    assert "type: person" in saved
    assert found.data["trust"] == "agent"
    assert (door.root / found.data["path"]).read_text() == saved


@ERAS
def test_who_cannot_ask_gets_the_verb_to_type(door: Door, era: str) -> None:
    agent, before = door.agent(era, asks=False), hashes(door.root)
    found = agent.call("memory_save", text='Berg\'s van is "blue"')
    assert found.failed
    assert hashes(door.root) == before
    line = found.text.split("\n")[-1]
    adjutant(*shlex.split(line)[1:], cwd=door.root, check=0)
    assert any('Berg\'s van is "blue"' in each for each in notes(door.root))


@ERAS
def test_a_matter_is_marked_as_it_was_shown(door: Door, era: str) -> None:
    agent, path = door.agent(era), door.root / "notes" / "tasks.md"
    old, new = ("2026-11-24", "2026-11-26") if era == NEW else ("2026-11-25", "2026-11-27")
    words = "chairs" if era == NEW else "Berg"
    matters = agent.call("today", show="all").data["matters"]
    id = next(each["id"] for each in matters if words in each["said"])

    def edits(question: str) -> dict[str, Any]:
        path.write_text(path.read_text().replace(old, new))
        return YES

    agent.person = edits
    found = agent.call("mark", id=id, state="done")
    assert old in agent.questions[0]
    assert ":" in agent.questions[0]
    if era == NEW:  # asked again with the new words, and accepted
        assert not found.failed
        assert new in agent.questions[1]
    else:
        assert found.failed
        assert "changed" in found.text
        agent.person = lambda question: YES
        assert not agent.call("mark", id=id, state="snooze", until="in 2 weeks").failed
    assert id not in agent.call("today").text
    path.write_text(TASKS)


def test_switches_hold_for_agents(door: Door) -> None:
    agent, before = door.agent(NEW), hashes(door.root)
    (door.root / "PAUSED").touch()
    try:
        found = agent.call("kb_query", knowledge_base="notes", question="When is the boiler service?")
        assert found.failed
        assert "PAUSED" in found.text
        assert not agent.call("today").failed
    finally:
        (door.root / "PAUSED").unlink()
    (door.root / "KILLED").touch()
    try:
        found = agent.call("memory_save", text="The oven is green")
        assert found.failed
        assert "KILLED" in found.text
        assert not agent.questions
        assert not agent.call("today").failed
    finally:
        (door.root / "KILLED").unlink()
    assert hashes(door.root) == before


# -- the page's door -----------------------------------------------------------------------------------------


def test_only_a_programs_own_key_opens_it(door: Door) -> None:
    served, bearer = door.served, {"Authorization": f"Bearer {door.key}"}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
    kind = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    assert served.ask("POST", "/mcp", body, kind).status == 401
    assert served.ask("POST", "/mcp", body, {**kind, "Authorization": "Bearer x"}).status == 401
    assert served.ask("GET", "/today", headers=bearer).status == 401
    cookie = f"adjutant-{'0' * 8}={door.key}"
    assert served.ask("GET", "/today", headers={"Cookie": cookie}).status == 401
    assert served.ask("POST", "/mcp", body, {**kind, **bearer, "Origin": "http://evil.example"}).status == 403
    assert served.ask("POST", "/mcp", body, {**kind, **bearer, "Sec-Fetch-Site": "cross-site"}).status == 403
    assert served.ask("POST", "/mcp", body, {**kind, **bearer, "Host": "evil.example"}).status == 421
    assert served.ask("PUT", "/mcp", body, {**kind, **bearer}).status == 405
    assert served.ask("POST", "/mcp", "x" * 70_000, {**kind, **bearer}).status == 413
    browser = Served.__new__(Served)
    browser.__dict__ |= {**served.__dict__, "cookie": ""}
    browser.enter()
    assert browser.ask("POST", "/mcp", body, {**kind, "Sec-Fetch-Site": "same-origin"}).status == 401
    assert door.key not in (door.root / "state" / "page.json").read_text()


def test_programs_with_wrong_keys_wait(door: Door) -> None:
    with ThreadPoolExecutor(6) as pool:
        began = time.monotonic()
        wrong = [{"Authorization": f"Bearer {number:048x}"} for number in range(6)]
        tries = [pool.submit(door.served.ask, "POST", "/mcp", "{}", each) for each in wrong]
        assert {each.result().status for each in tries} == {401, 429}
    assert time.monotonic() - began > 0.9


def test_read_only_looks_and_changes_nothing(tmp_path: Path) -> None:
    root = make_root(tmp_path / "instance")
    with Served(root, "--read-only") as served, Agent(by_page(served, new_key(root)), NEW) as agent:
        before = hashes(root)
        found = agent.call("memory_save", text="The oven is green")
        assert found.failed
        assert "read-only" in found.text
        assert not agent.questions
        assert not agent.call("today").failed
        assert hashes(root) == before


# -- standard input and output -------------------------------------------------------------------------------


def test_the_pipe_answers_and_asks(pipe: tuple[Path, Agent]) -> None:
    root, agent = pipe
    assert "tasks.md:3" in agent.call("today").text
    agent.person = lambda question: NO
    before = hashes(root)
    assert agent.call("memory_save", text="Hansen comes at nine").failed
    assert hashes(root) == before
    agent.person = lambda question: YES
    assert agent.call("memory_save", text="Hansen comes at nine").data["trust"] == "agent"
    assert len(agent.questions) == 2


def test_an_old_client_asks_by_pipe_in_a_dry_run(tmp_path: Path) -> None:
    root = make_root(tmp_path / "instance")
    with Agent(by_pipe(root, "--dry-run"), OLD) as agent:
        before = hashes(root)
        assert "would be saved" in agent.call("memory_save", text="Hansen comes at nine").text
        assert len(agent.questions) == 1
        assert hashes(root) == before


def spoken(root: Path, *messages: dict[str, Any], before: str = "", can: str = "{}") -> subprocess.Popen[bytes]:
    """`adjutant mcp` that an old client greeted and sent these."""
    told = {"protocolVersion": OLD, "capabilities": json.loads(can), "clientInfo": {"name": "t", "version": "1"}}
    hello = {"id": 1, "method": "initialize", "params": told}
    asked = [{"jsonrpc": "2.0", **each} for each in (hello, {"method": "notifications/initialized"}, *messages)]
    env, pipe = {**os.environ, "ADJUTANT_NOW": NOW}, subprocess.PIPE
    child = warm.start(["mcp", "--root", str(root)], cwd=root, env=env, stdin=pipe, stdout=pipe, stderr=pipe)
    assert child.stdin is not None
    lines = [before, *map(json.dumps, asked), ""]
    child.stdin.write("\n".join(lines).encode("utf-8", "surrogateescape"))
    child.stdin.flush()
    return child


def call_of(tool: str, **arguments: Any) -> dict[str, Any]:
    return {"id": 2, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}


def test_output_is_protocol_alone_and_signals_end_it(tmp_path: Path) -> None:
    root = make_root(tmp_path / "instance")
    garbage = "\n".join(["garbage", "[1,2", '{"a":' * 500, "\udcff"])
    for how, code in ((signal.SIGINT, 130), (signal.SIGTERM, 0)):
        with spoken(root, call_of("today"), before=garbage) as child:
            assert child.stdout is not None
            assert child.stderr is not None
            answers = [json.loads(child.stdout.readline()) for _ in range(2)]
            child.send_signal(how)
            rest, err = child.stdout.read(), child.stderr.read().decode()
            assert child.wait(20) == code
        assert [each["id"] for each in answers] == [1, 2]
        assert not rest
        assert "tasks.md:3" in answers[1]["result"]["content"][0]["text"]
        assert "Traceback" not in err


def test_a_client_that_goes_unanswered_leaves_nothing(tmp_path: Path) -> None:
    root = make_root(tmp_path / "instance")
    before = hashes(root)
    with spoken(root, call_of("memory_save", text="Hansen rings"), can='{"elicitation": {}}') as child:
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stderr is not None
        asked = [json.loads(child.stdout.readline()) for _ in range(2)][1]
        assert asked["method"] == "elicitation/create"
        assert "Hansen rings" in asked["params"]["message"]
        child.stdin.close()
        assert child.wait(20) == 0
        assert "Traceback" not in child.stderr.read().decode()
    assert hashes(root) == before


class Bare(Served):
    """A page where the library of agents is not installed."""

    start = ("-P", "-c", WITHOUT)


def test_a_page_without_the_library_has_no_such_address(tmp_path: Path) -> None:
    root = make_root(tmp_path / "instance")
    with Bare(root) as served:
        bearer = {"Authorization": f"Bearer {new_key(root)}"}
        assert served.ask("POST", "/mcp", "{}", bearer).status == 404
        assert served.enter().get("/today").ids()


@pytest.mark.parametrize("program", ["claude", "opencode"])
def test_install_prints_settings_and_writes_nothing(tmp_path: Path, program: str) -> None:
    root = make_root(tmp_path / "instance")
    before, home = hashes(root), sorted(Path(os.environ["HOME"]).rglob("*"))
    ran = adjutant("mcp", "--install", program, cwd=root, check=0)
    snippet = json.loads(ran.out)
    entry = next(iter(snippet.values()))["adjutant"]
    words = [entry["command"], *entry["args"]] if program == "claude" else entry["command"]
    place = entry["env" if program == "claude" else "environment"]
    assert os.path.isabs(words[0])
    assert words[-1] == "mcp"
    assert place == {"ADJ_DIR": str(root)}
    assert hashes(root) == before
    assert sorted(Path(os.environ["HOME"]).rglob("*")) == home


def test_without_the_library_it_says_what_to_install(tmp_path: Path) -> None:
    root = make_root(tmp_path / "instance")
    done = subprocess.run(
        [sys.executable, "-P", "-c", WITHOUT, "mcp", "--root", str(root)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 69
    assert "adjutant[mcp]" in done.stderr
    assert "Traceback" not in done.stderr
    ran = adjutant("mcp", "--json", cwd=root, check=2)
    assert "protocol" in ran.err
