"""DOMAIN. One message after the other: what is to be done for it, done, said in messages that fit, and marked done."""

from __future__ import annotations

import math
import random
import secrets
import threading
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import accumulate
from typing import NamedTuple

from adjutant.app import App
from adjutant.domain.listening import commands
from adjutant.domain.listening.commands import ANSWERED, REFUSED, ChildReply, Command, Plan
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
FIRST, PACE = 1.0, 2.5  # seconds from its first words to the message: a quick answer is one; and between two edits
LONGEST_FLOOD = 20.0  # seconds; whoever asks for a longer pause gets no more edits
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
    """A command that waits for its /confirm; `date`: when it was sent, in seconds since the epoch."""

    code: str
    row: Command
    rest: str
    date: int


class Desk:
    """`stop` is set when KILLED has appeared: no verb begins after that, none goes on, and no answer is tried again."""

    def __init__(self, app: App, bot: Bot, log: Log, stop: threading.Event, pressed: Iterable[tuple[int, str]]) -> None:
        self._app, self._bot, self._log, self._stop = app, bot, log, stop
        self._buttons = Buttons(bot, pressed)
        self._asked: PendingConfirm | None = None  # a restart forgets it, and its code does nothing then
        self._verbs = app.table.ROWS

    def handle(self, job: Job) -> None:
        """Answers a message. Raises Stopping, FileDamaged, IoFailed."""
        growth = Growth(self._bot)
        if job.reply is not None:
            told = ChildReply(job.reply, job.outcome)
        else:
            told = self._answer(job, growth)
            self._log.note(REPLY, job.update.id, text=told.text + told.own, outcome=told.outcome)
        shown = job.update.press is not None and self._buttons.show(job.update.press, told)
        done = shown or self._say(told.text, told.own, growth.message)
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
        (name, rest), asked = commands.parse(job.update), self._asked
        if name == commands.CONFIRM and asked is not None and asked.code == rest:
            return asked.row
        return commands.find(name, self._verbs)

    # -- what to say -----------------------------------------------------------------------------------------

    def _answer(self, job: Job, growth: Growth) -> ChildReply:
        try:
            told = self._decide(job)
            if isinstance(told, Plan):
                self._watch()
                self._log.note(STARTED, job.update.id)
                own_end = told.words[0] == commands.KILL  # the verb that sets KILLED is not ended by it
                told = commands.run(self._app, told, (lambda: None) if own_end else self._watch, growth.show)
        except (Stopping, AdjutantError, OSError):
            raise
        except Exception as error:  # noqa: BLE001 - a bug in one answer must not end the listener
            text = f"A bug in adjutant ({type(error).__name__}); the report is {self._app.report(error) or 'not kept'}."
            told = ChildReply(text, commands.BROKE)
        if job.taken:
            taken = f"{', '.join(job.taken)} was taken out of your message: it is neither kept nor sent.\n"
            told = told._replace(text=taken + told.text)
        return told

    def _decide(self, job: Job) -> ChildReply | Plan:
        """What to say at once, or what to run."""
        name, rest = commands.parse(job.update)
        row = self.row_of(job)
        if job.begun and (job.begun > 1 or not commands.runs_again(job)):
            return ChildReply(f"I was stopped while I worked on {quote(job)}.", "unsure", f" {commands.UNSURE}")
        if switches.is_on(self._app.tree.paused) and not (row is not None and row.paused):
            why = switches.reason(self._app.tree.paused)
            own = ": only /status, /resume and /help are answered. Send it again after /resume."
            return ChildReply(f"PAUSED is set ({why})" if why else "PAUSED is set", "paused", own)
        if job.update.press is not None and self._buttons.is_used(job.update.press):
            return _own("This button did its work before; nothing more was done.", REFUSED)
        if job.update.text is None or not job.update.text.strip():
            return _own("This message has no text, and I read only text.", REFUSED)
        if not name or (name == commands.ASK and rest):
            return commands.plan_turn(job, rest)
        if row is None:
            text, own = commands.deny(name, self._verbs)
            return ChildReply(text, REFUSED, own)
        if name in (commands.HELP, commands.START):
            return _own(commands.list_all(self._verbs))
        if name == commands.NEW:
            return _own("A new conversation begins here; the old one stays on record.")
        if name == commands.CONFIRM:
            asked = self._asked
            if asked is None or asked.code != rest or not 0 <= job.update.date - asked.date <= CONFIRMED_WITHIN:
                void = "Nothing was done: this code is not valid any more. Send the command again."
                return _own(void, REFUSED)
            self._asked = None  # the lane was chosen by the row that it waits for, so no code runs twice
            return commands.plan(job, asked.row, asked.rest)
        if len(rest.split()) < row.needs:
            return _own(f"Usage: /{row.name} {row.usage}", REFUSED)
        if name not in commands.CONFIRMED:
            return commands.plan(job, row, rest)
        code = f"{secrets.randbelow(10_000):04}"
        self._asked = PendingConfirm(code, row, rest, job.update.date)
        how = f"Send /confirm {code} within {CONFIRMED_WITHIN // 60} minutes to do it, or tap /confirm_{code}."
        return _own(f"/{row.name}: {commands.CONFIRMED[name]} {how}", ASKED)

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


