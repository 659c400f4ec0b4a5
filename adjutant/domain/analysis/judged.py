"""DOMAIN. What was judged: notices by the operator's marks, and judgements by whether their replies could be used."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, NamedTuple

import msgspec

from adjutant.clock import moment
from adjutant.domain.analysis.gathering import Material, newest
from adjutant.domain.analysis.gists import gist
from adjutant.errors import FileDamaged
from adjutant.records import insights, matters_log
from adjutant.records.finding import USELESS_NOTICES, WEAK_MODEL, Finding, Quote, excerpt
from adjutant.store import jsonl

USEFUL, USELESS = "useful", "useless"
LEAST_USELESS = 3
BROKEN = frozenset(("malformed", "check"))  # causes that lie in what a model replied
LEAST_BROKEN, BROKEN_SHARE = 5, 0.3
EVENTS_BYTES = 32 * 1024 * 1024
OFFLINE = "offline"
_JUDGEMENT, _TURN = "judgement ", "turn "


class Marked(NamedTuple):
    """A notice or a matter that was marked. `ref`: the record of it; `state`: useful or useless, as it was called last;
    `kb`, `concern`, `print` as its insight or the register says, "" where that is gone; `cycle`: the id of the
    interaction that sent it, "" for none."""

    ref: str
    kind: str
    text: str
    state: str
    at: datetime
    kb: str
    concern: str
    print: str
    cycle: str


def marked(material: Material) -> list[Marked]:
    """The notices and matters marked in the 30 days, or in a window that is longer, oldest mark first. Raises
    FileDamaged, IoFailed."""
    files = material.files
    last: dict[str, tuple[datetime, dict[str, Any]]] = {}
    for record in jsonl.read(files, files.tree.notices):
        if record.get("event") != "marked" or record.get("state") not in (USEFUL, USELESS):
            continue
        at = moment(record.get("ts"))
        if at is not None and at <= material.until and isinstance(record.get("key"), str):
            last[record["key"]] = at, record
    began = min(material.since, material.month_began)
    cycles = {key: each.id for _, each in material.cycles for key in each.notices}
    found = [_read(material, at, record, cycles.get(key, "")) for key, (at, record) in last.items() if at > began]
    found += [each for each in _matters(material, cycles) if began < each.at <= material.until]
    return sorted(found, key=lambda each: (each.at, each.ref))


def _matters(material: Material, cycles: dict[str, str]) -> Iterator[Marked]:
    """The matters that were marked by their ids, in the words of the register. Raises FileDamaged, IoFailed."""
    files = material.files
    called = {
        str(record.get("matter")): (at, record)
        for record in jsonl.read(files, files.tree.marks)
        if record.get("state") in (USEFUL, USELESS) and (at := moment(record.get("ts"))) is not None
    }
    known = matters_log.read(files) if called else {}
    path = files.tree.relative(files.tree.matters)
    told, of_notices = dict[str, str](), set[str]()
    for record in jsonl.read(files, files.tree.notices) if known else ():
        told.update((str(id), cycles.get(str(record.get("key")), "")) for id in record.get("matters") or ())
        if record.get("event") == "marked":
            of_notices.add(str(record.get("ts")))
    for id, (at, record) in called.items():
        each = known.get(id)
        if each is not None and not record.get("insight") and str(record["ts"]) not in of_notices:
            text = f"[{each.kb}] {each.says or each.what}"
            state, cycle = str(record["state"]), told.get(id, "")
            yield Marked(f"{path}#{id}", "escalation", text, state, at, each.kb, each.concern or "", id, cycle)


def _read(material: Material, at: datetime, record: dict[str, Any], cycle: str) -> Marked:
    text, named = str(record.get("text") or ""), str(record.get("insight") or "").partition(",")[0]
    kb = text[1:].partition("] ")[0] if text.startswith("[") and "] " in text else ""
    concern = known = ""
    try:
        insight = insights.load(material.files, named)
        kb, concern, known = insight.kb, insight.concern or "", insight.fingerprint
    except (FileNotFoundError, FileDamaged):
        pass  # it was deleted, or written by hand: its text tells
    ref = f"{material.files.tree.relative(material.files.tree.notices)}#{record['key']}"
    return Marked(ref, str(record.get("kind") or ""), text, str(record["state"]), at, kb, concern, known, cycle)


def notices(material: Material, every: list[Marked]) -> dict[str, tuple[int, int]]:
    """{kind of notice: (called useful, called useless)} of the window."""
    found: dict[str, list[int]] = {}
    for each in every:
        if each.at > material.since:
            found.setdefault(each.kind, [0, 0])[each.state == USELESS] += 1
    return {kind: (useful, useless) for kind, (useful, useless) in sorted(found.items())}


def useless(material: Material, every: list[Marked]) -> list[Finding]:
    """Matters of a knowledge base whose notices are called useless, and none useful."""
    groups: dict[tuple[str, str], list[Marked]] = {}
    for each in every:
        if each.kb:
            groups.setdefault((each.kb, each.concern), []).append(each)
    found = []
    for (kb, concern), group in sorted(groups.items()):
        if concern and any(each.state == USEFUL for each in group):
            continue
        left = group
        while len(of_one := _alike(left)) >= LEAST_USELESS:
            words = _shared(of_one)
            left = [each for each in left if each not in of_one]
            if not any(each.state == USEFUL and words & _stems(each) for each in group):
                found.append(_finding(kb, words, of_one))
    return found


def _alike(group: list[Marked]) -> list[Marked]:
    """The most of these that are called useless and share a stem, or are of one matter."""
    bad = [each for each in group if each.state == USELESS]
    prints = Counter(each.print for each in bad if each.print)
    stems = Counter(stem for each in bad for stem in _stems(each))
    best = max(stems, key=lambda stem: (stems[stem], stem), default="")
    known = max(prints, key=lambda each: (prints[each], each), default="")
    if known and prints[known] >= stems[best]:
        return [each for each in bad if each.print == known]
    return [each for each in bad if best in _stems(each)]


def _stems(notice: Marked) -> frozenset[str]:
    """What a notice is about, without its knowledge base's label and what every such text says."""
    told = gist(notice.text.removeprefix(f"[{notice.kb}] "))
    return told.telling - told.values - gist(notice.kb.replace("-", " ")).telling


