"""DOMAIN. The control lane: the verbs that change state/behavior/, each one read-check-write under one lock.

An event is written before the contract it makes. A run that is killed in between leaves the history one step ahead, and
the next verb takes that step; what was done already is found again as a duplicate.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from adjutant.clock import read_day
from adjutant.domain.behavior import grammar, sameness
from adjutant.errors import AdjutantError, BehaviorConflict, BehaviorFull, BehaviorInvalid, BehaviorUnknown
from adjutant.records import behavior_history, contract, mirror_state
from adjutant.records.contract import TYPES, Contract, Directive, collapse, problem

if TYPE_CHECKING:
    from adjutant.app import App
    from adjutant.records.behavior_history import Candidate

LOCK = "behavior"
OPERATOR, LEARNED = contract.SOURCES


class ContractChange(NamedTuple):
    """What a verb did. `outcome`: added, duplicate, replaced, removed, promoted, rejected, applied, unchanged.

    `directive`: the one it was about, None where there is none. `replaced`: those that went for it. `expired` and
    `dropped`: those that went before. `mirrors`: {name: "ok" or why not}, empty where nothing was pushed.
    """

    outcome: str
    contract: Contract
    directive: Directive | None = None
    replaced: tuple[Directive, ...] = ()
    expired: tuple[Directive, ...] = ()
    dropped: tuple[Directive, ...] = ()
    mirrors: dict[str, str] = {}  # noqa: RUF012 - never changed, a NamedTuple's default


class ContractEdit:
    """The contract and its history while the lock is held. `save` writes the events first, at one stroke: a message may
    hold many directives, and others wait for the lock."""

    def __init__(self, app: App) -> None:
        self.app, self.files = app, app.files
        self.now = app.clock.now()
        self.files.sweep(self.files.tree.behavior, self.now.timestamp())
        self.contract = self.written = contract.read(app.files)
        self.events = behavior_history.read(app.files)
        self._unwritten: list[dict[str, Any]] = []
        self.changed = False
        self.expired: tuple[Directive, ...] = ()
        ahead = behavior_history.replay(self.events, self.contract)
        if ahead.version > self.contract.version:
            self.contract, self.changed = ahead, True
        self.expired = contract.past(self.contract, f"{self.now:%Y-%m-%d}")
        for each in self.expired:
            self.take(each, "expired", f"its last day was {each.expires}")
        self.save()

    def tell(self, event: str, **fields: Any) -> None:
        """Notes an event; fields without a value are left out."""
        row = {
            "ts": self.now.isoformat(),
            "event": event,
            **{key: value for key, value in fields.items() if value not in ("", None)},
        }
        self._unwritten.append(row)
        self.events.append(row)

    def put(self, new: Directive, event: str, replaced: list[Directive]) -> None:
        """Sets a directive in the place of others."""
        gone = {each.id for each in replaced}
        directives = (*(each for each in self.contract.directives if each.id not in gone), new)
        self._change(directives, event, new, directive=new.row(), replaces=sorted(gone) or None)

    def take(self, gone: Directive, event: str, reason: str) -> None:
        """Takes a directive away."""
        directives = tuple(each for each in self.contract.directives if each.id != gone.id)
        self._change(directives, event, gone, reason=reason)

    def _change(self, directives: tuple[Directive, ...], event: str, about: Directive, **fields: Any) -> None:
        made = Contract(self.contract.version + 1, self.now.isoformat(), directives)
        self.tell(
            event,
            id=about.id,
            type=about.type,
            text=about.text,
            source=about.source,
            message=about.message,
            version=made.version,
            hash=made.hash,
            **fields,
        )
        self.contract, self.changed = made, True

    def save(self) -> None:
        """Makes the history and then the contract durable."""
        if self._unwritten:
            self.files.append_all(self.files.tree.behavior_history, self._unwritten)
            self._unwritten = []
        if self.contract is not self.written:
            self.files.replace(self.files.tree.contract, contract.text_of(self.contract))
            self.written = self.contract

    def end(self, outcome: str, **more: Any) -> ContractChange:
        return ContractChange(outcome, self.contract, expired=self.expired, **more)

    def find_named(self, id: str) -> Directive:
        """The directive of an id or its beginning. Raises BehaviorUnknown."""
        found = self.contract.find(id)
        if len(found) == 1:
            return found[0]
        went = next(
            (
                each
                for each in reversed(self.events)
                if each.get("id") == id and each.get("event") in behavior_history.TAKING
            ),
            None,
        )
        past = f"; it was {went['event']} on {str(went.get('ts'))[:10]}" if went is not None else ""
        raise BehaviorUnknown(f"{contract.not_one(id, len(found), 'directive')}{past}")

    def candidate(self, id: str) -> Candidate:
        """The candidate of an id or its beginning. Raises BehaviorUnknown."""
        every = behavior_history.candidates(self.events, self.now, self.app.config.whole("behavior.candidate_ttl_days"))
        found = [each for each in every if each.id == id] or [each for each in every if id and each.id.startswith(id)]
        if len(found) != 1:
            raise BehaviorUnknown(
                contract.not_one(id, len(found), "candidate"), "`adjutant behavior candidates` names them"
            )
        return found[0]

    def find_of_message(self, source: str) -> list[dict[str, Any]]:
        """What a message led to before."""
        return [
            event
            for event in self.events
            if source
            and event.get("message") == source
            and event.get("event") in (*behavior_history.SETTING, "duplicate", "conflict", "missed")
        ]


def under_lock(app: App, work: Callable[[ContractEdit], ContractChange], *, always: bool = False) -> ContractChange:
    """The work, with what is past its day taken away before and the copies pushed after; `always`: unchanged ones too.

    A refusal is raised when what went before it is written and pushed.
    """
    refused: AdjutantError | None = None
    with app.files.lock(LOCK):
        edit = ContractEdit(app)
        done = edit.end("unchanged")
        try:
            done = work(edit)
        except (BehaviorConflict, BehaviorFull, BehaviorInvalid, BehaviorUnknown) as error:
            refused = error
        edit.save()
    behind = mirror_state.is_behind(app.files, edit.contract)
    mirrors = mirror_state.push(app, edit.contract) if always or edit.changed or behind else {}
    if refused is not None:
        raise refused
    return done._replace(mirrors=mirrors)


def put(edit: ContractEdit, new: Directive, *, replace: bool = False, captured: bool = False) -> ContractChange:
    """Sets one directive, or says why not: what it doubles, what it contradicts, that there is no room."""
    standing = edit.contract.directives
    about = {name: getattr(new, name) for name in ("type", "text", "source", "message", "candidate")}
    twins = sameness.find_same(standing, new.type, new.text)
    if twins:
        edit.tell("duplicate", **about, **{"with": [each.id for each in twins]})
        return edit.end("duplicate", directive=twins[0])
    others = sameness.find_opposed(standing, new.against, new.text)
    ids = [each.id for each in others]
    if others and not replace:
        edit.tell("conflict", **about, **{"with": ids})
        against = " and ".join(f"`{each.line}` ({each.id})" for each in others)
        details = {"outcome": "conflict", "directive": new.row(), "with": ids}
        raise BehaviorConflict(
            f"`{new.line}` contradicts {against}", details=details | {"directives": [each.row() for each in others]}
        )
    limit = edit.app.config.whole("behavior.max_directives")
    if len(standing) - len(others) >= limit:
        oldest = min(standing, key=lambda each: each.created_at)
        raise BehaviorFull(
            f"the contract is full: {len(standing)} of {limit} directives; the oldest is `{oldest.line}` ({oldest.id})",
            details={"outcome": "full", "directive": new.row(), "oldest": oldest.row(), "with": [oldest.id]},
        )
    outcome = "promoted" if new.candidate else "replaced" if others else "added"
    edit.put(new, "captured" if captured else outcome, others)
    return edit.end(outcome, directive=new, replaced=tuple(others))


def make_wished(edit: ContractEdit, type: str, words: str, *, expires: str = "", message: str = "") -> Directive:
    """A directive of the operator's; `words` have passed the grammar."""
    now = edit.now.isoformat()
    return Directive(contract.id_of(type, words), type, words, OPERATOR, now, expires=expires, message=message)


