"""DOMAIN. Noting cycles: each step of the heartbeat once it ran, and what the operator marked of its notices."""

from __future__ import annotations

from adjutant.domain.learning.interactions.noting import BACKEND_NONE, CRON, TurnRef, append, keep
from adjutant.errors import AdjutantError
from adjutant.records import behavior_history, friction, interactions
from adjutant.records.interactions import ANSWERED, CYCLE, DEGRADED, FAILED, OFFLINE, STOPPED
from adjutant.store import jsonl

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from adjutant.app import App, Outcome

# The steps that are cycles; what a verb only shows is none.
CYCLES = frozenset(("pulse", "escalation", "review", "compact", "distill", "behavior-review", "evolve"))
TELLING = frozenset(("escalation", "review"))  # of them those that may send a notice
WORKED = {"completed": ANSWERED, "partial": ANSWERED, "stopped": STOPPED, "refused": FAILED, "failed": FAILED}
TOLD = ("reserved", "sent", "unknown")  # events of a notice that left, or may have
MARKS = ("useful", "useless")
NOTICES_TAIL = 64 * 1024


def note(app: App, step: str, outcome: Outcome, ms: int) -> None:
    """Notes a step that ran; nothing for one that was skipped, only estimated, or showed something, or in a dry run."""
    told = outcome.result
    if step not in CYCLES or app.dry_run or told.get("dry_run") or told.get("status") not in WORKED:
        return
    keep(app, lambda: _note(app, step, outcome, ms))


def note_failed(app: App, step: str, error: BaseException, ms: int) -> None:
    """Notes a step that an error ended. A disk that takes no line has been named by the error itself."""
    if step in CYCLES and not app.dry_run:
        cause = error.code if isinstance(error, AdjutantError) else type(error).__name__
        keep(app, lambda: _append_cycle(app, step, FAILED, cause, ms), silent=True)


def _note(app: App, step: str, outcome: Outcome, ms: int) -> None:
    told = outcome.result
    asked = told.get("model_calls", 0)
    degraded = str(told.get("degraded") or "") if asked else ""  # that of an earlier step is not this one's
    state = WORKED[str(told["status"])]
    if state == ANSWERED:
        offline = asked and app.config.text("llm.backend") == BACKEND_NONE
        state = DEGRADED if degraded else OFFLINE if offline else ANSWERED
    cause = outcome.error.code if state == FAILED and outcome.error is not None else degraded
    _append_cycle(app, step, state, cause, ms, tokens=int(told.get("tokens") or 0))


def _append_cycle(app: App, step: str, state: str, cause: str, ms: int, *, tokens: int = 0) -> None:
    append(
        app,
        TurnRef(f"{app.run}-{step}", CYCLE, "", CRON, app.clock.now().isoformat(), ms),
        friction.at_once(degraded=state == DEGRADED, failed=state == FAILED),
        agent=step,
        tokens=tokens,
        outcome=state,
        cause=cause,
        contract_hash=_contract(app),
        notices=_notices(app) if step in TELLING else (),
        run=app.run,
    )


def _contract(app: App) -> str:
    try:
        return behavior_history.read_contract(app.files).hash
    except AdjutantError:
        return ""  # what needs the contract has named what is wrong with it


def _notices(app: App) -> tuple[str, ...]:
    """The keys of the notices that this run has sent."""
    told = jsonl.tail(app.files, app.tree.notices, NOTICES_TAIL, app.run)
    keys = (str(each.get("key")) for each in told if each.get("run") == app.run and each.get("event") in TOLD)
    return tuple(dict.fromkeys(keys))


def note_mark(app: App, told: dict[str, Any]) -> None:
    """Notes of the cycle that sent a notice that the notice was useful or useless; `told`: from `marking.apply`."""
    if told["state"] in MARKS:
        keep(app, lambda: _signal(app, told))


def _signal(app: App, told: dict[str, Any]) -> None:
    key, insight, matter = told["notice"], told["insight"], told["matter"]
    if key is None:
        carried = [
            record
            for record in jsonl.read(app.files, app.tree.notices)
            if record.get("event") in TOLD
            and (insight in str(record.get("insight") or "").split(",") or matter in (record.get("matters") or ()))
        ]
        key = carried[-1].get("key") if carried else None
    sent = [each for each in interactions.read(app.files) if each.kind == CYCLE and key in each.notices]
    if key is not None and sent:
        interactions.signal(app.files, sent[-1].id, told["state"], str(key), app.clock.now())
