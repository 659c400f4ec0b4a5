"""OUTSIDE. The command lines of agents, claude and opencode: a child behind walls, asked once, and what came of it."""

import json
import os
import re
import tomllib
from abc import ABC, abstractmethod
from typing import Any, ClassVar

from adjutant.children import folder as folders
from adjutant.children import scratch, walls
from adjutant.children.child import Ended
from adjutant.children.walls import Cell, Program, Walls
from adjutant.models.gateway import Gateway
from adjutant.models.http import in_words
from adjutant.models.transport import Transport, one_line
from adjutant.ports import ModelFailed, Prompt, Reply
from adjutant.store import jsonl, package

MAX_OUT = 8 * 1024 * 1024
PATH = "/usr/local/bin:/usr/bin:/bin"  # a child's own: folders of the system, which every wall lets it see
HOME = {"HOME": "{home}", "TMPDIR": "{home}", "PATH": PATH, "LANG": "C.UTF-8"}  # of every child's environment
NOT_RUN = 125  # from here on it was not started, or was ended by a signal
STRING = re.compile(r'"(?:[^"\\]|\\.)*+"')  # of JSON
STEPS = 12  # how often an agent may come back with a tool's answer, for one question; as agents.toml has it, too
HOWS: dict[str, Any] = tomllib.loads(package.text("models", "agents.toml"))


Tools = tuple[str, ...]
Call = tuple[list[str], dict[str, str], str]  # how it is started: arguments after its path, environment, standard input


class Agent(ABC):
    """An agent's program asked one question: `reads` of the prompt is the one folder it may look into. It reaches its
    model through a gateway, and is given neither key nor network."""

    backend: ClassVar[str]
    asked: ClassVar[str]  # what it posts to, as a path of the gateway

    def __init__(self, program: Program | None, around: Walls, line: Transport, path: str) -> None:
        self._program, self._walls, self._line, self._path = program, around, line, path
        # only bubblewrap's file system keeps a command from everything but the folder
        self.no_commands = "" if around.kind == walls.BWRAP else around.detail

    @abstractmethod
    def call(self, prompt: Prompt, token: str) -> Call:
        """What to start for this question; {home}, {work} and {port} stand for what the walls make of them."""

    @abstractmethod
    def read(self, out: bytes) -> str:
        """The answer in what the program wrote. Raises ModelFailed when there is none."""

    @abstractmethod
    def complaint(self, out: bytes) -> str:
        """What the program wrote about its own failure; "" for nothing."""

    def tools(self, prompt: Prompt, looking: Tools, changing: Tools, running: str) -> Tools:
        """Those that look, those that change, and the one that runs commands, as far as its folder allows them."""
        reads = prompt.reads
        if reads is None:
            return ()
        runs = reads.writes and reads.runs and not self.no_commands
        return looking + (changing if reads.writes else ()) + ((running,) if runs else ())

    def complete(self, prompt: Prompt) -> Reply:
        if self._program is None:
            raise ModelFailed("unreachable", f"{self.backend} is not installed, or not where llm.program says")
        self._line.gate()
        deadline = self._line.monotonic() + prompt.timeout
        try:
            with scratch.folder() as place:
                return self._ask(self._program, prompt, place, deadline)
        except folders.TooLarge as error:
            raise ModelFailed("malformed", str(error), for_good=False) from None
        except OSError as error:
            reason = f"{error.filename or self._program.path}: {error.strerror or error}"
            raise ModelFailed("unreachable", f"{self.backend} could not be started: {reason}") from None

    def _ask(self, program: Program, prompt: Prompt, place: str, deadline: float) -> Reply:
        folder = place if self._walls.apart else None
        with Gateway(self._line, self.asked, self._path, prompt, deadline, folder) as gateway:
            (arguments, env, text), reads = self.call(prompt, gateway.token), prompt.reads
            shown = (None, False, None) if reads is None else (reads.path, reads.writes, reads.inode)
            cell = Cell([program.path, *arguments], env, program.parts, place, gateway.door, *shown)

            def watch() -> None:
                self._line.gate()
                gateway.watch()

            stdin, left = text.encode("utf-8", "replace"), max(0.0, deadline - self._line.monotonic())
            try:
                ended = walls.run(self._walls, cell, stdin=stdin, out_limit=MAX_OUT, watch=watch, seconds=left)
                gateway.watch()
                self._refuse(ended, prompt)
                text = self.answer_of(ended.out)
            except ModelFailed as failed:
                detail, spent = self._line.server.scrub(failed.detail), (gateway.tokens_in, gateway.tokens_out)
                closed = failed.cause != "malformed" or gateway.trouble is not None
                raise ModelFailed(failed.cause, detail, *spent, for_good=closed) from None
        return Reply(self._line.server.scrub(text), gateway.tokens_in, gateway.tokens_out)

    def answer_of(self, out: bytes) -> str:
        """The answer, half a character in it replaced: whoever writes it down would fail on it. Raises ModelFailed."""
        return self.read(out).encode("utf-8", "replace").decode()

    def _refuse(self, ended: Ended, prompt: Prompt) -> None:
        if ended.cause == "timeout":
            raise ModelFailed("timeout", f"{self.backend} did not end within {prompt.timeout:.4g} s and was ended")
        if ended.cause == "flood":
            raise ModelFailed("malformed", f"{self.backend} wrote more than {MAX_OUT >> 20} MB and was ended")
        if ended.code != 0:
            code, cause = ended.code, "unreachable" if ended.code >= NOT_RUN else "malformed"
            how = f"exit code {code}" if 0 <= code <= 128 else f"signal {code - 128 if code > 0 else -code}"
            lines = [line for line in ended.err.decode("utf-8", "replace").split("\n") if line.strip()]
            said = one_line(self._line.server.scrub(self.complaint(ended.out) or (lines[-1] if lines else "")))
            raise ModelFailed(cause, f"{self.backend} ended with {how}{said}")


