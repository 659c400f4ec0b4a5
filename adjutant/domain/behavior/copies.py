"""DOMAIN. The copy of the contract that other programs read: pushed after a change, and remembered for `status`."""

from __future__ import annotations

from adjutant.errors import AdjutantError, ConfigInvalid, FileDamaged, MirrorDiffers, MirrorUnavailable
from adjutant.records import contract, mirror_state
from adjutant.store import jsonl

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from adjutant.app import App
    from adjutant.records.contract import Contract
    from adjutant.store.config import Config
    from adjutant.store.files import Files

NAME = "redis"
PENDING = "behavior"
OK = "ok"


def push(app: App, held: Contract) -> dict[str, str]:
    """{mirror: "ok", or why it has no copy} of those configured; over a lower version alone. Raises nothing of theirs.

    Called without a lock: a server may be slow.
    """
    if app.dry_run or not held.version or not is_configured(app.config):
        return {}
    try:
        cache = app.redis()
        if cache is None:
            return {}
        if not cache.push(held.version, held.hash, contract.text_of(held)):
            held = contract.read(app.files)  # another verb may have changed and pushed it since
            if cache.read() != contract.text_of(held):
                raise MirrorDiffers(f"{NAME} holds another contract of this version or a higher one")
        note(app.files, held.version, held.hash)
        mirror_state.note(app, NAME)
    except (MirrorUnavailable, ConfigInvalid) as error:
        mirror_state.note(app, NAME, error, [PENDING])
        app.say(f"{error.message}; the contract is version {held.version} all the same, `adjutant index` pushes it")
        return {NAME: error.message}
    return {NAME: OK}


def note(files: Files, version: int, hash: str, force: bool = False) -> None:
    """Remembers what a mirror was given, `force` also over a higher version; that it cannot be kept is no error."""
    import json  # beside its only use

    if not force and _read_told(files).get("version", 0) > version:
        return  # a later push was faster
    try:
        files.replace(files.tree.contract_pushed, json.dumps({"version": version, "hash": hash}) + "\n")
    except (AdjutantError, OSError):
        return  # a cache: `status` then tells a drift that is none


def is_behind(files: Files, held: Contract) -> bool:
    """Whether the last push was of another contract than this one, as far as is remembered; nobody is asked."""
    told = _read_told(files)
    return told.get("version", 0) != held.version or bool(held.version and told.get("hash") != held.hash)


def _read_told(files: Files) -> dict[str, Any]:
    """{version, hash} of what was given last; {} for nothing that can be relied on."""
    try:
        found = jsonl.read_object(files, files.tree.contract_pushed) or {}
    except FileDamaged:
        return {}
    return found if type(found.get("version")) is int else {}


def is_configured(config: Config) -> bool:
    """Whether any server is to hold a copy."""
    return config.text_or_none("redis.url") is not None
