"""LANGUAGE. Words that mean much the same: for a search that finds nothing certain by the words of a question itself.

data/<code>/synonyms.txt holds a group a line; one sense of a word is one group. They decide nothing: what is found by
them is worth less than what is found by the words themselves.
"""

import msgspec

from adjutant.language.pack import cached
from adjutant.language.stems import stem
from adjutant.store import package

COMPILED = ("language", "synonyms.json")  # the same groups by stem: to stem all of them takes half a second
NAME = "synonyms.txt"


class Groups(msgspec.Struct, frozen=True):
    """The groups of one language, words apart by blanks; the stem of a word and the groups it is in."""

    groups: tuple[str, ...] = ()
    stems: dict[str, tuple[int, ...]] = {}


@cached(1)
def load() -> dict[str, Groups]:
    """{code: groups} of the package. Raises OSError, msgspec.DecodeError."""
    return msgspec.json.decode(package.read(*COMPILED), type=dict[str, Groups])


def find(word: str, code: str) -> tuple[str, ...]:
    """The words that mean much the same in a language, its own forms left out."""
    held, own = load().get(code, Groups()), stem(word, code)
    several = (other for number in held.stems.get(own, ()) for other in held.groups[number].split())
    return tuple(dict.fromkeys(other for other in several if stem(other, code) != own))


def compile_groups() -> str:
    """What synonyms.json is to hold, made from the text files of the languages."""
    made = dict[str, Groups]()
    for code in package.names("language", "data"):
        if "." in code or NAME not in package.names("language", "data", code):
            continue
        lines = package.text("language", "data", code, NAME).splitlines()
        groups = [line for line in lines if line.strip() and not line.startswith("#")]
        found = dict[str, tuple[int, ...]]()
        for number, group in enumerate(groups):
            for each in sorted({stem(word, code) for word in group.split()}):
                found[each] = (*found.get(each, ()), number)
        made[code] = Groups(tuple(groups), found)
    return msgspec.json.encode(made).decode()
