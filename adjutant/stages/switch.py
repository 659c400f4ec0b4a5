"""STAGE. pause, resume, kill, start: the kill switches set and lifted by hand. No switch stops these verbs."""

from contextlib import suppress

from adjutant.app import App, Args, Outcome
from adjutant.store import switches

BY_KILL = "killed"


def run(app: App, args: Args) -> Outcome:
    """{paused, killed}."""
    verb, tree = args.switch, app.tree
    reason = " ".join(app.given(args.reason).split())
    if verb == "pause":
        own = reason.partition(":")[0].strip() != BY_KILL  # `start` must not take it for one that `kill` made
        _set(app, tree.paused, reason if own else f"paused, {reason}")
    elif verb == "resume":
        app.files.remove(tree.paused)
    elif verb == "kill":
        _set(app, tree.killed, reason)
        if not switches.is_on(tree.paused):
            _set(app, tree.paused, f"{BY_KILL}: {reason}" if reason else BY_KILL)
    else:
        app.files.remove(tree.killed)
        if switches.reason(tree.paused).partition(":")[0] == BY_KILL:
            app.files.remove(tree.paused)
    paused, killed = app.files.exists(tree.paused), app.files.exists(tree.killed)
    words = " and ".join(name for name, on in (("PAUSED", paused), ("KILLED", killed)) if on)
    lifts = f"{words} set; `adjutant {'start' if killed else 'resume'}` lifts it"
    line = f"{verb}: {lifts if words else 'running; neither PAUSED nor KILLED is set'}"
    return Outcome({"paused": paused, "killed": killed}, [line], next_actions=[("adjutant status", "see all")])


def _set(app: App, path: str, reason: str) -> None:
    """Any entry of the name is the state already; only a missing one is made."""
    with suppress(FileExistsError):
        app.files.create(path, f"{reason}\n" if reason else "")
