"""WIRING. Config -> chosen adapters -> App; the only reader of the environment and of the clock."""

from __future__ import annotations

import os
import sys
import time
from datetime import datetime
from functools import cache, partial

from adjutant import adapters, commands, place, terminal
from adjutant.app import App, Args, Outcome
from adjutant.clock import Clock
from adjutant.errors import AdjutantError, ConfigInvalid, Stopped, UsageError
from adjutant.secret_names import SECRETS
from adjutant.secret_store import Secrets
from adjutant.store import config as config_file
from adjutant.store import disk, package, switches
from adjutant.store.files import Files
from adjutant.store.tree import Tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import tzinfo

    from adjutant.commands import Verb
    from adjutant.place import Options
    from adjutant.ports import Model
    from adjutant.store.config import Config

STDIN_LIMIT = 1024 * 1024
ADAPTERS = ("notifier", "transcriber", "engine", "queue", "typesense", "redis", "embedder", "exporter", "bot")
SPREAD = ("heartbeat", "compaction", "learning")  # run locks of verbs whose questions workers may put
LOOKS = ("schedule.pulse", "schedule.index")  # what a machine does by itself where another one tells


def clock_for(config: Config) -> Clock:
    """The clock of an instance. Raises ConfigInvalid when ADJUTANT_NOW is no time."""
    name = config.text_or_none("instance.timezone")
    zone: tzinfo | None = None
    if name is not None:
        import zoneinfo  # only where a zone is configured

        try:
            zone = zoneinfo.ZoneInfo(name)
        except (zoneinfo.ZoneInfoNotFoundError, OSError) as error:
            raise ConfigInvalid(f"adjutant.yaml: `instance.timezone: {name}` is not known on this machine") from error
    clock = Clock(time.time, time.monotonic, zone)
    if fixed := os.environ.get("ADJUTANT_NOW"):
        try:
            clock.fixed = clock.parse(fixed)
        except ValueError:
            message = f"ADJUTANT_NOW: `{fixed[:40]}` is not an ISO-8601 time"
            raise ConfigInvalid(message, "unset it, or e.g. 2026-11-20T09:00:00+01:00") from None
    return clock


def run_id(now: datetime) -> str:
    """YYYYMMDDTHHMMSS-xxxx, four random hex digits."""
    return f"{now:%Y%m%dT%H%M%S}-{os.urandom(2).hex()}"


def open_app(row: Verb, options: Options, root: str) -> App:
    """Everything a verb needs, adapters still unbuilt. Raises ConfigInvalid, IoFailed."""
    tree, halted = Tree(root), list[bool]()
    say: Callable[[str], None] = _nothing if options.quiet else terminal.say
    say = say if row.killed else cache(say)  # the same thing once a run; what goes on for days says it anew
    config, broken = _read_config(row, tree, say) if row.instance else (config_file.defaults(), None)
    host = os.environ.get("ADJUTANT_HOST") or os.uname().nodename
    if elsewhere := config.elsewhere(host):
        own_work = [name for name in config.values if name.startswith("schedule.") and name not in LOOKS]
        config.values |= dict.fromkeys(own_work)
    clock, dry = clock_for(config), options.dry_run or (row.dry and config.flag("debug.dry_run"))

    def gate() -> None:
        if halted:
            raise Stopped("interrupted")
        if row.paused and switches.is_on(tree.paused):
            raise Stopped("paused")

    def own() -> dict[str, str]:
        from adjutant.store.own_secrets import own_secrets  # brings re: only what writes pays for it

        try:
            return own_secrets(files, secrets.get, os.environ)
        except AdjutantError:
            return {os.environ[name]: name for name in SECRETS if os.environ.get(name)}  # `doctor` names the .env

    files = Files(tree, dry=dry, gate=gate if row.paused else None, warn=say, secrets=own)
    show = terminal.say if options.as_json else lambda text: terminal.show(text, colour=place.colour())
    show = _nothing if options.quiet else show
    secrets = Secrets(files, say, os.environ)

    def model(backend: str | None = None, settings: Config | None = None) -> Model | None:
        found = adapters.model(app, backend, settings)
        if found is None or row.lock not in SPREAD or config.text("jobs.engine") == "here":
            return found
        from copy import copy  # as rq, only where others work

        from adjutant.jobs.remote import RemoteModel  # brings rq

        own = copy(app)  # what is worked here all the same asks from here
        own.model = lambda *given, **named: found
        return RemoteModel(found, cache(lambda: adapters.engine(own)))

    def examine(other: str) -> Outcome:
        from adjutant.stages import doctor  # only after a restore

        return doctor.run(open_app(commands.ROWS["doctor"], options, other), Args())

    app: App = App(tree=tree, config=config, files=files, clock=clock, secrets=secrets, say=say, show=show, gate=gate)
    app.run, app.marker, app.environment, app.table = run_id(clock.now()), os.urandom(8).hex(), os.environ, commands
    app.host, app.elsewhere, app.dry_run, app.config_error = host, elsewhere, dry, broken
    app.as_json, app.secret, app.stdin, app.stdin_bytes = options.as_json, secrets.get, _stdin, _stdin_bytes
    app.progress = _nothing if options.quiet else terminal.progress
    app.model, app.offers, app.examine = model, adapters.offers, examine
    app.halt, app.report = lambda: halted.append(True), lambda error: crash_report(root, row.verb, error)
    for name in ADAPTERS:
        setattr(app, name, partial(getattr(adapters, name), app))
    columns = 0 if options.quiet or options.as_json else terminal.width()
    if columns:  # a person at a terminal: sees an answer while it comes, and may be asked
        app.growing = terminal.TerminalText(columns)
        app.question = terminal.ask if sys.stdin is not None and sys.stdin.isatty() else None
    return app


