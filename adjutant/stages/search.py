"""STAGE. search: one query over everything that can be found."""

from adjutant.app import App, Args, Outcome
from adjutant.domain.recall import places, search


def run(app: App, args: Args) -> Outcome:
    """`hits` as spec/60 has them, and `fresh`."""
    return search.tell(app, " ".join(args.words), places.find_collections(args.collections), args)
