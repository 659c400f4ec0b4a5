"""One writer, one namer, one way out for text, one reader of the environment and of the clock."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator

import pytest

from adjutant.store.tree import Tree
from tests.laws.source import Module, called, package, planted, without_docstrings

WRITER = "adjutant.store.files"
DISK = "adjutant.store.disk"  # the calls that the writer is made of
SCRATCH = "adjutant.children.scratch"  # folders for children, outside of every tree
ARCHIVE = "adjutant.store.archive"  # a backup beside the instance, and a folder that is none yet
NAMER = "adjutant.store.tree"
WIRING = ("adjutant.wire", "adjutant.place")
TERMINAL, BOT_API = "adjutant.terminal", "adjutant.channels.telegram"
# programs of their own: what they say is read by child.run
PROGRAMS = ("adjutant.children.warden", "adjutant.children.recurrences", "adjutant.channels.posting")

# -- one writer ----------------------------------------------------------------------------------------------

CHANGING = {
    f"os.{name}"
    for name in (
        "rename",
        "renames",
        "replace",
        "unlink",
        "remove",
        "rmdir",
        "removedirs",
        "mkdir",
        "makedirs",
        "link",
        "symlink",
        "truncate",
        "ftruncate",
        "mkfifo",
        "mknod",
        "chmod",
        "utime",
        "fdopen",
    )
}
CHANGING_METHODS = ("write_text", "write_bytes", "unlink", "rmdir", "mkdir", "symlink_to", "hardlink_to", "rename")
FLAGS = {"O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC", "O_APPEND", "O_EXCL"}
CHANGING_MODULES = {"shutil", "tempfile", "fileinput", "mmap", "dbm", "shelve"}


def writes(module: Module) -> Iterator[str]:
    """Where a module opens for writing, renames, unlinks or makes something on disk."""
    for node in ast.walk(module.tree):
        line = f"{module.name}:{getattr(node, 'lineno', 0)}"
        if isinstance(node, ast.Call):
            name = called(node)
            ours = name.startswith(("files.", "self.files.", "self._files.", "app.files."))
            if name in CHANGING or (name.split(".")[-1] in CHANGING_METHODS and not ours and name.count(".")):
                yield f"{line}: {name}"
            if name.split(".")[-1] == "open" and name != "os.open" and _mode(node):
                yield f"{line}: {name} for writing"
            if name == "os.open" and _flags(node) and ast.unparse(node.args[0]) != "os.devnull":
                yield f"{line}: {name} for writing"
        elif isinstance(node, ast.Import | ast.ImportFrom):
            named = [a.name for a in node.names] if isinstance(node, ast.Import) else [str(node.module)]
            yield from (f"{line}: {name}" for name in named if name in CHANGING_MODULES)


def _mode(node: ast.Call) -> bool:
    given = [*node.args[:2], *(word.value for word in node.keywords if word.arg == "mode")]
    modes = [arg.value for arg in given if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
    return any(len(mode) <= 3 and set(mode) & set("wax+") and set(mode) <= set("rwaxbt+U") for mode in modes)


def _flags(node: ast.Call) -> bool:
    return any(isinstance(inner, ast.Attribute) and inner.attr in FLAGS for inner in ast.walk(node))


def test_only_the_one_writer_writes() -> None:
    others = [module for module in package().values() if module.name not in (WRITER, DISK, SCRATCH, ARCHIVE)]
    assert not [each for module in others for each in writes(module)]


def test_the_writer_is_seen_writing() -> None:
    assert len(list(writes(package()[WRITER]))) > 6


# -- one namer -----------------------------------------------------------------------------------------------

_TREE = {name: value for name, value in vars(Tree("/r")).items() if isinstance(value, str) and value.startswith("/r/")}
TOP = {value.split("/")[2] for value in _TREE.values()}  # state, journal, PAUSED, ...
LEAVES = {value.rpartition("/")[2] for value in _TREE.values() if "." in value.rpartition("/")[2].lstrip(".")}


def spelled(module: Module) -> Iterator[str]:
    """Where a module puts a path of the tree together by itself.

    A path is spelled where text that starts with "/" follows `tree.x`, `root` or the like in an f-string or a sum, and
    where os.path.join begins with one. Messages that name a file, and names that are compared, are no paths.
    """
    for node in ast.walk(without_docstrings(module)):
        line = f"{module.name}:{getattr(node, 'lineno', 0)}"
        if isinstance(node, ast.JoinedStr):
            for before, after in zip(node.values, node.values[1:], strict=False):
                if isinstance(before, ast.FormattedValue) and _begins(before.value, after):
                    yield f"{line}: {ast.unparse(node)}"
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and _begins(node.left, node.right):
            yield f"{line}: {ast.unparse(node)}"
        elif isinstance(node, ast.Call) and called(node) == "os.path.join" and len(node.args) > 1:
            words = [arg.value for arg in node.args[1:] if isinstance(arg, ast.Constant)]
            if _of_tree(node.args[0]) or any(word in TOP | LEAVES for word in words):
                yield f"{line}: {ast.unparse(node)}"


def _of_tree(value: ast.expr) -> bool:
    """`tree.x`, `app.tree.x`, `self._tree.x`; a method's answer is a path, not a folder to add to."""
    return isinstance(value, ast.Attribute) and ast.unparse(value.value).rpartition(".")[2].lstrip("_") == "tree"


