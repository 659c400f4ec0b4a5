"""The engine over a real adapter and a server on loopback that does everything wrong: it ends in time, and tidily."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from adjutant.judgements import hearing, recording
from adjutant.judgements.asking import Asker
from adjutant.models.apis import OpenAI
from adjutant.replay import replay
from tests.asked import GOOD, INPUTS, LIE, RUN, judgement, make
from tests.modelserver import ModelServer

TINY = judgement()
KEY = "sk-canary-98765432"
RETRIES = 2


def asker_of(root: Path, server: ModelServer, seconds: float = 20.0) -> Asker:
    """Over the adapter with the config's default retries, no pauses between them; one request may take `seconds`."""
    model = OpenAI(
        server.url,
        KEY,
        sleep=lambda seconds: None,
        monotonic=time.monotonic,
        jitter=lambda: 0.5,
        gate=lambda: None,
        timeout=seconds,
        max_retries=RETRIES,
    )
    limits = f"timeout_seconds: {seconds}, max_retries: {RETRIES}"
    settings = f"llm: {{backend: openai, models: {{cheap: small}}, {limits}}}\n"
    return Asker(make(root, model, settings, monotonic=time.monotonic))


def tidy(root: Path) -> list[dict[str, object]]:
    """Every file under state/ is whole and holds no key; the lines of usage.jsonl."""
    for path in (root / "state").rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            assert KEY.encode() not in data, path
            for line in data.splitlines() if path.suffix == ".jsonl" else [data]:
                assert isinstance(json.loads(line), dict), path
    usage = root / "state" / "usage.jsonl"
    return [json.loads(line) for line in usage.read_bytes().splitlines()]


WELL = (
    "well",
    "prose",
    "fenced",
    "content-type",
    "no-usage",
    "odd-usage",
    "parts",
    "no-response-format",
    "no-max-tokens",
    "no-temperature",
)
BADLY = {
    "broken": "malformed",
    "deep": "malformed",
    "empty-choices": "malformed",
    "null": "malformed",
    "echo": "malformed",
    "deep-body": "malformed",
    "huge": "malformed",
    "html": "malformed",
    "no-choices": "malformed",
    "cut": "malformed",
    "500": "http",
    "501": "http",
    "400": "http",
    "401": "http",
    "404": "http",
    "redirect": "http",
    "429": "http",
    "429-later": "http",
    "reset": "unreachable",
    "hang": "timeout",
    "drip": "timeout",
}


@pytest.mark.parametrize("mode", WELL)
def test_a_server_that_answers_in_its_own_way_is_understood(tmp_path: Path, mode: str) -> None:
    with ModelServer([mode], GOOD) as server:
        asker = asker_of(tmp_path, server)
        assert asker.ask(TINY, INPUTS).result.level == "high"
    assert asker.degraded is None
    assert len(tidy(tmp_path)) == 1
    assert asker.tokens > 0


@pytest.mark.parametrize("mode", sorted(BADLY))
def test_a_server_that_fails_costs_no_more_than_its_time_and_rules_answer(
    tmp_path: Path,
    mode: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    began = time.monotonic()
    with ModelServer([mode], GOOD) as server:
        asker = asker_of(tmp_path, server, 0.5 if BADLY[mode] == "timeout" else 20.0)
        with ThreadPoolExecutor(4) as pool:
            answers = list(pool.map(lambda _: asker.ask(TINY, INPUTS), range(4)))
        last = asker.ask(TINY, INPUTS)
    assert time.monotonic() - began < (3 if BADLY[mode] == "timeout" else 15)
    assert {answer.degraded for answer in answers} == {last.degraded} == {BADLY[mode]}
    assert asker.degraded == BADLY[mode]
    assert last.result.level == "low"
    assert tidy(tmp_path)
    monkeypatch.setitem(hearing.JUDGEMENTS, "tiny", TINY.__name__)
    app = make(tmp_path, None, "llm: {backend: offline}\n")
    kept = [recording.read(app.files, RUN, name) for name in recording.names(app.files, RUN)]
    assert len(kept) == 5
    assert all(replay.compare(recorded) is None for recorded in kept)


def test_429_and_then_well_is_no_failure(tmp_path: Path) -> None:
    with ModelServer(["429", "well"], GOOD) as server:
        answer = asker_of(tmp_path, server).ask(TINY, INPUTS)
    assert answer.degraded is None
    assert len(server.requests) == 2


@pytest.mark.parametrize("mode", ["hang", "drip"])
def test_a_server_that_is_late_once_is_no_failure(tmp_path: Path, mode: str) -> None:
    with ModelServer([mode, "well"], GOOD) as server:
        asker = asker_of(tmp_path, server, 1.0)
        answer = asker.ask(TINY, INPUTS)
    assert (answer.degraded, asker.degraded, answer.result.level) == (None, None, "high")
    assert len(server.requests) == 2
    assert [line["tokens_in"] for line in tidy(tmp_path)] == [11], "what the server counted, and no line for the try"


def test_a_server_that_hangs_for_ever_is_left_after_its_tries_and_asked_nothing_more(tmp_path: Path) -> None:
    began = time.monotonic()
    with ModelServer(["hang"], GOOD) as server:
        asker = asker_of(tmp_path, server, 0.5)
        causes = [asker.ask(TINY, INPUTS).degraded for _ in range(3)]
    assert (RETRIES + 1) * 0.5 <= time.monotonic() - began < (RETRIES + 1) * 0.5 + 1.0
    assert causes == ["timeout"] * 3
    assert asker.degraded == "timeout"
    assert len(server.requests) == RETRIES + 1
    assert [line["failed"] for line in tidy(tmp_path)] == ["timeout"]


@pytest.mark.parametrize(("seconds", "tries"), [(20.0, 1), (0.4, 2)])
def test_the_callers_time_binds_where_it_is_shorter_than_a_request_or_all_of_them(
    tmp_path: Path,
    seconds: float,
    tries: int,
) -> None:
    began = time.monotonic()
    with ModelServer(["hang"], GOOD) as server:
        answer = asker_of(tmp_path, server, seconds).ask(TINY, INPUTS, timeout=0.7)
    assert 0.6 < time.monotonic() - began < 1.5
    assert answer.degraded == "timeout"
    assert answer.result.level == "low"
    assert len(server.requests) == tries


def test_a_server_that_lies_about_quotes_is_asked_once_more_and_not_believed(tmp_path: Path) -> None:
    with ModelServer(["well"], LIE) as server:
        asker = asker_of(tmp_path, server)
        answer = asker.ask(TINY, INPUTS)
    assert answer.degraded == "check"
    assert answer.result.level == "low"
    assert len(server.requests) == 2
    assert [line["tokens_in"] for line in tidy(tmp_path)] == [11, 11]
    assert asker.tokens == 36


def test_a_repair_that_is_understood_is_believed(tmp_path: Path) -> None:
    def better(body: dict[str, object]) -> str:
        return GOOD if "was refused" in json.dumps(body["messages"]) else LIE

    with ModelServer(["well"], better) as server:
        answer = asker_of(tmp_path, server).ask(TINY, INPUTS)
    assert answer.degraded is None
    assert answer.result.level == "high"
    assert answer.tokens == 36
