"""DOMAIN. What lies outside the folder, for `doctor`: programs, servers, keys and channels; nothing is sent."""

import os
import shlex
import socket
from collections.abc import Iterator
from contextlib import suppress
from urllib.parse import urlsplit

from adjutant.app import App
from adjutant.children import walls
from adjutant.errors import AdjutantError
from adjutant.secret_names import PLACES, list_hearers
from adjutant.store import jsonl
from adjutant.store.settings import AGENTS, BASES, KEYS

CONNECT_SECONDS = 2.0
Finding = tuple[str, str, str, str]  # name, problem ("" for none), what is said where there is none, fix


def _find_unreachable(url: str) -> str:
    """Why no connection to the host of `url` can be opened; "" when one can. Nothing is sent."""
    try:
        parts = urlsplit(url)
        place = (parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80))
        socket.create_connection(place, timeout=CONNECT_SECONDS).close()
    except OSError as error:
        return f"{place[0]}:{place[1]}: {error.strerror or error}"
    except ValueError as error:  # a port that is no number, a host that is no name
        return f"no usable address: {error}"
    return ""


def agent(app: App) -> Iterator[Finding]:
    """The programs of agents and the walls around them; none is started."""
    own = app.config.text("llm.backend")
    wanted = {own: ("agent", app.config.text_or_none("llm.program") or own, "or put its path into llm.program")}
    for name, each in app.config.specialists.items():
        wanted.setdefault(each["backend"], (f"agent of {name}", each["backend"], "into a folder of PATH"))
    wanted = {backend: told for backend, told in wanted.items() if backend in AGENTS}
    for backend, (title, named, where) in wanted.items():
        program = walls.find_program(named, app.environment)
        by_cron = walls.find_program(named, {**app.environment, "PATH": os.defpath})
        problem = "" if program is not None else f"{named} is not there, or may not be run"
        more = "" if by_cron is not None else "; cron does not find it by its name: put it into llm.program"
        yield title, problem, f"{program.path if program is not None else ''}{more}", f"install {backend}, {where}"
    if wanted:
        around = walls.find(app.environment)
        detail = around.detail + (": Landlock holds files and connections" if around.kind == walls.LANDLOCK else "")
        detail += f"; not held off: {gaps}" if (gaps := "; ".join(around.missing())) else ""
        detail += "; specialists run no commands" if app.config.specialists and around.kind != walls.BWRAP else ""
        yield "confinement", detail if around.kind == walls.NONE else "", detail, "apt-get install bubblewrap"


def model_server(app: App) -> Iterator[Finding]:
    """Whether the model's server can be reached."""
    backend = app.config.text("llm.backend")
    if backend == "offline":
        yield "model", "", "offline: rules answer, nothing to reach", ""
        return
    api = AGENTS.get(backend, backend)
    problem = _find_unreachable(app.config.text_or_none("llm.base_url") or BASES[api])
    yield "model", problem, f"{api} can be reached", "check llm.base_url, the key and the server"


def key(app: App) -> Iterator[Finding]:
    """The key of a hosted model; a server of the operator's own may need none, and gets none of the environment."""
    backend, base = app.config.text("llm.backend"), app.config.text_or_none("llm.base_url")
    if backend == "offline":
        return
    api = AGENTS.get(backend, backend)
    name, known = KEYS[api], app.secret(KEYS[api])
    if base is None:
        problem = "" if known else f"{name} is not set, and {BASES[api]} needs it"
        yield "model key", problem, f"{name} is set", f"put {name} into .env"
    elif known and not app.secret(name, base):
        yield "model key", "", f"{name} from the environment is not sent to llm.base_url", ""


def list_in_the_clear(app: App) -> list[str]:
    """Each secret that goes to another machine without TLS, in words for the operator."""
    config, backend = app.config, app.config.text("llm.backend")
    ways = [("TELEGRAM_BOT_TOKEN", [config.text("messaging.telegram.api_base")])]
    if backend != "offline" and (base := config.text_or_none("llm.base_url")):
        ways.append((KEYS[AGENTS.get(backend, backend)], [base]))
    ways.append(("TYPESENSE_API_KEY", list(config.addresses("typesense.nodes"))))
    sent = [(name, each) for name, addresses in ways for each in addresses if app.secret(name, each)]
    found = [f"{name} is sent to {host} without TLS" for name, each in sent for host in list_hearers(each)]
    hosts = [host for url in (app.secret(PLACES) or "").split() for host in list_hearers(url)]
    found += [f"an address of {PLACES} is used without TLS: {host}" for host in hosts if "." in host]  # else: a topic
    redis = config.text_or_none("redis.url") and (app.secret("REDIS_URL") or config.text("redis.url"))
    heard = list_hearers(redis) if redis and "@" in redis else []
    return found + [f"the password of Redis is sent to {host} without TLS" for host in heard]


def ways(app: App) -> Iterator[Finding]:
    """Whether secrets go out in the clear."""
    fix = "use https:// or rediss://, or a tunnel that ends on this machine"
    yield "secrets on the way", "; ".join(list_in_the_clear(app)), "no secret goes to another machine without TLS", fix


def page(app: App) -> Iterator[Finding]:
    """How many wrong keys were tried at the page; nothing where none is served."""
    try:
        kept = jsonl.loads(app.files.read(app.tree.page_keys))
    except FileNotFoundError:
        return
    except ValueError:
        fix = "remove the file; `adjutant serve` makes a new one, and a new link"
        yield "page", "state/page.json: damaged, so that no link or cookie opens the page", "", fix
        return
    wrong = kept.get("wrong", 0) if isinstance(kept, dict) else 0
    told = f"{wrong} wrong key{'' if wrong == 1 else 's'} tried, the last {app.clock.tell(kept.get('wrong_at'))}"
    yield "page", "", told if wrong else "no wrong key was tried", ""


def channel(app: App) -> Iterator[Finding]:
    """Whether notices can leave, by each channel that may have to take one."""
    for channel in (app.config.text("notifications.channel"), *app.config.paths("notifications.fallback")):
        if channel == "apprise":
            try:
                app.notifier(channel)
                yield channel, "", "its addresses are set; `adjutant notify TEXT` tries them", ""
            except AdjutantError as error:
                yield channel, error.message, "", error.fix
        elif channel == "telegram":
            base = app.config.text("messaging.telegram.api_base")
            missing = [name for name in ("TELEGRAM_BOT_TOKEN", "TELEGRAM_CHAT_ID") if not app.secret(name, base)]
            problem = f"{' and '.join(missing)} not set" if missing else ""
            yield "telegram", problem, "token and chat are set", "put both into .env"
            fix = "check messaging.telegram.api_base and the network"
            yield "telegram server", _find_unreachable(base), "can be reached", fix
        elif channel == "command":
            problem, path = "the program is not there, or may not be run", app.environment.get("PATH", os.defpath)
            with suppress(ValueError, IndexError):
                name = shlex.split(app.config.text("notifications.command"))[0]
                problem *= walls.which(app.tree.inside(name) if "/" in name else name, path) is None
            fix = "name a program that exists, with its full path"
            yield "notifications.command", problem, "the program is there", fix
