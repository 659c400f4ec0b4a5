"""DOMAIN. Who answers: the conductor, in one of its modes, or the specialist who owns the workload."""

from __future__ import annotations

import os
from typing import NamedTuple

from adjutant.domain.prompting.roles import CONDUCTOR, names
from adjutant.domain.recall.taxonomy import PREFIX
from adjutant.errors import FileDamaged, UsageError
from adjutant.store.config import Config
from adjutant.store.files import Files


class WorkloadOwner(NamedTuple):
    """`role`: whose text stands in the prompt. `backend` and `model` None: the conductor's own. `workspace`: the folder
    that a specialist works in, relative to the instance; "" for the conductor."""

    role: str
    backend: str | None = None
    model: str | None = None
    workspace: str = ""


def owner_of(config: Config, concept: str, role: str | None = None) -> WorkloadOwner:
    """Who was asked for by `role`, else who owns `concept` (a concept id, or "uncategorised").

    Raises UsageError for a role that does not exist.
    """
    if role is not None and role not in names(config):
        raise UsageError(f"no role {role[:40]!r}; there are {', '.join(names(config))}")
    name = role or next(
        (name for name, each in config.specialists.items() if concept.removeprefix(PREFIX) in each["workloads"]),
        CONDUCTOR,
    )
    found = config.specialists.get(name)
    if found is None:
        return WorkloadOwner(name, None, config.text_or_none("conductor.model"))
    return WorkloadOwner(name, found["backend"], found["model"], found["workspace"])


def folder_of(files: Files, owner: WorkloadOwner) -> tuple[str, tuple[int, int]] | None:
    """(absolute path, (device, inode)) of the folder that a specialist works in, made where it is missing; None where a
    dry run may not.

    No part of it may be a link: what an agent has put there would lead the next one out of the workspace. By the inode
    the walls know the folder again, should its path lead elsewhere by then. Raises FileDamaged, IoFailed.
    """
    path = files.tree.inside(owner.workspace)
    try:
        with files.folder(path, make=not files.dry) as fd:
            found = os.fstat(fd)
    except FileNotFoundError:
        return None
    except FileDamaged as error:
        raise FileDamaged(f"{error.message}; {owner.role} works in plain folders only", error.fix) from error
    return path, (found.st_dev, found.st_ino)
