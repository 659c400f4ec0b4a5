"""DOMAIN. The control lane: the only writers of state/behavior/. One read-check-write a verb, under one lock.

An event is written before the contract it makes. A run that is killed in between leaves the history one step ahead, and
the next verb takes that step; what was done already is found again as a duplicate.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from adjutant.domain.behavior import copies, grammar, sameness
from adjutant.errors import AdjutantError, BehaviorConflict, BehaviorFull, BehaviorInvalid, BehaviorUnknown
from adjutant.records import behavior_history, contract
from adjutant.records.contract import Contract, Directive
from adjutant.records.wording import AGAINST, TYPES, collapsed, normal, problem

if TYPE_CHECKING:
    from adjutant.app import App
    from adjutant.records.behavior_history import Candidate

LOCK = "behavior"
MOST_MISSES = 20  # told and recorded by themselves, of one message
OPERATOR, LEARNED = contract.SOURCES
LEARNERS = (LEARNED, "evolve")
QUIET_DAYS = 30  # for so long what was refused or taken away is not proposed again
QUOTE_CHARS, QUOTES = 240, 8


class Done(NamedTuple):
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


class Captured(NamedTuple):
    """What a message told to keep.

    `captured`: {type, text, line, outcome, id, reason, with} of each directive, outcome added, duplicate, conflict or
    full; `missed`: {line, reason, would_work}; `remainder`: the message without directives; `mirrors` as in Done.
    """

    captured: tuple[dict[str, Any], ...]
    missed: tuple[dict[str, Any], ...]
    remainder: str
    mirrors: dict[str, str]


class Wish(NamedTuple):
    """A directive that is asked for; `words` have passed the grammar."""

    type: str
    words: str
    expires: str = ""
    message: str = ""


class Proposal(NamedTuple):
    """What the operator might want, by evidence. `confidence` 0 to 1; `evidence`: {"quote", "record"} of words that the
    operator said; `source`: daily-review or evolve; `id`: the candidate's, one is made where it is ""."""

    type: str
    text: str
    confidence: float
    evidence: tuple[dict[str, str], ...]
    source: str = LEARNED
    id: str = ""


class Proposed(NamedTuple):
    """What became of a proposal. `outcome`: proposed, pending (that candidate waits already), standing (a directive
    says it), rejected (it was, or was taken away, in the last 30 days), invalid; `reason` says why, and of one proposed
    what it would contradict. `id`: of the candidate or directive, "" for none; `expires_at`: a time, ISO-8601.
    """

    outcome: str
    id: str
    type: str
    text: str
    confidence: float
    evidence: tuple[dict[str, str], ...]
    expires_at: str
    reason: str


# -- the verbs -----------------------------------------------------------------------------------------------


def add(app: App, type: str, text: str, *, expires: str = "", message: str = "", replace: bool = False) -> Done:
    """A directive of the operator's. `expires`: its last day, YYYY-MM-DD. `replace`: takes the place of its opposite.

    Raises BehaviorInvalid, BehaviorConflict, BehaviorFull, FileDamaged, LockBusy, IoFailed.
    """
    wish = Wish(_type(type), _words(text), _day(app, expires), message)
    return _under_lock(app, lambda desk: _put(desk, wish, replace=replace))


def remove(app: App, id: str) -> Done:
    """Takes a directive away, by its id or the beginning of it. Raises BehaviorUnknown and as `add`."""

    def work(desk: _Desk) -> Done:
        gone = desk.named(id)
        desk.take(gone, "removed", "by the operator")
        return desk.done("removed", directive=gone)

    return _under_lock(app, work)


def promote(app: App, id: str, *, replace: bool = False) -> Done:
    """Makes a pending candidate a directive; one that conflicts or finds no room stays pending. Raises as `add`."""

    def work(desk: _Desk) -> Done:
        found = desk.candidate(id)
        standing = [each for each in desk.contract.directives if each.candidate == found.id]
        if found.status == "promoted" and standing:
            return desk.done("duplicate", directive=standing[0])
        if found.status != "pending":
            raise BehaviorInvalid(f"candidate {found.id} was {found.status} already", "`adjutant behavior candidates`")
        return _put(desk, Wish(_type(found.type), _words(found.text)), replace=replace, candidate=found)

    return _under_lock(app, work)


