"""OPINION. compaction: which lines of a day, a week or a month are worth keeping, and where does each come from?"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Literal

import msgspec

from adjutant.app import App
from adjutant.domain.memory.gate import Blots, secret_in
from adjutant.domain.periods.extract import extract, share
from adjutant.domain.periods.labels import DONE, MARKS, OPEN, PATTERNS, tail, without_tail
from adjutant.domain.periods.reading import PeriodPiece
from adjutant.judgements.asking import OFFLINE, Asker
from adjutant.judgements.hearing import load_judgement
from adjutant.language import likeness
from adjutant.language.detect import language_of
from adjutant.language.pack import listed
from adjutant.language.stems import stem
from adjutant.language.words import forms, is_idle, words
from adjutant.ports import TRUST, ReplyRefused
from adjutant.records import period_file
from adjutant.records.period_file import MODEL, NEVER_CUT, RULES, Bullet, Period, few, lowest
from adjutant.screening.fence import Fence
from adjutant.screening.screen import redact_hits, screen

NAME, TEMPLATE, TIER, TEMPERATURE, MAX_TOKENS = "compaction", "compact.md", "cheap", 0.2, 2048
SHORT = 2000  # characters of input up to which nothing has to be cut
MUCH = 2.0  # times the target
SHOWN_CHARS, ONE_CALL = 100_000, 40_000  # of a prompt's block; of a period that a model is asked of
MAX_BULLETS = 200
LEFT_OUT, ADDED, AROUND = "left out", "added", " []()"
LEAST = 1 / 3  # of a claim's content stems, in what it cites
FREE = ("Patterns", "Lessons")  # may say in words of their own what came up in others
TOLD = 0.5  # of a line's content stems, in one that cites the same place: it tells it too
Section = Literal["Key events", "Decisions", "Patterns", "Corrections", "Lessons", "Open threads"]
REPLY_CHARS = 4200  # of bullets that fit a reply of 2,048 tokens, their sections and sources beside them


class Inputs(msgspec.Struct, frozen=True):
    """What was said in a period (`kind`: daily, weekly, monthly), by s1, s2 …; `ratio` of it to be kept, 0 to 1."""

    kind: str
    name: str
    pieces: list[PeriodPiece]
    ratio: float


class Claim(msgspec.Struct, frozen=True):
    """One line of the period; `settled_by`: the handle of the piece that ended a thread, else ""."""

    section: Section
    text: str
    sources: list[str]
    settled_by: str = ""


class Result(msgspec.Struct, frozen=True):
    """The lines worth keeping."""

    bullets: list[Claim]


class _Held:
    """What claims are held against: pieces by handle, the rules' bullets, and those that no model may leave out."""

    def __init__(self, inputs: Inputs) -> None:
        self.pieces = {f"s{number}": piece for number, piece in enumerate(inputs.pieces, start=1)}
        self.ruled = _extract(tuple(inputs.pieces), inputs.kind, inputs.ratio)
        told = (*NEVER_CUT, OPEN)
        self.sure = [each for each in self.ruled if each.section in told or each.text.startswith(tuple(MARKS.values()))]

    def cite(self, claim: Claim) -> list[PeriodPiece]:
        return [self.pieces[each] for each in claim.sources]

    def tells(self, claim: Claim, bullet: Bullet) -> bool:
        """Whether a claim tells a line that structure is sure of; what is open as open, or with what ended it."""
        ends = bullet.section != OPEN or claim.section == OPEN or bool(claim.settled_by)
        return ends and self._is_about(claim, bullet)

    def _is_about(self, claim: Claim, bullet: Bullet) -> bool:
        cited = {ref for piece in self.cite(claim) for ref in piece.refs}
        return not cited.isdisjoint(bullet.refs) and likeness.share(bullet.text, claim.text)[0] >= TOLD

    def claim(self, bullet: Bullet) -> Claim:
        sources = [handle for handle, piece in self.pieces.items() if not set(bullet.refs).isdisjoint(piece.refs)]
        ended = sources[-1] if bullet.text.startswith(MARKS[DONE]) and sources else ""
        told = {"section": bullet.section, "text": bullet.text, "sources": list(few(sources)), "settled_by": ended}
        return msgspec.convert(told, Claim)

    def clean(self, claim: Claim) -> Claim:
        sources = list(dict.fromkeys(each.strip(AROUND).lower() for each in claim.sources))
        text = period_file.plain(claim.text).lstrip("".join(MARKS.values()))
        for problem, why in (
            (not sources, "without a source"),
            (not self.pieces.keys() >= set(sources), "a source that was not shown"),
            (not likeness.content(text), "empty"),
            (screen(claim.text), "reads like an instruction to the assistant"),
            (kind := secret_in(claim.text), f"holds {kind}"),
        ):
            if problem:
                raise ReplyRefused(why)
        tidy = Claim(claim.section, text, sources, claim.settled_by.strip(AROUND).lower())
        said, held = _compare(text, self.cite(tidy))
        if claim.section not in FREE and sum(any(word & each for each in held) for word in said) < LEAST * len(said):
            raise ReplyRefused("its words stand in none of its sources")
        return self._settle(tidy)

    def _settle(self, claim: Claim) -> Claim:
        """The claim, called ended only where another source than the open line itself says so, or a box or label."""
        told = [each for each in self.sure if self._is_about(claim, each)]
        piece, by = self.pieces.get(claim.settled_by), ""
        if piece is not None and claim.sources != [claim.settled_by] and likeness.share(claim.text, piece.text)[0]:
            own = any(each.section == OPEN and set(each.refs) <= set(piece.refs) for each in told)
            by = "" if own else claim.settled_by
        if not by and any(each.text.startswith(MARKS[DONE]) for each in told):
            by = claim.sources[-1]
        sources = claim.sources if by in ("", *claim.sources) else [*claim.sources, by]
        return Claim("Key events" if by and claim.section == OPEN else claim.section, claim.text, sources, by)

    def bullet(self, claim: Claim) -> Bullet:
        """A model's claim with its references, its days and the lowest trust of the sources that hold any of its
        content words. Where one stands in none of them, or the line denies what they do not, it is the model's own at
        best."""
        cited, text = self.cite(claim), without_tail(claim.text)[0]
        said, held = _compare(text, cited)
        most = [sum(bool(word & stems) for word in said) for stems in held]
        first = max(range(len(cited)), key=lambda at: (most[at], -TRUST.index(cited[at].trust), at))
        holders = [piece for piece, many in zip(cited, most, strict=True) if many] or cited
        trust = lowest(*(piece.trust for piece in holders))
        left = [word for word in said if not any(word & stems for stems in held)]
        if left or (likeness.is_negated(text) and not any(likeness.is_negated(piece.text) for piece in holders)):
            trust = lowest(trust, TRUST[1])
        strange = [piece for piece in self.pieces.values() if left and piece.trust == TRUST[-1]]
        if any(word & stems for stems in _compare(text, strange)[1] for word in left):
            trust = TRUST[-1]
        # the one that holds its content comes last: the day of a line is that of its last reference
        refs = [ref for piece in (*cited[:first], *cited[first + 1 :], cited[first]) for ref in piece.refs]
        told = (without_tail(piece.text)[1] or ((piece.moment[:10],) if piece.moment else ()) for piece in cited)
        days = tuple(sorted({day for each in told for day in each}))
        mark = MARKS[DONE] if claim.settled_by else ""
        return Bullet(claim.section, mark + text + tail(days, again=claim.section == PATTERNS), few(refs), trust)


