"""Checks every label, and the scorer against transcripts whose score is known. Nothing of the program is run.

Labels: changes apply, a must stands in the folder while it may be told, its words match its own text and a line of its
evidence, what a question expects stands there when it is asked, silent days are fair. Transcripts: one told by the
labels scores 1, an empty one 0, one that tells every line has a precision under a tenth, and a line planted to be a
nag, stale, false, early or in the wrong file is counted as what it is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import Any

from bench.lives import mornings, score
from bench.lives.life import Fortnight, Label, Morning, Place, Question, Tree, lines_of

LEAST_DAYS, LEAST_SILENT, LEAST_MUSTS, LEAST_QUESTIONS = 14, 2, 10, 10
FLOOD, FLOOD_MORNING = 0.1, 0.25  # precision of telling every line; a morning has few lines
FORMS = ("pointers", "insights")
MINUTE = timedelta(minutes=1)
Steps = list[dict[str, Any]]


def fortnight(life: Fortnight) -> Iterator[str]:
    """What is wrong with a life of some days."""
    yield from _size(life)
    yield from _silence(life)
    for must in life.musts:
        yield from _must(life, must)
    for label in (*life.musts, *life.mays):
        for place in label.every:
            if not _ever(life, place):
                yield f"{label.id}: {place.path} never holds {place.has!r}"
    for question in life.questions:
        for each in question.expect:
            if not _found(each, life.tree_at(question.at)):
                yield f"{question.id}: {each!r} stands nowhere at that time"
    yield from _transcripts(life)


def _size(life: Fortnight) -> Iterator[str]:
    counts = (
        ("days", life.days, LEAST_DAYS),
        ("silent days", len(life.silent), LEAST_SILENT),
        ("musts", len(life.musts), LEAST_MUSTS),
        ("questions", len(life.questions), LEAST_QUESTIONS),
    )
    yield from (f"{count} {what}, not {least}" for what, count, least in counts if count < least)
    for part in ([*life.musts, *life.mays], life.questions):
        yield from _twice(each.id for each in part)


def _twice(ids: Iterable[str]) -> Iterator[str]:
    yield from (f"{name} stands twice" for name, count in Counter(ids).items() if count > 1)


def _silence(life: Fortnight) -> Iterator[str]:
    days = set(map(life.day, range(life.days)))
    yield from (f"the silent {day} is none of its days" for day in sorted(life.silent - days))
    for must in life.musts:
        for day in sorted(life.silent):
            assert must.start is not None and must.by is not None
            if day in (must.start.date(), must.by.date()):
                yield f"{must.id}: begins or ends on the silent {day}"


def _must(life: Fortnight, must: Label) -> Iterator[str]:
    slots = _window(life, must)
    if not slots:
        yield f"{must.id}: no pulse between tell_from and tell_by, silent days left out"
        return
    if must.settled is not None and must.by is not None and must.settled < must.by:
        yield f"{must.id}: settled before tell_by"
    if not must.words.match(must.what):
        yield f"{must.id}: its words do not match what it says"
    texts = []
    for place in must.every:
        standing = [tree for tree in map(life.tree_at, slots) if place.line_in(tree)]
        texts += [_line(tree, place) for tree in standing]
        if not standing and place in must.places:
            yield f"{must.id}: {place.path} does not hold {place.has!r} while it may be told"
    if not any(map(must.words.match, texts)):
        yield f"{must.id}: no line of its evidence has its words"


def _window(life: Fortnight, must: Label) -> list[datetime]:
    """The pulses at which a must can be told in time, outside the silent days."""
    assert must.start is not None and must.by is not None
    return [at for at in life.pulses() if must.start <= at <= must.by and at.date() not in life.silent]


def _line(tree: Tree, place: Place) -> str:
    number = place.line_in(tree)
    return lines_of(tree[place.path])[number - 1] if number else ""


def _ever(life: Fortnight, place: Place) -> bool:
    times = [None, *(each.at for each in life.changes)]
    return any(place.path in tree and place.line_in(tree) for tree in map(life.tree_at, times))


def _found(pattern: str, tree: Tree) -> str:
    """A text of the folder that matches, "" for none."""
    hits = (re.search(pattern, line, re.IGNORECASE) for text in tree.values() for line in lines_of(text))
    return next((hit[0] for hit in hits if hit), "")


# -- transcripts ---------------------------------------------------------------------------------------------


def _transcripts(life: Fortnight) -> Iterator[str]:
    for form in FORMS:
        found = score.score(life, perfect(life, form))
        wrong = [f"{each.verdict} {each.label or each.text}" for each in found.told if each.verdict != "hit"]
        missed = [must.id for must in life.musts if must.id not in found.in_time]
        for what, ids in (("told by the labels is", wrong), ("told by the labels it misses", missed)):
            if ids:
                yield f"by {form}: {what} {', '.join(ids)}"
        failed = [each.question.id for each in found.answers if each.result != "right"]
        if failed:
            yield f"by {form}: answers made from the labels are wrong: {', '.join(failed)}"
    if score.tally(life, score.score(life, []))["in_time"]:
        yield "telling nothing tells a must in time"
    flood = score.tally(life, score.score(life, everything(life)))
    if flood["right"] >= FLOOD * flood["told"]:
        yield f"telling every line is right in {flood['right']} of {flood['told']}"
    yield from _planted(life)


def _planted(life: Fortnight) -> Iterator[str]:
    """A line of each fault, planted beside a perfect transcript, has to be counted as that fault once."""
    for what, at, text in planted(life):
        before = score.tally(life, score.score(life, perfect(life, "pointers")))
        steps = sorted([*perfect(life, "pointers"), _step(at, [text])], key=lambda each: life.time(each["at"]))
        after = score.tally(life, score.score(life, steps))
        if after[what] != before[what] + 1 or after["told"] != before["told"] + 1:
            yield f"a planted {what} line counts as {dict(after - before)}"


def planted(life: Fortnight) -> Iterator[tuple[str, datetime, str]]:
    """(fault, when, the line) for each fault that this life has room for."""
    told = {must: _window(life, must)[0] for must in life.musts if _window(life, must)}
    alone = [must for must in told if _is_alone(life, must)]
    lasting = (must for must in alone if not must.settled or told[must] + MINUTE < must.settled)
    nag = next((must for must in lasting if not must.news), None)
    stale = next((must for must in alone if must.settled), None)
    early = next((must for must in alone if must.start and must.start.date() > life.info.start), None)
    if nag:
        yield "nag", told[nag] + MINUTE, _pointing(nag.what, nag.places[0].path, 1)
        yield "false", told[nag] + MINUTE, _pointing("the moon is late", nag.places[0].path, 1)
        other = next((path for _, path in life.paths if path not in {one.path for one in _places(life)}), None)
        if other:
            yield "false", told[nag] + MINUTE, _pointing(nag.what, other, 1)
    if stale and stale.settled:
        yield "stale", stale.settled + MINUTE, _pointing(stale.what, stale.places[0].path, 1)
    if early and early.start:
        yield "early", early.start - MINUTE, _pointing(early.what, early.places[0].path, 1)


def _places(life: Fortnight) -> list[Place]:
    return [place for label in (*life.musts, *life.mays) for place in label.every]


def _is_alone(life: Fortnight, must: Label) -> bool:
    """Whether telling a must names nothing else."""
    others = (each for each in (*life.musts, *life.mays) if each.id != must.id)
    return not any(must.places[0].path in each.paths and each.words.match(must.what) for each in others)


def perfect(life: Fortnight, form: str) -> Steps:
    """Each must told once, at the first pulse that may, as lines that point to files or by the insights behind them."""
    steps: dict[datetime, Steps] = {}
    for must in life.musts:
        for at in _window(life, must)[:1]:
            tree = life.tree_at(at)
            place = next((each for each in must.every if each.line_in(tree)), must.places[0])
            number = place.line_in(tree) or 1
            if form == "pointers":
                text = _pointing(must.what, place.path, number)
                steps.setdefault(at, [_step(at, [])])[0]["notices"] += _notice(text)
            else:
                evidence = [{"path": place.path, "line": number, "quote": ""}]
                insight = {"kb": life.kb, "title": must.what, "evidence": evidence}
                text = f"[{life.kb}] {must.what}, due soon (and 2 more)"
                steps.setdefault(at, []).append(_step(at, []) | {"notices": _notice(text, insight)})
    told = [step for at in sorted(steps) for step in steps[at]]
    return told + [_asked(life, each) for each in life.questions]


def _asked(life: Fortnight, question: Question) -> dict[str, Any]:
    tree = life.tree_at(question.at)
    none = "I found nothing about that."
    text = none if question.kind == "none" else "\n".join(_found(each, tree) for each in question.expect)
    return {"at": question.at.isoformat(), "verb": "ask", "args": [question.ask], "stdout": text, "notices": []}


def everything(life: Fortnight) -> Steps:
    """Every line of the folder, told once a day."""
    steps, days = [], set()
    for at in life.pulses():
        if at.date() not in days:
            days.add(at.date())
            steps.append(_step(at, list(_every_line(life.tree_at(at), ""))))
    return steps


def _every_line(tree: Tree, prefix: str) -> Iterator[str]:
    for path, text in tree.items():
        for number, line in enumerate(lines_of(text), 1):
            if line.strip():
                yield _pointing(line.strip(), prefix + path, number)


def _pointing(text: str, path: str, line: int) -> str:
    return f"- {text} ({path}:{line})"


def _notice(text: str, *insights: dict[str, Any]) -> Steps:
    return [{"kind": "escalation", "text": text, "insights": list(insights)}]


def _step(at: datetime, lines: list[str]) -> dict[str, Any]:
    notices = _notice("\n".join(lines)) if lines else []
    return {"at": at.isoformat(), "verb": "pulse", "args": [], "stdout": "", "notices": notices}


# -- mornings ------------------------------------------------------------------------------------------------


def morning(life: Morning) -> Iterator[str]:
    """What is wrong with a morning. That each label stands in one line was seen when it was read."""
    yield from _twice(each.id for each in life.issues)
    if not 1 <= len(life.trees) <= 4:
        yield f"{len(life.trees)} knowledge bases, not 1 to 4"
    musts = [each for each in life.issues if each.must]
    for what, issues in (("musts", musts), ("issues", life.issues)):
        raised = [mornings.Raised(mornings.pointed(each), each.severity, each.what) for each in issues]
        verdicts = mornings.judged(life, raised)
        found = {must for each in verdicts for must in each.musts}
        wrong = [each.raised.text for each in verdicts if each.verdict == "false"]
        if wrong or found != {each.id for each in musts}:
            yield f"raising its {what} finds {len(found)} of {len(musts)} musts and {len(wrong)} false alarms"
    lines = [_step(life.now, list(_every_line(tree, f"{kb}/"))) for kb, tree in life.trees.items()]
    flood = mornings.tally(life, lines)
    if flood["told_useful"] > FLOOD_MORNING * (flood["told_useful"] + flood["told_false"]):
        yield f"telling every line is right in {flood['told_useful']} and false in {flood['told_false']}"
    if mornings.tally(life, [])["listed_musts"]:
        yield "telling nothing finds a must"
