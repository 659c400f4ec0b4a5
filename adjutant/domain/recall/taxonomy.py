"""DOMAIN. The concept scheme of prompts/taxonomy.yaml: the instance's own, else the package's."""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha256

import msgspec

from adjutant.domain.recall.scheme import Concept, Scheme, TaxonomyProblem
from adjutant.errors import TaxonomyInvalid
from adjutant.store import package
from adjutant.store.files import Files

SHIPPED, COMPILED = "taxonomy.yaml", "taxonomy.json"  # the package's own scheme, and the same as it was once read
MAX_BYTES = 1024 * 1024


def load(files: Files) -> Scheme:
    """The instance's own scheme, else the package's. Raises TaxonomyInvalid with file and line, FileDamaged."""
    data, shown = source(files)
    scheme, problems = _read(data, shown)
    if scheme is None:
        raise TaxonomyInvalid(str(problems[0]), problems[0].fix)
    return scheme


def source(files: Files) -> tuple[bytes, str]:
    """The bytes of the taxonomy that counts, and its name for messages. Raises FileDamaged, IoFailed."""
    try:
        return files.read(files.tree.taxonomy, MAX_BYTES), files.tree.relative(files.tree.taxonomy)
    except FileNotFoundError:
        return package.read("instance", SHIPPED), SHIPPED


def own() -> Scheme:
    """The scheme that comes with the package."""
    scheme, _ = _read(package.read("instance", SHIPPED), SHIPPED)
    assert scheme is not None
    return scheme


def problems(data: bytes, shown: str) -> list[TaxonomyProblem]:
    """Everything that is wrong with a taxonomy file, by line; [] for a valid one."""
    return list(_read(data, shown)[1])


def compile_scheme(data: bytes) -> bytes:
    """A valid scheme as `_read_compiled` reads it: the sha256 of its bytes on the first line, then JSON."""
    scheme, _ = _read_yaml(data, SHIPPED)
    assert scheme is not None
    return (
        f"{sha256(data).hexdigest()}\n".encode()
        + msgspec.json.encode([scheme.pref, list(scheme.concepts.values())])
        + b"\n"
    )


def _read_compiled(data: bytes) -> Scheme | None:
    """The package's own scheme where these are its bytes, read in a tenth of the time; most instances keep it so."""
    sha, _, held = package.read("instance", COMPILED).partition(b"\n")
    if sha.decode() != sha256(data).hexdigest():
        return None
    return Scheme(*msgspec.json.decode(held, type=tuple[dict[str, str], list[Concept]]))


@lru_cache(maxsize=4)
def _read(data: bytes, shown: str) -> tuple[Scheme | None, tuple[TaxonomyProblem, ...]]:
    if (known := _read_compiled(data)) is not None:
        return known, ()
    return _read_yaml(data, shown)


def _read_yaml(data: bytes, shown: str) -> tuple[Scheme | None, tuple[TaxonomyProblem, ...]]:
    from adjutant.domain.recall.scheme_reader import SchemeReader  # yaml, 20 ms: only for a scheme that was edited

    reader = SchemeReader(shown)
    scheme = reader.read(data)
    found = tuple(sorted(reader.problems, key=lambda problem: problem.line))
    return (None if found else scheme), found
