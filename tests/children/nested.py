"""Folders in folders, deeper than a path can say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

MAKE = "import os, sys\nfor _ in range(int(sys.argv[1])):\n    os.mkdir(sys.argv[2])\n    os.chdir(sys.argv[2])"


def nested(folder: Path, depth: int, name: str) -> None:
    """Made by a process of its own: the guard of ours looks at every path."""
    subprocess.run([sys.executable, "-IS", "-c", MAKE, str(depth), name], cwd=folder, check=True)
