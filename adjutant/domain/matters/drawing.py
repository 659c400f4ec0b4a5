"""DOMAIN. Draws the picture: what the looks found, joined with the register, the notices and the marks."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, timedelta

import msgspec

from adjutant.app import App
from adjutant.clock import read_day
from adjutant.domain.matters import clashes, opened, register, threads
from adjutant.domain.matters import look as looking
from adjutant.domain.matters.clashes import Seen as Seen
from adjutant.domain.matters.opened import Opened
from adjutant.domain.matters.picture import QUIET, Closed, Extraction, Open, Picture
from adjutant.domain.matters.settle import Placed
from adjutant.domain.matters.signal import LEVELS, Evidence
from adjutant.domain.schedule import slots
from adjutant.records import heart as hearts
from adjutant.records import layers, matters_log, notice_log, registry
from adjutant.records.heart import Heart
from adjutant.records.matters_log import Known
from adjutant.records.registry import KnowledgeBase
from adjutant.store.config import Config
from adjutant.store.files import Files

MOST_REACH = 7  # days
TELL, HOLD, LOG, SETTLED, UNJUDGED = "tell", "hold", "log", "settled", "unjudged"  # what becomes of a matter
TWICE = 2  # marks `useless` on what comes from one place lower what else comes from there


def look_at(
    files: Files, config: Config, kb: KnowledgeBase, heart: Heart, now: datetime, more: Callable[[int], bool]
) -> tuple[Opened, Extraction]:
    """A knowledge base opened, and what is open in it. Raises OSError when the folder cannot be read, Stopped."""
    base = opened.open_base(files, config, kb, now, more)
    horizon = config.whole("heartbeat.horizon_days")
    if kb.kind == "mail":
        named, waiting = layers.addresses(files, config), config.whole("mail.waiting_days")
        told = threads.with_facts(base.found.readings, named, now, waiting)
        base.found = msgspec.structs.replace(base.found, readings=told)
    found = opened.with_own(base.found.readings, layers.names(layers.read(files, config, "user").prompt))
    open_now = looking.extract(kb, found, heart, now, horizon, reach(config, now))
    for each in open_now.opens if kb.kind == "calendar" else ():
        each.tellable = each.tellable and each.kind != "appointment"  # a calendar reminds of its own entries
    return base, open_now


def reach(config: Config, now: datetime) -> int:
    """Days to the day after the next scheduled pulse, so that Friday evening knows of Monday morning."""
    coming = _next_pulse(config, now)
    return min((coming - now.date()).days + 1, MOST_REACH) if coming is not None else 0


def free_until(config: Config, now: datetime) -> date | None:
    """On a day without a scheduled pulse the last day to speak of: the next one is in time for what is due later."""
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    coming = _next_pulse(config, midnight - timedelta(minutes=1))
    return now.date() + timedelta(days=reach(config, now)) if coming and coming > now.date() else None


def _next_pulse(config: Config, after: datetime) -> date | None:
    text = config.text_or_none("schedule.pulse")
    coming = slots.following(text, after) if text else None
    return coming.date() if coming is not None else None


def draw(app: App, heart: Heart | None = None, more: Callable[[int], bool] = lambda size: True) -> Picture:
    """The picture of every enabled knowledge base, for a verb that only looks. Raises FileDamaged, IoFailed."""
    looks: dict[str, Seen | None] = {}
    now, heart = app.clock.now(), heart or hearts.read(app.files, app.config)
    for kb in registry.load(app.files):
        if kb.enabled:
            try:
                base, found = look_at(app.files, app.config, kb, heart, now, more)
                looks[kb.name] = Seen(found.opens, base)
            except OSError as error:
                app.say(f"{kb.name}: {error.strerror or error}")
                looks[kb.name] = None
    return Drawing(app.files, now, app.run).draw(looks)


class Drawing:
    """The register, the notices and the marks, read once for one picture."""

    def __init__(self, files: Files, now: datetime, run: str) -> None:
        """Raises FileDamaged, IoFailed."""
        self.now, self.run = now, run
        self.known = matters_log.read(files)
        self.told = notice_log.find_told(files, now)
        self.marks = matters_log.last_marks(files)
        self._taken = set(self.known)

    def draw(self, looks: Mapping[str, Seen | None]) -> Picture:
        """The picture of the knowledge bases in `looks`, None for one that could not be looked at."""
        matters, closed, events, unread = list[Open](), list[Closed](), list[dict[str, object]](), list[str]()
        overlaps = clashes.find({kb: seen for kb, seen in looks.items() if seen is not None}, self.now)
        for kb, seen in looks.items():
            if seen is None:
                unread.append(kb)
                matters += [_as_known(each) for each in self._open_of(kb)]
                continue
            kept = [_as_known(each) for each in self._open_of(kb) if None in looks.values() and clashes.is_one(each)]
            found, ended = self._join(kb, seen._replace(opens=[*seen.opens, *overlaps.get(kb, kept)]))
            events += register.events(self.known, found, ended, self.now, self.run)
            closed += ended
            matters += found
        news = {event["id"] for event in events if event["event"] == "changed"}
        for each in matters:
            self._remember(each)
            each.changed = self.now.isoformat() if each.id in news else each.changed
        self._lower(matters)
        matters.sort(key=lambda each: each.rank, reverse=True)
        return Picture(self.now, matters, closed, events, unread)

    def raise_matter(self, picture: Picture, new: Open, id: str = "") -> Open:
        """The matter of the picture with this id or on the lines of the `new` one, else that, of which the register
        hears."""
        each = picture.by_id(id) or picture.at(new.kb, new.evidence)
        if each is None:
            each = new
            register.identify(self.known, new.kb, [new], self._taken)
            self._remember(new)
            picture.matters.append(new)
            if new.id not in self.known or self.known[new.id].state != "open":
                picture.events.append(matters_log.event("seen", new.id, self.now, self.run, register.fields_of(new)))
        each.why = new.why or each.why
        return each

    def judge(
        self,
        picture: Picture,
        each: Open,
        verdict: str,
        *,
        says: str = "",
        severity: str = "",
        reason: str = "",
        rests: Sequence[Evidence] = (),
    ) -> None:
        """What a model decided of a matter: TELL, HOLD, LOG, SETTLED (`rests`: on which line) or UNJUDGED, where it
        said nothing. The register hears of it where that is news."""
        each.what, each.severity = says or each.what, severity or each.severity
        each.held, each.unjudged = reason * (verdict == HOLD), verdict == UNJUDGED
        each.tell = verdict in (TELL, UNJUDGED)
        before = self.known.get(each.id)
        fields = {"severity": each.severity, "says": says, "verdict": verdict, "reason": reason, "graded": each.found}
        if before is None or any(getattr(before, name) != value for name, value in fields.items()):
            picture.events.append(matters_log.event("judged", each.id, self.now, self.run, fields))
            each.changed = self.now.isoformat()
        if verdict == SETTLED:
            at = {"path": rests[0].path, "line": rests[0].line} if rests else {}
            picture.events.append(matters_log.event("settled", each.id, self.now, self.run, {"state": "done", **at}))
            picture.matters.remove(each)
            place = f"{rests[0].path}:{rests[0].line}" if rests else each.place
            why = reason if each.found in LEVELS[-2:] and not each.told else ""
            picture.closed.append(Closed(each.id, each.kb, each.what, "done", place, why))

    def has_settled(self, kb: str, line: Evidence) -> bool:
        """Whether a model found what settles the matter of a line, and the line is as it was."""
        return any(each.kb == kb and _is_settled(each, line.quote) for each in self.known.values())

    def told_since(self, since: str, picture: Picture) -> list[Open]:
        """What notices named since then: as the picture has it, or where its line is gone as the register had it."""
        here = {each.id: each for each in picture.matters}
        told = (id for id, ts in self.told.items() if ts > since)
        return [here[id] if id in here else _as_known(self.known[id]) for id in told if id in here or id in self.known]

    def _open_of(self, kb: str) -> list[Known]:
        return [each for each in self.known.values() if each.kb == kb and each.state == "open"]

    def _join(self, kb: str, seen: Seen) -> tuple[list[Open], list[Closed]]:
        """The matters of one knowledge base with their ids, and those that are open no more."""
        first_look = not any(each.kb == kb for each in self.known.values())
        found = seen.opens
        register.identify(self.known, kb, found, self._taken)
        found = [each for each in found if not _is_settled(self.known.get(each.id), each.evidence[0].quote)]
        ids = {each.id for each in found}
        models = [each for each in self._open_of(kb) if each.by != "rules" and each.id not in ids]
        still = (each for each in models if any(each.quote in line for line in seen.base.lines(each.path)))
        found = [*found, *map(_as_known, still)]
        if first_look:
            for each in found:
                each.fresh = False
        ids.update(each.id for each in found)
        closing = [
            Placed(reading.path, fact)
            for reading in seen.base.found.readings
            for fact in reading.facts
            if fact.state != "open"
        ]
        return found, list(register.end(self.known, kb, ids, closing))

    def _remember(self, each: Open) -> None:
        """What the register, the notices and the marks say of a matter."""
        before = self.known.get(each.id)
        if before is not None and before.state == "open":
            each.first_seen, each.changed, each.fresh = before.first_seen, before.changed, before.fresh
            if before.verdict and before.quote == each.evidence[0].quote:
                _judge(each, before)
        each.told = self.told.get(each.id, "")
        mark = self.marks.get(each.id)
        if mark is not None:
            state, until = str(mark["state"]), str(mark.get("until") or "")
            if state == "snooze" and until <= self.now.date().isoformat():
                each.told = each.told if each.told[:10] >= until else ""  # it comes up again
            elif state != "useful":
                each.muted = f"snoozed until {until}" if state == "snooze" else f"marked {state}"

    def _lower(self, matters: Sequence[Open]) -> None:
        """Two matters called useless lower what else comes from their place a step, never what is critical."""
        useless = [self.known[id] for id, mark in self.marks.items() if mark["state"] == "useless" and id in self.known]
        places = Counter((each.kb, each.path, each.heads, each.kind) for each in useless)
        for each in matters:
            count = places.get((each.kb, each.evidence[0].path, each.heads, each.kind), 0)
            if count >= TWICE and each.severity not in ("critical", "low"):
                each.severity = LEVELS[LEVELS.index(each.severity) - 1]
                each.rests = [*each.rests, f"{count} from the same place were called useless: a step lower"]


def _is_settled(known: Known | None, quote: str) -> bool:
    return known is not None and (known.state, known.verdict, known.quote) == ("done", SETTLED, quote)


def _judge(each: Open, before: Known) -> None:
    """A model's opinion stands while the line is the same; what rules find graver meanwhile counts as they say."""
    each.held, each.unjudged = before.reason if before.verdict == HOLD else "", before.verdict == UNJUDGED
    each.tell = before.verdict in (TELL, UNJUDGED)
    graded = before.graded or before.severity
    if each.found not in LEVELS or LEVELS.index(each.found) <= LEVELS.index(graded):
        each.severity = before.severity
    if before.says:
        each.what = before.says


