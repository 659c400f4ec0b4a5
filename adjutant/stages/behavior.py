"""STAGE. behavior: the operator's directives, set, listed, taken away, explained. `list` loads nothing heavy."""

from __future__ import annotations

from adjutant.app import App, Args, Outcome, Row, plural
from adjutant.clock import moment
from adjutant.errors import AdjutantError, BehaviorInvalid, BehaviorUnknown, UsageError, find_one
from adjutant.printable import to_line
from adjutant.records import behavior_history, contract
from adjutant.store import jsonl

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from adjutant.domain.behavior.control import ContractChange
    from adjutant.store.files import Files

EVENTS, SHOWN, REPLIES = 50, 400, 20
TAIL = 4 * 1024 * 1024  # bytes looked at of each log, the newest
LIST = "adjutant behavior list"


def run(app: App, args: Args) -> Outcome:
    """One subverb."""
    return _VERBS[args.subverb](app, args)


def _control() -> ModuleType:
    """The verbs that write; `list` pays neither for filelock nor for stems."""
    from adjutant.domain.behavior import control

    return control


def _current(app: App) -> contract.Contract:
    """The contract, when what is past its day has gone from it."""
    held = behavior_history.read_contract(app.files)
    if contract.past(held, f"{app.clock.now():%Y-%m-%d}"):
        held = _control().expire(app).contract
    return held


def _add(app: App, args: Args) -> Outcome:
    words = app.given(args.words)
    if (args.text is not None) == bool(words) or (args.text is not None and args.type is None):
        raise UsageError("give a directive, or both --type and --text", '`adjutant behavior add "KEEP: short answers"`')
    type, text = args.type, args.text if args.text is not None else words
    if type is None:
        from adjutant.domain.behavior import grammar  # `list` does not pay for it

        said = grammar.parse_one(words)
        if isinstance(said, grammar.Miss):
            raise BehaviorInvalid(f"not a directive: {said.reason}", f"write it like this: `{said.would_work}`")
        type, text = said.type, said.text
    return _tell_change(app, _control().add(app, type, text, expires=args.expires, replace=args.replace))


def _decide(app: App, args: Args) -> Outcome:
    """remove, promote and reject: of what an id names; apply."""
    given = [] if args.subverb == "apply" else [app.given([args.id])]
    more = {"replace": args.replace} if args.subverb == "promote" else {}
    done: ContractChange = getattr(_control(), args.subverb)(app, *given, **more)
    told = _tell_change(app, done)
    if args.subverb == "reject":
        told.lines = [f"{to_line(given[0], SHOWN)}: {app.would}{done.outcome}; the contract is left as it was"]
        told.next_actions = [("adjutant behavior candidates", "what still waits")]
    return told


def _tell_change(app: App, done: ContractChange) -> Outcome:
    about, went = done.directive, {"replaced": "gone for it", "dropped": "dropped", "expired": "expired"}
    result: Row = {"outcome": done.outcome, "directive": about.row() if about is not None else {}}
    result |= {"contract": _short(done.contract)}
    result |= {name: [each.row() for each in getattr(done, name)] for name in went} | {"mirrors": done.mirrors}
    told = "it stands already, nothing changes" if done.outcome == "duplicate" else f"{app.would}{done.outcome}"
    lines = [f"{about.id}  {about.line}: {told}"] if about is not None else []
    for name, how in went.items():
        lines += [f"{each.id}  {each.line}: {app.would}{how}" for each in getattr(done, name)]
    lines.append(_state(done.contract))
    lines += [f"{name}: {how}" for name, how in done.mirrors.items()] if about is None else []
    return Outcome(result, lines, next_actions=[(LIST, "all that hold")])


def _capture(app: App, args: Args) -> Outcome:
    found = _control().capture(app, app.stdin_bytes(), args.source)
    result = found._asdict() | {"captured": list(found.captured), "missed": list(found.missed)}
    return Outcome(result, found.tell(app.would) or ["no directive in it"], next_actions=[(LIST, "all that hold")])


