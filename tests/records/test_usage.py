"""What a day's calls come to: tokens of every model, money where prices are known."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from adjutant.records import usage
from adjutant.stages import status
from tests.conftest import TestedApp, make_app, parsed

PRICES = {
    "gpt-4o": {"in": 2.5, "out": 10.0, "currency": "USD"},
    "gpt-4o-mini": {"in": 0.15, "out": 0.6, "currency": "USD"},
    "local": {"in": 1.0, "out": 1.0, "currency": "EUR"},
}


def spend(app: TestedApp, *calls: tuple[str, str, int, int]) -> None:
    path = Path(app.tree.usage)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as log:
        for ts, model, tokens_in, tokens_out in calls:
            line = {"ts": ts, "run": "r", "judgement": "brief", "model": model}
            log.write(json.dumps({**line, "tokens_in": tokens_in, "tokens_out": tokens_out, "ms": 5}) + "\n")


def test_the_longest_beginning_of_a_models_name_is_its_price() -> None:
    assert usage.price_of("gpt-4o-mini-2024-07-18", PRICES) == PRICES["gpt-4o-mini"]
    assert usage.price_of("gpt-4o-2024-11-20", PRICES) == PRICES["gpt-4o"]
    assert usage.price_of("qwen3", PRICES) is None


@pytest.mark.parametrize(
    ("cost", "told"),
    [(0.0, "0.00"), (12.345, "12.35"), (0.25, "0.25"), (0.0423, "0.042"), (0.00042, "0.00042"), (1e-12, "0.00000000")],
)
def test_money_is_told_with_as_many_places_as_say_something(cost: float, told: str) -> None:
    assert usage.amount(cost) == told


def test_only_the_calls_of_today_count(tmp_path: Path) -> None:
    app = make_app(tmp_path)
    spend(
        app,
        ("2026-11-19T23:59:59+00:00", "local", 9, 9),
        ("2026-11-20T00:00:00+00:00", "local", 1_000_000, 0),
        ("2026-11-20T08:00:00+00:00", "gpt-4o", 100_000, 50_000),
        ("2026-11-20T08:30:00+00:00", "qwen3", 300, 20),
    )
    with Path(app.tree.usage).open("a") as log:
        log.write('{"ts": "2026-11-20T08:40:00+00:00", "tokens_in": "many"}\nno json\n')
    found = usage.today(app.files, app.clock, PRICES)
    assert (found.calls, found.tokens_in, found.tokens_out, found.unpriced) == (4, 1_100_300, 50_020, 320)
    assert found.told == "1.00 EUR, 0.75 USD"
    assert found.models["qwen3"] == 1


def test_a_day_longer_than_the_first_look_is_counted_whole(tmp_path: Path) -> None:
    app = make_app(tmp_path)
    spend(app, *[("2026-11-19T10:00:00+00:00", "local", 1, 1)] * 50)
    spend(app, *[("2026-11-20T08:00:00+00:00", "local", 1, 1)] * 2000)
    assert Path(app.tree.usage).stat().st_size > 2 * usage.FIRST
    assert usage.today(app.files, app.clock, {}).calls == 2000


def test_status_names_the_model_and_what_today_took(tmp_path: Path) -> None:
    bare = status.run(make_app(tmp_path / "bare", verb="status"), parsed(status))
    assert "model none; rules answer" in bare.lines
    assert bare.result["model"]["calls"] == 0
    app = make_app(
        tmp_path / "one",
        verb="status",
        llm__backend="openai",
        llm__models__cheap="gpt-4o-mini",
        llm__prices={"gpt-4o": {"in": 2.5, "out": 10}},
    )
    spend(app, ("2026-11-20T08:00:00+00:00", "gpt-4o-mini", 10_000, 1_000), ("2026-11-20T08:00:00+00:00", "x", 5, 5))
    told = status.run(app, parsed(status))
    assert (
        "model gpt-4o-mini over openai; today 2 calls, 11,010 tokens, 0.035 USD and calls without a price" in told.lines
    )
    assert told.result["model"]["money"] == {"USD": 0.035}
