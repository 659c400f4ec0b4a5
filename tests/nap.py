"""A step for tests of workers: notes that it was worked, sleeps, and ends its worker when it is poison."""

from __future__ import annotations

import os
import signal
import time
from typing import Any

import msgspec

from adjutant.jobs.steps import Step, StepFailed


class Input(msgspec.Struct, frozen=True):
    """`log`: where a line is written by each try; `seconds` to sleep."""

    number: int
    log: str
    seconds: float = 0.0
    poison: bool = False
    fails: bool = False


class Output(msgspec.Struct, frozen=True):
    number: int


def work(given: Input, app: Any) -> Output:
    with open(given.log, "a") as file:
        file.write(f"{given.number}\n")
    if given.poison:
        os.kill(os.getpid(), signal.SIGKILL)
    if given.fails:
        raise StepFailed("it is no step", again=False)
    time.sleep(given.seconds)
    return Output(given.number)


NAP = Step("nap", Input, Output, work)
