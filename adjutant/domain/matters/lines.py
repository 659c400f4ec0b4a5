"""DOMAIN. What a line says is open, by its form: a box, a label, a mark, a deadline, an hour, a promise.

Nothing is guessed from what words mean: spec/15 lists the forms, the language packs hold the closed lists.
"""

import re
from collections.abc import Iterable, Sequence
from datetime import date
from typing import NamedTuple

from adjutant.domain.matters.cues import Cues, names_nothing
from adjutant.domain.matters.marks import TAG
from adjutant.language import dates
from adjutant.language.dates import Date
from adjutant.language.detect import language_of
from adjutant.language.figures import figures
from adjutant.language.pack import listed
from adjutant.language.sentences import sentences
from adjutant.language.stems import stems
from adjutant.language.words import day_names, tokens, words

MARKER = 17  # characters of a list mark and box
TELLING, LED = 3, 140  # content words that say what a sentence is about; characters of one with the one before it
POINTING, LED_BY_IT = 4, 200  # words among which an "it" points back; characters that are then joined
MOST_SILENT = 6  # words of a phrase of silence
FIRST = 3  # words of a line in which "waiting on" may begin: "He is waiting on our payslips"
_LABEL = re.compile(r"\s*([^\W\d_][^:–—()\[\]|]{1,40}?)\s*(?::|–|—| - )\s+\S")
_BEHIND = re.compile(r"(?:\s[–—-]|[:(\[])\s*([^\W\d_][^:()\[\]–—]{2,40})[)\]]?\s*$")
_OWNER = re.compile(r"([A-ZÆØÅÄÖÜ][^\W\d_A-ZÆØÅÄÖÜ]+(?: [A-ZÆØÅÄÖÜ][^\W\d_A-ZÆØÅÄÖÜ]+)?): [^\W\d_]")
_CLAUSE = re.compile(r"[;,–—]\s|\s-\s")
_PART = re.compile(r"[;,:–—(]\s?|\s-\s")
_NAME = re.compile(r"\b[A-ZÆØÅÄÖÜ][^\W\d_]+")
_QUOTED = re.compile(
    r"`{1,3}[^`\n]{0,200}?[^\W\d_][^`\n]{0,200}`{1,3}|[“„«][^“”„«»\n]{1,400}[”“»]|(?<![\w\"])\"[^\"\n]{1,400}\"(?!\w)"
)
_TIMESTAMP = re.compile(r"\s*\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d")
_IN_YEAR, _FOUR = re.compile(r"\s*(?:In|I|Im Jahre?) ((?:1[5-9]|20)\d\d)\b"), re.compile(r"\d{4}")
LEAD, DAY_NAME = 24, 12  # characters in which an entry names its day; and its day of the week
LEAST_HEAD = 2  # words of an item that says enough without its remark
BEFORE_DATE = 3  # words between a word of the past and its date
WEEK = 7
SLOT = 5  # words of a line that is nothing but a thing and its day


class MatterLine(NamedTuple):
    """A line taken apart: its words with their places, and its dates."""

    text: str
    words: list[str]
    starts: list[int]
    dates: list[Date]

    def place(self, at: int) -> int:
        """The number of the first word at or after a place in the text."""
        return next((number for number, start in enumerate(self.starts) if start >= at), len(self.starts))

    def words_without_dates(self) -> list[str]:
        """The words that belong to no date."""
        inside = [(day.start, day.end) for day in self.dates]
        both = zip(self.words, self.starts, strict=True)
        return [word for word, at in both if not any(start <= at < end for start, end in inside)]


def take_apart(
    text: str, near: date, anchor: date | None, code: str, order: str | None = None, before: str = ""
) -> MatterLine:
    """The words and dates of a line; what it quotes is somebody else's. `before`: as in `dates.find`."""
    text = _QUOTED.sub(lambda found: " " * len(found[0]), text)
    found, year = tokens(text), _IN_YEAR.match(text)
    days = dates.find(text, near, anchor=anchor, code=code, order=order, before=before)
    if year is not None and int(year[1]) != near.year:  # "In 1996 … by 24 November"
        days = [day for day in days if _FOUR.search(text, day.start, day.end)]
    return MatterLine(text, [each.text for each in found], [each.start for each in found], days)


def lead_of(text: str, near: date, code: str, order: str | None) -> Date | None:
    """The day with which an entry of a diary begins: "9/29 — moved", "Sun 22 Nov. rang"; none of today or to come."""
    if not any(char.isdigit() for char in text[:DAY_NAME]):
        return None
    first = next(iter(dates.find(text[:LEAD], near, code=code, order=order)), None)
    if first is None or first.relative or not first.exact or first.time or first.last >= near:
        return None
    return first if day_names(0).issuperset(words(text[: first.start])) else None


