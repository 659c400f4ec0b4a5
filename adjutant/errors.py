"""GROUND. One error family: what is wrong, what to do, and the exit code it ends in."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

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
    """An expected failure. `code` is the stable key of spec/05, `exit_code` of spec/60, `fix` tells what to do."""

    code = "bug"
    exit_code = BUG
    fix = ""

    def __init__(self, message: str, fix: str = "", details: Mapping[str, object] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.fix = fix or self.fix
        self.details: dict[str, object] = dict(details or {})


class InstanceNotFound(AdjutantError):
    """No folder with an adjutant.yaml was found or named."""

    code, exit_code = "instance.not_found", CONFIG
    fix = "run `adjutant init DIR`, or name an instance with --root DIR or ADJ_DIR"


class WorkingDirectoryGone(InstanceNotFound):
    """The folder that the command was started in was deleted."""

    fix = "cd to a folder that exists, and try again"


class ConfigInvalid(AdjutantError):
    """adjutant.yaml (or the environment that overrides it) cannot be used as it is."""

    code, exit_code = "config.invalid", CONFIG
    fix = "edit the line named, then `adjutant config check`"


class UsageError(AdjutantError):
    """The words of the command line make no sense."""

    code, exit_code = "usage", USAGE
    fix = "see `adjutant --help`"


class LockBusy(AdjutantError):
    """Another run of the same kind holds the lock."""

    code, exit_code = "lock.busy", BUSY
    fix = "wait until the other run has ended, then try again"


class FileDamaged(AdjutantError):
    """A file of the tree cannot be read for what it is; it is left alone."""

    code, exit_code = "file.damaged", DAMAGED
    fix = "repair or move the file away; `adjutant doctor` lists all such files"


class FileChanged(AdjutantError):
    """A file changed since it was read; the person's edit wins."""

    code, exit_code = "file.changed", NEEDS_HAND
    fix = "look at the file and at the proposal kept under state/conflicts/"


class KbUnknown(AdjutantError):
    """No knowledge base of that name is registered."""

    code, exit_code = "kb.unknown", NEEDS_HAND
    fix = "`adjutant kb list` shows the names; `adjutant kb add NAME PATH` registers a folder"


class KbInvalid(AdjutantError):
    """A knowledge base cannot be registered like that."""

    code, exit_code = "kb.invalid", NEEDS_HAND
    fix = "a name has a-z, 0-9, _ and -, at most 63 characters, and is in the registry once"


class KbUnavailable(AdjutantError):
    """A knowledge base cannot be read or did not answer."""

    code, exit_code = "kb.unavailable", UNAVAILABLE
    fix = "check that the folder exists and can be read: `adjutant kb info NAME`"


class ModelUnavailable(AdjutantError):
    """The model cannot be reached and the question has no answer by rules."""

    code, exit_code = "model.unavailable", UNAVAILABLE
    fix = "check `llm:` in adjutant.yaml and the server; `adjutant doctor` asks it"


class ChannelUnavailable(AdjutantError):
    """A notice did not leave, or nobody knows whether it did; it is on record and the next review carries it."""

    code, exit_code = "channel.unavailable", UNAVAILABLE
    fix = "check `notifications:` in adjutant.yaml and the channel itself; `adjutant status` lists what did not leave"


class CronUnavailable(AdjutantError):
    """There is no `crontab` program here, or it does not answer."""

    code, exit_code = "cron.unavailable", UNAVAILABLE
    fix = "install cron (Debian: apt-get install cron), or use a systemd timer: docs/cron.md says how"


class CronRefused(AdjutantError):
    """The user's crontab cannot be changed like that; the old one is kept."""

    code, exit_code = "cron.refused", NEEDS_HAND
    fix = "look at it with `crontab -l`; nothing was changed"


class MirrorUnavailable(AdjutantError):
    """A mirror (Typesense, Redis) that is configured is away, slow, or refused."""

    code, exit_code = "mirror.unavailable", UNAVAILABLE
    fix = "start it, or take it out of adjutant.yaml; files and embedded index work without it"


class MirrorDiffers(MirrorUnavailable):
    """A mirror that answers, and does not hold what it should."""


class MemoryRefused(AdjutantError):
    """A note that is not kept: empty, too long, a secret, lifted from the prompt, orders from a stranger."""

    code, exit_code = "memory.refused", NEEDS_HAND
    fix = "say it in your own words, in one to three sentences"


class MemoryUnknown(AdjutantError):
    """No note has this id."""

    code, exit_code = "memory.unknown", NEEDS_HAND
    fix = "`adjutant memory list` names them"


