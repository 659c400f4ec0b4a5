"""DOMAIN. adjutant.yaml with one value changed, and every other byte as it was."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from adjutant.documents import edits
from adjutant.documents.edits import BOM, EditRefused
from adjutant.errors import ConfigInvalid
from adjutant.store import config as settings
from adjutant.store.config import Config


def with_setting(text: str, name: str, value: str | None) -> str:
    """adjutant.yaml with `a.b.c: value`, set where it stands or added. Raises EditRefused."""
    path, advice, before = name.split("."), f"set `{name}: {edits.scalar(value)}` by hand", _config(text)
    mark = BOM if text.startswith(BOM) else ""
    try:
        changed = mark + edits.with_value(text.removeprefix(BOM), settings.NAME, path, value)
    except EditRefused as error:
        raise EditRefused(f"{error}; {advice}") from error
    after, (values, key) = _config(changed), _slot(before, path)
    values[key] = value
    if (before.values, before.judgements, before.specialists) != (after.values, after.judgements, after.specialists):
        raise EditRefused(f"{settings.NAME}: it is written in a way that cannot be edited for certain; {advice}")
    return changed


def _config(text: str) -> Config:
    try:
        return settings.parse(text.encode("utf-8", "surrogatepass"))
    except ConfigInvalid as error:
        raise EditRefused(error.message) from error


def _slot(config: Config, path: Sequence[str]) -> tuple[dict[str, Any], str]:
    """Where judgements.NAME.FIELD, specialists.NAME.FIELD or any other setting is kept: the map, and the key in it."""
    if path[0] in ("judgements", "specialists") and len(path) == 3:
        maps: dict[str, dict[str, Any]] = getattr(config, path[0])
        return maps.setdefault(path[1], {}), path[2]
    return config.values, ".".join(path)
