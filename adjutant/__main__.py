"""The entry point of `python -m adjutant` and of the console script."""

from __future__ import annotations

from adjutant.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
