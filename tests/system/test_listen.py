"""The listener from outside: a Bot API server on loopback, real processes, kills, faults, strangers and switches."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from adjutant.domain.listening import commands
from tests import warm
from tests.botapi import CHAT, HOSTILE, TOKEN, BotApi
from tests.conftest import NOW
from tests.modelserver import ModelServer
from tests.system.syscalls import each, sampled
from tests.system.test_writes import beyond, declared
from tests.system.world import World, changed

SECRET = TOKEN.partition(":")[2]
# Every child's words are kept, `/recall` hangs and minds no TERM, `/candidates` crashes; limits are short.
ODD_CHILDREN = """
import os, sys
from adjutant.children import child
from adjutant.domain.listening import commands
real = child.run
HANG = '''import os, signal, time
signal.signal(15, signal.SIG_IGN)
open('hung', 'w').write(str(os.getpid()))
time.sleep(60)'''
def run(argv, **named):
    with open(os.environ["ARGV"], "a") as log:
        log.write(repr(argv) + "\\n")
    if "search" in argv:
        argv = [*argv[:5], sys.executable, "-c", HANG]
    if "candidates" in argv:
        argv = [*argv[:5], sys.executable, "-c", "import os; os.abort()"]
    return real(argv, **named)
child.run = run
commands.QUICK = float(os.environ.get("QUICK", "60"))
"""
# Its children are forks of the warm process, by the door: for tests that start many and end none of them.
BY_DOOR = """
import os
from adjutant.children import child
started = child.run
def by_door(argv, **named):
    if argv[6:9] == ["-P", "-m", "adjutant"] and "--grow" not in argv:
        argv = [*argv[:5], os.environ["DOOR"], *argv[9:]]
    return started(argv, **named)
child.run = by_door
"""
# The n-th of the points before and after each write, send, poll and child ends the listener.
KILLED_AT = """
import os, signal
from adjutant.channels.telegram import TelegramBot
from adjutant.children import child
from adjutant.store.files import Files
count = 0
def point(name):
    global count
    count += 1
    if count == int(os.environ.get("KILL_AT", "0")):
        os.kill(os.getpid(), signal.SIGKILL)
    if "POINTS" in os.environ:
        with open(os.environ["POINTS"], "a") as log:
            log.write(name + "\\n")
def around(owner, name):
    real = getattr(owner, name)
    def wrapped(*args, **named):
        point("before " + name)
        done = real(*args, **named)
        point("after " + name)
        return done
    setattr(owner, name, wrapped)
around(Files, "_append")
around(TelegramBot, "say")
around(child, "run")
"""


class Chat:
    """One instance, its bot, and a listener that may be started, killed and started again."""

    def __init__(self, world: World, api: BotApi) -> None:
        self.world, self.api = world, api
        self.listeners: list[subprocess.Popen[str]] = []
        api.now = int(datetime.fromisoformat(NOW).timestamp())
        self.settings()
        world.secrets(TELEGRAM_BOT_TOKEN=TOKEN, TELEGRAM_CHAT_ID=CHAT)
        world.env["ARGV"] = str(world.root.parent / f"{world.root.name}-argv")

    def settings(self, **settings: Any) -> None:
        self.world.settings(
            **{
                "heartbeat__parallel": 1,
                "messaging__telegram__api_base": self.api.url,
                "messaging__telegram__rate_limit_per_minute": 600,
                **settings,
            }
        )

    def start(self, **env: str) -> subprocess.Popen[str]:
        """A listener that has begun to poll."""
        polls = len(self.api.polls)
        self.listeners.append(self.world.start("listen", **env))
        self.api.polled(polls + 1)
        return self.listeners[-1]

    def ask(self, text: str, words: str, **more: Any) -> str:
        """Says it, and waits for an answer with these words."""
        before = len(self.api.texts)
        self.api.say(text, **more)
        return self.api.said(words, after=before)

    def confirm(self, command: str) -> str:
        """Says a command that asks, and gives the code that its answer names."""
        told = self.ask(command, "Send /confirm ")
        found = re.search(r"/confirm (\d{4}) within 2 minutes to do it, or tap /confirm_(\d{4})\.", told)
        assert found is not None and found[1] == found[2], told
        return found[1]

    def log(self) -> list[dict[str, Any]]:
        return self.world.records("telegram")

    def outcomes(self) -> dict[int, list[str]]:
        """{update: how it was done, each time}."""
        found: dict[int, list[str]] = {}
        for row in self.log():
            found.setdefault(row["update"], [])
            if row["event"] == "done":
                found[row["update"]].append(row["outcome"])
        return found

    def settled(self, *ids: int) -> None:
        """Waits until these are done."""
        wait_for(lambda: all(self.outcomes().get(id) for id in ids), lambda: f"{ids}: {self.outcomes()}")

    def ended(self, seconds: float = 20) -> tuple[int, str]:
        """(exit code, what was said on stderr) of the last listener."""
        _, err = self.listeners[-1].communicate(timeout=seconds)
        return self.listeners[-1].returncode, err

    def killed(self) -> float:
        """Sets KILLED; the seconds until the last listener is gone."""
        began = time.monotonic()
        (self.world.root / "KILLED").touch()
        self.listeners[-1].wait(20)
        return time.monotonic() - began


def wait_for(condition: Callable[[], bool], told: Callable[[], str] = lambda: "", seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, told()
        time.sleep(0.02)


@pytest.fixture
def chat(world: World) -> Iterator[Chat]:
    with BotApi() as api:
        made = Chat(world, api)
        yield made
        ours = [f"/{name}" for name in commands.ROWS]
        assert not [each for each in api.tapped if re.sub(r"_\d{4}$", "", each) not in ours], "none but our commands"
        for listener in made.listeners:
            listener.kill()
            listener.communicate()


@pytest.fixture
def quick(chat: Chat, tmp_path: Path) -> Iterator[Chat]:
    """The chat, its listener's children started by the door."""
    chat.world.env["DOOR"] = str(tmp_path / "door")
    chat.world.plant(BY_DOOR)
    with warm.door(chat.world.env["DOOR"], same=True):
        yield chat


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