def _begins(value: ast.expr, after: ast.expr) -> bool:
    if not (isinstance(after, ast.Constant) and isinstance(after.value, str) and after.value.startswith("/")):
        return False
    first = after.value[1:].split("/")[0]
    return _of_tree(value) or first in TOP or after.value.rpartition("/")[2] in LEAVES


def test_only_the_one_namer_spells_paths() -> None:
    assert not [each for module in package().values() if module.name != NAMER for each in spelled(module)]


def test_the_namer_is_seen_spelling() -> None:
    assert len(list(spelled(package()[NAMER]))) > 20


def test_the_paths_of_the_namer_are_known() -> None:
    assert len(_TREE) > 60
    assert {"state", "journal", "PAUSED"} <= TOP


# -- one reader of the environment and of the clock ----------------------------------------------------------

CLOCKS = {"time.time", "time.time_ns", "time.localtime", "time.gmtime", "time.ctime", "time.strftime"}
NOWS = ("datetime.now", "datetime.today", "datetime.utcnow", "date.today")


def asks(module: Module) -> Iterator[str]:
    """Where a module reads the environment or the wall clock."""
    for node in ast.walk(module.tree):
        line = f"{module.name}:{getattr(node, 'lineno', 0)}"
        if isinstance(node, ast.Attribute | ast.Name):
            name = ast.unparse(node)
            if name in ("os.environ", "os.environb", "os.getenv", "environ") or name in CLOCKS or name.endswith(NOWS):
                yield f"{line}: {name}"
        elif isinstance(node, ast.ImportFrom) and node.module in ("os", "time"):
            yield from (f"{line}: {a.name}" for a in node.names if a.name in ("environ", "getenv", "time", "time_ns"))


def test_only_the_wiring_reads_the_environment_and_the_clock() -> None:
    assert not [each for module in package().values() if module.name not in WIRING for each in asks(module)]


def test_the_wiring_is_seen_reading_both() -> None:
    found = " ".join(asks(package()["adjutant.wire"]))
    assert "os.environ" in found
    assert "time.time" in found


# -- one way out for text: to the terminal, to the chat ------------------------------------------------------

PRINTING = (
    "print",
    "sys.stdout.write",
    "sys.stderr.write",
    "stdout.write",
    "stderr.write",
    ".print_help",
    "warnings.warn",
)
# Methods of the Bot API that put words before a person: sendMessage, editMessageText, setMyCommands ...
SENDING = re.compile(r"(?:send|edit|answer|copy|forward|set)[A-Z][A-Za-z]+")


