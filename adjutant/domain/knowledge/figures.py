"""Figures against figures: limits, shortfalls, plan against actual, the odd row of a table."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache

import msgspec

from adjutant.domain.knowledge import dates, reading, series
from adjutant.domain.knowledge.context import Base, Place
from adjutant.domain.knowledge.lexicon import Lexicon
from adjutant.domain.knowledge.structure import Field, Unit

NUMBER = re.compile(r"(?<![\w.,])[-+]?(?:\d{1,3}(?:[ ,.’']\d{3})+(?:[.,]\d{1,2})?|\d+(?:[.,]\d+)?)(?![\w]*\d)")
OF = re.compile(
    r"(?<![\d./])(\d{1,5})\s*(?:of|out of|av|von|/)\s*(?:the\s+|our\s+|de\s+|den\s+)?(\d{1,5})(?![\d./%:])",
    re.IGNORECASE,
)
NEAR = 0.95


class Figure(msgspec.Struct, frozen=True):
    """Something the figures say about a unit (index in the document)."""

    index: int
    line: int
    kind: str  # limit, outlier, late, gap
    weight: float
    also: tuple[int, ...] = ()
    near: bool = False


def find(place: Place, base: Base) -> list[Figure]:
    """What a document's figures say, a unit at most once per kind."""
    found = _records(place, base)
    found += _tables(place, base)
    found += _heart_limits(place, base)
    found += _stated_limits(place, base)
    return found


def number(text: str) -> float | None:
    """The one number a value is: see series.value_of."""
    return series.value_of(text)


def _value(digits: str) -> float | None:
    return series.parse_number(digits)


def _records(place: Place, base: Base) -> list[Figure]:
    """A limit in a record (or above it) against the measures beside it; the latest of a series decides."""
    doc, lex = place.doc, base.lex
    found: list[Figure] = []
    limits: list[tuple[str, Field, float]] = []
    for unit in doc.units:
        if unit.kind == "record":
            for f in unit.fields:
                roles, value = lex.role(f.key, doc.language), number(f.value)
                if value is not None and ("max" in roles or "min" in roles) and "now" not in roles:
                    limits.append(("max" if "max" in roles else "min", f, value))
    if not limits:
        return found
    series: dict[str, list[tuple[int, Field, float]]] = defaultdict(list)
    for index, unit in enumerate(doc.units):
        if unit.kind != "record":
            continue
        for f in unit.fields:
            roles, value = lex.role(f.key, doc.language), number(f.value)
            if value is None or (roles & {"max", "min", "log"} - {"now"} and "now" not in roles) or _is_year(value, f):
                continue
            series[f.key.lower()].append((index, f, value))
    for side, limit, bound in limits:
        for key, values in series.items():
            owner = next((u for u in doc.units if limit in u.fields), None)
            own = [v for v in values if owner is not None and v[0] < len(doc.units) and doc.units[v[0]] is owner]
            if len(limits) > 1 and not own and not _shares(key, limit.key):
                continue
            for index, f, value in own or values[-1:]:
                if not _comparable(key, limit.key, value, bound):
                    continue
                if (side == "max" and value > bound) or (side == "min" and value < bound):
                    found.append(Figure(index, f.line, "limit", 0.85, (limit.line,)))
                elif side == "max" and bound and value >= NEAR * bound and value < bound:
                    found.append(Figure(index, f.line, "limit", 0.7, (limit.line,), near=True))
    return _once(found)


def _shares(a: str, b: str) -> bool:
    return bool(_words_of(a) & _words_of(b))


def _words_of(key: str) -> set[str]:
    return {w for w in re.split(r"[\W_]+", key.lower()) if len(w) > 2}


def _comparable(key: str, limit_key: str, value: float, bound: float) -> bool:
    if _shares(key, limit_key):
        return True
    if value <= 0 or bound <= 0:
        return False
    return 0.1 <= value / bound <= 10


def _is_year(value: float, f: Field) -> bool:
    return value == int(value) and 1900 <= value <= 2100 and re.fullmatch(r"\d{4}", f.value.strip()) is not None


def _once(found: Sequence[Figure]) -> list[Figure]:
    kept: dict[tuple[int, str], Figure] = {}
    for one in found:
        key = (one.index, one.kind)
        if key not in kept or one.weight > kept[key].weight:
            kept[key] = one
    return list(kept.values())


# -- tables ----------------------------------------------------------------------------------------------


def _tables(place: Place, base: Base) -> list[Figure]:
    found = [Figure(odd.index, odd.line, odd.kind, odd.weight) for odd in series.find(place, base)]
    for index, unit in enumerate(place.doc.units):
        if unit.kind in ("row", "record"):
            found += _against_plan(place, base, index)
    return _once(found)


