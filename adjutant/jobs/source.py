"""JOBS. Where a job's text comes from: a file of this machine or an address, and what was read or heard out of it."""

from __future__ import annotations

import hashlib
import os
import re
from math import ceil
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

import msgspec

from adjutant.app import App
from adjutant.children import child, walls
from adjutant.errors import UsageError
from adjutant.jobs import steps
from adjutant.jobs.steps import Got, StepFailed, TranscribeInput

if TYPE_CHECKING:
    from adjutant.jobs.working import Walk

MOST_MEDIA = 4 << 30


class Text(NamedTuple):
    """What a source says: where it is, its title, its text, and what it holds that no reader sees."""

    source: str
    title: str
    text: str
    hidden: str = ""


def check(source: str) -> str:
    """The address as given, or the file's absolute path. Raises UsageError."""
    if is_address(source):
        if "@" in urlsplit(source).netloc:
            why = "an address with a name or password in it is not fetched"
            raise UsageError(why, "fetch it yourself, name the file")
        return source
    if not source.strip() or not source.isprintable():
        raise UsageError("a file or an address is wanted", "adjutant job run ingest report.pdf")
    if "://" in source:
        raise UsageError(f"{source[:80]}: only http and https addresses are fetched")
    path = os.path.abspath(os.path.expanduser(source))
    if not os.path.isfile(path):
        raise UsageError(f"{source[:200]}: no such file", "name a file, or an address with https:// before it")
    return path


def is_address(source: str) -> bool:
    """Whether it is one to fetch."""
    return urlsplit(source).scheme in ("http", "https") if source.isprintable() else False


def plan(source: str) -> list[tuple[str, str]]:
    """The steps to its text."""
    return [
        ("fetch", f"get {source}") if is_address(source) else ("copy", f"keep what {source} holds now"),
        ("extract", "take the text out of it, in a child behind walls"),
        ("transcribe", "or, of sound and film, ask the server for the words, one piece after the other"),
    ]


def read(walk: Walk, source: str, *, spoken: bool = False) -> Text:
    """What it says, by whatever steps its kind needs; `spoken`: only of sound and film. Raises StepFailed, Stopped,
    FileDamaged, IoFailed."""
    config = walk.app.config
    most = config.whole("jobs.max_mb") << 20
    if is_address(source):
        got = walk.step(steps.FETCH, steps.FetchInput(source, most, config.number("jobs.fetch_seconds")))
        name = os.path.basename(urlsplit(got.source).path)
    else:
        got = walk.step(steps.COPY, steps.CopyInput(source, most, MOST_MEDIA))
        name = os.path.basename(got.source)
    plain = os.path.splitext(name)[0].replace("_", " ").replace("-", " ").strip()
    if got.sha256 or steps.is_media(got.data[: steps.HEAD]):
        return Text(got.source, plain, _listen(walk, got))
    if spoken:
        raise StepFailed("it is neither sound nor film")
    kind = steps.kind_of(got.data, name, got.media)
    if not kind:
        raise StepFailed("it is no text, PDF, HTML, DOCX, EPUB, sound or film")
    found = walk.step(steps.EXTRACT, steps.ExtractInput(kind, got.data))
    if not found.text.strip():
        raise StepFailed("no text was found in it" + (" (a scanned PDF?)" if kind == steps.PDF else ""))
    heading = found.text.partition("\n")[0] if found.text.startswith("# ") else ""
    return Text(got.source, found.title or heading[2:] or plain or got.source, found.text, found.hidden)


# -- sound and film: cut by ffmpeg behind walls into pieces that a server takes, each one step ----------------------

