"""STAGE. doctor: everything that may need a hand, one line each, with its fix. Repairs nothing by itself."""

from __future__ import annotations

import os
import shlex
import stat
import subprocess
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from adjutant.app import App, Outcome, names
from adjutant.children import crontab
from adjutant.domain.forgetting import acts
from adjutant.domain.heartbeat import failures, silence
from adjutant.domain.matters import opened
from adjutant.domain.memory.shelf import Shelf
from adjutant.domain.recall import meaning, servers
from adjutant.domain.schedule import past
from adjutant.domain.schedule.crontab import held, wanted_block
from adjutant.domain.telling import notices
from adjutant.errors import AdjutantError, CheckFailed, CronUnavailable
from adjutant.judgements import templates
from adjutant.judgements.judgement import JUDGEMENTS, load
from adjutant.records import behavior_history, evolution_log, heartbeat, insights, layers, ledger, registry, tasks
from adjutant.records.suggestion import PENDING
from adjutant.store import index_look, jsonl
from adjutant.store.own_secrets import SHORTEST_SOUGHT, own_secrets
from adjutant.store.tree import LAYERS

if TYPE_CHECKING:
    import argparse
from adjutant.domain.telemetry import outside
from adjutant.domain.telemetry.outside import HealthCheck

READS = names(
    """
    config env identity prompts registry knowledge_bases pending sent notes notes_archive actions notices usage events
    marks wisdom_log evolution evolution_log last_heartbeat schedule_state pulse contract tasks notify_counts
    interactions index quarantine conflicts page_keys
    """
)
WRITES = ("cache",)
FOLDERS = names("root state journal pending sent identity knowledge_bases memory notes skills evolution locks cache")
LOG_LIMIT = 20 * 1024 * 1024
NAMED = 5
LET_IN = "mend its mode or owner, raise the limit named, or leave it out (.adjutantignore)"
TOLD_OF = {
    "cap": "the tokens of llm.caps were used up: rules answered the rest",
    "limit": "limits.model_calls_per_run was reached: rules answered the rest",
}
TRACKED_FILES, TRACKED_BYTES = 5000, 1024 * 1024