def _list(app: App, args: Args) -> Outcome:
    held = _current(app)
    rows, lines, days = [], [_state(held)], app.config.whole("behavior.stale_after_days")
    for each in held.directives:
        began = moment(each.promoted_at or each.created_at)
        stale = began is not None and (app.clock.now() - began).days >= days
        marks = [f"until {each.expires}"] if each.expires else []
        marks += ["from a daily review"] if each.source != contract.SOURCES[0] else []
        marks += [f"stale: since {each.created_at[:10]}"] if stale else []
        rows.append({**each.row(), "stale": stale})
        lines.append(f"{each.id}  {each.line}" + (f"  ({', '.join(marks)})" if marks else ""))
    follow = ("adjutant behavior add <directive>", "add one", {"directive": "KEEP: short answers"})
    return Outcome({**_short(held), "directives": rows}, lines, next_actions=[follow])


def _show(app: App, args: Args) -> Outcome:
    block = contract.block(_current(app))
    lines = block.split("\n") if block else ["no directives: no prompt has a block"]
    return Outcome({"block": block}, lines, literal=True)


def _candidates(app: App, args: Args) -> Outcome:
    _current(app)
    every = behavior_history.candidates(behavior_history.read(app.files), app.clock.now())
    found = [each for each in every if args.all or each.status == "pending"]
    lines = []
    for each in found:
        sure = f", {each.confidence:.0%}" if each.confidence is not None else ""
        lines.append(f"{each.id}  {each.type}: {to_line(each.text, SHOWN)}  ({each.status}{sure})")
        lines += [f"    {to_line(quote, SHOWN)}" for quote in map(behavior_history.quote, each.evidence[:3]) if quote]
    result = {"candidates": [each.row() for each in found]}
    follow = behavior_history.DECIDE if found else ()
    return Outcome(result, lines or ["nothing is proposed"], next_actions=[*follow])


def _history(app: App, args: Args) -> Outcome:
    _current(app)
    events = behavior_history.read(app.files)
    found = events[-args.limit :]
    result: Row = {"events": found}
    if len(found) < len(events):
        result |= {"truncated": True, "path": app.tree.relative(app.tree.behavior_history)}
    lines = [to_line(behavior_history.tell(each, app.clock), SHOWN) for each in found]
    return Outcome(result, lines or ["nothing was done yet"])


def _stats(app: App, args: Args) -> Outcome:
    held, events = _current(app), behavior_history.read(app.files)
    said = [str(event.get("event")) for event in events]
    became = [each.status for each in behavior_history.candidates(events, app.clock.now())]
    types = [each.type for each in held.directives]
    versions = {str(event.get("hash")): event["version"] for event in events if behavior_history.is_change(event)}
    turns: dict[str, int] = {}  # as the spans of turns tell, the newest last
    for span in jsonl.tail(app.files, app.tree.events, TAIL):
        attributes = span.get("attributes")
        if str(span.get("name", "")).partition(" ")[0] == "turn" and isinstance(attributes, dict):
            hash = str(attributes.get("behavior_contract_hash") or "")
            turns |= {hash: turns.pop(hash, 0) + 1} if hash else {}
    by_hash = [{"hash": hash, "version": versions.get(hash, 0), "turns": number} for hash, number in turns.items()]
    by_type = {type: types.count(type) for type in contract.TYPES}
    counts = {name: said.count(name.removesuffix("s")) for name in ("captured", "missed", "conflicts", "duplicates")}
    candidates = {status: became.count(status) for status in ("pending", "promoted", "rejected", "expired")}
    result: Row = {"by_type": by_type, **counts, "candidates": candidates}
    result |= {"turns_by_hash": by_hash[-EVENTS:], "contract": _short(held)}
    lines = [_state(held)]
    for head, told in (("by type", by_type), ("messages", counts), ("candidates", candidates)):
        lines.append(f"{head:<11} " + ", ".join(f"{count} {name}" for name, count in told.items()))
    lines += [f"turns       {each['turns']} under {each['hash']} (version {each['version']})" for each in by_hash[-5:]]
    return Outcome(result, lines)


