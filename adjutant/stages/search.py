"""STAGE. search: one query over everything that can be found."""

from __future__ import annotations

from adjutant.app import Outcome, names
from adjutant.domain.recall import collections, showing
from adjutant.domain.recall.search import search, show

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from adjutant.app import App

READS = names(
    """
    config env notes daily weekly monthly wisdom skills slog journal conversations registry knowledge_bases
    taxonomy index instance mirrors
    """
)
WRITES = ("index", "locks", "config_cache", "instance", "mirrors", "events")


def run(app: App, args: argparse.Namespace) -> Outcome:
    """{hits[{id, collection, title, path, anchor, text, score, concepts, created_at}], backend, fresh}; `why` too.

    Raises SearchInvalid, TaxonomyInvalid, IoFailed.
    """
    text = " ".join(args.words)
    found = search(
        app,
        text,
        collections=collections.find(args.collections),
        workload=args.workload,
        since=args.since,
        limit=args.limit,
        fresh=args.fresh,
    )
    rows = [show(hit, args.explain) for hit in found.hits]
    lines = showing.lines(found.hits, text, explain=args.explain)
    return Outcome({"hits": rows, "backend": found.backend, "fresh": found.fresh}, lines)
