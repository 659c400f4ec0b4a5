"""FILES. adjutant.yaml: the settings, and the cache that they are compiled to."""

from __future__ import annotations

import json
import os
from collections import namedtuple

from adjutant.errors import AdjutantError, ConfigInvalid, FileDamaged
from adjutant.store.tree import CONFIG

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from adjutant.store.files import Files

    T = TypeVar("T")
    Fields = dict[str, dict[str, Any]]

MAX_BYTES = 256 * 1024
NAME = CONFIG
MADE_BY = ("settings.txt", "settings.py", "config.py", "config_reader.py", "cron.py")  # a compiled config


class ConfiguredFolder(namedtuple("ConfiguredFolder", "path trust exclude", defaults=("untrusted", ()))):
    """A folder that settings name: its path, whose word its files are (operator or untrusted), patterns left out."""


def _get(kind: type[T]) -> Callable[[Config, str], T]:
    """A method of Config: the value of a setting, which is of this kind."""

    def get(config: Config, name: str) -> T:
        value = config.values[name]
        assert isinstance(value, kind), name
        return value

    return get


def _get_or_none(kind: type[T]) -> Callable[[Config, str], T | None]:
    return lambda config, name: None if config.values[name] is None else _get(kind)(config, name)


class Config:
    """The validated settings by dotted name; each getter states the type that the table already guarantees."""

    def __init__(self, values: dict[str, Any], judgements: Fields, specialists: Fields | None = None) -> None:
        self.values, self.judgements, self.specialists = values, judgements, specialists or {}

    def elsewhere(self, host: str) -> str:
        """The machine that tells and decides for this tree, "" where it is `host` itself."""
        named = self.text_or_none("instance.primary") or ""
        return "" if named.partition(".")[0].lower() in ("", host.partition(".")[0].lower()) else named

    text, text_or_none = _get(str), _get_or_none(str)
    whole, whole_or_none = _get(int), _get_or_none(int)
    flag = _get(bool)

    def number(self, name: str) -> float:
        return float(self.values[name])

    def addresses(self, name: str) -> tuple[str, ...]:
        return tuple(self.values[name] or ())

    def prices(self) -> dict[str, dict[str, Any]]:
        """llm.prices: {beginning of a model's name: {in, out, currency}}, money per million tokens."""
        return dict(self.values["llm.prices"])

    def folders(self, name: str) -> tuple[ConfiguredFolder, ...]:
        """A list of folders: path as written (absolute or relative to the instance), trust, patterns left out."""
        entries = [each if isinstance(each, dict) else {"path": each} for each in self.values[name]]
        return tuple(ConfiguredFolder(**{**each, "exclude": tuple(each.get("exclude", ()))}) for each in entries)

    def paths(self, name: str) -> tuple[str, ...]:
        return tuple(folder.path for folder in self.folders(name))


def load(files: Files) -> Config:
    """The compiled cache if it was made from these very bytes, else the file. Raises ConfigInvalid, IoFailed."""
    try:
        raw = files.read(files.tree.config, MAX_BYTES)
    except FileNotFoundError:
        fix = "`adjutant init DIR` makes an instance"
        raise ConfigInvalid(f"{NAME} is missing in {files.tree.root}", fix) from None
    except FileDamaged as error:
        raise ConfigInvalid(error.message) from error
    try:
        data = json.loads(files.read(files.tree.config_cache))
        if data["stamp"] == _stamp() and data["raw"].encode() == raw:
            return Config(data["values"], data["judgements"], data["specialists"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError, AdjutantError):
        pass  # a cache that cannot be used is simply not used
    config = parse(raw)
    try:
        files.replace(files.tree.config_cache, json.dumps({"stamp": _stamp(), **vars(config), "raw": raw.decode()}))
    except (OSError, AdjutantError, UnicodeDecodeError):
        pass  # failing to write a cache is no error
    return config


def _stamp() -> str:
    """The release of the table: a compiled config of another one is not trusted."""
    here = os.path.dirname(__file__)
    try:
        return "/".join(str(os.stat(f"{here}/{name}").st_mtime_ns) for name in MADE_BY)
    except OSError:
        return ""


def parse(raw: bytes) -> Config:
    """Validates the bytes of adjutant.yaml. Raises ConfigInvalid with file, line and the nearest valid key."""
    from adjutant.store import config_reader  # yaml costs 18 ms: only when the file changed

    return Config(*config_reader.read(raw))


def defaults() -> Config:
    """The table's own values, for verbs that must work while adjutant.yaml is broken."""
    from adjutant.store import settings

    return Config({setting.name: setting.default for setting in settings.TABLE}, {})
