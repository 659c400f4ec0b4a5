"""JOBS. What is said in sound or film: each piece one step, so that none is paid for twice."""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING

import msgspec

from adjutant.jobs import cutting
from adjutant.jobs.step import StepFailed
from adjutant.jobs.steps import copy, transcribe

if TYPE_CHECKING:
    from adjutant.jobs.walk import Walk


def words(walk: Walk, got: copy.Output) -> str:
    """The text, a paragraph each piece, with the time at which it begins. Raises as Walk.every."""
    app = walk.app
    if app.transcriber() is None:  # before anything is cut for nothing
        raise StepFailed(transcribe.NONE, cause="unavailable")
    sound = cutting.Sound(got.source, got.data, app)
    _refuse_changed(got)
    pieces = cutting.pieces(sound, app.config.whole("jobs.piece_seconds"))
    sha256 = got.sha256 or hashlib.sha256(got.data).hexdigest()
    model, language = app.config.text("jobs.transcription_model"), app.config.text_or_none("jobs.language") or ""
    by_place = {
        transcribe.Input(sha256, piece.at, piece.seconds, model, language, piece.name): piece for piece in pieces
    }

    def fill(given: transcribe.Input) -> transcribe.Input:
        _refuse_changed(got)
        return msgspec.structs.replace(given, audio=cutting.cut(sound, by_place[given]))

    told = walk.every(transcribe.NAME, list(by_place), fill)
    shown = [(piece.at, each.text.strip()) for piece, each in zip(pieces, told, strict=True)]
    return "\n\n".join(f"[{_clock(at)}] {text}" for at, text in shown if text)


def _refuse_changed(got: copy.Output) -> None:
    """What stays where it is must be what was looked at first. Raises StepFailed."""
    if not got.sha256:
        return
    try:
        now = os.stat(got.source)
    except OSError as error:
        raise StepFailed(f"{got.source}: {error.strerror}") from None
    if (now.st_size, now.st_mtime_ns) != (got.size, got.mtime_ns):
        raise StepFailed(f"{got.source} was changed while its words were taken down")


def _clock(seconds: int) -> str:
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
