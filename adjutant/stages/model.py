"""STAGE. model: what models are there, which one is to answer, whether it does; and a day of an invented life."""

import re
from hashlib import sha256
from typing import NamedTuple

from adjutant.app import App, Args, Outcome, Row, cut_list
from adjutant.children import walls
from adjutant.documents import edits
from adjutant.errors import ConfigInvalid, ModelUnavailable, UsageError
from adjutant.judgements import trial
from adjutant.ports import Place
from adjutant.store import config as settings
from adjutant.store import switches
from adjutant.store.settings import AGENTS, BASES, KEYS, LOCAL

SHOWN = 12  # models of one place that are listed
OFFLINE, CONFIGURED = "offline", "configured"
NAME = re.compile(r"[a-z0-9.-]{0,20}")
NOBODY = (
    "start a model server on this machine (Ollama, llama.cpp, LM Studio, vLLM), put OPENAI_API_KEY or "
    "ANTHROPIC_API_KEY into .env, or install opencode or claude; docs/models.md says how"
)
KEPT = "the settings are written; `adjutant doctor` says what can be reached, `adjutant model` chooses another"


class ModelRoute(NamedTuple):
    """A way to models: what it is called, the backend, the address, the models, and why none can be named."""

    name: str
    backend: str
    base_url: str
    models: tuple[str, ...]
    why: str | None = None


ModelChoice = tuple[ModelRoute, str]  # one model on one way: NAME/MODEL on the command line


def run(app: App, args: Args) -> Outcome:
    """tried{stood, cited, why} too; test: {days[], told P and R, severity, calls, tokens, seconds, money}."""
    return _test(app) if args.subverb == "test" else _set_up(app, args)


def _set_up(app: App, args: Args) -> Outcome:
    if args.use == OFFLINE:
        return _choose(app, [], None)
    ports = _ports(args.ports)
    app.progress("looking for models")
    found = _look(app, ports)
    app.progress("")
    choices = {f"{way.name}/{model}": (way, model) for way in found for model in way.models}
    if args.use is not None:
        return _choose(app, found, _find_named(args.use, found, choices))
    if not choices:
        looked = ", ".join(f"{name} on port {port}" for name, port in ports)
        why = f"no model was found: looked for {looked}, a key in .env or the environment, opencode and claude"
        raise ModelUnavailable(why, NOBODY, details={"found": [each._asdict() for each in found]})
    lines = []
    for way in found:
        lines.append(f"{way.name}: {way.base_url}" + (f": {way.why}" if way.why else ""))
        own = [f"  {n:>2}  {label}" for n, (label, each) in enumerate(choices.items(), 1) if each[0] is way]
        lines += cut_list(own, SHOWN, before="      ", hint=f": --use {way.name}/MODEL")
    nothing = {"found": [each._asdict() for each in found], "chosen": None, "tried": None}
    if app.question is None:
        lines.append("to choose one: adjutant model --use NAME")
        return Outcome(nothing, lines, next_actions=[(f"adjutant model --use {next(iter(choices))}", "set it up")])
    app.show("\n".join(lines))
    if not (said := app.question(f"Which one? 1 to {len(choices)}, Enter changes nothing: ")):
        return Outcome(nothing, ["nothing was changed"])
    by_number = {str(number): each for number, each in enumerate(choices.values(), 1)}
    return _choose(app, found, by_number.get(said) or _find_named(said, [], choices))


def _ports(given: str | None) -> list[tuple[str, int]]:
    if given is None:
        return list(LOCAL)
    known, found = {port: name for name, port in LOCAL}, []
    for each in given.split(","):
        name, _, number = each.strip().rpartition("=")
        if not (number.isascii() and number.isdigit() and 0 < int(number) < 65536 and NAME.fullmatch(name)):
            raise UsageError(f"--ports {given[:60]!r}: such as 11434,8080 or ollama=11500; {each[:20]!r} is no port")
        found.append((name or known.get(int(number), f"port-{number}"), int(number)))
    return found


def _look(app: App, ports: list[tuple[str, int]]) -> list[ModelRoute]:
    """Every way to a model that there is, servers of this machine first, then opencode and claude."""
    places = [Place(name, "openai", f"http://127.0.0.1:{port}/v1") for name, port in ports]
    known = {each.base_url for each in places}
    backend, address = app.config.text("llm.backend"), app.config.text_or_none("llm.base_url") or ""
    mine = AGENTS.get(backend, backend) if backend != OFFLINE and address else ""
    if mine and address not in known:  # what adjutant.yaml names already
        places.append(Place(CONFIGURED, mine, address, app.secret(KEYS[mine], address) or ""))
        known.add(address)
    for api, base in BASES.items():
        key = app.secret(KEYS[api], base)
        if key and base not in known and mine != api:  # a key in .env belongs to the server that the settings name
            places.append(Place(api, api, base, key))
    offers, found = app.offers(places), list[ModelRoute]()
    for each in offers:
        if each.there or each.place.name in (*BASES, CONFIGURED):
            found.append(ModelRoute(*each.place[:3], each.models, each.why or None))
    for name, api in AGENTS.items():
        if (program := walls.find_program(name, app.environment, [app.tree.root])) is None:
            continue
        why = f"{program.path} was found, but no server that it can ask: it needs {KEYS[api]} in .env"
        servers = (ModelRoute(name, name, each.place.base_url, each.models) for each in offers if each.place.api == api)
        found.append(next((each for each in servers if each.models), ModelRoute(name, name, BASES[api], (), why)))
    return found


