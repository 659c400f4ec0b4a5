"""DOMAIN. The check of an answer: every item decided once, no entry lost, texts in the operator's words; and the rules.

A model reads the reasons for its one repair. Whether two texts mean the same is for who decides.
"""

from collections.abc import Callable, Mapping, Sequence

from msgspec.structs import replace

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
    """The result in the items' order, and notes of what was set right. Raises ReplyRefused. What no word of the
    operator's supports, or is unfit for a rule, becomes no entry: its items are dropped."""
    items, old = book.handles(matter.items, "i"), book.handles(matter.current, "e")
    if len({wisdom_file.key(each.title) for each in matter.current}) != len(matter.current):
        raise ReplyRefused("two entries of the file have titles that cannot be told apart")
    choices, gone = _read_choices(items, result.decisions), _read_gone(items, old, result.dropped)
    stand = {*old} - {*gone} | {each.item for each in choices.values() if each.decision == "ADD"}
    for each in choices.values():
        if each.decision == "MERGE" and each.entry not in stand:
            raise ReplyRefused(f"item {each.item}: `{each.entry}` is no entry that stands, and no item that is ADDed")
    notes = _keep_words(items, old, choices)
    stand = {*old} - {*gone} | {each.item for each in choices.values() if each.decision == "ADD"}
    for went in gone.values():
        if went.reason.startswith(book.MERGED) and (named := book.handle_in(went.reason)) not in stand:
            raise ReplyRefused(f"{went.entry} is merged into `{named}`, which does not stand")
    found = WisdomReply([choices[handle] for handle in items], list(gone.values()))
    _refuse_cuts(matter, found, old)
    return found, notes


def without_operator(item: WisdomItem) -> str:
    """Why an item becomes no rule that the operator has no word in."""
    return WAITS if item.trust == TRUST[-1] else ALONE


def over(matter: DistillMatter, result: WisdomReply) -> str:
    """Which limit the file would be over, "" for none."""
    return book.too_much(matter, Book(matter.current, matter.categories).apply(matter, result).rules)


def _read_choices(items: Items, told: Sequence[RuleChoice]) -> dict[str, RuleChoice]:
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
    if missing := [handle for handle in items if handle not in found]:
        more = f" and {len(missing) - 5} more" if len(missing) > 5 else ""
        raise ReplyRefused(f"not decided: {', '.join(missing[:5])}{more}; each item needs one decision")
    return found


def _read_gone(items: Items, old: Rules, told: Sequence[Gone]) -> dict[str, Gone]:
    found = dict[str, Gone]()
    for each in told:
        handle, reason = book.handle_in(each.entry), clean_line(each.reason, REASON_CHARS)
        if handle not in old:
            name = clean_line(each.entry, SHOWN)
            raise ReplyRefused(f"`dropped` names `{name}`, which is no entry of the current file")
        if old[handle].pinned:
            raise ReplyRefused(f"{handle} is pinned: it stays as it is")
        item = items.get(book.handle_in(reason))
        if reason.startswith(book.CONTRADICTED):
            if item is None or item.trust != TRUST[0] or item.date < old[handle].since:
                raise ReplyRefused(f"{handle}: only a newer item of the operator's contradicts it; name its handle")
        elif not reason.startswith((book.MERGED, book.STALE, book.CAP)):
            ways = f"`{book.MERGED} e2`, `{book.CONTRADICTED} i3`, `{book.STALE}` or `{book.CAP}`"
            raise ReplyRefused(f"{handle} is dropped as `{clean_line(reason, SHOWN)}`: say {ways}")
        found[handle] = Gone(handle, reason)
    return found


def _keep_words(items: Items, old: Rules, choices: dict[str, RuleChoice]) -> list[str]:
    notes = []
    for handle, each in list(choices.items()):
        if each.decision == "ADD" and book.base_of(items, choices.values(), handle) is None:
            into = [one.item for one in choices.values() if handle in (one.item, one.entry)]
            own = [items[one] for one in into if items[one].trust == TRUST[0]]
            reason = f"unfit: {unfit(*rule_of(own[-1]))}" if own else ""
            choices |= {one: RuleChoice(one, "DROP", reason=reason or without_operator(items[one])) for one in into}
            notes.append(f"{handle} becomes no entry: {reason or without_operator(items[handle])}")
        elif each.replaces and each.entry in old:
            item, pinned = items[handle], old[each.entry].pinned
            reason = unfit(*rule_of(item)) if item.trust == TRUST[0] else "only the operator's words replace it"
            if pinned or reason:
                notes.append(f"{each.entry} keeps its words: {'it is pinned' if pinned else reason}")
                choices[handle] = replace(each, replaces=False)
    return notes


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
    """The answer without any model; it passes `check`."""
    desk = _Desk(matter)
    for handle, item in desk.items.items():
        if handle not in desk.choices:
            desk.decide(handle, item)
    desk.make_room()
    return desk.reply


