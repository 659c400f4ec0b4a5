"""WIRING. What a stage is handed, and what it hands back."""

from __future__ import annotations

REFUSED = "refused"  # in `App.shared`: the disk refused a record, and the operator was told

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime
    from types import ModuleType
    from typing import Any, Protocol

    from adjutant.clock import Clock
    from adjutant.errors import AdjutantError, ConfigInvalid
    from adjutant.index_ports import Embedder, ServerIndex
    from adjutant.jobs.steps import Engine
    from adjutant.ports import Bot, ContractCache, Model, Notifier, Offer, Place, SpanExporter, Transcriber
    from adjutant.secret_store import Secrets
    from adjutant.store.config import Config
    from adjutant.store.files import Files
    from adjutant.store.tree import Tree

    Args = argparse.Namespace
    Row = dict[str, Any]

    class Stage(Protocol):
        """A module in stages/. WRITES names attributes of Tree."""

        WRITES: tuple[str, ...]

        def run(self, app: App, args: Args) -> Outcome:
            """Does the work. Raises AdjutantError."""
            ...

    class Growing(Protocol):
        """Somebody who watches a text come."""

        def show(self, text: str) -> None:
            """The text so far; one that does not go on from the last begins anew."""
            ...

        def finish(self, text: str) -> bool:
            """No more will come; whether this whole text stands where it is read."""
            ...

else:  # names for annotations, which are never looked at
    Args = Row = object


def names(text: str) -> tuple[str, ...]:
    """The words of a text: what a stage writes, by the names of store/tree.py."""
    return tuple(text.split())


def _absent(*given: Any) -> None:
    """Stands for an adapter that is not configured, and for where nobody listens."""


def plural(count: int, what: str) -> str:
    """ "1 issue", "2 issues", "2 entries"."""
    several = f"{what.removesuffix('y')}ies" if what.endswith("ry") else f"{what}s"
    return f"{count} {what if count == 1 else several}"


def cut_list(lines: Sequence[str], most: int, *, before: str = "", hint: str = "") -> list[str]:
    """The first lines, and how many more there are: `before` and behind that what leads to them."""
    return [*lines[:most], *([f"{before}and {len(lines) - most} more{hint}"] if len(lines) > most else [])]


class Outcome:
    """What a stage hands back: `result` by spec/60, lines for people, and the exit code. `next_actions` are (command,
    description) pairs, or (command, description, params) for a template. An exit code other than 0 may come with the
    `error` that names it; the result is then its details. `literal` lines are there to be copied: a terminal's width
    does not break them. `aside`: a dim last line, on a terminal alone."""

    __slots__ = ("aside", "error", "exit_code", "lines", "literal", "next_actions", "result")

    def __init__(
        self,
        result: dict[str, Any],
        lines: list[str] | None = None,
        exit_code: int = 0,
        next_actions: Sequence[tuple[Any, ...]] = (),
        error: AdjutantError | None = None,
        literal: bool = False,
        aside: str = "",
    ) -> None:
        self.aside = aside
        self.result, self.lines, self.error = result, lines or [], error
        self.exit_code = error.exit_code if error is not None and not exit_code else exit_code
        self.next_actions, self.literal = list(next_actions), literal


_ABSENT: dict[str, Any] = dict.fromkeys(
    ("progress", "halt", "transcriber", "engine", "typesense", "redis", "embedder", "exporter"), _absent
)
_ABSENT |= {"report": lambda error: "", "offers": lambda places: [], "examine": lambda root: Outcome({"checks": []})}


class App:
    """One command's world. Built by `wire`, never global.

    `say(line)` tells a person something on stderr, `show(line)` on stdout (stderr with --json). `gate()` raises
    Stopped when PAUSED has appeared and the verb minds it, and after `halt()` (Ctrl-C), which ends what is under way in
    other threads. `notifier(name)` and `model(backend)` build that adapter, else the configured one (None: offline),
    `typesense()`, `redis()` and `exporter()` the mirrors, `embedder()` the model of meanings (None: not configured);
    `bot()` raises ConfigInvalid then. `transcriber()` builds the route to a server that writes down speech, `engine()`
    who works steps in the place of this process (None: nobody), `queue()` the client of their Redis;
    `model(settings=config)` the route of other settings, `offers(places)` asks servers for the names of their models,
    `question(text)` the person at the terminal (None: there is none). `run` is the run id, `host` this machine,
    `elsewhere` the one that tells in its place ("": none). `secret(name)` reads a secret from the environment or .env,
    `secret(name, address)` the one that may be sent to that address. `stdin()` reads standard input as text,
    `stdin_bytes()` as it is.
    `report(error)` writes the report of a bug under state/crash/ and gives its path ("" when it cannot).
    `examine(root)` is what `doctor` finds in another instance.
    `growing` shows a text that grows, None where nobody would see it (--json, --quiet, no terminal).
    `progress(line)` shows how far long work is, on a terminal only; "" wipes the line.
    `slot` is the slot that a run of --if-due is for, `slot_text` the same for the ledger; None for any other run.
    `shared` holds what the steps of one verb have in common (the asker). `config_error` is set, and `config` the
    defaults, for verbs that must work with a broken adjutant.yaml.
    """

    tree: Tree
    config: Config
    config_error: ConfigInvalid | None = None
    files: Files
    clock: Clock
    run: str
    host: str = ""
    elsewhere: str = ""
    dry_run: bool
    as_json: bool
    quiet: bool = False
    slot: datetime | None = None
    environment: Mapping[str, str]
    table: ModuleType
    marker: str
    growing: Growing | None = None
    say: Callable[[str], None]
    show: Callable[[str], None]
    progress: Callable[[str], None]
    question: Callable[[str], str] | None = None
    gate: Callable[[], None]
    halt: Callable[[], None]
    report: Callable[[Exception], str]
    examine: Callable[[str], Outcome]
    secret: Callable[..., str | None]
    secrets: Secrets
    stdin: Callable[[], str]
    stdin_bytes: Callable[[], bytes]
    notifier: Callable[..., Notifier]
    model: Callable[..., Model | None]
    transcriber: Callable[[], Transcriber | None]
    engine: Callable[[], Engine | None]
    queue: Callable[[], Any]
    offers: Callable[[Sequence[Place]], list[Offer]]
    typesense: Callable[[], ServerIndex | None]
    redis: Callable[[], ContractCache | None]
    embedder: Callable[[], Embedder | None]
    exporter: Callable[[], SpanExporter | None]
    bot: Callable[[], Bot]
    shared: dict[str, Any]

    def __init__(self, **parts: Any) -> None:
        """Every attribute by its name; None or not given is a part that nobody uses. Raises TypeError."""
        if unknown := parts.keys() - App.__annotations__.keys():
            raise TypeError(f"no part of an App: {min(unknown)}")
        given = {name: part for name, part in parts.items() if part is not None}
        self.stdin_bytes = lambda: self.stdin().encode("utf-8", "surrogateescape")
        self.__dict__ |= {**_ABSENT, "show": given["say"], "shared": {}, **given}

    def given(self, words: Sequence[str]) -> str:
        """Words of the command line as one text; a lone `-` stands for standard input. Raises UsageError."""
        return self.stdin().strip() if list(words) == ["-"] else " ".join(words)

    @property
    def loopback(self) -> bool:
        """As jobs/steps.py's Outside has it."""
        return self.config.flag("jobs.fetch_loopback")

    @property
    def would(self) -> str:
        """What stands before the word for what was done: nothing was, in a dry run."""
        return "would be " if self.dry_run else ""

    @property
    def slot_text(self) -> str | None:
        return self.slot.isoformat() if self.slot is not None else None
