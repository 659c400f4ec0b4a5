"""Adjutant: a chief of staff that lives in a folder."""

__version__ = "0.1.0"
