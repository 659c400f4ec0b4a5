"""DOMAIN. state/layers.jsonl: when a layer was first seen changed, and which change more often than they should.

On the way to `status`: nothing heavy is loaded here.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime, timedelta

from adjutant.errors import FileDamaged
from adjutant.records import layers
from adjutant.records.contract import digest
from adjutant.store import jsonl
from adjutant.store.tree import LAYERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from adjutant.records.layers import Layer
    from adjutant.store.config import Config
    from adjutant.store.files import Files

# How often a layer of a tier is expected to change: once in so many days.
CADENCE = {"granite": 91, "sandstone": 30, "bedrock": 7, "topsoil": 1}
TAIL = 512 * 1024  # bytes of the record that are looked at: years of a layer edited daily


class Churn:
    """`changed`: ISO time of the last change seen, "" for none yet; `changes`: how many within one cadence of the
    `tier`; `often`: more than the one that is expected."""

    def __init__(self, tier: str, changed: str, changes: int) -> None:
        self.tier, self.changed, self.changes, self.often = tier, changed, changes, changes > 1


def note(files: Files, seen: Iterable[Layer], now: datetime, run: str) -> None:
    """Records each layer whose text is another than at the last record of it. Raises IoFailed, Stopped."""
    known = {record["layer"]: record["sha256"] for record in _read(files)}
    for each in seen:
        sha = "" if each.missing else digest(each.text)
        if known.get(each.name, "") != sha:
            record = {"ts": now.isoformat(), "layer": each.name, "sha256": sha, "chars": len(each.text), "run": run}
            files.append(files.tree.layer_changes, record)


def note_all(files: Files, config: Config, now: datetime, run: str) -> None:
    """`note` of every layer that can be read: one that cannot is named by what needs it. Raises as `note`."""
    found = []
    for name in LAYERS:
        with suppress(FileDamaged):
            found.append(layers.read(files, config, name))
    note(files, found, now, run)


def measure(files: Files, config: Config, now: datetime) -> dict[str, Churn]:
    """{layer: its churn}. The first record of a layer is no change: it was only seen then; nor is one of the same
    text, which two turns at once may both leave."""
    seen: dict[str, list[str]] = {name: [] for name in LAYERS}
    last: dict[str, str] = {}
    for record in _read(files):
        name = record["layer"]
        if name in last and last[name] != record["sha256"] and name in seen:
            seen[name].append(record["ts"])
        last[name] = record["sha256"]
    found = {}
    for name, moments in seen.items():
        tier = config.text(f"layers.{name}.tier")
        since = now - timedelta(days=CADENCE[tier])
        recent = sum(since < datetime.fromisoformat(moment) <= now for moment in moments)
        found[name] = Churn(tier, moments[-1] if moments else "", recent)
    return found


def _read(files: Files) -> Iterator[dict[str, Any]]:
    """The whole records of the file's end; what is none of ours is left out."""
    for each in jsonl.tail(files, files.tree.layer_changes, TAIL):
        with suppress(KeyError, TypeError, ValueError):
            named = isinstance(each["layer"], str) and isinstance(each["sha256"], str)
            if named and datetime.fromisoformat(each["ts"]).tzinfo is not None:
                yield each
