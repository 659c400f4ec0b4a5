"""OPINION. One question put to a model that was just chosen: whether it answers, in form, and cites what stands."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from adjutant.judgements import answer, replies
from adjutant.judgements.answer import Inputs, Passage, Result
from adjutant.judgements.asking import Asker
from adjutant.judgements.recording import read
from adjutant.store import package
from adjutant.store.config import Config

if TYPE_CHECKING:
    from adjutant.app import App

FOLDER = ("instance", "trial")
SHOWN = ("workshop/inspection.md", "club/regatta.md", "home/list.md")
TODAY = "Wednesday 2027-03-10"
QUESTION = (
    "Which five things happen or fall due from 11 to 20 March, in whichever file they stand? "
    "Name each with its day, and cite the line of each."
)


class Tried(NamedTuple):
    """How it went: seconds, whether anything came back, whether its first reply was in form, how many of the lines that
    it cited stand where it said; `why` it gave no answer, "" where it did."""

    seconds: float
    replied: bool
    json: bool
    stood: int
    cited: int
    why: str

    @property
    def told(self) -> str:
        """The same for a person."""
        if not self.replied:
            return f"no answer: {self.why}"
        form = "JSON kept" if self.json else "JSON not kept at first"
        stood = f"evidence stood {self.stood} of {self.cited}" if self.cited else "nothing was cited"
        return f"answered in {self.seconds:.0f} s, {form}, {stood}" + (f"; {self.why}" if self.why else "")


def tried(app: App, config: Config) -> Tried:
    """Asks the model of `config`. Raises Stopped, ConfigInvalid, FileDamaged, IoFailed."""
    asker = Asker(app, config)
    passages = [Passage(path, 1, package.text(*FOLDER, *path.split("/"))) for path in SHOWN]
    inputs = Inputs("trial", QUESTION, TODAY, passages)
    began = app.clock.monotonic()
    answered = asker.ask(answer, inputs, timeout=config.number("heartbeat.kb_timeout_seconds"))
    seconds = app.clock.monotonic() - began
    kept = read(app.files, app.run, f"{answered.number:02d}-{answer.NAME}.json").replies
    found = [_parsed(reply) for reply in kept]
    given = found[-1].citations if found and found[-1] is not None else []
    shown = answer.shown(inputs)
    stood = sum(bool(shown.resolve(cited)) for cited in given)
    return Tried(seconds, bool(kept), bool(found) and found[0] is not None, stood, len(given), answered.why or "")


def _parsed(reply: str) -> Result | None:
    try:
        return replies.parse(reply, Result)
    except replies.ReplyBroken:
        return None
