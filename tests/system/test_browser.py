"""The page in a real browser: what spec asks to be shown of it, each as a person meets it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

pytest.importorskip("playwright.sync_api", reason="bin/test installs it")
from playwright.sync_api import Browser, expect

from adjutant.domain.behavior.reviewing import Proposal, propose
from tests.browsing import barriers, browsing, shot, visiting
from tests.conftest import adjutant, make_app
from tests.domain.learning.deciding.suggested import edit, made, proposed
from tests.serving import NOW, TASKS, Served, make_root

pytestmark = pytest.mark.program
PAGES = ("today", "approvals", "ask", "memory", "behaviour", "runs")
SNAPSHOTS = Path(__file__).parent / "snapshots"
HOSTILE = "<img src=x onerror=alert(1)>.md"


def furnish(root: Path) -> Path:
    """An instance with something on every page."""
    make_root(root)
    (root / "identity" / "user.md").write_text("# User\n\n- Short answers\n- The van is blue\n")
    app = make_app(root, verb="evolve accept")
    proposed(app, made(app, edit(app, "- The van", "- Invoices go to Berg\n- The van", "identity/user.md")))
    evidence = ({"quote": "keep it short please", "record": "cli/m1"},)
    propose(make_app(root, verb="behavior"), [Proposal("KEEP", "answers under ten lines", 0.9, evidence)])
    for words in (
        ("memory", "save", "Berg answers faster by phone", "--type", "person"),
        ("behavior", "add", "STOP: emojis"),
        ("ask", "--session", "page", "--id", "m1", "What is due this week?"),
    ):
        adjutant(*words, cwd=root, check=0, ADJUTANT_NOW=NOW)
    return root


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with browsing() as found:
        yield found


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A page that tests only look at."""
    with Served(furnish(tmp_path_factory.mktemp("page") / "instance")) as served:
        served.enter()
        served.get("/today")
        yield served


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with Served(furnish(tmp_path / "instance")) as found:
        found.enter()
        found.get("/today")
        yield found


def marks(root: Path) -> list[tuple[str, str | None]]:
    path = root / "state" / "marks.jsonl"
    found = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    return [(each["state"], each["until"]) for each in found]


def test_the_first_visit_is_by_a_link_that_works_once(browser: Browser, tmp_path: Path) -> None:
    with Served(make_root(tmp_path / "instance")) as served, visiting(browser, served) as page:
        page.goto(served.link)
        expect(page).to_have_url(f"{served.address}/today")
        assert page.evaluate("document.cookie") == ""  # HttpOnly
        other = browser.new_context()
        answer = other.new_page().goto(served.link)
        assert answer is not None
        assert answer.status == 403
        other.close()


