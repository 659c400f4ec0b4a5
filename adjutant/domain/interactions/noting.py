"""DOMAIN. Noting interactions: each turn, task and cycle once it is on record, and what the operator says of it later.

What is noted here is read by nobody in the same run. So a disk that takes no line of it is named, and nothing is lost
but the line: the answer, the task and the cycle's own records stand.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from typing import NamedTuple

import msgspec

from adjutant.errors import AdjutantError
from adjutant.records import behavior_history, friction, interactions
from adjutant.records.interaction import (
    ANSWERED,
    CYCLE,
    DEGRADED,
    DIRECTIVES,
    FAILED,
    OFFLINE,
    STOPPED,
    TURN,
    Interaction,
)
from adjutant.store import jsonl

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    from adjutant.app import App, Outcome
    from adjutant.domain.conversation.preparing import Prepared
    from adjutant.domain.prompting.assembly import Found
    from adjutant.records.conversation import Message

    class Answered(Protocol):
        """What `judgements.turn` makes of a turn."""

        @property
        def result(self) -> Any: ...
        @property
        def called(self) -> Any: ...
        @property
        def backend(self) -> str: ...
        @property
        def tokens(self) -> int: ...
        @property
        def degraded(self) -> str | None: ...
        @property
        def rounds(self) -> int: ...


# The steps that are cycles; what a verb only shows is none.
CYCLES = frozenset(("pulse", "escalation", "review", "compact", "distill", "behavior-review", "evolve"))
CHANNELS = CLI, TELEGRAM, VOICE, CRON, DELEGATE = ("cli", "telegram", "voice", "cron", "delegate")
TELLING = frozenset(("escalation", "review", "behavior-review", "evolve"))  # of them those that may send a notice
WORKED = {"completed": ANSWERED, "partial": ANSWERED, "stopped": STOPPED, "refused": FAILED, "failed": FAILED}
TOLD = ("reserved", "sent", "unknown")  # events of a notice that left, or may have
MARKS = ("useful", "useless")
BACKEND_NONE = "offline"
NOTICES_TAIL = 64 * 1024
BEFORE = 12  # messages in which the exchange before this one is looked for
ASKED_AGAIN = timedelta(hours=24)
QUESTIONS = 200  # of the last day that a message is compared with
SHARED = 3  # rare stems of a passage that an answer has too
SKILLS = "agent_skills"
READS_SKILL = "skill_read"


class Turn(NamedTuple):
    """One message or task: its `id`; `kind`: turn or task; where it was said; when (ISO-8601); how long it took."""

    id: str
    kind: str
    session: str
    channel: str
    ts: str = ""
    ms: int = 0


# -- turns and tasks -----------------------------------------------------------------------------------------


def turn(app: App, about: Turn, prepared: Prepared, answered: Answered | None) -> None:
    """Notes a message that was answered, and what it says of the one before. `answered` None: it set directives only.

    Both sides are on record already. Of two lines of one id, where two runs answered one message, the first counts.
    """
    _kept(app, lambda: _turn(app, about, prepared, answered))
    if about.kind == TURN and not app.dry_run:
        _kept(app, lambda: _follow_up(app, about.session, about.id, prepared.assembly.message))


def missing(app: App, about: Turn, record: dict[str, Any]) -> None:
    """Notes a message that was answered by a run which could not say so; `record`: of its answer, in the conversation.

    What only the prompt could tell stays empty.
    """
    _kept(app, lambda: _missing(app, about, record))


def unanswered(app: App, about: Turn, agent: str, cause: str) -> None:
    """Notes a task for which nothing could even be asked; `cause` in a word."""
    signals = friction.at_once(degraded=False, failed=True)
    _kept(
        app,
        lambda: interactions.append(
            app.files,
            Interaction(
                id=about.id,
                ts=about.ts,
                kind=about.kind,
                session=about.session,
                channel=about.channel,
                agent=agent,
                friction=friction.friction_of(signals),
                friction_signals=signals,
                outcome=FAILED,
                cause=cause,
                ms=about.ms,
                run=app.run,
            ),
        ),
    )


def _turn(app: App, about: Turn, prepared: Prepared, answered: Answered | None) -> None:
    made = prepared.assembly
    base = Interaction(
        id=about.id,
        ts=about.ts,
        kind=about.kind,
        session=about.session,
        channel=about.channel,
        agent=prepared.owner.role,
        concept=prepared.about.concept,
        confidence=round(prepared.about.confidence, 2),
        retrieved=tuple(_name(each) for each in prepared.found),
        ms=about.ms,
        contract_hash=made.contract_hash,
        outcome=DIRECTIVES,
        message=f"{about.session}/{about.id}" if about.kind == TURN else "",
        run=app.run,
    )
    if answered is None:
        interactions.append(app.files, base)
        return
    result = answered.result
    outcome = _outcome(answered, about.kind)
    signals = friction.at_once(
        degraded=answered.degraded is not None,
        failed=outcome == FAILED,
        calls=[(each.tool, each.refused) for each in answered.called],
        rounds=answered.rounds,
        most=app.config.whole("turn.max_steps"),
    )
    used = _used(prepared.found, result.answer, made.message)
    interactions.append(
        app.files,
        msgspec.structs.replace(
            base,
            friction=friction.friction_of(signals),
            friction_signals=signals,
            tokens=answered.tokens,
            parts={part.name: part.tokens for part in made.parts},
            rounds=answered.rounds,
            outcome=outcome,
            cause=answered.degraded or "",
            items=_items(app, prepared, result) if outcome == ANSWERED else (),  # rules read no layer
            skills=_skills(app, used, answered.called),
            used=tuple(_name(each) for each in used),
        ),
    )


def _outcome(answered: Answered, kind: str) -> str:
    """Rules that stood in and found nothing gave no answer at all; a task is nothing for rules."""
    if answered.degraded is not None:
        return DEGRADED if answered.result.citations and kind == TURN else FAILED
    return OFFLINE if answered.backend == BACKEND_NONE else ANSWERED


def _items(app: App, prepared: Prepared, result: Any) -> tuple[str, ...]:
    from adjutant.domain.interactions import layer_items  # with stems and word lists: nothing for a cycle

    every = layer_items.of_layers(prepared.layers)
    return layer_items.used(every, result.answer, [(each.path, each.anchor) for each in result.citations])


def _used(found: tuple[Found, ...], answer: str, message: str) -> list[Found]:
    """The passages that an answer cites, or of which it has rare stems; what the message said itself proves nothing."""
    from adjutant.language import detect, stems  # with stems and word lists: nothing for a cycle

    proofs = stems.rare(answer, [each.passage for each in found])
    asked = stems.telling(message, detect.language_of(answer, ""))
    return [
        each
        for each, proof in zip(found, proofs, strict=True)
        if _cited(each, answer) or (len(proof) >= SHARED and not proof <= asked)
    ]


def _cited(found: Found, answer: str) -> bool:
    if not found.path or found.path not in answer:
        return False
    return f"{found.path}#{found.anchor}" in answer or f"{found.path}#" not in answer


def _skills(app: App, used: list[Found], called: Any) -> tuple[str, ...]:
    """Folder names of the skills whose passage was used, and of those that were read."""
    folders = [each.path.split("/")[-2] for each in used if each.collection == SKILLS and each.path.count("/") >= 2]
    names = {_named(each.arguments) for each in called if each.tool == READS_SKILL and not each.refused} - {""}
    if names:
        from adjutant.domain.recall import skills, taxonomy  # only where one was read

        shelf = skills.load(app.files, taxonomy.load(app.files))
        folders += [each.path.split("/")[-2] for each in shelf.skills if each.name in names]
    return tuple(dict.fromkeys(folders))


def _named(arguments: str) -> str:
    """`name` of a call's arguments, as the model wrote them."""
    try:
        name = json.loads(arguments).get("name")
    except (ValueError, AttributeError):
        return ""
    return name if isinstance(name, str) else ""


