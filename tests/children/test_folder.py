"""What an agent may see of a folder: nothing hidden, no orders to agents at any depth, and no link."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from adjutant.children import folder
from adjutant.children.folder import TooLarge, view
from tests.children.nested import nested


def make(root: Path, *paths: str) -> Path:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(path)
    return root


def seen(root: Path) -> tuple[set[str], dict[str, bool]]:
    """(what may be read, {what is kept away: whether it is a folder}), relative."""
    found = view(str(root))
    return (
        {os.path.relpath(path, root) for path in found.whole},
        {os.path.relpath(path, root): is_folder for path, is_folder in found.shut},
    )


def test_a_folder_of_plain_notes_may_be_read_as_a_whole(tmp_path: Path) -> None:
    assert seen(make(tmp_path, "a.md", "sub/b.md", "sub/deep/c.md")) == ({"."}, {})


def test_an_instance_is_kept_away_whole_and_of_one_that_is_the_folder_what_it_keeps(tmp_path: Path) -> None:
    make(tmp_path, "a.md", "agent/adjutant.yaml", "agent/state/outbox.md")
    assert seen(tmp_path) == ({"a.md"}, {"agent": True})
    make(tmp_path, "adjutant.yaml", "state/outbox.md", "notes/state/b.md")
    assert seen(tmp_path) == ({"a.md", "notes"}, {"adjutant.yaml": False, "agent": True, "state": True})


@pytest.mark.parametrize(
    "name",
    [
        ".env",
        ".opencode/plugin/x.js",
        ".claude/settings.json",
        ".git/config",
        ".mcp.json",
        "opencode.json",
        "opencode.jsonc",
        "AGENTS.md",
        "agents.md",
        "CLAUDE.md",
        "Claude.Local.MD",
        "GEMINI.md",
        "mcp.json",
    ],
)
@pytest.mark.parametrize("place", ["", "sub/", "sub/deep/"])
def test_what_is_hidden_and_what_agents_obey_is_kept_away_at_any_depth(tmp_path: Path, name: str, place: str) -> None:
    whole, shut = seen(make(tmp_path, "a.md", "sub/b.md", "sub/deep/c.md", f"{place}{name}"))
    assert shut == {f"{place}{name.partition('/')[0]}": "/" in name}
    assert "." not in whole
    assert "a.md" in whole
    assert not any(path in f"{place}{name}" for path in whole)


def test_a_link_is_no_part_of_what_may_be_read(tmp_path: Path) -> None:
    make(tmp_path, "kb/a.md", "kb/sub/b.md", "secret")
    (tmp_path / "kb" / "out").symlink_to(tmp_path / "secret")
    (tmp_path / "kb" / "sub" / "up").symlink_to("../..")
    (tmp_path / "kb" / "nowhere").symlink_to("gone")
    assert seen(tmp_path / "kb") == ({"a.md", "sub/b.md"}, {})


@pytest.mark.parametrize(
    ("link", "target"),
    [
        ("AGENTS.md", "readme.md"),
        (".opencode", "plain"),
        ("sub/CLAUDE.md", "../readme.md"),
        (".mcp.json", "plain/c.md"),
    ],
)
def test_what_an_order_leads_to_inside_is_an_order_too(tmp_path: Path, link: str, target: str) -> None:
    make(tmp_path, "a.md", "readme.md", "sub/b.md", "plain/c.md")
    (tmp_path / link).symlink_to(target)
    whole, shut = seen(tmp_path)
    assert list(shut) == [target.removeprefix("../")]
    assert "a.md" in whole
    assert not any(path == "." or next(iter(shut)).startswith(path) for path in whole)


def test_a_hidden_link_that_is_no_order_hides_nothing(tmp_path: Path) -> None:
    make(tmp_path, "a.md", "notes/b.md")
    (tmp_path / ".latest").symlink_to("notes")
    assert seen(tmp_path) == ({"a.md", "notes"}, {})


def test_a_folder_nested_without_end_is_kept_away_below_some_depth(tmp_path: Path) -> None:
    nested(tmp_path, 300, "d")  # more, and pytest cannot take it away
    assert seen(tmp_path)[1] == {"/".join("d" * (folder.MOST_DEEP + 1)): True}


def test_more_than_can_be_masked_one_by_one_is_too_large(tmp_path: Path) -> None:
    make(tmp_path, *(f".{number}" for number in range(folder.MOST_SHUT + 1)))
    with pytest.raises(TooLarge, match="more than 2000 entries to keep from an agent"):
        view(str(tmp_path))


def test_more_entries_than_are_looked_through_is_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder, "MOST_ENTRIES", 20)  # a limit, not a function: 100,000 files take a while
    make(tmp_path, *(f"{number}.md" for number in range(21)))
    with pytest.raises(TooLarge, match="more than 20 entries"):
        view(str(tmp_path))


def test_a_folder_that_is_not_there_is_an_oserror(tmp_path: Path) -> None:
    with pytest.raises(OSError):
        view(str(tmp_path / "gone"))


def test_names_that_are_no_text_are_names(tmp_path: Path) -> None:
    for name in (b"\xff\xfe.md", b".\xff"):
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).write_text("x")
    whole, shut = seen(tmp_path)
    assert whole == {os.fsdecode(b"\xff\xfe.md")}
    assert list(shut) == [os.fsdecode(b".\xff")]
