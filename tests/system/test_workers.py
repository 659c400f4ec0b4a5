"""Workers on a real Redis: each result once, whoever is killed, and no instance sees another's."""

from __future__ import annotations

import itertools
import json
import signal
import subprocess
import sys
import threading
import time
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from redis import Redis
from rq import Callback, Queue
from rq.results import Result
from rq.serializers import JSONSerializer

from adjutant.errors import Stopped
from adjutant.jobs.remote import RemoteSteps
from adjutant.jobs.steps import STEPS, StepCall, StepFailed, StepResult
from adjutant.store import config
from tests import nap
from tests.modelserver import ModelServer
from tests.servers import RedisServer
from tests.speechserver import Page, SpeechServer
from tests.system.test_jobs import PAGE, ingest, put, waited
from tests.system.test_model import competent
from tests.system.world import World

pytestmark = pytest.mark.server
NAPS = "from adjutant.jobs.steps import STEPS; from tests.nap import NAP; STEPS['nap'] = NAP"
numbers = itertools.count(1)


@pytest.fixture
def queue(redis_server: RedisServer) -> Iterator[Redis]:
    client = Redis.from_url(redis_server.url, socket_timeout=5)
    client.flushdb()
    yield client
    client.close()


@pytest.fixture(autouse=True)
def known_nap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(STEPS, "nap", nap.NAP)


class Hands:
    """Workers: processes of `adjutant worker` in a folder that holds adjutant.yaml and .env alone."""

    def __init__(self, folder: Path, url: str, **secrets: str) -> None:
        folder.mkdir(exist_ok=True)
        self.desk = World(folder)
        self.desk.settings(jobs__redis_url=url)
        self.desk.secrets(**secrets)
        self.running: list[subprocess.Popen[str]] = []

    def settings(self, url: str, **more: Any) -> None:
        self.desk.settings(jobs__redis_url=url, **more)

    def start(self, count: int = 1, *words: str) -> None:
        code = f"import sys; {NAPS}; from adjutant.cli import main; sys.exit(main(sys.argv[1:]))"
        for _ in range(count):
            argv = [sys.executable, "-c", code, *self.desk.words("worker", "--name", f"w{next(numbers)}", *words)]
            self.running.append(subprocess.Popen(argv, text=True, stderr=subprocess.PIPE, start_new_session=True))

    def work_all(self) -> str:
        """Works what waits, to the end; what the worker said."""
        self.start(1, "--burst")
        return self.running.pop().communicate(timeout=60)[1]

    def kill_one(self) -> None:
        """A worker and what it has under way, without a word."""
        child = self.running.pop(0)
        subprocess.run(["pkill", "-KILL", "-P", str(child.pid)], check=False)
        child.kill()
        child.communicate()

    def stop(self) -> None:
        for child in self.running:
            child.send_signal(signal.SIGTERM)
        for child in self.running:
            child.communicate(timeout=30)


@pytest.fixture
def hands(redis_server: RedisServer, tmp_path: Path, queue: Redis) -> Iterator[Hands]:
    found = Hands(tmp_path / "desk", redis_server.url)
    yield found
    found.stop()


def engine(
    queue: Redis,
    instance: str = "one",
    *,
    gate: Callable[[], None] = lambda: None,
    say: Callable[[str], None] = lambda line: None,
    fallback: str = "wait",
    patience: float = 20.0,
) -> RemoteSteps:
    settings = config.Config({"jobs.tries": 3, "jobs.step_seconds": 60, "jobs.fallback": fallback}, {})
    app: Any = SimpleNamespace(config=settings, gate=gate, say=say)
    return RemoteSteps(queue, instance, app, patience)


def call(log: Path, number: int, **more: Any) -> StepCall:
    given = nap.Input(number, str(log), **more)
    return StepCall("nap", msgspec.json.encode(given), nap.NAP.hash(given))


def calls(log: Path, count: int, **more: Any) -> list[StepCall]:
    return [call(log, number, **more) for number in range(count)]


def slept(results: list[StepResult]) -> list[int]:
    """The numbers of those that came to a result."""
    return sorted(msgspec.json.decode(each.output, type=nap.Output).number for each in results if each.output)


def worked(log: Path) -> Counter[str]:
    return Counter(log.read_text().split()) if log.exists() else Counter()