def _why(app: App, args: Args) -> Outcome:
    _current(app)
    changes = [event for event in behavior_history.read(app.files) if behavior_history.is_change(event)]
    ids = {str(event.get("id")): str(event.get("id")) for event in changes}
    id = find_one(ids, args.id, "directive", BehaviorUnknown, "`adjutant behavior history` names all")
    mine: list[Row] = []
    under, holds = set[str](), False  # the hashes of the contracts that held it
    for event in changes:
        replaced = id in behavior_history.list_replaced(event)
        mine += [event] if replaced or event.get("id") == id else []
        sets = event["event"] in behavior_history.SETTING
        holds = not replaced and (sets if event.get("id") == id else holds)
        under |= {str(event.get("hash"))} if holds else set()
    said: dict[str, Row] = {}
    replies: list[tuple[str, Row]] = []
    for place, record in _read_messages(app.files):
        name, role = str(record.get("id", "")), record.get("role")
        if role == "operator":
            said[name] = _link("message", name, place, record["text"])
        elif role == "agent" and record.get("contract_hash") in under:
            replies.append((str(record.get("ts", "")), _link("reply", name, place, record["text"])))
    replies.sort(key=lambda each: each[0])
    chain = [link for event in mine for link in _link_event(app, event, id, said)]
    chain += [link for _, link in replies[-REPLIES:]]
    lines: list[str] = []
    for link in chain:
        shows = link["path"] and link["kind"] != "event"
        lines += [f"{link['kind']:<9} {link['text']}", *([f"{'':<9} {link['path']}"] if shows else [])]
    lines.append(f"replies on record that were given under it: {len(replies)}")
    return Outcome({"chain": chain, "replies": len(replies)}, lines)


def _link(kind: str, id: str, path: str | None, text: str) -> Row:
    return {"kind": kind, "id": id, "path": path, "text": to_line(text, SHOWN)}


def _link_event(app: App, event: Row, id: str, said: dict[str, Row]) -> Iterator[Row]:
    yield _link("event", id, app.tree.relative(app.tree.behavior_history), behavior_history.tell(event, app.clock))
    name = str(event.get("message") or "")
    if name and event["event"] in behavior_history.SETTING:
        yield said.get(name) or _link("message", name, None, "the message itself is not on record")
    directive = event.get("directive")
    for each in directive.get("evidence", []) if isinstance(directive, dict) else []:
        record = str(each.get("record", "")) if isinstance(each, dict) else ""
        yield _link("evidence", record, None, behavior_history.quote(each))


def _read_messages(files: Files) -> Iterator[tuple[str, Row]]:
    """(file and line, message) of all conversations; what is none, or cannot be read, is left out."""
    for name in files.names(files.tree.conversations):
        path = files.tree.conversation(name.removesuffix(".jsonl"))
        try:
            data = files.tail(path, TAIL) if name.endswith(".jsonl") else b""
        except (AdjutantError, OSError):
            continue  # `doctor` names it; the others still answer
        for number, record in jsonl.parse(data):
            if record is not None and isinstance(record.get("text"), str):
                shown = files.tree.relative(path)
                yield f"{shown}:{number}" if len(data) < TAIL else shown, record


def _short(held: contract.Contract) -> Row:
    return {"version": held.version, "hash": held.hash}


def _state(held: contract.Contract) -> str:
    if not held.version:
        return 'no directives yet: `adjutant behavior add "KEEP: …"` sets the first'
    return f"contract version {held.version}, {plural(len(held.directives), 'directive')}, hash {held.hash}"


_VERBS = {each.__name__[1:]: each for each in (_add, _capture, _list, _show, _candidates, _history, _stats, _why)}
_VERBS |= dict.fromkeys(("remove", "promote", "reject", "apply"), _decide)
