"""DOMAIN. The distiller without any model: what is covered, what recurs, what newer words replace, what has to go.

Items are taken oldest first, so that of two which contradict the later one stands.
"""

from __future__ import annotations

import msgspec

from adjutant.domain.wisdom.book import (
    CAP,
    STALE,
    BookEntry,
    DistillMatter,
    Gone,
    RuleChoice,
    StandingRule,
    WisdomReply,
    handles,
)
from adjutant.domain.wisdom.deciding import REASON_CHARS, over, without_operator
from adjutant.domain.wisdom.items import LESSONS, NOTE, WisdomItem, rule_of, unfit
from adjutant.language.agreement import again, contradicts, covered
from adjutant.ports import TRUST
from adjutant.records import wisdom_file
from adjutant.screening.fence import clean_line

RULES = ("decision", "invariant", "gotcha", "pattern", "preference", "correction")  # notes that stand even alone
_NO_RULE = {
    "Key events": "ephemeral: something that happened, no rule",
    "Decisions": "ephemeral: a decision of its time; saved as a note of type decision it becomes a rule",
    "Patterns": "derivable: what was seen to recur, no rule",
    "Open threads": "ephemeral: an open thread",
    "person": "derivable: about a person; the note is found by search",
    "fact": "derivable: a fact; the note is found by search",
}


def rules(matter: DistillMatter) -> WisdomReply:
    """The answer without any model; it passes `deciding.check`."""
    desk = _Desk(matter)
    for handle, item in desk.items.items():
        if handle not in desk.choices:
            desk.take(handle, item)
    desk.make_room()
    return desk.reply


