"""DOMAIN. Words on their way into a file that prompts are made of: whether they may stand there, whose they are."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from typing import NamedTuple

from adjutant.documents import frontmatter
from adjutant.domain.memory.gate import secret_in
from adjutant.domain.recall.classify import UNCATEGORISED, classify
from adjutant.domain.recall.concept import Concept
from adjutant.domain.recall.taxonomy import PREFIX, Scheme
from adjutant.language import likeness
from adjutant.language.agreement import share
from adjutant.language.detect import language_of
from adjutant.language.sentences import sentences
from adjutant.ports import TRUST
from adjutant.records import wording
from adjutant.records.finding import Quote
from adjutant.records.sections import closed
from adjutant.screening.characters import without_controls, without_hidden
from adjutant.screening.screen import screen

MOST = 320  # characters of a line that is added
TITLE = 80
GROUNDED = 2 / 3  # of a line's content stems: so many the operator has said
LABEL_CHARS, LABEL_WORDS, OTHER_LABELS = 40, 4, 8
ELSEWHERE = "knowledge"  # where a concept goes that is near to none
MOST_STEPS, MOST_REQUESTS, REQUEST_CHARS, DESCRIPTION_CHARS = 12, 4, 160, 300
DRAFT = "A draft from your own words. Read it, correct it, and take this line out."
_MARK = re.compile(r"(?:(?:[-*+•>|#]+|\d{1,3}[.)]|\[[ xX]?\])[ \t]+)+")
_MARKUP = re.compile(r"<!--|-->|```|~~~|<\s*/?\s*[A-Za-z!][^<>]*>")
_STEP = re.compile(r"(?:^|(?<=\s))(?:\d{1,2}[.)](?=\s)|→|->)\s*")
_NOT_SLUG = re.compile(r"[^a-z0-9]+")
_SPELLED = str.maketrans({"æ": "ae", "ø": "o", "å": "a", "ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})
_ENDS = " \t.,;:–—-"


def flatten(text: str) -> str:
    """A text as one line: blanks collapsed, no mark of a list, heading or quote before it."""
    line = " ".join(text.split())
    match = _MARK.match(line)
    return line[match.end() :] if match else line


def find_problem(line: str, own: Mapping[str, str]) -> str:
    """Why a line may stand in no such file, "" where it may. `own`: {value: name} of secrets; none is repeated."""
    if not any(char.isalnum() for char in line):
        return "there are no words to write"
    if len(line) > MOST:
        return f"{len(line)} characters are no line; {MOST} are allowed"
    if "\n" in line or without_hidden(without_controls(line)) != line or wording.find_hidden(line):
        return "it holds control characters, or some that cannot be seen"
    if kind := secret_in(line, own):
        return f"it holds {kind}"
    if closed(line) != line or _MARKUP.search(line):
        return "it could open or close a part of a prompt"
    if hits := screen(line):
        return f"it reads like an instruction to the assistant ({hits[0].reason})"
    return ""


# -- whose they are ------------------------------------------------------------------------------------------


def is_his(line: str, evidence: Iterable[Quote]) -> bool:
    """Whether a line is the operator's: most of its words stand in what he said, and none but he said the others."""
    said = read_own(evidence)
    return bool(said) and (is_verbatim(line, evidence) or share(line, " ".join(said))[0] >= GROUNDED)


def is_whole(line: str, evidence: Iterable[Quote]) -> bool:
    """Whether all that a line says stands in what the operator said: function words and inflection do not count."""
    return is_verbatim(line, evidence) or (is_his(line, evidence) and not share(line, " ".join(read_own(evidence)))[1])


def is_verbatim(line: str, evidence: Iterable[Quote]) -> bool:
    """Whether a line stands as it is in something that the operator said."""
    wanted = line.rstrip(_ENDS).casefold()
    return bool(wanted) and any(wanted in said.casefold() for said in read_own(evidence))


def read_own(evidence: Iterable[Quote]) -> list[str]:
    """What the operator said, each quote as one line; what he quoted in it is not his."""
    his = [quote.text.split("\n") for quote in evidence if quote.trust == TRUST[0]]
    own = [" ".join(line for line in lines if not line.lstrip().startswith((">", "|"))) for lines in his]
    return [line for each in own if (line := " ".join(each.split()))]


# -- what is shown -------------------------------------------------------------------------------------------


