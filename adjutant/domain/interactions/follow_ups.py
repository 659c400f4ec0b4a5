"""DOMAIN. What the operator's next message says of the answer before it: that it was wrong, or is asked for again.

Words alone decide, in English, Norwegian and German, where a clause begins. A wrong alarm costs more than one that is
missed: what comes of it is read as the operator's own complaint. tests/domain/interactions/follow_ups.txt measures it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from adjutant.domain.behavior import own_words
from adjutant.domain.interactions import changing
from adjutant.domain.interactions import correction_words as cues
from adjutant.language import shared_stems
from adjutant.language.shared_stems import language_of, words
from adjutant.store.index_words import DATE_WORDS, TIMELY

READ = 400  # characters of a message: who corrects says so at once
SENTENCES = 4
ASKED_WITHIN = 200  # characters of an answer's end: a question there is one to the operator
LEAST_STEMS = 2  # that say what a question is about
_QUOTE = re.compile(r"(?m)^[ \t]*>[^\n]*$|```(?s:.*?)(?:```|\Z)")
_SENTENCE = re.compile(r"(.+?)(?:([.!?…]+)(?=\s|$)|\n|$)", re.DOTALL)
_CLAUSE = re.compile(r"(?:[,;:]|\s[-–—])\s+")

_ASKING = """
    who whom whose what when where which why how is are was were do does did can could will would should has have
    tell show list draft write summarise summarize compare explain find give check look read remind search translate
    hvem hva når hvor hvilken hvilket hvilke hvorfor hvordan er var kan skal vil har fortell vis skriv finn lag gi sjekk
    les forklar oppsummer sammenlign oversett minn søk
    wer wen wem was wann wo wohin welche welcher welches welchen warum wieso wie ist sind war kann kannst soll hat haben
    sag zeig schreib erkläre erklär finde such gib prüf prüfe fasse vergleiche übersetze lies erinnere
"""
_ASKS = frozenset(_ASKING.split())
_OPENING = """so and but ok okay please now then again og men så da nå und also bitte dann nun"""
_BEFORE_A_QUESTION = frozenset(_OPENING.split())
_WHEN = """
    today tomorrow yesterday tonight morning evening week weeks weekend month months year years next last first second
    half new old more less before after dag idag morgen imorgen går uke uken måned måneden år neste forrige første andre
    heute gestern abend woche monat jahr nächste nächsten nächster letzte letzten erste zweite
"""
_TIMES = DATE_WORDS.union(_WHEN.split())
_NUMBER = re.compile(r"\d+(?:[.,:-]\d+)*")


def corrects(message: str, answer: str = "") -> bool:
    """Whether a message says that the answer before it was wrong, or not what was asked for.

    A bare "no, …" to an answer that ends with a question is the reply to that. What is quoted, passed on or handed over
    in it ("Tell Kari: that's wrong") says nothing of the answer.
    """
    text = own_words.told(message)[:READ].replace("’", "'")
    if "?" not in answer[-ASKED_WITHIN:] and (_says_no(text.lower()) or _not_that(text, answer)):
        return True
    language = language_of(text)
    for sentence, end in _sentences(text):
        small = sentence.lower()
        if "?" in end:
            if cues.CORRECTS_AS_QUESTION.match(_bare(small)):
                return True
        elif _contrasts(sentence, answer) or cues.begins(_clauses(cues.kinds(small)), language):
            return True
    return False


def _not_that(text: str, answer: str) -> bool:
    """Whether a message is "not X!", and the answer said X."""
    named = cues.NOT_THAT.match(text)
    return named is not None and re.search(rf"(?<![^\W_]){re.escape(named[1])}", answer, re.IGNORECASE) is not None


def _contrasts(sentence: str, answer: str) -> bool:
    """Whether a sentence says "this, not that", and the answer said that, or it is a name, a figure or a day."""
    for match in cues.CONTRAST.finditer(sentence):
        word = match[1].strip(".,:-")
        if len(word) > 2 and re.search(rf"(?<![^\W_]){re.escape(word)}", answer, re.IGNORECASE):
            return True
        named = word[:1].isdigit() or word[:1].isupper() or word.lower() in TIMELY
        if named and cues.STATES.match(_bare(sentence)):
            return True
    return False


def _bare(sentence: str) -> str:
    """A sentence without the fillers that it begins with."""
    filler = cues.FILLER.match(sentence)
    return sentence[filler.end() :] if filler is not None else sentence


def _sentences(text: str) -> Iterator[tuple[str, str]]:
    """(a sentence, its closing marks) of the first few."""
    found = 0
    for match in _SENTENCE.finditer(text):
        if match[1].strip() and found < SENTENCES:
            found += 1
            yield match[1].strip(), match[2] or ""


def _clauses(sentence: str) -> Iterator[str]:
    """What follows each beginning of a clause, to the sentence's end; once more without the fillers before it."""
    for start in (0, *(match.end() for match in _CLAUSE.finditer(sentence))):
        rest = sentence[start:]
        yield rest
        if cues.FILLER.match(rest):
            yield _bare(rest)


def _says_no(text: str) -> bool:
    """Whether a message begins with a no that corrects, or is nothing else."""
    for begin in (text, _bare(text)):
        if cues.ONLY_NO.match(begin):
            return True
        no = cues.NO.match(begin)
        if no is not None:
            rest = begin[no.end() :]
            return not cues.DECLINES.match(rest) and "?" not in next(_sentences(rest), ("", ""))[1]
    return False


# -- asked again ---------------------------------------------------------------------------------------------


def asks(message: str) -> bool:
    """Whether a message wants something told or done."""
    said = words(message[:READ])
    while said and said[0] in _BEFORE_A_QUESTION:
        said = said[1:]
    return "?" in message or bool(said and said[0] in _ASKS)


def repeats(message: str, earlier: str) -> bool:
    """Whether two messages ask the same: the same content stems, figures and times, and enough of them.

    Not of what changes: who looks at what is open twice a day has not been answered badly.
    """
    if not (asks(message) and asks(earlier)) or any(
        changing.is_asked(_QUOTE.sub(" ", each)) for each in (message, earlier)
    ):
        return False
    language = language_of(message) or language_of(earlier)
    one, two = _matter(message, language), _matter(earlier, language)
    return one == two and len(one[0]) >= LEAST_STEMS


@lru_cache(maxsize=512)
def _matter(message: str, language: str) -> tuple[frozenset[str], frozenset[str]]:
    """(stems of what a question is about, its figures and times)."""
    text = _QUOTE.sub(" ", message)
    times = _TIMES.intersection(words(text)).union(_NUMBER.findall(text))
    return shared_stems.stems_in(text, language) - times, frozenset(times)
