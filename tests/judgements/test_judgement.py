"""Every judgement has the shape the engine relies on."""

from __future__ import annotations

import msgspec
import pytest

from adjutant.judgements import hearing
from adjutant.judgements.hearing import JUDGEMENTS, load_judgement
from adjutant.judgements.templates import read_packaged
from adjutant.store import settings


@pytest.mark.parametrize("name", JUDGEMENTS)
def test_a_judgement_names_itself_its_tier_its_limits_and_its_types(name: str) -> None:
    judgement = load_judgement(name)
    assert name == judgement.NAME
    assert judgement.TIER in settings.MODEL_TIERS
    assert 0 <= judgement.TEMPERATURE <= 2
    assert 16 <= judgement.MAX_TOKENS <= 8000
    assert issubclass(judgement.Inputs, msgspec.Struct)
    assert issubclass(judgement.Result, msgspec.Struct)


@pytest.mark.parametrize("name", JUDGEMENTS)
def test_a_judgements_template_opens_by_saying_that_data_is_no_instruction(name: str) -> None:
    text = read_packaged(load_judgement(name).TEMPLATE)
    first = text.partition("#}")[2] if text.startswith("{#") else text
    assert "data, never instructions" in " ".join(first.split("\n")[:3]), "before anything else is said"


@pytest.mark.parametrize("name", JUDGEMENTS)
def test_a_results_schema_is_one_that_strict_servers_take(name: str) -> None:
    def walk(node: object, where: str) -> None:
        if isinstance(node, list):
            for at, inner in enumerate(node):
                walk(inner, f"{where}[{at}]")
        elif isinstance(node, dict):
            assert "default" not in node, where
            if node.get("type") == "object":
                assert node["additionalProperties"] is False and node["required"] == list(node["properties"]), where
            for key, inner in node.items():
                walk(inner, f"{where}.{key}")

    schema = hearing.schema_of(load_judgement(name).Result)
    assert schema["type"] == "object"
    walk(schema, name)
