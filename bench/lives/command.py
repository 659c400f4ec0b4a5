"""`bin/bench lives`: drives the program through every life, scores it and two baselines, prints the tables."""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from bench import report
from bench.lives import baseline, check, drive, exam, life, mornings, player, score, table
from bench.lives.life import Fortnight, Life, Morning
from bench.lives.table import Row, share
from bench.measure import Figure, Settings, Skipped

SETS = ("dev", "held-out")
QUICK = 8  # mornings that CI runs
Steps = Sequence[Mapping[str, Any]]
# what, part of the counts, whole, aim, whether the aim is an upper bound: spec of the product, "How good"
DAYS = (
    ("told: right of all lines", "right", ("told",), 0.80, False),
    ("musts told in time, by weight", "weight_in_time", ("weight",), 0.45, False),
    ("musts told or in the digest in time", "weight_either", ("weight",), 0.70, False),
    ("nags and stale lines of all told", "spoiled", ("told",), 0.05, True),
    ("silent days kept", "kept", ("silent",), 1.0, False),
    ("agenda questions: parts named", "agenda_named", ("agenda_parts",), 0.85, False),
    ("agenda questions wholly right", "agenda_right", ("agenda",), 0.60, False),
    ("questions of fact right", "fact_right", ("fact",), 0.85, False),
    ("honest where nothing is to be found", "none_right", ("none",), 0.85, False),
)
LISTED = (
    ("mornings: listed, precision", "listed_useful", ("listed_useful", "listed_false"), 0.70, False),
    ("mornings: listed, recall", "listed_musts", ("musts",), 0.55, False),
)
ASKED = (
    ("mornings: agenda questions: parts named", "agenda_named", ("agenda_parts",), 0.85, False),
    ("mornings: agenda questions wholly right", "agenda_right", ("agenda",), 0.60, False),
    ("mornings: questions of fact right", "fact_right", ("fact",), 0.85, False),
    ("mornings: honest where nothing is to be found", "none_right", ("none",), 0.85, False),
)
TOLD = (
    ("mornings: told, precision", "told_useful", ("told_useful", "told_false"), 0.85, False),
    ("mornings: told, recall of what is grave", "told_grave", ("grave",), 0.35, False),
    ("silent mornings kept", "kept", ("quiet",), 1.0, False),
)


class Ran(NamedTuple):
    """A life that was driven: its steps, and the seconds it took."""

    life: Life
    steps: Steps
    seconds: float


class Found(NamedTuple):
    """The rows of both tables; `days` and `ones` are those of single lives."""

    days: list[tuple[Fortnight, Row]]
    ones: list[tuple[Morning, Row]]
    days_table: list[Row]
    ones_table: list[Row]


def main(argv: list[str]) -> int:
    """Returns 0, or 1 when a figure is twice off its aim or a label is wrong."""
    parser = argparse.ArgumentParser(prog="bin/bench lives", description=__doc__)
    parser.add_argument("--life", action="append", default=[], metavar="NAME", help="only this one; may be repeated")
    parser.add_argument("--set", choices=SETS, default="", help="only lives of this set")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep transcripts, folders and instances there")
    parser.add_argument("--json", action="store_true", help="the counts as JSON instead of tables")
    parser.add_argument("--config", type=Path, metavar="FILE", help="settings of the instances, such as a model")
    parser.add_argument("--quick", action="store_true", help=f"the first {QUICK} mornings only")
    parser.add_argument("--check", action="store_true", help="only check labels and scorer, run nothing")
    parser.add_argument("--train", nargs="?", const="", metavar="FILE", help="train the scorer of matters on set dev")
    parser.add_argument("--player", choices=player.MANNERS, action="append", help="mornings with a model that plays")
    parser.add_argument(
        "--api", choices=("openai", "anthropic"), default="openai", help="with --player: which it speaks"
    )
    parser.add_argument("--padded", action="store_true", help="with --player: folders as full as they are in life")
    parser.add_argument("--out", type=Path, default=life.HERE.parent / "results.json", help="where the results go")
    args = parser.parse_args(argv)
    if args.train is not None:
        from bench.lives import train  # reads the package itself, as nothing else here does

        return train.main(Path(args.train or train.PLACE))
    try:
        chosen = _chosen(tuple(args.life), args.set)
    except life.LifeError as error:
        print(error, file=sys.stderr)
        return 1
    if args.life and len({each.name for part in chosen for each in part}) < len(set(args.life)):
        parser.error(f"no such life: {', '.join(args.life)}")
    if args.check:
        return _check(*chosen)
    days, ones = ([], chosen[1][:QUICK]) if args.quick else chosen
    if args.player:
        return _examined(args.player, ones, args)
    settings = yaml.safe_load(args.config.read_text("utf-8")) if args.config else {}
    with nullcontext(str(args.keep)) if args.keep else tempfile.TemporaryDirectory(prefix="adjutant-lives-") as folder:
        ran = driven([*days, *ones], Path(folder), settings or {})
        if args.keep:
            _keep(args.keep, ran)
    found = scored(ran)
    figures = list(figured(found, quick=args.quick))
    report.write(args.out, figures)
    if args.json:
        print(json.dumps(_data(found), indent=1, ensure_ascii=False))
    else:
        if args.life:
            print("\n".join(detail(each) for each in ran if each.life.set == "dev"))
        print(told(found), report.HEADER, *map(report.line, figures), sep="\n")
    return int(any(isinstance(each, Figure) and each.failed for each in figures))


