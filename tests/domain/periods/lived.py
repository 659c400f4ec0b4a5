"""A person's days as files, and periods made of them without any choosing: the first pieces are the bullets."""

from __future__ import annotations

import json
import time
from datetime import date, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from adjutant.clock import Clock
from adjutant.domain.periods.sources import DUE, GatheredPieces, Planned, Sources, choose, plan
from adjutant.records import period_file
from adjutant.records.period_file import RULES, Bullet
from adjutant.store import config
from adjutant.store.files import Files
from tests.conftest import make_instance

OSLO = "Europe/Oslo"
MOST = 30  # bullets of a period


class Lived:
    """An instance at noon of the day `now`, in a zone."""

    def __init__(self, root: Path, now: str = "2026-12-31", zone: str = OSLO, **settings: Any) -> None:
        self.tree = make_instance(root, **settings)
        self.files, self.root = Files(self.tree), root
        self.config = config.load(self.files)
        self.at(now, zone)

    def at(self, now: str, zone: str = OSLO) -> None:
        noon = datetime.fromisoformat(f"{now}T12:00:00").replace(tzinfo=ZoneInfo(zone))
        self.clock = Clock(time.time, time.monotonic, noon.tzinfo, noon)

    def write(self, path: str, content: str | bytes) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())

    def journal(self, day: str, text: str) -> None:
        """Entries as they stand in the file."""
        self.write(f"journal/{day}.md", text)

    def say(self, session: str, *messages: tuple[str, str], role: str = "operator", **more: Any) -> None:
        """Adds messages, (when, text) each, with ids m1, m2 … through the session."""
        path = self.root / f"state/conversations/{session}.jsonl"
        count = path.read_bytes().count(b"\n") if path.exists() else 0
        for number, (ts, text) in enumerate(messages, count + 1):
            message = {"id": f"m{number}", "ts": ts, "role": role, "name": role, "text": text, **more}
            self.files.append(str(path), message)

    def work(self, ts: str, text: str, id: str = "w1") -> None:
        """Adds a line to the work log."""
        self.files.append(self.tree.slog, {"ts": ts, "id": id, "text": text, "concept": "x:y"})

    def insight(
        self,
        name: str,
        created: str,
        *,
        kb: str = "launch",
        folder: str = "pending",
        attempts: int = 0,
    ) -> None:
        """One as Pulse files it."""
        self.write(
            f"insights/{folder}/{name}",
            (
                f"---\ncreated: '{created}'\nkb: {kb}\nseverity: high\nconcern: null\nfingerprint: abc\nevidence: []\n"
                f"run: r\nattempts: {attempts}\nnotice: null\n---\n\n# Deposit\n\nDue.\n"
            ),
        )

    def sources(self) -> Sources:
        return Sources(self.files, self.clock)

    def day(self, name: str) -> GatheredPieces:
        return self.sources().gather(period_file.day(date.fromisoformat(name)))

    def plan(self, kind: str, word: str = DUE, on: str | None = None) -> list[Planned]:
        sources = self.sources()
        wanted = choose(sources, word, kind, date.fromisoformat(on) if on else None)
        return [plan(sources, self.config, period) for period in wanted]

    def compact(self) -> list[str]:
        """Writes what is due; the names of what was written."""
        sources, written = self.sources(), []
        for kind in period_file.KINDS:
            for each in [plan(sources, self.config, period) for period in choose(sources, DUE, kind)]:
                if (made := each.made) is not None:
                    bullets = [
                        Bullet(piece.section or "Key events", piece.text, piece.refs, piece.trust)
                        for piece in made.pieces[:MOST]
                    ]
                    text = period_file.render(each.period, made.sources, bullets, RULES, 0)
                    self.write(self.tree.relative(self.tree.period(kind, each.period.name)), text)
                    written.append(each.period.name)
        return written


def line(**record: Any) -> bytes:
    """One line of a log."""
    return json.dumps(record).encode() + b"\n"
