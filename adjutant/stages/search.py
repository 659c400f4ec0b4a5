"""STAGE. search: one query over everything that can be found."""

from adjutant.app import App, Args, Outcome
from adjutant.domain.recall import places, search


def run(app: App, args: Args) -> Outcome:
    """{hits[{id, collection, title, path, anchor, text, score, concepts, created_at}], backend, fresh}; `why` too.
    Raises SearchInvalid, TaxonomyInvalid, IoFailed."""
    return search.tell(app, " ".join(args.words), places.find_collections(args.collections), args)