def _examined(manners: Sequence[str], ones: Sequence[Morning], args: argparse.Namespace) -> int:
    settings = yaml.safe_load(args.config.read_text("utf-8")) if args.config else {}
    print(exam.HEADER)
    for manner in manners:
        with tempfile.TemporaryDirectory(prefix="adjutant-lives-") as folder:
            print(
                exam.run(ones, manner, Path(args.keep or folder), settings or {}, padded=args.padded, api=args.api),
                flush=True,
            )
    return 0


def row(folder: Path, settings: Settings) -> Iterator[Figure | Skipped]:
    """Every life, as one row among the others: the figures without the tables."""
    days, ones = _chosen((), "")
    if settings.quick:
        days, ones = [], ones[:QUICK]
    yield from figured(scored(driven([*days, *ones], folder, {})), quick=settings.quick)


def shown(folder: Path, settings: Settings) -> Iterator[Figure | Skipped]:
    """Whether a model gets to see what matters: padded mornings under a model that knows the labels."""
    ones = life.mornings(part="dev")[: 4 if settings.quick else None]
    counts = exam.counted(ones, "perfect", folder, {}, padded=True)
    yield Figure(
        "shown", "musts whose deciding line is in the prompt", counts["seen"] / counts["musts"], 0.98, most=False
    )
    yield Figure(
        "shown", "and that a perfect model's pulse raises", counts["found"] / counts["musts"], 0.97, most=False
    )


def _chosen(names: tuple[str, ...], part: str) -> tuple[list[Fortnight], list[Morning]]:
    return life.fortnights(names=names, part=part), life.mornings(names=names, part=part)


def _check(days: Sequence[Fortnight], ones: Sequence[Morning]) -> int:
    wrong = [f"{each.name}: {problem}" for each in days for problem in check.fortnight(each)]
    wrong += [f"{each.name}: {problem}" for each in ones for problem in check.morning(each)]
    print("\n".join(wrong) or f"{len(days)} fortnights and {len(ones)} mornings: all right")
    return int(bool(wrong))


def driven(lives: Sequence[Life], work: Path, settings: Mapping[str, Any]) -> list[Ran]:
    """Every life driven, as many at a time as there are processors, in the order given."""

    def one(each: Life) -> Ran:
        began = time.monotonic()
        place = work / each.name
        if isinstance(each, Fortnight):
            steps = drive.live(each, place, settings)
        else:
            assert isinstance(each, Morning)
            steps = drive.wake(each, place, settings)
        return Ran(each, steps, round(time.monotonic() - began, 1))

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(one, lives))


def _keep(folder: Path, ran: Sequence[Ran]) -> None:
    """Transcripts beside the instances; the seconds apart, so that two transcripts of one version are equal."""
    for each in ran:
        steps = json.dumps(each.steps, indent=1, ensure_ascii=False)
        (folder / each.life.name / "transcript.json").write_text(steps + "\n", encoding="utf-8")
    times = {each.life.name: each.seconds for each in ran}
    (folder / "seconds.json").write_text(json.dumps(times, indent=1) + "\n", encoding="utf-8")


