"""DOMAIN. Noting interactions: turns and tasks, a question that is asked again, steps of the heartbeat, marks."""

from __future__ import annotations

import json
from contextlib import contextmanager, suppress
from datetime import timedelta
from typing import NamedTuple

from adjutant.app import REFUSED
from adjutant.errors import AdjutantError
from adjutant.records import behavior_history, interactions
from adjutant.store import jsonl

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from adjutant.app import App, Outcome
    from adjutant.domain.conversation.preparing import Prepared
    from adjutant.domain.prompting.assembly import Retrieved

ANSWERED, OFFLINE, DIRECTIVES, DEGRADED, FAILED, STOPPED = interactions.OUTCOMES
TURN, CYCLE = interactions.TURN, interactions.CYCLE
CHANNELS = CLI, TELEGRAM, VOICE, CRON, DELEGATE = ("cli", "telegram", "voice", "cron", "delegate")
BACKEND_NONE = "offline"
ASKED_AGAIN = timedelta(hours=24)
QUESTIONS, READ, LEAST_TELLING = 200, 400, 2  # that are compared; characters of one; stems that it needs
SHARED = 3  # rare stems of a passage that an answer has too
SKILLS = "agent_skills"
# The steps that are cycles; what a verb only shows is none.
CYCLES = frozenset(("pulse", "escalation", "review", "compact", "distill", "behavior-review", "evolve"))
TELLING = frozenset(("escalation", "review"))  # of them those that may send a notice
WORKED = {"completed": ANSWERED, "partial": ANSWERED, "stopped": STOPPED, "refused": FAILED, "failed": FAILED}
TOLD = ("reserved", "sent", "unknown")  # events of a notice that left, or may have
NOTICES_TAIL = 64 * 1024


class TurnRef(NamedTuple):
    """One message, task or cycle: its `id` and `kind`; where it was said; when (ISO-8601); how long it took."""

    id: str
    kind: str
    session: str
    channel: str
    ts: str = ""
    ms: int = 0


def note_turn(app: App, about: TurnRef, prepared: Prepared, answered: Any) -> None:
    """Notes a message that was answered, and what it says of the one before. `answered`: what `judgements.turn` made of
    it, None where it set directives only. Of two lines of one id, the first counts."""
    with naming(app):
        filed, message = prepared.about, f"{about.session}/{about.id}" if about.kind == TURN else ""
        fields: dict[str, Any] = {"agent": prepared.owner.role, "concept": filed.concept, "message": message}
        fields |= {"confidence": round(filed.confidence, 2), "retrieved": tuple(map(_name, prepared.found))}
        signals, more = ((), {"outcome": DIRECTIVES}) if answered is None else _weigh(app, about, prepared, answered)
        append(app, about, signals, contract_hash=prepared.assembly.contract_hash, **fields, **more)
    if about.kind == TURN and not app.dry_run:
        with naming(app):
            _note_repetition(app, about, prepared.assembly.message)


def note_missing(app: App, about: TurnRef, record: dict[str, Any]) -> None:
    """Notes a message that a cut run answered; `record`: of its answer. What only the prompt could tell stays empty."""
    with naming(app):
        if any(each.id == about.id for each in interactions.recent(app.files)):
            return
        degraded, tokens = record.get("degraded"), record.get("tokens")
        answered = ANSWERED if not degraded else DEGRADED if record.get("citations") else FAILED
        more: dict[str, Any] = {name: str(record.get(name) or "") for name in ("concept", "contract_hash", "run")}
        more |= {"agent": str(record["name"]), "tokens": tokens if isinstance(tokens, int) else 0}
        more |= {"outcome": DIRECTIVES if record.get("prompt_sha") is None else answered, "cause": str(degraded or "")}
        signals = interactions.at_once(degraded=bool(degraded), failed=answered == FAILED)
        about = about._replace(ts=str(record["ts"]), ms=0)
        append(app, about, signals, message=f"{about.session}/{about.id}", **more)


def note_unanswered(app: App, about: TurnRef, agent: str, cause: str) -> None:
    """Notes a task for which nothing could even be asked; `cause` in a word."""
    with naming(app):
        append(app, about, interactions.at_once(failed=True), agent=agent, outcome=FAILED, cause=cause)


