"""skills: read as other people write them, tagged by one line, every other byte as it was."""

from __future__ import annotations

import os
import re
from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest

from adjutant import commands
from adjutant.app import Outcome
from adjutant.domain.conversation import tools
from adjutant.domain.recall import skills as domain
from adjutant.domain.recall import skills as source
from adjutant.domain.recall import taxonomy
from adjutant.errors import FileChanged, FileDamaged
from adjutant.stages import skills
from adjutant.store import package
from tests.conftest import TestedApp, adjutant, make_app

K8S = "---\nname: k8s\ndescription: Operate the Kubernetes cluster, its pods and nodes.\n---\n\n# Kubernetes\n"


def put(root: Path, folder: str, text: str | bytes, name: str = "SKILL.md") -> Path:
    path = root / "skills" / folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def run(root: Path, subverb: str, write: bool = False, **more: Any) -> tuple[Outcome, TestedApp]:
    app = make_app(root, **more)
    return skills.run(app, Namespace(subverb=subverb, write=write)), app


def rows(root: Path) -> dict[str, dict[str, Any]]:
    return {row["path"].split("/")[1]: row for row in run(root, "list")[0].result["skills"]}


def test_skills_are_folders_with_a_skill_file_and_nothing_else_is(tmp_path: Path) -> None:
    assert run(tmp_path, "list")[0].result == {"skills": [], "damaged": []}
    put(tmp_path, "k8s", K8S.replace("---\n\n#", "workload: platform/k8s\nlicense: MIT\n---\n\n#"))
    put(tmp_path, "k8s", "---\nname: inner\n---\n", "references/SKILL.md")
    put(tmp_path, "k8s", "notes", "notes.md")
    put(tmp_path, "empty", "x", "README.md")
    put(tmp_path, ".git", K8S)
    (tmp_path / "skills" / "README.md").write_text("about skills")
    found, app = run(tmp_path, "list")
    [row] = found.result["skills"]
    assert (row["name"], row["workload"], row["path"]) == ("k8s", "adjutant:platform/k8s", "skills/k8s/SKILL.md")
    assert found.result["damaged"] == app.said == []


def test_what_is_missing_is_filled_in(tmp_path: Path) -> None:
    put(tmp_path, "no-front", "# Only a heading\n")
    put(tmp_path, "no-name", "---\ndescription: x\n---\nbody\n")
    put(tmp_path, "empty-front", "---\n---\nbody\n")
    put(tmp_path, "nothing", "")
    put(tmp_path, "bom", "\ufeff" + K8S)
    found = rows(tmp_path)
    assert [found[name]["name"] for name in ("no-front", "no-name", "empty-front", "nothing", "bom")] == [
        "no-front",
        "no-name",
        "empty-front",
        "nothing",
        "k8s",
    ]


def test_a_description_with_a_colon_in_it_is_understood_without_a_complaint(tmp_path: Path) -> None:
    put(tmp_path, "odd-folder", "---\nname: odd\ndescription: Use when: always\n---\n\nThe rest.\n")
    found, app = run(tmp_path, "list")
    assert [row["name"] for row in found.result["skills"]] == ["odd"]
    assert not app.said
    [made] = source.read_documents("skills/odd-folder/SKILL.md", (tmp_path / "skills/odd-folder/SKILL.md").read_bytes())
    assert (made.title, made.text, made.context) == ("odd", "Use when: always", "The rest.")


@pytest.mark.parametrize(
    ("text", "line", "name"),
    [
        ("---\nname: odd\nname: again\n---\n", 3, "odd"),
        ("---\nname: odd\nworkload: nonsense\n---\n", 3, "odd"),
        ("---\nname: [a, b]\n---\n", 2, "odd-folder"),
        ("---\nname: &x odd\ndescription: *x\n---\n", 3, "odd-folder"),
        ("---\n- name\n---\n", 2, "odd-folder"),
        ("---\nname: odd\n", 1, "odd"),
    ],
)
def test_an_odd_frontmatter_is_complained_of_with_its_line_and_the_rest_goes_on(
    tmp_path: Path,
    text: str,
    line: int,
    name: str,
) -> None:
    put(tmp_path, "odd-folder", text)
    put(tmp_path, "k8s", K8S)
    found, app = run(tmp_path, "list")
    assert [row["name"] for row in found.result["skills"]] == ["k8s", name]
    assert len(app.said) == 1
    assert app.said[0].startswith(f"skills/odd-folder/SKILL.md:{line}: ")
    assert found.result["damaged"] == app.said
    assert found.exit_code == 0


