"""OPINION. compaction: which lines of a day, a week or a month are worth keeping, and where does each come from?

`Compactor` asks of whole periods, in parts where they are long.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, Literal, NamedTuple

import msgspec

from adjutant.app import App
from adjutant.domain.memory.gate import Blots, secret_in
from adjutant.domain.periods.extract import extract
from adjutant.domain.periods.labels import DONE, MARKS, OPEN, PATTERNS, tail, without_tail
from adjutant.domain.periods.reading import PeriodPiece
from adjutant.judgements.asking import Asker
from adjutant.judgements.hearing import load_judgement
from adjutant.language import likeness
from adjutant.language.detect import language_of
from adjutant.language.likeness import is_negated
from adjutant.language.pack import listed
from adjutant.language.sentences import cut_text
from adjutant.language.stems import stem
from adjutant.language.words import forms, is_idle, words
from adjutant.ports import TRUST, ReplyRefused
from adjutant.records import period_file
from adjutant.records.period_file import MODEL, NEVER_CUT, RULES, Bullet, Period, lowest
from adjutant.screening.fence import Fence
from adjutant.screening.screen import redact_hits, screen

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
LEAST = 1 / 3  # of a claim's content stems, in what it cites
FREE = ("Patterns", "Lessons")  # may say in words of their own what came up in others
TOLD = 0.5  # of a line's content stems, in one that cites the same place: it tells it too
Section = Literal["Key events", "Decisions", "Patterns", "Corrections", "Lessons", "Open threads"]
REPLY_CHARS = 4200  # of bullets that fit a reply of 2,048 tokens, their sections and sources beside them
MOST_PARTS = 12
LEAST_PART, MOST_PART = 4000, 40_000  # characters
ONE_PIECE = 6000  # characters; what is longer is shown as several pieces


class Inputs(msgspec.Struct, frozen=True):
    """What was said in a period (`kind`: daily, weekly, monthly), in order; a piece's handle is s1, s2 and so on.

    `ratio`: how much of it is to be kept, 0 to 1.
    """

    kind: str
    name: str
    pieces: list[PeriodPiece]
    ratio: float


class Claim(msgspec.Struct, frozen=True):
    """One line of the period. `sources` are handles of pieces; `settled_by` is that of the piece with which a thread
    ended, "" for anything else."""

    section: Section
    text: str
    sources: list[str]
    settled_by: str = ""


class Result(msgspec.Struct, frozen=True):
    """The lines worth keeping."""

    bullets: list[Claim]


class _Drop(Exception):
    """A bullet that is left out, and why."""


def variables(inputs: Inputs, fence: Fence) -> dict[str, Any]:
    """For prompts/compact.md."""
    shown = "\n".join(_show(handle, piece, inputs.kind) for handle, piece in _by_handle(inputs).items())
    return {
        "period": {"daily": "day", "weekly": "week", "monthly": "month"}[inputs.kind],
        "name": inputs.name,
        "target": target(inputs),
        "pieces": fence.wrap(shown, f"what was said in {inputs.name}", limit=SHOWN_CHARS),
    }


def target(inputs: Inputs) -> int:
    """How many characters the lines may have together, decisions, corrections and lessons aside."""
    whole = sum(len(piece.text) for piece in inputs.pieces)
    return round(inputs.ratio * whole) if whole > SHORT else whole


def check(inputs: Inputs, result: Result) -> tuple[Result, list[str]]:
    """Only lines whose sources were shown, each once, without orders and secrets, ended only where a source says so;
    what structure is sure of and was left out is added.

    Raises ReplyRefused when no line is left, or when they are far longer than asked for.
    """
    known, sure = _by_handle(inputs), [each for each in _list_ruled(inputs) if _is_sure(each)]
    kept, notes = list[Claim](), list[str]()
    for number, claim in enumerate(result.bullets[:MAX_BULLETS], start=1):
        try:
            tidy = _settle(_standing(claim, known), known, sure)
            if any(likeness.again(tidy.text, other.text) for other in kept):
                raise _Drop("says what another says")
        except _Drop as reason:
            notes.append(f"{LEFT_OUT}: bullet {number}, {reason}")
            continue
        kept.append(tidy)
    if not kept and (result.bullets or _list_ruled(inputs)):
        raise ReplyRefused("no bullet is left: give each the handles (s1, s2) of the pieces that say it, as they stand")
    _not_too_long(inputs, kept)
    added = [bullet for bullet in sure if not any(_stands(claim, bullet, known) for claim in kept)]
    told_better = {_bare(bullet.text) for bullet in added}
    kept = [claim for claim in kept if _bare(claim.text) not in told_better]
    notes += [f"{ADDED}: a line of {bullet.section} that no bullet tells" for bullet in added]
    return Result([*kept, *(_claim(bullet, known) for bullet in added)]), notes


def rules(inputs: Inputs) -> Result:
    """The lines that structure gives."""
    known = _by_handle(inputs)
    return Result([_claim(bullet, known) for bullet in _list_ruled(inputs)])


def bullets(inputs: Inputs, result: Result) -> list[Bullet]:
    """A checked result with its references, its days and the trust of each line.

    A line of the rules is theirs. Any other has the trust of the sources that hold its content words, whatever their
    form. Where one of these words stands in none of them, or the line denies what they do not, it is the model's own at
    best; and untrusted where that word stands in an untrusted piece.
    """
    known, ruled = _by_handle(inputs), {(each.section, each.text): each for each in _list_ruled(inputs)}
    strange = [piece for piece in inputs.pieces if piece.trust == TRUST[-1]]
    return [
        ruled.get((claim.section, claim.text)) or _bullet(claim, [known[each] for each in claim.sources], strange)
        for claim in result.bullets
    ]


def _bullet(claim: Claim, cited: Sequence[PeriodPiece], strange: Sequence[PeriodPiece]) -> Bullet:
    code = language_of("\n".join((claim.text, *(piece.text for piece in cited))))
    held = [_stems(piece, code) for piece in cited]
    left, holders = _content(without_tail(claim.text)[0], code), list[PeriodPiece]()
    most = {at: sum(bool(word & stems) for word in left) for at, stems in enumerate(held)}
    order = sorted(most, key=lambda at: (-most[at], TRUST.index(cited[at].trust), -at))
    for at in order:
        still = [word for word in left if not word & held[at]]
        holders += [cited[at]] if len(still) < len(left) else []
        left = still
    first = cited[order[0]]
    text = without_tail(claim.text)[0]
    trust = lowest(*(piece.trust for piece in holders or cited))
    if left or (is_negated(text) and not any(is_negated(piece.text) for piece in holders)):
        trust = lowest(trust, TRUST[1])  # the model's own word at best
    if left and any(word & _stems(piece, code) for piece in strange for word in left):
        trust = TRUST[-1]
    # the one that holds its content comes last: the day of a line is that of its last reference
    refs = [ref for piece in (*(each for each in cited if each is not first), first) for ref in piece.refs]
    told = (without_tail(piece.text)[1] or ((piece.moment[:10],) if piece.moment else ()) for piece in cited)
    days = tuple(sorted({day for each in told for day in each}))
    mark = MARKS[DONE] if claim.settled_by else ""
    return Bullet(claim.section, mark + text + tail(days, again=claim.section == PATTERNS), few(refs), trust)


def join_parts(parts: Sequence[Sequence[Bullet]]) -> list[Bullet]:
    """The bullets of a period that was asked in parts; those that say the same become one, with the lowest trust."""
    found: list[Bullet] = []
    for bullet in (each for part in parts for each in part):
        same = (at for at, other in enumerate(found) if likeness.again(other.text, bullet.text))
        at = next(same, None)
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


def _by_handle(inputs: Inputs) -> dict[str, PeriodPiece]:
    return {f"s{number}": piece for number, piece in enumerate(inputs.pieces, start=1)}


def _list_ruled(inputs: Inputs) -> tuple[Bullet, ...]:
    return _extract(tuple(inputs.pieces), inputs.kind, inputs.ratio)


@lru_cache(maxsize=2)
def _extract(pieces: tuple[PeriodPiece, ...], kind: str, ratio: float) -> tuple[Bullet, ...]:
    return tuple(extract(pieces, kind=kind, ratio=ratio))


def _show(handle: str, piece: PeriodPiece, kind: str) -> str:
    """`s3 (09:00, journal, Bakery) text`, of a week `s3 (2026-11-20, Decisions) text`."""
    when = piece.moment[11:16] if kind == "daily" else piece.moment[:10]
    where = piece.speaker or piece.section or next((ref.partition(" ")[0] for ref in piece.refs), "")
    label = ", ".join(filter(None, (when, where, piece.title)))
    return f"{handle} ({label}) {piece.text}"


def _standing(claim: Claim, known: dict[str, PeriodPiece]) -> Claim:
    """The claim in clean words. Raises _Drop."""
    sources = list(dict.fromkeys(map(_handle, claim.sources)))
    if not sources:
        raise _Drop("without a source")
    if any(handle not in known for handle in sources):
        raise _Drop("a source that was not shown")
    text = period_file.plain(claim.text).lstrip("".join(MARKS.values()))
    if not likeness.content(text):
        raise _Drop("empty")
    if screen(claim.text):
        raise _Drop("reads like an instruction to the assistant")
    if kind := secret_in(claim.text):
        raise _Drop(f"holds {kind}")
    if claim.section not in FREE and _share(text, [known[handle] for handle in sources]) < LEAST:
        raise _Drop("its words stand in none of its sources")
    return Claim(claim.section, text, sources, _handle(claim.settled_by))


def _share(text: str, cited: Sequence[PeriodPiece]) -> float:
    """How much of a text's content stems stand in what it cites, 0 to 1."""
    code = language_of("\n".join((text, *(piece.text for piece in cited))))
    said, held = _content(text, code), frozenset().union(*(_stems(piece, code) for piece in cited))
    return sum(bool(word & held) for word in said) / len(said) if said else 1.0