def label_of(text: str, said: Sequence[str], known: Cues) -> str:
    """The state that a line's label or tag names: task, waiting, blocked, problem, done; "" for none.

    A label stands before a colon or dash, or is a whole phrase that needs an object ("Waiting on Berg"); one that is
    denied at once ("Blocked: no longer") is none.
    """
    for place in range(min(len(said), FIRST)) if not known.negators.isdisjoint(said) else ():
        for phrases in known.labels.values():
            length = phrases.at(said, place)
            if length and said[place + length : place + length + 1] and said[place + length] in known.negators:
                return ""
    for tag in TAG.finditer(text):
        for name, phrases in known.labels.items():
            if phrases.whole(tag[1].replace("-", " ")):
                return name
    found = _LABEL.match(text)
    if found:
        for name, phrases in known.labels.items():
            if phrases.whole(found[1].strip("*_ ")):
                return name
    for name in ("waiting", "blocked"):
        for place in range(min(len(said), FIRST)):
            length = known.labels[name].at(said, place)
            if place and known.past.at(said, place - 1):  # "I was waiting for the bus"
                break
            if (length > 1 or (length and said[place] in known.transitive)) and len(said) > place + length:
                return name
    return ""


def label_behind(text: str, names: Iterable[str], known: Cues) -> str:
    """The state among `names` that stands at the end of a heading: "Oven (blocked)"; "" for none."""
    ending = _BEHIND.search(text)
    state = words(ending[1]) if ending else []
    return next((name for name in names if state and known.labels[name].at(state, 0)), "")


def awaits(said: Sequence[str], known: Cues) -> bool:
    """Whether a line says near its start that somebody else has not answered."""
    for place, length in known.silent.find(said[: FIRST + MOST_SILENT]):
        mine = place > 0 and said[place - 1] in listed("matters", "subjects")
        if place < FIRST and not (mine and said[place + length - 1] not in known.idle):  # "I have not answered"
            return not (place and known.past.at(said, place - 1))
    return False


def owner_of(text: str, known: Cues) -> str:
    """Whose task a line is that begins with a name, as minutes write it: "Pat: order the skip"; "" for one's own."""
    found = _OWNER.match(text)
    name = found[1] if found else ""
    small = name.lower()
    if not name or small in known.own or any(phrases.whole(name) for phrases in known.labels.values()):
        return ""
    return name


def opening(text: str, first: str) -> str:
    """The words of an item's first line, where the lines below begin a sentence of their own."""
    line = " ".join(first.split())
    size = next((len(line) - at for at in range(MARKER) if text.startswith(line[at:] or "\0")), len(text))
    return text[:size] if text[size:].lstrip()[:1].isupper() else text


def lead_in(text: str, before: str, code: str, known: Cues) -> str:
    """A sentence that hardly says what it is about ("He wants it by Friday"), behind the one before it."""
    own, both = words(text), f"{before} {text}"
    it = not listed("matters", "things").isdisjoint(own[:POINTING])
    thin = len(stems(text, code)) < TELLING or (own and own[0] in known.others)
    return both if (thin and len(both) <= LED) or (it and len(both) <= LED_BY_IT) else text


def without_remark(text: str) -> str:
    """What was ticked off, without the remark behind it on how that went: "field trip form, signed on the hood"."""
    end = _CLAUSE.search(text)
    head = text[: end.start()] if end is not None else text
    return head if len(tokens(head)) >= LEAST_HEAD else text


def is_past(said: MatterLine, day: Date, known: Cues, anchor: date | None) -> bool:
    """Whether a sentence puts a date in the past: "lodged 2 Nov", "since the 12th", "dated …"; "was moved to" does not.

    `anchor`: the day of the text; what lies before it has happened.
    """
    if anchor is not None and day.last < anchor:
        return True
    place = said.place(day.start)
    if place and day.first == day.last and known.dated.at(said.words, place - 1):
        return True  # "vom 9. bis 13." is none
    for at in range(place - 1, max(-1, place - 1 - BEFORE_DATE), -1):
        if known.moved.at(said.words, at):
            return False
        if known.past.at(said.words, at):
            return True
    return False


def day_ahead(said: MatterLine, near: date, known: Cues, anchor: date | None) -> Date | None:
    """The first day to come that a line names, "in November" being none."""
    ahead = (day for day in said.dates if day.last >= near and not is_vague(day))
    return next((day for day in ahead if not is_past(said, day, known, anchor)), None)


