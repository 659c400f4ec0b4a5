"""SHELL. argv -> verb; the one place that prints results and errors and picks the exit code."""

from __future__ import annotations

import os
import sys

from adjutant import commands, errors, place, terminal
from adjutant.app import Outcome, Row
from adjutant.store import switches, tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

LIST_LIMIT = 50
FLAGS = {"--json": "as_json", "--dry-run": "dry_run", "--quiet": "quiet"}


def split_options(argv: list[str]) -> tuple[place.Options, list[str]]:
    """The four global options are taken wherever they stand before a lone `--`. Raises UsageError."""
    options, rest = place.Options(), []
    words = iter(argv)
    for word in words:
        if word == "--":
            rest += [word, *words]
        elif word in FLAGS:
            setattr(options, FLAGS[word], True)
        elif word == "--root":
            options.root = next(words, None)
            if not options.root or options.root.startswith("--"):
                raise errors.UsageError("--root needs a folder")
        elif word.startswith("--root="):
            options.root = word.removeprefix("--root=")
        else:
            rest.append(word)
    return options, rest


def main(argv: list[str] | None = None) -> int:
    """Runs one command line; returns the exit code of spec/60."""
    os.umask(0o077)  # what we make is for our user alone
    words = list(sys.argv[1:] if argv is None else argv)
    printer = _Printer("--json" in words, words)
    try:
        return _main(words, printer)
    except errors.AdjutantError as error:
        return printer.failed(error)
    except KeyboardInterrupt:
        terminal.say("interrupted; what was saved is kept")
        return errors.INTERRUPTED
    except OSError as error:
        if isinstance(error, FileNotFoundError) and not error.filename:  # a relative path says little then
            return printer.failed(errors.InstanceNotFound("the working directory is gone", errors.GONE_FIX))
        return printer.failed(errors.IoFailed(f"{error.filename or 'disk'}: {error.strerror or error}"))
    except Exception as error:  # noqa: BLE001 - the one place where a bug becomes one line and a report
        return printer.bug(error)


def _main(words: list[str], printer: _Printer) -> int:
    options, rest = split_options(words)
    printer.as_json = options.as_json
    if rest[:1] == ["--version"]:
        rest = ["version"]
    if rest[:1] == ["help"] and len(rest) > 1:
        rest = [*rest[1:], "--help"]
    if not rest or rest[0] in ("-h", "--help", "help"):
        return printer.done(_tree())
    row = commands.row_of(rest)
    if row is None:
        from adjutant import parsing  # only on this error path

        hint = parsing.hint(rest[0], [each.verb for each in commands.VERBS])
        raise errors.UsageError(f"unknown verb `{rest[0][:40]}`{hint}", "`adjutant` alone lists the verbs")
    printer.command = f"adjutant {row.verb}"
    if {"-h", "--help"}.intersection(rest[: rest.index("--")] if "--" in rest else rest):
        from adjutant import parsing  # argparse: a paused verb never pays for it

        text = parsing.help_of(row, rest[1:])
        return printer.done(Outcome({"help": text}, text.split("\n")))
    printer.quiet = options.quiet
    printer.root = root = place.find_root(options.root) if row.instance else ""
    if row.paused and row.instance and switches.is_on(tree.Tree(root).paused):  # before anything else is read
        actions = [("adjutant resume", "lift PAUSED"), ("adjutant status", "see since when and why")]
        line = f"{row.verb}: skipped, paused (`adjutant resume` lifts it)"
        return printer.done(Outcome({"status": "skipped", "reason": "paused"}, [line], next_actions=actions))
    if row.killed and switches.is_on(tree.Tree(root).killed):
        why = switches.reason(tree.Tree(root).killed)
        raise errors.Killed(f"{row.verb}: KILLED is set{f': {why}' if why else ''}; nothing was done")
    from adjutant import parsing, runner, wire  # json, datetime, argparse: a paused verb never pays for them

    # as cron fires it: mostly nothing is due, and no stage is loaded
    if row.schedule and rest == [*row.verb.split(), "--if-due"]:
        nothing = runner.not_due(row, wire.open_app(row, options, root))
        if nothing is not None:
            return printer.done(nothing)
    args = parsing.parse(row, rest[1:])
    subverb = "" if "subverb" in row.preset else getattr(args, "subverb", None)
    printer.command = f"adjutant {row.verb.split()[0]}" + (f" {subverb}" if subverb else "")
    if row.verb == "completion":
        from adjutant import completion  # only for it

        return printer.done(completion.run(args.kind))
    app = wire.open_app(row, options, root or place.root_or_none(options.root))
    if not row.instance:
        return printer.done(runner.stage_of(row.steps[0])(app, args))
    if row.schedule:  # what cron runs is told to a log
        printer.clean = app.files.blotter.blot
    try:
        outcome = runner.run(row, args, app)
    except errors.Stopped:
        outcome = Outcome({"status": "stopped", "reason": "paused", "run": app.run}, [f"{row.verb}: stopped, paused"])
    if options.as_json:
        _cut(outcome, app, printer.command.removeprefix("adjutant ").replace(" ", "-"))
    return printer.done(outcome)


