"""One tree on two machines: both look, one tells; git or copies join what they wrote, and no line is lost."""

from __future__ import annotations

import json
import random
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from tests.system.world import World, changed, once, outside, snapshot

TWICE = "- [ ] Pay the gas bill, due 2026-11-25\n- [ ] Renew the passport by 2026-11-27\n"
COPY = "sync-conflict-20261126-101112-ABC1234"
AUTHOR = {f"GIT_{who}_{what}": "anna@home" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}


def git(folder: Path, *words: str, check: bool = True) -> str:
    command = ["git", "-c", "init.defaultBranch=main", "-c", "protocol.file.allow=always", *words]
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder), **AUTHOR}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0 or not check, done.stderr
    return done.stdout


def at(day: int, hour: int, minute: int = 0) -> str:
    return f"2026-11-{day}T{hour:02}:{minute:02}:00+00:00"


def begin(empty: World) -> None:
    empty.write("identity/heart.md", "# Heart\n\n## Current Priorities\n\n- bills\n- passport\n- cake\n- council\n")
    empty.knowledge("home", {"todo.md": TWICE})
    empty.run("init", str(empty.root), "--two-machines", check=0)
    empty.run("pulse", check=0, now=at(23, 9))
    git(empty.root, "init", "-q", ".")
    commit(empty)


@pytest.fixture
def anna(empty: World, kept: Path) -> World:
    """The machine that tells, its tree in git, one pulse behind it."""
    empty.env["ADJUTANT_HOST"] = "anna"
    return once(kept / "anna", empty, begin)


@pytest.fixture
def bert(anna: World, tmp_path: Path) -> World:
    """A clone on the other machine."""
    git(tmp_path, "clone", "-q", str(anna.root), "bert")
    return World(tmp_path / "bert", **{**anna.env, "ADJUTANT_HOST": "bert"})


def commit(world: World) -> None:
    git(world.root, "add", "-A")
    git(world.root, "commit", "-qm", "as it stands", check=False)


def pull(world: World, other: World) -> None:
    commit(world)
    commit(other)
    git(world.root, "pull", "-q", "--no-rebase", "--no-edit", str(other.root), "HEAD")


def lines(world: World) -> dict[str, set[str]]:
    """{tracked file of lines: its lines}."""
    found = [*world.root.glob("state/*.jsonl"), *world.root.glob("state/*/*.jsonl"), *world.root.glob("journal/*.md")]
    own = ("events.jsonl", "telegram.jsonl")
    return {
        str(path.relative_to(world.root)): set(path.read_text().splitlines()) for path in found if path.name not in own
    }


def left_over(world: World, **more: str) -> list[dict[str, str]]:
    """The conflicts that a merge leaves to a person."""
    found: list[dict[str, str]] = world.refusal("merge", check=1, **more)["error"]["details"]["conflicts"]
    return found


def live_apart(anna: World, bert: World) -> None:
    """Three days on which neither hears of the other."""
    for day in (24, 25, 26):
        for world, minute in ((anna, 0), (bert, 30)):
            todo = world.root / "knowledge_bases" / "home" / f"{world.env['ADJUTANT_HOST']}.md"
            with todo.open("a") as file:
                file.write(f"- [ ] Order the cake number {day} of {todo.stem}, due 2026-11-{day + 1}\n")
            world.run("pulse", check=0, now=at(day, 9, minute))
            world.run("behavior", "add", f"KEEP: plan {day} of {todo.stem}", check=0, now=at(day, 10, minute))
            world.run("memory", "save", f"On {day} {todo.stem} rang the bank", check=0, now=at(day, 11, minute))


def test_the_other_machine_looks_and_sends_nothing(bert: World) -> None:
    bert.write("knowledge_bases/home/more.md", "- [ ] Answer the council, due 2026-11-24\n")
    bert.run("pulse", check=0, now=at(24, 9))
    assert bert.insights("pending")
    assert bert.outbox() == []
    assert [each["event"] for each in bert.records("notices") if each["ts"] > "2026-11-24"] == []


def test_a_review_there_leaves_insights_to_the_other(bert: World) -> None:
    bert.write("knowledge_bases/home/more.md", "- [ ] Answer the council, due 2026-11-24\n")
    bert.run("pulse", check=0, now=at(24, 9))
    bert.run("notify", "The oven is on order", check=None, now=at(24, 10))
    bert.run("review", check=0, now=at(24, 18))
    assert bert.insights("pending")
    assert "folded" not in [each["event"] for each in bert.records("notices")]


def test_the_log_of_both_reads_by_time(anna: World) -> None:
    for hour in (9, 11, 10):
        anna.run("slog", "add", f"Work at {hour}", check=0, now=at(24, hour))
    said = [each["text"] for each in anna.result("slog", "list", now=at(24, 12))["records"]]
    assert said == ["Work at 9", "Work at 10", "Work at 11"]


