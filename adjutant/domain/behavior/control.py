"""DOMAIN. The control lane: the verbs that change state/behavior/, each one read-check-write under one lock.

An event is written before the contract it makes: the verb after a killed one takes the step that it left undone.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, NamedTuple

from adjutant.app import App, Row
from adjutant.clock import read_day
from adjutant.domain.behavior import grammar
from adjutant.errors import AdjutantError, BehaviorConflict, BehaviorFull, BehaviorInvalid, BehaviorUnknown, find_one
from adjutant.language.detect import language_of
from adjutant.language.likeness import meaning
from adjutant.language.pack import listed
from adjutant.language.stems import stem
from adjutant.records import behavior_history, contract, mirror_state
from adjutant.records.behavior_history import Candidate
from adjutant.records.contract import TYPES, Contract, Directive, collapse, normal, problem

LOCK = "behavior"
OPERATOR, LEARNED = contract.SOURCES
# What a directive of one type says already of the same text: MORE tables keeps them, STOP mails has less of them.
COVERS = {"KEEP": "KEEP START", "MORE": "KEEP MORE START", "START": "KEEP START", "LESS": "LESS", "STOP": "LESS STOP"}


class ContractChange(NamedTuple):
    """What a verb did: `outcome` added, duplicate, replaced, removed, promoted, rejected, applied or unchanged; what it
    was about, what went for it or before; `mirrors`: {name: "ok" or why not}."""

    outcome: str
    contract: Contract
    mirrors: dict[str, str]
    directive: Directive | None = None
    replaced: tuple[Directive, ...] = ()
    expired: tuple[Directive, ...] = ()
    dropped: tuple[Directive, ...] = ()


class ContractEdit:
    """The contract and its history while the lock is held; `save` writes the events first, at one stroke."""

    def __init__(self, app: App) -> None:
        self.app, self.files = app, app.files
        self.now = app.clock.now()
        self.files.sweep(self.files.tree.behavior, self.now.timestamp())
        self.contract = self.found = self._written = contract.read(app.files)
        self.events = behavior_history.read(app.files)
        self.mirrors: dict[str, str] = {}
        self._unwritten: list[dict[str, Any]] = []
        ahead = behavior_history.replay(self.events, self.contract)
        self.contract = ahead if ahead.version > self.contract.version else self.contract
        self.expired = contract.past(self.contract, f"{self.now:%Y-%m-%d}")
        for each in self.expired:
            self.change("expired", each, [each], reason=f"its last day was {each.expires}")
        self.save()

    def tell(self, event: str, **fields: Any) -> None:
        told = {key: value for key, value in fields.items() if value not in ("", None)}
        row = {"ts": self.now.isoformat(), "event": event, **told}
        self._unwritten.append(row)
        self.events.append(row)

    def change(self, event: str, about: Directive, gone: Sequence[Directive] = (), **fields: Any) -> None:
        """Makes the next contract: without those that are `gone`, and with `about` where the event sets it."""
        ids = {each.id for each in gone}
        directives = tuple(each for each in self.contract.directives if each.id not in ids)
        if event in behavior_history.SETTING:
            directives, fields = (*directives, about), {"directive": about.row(), "replaces": sorted(ids) or None}
        self.contract = Contract(self.contract.version + 1, self.now.isoformat(), directives)
        named = {name: getattr(about, name) for name in ("id", "type", "text", "source", "message")}
        self.tell(event, **named, version=self.contract.version, hash=self.contract.hash, **fields)

    def save(self) -> None:
        if self._unwritten:
            self.files.append_all(self.files.tree.behavior_history, self._unwritten)
            self._unwritten = []
        if self.contract is not self._written:
            self.files.replace(self.files.tree.contract, contract.text_of(self.contract))
            self._written = self.contract

    def end(self, outcome: str, **more: Any) -> ContractChange:
        return ContractChange(outcome, self.contract, expired=self.expired, mirrors=self.mirrors, **more)

    def find_candidate(self, id: str) -> Candidate:
        every = {each.id: each for each in behavior_history.candidates(self.events, self.now)}
        fix = "`adjutant behavior candidates` names them"
        return find_one(every, id, "candidate", BehaviorUnknown, fix)


@contextmanager
def editing(app: App, *, always: bool = False) -> Iterator[ContractEdit]:
    """Holds the lock; expires before, pushes after (`always`: unchanged too); a refusal is raised behind all that."""
    refused: AdjutantError | None = None
    with app.files.lock(LOCK):
        edit = ContractEdit(app)
        try:
            yield edit
        except (BehaviorConflict, BehaviorFull, BehaviorInvalid, BehaviorUnknown) as error:
            refused = error
        edit.save()
    if always or edit.contract is not edit.found or mirror_state.is_behind(app.files, edit.contract):
        edit.mirrors.update(mirror_state.push(app, edit.contract))
    if refused is not None:
        raise refused


def _put(edit: ContractEdit, new: Directive, *, replace: bool = False, captured: bool = False) -> ContractChange:
    standing = edit.contract.directives
    about = {name: getattr(new, name) for name in ("type", "text", "source", "message", "candidate")}
    twins = find_same(standing, new.type, new.text)
    if twins:
        edit.tell("duplicate", **about, **{"with": [each.id for each in twins]})
        return edit.end("duplicate", directive=twins[0])
    others = find_opposed(standing, new.against, new.text)
    ids = [each.id for each in others]
    if others and not replace:
        edit.tell("conflict", **about, **{"with": ids})
        details: dict[str, Any] = {"outcome": "conflict", "directive": new.row(), "with": ids}
        details |= {"directives": [each.row() for each in others]}
        raise BehaviorConflict(f"`{new.line}` contradicts {name(others)}", details=details)
    limit = edit.app.config.whole("behavior.max_directives")
    if len(standing) - len(others) >= limit:
        oldest = min(standing, key=lambda each: each.created_at)
        full = f"the contract is full: {len(standing)} of {limit} directives; the oldest is {name([oldest])}"
        details = {"outcome": "full", "directive": new.row(), "oldest": oldest.row(), "with": [oldest.id]}
        raise BehaviorFull(full, details=details)
    outcome = "promoted" if new.candidate else "replaced" if others else "added"
    edit.change("captured" if captured else outcome, new, others)
    return edit.end(outcome, directive=new, replaced=tuple(others))


def name(several: Iterable[Directive]) -> str:
    """Directives in a sentence: `KEEP: tables` (keep-1234)."""
    return " and ".join(f"`{each.line}` ({each.id})" for each in several)


def _make_wished(edit: ContractEdit, type: str, words: str, **about: str) -> Directive:
    return Directive(contract.id_of(type, words), type, words, OPERATOR, edit.now.isoformat(), **about)


def _make_learned(edit: ContractEdit, each: Candidate) -> Directive:
    about = {"confidence": each.confidence, "evidence": each.evidence, "candidate": each.id}
    told = (contract.id_of(each.type, each.text), each.type, each.text, LEARNED, each.created_at)
    return Directive(*told, **about, promoted_at=edit.now.isoformat())


def add(app: App, type: str, text: str, *, expires: str = "", replace: bool = False) -> ContractChange:
    """`expires`: its last day, YYYY-MM-DD. Raises BehaviorInvalid, Conflict, Full, FileDamaged, LockBusy, IoFailed."""
    type, words = _check(type, text)
    if expires and ((day := read_day(expires)) is None or day < app.clock.now().date()):
        why = "not a day" if day is None else "that day has passed"
        raise BehaviorInvalid(f"--expires {expires[:40]}: {why}", "its last day as YYYY-MM-DD")

    with editing(app) as edit:
        until = day.isoformat() if expires and day else ""
        done = _put(edit, _make_wished(edit, type, words, expires=until), replace=replace)
    return done


def remove(app: App, id: str) -> ContractChange:
    """Takes a directive away, by its id or the beginning of it. Raises BehaviorUnknown and as `add`."""
    with editing(app) as edit:
        standing = {each.id: each for each in edit.contract.directives}
        gone: Directive = find_one(standing, id, "directive", BehaviorUnknown)
        edit.change("removed", gone, [gone], reason="by the operator")
    return edit.end("removed", directive=gone)


def promote(app: App, id: str, *, replace: bool = False) -> ContractChange:
    """Makes a pending candidate a directive; one that conflicts or finds no room stays pending. Raises as `add`."""
    with editing(app) as edit:
        found = edit.find_candidate(id)
        standing = [each for each in edit.contract.directives if each.candidate == found.id]
        if found.status == "promoted" and standing:
            return edit.end("duplicate", directive=standing[0])
        if found.status != "pending":
            raise BehaviorInvalid(f"candidate {found.id} was {found.status} already", "`adjutant behavior candidates`")
        type, text = _check(found.type, found.text)
        done = _put(edit, _make_learned(edit, found._replace(type=type, text=text)), replace=replace)
    return done


def reject(app: App, id: str) -> ContractChange:
    """Sets a candidate aside; the contract is left alone. Raises BehaviorUnknown, BehaviorInvalid and as `add`."""
    with editing(app) as edit:
        found = edit.find_candidate(id)
        if found.status == "promoted":
            why = f"candidate {found.id} was promoted already"
            raise BehaviorInvalid(why, "`adjutant behavior remove ID` undoes it")
        if found.status != "rejected":
            edit.tell("rejected", id=found.id, type=found.type, text=found.text)
    return edit.end("rejected", directive=_make_learned(edit, found))


def apply(app: App) -> ContractChange:
    """Takes away what is past its day, said twice, or no directive's text; pushes. Raises as `add`."""
    kept, dropped = list[Directive](), list[Directive]()
    with editing(app, always=True) as edit:
        for each in edit.contract.directives:
            twins = find_same(kept, each.type, each.text)
            reason = f"says the same as {twins[0].id}" if twins else problem(each.text)
            (dropped if reason else kept).append(each)
            if reason:
                edit.change("removed", each, [each], reason=reason)
    return edit.end("applied" if edit.contract is not edit.found else "unchanged", dropped=tuple(dropped))


