"""DOCUMENTS. What is left out of a folder: gitignore patterns of its entry and of its own .adjutantignore."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pathspec import GitIgnoreSpec

IGNORE_NAME = ".adjutantignore"
MAX_PATTERNS, MAX_CHARS, MAX_STARS = 500, 200, 2


class Excluded:
    """The patterns; `refused` are those that are too long or have too many stars to be compared in bounded time."""

    def __init__(self, patterns: Iterable[str]) -> None:
        lines = [line.rstrip("\r\n") for line in patterns]
        self.refused = [line for line in lines if not bounded(line)] + lines[MAX_PATTERNS:]
        self._spec = GitIgnoreSpec.from_lines([line for line in lines[:MAX_PATTERNS] if bounded(line)])
        self._any = any(pattern.include is not None for pattern in self._spec.patterns)

    def leaves_out(self, path: str, *, folder: bool = False) -> bool:
        """Whether a path, relative to the folder, is left out; what is in a folder left out is, too."""
        return self._any and self._spec.match_file(f"{path}/" if folder else path)


def bounded(pattern: str) -> bool:
    """Whether a pattern can be compared with any path in bounded time, and is one."""
    segments = pattern.split("/")
    if (
        len(pattern) > MAX_CHARS
        or max(each.count("*") for each in segments) > MAX_STARS
        or segments.count("**") > MAX_STARS
    ):
        return False
    try:
        GitIgnoreSpec.from_lines([pattern])
    except ValueError:
        return False
    return True


def patterns_of(text: str) -> Sequence[str]:
    """The lines of an .adjutantignore."""
    return text.split("\n")
