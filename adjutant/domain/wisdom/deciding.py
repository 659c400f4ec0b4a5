"""DOMAIN. What a distill may come to: every item decided once, no entry lost, none forged or smuggled in.

Reasons are short and exact: a model reads them for its one repair.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

import msgspec

from adjutant.domain.memory import gate
from adjutant.domain.wisdom.items import Item
from adjutant.language import agreement
from adjutant.language.agreement import share
from adjutant.ports import TRUST
from adjutant.records import wisdom_file
from adjutant.records.rule_text import TITLE_CHARS
from adjutant.records.wisdom_file import Entry, Wisdom
from adjutant.screening.characters import without_controls, without_hidden
from adjutant.screening.fence import clean_line
from adjutant.screening.screen import screen

# Of a new text's content stems, so many must stand in what the operator said. A rule is put in other words than the
# lines it comes from (a linking verb, a noun for a verb), which a whole match would refuse; with a third of the words
# free, nobody can say anything of weight, as figures, names, addresses and a stranger's words are never free.
GROUNDED = 2 / 3
RELATED = 1 / 3  # of an entry's content stems, in what it is merged into or contradicted by
FOREIGN = 1  # stems that stand with a stranger and not with the operator: more are no chance
REASON_CHARS, CHANGES_CHARS, SHOWN = 200, 200, 60
WAITS, ALONE = "waits: a stranger's word alone", "the agent's word alone is no rule"
MERGED, CONTRADICTED, STALE, CAP = "merged into", "contradicted by", "stale", "cap"
_TAGS = re.compile(
    r"<\s*/?\s*[A-Za-z!][^<>]*>|<{2,}|>{2,}|\[/?(?:INST|SYS)\b|^\s*(?:system|assistant|user)\s*:|```",
    re.IGNORECASE | re.MULTILINE,
)
_ADDRESSED = re.compile(
    r"\b(?:assistant|language model|chatbot|system prompt)\b|\b(?:AI|LLM|KI)\b(?=[,:]| must| should| shall)"
    r"|\b(?:[Yy]our|[Dd]eine|[Dd]ine) (?:instructions|prompt|directives|guidelines|instruksjoner|Anweisungen)\b"
)
_PIN = re.compile(r"\s*\(pinned\)\Z", re.IGNORECASE)
_NUMBERED = re.compile(r" \(\d{1,2}\)\Z")  # how a second entry of the same title is told apart
_EXACT = re.compile(r"\S*[@/\\]\S*\w|\S*\w\.\w\S*|`[^`]+`|[$€£]?\d[\w.,:%-]*")
_ABBREVIATED = ("e.g", "i.e", "z.b", "d.h", "f.eks", "bl.a")
_NAME = re.compile(r"(?<=[a-zæøåäöü,;] )[A-ZÆØÅÄÖÜ][\w-]+")


class Refused(Exception):
    """A result that may not be written; `reason` says why, in words that help to do better."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Standing(msgspec.Struct, frozen=True):
    """An entry of the file. `since`: the last day (YYYY-MM-DD) on which something bore it out."""

    title: str
    text: str
    category: str = ""
    pinned: bool = False
    since: str = ""
    stale: bool = False


class Matter(msgspec.Struct, frozen=True, kw_only=True):
    """All that a distill decides by: the file's frame and limits, its entries, the items. `day`: what it counts for."""

    name: str
    day: str
    newline: str
    max_entries: int
    max_chars: int
    categories: tuple[str, ...]
    current: tuple[Standing, ...]
    items: tuple[Item, ...]


Choice = Literal["MERGE", "ADD", "DROP"]


class Decision(msgspec.Struct, frozen=True):
    """What becomes of an item: MERGE into `entry`, ADD as `entry`, or DROP."""

    item: str
    decision: Choice
    entry: str
    reason: str


class Kept(msgspec.Struct, frozen=True):
    """An entry as it shall be; `text` "" where it stays as it is. `changes`: the behaviour that a new text alters."""

    title: str
    text: str
    category: str
    changes: str


