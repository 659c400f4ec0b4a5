"""What a page says of its own state, and what only an example says."""

from __future__ import annotations

from datetime import date

import pytest

from adjutant.documents import document, zones


@pytest.mark.parametrize("fence", ["```", "```yaml", "~~~", "````"])
def test_a_state_in_a_fence_is_an_example(fence: str) -> None:
    end = fence.rstrip("yaml")
    assert zones.find_state(["# Notes", "", fence, "status: blocked", end, ""], 0) is None


def test_an_indented_state_is_an_example() -> None:
    assert zones.find_state(["# Notes", "", "    status: blocked"], 0) is None


def test_a_state_beside_a_fence_is_the_page_s() -> None:
    found = zones.find_state(["# Notes", "Status: blocked", "```", "status: done", "```"], 0)
    assert found is not None
    assert found.value == "blocked"


@pytest.mark.parametrize("state", ["wontfix", "Won’t do", "wont-fix", "NOT_PLANNED", "duplikat", "forkastet"])
def test_a_state_of_a_tracker_closes(state: str) -> None:
    assert zones.of_state(state) == "closed"


@pytest.mark.parametrize("state", ["Closed - duplicate", "RESOLVED FIXED", "no longer needed", "avvist", "entfällt"])
def test_a_state_of_two_words_closes(state: str) -> None:
    assert zones.of_state(state) == "closed"


@pytest.mark.parametrize("state", ["parked", "Someday/maybe", "skrinlagt", "auf Eis gelegt"])
def test_what_is_put_aside_settles_nothing(state: str) -> None:
    assert zones.of_state(state) == "archive"


@pytest.mark.parametrize("state", ["in progress", "not done", "done-ish", "duplicate keys", "backlog", "on hold"])
def test_a_state_that_is_open_is_no_zone(state: str) -> None:
    assert zones.of_state(state) == ""


@pytest.mark.parametrize(
    "lines",
    [["> ```yaml", "> status: blocked", "> ```"], ["````md", "```yaml", "status: blocked", "```", "status: x", "````"]],
)
def test_a_fence_in_a_quote_or_fence_is_one(lines: list[str]) -> None:
    assert zones.find_state(["# Guide", "", *lines], 0) is None


TALK = '{"id": "1", "ts": "2026-11-20T09:00:00+00:00", "role": "agent", "name": "x", "text": "Pay Bo by Friday."}\n'


@pytest.mark.parametrize(
    ("line", "zone"),
    [
        (TALK, "own"),
        (
            '{"ts": "2026-11-20T09:00:00+00:00", "type": "pulse", "run": "r1", "found": ["Pay by Friday"]}\n',
            "own",
        ),
        (TALK.replace('"role": "agent", ', ""), ""),
    ],
)
def test_a_copy_of_a_talk_or_a_log_of_ours_is_our_own(line: str, zone: str) -> None:
    assert document.read("backup/cli.jsonl", line * 2, near=date(2026, 11, 23)).zone == zone