def run(app: App, args: argparse.Namespace) -> Outcome:
    """Result {checks[{name, ok, detail, fix}]}; exit 1 when something needs a hand."""
    checks: list[HealthCheck] = []
    for group in (
        _config,
        _env,
        _tracked,
        _folders,
        outside.clock,
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
        outside.agent,
        outside.model_server,
        outside.key,
        outside.ways,
        outside.channel,
        outside.page,
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


def _guarded(group: Callable[[App], Iterator[HealthCheck]], app: App) -> list[HealthCheck]:
    """A check that meets a damaged file becomes a finding; the others go on."""
    found: list[HealthCheck] = []
    try:
        found.extend(group(app))
    except AdjutantError as error:
        found.append(HealthCheck(group.__name__.strip("_"), False, error.message, error.fix))
    except OSError as error:
        found.append(
            HealthCheck(group.__name__.strip("_"), False, f"{error.filename}: {error.strerror}", "repair permissions")
        )
    return found


def _config(app: App) -> Iterator[HealthCheck]:
    broken = app.config_error
    yield HealthCheck(
        "config", broken is None, broken.message if broken else "adjutant.yaml is right", broken.fix if broken else ""
    )


def _env(app: App) -> Iterator[HealthCheck]:
    try:
        mode = os.stat(app.tree.env).st_mode
    except FileNotFoundError:
        yield HealthCheck("secrets", True, "no .env; secrets come from the environment or are not needed")
        return
    closed = not stat.S_IMODE(mode) & 0o077
    yield HealthCheck(
        "secrets", closed, ".env is readable by you alone" if closed else ".env can be read by others", "chmod 600 .env"
    )


def _tracked(app: App) -> Iterator[HealthCheck]:
    """Secrets in files that git tracks: the values are looked for here, never handed to another program."""
    own = own_secrets(app.files, app.secret, {})
    values = [value.encode("utf-8", "surrogateescape") for value in own if len(value) >= SHORTEST_SOUGHT]
    names = _git_files(app.tree.root) if values else []
    held = [name for name in names[:TRACKED_FILES] if any(value in _head(app.tree.inside(name)) for value in values)]
    detail = f"a secret stands in {', '.join(held[:5])}" if held else "no secret in a tracked file"
    yield HealthCheck("tracked", not held, detail, "take it out of the file and change the secret: git remembers it")


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


def _folders(app: App) -> Iterator[HealthCheck]:
    closed, fixed = [], []
    for name in FOLDERS:
        folder = getattr(app.tree, name)
        if os.path.isdir(folder):
            shown = app.tree.relative(folder) if folder != app.tree.root else "."
            closed += [] if os.access(folder, os.R_OK | os.X_OK) else [shown]
            fixed += [] if os.access(folder, os.W_OK) or shown in closed else [shown]
    bad = [f"cannot be {what}: {', '.join(names)}" for what, names in (("read", closed), ("written", fixed)) if names]
    yield HealthCheck(
        "folders", not bad, "; ".join(bad) or "can be read and written", "mend the mode, or the owner (chown -R)"
    )
    wide = os.path.isdir(app.tree.state) and bool(os.stat(app.tree.state).st_mode & 0o077)
    detail = "state/ can be read by others" if wide else "no other user can look into state/"
    yield HealthCheck("state", not wide, detail, f"chmod 700 {shlex.quote(os.path.realpath(app.tree.state))}")


def _layers(app: App) -> Iterator[HealthCheck]:
    for name in LAYERS:
        try:
            layer = layers.read(app.files, app.config, name)
        except AdjutantError as error:
            yield HealthCheck(f"layer {name}", False, error.message, error.fix)
            continue
        if layer.missing:
            needed = name in ("soul", "heart")
            yield HealthCheck(f"layer {name}", not needed, f"{layer.path} is missing", f"write {layer.path}")
        else:
            detail = layer.problem or f"{len(layer.text)} of {layer.max_chars} characters"
            yield HealthCheck(
                f"layer {name}", layer.problem is None, detail, f"shorten {layer.path} or raise its limit"
            )


def _prompts(app: App) -> Iterator[HealthCheck]:
    problems = []
    for name in JUDGEMENTS:
        try:
            templates.check_own(app.files, load(name).TEMPLATE)
        except AdjutantError as error:
            problems.append(error.message)
    yield HealthCheck(
        "prompts", not problems, "; ".join(problems) or "all templates compile", "repair or delete the template named"
    )


def _knowledge(app: App) -> Iterator[HealthCheck]:
    kbs = registry.load(app.files)
    if not kbs:
        yield HealthCheck("knowledge bases", True, "none registered yet: `adjutant kb add NAME PATH`")
    first: dict[str, str] = {}
    seen: set[str] = set()
    for kb in kbs:
        if kb.enabled and (other := first.setdefault(os.path.realpath(kb.folder), kb.name)) != kb.name:
            yield HealthCheck(
                f"kb {kb.name}",
                False,
                f"the same folder as {other}: everything in it is found twice",
                f"adjutant kb remove {kb.name}",
            )
            continue
        try:
            found = opened.list_files(kb, opened.limits_of(app.config))
        except OSError as error:
            yield HealthCheck(
                f"kb {kb.name}", not kb.enabled, f"{kb.folder}: {error.strerror}", f"adjutant kb info {kb.name}"
            )
            continue
        more = f", {len(found.skipped)} left out" if found.skipped else ""
        yield HealthCheck(f"kb {kb.name}", True, f"{len(found.entries)} files{more}")
        lost = [f"{each.path}: {each.reason}" if each.path else each.reason for each in found.skipped if each.lost]
        seen |= {f"{kb.name}: {each}" for each in lost}
        if lost:
            told = "; ".join(lost[:NAMED]) + (f"; and {len(lost) - NAMED} more" if len(lost) > NAMED else "")
            yield HealthCheck(f"kb {kb.name}, not read", False, told, f"{LET_IN}; `adjutant kb info {kb.name}`")
    last = next(iter(ledger.read(app.files, type="pulse", tail=1)), {})
    bit = [text for text in last.get("limits") or () if text not in seen]
    bit += [TOLD_OF[word] for word in str(last.get("degraded") or "").split(",") if word in TOLD_OF]
    yield HealthCheck("limits", not bit, "; ".join(bit) or "none bit in the last pulse", "raise the limit named")


def _logs(app: App) -> Iterator[HealthCheck]:
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
            yield HealthCheck(
                name,
                False,
                f"{name}:{bad[0]}: not a record ({len(bad)} such lines)",
                "a torn last line is set aside at the next append; others: move the line away",
            )
        elif size > LOG_LIMIT:
            yield HealthCheck(
                name,
                False,
                f"{size // 1024 // 1024} MB",
                f"adjutant ledger rotate --file {name.split('/')[-1]} --keep 10000",
            )
        else:
            yield HealthCheck(name, True, f"{size} bytes, every line a record")


def _state(app: App) -> Iterator[HealthCheck]:
    for name, read in (
        ("last_heartbeat.json", heartbeat.read_last),
        ("pulse.json", silence.load),
        ("schedule.json", past.load),
        ("contract.json", behavior_history.held),
    ):
        try:
            read(app.files)
        except AdjutantError as error:
            yield HealthCheck(name, False, error.message, error.fix)
    problems = notices.status(app.files, app.config, app.clock)["problems"]
    yield HealthCheck(
        "budget", not problems, "; ".join(problems) or "the count file is right", "correct or delete the file named"
    )
    for problem in tasks.every(app.files)[1]:
        yield HealthCheck("task", False, problem, "restore it, or move it away")
    kept = app.files.names(app.tree.conflicts)
    yield HealthCheck(
        "conflicts",
        not kept,
        f"{len(kept)} proposals wait in state/conflicts/" if kept else "none",
        "compare each with its file, take what you want, delete it",
    )
    aside = app.files.names(app.tree.quarantine)
    yield HealthCheck("quarantine", True, f"{len(aside)} files set aside in state/quarantine/" if aside else "empty")


def _insights(app: App) -> Iterator[HealthCheck]:
    good, damaged = insights.pending(app.files)
    for name, reason in damaged:
        yield HealthCheck(f"insight {name}", False, reason, "repair its frontmatter or move it away")
    for name, reason in insights.damaged_sent(app.files):
        yield HealthCheck(f"insight {name}", False, reason, "repair its frontmatter or move it away")
    yield HealthCheck("insights", True, f"{len(good)} pending")


def _notes(app: App) -> Iterator[HealthCheck]:
    shelf = Shelf(app.files)
    count = len(shelf.all())
    for path, reason in shelf.damaged.items():
        yield HealthCheck(f"note {os.path.basename(path)}", False, reason, "repair its frontmatter or move it away")
    for act in acts.unfinished(app.files):
        yield HealthCheck(f"note {act.note}", False, f"a run that was to {act.verb} it was cut", "adjutant memory list")
    yield HealthCheck("notes", True, f"{count} notes")


def _evolution(app: App) -> Iterator[HealthCheck]:
    """Suggestions that were altered, or decided on by a run that was interrupted."""
    name, state = app.tree.relative(app.tree.evolution_log), evolution_log.read(app.files)
    torn = set(jsonl.damaged_lines(app.files, app.tree.evolution_log))
    altered = [line for line in state.damaged if line not in torn]
    if altered:
        yield HealthCheck(
            "suggestions",
            False,
            f"{name}:{altered[0]}: altered since it was written, and left out",
            "restore the line, or move it away",
        )
    for change in state.open:
        yield HealthCheck(
            f"suggestion {change.id}", False, f"a change of {change.path} was interrupted", evolution_log.COMPLETED_BY
        )
    waiting = sum(held.status == PENDING for held in state.held.values())
    told = f"waiting for you: {waiting}, see `adjutant evolve list`" if waiting else "none waits"
    yield HealthCheck("evolve", True, told)


def _index(app: App) -> Iterator[HealthCheck]:
    problem, documents = index_look.look(app.tree.index)
    detail = f"{problem}: nothing is lost, the next run makes it anew" if problem else f"{documents} documents"
    yield HealthCheck("index", not problem, detail, "adjutant index")


def _mirrors(app: App) -> Iterator[HealthCheck]:
    for name, good, detail, fix in (*servers.findings(app), *meaning.findings(app)):
        yield HealthCheck(name, good, detail, fix)


def _failing(app: App) -> Iterator[HealthCheck]:
    """Scheduled stages whose latest runs failed."""
    for row in app.table.TABLE:
        if row.schedule and (count := failures.in_a_row(app.files, app.clock, row.schedule)):
            times = "its last run failed" if count == 1 else f"its last {count} runs failed"
            yield HealthCheck(f"stage {row.schedule}", False, times, f"adjutant ledger --type {row.schedule} --tail 3")


def _cron(app: App) -> Iterator[HealthCheck]:
    """Are the entries of this instance in the crontab, and are they what adjutant.yaml asks for?"""
    fix = "adjutant schedule install"
    try:
        found = held(crontab.Crontab(app.environment).read(), app.tree.root)
    except CronUnavailable as error:
        yield HealthCheck("cron", True, f"not scheduled: {error.message}; docs/cron.md has systemd timers")
        return
    if found is None:
        gone = past.read(app.files, app.clock, ())[0] is not None
        detail = "the entries are no longer in the crontab" if gone else f"not scheduled: `{fix}`"
        yield HealthCheck("cron", not gone, detail, f"{fix}; or, if you want none, adjutant schedule remove")
        return
    wanted = wanted_block(app) if app.config_error is None else None
    if wanted is not None and found != wanted.text():
        yield HealthCheck("cron", False, "the entries in the crontab differ from adjutant.yaml", fix)
        return
    told = "the entries are in the crontab" + (", as adjutant.yaml says" if wanted is not None else "")
    asleep = "; no cron daemon seems to run here" if crontab.daemon_runs() is False else ""
    yield HealthCheck("cron", True, told + asleep)
