"""DOMAIN. What the operator's next message says of the answer before it: that it was wrong, or is asked for again.

Words alone decide, where a clause begins. A wrong alarm costs more than one that is
missed: what comes of it is read as the operator's own complaint. tests/domain/interactions/follow_ups.txt measures it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

from adjutant.domain.behavior import own_words
from adjutant.domain.interactions import correction_words as cues
from adjutant.domain.interactions.correction_words import FILE, finds
from adjutant.language.detect import language_of
from adjutant.language.pack import listed
from adjutant.language.sentences import by_line
from adjutant.language.stems import telling
from adjutant.language.words import day_names, words

READ = 400  # characters of a message: who corrects says so at once
SENTENCES = 4
ASKED_WITHIN = 200  # characters of an answer's end: a question there is one to the operator
LEAST_STEMS = 2  # that say what a question is about
_QUOTE = re.compile(r"(?m)^[ \t]*>[^\n]*$|```(?s:.*?)(?:```|\Z)")
_CLAUSE = re.compile(r"(?:[,;:]|\s[-–—])\s+")
_NUMBER = re.compile(r"\d+(?:[.,:-]\d+)*")


def corrects(message: str, answer: str = "") -> bool:
    """Whether a message says that the answer before it was wrong, or not what was asked for.

    A bare "no, …" to an answer that ends with a question is the reply to that. What is quoted, passed on or handed over
    in it ("Tell Kari: that's wrong") says nothing of the answer.
    """
    text = own_words.told(message)[:READ].replace("’", "'")
    if "?" not in answer[-ASKED_WITHIN:] and (_says_no(text.lower()) or _not_that(text, answer)):
        return True
    language = language_of(text, "")
    for sentence, end in _sentences(text):
        small = sentence.lower()
        if "?" in end:
            if finds("asked").match(_bare(small)):
                return True
        elif _contrasts(sentence, answer) or cues.begins(_clauses(small), language):
            return True
    return False


def _not_that(text: str, answer: str) -> bool:
    """Whether a message is "not X!", and the answer said X."""
    named = finds("not that").match(text)
    return named is not None and re.search(rf"(?<![^\W_]){re.escape(named[1])}", answer, re.IGNORECASE) is not None


def _contrasts(sentence: str, answer: str) -> bool:
    """Whether a sentence says "this, not that", and the answer said that, or it is a name, a figure or a day."""
    for match in finds("contrast").finditer(sentence):
        word = match[1].strip(".,:-")
        if len(word) > 2 and re.search(rf"(?<![^\W_]){re.escape(word)}", answer, re.IGNORECASE):
            return True
        named = word[:1].isdigit() or word[:1].isupper() or word.lower() in listed(FILE, "timely") | day_names()
        if named and finds("states").match(_bare(sentence)):
            return True
    return False


def _bare(sentence: str) -> str:
    """A sentence without the fillers that it begins with."""
    filler = finds("filler").match(sentence)
    return sentence[filler.end() :] if filler is not None else sentence


def _sentences(text: str) -> Iterator[tuple[str, str]]:
    """(a sentence, its closing marks) of the first few."""
    for sentence in islice(by_line(text), SENTENCES):
        said = sentence.rstrip(".!?…")
        yield said, sentence[len(said) :]


def _clauses(sentence: str) -> Iterator[str]:
    """What follows each beginning of a clause, to the sentence's end; once more without the fillers before it."""
    for start in (0, *(match.end() for match in _CLAUSE.finditer(sentence))):
        rest = sentence[start:]
        yield rest
        if finds("filler").match(rest):
            yield _bare(rest)


def _says_no(text: str) -> bool:
    """Whether a message begins with a no that corrects, or is nothing else."""
    for begin in (text, _bare(text)):
        if finds("only no").match(begin):
            return True
        no = finds("no").match(begin)
        if no is not None:
            rest = begin[no.end() :]
            return not finds("declines").match(rest) and "?" not in next(_sentences(rest), ("", ""))[1]
    return False


# -- asked again ---------------------------------------------------------------------------------------------


def asks(message: str) -> bool:
    """Whether a message wants something told or done."""
    said = words(message[:READ])
    while said and said[0] in listed(FILE, "openings"):
        said = said[1:]
    return "?" in message or bool(said and said[0] in listed(FILE, "asks"))


def repeats(message: str, earlier: str) -> bool:
    """Whether two messages ask the same: the same content stems, figures and times, and enough of them.

    Not of what changes: who looks at what is open twice a day has not been answered badly.
    """
    if not (asks(message) and asks(earlier)):
        return False
    if any(cues.is_of_change(_QUOTE.sub(" ", each)) for each in (message, earlier)):
        return False
    language = language_of(message, "") or language_of(earlier, "")
    one, two = _matter(message, language), _matter(earlier, language)
    return one == two and len(one[0]) >= LEAST_STEMS


@lru_cache(maxsize=512)
def _matter(message: str, language: str) -> tuple[frozenset[str], frozenset[str]]:
    """(stems of what a question is about, its figures and times)."""
    text = _QUOTE.sub(" ", message)
    times = (listed(FILE, "times") | day_names()).intersection(words(text)).union(_NUMBER.findall(text))
    return telling(text, language) - times, frozenset(times)
