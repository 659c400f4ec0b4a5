"""SHELL. What each form was shown with: a hash goes with it, and the words are kept, to be shown beside the new."""

from __future__ import annotations

import hashlib
import json
import threading
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

from adjutant.errors import AdjutantError

MOST, MOST_CHARS = 20_000, 16 * 1024 * 1024


class Changed(AdjutantError):
    """What a form was about is another now. `before`: "" where it is not known now; `after`: "" where it is gone."""

    code = "page.changed"

    def __init__(self, before: str, after: str) -> None:
        super().__init__("This changed while you looked at it; nothing was done.", "Look at both, then press again.")
        self.before, self.after = before, after


class Seen:
    """The last things shown: {hash: words}."""

    def __init__(self) -> None:
        self._held: OrderedDict[str, str] = OrderedDict()
        self._chars = 0
        self._one = threading.Lock()

    def show(self, thing: Mapping[str, Any], words: str) -> str:
        """The hash to go with a form that shows a thing in these words."""
        seen = fingerprint(thing)
        with self._one:
            if seen not in self._held:
                self._held[seen] = words
                self._chars += len(words)
            self._held.move_to_end(seen)
            while len(self._held) > MOST or self._chars > MOST_CHARS:
                self._chars -= len(self._held.popitem(last=False)[1])
        return seen

    def check(self, given: str, thing: Mapping[str, Any] | None, words: str) -> None:
        """Raises Changed unless the thing is as it was shown."""
        if thing is None or fingerprint(thing) != given:
            with self._one:
                before = self._held.get(given, "")
            raise Changed(before, words if thing is not None else "")


def fingerprint(thing: Mapping[str, Any]) -> str:
    """The same for the same."""
    text = json.dumps(thing, sort_keys=True, ensure_ascii=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()