def test_each_call_is_answered_once(queue: Redis, hands: Hands, tmp_path: Path) -> None:
    hands.start(2)
    log = tmp_path / "log"
    assert slept(list(engine(queue).work(calls(log, 20)))) == list(range(20))
    assert set(worked(log).values()) == {1}


def test_nothing_of_a_step_stays_in_redis(queue: Redis, hands: Hands, tmp_path: Path) -> None:
    hands.start()
    list(engine(queue).work(calls(tmp_path / "log", 3)))
    assert queue.keys("rq:job:*") == []


def test_a_result_that_a_killed_run_left_is_taken(queue: Redis, hands: Hands, tmp_path: Path) -> None:
    log = tmp_path / "log"
    killed = engine(queue).work(calls(log, 3))
    handing = threading.Thread(target=lambda: next(killed, None), daemon=True)
    handing.start()
    while len(queue.keys("rq:job:*")) < 3:
        time.sleep(0.02)
    hands.work_all()
    handing.join(10)
    assert slept(list(engine(queue).work(calls(log, 3))))[-2:] == [1, 2]
    assert max(worked(log).values()) <= 2
    assert worked(log)["2"] == 1


def test_a_step_that_fails_says_why(queue: Redis, hands: Hands, tmp_path: Path) -> None:
    hands.start()
    (result,) = engine(queue).work([call(tmp_path / "log", 1, fails=True)])
    assert (result.output, result.reason, result.again) == (b"", "it is no step", False)


def test_poison_is_given_up_after_three_workers(queue: Redis, hands: Hands, tmp_path: Path) -> None:
    hands.start(2)
    log = tmp_path / "log"
    results = list(engine(queue).work([call(log, 1, poison=True), *calls(log, 1), call(log, 5)]))
    assert slept(results) == [0, 5]
    assert worked(log)["1"] == 3


def test_two_instances_have_results_of_their_own(queue: Redis, hands: Hands, tmp_path: Path) -> None:
    hands.start()
    log = tmp_path / "log"
    for name in ("one", "two"):
        assert slept(list(engine(queue, name).work(calls(log, 2)))) == [0, 1]
    assert set(worked(log).values()) == {2}


def test_a_long_queue_of_one_does_not_hold_up_another(queue: Redis, hands: Hands, tmp_path: Path) -> None:
    logs = {name: tmp_path / name for name in ("long", "short")}
    found: dict[str, float] = {}

    def walk(name: str, count: int) -> None:
        list(engine(queue, name).work(calls(logs[name], count, seconds=0.05)))
        found[name] = time.monotonic()

    both = [threading.Thread(target=walk, args=each) for each in (("long", 40), ("short", 3))]
    for each in both:
        each.start()
        time.sleep(0.2)
    hands.start()
    for each in both:
        each.join(60)
    assert found["short"] < found["long"]
    assert sum(worked(logs["long"]).values()) == 40


def test_a_worker_runs_nothing_but_steps(queue: Redis, hands: Hands, tmp_path: Path) -> None:
    touched = tmp_path / "touched"
    foreign = Queue("adjutant-evil", connection=queue, serializer=JSONSerializer)
    foreign.enqueue_call("os.system", args=(f"touch {touched}",))
    foreign.enqueue_call(
        "adjutant.jobs.remote.work",
        args=("nap", "{}", "h"),
        on_failure=Callback("tests.system.test_workers.leave_a_mark"),
    )
    hands.work_all()
    assert not touched.exists()
    assert len(foreign.failed_job_registry) == 2


def asked(queue: Redis, hands: Hands, step: str, given: dict[str, Any]) -> str:
    """What a worker hands out that was asked by somebody else than the owner of an instance."""
    foreign = Queue("adjutant-evil", connection=queue, serializer=JSONSerializer)
    job = foreign.enqueue_call("adjutant.jobs.remote.work", args=(step, json.dumps(given), "h"))
    hands.work_all()
    return str(job.return_value())


def test_a_worker_hands_out_no_file_of_its_own(queue: Redis, hands: Hands) -> None:
    hands.desk.secrets(OPENAI_API_KEY="sk-of-the-worker")
    data = b64encode(hands.desk.root.joinpath(".env").read_bytes()).decode()
    given = {"path": str(hands.desk.root / ".env"), "most": 1000, "most_media": 1000}
    assert data not in asked(queue, hands, "copy", given)


