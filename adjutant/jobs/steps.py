"""JOBS. Steps: each makes a typed output of a typed input, and knows no tree, so any machine may work one."""

import hashlib
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from importlib.util import find_spec
from typing import Any, NamedTuple, TypeAlias

import msgspec

from adjutant.app import App
from adjutant.children import child, scratch, walls
from adjutant.errors import tell_how_to_add
from adjutant.jobs import extractor
from adjutant.ports import ModelFailed, Prompt, Reply
from adjutant.store import jsonl

WAITS = "waits"
NO_SERVER = "no server for transcription is configured"


class StepFailed(Exception):
    """A step came to no result. `again`: it may, later. `cause` is `unavailable` where something outside is missing,
    WAITS where nobody worked it, which is no try."""

    def __init__(self, reason: str, *, again: bool = False, cause: str = "") -> None:
        super().__init__(reason)
        self.reason, self.again, self.cause = reason, again, cause


class Step(NamedTuple):
    """A kind of step. `input` and `output` are types that msgspec knows; `work` makes one of the other and raises
    StepFailed, Stopped. Of the App of its machine, which may be a worker's, it uses settings, environment, gate and
    adapters, and no tree. `loose`: fields of the input that do not change what comes of it, and so are no part of its
    hash. `here`: it is worked on the owner's machine alone."""

    name: str
    input: Any
    output: Any
    work: Callable[[Any, App], Any]
    loose: tuple[str, ...] = ()
    here: bool = False

    def hash(self, given: Any) -> str:
        """sha256 of the step's name and of its input without what is loose in it."""
        kept = {key: value for key, value in msgspec.to_builtins(given).items() if key not in self.loose}
        return hashlib.sha256(f"{self.name}\0".encode() + msgspec.json.encode(kept, order="sorted")).hexdigest()


class StepCall(msgspec.Struct, frozen=True):
    """What is handed to whoever works it: the step's name, its input as JSON, and that one's hash, which is its id."""

    step: str
    input: bytes
    hash: str


class StepResult(msgspec.Struct, frozen=True):
    """What comes back under that hash: the output as JSON; or, with `output` empty, why not, as in StepFailed."""

    hash: str
    output: bytes = b""
    reason: str = ""
    again: bool = False
    cause: str = ""


# Who works steps: answers each once, in any order, and takes them as slowly as they are worked. Raises Stopped.
Engine: TypeAlias = Callable[[Iterable[StepCall]], Iterator[StepResult]]


def execute(call: StepCall, app: App) -> StepResult:
    """Works one step on this machine. Raises Stopped, KeyError (no such step)."""
    step = STEPS[call.step]
    try:
        made = step.work(msgspec.json.decode(call.input, type=step.input), app)
        return StepResult(call.hash, msgspec.json.encode(made))
    except StepFailed as failed:
        return StepResult(call.hash, b"", failed.reason, failed.again, failed.cause)


def work_here(app: App, calls: Iterable[StepCall]) -> Iterator[StepResult]:
    """The embedded engine: this process, one step after the other; PAUSED is looked at before each."""
    for call in calls:
        app.gate()
        yield execute(call, app)


# -- what a file is, by its first bytes; its name and what a server declares are only asked where these are text -----

HEAD, CHUNK = 4096, 1024 * 1024
PDF, DOCX, EPUB, HTML, TEXT, MEDIA = "pdf", "docx", "epub", "html", "text", "media"
_MARKUP = (b"<!doctype html", b"<html", b"<head", b"<body")
_SOUND = (b"ID3", b"fLaC", b"OggS", b"\x1a\x45\xdf\xa3", *(bytes((0xFF, each)) for each in b"\xf1\xf2\xf3\xf9\xfb"))


def is_media(head: bytes) -> bool:
    """Whether it is sound or film."""
    boxed = head[:4] in (b"RIFF", b"FORM") and head[8:12] in (b"WAVE", b"AVI ", b"AIFF")
    return boxed or head[4:8] == b"ftyp" or head.startswith(_SOUND)