def is_slot(said: MatterLine, day: Date, near: date) -> bool:
    """Whether a line is nothing but a thing and its day: "Band practice Wed 25th", "Wed 25 Nov: fit the lock"."""
    text, others = said.text.rstrip(), [word for word in said.words_without_dates() if not word.isdigit()]
    edge = said.place(day.start) == 0 or said.place(day.end) >= len(said.words)
    bare = text[-1:].isalnum() or day.end >= len(text) - 1  # "Do 26.11."
    dated = words(text[day.start : day.end])  # "Wed 25th", not "sold out Friday", nor "council tax, the 1st"
    vague = day.relative and (len(dated) < 2 or listed("dates", "weekdays").isdisjoint(dated))
    if not (edge and bare) or vague or _TIMESTAMP.match(text):
        return False
    headed = said.place(day.start) == 0 and text[day.end :].startswith(":") and day.last > near  # as a plan has it
    idle = listed("words", "negators") if headed else listed("words", "stop")
    short = headed or len(others) <= SLOT
    return short and idle.isdisjoint(others) and not all(map(names_nothing, others))


def is_vague(day: Date) -> bool:
    """Whether a day is a longer time: "in November"."""
    return (day.last - day.first).days >= WEEK


def is_moved(said: MatterLine, known: Cues) -> bool:
    """Whether a line says what was agreed anew: by a word for that, or by a "now" beside a day: "Thursday at 2 now"."""
    beside = (place for day in said.dates for place in (said.place(day.start) - 1, said.place(day.end)))
    now = any(0 <= place < len(said.words) and said.words[place] in listed("matters", "now") for place in beside)
    return now or bool(known.moved.find(said.words))


def asks_nothing(said: MatterLine, known: Cues) -> bool:
    """Whether a line heads what follows ("Due until Friday:"), or says how long something is open or shut: "open until
    Friday 8 pm"; where one may enter or answer, that is a deadline."""
    if said.text.endswith(":") and all(map(names_nothing, said.words_without_dates())):
        return True
    others = [at for at, _ in known.deadline.find(said.words) if not known.until.at(said.words, at)]
    asks = (
        others or known.must.find(said.words) or not (known.own | listed("matters", "entries")).isdisjoint(said.words)
    )
    return (
        not asks
        and bool(said.dates and known.until.find(said.words))
        and not listed("matters", "lasting").isdisjoint(said.words)
    )


def moved_from(said: MatterLine, day: Date | None, known: Cues) -> tuple[date, ...]:
    """The days that a line names beside the one to which it says that something was moved."""
    moved, found = is_moved(said, known), list[date]()
    for each in said.dates:
        before = said.words[max(0, said.place(each.start) - 2) : said.place(each.start)]
        if day and each.exact and each.first != day.first and (moved or not known.negators.isdisjoint(before)):
            found.append(each.first)  # "not Thursday but Wednesday" moves, too
    return tuple(found)


def in_one_clause(text: str, start: int, day: Date) -> bool:
    """Whether neither a clause nor a sentence begins between a word and a day."""
    begins = (start + each.start for each in sentences(text[start : day.end])[1:])
    return _CLAUSE.search(text, start, day.start) is None and next(begins, day.end) > day.start


def appointment(said: MatterLine, known: Cues, anchor: date | None, near: date) -> Date | None:
    """A day and a time of day in one line; a log's timestamp is none unless it is still to come."""
    logged = _TIMESTAMP.match(said.text) is not None
    for day in said.dates:
        if day.time and not is_past(said, day, known, anchor) and not (logged and day.first <= near):
            return day
    return None


def is_off(said: MatterLine, known: Cues) -> bool:
    """Whether the clause of a day says that nothing is on: "No rehearsal on Thursday at 7", not "Not Thursday"."""
    place = said.place(said.dates[0].start) if said.dates else 0
    begin = clause_of(said, place)
    return place > begin + 1 and said.words[begin] in known.negators


def appointment_ahead(said: MatterLine, day: Date | None, near: date) -> Date | None:
    """A day to come, of the line or of its heading, with the one time of day that stands elsewhere in the line:
    "Tue 24 Nov: dentist, 15:00"."""
    if len(said.dates) > 1 or day is None or not day.exact or not near < day.first == day.last:
        return None
    hours = [each.text for each in figures(said.text) if each.kind == "time"]
    spoken = dates.find(f"{day.first} {hours[0]}", near) if len(hours) == 1 else []
    return day._replace(time=spoken[0].time) if spoken and spoken[0].time else None


def entry(said: MatterLine, known: Cues, anchor: date | None) -> Date | None:
    """The day of a line in a calendar: it begins the line or ends it."""
    for day in said.dates:
        edge = said.place(day.start) <= 1 or said.place(day.end) >= len(said.words) - 1
        if edge and not is_past(said, day, known, anchor):
            return day
    return None


