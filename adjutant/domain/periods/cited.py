"""DOMAIN. Whether an agent's answer repeats a knowledge base: it then tells what nobody of ours has said."""

from __future__ import annotations

import os

from adjutant.errors import AdjutantError
from adjutant.records import registry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from adjutant.store.files import Files


class Bases:
    """The folders of an instance's knowledge bases, as citations name them; read when the first citation is met."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._folders: list[str] | None = None

    def repeated(self, record: dict[str, Any]) -> bool:
        """Whether a message cites a page of one. Where the registry cannot be read, every page may be one."""
        cited = record.get("citations")
        paths = (
            [each["path"] for each in cited if isinstance(each, dict) and isinstance(each.get("path"), str)]
            if isinstance(cited, list)
            else []
        )
        return any(f"{path}/".startswith(folder) for path in paths for folder in self._known())

    def _known(self) -> list[str]:
        if self._folders is None:
            tree = self._files.tree
            try:
                folders = [tree.knowledge_bases, *(kb.folder for kb in registry.load(self._files))]
            except AdjutantError:
                return [""]
            root = f"{os.path.realpath(tree.root)}/"
            self._folders = [f"{os.path.realpath(each)}/".removeprefix(root) for each in folders]
        return self._folders
