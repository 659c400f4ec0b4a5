"""JOBS. The engine that hands steps to RQ workers over Redis: a step's name, its input, its hash. Nothing else leaves.

A step's id is the instance's and its hash: a result that a killed run left there is taken, not paid for again, and no
instance takes another's. A worker runs one function, whatever a queue says, and reads JSON alone: who can write to
Redis cannot make it run anything else.
"""

import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import chain
from typing import Any, ParamSpec, TypeVar

import msgspec
from redis import Redis
from redis.exceptions import ConnectionError, RedisError, TimeoutError
from rq import Queue, Retry, Worker
from rq.exceptions import DuplicateJobError, NoSuchJobError, StopRequested
from rq.executions import ExecutionRegistry
from rq.job import Job
from rq.serializers import JSONSerializer
from rq.worker import DequeueStrategy
from rq.worker_registration import REDIS_WORKER_KEYS

from adjutant.app import App
from adjutant.errors import UsageError
from adjutant.jobs import steps
from adjutant.jobs.steps import StepCall, StepFailed, StepResult
from adjutant.ports import Model, ModelFailed, Prompt, Reply
from adjutant.screening.fence import clean_line

FUNCTION = "adjutant.jobs.remote.work"  # the one that a worker runs, by its name
QUEUES = "adjutant-"  # begins the name of each instance's queue
MOST, MOST_BYTES = 64, 64 * 1024 * 1024  # steps, and bytes of them, that are handed out at once
KEPT = 86400  # seconds that Redis keeps what nobody has fetched
PAUSE, LOOK = 0.02, 5.0  # seconds between two looks at the results; between two for a worker that lives
OVER = frozenset((b"finished", b"failed", b"stopped", b"canceled"))
GONE = (ConnectionError, TimeoutError, OSError)
DAMAGED = (ValueError, KeyError, TypeError, AttributeError, zlib.error, msgspec.DecodeError)  # what is no job of RQ's
MOST_REASON, MOST_CAUSE = 300, 20  # characters of what a worker says
P = ParamSpec("P")
T = TypeVar("T")


class QueueGone(Exception):
    """Redis cannot be reached, or nobody works its queue."""


