"""DOMAIN. How to answer, as the operator has asked for it again and again, in the form of a directive."""

from __future__ import annotations

import re
from collections.abc import Iterable

from adjutant.domain.analysis import manners
from adjutant.domain.analysis.manners import Manner
from adjutant.domain.behavior import grammar
from adjutant.domain.periods.extract_words import language_of
from adjutant.domain.proposing import lines

OWN_CHARS, OWN_WORDS = 100, 4  # a longer sentence says more than one rule holds, a shorter one is hardly any
# {(kind, way): (type, English, Norwegian, German)}, where his own sentence is a complaint and no rule.
_RULES: dict[tuple[str, str], tuple[str, str, str, str]] = {
    ("length", "shorter"): ("KEEP", "shorter answers", "kortere svar", "kürzere Antworten"),
    ("length", "longer"): ("MORE", "detail in answers", "detaljer i svarene", "Einzelheiten in Antworten"),
    ("repetition", "none"): ("STOP", "repeating what was said already", "å gjenta det som er sagt",
                             "schon Gesagtes wiederholen"),
    ("apologies", "none"): ("STOP", "apologising", "å beklage", "sich entschuldigen"),
    ("formality", "less"): ("LESS", "formal language", "formelt språk", "förmliche Sprache"),
    ("formality", "more"): ("MORE", "formal language", "formelt språk", "förmliche Sprache"),
    ("flattery", "none"): ("STOP", "flattery", "smiger", "Schmeicheleien"),
    ("preamble", "none"): ("STOP", "preambles", "innledninger", "Vorreden"),
    ("sources", "named"): ("START", "naming the sources", "å nevne kildene", "Quellen nennen"),
    ("sources", "none"): ("STOP", "naming sources", "å nevne kilder", "Quellen nennen"),
    ("emoji", "none"): ("STOP", "emojis", "emojier", "Emojis"),
    ("emoji", "wanted"): ("START", "using emojis", "å bruke emojier", "Emojis verwenden"),
    ("bullets", "none"): ("STOP", "bullet lists", "punktlister", "Aufzählungen"),
    ("bullets", "wanted"): ("START", "using bullet lists", "å bruke punktlister", "Aufzählungen verwenden"),
    ("tables", "none"): ("STOP", "tables", "tabeller", "Tabellen"),
    ("tables", "wanted"): ("START", "using tables", "å bruke tabeller", "Tabellen verwenden"),
    ("headings", "none"): ("STOP", "headings and bold type", "overskrifter", "Überschriften"),
    ("headings", "wanted"): ("START", "using headings", "å bruke overskrifter", "Überschriften verwenden"),
    ("language", "english"): ("START", "answering in English", "å svare på engelsk", "auf Englisch antworten"),
    ("language", "norwegian"): ("START", "answering in Norwegian", "å svare på norsk", "auf Norwegisch antworten"),
    ("language", "german"): ("START", "answering in German", "å svare på tysk", "auf Deutsch antworten"),
}
_COLUMN = {"nb": 2, "de": 3}
_TONGUES = {"nb": re.compile(r"(?i)\b(?:svar\w*|kortere|lengre|skriv|bruk|takk)\b"),
            "de": re.compile(r"(?i)\b(?:antwort\w*|kürzer\w*|ausführlicher|schreib|bitte|zu lang)\b")}
_RULE_WAYS = ("shorter", "longer", "more", "named", "wanted")  # what is asked for, not what is to end
_LEADS = r"(?:please|bitte|takk|again|always|and|just|can you|could you|kan du|kannst du)"
_POLITE = re.compile(rf"(?i)^(?:{_LEADS}[\s,]+)+|[\s,]+(?:please|takk|bitte|again|thanks|danke)(?=[\s,.!?]*$)")
_COMPLAINS = re.compile(
    r"(?i)\b(?:not|too|again|for lang\w*|zu|nicht|ikke|why|hvorfor|warum|that|this|det|das|you|du)\b|n['’]t\b|\?")


def directive(said: Iterable[str], best: str) -> str:
    """`TYPE: words` of what the operator asks for; "" where nothing in his words is a rule. `best`: the sentence that
    says it best; it stands in the rule as it is where it asks for something and complains of nothing."""
    told = [sentence for sentence in (best, *said) if sentence]
    language = _language("\n".join(told))
    found = [manner for sentence in told if (manner := manners.find(sentence, language)) is not None]
    rules = (_rule(each, language) for each in found)
    for rule in (*filter(None, map(_own, found)), *filter(None, rules), *map(_kept, told)):
        if isinstance(grammar.one(rule), grammar.Said):
            return rule
    return ""


def _language(text: str) -> str:
    """In which language it is asked; a complaint is often too short for its small words to tell."""
    return language_of(text) or next((name for name, pattern in _TONGUES.items() if pattern.search(text)), "")


def _own(found: Manner) -> str:
    """His sentence itself as a rule; "" for a complaint, and for one that is too long."""
    words = lines.plain(_POLITE.sub("", found.sentence).rstrip(" .!,"))
    fits = found.way in _RULE_WAYS and len(words) <= OWN_CHARS and len(words.split()) >= OWN_WORDS
    return f"KEEP: {words}" if fits and not _COMPLAINS.search(words) else ""


def _rule(found: Manner, language: str) -> str:
    """The rule for a way of answering, in the language that it was asked for in."""
    rule = _RULES.get((found.kind, found.way))
    return f"{rule[0]}: {rule[_COLUMN.get(language, 1)]}" if rule is not None else ""


def _kept(sentence: str) -> str:
    return f"KEEP: {lines.plain(_POLITE.sub('', sentence).rstrip(' .!,'))}"