def _handle(told: str) -> str:
    return told.strip(" []()").lower()


def _settle(claim: Claim, known: dict[str, PeriodPiece], sure: Sequence[Bullet]) -> Claim:
    """The claim, called ended only where another source than the open line itself says so, or a box or label does."""
    told = [each for each in sure if _tells(claim, each, known)]
    ended = any(each.text.startswith(MARKS[DONE]) for each in told)
    piece = known.get(claim.settled_by)
    own = claim.sources == [claim.settled_by] or (
        piece is not None and any(each.section == OPEN and set(each.refs) <= set(piece.refs) for each in told)
    )
    by = claim.settled_by if piece is not None and not own and likeness.share(claim.text, piece.text)[0] else ""
    by = by or (claim.sources[-1] if ended else "")
    sources = claim.sources if by in ("", *claim.sources) else [*claim.sources, by]
    section: Section = "Key events" if by and claim.section == OPEN else claim.section
    return Claim(section, claim.text, sources, by)


def _is_sure(bullet: Bullet) -> bool:
    """Whether structure is sure of a line that no model may leave out: labelled, open, or ended by a box or label."""
    return bullet.section in (*NEVER_CUT, OPEN) or bullet.text.startswith(tuple(MARKS.values()))


def _stands(claim: Claim, bullet: Bullet, known: dict[str, PeriodPiece]) -> bool:
    """Whether a claim tells a line that structure is sure of; what is open as open, or with what ended it."""
    return _tells(claim, bullet, known) and (bullet.section != OPEN or claim.section == OPEN or bool(claim.settled_by))


