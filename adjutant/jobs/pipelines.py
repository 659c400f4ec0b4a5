"""JOBS. What each job does with its steps: `ingest` writes notes, the outcome of the others stays with the job."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from math import ceil
from typing import TYPE_CHECKING, Any, NamedTuple, cast
from urllib.parse import urlsplit

import msgspec
from msgspec.structs import replace

from adjutant.app import App
from adjutant.children import child, walls
from adjutant.documents import frontmatter
from adjutant.errors import KbInvalid, KbUnknown, UsageError
from adjutant.jobs import steps
from adjutant.jobs.steps import COMPLETE, WAITS, Extracted, Got, Source, StepFailed, TranscribeInput
from adjutant.judgements import hearing, summarise
from adjutant.judgements.asking import MODEL, Asker
from adjutant.language.sentences import cut_text
from adjutant.ports import Model, ModelFailed, Prompt, Reply
from adjutant.records import registry
from adjutant.records.queue import Job
from adjutant.screening.fence import clean_line
from adjutant.screening.screen import redact_hits, screen

if TYPE_CHECKING:
    from adjutant.jobs.working import Walk

# -- what a source says: a file of this machine or an address, and what was read or heard out of it ---------------


def check_source(source: str) -> str:
    """The address as given, or the file's absolute path. Raises UsageError."""
    if is_address(source) and "@" in urlsplit(source).netloc:
        why = "an address with a name or password in it is not fetched"
        raise UsageError(why, "fetch it yourself, name the file")
    if is_address(source):
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
    return source.isprintable() and urlsplit(source).scheme in ("http", "https")


def read_source(walk: Walk, source: str, *, spoken: bool = False) -> Extracted:
    """What it says, by whatever steps its kind needs; `spoken`: only of sound and film. Raises StepFailed, Stopped."""
    got: Got = walk.step(steps.FETCH if is_address(source) else steps.COPY, Source(source))
    name = os.path.basename(urlsplit(got.source).path if is_address(source) else got.source)
    plain = os.path.splitext(name)[0].replace("_", " ").replace("-", " ").strip()
    if got.sha256 or steps.is_media(got.data[: steps.HEAD]):
        return Extracted(plain, _listen(walk, got), source=got.source)
    if spoken:
        raise StepFailed("it is neither sound nor film")
    kind = steps.kind_of(got.data, name, got.media)
    if not kind:
        raise StepFailed("it is no text, PDF, HTML, DOCX, EPUB, sound or film")
    found: Extracted = walk.step(steps.EXTRACT, steps.ExtractInput(kind, got.data))
    if not found.text.strip():
        raise StepFailed("no text was found in it" + (" (a scanned PDF?)" if kind == steps.PDF else ""))
    heading = found.text.partition("\n")[0].removeprefix("# ") if found.text.startswith("# ") else ""
    return replace(found, title=found.title or heading or plain or got.source, source=got.source)


# -- sound and film: cut by ffmpeg behind walls into pieces that a server takes, each one step ----------------------

MOST_BYTES = 24 << 20  # of a piece: what servers take
MOST_SECONDS = 6 * 3600
REST = 0.5  # seconds: a shorter last piece is left out, which servers refuse
CUT_SECONDS = 300.0  # for one piece to be cut
PIECE = "piece.flac"
_LENGTH = re.compile(rb"Duration: (\d+):(\d\d):(\d\d\.\d\d)")
_DECODE = "-nostdin -hide_banner -protocol_whitelist file,pipe"
_ENCODE = "-vn -sn -dn -map 0:a:0 -ac 1 -ar 16000 -map_metadata -1 -fflags +bitexact -flags:a +bitexact -f flac pipe:1"


def _listen(walk: Walk, got: Got) -> str:
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
            why = f"no sound could be cut out of it{_last_line(ended)}"
            raise StepFailed(why, again=_is_killed(ended))
        return replace(given, audio=ended.out)

    pieces = [TranscribeInput(sha256, at, seconds, model, language, PIECE) for at in starts]
    told = zip(starts, walk.every(steps.TRANSCRIBE, pieces, fill), strict=True)
    shown = [f"[{at // 3600:02}:{at // 60 % 60:02}:{at % 60:02}] {each.strip()}" for at, each in told if each.strip()]
    return "\n\n".join(shown)


