"""DOMAIN. The digest and the page of the day: the picture by urgency, each matter once, the rest counted."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta

import msgspec

from adjutant.clock import moment
from adjutant.domain.matters.picture import Closed, Open, Picture, Sections, sections
from adjutant.domain.telling import message
from adjutant.screening.fence import clean_line

LINES, CHARS = 25, 3900
PATIENCE = timedelta(hours=48)  # then a thing that waits for a yes is named once more
MOST_NOTES, NOTE_CHARS, REST_CHARS = 5, 300, 80  # REST_CHARS: of the line that counts what is left out
NEAR_DAYS, PAGE_LINES = 2, 100  # PAGE_LINES: of one part of the page
TITLES = ("Late", "Today and tomorrow", "This week", "Waiting for", "New")
SAID = "Your notes also say:"
PAGE_MARK = "<!-- adjutant: written {} by the last pulse or review; edits are lost -->"


class Digest(msgspec.Struct, frozen=True):
    """`text` to deliver ("" where nothing is open), `ids` of the matters it shows; `urgent`: whether anything changed
    since the last one or falls within two days."""

    text: str
    ids: list[str]
    urgent: bool


def compose(
    picture: Picture,
    *,
    since: str,
    settled: Sequence[Closed] = (),
    said: Sequence[str] = (),
    notes: Sequence[str] = (),
    several: bool = False,
    headline: str = "",
) -> Digest:
    """The digest of a picture. `since`: when the last one left, "" for never; `notes`: its last lines (suggestions that
    wait, what a first look read), five at most; `settled`: what was settled since; `said`: lines of the files that name
    a day near now and are no matters; `headline`: a model's first line, with which it is to leave in any case."""
    today = picture.now.date()
    shown = [each for each in picture.shown() if _is_listed(each)]
    new = frozenset(
        each.id
        for each in shown
        if (each.fresh and (each.first_seen or "~") > since) or (each.held and (each.changed or "~") > since)
    )
    parts = sections(shown, today, new)
    changed = any((each.changed or "~") > since for each in shown)
    near = bool(parts.late or parts.near) or any(
        (left := each.left(today)) is not None and 0 <= left <= NEAR_DAYS for each in shown
    )
    ended = sorted((each for each in settled if each.state != "gone"), key=lambda each: not each.reason)
    closed = [message.ending(each) for each in ended]
    body, ids = _body(
        parts, closed, said, today, [clean_line(note, NOTE_CHARS) for note in notes[:MOST_NOTES]], several, headline
    )
    return Digest(body, ids, changed or near or bool(headline) or any(each.reason for each in ended))


def _is_listed(each: Open) -> bool:
    return each.certain or each.listed or bool(each.held)


def _body(
    parts: Sections,
    closed: Sequence[str],
    said: Sequence[str],
    today: date,
    notes: Sequence[str],
    several: bool,
    headline: str,
) -> tuple[str, list[str]]:
    lines, ids, left = [headline] if headline else list[str](), list[str](), 0
    fixed = [*lines, *notes]
    room, size = LINES - 1 - len(fixed), CHARS - REST_CHARS - sum(len(line) + 1 for line in fixed)
    every = (parts.late, parts.near, parts.week, parts.waiting, parts.new)
    fitted: dict[str, dict[str, str]] = {title: {} for title in TITLES}
    titles = {each.id: title for title, matters in zip(TITLES, every, strict=True) for each in matters}
    for each in message.take_turns([each for matters in every for each in matters]):
        title, text = titles[each.id], f"- {message.line(each, today, several=several, reasons=True)}"
        held = fitted[title]
        if room - (not held) > 0 and size - len(text) - len(title) - 4 > 0:
            room, size = room - 1 - (not held), size - len(text) - 1 - (0 if held else len(title) + 2)
            held[each.id] = text
        else:
            left += 1
    for title, matters in zip(TITLES, every, strict=True):
        chosen = [each.id for each in matters if each.id in fitted[title]]
        lines += [f"{title}:", *(fitted[title][id] for id in chosen)] if chosen else []
        ids += chosen
    for title, texts in ((SAID, said), ("Settled:", closed)):
        for number, text in enumerate(texts):
            if room - (number == 0) <= 0 or size < len(text) + len(title) + 8:
                break
            lines += [title] * (number == 0) + [f"- {text}"]
            room, size = room - 1 - (number == 0), size - len(text) - 3 - (number == 0) * len(title)
    rest = [f"{left} more: `adjutant today --all`"] if left else []
    if parts.older:
        rest.append(f"{parts.older} late for more than a month")
    return "\n".join([*lines, *(["; ".join(rest)] if rest else []), *notes]), ids


def page(picture: Picture, *, several: bool = False) -> str:
    """today.md: the picture as a page. Its first line is a marker with the time."""
    today = picture.now.date()
    parts = sections([each for each in picture.shown() if _is_listed(each)], today)
    lines = [PAGE_MARK.format(picture.now.isoformat(timespec="minutes")), f"# {picture.now:%A} {_day(picture.now)}", ""]
    for title, matters in zip(TITLES, (parts.late, parts.near, parts.week, parts.waiting, parts.new), strict=True):
        if matters:
            said = [f"- {message.line(each, today, several=several)}" for each in message.first(matters, PAGE_LINES)]
            more = [f"- and {len(matters) - PAGE_LINES} more"] if len(matters) > PAGE_LINES else []
            lines += [f"## {title}", "", *said, *more, ""]
    if len(lines) == 3:
        lines += ["Nothing is late or due this week.", ""]
    if parts.rest or parts.older:
        undated = f"{len(parts.rest)} more open" if parts.rest else ""
        older = f"{parts.older} late for more than a month" if parts.older else ""
        lines += [f"{', '.join(filter(None, (undated, older)))}: `adjutant today --all`", ""]
    return "\n".join(lines)


def remind(moments: Sequence[str], since: str, now: datetime) -> str:
    """What is said once of things that wait for a yes, when they have for two days: since the last digest, at `since`.
    "" where none has."""
    due = [begun + PATIENCE for each in moments if (begun := moment(each)) is not None]
    last = moment(since)
    late = sum(each <= now and (last is None or each > last) for each in due)
    return f"; {late} for more than two days, `adjutant serve` shows {'it' if late == 1 else 'them'}" if late else ""


def _day(now: datetime) -> str:
    return f"{now.day} {now:%B %Y}"


def listing(
    matters: Sequence[Open], today: date, *, week: bool, waiting: bool, every: bool
) -> list[tuple[str, list[Open]]]:
    """The parts of `adjutant today`, each with its title: what is late or due by tomorrow, this week's too, what is
    waited for, or everything."""
    parts = sections(matters, today)
    if waiting and not every:
        return _drop_empty([("Waiting for", [each for each in matters if each.kind == "waiting"])])
    chosen = [("Late", parts.late), ("Today and tomorrow", parts.near)]
    if week or every:
        chosen.append(("This week", parts.week))
    if every:
        others = [*parts.new, *parts.rest]
        chosen.append(("Waiting for", parts.waiting))
        chosen.append(("Open", [each for each in others if each.listed]))
        chosen.append(("Also noted", [each for each in others if not each.listed]))
        placed = {each.id for _, group in chosen for each in group}
        old = [each for each in matters if each.is_late(today) and each.id not in placed]
        chosen.append(("Late for more than a month", old))
    return _drop_empty(chosen)


def _drop_empty(parts: list[tuple[str, list[Open]]]) -> list[tuple[str, list[Open]]]:
    return [(title, group) for title, group in parts if group]
