"""DOMAIN. What sources share: a file's text, its records, the words of a day, fingerprints, ids that stay apart."""

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import date
from typing import Any

from adjutant.index_ports import Document
from adjutant.store import jsonl
from adjutant.store.files import sha256
from adjutant.store.reader import decode

FLAT_CHARS, FLAT_LEVELS = 4000, 12
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_NOT_WORD = re.compile(r"[\W_]+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def text_of(path: str, data: bytes) -> str:
    """A UTF-8 file without its BOM, line ends as "\\n". Raises FileDamaged with the line of a bad byte."""
    return decode(data, path).replace("\r\n", "\n").replace("\0", "\ufffd")


def records_of(data: bytes) -> list[tuple[int, dict[str, Any]]]:
    """(line, record) of a JSONL file; lines that are no records are left out."""
    return [(number, record) for number, record in jsonl.parse(data) if record is not None]


def read_lines(data: bytes) -> Iterator[tuple[int, str, dict[str, Any] | None]]:
    """(line, id, record) of the lines of a log; the id is "" without text, the record None for a line that is none."""
    ids = Ids()
    for number, record in jsonl.parse(data):
        says = record is not None and string(record, "text").strip()
        yield number, ids.own(string(record, "id") or f"L{number}") if record is not None and says else "", record


def string(record: dict[str, Any], key: str) -> str:
    """A text of a record, "" where there is none; what no UTF-8 can hold is replaced."""
    value = record.get(key)
    text = value if isinstance(value, str) else str(value) if isinstance(value, int | float) else ""
    return text.encode("utf-8", "replace").decode().replace("\0", "\ufffd")


def flat(value: Any, key: str = "") -> str:
    """The words of a record, "key value" by "key value", at most 4,000 characters and so many levels deep."""
    text = "\n".join(_flat(value, key, FLAT_LEVELS))[:FLAT_CHARS]
    return text.encode("utf-8", "replace").decode().replace("\0", "\ufffd")


def _flat(value: Any, key: str, levels: int) -> list[str]:
    if not levels:
        return []
    if isinstance(value, dict):
        return [line for name, inner in value.items() for line in _flat(inner, str(name), levels - 1)]
    if isinstance(value, list):
        return [line for inner in value for line in _flat(inner, key, levels - 1)]
    return [] if value is None or value == "" else [f"{key} {value}".strip()]


def day_words(moment: str) -> str:
    """The words people use for the day of an ISO date or time: `Friday 20 November 2026`; "" for anything else."""
    if _DAY.match(moment):
        with suppress(ValueError):
            day = date.fromisoformat(moment[:10])
            return f"{day:%A} {day.day} {day:%B} {day.year}"
    return ""


def path_words(path: str) -> str:
    """The words of a path without its suffix: `notes/boat-trip.md` -> `notes boat trip`."""
    head, dot, _ = path.rpartition(".")
    return _NOT_WORD.sub(" ", head if dot and "/" not in path[len(head) :] else path).strip()


def beyond(words: list[str], title: str) -> str:
    """The words, each once, that the title does not hold, and those in its camelCase ones."""
    held = set(_NOT_WORD.sub(" ", title.lower()).split())
    if _HUMP.search(title):
        words = words + _NOT_WORD.sub(" ", _HUMP.sub(" ", title)).split()
    return " ".join({word: None for word in words if word.lower() not in held})


def fingerprint(*parts: str) -> str:
    """sha256 over texts, each kept apart from the next."""
    return sha256("\0".join(parts).encode("utf-8", "replace"))


def base_tag(name: str) -> str:
    """The tag that the documents of a knowledge base carry."""
    return f"kb:{name}"


def make(collection: str, path: str, id: str, title: str, text: str, **more: Any) -> Document:
    """A document; what it says, and whose word that is, makes its fingerprint where it is given none."""
    made = Document(id, collection, title, text, path, **more)
    what = (title, text, *made.concepts, *made.tags, made.trust, made.created_at, made.context, made.names)
    return made if made.source_sha else made._replace(source_sha=fingerprint(*what, str(made.level)))


class Ids:
    """Gives every document of a file an id of its own: a second `09:00` becomes `09:00-2`."""

    def __init__(self, second: int = 2) -> None:
        """`second`: the number that the second of the same name gets."""
        self._before, self._last = second - 1, dict[str, int]()

    def own(self, wanted: str) -> str:
        found, number = wanted, self._last.get(wanted, self._before)
        while found in self._last:
            number += 1
            found = f"{wanted}-{number}"
        self._last[wanted] = number
        self._last.setdefault(found, self._before)
        return found
