"""STAGE. init: makes an instance in a folder, every file of it worth editing."""

from __future__ import annotations

import os

from adjutant.app import Outcome
from adjutant.domain.prompting import roles
from adjutant.errors import UsageError
from adjutant.store import package, settings
from adjutant.store.files import Files, make_folder
from adjutant.store.tree import LAYERS, Tree, instance_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from adjutant.app import App

READS = ()
WRITES = ("config", "gitignore", "identity", "knowledge_bases", "prompts", "state", "journal", "insights", "env")


def run(app: App, args: argparse.Namespace) -> Outcome:
    """Result {root, created[]}. Raises UsageError when DIR holds or lies in an instance, IoFailed."""
    root = os.path.realpath(os.path.expanduser(args.dir))
    tree = Tree(root)
    if os.path.lexists(tree.config):
        raise UsageError(f"{args.dir}: holds an adjutant.yaml already", "choose another folder; nothing was changed")
    if outer := instance_at(os.path.dirname(root)):
        raise UsageError(
            f"{args.dir}: lies inside the instance {outer}; one inside another is refused wherever it is found",
            "choose a folder outside of it; nothing was changed",
        )
    if os.path.lexists(root) and not os.path.isdir(root):
        raise UsageError(f"{args.dir}: is a file, not a folder", "choose another folder; nothing was changed")
    files = Files(tree, dry=app.dry_run)
    created = [tree.relative(path) for path, text in contents(tree).items() if _make(files, path, text)]
    if not app.dry_run:
        for folder in (tree.pending, tree.sent, tree.journal, tree.state):
            make_folder(folder)
    cd = f"cd {root}" if " " not in root else f"cd '{root}'"
    lines = [
        f"{root}: {'would make' if app.dry_run else 'made'} {len(created)} files",
        "next: write your priorities into identity/heart.md,",
        f"then `{cd} && adjutant kb add NAME FOLDER` and `adjutant pulse`.",
    ]
    return Outcome(
        {"root": root, "created": created},
        lines,
        next_actions=[
            (
                "adjutant kb add <name> <path>",
                "register a folder of yours",
                {"name": "a short name", "path": "the folder"},
            ),
            ("adjutant pulse", "the first heartbeat"),
        ],
    )


def contents(tree: Tree) -> dict[str, str]:
    """{absolute path: text} of a fresh instance. adjutant.yaml is last: it is what makes the folder an instance."""
    name = os.path.basename(tree.root) or "adjutant"
    made = {tree.layer(layer): package.text("instance", "identity", f"{layer}.md") for layer in LAYERS}
    made[tree.registry] = package.text("instance", "registry.yaml")
    made[tree.taxonomy] = package.text("instance", "taxonomy.yaml")
    made |= {tree.role(name): roles.packaged(name) for name in (roles.CONDUCTOR, *roles.MODES)}
    made[tree.gitignore] = package.text("instance", "gitignore")
    made[tree.inside(".env.example")] = package.text("instance", "env.example")
    made[tree.config] = settings.default_file(name)
    return made


def _make(files: Files, path: str, text: str) -> bool:
    try:
        files.create(path, text)
    except FileExistsError:
        return False
    return True
