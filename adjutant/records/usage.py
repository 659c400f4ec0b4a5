"""RECORDS. state/usage.jsonl: what was asked of models, in calls, tokens and, where their prices are known, money."""

from __future__ import annotations

from datetime import timedelta

from adjutant.store import jsonl

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import date
    from typing import Any

    from adjutant.clock import Clock
    from adjutant.store.files import Files

FIRST, MOST = 64 * 1024, 64 * 1024 * 1024  # bytes of the log's end: read in ever larger pieces until they hold the day
MILLION = 1_000_000


class UsageTotals:
    """Calls of models, their tokens, what they cost in each currency, and tokens of models without a price."""

    __slots__ = ("calls", "models", "money", "tokens_in", "tokens_out", "unpriced")

    def __init__(self) -> None:
        self.calls = self.tokens_in = self.tokens_out = self.unpriced = 0
        self.money: dict[str, float] = {}
        self.models: dict[str, int] = {}

    @property
    def tokens(self) -> int:
        return self.tokens_in + self.tokens_out

    def add(self, model: str, tokens_in: int, tokens_out: int, prices: Mapping[str, Mapping[str, Any]]) -> None:
        self.calls += 1
        self.tokens_in += tokens_in
        self.tokens_out += tokens_out
        self.models[model] = self.models.get(model, 0) + 1
        price = price_of(model, prices)
        if price is None:
            self.unpriced += tokens_in + tokens_out
            return
        cost = (tokens_in * price["in"] + tokens_out * price["out"]) / MILLION
        self.money[price["currency"]] = self.money.get(price["currency"], 0.0) + cost

    def add_record(self, record: Mapping[str, Any], prices: Mapping[str, Mapping[str, Any]]) -> None:
        """A line of the log, in which somebody may have changed anything."""
        model, counts = record.get("model"), (record.get("tokens_in"), record.get("tokens_out"))
        tokens_in, tokens_out = (each if isinstance(each, int) and each > 0 else 0 for each in counts)
        self.add(model if isinstance(model, str) else "", tokens_in, tokens_out, prices)

    @property
    def told(self) -> str:
        return ", ".join(f"{amount(cost)} {currency}" for currency, cost in sorted(self.money.items()))


def price_of(model: str, prices: Mapping[str, Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """The price of the longest name that this model's begins with."""
    return prices.get(max((name for name in prices if model.startswith(name)), key=len, default=""))


def amount(cost: float) -> str:
    """Money as a person reads it: two places from 1 on, below that so many that two figures show."""
    places = next((places for places in range(2, 8) if cost * 10**places >= 10), 8)
    return f"{cost:.{places if cost else 2}f}"


def count(calls: Iterable[tuple[str, int, int]], prices: Mapping[str, Mapping[str, Any]]) -> UsageTotals:
    """What these calls (model, tokens in, tokens out) come to."""
    spent = UsageTotals()
    for model, tokens_in, tokens_out in calls:
        spent.add(model, tokens_in, tokens_out, prices)
    return spent


def today(files: Files, clock: Clock, prices: Mapping[str, Mapping[str, Any]]) -> UsageTotals:
    """What all processes have asked today; a line dated tomorrow counts, the clock may have jumped."""
    now, limit, spent = clock.now().date(), FIRST, UsageTotals()
    while True:
        data = files.tail(files.tree.usage, limit)
        found = [(_day(record, clock), record) for _, record in jsonl.parse(data) if record is not None]
        dated = [(day, record) for day, record in found if day is not None]
        # a tail leaves out at most the rest of one line: far less than asked for is all there is
        if limit >= MOST or (dated and dated[0][0] < now) or len(data) < limit // 2:
            break
        limit *= 8
    for day, record in dated:
        if now <= day <= now + timedelta(days=1):
            spent.add_record(record, prices)
    return spent


def _day(record: Mapping[str, Any], clock: Clock) -> date | None:
    try:
        return clock.parse(str(record.get("ts"))).date()
    except ValueError:
        return None