def test_a_foreign_host_and_another_site_get_nothing(browser: Browser, served: Served) -> None:
    form = f'<form method="post" action="{served.address}/switch"><button name="word" value="pause">go</button></form>'

    class Evil(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(f"{form}<iframe src='{served.address}/today'></iframe>".encode())

        def log_message(self, *_: object) -> None:
            return

    server = HTTPServer(("127.0.0.1", 0), Evil)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    context = browser.new_context()
    try:
        name, _, value = served.cookie.partition("=")
        context.add_cookies([{"name": name, "value": value, "url": served.address, "sameSite": "Strict"}])
        page = context.new_page()
        answer = page.goto(f"http://evil.example:{served.port}/today")
        assert answer is not None
        assert answer.status == 421
        page.goto(f"http://evil.example:{server.server_port}/")
        with page.expect_response("**/switch") as pressed:
            page.click("button")
        assert pressed.value.status == 403
        assert not (served.root / "PAUSED").exists()
    finally:
        context.close()
        server.shutdown()
        server.server_close()


def test_two_tabs_accept_and_one_is_told(browser: Browser, served: Served) -> None:
    with (
        visiting(browser, served, java_script_enabled=False) as one,
        visiting(browser, served, java_script_enabled=False) as two,
    ):
        for page in (one, two):
            page.goto(f"{served.address}/approvals")
        one.click("text=Send invoices >> xpath=ancestor::li >> button:has-text('accept')")
        two.click("text=Send invoices >> xpath=ancestor::li >> button:has-text('accept')")
        assert "This changed while you looked at it" in two.inner_text("h1")
    assert (served.root / "identity" / "user.md").read_text().count("Invoices go to Berg") == 1


def test_a_morning_by_keyboard_alone(browser: Browser, served: Served) -> None:
    root = served.root
    for words in (
        ("init", "-q"),
        ("add", "notes", "identity"),
        ("-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "x"),
    ):
        subprocess.run(["git", *words], cwd=root, check=True, capture_output=True)
    with visiting(browser, served) as page:
        page.goto(f"{served.address}/today")
        expect(page.locator("li[data-item]")).to_have_count(6)
        for key, left in (("x", 5), ("x", 4)):
            if not page.locator("[data-item]:focus").count():
                page.keyboard.press("j")
            page.keyboard.press(key)
            expect(page.locator("li[data-item]")).to_have_count(left)
            expect(page.locator("[data-item]:focus")).to_have_count(1)
        page.keyboard.press("s")
        page.keyboard.type("monday")
        page.keyboard.press("Enter")
        expect(page.locator("li[data-item]")).to_have_count(3)
        expect(page.locator("[data-item]:focus")).to_have_count(1)
        page.keyboard.press("j")
        page.keyboard.press("u")
        expect(page.locator("li[data-item]")).to_have_count(2)
        assert marks(root) == [("done", None), ("done", None), ("snooze", "2026-11-23"), ("useless", None)]
        page.keyboard.press("2")
        page.wait_for_url("**/approvals")
        expect(page.locator("li[data-item]")).to_have_count(2)
        page.locator("li[data-item]", has_text="Send invoices").wait_for()
        expect(page.locator("main[data-here=approvals]")).to_have_count(1)
        page.keyboard.press("j")
        expect(page.locator("[data-item]:focus")).to_contain_text("Send invoices")
        page.keyboard.press("a")
        expect(page.locator("li[data-item]")).to_have_count(1)
        page.keyboard.press("3")
        page.wait_for_url("**/ask")
        page.keyboard.press("/")
        page.keyboard.type("What is due this week?")
        page.keyboard.press("Control+Enter")
        expect(page.locator("article[data-item]")).to_have_count(4)
        expect(page.locator("article.answer:focus")).to_have_count(1)
        page.keyboard.press("w")
        page.wait_for_url("**/file?**")
        expect(page.locator("li.at")).to_be_visible()
    changed = subprocess.run(
        ["git", "diff", "--name-only"], cwd=root, check=True, capture_output=True, text=True
    ).stdout
    assert changed.split() == ["identity/user.md"]
    shell = adjutant("today", "--all", "--json", cwd=root, check=0, ADJUTANT_NOW=NOW).json["result"]["matters"]
    assert len(shell) == 2
    talk = (root / "state" / "conversations" / "page.jsonl").read_text()
    assert talk.count("What is due this week?") == 2
    assert '"accepted"' in (root / "state" / "evolution.jsonl").read_text()


def test_without_javascript_every_form_works(browser: Browser, served: Served) -> None:
    with visiting(browser, served, java_script_enabled=False) as page:
        page.goto(f"{served.address}/today")
        page.click("li[data-item] >> nth=0 >> button:has-text('done')")
        assert "done" in page.inner_text(".said")
        assert page.locator("li[data-item]").count() == 5
        page.click("nav >> text=Ask")
        page.fill("textarea", "What is due this week?")
        page.click("form >> text=Ask")
        expect(page.locator(".talk article.answer")).to_have_count(2)
        page.click("nav >> text=Memory")
        page.fill("input[type=search]", "Berg")
        page.click("form >> text=Search")
        assert "Berg" in page.inner_text("main section >> nth=0")
        page.click("nav >> text=Behaviour")
        page.fill("#new-directive", "KEEP: answers in English")
        page.click("text=Add")
        assert "answers in English" in page.inner_text("main")


@pytest.mark.parametrize("name", PAGES)
def test_each_page_is_whole_and_without_barriers(browser: Browser, kept: Served, name: str) -> None:
    with visiting(browser, kept) as page:
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]  # one of two
            page.goto(f"{kept.address}/{name}")
            assert barriers(page) == []
            shot(page, f"{name}-{scheme}")
        ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert ground == "rgb(23, 25, 26)"
        page.set_viewport_size({"width": 360, "height": 740})
        assert page.evaluate("document.documentElement.scrollWidth") == 360
        shot(page, f"{name}-360")
        text = masked(page.inner_text("main"), kept.root)
    path = SNAPSHOTS / f"{name}.txt"
    if folder := os.environ.get("ADJUTANT_TEST_SNAPSHOTS"):  # where to leave new ones, to be looked at and copied
        (Path(folder) / path.name).write_text(text)
    lines, before = text.splitlines(), path.read_text().splitlines()
    if name == "runs":  # several are of one second
        lines, before = sorted(lines), sorted(before)
    assert lines == before


def masked(text: str, root: Path) -> str:
    """Without what is another each time: runs, hashes of ids, the folder."""
    text = text.replace(str(root), "ROOT")
    text = re.sub(r"\d{8}T\d{6}-[0-9a-f]{4}", "RUN", text)
    text = re.sub(r"\b\d+ ms\b", "N ms", re.sub(r"\b[0-9a-f]{20}\b", "HASH", text))
    return "\n".join(line.rstrip() for line in text.splitlines() if line.strip()) + "\n"


def test_a_file_name_that_is_html_stays_text(browser: Browser, served: Served) -> None:
    (served.root / "notes" / HOSTILE).write_text(
        "# <script>alert(2)</script>\n\n- [ ] <b>Boil</b> the jam, due 2026-11-20\n"
    )
    with visiting(browser, served) as page:
        page.on("dialog", lambda box: pytest.fail(f"a script ran: {box.message}"))
        until = time.monotonic() + 20
        while "onerror" not in page.inner_text("body"):
            assert time.monotonic() < until
            page.goto(f"{served.address}/today")
        assert page.locator("main img").count() == page.locator("main b").count() == 0
        page.click("text=onerror >> nth=0")
        expect(page.locator("h1.path")).to_contain_text(HOSTILE)
        assert "<script>alert(2)" in page.inner_text("main")


def test_a_matter_that_changes_while_it_is_looked_at(browser: Browser, served: Served) -> None:
    with visiting(browser, served) as page:
        page.goto(f"{served.address}/today")
        (served.root / "notes" / "tasks.md").write_text(TASKS.replace("oven, due 2026-11-20", "oven, due 2026-11-21"))
        page.click("li:has-text('Order the oven') >> button:has-text('done')")
        expect(page.locator("h1")).to_have_text("This changed while you looked at it")
        assert "2026-11-20" in page.inner_text(".both")
        assert "2026-11-21" in page.inner_text(".both")
    assert marks(served.root) == []


def test_paused_in_the_middle_shows_by_itself(browser: Browser, served: Served) -> None:
    with visiting(browser, served) as page:
        page.goto(f"{served.address}/today")
        page.wait_for_timeout(1000)
        (served.root / "PAUSED").write_text("on a train")
        expect(page.locator(".banner")).to_contain_text("PAUSED", timeout=10_000)
        page.goto(f"{served.address}/ask")
        page.fill("textarea", "What is due?")
        page.click("form >> text=Ask")
        expect(page.locator(".said")).to_contain_text("PAUSED is set; nothing was done")


def test_it_is_killed_and_started_again(browser: Browser, tmp_path: Path) -> None:
    first = Served(furnish(tmp_path / "instance")).enter()
    with visiting(browser, first, java_script_enabled=False) as page:
        first.get("/today")
        page.goto(f"{first.address}/today")
        first.stop(kill=True)
        with Served(first.root, port=first.port) as again:
            again.cookie = first.cookie
            again.get("/today")
            page.click("li[data-item] >> nth=0 >> button:has-text('done')")  # the form of before
            assert "done" in page.inner_text(".said")
            page.wait_for_load_state()  # its style sheet too, before the server ends
    assert len(marks(first.root)) == 1


def test_ten_thousand_matters(browser: Browser, tmp_path: Path) -> None:
    root = tmp_path / "instance"
    adjutant("init", str(root), check=0)
    for base in range(5):
        folder = root / f"kb{base}"
        folder.mkdir()
        for file in range(10):
            lines = [
                f"- [ ] Send lot {base}-{file}-{line} to plant {line}, due 2026-11-{line % 20 + 10}\n"
                for line in range(200)
            ]
            (folder / f"f{file}.md").write_text("# Lots\n\n" + "".join(lines))
        adjutant("kb", "add", f"kb{base}", f"kb{base}", cwd=root, check=0)
    with Served(root) as served:
        served.enter()
        until = time.monotonic() + 120
        while "data-again" in (first := served.ask("GET", "/today").text):
            assert time.monotonic() < until
            time.sleep(1)
        assert "Reading" not in first
        assert len(first.encode()) < 100_000
        time.sleep(1)
        times = []
        for _ in range(5):
            began = time.monotonic()
            served.get("/today")
            times.append(time.monotonic() - began)
        assert min(times) < 0.25  # 50 ms on a quiet machine: the whole page, not its first byte
        with visiting(browser, served) as page:
            page.goto(f"{served.address}/today")
            page.click("text=more in Late >> nth=0")
            expect(page.locator("li[data-item]")).to_have_count(50)
            assert barriers(page) == []
