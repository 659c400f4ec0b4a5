"""STAGE. listen: answers the operator on Telegram until KILLED appears; what is asked runs as verbs of their own."""

from adjutant.app import App, Args, Outcome
from adjutant.errors import UsageError


def run(app: App, args: Args) -> Outcome:
    """{status, reason}: `stopped`, `killed`."""
    if app.dry_run:
        raise UsageError("listen has no dry run: a message that was read is gone from the server")
    if app.elsewhere:
        raise UsageError(f"listen: {app.elsewhere} answers Telegram", "run it there, or change instance.primary")
    bot = app.bot()
    from adjutant.domain.listening.listener import Listener  # threads and children: only once all is configured

    listener = Listener(app, bot, app.secret("TELEGRAM_CHAT_ID", app.config.text("messaging.telegram.api_base")) or "")
    app.say("listen: listening; KILLED (`adjutant kill`) or Ctrl-C ends it")
    listener.listen()
    follow = [("adjutant start", "lift KILLED"), ("adjutant listen", "listen again")]
    return Outcome({"status": "stopped", "reason": "killed"}, ["listen: stopped, KILLED is set"], next_actions=follow)