def literal(config: dict[str, Any]) -> str:
    """JSON in which no brace stands inside a string: nothing there is taken for a {place} to fill in."""
    text = json.dumps(config, ensure_ascii=False)
    return STRING.sub(lambda found: found[0].replace("{", "\\u007b").replace("}", "\\u007d"), text)


# -- claude: `claude -p --output-format json`

LOOKS = ("Read",)
CHANGES = ("Edit", "Write")
RUNS = "Bash"
PATTERNS = re.compile(r"[][()\\*?]")  # in the patterns of its rules; none of them can be escaped everywhere


class Claude(Agent):
    """It loads no settings of anybody's; it asks the Messages API. Thinking is off: it would take the whole reply."""

    backend, asked = "claude", "/v1/messages"

    def call(self, prompt: Prompt, token: str) -> Call:
        system, how = prompt.system + in_words(prompt.schema), HOWS["claude"]
        tools = self.tools(prompt, LOOKS, CHANGES, RUNS)
        # paths in its rules begin with two slashes when they are absolute, and are patterns; commands have no path
        folder = PATTERNS.sub("?", prompt.reads.path) if prompt.reads is not None else ""
        allowed = [tool if tool == RUNS else f"{tool}(/{folder}/**)" for tool in tools]
        rules = {"permissions": {"allow": allowed, "defaultMode": "dontAsk"}, "enableAllProjectMcpServers": False}
        arguments = [*how["flags"].split(), "--setting-sources", "", "--model", prompt.model]
        arguments += ["--system-prompt", system, "--settings", literal(rules), "--tools", ",".join(tools)]
        env = {"ANTHROPIC_API_KEY": token, "CLAUDE_CODE_MAX_OUTPUT_TOKENS": str(prompt.max_tokens)}
        return arguments, HOME | how["env"] | env, prompt.text

    def read(self, out: bytes) -> str:
        try:
            found = jsonl.loads(out)
            text, *success = found["result"], found["subtype"], found["is_error"]
        except (ValueError, KeyError, TypeError):
            raise ModelFailed("malformed", "claude wrote no result") from None
        if success != ["success", False] or not isinstance(text, str):
            raise ModelFailed("malformed", f"claude ended without success{one_line(self.complaint(out))}")
        if not text.strip():
            raise ModelFailed("malformed", "claude ended without an answer")
        return text

    def complaint(self, out: bytes) -> str:
        """The first error that its result names, else its text, else what kind of result it is."""
        try:
            found = jsonl.loads(out)
            told = [*(found.get("errors") or ()), found.get("result"), found.get("subtype")]
        except (ValueError, AttributeError, TypeError):
            return ""
        return next((text for text in told if isinstance(text, str) and text), "")


