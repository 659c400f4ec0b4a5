"""Other programs, from the package registry into a virtual environment of their own (bench/.peers, ignored by git)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent / ".peers"
HEAVY = {"nanobot": "nanobot-ai is heavy; put it into bench/.peers by hand"}
MINUTES = 10


def program(name: str) -> tuple[str, str]:
    """(path of a peer's program, why not). Fetches it when it is missing and not heavy."""
    path = FOLDER / "bin" / name
    if path.exists():
        return str(path), ""
    if name in HEAVY:
        return "", HEAVY[name]
    why = fetched(name)
    return (str(path), "") if path.exists() else ("", why or "it brings no program of that name")


def library(name: str, package: str = "") -> str:
    """Why a library is not there, "" when it is; fetches it, or the `package` that brings it, when it is missing."""
    python = FOLDER / "bin" / "python"
    if python.exists():
        done = subprocess.run([str(python), "-c", f"import {name}"], capture_output=True, check=False)
        if done.returncode == 0:
            return ""
    return fetched(package or name)


def fetched(name: str) -> str:
    """Installs a package into the environment of the peers: "" or why not."""
    try:
        if not (FOLDER / "bin" / "pip").exists():
            subprocess.run([sys.executable, "-m", "venv", str(FOLDER)], check=True, capture_output=True)
        subprocess.run(
            [str(FOLDER / "bin" / "pip"), "install", "-q", name],
            check=True,
            capture_output=True,
            text=True,
            timeout=60 * MINUTES,
        )
    except subprocess.TimeoutExpired:
        return f"not fetched within {MINUTES} minutes"
    except subprocess.CalledProcessError as error:
        told = str(error.stderr or "").strip().splitlines()
        return f"not fetched: {told[-1][:60] if told else error}"
    return ""
