"""What changed is taken in, what vanished goes, damage is named once, secrets stay out, and a kill leaves no trace."""

from __future__ import annotations

import json
import os
import random
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from adjutant.clock import Clock
from adjutant.domain.recall import indexing, places
from adjutant.domain.recall.indexing import Counts, Drift
from adjutant.domain.recall.places import Collection
from adjutant.domain.recall.search import Mirror
from adjutant.domain.recall.sources import logs
from adjutant.errors import Stopped
from tests.conftest import NOW, TestedApp, make_app

FUTURE = 10.0  # seconds: by then no file is fresh any more
KB = "- name: launch\n  path: kb\n"


class Instance:
    """An instance with a vault, looked at after its files have come to rest."""

    def __init__(self, root: Path, **settings: Any) -> None:
        self.root = root
        self.app = make_app(root, verb="index", **({"retrieval__vault": ["notes"]} | settings))
        (root / "notes").mkdir(exist_ok=True)
        self.later = FUTURE

    def write(self, path: str, text: str | bytes) -> Path:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode() if isinstance(text, str) else text)
        return target

    def mirror(self, app: TestedApp | None = None, **more: Any) -> Mirror:
        app, clock = app or self.app, self.app.clock
        app.clock = Clock(lambda: clock._wall() + self.later, clock.monotonic, clock.zone, clock.now())
        try:
            return Mirror(app, **more)
        finally:
            app.clock = clock

    def index(self, *names: str, full: bool = False, **more: Any) -> dict[str, Counts]:
        mirror = self.mirror(**more)
        try:
            with mirror.lock():
                if full and not names:
                    return indexing.rebuild(mirror.index, mirror.reader)
                return indexing.refresh(mirror.index, mirror.reader, chosen(*names), full=full)
        finally:
            mirror.index.close()

    def one(self, name: str, **more: Any) -> tuple[int, int, int]:
        """(documents, upserted, deleted) of one collection."""
        counts = self.index(name, **more)[name]
        return counts.documents, counts.upserted, counts.deleted

    def ids(self, name: str) -> set[str]:
        mirror = self.mirror()
        try:
            return set(mirror.index.fingerprints(chosen(name)[0].key))
        finally:
            mirror.index.close()

    def check(self, *names: str) -> list[Drift]:
        mirror = self.mirror()
        try:
            return [drift for drift in indexing.check(mirror.index, mirror.reader, chosen(*names), []) if drift]
        finally:
            mirror.index.close()


def chosen(*names: str) -> tuple[Collection, ...]:
    return places.find_collections(",".join(names)) if names else places.TABLE


@pytest.fixture
def mine(tmp_path: Path) -> Instance:
    return Instance(tmp_path / "mine")


def message(number: int, text: str = "words") -> str:
    return json.dumps({"id": f"m{number}", "ts": NOW, "role": "operator", "name": "Ola", "text": text}) + "\n"


# -- what changed --------------------------------------------------------------------------------------------


def test_a_second_index_finds_nothing_to_do_and_reads_no_file(mine: Instance) -> None:
    mine.write("notes/a.md", "# A\n\none\n\n## B\n\ntwo\n")
    assert mine.one("vault") == (2, 2, 0)
    assert mine.one("vault", step=lambda files: pytest.fail("read a file")) == (2, 0, 0)


def test_an_edit_a_new_file_a_new_folder_and_a_vanished_file_are_all_seen(mine: Instance) -> None:
    for name in ("a", "b"):
        mine.write(f"notes/{name}.md", f"# {name}\n\ntext\n")
    mine.index("vault")
    mine.write("notes/a.md", "# a\n\nother\n\n## more\n\nwords\n")
    assert mine.one("vault") == (3, 2, 0)  # each of its sections is as new as the page
    mine.write("notes/deep/c.md", "# c\n\ntext\n")
    (mine.root / "notes" / "b.md").unlink()
    assert mine.one("vault") == (3, 1, 1)
    mine.write("notes/a.md", "# a\n\nother\n")
    assert mine.one("vault")[::2] == (2, 1)
    (mine.root / "notes" / "deep" / "c.md").unlink()
    (mine.root / "notes" / "deep").rmdir()
    assert mine.one("vault") == (1, 0, 1)


def test_an_edit_that_keeps_size_and_mtime_is_seen(mine: Instance) -> None:
    path = mine.write("notes/a.md", "# A\n\none\n")
    mine.index("vault")
    before = path.stat()
    path.write_text("# A\n\ntwo\n")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert mine.one("vault") == (1, 1, 0)


