"""A folder of interactions and talks, put together a turn at a time: what an analysis is looked at with."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec

from adjutant.domain.learning import analysis
from adjutant.domain.learning.gathering import Material
from adjutant.records.interactions import Interaction, friction_of
from adjutant.records.suggestion import Analysis, Finding
from tests.conftest import TestedApp, make_app

NOW = datetime.fromisoformat("2026-11-20T18:00:00+00:00")
OUT_OF_PROPORTION = ("unfiled",)  # words about figures, in any month


class Record:
    """What was asked and answered. `days` count back from NOW; each session is an occasion of its own."""

    def __init__(self, root: Path, **settings: Any) -> None:
        self.root, self.settings = root, {"evolution__min_interactions": 1} | settings
        self.lines: list[tuple[datetime, dict[str, Any]]] = []
        self.talks: dict[str, list[dict[str, Any]]] = {}
        self.sessions = self.turns = 0

    def session(self, days: float, *asked: tuple[str, str] | str, **more: Any) -> list[str]:
        """A session so many days ago: (question, answer), or a question alone; the ids of its turns.

        A text that begins with `!` corrects the answer before it. `more`: fields of each interaction.
        """
        self.sessions += 1
        at, name, ids = NOW - timedelta(days=days), f"s{self.sessions:04}", list[str]()
        for each in asked:
            question, answer = each if isinstance(each, tuple) else (each, "So be it.")
            if question.startswith("!"):
                question = question[1:]
                self.signal(ids[-1], "corrected", at)
            ids.append(self.turn(at, name, question, answer, **more))
            at += timedelta(minutes=3)
        return ids

    def turn(self, at: datetime, session: str, question: str, answer: str, **more: Any) -> str:
        self.turns += 1
        id = f"{at:%Y%m%dT%H%M%S}-{self.turns:04x}"
        talk = self.talks.setdefault(session, [])
        talk.append({"id": id, "ts": at.isoformat(), "role": "operator", "name": "operator", "text": question})
        talk.append(
            {
                "id": f"{id}-answer",
                "ts": (at + timedelta(seconds=20)).isoformat(),
                "role": "agent",
                "name": "conductor",
                "text": answer,
            }
        )
        signals = tuple(more.pop("friction_signals", ()))
        fields = {
            "agent": "conductor",
            "concept": "adjutant:comms",
            "confidence": 0.6,
            "channel": "cli",
            "parts": {"user": 40, "message": 10},
        } | more
        self.add(
            Interaction(
                id=id,
                ts=at.isoformat(),
                kind="turn",
                session=session,
                message=f"{session}/{id}",
                friction_signals=signals,
                friction=friction_of(signals),
                **fields,
            ),
            at,
        )
        return id

    def add(self, made: Interaction, at: datetime) -> None:
        self.lines.append((at, msgspec.to_builtins(made)))

    def signal(self, of: str, name: str, at: datetime) -> None:
        self.lines.append((at, {"ts": at.isoformat(), "event": "signal", "of": of, "signal": name, "source": "x"}))

    def stranger(self, session: str, text: str, days: float) -> None:
        at = NOW - timedelta(days=days)
        self.talks.setdefault(session, []).append(
            {
                "id": f"x{len(self.talks[session])}" if session in self.talks else "x0",
                "ts": at.isoformat(),
                "role": "stranger",
                "name": "Odd",
                "text": text,
            }
        )

    def everyday(self, turns: int, days: float = 20.0, **more: Any) -> None:
        """Turns that have nothing in common."""
        for number in range(turns):
            self.session(
                days * (number + 0.5) / turns,
                (f"what about {made_up(number)} and {made_up(number + 7919)}?", f"{made_up(number + 104729)} it is."),
                **more,
            )

    def write(self, path: str, text: str) -> Path:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        return target

    def app(self) -> TestedApp:
        app = make_app(self.root, now=NOW.isoformat(), verb="pulse", **self.settings)
        rows = [row for _, row in sorted(self.lines, key=lambda line: line[0])]
        self.write("state/interactions.jsonl", _jsonl(rows))
        for name, talk in self.talks.items():
            self.write(f"state/conversations/{name}.jsonl", _jsonl(sorted(talk, key=lambda each: str(each["ts"]))))
        return app

    def analysed(self, hours: float = 24.0) -> Analysis:
        """What is found in the window of the last hours; every finding's evidence is looked up in the files."""
        app = self.app()
        found = analysis.analyse(app, Material(app, NOW - timedelta(hours=hours), NOW))
        assert found.enough, "no turn in the window: nothing is looked for"
        ids = {row["id"] for _, row in self.lines if "id" in row}
        for each in found.findings:
            assert each.evidence and len(each.evidence) <= 8, each
            assert 0 <= each.weight <= 1 and all(isinstance(value, float) for value in each.figures.values()), each
            for quote in each.evidence:
                assert quote.interaction in ids or not quote.interaction, quote
                assert stands(self.root, quote.ref, quote.text), quote
        return found

    def raw(self, hours: float = 24.0) -> list[Finding]:
        """What is found, its evidence unchecked: steps are quoted as one line."""
        app = self.app()
        return list(analysis.analyse(app, Material(app, NOW - timedelta(hours=hours), NOW)).findings)

    def found(self, cause: str, hours: float = 24.0) -> list[Finding]:
        return [each for each in self.analysed(hours).findings if each.cause == cause]

    def causes(self, hours: float = 24.0) -> list[str]:
        """Of all findings but those that any month may have."""
        return [each.cause for each in self.analysed(hours).findings if each.cause not in OUT_OF_PROPORTION]


def stands(root: Path, ref: str, text: str) -> bool:
    """Whether these words stand where they are said to stand."""
    path, mark, id = ref.rpartition("#")
    if mark and path.endswith(".jsonl"):
        rows = [json.loads(line) for line in (root / path).read_text(encoding="utf-8").split("\n") if line]
        row = next((each for each in rows if id in (each.get("id"), each.get("key"), each.get("span_id"))), None)
        said = row and str(row.get("text") or f"[{row.get('kb')}] {row.get('what')}")
        return bool(said) and text in said and len(text) <= 240
    path, _, line = ref.rpartition(":")
    lines = (root / path).read_text(encoding="utf-8").split("\n")
    return text in lines[int(line) - 1]


_ONSETS, _VOWELS, _ENDS = "bdfghjklmnprstvz", "aeiou", ("rk", "st", "nd", "lm", "pt", "x", "sk", "ld")


def made_up(number: int) -> str:
    """A word that nobody uses, another for every number."""
    word = ""
    for _ in range(3):
        number, onset = divmod(number, len(_ONSETS))
        number, vowel = divmod(number, len(_VOWELS))
        word += _ONSETS[onset] + _VOWELS[vowel]
    return word + _ENDS[number % len(_ENDS)]


def _jsonl(rows: list[dict[str, Any]]) -> str:
    return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
