"""Conformance of the routes that start a program: opencode and claude themselves, each behind walls, on loopback."""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest

from adjutant.children import folder, walls
from adjutant.children.walls import Program, Walls
from adjutant.children.warden import FILE_BYTES
from adjutant.models.agents import MAX_OUT, Agent, Claude, OpenCode, searches
from adjutant.models.apis import Anthropic, OpenAI
from adjutant.models.gateway import MOST_REQUESTS
from adjutant.models.http import HttpModel
from adjutant.models.transport import Transport
from adjutant.ports import Folder, ModelFailed
from tests.conftest import CHECKOUT, need
from tests.modelserver import ModelServer
from tests.ports.model_suite import ANSWER, KEY, ModelTests, Waits, allowed, closed, prompt

pytestmark = pytest.mark.program

NOWHERE = "http://127.0.0.1:9/v1"
PROBE = ("bwrap", "--unshare-all", "--ro-bind", "/", "/", "true")


def built(
    adapter: type[Agent],
    route: type[HttpModel],
    url: str,
    waits: Waits,
    program: Program | None,
    around: Walls,
    gate: Callable[[], None] = allowed,
    request: float = 20.0,
    key: str | None = KEY,
) -> Agent:
    line = Transport(
        route.server(url, key),
        sleep=waits.sleep,
        monotonic=waits.now,
        jitter=lambda: 1.0,
        gate=gate,
        timeout=request,
        max_retries=2,
    )
    return adapter(program, around, line, route.path)


def bubblewrap() -> Walls:
    """The better walls, which CI must have."""
    return walls.find({"PATH": os.path.dirname(need("bwrap", *PROBE))})


def landlock() -> Walls:
    """The walls of a machine without bubblewrap; a kernel without Landlock has none to test."""
    found = walls.find({"PATH": ""})
    if found.kind != walls.LANDLOCK:
        pytest.skip("this kernel has no Landlock")
    return found


