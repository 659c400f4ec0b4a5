"""The package as syntax trees, for laws that are a few lines of `ast` each."""

from __future__ import annotations

import ast
import gc
import warnings
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from tests.conftest import CHECKOUT

PACKAGE = CHECKOUT / "adjutant"


class Module(NamedTuple):
    """`name` is dotted; `text` the source."""

    name: str
    text: str

    @property
    def tree(self) -> ast.Module:
        return _parsed(self.text)


class Import(NamedTuple):
    """`target` is the module that is loaded; `typing_only`: under TYPE_CHECKING; `inside`: within a function."""

    source: str
    target: str
    line: int
    typing_only: bool
    inside: bool


@cache
def _parsed(text: str) -> ast.Module:
    return _read(text)


def _read(text: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what the compiler thinks of an escape is ruff's to say
        return ast.parse(text)


@cache
def package() -> dict[str, Module]:
    """{dotted name: module} of everything in adjutant/, all parsed: the collector, which would go through a million
    nodes again and again, looks at none of them."""
    found = {}
    gc.disable()
    for path in sorted(PACKAGE.rglob("*.py")):
        name = ".".join(path.relative_to(CHECKOUT).with_suffix("").parts).removesuffix(".__init__")
        found[name] = Module(name, path.read_text(encoding="utf-8"))
        _parsed(found[name].text)
    gc.freeze()
    gc.enable()
    return found


def imports(module: Module, known: set[str]) -> list[Import]:
    """Imports of the package's own modules; `from adjutant.store import files` is one of adjutant.store.files."""
    return list(_imported(module, frozenset(known)))


@cache
def _imported(module: Module, known: frozenset[str]) -> tuple[Import, ...]:
    return tuple(_imports(module.tree, module.name, known, typing_only=False, inside=False))


def _imports(
    node: ast.AST,
    source: str,
    known: frozenset[str],
    *,
    typing_only: bool,
    inside: bool,
) -> Iterator[Import]:
    for child in ast.iter_child_nodes(node):
        typing = typing_only or (isinstance(child, ast.If) and ast.unparse(child.test).endswith("TYPE_CHECKING"))
        deeper = inside or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
        if isinstance(child, ast.ImportFrom):
            assert child.level == 0, f"{source}:{child.lineno}: a relative import"
            for alias in child.names:
                whole = f"{child.module}.{alias.name}"
                target = whole if whole in known else str(child.module)
                if target in known:
                    yield Import(source, target, child.lineno, typing, deeper)
        elif isinstance(child, ast.Import):
            yield from (Import(source, a.name, child.lineno, typing, deeper) for a in child.names if a.name in known)
        yield from _imports(child, source, known, typing_only=typing, inside=deeper)


def called(node: ast.Call) -> str:
    """The dotted name of what is called: `os.path.join`, or `.write_text` for a method of whatever."""
    parts: list[str] = []
    inner: ast.expr = node.func
    while isinstance(inner, ast.Attribute):
        parts.append(inner.attr)
        inner = inner.value
    parts.append(inner.id if isinstance(inner, ast.Name) else "")
    return ".".join(reversed(parts))


@cache
def without_docstrings(module: Module) -> ast.Module:
    """A tree of its own, the docstrings gone; reading the text again takes a tenth of what a copy does."""
    tree = _read(module.text)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        first = body[0] if isinstance(body, list) and body else None
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
            body[0] = ast.Pass()
    return tree


def planted(text: str, name: str = "adjutant.domain.planted") -> Module:
    """A module with a defect, for the test of a law."""
    return Module(name, text)
