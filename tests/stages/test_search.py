"""The verb search: what scripts and people see."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from adjutant.app import Outcome
from adjutant.domain.recall import taxonomy
from adjutant.domain.recall.classify import classify
from adjutant.errors import ConfigInvalid, SearchInvalid
from adjutant.index_ports import ServerIndex
from adjutant.parsing import parse
from adjutant.stages import memory, search
from adjutant.store import package
from tests.conftest import NOW, TestedApp, adjutant, make_app, parsed


def run(app: TestedApp, *words: str) -> Outcome:
    return search.run(app, parsed(search, *words))


@pytest.fixture
def app(tmp_path: Path) -> TestedApp:
    root = tmp_path / "mine"
    made = make_app(root, verb="search", retrieval__vault=["vault"])
    (root / "vault").mkdir()
    (root / "vault" / "boat.md").write_text("# Boat\n\n## Engine\n\nChange the oil in May.\n")
    (root / "state").mkdir(exist_ok=True)
    record = {"id": "s1", "ts": NOW, "text": "changed the oil of the boat", "concept": "adjutant:tooling"}
    (root / "state" / "slog.jsonl").write_text(json.dumps(record) + "\n")
    return made


def test_the_result_has_the_keys_that_scripts_rely_on(app: TestedApp) -> None:
    found = run(app, "when", "to", "change", "oil").result
    assert found["backend"] == "sqlite"
    assert found["fresh"] is True
    assert len(found["hits"]) == 2
    page = next(hit for hit in found["hits"] if hit["collection"] == "vault_index")
    assert {key: page[key] for key in ("id", "title", "path", "anchor", "text", "concepts")} == {
        "id": "vault/boat.md#engine",
        "title": "Boat › Engine",
        "path": "vault/boat.md",
        "anchor": "engine",
        "text": "Change the oil in May.",
        "concepts": list(classify("Boat › Engine\nChange the oil in May.", taxonomy.own()).concepts),
    }
    line = next(hit for hit in found["hits"] if hit["collection"] == "slog")
    assert (line["id"], line["concepts"], line["created_at"]) == ("s1", ["adjutant:tooling"], NOW)
    assert all(isinstance(hit["score"], float) and "why" not in hit for hit in found["hits"])


def test_explain_says_which_terms_and_fields_decided(app: TestedApp) -> None:
    found = run(app, "change the oil", "--explain")
    why = found.result["hits"][0]["why"]
    assert "oil" in why["terms"]
    assert why["fields"]
    assert "prior" in why
    assert "concept" in why
    assert any("score" in line and "terms" in line for line in found.lines)


def test_every_option_narrows(app: TestedApp) -> None:
    assert [hit["id"] for hit in run(app, "oil", "--in", "slog").result["hits"]] == ["s1"]
    assert [hit["id"] for hit in run(app, "oil", "--workload", "tooling").result["hits"]] == ["s1"]
    assert run(app, "oil", "--since", "2199-01-01").result["hits"] == []
    assert len(run(app, "oil", "--limit", "1").result["hits"]) == 1
    with pytest.raises(SearchInvalid):
        run(app, "oil", "--in", "everything")


def test_people_get_title_place_and_snippet_in_80_columns(app: TestedApp) -> None:
    lines = run(app, "change the oil", "--in", "vault").lines
    assert lines[0] == "1. Boat › Engine"
    assert lines[1].startswith("   vault/boat.md#engine  (vault, ")
    assert lines[2] == "   Change the oil in May."
    assert run(app, "zebra").lines == ["nothing found"]
    assert run(app).lines == ["nothing found"]


def test_the_command_line_takes_any_words_and_refuses_by_the_book(app: TestedApp) -> None:
    root = app.tree.root
    for words in (("oil", "AND", "(("), ("--", "--in", "oil"), ('"',), ("båt 船",), ("",), ()):
        adjutant("search", "--root", root, *words, check=0)
    refused = adjutant("search", "oil", "--in", "everything", "--root", root, "--json", check=2).json
    assert refused["error"]["code"] == "search.invalid"
    assert "memory" in refused["error"]["details"]["valid"]
    assert adjutant("search", "oil", "--limit", "x", "--root", root, "--json", check=2).json["error"]["code"] == "usage"


def test_a_paused_instance_can_be_searched(app: TestedApp) -> None:
    Path(app.tree.paused).touch()
    assert adjutant("search", "oil", "--root", app.tree.root, "--json", check=0).json["result"]["hits"]


# -- memory search -------------------------------------------------------------------------------------------


def remember(app: TestedApp, *words: str) -> Outcome:
    return memory.run(app, parse(app.table.ROWS["memory"], list(words)))


def test_memory_search_finds_live_notes_alone(app: TestedApp) -> None:
    def found() -> list[str]:
        return [hit["id"] for hit in remember(app, "search", "what", "is", "the", "rent").result["hits"]]

    old = remember(app, "save", "We agreed on a rent of 1,400 euros a month.").result["id"]
    assert found() == [old]
    assert run(app, "rent").result["hits"][0]["id"] == old
    new = remember(app, "save", "We agreed on a rent of 1,450 euros a month.", "--supersedes", old).result["id"]
    assert found() == [new]
    remember(app, "forget", new)
    assert found() == [old]
    remember(app, "restore", new)
    assert found() == [new]
    assert remember(app, "search", "oil").result["hits"] == []
    explained = remember(app, "search", "rent", "--explain", "--limit", "1", "--since", "2026-01-01")
    assert explained.result["hits"][0]["why"]["terms"] == ["rent"]
    assert explained.result["backend"] == "sqlite"


def test_a_server_whose_key_is_missing_leaves_the_search_to_the_index(app: TestedApp) -> None:
    def keyless() -> ServerIndex:
        raise ConfigInvalid("`typesense.nodes` needs TYPESENSE_API_KEY")

    root = Path(app.tree.root)
    config = {"retrieval__backend": "typesense", "typesense__nodes": ["http://127.0.0.1:1"]}
    without = make_app(root, verb="search", typesense=keyless, **config)
    found = run(without, "--fresh", "boiler").result
    assert found["backend"] == "sqlite"
    assert "searched in sqlite instead" in "".join(without.said)


def test_pages_and_passages_are_filed_and_nobodys_word_until_their_folder_says_so(app: TestedApp) -> None:
    root = Path(app.tree.root)
    (root / "vault" / "cluster.md").write_text("# Cluster\n\nThe ingress of the Kubernetes cluster was upgraded.\n")
    (root / "knowledge_bases" / "shop").mkdir(parents=True)
    (root / "knowledge_bases" / "registry.yaml").write_text("- name: shop\n  path: knowledge_bases/shop\n")
    plan = "# Nodes\n\n- [ ] upgrade the Kubernetes nodes\n- [ ] write the newsletter, mail it to all subscribers\n"
    (root / "knowledge_bases" / "shop" / "plan.md").write_text(plan)
    hits = run(app, "upgrade", "--workload", "platform", "--fresh").result["hits"]
    assert {hit["id"] for hit in hits} == {"vault/cluster.md#cluster", "shop:plan.md#3"}
    assert {hit["trust"] for hit in hits} == {"untrusted"}
    assert run(app, "ingress", "--workload", "comms").result["hits"] == []
    assert [hit["id"] for hit in run(app, "newsletter", "--workload", "comms").result["hits"]] == ["shop:plan.md#4"]


def test_another_taxonomy_files_the_pages_anew(app: TestedApp) -> None:
    assert run(app, "oil", "--workload", "pipeline").result["hits"] == []
    shipped = package.read("instance", "taxonomy.yaml").decode()
    oil = "  adjutant:pipeline/oil:\n    prefLabel: {en: Oil in May}\n    broader: adjutant:pipeline\n"
    Path(app.tree.taxonomy).parent.mkdir()
    Path(app.tree.taxonomy).write_text(shipped + oil)
    hits = run(app, "oil", "--workload", "pipeline", "--fresh").result["hits"]
    assert [hit["id"] for hit in hits] == ["vault/boat.md#engine"]
