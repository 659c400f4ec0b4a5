"""STAGE. review and reflect: the day in one journal entry, every pending insight consumed, one notice at most."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from adjutant.app import App, names
from adjutant.domain.heartbeat import silence
from adjutant.domain.heartbeat.silence import Memory
from adjutant.domain.matters import wording
from adjutant.domain.matters.picture import Closed
from adjutant.domain.matters.signal import Evidence
from adjutant.domain.telling import digest, message, notices
from adjutant.domain.telling.digest import Digest
from adjutant.judgements import briefing, synthesis, triage
from adjutant.judgements.briefing import Briefed
from adjutant.judgements.cycle import Cycle
from adjutant.judgements.material import Issue, severity_of
from adjutant.records import (
    insights,
    journal,
    notice_log,
)
from adjutant.records.insight import Cited
from adjutant.screening.screen import redact_hits, screen
from adjutant.store.files import sha256

if TYPE_CHECKING:
    pass

READS = names(
    """
    config identity layer_changes journal registry knowledge_bases pending sent notices marks matters contract
    behavior_history evolution_log prompts usage pulse
    """
)
WRITES = names(
    """
    journal last_heartbeat actions schedule_state pending sent notices notify_counts outbox runs usage
    behavior quarantine locks cache events layer_changes interactions matters today pulse
    """
)
MOST_MATTERS = 60  # that a model is shown
SECTIONS = (
    ("What changed", "changed"),
    ("At risk", "at_risk"),
    ("Decisions needed", "decisions"),
    ("Recommendations", "recommendations"),
)


class _Review(Cycle):
    """One review under way."""

    def __init__(self, app: App, tier: str) -> None:
        super().__init__(app, "deep")
        self.tier = tier
        self.waiting, self.damaged = insights.pending(app.files)
        self.held = notices.held_back(app.files, app.clock)
        self.result: synthesis.Result | None = None
        self.said: dict[str, Any] = {}
        self.digest = Digest("", [], False)
        self.notice: str | None = None
        self.consumed: list[str] = []

    def work(self, contract: str) -> None:
        """What a pulse would ask, as far as none has asked it yet, and the synthesis, which speaks under the block
        `contract`. Raises Stopped."""
        self.look(self.known if self.desk.has_model else Memory())
        self.judge()
        inputs = synthesis.Inputs(
            now=self.desk.said_now() if self.desk.has_model else self.now.isoformat(),
            heart=self.heart,
            briefs=[
                triage.Brief(each.kb.name, each.result.summary, self._open(each))
                for each in self.found
                if each.unavailable is None
            ],
            issues=self._standing(),
            insights=[
                synthesis.Waiting(i.name, i.kb, i.title, severity_of(i.severity), i.notice)
                for i in self.waiting
                if not self._is_muted(i.evidence, i.kb)
            ],
            held_back=[str(held["text"]) for held in self.held],
            journal=self._journal(),
            layers=dict(self.desk.layers) if self.desk.has_model else {},
            matters=self._matters(),
        )
        self.result = self._said_today(inputs, contract)
        if self.result is None:
            answer = self.asker.ask(synthesis, inputs, model_tier=self.tier, contract=contract)
            self.result = answer.result
            if answer.degraded is None and self.desk.has_model:
                self.said = self._note_of(inputs, contract, answer.result)

    def _standing(self) -> list[Issue]:
        """What was raised now, and what a model said before is to be told."""
        told = (each for each in self.picture.shown() if each.tell and each.id not in self.ids)
        return [*self.issues, *map(_issue_of, told)] if self.desk.has_model else self.issues

    def _matters(self) -> list[str]:
        """The picture's lines for a model, the gravest first."""
        if not self.desk.has_model:
            return []
        several, today = len(self.kbs) > 1, self.now.date()
        shown = [each for each in self.picture.shown() if each.certain or each.listed or each.held]
        return [message.line(each, today, several=several, reasons=True) for each in shown[:MOST_MATTERS]]

    def _note_of(self, inputs: synthesis.Inputs, contract: str, result: synthesis.Result) -> dict[str, Any]:
        """What pulse.json keeps of a review."""
        plain = msgspec.to_builtins(msgspec.structs.replace(inputs, now="", journal="", insights=[], held_back=[]))
        asked = sha256(repr((plain, contract, self.tier)).encode("utf-8", "replace"))
        return {"day": self.now.date().isoformat(), "asked": asked, "said": msgspec.to_builtins(result)}

    def _said_today(self, inputs: synthesis.Inputs, contract: str) -> synthesis.Result | None:
        """What a review of today was answered to the same: nothing is asked twice a day that did not change."""
        before = self.memory.review
        if not self.desk.has_model or inputs.insights or inputs.held_back:
            return None
        empty = synthesis.Result([], [], [], [], False, "")
        made = self._note_of(inputs, contract, empty)
        if (made["day"], made["asked"]) != (before.get("day"), before.get("asked")):
            return None
        try:
            self.said = before
            return msgspec.structs.replace(msgspec.convert(before.get("said"), synthesis.Result), notify=False)
        except msgspec.ValidationError:
            return None

    def remember(self) -> None:
        """As after a pulse, and what this review was answered."""
        if self.asker.degraded is None and not self.app.dry_run and self.desk.has_model:
            horizon = self.app.config.whole("heartbeat.horizon_days")
            kept = briefing.remember(self.desk, self.found, self.memory, horizon)
            silence.save(self.app.files, msgspec.structs.replace(kept, review=self.said))

    def _open(self, briefed: Briefed) -> list[Issue]:
        """A brief's items but those whose matter the operator marked done, useless or snoozed."""
        return [item for item in briefed.result.items if not self._is_muted(item.cited, briefed.kb.name)]

    def _is_muted(self, evidence: Sequence[Evidence | Cited], kb: str) -> bool:
        found = self.picture.at(kb, [Evidence(c.path, c.line, c.quote) for c in evidence]) if evidence else None
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
            kbs = {each.id: each.kb for each in self.picture.matters}
            sent = notices.for_app(self.app).send(
                self.digest.text or "Nothing is open.",
                f"review-{self.now.date().isoformat()}",
                "review",
                matters=[(id, kbs[id]) for id in self.digest.ids],
            )
            self.notice = sent.would or sent.outcome
        notices.fold(self.app.files, self.held, now=self.now, run=self.app.run)
        self.app.files.replace(self.app.tree.today, digest.page(self.picture, several=len(self.found) > 1))

    def _digest(self) -> Digest:
        since = notice_log.last_digest(self.app.files, self.now)
        known = self.drawing.known.values()
        settled = [
            Closed(each.id, each.kb, each.what, each.state, each.path)
            for each in known
            if each.state in ("done", "dropped") and each.changed > since
        ]
        marked = self.drawing.marks
        settled += [
            Closed(each.id, each.kb, each.what, "marked done", each.place)
            for each in self.picture.matters
            if (mark := marked.get(each.id)) and mark["state"] == "done" and str(mark["ts"]) > since
        ]
        said = (
            self.result
            if self.result is not None and self.result.notify and self.desk.has_model and self.asker.degraded is None
            else None
        )
        return digest.compose(
            self.picture,
            since=since,
            settled=[*self.picture.closed, *settled],
            notes=[*filter(None, (self._first_note(briefed, since) for briefed in self.found)), *self._advice()],
            several=len(self.found) > 1,
            headline=wording.title(said.headline) if said is not None else "",
        )
