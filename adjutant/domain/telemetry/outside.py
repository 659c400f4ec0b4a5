"""DOMAIN. What lies outside the folder, for `doctor`: programs, servers, keys and channels; nothing is sent."""

from __future__ import annotations

import os
import shlex
import socket
from collections.abc import Iterator
from datetime import timedelta
from typing import NamedTuple
from urllib.parse import urlsplit

from adjutant.app import App
from adjutant.children import walls
from adjutant.clock import moment
from adjutant.errors import AdjutantError
from adjutant.secret_names import PLACES, list_hearers
from adjutant.store import jsonl
from adjutant.store.settings import AGENTS, BASES, KEYS

CONNECT_SECONDS = 2.0
AHEAD, BACK, LATELY = timedelta(minutes=2), timedelta(hours=1), timedelta(days=1)
TAIL, NAMED = 64 * 1024, 5


class HealthCheck(NamedTuple):
    """One line of the report."""

    name: str
    ok: bool
    detail: str
    fix: str = ""


def _find_unreachable(url: str) -> str | None:
    """Why no connection to the host of `url` can be opened; None when one can. Nothing is sent."""
    try:
        parts = urlsplit(url)
        place = (parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80))
        socket.create_connection(place, timeout=CONNECT_SECONDS).close()
    except OSError as error:
        return f"{place[0]}:{place[1]}: {error.strerror or error}"
    except ValueError as error:  # a port that is no number, a host that is no name
        return f"no usable address: {error}"
    return None


def agent(app: App) -> Iterator[HealthCheck]:
    """The programs of agents and the walls around them; none is started."""
    own = app.config.text("llm.backend")
    wanted = {own: ("agent", app.config.text_or_none("llm.program") or own, "or put its path into llm.program")}
    for name, each in app.config.specialists.items():
        wanted.setdefault(each["backend"], (f"agent of {name}", each["backend"], "into a folder of PATH"))
    wanted = {backend: told for backend, told in wanted.items() if backend in AGENTS}
    for backend, (title, named, where) in wanted.items():
        program = walls.find_program(named, app.environment)
        by_cron = walls.find_program(named, {**app.environment, "PATH": os.defpath})
        detail = f"{named} is not there, or may not be run" if program is None else program.path
        if program is not None and by_cron is None:
            detail += "; cron does not find it by its name: put it into llm.program"
        yield HealthCheck(title, program is not None, detail, f"install {backend}, {where}")
    if wanted:
        yield _check_walls(app)


def _check_walls(app: App) -> HealthCheck:
    around = walls.find(app.environment)
    gaps = "; ".join(around.missing())
    detail = around.detail + (": Landlock holds files and connections" if around.kind == walls.LANDLOCK else "")
    detail += f"; not held off: {gaps}" if gaps else ""
    if app.config.specialists and around.kind != walls.BWRAP:
        detail += "; specialists run no commands"
    return HealthCheck("confinement", around.kind != walls.NONE, detail, "apt-get install bubblewrap")


def model_server(app: App) -> Iterator[HealthCheck]:
    """Whether the model's server can be reached."""
    backend = app.config.text("llm.backend")
    if backend == "offline":
        yield HealthCheck("model", True, "offline: rules answer, nothing to reach")
        return
    api = AGENTS.get(backend, backend)
    problem = _find_unreachable(app.config.text_or_none("llm.base_url") or BASES[api])
    yield HealthCheck(
        "model", not problem, problem or f"{api} can be reached", "check llm.base_url, the key and the server"
    )


def key(app: App) -> Iterator[HealthCheck]:
    """The key of a hosted model; a server of the operator's own may need none, and gets none of the environment."""
    backend, base = app.config.text("llm.backend"), app.config.text_or_none("llm.base_url")
    if backend == "offline":
        return
    name = KEYS[AGENTS.get(backend, backend)]
    known = app.secret(name)
    if base is None:
        detail = "is set" if known else f"is not set, and {BASES[AGENTS.get(backend, backend)]} needs it"
        yield HealthCheck("model key", known is not None, f"{name} {detail}", f"put {name} into .env")
    elif known and not app.secret(name, base):
        yield HealthCheck("model key", True, f"{name} from the environment is not sent to llm.base_url")


