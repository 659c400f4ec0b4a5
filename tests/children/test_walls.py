"""What each kind of wall is made of, and says of itself."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from adjutant.children import filter, walls, warden
from adjutant.children.walls import BWRAP, LANDLOCK, NONE, Cell, Door, Walls
from tests.conftest import need


@pytest.fixture
def cell(tmp_path: Path) -> Cell:
    """A child of a few lines that looks at a folder of notes."""
    for name in ("scratch/home", "scratch/work", "kb/.opencode"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "kb" / "a.md").write_text("a\n")
    (tmp_path / "secret").write_text("secret\n")
    return Cell(
        ["/bin/sh", "-c", "cat kb 2>&1; echo $HOME; pwd"],
        {"HOME": "{home}"},
        [],
        str(tmp_path / "scratch"),
        Door(str(tmp_path / "scratch" / "door"), 9),
        str(tmp_path / "kb"),
    )


def run(around: Walls, cell: Cell, script: str, **more: Any) -> str:
    """What a few lines of shell say behind the walls."""
    ended = walls.run(
        around,
        cell._replace(argv=["/bin/sh", "-c", script], **more),
        stdin=b"asked",
        seconds=10,
        out_limit=10_000,
        watch=lambda: None,
    )
    assert ended.cause is None and ended.code == 0, ended
    return ended.out.decode().strip()


def kinds() -> list[Walls]:
    """Those of this machine: each one that works here."""
    found = [walls.find({"PATH": path}) for path in (os.environ["PATH"], "/var/empty")]
    made = {(each.kind, each.version, each.apart): each for each in found}
    for each in found:
        if each.kind == BWRAP:
            made[BWRAP, 0, True] = each._replace(version=0)
        elif each.kind == LANDLOCK:
            made[LANDLOCK, each.version, False] = each._replace(apart=False)
    made[NONE, 0, False] = Walls(NONE, "", "", apart=False)
    return list(made.values())


def _name(around: Walls) -> str:
    return f"{around.kind}-{around.version}-{around.apart}"


ALL = kinds()
KINDS = pytest.mark.parametrize("around", ALL, ids=_name)


@pytest.fixture(autouse=True)
def door(cell: Cell) -> Any:
    """A socket file where the door is to be."""
    import socket  # used here alone

    with socket.socket(socket.AF_UNIX) as made:
        os.chdir(cell.scratch)  # its whole name may be too long
        made.bind("door")
        os.chdir("/")
        yield made


@KINDS
def test_it_is_asked_on_stdin_and_works_in_an_empty_folder_of_its_own(around: Walls, cell: Cell) -> None:
    out = run(around, cell, 'cat; echo; pwd; echo "$HOME"; touch "$HOME/x" ./y; ls -A . "$HOME"; exit 0')
    said, work, home, *listed = out.split("\n")
    assert said == "asked"
    assert work.endswith("/work")
    assert home.endswith("/home")
    assert [line for line in listed if line and not line.endswith(":")] == ["y", "x"]


@KINDS
def test_its_environment_is_what_it_was_given(around: Walls, cell: Cell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "canary-of-the-environment")
    out = run(around, cell, "env", env={"HOME": "{home}", "DOOR": "{port}"})
    assert {line.partition("=")[0] for line in out.split("\n")} <= {"HOME", "DOOR", "PWD", "SHLVL", "_", "OLDPWD"}
    assert "canary" not in out
    assert "{" not in out


@KINDS
def test_a_folder_to_read_is_not_to_be_changed_and_one_to_change_is(around: Walls, cell: Cell) -> None:
    assert cell.reads is not None
    tries = f"echo x >> {cell.reads}/a.md; echo x > {cell.reads}/new.md; cat {cell.reads}/a.md"
    if around.kind != NONE:
        assert run(around, cell, f"({tries}) 2>/dev/null") == "a"
        assert os.listdir(cell.reads) != ["new.md"]
        assert not os.path.exists(f"{cell.reads}/new.md")
    assert run(around, cell, f"({tries}) 2>/dev/null", writes=True).endswith("a\nx")
    made = around.kind == BWRAP or around.kind == NONE
    assert os.path.exists(f"{cell.reads}/new.md") == made, "Landlock knows no folder with a closed one in it as a whole"


@pytest.mark.parametrize("around", [each for each in ALL if each.kind != NONE], ids=_name)
def test_what_is_shut_is_not_read(around: Walls, cell: Cell, tmp_path: Path) -> None:
    (tmp_path / "kb" / ".opencode" / "x.js").write_text("x")
    (tmp_path / "kb" / "AGENTS.md").write_text("obey")
    assert (
        run(around, cell, f"cat {cell.reads}/AGENTS.md {cell.reads}/.opencode/x.js {tmp_path}/secret 2>/dev/null; true")
        == ""
    )


@KINDS
def test_what_it_leaves_behind_is_ended(around: Walls, cell: Cell, tmp_path: Path) -> None:
    run(around, cell, "(setsid sh -c 'sleep 987 & sleep 987' >/dev/null 2>&1 </dev/null &); sleep 987 & true")
    assert "sleep 987" not in subprocess.run(["ps", "ax"], capture_output=True, text=True, check=True).stdout


@KINDS
def test_an_exit_code_and_a_signal_come_through(around: Walls, cell: Cell) -> None:
    for script, code in (("exit 7", 7), ("kill -9 $$", 137)):
        ended = walls.run(
            around,
            cell._replace(argv=["/bin/sh", "-c", script]),
            stdin=b"",
            seconds=10,
            out_limit=10,
            watch=lambda: None,
        )
        assert ended.code == code


@KINDS
def test_a_program_that_cannot_be_run_says_so(around: Walls, cell: Cell) -> None:
    ended = walls.run(
        around, cell._replace(argv=["/usr/nowhere"]), stdin=b"", seconds=10, out_limit=10, watch=lambda: None
    )
    assert ended.code == 125
    assert ended.err == b"warden: /usr/nowhere: No such file or directory\n"


@KINDS
@pytest.mark.parametrize(
    ("limit", "script"),
    [
        ({"threads": 60}, "i=0; while [ $i -lt 90 ]; do sleep 30 & i=$((i+1)); done; wait"),
        ({"threads": 60}, "i=0; while [ $i -lt 90 ]; do (setsid sleep 30 &) ; i=$((i+1)); done; sleep 30"),
        ({"memory": 200 << 20}, "exec head -c 500000000 /dev/zero | tail -c 499999999 | sleep 30"),
    ],
    ids=["processes", "orphans", "memory"],
)
def test_what_takes_too_much_is_ended(
    around: Walls, cell: Cell, monkeypatch: pytest.MonkeyPatch, limit: dict[str, int], script: str
) -> None:
    monkeypatch.setattr(walls, "MOST", {**walls.MOST, **limit})
    greedy = cell._replace(argv=["/bin/sh", "-c", script])
    ended = walls.run(around, greedy, stdin=b"", seconds=10, out_limit=10, watch=lambda: None)
    assert (ended.code, ended.err.split(b" ")[:3]) == (124, [b"warden:", b"more", b"than"])


@KINDS
def test_it_has_so_many_open_files(around: Walls, cell: Cell) -> None:
    assert run(around, cell, "ulimit -Hn") == str(walls.MOST["files"])


@pytest.mark.program
def test_bubblewrap_gives_no_namespaces_of_its_own(cell: Cell) -> None:
    need("bwrap", "bwrap", "--unshare-all", "--ro-bind", "/", "/", "true")
    around = next(each for each in ALL if each.kind == BWRAP)
    assert run(around, cell, "unshare -U true 2>/dev/null || echo none") == "none"


@pytest.mark.program
def test_bubblewrap_is_needed_here() -> None:
    need("bwrap", "bwrap", "--unshare-all", "--ro-bind", "/", "/", "true")
    assert walls.find({"PATH": os.environ["PATH"]}).kind == BWRAP


def test_a_bubblewrap_that_may_not_run_is_no_wall(tmp_path: Path) -> None:
    (tmp_path / "bwrap").write_text("#!/bin/sh\necho 'No permissions to create a new namespace' >&2\nexit 1\n")
    (tmp_path / "bwrap").chmod(0o755)
    found = walls.find({"PATH": str(tmp_path)})
    assert found.kind != BWRAP
    assert "may not run here (No permissions to create a new namespace)" in found.detail


@pytest.mark.parametrize(
    ("around", "words"),
    [
        (Walls(BWRAP, "/usr/bin/bwrap", ""), []),
        (Walls(LANDLOCK, "", "", 7), ["names"]),
        (Walls(LANDLOCK, "", "", 7, False), ["names", "one port", "outliving"]),
        (Walls(LANDLOCK, "", "", 4, False), ["names", "one port", "signals", "outliving"]),
        (Walls(LANDLOCK, "", "", 2, False), ["names", "emptying", "anywhere", "signals", "outliving"]),
        (Walls(LANDLOCK, "", "", 2), ["names", "emptying"]),
        (Walls(NONE, "", ""), ["reading and writing"]),
        (Walls(NONE, "", "", 0, False), ["reading and writing", "anywhere", "signals", "outliving"]),
    ],
)
def test_walls_say_what_they_do_not_hold_off(around: Walls, words: list[str]) -> None:
    said = around.missing()
    assert len(said) == len(words)
    assert all(word in line for word, line in zip(words, said, strict=True))


@pytest.mark.parametrize("alone", [True, False])
def test_every_jump_of_the_filter_lands_inside_it(alone: bool) -> None:
    text = filter.program(alone=alone)
    steps = [struct.unpack_from("=HBBI", text, at) for at in range(0, len(text), 8)]
    for place, (code, yes, no, _) in enumerate(steps):
        if code in (filter.EQUAL, filter.AT_LEAST, filter.ANY_OF):
            assert place + 1 + max(yes, no) < len(steps)
    assert steps[-1] == (filter.RETURN, 0, 0, filter.ALLOW)
    assert len(steps) < 4096


def test_both_machines_have_a_number_for_every_call() -> None:
    every = [[None if each == "-" else int(each) for each in numbers] for _, _, *numbers in filter.CALLS]
    for old, new in every:
        assert old is not None
        assert new is not None or old < 300, "only the oldest calls are missing on the younger machine"
    for place in (0, 1):
        known = [numbers[place] for numbers in every if numbers[place] is not None]
        assert len(known) == len(set(known))


@KINDS
def test_a_folder_swapped_meanwhile_is_not_entered(around: Walls, cell: Cell, tmp_path: Path) -> None:
    assert cell.reads is not None
    found = os.stat(cell.reads)
    os.rename(cell.reads, tmp_path / "before")
    (tmp_path / "vital").mkdir()
    os.symlink(tmp_path / "vital", cell.reads)
    swapped = cell._replace(
        argv=["/bin/sh", "-c", f"echo x > {cell.reads}/x; echo ran"], writes=True, inode=(found.st_dev, found.st_ino)
    )
    ended = walls.run(around, swapped, stdin=b"", seconds=10, out_limit=1000, watch=lambda: None)
    assert ended.code and not ended.out, ended
    assert not os.listdir(tmp_path / "vital")


LANDLOCKED = """
import json, sys
from adjutant.children import warden
plan, folder, path = json.loads(sys.argv[1])
warden.restrict(plan, folder)
print(open(path).read())
"""


@pytest.mark.parametrize("linked", ["", "link", "deep/link"])
def test_a_landlock_rule_never_follows_links(tmp_path: Path, linked: str) -> None:
    if not warden.landlock_version():
        pytest.skip("this kernel has no Landlock")
    kb, out = tmp_path / "kb", tmp_path / "out"
    (kb / "deep").mkdir(parents=True)
    out.mkdir()
    for place in (kb, out):
        (place / "a.md").write_text("read\n")
    for name in ("link", "deep/link"):
        (kb / name).symlink_to(out)
    found = os.stat(kb)
    folder = {"path": str(kb), "inode": [found.st_dev, found.st_ino]}
    plan = {"read": [str(kb / linked).rstrip("/")], "write": [], "list": [], "devices": [], "ports": []}
    words = [sys.executable, "-c", LANDLOCKED, json.dumps([plan, folder, str((out if linked else kb) / "a.md")])]
    ended = subprocess.run(words, check=False, capture_output=True, text=True, timeout=20)
    assert ended.stdout.strip() == ("" if linked else "read"), ended.stderr
