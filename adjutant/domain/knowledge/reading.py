"""Reads one statement: what is wrong, what is done, what is only supposed, quoted, past or wished for."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

import msgspec

from adjutant.domain.knowledge import lexicon
from adjutant.domain.knowledge.lexicon import Cue, Lexicon, Token

QUOTED = re.compile(r"“[^”]{3,}”|«[^»]{3,}»|„[^“”]{3,}[“”]|\"[^\"]{3,}\"|(?<!\w)'[^']{8,}'(?!\w)|``[^`]+``|`[^`]+`")
LINK = re.compile(r"\[\[(?:[^\]|]*\|)?([^\]]*)\]\]|\[([^\]]*)\]\([^)]*\)|https?://\S+|<!--.*?-->")
STRUCK = re.compile(r"~~.*?~~")
SERVER_ERROR = re.compile(r"50[0-4]")
BOUNDS = frozenset(".;:!?–—()[]|")
SOFT_BOUNDS = frozenset(",")
BUT = frozenset(
    ["but", "however", "though", "although", "yet", "while", "men", "aber", "doch", "sondern", "jedoch", "mens"]
)
PASSIVE = frozenset(["was", "were", "been", "ble", "er", "blitt", "wurde", "wurden", "worden", "ist", "sind"])
BACK = frozenset(["back", "tilbake", "zurück"])
JOINING = frozenset(["and", "or", "nor", "og", "eller", "und", "oder", "noch", "been", "be", "being"])
PLUPERFECT = frozenset(["had", "hadde", "hatte", "hatten"])
ONLY = frozenset(["only", "just", "bare", "kun", "nur", "bloß", "erst"])
FOUND = frozenset(["found", "funnet", "gefunden"])
SINCE = frozenset(["since", "siden", "seit"])
RESOLVERS = frozenset(
    [
        "lifted",
        "fixed",
        "repaired",
        "solved",
        "resolved",
        "cleared",
        "settled",
        "dropped",
        "withdrew",
        "mended",
        "sorted",
        "cured",
        "removed",
        "stopped",
        "patched",
        "løste",
        "fikset",
        "reparerte",
        "opphevet",
        "fjernet",
        "ryddet",
        "tettet",
        "behob",
        "behoben",
        "repariert",
        "gelöst",
        "beseitigt",
        "aufgehoben",
    ]
)
YET = frozenset(["yet", "ennå", "enda", "noch"])
ARTICLES = frozenset(
    [
        "the",
        "a",
        "an",
        "our",
        "his",
        "her",
        "their",
        "my",
        "your",
        "der",
        "die",
        "das",
        "den",
        "dem",
        "des",
        "ein",
        "eine",
        "einen",
        "det",
        "de",
        "en",
        "et",
    ]
)
LINKING = frozenset(
    [
        "is",
        "are",
        "was",
        "were",
        "has",
        "have",
        "had",
        "will",
        "of",
        "in",
        "on",
        "at",
        "to",
        "and",
        "or",
        "but",
        "ist",
        "sind",
        "war",
        "und",
        "oder",
        "er",
        "var",
        "har",
        "og",
        "i",
        "på",
    ]
)
AUXILIARY = frozenset(
    [
        "is",
        "are",
        "was",
        "were",
        "do",
        "does",
        "did",
        "has",
        "have",
        "had",
        "will",
        "would",
        "can",
        "could",
        "been",
        "hat",
        "haben",
        "hatte",
        "war",
        "ist",
        "wird",
        "will",
        "kann",
        "konnte",
        "gibt",
        "geht",
        "kommt",
        "har",
        "hadde",
        "er",
        "var",
        "vil",
        "kan",
        "kunne",
        "ble",
        "blir",
        "kommer",
    ]
)
HAVING = frozenset(["has", "have", "had", "is", "are", "there", "hat", "haben", "hatte", "gibt", "har", "er"])
RELATIVE = frozenset(["who", "that", "which", "som"])
FIRST_PERSON = frozenset(["i", "we", "jeg", "vi", "ich", "wir"])
VERB_FIRST = frozenset(
    [
        "fehlt",
        "fehlen",
        "kommt",
        "fällt",
        "ist",
        "sind",
        "wird",
        "bleibt",
        "geht",
        "steigt",
        "sinkt",
        "tritt",
        "reißt",
        "brennt",
        "savnes",
        "mangler",
        "stiger",
        "blir",
        "er",
        "kommer",
        "går",
        "faller",
        "svikter",
    ]
)
CONSEQUENCE = frozenset(
    [
        "gilt",
        "kann",
        "können",
        "muss",
        "müssen",
        "ist",
        "sind",
        "wird",
        "werden",
        "entfällt",
        "haftet",
        "so",
        "dann",
        "gjelder",
        "må",
        "skal",
        "kan",
        "så",
        "ring",
        "bitte",
    ]
)
ASKING = frozenset(
    [
        "ask",
        "asks",
        "find",
        "check",
        "spør",
        "spørre",
        "frag",
        "frage",
        "fragen",
        "nachfragen",
        "sjekk",
        "sjekke",
        "høre",
        "prüfen",
    ]
)
WHETHER = frozenset(["if", "whether", "om", "ob"])
FORWARD, NOUN_FORWARD, BACKWARD = 5, 3, 5
DETERMINERS = frozenset(
    [
        "no",
        "without",
        "none",
        "neither",
        "nor",
        "kein",
        "keine",
        "keinen",
        "keiner",
        "keinem",
        "keines",
        "keinerlei",
        "ohne",
        "ingen",
        "intet",
        "uten",
    ]
)


class Event(msgspec.Struct):
    """One thing a statement says: bad (of a kind) or good, at a token."""

    at: int
    bad: bool
    kind: str
    weight: float
    negated: bool = False


class Reading(msgspec.Struct):
    """What a statement says when its clauses are put together."""

    tokens: list[Token]
    cues: list[Cue]
    events: list[Event] = msgspec.field(default_factory=list)
    hypothetical: bool = False
    past: bool = False
    trivial: bool = False
    ongoing: bool = False
    demand: bool = False
    due: bool = False
    question: bool = False
    future: bool = False
    unfilled: bool = False  # a question mark or TBD where a name or value should stand
    blank_form: bool = False

    @property
    def trouble(self) -> float:
        """0..1: how sure it is that something is wrong and still is."""
        return strength(self.open_events())

    def open_events(self) -> list[Event]:
        """Bad events that no later good event of the statement takes back."""
        last_good = max((e.at for e in self.events if not e.bad and e.weight >= 0.6), default=-1)
        after = [e for e in self.events if e.bad and e.at > last_good]
        return after if last_good < 0 or any(e.weight >= 0.5 for e in after) else []

    @property
    def closed(self) -> bool:
        """The statement ends well: something good is said and nothing bad after it."""
        return any(not e.bad and e.weight >= 0.6 for e in self.events) and not self.open_events()

    def kinds(self) -> list[str]:
        """Kinds of what is open, the strongest first."""
        return [e.kind for e in sorted(self.open_events(), key=lambda e: -e.weight)]


def strength(events: Sequence[Event]) -> float:
    """Weights of independent cues, added up: 1 - product of (1 - weight)."""
    rest = 1.0
    for event in events:
        rest *= 1.0 - min(event.weight, 0.95)
    return 1.0 - rest


def plain(text: str) -> str:
    """Text without links, comments, struck-out and quoted parts."""
    text = LINK.sub(lambda m: m.group(1) or m.group(2) or " ", text)
    text = STRUCK.sub(" ", text)
    return QUOTED.sub(" ", text)


def read(text: str, lex: Lexicon, language: str, *, has_date: bool = False) -> Reading:
    """The reading of one statement; `has_date`: a day inside the horizon stands in it."""
    words = lexicon.tokens(plain(text))[:400]
    cues = lex.find(words, language)
    found = Reading(words, cues)
    groups = {cue.group for cue in cues}
    found.past = "past" in groups
    found.trivial = "trivial" in groups
    found.ongoing = "ongoing" in groups
    found.demand = "demand" in groups
    found.due = "due" in groups
    found.future = "resolve_future" in groups
    found.question = text.rstrip().endswith("?")
    found.unfilled = _unfilled(text)
    found.blank_form = bool(
        re.search(
            r"_{3,}|\.{5,}|\[(?:name|date|navn|dato|datum|amount|…|\.\.\.)\]|\{\{.*\}\}|<(?:name|date|navn|datum)>",
            text,
            re.I,
        )
    )
    for index, token in enumerate(words):
        if SERVER_ERROR.fullmatch(token.text):
            found.events.append(Event(index, True, "failing", 0.7))
    for start, end in _sentences(words):
        _sentence(found, start, end, lex, language, has_date)
    return found


def _unfilled(text: str) -> bool:
    return bool(
        re.search(r"(?:^|[\s,:(|/])\?+(?=$|[\s,;)|])|(?:^|[\s,:])(?:TBD|TBC|TBA|N\.N\.|XXX|NN)(?=$|[\s,;.)])", text)
    )


def _sentences(words: Sequence[Token]) -> list[tuple[int, int]]:
    spans, start = [], 0
    for index, token in enumerate(words):
        if token.text in ".!?;":
            if index > start:
                spans.append((start, index))
            start = index + 1
    if start < len(words):
        spans.append((start, len(words)))
    return spans


def _clauses(words: Sequence[Token], start: int, end: int) -> list[tuple[int, int]]:
    spans, first = [], start
    for index in range(start, end):
        word = words[index].text
        if word in BOUNDS or word in SOFT_BOUNDS or word in BUT:
            if index > first:
                spans.append((first, index))
            first = index + 1
    if first < end:
        spans.append((first, end))
    return spans


def _sentence(found: Reading, start: int, end: int, lex: Lexicon, language: str, has_date: bool) -> None:
    spoken = lex.languages[language]
    supposed = _supposed_from(found, start, end, spoken.openers)
    if supposed is not None:
        found.hypothetical = True
        if has_date and supposed > start:
            supposed = None
    for first, last in _clauses(found.tokens, start, end):
        if supposed is not None:
            continue  # "if the handle cracks, stop using it": nothing is said to be so, in either part
        _clause(found, first, last, spoken.backward, spoken.dates["numbers"])


def _supposed_from(found: Reading, start: int, end: int, openers: Sequence[tuple[str, ...]]) -> int | None:
    """Where a sentence turns hypothetical: its opening words, or an "if" inside it."""
    while start < end and (found.tokens[start].text[0].isdecimal() or not found.tokens[start].text[0].isalpha()):
        start += 1
    words = [t.text for t in found.tokens[start : min(end, start + 6)]]
    if words and words[0] in VERB_FIRST and any(t.text in ",:" for t in found.tokens[start + 2 : end]):
        rest = [t.text for t in found.tokens[start + 2 : end]]
        cut = next(n for n, w in enumerate(rest) if w in (",", ":"))
        if set(rest[cut + 1 : cut + 3]) & CONSEQUENCE or (
            len(words) > 1 and words[1] in ("noen", "jemand", "es", "det")
        ):
            return start
    for opener in openers:
        if tuple(words[: len(opener)]) == opener:
            return start
    for at in range(start, min(end, start + 3)):  # "ask whether anyone lost it"
        if found.tokens[at].text in ASKING and any(t.text in WHETHER for t in found.tokens[at + 1 : at + 4]):
            return start
    for cue in found.cues:
        if cue.group == "hypothetical" and start <= cue.first < end:
            word = found.tokens[cue.first].text
            if word in (
                "should",
                "would",
                "could",
                "might",
                "sollte",
                "skulle",
                "ville",
                "kunne",
                "würde",
                "könnte",
                "würden",
                "könnten",
            ):
                continue  # inside a sentence these are polite or reported speech more often than not
            before = found.tokens[cue.first - 1].text if cue.first else ""
            if word in ("if", "om", "ob") and before in (
                "asks",
                "asked",
                "know",
                "ask",
                "see",
                "clear",
                "sure",
                "wonder",
                "wonders",
                "unclear",
                "as",
            ):
                continue
            return cue.first
    return None


def _clause(found: Reading, first: int, last: int, backward: bool, numbers: Collection[str]) -> None:
    here = [c for c in found.cues if first <= c.first < last]
    negators = [c for c in here if c.group in ("negators", "subjects")]
    marks: list[Event] = []
    used: set[int] = set()
    spans = _best(here)
    few = _few(found, first, last, numbers)
    if few is not None:
        marks.append(Event(few, True, "gap", 0.6))
    for cue in spans:
        denied = [
            n for n in negators if _near(n, cue, spans, found) and _denies(n, cue, backward, found.tokens[n.first].text)
        ]
        close = [n for n in denied if found.tokens[n.first].text in DETERMINERS and 0 < cue.first - n.first <= 2]
        denied = close[-1:] or denied  # "no deficit and no risk": each has its own
        odd = len({n.first for n in denied}) % 2 == 1
        if cue.group == "bad":
            if denied and cue.weight < 0.6:
                if cue.kind not in ("waiting", "late"):
                    used.update(n.first for n in denied)
                continue  # "not until", "not only": the denial itself is what counts
            if denied:
                used.update(n.first for n in denied)
            hoped = any(c.group == "expected" and c.first == cue.first and c.end == cue.end for c in here)
            if odd and hoped:
                marks.append(Event(cue.first, True, "waiting", 0.75, True))  # "never came back"
            elif odd:
                marks.append(Event(cue.first, False, cue.kind, 0.7 if cue.weight >= 0.6 else 0.3, True))
            elif denied:
                marks.append(Event(cue.first, True, "gap", 0.5, True))
            else:
                if _resolved_object(found, cue, first):
                    continue
                weight = 0.75 if cue.weight >= 0.6 else 0.3
                if _attributive(found, cue):
                    weight *= 0.65
                if _relative_clause(found, cue.first):
                    weight *= 0.5
                if any(t.text in PLUPERFECT for t in found.tokens[max(first, cue.first - 2) : cue.first]):
                    weight *= 0.4  # "had refused": told of a time before
                marks.append(Event(cue.first, True, cue.kind, weight))
        elif cue.group in ("good", "expected"):
            if denied:
                used.update(n.first for n in denied)
            if odd:
                marks.append(Event(cue.first, True, "waiting" if cue.group == "expected" else "gap", 0.75, True))
            elif cue.group == "good" and not denied:
                weight = 0.8 if cue.weight >= 0.6 else 0.5
                if found.tokens[cue.first].text in FOUND and any(
                    e.bad and e.kind in ("lost", "gap") for e in [*found.events, *marks]
                ):
                    weight = 0.8
                if few is not None or _attributive(found, cue):
                    weight = 0.3  # "only four have sent theirs", "the signed copy": nothing is settled by that
                marks.append(Event(cue.first, False, "", weight))
            elif denied:
                marks.append(Event(cue.first, False, "", 0.3))
    said = {t.text for t in found.tokens[first:last]}
    if said & SINCE and said & BACK and not negators:
        marks.append(Event(last - 1, False, "", 0.8))  # "seit Montag zurück"
    loose = list({n.first: n for n in negators if n.first not in used}.values())
    if len(loose) == 1 and not any(not e.bad for e in marks):
        said = {t.text for t in found.tokens[first:last]}
        if said & YET or said & SINCE:
            marks.append(Event(loose[0].first, True, "waiting", 0.6))
        elif loose[0].group == "subjects" and (
            (last - first > 3 and loose[0].first - first <= 1) or found.tokens[loose[0].first].text not in DETERMINERS
        ):
            nothing = found.tokens[loose[0].first].text in ("nothing", "ingenting", "intet", "nichts", "none")
            marks.append(Event(loose[0].first, True, "gap", 0.2 if nothing else 0.5))
        elif _has_no(found, loose[0].first, first):
            marks.append(Event(loose[0].first, True, "gap", 0.34))
        elif found.tokens[loose[0].first].text not in DETERMINERS:
            weight = 0.5 if _first_person(found, first, last) else _verbal(found, loose[0].first, first, last)
            marks.append(
                Event(loose[0].first, True, "gap", weight)
            )  # "no findings" is no news, "does not close" may be
    elif len(loose) >= 2:
        marks.append(Event(loose[-1].first, False, "", 0.7))
    marks = _late_arrivals(marks)
    found.events += marks


def _first_person(found: Reading, first: int, last: int) -> bool:
    """ "I cannot", "jeg rekker ikke", "wir werden nicht": somebody says what they will not do."""
    words = [t.text for t in found.tokens[first:last]]
    return bool(FIRST_PERSON & set(words[:4]))


def _verbal(found: Reading, at: int, first: int, last: int) -> float:
    """How much a bare "not" says: "did not turn up" more than "do not feed" or "not for Tom"."""
    before = [t.text for t in found.tokens[first:at]]
    if before and before[-1] in AUXILIARY and len(before) > 1 and before[0] not in ("please", "bitte"):
        return 0.42
    return 0.42 if any(w in AUXILIARY for w in before[1:]) or (before and at == last - 1) else 0.3


def _has_no(found: Reading, at: int, first: int) -> bool:
    """ "the cover has no ISBN", "wir haben keinen Torwart", "there is no ramp"."""
    return (
        found.tokens[at].text in DETERMINERS
        and any(t.text in HAVING for t in found.tokens[max(first, at - 2) : at])
        and found.tokens[at].text not in ("without", "uten", "ohne")
    )


def _few(found: Reading, first: int, last: int, numbers: Collection[str]) -> int | None:
    """ "only four of nine", "nur 3", "bare fire": where a clause counts too few."""
    for at in range(first, last - 1):
        if found.tokens[at].text in ONLY:
            after = found.tokens[at + 1].text
            if after[0].isdecimal() or (after in numbers and after not in ("a", "an", "ein", "eine", "en", "et")):
                return at
    return None


def _resolved_object(found: Reading, cue: Cue, first: int) -> bool:
    """ "lifted the ban", "fixed a leak": the trouble is what was seen to."""
    if any(t.text in RESOLVERS for t in found.tokens[max(first, cue.first - 4) : cue.first]):
        return True
    after = [t.text for t in found.tokens[cue.end : cue.end + 6]]
    return any(w in RESOLVERS and set(after[:n]) & PASSIVE for n, w in enumerate(after))


def _attributive(found: Reading, cue: Cue) -> bool:
    """A participle that only describes a noun: "the signed copy", "the delayed parcel"."""
    if not cue.first or cue.end >= len(found.tokens) or cue.end - cue.first > 1:
        return False
    after = found.tokens[cue.end].text
    return found.tokens[cue.first - 1].text in ARTICLES and after.isalpha() and after not in LINKING


def _relative_clause(found: Reading, at: int) -> bool:
    """ "the cook who was ill", "lageret som røk": told in passing to say which one."""
    return any(t.text in RELATIVE for t in found.tokens[max(0, at - 3) : at])


def _best(cues: Sequence[Cue]) -> list[Cue]:
    """At most one reading of each place: the longest phrase, bad before good before expected."""
    rank = {"bad": 0, "good": 1, "expected": 2}
    wanted = [c for c in cues if c.group in rank]
    wanted.sort(key=lambda c: (-(c.end - c.first), rank[c.group] + (0.5 if c.weight < 0.6 else 0) * 3, c.first))
    kept: list[Cue] = []
    for cue in wanted:
        same = [k for k in kept if not (cue.end <= k.first or cue.first >= k.end)]
        if not same:
            kept.append(cue)
    # a word listed as expected and as weak trouble counts as expected where it is denied
    return sorted(kept, key=lambda c: c.first)


def _near(negator: Cue, cue: Cue, spans: Sequence[Cue], found: Reading) -> bool:
    """A negator reaches the first listed word after it, and further ones only through "and", "or", "nor"."""
    if negator.first >= cue.first:
        return True
    if cue.group == "expected" and any(
        s.group == "bad" and s.weight >= 0.6 and 0 <= s.first - cue.end <= 3 for s in spans
    ):
        return False  # "do not see any risk": what is denied is the risk
    if negator.group == "subjects":
        return True
    between = [s for s in spans if negator.end <= s.first < cue.first]
    if not between or (all(s.group == "expected" and cue.first - s.end <= 3 for s in between) and cue.group == "bad"):
        return True
    if all(s.group == "expected" and cue.first - s.end <= 1 for s in between):
        return True  # "has not been signed": the verb that carries the meaning comes last
    last = between[-1]
    if cue.first - last.end <= 1 and any(
        c.group == "expected" and (c.first, c.end) == (last.first, last.end) for c in found.cues
    ):
        return True  # "never came back signed"
    joined = {t.text for t in found.tokens[between[-1].end : cue.first]}
    return bool(joined & JOINING) and len(joined) <= 3


def _denies(negator: Cue, cue: Cue, backward: bool, word: str) -> bool:
    reach = NOUN_FORWARD if word in DETERMINERS else FORWARD
    if negator.first == cue.first:
        return False
    if negator.end <= cue.first:
        return cue.first - negator.end <= reach
    if backward and negator.first >= cue.end:
        return negator.first - cue.end <= BACKWARD and negator.group == "negators"
    return False


def _late_arrivals(marks: list[Event]) -> list[Event]:
    """ "arrived late", "paid late": the thing came; lateness beside it is past."""
    kept: list[Event] = []
    for event in sorted(marks, key=lambda e: e.at):
        if event.bad and event.kind in ("late", "overdue") and not event.negated and kept:
            before = kept[-1]
            if not before.bad and event.at - before.at <= 3:
                continue
        kept.append(event)
    return kept


def falls_short(words: Sequence[str], wanted: frozenset[str], got: frozenset[str], numbers: Mapping[str, str]) -> bool:
    """ "40 panes ordered, 31 came": a number wanted and a smaller one there, in one statement."""
    values = [
        (n, float(w) if w.isdecimal() else float(numbers[w]))
        for n, w in enumerate(words)
        if (w.isdecimal() and len(w) < 6) or (w in numbers and w not in ("a", "an", "en", "et", "ein", "eine"))
    ]
    want = [v for n, v in values if set(words[max(0, n - 3) : n + 4]) & wanted and v > 2]
    have = [v for n, v in values if set(words[max(0, n - 2) : n + 4]) & got]
    return bool(want and have) and min(have) < max(want) and len({*want, *have}) > 1