def _shared(group: list[Marked]) -> frozenset[str]:
    return frozenset.intersection(*(_stems(each) for each in group))


def _finding(kb: str, words: frozenset[str], group: list[Marked]) -> Finding:
    quotes = [Quote(each.cycle, each.ref, excerpt(each.text), "untrusted") for each in group]
    subject = " ".join((kb, *sorted(words)[:4])) if words else f"{kb} {group[0].print}"
    return Finding(
        USELESS_NOTICES,
        subject,
        {"useless": float(len(group)), "useful": 0.0},
        newest(quotes),
        weight=min(1.0, 0.4 + 0.1 * len(group)),
    )


# -- judgements --------------------------------------------------------------------------------------------------


class _Attributes(msgspec.Struct):
    run: str = ""
    backend: str = ""
    degraded: str | None = None


class _Span(msgspec.Struct):
    name: str
    span_id: str
    start: int
    attributes: _Attributes


class _Asked(NamedTuple):
    judgement: str
    span: _Span


def weak(material: Material) -> list[Finding]:
    """Judgements whose replies could not be used too often in the 30 days."""
    asked: Counter[str] = Counter()
    broken: dict[str, list[_Asked]] = {}
    for each in _spans(material):
        asked[each.judgement] += 1
        if BROKEN.intersection((each.span.attributes.degraded or "").split(",")):
            broken.setdefault(each.judgement, []).append(each)
    runs = {
        was.run: was.id
        for was in (*(each for _, each in material.cycles), *(turn.was for turn in material.turns))
        if was.run
    }
    path = material.files.tree.relative(material.files.tree.events)
    found = []
    for name, bad in sorted(broken.items()):
        share = len(bad) / asked[name]
        if len(bad) >= LEAST_BROKEN and share >= BROKEN_SHARE:
            quotes = [Quote(runs.get(each.span.attributes.run, ""), f"{path}#{each.span.span_id}", "") for each in bad]
            found.append(
                Finding(
                    WEAK_MODEL,
                    name,
                    {"asked": float(asked[name]), "malformed": float(len(bad)), "share": round(share, 3)},
                    newest(quotes),
                    weight=round(min(1.0, 0.3 + 0.5 * share), 3),
                )
            )
    return found


def _spans(material: Material) -> Iterator[_Asked]:
    """The spans of questions that a model was asked in the 30 days, oldest first."""
    try:
        data = material.files.tail(material.files.tree.events, EVENTS_BYTES)
    except FileNotFoundError:
        return
    decoder = msgspec.json.Decoder(_Span)
    first, last = material.month_began, material.until
    for line in data.split(b"\n"):
        if b'"judgement ' not in line and b'"turn ' not in line:
            continue
        try:
            span = decoder.decode(line)
            at = datetime.fromtimestamp(span.start / 1e9, UTC)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, ValueError, OverflowError, OSError):
            continue
        name = (
            span.name.removeprefix(_JUDGEMENT)
            if span.name.startswith(_JUDGEMENT)
            else ("turn" if span.name.startswith(_TURN) else "")
        )
        if name and span.attributes.backend not in ("", OFFLINE) and first < at <= last:
            yield _Asked(name, span)
