"""DOMAIN. Which drafts become suggestions: those that fit a file, are new, and weigh most; and how they are told."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from statistics import fmean
from typing import Any, NamedTuple

import msgspec

from adjutant.app import App, plural
from adjutant.clock import Clock, moment
from adjutant.domain.learning import acting, placing, target
from adjutant.domain.recall.taxonomy import PREFIX
from adjutant.ports import TRUST
from adjutant.printable import escape
from adjutant.records import evolution_log
from adjutant.records import suggestion as kinds
from adjutant.records.evolution_log import Held, Proposed, State
from adjutant.records.interactions import CYCLE, Interaction
from adjutant.records.suggestion import Analysis, Change, Draft, Finding, Quote, Rehearsal, Suggestion
from adjutant.screening.fence import clean_line
from adjutant.store import package
from adjutant.store.files import sha256, state_of

MOST = 12  # suggestions a look
MAX_DIFF = 1024 * 1024  # characters: a record has to stay one that can be read
QUIET, KNOWN = timedelta(days=90), timedelta(days=30)  # after a no; after it was told in words
NEWS = 0.3  # the weight from which on words alone are worth a report
ALIKE = 0.6  # of the words of two subjects, both together
DIGITS = 16
LONG_AGO = datetime.fromisoformat("1970-01-01T00:00:00+00:00")
LINE, PART = 240, 100  # characters
QUOTES, ROWS, DIFF_LINES, WORDS = 4, 6, 120, 20
SAID_BY = {TRUST[1]: " (the agent's words)", TRUST[2]: " (somebody else's words)"}
_BACKTICKS = re.compile("`+")
_ROWS = package.text("domain", "learning", "told.txt").strip().split("\n")[1:]
TOLD = {cause: told for cause, _, told in (row.partition(": ") for row in _ROWS)}  # of what leads to no change
OFFLINE = (
    "offline: I compared words as they stand, and counted; a model would also find what comes back in other words, and "
    "what you correct"
)
THE_SAME, SAID = "the same", 80  # where no words say it; characters of those that do
LEAST = 10  # turns after an accept
NOTABLE = 0.05  # of friction, 0 to 1
NOT_YET, UNKNOWN = "not yet", "nothing to compare with"
SMOOTHER, ROUGHER, SAME = "smoother", "rougher", "about the same"
PULSES = ("pulse", "escalation", "review")


Rehearse = Callable[[Change], Rehearsal]


class Chosen(NamedTuple):
    """`fresh` by weight, `words` for what has no diff; the `report` they go to; `told`: fingerprints of new words."""

    report: str
    fresh: list[Proposed]
    words: list[ReportWords]
    told: list[str]


def choose(app: App, state: State, analysis: Analysis, drafts: Sequence[Draft], rehearse: Rehearse) -> Chosen:
    """What is new in `drafts`, each rehearsed, and in words what leads to none. Raises FileDamaged, IoFailed."""
    now = app.clock.now()
    had, name, number = {each.report for each in state.runs}, app.tree.evolution_report(f"{now:%Y-%m-%d-%H}"), 1
    while app.files.exists(name) or app.tree.relative(name) in had:  # the first name that no report has or had
        number += 1
        name = app.tree.evolution_report(f"{now:%Y-%m-%d-%H}-{number}")
    chosen = Chosen(app.tree.relative(name), [], [], [])
    told = {print for run in state.runs if (moment(run.ts) or LONG_AGO) >= now - KNOWN for print in run.told}
    for draft in sorted(drafts, key=lambda each: -each.weight):
        change = placing.place(app, draft)
        if isinstance(change, Change) and len(target.render_diff(change)) > MAX_DIFF:
            change = "its diff is too long for anybody to read"
        if isinstance(change, Change):
            _take(app, state, chosen, draft, change, rehearse)
        elif not change.startswith(placing.STANDS):
            chosen.words.append(ReportWords(draft.title, change, draft.evidence))
            chosen.told.extend({fingerprint(draft, "", False)} - told)
    drafted = {(each.cause, each.subject) for each in drafts}
    for each in analysis.findings:
        if (each.cause, each.subject) not in drafted:
            chosen.words.append(word(each))
            print = _hash(each.cause, each.subject)
            chosen.told.extend([print] if each.weight >= NEWS and print not in told else [])
    return chosen


def _take(app: App, state: State, chosen: Chosen, draft: Draft, change: Change, rehearse: Rehearse) -> None:
    print = fingerprint(draft, change.path, change.before is None)
    held = _find_earlier(state, app.clock, draft, print)
    known = any(each.suggestion.fingerprint == print for each in chosen.fresh) or len(chosen.fresh) >= MOST
    waits = held is not None and held.status == kinds.PENDING
    if known or (held is not None and (not waits or acting.fits(app.files, state, held.suggestion))):
        return
    about: dict[str, Any] = {"ts": app.clock.now().isoformat(), "run": app.run}
    told: dict[str, Any] = {"path": change.path, "diff": target.render_diff(change), "report": chosen.report}
    told |= zip(("tokens_before", "tokens_after"), target.count_tokens(change, app.config), strict=True)
    told |= {"before_sha": state_of(change.before), "after_sha": state_of(change.after), "rehearsal": rehearse(change)}
    made = Suggestion(**msgspec.structs.asdict(draft), **about, **told, id="", fingerprint=print)
    replaces = "" if held is None else held.suggestion.id
    chosen.fresh.append(Proposed(**about, suggestion=evolution_log.give_id(made), replaces=replaces))


def _hash(*parts: str) -> str:
    return sha256("\0".join(parts).encode("utf-8", "replace"))[:DIGITS]


def fingerprint(draft: Draft, path: str, is_new: bool) -> str:
    """The same for the same kind, cause, path and subject; the name of a new file is left out, it may differ."""
    return _hash(draft.kind, draft.cause, path.rpartition("/")[0] if is_new else path, draft.subject)


def _find_earlier(state: State, clock: Clock, draft: Draft, print: str) -> Held | None:
    taken = (each for each in reversed(state.held.values()) if is_taken(each, clock))
    like = (each for each in taken if each.suggestion.fingerprint == print or _is_same(each.suggestion, draft))
    return next(like, None)


def is_new(app: App, state: State, each: Proposed) -> bool:
    """Whether nobody decided on its like while it was rehearsed."""
    held = _find_earlier(state, app.clock, each.suggestion, each.suggestion.fingerprint)
    return held is None or (held.suggestion.id == each.replaces and held.status == kinds.PENDING)


def is_taken(held: Held, clock: Clock) -> bool:
    """Whether the same as a suggestion is not to be made again: it waits, stands, or was refused of late."""
    if held.status in (kinds.PENDING, kinds.ACCEPTED):
        return True
    return held.status in (kinds.REJECTED, kinds.REVERTED) and clock.now() - (moment(held.since) or LONG_AGO) < QUIET


def _is_same(old: Suggestion, draft: Draft) -> bool:
    if (old.kind, old.cause) != (draft.kind, draft.cause) or " " not in f"{old.subject}{draft.subject}":
        return False
    mine, theirs = set(old.subject.split()), set(draft.subject.split())
    if len(mine & theirs) >= ALIKE * len(mine | theirs):
        return True
    shown, now = ({quote.ref for quote in each.evidence if quote.text} for each in (old, draft))
    return bool(mine & theirs) and 2 * len(shown & now) > min(len(shown), len(now)) > 0


class ReportWords(NamedTuple):
    """What is told without a diff. `why`: that it leads to none, "" where its kind never does."""

    title: str
    why: str
    evidence: tuple[Quote, ...] = ()


def compose(clock: Clock, found: Analysis, fresh: list[Suggestion], words: list[ReportWords], offline: bool) -> str:
    """The whole report. `offline`: no model was asked."""
    lines = [f"# Suggestions of {clock.now():%-d %B %Y, %H:%M}", "", *_tell_time(clock, found)]
    for number, each in enumerate(fresh, start=1):
        lines += ["", *_tell_suggestion(number, each)]
    if words:
        lines += ["", "## In words only", ""]
        for one in words[:WORDS]:
            title, why = clean_line(one.title, LINE), f" - no diff: {clean_line(one.why, LINE)}" if one.why else ""
            lines.append(f"- {title[:1].upper()}{title[1:]}{why}")
            lines += [f"  > {show_quote(quote)}" for quote in [each for each in one.evidence if each.text][:2]]
        lines += [f"- and {len(words) - WORDS} more"] if len(words) > WORDS else []
    lines += ["", _sentence(OFFLINE)] if offline else []
    return "\n".join(lines) + "\n"


def word(finding: Finding) -> ReportWords:
    """What a finding says that leads to no draft."""
    words = finding.text or next((each.text for each in finding.evidence if each.trust == TRUST[0] and each.text), "")
    title = TOLD[finding.cause].format(
        subject=(finding.subject or finding.workload).removeprefix(PREFIX),
        workload=(finding.workload or finding.subject).removeprefix(PREFIX),
        said=f'"{clean_line(words, SAID)}"' if words else THE_SAME,
    )
    about = f" ({_figures(finding.figures)})" if finding.figures else ""
    return ReportWords(f"{title}{about}", "", finding.evidence)


def show_rehearsal(rehearsal: Rehearsal) -> list[str]:
    """What the rehearsal came to, as plain lines; the changed decisions behind it."""
    note = f" {_sentence(rehearsal.note)}" if rehearsal.note else ""
    if rehearsal.method != kinds.BY_RULES:
        return [f"what it would change cannot be known.{note}"]
    if not rehearsal.total:
        return [f"by today's rules, every decision stays as it is.{note}"]
    lines = [f"by today's rules, {plural(rehearsal.total, 'decision')} would change.{note}"]
    for each in rehearsal.changed:
        what, then, now = (clean_line(text, PART) for text in (each.what, each.then, each.now))
        lines.append(f"{what}: {then} -> {now}")
    return lines


def show_quote(quote: Quote) -> str:
    """A quote with its place, on one line."""
    said = f'"{clean_line(quote.text, LINE)}"{SAID_BY.get(quote.trust, "")} ' if quote.text else ""
    return f"{said}({clean_line(quote.ref or quote.interaction, LINE)})"


def _tell_time(clock: Clock, analysis: Analysis) -> Iterator[str]:
    since, until = clock.parse(analysis.since), clock.parse(analysis.until)
    turns, cycles = plural(analysis.read, "turn"), plural(analysis.cycles, "cycle")
    yield f"I looked at {since:%-d %B %Y, %H:%M}, to {until:%-d %B %Y, %H:%M}: {turns} and {cycles}, beside the"
    yield "30 days before. Nothing below is done until you accept it."
    rows = list[str]()
    for by, named in analysis.compared.items():
        for name, (now, before, rough, usual) in sorted(named.items(), key=lambda row: (-row[1][0], row[0]))[:ROWS]:
            told = f"{now:g} | {before:g} | {rough:.2f} | {usual:.2f}"
            rows.append(f"| {by} | {clean_line(name, 60) or '-'} | {told} |")
    if rows:
        yield from ("", "| | | turns | usual | friction | usual |", "|---|---|---:|---:|---:|---:|", *rows, "")
        meant = "usual is as long a time by the 30 days before"
        yield f"Friction is 0 where all went smoothly and 1 where nothing did; {meant}."
    if told := " ".join(_tell_sums(analysis)):
        yield from ("", told)


def _tell_sums(analysis: Analysis) -> Iterator[str]:
    def join(named: Mapping[str, object]) -> str:
        return ", ".join(f"{clean_line(name, 40)} {value}" for name, value in named.items())

    if parts := sorted(analysis.tokens.items(), key=lambda part: -part[1])[:ROWS]:
        named = join({name: f"{size:,.0f}" for name, size in parts if size >= 0.5})
        yield f"A prompt held {sum(analysis.tokens.values()):,.0f} tokens ({named})."
    if analysis.degraded:
        yield f"Rules answered in a model's place: {join(analysis.degraded)}."
    if analysis.notices:
        marks = {kind: f"{good} useful, {bad} useless" for kind, (good, bad) in analysis.notices.items()}
        yield f"Notices you marked: {join(marks)}."
    if changed := {layer: count for layer, (count, _) in analysis.churn.items() if count}:
        yield f"Layers that changed: {join(changed)}."
    if often := [layer for layer, (_, is_often) in analysis.churn.items() if is_often]:
        yield f"More often than their tier should: {', '.join(often)}. Move what changes into notes."


def _tell_suggestion(number: int, each: Suggestion) -> Iterator[str]:
    yield from (f"## {number} · {clean_line(each.title, LINE)}", "")
    yield from (f"`{each.id}` · {each.kind} · {clean_line(each.path, LINE)}", "")
    yield from tell_reasons(each)
    lines = escape(each.diff).rstrip("\n").split("\n")
    longest = max((len(run) for line in lines for run in _BACKTICKS.findall(line)), default=0)
    fence = "`" * max(3, longest + 1)
    yield from (f"{fence}diff", *lines[:DIFF_LINES], fence)
    if len(lines) > DIFF_LINES:
        yield f"{len(lines) - DIFF_LINES} more lines: `adjutant evolve show {each.id}` prints all of it."
    yield from ("", *tell_outcome(each), "", "```sh", f"adjutant evolve accept {each.id}")
    yield from (f'adjutant evolve reject {each.id} --reason "..."', "```")


def tell_reasons(each: Suggestion) -> Iterator[str]:
    """What speaks for a suggestion, and what has to be known first."""
    said = [quote for quote in each.evidence if quote.text][:QUOTES]
    if figures := _figures(each.figures):
        yield from (f"Because of {figures}" + (":" if said else "."), "")
    yield from (f"> {show_quote(quote)}  " for quote in said)
    if more := len(each.evidence) - len(said):
        refs = ", ".join(clean_line(quote.ref or quote.interaction, 80) for quote in each.evidence if quote not in said)
        yield f"> and {more} more: {clean_line(refs, LINE)}" if said else f"> {clean_line(refs, LINE)}"
    if each.evidence:
        yield ""
    if each.note:
        yield from (f"**Before you accept**: {_sentence(each.note)}", "")


def tell_outcome(each: Suggestion) -> Iterator[str]:
    """What should come of it, what it costs, and its rehearsal."""
    if each.effect:
        yield f"- **What should come of it**: {_sentence(each.effect)}"
    yield f"- **Cost**: {each.tokens_before} -> {each.tokens_after} tokens a turn"
    first, *rest = show_rehearsal(each.rehearsal)
    yield from (f"- **Rehearsed**: {first}", *(f"  - {line}" for line in rest))


def _figures(figures: Mapping[str, float]) -> str:
    told = ((f"{value:.0%}" if "share" in name else f"{value:g}", name) for name, value in figures.items())
    return ", ".join(f"{value} {clean_line(name.replace('_', ' '), 40)}" for value, name in told)


def _sentence(text: str) -> str:
    line = clean_line(text, 2 * LINE)
    line = f"{line[:1].upper()}{line[1:]}"
    return line if line.endswith((".", "!", "?", "…")) else f"{line}."


def measure(state: State, interactions: Sequence[Interaction], clock: Clock) -> list[dict[str, Any]]:
    """A row for every suggestion that was accepted, also if it was taken back since, oldest first: {id, kind, title,
    status, accepted, about, before{turns, friction, tokens}, after{}, helped}; a mean is None where there is none."""
    timed = [(at, each) for each in interactions if (at := moment(each.ts)) is not None]
    return [_measure(each, each.accepted.ts, timed, clock) for each in state.held.values() if each.accepted is not None]


def _measure(held: Held, accepted: str, timed: Sequence[tuple[datetime, Interaction]], clock: Clock) -> dict[str, Any]:
    one, pulses = held.suggestion, held.suggestion.cause == kinds.USELESS_NOTICES
    about = "pulses and reviews" if pulses else f"turns of {one.workload}" if one.workload else "all turns"

    def concerns(each: Interaction) -> bool:
        if pulses:
            return each.kind == CYCLE and each.agent in PULSES
        return each.kind != CYCLE and (not one.workload or f"{each.concept}/".startswith(f"{one.workload}/"))

    begin, end = moment(accepted), moment(held.since) if held.status == kinds.REVERTED else clock.now()
    before, after = list[Interaction](), list[Interaction]()
    if begin is not None and end is not None:
        for at, each in timed:
            if begin - (end - begin) <= at < end and concerns(each):
                (before if at < begin else after).append(each)
    told = {"id": one.id, "kind": one.kind, "title": one.title, "status": held.status, "accepted": accepted}
    was, now = _measure_span(before), _measure_span(after)
    helped = NOT_YET if now["turns"] < LEAST else UNKNOWN if was["turns"] < LEAST else SAME
    if helped == SAME and abs(now["friction"] - was["friction"]) >= NOTABLE:
        helped = SMOOTHER if now["friction"] < was["friction"] else ROUGHER
    return {**told, "about": about, "before": was, "after": now, "helped": helped}


def _measure_span(several: Sequence[Interaction]) -> dict[str, Any]:
    tokens = [each.tokens or sum(each.parts.values()) for each in several]
    friction = round(fmean(each.friction for each in several), 3) if several else None
    return {"turns": len(several), "friction": friction, "tokens": round(fmean(tokens)) if tokens else None}
