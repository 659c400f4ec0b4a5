"""DOMAIN. Hits by words and what means much the same, in one order."""

from __future__ import annotations

from adjutant.domain.recall import weighing as rank
from adjutant.domain.recall.lines import SoughtRoot
from adjutant.domain.recall.ordering import SearchCandidate, ordered
from adjutant.domain.recall.question import SpeakerNames, asked, root
from adjutant.index_ports import Document, Hit
from adjutant.ports import TRUST
from adjutant.store import index_tables as tables
from adjutant.store.index_lookup import IndexRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from adjutant.index_ports import Query
    from adjutant.store.index_lookup import Lookup

# Shares of the words' score and of the likeness, each against the best in the answer: found on three long
# conversations. Together they gain; one loses .002 of its MRR, one .004 of its recall at 10. From .65 to .8 the
# difference is small.
WORDS, MEANING = 0.75, 0.25
WIDER = 30  # hits by words beyond the limit that likeness may lift into it
CLOSE = 100  # documents looked at for their likeness alone
NARROWED = 20  # times as many where concepts or a day leave most of them out
LIKE = 0.35  # by likeness alone nothing is found below this: most pairs of unrelated texts stay under .2
ANSWERS = 1  # the bit of a candidate that answers in either way; those above it are the question's terms


def mixed(lookup: Lookup, query: Query, search: Callable[[Query], list[Hit]]) -> list[Hit]:
    """The best `query.limit` of what `search` finds by words, in any index, and of what means the same by `lookup`.

    The rules about whose word stands above whose hold as before.
    """
    likeness = lookup.likeness(query)
    if not likeness:
        return search(query)
    read = asked(query.text)
    sought, called = [SoughtRoot(root(term.word), 1.0) for term in read.terms], SpeakerNames(read.words)
    found: dict[tuple[str, str], SearchCandidate] = {}
    bits: dict[str, int] = {}
    hits = search(query._replace(limit=query.limit + WIDER))
    for hit in hits:
        made = found[_key(hit.document)] = _candidate(hit.document, hit.score, len(found), sought)
        made.mask |= sum(bits.setdefault(term, 2 * ANSWERS << len(bits)) for term in hit.why["terms"])
        made.terms, made.near, made.rarity = hit.why["terms"], hit.why["near"], hit.why["rarity"]
        made.fields, made.rules = hit.why["fields"], [*hit.why["rules"]]
    most = CLOSE * (NARROWED if query.concepts or query.since else 1)
    for document in _standing(lookup, query, lookup.meaning(query, likeness, LIKE, most)):
        found.setdefault(_key(document), _candidate(document, 0.0, len(found), sought))
    alike = {key: likeness.get(key, 0.0) * _factor(each, called) for key, each in found.items()}
    top, best = max((hit.score for hit in hits), default=0.0) or 1.0, max(LIKE, *alike.values(), 0.0)
    for key, each in found.items():
        each.score = WORDS * each.score / top + MEANING * max(alike[key], 0.0) / best
        if (like := likeness.get(key, 0.0)) >= LIKE:
            each.rules.append(f"means much the same ({like:.2f})")
    return [each.hit(query.concept) for each in ordered(list(found.values()), query.limit)]


def row_of(document: Document, place: int = 0) -> IndexRow:
    """What the index's tables would know of a document; `place` is its own but for what tells a message."""
    created, words, kind = tables.measure(document)
    trust = TRUST.index(document.trust) if document.trust in TRUST else document.trust
    place = place | tables.GROUPED if document.group else place
    return IndexRow(place, 0, words, kind, document.names, document.level, trust, created)


def lets_through(query: Query, document: Document) -> bool:
    """Whether the query's narrowing lets a document through."""
    return (
        not document.superseded
        and (not query.tag or query.tag in document.tags)
        and (not query.concepts or not set(query.concepts).isdisjoint(document.concepts))
        and (not query.since or tables.measure(document)[0] >= tables.seconds(query.since))
        and (not query.but or document.path != query.but)
        and document.level <= query.level
    )


def _standing(lookup: Lookup, query: Query, documents: list[Document]) -> list[Document]:
    """Those that the query lets through, and that no note supersedes."""
    older = {tables.superseding(each.id) for each in documents if each.collection == rank.NOTES}
    said = lookup.tags(older)
    return [
        each
        for each in documents
        if lets_through(query, each) and not (each.collection == rank.NOTES and tables.superseding(each.id) in said)
    ]


def _candidate(document: Document, score: float, place: int, sought: list[SoughtRoot]) -> SearchCandidate:
    made = SearchCandidate(-place, document, ANSWERS, score, tables.measure(document)[0])
    made.sought = sought
    return made


def _factor(candidate: SearchCandidate, called: SpeakerNames) -> float:
    return rank.factor(row_of(candidate.document)._replace(kind=0), candidate.document.collection, called, 0.0)


def _key(document: Document) -> tuple[str, str]:
    return document.collection, document.id
