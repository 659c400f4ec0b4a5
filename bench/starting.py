"""Rows start, paused, modules: what a cron tick and every shell call pay for."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from bench import peers
from bench.instances import CHECKOUT, OURS, environment, lived_in
from bench.measure import Figure, Settings, Skipped, paired, ratio, wall

HEAVY = ("yaml", "jinja2", "msgspec", "requests", "typesense", "redis", "filelock", "asyncio", "rich")
PASS = (sys.executable, "-c", "pass")
LOADED = """
import json, sys
checkout, heavy = sys.argv.pop(1), sys.argv.pop(1).split()
sys.path.insert(0, checkout)
from adjutant.__main__ import main
main()
print(json.dumps([name for name in heavy if name in sys.modules]))
"""


def start(folder: Path, settings: Settings) -> Iterator[Figure | Skipped]:
    """`status` in a tree of half a year, against an empty Python and against other programs."""
    root = lived_in(folder / "instance")
    ours = partial(wall, [*OURS, "status", "--quiet"], cwd=root, env=environment())
    mine, bare = paired([ours, partial(wall, PASS, env=environment())], settings.pairs)
    yield Figure("start", "status / python -c pass", ratio(mine, bare), 4.0, details={"ms": 1000 * min(mine)})
    for name, aim in (("khal", 0.5), ("llm", 0.08), ("nanobot", 0.08)):
        path, why = peers.program(name) if settings.peers else ("", "--quick")
        if not path:
            yield Skipped("start", f"status / {name} --version", why)
            continue
        theirs = partial(wall, [path, "--version"], env=environment())
        mine, other = paired([ours, theirs], max(3, settings.pairs // 4))
        yield Figure("start", f"status / {name} --version", ratio(mine, other), aim, details={"ms": 1000 * min(other)})


def paused(folder: Path, settings: Settings) -> Iterator[Figure | Skipped]:
    """A pulse under PAUSED, against an empty Python."""
    root = lived_in(folder / "instance")
    (root / "PAUSED").touch()
    ours = partial(wall, [*OURS, "pulse", "--quiet"], cwd=root, env=environment())
    mine, bare = paired([ours, partial(wall, PASS, env=environment())], settings.pairs)
    yield Figure("paused", "paused pulse / python -c pass", ratio(mine, bare), 3.0, details={"ms": 1000 * min(mine)})


def modules(folder: Path, settings: Settings) -> Iterator[Figure | Skipped]:
    """Heavy modules loaded on the fast paths: exact, no timing."""
    root = lived_in(folder / "instance")
    for words in (("status",), ("pulse",)):
        if words == ("pulse",):
            (root / "PAUSED").touch()
        command = [sys.executable, "-I", "-c", LOADED, str(CHECKOUT), " ".join(HEAVY), *words, "--quiet"]
        done = subprocess.run(command, cwd=root, env=environment(), capture_output=True, text=True, check=True)
        found = json.loads(done.stdout.splitlines()[-1])
        what = f"heavy modules loaded by {'status' if words == ('status',) else 'a paused pulse'}"
        yield Figure("modules", what, len(found), 0, exact=True, unit="", details={"found": found})
