"""SHELL. Who may see the page: links that work once, the cookies they become, wrong ones counted. Hashes are kept."""

from __future__ import annotations

import hashlib
import json
import os
import threading
from typing import Any

from adjutant.clock import Clock
from adjutant.errors import AdjutantError
from adjutant.store import jsonl
from adjutant.store.files import Files

LOCK = "page"
LINK_SECONDS, SESSION_SECONDS = 15 * 60, 90 * 24 * 3600
MOST_LINKS, MOST_SESSIONS = 20, 50
LONGEST = 100
MCP = "/mcp"  # where programs ask


class Keys:
    """state/page.json: {address, links {hash: until}, sessions {hash: until}, programs {hash: until}, wrong, wrong_at}.

    A browser's session presses what a person presses; a program's key opens /mcp and nothing else.
    """

    def __init__(self, files: Files, clock: Clock) -> None:
        self._files, self._clock, self._path = files, clock, files.tree.page_keys
        self._held: tuple[object, dict[str, Any]] = (None, {})
        self._one = threading.Lock()

    def read(self) -> dict[str, Any]:
        """What is kept, read again when the file changed; nothing of a file that is damaged: its links are void."""
        try:
            info = os.stat(self._path)
        except OSError:
            return {}
        stamp = (info.st_mtime_ns, info.st_size, info.st_ino)
        if self._held[0] != stamp:
            try:
                found = jsonl.loads(self._files.read(self._path))
            except (AdjutantError, OSError, ValueError):
                found = {}
            self._held = (stamp, found if isinstance(found, dict) else {})
        return self._held[1]

    def make_link(self, address: str = "") -> str:
        """A new token, and where the page is; raises IoFailed, LockBusy."""
        token = os.urandom(24).hex()

        def change(kept: dict[str, Any]) -> None:
            kept["address"] = address or kept.get("address", "")
            _keep(kept, "links", token, self._now() + LINK_SECONDS, MOST_LINKS)

        self._change(change)
        return token

    def make_key(self) -> str:
        """A new key for a program. Raises IoFailed, LockBusy."""
        key = os.urandom(24).hex()
        self._change(lambda kept: _keep(kept, "programs", key, self._now() + SESSION_SECONDS, MOST_SESSIONS))
        return key

    def enter(self, token: str) -> str:
        """The session that a token becomes, "" for one that is unknown, used or too old. Raises IoFailed, LockBusy."""
        session = ""

        def change(kept: dict[str, Any]) -> None:
            nonlocal session
            if self._stands(kept, "links", token):
                kept["links"].pop(_hash(token))
                session = os.urandom(24).hex()
                _keep(kept, "sessions", session, self._now() + SESSION_SECONDS, MOST_SESSIONS)
            else:
                kept["wrong"] = int(kept.get("wrong", 0)) + 1
                kept["wrong_at"] = self._clock.now().isoformat()

        self._change(change)
        return session

    def holds(self, kind: str, secret: str) -> bool:
        """Whether a secret is one of ours: of `links`, a browser's `sessions`, or `programs`."""
        return self._stands(self.read(), kind, secret)

    def _stands(self, kept: dict[str, Any], kind: str, secret: str) -> bool:
        held = kept.get(kind)
        until = held.get(_hash(secret)) if isinstance(held, dict) and 0 < len(secret) <= LONGEST else None
        return isinstance(until, int | float) and until > self._now()

    def _now(self) -> float:
        return self._clock.now().timestamp()

    def _change(self, change: Any) -> None:
        with self._one, self._files.lock(LOCK):
            kept = dict(self.read())
            for kind in ("links", "sessions", "programs"):
                held = kept.get(kind)
                kept[kind] = {k: v for k, v in (held if isinstance(held, dict) else {}).items() if v > self._now()}
            change(kept)
            self._files.replace(self._path, json.dumps(kept, indent=1) + "\n")


def _keep(kept: dict[str, Any], kind: str, secret: str, until: float, most: int) -> None:
    held = {**kept[kind], _hash(secret): until}
    kept[kind] = dict(sorted(held.items(), key=lambda pair: pair[1])[-most:])


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
