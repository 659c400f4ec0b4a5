"""STAGE. escalation: each new insight decided on - notify, log or flag - and at most one notice sent for all."""

from collections import Counter
from collections.abc import Iterable, Mapping

from adjutant.app import App, Args, Outcome, Row, plural
from adjutant.domain.matters import drawing, signal
from adjutant.domain.matters.picture import Open
from adjutant.domain.telling import message, notices
from adjutant.domain.telling.decided import DELIVERED, Decided, journal_line, lines_of, row_of
from adjutant.errors import FileChanged, Stopped
from adjutant.judgements import asking, cycle, escalation
from adjutant.judgements.material import RANK, severity_of
from adjutant.records import behavior_history, insights, journal, layers, ledger, matters_log, notice_log, registry
from adjutant.records import contract as contracts
from adjutant.records import heart as hearts
from adjutant.records.insights import Insight
from adjutant.screening.screen import SET_ASIDE, redact_hits, screen

Layers = Mapping[str, layers.Layer]
LEFT = ("reserved", "sent", "unknown")
HELD_BACK = ("budget_exceeded", "quiet_hours")
MOST_DECIDED = 200  # new ones a run: each costs a look, a line of the prompt and some flushes of the disk


def run(app: App, args: Args) -> Outcome:
    """As spec/60 has it."""
    if app.elsewhere:
        line = f"escalation: left to {app.elsewhere}, which sends the notices"
        return Outcome(_result(asking.Asker(app), "completed", [], []), [line])
    now, asker = app.clock.now(), asking.Asker(app)
    good, damaged = insights.pending(app.files)
    for _, reason in damaged:
        app.say(f"{reason}; left where it is")
    by_hand = hasattr(args, "by_hand")  # as pulse's second step it has nothing to say about nothing
    decided = list[Decided]()

    def work() -> None:
        left = _in_reach(app, _finish(app, good))
        # What was decided on is screened already.
        wanted = [insight for insight in left if insight.attempts or not _discard(app, insight)]
        _decide_all(app, asker, wanted, decided, by_hand)
        _notify(app, decided)
        _settle_all(app, decided, asker.degraded)

    status = asking.conduct(app, work)
    handled, fresh = [d for d in decided if d.ledger_action], [d for d in decided if d.ledger_action or not d.again]
    if handled or (status == "stopped" and decided):
        journal.entry(app.files, now, "Escalation", map(journal_line, fresh), dry_run=app.dry_run)
    if handled and status == "completed":  # behind its entry: what is cut off between the two is told, not left out
        summary = (
            f"{plural(len(handled), 'insight')} decided, {sum(d.ledger_action == 'notified' for d in handled)} notified"
        )
        record = _record_of(app, handled[-1], handled[-1].ledger_action, asker.degraded)
        try:
            ledger.write_last(app.files, record, summary, now)
        except Stopped:
            status = "stopped"
    lines = lines_of(app, fresh)
    if status != "completed":
        lines.append("escalation: stopped, paused")
    elif not decided and by_hand:
        lines = ["escalation: no insight waits for a decision"]
    follow = [("adjutant notices list", "what was told, and what was held back")] if decided else []
    return Outcome(_result(asker, status, decided, damaged), lines, next_actions=follow)


def _finish(app: App, good: list[Insight]) -> list[Insight]:
    """Moves what an interrupted run had told and recorded, but not moved any more; gives the others. Raises Stopped."""
    tried = [insight.name for insight in good if insight.attempts]
    told = ledger.read(app.files, type="escalation") if tried else ()
    decided = {record.get("trigger"): record.get("action") for record in told if "dry_run" not in record}
    gone = {name for name in tried if decided.get(name) == "notified"}
    for name in gone:
        insights.settle(app.files, name)
    return [insight for insight in good if insight.name not in gone]


def _in_reach(app: App, good: list[Insight]) -> list[Insight]:
    """All but the new ones that one run does not get to: the gravest of each knowledge base come first, in turns."""
    new = [insight for insight in good if insight.decided is None]
    if len(new) <= MOST_DECIDED:
        return good
    places, taken = list[tuple[int, Insight]](), Counter[str]()
    for insight in sorted(new, key=lambda each: -RANK[severity_of(each.severity)]):
        places.append((taken[insight.kb], insight))
        taken[insight.kb] += 1
    later = {insight.name for _, insight in sorted(places, key=lambda pair: pair[0])[MOST_DECIDED:]}
    app.say(f"{plural(len(later), 'insight')} left to the next runs: one decides on {MOST_DECIDED}")
    return [insight for insight in good if insight.name not in later]


