"""The table of commands: what is there, what it runs, and that no word of the operator's is in a command line."""

from __future__ import annotations

import pytest

from adjutant.commands import ROWS as VERBS
from adjutant.domain.listening import answers, commands
from adjutant.errors import BehaviorConflict
from adjutant.parsing import parse
from adjutant.records.telegram_log import Job
from adjutant.records.telegram_update import Update

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
    row = commands.ROWS[name]
    plan = row.plan(rest) if row.plan else commands.asking(Job(said(rest), "telegram-1"), rest)
    assert "canary" not in " ".join(plan.words)
    assert not plan.stdin or plan.stdin in (rest, "last", rest.removeprefix("remove "))


@pytest.mark.parametrize("name", [row.name for row in commands.TABLE if row.plan and row.verb in VERBS])
@pytest.mark.parametrize("rest", ["", "one two"])
def test_every_verb_knows_the_words_it_is_given(name: str, rest: str) -> None:
    plan = commands.ROWS[name].plan
    assert plan is not None
    words = list(plan(rest).words)
    row = VERBS.get(" ".join(words[:2])) or VERBS[words[0]]
    parse(row, words[1:])


def test_accept_shows_before_it_accepts() -> None:
    plan = commands.ROWS["accept"].plan
    assert plan is not None
    assert [plan(rest).words for rest in ("s-1", "s-1 0f")] == [("evolve", "show", "-"), ("evolve", "accept", "-")]


DIFF = "--- a/identity/user.md\n+++ b/identity/user.md\n@@ -1 +1,2 @@\n-old\n+new"


@pytest.mark.parametrize(
    ("status", "diff", "last"),
    [
        ("pending", DIFF, "To accept exactly this: /accept s-1 0f"),
        ("pending", DIFF + "\n+more" * 300, "It is too long for the chat: `adjutant evolve show s-1` on the machine."),
        ("rejected", DIFF, "s-1  More: rejected (identity/user.md)"),
    ],
)
def test_what_is_to_be_accepted_is_shown_whole(status: str, diff: str, last: str) -> None:
    each = {"id": "s-1", "title": "More", "status": status, "path": "identity/user.md", "diff": diff, "shown": "0f"}
    told = answers.proposed({"suggestion": each}).split("\n")
    assert (told[-1], "/accept" in last) == (last, told[1:-1] == diff.split("\n"))


def test_a_turn_has_the_messages_own_id_and_conversation() -> None:
    words = commands.asking(Job(said("hello"), "telegram-1-9"), "hello").words
    assert words == ("ask", "-", "--session", "telegram-1-9", "--id", "tg-7")
    parse(VERBS["ask"], list(words[1:]))


def test_help_lists_a_command_when_its_verb_is_there() -> None:
    without, told = commands.helped({"status"}), commands.helped({"status", "evolve"})
    assert "/status" in without
    assert "/help" in without
    assert "/evolve" not in without
    assert "/kill" not in without
    assert "/evolve" in told
    assert "/accept" in told
    assert "/accept is not part of this version" in "".join(commands.unknown("accept", {"status"}))
    assert commands.known("accept", {"status"}) is None
    assert commands.known("accept", {"evolve"}) is not None


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
    assert "/status" in commands.unknown("stats", VERBS)[1]
    assert "/help" in commands.unknown("zzz", VERBS)[1]


def test_a_directive_may_take_the_place_of_its_opposite() -> None:
    plan = commands.ROWS["behavior"].plan
    assert plan is not None
    assert plan("replace KEEP: short answers")[:2] == (("behavior", "add", "--replace", "-"), "KEEP: short answers")
    assert commands.in_chat(BehaviorConflict.fix) == (
        "/behavior remove ID removes the old one; with `/behavior replace KEEP: …` yours takes its place"
    )


def test_a_fix_names_the_command_of_the_chat() -> None:
    assert commands.in_chat("`adjutant kb list` shows the names; `adjutant kb add NAME PATH` registers") == (
        "/kb shows the names; `adjutant kb add NAME PATH` registers"
    )
