"""OPINION. What pulse and review share: look, judge, guard, and let the picture say what becomes of each matter."""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime
from typing import Any

import msgspec

from adjutant import __version__
from adjutant.app import App
from adjutant.domain.heartbeat import silence
from adjutant.domain.matters import drawing, look
from adjutant.domain.matters.picture import CLASH, QUIET, Open, Picture
from adjutant.domain.matters.relevance import Relevance
from adjutant.domain.telling import notices
from adjutant.errors import AdjutantError, Stopped
from adjutant.judgements import briefing, seeing, synthesis
from adjutant.judgements.asking import OFFLINE, Asker
from adjutant.judgements.material import RANK, Issue, severity_of
from adjutant.judgements.recording import COMPLETED, STOPPED
from adjutant.language import pack
from adjutant.language.stems import stems
from adjutant.records import behavior_history, journal, layers, ledger, matters_log, registry
from adjutant.records import contract as contracts
from adjutant.records import heart as hearts
from adjutant.screening.screen import redact_hits, screen

LAYERS = ("soul", "wisdom", "user", "heart")
_WORD = re.compile(r"[^\W\d_]+")


class Cycle:
    """One look at everything, up to what is raised: `issues` in the order of `ids`. `basis`: a hash over all that
    answers depend on beside the knowledge bases; `contract`: None where it cannot be read: then no call tells in
    passing."""

    def __init__(self, app: App, depth: str = "quick") -> None:
        """Raises FileDamaged, ConfigInvalid, IoFailed."""
        self.app, self.now = app, app.clock.now()
        self.asker = Asker(app)
        found = read_layers(app, self.asker)
        self.heart = hearts.parse(found["heart"].text)
        self.kbs = [kb for kb in registry.load(app.files) if kb.enabled]
        self.memory = silence.load(app.files)
        self.basis = silence.basis_of(basis_parts(app, found))
        self.has_model = app.config.text("llm.backend") != OFFLINE
        self.layers = {name: layer.prompt for name, layer in found.items() if name != "heart" and self.has_model}
        self.depth, self.contract = depth, None
        with suppress(AdjutantError):  # what speaks to the operator names it
            self.contract = contracts.block(behavior_history.read_contract(app.files))
        self.found: list[briefing.Briefed] = []
        self.drawing = drawing.Drawing(app.files, self.now, app.run)
        self.picture = Picture(self.now, [], [], [], [])
        self.issues: list[Issue] = []
        self.ids: list[str] = []
        self._floor = RANK[app.config.text("heartbeat.escalate_at")]
        self._owed: set[str] = set()

    def tell_now(self) -> str:
        """Weekday, date, time and zone, for a prompt; for rules the moment alone."""
        if not self.has_model:
            return self.now.isoformat()
        zone = self.app.config.text_or_none("instance.timezone") or f"UTC{self.now:%z}"
        return f"{self.now:%A} {self.now:%Y-%m-%d %H:%M} ({zone})"

    @property
    def known(self) -> silence.Memory:
        return self.memory if self.memory.basis == self.basis else silence.Memory()

    def look(self, memory: silence.Memory, *, full: bool = False) -> None:
        self.found = briefing.survey(self, memory, full=full)
        self.picture = self.drawing.draw({each.kb.name: each.seen for each in self.found})
        self.app.shared["picture"] = self.picture

    def judge(self) -> None:
        """What is raised, and what becomes of each matter; what a model owed and left out is told. Raises Stopped."""
        self._owed = {each.id for each in self.picture.shown() if briefing.is_owed(each, self._floor)}
        if any(each.look is not None for each in self.found):
            room = notices.Notices(self.app).room() if self.has_model else []
            self.issues = keep_news(briefing.judge(self, room), self.found)
        raised = {issue.matter for issue in self.issues}
        for verdict in (one for each in self.found if each.by_model for one in each.result.open):
            open_one = self.picture.by_id(verdict.matter)
            if open_one is not None and not open_one.muted and open_one.id not in raised:
                words = open_one.what if open_one.by != "rules" else ""  # a verdict changes no words
                rests = [one for one in verdict.evidence if not isinstance(one, str)]
                self._judge(open_one, verdict.verdict, verdict.reason, says=words, rests=rests)
        self._raise()
        asked = {each.kb.name for each in self.found if each.by_model}
        for each in self.picture.shown():
            if each.id in self._owed and each.kb in asked and not (each.tell or each.held):
                self.drawing.judge(self.picture, each, drawing.UNJUDGED)
        matters_log.append(self.app.files, self.picture.events)

    def remember(self) -> None:
        if self.asker.degraded is None and not self.app.dry_run:
            silence.save(self.app.files, briefing.remember(self))

    def record(self, kind: str, status: str, fields: Mapping[str, Any], summary: str, **more: Any) -> str:
        """The ledger's line, last_heartbeat.json, and last pulse.json; the status. Raises FileDamaged, IoFailed."""
        app, ended = self.app, None if status == COMPLETED else status
        made: dict[str, Any] = {"run": app.run, "dry_run": app.dry_run, "degraded": self.asker.degraded}
        record = ledger.record(self.now, kind, fields, **made, status=ended, slot=app.slot_text, **more)
        ledger.append(app.files, record)
        try:
            if ended is None:
                ledger.write_last(app.files, record, summary, self.now)
                self.remember()
        except Stopped:
            return STOPPED
        return status

    @property
    def checked(self) -> list[str]:
        return [briefed.kb.name for briefed in self.found if briefed.unavailable is None]

    def is_grave(self, each: Open) -> bool:
        return RANK[severity_of(each.severity)] >= self._floor

    def _raise(self) -> None:
        fresh = (each for each in self.found if each.by_model or not (each.unchanged and self.has_model))
        by = {each.kb.name: each.by if each.by_model else "rules" for each in fresh}
        kept = list[Issue]()
        for issue in self.issues:
            who = by.get(issue.kb, "")
            known = self.picture.at(issue.kb, issue.cited) if who in ("", "rules") else None
            if known is None and who == "rules" and self.drawing.has_settled(issue.kb, issue.cited[0]):
                continue  # rules see the line alone
            if known is None and who:
                known = self._raise_by(who, issue)
            again = who == "rules" and known is not None and known.id in self.ids  # times of a series share a line
            if known is not None and not known.muted and not again:
                kept.append(issue)
                self.ids.append(known.id)
        self.issues = kept
        last = drawing.free_until(self.app.config, self.now) or date.max
        for each in self.picture.shown():
            if by.get(each.kb) == "rules" or (CLASH in each.rests and not each.told):  # code alone sees two folders
                due = each.tellable and not each.held and (each.last or date.min) <= last
                each.tell = (each.tell or due) and self.is_grave(each)

    def _raise_by(self, by: str, issue: Issue) -> Open:
        cited, quiet = issue.cited[0], ""
        if by != "rules":  # quiet is quiet, whoever speaks: by its words, its file and folders
            place = stems(" ".join(_WORD.findall(cited.path)))
            quiet = Relevance(self.heart, issue.kb).quiet(stems(cited.quote), place)
        new = Open(
            kb=issue.kb,
            what=issue.title,
            kind="problem",
            evidence=issue.cited,
            severity=issue.severity,
            certain=False,
            concern=issue.concern,
            by=by,
            why=issue.why,
            muted=f"{QUIET}{quiet}" if quiet else "",
        )
        known = self.drawing.raise_matter(self.picture, new, issue.matter)
        if by == "rules" or known.muted:
            return known
        tell = issue.tell and RANK[issue.severity] >= self._floor
        verdict, reason = (drawing.TELL, "") if tell else (drawing.LOG, issue.why)
        self._judge(known, verdict, reason, says=issue.title, severity=issue.severity)
        return known

    def _judge(self, each: Open, verdict: str, reason: str, **more: Any) -> None:
        """A model's verdict, never under the floor: what is certain and grave is told, or it says why not."""
        if each.id in self._owed and verdict != drawing.TELL:
            verdict = drawing.HOLD if verdict == drawing.LOG else verdict
            if not reason:
                verdict, more = drawing.UNJUDGED, {}
        self.drawing.judge(self.picture, each, verdict, reason=reason, **more)


