"""FILES. The one table of settings, settings.txt: validation, adjutant.yaml and docs/config.md are all made from it."""

from __future__ import annotations

import json
from collections import namedtuple

from adjutant.ports import WORKLOADS as WORKLOADS  # named in the table, as the tuples below
from adjutant.secret_names import HOMES
from adjutant.store import package

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

BACKENDS = ("offline", "openai", "anthropic", "opencode", "claude")
AGENTS = {"opencode": "openai", "claude": "anthropic"}  # a program, and the API that its model speaks
# the secret that holds the key, and what a null llm.base_url stands for
KEYS = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}
BASES = {"openai": f"{HOMES['OPENAI_API_KEY']}/v1", "anthropic": HOMES["ANTHROPIC_API_KEY"]}
# Servers of models on one's own machine, and the ports they come with.
LOCAL = (("ollama", 11434), ("llama.cpp", 8080), ("lm-studio", 1234), ("vllm", 8000))
CHANNELS = ("outbox", "telegram", "command", "apprise")
SEVERITIES = ("low", "medium", "high", "critical")
TIERS = ("granite", "bedrock", "sandstone", "topsoil")
MODEL_TIERS = ("cheap", "medium", "expensive")
FOLDER_TRUST = ("operator", "untrusted")  # whose word a folder's files are
COLLECTIONS = ("agent_memory", "agent_skills", "vault_index", "slog", "journal", "conversations", "kb")
JUDGEMENTS = (
    *("pulse", "brief", "escalation", "synthesis", "answer", "classify", "turn", "compaction", "wisdom"),
    *("behavior-review", "evolve", "summarise", "content-review"),
)
CONDUCTORS = ("conductor", "writer", "researcher", "specialist")  # names that no specialist bears


class Setting(namedtuple("Setting", "name default help low high kind choices", defaults=(None, None, "", ()))):
    """One key: dotted name, default, help, and what limits the value: `choices`, or `low` and `high`. Null is a value
    where it is the default, and of cron times. A `kind` that is not given is that of the default, as `form` says."""

    @property
    def form(self) -> str:
        return self.kind or ("str" if self.default is None else type(self.default).__name__)

    @property
    def optional(self) -> bool:
        return self.default is None or self.kind == "cron"


def _read_row(line: str) -> Setting:
    """A setting from its row, as the head of the table explains it."""
    name, default, limits, help = (part.strip() for part in line.split("|", 3))
    given: dict[str, Any] = {}
    for word in limits.split():
        low, between, high = word.partition("..")
        if between:
            given |= {"low": float(low), "high": float(high) if high else None}
        elif word.isupper() or "," in word:
            given["choices"] = globals()[word] if word.isupper() else tuple(word.split(","))
        else:
            given["kind"] = word
    return Setting(name, json.loads(default), help, **given)


_LINES = [line for line in package.text("store", "settings.txt").splitlines() if line and line[0] != "#"]
EVERY = [_read_row(line) for line in _LINES if "|" in line]
TABLE = tuple(each for each in EVERY if not each.name.startswith(("judgements.", "specialists.")))
SECTIONS_HELP = dict(line.split(": ", 1) for line in _LINES if "|" not in line)


def fields_of(section: str, name: str = "") -> tuple[Setting, ...]:
    """What config may say of what bears this name in `judgements` or `specialists`."""
    heads = [f"{section}.{each}." for each in ("NAME", name)]
    return tuple(
        each._replace(name=each.name.removeprefix(head))
        for head in heads
        for each in EVERY
        if each.name.startswith(head)
    )
