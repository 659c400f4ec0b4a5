"""LAW. Sentences, stems, languages and the names of days are told in adjutant/language alone."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator

import pytest

from adjutant.language.pack import packs
from adjutant.language.words import day_names
from tests.laws.source import Module, package, planted

ROOM = "adjutant.language"
ALLOWED = {"adjutant.screening.screen": "it looks for attacks: a `Dr.` of theirs must not lengthen a sentence"}
CUTS = ("split", "rsplit", "partition", "rpartition")
MOST_DAYS = 2  # names of weekdays or months that one place in Python may hold
_CLASS = re.compile(r"\[(?!\^)((?:\\.|[^\]\\])*)\]")
# `[.!?]` and what follows it: the end of a group, marks that close, then a blank.
_STOP = re.compile(_CLASS.pattern + r"[+*)]*(?:\[(?:\\.|[^\]\\])*\][*+]*)?(?:\(\?=)?(?:\\s|\\n| |\[ )")
_WORD = re.compile(r"[^\W\d_]+")


def splitters(module: Module) -> Iterator[int]:
    """Lines with a pattern that knows where a sentence ends, or with a text that is cut at ". "."""
    for node in _strings(module):
        ends = _STOP.findall(node.value) + [
            inside for inside in _CLASS.findall(node.value) if re.search(r"\\n|\n", inside)
        ]
        if any({".", "!", "?"} <= {*inside} for inside in ends):
            yield node.lineno
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CUTS and node.args:
            at = node.args[0].value if isinstance(node.args[0], ast.Constant) else None
            if isinstance(at, str) and re.fullmatch(r"[.!?]\s+", at):
                yield node.lineno


def stemmers(module: Module) -> Iterator[int]:
    """Lines that name the package of stemmers."""
    for number, line in enumerate(module.text.splitlines(), 1):
        if "snowballstemmer" in line:
            yield number


def guesses(module: Module) -> Iterator[int]:
    """Lines with words or letters of their own for each of our languages; functions that are named as a guess."""
    codes = set(packs())
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Dict):
            keys = {key.value for key in node.keys if isinstance(key, ast.Constant) and isinstance(key.value, str)}
            if len(keys & codes) > 1:
                yield node.lineno
        elif isinstance(node, ast.FunctionDef) and re.fullmatch(r"_*language(?:_of)?", node.name):
            yield node.lineno
    letters = [entry for pack in packs().values() if (entry := pack.lists["words"].get("letters"))]
    for node in _strings(module):
        classes = _CLASS.findall(node.value)
        if any(set(inside) == set("".join(letters)) or inside in letters for inside in classes):
            yield node.lineno


def calendars(module: Module) -> Iterator[int]:
    """Lines with a list of weekdays or months, in a text or in a collection."""
    for node in _strings(module):
        if _days(node.value) > MOST_DAYS:
            yield node.lineno
    for node in ast.walk(module.tree):
        if isinstance(node, ast.List | ast.Tuple | ast.Set | ast.Dict):
            parts = node.keys if isinstance(node, ast.Dict) else node.elts
            said = [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]
            if _days(" ".join(said)) > MOST_DAYS:
                yield node.lineno


def _days(text: str) -> int:
    return len({word for word in _WORD.findall(text.lower()) if word in day_names()})


def _strings(module: Module) -> Iterator[ast.Constant]:
    """The texts of a module that are no docstring."""
    docs = {id(node.value) for node in ast.walk(module.tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            yield node


LAWS: dict[str, Callable[[Module], Iterator[int]]] = {
    "sentences": splitters,
    "stems": stemmers,
    "languages": guesses,
    "days": calendars,
}


@pytest.mark.parametrize("law", LAWS)
def test_nobody_else_does_the_work_of_the_room(law: str) -> None:
    others = {name: module for name, module in package().items() if not name.startswith(ROOM) and name not in ALLOWED}
    found = {name: list(LAWS[law](module)) for name, module in others.items()}
    assert not {name: lines for name, lines in found.items() if lines}


def test_each_exception_is_still_one() -> None:
    assert all(any(any(law(package()[name])) for law in LAWS.values()) for name in ALLOWED)


COPIES = {
    "behind a full stop": ("sentences", r'X = re.compile(r"(?<=[.!?…])\s+")'),
    "before a blank": ("sentences", r'X = re.compile(r"(.+?)(?:([.!?…]+)(?=\s|$)|\n|$)")'),
    "with what closes": ("sentences", r"""X = re.compile(r"(\S*[.!?…])[\"')\]]*\s+(?=[A-Z])")"""),
    "with semicolons": ("sentences", r'X = re.compile(r"(?<=[.!?;])[ \t]+(?=[^\W\d_])")'),
    "at any stop or line end": ("sentences", r'X = re.compile("[\n.!?;]")'),
    "by hand": ("sentences", 'X = text.split(". ")[0]'),
    "the whole package": ("stems", "import snowballstemmer"),
    "inside a function": ("stems", "def f():\n    from snowballstemmer.english_stemmer import EnglishStemmer"),
    "by its name": ("stems", 'X = find_spec("snowballstemmer")'),
    "a function of its own": ("languages", "def _language(text):\n    return 'de' if 'ß' in text else ''"),
    "words by language": ("languages", 'X = {"en": "the of".split(), "de": "der die".split()}'),
    "letters": ("languages", 'X = re.compile("[æøåäöüß]")'),
    "months": ("days", 'X = "jan january februar mars mai".split()'),
    "weekdays": ("days", 'X = ("monday", "tuesday", "wednesday")'),
    "weekdays in a pattern": ("days", 'X = re.compile("(?:mandag|tirsdag|fredag)s?")'),
    "days by number": ("days", 'X = {"montag": 0, "dienstag": 1, "mittwoch": 2}'),
}


@pytest.mark.parametrize(("law", "text"), COPIES.values(), ids=COPIES.keys())
def test_a_planted_copy_is_found(law: str, text: str) -> None:
    assert list(LAWS[law](planted(text, "adjutant.domain.x")))
