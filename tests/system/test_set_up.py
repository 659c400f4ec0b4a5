"""bin/adjutant and its set-up, on a small checkout that needs no network: the scripts are real, the package is not."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import signal
import stat
import subprocess
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import CHECKOUT, need

pytestmark = pytest.mark.sweep  # what made the .venv that a newcomer's tests run in has just done it

PROJECT = """
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
[project]
name = "adjutant"
version = "1"
requires-python = ">=3.11"
dependencies = []
"""
BACKEND = """
import os, time, zipfile
def build_editable(folder, config_settings=None, metadata_directory=None):
    if os.path.exists("slow"):
        open("building", "w").close()
        time.sleep(30)
    if os.path.exists("broken"):
        raise SystemExit("cannot build")
    name, info = "adjutant-1-py3-none-any.whl", "adjutant-1.dist-info"
    with zipfile.ZipFile(os.path.join(folder, name), "w") as wheel:
        wheel.writestr("adjutant.pth", os.getcwd() + "\\n")
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\\nName: adjutant\\nVersion: 1\\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.writestr(f"{info}/RECORD", "")
    return name
"""
MAIN = "import os, sys\nprint(os.getcwd(), *sys.argv[1:], sep='|')\n"


def wheel(folder: Path, text: str) -> str:
    """A package `greeting` that pip finds there; the hash of its file."""
    path, info = folder / "greeting-1-py3-none-any.whl", "greeting-1.dist-info"
    folder.mkdir(exist_ok=True)
    with zipfile.ZipFile(path, "w") as made:
        made.writestr("greeting.py", text)
        made.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: greeting\nVersion: 1\n")
        made.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        made.writestr(f"{info}/RECORD", "")
    return hashlib.sha256(path.read_bytes()).hexdigest()


def locked(checkout: Path, wheels: Path, line: str) -> None:
    (checkout / "requirements").mkdir(exist_ok=True)
    (checkout / "requirements" / "base.txt").write_text(f"--find-links '{wheels}'\n{line}\n")


def lay_out(folder: Path) -> Path:
    (folder / "bin").mkdir(parents=True)
    (folder / "adjutant").mkdir()
    wheels = folder.parent / "wheels"
    locked(folder, wheels, f"greeting==1 --hash=sha256:{wheel(wheels, '')}")
    for name in ("adjutant", "set-up", "bootstrap.py"):
        shutil.copy(CHECKOUT / "bin" / name, folder / "bin" / name)
    for name, text in (
        ("pyproject.toml", PROJECT),
        ("backend.py", BACKEND),
        ("adjutant/__init__.py", ""),
        ("adjutant/cli.py", ""),
        ("adjutant/__main__.py", MAIN),
    ):
        (folder / name).write_text(text)
    return folder


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout set up once; the tests work on copies, which only have to be mended."""
    folder = lay_out(tmp_path_factory.mktemp("made") / "check out")
    first = subprocess.run(
        [folder / "bin/adjutant", "hello"], capture_output=True, text=True, check=False, env=quiet(), cwd=folder
    )
    assert (first.returncode, first.stdout) == (0, f"{folder}|hello\n"), first.stderr
    assert first.stderr == f"adjutant: setting up {folder}/.venv …\n"
    return folder


