"""The first look: what a fresh clone's pulse finds, tells and leaves behind, and that the second one is silent."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.conftest import NOW, Guarded
from tests.system.world import World, changed, checkout_copy, mannered, outside

RAN = (
    "run",
    "status",
    "reason",
    "dry_run",
    "kbs_checked",
    "kbs_unchanged",
    "kbs_unavailable",
    "kbs_left_out",
    "issues_found",
    "issues",
    "escalated",
    "insights",
    "escalations",
    "damaged",
    "model_calls",
    "tokens",
    "degraded",
)
PULSE_KEYS = ["ts", "type", "kbs_checked", "issues_found", "escalated", "run"]
ESCALATION_KEYS = ["ts", "type", "trigger", "action", "project", "notice", "run"]
NOTICE_KEYS = ["ts", "key", "event", "outcome", "kind", "text", "insight", "run", "channel"]
MADE = (
    r"journal/\d{4}-\d\d-\d\d\.md",
    r"insights/(pending|sent)/[\d-]+\.md",
    r"state/.*",
    r"knowledge_bases/\w+/current/.*",
    r"today\.md",
)


@pytest.fixture
def clone(tmp_path: Path, guarded: Guarded) -> World:
    """A fresh clone, today."""
    return checkout_copy(tmp_path / "clone")


def git(world: World, *words: str) -> str:
    names = ["-c", "user.name=Kari", "-c", "user.email=kari@example.org", "-c", "init.defaultBranch=main"]
    done = subprocess.run(["git", *names, *words], cwd=world.root, capture_output=True, text=True, check=True)
    return done.stdout


@pytest.mark.parametrize("now", [NOW, "2027-02-28T23:30:00+00:00", "2028-02-29T07:00:00+00:00"])
def test_the_first_pulse_finds_something_true_and_tells_the_worst_of_it(clone: World, now: str) -> None:
    clone.now = now
    result = clone.result("pulse")
    assert set(RAN) <= set(result)
    assert result["status"] == "completed"
    assert result["degraded"] is None
    assert result["damaged"] == []
    assert result["kbs_checked"]
    assert result["kbs_unavailable"] == []
    assert result["insights"]
    assert result["escalated"] is True
    assert result["model_calls"] > 0
    assert result["tokens"] == 0
    assert {row["trigger"] for row in result["escalations"]} == set(result["insights"])
    assert {row["action"] for row in result["escalations"]} == {"notified"}
    folders = {name: clone.root / "knowledge_bases" / name for name in result["kbs_checked"]}
    for issue in result["issues"]:
        for cited in issue["evidence"]:
            lines = (folders[issue["kb"]] / cited["path"]).read_text().split("\n")
            assert cited["quote"].strip() in lines[cited["line"] - 1], cited


def test_the_readme_shows_what_the_first_pulse_prints(clone: World) -> None:
    shown = clone.text("README.md").partition("$ bin/adjutant pulse\n")[2].partition("```")[0]
    assert shown.split() == clone.run("pulse", check=0, now=NOW).out.split()


def test_the_files_of_the_first_pulse_hold_what_they_should_in_their_order(clone: World) -> None:
    result = clone.result("pulse")
    run, day = result["run"], clone.records("actions")[0]["ts"][:10]
    pulse, notify, *escalations = clone.records("actions")
    assert list(pulse)[:6] == PULSE_KEYS
    assert pulse["type"] == "pulse"
    assert pulse["run"] == run
    assert pulse["issues_found"] == result["issues_found"]
    assert pulse["escalated"] is True
    assert list(notify)[:3] == ["ts", "type", "detail"]
    assert notify["type"] == "notify"
    assert [list(record)[:7] for record in escalations] == [ESCALATION_KEYS] * len(result["insights"])
    worst = result["insights"][0].removesuffix(".md")
    assert {(record["action"], record["notice"]) for record in escalations} == {("notified", worst)}
    assert escalations[-1]["trigger"] == f"{worst}.md", "the worst is moved last"
    assert [list(record) for record in clone.records("notices")] == [[*NOTICE_KEYS, "matters", "kbs"]] * 2
    assert [record["event"] for record in clone.records("notices")] == ["reserved", "sent"]
    assert clone.text(f"state/notify_count_{day}.txt") == "1"
    (line,) = clone.outbox()
    assert notify["detail"] in line
    ids = [issue["id"] for issue in result["issues"] if issue["insight"]]
    told = [re.fullmatch(r"(.+) · (.+) · (\w+): (.+):(\d+) · (\w{4})", line) for line in notify["detail"].split("\n")]
    assert [each and each[6] for each in told] == ids == clone.records("notices")[1]["matters"]
    for each, issue in zip(told, result["issues"], strict=False):
        cited = issue["evidence"][0]
        assert each is not None
        assert each.groups()[2:5] == (issue["kb"], cited["path"], str(cited["line"]))
    last = json.loads(clone.text("state/last_heartbeat.json"))
    assert list(last)[:3] == ["type", "timestamp", "summary"]
    assert list(last)[-1] == "last"
    assert len(last["summary"]) <= 200
    assert set(last["last"]) == {"pulse", "escalation"}
    journal = clone.journal(day)
    assert journal.startswith("## ")
    assert " — Pulse\n" in journal
    assert " — Escalation\n" in journal
    assert all(f"- **{name}**: " in journal for name in result["kbs_checked"])
    assert "- **Escalated** → " in journal
    assert clone.insights("pending") == []
    assert clone.insights("sent") == sorted(result["insights"])
    assert list(json.loads(clone.text("state/pulse.json"))) == ["basis", "kbs"]


def test_the_second_pulse_asks_nothing_and_says_nothing(clone: World) -> None:
    clone.result("pulse")
    before, told = clone.snapshot(), clone.outbox()
    result = clone.result("pulse")
    assert result["model_calls"] == 0
    assert result["tokens"] == 0
    assert result["insights"] == result["issues"] == result["escalations"] == []
    assert result["escalated"] is False
    assert result["kbs_unchanged"] == result["kbs_checked"]
    assert clone.outbox() == told
    silent = (
        r"journal/.*",
        r"today\.md",
        r"state/(actions|events|interactions)\.jsonl",
        r"state/(last_heartbeat\.json|pulse\.json|locks/.*|cache/.*)",
    )
    assert outside(changed(before, clone.snapshot()), *silent) == set()


def test_a_pulse_leaves_git_status_clean_and_everything_where_it_belongs(clone: World) -> None:
    git(clone, "init", "-q")
    git(clone, "add", "-A")
    git(clone, "commit", "-qm", "cloned")
    before = clone.snapshot()
    clone.result("pulse")
    clone.result("review")
    assert git(clone, "status", "--porcelain") == ""
    assert outside(changed(before, clone.snapshot()), *MADE) == set()


def test_review_after_it_consumes_what_is_left_and_recommends(clone: World) -> None:
    clone.write("insights/pending/2026-01-05-1200.md", "The bakery wants an answer about the flour\n\nBy Friday.\n")
    clone.result("pulse")
    clone.write("insights/pending/later.md", "Ring the bank about the second card\n")
    waiting = clone.insights("pending")
    assert len(waiting) == 2, "one knowledge base had its half of the notice"
    result = clone.result("review")
    assert result["insights_consumed"] == waiting
    assert clone.insights("pending") == []
    assert 0 < len(result["recommendations"]) <= 5
    (record,) = [record for record in clone.records("actions") if record["type"] == "review"]
    assert list(record)[:6] == ["ts", "type", "kbs_checked", "insights_sent", "recommendations", "run"]
    assert record["insights_sent"] == 2
    assert " — Review\n" in clone.journal(record["ts"][:10])


def test_why_walks_from_the_first_notice_back_to_file_and_line(clone: World) -> None:
    clone.result("pulse")
    key = clone.records("notices")[0]["key"]
    chain = clone.result("why", key)["chain"]
    assert [link["kind"] for link in chain][:2] == ["notice", "insight"]
    assert "judgement" in {c["kind"] for c in chain}
    evidence = [link for link in chain if link["kind"] == "evidence"]
    assert evidence
    assert not [link for link in chain if link["kind"] == "changed"]
    for link in evidence:
        path, _, line = link["path"].rpartition(":")
        there = Path(path).read_text().split("\n")[int(line) - 1]
        assert re.findall(r"\w+", link["text"]) == re.findall(r"\w+", there), link


def test_a_replay_of_any_run_finds_no_difference_and_changes_nothing(clone: World) -> None:
    clone.result("pulse")
    clone.result("review", now="2026-11-20T20:00:00+00:00")
    before = clone.snapshot()
    runs = clone.result("runs", "list")["runs"]
    assert [row["verb"] for row in runs] == ["review", "pulse"]
    for row in runs:
        replayed = clone.result("runs", "replay", row["run"])
        assert replayed["differences"] == []
        assert len(replayed["judgements"]) == row["judgements"] > 0
    assert clone.result("runs", "replay", "last")["differences"] == []
    assert changed(before, clone.snapshot()) == set()


def test_a_replay_sees_a_record_that_was_altered(clone: World) -> None:
    run = clone.result("pulse")["run"]
    path = next((clone.root / "state" / "runs" / run).glob("*-brief.json"))
    recorded = json.loads(path.read_text())
    recorded["result"]["items"][0]["title"] = "something else"
    path.write_text(json.dumps(recorded))
    assert clone.result("runs", "replay", run)["differences"]


def test_every_verb_of_the_first_look_has_manners(clone: World) -> None:
    for words in (
        ("pulse",),
        ("status",),
        ("doctor",),
        ("notices", "list"),
        ("ledger",),
        ("runs", "list"),
        ("kb", "list"),
        ("config", "check"),
        ("version",),
        ("pulse", "--estimate"),
        ("escalation",),
    ):
        ran = clone.run(*words)
        mannered(ran)
        assert ran.code == 0 and ran.out, (words, ran)


def test_it_works_from_inside_without_root_and_with_adj_dir(clone: World) -> None:
    deep = clone.root / "knowledge_bases"
    words = clone.argv("status")[:-2]
    for cwd, more in ((deep, {}), ("/", {"ADJ_DIR": str(clone.root)})):
        done = subprocess.run(words, cwd=cwd, env={**os.environ, **more}, capture_output=True, text=True, check=True)
        assert str(clone.root) in done.stdout
