"""OPINION. compaction: which lines of a day, a week or a month are worth keeping, and where does each come from?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, Literal

import msgspec

from adjutant.domain.memory.gate import secret_in
from adjutant.domain.periods.extract import extract
from adjutant.domain.periods.piece import Piece
from adjutant.judgements.hearing import CheckFailed
from adjutant.language import likeness
from adjutant.language.detect import language_of
from adjutant.language.negation import is_negated
from adjutant.language.pack import listed
from adjutant.language.stems import stem
from adjutant.language.words import forms, is_idle, words
from adjutant.ports import TRUST
from adjutant.records import period_file
from adjutant.records.period_file import NEVER_CUT, Bullet, lowest
from adjutant.screening.fence import Fence
from adjutant.screening.screen import screen

NAME = "compaction"
TEMPLATE = "compact.md"
TIER = "cheap"
TEMPERATURE = 0.2
MAX_TOKENS = 2048
SHORT = 2000  # characters of input up to which nothing has to be cut
MUCH = 2.0  # times the target
SHOWN_CHARS = 100_000
MAX_BULLETS = 200
MAX_REFS = 4
LEFT_OUT, ADDED = "left out", "added"
SAME_SECTION, ELSEWHERE = 0.25, 0.5  # of a decisive line's words, in a bullet that says it too
Section = Literal["Key events", "Decisions", "Patterns", "Corrections", "Lessons", "Open threads"]


class Inputs(msgspec.Struct, frozen=True):
    """What was said in a period (`kind`: daily, weekly, monthly), in order; a piece's handle is s1, s2 and so on.

    `ratio`: how much of it is to be kept, 0 to 1.
    """

    kind: str
    name: str
    pieces: list[Piece]
    ratio: float


class Claim(msgspec.Struct, frozen=True):
    """One line of the period; `sources` are handles of pieces."""

    section: Section
    text: str
    sources: list[str]


class Result(msgspec.Struct, frozen=True):
    """The lines worth keeping."""

    bullets: list[Claim]


class _Drop(Exception):
    """A bullet that is left out, and why."""


def variables(inputs: Inputs, fence: Fence) -> dict[str, Any]:
    """For prompts/compact.md."""
    shown = "\n".join(_shown(handle, piece, inputs.kind) for handle, piece in _by_handle(inputs).items())
    return {
        "period": {"daily": "day", "weekly": "week", "monthly": "month"}[inputs.kind],
        "name": inputs.name,
        "target": target(inputs),
        "pieces": fence.wrap(shown, f"what was said in {inputs.name}", limit=SHOWN_CHARS),
    }


def target(inputs: Inputs) -> int:
    """How many characters the lines may have together, decisions, corrections and lessons aside."""
    whole = _chars(piece.text for piece in inputs.pieces)
    return round(inputs.ratio * whole) if whole > SHORT else whole


def check(inputs: Inputs, result: Result) -> tuple[Result, list[str]]:
    """Only lines whose sources were shown, without orders and secrets; what is decisive and was left out is added.

    Raises CheckFailed when no line is left, or when they are far longer than asked for.
    """
    known, kept, notes = _by_handle(inputs), list[Claim](), list[str]()
    for number, claim in enumerate(result.bullets[:MAX_BULLETS], start=1):
        try:
            tidy = _standing(claim, known)
            if any(likeness.same(tidy.text, other.text) for other in kept):
                raise _Drop("says what another says")
        except _Drop as reason:
            notes.append(f"{LEFT_OUT}: bullet {number}, {reason}")
            continue
        kept.append(tidy)
    ruled = _ruled(inputs)
    if not kept and (result.bullets or ruled):
        raise CheckFailed("no bullet is left: give each the handles (s1, s2) of the pieces that say it, as they stand")
    _not_too_long(inputs, kept)
    for bullet in ruled:
        if bullet.section in NEVER_CUT and not any(_says(claim, bullet, known) for claim in kept):
            kept.append(_claimed(bullet, known))
            notes.append(f"{ADDED}: a line of {bullet.section} that no bullet tells")
    return Result(kept), notes


def rules(inputs: Inputs) -> Result:
    """The lines that the rules choose."""
    known = _by_handle(inputs)
    return Result([_claimed(bullet, known) for bullet in _ruled(inputs)])


def bullets(inputs: Inputs, result: Result) -> list[Bullet]:
    """A checked result with its references, and the trust of each line.

    A line of the rules is theirs. Any other has the trust of the sources that hold its content words, and the
    operator's only when all of these stand in them; where one stands in an untrusted piece instead, it is untrusted.
    """
    known, ruled = _by_handle(inputs), {(each.section, each.text): each for each in _ruled(inputs)}
    strange = [piece for piece in inputs.pieces if piece.trust == TRUST[-1]]

    def bullet(claim: Claim) -> Bullet:
        cited = [known[handle] for handle in claim.sources]
        said = language_of("\n".join((claim.text, *(piece.text for piece in cited))))
        first = _holding(claim.text, cited, said)[0]
        # the one that holds its content comes last: the day of a line is that of its last reference
        refs = [ref for piece in (*(each for each in cited if each is not first), first) for ref in piece.refs]
        return Bullet(claim.section, claim.text, few(refs), _trust(claim.text, cited, strange))

    return [ruled.get((claim.section, claim.text)) or bullet(claim) for claim in result.bullets]


def joined(parts: Sequence[Sequence[Bullet]]) -> list[Bullet]:
    """The bullets of a period that was asked in parts; those that say the same become one, with the lowest trust."""
    found: list[Bullet] = []
    for bullet in (each for part in parts for each in part):
        at = next(
            (
                at
                for at, other in enumerate(found)
                if other.section == bullet.section and likeness.same(other.text, bullet.text)
            ),
            None,
        )
        if at is None:
            found.append(bullet)
        else:
            first = found[at]
            refs, trust = few([*first.refs, *bullet.refs]), lowest(first.trust, bullet.trust)
            found[at] = first._replace(refs=refs, trust=trust)
    return found


def few(refs: Sequence[str]) -> tuple[str, ...]:
    """Each once, and of many the first ones and the last."""
    once = list(dict.fromkeys(refs))
    return tuple(once if len(once) <= MAX_REFS else [*once[: MAX_REFS - 1], once[-1]])


def _by_handle(inputs: Inputs) -> dict[str, Piece]:
    return {f"s{number}": piece for number, piece in enumerate(inputs.pieces, start=1)}


def _ruled(inputs: Inputs) -> tuple[Bullet, ...]:
    return _extracted(tuple(inputs.pieces), inputs.kind, inputs.ratio)


@lru_cache(maxsize=2)
def _extracted(pieces: tuple[Piece, ...], kind: str, ratio: float) -> tuple[Bullet, ...]:
    return tuple(extract(pieces, kind=kind, ratio=ratio))


def _shown(handle: str, piece: Piece, kind: str) -> str:
    """`s3 (09:00, journal, Bakery) text`, of a week `s3 (2026-11-20, Decisions) text`."""
    when = piece.moment[11:16] if kind == "daily" else piece.moment[:10]
    where = piece.speaker or piece.section or next((ref.partition(" ")[0] for ref in piece.refs), "")
    label = ", ".join(filter(None, (when, where, piece.title)))
    return f"{handle} ({label}) {piece.text}"


def _standing(claim: Claim, known: dict[str, Piece]) -> Claim:
    """The claim in clean words. Raises _Drop."""
    sources = list(dict.fromkeys(handle.strip(" []()").lower() for handle in claim.sources))
    if not sources:
        raise _Drop("without a source")
    if any(handle not in known for handle in sources):
        raise _Drop("a source that was not shown")
    text = period_file.plain(claim.text)
    if not likeness.content(text):
        raise _Drop("empty")
    if screen(claim.text):
        raise _Drop("reads like an instruction to the assistant")
    if kind := secret_in(claim.text):
        raise _Drop(f"holds {kind}")
    return Claim(claim.section, text, sources)


def _not_too_long(inputs: Inputs, kept: Sequence[Claim]) -> None:
    """Raises CheckFailed."""
    aim = target(inputs)
    free = _chars(claim.text for claim in kept if claim.section not in NEVER_CUT)
    if free > MUCH * max(aim, SHORT / MUCH) or _chars(claim.text for claim in kept) > MUCH * max(
        _chars(piece.text for piece in inputs.pieces), SHORT / MUCH
    ):
        raise CheckFailed(
            f"the bullets are far too long: about {aim} characters in all, decisions, corrections and lessons aside"
        )


def _says(claim: Claim, bullet: Bullet, known: dict[str, Piece]) -> bool:
    """Whether a claim tells what a decisive line of the rules tells: from the same place, in enough of its words."""
    if not any(ref in bullet.refs for handle in claim.sources for ref in known[handle].refs):
        return False
    words = likeness.content(bullet.text)
    told = sum(likeness.holds(claim.text, (word,)) for word in words)
    return told >= (SAME_SECTION if claim.section == bullet.section else ELSEWHERE) * len(words)


def _claimed(bullet: Bullet, known: dict[str, Piece]) -> Claim:
    sources = [handle for handle, piece in known.items() if not set(bullet.refs).isdisjoint(piece.refs)]
    return msgspec.convert({"section": bullet.section, "text": bullet.text, "sources": list(few(sources))}, Claim)


def _trust(text: str, cited: Sequence[Piece], strange: Sequence[Piece]) -> str:
    """Whose word a line is: that of the cited pieces which hold its content words, whatever their form. Where one of
    these words stands in none of them, or the line denies what they do not, it is the model's own at best; and
    untrusted where that word stands in an untrusted piece."""
    said = "\n".join(f"{piece.title}\n{piece.text}" for piece in cited)
    code = language_of(f"{text}\n{said}")
    left, holders = list(_content(text, code)), list[Piece]()
    for piece in _holding(text, cited, code):
        known = frozenset().union(*_content(f"{piece.title}\n{piece.text}", code))
        still = [word for word in left if not word & known]
        if len(still) < len(left):
            holders.append(piece)
        left = still
    trust = lowest(*(piece.trust for piece in holders or cited))
    if left and any(word & frozenset().union(*_content(piece.text, code)) for word in left for piece in strange):
        return TRUST[-1]
    denies = is_negated(text) and not any(is_negated(piece.text) for piece in holders)
    return lowest(trust, TRUST[1]) if left or denies else trust


def _holding(text: str, cited: Sequence[Piece], code: str) -> list[Piece]:
    """The pieces, the one that holds most of a line's content words first; of two that hold as many, the more trusted,
    then the later one."""
    wanted = _content(text, code)

    def held(piece: Piece) -> int:
        known = frozenset().union(*_content(f"{piece.title}\n{piece.text}", code))
        return sum(bool(word & known) for word in wanted)

    ranked = sorted((-held(piece), TRUST.index(piece.trust), -number) for number, piece in enumerate(cited))
    return [cited[-number] for _, _, number in ranked]


def _content(text: str, code: str) -> list[frozenset[str]]:
    """The stems of each word of a text that is no function word, its irregular forms' among them; days, months and
    numbers count."""
    counted = listed("dates", "weekdays") | listed("dates", "months") | listed("dates", "numbers")
    counted -= listed("words", "stop")
    return [
        frozenset((stem(word, code), *(stem(form, code) for form in forms(word))))
        for word in dict.fromkeys(words(text))
        if word in counted or word[0].isdigit() or not is_idle(word)
    ]


def _chars(texts: Iterable[str]) -> int:
    return sum(map(len, texts))