def test_what_is_no_file_or_no_text_is_named_and_left(tmp_path: Path) -> None:
    put(tmp_path, "bytes", b"---\nname: x\n\xff\n---\n")
    (tmp_path / "skills" / "folder" / "SKILL.md").mkdir(parents=True)
    (tmp_path / "skills" / "pipe").mkdir()
    os.mkfifo(tmp_path / "skills" / "pipe" / "SKILL.md")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "SKILL.md").write_text(K8S)
    (tmp_path / "skills" / "link").symlink_to(tmp_path / "elsewhere")
    put(tmp_path, "large", "x" * (domain.MAX_BYTES + 1))
    put(tmp_path, "twin", K8S)
    put(tmp_path, "k8s", K8S)
    found, _ = run(tmp_path, "list")
    assert [row["name"] for row in found.result["skills"]] == ["k8s", "k8s"]
    told = " ".join(found.result["damaged"])
    assert len(found.result["damaged"]) == 6
    assert "skills/bytes/SKILL.md:3: not UTF-8" in told
    assert all(f"skills/{name}" in told for name in ("folder", "pipe", "link", "large", "twin"))


# -- tagging -------------------------------------------------------------------------------------------------


def test_tag_proposes_and_writes_nothing(tmp_path: Path) -> None:
    path = put(tmp_path, "k8s", K8S)
    put(tmp_path, "done", K8S.replace("---\n\n#", "workload: meta\n---\n\n#").replace("name: k8s", "name: done"))
    put(tmp_path, "vague", "---\nname: vague\n---\nbananas\n")
    found, _ = run(tmp_path, "tag")
    [row] = found.result["skills"]
    assert (row["name"], row["workload"], row["written"]) == ("k8s", "adjutant:platform", False)
    assert found.result["uncategorised"] == ["vague"]
    assert path.read_text() == K8S
    assert found.next_actions[0][0] == "adjutant skills tag --write"


TAGGED = "metadata:\n  workload: adjutant:platform\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("---\nname: k8s\n---\nx", f"---\nname: k8s\n{TAGGED}---\nx"),
        ("---\r\nname: k8s\r\n---\r\n\r\nx\r\n", f"---\nname: k8s\n{TAGGED}---\n\nx\n".replace("\n", "\r\n")),
        ("\ufeff---\nname: k8s\n---\n", f"\ufeff---\nname: k8s\n{TAGGED}---\n"),
        (
            "---\nname: k8s  # its name\n\n# the end\n\n---\n\n\nx  \n",
            f"---\nname: k8s  # its name\n\n# the end\n\n{TAGGED}---\n\n\nx  \n",
        ),
        (
            "---\nname: k8s\ndescription: |\n  one\n  two\n---\nx\n",
            f"---\nname: k8s\ndescription: |\n  one\n  two\n{TAGGED}---\nx\n",
        ),
        (
            "---\nname: k8s\nmetadata:\n  a: b\n# mine\nlicense: MIT\n---\n---\nx\n",
            "---\nname: k8s\nmetadata:\n  a: b\n  workload: adjutant:platform\n# mine\nlicense: MIT\n---\n---\nx\n",
        ),
        ("---\n---\nkubectl\n", f"---\n{TAGGED}---\nkubectl\n"),
        ("# kubectl\n\nworkload: none\n", f"---\n{TAGGED}---\n\n# kubectl\n\nworkload: none\n"),
        ("", f"---\n{TAGGED}---\n\n"),
    ],
)
def test_metadata_is_added_and_every_other_byte_stays(before: str, after: str) -> None:
    changed = domain.with_workload(before.encode(), "adjutant:platform", "skills/x/SKILL.md")
    assert changed == after.encode()
    assert domain.parse("skills/x/SKILL.md", changed, taxonomy.own()).workload == "adjutant:platform"


@pytest.mark.parametrize(
    "text",
    [
        "---\n{name: k8s}\n---\n",
        "---\nname: k8s\n...\n---\n",
        "---\nname: [\n---\n",
        "---\nx",
    ],
)
def test_a_frontmatter_that_takes_no_line_is_left_alone(tmp_path: Path, text: str) -> None:
    with pytest.raises(FileDamaged, match=r"skills/x/SKILL\.md:"):
        domain.with_workload(text.encode(), "adjutant:platform", "skills/x/SKILL.md")
    path = put(tmp_path, "kubectl", text)
    put(tmp_path, "z", K8S)
    found, _ = run(tmp_path, "tag", write=True)
    assert found.exit_code == 1
    assert len(found.result["refused"]) == 1
    assert path.read_text() == text
    assert {row["path"]: row["written"] for row in found.result["skills"]}["skills/z/SKILL.md"] is True


