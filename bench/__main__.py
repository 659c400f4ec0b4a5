"""`bin/bench [ROW…]`: measures, prints a table, writes bench/results.json; exit 1 when one is far off its aim twice."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from bench import aging, disk, heartbeat, reading, recall, report, retrieval, starting
from bench import turn as turns
from bench import workers as works
from bench.judging import train as judging
from bench.lives import command as lives
from bench.measure import Figure, Settings, Skipped

ROWS: dict[str, Callable[[Path, Settings], Iterator[Figure | Skipped]]] = {
    "start": starting.start,
    "paused": starting.paused,
    "modules": starting.modules,
    "append": disk.append,
    "replace": disk.replace,
    "fanout": heartbeat.fanout,
    "silence": heartbeat.silence,
    "query": retrieval.query,
    "filter": retrieval.within,
    "build": retrieval.build,
    "update": retrieval.update,
    "sync": retrieval.sync,
    "recall": recall.recall,
    "weight": retrieval.weight,
    "turn": turns.turn,
    "read": reading.read,
    "changed": reading.changed,
    "aged": aging.aged,
    "workers": works.workers,
    "lives": lives.row,
    "shown": lives.shown,
}
HERE = Path(__file__).resolve().parent


def main(argv: list[str]) -> int:
    """Returns 0, or 1 when a ratio is twice off its aim or a count off at all.

    `lives` and `judging` have options of their own.
    """
    if argv[:1] == ["lives"]:
        return lives.main(argv[1:])
    if argv[:1] == ["judging"]:
        return judging.main(argv[1:])
    parser = argparse.ArgumentParser(prog="bin/bench", description="Ours and the peer in turn, told as ratios.")
    parser.add_argument("row", nargs="*", metavar="ROW", help=f"of {', '.join(ROWS)}; default: all")
    parser.add_argument("--quick", action="store_true", help="fewer runs, no programs of others: what CI runs")
    parser.add_argument("--plot", action="store_true", help="draw bench/results.png as well (needs matplotlib)")
    parser.add_argument("--data", type=Path, help="conversations with questions, for the row recall")
    parser.add_argument("--out", type=Path, default=HERE / "results.json", help="where the results go")
    args = parser.parse_args(argv)
    unknown = [row for row in args.row if row not in ROWS]
    if unknown:
        parser.error(f"no such row: {', '.join(unknown)} (there are {', '.join(ROWS)})")
    settings = Settings(pairs=9 if args.quick else 41, quick=args.quick, peers=not args.quick, data=args.data)
    figures = measured(args.row or list(ROWS), settings)
    if again := list(dict.fromkeys(each.row for each in _far_off(figures) if not each.exact)):
        print("once more, for a neighbour may have been in the way:")
        figures = [each for each in figures if each.row not in again] + measured(again, settings)
    report.write(args.out, figures)
    if args.plot:
        plot(args.out.with_suffix(".png"), figures)
    failed = _far_off(figures)
    for each in failed:
        print(f"far off its aim: {each.row}, {each.what}")
    return 1 if failed else 0


def _far_off(figures: list[Figure | Skipped]) -> list[Figure]:
    return [each for each in figures if isinstance(each, Figure) and each.failed]


def measured(rows: list[str], settings: Settings) -> list[Figure | Skipped]:
    """Takes the rows one by one, each figure printed as it comes."""
    print(report.HEADER)
    figures: list[Figure | Skipped] = []
    for row in rows:
        with tempfile.TemporaryDirectory(prefix="adjutant-bench-") as folder:
            for figure in ROWS[row](Path(folder), settings):
                figures.append(figure)
                print(report.line(figure), flush=True)
    return figures


def plot(path: Path, figures: list[Figure | Skipped]) -> None:
    """How far each ratio is from its aim (1 is the aim, shorter is better)."""
    try:
        from matplotlib import pyplot  # an extra that nobody needs for the rest
    except ImportError:
        print("no picture: matplotlib is not installed (.venv/bin/pip install matplotlib)")
        return
    bars = [
        (f"{each.row}: {each.what}", each.value / each.aim if each.most else each.aim / each.value)
        for each in figures
        if isinstance(each, Figure) and not each.exact and each.value > 0
    ]
    figure, axes = pyplot.subplots(figsize=(9, 1 + 0.4 * len(bars)))
    axes.barh([name for name, _ in bars], [value for _, value in bars])
    axes.axvline(1, color="black")
    axes.set_xlabel("share of its aim (left of 1: better)")
    axes.invert_yaxis()
    figure.savefig(path, bbox_inches="tight")
    print(f"picture: {path}")


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
