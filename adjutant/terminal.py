"""WIRING. The one way out for text: every line on stdout and stderr, and nothing in it steers a terminal."""

from __future__ import annotations

import sys

from adjutant.printable import escape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

_WIPE = "\r\x1b[K"


def show(text: str) -> None:
    """Prints a result on stdout."""
    _write(sys.stdout, f"{escape(text)}\n")


def say(text: str) -> None:
    """Tells a person something on stderr."""
    _write(sys.stderr, f"{escape(text)}\n")


def progress(line: str) -> None:
    """Shows on a terminal how far long work is; "" wipes the line."""
    if sys.stderr is not None and sys.stderr.isatty():
        _write(sys.stderr, f"{_WIPE}{escape(line)}")


def _write(stream: TextIO | None, text: str) -> None:
    """What the stream's encoding cannot take is spelled out: a C locale never ends in an exception."""
    if stream is None:  # closed before we started
        return
    encoding = stream.encoding or "utf-8"
    stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
    stream.flush()
