"""DOMAIN. What a model was last offered of a knowledge base: later looks show it only what changed since."""

from collections.abc import Mapping

import msgspec

from adjutant.domain.matters.opened import Opened
from adjutant.domain.matters.showing import checksum
from adjutant.errors import AdjutantError
from adjutant.store.files import Files

MOST_BYTES = 64 * 1024 * 1024


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
    try:
        kept = _DECODER.decode(files.read(files.tree.offered(kb), MOST_BYTES))
    except (OSError, AdjutantError, msgspec.DecodeError):
        return None  # a cache that cannot be used is simply not used
    return kept.files if kept.basis == basis else None


def save(files: Files, base: Opened, basis: str, before: Mapping[str, Offered] | None) -> None:
    """All of a knowledge base as it is now; a file that is as it was is not read for it."""
    made: dict[str, Offered] = {}
    for reading in base.found.readings:
        old = before.get(reading.path) if before is not None else None
        if old is not None and old.sha == reading.sha:
            made[reading.path] = old
        else:
            sums = {checksum(line) for line in base.lines(reading.path) if line.strip()}
            made[reading.path] = Offered(reading.sha, sorted(sums))
    try:
        files.replace(files.tree.offered(base.kb.name), msgspec.msgpack.encode(Kept(basis, made)))
    except (OSError, AdjutantError):
        pass  # failing to write a cache is no error
