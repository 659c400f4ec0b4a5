"""RECORDS. Days, ISO weeks and months, and the file of one: its sources, bullets that end with where they come from.

A week belongs to the month of its Thursday, as ISO 8601 gives it to a year; a month ends with its last such week.
"""

import re
from collections.abc import Sequence
from datetime import date, timedelta
from functools import partial
from typing import NamedTuple

import msgspec

from adjutant.documents import frontmatter
from adjutant.errors import FileDamaged
from adjutant.ports import TRUST
from adjutant.screening.fence import clean_line
from adjutant.store.files import sha256
from adjutant.store.reader import decode

DAILY, WEEKLY, MONTHLY = KINDS = ("daily", "weekly", "monthly")
_FORMS = {DAILY: re.compile(r"\d{4}-\d\d-\d\d"), WEEKLY: re.compile(r"\d{4}-W\d\d"), MONTHLY: re.compile(r"\d{4}-\d\d")}


class Period(NamedTuple):
    """A day, a week or a month. `name`: 2026-11-20, 2026-W47, 2026-11; `first` and `last` are its days."""

    kind: str
    name: str
    first: date
    last: date

    def is_finished(self, today: date) -> bool:
        return self.last < today


def period(kind: str, of: date) -> Period:
    """The period of a kind that holds a day: itself, its ISO week, or the month that this week belongs to."""
    if kind == DAILY:
        return Period(DAILY, of.isoformat(), of, of)
    monday = of - timedelta(days=of.weekday())
    if kind == WEEKLY:
        year, number, _ = of.isocalendar()
        return Period(WEEKLY, f"{year:04}-W{number:02}", monday, monday + timedelta(days=6))
    thursday = monday + timedelta(days=3)
    year, number = thursday.year, thursday.month
    after = _find_begin(year + number // 12, number % 12 + 1)
    return Period(MONTHLY, f"{year:04}-{number:02}", _find_begin(year, number), after - timedelta(days=1))


def _find_begin(year: int, number: int) -> date:
    fourth = date(year, number, 4)  # always stands in a week whose Thursday is the month's first
    return fourth - timedelta(days=fourth.weekday())


day, week, month = (partial(period, kind) for kind in KINDS)


def find_period(kind: str, name: str) -> Period | None:
    """The period with this name, None where there is none such (2026-02-30, 2026-W54, notes.md) and in the year 9999:
    what lies above its last days would end on no date."""
    if not _FORMS[kind].fullmatch(name) or name.startswith("9999"):
        return None
    try:
        return period(kind, date.fromisoformat(f"{name}-04" if kind == MONTHLY else name))
    except (ValueError, OverflowError):
        return None


def above(one: Period) -> Period | None:
    """The week of a day, the month of a week, None above a month."""
    return period(KINDS[KINDS.index(one.kind) + 1], one.first) if one.kind != MONTHLY else None


def below(one: Period) -> list[Period]:
    """The days of a week, the weeks of a month, in order; [] below a day."""
    if one.kind == DAILY:
        return []
    make, step = (day, 1) if one.kind == WEEKLY else (week, 7)
    return [make(one.first + timedelta(days=at)) for at in range(0, (one.last - one.first).days + 1, step)]


SECTIONS = ("Key events", "Decisions", "Patterns", "Corrections", "Lessons", "Open threads")
NEVER_CUT = ("Decisions", "Corrections", "Lessons")
BULLET_CHARS, MAX_REFS = 1000, 4
SOURCES = ("journal", "conversations", "insights", "slog", "kb", "daily", "weekly", "notes")
RULES, MODEL = "rules", "model"
_REF = re.compile(rf"\[((?:{'|'.join(SOURCES)}) [^\[\]]+)\]\s*\Z")
_MARK = re.compile(rf"\[({'|'.join(TRUST[1:])})\]\s*\Z")
_FORGED = re.compile(rf"\[(?=(?:{'|'.join((*SOURCES, *TRUST))})\b[^\[\]]*\])([^\[\]]*)\]")
_BULLET = re.compile(r"[-*+]\s+(.*)")
_HEADING = re.compile(r"(#{1,6})\s+(.*?)\s*#*\s*")


class Source(NamedTuple):
    """What a period was made from: a path relative to the instance, and the sha256 of its share of it."""

    path: str
    sha256: str


class Bullet(NamedTuple):
    """One line of a period. `refs`: where it comes from, such as `journal 2026-11-20 09:00`; `trust` the lowest."""

    section: str
    text: str
    refs: tuple[str, ...]
    trust: str = TRUST[0]


class PeriodFile(NamedTuple):
    """A period's file as read. `made`: rules or model, "" for one written by hand; `dropped`: bullets left out;
    `touched`: a person changed the text since it was written, or wrote all of it."""

    sources: tuple[Source, ...]
    bullets: tuple[Bullet, ...]
    made: str
    dropped: int
    touched: bool


def render(period: Period, sources: Sequence[Source], bullets: Sequence[Bullet], made: str, dropped: int) -> str:
    """The text of a period's file: sections in their order, empty ones left out."""
    body = f"# {period.name}\n"
    for section in SECTIONS:
        for number, bullet in enumerate(each for each in bullets if each.section == section):
            marks = "".join(f" [{each}]" for each in (*([bullet.trust] * (bullet.trust != TRUST[0])), *bullet.refs))
            body += "" if number else f"\n## {section}\n\n"
            body += f"- {plain(bullet.text)}{marks}\n"
    head = frontmatter.dump({"period": period.name, "made": made, "dropped": dropped, "text": _sha(body)})
    listed = "".join(f"  - {frontmatter.dump({'path': one.path})}    sha256: {one.sha256}\n" for one in sources)
    return f"---\n{head}sources:{' []' if not sources else ''}\n{listed}---\n{body}"


def plain(text: str) -> str:
    """One line in which nothing reads as a source or a mark of trust."""
    return clean_line(_FORGED.sub(r"(\1)", text), BULLET_CHARS)


def parse(data: bytes, shown: str) -> PeriodFile:
    """A period's file."""
    text = decode(data, shown).replace("\r\n", "\n")
    parts = frontmatter.read(text, shown)
    told = parts.plain()
    try:
        rows = msgspec.convert(told.get("sources", []), list[dict[str, str]])
        sources = tuple(Source(row["path"], row["sha256"]) for row in rows)
    except (msgspec.ValidationError, KeyError):
        what = f"{shown}:{parts.line_of('sources')}: `sources` is a list of `path` and `sha256`"
        raise FileDamaged(what, "delete the file: `adjutant compact due` makes it again") from None
    made, sha, dropped = (str(told.get(key, "")) for key in ("made", "text", "dropped"))
    made, left = made if made in (RULES, MODEL) else "", int(dropped) if re.fullmatch("[0-9]+", dropped) else 0
    return PeriodFile(sources, tuple(bullets(parts.body)), made, left, touched=sha != _sha(parts.body.lstrip("\n")))


def bullets(body: str) -> list[Bullet]:
    """The top-level bullets, their indented lines with them; the section is "" above the first `##`."""
    section, found = "", list[tuple[str, list[str]]]()
    for line in body.split("\n"):
        if heading := _HEADING.fullmatch(line):
            section = heading[2] if len(heading[1]) > 1 else ""
        elif bullet := _BULLET.fullmatch(line):
            found.append((section, [bullet[1]]))
        elif found and found[-1][0] == section and line.startswith((" ", "\t")) and line.strip():
            found[-1][1].append(line.strip())
    return [bullet_of(section, "\n".join(lines).strip()) for section, lines in found]


def bullet_of(section: str, text: str) -> Bullet:
    """A line with the references and the mark of trust at its end taken off and understood."""
    refs, trust = list[str](), TRUST[0]
    while told := _REF.search(text):
        refs.insert(0, told[1])
        text = text[: told.start()].rstrip()
    if marked := _MARK.search(text):
        text, trust = text[: marked.start()].rstrip(), marked[1]
    if any(ref.startswith("kb ") for ref in refs):
        trust = TRUST[-1]
    return Bullet(section, text, tuple(refs), trust)


def few(refs: Sequence[str]) -> tuple[str, ...]:
    """Each once, and of many the first ones and the last."""
    once = tuple(dict.fromkeys(refs))
    return once if len(once) <= MAX_REFS else (*once[: MAX_REFS - 1], once[-1])


def lowest(*trusts: str) -> str:
    """The least of several words of trust; the operator's where there is none."""
    return TRUST[max((TRUST.index(trust) for trust in trusts), default=0)]


def _sha(body: str) -> str:
    return sha256(body.encode("utf-8", "replace"))
