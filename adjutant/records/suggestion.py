"""RECORDS. A suggestion: a change of one file that a person may accept, what speaks for it and what it would do."""

from __future__ import annotations

import msgspec

from adjutant.records.finding import Quote

PROMPT_EDIT, PROMOTE, DEMOTE, SKILL_GAP, MEMORY = "prompt_edit", "promote", "demote", "skill_gap", "memory"
PENDING, ACCEPTED, REJECTED, REVERTED, STALE = "pending", "accepted", "rejected", "reverted", "stale"
BY_RULES, UNKNOWN = "rules", "unknown"


class Change(msgspec.Struct, frozen=True):
    """`path` relative to the instance; None: no file. Text is what the bytes decode to as UTF-8, newlines untouched."""

    path: str
    before: str | None
    after: str | None


class Draft(msgspec.Struct, frozen=True):
    """What a finding leads to, before it is placed in a file. `text`: the words that would be added, "" where something
    is only taken away or moved; a model may word it better. `effect`: what should come of it. `note`: what a person has
    to know before accepting. `target`: which item, note or key it is about, for whoever places it.
    """

    kind: str
    cause: str
    subject: str
    title: str
    text: str
    effect: str
    evidence: tuple[Quote, ...]
    figures: dict[str, float] = {}
    workload: str = ""
    target: str = ""
    note: str = ""
    weight: float = 0.0


class Decided(msgspec.Struct, frozen=True):
    """A decision that would be another. `run`: today; `judgement`: whose; `what`: the matter; `then`, `now`."""

    run: str
    judgement: str
    what: str
    then: str
    now: str


class Rehearsal(msgspec.Struct, frozen=True):
    """The change applied to a copy, and decided with again. `method`: rules (today's rules, for real) or unknown (words
    that only a model reads). `changed`: at most 12 of the `total` decisions that differ. `note`: what it cannot tell.
    """

    method: str
    total: int = 0
    changed: tuple[Decided, ...] = ()
    note: str = ""


class Suggestion(msgspec.Struct, frozen=True, kw_only=True):
    """As it stands in state/evolution.jsonl. `id`: s- and 8 hex digits. `ts`: when it was proposed. `fingerprint`: the
    same for the same kind, cause, path and subject. `diff`: unified, the whole truth of the change; `before_sha` and
    `after_sha`: sha256 of the file's bytes, "" for no file. `tokens_before`, `tokens_after`: what `path` costs a turn.
    `report`: path of the report it stands in.
    """

    id: str
    ts: str
    run: str
    kind: str
    cause: str
    subject: str
    title: str
    fingerprint: str
    path: str
    diff: str
    before_sha: str
    after_sha: str
    evidence: tuple[Quote, ...]
    effect: str
    rehearsal: Rehearsal
    tokens_before: int = 0
    tokens_after: int = 0
    figures: dict[str, float] = {}
    workload: str = ""
    note: str = ""
    report: str = ""
    weight: float = 0.0
