"""DOMAIN. What of a message is the operator's own: nothing forwarded, quoted, pasted as code, or handed over."""

import re
from functools import lru_cache
from itertools import filterfalse, pairwise
from typing import NamedTuple

from adjutant.domain.behavior import grammar
from adjutant.language.pack import entry, listed, packs
from adjutant.language.phrases import Match, matcher
from adjutant.language.sentences import by_line
from adjutant.language.words import Token, tokens, words
from adjutant.records.contract import collapse, problem

READ = 6000  # characters of a message that are looked at
MOST_CHARS = 600  # of own sentences; what is longer is mostly pasted: nobody corrects in more words
QUOTED_WORDS = 3  # more of them in quotation marks are what somebody says, fewer name something
QUOTED = "[…]"
_QUOTED = re.compile(r"\s*(?:[>|]|`{3}|~{3})|(?: {4}|\t)\s*\S")
_LISTED = re.compile(r"\s*(?:[-*+•·–]|\d{1,3}[.)])\s")
_HEAD = re.compile(r"[^\W\d_]+:\s")  # "From: Berg", "Kari: …"
_COLON = re.compile(r"(?<!\d)[:：](?:\s|$)")
_SPOKEN = re.compile("“[^“”]*”|\"[^\"\\n]*\"|„[^„“”]*[“”]|«[^«»]*»|»[^«»]*«|‘[^‘’\\n]*’|(?<!\\w)'[^'\\n]{3,}'(?!\\w)")
_OTHER_PAIR = re.compile('["“”„«»‟][^"“”„«»‟\\n]*["“”„«»‟]')  # `"Well then”`
_OPENING, _CLOSING = re.compile('(?:(?<=\\s)|^)[“"„«]'), '”"“»'
_MARKS = frozenset("\"'“”„«»‟‘’")
_DASH = re.compile(r"\s+[–—]\s+")


def read(text: str, *, outright: bool = False) -> str:
    """The operator's own words in a message, `outright` without lists; a quotation in them is `QUOTED`. A colon hands
    over what stands behind it, in a head such as `From: …` all that follows."""
    parsed = grammar.parse(text[:READ].encode("utf-8", "replace"))
    every = text[:READ].split("\n")
    nearly = {every[miss.line - 1].rstrip("\r") for miss in parsed.misses if miss.line <= len(every)}
    kept: list[str] = []
    for line in filterfalse(_QUOTED.match, parsed.plain.split("\n")):
        colon = None if line in nearly else _COLON.search(line)
        kept.append(line if colon is None else line[: colon.start()])
        if colon is not None and (not line[colon.end() :].strip() or (len(kept) == 1 and _HEAD.match(line))):
            break  # where what is theirs ends, nobody can tell
    return _without_quotations([line for line in kept if not (outright and _LISTED.match(line))])


@lru_cache(maxsize=8192)
def split(text: str) -> tuple[str, ...]:
    """The sentences of a message that are the operator's own, each as it stands there, without what is around it."""
    if not text.strip():
        return ()
    room, found = MOST_CHARS, list[str]()
    for line in read(text).split("\n"):
        line = line[:room]
        room -= len(line)
        found += [part for each in by_line(line) for part in _DASH.split(each) if part and QUOTED not in part]
    return tuple(found)


def _without_quotations(lines: list[str]) -> str:
    """Lines as one text, `QUOTED` for what somebody says in them; a mark that is never closed quotes all the rest."""
    text = "\n".join(lines)
    if _MARKS.isdisjoint(text):
        return text.strip()
    for pair in (_SPOKEN, _OTHER_PAIR):  # around a word or three marks name something
        text = pair.sub(lambda found: found[0] if len(found[0].split()) <= QUOTED_WORDS else QUOTED, text)
    opening = _OPENING.search(text, max(0, *(text.rfind(mark) for mark in _CLOSING)))
    if opening is not None and " " in text[opening.start() :].strip():
        text = text[: opening.start()] + QUOTED
    return text.strip()


WISHES = "wishes"
THING = "thing"
HEAD = NEAR = 3  # words in which a wish says that it is one; in which it says whom answers reach
_ENDS = " \t.!?,;:"


class Wish(NamedTuple):
    """A directive's `type` and `text`; `quote`: the sentence that asks for it, as it stands."""

    type: str
    text: str
    quote: str


