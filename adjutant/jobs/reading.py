"""JOBS. summarise and content-review: a text, judged part by part; each answer of the model is a step of its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import msgspec

from adjutant.jobs import source
from adjutant.jobs.step import StepFailed
from adjutant.jobs.walk import KeptModel
from adjutant.judgements import judgement, summarise
from adjutant.judgements.asking import MODEL, Asker
from adjutant.records.jobs import Job
from adjutant.screening.fence import clean_line
from adjutant.screening.screen import redact_hits, screen

if TYPE_CHECKING:
    from adjutant.app import App
    from adjutant.jobs.walk import Walk

PART_CHARS, LINE_CHARS, MOST_PARTS = 16_000, 1000, 40
NO_MODEL = "no model is configured, and rules understand no text"


def plan(app: App, given: dict[str, Any]) -> list[tuple[str, str]]:
    """As the protocol says."""
    asks = ("complete", "ask the model about each part of it")
    return [*source.plan(given["source"]), asks, ("apply", "keep the answer with the job")]


def make(walk: Walk, given: dict[str, Any]) -> dict[str, Any]:
    """{title, source, points[]}, each point with the numbers of the lines that it rests on."""
    app, model = walk.app, walk.app.model()
    if model is None:
        raise StepFailed(NO_MODEL, cause="unavailable")
    found = source.read(walk, given["source"])
    safe = redact_hits(found.text, screen(found.text), found.source)
    lines = [clean_line(line, LINE_CHARS) for line in safe.split("\n") if line.strip()]
    parts = list(_parts(found.title, lines))
    if len(parts) > MOST_PARTS:
        raise StepFailed(f"it is longer than {MOST_PARTS * PART_CHARS:,} characters")
    app.shared[MODEL] = KeptModel(model, walk)
    try:
        points = [point for part in parts for point in _asked(app, walk.job.name, part)]
        if walk.job.name == summarise.NAME and len(parts) > 1:
            points = _shorter(app, found.title, points)
    finally:
        del app.shared[MODEL]
    return {"title": clean_line(found.title, 120), "source": found.source, "points": points}


def _asked(app: App, name: str, part: summarise.Inputs) -> list[dict[str, Any]]:
    """What the model says of one part. Raises StepFailed where it says nothing of use."""
    said = Asker(app).ask(judgement.load(name), part)
    if said.degraded or not said.replied:
        raise StepFailed(
            f"the model gave no answer of use ({said.why or said.degraded})", again=True, cause="unavailable"
        )
    rows: list[dict[str, Any]] = msgspec.to_builtins(said.result)["points"]
    return [_numbered(row) for row in rows]


def _numbered(row: dict[str, Any]) -> dict[str, Any]:
    """The handles as numbers of lines."""
    handles = row["lines"] if "lines" in row else [row.pop("line")]
    return {**row, "lines": [int(each.strip().removeprefix("L")) for each in handles]}


def _shorter(app: App, title: str, points: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A summary of the parts' summaries, with the lines that these rest on."""
    parts = list(_parts(title, [point["text"] for point in points]))
    told = [point for part in parts for point in _asked(app, summarise.NAME, part)]
    return [{**each, "lines": [line for at in each["lines"] for line in points[at - 1]["lines"]]} for each in told]


def _parts(title: str, lines: list[str]) -> Iterator[summarise.Inputs]:
    """Lines in order, as many at a time as have PART_CHARS characters."""
    first, held, size = 1, list[str](), 0
    for number, line in enumerate(lines, start=1):
        if held and size + len(line) > PART_CHARS:
            yield summarise.Inputs(title, first, held)
            first, held, size = number, [], 0
        held, size = [*held, line], size + len(line)
    yield summarise.Inputs(title, first, held)


def apply(app: App, job: Job, made: dict[str, Any]) -> dict[str, Any]:
    """What was made is the outcome."""
    return made


def told(outcome: dict[str, Any]) -> list[str]:
    """A line each point."""
    lines = [f"{outcome['title']} ({outcome['source']})"]
    for each in outcome["points"]:
        where = ", ".join(f"L{number}" for number in each["lines"][:4])
        better = f" Better: {each['better']}" if each.get("better") else ""
        lines.append(f"- {each.get('text') or each['problem']}{better} ({where})")
    return lines if outcome["points"] else [*lines, "nothing to mend"]
