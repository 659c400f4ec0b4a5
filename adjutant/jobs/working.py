"""JOBS. Jobs, worked: each goes on after its last whole step, or is put back, or waits with its reason."""

from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from functools import partial
from typing import Any

import msgspec

from adjutant.app import App
from adjutant.errors import AdjutantError, FileChanged, FileDamaged, IoFailed, LockBusy, Stopped
from adjutant.jobs.pipelines import PIPELINES
from adjutant.jobs.steps import STEPS, TRANSCRIBE, WAITS, Engine, Step, StepCall, StepFailed, work_here
from adjutant.judgements.answering import DelegatedRun
from adjutant.records import queue
from adjutant.screening.fence import clean_line

Fill = Callable[[Any], Any]
LOCK, DELEGATION = "jobs", "delegation"
REASON = 300


class Walk:
    """One walk through the steps of a job: what was worked before is taken from its folder, what comes is kept there
    first. `engine` works them, but for those that belong on this machine."""

    def __init__(self, app: App, job: queue.Job, engine: Engine) -> None:
        self.app, self.job = app, job
        self._engine, self._here = engine, partial(work_here, app)

    def step(self, step: Step, given: Any) -> Any:
        return self.every(step, [given])[0]

    def every(self, step: Step, given: Sequence[Any], fill: Fill | None = None) -> list[Any]:
        """The outputs of one step for each of these inputs, in their order. `fill` adds to an input what is loose in it
        and too large to be made for nothing. Raises StepFailed (what came before it is kept), Stopped, FileChanged
        (the job was cancelled meanwhile), FileDamaged, IoFailed."""
        hashes = [step.hash(each) for each in given]
        found = {hash: self.read_kept(step, hash) for hash in hashes}
        missing = {hash: each for hash, each in zip(hashes, given, strict=True) if found[hash] is None}
        engine = self._here if step.here else self._engine
        for number, result in enumerate(engine(self._call(step, missing, fill)), start=1):
            if not result.output:
                raise StepFailed(f"{step.name}: {result.reason}", again=result.again, cause=result.cause)
            queue.keep_result(self.app.files, self.job.id, result.hash, result.output)
            if step is TRANSCRIBE:  # paid for by the minute; what judgements ask of a model is counted there
                told = {"ts": self.app.clock.now().isoformat(), "run": self.app.run, "judgement": step.name}
                cost = {"tokens_in": 0, "tokens_out": 0, "ms": 0}
                self.app.files.append(self.app.tree.usage, {**told, "model": missing[result.hash].model, **cost})
            found[result.hash] = msgspec.json.decode(result.output, type=step.output)
            self.app.progress(f"{self.job.name}: {step.name} {len(given) - len(missing) + number} of {len(given)}")
        return [found[hash] for hash in hashes]

    def _call(self, step: Step, missing: dict[str, Any], fill: Fill | None) -> Iterator[StepCall]:
        for hash, each in missing.items():
            stands = queue.read(self.app.files, queue.Job, self.job.id)
            if stands is None or stands.status != queue.RUNNING:
                raise FileChanged(f"{self.job.id} was changed or cancelled meanwhile; that stands")
            yield StepCall(step.name, msgspec.json.encode(fill(each) if fill is not None else each), hash)

    def read_kept(self, step: Step, hash: str) -> Any:
        data = queue.read_result(self.app.files, self.job.id, hash)
        try:
            return None if data is None else msgspec.json.decode(data, type=step.output)
        except (msgspec.DecodeError, UnicodeDecodeError):
            path = self.app.tree.relative(self.app.tree.job_result(self.job.id, hash))
            raise FileDamaged(f"{path}: not a result of the step {step.name}", "move it away") from None


