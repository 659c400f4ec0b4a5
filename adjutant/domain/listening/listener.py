"""DOMAIN. The long poll, what it brings, and two lanes: one for work, one for what cannot wait behind it.

The main thread looks at KILLED twenty times a second; a thread polls and writes down what came, and one a lane works.
The three are daemons: a poll that waits for the network keeps nobody from ending.
"""

import queue
import threading
from collections import deque
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from adjutant.app import App
from adjutant.domain.listening import commands
from adjutant.domain.listening.desk import Desk, Stopping, back_off, too_old
from adjutant.domain.memory.gate import Blots
from adjutant.errors import ConfigInvalid, IoFailed
from adjutant.ports import Bot, BotFailed
from adjutant.records import telegram_log
from adjutant.records.telegram_log import FROM_THE_START, NEWEST, NUMBERS_LAST, Job, Log, Other
from adjutant.store import switches

WINDOW = 60  # seconds in which so many messages may come
POLL = 30.0  # seconds that one poll waits at the server
TICK = 0.05
LAST_WORDS = 0.4  # seconds that what is under way has to end once KILLED is set
KNOWN = 20_000  # ids that are remembered, so that one that comes twice is handled once
IGNORED = "I ignored the rest. Send it again in a minute."
SKIPPED = (
    "What was on its way to me until now is passed over, so that nothing is done twice. Send again what was not "
    "answered."
)
CAUSES = {
    "unreachable": "the server cannot be reached",
    "uncertain": "the server does not answer as it should",
    "flood": "the server asks to wait",
    "conflict": "another program reads the messages of this bot (a second `listen`, or a webhook): only one can",
    "token": "the server does not accept TELEGRAM_BOT_TOKEN",
    "refused": "the server refuses the poll",
}
Task = Callable[[], None]


class Rate:
    """A sliding minute; what is turned away does not count in it. `earlier`: when those before were sent."""

    def __init__(self, limit: int, earlier: Iterable[int] = ()) -> None:
        self._limit, self._taken = limit, deque(earlier, maxlen=limit)
        self._told: int | None = None

    def admits(self, date: int) -> bool:
        """True, and counted, while fewer than the limit were sent in the minute before."""
        if len(self._taken) == self._limit and date - self._taken[0] < WINDOW:
            return False
        self._taken.append(date)
        return True

    def is_news(self, date: int) -> bool:
        if self._told is not None and 0 <= date - self._told < WINDOW:
            return False
        self._told = date
        return True


