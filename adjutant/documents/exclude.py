"""DOCUMENTS. What is left out of a folder: gitignore patterns of its entry and of its own .adjutantignore."""

from __future__ import annotations

from collections.abc import Iterable

from pathspec import GitIgnoreSpec

IGNORE_NAME = ".adjutantignore"
MAX_PATTERNS, MAX_CHARS, MAX_DEEP = 500, 200, 2


class Excluded:
    """The patterns; `refused` are those that are too long or have too many stars to be compared in bounded time."""

    def __init__(self, patterns: Iterable[str]) -> None:
        lines = [line.rstrip("\r\n") for line in patterns]
        good = [line for line in lines if not refusal(line)][:MAX_PATTERNS]
        known = set(good)
        self.refused = [line for line in lines if line not in known]
        self._spec = GitIgnoreSpec.from_lines(good)
        self.any = any(pattern.include is not None for pattern in self._spec.patterns)

    def leaves_out(self, path: str, *, folder: bool = False) -> bool:
        """Whether a path, relative to the folder, is left out; what is in a folder left out is, too."""
        return self.any and self._spec.match_file(f"{path}/" if folder else path)


def refusal(pattern: str) -> str:
    """Why a pattern is not taken: it is none, or cannot be compared with any path in bounded time; "" when it is."""
    segments = pattern.split("/")
    open_ended = sum(each.count("*") - 1 for each in segments if "*" in each and each.strip("*"))
    if len(pattern) > MAX_CHARS or open_ended > 1 or sum("**" in each for each in segments) > MAX_DEEP:
        return f"is longer than {MAX_CHARS} characters or has too many stars"
    try:
        GitIgnoreSpec.from_lines([pattern])
    except ValueError:
        return "is none"
    return ""
