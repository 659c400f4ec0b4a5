"""DOMAIN. One message after the other: what is to be done for it, done, said, and marked done."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from adjutant.domain.listening import children, commands
from adjutant.domain.listening.commands import ASK, CONFIRM, HELP, KILL, NEW, START, Plan
from adjutant.domain.listening.splitting import split
from adjutant.errors import AdjutantError
from adjutant.ports import Bot, BotFailed
from adjutant.records import telegram_update
from adjutant.records.telegram_log import ASKED, CONFIRMED, Job, Log
from adjutant.screening.characters import without_controls
from adjutant.store import switches

if TYPE_CHECKING:
    from adjutant.app import App

FIRST_WAIT, LONGEST_WAIT = 1.0, 60.0
TRIES = 3  # of an answer of which nobody knows whether it arrived
CONFIRMED_WITHIN = 300  # seconds
QUOTED = 60


class Stopping(Exception):
    """KILLED appeared: what is under way is left as it is, and found again at the next start."""


class Backoff:
    """Waits that double from one second to a minute, each shortened by up to a half at random."""

    def __init__(self, chance: Callable[[], float] = random.random) -> None:
        self._next, self._chance = FIRST_WAIT, chance

    def wait(self, asked: float = 0.0) -> float:
        """Seconds until the next try; never less than `asked`."""
        wait, self._next = self._next, min(self._next * 2, LONGEST_WAIT)
        return max(asked, wait * (1 - self._chance() / 2))

    def reset(self) -> None:
        """It worked."""
        self._next = FIRST_WAIT


class Desk:
    """`stop` is set when KILLED has appeared: no verb begins after that, none goes on, and no answer is tried again."""

    def __init__(self, app: App, bot: Bot, log: Log, stop: threading.Event, asked: int | None) -> None:
        self._app, self._bot, self._log, self._stop = app, bot, log, stop
        self._asked = asked  # when the /reflect was sent that waits for its /confirm
        self._verbs = app.table.ROWS

    def handle(self, job: Job) -> None:
        """Answers a message. Raises Stopping, FileDamaged, IoFailed."""
        id, text, outcome = job.update.id, job.reply, job.outcome
        if text is None:
            text, outcome = self._answered(job)
            self._log.reply(id, text, outcome)
        if not self._say(text):
            outcome = "undelivered"
        self._log.done([id], outcome)

    def tell(self, jobs: list[Job], text: str, outcome: str) -> None:
        """One line for messages that are not acted on, or for none. Raises Stopping, FileDamaged, IoFailed."""
        if not jobs:
            self._say(text)
            return
        first, *rest = [job.update.id for job in jobs]
        self._log.done(rest, outcome)
        self._log.reply(first, text, outcome)
        self._log.done([first], outcome if self._say(text) else "undelivered")

    # -- what to say -----------------------------------------------------------------------------------------

    def _answered(self, job: Job) -> tuple[str, str]:
        try:
            text, outcome = self._answer(job)
        except (Stopping, AdjutantError, OSError):
            raise
        except Exception as error:  # noqa: BLE001 - a bug in one answer must not end the listener
            text = f"A bug in adjutant ({type(error).__name__}); the report is {self._app.report(error) or 'not kept'}."
            outcome = children.BROKE
        if job.taken:
            text = f"{', '.join(job.taken)} was taken out of your message: it is neither kept nor sent.\n{text}"
        return text, outcome

    def _answer(self, job: Job) -> tuple[str, str]:
        """(what to say, how it came out)."""
        name, rest = commands.parse(job.update)
        row = commands.known(name, self._verbs) if name else None
        if job.begun and (job.begun > 1 or not commands.runs_again(job)):
            return f"I was stopped while I worked on {quoted(job)}. {children.UNSURE}", "unsure"
        if switches.is_on(self._app.tree.paused) and not (row is not None and row.paused):
            why = switches.reason(self._app.tree.paused)
            return (
                f"PAUSED is set{f' ({why})' if why else ''}: only /status, /resume and /help are answered. "
                "Send it again after /resume.",
                "paused",
            )
        if job.update.text is None or not job.update.text.strip():
            return "I read text only: this message holds none.", children.REFUSED
        if not name or (name == ASK and rest):
            return self._run(job, commands.asking(job, rest))
        if row is None:
            return commands.unknown(name, self._verbs), children.REFUSED
        if name in (HELP, START):
            return commands.helped(self._verbs), children.ANSWERED
        if name == NEW:
            return "Another conversation begins here; the one before stays on record.", children.ANSWERED
        if name == CONFIRM:
            return self._confirmed(job)
        if len(rest.split()) < row.needs:
            return f"Usage: /{row.name} {row.usage}", children.REFUSED
        if row.confirmed:
            self._asked = job.update.date
            return (
                f"/{name}: {row.help.partition(';')[0]}. It may ask a model and send a notice. "
                "/confirm within 5 minutes to do it.",
                ASKED,
            )
        assert row.plan is not None
        return self._run(job, row.plan(rest))

    def _confirmed(self, job: Job) -> tuple[str, str]:
        asked, self._asked = self._asked, None
        if asked is None or not 0 <= job.update.date - asked <= CONFIRMED_WITHIN:
            return "There is nothing to confirm. Send /reflect first.", children.REFUSED
        plan = commands.ROWS["reflect"].plan
        assert plan is not None
        text, _ = self._run(job, plan(""))
        return text, CONFIRMED

    def _run(self, job: Job, plan: Plan) -> tuple[str, str]:
        self._watch()
        self._log.started(job.update.id)
        own_end = plan.words[0] == KILL  # the verb that sets KILLED is not ended by it
        return children.run(self._app, plan, (lambda: None) if own_end else self._watch)

    def _watch(self) -> None:
        if self._stop.is_set() or switches.is_on(self._app.tree.killed):
            raise Stopping

    # -- saying it -------------------------------------------------------------------------------------------

    def _say(self, text: str) -> bool:
        """Sends it, in as many messages as it takes; False when the server refuses it. Raises Stopping."""
        return all(self._sent(piece) for piece in split(without_controls(text)) or ["(an empty answer)"])

    def _sent(self, piece: str) -> bool:
        """Tried again as long as nothing was sent, and TRIES times where nobody knows."""
        backoff, unknown = Backoff(), 0
        while True:
            try:
                self._bot.say(piece)
                return True
            except BotFailed as failed:
                unknown += failed.cause == "uncertain"
                if failed.cause in ("refused", "token") or unknown >= TRIES:
                    self._app.say(f"listen: an answer was not delivered: {failed.detail}")
                    return False
                if self._stop.wait(backoff.wait(failed.wait)):
                    raise Stopping from None


def quoted(job: Job) -> str:
    """The beginning of a message, for a line about it."""
    line = " ".join(without_controls(job.update.text or "").split())
    return f"“{line[:QUOTED]}{'…' if len(line) > QUOTED else ''}”" if line else "a message without text"


def too_old(jobs: list[Job]) -> str:
    """The one line for messages that waited too long."""
    minutes = telegram_update.TOO_OLD // 60
    named = ", ".join(quoted(job) for job in jobs[:3]) + (" and others" if len(jobs) > 3 else "")
    one = len(jobs) == 1
    return (
        f"Too old: {'it was' if one else f'{len(jobs)} messages were'} sent more than {minutes} minutes before I "
        f"read {'it' if one else 'them'}, and nothing was done: {named}. Send again what still counts."
    )


def too_many(limit: int) -> str:
    """The one line a minute for what is turned away."""
    return f"More than {limit} messages in a minute: what comes above that is not acted on. Send it again in a minute."


def passed_over(damage: str) -> str:
    """The line after damage."""
    return (
        f"The record of your messages is damaged: {damage}. What was on its way to me until now is passed over, so "
        "that nothing is done twice. Send again what was not answered."
    )
