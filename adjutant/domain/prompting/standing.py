"""DOMAIN. The standing parts of a prompt, core to heart: read from their files, kept while these stay as they are."""

import os
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, TypeVar

from adjutant.domain.prompting import roles
from adjutant.domain.prompting.assembly import Part, part
from adjutant.domain.prompting.core import CORE
from adjutant.errors import ConfigInvalid
from adjutant.records import behavior_history, layers
from adjutant.records import contract as contracts
from adjutant.records.layers import Layer
from adjutant.records.sections import section
from adjutant.store.config import Config
from adjutant.store.files import Files
from adjutant.store.tree import LAYERS

ABOVE = ("soul", "wisdom", "identity")  # the layers above the contract
FIXED = "fixed"
NO_TIER = ""
T = TypeVar("T")


class Standing(NamedTuple):
    """The parts in order, the layers as they were read, and the contract's (version, hash)."""

    parts: tuple[Part, ...]
    layers: tuple[Layer, ...]
    contract: tuple[int, str]


class PromptShelf:
    """The standing parts of one instance. What was read is kept for as long as the file's size, times and number say
    that it is the same, so that an edited layer stands in the very next prompt."""

    def __init__(self, files: Files, config: Config) -> None:
        self._files, self._config = files, config
        self._kept: dict[str, tuple[tuple[int, ...], Any]] = {}
        self._core = part("core", FIXED, CORE)

    def standing(self, role: str = roles.CONDUCTOR) -> Standing:
        """The parts for a role. A layer without a file is left out, and so is an empty contract. Raises ConfigInvalid
        (no soul, a layer over its limit), UsageError (no such role), FileDamaged, IoFailed."""
        files, keep = self._files, self._while_unchanged
        paths = {name: files.tree.inside(self._config.text(f"layers.{name}.path")) for name in LAYERS}
        read = {name: keep(name, path, partial(self._read_layer, name)) for name, path in paths.items()}
        for each, _ in read.values():
            if each.problem is not None:
                raise ConfigInvalid(each.problem, "shorten the file, or raise its limit in adjutant.yaml")
        if read["soul"][0].missing:
            what = f"{read['soul'][0].path}: there is no soul layer, and no turn without one"
            fix = "write it (`adjutant init` puts a sample into a new instance), or name it in `layers.soul.path`"
            raise ConfigInvalid(what, fix)
        contract, block = keep("contract", files.tree.contract, self._read_contract)
        told = keep(f"role {role}", files.tree.role(role), partial(roles.read, files, self._config, role))
        parts = [self._core, *(read[name][1] for name in ABOVE)]
        parts += [block, part("role", NO_TIER, section("role", told))]
        parts += [made for name, (_, made) in read.items() if name not in ABOVE]
        held = (contract.version, contract.hash)
        return Standing(tuple(each for each in parts if each.text), tuple(each for each, _ in read.values()), held)

    def _read_layer(self, name: str) -> tuple[Layer, Part]:
        layer = layers.read(self._files, self._config, name)
        return layer, part(name, self._config.text(f"layers.{name}.tier"), section(name, layer.prompt))

    def _read_contract(self) -> tuple[contracts.Contract, Part]:
        contract = behavior_history.read_contract(self._files)
        return contract, part("contract", NO_TIER, contracts.block(contract))

    def _while_unchanged(self, key: str, path: str, make: Callable[[], T]) -> T:
        if path in self._files.overlay:
            return make()  # what a dry run only would have written
        try:  # before it is read: what changes meanwhile is read again next time
            info = os.stat(path)
            stamp: tuple[int, ...] = (info.st_ino, info.st_size, info.st_mtime_ns, info.st_ctime_ns)
        except OSError:
            stamp = ()
        kept = self._kept.get(key)
        if kept is None or kept[0] != stamp:
            kept = self._kept[key] = stamp, make()
        found: T = kept[1]
        return found
