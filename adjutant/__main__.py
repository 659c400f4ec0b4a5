"""The entry point of `python -m adjutant` and of the console script."""

from __future__ import annotations

import os
import sys


def main() -> int:
    """Runs one command line; returns its exit code."""
    # `python -m` puts the working directory first: a yaml.py in a knowledge base must not become our code.
    if sys.path and sys.path[0] in ("", os.path.realpath(".")) and not sys.flags.safe_path:
        del sys.path[0]
    try:
        from adjutant.cli import main as run  # only now: every import from here on is ours or installed

        return run()
    except KeyboardInterrupt:  # during the imports: nothing was begun
        return 130


if __name__ == "__main__":
    raise SystemExit(main())