def _discard(app: App, insight: Insight) -> bool:
    """An insight that is nothing but instruction-like text goes to quarantine, with a Security line."""
    text = f"{insight.title}\n\n{insight.body}"
    hits = screen(text)  # none of a line that was set aside before: it is quoted so, and orders nothing
    lines = redact_hits(text, hits, insight.name).split("\n")
    if not hits or any(SET_ASIDE not in line for line in lines if line.strip()):
        return False
    insights.discard(app.files, insight.name)
    line = f"insights/pending/{insight.name} holds only instruction-like text: moved to state/quarantine/"
    journal.entry(app.files, app.clock.now(), "Security", [line], dry_run=app.dry_run)
    app.say(line)
    return True


def _decide_all(app: App, asker: asking.Asker, waiting: list[Insight], decided: list[Decided], by_hand: bool) -> None:
    """One question for all that wait, each asked once; what left, or is open no more, is only put away."""
    if not waiting:
        return
    found = cycle.read_layers(app, asker, named=by_hand)
    heart = hearts.parse(found["heart"].text)
    picture = app.shared.get("picture") or drawing.draw(app, heart, asker.allowance.may_read)
    known = {each.id: each for each in picture.matters}
    told = _find_told(app)
    silenced, register = matters_log.last_marks(app.files).by_line, matters_log.read(app.files)
    silent_days = app.config.whole("heartbeat.cooldown_days")
    for insight in waiting:
        matter = known.get(insight.matter or "") or _by_itself(insight)
        again = insight.decided is not None and insight.attempts > 0
        if insight.name in told:
            action, reason = "told", "an interrupted run sent its notice"
        elif insight.matter and insight.matter not in known and insight.kb not in picture.unread:
            action, reason = "settled", "its matter is no longer open"
        elif insight.matter and matter.told and not drawing.news(matter, register, app.clock.now(), silent_days):
            action, reason = "settled", "its matter was told meanwhile"
        elif matter.muted or insight.fingerprint in silenced:
            action, reason = "settled", matter.muted or "marked done or snoozed"
        elif insight.decided is not None:
            action, reason = insight.decided, "decided before" if again else "decided with all that is open"
        else:
            action, reason = "", ""  # to be asked about
        again = again and action == insight.decided
        decided.append(Decided(insight, action, reason, matter, key=told.get(insight.name), again=again))
    if open_ones := [d for d in decided if not d.action]:
        _ask(app, asker, heart, found, open_ones)
        _keep_floor(app, decided)


def _ask(app: App, asker: asking.Asker, heart: hearts.Heart, found: Layers, waiting: list[Decided]) -> None:
    notes = app.files.text(app.tree.registry_notes) if app.files.exists(app.tree.registry_notes) else ""
    now, filed = app.clock.now(), list[escalation.Filed]()
    for each in (d.insight for d in waiting):
        body, severity = cycle.screen_text(app, each.body, each.name, now), severity_of(each.severity)
        about = {"file": each.name, "kb": each.kb, "title": each.title, "body": body}
        filed.append(escalation.Filed(**about, severity=severity, concern=each.concern))
    inputs = escalation.Inputs(
        now=f"{now:%A} {now.isoformat(timespec='minutes')}",
        waiting=filed,
        heart=heart,
        layers={name: layer.prompt for name, layer in found.items() if name != "heart"},
        registry_notes=notes,
        room=notices.Notices(app).room(),
    )
    answer = asker.ask(escalation, inputs, contract=contracts.block(behavior_history.read_contract(app.files)))
    by_file = {each.insight: each for each in answer.result.decisions}
    for d, one in zip(waiting, filed, strict=True):
        choice = by_file.get(one.file) or escalation.rule(one)
        d.action, d.reason = choice.action, choice.reason


def _keep_floor(app: App, decided: Iterable[Decided]) -> None:
    """What is certain and grave and was never told is told, or stands in the next digest with the reason why not."""
    held = list[Row]()
    for d in decided:
        owed = d.matter.certain and d.matter.found in message.GRAVES and not d.matter.told
        if owed and d.action in ("log", "flag") and d.reason:
            fields = {"verdict": drawing.HOLD, "reason": d.reason, "graded": d.matter.found}
            held.append(matters_log.event("judged", d.matter.id, app.clock.now(), app.run, fields))
        elif owed and d.action in ("log", "flag"):
            d.action = "notify"
    matters_log.append(app.files, held)


