"""What a page says of its own state, and what only an example says."""

from __future__ import annotations

import pytest

from adjutant.documents import zones


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
    assert zones.is_closed(state)
