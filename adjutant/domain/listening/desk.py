"""DOMAIN. One message after the other: what is to be done for it, done, said in messages that fit, and marked done."""

from __future__ import annotations

import random
import secrets
import threading
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import NamedTuple

from adjutant.app import App
from adjutant.domain.listening import commands
from adjutant.domain.listening.commands import ANSWERED, ASK, CONFIRM, HELP, KILL, NEW, START, ChildReply, Command, Plan
from adjutant.errors import AdjutantError
from adjutant.ports import Bot, BotFailed
from adjutant.printable import escape
from adjutant.records import telegram_log
from adjutant.records.telegram_log import DONE, REPLY, STARTED, Job, Log, Press
from adjutant.store import switches

FIRST_WAIT, LONGEST_WAIT = 1.0, 60.0
TRIES = 3  # of an answer of which nobody knows whether it arrived
CONFIRMED_WITHIN = 120  # seconds
ASKED = "asked"
QUOTED = 60
LIMIT = 4096  # UTF-16 code units, as Telegram counts
_JOINERS = "\u200d\ufe0f"
FIRST, PACE = 1.0, 2.5  # seconds from its first words to the message: a quick answer is one; and between two edits
LONGEST_FLOOD = 20.0  # seconds; whoever asks for a longer pause gets no more edits
KNOWN_WITHIN, STEP = 11.0, 0.05  # seconds: a call of the bot takes no longer; and between two looks
MARK = " …"
SEEN = 200  # characters that a press is answered with
WHY = "why"


class Stopping(Exception):
    """KILLED appeared: what is under way is left as it is, and found again at the next start."""


def back_off() -> Iterator[float]:
    """Seconds to wait: from one they double to a minute, each shortened by up to a half at random."""
    wait = FIRST_WAIT
    while True:
        yield wait * (1 - random.random() / 2)
        wait = min(wait * 2, LONGEST_WAIT)


class PendingConfirm(NamedTuple):
    """A command that waits for its /confirm: the code, and when the command was sent (seconds since the epoch)."""

    code: str
    row: Command
    rest: str
    date: int


