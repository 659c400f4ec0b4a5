"""STAGE. pulse: every knowledge base looked at, briefed and judged; what matters becomes an insight."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

import msgspec

from adjutant import __version__
from adjutant.app import App, Outcome, names, plural
from adjutant.domain.heartbeat import silence
from adjutant.domain.heartbeat.silence import Memory
from adjutant.domain.matters.drawing import Drawing, free_until, news
from adjutant.domain.matters.picture import Open, Picture
from adjutant.domain.matters.sample import sample_files
from adjutant.domain.prompting import churn
from adjutant.domain.telemetry import spans
from adjutant.domain.telling import digest
from adjutant.domain.telling.again import Said
from adjutant.errors import Stopped
from adjutant.judgements import asking, brief, briefing, guard, recording, triage
from adjutant.judgements.briefing import Briefed, Desk
from adjutant.judgements.material import RANK, Issue, severity_of
from adjutant.language import pack
from adjutant.records import heart as hearts
from adjutant.records import heartbeat, insights, journal, layers, ledger, matters_log, registry
from adjutant.screening.fence import clean_line

if TYPE_CHECKING:
    import argparse

READS = names(
    """
    config identity layer_changes registry knowledge_bases pending sent quarantine marks pulse prompts usage
    sample notices matters
    """
)
WRITES = names(
    """
    journal last_heartbeat actions schedule_state pending pulse runs usage quarantine locks cache sample
    events layer_changes interactions matters today
    """
)
ONE_LINE = 160


class _Pulse:
    """One pulse under way: what it found so far, so that a stop completes the record of what already happened."""

    def __init__(self, app: App, full: bool) -> None:
        self.app, self.now = app, app.clock.now()
        self.asker = asking.Asker.for_app(app)
        heart, self.soul = (layers.read(app.files, app.config, name) for name in ("heart", "soul"))
        self.heart = hearts.parse(heart.text)
        for layer in (heart, self.soul):
            if layer.problem is not None:
                app.say(layer.problem)
                self.asker.by_rules("layer")
        self.kbs = [kb for kb in registry.load(app.files) if kb.enabled]
        self.memory = silence.load(app.files)
        self.basis = silence.basis_of(basis_parts(app, heart.text, self.soul.text))
        self.known = Memory() if full or self.memory.basis != self.basis else self.memory
        self.desk = Desk(app, self.asker, self.heart, self.now)
        self.found: list[Briefed] = []
        self.drawing = Drawing(app.files, self.now, app.run)
        self.picture = Picture(self.now, [], [], [], [])
        self.issues: list[Issue] = []
        self.ids: list[str] = []
        self.filed: dict[str, str] = {}
        self.standing: dict[str, str] = {}
        self.beyond: list[Open] = []
        self.escalated = False

    def work(self) -> None:
        """Survey, briefs, triage, the picture, filing. Raises Stopped between effects."""
        self.found = briefing.survey(self.desk, self.kbs, self.known)
        self.picture = self.drawing.draw({briefed.kb.name: briefed.seen for briefed in self.found})
        self.app.shared["picture"] = self.picture
        briefing.ask_all(self.desk, self.found)
        if any(briefed.look is not None for briefed in self.found):
            self.issues = guard.keep_news(self._judged(), self.found)
        self._decide()
        matters_log.append(self.app.files, self.picture.events)
        self._file()
        self.app.files.replace(self.app.tree.today, digest.page(self.picture, several=len(self.kbs) > 1))

    def _judged(self) -> list[Issue]:
        """What the triage makes of the briefs. A model is not asked to choose from nothing."""
        reached = [briefed for briefed in self.found if briefed.unavailable is None]
        if self._has_model() and not any(briefed.result.items for briefed in reached):
            return []
        answer = self.asker.ask(
            triage,
            triage.Inputs(
                now=self.now.isoformat(),
                heart=self.heart,
                soul=self.soul.prompt,
                briefs=[triage.Brief(b.kb.name, b.result.summary, b.result.items) for b in reached],
                signals={b.kb.name: b.signals for b in reached},
            ),
        )
        return answer.result.issues

    def _has_model(self) -> bool:
        return self.app.config.text("llm.backend") != "offline"

    def _decide(self) -> None:
        """Which matters are to be told: what a model raised, now or when it was last asked, or where none answered
        what is certain and grave."""
        floor = RANK[self.app.config.text("heartbeat.escalate_at")]
        by_model = self._has_model() and self.asker.degraded is None
        asked = by_model and any(briefed.look is not None for briefed in self.found)
        for each in self.picture.matters:
            each.tell = each.tell and not asked and RANK[severity_of(each.severity)] >= floor
        kept = list[Issue]()
        for issue in self.issues:
            known = None if by_model else self.picture.at(issue.kb, issue.evidence)
            if known is None:
                by = self.app.config.text("llm.backend") if by_model else "rules"
                known = self.drawing.judge(self.picture, issue, by=by)
                known.tell = RANK[issue.severity] >= floor
            if not known.muted:
                kept.append(issue)
                self.ids.append(known.id)
        self.issues = kept
        if not by_model:
            last = free_until(self.app.config, self.now) or date.max
            for each in self.picture.shown():
                grave = each.tellable and not each.held and RANK[severity_of(each.severity)] >= floor
                each.tell = each.tell or (grave and (each.last or date.min) <= last)

    def _file(self) -> None:
        """An insight for each matter to tell that is news, the gravest first, each whole before the next; one that
        waits already stands."""
        app = self.app
        waiting = {each.matter: each.name for each in insights.pending(app.files)[0] if each.matter}
        limit, days = (app.config.whole(f"heartbeat.{name}") for name in ("max_insights", "cooldown_days"))
        told = self.drawing.told_since((self.now - timedelta(days=days)).isoformat(), self.picture)
        said = Said(self.picture.matters, [*told, *(each for each in self.picture.matters if each.id in waiting)])
        for each in sorted(self.picture.shown(), key=lambda each: each.rank, reverse=True):
            if each.id in waiting:
                self.standing[each.id] = waiting[each.id]
            elif each.tell and news(each, self.drawing.known, self.now, days) and not said.holds(each):
                if len(self.filed) < limit:
                    self.filed[each.id] = insights.file(app.files, insight_of(each, app), self.now)
                    said.add(each)
                else:
                    self.beyond.append(each)

    @property
    def checked(self) -> list[str]:
        return [briefed.kb.name for briefed in self.found if briefed.unavailable is None]

    @property
    def summary(self) -> str:
        """One line for last_heartbeat.json."""
        asked = sum(briefed.look is not None for briefed in self.found)
        if not self.found:
            return "no knowledge bases"
        if not asked:
            return f"{plural(len(self.checked), 'knowledge base')}, nothing new"
        worst = f"; worst: [{self.issues[0].kb}] {self.issues[0].title}" if self.issues else ""
        looked, found = plural(len(self.checked), "knowledge base"), plural(len(self.issues), "issue")
        return f"{looked}, {found}, {len(self.filed)} filed{worst}"


def run(app: App, args: argparse.Namespace) -> Outcome:
    """Result by spec/60. Raises FileDamaged, ConfigInvalid, IoFailed."""
    _write_sample(app)
    pulse = _Pulse(app, args.full or args.estimate)
    if args.estimate:
        spans.forget(app)
        return _estimate(pulse)
    recording.prune(app.files, pulse.now, app.config.whole("runs.keep_days"))
    status = "completed"
    try:
        churn.note_all(app.files, app.config, pulse.now, app.run)
        pulse.work()
    except Stopped:
        status = "stopped"
    return _outcome(pulse, _record(pulse, status))


def insight_of(each: Open, app: App) -> insights.Insight:
    """The insight a matter becomes."""
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
    )


def basis_parts(app: App, heart: str, soul: str) -> list[str]:
    """What every answer depends on beside the knowledge bases: heart, soul, prompts, model settings, languages."""
    settings = {
        name: value
        for name, value in app.config.values.items()
        if name.startswith(("llm.", "heartbeat.", "limits.", "layers."))
    }
    own = [app.tree.template(judgement.TEMPLATE) for judgement in (brief, triage)]
    prompts = [app.files.text(path) if app.files.exists(path) else __version__ for path in own]
    return [
        heart,
        soul,
        repr(sorted(settings.items())),
        repr(sorted(app.config.judgements.items())),
        *prompts,
        pack.digest(),
    ]


def _write_sample(app: App) -> None:
    """The checkout's own knowledge bases have texts dated from the day they are first needed."""
    folders = app.tree.sample_folders()
    if not app.files.exists(app.tree.sample) or any(app.files.exists(folder) for folder in folders):
        return
    for relative, text in sample_files(app.clock.now().date()).items():
        app.files.create(app.tree.inside(relative), text)


