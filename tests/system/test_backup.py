"""backup and restore: the whole truth and no secret, at one instant, whole or not at all."""

from __future__ import annotations

import io
import os
import socket
import tarfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from adjutant.store import snapshot as manifests
from adjutant.store import snapshot as snapshots
from adjutant.store.files import Files
from adjutant.store.snapshot import Manifest, Snapshot
from adjutant.store.tree import Tree
from tests.conftest import adjutant
from tests.system.syscalls import disturbed, each, sampled, traced
from tests.system.world import TASKS, World, changed, mannered, once, readable

TOKEN = "1234567:AAcanaryOfTheBotToken0123456789abc"


def live(world: World) -> None:
    world.run("pulse", check=0)
    world.run("memory", "save", "Berg answers faster by phone", "--type", "person", check=0)
    world.run("index", check=0)
    world.secrets(TELEGRAM_BOT_TOKEN=TOKEN)
    world.write("state/page.json", '{"keys": []}\n').chmod(0o600)


@pytest.fixture
def lived(world: World, kept: Path) -> World:
    """A day of an instance, with secrets."""
    return once(kept / "lived", world, live)


def tar(world: World, name: str = "b.tar") -> Path:
    return world.root.parent / name


def backup(world: World, name: str = "b.tar", *more: str, check: int = 0) -> dict[str, Any]:
    return world.result("backup", str(tar(world, name)), *more, check=check)


def restored(world: World, name: str = "again", source: str = "b.tar") -> World:
    folder = world.root.parent / name
    adjutant("restore", str(tar(world, source)), str(folder), check=0, ADJUTANT_NOW=world.now)
    return World(folder, world.now)


def names(path: Path) -> list[str]:
    with tarfile.open(path) as found:
        return found.getnames()


# -- there and back ------------------------------------------------------------------------------------------


def test_a_restored_instance_is_the_same_tree(lived: World) -> None:
    made = backup(lived)
    ran = adjutant("restore", str(tar(lived)), str(lived.root.parent / "again"), check=0)
    again = World(lived.root.parent / "again", lived.now)
    assert backup(again, "c.tar")["tree"] == made["tree"]
    assert made["tree"][:16] in ran.out
    assert "doctor: nothing to mend" in ran.out
    differ = changed(lived.snapshot(), again.snapshot())
    kept = {path for path in differ if not path.startswith(("state/cache", "state/locks", "state/index", "state/page"))}
    assert kept == {".env"}
    readable(again)


def test_a_restored_instance_goes_on_working(lived: World) -> None:
    backup(lived)
    again = restored(lived)
    again.run("index", check=0)
    assert "Berg answers faster by phone" in again.run("search", "Berg phone", check=0).out
    again.run("pulse", check=0)
    assert len(again.outbox()) == len(lived.outbox()), "what was told is not told again"


def test_two_backups_of_one_tree_are_the_same_bytes(lived: World) -> None:
    backup(lived)
    backup(lived, "c.tar")
    assert tar(lived).read_bytes() == tar(lived, "c.tar").read_bytes()


def test_a_backup_changes_nothing_of_what_it_holds(lived: World) -> None:
    before = lived.snapshot()
    backup(lived)
    assert {path.split("/")[1] for path in changed(before, lived.snapshot())} <= {"cache", "locks"}


def test_no_secret_cache_or_lock_is_in_it(lived: World) -> None:
    lived.write("knowledge_bases/bakery/.env.local", f"KEY={TOKEN}\n")
    made = backup(lived)
    held = names(tar(lived))
    assert not [name for name in held if name.startswith(("state/cache", "state/locks", "state/index"))]
    assert [name for name in held if ".env" in name] == [".env.example"]
    assert "state/page.json" not in held
    assert TOKEN.encode() not in tar(lived).read_bytes()
    assert {".env", "knowledge_bases/bakery/.env.local"} <= set(made["left_out"])


@pytest.mark.parametrize("verb", ["pause", "kill"])
def test_a_switch_stops_no_backup_and_comes_along(lived: World, verb: str) -> None:
    lived.run(verb, "on holiday", check=0)
    backup(lived)
    again = restored(lived)
    assert "skipped" in again.run("pulse", check=0).out
    assert "on holiday" in again.text("PAUSED")


