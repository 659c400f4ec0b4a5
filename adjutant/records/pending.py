"""RECORDS. The names in insights/pending, without opening one: what `status` shows."""

from adjutant.store.files import Files


def names(files: Files) -> list[str]:
    """File names of pending insights, sorted."""
    return [name for name in files.names(files.tree.pending) if is_name(name)]


def is_name(name: str) -> bool:
    """False for hidden files and the copies and locks that editors make, and for anything that is no plain name."""
    return bool(name) and "/" not in name and name[0] not in ".#" and not name.endswith(("~", ".swp", ".bak"))
