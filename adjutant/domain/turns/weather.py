"""DOMAIN. Weather: what the folder holds on this message - skills, notes, vault, work log - a passage each."""

from __future__ import annotations

from adjutant.domain.prompting.assembly import Found
from adjutant.domain.prompting.fence import clean_line
from adjutant.domain.retrieval import collections, showing
from adjutant.domain.retrieval.classify import Classified
from adjutant.domain.retrieval.search import search

TYPE_CHECKING = False
if TYPE_CHECKING:
    from adjutant.app import App
    from adjutant.ports import Hit

HITS = 8
PASSAGE = 700  # characters
LABEL = 160
PARTS = {"agent_skills": "skills", "agent_memory": "notes", "vault_index": "vault", "kb": "vault", "slog": "slog",
         "journal": "slog", "conversations": "notes"}


def find(app: App, message: str, about: Classified) -> list[Found]:
    """At most HITS passages that fit the message, best first; none where nothing fits well enough.

    Raises IoFailed.
    """
    wanted = ",".join(name for name in app.config.values["retrieval.weather"] if name in PARTS)
    if not wanted:
        return []
    found = search(app, message, collections=collections.named(wanted), limit=HITS)
    return [_found(hit, message) for hit in found.hits]


def _found(hit: Hit, message: str) -> Found:
    document = hit.document
    place = document.path + (f"#{document.anchor}" if document.anchor else "")
    label = clean_line(f"{document.title} ({place}, {document.trust})", LABEL)
    passage = showing.snippet(document.text, message, PASSAGE)
    return Found(PARTS[document.collection], document.id, f"[{label}]\n{passage}", hit.score, document.path,
                 document.anchor, passage, document.trust)
