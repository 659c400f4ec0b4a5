"""DOMAIN. By when: the day or hour that a deadline word, a duty or a task's line gives."""

import re
from collections.abc import Sequence
from datetime import date

from adjutant.domain.matters.cues import Cues
from adjutant.domain.matters.lines import WEEK, MatterLine, clause_of, in_one_clause, is_past
from adjutant.language import dates
from adjutant.language.dates import Date
from adjutant.language.detect import language_of
from adjutant.language.pack import listed
from adjutant.language.sentences import sentences

REACH = 4  # words between a deadline word and its date
PRETERITE = 3  # words before a deadline word among which a verb of the past makes a story of it
REACH_MUST, DENIED = 8, 5  # words between "must" and its day; before a deadline word that may deny it
_HOUR = re.compile(r"(\d{1,2}(?:[:.]\d\d)?(?: ?[ap]m)?|[^\W\d_]+)(?=[,;!)]|\.?\s*$|\.\s)")
_CLOCK = re.compile(r"(?:(?:at|um|kl\.?) )?(\d{1,2}(?:[:.]\d\d)?(?: ?[ap]m)?|noon|midnight)\b(?![:.,]?\d)")


def find(said: MatterLine, known: Cues) -> Date | None:
    """The date that a deadline word governs: within a few words before it, in the same clause; none if denied.

    Between a preposition and its date only function words stand: "by noon on Friday", not "by parcel post in a week".
    """
    for place, length in known.deadline.find(said.words):
        none = any(known.no_deadline.at(said.words, at) for at in (max(place - 1, 0), place))  # "not before"
        for at in range(max(place - DENIED, clause_of(said, place)), place):  # "will not be back until Sunday"
            none = none or known.no_deadline.at([said.words[at], *said.words[place : place + length]], 0) > 1
        if none or (place and said.words[place - 1] in known.negators - listed("words", "not")):
            continue
        if known.until.at(said.words, place) and any(sum(away) == place for away in known.absent.find(said.words)):
            continue  # "away until Friday" says how long
        if _is_title(said, place):
            continue
        end, was = place + length, place > 0 and known.past.at(said.words, place - 1) > 0
        told = _stays(said, place) if known.until.at(said.words, place) else _is_told(said, place)
        if any(known.pending.at(said.words, at) for at in range(max(place - DENIED, 0), place)):
            was = told = False  # "must be back signed by Tuesday", "to be paid by Friday"
        for day in said.dates:
            if told or (was and day.relative):  # "was due Thursday" is no Thursday to come
                continue
            number = said.place(day.start)
            near = end - (length > 1) <= number <= end + REACH and in_one_clause(said.text, said.starts[place], day)
            between = [word for word in said.words[end:number] if not word.isdigit()]  # "by 4 on Thursday"
            loose = said.words[place] in known.idle and not known.idle.issuperset(between)
            past = any(known.past.at(between, at) for at in range(len(between))) or (
                _begins(said, place) and _tells(said, day)
            )
            if near and not loose and not past and not (between and known.dated.at(between, len(between) - 1)):
                return day
    split = any(known.deadline.at([word, said.words[-1]], 0) == 2 for word in said.words[:-1])
    ends = said.dates[0] if split and len(said.dates) == 1 else None  # "Am Freitag läuft das Angebot ab"
    return ends or _find_around(said, known) or _find_duty(said, known)


def _is_told(said: MatterLine, place: int) -> bool:
    """Whether a verb of the past stands shortly before a deadline word: "the paint had dried by Friday", "we changed it
    by Friday"."""
    first = max(place - PRETERITE, clause_of(said, place))
    verb = next((at for at in range(first, place - 1) if said.words[at] in listed("matters", "preterite")), place)
    verb = min(verb, _past_of(said.words, max(first - 1, 0), place))
    return verb < place and listed("matters", "duties").isdisjoint(said.words[verb + 1 :])


def _past_of(said: Sequence[str], first: int, end: int) -> int:
    """Where between two places somebody did something, by the verb's ending: "they painted"; `end` if nowhere."""
    endings, wished = tuple(listed("matters", "past_endings")), listed("matters", "wished")
    for at in range(first + 1, end):
        if said[at - 1] in listed("matters", "tellers") and said[at].endswith(endings) and said[at] not in wished:
            return at
    return end


