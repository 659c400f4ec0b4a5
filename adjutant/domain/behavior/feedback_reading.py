"""DOMAIN. One sentence of the operator's: whether it praises, complains or wishes, of what, and in which words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice

from adjutant.domain.behavior import feedback_words as words
from adjutant.domain.behavior.feedback_subjects import names_manner, plain
from adjutant.domain.behavior.feedback_wishes import Found, fit, gerund, speaks, wish
from adjutant.domain.behavior.feedback_words import DEMAND, FILE, PRAISE, Language, Rule, languages
from adjutant.domain.behavior.own_words import QUOTED
from adjutant.language.pack import cached, listed
from adjutant.language.sentences import by_line
from adjutant.records.wording import AGAINST

SENTENCES, VARIANTS, CLAUSES = 60, 12, 8  # looked at: of a message, of a clause, of a sentence
_CLAUSE = re.compile(r"\s*[,;–—()]\s+|\s-\s|[()]")


def sentences(own: str) -> Iterator[str]:
    """The sentences of own words, each on one line, those with somebody else's words in them left out."""
    for part in islice((part for each in by_line(own) for part in each.split("; ")), SENTENCES):
        sentence = " ".join(part.split())
        if 3 < len(sentence) <= words.LONGEST_SENTENCE and QUOTED not in sentence:
            yield sentence


def of_sentence(sentence: str, name: str, terse: bool) -> Found | None:
    """(kind, type, text) of a sentence in the language `name`. `terse`: a remark may name neither answer nor agent."""
    language = languages()[name]
    if _of_others(sentence, name):
        return None
    sentence = sentence.replace(": ", ", ")  # what a colon hands over is no longer there
    asked = sentence.rstrip(" \"')").endswith("?")
    whole = plain(sentence)
    if (found := wish(sentence, name, asked)) is not None:
        return found
    clauses = [plain(part) for part in _CLAUSE.split(sentence)[:CLAUSES]]
    for number, clause in enumerate([whole, *clauses] if len(clauses) > 1 else [whole]):
        for variant in _variants(clause, name):
            if language.any_rule.fullmatch(variant) is None:
                continue
            for rule in language.rules:
                if (rule.asked < asked) or (rule.bare and not terse) or (rule.whole and number):
                    continue
                match = _compiled(rule.pattern).fullmatch(variant)
                if match is not None and (told := _told(rule, match, name, sentence)) is not None:
                    if told[1] not in AGAINST and _denies(clause, match):
                        continue
                    if rule.bare and number and not _goes_on(clauses[number:], name):
                        continue
                    return told
    return None


_DENIAL = re.compile(r"^no (?=\S)|\b(?:not|never|ikke|aldri|ingen|nicht|nie|niemals|keine?n?)\b|n't\b")


def _denies(clause: str, match: re.Match[str]) -> bool:
    """Whether a clause that was taken for praise or an order denies it: `short answers are not helpful`. What the
    agent is praised for not doing, and `not so long`, say it themselves."""
    groups = match.groupdict()
    return not groups.get("too") and _DENIAL.search(clause.replace(groups.get("v") or "\n", "")) is not None


def _goes_on(after: Sequence[str], name: str) -> bool:
    """Whether what follows a bare remark leaves it one: `too wordy, the sign` speaks of a sign."""
    return not after or _others_of(name)[2].match(after[0]) is None or after[0].partition(" ")[0] in listed(FILE, "i")


def _variants(clause: str, name: str) -> Iterator[str]:
    """The clause, and what it is without the words that only lead in or out."""
    found, ends = [clause], _ends_of(name)
    for rest in found:
        yield rest
        shorter = (end.sub("", rest) for end in ends)
        found += [each for each in shorter if len(each) > 3 and each not in found and len(found) < VARIANTS]


def _of_others(sentence: str, name: str) -> bool:
    """Whether a sentence tells what somebody says, or is about a text for somebody."""
    whom, reported, _ = _others_of(name)
    if whom.search(sentence):
        return True
    whole, you = plain(sentence), listed(FILE, "you")
    for verb in reported.finditer(whole):
        before, after = whole[: verb.start()].split()[-4:], whole[verb.end() :].split()[:1]
        turned = not you.isdisjoint(after) and not listed(FILE, "that").isdisjoint(before[-1:])
        if you.isdisjoint(before) and not turned:
            return True
    return False


def _told(rule: Rule, match: re.Match[str], name: str, sentence: str) -> Found | None:
    """(kind, type, text) of a rule that fits."""
    language = languages()[name]
    groups = match.groupdict()
    if too := groups.get("too"):
        type, key = language.lists.too[too]
        return rule.kind, type, language.lists.said[key][1]
    if noun := groups.get("n"):
        noun = _bare(noun, language)
        return fit(rule.kind, rule.type, language.lists.plural.get(noun) or _as_written(noun, sentence, name))
    if (phrase := groups.get("v")) is None:
        return rule.kind, rule.type, language.lists.said[rule.say][1]
    if rule.kind == PRAISE and language.pattern(r"\b{short}\b").search(phrase):
        return rule.kind, rule.type, language.lists.said["short"][1]
    phrase = _as_written(phrase, sentence, name)
    if rule.kind == PRAISE:
        phrase = _present(phrase, language)
        if not rule.say and not (speaks(phrase, name) or names_manner(phrase)):
            return None  # `I love how you use it to tell stories` is said of a person
    if rule.kind == DEMAND and rule.type == words.STOP:
        phrase = gerund(phrase, language)
    template = language.lists.said[rule.say][1] if rule.say else "{}"
    return fit(rule.kind, rule.type, template.format(phrase))


def _as_written(phrase: str, sentence: str, name: str) -> str:
    """A phrase with the capitals it has in the sentence, but for the one that begins it."""
    spelled = " ".join(sentence.replace("’", "'").split())
    at = spelled.lower().find(phrase)
    if at < 0 or len(spelled.lower()) != len(spelled):
        return phrase
    found = spelled[at : at + len(phrase)]
    return found if at or languages()[name].capital_nouns else found[:1].lower() + found[1:]


def _bare(noun: str, language: Language) -> str:
    return language.pattern("^({articles} )+").sub("", noun)


def _present(phrase: str, language: Language) -> str:
    first, blank, rest = phrase.partition(" ")
    return language.lists.past.get(first, first) + blank + rest


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


@cached(16)
def _ends_of(name: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    language = languages()[name]
    return language.pattern("^{leads}[,!:]? "), language.pattern(",? {ends}$")


@cached(16)
def _others_of(name: str) -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """Finds (a name that a text is for, who says something, what begins no remark of the agent)."""
    language = languages()[name]
    return (
        language.pattern(r"\b{for_whom} (?!{no_names})[A-ZÆØÅÄÖÜ][a-zæøåäöü]+"),
        language.pattern(r"\b{reported}\b"),
        language.pattern(r"{not_me}\b"),
    )
