"""Rows fanout and silence: a pulse is as slow as its slowest knowledge base, and a quiet one costs nothing."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.instances import NOW, environment, result, run, with_knowledge
from bench.measure import Figure, Settings, Skipped, ratio

SETTINGS = """\
llm: {{backend: openai, base_url: "{url}", models: {{cheap: bench}}}}
heartbeat: {{parallel: {width}}}
limits: {{one_call_chars: 0}}
"""
APART = "limits: {one_call_chars: 0}\n"  # a brief for each, not one call for all
# The peer: as many threads as questions, each asking once, nothing else.
POOL = """
import sys
from concurrent.futures import ThreadPoolExecutor
import requests
url, width = sys.argv[1], int(sys.argv[2])
body = {"model": "bench", "messages": [{"role": "user", "content": "a brief"}]}
with ThreadPoolExecutor(width) as pool:
    assert all(pool.map(lambda n: requests.post(url + "/chat/completions", json=body, timeout=60).ok, range(width)))
"""


@contextmanager
def model(delay: float) -> Iterator[str]:
    """The URL of a simulated model in a process of its own."""
    child = subprocess.Popen(
        [sys.executable, "-m", "bench.server", str(delay)], stdout=subprocess.PIPE, text=True, env=environment()
    )
    assert child.stdout is not None
    try:
        yield f"http://127.0.0.1:{int(child.stdout.readline())}/v1"
    finally:
        child.kill()
        child.communicate()


def seen(url: str) -> list[dict[str, Any]]:
    """What the model was asked since the last look."""
    with urllib.request.urlopen(url + "/seen") as answer:
        found: list[dict[str, Any]] = json.load(answer)
    return found


def span(asked: list[dict[str, Any]], count: int) -> float:
    """Seconds from the first brief that was asked to the last that was answered."""
    briefs = [each for each in asked if each["name"] == "brief"]
    if len(briefs) != count:
        raise RuntimeError(f"{len(briefs)} briefs were asked, not {count}")
    return max(each["answered"] for each in briefs) - min(each["arrived"] for each in briefs)


def fanout(folder: Path, settings: Settings) -> Iterator[Figure | Skipped]:
    """The briefs of one pulse under a model that takes a second, against a bare thread pool of the same width."""
    for count, aim in ((10, 1.02), (50, 1.05)):
        ours, pool = [], []
        with model(1.0) as url:
            root = with_knowledge(folder / str(count), count, SETTINGS.format(url=url, width=count))
            for _ in range(2 if settings.quick else 5):
                run(root, "pulse", "--full", ADJUTANT_NOW=NOW)
                ours.append(span(seen(url), count))
                subprocess.run([sys.executable, "-c", POOL, url, str(count)], env=environment(), check=True)
                pool.append(span(seen(url), count))
        yield Figure(
            "fanout",
            f"briefs of {count} knowledge bases / bare thread pool",
            ratio(ours, pool),
            aim,
            details={"seconds": min(ours)},
        )


def silence(folder: Path, settings: Settings) -> Iterator[Figure | Skipped]:
    """What a pulse with nothing new over ten knowledge bases asks, and what one does when a file of them changed."""
    with model(0.0) as url:
        root = with_knowledge(folder / "instance", 10, SETTINGS.format(url=url, width=8).replace(APART, ""), parts=1)
        run(root, "pulse", "--json", ADJUTANT_NOW=NOW)
        seen(url)
        quiet = result(run(root, "pulse", "--json", ADJUTANT_NOW=NOW))
        calls = len(seen(url))
        page = next((root / "knowledge_bases").glob("*/*.md"))
        page.write_text(page.read_text() + "\nThe pump has begun to leak.\n")
        told = result(run(root, "pulse", "--json", ADJUTANT_NOW=NOW))
        asked = seen(url)
    what = "model calls of a pulse with nothing new"
    yield Figure("silence", what, calls, 0, exact=True, unit="", details={"said": quiet["model_calls"]})
    what = "model calls of a pulse, a file of 10 folders new"
    yield Figure("silence", what, len(asked), 1, unit="", details={"said": told["model_calls"]})
    what = "prompt tokens of it (4 chars each)"
    yield Figure("silence", what, sum(each["chars"] for each in asked) // 4, 6000, unit="")
