"""slog: lines are kept whole, filed, listed; secrets are not; and what search makes of them."""

from __future__ import annotations

import json
import os
import re
from argparse import Namespace
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from adjutant.app import Outcome
from adjutant.domain.recall.sources import logs as source
from adjutant.errors import FileDamaged, MemoryRefused, UsageError
from adjutant.stages import slog
from tests.conftest import adjutant, make_app, parsed


def add(root: Path, text: str, **more: Any) -> dict[str, Any]:
    given = {key: more.pop(key, None) for key in ("workload", "tags")}
    result: dict[str, Any] = slog.run(make_app(root, **more), Namespace(subverb="add", text=[text], **given)).result
    return result


def listed(root: Path, **more: Any) -> Outcome:
    words = [f"--{name}={value}" for name, value in more.items()]
    return slog.run(make_app(root), parsed(slog, "list", *words))


def test_a_line_is_filed_by_its_words_and_kept_with_every_field(tmp_path: Path) -> None:
    made = add(tmp_path, "Renewed the certificate of the shop", tags=" shop, urgent,shop,,")
    assert list(made) == ["ts", "id", "text", "concept", "confidence", "tags"]
    assert made["concept"] == "adjutant:platform"
    assert 0 < made["confidence"] < 1
    assert made["tags"] == ["shop", "urgent"]
    assert made["ts"] == "2026-11-20T09:00:00+00:00"
    assert re.fullmatch(r"20261120T090000-[0-9a-f]{4}", made["id"])
    assert [json.loads(line) for line in (tmp_path / "state/slog.jsonl").read_text().splitlines()] == [made]


def test_a_workload_given_by_hand_counts_and_an_unknown_one_is_refused(tmp_path: Path) -> None:
    assert add(tmp_path, "bananas")["concept"] == "uncategorised"
    made = add(tmp_path, "bananas", workload="comms/meetings")
    assert (made["concept"], made["confidence"]) == ("adjutant:comms/meetings", 1.0)
    with pytest.raises(UsageError, match="did you mean `platform`"):
        add(tmp_path, "bananas", workload="platfrom")
    assert len(listed(tmp_path).result["records"]) == 2


def test_ids_sort_by_time_whatever_the_zone_and_no_two_are_alike(tmp_path: Path) -> None:
    early = add(tmp_path, "before the clock goes back", now="2026-10-25T02:30:00+02:00")
    late = add(tmp_path, "after the clock went back", now="2026-10-25T02:10:00+01:00")
    assert early["id"] < late["id"]
    app = make_app(tmp_path)
    args = Namespace(subverb="add", text=["docker"], workload=None, tags=None)
    ids = [slog.run(app, args).result["id"] for _ in range(400)]  # by chance alone two of these were alike
    assert len(set(ids)) == 400


@pytest.mark.parametrize(
    "text",
    [
        "",
        "...",
        "x" * 2001,
        "the key is sk-ant-api03-abcdefghij0123456789",
        "deployed with canary-value-1234",
    ],
)
def test_what_the_log_does_not_take_is_refused_with_a_reason_but_no_secret(tmp_path: Path, text: str) -> None:
    with pytest.raises(MemoryRefused, match="refused: ") as raised:
        add(tmp_path, text, secrets={"OPENAI_API_KEY": "canary-value-1234"})
    said = f"{raised.value.message} {raised.value.fix}"
    assert "canary" not in said
    assert "abcdefghij" not in said
    assert not (tmp_path / "state/slog.jsonl").exists()


def test_a_secret_in_a_tag_is_refused_too(tmp_path: Path) -> None:
    with pytest.raises(MemoryRefused):
        add(tmp_path, "fine", tags="sk-ant-api03-abcdefghij0123456789")
    with pytest.raises(UsageError):
        add(tmp_path, "fine", tags="x" * 61)


def test_no_text_forges_a_line_or_reaches_the_terminal_as_a_command(tmp_path: Path) -> None:
    made = add(tmp_path, 'a\u2028b\x1b[2J\n{"id": "x"}\r\x00c \u202egnp')
    assert len((tmp_path / "state/slog.jsonl").read_bytes().split(b"\n")) == 2
    assert not re.search("[\x00\x1b\u202e]", made["text"])
    [line] = listed(tmp_path).lines
    assert "\n" not in line
    assert "\x1b" not in line


