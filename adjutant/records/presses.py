"""RECORDS. state/presses.json: buttons that another app shows for the page. Each is for one verb of one matter, once.

{address, presses {hash of the key: {verb, matter, seal, until}}}; the keys themselves are kept nowhere.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from adjutant.clock import Clock
from adjutant.errors import AdjutantError, LockBusy
from adjutant.store import jsonl
from adjutant.store.files import Files

LOCK, RUNNING = "presses", "serve"
SECONDS, MOST = 24 * 3600, 60


class Pressable(NamedTuple):
    """What a key is for."""

    verb: str
    matter: str
    seal: str


class Presses:
    """The buttons of one instance. A file that is damaged holds none."""

    def __init__(self, files: Files, clock: Clock) -> None:
        self._files, self._clock, self._path = files, clock, files.tree.presses

    def serve(self, address: str) -> None:
        """Where the page is from now on, "" for nowhere. Raises IoFailed, LockBusy."""
        self._change(lambda kept: kept.update(address=address))

    def address(self) -> str:
        """Where the page is, "" while none runs."""
        address = str(self._read().get("address") or "")
        with suppress(LockBusy):
            if address:
                with self._files.lock(RUNNING, 0):
                    return ""  # of a page that was killed
        return address

    def make(self, wanted: Sequence[Pressable]) -> list[str]:
        """A new key for each. Raises IoFailed, LockBusy."""
        made = {os.urandom(24).hex(): each for each in wanted}
        until = self._clock.now().timestamp() + SECONDS

        def change(kept: dict[str, Any]) -> None:
            new = {_hash(key): {**each._asdict(), "until": until} for key, each in made.items()}
            kept["presses"] = dict([*kept["presses"].items(), *new.items()][-MOST:])

        self._change(change)
        return list(made)

    def find(self, key: str) -> Pressable | None:
        """What a key is for, None for one that is unknown, used or too old."""
        found = self._read()["presses"].get(_hash(key))
        return Pressable(*(str(found.get(name)) for name in Pressable._fields)) if found else None

    def drop(self, key: str) -> None:
        """It did its work. Raises IoFailed, LockBusy."""
        self._change(lambda kept: kept["presses"].pop(_hash(key), None))

    def _read(self) -> dict[str, Any]:
        """What is kept and not too old."""
        try:
            found = jsonl.loads(self._files.read(self._path))
            now = self._clock.now().timestamp()
            good = {key: each for key, each in found["presses"].items() if each["until"] > now}
        except (AdjutantError, OSError, ValueError, KeyError, TypeError, AttributeError):
            return {"address": "", "presses": {}}
        return {"address": found.get("address"), "presses": good}

    def _change(self, change: Callable[[dict[str, Any]], object]) -> None:
        with self._files.lock(LOCK):
            kept = self._read()
            change(kept)
            self._files.replace(self._path, json.dumps(kept, indent=1) + "\n")


def _hash(key: str) -> str:
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
