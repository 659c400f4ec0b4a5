"""STAGE. doctor: everything that may need a hand, one line each, with its fix. Repairs nothing by itself."""

import os
import shlex
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress

from adjutant.app import App, Args, Outcome, Row, cut_list, names, plural
from adjutant.children import child, crontab
from adjutant.domain.forgetting import acts
from adjutant.domain.heartbeat import failures, silence
from adjutant.domain.matters import opened
from adjutant.domain.memory.shelf import Shelf
from adjutant.domain.recall import servers
from adjutant.domain.schedule import due
from adjutant.domain.schedule.crontab import encode, find_block, plan_block
from adjutant.domain.telemetry import outside
from adjutant.domain.telling import standing
from adjutant.errors import AdjutantError, CheckFailed, CronUnavailable
from adjutant.judgements import hearing, templates
from adjutant.records import behavior_history, evolution_log, insights, instance, layers, ledger, queue, registry
from adjutant.records.suggestion import PENDING
from adjutant.store import copies, index_tables, jsonl, tree
from adjutant.store.files import Files
from adjutant.store.own_secrets import SHORTEST_SOUGHT, own_secrets

FOLDERS = names("root state journal pending sent identity knowledge_bases memory notes skills evolution locks cache")
LOG_LIMIT = 20 * 1024 * 1024
NAMED = 5
LET_IN = "mend its mode or owner, raise the limit named, or leave it out (.adjutantignore)"
TOLD_OF = {
    "cap": "the tokens of llm.caps were used up: rules answered the rest",
    "limit": "limits.model_calls_per_run was reached: rules answered the rest",
}
MEND = "repair its frontmatter or move it away"
TORN = "a torn last line is set aside at the next append; others: move the line away"
TRACKED_FILES, TRACKED_BYTES, GIT_BYTES = 5000, 1 << 20, 64 << 20


def run(app: App, args: Args) -> Outcome:
    """Exit 1 when something needs a hand."""
    checks, lines, fixes = list[Row](), list[str](), list[str]()
    for name, problem, good, fix in (finding for group in GROUPS for finding in _guard(group, app)):
        checks.append({"name": name, "ok": not problem, "detail": problem or good, "fix": fix})
        lines.append(f"{'BAD' if problem else 'ok '} {name}: {problem or good}")
        lines += [f"      fix: {fix}"] if problem and fix else []
        fixes += [fix] if problem else []
    told = "; ".join(dict.fromkeys(filter(None, fixes)))
    error = CheckFailed(f"{len(fixes)} of {len(checks)} checks need a hand", told) if fixes else None
    return Outcome({"checks": checks}, lines, error=error)


def _guard(group: Callable[[App], Iterable[outside.Finding]], app: App) -> Iterator[outside.Finding]:
    """A check that meets a damaged file becomes a finding; the others go on."""
    name = group.__name__.strip("_")
    try:
        yield from group(app)
    except AdjutantError as error:
        yield name, error.message, "", error.fix
    except OSError as error:
        yield name, f"{error.filename}: {error.strerror}", "", "repair permissions"


def _config(app: App) -> Iterator[outside.Finding]:
    broken, env = app.config_error, app.tree.env
    yield "config", broken.message if broken else "", "adjutant.yaml is right", broken.fix if broken else ""
    wide = os.path.exists(env) and os.stat(env).st_mode & 0o077
    yield "secrets", ".env can be read by others" if wide else "", "no .env that others can read", "chmod 600 .env"


def _git_files(app: App) -> Iterator[outside.Finding]:
    """Secrets in files that git tracks: the values are looked for here, never handed to another program."""
    own = own_secrets(app.files, app.secret, {})
    values = [value.encode("utf-8", "surrogateescape") for value in own if len(value) >= SHORTEST_SOUGHT]
    command, environment = ["git", "-C", app.tree.root, "ls-files", "-z"], {"PATH": os.defpath, "LC_ALL": "C"}
    listed, held = b"", []
    if values:
        with suppress(OSError):  # no git here
            listed = child.run(command, env=environment, cwd="/", seconds=10.0, out_limit=GIT_BYTES).out
    for name in map(os.fsdecode, listed.split(b"\0")[:-1][:TRACKED_FILES]):
        try:
            with open(app.tree.inside(name), "rb") as file:
                head = file.read(TRACKED_BYTES)
        except OSError:
            continue
        held += [name] if any(value in head for value in values) else []
    problem = f"a secret stands in {', '.join(held[:NAMED])}" if held else ""
    fix = "take it out of the file and change the secret: git remembers it"
    yield "tracked", problem, "no secret in a tracked file", fix


