"""behavior: what a person types and sees, what a script reads, and the copies on real servers."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from argparse import Namespace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import redis as client

from adjutant.app import Outcome
from adjutant.domain.prompting import standing
from adjutant.domain.recall.places import TABLE
from adjutant.domain.recall.servers import tokens
from adjutant.errors import BehaviorConflict, BehaviorInvalid, BehaviorUnknown, FileDamaged, UsageError
from adjutant.mirrors.redis import Redis
from adjutant.mirrors.typesense import Typesense
from adjutant.parsing import parse
from adjutant.records import behavior_history, contract, mirror_state
from adjutant.records.instance import InstanceOwner
from adjutant.stages import behavior, doctor, index, review, search, status
from adjutant.store.files import Files
from adjutant.store.tree import Tree
from tests.conftest import TestedApp, adjutant, make_app, parsed
from tests.servers import KEY, RedisServer, TypesenseServer, free_port


def ask(root: Path, *words: str, app: TestedApp | None = None, **more: Any) -> Outcome:
    """The verb in this process."""
    app = app or make_app(root, verb="behavior", **more)
    args: Namespace = parse(app.table.ROWS["behavior"], list(words))
    return behavior.run(app, args)


def run(stage: ModuleType, app: TestedApp, *words: str) -> Outcome:
    outcome: Outcome = stage.run(app, parsed(stage, *words))
    return outcome


# -- add, list, show -----------------------------------------------------------------------------------------


def test_a_directive_is_added_as_it_would_be_written_or_by_its_parts(tmp_path: Path) -> None:
    found = ask(tmp_path, "add", "KEEP: short answers")
    assert list(found.result)[:3] == ["outcome", "directive", "contract"]
    assert found.result["outcome"] == "added"
    assert found.result["contract"] == {"version": 1, "hash": found.result["contract"]["hash"]}
    assert ask(tmp_path, "add", "--type", "more", "--text", "tables").result["directive"]["type"] == "MORE"
    assert ask(tmp_path, "add", "--type", "LESS", "tea", "at", "night").result["directive"]["text"] == "tea at night"
    assert ask(tmp_path, "add", "keep".upper() + ":", "answers", "short").result["outcome"] == "duplicate"
    assert [line.split("  ")[1] for line in ask(tmp_path, "list").lines[1:]] == [
        "KEEP: short answers",
        "MORE: tables",
        "LESS: tea at night",
    ]
    shown = ask(tmp_path, "show")
    assert shown.literal
    assert shown.result["block"].split("\n")[1:3] == ["- KEEP: short answers", "- MORE: tables"]


def test_a_near_miss_is_refused_with_what_would_have_worked(tmp_path: Path) -> None:
    with pytest.raises(BehaviorInvalid, match="in capitals") as caught:
        ask(tmp_path, "add", "keep: short answers")
    assert "KEEP: short answers" in caught.value.fix
    for words in ("KEEP: a", "hello", "KEEP: one\nSTOP: two", "> KEEP: quoted"):
        with pytest.raises(BehaviorInvalid):
            ask(tmp_path, "add", words)


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("add",),
        ("add", "--type", "keep"),
        ("add", "--text", "abcd"),
        ("add", "KEEP: abcd", "--text", "abcd"),
        ("hold",),
        ("history", "--limit", "0"),
        ("remove",),
        ("add", "--type", "keep", "--text", "abcd", "efgh"),
    ],
)
def test_what_makes_no_sense_is_wrong_usage(tmp_path: Path, words: tuple[str, ...]) -> None:
    with pytest.raises(UsageError):
        ask(tmp_path, *words)


def test_a_list_marks_what_is_old_what_ends_and_what_was_proposed(tmp_path: Path) -> None:
    ask(tmp_path, "add", "KEEP: short answers", "--expires", "2027-12-24")
    ask(tmp_path, "add", "MORE: tables", now="2027-01-20T09:00:00+00:00")
    found = ask(tmp_path, "list", now="2027-02-18T09:00:00+00:00")
    assert [row["stale"] for row in found.result["directives"]] == [True, False]
    assert found.lines[1].endswith("(until 2027-12-24, stale: since 2026-11-20)")
    assert ask(tmp_path, "list", now="2027-12-25T09:00:00+00:00").result["version"] == 3, "it is past its day"


def test_the_command_line_answers_with_the_documented_codes(tmp_path: Path) -> None:
    adjutant("init", str(tmp_path / "mine"), check=0)

    def behave(*words: str, code: int, stdin: str = "") -> dict[str, Any]:
        return adjutant("behavior", *words, "--json", cwd=tmp_path / "mine", check=code, stdin=stdin).json

    assert behave("add", "KEEP: short answers", code=0)["result"]["outcome"] == "added"
    assert behave("add", "KEEP: answers, short", code=0)["result"]["outcome"] == "duplicate"
    refused = behave("add", "STOP: short answers", code=1)
    assert refused["error"]["code"] == "behavior.conflict"
    assert refused["error"]["details"]["with"]
    assert refused["command"] == "adjutant behavior add"
    assert behave("add", "STOP: short answers", "--replace", code=0)["result"]["outcome"] == "replaced"
    assert behave("add", "stop: it all", code=1)["error"]["code"] == "behavior.invalid"
    assert behave("remove", "nothing", code=1)["error"]["code"] == "behavior.unknown"
    (tmp_path / "mine" / "adjutant.yaml").write_text("behavior: {max_directives: 1}\n")
    assert behave("add", "KEEP: tables", code=1)["error"]["code"] == "behavior.full"
    (tmp_path / "mine" / "state" / "behavior" / "contract.json").write_text("{}")
    for words in (("add", "KEEP: tables"), ("list",), ("show",), ("stats",), ("apply",), ("candidates",)):
        assert behave(*words, code=65)["error"]["code"] == "file.damaged", words
    adjutant("version", cwd=tmp_path / "mine", check=0)


def test_a_message_comes_as_bytes_and_a_dry_run_explains_it(tmp_path: Path) -> None:
    root = tmp_path / "mine"
    adjutant("init", str(root), check=0)
    message = "KEEP: one\rSTOP: two\nKEEP: tables\r\nmore: lists"
    told = adjutant("behavior", "capture", "--dry-run", cwd=root, stdin=message, check=0)
    assert "would be added: KEEP: tables" in told.out
    assert "write: MORE: lists" in told.out
    assert not (root / "state" / "behavior").exists()
    done = adjutant("behavior", "capture", "--source", "tg-7", "--json", cwd=root, stdin=message, check=0)
    found = done.json["result"]
    assert [(row["line"], row["outcome"]) for row in found["captured"]] == [(2, "added")]
    assert [row["line"] for row in found["missed"]] == [1, 3]
    words = [sys.executable, "-P", "-m", "adjutant", "behavior", "capture", "--json"]
    odd = subprocess.run(words, cwd=root, input=b"KEEP: short \xff answers", capture_output=True, check=True)
    assert json.loads(odd.stdout)["result"]["missed"][0]["reason"] == "bytes that are no UTF-8"


# -- history, stats, why, candidates -------------------------------------------------------------------------


def spoken(root: Path) -> None:
    """A message that set a rule, the replies given before and under it, and the spans of their turns."""
    app = make_app(root, verb="behavior")
    app.files.append(
        app.tree.conversation("cli"),
        {"id": "m1", "ts": "2026-11-20T08:00:00+00:00", "role": "operator", "name": "", "text": "KEEP: short answers"},
    )
    app.files.append(
        app.tree.conversation("cli"),
        {
            "id": "r0",
            "ts": "2026-11-20T08:00:01+00:00",
            "role": "agent",
            "name": "",
            "text": "before",
            "contract_hash": contract.EMPTY.hash,
        },
    )
    ask(root, "capture", "--source", "m1", stdin="KEEP: short answers\nkeep: more")
    held = contract.read(app.files)
    app.files.append(
        app.tree.conversation("cli"),
        {
            "id": "r1",
            "ts": "2026-11-20T10:00:00+00:00",
            "role": "agent",
            "name": "",
            "text": "under\nit",
            "contract_hash": held.hash,
        },
    )
    app.files.append(app.tree.conversation("cli"), {"id": "x", "text": 7})
    for name, hash in (("turn", held.hash), ("turn cli", held.hash), ("step", held.hash), ("turn", None)):
        app.files.append(app.tree.events, {"name": name, "attributes": {"behavior_contract_hash": hash}})
    app.files.append(app.tree.events, {"name": "turn"})


def test_why_leads_from_a_rule_to_its_message_and_to_the_replies_under_it(tmp_path: Path) -> None:
    spoken(tmp_path)
    found = ask(tmp_path, "why", "keep-")
    assert [(link["kind"], link["id"], link["path"]) for link in found.result["chain"][1:]] == [
        ("message", "m1", "state/conversations/cli.jsonl:1"),
        ("reply", "r1", "state/conversations/cli.jsonl:3"),
    ]
    assert found.result["chain"][0]["kind"] == "event"
    assert found.result["replies"] == 1
    ask(tmp_path, "add", "STOP: short answers", "--replace")
    told = ask(tmp_path, "why", "keep-").result["chain"]
    assert [link["kind"] for link in told] == ["event", "message", "event", "reply"]
    assert ask(tmp_path, "why", "stop-").result["replies"] == 0
    for id in ("", "nothing"):
        with pytest.raises(BehaviorUnknown):
            ask(tmp_path, "why", id)


def test_stats_count_what_was_said_and_the_turns_under_each_contract(tmp_path: Path) -> None:
    spoken(tmp_path)
    ask(tmp_path, "add", "KEEP: short answers")
    with pytest.raises(BehaviorConflict):
        ask(tmp_path, "add", "STOP: short answers")
    found = ask(tmp_path, "stats").result
    assert found["by_type"] == {"KEEP": 1, "MORE": 0, "LESS": 0, "STOP": 0, "START": 0}
    assert (found["captured"], found["missed"], found["conflicts"], found["duplicates"]) == (1, 1, 1, 1)
    assert found["candidates"] == {"pending": 0, "promoted": 0, "rejected": 0, "expired": 0}
    assert [(row["version"], row["turns"]) for row in found["turns_by_hash"]] == [(1, 2)]


def test_the_history_is_told_from_its_end_one_line_an_event(tmp_path: Path) -> None:
    for number in range(60):
        ask(tmp_path, "add", f"KEEP: rule {number % 20}")
    app = make_app(tmp_path, verb="behavior")
    app.files.append(app.tree.behavior_history, {"event": "missed\x1b[2J", "reason": "\x1b[31m\nred", "ts": 7})
    found = ask(tmp_path, "history")
    assert len(found.result["events"]) == 50
    assert found.result["truncated"] is True
    assert found.result["path"] == "state/behavior/history.jsonl"
    assert len(found.lines) == 50
    assert not any("\n" in line for line in found.lines)
    assert len(ask(tmp_path, "history", "--limit", "100").result["events"]) == 61


def test_candidates_wait_are_promoted_and_are_explained_by_their_evidence(tmp_path: Path) -> None:
    app = make_app(tmp_path, verb="behavior")
    for id in ("c-1", "c-2"):
        app.files.append(
            app.tree.behavior_history,
            {
                "ts": "2026-11-20T08:00:00+00:00",
                "event": "proposed",
                "id": id,
                "type": "MORE",
                "text": f"tables {id}",
                "confidence": 0.75,
                "evidence": [{"quote": "as a table please", "record": "m1"}],
                "expiresAt": "2026-11-27T08:00:00+00:00",
            },
        )
    found = ask(tmp_path, "candidates")
    assert list(found.result["candidates"][0]) == [
        "id",
        "type",
        "text",
        "confidence",
        "evidence",
        "createdAt",
        "expiresAt",
        "status",
    ]
    assert found.lines[:2] == ["c-1  MORE: tables c-1  (pending, 75%)", '    "as a table please"']
    done = ask(tmp_path, "promote", "c-1")
    assert (done.result["outcome"], done.result["directive"]["source"]) == ("promoted", "daily-review")
    rejected = ask(tmp_path, "reject", "c-2").result
    assert (rejected["outcome"], rejected["directive"]["candidate"]) == ("rejected", "c-2")
    assert ask(tmp_path, "candidates").result["candidates"] == []
    every = ask(tmp_path, "candidates", "--all").result["candidates"]
    assert [row["status"] for row in every] == ["promoted", "rejected"]
    chain = ask(tmp_path, "why", "more-").result["chain"]
    assert [(link["kind"], link["id"]) for link in chain[1:]] == [("evidence", "m1")]
    assert "from a daily review" in ask(tmp_path, "list").lines[1]


# -- what else looks at the contract -------------------------------------------------------------------------


def test_status_tells_the_contract_and_names_one_that_cannot_be_read(tmp_path: Path) -> None:
    assert run(status, make_app(tmp_path, verb="status")).result["contract"] == {
        "version": 0,
        "hash": contract.EMPTY.hash,
        "directives": 0,
    }
    held = ask(tmp_path, "add", "KEEP: short answers").result["contract"]
    told = run(status, make_app(tmp_path, verb="status"))
    assert told.result["contract"] == {**held, "directives": 1}
    assert told.result["mirrors"] == {}
    assert "directives 1" in told.lines
    path = tmp_path / "state" / "behavior" / "contract.json"
    path.write_text(path.read_text().replace("short", "long"))
    told = run(status, make_app(tmp_path, verb="status"))
    assert told.result["contract"] is None
    assert "contract.json:1: the hash" in told.result["problems"][0]
    checks = {each["name"]: each["ok"] for each in run(doctor, make_app(tmp_path, verb="doctor")).result["checks"]}
    assert checks["contract.json"] is False


def test_a_contract_whose_file_is_gone_holds_as_its_history_tells_it(tmp_path: Path) -> None:
    ask(tmp_path, "add", "KEEP: short answers")
    held = ask(tmp_path, "add", "STOP: exclamation marks").result["contract"]
    (tmp_path / "state/behavior/contract.json").unlink()
    app = make_app(tmp_path)
    listed = ask(tmp_path, "list").result["directives"]
    assert [each["text"] for each in listed] == ["short answers", "exclamation marks"]
    assert run(status, app).result["contract"] == {**held, "directives": 2}
    (tmp_path / "identity").mkdir(exist_ok=True)
    (tmp_path / "identity/soul.md").write_text("Calm.\n")
    assert standing.read(app.files, app.config).contract == (held["version"], held["hash"])
    assert not (tmp_path / "state/behavior/contract.json").exists()
    assert ask(tmp_path, "apply").result["contract"] == held
    assert (tmp_path / "state/behavior/contract.json").exists()


def test_the_daily_review_takes_away_what_is_past_its_day(tmp_path: Path) -> None:
    ask(tmp_path, "add", "KEEP: short answers", "--expires", "2026-11-21")
    (tmp_path / "knowledge_bases").mkdir()
    (tmp_path / "knowledge_bases" / "registry.yaml").write_text("[]\n")
    app = make_app(tmp_path, verb="review", now="2026-11-22T20:00:00+00:00")
    review.run(app, argparse.Namespace(tier="cheap"))
    assert contract.read(app.files).directives == ()
    assert behavior_history.read(app.files)[-1]["event"] == "expired"
    (tmp_path / "state" / "behavior" / "contract.json").write_text("{}")
    again = make_app(tmp_path, verb="review", now="2026-11-23T20:00:00+00:00")
    with pytest.raises(FileDamaged, match=r"contract\.json"):
        review.run(again, argparse.Namespace(tier="cheap"))


# -- Redis ---------------------------------------------------------------------------------------------------


class Shared:
    """An instance whose contract is copied to a Redis server."""

    def __init__(self, root: Path, url: str) -> None:
        self.root, self.name, self.url = root, root.parent.name, url
        make_app(root, verb="behavior", instance__name=self.name, redis__url=url, redis__timeout_seconds=0.5)

    def app(self, verb: str = "behavior", **more: Any) -> TestedApp:
        return make_app(self.root, verb=verb, redis=lambda: self.cache(0.5), **more)

    def ask(self, *words: str, **more: Any) -> Outcome:
        return ask(self.root, *words, app=self.app(**more))

    def there(self) -> tuple[int, str]:
        found = json.loads(self.cache().read() or "{}")
        return found.get("version", 0), found.get("hash", "")

    def mirror(self) -> str:
        """ "ok", or what `status` says is not."""
        told = run(status, self.app("status")).result["mirrors"]["redis"]
        wrong = told["trouble"] or told["pending"] or not told["clean"]
        return f"{told['pending']} {told['trouble']}" if wrong else "ok"

    def cache(self, seconds: float = 5.0) -> Redis:
        return Redis(self.url, self.name, seconds, InstanceOwner(Files(Tree(str(self.root)))))


@pytest.fixture
def shared(tmp_path: Path, redis_server: RedisServer) -> Shared:
    return Shared(tmp_path / "mine", redis_server.url)


def test_what_is_added_stands_in_redis_and_a_subscriber_hears_of_it(shared: Shared) -> None:
    with client.Redis.from_url(shared.url).pubsub() as heard:
        heard.subscribe(f"adjutant:{shared.name}:behavior")
        heard.get_message(timeout=5)
        found = shared.ask("add", "KEEP: short answers")
        assert found.result["mirrors"] == {"redis": "ok"}
        assert shared.mirror() == "ok"
        message = heard.get_message(timeout=5)
        assert message is not None
        assert message["data"].decode() == found.result["contract"]["hash"]
    assert shared.there() == (1, found.result["contract"]["hash"])
    assert shared.cache().read() == (shared.root / "state/behavior/contract.json").read_text()
    told = shared.ask("capture", stdin="MORE: tables")
    assert told.result["mirrors"] == {"redis": "ok"}
    assert shared.there()[0] == 2


def test_a_late_push_of_an_older_version_does_not_win(shared: Shared) -> None:
    shared.ask("add", "KEEP: short answers")
    newer = contract.Contract(9, "", ())
    shared.cache().push(newer.version, newer.hash, contract.text_of(newer))
    found = shared.ask("add", "MORE: tables")
    assert found.result["outcome"] == "added"
    assert "another contract" in found.result["mirrors"]["redis"]
    assert shared.there()[0] == 9
    assert "another contract" in shared.mirror()
    run(index, shared.app("index"))
    assert shared.there()[0] == 2 and shared.mirror() == "ok", "index writes whatever the file says"


def test_a_push_that_a_newer_one_overtook_is_no_drift(shared: Shared) -> None:
    shared.ask("add", "KEEP: short answers")
    app = shared.app()
    old = contract.read(app.files)
    shared.ask("add", "MORE: tables")
    assert mirror_state.push(app, old) == {"redis": "ok"}
    assert shared.there()[0] == 2
    assert shared.mirror() == "ok"


def test_redis_away_the_verb_succeeds_status_tells_the_drift_and_index_mends_it(
    shared: Shared,
    redis_server: RedisServer,
) -> None:
    shared.ask("add", "KEEP: short answers")
    shared.url = f"redis://127.0.0.1:{free_port()}/0"
    app = shared.app()
    found = ask(shared.root, "add", "MORE: tables", app=app)
    assert found.result["outcome"] == "added"
    assert "no connection" in found.result["mirrors"]["redis"]
    assert "version 2 all the same" in app.said[0]
    assert shared.mirror().startswith("['behavior'] redis: ")
    shared.url = redis_server.url
    assert shared.there()[0] == 1
    run(index, shared.app("index"))
    assert shared.there()[0] == 2
    assert shared.mirror() == "ok"


def test_what_was_missed_is_pushed_by_the_next_verb_and_by_apply(shared: Shared) -> None:
    url, shared.url = shared.url, f"redis://127.0.0.1:{free_port()}/0"
    shared.ask("add", "KEEP: short answers")
    assert shared.mirror().startswith("['behavior'] redis: ")
    shared.url = url
    assert shared.ask("add", "KEEP: answers short").result["outcome"] == "duplicate"
    assert shared.there()[0] == 1
    assert shared.mirror() == "ok"
    client.Redis.from_url(url).delete(f"adjutant:{shared.name}:behavior:contract")
    assert shared.ask("apply").result["mirrors"] == {"redis": "ok"}
    assert shared.there()[0] == 1


def test_a_dry_run_pushes_nothing_and_a_damaged_contract_is_never_pushed(shared: Shared) -> None:
    shared.ask("add", "KEEP: short answers", dry_run=True)
    assert shared.there() == (0, "")
    shared.ask("add", "KEEP: short answers")
    path = shared.root / "state" / "behavior" / "contract.json"
    path.write_text(path.read_text().replace("short", "long"))
    assert "not pushed" in run(index, shared.app("index")).result["mirrors"]["redis"]
    with pytest.raises(FileDamaged):
        shared.ask("apply")
    assert "short" in (shared.cache().read() or "")


# -- Typesense -----------------------------------------------------------------------------------------------


def test_each_event_is_found_once_in_typesense_and_by_its_type(
    tmp_path: Path,
    typesense_server: TypesenseServer,
) -> None:
    root = tmp_path / "mine"
    name = tmp_path.name
    make_app(
        root,
        verb="behavior",
        instance__name=name,
        retrieval__backend="typesense",
        typesense__nodes=[typesense_server.url],
    )

    def server() -> Typesense:
        return Typesense(
            [typesense_server.url],
            KEY,
            5.0,
            name,
            (each.key for each in TABLE),
            InstanceOwner(Files(Tree(str(root)))),
            tokens,
        )

    id = ask(root, "add", "KEEP: short answers").result["directive"]["id"]
    with pytest.raises(BehaviorConflict):
        ask(root, "add", "STOP: short answers")
    ask(root, "remove", id)
    run(index, make_app(root, verb="index", typesense=server))
    found = run(search, make_app(root, verb="search", typesense=server), "short answers", "--in", "behavior")
    assert found.result["backend"] == "typesense"
    assert sorted(hit["title"] for hit in found.result["hits"]) == ["added KEEP", "conflict STOP", "removed KEEP"]
    for wanted, titles in (
        ("keep", ["added KEEP", "removed KEEP"]),
        ("stop", ["conflict STOP"]),
        ("removed", ["removed KEEP"]),
    ):
        asked = f"q=*&query_by=s_title&filter_by=tags:={wanted}"
        _, answer = typesense_server.ask("GET", f"/collections/{name}_behavior_history/documents/search?{asked}")
        assert isinstance(answer, dict) and "hits" in answer, answer
        found_there = sorted(hit["document"]["s_title"] for hit in answer["hits"])
        assert found_there == sorted(" ".join(tokens(title)) for title in titles)
