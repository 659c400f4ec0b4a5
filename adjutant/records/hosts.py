"""RECORDS. state/hosts/: the machines that looked for this tree, a file each, so that two never write one file."""

from __future__ import annotations

import json
import re
from datetime import timedelta

from adjutant.clock import moment
from adjutant.errors import FileDamaged
from adjutant.store import jsonl

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from adjutant.store.files import Files

LATELY = timedelta(days=30)
_UNSAFE = re.compile(r"[^a-z0-9-]+")


def slug(host: str) -> str:
    """A machine's name as a file's name may have it."""
    return _UNSAFE.sub("-", host.lower())[:63] or "unnamed"


def note(files: Files, host: str, now: datetime) -> None:
    """That a machine looked today; one write a day. Raises FileDamaged (a folder in its place), IoFailed, Stopped."""
    path = files.tree.host(slug(host))
    if _seen(files, path)[1][:10] != now.date().isoformat():
        files.replace(path, json.dumps({"host": host, "seen": now.isoformat()}) + "\n")


def lately(files: Files, now: datetime) -> list[str]:
    """The machines that looked in the last 30 days. Raises IoFailed."""
    found = []
    for name in files.names(files.tree.hosts):
        host, seen = _seen(files, files.tree.host(name.removesuffix(".json")))
        at = moment(seen)
        if at is not None and now - at < LATELY:
            found.append(host)
    return sorted(found)


def _seen(files: Files, path: str) -> tuple[str, str]:
    """(machine, when it last looked), both "" for a file that says neither."""
    try:
        found = jsonl.read_object(files, path) or {}
    except FileDamaged:
        found = {}
    return str(found.get("host", "")), str(found.get("seen", ""))
