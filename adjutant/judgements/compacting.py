"""OPINION. A period's lines from what was said in it: by the rules, or by a model, in parts where it is long."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from adjutant.app import App
from adjutant.domain.memory.gate import Blots, secret_in
from adjutant.domain.periods.reading import PeriodPiece
from adjutant.judgements import compaction
from adjutant.judgements.asking import Asker
from adjutant.judgements.compaction import Inputs
from adjutant.language.sentences import cut_text
from adjutant.ports import TRUST
from adjutant.records.period_file import MODEL, RULES, Bullet, Period
from adjutant.screening.screen import redact_hits, screen

REPLY_CHARS = 4200  # of bullets that fit a reply of 2,048 tokens, their sections and sources beside them
MOST_PARTS = 12
LEAST_PART, MOST_PART = 4000, 40_000  # characters
ONE_PIECE = 6000  # characters; what is longer is shown as several pieces


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
            return self._make_by_rules(whole, self.asker.ask(compaction, whole).result)
        parts = list(_parts(said, min(max(REPLY_CHARS / self._ratio, LEAST_PART), MOST_PART)))
        if len(parts) > MOST_PARTS:
            self._app.say(
                f"{period.name}: {sum(len(piece.text) for piece in said)} characters, more than a model is "
                "asked for one period; made by the rules"
            )
            return self._make_by_rules(whole, compaction.rules(whole))
        found, dropped = list[list[Bullet]](), 0
        for part in parts:
            inputs = Inputs(period.kind, period.name, part, self._ratio)
            answered = self.asker.ask(compaction, inputs)
            if answered.degraded or not answered.replied:
                return self._make_by_rules(whole, compaction.rules(whole))
            found.append(compaction.bullets(inputs, answered.result))
            dropped += sum(note.startswith(compaction.LEFT_OUT) for note in answered.notes)
        return Made(self._safe(compaction.join_parts(found)), MODEL, dropped)

    def _make_by_rules(self, inputs: Inputs, result: compaction.Result) -> Made:
        return Made(self._safe(compaction.bullets(inputs, result)), RULES, 0)

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
