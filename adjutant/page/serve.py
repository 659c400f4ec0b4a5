"""SHELL. serve: the page on 127.0.0.1 or a Unix socket, until it is stopped; --link and --key print and end."""

import os
import socket
import stat

from adjutant.app import App, Args, Outcome
from adjutant.errors import CheckFailed, IoFailed, PageMissing, PageRefused, UsageError
from adjutant.records.page_keys import LINK_SECONDS, MCP, SESSION_SECONDS, Keys

LOOPBACK = "127.0.0.1"
LONGEST_SOCKET, BACKLOG = 107, 512


def run(app: App, args: Args) -> Outcome:
    """Result {status} at its end, {link} of --link, {key, address} of --key. Raises PageRefused,
    PageMissing, UsageError, CheckFailed, IoFailed."""
    if app.dry_run:
        raise UsageError("serve has no dry run", "`adjutant serve --read-only` shows everything and decides nothing")
    keys = Keys(app.files, app.clock)
    if args.link or args.key:
        return _hand_out(keys, args.link)
    if args.bind != LOOPBACK:
        why = f"serve --bind {args.bind}: others could reach it; the page is for one person on this machine"
        raise PageRefused(why, "leave --bind out; docs/page.md says how a tunnel or a proxy leads to it")
    try:
        from adjutant.page import server  # Starlette and uvicorn: only where the page is served
    except ModuleNotFoundError as error:
        raise PageMissing(f"serve: {error.name} is not installed") from None
    listening, address = _listen(app, args)
    listening.listen(BACKLOG)
    try:
        public = f"https://{args.host[0]}" if args.host else address if args.socket is None else ""
        keys.show("" if args.read_only else public)  # where an app that shows our buttons finds the page
        link = f"{address}/enter?key={keys.make_link(address)}"
        app.show(f"The page is at {address}\nOpen this link, it works once: {link}")
        app.say("serve: Ctrl-C ends it; `adjutant serve --link` prints another link")
        port = f":{listening.getsockname()[1]}" if args.socket is None else ""
        own = {f"localhost{port}", *([f"{LOOPBACK}{port}"] if port else [])}
        hosts = frozenset(own | set(map(str.lower, args.host)))  # the names that a browser may ask for
        server.serve(app, listening, keys, hosts, read_only=args.read_only)
    finally:
        listening.close()
        keys.show("")
        if args.socket is not None:
            app.files.remove(_socket(app, args.socket))
    return Outcome({"status": "stopped"}, ["serve: stopped"], next_actions=[("adjutant serve", "serve again")])


def _hand_out(keys: Keys, link: bool) -> Outcome:
    address = str(keys.read().get("address") or "")
    if link and not address:
        raise CheckFailed("serve --link: no page was served here yet", "`adjutant serve` serves it, and prints a link")
    if link:
        made = f"{address}/enter?key={keys.make_link()}"
        return Outcome({"link": made}, [made, f"It works once, within {LINK_SECONDS // 60} minutes."], literal=True)
    key, address = keys.make_key(), f"{address or f'http://{LOOPBACK}:PORT'}{MCP}"
    days = SESSION_SECONDS // (24 * 3600)
    lines = [key, f"For {days} days a program that sends `Authorization: Bearer KEY` may ask {address}."]
    return Outcome({"key": key, "address": address}, lines, literal=True)


def _listen(app: App, args: Args) -> tuple[socket.socket, str]:
    """The socket, and the address a browser opens. Raises UsageError, IoFailed."""
    if args.socket is not None:
        path = _socket(app, args.socket)
        if len(os.fsencode(path)) > LONGEST_SOCKET:
            raise UsageError(f"--socket: the path is longer than {LONGEST_SOCKET} bytes", "a shorter one")
        app.files.remove(path)  # of a page that was killed: the run lock says that none is there
        listening = socket.socket(socket.AF_UNIX)
        mask = os.umask(0o177)
        try:
            listening.bind(path)
        except OSError as error:
            raise IoFailed(f"{path}: {error.strerror}") from None
        finally:
            os.umask(mask)
        return listening, f"http://{args.host[0] if args.host else 'localhost'}"
    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((LOOPBACK, args.port))
    except OSError as error:
        raise PageRefused(f"serve --port {args.port}: {error.strerror}", "--port 0 takes a free one") from None
    return listening, f"http://{LOOPBACK}:{listening.getsockname()[1]}"


def _socket(app: App, given: str) -> str:
    path = os.path.abspath(os.path.expanduser(given))
    if os.path.lexists(path) and not stat.S_ISSOCK(os.lstat(path).st_mode):
        raise UsageError(f"--socket {given}: a file is there that is no socket", "name another path")
    return path