def kind_of(data: bytes, name: str, media: str) -> str:
    """One of the kinds above, "" for none of them. `name`: of the file; `media`: the declared media type."""
    head = data[:HEAD]
    if is_media(head):
        return MEDIA
    if b"%PDF-" in head[:1024]:
        return PDF
    if head.startswith(b"PK\x03\x04"):
        return EPUB if b"mimetypeapplication/epub+zip" in head else DOCX
    named = "html" in media or name.lower().endswith((".html", ".htm", ".xhtml"))
    if named or any(mark in head.lower() for mark in _MARKUP):
        return HTML
    return "" if b"\0" in head and not head.startswith((b"\xff\xfe", b"\xfe\xff")) else TEXT


# -- copy, fetch: a file of this machine as it is now, or a page or file from the web -------------------------------


MOST_MEDIA = 4 << 30


class Source(msgspec.Struct, frozen=True):
    """A path or an address. How much is taken, and how long it may last, says whose machine it is."""

    place: str


class Got(msgspec.Struct, frozen=True):
    """Where it came from, its declared media type, its bytes; sound and film stay where they are and have their
    `sha256`, size and time instead."""

    source: str
    media: str
    data: bytes = b""
    sha256: str = ""
    size: int = 0
    mtime_ns: int = 0


def _most(app: App) -> int:
    return app.config.whole("jobs.max_mb") << 20


def _copy(given: Source, app: App) -> Got:
    try:
        if not stat.S_ISREG(os.stat(given.place).st_mode):
            raise StepFailed(f"{given.place}: not a plain file")  # a pipe would be waited for
        with open(given.place, "rb") as file:
            found, head = os.fstat(file.fileno()), file.read(HEAD)
            media = is_media(head)
            most, where = (MOST_MEDIA, "") if media else (_most(app), ", which jobs.max_mb sets")
            if found.st_size > most:
                raise StepFailed(f"it is larger than {most >> 20} MB{where}")
            if not media:
                return Got(given.place, "", head + file.read(most))
            digest = hashlib.sha256(head)
            while chunk := file.read(CHUNK):
                app.gate()
                digest.update(chunk)
    except OSError as error:
        raise StepFailed(f"{given.place}: {error.strerror}") from None
    return Got(given.place, "", b"", digest.hexdigest(), found.st_size, found.st_mtime_ns)


def _fetch(given: Source, app: App) -> Got:
    from adjutant.children import fetch  # brings the network

    local, seconds = app.config.flag("jobs.fetch_loopback"), app.config.number("jobs.fetch_seconds")
    try:
        return Got(*fetch.fetch(given.place, most=_most(app), seconds=seconds, loopback=local, watch=app.gate))
    except fetch.FetchRefused as refused:
        raise StepFailed(refused.reason, again=refused.again, cause="unavailable" if refused.again else "") from None


# -- extract: the text of a file, taken out by a child behind walls, without a network and within its limits ---------

SECONDS, OUT = 90.0, 64 << 20
PACKAGES = {PDF: ("pypdf", "pdf"), DOCX: ("docx", "docx"), HTML: ("trafilatura", "web"), EPUB: ("trafilatura", "web")}


class ExtractInput(msgspec.Struct, frozen=True):
    """One of the kinds above, and the file."""

    kind: str
    data: bytes


class Extracted(msgspec.Struct, frozen=True):
    """What a file says: its title ("" for none), its text as Markdown, what it holds that nobody sees who reads it, and
    where it came from."""

    title: str
    text: str
    hidden: str = ""
    source: str = ""


