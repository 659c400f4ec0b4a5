"""DOMAIN. The last word on an order of hits: sources above what retells them, newer above older, owner above others."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple

from adjutant.domain.recall.question import WORD, ParsedQuestion, root
from adjutant.domain.recall.weighing import CONCEPT, NOTES, PAGES, PRIORS
from adjutant.index_ports import Document, Hit, Query
from adjutant.language.pack import cached, listed
from adjutant.language.sentences import by_line
from adjutant.language.words import day_names
from adjutant.ports import TRUST

TITLE, OFTEN, MOST_OFTEN = 0.25, 0.12, 4
HEADED = 1.0  # a page's title that says nothing but what is asked for
SUBJECT = 1.5  # what the page as a whole is called, before the headings of its part, says nothing else
TRAIL = " › "  # as titles of parts have it; that of a knowledge base's begins with the base, which is no page
NAMED = PAGES - {"kb"}
RETOLD = frozenset(("conversations", "journal"))
ONLY_NEAR = 0.6
PHRASE = 1.0
FIGURE = 1.2
_REF = re.compile(r"\[(?:journal|conversations|insights|slog) [^\[\]]+\]")
MOST_LINES = 200  # of one document that are looked at
ALIKE, LEAST_ALIKE = 0.6, 2  # content words of the shorter that the longer shares, when both tell of one fact
NAMED_ALIKE = 0.7  # where a name has changed and no figure: a name may be there for many a reason
AS_MUCH = 0.5  # of what the older line holds of the question
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")


class SearchCandidate:
    """A document that may become a hit. `mask`: its own terms; `terms`, `near`: the words of those, and of what only
    stands around it. `rarity` of the question's words; `rules` that moved it; `fields` that matched."""

    def __init__(self, place: int, document: Document, mask: int, score: float, created: int) -> None:
        self.place, self.document, self.mask, self.score, self.created = place, document, mask, score, created
        self.rules: list[str] = []
        self.fields: list[str] = []
        self.terms: list[str] = []
        self.near: list[str] = []
        self.rarity: dict[str, float] = {}
        self.sought: Sequence[SoughtRoot] = ()

    @cached_property
    def line(self) -> ScoredLine:
        """The line or sentence with most of the question's words; of several the last one."""
        best, most = "", 0.0
        for line in islice(by_line(self.document.text), MOST_LINES):
            low = line.lower()
            worth = sum([each.weight for each in self.sought if each.root in low])
            if worth >= most:
                best, most = line, worth
        return ScoredLine(best, most)

    def hit(self, concept: str) -> Hit:
        why: dict[str, Any] = {key: getattr(self, key) for key in ("terms", "near", "rarity", "fields")}
        why["concept"] = concept if concept in self.document.concepts else None
        why |= {"prior": PRIORS.get(self.document.collection, 1.0), "rules": self.rules}
        return Hit(self.document, self.score, why)


def prepare(
    candidates: Sequence[SearchCandidate], words: Sequence[tuple[str, float]], read: ParsedQuestion, query: Query
) -> None:
    """The second look at each. `words` of the question with their weights, by the bits of the masks."""
    sought = [SoughtRoot(root(word.removesuffix("…")), weight) for word, weight in words]
    total = sum(each.weight for each in sought)
    for each in candidates:
        look(each, sought, total, read.figure)
        if query.concept and query.concept in each.document.concepts:
            each.score *= CONCEPT
            each.rules.append(f"about {query.concept}")


def look(candidate: SearchCandidate, sought: Sequence[SoughtRoot], total: float, figure: bool) -> None:
    """The second look: which fields hold the words, a title that does, a text that comes back to them. `figure`: one is
    asked for; a line that tells one goes before those that only mention the matter."""
    document, bonus = candidate.document, 0.0
    candidate.sought = sought
    title, text, names = document.title.lower(), document.text.lower(), document.names.lower()
    fields, headed = set(), list[float]()
    for each in sought:
        if " " in each.root:
            if f" {each.root} " in f" {' '.join(WORD.findall(f'{title} {text}'))} ":
                bonus += PHRASE * each.weight
            continue
        times = text.count(each.root)
        if times:
            fields.add("text")
            bonus += OFTEN * each.weight * (min(times, MOST_OFTEN) - 1)
        if each.root in names:
            fields.add("names")
        elif each.root in title:
            fields.add("title")
            bonus += TITLE * each.weight
        if document.collection in PAGES and each.root in title:
            headed.append(each.weight)
        if not times and document.tags and any(each.root in tag.lower() for tag in document.tags):
            fields.add("tags")
    if not fields and document.context:
        fields.add("context")
        if candidate.mask:
            candidate.score *= ONLY_NEAR
    if headed:
        bonus += HEADED * sum(headed) * len(headed) / len(WORD.findall(title))
    if document.collection in NAMED:
        bonus += SUBJECT * _subject(title.partition(TRAIL)[0], sought)
    if not document.group:
        candidate.score *= 1 + bonus / total if total else 1
    if figure and candidate.line.figures and candidate.line.worth:
        candidate.score *= FIGURE
        candidate.rules.append("tells a figure, as is asked for")
    candidate.fields = sorted(fields)


