"""STAGE. backup: everything that is truth into one tar, as it was at one instant; no secret, no cache."""

import os

from adjutant.app import App, Args, Outcome, cut_list
from adjutant.errors import AdjutantError, BackupRefused, CheckFailed
from adjutant.records import registry
from adjutant.store import archive
from adjutant.store.snapshot import Manifest, Snapshot

SHOWN = 20


def run(app: App, args: Args) -> Outcome:
    """{path, files, bytes, tree, left_out{path: why}, lost{path: why}, outside{kb: folder}}; 1 where some is lost."""
    path = os.path.realpath(os.path.expanduser(args.file))
    _refuse(app, args.file, path, args.force)
    if not app.dry_run:
        archive.sweep(path)
    with archive.nameless(path) as copies:
        snapshot = Snapshot(app.files, copies)
        snapshot.take()
        left_out, kbs = {**snapshot.look.left_out, **snapshot.lost}, list[registry.KnowledgeBase]()
        try:
            kbs = registry.load(app.files)
        except AdjutantError as error:  # none from a registry that is damaged
            app.say(error.message)
        outside = {kb.name: kb.folder for kb in kbs if app.tree.relative(kb.folder) == kb.folder}
        manifest = Manifest(snapshot.entries(), outside, dict(sorted(left_out.items())))
        if not app.dry_run:
            archive.write(path, manifest, snapshot.held, copies)
    lost, lines = snapshot.lost, [f"{path}: {'would hold' if app.dry_run else 'holds'} {manifest.told}"]
    left = [f"  left out: {name}: {why}" for name, why in manifest.left_out.items()]
    lines += cut_list(left, SHOWN, before="  ", hint="; --json has all")
    lines += [f"  not in it: knowledge base {name}: {folder}" for name, folder in manifest.outside.items()]
    refused = CheckFailed(f"not in the backup: {', '.join(lost)} may not be read", "mend its mode") if lost else None
    more = {"left_out": manifest.left_out, "lost": lost, "outside": manifest.outside}
    return Outcome({"path": path, **manifest.figures, **more}, lines, error=refused)


def _refuse(app: App, given: str, path: str, force: bool) -> None:
    inside, why = [os.path.realpath(folder) for folder in (app.tree.root, *app.tree.folders)], ""
    if any(path == each or path.startswith(f"{each}/") for each in inside):
        why, fix = "is inside the instance, so the next backup would include it", "name a place outside"
    elif not os.path.isdir(os.path.dirname(path)):
        why, fix = f"there is no folder {os.path.dirname(path)}", "make it first"
    elif os.path.lexists(path) and not os.path.isfile(path):
        why, fix = "is not a file", "name a file, such as adjutant.tar"
    elif os.path.lexists(path) and not force and not archive.is_backup(path):
        why, fix = "exists and is not an Adjutant backup", "name another file, or add --force"
    if why:
        raise BackupRefused(f"{given}: {why}", fix)