# -- every command ---------------------------------------------------------------------------------------------


def test_every_command_works_from_end_to_end_and_nothing_secret_is_told(quick: Chat) -> None:
    chat = quick
    kept = ODD_CHILDREN.replace('"search" in argv', "False").replace('"candidates" in argv', "False")
    chat.world.plant(BY_DOOR + kept)
    chat.start()
    assert "/status" in chat.ask("/start", "/help")
    assert "/evolve" in chat.ask("/help", "/help - this list")
    chat.ask("/status", "neither PAUSED nor KILLED")
    chat.ask("/status@a_bot", "notices today 0 of 3")
    assert "added: KEEP: short answers" in chat.ask("KEEP: short answers\nless: noise\nWhat is due?", "LESS: noise")
    chat.ask("/ask canary-question?", "Offline")
    id = re.findall(r"\d{8}T\d{6}-\w+", chat.ask("/remember The canary-oven is late again.", ": saved, "))[0]
    assert id in chat.ask("/recall canary-oven", "late again")
    chat.ask(f"/forget {id}", "forgot")
    chat.ask("/behavior", "KEEP: short answers")
    directive = chat.ask("/behavior MORE: canary-pictures", "added").split()[0]
    chat.ask("/behavior LESS: canary-pictures", "contradicts")
    chat.ask(f"/behavior remove {directive}", "removed")
    chat.ask("/candidates", "nothing is proposed")
    assert chat.ask("/promote canary-9", "no candidate").endswith("/candidates names them")
    chat.ask("/reject canary-9", "no candidate")
    chat.ask("/kb", "bakery: 1 file")
    chat.ask("/kb bakery When is the deposit for the oven due?", "tasks.md:3")
    chat.ask("/kb canary-kb what?", "no knowledge base")
    assert "oven" in chat.ask("/pulse", "1 issue")
    code = chat.confirm("/reflect")
    assert "review" not in chat.world.text("state/actions.jsonl")
    chat.ask(f"/confirm {code}", "review: ")
    chat.ask(f"/confirm {code}", "this code is not valid any more")
    chat.ask("/why", "tasks.md")
    [insight] = chat.world.insights("sent")
    for command, words in (("useful", "useful"), ("useless", "useless"), ("done", "done")):
        chat.ask(f"/{command} {insight}", f": {words}")
    chat.ask(f"/snooze {insight}", "Usage: /snooze ID")
    chat.ask(f"/snooze {insight} 2026-12-24", "snoozed until 2026-12-24")
    chat.ask("/evolve", "are needed")
    chat.ask("/evolve list", "no suggestion waits")
    assert chat.ask("/accept canary-1", "no suggestion").endswith("/evolve list names them")
    chat.ask("/reject s-canary-1", "no suggestion")
    chat.ask("/canary", "There is no /canary")
    chat.ask("/new", "A new conversation")
    later = chat.api.say("What is due now?")
    chat.settled(later)
    talks = {path.stem for path in (chat.world.root / "state" / "conversations").iterdir()}
    assert talks == {f"telegram-{CHAT}", f"telegram-{CHAT}-{later - 1}"}
    chat.ask("/pause canary-lunch", "PAUSED set; /resume")
    chat.ask("/status", "PAUSED since")
    chat.ask(f"/confirm {chat.confirm('/resume')}", "neither PAUSED nor KILLED")
    assert chat.world.count() == 2, "the pulse's and the digest; answers are no notices"
    wait_for(lambda: all(len(outcomes) == 1 for outcomes in chat.outcomes().values()), lambda: str(chat.outcomes()))
    assert not [text for text in chat.api.texts if text.startswith("{") or "Traceback" in text or SECRET in text]
    words = Path(chat.world.env["ARGV"]).read_text()
    assert words.count("\n") > 25
    assert "canary" not in words
    assert SECRET not in words
    assert id not in words
    chat.ask(f"/confirm {chat.confirm('/kill canary-night')}", "PAUSED and KILLED set")
    code, err = chat.ended()
    assert code == 0
    assert SECRET not in err
    assert "canary-night" in chat.world.text("KILLED")
    held = [str(path) for path in chat.world.root.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()]
    assert held == [str(chat.world.root / ".env")]


