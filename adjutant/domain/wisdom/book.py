"""DOMAIN. The standing rules while a distill decides: the entries, what an answer does to them, what they come to.

Items are i1, i2 … and entries e1, e2 … for whoever decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, TypeVar

import msgspec
from msgspec.structs import replace

from adjutant.domain.wisdom.items import WisdomItem, rule_of, unfit, unique
from adjutant.language import likeness
from adjutant.language.likeness import is_negated
from adjutant.ports import TRUST
from adjutant.records import wisdom_file
from adjutant.records.wisdom_file import RuleEntry, Wisdom
from adjutant.records.wisdom_log import Dropped, EntryHistory, Ruled, Support
from adjutant.screening.fence import clean_line

CHANGES_CHARS = 200
MERGED, CONTRADICTED, STALE, CAP = "merged into", "contradicted by", "stale", "cap"
T = TypeVar("T")
_HANDLE = re.compile(r"\b[ei]\d{1,4}\b")


class StandingRule(msgspec.Struct, frozen=True):
    """An entry of the file. `since`: the last day (YYYY-MM-DD) on which something bore it out."""

    title: str
    text: str
    category: str = ""
    pinned: bool = False
    since: str = ""
    stale: bool = False


class DistillMatter(msgspec.Struct, frozen=True, kw_only=True):
    """All that a distill decides by: the file's frame and limits, its entries, the items. `day`: what it counts for."""

    name: str
    day: str
    newline: str
    max_entries: int
    max_chars: int
    categories: tuple[str, ...]
    current: tuple[StandingRule, ...] = ()
    items: tuple[WisdomItem, ...] = ()


class RuleChoice(msgspec.Struct, frozen=True):
    """What becomes of an item: MERGE into `entry` (an entry, or an item that is ADDed), ADD, or DROP with its reason.
    `replaces`: with MERGE, the entry says from now on what the item says."""

    item: str
    decision: Literal["MERGE", "ADD", "DROP"]
    entry: str = ""
    replaces: bool = False
    reason: str = ""
    category: str = ""


class Gone(msgspec.Struct, frozen=True):
    """An entry that goes: `merged into e2` (or i2), `contradicted by i3`, `stale` or `cap`, and more if need be."""

    entry: str
    reason: str


class WisdomReply(msgspec.Struct, frozen=True):
    """A choice for every item, and the entries that go. Every other entry stands."""

    decisions: list[RuleChoice]
    dropped: list[Gone] = []


class BookEntry(msgspec.Struct):
    """An entry while the file is made. `old`: as it stood; `first`: the day since which it stands; `borne`: what bore
    it out; `changes`: what a new text alters; `gone`: why it went; `into`: the entry that says it now."""

    rule: StandingRule
    old: StandingRule | None = None
    first: str = ""
    borne: list[Support] = []
    changes: str = ""
    gone: str = ""
    into: BookEntry | None = None

    @property
    def end(self) -> BookEntry:
        return self.into.end if self.into is not None else self

    def bear_out(self, item: WisdomItem) -> None:
        """A stranger's word bears nothing out."""
        if item.trust != TRUST[-1]:
            self.borne.append(Support(item.date, item.id))
            self.rule = replace(self.rule, since=max(self.rule.since, item.date), stale=False)

    def reword(self, item: WisdomItem, taken: Sequence[str]) -> None:
        """The words of an item in the place of these; under a title of theirs where the old one says something else."""
        (title, text), was = rule_of(item), self.rule.title
        self.changes = clean_line(f"Instead of: {self.rule.text}", CHANGES_CHARS)
        same = wisdom_file.key(was) == wisdom_file.key(title) or likeness.share(was, text)[0] >= 1
        keeps = same and is_negated(was) == is_negated(text)
        self.rule = replace(self.rule, title=was if keeps else unique(title, text, taken), text=text)