def _as_known(before: Known) -> Open:
    """A matter as the register has it: of a knowledge base that cannot be read, or that a model alone saw."""
    fields = msgspec.structs.asdict(before) | {
        "evidence": [Evidence(before.path, before.line, before.quote)],
        "first": read_day(before.first),
        "last": read_day(before.last),
        "certain": before.certainty == "certain",
        "muted": f"{QUIET}{before.quiet}" if before.quiet else "",
    }
    return msgspec.convert(fields, Open)


def news(each: Open, known: Mapping[str, Known], now: datetime, silent_days: int = 3) -> str:
    """Why a matter is to be told: it never was, its day changed, its line or a model makes it graver; or time alone
    did, or its day came, and nothing was said of it for three days. What was told on its day or later, and what
    somebody else was seen to owe, stands in the digest alone. "" for none of these."""
    if not each.told:
        return "" if each.kind == "waiting" and each.is_late(now.date()) and _was_ahead(each) else "new"
    moment = datetime.fromisoformat(each.told)
    before = known.get(each.id)
    last, severity, line = before.at(moment) if before is not None else (None, each.severity, "")
    if before is not None and each.last is not None and last != each.last.isoformat():
        return "its day changed"
    silent = now - moment >= timedelta(days=silent_days)
    other = before is not None and (bool(before.verdict) or line != each.evidence[0].quote)
    if severity in LEVELS and LEVELS.index(each.severity) > LEVELS.index(severity) and (silent or other):
        return "it is graver"
    day = each.first if each.first != each.last else each.last  # what goes on for days comes on the first
    if each.dated and day is not None and moment.date() < day <= now.date():
        return "its day has come" if silent else ""
    return ""


def _was_ahead(each: Open) -> bool:
    return each.last is not None and each.first_seen[:10] <= each.last.isoformat() and bool(each.first_seen)