class BehaviorInvalid(AdjutantError):
    """What was given is no directive: its type, its text, or its day."""

    code, exit_code = "behavior.invalid", NEEDS_HAND
    fix = "`KEEP: short answers`: KEEP, MORE, LESS, STOP or START, `:`, a blank, and 4 to 320 characters on one line"


class BehaviorConflict(AdjutantError):
    """A directive contradicts one that stands."""

    code, exit_code = "behavior.conflict", NEEDS_HAND
    fix = "`adjutant behavior remove ID` removes the old one; with `--replace` yours takes its place"


class BehaviorFull(AdjutantError):
    """The contract holds as many directives as it may."""

    code, exit_code = "behavior.full", NEEDS_HAND
    fix = "`adjutant behavior remove ID`, or raise `behavior.max_directives` in adjutant.yaml"


class BehaviorUnknown(AdjutantError):
    """No directive or candidate has this id."""

    code, exit_code = "behavior.unknown", NEEDS_HAND
    fix = "`adjutant behavior list` names them"


class TaxonomyInvalid(AdjutantError):
    """prompts/taxonomy.yaml is no concept scheme."""

    code, exit_code = "taxonomy.invalid", DAMAGED
    fix = "`adjutant taxonomy validate` names every problem with its line"


class WisdomInvalid(AdjutantError):
    """A wisdom.md that is not in its format, named with file and line; it is left alone."""

    code, exit_code = "wisdom.invalid", DAMAGED
    fix = "`adjutant wisdom lint` names every line; mend them, then run this again"


class EvolutionUnknown(AdjutantError):
    """No suggestion has this id."""

    code, exit_code = "evolution.unknown", NEEDS_HAND
    fix = "`adjutant evolve list` names them"


class EvolutionChanged(AdjutantError):
    """A suggestion cannot be applied or taken back as it was shown: its file, its report or its state is another."""

    code, exit_code = "evolution.changed", NEEDS_HAND
    fix = "`adjutant evolve show ID` prints what is stored"


class SearchInvalid(AdjutantError):
    """A search that names what does not exist: a collection, a concept, a date."""

    code, exit_code = "search.invalid", USAGE
    fix = "`adjutant search --help`"


class CheckFailed(AdjutantError):
    """Something needs a hand."""

    code, exit_code = "check.failed", NEEDS_HAND


class JobFailed(AdjutantError):
    """A job failed; the results of its finished steps are kept."""

    code, exit_code = "job.failed", NEEDS_HAND
    fix = "mend the file and run it anew, or `adjutant job retry ID`; `adjutant job cancel ID` gives it up"


class JobWaits(JobFailed):
    """Something outside that a job needs is not to be had."""

    code, exit_code = "job.waits", UNAVAILABLE
    fix = "once it is there, `adjutant job retry ID`; `adjutant job cancel ID` gives it up"


class IoFailed(AdjutantError):
    """The disk refused: full, no permission, an I/O error. What was there before is still there."""

    code, exit_code = "io.failed", IO
    fix = "free space or repair permissions, then run the command again; nothing was half-written"


class Killed(AdjutantError):
    """KILLED is set: what listens does not start."""

    code, exit_code = "killed", NEEDS_HAND
    fix = "`adjutant start` lifts it, and PAUSED too if `kill` set it"


class PageRefused(AdjutantError):
    """The page does not do that: an address that others reach, a decision where it may only show."""

    code, exit_code = "page.refused", NEEDS_HAND


class PageMissing(AdjutantError):
    """What the page is made of is not installed."""

    code, exit_code = "page.missing", UNAVAILABLE
    fix = "in a checkout `bin/adjutant serve` installs it; else `pipx runpip adjutant install 'adjutant[serve]'`"


class BackupRefused(AdjutantError):
    """A place that a backup is not written to or restored into."""

    code, exit_code = "backup.refused", NEEDS_HAND


class BackupDamaged(AdjutantError):
    """A file that is no backup, or does not hold what its manifest says; nothing of it is kept."""

    code, exit_code = "backup.damaged", DAMAGED
    fix = "use another copy; nothing was restored"


class McpMissing(AdjutantError):
    """What speaks to agents is not installed."""

    code, exit_code = "mcp.missing", UNAVAILABLE
    fix = "in a checkout `bin/adjutant mcp` installs it; else `pipx runpip adjutant install 'adjutant[mcp]'`"


class Stopped(AdjutantError):
    """PAUSED appeared while a run was under way: raised before the next effect, ends the run with exit 0."""

    code, exit_code = "stopped", OK
