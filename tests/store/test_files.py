"""The one writer: replace, create, move, remove, links, odd things in a file's place, and the overlay of a dry run."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from adjutant.errors import AdjutantError, FileChanged, FileDamaged, IoFailed, Stopped
from adjutant.store.disk import TEMP_SUFFIX
from adjutant.store.files import Files, sha256
from adjutant.store.tree import Tree
from tests.store.conftest import Store, full, snapshot
from tests.store.writers import start

OLD = b"what was there before\n"
NEW = b"what shall be there\n" * 3


def put(path: str, data: bytes = OLD) -> str:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    Path(path).write_bytes(data)
    return path


def temps(root: str) -> list[str]:
    return [path for path in snapshot(root) if path.endswith(TEMP_SUFFIX)]


# -- replace -------------------------------------------------------------------------------------------------


def test_replace_writes_the_whole_file_and_leaves_no_temp(files: Store) -> None:
    files.replace(files.tree.pulse, NEW)
    assert snapshot(files.tree.root) == {"state": None, "state/pulse.json": NEW}
    files.replace(files.tree.pulse, "ære")
    assert files.read(files.tree.pulse) == "ære".encode()


def test_replace_flushes_exactly_twice(files: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    put(files.tree.pulse)
    flushed: list[bool] = []
    real = os.fsync

    def counting(fd: int) -> None:
        flushed.append(stat.S_ISDIR(os.fstat(fd).st_mode))
        real(fd)

    monkeypatch.setattr(os, "fsync", counting)
    monkeypatch.setattr(os, "fdatasync", counting)
    files.replace(files.tree.pulse, NEW)
    assert flushed == [False, True]  # the file before it gets its name, the folder after


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664])
def test_replace_keeps_the_mode_of_the_file(files: Store, mode: int) -> None:
    os.chmod(put(files.tree.pulse), mode)
    files.replace(files.tree.pulse, NEW)
    assert stat.S_IMODE(os.stat(files.tree.pulse).st_mode) == mode


def test_a_full_disk_leaves_the_old_file_at_whatever_byte_it_is_full(files: Store) -> None:
    put(files.tree.pulse)
    for size in range(len(NEW)):
        with full(size), pytest.raises(IoFailed, match=r"state/pulse\.json: "):
            files.replace(files.tree.pulse, NEW)
        assert snapshot(files.tree.root) == {"state": None, "state/pulse.json": OLD}, size
    with full(len(NEW)):
        files.replace(files.tree.pulse, NEW)


def test_replace_with_the_hash_that_was_read(files: Store) -> None:
    put(files.tree.registry)
    files.replace(files.tree.registry, NEW, expect=sha256(OLD))
    assert files.read(files.tree.registry) == NEW
    files.replace(files.tree.heart, NEW, expect="")
    assert files.read(files.tree.heart) == NEW


@pytest.mark.parametrize(
    ("there", "expected"),
    [
        (b"edited meanwhile\n", sha256(OLD)),
        (b"made meanwhile\n", ""),
        (None, sha256(OLD)),
    ],
    ids=["edited", "made", "removed"],
)
def test_an_edit_of_a_person_wins_and_the_proposal_is_kept(files: Store, there: bytes | None, expected: str) -> None:
    if there is not None:
        put(files.tree.registry, there)
    with pytest.raises(FileChanged) as caught:
        files.replace(files.tree.registry, NEW, expect=expected)
    assert (Path(files.tree.registry).read_bytes() if there is not None else None) == there
    kept = caught.value.message.rpartition(" ")[2]
    assert kept.startswith("state/conflicts/")
    assert (Path(files.tree.root) / kept).read_bytes() == NEW
    assert not temps(files.tree.root)


def test_an_edit_made_while_the_new_text_is_written_wins_too(files: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    put(files.tree.registry)
    real = os.fsync
    monkeypatch.setattr(os, "fsync", lambda fd: (real(fd), put(files.tree.registry, b"edited just now\n"))[0])
    with pytest.raises(FileChanged):
        files.replace(files.tree.registry, NEW, expect=sha256(OLD))
    assert Path(files.tree.registry).read_bytes() == b"edited just now\n"
    assert not temps(files.tree.root)


def test_the_same_refused_proposal_is_kept_once(files: Store) -> None:
    put(files.tree.registry)
    for _ in range(3):
        with pytest.raises(FileChanged):
            files.replace(files.tree.registry, NEW, expect="")
    assert len(files.names(files.tree.conflicts)) == 1


# -- create, move, remove ------------------------------------------------------------------------------------


def test_create_makes_a_file_and_never_overwrites_one(files: Store) -> None:
    path = files.tree.pending_insight("a.md")
    files.create(path, NEW)
    with pytest.raises(FileExistsError):
        files.create(path, OLD)
    assert snapshot(files.tree.pending) == {"a.md": NEW}
    Path(files.tree.pending, "link.md").symlink_to("nowhere")
    with pytest.raises(FileExistsError):
        files.create(files.tree.pending_insight("link.md"), OLD)


def test_create_on_a_full_disk_makes_nothing(files: Store) -> None:
    path = files.tree.pending_insight("a.md")
    files.create(path, b"")
    os.unlink(path)
    for size in range(len(NEW)):
        with full(size), pytest.raises(IoFailed):
            files.create(path, NEW)
        assert snapshot(files.tree.pending) == {}


def test_move_moves_and_never_overwrites(files: Store) -> None:
    source, target = files.tree.pending_insight("a.md"), files.tree.sent_insight("a.md")
    files.create(source, NEW)
    files.move(source, target)
    assert snapshot(files.tree.insights) == {"pending": None, "sent": None, "sent/a.md": NEW}
    files.create(source, OLD)
    with pytest.raises(FileExistsError):
        files.move(source, target)
    assert snapshot(files.tree.insights)["pending/a.md"] == OLD
    assert snapshot(files.tree.insights)["sent/a.md"] == NEW
    with pytest.raises(FileNotFoundError):
        files.move(files.tree.pending_insight("none.md"), files.tree.sent_insight("none.md"))


def test_of_many_who_move_the_same_file_one_does(files: Store) -> None:
    for number in range(4):
        source = files.tree.pending_insight(f"{number}.md")
        files.create(source, NEW)
        children = [start(files.tree.root, "move", source, files.tree.sent_insight(f"{number}.md")) for _ in range(4)]
        assert sorted(child.communicate() and child.returncode for child in children) == [0, 3, 3, 3]
    assert files.names(files.tree.sent) == ["0.md", "1.md", "2.md", "3.md"]
    assert not files.names(files.tree.pending)


@pytest.mark.parametrize(
    "make", [Path.touch, Path.mkdir, lambda path: path.symlink_to("nowhere")], ids=["file", "folder", "dangling link"]
)
def test_remove_takes_away_whatever_has_the_name(files: Store, make: Callable[[Path], None]) -> None:
    make(Path(files.tree.paused))
    files.remove(files.tree.paused)
    files.remove(files.tree.paused)
    assert not os.path.lexists(files.tree.paused)


def test_remove_leaves_a_folder_that_holds_something(files: Store) -> None:
    put(f"{files.tree.paused}/mine.txt")
    with pytest.raises(IoFailed):
        files.remove(files.tree.paused)
    assert snapshot(files.tree.paused) == {"mine.txt": OLD}


# -- odd things ----------------------------------------------------------------------------------------------


def a_folder(path: Path) -> None:
    path.mkdir(parents=True)


def a_pipe(path: Path) -> None:
    path.parent.mkdir(parents=True)
    os.mkfifo(path)


def a_link(path: Path) -> None:
    path.parent.mkdir(parents=True)
    path.symlink_to(path.parent.parent / "elsewhere")


def a_dangling_link(path: Path) -> None:
    path.parent.mkdir(parents=True)
    path.symlink_to("nowhere")


ODD = (a_folder, a_pipe, a_link, a_dangling_link)


@pytest.mark.parametrize("make", ODD, ids=lambda make: make.__name__)
def test_what_is_no_file_is_named_and_never_waited_for(files: Store, make: Callable[[Path], None]) -> None:
    Path(files.tree.root, "elsewhere").write_bytes(OLD)
    make(Path(files.tree.actions))
    for act in (lambda: files.read(files.tree.actions), lambda: files.append(files.tree.actions, {"a": 1})):
        with pytest.raises(FileDamaged, match=r"state/actions\.jsonl: "):
            act()
    assert Path(files.tree.root, "elsewhere").read_bytes() == OLD


@pytest.mark.parametrize("make", [a_folder, a_link, a_dangling_link], ids=lambda make: make.__name__)
def test_replace_refuses_a_folder_or_a_link_in_a_file_s_place(files: Store, make: Callable[[Path], None]) -> None:
    Path(files.tree.root, "elsewhere").write_bytes(OLD)
    make(Path(files.tree.pulse))
    with pytest.raises(FileDamaged, match=r"state/pulse\.json: "):
        files.replace(files.tree.pulse, NEW)
    assert Path(files.tree.root, "elsewhere").read_bytes() == OLD
    assert not temps(files.tree.root)


def test_a_file_in_a_folder_s_place_is_named(files: Store) -> None:
    put(files.tree.insights)
    with pytest.raises(AdjutantError, match="insights"):
        files.names(files.tree.pending)
    for act in (
        lambda: files.create(files.tree.pending_insight("a.md"), NEW),
        lambda: files.append_text(files.tree.sent_insight("a.md"), "x"),
    ):
        with pytest.raises(AdjutantError):
            act()
    assert Path(files.tree.insights).read_bytes() == OLD


def test_the_operator_s_own_links_are_read_and_written_through(files: Store, tmp_path: Path) -> None:
    dotfiles = tmp_path / "dotfiles"
    dotfiles.mkdir()
    for path in (files.tree.config, files.tree.registry, files.tree.heart, files.tree.template("brief.md")):
        real = dotfiles / os.path.basename(path)
        real.write_bytes(OLD)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        os.symlink(real, path)
        assert files.read(path) == OLD
        files.replace(path, NEW, expect=sha256(OLD))
        assert os.path.islink(path)
        assert real.read_bytes() == NEW
    assert not temps(str(tmp_path))


def test_a_file_larger_than_allowed_is_refused_unread(files: Store) -> None:
    put(files.tree.pulse, b"x" * 11)
    with pytest.raises(FileDamaged, match="11 bytes, more than the 10 allowed"):
        files.read(files.tree.pulse, limit=10)


def test_text_that_is_not_utf_8_is_named_with_its_line(files: Store) -> None:
    put(files.tree.heart, b"# Heart\n\nfine\n\xff\xfe\n")
    with pytest.raises(FileDamaged, match=r"identity/heart\.md:4: not UTF-8"):
        files.text(files.tree.heart)
    put(files.tree.heart, b"\xef\xbb\xbf# Heart\r\n")
    assert files.text(files.tree.heart) == "# Heart\r\n"


# -- the gate ------------------------------------------------------------------------------------------------


def test_the_gate_is_asked_before_the_operator_s_files_and_not_before_records(tmp_path: Path) -> None:
    def gate() -> None:
        raise Stopped("paused")

    files = Files(Tree(str(tmp_path)), gate=gate)
    tree = files.tree
    files.append(tree.actions, {"a": 1})
    files.append_text(tree.journal_of("2026-11-20"), "x\n")
    before = snapshot(tmp_path)
    pending, sent = tree.pending_insight("a.md"), tree.sent_insight("a.md")
    for act in (
        lambda: files.replace(tree.last_heartbeat, NEW),
        lambda: files.create(pending, NEW),
        lambda: files.append(tree.marks, {"a": 1}),
        lambda: files.remove(tree.paused),
        lambda: files.move(pending, sent),
    ):
        with pytest.raises(Stopped):
            act()
    assert snapshot(tmp_path) == before


# -- the overlay of a dry run --------------------------------------------------------------------------------


def test_a_dry_run_sees_its_own_writes_and_the_disk_none_of_them(dry: Files) -> None:
    tree = dry.tree
    put(tree.last_heartbeat)
    put(tree.pending_insight("old.md"))
    before = snapshot(tree.root)
    dry.replace(tree.last_heartbeat, NEW, expect=sha256(OLD))
    dry.create(tree.pending_insight("new.md"), NEW)
    dry.move(tree.pending_insight("old.md"), tree.sent_insight("old.md"))
    dry.append(tree.marks, {"a": 1})
    dry.append(tree.marks, {"a": 2})
    dry.remove(tree.last_heartbeat)
    assert dry.names(tree.pending) == ["new.md"]
    assert dry.names(tree.sent) == ["old.md"]
    assert dry.read(tree.sent_insight("old.md")) == OLD
    assert dry.read(tree.marks) == b'{"a": 1}\n{"a": 2}\n'
    assert not dry.exists(tree.last_heartbeat)
    assert not dry.exists(tree.pending_insight("old.md"))
    with pytest.raises(FileNotFoundError):
        dry.read(tree.pending_insight("old.md"))
    assert snapshot(tree.root) == before


def test_a_dry_run_refuses_what_a_wet_run_refuses(dry: Files) -> None:
    tree = dry.tree
    put(tree.last_heartbeat)
    put(tree.pending_insight("a.md"))
    put(tree.sent_insight("a.md"))
    for act, error in (
        (lambda: dry.replace(tree.last_heartbeat, NEW, expect=""), FileChanged),
        (lambda: dry.create(tree.pending_insight("a.md"), NEW), FileExistsError),
        (lambda: dry.move(tree.pending_insight("a.md"), tree.sent_insight("a.md")), FileExistsError),
        (lambda: dry.move(tree.pending_insight("b.md"), tree.sent_insight("b.md")), FileNotFoundError),
    ):
        with pytest.raises(error):
            act()


def test_records_of_a_dry_run_go_to_disk(dry: Files) -> None:
    tree = dry.tree
    for path in (tree.actions, tree.notices, tree.usage, tree.events):
        dry.append(path, {"dry_run": True})
        assert Path(path).read_bytes() == b'{"dry_run": true}\n'
    dry.append_text(tree.journal_of("2026-11-20"), "## 09:00 — Pulse [DRY RUN]\n")
    dry.replace(tree.run_file("r", "01-brief.json"), NEW)
    dry.replace(tree.config_cache, NEW)
    assert not dry.overlay


# -- sweeping ------------------------------------------------------------------------------------------------


def test_the_sweep_takes_what_the_dead_left_and_no_more(files: Store) -> None:
    dead = start(files.tree.root, "count", 0)
    dead.communicate()
    pids = (os.getpid(), dead.pid, 1)
    mine, theirs, old = (f"{files.tree.state}/.pulse.json.{pid}.0a1b2c3d{TEMP_SUFFIX}" for pid in pids)
    for path in (mine, theirs, old, f"{files.tree.state}/notes.adj-tmp.md", files.tree.pulse):
        put(path)
    os.utime(old, (1000, 1000))
    files.sweep(files.tree.state, now=os.stat(mine).st_mtime)
    assert sorted(os.listdir(files.tree.state)) == sorted((os.path.basename(mine), "notes.adj-tmp.md", "pulse.json"))
    assert files.names(files.tree.state) == ["notes.adj-tmp.md", "pulse.json"]
    files.sweep(files.tree.archive, now=0)


def test_asking_for_paths_and_listing_makes_nothing(files: Store) -> None:
    assert files.names(files.tree.pending) == []
    assert not files.exists(files.tree.actions)
    assert os.listdir(files.tree.root) == []
