"""JOBS. transcribe: what is said in a file of sound or film, as text in the job's outcome."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from adjutant.jobs import source
from adjutant.jobs.source import Text
from adjutant.records.jobs import Job

if TYPE_CHECKING:
    from adjutant.app import App
    from adjutant.jobs.walk import Walk


def plan(app: App, given: dict[str, Any]) -> list[tuple[str, str]]:
    """As the protocol says."""
    first, _, words = source.plan(given["source"])
    return [first, words, ("apply", "keep the text with the job")]


def make(walk: Walk, given: dict[str, Any]) -> Text:
    """The words, a paragraph each piece."""
    return source.read(walk, given["source"], spoken=True)


def apply(app: App, job: Job, made: Text) -> dict[str, Any]:
    """{text}."""
    return {"text": made.text}


def told(outcome: dict[str, Any]) -> list[str]:
    """The text, which is the outcome."""
    return str(outcome["text"]).split("\n")