def _bare(text: str) -> str:
    """The words of a line without its mark and its days."""
    return " ".join(words(without_tail(text.lstrip("".join(MARKS.values())))[0]))


def _tells(claim: Claim, bullet: Bullet, known: dict[str, PeriodPiece]) -> bool:
    cited = {ref for handle in claim.sources for ref in known[handle].refs}
    return not cited.isdisjoint(bullet.refs) and likeness.share(bullet.text, claim.text)[0] >= TOLD


def _not_too_long(inputs: Inputs, kept: Sequence[Claim]) -> None:
    """Raises ReplyRefused."""
    aim, whole = target(inputs), sum(len(piece.text) for piece in inputs.pieces)
    free = sum(len(claim.text) for claim in kept if claim.section not in NEVER_CUT)
    if free > MUCH * max(aim, SHORT / MUCH) or sum(len(claim.text) for claim in kept) > MUCH * max(whole, SHORT / MUCH):
        raise ReplyRefused(
            f"the bullets are far too long: about {aim} characters in all, decisions, corrections and lessons aside"
        )


def _claim(bullet: Bullet, known: dict[str, PeriodPiece]) -> Claim:
    sources = [handle for handle, piece in known.items() if not set(bullet.refs).isdisjoint(piece.refs)]
    ended = sources[-1] if bullet.text.startswith(MARKS[DONE]) and sources else ""
    told = {"section": bullet.section, "text": bullet.text, "sources": list(few(sources)), "settled_by": ended}
    return msgspec.convert(told, Claim)


