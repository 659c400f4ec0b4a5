"""RECORDS. What an analysis finds, with the words that show it; and the change of one file that is suggested for it."""

import msgspec

# Each cause leads to a kind of suggestion (below), or to words in the report; rules draft the first.
CORRECTION = "correction"  # the operator says the same again in three or more sessions -> memory (save, supersede)
QUESTION = "question"  # asked again in three or more sessions, -> memory (save)
STALE_NOTE = "stale_note"  # found again and again, and never used -> memory (forget)
FREQUENT = "frequent"  # found for more than half of a workload's turns -> promote
UNUSED_ITEM = "unused_item"  # a layer's item that answers used, and use no more -> demote
UNUSED_SKILL = "unused_skill"  # -> words
SKILL_GAP = "skill_gap"  # a workload of many turns, heavy going, and no skill -> skill_gap
MISROUTED = "misrouted"  # a specialist that fails where it is asked -> words
UNFILED = "unfiled"  # turns that fit no concept -> words
USELESS_NOTICES = "useless_notices"  # matters whose notices are called useless -> prompt_edit of heart
SKILL_CORRECTED = "skill_corrected"  # a skill used in turns that were corrected alike -> prompt_edit of that skill
ROLE_CORRECTED = "role_corrected"  # a role corrected alike in three or more sessions -> prompt_edit of prompts/roles
EXCERPT_CHARS = 240


def excerpt(sentence: str) -> str:
    """A sentence as evidence shows it: verbatim, cut at a blank where it is too long."""
    cut = sentence[:EXCERPT_CHARS]
    return cut if cut == sentence else cut.rpartition(" ")[0] or cut


class Quote(msgspec.Struct, frozen=True):
    """Words that stand in the record. `interaction`: its id; `ref`: where the words stand (PATH#ID of a record in a
    JSONL file, PATH:LINE of a text); `text`: verbatim, at most 240 characters, "" where there is only the event.
    `trust`: whose words."""

    interaction: str
    ref: str
    text: str
    trust: str = "operator"


class Finding(msgspec.Struct, frozen=True):
    """`cause`: one of those above. `subject`: about what: a layer item's id, `collection/id` of a document, an agent,
    a judgement, a fingerprint, or the content stems of what returns, joined by blanks. `workload`: a concept id, "" for
    all. `figures`: counts and shares, by name. `evidence`: the newest first, at most 8. `text`: the operator's own
    words that say it best, "" where it rests on counts. `weight` 0 to 1: how much it would spare; the report's order.
    """

    cause: str
    subject: str
    figures: dict[str, float]
    evidence: tuple[Quote, ...]
    workload: str = ""
    text: str = ""
    weight: float = 0.0


class Analysis(msgspec.Struct, frozen=True):
    """What a window holds. `since`, `until`: ISO-8601; the 30 days before `since` are what it is compared with.

    `read`: turns and tasks; `cycles` beside them. `enough`: at least evolution.min_interactions turns and tasks.
    `compared`: {by: {name: (turns, usual, mean friction, usual)}} for by in concept, agent, channel.
    `tokens`: {part of the prompt: mean a turn}. `degraded`: {cause: how many}. `notices`: {kind: (useful, useless)}.
    `churn`: {layer: (changes within its cadence, whether too often)}. `findings` by weight, the heaviest first.
    """

    since: str
    until: str
    read: int
    cycles: int
    enough: bool
    compared: dict[str, dict[str, tuple[float, float, float, float]]]
    tokens: dict[str, float]
    degraded: dict[str, int]
    notices: dict[str, tuple[int, int]]
    churn: dict[str, tuple[int, bool]]
    findings: tuple[Finding, ...]


PROMPT_EDIT, PROMOTE, DEMOTE, MEMORY = "prompt_edit", "promote", "demote", "memory"  # kinds, and SKILL_GAP
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
    text: str = ""
    effect: str = ""
    evidence: tuple[Quote, ...] = ()
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


class Suggestion(Draft, frozen=True, kw_only=True):
    """A draft as it stands in state/evolution.jsonl. `id`: s- and 8 hex digits. `ts`: when it was proposed.
    `fingerprint`: the same for the same kind, cause, path and subject. `diff`: unified, the whole truth of the change;
    `before_sha` and `after_sha`: sha256 of the file's bytes, "" for no file. `tokens_before`, `tokens_after`: what
    `path` costs a turn. `report`: path of the report it stands in.
    """

    id: str
    ts: str
    run: str
    fingerprint: str
    path: str
    diff: str
    before_sha: str
    after_sha: str
    rehearsal: Rehearsal
    tokens_before: int = 0
    tokens_after: int = 0
    report: str = ""
