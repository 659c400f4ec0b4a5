"""STAGE. ask: a message of the operator's and its answer, in a conversation that is kept."""

import re
from collections.abc import Callable

import msgspec

from adjutant.app import App, Args, Outcome, Row, names
from adjutant.children.growth import Sender
from adjutant.domain.behavior import control
from adjutant.domain.conversation.preparing import Prepared, date_core, prepare
from adjutant.domain.learning import noting
from adjutant.domain.matters import picture
from adjutant.domain.memory.gate import Blots
from adjutant.domain.prompting import assembly, churn, roles, standing
from adjutant.domain.recall import places
from adjutant.errors import ModelUnavailable, UsageError
from adjutant.judgements import answering, asking, calling, filing, turn
from adjutant.ports import TRUST
from adjutant.records import conversation, sections, usage
from adjutant.records.conversation import ConversationMessage, session_named
from adjutant.records.interactions import TURN

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,39}")
RESULT = names(
    "answer session agent concept citations matters directives contract_hash prompt_sha tokens run degraded tools"
)
FROM_TELEGRAM = "tg-"  # how the listener's ids begin


def run(app: App, args: Args) -> Outcome:
    """The keys of `RESULT`. What is wrong with a layer or the words is raised before anything is kept."""
    began = app.clock.monotonic()
    if args.grow is not None:
        try:
            app.growing = Sender(args.grow)
        except OSError as error:
            why = f"--grow {args.grow}: no socket ({error.strerror})"
            raise UsageError(why, "leave it out: it is for programs") from error
    session, id = session_named(args.session), args.id or app.run
    if args.id is not None and (not _ID.fullmatch(args.id) or args.id.endswith(conversation.ANSWER_OF)):
        form = f"letters, digits and -, at most 40, without {conversation.ANSWER_OF} at its end"
        raise UsageError(f"--id {args.id[:40]!r}: {form}")
    channel = noting.TELEGRAM if id.startswith(FROM_TELEGRAM) else noting.CLI
    about = noting.TurnRef(id, TURN, session, args.channel or channel)
    if (kept := conversation.record_of(app.files, session, conversation.answer_id(id))) is not None:
        noting.note_missing(app, about, kept)
        return _repeat(kept, session)
    blots = Blots(app)
    data = app.stdin_bytes() if args.words == ["-"] else " ".join(args.words).encode("utf-8", "surrogateescape")
    text, taken = blots.message(data.decode("utf-8", "surrogateescape"))
    data = text.encode("utf-8", "surrogateescape")
    text = data.decode("utf-8", "replace")
    _refuse_early(app, text, args)
    for kind in taken:
        app.say(f"{kind} was taken out of the message: it is neither kept nor sent")
    if app.dry_run:
        app.say("dry run: nothing of this is kept but the record")
    captured = control.capture(app, data, id)
    message = captured.remainder.strip() if sections.close_tags(captured.remainder) else ""
    about_what = filing.workload(app, message)
    prepared = prepare(app, message, session=session, role=args.role, id=id, names=args.collections, about=about_what)
    said = ConversationMessage(id, app.clock.now().isoformat(), conversation.OPERATOR, conversation.OPERATOR, text)
    if conversation.record_of(app.files, session, id) is None:
        conversation.append(app.files, session, said)
    churn.note(app.files, prepared.layers, app.clock.now(), app.run)
    answered = None
    if message:
        source, told = f"message {session}/{id}", _show_as_it_comes(app, prepared.owner.role, captured)
        try:
            answered = answering.answer(app, prepared, session=session, source=source, clean=blots.own, told=told)
        except BaseException:
            if app.growing is not None:
                app.growing.finish("")  # ends a line that was begun
            raise
    ms = round((app.clock.monotonic() - began) * 1000)
    silent = answered is not None and answered.nothing and not (captured.captured or captured.missed)
    outcome = None if silent else _keep_answer(app, about, captured, prepared, answered, blots)
    noting.note_turn(app, about._replace(ts=said.ts, ms=ms), prepared, answered)
    if outcome is None and answered is not None:
        # No answer, rather than one that only looks like it: the model is not to be had and rules have nothing to say.
        raise ModelUnavailable(
            f"no answer: {turn.WHY.get(answered.degraded or '', 'the model did not answer')} ({answered.why})",
            "send it again once `adjutant doctor` finds nothing; `adjutant model` sets up another model",
            details={"session": session, "run": app.run, "degraded": answered.degraded, "tokens": answered.tokens},
        )
    assert outcome is not None
    return outcome


