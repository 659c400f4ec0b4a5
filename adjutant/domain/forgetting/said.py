"""DOMAIN. What was said and never became a note: sentences of the journal, conversations, periods and wisdom."""

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
    """The sentences that hold every word, none of bases or runs; `wisdom`: path of wisdom.md. Raises IoFailed."""
    found = (
        Said(place, each.text)
        for place, text in (*_read_days(Sources(files, clock)), *_read_files(files, wisdom))
        for each in sentences(without_marks(text))
        if likeness.holds(each.text, words)
    )
    return list(dict.fromkeys(found))


def _read_days(sources: Sources) -> Iterator[tuple[str, str]]:
    days = (period_file.find_period(DAILY, name) for name in sources.names())
    for piece in (piece for day in days if day is not None for piece in sources.gather(day).pieces):
        if piece.trust != TRUST[-1]:
            yield piece.refs[0], piece.text


def _read_files(files: Files, wisdom: str) -> Iterator[tuple[str, str]]:
    """(path, text) of the bullets of periods, and of the standing rules."""
    tree = files.tree
    folders = {kind: tree.period(kind, "x").rpartition("/")[0] for kind in KINDS}
    periods = [tree.period(kind, name.removesuffix(".md")) for kind in KINDS for name in files.names(folders[kind])]
    for path in (*periods, wisdom):
        try:
            data = files.read(path)
            if path == wisdom:
                told = [each.text or each.title for each in wisdom_file.parse(data, "").entries]
            else:
                told = [each.text for each in period_file.parse(data, path).bullets]
        except (AdjutantError, FileNotFoundError):
            continue  # what cannot be read is named by the verbs that need it
        yield from ((tree.relative(path), text) for text in told)