def _read_config(row: Verb, tree: Tree, say: Callable[[str], None]) -> tuple[Config, ConfigInvalid | None]:
    disk.make_private(tree.state)
    if "adjutant.language.pack" in sys.modules:
        sys.modules["adjutant.language.pack"].add_folder(tree.words)
    else:
        package.lists = tree.words  # where they are, without loading what reads them
    _warn_root(tree, say)
    try:
        return config_file.load(Files(tree, warn=say)), None
    except ConfigInvalid as error:
        if row.config:
            raise
        return config_file.defaults(), error


def _warn_root(tree: Tree, say: Callable[[str], None]) -> None:
    """Says that root works in the tree of another user, who may not read or change what comes of it."""
    if os.geteuid() or not os.path.exists(tree.root) or not os.stat(tree.root).st_uid:
        return
    from adjutant.store.disk import owner  # only for the message

    whose = owner(os.path.realpath(tree.root))
    say(
        f"you are root, and {tree.root} belongs to {whose}: what this run makes will be root's, closed to its owner\n"
        "  fix: run it as its owner (sudo -u); afterwards chown -R gives back what was made"
    )


def _nothing(line: str) -> None:
    """Where --quiet was asked for."""


def _stdin() -> str:
    data = _stdin_bytes()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        why = f"standard input:{data.count(10, 0, error.start) + 1}: not UTF-8"
        raise UsageError(why, "turn it into UTF-8 first, e.g. `iconv -f latin1 -t utf-8`") from None


def _stdin_bytes() -> bytes:
    """Standard input as it is, capped. Raises UsageError."""
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError("standard input is to be read, and there is none", "pipe the text in")
    data = sys.stdin.buffer.read(STDIN_LIMIT + 1)
    if len(data) > STDIN_LIMIT:
        raise UsageError(f"standard input is longer than {STDIN_LIMIT} bytes")
    return data


def crash_report(root: str, command: str, error: Exception) -> str:
    """Writes the traceback of a bug under state/crash/ with every secret blotted out; "" when that fails too."""
    import traceback  # only after a bug

    from adjutant.store.own_secrets import own_secrets  # brings re

    text = f"{command}\npython {sys.version}\n\n" + "".join(traceback.format_exception(error))
    if not root:
        return ""
    files = Files(Tree(root))
    path = files.tree.crash_report(f"{run_id(datetime.now())}.txt")
    try:  # a .env that cannot be read may hold what the report must not
        own = own_secrets(files, Secrets(files, _nothing, os.environ).get, os.environ)
        for value in sorted(own, key=len, reverse=True):
            text = text.replace(value, f"<{own[value]}>")
        files.create(path, text)
    except (OSError, AdjutantError):
        return ""
    return files.tree.relative(path)
