"""One line through pulse, ask, search, index and compact: each reads it in the same language, the same way."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.system.world import World

DAY = "2026-11-17"  # a Tuesday; the verbs run on Friday the 20th
# In the child: what the room of language was asked, and what it said. Nothing is kept of what was read before, and
# whoever has taken a function from there gets the one that listens.
EAR = """
import atexit, json, os
from adjutant.language import dates, detect, sentences, stems
ours = [module for name, module in sys.modules.items() if name.startswith("adjutant.")]
for module in ours:
    for value in vars(module).values():
        if hasattr(value, "cache_clear"):
            value.cache_clear()
told = []
def watch(real):
    def heard(text, *more, **named):
        got = real(text, *more, **named)
        told.append([real.__name__, text, json.loads(json.dumps(got, default=str))])
        return got
    for module in ours:
        for name in [name for name, value in vars(module).items() if value is real]:
            setattr(module, name, heard)
for real in (detect.language_of, sentences.sentences, stems.stem, dates.find):
    watch(real)
def write():
    with open(os.environ["EAR"], "w") as file:
        json.dump(told, file)
atexit.register(write)
"""
# Sentences around the line, long enough that a search has to cut between them.
AROUND = {
    "en": "The flour was fresh and the bread was good. The street was empty when we came.",
    "nb": "Melet var ferskt og brødet ble godt. Gaten var tom da vi kom og det regnet.",
    "de": "Das Mehl war frisch und das Brot war gut. Die Straße war leer als wir kamen.",
}


class Said(NamedTuple):
    """A line, and how it has to be read: its sentences, the stems of some words, its date as written and as a day.

    `asked`: a question that names one of its words in another form.
    """

    line: str
    language: str
    sentences: tuple[str, ...]
    stems: dict[str, str]
    asked: str
    written: str = ""
    day: str = ""


LINES = [
    Said(
        "Rechnung von Berg bezahlen",
        "de",
        ("Rechnung von Berg bezahlen",),
        {"rechnung": "rechnung"},
        "Welche Rechnungen sind da?",
    ),
    Said(
        "Ring Larsen innen fredag",
        "nb",
        ("Ring Larsen innen fredag",),
        {"larsen": "lars"},
        "Hva er Larsens nummer?",
        "fredag",
        "2026-11-20",
    ),
    Said(
        "Dr. Berg arrives at 10.30. Bring the keys.",
        "en",
        ("Dr. Berg arrives at 10.30.", "Bring the keys."),
        {"arrives": "arriv", "keys": "key"},
        "Who is arriving?",
    ),
    Said(
        "We will not sell the old vans",
        "en",
        ("We will not sell the old vans",),
        {"vans": "van"},
        "Which van was it?",
    ),
    Said(
        "Der Ofen kommt am 3. Dezember. Wir zahlen Larsen nicht vorher.",
        "de",
        ("Der Ofen kommt am 3. Dezember.", "Wir zahlen Larsen nicht vorher."),
        {"larsen": "lars"},
        "Was ist mit den Öfen?",
        "3. Dezember",
        "2026-12-03",
    ),
]


OURS = re.compile(r"Offline|\.md#\d|\[home\]|\*\*home\*\*")  # our own lines, which quote it


class Heard(NamedTuple):
    """What one verb answered, and what it asked of the language: [function, text, answer]."""

    result: dict[str, Any]
    told: list[list[Any]]

    def about(self, function: str, line: str) -> list[tuple[str, Any]]:
        """The questions whose text holds the line; our own answer, which quotes it, is not among them."""
        held = line.rstrip(".").casefold()
        every = [(text, got) for name, text, got in self.told if name == function and not OURS.search(text)]
        return [(text, got) for text, got in every if held in text.casefold()]

    def languages(self, said: Said) -> set[str]:
        """Of what holds the line; of its sentences where each is asked about alone."""
        whole = {got for _, got in self.about("language_of", said.line)}
        return whole or {got for part in said.sentences for _, got in self.about("language_of", part)}

    def sentences(self, line: str) -> set[str]:
        """The sentences that hold some of the line, without the full stop."""
        every = [part[0].rstrip(".") for _, got in self.about("sentences", line) for part in got]
        return {part for part in every if part in line or line.rstrip(".") in part}

    def stems(self, words: Iterable[str]) -> set[tuple[str, str]]:
        return {(word, got) for name, word, got in self.told if name == "stem" and word in words}

    def dates(self, line: str) -> set[tuple[str, str]]:
        """(as written, month and day) of each date in the line."""
        found = (
            (text[date[0] : date[1]].rstrip("."), date[2][5:]) for text, got in self.about("find", line) for date in got
        )
        return {each for each in found if each[0] in line}


class Room:
    """An instance whose knowledge base and journal hold a line."""

    def __init__(self, world: World, line: str, around: str = "") -> None:
        self.world, self.line = world, line
        world.plant(EAR)
        long = f"{line.rstrip('.')}. {around}" if around else line
        world.knowledge("home", {f"{DAY}.md": f"- [ ] {line}\n\n{long}\n"})
        world.write(f"journal/{DAY}.md", f"## 09:00 Berg\n\n- {around} {long}\n")

    def hear(self, *words: str) -> Heard:
        path = self.world.root.parent / "ear.json"
        result = self.world.result(*words, EAR=str(path))
        return Heard(result, json.loads(path.read_text()))

    def found(self, query: str) -> list[str]:
        """The paths of what a search finds."""
        return [hit["path"] for hit in self.hear("search", query).result["hits"]]

    def verbs(self) -> dict[str, Heard]:
        """What each verb hears of the line."""
        return {
            "index": self.hear("index"),
            "pulse": self.hear("pulse"),
            "search": self.hear("search", self.line),
            "ask": self.hear("ask", self.line),
            "compact": self.hear("compact", "daily", "--date", DAY),
        }

    def summary(self) -> str:
        return self.world.text(f"memory/daily/{DAY}.md")


@pytest.mark.parametrize("each", LINES, ids=lambda each: each.line)
def test_five_verbs_read_a_line_alike(empty: World, each: Said) -> None:
    room = Room(empty, each.line, f"{AROUND[each.language]} " * 6)
    heard = room.verbs()
    same = {"languages": {each.language}, "sentences": {part.rstrip(".") for part in each.sentences}}
    assert {
        verb: {"languages": found.languages(each), "sentences": found.sentences(each.line)}
        for verb, found in heard.items()
    } == dict.fromkeys(heard, same)
    wanted = set(each.stems.items())
    assert [heard[verb].stems(each.stems) for verb in ("pulse", "compact")] == [wanted, wanted]
    assert wanted <= heard["ask"].stems(each.stems)  # which reads its own answer as well, and that is English
    base = f"knowledge_bases/home/{DAY}.md"
    assert base in room.found(each.asked)  # by the index's rows, in another form
    if each.day:
        day = (each.written, each.day[5:])
        assert heard["pulse"].dates(each.line) == {day}
        assert heard["ask"].dates(each.line) == {day}
        assert base in room.found(each.written)
        assert each.written == "fredag" or base in room.found(each.day)
        assert each.written in room.summary()


OPEN = {
    "Waiting for the invoice of Berg": "We are not waiting for the invoice of Berg",
    "Venter på faktura fra Berg": "Vi venter ikke på faktura fra Berg",
    "Warten auf die Rechnung von Berg": "Wir warten nicht auf die Rechnung von Berg",
    "Blocked by the permit of the oven": "We are not blocked by the permit of the oven",
}


@pytest.mark.parametrize(
    ("line", "is_open"), [(each, open) for pair in OPEN.items() for each, open in zip(pair, (True, False), strict=True)]
)
def test_what_is_denied_is_open_for_no_verb(empty: World, line: str, is_open: bool) -> None:
    empty.knowledge("home", {"notes.md": f"{line}\n"})
    empty.write(f"journal/{DAY}.md", f"## 09:00 Berg\n\n- {line}\n")
    pulse = empty.run("pulse", check=0).out
    empty.run("index", check=0)
    empty.run("compact", "daily", "--date", DAY, check=0)
    summary = empty.text(f"memory/daily/{DAY}.md")
    assert ("1 open" in pulse) is is_open
    assert (line in summary.partition("## Open threads")[2]) is is_open
    assert line in empty.result("ask", line)["answer"]
    assert {hit["text"] for hit in empty.result("search", line)["hits"]} >= {line}


SAYS = [
    "We will sell the {}",
    "We will skip {}",
    "Waiting for the {} until 24 November",
    "The {} is late. Call about it.",
]


def test_words_of_one_kind_have_the_same_outcome(empty: World, tmp_path: Path) -> None:
    one, other = (outcomes(empty.copy(tmp_path / word), word) for word in ("car", "van"))
    for verb, found in one.items():
        assert found == other[verb], verb


def outcomes(world: World, word: str) -> dict[str, Any]:
    """What each verb comes to, with a mark in place of the word."""
    lines = [each.replace("{}", word) for each in SAYS]
    world.knowledge("home", {f"{number}.md": f"- [ ] {line}\n\n{line}\n" for number, line in enumerate(lines)})
    world.write(f"journal/{DAY}.md", "## 09:00 Berg\n\n" + "".join(f"- {line}\n" for line in lines))
    found: dict[str, Any] = {"index": world.result("index")["collections"], "pulse": world.run("pulse", check=0).out}
    found["search"] = [world.result("search", line)["hits"] for line in lines]
    asked = [world.result("ask", line) for line in lines]
    found["ask"] = [(each["answer"], each["citations"], each["concept"]) for each in asked]
    world.run("compact", "daily", "--date", DAY, check=0)
    found["compact"] = world.text(f"memory/daily/{DAY}.md").partition("\n---\n")[2]
    for hit in (hit for hits in found["search"] for hit in hits):
        del hit["score"], hit["created_at"]
    ids = {json.loads(line)["id"] for line in world.text("state/matters.jsonl").splitlines()}
    told = re.sub(rf"\b(?:{'|'.join(sorted(ids))})\b", "ID", json.dumps(found))
    marked: dict[str, Any] = json.loads(re.sub(rf"\b{word}\b", "▢", told))
    return marked