def scored(ran: Sequence[Ran]) -> Found:
    """The tables of what was driven and of the baselines over the same lives."""
    days = [(each.life, each.steps) for each in ran if isinstance(each.life, Fortnight)]
    ones = [(each.life, each.steps) for each in ran if isinstance(each.life, Morning)]
    found = Found(
        [(one, Row(one.name, score.tally(one, score.score(one, steps)))) for one, steps in days],
        [(one, Row(one.name, mornings.tally(one, steps))) for one, steps in ones],
        [],
        [],
    )
    found.days_table.extend([row for _, row in found.days] + _sets(found.days))
    found.ones_table.extend(_sets(found.ones))
    for name, test in baseline.BASELINES.items():
        rows = [Row("", score.tally(one, score.score(one, baseline.live(one, test)))) for one, _ in days]
        found.days_table.append(table.pooled(name, rows))
        found.ones_table.append(
            table.pooled(name, [Row("", mornings.tally(one, baseline.wake(one, test))) for one, _ in ones])
        )
    return found


def _sets(rows: Sequence[tuple[Life, Row]]) -> list[Row]:
    """Each set pooled, and all."""
    parts = {name: [row for one, row in rows if one.set == name] for name in SETS}
    pooled = [table.pooled(name, part) for name, part in parts.items() if part]
    return pooled if len(pooled) == 1 else [*pooled, table.pooled("all", [row for _, row in rows])]


def told(found: Found) -> str:
    """Both tables as text."""
    parts = []
    if found.days:
        parts.append(table.table("fortnights", found.days_table, table.DAYS))
    if found.ones:
        parts.append(table.table("mornings", found.ones_table, table.MORNINGS))
    return "\n\n".join(parts) + "\n"


def figured(found: Found, *, quick: bool) -> Iterator[Figure | Skipped]:
    """The figures with their aims: of held-out fortnights where there are any, of every morning."""
    unseen = [row for one, row in found.days if one.set == "held-out"] or [row for _, row in found.days]
    days, ones = table.pooled("", unseen).counts, table.pooled("", [row for _, row in found.ones]).counts
    days["spoiled"] = days["nag"] + days["stale"]
    wanted = [(days, each) for each in DAYS] + [(ones, each) for each in (*LISTED, *(() if quick else (*TOLD, *ASKED)))]
    for counts, (what, part, whole, aim, most) in wanted:
        if any(counts[each] for each in whole):
            parts = {"part": counts[part], "whole": sum(counts[each] for each in whole)}
            yield Figure("lives", what, share(counts, part, *whole), aim, most=most, unit="share", details=parts)
        elif not quick:
            yield Skipped("lives", what, "none of the lives has any")


def detail(ran: Ran) -> str:
    """Each line told, must and question of a life."""
    lines = [f"== {ran.life.name}"]
    if isinstance(ran.life, Fortnight):
        found = score.score(ran.life, ran.steps)
        for must in ran.life.musts:
            state = f"{found.in_time[must.id]:%d %b %H:%M}" if must.id in found.in_time else "-"
            shown = "digest" if must.id in found.in_digest else ""
            lines.append(f"  {must.weight} {must.id:<20} {state:<13} {shown:<7} {must.what}")
        lines += [f"  {each.at:%d %b %H:%M} {each.verdict:<8} {each.label:<20} {each.text}" for each in found.told]
        for each in found.answers:
            lines.append(f"  {each.question.id:<5} {each.question.kind:<6} {each.result:<7} {each.question.ask}")
    elif isinstance(ran.life, Morning):
        parts: dict[str, Callable[[Morning, Steps], list[mornings.Raised]]] = {
            "listed": mornings.listed,
            "told": mornings.told,
        }
        for name, part in parts.items():
            verdicts = mornings.judged(ran.life, part(ran.life, ran.steps))
            lines += [
                f"  {name:<6} {each.verdict:<7} {','.join(each.musts):<20} {each.raised.text}" for each in verdicts
            ]
            named = {must for each in verdicts for must in each.musts}
            missed = [each for each in ran.life.issues if each.must and each.id not in named]
            lines += [f"  {name:<6} missed  {each.id:<20} {each.what}" for each in missed]
    return "\n".join(lines)


def _data(found: Found) -> dict[str, Any]:
    return {
        "fortnights": {row.name: dict(sorted(row.counts.items())) for row in found.days_table},
        "mornings": {row.name: dict(sorted(row.counts.items())) for row in found.ones_table},
    }
