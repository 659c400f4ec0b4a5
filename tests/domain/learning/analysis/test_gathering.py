"""What an analysis reads: turns with their talks, occasions, and evidence that stands in the record."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

from adjutant.domain.behavior import own_words
from adjutant.domain.learning.gathering import Material
from adjutant.records.interactions import Interaction
from tests.domain.learning.analysis.asking import NOW, Record, stands


def gathered(record: Record, hours: float = 24) -> Material:
    return Material(record.app(), NOW - timedelta(hours=hours), NOW)


def test_an_occasion_ends_where_six_hours_pass_in_silence(tmp_path: Path) -> None:
    record = Record(tmp_path / "i")
    for days in (3.0, 2.9, 2.0):
        record.sessions = 0
        record.session(days, "how is it?")
    assert len({turn.occasion for turn in gathered(record).turns}) == 2


def test_only_what_the_time_holds_is_read(tmp_path: Path) -> None:
    record = Record(tmp_path / "i")
    for days in (70, 40, 10, 0.5, -1):
        record.session(days, "how is it?")
    material = gathered(record)
    assert len(material.turns) == 3
    assert len(material.month) == 2
    assert len(material.after(material.since)) == 1
    assert len(gathered(record, hours=24 * 35).month) == 2
    assert len(gathered(record, hours=24 * 45).month) == 3


def test_what_is_damaged_or_gone_is_left_out(tmp_path: Path) -> None:
    record = Record(tmp_path / "i")
    record.session(0.5, "who?")
    record.session(0.4, "what?")
    at = NOW - timedelta(hours=2)
    for number, (session, message) in enumerate(
        (
            ("../../secret", "../../secret/x"),
            ("s0001", "s0001/none"),
            ("gone", "gone/x"),
            ("", ""),
            ("a/b", "a/b/c"),
        )
    ):
        record.add(Interaction(id=f"h{number}", ts=at.isoformat(), kind="turn", session=session, message=message), at)
    app = record.app()
    secret = {"id": "x", "ts": at.isoformat(), "role": "operator", "text": "s"}
    (tmp_path / "secret.jsonl").write_text(json.dumps(secret))
    talk = record.root / "state/conversations/s0001.jsonl"
    talk.write_bytes(
        b'{"id": 4}\n\xff\xfe\n[]\n{"id": "a", "ts": "never", "role": "operator", "text": "x"}\n'
        + b'{"id": "b", "ts": "2026-11-20T06:01:00", "role": "operator", "text": "x"}\n'
        + b'{"id": 1'
        + b"[" * 100_000
        + b"\n"
        + talk.read_bytes()
        + b'{"id": "torn", "ts": "2026'
    )
    material = Material(app, NOW - timedelta(hours=24), NOW)
    assert len(material.turns) == 7
    assert [each.said for each in material.said] == ["who?", "what?"]


def test_quotes_stand_where_they_are_said_to_stand(tmp_path: Path) -> None:
    record = Record(tmp_path / "i")
    record.session(0.5, "who? " + "and what of the very long list " * 40)
    material = gathered(record)
    (turn,) = material.turns
    assert turn.said is not None
    for quote in (
        *material.prove([turn]),
        material.quote(turn.said, own_words.split(turn.said.said)[-1]),
        material.event(turn.was),
    ):
        assert quote.interaction == turn.was.id
        assert stands(record.root, quote.ref, quote.text)
