"""JOBS. One walk through a job: what was worked before is taken from its folder, what comes is kept there first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from adjutant.errors import FileChanged, FileDamaged
from adjutant.jobs.step import WAITS, Engine, Here, StepCall, StepFailed, hash_of, load
from adjutant.jobs.steps import complete, transcribe
from adjutant.ports import Model, ModelFailed, Prompt, Reply
from adjutant.records import jobs, queue
from adjutant.records.jobs import Job

if TYPE_CHECKING:
    from adjutant.app import App

Fill = Callable[[Any], Any]


class Walk:
    """The steps of one job. `engine` works them, but for those that belong on this machine."""

    def __init__(self, app: App, job: Job, engine: Engine) -> None:
        self.app, self.job = app, job
        self._engine, self._here = engine, Here(app)

    def step(self, name: str, given: Any, fill: Fill | None = None) -> Any:
        """The output of one step. Raises as `every`."""
        return self.every(name, [given], fill)[0]

    def every(self, name: str, given: Sequence[Any], fill: Fill | None = None) -> list[Any]:
        """The outputs of one step for each of these inputs, in their order. `fill` adds to an input what is loose in it
        and too large to be made for nothing. Raises StepFailed (what came before it is kept), Stopped, FileChanged
        (the job was cancelled meanwhile), FileDamaged, IoFailed."""
        step = load(name)
        hashes = [hash_of(step, each) for each in given]
        found = {hash: self._kept(step, hash) for hash in hashes}
        missing = {hash: each for hash, each in zip(hashes, given, strict=True) if found[hash] is None}
        engine = self._here if step.HERE else self._engine
        for number, result in enumerate(engine.work(self._calls(step, missing, fill)), start=1):
            if not result.output:
                raise StepFailed(f"{name}: {result.reason}", again=result.again, cause=result.cause)
            jobs.keep(self.app.files, self.job.id, result.hash, result.output)
            if name == transcribe.NAME:  # what is asked of a model by judgements is counted there
                self._count(missing[result.hash])
            found[result.hash] = msgspec.json.decode(result.output, type=step.Output)
            self.app.progress(f"{self.job.name}: {name} {len(given) - len(missing) + number} of {len(given)}")
        return [found[hash] for hash in hashes]

    def known(self, name: str, given: Any) -> Any:
        """The output that is kept already, None for none."""
        step = load(name)
        return self._kept(step, hash_of(step, given))

    def _count(self, given: transcribe.Input) -> None:
        """A call that was paid for by the minute, and not by tokens."""
        told = {"judgement": transcribe.NAME, "model": given.model, "tokens_in": 0, "tokens_out": 0, "ms": 0}
        now = self.app.clock.now().isoformat()
        self.app.files.append(self.app.tree.usage, {"ts": now, "run": self.app.run, **told})

    def _calls(self, step: Any, missing: dict[str, Any], fill: Fill | None) -> Iterator[StepCall]:
        for hash, each in missing.items():
            stands = queue.read(self.app.files, Job, self.job.id)
            if stands is None or stands.status != queue.RUNNING:
                raise FileChanged(f"{self.job.id} was changed or cancelled meanwhile; that stands")
            yield StepCall(step.NAME, msgspec.json.encode(fill(each) if fill is not None else each), hash)

    def _kept(self, step: Any, hash: str) -> Any:
        data = jobs.result(self.app.files, self.job.id, hash)
        if data is None:
            return None
        try:
            return msgspec.json.decode(data, type=step.Output)
        except (msgspec.DecodeError, UnicodeDecodeError):
            path = self.app.tree.relative(self.app.tree.job_result(self.job.id, hash))
            raise FileDamaged(f"{path}: not a result of the step {step.NAME}", "move it away") from None


class KeptModel:
    """A model whose answers are steps of a job: a question that was answered before is not paid for again."""

    def __init__(self, model: Model, walk: Walk) -> None:
        self.backend, self._walk = model.backend, walk

    def complete(self, prompt: Prompt) -> Reply:
        """Raises ModelFailed, StepFailed (nobody works it), Stopped."""
        given = complete.given(self.backend, prompt)
        if (known := self._walk.known(complete.NAME, given)) is not None:
            return Reply(known.text, 0, 0)
        try:
            told = self._walk.step(complete.NAME, given)
        except StepFailed as failed:
            if failed.cause == WAITS:
                raise
            raise ModelFailed(failed.cause or "unreachable", failed.reason) from None
        return Reply(told.text, told.tokens_in, told.tokens_out)
