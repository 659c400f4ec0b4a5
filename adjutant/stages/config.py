"""STAGE. config: show, path, check."""

from adjutant.app import App, Args, Outcome
from adjutant.domain.telemetry.outside import list_in_the_clear
from adjutant.store import settings


def run(app: App, args: Args) -> Outcome:
    """show {settings, judgements, specialists, path}, path, check {ok, path, problems[], warnings[]}."""
    path = app.tree.config
    if args.subverb == "path":
        return Outcome({"path": path}, [path])
    if app.config_error is not None:
        app.config_error.details |= {"ok": False, "path": path, "problems": [app.config_error.message]}
        raise app.config_error
    if args.subverb == "check":
        warnings = list_in_the_clear(app)
        result = {"ok": True, "path": path, "problems": [], "warnings": warnings}
        return Outcome(result, [f"{path}: no problems", *(f"but {each}" for each in warnings)])
    changed = {s.name for s in settings.TABLE if app.config.values[s.name] != s.default}
    lines = [f"{'*' if name in changed else ' '} {name}: {value}" for name, value in app.config.values.items()]
    lines.append("* differs from the default")
    maps = {"judgements": app.config.judgements, "specialists": app.config.specialists}
    return Outcome({"settings": app.config.values, **maps, "path": path}, lines)
