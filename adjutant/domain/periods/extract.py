"""DOMAIN. The summary of a period by structure: what is labelled, open, ended, changed or recurring, then the rest."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

from adjutant.domain.periods.labels import CORRECTIONS, DECISIONS, EVENTS, MARKS, OPEN, PATTERNS, PeriodLine, tail
from adjutant.domain.periods.reading import LONG, PeriodPiece, lines
from adjutant.language import likeness
from adjutant.language.figures import ARROW, Figure, amount, figures, unit
from adjutant.language.pack import cached, listed
from adjutant.language.words import words
from adjutant.ports import TRUST
from adjutant.records.period_file import DAILY, NEVER_CUT, SECTIONS, Bullet, few, lowest, plain

MOST = 15  # lines of a day
UNCUT = 2000  # characters up to which a day says all that it was told, a week or month half of it
OTHERS = "; other figures on the other days"
_FIGURES = re.compile(r"\d+")
OFTEN = 3  # days on which something is said before it is a pattern; a decision, correction or lesson said twice recurs


def extract(pieces: Sequence[PeriodPiece], *, kind: str, ratio: float) -> list[Bullet]:
    """The bullets of a period, in the order of `SECTIONS`, each section in the order of time. `kind`: daily, weekly or
    monthly. `ratio`: above 2,000 characters, the share of the text that ordinary lines may take."""
    said = join(lines(pieces))
    said = said if kind == DAILY else _fold_figures(said)
    length = sum(len(piece.text) for piece in pieces)
    room = ratio * length if length > UNCUT else UNCUT if kind == DAILY else length / 2
    most = MOST if kind == DAILY else len(said)
    chosen = sorted(_choose(said, room, most), key=lambda one: (SECTIONS.index(one.section), one.moment, one.order))
    return share([_bullet(one) for one in chosen], kind)


def _fold_figures(said: Sequence[PeriodLine]) -> list[PeriodLine]:
    """Ordinary lines that differ by figures alone, on several days, as the last of them: "9 parcels" of each day."""
    alike = defaultdict[tuple[str, str], list[PeriodLine]](list)
    for one in said:
        if not (one.kept or _sure(one)) and figures(one.text):
            alike[one.section, _FIGURES.sub("0", _words(one.text.removesuffix(OTHERS)))].append(one)
    groups = [group for group in alike.values() if len({day for one in group for day in one.days}) >= OFTEN]
    folded = {id(one) for group in groups for one in group}
    made = (merge(group, f"{group[-1].text.removesuffix(OTHERS).rstrip('.')}{OTHERS}") for group in groups)
    return sorted([*(one for one in said if id(one) not in folded), *made], key=lambda one: one.order)


def recurring(days: Sequence[Sequence[PeriodPiece]]) -> list[PeriodPiece]:
    """What the operator said on several days, what changed from one to another and what was corrected later, a piece
    each as a bullet would tell it: a day's own bullets may leave it out, because nothing in one day says so."""
    said = [one for pieces in days for one in lines(pieces) if one.trust == TRUST[0] and one.section != OPEN]
    found = join([one for one in said if not one.state and not one.text.endswith("?")])
    often = [one for one in found if len(one.days) >= (OFTEN if one.again and not one.kept else 2)]
    told = [(one, _bullet(one)) for one in often if one.again or one.moved or ARROW in one.text]
    return [PeriodPiece(made.text, made.refs, one.moment, made.trust, section=made.section) for one, made in told]


def _choose(said: Sequence[PeriodLine], room: float, most: int) -> list[PeriodLine]:
    chosen = [one for one in said if one.kept]
    others = sorted((one for one in said if not one.kept), key=_weight, reverse=True)
    chosen += [one for one in others if _sure(one)][: max(most - len(chosen), 0)]
    room -= sum(len(one.text) for one in chosen)
    for one in others:
        if not _sure(one) and len(one.text) <= room and len(chosen) < most:
            room -= len(one.text)
            chosen.append(one)
    return chosen


