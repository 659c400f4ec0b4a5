"""WIRING. Where the instance is, and the four options every verb has: all that a paused verb needs to know."""

import os

from adjutant.errors import GONE_FIX, InstanceNotFound
from adjutant.store.tree import Tree, instance_at


class Options:
    """The four global options."""

    root: str | None = None
    as_json = dry_run = quiet = False


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
    outer, trust = instance_at(os.path.dirname(found)), f"if you trust {found}, name it: --root {found}"
    if outer not in (None, found):
        why = f"{found} is an instance inside another one, {outer}"
        raise InstanceNotFound(f"{why}; nothing was done", f"go to {outer}; {trust}")
    own = {str(os.geteuid())}
    if own == {"0"}:
        own.add(os.environ.get("SUDO_UID", ""))  # under sudo the files of who called it are our own, as for git
    config = Tree(found).config
    for path in (found, config, os.path.realpath(config)):
        if os.path.lexists(path) and str(os.lstat(path).st_uid) not in own:
            from adjutant.store.disk import owner  # only on this error path: a paused verb loads little

            raise InstanceNotFound(f"{path} belongs to {owner(path)}, not to you; nothing was done", trust)
    return found


def root_or_none(named: str | None) -> str:
    """The same for a verb that works without an instance: no folder where there is none, or none of ours."""
    try:
        return find_root(named)
    except InstanceNotFound:
        return os.devnull
