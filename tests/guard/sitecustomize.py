"""Loaded by every Python of the tests, children too: no socket but loopback, no write into the checkout."""

from __future__ import annotations

import os
import socket
import sys

CHECKOUT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
LOG = "ADJUTANT_GUARD_LOG"  # names a file that gets a line for each thing refused, so that nobody can swallow it
LOOPBACK = ("127.0.0.1", "localhost", "::1", "::ffff:127.0.0.1", b"localhost", b"127.0.0.1")
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class Forbidden(RuntimeError):
    """A test tried to reach what is not its own."""


def _refuse(what: str) -> None:
    log = os.environ.get(LOG)
    if log:
        fd = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        os.write(fd, f"{what}\n".encode("utf-8", "backslashreplace"))
        os.close(fd)
    raise Forbidden(what)


def _host(host: object) -> None:
    if host is None or host in LOOPBACK:
        return
    name = host.decode("ascii", "replace") if isinstance(host, bytes) else str(host)
    if name.endswith(".invalid"):  # RFC 6761: such a name never resolves; no server needs to be asked
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
    if not name.startswith("127."):
        _refuse(f"network: {name}")


def _address(address: object) -> None:
    if isinstance(address, tuple) and address:
        _host(address[0])


def _own(path: object, folder: object = -1) -> None:
    """Refuses a path inside the checkout, but for caches: what starts with a dot there, and bytecode."""
    if not isinstance(path, str | bytes | os.PathLike):
        return
    try:
        base = os.readlink(f"/proc/self/fd/{folder}") if isinstance(folder, int) and folder >= 0 else os.getcwd()
    except OSError:
        return  # a folder that is gone, or a system without /proc
    full = os.path.normpath(os.path.join(base, os.fsdecode(path)))
    if full.startswith(f"{CHECKOUT}/"):
        parts = full[len(CHECKOUT) + 1 :].split("/")
        if not parts[0].startswith((".", "pytest-cache-files-")) and "__pycache__" not in parts:
            _refuse(f"write into the checkout: {full}")


def _hook(event: str, args: tuple[object, ...]) -> None:
    if event == "open":
        if isinstance(args[2], int) and args[2] & WRITING and isinstance(args[0], str) and args[0].startswith("/"):
            _own(args[0])  # a relative one may be relative to a folder that this event does not tell
    elif event == "os.rename":
        _own(args[0], args[2])
        _own(args[1], args[3])
    elif event == "os.link":
        _own(args[1], args[3])
    elif event in ("os.symlink", "os.mkdir"):
        _own(args[1] if event == "os.symlink" else args[0], args[2])
    elif event in ("os.remove", "os.rmdir"):
        _own(args[0], args[1])
    elif event == "os.truncate":
        _own(args[0])
    elif event in ("socket.connect", "socket.bind", "socket.sendto"):
        _address(args[1])
    elif event in ("socket.getaddrinfo", "socket.gethostbyname"):
        _host(args[0])


if not hasattr(sys, "_adjutant_guarded"):  # a hook cannot be taken out again: one is enough
    sys._adjutant_guarded = True  # type: ignore[attr-defined]  # a mark of ours, seen by a second import
    sys.addaudithook(_hook)
