"""`bin/bench lives --player MANNER`: every morning with a model that knows the labels, padded or not. What is lost is
the pipeline's own doing."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from bench.lives import drive, mornings, pad
from bench.lives.life import Morning
from bench.lives.player import Player

HEADER = f"{'player':<10} {'P':>6} {'R':>6} {'severity':>9} {'shown':>7} {'calls':>6} {'largest':>8} {'again':>6}"


def run(
    lives: Sequence[Morning], manner: str, work: Path, settings: Mapping[str, Any], *, padded: bool, api: str
) -> str:
    """The line of the table for one manner. `largest`: characters of the longest prompt; `again`: calls of a second
    pulse, when nothing changed."""
    counts = counted(lives, manner, work, settings, padded=padded, api=api)
    largest = max(_LARGEST, default=0)
    _LARGEST.clear()
    return (
        f"{manner:<10} {_share(counts, 'useful', 'raised'):>6} {_share(counts, 'found', 'musts'):>6} "
        f"{_share(counts, 'rated_right', 'rated'):>9} {_share(counts, 'seen', 'musts'):>7} "
        f"{counts['calls'] / max(len(lives), 1):>6.2f} {largest:>8} {counts['again']:>6}"
    )


def counted(
    lives: Sequence[Morning], manner: str, work: Path, settings: Mapping[str, Any], *, padded: bool, api: str = "openai"
) -> Counter[str]:
    """The counts of all mornings: musts, found, seen (their deciding line was shown), raised, useful, calls, again."""
    with ThreadPoolExecutor(2) as pool:
        ran = pool.map(lambda life: _one(life, manner, work, settings, padded=padded, api=api), lives)
        return sum(ran, Counter[str]())


_LARGEST: list[int] = []


def _share(counts: Mapping[str, int], part: str, whole: str) -> str:
    return f"{counts[part] / counts[whole]:.3f}" if counts[whole] else "-"


def _one(
    life: Morning, manner: str, work: Path, settings: Mapping[str, Any], *, padded: bool, api: str
) -> Counter[str]:
    trees = life.trees
    with Player(life, manner) as player:
        address = player.url + ("/v1" if api == "openai" else "")
        llm = {"backend": api, "base_url": address, "models": {"cheap": "player"}}
        here = drive.Instance(life, work / f"{life.name}-{manner}", life.now, {**settings, "llm": llm})
        for kb, tree in (pad.padded(trees, life.now) if padded else trees).items():
            drive.lay_out(life, here.bases / kb, tree, life.now)
            here.run(life.now, "kb", "add", kb, str(here.bases / kb))
        step = here.run(life.now, "pulse", "--json")
        asked = list(player.asked)
        here.run(life.now, "pulse", "--json")
        again = len(player.asked) - len(asked)
    _LARGEST.extend(size for _, size in asked)
    raised = [mornings.raised(each) for each in json.loads(step["stdout"])["result"]["issues"]]
    verdicts = mornings.judged(life, raised)
    musts = {each.id: each for each in life.issues if each.must}
    named = {must for each in verdicts for must in each.musts}
    counts = Counter(
        musts=len(musts),
        found=len(named),
        raised=sum(each.verdict != "again" for each in verdicts),
        useful=sum(each.verdict in ("useful", "may") for each in verdicts),
        seen=len(player.seen & musts.keys()),
        calls=len(asked),
        again=again,
    )
    counts.update(mornings.severities(verdicts, musts))
    return counts
