"""GROUND. One error family: what is wrong, what to do, and the exit code it ends in."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TypeVar

    T = TypeVar("T")

OK, NEEDS_HAND, USAGE, DAMAGED, UNAVAILABLE, BUG, IO, BUSY, CONFIG, INTERRUPTED = 0, 1, 2, 65, 69, 70, 74, 75, 78, 130
with open(os.path.join(os.path.dirname(__file__), "errors.txt"), encoding="utf-8") as _file:
    _FIXES = dict(line.rstrip().split(maxsplit=1) for line in _file if line[0].isupper())  # {class: what to do}


def tell_how_to_add(extra: str) -> str:
    """The command that adds an extra to the Python that runs."""
    import sys  # only where something is missing
    from importlib.util import find_spec  # as above

    if find_spec("pip"):
        return f"{sys.executable} -m pip install 'adjutant[{extra}]'"
    # pipx and uv leave pip out of what they make
    by_uv = f"uv pip install --python {sys.executable} 'adjutant[{extra}]'"
    return f"pipx runpip adjutant install 'adjutant[{extra}]', or with uv: {by_uv}"


class AdjutantError(Exception):
    """An expected failure. `fix` tells what to do: what is given, else what errors.txt says. `code` is the key that
    scripts rely on, made of the name of the class: KbUnknown is kb.unknown."""

    code = "bug"
    exit_code = BUG
    fix = ""

    def __init_subclass__(cls, exits: int, code: str = "") -> None:
        parts = "".join(f"_{char.lower()}" if char.isupper() else char for char in cls.__name__)
        cls.code, cls.exit_code = code or parts[1:].replace("_", ".", 1), exits
        cls.fix = _FIXES.get(cls.__name__, cls.fix)

    def __init__(self, message: str, fix: str = "", details: Mapping[str, object] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.fix = fix or self.fix
        self.details: dict[str, object] = dict(details or {})


def find_one(
    several: Mapping[str, T], id: str, what: str, kind: type[AdjutantError], fix: str = "", more: str = ""
) -> T:
    """What `several` has under an id, or under the one that begins so. Raises `kind`; `more`: what it says of none."""
    found = [id] if id in several else [each for each in several if id and each.startswith(id)]
    if len(found) == 1:
        return several[found[0]]
    given, some = " ".join(id.split())[:60], ", ".join(found[:5]) + ", …" * (len(found) > 5)
    told = f"no {what} `{given}`{more}"
    raise kind(f"{len(found)} {what}s have an id that begins with `{given}`: {some}" if found else told, fix)


GONE_FIX = "cd to a folder that exists, and try again"


class InstanceNotFound(AdjutantError, exits=CONFIG):
    """No folder with an adjutant.yaml was found or named."""


class ConfigInvalid(AdjutantError, exits=CONFIG):
    """Adjutant.yaml, or the environment over it, is wrong."""


class UsageError(AdjutantError, exits=USAGE, code="usage"):
    """The words of the command line make no sense."""


class LockBusy(AdjutantError, exits=BUSY):
    """Another run of the same kind holds the lock."""


class FileDamaged(AdjutantError, exits=DAMAGED):
    """A file of the tree cannot be read for what it is; it is left alone."""


class FileChanged(AdjutantError, exits=NEEDS_HAND):
    """A file changed since it was read; the person's edit wins."""


class KbUnknown(AdjutantError, exits=NEEDS_HAND):
    """No knowledge base of that name is registered."""


class KbInvalid(AdjutantError, exits=NEEDS_HAND):
    """A knowledge base cannot be registered like that."""


class KbUnavailable(AdjutantError, exits=UNAVAILABLE):
    """A knowledge base cannot be read or did not answer."""


class ModelUnavailable(AdjutantError, exits=UNAVAILABLE):
    """No model, and rules have no answer either."""


class ChannelUnavailable(AdjutantError, exits=UNAVAILABLE):
    """It did not leave, or nobody knows."""


class CronUnavailable(AdjutantError, exits=UNAVAILABLE):
    """There is no `crontab` program here, or it does not answer."""


class CronRefused(AdjutantError, exits=NEEDS_HAND):
    """The crontab cannot be changed like that; the old one is kept."""


class MirrorUnavailable(AdjutantError, exits=UNAVAILABLE):
    """Typesense or Redis is away, slow, or refused."""


class MirrorDiffers(MirrorUnavailable, exits=UNAVAILABLE, code="mirror.unavailable"):
    """A mirror that answers, and does not hold what it should."""


class MemoryRefused(AdjutantError, exits=NEEDS_HAND):
    """Empty, too long, a secret, orders from a stranger."""


class MemoryUnknown(AdjutantError, exits=NEEDS_HAND):
    """No note has this id."""


class BehaviorInvalid(AdjutantError, exits=NEEDS_HAND):
    """No directive: its type, its text, or its day."""


class BehaviorConflict(AdjutantError, exits=NEEDS_HAND):
    """A directive contradicts one that stands."""


class BehaviorFull(AdjutantError, exits=NEEDS_HAND):
    """The contract holds as many directives as it may."""


class BehaviorUnknown(AdjutantError, exits=NEEDS_HAND):
    """No directive or candidate has this id."""


class TaxonomyInvalid(AdjutantError, exits=DAMAGED):
    """Prompts/taxonomy.yaml is no concept scheme."""


class WisdomInvalid(AdjutantError, exits=DAMAGED):
    """Wisdom.md is not in its format; it is left alone."""


class EvolutionUnknown(AdjutantError, exits=NEEDS_HAND):
    """No suggestion has this id."""


class EvolutionChanged(AdjutantError, exits=NEEDS_HAND):
    """Its file, its report or its state is another now."""


class SearchInvalid(AdjutantError, exits=USAGE):
    """No such collection, concept or date."""


class CheckFailed(AdjutantError, exits=NEEDS_HAND):
    """Something needs a hand."""


class JobFailed(AdjutantError, exits=NEEDS_HAND):
    """A job failed; the results of its finished steps are kept."""


class JobWaits(JobFailed, exits=UNAVAILABLE):
    """Something outside that a job needs is not to be had."""


class IoFailed(AdjutantError, exits=IO):
    """The disk refused; what was there before is there."""


class Killed(AdjutantError, exits=NEEDS_HAND):
    """KILLED is set: what listens does not start."""


class PageRefused(AdjutantError, exits=NEEDS_HAND):
    """The page does not do that: an address that others reach, a decision where it may only show."""


class PageMissing(AdjutantError, exits=UNAVAILABLE):
    """What the page is made of is not installed."""


class BackupRefused(AdjutantError, exits=NEEDS_HAND):
    """A place that a backup is not written to or restored into."""


class BackupDamaged(AdjutantError, exits=DAMAGED):
    """No backup, or not what its manifest says."""


class McpMissing(AdjutantError, exits=UNAVAILABLE):
    """What speaks to agents is not installed."""


class Stopped(AdjutantError, exits=OK):
    """PAUSED appeared while a run was under way: raised before the next effect, ends the run with exit 0."""
