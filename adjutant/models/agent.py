"""OUTSIDE. What every agent's command line has in common: a child behind walls, asked once, and what came of it."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

from adjutant.children import folder, scratch, walls
from adjutant.children.child import Ended
from adjutant.children.programs import Program
from adjutant.children.walls import Cell, Walls
from adjutant.models.gateway import Gateway
from adjutant.models.transport import Transport, one_line
from adjutant.ports import ModelFailed, Prompt, Reply

MAX_OUT = 8 * 1024 * 1024
PATH = "/usr/local/bin:/usr/bin:/bin"  # a child's own: folders of the system, which every wall lets it see
HOME = {"HOME": "{home}", "TMPDIR": "{home}", "PATH": PATH, "LANG": "C.UTF-8"}  # of every child's environment
NOT_RUN = 125  # from here on it was not started, or was ended by a signal
STEPS = 12  # how often an agent may come back with a tool's answer, for one question


class Call(NamedTuple):
    """How the program is started: arguments after its path, environment, standard input."""

    arguments: list[str]
    env: dict[str, str]
    stdin: str


class Agent(ABC):
    """An agent's program asked one question: `reads` of the prompt is the one folder it may look into.

    It reaches its model through a gateway that holds the key, the tries and the limits; it is given neither the key nor
    the network. `gate` raises when PAUSED has appeared, and the child ends with that.
    """

    backend: ClassVar[str]
    asked: ClassVar[str]  # what it posts to, as a path of the gateway

    def __init__(
        self,
        program: Program | None,
        around: Walls,
        line: Transport,
        path: str,
        *,
        gate: Callable[[], None],
    ) -> None:
        """`path`: where its questions go, after the base address of the line's server."""
        self._program, self._walls, self._line, self._path, self._gate = program, around, line, path, gate

    @abstractmethod
    def call(self, prompt: Prompt, token: str) -> Call:
        """What to start for this question; {home}, {work} and {port} stand for what the walls make of them."""

    @abstractmethod
    def read(self, out: bytes) -> str:
        """The answer in what the program wrote. Raises ModelFailed when there is none."""

    @abstractmethod
    def complaint(self, out: bytes) -> str:
        """What the program wrote about its own failure; "" for nothing."""

    @property
    def no_commands(self) -> str:
        """Only bubblewrap's file system keeps a command from everything but the folder."""
        return "" if self._walls.kind == walls.BWRAP else self._walls.detail

    def runs(self, prompt: Prompt) -> bool:
        """Whether it gets its program's tool for commands."""
        reads = prompt.reads
        return reads is not None and reads.writes and reads.runs and not self.no_commands

    def complete(self, prompt: Prompt) -> Reply:
        """Ask once, all inside `prompt.timeout` seconds. Raises ModelFailed."""
        if self._program is None:
            raise ModelFailed("unreachable", f"{self.backend} is not installed, or not where llm.program says")
        self._gate()
        deadline = self._line.monotonic() + prompt.timeout
        try:
            with scratch.folder() as place:
                return self._ask(self._program, prompt, place, deadline)
        except folder.TooLarge as error:
            raise ModelFailed("malformed", str(error), for_good=False) from None
        except OSError as error:
            reason = f"{error.filename or self._program.path}: {error.strerror or error}"
            raise ModelFailed("unreachable", f"{self.backend} could not be started: {reason}") from None

    def _ask(self, program: Program, prompt: Prompt, place: str, deadline: float) -> Reply:
        with Gateway(
            self._line,
            self._gate,
            asked=self.asked,
            path=self._path,
            deadline=deadline,
            model=prompt.model,
            most=prompt.max_tokens,
            folder=place if self._walls.apart else None,
            limit=prompt.limit,
        ) as gateway:
            call = self.call(prompt, gateway.token)
            reads = prompt.reads
            shown = (None, False, None) if reads is None else (reads.path, reads.writes, reads.inode)
            cell = Cell([program.path, *call.arguments], call.env, program.parts, place, gateway.door, *shown)

            def watch() -> None:
                self._gate()
                gateway.watch()

            try:
                ended = walls.run(
                    self._walls,
                    cell,
                    stdin=call.stdin.encode("utf-8", "replace"),
                    out_limit=MAX_OUT,
                    watch=watch,
                    seconds=max(0.0, deadline - self._line.monotonic()),
                )
                gateway.watch()
                self._refuse(ended, prompt)
                text = self.read(ended.out)
            except ModelFailed as failed:
                detail = self._line.server.scrubbed(failed.detail)
                raise ModelFailed(
                    failed.cause,
                    detail,
                    gateway.tokens_in,
                    gateway.tokens_out,
                    for_good=failed.cause != "malformed" or gateway.trouble is not None,
                ) from None
        return Reply(self._line.server.scrubbed(text), gateway.tokens_in, gateway.tokens_out)

    def _refuse(self, ended: Ended, prompt: Prompt) -> None:
        """Raises ModelFailed for every end that is none of its own."""
        if ended.cause == "timeout":
            raise ModelFailed("timeout", f"{self.backend} did not end within {prompt.timeout:.4g} s and was ended")
        if ended.cause == "flood":
            raise ModelFailed("malformed", f"{self.backend} wrote more than {MAX_OUT >> 20} MB and was ended")
        if ended.code != 0:
            cause = "unreachable" if ended.code >= NOT_RUN else "malformed"
            raise ModelFailed(cause, f"{self.backend} ended with {_code(ended.code)}{self._said(ended)}")

    def _said(self, ended: Ended) -> str:
        """Its complaint, or the last line of what it wrote as errors."""
        lines = [line for line in ended.err.decode("utf-8", "replace").split("\n") if line.strip()]
        return one_line(self._line.server.scrubbed(self.complaint(ended.out) or (lines[-1] if lines else "")))


def literal(config: dict[str, Any]) -> str:
    """JSON in which no brace stands inside a string: nothing there is taken for a {place} to fill in."""

    def guarded(value: Any) -> Any:
        if isinstance(value, str):
            return value.replace("{", "\ue000").replace("}", "\ue001")
        if isinstance(value, dict):
            return {guarded(key): guarded(inner) for key, inner in value.items()}
        return [guarded(inner) for inner in value] if isinstance(value, list) else value

    text = json.dumps(guarded(config), ensure_ascii=False)
    return text.replace("\ue000", "\\u007b").replace("\ue001", "\\u007d")


def _code(code: int) -> str:
    return f"exit code {code}" if 0 <= code <= 128 else f"signal {code - 128 if code > 0 else -code}"
