"""The page without a browser: who may see it, what it refuses, and that a press is the verb it names."""

from __future__ import annotations

import http.client
import json
import os
import socket
import stat
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from adjutant.domain.behavior.reviewing import Proposal, propose
from tests.conftest import adjutant, make_app
from tests.serving import NOW, TASKS, Served, Started, make_root

DEPOSIT, OVEN, CHAIRS, SIGN = "Pay the deposit", "Order the oven", "Choose the chairs", "Call Berg about the sign"


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A page that tests only look at."""
    root = make_root(tmp_path_factory.mktemp("page") / "instance")
    with Served(root) as served:
        yield served.enter()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_root(tmp_path / "instance")


def by_words(ids: dict[str, str], words: str) -> str:
    return next(id for what, id in ids.items() if words in what)


def marks(root: Path) -> list[dict[str, str]]:
    path = root / "state" / "marks.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


# -- who may -------------------------------------------------------------------------------------------------


def test_every_page_shows_and_carries_the_headers(kept: Served) -> None:
    for path in ("today", "approvals", "ask", "memory", "behaviour", "runs"):
        found = kept.get(f"/{path}")
        assert len(found.text.encode()) < 100_000
        assert '<main id="main"' in found.text
        assert found.headers["Cache-Control"] == "no-store"
        assert found.headers["Referrer-Policy"] == "no-referrer"
        assert found.headers["X-Frame-Options"] == "DENY"
        assert found.headers["X-Content-Type-Options"] == "nosniff"
        policy = found.headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; ")
        assert "unsafe" not in policy
        assert "<script>" not in found.text
        assert " style=" not in found.text
        assert " onclick=" not in found.text


def test_a_link_works_once_and_its_cookie_is_for_us_alone(root: Path) -> None:
    with Served(root) as served:
        assert served.ask("GET", "/today").status == 401
        first = served.ask("GET", served.path)
        cookie = first.headers["Set-Cookie"]
        assert first.status == 303
        assert "HttpOnly" in cookie
        assert "SameSite=strict" in cookie
        began = time.monotonic()
        assert served.ask("GET", served.path).status == 403
        assert time.monotonic() - began >= 1
        another = adjutant("serve", "--link", "--json", cwd=root, check=0).json["result"]["link"]
        assert another.startswith(served.address)
        assert served.ask("GET", another.removeprefix(served.address)).status == 303
        kept = (root / "state" / "page.json").read_text()
        assert served.path.partition("=")[2] not in kept
        assert cookie.partition("=")[2].partition(";")[0] not in kept
        found = adjutant("doctor", "--json", cwd=root).json
        checks = (found.get("result") or found["error"]["details"])["checks"]
        assert "1 wrong key" in next(each["detail"] for each in checks if each["name"] == "page")


def test_wrong_keys_are_slow_and_a_right_one_is_not_kept_out(root: Path) -> None:
    with Served(root) as served, ThreadPoolExecutor(12) as pool:
        tries = [pool.submit(served.ask, "GET", f"/enter?key={number:048x}") for number in range(12)]
        time.sleep(0.3)
        began = time.monotonic()
        assert served.ask("GET", served.path).status == 303
        assert time.monotonic() - began < 0.9
        assert {each.result().status for each in tries} == {403, 429}


@pytest.mark.parametrize("address", ["0.0.0.0", "::", "192.168.1.4", "localhost"])
def test_another_address_is_refused_with_the_reason(root: Path, address: str) -> None:
    ran = adjutant("serve", "--bind", address, cwd=root, check=1)
    assert "others could reach it" in ran.err
    assert "tunnel" in ran.err


def test_a_unix_socket_is_for_its_owner_alone(root: Path) -> None:
    path = root / "p.sock"
    with Served(root, "--socket", str(path)) as served:
        assert stat.S_IMODE(os.lstat(path).st_mode) == 0o600
        line = socket.socket(socket.AF_UNIX)
        line.connect(str(path))
        line.sendall(f"GET {served.path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        assert line.recv(4096).startswith(b"HTTP/1.1 303")
        line.close()
    assert not path.exists()


def test_a_second_page_of_one_instance_ends_at_once(kept: Served) -> None:
    ran = adjutant("serve", "--port", "0", cwd=kept.root, check=75)
    assert "serve" in ran.err


def test_a_press_is_the_verb_and_leaves_its_line(root: Path) -> None:
    with Served(root).enter() as served:
        page = served.get("/today")
        id = by_words(page.ids(), DEPOSIT)
        began = time.monotonic()
        assert served.press("/mark", id=id, seen=page.seen(id), state="done").status == 303
        took = time.monotonic() - began
        after = served.get("/today")
        assert id not in after.ids().values()
        assert "Settled" in after.text
        assert [(each["matter"], each["state"]) for each in marks(root)] == [(id, "done")]
        shell = adjutant("today", "--json", cwd=root, check=0, ADJUTANT_NOW=NOW).json["result"]
        assert id not in [each["id"] for each in shell["matters"]]
        assert took < 2


def test_what_changed_meanwhile_is_not_done_and_both_are_shown(root: Path) -> None:
    with Served(root).enter() as served:
        page = served.get("/today")
        id = by_words(page.ids(), OVEN)
        (root / "notes" / "tasks.md").write_text(
            TASKS.replace("Order the oven, due 2026-11-20", "Order the oven, due 2026-11-21")
        )
        found = served.press("/mark", id=id, seen=page.seen(id), state="done")
        assert found.status == 409
        assert "2026-11-20" in found.text
        assert "2026-11-21" in found.text
        assert not marks(root)
        fresh = served.get("/today")
        assert served.press("/mark", id=id, seen=fresh.seen(id), state="done").status == 303


def test_of_two_tabs_one_decides_and_the_other_is_told(root: Path) -> None:
    with Served(root).enter() as served:
        page = served.get("/today")
        id = by_words(page.ids(), CHAIRS)
        with ThreadPoolExecutor(8) as pool:
            tries = [pool.submit(served.press, "/mark", id=id, seen=page.seen(id), state="done") for _ in range(8)]
            assert sorted(each.result().status for each in tries) == [303, *[409] * 7]
        assert len(marks(root)) == 1


def test_killed_and_read_only_show_and_decide_nothing(root: Path) -> None:
    with Served(root).enter() as served:
        page = served.get("/today")
        id = by_words(page.ids(), SIGN)
        (root / "KILLED").touch()
        assert "KILLED" in served.get("/today").text
        assert "<button name" not in served.get("/today").text
        for path, fields in presses_of(id, page.seen(id)):
            assert served.press(path, **fields).status == 409
        (root / "KILLED").unlink()
    with Served(root, "--read-only").enter() as served:
        assert "<button name" not in served.get("/today").text
        for path, fields in presses_of(id, page.seen(id)):
            assert served.press(path, **fields).status == 409
    assert not marks(root)
    assert not (root / "PAUSED").exists()


def presses_of(id: str, seen: str) -> list[tuple[str, dict[str, str]]]:
    return [
        ("/mark", {"id": id, "seen": seen, "state": "done"}),
        ("/decide", {"id": "s-1", "sort": "suggestion", "word": "accept", "seen": seen}),
        ("/directive", {"word": "add", "text": "KEEP: short answers"}),
        ("/note", {"word": "save", "text": "Berg answers faster by phone"}),
        ("/switch", {"word": "pause"}),
        ("/job", {"id": id, "seen": seen, "word": "cancel"}),
        ("/ask", {"id": "m1", "text": "What is due?"}),
    ]


def test_paused_shows_and_says_so(root: Path) -> None:
    with Served(root).enter() as served:
        page = served.get("/today")
        id = by_words(page.ids(), SIGN)
        assert served.press("/switch", word="pause").status == 303
        assert (root / "PAUSED").exists()
        assert "PAUSED" in served.get("/today").text
        assert served.press("/ask", id="m1", text="What is due?").status == 409
        assert served.press("/mark", id=id, seen=page.seen(id), state="done").status == 303  # as in the shell
        assert served.press("/switch", word="resume").status == 303
        assert not (root / "PAUSED").exists()


def test_a_proposal_is_accepted_once_and_only_as_it_was_shown(root: Path) -> None:
    evidence = ({"quote": "keep it short", "record": "cli/m1"},)
    filed = propose(make_app(root, verb="behavior"), [Proposal("KEEP", "answers under ten lines", 0.9, evidence)])
    assert filed[0].outcome == "proposed", filed
    id = filed[0].id
    with Served(root).enter() as served:
        page = served.get("/approvals")
        assert "KEEP: answers under ten lines" in page.text
        fields = {"id": id, "sort": "candidate", "seen": page.seen(id)}
        assert served.press("/decide", word="accept", **{**fields, "seen": "0" * 64}).status == 409
        assert served.press("/decide", word="accept", **fields).status == 303
        assert served.press("/decide", word="accept", **fields).status == 409
    listed = adjutant("behavior", "list", "--json", cwd=root, check=0).json["result"]["directives"]
    assert [each["text"] for each in listed] == ["answers under ten lines"]


def test_a_job_is_cancelled_only_as_it_was_shown(root: Path) -> None:
    (root / "a.md").write_text("Tea at four.")
    words = ("job", "run", "ingest", str(root / "a.md"), "--later", "--json")
    id = adjutant(*words, cwd=root, check=0).json["result"]["id"]
    with Served(root).enter() as served:
        page = served.get("/runs")
        assert "ingest" in page.text
        assert "queued" in page.text
        assert served.press("/job", id=id, seen="0" * 64, word="cancel").status == 409
        assert served.press("/job", id=id, seen=page.seen(id), word="cancel").status == 303
        assert served.press("/job", id=id, seen=page.seen(id), word="cancel").status == 409
        assert "cancelled" in served.get("/runs").text
    assert adjutant("job", "show", id, "--json", cwd=root, check=0).json["result"]["status"] == "cancelled"


def test_it_is_killed_and_started_again(root: Path) -> None:
    served = Served(root).enter()
    served.stop(kill=True)
    with Served(root, port=served.port) as again:
        again.cookie = served.cookie
        assert again.get("/today").ids()


# -- many at once --------------------------------------------------------------------------------------------


@pytest.mark.sweep
def test_two_hundred_at_once_beside_pulse_compact_and_an_editor(root: Path) -> None:
    names = [f"- [ ] Write to guest {number}, due 2026-11-{18 + number % 8}\n" for number in range(40)]
    (root / "notes" / "guests.md").write_text("# Guests\n\n" + "".join(names))
    adjutant("pulse", cwd=root, check=0, ADJUTANT_NOW=NOW)
    stop = threading.Event()

    def edit() -> None:
        number = 0
        while not stop.is_set():
            number += 1
            (root / "notes" / "diary.md").write_text(f"# Diary\n\nNothing of note, {number}.\n")
            time.sleep(0.05)

    def run(*words: str) -> int:
        return adjutant(*words, cwd=root, ADJUTANT_NOW=NOW).code

    with Started(root).enter() as served, ThreadPoolExecutor(40) as pool:
        page = served.get("/today")
        ids = [id for what, id in page.ids().items() if what.startswith("Write to guest")]
        editor = pool.submit(edit)
        others = [pool.submit(run, "pulse"), pool.submit(run, "compact")]
        presses = {id: pool.submit(served.press, "/mark", id=id, seen=page.seen(id), state="done") for id in ids}
        paths = ["/today", "/approvals", "/memory?q=guest", "/behaviour", "/runs", "/ask"]
        looks = [pool.submit(served.ask, "GET", paths[number % 6]) for number in range(200 - len(ids))]
        assert {each.result().status for each in looks} == {200}
        decided = {id for id, each in presses.items() if each.result().status == 303}
        assert {each.result().status for each in presses.values()} <= {303, 409, 503}
        stop.set()
        editor.result()
        assert {each.result() for each in others} <= {0, 75}
        assert served.memory() < 120
    assert {each["matter"] for each in marks(root)} == decided
    assert decided
    assert not list((root / "state" / "crash").glob("*"))


# -- probes --------------------------------------------------------------------------------------------------


def snapshot(root: Path) -> dict[str, bytes]:
    kept = ("cache", "locks", "index.sqlite", "page.json", "events.jsonl", "mirrors")
    files = [path for path in root.rglob("*") if path.is_file() and not any(name in str(path) for name in kept)]
    return {str(path): path.read_bytes() for path in files}


PATHS = (
    *("/../adjutant.yaml", "/%2e%2e/adjutant.yaml", "//adjutant.yaml", "/static/../keys.py", "/static/..%2fkeys.py"),
    *("/static/%2e%2e%2fkeys.py", "/static/page.css%00", "/.env", "/state/page.json", "/today/", "/today;x", "/TODAY"),
    *("/today%0d%0aX: y", "/why/..%2f..%2f.env", "/runs/..%2f..", "/runs/%00", "/why/--help", "/runs/--root=/"),
    *("/why/-", "/file?path=.env", "/file?path=state/page.json", "/file?path=identity/../.env", "/file"),
    *("/file?path=/etc/passwd", "/file?path=notes/../.env", "/file?path=notes//etc/passwd", "/file?path=x/a"),
    *("/file?path=identity/%00", "/file?path=identity", "/file?path=" + "a" * 5000, "/file?path=notes/.", "/debug"),
    *(
        "/memory?q=%00",
        "/memory?q=" + "%F0%9F%92%A9" * 200,
        "/memory?q=--root",
        "/memory?in=../..&q=a",
        "/ask?q=%ff%fe",
    ),
    *("/today?part=%3Cscript%3E&from=-1", "/today?from=99999999999999999", "/?" + "a=1&" * 2000, "/%ff%fe", "/\\..\\"),
    *(
        "/console",
        "/metrics",
        "/openapi.json",
        "/docs",
        "/server-status",
        "/.git/config",
        "/robots.txt",
        "/wp-login.php",
    ),
)
HEADS: tuple[dict[str, str], ...] = (
    {"X-Forwarded-Host": "evil.example"},
    {"X-Forwarded-For": "10.0.0.1", "X-Real-IP": "10.0.0.1"},
    {"X-Original-URL": "/switch", "X-Rewrite-URL": "/switch"},
    {"X-HTTP-Method-Override": "DELETE"},
    {"Range": "bytes=0-,0-,0-"},
    {"Accept-Encoding": "gzip;q=1e999, *"},
    {"Cookie": "adjutant-00000000=x"},
    {"Cookie": "a" * 4000},
    {"Cookie": 'adjutant-00000000="\\073; x=\\"'},
    {"Upgrade": "websocket", "Connection": "Upgrade"},
    {"Expect": "100-continue"},
    {"HX-Request": "true", "HX-Current-URL": "http://evil.example"},
)
HOSTS = (
    "evil.example",
    "127.0.0.1",
    "127.0.0.1:1",
    "",
    "localhost.evil.example",
    "127.0.0.1:{p}@evil.example",
    "[::1]:{p}",
)
METHODS = ("PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "PROPFIND", "get", "GETT", "DEBUG")
SITES: tuple[dict[str, str], ...] = (
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "none"},
    {"Sec-Fetch-Site": "same-origin", "Origin": "http://evil.example"},
    {"Origin": "http://evil.example"},
    {"Origin": "null"},
    {"Origin": "http://127.0.0.1"},
    {},
)
BODIES: tuple[tuple[str, bytes], ...] = (
    ("application/x-www-form-urlencoded", b"state=done&id=x&state=useful"),
    ("application/x-www-form-urlencoded", b"a=" + b"x" * 70_000),
    ("application/x-www-form-urlencoded", b"&".join(b"f%d=1" % number for number in range(2000))),
    ("application/x-www-form-urlencoded", b"id=%00&seen=&state=done"),
    ("application/x-www-form-urlencoded", b"id=--root%3D%2F&seen=x&state=done"),
    ("application/x-www-form-urlencoded", b"\xff\xfe=\xff"),
    ("application/json", b'{"id": "x", "state": "done"}'),
    ("text/plain", b"id=x&seen=y&state=done"),
    (
        "multipart/form-data; boundary=a",
        b'--a\r\nContent-Disposition: form-data; name="id"; filename="x"\r\n\r\nx\r\n--a--',
    ),
    ("multipart/form-data", b"--"),
    ("", b""),
)


def test_no_probe_has_an_effect_or_shows_its_inside(kept: Served) -> None:
    before, own, count = snapshot(kept.root), f"127.0.0.1:{kept.port}", 0
    form = {"Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin"}

    def probe(method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None) -> int:
        nonlocal count
        count += 1
        line = http.client.HTTPConnection("127.0.0.1", kept.port, timeout=30)
        line.putrequest(method, path.replace("\r\n", ""), skip_host=True, skip_accept_encoding=True)
        told = {"Host": own, "Cookie": kept.cookie, **(headers or {})}
        for name, value in told.items():
            line.putheader(name, value.encode("latin-1", "replace"))
        if body is not None:
            line.putheader("Content-Length", str(len(body)))
        try:
            line.endheaders(body)
            answer = line.getresponse()
            text = answer.read().decode("latin-1")
        except (ConnectionError, http.client.BadStatusLine):
            return 0  # closed: that is an answer as well
        finally:
            line.close()
        assert answer.status != 500 and "Traceback" not in text and "site-packages" not in text, (method, path)
        assert "root:" not in text and "TELEGRAM" not in text and "sessions" not in text, (method, path)
        assert "<script>alert" not in text
        return answer.status

    for path in PATHS:
        probe("GET", path.replace(" ", "%20"))
    for head in HEADS:
        for path in ("/today", "/enter?key=x") if "Cookie" not in head else ("/today",):
            probe("GET", path, headers=head)
    for host in HOSTS:
        assert probe("GET", "/today", headers={"Host": host.replace("{p}", str(kept.port))}) in (400, 421), host
    for method in METHODS:
        assert probe(method, "/today") in (0, 400, 405), method
    for head in SITES:
        for path in ("/switch", "/mark", "/directive", "/note", "/decide", "/ask"):
            body = b"word=pause&text=KEEP%3A+nothing&id=x&seen=x&state=done&sort=candidate"
            assert probe("POST", path, body, {"Content-Type": form["Content-Type"], **head}) == 403, (head, path)
    for kind, body in BODIES:
        for path in ("/mark", "/ask"):
            assert probe("POST", path, body, {**form, "Content-Type": kind}) in (400, 409, 413), (kind, body[:40])
    assert count >= 150
    assert snapshot(kept.root) == before
    assert kept.get("/today")


def raw(served: Served, data: bytes, *, wait: float) -> bytes:
    with socket.create_connection(("127.0.0.1", served.port), timeout=wait) as line:
        line.sendall(data)
        found = b""
        while part := line.recv(65536):
            found += part
        return found


def test_broken_requests_are_answered_or_closed(kept: Served) -> None:
    host = f"Host: 127.0.0.1:{kept.port}\r\n"
    for data in (
        b"GET /today HTTP/1.1\r\n\r\n",
        b"GET /today HTTP/1.1\r\n" + host.encode() * 2 + b"\r\n",
        b"GET /today HTTP/9.9\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00",
        b"GET " + b"/" * 70_000 + b" HTTP/1.1\r\n",
        b"GET /today HTTP/1.1\r\n" + b"X: y\r\n" * 20_000,
        b"POST /mark HTTP/1.1\r\n"
        + host.encode()
        + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"POST /mark HTTP/1.1\r\n" + host.encode() + b"Content-Length: -5\r\n\r\n",
    ):
        try:
            found = raw(kept, data + b"\r\n", wait=15)
        except (ConnectionError, TimeoutError):
            continue
        assert not found or found.split(b" ")[1] in (b"400", b"403", b"421", b"401", b"431"), found[:200]
        assert b"Traceback" not in found
    assert kept.get("/today")


@pytest.mark.sweep
def test_slow_ones_are_let_go_and_keep_nobody_out(kept: Served) -> None:
    host = f"Host: 127.0.0.1:{kept.port}\r\nCookie: {kept.cookie}\r\nSec-Fetch-Site: same-origin\r\n"
    slow = [socket.create_connection(("127.0.0.1", kept.port)) for _ in range(60)]
    for number, line in enumerate(slow):
        body = f"POST /mark HTTP/1.1\r\n{host}Content-Length: 100\r\n\r\nid="
        line.sendall(body.encode() if number % 2 else b"GET /today HTT")
    began = time.monotonic()
    assert kept.get("/today")
    assert time.monotonic() - began < 5
    slow[1].settimeout(20)
    assert slow[1].recv(100).startswith(b"HTTP/1.1 408")
    slow[0].settimeout(20)
    assert slow[0].recv(100) == b""
    for line in slow:
        line.close()