def _subject(name: str, sought: Sequence[SoughtRoot]) -> float:
    """What the question's words in a page's name weigh; less where the name says more than they do."""
    words = [word for word in WORD.findall(name) if word not in listed("words", "stop")]
    said = [word for word in words if any(each.root in word for each in sought)]
    held = sum(each.weight for each in sought if any(each.root in word for word in said))
    return held * len(said) / len(words) if words else 0.0


def order(candidates: list[SearchCandidate], limit: int) -> list[SearchCandidate]:
    """The first `limit` in their final order. What goes above another must hold all its terms, but for the operator's
    notes, which stand above every stranger's that the question finds as well. Of one page, its best part alone."""
    left = sorted(candidates, key=lambda each: (-each.score, -each.created, -each.place))
    found: list[SearchCandidate] = []
    while left and len(found) < limit:
        best = _first(left)
        left.remove(best)
        found.append(best)
        if best.document.collection in PAGES:
            page = best.document.collection, best.document.path
            left = [each for each in left if (each.document.collection, each.document.path) != page]
    return found


def _first(left: list[SearchCandidate]) -> SearchCandidate:
    """The one that goes above the best, above that one in turn, and so on; none twice."""
    best, others = left[0], left[1:]
    while above := next(((other, rule) for other in others if (rule := _above(other, best))), None):
        best, rule = above
        others.remove(best)
        if rule not in best.rules:
            best.rules.append(rule)
    return best


def _above(other: SearchCandidate, best: SearchCandidate) -> str:
    """The rule by which `other`, which scores lower, comes first; "" when there is none."""
    ours, theirs = other.document, best.document
    if ours.collection == theirs.collection == NOTES and other.mask:
        if (ours.trust, theirs.trust) == ("operator", "untrusted"):
            return "the operator's note above a stranger's, whatever it says"
        if (ours.trust, theirs.trust) == ("untrusted", "operator"):
            return ""
    trusted = TRUST.index(ours.trust) <= TRUST.index(theirs.trust)
    may_revise = other.mask and best.created < other.created and ours.level == theirs.level and trusted
    if may_revise and revises(other.line, best.line):
        return "the newer of two that tell of one fact"
    if theirs.level > ours.level and _cites(theirs, ours):
        return "a source above its summary"
    if best.mask & ~other.mask or not other.mask:
        return ""
    if ours.group and ours.group == theirs.group:
        return ""  # one conversation: who said what is what is asked for
    if _is_retold(theirs) != _is_retold(ours):
        return "a source above what was said or written of it" if _is_retold(theirs) else ""
    stranger = theirs.trust == "untrusted" and ours.trust == "operator"
    return "the operator's word above a stranger's" if stranger else ""


def _is_retold(document: Document) -> bool:
    """What Adjutant wrote or heard; the operator's own files, notes and logs are sources."""
    return document.level > 0 or document.collection in RETOLD or document.id.startswith("wisdom/")


def _cites(summary: Document, source: Document) -> bool:
    """A line of a day, week or month ends with where it comes from; one below it has some of the same sources."""
    if not source.level:
        return f"[{source.collection} {source.id.replace('#', ' ')}]" in summary.text
    return not set(_REF.findall(source.text)).isdisjoint(_REF.findall(summary.text))


# -- the line that answers, and whether another document's says the same again, newer ----------------------------
# Journals and conversations hold many matters in one document: what two of them have to say of one is in two lines.


@cached(1)
def silent() -> frozenset[str]:
    """Function words and the names of months and days, in every language."""
    return listed("words", "stop") | day_names()


class SoughtRoot(NamedTuple):
    """The words of a question as their roots, with the weight of each."""

    root: str
    weight: float


class ScoredLine:
    """One line. `worth`: what the question's words in it weigh."""

    def __init__(self, text: str, worth: float) -> None:
        self.worth, self._words = worth, WORD.findall(text)
        self.numbers = frozenset(_NUMBER.findall(text))

    @cached_property
    def figures(self) -> frozenset[str]:
        return self.numbers.union(word.lower() for word in self._words if word.lower() in day_names())

    @cached_property
    def names(self) -> frozenset[str]:
        told = (word.lower() for word in self._words if word[0].isupper() and len(word) > 1)
        return frozenset(root(word) for word in told if word not in silent())

    @cached_property
    def stems(self) -> frozenset[str]:
        told = (word.lower() for word in self._words if len(word) > 1 and not word[0].isdigit())
        return frozenset(root(word) for word in told if word not in silent())


def revises(newer: ScoredLine, older: ScoredLine) -> bool:
    """Whether the newer line may tell how it stands now with what the older one tells: it shares most of the other's
    words, holds as much of the question, and has other figures, or other names where the older has no figure; or it
    names the other's figure beside its own (`from 60 to 90`). What only mentions the matter revises nothing."""
    told, new, least = older.figures, newer.figures, ALIKE
    if not told and not new:
        told, new, least = older.names, newer.names, NAMED_ALIKE
    mine, theirs = newer.stems - new, older.stems - told
    shared = len(mine & theirs)
    if not told or not new - told or shared < LEAST_ALIKE:
        return False
    if newer.numbers & older.numbers:
        return True
    return newer.worth >= AS_MUCH * older.worth and shared >= least * min(len(mine), len(theirs))
