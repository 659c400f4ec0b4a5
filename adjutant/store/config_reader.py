"""FILES. adjutant.yaml, parsed strictly by its marks and validated against the table of settings."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from adjutant.errors import ConfigInvalid
from adjutant.store import marked_yaml, settings
from adjutant.store.config_values import read_value
from adjutant.store.tree import CONFIG as NAME

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable
    from typing import Any

    from adjutant.store.settings import Setting

    Fields = dict[str, dict[str, Any]]

MAX_DEPTH = 12


def read(raw: bytes) -> tuple[dict[str, Any], Fields, Fields]:
    """(values by dotted name, judgements, specialists). Raises ConfigInvalid with file, line and the nearest key."""
    try:
        root = marked_yaml.mapping(raw, NAME, max_depth=MAX_DEPTH)
    except marked_yaml.Broken as error:
        raise ConfigInvalid(str(error)) from error
    table = {setting.name: setting for setting in settings.TABLE}
    values = {name: setting.default for name, setting in table.items()}
    maps: dict[str, dict[str, dict[str, Any]]] = {}
    for key, node in root.items():
        if key == "judgements":
            maps[key] = _map(key, node, settings.fields_of, settings.JUDGEMENTS)
        elif key == "specialists":
            maps[key] = _specialists(node)
        else:
            _walk(key, node, table, values)
    _together(values, root)
    return values, maps.get("judgements", {}), maps.get("specialists", {})


def _walk(name: str, node: Any, table: dict[str, Setting], values: dict[str, Any]) -> None:
    if name in table:
        values[name] = read_value(table[name], node, name)
        return
    inner = [key for key in table if key.startswith(f"{name}.")]
    if not inner:
        parts = [full.split(".") for full in table]
        known = {".".join(each[:depth]) for each in parts for depth in range(1, len(each) + 1)}
        raise _unknown(name, node, known | {"judgements", "specialists"})
    if node.is_null:
        return
    if not node.is_mapping:
        raise ConfigInvalid(f"{NAME}:{node.line}: `{name}` must be a mapping, not {node.shown}")
    for key, child in node.items():
        _walk(f"{name}.{key}", child, table, values)


def _unknown(name: str, node: Any, known: set[str]) -> ConfigInvalid:
    import difflib  # only on this error path

    head, _, last = name.rpartition(".")
    siblings = {key.rpartition(".")[2] for key in known if key.rpartition(".")[0] == head}
    close = difflib.get_close_matches(last, siblings, n=1, cutoff=0.5)
    hint = f"; did you mean `{close[0]}`?" if close else f"; known here: {', '.join(sorted(siblings))}"
    details = {"line": node.key_line, "key": name}
    return ConfigInvalid(f"{NAME}:{node.key_line}: unknown key `{name}`{hint}", details=details)


def _map(
    section: str, node: Any, known: Callable[[str], Iterable[Setting]], names: Collection[str] = ()
) -> dict[str, dict[str, Any]]:
    """{name: {field: value}} of a section whose names are free, or limited to `names`; `known` fields of each."""
    if node.is_null:
        return {}
    if not node.is_mapping:
        raise ConfigInvalid(f"{NAME}:{node.line}: `{section}` must be a mapping, not {node.shown}")
    found: dict[str, dict[str, Any]] = {}
    for name, child in node.items():
        if names and name not in names:
            raise _unknown(f"{section}.{name}", child, {f"{section}.{each}" for each in names})
        if not child.is_mapping:
            raise ConfigInvalid(f"{NAME}:{child.line}: `{section}.{name}` must be a mapping, not {child.shown}")
        found[name] = {}
        fields = {setting.name: setting for setting in known(name)}
        for key, value in child.items():
            if key not in fields:
                raise _unknown(f"{section}.{name}.{key}", value, {f"{section}.{name}.{each}" for each in fields})
            found[name][key] = read_value(fields[key], value, f"{section}.{name}.{key}")
    return found


def _specialists(node: Any) -> dict[str, dict[str, Any]]:
    """Every field of each specialist. A workload has one owner, a name is one that files and roles can bear."""
    found = _map("specialists", node, lambda name: settings.SPECIALIST_FIELDS)
    owners: dict[str, str] = {}
    for name, child in node.items() if found else ():
        if name in settings.CONDUCTORS or not re.fullmatch(r"[a-z0-9][a-z0-9_-]{0,39}", name):
            why = "is the conductor's own" if name in settings.CONDUCTORS else "must be 1 to 40 of a-z, 0-9, - and _"
            raise ConfigInvalid(f"{NAME}:{child.key_line}: the name of specialist `{name[:60]}` {why}")
        fields = {setting.name: setting.default for setting in settings.SPECIALIST_FIELDS}
        found[name] = {**fields, "workspace": f"workspace/{name}", **found[name]}
        folder = os.path.normpath(found[name]["workspace"])
        if not folder.startswith("workspace/"):
            raise ConfigInvalid(f"{NAME}:{child.line}: `specialists.{name}.workspace` must be a folder in workspace/")
        found[name]["workspace"] = folder
        for workload in found[name]["workloads"]:
            if workload in owners:
                raise ConfigInvalid(f"{NAME}:{child.line}: `{workload}` belongs to `{owners[workload]}` already")
            owners[workload] = name
    return found


def _together(values: dict[str, Any], root: Any) -> None:
    """What is impossible only in combination."""

    needs = (
        ("notifications.channel", ("command",), "notifications.command", ""),
        ("llm.backend", settings.BACKENDS[1:], "llm.models.cheap", ", the model to ask"),
        ("retrieval.backend", ("typesense",), "typesense.nodes", ", the servers to ask"),
    )
    fallback = values["notifications.fallback"]
    if "command" in fallback and not values["notifications.command"]:
        line = _line(root, "notifications.fallback")
        raise ConfigInvalid(f"{NAME}:{line}: `notifications.fallback: command` needs `notifications.command`")
    if values["notifications.channel"] in fallback:
        line = _line(root, "notifications.fallback")
        raise ConfigInvalid(f"{NAME}:{line}: `notifications.fallback` names the channel that it is to replace")
    for name, given, needed, what in needs:
        if values[name] in given and not values[needed]:
            raise ConfigInvalid(f"{NAME}:{_line(root, name)}: `{name}: {values[name]}` needs `{needed}`{what}")
    if values["evolution.auto_apply"]:
        raise ConfigInvalid(
            f"{NAME}:{_line(root, 'evolution.auto_apply')}: `evolution.auto_apply: true` is refused: what the agent is "
            "told to do is changed by a person, who has read the diff",
            "set it to false; `adjutant evolve accept ID` applies a suggestion",
        )


def _line(root: Any, name: str) -> int:
    """Where a dotted key stands, or the nearest above it that does."""
    line, node = 1, root
    for part in name.split("."):
        node = dict(node.items()).get(part) if node is not None and node.is_mapping else None
        line = node.key_line if node is not None else line
    return line