def variables(inputs: Inputs, fence: Fence) -> dict[str, Any]:
    """For prompts/compact.md: `s3 (09:00, journal, Bakery) text`, of a week `s3 (2026-11-20, Decisions) text`."""
    shown = list[str]()
    for handle, piece in _Held(inputs).pieces.items():
        when = piece.moment[11:16] if inputs.kind == "daily" else piece.moment[:10]
        where = piece.speaker or piece.section or next((ref.partition(" ")[0] for ref in piece.refs), "")
        shown.append(f"{handle} ({', '.join(filter(None, (when, where, piece.title)))}) {piece.text}")
    return {
        "period": {"daily": "day", "weekly": "week", "monthly": "month"}[inputs.kind],
        "name": inputs.name,
        "target": target(inputs),
        "pieces": fence.wrap("\n".join(shown), f"what was said in {inputs.name}", limit=SHOWN_CHARS),
    }


def target(inputs: Inputs) -> int:
    """How many characters the lines may have together, decisions, corrections and lessons aside."""
    whole = sum(len(piece.text) for piece in inputs.pieces)
    return min(round(inputs.ratio * whole), REPLY_CHARS) if whole > SHORT else whole


def check(inputs: Inputs, result: Result) -> tuple[Result, list[str]]:
    """Lines whose sources were shown, and what structure is sure of. Raises ReplyRefused for none, or far too long."""
    held, kept, notes = _Held(inputs), list[Claim](), list[str]()
    for number, claim in enumerate(result.bullets[:MAX_BULLETS], start=1):
        try:
            tidy = held.clean(claim)
            if any(likeness.again(tidy.text, other.text) for other in kept):
                raise ReplyRefused("says what another says")
            kept.append(tidy)
        except ReplyRefused as refused:
            notes.append(f"{LEFT_OUT}: bullet {number}, {refused.reason}")
    if not kept and (result.bullets or held.ruled):
        raise ReplyRefused("no bullet is left: give each the handles (s1, s2) of the pieces that say it, as they stand")
    aim, whole = target(inputs), sum(len(piece.text) for piece in inputs.pieces)
    free = sum(len(claim.text) for claim in kept if claim.section not in NEVER_CUT)
    if free > max(MUCH * aim, SHORT) or sum(len(claim.text) for claim in kept) > max(MUCH * whole, SHORT):
        about = f"about {aim} characters in all, decisions, corrections and lessons aside"
        raise ReplyRefused(f"the bullets are far too long: {about}")
    added = [bullet for bullet in held.sure if not any(held.tells(claim, bullet) for claim in kept)]
    told_better = {_bare(bullet.text) for bullet in added}
    kept = [claim for claim in kept if _bare(claim.text) not in told_better]
    notes += [f"{ADDED}: a line of {bullet.section} that no bullet tells" for bullet in added]
    return Result([*kept, *map(held.claim, added)]), notes