def test_an_answer_of_more_than_5000_characters_arrives_whole_and_in_order(chat: Chat) -> None:
    chat.start()
    texts = [f"{number:02} {chr(97 + number)}word " + f"w{number}x " * 60 for number in range(20)]
    asked = chat.api.say("\n".join(f"KEEP: {text.strip()}" for text in texts))
    chat.settled(asked)
    pieces = chat.api.texts
    assert len(pieces) == 2
    assert all(len(piece.encode("utf-16-le")) <= 2 * 4096 for piece in pieces)
    whole = "".join(pieces)
    assert len(whole) > 5000
    assert whole == "\n".join(f"added: KEEP: {text.strip()}" for text in texts)


# -- an answer that grows --------------------------------------------------------------------------------------

ANSWER = "The boiler service is on 3 December, at ten; Nils wants the cellar to be free of boxes by then. " * 2


def growing(chat: Chat, server: ModelServer) -> None:
    chat.settings(
        llm__backend="openai", llm__base_url=server.url, llm__models__cheap="m", llm__max_retries=0, runs__keep_days=1
    )
    chat.start()


def test_the_answer_of_a_model_grows_in_one_message_and_ends_whole(chat: Chat) -> None:
    with ModelServer(["slow"], answer=lambda body: ANSWER) as server:
        growing(chat, server)
        chat.settled(chat.api.say("When is the boiler service?"))
    first, *edits = chat.api.messages
    assert first.path.endswith("/sendMessage")
    assert first.body["text"].endswith(" …")
    assert ANSWER.startswith(first.body["text"].removesuffix(" …"))
    assert edits
    assert all(each.path.endswith("/editMessageText") for each in edits)
    assert {each.body["message_id"] for each in edits} == {1} and len(edits) <= 4, "at a sane pace"
    assert edits[-1].body["text"] == ANSWER.strip()
    assert not list(chat.world.root.glob("state/**/*grow*"))


def test_an_answer_that_cannot_be_edited_is_said_whole(chat: Chat) -> None:
    chat.api.mode = lambda number: "400" if number in (1, 2) else "ok"
    with ModelServer(["slow"], answer=lambda body: ANSWER) as server:
        growing(chat, server)
        chat.settled(chat.api.say("When is the boiler service?"))
    *_, last = chat.api.messages
    assert last.path.endswith("/sendMessage")
    assert last.body["text"] == ANSWER.strip()
    assert [each for outcomes in chat.outcomes().values() for each in outcomes] == ["answered"]


def test_a_quick_answer_is_one_message(chat: Chat) -> None:
    with ModelServer(answer=lambda body: "On 3 December.") as server:
        growing(chat, server)
        chat.settled(chat.api.say("When is the boiler service?"))
    assert [(each.path.rpartition("/")[2], each.body["text"]) for each in chat.api.messages] == [
        ("sendMessage", "On 3 December.")
    ]