def _folders(app: App) -> Iterator[outside.Finding]:
    refused = []
    for folder in filter(os.path.isdir, (getattr(app.tree, name) for name in FOLDERS)):
        if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
            refused.append(app.tree.relative(folder) if folder != app.tree.root else ".")
    problem = f"cannot be read or written: {', '.join(refused)}" if refused else ""
    yield "folders", problem, "can be read and written", "mend the mode, or the owner (chown -R)"
    state = app.tree.state
    wide = os.path.isdir(state) and bool(os.stat(state).st_mode & 0o077)
    fix = f"chmod 700 {shlex.quote(os.path.realpath(state))}"
    yield "state", "state/ can be read by others" if wide else "", "no other user can look into state/", fix


def _layers(app: App) -> Iterator[outside.Finding]:
    for name in tree.LAYERS:
        try:
            layer = layers.read(app.files, app.config, name)
        except AdjutantError as error:
            yield f"layer {name}", error.message, "", error.fix
            continue
        told, fix = f"{len(layer.text)} of {layer.max_chars} characters", f"shorten {layer.path} or raise its limit"
        problem = layer.problem or ""
        if layer.missing:
            told, fix = f"{layer.path} is missing", f"write {layer.path}"
            problem = told if name in ("soul", "heart") else ""
        yield f"layer {name}", problem, told, fix


def _prompts(app: App) -> Iterator[outside.Finding]:
    problems = []
    for name in hearing.JUDGEMENTS:
        try:
            templates.load(app.files, hearing.load_judgement(name).TEMPLATE)
        except AdjutantError as error:
            problems.append(error.message)
    yield "prompts", "; ".join(problems), "all templates compile", "repair or delete the template named"


def _knowledge(app: App) -> Iterator[outside.Finding]:
    kbs = registry.load(app.files)
    if not kbs:
        yield "knowledge bases", "", "none registered yet: `adjutant kb add NAME PATH`", ""
    first, seen = dict[str, str](), set[str]()
    for kb in kbs:
        title = f"kb {kb.name}"
        if kb.enabled and (other := first.setdefault(os.path.realpath(kb.folder), kb.name)) != kb.name:
            problem = f"the same folder as {other}: everything in it is found twice"
            yield title, problem, "", f"adjutant kb remove {kb.name}"
            continue
        try:
            found = opened.list_files(kb, opened.limits_of(app.config))
        except OSError as error:
            why = f"{kb.folder}: {error.strerror}"
            yield title, why if kb.enabled else "", why, f"adjutant kb info {kb.name}"
            continue
        more = f", {len(found.skipped)} left out" if found.skipped else ""
        yield title, "", f"{plural(len(found.entries), 'file')}{more}", ""
        lost = [f"{each.path}: {each.reason}" if each.path else each.reason for each in found.skipped if each.lost]
        seen |= {f"{kb.name}: {each}" for each in lost}
        if lost:
            yield f"{title}, not read", "; ".join(cut_list(lost, NAMED)), "", f"{LET_IN}; `adjutant kb info {kb.name}`"
    last = next(iter(ledger.read(app.files, type="pulse", tail=1)), {})
    bit = [text for text in last.get("limits") or () if text not in seen]
    bit += [TOLD_OF[word] for word in str(last.get("degraded") or "").split(",") if word in TOLD_OF]
    yield "limits", "; ".join(bit), "no limit was hit in the last pulse", "raise the limit named"


def _logs(app: App) -> Iterator[outside.Finding]:
    for path in (getattr(app.tree, log) for log in LOGS):
        name = app.tree.relative(path)
        try:
            size = os.lstat(path).st_size
        except FileNotFoundError:
            continue
        problem = f"{size // 1024 // 1024} MB" if size > LOG_LIMIT else ""
        fix = f"adjutant ledger rotate --file {os.path.basename(path)} --keep 10000"
        if bad := jsonl.find_damaged(app.files, path):
            problem, fix = f"{name}:{bad[0]}: not a record ({len(bad)} such lines)", TORN
        yield name, problem, f"{size} bytes, every line a record", fix if problem else ""


def _state(app: App) -> Iterator[outside.Finding]:
    files = app.files
    for name, read in STATE.items():
        try:
            read(files)
        except AdjutantError as error:
            yield name, error.message, "", error.fix
    told = standing.status(files, app.config, app.clock)
    yield "budget", "; ".join(told["problems"]), "the count file is right", "correct or delete the file named"
    if told["down"]:
        yield "channels", "; ".join(told["down"]), "", "look at the channel; its next notice tries it again"
    for problem in queue.list_tasks(files)[1] + queue.list_jobs(files)[1]:
        yield "task", problem, "", "restore it, or move it away"
    kept = files.names(app.tree.conflicts)
    problem = f"{len(kept)} proposals wait in state/conflicts/" if kept else ""
    yield "conflicts", problem, "none", "compare each with its file, take what you want, delete it"
    aside = files.names(app.tree.quarantine)
    yield "quarantine", "", f"{len(aside)} files set aside in state/quarantine/" if aside else "empty", ""