class RemoteSteps:
    """An engine. `patience`: seconds that Redis or the last worker may be away. Steps are then worked here, where
    `jobs.fallback` says so; else their job waits."""

    def __init__(self, redis: Redis, instance: str, app: App, patience: float = 30.0) -> None:
        self._redis, self._instance, self._app, self._patience, self._gone = redis, instance, app, patience, ""
        self._queue = Queue(f"{QUEUES}{instance}", connection=redis, serializer=JSONSerializer)
        self._tries, self._seconds = app.config.whole("jobs.tries"), app.config.whole("jobs.step_seconds")

    def work(self, calls: Iterable[StepCall]) -> Iterator[StepResult]:
        """Raises StepFailed where nobody can work them, Stopped."""
        waiting, left = iter(calls), dict[str, StepCall]()
        try:
            yield from self._hand_out(waiting, left)
        except QueueGone as gone:
            if self._app.config.text("jobs.fallback") != "here":
                raise StepFailed(f"{gone}; the job waits", again=True, cause=steps.WAITS) from None
            if not self._gone:
                self._gone = str(gone)
                self._app.say(f"{gone}; steps are worked here")
            with suppress(RedisError, OSError):  # no worker that comes later is to work them, too
                for id in left:
                    self._forget(id)
            yield from steps.work_here(self._app, chain(left.values(), waiting))

    def _hand_out(self, waiting: Iterator[StepCall], left: dict[str, StepCall]) -> Iterator[StepResult]:
        """`left`: what is handed out and has no result yet."""
        if self._gone:
            raise QueueGone(self._gone)
        more, seen, lost = True, time.monotonic(), set[str]()
        while more or left:
            self._app.gate()
            while more and len(left) < MOST and sum(len(each.input) for each in left.values()) < MOST_BYTES:
                call = next(waiting, None)
                more = call is not None
                if call is not None:
                    left[f"{self._instance}-{call.hash}"] = call
                    self._patiently(self._file, call)
            for id in self._patiently(self._find_ended, left):
                result = self._patiently(self._take, id, left[id])
                if result is None:
                    continue
                del left[id]
                yield result
                self._patiently(self._forget, id)  # it is kept where it belongs by now
                seen = time.monotonic()
            if time.monotonic() - seen > LOOK:
                seen, lost = self._patiently(self._look_for_workers), self._patiently(self._put_back, left, lost)
            time.sleep(PAUSE)

    def _file(self, call: StepCall) -> None:
        args, id = (call.step, call.input.decode(), call.hash), f"{self._instance}-{call.hash}"
        times: dict[str, Any] = {"timeout": self._seconds, "result_ttl": KEPT, "failure_ttl": KEPT}
        retry = Retry(max=self._tries - 1) if self._tries > 1 else None
        try:  # described by the step's name: the usual description would hold all of the input
            self._queue.enqueue_call(
                FUNCTION, args, job_id=id, unique=True, description=call.step, retry=retry, **times
            )
        except DuplicateJobError:
            job = self._fetch(id)
            if job is not None and job.is_finished and (job.return_value() or {}).get("output"):
                return
            if job is None or str(job.get_status()).rpartition(".")[2].lower().encode() in OVER:
                self._forget(id)
                self._file(call)

    def _find_ended(self, left: dict[str, StepCall]) -> list[str]:
        pipe = self._redis.pipeline(transaction=False)
        for id in left:
            pipe.hget(Job.key_for(id), "status")
        found = dict(zip(left, pipe.execute(), strict=True))
        for id in (id for id, state in found.items() if state is None):
            self._file(left[id])
        return [id for id, state in found.items() if state in OVER]

    def _take(self, id: str, call: StepCall) -> StepResult | None:
        job = self._fetch(id)
        if job is None:
            self._file(call)
            return None
        if job.is_failed or job.is_stopped or job.is_canceled:
            return StepResult(call.hash, b"", f"it crashed {self._tries} workers or took longer than {self._seconds} s")
        try:
            told: Any = job.return_value()
            found = msgspec.convert({**told, "output": told["output"].encode(), "hash": call.hash}, StepResult)
            if found.output:
                msgspec.json.decode(found.output, type=steps.STEPS[call.step].output)
        except DAMAGED:
            return StepResult(call.hash, b"", "a worker came back with what is no result", again=True)
        reason, cause = clean_line(found.reason, MOST_REASON), clean_line(found.cause, MOST_CAUSE)
        return msgspec.structs.replace(found, reason=reason, cause=cause)

    def _fetch(self, id: str) -> Job | None:
        with suppress(NoSuchJobError, *DAMAGED):
            return Job.fetch(id, connection=self._redis, serializer=JSONSerializer)
        return None

    def _forget(self, id: str) -> None:
        if (job := self._fetch(id)) is not None:
            with suppress(ValueError):  # RQ's, for an execution that went with a worker
                job.delete()
                return
        self._redis.delete(Job.key_for(id), ExecutionRegistry(id, connection=self._redis).key)

    def _look_for_workers(self) -> float:
        until, told = time.monotonic() + self._patience, False
        while not any(self._redis.exists(key) for key in self._redis.smembers(REDIS_WORKER_KEYS)):
            if not told:
                self._app.say(f"no worker is running; waiting up to {self._patience:g} s for one")
            told = True
            if time.monotonic() > until:
                raise QueueGone("no worker is running; start one with `adjutant worker`")
            self._app.gate()
            time.sleep(0.5)
        return time.monotonic()

    def _put_back(self, left: Iterable[str], lost: set[str]) -> set[str]:
        """Puts into the queue what was lost on the way there or out of it, if it was `lost` twice; what is now."""
        pipe = self._redis.pipeline(transaction=True)
        pipe.lrange(self._queue.key, 0, -1)
        pipe.lrange(self._queue.intermediate_queue_key, 0, -1)
        for id in left:
            pipe.hget(Job.key_for(id), "status")
        queued, taken, *states = pipe.execute()
        there = {each.decode() for each in (*queued, *taken)}
        found = {id for id, state in zip(left, states, strict=True) if state == b"queued" and id not in there}
        for id in found & lost:
            self._queue.push_job_id(id)
        return found - lost

    def _patiently(self, act: Callable[P, T], *given: P.args, **more: P.kwargs) -> T:
        """What `act` comes to, however often Redis goes away meanwhile, within the patience. Raises QueueGone."""
        until = time.monotonic() + self._patience
        while True:
            try:
                return act(*given, **more)
            except GONE:
                if time.monotonic() > until:
                    raise QueueGone("Redis cannot be reached") from None
                self._app.gate()
                time.sleep(0.2)
            except RedisError as error:
                raise QueueGone(f"Redis refuses: {type(error).__name__}") from None


class RemoteModel:
    """A model whose questions are put by workers: as many at once as there are. What reads a folder is asked from
    here."""

    def __init__(self, own: Model, engine: Callable[[], steps.Engine | None]) -> None:
        self.backend, self._own, self._engine = own.backend, own, engine

    def complete(self, prompt: Prompt) -> Reply:
        engine = self._engine() if prompt.reads is None else None
        if engine is None:
            return self._own.complete(prompt)
        given = steps.Question(self.backend, *prompt[:8])
        call = StepCall(steps.COMPLETE.name, msgspec.json.encode(given), steps.COMPLETE.hash(given))
        try:
            (result,) = engine([call])  # to its end: then it is taken out of Redis
        except StepFailed as failed:
            raise ModelFailed("unreachable", failed.reason) from None
        if not result.output:
            raise ModelFailed(result.cause or "unreachable", result.reason)
        return msgspec.json.decode(result.output, type=Reply)


