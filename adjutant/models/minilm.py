"""OUTSIDE. What a text means, as a vector: all-MiniLM-L6-v2 (Reimers and Gurevych 2019), computed here with numpy."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from adjutant.errors import MirrorUnavailable

Floats: TypeAlias = NDArray[np.float32]
TOKENS = 256  # of a text, as the model was made for; what is longer counts by its beginning
LONGEST = 100  # characters of a word; what is longer is one unknown token
TOGETHER = 1024  # tokens that are computed at once: more no longer fit the caches
FILLED = 1.25  # times the length of its shortest row: so long may the longest of a batch be
SCALE = 300.0  # a number between -0.42 and 0.42 in one byte; vectors have the length 1, hardly any number is larger


class MiniLM:
    """An Embedder of the model in this folder. Raises MirrorUnavailable when there is none."""

    def __init__(self, folder: Path) -> None:
        try:
            settings = json.loads((folder / "config.json").read_bytes())
            self._layers, self._heads = int(settings["num_hidden_layers"]), int(settings["num_attention_heads"])
            self._epsilon = float(settings["layer_norm_eps"])
            self._tokenizer: Tokenizer = Tokenizer.from_str((folder / "tokenizer.json").read_text(encoding="utf-8"))
            self._tokenizer.no_padding()
            self._tokenizer.enable_truncation(TOKENS)
            self._weights: dict[str, Floats] = load_file(folder / "model.safetensors")
            last = self._weights[f"encoder.layer.{self._layers - 1}.output.dense.weight"]
        except Exception as error:  # tokenizers raises nothing narrower
            fix = "install its package anew, or set `retrieval.semantic: false`"
            raise MirrorUnavailable(f"the model in {folder} cannot be read: {error}", fix) from error
        self.name = f"minilm-{blake2b(last.tobytes(), digest_size=6).hexdigest()}-{TOKENS}-{SCALE:.0f}"

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        cut = [text[: TOKENS * LONGEST].encode("utf-8", "ignore").decode() for text in texts]
        rows = [each.ids for each in self._tokenizer.encode_batch(cut)]
        found = [b""] * len(rows)
        for batch in _batches(rows):
            vectors = np.clip(np.rint(self._means([rows[number] for number in batch]) * SCALE), -127, 127)
            for number, vector in zip(batch, vectors.astype(np.int8), strict=True):
                found[number] = vector.tobytes()
        return found

    def likeness(self, vector: bytes, others: Sequence[bytes]) -> list[float]:
        if not others:
            return []
        wanted = np.frombuffer(vector, np.int8).astype(np.float32) / SCALE**2
        many = np.frombuffer(b"".join(others), np.int8).reshape(len(others), -1)
        found: list[float] = (many.astype(np.float32) @ wanted).tolist()
        return found

    def _means(self, rows: list[list[int]]) -> Floats:
        """The mean of each row's tokens after the last layer, as vectors of length 1. Short rows are filled up."""
        longest = max(map(len, rows))
        tokens = np.array([row + [0] * (longest - len(row)) for row in rows])
        given = np.arange(longest) < np.array([[len(row)] for row in rows])  # which tokens are the row's own
        x: Floats = self._weights["embeddings.word_embeddings.weight"][tokens]
        x += self._weights["embeddings.position_embeddings.weight"][:longest]
        x += self._weights["embeddings.token_type_embeddings.weight"][0]
        x = self._norm(x, "embeddings.LayerNorm")
        for layer in range(self._layers):
            at = f"encoder.layer.{layer}"
            mixed = self._attention(x, given, f"{at}.attention.self")
            x = self._norm(x + self._linear(mixed, f"{at}.attention.output.dense"), f"{at}.attention.output.LayerNorm")
            inner = _gelu(self._linear(x, f"{at}.intermediate.dense"))
            x = self._norm(x + self._linear(inner, f"{at}.output.dense"), f"{at}.output.LayerNorm")
        means: Floats = (x * given[:, :, None]).sum(1)
        means /= np.linalg.norm(means, axis=1, keepdims=True)
        return means

    def _attention(self, x: Floats, given: NDArray[np.bool_], name: str) -> Floats:
        shape = (*x.shape[:2], self._heads, -1)
        query, key, value = (
            self._linear(x, f"{name}.{part}").reshape(shape).transpose(0, 2, 1, 3) for part in ("query", "key", "value")
        )
        weights = query @ key.transpose(0, 1, 3, 2) * np.float32(query.shape[-1] ** -0.5)
        weights = np.exp(weights - weights.max(-1, keepdims=True)) * given[:, None, None, :]
        weights /= weights.sum(-1, keepdims=True)
        mixed: Floats = (weights @ value).transpose(0, 2, 1, 3).reshape(x.shape)
        return mixed

    def _linear(self, x: Floats, name: str) -> Floats:
        weight = self._weights[f"{name}.weight"]
        flat = x.reshape(-1, x.shape[-1]) @ weight.T  # one product of all tokens is twice as fast as one a row
        flat += self._weights[f"{name}.bias"]
        found: Floats = flat.reshape(*x.shape[:-1], -1)
        return found

    def _norm(self, x: Floats, name: str) -> Floats:
        found: Floats = x - x.mean(-1, keepdims=True)
        found /= np.sqrt((found * found).mean(-1, keepdims=True) + self._epsilon)
        found *= self._weights[f"{name}.weight"]
        found += self._weights[f"{name}.bias"]
        return found


def _gelu(x: Floats) -> Floats:
    """x Φ(x), its error function by Abramowitz and Stegun 7.1.26 (to 1.5e-7): numpy has none."""
    z: Floats = np.abs(x) * np.float32(0.5**0.5)
    u: Floats = np.reciprocal(1 + np.float32(0.3275911) * z)
    y: Floats = np.zeros_like(u)
    for term in (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592):
        y += np.float32(term)
        y *= u
    y *= np.exp(-z * z)
    found: Floats = x * (1 + np.copysign(1 - y, x)) * np.float32(0.5)
    return found


def _batches(rows: list[list[int]]) -> Iterator[list[int]]:
    """Numbers of rows, the shortest first; none is filled up to much more than its length."""
    batch, shortest = list[int](), 0
    for number in sorted(range(len(rows)), key=lambda number: len(rows[number])):
        length = len(rows[number])
        if batch and ((len(batch) + 1) * length > TOGETHER or length > FILLED * shortest):
            yield batch
            batch = []
        shortest = length if not batch else shortest
        batch.append(number)
    if batch:
        yield batch
