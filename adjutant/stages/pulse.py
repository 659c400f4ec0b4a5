"""STAGE. pulse: every knowledge base looked at, briefed and judged; what matters becomes an insight."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from adjutant import __version__
from adjutant.app import App, Outcome, names, plural
from adjutant.domain.heartbeat import silence
from adjutant.domain.heartbeat.silence import Memory
from adjutant.domain.matters.sample import sample_files
from adjutant.domain.prompting import churn
from adjutant.domain.telemetry import spans
from adjutant.errors import Stopped
from adjutant.judgements import asking, brief, briefing, guard, recording, triage
from adjutant.judgements.briefing import Briefed, Desk
from adjutant.judgements.material import RANK, Issue, prints
from adjutant.language import pack
from adjutant.records import heart as hearts
from adjutant.records import heartbeat, insights, journal, layers, ledger, marks, registry
from adjutant.screening.fence import clean_line

if TYPE_CHECKING:
    import argparse

READS = names(
    """
    config identity layer_changes registry knowledge_bases pending sent quarantine marks pulse prompts usage
    sample
    """
)
WRITES = names(
    """
    journal last_heartbeat actions schedule_state pending pulse runs usage quarantine locks cache sample
    events layer_changes interactions
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
        self.woken = marks.ended(app.files, self.now)
        self.basis = silence.basis_of([*basis_parts(app, heart.text, self.soul.text), repr(self.woken)])
        self.known = Memory() if full or self.memory.basis != self.basis else self.memory
        self.desk = Desk(app, self.asker, self.heart, self.now)
        self.found: list[Briefed] = []
        self.issues: list[Issue] = []
        self.filed: dict[int, str] = {}
        self.standing: dict[int, str] = {}
        self.beyond: list[Issue] = []
        self.escalated = False

    def work(self) -> None:
        """Survey, briefs, triage, filing. Raises Stopped between effects."""
        self.found = briefing.survey(self.desk, self.kbs, self.known)
        briefing.ask_all(self.desk, self.found)
        if any(briefed.look is not None for briefed in self.found):
            self.issues = self._triaged()
            self._file()

    def _triaged(self) -> list[Issue]:
        issues = guard.keep_news(self._judged(), self.found)
        quiet = marks.silenced(self.app.files, self.now)
        return [issue for issue in issues if not (prints(issue, issue.kb) & quiet)]

    def _judged(self) -> list[Issue]:
        """What the triage makes of the briefs. A model is not asked to choose from nothing."""
        reached = [briefed for briefed in self.found if briefed.unavailable is None]
        if self.app.config.text("llm.backend") != "offline" and not any(briefed.result.items for briefed in reached):
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

    def _file(self) -> None:
        """Insights for what is grave and not filed lately, worst first, each whole before the next."""
        app = self.app
        recent = insights.recent(app.files, self.now, app.config.whole("heartbeat.cooldown_days"))
        floor, limit = RANK[app.config.text("heartbeat.escalate_at")], app.config.whole("heartbeat.max_insights")
        for index, issue in enumerate(self.issues):
            before = [recent[p] for p in prints(issue, issue.kb) if p in recent and not self._snoozed(recent[p])]
            if before and max(RANK[known.severity] for known in before) >= RANK[issue.severity]:
                self.standing[index] = before[0].name
            elif RANK[issue.severity] >= floor:
                if len(self.filed) >= limit:
                    self.beyond.append(issue)
                    continue
                made = insight_of(issue, app)
                made.name = self.filed[index] = insights.file(app.files, made, self.now)
                recent |= dict.fromkeys(made.prints(), made)  # the next one may be about the same line

    def _snoozed(self, known: insights.Insight) -> bool:
        """True for an insight of before a snooze that is over: its matter is to come up again."""
        return known.created[:10] < self.woken.get(known.fingerprint, "")

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


def insight_of(issue: Issue, app: App) -> insights.Insight:
    """The insight an issue becomes."""
    first = issue.evidence[0]
    return insights.Insight(
        kb=issue.kb,
        title=issue.title,
        why=issue.why,
        severity=issue.severity,
        concern=issue.concern,
        fingerprint=insights.fingerprint(issue.kb, first.path, first.quote),
        evidence=list(issue.evidence),
        run=app.run,
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
    pulse.escalated = bool(pulse.filed) or (status == "completed" and insights.any_new(app.files))
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
    lines += [f"**Escalated** → {pulse.issues[index].title}" for index in pulse.filed]
    if pulse.beyond:
        limit = pulse.app.config.whole("heartbeat.max_insights")
        names = "; ".join(issue.title for issue in pulse.beyond)
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
        "issues": [issue_row(i, pulse.filed.get(n) or pulse.standing.get(n)) for n, i in enumerate(pulse.issues)],
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


def issue_row(issue: Issue, insight: str | None) -> dict[str, Any]:
    """One element of `issues` in the result."""
    return {
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
    for index, issue in enumerate(pulse.issues):
        cited = issue.evidence[0]
        mark = "filed" if index in pulse.filed else "known" if index in pulse.standing else ""
        lines.append(f"{issue.severity:>9}  {issue.title}" + (f"  ({mark})" if mark else ""))
        lines.append(f"{'':>9}  {issue.why}")
        lines.append(f"{'':>9}  {issue.kb}: {cited.path}:{cited.line}")
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
