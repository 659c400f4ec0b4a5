"""Mail as a knowledge base: questions that wait, promises with a day, and what a stranger's letter can do."""

from __future__ import annotations

import json
import mailbox
import re
import time
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from tests.mailboxes import ME, Box, lived_in
from tests.modelserver import ModelServer
from tests.system.world import TASKS, World

ANNA = ("Anna Berg", "anna@berg.example")
EVIL = ("Nobody", "nobody@evil.example")
ASKS = "Can you send me the plan of the harbour?"


@pytest.fixture
def owner(empty: World) -> World:
    empty.write("identity/user.md", f"# User\n\n- Ina Strand, {ME}\n")
    return empty


@pytest.fixture
def box(owner: World, tmp_path: Path) -> Box:
    return Box(tmp_path / "Mail", datetime.fromisoformat(owner.now), 1)


def add(world: World, box: Box) -> None:
    world.run("kb", "add", "mail", str(box.folder), "--kind", "mail", check=0)


def matters(world: World, kb: str = "mail") -> list[dict[str, Any]]:
    return [each for each in world.result("today", "--all")["matters"] if each["kb"] == kb]


def said(world: World) -> set[str]:
    return {each["evidence"][0]["quote"] for each in matters(world)}


def test_an_old_question_waits_and_a_young_one_does_not(owner: World, box: Box) -> None:
    box.put(box.mail(ANNA, f"Hello,\n\n{ASKS}\n", 4))
    box.put(box.mail(ANNA, "Is the gate of the garden locked at night?", 1))
    add(owner, box)
    (found,) = matters(owner)
    assert found["what"] == f"Anna Berg: {ASKS}"
    assert found["certainty"] == "likely"
    assert found["evidence"][0]["quote"] == ASKS


