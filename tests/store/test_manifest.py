"""The manifest of a backup: one hash for one tree, and nothing in it is believed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from adjutant.errors import BackupDamaged
from adjutant.store import snapshot as manifest
from adjutant.store.snapshot import FILE, FOLDER, LINK, Entry, Manifest

HASH = "a" * 64
CONFIG = Entry("adjutant.yaml", FILE, 0o600, 3, HASH)
HONEST = [CONFIG, Entry("notes", FOLDER, 0o700), Entry("notes/a.md", FILE, 0o644, 5, HASH)]


def encoded(*entries: Entry) -> bytes:
    return Manifest(list(entries), {"kb": "/elsewhere"}, {".env": "secrets"}).encode()


def test_what_is_encoded_is_decoded() -> None:
    told = Manifest([*HONEST, Entry("odd\nname", LINK, target="notes/a.md")], {"kb": "/x"}, {".env": "why"})
    assert manifest.decode(told.encode()) == told


def test_the_hash_counts_every_field_of_an_entry() -> None:
    changes = (
        {"path": "notes/b.md"},
        {"mode": 0o600},
        {"size": 6},
        {"sha256": "b" * 64},
    )
    trees = {Manifest([*HONEST[:2], HONEST[2]._replace(**change)], {}, {}).tree for change in changes}
    assert len(trees | {Manifest(HONEST, {}, {}).tree}) == len(changes) + 1


HOSTILE = {
    "absolute": Entry("/etc/cron.d/x", FILE, 0o600, 1, HASH),
    "climbing": Entry("../x", FILE, 0o600, 1, HASH),
    "climbing within": Entry("notes/../../x", FILE, 0o600, 1, HASH),
    "not normal": Entry("notes//b.md", FILE, 0o600, 1, HASH),
    "the folder itself": Entry(".", FOLDER, 0o700),
    "a NUL": Entry("notes/b\0.md", FILE, 0o600, 1, HASH),
    "twice": HONEST[2],
    "out of order": Entry("aaa", FILE, 0o600, 1, HASH),
    "in no folder": Entry("other/x", FILE, 0o600, 1, HASH),
    "below a file": Entry("notes/a.md/x", FILE, 0o600, 1, HASH),
    "a secret": Entry("notes/b/.env", FILE, 0o600, 1, HASH),
    "a key of the page": Entry("state/page.json", FILE, 0o600, 1, HASH),
    "a lock": Entry("state/locks", FOLDER, 0o700),
    "set user id": Entry("notes/b.md", FILE, 0o4755, 1, HASH),
    "a device": Entry("notes/b.md", "device", 0o600),
    "a file without a hash": Entry("notes/b.md", FILE, 0o600, 1),
    "a folder with bytes": Entry("notes/b", FOLDER, 0o700, 1),
    "a link out": Entry("notes/b", LINK, target="../../etc"),
    "an absolute link": Entry("notes/b", LINK, target="/etc"),
    "a link to nothing": Entry("notes/b", LINK),
    "a path too long": Entry("notes/" + "b" * 2000, FILE, 0o600, 1, HASH),
}


@pytest.mark.parametrize("entry", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_entry_is_refused(entry: Entry) -> None:
    with_state = [*HONEST, Entry("notes/b", FOLDER, 0o700)] if entry.path.startswith("notes/b/") else HONEST
    with_state = [*HONEST, Entry("state", FOLDER, 0o700)] if entry.path.startswith("state/") else with_state
    manifest.decode(encoded(*with_state))
    with pytest.raises(BackupDamaged, match="its manifest"):
        manifest.decode(encoded(*with_state, entry))


def test_a_tree_without_config_is_no_instance() -> None:
    with pytest.raises(BackupDamaged, match=r"without an adjutant\.yaml"):
        manifest.decode(encoded(*HONEST[1:]))


WRONG: tuple[tuple[str, Any], ...] = (
    ("adjutant_backup", 2),
    ("tree", "0" * 64),
    ("entries", [["adjutant.yaml"]]),
    ("entries", [["adjutant.yaml", FILE, -1, 3, HASH, ""]]),
    ("entries", [["adjutant.yaml", FILE, True, 3, HASH, ""]]),
    ("entries", [[["adjutant.yaml"], FILE, 384, 3, HASH, ""]]),
    ("entries", 7),
    ("outside", []),
)


@pytest.mark.parametrize(("key", "value"), WRONG)
def test_a_manifest_of_another_shape_is_refused(key: str, value: Any) -> None:
    found = json.loads(encoded(*HONEST))
    with pytest.raises(BackupDamaged):
        manifest.decode(json.dumps({**found, key: value}).encode())


@pytest.mark.parametrize("data", [b"", b"[]", b"{", b"\xff", b"null", b"[" * 100_000])
def test_what_is_no_manifest_is_refused(data: bytes) -> None:
    with pytest.raises(BackupDamaged):
        manifest.decode(data)
