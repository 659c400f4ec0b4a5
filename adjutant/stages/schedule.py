"""STAGE. schedule: the cron entries that wake this instance: show them, put them into the crontab, take them out."""

import os

from adjutant.app import App, Args, Outcome
from adjutant.children.crontab import Crontab, daemon_runs
from adjutant.domain.schedule import due
from adjutant.domain.schedule.crontab import encode, find_block, plan_block, replace_block
from adjutant.errors import CronUnavailable
from adjutant.store.disk import make_folder


def run(app: App, args: Args) -> Outcome:
    """{lines[], installed}: the block, and whether one of this instance stands in the crontab when this returns."""
    if args.subverb == "remove":
        return _remove(app)
    if app.config_error is not None:
        raise app.config_error
    lines = plan_block(app)
    return _show(app, lines) if args.subverb == "show" else _install(app, lines)


def _show(app: App, lines: list[str]) -> Outcome:
    try:
        found = find_block(Crontab(app.environment).read(), app.tree.root)
    except CronUnavailable as error:
        app.say(f"{error.message}: {error.fix}")
        found = None
    if not lines:
        app.say("nothing is scheduled: every key of `schedule:` is null")
    held = "your crontab holds this block" if found == encode(lines) else "your crontab holds an older one"
    app.say(held if found is not None else "not in your crontab")
    follow = [("adjutant schedule install", "put it into your crontab")] if found != encode(lines) and lines else []
    return Outcome({"lines": lines, "installed": found is not None}, lines, next_actions=follow, literal=True)


def _install(app: App, lines: list[str]) -> Outcome:
    if not lines:
        app.say("nothing is scheduled: every key of `schedule:` is null")
        return _remove(app)
    crontab = Crontab(app.environment)
    before = crontab.read()
    after = replace_block(before, app.tree.root, encode(lines))
    if app.dry_run:
        installed = find_block(before, app.tree.root) is not None
        return Outcome({"lines": lines, "installed": installed}, ["would be in your crontab:", *lines], literal=True)
    make_folder(app.tree.state)  # the shell opens cron.log there before anything of ours runs
    if after != before:
        crontab.write(after, before)
    if after != before or due.read(app.files, app.clock, ())[0] is None:
        due.note_entries(app.files, app.clock.now(), stand=True)
    if daemon_runs() is False:
        app.say("no cron daemon seems to run here: until one does, nothing starts this instance")
    said = "in your crontab:" if after != before else "in your crontab already:"
    follow = [("adjutant status", "when the next run is due")]
    return Outcome({"lines": lines, "installed": True}, [said, *lines], next_actions=follow, literal=True)


def _remove(app: App) -> Outcome:
    crontab = Crontab(app.environment)
    before = crontab.read()
    found = find_block(before, app.tree.root)
    lines = os.fsdecode(found).rstrip("\n").split("\n") if found is not None else []
    if not app.dry_run:
        if found is not None:
            crontab.write(replace_block(before, app.tree.root, b""), before)
        if due.read(app.files, app.clock, ())[0] is not None:
            due.note_entries(app.files, app.clock.now(), stand=False)
    said = f"{app.would}taken out of your crontab:" if lines else "not in your crontab; nothing to take out"
    installed = app.dry_run and found is not None
    return Outcome({"lines": lines, "installed": installed}, [said, *lines], literal=bool(lines))