class Dropped(msgspec.Struct, frozen=True):
    """An entry that goes: `merged into TITLE`, `contradicted by ITEM`, `stale` or `cap`, and more if need be."""

    title: str
    reason: str


class Result(msgspec.Struct, frozen=True):
    """A decision for every item, all entries that shall stand, and those that go."""

    decisions: list[Decision]
    entries: list[Kept]
    dropped: list[Dropped]


def check(matter: Matter, result: Result) -> tuple[Result, list[str]]:
    """The result in its order, texts whole; and notes of what was set right. Raises Refused.

    Old entries keep their place, new ones stand at the end of their category. What has no operator's word in support
    becomes no entry: its items are dropped, a stranger's as waiting.
    """
    return _Check(matter, result).done()


def rendered(matter: Matter, entries: Sequence[Entry]) -> str:
    """The file with these entries."""
    return wisdom_file.render(Wisdom(matter.name, matter.day, tuple(entries), newline=matter.newline))


def too_much(matter: Matter, entries: Sequence[Entry]) -> str:
    """Which limit these entries are over, "" for none. Pinned ones have their place in any case."""
    if all(entry.pinned for entry in entries):
        return ""
    if len(entries) > matter.max_entries:
        return f"{len(entries)} entries, {matter.max_entries} are allowed"
    chars = len(rendered(matter, entries))
    return f"{chars} characters, {matter.max_chars} are allowed" if chars > matter.max_chars else ""


def unfit(title: str, text: str) -> str:
    """Why nobody's words may stand as a rule, "" where they may; whoever they come from."""
    told = f"{title}\n{text}"
    for _, reason in wisdom_file.unfit(Entry(title, text)):
        return reason
    if not agreement.gist(text, agreement.common_language(text, title)).stems:
        return "no word of it says what it is about"
    if _TAGS.search(told):
        return "tags or role names of a prompt"
    if screen(told):
        return "it reads like an instruction to the assistant, not like a rule"
    if _ADDRESSED.search(told):
        return "it addresses the assistant: say the rule itself"
    return f"it holds {kind}" if (kind := gate.secret_in(told)) else ""


def without_operator(item: Item) -> str:
    """Why an item becomes no rule that the operator has no word in."""
    return WAITS if item.trust == TRUST[-1] else ALONE


def standing(each: Standing) -> Entry:
    """The entry itself."""
    return Entry(each.title, each.text, each.category, each.pinned)


class _New:
    """A new or reworded entry under examination."""

    def __init__(self, title: str, text: str, category: str, changes: str, old: Standing | None) -> None:
        self.title, self.text, self.category, self.changes, self.old = title, text, category, changes, old

    @property
    def entry(self) -> Entry:
        return Entry(self.title, self.text, self.category)


