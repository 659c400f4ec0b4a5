"""DOMAIN. How the operator wants to be answered, where he says so: length, language, form, tone, repetition, sources.

Only what is about the answers themselves: a sentence that names anything else ("the intro is too long") asks for that.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from adjutant.domain.analysis.gists import gist, opened
from adjutant.domain.periods.extract_words import language_of
from adjutant.store.index_words import STOP

MOST_WORDS = 16  # a longer sentence is about more than manner
FEW_WORDS = 4  # so short a sentence needs no "your answers" to be about them


class Manner(NamedTuple):
    """`kind` and `way`: "length shorter", "bullets none". `weight`: how plainly the sentence says it."""

    kind: str
    way: str
    sentence: str
    weight: int


_TONGUES = {
    "english": r"english|engelsk|englisch", "norwegian": r"norwegian|norsk|norwegisch|bokmål|nynorsk",
    "german": r"german|tysk|deutsch|auf deutsch",
}
_NO = (r"(?:no|not|never|without|stop|skip|drop|avoid|fewer|less|don['’]?t|do not|enough|leave out|ditch|quit|ingen"
       r"|ikke"
       r"|uten|slutt|dropp|færre|kein\w{0,2}|nicht|ohne|weniger|lass|hör auf|keep out|hate|needn['’]?t)")
_YES = r"(?:use|with|more|always|as|in|give|make|prefer|want|bruk|med|alltid|flere|nutze|mit|immer|als|mehr)"
_KINDS: tuple[tuple[str, str, str], ...] = (
    ("length", "longer", r"\b(?:longer (?:answers?|replies)|(?:more|some more|in more) details?|more detailed|too short"
                         r"|too brief|too terse|elaborate (?:more|on)|lengre svar|mer detalj\w*|for kort\w*"
                         r"|mer utfyllende"
                         r"|ausführlicher\w*|mehr details?|zu kurz|zu knapp)\b"),
    ("length", "shorter", r"\b(?:shorter|too (?:long|verbose|wordy|lengthy|much text)|(?:so|that|this) long"
                          r"|(?:keep|make) (?:it|them|this|your answers|answers) (?:short|brief|concise)"
                          r"|(?:be|more|keep it) (?:brief|concise|succinct)|briefer|less (?:text|verbose|wordy|detail)"
                          r"|in (?:one|two|three|1|2|3) (?:lines?|sentences?)|(?:two|three) sentences are enough"
                          r"|(?:short|brief|concise) (?:answers?|replies)|cut it (?:down|short)|get to the point"
                          r"|to the point|kortere|(?:alt)?for lang(?:t"
                          r"|e)?"
                          r"|så lange?|for mye tekst|korte svar|kort svar|kom til poenget|kürzer\w*|zu lang\w*|so lang"
                          r"|kurz fassen|fass dich kurz\w*|knapper|komm zum punkt|kurze antworten)\b"),
    ("repetition", "none", r"\b(?:repeat(?:ing|s|ed)? (?:yourself|it|that|this|things)|(?:said|told me"
                           r"|mentioned) (?:that|"
                           r"this|it) (?:already|before|twice)|already (?:said|told me|mentioned) (?:that|this|it|so)"
                           r"|repetitive|again the same|the same (?:thing|answer|list)(?: all over)? again|gjenta\w*"
                           r"|samme igjen|sagt det (?:allerede|før)|wiederhol\w*|schon gesagt"
                           r"|schon wieder dasselbe)\b"),
    ("apologies", "none", r"\b(?:apologi[sz]\w*|apolog(?:y|ies)|saying sorry|say sorry|unnskyld\w*|beklag\w*|"
                          r"entschuldig\w*)\b"),
    ("formality", "less", r"\b(?:less formal|(?:so|too|that) formal|more (?:casual|informal)|mindre formel\w*"
                          r"|(?:så|for) formel\w*|weniger förmlich|(?:so|zu) förmlich|lockerer)\b"),
    ("formality", "more", r"\b(?:more formal|too (?:casual|informal|chummy)|mer formel\w*|förmlicher|zu locker)\b"),
    ("flattery", "none", r"\b(?:flatter\w*|compliments?|praising me|so (?:cheerful|enthusiastic)|great question"
                         r"|smigr\w*"
                         r"|schmeichel\w*)\b"),
    ("preamble", "none", r"\b(?:preambles?|pleasantries|introductions?|filler|small ?talk|innledning\w*|vorrede"
                         r"|floskeln?)"
                         r"\b"),
    ("sources", "named", r"\b(?:sources?|citations?|cite|kilde\w*|quellen?)\b"),
    ("emoji", "", r"\b(?:emojis?|emoticons?|smileys?|smilefjes)\b"),
    ("bullets", "", r"\b(?:bullets?|bullet[- ]?points?|bulleted|bullet[- ]?lists?|punktlister?|kulepunkt\w*"
                    r"|aufzählung\w*|stichpunkte?n?)\b"),
    ("tables", "", r"\b(?:tables?|tabeller?|tabellen?)\b"),
    ("headings", "", r"\b(?:headings?|headlines?|overskrift\w*|überschriften?|markdown|bold(?: type)?)\b"),
)
_PATTERNS = tuple((kind, way, re.compile(pattern, re.IGNORECASE)) for kind, way, pattern in _KINDS)
_IN_TONGUE = tuple((name, re.compile(
    rf"(?i)\b(?:in|auf|på)\s+(?:{words})\b|^(?:{words})(?:[ ,]+(?:please|only|takk|bitte))?[.!]*$")) for name, words in
    _TONGUES.items())
_NEGATED = re.compile(rf"(?i)\b{_NO}\b|n['’]t\b")
_NOT_TONGUE = re.compile(r"(?i)\b(?:not|ikke|nicht)\s+(?:in|på|auf)\b")
_WANTED = re.compile(rf"(?i)\b{_YES}\b")
# What speaks of the answers, or to whoever gives them.
_OF_ANSWERS = re.compile(
    r"(?i)\b(?:answers?|answering|repl(?:y|ies|ying)|respon(?:ses?|d|ding)|your?|yourself|svar\w*|du|deg|dine?|ditt"
    r"|antwort\w*|dein\w*|dich|dir)\b")
_DEMANDS = re.compile(
    r"(?i)^(?:please\W+|bitte\W+|and\W+|just\W+|again\W+|always\W+|could you\W+|can you\W+|kan du\W+|kannst du\W+)*"
    r"(?:keep|make|be|answer|reply|respond|write|speak|use|stop|no|don['’]?t|do not|cite|give|name|show|skip|leave|less"
    r"|more|fewer|in|auf|på|svar|skriv|bruk|ikke|ingen|slutt|kein\w{0,2}|antworte|schreib\w*|hör|lass|fass|vær|sei"
    r"|never|"
    r"without|i (?:want|need|don['’]?t (?:want|need)|prefer|hate)|that(?:['’]s| is| was)|it(?:['’]s| is| was)"
    r"|this (?:is|was)"
    r"|far too|way too|(?:much )?too|det (?:er|var|ble)|das (?:ist|war)|où|where are|get|a|some|mer|mindre|mehr|weniger"
    r"|two|three|cut|avoid|drop|enough|short\w*)\b")
_OF_MANNER = """
    answer answers answering reply replies replying respond response responses message messages text texts
    sentence sentences line lines paragraph paragraphs word words point points list lists bulleted please much
    far way bit most least max maximum use using detail details detailed form format style tone language sound
    sounds enough concise short shorter brief briefly formal casual plain plainly simple direct reader svar
    svaret svarene svarer svare setning setninger linje linjer tekst antwort antworten antworte satz sätze zeile
    zeilen
    text ausführlich kurz lang stop stopp slutt hør keep keeps keeping skip drop avoid cut weg whole twice thing
    things kort kortere lange langt dei poenget punkt need time times over all yourself same ever every each
    saying say said chat here everything anything fassen fass zum kannst kan could repeat written writing write
    dine din ditt deg dein deine deinen deiner dich dir du norsk english norwegian german engelsk tysk deutsch
    englisch norwegisch
