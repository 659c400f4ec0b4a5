"""DOMAIN. Notices, the only way out: PAUSED, dry run, duplicate, budget, quiet hours, reserve, send, settle.

Why no crash can overspend. A notice leaves only after two durable writes, in this order and under the lock `notices`:
the count file (+1), then the `reserved` line. A kill
- before or within the first write: nothing left, nothing counted (the replace is atomic);
- between the two: a slot is lost for the day, the key is free, nothing left;
- after the second, or while sending: the slot is used and the `reserved` line, which nobody settles, reads `unknown`:
  that key is never sent again by itself;
- after sending, before `sent` is written: the same, to the safe side;
- after a definite failure was written, before the slot is given back: a slot is lost for the day, nothing left.
The slots used are the larger of the count file and the reservations on record, so neither file alone can give a second
budget. The day is looked at again right before sending: a notice reserved before midnight does not leave after it.
"""

from collections.abc import Sequence
from datetime import date
from typing import Any

import msgspec

from adjutant.app import App
from adjutant.domain.schedule import slots as schedule
from adjutant.domain.telemetry import spans
from adjutant.domain.telling import budget, standing
from adjutant.domain.telling.budget import Slots
from adjutant.errors import ChannelUnavailable, ConfigInvalid, LockBusy, Stopped, UsageError
from adjutant.ports import Notifier, Refused, Told, Uncertain
from adjutant.records import ledger, notice_log, registry
from adjutant.records.notice_log import History
from adjutant.screening.fence import clean_line
from adjutant.store import switches

KINDS = ("escalation", "review", "manual", "failure", "advice")
MAX_CHARS, LABEL_CHARS, KEY_CHARS = 500, 64, 120
LINED = {"escalation": 1200, "review": 3900}  # kinds of several lines, and their characters
TRIES_A_SLOT = 3
ROOM_LINES = 20  # of what was told lately
REASON_CHARS = 60  # a digest and what is said of two channels is still one message of Telegram's
WORDS = {  # outcomes, as they are told
    "sent": "sent",
    "failed": "not sent",
    "unknown": "may or may not have been sent",
    "paused": "held back: paused",
    "dry_run": "dry run",
    "budget_exceeded": "held back: no budget",
    "quiet_hours": "held back: quiet hours",
    "not_primary": "held back: another machine tells",
    "duplicate": "already sent, so not sent again",
}


class Sent(msgspec.Struct, frozen=True):
    """What came of a notice. `outcome` by spec/60; `count` of `max_per_day` slots are used; `would` is the outcome a
    wet run would have had; `detail` says why, for people."""

    outcome: str
    key: str
    count: int
    max_per_day: int
    would: str | None = None
    detail: str = ""


class _Notice(msgspec.Struct):
    kind: str
    text: str = ""
    key: str = ""
    insight: str | None = None
    channel: str = ""
    matters: list[str] = []
    kbs: list[str] = []
    buttons: Sequence[Told] = ()
    critical: bool = False
    down: dict[str, str] = {}