def test_killed_ends_an_answer_that_grows_within_a_second(chat: Chat) -> None:
    with ModelServer(["slow"], answer=lambda body: ANSWER) as server:
        growing(chat, server)
        chat.api.say("When is the boiler service?")
        chat.api.arrived(1, 30)
        assert chat.killed() < 1.5
    assert not any(each.body["text"] == ANSWER.strip() for each in chat.api.messages)


def test_a_model_that_is_not_to_be_had_is_told_as_that(chat: Chat) -> None:
    with ModelServer(["401"]) as server:
        growing(chat, server)
        told = chat.ask("When is the boiler service?", "no answer")
    assert "refused" in told
    assert "OPENAI_API_KEY" in told
    assert "nothing certain" not in told


# -- who is answered -------------------------------------------------------------------------------------------


def test_only_the_operator_is_answered_in_private_and_the_others_leave_no_text(chat: Chat) -> None:
    me, other = {"id": int(CHAT), "is_bot": False}, {"id": 99, "is_bot": False}
    private, group = {"id": int(CHAT), "type": "private"}, {"id": -5, "type": "group"}
    canary = "canary-text /kill KEEP: what I say"
    ids = [
        chat.api.say(canary, **more)
        for more in (
            {"from": other, "chat": {"id": 99, "type": "private"}},
            {"from": me, "chat": group},
            {"from": other, "chat": private},
            {"from": me, "chat": {**private, "type": "supergroup"}},
            {"from": {**me, "is_bot": True}},
            {"from": None},
            {"chat": None},
        )
    ]
    ids += [
        chat.api.post({kind: {"text": canary, "date": chat.api.now, "chat": private, "from": me}})
        for kind in ("edited_message", "channel_post", "business_message")
    ]
    chat.start()
    chat.ask("/status", "neither PAUSED nor KILLED")
    assert len(chat.api.messages) == 1
    rows = {row["update"]: row for row in chat.log() if row["event"] == "ignored"}
    assert sorted(rows) == ids
    assert rows[ids[0]]["reason"] == "stranger"
    assert rows[ids[0]]["sender"] == 99
    held = [str(path) for path in chat.world.root.rglob("*") if path.is_file() and b"canary-text" in path.read_bytes()]
    assert held == []
    assert not (chat.world.root / "KILLED").exists()
    assert not chat.world.text("state/behavior/contract.json")


def test_what_is_forwarded_old_or_no_text_is_not_acted_on(chat: Chat) -> None:
    for text in ("/kill old", "KEEP: what was said long ago"):
        chat.api.say(text, ago=601)
    chat.api.say(None, photo=[{}], caption="/kill")
    forwarded = chat.api.say("KEEP: what a stranger wants", forward_origin={"type": "user"})
    command = chat.api.say("/kill", forward_date=1)
    chat.start()
    chat.settled(forwarded, command)
    old = [text for text in chat.api.texts if text.startswith("Too old: 2 messages")]
    assert len(old) == 1
    assert "/kill old" in old[0]
    chat.api.said("I read only text")
    assert not chat.world.text("state/behavior/contract.json")
    assert not (chat.world.root / "KILLED").exists()


def test_the_eleventh_message_of_a_minute_is_turned_away_with_one_line(chat: Chat) -> None:
    chat.settings(messaging__telegram__rate_limit_per_minute=10)
    chat.start()
    ids = [chat.api.say("/help") for _ in range(14)]
    chat.settled(*ids)
    outcomes = [chat.outcomes()[id][0] for id in ids]
    assert outcomes == ["answered"] * 10 + ["limited"] * 4
    assert len([text for text in chat.api.texts if "More than 10 messages" in text]) == 1
    chat.ask("/pause", "PAUSED set; /resume")


def test_a_secret_that_the_operator_writes_is_not_kept(chat: Chat) -> None:
    chat.start()
    chat.ask(f"my token is {TOKEN}, is it due?", "was taken out of your message")
    held = [str(path) for path in chat.world.root.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()]
    assert held == [str(chat.world.root / ".env")]


def test_it_writes_what_it_declares_and_nothing_else(chat: Chat) -> None:
    before = chat.world.snapshot()
    chat.start()
    chat.ask("/help", "/help - this list")
    chat.ask("/behavior", "no directives yet")
    chat.killed()
    (chat.world.root / "KILLED").unlink()
    found = changed(before, chat.world.snapshot())
    assert "state/telegram.jsonl" in found
    assert beyond(chat.world.root, declared("listen"), found) == set()


# -- what a tap may do ---------------------------------------------------------------------------------------


