"""STAGE. pulse: every knowledge base looked at, briefed and judged; what matters becomes an insight."""

from collections.abc import Iterator, Sequence
from datetime import timedelta

import msgspec

from adjutant.app import App, Args, Outcome, Row, cut_list, plural
from adjutant.domain.heartbeat.silence import Memory
from adjutant.domain.matters import picture, sample
from adjutant.domain.matters.drawing import TELL, UNJUDGED, news
from adjutant.domain.prompting import churn
from adjutant.domain.telemetry import spans
from adjutant.domain.telling import digest, message
from adjutant.domain.telling.again import ToldLately
from adjutant.errors import Stopped
from adjutant.judgements import asking, briefing, cycle, material
from adjutant.records import insights, instance, journal
from adjutant.screening.fence import clean_line

ONE_LINE, MOST_SHOWN = 160, 12  # characters of a line; issues that a person reads in the terminal


class _Pulse(cycle.Cycle):
    """One pulse under way: what it found so far, so that a stop completes the record of what already happened."""

    escalated = False

    def __init__(self, app: App, full: bool) -> None:
        super().__init__(app)
        self.full, self.limit = full, app.config.whole("heartbeat.max_insights")
        self.filed, self.standing = dict[str, str](), dict[str, str]()
        self.beyond: list[picture.Open] = []

    def work(self) -> None:
        instance.note_host(self.app.files, self.app.host, self.now)
        churn.note_all(self.app.files, self.app.config, self.now, self.app.run)
        self.look(Memory() if self.full else self.known, full=self.full)
        self.judge()
        self._file()
        self.app.files.replace(self.app.tree.today, digest.page(self.picture, several=len(self.kbs) > 1))

    def _file(self) -> None:
        """An insight for each matter to tell that is news, the gravest first, the knowledge bases in turn."""
        app = self.app
        waiting = {each.matter: each.name for each in insights.pending(app.files)[0] if each.matter}
        days = app.config.whole("heartbeat.cooldown_days")
        told = self.drawing.told_since((self.now - timedelta(days=days)).isoformat(), self.picture)
        said = ToldLately(self.picture.matters, [*told, *(each for each in self.picture.matters if each.id in waiting)])
        shown = self.picture.shown()
        self.standing = {each.id: waiting[each.id] for each in shown if each.id in waiting}
        telling = [each for each in shown if each.tell and self.is_grave(each) and each.id not in waiting]
        for each in message.in_turns([each for each in telling if news(each, self.drawing.known, self.now, days)]):
            if said.holds(each) and picture.CLASH not in each.rests:
                continue
            if len(self.filed) >= self.limit:
                self.beyond.append(each)
                continue
            insight, host = _make_insight(each, app, self._decide(each)), app.elsewhere and instance.slug(app.host)
            self.filed[each.id] = insights.file(app.files, insight, self.now, host)
            said.add(each)

    def _decide(self, each: picture.Open) -> str | None:
        """What a call that knew all that is open decided, now or before; None where escalation is to be asked."""
        briefed = next((one for one in self.found if one.kb.name == each.kb), None)
        known = self.drawing.known.get(each.id)
        before = known is not None and known.state == "open" and known.verdict in (TELL, UNJUDGED)
        stands = briefed is not None and (briefed.at_once or (briefed.look is None and before))
        return "notify" if each.unjudged or stands else None

    @property
    def limits(self) -> list[str]:
        """What a limit of this run left undone, for `doctor`."""
        looks = ((b.kb.name, each) for b in self.found if b.look is not None for each in b.look.skipped)
        found = [f"{name}: {each.reason}" for name, each in looks if each.lost and not each.path]
        beyond = f"{plural(len(self.beyond), 'matter')} not filed, beyond heartbeat.max_insights ({self.limit})"
        return [*found, beyond] if self.beyond else found

    @property
    def counted(self) -> str:
        new = any(briefed.look is not None for briefed in self.found)
        told = f"{plural(len(self.issues), 'issue')}, {len(self.filed)} filed" if new else "nothing new"
        return f"{plural(len(self.checked), 'knowledge base')}, {told}" if self.found else "no knowledge bases"


def run(app: App, args: Args) -> Outcome:
    """As spec/60 has it."""
    _write_sample(app)
    pulse = _Pulse(app, args.full or args.estimate)
    if args.estimate:
        spans.forget(app)
        pulse.look(Memory(), full=True)
        result = briefing.estimate(pulse)
        line = f"a full pulse: {plural(result['calls'], 'call')}, about {result['tokens']} tokens; none were spent"
        return Outcome(result, [line, *(f"  {name:<12} {tokens}" for name, tokens in result["by_kb"].items())])
    return _outcome(pulse, _record(pulse, asking.conduct(app, pulse.work)))


def _make_insight(each: picture.Open, app: App, decided: str | None) -> insights.Insight:
    """The insight a matter becomes; `decided`: what is to be done with it, None while that is open."""
    first = each.evidence[0]
    return insights.Insight(
        kb=each.kb,
        title=each.what,
        why=each.why or "raised by the model",
        severity=each.severity,
        concern=each.concern,
        fingerprint=insights.fingerprint(each.kb, first.path, first.quote),
        evidence=list(each.evidence),
        run=app.run,
        matter=each.id,
        created=app.clock.now().isoformat(),
        decided=decided,
    )


