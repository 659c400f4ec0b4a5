"""WIRING. The one way out for text: every line on stdout and stderr, and nothing in it steers a terminal."""

from __future__ import annotations

import os
import sys

from adjutant.printable import escape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

UNTOLD = 80  # columns of a terminal that does not tell its own
_WIPE = "\r\x1b[K"
_HANG = "  "  # how much further in a broken line goes on
_DIM, _BOLD, _RED, _YELLOW, _GREEN, _PLAIN = (f"\x1b[{code}m" for code in (2, 1, 31, 33, 32, 0))
_LABELS = {  # by the first word of an indented line, or a whole line that is a heading
    "critical": _BOLD + _RED,
    "high": _RED,
    "medium": _YELLOW,
    "BAD": _BOLD + _RED,
    "ok": _GREEN,
    "Late:": _BOLD + _RED,
}


def show(text: str, *, literal: bool = False, colour: bool = False) -> None:
    """Prints a result on stdout: on a terminal wrapped, unless it is `literal`, and with its labels in colour."""
    columns = 0 if literal else width()
    lines = [row for line in escape(text).split("\n") for row in _wrap(line, columns)]
    if colour and columns:
        lines = [_paint(line) for line in lines]
    _write(sys.stdout, "\n".join(lines) + "\n")


def say(text: str) -> None:
    """Tells a person something on stderr."""
    _write(sys.stderr, f"{escape(text)}\n")


def _paint(line: str) -> str:
    if line.endswith(":") and line[:-1].replace(" ", "").replace("-", "").isalnum() and line[0] not in " -":
        return f"{_LABELS.get(line, _BOLD)}{line}{_PLAIN}"
    word = line.split(maxsplit=1)[0] if line.startswith(" ") and line.strip() else ""
    return line.replace(word, f"{_LABELS[word]}{word}{_PLAIN}", 1) if word in _LABELS else line


def _wrap(line: str, width: int) -> list[str]:
    """A line broken at blanks to fit a terminal; the rest hangs under its text (`label  text`), or a bit further in."""
    if len(line) <= width or width < 40:
        return [line]
    import re  # argparse has loaded it; textwrap only for lines that are too long for a terminal
    import textwrap

    label = re.match(r" *(\S+ {2,})?", line)
    hang = label.end() if label is not None and label.group(1) and label.end() < width // 2 else 0
    later = " " * (hang or len(line) - len(line.lstrip()) + 2)
    return textwrap.wrap(line, width - 1, subsequent_indent=later, break_long_words=False, break_on_hyphens=False)


def progress(line: str) -> None:
    """Shows on a terminal how far long work is; "" wipes the line."""
    if sys.stderr is not None and sys.stderr.isatty():
        _write(sys.stderr, f"{_WIPE}{escape(line)}")


def width() -> int:
    """Columns of the terminal that stdout is, `UNTOLD` where it does not tell them; 0 when it is none: nothing is
    wrapped then."""
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns or UNTOLD if sys.stdout.isatty() else 0
    except (AttributeError, OSError, ValueError):  # AttributeError: stdout was closed before we started
        return 0


def aside(text: str, colour: bool) -> None:
    """A last line on stdout, dim where colour may be, where that is a terminal."""
    if sys.stdout is not None and sys.stdout.isatty():
        _write(sys.stdout, f"{_DIM}{escape(text)}{_PLAIN}\n" if colour else f"{escape(text)}\n")


def ask(text: str) -> str:
    """One line of the person's at the terminal, "" for none."""
    _write(sys.stdout, escape(text))
    return sys.stdin.readline().strip()


class TerminalText:
    """A text that grows on a terminal of so many columns: a word is shown once it is whole, on a line with room."""

    def __init__(self, width: int) -> None:
        self._width, self._text, self._kept = max(width, 20), "", 0
        self._column, self._blanks, self._indent = 0, "", _HANG

    def show(self, text: str) -> None:
        """The text so far. One that does not go on from the last begins anew, on a line of its own."""
        if not text.startswith(self._text):
            self._put(self._text[self._kept :])
            self._end_line()
            self._text, self._kept = "", 0
        self._text = text
        end = max(text.rfind(" "), text.rfind("\n")) + 1  # a word is whole when something follows it
        if end > self._kept:
            self._put(text[self._kept : end])
            self._kept = end

    def finish(self, text: str) -> bool:
        """Shows what is left; whether it is this text that stands there now."""
        shown = bool(self._text) and text.startswith(self._text)
        self.show(text if shown else self._text)
        self._put(self._text[self._kept :])
        self._kept = len(self._text)
        self._end_line()
        return shown

    def _end_line(self) -> None:
        if self._column:
            _write(sys.stdout, "\n")
        self._column, self._blanks, self._indent = 0, "", _HANG

    def _put(self, piece: str) -> None:
        import re  # only where something grows

        out: list[str] = []
        for token in filter(None, re.split(r"(\n| +)", escape(piece))):
            if token == "\n":
                out.append(token)
                self._column, self._blanks, self._indent = 0, "", _HANG
            elif not token.strip(" "):
                self._blanks += token
            else:
                if not self._column:
                    self._indent = self._blanks + _HANG
                elif self._column + len(self._blanks) + len(token) >= self._width:
                    out.append("\n")
                    self._column, self._blanks = 0, self._indent
                out.append(self._blanks + token)
                self._column += len(self._blanks) + len(token)
                self._blanks = ""
        _write(sys.stdout, "".join(out))


def _write(stream: TextIO | None, text: str) -> None:
    """What the stream's encoding cannot take is spelled out: a C locale never ends in an exception. Where the reader
    went away (`| head`) nothing more is said on this stream: the work goes on, and its exit code stays. Any other
    OSError, such as that of a full disk, is raised; then, too, nothing more is said on it."""
    if stream is None:  # closed before we started
        return
    encoding = stream.encoding or "utf-8"
    try:
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
        stream.flush()
    except OSError as error:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())  # what the stream still holds goes there when Python ends
        os.close(nowhere)
        if not isinstance(error, BrokenPipeError):
            raise
