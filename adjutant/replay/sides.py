"""OPINION. A change applied to a copy: the folder as it is and as it would be; no byte on disk."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from adjutant.app import plural
from adjutant.domain.prompting.standing import PromptShelf
from adjutant.domain.recall import taxonomy
from adjutant.errors import AdjutantError
from adjutant.records import heart as hearts
from adjutant.records import layers
from adjutant.records.suggestion import BY_RULES, UNKNOWN, Change, Decided
from adjutant.replay import history
from adjutant.replay.history import Budget, RecordedQuestion, RecordedTurn
from adjutant.screening.fence import clean_line
from adjutant.screening.screen import screen
from adjutant.store import config as config_file
from adjutant.store.files import Files
from adjutant.store.tree import LAYERS

if TYPE_CHECKING:
    from adjutant.app import App
    from adjutant.domain.recall.taxonomy import Scheme
    from adjutant.judgements.templates import Templates
    from adjutant.records.heart import Heart
    from adjutant.store.config import Config

T = TypeVar("T")
WHAT, DECISION = 100, 140  # characters
TODAY = "today"  # stands for a run where what lies in the folder now is decided on
INSTRUCTION = "(a line that reads like an instruction)"
FAILS = "would fail: "


class Side:
    """The folder with one `text` of the changed file, and what today's code reads from it, each when first asked for.

    Every property raises what reading its file raises.
    """

    def __init__(self, files: Files, config: Config, text: str | None, *, is_config: bool) -> None:
        self.files, self.text = files, text
        self._config, self._is_config = config, is_config

    @cached_property
    def config(self) -> Config:
        """The settings."""
        return config_file.parse((self.text or "").encode()) if self._is_config else self._config

    @cached_property
    def heart(self) -> Heart:
        """The heart layer."""
        return hearts.parse(layers.read(self.files, self._config, "heart").text)

    @cached_property
    def scheme(self) -> Scheme:
        """The taxonomy."""
        return taxonomy.load(self.files)

    @cached_property
    def shelf(self) -> PromptShelf:
        """The standing parts of a turn's prompt."""
        return PromptShelf(self.files, self._config)

    @cached_property
    def templates(self) -> Templates:
        """The prompt templates."""
        from adjutant.judgements.templates import Templates  # jinja2: only where a prompt is rendered

        return Templates(self.files)

    def layer(self, name: str) -> str:
        """A layer as prompts show it."""
        return layers.read(self.files, self._config, name).prompt


class Copy:
    """`before` and `after`: the two sides of a change.

    `path`: of the change, tidied; `layer`: which one it is, "" for none. `budget`: the time that is left.
    """

    def __init__(self, app: App, change: Change) -> None:
        self.app, self.path, self.budget = app, posixpath.normpath(change.path), Budget(app.clock)
        inside, config = app.tree.inside, app.config
        spelled = {name: inside(config.text(f"layers.{name}.path")) for name in LAYERS}  # as the settings have it
        self.layer = next((name for name in LAYERS if posixpath.normpath(spelled[name]) == inside(self.path)), "")
        self._paths = {inside(self.path), spelled.get(self.layer, inside(self.path))}
        self.before, self.after = self.sides = self._side(change.before), self._side(change.after)

    def _side(self, text: str | None) -> Side:
        files = Files(self.app.tree, dry=True)
        held = None if text is None else text.encode()
        files.overlay = {**self.app.files.overlay, **dict.fromkeys(self._paths, held)}
        return Side(files, self.app.config, text, is_config=self.path == config_file.NAME)

    def asked(self, names: Collection[str]) -> list[RecordedQuestion]:
        """The questions of these judgements in the last runs."""
        return history.read(self.before.files, names, self.budget)

    def left_out(self) -> Iterator[str]:
        """What was not looked at, a clause each."""
        if damaged := self.budget.damaged:
            yield f"{plural(damaged, 'record')} could not be read or fit no question of today, and were left out"
        if self.budget.ran_out:
            yield "time was up before all of the record was looked at"


class Lane(NamedTuple):
    """What one way of looking at the change found. `notes`: what it cannot tell, a clause each."""

    method: str = UNKNOWN
    runs: frozenset[str] = frozenset()
    judgements: int = 0
    changed: tuple[Decided, ...] = ()
    notes: tuple[str, ...] = ()


def decided(
    several: Sequence[RecordedTurn | RecordedQuestion],
    changed: Iterable[Decided],
    notes: Iterable[str] = (),
    method: str = BY_RULES,
) -> Lane:
    """The lane of questions that were decided again."""
    return Lane(method, frozenset(each.run for each in several), len(several), tuple(changed), tuple(notes))


def failure(copy: Copy, judgement: str, use: Callable[[Side], object]) -> Lane | None:
    """The lane of a change that cannot be read; None where it can. Raises what the text in force is wrong by."""
    use(copy.before)
    error = attempt(lambda: use(copy.after))
    if not isinstance(error, str):
        return None
    return Lane(BY_RULES, changed=(row(TODAY, judgement, copy.path, "read", f"{FAILS}{error}"),))


def row(run: str, judgement: str, what: str, then: str, now: str) -> Decided:
    """A decision that would be another, each part as one clean line; what is quoted may be anybody's words."""
    return Decided(run, judgement, one_line(what, WHAT), one_line(then, DECISION), one_line(now, DECISION))


def one_line(text: str, limit: int = WHAT) -> str:
    """Words that were read somewhere, as a person is shown them."""
    return INSTRUCTION if screen(text) else clean_line(text, limit)


def attempt(work: Callable[[], T]) -> T | str:
    """What `work` gives, or why it would fail, in a line."""
    try:
        return work()
    except AdjutantError as error:
        return clean_line(error.message, DECISION)