def _make_learned(edit: ContractEdit, each: Candidate) -> Directive:
    """The directive that a candidate becomes."""
    return Directive(
        contract.id_of(each.type, each.text),
        each.type,
        each.text,
        LEARNED,
        each.created_at,
        confidence=each.confidence,
        evidence=each.evidence,
        candidate=each.id,
        promoted_at=edit.now.isoformat(),
    )


# -- the verbs -----------------------------------------------------------------------------------------------


def add(
    app: App, type: str, text: str, *, expires: str = "", message: str = "", replace: bool = False
) -> ContractChange:
    """A directive of the operator's. `expires`: its last day, YYYY-MM-DD. `replace`: takes the place of its opposite.

    Raises BehaviorInvalid, BehaviorConflict, BehaviorFull, FileDamaged, LockBusy, IoFailed.
    """
    type, words, day = _type(type), _words(text), _day(app, expires)
    return under_lock(
        app, lambda edit: put(edit, make_wished(edit, type, words, expires=day, message=message), replace=replace)
    )


def remove(app: App, id: str) -> ContractChange:
    """Takes a directive away, by its id or the beginning of it. Raises BehaviorUnknown and as `add`."""

    def work(edit: ContractEdit) -> ContractChange:
        gone = edit.find_named(id)
        edit.take(gone, "removed", "by the operator")
        return edit.end("removed", directive=gone)

    return under_lock(app, work)