def test_a_file_that_only_was_touched_is_hashed_and_no_more(mine: Instance) -> None:
    path = mine.write("notes/a.md", "# A\n\none\n")
    mine.index("vault")
    os.utime(path)
    read: list[int] = []
    assert mine.one("vault", step=read.append) == (1, 0, 0)
    assert read == [1]
    assert mine.one("vault", step=lambda files: pytest.fail("read it again")) == (1, 0, 0)


def test_a_file_that_changed_just_now_is_read_again_whatever_its_time_says(mine: Instance) -> None:
    mine.later = 0.0
    mine.write("notes/a.md", "# A\n\none\n")
    mine.index("vault")
    mine.later = FUTURE
    read: list[int] = []
    assert mine.one("vault", step=read.append) == (1, 0, 0)
    assert read == [1]
    assert mine.one("vault", step=lambda files: pytest.fail("it has come to rest")) == (1, 0, 0)


def test_a_message_more_changes_the_neighbours_alone(mine: Instance) -> None:
    path = mine.write("state/conversations/cli.jsonl", "".join(map(message, range(6))))
    assert mine.one("conversations") == (6, 6, 0)
    with path.open("a") as file:
        file.write(message(6))
    assert mine.one("conversations") == (7, 3, 0)


def test_full_reads_everything_and_ends_with_the_same(mine: Instance) -> None:
    mine.write("notes/a.md", "# A\n\none\n")
    mine.write("journal/2026-11-20.md", "## 09:00 — Pulse\n\n- one\n")
    mine.index()
    before = {each.name: mine.ids(each.name) for each in places.TABLE}
    read: list[int] = []
    mine.index(full=True, step=read.append)
    assert len(read) == 2
    assert before == {each.name: mine.ids(each.name) for each in places.TABLE}
    assert not mine.check()
    assert mine.one("vault", step=lambda files: pytest.fail("read again")) == (1, 0, 0)
    mine.write("notes/a.md", "# A\n\nother\n")
    assert mine.index("vault", full=True)["vault"].upserted == 1
    (mine.root / "notes" / "a.md").unlink()
    assert mine.index(full=True)["vault"].documents == 0
    assert mine.ids("journal")


def test_only_one_collection_leaves_the_others_as_they_were(mine: Instance) -> None:
    mine.write("notes/a.md", "# A\n\none\n")
    mine.write("journal/2026-11-20.md", "## 09:00 — Pulse\n\n- one\n")
    assert list(mine.index("journal")) == ["journal"]
    assert mine.ids("journal") == {"2026-11-20#09:00"}
    assert not mine.ids("vault")


# -- where is looked -----------------------------------------------------------------------------------------


def test_a_vault_that_is_the_instance_itself_takes_in_no_secret_and_no_state(mine: Instance) -> None:
    page = "# Page\n\ntext\n"
    for path in (
        "notes/a.md",
        "state/runs/r1/question.md",
        "state/outbox.md",
        "journal/2026-11-20.md",
        ".env.md",
        "notes/.hidden/b.md",
        "notes/node_modules/c.md",
        "insights/pending/i.md",
        "workspace/w.md",
        "skills/s/SKILL.md",
        "memory/notes/fact/n.md",
    ):
        mine.write(path, page)
    mine.write(".env", "OPENAI_API_KEY=not-to-be-found\n")
    whole = Instance(mine.root, retrieval__vault=["."])
    whole.index("vault")
    assert whole.ids("vault") == {"notes/a.md#page"}


def test_folders_one_in_the_other_give_each_page_once_and_no_link_is_followed(mine: Instance, tmp_path: Path) -> None:
    mine.write("notes/deep/a.md", "# A\n\ntext\n")
    (tmp_path / "elsewhere.md").write_text("# Elsewhere\n\ntext\n")
    (mine.root / "notes" / "link.md").symlink_to(tmp_path / "elsewhere.md")
    (mine.root / "notes" / "loop").symlink_to(mine.root / "notes")
    os.mkfifo(mine.root / "notes" / "pipe.md")
    twice = Instance(mine.root, retrieval__vault=["notes", "notes/deep", str(mine.root / "notes")])
    read: list[int] = []
    assert twice.index("vault", step=read.append)["vault"].damaged == {}
    assert read == [1]
    assert twice.ids("vault") == {"notes/deep/a.md#a"}


