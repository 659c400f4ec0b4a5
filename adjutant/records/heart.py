"""RECORDS. heart.md: priorities, concerns and quiet zones are the list items under their headings, nothing else."""

from typing import Literal

import msgspec

from adjutant.documents import markdown
from adjutant.records import layers
from adjutant.store.config import Config
from adjutant.store.files import Files

Part = Literal["priority", "concern", "quiet"]
SECTIONS: dict[str, Part] = {"quiet": "quiet", "concern": "concern", "priorit": "priority"}  # what a heading holds


class Heart(msgspec.Struct, frozen=True):
    """What the operator cares about, in the order written."""

    priorities: list[str] = []
    concerns: list[str] = []
    quiet: list[str] = []

    def items(self) -> list[tuple[Part, str]]:
        found: list[tuple[Part, str]] = [("priority", text) for text in self.priorities]
        return found + [("concern", text) for text in self.concerns]


def read(files: Files, config: Config) -> Heart:
    """The heart of an instance."""
    return parse(layers.read(files, config, "heart").text)


def parse(text: str) -> Heart:
    """The three lists of heart.md; a missing section is empty. Any H1, any heading depth, any case; no comments."""
    found: dict[Part, list[str]] = {"priority": [], "concern": [], "quiet": []}
    part: Part | None = None
    for each in markdown.elements(text.split("\n"), code=False):
        if each.quoted:
            continue
        if each.kind == "heading":
            named = next((part for word, part in SECTIONS.items() if word in each.text.lower()), None)
            part = named or (part if each.level > 2 else None)
        elif each.kind == "item" and part is not None and each.text:
            found[part].append(markdown.plain(" ".join(each.text.split())).strip())
    return Heart(found["priority"], found["concern"], found["quiet"])
