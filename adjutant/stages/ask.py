"""STAGE. ask: a message of the operator's and its answer, in a conversation that is kept."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from adjutant.app import Outcome
from adjutant.domain.behavior import control
from adjutant.domain.behavior.control import Captured
from adjutant.domain.prompting import churn
from adjutant.domain.turns import conversation, tools
from adjutant.domain.turns.conversation import DEFAULT_SESSION, Message, session_named
from adjutant.domain.turns.preparing import Prepared, prepare, shelf
from adjutant.errors import UsageError
from adjutant.judgements import consulting, turn
from adjutant.ports import Converser

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from adjutant.app import App

HELP = "Ask something, in a conversation that is kept; lines like `KEEP: answers short` become standing directives."
READS = (
    "config", "env", "identity", "roles", "prompts", "contract", "behavior_history", "conversations", "taxonomy",
    "index", "notes", "daily", "weekly", "monthly", "skills", "slog", "journal", "registry", "knowledge_bases",
    "pending", "notices", "last_heartbeat", "pulse", "layer_changes", "workspace", "usage",
)
WRITES = (
    "behavior", "conversations", "layer_changes", "notes", "workspace", "runs", "usage", "events", "index", "locks",
    "config_cache", "quarantine", "conflicts",
)
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,39}")
ANSWER_OF = "-answer"


def arguments(parser: argparse.ArgumentParser) -> None:
    """MESSAGE, --session, --role, --id."""
    parser.add_argument("words", nargs="+", metavar="MESSAGE", help="what you want to know; - reads standard input")
    parser.add_argument("--session", metavar="NAME", default=DEFAULT_SESSION, help="the conversation (cli)")
    parser.add_argument("--role", metavar="ROLE", help="writer, researcher or a specialist, whatever it is about")
    parser.add_argument("--id", metavar="ID", help="the message's own id: one that was answered is not asked again")


def run(app: App, args: argparse.Namespace) -> Outcome:
    """{answer, session, agent, concept, citations[], directives, contract_hash, prompt_sha, tokens, run, degraded}.

    Raises UsageError, ConfigInvalid (a layer over its limit: before anything is done), TaxonomyInvalid, Stopped,
    FileDamaged, LockBusy, IoFailed.
    """
    text = app.stdin() if args.words == ["-"] else " ".join(args.words)
    if not text.strip():
        raise UsageError("an empty message", 'adjutant ask "What is due this week?"')
    session, id = session_named(args.session), _id(args.id) or app.run
    if earlier := _answered(app, session, id):
        return earlier
    shelf(app).standing()  # what would refuse the turn refuses it before anything is kept
    captured = control.capture(app, text.encode("utf-8", "replace"), id)
    prepared = prepare(app, captured.remainder.strip(), session=session, role=args.role)
    said = Message(id, app.clock.now().isoformat(), conversation.OPERATOR, conversation.OPERATOR, text)
    if not any(each.id == id for each in conversation.read(app.files, session)):
        conversation.append(app.files, session, said)
    churn.note(app.files, prepared.layers, app.clock.now(), app.run)
    answered = _asked(app, prepared, session, id) if captured.remainder.strip() else None
    return _told(app, session, id, captured, prepared, answered)


def _id(given: str | None) -> str:
    if given is not None and not _ID.fullmatch(given):
        raise UsageError(f"--id {given[:40]!r}: letters, digits and -, at most 40")
    return given or ""


def _asked(app: App, prepared: Prepared, session: str, id: str) -> turn.Answered:
    """The model's answer, or what the folder says."""
    owner = prepared.owner
    model = app.model(owner.backend) if owner.backend else app.model()
    box = tools.Toolbox(app, source=f"message {session}/{id}", ask_kb=lambda name, question: _consulted(
        app, name, question))
    inputs = turn.Inputs(prepared.assembly.message, session, owner.role, [
        turn.Passage(each.id, each.path, each.anchor, each.passage, each.trust) for each in prepared.found])
    return turn.take(
        app, inputs, prepared.assembly, model=model, named=owner.model, use=box.use,
        tools=tools.TABLE if isinstance(model, Converser) else (),
    )


def _consulted(app: App, name: str, question: str) -> str:
    """A knowledge base's answer, with the lines it rests on."""
    told = consulting.consult(app, name, question).answered.result
    return "\n".join([told.answer, *(f"{each.path}:{each.line}: {each.quote}" for each in told.citations)])


def _told(
    app: App, session: str, id: str, captured: Captured, prepared: Prepared, answered: turn.Answered | None,
) -> Outcome:
    """Both sides are on record when this returns."""
    made = prepared.assembly
    directives = {"captured": captured.captured, "missed": captured.missed, "remainder": captured.remainder}
    kept = _kept(captured)
    answer = "\n\n".join(each for each in ("\n".join(kept), answered.result.answer if answered else "") if each)
    result: dict[str, Any] = {
        "answer": answer, "session": session, "agent": prepared.owner.role, "concept": prepared.about.concept,
        "citations": msgspec.to_builtins(answered.result.citations) if answered else [], "directives": directives,
        "contract_hash": made.contract_hash or None, "prompt_sha": made.sha if answered else None,
        "tokens": answered.tokens if answered else 0, "run": app.run,
        "degraded": answered.degraded if answered else None,
        "tools": [{"tool": each.tool, "refused": each.refused} for each in answered.called] if answered else [],
    }
    now = app.clock.now().isoformat()
    reply = Message(f"{id}{ANSWER_OF}", now, conversation.AGENT, prepared.owner.role, answer)
    conversation.append(app.files, session, reply, **{key: result[key] for key in (
        "concept", "citations", "contract_hash", "prompt_sha", "run", "degraded", "tokens")})
    if answered is not None and answered.degraded:
        app.say(f"answered by rules, not by the model ({answered.degraded}): {answered.why}")
    return _outcome(result, prepared.owner.role)


def _kept(captured: Captured) -> list[str]:
    """A line a directive, and one a near miss with what would have worked."""
    lines = []
    for row in captured.captured:
        why = f" ({row['reason']})" if row.get("reason") else ""
        lines.append(f"{row['outcome']}: {row['type']}: {row['text']}{why}")
    for miss in captured.missed:
        would = f"; this would: {miss['would_work']}" if miss.get("would_work") else ""
        lines.append(f"line {miss['line']} set no directive: {miss['reason']}{would}")
    return lines


def _answered(app: App, session: str, id: str) -> Outcome | None:
    """The answer that a message of this id was given already; None when it was not."""
    found = conversation.answer_of(app.files, session, f"{id}{ANSWER_OF}")
    if found is None:
        return None
    nothing = {"captured": [], "missed": [], "remainder": ""}
    result = {
        "answer": found["text"], "session": session, "agent": found["name"], "concept": found.get("concept"),
        "citations": found.get("citations", []), "directives": nothing, "contract_hash": found.get("contract_hash"),
        "prompt_sha": found.get("prompt_sha"), "tokens": 0, "run": found.get("run"), "degraded": found.get("degraded"),
        "tools": [], "repeated": True,
    }
    return _outcome(result, found["name"])


def _outcome(result: dict[str, Any], role: str) -> Outcome:
    lines = [f"{role}:"] if role != "conductor" else []
    lines += result["answer"].split("\n")
    actions = [(f"adjutant runs show {result['run']}", "what was asked and answered")] if result["run"] else []
    return Outcome(result, lines, next_actions=[*actions])
