"""DOMAIN. The line that answers a question: of those that cover it and show what it asks for the newest, or two."""

from collections.abc import Callable, Iterator, Sequence

from adjutant.domain.recall import answer_lines as line
from adjutant.domain.recall.answer_lines import FileReading, FoundAnswer, first_line
from adjutant.domain.recall.ordering import ScoredLine, revises
from adjutant.domain.recall.showing import place
from adjutant.domain.recall.wanted import Wanted
from adjutant.index_ports import Document, Hit
from adjutant.language.dates import day_in_name
from adjutant.language.figures import figures
from adjutant.language.sentences import sentences
from adjutant.language.stems import stems

MOST = 2  # answers
OPENED = 3  # hits whose file is read as a whole
BEFORE, AFTER = 12, 48  # passages of one file around one that is found
Beside = Callable[[Document], Sequence[Document]]


def find(wanted: Wanted, hits: Sequence[Hit], beside: Beside) -> list[FoundAnswer]:
    """At most two answers that are certain, or the two nearest places; `beside`: the other documents of one's file."""
    rarity: dict[str, float] = {}
    for hit in hits:
        rarity.update(hit.why["rarity"])
    weights = wanted.weights(rarity)
    if not sum(weights.values()):
        return []
    said = [word for word in weights if word in wanted.rest or word in wanted.names] or list(weights)
    subject = max(said, key=lambda word: weights[word] if word in rarity else 0.0)
    found = [each for file in _read_files(hits, beside) for each in FileReading(wanted, weights, subject, file).best()]
    found.sort(key=lambda each: -round(each.rank, 3))  # as good ones in the ranker's order
    certain = [each for each in found if each.certain]
    if not certain:
        return [each._replace(says=each.around) for each in _nearest([each for each in found if each.named])[:MOST]]
    # Of those that say as much the newest, and of these the best.
    first = max((each for each in certain if each.rank >= line.ALIKE * certain[0].rank), key=lambda each: each.day)
    if news := [each for each in found if _is_news(each, first)]:
        last = _newest(news)
        if wanted.shows and not _is_beside(last, first) and _is_newer(last, first) and _contradict(last, first):
            return [last._replace(older=place(first.document), certain=True)]
        return [first, _follow(last, first)]
    others = [each for each in certain if each.rank >= line.RIVAL * certain[0].rank and _differ(each, first)]
    for each in others:
        if _is_newer(first, each) and _contradict(first, each):
            return [first._replace(older=place(each.document))]
    return [first, *(each for each in others if not (_is_within(each, first) and "" < each.own_day < first.day))][:MOST]


def _nearest(found: list[FoundAnswer]) -> list[FoundAnswer]:
    """The best first, then news beside it, then the newest of those about as good; none read around the first."""
    if not found:
        return []
    best, least = found[0], line.RIVAL * found[0].rank
    late = sorted(found[1:], key=lambda each: each.day if each.rank >= least and each.is_dated else "", reverse=True)
    news = [each for each in late if best.score >= line.WORTH and _is_news(each, best)]
    near = [each for each in (*([_newest(news)] if news else []), *late) if _differ(each, best)]
    return [best, *(each for each in near if not (_is_beside(each, best) and best.since <= each.at <= best.until))]


def _newest(news: list[FoundAnswer]) -> FoundAnswer:
    named = [each for each in news if each.news == line.NAMED] or news
    least = line.RIVAL * max(each.score for each in named)
    best = (each for each in named if each.score >= least)
    return max(best, key=lambda each: (each.is_dated, each.day, each.document.path, each.at))


def _follow(last: FoundAnswer, first: FoundAnswer) -> FoundAnswer:
    if _is_beside(last, first):
        label = last.document.title.rpartition(" › ")[2]
        return last._replace(says=last.says.removeprefix(f"{label}: "), after="Below", certain=True)
    after = ("Newer" if last.own_day else f"Newer, {last.day}") if _is_newer(last, first) else ""
    return last._replace(after=after, certain=True)


def _is_news(one: FoundAnswer, other: FoundAnswer) -> bool:
    """Whether it may say how things stand now: it goes on below the other, or tells as much and is not older."""
    older = one.news == line.ITSELF and not _is_newer(one, other)
    if one.news is None or older or not _differ(one, other) or one.says in other.says or _is_newer(other, one):
        return False
    if _is_beside(one, other) and not one.own_day:
        if one.at < other.at or line.ROW.match(one.quote):
            return False
        if _is_within(one, other):
            return True
    return one.covered >= one.news * other.score and (one.day >= other.day or not other.is_dated)


def _is_beside(one: FoundAnswer, other: FoundAnswer) -> bool:
    return one.document.path == other.document.path


def _is_within(one: FoundAnswer, other: FoundAnswer) -> bool:
    return _is_beside(one, other) and one.document.title == other.document.title


def _is_newer(one: FoundAnswer, other: FoundAnswer) -> bool:
    """Whether it is known to be written later: on a later day, or further down in one file. A file without a day may
    have been changed since in any of its lines."""
    if _is_beside(one, other) and one.day == other.day:
        return _is_within(one, other) and one.at > other.at
    if one.is_dated and not other.is_dated:
        return one.day >= other.day
    return one.day > other.day and (one.is_dated or day_in_name(other.document.path) is None)


def _contradict(newer: FoundAnswer, older: FoundAnswer) -> bool:
    """Whether the newer line may revise the older one; no row does of a sentence or of another row of its table."""
    if line.ROW.match(newer.quote) and (_is_beside(newer, older) or not line.ROW.match(older.quote)):
        return False
    news, olds = ([ScoredLine(one.text, each.score) for one in sentences(each.quote)] for each in (newer, older))
    return any(revises(new, old) for new in news for old in olds)


def _differ(one: FoundAnswer, other: FoundAnswer) -> bool:
    told, known = (stems(each.says) | {figure.text for figure in figures(each.says)} for each in (one, other))
    return told != known


def _read_files(hits: Sequence[Hit], beside: Beside) -> Iterator[list[Document]]:
    """The passages of the first files in their order, of a long one those near the one found; of the others that."""
    seen = set[tuple[str, str]]()
    for number, hit in enumerate(hits):
        found = hit.document
        if (found.collection, found.id) in seen:
            continue
        passages = [found]
        if number < OPENED and first_line(found):
            every = sorted(beside(found), key=first_line)
            at = next((number for number, each in enumerate(every) if each.id == found.id), 0)
            passages = every[max(at - BEFORE, 0) : at + AFTER] or passages
        seen.update((each.collection, each.id) for each in passages)
        yield passages
