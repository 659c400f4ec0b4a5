"""DOMAIN. Which sentences say that nothing is open: they stand beside no answer about what is."""

from datetime import date

from adjutant.domain.matters.cues import CuePhrases, Cues
from adjutant.domain.matters.lines import MatterLine, acts, denies
from adjutant.language.pack import cached, listed


def is_idle(said: MatterLine, known: Cues, today: date, *, waits: bool) -> bool:
    """Whether a sentence says that nothing is open, that all goes as it should, or that it was seen to, and nothing
    else. `waits`: it is asked who is waited for, and what was ordered is."""
    lists, ahead = _lists(), any(day.last >= today for day in said.dates)
    if lists["excepts"].find(said.words) or known.must.find(said.words) or said.text.rstrip().endswith("?"):
        return False
    if not known.negators.isdisjoint(said.words):
        return denies(said, known)
    return not ahead and (bool(lists["idle"].find(said.words)) or (not waits and acts(said, known)))


@cached(1)
def _lists() -> dict[str, CuePhrases]:
    return {name: CuePhrases(listed("matters", name)) for name in ("idle", "excepts")}
