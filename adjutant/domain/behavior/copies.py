"""DOMAIN. The copy of the contract that other programs read: pushed after a change, and remembered for `status`."""

from __future__ import annotations

from adjutant.errors import ConfigInvalid, MirrorDiffers, MirrorUnavailable
from adjutant.records import contract, mirror_state

TYPE_CHECKING = False
if TYPE_CHECKING:
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
        newer = mirror_state.read_noted(app.files, NAME, "holds")[0] > held.version  # a later push was faster
        mirror_state.note(app, NAME, holds=None if newer else (held.version, held.hash))
    except (MirrorUnavailable, ConfigInvalid) as error:
        mirror_state.note(app, NAME, error, [PENDING])
        app.say(f"{error.message}; the contract is version {held.version} all the same, `adjutant index` pushes it")
        return {NAME: error.message}
    return {NAME: OK}


def is_behind(files: Files, held: Contract) -> bool:
    """Whether the last push was of another contract than this one, as far as is remembered; nobody is asked."""
    version, hash = mirror_state.read_noted(files, NAME, "holds")
    return version != held.version or bool(version and hash != held.hash)


def is_configured(config: Config) -> bool:
    """Whether any server is to hold a copy."""
    return config.text_or_none("redis.url") is not None
