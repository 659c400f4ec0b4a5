"""What a file itself tells to be over is raised by nobody; what stays open is."""

from __future__ import annotations

from datetime import UTC, datetime

from adjutant.domain.knowledge import lexicon, signals
from adjutant.domain.knowledge.findings import RaisedIssue
from adjutant.domain.knowledge.passages import KbFile
from adjutant.records.heart import Heart

NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
HEART = Heart(
    priorities=["Ferry timetable: boat, engine, crew", "Ticket machine on the pier"], concerns=["Ferry lease"], quiet=[]
)
LEX = lexicon.load()


def raised(name: str, text: str) -> list[RaisedIssue]:
    found = signals.extract([KbFile(name, text, 0, "0")], HEART, NOW, LEX, kb="ferry")
    return signals.issues({"ferry": found.signals}, HEART, NOW)


OPEN_LEASE = "---\nstatus: pending\nupdated: 2026-11-02\n---\nThe port has not signed the ferry lease.\n"


def test_an_addendum_that_ends_well_settles_what_stands_above_it() -> None:
    assert raised("lease.md", OPEN_LEASE)
    assert raised("lease.md", OPEN_LEASE + "\nLater, 16 November: lease signed and stamped.\n") == []


def test_an_addendum_that_ends_badly_settles_nothing() -> None:
    assert raised("lease.md", OPEN_LEASE + "\nLater, 16 November: the port refused to sign.\n")


def test_what_a_log_says_again_and_again_is_routine() -> None:
    other = "".join(f"- {n:02} Nov: engine ran {n} hours\n" for n in range(10, 18))
    once = "# Engine\n\n" + other + "- 19 Nov: engine alarm tripped at the quay\n"
    assert raised("engine.md", once)
    often = "# Engine\n\n- 08 Nov: engine alarm tripped at the quay\n" + other
    assert raised("engine.md", often + "- 19 Nov: engine alarm tripped at the quay\n") == []


def test_a_message_answered_well_in_the_chat_is_over() -> None:
    assert raised("chat.txt", "ANN: the ferry engine is dead\nBO: coming\n")
    assert raised("chat.txt", "ANN: the ferry engine is dead\nBO: coming\nBO: fuse replaced, it runs\n") == []


def test_each_denied_trouble_has_its_own_negation() -> None:
    assert raised("lease.md", "# Ferry lease\n\nThe auditor found no deficit and no risk.\n") == []
