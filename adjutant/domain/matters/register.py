"""DOMAIN. The register's side of the picture: which matter is which, and what has to be written down of it.

A matter keeps its id by its line; else by its file and heading where most of its content stems stay; else by its
content, so that a file that moved keeps what is known of its matters.
"""

import base64
import hashlib
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import count
from typing import Any

import msgspec

from adjutant.domain.matters.events import INSTANCE
from adjutant.domain.matters.picture import QUIET, Closed, Open
from adjutant.domain.matters.settle import Placed
from adjutant.records import matters_log
from adjutant.records.insights import stems_of
from adjutant.records.matters_log import FIELDS, Known

_CELLS, _FIGURES = re.compile(r"[|,;\t]"), re.compile(r"\d+")
MOST = 40  # closing lines of one stem that are looked at, but all of the rarest
SHORTEST, ALIKE = 4, 0.6  # characters of an id; of the content stems that make it the same matter in other words
MODELS = ("by", "says", "verdict", "reason", "graded", "concern")  # what a model makes of a matter
STEADY = tuple(name for name in FIELDS if name not in ("line", "fresh", *MODELS))


def identify(known: Mapping[str, Known], kb: str, found: Sequence[Open], taken: set[str]) -> None:
    """Gives each matter of a knowledge base its id. `taken`: every id there is; those that are given join it."""
    free = {id: each for id, each in known.items() if each.kb == kb}
    lines: dict[tuple[str, str, str], list[str]] = defaultdict(list)  # the ids that a line has, open ones first
    for id, one in sorted(free.items(), key=lambda pair: pair[1].state != "open"):
        for what in (one.what, ""):
            lines[one.path, _instance(one.heads) + one.quote, what].append(id)
    unknown = [each for each in found if not _give(each, lines, free)]
    places: dict[tuple[str, tuple[str, ...]], list[Known]] = defaultdict(list)
    for one in free.values():
        if one.state == "open":
            places[one.path, one.heads].append(one)
    for each in unknown:
        same = _alike(each, [one for one in places[each.evidence[0].path, each.heads] if one.id in free])
        if same is not None:
            each.id = free.pop(same.id).id
    ids: dict[frozenset[str], Iterator[str]] = {}  # one for all matters of the same words: what is taken stays taken
    for each in unknown:
        if not each.id:
            stems = stems_of(each.what) or frozenset((" ".join(each.what.split()),))
            stems |= {_instance(each.heads)} - {""}
            made = ids.setdefault(stems, _ids(kb, stems))  # the shortest that is free, or that it had elsewhere
            each.id = next(id for id in made if id not in taken or (id in free and stems_of(free[id].what) == stems))
            free.pop(each.id, None)
            taken.add(each.id)


def _instance(heads: Sequence[str]) -> str:
    """Which time of a series a matter is, "" where its line has only one: the other times are other matters."""
    return heads[0] if heads and heads[0].startswith(INSTANCE) else ""


def _give(each: Open, lines: Mapping[tuple[str, str, str], list[str]], free: dict[str, Known]) -> bool:
    """The id of the same line and words; else of the same line, of its own or of other evidence."""
    for number, cited in enumerate(each.evidence):
        for what in (each.what, "") if number == 0 else ("",):
            quote = _instance(each.heads) + cited.quote
            id = next((id for id in lines.get((cited.path, quote, what), ()) if id in free), None)
            if id is not None:
                each.id = free.pop(id).id
                return True
    return False


def _alike(each: Open, others: Sequence[Known]) -> Known | None:
    """The one that shares most content stems, at least .6 of both together; the same row counts as .6."""
    mine, best, most = stems_of(each.what), None, ALIKE
    for other in others:
        theirs = stems_of(other.what)
        share = len(mine & theirs) / (len(mine | theirs) or 1)
        if "row" in each.rests and _is_row(other.quote, each.evidence[0].quote):
            share = max(share, ALIKE)
        if share >= most and (best is None or share > most):
            best, most = other, share
    return best


