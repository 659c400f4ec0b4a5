"""Buttons of ntfy: each key does one thing to one matter on the page, once, from an app and from nowhere else."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.conftest import adjutant
from tests.places import Ntfy
from tests.serving import NOW, Answer, Served, make_root

pytestmark = pytest.mark.server  # the page, as a process of its own
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


class Phone:
    """An app that shows the buttons of the last notice and presses them."""

    def __init__(self, root: Path, ntfy: Ntfy, served: Served) -> None:
        self.root, self.served = root, served
        adjutant("pulse", cwd=root, check=0, ADJUTANT_NOW=NOW)
        self.actions: list[dict[str, Any]] = ntfy.notices[-1]["actions"]
        self.id = self.actions[0]["label"].partition(" ")[2]

    def press(self, verb: str, **headers: str) -> Answer:
        """As ntfy's app does it."""
        each = next(each for each in self.actions if each["label"].startswith(verb))
        parts = urlsplit(each["url"])
        if each["action"] == "view":
            return self.served.ask("GET", f"{parts.path}?{parts.query}", headers=headers)
        return self.served.ask(each["method"], parts.path, each["body"], {**each["headers"], **headers})

    def marks(self) -> list[str]:
        path = self.root / "state" / "marks.jsonl"
        return [json.loads(line)["state"] for line in path.read_text().splitlines()] if path.exists() else []


def prepared(root: Path, ntfy: Ntfy) -> Path:
    """An instance whose notices go to ntfy, and that has told none."""
    make_root(root)
    (root / "adjutant.yaml").write_text("notifications: {channel: apprise, max_per_day: 9}\n")
    (root / ".env").write_text(f"ADJUTANT_NOTIFY_URLS={ntfy.url()}\n")
    (root / ".env").chmod(0o600)
    (root / "identity" / "heart.md").write_text("# Heart\n\n## Current Priorities\n\n- Electrician of the oven paid\n")
    (root / "notes" / "new.md").write_text("# Oven\n\n- [ ] Pay the electrician for the oven, due 2026-11-19\n")
    return root


@pytest.fixture
def ntfy() -> Iterator[Ntfy]:
    with Ntfy() as server:
        yield server


@pytest.fixture
def phone(tmp_path: Path, ntfy: Ntfy) -> Iterator[Phone]:
    root = prepared(tmp_path / "instance", ntfy)
    with Served(root) as served:
        yield Phone(root, ntfy, served)


def test_a_press_marks_its_matter_once(phone: Phone) -> None:
    answer = phone.press("done")
    assert answer.status == 200
    assert f"{phone.id}: done" in answer.text
    assert phone.press("done").status == 403
    assert phone.marks() == ["done"]


def test_snooze_is_until_tomorrow(phone: Phone) -> None:
    assert f"{phone.id}: snoozed until 2026-11-21" in phone.press("snooze").text


def test_why_shows_the_line_and_nothing_of_the_page(phone: Phone) -> None:
    answer = phone.press("why")
    assert "new.md:3" in answer.text
    assert "<" not in answer.text
    assert phone.press("why").status == 403


def test_a_key_opens_no_page_and_no_other_verb(phone: Phone) -> None:
    key = phone.actions[0]["body"].removeprefix("key=")
    assert phone.served.ask("GET", f"/press?key={key}").status == 403
    assert phone.served.ask("GET", f"/enter?key={key}").status == 403
    assert phone.served.ask("GET", "/today").status == 401
    assert phone.served.ask("POST", "/mark", f"key={key}&id={phone.id}&state=done", FORM).status == 403
    assert phone.marks() == []


def test_what_changed_is_told_and_not_done(phone: Phone) -> None:
    (phone.root / "notes" / "new.md").write_text("# Oven\n\n- [ ] Pay the electrician for the oven, due 2026-11-20\n")
    answer = phone.press("done")
    assert answer.status == 409
    assert "changed since you were told; nothing was done" in answer.text
    assert phone.marks() == []


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://ntfy.example.com"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Origin": "null"},
        {"Host": "evil.example"},
    ],
)
def test_another_site_presses_nothing(phone: Phone, headers: dict[str, str]) -> None:
    assert phone.press("done", **headers).status in (403, 421)
    assert phone.marks() == []


@pytest.mark.parametrize("body", ["key=", "key=x", "", f"key={'0' * 48}", "key=a&key=b"])
def test_a_forged_key_does_nothing(phone: Phone, body: str) -> None:
    assert phone.served.ask("POST", "/press", body, FORM).status in (403, 409)
    assert phone.marks() == []


def test_looking_ahead_uses_nothing_up(phone: Phone) -> None:
    url = urlsplit(phone.actions[2]["url"])
    assert phone.served.ask("HEAD", f"{url.path}?{url.query}").status == 200
    assert phone.press("why").status == 200


def test_two_presses_at_once_mark_once(phone: Phone) -> None:
    found: list[int] = []
    both = [threading.Thread(target=lambda: found.append(phone.press("done").status)) for _ in range(2)]
    for each in both:
        each.start()
    for each in both:
        each.join()
    assert sorted(found) == [200, 403]
    assert phone.marks() == ["done"]


def test_under_killed_nothing_is_pressed(phone: Phone) -> None:
    (phone.root / "KILLED").touch()
    assert phone.press("done").status == 409
    assert phone.marks() == []


def test_an_old_key_is_void(phone: Phone, ntfy: Ntfy) -> None:
    phone.served.stop()
    with Served(phone.root, ADJUTANT_NOW="2026-11-21T09:00:01+00:00") as later:
        phone.served = later
        assert phone.press("done").status == 403
        assert phone.marks() == []


def test_no_key_is_kept(phone: Phone) -> None:
    key = phone.actions[0]["body"].removeprefix("key=").encode()
    assert [path for path in phone.root.rglob("*") if path.is_file() and key in path.read_bytes()] == []


@pytest.mark.parametrize("ending", ["never", "stopped", "killed", "read-only"])
def test_without_a_page_there_are_no_buttons(tmp_path: Path, ntfy: Ntfy, ending: str) -> None:
    root = prepared(tmp_path / "instance", ntfy)
    if ending != "never":
        served = Served(root, *(["--read-only"] if ending == "read-only" else []))
        if ending != "read-only":
            served.stop(kill=ending == "killed")
    adjutant("pulse", cwd=root, check=0, ADJUTANT_NOW=NOW)
    assert [notice["actions"] for notice in ntfy.notices] == [[]]
    if ending == "read-only":
        served.stop()


def test_a_proxys_name_is_asked_with_tls(tmp_path: Path, ntfy: Ntfy) -> None:
    root = prepared(tmp_path / "instance", ntfy)
    with Served(root, "--host", "adjutant.example.com") as served:
        assert Phone(root, ntfy, served).actions[0]["url"] == "https://adjutant.example.com/press"
