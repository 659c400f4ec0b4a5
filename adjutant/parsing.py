"""SHELL. The arguments of one verb: one parser, built for the verb that was asked."""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import re

from adjutant import arguments, commands
from adjutant.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, NoReturn

    from adjutant.commands import Verb

IF_DUE = "--if-due"
_PLAINER = tuple(  # what argparse says, and how it reads
    (re.compile(said), plain)
    for said, plain in (
        (r"^the following arguments are required: ", "missing: "),
        (r"^argument (\S+): expected .*", r"\1 needs a value"),
        (r"^argument (\S+): invalid (?:int|float) value: '(.*)'", r"\1: `\2` is no number"),
    )
)
GLOBAL = ("--root", "--json", "--dry-run", "--quiet")
OPTIONS_HELP = "options of every verb: --root DIR  --json  --dry-run  --quiet"


def _formatter(prog: str) -> argparse.HelpFormatter:
    """Of a known width: asked to find it out, argparse imports shutil, 2 ms at every start."""
    try:
        width = os.get_terminal_size().columns - 2
    except OSError:
        width = 78
    return argparse.HelpFormatter(prog, width=max(width, 40))


class _Parser(argparse.ArgumentParser):
    """Raises instead of printing and leaving, so that every error takes one road."""

    name = ""  # of a subverb with a row of its own

    def __init__(self, **more: Any) -> None:
        more.setdefault("epilog", OPTIONS_HELP)
        super().__init__(**more, allow_abbrev=False, formatter_class=_formatter)

    def format_help(self) -> str:
        """As argparse makes it, with an example at its end."""
        name = self.name or self.prog.removeprefix("adjutant ")
        return f"{super().format_help()}\nexample: {commands.example_of(name)}\n"

    def add_argument(self, *names: str, **more: Any) -> argparse.Action:
        """As argparse does it, which calls an argument that may be left out required where it has no default."""
        if more.get("nargs") == "*":
            more.setdefault("default", [])
        return super().add_argument(*names, **more)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            known = list(map(str, action.choices))
            listed = "" if (hint := _hint(str(value), known)) else f"; known are {', '.join(known)}"
            of = f"{'/'.join(action.option_strings)}: " if action.option_strings else ""
            self.error(f"{of}unknown `{str(value)[:40]}`{hint or listed}")

    def error(self, message: str) -> NoReturn:
        for said, plain in _PLAINER:
            message = said.sub(plain, message)
        raise UsageError(f"{self.prog.removeprefix('adjutant ')}: {message}", f"`{self.prog} --help`")


def _options(parser: argparse.ArgumentParser) -> Iterator[str]:
    """The options of a verb and of its subverbs."""
    for action in parser._actions:
        yield from action.option_strings
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield from _options(below)


def _hint(word: str, known: list[str]) -> str:
    import difflib  # a verb that is spelled right never pays for it

    close = difflib.get_close_matches(word, known, n=1)
    return f"; did you mean `{close[0]}`?" if close else ""


def parse(row: Verb, words: list[str]) -> argparse.Namespace:
    """The typed words after the verb; --if-due wherever it stands, as verbs with subverbs take it behind those. Raises
    UsageError."""
    before = words[: words.index("--")] if "--" in words else words
    if_due = bool(row.schedule) and IF_DUE in before
    plain = [word for word in before if not (if_due and word == IF_DUE)]
    parser = parser_of(row)
    args, left = parser.parse_known_args(plain + words[len(before) :])
    if left:
        is_option = left[0].startswith("-")
        hint = _hint(left[0].partition("=")[0], [*_options(parser), *GLOBAL]) if is_option else ""
        parser.error(f"{'unknown option' if is_option else 'one word too many:'} `{left[0][:40]}`{hint}")
    args.if_due = if_due
    return args


def help_of(row: Verb, words: list[str]) -> str:
    """What --help says to these words, which hold it. Raises UsageError."""
    caught = io.StringIO()
    with contextlib.redirect_stdout(caught):
        try:
            parser_of(row).parse_args(words)
        except SystemExit:
            return caught.getvalue().rstrip("\n")
    raise UsageError(f"adjutant {row.verb}: --help stands where a value belongs", f"`adjutant {row.verb} --help`")


def parser_of(row: Verb) -> argparse.ArgumentParser:
    """The parser of one verb, its subverbs in it."""
    declare = getattr(arguments, row.verb, None) or getattr(arguments, row.steps[0].replace("-", "_"))
    parser = _Parser(prog=f"adjutant {row.verb.split()[0]}", description=declare.__doc__)
    parser.name = row.verb if " " in row.verb and "--" not in row.verb else ""
    declare(parser)
    if row.schedule:
        why = "only if a scheduled run was missed: for cron"
        parser.add_argument(IF_DUE, action="store_true", help=why)
    parser.set_defaults(**row.preset)
    return parser
