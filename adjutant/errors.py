"""GROUND. One error family: what is wrong, what to do, and the exit code it ends in."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TypeVar

    T = TypeVar("T")

OK, NEEDS_HAND, USAGE, DAMAGED, UNAVAILABLE, BUG, IO, BUSY, CONFIG, INTERRUPTED = 0, 1, 2, 65, 69, 70, 74, 75, 78, 130


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
    """An expected failure. `fix` tells what to do: what is given, else what the class says. `code` is the key that
    scripts rely on, made of the name of the class: KbUnknown is kb.unknown."""

    code = "bug"
    exit_code = BUG
    fix = ""

    def __init_subclass__(cls, exits: int, code: str = "") -> None:
        parts = "".join(f"_{char.lower()}" if char.isupper() else char for char in cls.__name__)
        cls.code, cls.exit_code = code or parts[1:].replace("_", ".", 1), exits

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

    fix = "run `adjutant init DIR`, or name an instance with --root DIR or ADJ_DIR"


class ConfigInvalid(AdjutantError, exits=CONFIG):
    """Adjutant.yaml, or the environment over it, is wrong."""

    fix = "edit the line named, then `adjutant config check`"


class UsageError(AdjutantError, exits=USAGE, code="usage"):
    """The words of the command line make no sense."""

    fix = "see `adjutant --help`"


class LockBusy(AdjutantError, exits=BUSY):
    """Another run of the same kind holds the lock."""

    fix = "wait until the other run has ended, then try again"


class FileDamaged(AdjutantError, exits=DAMAGED):
    """A file of the tree cannot be read for what it is; it is left alone."""

    fix = "repair or move the file away; `adjutant doctor` lists all such files"


class FileChanged(AdjutantError, exits=NEEDS_HAND):
    """A file changed since it was read; the person's edit wins."""

    fix = "look at the file and at the proposal kept under state/conflicts/"


class KbUnknown(AdjutantError, exits=NEEDS_HAND):
    """No knowledge base of that name is registered."""

    fix = "`adjutant kb list` shows the names; `adjutant kb add NAME PATH` registers a folder"


class KbInvalid(AdjutantError, exits=NEEDS_HAND):
    """A knowledge base cannot be registered like that."""

    fix = "use a-z, 0-9, _ and -, at most 63 characters, and a name that no other has"


class KbUnavailable(AdjutantError, exits=UNAVAILABLE):
    """A knowledge base cannot be read or did not answer."""

    fix = "check that the folder exists and can be read: `adjutant kb info NAME`"


class ModelUnavailable(AdjutantError, exits=UNAVAILABLE):
    """No model, and rules have no answer either."""

    fix = "check `llm:` in adjutant.yaml and the server; `adjutant doctor` asks it"


class ChannelUnavailable(AdjutantError, exits=UNAVAILABLE):
    """It did not leave, or nobody knows."""

    fix = "check `notifications:` in adjutant.yaml and the channel; `adjutant status` lists what did not leave"


class CronUnavailable(AdjutantError, exits=UNAVAILABLE):
    """There is no `crontab` program here, or it does not answer."""

    fix = "install cron (Debian: apt-get install cron), or use a systemd timer: docs/cron.md says how"


class CronRefused(AdjutantError, exits=NEEDS_HAND):
    """The crontab cannot be changed like that; the old one is kept."""

    fix = "look at it with `crontab -l`; nothing was changed"


class MirrorUnavailable(AdjutantError, exits=UNAVAILABLE):
    """Typesense or Redis is away, slow, or refused."""

    fix = "start it, or take it out of adjutant.yaml; files and embedded index work without it"


class MirrorDiffers(MirrorUnavailable, exits=UNAVAILABLE, code="mirror.unavailable"):
    """A mirror that answers, and does not hold what it should."""


class MemoryRefused(AdjutantError, exits=NEEDS_HAND):
    """Empty, too long, a secret, orders from a stranger."""

    fix = "say it in your own words, in one to three sentences"