# -- a worker: takes steps from the queues of all instances in turn, works them, and hands the results back -----


TTL, BEAT, PATIENCE = 30, 5, 2  # seconds that a worker lives without a sign; between signs; to wait for a step at once
LOST = 15  # seconds after its last sign that a step counts as lost
IDLE = f"{QUEUES}none"

_app: list[App] = []  # of this process: what `start` was given, and a fork inherits


def work(step: str, given: str, hash: str) -> dict[str, Any]:
    """Works a call; the fields of its StepResult. Raises ValueError for a step that reads files of its machine."""
    if steps.STEPS[step].here:
        raise ValueError(f"{step} is worked on its owner's machine alone")
    result = steps.execute(StepCall(step, given.encode(), hash), _app[0])
    return {**msgspec.structs.asdict(result), "output": result.output.decode()}


class StepJob(Job):
    """A job that is a step, and nothing else that a queue may name: no other function, no callback, no webhook."""

    @property
    def func(self) -> Any:
        if self.func_name != FUNCTION:
            raise ValueError("not a step of Adjutant")
        return work

    success_callback = failure_callback = stopped_callback = None

    def send_webhooks(self, *args: Any, **kwargs: Any) -> None:
        """None is sent."""


class StepWorker(Worker):
    """A Worker that learns of new instances' queues as they come, and serves them in turn."""

    job_class = StepJob
    asked_to_stop = False
    max_connection_wait_time = 4.0  # seconds; RQ would look for a Redis that is back only once a minute
    dequeue_timeout, connection_timeout = PATIENCE, PATIENCE + 10

    def register_birth(self) -> None:
        try:
            super().register_birth()  # type: ignore[no-untyped-call]  # RQ's own
        except ValueError:
            fix = "give this one another --name, or none"
            raise UsageError(f"another worker is called {self.name!r}", fix) from None

    def request_stop(self, signum: Any, frame: Any) -> None:
        self.asked_to_stop = True
        super().request_stop(signum, frame)  # type: ignore[no-untyped-call]  # RQ's own

    def heartbeat(self, timeout: int | None = None, pipeline: Any = None) -> None:
        """As RQ's, which lets a dead worker count for another minute."""
        super().heartbeat(timeout or self.worker_ttl, pipeline)

    def get_heartbeat_ttl(self, job: Job, working_time: float = 0.0) -> int:
        """Seconds: RQ's own, over a minute, would leave a dead worker's step lying as long."""
        return LOST

    def dequeue_job_and_maintain_ttl(
        self, timeout: int | None, max_idle_time: int | None = None
    ) -> tuple[Job, Queue] | None:
        """As RQ's, on the queues that there are now."""
        self._learn_queues()
        while True:
            found = super().dequeue_job_and_maintain_ttl(timeout, max_idle_time=PATIENCE if timeout else None)
            if found is not None or timeout is None or self._stop_requested:
                return found
            self._learn_queues()

    def _learn_queues(self) -> None:
        names = {each.key.rpartition(":")[2] for each in Queue.all(connection=self.connection)}
        known = {each.name for each in self._ordered_queues}
        for name in sorted(name for name in names - known if name.startswith(QUEUES)):
            made = Queue(name, connection=self.connection, job_class=StepJob, serializer=JSONSerializer)
            self._ordered_queues.insert(0, made)
        self.queues = list(self._ordered_queues)


def start(redis: Redis, app: App, *, name: str | None = None, burst: bool = False) -> None:
    """Works steps until SIGTERM or Ctrl-C, the one under way to its end; with `burst` until there are none. RQ ends a
    worker when Redis goes away while it keeps its books: another one then takes its place. Raises UsageError."""
    _app[:] = [app]
    times = {"worker_ttl": TTL, "maintenance_interval": BEAT, "job_monitoring_interval": BEAT}
    more: dict[str, Any] = {**times, "job_class": StepJob, "serializer": JSONSerializer, "log_job_description": False}
    worker = StepWorker([IDLE], name=name, connection=redis, **more)
    while True:
        with suppress(ConnectionError, TimeoutError):
            worker.work(burst=burst, logging_level="WARNING", dequeue_strategy=DequeueStrategy.ROUND_ROBIN)
        with suppress(StopRequested, ConnectionError, TimeoutError):
            time.sleep(0 if burst or worker.asked_to_stop else PATIENCE)
        if burst or worker.asked_to_stop:
            return
        with suppress(ConnectionError, TimeoutError):
            worker = StepWorker([IDLE], name=None, connection=redis, **more)