def list_in_the_clear(app: App) -> list[str]:
    """Each secret that goes to another machine without TLS, in words for the operator."""
    config, backend = app.config, app.config.text("llm.backend")
    ways = [("TELEGRAM_BOT_TOKEN", [config.text("messaging.telegram.api_base")])]
    if backend != "offline" and (base := config.text_or_none("llm.base_url")):
        ways.append((KEYS[AGENTS.get(backend, backend)], [base]))
    ways.append(("TYPESENSE_API_KEY", list(config.addresses("typesense.nodes"))))
    found = [
        f"{name} is sent to {host} without TLS"
        for name, addresses in ways
        for address in addresses
        if app.secret(name, address)
        for host in list_hearers(address)
    ]
    hosts = [host for url in (app.secret(PLACES) or "").split() for host in list_hearers(url)]
    found += [f"an address of {PLACES} is used without TLS: {host}" for host in hosts if "." in host]  # else: a topic
    redis = config.text_or_none("redis.url") and (app.secret("REDIS_URL") or config.text("redis.url"))
    heard = list_hearers(redis) if redis and "@" in redis else []
    return found + [f"the password of Redis is sent to {host} without TLS" for host in heard]


def ways(app: App) -> Iterator[HealthCheck]:
    """Whether secrets go out in the clear."""
    found = list_in_the_clear(app)
    fix = "use https:// or rediss://, or a tunnel that ends on this machine"
    yield HealthCheck(
        "secrets on the way", not found, "; ".join(found) or "none goes to another machine without TLS", fix
    )


def page(app: App) -> Iterator[HealthCheck]:
    """How many wrong keys were tried at the page; nothing where none is served."""
    try:
        kept = jsonl.loads(app.files.read(app.tree.page_keys))
    except FileNotFoundError:
        return
    except ValueError:
        fix = "remove the file; `adjutant serve` makes a new one, and a new link"
        yield HealthCheck("page", False, "state/page.json: damaged, so that no link or cookie opens the page", fix)
        return
    wrong = kept.get("wrong", 0) if isinstance(kept, dict) else 0
    told = f"{wrong} wrong key{'' if wrong == 1 else 's'} tried, the last {app.clock.tell(kept.get('wrong_at'))}"
    yield HealthCheck("page", True, told if wrong else "no wrong key was tried")


def channel(app: App) -> Iterator[HealthCheck]:
    """Whether notices can leave, by each channel that may have to take one."""
    for name in (app.config.text("notifications.channel"), *app.config.paths("notifications.fallback")):
        yield from _channel(app, name)


def _channel(app: App, channel: str) -> Iterator[HealthCheck]:
    if channel == "apprise":
        try:
            app.notifier(channel)
        except AdjutantError as error:
            yield HealthCheck(channel, False, error.message, error.fix)
        else:
            yield HealthCheck(channel, True, "its addresses are set; `adjutant notify TEXT` tries them")
    elif channel == "telegram":
        base = app.config.text("messaging.telegram.api_base")
        missing = [name for name in ("TELEGRAM_BOT_TOKEN", "TELEGRAM_CHAT_ID") if not app.secret(name, base)]
        detail = f"{' and '.join(missing)} not set" if missing else "token and chat are set"
        yield HealthCheck("telegram", not missing, detail, "put both into .env")
        problem, fix = _find_unreachable(base), "check messaging.telegram.api_base and the network"
        yield HealthCheck("telegram server", not problem, problem or "can be reached", fix)
    elif channel == "command":
        found = _may_start(app.config.text("notifications.command"), app)
        detail = "the program is there" if found else "the program is not there, or may not be run"
        yield HealthCheck("notifications.command", found, detail, "name a program that exists, with its full path")


def _may_start(command: str, app: App) -> bool:
    """Whether there is a program that `notifications.command` would start in the instance's folder."""
    try:
        name = shlex.split(command)[0]
    except (ValueError, IndexError):
        return False
    folders = [app.tree.root] if "/" in name else app.environment.get("PATH", os.defpath).split(os.pathsep)
    return any(os.path.isfile(path) and os.access(path, os.X_OK) for path in (os.path.join(f, name) for f in folders))


def clock(app: App) -> Iterator[HealthCheck]:
    """Has the clock run backwards? Then what is dated ahead of it counts as not yet, or as told already."""
    now, found = app.clock.now(), list[str]()
    for path in (app.tree.actions, app.tree.notices, app.tree.usage, app.tree.events):
        name, latest = app.tree.relative(path), None
        lines = jsonl.parse(app.files.tail(path, TAIL)) if app.files.exists(path) else ()
        for _, record in lines:
            at = moment(record.get("ts")) if record is not None else None
            if at is None:
                continue
            if latest is not None and latest - at > BACK and now - at < LATELY:
                found.append(f"{name}: from {latest.isoformat()} back to {at.isoformat()}")
            latest = at if latest is None else max(at, latest)
        if latest is not None and latest - now > AHEAD:
            found.append(f"{name}: a record of {latest.isoformat()}, ahead of now, {now.isoformat()}")
    told = f"it ran backwards: {'; '.join(found[:NAMED])}" if found else "never ran backwards, as far as the logs tell"
    yield HealthCheck("clock", not found, told, "set the machine's clock by a time server; the records are kept")
