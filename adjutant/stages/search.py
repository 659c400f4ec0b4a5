"""STAGE. search: one query over everything that can be found."""

from __future__ import annotations

from adjutant.app import Outcome, names
from adjutant.domain.recall import collections, showing
from adjutant.domain.recall.search import search, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from adjutant.app import App

HELP = "Search notes, skills, vault, slog, journal, conversations and knowledge bases; any words, whole questions too."
READS = names(
    """
    config env notes daily weekly monthly wisdom skills slog journal conversations registry knowledge_bases
    taxonomy index instance mirrors
    """
)
WRITES = ("index", "locks", "config_cache", "instance", "mirrors", "events")


def arguments(parser: argparse.ArgumentParser) -> None:
    """WORDS, --in, --workload, --since, --limit, --explain, --fresh."""
    names = ", ".join(each.name for each in collections.TABLE)
    parser.add_argument("words", nargs="*", metavar="WORDS", help="what to look for; after a lone -- even with dashes")
    parser.add_argument("--in", dest="collections", metavar="A,B", help=f"only in these: {names}")
    parser.add_argument("--workload", metavar="CONCEPT", help="only what is about it, or narrower")
    parser.add_argument("--since", metavar="DATE", help="only what was made on this day or later")
    parser.add_argument("--limit", metavar="N", type=int, help="hits at most")
    parser.add_argument("--explain", action="store_true", help="why each was found")
    parser.add_argument("--fresh", action="store_true", help="look at the vault and the knowledge bases now")


def run(app: App, args: argparse.Namespace) -> Outcome:
    """{hits[{id, collection, title, path, anchor, text, score, concepts, created_at}], backend, fresh}; `why` too.

    Raises SearchInvalid, TaxonomyInvalid, IoFailed.
    """
    text = " ".join(args.words)
    found = search(
        app,
        text,
        collections=collections.named(args.collections),
        workload=args.workload,
        since=args.since,
        limit=args.limit,
        fresh=args.fresh,
    )
    rows = [shown(hit, args.explain) for hit in found.hits]
    lines = showing.lines(found.hits, text, explain=args.explain)
    return Outcome({"hits": rows, "backend": found.backend, "fresh": found.fresh}, lines)
