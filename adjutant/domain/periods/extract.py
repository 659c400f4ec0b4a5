"""DOMAIN. The summary of a period by structure: what is labelled, open, ended, changed or recurring, then the rest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from adjutant.domain.periods.joining import join
from adjutant.domain.periods.labels import tail
from adjutant.domain.periods.line import EVENTS, MARKS, OPEN, PATTERNS, PeriodLine
from adjutant.domain.periods.pieces import PeriodPiece
from adjutant.domain.periods.reading import lines
from adjutant.language.figures import ARROW, figures
from adjutant.ports import TRUST
from adjutant.records.calendar import DAILY
from adjutant.records.period_file import SECTIONS, Bullet, plain

REFS = 4  # of a bullet: the first of it and the last
MOST = {DAILY: 15}  # lines of a day, more only of what is never left out
UNCUT = 2000  # characters up to which a day says all that it was told, a week or month half of it
OFTEN = 3  # days on which something is said before it recurs; a decision, correction or lesson said twice does


def extract(pieces: Sequence[PeriodPiece], *, kind: str, ratio: float) -> list[Bullet]:
    """The bullets of a period, in the order of `SECTIONS`, each section in the order of time.

    `kind`: daily, weekly or monthly. `ratio`: above 2,000 characters, the share of the text that ordinary lines may
    take. The same pieces give the same bullets.
    """
    said = join(lines(pieces))
    length = sum(len(piece.text) for piece in pieces)
    room = ratio * length if length > UNCUT else UNCUT if kind == DAILY else length / 2
    chosen = _choose(said, room, MOST.get(kind, len(said)))
    chosen.sort(key=lambda one: (SECTIONS.index(one.section), one.moment, one.order))
    return [_bullet(one) for one in chosen]


def recurring(days: Sequence[Sequence[PeriodPiece]]) -> list[PeriodPiece]:
    """What the operator said on several days, what changed from one to another and what was corrected later, a piece
    each as a bullet would tell it: a day's own bullets may leave it out, because nothing in one day says so."""
    said = [one for pieces in days for one in lines(pieces) if one.trust == TRUST[0] and one.section != OPEN]
    found = join([one for one in said if not one.state and not one.text.endswith("?")])
    return [
        PeriodPiece(made.text, made.refs, one.moment, made.trust, section=made.section)
        for one in found
        if _recurs(one)
        for made in (_bullet(one),)
    ]


def _recurs(one: PeriodLine) -> bool:
    if one.again:
        return len(one.days) >= (2 if one.kept else OFTEN)
    return len(one.days) > 1 and (_has_moved(one) or ARROW in one.text)


def _choose(said: Sequence[PeriodLine], room: float, most: int) -> list[PeriodLine]:
    """Decisions, corrections and lessons; what is open, ended, recurs or changed; and of the rest what there is room
    for, the weightiest first."""
    kept = [one for one in said if one.kept]
    sure = sorted((one for one in said if not one.kept and _sure(one)), key=_weight, reverse=True)
    chosen = [*kept, *sure[: max(most - len(kept), 0)]]
    room -= sum(len(one.text) for one in chosen)
    rest = sorted((one for one in said if not one.kept and not _sure(one)), key=_weight, reverse=True)
    return [*chosen, *list(_fitting(rest, room))[: max(most - len(chosen), 0)]]


def _fitting(said: Sequence[PeriodLine], room: float) -> Iterator[PeriodLine]:
    for one in said:
        if len(one.text) <= room:
            room -= len(one.text)
            yield one


def _sure(one: PeriodLine) -> bool:
    """Whether structure says that it matters, in a period of any length."""
    if one.strange:
        return False
    return one.section in (OPEN, PATTERNS) or bool(one.state) or one.again or _has_moved(one)


def _has_moved(one: PeriodLine) -> bool:
    return any(value.was for value in figures(one.text))


def _weight(one: PeriodLine) -> tuple[float, int]:
    """How much an ordinary line tells: what is open before what ended, the operator's word before others', figures."""
    found = (
        {OPEN: 8.0, PATTERNS: 6.0, EVENTS: 0.0}.get(one.section, 0.0) + 4.0 * bool(one.state) + 4.0 * _has_moved(one)
    )
    found += {TRUST[0]: 2.0, TRUST[1]: 0.5}.get(one.trust, 0.0) + bool(figures(one.text))
    return found + min(len(one.about), 8) / 8, -one.order


def _bullet(one: PeriodLine) -> Bullet:
    text = MARKS.get(one.state, "") + one.text + tail(one.days, one.text, again=one.again)
    refs = one.refs if len(one.refs) <= REFS else one.refs[: REFS // 2] + one.refs[-REFS // 2 :]
    return Bullet(one.section, plain(text), refs, one.trust)
