"""skills: read as other people write them, tagged by one line, every other byte as it was."""

from __future__ import annotations

import os
from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest

from adjutant.app import Outcome
from adjutant.domain.recall import skills as domain
from adjutant.domain.recall import taxonomy
from adjutant.domain.recall.sources import skills as source
from adjutant.errors import FileChanged, FileDamaged
from adjutant.stages import skills
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
    assert [row["name"] for row in found.result["skills"]] == ["odd"] and not app.said
    [made] = source.documents("skills/odd-folder/SKILL.md", (tmp_path / "skills/odd-folder/SKILL.md").read_bytes())
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
    assert len(app.said) == 1 and app.said[0].startswith(f"skills/odd-folder/SKILL.md:{line}: ")
    assert found.result["damaged"] == app.said and found.exit_code == 0


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
    assert len(found.result["damaged"]) == 6 and "skills/bytes/SKILL.md:3: not UTF-8" in told
    assert all(f"skills/{name}" in told for name in ("folder", "pipe", "link", "large", "twin"))


# -- tagging -------------------------------------------------------------------------------------------------


def test_tag_proposes_and_writes_nothing(tmp_path: Path) -> None:
    path = put(tmp_path, "k8s", K8S)
    put(tmp_path, "done", K8S.replace("---\n\n#", "workload: meta\n---\n\n#").replace("name: k8s", "name: done"))
    put(tmp_path, "vague", "---\nname: vague\n---\nbananas\n")
    found, _ = run(tmp_path, "tag")
    [row] = found.result["skills"]
    assert (row["name"], row["workload"], row["written"]) == ("k8s", "adjutant:platform", False)
    assert found.result["uncategorised"] == ["vague"] and path.read_text() == K8S
    assert found.next_actions[0][0] == "adjutant skills tag --write"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("---\nname: k8s\n---\nx", "---\nname: k8s\nworkload: platform\n---\nx"),
        ("---\r\nname: k8s\r\n---\r\n\r\nx\r\n", "---\r\nname: k8s\r\nworkload: platform\r\n---\r\n\r\nx\r\n"),
        ("\ufeff---\nname: k8s\n---\n", "\ufeff---\nname: k8s\nworkload: platform\n---\n"),
        (
            "---\nname: k8s  # its name\n\n# the end\n\n---\n\n\nx  \n",
            "---\nname: k8s  # its name\n\n# the end\n\nworkload: platform\n---\n\n\nx  \n",
        ),
        (
            "---\nname: k8s\ndescription: |\n  one\n  two\n---\nx\n",
            "---\nname: k8s\ndescription: |\n  one\n  two\nworkload: platform\n---\nx\n",
        ),
        (
            "---\nname: k8s\nmetadata:\n  a: b\n---\n---\nx\n",
            "---\nname: k8s\nmetadata:\n  a: b\nworkload: platform\n---\n---\nx\n",
        ),
        ('---\nworkload:   # which?\nname: "k8s"\n---\n', '---\nworkload: platform   # which?\nname: "k8s"\n---\n'),
        ("---\n---\nkubectl\n", "---\nworkload: platform\n---\nkubectl\n"),
        ("# kubectl\n\nworkload: none\n", "---\nworkload: platform\n---\n\n# kubectl\n\nworkload: none\n"),
        ("", "---\nworkload: platform\n---\n\n"),
    ],
)
def test_one_line_is_added_and_every_other_byte_stays(before: str, after: str) -> None:
    changed = domain.with_workload(before.encode(), "platform", "skills/x/SKILL.md")
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
        domain.with_workload(text.encode(), "platform", "skills/x/SKILL.md")
    path = put(tmp_path, "kubectl", text)
    put(tmp_path, "z", K8S)
    found, _ = run(tmp_path, "tag", write=True)
    assert found.exit_code == 1 and len(found.result["refused"]) == 1 and path.read_text() == text
    assert {row["path"]: row["written"] for row in found.result["skills"]}["skills/z/SKILL.md"] is True


def test_write_tags_once_and_a_dry_run_leaves_the_files(tmp_path: Path) -> None:
    path = put(tmp_path, "k8s", K8S)
    run(tmp_path, "tag", write=True, dry_run=True)
    assert path.read_text() == K8S
    found, _ = run(tmp_path, "tag", write=True)
    assert found.result["skills"][0]["written"] and rows(tmp_path)["k8s"]["workload"] == "adjutant:platform"
    once = path.read_bytes()
    assert run(tmp_path, "tag", write=True)[0].lines == ["nothing to tag"] and path.read_bytes() == once


def test_an_editor_that_was_faster_wins(tmp_path: Path) -> None:
    path, app = put(tmp_path, "k8s", K8S), make_app(tmp_path)
    [skill] = domain.load(app.files, taxonomy.own()).skills
    path.write_text(K8S + "a person's line\n")
    with pytest.raises(FileChanged):
        domain.tag(app.files, skill, "adjutant:platform")
    assert path.read_text() == K8S + "a person's line\n" and list((tmp_path / "state/conflicts").iterdir())


def test_from_the_shell(tmp_path: Path) -> None:
    make_app(tmp_path)
    put(tmp_path, "k8s", K8S)
    ran = adjutant("skills", "tag", "--write", "--json", "--root", str(tmp_path), check=0).json
    assert ran["command"] == "adjutant skills tag" and ran["result"]["skills"][0]["workload"] == "adjutant:platform"


# -- documents -----------------------------------------------------------------------------------------------


def test_a_skill_is_one_document_under_its_workload_or_what_its_words_say() -> None:
    path = "skills/k8s/SKILL.md"
    [guessed] = source.documents(path, K8S.encode())
    assert (guessed.id, guessed.collection, guessed.title, guessed.path) == ("k8s", "agent_skills", "k8s", path)
    assert guessed.concepts == ("adjutant:platform", "adjutant:platform/k8s") and guessed.trust == "operator"
    assert (guessed.text, guessed.context) == ("Operate the Kubernetes cluster, its pods and nodes.", "# Kubernetes")
    [told] = source.documents(path, K8S.replace("---\n\n#", "workload: meta\n---\n\n#").encode())
    assert told.concepts == ("adjutant:meta",) and told.source_sha != guessed.source_sha
    [odd] = source.documents("skills/x/SKILL.md", b"---\nname: [\n---\nbananas")
    assert (odd.id, odd.concepts) == ("x", ())
    with pytest.raises(FileDamaged):
        source.documents("skills/x/SKILL.md", b"\xff")