def _stays(said: MatterLine, place: int) -> bool:
    """Whether something went on until a day: "we waited until Tuesday"; what "was extended until Friday" ends then."""
    before = said.words[max(place - PRETERITE, clause_of(said, place)) : place]
    return not listed("matters", "stayed").isdisjoint(before)


def _begins(said: MatterLine, place: int) -> bool:
    """Whether a clause begins with a word, or with an "and" before it."""
    return place == clause_of(said, place) or said.words[place - 1] in listed("words", "turns")


def _tells(said: MatterLine, day: Date) -> bool:
    """Whether a clause of the past stands behind a day that begins a clause: "By Thursday I was tired"; "had to" is
    a duty."""
    number = said.place(day.end)
    end = next((each.start for each in sentences(said.text) if each.start >= day.end), len(said.text))
    behind = said.words[number : min(number + REACH, said.place(end))]
    verb = next((at for at, word in enumerate(behind) if word in listed("matters", "preterite")), len(behind))
    verb = min(verb, _past_of(behind, 0, len(behind)))
    return verb < len(behind) and listed("matters", "duties").isdisjoint(behind[verb + 1 : verb + 3])


def _is_title(said: MatterLine, place: int) -> bool:
    """Whether a word is the name of a thing: "the film Deadline"; German writes all nouns so."""
    word = said.text[said.starts[place] :].partition(" ")[0]
    before = said.text[: said.starts[place]].rstrip("*_ ").rpartition(" ")[2]
    named = word[:1].isupper() and not word.isupper() and before.isalpha() and before.islower()
    return named and before not in listed("words", "stop") and language_of(said.text) != "de"


def _find_around(said: MatterLine, known: Cues) -> Date | None:
    """The day right before a deadline word or within a phrase: "am Freitag fällig", "läuft am Freitag ab"."""
    for day in said.dates:
        first, end = said.place(day.start), said.place(day.end)
        before = said.words[max(0, first - 2) : first]
        if end < len(said.words) and known.negators.isdisjoint(before):
            split = any(known.deadline.at([word, said.words[end]], 0) == 2 for word in before)
            if split or known.deadline_behind.at(said.words, end):
                return day
    return None


def _find_duty(said: MatterLine, known: Cues) -> Date | None:
    """The day on which something must be done, without an hour: "has to be back Wed 5 May"; none if denied or asked."""
    for place, length in known.must.find(said.words) if not said.text.rstrip().endswith("?") else ():
        for day in said.dates:
            number = said.place(day.start)
            near = place + length <= number <= place + length + REACH_MUST
            denied = not known.negators.isdisjoint(said.words[max(0, place - 2) : number])
            one = (day.last - day.first).days < WEEK and not day.time  # "in week 49", too
            if near and one and not denied and in_one_clause(said.text, said.starts[place], day):
                return day
    return None


def find_by_hour(said: MatterLine, known: Cues, anchor: date | None, code: str = "") -> Date | None:
    """The hour behind a deadline word: of the day right before it ("tomorrow by 5"), else of a line that says today:
    "today if I ring before 12, else Monday"."""
    days = [day for day in said.dates if day.exact and day.first == day.last and not is_past(said, day, known, anchor)]
    today = next((day for day in days if day.relative and day.first == anchor), None)
    for place, length in known.deadline.find(said.words) if days else ():
        before = next((day for day in days if place - 1 <= said.place(day.end) <= place and not day.time), None)
        if place and said.words[place - 1].isdigit() and said.place(days[-1].end) < place:
            continue  # "8 until 11"
        start, day = [*said.starts, len(said.text)][place + length], before or today
        hour = (_CLOCK if before else _HOUR).match(said.text, start) if day else None
        spoken = dates.find(f"{day.first} at {hour[1]}", day.first, code=code) if day and hour else []
        if spoken and spoken[0].time and said.words[place - 1] not in known.negators:
            return spoken[0]
    return None


def find_of_task(said: MatterLine, known: Cues, anchor: date | None) -> Date | None:
    """The day of an open task: what a deadline word governs, else the first date that is not put in the past."""
    found = find(said, known)
    if found is not None:
        return found
    return next((day for day in said.dates if not is_past(said, day, known, anchor)), None)
