"""A look reads what evolve is made of and what it writes, and nothing else of the instance."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from adjutant.app import names
from adjutant.store.tree import Tree
from tests.system.test_learning import planted
from tests.system.test_writes import writes_of

SPY = """
import json, os, sys
touched, root = set(), sys.argv[1]
def hook(event, args):
    if event in ("open", "os.listdir", "os.scandir", "sqlite3.connect") and args and isinstance(args[0], (str, bytes)):
        touched.add(os.path.abspath(os.fsdecode(args[0])))
sys.addaudithook(hook)
from adjutant.cli import main
code = main(["--root", root, "evolve"])
print(json.dumps([code, sorted(touched)]), file=sys.stderr)
"""
MADE_OF = names(
    "config env identity prompts roles words taxonomy skills notes notes_archive slog registry knowledge_bases journal "
    "interactions conversations notices marks matters usage events layer_changes runs index contract behavior_history "
    "pending sent last_heartbeat schedule_state evolution evolution_log"
)
OF_ALL = {  # what the runner looks at for every verb: its settings and switches, folders that may hold leftovers
    "PAUSED",
    "KILLED",
    "state",
    "state/instance.json",
    "state/cache/config.json",
    "state/archive",
    "memory",
    "memory/daily",
    "memory/weekly",
    "memory/monthly",
    "insights",
}


def test_a_look_reads_nothing_else(tmp_path: Path) -> None:
    root = tmp_path / "month"
    planted(root)
    ran = subprocess.run(
        [sys.executable, "-P", "-c", SPY, str(root)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={"PYTHONPATH": str(Path(__file__).parents[2]), "ADJUTANT_NOW": "2026-11-20T18:00:00+00:00"},
    )
    code, touched = json.loads(ran.stderr.splitlines()[-1])
    assert code == 0 and "evolve: " in ran.stdout, ran
    tree = Tree(str(root))
    declared = [tree.relative(getattr(tree, name)) for name in (*MADE_OF, *writes_of("evolve")) if hasattr(tree, name)]
    inside = {tree.relative(path) for path in touched if path.startswith(f"{root}/")} - OF_ALL
    assert "state/interactions.jsonl" in inside
    assert any(path.startswith("memory/notes/") for path in inside)
    assert [
        path
        for path in sorted(inside)
        if "notify_count_" not in path
        and "adj-tmp" not in path
        and not any(path == each or path.startswith((f"{each}/", f"{each}-")) for each in declared)
    ] == []
