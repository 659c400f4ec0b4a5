"""JOBS. Sound, cut into pieces that a server takes: by ffmpeg behind walls, WAV without it too."""

from __future__ import annotations

import io
import re
import wave
from collections.abc import Iterator
from contextlib import contextmanager
from math import ceil
from typing import NamedTuple

from adjutant.children import child, scratch, walls
from adjutant.children.walls import Cell
from adjutant.jobs.step import Outside, StepFailed

MOST_BYTES = 24 << 20  # of a piece: what servers take
MOST_SECONDS = 6 * 3600
REST = 0.5  # seconds: a shorter last piece is left out, which servers refuse
CUT_SECONDS = 300.0  # for one piece to be cut
_LENGTH = re.compile(rb"Duration: (\d+):(\d\d):(\d\d)\.(\d\d)")
_DECODE = "-nostdin -hide_banner -protocol_whitelist file,pipe"
_ENCODE = "-vn -sn -dn -map 0:a:0 -ac 1 -ar 16000 -map_metadata -1 -fflags +bitexact -flags:a +bitexact -f flac pipe:1"


class Sound(NamedTuple):
    """A file, or its bytes, and who may look at it."""

    path: str
    data: bytes
    outside: Outside


class Piece(NamedTuple):
    """Where it begins and how long it is, in seconds; the name that goes with its format."""

    at: int
    seconds: int
    name: str


def pieces(sound: Sound, seconds: int) -> list[Piece]:
    """Of so many seconds, the last shorter. Raises StepFailed, Stopped."""
    if _ffmpeg(sound) is not None:
        length, name = _length(sound), "piece.flac"
    elif (header := _wave(sound)) is not None:
        length, name = header.getnframes() / header.getframerate(), "piece.wav"
        seconds = min(seconds, MOST_BYTES // (header.getframerate() * header.getnchannels() * header.getsampwidth()))
    else:
        raise StepFailed("ffmpeg, which cuts it into pieces, is not installed; WAV needs none", cause="unavailable")
    if length > MOST_SECONDS:
        raise StepFailed(f"it is longer than {MOST_SECONDS // 3600} hours")
    return [Piece(at, seconds, name) for at in range(0, max(1, ceil(length - REST)), max(1, seconds))]


def cut(sound: Sound, piece: Piece) -> bytes:
    """The sound of one piece, in the format that its name says. Raises StepFailed, Stopped."""
    if piece.name.endswith(".flac"):
        ended = _ran(sound, [*_DECODE.split(), *f"-v error -ss {piece.at} -t {piece.seconds}".split()], _ENCODE.split())
        if ended.code or ended.cause or not ended.out:
            raise StepFailed(f"no sound could be cut out of it{_said(ended)}")
        return ended.out
    header = _wave(sound)
    if header is None:
        raise StepFailed("it is no WAV any more")
    rate = header.getframerate()
    header.setpos(min(piece.at * rate, header.getnframes()))
    held = io.BytesIO()
    with wave.Wave_write(held) as made:
        made.setparams(header.getparams())
        made.writeframes(header.readframes(piece.seconds * rate))
    return held.getvalue()


def _wave(sound: Sound) -> wave.Wave_read | None:
    """Where it is plain WAV: what reads it."""
    try:
        found = wave.Wave_read(io.BytesIO(sound.data) if sound.data else sound.path)
        return found if found.getframerate() > 0 else None
    except (wave.Error, EOFError, OSError):
        return None


def _ffmpeg(sound: Sound) -> str | None:
    return walls.which("ffmpeg", sound.outside.environment.get("PATH", ""))


def _length(sound: Sound) -> float:
    """In seconds. Raises StepFailed."""
    ended = _ran(sound, _DECODE.split(), [])
    found = _LENGTH.search(ended.err)
    if found is None:
        raise StepFailed(f"its length is not known{_said(ended)}")
    hours, minutes, seconds, hundredths = map(int, found.groups())
    return hours * 3600 + minutes * 60 + seconds + hundredths / 100


def _ran(sound: Sound, before: list[str], after: list[str]) -> child.Ended:
    program = _ffmpeg(sound)
    assert program is not None
    try:
        with scratch.folder() as place, _standing(sound, place) as path:
            cell = Cell([program, *before, "-i", f"file:{path}", *after], {"HOME": "{home}"}, [path], place)
            return walls.run(
                walls.find(sound.outside.environment),
                cell,
                stdin=b"",
                seconds=CUT_SECONDS,
                out_limit=MOST_BYTES,
                watch=sound.outside.gate,
            )
    except OSError as error:
        raise StepFailed(f"ffmpeg could not be started: {error.strerror}", again=True) from None


@contextmanager
def _standing(sound: Sound, place: str) -> Iterator[str]:
    """Its path; of bytes the path of a file that holds them."""
    yield scratch.put(place, "sound", sound.data) if sound.data else sound.path


def _said(ended: child.Ended) -> str:
    lines = [line for line in ended.err.decode("utf-8", "replace").split("\n") if line.strip()]
    return f": {lines[-1].strip()[-120:]}" if lines else ""