class _Check:
    def __init__(self, matter: Matter, result: Result) -> None:
        self.matter, self.notes = matter, list[str]()
        self.items = {item.id: item for item in matter.items}
        self.old = {_key(each.title): each for each in matter.current}
        if len(self.old) != len(matter.current):
            raise Refused("two entries of the file have titles that cannot be told apart")
        self.decisions = self._decisions(result.decisions)
        self.dropped = self._dropped(result.dropped)
        self.new: dict[str, _New] = {}
        self.kept = self._kept(result.entries)

    def done(self) -> tuple[Result, list[str]]:
        self._wait()
        self._targets()
        self._nothing_lost()
        for name, new in self.new.items():
            self._examine(name, new)
        entries = self._ordered()
        if over := too_much(self.matter, entries):
            raise Refused(f"{over}: name in `dropped` what goes, as stale or cap, or ADD less")
        self._room_needed(entries)
        kept = [Kept(each.title, each.text, each.category, self._changes(each)) for each in entries]
        decisions = [self.decisions[item] for item in self.items]
        return Result([self._named(each) for each in decisions], kept, list(self.dropped.values())), self.notes

    def _named(self, each: Decision) -> Decision:
        """The decision with the title as it stands in the file."""
        return msgspec.structs.replace(each, entry=self._as_it_stands(_key(each.entry))) if each.entry else each

    def _as_it_stands(self, name: str) -> str:
        return self.new[name].title if name in self.new else self.old[name].title

    # -- what was said, in form ------------------------------------------------------------------------------

    def _decisions(self, told: Sequence[Decision]) -> dict[str, Decision]:
        found: dict[str, Decision] = {}
        for each in told:
            id = each.item.strip()
            if id not in self.items:
                raise Refused(f"unknown item `{_short(id)}`: repeat the ids as they stand")
            if id in found:
                raise Refused(f"item {id} is decided twice: one decision for each")
            reason = clean_line(each.reason, REASON_CHARS)
            if each.decision == "DROP" and not reason:
                raise Refused(f"item {id} is dropped without a reason")
            entry = "" if each.decision == "DROP" else _title(each.entry)
            found[id] = Decision(id, each.decision, entry, reason)
        missing = [id for id in self.items if id not in found]
        if missing:
            more = f" and {len(missing) - 5} more" if len(missing) > 5 else ""
            raise Refused(f"not decided: {', '.join(missing[:5])}{more}; each item needs one decision")
        return found

    def _dropped(self, told: Sequence[Dropped]) -> dict[str, Dropped]:
        found: dict[str, Dropped] = {}
        for each in told:
            name, old = _key(each.title), self.old.get(_key(each.title))
            if old is None:
                raise Refused(f"`dropped` names `{_short(each.title)}`, which is no entry of the current file")
            if old.pinned:
                raise Refused(f"`{old.title}` is pinned: it stays as it is")
            found[name] = Dropped(old.title, clean_line(each.reason, REASON_CHARS))
        return found

    def _kept(self, told: Sequence[Kept]) -> set[str]:
        """The keys of what shall stand; `new` is filled with what is new or reworded."""
        found: set[str] = set()
        for each in told:
            title, name = _title(each.title), _key(each.title)
            if name in found:
                raise Refused(f"two entries are called `{_short(title)}`")
            if not name:
                raise Refused("an entry without a title")
            found.add(name)
            old = self.old.get(name)
            text = " ".join(without_hidden(without_controls(each.text)).split())
            if old is not None and (not text or text == " ".join(without_hidden(without_controls(old.text)).split())):
                continue
            if old is not None and old.pinned:
                raise Refused(f"`{old.title}` is pinned: leave its text empty, it stays as it is")
            category = old.category if old is not None else self._category(title, each.category)
            changes = clean_line(each.changes, CHANGES_CHARS)
            self.new[name] = _New(old.title if old is not None else title, text, category, changes, old)
        return found

    def _category(self, title: str, told: str) -> str:
        named, absorbed = {_key(each): each for each in self.matter.categories}, self._absorbed(_key(title))
        if absorbed and _key(told) not in named:
            return absorbed[0].category
        if not named:
            return ""
        if _key(told) not in named:
            raise Refused(f"`{_short(title)}`: category `{_short(told)}` is none of {', '.join(named.values())}")
        return named[_key(told)]

    # -- what was said, in substance -------------------------------------------------------------------------

    def _into(self, name: str) -> list[Item]:
        """The items decided into an entry."""
        return [
            self.items[each.item]
            for each in self.decisions.values()
            if each.decision != "DROP" and _key(each.entry) == name
        ]

    def _absorbed(self, name: str) -> list[Standing]:
        """The old entries that went into one."""
        return [self.old[gone] for gone, each in self.dropped.items() if _key(_after(each.reason, MERGED)) == name]

    def _wait(self) -> None:
        for name, new in list(self.new.items()):
            items = self._into(name)
            if new.old is None and items and not self._absorbed(name) and not _operators(items):
                del self.new[name]
                self.kept.discard(name)
                self.decisions |= {item.id: Decision(item.id, "DROP", "", without_operator(item)) for item in items}
                self.notes.append(f"`{_short(new.title)}` rests on no operator's word: left out")

    def _targets(self) -> None:
        for each in self.decisions.values():
            name = _key(each.entry)
            if each.decision == "DROP":
                continue
            if name not in self.kept:
                raise Refused(f"item {each.item}: `{_short(each.entry)}` is not in `entries`")
            if each.decision == "ADD" and name in self.old:
                raise Refused(f"item {each.item}: `{_short(each.entry)}` stands already: MERGE, not ADD")
        added = {_key(each.entry) for each in self.decisions.values() if each.decision == "ADD"}
        for name, new in self.new.items():
            if new.old is None and name not in added and not self._absorbed(name):
                raise Refused(f"`{_short(new.title)}` is new, and no item is ADDed as it")

    def _nothing_lost(self) -> None:
        for name, old in self.old.items():
            if name not in self.kept and name not in self.dropped:
                raise Refused(f"`{_short(old.title)}` is missing: repeat it in `entries`, or name it in `dropped`")
            if name in self.kept and name in self.dropped:
                raise Refused(f"`{_short(old.title)}` is in `entries` and in `dropped`")
        for each in list(self.dropped.values()):
            self._reason(each)

    def _reason(self, gone: Dropped) -> None:
        title, old = _short(gone.title), self.old[_key(gone.title)]
        if gone.reason.startswith(MERGED):
            into = _key(_after(gone.reason, MERGED))
            if into not in self.kept:
                raise Refused(f"`{title}` is merged into `{_short(into)}`, which is not in `entries`")
            target = self.new[into].text if into in self.new else self.old[into].text
            items = " ".join(item.text for item in _operators(self._into(into)) if item.date >= old.since)
            if share(_told(old), f"{into}\n{target}\n{items}")[0] < RELATED:
                raise Refused(f"`{title}` says something else than `{_short(into)}`: keep it")
            self.dropped[_key(gone.title)] = Dropped(gone.title, f"{MERGED} {self._as_it_stands(into)}")
        elif gone.reason.startswith(CONTRADICTED):
            item = self.items.get(_after(gone.reason, CONTRADICTED).split(" ")[0].rstrip(":,;."))
            if item is None or item.trust != TRUST[0] or item.date < old.since:
                raise Refused(f"`{title}`: only a newer item of the operator's contradicts it; name its id")
            if max(share(item.text, _told(old))[0], share(_told(old), item.text)[0]) < RELATED:
                raise Refused(f"`{title}`: item {item.id} speaks of something else")
        elif not gone.reason.startswith((STALE, CAP)):
            raise Refused(
                f"`{title}` is dropped as `{_short(gone.reason)}`: say `{MERGED} TITLE`, "
                f"`{CONTRADICTED} ITEM`, `{STALE}` or `{CAP}`"
            )

    def _examine(self, name: str, new: _New) -> None:
        title, items, absorbed = _short(new.title), self._into(name), self._absorbed(name)
        if not new.changes:
            raise Refused(f"`{title}`: `changes` is empty; say which behaviour it alters")
        if len(new.title) > TITLE_CHARS:
            raise Refused(f"`{title}`: the title has more than {TITLE_CHARS} characters")
        if reason := unfit(new.title, new.text):
            raise Refused(f"`{title}`: {reason}")
        if kind := gate.secret_in(new.changes):
            raise Refused(f"`{title}`: `changes` holds {kind}")
        own = _operators(items)
        if not own and not absorbed:
            raise Refused(f"`{title}` is reworded, and no item of the operator's bears that out: leave its text empty")
        texts = [f"{item.title}\n{item.text}" for item in own]
        texts += [_told(each) for each in (*absorbed, *([new.old] if new.old else []))]
        strangers = [f"{item.title}\n{item.text}" for item in self.matter.items if item.trust == TRUST[-1]]
        told = f"{_NUMBERED.sub('', new.title)}\n{new.text}"
        if reason := ungrounded(told, "\n".join(texts), "\n".join(strangers)):
            raise Refused(f"`{title}`: {reason}")

    def _room_needed(self, entries: Sequence[Entry]) -> None:
        """Stale and cap are no reasons but for room, and what is stale goes first."""
        gone = {name: self.old[name] for name, each in self.dropped.items() if each.reason.startswith((STALE, CAP))}
        back = [*entries, *map(standing, gone.values())]
        chars = len(rendered(self.matter, back)) > self.matter.max_chars
        if gone and not chars and len(entries) < min(len(back), self.matter.max_entries):
            raise Refused(f"{len(gone)} entries are dropped for room, and there is room: keep what fits")
        left = [
            old.title
            for name, old in self.old.items()
            if old.stale and not old.pinned and name in self.kept and not self._into(name)
        ]
        if left and any(not old.stale for old in gone.values()):
            raise Refused(f"`{_short(left[0])}` is stale: it goes before any other")

    def _ordered(self) -> list[Entry]:
        """Old entries in their places, one that took the place of an old one there, new ones after their category's."""
        found, placed = list[Entry](), set[str]()
        for name, old in self.old.items():
            into = _key(_after(self.dropped[name].reason, MERGED)) if name in self.dropped else name
            new = self.new.get(into)
            if into in placed or into not in self.kept or (into != name and (new is None or new.old is not None)):
                continue
            placed.add(into)
            found.append(new.entry if new is not None else standing(old))
        rest = [new.entry for name, new in self.new.items() if name not in placed]
        order = [*dict.fromkeys(each.category for each in found if each.category), *self.matter.categories]
        every = [*found, *sorted(rest, key=lambda each: order.index(each.category) if each.category else -1)]
        return [each for category in dict.fromkeys(("", *order)) for each in every if each.category == category]

    def _changes(self, entry: Entry) -> str:
        new = self.new.get(entry.key)
        return new.changes if new is not None else ""


