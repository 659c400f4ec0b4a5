"""The table of commands: what is there, what it runs, and that no word of the operator's is in a command line."""

from __future__ import annotations

import pytest

from adjutant.commands import ROWS as VERBS
from adjutant.domain.listening import commands
from adjutant.errors import BehaviorConflict
from adjutant.parsing import parse
from adjutant.records.telegram_log import Job, Update

LISTED = [
    "status",
    "today",
    "pause",
    "resume",
    "kill",
    "pulse",
    "reflect",
    "kb",
    "jobs",
    "ask",
    "new",
    "remember",
    "recall",
    "forget",
    "behavior",
    "candidates",
    "promote",
    "reject",
    "evolve",
    "accept",
    "why",
    "done",
    "snooze",
    "useful",
    "useless",
    "help",
]
CANARY = "canary --yes $(true) second"


def said(text: str, own: bool = True) -> Update:
    return Update(7, 1000, text, own)


def test_the_table_is_the_list() -> None:
    assert [row.name for row in commands.TABLE] == LISTED


@pytest.mark.parametrize("name", LISTED)
@pytest.mark.parametrize("rest", ["", CANARY, "remove canary"])
def test_no_word_of_the_operators_is_a_word_of_the_command_line(name: str, rest: str) -> None:
    row, job = commands.ROWS[name], Job(said(rest), "telegram-1")
    plan = commands.plan(job, row, rest) if row.runs else commands.plan_turn(job, rest)
    assert "canary" not in " ".join(plan.words)
    assert not plan.stdin or plan.stdin in (rest, "last", rest.removeprefix("remove "))


@pytest.mark.parametrize("name", [row.name for row in commands.TABLE if row.runs and row.verb in VERBS])
@pytest.mark.parametrize("rest", ["", "one two"])
def test_every_verb_knows_the_words_it_is_given(name: str, rest: str) -> None:
    words = commands.choose_words(commands.ROWS[name], rest)[0].split()
    row = VERBS.get(" ".join(words[:2])) or VERBS[words[0]]
    parse(row, words[1:])


@pytest.mark.parametrize(("rest", "words"), [("s-1", "evolve show -"), ("s-1 0f", "evolve accept -")])
def test_accept_shows_before_it_accepts(rest: str, words: str) -> None:
    assert commands.choose_words(commands.ROWS["accept"], rest)[0] == words


def test_a_turn_has_the_messages_own_id_and_conversation() -> None:
    words = commands.plan_turn(Job(said("hello"), "telegram-1-9"), "hello").words
    assert words == ("ask", "-", "--session", "telegram-1-9", "--id", "tg-7")
    parse(VERBS["ask"], list(words[1:]))


def test_help_lists_a_command_when_its_verb_is_there() -> None:
    without, told = commands.list_all({"status"}), commands.list_all({"status", "evolve"})
    assert "/status" in without
    assert "/help" in without
    assert "/evolve" not in without
    assert "/kill" not in without
    assert "/evolve" in told
    assert "/accept" in told
    assert "/accept is not part of this version" in "".join(commands.deny("accept", {"status"}))
    assert commands.find("accept", {"status"}) is None
    assert commands.find("accept", {"evolve"}) is not None


@pytest.mark.parametrize(
    ("text", "parsed"),
    [
        ("/status", ("status", "")),
        ("/Status@my_bot", ("status", "")),
        ("  /kb house  what? ", ("kb", "house  what?")),
        ("/remember one\ntwo", ("remember", "one\ntwo")),
        ("/etc/hosts is wrong", ("", "/etc/hosts is wrong")),
        ("hello /kill", ("", "hello /kill")),
        ("/ kill", ("", "/ kill")),
        ("//kill", ("", "//kill")),
        ("/kill.", ("", "/kill.")),
        ("/stat\u0443s", ("", "/stat\u0443s")),
        ("/confirm 0123", ("confirm", "0123")),
        ("/confirm_0123", ("confirm", "0123")),
        ("/confirm", ("confirm", "")),
        ("/kill_0123", ("kill_0123", "")),
    ],
)
def test_a_command_begins_a_message(text: str, parsed: tuple[str, str]) -> None:
    assert commands.parse(said(text)) == parsed


AGAIN = {
    "status",
    "today",
    "kb",
    "jobs",
    "ask",
    "remember",
    "recall",
    "candidates",
    "why",
    "new",
    "help",
    "behavior",
    "accept",
}


@pytest.mark.parametrize("name", [*LISTED, "confirm"])
def test_only_what_is_done_twice_as_well_as_once_runs_again(name: str) -> None:
    assert commands.runs_again(Job(said(f"/{name}"), "s")) is (name in AGAIN)
    assert not commands.runs_again(Job(said("/behavior remove keep-1"), "s"))
    assert not commands.runs_again(Job(said("/accept s-1 0123456789abcdef"), "s"))
    assert commands.runs_again(Job(said("any text"), "s"))


def test_a_near_miss_is_named() -> None:
    assert "/status" in commands.deny("stats", VERBS)[1]
    assert "/help" in commands.deny("zzz", VERBS)[1]


def test_a_directive_may_take_the_place_of_its_opposite() -> None:
    words = commands.choose_words(commands.ROWS["behavior"], "replace KEEP: short answers")
    assert words == ("behavior add --replace -", "KEEP: short answers")
    assert commands.put_in_chat(BehaviorConflict.fix) == (
        "/behavior remove ID removes the old one; with `/behavior replace KEEP: …` yours takes its place"
    )


def test_a_fix_names_the_command_of_the_chat() -> None:
    assert commands.put_in_chat("`adjutant kb list` shows the names; `adjutant kb add NAME PATH` registers") == (
        "/kb shows the names; `adjutant kb add NAME PATH` registers"
    )
