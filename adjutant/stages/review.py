"""STAGE. review and reflect: the day in one journal entry, every pending insight consumed, one notice at most."""

from collections.abc import Iterator, Sequence
from datetime import timedelta

from adjutant.app import App, Args, Outcome, Row, plural
from adjutant.domain.behavior import control
from adjutant.domain.conversation import preparing
from adjutant.domain.heartbeat.silence import Memory
from adjutant.domain.matters import drawing, picture, signal, wording
from adjutant.domain.prompting import churn
from adjutant.domain.telling import digest, mentions, message, notices, standing
from adjutant.errors import FileChanged, LockBusy
from adjutant.judgements import asking, briefing, cycle, escalation, material, synthesis
from adjutant.records import behavior_history, evolution_log, insights, journal, notice_log, suggestion
from adjutant.records import contract as contracts
from adjutant.screening.screen import redact_hits, screen

MOST_MATTERS = 60  # that a model is shown
CANDIDATES = 3  # that the digest names, the newest
CARRIED = ("**Insight**", "**Held back**")
SECTIONS = {"What changed": "changed", "At risk": "at_risk", "For you to decide": "decisions"}
SECTIONS |= {"Recommendations": "recommendations"}


class _DayReview(cycle.Cycle):
    result: synthesis.Result | None = None
    notice: str | None = None

    def __init__(self, app: App, tier: str) -> None:
        super().__init__(app, "deep")
        self.tier, self.digest = tier, digest.Digest("", [], False)
        self.waiting, self.damaged = insights.pending(app.files)
        self.held = standing.held_back(app.files, app.clock)
        self.consumed: list[str] = []

    def work(self) -> None:
        files = self.app.files
        if contracts.past(behavior_history.read_contract(files), f"{self.now:%Y-%m-%d}"):
            try:
                control.expire(self.app)
            except LockBusy as error:
                self.app.say(error.message)
        churn.note_all(files, self.app.config, self.now, self.app.run)
        self._judge_day(contracts.block(behavior_history.read_contract(files)))
        cycle.set_aside(self.app, self.found, self.now)
        self._write_down()
        self.tell()
        self.consume()

    def _write_down(self) -> None:
        """The entry in the journal, unless the day's last one says all of it. Raises Stopped."""
        files, dry, lines = self.app.files, self.app.dry_run, [*_journal_lines(self)]
        before, now = journal.last(files, self.now, "Review", dry_run=dry), set(map(journal.item, lines))
        # A run that was cut has consumed some of what it wrote down: what was only carried may be gone since.
        if before is None or now - before or not all(each.startswith(CARRIED) for each in before - now):
            journal.entry(files, self.now, "Review", lines, dry_run=dry)

    def _judge_day(self, contract: str) -> None:
        """What a pulse would ask, as far as none has asked it yet, and the synthesis, under the block `contract`."""
        self.look(self.known if self.has_model else Memory())
        self.judge()
        briefs, waiting = list[synthesis.Brief](), list[escalation.Filed]()
        for each in (each for each in self.found if each.unavailable is None):
            items = [item for item in each.result.items if not self._is_muted(item.cited, each.kb.name)]
            briefs.append(synthesis.Brief(each.kb.name, each.result.summary, items))
        for i in (i for i in self.waiting if not self._is_muted(i.evidence, i.kb)):
            grade = material.severity_of(i.severity)
            waiting.append(escalation.Filed(file=i.name, kb=i.kb, title=i.title, severity=grade, notice=i.notice))
        shown = [each for each in self.picture.shown() if each.certain or each.listed or each.held]
        several, first = len(self.kbs) > 1, message.first(shown, MOST_MATTERS) if self.has_model else []
        matters = [message.line(each, self.now.date(), several=several, reasons=True) for each in first]
        told: Row = {"briefs": briefs, "issues": self._standing(), "insights": waiting, "matters": matters}
        told |= {"held_back": [str(held["text"]) for held in self.held], "journal": self._journal()}
        inputs = synthesis.Inputs(now=self.tell_now(), heart=self.heart, layers=dict(self.layers), **told)
        self.result = self.asker.ask(synthesis, inputs, model_tier=self.tier, contract=contract).result

    def _standing(self) -> list[material.Issue]:
        """What was raised now, and what a model said before is to be told."""
        standing = list(self.issues)
        for each in self.picture.shown() if self.has_model else ():
            if each.tell and each.id not in self.ids:
                same: Row = {name: getattr(each, name) for name in ("why", "concern", "kb")}
                same |= {"severity": material.severity_of(each.severity), "evidence": list(each.evidence)}
                standing.append(material.Issue(matter=each.id, title=each.what, **same))
        return standing

    def remember(self) -> None:
        """As after a pulse, where a model was asked."""
        if self.has_model:
            super().remember()

    def _is_muted(self, evidence: Sequence[signal.Evidence], kb: str) -> bool:
        found = self.picture.at(kb, evidence) if evidence else None
        return found is not None and bool(found.muted)

    def _journal(self) -> str:
        unread: list[str] = []
        days = journal.recent(self.app.files, self.now, self.app.config.whole("heartbeat.journal_days"), unread)
        for reason in unread:
            self.app.say(f"{reason}; that day is not read")
        text = "\n\n".join(f"# {day}\n{text}" for day, text in days)
        return redact_hits(text, screen(text), "journal")

    def tell(self) -> None:
        """The digest, where it is to leave, and what was held back marked as carried. Raises Stopped."""
        self.digest = self._digest()
        deliver = self.app.config.text("review.deliver")
        if deliver == "always" or (deliver == "changed" and self.digest.urgent and self.digest.text):
            self.app.gate()
            kbs, key = {each.id: each.kb for each in self.picture.matters}, f"review-{self.now.date().isoformat()}"
            text, matters = self.digest.text or "Nothing is open.", [(id, kbs[id]) for id in self.digest.ids]
            sent = notices.Notices(self.app).send(text, key, "review", matters=matters)
            self.notice = sent.would or sent.outcome
        if not self.app.elsewhere:
            standing.fold(self.app.files, self.held, now=self.now, run=self.app.run)
        self.app.files.replace(self.app.tree.today, digest.page(self.picture, several=len(self.found) > 1))

    def _digest(self) -> digest.Digest:
        since, today = notice_log.last_digest(self.app.files, self.now), self.now.date()
        settled = list(self.picture.closed)
        for each in self.drawing.known.values():
            if each.state in ("done", "dropped") and each.changed > since:
                grave = each.verdict == drawing.SETTLED and each.graded in message.GRAVES
                why = each.reason if grave and each.id not in self.drawing.told else ""  # nobody had heard of it
                settled.append(picture.Closed(each.id, each.kb, each.what, each.state, f"{each.path}:{each.line}", why))
        for one in self.picture.matters:
            mark = self.drawing.marks.get(one.id, {})
            if mark.get("state") == "done" and str(mark["ts"]) > since:
                settled.append(picture.Closed(one.id, one.kb, one.what, "marked done", one.place))
        # What a note says of a day near now and is no matter: rules cannot tell more.
        near = mentions.Sought("dated", (today, today + timedelta(days=digest.NEAR_DAYS)), today)
        sought, several = () if self.has_model else self.kbs, len(self.kbs) > 1
        besides = preparing.find_mentions(self.app, sought, self.heart, self.picture, near)
        said = [each.line(today, several=several) for each in besides]
        notes = [*filter(None, (self._first_note(briefed, since) for briefed in self.found)), *self._advice(since)]
        told = self.result if self.has_model and self.asker.degraded is None else None
        headline = wording.title(told.headline) if told is not None and told.notify else ""
        parts: Row = {"said": said, "notes": notes, "several": several, "headline": headline}
        return digest.compose(self.picture, since=since, settled=settled, **parts)

    def _advice(self, since: str) -> list[str]:
        """The line that names the suggestions and candidates that wait for a word of the operator's; none for none."""
        held = [each for each in evolution_log.read(self.app.files).held.values() if each.status == suggestion.PENDING]
        events = behavior_history.read(self.app.files)
        pending = [each for each in behavior_history.candidates(events, self.now) if each.status == "pending"]
        said = [f"{plural(len(held), 'suggestion')}: `adjutant evolve list`"] if held else []
        said += [f"{plural(len(pending), 'candidate')}: `adjutant behavior candidates`"] if pending else []
        told = pending[-CANDIDATES:] if self.app.config.flag("behavior.digest") else []
        named = [wording.title(f"{each.id} {each.type}: {each.text}") for each in told]
        moments = [*(each.suggestion.ts for each in held), *(each.created_at for each in pending)]
        late = digest.remind(moments, since, self.now)
        return [*named, f"Waiting for your word: {'; '.join(said)}{late}"] if said else []

    def _first_note(self, briefed: briefing.Briefed, since: str) -> str:
        """What a first look read and left out, and how to mute; "" after the first digest on a knowledge base."""
        seen = [each.first_seen for each in self.drawing.known.values() if each.kb == briefed.kb.name]
        if briefed.look is None or min(seen, default="~") <= since:
            return ""
        read = f"{plural(briefed.look.files, 'file')} read, {briefed.left_out or 'nothing left out'}"
        return f"{briefed.kb.name}: {read}. `adjutant mark ID useless` mutes a line and others like it."

    @property
    def recommendations(self) -> list[str]:
        return self.result.recommendations if self.result is not None else []

    @property
    def summary(self) -> str:
        looked, used = plural(len(self.checked), "knowledge base"), plural(len(self.consumed), "insight")
        return f"{looked}, {used}, {plural(len(self.recommendations), 'recommendation')}"

    def consume(self) -> None:
        """Every pending insight to sent/; none where another machine is to tell them. Raises Stopped."""
        for insight in self.waiting if not self.app.elsewhere else ():
            try:
                insights.update(self.app.files, insight, attempts=insight.attempts + 1, notice=insight.notice)
            except (FileChanged, FileNotFoundError):
                self.app.say(f"insights/pending/{insight.name} was edited or removed meanwhile; your change stays")
                continue
            insights.settle(self.app.files, insight.name)
            self.consumed.append(insight.name)


