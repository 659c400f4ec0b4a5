"""RECORDS. Whose the documents on a server are: two instances of one name would delete each other's."""

from __future__ import annotations

import json
import os
import re

from adjutant.errors import AdjutantError, FileDamaged
from adjutant.store import jsonl
from adjutant.store.files import Files
from adjutant.store.tree import Tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

ID_BYTES = 6
FIX = "remove it, then `adjutant index`"


class InstanceOwner:
    """The random id of an instance, state/instance.json `{"id": 12 hex digits, "root": FOLDER}`. It is made when
    something is first put on a server. A folder that was moved keeps its id, a copy gets one of its own."""

    def __init__(self, files: Files) -> None:
        self._files, self._path = files, files.tree.instance

    def known(self) -> str:
        """ "" where nothing was put on a server yet. Raises FileDamaged, IoFailed."""
        held = _held(self._files)
        return "" if held is None or self._is_copy(held) else str(held["id"])

    def make(self) -> str:
        """The id, made where there is none. Raises FileDamaged, IoFailed, LockBusy."""
        root = self._files.tree.root
        with self._files.lock("instance"):
            held = _held(self._files)
            if held is not None and held["root"] == root:
                return str(held["id"])
            keeps = held is not None and not self._is_copy(held)
            id = str(held["id"]) if held is not None and keeps else os.urandom(ID_BYTES).hex()
            self._files.replace(self._path, json.dumps({"id": id, "root": root}) + "\n")
            return id

    def _is_copy(self, held: dict[str, Any]) -> bool:
        """The folder it was made in is still there, and has it too."""
        root = held["root"]
        if root == self._files.tree.root:
            return False
        try:
            other = _held(Files(Tree(root)))
        except AdjutantError:
            return False
        return other is not None and other["id"] == held["id"] and other["root"] == root


def _held(files: Files) -> dict[str, Any] | None:
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