def _own(words: str, outcome: str = ANSWERED) -> ChildReply:
    return ChildReply("", outcome, words)


def quote(job: Job) -> str:
    """The beginning of a message, for a line about it."""
    line = " ".join((job.update.text or "").split())
    return f"“{line[:QUOTED]}{'…' if len(line) > QUOTED else ''}”" if line else "a message without text"


def too_old(jobs: list[Job]) -> str:
    """The one line for messages that waited too long."""
    sent = "it was" if len(jobs) == 1 else f"{len(jobs)} messages were"
    named = ", ".join(quote(job) for job in jobs[:3]) + (" and others" if len(jobs) > 3 else "")
    over = f"sent more than {telegram_log.TOO_OLD // 60} minutes before I read them"
    return f"Too old: {sent} {over}, and nothing was done: {named}. Send again what you still need."


def split(text: str, limit: int = LIMIT) -> list[str]:
    """The text in pieces that joined are the text again: cut after a line, else after a blank, else between characters.
    Pieces of blanks alone go with their neighbours' words; a text of blanks alone gives none."""
    pieces: list[str] = []
    while text.strip():
        used = accumulate(2 if char > "\uffff" else 1 for char in text)
        cut = next((at for at, size in enumerate(used) if size > limit), len(text))
        if cut < len(text):
            ends = (text.rfind(mark, 0, cut) + 1 for mark in "\n ")
            cut = next((end for end in ends if text[:end].strip()), cut)
        if text[:cut].strip():
            pieces.append(text[:cut])
        text = text[cut:]
    return pieces


def count_units(text: str) -> int:
    """UTF-16 code units."""
    return len(text) + sum(char > "\uffff" for char in text)


class Growth:
    """One message that grows with an answer: `message` is its number, once it is there. What cannot be sent or edited
    is given up silently: the whole answer is sent in any case."""

    def __init__(self, bot: Bot) -> None:
        self._bot, self._text, self._shown, self._next = bot, "", "", 0.0
        self.message: int | None = None

    def show(self, text: str | None) -> None:
        """Takes what came since, and shows it at a sane pace."""
        now = time.monotonic()
        if text:
            self._text, self._next = text, self._next or now + FIRST
        pieces = split(escape(self._text), LIMIT - len(MARK)) if self._text != self._shown and now >= self._next else []
        if not pieces:
            return
        wait = PACE
        try:
            if self.message is None:
                self.message = self._bot.begin(pieces[0] + MARK)
            else:
                self._bot.edit(self.message, pieces[0] + MARK)
        except BotFailed as failed:
            patient = failed.cause == "flood" and failed.wait <= LONGEST_FLOOD
            wait = max(PACE, failed.wait) if patient else math.inf
        self._shown, self._next = self._text, time.monotonic() + wait


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
        words, done, seen = told.text + told.own, told.outcome == ANSWERED, False
        verb, matter, _ = press.button.split(":")
        first, *more = split("" if done and verb == WHY else words, SEEN - 1) or [""]
        with suppress(BotFailed):  # too old, or the server is away
            self._bot.answer(press.number, first + ("…" if more else ""), alert=not done)
            seen = True
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