def share(found: Sequence[Bullet], kind: str) -> list[Bullet]:
    """As many bullets as a day may have: of more that are never left out, neighbours of a section share a line."""
    groups = [[each] for each in found]
    while kind == DAILY and len(groups) > MOST:
        pairs = [
            (sum(len(each.text) + 2 for each in one + two), at)
            for at, (one, two) in enumerate(pairwise(groups))
            if one[0].section in NEVER_CUT and len({(each.section, each.trust) for each in one + two}) == 1
        ]
        size, at = min(pairs, default=(LONG + 1, 0))
        if size > LONG:
            break
        groups[at : at + 2] = [groups[at] + groups[at + 1]]
    made = [group[0] for group in groups]
    for at, group in enumerate(groups):
        if len(group) > 1:
            refs = few(tuple(dict.fromkeys(ref for each in group for ref in each.refs)))
            made[at] = group[0]._replace(text="; ".join(each.text.rstrip(".") for each in group), refs=refs)
    return made


def _sure(one: PeriodLine) -> bool:
    told = one.section in (OPEN, PATTERNS) or bool(one.state) or one.again or one.moved
    return told and not one.strange


def _weight(one: PeriodLine) -> tuple[float, int]:
    found = 8.0 * (one.section == OPEN) + 4.0 * (bool(one.state) + one.moved) + bool(figures(one.text))
    return found + {TRUST[0]: 2.0, TRUST[1]: 0.5}.get(one.trust, 0.0) + min(len(one.about), 8) / 8, -one.order


def _bullet(one: PeriodLine) -> Bullet:
    text = MARKS.get(one.state, "") + one.text + tail(one.days, again=one.again)
    refs = tuple(sorted(one.refs)) if all(ref.startswith("journal ") for ref in one.refs) else one.refs
    return Bullet(one.section, plain(text), few(refs), one.trust)


CORRECTED_CHARS = 200
COMPLEMENT, RUN = 2, 3  # words: of what something is; that two decisions begin with alike
VERBAL = ("stop", "everyday", "doing")  # lists of words of which none is what is counted
_BEHIND = re.compile(r"\s([^\W\d_]{3,})")
MOST_VALUES = 6  # of a chain; of a longer one the first and the last
WHOLE = 20  # characters from which on a line that stands in another is no line of its own
_CROWDED = 60  # a stem that so many lines share finds none of them


def join(said: Sequence[PeriodLine]) -> list[PeriodLine]:
    """The lines in their order, those that belong together as one."""
    kept: dict[int, PeriodLine] = dict(enumerate(said))
    for number, near in _sharing(said):
        for other in sorted(near & kept.keys(), reverse=True):
            one, before = kept[number], kept[other]
            if one.strange != before.strange:
                continue  # what comes from outside changes, ends or repeats nothing of the operator's
            if made := _settle(before, one) or _correct(before, one) or _change(before, one) or _revise(before, one):
                kept[number] = made
                del kept[other]
    return once([kept[number] for number in sorted(kept)])


def merge(group: Sequence[PeriodLine], text: str) -> PeriodLine:
    """One line for a group in the order of time: the last, with every ref and day, and the lowest trust."""
    refs = tuple(dict.fromkeys(ref for one in group for ref in one.refs))
    days = tuple(sorted({day for one in group for day in one.days}))
    trust, moment = lowest(*(one.trust for one in group)), max(one.moment for one in group)
    return group[-1]._replace(text=text, refs=refs, days=days, trust=trust, moment=moment, order=group[0].order)


def _sharing(said: Sequence[PeriodLine]) -> Iterator[tuple[int, set[int]]]:
    """(number, numbers before it) of lines that have a stem in common, or all of their words."""
    rarity = Counter(stem for one in said for stem in one.gist.stems)
    known: dict[str, list[int]] = defaultdict(list)
    for number, one in enumerate(said):
        near: set[int] = set()
        for stem in (*(stem for stem in one.gist.stems if rarity[stem] <= _CROWDED), _words(one.text)):
            near.update(known[stem])
            known[stem].append(number)
        yield number, near


@cached(16384)
def _words(text: str) -> str:
    return " ".join(words(text))