def test_a_notice_by_hand_waits_for_the_other(bert: World) -> None:
    found = bert.result("notify", "The oven is on order")
    assert found["outcome"] == "not_primary"


def test_only_looking_is_scheduled_there(bert: World) -> None:
    coming = bert.result("status")["next"]
    assert {stage for stage, slot in coming.items() if slot} == {"pulse", "index"}


def test_it_does_not_answer_the_chat(bert: World) -> None:
    assert "anna answers" in bert.refusal("listen", check=2)["error"]["message"]


def test_three_days_apart_lose_no_line(anna: World, bert: World) -> None:
    live_apart(anna, bert)
    before = [lines(anna), lines(bert)]
    pull(anna, bert)
    anna.run("merge", check=0, now=at(26, 12))
    after = lines(anna)
    missing = [(name, line) for each in before for name, held in each.items() for line in held - after[name]]
    assert missing == []


def test_after_a_merge_nothing_is_told_twice(anna: World, bert: World) -> None:
    live_apart(anna, bert)
    pull(anna, bert)
    anna.run("merge", check=0, now=at(26, 12))
    anna.run("pulse", check=0, now=at(26, 17))
    sent = [each for each in anna.records("notices") if each["event"] == "sent"]
    assert max(Counter(each["ts"][:10] for each in sent).values()) <= 3
    told = Counter(id for each in sent for id in each["matters"] if each["ts"] >= "2026-11-24")
    assert [id for id, count in told.items() if count > 1] == []
    assert anna.insights("pending") == []


def test_both_come_to_one_contract(anna: World, bert: World) -> None:
    live_apart(anna, bert)
    pull(anna, bert)
    anna.run("merge", check=0, now=at(26, 12))
    pull(bert, anna)
    bert.run("merge", check=0, now=at(26, 13))
    found = [world.result("behavior", "list") for world in (anna, bert)]
    assert found[0]["hash"] == found[1]["hash"]
    assert len(found[0]["directives"]) == 6


def test_a_contract_goes_on_after_a_fork(anna: World, bert: World) -> None:
    live_apart(anna, bert)
    pull(anna, bert)
    anna.run("merge", check=0, now=at(26, 12))
    anna.run("behavior", "add", "START: agenda first", check=0, now=at(26, 13))
    (anna.root / "state/behavior/contract.json").unlink()
    anna.run("behavior", "apply", check=0, now=at(26, 14))
    assert len(anna.result("behavior", "list")["directives"]) == 7


def test_what_contradicts_is_named(anna: World, bert: World) -> None:
    anna.run("behavior", "add", "MORE: detail in tables", check=0, now=at(24, 9))
    bert.run("behavior", "add", "LESS: detail in tables", check=0, now=at(24, 9, 30))
    pull(anna, bert)
    found = left_over(anna, now=at(24, 12))
    assert ["contradicts" in each["told"] for each in found] == [True]


def test_a_second_merge_has_nothing_to_do(anna: World, bert: World) -> None:
    live_apart(anna, bert)
    pull(anna, bert)
    anna.run("merge", check=0, now=at(26, 12))
    assert anna.result("merge", now=at(26, 13))["merged"] == []


def test_a_dry_merge_changes_nothing(anna: World, bert: World) -> None:
    live_apart(anna, bert)
    pull(anna, bert)
    beside(anna, "state/matters.jsonl", anna.text("state/matters.jsonl") + '{"ts": "2026-11-26T09:00:00+00:00"}\n')
    before = snapshot(anna.root)
    assert anna.result("merge", "--dry-run", now=at(26, 12))["merged"]
    assert outside(changed(before, snapshot(anna.root)), "state/locks/.*", "state/events.jsonl") == set()


def test_the_order_of_lines_changes_nothing(anna: World) -> None:
    for day, word in ((24, "useless"), (25, "useful")):
        anna.run("pulse", check=0, now=at(day, 9))
        id = anna.result("today", "--all", now=at(day, 9))["matters"][0]["id"]
        anna.run("mark", id, word, check=0, now=at(day, 10))
    before = anna.result("today", "--all", now=at(25, 12))
    for name in ("matters", "marks"):
        path = anna.root / "state" / f"{name}.jsonl"
        said = path.read_text().splitlines(keepends=True)
        random.Random(3).shuffle(said)
        path.write_text("".join(said))
    assert anna.result("today", "--all", now=at(25, 12)) == before


# -- copies that a tool left ---------------------------------------------------------------------------------


def beside(world: World, path: str, text: str, mark: str = f".{COPY}") -> Path:
    """A conflict copy of a file of the instance."""
    name = Path(path)
    return world.write(str(name.with_name(f"{name.stem}{mark}{name.suffix}")), text)


