"""OPINION. turn: the operator's message, put to a model that may use tools; without one, what the folder says."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from adjutant.domain.prompting.assembly import Assembly
from adjutant.domain.prompting.characters import without_controls, without_hidden
from adjutant.domain.prompting.fence import clean_line
from adjutant.domain.telemetry import spans
from adjutant.errors import Stopped
from adjutant.judgements import recording
from adjutant.judgements.allowance import Allowance
from adjutant.judgements.asking import OFFLINE, SHARED, STOPPED
from adjutant.judgements.calling import Caller, Case, NoAnswer, model_name
from adjutant.judgements.recording import Checked, Recorded, Shown
from adjutant.ports import Converser, Dialogue, Message, Model, Prompt, Tool, ToolCall

if TYPE_CHECKING:
    from adjutant.app import App

NAME = "turn"
TIER = "medium"
TEMPERATURE = 0.4
MAX_TOKENS = 1500
ANSWER_CHARS = 40_000
KEPT_ANSWER = 4000  # characters of a tool's answer that stay on record
QUOTED, QUOTE_CHARS = 3, 400
CLOSING = "No more tools now. Answer the operator in words, from what you have."


class Passage(msgspec.Struct, frozen=True):
    """Something that was found for the message and stands in the prompt."""

    id: str
    path: str
    anchor: str
    text: str
    trust: str


class Inputs(msgspec.Struct, frozen=True):
    """A message of the operator's, and what was found for it, best first."""

    message: str
    session: str
    role: str
    found: list[Passage]


class Citation(msgspec.Struct, frozen=True):
    """A place in the folder that an answer rests on."""

    path: str
    anchor: str
    quote: str


class Result(msgspec.Struct, frozen=True):
    """What is told the operator."""

    answer: str
    citations: list[Citation]


class Called(msgspec.Struct, frozen=True):
    """One use of a tool: its arguments as the model wrote them, what it was answered, whether that was a refusal."""

    tool: str
    arguments: str
    answered: str
    refused: bool


class Round(msgspec.Struct, frozen=True):
    """One reply of the model as it is kept: its text and the calls it made."""

    text: str
    calls: list[Called]


class Answered(msgspec.Struct, frozen=True):
    """What came of a turn. `degraded`: why rules answered in a model's place, None when they did not; `why` says more.

    `called` are the uses of tools in their order.
    """

    result: Result
    called: list[Called]
    backend: str
    model: str | None
    tokens: int
    degraded: str | None
    why: str | None


Use = Callable[[ToolCall], tuple[str, bool]]  # what a call is answered, already fenced, and whether it was refused


def take(
    app: App, inputs: Inputs, assembly: Assembly, *, model: Model | None, named: str | None, tools: Sequence[Tool],
    use: Use,
) -> Answered:
    """Asks, round by round, at most turn.max_steps times with tools; keeps the record either way.

    `named`: a model's name or a tier, in place of the judgement's own. Raises Stopped (PAUSED appeared; what was asked
    is on record), FileDamaged, IoFailed, and what `use` raises.
    """
    if SHARED not in app.shared:
        app.shared[SHARED] = Allowance(app.files, app.config, app.clock, app.run)
    allowance: Allowance = app.shared[SHARED]
    backend = OFFLINE if model is None else model.backend
    name = None if model is None else model_name(app.config, NAME, named or TIER)
    case = Case(allowance.reserve(1), name, backend, None)
    began = app.clock.monotonic()
    shown = None if model is None else Shown(assembly.system, _asked(assembly))
    called: list[Called] = []
    result = None
    try:
        with spans.of(app).span(
            f"turn {inputs.role}", backend=backend, model=name, session=inputs.session, prompt_sha=assembly.sha,
            behavior_contract_hash=assembly.contract_hash, behavior_contract_version=assembly.contract_version,
        ) as span:
            if model is not None:
                try:
                    if allowance.failure is not None:
                        raise NoAnswer(allowance.failure, "rules answer the rest of this run")
                    _rounds(app, assembly, model, case, tools, use, called)
                except NoAnswer as none:
                    case.degraded, case.error = none.cause, none.detail
                    case.ended = None if none.by_reply else none.cause
            result, case.degraded, case.error = concluded(inputs, case.replies, backend, case.ended, case.error)
            if case.degraded is not None:
                allowance.degrade(case.degraded, case.error or "")
            span.set(tokens=case.tokens, degraded=case.degraded, tools=len(called), retrieved=len(inputs.found))
    except Stopped:
        case.ended = STOPPED
        raise
    finally:
        recording.write(app.files, app.run, Recorded(
            judgement=NAME, number=case.number, ts=app.clock.now().isoformat(), backend=backend, model=name,
            inputs=msgspec.to_builtins(inputs), prompt=shown, replies=case.replies,
            result=msgspec.to_builtins(result), check=Checked([], case.error), degraded=case.degraded,
            tokens=case.tokens, ms=round((app.clock.monotonic() - began) * 1000), ended=case.ended,
        ))
    return Answered(result, called, backend, name, case.tokens, case.degraded, case.error)


