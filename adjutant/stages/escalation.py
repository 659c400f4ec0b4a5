"""STAGE. escalation: each new insight decided on - notify, log or flag - and at most one notice sent for all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from adjutant.app import App, Outcome, names, plural
from adjutant.domain.heartbeat import notices
from adjutant.errors import FileChanged, Stopped
from adjutant.judgements import asking, escalation, guard
from adjutant.judgements.material import RANK, severity_of
from adjutant.records import behavior_history, heartbeat, insights, journal, layers, ledger, marks, notice_log
from adjutant.records import contract as contracts
from adjutant.records import heart as hearts
from adjutant.records.insights import Insight
from adjutant.records.notice_log import History
from adjutant.screening.screen import redact_hits, screen

if TYPE_CHECKING:
    import argparse

READS = names("config soul heart registry registry_notes pending sent notices marks contract prompts usage")
WRITES = names(
    """
    journal last_heartbeat actions pending sent notices notify_counts outbox runs usage quarantine locks
    cache events interactions
    """
)
DELIVERED = ("sent", "unknown", "duplicate")
LEFT = ("reserved", "sent", "unknown")
HELD_BACK = ("budget_exceeded", "quiet_hours")
SETTLED = ("notified", "logged")


class _Decided(msgspec.Struct):
    """An insight and what is to become of it."""

    insight: Insight
    action: str
    reason: str
    ledger_action: str = ""
    outcome: str | None = None
    key: str | None = None


def run(app: App, args: argparse.Namespace) -> Outcome:
    """Result by spec/60. Raises ConfigInvalid, FileDamaged (also for the behaviour contract), IoFailed."""
    now, asker = app.clock.now(), asking.Asker.for_app(app)
    good, damaged = insights.pending(app.files)
    for _, reason in damaged:
        app.say(f"{reason}; left where it is")
    by_hand = hasattr(args, "by_hand")  # as pulse's second step it has nothing to say about nothing
    if by_hand and good:
        _mind_layers(app, asker)
    status, decided = "completed", list[_Decided]()
    try:
        _finish(app, [insight for insight in good if insight.attempts > 0])
        fresh = [insight for insight in good if insight.attempts == 0]
        fresh = [insight for insight in fresh if not _discarded(app, insight)]
        _decide_all(app, asker, fresh, decided)
        _notify(app, decided)
        _settle_all(app, decided, asker.degraded)
    except Stopped:
        status = "stopped"
    handled = [_row(d) for d in decided if d.ledger_action]
    if handled or (status == "stopped" and decided):
        journal.entry(app.files, now, "Escalation", [_journal_line(d) for d in decided], dry_run=app.dry_run)
    if handled and status == "completed":
        try:
            told = sum(d.ledger_action == "notified" for d in decided)
            summary = f"{plural(len(handled), 'insight')} decided, {told} notified"
            record = _record_of(app, decided[-1], decided[-1].ledger_action, asker.degraded)
            heartbeat.write_last(app.files, record, summary, now)
        except Stopped:
            status = "stopped"
    return _outcome(app, asker, status, decided, damaged, by_hand)


def _mind_layers(app: App, asker: asking.Asker) -> None:
    """A layer over its limit is named, and rules answer; pulse has seen to that before its second step."""
    problem = layers.read(app.files, app.config, "heart").problem
    if problem is not None:
        app.say(problem)
        asker.by_rules("layer")


def _finish(app: App, looked_at: list[Insight]) -> None:
    """Moves what an interrupted run had decided and recorded, but not moved any more. Raises Stopped."""
    if not looked_at:
        return
    told = ledger.read(app.files, type="escalation")
    decided = {record.get("trigger"): record.get("action") for record in told if "dry_run" not in record}
    for insight in looked_at:
        if decided.get(insight.name) in SETTLED:
            insights.settle(app.files, insight.name)


def _discarded(app: App, insight: Insight) -> bool:
    """An insight that is nothing but instruction-like text goes to quarantine, with a Security line."""
    text = f"{insight.title}\n\n{insight.body}"
    hits = screen(text)
    if not hits:
        return False
    bare = redact_hits(text, hits, insight.name)
    lines = [line for line in bare.split("\n") if line.strip()]
    if any("instruction-like text in" not in line for line in lines):
        return False
    insights.discard(app.files, insight.name)
    line = f"insights/pending/{insight.name} is nothing but instruction-like text: set aside in state/quarantine/"
    journal.entry(app.files, app.clock.now(), "Security", [line], dry_run=app.dry_run)
    app.say(line)
    return True


def _decide_all(app: App, asker: asking.Asker, fresh: list[Insight], decided: list[_Decided]) -> None:
    """One judgement an insight; one whose notice left in an earlier, interrupted run is only finished."""
    heart_layer = layers.read(app.files, app.config, "heart") if fresh else None
    heart = hearts.parse(heart_layer.text) if heart_layer is not None else hearts.Heart()
    notes = _registry_notes(app) if fresh else ""
    told = _told(app) if fresh else {}
    silenced = marks.silenced(app.files, app.clock.now()) if fresh else set[str]()
    contract = contracts.block(behavior_history.held(app.files)) if fresh else ""
    for insight in fresh:
        if insight.name in told:
            decided.append(_Decided(insight, "told", "its notice left in an interrupted run", key=told[insight.name]))
        elif insight.fingerprint in silenced:
            decided.append(_Decided(insight, "log", "marked done or snoozed"))
        else:
            answer = asker.ask(
                escalation,
                escalation.Inputs(
                    now=app.clock.now().isoformat(),
                    heart=heart,
                    registry_notes=notes,
                    file=insight.name,
                    kb=insight.kb,
                    title=insight.title,
                    severity=severity_of(insight.severity),
                    concern=insight.concern,
                    body=_screened(app, insight),
                ),
                contract=contract,
            )
            decided.append(_Decided(insight, answer.result.action, answer.result.reason))


def _told(app: App) -> dict[str, str]:
    """{insight: key} of every insight whose notice left, or may have, in a run that did not live to say so."""
    now = app.clock.now()
    found = notice_log.read(app.files, now)
    spent = History(found, app.clock, now).spent
    return {
        name: str(record["key"])
        for record in found
        if record.get("key") in spent and record.get("event") in LEFT
        for name in str(record.get("insight") or "").split(",")
        if name
    }


def _screened(app: App, insight: Insight) -> str:
    return guard.screened(app, insight.body, insight.name, app.clock.now())


def _registry_notes(app: App) -> str:
    try:
        return app.files.text(app.tree.registry_notes)
    except FileNotFoundError:
        return ""


def _notify(app: App, decided: list[_Decided]) -> None:
    """One notice for all that are to be told: the worst by name, and how many more."""
    telling = sorted((d for d in decided if d.action == "notify"), key=lambda d: -RANK[d.insight.severity])
    if not telling:
        return
    app.gate()
    worst, names = telling[0].insight, ",".join(d.insight.name for d in telling)
    title, why = (redact_hits(text, screen(text), worst.name) for text in (worst.title, worst.why))
    text = notices.compose(worst.kb, title, why, more=len(telling) - 1)
    key = worst.name.removesuffix(".md")
    sent = notices.for_app(app).send(text, key, "escalation", insight=names)
    for told in telling:
        told.outcome, told.key = sent.would or sent.outcome, key


def _settle_all(app: App, decided: list[_Decided], degraded: str | None) -> None:
    """Ledger line, then the file; the worst of those that shared a notice last, since its name is the key."""

    def last(d: _Decided) -> tuple[bool, int]:
        return (d.key is not None and d.insight.name == f"{d.key}.md", RANK[d.insight.severity])

    for d in sorted(decided, key=last):
        action = _action(d)
        ledger.append(app.files, _record_of(app, d, action, degraded))
        d.ledger_action = action
        notice = "sent" if d.action == "told" else d.outcome
        try:
            insights.update(app.files, d.insight, attempts=d.insight.attempts + 1, notice=notice)
        except (FileChanged, FileNotFoundError):
            app.say(f"insights/pending/{d.insight.name} was edited or taken away meanwhile; that stands")
            continue
        if action != "flagged-for-reflect":
            insights.settle(app.files, d.insight.name)


def _action(d: _Decided) -> str:
    """notified, logged or flagged-for-reflect, from the decision and what became of its notice."""
    if d.action == "told" or (d.action == "notify" and d.outcome in DELIVERED):
        return "notified"
    if d.action == "log" or d.outcome in HELD_BACK:
        return "logged"
    return "flagged-for-reflect"


def _record_of(app: App, d: _Decided, action: str, degraded: str | None) -> dict[str, Any]:
    fields = {"trigger": d.insight.name, "action": action, "project": d.insight.kb, "notice": d.key}
    now = app.clock.now()
    return ledger.record(
        now, "escalation", fields, run=app.run, dry_run=app.dry_run, degraded=degraded, slot=app.slot_text
    )


def _row(d: _Decided) -> dict[str, Any]:
    return {"trigger": d.insight.name, "action": d.ledger_action, "project": d.insight.kb, "notice": d.key}


def _journal_line(d: _Decided) -> str:
    what = d.ledger_action or "not settled: stopped"
    held = f", notice {d.outcome}" if d.outcome and d.outcome not in DELIVERED else ""
    return f"**{d.insight.kb}**: {d.insight.title} → {what}{held} ({d.reason})"


def _outcome(
    app: App,
    asker: asking.Asker,
    status: str,
    decided: list[_Decided],
    damaged: list[tuple[str, str]],
    by_hand: bool,
) -> Outcome:
    result = {
        "run": app.run,
        "status": status,
        "reason": None if status == "completed" else "paused",
        "dry_run": app.dry_run,
        "handled": [_row(d) for d in decided if d.ledger_action],
        "damaged": [{"file": name, "reason": reason} for name, reason in damaged],
        "model_calls": asker.calls,
        "tokens": asker.tokens,
        "degraded": asker.degraded,
    }
    lines = [
        f"{d.ledger_action or 'stopped':>9}  {d.insight.title}" + (f" ({d.outcome})" if d.outcome else "")
        for d in decided
    ]
    if status != "completed":
        lines.append("escalation: stopped, paused")
    elif not decided and by_hand:
        lines = ["escalation: no insight waits that was not looked at"]
    follow = [("adjutant notices list", "what was told, and what was held back")] if decided else []
    return Outcome(result, lines, next_actions=list(follow))
