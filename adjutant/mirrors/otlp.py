"""OUTSIDE. Spans to a collector, over OTLP/HTTP, by the OpenTelemetry SDK (extra `otel`)."""

import logging
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

import requests
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExportResult
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import SpanContext, Status, StatusCode, TraceFlags

from adjutant.children.waiting import Late, within
from adjutant.errors import MirrorUnavailable

SECONDS = 2.0  # for all of a run's spans, after the run's work is done
PATH = "/v1/traces"
SCOPE = InstrumentationScope("adjutant")


class Otlp:
    """A collector at an address; without a path, `/v1/traces` is added. Headers for it, a key for one, come from
    OTEL_EXPORTER_OTLP_HEADERS, as the SDK reads it."""

    def __init__(self, endpoint: str, instance: str) -> None:
        parts = urlsplit(endpoint)
        self.place = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
        self._endpoint = endpoint.rstrip("/") + ("" if parts.path.strip("/") else PATH)
        self._resource = Resource({"service.name": "adjutant", "service.instance.id": instance})

    def export(self, spans: Sequence[dict[str, Any]]) -> None:
        logging.getLogger("opentelemetry").addHandler(logging.NullHandler())
        logging.getLogger("opentelemetry").propagate = False  # it would print every failed try

        def work(tell: object) -> bool:
            session = requests.Session()
            session.trust_env = False  # no ~/.netrc, no proxy: what goes out is what was configured
            exporter = OTLPSpanExporter(self._endpoint, timeout=SECONDS, session=session)
            taken = exporter.export([self._span(line) for line in spans]) is SpanExportResult.SUCCESS
            exporter.shutdown()
            return taken

        try:
            why = "" if within(SECONDS, work) else "it did not take them"
        except Late:
            why = f"no answer within {SECONDS:g} s"
        except Exception as error:  # noqa: BLE001 - whatever the SDK stumbles over, the run ends well without it
            why = f"they could not be sent ({type(error).__name__})"
        if why:
            what = f"the collector at {self.place}: {why}; {len(spans)} spans were not sent"
            fix = "start it, or set `telemetry.otlp_endpoint: null`; events.jsonl has them all"
            raise MirrorUnavailable(what, fix)

    def _span(self, line: dict[str, Any]) -> ReadableSpan:
        trace, status = int(line["trace_id"], 16), line["status"]
        parent = self._context(trace, line["parent"]) if line["parent"] else None
        more = {"status": Status(StatusCode[status["code"]], status.get("message")), "instrumentation_scope": SCOPE}
        more |= {"start_time": line["start"], "end_time": line["end"]}
        context = self._context(trace, line["span_id"])
        return ReadableSpan(line["name"], context, parent, self._resource, line["attributes"], **more)

    def _context(self, trace: int, span: str) -> SpanContext:
        return SpanContext(trace, int(span, 16), is_remote=False, trace_flags=TraceFlags(TraceFlags.SAMPLED))
