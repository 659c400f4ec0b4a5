"""Filing: rules unless a model is wanted, the model's word where it holds, the rules' where it does not."""

from __future__ import annotations

import json
from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest

from adjutant.domain.recall import classify, taxonomy
from adjutant.errors import MemoryRefused
from adjutant.judgements import filing, recording
from adjutant.ports import ModelFailed
from adjutant.replay import replay
from adjutant.stages import memory, slog
from adjutant.stages import taxonomy as stage
from tests.asked import Queue
from tests.conftest import TestedApp, make_app

TEXT = "Renewed the certificate of the shop"
RULED = classify.classify(TEXT, taxonomy.own())
GOOD = '{"concept": "adjutant:comms/email", "confidence": 0.8}'
UNKNOWN = '{"concept": "adjutant:gardening", "confidence": 1}'


def wanting(root: Path, model: Queue | None, *, enabled: bool = True, **more: Any) -> TestedApp:
    return make_app(
        root,
        model=model,
        verb="slog",
        llm__backend="openai",
        llm__models__cheap="m",
        judgements__classify__enabled=enabled,
        **more,
    )


def records_of(app: TestedApp) -> list[recording.Recorded]:
    folder = Path(app.tree.run(app.run))
    return [recording.read(app.files, app.run, path.name) for path in sorted(folder.glob("*-classify.json"))]


def test_nobody_is_asked_unless_config_says_so(tmp_path: Path) -> None:
    model = Queue(GOOD)
    assert filing.file(wanting(tmp_path, model, enabled=False), TEXT, taxonomy.own()) == RULED
    assert filing.file(make_app(tmp_path / "plain", model=model), TEXT, taxonomy.own()) == RULED
    assert model.prompts == []


def test_the_models_word_counts_where_it_is_an_id_of_the_scheme(tmp_path: Path) -> None:
    model = Queue(GOOD)
    found = filing.file(wanting(tmp_path, model), TEXT, taxonomy.own())
    assert found.concepts == ("adjutant:comms", "adjutant:comms/email")
    assert found.confidence == 0.8
    (prompt,) = model.prompts
    assert TEXT in prompt.text
    assert "adjutant:pipeline/ci: Continuous integration" in prompt.text


@pytest.mark.parametrize(
    ("answer", "concepts"),
    [
        ('{"concept": "adjutant:meta", "confidence": 1}', ("adjutant:meta",)),
        ('{"concept": "uncategorised", "confidence": 0.9}', ()),
    ],
)
def test_a_workload_alone_and_no_concept_at_all_are_answers_too(
    tmp_path: Path,
    answer: str,
    concepts: tuple[str, ...],
) -> None:
    assert filing.file(wanting(tmp_path, Queue(answer)), TEXT, taxonomy.own()).concepts == concepts


def test_an_unknown_id_is_sent_back_once_and_then_the_rules_answer(tmp_path: Path) -> None:
    mended = Queue(UNKNOWN, GOOD)
    assert filing.file(wanting(tmp_path, mended), TEXT, taxonomy.own()).concept == "adjutant:comms"
    assert "adjutant:gardening` is no id of the list" in mended.prompts[1].text
    stubborn, app = Queue(UNKNOWN), wanting(tmp_path, None)
    app.model = lambda: stubborn
    assert filing.file(app, TEXT, taxonomy.own()) == RULED
    assert len(stubborn.prompts) == 2
    assert "rules answered in the model's place" in app.said[-1]


@pytest.mark.parametrize("model", [None, Queue(ModelFailed("unreachable", "no route"))])
def test_without_an_answer_the_line_is_filed_by_rules(tmp_path: Path, model: Queue | None) -> None:
    assert filing.file(wanting(tmp_path, model), TEXT, taxonomy.own()) == RULED


def test_while_paused_nobody_is_asked(tmp_path: Path) -> None:
    model = Queue(GOOD)
    app = wanting(tmp_path, model)
    Path(app.tree.paused).write_text("")
    assert filing.file(app, TEXT, taxonomy.own()) == RULED
    assert model.prompts == []


def test_what_was_asked_is_recorded_and_replays_to_the_same(tmp_path: Path) -> None:
    app = wanting(tmp_path, Queue(UNKNOWN, GOOD))
    filing.file(app, TEXT, taxonomy.own())
    (held,) = records_of(app)
    assert held.replies == [UNKNOWN, GOOD]
    assert held.result == json.loads(GOOD)
    assert held.inputs["by_labels"] == {"concept": RULED.concepts[-1], "confidence": RULED.confidence}
    assert replay.compare(held) is None
    held.result["concept"] = "adjutant:meta"
    assert replay.compare(held) is not None


def test_the_work_log_notes_and_taxonomy_classify_ask_by_the_same_way(tmp_path: Path) -> None:
    line = slog.run(wanting(tmp_path, Queue(GOOD)), Namespace(subverb="add", text=[TEXT], workload=None, tags=None))
    assert line.result["concept"] == "adjutant:comms"
    assert line.result["confidence"] == 0.8
    told = stage.run(wanting(tmp_path, Queue(GOOD)), Namespace(subverb="classify", text=[TEXT]))
    assert told.result["narrower"] == "adjutant:comms/email"
    args = Namespace(subverb="save", text=[TEXT], type=None, tags="", trust="operator", supersedes=None)
    note = memory.run(wanting(tmp_path, Queue(GOOD)), args)
    assert list(note.result["concepts"]) == ["adjutant:comms", "adjutant:comms/email"]


def test_no_model_sees_a_line_that_is_refused_or_filed_by_hand(tmp_path: Path) -> None:
    model = Queue(GOOD)
    with pytest.raises(MemoryRefused):
        slog.run(
            wanting(tmp_path, model),
            Namespace(subverb="add", text=["token ghp_" + "a1B2" * 9], workload=None, tags=None),
        )
    slog.run(wanting(tmp_path, model), Namespace(subverb="add", text=[TEXT], workload="meta", tags=None))
    assert model.prompts == []
