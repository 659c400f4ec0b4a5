"""DOMAIN. From sources to pieces: entries, messages, insights, lines of the work log, bullets of a period below."""

from __future__ import annotations

import re
from typing import NamedTuple

from adjutant.domain.recall.sources import conversations, journal
from adjutant.domain.recall.sources.parts import fingerprint, string
from adjutant.ports import TRUST
from adjutant.records import insights
from adjutant.records.conversation import AGENT, OPERATOR, STRANGER
from adjutant.records.journal import DRY_RUN
from adjutant.records.period_file import SECTIONS
from adjutant.store import jsonl
from adjutant.store.reader import decode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime
    from typing import Any

    from adjutant.records.period_file import Bullet, Period
    from adjutant.store.files import Files

REF_CHARS = 120
BOXES = {"done": "x", "dropped": "-"}  # how a matter ended, and the box that says so
OPERATORS, AGENTS, UNTRUSTED = TRUST
_UNFIT = re.compile(r"[\[\]\s\x00-\x1f\x7f]+")
_DAY = re.compile(r"(?<!\d)(\d{4})-?(\d\d)-?(\d\d)(?!\d)")
# How an insight that Pulse filed begins. YAML takes half a millisecond for each, and there may be thousands.
_FILED = re.compile(r"---\ncreated: '([^'\n]+)'\nkb: (?!operator\n)")
_END = re.compile(r"^---$", re.MULTILINE)


class PeriodPiece(NamedTuple):
    """One thing said: a journal entry, a message, an insight, a line of the work log, or a bullet of a period below.

    `text`: its lines, as written. `refs`: where it stands, such as `journal 2026-11-20 09:00`; several for a bullet.
    `moment`: when, ISO-8601, "" where nothing tells. `trust`: the lowest of whoever said it. `title`: the heading it
    stands under. `section`: of a bullet, "" for anything else; `speaker` of a message: operator, agent or stranger.
    """

    text: str
    refs: tuple[str, ...]
    moment: str
    trust: str
    title: str = ""
    section: str = ""
    speaker: str = ""


def ref(kind: str, name: str) -> str:
    """How a bullet names a source; a name that a person gave a file or a record cannot end the brackets."""
    return f"{kind} {_UNFIT.sub('_', name)[:REF_CHARS]}"


def read_journal(day: str, path: str, data: bytes, parse: Callable[[str], datetime]) -> list[PeriodPiece]:
    """The entries of a day's journal, those that runs wrote left out: what they tell of stands elsewhere. Raises
    FileDamaged."""
    found = []
    for each in journal.documents(path, data, parse):
        title = "" if each.title in (day, each.text) else each.title
        if each.title.removesuffix(DRY_RUN) not in journal.MACHINES:
            name = f"journal {day} {each.anchor}".strip()
            found.append(PeriodPiece(each.text, (name,), each.created_at, each.trust, title))
    return found


def read_message(session: str, anchor: str, record: dict[str, Any], *, repeats: bool) -> PeriodPiece:
    """One message. `repeats`: it tells what a knowledge base says."""
    role, text = string(record, "role"), string(record, "text")
    trust = UNTRUSTED if repeats else conversations.trust(role, text, string(record, "trust"))
    speaker = role if role in (OPERATOR, AGENT) else STRANGER
    return PeriodPiece(
        text, (ref("conversations", f"{session}/{anchor}"),), string(record, "ts"), trust, speaker=speaker
    )


def read_ended(data: bytes) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """(line, id, record with the matter's words as `text`) of what a log of matters says is done or dropped."""
    said: dict[str, str] = {}
    for number, record in jsonl.parse(data):
        id = string(record, "id") if record is not None else ""
        if record is not None and id:
            said[id] = string(record, "what") or said.get(id, "")
            if record.get("event") == "settled" and record.get("state") in BOXES and said[id]:
                yield number, id, {**record, "text": f"- [{BOXES[str(record['state'])]}] {said[id]}"}


def read_insight(files: Files, name: str) -> tuple[PeriodPiece, str]:
    """An insight by its file name, and the sha256 of what it says: `attempts` and `notice` change, its words do not.

    Raises FileNotFoundError, FileDamaged, IoFailed.
    """
    path = files.tree.pending_insight(name)
    path = path if files.exists(path) else files.tree.sent_insight(name)
    text = decode(files.read(path, insights.MAX_BYTES), files.tree.relative(path))
    ours = _FILED.match(text)
    end = _END.search(text, ours.end()) if ours else None
    if ours and end and text[end.end() :].strip():
        created, body, trust = ours[1], text[end.end() :].strip(), UNTRUSTED
    else:
        whole = insights.load(files, name)
        created, body = whole.created, whole.body.strip()
        trust = AGENTS if whole.kb == insights.OPERATOR else UNTRUSTED
    first, _, rest = body.partition("\n")
    title = first.strip("# \t")
    if ours:  # the rest are factors and quotes: what is told is the matter, which is open until a line settles it
        return PeriodPiece(f"- [ ] {title}", (ref("insights", name),), created, trust), fingerprint(body)
    piece = PeriodPiece(rest.strip() or title, (ref("insights", name),), created, trust, title if rest.strip() else "")
    return piece, fingerprint(body)


def read_period(below: Period, bullets: Sequence[Bullet]) -> list[PeriodPiece]:
    """The bullets of a period below, each on the day that its last source tells, which is the one that holds its words;
    else on the period's last one."""
    found = []
    for each in bullets:
        refs = each.refs or (f"{below.kind} {below.name}",)
        section = each.section if each.section in SECTIONS else ""
        found.append(PeriodPiece(each.text, refs, _day(refs[-1], below), each.trust, section=section))
    return found


def _day(name: str, within: Period) -> str:
    told = _DAY.search(name)
    day = "-".join(told.groups()) if told else ""
    return day if within.first.isoformat() <= day <= within.last.isoformat() else within.last.isoformat()
