"""DOMAIN. The standing parts of a prompt, core to heart, as their files are now."""

from typing import NamedTuple

from adjutant.domain.prompting import roles
from adjutant.domain.prompting.assembly import Part, part
from adjutant.domain.prompting.core import CORE
from adjutant.errors import ConfigInvalid
from adjutant.records import behavior_history, contract, layers
from adjutant.records.layers import Layer
from adjutant.records.sections import section
from adjutant.store.config import Config
from adjutant.store.files import Files
from adjutant.store.tree import LAYERS

ABOVE = ("soul", "wisdom", "identity")  # the layers above the contract


class Standing(NamedTuple):
    """The parts in order, the layers as they were read, and the contract's (version, hash)."""

    parts: tuple[Part, ...]
    layers: tuple[Layer, ...]
    contract: tuple[int, str]


def read(files: Files, config: Config, role: str = roles.CONDUCTOR) -> Standing:
    """The parts for a role. A layer without a file is left out, and so is an empty contract. Raises ConfigInvalid (no
    soul, a layer over its limit), UsageError (no such role), FileDamaged, IoFailed."""
    found = [layers.read(files, config, name) for name in LAYERS]
    for each in found:
        if each.problem is not None:
            raise ConfigInvalid(each.problem, "shorten the file, or raise its limit in adjutant.yaml")
        if each.name == "soul" and each.missing:
            what = f"{each.path}: there is no soul layer, and no turn without one"
            fix = "write it (`adjutant init` puts a sample into a new instance), or name it in `layers.soul.path`"
            raise ConfigInvalid(what, fix)
    made = [part(each.name, config.text(f"layers.{each.name}.tier"), section(each.name, each.prompt)) for each in found]
    held = behavior_history.read_contract(files)
    parts = [part("core", "fixed", CORE), *(each for each in made if each.name in ABOVE)]
    parts += [
        part("contract", "", contract.block(held)),
        part("role", "", section("role", roles.read(files, config, role))),
    ]
    parts += [each for each in made if each.name not in ABOVE]
    return Standing(tuple(each for each in parts if each.text), tuple(found), (held.version, held.hash))
