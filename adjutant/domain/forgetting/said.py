"""DOMAIN. What was said and never became a note: sentences of the journal, conversations, periods and wisdom."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from adjutant.clock import Clock
from adjutant.domain.periods.sources import Sources
from adjutant.errors import AdjutantError
from adjutant.language import likeness
from adjutant.language.sentences import sentences
from adjutant.ports import TRUST
from adjutant.records import period_file, wisdom_file
from adjutant.records.note import without_marks
from adjutant.records.period_file import DAILY, KINDS
from adjutant.store.files import Files


class Said(NamedTuple):
    """A sentence and where it stands: a file, or a source as a day names it (`journal 2026-11-20 09:00`)."""

    place: str
    text: str


def find(files: Files, clock: Clock, wisdom: str, words: tuple[likeness.Word, ...]) -> list[Said]:
    """The sentences that hold every word, those of knowledge bases and of runs left out; `wisdom`: the path of
    wisdom.md. Raises IoFailed."""
    found = (
        Said(place, each.text)
        for place, text in (*_days(files, clock), *_periods(files), *_rules(files, wisdom))
        for each in sentences(without_marks(text))
        if likeness.holds(each.text, words)
    )
    return list(dict.fromkeys(found))


def _days(files: Files, clock: Clock) -> Iterator[tuple[str, str]]:
    sources = Sources(files, clock)
    for name in sources.names():
        if (day := period_file.find_period(DAILY, name)) is not None:
            for piece in sources.gather(day).pieces:
                if piece.trust != TRUST[-1]:
                    yield piece.refs[0], piece.text


def _periods(files: Files) -> Iterator[tuple[str, str]]:
    for kind in KINDS:
        for name in files.names(files.tree.period(kind, "x").rpartition("/")[0]):
            path = files.tree.period(kind, name.removesuffix(".md"))
            try:
                bullets = period_file.parse(files.read(path), path).bullets
            except (AdjutantError, FileNotFoundError):
                continue  # what cannot be read is named by the verbs that need it
            yield from ((files.tree.relative(path), each.text) for each in bullets)


def _rules(files: Files, wisdom: str) -> Iterator[tuple[str, str]]:
    try:
        entries = wisdom_file.parse(files.read(wisdom), "").entries
    except (AdjutantError, FileNotFoundError):
        return
    yield from ((files.tree.relative(wisdom), each.text or each.title) for each in entries)
