"""FILES. adjutant.yaml, parsed strictly by its marks and validated against the table of settings."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from adjutant.errors import ConfigInvalid
from adjutant.store import marked_yaml, settings
from adjutant.store.config_values import Wrong, read_fields, read_value, refuse, refuse_unknown
from adjutant.store.tree import CONFIG as NAME

if TYPE_CHECKING:
    from typing import Any

    from adjutant.store.marked_yaml import Node
    from adjutant.store.settings import Setting

    Fields = dict[str, dict[str, Any]]

MAX_DEPTH = 12


def read(raw: bytes) -> tuple[dict[str, Any], Fields, Fields]:
    """(values by dotted name, judgements, specialists). Raises ConfigInvalid with file, line and the nearest key."""
    try:
        root = marked_yaml.mapping(raw, NAME, max_depth=MAX_DEPTH)
        return _read(root)
    except marked_yaml.Broken as error:
        raise ConfigInvalid(str(error)) from error
    except Wrong as error:
        details = {"line": error.line, "key": error.key}
        raise ConfigInvalid(f"{NAME}:{error.line}: {error}", error.fix, details=details) from error


def _read(root: Node) -> tuple[dict[str, Any], Fields, Fields]:
    table = {setting.name: setting for setting in settings.TABLE}
    values = {name: setting.default for name, setting in table.items()}
    maps: dict[str, Fields] = {"judgements": {}, "specialists": {}}
    for key, node in root.items():
        if key not in maps:
            _walk(key, node, table, values)
        elif not node.is_null:
            maps[key] = _read_judgements(node) if key == "judgements" else _read_specialists(node)
    _check_together(values, root)
    return values, maps["judgements"], maps["specialists"]


def _walk(name: str, node: Node, table: dict[str, Setting], values: dict[str, Any]) -> None:
    if name in table:
        values[name] = read_value(table[name], node, name)
        return
    if not any(key.startswith(f"{name}.") for key in table):
        above = name.rpartition(".")[0]
        known = [key.removeprefix(f"{above}.").partition(".")[0] for key in table if f".{key}".startswith(f".{above}")]
        raise refuse_unknown(node, name, {*known, *(() if above else ("judgements", "specialists"))})
    if not node.is_null:
        for key, child in _items(node, name):
            _walk(f"{name}.{key}", child, table, values)


def _items(node: Node, name: str) -> list[tuple[str, Node]]:
    if not node.is_mapping:
        raise refuse(node.line, name, f"must be a mapping, not {node.shown}")
    return list(node.items())


def _read_judgements(node: Node) -> Fields:
    found: Fields = {}
    for name, child in _items(node, "judgements"):
        if name not in settings.JUDGEMENTS:
            raise refuse_unknown(child, f"judgements.{name}", settings.JUDGEMENTS)
        found[name] = read_fields(child, settings.fields_of(name), f"judgements.{name}")
    return found


def _read_specialists(node: Node) -> Fields:
    """Every field of each specialist. A workload has one owner, a name is one that files and roles can bear."""
    defaults = {setting.name: setting.default for setting in settings.SPECIALIST_FIELDS}
    found: Fields = {}
    owners: dict[str, str] = {}
    for name, child in _items(node, "specialists"):
        key = f"specialists.{name}"
        given = read_fields(child, settings.SPECIALIST_FIELDS, key)
        if name in settings.CONDUCTORS or not re.fullmatch(r"[a-z0-9][a-z0-9_-]{0,39}", name):
            why = "is the conductor's own" if name in settings.CONDUCTORS else "must be 1 to 40 of a-z, 0-9, - and _"
            raise Wrong(child.key_line, key, f"the name of specialist `{name[:60]}` {why}")
        folder = os.path.normpath(given.get("workspace", f"workspace/{name}"))
        if not folder.startswith("workspace/"):
            raise refuse(child.line, f"{key}.workspace", "must be a folder in workspace/")
        found[name] = {**defaults, **given, "workspace": folder}
        for workload in found[name]["workloads"]:
            if owners.setdefault(workload, name) != name:
                raise refuse(child.line, workload, f"belongs to `{owners[workload]}` already")
    return found


def _check_together(values: dict[str, Any], root: Node) -> None:
    """Refuses what is impossible only in combination."""
    needs = (
        ("notifications.channel", ("command",), "notifications.command", ""),
        ("notifications.fallback", ("command",), "notifications.command", ""),
        ("llm.backend", settings.BACKENDS[1:], "llm.models.cheap", ", the model to ask"),
        ("retrieval.backend", ("typesense",), "typesense.nodes", ", the servers to ask"),
    )
    for name, given, needed, what in needs:
        value = next((each for each in given if each == values[name] or each in (values[name] or ())), None)
        if value is not None and not values[needed]:
            raise Wrong(_find_line(root, name), name, f"`{name}: {value}` needs `{needed}`{what}")
    name = "notifications.fallback"
    if values["notifications.channel"] in values[name]:
        raise refuse(_find_line(root, name), name, "names the channel that it is to replace")
    name = "evolution.auto_apply"
    if values[name]:
        what = f"`{name}: true` is refused: what the agent is told to do is changed by a person, who has read the diff"
        fix = "set it to false; `adjutant evolve accept ID` applies a suggestion"
        raise Wrong(_find_line(root, name), name, what, fix)


def _find_line(root: Node, name: str) -> int:
    """Where a dotted key stands, or the nearest above it that does."""
    line, node = 1, root
    for part in name.split("."):
        below = dict(node.items()).get(part) if node.is_mapping else None
        if below is None:
            break
        line, node = below.key_line, below
    return line