def _is_row(before: str, now: str) -> bool:
    """Whether a row is an earlier one with another state: its first cell is the same, and its figures all stand."""
    cells = [_CELLS.split(quote.strip("| \t"), maxsplit=1)[0].strip() for quote in (before, now)]
    figures = [set(_FIGURES.findall(quote)) for quote in (before, now)]
    return cells[0] == cells[1] and bool(stems_of(cells[0])) and figures[0] <= figures[1]


def _ids(kb: str, stems: frozenset[str]) -> Iterator[str]:
    """Ids of a matter: base32 with a digit, the shortest first; beginning with a letter, so that none is a number."""
    for number in count():
        digest = hashlib.sha256(f"{kb}\0{' '.join(sorted(stems))}\0{number}".encode("utf-8", "replace")).digest()
        text = base64.b32encode(digest).decode("ascii").lower().rstrip("=")
        for size in (SHORTEST, SHORTEST + 1):
            windows = (text[at : at + size] for at in range(len(text) - size) if text[at].isalpha())
            yield next((each for each in windows if not each.isalpha()), text[:size] + "2")


def fields_of(each: Open) -> dict[str, Any]:
    """A matter as the register writes it."""
    quiet = each.muted.removeprefix(QUIET) if each.muted.startswith(QUIET) else ""
    said = msgspec.to_builtins(each) | msgspec.to_builtins(each.evidence[0])
    said |= {"certainty": each.certainty, "quiet": quiet}
    return {name: said[name] for name in FIELDS if name in said}


def events(
    known: Mapping[str, Known], found: Sequence[Open], gone: Sequence[Closed], now: datetime, run: str
) -> Iterator[dict[str, Any]]:
    """What the register has to be told: new matters, what changed of known ones, how others ended."""
    for each in found:
        before, fields = known.get(each.id), fields_of(each)
        if before is None or before.state != "open":
            yield matters_log.event("seen", each.id, now, run, fields)
        elif changed := {name: fields[name] for name in STEADY if name in fields and _differs(before, name, fields)}:
            yield matters_log.event("changed", each.id, now, run, {**changed, "line": fields["line"]})
    for closed in gone:
        path, _, line = closed.place.rpartition(":")
        rests = {"path": path, "line": int(line)} if path and line.isdigit() else {}
        yield matters_log.event("settled", closed.id, now, run, {"state": closed.state, **rests})


def _differs(before: Known, name: str, fields: Mapping[str, Any]) -> bool:
    old = getattr(before, name)
    if name == "severity" and before.verdict:
        return False  # a model's word stands; what rules find is in `found`
    if name == "found" and not old:
        return False  # written before there was such a field
    return bool(old != fields[name])


def end(known: Mapping[str, Known], kb: str, still: set[str], closing: Sequence[Placed]) -> Iterator[Closed]:
    """The matters of a knowledge base that were open and are no more. `closing`: its facts that say done or dropped;
    one of the same file and heading, or of the same words anywhere, tells how it ended. Else it is gone."""
    mine = [each for each in known.values() if each.kb == kb and each.state == "open" and each.id not in still]
    if not mine:
        return
    by_stem: dict[str, list[Placed]] = defaultdict(list)
    for placed in closing:
        for stem in stems_of(placed.fact.what or placed.fact.quote):
            by_stem[stem].append(placed)
    for each in mine:
        stems = stems_of(each.what)
        rare = sorted((by_stem[stem] for stem in stems if stem in by_stem), key=len)
        near = {id(placed): placed for found in (*rare[:1], *(each[:MOST] for each in rare[1:])) for placed in found}
        best, most = None, ALIKE
        for placed in near.values():
            theirs = stems_of(placed.fact.what or placed.fact.quote)
            share = len(stems & theirs) / (len(stems | theirs) or 1)
            if placed.fact.basis == "row" and placed.path == each.path and _is_row(each.quote, placed.fact.quote):
                share = 1.0
            if share >= most or (len(stems) > 1 and stems <= theirs):
                best, most = placed, max(share, most)
        ended = ("gone", "") if best is None else (best.fact.state, f"{best.path}:{best.fact.line}")
        yield Closed(each.id, kb, each.what, *ended)