def closes(said: MatterLine, known: Cues, today: date) -> bool:
    """Whether a line says that something is done: a closing word near its start or end that is not still to come, nor
    right before a day after `today`, that of the text."""
    last = len(said.words)
    for place, length in known.states["closed"].find(said.words):
        asks = said.words[place] in listed("matters", "replies") and said.words[place + 1 : place + 2]
        if 4 < place < last - length - 3 or (asks and asks[0] in listed("dates", "and")):  # "yes or no"
            continue
        before = said.words[max(0, place - 4, clause_of(said, place)) : place]
        ahead = any(
            day.first > today
            and 0 <= said.place(day.start) - place - length <= 1
            and in_one_clause(said.text, said.starts[place], day)
            for day in said.dates
        )
        ahead = ahead and not (place and known.past.at(said.words, place - 1))  # "was delivered on the 20th"
        if not ahead and not any(known.pending.at(before, at) for at in range(len(before))):
            return not said.text.rstrip().endswith("?")
    return False


def is_achieved(said: MatterLine, known: Cues) -> bool:
    """Whether a clause behind the day of a line says that it was done: "had to be there by 9 on Friday, made it"; or
    the day stands behind what was handed in: "submitted 19 Nov, due 27 Nov"."""
    first = said.words[: clause_of(said, said.place(said.dates[-1].start))] if said.dates else []
    if known.handed.find(first) and known.deadline.find(said.words[len(first) :]):
        late = any(known.pending.at(first, at) for at in range(len(first)))
        return not late and not another(said, known, said.dates[-1])
    for place, _ in known.achieved.find(said.words) if said.dates else ():
        begin = clause_of(said, place)
        before = said.words[begin:place]
        told = known.idle.issuperset(before) and (known.negators | known.own).isdisjoint(before)
        if told and begin > said.place(said.dates[0].start) and not said.text.rstrip().endswith("?"):
            return True
    return False


def another(said: MatterLine, known: Cues, day: Date | None) -> int:
    """Where a later clause begins that has a day and a subject of its own: "Paid half, the rest is due on the 27th"; 0
    for none."""
    if day is None:
        return 0
    begin, end = clause_of(said, said.place(day.start)), _PART.search(said.text, day.end)
    clause = said.words[begin : said.place(end.start() if end else len(said.text))]
    due = {place for at, length in known.deadline.find(clause) for place in range(at, at + length)}
    dated = range(said.place(day.start) - begin, said.place(day.end) - begin)
    own = [word for at, word in enumerate(clause) if at not in (*due, *dated) and word not in known.idle]
    return said.starts[begin] if begin and due and own and not known.until.find(clause) else 0


def denies(said: MatterLine, known: Cues) -> bool:
    """Whether a line says that nothing is open: "no blockers", "nothing outstanding"."""
    troubles = listed("matters", "troubles")
    denied = [at for at, word in enumerate(said.words) if word in known.negators]
    return any(not troubles.isdisjoint(said.words[at + 1 : at + 3]) for at in denied)


def acts(said: MatterLine, known: Cues) -> bool:
    """Whether a line says anywhere that something was done about a thing: not denied, asked or still to come."""
    for place, _ in known.acted.find(said.words):
        before = said.words[max(0, place - 4, clause_of(said, place)) : place]
        if not any(known.pending.at(before, at) for at in range(len(before))):
            return not said.text.rstrip().endswith("?")
    return False


def clause_of(said: MatterLine, place: int) -> int:
    """The number of the first word of the clause, or of the brackets, in which a word stands."""
    ends = [each.end() for each in _PART.finditer(said.text, 0, said.starts[place])]
    return said.place(ends[-1]) if ends else 0


def _is_capitalised(said: MatterLine, place: int) -> bool:
    """Whether a word and the next are written as in a title, while others are not: "Urgent Care is on Thursday". German
    writes its nouns so."""
    pair = [said.text[start] for start in said.starts[place : place + 2]]
    titled = len(pair) > 1 and all(map(str.isupper, pair)) and not said.text.isupper()
    return titled and said.text[said.starts[place + 1] + 1 :][:1].islower() and language_of(said.text) != "de"


def is_likely(said: MatterLine, known: Cues) -> bool:
    """Whether a line holds one of the few plain words of state: not denied, not asked, and nothing closed behind it."""
    if said.text.rstrip().endswith("?") or not said.words:
        return False
    closed = [place for place, _ in known.states["closed"].find(said.words)]
    for place, _ in known.likely.find(said.words):
        if _is_capitalised(said, place):
            continue
        before = said.words[max(0, place - 3) : place]
        if known.negators.isdisjoint(before[-1:]) and not any(
            known.pending.at(before, at) for at in range(len(before))
        ):
            return not closed or closed[-1] < place
    return False
