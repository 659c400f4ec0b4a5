"""DOMAIN. Values that changed, as old → new: what is told of one matter twice, with another figure, date or name."""

from __future__ import annotations

import re
from collections.abc import Sequence

from adjutant.domain.periods.about import compared, topic
from adjutant.domain.periods.extract_cues import FILE
from adjutant.domain.periods.extract_recurring import merged, sharing
from adjutant.domain.periods.extract_statements import LONG, OPEN, Statement
from adjutant.language.figures import ARROW, Figure, figures, unit
from adjutant.language.pack import cached
from adjutant.language.patterns import either, plain, regex
from adjutant.ports import TRUST

SAME = 0.6  # share of stems in common of what is told of one matter
SHORT_WORDS = 8
MOST_VALUES = 6
_STATE = r"\b{states}\b|:\s+[$€£]?\d|\s=\s"
_TOLD = r"\b{tells}( {now})? (?=[$€£]?\d)"
_MEASURED = re.compile(r"\S+(?: \S+){0,2} [$€£]?\d[\d.,]*(?: ?\S{1,6})?\.?")  # Weight 82.4 kg
_CAPITAL = re.compile(r"[A-ZÆØÅÄÖÜ][\w-]*")


def changed(said: Sequence[Statement]) -> list[Statement]:
    """The statements in their order; of what is told of one matter the newest, with the values before it."""
    return _renamed(_revised(said))


def _revised(said: Sequence[Statement]) -> list[Statement]:
    kept: dict[int, Statement] = dict(enumerate(said))
    for number, near in sharing(said):
        for other in sorted(near & kept.keys(), reverse=True):
            joined = _joined(kept[other], kept[number])
            if joined is not None:
                kept[number] = joined
                del kept[other]
    return [kept[number] for number in sorted(kept)]


def _joined(before: Statement, after: Statement) -> Statement | None:
    """The two as one, None where they are not about one matter or nothing changed."""
    shared, both = before.stems & after.stems, before.stems | after.stems
    if (before.trust != after.trust and TRUST[-1] in (before.trust, after.trust)) or not _fit(before, after):
        return None
    half = 2 * len(shared) >= len(before.stems)
    if half and _corrects(before, after, len(shared)):
        if before.trust == after.trust:
            return merged([before, after], after.text)
        return after if TRUST.index(after.trust) < TRUST.index(before.trust) else None
    if (retold := _retold(before, after)) is not None:
        return retold
    alike = len(shared) >= 2 and len(shared) >= SAME * len(both)
    short = before.stems == after.stems and max(len(one.text.split()) for one in (before, after)) <= SHORT_WORDS
    if not half or not (alike or short) or before.denies != after.denies or not (_stative(before) and _stative(after)):
        return None
    old, new = _slots(before.text), _slots(after.text)
    moved = [kind for kind in old if kind in new and _latest(old[kind]) != _latest(new[kind])]
    if len(moved) != 1 or None in (old[moved[0]], new[moved[0]]):
        return None
    return _changed_to(before, after, old[moved[0]], new[moved[0]])


def _changed_to(before: Statement, after: Statement, old: Figure | None, new: Figure | None) -> Statement:
    section = after.section if after.kept or not before.kept else before.section
    return merged([before, after], _spliced(after.text, old, new))._replace(section=section, times=1, days=after.days)


def _retold(before: Statement, after: Statement) -> Statement | None:
    """The newer of two that give one subject another figure, whatever else they say; None where they do not."""
    old, new = _subject(before.text, before.language), _subject(after.text, after.language)
    if old is None or new is None or old[0] != new[0] or len(old[0]) < 2 or old[1].kind != new[1].kind:
        return None
    if _latest(old[1]) == _latest(new[1]) or unit(old[1].text) != unit(new[1].text):
        return None
    return _changed_to(before, after, old[1], new[1])


