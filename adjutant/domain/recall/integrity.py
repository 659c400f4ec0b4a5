"""DOMAIN. SKOS integrity of a concept scheme: what contradicts itself, in which line, and what to do."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from adjutant.domain.recall.concept import Concept

Wrong = Callable[[int, str, str], None]  # line, message, what to do


def check(concepts: Sequence[Concept], tops: Sequence[str], line: int, wrong: Wrong) -> None:
    """S13, S14 and S27 of the SKOS reference, no circles, every id known, every one of `tops` there and on top.

    `line`: where the list of concepts begins.
    """
    known = {concept.id: concept for concept in concepts}
    for top in tops:
        if top not in known:
            wrong(
                line,
                f"the top concept `{top}` is missing",
                f"add `{top}:` with a prefLabel; the nine workloads have to stay",
            )
    _check_names(concepts, wrong)
    for concept in concepts:
        _check_labels(concept, wrong)
        _check_place(concept, known, tops, wrong)
    above = {concept.id: _above(concept.id, known) for concept in concepts}
    for concept in concepts:
        _check_circles(concept, above, wrong)


def _check_names(concepts: Sequence[Concept], wrong: Wrong) -> None:
    """One name, one concept: no two are called the same in a language."""
    called: dict[tuple[str, str], str] = {}
    for concept in concepts:
        for language, label in concept.pref.items():
            first = called.setdefault((language, label.casefold()), concept.id)
            if first != concept.id:
                wrong(
                    concept.lines["prefLabel"],
                    f"`{concept.id}` has the prefLabel `{label}` ({language}), and so has `{first}`",
                    "call one of the two something else",
                )


def _check_labels(concept: Concept, wrong: Wrong) -> None:
    if not concept.pref:
        wrong(
            _line(concept, "prefLabel"),
            f"`{concept.id}` has no prefLabel",
            "say what it is called: `prefLabel: {en: …}`",
        )
    kinds: dict[tuple[str, str], str] = {}
    for kind, language, label in concept.labels():
        first = kinds.setdefault((language, label), kind)
        if first != kind:
            wrong(
                concept.lines[kind],
                f"`{concept.id}`: `{label}` ({language}) stands in {first} and in {kind}",
                f"keep it in {first} alone",
            )


def _check_place(concept: Concept, known: Mapping[str, Concept], tops: Sequence[str], wrong: Wrong) -> None:
    for key, ids in (("broader", concept.broader), ("related", concept.related)):
        for id in ids:
            if id not in known:
                close = difflib.get_close_matches(id, known, n=1)
                wrong(
                    concept.lines[key],
                    f"`{concept.id}`: {key} names `{id[:60]}`, which is no concept here",
                    f"did you mean `{close[0]}`?" if close else "add that concept, or take the name out",
                )
    if concept.id in concept.related:
        wrong(concept.lines["related"], f"`{concept.id}` is related to itself", "take it out of `related`")
    if concept.id in tops and concept.broader:
        wrong(concept.lines["broader"], f"the top concept `{concept.id}` has a broader one", "take its `broader` out")
    elif "/" in concept.id and not concept.broader:
        wrong(
            _line(concept, "broader"),
            f"`{concept.id}` has no broader concept",
            f"add `broader: {concept.id.rpartition('/')[0]}`",
        )


def _check_circles(concept: Concept, above: Mapping[str, set[str]], wrong: Wrong) -> None:
    if concept.id in above[concept.id]:
        wrong(
            concept.lines["broader"],
            f"`{concept.id}` is broader than itself, by `{'`, `'.join(concept.broader)}`",
            "take one `broader` of this circle out",
        )
    for other in concept.related:
        if other in above[concept.id] or concept.id in above.get(other, ()):
            wrong(
                concept.lines["related"],
                f"`{concept.id}` is related to `{other}`, which is also above or below it",
                "take it out of `related`: broader says it already",
            )


def _above(id: str, known: Mapping[str, Concept]) -> set[str]:
    """skos:broaderTransitive: every concept above this one, itself where the hierarchy goes round."""
    found, left = set[str](), [id]
    while left:
        concept = known.get(left.pop())
        for broader in concept.broader if concept is not None else ():
            if broader not in found:
                found.add(broader)
                left.append(broader)
    return found


def _line(concept: Concept, key: str) -> int:
    """Where the key stands, else the concept that lacks it."""
    return concept.lines.get(key, concept.lines[""])
