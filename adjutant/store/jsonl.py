"""FILES. Reading JSONL and JSON strictly: split on newline bytes, no duplicate keys, no NaN, damage named by line."""

from __future__ import annotations

import json
from itertools import pairwise

from adjutant.clock import moment
from adjutant.errors import FileDamaged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from adjutant.store.files import Files

MAX_LINE = 4 * 1024 * 1024


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key given twice")
    return found


def _constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


_STRICT = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_constant)  # json.loads makes one for every line


def loads(data: str | bytes) -> Any:
    """Strict JSON. Raises ValueError for everything that is not (too deep nesting as well)."""
    if isinstance(data, bytes):
        data = data.decode(json.detect_encoding(data), "surrogatepass")
    if data.startswith("\ufeff"):
        raise ValueError("a byte order mark")
    try:
        return _STRICT.decode(data)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def dump(value: Any) -> str:
    """Readable JSON with a newline at its end; half surrogates are escaped, so that it is always valid UTF-8."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=1)
    try:
        text.encode()
    except UnicodeEncodeError:
        text = json.dumps(value, allow_nan=False, indent=1)
    return text + "\n"


def parse(data: bytes) -> Iterator[tuple[int, dict[str, Any] | None]]:
    """(line number, record) of every line; None for a line that is no record (a torn tail among them)."""
    for number, line in enumerate(data.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            record = loads(line) if len(line) <= MAX_LINE else None
        except ValueError:
            record = None
        yield number, record if isinstance(record, dict) else None


def in_order(data: bytes) -> list[tuple[int, dict[str, Any] | None]]:
    """The lines as `parse` has them, by the moment of their `ts`: a union of two machines' lines reads as one history.
    Lines of one moment, and what bears none, stay behind the line they stand behind; one machine writes in order."""
    rows = list(parse(data))
    moments, last = list[float](), float("-inf")
    for _, row in rows:
        found = moment(row.get("ts")) if row is not None else None
        last = found.timestamp() if found is not None else last
        moments.append(last)
    if all(one <= other for one, other in pairwise(moments)):
        return rows
    return [row for _, row in sorted(zip(moments, rows, strict=True), key=lambda pair: pair[0])]


def read(files: Files, path: str) -> list[dict[str, Any]]:
    """All whole records of a JSONL file `in_order`; [] without a file. Raises FileDamaged, IoFailed."""
    return [record for _, record in in_order(files.log(path)) if record is not None]


def holding(data: bytes, texts: Iterable[str]) -> bytes:
    """The lines in which one of these texts may stand, written out or escaped: the others need not be parsed."""
    written = (json.dumps(text, ensure_ascii=False)[1:-1].encode("utf-8", "replace") for text in texts)
    needles = (b"\\u", b"\\/", *written)
    return b"\n".join(line for line in data.split(b"\n") if any(needle in line for needle in needles))


def tail(files: Files, path: str, limit: int, text: str = "") -> list[dict[str, Any]]:
    """The whole records in the last `limit` bytes of a JSONL file, with `text` those in which it stands at least."""
    data = files.tail(path, limit)
    return [record for _, record in in_order(holding(data, [text]) if text else data) if record is not None]


def find_damaged(files: Files, path: str) -> list[int]:
    """The numbers of the lines that are no records. Raises FileDamaged, IoFailed."""
    return [number for number, record in parse(files.log(path)) if record is None]


def read_object(files: Files, path: str) -> dict[str, Any] | None:
    """A JSON file that holds one object, None when there is no file. Raises FileDamaged, IoFailed."""
    if (data := files.find(path)) is None:
        return None
    try:
        found = loads(data)
    except (ValueError, UnicodeDecodeError) as error:
        shown = f"{files.tree.relative(path)}:{getattr(error, 'lineno', 1)}"
        raise FileDamaged(f"{shown}: not JSON ({error})") from error
    if not isinstance(found, dict):
        raise FileDamaged(f"{files.tree.relative(path)}:1: not a JSON object")
    return found