def test_write_tags_once_and_a_dry_run_leaves_the_files(tmp_path: Path) -> None:
    path = put(tmp_path, "k8s", K8S)
    run(tmp_path, "tag", write=True, dry_run=True)
    assert path.read_text() == K8S
    found, _ = run(tmp_path, "tag", write=True)
    assert found.result["skills"][0]["written"]
    assert rows(tmp_path)["k8s"]["workload"] == "adjutant:platform"
    once = path.read_bytes()
    assert run(tmp_path, "tag", write=True)[0].lines == ["nothing to tag"]
    assert path.read_bytes() == once


def test_an_editor_that_was_faster_wins(tmp_path: Path) -> None:
    path, app = put(tmp_path, "k8s", K8S), make_app(tmp_path)
    [skill] = domain.load(app.files, taxonomy.own()).skills
    path.write_text(K8S + "a person's line\n")
    with pytest.raises(FileChanged):
        domain.tag(app.files, skill, "adjutant:platform")
    assert path.read_text() == K8S + "a person's line\n"
    assert list((tmp_path / "state/conflicts").iterdir())


def test_from_the_shell(tmp_path: Path) -> None:
    make_app(tmp_path)
    put(tmp_path, "k8s", K8S)
    ran = adjutant("skills", "tag", "--write", "--json", "--root", str(tmp_path), check=0).json
    assert ran["command"] == "adjutant skills tag"
    assert ran["result"]["skills"][0]["workload"] == "adjutant:platform"


# -- the limits of Agent Skills ------------------------------------------------------------------------------

HEAD = "---\nname: k8s\ndescription: Operate the cluster.\nlicense: MIT\n"
GOOD = f"{HEAD}metadata:\n  workload: adjutant:platform\n---\n\nDo.\n"


def linted(root: Path) -> list[str]:
    found, _ = run(root, "lint")
    assert found.exit_code == (1 if found.result["problems"] or found.result.get("damaged") else 0)
    return found.lines


def test_a_good_skill_and_a_fresh_instance_have_no_problems(tmp_path: Path) -> None:
    put(tmp_path / "one", "k8s", GOOD)
    assert linted(tmp_path / "one") == ["1 skill, no problems"]
    adjutant("init", str(tmp_path / "mine"), check=0)
    assert adjutant("skills", "lint", cwd=tmp_path / "mine", check=0).out == "6 skills, no problems\n"


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("name: k8s", "name: K8S", 2, "`K8S` is no name of a skill"),
        ("name: k8s", f"name: {'k' * 65}", 2, "is no name of a skill"),
        ("name: k8s", "name: k--8s", 2, "is no name of a skill"),
        ("name: k8s", "name: other", 2, "lies in the folder `k8s`"),
        ("name: k8s\n", "", 1, "no `name`"),
        ("description: Operate the cluster.\n", "", 1, "no `description`"),
        ("Operate the cluster.", "x" * 1025, 3, "1025 characters of description"),
        ("license: MIT", "workload: meta", 4, "`workload` is no key of Agent Skills; move it under `metadata:`"),
        ("metadata:\n  workload: adjutant:platform", "metadata: x", 5, "is no map of texts"),
        ("workload: adjutant:platform", "a: [1]", 5, "is no map of texts"),
        ("adjutant:platform", "adjutant:bananas", 5, "names no concept"),
        ("Do.\n", "", 2, "no text below the frontmatter"),
        ("license: MIT", "license: [", 6, "write the frontmatter as YAML"),
        ("---\nname", "name", 1, "no frontmatter"),
    ],
)
def test_what_is_no_agent_skill_is_named_with_its_line(
    tmp_path: Path, old: str, new: str, line: int, said: str
) -> None:
    assert GOOD.count(old) == 1
    put(tmp_path, "k8s", GOOD.replace(old, new))
    [told] = linted(tmp_path)
    assert told.startswith(f"skills/k8s/SKILL.md:{line}: ")
    assert said in told


def test_a_skill_that_cannot_be_read_is_a_problem(tmp_path: Path) -> None:
    put(tmp_path, "bytes", b"---\nname: x\n\xff\n---\n")
    put(tmp_path, "k8s", GOOD)
    [told] = linted(tmp_path)
    assert "skills/bytes/SKILL.md:3: not UTF-8" in told


def test_a_workload_is_read_where_it_stands_and_where_it_stood(tmp_path: Path) -> None:
    put(tmp_path, "k8s", GOOD)
    put(tmp_path, "old", "---\nname: old\nworkload: meta\n---\nx\n")
    put(tmp_path, "both", "---\nname: both\nworkload: meta\nmetadata: {workload: comms}\n---\nx\n")
    found = rows(tmp_path)
    assert [found[name]["workload"] for name in ("k8s", "old", "both")] == [
        "adjutant:platform",
        "adjutant:meta",
        "adjutant:comms",
    ]


