"""JOBS. Where a job's text comes from: a file of this machine or an address, and what was read out of it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from adjutant.errors import UsageError
from adjutant.jobs import kinds, speech
from adjutant.jobs.step import StepFailed
from adjutant.jobs.steps import copy, extract, fetch

if TYPE_CHECKING:
    from adjutant.jobs.walk import Walk

MOST_MEDIA = 4 << 30


class Text(NamedTuple):
    """What a source says: where it is, its title, its text, and what it holds that no reader sees."""

    source: str
    title: str
    text: str
    hidden: str = ""


def checked(source: str) -> str:
    """The address as given, or the file's absolute path. Raises UsageError."""
    if is_address(source):
        if "@" in urlsplit(source).netloc:
            raise UsageError(
                "an address with a name or password in it is not fetched", "fetch it yourself, name the file"
            )
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
    first = ("fetch", f"get {source}") if is_address(source) else ("copy", f"keep what {source} holds now")
    return [
        first,
        ("extract", "take the text out of it, in a child behind walls"),
        ("transcribe", "or, of sound and film, ask the server for the words, one piece after the other"),
    ]


def read(walk: Walk, source: str, *, spoken: bool = False) -> Text:
    """What it says, by whatever steps its kind needs; `spoken`: only of sound and film. Raises StepFailed, Stopped,
    FileDamaged, IoFailed."""
    got = _got(walk, source)
    name = os.path.basename(urlsplit(got.source).path if is_address(got.source) else got.source)
    if got.sha256 or kinds.is_media(got.data[: kinds.HEAD]):
        return Text(got.source, _stem(name), speech.words(walk, got))
    if spoken:
        raise StepFailed("it is neither sound nor film")
    kind = kinds.kind_of(got.data, name, got.media)
    if not kind:
        raise StepFailed("it is no text, PDF, HTML, DOCX, EPUB, sound or film")
    found = walk.step(extract.NAME, extract.Input(kind, got.data))
    if not found.text.strip():
        raise StepFailed("no text was found in it" + (" (a scanned PDF?)" if kind == kinds.PDF else ""))
    heading = found.text.partition("\n")[0] if found.text.startswith("# ") else ""
    return Text(got.source, found.title or heading[2:] or _stem(name) or got.source, found.text, found.hidden)


def _got(walk: Walk, source: str) -> Any:
    """The copy, or what was fetched."""
    config = walk.app.config
    most = config.whole("jobs.max_mb") << 20
    if not is_address(source):
        return walk.step(copy.NAME, copy.Input(source, most, MOST_MEDIA))
    return walk.step(fetch.NAME, fetch.Input(source, most, config.number("jobs.fetch_seconds")))


def _stem(name: str) -> str:
    return os.path.splitext(name)[0].replace("_", " ").replace("-", " ").strip()