"""
_COMPLAINS = re.compile(r"(?i)(?:that|it|this|far|way|much|too|your?|det|das|du|deine?|svar\w*|for|zu|so|så|why)\b")
_MANNER_WORDS = frozenset(_OF_MANNER.split())
_FILLERS = gist("please thanks thank again always much way far bit now next time again today more").light | gist(
    "takk igjen alltid litt mer nå bitte danke wieder immer viel mehr jetzt", "nb").light
_SILENT = _MANNER_WORDS.union(*STOP.values())
_WORD = re.compile(r"[^\W_]+")
_NO_NOUN = re.compile(r"(?i)(?:no|not|nei|kein\w*)\s+[^\W\d_]+")  # "No emojis" corrects nothing, "No, Berg" does


def find(sentence: str, language: str = "") -> Manner | None:
    """The way of answering that a sentence of the operator's asks for; None where it asks for none, or for two that
    contradict. `language`: in which it is read where its words do not tell."""
    said = (sentence if _NO_NOUN.match(sentence) else opened(sentence)).strip()
    words = _WORD.findall(said)
    if not 0 < len(words) <= MOST_WORDS:
        return None
    found = _kinds(said)
    if len({kind for kind, _, _ in found}) != len(found) or not found:
        return None
    rest = said
    for _, _, pattern in found:
        rest = pattern.sub(" ", rest)
    language = language_of(said) or language
    left = gist(" ".join(word for word in _WORD.findall(rest) if word.lower() not in _SILENT), language)
    if left.telling - left.values:
        return None
    about, demands = _OF_ANSWERS.search(said) is not None, _DEMANDS.match(said) is not None
    if not about and not demands and (len(words) > FEW_WORDS or left.light - _FILLERS):
        return None
    kind, way, _ = found[0]
    complains = said.endswith("?") or _COMPLAINS.match(said) is not None
    return Manner(kind, way, said, about + 2 * (not complains))


def _kinds(said: str) -> list[tuple[str, str, re.Pattern[str]]]:
    """(kind, way, what finds the words that say so) of a sentence."""
    found: list[tuple[str, str, re.Pattern[str]]] = []
    for kind, way, pattern in _PATTERNS:
        match = pattern.search(said)
        if match is None or any(each[0] == kind for each in found):
            continue
        if not way:
            denied = _NEGATED.search(said) is not None
            if not denied and _WANTED.search(said) is None:
                continue
            way = "none" if denied else "wanted"
        elif kind in ("length", "formality") and _denies(said, match):
            continue
        elif kind == "sources" and _NEGATED.search(said):
            way = "none"
        found.append((kind, way, pattern))
    found += _tongues(said)
    return found


def _denies(said: str, match: re.Match[str]) -> bool:
    """Whether "not" stands right before what it asks for: "not too long" complains of nothing."""
    return re.search(r"(?i)\b(?:not|isn['’]t|ikke|nicht)\s+$", said[: match.start()]) is not None


def _tongues(said: str) -> list[tuple[str, str, re.Pattern[str]]]:
    wanted = [(name, pattern) for name, pattern in _IN_TONGUE if (match := pattern.search(said))
              and not _NOT_TONGUE.match(said[max(0, match.start() - 8) :].lstrip())
              and not re.search(r"(?i)\b(?:not|ikke|nicht)\s*$", said[: match.start()])]
    return [("language", name, pattern) for name, pattern in wanted[:1]]
