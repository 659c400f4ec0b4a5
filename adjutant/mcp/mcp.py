"""SHELL. mcp: serves an agent on standard input and output until its end; --install prints a program's settings."""

from __future__ import annotations

import json
import os
import select
import shlex
import signal
import sys
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

from adjutant.app import App, Args, Outcome, Row
from adjutant.desk import Desk
from adjutant.domain.schedule.crontab import program_words
from adjutant.errors import McpMissing, UsageError

if TYPE_CHECKING:
    from adjutant.mcp.tools import AgentServer

WAIT_MS = 30_000  # a slow machine loads the SDK for longer than the 5 s that opencode waits by itself
CHUNK, LONGEST = 65_536, 8 * 1024 * 1024  # bytes: of one read, of one message


def run(app: App, args: Args) -> Outcome:
    """Result {status} at its end; {program, snippet} of --install. Raises McpMissing, UsageError."""
    if args.install is not None:
        return _install(app, args.install)
    if app.as_json or sys.stdin is None or sys.stdout is None:
        why = "mcp speaks a protocol of its own on standard input and output"
        raise UsageError(why, "keep both open, and leave out --json")
    try:
        from adjutant.mcp import tools  # the SDK: 3 s, only where it is spoken
    except ModuleNotFoundError as error:
        raise McpMissing(f"mcp: {error.name} is not installed") from None
    if sys.stdin.isatty():
        app.say("mcp: a program is to speak here, see `adjutant mcp --install claude`; Ctrl-C ends it")
    desk = Desk(app.tree.root, dry_run=app.dry_run).without_model()
    if _serve(tools.build(desk, app.report)):
        raise KeyboardInterrupt
    return Outcome({"status": "stopped"})


def _install(app: App, program: str) -> Outcome:
    words, place = [*program_words(), "mcp"], {"ADJ_DIR": app.tree.root}
    if program == "claude":
        entry: Row = {"type": "stdio", "command": words[0], "args": words[1:], "env": place}
        snippet = {"mcpServers": {"adjutant": entry}}
        app.say(f"for .mcp.json in a folder, or: claude mcp add-json adjutant {shlex.quote(json.dumps(entry))}")
    else:
        entry = {"type": "local", "command": words, "environment": place, "timeout": WAIT_MS}
        snippet = {"mcp": {"adjutant": entry}}
        app.say("for opencode.json in a folder, or ~/.config/opencode/opencode.json")
    lines = json.dumps(snippet, indent=2, ensure_ascii=False).split("\n")
    return Outcome({"program": program, "snippet": snippet}, lines, literal=True)


def _serve(server: AgentServer) -> bool:
    """Until the client goes; whether Ctrl-C ended it. The SDK reads in a thread that it waits for. A thread of ours,
    which nobody waits for, stands between: it ends the input on a signal, where the client says nothing more."""
    import anyio  # comes with the SDK

    signals: list[int] = []
    given, (read, write), (woken, wake) = os.dup(0), os.pipe(), os.pipe()
    os.dup2(read, 0)
    os.close(read)

    def end(number: int, frame: object) -> None:
        signals.append(number)
        os.write(wake, b".")

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)
    threading.Thread(target=_hand_on, args=(given, write, woken), daemon=True).start()
    try:
        anyio.run(server.run_stdio_async)
    except* (BrokenPipeError, ConnectionResetError):
        pass  # the client went away
    return signal.SIGINT in signals


def _hand_on(given: int, to: int, woken: int) -> None:
    """Copies until the end, a message that is too long, or a wake; then `to` ends too."""
    length = 0
    with suppress(OSError):  # where the server ended first, nobody reads
        while select.select([given, woken], [], [])[0] == [given] and (data := os.read(given, CHUNK)):
            length = len(data) - data.rfind(b"\n") - 1 + (0 if b"\n" in data else length)
            if length > LONGEST:
                break
            os.write(to, data)
        os.close(to)