def _against_plan(place: Place, base: Base, index: int) -> list[Figure]:
    """A planned date or number beside what it is now: later by days, over a budget, or short of the plan."""
    doc, unit = place.doc, place.doc.units[index]
    pair = _plan_and_now(unit, base, doc.language)
    if pair is None:
        return []
    plan, now = pair
    planned = dates.find(plan.value, unit.day, base.today, base.lex, doc.language)
    actual = dates.find(now.value, unit.day, base.today, base.lex, doc.language)
    if planned and actual:
        read = reading.read(now.value, base.lex, doc.language)
        if not read.closed and (actual[0].day - planned[0].day).days >= 2 and actual[0].day >= base.today:
            return [Figure(index, now.line, "late", 0.85)]
        return []
    a, b = number(plan.value), number(now.value)
    if a is None or b is None or a == b or a <= 0:
        return []
    key = {w for w in re.split(r"[\W_]+", plan.key.lower()) if w}
    if key & MONEY or "max" in base.lex.role(plan.key, doc.language):
        return [Figure(index, now.line, "limit", 0.75)] if b > 1.08 * a and b < 10 * a else []
    return [Figure(index, now.line, "gap", 0.65)] if 0 <= b < 0.9 * a else []


MONEY = frozenset(
    [
        "budget",
        "budgeted",
        "budsjett",
        "quoted",
        "quote",
        "estimate",
        "kostenschätzung",
        "angebot",
        "ansatz",
        "allowed",
        "limit",
        "ramme",
        "anbud",
    ]
)


def _plan_and_now(unit: Unit, base: Base, language: str) -> tuple[Field, Field] | None:
    plan = now = None
    for f in unit.fields:
        roles = set(base.lex.role(f.key, language))
        for word in re.split(r"[\W_]+", f.key):
            if word and word.lower() != f.key.lower():
                roles |= base.lex.role(word, language)
        if roles & {"planned"} and plan is None:
            plan = f
        elif "now" in roles and plan is not None and now is None:
            now = f
    if plan is not None and now is None:
        after = unit.fields[unit.fields.index(plan) + 1 :]
        beside = after[0] if after else None
        if (beside is not None and "due" in base.lex.role(beside.key, language)) or (
            beside is not None
            and unit.kind == "row"
            and number(plan.value) is not None
            and number(beside.value) is not None
        ):
            now = beside
    return (plan, now) if plan is not None and now is not None else None


# -- prose -----------------------------------------------------------------------------------------------

BOUND = re.compile(r"[-+]?\d[\d ,.’']*\d|\d")


def _heart_limits(place: Place, base: Base) -> list[Figure]:
    """A bound written in the heart ("under 0.9 %") against figures of the same unit in a file that serves it."""
    doc = place.doc
    found: list[Figure] = []
    for n, item in enumerate(base.relevance.items):
        if item.part == "quiet":
            continue
        for side, bound, unit_word in _bounds(item.text, base, doc.language):
            if side == "max":
                found += _cells_over(place, base, n, bound)
            for index, unit in enumerate(doc.units):
                score, which, _ = base.relevance_of(place, index)
                if score < 0.5 or (which != n and n not in place.name.words and n not in place.touches[index].words):
                    continue
                for value, text in _values(unit.text):
                    if unit_word and unit_word not in text and unit_word not in unit.text.lower():
                        continue
                    if not unit_word and not 0.2 <= value / (bound or 1) <= 5:
                        continue
                    if (side == "max" and value > bound) or (side == "min" and value < bound):
                        found.append(Figure(index, unit.line, "limit", 0.8))
                    elif side == "max" and value >= NEAR * bound:
                        found.append(Figure(index, unit.line, "limit", 0.75, near=True))
    return _latest(place, _once(found))


