"""DOMAIN. What a matter is called: the note's own words on one line, and one sentence on why it matters."""

import re
from collections.abc import Mapping, Sequence
from datetime import date

from adjutant.app import plural
from adjutant.domain.matters.fact import Fact
from adjutant.domain.matters.picture import Extraction
from adjutant.domain.matters.relevance import Touch
from adjutant.domain.matters.signal import LEVELS, Signal
from adjutant.language.sentences import sentences
from adjutant.records.insights import stems_of
from adjutant.screening.fence import clean_line

TITLE, WIDE, NAME = 140, 240, 48
TELLING, LEAST = 3, 2  # content words of a phrase that needs no heading; and of one that needs no name of its page
SAYS: Mapping[str, str] = {
    "waiting": "waiting for someone",
    "blocked": "blocked",
    "problem": "marked as a problem",
    "appointment": "an appointment",
    "task": "an open task",
    "deadline": "",
}
_CLAUSE = re.compile(r"[;:),](?=\s)|\s[–—-](?=\s)")


def title(what: str, most: int = TITLE) -> str:
    """The words of a matter, at most 140 characters; a long sentence ends with a clause."""
    words = clean_line(what, 4 * TITLE).strip(" -–—|")
    if len(words) <= most:
        return words
    ends = [*(each.start() for each in _CLAUSE.finditer(words)), *(each.end - 1 for each in sentences(words))]
    end = max((end for end in ends if most // 2 < end < most), default=0) or words.rfind(" ", most // 2, most - 1)
    return words[: end if end > 0 else most - 1].rstrip(" ,;:–—-") + "…"


def widen(what: str, around: str) -> str:
    """A sentence with those before it in its paragraph, then those behind it, as far as 240 characters allow: "She has
    it on Friday" says little alone."""
    at = around.find(what) if what else -1
    if at < 0:
        return what
    first, last = at, at + len(what)
    every = sentences(around)
    for start in [each.start for each in reversed(every) if each.start < first]:
        first = start if last - start <= WIDE else first
    for end in [each.end for each in every if each.end > last]:
        last = end if end - first <= WIDE else last
    return around[first:last].strip()


def whole(fact: Fact, path: str) -> str:
    """A matter as a whole phrase: where its own words hardly say what it is about, behind its heading or page."""
    said = title(fact.what) or title(fact.quote)
    words = len(stems_of(said))
    if fact.basis == "event" or words >= TELLING:
        return said
    heads = (head[:TITLE] for head in reversed(fact.heads))
    page = path.rsplit("/", 1)[-1].rsplit(".", 1)[0] if words < LEAST else ""
    over = next((head for head in heads if stems_of(head) - stems_of(said)), page)
    return title(f"{over}: {said}" if over and said else over or said or path)


def why(fact: Fact, touch: Touch | None, today: date) -> str:
    """From typed facts only: the state, its day, and what of the heart it touches."""
    touched = f"touches {touch.part} '{name_of(touch.text)}'" if touch is not None else ""
    return "; ".join(filter(None, (day_of(fact, today), SAYS[fact.kind], touched))) or "open"


def day_of(fact: Fact, today: date) -> str:
    """A matter's day as a person says it: `due today`, `3 days late`, `Thu 26 Nov 10:30`; "" without one."""
    if fact.last is None or fact.first is None:
        return ""
    left = (fact.last - today).days
    if left < 0:
        return f"{plural(-left, 'day')} late"
    met = fact.kind == "appointment"
    said = day(max(fact.first if met else fact.last, today), today)
    return f"{'' if met else 'due '}{said}{f' {fact.time}' if fact.time else ''}"


def day(moment: date, today: date) -> str:
    """`today`, `tomorrow`, `Thu 26 Nov`; with its year where that is another."""
    ahead = (moment - today).days
    if ahead in (0, 1):
        return "tomorrow" if ahead else "today"
    return f"{moment:%a} {moment.day} {moment:%b}" + (f" {moment.year}" if moment.year != today.year else "")


def name_of(item: str) -> str:
    """A priority or concern by its first words: up to the colon where it has an early one."""
    plain = " ".join(item.replace("*", "").replace("`", "").split())
    head, colon, _ = plain.partition(":")
    return head if colon and len(head) <= NAME else cut(plain, NAME)


def cut(text: str, limit: int) -> str:
    """At most `limit` characters, ended at a word with an ellipsis where more stood."""
    if len(text) <= limit:
        return text
    head, blank, _ = text[: limit - 1].rpartition(" ")
    return (head if blank and len(head) > limit // 2 else text[: limit - 1]).rstrip(" ,;:–-") + "…"


def rank(by_kb: Mapping[str, Sequence[Signal]]) -> list[tuple[str, Signal]]:
    """(knowledge base, signal) of what belongs on a list of what matters, worst first."""
    raised = [(kb, each) for kb in sorted(by_kb) for each in by_kb[kb] if not each.muted and each.listed]
    raised.sort(key=lambda pair: (-LEVELS.index(pair[1].severity), -pair[1].score, pair[0]))
    return raised


def summary(found: Extraction) -> str:
    """One line: how much is open, late or due, stuck, and the gravest."""
    today = date.fromisoformat(found.today)
    left = [(date.fromisoformat(day) - today).days for day, _, _ in found.deadlines]
    live = [signal for signal in found.signals if signal.muted is None]
    parts = [f"{sum(not each.muted for each in found.opens)} open"]  # as `today --all` lists them
    if late := sum(days < 0 for days in left):
        parts.append(f"{late} overdue")
    if soon := sum(0 <= days <= 14 for days in left):
        parts.append(plural(soon, "deadline") + " within 14 days")
    if stuck := sum(signal.kind in ("blocked", "waiting") for signal in live):
        parts.append(f"{stuck} blocked or waiting")
    grave = next((signal for signal in live if signal.listed), None)
    top = f"{cut(grave.title, 90)} ({grave.path}:{grave.line})" if grave else "nothing that needs attention"
    return f"{', '.join(parts)}; {top}"