class JobsRun:
    """One walk through the queue, under the run lock. `handled`: the jobs that were taken up; `unavailable`: the ids of
    those for which something outside was missing. Raises ConfigInvalid, MirrorUnavailable (the engine)."""

    def __init__(self, app: App) -> None:
        self.app = app
        self.handled: list[queue.Job] = []
        self.delegated: DelegatedRun | None = None
        self.unavailable: set[str] = set()
        self._engine: Engine = app.engine() or partial(work_here, app)

    def recover(self) -> list[queue.Job]:
        files, now = self.app.files, self.app.clock.now()
        every, damaged = queue.list_jobs(files)
        for problem in damaged:
            self.app.say(f"{problem}; left where it is")
        over = {job.id for job in every if job.status in queue.OVER}
        for id in set(files.names(files.tree.jobs)) - over:  # one may have been killed before it was filed
            files.sweep(files.tree.job_folder(id), now.timestamp())
        for left in queue.recover(files, every, now, self.app.config.whole("jobs.tries")):
            self.app.say(f"{left.id}: {left.reason}; {left.status}")
        return every

    def work(self, limit: int) -> None:
        """The oldest first, and the tasks of `delegate` after them; old results are taken away. Raises Stopped."""
        now, every = self.app.clock.now(), self.recover()
        queue.prune_results(self.app.files, every, now - timedelta(days=self.app.config.whole("runs.keep_days")))
        for job in [each for each in queue.waiting(every) if queue.is_due(each, now)][:limit]:
            self.one(job)
        if not any(each.status in (queue.QUEUED, queue.RUNNING) for each in queue.list_tasks(self.app.files)[0]):
            return
        try:
            with self.app.files.lock(DELEGATION, 0):
                self.delegated = DelegatedRun(self.app)
                self.delegated.work(max(0, limit - len(self.handled)))
        except LockBusy:
            self.app.say("another run works the tasks")

    def one(self, job: queue.Job) -> None:
        files, clock = self.app.files, self.app.clock
        self.app.gate()
        whole = queue.count_results(files, job.id)
        tries = 1 if whole > job.whole else job.tries + 1  # a job that gets on has all its tries again
        try:
            queue.claim(files, job, clock.now(), self.app.run, tries=tries, whole=whole)
            self.handled.append(job)
            self._walk(job)
        except FileChanged:
            stands = queue.read(files, queue.Job, job.id)
            job.status = stands.status if stands is not None else queue.CANCELLED
            self.app.say(f"{job.id} was changed or cancelled meanwhile; that stands")
        finally:
            self.app.progress("")

    def _walk(self, job: queue.Job) -> None:
        app, clock, pipeline = self.app, self.app.clock, PIPELINES[job.name]
        marker, app.marker = app.marker, job.marker  # the same fence in each run: the same question
        try:
            made = pipeline.make(Walk(app, job, self._engine), job.given)
            app.gate()
            outcome = pipeline.apply(app, job, made)
            whole = queue.count_results(app.files, job.id)
            queue.change(app.files, job, clock.now(), status=queue.DONE, outcome=outcome, whole=whole, step="")
        except Stopped:
            queue.put_back(app.files, job, clock.now(), "stopped: PAUSED", counts=False)
            raise
        except StepFailed as failed:
            if failed.cause:
                self.unavailable.add(job.id)
            self._fail(job, failed.reason, again=failed.again, waits=failed.cause == WAITS)
        except (IoFailed, LockBusy, FileChanged):
            raise  # no fault of the job's: the next run finds it running, and goes on
        except AdjutantError as error:
            self._fail(job, error.message)
        except Exception as error:  # noqa: BLE001 - one job's bug must not keep the others from being worked
            self._fail(job, f"a bug in adjutant ({type(error).__name__}): {app.report(error)}", again=True)
        finally:
            app.marker = marker

    def _fail(self, job: queue.Job, reason: str, *, again: bool = False, waits: bool = False) -> None:
        app = self.app
        whole, now = queue.count_results(app.files, job.id), app.clock.now()
        tries, step = (1 if whole > job.whole else job.tries) - waits, reason.partition(": ")[0]
        again = again and tries < app.config.whole("jobs.tries")
        pause = timedelta(seconds=queue.BACKOFF[min(max(1, tries), len(queue.BACKOFF)) - 1])
        changed = {"not_before": (now + pause).isoformat() if again else "", "step": step if step in STEPS else ""}
        changed |= {"status": queue.QUEUED if again else queue.FAILED, "reason": clean_line(reason, REASON)}
        queue.change(app.files, job, now, **changed, tries=tries, whole=whole)