def find(message: str) -> list[Wish]:
    """The wishes of a message, each once, in the operator's own words; a near miss such as `keep: tables` is one."""
    made, lines = list[Wish | None](), message.split("\n")
    for miss in grammar.parse(message[:READ].encode("utf-8", "replace")).misses:
        would = grammar.parse_one(miss.would_work)
        if isinstance(would, grammar.DirectiveLine) and miss.line <= len(lines):
            made.append(Wish(would.type, would.text, collapse(lines[miss.line - 1])))
    made += map(read_wish, by_line(read(message, outright=True)))
    found: dict[tuple[str, str], Wish] = {}
    for wish in filter(None, made):
        found.setdefault((wish.type, wish.text.casefold()), wish)
    return list(found.values())


def find_alone(message: str) -> list[Wish]:
    """The wishes of a message that holds nothing else; [] for any other."""
    found = [read_wish(each) for each in by_line(message.strip())] if len(message) <= MOST_CHARS else []
    return [] if None in found else list(filter(None, found))


def read_wish(sentence: str) -> Wish | None:
    """The wish that a sentence is; None for none, and for what asks for something else than answers of some kind."""
    for code in packs():
        for match in matcher(WISHES, WISHES, code).wholes(sentence):
            text = _word(match, sentence, code)
            if _is_of_answers(sentence, text, code, acts=THING not in match.slots) and not problem(text):
                return Wish(match.name, text, sentence)
    return None


def _word(match: Match, sentence: str, code: str) -> str:
    """The directive's text: {thing}, else the sentence without what is aside; the verb of a STOP as of an activity."""
    if THING in match.slots:
        return collapse(match.slots[THING]).strip(_ENDS)
    beside = [each for each in matcher(WISHES, "aside", code).find(sentence) if each.name in ("all", match.name)]
    parts, begin, end = list[str](), 0, len(sentence)
    for each in reversed(beside):
        end = end if words(sentence[each.end : end]) else each.start
    for each in beside:
        before = [*parts, sentence[begin : each.start]]
        if begin <= each.start and each.end <= end and len(words(" ".join(before))) < HEAD:
            parts, begin = before, each.end
    text = collapse(" ".join([*parts, sentence[begin:end]])).replace(" ,", ",").strip(_ENDS)
    verb, *after = words(text) or [""]
    forms = dict(zip(*(_choices(code, name) for name in ("do", "doing")), strict=True))
    if verb not in forms:
        return text
    rest = text[len(verb) :].strip()
    if match.name != "STOP":  # "keep writing": the type says the first word
        return rest if after and after[0] in forms.values() else f"{verb} {rest}"
    clause, comma, more = rest.partition(",")
    return " ".join((clause, forms[verb])[:: 1 if listed(WISHES, "verb_last", code) else -1]).strip() + comma + more


def _choices(code: str, name: str) -> list[str]:
    return str(entry(packs()[code], WISHES, f"rules.{name}")).strip("()").split("|")


def _is_of_answers(sentence: str, text: str, code: str, *, acts: bool) -> bool:
    """Whether a wish says so, would have answers reach "me" where it `acts`, or names a part of them."""
    if matcher(WISHES, "within", code).first(sentence) is not None:
        return True
    said = tokens(text)
    if not said or not listed(WISHES, "once", code).isdisjoint(each.text for each in said):
        return False
    reaches = not said[1:] or not listed(WISHES, "me", code).isdisjoint(each.text for each in said[:NEAR])
    return (acts and reaches) or _names_part(said, text, code, acts)


def _names_part(said: list[Token], text: str, code: str, acts: bool) -> bool:
    """Whether the first thing named is a part of answers, not "tables by the window" nor "reports from Kari"."""
    idle, verbs = listed("words", "stop", code), set(words(" ".join(_choices(code, "do") + _choices(code, "doing"))))
    talk, parts = listed(WISHES, "talk", code), listed(WISHES, "talk", code) | listed(WISHES, "form", code)
    first = next((at for at, each in enumerate(said) if each.text not in verbs), len(said))
    at = next((at for at in range(first, len(said)) if said[at].text in parts), None)
    if at is None:
        return False
    between = said[first:at]
    named = any(text[each.start].isupper() and each.text[1:] for each in between if each.start)  # I is none
    other = any(one.text not in idle and two.text in idle for one, two in pairwise(between))  # "the kids the date"
    after = [each.text for each in said[at + 1 :]]
    ends = acts or said[at].text in talk or not after  # else "no files found"
    elsewhere = not listed(WISHES, "sender" if said[at].text in talk else "place", code).isdisjoint(after[:1])
    german = bool(listed(WISHES, "verb_last", code))  # where each noun has a capital, none of them is a name for that
    return not (named and not german) and not other and ((ends and not elsewhere) or not parts.isdisjoint(after))
