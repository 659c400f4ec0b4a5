"""Buttons below a notice in Telegram: each works once, on what was told and on nothing else, and is answered."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tests.botapi import BotApi
from tests.system.test_listen import Chat, wait_for
from tests.system.world import World

WORDS = re.compile(r"(done|snooze|why) (\w{4})")


class Pressed(Chat):
    """A chat in which a pulse told the deposit, and a listener that hears its buttons."""

    def __init__(self, world: World, api: BotApi) -> None:
        super().__init__(world, api)
        self.settings(notifications__channel="telegram")
        world.run("pulse", check=0)
        [row] = self.keyboard(0)
        self.id = row[0]["text"].partition(" ")[2]

    def keyboard(self, message: int) -> list[list[dict[str, str]]]:
        found: list[list[dict[str, str]]] = (
            self.api.messages[message].body.get("reply_markup", {}).get("inline_keyboard", [])
        )
        return found

    def press(self, verb: str, **more: object) -> str:
        """Presses it, waits until that is done, and gives the outcome."""
        update = self.api.press(f"{verb} {self.id}", **more)  # type: ignore[arg-type]  # of the fake's
        self.settled(update)
        return self.outcomes()[update][0]

    def marks(self) -> list[str]:
        return (
            [str(each["state"]) for each in self.world.records("marks")] if self.world.text("state/marks.jsonl") else []
        )


@pytest.fixture
def chat(world: World) -> Iterator[Pressed]:
    with BotApi() as api:
        made = Pressed(world, api)
        yield made
        assert api.tapped == []
        for listener in made.listeners:
            listener.kill()
            listener.communicate()


def test_a_notice_has_three_buttons_a_matter(chat: Pressed) -> None:
    [row] = chat.keyboard(0)
    assert [each["text"] for each in row] == [f"{verb} {chat.id}" for verb in ("done", "snooze", "why")]
    assert all(len(each["callback_data"].encode()) <= 64 for each in row)


@pytest.mark.parametrize(
    ("verb", "told"), [("done", "done; it is not raised again"), ("snooze", "snoozed until 2026-11-21")]
)
def test_a_press_marks_and_the_message_shows_it(chat: Pressed, verb: str, told: str) -> None:
    chat.start()
    assert chat.press(verb) == "answered"
    assert chat.marks() == [verb]
    assert [each["text"] for each in chat.api.answered] == [f"{chat.id}: {told}"]
    edited = chat.api.messages[-1]
    assert edited.path.endswith("/editMessageText")
    assert edited.body["message_id"] == 1
    assert edited.body["text"] == f"{chat.api.messages[0].body['text']}\n{chat.id}: {told}"
    assert chat.keyboard(-1) == []


def test_why_is_said_and_leaves_the_others(chat: Pressed) -> None:
    chat.start()
    assert chat.press("why") == "answered"
    assert "tasks.md:3" in chat.api.messages[-1].body["text"]
    assert [each["text"] for row in chat.keyboard(1) for each in row] == [f"done {chat.id}", f"snooze {chat.id}"]


def test_each_button_works_once(chat: Pressed) -> None:
    chat.start()
    assert [chat.press("done"), chat.press("done"), chat.press("why"), chat.press("why")] == [
        "answered",
        "refused",
        "answered",
        "refused",
    ]
    assert chat.marks() == ["done"]


def test_a_restart_remembers_what_was_pressed(chat: Pressed) -> None:
    chat.start()
    chat.press("snooze")
    chat.listeners[-1].kill()
    chat.listeners[-1].wait(30)
    chat.start()
    assert chat.press("snooze") == "refused"
    assert chat.marks() == ["snooze"]


def test_two_presses_at_once_mark_once(chat: Pressed) -> None:
    both = [chat.api.press(f"done {chat.id}") for _ in range(2)]
    chat.start()
    chat.settled(*both)
    assert sorted(outcome for each in both for outcome in chat.outcomes()[each]) == ["answered", "refused"]
    assert chat.marks() == ["done"]


def test_what_changed_meanwhile_is_told_and_not_done(chat: Pressed) -> None:
    tasks = chat.world.root / "knowledge_bases" / "bakery" / "tasks.md"
    tasks.write_text(tasks.read_text().replace("2026-11-17", "2026-11-19"))
    chat.start()
    assert chat.press("done") == "refused"
    assert chat.marks() == []
    told = chat.api.messages[-1].body["text"] + chat.api.answered[0]["text"]
    assert "changed since you were told; nothing was done" in told
    assert chat.api.answered[0]["show_alert"]
    assert "3 days late" in told
    assert "1 day late" in told


def test_what_is_settled_or_gone_is_not_marked(chat: Pressed) -> None:
    (chat.world.root / "knowledge_bases" / "bakery" / "tasks.md").write_text("# Nothing\n")
    chat.start()
    assert chat.press("done") == "refused"
    assert chat.marks() == []
    assert "is no longer open" in chat.api.answered[0]["text"]


def test_under_paused_nothing_is_done_and_the_button_stays(chat: Pressed) -> None:
    (chat.world.root / "PAUSED").touch()
    chat.start()
    assert chat.press("done") == "paused"
    assert chat.marks() == []
    (chat.world.root / "PAUSED").unlink()
    assert chat.press("done") == "answered"


def test_a_press_under_killed_waits_for_the_start(chat: Pressed) -> None:
    (chat.world.root / "KILLED").touch()
    update = chat.api.press(f"done {chat.id}")
    assert chat.world.run("listen").code == 74 or chat.marks() == []
    (chat.world.root / "KILLED").unlink()
    chat.start()
    chat.settled(update)
    assert chat.marks() == ["done"]


def test_strangers_and_forged_data_do_nothing(chat: Pressed) -> None:
    chat.start()
    for more in (
        {"sender": "9"},
        {"data": "done:k7f2"},
        {"data": "kill:k7f2:0123456789ab"},
        {"data": "x" * 64},
        {"id": 7},
    ):
        chat.api.press(f"done {chat.id}", **more)
    assert chat.press("why") == "answered"
    assert chat.marks() == []
    assert len(chat.api.answered) == 1


def test_a_seal_that_is_not_ours_marks_nothing(chat: Pressed) -> None:
    chat.start()
    update = chat.api.press(f"done:{chat.id}:0123456789ab")
    chat.settled(update)
    assert chat.outcomes()[update] == ["refused"]
    assert chat.marks() == []


def test_a_press_too_old_to_answer_is_told_in_the_message(chat: Pressed) -> None:
    chat.api.mode = lambda count: "400" if len(chat.api.answered) == 0 else "ok"
    chat.start()
    assert chat.press("done") == "answered"
    wait_for(lambda: f"{chat.id}: done" in chat.api.messages[-1].body["text"])
