"""taxonomy at the command line: what scripts and people get."""

from __future__ import annotations

import json
from argparse import Namespace
from pathlib import Path

import pytest

from adjutant.domain.recall.taxonomy import TOPS
from adjutant.errors import TaxonomyInvalid, UsageError
from adjutant.stages import taxonomy
from tests.conftest import CHECKOUT, adjutant, make_app

OWN = (CHECKOUT / "adjutant" / "instance" / "taxonomy.yaml").read_text(encoding="utf-8")
BROKEN = OWN + "  adjutant:platform/oven:\n    prefLabel: {en: Oven}\n    broader: adjutant:platfrom\n"
LINE = BROKEN.count("\n")


def put(root: Path, text: str) -> None:
    (root / "prompts").mkdir(exist_ok=True)
    (root / "prompts" / "taxonomy.yaml").write_text(text, encoding="utf-8")


def test_the_list_holds_every_concept_with_its_place(tmp_path: Path) -> None:
    found = taxonomy.run(make_app(tmp_path), Namespace(subverb="list"))
    rows = {row["id"]: row for row in found.result["concepts"]}
    assert set(TOPS) <= rows.keys()
    assert rows["adjutant:platform/k8s"]["broader"] == ["adjutant:platform"]
    assert found.lines[0].startswith("platform  What everything else runs on")
    assert "  platform/k8s  Kubernetes" in found.lines
    assert len(found.lines) == len(rows)


def test_a_text_is_classified_from_words_and_from_standard_input(tmp_path: Path) -> None:
    words = Namespace(subverb="classify", text=["reply", "to", "the", "email"])
    given = taxonomy.run(make_app(tmp_path), words).result
    piped = taxonomy.run(make_app(tmp_path, stdin="reply to the email\n"), Namespace(subverb="classify", text=["-"]))
    assert given == piped.result
    assert (given["concept"], given["narrower"]) == ("adjutant:comms", "adjutant:comms/email")
    assert 0 < given["confidence"] < 1
    assert given["alternatives"] == []
    none = taxonomy.run(make_app(tmp_path), Namespace(subverb="classify", text=["bananas"]))
    assert none.result["concept"] == "uncategorised"
    assert none.lines[0].startswith("uncategorised")
    with pytest.raises(UsageError):
        taxonomy.run(make_app(tmp_path), Namespace(subverb="classify", text=["  "]))


def test_a_broken_file_stops_what_needs_it_and_validate_names_each_problem(tmp_path: Path) -> None:
    put(tmp_path, BROKEN.replace("  adjutant:meta:\n", "  adjutant:mta:\n", 1))
    app = make_app(tmp_path)
    for args in (Namespace(subverb="list"), Namespace(subverb="classify", text=["x"])):
        with pytest.raises(TaxonomyInvalid, match=r"prompts/taxonomy\.yaml:\d+: "):
            taxonomy.run(app, args)
    found = taxonomy.run(app, Namespace(subverb="validate"))
    assert found.exit_code == 65
    assert found.result["ok"] is False
    assert {(row["path"], row["line"]) for row in found.result["problems"]} >= {("prompts/taxonomy.yaml", LINE)}
    assert all(row["message"] and row["fix"] for row in found.result["problems"])
    assert any("`adjutant:meta` is missing" in line for line in found.lines)


def test_from_the_shell_the_envelope_carries_the_problems_and_the_export_is_whole(tmp_path: Path) -> None:
    make_app(tmp_path)
    put(tmp_path, BROKEN)
    ran = adjutant("taxonomy", "validate", "--json", "--root", str(tmp_path), check=65).json
    assert ran["ok"] is False
    assert ran["error"]["code"] == "taxonomy.invalid"
    assert [row["line"] for row in ran["error"]["details"]["problems"]] == [LINE]
    (tmp_path / "prompts" / "taxonomy.yaml").unlink()
    told = adjutant("taxonomy", "export", "--format", "jsonld", "--root", str(tmp_path), check=0)
    assert len(json.loads(told.out)["@graph"]) > 40


def test_a_right_file_is_right(tmp_path: Path) -> None:
    found = taxonomy.run(make_app(tmp_path), Namespace(subverb="validate"))
    assert (found.exit_code, found.result["ok"], found.result["problems"]) == (0, True, [])
    turtle = taxonomy.run(make_app(tmp_path), Namespace(subverb="export", format="turtle"))
    assert turtle.lines[0].startswith("@prefix skos:")
    assert turtle.result["text"].endswith(" .\n")