class MemoryUnknown(AdjutantError, exits=NEEDS_HAND):
    """No note has this id."""

    fix = "`adjutant memory list` names them"


class BehaviorInvalid(AdjutantError, exits=NEEDS_HAND):
    """No directive: its type, its text, or its day."""

    fix = "`KEEP: short answers`: KEEP, MORE, LESS, STOP or START, `:`, a blank, and 4 to 320 characters on one line"


class BehaviorConflict(AdjutantError, exits=NEEDS_HAND):
    """A directive contradicts one that stands."""

    fix = "`adjutant behavior remove ID` removes the old one; with `--replace` yours takes its place"


class BehaviorFull(AdjutantError, exits=NEEDS_HAND):
    """The contract holds as many directives as it may."""

    fix = "`adjutant behavior remove ID`, or raise `behavior.max_directives` in adjutant.yaml"


class BehaviorUnknown(AdjutantError, exits=NEEDS_HAND):
    """No directive or candidate has this id."""

    fix = "`adjutant behavior list` names them"


class TaxonomyInvalid(AdjutantError, exits=DAMAGED):
    """Prompts/taxonomy.yaml is no concept scheme."""

    fix = "`adjutant taxonomy validate` names every problem with its line"


class WisdomInvalid(AdjutantError, exits=DAMAGED):
    """Wisdom.md is not in its format; it is left alone."""

    fix = "`adjutant wisdom lint` names every line; mend them, then run this again"


class EvolutionUnknown(AdjutantError, exits=NEEDS_HAND):
    """No suggestion has this id."""

    fix = "`adjutant evolve list` names them"


class EvolutionChanged(AdjutantError, exits=NEEDS_HAND):
    """Its file, its report or its state is another now."""

    fix = "`adjutant evolve show ID` prints what is stored"


class SearchInvalid(AdjutantError, exits=USAGE):
    """No such collection, concept or date."""

    fix = "`adjutant search --help`"


class CheckFailed(AdjutantError, exits=NEEDS_HAND):
    """Something needs a hand."""


class JobFailed(AdjutantError, exits=NEEDS_HAND):
    """A job failed; the results of its finished steps are kept."""

    fix = "mend the file and run it anew, or `adjutant job retry ID`; `adjutant job cancel ID` gives it up"


class JobWaits(JobFailed, exits=UNAVAILABLE):
    """Something outside that a job needs is not to be had."""

    fix = "once it is there, `adjutant job retry ID`; `adjutant job cancel ID` gives it up"


class IoFailed(AdjutantError, exits=IO):
    """The disk refused; what was there before is there."""

    fix = "free space or repair permissions, then run the command again; nothing was half-written"


class Killed(AdjutantError, exits=NEEDS_HAND):
    """KILLED is set: what listens does not start."""

    fix = "`adjutant start` lifts it, and PAUSED too if `kill` set it"


class PageRefused(AdjutantError, exits=NEEDS_HAND):
    """The page does not do that: an address that others reach, a decision where it may only show."""


class PageMissing(AdjutantError, exits=UNAVAILABLE):
    """What the page is made of is not installed."""

    fix = "in a checkout `bin/adjutant serve` installs it; else `pipx runpip adjutant install 'adjutant[serve]'`"


class BackupRefused(AdjutantError, exits=NEEDS_HAND):
    """A place that a backup is not written to or restored into."""


class BackupDamaged(AdjutantError, exits=DAMAGED):
    """No backup, or not what its manifest says."""

    fix = "use another copy; nothing was restored"


class McpMissing(AdjutantError, exits=UNAVAILABLE):
    """What speaks to agents is not installed."""

    fix = "in a checkout `bin/adjutant mcp` installs it; else `pipx runpip adjutant install 'adjutant[mcp]'`"


class Stopped(AdjutantError, exits=OK):
    """PAUSED appeared while a run was under way: raised before the next effect, ends the run with exit 0."""
