"""What pulse and the daily review make of a model's opinions: caps, duplicates, marks, limits named in the journal."""

from __future__ import annotations

import json
from argparse import Namespace
from pathlib import Path
from typing import Any

from adjutant.app import Outcome
from adjutant.domain.heartbeat import insights, marks
from adjutant.ports import Prompt, Reply
from adjutant.stages import escalation, pulse, review
from tests.conftest import TestedApp, make_app, make_instance

TASK = "- [ ] Pay the tax bill, due 2026-11-17"
LEAK = "- [ ] The boiler leaks and nobody has called the plumber, due 2026-11-18"
LLM = {"llm__backend": "openai", "llm__models__cheap": "m", "heartbeat__parallel": 1}


class Scripted:
    """Answers each judgement by its name; a missing one gets `{}`."""

    backend = "openai"

    def __init__(self, **answers: Any) -> None:
        self.answers = answers
        self.asked: list[str] = []

    def complete(self, prompt: Prompt) -> Reply:
        self.asked.append(prompt.name)
        return Reply(json.dumps(self.answers.get(prompt.name, {}), ensure_ascii=False), 10, 10)


def home(root: Path, text: str = f"# Home\n\n{TASK}\n{LEAK}\n", **settings: Any) -> None:
    tree = make_instance(root, **settings)
    (root / "home").mkdir()
    (root / "home" / "tasks.md").write_text(text)
    (root / "knowledge_bases").mkdir()
    Path(tree.registry).write_text("- name: home\n  path: home\n")


def issue(quote: str, **more: Any) -> dict[str, Any]:
    cited = {"path": "tasks.md", "line": 3 if quote == TASK else 4, "quote": quote}
    return {"title": "Pay the bill", "why": "overdue", "severity": "high", "evidence": [cited], "concern": None, **more}


def beat(app: TestedApp, **more: Any) -> Outcome:
    return pulse.run(app, Namespace(full=False, estimate=False, **more))


def journal(root: Path) -> str:
    return (root / "journal" / "2026-11-20.md").read_text()


def test_a_concern_without_end_is_cut_and_the_insight_can_be_read(tmp_path: Path) -> None:
    home(tmp_path, **LLM)
    long = issue(TASK, concern="ø" * 200_000)
    model = Scripted(brief={"summary": "s", "items": [long]}, triage={"issues": [{"kb": "home", **long}]})
    done = beat(make_app(tmp_path, model=model)).result
    assert len(done["insights"]) == 1 and len(done["issues"][0]["concern"]) == 120
    assert insights.pending(make_app(tmp_path).files)[1] == []


def test_two_issues_about_one_line_are_filed_once(tmp_path: Path) -> None:
    home(tmp_path, **LLM)
    same = [{"kb": "home", **issue(TASK)}, {"kb": "home", **issue(TASK, title="The tax bill is overdue")}]
    other = {"kb": "home", **issue(LEAK, title="The boiler leaks")}
    model = Scripted(brief={"summary": "s", "items": [issue(TASK), issue(LEAK)]}, triage={"issues": [*same, other]})
    done = beat(make_app(tmp_path, model=model)).result
    assert len(done["insights"]) == 2 and len(done["issues"]) == 3
    assert done["issues"][0]["insight"] == done["issues"][1]["insight"] != done["issues"][2]["insight"]
