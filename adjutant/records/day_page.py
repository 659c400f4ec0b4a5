"""RECORDS. today.md as it was last written: when, and how many matters stand under each of its headings."""

from __future__ import annotations

from adjutant.store.files import Files

MARK = "<!-- adjutant: written "


def read(files: Files) -> tuple[str, dict[str, int]] | None:
    """(ISO time of writing, {heading: matters}); None before the first pulse or where a person replaced the page.
    Raises IoFailed."""
    first, *lines = files.log(files.tree.today).decode("utf-8", "replace").split("\n")
    if not first.startswith(MARK):
        return None
    counts: dict[str, int] = {}
    heading = ""
    for line in lines:
        if line.startswith("## "):
            heading = line.removeprefix("## ")
        elif heading and line.startswith("- "):
            more = line.removeprefix("- and ").removesuffix(" more")
            counts[heading] = counts.get(heading, 0) + (int(more) if more.isdecimal() else 1)
    return first.removeprefix(MARK).split(maxsplit=1)[0], counts