def _record(pulse: _Pulse, status: str) -> str:
    """Journal, ledger, last_heartbeat, and last of all pulse.json. Returns the status: PAUSED may come in between."""
    app, now = pulse.app, pulse.now
    if status == "completed":
        try:
            guard.set_aside(app, pulse.found, now)
        except Stopped:
            status = "stopped"
    journal.entry(app.files, now, "Pulse", _journal_lines(pulse, status), dry_run=app.dry_run)
    pulse.escalated = bool(pulse.filed) or (status == "completed" and insights.any_untold(app.files))
    fields = {"kbs_checked": pulse.checked, "issues_found": one_lines(pulse.issues), "escalated": pulse.escalated}
    record = ledger.record(
        now,
        "pulse",
        fields,
        run=app.run,
        dry_run=app.dry_run,
        degraded=pulse.asker.degraded,
        status=None if status == "completed" else status,
        slot=app.slot_text,
    )
    ledger.append(app.files, record)
    if status != "completed":
        return status
    try:
        heartbeat.write_last(app.files, record, pulse.summary, now)
        if pulse.asker.degraded is None and not app.dry_run:
            silence.save(
                app.files,
                Memory(
                    pulse.basis,
                    dict(
                        briefing.remembered(pulse.found, pulse.memory, now, app.config.whole("heartbeat.horizon_days"))
                    ),
                ),
            )
    except Stopped:
        return "stopped"
    return status