def test_a_knowledge_base_below_a_vault_is_not_taken_for_the_operator_s_words(mine: Instance) -> None:
    all_of_it = Instance(mine.root, retrieval__vault=["."])
    mine.write("knowledge_bases/registry.yaml", KB)
    for path in ("kb/a.md", "knowledge_bases/other/b.md", "notes/c.md"):
        mine.write(path, "# Fish\n\ntext\n")
    all_of_it.index("vault", "kb")
    assert (all_of_it.ids("vault"), all_of_it.ids("kb")) == ({"notes/c.md#fish"}, {"launch:a.md#3"})


def test_what_is_excluded_is_in_no_collection_and_goes_when_it_comes_to_be(mine: Instance) -> None:
    for path in ("notes/a.md", "notes/old/b.md", "notes/c.tmp.md", "kb/d.md", "kb/old/e.md", "kb/agent/state/f.md"):
        mine.write(path, "# Fish\n\ntext\n")
    mine.write("kb/agent/adjutant.yaml", "")
    mine.write("knowledge_bases/registry.yaml", KB)
    mine.index("vault", "kb")
    assert mine.ids("vault") == {f"notes/{each}.md#fish" for each in ("a", "old/b", "c.tmp")}
    assert mine.ids("kb") == {"launch:d.md#3", "launch:old/e.md#3"}
    mine.write("notes/.adjutantignore", "*.tmp.md\n")
    mine.write("knowledge_bases/registry.yaml", KB.rstrip() + "\n  exclude: old/\n")
    less = Instance(mine.root, retrieval__vault=[{"path": "notes", "exclude": ["old/"]}])
    less.index("vault", "kb")
    assert (less.ids("vault"), less.ids("kb")) == ({"notes/a.md#fish"}, {"launch:d.md#3"})


def test_a_page_is_the_operator_s_word_where_the_entry_of_its_folder_says_so(mine: Instance) -> None:
    def trust(instance: Instance) -> set[str]:
        instance.index("vault", "kb")
        mirror = instance.mirror()
        try:
            return {each.trust for key in ("vault_index", "kb") for each in mirror.index.documents(key)}
        finally:
            mirror.index.close()

    mine.write("notes/a.md", "# Fish\n\ntext\n")
    mine.write("kb/b.md", "# Fish\n\ntext\n")
    mine.write("knowledge_bases/registry.yaml", KB)
    assert trust(mine) == {"untrusted"}
    mine.write("knowledge_bases/registry.yaml", KB.rstrip() + "\n  trust: operator\n")
    assert trust(Instance(mine.root, retrieval__vault=[{"path": "notes", "trust": "operator"}])) == {"operator"}


def test_nothing_inside_the_instance_s_own_folders_can_be_a_vault(mine: Instance) -> None:
    mine.write("state/runs/one/prompt.md", "# Prompt\n\ntext\n")
    runs = Instance(mine.root, retrieval__vault=["state/runs"])
    runs.index("vault")
    assert runs.ids("vault") == set()


def test_a_vault_outside_is_named_by_its_whole_path_even_through_a_link(mine: Instance, tmp_path: Path) -> None:
    (tmp_path / "wiki").mkdir()
    (tmp_path / "wiki" / "a.md").write_text("# A\n\ntext\n")
    (tmp_path / "link").symlink_to(tmp_path / "wiki")
    outside = Instance(mine.root, retrieval__vault=[str(tmp_path / "link")])
    outside.index("vault")
    assert outside.ids("vault") == {f"{tmp_path.resolve()}/wiki/a.md#a"}


def test_a_vault_that_is_gone_is_named_and_its_pages_go(mine: Instance) -> None:
    mine.write("notes/a.md", "# A\n\ntext\n")
    mine.index("vault")
    gone = Instance(mine.root, retrieval__vault=["nowhere", "state"])
    (mine.root / "state").mkdir(exist_ok=True)
    mirror = gone.mirror()
    with mirror.lock():
        counts = indexing.refresh(mirror.index, mirror.reader, chosen("vault"))["vault"]
    mirror.index.close()
    assert (counts.documents, counts.deleted) == (0, 1)
    assert mirror.reader.places.problems == [
        "retrieval.vault: nowhere is no folder that can be read",
        "retrieval.vault: state has a collection of its own",
    ]


