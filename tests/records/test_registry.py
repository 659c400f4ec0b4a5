"""The registry of knowledge bases: what is read, what is refused by line, and that editing keeps every other byte."""

from __future__ import annotations

import multiprocessing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjutant.errors import FileDamaged, KbInvalid, KbUnknown
from adjutant.ports import TRUST
from adjutant.records import insights, registry
from adjutant.records.registry import KnowledgeBase
from adjutant.store.files import Files
from adjutant.store.tree import Tree

WRITTEN = """\
# what we look at
- name: garden
  path: ../garden          # shared with Ann
  description: 'beds & seeds'
  access: read-only
  model: cheap
  enabled: true

# paused for the winter
- path: "/srv/boat"
  name: boat
  enabled: false
# end of list
"""


def files_with(folder: Path, text: str | bytes | None) -> Files:
    tree = Tree(str(folder / "instance"))
    if text is not None:
        target = Path(tree.registry)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode() if isinstance(text, str) else text)
    return Files(tree)


def entry(name: str, path: str = "/srv/notes", description: str = "") -> KnowledgeBase:
    return KnowledgeBase(name=name, path=path, folder=path, description=description)


def raw(files: Files) -> bytes:
    return Path(files.tree.registry).read_bytes()


def test_entries_are_read_in_order_with_their_folders_and_defaults(tmp_path: Path) -> None:
    garden, boat = registry.load(files_with(tmp_path, WRITTEN))
    assert garden == KnowledgeBase("garden", "../garden", str(tmp_path / "garden"), "beds & seeds")
    assert (boat.name, boat.folder, boat.enabled, boat.access, boat.model) == (
        "boat",
        "/srv/boat",
        False,
        "read-only",
        "cheap",
    )


@pytest.mark.parametrize("text", [None, "", "\n\n", "# only a comment\n", "---\n", "[]\n", "--- []"])
def test_no_file_and_an_empty_one_are_an_empty_registry(tmp_path: Path, text: str | None) -> None:
    assert registry.load(files_with(tmp_path, text)) == []


@pytest.mark.parametrize(
    ("text", "line", "word"),
    [
        ("- name: a\n  path: x\n- name: a\n  path: y\n", 3, "twice (first on line 1)"),
        ("- name: a\n  pth: x\n", 2, "did you mean `path`"),
        ("- name: a\n  path: x\n  path: y\n", 3, "given twice"),
        ("- name: a\n", 1, "`path` is missing"),
        ("- path: a\n", 1, "`name` is missing"),
        ("- name: A b\n  path: x\n", 1, "`name` must be"),
        ("- name: ../x\n  path: x\n", 1, "`name` must be"),
        ("- name: a\n  path: x\n  access: readonly\n", 3, "did you mean `read-only`"),
        ("- name: a\n  path: x\n  model: huge\n", 3, "cheap | medium | expensive"),
        ("- name: a\n  path: x\n  enabled: no\n", 3, "true or false"),
        ("- name: a\n  path:\n", 2, "`path` must be"),
        ("- name: a\n  path: ~/notes\n", 2, "`path` must be"),
        ("- name: a\n  path: [x]\n", 2, "`path` must be"),
        ("- just text\n", 1, "must be a mapping"),
        ("name: a\npath: x\n", 1, "must be a list"),
        ("- name: a\n  path: x\n - name: b\n", 3, ""),
        ("- &x {name: a, path: x}\n- *x\n", 2, "aliases"),
        ("- name: a\n  path: '\xff'\n".encode("latin-1"), 2, "not UTF-8"),
        ("- name: a\n  path: x\n  trust: agent\n", 3, "operator | untrusted"),
        ("- name: a\n  path: x\n  kind: note\n", 3, "did you mean `notes`"),
        ("- name: a\n  path: x\n  exclude: [a, '*b*c*d*']\n", 3, "too many stars"),
        ("- name: a\n  path: x\n  exclude: {a: b}\n", 3, "gitignore patterns"),
        ("- name: a\n  path: state/runs\n", 1, "its own records"),
    ],
)
def test_what_makes_no_sense_is_refused_with_its_line(tmp_path: Path, text: str | bytes, line: int, word: str) -> None:
    with pytest.raises(FileDamaged) as caught:
        registry.load(files_with(tmp_path, text))
    assert caught.value.message.startswith(f"knowledge_bases/registry.yaml:{line}: ")
    assert word in caught.value.message
    assert caught.value.exit_code == 65
    assert caught.value.fix


