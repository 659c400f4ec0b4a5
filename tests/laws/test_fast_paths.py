"""What cron and every shell call pay for: no heavy module on the way to `status` or to a paused pulse."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from adjutant import commands, completion, parsing, ports
from adjutant.domain.learning import noting
from adjutant.domain.periods import sources
from adjutant.domain.recall.taxonomy import FORMATS
from adjutant.domain.telling import notices
from adjutant.records import matters_log, note, period_file, queue, registry
from adjutant.records.conversation import DEFAULT_SESSION
from adjutant.stages import ask, prompt, taxonomy
from adjutant.store.settings import FOLDER_TRUST, MODEL_TIERS
from tests.conftest import CHECKOUT, adjutant, parsed

HEAVY = {
    "yaml",
    "jinja2",
    "msgspec",
    "requests",
    "typesense",
    "redis",
    "filelock",
    "asyncio",
    "rich",  # each 18 to 150 ms
    "typing",
    "pathlib",
    "dataclasses",
    "inspect",
    "subprocess",
    "concurrent",
    "threading",
    "socket",
    "ssl",
    "shutil",
    "hashlib",
    "tempfile",
    "logging",
    "urllib",
    "http",
    "email",
    "sqlite3",
    "difflib",
    "zoneinfo",
    "ctypes",
    "textwrap",
    "mcp",
    "pydantic",
    "anyio",
    "starlette",
}
FAST = {
    "status": ("status",),
    "status --json": ("status", "--json"),
    "a paused pulse": ("pulse",),
    "behavior list": ("behavior", "list"),
    "behavior list --json": ("behavior", "list", "--json"),
    "a pulse that is not due": ("pulse", "--if-due"),
    "a review that is not scheduled": ("review", "--if-due"),
    "a behaviour review that is not scheduled": ("behavior", "review", "--if-due"),
}
# argparse breaks lines with one, and a named tuple of ours needs the other: 3 ms, once somebody asks for help.
FOR_HELP = HEAVY - {"textwrap", "typing"}
PROGRAM = """
import sys
before = set(sys.modules)
sys.path.insert(0, sys.argv.pop(1))
from adjutant.__main__ import main
code = main()
import json
print(json.dumps(sorted({name.partition(".")[0] for name in set(sys.modules) - before})), file=sys.stderr)
raise SystemExit(code)
"""


def loaded(root: Path, *words: str) -> set[str]:
    """The top-level modules that a verb has loaded when it ends, beyond those Python and its site load anyway."""
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [sys.executable, "-I", "-c", PROGRAM, str(CHECKOUT), *words],
        cwd=root,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stderr.splitlines()[-1]))


@pytest.fixture
def lived_in(tmp_path: Path) -> Path:
    root = tmp_path / "instance"
    adjutant("init", str(root), check=0)
    settings = (root / "adjutant.yaml").read_text().replace('review: "0 20 * * 1-5"', "review: null")
    settings = settings.replace('behavior-review: "30 21 * * *"', "behavior-review: null")
    (root / "adjutant.yaml").write_text(settings)
    (root / "notes").mkdir()
    (root / "notes" / "tasks.md").write_text("# Opening\n\n- [ ] Pay the deposit, due 2026-11-17\n")
    adjutant("kb", "add", "notes", "notes", cwd=root, check=0)
    adjutant("pulse", cwd=root, check=0, ADJUTANT_NOW="2026-11-20T09:00:00+00:00")
    adjutant("behavior", "add", "KEEP: svar på norsk", "--expires", "2027-01-01", cwd=root, check=0)
    return root


@pytest.mark.parametrize("words", FAST.values(), ids=FAST.keys())
def test_a_fast_path_loads_nothing_heavy(
    lived_in: Path,
    words: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ADJUTANT_NOW", "2026-11-20T09:15:00+00:00")
    if words == ("pulse",):
        (lived_in / "PAUSED").touch()
    assert loaded(lived_in, *words) & HEAVY == set()


@pytest.mark.parametrize("words", [(), ("help",), *((*row.verb.split(), "--help") for row in commands.TABLE)])
def test_help_loads_nothing_of_what_the_verb_needs(tmp_path: Path, words: tuple[str, ...]) -> None:
    assert loaded(tmp_path, *words) & FOR_HELP == set()


def choices(verb: str, word: str) -> tuple[str, ...]:
    """What may stand for a word of a verb or subverb."""
    verb, _, sub = verb.partition(" ")
    parser = parsing.parser_of(commands.ROWS[verb])
    if sub:
        parser = completion.list_subverbs(parser)[sub][0]
    return next(tuple(each.choices) for each in parser._actions if word in (each.dest, *each.option_strings))


def test_every_stage_has_its_words_and_they_name_what_there_is() -> None:
    stems = (path.stem.replace("_", "-") for path in (CHECKOUT / "adjutant" / "stages").glob("[!_]*.py"))
    assert parsing.read_usage().keys() == {"completion", "serve", "mcp", "mail", *stems}
    for sub in ("create", "add"):
        assert choices(f"kb {sub}", "--access") == registry.ACCESS
        assert choices(f"kb {sub}", "--model") == MODEL_TIERS
    assert (choices("kb add", "--kind"), choices("kb add", "--trust")) == (registry.KINDS, FOLDER_TRUST)
    assert choices("mail", "--trust") == FOLDER_TRUST
    assert choices("notify", "--kind") == notices.KINDS
    assert choices("mark", "state") == choices("notices mark", "state") == matters_log.STATES
    assert choices("compact", "what") == (sources.DUE, *period_file.KINDS)
    assert all(choices(f"memory {sub}", "--trust") == ports.TRUST[1:] for sub in ("save", "correct", "import"))
    assert choices("job run", "name") == queue.NAMES
    assert choices("memory save", "--type") == choices("memory list", "--type") == note.TYPES
    assert any(" ".join(note.TYPES) in line for line in parsing.read_usage()["memory"])
    assert all(parsed(taxonomy, "export", "--format", each) for each in FORMATS)
    assert all(parsed(ask, "a", "--channel", each) for each in (noting.CLI, noting.TELEGRAM, noting.VOICE))
    assert parsed(ask, "a").session == parsed(prompt, "show").session == DEFAULT_SESSION


def test_settings_for_an_agent_need_no_library(lived_in: Path) -> None:
    assert loaded(lived_in, "mcp", "--install", "claude") & {"mcp", "pydantic", "anyio"} == set()


def test_a_verb_that_is_not_fast_is_seen_loading_them(lived_in: Path) -> None:
    assert {"yaml", "filelock"} <= loaded(lived_in, "pulse")


def test_a_paused_pulse_does_not_even_read_the_settings(lived_in: Path) -> None:
    (lived_in / "adjutant.yaml").write_text("this: [is broken")
    (lived_in / "PAUSED").touch()
    done = adjutant("pulse", cwd=lived_in, check=0)
    assert len(done.out.splitlines()) == 1
    assert not done.err