def one_lines(issues: Sequence[Issue]) -> list[str]:
    """Each issue as one line: [kb] severity: title."""
    return [f"[{issue.kb}] {issue.severity}: {clean_line(issue.title, ONE_LINE)}" for issue in issues]


def _journal_lines(pulse: _Pulse, status: str) -> list[str]:
    lines = [f"**{b.kb.name}**: {'; '.join(filter(None, (_kb_line(b), briefing.left_out(b))))}" for b in pulse.found]
    lines += [f"{issue.severity} · [{issue.kb}] {issue.title} ({issue.why})" for issue in pulse.issues]
    titles = {each.id: each.what for each in pulse.picture.matters}
    lines += [f"**Escalated** → {titles[id]} ({id})" for id in pulse.filed]
    if pulse.beyond:
        limit = pulse.app.config.whole("heartbeat.max_insights")
        names = "; ".join(each.what for each in pulse.beyond)
        lines.append(f"beyond heartbeat.max_insights ({limit}), not filed: {names}")
    if pulse.asker.degraded:
        lines.append(f"degraded: {pulse.asker.degraded}; rules answered in the model's place")
    if status != "completed":
        lines.append("stopped: PAUSED was set")
    return lines or ["no knowledge bases yet"]


def _kb_line(briefed: Briefed) -> str:
    if briefed.unavailable is not None:
        return f"unavailable ({briefed.unavailable})"
    if briefed.unchanged or briefed.look is None:
        return "unchanged"
    return briefed.result.summary or "not asked about"


