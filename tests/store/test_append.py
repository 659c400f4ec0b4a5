"""Appends: one record one line, torn tails mended, nothing lost among many, old content kept by a full disk."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adjutant.errors import IoFailed
from adjutant.store import jsonl
from adjutant.store.files import Files
from tests.conftest import need
from tests.store.conftest import Store, full, snapshot
from tests.store.writers import command, finished, start

WHOLE = '{"text": "the first record"}\n{"text": "the second, with æ and \\n in it"}\n'.encode()
TORN = '{"text": "ærlig talt", "list": [1, {"a": null}], "ø": true}'.encode()
NEXT = {"text": "what comes next"}
NEXT_LINE = b'{"text": "what comes next"}\n'


def lay(files: Files, data: bytes) -> Path:
    path = Path(files.tree.actions)
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    return path


def test_one_record_is_one_write_of_one_line(files: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    lay(files, WHOLE)
    written: list[bytes] = []
    real = os.write

    def counting(fd: int, data: Any) -> int:
        written.append(bytes(data))
        return real(fd, data)

    monkeypatch.setattr(os, "write", counting)
    files.append(files.tree.actions, NEXT)
    assert written == [NEXT_LINE]


def test_an_append_is_on_disk_before_it_is_acknowledged(files: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkdir(files.tree.state)
    done: list[str] = []
    for name in ("fsync", "fdatasync", "write"):
        real = getattr(os, name)
        monkeypatch.setattr(os, name, lambda *args, name=name, real=real: (done.append(name), real(*args))[1])
    files.append(files.tree.actions, NEXT)
    assert done == ["fsync", "write", "fdatasync"]  # the folder's entry first, for the file is new
    files.append(files.tree.actions, NEXT)
    assert done[3:] == ["write", "fdatasync"]


@pytest.mark.parametrize("cut", range(1, len(TORN)))
def test_a_tail_torn_at_any_byte_is_set_aside_and_every_whole_line_survives(files: Store, cut: int) -> None:
    path = lay(files, WHOLE + TORN[:cut])
    files.append(files.tree.actions, NEXT)
    assert path.read_bytes() == WHOLE + NEXT_LINE
    (aside,) = files.names(files.tree.quarantine)
    assert aside.startswith(f"actions.jsonl.{len(WHOLE)}-")
    assert files.read(files.tree.quarantined(aside)) == TORN[:cut]
    moved = f"torn last line at byte {len(WHOLE)} moved to state/quarantine/{aside}"
    assert files.warned == [f"state/actions.jsonl: {moved}"]


def test_a_whole_last_line_without_its_newline_gets_it(files: Store) -> None:
    path = lay(files, WHOLE + TORN)
    files.append(files.tree.actions, NEXT)
    assert path.read_bytes() == WHOLE + TORN + b"\n" + NEXT_LINE
    assert not files.warned
    assert not files.names(files.tree.quarantine)


def test_a_file_that_is_nothing_but_a_torn_line_is_mended(files: Store) -> None:
    path = lay(files, TORN[:9])
    files.append(files.tree.actions, NEXT)
    assert path.read_bytes() == NEXT_LINE


def test_a_torn_tail_longer_than_a_block_is_found_whole(files: Store) -> None:
    tail = b'{"text": "' + b"x" * 200_000
    path = lay(files, WHOLE + tail)
    files.append(files.tree.actions, NEXT)
    assert path.read_bytes() == WHOLE + NEXT_LINE
    assert files.read(files.tree.quarantined(files.names(files.tree.quarantine)[0])) == tail


def test_the_same_tail_torn_twice_is_kept_once(files: Store) -> None:
    for _ in range(2):
        lay(files, WHOLE + TORN[:9])
        files.append(files.tree.actions, NEXT)
    assert len(files.names(files.tree.quarantine)) == 1


def test_a_page_of_text_gets_its_missing_newline_and_nothing_is_set_aside(files: Store) -> None:
    path = files.tree.journal_of("2026-11-20")
    files.append_text(path, "## 09:00 — Pulse\n- **kb**: qui")
    files.append_text(path, "## 17:00 — Pulse\n")
    assert files.text(path) == "## 09:00 — Pulse\n- **kb**: qui\n## 17:00 — Pulse\n"
    assert not files.names(files.tree.quarantine)


@pytest.mark.parametrize("before", [b"", WHOLE, WHOLE + TORN, WHOLE + TORN[:20]], ids=["no", "a", "an open", "a torn"])
def test_a_disk_that_is_full_at_any_byte_leaves_no_half_record(files: Store, before: bytes) -> None:
    os.makedirs(files.tree.quarantine)
    for size in range(len(before) + 1 + len(NEXT_LINE)):
        path = lay(files, before)
        try:
            with full(size):
                files.append(files.tree.actions, NEXT)
        except IoFailed as failed:
            assert "state/actions.jsonl" in failed.message
            kept = [before, before[: before.rfind(b"\n") + 1]]  # the torn tail may have been set aside already
            assert path.read_bytes() in kept, size
        else:
            assert path.read_bytes().endswith(b"\n" + NEXT_LINE if before else NEXT_LINE)
        files.append(files.tree.actions, NEXT)
        assert jsonl.find_damaged(files, str(path)) == []
        assert jsonl.read(files, str(path))[-1] == NEXT


def test_a_journal_on_a_full_disk_keeps_what_it_had(files: Store) -> None:
    path, block = files.tree.journal_of("2026-11-20"), "## 17:00 — Pulse\n"
    files.append_text(path, "## 09:00 — Pulse\n")
    before = files.read(path)
    for size in range(len(before), len(before) + len(block.encode())):
        with full(size), pytest.raises(IoFailed):
            files.append_text(path, block)
        assert files.read(path) == before


# -- no line can be forged -----------------------------------------------------------------------------------

SIGNS = st.sampled_from('\r\n\x0b\x0c\x1c\x85\u2028\u2029\x00\ud800\udfff"\\{}:,')
NASTY = st.text(SIGNS | st.characters())
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | NASTY,
    lambda inner: st.lists(inner) | st.dictionaries(NASTY, inner),
    max_leaves=5,
)


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(given_records=st.lists(st.dictionaries(NASTY, VALUES, max_size=4), min_size=1, max_size=4))
def test_rows_in_are_rows_out_whatever_they_hold(files: Store, given_records: list[dict[str, Any]]) -> None:
    path = lay(files, b"")
    for record in given_records:
        files.append(files.tree.actions, record)
    data = path.read_bytes()
    assert data.count(b"\n") == len(given_records)
    assert data.endswith(b"\n")
    assert jsonl.read(files, str(path)) == given_records
    assert jsonl.find_damaged(files, str(path)) == []


def test_not_a_number_is_never_written(files: Store) -> None:
    with pytest.raises(ValueError, match="JSON"):
        files.append(files.tree.actions, {"a": float("nan")})
    assert jsonl.read(files, files.tree.actions) == []


# -- many at once --------------------------------------------------------------------------------------------


def test_of_sixteen_processes_that_append_none_loses_a_record(files: Store) -> None:
    finished([start(files.tree.root, "append", mark, 200) for mark in range(16)])
    found = [(record["mark"], record["number"]) for record in jsonl.read(files, files.tree.actions)]
    assert len(found) == 3200
    assert set(found) == {(mark, number) for mark in range(16) for number in range(200)}
    assert all([n for m, n in found if m == mark] == list(range(200)) for mark in range(16))
    assert jsonl.find_damaged(files, files.tree.actions) == []


def test_of_many_threads_whose_first_record_needs_its_folder_none_fails(files: Store) -> None:
    for n in range(60):
        path = Path(files.tree.root) / f"new{n}" / "records.jsonl"
        together = threading.Barrier(6)

        def append(number: int, path: Path = path, together: threading.Barrier = together) -> None:
            together.wait(10)
            files.append(str(path), {"n": number})

        with ThreadPoolExecutor(6) as pool:
            list(pool.map(append, range(6)))
        assert sorted(json.loads(line)["n"] for line in path.read_bytes().splitlines()) == list(range(6))


def test_appenders_follow_a_file_that_is_rotated_while_they_wait(files: Store) -> None:
    finished(
        [start(files.tree.root, "append", mark, 150) for mark in range(4)]
        + [start(files.tree.root, "rotate", 150) for _ in range(2)]
    )
    found = {(record["mark"], record["number"]) for record in jsonl.read(files, files.tree.actions)}
    assert len(found) == 600


def test_updates_under_a_data_lock_are_all_counted(files: Store) -> None:
    finished([start(files.tree.root, "count", 25) for _ in range(8)])
    assert files.text(files.tree.notify_count("2026-11-20")) == "200"


@pytest.mark.real_strace
@pytest.mark.parametrize("call", ["write", "fdatasync", "fsync", "flock", "ftruncate"])
def test_killed_at_any_system_call_of_an_append_no_acknowledged_record_is_gone(files: Store, call: str) -> None:
    strace = need("strace")
    path = lay(files, WHOLE)
    for when in range(1, 20):
        path.write_bytes(WHOLE + TORN[:20])
        fault = ["-e", f"trace={call}", "-e", f"inject={call}:signal=SIGKILL:when={when}"]
        words = [strace, "-f", "-qq", "-o", os.devnull, *fault, *command(files.tree.root, "append", 1, 3)]
        child = subprocess.run(words, capture_output=True, text=True, check=False)
        files.append(files.tree.actions, NEXT)
        found = jsonl.read(files, str(path))
        assert found[:2] == [json.loads(line) for line in WHOLE.splitlines()]
        assert found[-1] == NEXT
        assert set(map(int, child.stdout.split())) <= {record.get("number") for record in found}
        assert jsonl.find_damaged(files, str(path)) == []
        assert TORN[:20] in snapshot(files.tree.quarantine).values()
        if child.returncode == 0:
            break
    assert when > 1 and child.returncode == 0, f"{call}: never reached, or never past it"


def test_a_record_goes_where_the_name_leads(files: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file is rotated away in the moment between its opening and its lock."""
    files.append(files.tree.actions, NEXT)
    real = fcntl.flock

    def flock(fd: int, what: int) -> None:
        if not os.path.exists(f"{files.tree.actions}.old"):
            os.rename(files.tree.actions, f"{files.tree.actions}.old")
        real(fd, what)

    monkeypatch.setattr(fcntl, "flock", flock)
    files.append(files.tree.actions, NEXT)
    assert Path(files.tree.actions).read_bytes() == NEXT_LINE
