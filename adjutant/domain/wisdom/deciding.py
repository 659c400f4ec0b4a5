"""DOMAIN. The check of an answer: every item decided once, no entry lost, texts in the operator's words.

Reasons are short and exact: a model reads them for its one repair. Whether two texts mean the same is for who decides;
code holds what can be known without that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from adjutant.domain.wisdom.book import (
    CAP,
    CONTRADICTED,
    MERGED,
    STALE,
    Book,
    DistillMatter,
    Gone,
    RuleChoice,
    StandingRule,
    WisdomReply,
    base_of,
    handle_in,
    handles,
    too_much,
)
from adjutant.domain.wisdom.items import WisdomItem, rule_of, unfit
from adjutant.ports import TRUST
from adjutant.records import wisdom_file
from adjutant.screening.fence import clean_line

REASON_CHARS, SHOWN = 200, 60
WAITS, ALONE = "waits: a stranger's word alone", "the agent's word alone is no rule"
Items = Mapping[str, WisdomItem]  # by handle, as the entries
Rules = Mapping[str, StandingRule]


class ResultRefused(Exception):
    """A result that may not be used; `reason` says why, in words that help to do better."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def check(matter: DistillMatter, result: WisdomReply) -> tuple[WisdomReply, list[str]]:
    """The result in the items' order, and notes of what was set right. Raises ResultRefused.

    What no word of the operator's supports, or is unfit for a rule, becomes no entry: its items are dropped.
    """
    items, old = handles(matter.items, "i"), handles(matter.current, "e")
    if len({wisdom_file.key(each.title) for each in matter.current}) != len(matter.current):
        raise ResultRefused("two entries of the file have titles that cannot be told apart")
    choices, gone = _choices(items, result.decisions), _read_gone(items, old, result.dropped)
    added = {each.item for each in choices.values() if each.decision == "ADD"}
    for each in choices.values():
        if each.decision == "MERGE" and (each.entry in gone or each.entry not in {*old, *added}):
            raise ResultRefused(f"item {each.item}: `{each.entry}` is no entry that stands, and no item that is ADDed")
    notes = _borne_out(items, old, choices)
    found = WisdomReply([choices[handle] for handle in items], list(gone.values()))
    _refuse_cuts(matter, found, old)
    return found, notes


def without_operator(item: WisdomItem) -> str:
    """Why an item becomes no rule that the operator has no word in."""
    return WAITS if item.trust == TRUST[-1] else ALONE


def over(matter: DistillMatter, result: WisdomReply) -> str:
    """Which limit the file would be over, "" for none."""
    return too_much(matter, Book(matter.current, matter.categories).apply(matter.items, result).entries)


def _choices(items: Items, told: Sequence[RuleChoice]) -> dict[str, RuleChoice]:
    found: dict[str, RuleChoice] = {}
    for each in told:
        handle, reason = handle_in(each.item), clean_line(each.reason, REASON_CHARS)
        if handle not in items:
            raise ResultRefused(f"unknown item `{clean_line(each.item, SHOWN)}`: repeat the handles as they stand")
        if handle in found:
            raise ResultRefused(f"item {handle} is decided twice: one decision for each")
        if each.decision == "DROP" and not reason:
            raise ResultRefused(f"item {handle} is dropped without a reason")
        merges = each.decision == "MERGE"
        entry, replaces = handle_in(each.entry) if merges else "", merges and each.replaces
        found[handle] = RuleChoice(handle, each.decision, entry, replaces, reason, each.category)
    missing = [handle for handle in items if handle not in found]
    if missing:
        more = f" and {len(missing) - 5} more" if len(missing) > 5 else ""
        raise ResultRefused(f"not decided: {', '.join(missing[:5])}{more}; each item needs one decision")
    return found


def _read_gone(items: Items, old: Rules, told: Sequence[Gone]) -> dict[str, Gone]:
    found = {handle_in(each.entry): Gone(handle_in(each.entry), clean_line(each.reason, REASON_CHARS)) for each in told}
    for each in told:
        handle = handle_in(each.entry)
        if handle not in old:
            raise ResultRefused(
                f"`dropped` names `{clean_line(each.entry, SHOWN)}`, which is no entry of the current file"
            )
        if old[handle].pinned:
            raise ResultRefused(f"{handle} is pinned: it stays as it is")
        _refuse_reason(items, old, found, found[handle])
    return found


def _refuse_reason(items: Items, old: Rules, gone: Mapping[str, Gone], each: Gone) -> None:
    """Raises ResultRefused for an entry that goes without a reason that holds."""
    named = handle_in(each.reason)
    if each.reason.startswith(MERGED):
        if named == each.entry or named in gone or not (named in old or named in items):
            raise ResultRefused(f"{each.entry} is merged into `{named}`, which does not stand")
    elif each.reason.startswith(CONTRADICTED):
        item = items.get(named)
        if item is None or item.trust != TRUST[0] or item.date < old[each.entry].since:
            raise ResultRefused(f"{each.entry}: only a newer item of the operator's contradicts it; name its handle")
    elif not each.reason.startswith((STALE, CAP)):
        raise ResultRefused(
            f"{each.entry} is dropped as `{clean_line(each.reason, SHOWN)}`: say `{MERGED} e2`, `{CONTRADICTED} i3`, "
            f"`{STALE}` or `{CAP}`"
        )


def _borne_out(items: Items, old: Rules, choices: dict[str, RuleChoice]) -> list[str]:
    """Drops what becomes no entry, and lets an entry keep its words where nothing of the operator's may replace them;
    notes of both."""
    notes = []
    for handle, each in list(choices.items()):
        if each.decision == "ADD" and base_of(items, choices.values(), handle) is None:
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
    """Stale and cap are no reasons but for room, and what is stale goes first. Raises ResultRefused."""
    if told := over(matter, found):
        raise ResultRefused(f"{told}: name in `dropped` what goes, as stale or cap, or ADD less")
    cut = [each.entry for each in found.dropped if each.reason.startswith((STALE, CAP))]
    kept = [each for each in found.dropped if each.entry not in cut]
    if cut and not over(matter, WisdomReply(found.decisions, kept)):
        raise ResultRefused(f"{cut[0]} is dropped for room, and there is room: keep what fits")
    stand = {*old} - {each.entry for each in found.dropped} - {each.entry for each in found.decisions}
    stale = sorted(handle for handle in stand if old[handle].stale and not old[handle].pinned)
    if stale and any(not old[handle].stale for handle in cut):
        raise ResultRefused(f"{stale[0]} is stale: it goes before any other")
