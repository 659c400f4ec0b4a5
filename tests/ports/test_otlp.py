"""Spans over OTLP/HTTP, to a collector on loopback that reads the real protocol."""

from __future__ import annotations

import gzip
import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from adjutant.errors import MirrorUnavailable
from adjutant.mirrors.otlp import Otlp
from tests.conftest import adjutant

LINE: dict[str, Any] = {
    "trace_id": "ab" * 16,
    "span_id": "cd" * 8,
    "parent": None,
    "name": "turn conductor",
    "start": 1795165200000000000,
    "end": 1795165200100000000,
    "attributes": {"tokens": 7, "dry_run": False, "run": "r1"},
    "status": {"code": "OK"},
}


class Collector:
    """What a collector was sent, request by request, decoded."""

    def __init__(self, server: HTTPServer) -> None:
        self.url = f"http://127.0.0.1:{server.port}"
        self.spans: list[Any] = []
        self.resources: list[Any] = []
        server.expect_request("/v1/traces", method="POST").respond_with_handler(self._take)

    def _take(self, request: Request) -> Response:
        data = request.get_data()
        found = ExportTraceServiceRequest()
        found.ParseFromString(gzip.decompress(data) if request.headers.get("content-encoding") == "gzip" else data)
        for resource in found.resource_spans:
            self.resources.append({each.key: each.value.string_value for each in resource.resource.attributes})
            self.spans += [span for scope in resource.scope_spans for span in scope.spans]
        return Response(b"", 200)


@pytest.fixture
def collector(httpserver: HTTPServer) -> Iterator[Collector]:
    yield Collector(httpserver)


def test_a_span_arrives_as_the_log_has_it(collector: Collector) -> None:
    child = {**LINE, "span_id": "ee" * 8, "parent": "cd" * 8, "status": {"code": "ERROR", "message": "io.failed"}}
    Otlp(collector.url, "mine").export([LINE, child])
    one, two = collector.spans
    assert (one.trace_id.hex(), one.span_id.hex(), one.parent_span_id.hex()) == ("ab" * 16, "cd" * 8, "")
    assert (two.span_id.hex(), two.parent_span_id.hex(), two.status.message) == ("ee" * 8, "cd" * 8, "io.failed")
    assert (one.name, one.start_time_unix_nano, one.end_time_unix_nano) == (LINE["name"], LINE["start"], LINE["end"])
    assert {each.key for each in one.attributes} == {"tokens", "dry_run", "run"}
    assert collector.resources[0] == {"service.name": "adjutant", "service.instance.id": "mine"}


def test_a_collector_that_is_away_is_named_within_two_seconds_without_its_password() -> None:
    began = time.monotonic()
    told = r"collector at http://127\.0\.0\.1:1/v1: .*1 spans were not sent"
    with pytest.raises(MirrorUnavailable, match=told) as away:
        Otlp("http://user:geheim@127.0.0.1:1/v1", "mine").export([LINE])
    assert time.monotonic() - began < 4
    assert "geheim" not in away.value.message


def held(over: threading.Event) -> Response:
    over.wait(5)
    return Response(b"")


def test_one_that_never_answers_keeps_nobody(httpserver: HTTPServer) -> None:
    over = threading.Event()  # one thread serves all tests: the next one's spans would stand in line behind this one's
    httpserver.expect_request("/v1/traces").respond_with_handler(lambda request: held(over))
    began = time.monotonic()
    try:
        with pytest.raises(MirrorUnavailable, match=r"no answer within 2 s|did not take them"):
            Otlp(f"http://127.0.0.1:{httpserver.port}", "mine").export([LINE])
        assert time.monotonic() - began < 4
    finally:
        over.set()


@pytest.fixture
def instance(tmp_path: Path) -> Path:
    adjutant("init", str(tmp_path / "mine"), check=0)
    return tmp_path / "mine"


def configured(instance: Path, endpoint: str) -> None:
    config = instance / "adjutant.yaml"
    config.write_text(config.read_text().replace("otlp_endpoint: null", f'otlp_endpoint: "{endpoint}"'))


def test_a_turn_goes_to_the_collector_with_its_contract(instance: Path, collector: Collector) -> None:
    configured(instance, collector.url)
    asked = adjutant("ask", "KEEP: answers short\nwhat is due?", "--json", cwd=instance, check=0)
    (turn,) = [span for span in collector.spans if span.name == "turn conductor"]
    told = {each.key: each.value.string_value for each in turn.attributes}
    assert told["behavior_contract_hash"] == asked.json["result"]["contract_hash"]
    assert told["prompt_sha"] == asked.json["result"]["prompt_sha"]
    log = [json.loads(line) for line in (instance / "state" / "events.jsonl").read_text().splitlines()]
    assert sorted(line["span_id"] for line in log) == sorted(span.span_id.hex() for span in collector.spans)


def test_a_dry_run_sends_nothing(instance: Path, collector: Collector) -> None:
    configured(instance, collector.url)
    adjutant("pulse", "--dry-run", cwd=instance, check=0)
    assert collector.spans == []


def test_without_the_collector_the_run_is_as_it_was_and_says_so_in_a_line(instance: Path) -> None:
    configured(instance, "http://127.0.0.1:1")
    ran = adjutant("pulse", "--json", cwd=instance, check=0)
    assert ran.json["result"]["status"] == "completed"
    assert ran.err.count("collector") == 1
    assert "Traceback" not in ran.err


def test_without_the_extra_it_says_how_to_install_it(instance: Path, tmp_path: Path) -> None:
    (tmp_path / "none" / "opentelemetry").mkdir(parents=True)
    (tmp_path / "none" / "opentelemetry" / "__init__.py").write_text("raise ImportError('not here')\n")
    configured(instance, "http://127.0.0.1:1")
    import os  # beside its only use

    ran = adjutant(
        "pulse", cwd=instance, check=0, PYTHONPATH=f"{tmp_path / 'none'}{os.pathsep}{os.environ['PYTHONPATH']}"
    )
    assert "pip install 'adjutant[otel]'" in ran.err


def test_nothing_of_it_is_loaded_where_it_is_not_configured(instance: Path) -> None:
    import subprocess  # beside its only use
    import sys

    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "adjutant", "pulse"],
        cwd=instance,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "opentelemetry" not in done.stderr
