"""Where an agent's program stands, and what of the machine it needs to be read: as little as will do."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from adjutant.children import walls
from adjutant.children.walls import ELF, Program

NODE = ELF + b"\0node"


def put(path: Path, text: bytes = ELF, mode: int = 0o755) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text)
    path.chmod(mode)
    return path


def find(named: str, tmp_path: Path, *folders: Path) -> Program | None:
    return walls.find_program(named, {"PATH": os.pathsep.join(map(str, folders)), "HOME": str(tmp_path / "home")})


def test_a_binary_is_found_in_path_and_needs_itself_alone(tmp_path: Path) -> None:
    path = put(tmp_path / "bin" / "opencode")
    assert find("opencode", tmp_path, tmp_path / "other", path.parent) == Program(str(path), (str(path),))


@pytest.mark.parametrize("place", [".local/bin", ".opencode/bin", ".bun/bin", ".npm-global/bin", ".claude/local"])
def test_where_installers_put_them_is_looked_at_after_path(tmp_path: Path, place: str) -> None:
    path = put(tmp_path / "home" / place / "opencode")
    found = find("opencode", tmp_path)
    assert found is not None
    assert found.path == str(path)
    first = put(tmp_path / "bin" / "opencode")
    found = find("opencode", tmp_path, first.parent)
    assert found is not None
    assert found.path == str(first)


def test_a_path_of_home_is_understood(tmp_path: Path) -> None:
    path = put(tmp_path / "home" / "tools" / "agent")
    found = find("~/tools/agent", tmp_path)
    assert found is not None
    assert found.path == str(path)


def test_behind_links_stands_the_real_one(tmp_path: Path) -> None:
    real = put(tmp_path / "opt" / "opencode")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "opencode").symlink_to(real)
    assert find("opencode", tmp_path, tmp_path / "bin") == Program(str(real), (str(real),))


@pytest.mark.parametrize("kind", ["nothing", "folder", "not executable", "dangling", "fifo"])
def test_what_is_no_program_is_not_found(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "bin" / "opencode"
    path.parent.mkdir()
    if kind == "folder":
        path.mkdir()
    elif kind == "not executable":
        put(path, mode=0o644)
    elif kind == "dangling":
        path.symlink_to("gone")
    elif kind == "fifo":
        os.mkfifo(path, 0o755)
    assert find("opencode", tmp_path, path.parent) is None
    assert find(str(path), tmp_path) is None


def test_a_relative_folder_in_path_is_not_looked_at(tmp_path: Path) -> None:
    put(tmp_path / "bin" / "opencode")
    assert find("opencode", tmp_path, Path("bin"), Path()) is None


def test_a_package_of_node_needs_all_packages_beside_it(tmp_path: Path) -> None:
    modules = tmp_path / "lib" / "node_modules"
    node = put(tmp_path / "nvm" / "v22" / "bin" / "node", NODE)
    (tmp_path / "nvm" / "v22" / "lib").mkdir()
    path = put(modules / "claude" / "node_modules" / "inner" / "cli.js", b"#!/usr/bin/env node\nrun()\n")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "claude").symlink_to(path)
    found = find("claude", tmp_path, tmp_path / "bin", node.parent)
    assert found == Program(str(path), (str(modules), str(node), str(tmp_path / "nvm" / "v22" / "lib")))


@pytest.mark.parametrize("first", ["#!{0}", "#! {0} --flag", "#!/usr/bin/env node", "#!/usr/bin/env -S node --flag"])
def test_a_script_needs_what_stands_beside_it_and_what_runs_it(tmp_path: Path, first: str) -> None:
    node = put(tmp_path / "node" / "bin" / "node", NODE)
    path = put(tmp_path / "agent" / "run", first.format(node).encode() + b"\n")
    found = find(str(path), tmp_path, node.parent)
    assert found == Program(str(path), (str(path.parent), str(node)))


def test_home_is_never_opened_for_a_script_or_for_what_runs_it(tmp_path: Path) -> None:
    home = tmp_path / "home"
    node = put(home / "bin" / "node", NODE)
    path = put(home / "agent", f"#!{node}\n".encode())
    assert find(str(path), tmp_path) == Program(str(path), (str(path), str(node)))
    above = put(tmp_path / "agent", f"#!{node}\n".encode())
    assert find(str(above), tmp_path) == Program(str(above), (str(above), str(node)))


def test_what_the_system_holds_needs_nothing_more(tmp_path: Path) -> None:
    assert find("sh", tmp_path, Path("/usr/bin")) == Program(os.path.realpath("/usr/bin/sh"), ())
    script = put(tmp_path / "agent" / "run", b"#!/bin/sh\n")
    assert find(str(script), tmp_path) == Program(str(script), (str(script.parent),))


def test_a_script_of_our_own_python_needs_that_too(tmp_path: Path) -> None:
    python = os.path.realpath(sys.executable)
    script = put(tmp_path / "agent" / "run", f"#!{python} -IS\n".encode())
    found = find(str(script), tmp_path)
    assert found is not None
    assert found.parts[0] == str(script.parent)
    assert python.startswith("/usr/") or python in found.parts


@pytest.mark.parametrize("head", [b"", b"#!", b"#!/nowhere/at/all\n", b"#!\xff\xfe\n", b"no script at all"])
def test_odd_files_are_taken_as_they_are(tmp_path: Path, head: bytes) -> None:
    path = put(tmp_path / "agent" / "run", head)
    assert find(str(path), tmp_path) == Program(str(path), (str(path.parent),))


def test_a_script_beside_the_instance_is_opened_alone(tmp_path: Path) -> None:
    script = tmp_path / "agent"
    script.write_text("#!/bin/sh\nexit\n")
    script.chmod(0o755)
    (tmp_path / "mine").mkdir()
    environment = {"PATH": "", "HOME": "/nowhere"}
    found = walls.find_program(str(script), environment)
    assert found is not None
    assert found.parts == (str(tmp_path),)
    apart = walls.find_program(str(script), environment, [str(tmp_path / "mine")])
    assert apart is not None
    assert apart.parts == (str(script),)
