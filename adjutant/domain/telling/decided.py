"""DOMAIN. What was decided on an insight, and the words for it."""

from typing import Any

import msgspec

from adjutant.app import App, plural
from adjutant.domain.matters.picture import Open
from adjutant.domain.telling import message
from adjutant.records.insights import Insight

DELIVERED = ("sent", "unknown", "duplicate")
MOST_LINES = 20


class Decided(msgspec.Struct):
    """An insight and what is to become of it; `matter`: how the picture has it now."""

    insight: Insight
    action: str
    reason: str
    matter: Open
    ledger_action: str = ""
    outcome: str | None = None
    key: str | None = None
    again: bool = False


def _say(d: Decided) -> str:
    if not d.ledger_action:
        return "stopped"
    waits = d.action == "notify" and d.ledger_action == "logged"
    return {"notified": "told", "logged": "waits" if waits else "noted"}.get(d.ledger_action, "flagged")


def row_of(d: Decided) -> dict[str, Any]:
    """One of `handled`, by spec/60."""
    return {"trigger": d.insight.name, "action": d.ledger_action, "project": d.insight.kb, "notice": d.key}


def journal_line(d: Decided) -> str:
    """As the journal has it."""
    what = d.ledger_action or "not settled: stopped"
    if d.action == "notify" and d.outcome is None and d.ledger_action:
        what = "waits for the next notice"
    held = f", notice {d.outcome}" if d.outcome and d.outcome not in DELIVERED else ""
    return f"**{d.insight.kb}**: {d.insight.title} → {what}{held} ({d.reason})"


def lines_of(app: App, decided: list[Decided]) -> list[str]:
    """What became of each; the outbox has shown what it took by now."""
    shown = [d for d in decided if d.outcome == "sent" and app.config.text("notifications.channel") == "outbox"]
    others = [d for d in decided if not any(d is each for each in shown)]
    lines = [
        f"{_say(d):>10}  {message.line(d.matter, app.clock.now().date())}"
        + (f" ({d.outcome})" if d.outcome not in (None, "sent") else "")
        for d in others[:MOST_LINES]
    ]
    if len(others) > MOST_LINES:
        lines.append(f"{'':>10}  and {len(others) - MOST_LINES} more: `adjutant ledger --type escalation`")
    return [*lines, f"told {plural(len(shown), 'matter')}, in the notice above"] if shown else lines
