"""OPINION. The JSON Schema a reply must fit, in the form that hosted servers take in strict mode."""

from __future__ import annotations

from typing import Any

import msgspec

REF = "#/$defs/"
ANNOTATIONS = ("default", "title", "examples")


def of(result: type[Any]) -> dict[str, Any]:
    """Schema of a msgspec.Struct: an object at the root, every property required, no further ones, no defaults.

    These are the rules of OpenAI's structured outputs; other servers take such a schema as well.
    """
    root: dict[str, Any] = _strict(msgspec.json.schema(result))
    name = str(root.get("$ref", ""))
    if name.startswith(REF):
        held = root["$defs"]
        found = held.pop(name.removeprefix(REF))
        root = {**found, "$defs": held} if held else found
    return root


def _strict(value: Any) -> Any:
    if isinstance(value, list):
        return [_strict(item) for item in value]
    if not isinstance(value, dict):
        return value
    if value.get("type") == "object" and isinstance(value.get("properties"), dict):
        properties = {name: _strict(inner) for name, inner in value["properties"].items()}
        rest = {key: _strict(inner) for key, inner in value.items() if key not in ("properties", *ANNOTATIONS)}
        return {**rest, "properties": properties, "required": list(properties), "additionalProperties": False}
    return {key: _strict(inner) for key, inner in value.items() if key not in ANNOTATIONS}
