"""DOMAIN. The check of an answer: every item decided once, no entry lost, texts in the operator's words.

Reasons are short and exact: a model reads them for its one repair. Whether two texts mean the same is for who decides;
code holds what can be known without that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec

from adjutant.domain.wisdom import book
from adjutant.domain.wisdom.book import Book, BookEntry, DistillMatter, Gone, RuleChoice, StandingRule, WisdomReply
from adjutant.domain.wisdom.items import LESSONS, NOTE, WisdomItem, rule_of, unfit
from adjutant.language.likeness import again, contradicts, is_covered
from adjutant.ports import TRUST, ReplyRefused
from adjutant.records import wisdom_file
from adjutant.screening.fence import clean_line

REASON_CHARS, SHOWN = 200, 60
WAITS, ALONE = "waits: a stranger's word alone", "the agent's word alone is no rule"
Items = Mapping[str, WisdomItem]  # by handle, as the entries
Rules = Mapping[str, StandingRule]


def check(matter: DistillMatter, result: WisdomReply) -> tuple[WisdomReply, list[str]]:
    """The result in the items' order, and notes of what was set right. Raises ReplyRefused.

    What no word of the operator's supports, or is unfit for a rule, becomes no entry: its items are dropped.
    """
    items, old = book.handles(matter.items, "i"), book.handles(matter.current, "e")
    if len({wisdom_file.key(each.title) for each in matter.current}) != len(matter.current):
        raise ReplyRefused("two entries of the file have titles that cannot be told apart")
    choices, gone = _choices(items, result.decisions), _read_gone(items, old, result.dropped)
    added = {each.item for each in choices.values() if each.decision == "ADD"}
    for each in choices.values():
        if each.decision == "MERGE" and (each.entry in gone or each.entry not in {*old, *added}):
            raise ReplyRefused(f"item {each.item}: `{each.entry}` is no entry that stands, and no item that is ADDed")
    notes = _borne_out(items, old, choices)
    found = WisdomReply([choices[handle] for handle in items], list(gone.values()))
    _refuse_cuts(matter, found, old)
    return found, notes


def without_operator(item: WisdomItem) -> str:
    """Why an item becomes no rule that the operator has no word in."""
    return WAITS if item.trust == TRUST[-1] else ALONE


def over(matter: DistillMatter, result: WisdomReply) -> str:
    """Which limit the file would be over, "" for none."""
    return book.too_much(matter, Book(matter.current, matter.categories).apply(matter.items, result).entries)


def _choices(items: Items, told: Sequence[RuleChoice]) -> dict[str, RuleChoice]:
    found: dict[str, RuleChoice] = {}
    for each in told:
        handle, reason = book.handle_in(each.item), clean_line(each.reason, REASON_CHARS)
        if handle not in items:
            raise ReplyRefused(f"unknown item `{clean_line(each.item, SHOWN)}`: repeat the handles as they stand")
        if handle in found:
            raise ReplyRefused(f"item {handle} is decided twice: one decision for each")
        if each.decision == "DROP" and not reason:
            raise ReplyRefused(f"item {handle} is dropped without a reason")
        merges = each.decision == "MERGE"
        entry, replaces = book.handle_in(each.entry) if merges else "", merges and each.replaces
        found[handle] = RuleChoice(handle, each.decision, entry, replaces, reason, each.category)
    missing = [handle for handle in items if handle not in found]
    if missing:
        more = f" and {len(missing) - 5} more" if len(missing) > 5 else ""
        raise ReplyRefused(f"not decided: {', '.join(missing[:5])}{more}; each item needs one decision")
    return found


def _read_gone(items: Items, old: Rules, told: Sequence[Gone]) -> dict[str, Gone]:
    named = [(book.handle_in(each.entry), each) for each in told]
    found = {handle: Gone(handle, clean_line(each.reason, REASON_CHARS)) for handle, each in named}
    for handle, each in named:
        if handle not in old:
            raise ReplyRefused(
                f"`dropped` names `{clean_line(each.entry, SHOWN)}`, which is no entry of the current file"
            )
        if old[handle].pinned:
            raise ReplyRefused(f"{handle} is pinned: it stays as it is")
        _refuse_reason(items, old, found, found[handle])
    return found


def _refuse_reason(items: Items, old: Rules, gone: Mapping[str, Gone], each: Gone) -> None:
    """Raises ReplyRefused for an entry that goes without a reason that holds."""
    named = book.handle_in(each.reason)
    if each.reason.startswith(book.MERGED):
        if named == each.entry or named in gone or not (named in old or named in items):
            raise ReplyRefused(f"{each.entry} is merged into `{named}`, which does not stand")
    elif each.reason.startswith(book.CONTRADICTED):
        item = items.get(named)
        if item is None or item.trust != TRUST[0] or item.date < old[each.entry].since:
            raise ReplyRefused(f"{each.entry}: only a newer item of the operator's contradicts it; name its handle")
    elif not each.reason.startswith((book.STALE, book.CAP)):
        ways = f"`{book.MERGED} e2`, `{book.CONTRADICTED} i3`, `{book.STALE}` or `{book.CAP}`"
        raise ReplyRefused(f"{each.entry} is dropped as `{clean_line(each.reason, SHOWN)}`: say {ways}")


def _borne_out(items: Items, old: Rules, choices: dict[str, RuleChoice]) -> list[str]:
    """Drops what becomes no entry, and lets an entry keep its words where nothing of the operator's may replace them;
    notes of both."""
    notes = []
    for handle, each in list(choices.items()):
        if each.decision == "ADD" and book.base_of(items, choices.values(), handle) is None:
            into = [one.item for one in choices.values() if one.item == handle or one.entry == handle]
            own = [items[one] for one in into if items[one].trust == TRUST[0]]
            reason = f"unfit: {unfit(*rule_of(own[-1]))}" if own else ""
            choices |= {one: RuleChoice(one, "DROP", reason=reason or without_operator(items[one])) for one in into}
            notes.append(f"{handle} becomes no entry: {reason or without_operator(items[handle])}")
        elif each.replaces and each.entry in old and (reason := _why_kept(items[handle], old[each.entry])):
            choices[handle] = msgspec.structs.replace(each, replaces=False)
            notes.append(f"{each.entry} keeps its words: {reason}")
    return notes


def _why_kept(item: WisdomItem, entry: StandingRule) -> str:
    """Why an item does not reword an entry, "" where it may."""
    if entry.pinned:
        return "it is pinned"
    return unfit(*rule_of(item)) if item.trust == TRUST[0] else "only the operator's words replace it"


def _refuse_cuts(matter: DistillMatter, found: WisdomReply, old: Rules) -> None:
    """Stale and cap are no reasons but for room, and what is stale goes first. Raises ReplyRefused."""
    if told := over(matter, found):
        raise ReplyRefused(f"{told}: name in `dropped` what goes, as stale or cap, or ADD less")
    cut = [each.entry for each in found.dropped if each.reason.startswith((book.STALE, book.CAP))]
    kept = [each for each in found.dropped if each.entry not in cut]
    if cut and not over(matter, WisdomReply(found.decisions, kept)):
        raise ReplyRefused(f"{cut[0]} is dropped for room, and there is room: keep what fits")
    stand = {*old} - {each.entry for each in found.dropped} - {each.entry for each in found.decisions}
    stale = sorted(handle for handle in stand if old[handle].stale and not old[handle].pinned)
    if stale and any(not old[handle].stale for handle in cut):
        raise ReplyRefused(f"{stale[0]} is stale: it goes before any other")


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
        self.matter, self.items = matter, book.handles(matter.items, "i")
        self.entries = book.handles((BookEntry(each, each) for each in matter.current), "e")
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
        if into := self._find(lambda each: is_covered(item.text, _tell(each))):
            return self._merge(handle, into, "covered")
        known = self._find_called(item.already)
        if known and not contradicts(rule_of(item)[0], _tell(self.entries[known])):
            return self._merge(handle, known, "covered: the entry was made of it")
        text = item.text
        if handle in self.kin and (into := self._find(lambda each: again(text, each.title) or again(text, each.text))):
            return self._merge(handle, into, "covered: said again")
        base, why = self._rule(handle, item)
        if not base:
            return self._drop(handle, why)
        title = rule_of(self.items[base])[0]
        against = self._find(lambda each: contradicts(title, _tell(each)))
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

    def _find(self, fits: Callable[[BookEntry], bool]) -> str:
        """The first entry that fits, "" for none."""
        return next((name for name, each in self.entries.items() if fits(each)), "")

    def _find_called(self, title: str) -> str:
        name = wisdom_file.key(title)
        return self._find(lambda each: bool(name) and wisdom_file.key(each.title) == name)

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
            reason = book.STALE if entry.stale else book.CAP
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
