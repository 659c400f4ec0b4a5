"""RECORDS. What the last run knew of the mirrors on servers, a cache: `status` tells it and contacts nobody.

The copy of the contract that other programs read is pushed from here, after a change.
"""

from __future__ import annotations

import json

from adjutant.errors import AdjutantError, ConfigInvalid, MirrorDiffers, MirrorUnavailable
from adjutant.records import contract
from adjutant.store import jsonl

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from adjutant.app import App
    from adjutant.records.contract import Contract
    from adjutant.store.config import Config
    from adjutant.store.files import Files

UNASKED: dict[str, Any] = {"reachable": None, "asked": None, "clean": None, "trouble": None, "pending": [], "drift": []}
NONE: dict[str, Any] = {**UNASKED, "version": 0, "hash": ""}  # of the contract that it was given last
CONFIGURED = {"typesense": "typesense.nodes", "redis": "redis.url"}
REDIS, CONTRACT, OK = "redis", "behavior", "ok"


def read(files: Files, config: Config) -> dict[str, dict[str, Any]]:
    """What is known of those configured. `reachable`: None when nobody asked yet. `asked`: when this was found out.
    `clean`: when it last held all that the files say. `trouble`: why not. `pending`: collections of which it may lack
    something. `drift`: what --check found."""
    held, names = _read_all(files), [name for name, key in CONFIGURED.items() if config.values.get(key)]
    return {name: {key: held.get(name, NONE)[key] for key in UNASKED} for name in names}


def read_noted(files: Files, name: str, key: str) -> Any:
    """What stands there of a mirror under a key of NONE."""
    return _read_all(files).get(name, NONE)[key]


def explain(error: AdjutantError) -> str:
    """In one line; what a mirror itself says has its advice in it already."""
    return error.message if isinstance(error, MirrorUnavailable) else f"{error.message}: {error.fix}"


def note(
    app: App,
    name: str,
    error: AdjutantError | None = None,
    pending: Iterable[str] = (),
    drift: Iterable[str] | None = (),
    *,
    always: bool = True,
    holds: tuple[int, str] | None = None,
) -> None:
    """Keeps what a run found out of a mirror; not `always`: only where it differs. A disk that takes it not is named.
    `drift`: None for a run that compared nothing. `holds`: the contract that it was given."""
    found: dict[str, Any] = {"reachable": error is None or isinstance(error, MirrorDiffers), "pending": sorted(pending)}
    found |= {"trouble": explain(error) if error is not None else None}
    found |= {"drift": read_noted(app.files, name, "drift") if drift is None else list(drift)}
    try:
        if not always and found.items() <= _read_all(app.files).get(name, NONE).items():
            return
        with app.files.lock("mirrors"):
            held = _read_all(app.files)
            found |= {"asked": app.clock.now().isoformat()} | ({"version": holds[0], "hash": holds[1]} if holds else {})
            whole = not (found["trouble"] or found["pending"] or found["drift"])
            held[name] = {**held.get(name, NONE), **found, **({"clean": found["asked"]} if whole else {})}
            app.files.replace(app.tree.mirrors, json.dumps(held, indent=1) + "\n")
    except AdjutantError as refused:
        app.say(f"what is known of {name} was not kept for `status`: {refused.message}")


def line(name: str, told: dict[str, Any]) -> str:
    """One mirror for people."""
    if told["reachable"] is None:
        return f"mirror {name}: not filled yet (`adjutant index`)"
    since = f"all there at {told['clean']}" if told["clean"] else "never complete"
    wrong = [str(told["trouble"])] if told["trouble"] else []
    wrong += [f"differs from the files: {', '.join(told['drift'])}"] if told["drift"] else []
    wrong += [f"not pushed: {', '.join(told['pending'])}"] if told["pending"] else []
    return f"mirror {name}: {'; '.join([*wrong, since])}"


def _read_all(files: Files) -> dict[str, dict[str, Any]]:
    """What is kept, of each mirror what `note` writes: all else is nothing, as it is a cache."""
    try:
        found = jsonl.read_object(files, files.tree.mirrors) or {}
    except AdjutantError:
        return {}
    return {name: held for name, held in found.items() if isinstance(held, dict) and _is_whole(held)}


def _is_whole(held: dict[str, Any]) -> bool:
    kinds = [type(held.get(key)) for key in ("reachable", "pending", "drift", "version", "hash", "asked")]
    if held.keys() != NONE.keys() or kinds != [bool, list, list, int, str, str]:
        return False
    return all(
        isinstance(each, str) for each in (*held["pending"], *held["drift"], held["clean"] or "", held["trouble"] or "")
    )


def push(app: App, held: Contract) -> dict[str, str]:
    """{mirror: "ok", or why it has no copy} of those configured. A server may be slow: no lock. Raises nothing of
    theirs."""
    if app.dry_run or not held.version:
        return {}
    try:
        cache = app.redis()
        if cache is None:
            return {}
        if not cache.push(held.version, held.hash, contract.text_of(held)):
            held = contract.read(app.files)  # another verb may have changed and pushed it since
            if cache.read() != contract.text_of(held):
                raise MirrorDiffers(f"{REDIS} holds another contract of this version or a higher one")
        newer = read_noted(app.files, REDIS, "version") > held.version  # a later push was faster
        note(app, REDIS, holds=None if newer else (held.version, held.hash))
    except (MirrorUnavailable, ConfigInvalid) as error:
        note(app, REDIS, error, [CONTRACT])
        app.say(f"{error.message}; the contract is version {held.version} all the same, `adjutant index` pushes it")
        return {REDIS: error.message}
    return {REDIS: OK}


def is_behind(files: Files, held: Contract) -> bool:
    """Whether the last push was of another contract than this one, as far as is remembered; nobody is asked."""
    version = read_noted(files, REDIS, "version")
    return bool(version != held.version or (version and read_noted(files, REDIS, "hash") != held.hash))