@pytest.mark.parametrize(
    "mark", [f".{COPY}", " (Bert's conflicted copy 2026-11-26)", " (conflicted copy 2026-11-26 101112)"]
)
def test_lines_of_a_copy_join_the_file(anna: World, mark: str) -> None:
    line = json.dumps({"ts": at(24, 9), "fingerprint": "f", "state": "done", "until": None, "insight": None})
    anna.write("state/marks.jsonl", line.replace('"f"', '"mine"') + "\n")
    copy = beside(anna, "state/marks.jsonl", line + "\n", mark)
    anna.run("merge", check=0)
    assert [each["fingerprint"] for each in anna.records("marks")] == ["mine", "f"]
    assert not copy.exists()


def test_copies_on_both_machines_become_one_file(anna: World, bert: World) -> None:
    live_apart(anna, bert)
    texts = {each: each.text("state/matters.jsonl") for each in (anna, bert)}
    for each, other in ((anna, bert), (bert, anna)):
        beside(each, "state/matters.jsonl", texts[other])
        each.run("merge", check=None, now=at(26, 12))
    assert anna.text("state/matters.jsonl") == bert.text("state/matters.jsonl")


def test_entries_of_a_journal_join_by_time(anna: World) -> None:
    anna.write("journal/2026-11-24.md", "## 09:00 — Pulse\n\n- one\n\n## 17:00 — Pulse\n\n- three\n")
    beside(anna, "journal/2026-11-24.md", "## 09:00 — Pulse\n\n- one\n\n## 12:00 — Pulse\n\n- two\n")
    anna.run("merge", check=0)
    text = anna.journal("2026-11-24")
    assert [line for line in text.splitlines() if line.startswith("- ")] == ["- one", "- two", "- three"]


def test_the_higher_count_of_notices_stands(anna: World) -> None:
    anna.write("state/notify_count_2026-11-24.txt", "1")
    beside(anna, "state/notify_count_2026-11-24.txt", "2")
    anna.run("merge", check=0)
    assert anna.count("2026-11-24") == 2


def test_a_text_of_the_operator_is_left_to_them(anna: World) -> None:
    before = anna.text("identity/heart.md")
    copy = beside(anna, "identity/heart.md", before + "- the bakery\n")
    found = left_over(anna)
    assert [each["path"] for each in found] == ["identity/heart.md"]
    assert (anna.text("identity/heart.md"), copy.read_text()) == (before, before + "- the bakery\n")


def test_a_copy_of_the_same_text_goes(anna: World) -> None:
    copy = beside(anna, "identity/heart.md", anna.text("identity/heart.md"))
    anna.run("merge", check=0)
    assert not copy.exists()


def test_a_copy_of_what_is_gone_stays(anna: World) -> None:
    copy = beside(anna, "memory/notes/fact/20261120T090000-1a2b.md", "text\n")
    anna.run("merge", check=1)
    assert copy.exists()


def test_marks_of_git_in_lines_are_taken_out(anna: World) -> None:
    said = anna.text("state/matters.jsonl").splitlines()
    anna.write("state/matters.jsonl", "\n".join(["<<<<<<< HEAD", said[0], "=======", *said, ">>>>>>> bert", ""]))
    anna.run("merge", check=0)
    assert anna.text("state/matters.jsonl").splitlines() == said


def test_marks_of_git_in_a_text_are_named(anna: World) -> None:
    anna.write("identity/heart.md", "# Heart\n<<<<<<< HEAD\n- mine\n=======\n- theirs\n>>>>>>> bert\n")
    found = left_over(anna)
    assert found[0]["told"].startswith("line 2:")


def test_an_insight_that_was_told_waits_no_more(anna: World) -> None:
    name = anna.insights("sent")[0]
    anna.write(f"insights/pending/{name}", anna.text(f"insights/sent/{name}"))
    anna.run("merge", check=0)
    assert anna.insights("pending") == []


# -- setting up, and what doctor says ------------------------------------------------------------------------


def test_an_own_gitignore_stays(empty: World) -> None:
    empty.write(".gitignore", "/mine\n")
    told = empty.run("init", str(empty.root), "--two-machines", check=0, ADJUTANT_HOST="anna")
    assert empty.text(".gitignore") == "/mine\n"
    assert "docs/two-machines.md" in told.out


def test_git_carries_no_secret(anna: World) -> None:
    anna.secrets(TELEGRAM_BOT_TOKEN="1:secret")
    commit(anna)
    tracked = git(anna.root, "ls-files").splitlines()
    assert not {".env", "state/index.sqlite", "state/behavior/contract.json"} & set(tracked)
    assert {"state/matters.jsonl", "state/notices.jsonl"} <= set(tracked)


def checks(world: World) -> dict[str, bool]:
    return {each["name"]: each["ok"] for each in world.run("doctor", "--json").json["error"]["details"]["checks"]}


def test_doctor_asks_which_machine_tells(bert: World) -> None:
    bert.settings()
    assert checks(bert)["machines"] is False


def test_doctor_names_copies(anna: World) -> None:
    beside(anna, "identity/heart.md", "other\n")
    assert checks(anna)["conflict copies"] is False
