"""GROUND. The Protocols behind which everything outside stands, and their small value types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol


class Folder:
    """A folder of the operator's that an agent may look into while it answers; with `writes` it may change it too.

    `names`: the files it is told of, relative to the folder, those that matter most first.
    """

    __slots__ = ("names", "path", "writes")

    def __init__(self, path: str, writes: bool = False, names: Sequence[str] = ()) -> None:
        self.path, self.writes, self.names = path, writes, names


class Prompt:
    """One question to a model: a system text, a user text, the JSON Schema the reply must fit, and its limits.

    `max_tokens` of the reply; `timeout`: seconds for the answer, however often transport tries. For agents: `reads` is
    the one folder they may look into, and `limit` what all their questions to their model may cost in tokens.
    """

    __slots__ = ("limit", "max_tokens", "model", "name", "reads", "schema", "system", "temperature", "text", "timeout")

    def __init__(
        self, name: str, system: str, text: str, *, schema: dict[str, Any] | None, model: str,
        temperature: float, max_tokens: int, timeout: float, reads: Folder | None = None, limit: int | None = None,
    ) -> None:
        self.name, self.system, self.text, self.schema = name, system, text, schema
        self.model, self.temperature, self.max_tokens, self.timeout = model, temperature, max_tokens, timeout
        self.reads, self.limit = reads, limit


class Reply:
    """A model's answer: its text and the tokens it cost (as the server counted them, else estimated)."""

    __slots__ = ("text", "tokens_in", "tokens_out")

    def __init__(self, text: str, tokens_in: int, tokens_out: int) -> None:
        self.text, self.tokens_in, self.tokens_out = text, tokens_in, tokens_out


class ModelFailed(Exception):
    """There is no answer. `cause` is one of `timeout unreachable http malformed cap limit`; no secret in it.

    `tokens_in` and `tokens_out`: what was spent all the same, by an agent that asked its model and came to no answer.
    `for_good`: the way to the model is closed for the rest of the run; not so where an agent broke on this question.
    """

    def __init__(
        self, cause: str, detail: str, tokens_in: int = 0, tokens_out: int = 0, *, for_good: bool = True,
    ) -> None:
        super().__init__(f"{cause}: {detail}")
        self.cause, self.detail, self.tokens_in, self.tokens_out = cause, detail, tokens_in, tokens_out
        self.for_good = for_good


class Model(Protocol):
    """A route to a language model. Retries of transport are its own affair; it never outlives `prompt.timeout`."""

    @property
    def backend(self) -> str:
        """Its name in the configuration and in records."""
        ...

    def complete(self, prompt: Prompt) -> Reply:
        """Ask once. Raises ModelFailed."""
        ...


class Refused(Exception):
    """The channel definitely did not take the message (refused or unresolved connection, HTTP 4xx): safe to retry."""


class Uncertain(Exception):
    """The channel may or may not have delivered (5xx, timeout, cut, crash): never sent again by itself."""


class Notifier(Protocol):
    """A channel to the operator. `send` returns when delivered, raises Refused or Uncertain otherwise."""

    channel: str

    def send(self, text: str, key: str) -> None:
        """Deliver one message of at most 500 characters. Raises Refused, Uncertain."""
        ...