def _name(found: Found) -> str:
    return f"{found.collection}/{found.id}"


def _missing(app: App, about: Turn, record: dict[str, Any]) -> None:
    if interactions.known(app.files, about.id):
        return
    degraded, tokens = record.get("degraded"), record.get("tokens")
    asked = record.get("prompt_sha") is not None
    cited = bool(record.get("citations"))
    signals = friction.at_once(degraded=bool(degraded), failed=bool(degraded) and not cited)
    outcome = DIRECTIVES if not asked else ANSWERED if not degraded else DEGRADED if cited else FAILED
    interactions.append(
        app.files,
        Interaction(
            id=about.id,
            ts=str(record["ts"]),
            kind=TURN,
            session=about.session,
            channel=about.channel,
            agent=str(record["name"]),
            concept=str(record.get("concept") or ""),
            friction=friction.friction_of(signals),
            friction_signals=signals,
            tokens=tokens if isinstance(tokens, int) else 0,
            contract_hash=str(record.get("contract_hash") or ""),
            outcome=outcome,
            cause=str(degraded or ""),
            message=f"{about.session}/{about.id}",
            run=str(record.get("run") or ""),
        ),
    )


# -- what the next message says ------------------------------------------------------------------------------


def _follow_up(app: App, session: str, id: str, message: str) -> None:
    """The signals that a message gives of the exchange before it, and of a question that it asks again."""
    from adjutant.domain.behavior import grammar  # only where something is said
    from adjutant.domain.interactions import follow_ups  # its patterns take a moment to be made

    said = message.removesuffix(grammar.parse(message.encode()).forwarded).strip()
    if not said:
        return
    source = f"{session}/{id}"
    before = _exchange_before(app, session, id)
    if before is not None and follow_ups.corrects(said, before[1].text):
        interactions.signal(app.files, before[0].id, friction.CORRECTED, source, app.clock.now())
    if follow_ups.asks(said) and (earlier := _asked_before(app, id, said)):
        interactions.signal(app.files, earlier, friction.REPEATED, source, app.clock.now())