class Book:
    """The entries while one answer after the other is applied. `decided`: {item's id: item, choice, entry or None}."""

    def __init__(
        self, current: Sequence[StandingRule], groups: Sequence[str], past: Sequence[EntryHistory] = ()
    ) -> None:
        """`groups`: the categories there may be; `past`: the history of each."""
        pairs = zip(current, past or [EntryHistory("", "")] * len(current), strict=True)
        self._all = [BookEntry(each, each, seen.first, [*seen.reinforced]) for each, seen in pairs]
        self._categories, self._went = groups, list[BookEntry]()
        self.decided: dict[str, tuple[WisdomItem, RuleChoice, BookEntry | None]] = {}

    @property
    def entries(self) -> list[BookEntry]:
        """Those that stand: old ones in their places, new ones at the end of their category."""
        order = ["", *dict.fromkeys(each.rule.category for each in self._all if each.old and each.rule.category)]
        order += self._categories
        standing = (each for each in self._all if not each.gone)
        return sorted(standing, key=lambda each: (order.index(each.rule.category), each.old is None))

    @property
    def rules(self) -> list[StandingRule]:
        return [each.rule for each in self.entries]

    def apply(self, matter: DistillMatter, reply: WisdomReply) -> Book:
        said, entries = handles(matter.items, "i"), handles(self.entries, "e")
        for choice in reply.decisions:
            if choice.decision == "ADD" and (base := base_of(said, reply.decisions, choice.item)) is not None:
                title, text = rule_of(base)
                category = choice.category if choice.category in self._categories else next(iter(self._categories), "")
                titles = [rule.title for each in self._all for rule in (each.rule, each.old) if rule is not None]
                made = entries[choice.item] = BookEntry(StandingRule(unique(title, text, titles), text, category))
                made.first, made.changes = matter.day, clean_line(f"New: {text}", CHANGES_CHARS)
                self._all.append(made)
        for choice in reply.decisions:
            if choice.replaces and choice.entry in entries:
                entries[choice.entry].reword(said[choice.item], [each.title for each in self.rules])
        for each in reply.dropped:
            named, entry = handle_in(each.reason), entries[each.entry]
            entry.gone = each.reason.replace(named, said[named].id) if named in said else each.reason
            if each.reason.startswith(MERGED):
                entry.into = new = entries[named]
                if new.old is None:  # it has stood for as long as what it says now
                    new.first, new.borne = min(new.first, entry.first), [*entry.borne, *new.borne]
            self._went.append(entry)
        for choice in reply.decisions:
            item, into = said[choice.item], entries.get(choice.item if choice.decision == "ADD" else choice.entry)
            self.decided[item.id] = item, choice, into
            if into is not None:
                into.bear_out(item)
        return self

    def set_aside(self, item: WisdomItem) -> None:
        self.decided[item.id] = item, RuleChoice("", "DROP", reason=item.unfit), None

    # -- what it comes to ------------------------------------------------------------------------------------

    @property
    def decisions(self) -> list[Ruled]:
        """One an item; of an item whose entry had to go again, that it was dropped."""
        found = []
        for item, choice, entry in self.decided.values():
            decision, title, reason = choice.decision, entry.end.rule.title if entry is not None else "", choice.reason
            if entry is not None and entry.end.gone:
                decision, title, reason = "DROP", "", f"{CAP}: `{entry.rule.title}` had to go again"
            found.append(Ruled(item.id, item.sha256, decision, title, reason))
        return found

    @property
    def dropped(self) -> list[Dropped]:
        went = [(each.old, f"{MERGED} {each.end.rule.title}" if each.into else each.gone) for each in self._went]
        for each in self.entries:
            if each.old is not None and wisdom_file.key(each.old.title) != wisdom_file.key(each.rule.title):
                went.append((each.old, f"{MERGED} {each.rule.title}"))
        return [Dropped(old.title, reason, old.text) for old, reason in went if old is not None]

    @property
    def histories(self) -> list[EntryHistory]:
        stand = ((each, tuple(dict.fromkeys(each.borne))) for each in self.entries)
        return [EntryHistory(each.rule.title, each.first, borne, each.changes) for each, borne in stand]


def handles(found: Iterable[T], letter: str) -> dict[str, T]:
    """{handle: item or entry}."""
    return {f"{letter}{number}": each for number, each in enumerate(found, start=1)}


def handle_in(told: str) -> str:
    """The handle that a text names, however it is written; "" for none."""
    found = _HANDLE.search(told.lower())
    return found[0] if found else ""


def base_of(items: Mapping[str, WisdomItem], choices: Iterable[RuleChoice], handle: str) -> WisdomItem | None:
    """The item whose words a new entry takes: a fit one of the operator's among those that are decided into it; what
    is newer or better put before the one that is ADDed, that before the newest. None where there is none."""
    into = [each for each in choices if each.item == handle or (each.decision == "MERGE" and each.entry == handle)]
    fit = [each for each in into if items[each.item].trust == TRUST[0] and not unfit(*rule_of(items[each.item]))]
    best = max(fit, key=lambda each: (each.replaces, each.item == handle, items[each.item].date), default=None)
    return items[best.item] if best is not None else None


def too_much(matter: DistillMatter, rules: Sequence[StandingRule]) -> str:
    """Which limit these entries are over, "" for none. Pinned ones have their place in any case."""
    if all(each.pinned for each in rules):
        return ""
    if len(rules) > matter.max_entries:
        return f"{len(rules)} entries, {matter.max_entries} are allowed"
    chars = len(wisdom_file.render(Wisdom(matter.name, matter.day, as_written(rules), newline=matter.newline)))
    return f"{chars} characters, {matter.max_chars} are allowed" if chars > matter.max_chars else ""


def as_written(rules: Iterable[StandingRule]) -> tuple[RuleEntry, ...]:
    """The entries as the file holds them."""
    return tuple(RuleEntry(each.title, each.text, each.category, each.pinned) for each in rules)
