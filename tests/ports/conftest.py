from __future__ import annotations

import pytest

pytest.register_assert_rewrite(
    "tests.ports.model_suite",
    "tests.ports.http_suite",
    "tests.ports.talk_suite",
    "tests.ports.search_suite",
)

from tests.ports.model_suite import Waits  # noqa: E402 - only now do its asserts show what they compared


@pytest.fixture
def waits() -> Waits:
    return Waits()
