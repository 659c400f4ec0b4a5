"""DOMAIN. Roles: what the conductor, its modes and its specialists are told of their part; a file each."""

import os

from adjutant.errors import ConfigInvalid, UsageError
from adjutant.store import package
from adjutant.store.config import Config
from adjutant.store.files import Files

CONDUCTOR = "conductor"
MODES = ("writer", "researcher")  # other ways in which the conductor itself answers
SPECIALIST = "specialist"  # what a specialist is told that has no file of its own
MAX_CHARS = 6000


def names(config: Config) -> tuple[str, ...]:
    """Every role there is: the conductor, its modes, the specialists of adjutant.yaml."""
    return (CONDUCTOR, *MODES, *config.specialists)


def read(files: Files, config: Config, name: str) -> str:
    """A role's text: the instance's own if it has one, else the package's; who speaks stands above it. Raises
    UsageError for a role that does not exist, ConfigInvalid for one over its limit, FileDamaged, IoFailed."""
    if name not in names(config):
        raise UsageError(f"no role {name[:40]!r}; there are {', '.join(names(config))}")
    own = files.tree.role(name)
    try:
        text = files.text(own)
    except FileNotFoundError:
        if os.path.islink(own):
            raise ConfigInvalid(f"{files.tree.relative(own)}: a link that leads nowhere", "mend or remove it") from None
        text = read_packaged(name)
    if len(text) > MAX_CHARS:
        what = f"{files.tree.relative(own)}: {len(text)} characters, {MAX_CHARS} are allowed"
        raise ConfigInvalid(what, "shorten the file")
    speaker = config.text("conductor.name")
    head = f"You are {speaker}, the {config.text('conductor.role')} of one operator."
    if name in config.specialists:
        head = f"You are {name}, a specialist who works for {speaker}, the {config.text('conductor.role')}."
    return f"{head}\n\n{text.strip()}"


def read_packaged(name: str) -> str:
    """The text that comes with the package; one for all specialists."""
    return package.text("prompts", "roles", f"{name if name in (CONDUCTOR, *MODES) else SPECIALIST}.md")