def reject(app: App, id: str) -> Done:
    """Sets a candidate aside; the contract is left alone. Raises BehaviorUnknown, BehaviorInvalid and as `add`."""

    def work(desk: _Desk) -> Done:
        found = desk.candidate(id)
        if found.status == "promoted":
            raise BehaviorInvalid(
                f"candidate {found.id} was promoted already", "`adjutant behavior remove ID` undoes it"
            )
        if found.status != "rejected":
            desk.tell("rejected", id=found.id, type=found.type, text=found.text)
        return desk.done("rejected", directive=_made(desk, Wish(found.type, found.text), found))

    return _under_lock(app, work)


def propose(app: App, proposals: Sequence[Proposal]) -> list[Proposed]:
    """Files candidates at one stroke, in the order given; the contract is left alone. Nothing is filed twice, nor below
    behavior.min_confidence, nor without evidence. Raises FileDamaged, LockBusy, IoFailed.
    """
    found: list[Proposed] = []

    def work(desk: _Desk) -> Done:
        found.extend(_proposed(desk, each) for each in proposals)
        return desk.done("unchanged")

    if proposals:
        _under_lock(app, work)
    return found


def apply(app: App) -> Done:
    """Takes away what is past its day, what says the same as an older one and what is no directive's text; pushes.

    Raises as `add`.
    """

    def work(desk: _Desk) -> Done:
        kept: list[Directive] = []
        dropped = []
        for each in desk.contract.directives:
            twins = sameness.standing(kept, each.type, each.text)
            reason = f"says the same as {twins[0].id}" if twins else problem(each.text)
            if reason:
                dropped.append(each)
                desk.take(each, "removed", reason)
            else:
                kept.append(each)
        done = desk.done("applied" if desk.changed else "unchanged")
        return done._replace(dropped=tuple(dropped))

    return _under_lock(app, work, always=True)


def expire(app: App) -> Done:
    """Takes away what is past its day, and what a killed verb left undone; nothing more. Raises as `add`."""
    return _under_lock(app, lambda desk: desk.done("applied" if desk.changed else "unchanged"))


def capture(app: App, message: bytes, source: str = "") -> Captured:
    """Sets what a message of the operator's tells to keep, each directive by itself, and tells near misses.

    `source`: the message's id. A message that was handled under this id already is told as it was, and sets nothing.
    Raises FileDamaged, LockBusy, IoFailed.
    """
    parsed = grammar.parse(message)
    if not parsed.directives and not parsed.misses:
        return Captured((), (), parsed.remainder, {})
    rows: list[dict[str, Any]] = []
    misses = tuple(
        {"line": each.line, "reason": each.reason, "would_work": each.would_work}
        for each in parsed.misses[:MOST_MISSES]
    )
    if left := parsed.misses[MOST_MISSES:]:
        misses = (
            *misses,
            {
                "line": left[0].line,
                "reason": f"{len(left)} more lines are nearly directives",
                "would_work": left[0].would_work,
            },
        )

    def work(desk: _Desk) -> Done:
        before = desk.of_message(source)
        rows.extend(_captured(desk, said, source, before) for said in parsed.directives)
        told = {event.get("line") for event in before if event.get("event") == "missed"}
        for miss in misses:
            if miss["line"] not in told:
                desk.tell("missed", message=source, **miss)
        return desk.done("applied" if desk.changed else "unchanged")

    done = _under_lock(app, work)
    return Captured(tuple(rows), misses, parsed.remainder, done.mirrors)


def _captured(desk: _Desk, said: grammar.Said, source: str, before: list[dict[str, Any]]) -> dict[str, Any]:
    row = {"type": said.type, "text": said.text, "line": said.line}
    earlier = next((each for each in before if (each.get("type"), each.get("text")) == (said.type, said.text)), None)
    if earlier is not None:
        outcome = "added" if earlier["event"] in behavior_history.SETTING else earlier["event"]
        return {
            **row,
            "outcome": outcome,
            "id": earlier.get("id"),
            "reason": "this message was handled before",
            "with": earlier.get("with", []),
        }
    try:
        done = _put(desk, Wish(said.type, said.text, "", source), captured=True)
    except (BehaviorConflict, BehaviorFull) as error:
        outcome = error.code.rpartition(".")[2]
        return {**row, "outcome": outcome, "id": None, "reason": error.message, "with": error.details.get("with", [])}
    assert done.directive is not None
    if done.outcome == "duplicate":
        return {
            **row,
            "outcome": "duplicate",
            "id": done.directive.id,
            "reason": f"it stands already: {done.directive.line}",
            "with": [done.directive.id],
        }
    return {**row, "outcome": "added", "id": done.directive.id, "reason": "", "with": []}