class Desk:
    """`stop` is set when KILLED has appeared: no verb begins after that, none goes on, and no answer is tried again."""

    def __init__(
        self, app: App, bot: Bot, log: Log, stop: threading.Event, pressed: Iterable[tuple[int, str]] = ()
    ) -> None:
        self._app, self._bot, self._log, self._stop = app, bot, log, stop
        self._buttons = Buttons(bot, pressed)
        self._asked: PendingConfirm | None = None  # a restart forgets it, and its code does nothing then
        self._verbs = app.table.ROWS

    def handle(self, job: Job) -> None:
        """Answers a message. Raises Stopping, FileDamaged, IoFailed."""
        message = None
        if job.reply is not None:
            told = ChildReply(job.reply, job.outcome)
        else:
            growth = Growth(self._bot)
            try:
                told = self._answer_safely(job, growth)
            finally:
                growth.end()
            message = growth.message(self._stop)
            self._log.note(REPLY, job.update.id, text=told.text + told.own, outcome=told.outcome)
        shown = job.update.press is not None and self._buttons.show(job.update.press, told)
        done = shown or self._say(told.text, told.own, message)
        self._log.note(DONE, job.update.id, outcome=told.outcome if done else "undelivered")

    def tell(self, jobs: list[Job], text: str, outcome: str) -> None:
        """One line for messages that are not acted on, or for none. Raises Stopping, FileDamaged, IoFailed."""
        if not jobs:
            self._say(text)
            return
        first, *rest = [job.update.id for job in jobs]
        self._log.note(DONE, *rest, outcome=outcome)
        self._log.note(REPLY, first, text=text, outcome=outcome)
        self._log.note(DONE, first, outcome=outcome if self._say(text) else "undelivered")

    def row_of(self, job: Job) -> Command | None:
        """The row of what a message asks for; that of a /confirm is the row of the command that waits for its code."""
        (name, rest), asked = commands.parse(job.update), self._asked
        if name == CONFIRM and asked is not None and asked.code == rest:
            return asked.row
        return commands.find(name, self._verbs)

    # -- what to say -----------------------------------------------------------------------------------------

    def _answer_safely(self, job: Job, growth: Growth) -> ChildReply:
        try:
            told = self._answer(job, growth)
        except (Stopping, AdjutantError, OSError):
            raise
        except Exception as error:  # noqa: BLE001 - a bug in one answer must not end the listener
            text = f"A bug in adjutant ({type(error).__name__}); the report is {self._app.report(error) or 'not kept'}."
            told = ChildReply(text, commands.BROKE)
        if job.taken:
            taken = f"{', '.join(job.taken)} was taken out of your message: it is neither kept nor sent.\n"
            told = told._replace(text=taken + told.text)
        return told

    def _answer(self, job: Job, growth: Growth) -> ChildReply:
        name, rest = commands.parse(job.update)
        row = self.row_of(job)
        if job.begun and (job.begun > 1 or not commands.runs_again(job)):
            return ChildReply(f"I was stopped while I worked on {quote(job)}.", "unsure", f" {commands.UNSURE}")
        if switches.is_on(self._app.tree.paused) and not (row is not None and row.paused):
            why = switches.reason(self._app.tree.paused)
            own = ": only /status, /resume and /help are answered. Send it again after /resume."
            return ChildReply(f"PAUSED is set ({why})" if why else "PAUSED is set", "paused", own)
        if job.update.press is not None and self._buttons.is_used(job.update.press):
            return _own("This button did its work before; nothing more was done.", commands.REFUSED)
        if job.update.text is None or not job.update.text.strip():
            return _own("This message has no text, and I read only text.", commands.REFUSED)
        if not name or (name == ASK and rest):
            return self._run(job, commands.plan_turn(job, rest), growth)
        if row is None:
            text, own = commands.deny(name, self._verbs)
            return ChildReply(text, commands.REFUSED, own)
        if name in (HELP, START):
            return _own(commands.list_all(self._verbs))
        if name == NEW:
            return _own("A new conversation begins here; the old one stays on record.")
        if name == CONFIRM:
            asked = self._asked
            if asked is None or asked.code != rest or not 0 <= job.update.date - asked.date <= CONFIRMED_WITHIN:
                void = "Nothing was done: this code is not valid any more. Send the command again."
                return _own(void, commands.REFUSED)
            self._asked = None  # the lane was chosen by the row that it waits for, so no code runs twice
            return self._run(job, commands.plan(job, asked.row, asked.rest), growth)
        if len(rest.split()) < row.needs:
            return _own(f"Usage: /{row.name} {row.usage}", commands.REFUSED)
        if not row.confirmed:
            return self._run(job, commands.plan(job, row, rest), growth)
        code = f"{secrets.randbelow(10_000):04}"
        self._asked = PendingConfirm(code, row, rest, job.update.date)
        how = f"Send /confirm {code} within {CONFIRMED_WITHIN // 60} minutes to do it, or tap /confirm_{code}."
        return _own(f"/{row.name}: {row.confirmed} {how}", ASKED)

    def _run(self, job: Job, plan: Plan, growth: Growth) -> ChildReply:
        self._watch()
        self._log.note(STARTED, job.update.id)
        own_end = plan.words[0] == KILL  # the verb that sets KILLED is not ended by it
        return commands.run(self._app, plan, (lambda: None) if own_end else self._watch, growth.show)

    def _watch(self) -> None:
        if self._stop.is_set() or switches.is_on(self._app.tree.killed):
            raise Stopping

    # -- saying it -------------------------------------------------------------------------------------------

    def _say(self, text: str, own: str = "", message: int | None = None) -> bool:
        """Sends it, the first message in place of one that grew; False when it is refused. Raises Stopping."""
        *pieces, last = split(escape(text)) or ["" if own else "(an empty answer)"]
        if count_units(last + own) > LIMIT:
            pieces, last = [*pieces, last], ""
        parts = [*((piece, "") for piece in pieces), (last, own)]
        if message is not None and self._send(*parts[0], message):
            parts = parts[1:]
        return all(self._send(piece, mine) for piece, mine in parts)

    def _send(self, piece: str, own: str, message: int | None = None) -> bool:
        """Tried again as long as nothing was sent, and TRIES times where nobody knows; False for a `message` that grew
        and cannot be edited: it is to be said anew."""
        waits, unknown = back_off(), 0
        while True:
            try:
                if message is not None:
                    self._bot.edit(message, piece, own)
                else:
                    self._bot.say(piece, own)
                return True
            except BotFailed as failed:
                unknown += failed.cause == "uncertain"
                if message is not None and (failed.cause != "flood" or failed.wait > LONGEST_FLOOD):
                    return False
                if failed.cause in ("refused", "token") or unknown >= TRIES:
                    self._app.say(f"listen: an answer was not delivered: {failed.detail}")
                    return False
                if self._stop.wait(max(failed.wait, next(waits))):
                    raise Stopping from None


def _own(words: str, outcome: str = commands.ANSWERED) -> ChildReply:
    """An answer that quotes nobody."""
    return ChildReply("", outcome, words)


def quote(job: Job) -> str:
    """The beginning of a message, for a line about it."""
    line = " ".join((job.update.text or "").split())
    return f"“{line[:QUOTED]}{'…' if len(line) > QUOTED else ''}”" if line else "a message without text"


def too_old(jobs: list[Job]) -> str:
    """The one line for messages that waited too long."""
    minutes = telegram_log.TOO_OLD // 60
    named = ", ".join(quote(job) for job in jobs[:3]) + (" and others" if len(jobs) > 3 else "")
    one = len(jobs) == 1
    return (
        f"Too old: {'it was' if one else f'{len(jobs)} messages were'} sent more than {minutes} minutes before I "
        f"read {'it' if one else 'them'}, and nothing was done: {named}. Send again what you still need."
    )


