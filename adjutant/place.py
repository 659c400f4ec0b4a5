"""WIRING. Where the instance is, and the four options every verb has: all that a paused verb needs to know."""

from __future__ import annotations

import os

from adjutant.errors import GONE_FIX, InstanceNotFound
from adjutant.store.tree import Tree, instance_at


class Options:
    """The four global options."""

    __slots__ = ("as_json", "dry_run", "quiet", "root")

    def __init__(self) -> None:
        self.root: str | None = None
        self.as_json = self.dry_run = self.quiet = False


def colour() -> bool:
    """Whether a terminal may be given colours."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def find_root(named: str | None) -> str:
    """--root, then ADJ_DIR, then the nearest ancestor with an adjutant.yaml. Raises InstanceNotFound.

    An adjutant.yaml names programs to start and servers to talk to, so one that was merely found must be the user's
    own: it is refused inside another instance, and when another user owns it. Whoever names an instance trusts it.
    """
    given = named or os.environ.get("ADJ_DIR")
    if given:
        root = os.path.realpath(given)
        if not os.path.lexists(Tree(root).config):
            source = "--root" if named else "ADJ_DIR"
            raise InstanceNotFound(f"{source}: {given} holds no adjutant.yaml")
        return root
    try:
        found = instance_at(os.getcwd())
    except OSError:
        raise InstanceNotFound("the working directory is gone", GONE_FIX) from None
    if found is None:
        raise InstanceNotFound("no adjutant.yaml here or in any folder above")
    outer = instance_at(os.path.dirname(found))
    if outer not in (None, found):
        raise _refused(f"{found} is an instance inside another one, {outer}", found, f"go to {outer}; ")
    if (path := _foreign(found)) is not None:
        from adjutant.store.disk import owner  # only on this error path: a paused verb loads as little as it can

        raise _refused(f"{path} belongs to {owner(path)}, not to you", found)
    return found


def root_or_none(named: str | None) -> str:
    """The same for a verb that works without an instance: no folder where there is none, or none of ours."""
    try:
        return find_root(named)
    except InstanceNotFound:
        return os.devnull


def _foreign(root: str) -> str | None:
    """The instance's folder, its adjutant.yaml, or the file that one links to, if another user owns it.

    Under sudo the files of the user who called it count as our own, as they do for git.
    """
    own = {str(os.geteuid())}
    if own == {"0"}:
        own.add(os.environ.get("SUDO_UID", ""))
    config = Tree(root).config
    paths = (root, config, os.path.realpath(config))
    return next((path for path in paths if os.path.lexists(path) and str(os.lstat(path).st_uid) not in own), None)


def _refused(why: str, root: str, first: str = "") -> InstanceNotFound:
    return InstanceNotFound(f"{why}; nothing was done", f"{first}if you trust {root}, name it: --root {root}")