# -- opencode: `opencode run --format json`

PROVIDER = "adjutant"
CONTEXT_TOKENS = 128_000
LOOKING, SEARCHING = ("read", "list"), ("glob", "grep")
SEARCHER = "rg"  # what its searching tools start


class OpenCode(Agent):
    """Its configuration is ours alone and comes in its environment; it asks an OpenAI-compatible endpoint."""

    backend, asked = "opencode", "/v1/chat/completions"

    def call(self, prompt: Prompt, token: str) -> Call:
        arguments = ["run", "--format", "json", "--title", prompt.name, "--agent", PROVIDER]
        arguments += ["--model", f"{PROVIDER}/{prompt.model}"]
        tools = self.tools(prompt, LOOKING + (SEARCHING if searches() else ()), ("edit",), "bash")
        env = {"OPENCODE_CONFIG_CONTENT": _configure(prompt, token, tools)}
        return arguments, HOME | HOWS["opencode"]["env"] | env, prompt.text

    def read(self, out: bytes) -> str:
        """Counts only with a text part, a last step that finished with reason `stop`, and no error."""
        parts: list[str] = []
        reason = None
        for event in _events(out):
            kind, part = event.get("type"), event.get("part")
            if kind == "error":
                raise ModelFailed("malformed", f"opencode reported an error{one_line(_error_of(event))}")
            if not isinstance(part, dict):
                continue
            if kind == "step_start":
                parts, reason = [], None
            elif kind == "text" and isinstance(part.get("text"), str):
                parts.append(part["text"])
            elif kind == "step_finish":
                reason = part.get("reason")
        if reason != "stop":
            told = one_line(reason) if isinstance(reason, str) else ": no step finished"
            raise ModelFailed("malformed", f"opencode ended before its answer did{told}")
        if not "".join(parts).strip():
            raise ModelFailed("malformed", "opencode ended without an answer")
        return "".join(parts)

    def complaint(self, out: bytes) -> str:
        return next((said for event in _events(out) if event.get("type") == "error" and (said := _error_of(event))), "")


def searches(path: str = PATH) -> bool:
    """Whether the program that its searching tools start can be seen by it; `path` as in PATH."""
    found = walls.which(SEARCHER, path)
    return found is not None and walls.is_system(os.path.realpath(found))


def _configure(prompt: Prompt, token: str, tools: Tools) -> str:
    """Our whole configuration, as JSON. opencode replaces {env:…} and {file:…} in it: no text keeps its braces."""
    reads = prompt.reads
    outside = {"*": "deny"} | ({reads.path: "allow", f"{reads.path}/**": "allow"} if reads is not None else {})
    system, name = prompt.system + in_words(prompt.schema), f"{PROVIDER}/{prompt.model}"
    limit = {"context": CONTEXT_TOKENS, "output": prompt.max_tokens}
    model = {"name": prompt.model, "temperature": True, "tool_call": True, "limit": limit}
    options = {"baseURL": "http://127.0.0.1:<port>/v1", "apiKey": token, "timeout": False}
    provider = {"npm": "@ai-sdk/openai-compatible", "name": "Adjutant", "models": {prompt.model: model}}
    agent = {"mode": "primary", "prompt": system, "temperature": prompt.temperature, "steps": STEPS}
    allowed = {"*": "deny", **dict.fromkeys(tools, "allow"), "external_directory": outside}
    ours = {"provider": {PROVIDER: {**provider, "options": options}}, "agent": {PROVIDER: agent}, "permission": allowed}
    config = HOWS["opencode"]["config"] | {"model": name, "small_model": name, **ours}
    return literal(config).replace("<port>", "{port}", 1)


def _events(out: bytes) -> list[dict[str, Any]]:
    return [event for _, event in jsonl.parse(out) if event is not None]


def _error_of(event: dict[str, Any]) -> str:
    error = event.get("error")
    data = error.get("data") if isinstance(error, dict) else None
    text = data.get("message") if isinstance(data, dict) else None
    return text if isinstance(text, str) else ""


AGENTS: dict[str, type[Agent]] = {"claude": Claude, "opencode": OpenCode}