def _find_named(name: str, ways: list[ModelRoute], choices: dict[str, ModelChoice]) -> ModelChoice:
    by_way = {way.name: (way, model) for way, model in reversed(choices.values())}
    by_model = {model: (way, model) for way, model in reversed(choices.values())}
    head, _, model = name.partition("/")  # a server that names no models takes what it is asked for
    silent = (each for each in ways if each.name == head and model and not each.models and each.backend in BASES)
    any_model = next(((way, model) for way in silent), None)
    if found := choices.get(name) or by_model.get(name) or by_way.get(name) or any_model:
        return found
    there = ", ".join([*choices][:SHOWN]) or "nothing"
    raise UsageError(f"no model {name[:80]!r} here; found: {there}", "adjutant model lists what is there")


def _choose(app: App, found: list[ModelRoute], choice: ModelChoice | None) -> Outcome:
    """Writes the settings, and asks one question; `choice` None: rules answer from now on."""
    config, told = _write(app, choice)
    way, model = choice or (ModelRoute(OFFLINE, OFFLINE, "", ()), None)
    chosen = {"name": way.name, "backend": way.backend, "base_url": way.base_url or None, "model": model}
    result: Row = {"found": [each._asdict() for each in found], "chosen": chosen, "tried": None}
    if choice is None:
        return Outcome(result, ["adjutant.yaml: llm.backend is offline; rules answer", *told])
    lines = [f"adjutant.yaml: llm.backend {way.backend}, {way.base_url}, {model}", *told]
    follow = [("adjutant model test", "a day of an invented life: what it tells, and its cost")]
    if app.dry_run or switches.is_on(app.tree.paused):
        said = "dry run: nothing is written and nobody is asked" if app.dry_run else "PAUSED is set: nobody is asked"
    else:
        result["tried"], went, replied = trial.try_model(app, config)
        said = f"{way.name} {model}: {went}"
        if not replied:
            raise ModelUnavailable(said, KEPT, details=result)
    return Outcome(result, [*lines, said], next_actions=follow)


def _write(app: App, choice: ModelChoice | None) -> tuple[settings.Config, list[str]]:
    """adjutant.yaml with the choice in it, everything else as it was; and what else a person should know."""
    data = app.files.read(app.tree.config, settings.MAX_BYTES)
    text, told = data.decode("utf-8", "surrogateescape"), list[str]()
    wanted: dict[str, str | None] = {"llm.backend": OFFLINE}
    if choice is not None:
        way, model = choice
        wanted = {"llm.models.cheap": model}
        for name in ("llm.models.medium", "llm.models.expensive"):
            before = app.config.text_or_none(name)
            if before not in (None, model, *way.models):
                wanted[name] = None
                told.append(f"{name} was {before}, of another server: it is null now, so the cheap one answers")
        wanted |= {"llm.base_url": way.base_url, "llm.backend": way.backend}
    had, mark, by_hand = settings.parse(data), edits.BOM * text.startswith(edits.BOM), "set `llm:` by hand"
    try:
        text = text.removeprefix(edits.BOM)
        for name, value in wanted.items():
            text = edits.with_value(text, settings.NAME, name.split("."), value)
        changed = f"{mark}{text}".encode("utf-8", "surrogateescape")
        after = settings.parse(changed)
    except (edits.EditRefused, ConfigInvalid) as refused:
        raise ConfigInvalid(f"{refused}", f"{by_hand}; nothing was changed") from refused
    meant = (had.values | wanted, had.judgements, had.specialists)
    if (after.values, after.judgements, after.specialists) != meant:
        what = f"{settings.NAME}: it is written in a way that cannot be edited for certain"
        raise ConfigInvalid(what, f"{by_hand}; nothing was changed")
    if changed != data:
        app.files.replace(app.tree.config, changed, expect=sha256(data).hexdigest())
    return after, told


def _test(app: App) -> Outcome:
    config = app.config
    if app.dry_run:
        return Outcome({"days": []}, ["dry run: nobody is asked"])
    days = []
    if config.text("llm.backend") != OFFLINE:
        name = config.text_or_none("llm.models.cheap") or ""
        app.progress(f"a day of an invented life, with {name}")
        days.append(trial.live(app, config, f"{name} over {config.text('llm.backend')}"))
    app.progress("a day of an invented life, by rules alone")
    rules = settings.Config({**config.values, "llm.backend": OFFLINE}, {}, {})
    days.append(trial.live(app, rules, "rules alone"))
    app.progress("")
    first, lines, error = days[0], trial.table(days), None
    if len(days) == 1:
        lines.append("no model is configured: `adjutant model` finds one")
    if degraded := first["degraded"]:
        lines.append(f"{first['name']} was not always available ({degraded}): rules answered in its place")
        error = None if first["tokens_out"] else ModelUnavailable(f"{first['name']} answered nothing ({degraded})")
    return Outcome({"days": days, **first}, lines, error=error)