@pytest.fixture
def checkout(made: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "check out"
    shutil.copytree(made, folder, symlinks=True, ignore=shutil.ignore_patterns(".venv"))
    shutil.copytree(made / ".venv", folder / ".venv", symlinks=True, copy_function=os.link)
    (folder / ".venv/checkout").unlink()
    (folder / ".venv/checkout").symlink_to(folder)
    path = next((folder / ".venv").glob("lib/*/site-packages/adjutant.pth"))
    path.unlink()
    path.write_text(f"{folder}\n")
    return folder


def quiet(**more: str) -> dict[str, str]:
    """An environment that reaches no index and finds no other adjutant."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "PYTHONPATH"))}
    return {**kept, "PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": os.devnull, **more}


def start(checkout: Path, *words: str, cwd: Path | None = None, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [checkout / "bin/adjutant", *words],
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
        env=quiet(**env),
        timeout=120,
    )


def age(path: Path) -> None:
    """An edit: the file has another time than it had."""
    info = path.stat()
    os.utime(path, ns=(info.st_atime_ns, info.st_mtime_ns + 2_000_000_000))


def test_once_set_up_no_other_program_is_started(checkout: Path) -> None:
    done = start(checkout, "a b", "", PATH="/nowhere")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{Path.cwd()}|a b|\n", "")


def test_it_works_through_links_and_from_any_folder(checkout: Path, tmp_path: Path) -> None:
    (tmp_path / "links").mkdir()
    (tmp_path / "links/one").symlink_to("../check out/bin/adjutant")
    (tmp_path / "two").symlink_to("links/one")
    (tmp_path / "bin").symlink_to(checkout / "bin")
    ways: list[tuple[list[str], Path]] = [
        ([str(tmp_path / "two")], tmp_path),
        (["./two"], tmp_path),
        (["links/one"], tmp_path),
        (["bin/adjutant"], checkout),
        (["bin/adjutant"], tmp_path),
        (["./adjutant"], checkout / "bin"),
        (["sh", "adjutant"], checkout / "bin"),
        (["../adjutant"], checkout / "bin" / "x"),
    ]
    (checkout / "bin" / "x").mkdir()
    for words, cwd in ways:
        done = subprocess.run([*words, "v"], capture_output=True, text=True, check=False, cwd=cwd, env=quiet())
        assert (done.returncode, done.stdout, done.stderr) == (0, f"{cwd.resolve()}|v\n", ""), (words, done)


def test_a_module_in_the_working_directory_is_not_run(checkout: Path, tmp_path: Path) -> None:
    (tmp_path / "adjutant.py").write_text("raise SystemExit('not me')\n")
    assert start(checkout, "v").stdout == f"{tmp_path}|v\n"


def test_a_changed_pyproject_is_set_up_again_once(checkout: Path) -> None:
    age(checkout / "pyproject.toml")
    assert "setting up" in start(checkout).stderr
    assert start(checkout).stderr == ""


def test_a_checkout_that_moved_is_mended(checkout: Path, tmp_path: Path) -> None:
    moved = checkout.rename(tmp_path / "elsewhere")
    done = start(moved, "v")
    assert done.returncode == 0
    assert "setting up" in done.stderr
    assert start(moved, "v", PATH="/nowhere").stdout == f"{tmp_path}|v\n"


def test_two_starts_at_once_set_up_once(checkout: Path) -> None:
    age(checkout / "pyproject.toml")
    both = [
        subprocess.Popen(
            [checkout / "bin/adjutant"], env=quiet(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    told = [child.communicate(timeout=120) for child in both]
    assert [child.returncode for child in both] == [0, 0]
    assert sum("setting up /" in err for _, err in told) == 1, told


def test_a_changed_lock_is_set_up_again_once(checkout: Path) -> None:
    age(checkout / "requirements" / "base.txt")
    assert "setting up" in start(checkout).stderr
    assert start(checkout).stderr == ""


@pytest.mark.parametrize(
    ("line", "said"), [("greeting==1 --hash=sha256:" + 64 * "0", "DO NOT MATCH THE HASHES"), ("greeting==1", "hash")]
)
def test_a_package_that_is_not_the_locked_one_is_refused(checkout: Path, tmp_path: Path, line: str, said: str) -> None:
    shutil.rmtree(checkout / ".venv")
    wheel(tmp_path / "wheels", "raise SystemExit('not me')\n")
    locked(checkout, tmp_path / "wheels", line)
    done = start(checkout, "v")
    assert (done.returncode, done.stdout) == (69, "")
    assert said in (checkout / ".venv" / "set-up.log").read_text()


@pytest.mark.parametrize("changed", ["pyproject.toml", "requirements/base.txt"])
def test_a_run_of_cron_installs_nothing(checkout: Path, changed: str) -> None:
    age(checkout / changed)
    (checkout / "broken").touch()
    done = start(checkout, "pulse", "--if-due")
    assert (done.stdout, done.stderr) == (f"{Path.cwd()}|pulse|--if-due\n", "")
    shutil.rmtree(checkout / ".venv")
    done = start(checkout, "pulse", "--if-due")
    assert done.returncode == 69
    assert "installs nothing" in done.stderr
    assert "fix:" in done.stderr
    assert not (checkout / ".venv").exists()


def test_a_lock_that_somebody_keeps_is_named_in_time(checkout: Path) -> None:
    age(checkout / "pyproject.toml")
    bootstrap = checkout / "bin" / "bootstrap.py"
    text = bootstrap.read_text()
    assert "PATIENCE = 3600.0, 900.0" in text
    bootstrap.write_text(text.replace("PATIENCE = 3600.0, 900.0", "PATIENCE = 3600.0, 0.2"))
    with (checkout / ".venv.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        done = start(checkout, "v")
    assert done.returncode == 69
    assert "another process holds" in done.stderr
    assert stat.S_IMODE((checkout / ".venv.lock").stat().st_mode) == 0o600


def test_when_mending_fails_the_old_one_goes_on_and_an_hour_passes_before_the_next_try(checkout: Path) -> None:
    age(checkout / "pyproject.toml")
    (checkout / "broken").touch()
    first = start(checkout, "v")
    assert (first.returncode, first.stdout) == (0, f"{Path.cwd()}|v\n")
    warning = first.stderr.splitlines()[1:]
    assert len(warning) == 1 and "going on with the old one" in warning[0], first.stderr
    assert start(checkout, "v").stderr == ""
    failed = checkout / ".venv/failed"
    os.utime(failed, (time.time() - 3700, time.time() - 3700))
    assert "going on with the old one" in start(checkout, "v").stderr
    (checkout / "broken").unlink()
    os.utime(failed, (time.time() - 3700, time.time() - 3700))
    assert "setting up" in start(checkout, "v").stderr
    assert start(checkout, "v", PATH="/nowhere").returncode == 0


def test_a_failed_first_set_up_says_what_to_do_and_is_not_trusted(checkout: Path) -> None:
    (checkout / ".venv/stamp").unlink()
    next((checkout / ".venv").glob("lib/*/site-packages/adjutant.pth")).unlink()
    (checkout / "broken").touch()
    done = start(checkout, "v")
    assert (done.returncode, done.stdout) == (69, "")
    assert len(done.stderr.splitlines()) == 3
    assert "fix: check the network" in done.stderr
    (checkout / "broken").unlink()
    assert start(checkout, "v").returncode == 0


@pytest.mark.parametrize("how", ["ctrl-c", "killed"])
def test_a_set_up_that_was_cut_off_is_begun_again(checkout: Path, how: str) -> None:
    age(checkout / "pyproject.toml")
    (checkout / "slow").touch()
    child = subprocess.Popen(
        [checkout / "bin/adjutant"], env=quiet(), start_new_session=True, stderr=subprocess.PIPE, text=True
    )
    until((checkout / "building").exists)
    os.killpg(child.pid, signal.SIGINT if how == "ctrl-c" else signal.SIGKILL)
    _, err = child.communicate(timeout=30)
    assert child.returncode in (130, -signal.SIGINT, -signal.SIGKILL)
    assert "Traceback" not in err
    (checkout / "slow").unlink()
    again = start(checkout, "v")
    assert again.returncode == 0
    assert "setting up" in again.stderr


def until(true: Callable[[], bool]) -> None:
    for _ in range(600):
        if true():
            return
        time.sleep(0.05)
    raise AssertionError("it never came")


def only(tmp_path: Path, *programs: str, **scripts: str) -> str:
    """A PATH with these programs and scripts and nothing else."""
    folder = tmp_path / "path"
    folder.mkdir()
    for program in programs:
        (folder / program).symlink_to(need(program))
    for name, text in scripts.items():
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    return str(folder)


def test_without_a_python_that_is_new_enough_two_plain_lines_say_so(checkout: Path, tmp_path: Path) -> None:
    (checkout / ".venv/stamp").unlink()
    old = "#!/bin/sh\nexit 1\n"
    done = start(checkout, PATH=only(tmp_path, "sh", python3=old))
    assert done.returncode == 69
    assert "version 3.11 or later" in done.stderr
    assert len(done.stderr.splitlines()) == 2


def test_a_newer_python_beside_an_old_one_is_found(checkout: Path, tmp_path: Path) -> None:
    (checkout / ".venv/stamp").unlink()
    new = f'#!/bin/sh\nexec {need("python3")} "$@"\n'
    path = only(tmp_path, "sh", **{"python3": "#!/bin/sh\nexit 1\n", "python3.12": new})
    assert start(checkout, PATH=f"{path}:/usr/bin:/bin").returncode == 0


def test_a_checkout_that_may_not_be_written_still_runs(checkout: Path) -> None:
    age(checkout / "pyproject.toml")
    (checkout / ".venv.lock").unlink()
    (checkout / ".venv.lock").mkdir()
    assert start(checkout, "v").returncode == 0
    shutil.rmtree(checkout / ".venv")
    done = start(checkout, "v")
    assert done.returncode == 69
    assert "fix:" in done.stderr
