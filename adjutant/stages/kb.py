"""STAGE. kb: registers knowledge bases, shows what is in them, and asks one of them."""

import json
import os
from collections.abc import Sequence

import msgspec

from adjutant.app import App, Args, Outcome, Row, plural
from adjutant.documents import folder as folders
from adjutant.domain.matters import events, opened, threads
from adjutant.errors import KbInvalid, KbUnavailable, UsageError
from adjutant.judgements import answer
from adjutant.records import layers, registry
from adjutant.store import package

ALL, NAMED_AT_FIRST = 1_000_000, 10  # of what is left out, by name


def run(app: App, args: Args) -> Outcome:
    """One subverb."""
    return _VERBS[args.subverb](app, args)


def _create(app: App, args: Args) -> Outcome:
    registry.check_name(args.name)
    tree, folder = app.tree, app.tree.kb(args.name)
    entry = _entry(args, tree.relative(folder), folder)
    registry.refuse_taken(registry.load(app.files), entry)
    _refuse_own(app, folder, folder, args.access)
    if app.files.exists(folder):
        raise KbInvalid(f"{entry.path} exists already", f"`adjutant kb add {entry.name} {entry.path}` registers it")
    described = f"description: {json.dumps(entry.description, ensure_ascii=False)}\n" if entry.description else ""
    title = entry.name.replace("-", " ").replace("_", " ").capitalize()
    readme = package.text("instance", "kb", "README.md")
    made = {
        "kb.yaml": f"name: {json.dumps(entry.name)}\n{described}",
        "docs/README.md": readme.format(title=title, description=entry.description or "What this is about."),
        "opencode.json": package.text("instance", "kb", "opencode.json"),  # for people who open the folder with it
        ".claude/settings.json": package.text("instance", "kb", "claude.json"),  # and with that
    }
    for name, text in made.items():
        try:
            app.files.create(tree.kb_file(entry.name, name), text)
        except FileExistsError:
            raise KbInvalid(f"{entry.path} is being made by another run") from None
    registry.add(app.files, entry)
    return _tell_registered(app, entry, "made")


def _add(app: App, args: Args) -> Outcome:
    registry.check_name(args.name)
    if args.kind != "notes" and args.access != "read-only":
        raise UsageError(f"what is of kind {args.kind} is only read", "leave out --access")
    folder = _folder(app, args.path, args.kind)
    entry = _entry(args, app.tree.relative(folder), folder)
    _refuse_own(app, folder, args.path, args.access)
    found = _scan(app, entry, NAMED_AT_FIRST)
    registry.add(app.files, entry)
    told = [("holds", _holds(_row(entry, found))), *_read(app, entry)[1]]
    lines = [f"  {head:<8} {text}" for head, text in told]
    lines += [f"  left out {_show_skip(skip)}" for skip in found.skipped]
    return _tell_registered(app, entry, "registered", lines)


def _refuse_own(app: App, folder: str, shown: str, access: str) -> None:
    if reason := registry.own_folder(app.tree, folder, access):
        raise KbInvalid(f"{shown} {reason}", "name the folder that holds the notes themselves")


def _folder(app: App, path: str, kind: str) -> str:
    """The absolute folder a person means; for a calendar and mail it may be one file. Raises KbInvalid."""
    if not path or any(ord(c) < 32 or 0xD800 <= ord(c) <= 0xDFFF for c in path):
        raise KbInvalid("a path with control characters or undecodable bytes cannot be registered", "rename the folder")
    given = os.path.expanduser(path)
    folder = os.path.abspath(given)
    if not os.path.lexists(folder):
        folder = os.path.normpath(app.tree.inside(given))
    folder = os.path.realpath(folder)
    if kind != "notes" and os.path.isfile(folder):
        return folder
    try:
        os.listdir(folder)
    except OSError as error:
        fix = "name a folder that exists and can be read; `adjutant kb create NAME` makes one"
        raise KbInvalid(f"{path}: {error.strerror}", fix) from error
    return folder


def _entry(args: Args, path: str, folder: str) -> registry.KnowledgeBase:
    description = " ".join(args.description.encode("utf-8", "replace").decode().split())
    about = {"description": description, "access": args.access, "model": args.model}
    made = registry.KnowledgeBase(name=args.name, path=path, folder=folder, **about)
    if args.subverb == "create":
        return made
    for pattern in args.exclude:
        if why := folders.refusal(pattern):
            raise KbInvalid(f"--exclude `{pattern[:70]}` {why}", "write it as a line of a .gitignore")
    return msgspec.structs.replace(made, exclude=tuple(args.exclude), trust=args.trust, kind=args.kind)


def _tell_registered(app: App, entry: registry.KnowledgeBase, done: str, more: Sequence[str] = ()) -> Outcome:
    line, action = f"{entry.name}: {app.would}{done}, {entry.path}", ("adjutant pulse", "look at it now")
    return Outcome({"name": entry.name, "path": entry.path}, [line, *more], next_actions=[action])


def _remove(app: App, args: Args) -> Outcome:
    gone = registry.remove(app.files, args.name)
    lines = [f"{gone.name}: {app.would}removed from the registry", f"its files stay where they are: {gone.path}"]
    return Outcome({"name": gone.name, "path": gone.path}, lines)


