"""OUTSIDE. Which models a server offers, asked of several at once and waited for a short time."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence

import requests

from adjutant.models.http import VERSION
from adjutant.ports import Offer, Place
from adjutant.store import jsonl

MAX_BYTES = 1024 * 1024
MOST, LONGEST = 200, 200  # models of one server, characters of a name


def look(places: Sequence[Place], seconds: float, proxies: Mapping[str, str] | None = None) -> list[Offer]:
    """What each place answers, in their order: its models, or why there are none. Nothing is sent there but the key
    that comes with a place. Raises nothing of the network."""
    found: list[Offer | None] = [None] * len(places)

    def ask(number: int) -> None:
        found[number] = _ask(places[number], seconds, proxies or {})

    threads = [threading.Thread(target=ask, args=(n,), daemon=True) for n in range(len(places))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(seconds * 2)
    return [each or Offer(place, (), "no answer in time", False) for place, each in zip(places, found, strict=True)]


def _ask(place: Place, seconds: float, proxies: Mapping[str, str]) -> Offer:
    base, headers = place.base_url.rstrip("/"), {"Accept": "application/json", "Accept-Encoding": "identity"}
    if place.api == "anthropic":
        base = f"{base.removesuffix('/v1')}/v1"
        headers |= {**VERSION, **({"x-api-key": place.key} if place.key else {})}
    elif place.key:
        headers["Authorization"] = f"Bearer {place.key}"
    try:
        with requests.Session() as session:
            session.trust_env = False  # what goes out is what was asked for
            with session.get(
                f"{base}/models",
                headers=headers,
                timeout=seconds,
                stream=True,
                allow_redirects=False,
                proxies=dict(proxies),
            ) as response:
                if response.status_code in (401, 403):
                    return Offer(place, (), "it asks for another key" if place.key else "it asks for a key", True)
                if response.status_code != 200:
                    return Offer(place, (), f"it answers with {response.status_code}", True)
                return _name(place, response.raw.read(MAX_BYTES))
    except (requests.RequestException, OSError, ValueError):  # its text may quote a header
        return Offer(place, (), "nobody answers there", False)


def _name(place: Place, body: bytes) -> Offer:
    try:
        names = [each["id"] for each in jsonl.loads(body)["data"]]
    except (ValueError, KeyError, TypeError):
        return Offer(place, (), "something else answers there: no list of models", False)
    plain = [name for name in names if isinstance(name, str) and name.isprintable() and 0 < len(name) <= LONGEST]
    models = tuple(dict.fromkeys(plain))[:MOST]
    return Offer(place, models, "" if models else "it has no model yet", True)
