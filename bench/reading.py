"""Rows read and changed: what the first look at a folder costs, and what one edited file of many does."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Iterator
from pathlib import Path

from bench import peers
from bench.instances import cost, environment, with_knowledge
from bench.measure import Figure, Settings, Skipped, ratio

LIMITS = "limits: {files_per_kb: 20000}\n"
TALK = """
the a of and to in that it was for on with as at by from they she had this not but have are which about would
there when been more meeting garden report number morning answer letter question project music station window
summer paper kitchen journey minutes weather teacher harbour engine writes walked asked spoke looked found kept
"""
# The peer: a whole parser of Markdown over the same files, in seconds of CPU without its start.
PARSER = """
import sys, time
from pathlib import Path
from markdown_it import MarkdownIt
parser = MarkdownIt("commonmark").enable("table")
texts = [path.read_text() for path in sorted(Path(sys.argv[1]).rglob("*.md"))]
began = time.process_time()
for text in texts:
    parser.parse(text)
print(time.process_time() - began)
"""


def read(folder: Path, settings: Settings) -> Iterator[Figure | Skipped]:
    """The first pulse over ordinary notes: its bytes a second against a parser of Markdown, and its memory."""
    many = 300 if settings.quick else 1000
    few, notes = (instance(folder / str(count), count) for count in (1, many))
    size = sum(path.stat().st_size for path in notes.rglob("kb-00/*.md")) / 1e6
    look = cost(notes, "pulse").seconds - cost(few, "pulse").seconds
    why = peers.library("markdown_it", "markdown-it-py") if settings.peers else "--quick"
    what = "first look, bytes a second / markdown-it-py"
    if why:
        yield Skipped("read", what, why)
    else:
        python = str(peers.FOLDER / "bin" / "python")
        command = [python, "-c", PARSER, str(notes / "knowledge_bases" / "kb-00")]
        theirs = float(subprocess.run(command, env=environment(), capture_output=True, check=True, text=True).stdout)
        details = {"MB": size, "MB a second": size / look, "theirs": size / theirs}
        yield Figure("read", what, theirs / look, 1.0, most=False, details=details)
    count = many if settings.quick else 10_000
    whole = cost(instance(folder / "whole", count), "pulse")
    details = {"seconds": whole.seconds}
    yield Figure("read", f"MB of memory, first look at {count} files", whole.megabytes, 250, unit="", details=details)


def changed(folder: Path, settings: Settings) -> Iterator[Figure | Skipped]:
    """A pulse after one file of many was edited, against one after none was."""
    many, pairs = (300, 3) if settings.quick else (1000, 7)
    root = instance(folder / "instance", many)
    quiet, edited = list[float](), list[float]()
    cost(root, "pulse")
    for number in range(pairs):
        with (root / "knowledge_bases" / "kb-00" / f"note-{number:05d}.md").open("a") as file:
            file.write("\nSpoke with the teacher about the music.\n")
        edited.append(cost(root, "pulse").seconds)
        quiet.append(cost(root, "pulse").seconds)
    details = {"quiet": min(quiet), "edited": min(edited)}
    yield Figure("changed", f"pulse, 1 of {many} files changed / none", ratio(edited, quiet), 1.3, details=details)


def instance(root: Path, count: int) -> Path:
    """One knowledge base of ordinary notes in which nothing is due."""
    with_knowledge(root, 1, LIMITS, parts=0)
    for number in range(count):
        (root / "knowledge_bases" / "kb-00" / f"note-{number:05d}.md").write_text(note(number))
    return root


def note(number: int) -> str:
    """About two kilobytes as people write them: a heading, paragraphs, a list, a few boxes."""
    chance, talk = random.Random(number), TALK.split()

    def said(words: int) -> str:
        return " ".join(chance.choice(talk) for _ in range(words)).capitalize() + "."

    parts = [f"# {said(4)}"]
    for _ in range(3):
        parts.append(f"## {said(3)}\n\n" + " ".join(said(chance.randrange(6, 18)) for _ in range(4)))
        parts.append("\n".join(f"- {said(8)}" for _ in range(4)))
    parts.append(f"- [x] {said(6)}\n- [ ] {said(6)}")
    return "\n\n".join(parts) + "\n"
