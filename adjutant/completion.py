"""SHELL. completion: what a shell offers behind `adjutant`, and the man page, both made from the table of verbs."""

import argparse
import re
from collections.abc import Iterator
from shlex import quote
from typing import NamedTuple

from adjutant import __version__, commands, parsing
from adjutant.app import Outcome
from adjutant.store import package

GLOBAL = (*parsing.GLOBAL, "--help")
ZSH = "autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n"


class VerbWords(NamedTuple):
    """What may stand behind a verb, or behind a subverb of it: `words`, `options` and {option: its choices}. Where
    there are no words, `free` says whether anything else may stand there, such as a file."""

    verb: str
    sub: str
    help: str
    words: list[str]
    options: list[str]
    values: dict[str, list[str]]
    free: bool


def run(kind: str) -> Outcome:
    """Result {kind, text}: a script for the shell's start-up file, or roff for `man -l -`."""
    text = {"bash": _bash, "zsh": lambda: ZSH + _bash(), "fish": _fish, "man": _man}[kind]()
    return Outcome({"kind": kind, "text": text}, text.rstrip("\n").split("\n"), literal=True)


def every_word() -> Iterator[VerbWords]:
    """Every verb and subverb, with what may stand behind it."""
    for row in commands.VERBS:
        parser = parsing.parser_of(row)
        subs = list_subverbs(parser)
        for sub, (own, help) in {"": (parser, row.help), **subs}.items():
            actions = [each for each in own._actions if not isinstance(each, argparse._SubParsersAction)]
            bare, named = ([each for each in actions if bool(each.option_strings) is has] for has in (False, True))
            words = [*(subs if not sub else ()), *(str(word) for each in bare for word in each.choices or ())]
            options = [name for each in named for name in each.option_strings if name.startswith("--")]
            values = {each.option_strings[-1]: [*map(str, each.choices)] for each in named if each.choices}
            options = list(dict.fromkeys([*options, *GLOBAL]))
            yield VerbWords(row.verb, sub, help, words, options, values, bool(bare))


def list_subverbs(parser: argparse.ArgumentParser) -> dict[str, tuple[argparse.ArgumentParser, str]]:
    """{subverb: (its parser, its line of help)}."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            helps = {each.dest: each.help or "" for each in action._get_subactions()}
            return {name: (sub, helps.get(name, "")) for name, sub in action.choices.items()}
    return {}


def _bash() -> str:
    every = sorted(every_word(), key=lambda each: not each.sub)  # a subverb before its verb, which fits as well
    cases, values = [], []
    for each in every:
        place = f'"{each.verb} {each.sub}"' if each.sub else f'"{each.verb} "*'
        options = " ".join(each.options)
        words = " ".join(each.words) or ("" if each.free else options)
        cases.append(f'    {place}) words="{words}" options="{options}" ;;')
        values += [f'    {place}" {name}") words="{" ".join(found)}" ;;' for name, found in each.values.items()]
    verbs = " ".join(row.verb for row in commands.VERBS)
    parts = {"CASES": "\n".join(cases), "VALUES": "\n".join(values), "VERBS": verbs, "OPTIONS": " ".join(GLOBAL)}
    return _fill("completion.bash", **parts)


def _fish() -> str:
    lines = ["complete -c adjutant -f", "complete -c adjutant -l root -r"]
    lines += [f"complete -c adjutant -l {name[2:]}" for name in GLOBAL[1:]]
    for each in every_word():
        seen = f"__fish_seen_subcommand_from {each.verb}"
        before = quote(seen) if each.sub else "__fish_use_subcommand"
        lines.append(f"complete -c adjutant -n {before} -a {each.sub or each.verb} -d {quote(each.help)}")
        seen += f"; and __fish_seen_subcommand_from {each.sub}" if each.sub else ""
        behind = f"complete -c adjutant -n {quote(seen)}"
        if each.free:
            lines.append(f"{behind} -a {quote(' '.join(each.words))}" if each.words else f"{behind} -F")
        for name in (option for option in each.options if option not in GLOBAL):
            found = each.values.get(name)
            lines.append(f"{behind} -l {name[2:]}" + (f" -x -a {quote(' '.join(found))}" if found else ""))
    return "\n".join(lines) + "\n"


def _man() -> str:
    lines, every = list[str](), list(every_word())
    for group, names in commands.GROUPS.items():
        lines.append(f".SH {group.upper()}")
        for name in names:
            lines += [".TP", f".B {_roff(name)}", _roff(commands.ROWS[name].help)]
            for each in (one for one in every if one.verb == name):
                own = " ".join(f"[{option}]" for option in each.options if option not in GLOBAL)
                told = f"{own} {each.help}" if each.sub else own
                name_of = rf"\fB{_roff(each.sub)}\fR " if each.sub else ""
                lines += [".br", f"{name_of}{_roff(told)}"] if told.strip() else []
            lines += [".br", rf"\fI{_roff(parsing.example_of(name))}\fR"]
    return _fill("completion.man", VERSION=__version__, VERBS="\n".join(lines))


def _fill(name: str, **parts: str) -> str:
    """A file of the package with its @PARTS@ in it."""
    return re.sub("@([A-Z]+)@", lambda found: parts[found[1]], package.text(name))


def _roff(text: str) -> str:
    text = text.replace("\\", r"\e").replace("-", r"\-")
    return rf"\&{text}" if text[:1] in (".", "'") else text
