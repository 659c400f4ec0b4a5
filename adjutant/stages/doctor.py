"""STAGE. doctor: everything that may need a hand, one line each, with its fix. Repairs nothing by itself."""

from __future__ import annotations

import os
import shlex
import socket
import stat
import subprocess
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from adjutant.app import App, Outcome, names
from adjutant.children import crontab, programs, walls
from adjutant.domain.heartbeat import failures, silence
from adjutant.domain.matters import opened
from adjutant.domain.memory.shelf import Shelf
from adjutant.domain.recall import meaning, servers
from adjutant.domain.schedule import entries, past
from adjutant.domain.schedule.crontab import held
from adjutant.domain.telling import notices
from adjutant.errors import AdjutantError, CheckFailed, CronUnavailable
from adjutant.judgements import templates
from adjutant.judgements.judgement import JUDGEMENTS, load
from adjutant.records import behavior_history, evolution_log, heartbeat, insights, layers, registry, tasks
from adjutant.records.suggestion import PENDING
from adjutant.store import index_look, jsonl
from adjutant.store.own_secrets import SHORTEST_SOUGHT, own_secrets
from adjutant.store.settings import AGENTS, BASES, KEYS
from adjutant.store.tree import LAYERS

if TYPE_CHECKING:
    import argparse

READS = names(
    """
    config env identity prompts registry knowledge_bases pending sent notes actions notices usage events
    marks wisdom_log evolution evolution_log last_heartbeat schedule_state pulse contract tasks notify_counts
    interactions index quarantine conflicts
    """
)
WRITES = ("cache",)
LOG_LIMIT = 20 * 1024 * 1024
TRACKED_FILES, TRACKED_BYTES = 5000, 1024 * 1024
CONNECT_SECONDS = 2.0


class Check:
    """One line of the report."""

    __slots__ = ("detail", "fix", "name", "ok")

    def __init__(self, name: str, ok: bool, detail: str, fix: str = "") -> None:
        self.name, self.ok, self.detail, self.fix = name, ok, detail, fix


def run(app: App, args: argparse.Namespace) -> Outcome:
    """Result {checks[{name, ok, detail, fix}]}; exit 1 when something needs a hand."""
    checks: list[Check] = []
    for group in (
        _config,
        _env,
        _tracked,
        _folders,
        _layers,
        _prompts,
        _knowledge,
        _logs,
        _state,
        _insights,
        _notes,
        _evolution,
        _index,
        _mirrors,
        _agent,
        _servers,
        _key,
        _channel,
        _failing,
        _cron,
    ):
        checks += _guarded(group, app)
    result = {"checks": [{"name": c.name, "ok": c.ok, "detail": c.detail, "fix": c.fix} for c in checks]}
    bad = [check for check in checks if not check.ok]
    lines = [
        f"{'ok ' if c.ok else 'BAD'} {c.name}: {c.detail}" + (f"\n      fix: {c.fix}" if c.fix and not c.ok else "")
        for c in checks
    ]
    if not bad:
        return Outcome(result, lines)
    error = CheckFailed(
        f"{len(bad)} of {len(checks)} checks need a hand", "; ".join(dict.fromkeys(c.fix for c in bad if c.fix))
    )
    return Outcome(result, lines, error=error)


def _guarded(group: Callable[[App], Iterator[Check]], app: App) -> list[Check]:
    """A check that meets a damaged file becomes a finding; the others go on."""
    found: list[Check] = []
    try:
        found.extend(group(app))
    except AdjutantError as error:
        found.append(Check(group.__name__.strip("_"), False, error.message, error.fix))
    except OSError as error:
        found.append(
            Check(group.__name__.strip("_"), False, f"{error.filename}: {error.strerror}", "repair permissions")
        )
    return found


def _config(app: App) -> Iterator[Check]:
    broken = app.config_error
    yield Check(
        "config", broken is None, broken.message if broken else "adjutant.yaml is right", broken.fix if broken else ""
    )


def _env(app: App) -> Iterator[Check]:
    try:
        mode = os.stat(app.tree.env).st_mode
    except FileNotFoundError:
        yield Check("secrets", True, "no .env; secrets come from the environment or are not needed")
        return
    closed = not stat.S_IMODE(mode) & 0o077
    yield Check(
        "secrets", closed, ".env is readable by you alone" if closed else ".env can be read by others", "chmod 600 .env"
    )


