"""DOMAIN. Sources as pieces, and these as lines: what the label, heading, box or question mark of each makes of it."""

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from adjutant.documents import markdown
from adjutant.domain.periods import labels
from adjutant.domain.periods.labels import ANSWER, DONE, DROPPED, ENDED, EVENTS, MARKS, OPEN, PeriodLine, without_tail
from adjutant.domain.recall.sources import logs, memory
from adjutant.domain.recall.sources.parts import fingerprint, string
from adjutant.domain.telling.agenda import NOTHING
from adjutant.language.figures import ARROW
from adjutant.language.sentences import sentences
from adjutant.ports import TRUST
from adjutant.records import insights
from adjutant.records.conversation import AGENT, OPERATOR, STRANGER
from adjutant.records.journal import DRY_RUN
from adjutant.records.note import without_marks
from adjutant.records.period_file import NEVER_CUT, SECTIONS, Bullet, Period, lowest
from adjutant.store import jsonl
from adjutant.store.files import Files

REF_CHARS = 120
BOXES = {"done": "x", "dropped": "-"}  # how a matter ended, and the box that says so
OPERATORS, AGENTS, UNTRUSTED = TRUST
_UNFIT = re.compile(r"[\[\]\s\x00-\x1f\x7f]+")
_DAY = re.compile(r"(?<!\d)(\d{4})-?(\d\d)-?(\d\d)(?!\d)")


class PeriodPiece(NamedTuple):
    """One thing said: a journal entry, a message, an insight, a line of the work log, or a bullet of a period below.
    `text`: its lines, as written. `refs`: where it stands, such as `journal 2026-11-20 09:00`. `moment`: ISO-8601, or
    "". `title`: the heading above it. `section` of a bullet; `speaker` of a message: operator, agent or stranger."""

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
    """The entries of a day's journal without those of runs, which tell what stands elsewhere. Raises FileDamaged."""
    found = []
    for each in memory.journal(path, data, parse):
        if each.title.removesuffix(DRY_RUN) not in memory.MACHINES:
            name, title = f"journal {day} {each.anchor}".strip(), each.title * (each.title not in (day, each.text))
            found.append(PeriodPiece(each.text, (name,), each.created_at, each.trust, title))
    return found


