"""STAGE. init: makes an instance in a folder, every file of it worth editing."""

import json
import os
import re
import shlex
from collections.abc import Sequence
from contextlib import suppress

from adjutant.app import App, Args, Outcome
from adjutant.documents import edits
from adjutant.domain.prompting import roles
from adjutant.errors import KbInvalid, UsageError
from adjutant.printable import to_line
from adjutant.records import registry
from adjutant.store import config as config_file
from adjutant.store import disk, package
from adjutant.store.files import Files, sha256
from adjutant.store.tree import CONFIG, LAYERS, Tree, instance_at

FOLDERS = "Folders to read, separated by commas (Enter to skip): "
PRIORITIES = "## Current Priorities"


def run(app: App, args: Args) -> Outcome:
    """{root, created[], knowledge_bases[]}; where it refuses, nothing is made."""
    root = os.path.realpath(os.path.expanduser(args.dir))
    tree = Tree(root)
    if args.two_machines and os.path.lexists(tree.config):
        return _for_two(app, tree, Files(tree, dry=app.dry_run))
    _refuse(args.dir, root, tree)
    name, matters, folders = _ask(app, args)
    entries, files, created = _entries(tree, folders), Files(tree, dry=app.dry_run), []
    for path, text in contents(tree, name, matters).items():
        with suppress(FileExistsError):
            files.create(path, text)
            created.append(tree.relative(path))
    if not app.dry_run:
        for folder in (tree.pending, tree.sent, tree.journal, tree.state):
            disk.make_folder(folder)
        for entry in entries:
            registry.add(files, entry)
    lines = [f"{root}: {'would make' if app.dry_run else 'made'} {len(created)} files"]
    lines += [f"  {entry.name:<12} {entry.folder}" for entry in entries]
    asked = [f"`cd {shlex.quote(root)}`", *([] if matters else ["write what matters to you into identity/heart.md"])]
    asked += [] if entries else ["`adjutant kb add NAME FOLDER`"]
    lines.append(f"next: {', '.join(asked)}, then `adjutant pulse`")
    if args.two_machines and not app.dry_run:
        lines += _for_two(app, tree, files).lines
    result = {"root": root, "created": created, "knowledge_bases": [entry.name for entry in entries]}
    return Outcome(result, lines, next_actions=[("adjutant pulse", "the first heartbeat")])


def _for_two(app: App, tree: Tree, files: Files) -> Outcome:
    """Makes git carry what was written, and names this machine as the one that tells. An own .gitignore stays."""
    wanted, made = package.text("instance", "gitignore-two"), list[str]()
    held = files.text(tree.gitignore) if files.exists(tree.gitignore) else ""
    ours = held in ("", package.text("instance", "gitignore"))
    if ours:
        files.replace(tree.gitignore, wanted)
        made.append(".gitignore")
    if not files.exists(tree.gitattributes):
        files.create(tree.gitattributes, package.text("instance", "gitattributes"))
        made.append(".gitattributes")
    primary, settings_file = config_file.load(files).text_or_none("instance.primary"), files.text(tree.config)
    if primary is None:
        named = edits.with_value(settings_file, CONFIG, ("instance", "primary"), app.host)
        files.replace(tree.config, named, sha256(files.read(tree.config)))
        made.append(CONFIG)
    lines = [f"{', '.join(made) or 'nothing'} {app.would}changed for several machines"]
    lines += [] if ours or held == wanted else ["your own .gitignore stays; see docs/two-machines.md"]
    lines.append(f"{primary or app.host} sends the notices; the other machines look and keep records")
    return Outcome({"root": tree.root, "created": made, "knowledge_bases": []}, lines)


def _refuse(given: str, root: str, tree: Tree) -> None:
    outer = instance_at(os.path.dirname(root))
    reasons = {
        "holds an adjutant.yaml already": os.path.lexists(tree.config),
        f"lies inside the instance {outer}; choose a folder outside of it": outer,
        "is a file, not a folder": os.path.lexists(root) and not os.path.isdir(root),
    }
    for why in (why for why, so in reasons.items() if so):
        raise UsageError(f"{given}: {why}", "choose another folder; nothing was changed")


def _ask(app: App, args: Args) -> tuple[str, list[str], list[str]]:
    """(a name, priorities, folders): of the options or, where there are none, of a person at the terminal."""
    matters = [to_line(each) for each in args.matters]  # one line each: none ends its list item or opens a heading
    given = to_line(args.name), matters, [each for each in args.folder if each.strip()]
    if app.question is None or any(given):
        return given
    name = app.question("Your name, as your notes spell it (Enter to skip): ")
    said = app.question("What matters now, a few words each, separated by commas (Enter to skip): ")
    folders = _split(app.question(FOLDERS))
    while missing := [each for each in folders if not os.path.isdir(os.path.expanduser(each))]:
        app.say(f"{missing[0]}: is not a folder")
        folders = _split(app.question(FOLDERS))
    return to_line(name), _split(said), folders


def _split(text: str) -> list[str]:
    return [to_line(part) for part in text.split(",") if part.strip()]


def _entries(tree: Tree, folders: list[str]) -> list[registry.KnowledgeBase]:
    made: list[registry.KnowledgeBase] = []
    for given in folders:
        folder = os.path.realpath(os.path.expanduser(given))
        if not os.path.isdir(folder):
            raise KbInvalid(f"{given}: is not a folder", "name a folder that exists; nothing was made")
        if reason := registry.own_folder(tree, folder):
            raise KbInvalid(f"{given} {reason}", "name the folder that holds the notes themselves; nothing was made")
        name = re.sub("[^a-z0-9_-]", "-", os.path.basename(folder).lower()).strip("-")[:50] or "notes"
        taken = {each.name for each in made}
        name = next(each for each in (name, *(f"{name}-{n}" for n in range(2, 99))) if each not in taken)
        entry = registry.KnowledgeBase(name=name, path=tree.relative(folder), folder=folder, description="")
        registry.refuse_taken(made, entry)
        made.append(entry)
    return made


def contents(tree: Tree, name: str = "", matters: Sequence[str] = ()) -> dict[str, str]:
    """{absolute path: text} of a fresh instance of a person `name`; last adjutant.yaml, which makes it an instance."""
    texts = {layer: package.text("instance", "identity", f"{layer}.md") for layer in LAYERS}
    if name:
        texts["user"] = texts["user"].rstrip("\n") + f"\n\n- Name: {name}\n"
    if items := "".join(f"- {each}\n" for each in matters if each):
        texts["heart"] = texts["heart"].replace(f"{PRIORITIES}\n", f"{PRIORITIES}\n\n{items}", 1)
    made = {tree.layer(layer): text for layer, text in texts.items()}
    made |= {tree.role(name): roles.read_packaged(name) for name in (roles.CONDUCTOR, *roles.MODES)}
    skills = package.names("instance", "skills")
    made |= {tree.skill(name): package.text("instance", "skills", name, "SKILL.md") for name in skills}
    plain = {tree.registry: "registry.yaml", tree.taxonomy: "taxonomy.yaml", tree.agents: "AGENTS.md"}
    plain |= {tree.gitignore: "gitignore", tree.inside(".env.example"): "env.example"}
    made |= {path: package.text("instance", name) for path, name in plain.items()}
    called = json.dumps(os.path.basename(tree.root) or "adjutant", ensure_ascii=False)
    settings = package.text("instance", "settings.yaml").replace("name: adjutant", f"name: {called}", 1)
    return made | {tree.config: settings}