def _rounds(
    app: App, assembly: Assembly, model: Model, case: Case, tools: Sequence[Tool], use: Use, called: list[Called],
) -> None:
    """The talk, kept in `case.replies` round by round. Raises NoAnswer, Stopped."""
    caller = Caller(app.files, app.config, app.clock, app.gate, app.shared[SHARED])
    own = app.config.judgements.get(NAME, {})
    temperature = TEMPERATURE if own.get("temperature") is None else float(own["temperature"])
    longest = MAX_TOKENS if own.get("max_tokens") is None else int(own["max_tokens"])
    if not isinstance(model, Converser):
        reply = caller.call(model, Prompt(
            NAME, assembly.system, _asked(assembly), schema=None, model=case.model or "", temperature=temperature,
            max_tokens=longest, timeout=0.0,
        ), case)
        case.replies[-1] = _kept(Round(reply.text, []))
        return
    messages = [Message("user" if past.role == "operator" else "assistant", past.text) for past in assembly.history]
    messages.append(Message("user", assembly.message))
    steps = app.config.whole("turn.max_steps")
    for step in range(steps + 1):
        closing = step == steps
        if closing and step:
            messages.append(Message("user", CLOSING))
        said = caller.converse(model, Dialogue(
            NAME, assembly.system, messages, tools, model=case.model or "", temperature=temperature,
            max_tokens=longest, timeout=0.0, closing=closing,
        ), case)
        calls = () if closing else said.calls
        answers = _used(app, calls, use)
        called += answers
        case.replies.append(_kept(Round(said.text, answers)))
        if not calls:
            return
        messages.append(Message("assistant", said.text, said.calls))
        messages += [Message("tool", each.answered, call_id=call.id) for call, each in zip(calls, answers, strict=True)]


def _used(app: App, calls: Sequence[ToolCall], use: Use) -> list[Called]:
    """Each call answered; PAUSED is looked at before each."""
    found = []
    for call in calls:
        app.gate()
        app.progress(f"{NAME}: {clean_line(call.name, 40)}")
        answered, refused = use(call)
        found.append(Called(call.name, call.raw, answered, refused))
    app.progress("")
    return found


def _asked(assembly: Assembly) -> str:
    """The conversation and the message, for a route that is asked once."""
    return "\n\n".join(each.text for each in assembly.parts if each.name in ("history", "message"))


def _kept(round: Round) -> str:
    """A round as the record has it; long answers of tools are cut."""
    calls = [msgspec.structs.replace(each, arguments=each.arguments[:KEPT_ANSWER], answered=each.answered[:KEPT_ANSWER])
             for each in round.calls]
    return msgspec.json.encode(Round(round.text[:ANSWER_CHARS], calls)).decode()


# -- what is told the operator: from the record alone, so that a replay comes to the same --------------------


def concluded(
    inputs: Inputs, replies: Sequence[str], backend: str, ended: str | None, error: str | None,
) -> tuple[Result, str | None, str | None]:
    """(result, degraded, error) of the rounds as they were kept; `ended` is what broke the talk off from outside."""
    if backend == OFFLINE:
        return by_rules(inputs, "no model is configured"), None, None
    if ended is not None:
        return by_rules(inputs, f"the model did not answer ({ended})"), ended, error
    text = _text(replies[-1]) if replies else ""
    if not text:
        return by_rules(inputs, "the model said nothing"), "malformed", "the model gave no answer in words"
    return Result(text, _cited(inputs, text)), None, None


def _text(reply: str) -> str:
    """The words of a round, as a terminal and a chat may show them."""
    try:
        found = msgspec.json.decode(reply, type=Round)
    except msgspec.DecodeError:
        return ""
    return without_hidden(without_controls(found.text)).strip()[:ANSWER_CHARS]


def _cited(inputs: Inputs, answer: str) -> list[Citation]:
    """The passages whose place the answer names."""
    return [_citation(inputs, each) for each in inputs.found if each.path and each.path in answer]


def _citation(inputs: Inputs, passage: Passage) -> Citation:
    return Citation(passage.path, passage.anchor, clean_line(passage.text, QUOTE_CHARS))


def by_rules(inputs: Inputs, why: str) -> Result:
    """What was found, in its own words and with its place; nothing is made up."""
    best = [_citation(inputs, each) for each in inputs.found[:QUOTED]]
    if not best:
        return Result(f"I am offline: {why}. Nothing in the folder answers that.", [])
    lines = [f"I am offline: {why}. This is what the folder says:"]
    lines += [f"- {each.quote} ({each.path}{f'#{each.anchor}' if each.anchor else ''})" for each in best]
    return Result("\n".join(lines), best)


def replayed(recorded: Recorded) -> dict[str, Any]:
    """`degraded`, `check` and `result` of a recorded turn, in their JSON form. Raises msgspec.ValidationError."""
    inputs = msgspec.convert(recorded.inputs, Inputs)
    if recorded.ended == STOPPED:
        result, degraded, error = None, None, recorded.check.error
    else:
        result, degraded, error = concluded(
            inputs, recorded.replies, recorded.backend, recorded.ended, recorded.check.error)
    plain = json.loads(json.dumps(msgspec.to_builtins(result)))
    return {"degraded": degraded, "check": {"notes": [], "error": error}, "result": plain}
