"""OUTSIDE. Any of the services that Apprise knows: each address is one place, and one that takes the notice is enough.

Apprise runs in a child for each place, with a deadline, which gets the address on its standard input: it holds a
password.
"""

import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from adjutant.channels import posting
from adjutant.channels.tappable import harmless
from adjutant.children import child
from adjutant.ports import BUTTONS, Refused, Told, Uncertain

SECONDS = 20.0
OUT_LIMIT = 64 * 1024
TITLE = "Adjutant"


class AppriseChannel:
    """`say` tells of a place that failed; `keys` gives the page's address and a key for each button of a matter."""

    channel = "apprise"

    def __init__(
        self,
        urls: Sequence[str],
        environment: Mapping[str, str],
        folder: str,
        say: Callable[[str], None],
        keys: Callable[[Told], tuple[str, list[str]]],
        seconds: float = SECONDS,
    ) -> None:
        self._keys = keys
        self._urls, self._folder, self._say, self._seconds = list(urls), folder, say, seconds
        kept = {name: environment[name] for name in ("PATH", "LANG") if name in environment}
        self._environment = {**kept, "HOME": os.devnull}  # no .netrc of the operator's is sent along

    def send(self, text: str, key: str, buttons: Sequence[Told] = ()) -> None:
        """One message to every place. Raises Refused where none can have got it, Uncertain where nobody knows."""
        asked = {"text": harmless(text), "title": TITLE, "actions": list[dict[str, Any]]()}
        if buttons and any(url.startswith(("ntfy://", "ntfys://")) for url in self._urls):
            # ntfy has room for three buttons, so those of the first matter, the gravest
            address, keys = self._keys(buttons[0])
            asked["actions"] = [_action(*each, buttons[0].id, address) for each in zip(BUTTONS, keys, strict=False)]
        with ThreadPoolExecutor(len(self._urls)) as pool:
            places = list(pool.map(lambda url: self._post({"url": url, **asked}), self._urls))
        failed = [f"{each['name']} ({each['why']})" for each in places if each["verdict"] != posting.DELIVERED]
        if len(failed) < len(places):
            for each in failed:
                self._say(f"notifications.channel apprise: not delivered to {each}; another place has the notice")
            return
        if all(each["verdict"] == posting.REFUSED for each in places):
            raise Refused("; ".join(failed))
        raise Uncertain("; ".join(failed))

    def _post(self, asked: dict[str, Any]) -> dict[str, str]:
        argv, told = [sys.executable, "-P", os.path.realpath(posting.__file__)], {"verdict": posting.UNKNOWN}
        told["name"] = asked["url"].partition(":")[0][:30]
        how: dict[str, Any] = {"env": self._environment, "cwd": self._folder, "stdin": json.dumps(asked).encode()}
        try:
            ended = child.run(argv, seconds=self._seconds, out_limit=OUT_LIMIT, **how)
        except OSError as error:
            why = f"Apprise could not be started: {error.strerror or error}"
            return {**told, "verdict": posting.REFUSED, "why": why}
        if not ended.out.endswith(b"\n"):
            return {**told, "why": f"no answer within {self._seconds:g} s" if ended.cause else "Apprise broke off"}
        answer: dict[str, str] = json.loads(ended.out)
        return answer


def _action(verb: str, key: str, id: str, address: str) -> dict[str, Any]:
    """A button as ntfy's JSON has it; `why` opens in a browser."""
    made: dict[str, Any] = {"label": f"{verb} {id}", "url": f"{address}/press"}
    if verb == "why":
        return {**made, "action": "view", "url": f"{made['url']}?key={key}"}
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    return {**made, "action": "http", "method": "POST", "headers": form, "body": f"key={key}", "clear": True}