# -- those that come with the package ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh instance with one page of notes."""
    here = tmp_path_factory.mktemp("fresh")
    (here / "notes").mkdir()
    (here / "notes" / "board.md").write_text("# Board\n\n- Ola comes to the meeting, and brings the budget.\n")
    adjutant("init", str(here / "mine"), "--folder", str(here / "notes"), check=0)
    return here / "mine"


@pytest.mark.parametrize("question", ["Who is coming to the meeting?", "What should I pack for the trip?"])
def test_a_shipped_skill_answers_no_question(fresh: Path, question: str) -> None:
    assert "skills/" not in adjutant("ask", question, cwd=fresh, check=0).out


def test_a_shipped_skill_is_found_and_stands_in_the_prompt(fresh: Path) -> None:
    assert "skills/weekly-plan/SKILL.md" in adjutant("search", "plan the week", cwd=fresh, check=0).out
    told = adjutant("prompt", "show", "--message", "Help me plan the week", cwd=fresh, check=0).out
    assert "weekly-plan" in told and "Plan half of them" not in told, "its description; skill_read has the rest"


def test_a_shipped_skill_that_was_edited_is_the_operators(fresh: Path, tmp_path: Path) -> None:
    data = (fresh / "skills" / "trip-prep" / "SKILL.md").read_bytes()
    [made] = source.read_documents("skills/trip-prep/SKILL.md", data)
    [mine] = source.read_documents("skills/trip-prep/SKILL.md", data + b"- Take the blue bag.\n")
    assert (made.trust, made.context) == ("agent", "")
    assert mine.trust == "operator"
    assert "Take the blue bag." in mine.context


def test_no_prompt_index_or_pulse_reads_agents_md(fresh: Path) -> None:
    adjutant("kb", "add", "whole", ".", cwd=fresh, check=0)
    (fresh / "AGENTS.md").write_text("- [ ] Feed the zebras, due 2026-01-01\n")
    for words in (("pulse", "--full"), ("index", "--full"), ("ask", "When are the zebras fed?"), ("today", "--all")):
        assert "zebras, due" not in adjutant(*words, cwd=fresh, check=0).out, words
    assert "zebras, due" not in adjutant("prompt", "show", "--message", "zebras", cwd=fresh, check=0).out
    found = adjutant("search", "zebras", "--json", cwd=fresh, check=0).json["result"]["hits"]
    assert {hit["collection"] for hit in found} <= {"conversations"}, "the question that was asked above"


def test_agents_md_is_short_and_names_verbs_that_are() -> None:
    text = package.text("instance", "AGENTS.md")
    assert text.count("\n") < 60
    for words in re.findall(r"`adjutant ([a-z][^`]+)`", text):
        row = commands.row_of(words.split())
        assert words.startswith("help") or row is not None, words


def test_a_shipped_skill_names_tools_and_skills_that_are() -> None:
    for name in package.names("instance", "skills"):
        text = package.text("instance", "skills", name, "SKILL.md")
        named = set(re.findall(r"`([a-z]+_[a-z]+|search)`", text))
        assert named <= {tool.name for tool in tools.TABLE}, name
        assert set(re.findall(r"skill ([a-z]+-[a-z-]+)", text)) <= set(package.names("instance", "skills"))


# -- documents -----------------------------------------------------------------------------------------------


def test_a_skill_is_one_document_under_its_workload_or_what_its_words_say() -> None:
    path = "skills/k8s/SKILL.md"
    [guessed] = source.read_documents(path, K8S.encode())
    assert (guessed.id, guessed.collection, guessed.title, guessed.path) == ("k8s", "agent_skills", "k8s", path)
    assert guessed.concepts == ("adjutant:platform", "adjutant:platform/k8s")
    assert guessed.trust == "operator"
    assert (guessed.text, guessed.context) == ("Operate the Kubernetes cluster, its pods and nodes.", "# Kubernetes")
    [told] = source.read_documents(path, K8S.replace("---\n\n#", "workload: meta\n---\n\n#").encode())
    assert told.concepts == ("adjutant:meta",)
    assert told.source_sha != guessed.source_sha
    [odd] = source.read_documents("skills/x/SKILL.md", b"---\nname: [\n---\nbananas")
    assert (odd.id, odd.concepts) == ("x", ())
    with pytest.raises(FileDamaged):
        source.read_documents("skills/x/SKILL.md", b"\xff")