def read_message(session: str, anchor: str, record: dict[str, Any], *, repeats: bool) -> PeriodPiece:
    """One message. `repeats`: it tells what a knowledge base says."""
    role, text = string(record, "role"), string(record, "text")
    trust = UNTRUSTED if repeats else logs.trust(role, text, string(record, "trust"))
    speaker = role if role in (OPERATOR, AGENT) else STRANGER
    where = (ref("conversations", f"{session}/{anchor}"),)
    return PeriodPiece(text, where, string(record, "ts"), trust, speaker=speaker)


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
    Raises FileNotFoundError, FileDamaged, IoFailed."""
    whole = insights.load(files, name)
    body, where = whole.body.strip(), (ref("insights", name),)
    first, _, rest = body.partition("\n")
    title, rest = first.strip("# \t"), rest.strip()
    if whole.kb == insights.OPERATOR:
        piece = PeriodPiece(rest or title, where, whole.created, AGENTS, title if rest else "")
    else:  # the rest are factors and quotes: what is told is the matter, which is open until a line settles it
        piece = PeriodPiece(f"- [ ] {title}", where, whole.created, UNTRUSTED)
    return piece, fingerprint(body)


def read_period(below: Period, bullets: Sequence[Bullet]) -> list[PeriodPiece]:
    """The bullets of a period below, each on the day of its last source, which holds its words."""
    found, first, last = [], below.first.isoformat(), below.last.isoformat()
    for each in bullets:
        refs = each.refs or (f"{below.kind} {below.name}",)
        day = "-".join(told.groups()) if (told := _DAY.search(refs[-1])) else ""
        section, moment = each.section if each.section in SECTIONS else "", day if first <= day <= last else last
        found.append(PeriodPiece(each.text, refs, moment, each.trust, section=section))
    return found


SHORT, LONG = 300, 900  # characters of a line; of one that is never cut
TITLE_CHARS, LEAD_CHARS = 50, 60
_WORDLESS = 120  # a run of as many characters without a blank is no word
_READ = ("item", "text", "quote", "callout", "row")
_BOXES = {"open": (OPEN, ""), "done": (EVENTS, DONE), "dropped": (EVENTS, DROPPED)}
COMMAND = "/"


class _Said(NamedTuple):
    """A part of a piece. `section`, `state`: as far as structure tells."""

    text: str
    section: str = ""
    state: str = ""
    whole: bool = False  # an item of a list: its sentences belong together


def lines(pieces: Sequence[PeriodPiece]) -> list[PeriodLine]:
    """What the pieces say, in the order of time; what tells nothing of its own is left out."""
    ordered = sorted(pieces, key=lambda piece: piece.moment)
    asked, found, answered = _find_asked(ordered), list[PeriodLine](), set[tuple[str, ...]]()
    for piece in ordered:
        question = asked.get(id(piece))
        made = [_carry(piece)] if piece.section in SECTIONS else _read_spoken(piece, question)
        found += [each._replace(order=len(found) + at) for at, each in enumerate(made)]
        answered |= {question.refs} if question is not None and made else set()
    return [one for one in found if not (one.refs in answered and one.section == OPEN and one.text.endswith("?"))]


def _carry(piece: PeriodPiece) -> PeriodLine:
    text, days, again = without_tail(" ".join(piece.text.split()))
    state = next((name for name, mark in MARKS.items() if text.startswith(mark)), "")
    text = text.removeprefix(MARKS.get(state, ""))
    return PeriodLine(text, piece.section, piece.refs, piece.moment, piece.trust, days or _day(piece), state, again)


def _read_spoken(piece: PeriodPiece, question: PeriodPiece | None) -> list[PeriodLine]:
    """The lines of a piece; the first one goes on from the `question` that it answers."""
    if piece.speaker and (piece.text.startswith(COMMAND) or (piece.speaker == AGENT and NOTHING in piece.text)):
        return []
    found = [made for said in _parts(piece) if (made := _line(piece, said, question is None)) is not None]
    if question is not None and found:
        first, asked = found[0], sentences(" ".join(question.text.split())[-LONG:])
        ask = asked[-1].text if asked else ""
        refs, trust = tuple(dict.fromkeys((*question.refs, *first.refs))), lowest(question.trust, first.trust)
        found[0] = first._replace(text=_cut(f"{ask}{ARROW}{first.text}", LONG), refs=refs, trust=trust)
    return found


def _line(piece: PeriodPiece, said: _Said, may_ask: bool) -> PeriodLine | None:
    """A part as a line, None where it is about nothing: two things, or one and a figure, or one that has a label."""
    text = " ".join(word for word in said.text.split() if len(word) <= _WORDLESS).strip("-–—• ")
    # what others decided or learned is news, and no rule of the operator's
    section = EVENTS if said.section in NEVER_CUT and piece.trust == TRUST[-1] else said.section
    asks = text.endswith("?") and not section
    line = PeriodLine(text, section or EVENTS, piece.refs, piece.moment, piece.trust, _day(piece), said.state)
    told = line.gist
    tells = len(told.telling) + bool(told.values) >= (1 if said.section or said.state else 2)
    last = piece.speaker != AGENT and piece.text.rstrip().endswith(said.text)
    if not told.telling or not tells or (asks and piece.speaker and not (may_ask and last)):
        return None
    line = line._replace(section=OPEN) if asks else line
    return line._replace(text=_add_title(_cut(text, LONG if line.kept else SHORT), line, piece))


def _add_title(text: str, line: PeriodLine, piece: PeriodPiece) -> str:
    title = " ".join(markdown.plain(piece.title).split()).strip(" .:")
    about = line.about
    if piece.speaker or line.strange or not 0 < len(title) <= TITLE_CHARS or len(about) > 1 or labels.heading(title):
        return text
    named = line._replace(text=title).about
    return f"{title}: {text}" if named and not named & about else text


def _day(piece: PeriodPiece) -> tuple[str, ...]:
    return (piece.moment[:10],) if piece.moment else ()


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: text.rfind(' ', 0, most)].rstrip(' ,;–—-')} …"


def _find_asked(pieces: Sequence[PeriodPiece]) -> dict[int, PeriodPiece]:
    last, found = dict[str, PeriodPiece](), dict[int, PeriodPiece]()
    for piece in (piece for piece in pieces if piece.speaker and piece.refs):
        session = piece.refs[0].rpartition("/")[0]
        before = last.get(session, piece)
        if before.speaker != piece.speaker and before.text.rstrip().endswith("?"):
            found[id(piece)] = before
        last[session] = piece
    return found


# -- the parts of a piece ------------------------------------------------------------------------------------


def _parts(piece: PeriodPiece) -> Iterator[_Said]:
    for unit in dict.fromkeys(_units(piece)):
        named = unit.section or unit.state or labels.front(unit.text)[0]
        whole = unit.whole and named and len(unit.text) <= SHORT
        for said in [unit.text] if whole else _group_sentences(unit.text):
            name, text = labels.front(said)
            ended, bare = labels.back(text)
            if name == ENDED or (ended and unit.section not in NEVER_CUT):
                yield _Said(bare if ended else text, EVENTS, DONE)
            else:
                section = unit.section if name in ("", ANSWER) else name
                yield unit._replace(text=text, section=section or ("" if unit.state else labels.begins(text)))


def _group_sentences(text: str) -> list[str]:
    """The sentences of a part; what says next to nothing stays with the one before it, an answer with its question."""
    groups = list[str]()
    for each in (sentence.text for sentence in sentences(text)):
        hangs = not labels.front(each)[0] and len(PeriodLine(each, "", (), "", "").gist.telling) < 2
        if groups and (groups[-1].endswith("?") or hangs) and len(groups[-1]) + len(each) < SHORT:
            groups[-1] += f" {each}"
        else:
            groups.append(each)
    return groups


def _units(piece: PeriodPiece) -> list[_Said]:
    above = labels.heading(piece.title)
    section, lead, found, at = above, "", list[_Said](), dict[int, int]()
    elements = markdown.elements(without_marks(piece.text).split("\n"), code=False)
    for number, each in enumerate(elements):
        text = " ".join(markdown.plain(", ".join(each.cells) if each.kind == "row" else each.text).split())
        if each.kind == "heading":
            section, lead = labels.heading(text) or above, ""
        elif each.kind not in _READ or not text:
            continue
        elif (each.parent >= 0 and elements[each.parent].text.rstrip().endswith("?")) or (
            found and found[-1].text.endswith("?") and labels.front(text)[0] == ANSWER
        ):  # it is indented below a question, or labelled as its answer
            place = at.get(each.parent, len(found) - 1)
            found[place] = found[place]._replace(text=f"{found[place].text} {text}")
        elif text.endswith(":") and len(text) <= LEAD_CHARS and not each.box:
            lead = text
        else:
            lead = lead if each.kind == "item" else ""
            at[number] = len(found)
            found.append(_unit(each, text, section, lead))
    return found


def _unit(each: markdown.Element, text: str, section: str, lead: str) -> _Said:
    named = labels.heading(lead)
    text, name = f"{lead} {text}" if lead and not named else text, named or section
    here, state = (EVENTS, DONE) if name == ENDED else ("", "") if name == ANSWER else (name, "")
    boxed, ended = _BOXES.get(each.box, (here, state))
    if here in NEVER_CUT:
        boxed, ended = here, ""
    return _Said(text, boxed, ended, each.kind in ("item", "row"))