def _extract(given: ExtractInput, app: App) -> Extracted:
    folders, program = list[str](), os.path.realpath(extractor.__file__)
    if given.kind in PACKAGES:
        package, extra = PACKAGES[given.kind]
        if (spec := find_spec(package)) is None or spec.origin is None:
            add = f"{given.kind} files need the extra `{extra}`: {tell_how_to_add(extra)}"
            raise StepFailed(add, cause="unavailable")
        folders = [os.path.realpath(os.path.dirname(os.path.dirname(spec.origin)))]
    argv = [os.path.realpath(sys.executable), "-I", "-S", "-B", program, given.kind, *folders]
    ended = run_behind_walls(argv, [program, *folders], given.data, app, SECONDS, OUT)
    if ended.cause is not None or ended.code:
        raise StepFailed(f"it takes more than {extractor.MEMORY >> 20} MB of memory or {SECONDS:g} s to read")
    try:
        told = jsonl.loads(ended.out)
        found = {name: str(told[name]).encode("utf-8", "replace").decode() for name in told}  # PDFs: half surrogates
    except (ValueError, TypeError):
        raise StepFailed("what came out of it cannot be read") from None
    if "failed" in found:
        raise StepFailed(found["failed"], cause="unavailable" if "lacking" in found else "")
    return msgspec.convert(found, Extracted)


def run_behind_walls(
    argv: list[str], programs: list[str], data: bytes, app: App, seconds: float, most: int, held: bytes = b""
) -> child.Ended:
    """A program behind walls, with `data` on its standard input and at most `most` bytes of output. `{held}` in a word
    stands for the path of a file that holds `held`. Raises StepFailed where it cannot be started, Stopped."""
    try:
        with scratch.folder() as place:
            path = scratch.put(place, "held", held) if held else ""
            words = [word.replace("{held}", path) for word in argv]
            cell = walls.Cell(words, {"HOME": "{home}"}, [*programs, *([path] if path else [])], place)
            around, watch = walls.find(app.environment), app.gate
            return walls.run(around, cell, stdin=data, seconds=seconds, out_limit=most, watch=watch)
    except OSError as error:
        name = os.path.basename(argv[0])
        raise StepFailed(f"{name} could not be started: {error.strerror}", again=True) from None


# -- transcribe, complete: the words of one piece of sound from the configured server; one question to the model -----


class TranscribeInput(msgspec.Struct, frozen=True):
    """A piece of the sound with this sha256, from `at` on, so many seconds; `audio`: its own bytes, in the format that
    `name` ends in."""

    sha256: str
    at: int
    seconds: int
    model: str
    language: str
    name: str = ""
    audio: bytes = b""


class Question(msgspec.Struct, frozen=True):
    """As in ports.Prompt, without what only agents use; `backend` is the route's name."""

    backend: str
    name: str
    system: str
    text: str
    schema: dict[str, Any] | None
    model: str
    temperature: float
    max_tokens: int
    timeout: float


def _transcribe(given: TranscribeInput, app: App) -> str:
    server = app.transcriber()
    if server is None:
        raise StepFailed(NO_SERVER, cause="unavailable")
    try:
        key = f"{given.sha256[:32]}-{given.at}-{given.seconds}"
        return server.transcribe(given.audio, given.name, given.model, given.language, key)
    except ModelFailed as failed:
        raise StepFailed(str(failed), again=True, cause="unavailable") from None


def _complete(given: Question, app: App) -> Reply:
    model = app.model()
    if model is None or model.backend != given.backend:
        own = "none" if model is None else model.backend
        raise StepFailed(f"the question is for {given.backend}, and llm.backend is {own} here", cause="unreachable")
    try:
        return model.complete(Prompt(*msgspec.structs.astuple(given)[1:]))
    except ModelFailed as failed:
        raise StepFailed(str(failed), again=True, cause=failed.cause) from None


COPY = Step("copy", Source, Got, _copy, here=True)
FETCH = Step("fetch", Source, Got, _fetch)
EXTRACT = Step("extract", ExtractInput, Extracted, _extract)
TRANSCRIBE = Step("transcribe", TranscribeInput, str, _transcribe, ("audio", "name"))
COMPLETE = Step("complete", Question, Reply, _complete, ("max_tokens", "timeout"))
STEPS = {each.name: each for each in (COPY, FETCH, EXTRACT, TRANSCRIBE, COMPLETE)}