def test_a_name_that_nobody_registered_is_unknown_and_the_nearest_is_named(tmp_path: Path) -> None:
    with pytest.raises(KbUnknown, match="did you mean `garden`"):
        registry.find(files_with(tmp_path, WRITTEN), "gardn")


@pytest.mark.parametrize("name", ["a", "0", "a-b_c", "a" * 63])
def test_good_names_pass(name: str) -> None:
    registry.check_name(name)


@pytest.mark.parametrize("name", ["", "A", "-a", "_a", "a b", "a/b", "..", "a\n", "ø", "a" * 64])
def test_names_that_could_be_paths_or_surprises_are_refused(name: str) -> None:
    with pytest.raises(KbInvalid):
        registry.check_name(name)


def test_what_is_left_out_and_whose_word_the_files_are_is_read_and_written(tmp_path: Path) -> None:
    entries = "- name: a\n  path: x\n  exclude: old/\n- {name: b, path: y, exclude: [c, '*.d']}\n"
    files = files_with(tmp_path, f"{entries}- {{name: e, path: z, exclude: }}\n")
    assert [one.exclude for one in registry.load(files)] == [("old/",), ("c", "*.d"), ()]
    made = KnowledgeBase("c", "/c", "/c", trust="operator", kind="calendar", exclude=("a b/", "#c", "!d"))
    registry.add(files, made)
    assert registry.find(files, "c") == made
    assert raw(files).endswith(b'  trust: operator\n  kind: calendar\n  exclude: [a b/, "#c", "!d"]\n')


def test_adding_appends_and_keeps_every_byte_before_it(tmp_path: Path) -> None:
    files = files_with(tmp_path, WRITTEN)
    registry.add(files, entry("notes", description='says "hi": #1'))
    assert raw(files).startswith(WRITTEN.encode())
    added = registry.find(files, "notes")
    assert (added.path, added.description) == ("/srv/notes", 'says "hi": #1')


@pytest.mark.parametrize("gap", ["", "\n"])
def test_an_entry_stands_as_far_from_the_others_as_they_do(tmp_path: Path, gap: str) -> None:
    listed = [f"- name: {name}\n  path: /srv/{name}\n" for name in ("a", "b")]
    files = files_with(tmp_path, gap.join(listed))
    registry.add(files, entry("c"))
    assert raw(files).decode().startswith(gap.join([*listed, "- name: c\n"]))


def test_removing_takes_the_entry_and_leaves_comments(tmp_path: Path) -> None:
    files = files_with(tmp_path, WRITTEN)
    assert registry.remove(files, "garden").name == "garden"
    text = raw(files).decode()
    assert text == "# what we look at\n\n# paused for the winter\n" + WRITTEN.split("winter\n")[1]
    registry.remove(files, "boat")
    assert raw(files).decode() == "# what we look at\n\n# paused for the winter\n# end of list\n"
    assert registry.load(files) == []


def test_a_missing_registry_is_made_by_the_first_add(tmp_path: Path) -> None:
    files = files_with(tmp_path, None)
    registry.add(files, entry("notes"))
    assert [one.name for one in registry.load(files)] == ["notes"]


