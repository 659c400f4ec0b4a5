"""SHELL. completion: what a shell offers behind `adjutant`, and the man page, both made from the table of verbs."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import NamedTuple

from adjutant import __version__, commands, parsing
from adjutant.app import Outcome

GLOBAL = ("--root", "--json", "--dry-run", "--quiet", "--help")
BASH = """\
_adjutant() {{
    local cur=${{COMP_WORDS[COMP_CWORD]}} offered
    case "${{COMP_WORDS[1]}} ${{COMP_WORDS[2]}}" in
{cases}
    *) offered="{verbs}" ;;
    esac
    [ "$COMP_CWORD" -eq 1 ] && offered="{verbs}"
    COMPREPLY=($(compgen -W "$offered" -- "$cur"))
    [ ${{#COMPREPLY[@]}} -gt 0 ] || COMPREPLY=($(compgen -f -- "$cur"))
}}
complete -F _adjutant adjutant
"""
ZSH = "autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n"
EXITS = (
    (0, "done, or nothing to do"),
    (1, "refused, or something needs a hand"),
    (2, "wrong usage"),
    (65, "a file of the tree is damaged"),
    (69, "something outside is not to be had, and there is no fallback"),
    (70, "a bug; a report is kept under state/"),
    (74, "the disk refused"),
    (75, "another run holds the lock"),
    (78, "a configuration error, or no instance"),
)


class VerbWords(NamedTuple):
    """What may stand behind a verb, or behind a subverb of it."""

    verb: str
    sub: str
    help: str
    offered: list[str]


def run(kind: str) -> Outcome:
    """Result {kind, text}: a script for the shell's start-up file, or roff for `man -l -`."""
    text = {"bash": _bash, "zsh": lambda: ZSH + _bash(), "fish": _fish, "man": _man}[kind]()
    return Outcome({"kind": kind, "text": text}, text.rstrip("\n").split("\n"), literal=True)


def every_word() -> Iterator[VerbWords]:
    """Every verb and subverb, with what may stand behind it."""
    for row in commands.VERBS:
        parser = parsing.parser_of(row)
        subs = _subparsers(parser)
        yield VerbWords(row.verb, "", row.help, [*subs, *_choices(parser), *_options(parser)])
        yield from (VerbWords(row.verb, name, help, _options(sub)) for name, (sub, help) in subs.items())


def _subparsers(parser: argparse.ArgumentParser) -> dict[str, tuple[argparse.ArgumentParser, str]]:
    """{subverb: (its parser, its line of help)}."""
    found: dict[str, tuple[argparse.ArgumentParser, str]] = {}
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            helps = {each.dest: each.help or "" for each in action._get_subactions()}
            found |= {name: (sub, helps.get(name, "")) for name, sub in action.choices.items()}
    return found


def _choices(parser: argparse.ArgumentParser) -> list[str]:
    """The words that a positional argument may be."""
    actions = parser._actions
    closed = [each.choices for each in actions if not each.option_strings and isinstance(each.choices, tuple)]
    return [str(word) for choices in closed for word in choices]


def _options(parser: argparse.ArgumentParser) -> list[str]:
    actions = parser._actions
    own = [name for each in actions for name in each.option_strings if name.startswith("--")]
    return list(dict.fromkeys([*own, *GLOBAL]))


def _bash() -> str:
    every = list(every_word())
    subs = [f'    "{each.verb} {each.sub}") offered="{" ".join(each.offered)}" ;;' for each in every if each.sub]
    verbs = [f'    "{each.verb} "*) offered="{" ".join(each.offered)}" ;;' for each in every if not each.sub]
    return BASH.format(cases="\n".join([*subs, *verbs]), verbs=" ".join(row.verb for row in commands.VERBS))


def _fish() -> str:
    lines = ["complete -c adjutant -f"]
    for each in every_word():
        if each.sub:
            seen = f"__fish_seen_subcommand_from {each.verb}"
            lines.append(f"complete -c adjutant -n {_quoted(seen)} -a {each.sub} -d {_quoted(each.help)}")
            continue
        lines.append(f"complete -c adjutant -n __fish_use_subcommand -a {each.verb} -d {_quoted(each.help)}")
        seen = _quoted(f"__fish_seen_subcommand_from {each.verb}")
        lines += [f"complete -c adjutant -n {seen} -l {name[2:]}" for name in each.offered if name.startswith("--")]
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _man() -> str:
    """The page in roff's man macros."""
    lines = [
        f'.TH ADJUTANT 1 "" "adjutant {__version__}"',
        ".SH NAME",
        r"adjutant \- a chief of staff that lives in a folder",
        ".SH SYNOPSIS",
        r".B adjutant \fIverb\fR [\fIarguments\fR] [\-\-root DIR] [\-\-json] [\-\-dry\-run] [\-\-quiet]",
    ]
    for group, names in commands.GROUPS.items():
        lines.append(f".SH {group.upper()}")
        for name in names:
            lines += [".TP", f".B {_roff(name)}", _roff(commands.ROWS[name].help), ".br"]
            lines.append(rf"\fI{_roff(commands.example_of(name))}\fR")
    lines.append(".SH EXIT STATUS")
    for code, meaning in EXITS:
        lines += [".TP", f".B {code}", _roff(meaning)]
    return "\n".join(lines) + "\n"


def _roff(text: str) -> str:
    text = text.replace("\\", r"\e").replace("-", r"\-")
    return rf"\&{text}" if text[:1] in (".", "'") else text