def _exchange_before(app: App, session: str, id: str) -> tuple[Message, Message] | None:
    """The operator's message before this one, and its answer; None where it has none."""
    from adjutant.records import conversation  # only where something is said

    told = conversation.newest(app.files, session, BEFORE)
    ids = [each.id for each in told]
    earlier = told[: ids.index(id)] if id in ids else []
    asked = next((each for each in reversed(earlier) if each.role == conversation.OPERATOR), None)
    if asked is None:
        return None
    answer = next((each for each in earlier if each.id == conversation.answer_id(asked.id)), None)
    return (asked, answer) if answer is not None else None


def _asked_before(app: App, id: str, said: str) -> str:
    """The id of the newest turn of the last day, in any session, in which the operator asked the same; "" for none."""
    from adjutant.domain.interactions import follow_ups  # as above
    from adjutant.records import conversation

    since = app.clock.now() - ASKED_AGAIN
    recent = [
        each
        for each in interactions.recent(app.files)
        if each.kind == TURN and each.message and each.id != id and since <= app.clock.parse(each.ts) <= app.clock.now()
    ][-QUESTIONS:]
    texts: dict[str, dict[str, str]] = {}
    for each in reversed(recent):
        session = each.message.rpartition("/")[0]
        if session not in texts:
            told = conversation.newest(app.files, session, QUESTIONS)
            texts[session] = {one.id: one.text for one in told if one.role == conversation.OPERATOR}
        if follow_ups.repeats(said, texts[session].get(each.id, "")):
            return each.id
    return ""


# -- cycles --------------------------------------------------------------------------------------------------


def cycle(app: App, step: str, outcome: Outcome, ms: int) -> None:
    """Notes a step that ran; nothing for one that was skipped, only estimated, or showed something, or in a dry run."""
    told = outcome.result
    if step not in CYCLES or app.dry_run or told.get("dry_run") or told.get("status") not in WORKED:
        return
    _kept(app, lambda: _cycle(app, step, outcome, ms))


def cycle_failed(app: App, step: str, error: BaseException, ms: int) -> None:
    """Notes a step that an error ended. A disk that takes no line has been named by the error itself."""
    if step in CYCLES and not app.dry_run:
        cause = error.code if isinstance(error, AdjutantError) else type(error).__name__
        _kept(app, lambda: _append_cycle(app, step, FAILED, cause, ms), silent=True)


def _cycle(app: App, step: str, outcome: Outcome, ms: int) -> None:
    told = outcome.result
    asked = told.get("model_calls", 0)
    degraded = str(told.get("degraded") or "") if asked else ""  # that of an earlier step is not this one's
    state = WORKED[str(told["status"])]
    if state == ANSWERED:
        offline = asked and app.config.text("llm.backend") == BACKEND_NONE
        state = DEGRADED if degraded else OFFLINE if offline else ANSWERED
    cause = outcome.error.code if state == FAILED and outcome.error is not None else degraded
    _append_cycle(app, step, state, cause, ms, tokens=int(told.get("tokens") or 0))


def _append_cycle(app: App, step: str, state: str, cause: str, ms: int, *, tokens: int = 0) -> None:
    signals = friction.at_once(degraded=state == DEGRADED, failed=state == FAILED)
    interactions.append(
        app.files,
        Interaction(
            id=f"{app.run}-{step}",
            ts=app.clock.now().isoformat(),
            kind=CYCLE,
            channel=CRON,
            agent=step,
            friction=friction.friction_of(signals),
            friction_signals=signals,
            tokens=tokens,
            ms=ms,
            outcome=state,
            cause=cause,
            contract_hash=_contract(app),
            notices=_notices(app) if step in TELLING else (),
            run=app.run,
        ),
    )


def _contract(app: App) -> str:
    try:
        return behavior_history.held(app.files).hash
    except AdjutantError:
        return ""  # what needs the contract has named what is wrong with it


def _notices(app: App) -> tuple[str, ...]:
    """The keys of the notices that this run has sent."""
    told = jsonl.tail(app.files, app.tree.notices, NOTICES_TAIL, app.run)
    keys = (str(each.get("key")) for each in told if each.get("run") == app.run and each.get("event") in TOLD)
    return tuple(dict.fromkeys(keys))


def marked(app: App, told: dict[str, Any]) -> None:
    """Notes of the cycle that sent a notice that the notice was useful or useless; `told`: from `marking.apply`."""
    if told["state"] in MARKS:
        _kept(app, lambda: _marked(app, told))


def _marked(app: App, told: dict[str, Any]) -> None:
    key, insight, matter = told["notice"], told["insight"], told["matter"]
    if key is None:
        carried = [
            record
            for record in jsonl.read(app.files, app.tree.notices)
            if record.get("event") in TOLD
            and (insight in str(record.get("insight") or "").split(",") or matter in (record.get("matters") or ()))
        ]
        key = carried[-1].get("key") if carried else None
    sent = [each for each in interactions.read(app.files) if each.kind == CYCLE and key in each.notices]
    if key is not None and sent:
        interactions.signal(app.files, sent[-1].id, told["state"], str(key), app.clock.now())


def _kept(app: App, note: Callable[[], None], *, silent: bool = False) -> None:
    """Notes it, or says why not."""
    try:
        note()
    except (AdjutantError, OSError) as error:
        if not silent:
            app.say(f"interactions.jsonl: {error}")