def _settle(thread: PeriodLine, one: PeriodLine) -> PeriodLine | None:
    """The thread as ended by a line whose box or label says so, or decided by one that answers its question."""
    if thread.section != OPEN:
        return None
    answers = one.section == DECISIONS and thread.text.endswith("?")
    held = (likeness.is_covered(*each) for each in ((thread.text, one.text), (one.text, thread.text)))
    if not (one.state or answers) or not (_stands_in(thread, one) or (_near(thread, one) and any(held))):
        return None
    says_more = len(thread.gist.stems) > len(one.gist.stems)
    text = f"{thread.text}{ARROW}{one.text}" if answers else thread.text if says_more else one.text
    return merge([thread, one], text)


# -- corrections and values ----------------------------------------------------------------------------------


def _correct(before: PeriodLine, one: PeriodLine) -> PeriodLine | None:
    """A correction behind what it corrects; by itself where it names the old figure."""
    if one.section != CORRECTIONS or ARROW in one.text or before.state:
        return None
    ours, theirs, texts = one.about, before.about, (before.text, one.text)
    shared = len(ours & theirs)
    kinds = set[str].intersection(*({each.kind for each in figures(text)} for text in texts))
    if not shared or 2 * shared < min(len(ours), len(theirs)) or (shared < 2 and not kinds):
        return None
    old, new = ({amount(each.text) for each in figures(text) if each.kind == "number"} for text in texts)
    if len(new) > 1 and old and not old & new:
        return None  # it names the new and the old figure, and what was before has neither
    if before.gist.values and before.gist.values < one.gist.values:
        return one._replace(days=merge([before, one], "").days)
    was = before.text if len(before.text) <= CORRECTED_CHARS else f"{before.text[:CORRECTED_CHARS].rstrip()} …"
    return merge([before, one], f"{was}{ARROW}{one.text}")


def _change(before: PeriodLine, one: PeriodLine) -> PeriodLine | None:
    """The newer of two that say the same with another value: `The rent is 8,900 → 9,800 kr`."""
    if before.section != one.section or before.state or one.state or one.section == OPEN:
        return None
    more = one.kept and len(before.about) > 1 and before.about <= one.about
    if not ((one.about == before.about and one.about) or more) or one.gist.denies != before.gist.denies:
        return None
    moved = _find_move(figures(before.text), figures(one.text))
    if moved is None or not all(map(_may_change, (before, one), moved)):
        return None
    old, new = moved
    known = (*new.was, new.text)
    values = known if new.was and old.text in known else (*old.was, old.text, *known)
    chain = [value for at, value in enumerate(values) if not at or value != values[at - 1]]
    chain = chain if len(chain) <= MOST_VALUES else [chain[0], chain[-1]]
    return merge([before, one], f"{one.text[: new.start]}{ARROW.join(chain)}{one.text[new.end :]}")


def _revise(before: PeriodLine, one: PeriodLine) -> PeriodLine | None:
    """A decision behind the one that it replaces: it says so ("instead"), denies it ("in the shed, not the barn"), or
    says that the same thing is another."""
    if not before.section == one.section == DECISIONS or before.state or one.state:
        return None
    old, new = words(before.text.rpartition(ARROW)[2]), words(one.text)
    start = next((at for at, pair in enumerate(zip(old, new, strict=False)) if len(set(pair)) > 1), 0)
    is_same = start > 1 and new[start - 1] in listed("periods", "copulas")
    named = is_same and 0 < len(old) - start <= COMPLEMENT and 0 < len(new) - start <= COMPLEMENT
    shared = len(before.about & one.about)
    alike = start >= RUN or (shared and 2 * shared >= min(len(before.about), len(one.about)))
    said = any(f" {each} " in f" {' '.join(new)} " for each in listed("periods", "revises"))
    if named or (alike and said) or (start > 1 and _denies(new[start:], old[start:])):
        was, now = ([part.rstrip(".") for part in each.text.split(ARROW)] for each in (before, one))
        lengths = range(min(len(was), len(now)), -1, -1)  # stages that end the one chain and begin the other
        both = next(many for many in lengths if was[len(was) - many :] == now[:many])
        return merge([before, one], ARROW.join([*was[: len(was) - both], one.text]))
    return None


