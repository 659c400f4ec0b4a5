"""The page as a real process on a free port, and somebody who asks it: for tests."""

from __future__ import annotations

import http.client
import os
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

from tests import warm
from tests.conftest import adjutant

NOW = "2026-11-20T09:00:00+00:00"  # a Friday
TASKS = """# Opening

- [ ] Pay the deposit, due 2026-11-17
- [ ] Order the oven, due 2026-11-20
- [ ] Send the menu to the printer, due 2026-11-21
- [ ] Water the herbs, due 2026-11-22
- [ ] Choose the chairs, due 2026-11-24
- [ ] Call Berg about the sign, due 2026-11-25
"""


def make_root(root: Path) -> Path:
    """An instance with a folder of notes that a pulse has seen."""
    adjutant("init", str(root), "--name", "Kari", "--matters", "Open the bakery", check=0)
    (root / "notes").mkdir()
    (root / "notes" / "tasks.md").write_text(TASKS)
    adjutant("kb", "add", "notes", "notes", cwd=root, check=0)
    adjutant("pulse", cwd=root, check=0, ADJUTANT_NOW=NOW)
    return root


class Answer:
    """What came of a request."""

    def __init__(self, status: int, headers: http.client.HTTPMessage, text: str) -> None:
        self.status, self.headers, self.text = status, headers, text

    def seen(self, id: str) -> str:
        """The hash that goes with the form of one thing."""
        found = re.search(
            rf'name="id" value="{re.escape(id)}">\s*<input type="hidden" name="seen" value="([0-9a-f]+)"', self.text
        )
        assert found is not None, f"no form for {id}"
        return found[1]

    def ids(self) -> dict[str, str]:
        """{what: id} of the matters shown."""
        found = re.findall(r'<li id="m-(\w+)".*?<p class="what">(.*?)</p>', self.text, re.DOTALL)
        return {what: id for id, what in found}


class Served:
    """`adjutant serve` in an instance, stopped at the end; `cookie` is that of its first link, `start` what it runs."""

    start: Sequence[str] = ()  # a fork of the warm process

    def __init__(self, root: Path, *words: str, port: int = 0, **env: str) -> None:
        self.root, self.cookie = root, ""
        verb = ["serve", "--port", str(port), *words]
        log = root.parent / f"serve-{time.monotonic_ns()}.log"
        environment = {**os.environ, "ADJUTANT_NOW": NOW, **env}
        with log.open("w") as out:
            if self.start:
                command = [sys.executable, *self.start, *verb]
                self.process = subprocess.Popen(command, cwd=root, env=environment, stdout=out, stderr=out)
            else:
                self.process = warm.start(verb, cwd=root, env=environment, stdout=out, stderr=out)
        until = time.monotonic() + 60
        while "works once: " not in (told := log.read_text()):
            assert self.process.poll() is None and time.monotonic() < until, told
            time.sleep(0.05)
        self.link = told.partition("works once: ")[2].split()[0]
        parts = urlsplit(self.link)
        self.address, self.port, self.path = f"http://{parts.netloc}", parts.port or 0, f"{parts.path}?{parts.query}"

    def __enter__(self) -> Served:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self, *, kill: bool = False) -> None:
        """Ends it; `kill` as a crash would."""
        (self.process.kill if kill else self.process.terminate)()
        self.process.wait(20)

    def enter(self) -> Served:
        """Opens the link."""
        found = self.ask("GET", self.path)
        assert found.status == 303, found.text
        self.cookie = found.headers["Set-Cookie"].partition(";")[0]
        return self

    def ask(
        self, method: str, path: str, body: bytes | str | None = None, headers: dict[str, str] | None = None
    ) -> Answer:
        """One request, as it is."""
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            cookie = {"Cookie": self.cookie} if self.cookie else {}
            line.request(method, path, body, {**cookie, **(headers or {})})
            found = line.getresponse()
            return Answer(found.status, found.headers, found.read().decode("utf-8", "replace"))
        finally:
            line.close()

    def get(self, path: str) -> Answer:
        """A page, which is there."""
        found = self.ask("GET", path)
        while "data-again" in found.text:  # the first look is under way
            time.sleep(0.2)
            found = self.ask("GET", path)
        assert found.status == 200, found.text
        return found

    def press(self, path: str, site: str = "same-origin", **fields: Any) -> Answer:
        """A form as our own page sends it."""
        headers = {"Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": site}
        return self.ask("POST", path, urlencode(fields), headers)

    def memory(self) -> int:
        """Its resident megabytes."""
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS"):
                return int(line.split()[1]) // 1024
        return 0


class Started(Served):
    """One that was started as a shell starts it, and holds no more than that."""

    start = ("-P", "-m", "adjutant")
