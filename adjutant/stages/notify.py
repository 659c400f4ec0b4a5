"""STAGE. notify: one notice by hand or from a script, within the budget like every other."""

from adjutant.app import App, Args, Outcome
from adjutant.domain.telling import notices
from adjutant.errors import ChannelUnavailable
from adjutant.store import switches


def run(app: App, args: Args) -> Outcome:
    """Also `would`: what a dry run would have come to."""
    if app.config_error is not None and not switches.is_on(app.tree.paused):
        raise app.config_error  # under PAUSED the outcome is `paused` whatever adjutant.yaml says
    text = app.stdin() if args.text == "-" else args.text
    sent = notices.Notices(app).send(text, args.key or app.run, args.kind)
    result = {"outcome": sent.outcome, "key": sent.key, "count": sent.count, "max_per_day": sent.max_per_day}
    result |= {"would": sent.would} if sent.would is not None else {}
    would = f", would be: {sent.would}" if sent.would else ""
    why = f" ({sent.detail})" if sent.detail and sent.outcome not in ("paused", "dry_run", "duplicate") else ""
    used = f"  {sent.count} of {sent.max_per_day} notices of today used"
    lines = [f"notify: {notices.WORDS[sent.outcome]}{would}{why}", used]
    error = ChannelUnavailable(lines[0]) if sent.outcome in ("failed", "unknown") else None
    return Outcome(result, lines, next_actions=[("adjutant notices list", "what was sent and held back")], error=error)