def _tree() -> Outcome:
    lines = ["adjutant <verb> [arguments] [--root DIR] [--json] [--dry-run] [--quiet]"]
    verbs = []
    for group, names in commands.GROUPS.items():
        lines += ["", f"{group}:", *(f"  {name:<11} {commands.ROWS[name].help}" for name in names)]
        verbs += [{"verb": name, "help": commands.ROWS[name].help, "group": group} for name in names]
    lines += ["", "`adjutant help VERB` tells more about one."]
    return Outcome({"verbs": verbs}, lines)


def _cut(outcome: Outcome, app: Any, verb: str) -> None:
    """Long lists are cut; the whole result is kept in a file that is named, the last one of each verb."""
    long = [key for key, value in outcome.result.items() if isinstance(value, list) and len(value) > LIST_LIMIT]
    if not long or outcome.result.get("truncated"):
        return
    import json  # loaded by then

    path = app.tree.cached_result(verb)
    kept: str | None = app.tree.relative(path)
    try:
        app.files.replace(path, json.dumps(outcome.result, indent=1) + "\n")
    except (errors.AdjutantError, OSError) as error:
        app.say(f"the whole result could not be saved: {error}")  # what was done is done, and is told all the same
        kept = None
    cut = {key: outcome.result[key][:LIST_LIMIT] for key in long}
    outcome.result |= {**cut, "truncated": True, "path": outcome.result.get("path") or kept}


class _Printer:
    """stdout carries the result (one JSON object with --json), stderr what people need beside it."""

    def __init__(self, as_json: bool, words: list[str]) -> None:
        self.as_json, self.quiet, self.root = as_json, False, ""
        self.clean: Callable[[str], str] = str
        self.command = " ".join(["adjutant", *words[:1]]) if words and not words[0].startswith("-") else "adjutant"

    def done(self, outcome: Outcome) -> int:
        if self.as_json:
            self._json(outcome.result, outcome.error, outcome.next_actions)
        elif not self.quiet:
            if outcome.lines:
                terminal.show(self.clean("\n".join(outcome.lines)), literal=outcome.literal, colour=place.colour())
            if outcome.aside:
                terminal.aside(outcome.aside, place.colour())
        return outcome.exit_code

    def failed(self, error: errors.AdjutantError) -> int:
        error.fix = error.fix.replace(errors.UsageError.fix, f"see `{self.command} --help`")
        if self.as_json:
            self._json(error.details, error)
        terminal.say(f"adjutant: {error.message}" + (f"\n  fix: {error.fix}" if error.fix else ""))
        return error.exit_code

    def bug(self, error: Exception) -> int:
        """One line and the path of a report; no traceback reaches a terminal."""
        from adjutant import wire  # after a bug only

        path = wire.crash_report(self.root, self.command, error)
        where = f"; the report is {path}" if path else ""
        fix = "please report it with that file" if path else "run it inside an instance, so that a report can be kept"
        return self.failed(errors.AdjutantError(f"a bug in adjutant ({type(error).__name__}){where}", fix))

    def _json(self, result: Row, error: errors.AdjutantError | None, actions: Iterable[tuple[Any, ...]] = ()) -> None:
        import json  # 3 ms that a paused verb without --json does not pay

        envelope: Row = {"ok": error is None, "command": self.command, "result": result}
        if error is not None:
            told = {"code": error.code, "message": error.message, "details": envelope.pop("result")}
            envelope |= {"error": told, "fix": error.fix}
        envelope["next_actions"] = [
            {"command": command, "description": description, "params": params[0] if params else {}}
            for command, description, *params in actions
        ]
        narrow = sys.stdout is not None and (sys.stdout.encoding or "utf-8").lower() != "utf-8"
        terminal.show(self.clean(json.dumps(envelope, ensure_ascii=narrow)), literal=True)
