"""WIRING. Where the instance is, and the four options every verb has: all that a paused verb needs to know."""

from __future__ import annotations

import os

from adjutant.errors import InstanceNotFound
from adjutant.store.tree import Tree


class Options:
    """The four global options."""

    __slots__ = ("as_json", "dry_run", "quiet", "root")

    def __init__(self) -> None:
        self.root: str | None = None
        self.as_json = self.dry_run = self.quiet = False


def find_root(named: str | None) -> str:
    """--root, then ADJ_DIR, then the nearest ancestor with an adjutant.yaml. Raises InstanceNotFound."""
    given = named or os.environ.get("ADJ_DIR")
    if given:
        root = os.path.realpath(given)
        if not os.path.lexists(Tree(root).config):
            source = "--root" if named else "ADJ_DIR"
            raise InstanceNotFound(f"{source}: {given} holds no adjutant.yaml")
        return root
    try:
        folder = os.getcwd()
    except OSError:
        raise InstanceNotFound("the working directory is gone") from None
    while True:
        if os.path.lexists(Tree(folder).config):
            return folder
        parent = os.path.dirname(folder)
        if parent == folder:
            raise InstanceNotFound("no adjutant.yaml here or in any folder above")
        folder = parent