def _machines(app: App) -> Iterator[outside.Finding]:
    others = [each for each in instance.list_hosts(app.files, app.clock.now()) if each != app.host]
    named = app.config.text_or_none("instance.primary")
    problem = f"{', '.join(others)} looked for this tree too, and none is named to tell" if others and not named else ""
    good = f"{named} sends the notices" if named else "this machine sends the notices"
    yield "machines", problem, good, f"set instance.primary in adjutant.yaml, such as {app.host}"
    found = [app.tree.relative(path) for path, _ in copies.find(app.tree)]
    yield "conflict copies", ", ".join(cut_list(found, NAMED)), "none", "adjutant merge"


def _insights(app: App) -> Iterator[outside.Finding]:
    good, damaged = insights.pending(app.files)
    for name, reason in (*damaged, *insights.find_damaged_sent(app.files)):
        yield f"insight {name}", reason, "", MEND
    yield "insights", "", f"{len(good)} pending", ""


def _notes(app: App) -> Iterator[outside.Finding]:
    shelf = Shelf(app.files)
    count = len(shelf.all())
    for path, reason in shelf.damaged.items():
        yield f"note {os.path.basename(path)}", reason, "", MEND
    for act in acts.list_unfinished(app.files):
        yield f"note {act.note}", f"a run that was to {act.verb} it was cut", "", "adjutant memory list"
    yield "notes", "", f"{count} notes", ""


def _evolution(app: App) -> Iterator[outside.Finding]:
    name, state = app.tree.relative(app.tree.evolution_log), evolution_log.read(app.files)
    torn = set(jsonl.find_damaged(app.files, app.tree.evolution_log))
    for line in [line for line in state.damaged if line not in torn][:1]:
        problem = f"{name}:{line}: altered since it was written, and left out"
        yield "suggestions", problem, "", "restore the line, or move it away"
    for change in state.open.values():
        yield f"suggestion {change.id}", f"a change of {change.path} was interrupted", "", evolution_log.COMPLETED_BY
    waiting = sum(held.status == PENDING for held in state.held.values())
    yield "evolve", "", f"waiting for you: {waiting}, see `adjutant evolve list`", ""


def _index(app: App) -> Iterator[outside.Finding]:
    problem, documents = index_tables.look(app.tree.index)
    told = f"{problem}: nothing is lost, the next run makes it anew" if problem else ""
    yield "index", told, f"{documents} documents", "adjutant index"
    yield from servers.findings(app)


def _failing(app: App) -> Iterator[outside.Finding]:
    for row in app.table.TABLE:
        if row.schedule and (count := failures.in_a_row(app.files, app.clock, row.schedule)):
            times = "its last run failed" if count == 1 else f"its last {count} runs failed"
            yield f"stage {row.schedule}", times, "", f"adjutant ledger --type {row.schedule} --tail 3"


def _cron(app: App) -> Iterator[outside.Finding]:
    fix = "adjutant schedule install"
    try:
        found = find_block(crontab.Crontab(app.environment).read(), app.tree.root)
    except CronUnavailable as error:
        yield "cron", "", f"not scheduled: {error.message}; docs/cron.md has systemd timers", ""
        return
    if found is None:
        gone = due.read(app.files, app.clock, ())[0] is not None
        problem = "the entries are no longer in the crontab" if gone else ""
        yield "cron", problem, f"not scheduled: `{fix}`", f"{fix}; or, for none, adjutant schedule remove"
        return
    differs = app.config_error is None and found != encode(plan_block(app))
    asleep = "; no cron daemon seems to run here" if crontab.daemon_runs() is False else ""
    problem = "the entries in the crontab differ from adjutant.yaml" if differs else ""
    told = "the entries are in the crontab" + (", as adjutant.yaml says" if app.config_error is None else "")
    yield "cron", problem, f"{told}{asleep}", fix if differs else ""


LOGS = names("actions notices usage events interactions marks wisdom_log evolution_log")
STATE: dict[str, Callable[[Files], object]] = {"last_heartbeat.json": ledger.read_last, "pulse.json": silence.load}
STATE |= {"schedule.json": due.load, "contract.json": behavior_history.read_contract}
GROUPS: tuple[Callable[[App], Iterable[outside.Finding]], ...] = (
    *(_config, _git_files, _folders, _layers, _prompts, _knowledge, _logs, _state, _machines, _insights),
    *(_notes, _evolution, _index, outside.agent, outside.model_server, outside.key, outside.ways),
    *(outside.channel, outside.page, _failing, _cron),
)
