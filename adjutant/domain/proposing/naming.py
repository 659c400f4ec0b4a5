"""DOMAIN. Names for what has none yet: a concept after the operator's words, a matter after its notices, a skill."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from adjutant.domain.proposing.lines import operators
from adjutant.domain.recall.classify import UNCATEGORISED, classify
from adjutant.domain.recall.concept import Concept
from adjutant.domain.recall.taxonomy import PREFIX, Scheme
from adjutant.language.detect import language_of
from adjutant.language.likeness import fold
from adjutant.language.stems import stem
from adjutant.language.words import is_idle
from adjutant.records.finding import Finding

LABEL_CHARS, LABEL_WORDS = 40, 4
OTHER_LABELS = 8
ZONE_CHARS = 24
ELSEWHERE = "knowledge"  # where a concept goes that is near to none
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_LABELLED = re.compile(r"^\[([^\]]*)\]\s*")
_HEADED = re.compile(r"^([^:]{2,60}): ")
_KB = re.compile(r"[a-z0-9_-]{1,63}")
_NOT_SLUG = re.compile(r"[^a-z0-9]+")
_SPELLED = str.maketrans({"æ": "ae", "ø": "o", "å": "a", "ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})


class _Said(NamedTuple):
    """A stem, the form in which it is mostly written, and in how many texts it stands."""

    stem: str
    word: str
    texts: int


def slug(text: str) -> str:
    """Small ASCII letters and digits joined by `-`, at most 40 characters; "" where nothing is left."""
    plain = unicodedata.normalize("NFKD", text.casefold().translate(_SPELLED))
    return _NOT_SLUG.sub("-", "".join(char for char in plain if char.isascii())).strip("-")[:40].strip("-")


def telling(texts: Sequence[str]) -> list[_Said]:
    """The words that tell what these texts are about, those of most texts first, then as they come."""
    language = language_of(" ".join(texts), "")
    forms: dict[str, Counter[str]] = {}
    held: Counter[str] = Counter()
    for text in texts:
        found = [word for word in _WORD.findall(text) if len(word) > 2 and not is_idle(word.casefold())]
        held.update({_stem(word, language) for word in found})
        for word in found:
            forms.setdefault(_stem(word, language), Counter())[word] += 1
    order = {each: at for at, each in enumerate(forms)}
    said = [_Said(each, _written(forms[each]), held[each]) for each in forms]
    return sorted(said, key=lambda each: (-each.texts, order[each.stem]))


def _stem(word: str, language: str) -> str:
    return fold(stem(word.casefold(), language))


def _written(forms: Counter[str]) -> str:
    """The commonest form; of those as common, the one in small letters, then the shortest."""
    return min(forms, key=lambda form: (-forms[form], not form.islower(), len(form), form))


# -- concepts ------------------------------------------------------------------------------------------------


def concept(finding: Finding, scheme: Scheme, name: str = "") -> Concept | None:
    """The concept for turns that fit none: called as the operator calls it, below the nearest workload.

    `name`: what to call it instead. None where his words give no name.
    """
    texts = operators(finding.evidence)
    words = telling(texts)
    stems = finding.subject.split()
    named = [each for each in words if any(_meets(each.stem, wanted) for wanted in stems)] or words
    label = _label(name or finding.text) or _label(named[0].word if named else "")
    if not label or not slug(label):
        return None
    language = language_of(" ".join(texts))
    top = nearest(texts, scheme)
    own = {_stem(word, language) for word in _WORD.findall(label)}
    most = max((each.texts for each in words), default=0)
    returns = [each for each in words if each.texts >= max(2, most // 3)]
    others = dict.fromkeys(
        each.word.casefold() if language != "de" else each.word
        for each in (*named, *returns)
        if each.stem not in own and not _elsewhere(each.word, scheme)
    )
    alt = tuple(others)[:OTHER_LABELS]
    return Concept(f"{top}/{slug(label)}", {}, {language: label}, {language: alt} if alt else {}, {}, {}, (top,), ())


def nearest(texts: Sequence[str], scheme: Scheme) -> str:
    """The id of the workload that most of these texts come near to, by what is said in them and is not enough."""
    near: Counter[str] = Counter()
    sure: dict[str, float] = {}
    for text in texts:
        found = classify(text, scheme)
        rated = {found.concept: found.confidence} if found.concept != UNCATEGORISED else {}
        rated |= {each.concept: each.confidence for each in found.alternatives}
        near.update(rated.keys())
        for top, confidence in rated.items():
            sure[top] = sure.get(top, 0.0) + confidence
    best = min(near, key=lambda top: (-near[top], -sure[top], top), default="")
    return best if 2 * near[best] > len(texts) else f"{PREFIX}{ELSEWHERE}"


def _label(text: str) -> str:
    """A short name as a label: one that a person would give, "" for a sentence and for nothing."""
    words = text.strip(" \t.,;:!?\"'").split()
    label = " ".join(words)
    fits = 0 < len(words) <= LABEL_WORDS and 3 <= len(label) <= LABEL_CHARS and label[0].isalpha()
    return label[0].upper() + label[1:] if fits and label.isprintable() else ""


def _meets(one: str, other: str) -> bool:
    """Whether two stems are forms of one word: stemmers of two languages cut differently."""
    short, long = sorted((one, other), key=len)
    return one == other or (len(short) >= 4 and long.startswith(short))


def _elsewhere(word: str, scheme: Scheme) -> bool:
    """Whether a word alone says already that a text is about something else."""
    return classify(word, scheme).concept != UNCATEGORISED


# -- quiet zones ---------------------------------------------------------------------------------------------


def zone(titles: Sequence[str], generic: Callable[[str], bool]) -> str:
    """What to call a matter in the heart after the titles of its notices: the first word that all of them share.

    One word, since a quiet zone mutes whatever holds any of its words; and since the titles may be a stranger's, of
    letters alone. Rather not one of the heading before a colon: that names a whole file. `generic`: whether a word of a
    language tells no thing from another, such as "urgent", which would mute all that is. "" where they share none.
    """
    told = [title for title in titles if title.strip()]
    bare = [_LABELLED.sub("", title) for title in told]
    kbs = {_stem(word, "") for title in told if (match := _LABELLED.match(title)) for word in _WORD.findall(match[1])}
    language = language_of(" ".join(bare), "")
    headings = [match[1] for title in bare if (match := _HEADED.match(title))]
    heads = {_stem(word, language) for heading in headings for word in _WORD.findall(heading)}
    shared = [
        each
        for each in telling(bare)
        if each.texts == len(bare) and 4 <= len(each.word) <= ZONE_CHARS and not generic(each.word.lower())
    ]
    lines = [each for each in shared if each.stem not in heads]
    own = [each for each in lines if not any(_meets(each.stem, kb) for kb in kbs)]
    return next((each.word for each in (*own, *lines, *shared)), "")


def label(titles: Sequence[str]) -> str:
    """The knowledge base that all these notices are of, by the label before each title; "" for several."""
    found = {match[1] if (match := _LABELLED.match(title)) else "" for title in titles}
    name = found.pop() if len(found) == 1 else ""
    return name if _KB.fullmatch(name) else ""


# -- skills --------------------------------------------------------------------------------------------------


def skill(scheme: Scheme, workload: str, texts: Sequence[str], taken: Iterable[str]) -> str:
    """A folder's name for a skill of a workload: what it is about, and what is asked for; none of those `taken`."""
    last = workload.rpartition("/")[2].removeprefix(PREFIX)
    words = [slug(each.word) for each in telling(texts)[:2] if each.texts > 1]
    plain = "-".join(dict.fromkeys(part for part in (slug(last), *words) if part)) or "skill"
    others = set(taken)
    return next(name for name in _numbered(plain) if name not in others)


def _numbered(name: str) -> Iterator[str]:
    yield name
    number = 1
    while True:
        number += 1
        yield f"{name}-{number}"
