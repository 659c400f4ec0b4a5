"""RECORDS. The layers a prompt is made of: read as the operator wrote them, over-long ones named, never cut.

On the way to `status`: nothing heavy is loaded here.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from adjutant.store.config import Config
    from adjutant.store.files import Files

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


class Layer:
    """One layer's text; `missing` when there is no file, `over` when it is longer than its `max_chars`."""

    __slots__ = ("max_chars", "missing", "name", "over", "path", "text")

    def __init__(self, name: str, path: str, text: str, missing: bool, over: bool, max_chars: int) -> None:
        self.name, self.path, self.text = name, path, text
        self.missing, self.over, self.max_chars = missing, over, max_chars

    @property
    def prompt(self) -> str:
        """The text without HTML comments: these are notes for the person who edits the file."""
        return _COMMENT.sub("", self.text).strip()

    @property
    def problem(self) -> str | None:
        """One line naming what is wrong with the layer, None when nothing is."""
        if self.over:
            return (
                f"{self.path}: {len(self.text)} characters, {self.max_chars} are allowed (layers.{self.name}.max_chars)"
            )
        return None


def read(files: Files, config: Config, name: str) -> Layer:
    """A layer by name. Raises FileDamaged (not UTF-8, not a file), IoFailed."""
    path, limit = config.text(f"layers.{name}.path"), config.whole(f"layers.{name}.max_chars")
    try:
        text = files.text(files.tree.inside(path))
    except FileNotFoundError:
        return Layer(name, path, "", True, False, limit)
    return Layer(name, path, text, False, len(text) > limit, limit)