class Notices:
    """The notices of one command."""

    def __init__(self, app: App) -> None:
        self._app, self._files, self._config, self._clock = app, app.files, app.config, app.clock
        self._max = app.config.whole("notifications.max_per_day")
        self._fallback = app.config.paths("notifications.fallback")
        self._pretended: list[dict[str, Any]] = []

    def send(
        self,
        text: str,
        key: str,
        kind: str,
        insight: str | None = None,
        *,
        matters: Sequence[tuple[str, str]] = (),
        buttons: Sequence[Told] = (),
        critical: bool = False,
    ) -> Sent:
        """One message, or the reason why not; every outcome is on record. One line of at most 500 characters, or what
        LINED allows. `matters`: (id, knowledge base) of those that it names, `buttons` of those that may have
        some; `critical`: it may take the digest's slot.

        Raises UsageError (no text, unknown kind), LockBusy, FileDamaged, IoFailed; whatever `notifier` raises when it
        cannot be built. Once the message may have left, the slot stays used, whatever is raised.
        """
        if kind not in KINDS:
            raise UsageError(f"`{kind}` is not a kind of notice", f"one of {' '.join(KINDS)}")
        channel = self._config.text("notifications.channel")
        kbs, named = sorted({kb for _, kb in matters}), [id for id, _ in matters]
        text = tidy(self._files.blotter.text(text), kind)
        notice = _Notice(kind, text, _check_key(key), insight, channel, named, kbs, buttons, critical)
        if not notice.text:
            raise UsageError("a notice needs a text")
        with spans.share(self._app).span("notice", kind=kind, key=notice.key, channel=channel) as span:
            sent = self._send(notice)
            span.set(outcome=sent.outcome)
            return sent

    def stopped(self, kind: str, *, critical: bool = False) -> str | None:
        """The outcome that would stop a new notice of this kind now, None where one may leave. Raises FileDamaged,
        IoFailed."""
        return self._look(_Notice(kind, critical=critical))[0]

    def room(self) -> list[str]:
        """What was told today and yesterday, and what may still be, a line each: for whoever decides what is worth
        telling. Raises FileDamaged, IoFailed."""
        now = self._clock.now()
        _, slots, _ = self._look(_Notice("escalation"))
        left = f"{slots.left} of {slots.maximum} notices of today are left"
        if slots.left and self._digest_is_due():
            left += ", one of them for the evening digest unless something is critical"
        lines = [left]
        if standing.is_quiet(self._config, now):
            lines.append("quiet hours: nothing leaves now")
        left_lately = notice_log.lately(self._files, now)
        told = [f"told {ts[:16]}: {line}" for ts, text in left_lately for line in text.split("\n") if line]
        return [*lines, *told[-ROOM_LINES:]]

    def _send(self, notice: _Notice) -> Sent:
        if switches.is_on(self._files.tree.paused):
            return self._suppress(notice, "paused", self._look(notice)[1], "PAUSED is set")
        if self._app.dry_run:
            return self._pretend(notice)
        return self._reserve_and_send(notice, None if self._fallback else self._app.notifier())

    def _reserve_and_send(self, notice: _Notice, alone: Notifier | None) -> Sent:
        again = False
        while True:
            reserved = self._reserve(notice, again)
            if isinstance(reserved, Sent):
                return reserved
            day, slots = reserved
            if switches.is_on(self._files.tree.paused):
                return self._settle(notice, "paused", "PAUSED was set", slots)
            if self._clock.now().date() == day:
                return self._settle(notice, *self._deliver(alone, notice, day), slots)
            self._give_back(slots)
            again = True

    def _reserve(self, notice: _Notice, again: bool) -> Sent | tuple[date, Slots]:
        """(the local day, its slots with one more used), both writes durable; or the outcome that stops the notice.

        `again`: our own reservation is on record, of a day that has passed meanwhile.
        """
        with self._files.lock("notices"):
            stop, slots, detail = self._look(notice, again)
            if stop is not None:
                return self._suppress(notice, stop, slots, detail, returned=again)
            day = self._clock.now().date()
            budget.take(self._files, slots)
            self._record(notice, "reserved", None)
            return day, slots

    def _look(self, notice: _Notice, again: bool = False) -> tuple[str | None, Slots, str]:
        """(the outcome that stops this notice or None, the day's slots, why)."""
        now = self._clock.now()
        history = History([*notice_log.read(self._files, now), *self._pretended], self._clock, now)
        slots = budget.read(self._files, now, self._max, history.used)
        for problem in standing.problems(slots):
            self._app.say(problem)
        if self._app.elsewhere:
            return "not_primary", slots, f"{self._app.elsewhere} tells"
        if notice.key in history.spent and not again:
            return "duplicate", slots, "this key was sent before, or may have been"
        why_not = _no_budget(slots, history, notice) or self._hold_back(slots, history, notice)
        if why_not:
            return "budget_exceeded", slots, why_not
        if standing.is_quiet(self._config, now):
            return "quiet_hours", slots, "quiet hours"
        return None, slots, ""

    def _hold_back(self, slots: Slots, history: History, notice: _Notice) -> str:
        """Why an ordinary notice may not take the day's last slot: the digest is still to come, or one knowledge base
        would have had them all."""
        if notice.kind != "escalation" or slots.left > 1 or slots.maximum < 2:
            return ""
        if not notice.critical and self._digest_is_due():
            return "the last slot of today is the digest's"
        if len(notice.kbs) == 1 and sum(kb.enabled for kb in registry.load(self._files)) > 1:
            own = history.kbs[notice.kbs[0]]
            if own > min((count for kb, count in history.kbs.items() if kb != notice.kbs[0]), default=0):
                return f"{notice.kbs[0]} has had more notices of today than others"
        return ""

    def _digest_is_due(self) -> bool:
        """Whether a scheduled review is still to run today, and its digest to leave."""
        text, now = self._config.text_or_none("schedule.review"), self._clock.now()
        if text is None or self._config.text("review.deliver") == "never":
            return False
        coming = schedule.following(text, now)
        return coming is not None and coming.date() == now.date()

    def _pretend(self, notice: _Notice) -> Sent:
        """A dry run: the checks are made, their outcome is on record, nothing is counted, built or sent."""
        stop, slots, detail = self._look(notice)
        would = stop or "sent"
        self._record(notice, "suppressed", "dry_run", would=would)
        if would == "sent":
            made = standing.event("reserved", None, self._clock.now(), self._app.run, msgspec.structs.asdict(notice))
            self._pretended.append({**made, "kbs": notice.kbs})
        return Sent("dry_run", notice.key, slots.used, self._max, would, detail or "dry run")

    def _deliver(self, alone: Notifier | None, notice: _Notice, day: date) -> tuple[str, str]:
        """(outcome, detail) of the sending itself, through the first channel that takes it. Only one that certainly
        took nothing is followed by another; the next notice tries the first again."""
        told = standing.down_now(notice_log.read(self._files, self._clock.now())) if self._fallback else {}
        for name in (notice.channel, *self._fallback):
            notice.channel = name
            if notice.down and (stop := self._stops(day)) is not None:
                return stop
            fresh = {each: why[:REASON_CHARS] for each, why in notice.down.items() if each not in told}
            news = "".join(f"\n({each} is down: {why})" for each, why in fresh.items())
            outcome, detail = self._try(alone, notice, notice.text + news)
            if outcome != "failed":
                return outcome, detail
            notice.down[name] = detail
        return "failed", "; ".join(notice.down.values())

    def _try(self, alone: Notifier | None, notice: _Notice, text: str) -> tuple[str, str]:
        try:
            (alone or self._app.notifier(notice.channel)).send(text, notice.key, notice.buttons)
        except (Refused, ConfigInvalid, ChannelUnavailable) as error:
            return "failed", one_line(self._files.blotter.text(str(error)))
        except Uncertain as error:
            return "unknown", one_line(self._files.blotter.text(str(error)))
        except Stopped:
            return "paused", "PAUSED was set"
        return "sent", ""

    def _stops(self, day: date) -> tuple[str, str] | None:
        """(outcome, why) once a notice of this day may not leave any more."""
        if switches.is_on(self._files.tree.paused):
            return "paused", "PAUSED was set"
        return None if self._clock.now().date() == day else ("failed", "its day ended before a channel took it")

    def _settle(self, notice: _Notice, outcome: str, detail: str, slots: Slots) -> Sent:
        if outcome in ("sent", "unknown"):
            self._record(notice, outcome, outcome, detail=detail)
            entry = ledger.record(
                self._clock.now(),
                "notify",
                {"detail": notice.text},
                run=self._app.run,
                key=notice.key,
                kind=notice.kind,
                outcome=outcome,
                slot=self._app.slot_text,
            )
            ledger.append(self._files, entry)
        else:
            event = "failed" if outcome == "failed" else "suppressed"
            self._record(notice, event, outcome, detail=detail, returned=True)
            self._give_back(slots)
        return Sent(outcome, notice.key, slots.used, self._max, detail=detail)

    def _give_back(self, slots: Slots) -> None:
        try:
            with self._files.lock("notices"):
                budget.give_back(self._files, slots.day)
            slots.used -= 1
        except LockBusy:
            self._app.say("the notices lock is held, so a notice that did not leave keeps its slot")

    def _suppress(self, notice: _Notice, outcome: str, slots: Slots, detail: str, returned: bool = False) -> Sent:
        self._record(notice, "suppressed", outcome, returned=returned)
        return Sent(outcome, notice.key, slots.used, self._max, detail=detail)

    def _record(self, notice: _Notice, event: str, outcome: str | None, **more: str | bool) -> None:
        """One line of the record, durable when this returns; what of `more` says nothing is left out."""
        made = standing.event(event, outcome, self._clock.now(), self._app.run, msgspec.structs.asdict(notice))
        down = {name: why[:REASON_CHARS] for name, why in notice.down.items() if self._fallback}
        about = {"matters": notice.matters, "kbs": notice.kbs, "down": down, **more}
        self._files.append(self._files.tree.notices, made | {name: value for name, value in about.items() if value})


