"""Reads a knowledge base's folder: the text of the files that `documents.folder` lists."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import msgspec

from adjutant.documents import folder as folders
from adjutant.documents.folder import Limits, Skipped


class KbFile(msgspec.Struct, frozen=True):
    """One text file; line ends are "\\n" only."""

    path: str
    text: str
    mtime_ns: int
    sha256: str

    def lines(self) -> list[str]:
        """The file's lines, split on "\\n" only: U+2028 and friends stay inside a line."""
        return self.text.split("\n")


class KbScan(msgspec.Struct, frozen=True):
    """What was read of a folder, and what was not."""

    files: list[KbFile]
    skipped: list[Skipped]


def scan(folder: Path, *, max_files: int, max_bytes: int, exclude: Sequence[str] = ()) -> KbScan:
    """The text files under `folder`, sorted by path; where a cap bites, the newest. `max_bytes` is per file.

    Raises OSError when the folder itself cannot be read.
    """
    found = folders.scan(folder, Limits(max_files, max_bytes), exclude)
    files, skipped = list[KbFile](), list(found.skipped)
    for entry in found.entries:
        try:
            text = folders.text_of(folder, entry, max_bytes)
        except OSError as error:
            skipped.append(Skipped(entry.path, error.strerror or "cannot be read"))
            continue
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        files.append(KbFile(folders.printable(entry.path), text, entry.mtime_ns, digest))
    return KbScan(files, skipped)


def fingerprint(scan: KbScan) -> str:
    """sha256 over path and content hash of the text files: changes when any of them does."""
    digest = hashlib.sha256()
    for file in scan.files:
        digest.update(f"{file.path}\0{file.sha256}\n".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()