def test_knowledge_bases_one_in_the_other_give_each_passage_once_and_disabled_ones_none(mine: Instance) -> None:
    mine.write(
        "knowledge_bases/registry.yaml",
        f"{KB}- name: inner\n  path: kb/inner\n- name: off\n  path: off\n  enabled: false\n",
    )
    for path in ("kb/plan.md", "kb/kb.yaml", "kb/inner/plan.md", "kb/inner/deep/kb.yaml", "off/plan.md"):
        mine.write(path, "- item: one\n")
    mine.write("kb/picture.png", b"\x89PNG\0\xff")
    read: list[int] = []
    mine.index("kb", step=read.append)
    assert len(read) == 3
    assert mine.ids("kb") == {"launch:plan.md#1", "inner:plan.md#1", "inner:deep/kb.yaml#1"}


def test_a_knowledge_base_gives_its_newest_files_up_to_the_limit(mine: Instance) -> None:
    limited = Instance(mine.root, limits__files_per_kb=2)
    mine.write("knowledge_bases/registry.yaml", KB)
    for path in ("b.md", "a/x.md", "a/y.md", "c.md"):
        mine.write(f"kb/{path}", "words\n")
    limited.index("kb")
    assert limited.ids("kb") == {"launch:a/y.md#1", "launch:c.md#1"}


def test_skills_are_the_skill_files_alone(mine: Instance) -> None:
    skill = "---\nname: brew\ndescription: Brew coffee\n---\nHot water.\n"
    for path in ("brew/SKILL.md", "brew/README.md", "brew/deep/SKILL.md", "SKILL.md", "brew/OTHER-SKILL.md"):
        mine.write(f"skills/{path}", skill)
    mine.index("skills")
    assert mine.ids("skills") == {"brew"}


# -- damage --------------------------------------------------------------------------------------------------


def test_a_damaged_file_is_named_until_it_is_repaired_and_the_others_go_on(mine: Instance) -> None:
    bad = mine.write("skills/bad/SKILL.md", b"# Bad\n\xff\xfe\n")
    mine.write("skills/good/SKILL.md", "# Good\n\ntext\n")
    first = mine.index("skills")["skills"]
    assert (first.documents, first.news) == (1, ["skills/bad/SKILL.md:2: not UTF-8"])
    for _ in range(2):
        again = mine.index("skills")["skills"]
        assert again.damaged == {"skills/bad/SKILL.md": "skills/bad/SKILL.md:2: not UTF-8"}
        assert not again.news
    mine.write("skills/other/SKILL.md", "# Other\n\ntext\n")
    assert mine.index("skills")["skills"].damaged
    bad.write_text("# Bad no more\n")
    assert not mine.index("skills")["skills"].damaged
    assert len(mine.ids("skills")) == 3


def test_a_damaged_line_is_left_out_and_counted(mine: Instance) -> None:
    mine.write("state/conversations/cli.jsonl", f"{message(1)}{{torn\n[1]\n{message(2)}")
    counts = mine.index("conversations")["conversations"]
    assert counts.documents == 2
    assert counts.news == ["state/conversations/cli.jsonl:2: not a record (2 such lines)"]


def test_a_page_over_the_limit_is_read_to_its_last_whole_line_below_it_and_named(mine: Instance) -> None:
    small = Instance(mine.root, limits__bytes_per_file=100)
    mine.write("notes/large.md", "# Large\n\n" + "some words\n" * 10)
    counts = small.index("vault")["vault"]
    assert counts.news == ["notes/large.md: read to the first 100 bytes only"]
    index = small.mirror().index
    (page,) = index.documents("vault_index")
    index.close()
    assert page.text == "\n".join(["some words"] * 8)


def test_a_name_that_is_no_utf_8_is_shown_so_that_it_can_be_printed(mine: Instance) -> None:
    path = os.fsencode(mine.root / "notes") + b"/caf\xe9.md"
    with open(os.open(path, os.O_WRONLY | os.O_CREAT), "wb") as file:
        file.write(b"# Coffee\n\ntext\n")
    mine.index("vault")
    assert mine.ids("vault") == {"notes/caf?.md#coffee"}
    assert mine.one("vault") == (1, 0, 0)


def test_a_registry_that_cannot_be_read_is_named_and_everything_else_goes_on(mine: Instance) -> None:
    mine.write("knowledge_bases/registry.yaml", "- name: [\n")
    mine.write("notes/a.md", "# A\n\ntext\n")
    mirror = mine.mirror()
    with mirror.lock():
        counts = indexing.refresh(mirror.index, mirror.reader, places.TABLE)
    mirror.index.close()
    assert counts["vault"].documents == 1
    assert "registry.yaml:" in mirror.reader.places.problems[0]


