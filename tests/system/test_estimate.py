"""--estimate: what a verb would ask, told without asking anybody and without leaving a trace."""

from __future__ import annotations

import json

import pytest

from adjutant import commands
from tests.modelserver import ModelServer
from tests.system.test_turns import use
from tests.system.world import World, changed, mannered

ASKED = {  # a verb's words, and the judgements that it asks in a lived-in world, at least
    ("ask", "who pays the deposit?"): {"turn"},
    ("kb", "query", "bakery", "who pays the deposit?"): {"answer"},
    ("review",): {"synthesis"},
    ("reflect",): {"synthesis"},
    ("escalation",): set[str](),
    ("compact",): {"compaction"},
    ("distill",): set[str](),
    ("evolve",): set[str](),
    ("behavior", "review"): set[str](),
    ("delegate", "--run"): set[str](),
    ("memory", "save", "Tea is at four."): {"classify"},
    ("slog", "add", "Descaled the oven."): {"classify"},
    ("taxonomy", "classify", "Descale the oven"): {"classify"},
}


@pytest.fixture
def lived(world: World) -> World:
    world.run("pulse", check=0, now="2026-11-19T09:00:00+00:00")
    world.write("memory/monthly/2026-10.md", "---\nperiod: 2026-10\n---\n\n## Lessons\n\n- Never bake on Mondays\n")
    return world


def test_every_verb_that_asks_is_tried_here() -> None:
    verbs = {row.verb for row in commands.TABLE if row.asks}
    tried = {" ".join(words[:2]) for words in ASKED} | {words[0] for words in ASKED}
    assert verbs <= tried and commands.ROWS["pulse"].asks is False, "pulse has an estimate of its own"


@pytest.mark.parametrize("words", ASKED, ids=" ".join)
def test_an_estimate_counts_and_asks_and_writes_nothing(lived: World, words: tuple[str, ...]) -> None:
    with ModelServer() as server:
        use(lived, server, judgements={"classify": {"enabled": True}}, llm__prices={"m": {"in": 1, "out": 1}})
        lived.run("status", check=0)
        lived.run("search", "warm", check=0)
        before = lived.snapshot()
        ran = lived.run(*words, "--estimate", check=0)
        found = lived.result(*words, "--estimate")
        assert server.requests == []
    mannered(ran)
    assert set(found["by_judgement"]) >= ASKED[words], found
    assert found["calls"] == sum(each["calls"] for each in found["by_judgement"].values())
    assert found["tokens"] == sum(each["tokens"] for each in found["by_judgement"].values())
    assert bool(found["calls"]) == bool(found["money_max"]) == bool(found["tokens"])
    assert "nobody was asked" in ran.out
    assert "tokens of prompts" in ran.out
    touched = {
        path for path in changed(before, lived.snapshot()) if not path.startswith(("state/cache", "state/locks"))
    }
    assert not {path for path in touched if "index.sqlite" not in path}, touched


def test_without_a_model_it_tells_what_one_would_be_asked(lived: World) -> None:
    found = lived.result("ask", "who pays the deposit?", "--estimate")
    assert found["calls"] == 1
    assert found["tokens"] > 500
    shown = lived.result("prompt", "show", "--message", "who pays the deposit?")
    assert found["tokens"] >= shown["tokens"] * 0.9


def test_the_word_behind_a_lone_dash_dash_is_no_option(lived: World) -> None:
    with ModelServer(answer=lambda body: json.dumps(body["messages"][-1]["content"])) as server:
        use(lived, server)
        ran = lived.run("ask", "--root", str(lived.root), "--", "what is --estimate?", "--estimate", check=0)
        assert "--estimate? --estimate" in ran.out
        assert len(server.requests) == 1


def test_help_of_such_a_verb_names_it(lived: World) -> None:
    assert "--estimate" in lived.run("review", "--help", check=0).out
