"""DOMAIN. The collections: what each is called, which sources feed it, and when a search takes in what changed."""

from __future__ import annotations

from typing import NamedTuple

from adjutant.errors import SearchInvalid

ALWAYS, AGED, ASKED = "always", "aged", "asked"  # by every search; when the last scan is old; by `index` alone


class Collection(NamedTuple):
    """`name`: what --in calls it. `key`: what it is called in an index. `sources`: modules of sources/ that feed it."""

    name: str
    key: str
    sources: tuple[str, ...]
    taken_in: str


TABLE = (
    Collection("memory", "agent_memory", ("notes", "periods", "wisdom"), ALWAYS),
    Collection("skills", "agent_skills", ("skills",), ALWAYS),
    Collection("vault", "vault_index", ("vault",), AGED),
    Collection("slog", "slog", ("slog",), ALWAYS),
    Collection("journal", "journal", ("journal",), ALWAYS),
    Collection("conversations", "conversations", ("conversations",), ALWAYS),
    Collection("kb", "kb", ("kb",), AGED),
    Collection("events", "otel_events", ("events",), ASKED),
    Collection("behavior", "behavior_history", ("behavior",), ASKED),
    Collection("interactions", "interaction_taxonomy", ("interactions",), ASKED),
)
NAMED = frozenset({"agent_memory", "agent_skills"})  # their files name the ids themselves: two may name the same
LINED = "kb"  # its anchors are lines of a file, those of all others names
SUMMARIES = 3  # the highest level of those made of the past: a month
DEFAULT = tuple(each for each in TABLE if each.taken_in != ASKED)


def base_tag(name: str) -> str:
    """The tag that the documents of a knowledge base carry."""
    return f"kb:{name}"


def find(names: str | None) -> tuple[Collection, ...]:
    """The collections of a comma-joined list, in the table's order; those searched by default for None.

    The names of an index (`agent_memory`) are understood too. Raises SearchInvalid with the valid names.
    """
    if names is None:
        return DEFAULT
    wanted = {name.strip() for name in names.split(",") if name.strip()}
    unknown = wanted - {each.name for each in TABLE} - {each.key for each in TABLE}
    if unknown or not wanted:
        valid = [each.name for each in TABLE]
        what = f"no collection named `{sorted(unknown)[0][:40]}`" if unknown else "no collection is named"
        raise SearchInvalid(f"{what}; there are {', '.join(valid)}", details={"valid": valid})
    return tuple(each for each in TABLE if each.name in wanted or each.key in wanted)
