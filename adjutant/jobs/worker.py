"""JOBS. A worker: takes steps from the queues of all instances in turn, works them, and hands the results back.

It runs one function, whatever a queue says, and reads JSON alone: who can write to Redis cannot make it run anything
else.
"""

from __future__ import annotations

import time
from contextlib import suppress
from typing import Any

import msgspec
from redis import Redis
from redis.exceptions import ConnectionError, TimeoutError
from rq import Queue, Worker
from rq.exceptions import StopRequested
from rq.job import Job
from rq.serializers import JSONSerializer
from rq.worker import DequeueStrategy

from adjutant.jobs.remote import FUNCTION, QUEUES
from adjutant.jobs.steps import STEPS, Outside, StepCall, execute

TTL, BEAT, PATIENCE = 30, 5, 2  # seconds that a worker lives without a sign; between signs; to wait for a step at once
LOST = 15  # seconds after its last sign that a step counts as lost
IDLE = f"{QUEUES}none"

_outside: list[Outside] = []  # of this process: what `start` was given, and a fork inherits


def work(step: str, given: str, hash: str) -> dict[str, Any]:
    """Works a call; the fields of its StepResult. Raises ValueError for a step that reads files of its machine."""
    if STEPS[step].here:
        raise ValueError(f"{step} is worked on its owner's machine alone")
    result = execute(StepCall(step, given.encode(), hash), _outside[0])
    return {**msgspec.structs.asdict(result), "output": result.output.decode()}


class StepJob(Job):
    """A job that is a step, and nothing else that a queue may name: no other function, no callback, no webhook."""

    @property
    def func(self) -> Any:
        """Raises ValueError for a job that is no step."""
        if self.func_name != FUNCTION:
            raise ValueError("not a step of Adjutant")
        return work

    success_callback = failure_callback = stopped_callback = None

    def send_webhooks(self, *args: Any, **kwargs: Any) -> None:
        """None is sent."""


class NameTaken(Exception):
    """Another worker goes by that name."""


class StepWorker(Worker):
    """A Worker that learns of new instances' queues as they come, and serves them in turn."""

    job_class = StepJob
    asked_to_stop = False
    max_connection_wait_time = 4.0  # seconds; RQ would look for a Redis that is back only once a minute

    @property
    def dequeue_timeout(self) -> int:
        return PATIENCE

    @property
    def connection_timeout(self) -> int:
        return PATIENCE + 10

    def register_birth(self) -> None:
        """As RQ's. Raises NameTaken."""
        try:
            super().register_birth()  # type: ignore[no-untyped-call]  # RQ's own
        except ValueError:
            raise NameTaken from None

    def request_stop(self, signum: Any, frame: Any) -> None:
        """As RQ's, and remembered."""
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


def start(redis: Redis, outside: Outside, *, name: str | None = None, burst: bool = False) -> None:
    """Works steps until SIGTERM or Ctrl-C, the one under way to its end; with `burst` until there are none. RQ ends a
    worker when Redis goes away while it keeps its books: another one then takes its place. Raises NameTaken."""
    _outside[:] = [outside]
    worker = _worker(redis, name)
    while True:
        with suppress(ConnectionError, TimeoutError):
            worker.work(burst=burst, logging_level="WARNING", dequeue_strategy=DequeueStrategy.ROUND_ROBIN)
        with suppress(StopRequested, ConnectionError, TimeoutError):
            time.sleep(0 if burst or worker.asked_to_stop else PATIENCE)
        if burst or worker.asked_to_stop:
            return
        with suppress(ConnectionError, TimeoutError):
            worker = _worker(redis, None)


def _worker(redis: Redis, name: str | None) -> StepWorker:
    times = {"worker_ttl": TTL, "maintenance_interval": BEAT, "job_monitoring_interval": BEAT}
    more: dict[str, Any] = {**times, "job_class": StepJob, "serializer": JSONSerializer, "log_job_description": False}
    return StepWorker([IDLE], name=name, connection=redis, **more)
