"""OPINION. evolve: how could the changes that rules have drafted be said in better words? Words, and nothing else."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from adjutant.domain.memory.gate import secret_in
from adjutant.judgements.hearing import CheckFailed
from adjutant.language.detect import language_of
from adjutant.language.sentences import sentences
from adjutant.language.stems import telling
from adjutant.language.words import day_names, is_idle
from adjutant.records import finding, suggestion
from adjutant.records import wording as directive
from adjutant.screening.characters import without_controls, without_hidden
from adjutant.screening.fence import Fence
from adjutant.screening.screen import screen

NAME = "evolve"
TEMPLATE = "evolve.md"
TIER = "medium"
TEMPERATURE = 0.3
MAX_TOKENS = 4096
SHOWN_CHARS = 40_000
TITLE_CHARS, TEXT_CHARS, LONGER = 80, 400, 1.5
KNOWN, MOST_NEW = 2 / 3, 3  # of the words that tell: how many must be the draft's, how many may be others
# What stands in a file in a form of its own is not worded: values, labels, steps, what the rules of the pulse read.
WORDED = (suggestion.PROMPT_EDIT, suggestion.PROMOTE, suggestion.MEMORY, suggestion.DIRECTIVE)
TURNING = {  # words that turn what is said about; those of one entry count as one
    name: frozenset(words.split())
    for name, words in {
        "not": """not no never none nobody nothing neither nor without cannot instead ikke ingen ingenting aldri uten
            verken istedenfor nicht kein keine keinen keinem keiner nie niemals niemand nichts ohne weder statt""",
        "more": "more mehr mer flere most meist mest plus",
        "less": "less fewer weniger mindre færre least minus",
        "longer": "long longer lengthy longest lang lange länger lengre",
        "shorter": """short shorter shortest brief
            kurz kürzer kort korte kortere""",
        "before": "before until earlier sooner vor bevor bis früher før inntil tidligere",
        "after": "after since later nach seit später etter siden senere",
        "only": "only just nur bare kun",
        "except": "except but unless außer unless unntatt",
        "too": "too zu altfor",
        "start": "start begin beginne anfangen",
        "stop": "stop end quit cease aufhören slutt",
        "keep": "keep behold",
        "allow": "allow allowed permit may tillat erlaubt",
        "forbid": "forbid forbidden ban forby verboten",
        "first": "first zuerst først",
        "last": "last zuletzt sist",
        "all": "all every each always immer alltid alle",
    }.items()
}
_NUMBERS = """two three four five six seven eight nine ten eleven twelve twenty thirty fifty hundred thousand half
    double twice once zwei drei vier fünf sechs sieben acht neun zehn elf zwölf hundert halb doppelt zweimal einmal tre
    fire fem seks sju syv åtte ni ti elleve tolv hundre halv dobbelt"""
_TURNS = {word: word for word in _NUMBERS.split()} | {word: name for name, words in TURNING.items() for word in words}
_ANSWERED = re.compile(r"(?i)\s*(?:no|nope|nei|neida|nein)[,.!:;–—]\s*")  # says nothing of what comes after it
_CHUNK = re.compile(r"\S+")
_AROUND = ".,;:!?…\"'“”„‘’«»()–—-"
_ODD = re.compile(r"[^\w'’%€$£+,.:-]|_|(?<=[^\W\d])[.:](?=\w)|(?<=\w)[.:](?=[^\W\d])")  # a path, an address, a tag
# A word, or a figure with what belongs to it: 2026-09-01, rc-47.
_MARK = re.compile(r"[^\W_]+(?:['’][^\W_]+|(?:[-.,:/](?=\d)|(?<=\d)[-.,:/])[^\W_]+|-[^\W_]+)*")
_COLON = re.compile(r":[\"'”»)]*\s*$")
_TYPE = re.compile(r"([A-Z]+):\s")


class Drafted(msgspec.Struct, frozen=True):
    """A draft as a model sees it: `quotes` are the operator's own words."""

    key: str
    kind: str
    cause: str
    title: str
    text: str
    effect: str
    quotes: list[str]