def run(app: App, args: Args) -> Outcome:
    """As spec/60 has it."""
    review = _DayReview(app, args.tier)
    for _, reason in review.damaged:
        app.say(f"{reason}; left where it is")
    notice_log.keep(app.files, app.clock)
    status = asking.conduct(app, review.work)
    fields = {"kbs_checked": review.checked, "insights_sent": len(review.consumed)}
    fields |= {"recommendations": review.recommendations, **({"tier": "medium"} if review.tier == "medium" else {})}
    status = review.record("review", status, fields, review.summary)
    told: Row = {"kbs_checked": review.checked, "insights_consumed": review.consumed, "notice": review.notice}
    told |= {"recommendations": review.recommendations, "held_back": [held["key"] for held in review.held]}
    told |= {"digest": review.digest.text, "matters": review.digest.ids}
    told |= {"damaged": [{"file": name, "reason": reason} for name, reason in review.damaged]}
    lines = [f"review: {review.summary}" + (" (dry run)" if app.dry_run else "")]
    if review.notice != "sent" or app.config.text("notifications.channel") != "outbox":  # which prints what it is sent
        lines += (review.digest.text or "Nothing is late, due this week or new.").split("\n")
    lines += [f"digest: {notices.WORDS[review.notice]}"] if review.notice else []
    lines += review.asker.close("review", status)
    return Outcome(review.asker.report(status, "", told), lines, next_actions=[("adjutant status", "what is left")])


def _journal_lines(review: _DayReview) -> Iterator[str]:
    """Of a digest that this one replaces nothing."""
    for b in review.found:
        said = f"unavailable ({b.unavailable})" if b.unavailable is not None else b.result.summary
        yield f"**{b.kb.name}**: {'; '.join(filter(None, (said, b.left_out)))}"
    for title, field in SECTIONS.items():
        yield from (f"**{title}**: {entry}" for entry in getattr(review.result, field))
    for each in review.waiting:
        name = redact_hits(each.title, screen(each.title), each.name)
        yield f"{CARRIED[0]}: [{each.kb}] {each.severity}: {name} ({each.name})"
    for held in review.held:
        told = [] if held.get("kind") == "review" else str(held["text"]).split("\n")
        yield from (f"{CARRIED[1]} ({held['outcome']}): {line}" for line in told)
    if review.asker.degraded:
        yield f"degraded: {review.asker.degraded}; rules answered in the model's place"
