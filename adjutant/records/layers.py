"""RECORDS. The layers a prompt is made of: read as the operator wrote them, over-long ones named, never cut."""

import re
from collections import namedtuple

from adjutant.store.config import Config
from adjutant.store.files import Files

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


class Layer(namedtuple("Layer", "name path text missing over max_chars")):
    """One layer's text; `missing` when there is no file, `over` when it is longer than its `max_chars`."""

    @property
    def prompt(self) -> str:
        """The text without HTML comments: these are notes for the person who edits the file."""
        return _COMMENT.sub("", self.text).strip()

    @property
    def problem(self) -> str | None:
        """One line naming what is wrong with the layer, None when nothing is."""
        told = f"{len(self.text)} characters, {self.max_chars} are allowed (layers.{self.name}.max_chars)"
        return f"{self.path}: {told}" if self.over else None


def read(files: Files, config: Config, name: str) -> Layer:
    """A layer by name."""
    path, limit = config.text(f"layers.{name}.path"), config.whole(f"layers.{name}.max_chars")
    text = files.find_text(files.tree.inside(path))
    return Layer(name, path, text or "", text is None, len(text or "") > limit, limit)


_NAME = r"[^\W\d_a-zæøåäöüß][^\W\d_]+"
_FIRST = re.compile(rf"[ \t]*(?:[-*+] )?(?:(?i:name): *)?\**({_NAME}(?: {_NAME}){{0,3}})\**[ \t]*(?:[,;.(–]|$)")
_ADDRESS = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}")


def names(text: str) -> frozenset[str]:
    """The operator's full and first name in small letters; empty where the page does not begin with a name."""
    line = next((line for line in text.split("\n") if line.strip() and not line.startswith("#")), "")
    found = _FIRST.match(line)
    return frozenset((found[1].lower(), found[1].split()[0].lower())) if found else frozenset()


def addresses(files: Files, config: Config) -> frozenset[str]:
    """The mail addresses that the user layer names, in small letters."""
    return frozenset(each.lower() for each in _ADDRESS.findall(read(files, config, "user").prompt))
