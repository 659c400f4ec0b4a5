"""DOMAIN. The summary of a period by rules: what was decided, corrected, learned, left open; the rest by its weight."""

from __future__ import annotations

from collections.abc import Sequence

from adjutant.domain.periods import (
    extract_changes,
    extract_choosing,
    extract_recurring,
    extract_statements,
    extract_threads,
)
from adjutant.domain.periods.counts import tail
from adjutant.domain.periods.extract_statements import Statement
from adjutant.domain.periods.piece import Piece
from adjutant.records.period_file import SECTIONS, Bullet, plain

REFS = 4  # of a bullet: the first of it and the last


def extract(pieces: Sequence[Piece], *, kind: str, ratio: float) -> list[Bullet]:
    """The bullets of a period, in the order of `SECTIONS`, each section in time order.

    `kind`: daily, weekly or monthly. `ratio`: above 2,000 characters of body text the bullets take about this share of
    them; decisions, corrections and lessons are never left out for it. The same pieces give the same bullets.
    """
    said = extract_statements.statements(pieces)
    said = extract_recurring.once(said)
    said = extract_threads.followed(said)
    said = extract_changes.changed(said)
    said = extract_recurring.repeated(said)
    length = sum(len(piece.text) for piece in pieces)
    chosen = extract_choosing.choose(said, length=length, ratio=ratio)
    chosen.sort(key=lambda one: (SECTIONS.index(one.section), one.moment, one.order))
    return [_bullet(one) for one in chosen]


def _bullet(one: Statement) -> Bullet:
    text = one.text + tail(one.times, one.days, one.language)
    refs = one.refs if len(one.refs) <= REFS else one.refs[: REFS // 2] + one.refs[-REFS // 2 :]
    return Bullet(one.section, plain(text), refs, one.trust)
