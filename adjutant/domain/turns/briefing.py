"""DOMAIN. The briefing: what happened since, made by code; it opens a session, and one that was silent for long."""

from __future__ import annotations

from datetime import timedelta

from adjutant.domain.heartbeat.heartbeat import read_last

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from adjutant.app import App
    from adjutant.clock import Clock
    from adjutant.domain.turns.conversation import Message

SILENCE = timedelta(hours=6)


def is_due(past: Sequence[Message], clock: Clock) -> bool:
    """Nothing was said yet in this session, or nothing for six hours."""
    if not past:
        return True
    try:
        last = clock.parse(past[-1].ts)
    except ValueError:
        return True
    return clock.now() - last >= SILENCE


def compose(app: App, concept: str) -> str:
    """The last pulse and review, a line each."""
    last = read_last(app.files)
    times = last["last"] if last else {}
    return "\n".join(f"last {stage}: {times.get(stage, 'never')}" for stage in ("pulse", "review"))