def expire(app: App) -> ContractChange:
    """Takes away what is past its day, and what a killed verb left undone; nothing more. Raises as `add`."""
    with editing(app) as edit:
        pass
    return edit.end("applied" if edit.contract is not edit.found else "unchanged")


def _check(type: str, text: str) -> tuple[str, str]:
    words = collapse(text)
    if type.upper() not in TYPES:
        raise BehaviorInvalid(f"`{type[:20]}` is not a type of directive", f"one of {', '.join(TYPES)}")
    if reason := problem(words):
        raise BehaviorInvalid(f"no directive's text: {reason}")
    return type.upper(), words


def is_same(one: str, two: str) -> bool:
    """Whether two texts are equivalent."""
    if normal(one) == normal(two):
        return True
    language = language_of(normal(one), "") or language_of(normal(two))
    ours = _bag(normal(one), language)
    return bool(ours) and ours == _bag(normal(two), language)


def find_same(directives: Iterable[Directive], type: str, text: str) -> list[Directive]:
    """Those of this type that say what `text` says."""
    return [each for each in directives if each.type == type and is_same(each.text, text)]


def find_opposed(directives: Iterable[Directive], against: bool, text: str) -> list[Directive]:
    """Those of the other polarity that speak of what `text` speaks of."""
    return [each for each in directives if each.against != against and is_same(each.text, text)]


