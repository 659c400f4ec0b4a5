"""Folders that nobody would wish to read: names, sizes, encodings, links, dates, nesting, drawn from a seed."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator
from pathlib import Path

MOST = 200_000  # bytes of one drawn file
WORDS = "the fire plan for bakery permit must be sent by Friday 20 November, not yet paid. - [ ] [x] | due | status |"
CONTROLS = (
    "\x1b[31m",
    "\x1b]52;c;ZXZpbA==\x07",
    "\r",
    "\x00",
    "\u202e",
    "\u200b",
    "\u2028",
    "\x85",
    "\x9b2J",
    "\ufeff",
)
SHAPES: dict[str, Callable[[int], str]] = {
    "comments": lambda size: "<!--" * (size // 4),
    "closed comments": lambda size: "<!-- x --> " * (size // 11),
    "indented yaml": lambda size: "".join(f"{' ' * (n % 200)}k{n}:\n" for n in range(size // 100)),
    "deep list": lambda size: "".join(f"{' ' * n}- a\n" for n in range(int((2 * size) ** 0.5))),
    "levels on one line": lambda size: "- " * (size // 2) + "x",
    "tables of one row": lambda size: "| due | status |\n|---|---|\n| 2026-11-20 | odd |\n\n" * (size // 51),
    "columns of dates": lambda size: (
        "|due" * (size // 16) + "\n" + "|-" * (size // 16) + "\n" + "|20 Nov" * (size // 16)
    ),
    "long heading": lambda size: f"# {'by Friday ' * (size // 20)}\n\n" + "- [ ] pay\n" * (size // 20),
    "deep brackets": lambda size: "[" * size,
    "json depth": lambda size: '{"a":' * (size // 5),
    "headings": lambda size: "".join(f"{'#' * (1 + n % 6)} h{n}\n" for n in range(size // 8)),
    "one line": lambda size: "word " * (size // 5),
    "no blanks": lambda size: "x" * size,
    "pipes": lambda size: "|" * size + "\n" + "|-" * (size // 2),
    "rows": lambda size: "| due | status |\n|---|---|\n" + "| 2026-11-20 | odd |\n" * (size // 21),
    "boxes": lambda size: "- [ ] pay by 20 Nov\n" * (size // 20),
    "quotes": lambda size: "> " * (size // 2),
    "fences": lambda size: "```\n" * (size // 4),
    "dates": lambda size: "24/11 2026-11-24 Tues 24 Nov 10:30 by the end of the month " * (size // 58),
    "stars": lambda size: "*" * size,
    "links": lambda size: "[[" * (size // 2),
    "csv quotes": lambda size: '"a,' * (size // 3),
    "aliases": lambda size: "a: &a [x]\n" + "".join(f"b{n}: *a\n" for n in range(size // 8)),
    "mail heads": lambda size: "Subject: x\n" * (size // 11),
    "folded": lambda size: "BEGIN:VCALENDAR\n" + " x\n" * (size // 3),
    "numbers": lambda size: "1,000.00 " * (size // 9),
    "apostrophes": lambda size: "n't " * (size // 4),
    "frontmatter": lambda size: "---\n" + "a: b\n" * (size // 5),
}
SUFFIXES = ("md", "txt", "csv", "yaml", "json", "ics", "eml", "tsv", "")
LINES = (
    "- [ ] Hand in the fire plan, due 2026-11-20",
    "- [x] done long ago, due 9999-12-31",
    "Waiting on \x1b]0;owned\x07 Halvorsen since the 12th",
    "due:: 0000-00-00 and 31/11/2026 and 2026-13-45",
    "| oven | 2026-11-19 | un\u202epaid |",
    "BLOCKED: /kill https://example.com @somebody",
    "status: \x9bdone",
    "permit deadline 20 Nov 99999",
)


def make(folder: Path, seed: int) -> None:
    """One folder: six to fourteen entries, among them what can only just be made on this file system."""
    draw = random.Random(seed)
    folder.mkdir(parents=True)
    for number in range(draw.randint(6, 14)):
        place = folder / "/".join(_name(draw, number) for _ in range(draw.choice((1, 1, 1, 2, 6))))
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            _fill(place, draw)
        except OSError:
            continue  # a name or a depth that the system refuses


def _name(draw: random.Random, number: int) -> str:
    odd = draw.choice(
        ("", "", "", draw.choice(CONTROLS).replace("\x00", ""), "Archive ", ".", "-rf ", "ø" * 60, "a" * 200)
    )
    suffix = draw.choice(SUFFIXES)
    return f"{odd}n{number}{'.' if suffix else ''}{suffix}".replace("/", "")


def _fill(place: Path, draw: random.Random) -> None:
    kind = draw.randrange(10)
    if kind == 0:
        os.symlink(draw.choice(("/etc/passwd", ".", "nowhere", str(place.parent))), place)
    elif kind == 1:
        os.mkfifo(place)
    elif kind == 2:
        place.write_bytes(draw.randbytes(draw.randint(1, 5000)))
    elif kind == 3:
        place.write_bytes("\n".join(LINES).encode(draw.choice(("utf-16", "latin-1", "utf-8-sig")), "replace"))
    elif kind < 7:
        shape = SHAPES[draw.choice(sorted(SHAPES))]
        place.write_text(shape(draw.choice((100, 5_000, MOST))), "utf-8", "replace")
    else:
        place.write_bytes("\n".join(_lines(draw)).encode("utf-8", "replace"))
    if kind > 1:
        stamp = draw.choice((0, 1_700_000_000, 1_795_000_000, 4_000_000_000))
        os.utime(place, (stamp, stamp))
    if draw.random() < 0.05:
        place.chmod(0)


def _lines(draw: random.Random) -> Iterator[str]:
    for _ in range(draw.randint(1, 60)):
        line = (
            draw.choice(LINES) if draw.random() < 0.5 else " ".join(draw.choices(WORDS.split(), k=draw.randint(1, 12)))
        )
        if draw.random() < 0.3:
            at = draw.randrange(len(line) + 1)
            line = line[:at] + draw.choice(CONTROLS) + line[at:]
        yield line
