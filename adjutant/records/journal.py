"""RECORDS. The journal: what happened, one Markdown file a day, only ever appended to."""

import re
from collections.abc import Iterable
from datetime import datetime, timedelta

from adjutant.errors import FileDamaged
from adjutant.screening.characters import without_controls, without_invisible
from adjutant.screening.fence import clean_line
from adjutant.store.files import Files

TITLE_CHARS, LINE_CHARS = 120, 2000
DRY_RUN = " [DRY RUN]"
_STRUCTURE = re.compile(r"^(#|>|`{3}|~{3}|[-=*_]{3,}\s*$)")
_HTML = re.compile(r"<(?=[A-Za-z/!?])")


def entry(files: Files, now: datetime, title: str, lines: Iterable[str], *, dry_run: bool = False) -> None:
    """Appends `## HH:MM — Title` and one list item a line, in a dry run too. Emphasis in a line stays (`**kb**: …`);
    nothing in it can begin a heading, a code block or an entry of its own."""
    head = f"## {now:%H:%M} — {clean_line(title, TITLE_CHARS)}{DRY_RUN if dry_run else ''}"
    body = "".join(f"- {item(line)}\n" for line in lines)
    files.append_text(files.tree.journal_of(now.date().isoformat()), f"{head}\n\n{body}\n")


def last(files: Files, now: datetime, title: str, *, dry_run: bool = False) -> set[str] | None:
    """The lines of the day's last entry with this title, as `item` wrote them; None where there is none."""
    text = files.find_text(files.tree.journal_of(now.date().isoformat())) or ""
    head = re.escape(f" — {clean_line(title, TITLE_CHARS)}{DRY_RUN if dry_run else ''}\n")
    found = re.findall(rf"^## \d\d:\d\d{head}((?:(?!## ).*\n)*)", text, re.MULTILINE)
    return {line[2:] for line in found[-1].split("\n") if line.startswith("- ")} if found else None


def item(line: str) -> str:
    """One line of an entry, its list mark taken off."""
    plain = " ".join(without_invisible(without_controls(line)).split()).removeprefix("- ")
    plain = _HTML.sub(r"\\<", _STRUCTURE.sub(r"\\\1", plain))
    return plain if len(plain) <= LINE_CHARS else plain[: LINE_CHARS - 1].rstrip() + "…"


def recent(files: Files, now: datetime, days: int, damaged: list[str] | None = None) -> list[tuple[str, str]]:
    """(day, text) of the last `days` days, oldest first, without those that have none; `damaged` names the others."""
    found = []
    for back in range(days - 1, -1, -1):
        day = (now.date() - timedelta(days=back)).isoformat()
        try:
            text = files.find_text(files.tree.journal_of(day))
            found += [(day, text)] if text is not None else []
        except FileDamaged as error:
            (damaged if damaged is not None else []).append(error.message)
    return found