class _Desk:
    """`entries`: those that stand so far, new ones by the handle of their item."""

    def __init__(self, matter: DistillMatter) -> None:
        self.matter, self.items = matter, handles(matter.items, "i")
        self.entries = handles((BookEntry(each, each) for each in matter.current), "e")
        self.choices: dict[str, RuleChoice] = {}
        self.gone: dict[str, Gone] = {}
        lessons = {handle: item for handle, item in self.items.items() if item.kind != NOTE and item.section in LESSONS}
        self.kin = {  # the other lessons that say the same
            handle: [other for other, each in lessons.items() if other != handle and again(item.text, each.text)]
            for handle, item in lessons.items()
        }

    @property
    def reply(self) -> WisdomReply:
        return WisdomReply([self.choices[handle] for handle in self.items], list(self.gone.values()))

    def take(self, handle: str, item: WisdomItem) -> None:
        """Decides an item, and those that say the same as a lesson that becomes an entry."""
        if item.replaced:
            return self._drop(handle, f"contradicted: superseded by {item.replaced}")
        if item.trust == TRUST[0] and (old := self._find_called(item.replaces)):
            return self._replace(handle, old, f"newer: it supersedes what {self.entries[old].title} was made of")
        if into := next((name for name, each in self.entries.items() if covered(item.text, _tell(each))), ""):
            return self._merge(handle, into, "covered")
        known = self._find_called(item.already)
        if known and not contradicts(rule_of(item)[0], _tell(self.entries[known])):
            return self._merge(handle, known, "covered: the entry was made of it")
        if handle in self.kin and (into := self._saying(item.text)):
            return self._merge(handle, into, "covered: said again")
        base, why = self._rule(handle, item)
        if not base:
            return self._drop(handle, why)
        title = rule_of(self.items[base])[0]
        against = next((name for name, each in self.entries.items() if contradicts(title, _tell(each))), "")
        if not against:
            self._add(base, why)
        elif self.items[base].date < self.entries[against].since:
            self._drop(base, f"contradicted: {self.entries[against].title} is newer")
        else:
            self._replace(base, against, f"newer: it contradicts what {self.entries[against].title} said")
        self._take_kin(handle, base)

    def _take_kin(self, handle: str, base: str) -> None:
        """What says the same goes where the item went whose words were taken."""
        choice = self.choices[base]
        into = base if choice.decision == "ADD" else choice.entry
        for other in (handle, *self.kin.get(base, ())):
            if other not in self.choices and into:
                self._merge(other, into, "covered: said again")
            elif other not in self.choices and other == handle:
                self._drop(other, choice.reason)

    def _find_called(self, title: str) -> str:
        name = wisdom_file.key(title)
        same = (handle for handle, each in self.entries.items() if name and wisdom_file.key(each.title) == name)
        return next(same, "")

    def _saying(self, text: str) -> str:
        same = (handle for handle, each in self.entries.items() if again(text, each.title) or again(text, each.text))
        return next(same, "")

    def _rule(self, handle: str, item: WisdomItem) -> tuple[str, str]:
        """(the item that states the rule, why it is one); ("", why it is none)."""
        kin, lesson = self.kin.get(handle, []), item.kind != NOTE and item.section in LESSONS
        if not lesson and not (item.kind == NOTE and item.section in RULES):
            return "", _NO_RULE.get(item.section, "ephemeral: no lesson")
        times = item.count + len(item.before) + sum(self.items[other].count for other in kin)
        if lesson and times < 2:
            return "", "ephemeral: said once; it becomes a rule when it comes again"
        own = [each for each in (handle, *kin) if self.items[each].trust == TRUST[0] and each not in self.choices]
        fit = [each for each in own if not unfit(*rule_of(self.items[each]))]
        if fit:
            why = f"recurring: said {times} times" if lesson else f"the operator's {item.section}, a note"
            return max(fit, key=lambda each: self.items[each].date), why
        wrong = unfit(*rule_of(self.items[(own or [handle])[-1]]))
        return "", f"unfit: {wrong}" if wrong else without_operator(item)

    # -- what becomes of it ----------------------------------------------------------------------------------

    def _drop(self, handle: str, reason: str) -> None:
        self.choices[handle] = RuleChoice(handle, "DROP", reason=clean_line(reason, REASON_CHARS))

    def _merge(self, handle: str, into: str, reason: str, *, replaces: bool = False) -> None:
        self.entries[into].bear_out(self.items[handle])
        self.choices[handle] = RuleChoice(handle, "MERGE", into, replaces, clean_line(reason, REASON_CHARS))

    def _add(self, handle: str, why: str) -> None:
        item = self.items[handle]
        self.entries[handle] = BookEntry(StandingRule(*rule_of(item), since=item.date))
        self.choices[handle] = RuleChoice(handle, "ADD", reason=why, category=next(iter(self.matter.categories), ""))

    def _replace(self, handle: str, name: str, why: str) -> None:
        """Newer words take the place of an entry's."""
        entry, (title, text) = self.entries[name], rule_of(self.items[handle])
        if entry.pinned:
            return self._drop(handle, f"contradicted: {entry.title} is pinned")
        if reason := unfit(title, text):
            return self._drop(handle, f"unfit: {reason}")
        self._merge(handle, name, why, replaces=True)
        entry.title, entry.text = title, text

    # -- all of them -----------------------------------------------------------------------------------------

    def make_room(self) -> None:
        """What is over the limits goes: what is stale, then what nothing bore out for longest, a new entry too."""
        while told := over(self.matter, self.reply):
            free = {name: each for name, each in self.entries.items() if not each.pinned}
            alone = [name for name in free if name[0] == "i" and self._fills_all(name)]
            name = min(alone or free, key=lambda name: (not free[name].stale, free[name].since, name[0] == "e"))
            entry = self.entries.pop(name)
            reason = STALE if entry.stale else CAP
            if name[0] == "e":
                told = f"nothing bore it out since {entry.since}"
                self.gone[name] = Gone(name, f"{reason}: {told}")
            for handle, choice in list(self.choices.items()):
                if name in (choice.entry, handle if choice.decision == "ADD" else ""):
                    self._drop(handle, f"{reason}: {told}")

    def _fills_all(self, name: str) -> bool:
        """Whether a new entry alone is over the limits: nothing goes for it."""
        pinned = tuple(each for each in self.matter.current if each.pinned)
        alone = msgspec.structs.replace(self.matter, current=pinned, items=(self.items[name],))
        return bool(over(alone, WisdomReply([RuleChoice("i1", "ADD")])))


def _tell(entry: BookEntry) -> str:
    return f"{entry.title}\n{entry.text}"