def tidy(text: str, kind: str) -> str:
    """Text as a notice of its kind may carry it."""
    if kind not in LINED:
        return one_line(text)
    lines = (("- " if line.startswith("- ") else "") + clean_line(line, MAX_CHARS) for line in text.split("\n"))
    return "\n".join(filter(None, lines))[: LINED[kind]]


def one_line(text: str) -> str:
    """Text as a notice may carry it: one line, at most 500 characters, no control characters, no markup but the
    `[KB]` it may begin with."""
    label, closing, rest = text.partition("] ")
    if not closing or not label.startswith("[") or not 0 < len(label) - 1 <= LABEL_CHARS:
        return clean_line(text, MAX_CHARS)
    label = f"[{clean_line(label[1:], LABEL_CHARS)}] "
    return label + clean_line(rest, MAX_CHARS - len(label))


def _check_key(key: str) -> str:
    """Raises UsageError for a key that is no short printable word or line."""
    if not key.strip() or not key.isprintable() or len(key) > KEY_CHARS:
        raise UsageError(f"a notice's key is 1 to {KEY_CHARS} printable characters")
    return key


def _no_budget(slots: Slots, history: History, notice: _Notice) -> str:
    if slots.problem:
        return slots.problem
    if slots.left == 0:
        return f"{slots.used} of {slots.maximum} notices of today are used"
    if history.failures >= TRIES_A_SLOT * slots.left:
        return f"{history.failures} notices failed today; no more are tried"
    if notice.kind == "advice" and history.advice:
        return "advice takes one slot a day"
    if notice.kind == "advice" and slots.left == 1:
        return "advice never takes the day's last slot"
    return ""
