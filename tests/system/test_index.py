"""index from outside: killed anywhere, run twice at once, on a full disk; searches beside it; secrets stay out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from adjutant.store.files import Files
from adjutant.store.tree import Tree
from tests import warm
from tests.system.syscalls import Point, disturbed, each, points, sampled
from tests.system.world import World, changed, mannered

WRITES = ("pwrite64", "ftruncate", "unlink", "openat", "write", "fdatasync")
WANTED = 6


@pytest.fixture
def notes(world: World) -> World:
    """Forty pages in a vault, a work log, a journal."""
    world.settings(retrieval__vault=["vault"])
    for number in range(40):
        world.write(f"vault/page-{number}.md", f"# Page {number}\n\nThe oven of bakery {number}.\n\n## More\n\nflour\n")
    world.write("state/slog.jsonl", json.dumps({"id": "s1", "ts": world.now, "text": "lit the oven"}) + "\n")
    world.write("journal/2026-11-20.md", "## 09:00 — Oven\n\n- hot\n")
    return world


@pytest.mark.real_strace
@pytest.mark.parametrize("words", [("index",), ("index", "--full")], ids=" ".join)
def test_a_run_killed_anywhere_is_finished_by_the_next(notes: World, tmp_path: Path, words: tuple[str, ...]) -> None:
    found = [point for point in points(notes, *words, names=WRITES) if "index.sqlite" in point.rest]
    assert len(found) > 10, "the sweep has gone blind"

    def one(point: Point) -> None:
        copy = notes.copy(tmp_path / f"{point.name}-{point.number}")
        disturbed(copy, *words, fault=f"{point.name}:signal=SIGKILL:when={point.number}")
        assert copy.result("search", "oven", "--limit", "100")["hits"], "what is there can be searched"
        copy.run("index", check=0)
        assert copy.result("index", "--check")["drift"] == []

    each(sampled(found, WANTED), one)


def test_a_second_run_at_once_is_told_so_and_a_search_is_not_kept_waiting(notes: World) -> None:
    files = Files(Tree(str(notes.root)))
    with files.lock("indexing"), files.lock("index"):
        refused = notes.refusal("index", check=75)
        assert refused["error"]["code"] == "lock.busy"
        assert notes.result("search", "oven")["fresh"] is False
    notes.run("index", check=0)
    assert len(notes.result("search", "oven", "--limit", "100")["hits"]) >= 42


def test_runs_and_searches_at_once_all_end_well(notes: World) -> None:
    verbs = (("index", "--full"), ("search", "oven"), ("search", "flour"), ("index",))
    children = [notes.start(*words) for words in verbs]
    ended = [(child.communicate(timeout=60), child.returncode) for child in children]
    assert {code for _, code in ended} <= {0, 75} and [code for _, code in ended[1:3]] == [0, 0], ended
    assert not any("Traceback" in err or "locked" in err for (_, err), _ in ended), ended
    notes.run("index", check=0)
    assert notes.result("index", "--check")["drift"] == []


def test_an_index_that_is_garbage_heals_and_says_so_once(notes: World) -> None:
    notes.run("index", check=0)
    notes.write("state/index.sqlite", b"no database at all, but long enough to be one" * 500)
    healed = notes.run("search", "oven", "--json", check=0)
    assert "made anew" in healed.err
    assert len(healed.json["result"]["hits"]) == 8
    assert notes.run("search", "oven", check=0).err == ""
    (notes.root / "state" / "index.sqlite").unlink()
    assert notes.run("index", "--check", "--json", check=1).json["error"]["details"]["drift"]
    notes.run("index", check=0)


def test_a_full_disk_is_told_in_one_line_and_loses_nothing(notes: World) -> None:
    notes.plant(
        "import resource, signal\nsignal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))"
    )
    ran = notes.run("index")
    mannered(ran)
    assert ran.code in (69, 74), ran
    notes.program = warm.PROGRAM
    notes.run("index", check=0)
    assert notes.result("index", "--check")["drift"] == []


def test_secrets_and_records_of_runs_are_never_indexed(notes: World) -> None:
    secret = "sk-canary-0123456789"
    notes.write(".env", f"OPENAI_API_KEY={secret}\n")
    (notes.root / ".env").chmod(0o600)
    notes.settings(retrieval__vault=["."])
    notes.write("state/runs/20261120T090000-0001/answer.md", f"# Answer\n\ncanary {secret}\n")
    notes.write("vault/leak.md", f"# Leak\n\ncanary {secret}\n")
    notes.run("index", check=0)
    data = b"".join(path.read_bytes() for path in (notes.root / "state").glob("index.sqlite*"))
    assert secret.encode() not in data
    assert b"canary" in data
    assert [hit["id"] for hit in notes.result("search", "canary")["hits"]] == ["vault/leak.md#leak"]


def test_a_dry_run_and_a_search_change_the_index_and_nothing_else(notes: World) -> None:
    before = notes.snapshot()
    notes.run("index", "--dry-run", check=0)
    notes.run("search", "oven", check=0)
    own = ("state/index.sqlite", "state/locks", "state/cache", "state/events.jsonl")  # the mirror, and the spans
    assert {path for path in changed(before, notes.snapshot()) if not path.startswith(own)} == set()