def _by_itself(insight: Insight) -> Open:
    """An insight without a matter of the picture, such as one that the operator wrote, as a notice names it."""
    evidence = insight.evidence or [signal.Evidence(f"insights/pending/{insight.name}", 1, insight.title)]
    made = Open(kb=insight.kb, what=insight.title, kind="problem", evidence=evidence, severity=insight.severity)
    made.id = insight.name.removesuffix(".md")
    return made


def _find_told(app: App) -> dict[str, str]:
    """{insight: key} of every insight whose notice left, or may have, in a run that did not live to say so."""
    now = app.clock.now()
    found, told = notice_log.read(app.files, now), dict[str, str]()
    spent = notice_log.History(found, app.clock, now).spent
    for record in found:
        if record.get("key") in spent and record.get("event") in LEFT:
            told |= dict.fromkeys(filter(None, str(record.get("insight") or "").split(",")), str(record["key"]))
    return told


def _notify(app: App, decided: list[Decided]) -> None:
    """One notice that names the gravest of what is to be told, each on a line; the others wait for the next one."""
    telling = [d for d in decided if d.action == "notify"]
    if not telling:
        return
    app.gate()
    sender, today = notices.Notices(app), app.clock.now().date()
    if all(d.again and d.insight.notice in HELD_BACK for d in telling) and sender.stopped("escalation") is not None:
        return  # said before, and nothing is new
    several = len({d.insight.kb for d in telling} | {kb.name for kb in registry.load(app.files) if kb.enabled}) > 1
    most = app.config.whole("notifications.max_matters")
    text, named = message.notice([d.matter for d in telling], today, most, several=several)
    chosen = [d for each in named for d in telling if d.matter is each]
    key, names = chosen[0].insight.name.removesuffix(".md"), ",".join(d.insight.name for d in chosen)
    about = [(d.matter.id, d.insight.kb) for d in chosen]
    critical = any(d.matter.severity == "critical" for d in chosen)
    buttons = message.seal_all(d.matter for d in chosen)
    sent = sender.send(text, key, "escalation", insight=names, matters=about, buttons=buttons, critical=critical)
    for d in chosen:
        d.outcome, d.key = sent.would or sent.outcome, key


def _settle_all(app: App, decided: list[Decided], degraded: str | None) -> None:
    """Ledger line, then the file; the first of those that shared a notice last, since its name is the key."""

    def last(d: Decided) -> tuple[bool, int]:
        return (d.key is not None and d.insight.name == f"{d.key}.md", RANK[severity_of(d.matter.severity)])

    for d in sorted(decided, key=last):
        told = d.action == "told" or (d.action == "notify" and d.outcome in DELIVERED)
        logged = d.action in ("log", "settled") or (d.action != "flag" and d.outcome in (None, *HELD_BACK))
        action = "notified" if told else "logged" if logged else "flagged-for-reflect"
        if d.again and action != "notified" and d.outcome in (None, d.insight.notice):
            continue  # it waits as before, and that is on record
        ledger.append(app.files, _record_of(app, d, action, degraded))
        d.ledger_action = action
        kept = {"told": "notify", "settled": None}.get(d.action, d.action)
        notice, tries = {"told": "sent", "settled": "settled"}.get(d.action, d.outcome), d.insight.attempts + 1
        try:
            insights.update(app.files, d.insight, attempts=tries, notice=notice, decided=kept)
        except (FileChanged, FileNotFoundError):
            app.say(f"insights/pending/{d.insight.name} was edited or removed meanwhile; your change stays")
            continue
        if action == "notified" or d.action == "settled":
            insights.settle(app.files, d.insight.name)


def _record_of(app: App, d: Decided, action: str, degraded: str | None) -> Row:
    fields = {"trigger": d.insight.name, "action": action, "project": d.insight.kb, "notice": d.key}
    about: Row = {"run": app.run, "dry_run": app.dry_run, "degraded": degraded, "slot": app.slot_text}
    return ledger.record(app.clock.now(), "escalation", fields, **about)


def _result(asker: asking.Asker, status: str, decided: list[Decided], damaged: list[tuple[str, str]]) -> Row:
    rows = [{"file": name, "reason": reason} for name, reason in damaged]
    return asker.report(status, "", {"handled": [row_of(d) for d in decided if d.ledger_action], "damaged": rows})
