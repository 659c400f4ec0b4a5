"""STAGE. restore: an instance from its backup into a new folder, compared with the manifest, then shown to doctor."""

from __future__ import annotations

import os
import stat

from adjutant.app import Outcome
from adjutant.errors import AdjutantError, BackupRefused, CheckFailed
from adjutant.records import registry
from adjutant.store import archive, switches
from adjutant.store.files import Files
from adjutant.store.manifest import Manifest
from adjutant.store.tree import Tree, instance_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from adjutant.app import App

READS = ()
WRITES = ()  # a folder that is no instance until it is whole


def run(app: App, args: argparse.Namespace) -> Outcome:
    """Result {root, files, bytes, tree, doctor[], todo[]}; exit 1 when doctor finds something, the instance is there
    then. Raises BackupRefused, BackupDamaged, IoFailed; nothing is made then."""
    source, root = archive.place_of(args.file), archive.place_of(args.dir)
    _refuse(args.file, source, args.dir, root)
    if app.dry_run:
        manifest = archive.check(source)
        return Outcome(_result(root, manifest, [], []), [f"{root}: would hold {manifest.told}"])
    for name in archive.sweep(root):
        app.say(f"{name}: left by a restore that was cut; taken away")
    manifest = archive.restore(source, root)
    found = app.examine(root)
    bad = [f"{each['name']}: {each['detail']}" for each in found.result["checks"] if not each["ok"]]
    todo = _todo(root, manifest)
    told = f"doctor: {len(bad)} need a hand" if bad else "doctor: nothing needs a hand"
    lines = [
        f"{root}: {manifest.told}; {told}",
        *(f"  BAD {each}" for each in bad),
        *(f"  next: {each}" for each in todo),
    ]
    error = CheckFailed(f"restored, and {found.error.message}", found.error.fix) if found.error is not None else None
    return Outcome(_result(root, manifest, bad, todo), lines, error=error)


def _result(root: str, manifest: Manifest, bad: list[str], todo: list[str]) -> dict[str, object]:
    sizes = [entry.size for entry in manifest.entries if entry.kind == "file"]
    result = {"root": root, "files": len(sizes), "bytes": sum(sizes), "tree": manifest.tree}
    return {**result, "doctor": bad, "todo": todo}


def _refuse(given_file: str, source: str, given: str, root: str) -> None:
    try:
        is_file = stat.S_ISREG(os.stat(source).st_mode)
    except FileNotFoundError:
        is_file = False
    if not is_file:
        raise BackupRefused(f"{given_file}: is no file", "name the file that `adjutant backup` wrote")
    if os.path.lexists(root) and not (os.path.isdir(root) and not os.listdir(root)):
        raise BackupRefused(f"{given}: is not empty", "name a new folder; then swap the two by hand if you want to")
    if not os.path.isdir(os.path.dirname(root)):
        raise BackupRefused(f"{given}: there is no folder {os.path.dirname(root)}", "make it first")
    if outer := instance_at(os.path.dirname(root)):
        raise BackupRefused(f"{given}: lies inside the instance {outer}", "name a folder outside of it")


def _todo(root: str, manifest: Manifest) -> list[str]:
    """What no backup can bring along."""
    tree = Tree(root)
    todo = [
        f"{path} was not in the backup: write it again, by .env.example" for path in manifest.left_out if path == ".env"
    ]
    try:
        kbs = registry.load(Files(tree))
    except AdjutantError:
        kbs = []  # doctor names it
    todo += [
        f"{kb.folder} is not on this machine: bring it, or put its path here into knowledge_bases/registry.yaml"
        for kb in kbs
        if not os.path.isdir(kb.folder)
    ]
    if switches.is_on(tree.paused):
        todo.append("PAUSED is set, as it was: `adjutant resume` lifts it")
    todo.append("stop the old instance before this one runs: two would each send notices (`adjutant schedule install`)")
    return todo