def _proposed(desk: _Desk, given: Proposal) -> Proposed:
    words = collapsed(given.text)
    evidence = tuple(
        {key: each[key][:QUOTE_CHARS] for key in ("quote", "record")}
        for each in given.evidence[:QUOTES]
        if _is_evidence(each)
    )
    made = Proposed("invalid", "", given.type, words, given.confidence, evidence, "", "")
    if reason := _unfit(desk.app, made, given.source):
        return made._replace(reason=reason)
    if (known := _known(desk, made)) is not None:
        return known
    others = sameness.opposed(desk.contract.directives, made.type in AGAINST, words)
    expires = (desk.now + timedelta(days=desk.app.config.whole("behavior.candidate_ttl_days"))).isoformat()
    id = _candidate_id(desk, made, given.id)
    desk.tell(
        "proposed",
        id=id,
        type=made.type,
        text=words,
        confidence=given.confidence,
        evidence=list(evidence),
        expiresAt=expires,
        source=given.source,
    )
    against = " and ".join(f"`{each.line}` ({each.id})" for each in others)
    return made._replace(
        outcome="proposed", id=id, expires_at=expires, reason=f"it contradicts {against}" if others else ""
    )


def _is_evidence(row: Any) -> bool:
    return isinstance(row, dict) and all(
        isinstance(row.get(key), str) and row[key].strip() for key in ("quote", "record")
    )


def _unfit(app: App, given: Proposed, source: str) -> str:
    """Why it is proposed to nobody, "" where it may be."""
    least = app.config.number("behavior.min_confidence")
    if given.type not in TYPES:
        return f"`{given.type[:20]}` is no type of directive"
    if reason := problem(given.text):
        return reason
    if source not in LEARNERS:
        return f"nothing is learnt from `{source[:20]}`"
    if not given.evidence:
        return "nothing that the operator said speaks for it"
    if not least <= given.confidence <= 1:  # nor what is no number
        return f"a confidence of {given.confidence:.2f}, not of {least:.2f} to 1"
    return ""


def _known(desk: _Desk, given: Proposed) -> Proposed | None:
    """What it doubles: a directive, a candidate that waits, what the operator would not have. None for nothing."""
    for each in desk.contract.directives:
        if given.type in sameness.COVERS[each.type] and sameness.same(each.text, given.text):
            return given._replace(outcome="standing", id=each.id, reason=f"{each.line} stands already")
    ttl = desk.app.config.whole("behavior.candidate_ttl_days")
    for found in behavior_history.candidates(desk.events, desk.now, ttl):
        if (
            found.status == "pending"
            and given.type in sameness.COVERS.get(found.type, ())
            and sameness.same(found.text, given.text)
        ):
            return given._replace(
                outcome="pending",
                id=found.id,
                expires_at=found.expires_at,
                reason=f"{found.type}: {found.text} waits already",
            )
    for type, text, how in behavior_history.gone(desk.events, desk.now, QUIET_DAYS):
        if (type in AGAINST) == (given.type in AGAINST) and sameness.same(text, given.text):
            return given._replace(outcome="rejected", reason=f"{type}: {text}: {how}")
    return None


def _candidate_id(desk: _Desk, given: Proposed, wanted: str) -> str:
    """An id of its own: the same words, proposed again when the earlier ones are forgotten, are another candidate."""
    known = {event.get("id") for event in desk.events}
    said = f"{given.type} {normal(given.text)} {desk.now.isoformat()}"
    made = (f"c-{contract.digest(f'{said} {number}')[:8]}" for number in range(len(known) + 1))
    return wanted if wanted and wanted not in known else next(id for id in made if id not in known)


# -- one read-check-write ------------------------------------------------------------------------------------


class _Desk:
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

    def done(self, outcome: str, **more: Any) -> Done:
        return Done(outcome, self.contract, expired=self.expired, **more)

    def named(self, id: str) -> Directive:
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

    def of_message(self, source: str) -> list[dict[str, Any]]:
        """What a message led to before."""
        return [
            event
            for event in self.events
            if source
            and event.get("message") == source
            and event.get("event") in (*behavior_history.SETTING, "duplicate", "conflict", "missed")
        ]


