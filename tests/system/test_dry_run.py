"""A dry run decides what a wet run decides and does none of it: the tree, the network and the ledger say so."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from tests.modelserver import ModelServer
from tests.sampling import taken
from tests.system.syscalls import each, traced
from tests.system.world import DAY, PERMIT, World, changed, outside

ALLOWED = (r"journal/.*", r"state/(actions|usage|events|notices)\.jsonl", r"state/(runs|cache|locks)/.*")
STAGES = ("pulse", "escalation", "review", "reflect")
SEED = 20261120
SCENARIOS = taken(40, 12)
LINES = (
    "- [ ] Pay the deposit for the oven to Halvorsen, Ina, due 2026-11-17",
    "- [ ] Hand in the fire plan for the bakery permit, Ola, due 2026-11-21",
    "- [ ] Order flour for the bakery, due 2026-11-25",
    "- [x] Sign the lease of the bakery, due 2026-11-10",
    "The oven for the bakery is blocked: Halvorsen waits for a part since 2026-11-12.",
    "The permit is no longer blocked.",
    "- [ ] Water the garden, due 2026-11-18",
    "| oven | Ina | 2026-11-19 | at risk |",
    "If the oven fails we bake at the school.",
    "Hire two bakers before 2026-11-20, nobody has answered yet.",
    "Nothing new today.",
)
OWN = "Ring the flour mill about the bakery oven\n\nBefore noon.\n"


def decisions(result: dict[str, Any]) -> dict[str, Any]:
    """What was decided, without ids."""
    keys = (
        "issues_found",
        "issues",
        "insights",
        "escalated",
        "escalations",
        "handled",
        "insights_consumed",
        "recommendations",
        "kbs_checked",
        "kbs_unchanged",
        "degraded",
        "damaged",
        "model_calls",
    )
    return {key: result[key] for key in keys if key in result}


def ledger(world: World) -> list[dict[str, Any]]:
    """The ledger without what differs by nature."""
    told = [record for record in world.records("actions") if record["type"] != "notify"]
    return [{key: value for key, value in record.items() if key not in ("run", "dry_run")} for record in told]


@pytest.mark.parametrize("verb", STAGES)
@pytest.mark.parametrize("by", ["setting", "option"])
def test_a_dry_run_writes_what_it_may_and_decides_as_a_wet_run(
    world: World,
    tmp_path: Path,
    verb: str,
    by: str,
) -> None:
    world.knowledge("permit", {"permit.md": PERMIT})
    world.write("insights/pending/mine.md", OWN)
    dry, wet = world.copy(tmp_path / "dry"), world.copy(tmp_path / "wet")
    if by == "setting":
        dry.settings(debug__dry_run=True)
    before = dry.snapshot()
    told = dry.result(verb, *(["--dry-run"] if by == "option" else []))
    assert told["dry_run"] is True
    assert told["status"] == "completed"
    assert outside(changed(before, dry.snapshot()), *ALLOWED) == set()
    assert decisions(told) == decisions(wet.result(verb))
    assert ledger(dry) == ledger(wet)
    assert all(list(record)[2] == "dry_run" and record["dry_run"] is True for record in dry.records("actions"))
    headings = [line for line in dry.journal().split("\n") if line.startswith("## ")]
    assert headings
    assert all(line.endswith("[DRY RUN]") for line in headings)
    assert {record["outcome"] for record in dry.records("notices")} <= {"dry_run"}


@pytest.mark.real_strace
@pytest.mark.parametrize("channel", ["outbox", "telegram", "command"])
def test_a_dry_run_reaches_nobody(world: World, channel: str) -> None:
    reached = world.root / "reached"
    world.settings(
        debug__dry_run=True,
        notifications__channel=channel,
        notifications__command=f"touch {reached}",
        messaging__telegram__api_base="http://127.0.0.1:9",
    )
    world.secrets(TELEGRAM_BOT_TOKEN="1:canary", TELEGRAM_CHAT_ID="1")
    for words in (("pulse",), ("notify", "the oven is here")):
        ran, calls = traced(world, *words, calls=("connect", "execve", "sendto"))
        assert ran.code == 0, ran
        reaching = [call for call in calls if call.name != "execve" and "AF_INET" in call.rest]
        assert reaching == []
        assert sum(call.name == "execve" for call in calls) == 1
    assert not reached.exists()
    assert world.outbox() == []
    assert world.count() == 0


def test_a_dry_run_asks_the_model_and_keeps_what_it_cost(world: World) -> None:
    held = {"matter": "m1", "evidence": ["m1"], "reason": "it can wait", "verdict": "hold"}
    with ModelServer(answer=json.dumps({"summary": "", "items": [], "open": [held]})) as server:
        world.settings(llm__backend="openai", llm__base_url=server.url, llm__models__cheap="m")
        before = world.snapshot()
        result = world.result("pulse", "--dry-run")
        assert len(server.requests) == 1 and result["tokens"] > 0, "nothing to tell needs no second question"
    assert world.records("usage")
    assert (world.root / "state" / "runs" / result["run"]).is_dir()
    assert outside(changed(before, world.snapshot()), *ALLOWED) == set()


def test_a_dry_run_forgets_nothing_and_a_wet_run_after_it_does_all(world: World) -> None:
    dry = world.result("pulse", "--dry-run")
    wet = world.result("pulse")
    assert decisions(dry) == decisions(wet)
    assert wet["insights"]
    assert len(world.outbox()) == 1
    assert world.insights("sent") == wet["insights"]


def test_a_dry_run_tells_what_would_have_come_of_a_notice(world: World) -> None:
    world.write(f"state/notify_count_{DAY}.txt", "3")
    assert world.result("notify", "hello", "--dry-run")["would"] == "budget_exceeded"
    result = world.result("pulse", "--dry-run")
    assert [row["action"] for row in result["escalations"]] == ["logged"]
    assert world.result("pulse")["escalations"][0]["action"] == "logged"


def scenario(base: World, root: Path, number: int) -> World:
    """A small life: one to three files of lines, perhaps a note of the operator's, a setting, a used budget."""
    chance = random.Random(SEED + number)
    world = base.copy(root)
    for kb in range(chance.randint(1, 2)):
        files = {
            f"{chance.choice(('tasks', 'log', 'minutes'))}-{n}.md": "# Bakery opening\n\n"
            + "\n".join(chance.sample(LINES, chance.randint(1, 6)))
            + "\n"
            for n in range(chance.randint(1, 3))
        }
        world.knowledge(f"kb{kb}", files)
    if chance.random() < 0.4:
        world.write("insights/pending/mine.md", OWN)
    if chance.random() < 0.3:
        world.write(f"state/notify_count_{DAY}.txt", str(chance.randint(0, 4)))
    world.settings(
        **chance.choice(
            (
                {},
                {"heartbeat__escalate_at": "medium"},
                {"heartbeat__max_insights": 1},
                {"notifications__max_per_day": 0},
                {
                    "notifications__quiet_hours__enabled": True,
                    "notifications__quiet_hours__start": "08:00",
                    "notifications__quiet_hours__end": "10:00",
                },
            )
        )
    )
    return world


@pytest.mark.sweep
def test_generated_lives_are_judged_alike_dry_and_wet(empty: World, tmp_path: Path) -> None:
    filed: list[int] = []

    def prove(number: int) -> None:
        dry = scenario(empty, tmp_path / f"dry-{number}", number)
        wet = scenario(empty, tmp_path / f"wet-{number}", number)
        verb = "review" if number % 4 == 3 else "pulse"
        before = dry.snapshot()
        told = dry.result(verb, "--dry-run")
        assert outside(changed(before, dry.snapshot()), *ALLOWED) == set()
        done = wet.result(verb)
        assert decisions(told) == decisions(done)
        assert ledger(dry) == ledger(wet)
        filed.append(len(done.get("insights", ())))

    each(range(SCENARIOS), prove)
    assert sum(map(bool, filed)) > SCENARIOS / 5, "too few of the lives hold anything worth filing"
