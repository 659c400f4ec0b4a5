"""JOBS. copy: a file of this machine as it is now; of sound and film, which may be long, only what it is known by."""

from __future__ import annotations

import hashlib
import os
import stat

import msgspec

from adjutant.jobs.kinds import HEAD, is_media
from adjutant.jobs.step import Outside, StepFailed

NAME, LOOSE, HERE = "copy", ("most", "most_media"), True
CHUNK = 1024 * 1024


class Input(msgspec.Struct, frozen=True):
    """A path; at most so many bytes, of sound and film the second."""

    path: str
    most: int
    most_media: int


class Output(msgspec.Struct, frozen=True):
    """Where it came from, its declared media type, its bytes; what stays where it is has its `sha256`, size and time
    instead."""

    source: str
    media: str
    data: bytes = b""
    sha256: str = ""
    size: int = 0
    mtime_ns: int = 0


def work(given: Input, outside: Outside) -> Output:
    """Raises StepFailed, Stopped."""
    try:
        if not stat.S_ISREG(os.stat(given.path).st_mode):
            raise StepFailed(f"{given.path}: not a plain file")  # a pipe would be waited for
        with open(given.path, "rb") as file:
            found = os.fstat(file.fileno())
            head = file.read(HEAD)
            media = is_media(head)
            most = given.most_media if media else given.most
            if found.st_size > most:
                raise StepFailed(f"it is larger than {most >> 20} MB")
            if not media:
                return Output(given.path, "", head + file.read(most))
            digest = hashlib.sha256(head)
            while chunk := file.read(CHUNK):
                outside.gate()
                digest.update(chunk)
    except OSError as error:
        raise StepFailed(f"{given.path}: {error.strerror}") from None
    return Output(given.path, "", b"", digest.hexdigest(), found.st_size, found.st_mtime_ns)