def test_a_dangling_switch_is_still_a_switch(lived: World) -> None:
    (lived.root / "PAUSED").symlink_to("/nowhere/at/all")
    backup(lived)
    assert "skipped" in restored(lived).run("pulse", check=0).out


def test_a_broken_config_is_no_reason_for_no_backup(lived: World) -> None:
    lived.write("adjutant.yaml", "notifcations: 1\n")
    backup(lived)
    ran = adjutant("restore", str(tar(lived)), str(lived.root.parent / "again"), check=1)
    assert "BAD config" in ran.out
    assert lived.root.parent.joinpath("again", "adjutant.yaml").exists()


# -- what is no plain file -----------------------------------------------------------------------------------


def test_what_is_no_file_is_left_out_and_named(lived: World) -> None:
    bakery = lived.root / "knowledge_bases" / "bakery"
    os.mkfifo(bakery / "pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        os.chdir(bakery)
        listening.bind("door")
        (bakery / "out").symlink_to("/etc")
        (bakery / ".git").mkdir()
        (bakery / "env").mkdir()
        (bakery / "env" / "pyvenv.cfg").write_text("")
        left_out = backup(lived)["left_out"]
    named = {path.removeprefix("knowledge_bases/bakery/") for path in left_out}
    assert named == {"pipe", "door", "out", ".git", "env", ".env"}


def test_links_within_the_instance_stay_links(lived: World) -> None:
    (lived.root / "mine.md").symlink_to("identity/heart.md")
    (lived.root / "whole.md").symlink_to(lived.root / "identity" / "heart.md")
    backup(lived)
    again = restored(lived)
    assert os.readlink(again.root / "mine.md") == os.readlink(again.root / "whole.md") == "identity/heart.md"


def test_linked_dotfiles_come_as_files(lived: World) -> None:
    dotfiles = lived.root.parent / "dotfiles"
    (lived.root / "identity").rename(dotfiles)
    (lived.root / "identity").symlink_to(dotfiles)
    (lived.root / "adjutant.yaml").rename(dotfiles / "config")
    (lived.root / "adjutant.yaml").symlink_to(dotfiles / "config")
    made = backup(lived)
    again = restored(lived)
    assert not (again.root / "identity").is_symlink()
    assert not (again.root / "adjutant.yaml").is_symlink()
    assert again.text("identity/heart.md") == lived.text("identity/heart.md")
    assert backup(again, "c.tar")["tree"] == made["tree"]


def test_a_file_that_cannot_be_read_is_named_and_the_rest_kept(lived: World, monkeypatch: pytest.MonkeyPatch) -> None:
    lived.write("knowledge_bases/bakery/closed.md", "x")
    real = os.open

    def refusing(path: Any, *more: Any, **named: Any) -> int:
        if path == "closed.md":
            raise PermissionError(13, "Permission denied", path)
        return real(path, *more, **named)

    monkeypatch.setattr(os, "open", refusing)
    snapshot = taken(lived)
    assert snapshot.lost == {"knowledge_bases/bakery/closed.md": "may not be read"}
    assert "knowledge_bases/bakery/tasks.md" in snapshot.held


def test_a_knowledge_base_outside_is_named(lived: World, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    lived.run("kb", "add", "notes", str(tmp_path / "notes"), check=0)
    assert backup(lived)["outside"] == {"notes": str(tmp_path / "notes")}
    (tmp_path / "notes").rmdir()
    ran = adjutant("restore", str(tar(lived)), str(lived.root.parent / "again"), check=1)
    assert f"{tmp_path / 'notes'} is not here: bring it" in ran.out
    assert "next: .env was not" in ran.out


# -- where it may be written, and into what ------------------------------------------------------------------


def test_a_backup_does_not_go_where_it_would_be_held(lived: World) -> None:
    for place in ("b.tar", "knowledge_bases/b.tar", "state/cache/b.tar", "../away/../instance/b.tar"):
        said = lived.refusal("backup", str(lived.root / place.replace("instance", lived.root.name)), check=1)
        assert said["error"]["code"] == "backup.refused"


def test_no_foreign_file_is_overwritten(lived: World) -> None:
    tar(lived).write_text("the operator's own\n")
    lived.refusal("backup", str(tar(lived)), check=1)
    assert tar(lived).read_text() == "the operator's own\n"
    backup(lived, "b.tar", "--force")
    backup(lived, "b.tar")
    assert names(tar(lived))[0] == manifests.NAME


def test_a_dry_run_writes_no_backup(lived: World) -> None:
    told = backup(lived, "b.tar", "--dry-run")
    assert not list(lived.root.parent.glob("*.tar*"))
    assert told["tree"] == backup(lived)["tree"]


def test_only_a_new_or_empty_folder_is_restored_into(lived: World) -> None:
    backup(lived)
    again = lived.root.parent / "again"
    again.mkdir()
    (again / "mine.txt").write_text("x")
    for place in (again, again / "mine.txt", lived.root / "inside", lived.root.parent / "no" / "where"):
        ran = adjutant("restore", str(tar(lived)), str(place), check=1)
        mannered(ran)
    assert [path.name for path in again.iterdir()] == ["mine.txt"]
    (again / "mine.txt").unlink()
    restored(lived)


# -- hostile and damaged files -------------------------------------------------------------------------------

Member = tuple[tarfile.TarInfo, bytes]
Bend = Callable[[list[Member]], list[Member]]


def rewritten(source: Path, target: Path, bend: Bend) -> None:
    """The same tar with other members."""
    with tarfile.open(source) as old:
        members = [(info, data.read() if (data := old.extractfile(info)) else b"") for info in old.getmembers()]
    with tarfile.open(target, "w", format=tarfile.GNU_FORMAT) as new:
        for info, data in bend(members):
            new.addfile(info, io.BytesIO(data))


def member(
    name: str, kind: bytes = tarfile.REGTYPE, data: bytes = b"", link: str = ""
) -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    info.type, info.size, info.linkname = kind, len(data), link
    return info, data


def other_bytes(members: list[Member]) -> list[Member]:
    return [(info, data.swapcase() if info.name == "identity/heart.md" else data) for info, data in members]


BENT: dict[str, Bend] = {
    "traversal": lambda all: [*all, member("../../escaped", data=b"x")],
    "absolute": lambda all: [*all, member("/tmp/escaped", data=b"x")],
    "a link out": lambda all: [*all, member("link", tarfile.SYMTYPE, link="/etc")],
    "a hard link": lambda all: [*all, member("hard", tarfile.LNKTYPE, link="adjutant.yaml")],
    "a device": lambda all: [*all, member("disk", tarfile.BLKTYPE)],
    "a member twice": lambda all: [*all, all[-1]],
    "a member less": lambda all: all[:-1],
    "members in another order": lambda all: [all[0], *reversed(all[1:])],
    "other bytes": other_bytes,
    "no manifest": lambda all: all[1:],
    "no manifest but a tar": lambda all: [member("hello", data=b"x")],
    "nothing": lambda all: [],
}


@pytest.mark.parametrize("bend", BENT.values(), ids=BENT.keys())
def test_a_tar_that_does_not_fit_is_refused_whole(lived: World, bend: Bend) -> None:
    backup(lived)
    rewritten(tar(lived), tar(lived, "bent.tar"), bend)
    refused(lived, "bent.tar")


def refused(world: World, name: str) -> None:
    before = set(os.listdir(world.root.parent))
    ran = adjutant("restore", str(tar(world, name)), str(world.root.parent / "again"), check=65)
    mannered(ran)
    assert set(os.listdir(world.root.parent)) == before, "nothing is left of it"


def test_a_link_through_a_link_leads_nowhere(lived: World) -> None:
    """Each alone stays inside by its words; together they climb out."""
    backup(lived)

    def bend(members: list[Member]) -> list[Member]:
        found = manifests.decode(members[0][1])
        links = [
            manifests.Entry("knowledge_bases/up", manifests.LINK, target="../identity"),
            manifests.Entry("knowledge_bases/bakery/z", manifests.LINK, target="../up/../../x"),
        ]
        entries = sorted([*found.entries, *links])
        told = Manifest(entries, {}, {}).encode()
        rest = {info.name: (info, data) for info, data in members[1:]}
        made = [rest.get(entry.path) or member(entry.path, tarfile.SYMTYPE, link=entry.target) for entry in entries]
        return [member(manifests.NAME, data=told), *made]

    rewritten(tar(lived), tar(lived, "bent.tar"), bend)
    refused(lived, "bent.tar")


@pytest.mark.parametrize("how", ["cut", "gzip", "garbage", "empty", "long header", "sparse"])
def test_a_file_that_is_no_backup_is_refused(lived: World, how: str) -> None:
    import gzip  # one case of six

    backup(lived)
    whole = tar(lived).read_bytes()
    sparse = tarfile.TarInfo(manifests.NAME)
    sparse.type, sparse.size = tarfile.GNUTYPE_SPARSE, 1 << 40
    long = tarfile.TarInfo("././@LongLink")
    long.type, long.size = tarfile.GNUTYPE_LONGNAME, 1 << 33
    made = {
        "cut": whole[: len(whole) // 2],
        "gzip": gzip.compress(whole),
        "garbage": os.urandom(4096),
        "empty": b"",
        "long header": long.tobuf(tarfile.GNU_FORMAT) + bytes(1024),
        "sparse": sparse.tobuf(tarfile.GNU_FORMAT) + bytes(1024),
    }
    tar(lived, "bent.tar").write_bytes(made[how])
    refused(lived, "bent.tar")


def test_a_backup_cut_at_any_place_is_refused(lived: World, tmp_path: Path) -> None:
    from adjutant.errors import BackupDamaged
    from adjutant.store import archive

    backup(lived)
    whole, cut = tar(lived).read_bytes(), tmp_path / "cut.tar"
    end = len(whole.rstrip(b"\0"))
    for length in range(0, end - 512, max(512, end // 40)):
        cut.write_bytes(whole[:length])
        with pytest.raises(BackupDamaged):
            archive.check(str(cut))


# -- while others go on changing the tree --------------------------------------------------------------------


def taken(world: World) -> Snapshot:
    snapshot = Snapshot(Files(Tree(str(world.root))), io.BytesIO())
    snapshot.take()
    return snapshot


def copies(snapshot: Snapshot, path: str) -> bytes:
    held = snapshot.held[path]
    assert isinstance(snapshot._copies, io.BytesIO), "that of `taken`"
    whole = snapshot._copies.getvalue()
    return whole[held.offset : held.offset + held.entry.size]


def test_a_log_is_cut_at_its_last_whole_line(lived: World) -> None:
    whole = (lived.root / "state" / "actions.jsonl").read_bytes()
    lived.write("state/actions.jsonl", whole + b'{"ts": "2026-11')
    lived.write("knowledge_bases/bakery/own.jsonl", '{"a": 1}\n{"half')
    snapshot = taken(lived)
    assert copies(snapshot, "state/actions.jsonl") == whole
    assert copies(snapshot, "knowledge_bases/bakery/own.jsonl") == b'{"a": 1}\n{"half', "a person's file is as it is"


def test_what_changes_during_the_copying_is_copied_again(lived: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """An editor saves the heart after it was copied."""
    saved = Snapshot._copy
    heart, news = lived.root / "identity" / "heart.md", "# Heart\n\nNews.\n"

    def copy(self: Snapshot, seen: snapshots.Seen) -> None:
        saved(self, seen)
        if seen.path == "identity/heart.md" and heart.read_text() != news:
            heart.write_text(news)

    monkeypatch.setattr(Snapshot, "_copy", copy)
    assert copies(taken(lived), "identity/heart.md").decode() == news


def test_files_that_belong_together_are_of_one_instant(lived: World) -> None:
    """Two files are always changed one after the other: no backup has the second's news without the first's."""
    stop, first, second = threading.Event(), lived.root / "state" / "a.txt", lived.root / "memory" / "b.txt"
    files = Files(Tree(str(lived.root)))

    def write() -> None:
        for number in range(10_000):
            with files.lock("memory"):
                for path in (first, second):
                    files.replace(str(path), f"{number:05}")
            if stop.wait(0.004):
                return

    first.write_text("00000")
    second.write_text("00000")
    writer = threading.Thread(target=write)
    writer.start()
    try:
        for _ in range(5):
            found = taken(lived)
            assert copies(found, "state/a.txt") == copies(found, "memory/b.txt")
    finally:
        stop.set()
        writer.join()


def test_an_instance_that_never_holds_still_is_refused(lived: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshots, "HOLD", 0.2)
    monkeypatch.setattr(snapshots, "PAUSE", 0.01)
    stop, path = threading.Event(), lived.root / "workspace" / "busy.txt"
    path.parent.mkdir(exist_ok=True)

    def write() -> None:
        while not stop.is_set():
            path.write_text(os.urandom(4).hex())

    writer = threading.Thread(target=write)
    writer.start()
    try:
        with pytest.raises(snapshots.LockBusy, match=r"did not hold still.*workspace/busy.txt"):
            taken(lived)
    finally:
        stop.set()
        writer.join()


@pytest.mark.sweep
def test_a_backup_while_pulses_run_is_a_tree_that_goes_on(lived: World) -> None:
    for number in range(6):
        lived.write("knowledge_bases/bakery/more.md", f"- [ ] Order flour {number} for the bakery, due 2026-11-18\n")
        with lived.start("pulse", "--full") as pulse:
            backup(lived, f"{number}.tar")
            pulse.communicate(timeout=60)
        again = restored(lived, f"again{number}", f"{number}.tar")
        readable(again)
        again.run("pulse", "--full", check=0)
        readable(again)
        assert again.insights("pending") == []


# -- kill -9 -------------------------------------------------------------------------------------------------

SIDES = ("write", "openat", "mkdir", "unlink", "rename", "fsync", "fchmod", "chmod", "utimensat", "symlink", "rmdir")


@pytest.mark.real_strace
@pytest.mark.sweep
def test_a_backup_killed_anywhere_leaves_the_old_one(lived: World, tmp_path: Path) -> None:
    backup(lived)
    old = tar(lived).read_bytes()
    lived.write("knowledge_bases/bakery/tasks.md", TASKS + "- [ ] News\n")
    backup(lived, "new.tar")
    new = tar(lived, "new.tar").read_bytes()

    def one(point: Any) -> None:
        folder = tmp_path / f"{point.name}-{point.number}"
        folder.mkdir()
        (folder / "b.tar").write_bytes(old)
        disturbed(lived, "backup", str(folder / "b.tar"), fault=f"{point.name}:signal=SIGKILL:when={point.number}")
        assert (folder / "b.tar").read_bytes() in (old, new)
        lived.run("backup", str(folder / "b.tar"), check=0)
        assert (folder / "b.tar").read_bytes() == new
        assert os.listdir(folder) == ["b.tar"], "the next one takes away what the killed one left"

    swept(points(lived, tmp_path, "backup", str(tmp_path / "spare.tar")), one)


@pytest.mark.real_strace
@pytest.mark.sweep
def test_a_restore_killed_anywhere_leaves_nothing_or_all(lived: World, tmp_path: Path) -> None:
    made = backup(lived)

    def one(point: Any) -> None:
        folder = tmp_path / f"r-{point.name}-{point.number}"
        folder.mkdir()
        fault = f"{point.name}:signal=SIGKILL:when={point.number}"
        disturbed(lived, "restore", str(tar(lived)), str(folder / "new"), fault=fault)
        if not (folder / "new").exists():
            adjutant("restore", str(tar(lived)), str(folder / "new"), check=0)
        found = World(folder / "new", lived.now).result("backup", str(folder / "b.tar"))
        assert found["tree"] == made["tree"]
        assert sorted(os.listdir(folder)) == ["b.tar", "new"], "the next one takes away what the killed one left"

    swept(points(lived, tmp_path, "restore", str(tar(lived)), str(tmp_path / "spare")), one)


def swept(found: Iterator[Any], one: Callable[[Any], None]) -> None:
    chosen = list(found)
    assert len(chosen) >= 5, "the sweep has gone blind"
    each(chosen, one)


def points(world: World, tmp_path: Path, *words: str) -> Iterator[Any]:
    """Some 60 calls that make or change something, spread over a run."""
    from tests.system.syscalls import FAILED, Point

    ran, calls = traced(world, *words, calls=SIDES)
    assert ran.code == 0, ran
    counts: dict[str, int] = {}
    found = []
    for call in calls:
        if call.pid == calls[0].pid:
            counts[call.name] = counts.get(call.name, 0) + 1
            reading = call.name == "openat" and not any(word in call.rest for word in ("O_CREAT", "O_WRONLY", "O_RDWR"))
            if str(tmp_path.parent) in call.rest and not reading and not FAILED.search(call.rest):
                found.append(Point(call.name, counts[call.name], call.rest))
    yield from sampled(found, 60)