class Listener:
    """One bot, one operator. `listen` returns when KILLED has appeared."""

    def __init__(self, app: App, bot: Bot, operator: str) -> None:
        self._app, self._bot, self._operator = app, bot, operator
        self._log, self._blots, self._stop = Log(app.files, app.clock), Blots(app), threading.Event()
        self._was = was = self._log.standing(f"telegram-{operator}")
        self._session, self._known, self._offset = was.session, set(was.known), was.offset
        self._limit = app.config.whole("messaging.telegram.rate_limit_per_minute")
        self._rate = Rate(self._limit, was.dates[-self._limit :])
        self._desk = Desk(app, bot, self._log, self._stop, was.pressed)
        self._urgent: queue.Queue[Task | None] = queue.Queue()
        self._slow: queue.Queue[Task | None] = queue.Queue()
        self._failed: list[Exception] = []
        self._heard = app.clock.monotonic()

    def listen(self) -> None:
        """Until KILLED. Raises ConfigInvalid (a token that is not accepted), FileDamaged, IoFailed."""
        lanes = [threading.Thread(target=self._work, args=(lane,), daemon=True) for lane in (self._urgent, self._slow)]
        if self._was.damage:
            self._app.say(f"listen: {self._was.damage}; messages that came meanwhile are skipped")
        else:
            self._take_up()
        for thread in (*lanes, threading.Thread(target=self._noting, args=(self._poll,), daemon=True)):
            thread.start()
        try:
            while not switches.is_on(self._app.tree.killed):
                if self._failed:
                    raise self._failed[0]
                self._stop.wait(TICK)
        finally:
            self._stop.set()
            for lane in (self._urgent, self._slow):
                lane.put(None)
            until = self._app.clock.monotonic() + LAST_WORDS
            for thread in lanes:
                thread.join(max(0.0, until - self._app.clock.monotonic()))

    def _take_up(self) -> None:
        late = [job for job in self._was.undone if job.reply is None and self._is_old(job)]
        self._refuse_old([job for job in late if not job.begun])
        for job in self._was.undone:
            if job not in late:
                self._hand_on(job)
            elif job.begun:  # as one that was tried often enough: told, not done
                self._hand_on(job._replace(begun=2))

    def _is_old(self, job: Job) -> bool:
        return int(self._app.clock.now().timestamp()) - job.update.date > telegram_log.TOO_OLD

    def _refuse_old(self, old: list[Job]) -> None:
        if old:
            self._urgent.put(partial(self._desk.tell, old, too_old(old), "old"))

    def _hand_on(self, job: Job) -> None:
        row = self._desk.row_of(job)
        (self._urgent if row is not None and row.urgent else self._slow).put(partial(self._desk.handle, job))

    # -- what comes --------------------------------------------------------------------------------------------

    def _poll(self) -> None:
        waits, trouble, reached = back_off(), "", False
        while not self._stop.is_set():
            try:
                came = self._bot.updates(self._offset, 0 if self._offset == NEWEST else POLL)
            except BotFailed as failed:
                if failed.cause == "token" and not reached:
                    fix = "look at TELEGRAM_BOT_TOKEN and messaging.telegram.api_base"
                    self._failed.append(ConfigInvalid(f"listen: {CAUSES['token']} ({failed.detail})", fix))
                    return
                if failed.cause != trouble:
                    self._app.say(f"listen: {CAUSES[failed.cause]} ({failed.detail}); trying again")
                trouble = failed.cause
                self._stop.wait(max(failed.wait, next(waits)))
                continue
            if trouble:
                self._app.say("listen: the server answers again")
            waits, trouble, reached = back_off(), "", True
            if not self._stop.is_set():
                self._take(came)
            if not (self._urgent.unfinished_tasks or self._slow.unfinished_tasks):
                self._log.cut()

    def _take(self, came: list[dict[str, Any]]) -> None:
        if self._offset == NEWEST:
            self._pass_over(came)
            return
        rows = [row for raw in came if (row := self._read(raw)) is not None]
        if rows:
            self._log.receive(rows)
        ids = [id for raw in came if (id := telegram_log.number_of(raw)) is not None]
        now = self._app.clock.monotonic()
        if ids:
            self._offset, self._heard = max(ids) + 1, now
        elif now - self._heard > NUMBERS_LAST:
            self._offset = FROM_THE_START
        self._sort([row for row in rows if isinstance(row, Job)])

    def _read(self, raw: dict[str, Any]) -> Job | Other | None:
        found = telegram_log.read_update(raw, self._operator, self._app.clock.now().timestamp())
        if found is None or found.id in self._known:
            return None
        self._known.add(found.id)
        if len(self._known) > KNOWN:
            self._known = set(sorted(self._known)[-KNOWN // 2 :])
        if isinstance(found, Other):
            return found
        text, taken = self._blots.message(found.text) if found.text is not None else (None, [])
        update = found._replace(text=text)
        if commands.parse(update)[0] == commands.NEW:
            self._session = f"telegram-{self._operator}-{found.id}"
        return Job(update, self._session, taken=tuple(taken))

    def _sort(self, jobs: list[Job]) -> None:
        old, many = [job for job in jobs if self._is_old(job)], list[Job]()
        self._refuse_old(old)
        for job in (job for job in jobs if job not in old):
            stops = commands.parse(job.update)[0] in ("pause", commands.KILL, commands.CONFIRM)
            if stops or self._rate.admits(job.update.date):
                self._hand_on(job)
            else:
                many.append(job)
        if many and self._rate.is_news(many[0].update.date):
            said = f"More than {self._limit} messages in a minute: {IGNORED}"
            self._urgent.put(partial(self._desk.tell, many, said, "limited"))
        elif many:
            self._log.note(telegram_log.DONE, *(job.update.id for job in many), outcome="limited")

    def _pass_over(self, came: list[dict[str, Any]]) -> None:
        """After damage: all that waits at the server is passed over unread, and the operator told."""
        ids = [id for raw in came if (id := telegram_log.number_of(raw)) is not None]
        self._known |= set(ids)
        # with nothing to pass over, a whole line all the same: the damage lies behind it
        self._log.note(telegram_log.SKIPPED, *(ids or [0]))
        self._log.note(telegram_log.DONE, *(job.update.id for job in self._was.undone), outcome="skipped")
        self._offset = max(ids) + 1 if ids else FROM_THE_START
        said = f"The record of your messages is damaged: {self._was.damage}. {SKIPPED}"
        self._urgent.put(partial(self._desk.tell, [], said, "skipped"))

    # -- the lanes ---------------------------------------------------------------------------------------------

    def _work(self, lane: queue.Queue[Task | None]) -> None:
        while (task := lane.get()) is not None and not self._stop.is_set():
            if not self._noting(task):
                return
            lane.task_done()

    def _noting(self, task: Task) -> bool:
        """Does it; False where it failed, which the main thread raises, or was stopped."""
        try:
            task()
        except Stopping:
            return False
        except Exception as error:  # noqa: BLE001 - raised where it is dealt with
            if isinstance(error, OSError):
                error = IoFailed(f"{error.filename or 'listen'}: {error.strerror or error}")
            self._failed.append(error)
            return False
        return True
