"""DOMAIN. The learning lane: what was read out of talk is filed as a candidate; the contract is left alone."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from adjutant.domain.behavior import sameness
from adjutant.domain.behavior.control import LEARNED, ContractChange, ContractEdit, under_lock
from adjutant.records import behavior_history, contract
from adjutant.records.contract import AGAINST, TYPES, collapse, normal, problem

if TYPE_CHECKING:
    from adjutant.app import App

LEARNERS = (LEARNED, "evolve")
QUIET_DAYS = 30  # for so long what was refused or taken away is not proposed again
QUOTE_CHARS, QUOTES = 240, 8


class Proposal(NamedTuple):
    """What the operator might want, by evidence. `confidence` 0 to 1; `evidence`: {"quote", "record"} of words that the
    operator said; `source`: daily-review or evolve.

    When it was filed, `outcome` is proposed, pending (that candidate waits already), standing (a directive says it),
    rejected (it was, or was taken away, in the last 30 days) or invalid; `reason` says why, and of one proposed what it
    would contradict. `id` is then that of the candidate or directive, "" for none; `expires_at` a time, ISO-8601.
    """

    type: str
    text: str
    confidence: float
    evidence: tuple[dict[str, str], ...]
    source: str = LEARNED
    id: str = ""
    outcome: str = "invalid"
    reason: str = ""
    expires_at: str = ""


def propose(app: App, proposals: Sequence[Proposal]) -> list[Proposal]:
    """Files candidates at one stroke, in the order given; the contract is left alone. Nothing is filed twice, nor below
    behavior.min_confidence, nor without evidence. Raises FileDamaged, LockBusy, IoFailed.
    """
    found: list[Proposal] = []

    def work(edit: ContractEdit) -> ContractChange:
        found.extend(_propose_one(edit, each) for each in proposals)
        return edit.end("unchanged")

    if proposals:
        under_lock(app, work)
    return found


def _propose_one(edit: ContractEdit, given: Proposal) -> Proposal:
    evidence = [
        {key: each[key][:QUOTE_CHARS] for key in ("quote", "record")}
        for each in given.evidence[:QUOTES]
        if _is_evidence(each)
    ]
    made = given._replace(text=collapse(given.text), evidence=tuple(evidence))
    if reason := _unfit(edit.app, made):
        return made._replace(reason=reason)
    if (known := _find_known(edit, made)) is not None:
        return known
    others = sameness.find_opposed(edit.contract.directives, made.type in AGAINST, made.text)
    expires = (edit.now + timedelta(days=edit.app.config.whole("behavior.candidate_ttl_days"))).isoformat()
    against = " and ".join(f"`{each.line}` ({each.id})" for each in others)
    made = made._replace(
        outcome="proposed",
        id=_candidate_id(edit, made),
        expires_at=expires,
        reason=f"it contradicts {against}" if others else "",
    )
    edit.tell(
        "proposed",
        id=made.id,
        type=made.type,
        text=made.text,
        confidence=made.confidence,
        evidence=evidence,
        expiresAt=expires,
        source=made.source,
    )
    return made


def _is_evidence(row: Any) -> bool:
    return isinstance(row, dict) and all(
        isinstance(row.get(key), str) and row[key].strip() for key in ("quote", "record")
    )


def _unfit(app: App, given: Proposal) -> str:
    """Why it is proposed to nobody, "" where it may be."""
    least = app.config.number("behavior.min_confidence")
    if given.type not in TYPES:
        return f"`{given.type[:20]}` is no type of directive"
    if reason := problem(given.text):
        return reason
    if given.source not in LEARNERS:
        return f"nothing is learnt from `{given.source[:20]}`"
    if not given.evidence:
        return "nothing that the operator said speaks for it"
    if not least <= given.confidence <= 1:  # nor what is no number
        return f"a confidence of {given.confidence:.2f}, not of {least:.2f} to 1"
    return ""


def _find_known(edit: ContractEdit, given: Proposal) -> Proposal | None:
    """What it doubles: a directive, a candidate that waits, what the operator would not have. None for nothing."""
    for each in edit.contract.directives:
        if given.type in sameness.COVERS[each.type] and sameness.is_same(each.text, given.text):
            return given._replace(outcome="standing", id=each.id, reason=f"{each.line} stands already")
    ttl = edit.app.config.whole("behavior.candidate_ttl_days")
    for found in behavior_history.candidates(edit.events, edit.now, ttl):
        if (
            found.status == "pending"
            and given.type in sameness.COVERS.get(found.type, ())
            and sameness.is_same(found.text, given.text)
        ):
            return given._replace(
                outcome="pending",
                id=found.id,
                expires_at=found.expires_at,
                reason=f"{found.type}: {found.text} waits already",
            )
    for type, text, how in behavior_history.list_gone(edit.events, edit.now, QUIET_DAYS):
        if (type in AGAINST) == (given.type in AGAINST) and sameness.is_same(text, given.text):
            return given._replace(outcome="rejected", reason=f"{type}: {text}: {how}")
    return None


def _candidate_id(edit: ContractEdit, given: Proposal) -> str:
    """An id of its own: the same words, proposed again when the earlier ones are forgotten, are another candidate."""
    known = {event.get("id") for event in edit.events}
    said = f"{given.type} {normal(given.text)} {edit.now.isoformat()}"
    made = (f"c-{contract.digest(f'{said} {number}')[:8]}" for number in range(len(known) + 1))
    return next(id for id in made if id not in known)