def read_layers(app: App, asker: Asker, *, named: bool = True) -> dict[str, layers.Layer]:
    """The layers that a judgement is given. One over its limit is `named`, and rules answer."""
    found = {name: layers.read(app.files, app.config, name) for name in LAYERS}
    for problem in filter(None, (layer.problem for layer in found.values())):
        if named:
            app.say(problem)
        asker.by_rules("layer")
    return found


def basis_parts(app: App, found: dict[str, layers.Layer]) -> list[str]:
    """What every answer depends on beside the knowledge bases: layers, prompts, model settings, languages."""
    heads = ("llm.", "heartbeat.", "limits.", "layers.")
    settings = sorted(each for each in app.config.values.items() if each[0].startswith(heads))
    own = [app.tree.template(judgement.TEMPLATE) for judgement in (seeing.PULSE, seeing.BRIEF, synthesis)]
    prompts = [app.files.text(path) if app.files.exists(path) else __version__ for path in own]
    texts, judgements = (found[name].text for name in LAYERS), sorted(app.config.judgements.items())
    return [*texts, repr(settings), repr(judgements), *prompts, pack.digest()]


# -- suspects set aside and journalled, and no hit makes news vanish --------------------------------------------


def keep_news(issues: Sequence[Issue], found: Sequence[briefing.Briefed]) -> list[Issue]:
    """The issues, and one for every grave signal on a set-aside line that was left out; worst first."""
    cited = {(issue.kb, quote.path, quote.line) for issue in issues for quote in issue.cited}
    kept = list(issues)
    for name, seen, signal in ((each.kb.name, each.look, signal) for each in found for signal in each.signals):
        marked = {(s.path, s.line) for s in seen.suspects} if seen is not None else set()
        hit = [quote for quote in signal.evidence if (quote.path, quote.line) in marked]
        places = {(name, quote.path, quote.line) for quote in hit}
        if hit and places.isdisjoint(cited):
            kept.append(msgspec.structs.replace(seeing.issue_of(signal, name), evidence=list(hit)))
            cited |= places
    return sorted(kept, key=lambda issue: -RANK[issue.severity])


