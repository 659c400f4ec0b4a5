"""GROUND. Where a program stands on this machine, and of what folders and files it is made."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from adjutant.children import walls

# Where the installers of agents put them. cron's PATH knows none of these.
_USUAL = "/usr/local/bin /opt/homebrew/bin ~/.local/bin ~/.opencode/bin ~/.bun/bin ~/.npm-global/bin ~/.claude/local"
USUAL = tuple(_USUAL.split())
ELF = b"\x7fELF"
MODULES = "node_modules"


class Program(NamedTuple):
    """`path`: absolute, links resolved. `parts`: what it needs to be read beside the system's own folders."""

    path: str
    parts: tuple[str, ...]


def find(named: str, environment: Mapping[str, str], away: Sequence[str] = ()) -> Program | None:
    """A program by path or by name, in PATH and then where agents are usually put; None when it is nowhere.

    `away`: folders that no part of it may hold, HOME among them in any case.
    """
    home = environment.get("HOME", "")
    usual = [place.replace("~", home, 1) for place in USUAL if home or not place.startswith("~")]
    path = os.pathsep.join([environment.get("PATH", ""), *usual])
    found = walls.which(named.replace("~", home, 1) if named.startswith("~/") else named, path)
    if found is None:
        return None
    real = os.path.realpath(found)
    kept = [os.path.realpath(each) for each in (home, *away) if each]
    return Program(real, tuple(dict.fromkeys(_parts(real, path, kept))))


def _parts(real: str, path: str, away: Sequence[str]) -> list[str]:
    try:
        with open(real, "rb") as file:
            head = file.read(256)
    except OSError:
        head = ELF  # it may be run and not read: no script
    own = [] if real.startswith(tuple(f"{place}/" for place in walls.SYSTEM)) else [_enclosing(real, head, away)]
    if not head.startswith(b"#!"):
        return own
    words = os.fsdecode(head[2:].split(b"\n")[0]).split()
    if words and words[0].endswith("/env"):
        words = [word for word in words[1:] if not word.startswith("-")]
    name = words[0] if words else ""
    interpreter = walls.which(name, path) if name else None
    if interpreter is None:
        return own
    runs = os.path.realpath(interpreter)
    if runs.startswith(tuple(f"{place}/" for place in walls.SYSTEM)):
        return own
    lib = os.path.join(os.path.dirname(os.path.dirname(runs)), "lib")  # not the folder of both: that may be HOME
    return [*own, runs, *([lib] if os.path.isdir(lib) else [])]


def _enclosing(real: str, head: bytes, away: Sequence[str]) -> str:
    """A program alone; a script with what stands beside it, unless that holds what is to be kept away; all packages of
    node for one of them."""
    before, inside, _ = real.rpartition(f"/{MODULES}/")
    if inside:
        return f"{before.partition(f'/{MODULES}/')[0]}/{MODULES}"
    folder = os.path.dirname(real)
    holds = any(f"{each}/".startswith(f"{folder.rstrip('/')}/") for each in away)
    return real if head.startswith(ELF) or holds else folder
