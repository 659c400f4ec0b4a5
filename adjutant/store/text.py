"""FILES. The text in a file's bytes."""

from __future__ import annotations

from adjutant.errors import FileDamaged

BOM = b"\xef\xbb\xbf"


def decode(data: bytes, shown: str) -> str:
    """UTF-8 without its BOM. Raises FileDamaged with `shown` and the line of a bad byte."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileDamaged(f"{shown}:{data.count(10, 0, error.start) + 1}: not UTF-8") from error