@contextmanager
def naming(app: App) -> Iterator[None]:
    """Around what notes: says why it was not noted."""
    try:
        yield
    except (AdjutantError, OSError) as error:
        app.shared[REFUSED] = True
        app.say(f"interactions.jsonl: {error}")


def append(app: App, about: TurnRef, signals: tuple[str, ...] = (), **more: Any) -> None:
    """Puts an interaction on record; `more`: fields of it that `about` does not tell. Raises FileDamaged, IoFailed."""
    rough = {"friction": interactions.friction_of(signals), "friction_signals": signals}
    fields: dict[str, Any] = {**about._asdict(), **rough, "run": app.run, **more}
    interactions.append(app.files, interactions.Interaction(**fields))


def _weigh(app: App, about: TurnRef, prepared: Prepared, answered: Any) -> tuple[tuple[str, ...], dict[str, Any]]:
    result, degraded = answered.result, answered.degraded
    outcome = OFFLINE if answered.backend == BACKEND_NONE else ANSWERED
    if degraded is not None:  # rules that found nothing gave no answer at all; a task is nothing for rules
        outcome = DEGRADED if result.citations and about.kind == TURN else FAILED
    items: tuple[str, ...] = ()
    if outcome == ANSWERED:  # rules read no layer
        from adjutant.domain.learning import layer_items  # with stems and word lists: nothing for a cycle

        cited = [(each.path, each.anchor) for each in result.citations]
        items = layer_items.find_used(layer_items.split_layers(prepared.layers), result.answer, cited)
    calls, most = [(each.tool, each.refused) for each in answered.called], app.config.whole("turn.max_steps")
    state = {"degraded": degraded is not None, "failed": outcome == FAILED}
    signals = interactions.at_once(**state, calls=calls, rounds=answered.rounds, most=most)
    used = _find_used(prepared.found, result.answer, prepared.assembly.message)
    told = {"tokens": answered.tokens, "rounds": answered.rounds, "outcome": outcome, "cause": degraded or ""}
    told |= {"parts": {part.name: part.tokens for part in prepared.assembly.parts}, "items": items}
    return signals, {**told, "skills": _find_skills(app, used, answered.called), "used": tuple(map(_name, used))}


def _find_used(found: tuple[Retrieved, ...], answer: str, message: str) -> list[Retrieved]:
    """The passages that an answer cites, or of which it has rare stems; what the message said itself proves nothing."""
    from adjutant.language import detect, stems  # with stems and word lists: nothing for a cycle

    asked = stems.telling(message, detect.language_of(answer, ""))

    def is_cited(each: Retrieved) -> bool:
        whole = f"{each.path}#{each.anchor}" in answer or f"{each.path}#" not in answer
        return bool(each.path) and each.path in answer and whole

    proofs = zip(found, stems.rare(answer, [each.passage for each in found]), strict=True)
    return [each for each, proof in proofs if is_cited(each) or (len(proof) >= SHARED and not proof <= asked)]


def _find_skills(app: App, used: list[Retrieved], called: Any) -> tuple[str, ...]:
    folders = [each.path.split("/")[-2] for each in used if each.collection == SKILLS and each.path.count("/") >= 2]
    names = set[object]()
    for each in called:
        if each.tool == "skill_read" and not each.refused:
            with suppress(ValueError, TypeError, KeyError):  # arguments are as the model wrote them
                names.add(json.loads(each.arguments)["name"])
    if names:
        from adjutant.domain.recall import skills, taxonomy  # only where one was read

        shelf = skills.load(app.files, taxonomy.load(app.files))
        folders += [each.path.split("/")[-2] for each in shelf.skills if each.name in names]
    return tuple(dict.fromkeys(folders))


def _name(found: Retrieved) -> str:
    return f"{found.collection}/{found.id}"