def _denies(new: Sequence[str], old: Sequence[str]) -> bool:
    """Whether words name the old ones behind a "not"."""
    before, found, _ = f" {' '.join(new)} ".partition(f" {' '.join(old)} ")
    return bool(old and found) and not listed("words", "negators").isdisjoint(before.split())


def _may_change(one: PeriodLine, figure: Figure) -> bool:
    """Whether a figure may be another later: a short number without a unit in mid-sentence is rather a name, as of hall
    3; in a decision not where a thing that is counted stands behind it: "12 square metres", not "hall 3 gets"."""
    plain = figure.kind != "number" or bool(unit(figure.text)) or bool(figure.was) or not figure.text.isdigit()
    if plain or len(figure.text) > 2 or one.text[: figure.start].rstrip().endswith((":", "=")):
        return True
    behind = _BEHIND.match(one.text, figure.end) if one.section == DECISIONS else None
    return behind is not None and not any(behind[1].lower() in listed("words", name) for name in VERBAL)


def _find_move(old: Sequence[Figure], new: Sequence[Figure]) -> tuple[Figure, Figure] | None:
    pairs = [pair for pair in zip(old, new, strict=False) if pair[0].text.lower() != pair[1].text.lower()]
    pairs = pairs or [pair for pair in zip(old, new, strict=False) if pair[0].was != pair[1].was]
    if len(old) != len(new) or len(pairs) != 1:
        return None
    ((before, after),) = pairs
    kinds = {"date" if each.kind == "day" else each.kind for each in (before, after)}
    return (before, after) if len(kinds) == 1 and "id" not in kinds and unit(before.text) == unit(after.text) else None


# -- what is said again --------------------------------------------------------------------------------------


def once(said: Sequence[PeriodLine]) -> list[PeriodLine]:
    """The lines, each said once: what was said on several days tells all of them."""
    leader, groups = dict[int, int](), dict[int, list[int]]()
    for number, near in _sharing(said):
        found = [at for at in sorted({leader[other] for other in near - {number}}) if _same(said[at], said[number])]
        joined = [*(each for at in found for each in groups.pop(at)), number]
        leader |= dict.fromkeys(joined, joined[0])
        groups[joined[0]] = joined
    told = ([said[number] for number in sorted(groups[first])] for first in sorted(groups))
    return [_say_once(group) if len(group) > 1 else group[0] for group in told]


def _same(one: PeriodLine, other: PeriodLine) -> bool:
    # the days of a folded line had other figures
    kinds = [(each.strange, each.state, each.section == OPEN, OTHERS in each.text) for each in (one, other)]
    if kinds[0] != kinds[1]:
        return False
    return _stands_in(one, other) or (_near(one, other) and likeness.again(one.text, other.text))


def _stands_in(one: PeriodLine, other: PeriodLine) -> bool:
    """Whether both have the same words, or one, if long enough for a line, stands in the other."""
    ours, theirs = f" {_words(one.text)} ", f" {_words(other.text)} "
    within = min(len(ours), len(theirs)) >= WHOLE and (ours in theirs or theirs in ours)
    return ours == theirs or (within and one.gist.denies == other.gist.denies)


def _near(one: PeriodLine, other: PeriodLine) -> bool:
    shared = len(one.gist.stems & other.gist.stems)
    return 2 * shared >= min(len(one.gist.stems), len(other.gist.stems))


def _say_once(group: Sequence[PeriodLine]) -> PeriodLine:
    best = min((one.trust for one in group), key=TRUST.index)
    own = [one for one in group if one.trust == best]
    fullest = max(own, key=lambda one: (len(one.gist.stems), ARROW in one.text, one.order))
    made = merge(own, fullest.text)
    core = min((one.text for one in own), key=lambda text: len(_words(text)))
    if len(made.days) >= OFTEN and all(f" {_words(core)} " in f" {_words(one.text)} " for one in own):
        made = made._replace(text=core)  # what every one says word for word, whatever stands around it
    again = len(made.days) > 1 and ARROW not in made.text and not made.state
    often = again and len(made.days) >= OFTEN and not made.strange
    named = [one.section for one in own if one.section != EVENTS]
    return made._replace(again=again, section=named[-1] if named else PATTERNS if often else EVENTS)