def test_a_worker_fetches_from_no_neighbour_of_its_own(queue: Redis, hands: Hands) -> None:
    with SpeechServer({"/secret": Page(b"between us")}) as server:
        given = {"url": f"{server.url}/secret", "most": 1000, "seconds": 5, "loopback": True}
        assert b64encode(b"between us").decode() not in asked(queue, hands, "fetch", given)


def test_a_worker_asks_its_own_backend_alone(queue: Redis, hands: Hands, redis_server: RedisServer) -> None:
    hands.settings(redis_server.url, llm__backend="offline")
    given = {"backend": "claude", "name": "n", "system": "", "text": "t", "schema": None}
    given |= {"model": "m", "temperature": 0, "max_tokens": 9, "timeout": 5}
    assert "llm.backend is none here" in asked(queue, hands, "complete", given)


FORGED = ({"output": "\ud800"}, {"output": "[]"}, {"output": '{"number": "one"}'}, {"output": 1}, [], None, "text")


@pytest.mark.parametrize("told", FORGED)
def test_a_forged_result_is_none(queue: Redis, tmp_path: Path, told: Any) -> None:
    one = call(tmp_path / "log", 1)
    owner, id = Queue("adjutant-one", connection=queue, serializer=JSONSerializer), f"one-{one.hash}"
    job = owner.enqueue_call("adjutant.jobs.remote.work", job_id=id)
    begun = engine(queue).work([one])
    answers: list[StepResult] = []
    owners = threading.Thread(target=lambda: answers.extend(begun))
    owners.start()
    time.sleep(0.3)
    Result.create(job, Result.Type.SUCCESSFUL, 60, return_value=told)
    queue.hset(job.key, "status", "finished")
    owners.join(20)
    assert [(each.output, each.again) for each in answers] == [(b"", True)]


def test_a_job_that_redis_damaged_is_filed_anew(queue: Redis, hands: Hands, tmp_path: Path) -> None:
    one = call(tmp_path / "log", 1)
    queue.hset(f"rq:job:one-{one.hash}", mapping={"data": "x", "created_at": "yesterday", "status": "finished"})
    hands.start()
    assert slept(list(engine(queue).work([one]))) == [1]


def leave_a_mark(*given: Any) -> None:
    raise AssertionError("a callback was run")


def test_without_a_worker_a_job_waits(queue: Redis, tmp_path: Path) -> None:
    said: list[str] = []
    with pytest.raises(StepFailed, match="no worker is running"):
        list(engine(queue, patience=0.5, say=said.append).work(calls(tmp_path / "log", 1)))
    assert said == ["no worker is running; waiting up to 0.5 s for one"]


def test_without_a_worker_steps_are_worked_here(queue: Redis, tmp_path: Path) -> None:
    said: list[str] = []
    here = engine(queue, patience=0.5, fallback="here", say=said.append)
    assert slept([*here.work(calls(tmp_path / "log", 2)), *here.work(calls(tmp_path / "log", 2))]) == [0, 0, 1, 1]
    assert queue.keys("rq:job:*") == []
    assert said[1:] == ["no worker is running; start one with `adjutant worker`; steps are worked here"]


def test_paused_stops_the_owner(queue: Redis, tmp_path: Path) -> None:
    looks = itertools.count()

    def gate() -> None:
        if next(looks) > 3:
            raise Stopped("paused")

    with pytest.raises(Stopped):
        list(engine(queue, gate=gate).work(calls(tmp_path / "log", 1)))


# -- through the verbs ---------------------------------------------------------------------------------------


def test_a_job_makes_the_same_tree_by_workers(
    world: World, hands: Hands, redis_server: RedisServer, tmp_path: Path
) -> None:
    page, other = put(tmp_path, "page.html", PAGE), world.copy(tmp_path / "other")
    world.settings(jobs__engine="rq", jobs__redis_url=redis_server.url)
    hands.start()
    made = [ingest(each, page) for each in (world, other)]
    notes = [each.text(found["outcome"]["notes"][0]) for each, found in zip((world, other), made, strict=True)]
    texts = [note.replace(found["id"], "ID") for note, found in zip(notes, made, strict=True)]
    assert texts[0] == texts[1]


