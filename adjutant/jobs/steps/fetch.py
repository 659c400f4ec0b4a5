"""JOBS. fetch: a page or file from the web, within its caps."""

from __future__ import annotations

import msgspec

from adjutant.children import fetch as child
from adjutant.jobs.step import Outside, StepFailed
from adjutant.jobs.steps.copy import Output

NAME, LOOSE, HERE = "fetch", ("most", "seconds"), False
__all__ = ["Output"]


class Input(msgspec.Struct, frozen=True):
    """An address; at most so many bytes, within so many seconds."""

    url: str
    most: int
    seconds: float


def work(given: Input, outside: Outside) -> Output:
    """Raises StepFailed, Stopped."""
    try:
        got = child.fetch(
            given.url, most=given.most, seconds=given.seconds, loopback=outside.loopback, watch=outside.gate
        )
    except child.FetchRefused as refused:
        raise StepFailed(refused.reason, again=refused.again, cause="unavailable" if refused.again else "") from None
    return Output(got.url, got.media, got.data)