def _outcome(pulse: _Pulse, status: str) -> Outcome:
    app = pulse.app
    result: dict[str, Any] = {
        "run": app.run,
        "status": status,
        "reason": None if status == "completed" else "paused",
        "dry_run": app.dry_run,
        "kbs_checked": pulse.checked,
        "kbs_unchanged": [b.kb.name for b in pulse.found if b.unchanged],
        "kbs_unavailable": [{"name": b.kb.name, "reason": b.unavailable} for b in pulse.found if b.unavailable],
        "kbs_left_out": [{"name": b.kb.name, "what": left} for b in pulse.found if (left := briefing.left_out(b))],
        "issues_found": one_lines(pulse.issues),
        "issues": [
            issue_row(issue, id, pulse.filed.get(id) or pulse.standing.get(id))
            for issue, id in zip(pulse.issues, pulse.ids, strict=False)
        ],
        "escalated": pulse.escalated,
        "insights": list(pulse.filed.values()),
        "escalations": [],
        "damaged": [],
        "model_calls": pulse.asker.calls,
        "tokens": pulse.asker.tokens,
        "degraded": pulse.asker.degraded,
    }
    follow: list[tuple[Any, ...]] = [("adjutant status", "what waits, and the budget")]
    if pulse.filed:
        follow.insert(0, (f"adjutant why {next(iter(pulse.filed.values()))}", "from the insight back to file and line"))
    if not pulse.kbs:
        names = {"name": "a short name", "path": "a folder of yours"}
        follow.insert(0, ("adjutant kb add <name> <path>", "register a folder", names))
    return Outcome(result, _lines(pulse, status), next_actions=follow)


def issue_row(issue: Issue, id: str | None, insight: str | None) -> dict[str, Any]:
    """One element of `issues` in the result."""
    return {
        "id": id,
        "kb": issue.kb,
        "title": issue.title,
        "severity": issue.severity,
        "concern": issue.concern,
        "why": issue.why,
        "evidence": msgspec.to_builtins(issue.evidence),
        "insight": insight,
    }


def _lines(pulse: _Pulse, status: str) -> list[str]:
    """What a person reads in the terminal."""
    if not pulse.kbs:
        return ["pulse: no knowledge bases yet; `adjutant kb add NAME PATH` registers a folder of yours"]
    lines = [f"pulse: {pulse.summary}" + (" (dry run)" if pulse.app.dry_run else "")]
    for b in pulse.found:
        lines.append(f"  {b.kb.name:<12} {clean_line(_kb_line(b), 64)}")
        if left := briefing.left_out(b):
            lines.append(f"  {'':<12} not read: {clean_line(left, ONE_LINE)}")
    for issue, id in zip(pulse.issues, pulse.ids, strict=False):
        cited = issue.evidence[0]
        lines.append(f"{issue.severity:>9}  {issue.title}")
        lines.append(f"{'':>9}  {issue.why} · {issue.kb}: {cited.path}:{cited.line} · {id}")
    if pulse.asker.told:
        lines.append(pulse.asker.told)
    if status != "completed":
        lines.append("pulse: stopped, paused")
    return lines


def _estimate(pulse: _Pulse) -> Outcome:
    """Calls, tokens, by_kb and by_layer of a full pulse."""
    pulse.found = briefing.survey(pulse.desk, pulse.kbs, Memory())
    asked = [b for b in pulse.found if b.look is not None]
    planned = [(b.kb.name, brief, briefing.inputs_of(pulse.desk, b)) for b in asked]
    ahead = triage.Inputs(
        now=pulse.now.isoformat(),
        heart=pulse.heart,
        soul=pulse.soul.prompt,
        signals={},
        briefs=[triage.Brief(name, inputs.summary, brief.rules(inputs).items) for name, _, inputs in planned],
    )
    layer_texts = {"soul": pulse.soul.prompt, "heart": "\n".join(text for _, text in pulse.heart.items())}
    result = asking.estimate(pulse.app, [*planned, (None, triage, ahead)], layer_texts)
    lines = [f"a full pulse: {result['calls']} calls, about {result['tokens']} tokens; none were spent"]
    lines += [f"  {name:<12} {tokens}" for name, tokens in result["by_kb"].items()]
    return Outcome(result, lines)
