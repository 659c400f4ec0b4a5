"""RECORDS. state/page.json: who may see the page, and which of its buttons another app may press, as hashes."""

import hashlib
import json
import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

from adjutant.clock import Clock
from adjutant.errors import AdjutantError, LockBusy
from adjutant.store import jsonl
from adjutant.store.files import Files

LOCK, RUNNING = "page", "serve"
LINK_SECONDS, SESSION_SECONDS, PRESS_SECONDS = 15 * 60, 90 * 24 * 3600, 24 * 3600
MOST = {"links": 20, "sessions": 50, "programs": 50, "presses": 60}
LONGEST = 100
MCP = "/mcp"  # where programs ask


class Pressable(NamedTuple):
    """What the key of a button is for."""

    verb: str
    matter: str
    seal: str


class Keys:
    """Links that work once, the browsers' sessions that they become, keys of programs, which open /mcp and nothing
    else, and keys of buttons, each for one verb of one matter, once. A file that is damaged holds none."""

    def __init__(self, files: Files, clock: Clock) -> None:
        self._files, self._clock, self._path = files, clock, files.tree.page_keys
        self._one = threading.Lock()

    def read(self) -> dict[str, Any]:
        """What is kept; nothing where that cannot be read."""
        with suppress(AdjutantError):
            return jsonl.read_object(self._files, self._path) or {}
        return {}

    def make_link(self, address: str = "") -> str:
        """A new token, and where the page is; raises LockBusy, as all that write here do."""
        with self._changing() as kept:
            kept["address"] = address or kept.get("address", "")
            return self._make(kept, "links", LINK_SECONDS)

    def make_key(self) -> str:
        with self._changing() as kept:
            return self._make(kept, "programs", SESSION_SECONDS)

    def enter(self, token: str) -> str:
        """The session that a token becomes, "" for one that is unknown, used or too old."""
        with self._changing() as kept:
            if kept["links"].pop(_hash(token), None) is not None:
                return self._make(kept, "sessions", SESSION_SECONDS)
            kept |= {"wrong": int(kept.get("wrong", 0)) + 1, "wrong_at": self._clock.now().isoformat()}
            return ""

    def holds(self, kind: str, secret: str) -> bool:
        """Whether a secret is one of ours: of `links`, a browser's `sessions`, or `programs`."""
        return 0 < len(secret) <= LONGEST and _hash(secret) in self._good(self.read(), kind)

    def show(self, address: str) -> None:
        """Where such an app finds the page from now on, "" for nowhere."""
        with self._changing() as kept:
            kept["shown"] = address

    def find_shown(self) -> str:
        """Where it finds the page, "" while none runs."""
        address = str(self.read().get("shown") or "")
        with suppress(LockBusy):
            if address:
                with self._files.lock(RUNNING, 0):
                    return ""  # of a page that was killed
        return address

    def make_presses(self, wanted: Sequence[Pressable]) -> list[str]:
        with self._changing() as kept:
            return [self._make(kept, "presses", PRESS_SECONDS, f"{' '.join(each)} ") for each in wanted]

    def find_press(self, key: str) -> Pressable | None:
        """What a key is for, None for one that is unknown, used or too old."""
        told = (each.rpartition(" ") for each in self._good(self.read(), "presses"))
        return next((Pressable(*about.split(" ", 2)) for about, _, hash in told if hash == _hash(key)), None)

    def drop_press(self, key: str) -> None:
        with self._changing() as kept:
            kept["presses"] = {each: until for each, until in kept["presses"].items() if not each.endswith(_hash(key))}

    def _good(self, kept: dict[str, Any], kind: str) -> dict[str, float]:
        held, now = kept.get(kind), self._clock.now().timestamp()
        every = held.items() if isinstance(held, dict) else ()
        return {key: until for key, until in every if isinstance(until, int | float) and until > now}

    def _make(self, kept: dict[str, Any], kind: str, seconds: int, about: str = "") -> str:
        secret = os.urandom(24).hex()
        held = {**kept[kind], about + _hash(secret): self._clock.now().timestamp() + seconds}
        kept[kind] = dict(sorted(held.items(), key=lambda pair: pair[1])[-MOST[kind] :])
        return secret

    @contextmanager
    def _changing(self) -> Iterator[dict[str, Any]]:
        with self._one, self._files.lock(LOCK):
            kept = self.read()
            kept = kept | {kind: self._good(kept, kind) for kind in MOST}
            yield kept
            self._files.replace(self._path, json.dumps(kept, indent=1) + "\n")


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
