"""DOMAIN. The seal of a matter: what a button carries, so that it acts on what was told and on nothing else."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable

from adjutant.domain.matters.picture import Open
from adjutant.domain.telling import message
from adjutant.ports import Told

CHARS = 12
_ID = re.compile(r"[a-z0-9]{4,20}")


def seal(each: Open) -> str:
    """Twelve hex digits of its words, day, time and place; what a new day or an edit elsewhere changes is left out."""
    first, last = (day.isoformat() if day else "" for day in (each.first, each.last))
    parts = (each.kb, message.said(each), first, last, each.time, each.kind, each.evidence[0].path)
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:CHARS]


def sealed(matters: Iterable[Open]) -> list[Told]:
    """Those that have an id of their own in the picture."""
    return [Told(each.id, seal(each)) for each in matters if _ID.fullmatch(each.id)]
