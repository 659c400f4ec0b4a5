"""RECORDS. user.md: by which names notes speak of the operator. Its first item, or first line, begins with the name."""

from __future__ import annotations

import re

from adjutant.records.layers import read
from adjutant.store.config import Config
from adjutant.store.files import Files

_NAME = r"[^\W\d_a-zæøåäöüß][^\W\d_]+"
_FIRST = re.compile(rf"[ \t]*(?:[-*+] )?(?:(?i:name): *)?\**({_NAME}(?: {_NAME}){{0,3}})\**[ \t]*(?:[,;.(–]|$)")
_ADDRESS = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}")


def names(text: str) -> frozenset[str]:
    """The operator's full and first name in small letters; empty where the page does not begin with a name."""
    line = next((line for line in text.split("\n") if line.strip() and not line.startswith("#")), "")
    found = _FIRST.match(line)
    return frozenset((found[1].lower(), found[1].split()[0].lower())) if found else frozenset()


def addresses(files: Files, config: Config) -> frozenset[str]:
    """The mail addresses that the user layer names, in small letters. Raises FileDamaged, IoFailed."""
    return frozenset(each.lower() for each in _ADDRESS.findall(read(files, config, "user").prompt))


def own_names(files: Files, config: Config) -> frozenset[str]:
    """`names` of the user layer. Raises FileDamaged, IoFailed."""
    return names(read(files, config, "user").prompt)
