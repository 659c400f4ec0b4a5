"""WIRING. What a stage is handed, and what it hands back."""

from __future__ import annotations

REFUSED = "refused"  # in `App.shared`: the disk refused a record, and the operator was told

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime
    from types import ModuleType
    from typing import Any, Protocol

    from adjutant.clock import Clock
    from adjutant.errors import AdjutantError, ConfigInvalid
    from adjutant.index_ports import Embedder, ServerIndex
    from adjutant.ports import Bot, ContractCache, Model, Notifier, Offer, Place, Transcriber
    from adjutant.secret_store import Secrets
    from adjutant.store.config import Config
    from adjutant.store.files import Files
    from adjutant.store.tree import Tree

    Args = argparse.Namespace
    Row = dict[str, Any]

    class Growing(Protocol):
        """Somebody who watches a text come."""

        def show(self, text: str) -> None: ...  # the text so far; one that does not go on from the last begins anew
        def finish(self, text: str) -> bool: ...  # no more will come; whether this whole text stands where it is read

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
    """What a stage hands back: `result` by spec/60, lines for people. `next_actions` are (command, description) pairs,
    or (command, description, params) for a template. An `error` gives the exit code; the result is then its details.
    `literal` lines are there to be copied: a terminal's width does not break them."""

    aside = ""  # a dim last line, on a terminal alone

    def __init__(
        self,
        result: dict[str, Any],
        lines: list[str] | None = None,
        next_actions: Sequence[tuple[Any, ...]] = (),
        error: AdjutantError | None = None,
        literal: bool = False,
    ) -> None:
        self.result, self.lines, self.error = result, lines or [], error
        self.next_actions, self.literal = list(next_actions), literal

    @property
    def exit_code(self) -> int:
        return self.error.exit_code if self.error is not None else 0


_ABSENT: dict[str, Any] = dict.fromkeys(
    ("progress", "halt", "transcriber", "engine", "typesense", "redis", "embedder", "exporter"), _absent
)
_ABSENT |= {"report": lambda error: "", "offers": lambda places: [], "examine": lambda root: Outcome({"checks": []})}


class App:
    """One command's world. Built by `wire`, never global."""

    tree: Tree
    config: Config
    config_error: ConfigInvalid | None = None  # set, and `config` the defaults, for verbs that mend adjutant.yaml
    files: Files
    clock: Clock
    run: str  # its id
    host: str = ""  # this machine
    elsewhere: str = ""  # the machine that tells in its place, "" for none
    dry_run: bool
    as_json: bool
    slot: datetime | None = None  # the slot that a run of --if-due is for
    environment: Mapping[str, str]
    table: ModuleType  # of the verbs
    marker: str
    growing: Growing | None = None  # shows a text that grows; None where nobody would see it
    say: Callable[[str], None]  # tells a person something on stderr
    show: Callable[[str], None]  # the same on stdout, on stderr with --json
    progress: Callable[[str], None]  # how far long work is, on a terminal only; "" wipes the line
    question: Callable[[str], str] | None = None  # to the person at the terminal; None: there is none
    gate: Callable[[], None]  # raises Stopped once PAUSED has appeared and the verb minds it, and after `halt`
    halt: Callable[[], None]  # Ctrl-C: ends what is under way in other threads
    report: Callable[[Exception], str]  # writes that of a bug under state/crash/; its path, "" when it cannot
    examine: Callable[[str], Outcome]  # what `doctor` finds in another instance
    secrets: Secrets
    secret: Callable[..., str | None]  # by its name; with an address: the one that may be sent there
    stdin: Callable[[], str]
    stdin_bytes: Callable[[], bytes]
    # Adapters, built when they are asked for; None where nothing is configured. `bot` and `queue` raise ConfigInvalid.
    notifier: Callable[..., Notifier]  # of a name, else the configured one
    model: Callable[..., Model | None]  # the same; `settings=`: the route of other settings
    transcriber: Callable[[], Transcriber | None]
    engine: Callable[[], Callable[[Iterable[Any]], Iterator[Any]] | None]  # works steps in the place of this process
    queue: Callable[[], Any]  # the client of their Redis
    offers: Callable[[Sequence[Place]], list[Offer]]  # asks servers for the names of their models
    typesense: Callable[[], ServerIndex | None]
    redis: Callable[[], ContractCache | None]
    embedder: Callable[[], Embedder | None]
    exporter: Callable[[], Callable[[Sequence[Row]], None] | None]  # what sends spans to a collector
    bot: Callable[[], Bot]
    shared: dict[str, Any]  # what the steps of one verb have in common, such as the asker

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
    def would(self) -> str:
        """What stands before the word for what was done: nothing was, in a dry run."""
        return "would be " if self.dry_run else ""

    @property
    def slot_text(self) -> str | None:
        return self.slot.isoformat() if self.slot is not None else None
