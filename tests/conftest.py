"""Guards around every test, and the builders that tests share."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import subprocess
import sys
import time
from argparse import Namespace
from collections import defaultdict
from collections.abc import Callable, Generator, Iterator, Mapping
from datetime import datetime
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from adjutant import commands, parsing
from adjutant.app import App
from adjutant.clock import Clock
from adjutant.errors import Stopped
from adjutant.index_ports import Embedder, ServerIndex
from adjutant.ports import ContractCache, Model, Notifier
from adjutant.secret_names import SECRETS
from adjutant.store import config as config_file
from adjutant.store import switches
from adjutant.store.files import Files
from adjutant.store.tree import Tree
from tests import warm
from tests.guard import sitecustomize as guard  # installs itself

CHECKOUT = Path(__file__).resolve().parent.parent
PROGRAMS = CHECKOUT / "tests" / "guard" / "programs"  # stand before the machine's own on the PATH of every test
NOW = "2026-11-20T09:00:00+00:00"  # a Friday
NODE = CHECKOUT / ".ci-node" / "node_modules"
FOLDERS = "ADJUTANT_TEST_PROGRAMS"  # names folders to look for real programs in, beside PATH
INSTALL = {
    name: f"apt-get install {package}"
    for name, package in (
        ("strace", "strace"),
        ("cron", "cron"),
        ("crontab", "cron"),
        ("faketime", "faketime"),
        ("bwrap", "bubblewrap"),
        ("man", "man-db"),
        ("rg", "ripgrep"),
        ("redis-server", "redis-server"),
        ("chromium", "chromium"),
    )
}
INSTALL |= {
    name: f"npm i --prefix .ci-node --ignore-scripts {package}"
    for name, package in (
        ("opencode", "opencode-linux-x64@1.18.33"),
        ("claude", "@anthropic-ai/claude-code-linux-x64@2.1.197"),
    )
}
INSTALL["typesense-server"] = "sh .ci/typesense (650 MB)"
LEFT_OUT = ("server", "program", "sweep")  # the marks of what `bin/test` leaves to `bin/test --all`
_left_out = False  # the test that runs has one of them


pytest_plugins = ("tests.servers",)


# -- guards --------------------------------------------------------------------------------------------------


class Guarded:
    """What was refused during one test; `forgive` is for the tests of the guard itself."""

    def __init__(self, log: Path) -> None:
        self.log = log

    def refused(self) -> list[str]:
        return self.log.read_text().splitlines() if self.log.exists() else []

    def forgive(self) -> None:
        self.log.unlink(missing_ok=True)


@pytest.fixture(scope="session")
def tmp_path_factory(tmp_path_factory: pytest.TempPathFactory) -> pytest.TempPathFactory:
    """Counts the folders itself: pytest's own looks through all that were made for the next number, again for each."""
    numbers, base = defaultdict[str, Iterator[int]](count), tmp_path_factory.getbasetemp()

    def mktemp(basename: str, numbered: bool = True) -> Path:
        folder = base / f"{basename}{next(numbers[basename]) if numbered else ''}"
        folder.mkdir(mode=0o700)
        return folder

    tmp_path_factory.mktemp = mktemp  # type: ignore[method-assign]  # of this one object, which every fixture asks
    return tmp_path_factory


