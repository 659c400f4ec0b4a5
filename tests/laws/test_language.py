"""LAW. The room of language knows the files of the package and nothing else below it, and its words are data."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from tests.laws.source import Module, imports, package, planted

GROUND = ("adjutant.errors", "adjutant.store.package")
MOST = 15  # words that a list in Python may hold


def strangers(module: Module, known: set[str]) -> list[str]:
    """What a module of the room imports from outside of it."""
    every = [each.target for each in imports(module, known)]
    return [
        name for name in every if not name.startswith("adjutant.language") and name not in (*GROUND, "adjutant.store")
    ]


def word_lists(module: Module) -> Iterator[str]:
    """Lists of words: in one string, or in a list, tuple, set or mapping of strings."""
    docs = {id(node.value) for node in ast.walk(module.tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(module.tree):
        found: list[str] = []
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            found = node.value.split() if "{" not in node.value else []
        elif isinstance(node, ast.List | ast.Tuple | ast.Set):
            found = [each.value for each in node.elts if isinstance(each, ast.Constant) and isinstance(each.value, str)]
        if len([word for word in found if word.isalpha()]) > MOST:
            yield f"{module.name}:{node.lineno}"


ROOM = {name: module for name, module in package().items() if name.startswith("adjutant.language")}


def test_the_room_imports_only_errors_and_the_files_of_the_package() -> None:
    known = set(package())
    assert not {name: found for name, module in ROOM.items() if (found := strangers(module, known))}


def test_no_word_list_stands_in_its_python() -> None:
    assert not [place for module in ROOM.values() for place in word_lists(module)]


@pytest.mark.parametrize("text", ["from adjutant.store.files import Files", "from adjutant.records import note"])
def test_a_planted_import_is_found(text: str) -> None:
    module = planted(text, "adjutant.language.x")
    assert strangers(module, set(package()) | {module.name})


@pytest.mark.parametrize(
    "text", [f"X = '{'word ' * 20}'.split()", f"X = {['word'] * 20}", f"X = {tuple(['word'] * 20)}"]
)
def test_a_planted_word_list_is_found(text: str) -> None:
    assert list(word_lists(planted(text, "adjutant.language.x")))
