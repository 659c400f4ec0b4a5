"""Row aged: what a day costs after a year, against the first week.

Some days are really lived: a vault that changes a little every day, pulses, questions, a review. The years before them
are copies of those days with every date set back, so that each log has the lines, the files and the sizes that the
product itself would have written.
"""

from __future__ import annotations

import random
import re
import shutil
import statistics
import subprocess
import time
from collections.abc import Iterator
from datetime import date, timedelta
from functools import cache
from hashlib import sha256
from pathlib import Path

from bench.instances import OURS, cost, environment
from bench.measure import Figure, Settings, Skipped, ratio

LAST = date(2026, 11, 20)
EVERY = 27  # days until a file of the vault is another
PEOPLE = ("Ingrid", "Halvorsen", "Ola", "Kari", "Per", "Berg", "Lund", "Marit", "Nils", "Tone")
THINGS = ("drawings", "tender", "keys", "permit", "invoice", "survey", "contract", "budget", "lease", "boiler", "grant")
VERBS = ("Send", "Review", "Sign", "Collect", "Order", "Check", "File", "Pay", "Renew", "Confirm")
QUESTIONS = (
    "What did we decide about the {thing}?",
    "When is the {thing} due?",
    "No, I meant the {thing} of {person}. What does it wait for?",
)
HEART = """\
# Heart

## Current Priorities

- Tender and permit on time
- Budget and invoices

## Active Concerns

- Halvorsen, late before
"""
# What grows with the days: logs by their lines, folders by dated files.
LOGS = (
    *(f"state/{name}.jsonl" for name in ("actions", "notices", "usage", "events", "interactions")),
    "state/conversations/*.jsonl",
)
DATED = ("journal/*", "insights/sent/*", "state/notify_count_*")
# A day, the day of a run's id, nanoseconds since 1970, a digest.
STAMP = re.compile(rb"\b(?:20\d\d-\d\d-\d\d|20\d{6}(?=T\d{6})|\d{19}|[0-9a-f]{16,64})(?![0-9a-f])")
NS_A_DAY = 86_400 * 10**9
REST = 2.5  # seconds: by then no file is so fresh that the index reads it again


def aged(folder: Path, settings: Settings) -> Iterator[Figure | Skipped]:
    """The day's first pulse, its review and a question: of a year's instance against the same of a week's."""
    days, files, pairs = (2, 20, 3) if settings.quick else (7, 80, 9)
    young = lived(folder / "young", days, files)
    old = Path(shutil.copytree(young, folder / "old", symlinks=True))
    lengthened(old, days, 365)
    time.sleep(REST)
    for root in (old, young):
        cost(root, "index", now=at(LAST, "23:00"))
    costs: dict[tuple[Path, str], list[float]] = {}
    for number in range(1, pairs + 1):
        for root in (old, young) if number % 2 else (young, old):
            for verb, seconds in day_of(root, LAST + timedelta(days=number), files):
                costs.setdefault((root, verb), []).append(seconds)
    for verb in ("pulse", "review", "ask", "index", "status"):
        mine, first = costs[old, verb], costs[young, verb]
        details = {"seconds": statistics.median(mine), "first": statistics.median(first)}
        yield Figure("aged", f"{verb} after a year / in the first week", ratio(mine, first), 1.2, details=details)


def lived(root: Path, days: int, files: int) -> Path:
    """An instance that was really lived in on the last days."""
    subprocess.run([*OURS, "init", str(root)], env=environment(), capture_output=True, check=True)
    (root / "identity" / "heart.md").write_text(HEART)
    (root / "knowledge_bases" / "registry.yaml").write_text("- name: vault\n  path: vault\n")
    for back in range(days - 1, -1, -1):
        list(day_of(root, LAST - timedelta(days=back), files))
    return root


def day_of(root: Path, day: date, files: int) -> Iterator[tuple[str, float]]:
    """One day in an instance: (verb, seconds of CPU), in the order of the day."""
    write_vault(root / "vault", day, files)
    chance = random.Random(day.toordinal())

    def question() -> str:
        return chance.choice(QUESTIONS).format(thing=chance.choice(THINGS), person=chance.choice(PEOPLE))

    for verb, hour, *words in (
        ("pulse", "09:00", "pulse"),
        ("index", "09:15", "index"),
        ("first question", "10:30", "ask", question()),
        ("ask", "11:00", "ask", question()),
        ("second pulse", "17:00", "pulse"),
        ("review", "20:00", "review"),
        ("status", "21:00", "status"),
    ):
        yield verb, cost(root, *words, now=at(day, hour)).seconds


def at(day: date, time: str) -> str:
    """That time of that day, ISO-8601."""
    return f"{day}T{time}:00+00:00"


def write_vault(folder: Path, day: date, files: int) -> None:
    """The vault of a day: as many files, as long and with as much due, whichever day it is."""
    folder.mkdir(exist_ok=True)
    for number in range(files):
        version, age = divmod(day.toordinal() + 7 * number, EVERY)
        text = page(number, version, day - timedelta(days=age))
        path = folder / f"project-{number:02d}.md"
        if not path.exists() or path.read_text() != text:
            path.write_text(text)


def page(number: int, version: int, day: date) -> str:
    """One file of the vault as it was written on `day`."""
    chance = random.Random(1000 * number + version)

    def due(first: int, last: int) -> date:
        return day + timedelta(days=chance.randrange(first, last))

    person, thing = (lambda: chance.choice(PEOPLE)), (lambda: chance.choice(THINGS))
    lines = [f"# Project {number}: {thing()}", "", f"{day}: {person()} has the lead. The plan stands.", "", "## Tasks"]
    for _ in range(6):
        box = chance.choice("xxx  ")
        lines.append(f"- [{box}] {chance.choice(VERBS)} the {thing()} for {person()}, due {due(-20, 60)}")
    lines += ["", "## Log", ""]
    for back in range(10):
        lines.append(f"{day - timedelta(days=3 * back)}: spoke with {person()} about the {thing()}; numbers follow.")
    lines += ["", "| item | owner | due | status |", "|---|---|---|---|"]
    for _ in range(4):
        lines.append(f"| {thing()} | {person()} | {due(-10, 40)} | {chance.choice(('open', 'done', 'at risk'))} |")
    return "\n".join(lines) + "\n"


def lengthened(root: Path, days: int, wanted: int) -> None:
    """Puts copies of the days that were lived before them, until there are `wanted` days."""
    shifts = [days * times for times in range(-(-wanted // days) - 1, 0, -1)]
    for path in (found for pattern in LOGS for found in root.glob(pattern)):
        data = path.read_bytes()
        path.write_bytes(b"".join(set_back(data, back) for back in shifts) + data)
    for path in [found for pattern in DATED for found in root.glob(pattern)]:
        for back in shifts:
            name = set_back(path.name.encode(), back).decode()
            path.with_name(name).write_bytes(set_back(path.read_bytes(), back))


def set_back(data: bytes, days: int) -> bytes:
    """The same bytes with each date `days` earlier, and another digest wherever one stands."""
    return STAMP.sub(lambda match: _earlier(match[0], days), data)


@cache
def _earlier(found: bytes, days: int) -> bytes:
    text = found.decode()
    if len(text) == 19 and text.isdecimal():
        return str(int(text) - days * NS_A_DAY).encode()
    if len(text) > 10:
        return sha256(found + str(days).encode()).hexdigest()[: len(text)].encode()
    day = date.fromisoformat(text) - timedelta(days=days)
    return (day.isoformat() if "-" in text else f"{day:%Y%m%d}").encode()
