"""DOMAIN. What a window of interactions holds: counts, means, and findings by structure, each with its evidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from statistics import fmean
from typing import Any, NamedTuple

from adjutant.app import App
from adjutant.clock import moment
from adjutant.domain.learning.analysis import repeats, uses
from adjutant.domain.learning.analysis.gathering import DAYS, Exchange, Material, group, make, newest
from adjutant.domain.prompting import churn
from adjutant.errors import FileDamaged
from adjutant.records import insights, matters_log
from adjutant.records.interactions import DEGRADED, FAILED
from adjutant.records.suggestion import CHURN, USELESS_NOTICES, Analysis, Finding, Quote, excerpt
from adjutant.store import jsonl
from adjutant.store.tree import LAYERS

BY: dict[str, Callable[[Exchange], str]] = {
    "concept": lambda turn: turn.was.concept,
    "agent": lambda turn: turn.was.agent,
    "channel": lambda turn: turn.was.channel,
}
STATES = USEFUL, USELESS = "useful", "useless"
LEAST_USELESS = 3
Pairs = dict[str, tuple[float, float]]


def analyse(app: App, material: Material) -> Analysis:
    """The window of `material` against the 30 days before it; what comes back and what is never used is looked for in
    the 30 days up to its end.

    Without enough in the window there are no findings. Asks no model and writes nothing. Raises TaxonomyInvalid,
    FileDamaged (a file that all depends on), IoFailed.
    """
    since, until = material.since, material.until
    window, before = material.after(since), material.after(since - DAYS, since)
    cycles = [each for at, each in material.cycles if at > since]
    changes = churn.measure(app.files, {name: app.config.text(f"layers.{name}.tier") for name in LAYERS}, until)
    marked = read_marks(material)
    enough = len(window) >= app.config.whole("evolution.min_interactions")
    found: list[Finding] = []
    if enough:
        found += [*repeats.find(material), *uses.find(material), *uses.find_by_workload(material)]
        found += [*find_useless(marked), *_find_churn(material, changes)]
    known = since - max(since - DAYS, material.first)
    scale = (until - since) / known if known.total_seconds() > 0 else 0.0
    told = [turn.was for turn in window if turn.was.parts]  # those that have a prompt on record
    bad = [each for each in (*(turn.was for turn in window), *cycles) if each.outcome in (DEGRADED, FAILED)]
    causes = Counter(cause for each in bad for cause in (each.cause or each.outcome).split(","))
    volume, friction = _compare(window, before, scale)
    kinds = group((each for each in marked if each.at > since), lambda each: each.kind)
    states = {kind: [each.state for each in several] for kind, several in kinds.items()}
    return Analysis(
        since=since.isoformat(),
        until=until.isoformat(),
        read=len(window),
        cycles=len(cycles),
        enough=enough,
        volume=volume,
        friction=friction,
        tokens={
            name: round(_mean([each.parts.get(name, 0) for each in told]), 1)
            for name in dict.fromkeys(name for each in told for name in each.parts)
        },
        seconds=round(_mean([turn.was.ms / 1000 for turn in window if turn.was.ms]), 1),
        degraded=dict(sorted(causes.items())),
        notices={kind: (several.count(USEFUL), several.count(USELESS)) for kind, several in states.items()},
        churn={name: each.changes for name, each in changes.items()},
        findings=tuple(sorted(found, key=lambda each: (-each.weight, each.cause, each.workload, each.subject))),
    )


def _find_churn(material: Material, changes: dict[str, churn.Churn]) -> Iterator[Finding]:
    """The layers that change more often than their tier should."""
    path = material.files.tree.layer_changes
    often = {name: each.changes for name, each in sorted(changes.items()) if each.often}
    rows = list(jsonl.parse(material.files.read(path))) if often else []
    for name, count in often.items():
        lines = [number for number, record in rows if record is not None and record.get("layer") == name]
        quotes = [Quote("", f"{material.files.tree.relative(path)}:{number}", "") for number in lines[-count:]]
        yield make(CHURN, name, newest(quotes), 0.05, changes=count)


# -- figures -----------------------------------------------------------------------------------------------------


def _compare(
    window: Sequence[Exchange], before: Sequence[Exchange], scale: float
) -> tuple[dict[str, Pairs], dict[str, Pairs]]:
    """(volume, friction) of the window and before it; `scale`: the window against what is known of before."""
    volume, friction = dict[str, Pairs](), dict[str, Pairs]()
    for by, name in BY.items():
        now, then = group(window, name), group(before, name)
        sizes = {each: (len(now.get(each, ())), len(then.get(each, ()))) for each in sorted({*now, *then})}
        volume[by] = {each: (float(new), round(old * scale, 2)) for each, (new, old) in sizes.items()}
        friction[by] = {each: (_rough(turns), _rough(then.get(each, []))) for each, turns in now.items()}
    return volume, friction


def _rough(turns: Sequence[Exchange]) -> float:
    return round(_mean([turn.was.friction for turn in turns]), 3)


def _mean(values: Sequence[float]) -> float:
    return fmean(values) if values else 0.0


# -- what the operator marked -------------------------------------------------------------------------------


class Marked(NamedTuple):
    """A notice or a matter that was marked. `ref`: the record of it; `state`: as it was called last; `title`, `kb`,
    `path`: as its insight or the register says, "" where that is gone; `cycle`: the id of the interaction that
    sent it, "" for none."""

    ref: str
    kind: str
    state: str
    at: datetime
    title: str
    kb: str
    path: str
    cycle: str


def read_marks(material: Material) -> list[Marked]:
    """The notices and matters marked in the month, oldest mark first. Raises FileDamaged, IoFailed."""
    files, tree = material.files, material.files.tree
    notices, marks = jsonl.read(files, tree.notices), jsonl.read(files, tree.marks)
    cycles = {key: each.id for _, each in material.cycles for key in each.notices}
    marked = [each for each in notices if each.get("event") == "marked"]
    found = list[Marked]()
    for key, record in {each.get("key"): each for each in marked if each.get("state") in STATES}.items():
        if (at := moment(record.get("ts"))) is not None and isinstance(key, str):
            about = str(record.get("kind") or ""), str(record["state"]), at, *_find_place(material, record)
            found.append(Marked(f"{tree.relative(tree.notices)}#{key}", *about, cycles.get(key, "")))
    called = {str(each.get("matter")): each for each in marks if each.get("state") in STATES}
    known = matters_log.read(files) if called else {}  # of what was marked by its id, the words of the register
    of_notices = {each.get("ts") for each in marked}
    told = {str(id): cycles.get(str(each.get("key")), "") for each in notices for id in each.get("matters") or ()}
    for id, record in called.items():
        at, each = moment(record.get("ts")), known.get(id)
        if at is not None and each is not None and not record.get("insight") and record["ts"] not in of_notices:
            about = "escalation", str(record["state"]), at, each.says or each.what, each.kb, each.path
            found.append(Marked(f"{tree.relative(tree.matters)}#{id}", *about, told.get(id, "")))
    kept = [each for each in found if material.month_began < each.at <= material.until]
    return sorted(kept, key=lambda each: (each.at, each.ref))


def _find_place(material: Material, record: dict[str, Any]) -> tuple[str, str, str]:
    """(title, knowledge base, path) by the insight of a notice; "" where that was deleted, or was never there."""
    try:
        insight = insights.load(material.files, str(record.get("insight") or "").partition(",")[0])
    except (FileNotFoundError, FileDamaged):
        return "", "", ""
    return insight.title, insight.kb, insight.evidence[0].path if insight.evidence else ""


def find_useless(every: Sequence[Marked]) -> Iterator[Finding]:
    """Places of a knowledge base whose notices are called useless, and none useful."""
    for place, several in group(every, lambda each: f"{each.kb} {each.path}" if each.kb and each.path else "").items():
        if len(several) < LEAST_USELESS or any(each.state == USEFUL for each in several):
            continue
        quotes = [Quote(each.cycle, each.ref, excerpt(f"[{each.kb}] {each.title}"), "untrusted") for each in several]
        weight = 0.4 + 0.1 * len(several)
        yield make(USELESS_NOTICES, place, newest(quotes), weight, useless=len(several), useful=0)
