"""SHELL. completion: what a shell offers behind `adjutant`, and the man page, both made from the table of verbs."""

import argparse
from collections.abc import Iterator
from shlex import quote
from typing import NamedTuple

from adjutant import __version__, commands, parsing
from adjutant.app import Outcome
from adjutant.store import package

GLOBAL = (*parsing.GLOBAL, "--help")


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

    @property
    def own(self) -> list[str]:
        return [option for option in self.options if option not in GLOBAL]

    @property
    def place(self) -> str:
        return f'"{self.verb} {self.sub}"' if self.sub else f'"{self.verb} "*'


def run(kind: str) -> Outcome:
    """Result {kind, text}: a script for the shell's start-up file, or roff for `man -l -`."""
    from jinja2 import Environment  # only for this verb

    environment = Environment(trim_blocks=True, keep_trailing_newline=True)
    environment.filters |= {"quote": quote, "roff": _roff}
    template = environment.from_string(package.text(f"completion.{'bash' if kind == 'zsh' else kind}"))
    table = {"rows": commands.VERBS, "verbs": commands.ROWS, "groups": commands.GROUPS, "example": parsing.example_of}
    text = template.render(kind=kind, every=[*every_word()], common=GLOBAL, version=__version__, **table)
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


def _roff(text: str) -> str:
    text = text.replace("\\", r"\e").replace("-", r"\-")
    return rf"\&{text}" if text[:1] in (".", "'") else text
