"""Child processes for the tests of the store: `python writers.py ROOT WHAT ARGUMENTS`."""

from __future__ import annotations

import subprocess
import sys
import time

from adjutant.store.files import Files
from adjutant.store.tree import Tree


def command(root: str, what: str, *words: object) -> list[str]:
    """The command line that runs one of the functions below in a process of its own."""
    return [sys.executable, __file__, root, what, *map(str, words)]


def start(root: str, what: str, *words: object) -> subprocess.Popen[str]:
    """The same, started."""
    return subprocess.Popen(command(root, what, *words), stdout=subprocess.PIPE, text=True)


def finished(children: list[subprocess.Popen[str]]) -> None:
    """Waits for all; each must have done what it was told."""
    for child in children:
        child.communicate(timeout=120)
    assert [child.returncode for child in children] == [0] * len(children)


def append(files: Files, mark: str, count: str) -> None:
    for number in range(int(count)):
        files.append(files.tree.actions, {"mark": int(mark), "number": number, "text": "æ\n\u2028" * (number % 7)})
        print(number, flush=True)  # acknowledged


def count(files: Files, times: str) -> None:
    """Read, add one, write: under the data lock nothing is lost."""
    for _ in range(int(times)):
        with files.lock("counter", 60):
            path = files.tree.notify_count("2026-11-20")
            number = int(files.text(path)) if files.exists(path) else 0
            files.replace(path, str(number + 1))


def rotate(files: Files, times: str) -> None:
    """Takes the file out of the appenders' hands again and again, every line kept."""
    for _ in range(int(times)):
        files.rewrite(files.tree.actions, lambda data: data)
        time.sleep(0.002)


def hold(files: Files, name: str, seconds: str) -> None:
    with files.lock(name, 0):
        print("held", flush=True)
        time.sleep(float(seconds))


def move(files: Files, source: str, target: str) -> None:
    """Exit 0 for the one that moved it, 3 for one that came too late."""
    try:
        files.move(source, target)
    except (FileNotFoundError, FileExistsError):
        raise SystemExit(3) from None


if __name__ == "__main__":
    globals()[sys.argv[2]](Files(Tree(sys.argv[1])), *sys.argv[3:])