def test_the_list_is_filtered_by_day_concept_and_number(tmp_path: Path) -> None:
    for day, workload in (("18", "platform/k8s"), ("19", "platform"), ("20", "meta"), ("20", None)):
        add(tmp_path, "bananas", workload=workload, now=f"2026-11-{day}T09:00:00+00:00")
    texts = [record["concept"] for record in listed(tmp_path, workload="platform").result["records"]]
    assert texts == ["adjutant:platform/k8s", "adjutant:platform"]
    assert len(listed(tmp_path, since="2026-11-19").result["records"]) == 3
    assert len(listed(tmp_path, since="2026-11-19", tail=1).result["records"]) == 1
    assert len(listed(tmp_path, workload="uncategorised").result["records"]) == 1
    for wrong in ({"since": "yesterday"}, {"tail": -1}, {"workload": "nothing"}):
        with pytest.raises(UsageError):
            listed(tmp_path, **wrong)


def test_a_long_list_says_where_the_rest_is(tmp_path: Path) -> None:
    app = make_app(tmp_path)
    for number in range(60):
        app.files.append(app.tree.slog, {"ts": "2026-11-20", "id": f"{number}", "text": f"line {number}"})
    found = listed(tmp_path)
    assert (len(found.result["records"]), found.result["truncated"], len(found.lines)) == (50, True, 60)
    assert found.result["path"] == "state/slog.jsonl"
    assert found.result["records"][-1]["id"] == "59"


def test_a_damaged_line_is_named_and_the_others_go_on(tmp_path: Path) -> None:
    add(tmp_path, "docker")
    with (tmp_path / "state/slog.jsonl").open("ab") as log:
        log.write(b'half a line\n{"ts": [], "text": {}, "concept": 3}\n{"id": "torn", "te')
    found = listed(tmp_path)
    assert found.result["damaged"] == ["state/slog.jsonl:2", "state/slog.jsonl:3", "state/slog.jsonl:4"]
    assert len(found.result["records"]) == 1
    add(tmp_path, "kubectl")
    assert [record["text"] for record in listed(tmp_path).result["records"]] == ["docker", "kubectl"]
    (tmp_path / "state/slog.jsonl").unlink()
    os.mkfifo(tmp_path / "state/slog.jsonl")
    for use in (lambda: listed(tmp_path), lambda: add(tmp_path, "docker")):
        with pytest.raises(FileDamaged, match=r"state/slog\.jsonl"):
            use()


def test_writers_at_once_lose_nothing(tmp_path: Path) -> None:
    apps = [make_app(tmp_path) for _ in range(8)]

    def work(number: int) -> None:
        for turn in range(10):
            args = Namespace(subverb="add", text=[f"docker {number} {turn}"], workload=None, tags=None)
            slog.run(apps[number], args)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    kept = {record["text"] for record in listed(tmp_path, tail=1000).result["records"]}
    lines = (tmp_path / "state/slog.jsonl").read_bytes().splitlines()
    assert len(lines) == len({json.loads(line)["text"] for line in lines}) == 80
    assert len(kept) == 50


def test_a_dry_run_says_what_it_would_do_and_writes_nothing(tmp_path: Path) -> None:
    make_app(tmp_path)
    told = adjutant("slog", "add", "restarted the docker host", "--dry-run", "--root", str(tmp_path), check=0)
    assert "would be filed under adjutant:platform" in told.out
    assert not (tmp_path / "state/slog.jsonl").exists()


# -- documents -----------------------------------------------------------------------------------------------


def test_every_line_is_a_document_under_its_concept(tmp_path: Path) -> None:
    one = add(tmp_path, "restarted the docker host", tags="home")
    two = add(tmp_path, "bananas")
    path = tmp_path / "state/slog.jsonl"
    first, second = source.slog("state/slog.jsonl", path.read_bytes())
    assert (first.id, first.collection, first.text, first.path) == (
        one["id"],
        "slog",
        "restarted the docker host",
        "state/slog.jsonl",
    )
    assert (first.concepts, first.tags, first.created_at) == (("adjutant:platform",), ("home",), one["ts"])
    assert "Friday 20 November 2026" in first.names
    assert first.trust == "operator"
    assert (second.id, second.concepts) == (two["id"], ())
    assert first.source_sha != second.source_sha


def test_odd_lines_become_documents_or_nothing_and_never_an_error() -> None:
    data = (
        b'{"text": "no id"}\nnot json\n{"id": 7, "text": "a number", "tags": "x", "concept": null}\n'
        b'{"id": "x", "text": "  "}\n{"id": "7", "text": "again", "tags": [1, "t"]}\n{"id": "t'
    )
    found = source.slog("state/slog.jsonl", data)
    assert [(each.id, each.text, each.tags) for each in found] == [
        ("L1", "no id", ()),
        ("7", "a number", ()),
        ("7-2", "again", ("t",)),
    ]