def shorten(text: str, room: int) -> str:
    """At most `room` characters of a line, cut at a word, an ellipsis for what is left out."""
    line = " ".join(text.split())
    if len(line) <= room:
        return line
    cut = line[: max(room - 1, 1)]
    head = cut.rpartition(" ")[0]
    return (head if len(head) > room // 2 else cut).rstrip(_ENDS) + "…"


def make_title(before: str, words: str, after: str = "") -> str:
    """`before "words" after` in one line of at most TITLE characters; the words are cut, nothing else."""
    left = TITLE - len(before) - len(after) - 2
    return f'{before}"{shorten(words, max(left, 8))}"{after}'[:TITLE]


def cut_passage(text: str, wanted: str) -> str:
    """One line of a document: `wanted` where it stands in it, else all of it, else its first sentences that fit."""
    line, told = flatten(text), flatten(wanted)
    if told and told in line and len(told) <= MOST:
        return told
    if len(line) <= MOST:
        return line
    return line[: max((each.end for each in sentences(line) if each.end <= MOST), default=0)]


# -- names ---------------------------------------------------------------------------------------------------


def slug(text: str) -> str:
    """Small ASCII letters and digits joined by `-`, at most 40 characters; "" where nothing is left."""
    plain = unicodedata.normalize("NFKD", text.casefold().translate(_SPELLED))
    return _NOT_SLUG.sub("-", "".join(char for char in plain if char.isascii())).strip("-")[:40].strip("-")


def make_concept(words: str, texts: Sequence[str], scheme: Scheme) -> Concept | None:
    """The concept for turns that fit none, below the nearest workload. `words`: its name, and other words for it behind
    commas; `texts`: the operator's. None where the name is none."""
    labels = [label for each in words.split(",") if (label := _label(each))]
    if not labels or not slug(labels[0]):
        return None
    language, top = language_of(" ".join(texts)), nearest(texts, scheme)
    others = tuple(dict.fromkeys(each.casefold() if language != "de" else each for each in labels[1:]))[:OTHER_LABELS]
    alt = {language: others} if others else {}
    return Concept(f"{top}/{slug(labels[0])}", {}, {language: labels[0]}, alt, {}, {}, (top,), ())


def nearest(texts: Sequence[str], scheme: Scheme) -> str:
    """The id of the workload that most of these texts come near to, by what is said in them and is not enough."""
    near: Counter[str] = Counter()
    for text in texts:
        found = classify(text, scheme)
        near.update({found.concept, *(each.concept for each in found.alternatives)} - {UNCATEGORISED})
    best = min(near, key=lambda top: (-near[top], top), default="")
    return best if 2 * near[best] > len(texts) else f"{PREFIX}{ELSEWHERE}"


def _label(text: str) -> str:
    """A short name as a label: one that a person would give, "" for a sentence and for nothing."""
    words = text.strip(" \t.,;:!?\"'").split()
    label = " ".join(words)
    fits = 0 < len(words) <= LABEL_WORDS and 3 <= len(label) <= LABEL_CHARS and label[0].isalpha()
    return label[0].upper() + label[1:] if fits and label.isprintable() else ""


def name_skill(workload: str, taken: Iterable[str]) -> str:
    """A folder's name for a skill of a workload; none of those `taken`."""
    plain, others = slug(workload.rpartition("/")[2].removeprefix(PREFIX)) or "skill", set(taken)
    return plain if plain not in others else next(f"{plain}-{n}" for n in count(2) if f"{plain}-{n}" not in others)


# -- a drafted SKILL.md: the operator's requests and the steps that he numbered ------------------------------------


class Dictated(NamedTuple):
    """What of the operator's words asks, and what tells how: each step once, in its order."""

    requests: tuple[str, ...]
    steps: tuple[str, ...]


def read_dictated(texts: Iterable[str]) -> Dictated:
    """Requests and steps in what the operator said, the longest sequence of steps before the others."""
    split = [_split_steps(text) for text in texts]
    steps = [step for _, sequence in sorted(split, key=lambda each: -len(each[1])) for step in sequence]
    requests = _without_doubles([request for request, _ in split if request])
    return Dictated(requests[:MOST_REQUESTS], _without_doubles(steps)[:MOST_STEPS])


def _without_doubles(texts: Sequence[str]) -> tuple[str, ...]:
    kept: list[str] = []
    for text in texts:
        if not any(likeness.same(text, other) for other in kept):
            kept.append(text)
    return tuple(kept)


def _split_steps(text: str) -> tuple[str, list[str]]:
    """(the request, the steps) of one text; no steps where it numbers none."""
    begins = list(_STEP.finditer(text))
    if len(begins) < 2:
        return text.strip() if "?" in text else text.strip(_ENDS), []
    head, body = text[: begins[0].start()].strip(_ENDS), text[begins[0].end() :]
    return head, [step for part in _STEP.split(body) if (step := part.strip(_ENDS)) and any(map(str.isalnum, step))]


def render_skill(name: str, label: str, workload: str, requests: Sequence[str], steps: Sequence[str]) -> str:
    """The text of the file. `label`: of the workload; `workload`: its id without prefix."""
    asked = "; ".join(shorten(each, REQUEST_CHARS) for each in requests)
    about = shorten(f"{label}, for requests such as: {asked}" if asked else label, DESCRIPTION_CHARS)
    head = frontmatter.dump({"name": name, "description": about, "workload": workload})
    parts = [f"---\n{head}---\n", f"# {name}\n", f"{DRAFT}\n"]
    if requests:
        parts += ["## When\n", "".join(f"- {each}\n" for each in requests)]
    parts.append("## Steps\n")
    numbered = "".join(f"{number}. {step}\n" for number, step in enumerate(steps, start=1))
    parts.append(numbered or "You have not said yet how it is done.\n")
    return "\n".join(parts)
