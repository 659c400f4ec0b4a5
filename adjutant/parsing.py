"""SHELL. The arguments of one verb: one parser, built for the verb that was asked."""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import re
from functools import cache

from adjutant.clock import read_day
from adjutant.errors import UsageError
from adjutant.store import package

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import date
    from typing import Any, NoReturn

    from adjutant.commands import Verb

IF_DUE = "--if-due"
_PLAINER = {  # what argparse says, and how it reads
    r"^the following arguments are required: ": "missing: ",
    r"^argument (\S+): expected .*": r"\1 needs a value",
    r"^argument (\S+): invalid number value: '(.*)'": r"\1: `\2` is no number",
    r"^argument (\S+): invalid day value: '(.*)'": r"\1: `\2` is no day, such as 2026-11-20",
    r"^argument (\S+): (-?\d+ is not )": r"\1: \2",
}
GLOBAL = ("--root", "--json", "--dry-run", "--quiet")
OPTIONS_HELP = "options of every verb: --root DIR  --json  --dry-run  --quiet"


def _formatter(prog: str) -> argparse.HelpFormatter:
    """Of a known width: asked to find it out, argparse imports shutil, 2 ms at every start."""
    try:
        width = os.get_terminal_size().columns - 2
    except OSError:
        width = 78
    return argparse.HelpFormatter(prog, width=max(width, 40))


class VerbParser(argparse.ArgumentParser):
    """Raises instead of printing and leaving, so that every error takes one road."""

    name = ""  # of a subverb with a row of its own

    def __init__(self, **more: Any) -> None:
        more.setdefault("epilog", OPTIONS_HELP)
        super().__init__(**more, allow_abbrev=False, formatter_class=_formatter)

    def format_help(self) -> str:
        name = self.name or self.prog.removeprefix("adjutant ")
        return f"{super().format_help()}\nexample: {example_of(name)}\n"

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            known = list(map(str, action.choices))
            listed = "" if (near := hint(str(value), known)) else f"; known are {', '.join(known)}"
            of = f"{'/'.join(action.option_strings)}: " if action.option_strings else ""
            self.error(f"{of}unknown `{str(value)[:40]}`{near or listed}")

    def error(self, message: str) -> NoReturn:
        for said, plain in _PLAINER.items():
            message = re.sub(said, plain, message)
        raise UsageError(f"{self.prog.removeprefix('adjutant ')}: {message}", f"`{self.prog} --help`")


def _options(parser: argparse.ArgumentParser) -> Iterator[str]:
    for action in parser._actions:
        yield from action.option_strings
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield from _options(below)


def hint(word: str, known: list[str]) -> str:
    """Which of the known words is meant, "" where none is near."""
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
        near = hint(left[0].partition("=")[0], [*_options(parser), *GLOBAL]) if is_option else ""
        parser.error(f"{'unknown option' if is_option else 'one word too many:'} `{left[0][:40]}`{near}")
    args.if_due = if_due
    return args


def help_of(row: Verb, words: list[str]) -> str:
    """What --help says to these words, which hold it. Raises UsageError."""
    caught = io.StringIO()
    with contextlib.redirect_stdout(caught), contextlib.suppress(SystemExit):
        parser_of(row).parse_args(words)
    if text := caught.getvalue().rstrip("\n"):
        return text
    raise UsageError(f"adjutant {row.verb}: --help stands where a value belongs", f"`adjutant {row.verb} --help`")


def parser_of(row: Verb) -> argparse.ArgumentParser:
    """The parser of one verb, its subverbs in it."""
    parser = VerbParser(prog=f"adjutant {row.verb.split()[0]}")
    parser.name = row.verb if " " in row.verb and "--" not in row.verb else ""
    declare(parser, row.verb if row.verb in read_usage() else row.steps[0])
    if row.schedule:
        why = "only if a scheduled run was missed: for cron"
        parser.add_argument(IF_DUE, action="store_true", help=why)
    parser.set_defaults(**row.preset)
    return parser


# -- usage.txt, whose head explains its form ---------------------------------------------------------------------

_SPEC = re.compile(
    r"(?P<name>[\w-]+)(?:\((?P<dest>\w+)\))?(?P<many>[*+?!]?)"
    r"(?: (?P<metavar>[^ {=#@]+))?(?P<kind>@|#(?:\d+-\d*)?)?(?: ?\{(?P<choices>\S+)\})?(?:=(?P<default>.*))?"
)


@cache
def read_usage() -> dict[str, list[str]]:
    """{verb: its lines of usage.txt}."""
    parts = re.split(r"(?m)^(?=[a-z])", package.text("usage.txt"))[1:]
    return {part.split(maxsplit=1)[0].rstrip("?"): part.rstrip().split("\n") for part in parts}


def example_of(words: str) -> str:
    """The command line that the help of a verb or subverb ends with."""
    every = (line[6:] for lines in read_usage().values() for line in lines if line.startswith("    $ "))
    return f"adjutant {next((line for line in every if f'{line} '.startswith(f'{words} ')), words)}"


def declare(parser: argparse.ArgumentParser, verb: str) -> None:
    """The words that a verb takes, and those of its subverbs below it."""
    head, *lines = read_usage()[verb]
    name, _, parser.description = head.partition("  ")
    if subverbs := [line.split()[0] for line in lines if line[2] != " "]:
        shown = name.partition(" ")[2] or "|".join(subverbs)
        verbs = parser.add_subparsers(dest="subverb", required=not name.endswith("?"), metavar=shown)
    either = None
    for line in lines:
        spec, _, help = map(str.strip, line.strip().partition("  "))
        if "{COLLECTIONS}" in help:
            from adjutant.domain.recall import places  # where their names are told

            help = help.format(COLLECTIONS=", ".join(each.name for each in places.TABLE))
        if line[2] != " ":
            parser = verbs.add_parser(spec, help=help)
        elif spec.startswith("| "):
            either = either or parser.add_mutually_exclusive_group()
            either.add_argument(spec[2:], action="store_true", help=help)
        elif not spec.startswith("$"):
            _add(parser, spec, help)


def _type(kind: str) -> Callable[[str], Any]:

    def day(text: str) -> date:
        if (found := read_day(text)) is None:
            raise ValueError
        return found

    def number(text: str) -> int:
        found, (least, _, most) = int(text), kind[1:].partition("-")
        if not int(least or found) <= found <= int(most or found):
            raise argparse.ArgumentTypeError(f"{found} is not {least} {f'to {most}' if most else 'or more'}")
        return found

    return {"@": day, "#": number}.get(kind[:1], str)


def _add(parser: argparse.ArgumentParser, spec: str, help: str) -> None:
    found = _SPEC.fullmatch(spec)
    assert found is not None, spec
    name, many, metavar, choices, default = found.group("name", "many", "metavar", "choices", "default")
    more: dict[str, Any] = {"help": help, "metavar": metavar, "default": default, "type": _type(found["kind"] or "")}
    if not name.startswith("--"):
        more["nargs"] = many or None
        more["default"] = [] if many == "*" else default  # else argparse calls it required, though it may be left out
    elif not (metavar or choices):
        more = {"help": help, "action": "store_true"}
    elif many == "+":
        more |= {"action": "append", "default": []}
    else:
        more["required"] = many == "!"
    if choices:
        more["choices"] = choices.split("|")
    if found["dest"]:
        more["dest"] = found["dest"]
    parser.add_argument(name, **more)
