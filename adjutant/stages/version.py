"""STAGE. version: which release, which Python, which instance."""

import os
import sys

from adjutant import __version__
from adjutant.app import App, Args, Outcome


def run(app: App, args: Args) -> Outcome:
    """`root` is null where there is no instance."""
    root = app.tree.root if os.path.lexists(app.tree.config) else None
    python = ".".join(map(str, sys.version_info[:3]))
    where = root or "no instance here"
    lines = [f"adjutant {__version__}, Python {python}", where]
    return Outcome({"version": __version__, "python": python, "root": root}, lines)
