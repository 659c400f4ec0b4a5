"""RECORDS. Which instance this is on a server, by an id of its own, and which machines looked for it: state/hosts/."""

import json
import os
import re
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

from adjutant.clock import moment
from adjutant.errors import AdjutantError, FileDamaged
from adjutant.store import jsonl
from adjutant.store.files import Files
from adjutant.store.tree import Tree

ID_BYTES = 6
FIX = "remove it, then `adjutant index`"


class InstanceOwner:
    """The random id of an instance, state/instance.json `{"id": 12 hex digits, "root": FOLDER}`. It is made when
    something is first put on a server. A folder that was moved keeps its id, a copy gets one of its own."""

    def __init__(self, files: Files) -> None:
        self._files = files

    def read(self) -> str:
        """ "" where nothing was put on a server yet."""
        held = _read_id(self._files)
        return "" if held is None or self._is_copy(held) else str(held["id"])

    def make(self) -> str:
        with self._files.lock("instance"):
            made = {"id": self.read() or os.urandom(ID_BYTES).hex(), "root": self._files.tree.root}
            if _read_id(self._files) != made:
                self._files.replace(self._files.tree.instance, json.dumps(made) + "\n")
            return made["id"]

    def _is_copy(self, held: dict[str, Any]) -> bool:
        """The folder it was made in is another, still there, and has it too."""
        with suppress(AdjutantError):
            return held["root"] != self._files.tree.root and _read_id(Files(Tree(held["root"]))) == held
        return False


def _read_id(files: Files) -> dict[str, Any] | None:
    path = files.tree.instance
    try:
        found = jsonl.read_object(files, path)
    except FileDamaged as error:
        raise FileDamaged(error.message, FIX) from None
    if found is None:
        return None
    id, root = found.get("id"), found.get("root")
    if not (isinstance(id, str) and re.fullmatch(r"[0-9a-f]{12}", id) and isinstance(root, str)):
        raise FileDamaged(f"{files.tree.relative(path)}:1: not the id of an instance", FIX)
    return found


LATELY = timedelta(days=30)
_UNSAFE = re.compile(r"[^a-z0-9-]+")


def slug(host: str) -> str:
    """A machine's name as a file's name may have it."""
    return _UNSAFE.sub("-", host.lower())[:63] or "unnamed"


def note_host(files: Files, host: str, now: datetime) -> None:
    """That a machine looked today; one write a day."""
    path = files.tree.host(slug(host))
    files.sweep(files.tree.hosts, now.timestamp())  # what a crash left half-made
    if _read_host(files, path)[1][:10] != now.date().isoformat():
        files.replace(path, json.dumps({"host": host, "seen": now.isoformat()}) + "\n")


def list_hosts(files: Files, now: datetime) -> list[str]:
    """The machines that looked in the last 30 days."""
    paths = (files.tree.host(name.removesuffix(".json")) for name in files.names(files.tree.hosts))
    found = ((host, moment(seen)) for host, seen in (_read_host(files, path) for path in paths))
    return sorted(host for host, at in found if at is not None and now - at < LATELY)


def _read_host(files: Files, path: str) -> tuple[str, str]:
    found: dict[str, Any] = {}
    with suppress(FileDamaged):
        found = jsonl.read_object(files, path) or {}
    return str(found.get("host", "")), str(found.get("seen", ""))