def _tracked(app: App) -> Iterator[Check]:
    """Secrets in files that git tracks: the values are looked for here, never handed to another program."""
    own = own_secrets(app.files, app.secret, {})
    values = [value.encode("utf-8", "surrogateescape") for value in own if len(value) >= SHORTEST_SOUGHT]
    names = _git_files(app.tree.root) if values else []
    held = [name for name in names[:TRACKED_FILES] if any(value in _head(app.tree.inside(name)) for value in values)]
    detail = f"a secret stands in {', '.join(held[:5])}" if held else "no secret in a tracked file"
    yield Check("tracked", not held, detail, "take it out of the file and change the secret: git remembers it")


def _git_files(root: str) -> list[str]:
    environment = {"PATH": os.defpath, "LC_ALL": "C"}
    try:
        done = subprocess.run(
            ["git", "-C", root, "ls-files", "-z"],
            env=environment,
            capture_output=True,
            timeout=10,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        return []
    return [os.fsdecode(name) for name in done.stdout.split(b"\0") if name]


def _head(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read(TRACKED_BYTES)
    except OSError:
        return b""


def _folders(app: App) -> Iterator[Check]:
    folders = (app.tree.root, app.tree.state, app.tree.journal, app.tree.pending, app.tree.sent)
    bad = [
        app.tree.relative(folder) for folder in folders if os.path.lexists(folder) and not os.access(folder, os.W_OK)
    ]
    yield Check(
        "folders",
        not bad,
        f"cannot be written: {', '.join(bad)}" if bad else "can be written",
        "repair the owner or mode",
    )
    wide = os.path.isdir(app.tree.state) and bool(os.stat(app.tree.state).st_mode & 0o077)
    detail = "state/ can be read by others" if wide else "no other user can look into state/"
    yield Check("state", not wide, detail, f"chmod 700 {shlex.quote(os.path.realpath(app.tree.state))}")


def _layers(app: App) -> Iterator[Check]:
    for name in LAYERS:
        try:
            layer = layers.read(app.files, app.config, name)
        except AdjutantError as error:
            yield Check(f"layer {name}", False, error.message, error.fix)
            continue
        if layer.missing:
            needed = name in ("soul", "heart")
            yield Check(f"layer {name}", not needed, f"{layer.path} is missing", f"write {layer.path}")
        else:
            detail = layer.problem or f"{len(layer.text)} of {layer.max_chars} characters"
            yield Check(f"layer {name}", layer.problem is None, detail, f"shorten {layer.path} or raise its limit")


def _prompts(app: App) -> Iterator[Check]:
    problems = []
    for name in JUDGEMENTS:
        try:
            templates.check_own(app.files, load(name).TEMPLATE)
        except AdjutantError as error:
            problems.append(error.message)
    yield Check(
        "prompts", not problems, "; ".join(problems) or "all templates compile", "repair or delete the template named"
    )


def _knowledge(app: App) -> Iterator[Check]:
    kbs = registry.load(app.files)
    if not kbs:
        yield Check("knowledge bases", True, "none registered yet: `adjutant kb add NAME PATH`")
    first: dict[str, str] = {}
    for kb in kbs:
        if kb.enabled and (other := first.setdefault(os.path.realpath(kb.folder), kb.name)) != kb.name:
            yield Check(
                f"kb {kb.name}",
                False,
                f"the same folder as {other}: all of it is looked at and found twice",
                f"adjutant kb remove {kb.name}",
            )
            continue
        try:
            found = opened.list_files(kb, opened.limits_of(app.config))
        except OSError as error:
            yield Check(
                f"kb {kb.name}", not kb.enabled, f"{kb.folder}: {error.strerror}", f"adjutant kb info {kb.name}"
            )
            continue
        more = f", {len(found.skipped)} left out" if found.skipped else ""
        yield Check(f"kb {kb.name}", True, f"{len(found.entries)} files{more}")


def _logs(app: App) -> Iterator[Check]:
    tree = app.tree
    logs = (
        tree.actions,
        tree.notices,
        tree.usage,
        tree.events,
        tree.interactions,
        tree.marks,
        tree.wisdom_log,
        tree.evolution_log,
    )
    for path in logs:
        name = app.tree.relative(path)
        try:
            size = os.lstat(path).st_size
        except FileNotFoundError:
            continue
        bad = jsonl.damaged_lines(app.files, path)
        if bad:
            yield Check(
                name,
                False,
                f"{name}:{bad[0]}: not a record ({len(bad)} such lines)",
                "a torn last line is set aside at the next append; others: move the line away",
            )
        elif size > LOG_LIMIT:
            yield Check(
                name,
                False,
                f"{size // 1024 // 1024} MB",
                f"adjutant ledger rotate --file {name.split('/')[-1]} --keep 10000",
            )
        else:
            yield Check(name, True, f"{size} bytes, every line a record")


def _state(app: App) -> Iterator[Check]:
    for name, read in (
        ("last_heartbeat.json", heartbeat.read_last),
        ("pulse.json", silence.load),
        ("schedule.json", past.load),
        ("contract.json", behavior_history.held),
    ):
        try:
            read(app.files)
        except AdjutantError as error:
            yield Check(name, False, error.message, error.fix)
    problems = notices.status(app.files, app.config, app.clock)["problems"]
    yield Check(
        "budget", not problems, "; ".join(problems) or "the count file is right", "correct or delete the file named"
    )
    for problem in tasks.every(app.files)[1]:
        yield Check("task", False, problem, "restore it, or move it away")
    kept = app.files.names(app.tree.conflicts)
    yield Check(
        "conflicts",
        not kept,
        f"{len(kept)} proposals wait in state/conflicts/" if kept else "none",
        "compare each with its file, take what you want, delete it",
    )
    aside = app.files.names(app.tree.quarantine)
    yield Check("quarantine", True, f"{len(aside)} files set aside in state/quarantine/" if aside else "empty")


def _insights(app: App) -> Iterator[Check]:
    good, damaged = insights.pending(app.files)
    for name, reason in damaged:
        yield Check(f"insight {name}", False, reason, "repair its frontmatter or move it away")
    for name, reason in insights.damaged_sent(app.files):
        yield Check(f"insight {name}", False, reason, "repair its frontmatter or move it away")
    yield Check("insights", True, f"{len(good)} pending")


def _notes(app: App) -> Iterator[Check]:
    shelf = Shelf(app.files)
    count = len(shelf.all())
    for path, reason in shelf.damaged.items():
        yield Check(f"note {os.path.basename(path)}", False, reason, "repair its frontmatter or move it away")
    yield Check("notes", True, f"{count} notes")


def _evolution(app: App) -> Iterator[Check]:
    """Suggestions that were altered, or decided on by a run that was cut off."""
    name, state = app.tree.relative(app.tree.evolution_log), evolution_log.read(app.files)
    torn = set(jsonl.damaged_lines(app.files, app.tree.evolution_log))
    altered = [line for line in state.damaged if line not in torn]
    if altered:
        yield Check(
            "suggestions",
            False,
            f"{name}:{altered[0]}: altered since it was written, and left out",
            "restore the line, or move it away",
        )
    for change in state.open:
        yield Check(
            f"suggestion {change.id}", False, f"a change of {change.path} was cut off", evolution_log.COMPLETED_BY
        )
    waiting = sum(held.status == PENDING for held in state.held.values())
    told = f"waiting for you: {waiting}, see `adjutant evolve list`" if waiting else "none waits"
    yield Check("evolve", True, told)


def _index(app: App) -> Iterator[Check]:
    problem, documents = index_look.look(app.tree.index)
    detail = f"{problem}: nothing is lost, the next run makes it anew" if problem else f"{documents} documents"
    yield Check("index", not problem, detail, "adjutant index")


def _mirrors(app: App) -> Iterator[Check]:
    for name, good, detail, fix in (*servers.findings(app), *meaning.findings(app)):
        yield Check(name, good, detail, fix)


def _unreachable(url: str) -> str | None:
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


def _agent(app: App) -> Iterator[Check]:
    """The programs of agents and the walls around them; none is started."""
    own = app.config.text("llm.backend")
    others = {each["backend"]: name for name, each in app.config.specialists.items() if each["backend"]}
    found = [("agent", own, app.config.text_or_none("llm.program") or own, "or put its path into llm.program")]
    found += [
        (f"agent of {name}", backend, backend, "into a folder of PATH")
        for backend, name in others.items()
        if backend != own
    ]
    found = [each for each in found if each[1] in AGENTS]
    for title, backend, named, where in found:
        program = programs.find(named, app.environment)
        if program is None:
            detail = f"{named} is not there, or may not be run"
        else:
            by_cron = programs.find(named, {**app.environment, "PATH": os.defpath}) is not None
            detail = program.path + ("" if by_cron else "; cron does not find it by its name: put it into llm.program")
        yield Check(title, program is not None, detail, f"install {backend}, {where}")
    if not found:
        return
    around = walls.find(app.environment)
    gaps = "; ".join(around.missing())
    if around.kind == walls.BWRAP:
        detail = around.detail
    elif around.kind == walls.LANDLOCK:
        detail = f"{around.detail}: Landlock holds files and connections; not held off: {gaps}"
    else:
        detail = f"{around.detail}; not held off: {gaps}"
    if app.config.specialists and around.kind != walls.BWRAP:
        detail += "; specialists run no commands"
    yield Check("confinement", around.kind != walls.NONE, detail, "apt-get install bubblewrap")


def _servers(app: App) -> Iterator[Check]:
    backend = app.config.text("llm.backend")
    if backend == "offline":
        yield Check("model", True, "offline: rules answer, nothing to reach")
        return
    api = AGENTS.get(backend, backend)
    problem = _unreachable(app.config.text_or_none("llm.base_url") or BASES[api])
    detail = problem or f"{api} can be reached"
    yield Check("model", problem is None, detail, "check llm.base_url, the key and the server")


def _key(app: App) -> Iterator[Check]:
    """The key of a hosted model; a server of the operator's own may need none, and gets none of the environment."""
    backend = app.config.text("llm.backend")
    if backend == "offline":
        return
    api, base = AGENTS.get(backend, backend), app.config.text_or_none("llm.base_url")
    if base is not None:
        if app.secret(KEYS[api]) and not app.secret(KEYS[api], base):
            yield Check("model key", True, f"{KEYS[api]} from the environment is not sent to llm.base_url")
        return
    known = app.secret(KEYS[api]) is not None
    detail = "is set" if known else f"is not set, and {BASES[api]} answers nobody without it"
    yield Check("model key", known, f"{KEYS[api]} {detail}", f"put {KEYS[api]} into .env")


def _channel(app: App) -> Iterator[Check]:
    channel = app.config.text("notifications.channel")
    if channel == "telegram":
        base = app.config.text("messaging.telegram.api_base")
        missing = [name for name in ("TELEGRAM_BOT_TOKEN", "TELEGRAM_CHAT_ID") if not app.secret(name, base)]
        detail = f"{' and '.join(missing)} not set" if missing else "token and chat are set"
        yield Check("telegram", not missing, detail, "put both into .env")
        problem = _unreachable(base)
        fix = "check messaging.telegram.api_base and the network"
        yield Check("telegram server", problem is None, problem or "can be reached", fix)
    elif channel == "command":
        path = app.environment.get("PATH", os.defpath)
        found = _startable(app.config.text("notifications.command"), app.tree.root, path)
        detail = "the program is there" if found else "the program is not there, or may not be run"
        yield Check("notifications.command", found, detail, "name a program that exists, with its full path")


def _startable(command: str, folder: str, path: str) -> bool:
    """Whether there is a program that `notifications.command` would start in `folder`; `path` as in PATH."""
    try:
        name = shlex.split(command)[0]
    except (ValueError, IndexError):
        return False
    places = [os.path.join(place, name) for place in ([folder] if "/" in name else path.split(os.pathsep))]
    return any(os.path.isfile(place) and os.access(place, os.X_OK) for place in places)


def _failing(app: App) -> Iterator[Check]:
    """Scheduled stages whose latest runs failed."""
    for row in app.table.TABLE:
        if row.schedule and (count := failures.in_a_row(app.files, app.clock, row.schedule)):
            times = "its last run failed" if count == 1 else f"its last {count} runs failed"
            yield Check(f"stage {row.schedule}", False, times, f"adjutant ledger --type {row.schedule} --tail 3")


def _cron(app: App) -> Iterator[Check]:
    """Are the entries of this instance in the crontab, and are they what adjutant.yaml asks for?"""
    fix = "adjutant schedule install"
    try:
        found = held(crontab.Crontab(app.environment).read(), app.tree.root)
    except CronUnavailable as error:
        yield Check("cron", True, f"not scheduled: {error.message}; docs/cron.md has systemd timers")
        return
    if found is None:
        gone = past.read(app.files, app.clock, ()).installed is not None
        detail = "the entries are no longer in the crontab" if gone else f"not scheduled: `{fix}`"
        yield Check("cron", not gone, detail, f"{fix}; or, if you want none, adjutant schedule remove")
        return
    wanted = entries.wanted(app) if app.config_error is None else None
    if wanted is not None and found != wanted.text():
        yield Check("cron", False, "the crontab holds other entries than adjutant.yaml asks for", fix)
        return
    told = "the entries are in the crontab" + (", as adjutant.yaml says" if wanted is not None else "")
    asleep = "; no cron daemon is seen running here" if crontab.daemon_runs() is False else ""
    yield Check("cron", True, told + asleep)