# -- secrets -------------------------------------------------------------------------------------------------


def test_a_value_that_becomes_a_secret_leaves_the_index_and_so_does_the_password_of_an_address(mine: Instance) -> None:
    mine.write("notes/a.md", "# A\n\nthe door is open-sesame-22, the address redis://:open%2Dsesame-22@host:1/0\n")
    mine.index("vault")
    env = {"REDIS_URL": "redis://:open%2Dsesame-22@host:1/0"}
    mine.index("vault", app=make_app(mine.root, verb="index", retrieval__vault=["notes"], secrets=env))
    mirror = mine.mirror()
    texts = [document.text for document in mirror.index.documents("vault_index")]
    mirror.index.close()
    assert texts == ["the door is <REDIS_URL>, the address redis://:<REDIS_URL>@host:1/0"]


def test_what_env_sets_for_other_programs_reaches_no_document_either(mine: Instance) -> None:
    mine.write(".env", "SHOP_LOGIN=x9!kitty\nREGION=eu-north-1\n").chmod(0o600)
    mine.write("notes/a.md", "# A\n\nthe shop in eu-north-1 takes x9!kitty\n")
    mine.index("vault")
    mirror = mine.mirror()
    texts = [document.text for document in mirror.index.documents("vault_index")]
    mirror.index.close()
    assert texts == ["the shop in eu-north-1 takes <SHOP_LOGIN>"]


@pytest.mark.parametrize("value", ["sk-a-long-secret-value", 'pass"word\\ød'])
def test_the_value_of_a_secret_reaches_no_document(mine: Instance, value: str) -> None:
    mine.write("notes/a.md", f"# A\n\nkey {value} here\n")
    mine.write("state/conversations/cli.jsonl", message(1, f"my key is {value}"))
    mirror = mine.mirror(make_app(mine.root, verb="index", secrets={"OPENAI_API_KEY": value}))
    with mirror.lock():
        indexing.refresh(mirror.index, mirror.reader, places.TABLE)
    mirror.index.close()
    files = [path.read_bytes() for path in (mine.root / "state").glob("index.sqlite*")]
    assert files
    assert not any(value.encode() in data for data in files)
    assert any(b"<OPENAI_API_KEY>" in data for data in files)


# -- a run that does not end ---------------------------------------------------------------------------------


def test_a_run_that_is_stopped_is_finished_by_the_next_which_reads_only_what_is_left(mine: Instance) -> None:
    def stop(files: int) -> None:
        if files == 280:
            raise Stopped("paused")

    for number in range(300):
        mine.write(f"notes/{number}.md", f"# {number}\n\ntext {number}\n")
    with pytest.raises(Stopped):
        mine.index("vault", step=stop)
    read: list[int] = []
    assert mine.one("vault", step=read.append)[0] == 300
    assert len(read) <= 50
    assert not mine.check("vault")


# -- check ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("full", [False, True])
def test_the_run_after_a_killed_one_drops_what_that_left(mine: Instance, full: bool) -> None:
    mine.write("notes/a.md", "# The key\n\nIt is under the mat.\n")
    mine.index()
    mirror = mine.mirror()
    with pytest.raises(KeyError):
        mirror.index.rebuild_files({}[each] for each in ("killed",))
    mirror.index.close()
    mine.index(full=full)
    with sqlite3.connect(mine.root / "state" / "index.sqlite") as db:
        assert db.execute("SELECT name FROM sqlite_master WHERE name GLOB 'next_*'").fetchall() == []
    db.close()


def test_check_names_what_is_missing_extra_and_stale_and_changes_nothing(mine: Instance) -> None:
    for name in ("a", "b"):
        mine.write(f"notes/{name}.md", f"# {name}\n\ntext\n")
    mine.index()
    assert not mine.check()
    mine.write("notes/a.md", "# a\n\nother\n")
    (mine.root / "notes" / "b.md").unlink()
    mine.write("notes/c.md", "# c\n\ntext\n")
    for _ in range(2):
        [drift] = mine.check()
        assert drift.collection == "vault_index"
        assert (drift.missing, drift.extra, drift.stale) == (["notes/c.md#c"], ["notes/b.md#b"], ["notes/a.md#a"])
    mine.index()
    assert not mine.check()


