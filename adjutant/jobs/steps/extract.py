"""JOBS. extract: the text of a file, taken out by a child behind walls, without a network and within its limits."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec

import msgspec

from adjutant.children import scratch, walls
from adjutant.children.walls import Cell
from adjutant.errors import tell_how_to_add
from adjutant.jobs import extractor, kinds
from adjutant.jobs.step import Outside, StepFailed
from adjutant.store import jsonl

NAME, LOOSE, HERE = "extract", (), False
SECONDS, OUT = 90.0, 64 << 20
PACKAGES = {kinds.PDF: ("pypdf", "pdf"), kinds.DOCX: ("docx", "docx"), kinds.HTML: ("trafilatura", "web")}
PACKAGES[kinds.EPUB] = PACKAGES[kinds.HTML]


class Input(msgspec.Struct, frozen=True):
    """One of jobs/kinds.py, and the file."""

    kind: str
    data: bytes


class Output(msgspec.Struct, frozen=True):
    """Its title ("" for none), its text as Markdown, and what it holds that nobody sees who reads it."""

    title: str
    text: str
    hidden: str


def work(given: Input, outside: Outside) -> Output:
    """Raises StepFailed, Stopped."""
    folders = _folders(given.kind)
    program = os.path.realpath(extractor.__file__)
    python = [os.path.realpath(sys.executable), "-I", "-S", "-B"]
    try:
        with scratch.folder() as place:
            cell = Cell([*python, program, given.kind, *folders], {"HOME": "{home}"}, [program, *folders], place)
            ended = walls.run(
                walls.find(outside.environment),
                cell,
                stdin=given.data,
                seconds=SECONDS,
                out_limit=OUT,
                watch=outside.gate,
            )
    except OSError as error:
        raise StepFailed(f"the reader could not be started: {error.strerror}", again=True) from None
    if ended.cause is not None or ended.code:
        raise StepFailed(f"it takes more than {extractor.MEMORY >> 20} MB of memory or {SECONDS:g} s to read")
    told = jsonl.loads(ended.out)
    if "failed" in told:
        raise StepFailed(told["failed"], cause="unavailable" if "lacking" in told else "")
    return msgspec.convert(told, Output)


def _folders(kind: str) -> list[str]:
    """Where the packages stand that read this kind. Raises StepFailed where they are not installed."""
    if kind not in PACKAGES:
        return []
    package, extra = PACKAGES[kind]
    found = find_spec(package)
    if found is None or found.origin is None:
        raise StepFailed(f"{kind} files need the extra `{extra}`: {tell_how_to_add(extra)}", cause="unavailable")
    return [os.path.realpath(os.path.dirname(os.path.dirname(found.origin)))]