def test_a_name_or_a_folder_registered_already_is_refused_and_nothing_changes(tmp_path: Path) -> None:
    files = files_with(tmp_path, WRITTEN)
    for twice in (entry("boat", "/srv/other"), entry("ship", "/srv/boat")):
        with pytest.raises(KbInvalid, match="registered already"):
            registry.add(files, twice)
    assert raw(files) == WRITTEN.encode()


LAYOUTS = [
    "",
    "\n",
    "# c",
    "# c\n",
    "# c\n\n",
    "---\n",
    "---\n# c\n",
    WRITTEN,
    WRITTEN.rstrip("\n"),
    WRITTEN.replace("\n", "\r\n"),
    "\ufeff" + WRITTEN,
    "- name: a\n  path: x\n- name: b\n  path: y\n",
    "- name: a\n  path: x\n- name: b\n  path: y\n\n\n",
    "- name: a\n  path: x\n- name: b\n  path: y\n   ",
    "  - name: a\n    path: x\n\n  # about b\n  - {name: b, path: y}  # flow inside\n",
    "-\n  name: a\n  path: x\n  description: |\n    two\n    lines\n\n\n# after\n- # odd\n  name: b\n  path: 'y'",
    "- name: a\n  path: x\n  description: >-\n    folded\n    text",
    "- {path: x, name: a}",
]


@pytest.mark.parametrize("text", LAYOUTS)
def test_adding_and_removing_again_gives_the_same_bytes(tmp_path: Path, text: str) -> None:
    files = files_with(tmp_path, text)
    before = registry.load(files)
    registry.add(files, entry("zz", description="no: #x"))
    assert registry.load(files)[:-1] == before
    registry.remove(files, "zz")
    assert raw(files) == text.encode()


@pytest.mark.parametrize("text", LAYOUTS)
def test_removing_any_entry_of_any_layout_leaves_the_others(tmp_path: Path, text: str) -> None:
    files = files_with(tmp_path, text)
    left = registry.load(files)
    comments = [line.strip() for line in text.splitlines() if line.lstrip("\ufeff").strip().startswith("#")]
    while left:
        gone = left.pop(0)
        registry.remove(files, gone.name)
        assert registry.load(files) == left
    assert all(comment in raw(files).decode() for comment in comments)


@pytest.mark.parametrize(("text", "left"), [("[]\n", ""), ("# c\n[]   # none yet\n", "# c\n   # none yet\n")])
def test_an_empty_flow_list_gives_way_to_the_first_entry(tmp_path: Path, text: str, left: str) -> None:
    files = files_with(tmp_path, text)
    registry.add(files, entry("notes"))
    registry.add(files, entry("more", "/srv/more"))
    assert [one.name for one in registry.load(files)] == ["notes", "more"]
    registry.remove(files, "more")
    registry.remove(files, "notes")
    assert raw(files).decode() == left


@pytest.mark.parametrize(
    "text",
    [
        "- name: a\n  path: x\n...\n",
        "[ # why\n]\n",
        "[{name: a, path: x}]\n",
        "null\n",
    ],
)
def test_a_layout_that_cannot_be_edited_safely_is_refused_untouched(tmp_path: Path, text: str) -> None:
    files = files_with(tmp_path, text)
    with pytest.raises(KbInvalid, match="cannot be edited") as caught:
        registry.add(files, entry("notes"))
    assert "by hand" in caught.value.fix
    assert raw(files) == text.encode()


def test_entries_in_brackets_are_left_to_their_owner(tmp_path: Path) -> None:
    text = "[{name: a, path: x}, # about b\n {name: b, path: y}]\n"
    files = files_with(tmp_path, text)
    with pytest.raises(KbInvalid, match="cannot be edited"):
        registry.remove(files, "b")
    assert raw(files) == text.encode()


names = st.from_regex(r"[a-z0-9][a-z0-9_-]{0,8}", fullmatch=True)
texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=30).map(lambda text: " ".join(text.split()))
comments = st.lists(st.sampled_from(["", "# one", "  # two", "# - name: no", "   "]), max_size=3)


