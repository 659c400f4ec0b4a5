"""DOMAIN. What the operator marked: notices and matters called useful or useless, counted by where they are from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from adjutant.clock import moment
from adjutant.domain.learning.analysis.gathering import Material, group, make, newest
from adjutant.errors import FileDamaged
from adjutant.records import insights, matters_log
from adjutant.records.finding import USELESS_NOTICES, Finding, Quote, excerpt
from adjutant.store import jsonl

STATES = USEFUL, USELESS = "useful", "useless"
LEAST_USELESS = 3


class Marked(NamedTuple):
    """A notice or a matter that was marked. `ref`: the record of it; `state`: as it was called last; `title`, `kb`,
    `path`: as its insight or the register says, "" where that is gone; `cycle`: the id of the interaction that
    sent it, "" for none."""

    ref: str
    kind: str
    title: str
    state: str
    at: datetime
    kb: str
    path: str
    cycle: str


def read(material: Material) -> list[Marked]:
    """The notices and matters marked in the month, oldest mark first. Raises FileDamaged, IoFailed."""
    files = material.files
    notices, marks = jsonl.read(files, files.tree.notices), jsonl.read(files, files.tree.marks)
    cycles = {key: each.id for _, each in material.cycles for key in each.notices}
    found = [*_notices(material, notices, cycles), *_matters(material, notices, marks, cycles)]
    kept = [each for each in found if material.month_began < each.at <= material.until]
    return sorted(kept, key=lambda each: (each.at, each.ref))


def _notices(material: Material, notices: Sequence[dict[str, Any]], cycles: dict[str, str]) -> Iterator[Marked]:
    marks = [each for each in notices if each.get("event") == "marked" and each.get("state") in STATES]
    path = material.files.tree.relative(material.files.tree.notices)
    for key, record in {each.get("key"): each for each in marks}.items():
        at = moment(record.get("ts"))
        if at is not None and isinstance(key, str):
            kb, title, place = _notice(material, record)
            kind, state = str(record.get("kind") or ""), str(record["state"])
            yield Marked(f"{path}#{key}", kind, title, state, at, kb, place, cycles.get(key, ""))


def _notice(material: Material, record: dict[str, Any]) -> tuple[str, str, str]:
    """(knowledge base, title, path) by its insight; "" where that was deleted, or was never there."""
    try:
        insight = insights.load(material.files, str(record.get("insight") or "").partition(",")[0])
    except (FileNotFoundError, FileDamaged):
        return "", "", ""
    return insight.kb, insight.title, insight.evidence[0].path if insight.evidence else ""


def _matters(
    material: Material, notices: Sequence[dict[str, Any]], marks: Sequence[dict[str, Any]], cycles: dict[str, str]
) -> Iterator[Marked]:
    """The matters that were marked by their ids, in the words of the register. Raises FileDamaged, IoFailed."""
    called = {str(each.get("matter")): each for each in marks if each.get("state") in STATES}
    known = matters_log.read(material.files) if called else {}
    path = material.files.tree.relative(material.files.tree.matters)
    of_notices = {each.get("ts") for each in notices if each.get("event") == "marked"}
    told = {str(id): cycles.get(str(each.get("key")), "") for each in notices for id in each.get("matters") or ()}
    for id, record in called.items():
        at, each = moment(record.get("ts")), known.get(id)
        if at is not None and each is not None and not record.get("insight") and record["ts"] not in of_notices:
            title, state = each.says or each.what, str(record["state"])
            yield Marked(f"{path}#{id}", "escalation", title, state, at, each.kb, each.path, told.get(id, ""))


def count(material: Material, every: Sequence[Marked]) -> dict[str, tuple[int, int]]:
    """{kind of notice: (called useful, called useless)} of the window."""
    kinds = group((each for each in every if each.at > material.since), lambda each: each.kind)
    states = {kind: [each.state for each in several] for kind, several in kinds.items()}
    return {kind: (several.count(USEFUL), several.count(USELESS)) for kind, several in states.items()}


def find_useless(every: Sequence[Marked]) -> Iterator[Finding]:
    """Places of a knowledge base whose notices are called useless, and none useful."""
    for place, several in group(every, lambda each: f"{each.kb} {each.path}" if each.kb and each.path else "").items():
        if len(several) < LEAST_USELESS or any(each.state == USEFUL for each in several):
            continue
        quotes = [Quote(each.cycle, each.ref, excerpt(f"[{each.kb}] {each.title}"), "untrusted") for each in several]
        weight = 0.4 + 0.1 * len(several)
        yield make(USELESS_NOTICES, place, newest(quotes), weight, useless=len(several), useful=0)