def test_briefs_are_asked_by_workers_with_their_own_key(
    world: World, redis_server: RedisServer, tmp_path: Path, queue: Redis
) -> None:
    world.knowledge("roof", {"roof.md": "# Roof\n\nHalvorsen will not come this year, says his wife.\n"})
    with ModelServer(answer=competent) as server:
        model = {"llm__backend": "openai", "llm__base_url": server.url, "llm__models__cheap": "m"}
        world.settings(jobs__engine="rq", jobs__redis_url=redis_server.url, **model)
        hands = Hands(tmp_path / "desk", redis_server.url, OPENAI_API_KEY="sk-of-the-worker")
        hands.settings(redis_server.url, **model)
        hands.start()
        found = world.result("pulse")
        hands.stop()
        keys = {request.headers.get("authorization") for request in server.requests}
    assert (found["model_calls"], found["degraded"]) == (1, None)
    assert queue.keys("rq:job:*") == []
    assert keys == {"Bearer sk-of-the-worker"}


def test_a_worker_needs_no_other_file(hands: Hands) -> None:
    hands.work_all()
    kept = {path.name for path in hands.desk.root.iterdir()}
    assert kept == {"adjutant.yaml", ".env", "state"}


def test_a_worker_without_redis_says_so(tmp_path: Path) -> None:
    desk = Hands(tmp_path / "desk", "redis://127.0.0.1:9/0").desk
    assert "Redis" in desk.refusal("worker", check=69)["error"]["message"]


def test_a_name_that_another_worker_has_is_refused(hands: Hands, queue: Redis) -> None:
    hands.start(1, "--name", "mia")
    waited(lambda: bool(queue.keys("rq:worker:mia")))
    assert "'mia'" in hands.desk.refusal("worker", "--name", "mia", check=2)["error"]["message"]


def test_an_engine_without_an_address_is_named(world: World, tmp_path: Path) -> None:
    world.settings(jobs__engine="rq")
    found = world.refusal("job", "run", "ingest", put(tmp_path, "page.html", PAGE), check=78)
    assert "no Redis is named for the workers" in found["error"]["message"]


def test_a_job_waits_however_long_redis_is_away(world: World, tmp_path: Path) -> None:
    world.settings(jobs__engine="rq", jobs__redis_url="redis://127.0.0.1:9/0", jobs__tries=1)
    world.plant("from adjutant.jobs.remote import RemoteSteps as R; R.__init__.__defaults__ = (0.1,)")
    world.run("job", "run", "ingest", put(tmp_path, "page.html", PAGE))
    assert [job["status"] for job in world.result("job", "list")["jobs"]] == ["queued"]


# -- killed --------------------------------------------------------------------------------------------------


@pytest.mark.sweep
def test_steps_survive_killed_workers_and_redis(tmp_path: Path) -> None:
    """Two hundred steps and one that is poison, three workers; every few seconds one of them or Redis is killed."""
    server = RedisServer(tmp_path)
    server.start()
    hands, log = Hands(tmp_path / "desk", server.url), tmp_path / "log"
    hands.start(3)
    over = threading.Event()

    def kill() -> None:
        for number in itertools.count():
            if over.wait(3):
                return
            if number % 3 == 2:
                server.kill()
                over.wait(0.5)
                server.start()
            else:
                hands.kill_one()
                hands.start()

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        client = Redis.from_url(server.url, socket_timeout=5)
        given = [call(log, 999, poison=True), *calls(log, 200, seconds=0.1)]
        results = list(engine(client, patience=60.0).work(given))
    finally:
        over.set()
        killer.join()
        hands.stop()
        server.kill()
    assert slept(results) == list(range(200))
    assert [each.hash for each in results if not each.output] == [given[0].hash]


@pytest.mark.sweep
def test_a_worker_is_back_soon_after_redis(tmp_path: Path) -> None:
    server = RedisServer(tmp_path)
    server.start()
    hands, log = Hands(tmp_path / "desk", server.url), tmp_path / "log"
    hands.start()
    try:
        client = Redis.from_url(server.url, socket_timeout=5)
        assert slept(list(engine(client).work(calls(log, 1)))) == [0]
        server.kill()
        time.sleep(18)  # the pauses between a worker's tries grow meanwhile
        server.start()
        begun = time.monotonic()
        assert slept(list(engine(client).work([call(log, 7)]))) == [7]
        assert time.monotonic() - begun < 8
    finally:
        hands.stop()
        server.kill()