def test_later_lines_of_a_log_are_behind_and_no_drift(mine: Instance) -> None:
    def event(number: int) -> str:
        return json.dumps({"ts": NOW, "span_id": f"s{number}", "name": "turn"}) + "\n"

    path = mine.write("state/events.jsonl", event(1) + event(2))
    assert len(mine.check("events")) == 0, "nothing was read yet, so nothing has drifted"
    mine.index("events")
    with path.open("a") as file:
        file.write(event(3))
    mirror = mine.mirror()
    [drift] = list(indexing.check(mirror.index, mirror.reader, chosen("events"), []))
    mirror.index.close()
    assert not drift
    assert drift.behind == 1
    path.write_text(event(3))
    [drift] = mine.check("events")
    assert drift.extra == ["s1", "s2"]


# -- logs that grow ------------------------------------------------------------------------------------------

LOGS = {"events": logs.events, "interactions": logs.interactions, "conversations": logs.conversations}
PATHS = {name: f"state/{name}.jsonl" for name in LOGS} | {"conversations": "state/conversations/cli.jsonl"}


def grown(chance: random.Random, name: str) -> bytes:
    """A line that a run, a person or a torn write may leave at the end of a log."""
    number = chance.randrange(60 if name != "conversations" else 120)
    line: dict[str, Any] = {"id": f"i{number}", "ts": NOW, "agent": "writer", "outcome": f"about i{number + 1}"}
    if name == "events":
        line = {"span_id": f"i{number}", "name": f"of i{number + 1}", "start": number}
    elif name == "conversations":
        role = chance.choice(("operator", "agent", "stranger"))
        moment = f"2026-11-{chance.randrange(10, 20)}T09:00:00+00:00"
        line = {"id": f"i{number}", "ts": moment, "role": role, "text": f"i{number - 1} or {chance.randrange(9)}"}
    elif chance.random() < 0.5:
        line = {"event": "signal", "of": f"i{number}", "signal": chance.choice(("corrected", "useful", "no word"))}
    odd = chance.random()
    text = json.dumps(line)
    if odd < 0.02:
        return b'{"agent": "nobody", "name": "no id", "role": "operator", "text": "words"}\n'
    if odd < 0.08:
        return chance.choice((b"no record\n", b"\n", text.encode()))  # the last as a write leaves it that is under way
    return (text.replace("i1", "\\u00691") if odd < 0.2 else text).encode() + b"\n"


def is_as_read_at_once(mine: Instance, name: str, data: bytes) -> dict[str, str]:
    """Takes a log in; the index is as if it had been read at once. What is damaged."""
    mine.write(PATHS[name], data)
    counts = mine.index(name)[name]
    mirror = mine.mirror()
    held = {each.id: each for each in mirror.index.documents(chosen(name)[0].key)}
    mirror.index.close()
    wanted = {each.id: each for each in LOGS[name](PATHS[name], data)}
    assert held == wanted
    assert counts.documents == len(wanted)
    return counts.damaged


@pytest.mark.parametrize("name", LOGS)
@pytest.mark.parametrize("seed", range(8))
def test_a_log_taken_in_as_it_grows_is_in_the_index_as_if_read_at_once(mine: Instance, name: str, seed: int) -> None:
    chance = random.Random(seed)
    data = b"".join(grown(chance, name) for _ in range(chance.choice((2, 30))))
    for _ in range(12):
        data += b"".join(grown(chance, name) for _ in range(chance.choice((0, 1, 1, 2))))
        if chance.random() < 0.1:
            data = data.split(b"\n", 1)[1] if chance.random() < 0.5 else data.replace(b"i2", b"i3", 1)
        damaged = is_as_read_at_once(mine, name, data)
    assert damaged == mine.index(name, full=True)[name].damaged


@pytest.mark.parametrize("name", LOGS)
def test_a_new_line_of_no_id_is_taken_in_as_well(mine: Instance, name: str) -> None:
    told = {"ts": NOW, "agent": "writer", "role": "operator", "text": "words"}
    data = b"".join(json.dumps({"id": f"n{number}"} | told).encode() + b"\n" for number in range(30))
    is_as_read_at_once(mine, name, data)
    is_as_read_at_once(mine, name, data + json.dumps(told).encode() + b"\n")


