"""A model in the chair: one call for a pulse, the floor under what is certain, and nothing asked twice."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from adjutant.judgements import templates
from tests.modelserver import ModelServer
from tests.system.test_model import asked, competent, prompt
from tests.system.world import World

ROOF = "# Roof\n\nHalvorsen will not come this year, says his wife.\n"


def use(world: World, server: ModelServer, **more: object) -> World:
    world.settings(llm__backend="openai", llm__base_url=server.url, llm__models__cheap="m", **more)
    return world


def saying(items: list[dict[str, Any]], verdict: str = "", reason: str = "it can wait") -> Callable[..., str]:
    """A model that raises these, and gives each matter that owes one this verdict."""

    def answer(body: dict[str, Any]) -> str:
        if asked(body) not in ("pulse", "brief"):
            return competent(body) if asked(body) != "synthesis" else QUIET
        owed = re.findall(r"^(m\d+) \(verdict owed\)", prompt(body), re.MULTILINE)
        said = [{"matter": each, "evidence": [each], "reason": reason, "verdict": verdict} for each in owed if verdict]
        return json.dumps({"items": items, "open": said, "summary": ""})

    return answer


QUIET = json.dumps(
    {"changed": [], "at_risk": [], "decisions": [], "recommendations": [], "notify": False, "headline": ""}
)
SILENT = saying([])


def names(server: ModelServer) -> list[str]:
    return [asked(request.body) for request in server.requests]


def replays(world: World, *runs: str) -> None:
    for run in runs:
        assert world.result("runs", "replay", run)["differences"] == []


def test_one_call_does_the_pulse_and_a_second_one_asks_nothing(world: World) -> None:
    world.knowledge("roof", {"roof.md": ROOF})
    with ModelServer(answer=competent) as server:
        first = use(world, server).result("pulse")
        assert names(server) == ["pulse"]
        assert first["model_calls"] == 1
        assert first["degraded"] is None
        assert world.result("pulse")["model_calls"] == 0
        assert len(server.requests) == 1
    text = prompt(server.requests[0].body)
    assert "It is Friday 2026-11-20 09:00" in text
    assert "Bakery opening" in text
    assert "# roof: roof.md" in text
    assert len(world.outbox()) == 1
    assert "Matter of L2" in world.outbox()[0]
    replays(world, first["run"])


def test_a_changed_file_in_one_of_ten_is_one_call_of_a_few_lines(world: World) -> None:
    for number in range(9):
        pages = {f"p{page}.md": f"# Page {page}\n\n" + "A sentence on valves. " * 60 for page in range(8)}
        world.knowledge(f"kb{number}", pages)
    with ModelServer(answer=saying([], "hold")) as server:
        use(world, server).result("pulse", timeout=60)
        before = len(server.requests)
        world.write("knowledge_bases/kb3/p1.md", ROOF)
        result = world.result("pulse")
    assert len(server.requests) == before + 1
    assert result["model_calls"] == 1
    assert asked(server.requests[-1].body) == "pulse"
    text = prompt(server.requests[-1].body)
    assert "Halvorsen will not come this year" in text
    assert "valves" not in text
    assert len(text) / 4 <= 6000
    assert "kb4" not in text


def test_what_is_certain_reaches_the_operator_once_though_the_model_is_silent(world: World) -> None:
    with ModelServer(answer=SILENT) as server:
        result = use(world, server).result("pulse")
        assert names(server) == ["pulse", "pulse"], "what is owed is asked for once more"
        assert "No verdict on m1" in prompt(server.requests[1].body)
        (told,) = world.outbox()
        assert "Pay the deposit for the oven" in told
        assert "unjudged" in told
        assert result["degraded"] is None
        assert world.result("pulse")["model_calls"] == 0, "the folder counts as looked at"
        world.write("knowledge_bases/bakery/more.md", ROOF)
        world.result("pulse")
    assert len(world.outbox()) == 1
    assert "gave no verdict" in world.run("why", told.rpartition("· ")[2]).out
    replays(world, result["run"])


def test_a_model_that_holds_it_back_with_a_reason_is_obeyed(world: World) -> None:
    reason = "Halvorsen gave a week more"
    with ModelServer(answer=saying([], "hold", reason)) as server:
        result = use(world, server).result("pulse")
        assert world.outbox() == []
        assert result["insights"] == []
        assert names(server) == ["pulse"]
        review = world.result("review", now="2026-11-20T20:00:00+00:00")
        assert f"held: {reason}" in review["digest"]
        (line,) = [each for each in review["digest"].split("\n") if "deposit" in each]
        assert f"held back: {reason}" in world.run("why", line.rpartition("· ")[2]).out
    replays(world, result["run"], review["run"])


def test_what_a_model_settles_by_a_line_stays_settled_while_its_own_line_does(world: World) -> None:
    world.write("knowledge_bases/bakery/notes.md", "# Notes\n\nHalvorsen has his money since Monday.\n")

    def answer(body: dict[str, Any]) -> str:
        handle = re.search(r"^(L\d+): Halvorsen has his money", prompt(body), re.MULTILINE)
        said = {
            "matter": "m1",
            "reason": "he has it",
            "verdict": "settled",
            "evidence": [handle[1] if handle else "m1"],
        }
        return json.dumps({"items": [], "open": [said]}) if asked(body) == "pulse" else QUIET

    with ModelServer(answer=answer) as server:
        result = use(world, server).result("pulse")
        assert world.outbox() == []
        assert len(server.requests) == 1
        assert "deposit" not in world.run("today", "--all").out
        assert "- Pay the deposit for the oven to Halvorsen" in world.result("review")["digest"]  # under Settled
    with ModelServer(answer="bananas") as server:  # rules answer for it once it is asked again
        use(world, server)
        assert world.result("pulse", "--full")["degraded"] == "malformed"
    world.settings()
    assert "deposit" not in world.run("today", "--all").out, "nor do rules raise it again"
    tasks = world.text("knowledge_bases/bakery/tasks.md")
    world.write("knowledge_bases/bakery/tasks.md", tasks.replace("deposit for", "second deposit for"))
    assert "deposit" in world.run("today", "--all").out
    replays(world, result["run"])


def test_a_quiet_zone_is_quiet_for_a_model_too(world: World) -> None:
    world.write("knowledge_bases/bakery/garden.md", "# Beds\n\nThe roses will die tonight.\n")
    world.write("knowledge_bases/bakery/notes.md", "# Notes\n\nThe garden gate is off its hinge. The mason is ill.\n")

    def answer(body: dict[str, Any]) -> str:
        lines = re.findall(r"^(L\d+): (.*(?:roses|gate).*)$", prompt(body), re.MULTILINE)
        grave = {"why": "now", "severity": "critical", "concern": None, "tell": True}
        return saying([{"evidence": [handle], "title": text, **grave} for handle, text in lines], "hold")(body)

    with ModelServer(answer=answer) as server:
        result = use(world, server).result("pulse")
        assert world.outbox() == []
        assert result["issues"] == []
        assert result["insights"] == []
        world.write("knowledge_bases/bakery/more.md", ROOF)
        assert world.result("pulse")["issues"] == []
    assert "roses" not in world.run("today", "--all").out + world.text("today.md")


def test_a_review_asks_nothing_that_a_pulse_asked(world: World) -> None:
    with ModelServer(answer=saying([], "hold")) as server:
        use(world, server).result("pulse")
        first = world.result("review", now="2026-11-20T20:00:00+00:00")
        assert names(server) == ["pulse", "synthesis"]
        assert first["degraded"] is None
        again = world.result("review", now="2026-11-20T20:30:00+00:00")
        assert again["notice"] != "sent"
        world.write("knowledge_bases/bakery/more.md", ROOF)
        world.result("review", now="2026-11-20T21:00:00+00:00")
    assert names(server)[2:] == ["synthesis", "pulse", "synthesis"], "of the folders only what is new"


def test_a_reply_that_is_cut_is_salvaged_and_the_rest_asked_for(world: World) -> None:
    world.knowledge(
        "permit", {"permit.md": "# Permit\n\n- [ ] Hand in the plan for the bakery permit, due 2026-11-18\n"}
    )
    with ModelServer(["broken", "well"], answer=competent) as server:
        result = use(world, server).result("pulse")
    assert result["degraded"] is None
    assert names(server) == ["pulse", "pulse"]
    assert len(result["issues"]) == 2
    replays(world, result["run"])


def test_where_one_call_comes_to_nothing_each_knowledge_base_is_asked_by_itself(world: World) -> None:
    def answer(body: dict[str, Any]) -> str:
        return "I would rather not." if asked(body) == "pulse" else competent(body)

    world.knowledge("roof", {"roof.md": ROOF})
    with ModelServer(answer=answer) as server:
        result = use(world, server).result("pulse")
    assert names(server) == ["pulse", "pulse", "brief", "brief", "escalation"]
    assert result["degraded"] is None
    assert result["issues"]
    assert len(world.outbox()) == 1
    replays(world, result["run"])


def test_all_that_waits_is_decided_on_in_one_call_that_knows_the_budget(world: World) -> None:
    world.knowledge(
        "permit", {"permit.md": "# Permit\n\n- [ ] Hand in the plan for the bakery permit, due 2026-11-18\n"}
    )
    with ModelServer(answer=competent) as server:
        result = use(world, server, limits__one_call_chars=0).result("pulse")
    assert names(server) == ["brief", "brief", "escalation"]
    assert len(result["insights"]) == 2
    text = prompt(server.requests[-1].body)
    assert "n1: [high]" in text
    assert "n2: [high]" in text
    assert "3 of 3 notices of today are left" in text
    assert len([line for line in world.text("state/actions.jsonl").splitlines() if '"type": "escalation"' in line]) == 2
    replays(world, result["run"])


def test_the_next_pulse_uses_an_edited_template_and_a_broken_one_is_named_by_line(world: World) -> None:
    text = templates.read_packaged("pulse.md")
    with ModelServer(answer=competent) as server:
        use(world, server).result("pulse")
        world.write("prompts/pulse.md", text.replace("Good news", "Mind the fish. Good news"))
        assert world.result("pulse")["model_calls"] == 1, "another template is another question"
        assert "Mind the fish." in prompt(server.requests[-1].body)
        world.write("prompts/pulse.md", text.replace("{{ heart }}", "{{ hart }}"))
        error = world.refusal("pulse", check=78)["error"]
    assert re.search(r"prompts/pulse\.md:\d+: .*hart", error["message"])
    assert len(server.requests) == 2
