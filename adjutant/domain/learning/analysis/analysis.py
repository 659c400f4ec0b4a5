"""DOMAIN. What a window of interactions holds: counts, means, and findings by structure, each with its evidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from statistics import fmean
from typing import TYPE_CHECKING

from adjutant.domain.learning.analysis import marks, repeats, uses, workloads
from adjutant.domain.learning.analysis.gathering import DAYS, Exchange, Material, group, make, newest
from adjutant.domain.prompting import churn
from adjutant.records.finding import CHURN, Analysis, Finding, Quote
from adjutant.records.interactions import DEGRADED, FAILED, Interaction
from adjutant.store import jsonl
from adjutant.store.tree import LAYERS

if TYPE_CHECKING:
    from adjutant.app import App

BY: dict[str, Callable[[Exchange], str]] = {
    "concept": lambda turn: turn.was.concept,
    "agent": lambda turn: turn.was.agent,
    "channel": lambda turn: turn.was.channel,
}


def analyse(app: App, material: Material) -> Analysis:
    """The window of `material` against the 30 days before it; what comes back and what is never used is looked for in
    the 30 days up to its end.

    Without enough in the window there are no findings. Asks no model and writes nothing. Raises TaxonomyInvalid,
    FileDamaged (a file that all depends on), IoFailed.
    """
    since, until = material.since, material.until
    window, before = material.after(since), material.after(since - DAYS, since)
    cycles = [each for at, each in material.cycles if at > since]
    changes = churn.of(app.files, {name: app.config.text(f"layers.{name}.tier") for name in LAYERS}, until)
    marked = marks.read(material)
    enough = len(window) >= app.config.whole("evolution.min_interactions")
    found: list[Finding] = []
    if enough:
        found += [*repeats.find(material), *uses.find(material), *workloads.find(material)]
        found += [*marks.find_useless(marked), *_churned(material, changes)]
    known = since - max(since - DAYS, material.first)
    scale = (until - since) / known if known.total_seconds() > 0 else 0.0
    return Analysis(
        since=since.isoformat(),
        until=until.isoformat(),
        read=len(window),
        cycles=len(cycles),
        enough=enough,
        volume={by: _volume(window, before, name, scale) for by, name in BY.items()},
        friction={by: _friction(window, before, name) for by, name in BY.items()},
        tokens=_tokens([turn.was for turn in window if turn.was.parts]),
        seconds=round(_mean([turn.was.ms / 1000 for turn in window if turn.was.ms]), 1),
        degraded=_degraded([*(turn.was for turn in window), *cycles]),
        notices=marks.count(material, marked),
        churn={name: each.changes for name, each in changes.items()},
        findings=tuple(sorted(found, key=lambda each: (-each.weight, each.cause, each.workload, each.subject))),
    )


def _churned(material: Material, changes: dict[str, churn.Churn]) -> Iterator[Finding]:
    """The layers that change more often than their tier should."""
    path = material.files.tree.layer_changes
    often = {name: each.changes for name, each in sorted(changes.items()) if each.often}
    rows = list(jsonl.parse(material.files.read(path))) if often else []
    for name, count in often.items():
        lines = [number for number, record in rows if record is not None and record.get("layer") == name]
        quotes = [Quote("", f"{material.files.tree.relative(path)}:{number}", "") for number in lines[-count:]]
        yield make(CHURN, name, newest(quotes), 0.05, changes=count)


# -- figures -----------------------------------------------------------------------------------------------------


def _volume(
    window: Sequence[Exchange], before: Sequence[Exchange], name: Callable[[Exchange], str], scale: float
) -> dict[str, tuple[float, float]]:
    """{name: (how many, how many in as long a time before)}; 0 where the record does not go back."""
    now, then = Counter(map(name, window)), Counter(map(name, before))
    return {each: (float(now[each]), round(then[each] * scale, 2)) for each in sorted({*now, *then} - {""})}


def _friction(
    window: Sequence[Exchange], before: Sequence[Exchange], name: Callable[[Exchange], str]
) -> dict[str, tuple[float, float]]:
    """{name: (mean friction, that of before)} of the names that the window has."""
    now, then = group(window, name), group(before, name)
    return {each: (_rough(turns), _rough(then.get(each, []))) for each, turns in now.items()}


def _rough(turns: Sequence[Exchange]) -> float:
    return round(_mean([turn.was.friction for turn in turns]), 3)


def _mean(values: Sequence[float]) -> float:
    return fmean(values) if values else 0.0


def _tokens(told: Sequence[Interaction]) -> dict[str, float]:
    """{part: its tokens in the mean turn}, of the turns that have a prompt on record."""
    names = dict.fromkeys(name for each in told for name in each.parts)
    return {name: round(_mean([each.parts.get(name, 0) for each in told]), 1) for name in names}


def _degraded(every: Sequence[Interaction]) -> dict[str, int]:
    """{cause: how many}; one that had two counts for both."""
    bad = [each for each in every if each.outcome in (DEGRADED, FAILED)]
    return dict(sorted(Counter(cause for each in bad for cause in (each.cause or each.outcome).split(",")).items()))
