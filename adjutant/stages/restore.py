"""STAGE. restore: an instance from its backup into a new folder, compared with the manifest, then shown to doctor."""

import os

from adjutant.app import App, Args, Outcome
from adjutant.errors import AdjutantError, BackupRefused, CheckFailed
from adjutant.records import registry
from adjutant.store import archive, files, snapshot, switches
from adjutant.store.tree import Tree, instance_at


def run(app: App, args: Args) -> Outcome:
    """{root, files, bytes, tree, doctor[], todo[]}; 1 when doctor finds something: the instance is there then."""
    source, root = (os.path.realpath(os.path.expanduser(each)) for each in (args.file, args.dir))
    _refuse(args.file, source, args.dir, root)
    if app.dry_run:
        manifest, checks, todo = archive.check(source), [], []
    else:
        for name in archive.sweep(root):
            app.say(f"{name}: left by a restore that was cut; taken away")
        manifest = archive.restore(source, root)
        checks, todo = app.examine(root).result["checks"], _todo(root, manifest)
    bad = [f"{each['name']}: {each['detail']}" for each in checks if not each["ok"]]
    done = "would hold" if app.dry_run else "holds"
    told = "" if app.dry_run else f"; doctor: {len(bad) or 'nothing'} to mend"
    lines = [f"{root}: {done} {manifest.told}{told}", *(f"  BAD {each}" for each in bad)]
    lines += [f"  next: {each}" for each in todo]
    error = CheckFailed("restored whole; doctor names what needs a hand", "adjutant doctor") if bad else None
    return Outcome({"root": root, **manifest.figures, "doctor": bad, "todo": todo}, lines, error=error)


def _refuse(given_file: str, source: str, given: str, root: str) -> None:
    above = os.path.dirname(root)
    if not os.path.isfile(source):
        raise BackupRefused(f"{given_file}: is not a file", "name the file that `adjutant backup` wrote")
    if os.path.lexists(root) and not (os.path.isdir(root) and not os.listdir(root)):
        raise BackupRefused(f"{given}: is not empty", "name a new folder; then swap the two by hand if you want to")
    if not os.path.isdir(above):
        raise BackupRefused(f"{given}: there is no folder {above}", "make it first")
    if outer := instance_at(above):
        raise BackupRefused(f"{given}: lies inside the instance {outer}", "name a folder outside of it")


def _todo(root: str, manifest: snapshot.Manifest) -> list[str]:
    tree = Tree(root)
    lost = tree.relative(tree.env) in manifest.left_out
    todo = [".env was not in the backup: write it again, by .env.example"] if lost else []
    try:
        kbs = registry.load(files.Files(tree))
    except AdjutantError:
        kbs = []  # doctor names it
    away, place = (kb.folder for kb in kbs if not os.path.isdir(kb.folder)), tree.relative(tree.registry)
    todo += [f"{folder} is not here: bring it, or put its path into {place}" for folder in away]
    if switches.is_on(tree.paused):
        todo.append("PAUSED is set, as it was: `adjutant resume` lifts it")
    return [*todo, "stop the old instance, or both send notices; then `adjutant schedule install` here"]
