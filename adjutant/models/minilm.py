"""OUTSIDE. What a text means, as a vector: all-MiniLM-L6-v2 (Reimers and Gurevych 2019), computed here with numpy.

Only files of the package that carries the model are read; none of its code runs, and nothing is fetched.
"""

from __future__ import annotations

import json
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from adjutant.errors import MirrorUnavailable
from adjutant.models.wordpiece import WordPiece

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import TypeAlias

    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float32]

TOKENS = 256  # of a text, as the model was made for; what is longer counts by its beginning
TOGETHER = 1024  # tokens that are computed at once: more no longer fit the caches
SCALE = 300.0  # a number between -0.42 and 0.42 in one byte; vectors have the length 1, hardly any number is larger
EXACT = 8192  # bytes of the file of weights that tell one model from another, beside its size
HEAD = 8  # bytes that say how long the description of a safetensors file is


class MiniLM:
    """An Embedder of the model in this folder. Raises MirrorUnavailable when there is none."""

    def __init__(self, folder: Path) -> None:
        try:
            settings = json.loads((folder / "config.json").read_bytes())
            self._layers, self._heads = int(settings["num_hidden_layers"]), int(settings["num_attention_heads"])
            self._epsilon = float(settings["layer_norm_eps"])
            self._pieces = WordPiece((folder / "vocab.txt").read_text(encoding="utf-8").splitlines())
            self._weights, digest = _weights(folder / "model.safetensors")
        except (OSError, ValueError, KeyError, TypeError) as error:
            fix = "install its package anew, or set `retrieval.semantic: false`"
            raise MirrorUnavailable(f"the model in {folder} cannot be read: {error}", fix) from error
        self.name = f"minilm-{digest}-{TOKENS}-{SCALE:.0f}"

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """A vector for each text, a byte a number."""
        rows = [self._pieces.numbers(text, TOKENS) for text in texts]
        found = [b""] * len(rows)
        for batch in _batches(rows):
            vectors = np.clip(np.rint(self._means([rows[number] for number in batch]) * SCALE), -127, 127)
            for number, vector in zip(batch, vectors.astype(np.int8), strict=True):
                found[number] = vector.tobytes()
        return found

    def likeness(self, vector: bytes, others: Sequence[bytes]) -> list[float]:
        """The cosine of one vector with each of the others."""
        if not others:
            return []
        wanted = np.frombuffer(vector, np.int8).astype(np.float32) / SCALE**2
        many = np.frombuffer(b"".join(others), np.int8).reshape(len(others), -1)
        found: list[float] = (many.astype(np.float32) @ wanted).tolist()
        return found

    # -- the network -----------------------------------------------------------------------------------------

    def _means(self, rows: list[list[int]]) -> Floats:
        """The mean of each row's tokens after the last layer, as vectors of length 1. Rows are in order of length."""
        tokens = np.concatenate([np.array(row) for row in rows])
        seats = np.concatenate([np.arange(len(row)) for row in rows])
        x = self._of("embeddings.word_embeddings")[tokens]
        x += self._of("embeddings.position_embeddings")[seats]
        x += self._of("embeddings.token_type_embeddings")[0]
        x = self._norm(x, "embeddings.LayerNorm")
        for layer in range(self._layers):
            at = f"encoder.layer.{layer}"
            mixed = self._attention(x, rows, f"{at}.attention.self")
            x = self._norm(x + self._linear(mixed, f"{at}.attention.output.dense"), f"{at}.attention.output.LayerNorm")
            inner = _gelu(self._linear(x, f"{at}.intermediate.dense"))
            x = self._norm(x + self._linear(inner, f"{at}.output.dense"), f"{at}.output.LayerNorm")
        starts = np.cumsum([0, *(len(row) for row in rows[:-1])])
        means: Floats = np.add.reduceat(x, starts, axis=0)
        means /= np.linalg.norm(means, axis=1, keepdims=True)
        return means

    def _attention(self, x: Floats, rows: list[list[int]], name: str) -> Floats:
        """Each token of a row mixed with those of its row; rows of one length are computed together."""
        query, key, value = (self._linear(x, f"{name}.{part}") for part in ("query", "key", "value"))
        mixed: Floats = np.empty_like(x)
        for first, many, length in _runs(rows):
            part = slice(first, first + many * length)
            shape = (many, length, self._heads, -1)
            q, k, v = (each[part].reshape(shape).transpose(0, 2, 1, 3) for each in (query, key, value))
            weights = q @ k.transpose(0, 1, 3, 2)
            weights *= q.shape[-1] ** -0.5
            weights -= weights.max(-1, keepdims=True)
            np.exp(weights, out=weights)
            weights /= weights.sum(-1, keepdims=True)
            mixed[part] = (weights @ v).transpose(0, 2, 1, 3).reshape(many * length, -1)
        return mixed

    def _linear(self, x: Floats, name: str) -> Floats:
        found: Floats = x @ self._of(name).T
        found += self._of(name, "bias")
        return found

    def _norm(self, x: Floats, name: str) -> Floats:
        found: Floats = x - x.mean(-1, keepdims=True)
        np.divide(found, np.sqrt((found * found).mean(-1, keepdims=True) + self._epsilon), out=found)
        found *= self._of(name)
        found += self._of(name, "bias")
        return found

    def _of(self, name: str, kind: str = "weight") -> Floats:
        return self._weights[f"{name}.{kind}"]


def _gelu(x: Floats) -> Floats:
    """x Φ(x), its error function by Abramowitz and Stegun 7.1.26 (to 1.5e-7), in place: it is half of the work."""
    z: Floats = np.abs(x)
    z *= 0.5**0.5
    u: Floats = z * 0.3275911
    u += 1
    np.reciprocal(u, out=u)
    y: Floats = u * 1.061405429
    for term in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
        y += term
        y *= u
    np.multiply(z, -z, out=z)
    y *= np.exp(z, out=z)
    np.subtract(1, y, out=y)
    np.copysign(y, x, out=y)
    y += 1
    y *= x
    y *= 0.5
    return y


def _runs(rows: list[list[int]]) -> Iterator[tuple[int, int, int]]:
    """(first token, how many rows, their length) of rows side by side that are as long."""
    first = start = 0
    for end in range(1, len(rows) + 1):
        if end == len(rows) or len(rows[end]) != len(rows[start]):
            yield first, end - start, len(rows[start])
            first += (end - start) * len(rows[start])
            start = end


def _batches(rows: list[list[int]]) -> Iterator[list[int]]:
    """Numbers of rows, the shortest first, about TOGETHER tokens at a time."""
    batch, tokens = list[int](), 0
    for number in sorted(range(len(rows)), key=lambda number: len(rows[number])):
        if batch and tokens + len(rows[number]) > TOGETHER:
            yield batch
            batch, tokens = [], 0
        batch.append(number)
        tokens += len(rows[number])
    if batch:
        yield batch


def _weights(path: Path) -> tuple[dict[str, Floats], str]:
    """{name: matrix} of a safetensors file, read as it is needed, and what tells this file from another."""
    data = np.memmap(path, np.uint8, "r")
    head = HEAD + int.from_bytes(data[:HEAD].tobytes(), "little")
    described: dict[str, Any] = json.loads(data[HEAD:head].tobytes())
    found = {}
    for name, each in described.items():
        if name != "__metadata__" and each["dtype"] == "F32":
            first, after = each["data_offsets"]
            found[name] = data[head + first : head + after].view(np.float32).reshape(each["shape"])
    digest = blake2b(data[:EXACT].tobytes() + data[-EXACT:].tobytes() + str(len(data)).encode(), digest_size=6)
    return found, digest.hexdigest()
