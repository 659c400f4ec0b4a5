"""The pages do what they say: every command of a ```console fence runs, in order, in a fresh instance."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from adjutant import commands
from adjutant.store import config
from tests import warm
from tests.conftest import CHECKOUT, adjutant

HOUSE = [CHECKOUT / "ARCHITECTURE.md", CHECKOUT / "CONTRIBUTING.md"]
PAGES = [CHECKOUT / "README.md", *HOUSE, *sorted((CHECKOUT / "docs").glob("*.md"))]
FENCE = re.compile(r"^```(\w*)( exact)?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Step:
    """One `$ ` line of a page with what stands below it; `exact` when that is what must be printed."""

    def __init__(self, command: str, output: str, exact: bool) -> None:
        self.command, self.output, self.exact = command, output, exact


def steps(text: str) -> list[Step]:
    """The commands of a page's ```console fences, in order."""
    found = []
    for language, exact, body in FENCE.findall(text):
        if language == "console":
            for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
                command, _, output = part.partition("\n")
                found.append(Step(command, output, bool(exact)))
    return found


def walk(text: str, folder: Path) -> list[str]:
    """What is wrong with a page whose commands run in `folder` one after the other; [] when all do what they say."""
    wrong = []
    for step in steps(text):
        words = ["sh", "-c", step.command]
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False, timeout=120)
        if done.returncode != 0:
            wrong.append(f"$ {step.command}\nexit {done.returncode}\n{done.stdout}{done.stderr}")
        elif step.exact and done.stdout != step.output:
            wrong.append(f"$ {step.command}\nprinted\n{done.stdout}instead of\n{step.output}")
        elif re.match(r"adjutant [^>]*$", step.command) and not done.stdout + done.stderr:
            wrong.append(f"$ {step.command}\nprinted nothing")
        elif "Traceback" in done.stdout + done.stderr or "a bug in adjutant" in done.stderr:
            wrong.append(f"$ {step.command}\n{done.stdout}{done.stderr}")
    return wrong


@pytest.fixture
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A new instance, with `adjutant` on the PATH."""
    programs = tmp_path / "programs"
    programs.mkdir()
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    with warm.door(str(programs / "adjutant")):
        adjutant("init", str(tmp_path / "adjutant"), check=0)
        yield tmp_path / "adjutant"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_of_a_page_does_what_it_says(page: Path, fresh: Path) -> None:
    wrong = walk(page.read_text(), fresh)
    assert not wrong, "\n".join(wrong)


def test_the_first_page_works_whatever_matters(fresh: Path) -> None:
    """Who names priorities is told nothing of what touches none of them."""
    (fresh / "identity" / "heart.md").write_text("# Heart\n\n## Current Priorities\n\n- the harbour plan\n")
    wrong = walk((CHECKOUT / "docs" / "first-pulse.md").read_text(), fresh)
    assert not wrong, "\n".join(wrong)


def test_a_page_that_lies_is_found(fresh: Path) -> None:
    page = "```console{exact}\n$ {command}\n{output}```\n"
    lies = (
        ("", "adjutant no-such-verb", ""),
        ("", "false", ""),
        (" exact", "echo one", "two\n"),
        ("", "adjutant status --quiet", ""),
    )
    for exact, command, output in lies:
        assert len(walk(page.format(exact=exact, command=command, output=output), fresh)) == 1, command
    assert not walk(page.format(exact=" exact", command="echo one", output="one\n"), fresh)
    assert not walk(page.format(exact="", command="echo one", output="something else\n"), fresh)


def test_every_verb_that_a_page_names_exists() -> None:
    known = {row.verb for row in commands.VERBS} | {"VERB", "help"}
    for page in PAGES:
        prose = FENCE.sub("", page.read_text())
        named = set(re.findall(r"`(?:bin/)?adjutant ([a-z]+)", prose))
        assert named <= known, f"{page.name}: {named - known}"


def test_every_link_between_pages_leads_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_every_yaml_fragment_is_a_right_adjutant_yaml() -> None:
    for page in PAGES:
        for language, _, body in FENCE.findall(page.read_text()):
            if language == "yaml":
                config.parse(body.encode())


def places(text: str) -> list[tuple[str, str]]:
    """The pointers of a page: (path, name in that file), "" for the path alone. A name stands before its path, or
    after it in the next cell of a table."""
    found = re.findall(r"`(\w+)` in `((?:adjutant|tests)/[\w/.]+)`", text)
    pointers = [(path, name) for name, path in found]
    pointers += re.findall(r"\| `((?:adjutant|tests)/[\w/.]+)` \| `(\w+)`", text)
    return pointers + [(path, "") for path in re.findall(r"`((?:adjutant|tests|bench|docs)/[\w/.]+)`", text)]


@pytest.mark.parametrize("page", HOUSE, ids=lambda page: page.name)
def test_every_pointer_leads_to_code(page: Path) -> None:
    for path, name in places(page.read_text().replace("NAME.py", "").replace("CODE/*.yaml", "")):
        there = CHECKOUT / path
        assert there.exists(), path
        assert not name or re.search(rf"\b{name}\b", there.read_text()), f"{path}: no {name}"


def test_a_wrong_pointer_is_seen() -> None:
    assert places("`TABLE` in `adjutant/gone.py`") == [("adjutant/gone.py", "TABLE"), ("adjutant/gone.py", "")]
