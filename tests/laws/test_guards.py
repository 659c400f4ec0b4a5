"""The guards around every test do guard: each is seen refusing what it must refuse."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjutant import place
from adjutant.errors import InstanceNotFound
from adjutant.secret_names import SECRETS
from tests.conftest import CHECKOUT, Guarded, need
from tests.guard.sitecustomize import Forbidden


def connect() -> None:
    with socket.socket() as outward:
        outward.connect(("192.0.2.1", 80))


def send_a_datagram() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as outward:
        outward.sendto(b"x", ("192.0.2.1", 53))


def listen_to_everyone() -> None:
    with socket.socket() as outward:
        outward.bind(("0.0.0.0", 0))


def resolve_a_name() -> None:
    socket.getaddrinfo("example.org", 80)


def write_into_the_checkout() -> None:
    (CHECKOUT / "state" / "actions.jsonl").write_text("")


def make_a_folder_in_the_checkout() -> None:
    (CHECKOUT / "state" / "runs").mkdir()


def rename_in_the_checkout() -> None:
    (CHECKOUT / "adjutant.yaml").rename("elsewhere")


def remove_from_the_checkout() -> None:
    (CHECKOUT / "state" / "no-such-file").unlink()


REACHING = (
    connect,
    send_a_datagram,
    listen_to_everyone,
    resolve_a_name,
    write_into_the_checkout,
    make_a_folder_in_the_checkout,
    rename_in_the_checkout,
    remove_from_the_checkout,
)


@pytest.mark.parametrize("reach", REACHING, ids=lambda reach: reach.__name__)
def test_what_is_outside_is_refused_and_noted(reach: Callable[[], None], guarded: Guarded) -> None:
    with pytest.raises(Forbidden):
        reach()
    assert len(guarded.refused()) == 1
    guarded.forgive()


def test_a_child_is_guarded_as_well(guarded: Guarded) -> None:
    code = "import socket; socket.socket().connect(('192.0.2.1', 80))"
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert child.returncode == 1
    assert "Forbidden" in child.stderr
    assert guarded.refused() == ["network: 192.0.2.1"]
    guarded.forgive()


def test_what_was_swallowed_still_fails_the_test(pytester_like: Callable[[str], str]) -> None:
    told = pytester_like("""
        import socket

        def test_that_swallows():
            try:
                socket.create_connection(("192.0.2.1", 80))
            except Exception:
                pass
    """)
    assert "1 passed, 1 error" in told
    assert "reached outside of its folder" in told


def test_loopback_and_names_that_never_resolve_need_no_forgiveness() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()):
        pass
    with pytest.raises(socket.gaierror):
        socket.create_connection(("telegram.invalid", 443))


def test_no_instance_is_found_and_no_secret_is_set() -> None:
    with pytest.raises(InstanceNotFound):
        place.find_root(None)
    assert not {*SECRETS, "ADJ_DIR", "ADJUTANT_NOW"} & set(os.environ)


def test_home_and_the_working_directory_are_the_tests_own(tmp_path: Path) -> None:
    assert Path.cwd() == tmp_path
    assert Path.home().is_relative_to(tmp_path.parent)
    assert not list(Path.home().iterdir())


@given(st.integers())
def test_generated_examples_live_under_the_same_guards(number: int) -> None:
    assert "ADJ_DIR" not in os.environ
    assert number == number


def test_a_missing_program_is_a_skip_on_a_desk_and_a_failure_in_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match=r"no-such-program is not installed"):
        need("no-such-program")
    with pytest.raises(pytest.skip.Exception, match="may not run here"):
        need("sh", "false")
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match=r"no-such-program is not installed"):
        need("no-such-program")


@pytest.fixture
def pytester_like(tmp_path: Path) -> Callable[[str], str]:
    """Runs a test file of its own under our conftest; returns what pytest told."""
    import textwrap  # beside its only use

    def run(text: str) -> str:
        (tmp_path / "test_inner.py").write_text(textwrap.dedent(text))
        (tmp_path / "conftest.py").write_text("from tests.conftest import *\n")
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-p",
            "no:cacheprovider",
            "--import-mode=importlib",
            "-c",
            os.devnull,
            "--rootdir",
            str(tmp_path),
            f"--basetemp={tmp_path / 'inner'}",
            str(tmp_path / "test_inner.py"),
        ]
        return subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path).stdout

    return run