def test_nothing_that_a_file_says_can_be_tapped(quick: Chat) -> None:
    chat = quick
    tasks = "".join(f"- [ ] Pay {line} for the oven of the bakery, due 2026-11-17\n" for line in HOSTILE)
    chat.world.knowledge("other", {"example.com.md": f"# Bakery opening @somebody\n\n{tasks}", "t.me/kill.md": tasks})
    chat.settings(notifications__channel="telegram", notifications__max_per_day=5)
    for number, line in enumerate(HOSTILE):
        name = f"memory/notes/fact/20261119T0900{number:02}-0001.md"
        chat.world.write(name, f"---\ntype: fact\n---\n\nThe baker said {line} again.\n")
    (chat.world.root / "PAUSED").write_text("see /kill @somebody example.com")
    chat.start()
    chat.ask("What about /kill @somebody?", "PAUSED is set")
    chat.ask("/help", "/help - this list")
    (chat.world.root / "PAUSED").unlink()
    ours = len(chat.api.tapped)
    for line in HOSTILE[:: len(HOSTILE) // 4]:
        assert chat.world.result("notify", f"[x] look at {line}")["outcome"] == "sent"
    chat.ask("/pulse", "issues")
    for line in HOSTILE[::4]:
        chat.ask(f"/recall baker said {line}", "The baker said")
    chat.ask("/kb other What is to be paid for the oven?", "for the oven")
    chat.ask("What is to be paid for the oven?", "oven")
    chat.ask("/why", "insight")
    chat.ask("/status", "neither PAUSED nor KILLED")
    chat.api.say("/kill @somebody at example.com", ago=700)
    chat.api.said("Too old: it was sent")
    assert len([text for text in chat.api.texts if text.startswith("[")]) >= 5
    assert chat.api.tapped[ours:] == []


def test_a_tap_on_kill_or_resume_alone_does_nothing(chat: Chat) -> None:
    chat.start()
    code = chat.confirm("/kill now")
    told = chat.api.texts[-1]
    assert "PAUSED and KILLED" in told
    assert "adjutant start" in told
    assert chat.api.tapped[-1] == f"/confirm_{code}"
    wrong = f"{(int(code) + 1) % 10_000:04}"
    for given in ("", wrong, f"{code} {code}", f"x{code}"):
        chat.ask(f"/confirm {given}", "Nothing was done")
    chat.ask(f"/confirm_{wrong}", "Nothing was done")
    forwarded = chat.api.say(f"/confirm {code}", forward_date=1)
    chat.settled(forwarded)
    chat.confirm("/resume")
    chat.ask(f"/confirm {code}", "Nothing was done")  # the newer question took its place
    code = chat.confirm("/kill now")
    chat.api.now += 121
    chat.ask(f"/confirm {code}", "Nothing was done")
    code = chat.confirm("/kill now")
    chat.listeners[-1].kill()
    chat.listeners[-1].wait(30)  # or it may still hold the lock
    chat.start()
    chat.ask(f"/confirm {code}", "Nothing was done")  # a restart forgets it
    assert not (chat.world.root / "KILLED").exists()
    assert not (chat.world.root / "PAUSED").exists()
    chat.ask("/pause", "PAUSED set; /resume")
    code = chat.confirm("/resume")
    assert (chat.world.root / "PAUSED").exists()
    chat.ask(f"/confirm_{code}", "neither PAUSED nor KILLED")
    chat.ask("/pause", "PAUSED set; /resume")
    chat.ask(f"/confirm {code}", "PAUSED is set")  # once only
    assert (chat.world.root / "PAUSED").exists()


def test_a_confirmed_kill_does_not_wait_behind_a_verb_that_hangs(chat: Chat) -> None:
    chat.world.plant(ODD_CHILDREN)
    chat.start()
    chat.api.say("/recall oven")
    wait_for((chat.world.root / "hung").exists)
    chat.ask(f"/confirm {chat.confirm('/kill')}", "PAUSED and KILLED set")
    assert chat.ended()[0] == 0


# -- switches --------------------------------------------------------------------------------------------------


def test_under_paused_only_three_commands_are_answered(chat: Chat) -> None:
    (chat.world.root / "PAUSED").write_text("lunch\n")
    chat.start()
    for text in ("What is due?", "/ask x", "/pulse", "/behavior KEEP: this", "/remember this", "/kill", "/new"):
        chat.ask(text, "PAUSED is set (lunch): only /status, /resume and /help")
    chat.ask("/help", "/status")
    chat.ask("/status", "PAUSED since")
    assert not (chat.world.root / "state" / "conversations").exists()
    assert not (chat.world.root / "KILLED").exists()
    chat.ask(f"/confirm_{chat.confirm('/resume')}", "neither PAUSED nor KILLED")
    chat.ask("/behavior", "no directives yet")


@pytest.mark.parametrize("make", [Path.touch, Path.mkdir, lambda path: path.symlink_to("nowhere")])
def test_it_does_not_start_under_killed(chat: Chat, make: Callable[[Path], None]) -> None:
    make(chat.world.root / "KILLED")
    before = chat.world.snapshot()
    refused = chat.world.refusal("listen", check=1)
    assert refused["error"]["code"] == "killed"
    assert "adjutant start" in refused["fix"]
    assert chat.api.polls == []
    assert chat.world.snapshot() == before


def test_killed_ends_a_long_poll_within_a_second(chat: Chat) -> None:
    chat.start()
    time.sleep(0.5)
    assert chat.killed() < 1.0
    assert chat.ended()[0] == 0


def test_killed_ends_a_child_that_minds_no_term_within_a_second_and_nothing_is_left(chat: Chat) -> None:
    chat.world.plant(ODD_CHILDREN)
    chat.start()
    asked = chat.api.say("/recall oven")
    wait_for((chat.world.root / "hung").exists)
    wait_for(lambda: (chat.world.root / "hung").read_text() != "")
    child = int((chat.world.root / "hung").read_text())
    assert alive(child)
    assert chat.killed() < 1.0
    assert not alive(child)
    assert chat.outcomes()[asked] == []
    (chat.world.root / "KILLED").unlink()
    chat.world.program = warm.PROGRAM
    chat.start()
    chat.api.said("nothing found")
    chat.settled(asked)


@pytest.mark.parametrize("mode", ["500", "429", "hang"])
def test_killed_ends_a_wait_for_the_server_within_a_second(chat: Chat, mode: str) -> None:
    chat.api.poll_mode, chat.api.retry_after = mode, 600
    chat.start()
    time.sleep(0.3)
    assert chat.killed() < 1.0


@pytest.mark.parametrize("mode", ["500", "429", "hang"])
def test_killed_ends_an_answer_that_does_not_leave_and_it_leaves_after_the_restart(chat: Chat, mode: str) -> None:
    chat.api.mode, chat.api.retry_after = mode, 600
    chat.start()
    asked = chat.api.say("/help")
    assert chat.api.arrived(1)
    assert chat.killed() < 1.0
    (chat.world.root / "KILLED").unlink()
    chat.api.mode = "ok"
    chat.start()
    chat.api.said("/help - this list")
    chat.settled(asked)


# -- children --------------------------------------------------------------------------------------------------


def test_a_child_that_hangs_or_crashes_does_not_take_the_listener_along(chat: Chat) -> None:
    chat.world.plant(ODD_CHILDREN)
    listener = chat.start(QUICK="4")
    hangs = chat.api.say("/recall oven")
    wait_for((chat.world.root / "hung").exists)
    chat.ask("/status", "neither PAUSED nor KILLED")
    assert chat.outcomes()[hangs] == [], "the one is answered while the other hangs"
    chat.api.said("`memory search` took longer than 4 s")
    chat.ask("/candidates", f"`behavior candidates` broke off (signal {int(signal.SIGABRT)})")
    chat.ask("/help", "/help - this list")
    assert listener.poll() is None


def test_the_child_of_a_listener_that_was_killed_does_not_go_on(chat: Chat) -> None:
    chat.world.plant(ODD_CHILDREN)
    listener = chat.start()
    chat.api.say("/recall oven")
    wait_for((chat.world.root / "hung").exists)
    wait_for(lambda: (chat.world.root / "hung").read_text() != "")
    listener.kill()
    listener.wait(30)  # or it may still hold the lock
    wait_for(lambda: not alive(int((chat.world.root / "hung").read_text())), seconds=5)


# -- the server ------------------------------------------------------------------------------------------------


def test_a_second_listener_of_the_same_instance_ends_with_75(chat: Chat) -> None:
    chat.start()
    assert chat.world.refusal("listen", check=75)["error"]["code"] == "lock.busy"


@pytest.mark.parametrize(
    ("mode", "told"),
    [
        ("409", "another program reads the messages of this bot"),
        ("429", "the server asks to wait"),
        ("500", "does not answer as it should"),
        ("403", "refuses the poll"),
    ],
)
def test_polls_that_fail_are_tried_again_and_the_cause_is_named_once(chat: Chat, mode: str, told: str) -> None:
    chat.api.poll_mode, chat.api.retry_after = (lambda n: mode if 0 < n < 3 else "ok"), 2
    asked = chat.api.say("/help")
    began = time.monotonic()
    chat.start()
    chat.settled(asked)
    chat.api.polled(4)
    waited = time.monotonic() - began
    chat.ask("/status", "neither PAUSED nor KILLED")
    assert waited > (4 if mode == "429" else 1.4), "429: twice what was asked for; else 0.5 to 1 s, then 1 to 2 s"
    assert chat.outcomes()[asked] == ["answered"]
    assert len(chat.api.messages) == 2
    chat.killed()
    err = chat.ended()[1]
    assert err.count(told) == 1
    assert "the server answers again" in err
    assert SECRET not in err


@pytest.mark.parametrize("mode", ["429", "500", "409"])
def test_an_answer_that_does_not_leave_is_tried_again(chat: Chat, mode: str) -> None:
    chat.api.mode = lambda n: mode if n < 2 else "ok"
    chat.start()
    asked = chat.api.say("/help")
    chat.settled(asked)
    assert [each.mode for each in chat.api.messages] == [mode, mode, "ok"]
    assert chat.outcomes()[asked] == ["answered"]


@pytest.mark.parametrize(("mode", "tries"), [("500", 3), ("400", 1), ("403", 1)])
def test_an_answer_that_never_leaves_is_given_up(chat: Chat, mode: str, tries: int) -> None:
    chat.api.mode = lambda n: mode if n < tries else "ok"
    chat.start()
    lost = chat.api.say("/help")
    chat.settled(lost)
    assert len(chat.api.messages) == tries
    assert chat.outcomes()[lost] == ["undelivered"]
    chat.ask("/status", "neither PAUSED nor KILLED")


def test_two_programs_that_read_one_bot_do_not_handle_a_message_twice(chat: Chat) -> None:
    chat.start()
    assert chat.api.poll({"offset": 0, "timeout": 0})[0] == "ok"
    asked = chat.api.say("/help")
    chat.settled(asked)
    assert chat.outcomes()[asked] == ["answered"]


@pytest.mark.parametrize(
    ("secrets", "told"),
    [
        ({"TELEGRAM_BOT_TOKEN": ""}, "TELEGRAM_BOT_TOKEN must be set"),
        ({"TELEGRAM_CHAT_ID": ""}, "TELEGRAM_CHAT_ID must"),
        ({"TELEGRAM_BOT_TOKEN": "", "TELEGRAM_CHAT_ID": ""}, "TELEGRAM_BOT_TOKEN and TELEGRAM_CHAT_ID must be set"),
        ({"TELEGRAM_CHAT_ID": "-100123"}, "the number of a private chat"),
        ({"TELEGRAM_CHAT_ID": "@ina"}, "private chat"),
    ],
)
def test_what_is_not_set_is_named(chat: Chat, secrets: dict[str, str], told: str) -> None:
    chat.world.secrets(**{"TELEGRAM_BOT_TOKEN": TOKEN, "TELEGRAM_CHAT_ID": CHAT, **secrets})
    refused = chat.world.refusal("listen", check=78)
    assert told in refused["error"]["message"]
    assert chat.api.polls == []


def test_a_token_that_is_not_accepted_is_named(chat: Chat) -> None:
    chat.api.poll_mode = "401"
    refused = chat.world.refusal("listen", check=78)
    assert "does not accept TELEGRAM_BOT_TOKEN" in refused["error"]["message"]
    assert SECRET not in json.dumps(refused)


def test_there_is_no_dry_run(chat: Chat) -> None:
    assert "no dry run" in chat.world.refusal("listen", "--dry-run", check=2)["error"]["message"]
    assert chat.api.polls == []


# -- restarts --------------------------------------------------------------------------------------------------


def test_a_damaged_log_skips_to_the_newest_and_the_operator_is_told(chat: Chat) -> None:
    chat.start()
    first = chat.api.say("/behavior KEEP: short answers")
    chat.settled(first)
    chat.listeners[-1].kill()
    chat.listeners[-1].wait(30)  # or it may still hold the lock
    ids = [chat.api.say(f"/behavior MORE: pictures{number}") for number in range(3)]
    with (chat.world.root / "state" / "telegram.jsonl").open("ab") as log:
        log.write(b'{"update": 10\xff\n')
    before = len(chat.api.texts)
    chat.start()
    chat.api.said("is passed over", after=before)
    chat.ask("/behavior", "KEEP: short answers")
    assert "pictures" not in chat.world.text("state/behavior/contract.json")
    lines = (chat.world.root / "state" / "telegram.jsonl").read_bytes().split(b"\n")
    assert [json.loads(line)["update"] for line in lines if b'"skipped"' in line] == ids[-1:]


def test_what_an_earlier_run_left_too_long_ago_is_told_and_not_done(chat: Chat) -> None:
    chat.world.plant(KILLED_AT)
    chat.listeners.append(chat.world.start("listen", KILL_AT="3"))
    asked = chat.api.say("/behavior KEEP: short answers")
    chat.listeners[-1].wait(30)
    chat.world.program = warm.PROGRAM
    chat.world.now = "2026-11-20T09:30:00+00:00"
    chat.start()
    chat.settled(asked)
    assert "KEEP: short answers" in chat.api.said("Too old: it was sent")
    assert not chat.world.text("state/behavior/contract.json")


SAID = ("/remember The oven of the bakery is late again.", "KEEP: short answers\nWhat about the oven?", "/pulse")


@pytest.mark.sweep
def test_a_kill_at_any_point_loses_nothing_and_repeats_nothing(world: World, tmp_path: Path) -> None:
    points = tmp_path / "points"
    with BotApi() as api:
        whole = Chat(world.copy(tmp_path / "reference"), api)
        whole.world.plant(KILLED_AT)
        ids = [api.say(text) for text in SAID]
        whole.start(POINTS=str(points))
        whole.settled(*ids)
        time.sleep(0.2)
        whole.listeners[-1].kill()
        whole.listeners[-1].wait(30)  # or it may still hold the lock
        whole.listeners[-1].communicate()
    names = points.read_text().splitlines()
    assert len(names) == 32 and names.count("before say") == 3, names

    def one(number: int) -> None:
        with BotApi() as api:
            chat = Chat(world.copy(tmp_path / f"at-{number}"), api)
            try:
                _killed_once(chat, number)
            finally:
                for listener in chat.listeners:
                    listener.kill()
                    listener.communicate()

    each(sampled(range(1, len(names) + 1), desk=8, ci=4), one)


def _killed_once(chat: Chat, number: int, defect: str = "") -> None:
    """Dies at the point, starts again, and comes to where it would have come."""
    world, api = chat.world, chat.api
    ids = [api.say(text) for text in SAID]
    world.plant(KILLED_AT + defect)
    chat.listeners.append(world.start("listen", KILL_AT=str(number)))
    assert chat.listeners[-1].wait(60) == -signal.SIGKILL
    world.program = warm.PROGRAM
    chat.start()
    chat.settled(*ids)
    received = [row["update"] for row in chat.log() if row["event"] == "received"]
    assert received == ids
    assert all(len(chat.outcomes()[id]) == 1 for id in ids)
    for words in (": saved, ", "KEEP: short answers", "ledge base, 1 issue|I was stopped while I worked on “/pulse"):
        assert any(re.search(words, text) for text in api.texts), (words, api.texts)
    assert len(list(world.root.glob("memory/notes/*/*.md"))) == 1
    talk = world.records(f"conversations/telegram-{CHAT}")
    assert [row["id"] for row in talk] == [f"tg-{ids[1]}", f"tg-{ids[1]}-answer"]
    contract = json.loads(world.text("state/behavior/contract.json"))
    assert contract["version"] == 1
    assert len(contract["directives"]) == 1
    assert len([row for row in world.records("actions") if row["type"] == "pulse"]) <= 1
    chat.ask("/help", "/help - this list")


UNSAID = """
from adjutant.records.telegram_log import STARTED, Log
note = Log.note
Log.note = lambda self, event, *ids, **told: None if event == STARTED else note(self, event, *ids, **told)
"""
NAMELESS = """
from adjutant.domain.listening import commands
real = commands.plan_turn
commands.plan_turn = lambda job, text: (plan := real(job, text))._replace(words=plan.words[:-2])
"""


@pytest.mark.parametrize(
    ("defect", "number", "told"),
    [(UNSAID, 20, "1 issue.I was"), (NAMELESS, 16, r"tg-\d+-answer")],
    ids=["it does not write down that it began", "a question has no id of its own"],
)
def test_what_is_lost_or_repeated_is_found_out(chat: Chat, defect: str, number: int, told: str) -> None:
    with pytest.raises(AssertionError, match=told):
        _killed_once(chat, number, defect)