def _write_sample(app: App) -> None:
    """The checkout's own knowledge bases have texts dated from the day they are first needed."""
    folders = app.tree.sample_folders()
    if not app.files.exists(app.tree.sample) or any(app.files.exists(folder) for folder in folders):
        return
    for relative, text in sample.sample_files(app.clock.now().date()).items():
        app.files.create(app.tree.inside(relative), text)


def _record(pulse: _Pulse, status: str) -> str:
    """Journal, and the records of a run. Returns the status: PAUSED may come in between."""
    app, now = pulse.app, pulse.now
    if status == "completed":
        try:
            cycle.set_aside(app, pulse.found, now)
        except Stopped:
            status = "stopped"
    journal.entry(app.files, now, "Pulse", _journal_lines(pulse, status), dry_run=app.dry_run)
    waiting = insights.pending(app.files)[0] if status == "completed" else []
    pulse.escalated = bool(pulse.filed) or any(each.decided in (None, "notify") for each in waiting)
    fields = {"kbs_checked": pulse.checked, "issues_found": _tell_issues(pulse.issues), "escalated": pulse.escalated}
    worst = f"; worst: [{pulse.issues[0].kb}] {pulse.issues[0].title}" if pulse.issues else ""
    return pulse.record("pulse", status, fields, f"{pulse.counted}{worst}", limits=pulse.limits or None)


def _tell_issues(issues: Sequence[material.Issue]) -> list[str]:
    return [f"[{issue.kb}] {issue.severity}: {clean_line(issue.title, ONE_LINE)}" for issue in issues]


def _journal_lines(pulse: _Pulse, status: str) -> Iterator[str]:
    if not pulse.kbs:
        yield "no knowledge bases yet"
    yield from (f"**{b.kb.name}**: {'; '.join(filter(None, (_kb_line(b), b.left_out)))}" for b in pulse.found)
    yield from (f"{issue.severity} · [{issue.kb}] {issue.title} ({issue.why})" for issue in pulse.issues)
    titles = {each.id: each.what for each in pulse.picture.matters}
    yield from (f"**Escalated** → {titles[id]} ({id})" for id in pulse.filed)
    if pulse.beyond:
        beyond = "; ".join(each.what for each in pulse.beyond)
        yield f"beyond heartbeat.max_insights ({pulse.limit}), not filed: {beyond}"
    if pulse.asker.degraded:
        yield f"degraded: {pulse.asker.degraded}; rules answered in the model's place"
    if status != "completed":
        yield "stopped: PAUSED was set"


def _kb_line(briefed: briefing.Briefed) -> str:
    if briefed.unavailable is not None:
        return f"unavailable ({briefed.unavailable})"
    return (briefed.result.summary or "the model was not asked") if briefed.look is not None else "unchanged"


def _outcome(pulse: _Pulse, status: str) -> Outcome:
    told: Row = {
        "kbs_checked": pulse.checked,
        "kbs_unchanged": [b.kb.name for b in pulse.found if b.unchanged],
        "kbs_unavailable": [{"name": b.kb.name, "reason": b.unavailable} for b in pulse.found if b.unavailable],
        "kbs_left_out": [{"name": b.kb.name, "what": left} for b in pulse.found if (left := b.left_out)],
        "issues_found": _tell_issues(pulse.issues),
        "issues": [_issue_row(pulse, issue, id) for issue, id in zip(pulse.issues, pulse.ids, strict=False)],
    }
    told |= {"escalated": pulse.escalated, "insights": [*pulse.filed.values()], "escalations": [], "damaged": []}
    follow = [(f"adjutant why {name}", "from the insight back to file and line") for name in pulse.filed.values()][:1]
    follow.append(("adjutant status", "what waits, and the budget"))
    return Outcome(pulse.asker.report(status, "", told), list(_lines(pulse, status)), next_actions=follow)


def _issue_row(pulse: _Pulse, issue: material.Issue, id: str) -> Row:
    """One of `issues`; `when` and `told` are those of its matter before this run tells anything."""
    each = pulse.picture.by_id(id)
    held, insight = picture.row(each) if each is not None else {}, pulse.filed.get(id) or pulse.standing.get(id)
    row = {key: getattr(issue, key) for key in ("kb", "title", "severity", "concern", "why")}
    row |= {"id": id, "when": held.get("when"), "told": held.get("told"), "insight": insight}
    return row | {"evidence": msgspec.to_builtins(issue.cited)}


def _lines(pulse: _Pulse, status: str) -> Iterator[str]:
    """What a person reads in the terminal; what was filed is told by the next step."""
    if not pulse.kbs:
        yield "pulse: no knowledge bases yet; `adjutant kb add NAME PATH` registers a folder of yours"
        return
    yield f"pulse: {pulse.counted}{' (dry run)' if pulse.app.dry_run else ''}"
    for b in pulse.found:
        text = _kb_line(b)
        if b.look is not None and text == b.look.summary:  # in numbers; its worst line stands among the matters
            text = text.split("; ")[0]
        yield f"  {b.kb.name:<12} {clean_line(text, ONE_LINE)}"
        if b.left_out:
            yield f"  {'':<12} not read: {clean_line(b.left_out, ONE_LINE)}"
    today, several = pulse.now.date(), len(pulse.kbs) > 1
    rest = filter(None, (pulse.picture.by_id(id) for id in pulse.ids if id not in pulse.filed))
    told = [f"{each.severity:>10}  {message.line(each, today, several=several)}" for each in rest]
    yield from cut_list(told, MOST_SHOWN, before=" " * 12, hint=": `adjutant today --all`")
    yield from pulse.asker.close("pulse", status)
