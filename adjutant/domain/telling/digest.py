"""DOMAIN. The digest and the page of the day: the picture by urgency, each matter once, the rest counted."""

from collections.abc import Iterator, Mapping, Sequence
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
SAID, SETTLED = "Your notes also say", "Settled"
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
    changed = {each.id for each in shown if (each.changed or "~") > since}
    new = {each.id for each in shown if each.fresh and (each.first_seen or "~") > since}
    parts = sections(shown, today, frozenset(new | {each.id for each in shown if each.held and each.id in changed}))
    near = any(0 <= left <= NEAR_DAYS for each in shown if (left := each.left(today)) is not None)
    ended = sorted((each for each in settled if each.state != "gone"), key=lambda each: not each.reason)
    foot = [clean_line(note, NOTE_CHARS) for note in notes[:MOST_NOTES]]
    head = [headline] * bool(headline)
    titles = {each.id: title for title, matters in _titled(parts) for each in matters}
    room = _Room(titles, [*head, *foot])
    for each in message.take_turns([each for _, matters in _titled(parts) for each in matters]):
        room.add(titles[each.id], each.id, message.line(each, today, several=several, reasons=True))
    for title, texts in ((SAID, said), (SETTLED, [message.ending(each) for each in ended])):
        for text in texts:
            room.add(title, text, text)
    ids = [id for id, title in titles.items() if room.lines[title][id]]
    rest = message.more(len(titles) - len(ids)) + _count_old(parts)
    body = [*head, *room.text(), *(["; ".join(rest)] if rest else []), *foot]
    urgent = bool(changed or parts.late or parts.near or headline) or near
    return Digest("\n".join(body), ids, urgent or any(each.reason for each in ended))


def _is_listed(each: Open) -> bool:
    return each.certain or each.listed or bool(each.held)


def _titled(parts: Sections) -> list[tuple[str, list[Open]]]:
    return list(zip(TITLES, (parts.late, parts.near, parts.week, parts.waiting, parts.new), strict=True))


def _count_old(parts: Sections) -> list[str]:
    return [f"{parts.older} late for more than a month"] * bool(parts.older)


class _Room:
    """Lines under their titles, as far as there is room for both. `titles`: of what may come, in its order."""

    def __init__(self, titles: Mapping[str, str], fixed: Sequence[str]) -> None:
        self.lines: dict[str, dict[str, str]] = {title: {} for title in (*TITLES, SAID, SETTLED)}
        for id, title in titles.items():
            self.lines[title][id] = ""
        self._rows, self._chars = LINES - 1 - len(fixed), CHARS - REST_CHARS - sum(len(line) + 1 for line in fixed)

    def add(self, title: str, id: str, line: str) -> None:
        begun = any(self.lines[title].values())
        rows, chars = 2 - begun, len(line) + 3 + (0 if begun else len(title) + 2)
        if rows <= self._rows and len(line) + len(title) + 6 < self._chars:
            self._rows, self._chars = self._rows - rows, self._chars - chars
            self.lines[title][id] = f"- {line}"

    def text(self) -> Iterator[str]:
        for title, held in self.lines.items():
            if any(held.values()):
                yield from (f"{title}:", *filter(None, held.values()))


def page(picture: Picture, *, several: bool = False) -> str:
    """today.md: the picture as a page. Its first line is a marker with the time."""
    now, today = picture.now, picture.now.date()
    parts = sections([each for each in picture.shown() if _is_listed(each)], today)
    lines = [PAGE_MARK.format(now.isoformat(timespec="minutes")), f"# {now:%A} {now.day} {now:%B %Y}", ""]
    for title, matters in _titled(parts):
        if matters:
            said = [f"- {message.line(each, today, several=several)}" for each in message.first(matters, PAGE_LINES)]
            more = [f"- and {len(matters) - PAGE_LINES} more"] if len(matters) > PAGE_LINES else []
            lines += [f"## {title}", "", *said, *more, ""]
    if len(lines) == 3:
        lines += ["Nothing is late or due this week.", ""]
    rest = [f"{len(parts.rest)} more open"] * bool(parts.rest) + _count_old(parts)
    return "\n".join([*lines, *([f"{', '.join(rest)}: `adjutant today --all`", ""] if rest else [])])


def remind(moments: Sequence[str], since: str, now: datetime) -> str:
    """What is said once of things that wait for a yes, when they have for two days: since the last digest, at `since`.
    "" where none has."""
    due = [begun + PATIENCE for each in moments if (begun := moment(each)) is not None]
    last = moment(since)
    late = sum(each <= now and (last is None or each > last) for each in due)
    return f"; {late} for more than two days, `adjutant serve` shows {'it' if late == 1 else 'them'}" if late else ""


def listing(
    matters: Sequence[Open], today: date, *, week: bool, waiting: bool, every: bool
) -> list[tuple[str, list[Open]]]:
    """The parts of `adjutant today`, each with its title: what is late or due by tomorrow, this week's too, what is
    waited for, or everything."""
    parts = sections(matters, today)
    chosen = _titled(parts)[: 3 if week or every else 2]
    if every:
        others = [*parts.new, *parts.rest]
        chosen.append(("Waiting for", parts.waiting))
        chosen.append(("Open", [each for each in others if each.listed]))
        chosen.append(("Also noted", [each for each in others if not each.listed]))
        placed = {each.id for _, group in chosen for each in group}
        old = [each for each in matters if each.is_late(today) and each.id not in placed]
        chosen.append(("Late for more than a month", old))
    elif waiting:
        chosen = [("Waiting for", [each for each in matters if each.kind == "waiting"])]
    return [(title, group) for title, group in chosen if group]