class _Desk:
    """`entries`: those that stand so far, new ones by the handle of their item."""

    def __init__(self, matter: DistillMatter) -> None:
        self.matter, self.items = matter, book.handles(matter.items, "i")
        self.entries = book.handles((BookEntry(each, each) for each in matter.current), "e")
        self.choices, self.gone = dict[str, RuleChoice](), dict[str, Gone]()

    @property
    def reply(self) -> WisdomReply:
        return WisdomReply([self.choices[handle] for handle in self.items], list(self.gone.values()))

    def decide(self, handle: str, item: WisdomItem) -> None:
        old, known = self._find_called(item.replaces), self._find_called(item.already)
        if item.replaced:
            self._drop(handle, f"contradicted: superseded by {item.replaced}")
        elif old and item.trust == TRUST[0]:
            self._replace(handle, old, f"newer: it supersedes what {self.entries[old].rule.title} was made of")
        elif into := self._find(lambda each: is_covered(item.text, _tell(each))):
            self._merge(handle, into, "covered")
        elif known and not contradicts(rule_of(item)[0], _tell(self.entries[known])):
            self._merge(handle, known, "covered: the entry was made of it")
        elif _is_lesson(item) and (
            into := self._find(lambda x: again(item.text, x.rule.title) or again(item.text, x.rule.text))
        ):
            self._merge(handle, into, "covered: said again")
        else:
            self._make_rule(handle, item)

    def _make_rule(self, handle: str, item: WisdomItem) -> None:
        lesson, lessons = _is_lesson(item), {other: each for other, each in self.items.items() if _is_lesson(each)}
        kin = [other for other, each in lessons.items() if lesson and other != handle and again(item.text, each.text)]
        if not lesson and not (item.kind == NOTE and item.section in RULES):
            return self._drop(handle, _NO_RULE.get(item.section, "ephemeral: no lesson"))
        times = item.count + len(item.before) + sum(self.items[other].count for other in kin)
        if lesson and times < 2:
            return self._drop(handle, "ephemeral: said once; it becomes a rule when it comes again")
        left = [each for each in (handle, *kin) if each not in self.choices]
        own = [each for each in left if self.items[each].trust == TRUST[0]]
        fit = [each for each in own if not unfit(*rule_of(self.items[each]))]
        if not fit:
            wrong = unfit(*rule_of(self.items[(own or [handle])[-1]]))
            return self._drop(handle, f"unfit: {wrong}" if wrong else without_operator(item))
        base = max(fit, key=lambda each: self.items[each].date)
        title = rule_of(self.items[base])[0]
        against = self._find(lambda each: contradicts(title, _tell(each)))
        if not against:
            self._add(base, f"recurring: said {times} times" if lesson else f"the operator's {item.section}, a note")
        elif self.items[base].date < self.entries[against].rule.since:
            self._drop(base, f"contradicted: {self.entries[against].rule.title} is newer")
        else:
            self._replace(base, against, f"newer: it contradicts what {self.entries[against].rule.title} said")
        choice = self.choices[base]
        into = base if choice.decision == "ADD" else choice.entry
        for other in (each for each in left if each != base):  # what says the same goes where these words went
            if into:
                self._merge(other, into, "covered: said again")
            elif other == handle:
                self._drop(other, choice.reason)

    def _find(self, fits: Callable[[BookEntry], bool]) -> str:
        return next((name for name, each in self.entries.items() if fits(each)), "")

    def _find_called(self, title: str) -> str:
        return self._find(lambda each: bool(title) and wisdom_file.key(each.rule.title) == wisdom_file.key(title))

    # -- what becomes of it ----------------------------------------------------------------------------------

    def _drop(self, handle: str, reason: str) -> None:
        self.choices[handle] = RuleChoice(handle, "DROP", reason=clean_line(reason, REASON_CHARS))

    def _merge(self, handle: str, into: str, reason: str, *, replaces: bool = False) -> None:
        self.entries[into].bear_out(self.items[handle])
        self.choices[handle] = RuleChoice(handle, "MERGE", into, replaces, clean_line(reason, REASON_CHARS))

    def _add(self, handle: str, why: str) -> None:
        made = StandingRule(*rule_of(self.items[handle]), since=self.items[handle].date)
        pinned = [each for each in self.matter.current if each.pinned]
        if told := book.too_much(self.matter, [*pinned, made]):  # nothing goes for what has no room itself
            return self._drop(handle, f"{book.CAP}: {told}")
        self.entries[handle] = BookEntry(made)
        self.choices[handle] = RuleChoice(handle, "ADD", reason=why, category=next(iter(self.matter.categories), ""))

    def _replace(self, handle: str, name: str, why: str) -> None:
        entry, (title, text) = self.entries[name], rule_of(self.items[handle])
        if entry.rule.pinned:
            return self._drop(handle, f"contradicted: {entry.rule.title} is pinned")
        if reason := unfit(title, text):
            return self._drop(handle, f"unfit: {reason}")
        self._merge(handle, name, why, replaces=True)
        entry.rule = replace(entry.rule, title=title, text=text)

    def make_room(self) -> None:
        while told := over(self.matter, self.reply):
            free = {name: each.rule for name, each in self.entries.items() if not each.rule.pinned}
            name = min(free, key=lambda name: (not free[name].stale, free[name].since, name[0] == "e"))
            entry = self.entries.pop(name).rule
            reason = book.STALE if entry.stale else book.CAP
            if name[0] == "e":
                told = f"nothing bore it out since {entry.since}"
                self.gone[name] = Gone(name, f"{reason}: {told}")
            for handle, choice in list(self.choices.items()):
                if name in (choice.entry, handle if choice.decision == "ADD" else ""):
                    self._drop(handle, f"{reason}: {told}")


def _is_lesson(item: WisdomItem) -> bool:
    return item.kind != NOTE and item.section in LESSONS


def _tell(entry: BookEntry) -> str:
    return f"{entry.rule.title}\n{entry.rule.text}"
