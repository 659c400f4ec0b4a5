"""RECORDS. state/interactions.jsonl: a line an interaction, and a line for each signal that came later; read as one.

In a dry run nothing is added: what it does is no interaction with anybody. After a stop the record is completed.
"""

from __future__ import annotations

from datetime import datetime, timedelta

import msgspec

from adjutant.clock import moment
from adjutant.records.friction import ABANDONED, SIGNALS, USEFUL, USELESS, WRONG, friction_of, joined
from adjutant.records.interaction import KINDS, TURN, Interaction
from adjutant.store import jsonl

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from adjutant.store.files import Files

SIGNAL = "signal"
SILENCE = timedelta(hours=6)  # after which a talk is over
TAIL = 512 * 1024  # bytes in which a line that would be added twice is looked for
MAX_LINE = 256 * 1024


class _Late(msgspec.Struct, frozen=True):
    """A signal's line. `source`: what says so."""

    event: str
    of: str
    signal: str
    source: str = ""

    @property
    def place(self) -> tuple[str, str]:
        """What a later line takes the place of: of the marks of one notice the last one counts."""
        return ("mark", self.source) if self.signal in (USEFUL, USELESS) else (self.signal, "")


_INTERACTION, _LATE = msgspec.json.Decoder(Interaction), msgspec.json.Decoder(_Late)
_UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


def append(files: Files, interaction: Interaction) -> None:
    """Adds an interaction; durable when this returns. Raises FileDamaged, IoFailed."""
    if not files.dry:
        files.append(files.tree.interactions, msgspec.to_builtins(interaction))


def signal(files: Files, of: str, signal: str, source: str, now: datetime) -> None:
    """Adds what became known of the interaction `of` later; `source`: where it stands. A line that is there already,
    and still counts, is not added again. Raises FileDamaged, IoFailed."""
    if files.dry or _noted(files, _Late(SIGNAL, of, signal, source)):
        return
    line = {"ts": now.isoformat(), "event": SIGNAL, "of": of, "signal": signal, "source": source}
    files.append(files.tree.interactions, line)


def read(files: Files, now: datetime | None = None) -> list[Interaction]:
    """All interactions, oldest first, each with its late signals; with `now` those that were abandoned by then too.

    Damaged lines are left out, and so are a second line of the same id and signals of what is not there. Raises
    FileDamaged, IoFailed.
    """
    try:
        data = files.read(files.tree.interactions)
    except FileNotFoundError:
        return []
    return fold(data, now)


def recent(files: Files, limit: int = TAIL) -> list[Interaction]:
    """Those whose lines stand in the last `limit` bytes, as `read`."""
    try:
        data = files.tail(files.tree.interactions, limit)
    except FileNotFoundError:
        return []
    return fold(data)


def known(files: Files, id: str) -> bool:
    """Whether an interaction of this id stands near the end. Raises FileDamaged, IoFailed."""
    return any(each.id == id for each in recent(files))


def fold(data: bytes, now: datetime | None = None) -> list[Interaction]:
    """What `read` makes of the bytes of the file."""
    found, late = _parsed(data)
    ordered = sorted(found.values(), key=lambda pair: pair[0])
    if now is not None:
        for id in _abandoned(ordered, late, now):
            late.setdefault(id, {})[ABANDONED, ""] = ABANDONED
    return [_with(each, late[each.id].values()) if each.id in late else each for _, each in ordered]


_Signals = dict[str, dict[tuple[str, str], str]]  # {id: {place: its late signal}}


def _parsed(data: bytes) -> tuple[dict[str, tuple[datetime, Interaction]], _Signals]:
    """({id: (when, interaction)}, their late signals)."""
    found: dict[str, tuple[datetime, Interaction]] = {}
    late: _Signals = {}
    for line in data.split(b"\n"):
        if not line or len(line) > MAX_LINE:
            continue
        try:
            each = _INTERACTION.decode(line)
        except msgspec.ValidationError:
            for later in _signals(line):
                late.setdefault(later.of, {})[later.place] = later.signal
            continue
        except _UNREADABLE:
            continue
        when = moment(each.ts)
        if each.id and each.kind in KINDS and when is not None:
            found.setdefault(each.id, (when, each))
    return found, late


def _signals(line: bytes) -> Iterator[_Late]:
    """A line that is a signal of ours; nothing of any other."""
    try:
        late = _LATE.decode(line)
    except _UNREADABLE:
        return
    if late.event == SIGNAL and late.signal in SIGNALS:
        yield late


def _with(interaction: Interaction, late: Iterable[str]) -> Interaction:
    """The same with what came later; its friction anew where that says anything new."""
    signals = joined(interaction.friction_signals, late)
    if signals == interaction.friction_signals:
        return interaction
    return msgspec.structs.replace(interaction, friction_signals=signals, friction=friction_of(signals))


def _abandoned(
    ordered: list[tuple[datetime, Interaction]],
    late: _Signals,
    now: datetime,
) -> Iterator[str]:
    """The turns with something wrong after which nothing was said in their session until the talk was over."""
    after: dict[str, datetime] = {}
    for when, each in reversed(ordered):
        if each.kind != TURN or when > now:
            continue
        if after.get(each.session, now) - when >= SILENCE and not WRONG.isdisjoint(
            joined(each.friction_signals, late.get(each.id, {}).values())
        ):
            yield each.id
        after[each.session] = when


def _noted(files: Files, wanted: _Late) -> bool:
    """Whether that line stands near the end already, and none that took its place."""
    try:
        data = files.tail(files.tree.interactions, TAIL)
    except FileNotFoundError:
        return False
    last = ""
    for line in jsonl.holding(data, [wanted.of]).split(b"\n"):
        for each in _signals(line):
            last = each.signal if (each.of, each.place) == (wanted.of, wanted.place) else last
    return last == wanted.signal
