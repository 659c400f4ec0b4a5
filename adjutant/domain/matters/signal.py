"""DOMAIN. The typed result of a look at one knowledge base: a signal."""

import msgspec

from adjutant.records.insights import Evidence as Evidence  # what signals rest on

LEVELS = ("low", "medium", "high", "critical")


class Signal(msgspec.Struct, frozen=True):
    """One open matter as code sees it without any model; `muted` names the quiet zone that silences it, `listed` says
    whether it belongs on a list of what matters."""

    path: str
    line: int
    quote: str
    kind: str
    date: str | None
    severity: str
    title: str
    why: str
    concern: str | None
    evidence: list[Evidence]
    muted: str | None
    score: float = 0.0
    part: str = ""
    listed: bool = True