@pytest.fixture(autouse=True)
def guarded(
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Guarded]:
    """HOME, its crontab and the working directory in tmp, no instance in sight, no secret set, children guarded too."""
    above = [folder for folder in tmp_path.parents if (folder / "adjutant.yaml").exists()]
    assert not above, f"an instance above the tests' folder would be found by accident: {above[0]}"
    outside = tmp_path_factory.mktemp("outside")
    (outside / "home").mkdir()
    for name in (*SECRETS, "ADJ_DIR", "ADJUTANT_NOW", "NO_COLOR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(outside / "home"))
    monkeypatch.setenv("PATH", f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.setenv(guard.LOG, str(outside / "refused"))
    monkeypatch.chdir(tmp_path)
    time.tzset()
    mask = os.umask(0o022)
    found = Guarded(outside / "refused")
    yield found
    os.umask(mask)  # a command line in this process sets its own
    assert not found.refused(), "this test reached outside of its folder"


def pytest_configure(config: pytest.Config) -> None:
    """Ctrl-C means what it means in a terminal: a run in the background ignores it, and its children would too."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # its threads spin while they wait for each other's core
    if os.environ.get(warm.STARTS) != "real":
        warm.trust_the_disk()
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Tests marked real_strace need a strace that may trace."""
    global _left_out
    _left_out = any(map(item.get_closest_marker, LEFT_OUT))
    if item.get_closest_marker("real_strace"):
        need("strace", "strace", "-qq", "-o", os.devnull, "true")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Thousands of tests live as long as this process: the collector need not look at them again and again."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(20_000, 20, 20)
        gc.enable()


def pytest_collection_finish() -> None:
    """Guards all children alike, also those that a fixture of a whole file starts before `guarded` is asked for."""
    os.environ["PYTHONPATH"] = os.pathsep.join((os.path.dirname(guard.__file__), str(CHECKOUT)))


@pytest.hookimpl(tryfirst=True)  # before -m looks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks what its fixtures and other marks say. Files that wait for programs come first: none is left to the end."""
    waiting = set()
    for item in items:
        if {"typesense_server", "redis_server"} & set(getattr(item, "fixturenames", ())):
            item.add_marker("server")
        if item.get_closest_marker("real_strace"):
            item.add_marker("program")
        if any(map(item.get_closest_marker, LEFT_OUT)):
            waiting.add(item.path)
    items.sort(key=lambda item: item.path not in waiting)


def need(program: str, *probe: str) -> str:
    """The path of a real program that runs (`probe` exits 0). Without it: skipped on a desk, failed in CI."""
    assert _left_out or program not in INSTALL, f"a test that needs {program} is marked `server` or `program`"
    fetched = [str(place) for pattern in ("opencode-*/bin", "*/claude-code-*") for place in NODE.glob(pattern)]
    beside = [os.path.dirname(sys.executable), os.environ.get(FOLDERS, ""), *fetched]
    path = shutil.which(program, path=os.pathsep.join([os.environ["PATH"], *beside]))
    if path is not None and (not probe or subprocess.run(probe, capture_output=True, check=False).returncode == 0):
        return path
    what = "is not installed" if path is None else "may not run here"
    reason = f"{program} {what}: {INSTALL.get(program, 'install it')}"
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


# -- builders ------------------------------------------------------------------------------------------------


def make_instance(root: Path, **settings: Any) -> Tree:
    """A folder with an adjutant.yaml that holds `settings`: `heartbeat__parallel=1` is heartbeat.parallel."""
    import yaml  # the few lines here are the only ones that need it

    values: dict[str, Any] = {}
    for name, value in settings.items():
        *heads, last = name.split("__")
        inner = values
        for head in heads:
            inner = inner.setdefault(head, {})
        inner[last] = value
    root.mkdir(parents=True, exist_ok=True)
    (root / "adjutant.yaml").write_text(yaml.safe_dump(values, sort_keys=False) if values else "# all defaults\n")
    return Tree(str(root))


class TestedApp(App):
    """An App that keeps what was said to the person."""

    __test__ = False
    said: list[str]
    shown: list[str]


def make_app(
    root: Path,
    *,
    now: str = NOW,
    verb: str = "pulse",
    dry_run: bool = False,
    model: Model | None = None,
    notifier: Callable[[App], Notifier] | None = None,
    secrets: Mapping[str, str] | None = None,
    stdin: str = "",
    run: str = "20261120T090000-0001",
    typesense: Callable[[], ServerIndex] | None = None,
    redis: Callable[[], ContractCache] | None = None,
    embedder: Callable[[], Embedder] | None = None,
    **settings: Any,
) -> TestedApp:
    """An App on `root` with a fixed clock; makes the instance (see make_instance) unless it has an adjutant.yaml."""
    if settings or not (root / "adjutant.yaml").exists():
        make_instance(root, **settings)
    tree, moment, mine = Tree(str(root)), datetime.fromisoformat(now), dict(secrets or {})
    clock = Clock(time.time, time.monotonic, moment.tzinfo, moment)
    said: list[str] = []
    shown: list[str] = []
    row = commands.ROWS[verb]

    def gate() -> None:
        if row.paused and switches.is_on(tree.paused):
            raise Stopped("paused")

    files = Files(tree, dry=dry_run, gate=gate, warn=said.append)

    def outbox() -> Notifier:
        from adjutant.channels.outbox import Outbox  # only tests that send

        return Outbox(files, clock, shown.append)

    app = TestedApp(
        tree=tree,
        config=config_file.load(Files(tree)),
        files=files,
        clock=clock,
        run=run,
        dry_run=dry_run,
        as_json=False,
        say=said.append,
        show=shown.append,
        gate=gate,
        notifier=lambda: notifier(app) if notifier else outbox(),
        model=lambda backend=None: model,
        secret=lambda name, address=None: mine.get(name),
        stdin=lambda: stdin,
        environment={name: os.environ[name] for name in ("PATH", "HOME")},
        table=commands,
        marker="0123456789abcdef",
        typesense=typesense,
        redis=redis,
        embedder=embedder,
    )
    app.said, app.shown = said, shown
    return app


class Ran:
    """How a child ended."""

    def __init__(self, done: subprocess.CompletedProcess[str]) -> None:
        self.code, self.out, self.err = done.returncode, done.stdout, done.stderr

    def __repr__(self) -> str:
        return f"exit {self.code}\n{self.out}\n{self.err}"

    @property
    def json(self) -> dict[str, Any]:
        """stdout as the one object it must be."""
        import json  # beside its only use

        found: dict[str, Any] = json.loads(self.out)
        assert isinstance(found, dict) and self.out.endswith("}\n"), self
        return found


def parsed(stage: Any, *words: str) -> Namespace:
    """The words as the verb of a stage takes them."""
    parser = parsing.VerbParser()
    parsing.declare(parser, stage.__name__.rpartition(".")[2].replace("_", "-"))
    return parser.parse_args(words)


def adjutant(
    *words: str,
    cwd: Path | str | None = None,
    stdin: str = "",
    timeout: float = 60,
    check: int | None = None,
    **env: str,
) -> Ran:
    """`python -m adjutant WORDS` as a child in `cwd`, its environment ours plus `env`; `check` is the exit code."""
    ran = Ran(warm.run(words, cwd=cwd, stdin=stdin, timeout=timeout, env={**os.environ, **env}))
    assert check is None or ran.code == check, ran
    return ran
