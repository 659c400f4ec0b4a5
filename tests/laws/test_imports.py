"""Imports point down, adapters are known to the wiring alone, and nothing goes round in a circle."""

from __future__ import annotations

import ast

import pytest

from tests.laws.source import Import, Module, imports, package, planted

# From the bottom up. What stages are handed (app) stands below them: it imports nothing of ours when it runs.
LAYERS = (
    ("errors", "ports", "index_ports", "clock", "secret_names", "printable", "children"),
    ("store",),
    ("language",),
    ("documents", "screening"),
    ("records",),
    ("app",),
    ("domain",),
    ("judgements",),
    ("replay", "jobs"),
    ("stages",),
    ("commands", "terminal", "wire", "adapters", "secret_store", "place"),
    ("parsing",),
    ("completion", "cli", "runner", "desk", "mcp", "page", "__main__"),
)
RANK = {name: rank for rank, layer in enumerate(LAYERS) for name in layer}
# The rooms of the domain, from the bottom up. Two of one row know nothing of each other.
ROOMS = (
    ("telemetry", "schedule"),
    ("matters", "prompting"),
    ("telling",),
    ("behavior",),
    ("recall",),
    ("memory",),
    ("periods",),
    ("wisdom",),
    ("forgetting",),
    ("heartbeat",),
    ("conversation",),
    ("listening", "learning"),
)
ROOM_RANK = {name: rank for rank, row in enumerate(ROOMS) for name in row}
WIRING = ("wire", "adapters")
APART = ("documents", "screening")  # neighbours of one layer that know nothing of each other
DATA = ("instance", "prompts")  # folders of the package that hold text
ADAPTERS = ("models", "channels", "mirrors")
# what the adapters of a room have in common; no adapter itself
SHARED = (
    *(f"adjutant.models.{name}" for name in ("http", "transport", "gateway", "talking")),
    "adjutant.mirrors.typesense_server",
    "adjutant.channels.posting",
    "adjutant.channels.tappable",
)
BELOW_ADAPTERS = RANK["store"]


def room(name: str) -> str:
    """The first part of a module's name below the package; "" for the package itself."""
    return name.split(".")[1] if "." in name else ""


def room_offence(found: Import) -> str:
    """What is wrong with an import within the domain; for the type checker alone it has to point down as well."""
    source, target = (name.split(".")[2] if name.count(".") > 1 else "" for name in (found.source, found.target))
    if target in ("", source) or ROOM_RANK[target] < ROOM_RANK[source]:
        return ""
    return "a room imports one of its own row" if ROOM_RANK[target] == ROOM_RANK[source] else "a room imports upward"


def offence(found: Import) -> str:
    """What is wrong with an import, "" when it points down."""
    source, target = room(found.source), room(found.target)
    if target == "" or (found.typing_only and target == "app"):
        return ""  # the package itself holds the version; App is a name for the type checker
    if source in ADAPTERS:
        if target in ADAPTERS:
            same = found.source == found.target or found.target.count(".") == 1
            shared = source == target and found.target in SHARED
            return "" if same or shared else "an adapter imports an adapter"
        return "" if RANK[target] <= BELOW_ADAPTERS else "an adapter imports from above the store"
    if target in ADAPTERS:
        return "" if source in WIRING else "only the wiring knows the adapters"
    if source == target == "stages":
        return "a stage imports a stage"
    if source == target == "domain":
        return room_offence(found)
    if source != target and source in APART and target in APART:
        return "neighbours that import each other"
    if RANK[target] > RANK[source] and not found.typing_only:
        return "an import that points up"
    return ""


def offences(modules: dict[str, Module], known: set[str]) -> list[str]:
    """MODULE:LINE and what is wrong, for every import of `modules` that breaks the order."""
    every = [each for module in modules.values() for each in imports(module, known)]
    return [f"{each.source}:{each.line} -> {each.target}: {what}" for each in every if (what := offence(each))]