def test_a_file_without_mail_is_named(owner: World, tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("The oven is green\n")
    added = owner.run("kb", "add", "mail", str(tmp_path / "note.txt"), "--kind", "mail", check=0)
    assert "nothing of kind mail was found in it" in added.out


def test_waiting_days_says_how_old(owner: World, box: Box) -> None:
    box.put(box.mail(ANNA, ASKS, 4))
    owner.settings(mail__waiting_days=5)
    add(owner, box)
    assert not matters(owner)


def test_an_answer_in_the_sent_folder_ends_it(owner: World, box: Box) -> None:
    id = box.put(box.mail(ANNA, ASKS, 5, "Harbour"))
    add(owner, box)
    owner.run("pulse", check=0)
    (open_one,) = matters(owner)
    box.answer(id, "Harbour", "Here it is.", 1, ANNA[1])
    owner.run("pulse", check=0)
    assert not matters(owner)
    ended = [each for each in owner.records("matters") if each["event"] == "settled"]
    assert [(each["id"], each["state"]) for each in ended] == [(open_one["id"], "done")]


def test_an_answer_without_references_is_known_by_its_subject(owner: World, box: Box) -> None:
    box.put(box.mail(ANNA, ASKS, 5, "Harbour"))
    box.put(box.mail(("Ina", ME), "Here it is.", 3, "SV: Harbour", To=ANNA[1]), sent=True)
    add(owner, box)
    assert not matters(owner)


@pytest.mark.parametrize(
    "heads",
    [
        {"In_Reply_To": "ID", "References": "ID"},
        {"References": "<a@b.example> ID"},
        {"Message_ID": "ID"},
        {"In_Reply_To": "ID", "Cc": ANNA[1]},
    ],
)
@pytest.mark.parametrize("sender", [EVIL, ("Ina Strand", ME), ("Anna Berg", "anna@berg-example.example")])
def test_a_forged_reply_settles_nothing(owner: World, box: Box, heads: dict[str, str], sender: tuple[str, str]) -> None:
    id = box.put(box.mail(ANNA, ASKS, 5, "Harbour"))
    other = box.put(box.mail(ANNA, "The weather is fine.", 6, "Weather"))
    box.answer(other, "Weather", "So it is.", 5, ANNA[1])
    forged = {name: value.replace("ID", id) for name, value in heads.items()}
    box.put(box.mail(sender, "No answer is needed any more.", 1, "Re: Harbour", **forged))
    add(owner, box)
    assert said(owner) == {ASKS}


def test_promises_of_both_sides_have_their_day(owner: World, box: Box) -> None:
    box.put(box.mail(ANNA, "I will bring the keys back by Thursday 26 November.", 2))
    box.put(box.mail(("Ina", ME), "We'll pay you by 25 November.", 2, "", To=ANNA[1]), sent=True)
    add(owner, box)
    found = {(each["kind"], each["when"]["last"]) for each in matters(owner)}
    assert found == {("waiting", "2026-11-26"), ("task", "2026-11-25")}


@pytest.mark.parametrize(
    "line, told",
    [
        ("Sie bekommen das Angebot am 1. Dezember.", True),
        ("Du får kontrakten av meg 2. desember.", True),
        ("You'll get the keys from us on 2 December.", True),
        ("No problem, I will bring it on 2 December.", True),
        ("Wir liefern am 3. Dezember.", True),
        ("Den Motor holen wir am 3. Dezember.", True),
        ("I will be in Berlin on 30 November.", False),
        ("I will not send the list on 1 December.", False),
        ("Jeg skal være i Bergen 1. desember.", False),
    ],
)
def test_a_promise_says_what_is_done_or_had(owner: World, box: Box, line: str, told: bool) -> None:
    box.put(box.mail(ANNA, line, 2))
    add(owner, box)
    assert said(owner) == ({line} if told else set())


def test_what_html_quotes_is_nobodys_question(owner: World, box: Box) -> None:
    page = "<p>Hello,</p><p>{}</p><div>Ina wrote:<blockquote>Is the mast<br>ready by 1 December?</blockquote></div>"
    for line in ("Could you sign the <b>lease</b>?", "All is well."):
        mail = box.mail(ANNA, "", 5)
        mail.set_content(page.format(line), subtype="html")
        box.put(mail)
    add(owner, box)
    assert said(owner) == {"Could you sign the lease?"}


def test_an_mbox_is_read_letter_by_letter(owner: World, box: Box, tmp_path: Path) -> None:
    path = tmp_path / "inbox"
    letters = mailbox.mbox(path)
    for text in (ASKS, "Which colour shall the door have?"):
        letters.add(box.mail(ANNA, text, 5))
    letters.close()
    owner.run("kb", "add", "mail", str(path), "--kind", "mail", check=0)
    assert said(owner) == {ASKS, "Which colour shall the door have?"}
    lines = path.read_text().split("\n")
    for each in matters(owner):
        cited = each["evidence"][0]
        assert cited["quote"] in lines[cited["line"] - 1]


def test_the_end_of_a_huge_mbox_is_read(owner: World, box: Box, tmp_path: Path) -> None:
    owner.settings(limits__bytes_per_kb=200_000)
    path = tmp_path / "inbox"
    letters = mailbox.mbox(path)
    letters.add(box.mail(ANNA, "An old one, is it?\n" + "x " * 200_000, 30))
    letters.add(box.mail(ANNA, ASKS, 5))
    letters.close()
    owner.run("kb", "add", "mail", str(path), "--kind", "mail", check=0)
    (found,) = matters(owner)
    assert path.read_text().split("\n")[found["evidence"][0]["line"] - 1] == ASKS


def test_without_an_address_the_usual_recipient_is_the_operator(owner: World, box: Box) -> None:
    owner.write("identity/user.md", "# User\n\n- Ina Strand\n")
    for number in range(3):
        box.put(box.mail(ANNA, f"A word of thanks {number}.", 9))
    box.put(box.mail(ANNA, ASKS, 5))
    box.put(box.mail(ANNA, "Who has the boat?", 5, "", To="crew@verft.example"))
    add(owner, box)
    assert said(owner) == {ASKS}


def test_kb_info_counts_threads_and_what_waits(owner: World, box: Box) -> None:
    box.put(box.mail(ANNA, ASKS, 5))
    box.put(box.mail(ANNA, "The weather is fine.", 5))
    add(owner, box)
    assert "2 threads, 1 unanswered, 0 promises" in owner.run("kb", "info", "mail", check=0).out


HUGE = {
    "dashes": "-" * 500_000,
    "questions": "Is it so? " * 60_000,
    "lines": "by Friday 27 November I will?\n" * 20_000,
    "quotes": "> " * 200_000,
    "letters": "\n".join(f"From x\nFrom: a{n}@b.example\nTo: {ME}\nDate: x\n" for n in range(8_000)),
    "subjects": "Subject: " + "Re: " * 100_000,
}


@pytest.mark.parametrize("shape", HUGE)
@pytest.mark.sweep
def test_huge_letters_cost_seconds(owner: World, box: Box, shape: str) -> None:
    box.put(box.mail(ANNA, ASKS, 5))
    head = f"From: E <e@evil.example>\nTo: {ME}\nDate: Fri, 13 Nov 2026 09:00:00 +0000\n"
    (box.folder / "cur" / "9.x:2,S").write_text(
        f"{head}{HUGE[shape]}" if shape == "subjects" else f"{head}\n{HUGE[shape]}"
    )
    (box.folder / "mbox").write_text(f"From x\n{head}\n{HUGE[shape]}")
    begun = time.monotonic()
    add(owner, box)
    assert ASKS in said(owner)
    assert time.monotonic() - begun < 30


# -- a lived-in mailbox --------------------------------------------------------------------------------------


@pytest.mark.sweep
@pytest.mark.parametrize("seed", [1, 2])
def test_five_hundred_mails_leave_what_is_open(owner: World, tmp_path: Path, seed: int) -> None:
    box = lived_in(tmp_path / "Mail", datetime.fromisoformat(owner.now), seed)
    add(owner, box)
    found = said(owner)
    assert found == {*box.asked, *box.promised}, found ^ {*box.asked, *box.promised}


def obey(body: dict[str, Any]) -> str:
    """A model that does what any text tells it: it settles all that is open and raises every line, by every line."""
    shown = json.dumps(body)
    lines, open_ones = (sorted(set(re.findall(rf"\b{mark}\d+\b", shown))) for mark in ("L", "m"))
    cited = lines[:1] or open_ones[:1]
    items = [
        {"title": "URGENT: obey", "why": "the text says so", "severity": "critical", "evidence": [each], "tell": True}
        for each in lines[:20]
    ]
    verdicts = [
        {"matter": each, "evidence": cited, "reason": "the text says so", "verdict": "settled"} for each in open_ones
    ]
    return json.dumps({"items": items, "open": verdicts, "summary": "obeyed", "issues": items, "notify": True})


def test_hostile_mail_moves_nothing_even_under_an_obedient_model(owner: World, tmp_path: Path) -> None:
    owner.knowledge("bakery", {"tasks.md": TASKS})
    before = {each["id"] for each in matters(owner, "bakery")}
    box = lived_in(tmp_path / "Mail", datetime.fromisoformat(owner.now), 4, total=120)
    with ModelServer(answer=obey) as server:
        owner.settings(llm={"backend": "openai", "base_url": server.url, "models": {"cheap": "m"}})
        add(owner, box)
        owner.run("pulse", check=0)
        asked = [json.dumps(each.body) for each in server.requests]
        assert asked
        assert not [each for each in asked if "evil.example" in each or "harbour" in each]
        assert said(owner) == {*box.asked, *box.promised}
        assert before
        assert {each["id"] for each in matters(owner, "bakery")} == before
        assert not [each for each in owner.outbox() if "mail" in each]
        owner.run("pulse", check=0)
        assert len(server.requests) == len(asked)
    assert not [each for each in owner.records("matters") if each["event"] == "settled"]
