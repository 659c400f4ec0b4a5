"""DOMAIN. The distiller without any model: what is covered, what recurs, what newer words replace, what has to go.

Items are taken oldest first, so that of two which contradict the later one stands.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from adjutant.domain.wisdom.deciding import (
    CAP,
    MERGED,
    REASON_CHARS,
    STALE,
    Choice,
    Decision,
    Dropped,
    Kept,
    Matter,
    Result,
    Standing,
    too_much,
    unfit,
    without_operator,
)
from adjutant.domain.wisdom.items import LESSONS, NOTE, Item
from adjutant.language.agreement import alike, common_language, contradicts, covered, gist
from adjutant.language.sentences import sentences
from adjutant.ports import TRUST
from adjutant.records import rule_text, wisdom_file
from adjutant.records.note import title_of
from adjutant.records.wisdom_file import Entry
from adjutant.screening.fence import clean_line

RULES = ("decision", "invariant", "gotcha", "pattern", "preference", "correction")  # notes that stand even alone
FITTING = 0.5  # of an old title's stems, in the new text: it still names the entry
_DATED = re.compile(r"\s*\([^()]*\d{4}-\d\d-\d\d[^()]*\)")
_LEAD = re.compile(
    r"(?:(?:no|nei|nein|actually|again),\s+"
    r"|(?:lessons?|learn(?:ed|t)|correction(?: (?:for|to) [\w ]{1,30})?|note to self|decision|decided|rule|lærdom|lekse"
    r"|rettelse|beslutning|regel|huskelapp|lektion|gelernt|korrektur|entscheidung|beschluss|merke)"
    r"(?:\s+(?:again|once more|learn(?:ed|t)|igjen|wieder))?\s*[:–—-]\s*"
    r"|(?:we (?:have )?(?:decided|agreed|learn(?:ed|t))|(?:learn(?:ed|t)|decided)(?: again| once more)?) that\s+)+",
    re.IGNORECASE,
)
_PERSONAL = re.compile(r"\b(?:I|me|my|jeg|meg|min|ich|mich|mein\w*)\b")
_CLAUSE = re.compile(
    r"\s*(?:[;:–—]|,(?=\s)|\s-\s|\s\(|\s(?:because|since|so that|as soon as|fordi|siden|slik at|weil|damit|denn)\s).*",
    re.IGNORECASE | re.DOTALL,
)
# Where a title that is too long is cut: before what is said besides, or where, when, with whom.
_JOINT = re.compile(
    r"\s+(?=(?:and|or|but|so|when|where|while|if|unless|until|without|before|after|which|who|in|on|at|for|with|by|from|og"
    r"|eller|men|når|hvor|hvis|inntil|uten|før|etter|som|i|på|ved|for|med|fra|und|oder|aber|wenn|wo|falls|bis|ohne|bevor"
    r"|vor|nachdem|nach|in|im|am|bei|für|mit|zum|zur)\s)",
    re.IGNORECASE,
)
_EVENTS = {
    "Key events": "ephemeral: something that happened, no rule",
    "Decisions": "ephemeral: a decision of its time; saved as a note of type decision it becomes a rule",
    "Patterns": "derivable: what was seen to recur, no rule",
    "Open threads": "ephemeral: an open thread",
    "person": "derivable: about a person; the note is found by search",
    "fact": "derivable: a fact; the note is found by search",
}


def rules(matter: Matter) -> Result:
    """The answer without any model; it passes `deciding.check`."""
    desk = _Desk(matter)
    desk.join_equals()
    for item in matter.items:
        desk.take(item)
    desk.make_room()
    return desk.result()


def rule_of(item: Item) -> tuple[str, str]:
    """(title, text) of the rule that an item states: its first three sentences, without when it was said."""
    text = _LEAD.sub("", _DATED.sub("", " ".join(item.text.split())), count=1).strip()
    text = text[:1].upper() + text[1:]
    text = text[: max((each.end for each in sentences(text)[: rule_text.SENTENCES]), default=0)]
    if text and text[-1].isalnum():
        text += "."
    own = item.title if item.title and item.title != title_of(item.text) else ""
    return _short(clean_line(own, 400)) or _title(text), text


def _title(text: str) -> str:
    """The rule itself, its first clause, in few words."""
    first = _first(text)
    clause = _CLAUSE.sub("", first)
    return _short(clean_line(clause if len(clause.split()) > 2 else first, 400).rstrip(".!…,;:"))


def _first(text: str) -> str:
    """The first sentence, without its full stop."""
    return next((text[: each.end] for each in sentences(text)), "").rstrip(".!…")


def _short(title: str, most: int = rule_text.TITLE_CHARS) -> str:
    """A title of at most `most` characters, cut where a phrase ends, else between words."""
    if len(title) > most:
        cuts = [title[: joint.start()] for joint in _JOINT.finditer(title) if joint.start() <= most]
        cuts = [cut for cut in cuts if len(cut.split()) > 2]
        title = cuts[-1] if cuts else title[: most + 1].rpartition(" ")[0] or title[:most]
    return title.rstrip(" ,;:-–—")


class _Slot:
    """An entry while the file is worked on. `items`: what was decided into it in this run."""

    def __init__(self, title: str, text: str, category: str, since: str, old: Standing | None = None) -> None:
        self.title, self.text, self.category, self.since, self.old = title, text, category, since, old
        self.stale = old is not None and old.stale
        self.pinned = old is not None and old.pinned
        self.changes = ""
        self.items: list[Item] = []

    @property
    def entry(self) -> Entry:
        return Entry(self.title, self.text, self.category, self.pinned)

    @property
    def told(self) -> str:
        return f"{self.title}\n{self.text}"


class _Desk:
    def __init__(self, matter: Matter) -> None:
        self.matter = matter
        self.slots = [_Slot(each.title, each.text, each.category, each.since, each) for each in matter.current]
        self.decisions: dict[str, Decision] = {}
        self.dropped: list[Dropped] = []
        self.left: list[_Slot] = []
        self.kin = _kin(matter.items)

    def result(self) -> Result:
        return Result(
            [self.decisions[item.id] for item in self.matter.items],
            [Kept(slot.title, slot.text, slot.category, slot.changes) for slot in self.slots],
            self.dropped,
        )

    # -- one item --------------------------------------------------------------------------------------------

    def take(self, item: Item) -> None:
        """Decides an item, and those that say the same as a lesson that becomes an entry."""
        if item.id in self.decisions:
            return
        if item.replaced:
            return self._drop(item, f"contradicted: superseded by {item.replaced}")
        if (old := self._taken_in(item)) is not None:
            return self._replace(old, item, f"newer: it supersedes what {old.title} was made of")
        if (slot := self._covering(item.text)) is not None:
            return self._merge(item, slot, "covered")
        if (slot := self._called(item.already)) is not None and not contradicts(rule_of(item)[0], slot.told):
            return self._merge(item, slot, "covered: the entry was made of it")
        if item.id in self.kin and (slot := self._akin(item.text)) is not None:
            return self._merge(item, slot, "covered: the same in other words")
        base, why = self._rule(item)
        if base is None:
            return self._drop(item, why)
        against = next((slot for slot in self.slots if contradicts(rule_of(base)[0], slot.told)), None)
        if against is not None:
            self._against(base, against)
        else:
            self._add(base, why)
        became = self.decisions[base.id]
        slot = self._called(became.entry)
        for other in (item, *self.kin.get(base.id, [])):
            if other.id in self.decisions:
                continue
            if slot is not None:
                self._merge(other, slot, "covered: the same in other words")
            elif other is item:
                self._drop(item, became.reason)

    def _taken_in(self, item: Item) -> _Slot | None:
        return self._called(item.replaces) if item.trust == TRUST[0] else None

    def _called(self, title: str) -> _Slot | None:
        name = wisdom_file.key(title)
        return next((slot for slot in self.slots if name and wisdom_file.key(slot.title) == name), None)

    def _covering(self, text: str) -> _Slot | None:
        return next((slot for slot in self.slots if covered(text, slot.told)), None)

    def _akin(self, text: str) -> _Slot | None:
        return next((slot for slot in self.slots if alike(text, slot.title) or alike(text, slot.text)), None)

    def _rule(self, item: Item) -> tuple[Item | None, str]:
        """(the item that states the rule, why it is one); (None, why it is none)."""
        kin = self.kin.get(item.id, [])
        if item.kind == NOTE:
            if item.section not in RULES:
                return None, _EVENTS.get(item.section, "derivable")
            why = f"the operator's {item.section}, a note"
        elif item.section in LESSONS:
            times = item.count + len(item.before) + sum(other.count for other in kin)
            if times < 2:
                return None, "ephemeral: said once; it becomes a rule when it comes again"
            why = f"recurring: said {times} times"
        else:
            return None, _EVENTS.get(item.section, "ephemeral: no lesson")
        own = [each for each in (item, *kin) if each.trust == TRUST[0] and each.id not in self.decisions]
        fit = [each for each in own if not unfit(*rule_of(each))]
        if not fit:
            return None, f"unfit: {wrong}" if (wrong := unfit(*rule_of((own or [item])[-1]))) else without_operator(
                item
            )
        return max(fit, key=lambda each: (not _PERSONAL.search(each.text), each.date)), why

    def _against(self, item: Item, slot: _Slot) -> None:
        if slot.pinned:
            self._drop(item, f"contradicted: {slot.title} is pinned")
        elif item.date < slot.since:
            self._drop(item, f"contradicted: {slot.title} is newer")
        else:
            self._replace(slot, item, f"newer: it contradicts what {slot.title} said")

    # -- what becomes of it ----------------------------------------------------------------------------------

    def _drop(self, item: Item, reason: str) -> None:
        self._decide(item, "DROP", "", reason)

    def _merge(self, item: Item, slot: _Slot, reason: str) -> None:
        slot.items.append(item)
        if item.trust != TRUST[-1]:
            slot.since, slot.stale = max(slot.since, item.date), False
        self._decide(item, "MERGE", slot.title, reason)

    def _add(self, item: Item, why: str) -> None:
        title, text = rule_of(item)
        slot = _Slot(self._unique(title, text), text, self._category(item), item.date)
        slot.changes = clean_line(f"New: {text}", 200)
        slot.items.append(item)
        self.slots.append(slot)
        self._decide(item, "ADD", slot.title, why)

    def _replace(self, slot: _Slot, item: Item, why: str) -> None:
        """Newer words take the place of an entry; where its title does not fit them, under a title of theirs."""
        title, text = rule_of(item)
        if slot.pinned:
            return self._drop(item, f"contradicted: {slot.title} is pinned")
        if reason := unfit(title, text):
            return self._drop(item, f"unfit: {reason}")
        was, old = slot.text, slot.old
        if wisdom_file.key(slot.title) != wisdom_file.key(title) and not _fits(slot.title, text):
            title = self._unique(title, text)
            if old is not None:
                self.dropped.append(Dropped(old.title, f"{MERGED} {title}"))
            self._rename(slot, title)
        slot.text, slot.changes = text, clean_line(f"Instead of: {was}", 200)
        slot.items.append(item)
        slot.since, slot.stale = max(slot.since, item.date), False
        self._decide(item, "MERGE", slot.title, why)

    def _rename(self, slot: _Slot, title: str) -> None:
        """What was decided into it, or merged into it, goes with it."""
        self.dropped = [
            Dropped(each.title, f"{MERGED} {title}") if each.reason == f"{MERGED} {slot.title}" else each
            for each in self.dropped
        ]
        for item in slot.items:
            told = self.decisions[item.id]
            self._decide(item, told.decision, title, told.reason)
        slot.title, slot.old = title, None

    def _decide(self, item: Item, decision: Choice, entry: str, reason: str) -> None:
        self.decisions[item.id] = Decision(item.id, decision, entry, clean_line(reason, REASON_CHARS))

    def _unique(self, title: str, text: str) -> str:
        """A title that no entry has: this one, the whole first sentence, else with a number behind it."""
        titles = [*(slot.title for slot in self.slots), *(each.title for each in self.matter.current)]
        taken = set(map(wisdom_file.key, titles))
        whole, number = clean_line(_first(text), 400), 2
        found = title if wisdom_file.key(title) not in taken else _short(whole)
        while wisdom_file.key(found) in taken:
            found, number = f"{_short(title, rule_text.TITLE_CHARS - 5)} ({number})", number + 1
        return found

    def _category(self, item: Item) -> str:
        """The category that shares most words with an item, in its name or in its entries; else the first."""
        names = self.matter.categories
        if not names:
            return ""
        told = f"{item.title}\n{item.text}\n{' '.join(item.about)}"

        def near(name: str) -> tuple[int, int]:
            held = "\n".join(slot.told for slot in self.slots if slot.category == name)
            language = common_language(told, held)
            stems = gist(told, language).telling
            return len(stems & gist(name, language).stems), len(stems & gist(held, language).telling)

        return max(names, key=near)

    # -- all of them -----------------------------------------------------------------------------------------

    def join_equals(self) -> None:
        """Of two entries that say the same the first stays, or the pinned one."""
        for slot in list(self.slots):
            twin = next((other for other in self.slots if other is not slot and _equal(other, slot)), None)
            if twin is None or slot.pinned or (not twin.pinned and self.slots.index(slot) < self.slots.index(twin)):
                continue
            self.slots.remove(slot)
            self.dropped.append(Dropped(slot.title, f"{MERGED} {twin.title}"))
            twin.since, twin.stale = max(twin.since, slot.since), twin.stale and slot.stale

    def make_room(self) -> None:
        """What is over the limits goes: stale entries, then what nothing bore out for longest, the weakest new one."""
        while over := too_much(self.matter, [slot.entry for slot in self.slots]):
            old = [slot for slot in self.slots if slot.old is not None and not slot.pinned and not slot.changes]
            old.sort(key=lambda slot: (not slot.stale, slot.since))
            new = [slot for slot in self.slots if slot not in old and not slot.pinned]
            new.sort(key=lambda slot: (slot.since, len(slot.items)))
            if old and (old[0].stale or not new or old[0].since < new[0].since):
                self._leave(old[0])
            elif new:
                self._give_up(new[0], over)
            else:
                break
        self._take_back()

    def _take_back(self) -> None:
        """What went for a new entry that has no place itself stays after all."""
        for slot in sorted(self.left, key=lambda slot: (not slot.stale, slot.since), reverse=True):
            if too_much(self.matter, [*(each.entry for each in self.slots), slot.entry]):
                return
            self.slots.append(slot)
            self.dropped = [each for each in self.dropped if each.title != slot.title]
            for item in slot.items:
                self._decide(item, "MERGE", slot.title, "covered")

    def _leave(self, slot: _Slot) -> None:
        assert slot.old is not None
        self.slots.remove(slot)
        self.left.append(slot)
        reason = STALE if slot.stale else CAP
        self.dropped.append(Dropped(slot.old.title, f"{reason}: nothing bore it out since {slot.since}"))
        for item in slot.items:
            self._drop(item, f"{reason}: {slot.title} had to go")

    def _give_up(self, slot: _Slot, over: str) -> None:
        """A new entry is not made, a reworded one gets its old words back."""
        for item in slot.items:
            self._drop(item, f"{CAP}: {over}")
        gone = [each for each in self.dropped if each.reason == f"{MERGED} {slot.title}"]
        titles = [each.title for each in gone]
        back = [slot.old] if slot.old is not None else [each for each in self.matter.current if each.title in titles]
        at = self.slots.index(slot)
        self.slots.remove(slot)
        self.dropped = [each for each in self.dropped if each not in gone]
        self.slots[at:at] = [_Slot(old.title, old.text, old.category, old.since, old) for old in back]


def _kin(items: Sequence[Item]) -> dict[str, list[Item]]:
    """{id: the other lessons that say the same}, for lessons of months."""
    lessons = [item for item in items if item.kind != NOTE and item.section in LESSONS]
    found: dict[str, list[Item]] = {item.id: [] for item in lessons}
    for at, one in enumerate(lessons):
        for other in lessons[at + 1 :]:
            if alike(one.text, other.text):
                found[one.id].append(other)
                found[other.id].append(one)
    return found


def _equal(one: _Slot, other: _Slot) -> bool:
    """Whether nothing that either says is missing in the other: a person wrote both."""
    language = common_language(one.told, other.told)
    first, second = gist(one.told, language).telling, gist(other.told, language).telling
    if first - second and second - first:
        return False
    return covered(one.told, other.told) and covered(other.told, one.told) and not contradicts(one.text, other.text)


def _fits(title: str, text: str) -> bool:
    language = common_language(title, text)
    wanted, held = gist(title, language), gist(text, language)
    return (
        bool(wanted.stems)
        and wanted.values <= held.values
        and wanted.denies == held.denies
        and (len(wanted.stems & held.stems) > FITTING * len(wanted.stems))
    )
