"""FILES. What comes with the package: word lists, templates, the files of a new instance; where the operator's are."""

import os

import adjutant

_HERE = os.path.dirname(adjutant.__file__)
lists = ""  # the operator's folder of word lists: wire says it here, so that a verb that reads none loads no more


def read(*path: str) -> bytes:
    """The bytes of a file by its path within the package."""
    with open(os.path.join(_HERE, *path), "rb") as file:
        return file.read()


def text(*path: str) -> str:
    """The same as text."""
    return read(*path).decode("utf-8")


def names(*folder: str) -> list[str]:
    """What is in a folder of the package, sorted."""
    return sorted(os.listdir(os.path.join(_HERE, *folder)))