def _under_lock(app: App, work: Callable[[_Desk], Done], *, always: bool = False) -> Done:
    """The work, with what is past its day taken away before and the copies pushed after; `always`: unchanged ones too.

    A refusal is raised when what went before it is written and pushed.
    """
    refused: AdjutantError | None = None
    with app.files.lock(LOCK):
        desk = _Desk(app)
        done = desk.done("unchanged")
        try:
            done = work(desk)
        except (BehaviorConflict, BehaviorFull, BehaviorInvalid, BehaviorUnknown) as error:
            refused = error
        desk.save()
    behind = copies.behind(app.files, desk.contract)
    mirrors = copies.push(app, desk.contract) if always or desk.changed or behind else {}
    if refused is not None:
        raise refused
    return done._replace(mirrors=mirrors)


def _put(
    desk: _Desk,
    wish: Wish,
    *,
    replace: bool = False,
    captured: bool = False,
    candidate: Candidate | None = None,
) -> Done:
    """Sets one directive, or says why not: what it doubles, what it contradicts, that there is no room."""
    standing = desk.contract.directives
    source = LEARNED if candidate is not None else OPERATOR
    about = {
        "type": wish.type,
        "text": wish.words,
        "source": source,
        "message": wish.message,
        "candidate": candidate.id if candidate is not None else "",
    }
    twins = sameness.standing(standing, wish.type, wish.words)
    if twins:
        desk.tell("duplicate", **about, **{"with": [each.id for each in twins]})
        return desk.done("duplicate", directive=twins[0])
    new = _made(desk, wish, candidate)
    others = sameness.opposed(standing, new.against, wish.words)
    rows = [each.row() for each in others]
    if others and not replace:
        desk.tell("conflict", **about, **{"with": [each.id for each in others]})
        against = " and ".join(f"`{each.line}` ({each.id})" for each in others)
        raise BehaviorConflict(
            f"`{new.line}` contradicts {against}",
            details={
                "outcome": "conflict",
                "directive": new.row(),
                "with": [each.id for each in others],
                "directives": rows,
            },
        )
    limit = desk.app.config.whole("behavior.max_directives")
    if len(standing) - len(others) >= limit:
        oldest = min(standing, key=lambda each: each.created_at)
        raise BehaviorFull(
            f"the contract is full: {len(standing)} of {limit} directives; the oldest is `{oldest.line}` ({oldest.id})",
            details={"outcome": "full", "directive": new.row(), "oldest": oldest.row(), "with": [oldest.id]},
        )
    event = "promoted" if candidate is not None else "captured" if captured else "replaced" if others else "added"
    desk.put(new, event, others)
    outcome = "promoted" if candidate is not None else "replaced" if others else "added"
    return desk.done(outcome, directive=new, replaced=tuple(others))


def _made(desk: _Desk, wish: Wish, candidate: Candidate | None) -> Directive:
    now = desk.now.isoformat()
    id = contract.id_of(wish.type, wish.words)
    if candidate is None:
        return Directive(id, wish.type, wish.words, OPERATOR, now, expires=wish.expires, message=wish.message)
    return Directive(
        id,
        wish.type,
        wish.words,
        LEARNED,
        candidate.created_at,
        confidence=candidate.confidence,
        evidence=candidate.evidence,
        candidate=candidate.id,
        promoted_at=now,
    )


# -- what is given -------------------------------------------------------------------------------------------


def _type(given: str) -> str:
    if given.upper() not in TYPES:
        raise BehaviorInvalid(f"`{given[:20]}` is no type of directive", f"one of {', '.join(TYPES)}")
    return given.upper()


def _words(given: str) -> str:
    words = collapsed(given)
    if reason := problem(words):
        raise BehaviorInvalid(f"no directive's text: {reason}")
    return words


def _day(app: App, given: str) -> str:
    if not given:
        return ""
    try:
        day = date.fromisoformat(given)
    except ValueError:
        raise BehaviorInvalid(f"--expires {given[:40]}: not a day", "its last day as YYYY-MM-DD") from None
    if day < app.clock.now().date():
        raise BehaviorInvalid(f"--expires {given}: that day has passed", "its last day as YYYY-MM-DD")
    return day.isoformat()
