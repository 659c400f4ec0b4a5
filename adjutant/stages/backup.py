"""STAGE. backup: everything that is truth into one tar, as it was at one instant; no secret, no cache."""

from __future__ import annotations

import json
import os
import stat

from adjutant.app import Outcome, names
from adjutant.errors import AdjutantError, BackupRefused, CheckFailed
from adjutant.records import registry
from adjutant.store import archive
from adjutant.store.manifest import Manifest
from adjutant.store.own_secrets import own_secrets
from adjutant.store.snapshot import Snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from adjutant.app import App

READS = names("root")
WRITES = names("last_backup locks")
SHOWN = 20


def run(app: App, args: argparse.Namespace) -> Outcome:
    """Result {path, files, bytes, tree, left_out{path: why}, lost{path: why}, outside{kb: folder}, secrets[]}; exit 1
    when something could not be read, the rest is written then. Raises BackupRefused, LockBusy, IoFailed."""
    path = archive.place_of(args.file)
    _refuse(app, args.file, path, args.force)
    if not app.dry_run:
        archive.sweep(path)
    with archive.nameless(path) as copies:
        snapshot = Snapshot(app.files, copies, _secrets(app))
        snapshot.take()
        left_out = {**snapshot.look.left_out, **snapshot.lost}
        manifest = Manifest(snapshot.entries(), _outside(app), dict(sorted(left_out.items())))
        if not app.dry_run:
            archive.write(path, manifest, snapshot.held, copies)
            _remember(app, path, manifest)
    return _outcome(app, path, manifest, snapshot)


def _refuse(app: App, given: str, path: str, force: bool) -> None:
    """Raises BackupRefused for a place where no backup may go."""
    root = os.path.realpath(app.tree.root)
    inside = [os.path.realpath(folder) for folder in (root, *app.tree.folders)]
    if any(path == each or path.startswith(f"{each}/") for each in inside):
        raise BackupRefused(f"{given}: lies in the instance: the next backup would hold it", "name a place outside")
    if not os.path.isdir(os.path.dirname(path)):
        raise BackupRefused(f"{given}: there is no folder {os.path.dirname(path)}", "make it first")
    try:
        kind = os.lstat(path).st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISREG(kind):
        raise BackupRefused(f"{given}: is no file", "name a file, such as adjutant.tar")
    if not force and not archive.is_backup(path):
        raise BackupRefused(f"{given}: is there, and is no backup of Adjutant's", "name another, or add --force")


def _secrets(app: App) -> set[bytes]:
    try:
        return {value.encode("utf-8", "surrogateescape") for value in own_secrets(app.files, app.secret, {})}
    except AdjutantError:
        return set()  # `doctor` names the .env that cannot be read


def _outside(app: App) -> dict[str, str]:
    """{name: folder} of the knowledge bases that lie elsewhere; none from a registry that is damaged."""
    try:
        kbs = registry.load(app.files)
    except AdjutantError as error:
        app.say(error.message)
        return {}
    return {kb.name: kb.folder for kb in kbs if app.tree.relative(kb.folder) == kb.folder}


def _remember(app: App, path: str, manifest: Manifest) -> None:
    """When the last backup was made, for `doctor`: a cache, for no backup is to change what it holds."""
    record = {"ts": app.clock.now().isoformat(), "path": path, "tree": manifest.tree}
    try:
        app.files.replace(app.tree.last_backup, json.dumps(record) + "\n")
    except AdjutantError as error:
        app.say(f"the backup is written; that it was could not be noted: {error.message}")


def _outcome(app: App, path: str, manifest: Manifest, snapshot: Snapshot) -> Outcome:
    done = "would hold" if app.dry_run else "holds"
    lines = [f"{path}: {done} {manifest.told}"]
    left_out = [f"  left out: {name}: {why}" for name, why in manifest.left_out.items()]
    more = [f"  and {len(left_out) - SHOWN} more; --json has all"] if len(left_out) > SHOWN else []
    lines += left_out[:SHOWN] + more
    lines += [f"  not in it: knowledge base {name}: {folder}" for name, folder in manifest.outside.items()]
    lines += [f"  holds a secret of yours: {name}: change the secret, take it out" for name in sorted(snapshot.telling)]
    result = {
        "path": path,
        "files": len(snapshot.held),
        "bytes": sum(entry.size for entry in manifest.entries),
        "tree": manifest.tree,
        "left_out": manifest.left_out,
        "lost": snapshot.lost,
        "outside": manifest.outside,
        "secrets": sorted(snapshot.telling),
    }
    lost = ", ".join(sorted(snapshot.lost)[:5])
    error = CheckFailed(f"not in the backup, for it cannot be read: {lost}", "mend its mode") if lost else None
    return Outcome(result, lines, error=error)
