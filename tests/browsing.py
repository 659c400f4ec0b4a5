"""A real browser for tests: Debian's Chromium by Playwright, and axe-core to look for barriers."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.conftest import NODE, need
from tests.serving import Served

ARGUMENTS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync", "--host-resolver-rules=MAP evil.example 127.0.0.1"),
)
AXE = NODE / "axe-core" / "axe.min.js"
SERIOUS = ("serious", "critical")
SCREENSHOTS = "ADJUTANT_TEST_SCREENSHOTS"  # names a folder to keep them in


@contextmanager
def browsing() -> Iterator[Browser]:
    """A browser."""
    program = need("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(ARGUMENTS))
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def visiting(browser: Browser, served: Served, **how: Any) -> Iterator[Page]:
    """A page of a new visitor with the server's cookie; nothing but the server is asked, no script breaks."""
    broken: list[str] = []
    context = browser.new_context(**{"viewport": {"width": 1000, "height": 900}, **how})
    try:
        if served.cookie:
            name, _, value = served.cookie.partition("=")
            context.add_cookies([{"name": name, "value": value, "url": served.address, "sameSite": "Strict"}])
        page = context.new_page()
        page.on("pageerror", lambda error: broken.append(str(error)))
        page.on("console", lambda said: broken.append(said.text) if said.type == "error" else None)
        yield page
        # It was refused, or the server went away.
        known = ("status of 409", "ERR_CONNECTION", "ERR_INCOMPLETE", "ERR_CONTENT_LENGTH")
        assert not [each for each in broken if not any(words in each for words in known)], broken
    finally:
        context.close()


def shot(page: Page, name: str) -> None:
    """Keeps a picture, where a folder for them is named."""
    if folder := os.environ.get(SCREENSHOTS):
        Path(folder).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=str(Path(folder) / f"{name}.png"), full_page=True)


def barriers(page: Page) -> list[str]:
    """What axe-core calls serious or worse. It is put in past the policy of the page, which lets no script in."""
    if not AXE.exists():
        reason = "axe-core is not installed: npm i --prefix .ci-node --ignore-scripts axe-core@4.14.1"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)
    page.evaluate(AXE.read_text())
    found = page.evaluate("axe.run()")["violations"]
    return [f"{each['id']}: {each['nodes'][0]['html']}" for each in found if each["impact"] in SERIOUS]
