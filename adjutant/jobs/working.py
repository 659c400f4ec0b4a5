"""JOBS. The queue, worked: each job goes on after its last whole step, or is put back, or waits with its reason."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from adjutant.errors import AdjutantError, FileChanged, IoFailed, LockBusy, Stopped
from adjutant.jobs import pipeline
from adjutant.jobs.step import STEPS, WAITS, Here, StepFailed
from adjutant.jobs.walk import Walk
from adjutant.judgements.delegating import DelegatedRun, was_stopped
from adjutant.records import jobs, queue
from adjutant.records.jobs import Job
from adjutant.screening.fence import clean_line

if TYPE_CHECKING:
    from adjutant.app import App

LOCK, DELEGATION = "jobs", "delegation"
REASON = 300


class JobsRun:
    """One walk through the queue, under the run lock. `handled`: the jobs that were taken up; `unavailable`: the ids of
    those for which something outside was missing. Raises ConfigInvalid, MirrorUnavailable (the engine)."""

    def __init__(self, app: App) -> None:
        self.app = app
        self.handled: list[Job] = []
        self.delegated: DelegatedRun | None = None
        self.unavailable: set[str] = set()
        self._engine = app.engine() or Here(app)

    def recover(self) -> list[Job]:
        """Every job there is, what dead runs left running put back. Raises IoFailed."""
        files, now = self.app.files, self.app.clock.now()
        every, damaged = jobs.every(files)
        for problem in damaged:
            self.app.say(f"{problem}; left where it is")
        over = {job.id for job in every if job.status in queue.OVER}
        for id in set(files.names(files.tree.jobs)) - over:  # one may have been killed before it was filed
            files.sweep(files.tree.job_folder(id), now.timestamp())
        most = self.app.config.whole("jobs.tries")
        for left in queue.recover(files, every, now, lambda run: was_stopped(files, run), most):
            self.app.say(f"{left.id}: {left.reason}; {left.status}")
        return every

    def work(self, limit: int) -> None:
        """The oldest first, and the tasks of `delegate` after them; what old jobs came to is taken away. Raises
        Stopped, IoFailed."""
        now, every = self.app.clock.now(), self.recover()
        jobs.prune(self.app.files, every, now - timedelta(days=self.app.config.whole("runs.keep_days")))
        for job in [each for each in queue.waiting(every) if jobs.is_due(each, now)][:limit]:
            self.one(job)
        if not any(each.status in (queue.QUEUED, queue.RUNNING) for each in queue.list_tasks(self.app.files)[0]):
            return
        try:
            with self.app.files.lock(DELEGATION, 0):
                self.delegated = DelegatedRun(self.app)
                self.delegated.work(max(0, limit - len(self.handled)))
        except LockBusy:
            self.app.say("another run works the tasks")

    def one(self, job: Job) -> None:
        """Works one job to its end, or as far as it goes. Raises Stopped, IoFailed."""
        files, clock = self.app.files, self.app.clock
        self.app.gate()
        whole = jobs.results(files, job.id)
        tries = 1 if whole > job.whole else job.tries + 1  # a job that gets on has all its tries again
        try:
            queue.claim(files, job, clock.now(), self.app.run, tries=tries, whole=whole)
            self.handled.append(job)
            self._walked(job)
        except FileChanged:
            stands = queue.read(files, Job, job.id)
            job.status = stands.status if stands is not None else queue.CANCELLED
            self.app.say(f"{job.id} was changed or cancelled meanwhile; that stands")
        finally:
            self.app.progress("")

    def _walked(self, job: Job) -> None:
        files, clock = self.app.files, self.app.clock
        try:
            self._made(job)
        except Stopped:
            queue.put_back(files, job, clock.now(), "stopped: PAUSED", counts=False)
            raise
        except StepFailed as failed:
            if failed.cause:
                self.unavailable.add(job.id)
            self._failed(job, failed.reason, again=failed.again, waits=failed.cause == WAITS)
        except (IoFailed, LockBusy, FileChanged):
            raise  # no fault of the job's: the next run finds it running, and goes on
        except AdjutantError as error:
            self._failed(job, error.message)
        except Exception as error:  # noqa: BLE001 - one job's bug must not keep the others from being worked
            self._failed(job, f"a bug in adjutant ({type(error).__name__}): {self.app.report(error)}", again=True)

    def _made(self, job: Job) -> None:
        """Every step, and the last one, which writes the tree."""
        app = self.app
        found, marker = pipeline.load(job.name), app.marker
        app.marker = job.marker  # the same fence in each run: the same question
        try:
            made = found.make(Walk(app, job, self._engine), job.given)
            app.gate()
            outcome = found.apply(app, job, made)
        finally:
            app.marker = marker
        whole = jobs.results(app.files, job.id)
        queue.change(app.files, job, app.clock.now(), status=queue.DONE, outcome=outcome, whole=whole, step="")

    def _failed(self, job: Job, reason: str, *, again: bool = False, waits: bool = False) -> None:
        """Put back with a pause, or set aside with its reason."""
        app = self.app
        whole, now = jobs.results(app.files, job.id), app.clock.now()
        tries, step = 1 if whole > job.whole else job.tries, reason.partition(": ")[0]
        tries -= waits
        again = again and tries < app.config.whole("jobs.tries")
        pause = timedelta(seconds=jobs.BACKOFF[min(max(1, tries), len(jobs.BACKOFF)) - 1])
        changed = {
            "status": queue.QUEUED if again else queue.FAILED,
            "not_before": (now + pause).isoformat() if again else "",
            "reason": clean_line(reason, REASON),
            "step": step if step in STEPS else "",
        }
        queue.change(app.files, job, now, **changed, tries=tries, whole=whole)