def promote(app: App, id: str, *, replace: bool = False) -> ContractChange:
    """Makes a pending candidate a directive; one that conflicts or finds no room stays pending. Raises as `add`."""

    def work(edit: ContractEdit) -> ContractChange:
        found = edit.candidate(id)
        standing = [each for each in edit.contract.directives if each.candidate == found.id]
        if found.status == "promoted" and standing:
            return edit.end("duplicate", directive=standing[0])
        if found.status != "pending":
            raise BehaviorInvalid(f"candidate {found.id} was {found.status} already", "`adjutant behavior candidates`")
        found = found._replace(type=_type(found.type), text=_words(found.text))
        return put(edit, _make_learned(edit, found), replace=replace)

    return under_lock(app, work)


def reject(app: App, id: str) -> ContractChange:
    """Sets a candidate aside; the contract is left alone. Raises BehaviorUnknown, BehaviorInvalid and as `add`."""

    def work(edit: ContractEdit) -> ContractChange:
        found = edit.candidate(id)
        if found.status == "promoted":
            raise BehaviorInvalid(
                f"candidate {found.id} was promoted already", "`adjutant behavior remove ID` undoes it"
            )
        if found.status != "rejected":
            edit.tell("rejected", id=found.id, type=found.type, text=found.text)
        return edit.end("rejected", directive=_make_learned(edit, found))

    return under_lock(app, work)


def apply(app: App) -> ContractChange:
    """Takes away what is past its day, what says the same as an older one and what is no directive's text; pushes.

    Raises as `add`.
    """

    def work(edit: ContractEdit) -> ContractChange:
        kept: list[Directive] = []
        dropped = []
        for each in edit.contract.directives:
            twins = sameness.find_same(kept, each.type, each.text)
            reason = f"says the same as {twins[0].id}" if twins else problem(each.text)
            if reason:
                dropped.append(each)
                edit.take(each, "removed", reason)
            else:
                kept.append(each)
        done = edit.end("applied" if edit.changed else "unchanged")
        return done._replace(dropped=tuple(dropped))

    return under_lock(app, work, always=True)


def expire(app: App) -> ContractChange:
    """Takes away what is past its day, and what a killed verb left undone; nothing more. Raises as `add`."""
    return under_lock(app, lambda edit: edit.end("applied" if edit.changed else "unchanged"))


