"""DOMAIN. The document that a record names as `collection/id`, read again from its file: its words, and whose."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from adjutant.domain.memory.shelf import Shelf
from adjutant.domain.recall.sources import notes, pages, slog
from adjutant.errors import AdjutantError
from adjutant.index_ports import Document

if TYPE_CHECKING:
    from adjutant.app import App
    from adjutant.records.note import Note

KB, MEMORY, SLOG, VAULT = "kb", notes.COLLECTION, slog.COLLECTION, pages.VAULT


def find(app: App, subject: str) -> Document | None:
    """The document of `collection/id`; None for one that is gone, damaged, or of a kind that is never promoted."""
    collection, _, id = subject.partition("/")
    try:
        if collection == MEMORY:
            note = find_note(app, id)
            if note is None or note.superseded_by:
                return None
            return Document(id, MEMORY, note.title, note.body, note.path, trust=note.trust, created_at=note.created)
        if collection == SLOG:
            several = slog.documents(app.tree.relative(app.tree.slog), app.files.read(app.tree.slog))
        elif collection == VAULT:
            several = _read_page(app, id.partition("#")[0])
        else:
            return None
    except (AdjutantError, FileNotFoundError):
        return None
    return next((each for each in several if each.id == id), None)


def find_note(app: App, id: str) -> Note | None:
    """A note by its whole id; None for one that is gone or damaged, and for what is no note."""
    shelf = Shelf(app.files)
    place = next((place for place in shelf.places() if place.id == id), None)
    return shelf.get(place) if place is not None else None


def why_not(subject: str) -> str:
    """What to say of a document that `find` does not give."""
    collection, _, id = subject.partition("/")
    if collection == KB:
        return f"{id[:120]} is a knowledge base's own text, not yours: say it in your own words where you want it"
    return f"{subject[:120]} is not there any more, or is none whose words could stand in a layer"


def _read_page(app: App, path: str) -> list[Document]:
    """The passages of a page in one of the vault's folders; none of any other: an id is only a record's word."""
    wanted = os.path.realpath(app.tree.inside(path))
    for folder in app.config.folders("retrieval.vault"):
        if wanted.startswith(f"{os.path.realpath(app.tree.inside(folder.path))}/"):
            return pages.vault(pages.FilePlace(path, "", trust=folder.trust), app.files.read(wanted))
    return []