def _measure(got: Got, app: App) -> float:
    ended = _run_ffmpeg(got, app, _DECODE.split(), [])
    found = _LENGTH.search(ended.err)
    if found is None:
        raise StepFailed(f"its length is not known{_last_line(ended)}", again=_is_killed(ended))
    hours, minutes, seconds = map(float, found.groups())
    length = hours * 3600 + minutes * 60 + seconds
    if length > MOST_SECONDS:
        raise StepFailed(f"it is longer than {MOST_SECONDS // 3600} hours")
    return length


def _refuse_changed(got: Got) -> None:
    try:
        now = os.stat(got.source) if got.sha256 else None
    except OSError as error:
        raise StepFailed(f"{got.source}: {error.strerror}") from None
    if now is not None and (now.st_size, now.st_mtime_ns) != (got.size, got.mtime_ns):
        raise StepFailed(f"{got.source} was changed while its words were taken down")


def _run_ffmpeg(got: Got, app: App, before: list[str], after: list[str]) -> child.Ended:
    program = walls.which("ffmpeg", app.environment.get("PATH", ""))
    if program is None:
        raise StepFailed("ffmpeg, which cuts it into pieces, is not installed", cause="unavailable")
    argv = [os.path.realpath(program), *before, "-i", "file:{held}" if got.data else f"file:{got.source}", *after]
    shown = [] if got.data else [got.source]
    return steps.run_behind_walls(argv, shown, b"", app, CUT_SECONDS, MOST_BYTES, held=got.data)


def _is_killed(ended: child.Ended) -> bool:
    """Whether a signal ended it, by itself or behind walls, as for want of memory: it may go better next time."""
    return not ended.cause and (ended.code < 0 or ended.code > 128)


def _last_line(ended: child.Ended) -> str:
    last = ended.err.decode("utf-8", "replace").strip().rpartition("\n")[2].strip()
    return last and f": {last[-120:]}"


# -- the jobs ------------------------------------------------------------------------------------------

PART_CHARS, LINE_CHARS, MOST_PARTS = 16_000, 1000, 40
NO_MODEL = "no model is configured, and rules understand no text"


class Pipeline(NamedTuple):
    """`make(walk, given)` gives what there is to apply, and the same input walks the same steps, whatever the clock,
    chance or the tree say; raises StepFailed, Stopped, AdjutantError. `apply(app, job, made)`, the last, which alone
    writes the tree and may be done twice, gives the outcome as JSON has it; `tell(outcome)` lines for people."""

    make: Callable[[Walk, dict[str, Any]], Any]
    tell: Callable[[dict[str, Any]], list[str]]
    apply: Callable[[App, Job, Any], dict[str, Any]] = lambda app, job, made: made


class KeptModel:
    """A model whose answers are steps of a job: a question that was answered before is not paid for again."""

    def __init__(self, model: Model, walk: Walk) -> None:
        self.backend, self._walk = model.backend, walk

    def complete(self, prompt: Prompt) -> Reply:
        """Raises ModelFailed, StepFailed (nobody works it), Stopped."""
        given = steps.Question(self.backend, *prompt[:8])
        known: Reply | None = self._walk.read_kept(COMPLETE, COMPLETE.hash(given))
        if known is not None:
            return Reply(known.text, 0, 0)
        try:
            return cast(Reply, self._walk.step(COMPLETE, given))
        except StepFailed as failed:
            if failed.cause == WAITS:
                raise
            raise ModelFailed(failed.cause or "unreachable", failed.reason) from None


# -- summarise, content-review: a text, judged part by part ----------------------------------------------------------