def set_aside(app: App, found: Iterable[briefing.Briefed], now: datetime) -> None:
    """The instruction-like lines of looked-at knowledge bases to quarantine and journal. Raises Stopped, IoFailed."""
    looked = ((each.kb.name, suspect) for each in found if each.look is not None for suspect in each.look.suspects)
    put_aside(app, now, ((kb, each.path, each.line, each.reason, each.original) for kb, each in looked))


def screen_text(app: App, text: str, name: str, now: datetime) -> str:
    """A text without its instruction-like lines, which go to quarantine and journal. Raises Stopped, IoFailed."""
    hits, lines = screen(text), text.split("\n")
    put_aside(app, now, (("", name, hit.line, hit.reason, lines[hit.line - 1]) for hit in hits))
    return redact_hits(text, hits, name) if hits else text


def put_aside(app: App, now: datetime, found: Iterable[tuple[str, str, int, str, str]]) -> None:
    """Originals (knowledge base or "", file, line, reason, text) to state/quarantine/, each on a Security line in the
    journal. The journal comes first: a run that dies between the two says it again, and never keeps it to itself."""
    originals, lines = dict[str, bytes](), list[str]()
    for kb, path, line, reason, original in found:
        said = look.replacement(path, line) + (f" of {kb}" if kb else "")
        text = f"{kb}{'/' if kb else ''}{path}:{line}\n{reason}\n\n{original}\n"
        name = f"suspect-{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}.txt"
        if name in originals or app.files.exists(app.tree.quarantined(name)):
            continue  # journalled and set aside by an earlier run
        originals[name] = text.encode("utf-8", "replace")
        lines.append(f"{said} ({reason}): set aside in {app.tree.relative(app.tree.quarantined(name))}")
    if lines:
        app.gate()
        journal.entry(app.files, now, "Security", lines, dry_run=app.dry_run)
    for name, content in originals.items():
        app.files.create(app.tree.quarantined(name), content)
