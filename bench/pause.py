"""A step that waits, as one that asks a server does: for the row workers."""

from __future__ import annotations

import time

import msgspec

from adjutant.app import App
from adjutant.jobs.steps import Step


class Input(msgspec.Struct, frozen=True):
    """`number` makes it another step."""

    number: int
    seconds: float


class Output(msgspec.Struct, frozen=True):
    """`at`: when it ended, seconds since the epoch."""

    at: float


def work(given: Input, app: App) -> Output:
    """Waits."""
    time.sleep(given.seconds)
    return Output(time.time())


PAUSE = Step("pause", Input, Output, work)