@lru_cache(maxsize=4096)
def _bag(text: str, language: str) -> frozenset[tuple[str, int]]:
    """The stems of the content words of a normalised text, each with how often; all words where none is one."""
    words = [word.text for word in meaning(text).words if word.text != "?"]
    fillers = listed("words", "fillers", language)
    content = [word for word in words if word not in fillers] or words
    return frozenset(Counter(stem(word, language) if word.isalpha() else word for word in content).items())


# -- a message -----------------------------------------------------------------------------------------------

MOST_MISSES = 20  # told and recorded by themselves, of one message


class Captured(NamedTuple):
    """What a message told to keep: {type, text, line, outcome, id, reason, with} of each directive, {line, reason,
    would_work} of each near miss, and the message without directives."""

    captured: tuple[dict[str, Any], ...]
    missed: tuple[dict[str, Any], ...]
    remainder: str
    mirrors: dict[str, str]

    def tell(self, would: str = "") -> list[str]:
        """Lines for people; `would` stands before what a dry run would have added."""
        lines = []
        for row in self.captured:
            why = f" ({row['reason']})" if row["reason"] else ""
            outcome = f"{would if row['outcome'] == 'added' else ''}{row['outcome']}"
            lines.append(f"{outcome}: {row['type']}: {row['text']}{why}")
        for miss in self.missed:
            would = f"; write: {miss['would_work']}" if miss["would_work"] else ""
            lines.append(f"line {miss['line']} is not a directive: {miss['reason']}{would}")
        return lines


def capture(app: App, message: bytes, source: str = "") -> Captured:
    """Sets what a message of the operator's tells to keep, each directive by itself, and tells near misses. `source`:
    its id, under which it is handled once and then told as it was. Raises FileDamaged, LockBusy, IoFailed."""
    parsed = grammar.parse(message)
    if not parsed.directives and not parsed.misses:
        return Captured((), (), parsed.remainder, {})
    misses = [each._asdict() for each in parsed.misses[:MOST_MISSES]]
    kinds = (*behavior_history.SETTING, "duplicate", "conflict", "missed")  # what the message led to before
    with editing(app) as edit:
        handled = [each for each in edit.events if source and each.get("message") == source]
        before = [each for each in handled if each.get("event") in kinds]
        rows = [_capture_one(edit, said, source, before) for said in parsed.directives]
        told = {event.get("line") for event in before if event.get("event") == "missed"}
        for miss in misses:
            if miss["line"] not in told:
                edit.tell("missed", message=source, **miss)
    return Captured(tuple(rows), tuple(misses), parsed.remainder, edit.mirrors)


def _capture_one(edit: ContractEdit, said: grammar.DirectiveLine, source: str, before: list[Row]) -> Row:
    row: Row = {"type": said.type, "text": said.text, "line": said.line}
    row |= {"outcome": "added", "id": None, "reason": "", "with": []}
    earlier = next((each for each in before if (each.get("type"), each.get("text")) == (said.type, said.text)), None)
    if earlier is not None:
        outcome = "added" if earlier["event"] in behavior_history.SETTING else earlier["event"]
        told = {"outcome": outcome, "id": earlier.get("id"), "with": earlier.get("with", [])}
        return row | told | {"reason": "this message was handled before"}
    try:
        done = _put(edit, _make_wished(edit, said.type, said.text, message=source), captured=True)
    except (BehaviorConflict, BehaviorFull) as error:
        outcome = error.code.rpartition(".")[2]
        return row | {"outcome": outcome, "reason": error.message, "with": error.details.get("with", [])}
    assert done.directive is not None
    row["id"] = done.directive.id
    if done.outcome == "duplicate":
        row |= {"outcome": "duplicate", "reason": f"it stands already: {done.directive.line}", "with": [row["id"]]}
    return row