class Inputs(msgspec.Struct, frozen=True):
    """What rules have drafted."""

    drafts: list[Drafted]


class Wording(msgspec.Struct, frozen=True):
    """Other words for the draft `key`; "" for what stays as it is."""

    key: str
    title: str
    text: str
    effect: str


class Result(msgspec.Struct, frozen=True):
    """The drafts that are worded otherwise."""

    wordings: list[Wording]


class _Drop(Exception):
    """Words that are not taken, and why."""


def variables(inputs: Inputs, fence: Fence) -> dict[str, Any]:
    """For prompts/evolve.md."""
    shown = "\n\n".join(map(_shown, inputs.drafts))
    return {"drafts": fence.wrap(shown, "the drafts", limit=SHOWN_CHARS)}


def check(inputs: Inputs, result: Result) -> tuple[Result, list[str]]:
    """Only wordings that say what their draft says, and notes of the others. Raises CheckFailed when none is left."""
    known = {each.key: each for each in inputs.drafts}
    kept: list[Wording] = []
    notes: list[str] = []
    for number, wording in enumerate(result.wordings, start=1):
        draft = known.pop(wording.key.strip(), None)
        try:
            if draft is None:
                raise _Drop("no draft that is still open has this key")
            if (found := _standing(wording, draft)) is not None:
                kept.append(found)
        except _Drop as reason:
            notes.append(f"left out: wording {number}, {reason}")
    if notes and not kept:
        raise CheckFailed(
            "no wording is left: keep to the words, names, figures and negations of each draft, one line "
            f"each. {notes[0]}"
        )
    return Result(kept), notes


def rules(inputs: Inputs) -> Result:
    """The drafts stay as they are."""
    return Result([])


def open_text(draft: Drafted) -> bool:
    """Whether the draft has a text that may be said in other words."""
    return (
        draft.kind in WORDED
        and draft.cause != finding.USELESS_NOTICES
        and bool(draft.text.strip())
        and len(draft.text.splitlines()) == 1
    )


def _shown(draft: Drafted) -> str:
    lines = [f"{draft.key} ({draft.kind})", f"title: {_line(draft.title)}"]
    lines += [f"text: {_line(draft.text)}"] if open_text(draft) else []
    lines += [f"effect: {_line(draft.effect)}", *(f"the operator said: {_line(quote)}" for quote in draft.quotes)]
    return "\n".join(lines)


def _line(text: str) -> str:
    return " ".join(text.split())


# -- what of it holds ----------------------------------------------------------------------------------------


def _standing(wording: Wording, draft: Drafted) -> Wording | None:
    """The wording in clean words, None where it changes nothing. Raises _Drop."""
    title, text, effect = (
        "" if new.strip() in ("", old) else new.strip()
        for new, old in ((wording.title, draft.title), (wording.text, draft.text), (wording.effect, draft.effect))
    )
    own = (draft.title, draft.text, draft.effect)
    for what, new, most in (("title", title, TITLE_CHARS), ("effect", effect, _room(draft.effect))):
        if new:
            _is_plain(new, (*own, *draft.quotes), most, what)
            _says_one_of(new, own, what)
    if text:
        if not open_text(draft):
            raise _Drop("its text is not to be worded")
        _is_plain(text, (draft.text, *draft.quotes), _room(draft.text), "text")
        _says_all(text, draft)
    return Wording(draft.key, title, text, effect) if title or text or effect else None


def _room(old: str) -> int:
    return min(TEXT_CHARS, int(LONGER * len(old)))


