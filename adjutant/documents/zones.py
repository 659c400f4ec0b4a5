"""DOCUMENTS. Zones: what a page, a heading or a line is instead of its operator's open matter."""

from __future__ import annotations

import re
from collections.abc import Iterable

from adjutant.documents.blocks import Field
from adjutant.language.pack import listed

OWN_MARK = "<!-- adjutant"  # first line of what Adjutant writes for a person to read
_NAMED = ("template", "archive", "example", "clipping")
_WORD = re.compile(r"[^\W\d_]+")
_PLACEHOLDER = re.compile(r"\{\{[^{}\n]{1,80}\}\}|<%[^<>%\n]{1,200}%>")
_ADDRESS = re.compile(r"https?://\S")
_SOURCES = ("source", "url", "clipped", "link")


def of_file(path: str, meta: Iterable[Field], first: str, head: str) -> str:
    """The zone of a whole file: by its folders and name, its frontmatter, its first line. `head`: its frontmatter."""
    if first.startswith(OWN_MARK):
        return "own"
    *folders, name = path.split("/")
    for part in [*folders, name.rpartition(".")[0] or name]:
        if zone := of_name(part):
            return zone
    if _PLACEHOLDER.search(path) or _PLACEHOLDER.search(head):
        return "template"
    for field in meta:
        key, value = field.name.lower(), field.value.strip().lower()
        if key in ("status", "state") and value in listed("zones", "closed"):
            return "closed"
        if key in _NAMED and value in ("true", "yes"):
            return key
        if key in ("type", "kind", "category", "tags") and (zone := _first(value.replace("#", "").split(","))):
            return zone
        if key in _SOURCES and _ADDRESS.match(value):
            return "clipping"
    return ""


def of_name(name: str) -> str:
    """The zone that a folder's, a file's or a heading's name says: `99 Archive`, `_templates`, `Meeting template`."""
    words = [word.lower() for word in _WORD.findall(name[:120])]
    whole = " ".join(words)
    for zone in _NAMED:
        names = listed("zones", zone)
        if whole in names or (zone in ("template", "archive") and 1 < len(words) <= 4 and words[-1] in names):
            return zone
        if zone == "template" and 1 < len(words) <= 4 and words[0] in names:
            return zone
    return ""


def of_heading(text: str) -> str:
    """The zone of what stands below a heading."""
    zone = of_name(text) if len(text) < 60 else ""
    return zone or ("closed" if text.strip(" :*_").lower() in listed("zones", "closed") else "")


def of_text(text: str) -> str:
    """The zone of one block: a line with a placeholder waits to be filled in."""
    return "template" if ("{{" in text or "<%" in text) and _PLACEHOLDER.search(text) else ""


def _first(values: Iterable[str]) -> str:
    return next((zone for value in values if (zone := of_name(value))), "")