def _cells_over(place: Place, base: Base, n: int, bound: float) -> list[Figure]:
    """Cells of tables that serve a heart item over its bound, where at most a few are."""
    rows: list[tuple[int, Field, float]] = []
    named: list[tuple[int, Field, float]] = []
    for index, unit in enumerate(place.doc.units):
        if unit.kind not in ("row", "record"):
            continue
        touched = n in place.touches[index].words
        around = n in place.name.words or n in base.columns_of(place, unit).words
        if not touched and not around and base.relevance_of(place, index)[1] != n:
            continue
        for f in unit.fields:
            value = number(f.value)
            if (
                value is None
                or "log" in base.lex.role(f.key, place.doc.language)
                or not 0.1 * bound <= value <= 2.5 * bound
            ):
                continue
            if "planned" in base.lex.role(f.key, place.doc.language):
                continue
            (named if touched else rows).append((index, f, value))
    found = []
    over = [(i, f) for i, f, v in named if v > bound] or [(i, f) for i, f, v in rows if v > bound]
    if over and len(over) <= max(1, len(named or rows) // 3):
        found = [Figure(i, f.line, "limit", 0.8) for i, f in over]
    return found


def _latest(place: Place, found: list[Figure]) -> list[Figure]:
    """Of a series of dated measures only the latest day counts."""
    days = [place.doc.units[f.index].day for f in found if place.doc.units[f.index].dated]
    real = [d for d in days if d is not None]
    if not real:
        return found
    newest = max(u.day for u in place.doc.units if u.dated and u.day is not None)
    return [f for f in found if not place.doc.units[f.index].dated or place.doc.units[f.index].day == newest]


def _bounds(text: str, base: Base, language: str) -> list[tuple[str, float, str]]:
    """(side, bound, unit) of "under 0.9 %", "at least 3 months", "180 seats, no more"."""
    if not any(c.isdecimal() for c in text):
        return []
    found = []
    low = text.lower()
    for name in sorted({language, "en"} & set(base.lex.languages)):
        for phrase_side, pattern in _bound_patterns(base.lex, name):
            for match in pattern.finditer(low):
                value = _value(match[1].strip("€$£ ,."))
                before = re.findall(r"[^\W\d_]+", low[max(0, match.start() - 24) : match.start()])[-3:]
                flipped = "min" if phrase_side == "max" else "max"  # "nobody over 200 hours" is a ceiling
                side = flipped if NEVER & set(before) else phrase_side
                if value is not None and not _a_date(match[2] or "", base, language):
                    found.append((side, value, match[2] or ""))
    for match in BETWEEN.finditer(low):
        pair = _value(match[1]), _value(match[2])
        if (
            pair[0] is not None
            and pair[1] is not None
            and pair[0] < pair[1]
            and not _a_date(match[3] or "", base, language)
        ):
            found += [("min", pair[0], match[3] or ""), ("max", pair[1], match[3] or "")]
    for match in NO_MORE.finditer(low):
        value = _value(match[1].rstrip(".,"))
        if value is not None:
            found.append(("max", value, match[2]))
    return found[:4]


BETWEEN = re.compile(
    r"(?:between|mellom|zwischen)\s+(\d+(?:[.,]\d+)?)\s*(?:and|og|und)\s+(\d+(?:[.,]\d+)?)\s?(%|°c?|[^\W\d]+)?"
)
NEVER = frozenset(
    [
        "nobody",
        "none",
        "no",
        "never",
        "not",
        "nothing",
        "ingen",
        "aldri",
        "ikke",
        "niemand",
        "keiner",
        "keine",
        "kein",
        "nie",
        "nicht",
    ]
)
NO_MORE = re.compile(
    r"(?<![\d.,])(\d[\d.,]*)\s+([^\W\d]+)[^.;\d]{0,20}?"
    r"(?:no more|not more|keiner? mehr|ikke mer|ikke flere|at most|höchstens|tops)"
)


@lru_cache(maxsize=64)
def _bound_patterns(lex: Lexicon, name: str) -> list[tuple[str, re.Pattern[str]]]:
    made = []
    for side in ("max", "min"):
        phrases = sorted(lex.languages[name].limits.get(side, ()), key=len, reverse=True)
        if phrases:
            either = "|".join(re.escape(p) for p in phrases)
            made.append(
                (
                    side,
                    re.compile(
                        rf"(?<!\w)(?:{either})\s+(?:to\s+|is\s+|på\s+|von\s+)?"
                        r"([€$£]?\s?[-−]?\d[\d ,.’']{0,14})\s?(%|°C?|[^\W\d]+)?"
                    ),
                )
            )
    return made


def _a_date(word: str, base: Base, language: str) -> bool:
    return any(word in base.lex.languages[n].dates["months"] for n in {language, "en"} & set(base.lex.languages))


def _values(text: str) -> list[tuple[float, str]]:
    found = []
    bare = dates.ISO.sub(" ", dates.DOTTED.sub(" ", text))
    for match in re.finditer(r"(?<![\w.,/-])([-+]?\d[\d,.’']*)\s?(%|°C?|[^\W\d]+)?", bare):
        value = _value(match[1].rstrip(".,"))
        if value is not None:
            found.append((value, (match[2] or "").lower()))
    return found


def _stated_limits(place: Place, base: Base) -> list[Figure]:
    """ "Limit: 25 kg" or "may not exceed 40 hours" in a file's prose against other figures of the same unit there."""
    doc = place.doc
    found: list[Figure] = []
    bounds = [
        (i, side, bound, word)
        for i, unit in enumerate(doc.units)
        if unit.kind not in ("record", "row", "code")
        for side, bound, word in _bounds(unit.text.replace(":", " "), base, doc.language)
        if word and word not in ("of", "and", "og", "und", "the", "to", "in", "at")
    ]
    for i, side, bound, word in bounds[:8]:
        for index, unit in enumerate(doc.units):
            if index == i or unit.kind == "code":
                continue
            for value, text in _values(unit.text):
                if text != word or _bounds(unit.text, base, doc.language):
                    continue
                if (side == "max" and value > bound) or (side == "min" and value < bound):
                    found.append(Figure(index, unit.line, "limit", 0.75, (doc.units[i].line,)))
    return _latest(place, _once(found))


def part_of(text: str) -> tuple[int, int] | None:
    """(have, whole) of "29 of 40" where the whole is larger and it is no date or ratio of equals."""
    for match in OF.finditer(text):
        have, whole = int(match[1]), int(match[2])
        if (
            have < whole
            and whole > 2
            and not ("/" in match.group() and whole <= 12 and have <= 31 and " " not in match.group())
        ):
            return have, whole
    return None