def _read(walk: Walk, given: dict[str, Any]) -> dict[str, Any]:
    """{title, source, points[]}, each point with the numbers of the lines that it rests on."""
    app, model = walk.app, walk.app.model()
    if model is None:
        raise StepFailed(NO_MODEL, cause="unavailable")
    found = read_source(walk, given["source"])
    safe = redact_hits(found.text, screen(found.text), found.source)
    parts = list(_parts(found.title, [clean_line(line, LINE_CHARS) for line in safe.split("\n") if line.strip()]))
    if len(parts) > MOST_PARTS:
        raise StepFailed(f"it is longer than {MOST_PARTS * PART_CHARS:,} characters")
    app.shared[MODEL] = KeptModel(model, walk)
    try:
        points = [point for part in parts for point in _ask(app, walk.job.name, part)]
        if walk.job.name == summarise.NAME and len(parts) > 1:  # a summary of the parts', with the lines of these
            parts = list(_parts(found.title, [point["text"] for point in points]))
            told = [point for part in parts for point in _ask(app, summarise.NAME, part)]
            for each in told:
                each["lines"] = [line for at in each["lines"] for line in points[at - 1]["lines"]]
            points = told
    finally:
        del app.shared[MODEL]
    return {"title": clean_line(found.title, 120), "source": found.source, "points": points}


def _ask(app: App, name: str, part: summarise.Inputs) -> list[dict[str, Any]]:
    """What the model says of one part, its handles as numbers of lines. Raises StepFailed."""
    said = Asker(app).ask(hearing.load_judgement(name), part)
    if said.degraded or not said.replied:
        why = f"the model gave no answer of use ({said.why or said.degraded})"
        raise StepFailed(why, again=True, cause="unavailable")
    rows: list[dict[str, Any]] = msgspec.to_builtins(said.result)["points"]
    for row in rows:
        handles = row["lines"] if "lines" in row else [row.pop("line")]
        row["lines"] = [int(each.strip().removeprefix("L")) for each in handles]
    return rows


def _parts(title: str, lines: list[str]) -> Iterator[summarise.Inputs]:
    first, held, size = 1, list[str](), 0
    for number, line in enumerate(lines, start=1):
        if held and size + len(line) > PART_CHARS:
            yield summarise.Inputs(title, first, held)
            first, held, size = number, [], 0
        held, size = [*held, line], size + len(line)
    yield summarise.Inputs(title, first, held)


def _tell_points(outcome: dict[str, Any]) -> list[str]:
    lines = [f"{outcome['title']} ({outcome['source']})"]
    for each in outcome["points"]:
        where = ", ".join(f"L{number}" for number in each["lines"][:4])
        better = f" Better: {each['better']}" if each.get("better") else ""
        lines.append(f"- {each.get('text') or each['problem']}{better} ({where})")
    return lines if outcome["points"] else [*lines, "nothing to mend"]


# -- ingest: the text of a file or page becomes notes in a folder of a knowledge base, with where it came from --


FOLDER = "ingested"
NOTE_CHARS = 200_000  # of one note: what a pulse reads of a file
TITLE = 120
_SLUG = re.compile(r"[^a-z0-9]+")


def _make_notes(walk: Walk, given: dict[str, Any]) -> Extracted:
    found = read_source(walk, given["source"])
    hits = screen(found.text)
    if not given["redact"] and (unseen := screen(found.hidden)[:1] + hits[:1]):
        where = f"line {unseen[0].line}" if unseen[0] in hits else "hidden text"
        why = "`--redact` leaves such lines out and takes in the rest"
        raise StepFailed(f"{where} reads like orders to an assistant ({unseen[0].excerpt!r}); {why}")
    return replace(found, text=redact_hits(found.text, hits, found.source), title=given["title"] or found.title)