def _note_repetition(app: App, about: TurnRef, message: str) -> None:
    """Signals a turn of the last day, in any session, whose question a message asks again in the same words; what is
    asked of the picture comes back for a good reason."""
    from adjutant.domain.behavior import grammar, own_words  # with stems and phrases: nothing for a cycle
    from adjutant.domain.telling import asking
    from adjutant.language import stems, words
    from adjutant.records import conversation

    now = app.clock.now()
    said = own_words.read(message.removesuffix(grammar.parse(message.encode()).forwarded).strip())[:READ]
    if len(stems.telling(said)) < LEAST_TELLING or asking.asked(said, now.date()) is not None:
        return
    recent = [each for each in interactions.recent(app.files) if each.kind == TURN and each.message]
    lately = [each for each in recent if each.id != about.id and now - ASKED_AGAIN <= app.clock.parse(each.ts) <= now]
    texts: dict[str, dict[str, str]] = {}
    for each in reversed(lately[-QUESTIONS:]):
        session = each.message.rpartition("/")[0]
        if session not in texts:
            told = conversation.newest(app.files, session, QUESTIONS)
            texts[session] = {one.id: one.text for one in told if one.role == conversation.OPERATOR}
        if words.words(said) == words.words(own_words.read(texts[session].get(each.id, ""))[:READ]):
            interactions.signal(app.files, each.id, interactions.REPEATED, f"{about.session}/{about.id}", now)
            return


def note_step(app: App, step: str, outcome: Outcome, ms: int) -> None:
    """Notes a step that ran; nothing for one that was skipped, only estimated, or showed something, or in a dry run."""
    told = outcome.result
    if step not in CYCLES or app.dry_run or told.get("dry_run") or told.get("status") not in WORKED:
        return
    with naming(app):
        asked = told.get("model_calls", 0)
        degraded = str(told.get("degraded") or "") if asked else ""  # that of an earlier step is not this one's
        state = WORKED[str(told["status"])]
        if state == ANSWERED:
            offline = asked and app.config.text("llm.backend") == BACKEND_NONE
            state = DEGRADED if degraded else OFFLINE if offline else ANSWERED
        cause = outcome.error.code if state == FAILED and outcome.error is not None else degraded
        _append_cycle(app, step, state, cause, ms, tokens=int(told.get("tokens") or 0))


def note_failed_step(app: App, step: str, error: BaseException, ms: int) -> None:
    """Notes a step that an error ended. A disk that takes no line has been named by the error itself."""
    if step in CYCLES and not app.dry_run:
        with suppress(AdjutantError, OSError):
            cause = error.code if isinstance(error, AdjutantError) else type(error).__name__
            _append_cycle(app, step, FAILED, cause, ms)


def _append_cycle(app: App, step: str, state: str, cause: str, ms: int, *, tokens: int = 0) -> None:
    sent = jsonl.tail(app.files, app.tree.notices, NOTICES_TAIL, app.run) if step in TELLING else ()
    keys = (str(each.get("key")) for each in sent if each.get("run") == app.run and each.get("event") in TOLD)
    contract_hash = ""
    with suppress(AdjutantError):  # what needs the contract has named what is wrong with it
        contract_hash = behavior_history.read_contract(app.files).hash
    more = {"agent": step, "tokens": tokens, "outcome": state, "cause": cause, "contract_hash": contract_hash}
    about = TurnRef(f"{app.run}-{step}", CYCLE, "", CRON, app.clock.now().isoformat(), ms)
    signals = interactions.at_once(degraded=state == DEGRADED, failed=state == FAILED)
    append(app, about, signals, **more, notices=tuple(dict.fromkeys(keys)))


def note_mark(app: App, told: dict[str, Any]) -> None:
    """Notes of the cycle that sent a notice that the notice was useful or useless; `told`: from `marking.apply`."""
    if told["state"] not in (interactions.USEFUL, interactions.USELESS):
        return
    with naming(app):
        key, insight, matter = told["notice"], told["insight"], told["matter"]
        for record in jsonl.read(app.files, app.tree.notices) if told["notice"] is None else ():
            carried = insight in str(record.get("insight") or "").split(",") or matter in (record.get("matters") or ())
            if carried and record.get("event") in TOLD:
                key = record.get("key")
        sent = [each for each in interactions.read(app.files) if each.kind == CYCLE and key in each.notices]
        if key is not None and sent:
            interactions.signal(app.files, sent[-1].id, told["state"], str(key), app.clock.now())