def split(text: str, limit: int = LIMIT) -> list[str]:
    """The text in pieces that joined are the text again: cut after a line, else after a blank, else between characters.
    Pieces of blanks alone go with their neighbours' words; a text of blanks alone gives none."""
    pieces: list[str] = []
    while text.strip():
        used = accumulate(2 if char > "\uffff" else 1 for char in text)
        cut = next((at for at, size in enumerate(used) if size > limit), len(text))
        if cut < len(text):  # where no joined emoji is torn apart, as far as such a place is near
            near = range(cut, max(cut - 16, 1), -1)
            whole = (at for at in near if text[at] not in _JOINERS and text[at - 1] != _JOINERS[0])
            cut = _end_after(text, "\n", cut) or _end_after(text, " ", cut) or next(whole, cut)
        if text[:cut].strip():
            pieces.append(text[:cut])
        text = text[cut:]
    return pieces


def count_units(text: str) -> int:
    """UTF-16 code units."""
    return len(text) + sum(char > "\uffff" for char in text)


def _end_after(text: str, mark: str, cut: int) -> int:
    """The place behind the last `mark` before `cut`, where words stand before it; 0 for none."""
    place = text.rfind(mark, 0, cut) + 1
    return place if text[:place].strip() else 0


class Growth:
    """One message. What cannot be sent or edited is given up silently: the whole answer is sent in any case."""

    def __init__(self, bot: Bot) -> None:
        self._bot = bot
        self._news = threading.Condition()
        self._text, self._shown, self._over = "", "", False
        self._message: int | None = None
        self._thread: threading.Thread | None = None

    def show(self, text: str) -> None:
        with self._news:
            self._text = text
            self._news.notify_all()
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, daemon=True, name="growing")
            self._thread.start()

    def end(self) -> None:
        with self._news:
            self._over = True
            self._news.notify_all()

    def message(self, stop: threading.Event) -> int | None:
        """The message there after its end; None where there is none, nobody knows soon, or `stop` is set."""
        until = time.monotonic() + KNOWN_WITHIN
        while self._thread is not None and self._thread.is_alive():
            if time.monotonic() >= until or stop.wait(STEP):
                return None
        return self._message

    def _work(self) -> None:
        wait: float | None = FIRST
        while wait is not None:
            with self._news:
                self._news.wait_for(lambda: self._over, wait)
                self._news.wait_for(lambda: self._over or self._text != self._shown)
                if self._over:
                    return
                text = self._text
            wait = self._put(text)

    def _put(self, text: str) -> float | None:
        """Seconds until the next time; None for no more."""
        pieces = split(escape(text), LIMIT - len(MARK))
        try:
            if pieces and self._message is None:
                self._message = self._bot.begin(pieces[0] + MARK)
            elif pieces and self._message is not None:
                self._bot.edit(self._message, pieces[0] + MARK)
        except BotFailed as failed:
            return max(PACE, failed.wait) if failed.cause == "flood" and failed.wait <= LONGEST_FLOOD else None
        self._shown = text
        return PACE


class Buttons:
    """`pressed`: (message, button) of those that did their work in an earlier run."""

    def __init__(self, bot: Bot, pressed: Iterable[tuple[int, str]]) -> None:
        self._bot, self._used = bot, set(pressed)
        self._lines: dict[int, list[str]] = defaultdict(list)  # what a press has not seen yet of its own message
        self._gone: set[tuple[int, str]] = set()

    def is_used(self, press: Press) -> bool:
        return (press.message, press.button) in self._used

    def show(self, press: Press, told: ChildReply) -> bool:
        """Answers a press; False where it is to be said in a message besides: what is long, and what nobody saw."""
        words, done = told.text + told.own, told.outcome == ANSWERED
        verb, matter, _ = press.button.split(":")
        first, *more = split("" if done and verb == WHY else words, SEEN - 1) or [""]
        try:
            self._bot.answer(press.number, first + ("…" if more else ""), alert=not done)
            seen = True
        except BotFailed:
            seen = False  # too old, or the server is away
        if not done:
            return seen and len(words) <= SEEN
        self._used.add((press.message, press.button))
        over = [press.button] if verb == WHY else [each for each in press.buttons if f":{matter}:" in each]
        self._gone |= {(press.message, each) for each in over}
        if verb != WHY:
            self._lines[press.message].append(words)
        there = press.text.split("\n")
        lines = [line for line in self._lines[press.message] if line not in there]
        left = [each for each in press.buttons if (press.message, each) not in self._gone]
        try:
            if press.text:
                self._bot.edit(press.message, "\n".join([*there, *lines]), buttons=left)
        except BotFailed:
            return False
        return bool(press.text) and verb != WHY