@cached(4096)
def _subject(text: str, language: str) -> tuple[frozenset[str], Figure] | None:
    """(stems of what has a figure, the figure) of `the rent of the hall is 9,800`, None for any other text."""
    found = regex(FILE, _TOLD).search(text)
    at = next((value for value in figures(text) if found and value.start == found.end()), None)
    if found is None or at is None:
        return None
    begun = _begun().match(text, 0, found.start())
    return topic(text[begun.end() if begun else 0 : found.start()], language), at


@cached(1)
def _begun() -> re.Pattern[str]:
    """What stands before a thing of which a figure is told."""
    return re.compile(rf".*(?:[,;:–—(]|\b{either(FILE, 'reports')})\s+", re.DOTALL)


def _fit(before: Statement, after: Statement) -> bool:
    """Whether the two may become one line: an open thread ends elsewhere, a decision is no lesson."""
    if before.section == after.section:
        return True
    return OPEN not in (before.section, after.section) and not (before.kept and after.kept)


def _corrects(before: Statement, after: Statement, shared: int) -> bool:
    """Whether one names the very figure that was told before it: a correction, or the news that it is another now."""
    if before.kept or not shared:
        return False
    old, new = compared(before.text), compared(after.text)
    if after.section == "Corrections":
        return bool(old) and old <= new
    return shared > 1 and bool(old) and old < new and stands(after.text) and stands(before.text)


def stands(text: str) -> bool:
    """Whether a text tells how something is, and not only what happened: `costs 12`, and not `paid 12`."""
    lower = plain(text)
    return not _flows(lower) and regex(FILE, _STATE).search(lower) is not None


def _flows(lower: str) -> bool:
    return regex(FILE, r"\b{flows}\b").search(lower) is not None


def _stative(one: Statement) -> bool:
    measured = _MEASURED.fullmatch(one.text) is not None and not _flows(plain(one.text))
    return measured or stands(one.text)


def _slots(text: str) -> dict[str, Figure | None]:
    """{kind: the one value of it}, None where there are several. A day of the week is a date."""
    found: dict[str, Figure | None] = {}
    for value in figures(text):
        kind = "date" if value.kind == "day" else value.kind
        if kind != "id":
            found[kind] = None if kind in found else value
    return found


def _latest(value: Figure | None) -> str:
    return value.text.lower() if value else ""


def _spliced(text: str, old: Figure | None, new: Figure | None) -> str:
    assert old and new
    chain = [*old.was, old.text, *new.was, new.text]
    if any(_latest(value) == _latest(old) for value in figures(text)):
        return text
    chain = [told for at, told in enumerate(chain) if not at or told != chain[at - 1]]
    if len(chain) > MOST_VALUES:
        chain = [chain[0], "…", *chain[2 - MOST_VALUES :]]
    return (text[: new.start] + ARROW.join(chain) + text[new.end :])[:LONG]


def _renamed(said: Sequence[Statement]) -> list[Statement]:
    """`The contact is Ola`, `The contact is Kari` as `The contact is Ola → Kari`."""
    frames: dict[tuple[str, str, str], tuple[int, str]] = {}
    kept: dict[int, Statement] = dict(enumerate(said))
    for number, one in enumerate(said):
        for name in _CAPITAL.finditer(one.text):
            before, after = one.text[: name.start()].rstrip(), one.text[name.end() :].strip(" .!")
            if not regex(FILE, r"(\b{copulas}|:)$").search(before.lower()) or len(before.split()) < 2:
                continue
            frame = (one.section, before.lower(), after.lower())
            if frame in frames and frames[frame][1] != name.group():
                at, old = frames[frame]
                was = kept.pop(at, None)
                if was is not None:
                    kept[number] = merged([was, one], f"{before} {old}{ARROW}{name.group()}{one.text[name.end() :]}")
                    frames[frame] = (number, f"{old}{ARROW}{name.group()}")
                continue
            frames[frame] = (number, name.group())
    return [kept[number] for number in sorted(kept)]