def cycles(modules: dict[str, Module]) -> list[list[str]]:
    """Circles of imports, those inside functions counted too, those for the type checker alone left out."""
    known = set(modules)
    after = {
        name: {each.target for each in imports(module, known) if not each.typing_only} - {name}
        for name, module in modules.items()
    }
    left = dict(after)
    while free := [name for name, needed in left.items() if not needed & left.keys()]:
        for name in free:
            del left[name]
    return [sorted(left)] if left else []


def test_every_room_has_its_layer() -> None:
    assert {room(name) for name in package()} - {""} <= RANK.keys() | {*ADAPTERS, *DATA}


def test_every_room_of_the_domain_has_its_rank() -> None:
    assert {name.split(".")[2] for name in package() if name.startswith("adjutant.domain.")} == ROOM_RANK.keys()


def test_imports_point_down() -> None:
    assert not offences(package(), set(package()))


def test_no_import_goes_round_in_a_circle() -> None:
    assert not cycles(package())


def test_a_package_re_exports_nothing() -> None:
    for name, module in package().items():
        if any(other.startswith(f"{name}.") for other in package()) and name != "adjutant":
            left = [node for node in module.tree.body[1:] if ast.unparse(node) != "from __future__ import annotations"]
            assert not left, f"{name}/__init__.py holds more than its docstring"


PLANTED = {
    "a domain module asks a judgement": ("domain.heartbeat.x", "from adjutant.judgements import answer"),
    "a stage imports a stage": ("stages.x", "from adjutant.stages import pulse"),
    "inside a function too": ("stages.x", "def f():\n    from adjutant.stages.pulse import run"),
    "a stage asks the wiring": ("stages.x", "import adjutant.wire"),
    "a judgement knows an adapter": ("judgements.x", "from adjutant.models.apis import OpenAI"),
    "an adapter imports an adapter": ("channels.x", "from adjutant.channels.outbox import Outbox"),
    "an adapter of one kind imports one of another": ("channels.x", "from adjutant.models import apis"),
    "what adapters share knows one of them": ("models.http", "from adjutant.models.apis import OpenAI"),
    "an adapter takes what those of another kind share": ("channels.x", "from adjutant.models.http import Server"),
    "an adapter asks the domain": ("models.x", "from adjutant.domain.telling import notices"),
    "the store asks the domain": ("store.x", "from adjutant.domain.matters import look"),
    "the store asks the language": ("store.x", "from adjutant.language import likeness"),
    "the language asks the screening": ("language.x", "from adjutant.screening import fence"),
    "the documents ask their neighbour": ("documents.x", "from adjutant.screening import fence"),
    "the screening asks the records": ("screening.x", "from adjutant.records.insights import Insight"),
    "the records ask a room of the domain": ("records.x", "from adjutant.domain.memory import gate"),
    "an adapter asks the records": ("models.x", "from adjutant.records import ledger"),
    "a room asks one above it": ("domain.telling.x", "from adjutant.domain.heartbeat import marking"),
    "a room asks one of its own row": ("domain.schedule.x", "from adjutant.domain.telemetry import spans"),
    "a room asks upward for a type": (
        "domain.recall.x",
        "if TYPE_CHECKING:\n    from adjutant.domain.conversation.tools import Toolbox",
    ),
    "the ground asks the store": ("errors", "from adjutant.store.tree import Tree"),
}


@pytest.mark.parametrize(("name", "text"), PLANTED.values(), ids=PLANTED.keys())
def test_a_planted_import_is_found(name: str, text: str) -> None:
    module = planted(text, f"adjutant.{name}")
    assert len(offences({module.name: module}, package().keys() | {module.name})) == 1


def test_a_planted_circle_is_found() -> None:
    modules = {
        "adjutant.store.a": planted("def f():\n    from adjutant.store import b", "adjutant.store.a"),
        "adjutant.store.b": planted("from adjutant.store import c", "adjutant.store.b"),
        "adjutant.store.c": planted("from adjutant.store.a import f", "adjutant.store.c"),
        "adjutant.store.d": planted("from adjutant.store.a import f", "adjutant.store.d"),
    }
    assert cycles(modules)
    modules["adjutant.store.c"] = planted("if TYPE_CHECKING:\n    from adjutant.store.a import f", "adjutant.store.c")
    assert not cycles(modules)