def _refuse_early(app: App, text: str, args: Args) -> None:
    """What would refuse the turn refuses it before anything is kept."""
    places.find_collections(args.collections)
    if not sections.close_tags(text):
        raise UsageError("an empty message", 'adjutant ask "What is due this week?"')
    stands = standing.read(app.files, app.config, args.role or roles.CONDUCTOR)
    limits = assembly.PromptLimits(app.config.whole("prompt.max_tokens"), 0, 0)
    assembly.assemble(date_core(app, stands.parts), stands.contract, text, limits)


def _show_as_it_comes(app: App, role: str, captured: control.Captured) -> Callable[[str], None] | None:
    """What shows an answer while it comes, below who answers; None where nobody would see it."""
    growing, directed = app.growing, captured.tell()
    if growing is None:
        return None
    head = "\n".join([*_head(role), *directed, *([""] if directed else []), ""])
    return lambda text: growing.show(head + text if text else "")


def _head(role: str) -> list[str]:
    return [f"{role}:"] if role != roles.CONDUCTOR else []


def _keep_answer(
    app: App,
    about: noting.TurnRef,
    captured: control.Captured,
    prepared: Prepared,
    answered: turn.TurnOutcome | None,
    blots: Blots,
) -> Outcome:
    """Both sides are on record when this returns; of two runs that answered one message, the first one's answer."""
    made, session, id = prepared.assembly, about.session, conversation.answer_id(about.id)
    asked = [picture.row(each) for each in prepared.agenda.cleaned(blots.own).matters] if prepared.agenda else []
    directed = "\n".join(captured.tell())
    answer = "\n\n".join(filter(None, (directed, answered.result.answer if answered else "")))
    fields: Row = {"concept": prepared.about.concept, "citations": [], "contract_hash": made.contract_hash or None}
    fields |= {"prompt_sha": None, "run": app.run, "degraded": None, "tokens": 0}
    if answered is not None:
        fields |= {"citations": msgspec.to_builtins(answered.result.citations), "prompt_sha": made.sha}
        fields |= {"degraded": answered.degraded, "tokens": answered.tokens}
        if answered.degraded:
            app.say(f"no answer of the model ({answered.degraded}): {answered.why}")
    if (kept := conversation.record_of(app.files, session, id)) is not None:
        return _repeat(kept, session)
    now, role = app.clock.now().isoformat(), prepared.owner.role
    trust = TRUST[-1] if answered is not None and answered.repeats else ""
    reply = ConversationMessage(id, now, conversation.AGENT, role, answer, trust)
    conversation.append(app.files, session, reply, **fields)
    directives = {"captured": captured.captured, "missed": captured.missed, "remainder": captured.remainder}
    tools = [{"tool": each.tool, "refused": each.refused} for each in answered.called] if answered else []
    more = {"matters": asked, "directives": directives, "tokens": fields["tokens"], "tools": tools}
    outcome = _tell({**fields, "text": answer, "name": role}, session, more)
    if app.growing is not None and app.growing.finish("\n".join(outcome.lines)):
        outcome.lines = []
    if answered is not None and answered.backend != asking.OFFLINE:
        # seconds of its answer; tokens of all that was asked in this run, what it is about among it; and money
        spent = usage.count(calling.share(app).spent, app.config.prices())
        told = (f"{answered.ms / 1000:.1f} s", f"{spent.tokens:,} tokens", spent.told)
        outcome.aside = " · ".join(filter(None, told))
    return outcome


def _repeat(found: Row, session: str) -> Outcome:
    more = {"directives": {"captured": [], "missed": [], "remainder": ""}, "matters": [], "tokens": 0, "tools": []}
    return _tell(found, session, {**more, "repeated": True})


def _tell(record: Row, session: str, more: Row) -> Outcome:
    who = {"answer": record["text"], "session": session, "agent": record["name"], "citations": []}
    told = {**who, **record, **more}
    result = {key: told.get(key) for key in dict.fromkeys((*RESULT, *more))}
    follow = (f"adjutant runs show {result['run']}", "what was asked and answered")
    if result["prompt_sha"] is None:
        follow = ("adjutant behavior list", "the directives that stand")
    return Outcome(result, [*_head(record["name"]), *record["text"].split("\n")], next_actions=[follow])