def rules(inputs: Inputs) -> Result:
    """The lines that structure gives."""
    held = _Held(inputs)
    return Result([*map(held.claim, held.ruled)])


def bullets(inputs: Inputs, result: Result) -> list[Bullet]:
    """A checked result with its references, its days and the trust of each line; a line of the rules is theirs."""
    held = _Held(inputs)
    ruled = {(each.section, each.text): each for each in held.ruled}
    found = [ruled.get((claim.section, claim.text)) or held.bullet(claim) for claim in result.bullets]
    return share(found, inputs.kind)


@lru_cache(maxsize=2)
def _extract(pieces: tuple[PeriodPiece, ...], kind: str, ratio: float) -> tuple[Bullet, ...]:
    return tuple(extract(pieces, kind=kind, ratio=ratio))


def _bare(text: str) -> str:
    return " ".join(words(without_tail(text.lstrip("".join(MARKS.values())))[0]))


def _compare(text: str, cited: Sequence[PeriodPiece]) -> tuple[list[frozenset[str]], list[frozenset[str]]]:
    """(the stems of each content word of a text, all stems of each piece)."""
    code = language_of("\n".join((text, *(piece.text for piece in cited))))
    held = (_content(f"{piece.title}\n{piece.text}", code) for piece in cited)
    return _content(text, code), [frozenset().union(*stems) for stems in held]


def _content(text: str, code: str) -> list[frozenset[str]]:
    """The stems of each word that is no function word, irregular forms too; days, months and numbers count."""
    counted = listed("dates", "weekdays") | listed("dates", "months") | listed("dates", "numbers")
    counted -= listed("words", "stop")
    every = dict.fromkeys(words(text))
    kept = (word for word in every if word in counted or word[0].isdigit() or not is_idle(word))
    return [frozenset((stem(word, code), *(stem(form, code) for form in forms(word)))) for word in kept]


class Compactor:
    """Makes the lines of one period after the other; `asker` tells afterwards where rules stood in for a model."""

    def __init__(self, app: App) -> None:
        self.asker = Asker(app)
        self._app, self._blots = app, Blots(app)
        self._ratio = app.config.number("memory.periods.target_ratio")

    def make(self, period: Period, pieces: Sequence[PeriodPiece]) -> tuple[list[Bullet], str, int]:
        """(lines, by whom (rules, model), how many left out). Raises Stopped, ConfigInvalid, FileDamaged, IoFailed."""
        said = [clean for piece in pieces if (clean := self._clean(piece)) is not None]
        if not said:
            return [], RULES, 0
        whole = Inputs(period.kind, period.name, said, self._ratio)
        result, by, left_out = rules(whole), RULES, 0
        if sum(len(piece.text) for piece in said) > ONE_CALL and self._app.config.text("llm.backend") != OFFLINE:
            self._app.say(f"{period.name}: more than {ONE_CALL:,} characters; made by the rules")
        else:
            answered = self.asker.ask(load_judgement(NAME), whole)
            if answered.replied and not answered.degraded:
                result, by = answered.result, MODEL
                left_out = sum(note.startswith(LEFT_OUT) for note in answered.notes)
        return [bullet for bullet in bullets(whole, result) if not secret_in(bullet.text)], by, left_out

    def _clean(self, piece: PeriodPiece) -> PeriodPiece | None:
        """The piece as a model may see it and a file keep it: no line with a secret, no orders but the operator's."""
        said, lines = set(piece.text.split("\n")), self._blots.message(piece.text)[0].split("\n")
        text = "\n".join(line for line in lines if line in said and not secret_in(line)).strip()
        if piece.trust != TRUST[0]:
            text = redact_hits(text, screen(text), next(iter(piece.refs), piece.title))
        return piece._replace(text=text, title=self._blots.own(piece.title)) if text else None
