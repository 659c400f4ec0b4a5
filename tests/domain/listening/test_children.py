"""The verbs that the listener starts: one that cannot be started ends nothing."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from adjutant.domain.listening import commands
from adjutant.domain.listening.commands import Plan
from tests.conftest import make_app


@contextmanager
def no_descriptors() -> Iterator[None]:
    """The limit that a machine under pressure reaches: no pipe to a child can be made any more."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_verb_that_cannot_be_started_is_told_of(tmp_path: Path) -> None:
    app = make_app(tmp_path / "mine", verb="listen")
    with no_descriptors():
        told = commands.run(app, Plan(("status",), ""), lambda: None, lambda text: None)
    assert told.outcome == commands.BROKE
    assert told.own.startswith("`status` could not be run (")