def _stems(piece: PeriodPiece, code: str) -> frozenset[str]:
    return frozenset().union(*_content(f"{piece.title}\n{piece.text}", code))


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


class Made(NamedTuple):
    """A period's lines, by whom they were chosen (rules or model), and how many of a model's were left out."""

    bullets: list[Bullet]
    by: str
    dropped: int


class Compactor:
    """Makes the lines of one period after the other; `asker` tells afterwards where rules stood in for a model."""

    def __init__(self, app: App) -> None:
        """Raises FileDamaged (.env), IoFailed."""
        self.asker = Asker(app)
        self._app, self._blots = app, Blots(app)
        self._ratio = app.config.number("memory.periods.target_ratio")

    def make(self, period: Period, pieces: Sequence[PeriodPiece]) -> Made:
        """The lines of a period; all by the rules when a model failed at any part of it. Raises Stopped, ConfigInvalid
        (a broken template of the instance), FileDamaged, IoFailed."""
        said = [clean for piece in pieces if (clean := self._clean(piece)) is not None]
        if not said:
            return Made([], RULES, 0)
        whole = Inputs(period.kind, period.name, said, self._ratio)
        if self._app.config.text("llm.backend") == "offline":
            return self._make_by_rules(whole, self.asker.ask(load_judgement(NAME), whole).result)
        parts = list(_parts(said, min(max(REPLY_CHARS / self._ratio, LEAST_PART), MOST_PART)))
        if len(parts) > MOST_PARTS:
            self._app.say(
                f"{period.name}: {sum(len(piece.text) for piece in said)} characters, more than a model is "
                "asked for one period; made by the rules"
            )
            return self._make_by_rules(whole, rules(whole))
        found, dropped = list[list[Bullet]](), 0
        for part in parts:
            inputs = Inputs(period.kind, period.name, part, self._ratio)
            answered = self.asker.ask(load_judgement(NAME), inputs)
            if answered.degraded or not answered.replied:
                return self._make_by_rules(whole, rules(whole))
            found.append(bullets(inputs, answered.result))
            dropped += sum(note.startswith(LEFT_OUT) for note in answered.notes)
        return Made(self._safe(join_parts(found)), MODEL, dropped)

    def _make_by_rules(self, inputs: Inputs, result: Result) -> Made:
        return Made(self._safe(bullets(inputs, result)), RULES, 0)

    def _clean(self, piece: PeriodPiece) -> PeriodPiece | None:
        """The piece as a model may see it and a file keep it: no line with a secret, no orders but the operator's."""
        said = set(piece.text.split("\n"))
        lines = self._blots.message(piece.text)[0].split("\n")
        text = "\n".join(line for line in lines if line in said and not secret_in(line)).strip()
        if piece.trust != TRUST[0]:
            text = redact_hits(text, screen(text), next(iter(piece.refs), piece.title))
        return piece._replace(text=text, title=self._blots.own(piece.title)) if text else None

    def _safe(self, bullets: Sequence[Bullet]) -> list[Bullet]:
        return [bullet for bullet in bullets if not secret_in(bullet.text)]


def _parts(pieces: Sequence[PeriodPiece], size: float) -> Iterator[list[PeriodPiece]]:
    """Pieces in order, as many at a time as have `size` characters together."""
    part, chars = list[PeriodPiece](), 0
    short = (whole._replace(text=text) for whole in pieces for text in cut_text(whole.text, ONE_PIECE, "\n", " "))
    for piece in short:
        if part and chars + len(piece.text) > size:
            yield part
            part, chars = [], 0
        part.append(piece)
        chars += len(piece.text)
    if part:
        yield part
