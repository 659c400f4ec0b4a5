"""GROUND. Where a program stands on this machine, and of what folders and files it is made."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import NamedTuple

from adjutant.children import walls

# Where the installers of agents put them. cron's PATH knows none of these.
USUAL = ("/usr/local/bin", "/opt/homebrew/bin", "~/.local/bin", "~/.opencode/bin", "~/.bun/bin", "~/.npm-global/bin",
         "~/.claude/local")
ELF = b"\x7fELF"
MODULES = "node_modules"


class Program(NamedTuple):
    """`path`: absolute, links resolved. `parts`: what it needs to be read beside the system's own folders."""

    path: str
    parts: tuple[str, ...]


def find(named: str, environment: Mapping[str, str]) -> Program | None:
    """A program by path or by name, in PATH and then where agents are usually put; None when it is nowhere."""
    home = environment.get("HOME", "")
    usual = [place.replace("~", home, 1) for place in USUAL if home or not place.startswith("~")]
    path = os.pathsep.join([environment.get("PATH", ""), *usual])
    found = walls.which(named.replace("~", home, 1) if named.startswith("~/") else named, path)
    if found is None:
        return None
    real = os.path.realpath(found)
    return Program(real, tuple(dict.fromkeys(_parts(real, path))))


def _parts(real: str, path: str) -> list[str]:
    with open(real, "rb") as file:
        head = file.read(256)
    own = [] if real.startswith(tuple(f"{place}/" for place in walls.SYSTEM)) else [_enclosing(real, head)]
    if not head.startswith(b"#!"):
        return own
    words = os.fsdecode(head[2:].split(b"\n")[0]).split()
    name = words[1] if len(words) > 1 and words[0].endswith("/env") else words[0] if words else ""
    interpreter = walls.which(name, path) if name else None
    if interpreter is None:
        return own
    runs = os.path.realpath(interpreter)
    if runs.startswith(tuple(f"{place}/" for place in walls.SYSTEM)):
        return own
    return [*own, os.path.dirname(os.path.dirname(runs))]


def _enclosing(real: str, head: bytes) -> str:
    """The program alone, or for a package of node the folder that holds all its packages."""
    before, inside, _ = real.rpartition(f"/{MODULES}/")
    if inside:
        return f"{before.partition(f'/{MODULES}/')[0]}/{MODULES}"
    return real if head.startswith(ELF) else os.path.dirname(real)
