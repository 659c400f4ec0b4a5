"""LANGUAGE. How alike two texts are."""

from __future__ import annotations


def jaccard(a: frozenset[str], b: frozenset[str]) -> float:
    """What two sets share, of all they hold: 0 to 1; 0 where either is empty."""
    shared = len(a & b)
    return shared / (len(a) + len(b) - shared) if shared else 0.0