def _list(app: App, args: Args) -> Outcome:
    rows, lines = list[Row](), list[str]()
    for kb in registry.load(app.files):
        try:
            row = _row(kb, _scan(app, kb))
            held = _holds(row)
        except KbUnavailable as error:
            row, held = _row(kb, None) | {"unavailable": error.message}, error.message
        rows.append(row)
        lines.append(f"{kb.name}{'' if kb.enabled else ' (off)'}: {held}  {kb.path}")
    none = "no knowledge bases yet: `adjutant kb add NAME FOLDER` registers a folder you have,"
    return Outcome({"knowledge_bases": rows}, lines or [none, "`adjutant kb create NAME` makes an empty one"])


def _scan(app: App, kb: registry.KnowledgeBase, named: int = folders.MAX_NAMED) -> folders.Scan:
    try:
        return opened.list_files(kb, opened.limits_of(app.config), named)
    except OSError as error:
        raise answer.unavailable(kb, error) from error


def _info(app: App, args: Args) -> Outcome:
    kb = registry.find(app.files, args.name)
    found = _scan(app, kb, ALL if args.excluded else folders.MAX_NAMED)
    row = _row(kb, found) | {key: getattr(kb, key) for key in ("description", "folder", "trust", "kind")}
    row |= {"newest": None, "skipped": [{"path": skip.path, "reason": skip.reason} for skip in found.skipped]}
    counts, inside = _read(app, kb)
    row |= {"exclude": list(kb.exclude), **({"found": counts} if kb.kind != "notes" else {})}
    told = [("folder", kb.folder), ("access", f"{kb.access}, model {kb.model}, {'enabled' if kb.enabled else 'off'}")]
    told += [("holds", _holds(row)), *inside, *(("exclude", pattern) for pattern in kb.exclude)]
    if newest := max(found.entries, key=lambda entry: entry.mtime_ns, default=None):
        row["newest"] = {"path": newest.path, "ts": app.clock.local(newest.mtime_ns / 1e9).isoformat()}
        told.append(("newest", f"{newest.path}, {app.clock.speak(row['newest']['ts'])}"))
    told += [("skipped", _show_skip(skip)) for skip in found.skipped]
    lines = [f"{kb.name}: {kb.description}" if kb.description else kb.name]
    return Outcome({"knowledge_bases": [row]}, lines + [f"  {head:<8} {text}" for head, text in told])


def _read(app: App, kb: registry.KnowledgeBase) -> tuple[dict[str, int], list[tuple[str, str]]]:
    """What a calendar or mail holds, counted, and lines on it and on what could not be read; nothing of notes."""
    if kb.kind == "notes":
        return {}, []
    now = app.clock.now()
    base = opened.open_base(app.files, app.config, kb, now, lambda size: True)
    counts = events.counts(base.found.readings)
    if kb.kind == "mail":
        named, waiting = layers.addresses(app.files, app.config), app.config.whole("mail.waiting_days")
        counts = threads.counts(base.found.readings, named, now, waiting)
    problems = [reason for path, reason in base.found.failed if not path]
    problems += [] if base.entries or problems else [f"nothing of kind {kb.kind} was found in it"]
    said = ", ".join(f"{number} {name.removesuffix('s') if number == 1 else name}" for name, number in counts.items())
    return counts, [("found", said)] * bool(said) + [("problem", each) for each in problems]


def _show_skip(skip: folders.Skipped) -> str:
    return f"{skip.path}: {skip.reason}" if skip.path else skip.reason


def _row(kb: registry.KnowledgeBase, found: folders.Scan | None) -> Row:
    row = {key: getattr(kb, key) for key in ("name", "path", "access", "model", "enabled")}
    size = sum(entry.size for entry in found.entries) if found else None
    return row | {"files": len(found.entries) if found else None, "bytes": size}


def _holds(row: Row) -> str:
    size = row["bytes"]
    shown = f"{size} bytes" if size < 2048 else f"{size // 1024} KB" if size < 2 << 20 else f"{size >> 20} MB"
    return f"{plural(row['files'], 'file')}, {shown}"


def _query(app: App, args: Args) -> Outcome:
    if args.name == "-" and args.question:
        raise UsageError("`kb query -` reads the name and the question from standard input", "leave out what follows -")
    name, *text = (app.stdin().split(maxsplit=1) or [""]) if args.name == "-" else (args.name, app.given(args.question))
    answered, changed = answer.consult(app, name, "".join(text))
    told = answered.result
    cited = {f"{each.path}:{each.line}": each.quote for each in answer.list_cited(told)}
    lines = told.answer.split("\n") + [f"  {at}: {quote}" for at, quote in cited.items() if at not in told.answer]
    lines += [f"  changed by the agent: {path}" for path in changed or ()]
    if answered.degraded:
        app.say(f"answered by rules, not by the model ({answered.degraded}): {answered.why}")
    cites = msgspec.to_builtins(answer.list_cited(told))
    result = {"kb": name, "known": told.known, "answer": told.answer, "citations": cites}
    result |= {"backend": answered.backend, "degraded": answered.degraded, "run": app.run, "tokens": answered.tokens}
    if changed is not None:
        result["changed"] = changed
    return Outcome(result, lines, next_actions=[(f"adjutant runs show {app.run}", "what was asked and answered")])


_VERBS = {each.__name__[1:]: each for each in (_create, _add, _list, _info, _remove, _query)}
