"""Locks: one holder, a dead one blocks nobody, children do not inherit, the lock's file stays."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time

import pytest

from adjutant.errors import LockBusy
from adjutant.store.files import DATA_LOCK_WAIT
from tests.store.conftest import Store
from tests.store.writers import start


def test_a_held_lock_is_refused_at_once_and_free_when_its_holder_is_killed(files: Store) -> None:
    holder = start(files.tree.root, "hold", "heartbeat", 60)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    began = time.monotonic()
    with pytest.raises(LockBusy, match="heartbeat"), files.lock("heartbeat", 0):
        pass
    assert time.monotonic() - began < 1
    holder.kill()
    holder.communicate()
    began = time.monotonic()
    with files.lock("heartbeat", 0):
        pass
    assert time.monotonic() - began < 0.1


def test_a_data_lock_is_waited_for_ten_seconds() -> None:
    assert DATA_LOCK_WAIT == 10


def test_a_lock_is_waited_for_as_long_as_was_said(files: Store) -> None:
    holder = start(files.tree.root, "hold", "notices", 0.5)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    with files.lock("notices", 10):
        pass
    assert holder.communicate(timeout=10)
    assert holder.returncode == 0


def test_a_child_does_not_inherit_a_lock(files: Store) -> None:
    with files.lock("heartbeat", 0):
        child = subprocess.Popen(
            [sys.executable, "-c", "import sys; sys.stdin.read()"], close_fds=False, stdin=subprocess.PIPE
        )
    try:
        with files.lock("heartbeat", 0):
            pass
    finally:
        child.communicate()


def test_the_lock_is_let_go_when_its_work_fails_and_its_file_stays(files: Store) -> None:
    with pytest.raises(ZeroDivisionError), files.lock("registry", 0):
        raise ZeroDivisionError
    inode = os.stat(files.tree.lock("registry")).st_ino
    with files.lock("registry", 0):
        pass
    assert os.stat(files.tree.lock("registry")).st_ino == inode


def test_threads_of_one_process_exclude_each_other_too(files: Store) -> None:
    inside = 0
    most = 0

    def work() -> None:
        nonlocal inside, most
        for _ in range(20):
            with files.lock("insights", 30):
                inside += 1
                most = max(most, inside)
                time.sleep(0.0005)
                inside -= 1

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1


def test_two_locks_do_not_meet(files: Store) -> None:
    with files.lock("heartbeat", 0), files.lock("notices", 0), files.lock("insights", 0):
        assert sorted(files.names(files.tree.locks)) == ["heartbeat.lock", "insights.lock", "notices.lock"]