def ungrounded(text: str, support: str, strangers: str) -> str:
    """What a text says that its support does not; "" where it is borne out. `strangers`: untrusted words nearby."""
    lower = support.lower()
    language = agreement.common_language(support, text)
    names = _NAME.findall(text) if language != "de" else []  # where every noun is written so
    for found in (*_EXACT.findall(text), *names):
        exact = found.strip("`.,:;\"'()").lower()
        if exact not in lower and exact not in _ABBREVIATED:
            return f"`{_short(found)}` stands in no item of the operator's that is decided into it"
    part, missing = share(text, support)
    foreign = missing & agreement.gist(strangers, language).stems
    if len(foreign) > FOREIGN:
        return f"it takes words from an untrusted item ({', '.join(sorted(foreign)[:3])})"
    if part < GROUNDED:
        return f"only {part:.0%} of its words stand in the operator's items decided into it, {GROUNDED:.0%} must"
    return ""


def _told(old: Standing) -> str:
    return f"{old.title}\n{old.text}"


def _operators(items: Sequence[Item]) -> list[Item]:
    return [item for item in items if item.trust == TRUST[0]]


def _title(told: str) -> str:
    """A title as it stands in the file, without the stars and the mark that a model may repeat."""
    bare = told.strip().strip("*").strip()
    return clean_line(_PIN.sub("", bare), TITLE_CHARS + 20) if bare else ""


def _key(title: str) -> str:
    """What tells entries apart here: a model repeats a title as the fence has shown it."""
    return wisdom_file.key(clean_line(title.strip().strip("*"), REASON_CHARS))


def _after(reason: str, word: str) -> str:
    """What follows `merged into` or `contradicted by`."""
    return reason.removeprefix(word).lstrip(": ").rstrip(".") if reason.startswith(word) else ""


def _short(text: str) -> str:
    return clean_line(text, SHOWN) if text.strip() else ""