@st.composite
def registries(draw: st.DrawFn) -> str:
    """Files as people write them: comments anywhere, quotes or none, keys in any order, blank lines or none."""
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    indent = draw(st.sampled_from(["", "  "]))
    lines = [*draw(comments)]
    for number, name in enumerate(draw(st.lists(names, max_size=4, unique=True))):
        pairs = [
            ("name", draw(st.sampled_from(["{}", '"{}"', "'{}'"])).format(name)),
            ("path", f"/kb/{number}"),
            ("description", draw(st.sampled_from(["", "plain text", "'it''s'", '"a # b"']))),
            ("enabled", draw(st.sampled_from(["true", "false"]))),
        ]
        for n, (key, value) in enumerate(draw(st.permutations(pairs))):
            lines.append(f"{indent}{'  ' if n else '- '}{key}: {value}{draw(st.sampled_from(['', '  # why']))}")
        lines += draw(comments)
    return newline.join(lines) + draw(st.sampled_from(["", newline, newline * 2]))


@settings(max_examples=150, deadline=None, derandomize=True)
@given(text=registries(), name=names, description=texts)
def test_add_then_remove_is_the_identity_on_any_file(
    tmp_path_factory: pytest.TempPathFactory,
    text: str,
    name: str,
    description: str,
) -> None:
    files = files_with(tmp_path_factory.mktemp("kb"), text)
    before = registry.load(files)
    if name in [one.name for one in before]:
        registry.remove(files, name)
        assert registry.load(files) == [one for one in before if one.name != name]
        return
    new = KnowledgeBase(name, "/elsewhere", "/elsewhere", description)
    registry.add(files, new)
    assert registry.load(files) == [*before, new]
    registry.remove(files, name)
    assert raw(files) == text.encode()


def _adds(root: str, worker: int) -> None:
    files = Files(Tree(root))
    for number in range(5):
        registry.add(files, entry(f"kb-{worker}-{number}", f"/kb/{worker}/{number}"))


def test_adds_at_once_from_many_processes_lose_nothing(tmp_path: Path) -> None:
    files = files_with(tmp_path, WRITTEN)
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_adds, args=(files.tree.root, n)) for n in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert [worker.exitcode for worker in workers] == [0] * 4
    assert len(registry.load(files)) == 2 + 20
    assert raw(files).startswith(WRITTEN.encode())


def test_a_dry_run_shows_the_same_registry_and_writes_none(tmp_path: Path) -> None:
    real = files_with(tmp_path, WRITTEN)
    dry = Files(real.tree, dry=True)
    registry.add(dry, entry("notes"))
    assert [one.name for one in registry.load(dry)] == ["garden", "boat", "notes"]
    assert raw(real) == WRITTEN.encode()


def test_a_registry_that_is_a_link_is_written_through(tmp_path: Path) -> None:
    files = files_with(tmp_path, None)
    dotfile = tmp_path / "dotfiles.yaml"
    dotfile.write_text("# mine\n")
    Path(files.tree.registry).parent.mkdir(parents=True)
    Path(files.tree.registry).symlink_to(dotfile)
    registry.add(files, entry("notes"))
    assert Path(files.tree.registry).is_symlink()
    assert "name: notes" in dotfile.read_text()


@pytest.mark.parametrize("name", registry.RESERVED)
def test_names_of_who_speaks_name_no_base(tmp_path: Path, name: str) -> None:
    files = files_with(tmp_path, f"- name: {name}\n  path: /srv/notes\n")
    with pytest.raises(FileDamaged, match=f"registry.yaml:1: `{name}`"):
        registry.load(files)
    with pytest.raises(KbInvalid, match=f"`{name}`"):
        registry.check_name(name)


def test_no_base_is_named_as_the_operator_s_own_insights() -> None:
    assert insights.OPERATOR in registry.RESERVED
    assert set(TRUST) <= set(registry.RESERVED)
