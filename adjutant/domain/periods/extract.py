"""DOMAIN. The summary of a period by structure: what is labelled, open, ended, changed or recurring, then the rest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from adjutant.domain.periods.joining import join
from adjutant.domain.periods.labels import tail
from adjutant.domain.periods.line import EVENTS, MARKS, OPEN, PATTERNS, PeriodLine
from adjutant.domain.periods.pieces import PeriodPiece
from adjutant.domain.periods.reading import LONG, lines
from adjutant.language.figures import ARROW, figures
from adjutant.ports import TRUST
from adjutant.records.calendar import DAILY
from adjutant.records.period_file import NEVER_CUT, SECTIONS, Bullet, plain

REFS = 4  # of a bullet: the first of it and the last
MOST = {DAILY: 15}  # lines of a day
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
    return pack([_bullet(one) for one in chosen], kind)


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


def pack(found: Sequence[Bullet], kind: str) -> list[Bullet]:
    """As many bullets as a period may have: where more are never left out, neighbours of one section share a line."""
    groups = [[each] for each in found]
    while len(groups) > MOST.get(kind, len(groups)):
        sizes = {at: _measure(groups[at] + groups[at + 1]) for at in range(len(groups) - 1)}
        at = min(sizes, key=lambda at: sizes[at], default=0)
        if sizes.get(at, LONG + 1) > LONG:
            break
        groups[at : at + 2] = [groups[at] + groups[at + 1]]
    return [_join(group) for group in groups]


def _measure(group: Sequence[Bullet]) -> int:
    """How long the line of a group would be; more than any may be where they do not belong together."""
    apart = len({(each.section, each.trust) for each in group}) > 1 or group[0].section not in NEVER_CUT
    return LONG + 1 if apart else sum(len(each.text) + 2 for each in group)


def _join(group: Sequence[Bullet]) -> Bullet:
    if len(group) == 1:
        return group[0]
    refs = tuple(dict.fromkeys(ref for each in group for ref in each.refs))
    return group[0]._replace(text="; ".join(each.text.rstrip(".") for each in group), refs=refs)


def _bullet(one: PeriodLine) -> Bullet:
    text = MARKS.get(one.state, "") + one.text + tail(one.days, one.text, again=one.again)
    refs = one.refs if len(one.refs) <= REFS else one.refs[: REFS // 2] + one.refs[-REFS // 2 :]
    return Bullet(one.section, plain(text), refs, one.trust)
