"""DOMAIN. What a model was last offered of a knowledge base: later looks show it only what changed since."""

import zlib
from collections.abc import Mapping

import msgspec

from adjutant.domain.matters import opened
from adjutant.domain.matters.opened import Opened
from adjutant.store.files import Files


class Offered(msgspec.Struct, frozen=True, array_like=True):
    """A file as it was then: the checksum of its text, and those of its lines."""

    sha: str
    lines: list[int]


class Kept(msgspec.Struct, frozen=True, array_like=True):
    """The cache of one knowledge base; `basis`: what the answers of that time rested on."""

    basis: str
    files: dict[str, Offered]


_DECODER = msgspec.msgpack.Decoder(Kept)  # made here: knowledge bases are read in threads, and making one is not safe


def load(files: Files, kb: str, basis: str) -> dict[str, Offered] | None:
    """What was offered on the same basis, None where nothing was: the look is the first."""
    kept = opened.load(files, files.tree.offered(kb), _DECODER)
    return kept.files if kept is not None and kept.basis == basis else None


def checksum(line: str) -> int:
    """By which a line is known again."""
    return zlib.crc32(line.strip().encode("utf-8", "surrogatepass"))


def save(files: Files, base: Opened, basis: str, before: Mapping[str, Offered] | None) -> None:
    """All of a knowledge base as it is now; a file that is as it was is not read for it."""
    made: dict[str, Offered] = {}
    for reading in base.found.readings:
        old = (before or {}).get(reading.path)
        if old is None or old.sha != reading.sha:
            sums = {checksum(line) for line in base.lines(reading.path) if line.strip()}
            old = Offered(reading.sha, sorted(sums))
        made[reading.path] = old
    opened.save(files, files.tree.offered(base.kb.name), Kept(basis, made))
