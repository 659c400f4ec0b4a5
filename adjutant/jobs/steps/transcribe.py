"""JOBS. transcribe: the words of one piece of sound, from the configured server."""

from __future__ import annotations

import msgspec

from adjutant.jobs.step import Outside, StepFailed
from adjutant.ports import ModelFailed

NAME, LOOSE, HERE = "transcribe", ("audio", "name"), False
NONE = "no server for transcription is configured"


class Input(msgspec.Struct, frozen=True):
    """A piece of the sound with this sha256, from `at` on, so many seconds (0: all of it); `audio`: its own bytes, in
    the format that `name` ends in."""

    sha256: str
    at: int
    seconds: int
    model: str
    language: str
    name: str = ""
    audio: bytes = b""


class Output(msgspec.Struct, frozen=True):
    """What is said in it."""

    text: str


def work(given: Input, outside: Outside) -> Output:
    """Raises StepFailed, Stopped."""
    server = outside.transcriber()
    if server is None:
        raise StepFailed(NONE, cause="unavailable")
    key = f"{given.sha256[:32]}-{given.at}-{given.seconds}"
    try:
        return Output(server.transcribe(given.audio, given.name, given.model, given.language, key))
    except ModelFailed as failed:
        raise StepFailed(str(failed), again=True, cause="unavailable") from None