def _write_notes(app: App, job: Job, made: Extracted) -> dict[str, Any]:
    """{kb, notes[], title, characters}. Notes that stand there already, and say the same, are left alone."""
    from adjutant.domain.recall.search import look_again  # brings SQLite

    kb = _kb(app, job.given["kb"])
    if kb is None:  # the library, made on first use
        name, folder = job.given["kb"], app.tree.kb(job.given["kb"])
        about = "what was ingested: other people's words"
        kb = registry.KnowledgeBase(name, app.tree.relative(folder), folder, about, trust="untrusted")
        registry.add(app.files, kb)
    app.files.sweep(os.path.join(kb.folder, FOLDER), app.clock.now().timestamp())
    title = clean_line(made.title, TITLE) or "untitled"
    digest = hashlib.sha256(f"{made.source}\0{made.text}".encode("utf-8", "replace")).hexdigest()[:8]
    slug = _SLUG.sub("-", title.lower()).strip("-")[:50].strip("-") or "note"
    parts, notes, day = list(cut_text(made.text, NOTE_CHARS, "\n\n", "\n", " ")), [], job.created[:10]
    for number, part in enumerate(parts, start=1):
        end, of = (f"-{number}", f" ({number} of {len(parts)})") if len(parts) > 1 else ("", "")
        path = os.path.join(kb.folder, FOLDER, f"{day}-{slug}-{digest}{end}.md")
        told = frontmatter.dump({"title": f"{title}{of}", "source": made.source})
        head = f"---\n{told}date: {day}\ntrust: untrusted\njob: {job.id}\n---\n\n"
        heading = "" if part.startswith("# ") else f"# {title}{of}\n\n"
        with suppress(FileExistsError):  # as a run that was cut has left it, or as the operator has it since
            app.files.create(path, f"{head}{heading}{part}\n".encode("utf-8", "replace"))
        notes.append(app.tree.relative(path))
    look_again(app)
    return {"kb": kb.name, "notes": notes, "title": title, "characters": len(made.text)}


def _tell_notes(outcome: dict[str, Any]) -> list[str]:
    head = f"{outcome['title']}: {outcome['characters']:,} characters in the knowledge base {outcome['kb']}, untrusted"
    return [head, *(f"  {path}" for path in outcome["notes"])]


def _kb(app: App, name: str) -> registry.KnowledgeBase | None:
    """Where the notes go; None for the library, where it is still to be made. Raises KbInvalid for one that is
    trusted."""
    try:
        kb = registry.find(app.files, name)
    except KbUnknown:
        if name == app.config.text("jobs.kb"):
            registry.check_name(name)
            return None
        raise
    if kb.kind != "notes":
        raise KbInvalid(f"{name} is a {kb.kind} knowledge base, which is only read", "name one of notes")
    if kb.trust != "untrusted":
        raise KbInvalid(f"the files of {name} count as your own word, and what is ingested must not", "name another")
    return kb


PIPELINES = {
    "ingest": Pipeline(_make_notes, _tell_notes, _write_notes),
    "transcribe": Pipeline(  # what is said in a file of sound or film
        lambda walk, given: {"text": read_source(walk, given["source"], spoken=True).text},
        lambda outcome: str(outcome["text"]).split("\n"),
    ),
    "summarise": Pipeline(_read, _tell_points),
    "content-review": Pipeline(_read, _tell_points),
}


def plan(app: App, name: str, given: dict[str, Any]) -> list[tuple[str, str]]:
    """(step, what it would do) for each of a job. Raises UsageError, KbInvalid, KbUnknown."""
    source, kb = given["source"], given["kb"]
    steps = [("fetch", f"get {source}") if is_address(source) else ("copy", f"keep what {source} holds now")]
    if name != "transcribe":
        steps.append(("extract", "take the text out of it, in a child behind walls"))
    steps.append(("transcribe", "or, of sound and film, ask the server for the words, one piece after the other"))
    if name == "ingest":
        made = "" if _kb(app, kb) is not None else ", which is made"
        return [*steps, ("apply", f"write notes to the knowledge base {kb}{made}")]
    asks = [("complete", "ask the model about each part of it")] if name != "transcribe" else []
    return [*steps, *asks, ("apply", f"keep the {'answer' if asks else 'text'} with the job")]