class AgentTests(ModelTests):
    """A subclass names the `adapter` and the `route` whose API its model speaks; `walls` gives what is around it."""

    adapter: ClassVar[type[Agent]]
    route: ClassVar[type[HttpModel]]
    walls: ClassVar[Callable[[], Walls]] = staticmethod(bubblewrap)
    slack = 3.0

    def make(
        self,
        url: str,
        waits: Waits,
        gate: Callable[[], None] = allowed,
        request: float = 20.0,
        key: str | None = KEY,
    ) -> Agent:
        program = walls.find_program(need(self.adapter.backend), os.environ)
        return built(self.adapter, self.route, url, waits, program, self.walls(), gate, request, key)

    @pytest.fixture(autouse=True)
    def _nothing_is_left(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
        """No process and no folder of a child outlives its question."""
        scratch = tmp_path / "scratch"
        scratch.mkdir()
        monkeypatch.setattr(tempfile, "tempdir", str(scratch))
        before = set(descendants())  # servers of the session
        yield
        assert list(scratch.iterdir()) == []
        assert set(descendants()) - before == set()

    def test_an_answer_without_a_word_is_none_and_has_cost_what_it_has_cost(self, waits: Waits) -> None:
        failed, server = self.fails(waits, "null")
        assert failed.cause == "malformed"
        assert "without an answer" in failed.detail
        assert (failed.tokens_in, failed.tokens_out) == (11 * len(server.requests), 7 * len(server.requests))

    def test_the_key_is_in_no_argument_no_environment_no_file_and_no_request(
        self,
        waits: Waits,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
            monkeypatch.setenv(name, KEY)  # as an operator may have it
        seen: list[bytes] = []
        (tmp_path / "kb").mkdir()

        def look(body: dict[str, Any]) -> str:
            for pid in descendants():
                seen.extend(filter(None, (held(Path(f"/proc/{pid}/{name}")) for name in ("cmdline", "environ"))))
            seen.extend(held(path) for path in (tmp_path / "scratch").rglob("*") if path.is_file())
            return ANSWER

        asked = prompt()
        asked = asked._replace(reads=Folder(str(tmp_path / "kb")))
        with ModelServer(["well"], look) as server:
            assert self.make(server.url, waits).complete(asked).text == ANSWER
        assert any(self.adapter.backend.encode() in text for text in seen), "the child was looked at"
        assert not [text for text in seen if KEY.encode() in text]
        assert KEY in str(server.requests[0].headers)
        assert KEY not in json.dumps(server.requests[0].body)


def held(path: Path) -> bytes:
    """What is in a file; b"" for one that is gone, or that we may not read."""
    try:
        return path.read_bytes()
    except OSError:
        return b""


def descendants() -> list[int]:
    """Every process that came of this one and has not ended."""
    parents: dict[int, int] = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            state, parent = Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()[:2]
        except OSError:
            continue
        if state != "Z":
            parents[int(name)] = int(parent)
    found = [os.getpid()]
    for parent in found:
        found += [pid for pid, its in parents.items() if its == parent]
    return found[1:]


# -- opencode ------------------------------------------------------------------------------------------------


def event(kind: str, **part: Any) -> str:
    return json.dumps({"type": kind, "part": part})


START, STOP = event("step_start"), event("step_finish", reason="stop")
BROKEN = json.dumps({"type": "error", "error": {"name": "UnknownError", "data": {"message": "it broke\nhere"}}})
TEXT = event("text", text=ANSWER)
STREAMS: dict[str, list[str]] = {  # what it wrote that is no answer, and why
    "without an answer": [START, STOP],
    "without an answer: blank": [START, event("text", text=" \n"), STOP],
    "without an answer: of an earlier step": [START, TEXT, event("step_finish", reason="tool-calls"), START, STOP],
    "before its answer did: tool-calls": [START, TEXT, event("step_finish", reason="tool-calls")],
    "before its answer did: length": [START, TEXT, event("step_finish", reason="length")],
    "before its answer did: content-filter": [START, TEXT, event("step_finish", reason="content-filter")],
    "before its answer did: no step finished": [START, TEXT],
    "before its answer did: no step finished, later": [START, TEXT, STOP, START, TEXT],
    "before its answer did: half a line": [START, TEXT, STOP[: len(STOP) // 2]],
    "before its answer did: nothing": [],
    "before its answer did: no events": ["null", "5", "[]", '"text"', "hello", "{}", '{"type": "text"}', "\x00\xff"],
    "before its answer did: odd reasons": [START, TEXT, event("step_finish", reason=["stop"]), event("step_finish")],
    "reported an error: it broke here": [START, TEXT, STOP, BROKEN],
    "reported an error": [START, TEXT, json.dumps({"type": "error", "error": "odd"}), STOP],
}


class TestOpenCode(AgentTests):
    adapter = OpenCode
    route = OpenAI
    variable = "OPENAI_API_KEY"
    patience = 14.0

    @pytest.mark.parametrize("reason", STREAMS)
    def test_only_a_text_a_last_step_that_stopped_and_no_error_is_an_answer(self, waits: Waits, reason: str) -> None:
        model = built(OpenCode, OpenAI, NOWHERE, waits, None, walls.find({"PATH": ""}))
        with pytest.raises(ModelFailed) as failed:
            model.read("\n".join(STREAMS[reason]).encode("latin-1"))
        assert failed.value.cause == "malformed"
        assert reason.partition(":")[0] in failed.value.detail
        assert failed.value.detail.isprintable()

    def test_the_last_step_is_the_answer_whatever_stands_between(self, waits: Waits) -> None:
        model = built(OpenCode, OpenAI, NOWHERE, waits, None, walls.find({"PATH": ""}))
        more = [
            START,
            event("text", text="I look."),
            event("tool_use", tool="read"),
            "{",
            event("later", text="no"),
            event("step_finish", reason="tool-calls"),
            START,
            event("text", text=ANSWER[:3]),
            event("reasoning", text="hm"),
            event("text", text=ANSWER[3:]),
            STOP,
            "",
        ]
        assert model.read("\n".join(more).encode()) == ANSWER

    def test_a_model_that_never_answers_is_asked_so_often_and_no_more(self, waits: Waits) -> None:
        failed, server = self.fails(waits, "empty-choices")
        assert failed.cause == "limit"
        assert "24" in failed.detail
        assert len(server.requests) == 24
        assert failed.tokens_in > 24 * 5


# -- claude --------------------------------------------------------------------------------------------------


class TestClaude(AgentTests):
    adapter = Claude
    route = Anthropic
    variable = "ANTHROPIC_API_KEY"
    patience = 3.0

    @pytest.mark.parametrize(
        ("mode", "cause", "words"),
        [
            ("404", "http", "no model 'small'"),
            ("400", "http", "context length exceeded"),
            ("429-later", "http", "asks to wait 3600 s"),
            ("redirect", "http", "points elsewhere"),
            ("html", "malformed", "no JSON and no events"),
            ("huge", "malformed", "more than 2 MB"),
            ("reset", "unreachable", "no connection"),
            ("refusal", "malformed", "ended with exit code 1"),
            ("length", "malformed", "50 output token maximum"),
        ],
    )
    def test_what_the_server_says_is_told_and_what_is_for_good_is_asked_for_once(
        self,
        waits: Waits,
        mode: str,
        cause: str,
        words: str,
    ) -> None:
        failed, server = self.fails(waits, mode)
        assert failed.cause == cause and words in failed.detail, failed
        assert len(server.requests) == {"reset": 3, "length": 4}.get(mode, 1)

    def test_tokens_are_estimated_where_the_server_does_not_count(self, waits: Waits) -> None:
        reply, server = self.ask(waits, "no-usage")
        assert reply.tokens_in == pytest.approx(len(json.dumps(server.requests[0].body)) / 4, rel=0.1)
        assert 1 <= reply.tokens_out <= 20

    def test_nothing_is_thought_and_nothing_is_experimental(self, waits: Waits) -> None:
        _, server = self.ask(waits, "well")
        (request,) = server.requests
        assert request.body["max_tokens"] == 50
        assert not {"thinking", "context_management"} & request.body.keys()
        assert request.body["model"] == "small"
        assert "You answer." in json.dumps(request.body["system"])

    @pytest.mark.parametrize(
        "out",
        [
            b"",
            b"null",
            b"[]",
            b"{}",
            b'{"result": "x"}',
            b'{"result": "x", "subtype": "success", "is_error": true}',
            b'{"result": "x", "subtype": "error_max_turns", "is_error": false}',
            b'{"result": "x", "subtype": "success"}',
            b'{"result": null, "subtype": "success", "is_error": false}',
            b"\xff",
            b'{"result": "x", "subtype": "succ',
            b'{"result": " ", "subtype": "success", "is_error": false}',
            b"[" * 100_000,
            b'{"errors": 5, "result": 5, "subtype": 5, "is_error": true}',
        ],
    )
    def test_only_the_result_of_a_run_that_was_a_success_is_an_answer(self, waits: Waits, out: bytes) -> None:
        model = built(Claude, Anthropic, NOWHERE, waits, None, walls.find({"PATH": ""}))
        with pytest.raises(ModelFailed, match="malformed"):
            model.read(out)
        assert model.complaint(out) in ("", "x", "error_max_turns", "success", " ")

    def test_a_success_is_an_answer(self, waits: Waits) -> None:
        model = built(Claude, Anthropic, NOWHERE, waits, None, walls.find({"PATH": ""}))
        assert model.read(b'{"result": "{}", "subtype": "success", "is_error": false, "usage": null}\n') == "{}"

    def test_half_a_character_in_an_answer_is_replaced(self, waits: Waits) -> None:
        model = built(Claude, Anthropic, NOWHERE, waits, None, walls.find({"PATH": ""}))
        out = rb'{"result": "a\ud83d", "subtype": "success", "is_error": false}'
        assert model.answer_of(out) == "a?"


class TestClaudeBehindLandlock(AgentTests):
    adapter = Claude
    route = Anthropic
    walls = staticmethod(landlock)
    variable = "ANTHROPIC_API_KEY"
    patience = 3.0


# -- without the programs ------------------------------------------------------------------------------------

ROUTES: list[tuple[type[Agent], type[HttpModel]]] = [(OpenCode, OpenAI), (Claude, Anthropic)]


@pytest.mark.parametrize(("adapter", "route"), ROUTES)
def test_a_program_that_is_not_there_is_said_without_asking_anybody(
    waits: Waits,
    adapter: type[Agent],
    route: type[HttpModel],
) -> None:
    with pytest.raises(ModelFailed) as failed:
        built(adapter, route, closed(), waits, None, walls.find({"PATH": ""})).complete(prompt())
    assert failed.value.cause == "unreachable"
    assert f"{adapter.backend} is not installed" in failed.value.detail


@pytest.mark.parametrize(("adapter", "route"), ROUTES)
def test_a_program_that_cannot_be_started_is_said(
    waits: Waits,
    adapter: type[Agent],
    route: type[HttpModel],
    tmp_path: Path,
) -> None:
    broken = tmp_path / "program"
    broken.write_bytes(b"\x7fELF, or not")
    broken.chmod(0o755)
    began = time.monotonic()
    program = Program(str(broken), (str(broken),))
    with pytest.raises(ModelFailed) as failed:
        built(adapter, route, closed(), waits, program, walls.find({"PATH": ""})).complete(prompt())
    assert failed.value.cause == "unreachable"
    assert "Exec format error" in failed.value.detail
    assert time.monotonic() - began < 5


def configured(text: str, reads: Folder | None) -> dict[str, Any]:
    """The configuration that opencode is given for such a question."""
    asked = prompt()
    asked = asked._replace(system=text, reads=reads)
    _, env, _ = built(OpenCode, OpenAI, NOWHERE, Waits(), None, walls.find({"PATH": ""})).call(asked, "token")
    made = env["OPENCODE_CONFIG_CONTENT"]
    for stands in ("{env:HOME}", "{file:/etc/passwd}", "{home}"):
        assert stands not in made, "opencode would put in what that names"
    found: dict[str, Any] = json.loads(made.replace("{port}", "1"))
    return found


def test_opencode_is_offered_its_searching_tools_only_where_their_program_is(
    tmp_path: Path,
) -> None:
    (tmp_path / "rg").symlink_to("/usr/bin/env")
    assert searches(str(tmp_path)), "a link into the system"
    (tmp_path / "rg").unlink()
    assert not searches(str(tmp_path))
    (tmp_path / "rg").write_text("#!/bin/sh\n")
    (tmp_path / "rg").chmod(0o755)
    assert not searches(str(tmp_path)), "what stands elsewhere is not seen behind the walls"
    offered = {tool for tool, rule in configured("", Folder("/kb"))["permission"].items() if rule == "allow"}
    assert offered == {"read", "list"} | ({"glob", "grep"} if searches() else set())


def test_opencode_is_offered_nothing_without_a_folder_and_editing_only_where_it_may() -> None:
    nothing = configured("", None)["permission"]
    assert nothing == {"*": "deny", "external_directory": {"*": "deny"}}
    assert "edit" not in configured("", Folder("/kb"))["permission"]
    assert configured("", Folder("/kb", True))["permission"]["edit"] == "allow"


def test_the_page_on_confinement_says_what_holds() -> None:
    page = " ".join((CHECKOUT / "docs" / "confinement.md").read_text().casefold().split())
    for told in (
        *folder.ORDERS - {"opencode.jsonc"},
        f"at most {MOST_REQUESTS} times",
        f"{MAX_OUT >> 20} mb of output",
        f"{FILE_BYTES >> 30} gb for any file",
        "`heartbeat.kb_timeout_seconds`",
    ):
        assert told in page, told


def test_braces_in_a_text_or_a_path_are_no_variables_to_opencode() -> None:
    text = 'Say {env:HOME} and {file:/etc/passwd}, {home} and {port}: "quoted" \\ \u2028'
    found = configured(text, Folder("/kb/{env:HOME}"))
    assert found["agent"]["adjutant"]["prompt"].startswith(text)
    assert found["permission"]["external_directory"] == {
        "*": "deny",
        "/kb/{env:HOME}": "allow",
        "/kb/{env:HOME}/**": "allow",
    }