# -- what is given -------------------------------------------------------------------------------------------


def _type(given: str) -> str:
    if given.upper() not in TYPES:
        raise BehaviorInvalid(f"`{given[:20]}` is no type of directive", f"one of {', '.join(TYPES)}")
    return given.upper()


def _words(given: str) -> str:
    words = collapse(given)
    if reason := problem(words):
        raise BehaviorInvalid(f"no directive's text: {reason}")
    return words


def _day(app: App, given: str) -> str:
    if not given:
        return ""
    day = read_day(given)
    if day is None:
        raise BehaviorInvalid(f"--expires {given[:40]}: not a day", "its last day as YYYY-MM-DD")
    if day < app.clock.now().date():
        raise BehaviorInvalid(f"--expires {given}: that day has passed", "its last day as YYYY-MM-DD")
    return day.isoformat()


MOST_MISSES = 20  # told and recorded by themselves, of one message


class Captured(NamedTuple):
    """What a message told to keep.

    `captured`: {type, text, line, outcome, id, reason, with} of each directive, outcome added, duplicate, conflict or
    full; `missed`: {line, reason, would_work}; `remainder`: the message without directives; `mirrors` as in
    ContractChange.
    """

    captured: tuple[dict[str, Any], ...]
    missed: tuple[dict[str, Any], ...]
    remainder: str
    mirrors: dict[str, str]


def capture(app: App, message: bytes, source: str = "") -> Captured:
    """Sets what a message of the operator's tells to keep, each directive by itself, and tells near misses.

    `source`: the message's id. A message that was handled under this id already is told as it was, and sets nothing.
    Raises FileDamaged, LockBusy, IoFailed.
    """
    parsed = grammar.parse(message)
    if not parsed.directives and not parsed.misses:
        return Captured((), (), parsed.remainder, {})
    rows: list[dict[str, Any]] = []
    misses = [
        {"line": each.line, "reason": each.reason, "would_work": each.would_work}
        for each in parsed.misses[: MOST_MISSES + 1]
    ]
    if len(parsed.misses) > MOST_MISSES:
        misses[-1]["reason"] = f"{len(parsed.misses) - MOST_MISSES} more lines are nearly directives"

    def work(edit: ContractEdit) -> ContractChange:
        before = edit.find_of_message(source)
        rows.extend(_capture_one(edit, said, source, before) for said in parsed.directives)
        told = {event.get("line") for event in before if event.get("event") == "missed"}
        for miss in misses:
            if miss["line"] not in told:
                edit.tell("missed", message=source, **miss)
        return edit.end("applied" if edit.changed else "unchanged")

    done = under_lock(app, work)
    return Captured(tuple(rows), tuple(misses), parsed.remainder, done.mirrors)


def _capture_one(
    edit: ContractEdit, said: grammar.DirectiveLine, source: str, before: list[dict[str, Any]]
) -> dict[str, Any]:
    row: dict[str, Any] = {"type": said.type, "text": said.text, "line": said.line}
    row |= {"outcome": "added", "id": None, "reason": "", "with": []}
    earlier = next((each for each in before if (each.get("type"), each.get("text")) == (said.type, said.text)), None)
    if earlier is not None:
        outcome = "added" if earlier["event"] in behavior_history.SETTING else earlier["event"]
        told = {"outcome": outcome, "id": earlier.get("id"), "with": earlier.get("with", [])}
        return row | told | {"reason": "this message was handled before"}
    try:
        done = put(edit, make_wished(edit, said.type, said.text, message=source), captured=True)
    except (BehaviorConflict, BehaviorFull) as error:
        outcome = error.code.rpartition(".")[2]
        return row | {"outcome": outcome, "reason": error.message, "with": error.details.get("with", [])}
    assert done.directive is not None
    row["id"] = done.directive.id
    if done.outcome == "duplicate":
        row |= {"outcome": "duplicate", "reason": f"it stands already: {done.directive.line}", "with": [row["id"]]}
    return row