MOST_BYTES = 24 << 20  # of a piece: what servers take
MOST_SECONDS = 6 * 3600
REST = 0.5  # seconds: a shorter last piece is left out, which servers refuse
CUT_SECONDS = 300.0  # for one piece to be cut
PIECE = "piece.flac"
_LENGTH = re.compile(rb"Duration: (\d+):(\d\d):(\d\d)\.(\d\d)")
_DECODE = "-nostdin -hide_banner -protocol_whitelist file,pipe"
_ENCODE = "-vn -sn -dn -map 0:a:0 -ac 1 -ar 16000 -map_metadata -1 -fflags +bitexact -flags:a +bitexact -f flac pipe:1"


def _listen(walk: Walk, got: Got) -> str:
    """The text, a paragraph each piece, with the time at which it begins: none is paid for twice. Raises as
    Walk.every."""
    app = walk.app
    if app.transcriber() is None:  # before anything is cut for nothing
        raise StepFailed(steps.NO_SERVER, cause="unavailable")
    length, seconds = _measure(got, app), max(1, app.config.whole("jobs.piece_seconds"))
    _refuse_changed(got)
    model, language = app.config.text("jobs.transcription_model"), app.config.text_or_none("jobs.language") or ""
    sha256 = got.sha256 or hashlib.sha256(got.data).hexdigest()
    starts = range(0, max(1, ceil(length - REST)), seconds)

    def fill(given: TranscribeInput) -> TranscribeInput:
        _refuse_changed(got)
        part = f"-v error -ss {given.at} -t {given.seconds}"
        ended = _run_ffmpeg(got, app, [*_DECODE.split(), *part.split()], _ENCODE.split())
        if ended.code or ended.cause or not ended.out:
            raise StepFailed(f"no sound could be cut out of it{_last_line(ended)}")
        return msgspec.structs.replace(given, audio=ended.out)

    pieces = [TranscribeInput(sha256, at, seconds, model, language, PIECE) for at in starts]
    told = zip(starts, walk.every(steps.TRANSCRIBE, pieces, fill), strict=True)
    shown = [(f"[{at // 3600:02}:{at // 60 % 60:02}:{at % 60:02}]", each.strip()) for at, each in told]
    return "\n\n".join(f"{clock} {text}" for clock, text in shown if text)


def _measure(got: Got, app: App) -> float:
    """How long it is, in seconds. Raises StepFailed, Stopped."""
    ended = _run_ffmpeg(got, app, _DECODE.split(), [])
    found = _LENGTH.search(ended.err)
    if found is None:
        raise StepFailed(f"its length is not known{_last_line(ended)}")
    hours, minutes, seconds, hundredths = map(int, found.groups())
    length = hours * 3600 + minutes * 60 + seconds + hundredths / 100
    if length > MOST_SECONDS:
        raise StepFailed(f"it is longer than {MOST_SECONDS // 3600} hours")
    return length


def _refuse_changed(got: Got) -> None:
    """What stays where it is must be what was looked at first. Raises StepFailed."""
    if not got.sha256:
        return
    try:
        now = os.stat(got.source)
    except OSError as error:
        raise StepFailed(f"{got.source}: {error.strerror}") from None
    if (now.st_size, now.st_mtime_ns) != (got.size, got.mtime_ns):
        raise StepFailed(f"{got.source} was changed while its words were taken down")


def _run_ffmpeg(got: Got, app: App, before: list[str], after: list[str]) -> child.Ended:
    program = walls.which("ffmpeg", app.environment.get("PATH", ""))
    if program is None:
        raise StepFailed("ffmpeg, which cuts it into pieces, is not installed", cause="unavailable")
    argv = [os.path.realpath(program), *before, "-i", "file:{held}" if got.data else f"file:{got.source}", *after]
    shown = [] if got.data else [got.source]
    return steps.run_behind_walls(argv, shown, b"", app, CUT_SECONDS, MOST_BYTES, held=got.data)


def _last_line(ended: child.Ended) -> str:
    lines = [line for line in ended.err.decode("utf-8", "replace").split("\n") if line.strip()]
    return f": {lines[-1].strip()[-120:]}" if lines else ""