def tells(module: Module) -> Iterator[str]:
    """Where a module prints, or names a method that puts words into a chat."""
    for node in ast.walk(without_docstrings(module)):
        line = f"{module.name}:{getattr(node, 'lineno', 0)}"
        if isinstance(node, ast.Call) and (called(node) in PRINTING or _of_stream(node)):
            yield f"{line}: {called(node)}"
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and SENDING.fullmatch(node.value):
            yield f"{line}: {node.value}"


def _of_stream(node: ast.Call) -> bool:
    """`os.write(1, ...)`: a number in place of a file that was opened."""
    return called(node) == "os.write" and isinstance(node.args[0], ast.Constant)


def test_text_leaves_by_one_way_for_the_terminal_and_one_for_the_chat() -> None:
    others = [module for name, module in package().items() if name not in (TERMINAL, BOT_API, *PROGRAMS)]
    assert not [each for module in others for each in tells(module)]


def test_the_message_of_the_bot_api_is_built_in_one_function() -> None:
    methods = {each.partition(": ")[2] for each in tells(package()[BOT_API])}
    assert methods == {"sendMessage", "editMessageText", "answerCallbackQuery"}, "a message, another, a button's"
    whole = package()[BOT_API].text
    assert whole.count("self.call(") == 3, "and one that asks for what has come"
    assert whole.count("code_entities(") == 1
    assert package()[TERMINAL].text.count(".write(") == 1


# -- the laws find what is planted ---------------------------------------------------------------------------

Law = Callable[[Module], Iterator[str]]
PLANTED: tuple[tuple[Law, str], ...] = (
    (writes, 'open(path, "w")'),
    (writes, 'open(path, mode="ab")'),
    (writes, 'gzip.open(path, "wb")'),
    (writes, "os.open(path, os.O_WRONLY | os.O_CREAT)"),
    (writes, "os.replace(a, b)"),
    (writes, "os.unlink(a)"),
    (writes, "os.makedirs(a)"),
    (writes, "import shutil"),
    (writes, "from tempfile import mkstemp"),
    (writes, 'Path("x").write_text("y")'),
    (writes, "here.unlink()"),
    (spelled, 'path = f"{tree.state}/mine.json"'),
    (spelled, 'path = f"{app.tree.pending}/{name}"'),
    (spelled, 'path = f"{root}/state/mine.json"'),
    (spelled, 'path = app.tree.state + "/mine.json"'),
    (spelled, 'path = os.path.join(self._tree.root, "x")'),
    (spelled, 'path = os.path.join(folder, "insights", name)'),
    (spelled, 'path = f"{folder}/actions.jsonl"'),
    (tells, 'print("x")'),
    (tells, 'sys.stderr.write("x")'),
    (tells, 'os.write(2, b"x")'),
    (tells, 'self._line.call("editMessageText", payload, 1, 1)'),
    (asks, 'os.environ["HOME"]'),
    (asks, 'os.getenv("HOME")'),
    (asks, "from os import environ"),
    (asks, "time.time()"),
    (asks, "from time import time"),
    (asks, "datetime.now(UTC)"),
    (asks, "datetime.date.today()"),
)


@pytest.mark.parametrize(("law", "text"), PLANTED, ids=lambda part: part if isinstance(part, str) else part.__name__)
def test_a_planted_defect_is_found(law: Law, text: str) -> None:
    assert list(law(planted(text)))


INNOCENT: tuple[tuple[Law, str], ...] = (
    (writes, 'open(path)\nopen(path, "rb")\nos.open(path, os.O_RDONLY)\nos.open(os.devnull, os.O_WRONLY)'),
    (writes, "app.files.remove(path)\nself._files.move(a, b)\ntext.replace('a', 'b')"),
    (spelled, 'say(f"{name}: see state/conflicts/")\npath = tree.run_file(run, name)\nmessage = f"{kb}/{path}"'),
    (asks, "clock.now()\ntime.monotonic()\nnow.strftime('%H')"),
)


@pytest.mark.parametrize(("law", "text"), INNOCENT, ids=lambda part: "" if isinstance(part, str) else part.__name__)
def test_what_is_no_defect_is_let_be(law: Law, text: str) -> None:
    assert not list(law(planted(text)))