@pytest.mark.parametrize("name", LOGS)
def test_of_a_log_that_grew_only_the_new_lines_are_made_documents_of(mine: Instance, name: str) -> None:
    def lines(*numbers: int) -> str:
        told = {"ts": NOW, "agent": "writer", "role": "operator", "text": "words"}
        return "".join(json.dumps({"id": f"n{number}"} | told) + "\n" for number in numbers)

    path = mine.write(PATHS[name], lines(*range(100, 600)))
    mine.index(name)
    with path.open("a") as file:
        file.write(lines(1))
    mirror = mine.mirror()
    [listing], [known] = mirror.reader.places.listings(name), mirror.index.list_seen(chosen(name)[0].key).values()
    read = mirror.reader.read(listing, listing.rows[0], known)
    mirror.index.close()
    assert read is not None
    assert read.kept
    assert read.documents[-1].id.endswith("n1")
    assert len(read.documents) <= 5
    assert mine.one(name) == (501, 1 if name != "conversations" else 3, 0)  # the two before it have a new neighbour
    with sqlite3.connect(mine.root / "state" / "index.sqlite") as db:
        assert db.execute("SELECT count(*) FROM documents WHERE context <> ''").fetchone() == (0,)
    db.close()


def test_a_secret_is_blotted_out_of_new_lines_as_well(mine: Instance) -> None:
    app = make_app(mine.root, verb="index", secrets={"OPENAI_API_KEY": "sk-a-long-secret-value"})
    path = mine.write("state/events.jsonl", '{"span_id": "s1", "name": "turn"}\n')
    mine.index("events", app=app)
    with path.open("a") as file:
        file.write('{"span_id": "s2", "name": "sk-a-long-secret-value"}\n')
    assert mine.index("events", app=app)["events"].upserted == 1
    assert b"long-secret" not in (mine.root / "state" / "index.sqlite").read_bytes()


# -- one id, two files ---------------------------------------------------------------------------------------


def skill(name: str, text: str) -> str:
    return f"---\nname: {name}\ndescription: {text}\n---\n"


@pytest.mark.parametrize("first", ["all at once", "the first later", "the second later", "anew"])
def test_of_two_files_with_one_id_the_first_has_it_and_the_other_is_named(mine: Instance, first: str) -> None:
    files = {"a": skill("bake", "bread with rye"), "b": skill("bake", "cake with sugar"), "c": skill("c", "coffee")}
    for name in {"the first later": "bc", "the second later": "ac"}.get(first, ""):
        mine.write(f"skills/{name}/SKILL.md", files[name])
    mine.index("skills")
    for name, text in files.items():
        mine.write(f"skills/{name}/SKILL.md", text)
    counts = mine.index(full=True)["skills"] if first == "anew" else mine.index("skills")["skills"]
    assert counts.documents == 2
    assert counts.upserted <= 2
    assert counts.damaged.keys() == {"skills/b/SKILL.md"}
    assert "skills/a/SKILL.md" in counts.damaged["skills/b/SKILL.md"]
    assert mine.check("skills") == []
    assert mine.index("skills")["skills"].news == []
    mine.write("skills/c/SKILL.md", skill("c", "tea"))  # what else changes leaves it at that
    assert mine.index("skills")["skills"].damaged.keys() == {"skills/b/SKILL.md"}
    assert mine.check("skills") == []
    (mine.root / "skills" / "a" / "SKILL.md").unlink()
    counts = mine.index("skills")["skills"]
    assert (counts.documents, counts.damaged) == (2, {})
    assert mine.check("skills") == []
    assert mine.one("skills", step=lambda files: pytest.fail("read a file")) == (2, 0, 0)


def test_a_note_that_was_moved_is_the_same_note_and_a_copy_of_it_is_named(mine: Instance) -> None:
    text = "---\nid: 20261120T090000-abcd\ntype: fact\ntitle: Boat\ntrust: operator\n---\nThe boat is blue.\n"
    mine.write("memory/notes/fact/20261120T090000-abcd.md", text)
    mine.index("memory")
    mine.write("memory/notes/gotcha/20261120T090000-abcd.md", text)
    (mine.root / "memory/notes/fact/20261120T090000-abcd.md").unlink()
    counts = mine.index("memory")["memory"]
    assert (counts.documents, counts.damaged) == (1, {})
    assert mine.check("memory") == []
    mine.write("memory/notes/fact/20261120T090000-abcd.md", text)
    assert len(mine.index("memory")["memory"].damaged) == 1
    assert mine.check("memory") == []