def _is_plain(new: str, grounds: Sequence[str], most: int, what: str) -> None:
    """One short line in the words of the grounds, that nobody could take for more than words. Raises _Drop."""
    if len(new) > most:
        raise _Drop(f"the {what} is longer than {most} characters")
    if len(new.splitlines()) != 1 or without_hidden(without_controls(new)) != new:
        raise _Drop(f"the {what} is no plain line")
    if not new[0].isalnum() and not any(each.startswith(new[0]) for each in grounds):
        raise _Drop(f"the {what} begins with a mark")
    if screen(new):
        raise _Drop(f"the {what} reads like an instruction to the assistant")
    if kind := secret_in(new):
        raise _Drop(f"the {what} holds {kind}")
    if any(_ODD.search(chunk) for chunk in set(_chunks(new)).difference(*map(_chunks, grounds))):
        raise _Drop(f"the {what} holds an address, path or tag that was not there")
    whole = "\n".join(grounds)
    language = language_of(whole, "")
    told = telling(new, language)
    other = told - telling(whole, language)
    if not told or len(other) > min(MOST_NEW, (1 - KNOWN) * len(told)) or _strange(new, whole):
        raise _Drop(f"the {what} says what neither the draft nor the operator says")


def _chunks(text: str) -> list[str]:
    return [core for chunk in _CHUNK.findall(text) if (core := chunk.strip(_AROUND))]


def _says_all(text: str, draft: Drafted) -> None:
    """Every name, figure and turn of the draft's text, in its order. Raises _Drop."""
    if _type(text) != _type(draft.text) or (
        _type(text) and directive.problem(directive.collapsed(text.partition(":")[2]))
    ):
        raise _Drop("the text is another directive")
    names = _names((draft.text, *draft.quotes))
    if not _in_order(_marks(draft.text, names), _marks(text, names)) or _turns(text) != _turns(draft.text):
        raise _Drop("the text turns, reorders or leaves out what is said")


def _says_one_of(new: str, own: Sequence[str], what: str) -> None:
    """The names and figures of one of the draft's own lines, turned as there, in its order. Raises _Drop."""
    names = _names(own)
    if not any(_in_order(_marks(new, names), _marks(each, names)) and _turns(new) == _turns(each) for each in own):
        raise _Drop(f"the {what} turns or reorders what is said")


def _type(text: str) -> str:
    match = _TYPE.match(text)
    return match[1] if match and match[1] in directive.TYPES else ""


def _turns(text: str) -> Counter[str]:
    return Counter(turn for word in _words(text) if (turn := _turn(word)))


def _turn(word: str) -> str:
    return "not" if word.endswith("n't") else _TURNS.get(word, word if word in day_names() else "")


def _words(text: str) -> list[str]:
    """The words of a text in small letters, figures with what belongs to them; without a "no" that only answers."""
    return _MARK.findall(_ANSWERED.sub("", text, count=1).casefold().replace("’", "'"))


def _strange(new: str, grounds: str) -> set[str]:
    """The names and figures that do not stand in the grounds."""
    language = language_of(grounds, "")
    there, stems = {mark.casefold() for mark in _MARK.findall(grounds)}, telling(grounds, language)

    def ordinary(word: str) -> bool:
        return is_idle(word) or (bool(found := telling(word, language)) and found <= stems)

    return {
        mark
        for mark, first in _marked(new)
        if mark.casefold() not in there and not (first and ordinary(mark.casefold()))
    }


def _names(texts: Iterable[str]) -> frozenset[str]:
    """What is written with a capital where no sentence begins, in small letters."""
    return frozenset(mark.casefold() for text in texts for mark, first in _marked(text) if not first)


def _marked(text: str) -> Iterator[tuple[str, bool]]:
    """(word with a capital or figure in it, whether it is a plain word that a sentence begins with)."""
    starts = [each.start for each in sentences(text)]
    for match in _MARK.finditer(text):
        word, before = match.group(), text[: match.start()]
        sentence = before[max((start for start in starts if start <= match.start()), default=0) :]
        begins = not sentence.strip(_AROUND + " ") or bool(_COLON.search(before))
        if word != word.casefold() or any(map(str.isdigit, word)):
            yield word, begins and word[1:] == word[1:].lower() and word.isalpha()


def _marks(text: str, names: frozenset[str]) -> list[str]:
    """The figures, the turns, and the names among `names`, in their order."""
    return [_turn(word) or word for word in _words(text) if _turn(word) or word in names or any(map(str.isdigit, word))]


def _in_order(few: Sequence[str], many: Sequence[str]) -> bool:
    """Whether each of the few stands among the many, one behind the other."""
    left = iter(many)
    return all(each in left for each in few)
