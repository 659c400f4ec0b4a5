"""A lifelike month of asking, as the program itself leaves it, with what can be learnt from it and what can not.

    planted = learnt.month(root, seed)   # writes into the instance at `root`, which need not exist
    learnt.quiet(root, seed)             # the same month with nothing planted; the decoys are there all the same

`planted.now` is when to look: the Friday evening of the last day. `planted.matters` {cause: Plant}, but for the two
notes that are found all the time, `frequent` (it changes) and `frequent-stable`. A Plant says which kind of suggestion
should follow, some of whose words it must hold, and the interactions that prove it. `planted.decoys` {name: words}:
what no suggestion may hold.

One person, Runa, with a studio of two in Bergen: some 300 turns in 30 days and 110 in the 30 before, in English with
some Norwegian and German, at the terminal, by Telegram and by voice, answered by a conductor and two specialists. Each
turn stands in state/conversations and state/interactions.jsonl, filed by the real taxonomy; each pulse left its cycle,
some their notice, and some of these a mark. The same for the same seed; what is planted differs between even seeds and
odd ones.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from adjutant.domain.interactions import follow_ups, layer_items
from adjutant.domain.prompting import churn
from adjutant.domain.recall import taxonomy
from adjutant.domain.recall.classify import classify
from adjutant.records import insight as insight_file
from adjutant.records import interaction as kinds
from adjutant.records import note as note_file
from adjutant.records.contract import digest
from adjutant.records.fingerprint import fingerprint
from adjutant.records.interaction import Interaction, friction_of
from adjutant.records.tasks import FAILED, Task
from adjutant.store import config as config_file
from adjutant.store import package
from adjutant.store.files import Files
from adjutant.store.tree import Tree
from tests.learnt_words import (
    ABROAD,
    DECOY_CORRECTIONS,
    FORWARDED,
    ITEMS,
    KBS,
    LAYERS,
    NOTES,
    OFFERS,
    ONE_OFFS,
    OTHER_NOTICES,
    PLANS,
    POOLS,
    SHED,
    SKILLS,
    SMALL_TALK,
    STRANGER,
    Ask,
    Line,
    NoteLine,
)

LAST = date(2026, 11, 20)  # a Friday
NOW = "2026-11-20T18:00:00+00:00"
DAYS, BEFORE = 30, 30
LATE_HOURS = (time(10, 5), time(13, 0), time(15, 20))  # of the last day: what `evolve` looks at by itself
SHARE = 0.7  # of a workload's turns in which what is found all the time is used
SETTINGS = """\
# Settings of Runa's instance.
instance:
  name: studio
  timezone: UTC

# who answers what
specialists:
  coder:
    workloads: [build]
  worker:
    # imports, transcripts and what belongs to the desk
    workloads: [pipeline, tooling]
"""
PARTS = {"core": 410, "soul": 20, "identity": 12, "role": 60, "user": 90, "tools": 60, "heart": 50, "history": 200}
NO_ANSWER = "I come to no answer: the model could not be reached."
OPERATOR, AGENT, STRANGE = "operator", "agent", "stranger"


class Plant(NamedTuple):
    """Something to be learnt. `kind` of the suggestion it leads to; `words`: all of them stand in what it would change
    or is called; `proof`: ids of interactions, one of which at least its evidence names; `refs`: `SESSION/ID` of the
    operator's words that say so."""

    kind: str
    words: tuple[str, ...]
    proof: tuple[str, ...]
    refs: tuple[str, ...] = ()
    workload: str = ""


class Planted(NamedTuple):
    """What was written; `turns` of the last 30 days, `items` {key of a layer's line: its id}, `notes` {key: its id}."""

    now: datetime
    turns: int
    sessions: int
    matters: dict[str, Plant]
    decoys: dict[str, tuple[str, ...]]
    notes: dict[str, str]


def month(root: Path, seed: int = 1) -> Planted:
    """Writes the month into the instance at `root`, and what came before it."""
    return _Writer(root, seed, planted=True).write()


def quiet(root: Path, seed: int = 1) -> Planted:
    """The same, with nothing to be learnt from it."""
    return _Writer(root, seed, planted=False).write()


class _Scene(NamedTuple):
    """Exchanges in a row. `plan`: of which matter, "" for none; `found`: keys of notes that are found for it, `used`
    those of them that the first answer uses."""

    asks: tuple[Ask, ...]
    plan: str = ""
    found: tuple[str, ...] = ()
    used: tuple[str, ...] = ()
    rounds: int = 0


class _Session(NamedTuple):
    name: str
    channel: str
    begins: datetime
    scenes: list[_Scene]
    strange: list[str]


class _Writer:
    def __init__(self, root: Path, seed: int, *, planted: bool) -> None:
        self.root, self.chance, self.planted = root, random.Random(seed), planted
        self.scheme, self.plan = taxonomy.own(), PLANS[seed % len(PLANS)]
        self.all_notes = (*self.plan.notes, *NOTES)
        self.lines: list[tuple[datetime, dict[str, Any]]] = []  # of interactions.jsonl
        self.usage: list[dict[str, Any]] = []
        self.events: list[dict[str, Any]] = []
        self.notices: list[dict[str, Any]] = []
        self.marks: list[dict[str, Any]] = []
        self.actions: list[dict[str, Any]] = []
        self.proof: dict[str, list[str]] = {}
        self.refs: dict[str, list[str]] = {}
        self.counts: dict[str, list[int]] = {}  # of a note that is found all the time: turns, and those that use it
        self.ids = self.turns = self.asked = 0
        self.item_uses: dict[str, int] = {}
        self.workload_turns: dict[str, int] = {}
        self.notes = {each.key: self._note_id(each, number) for number, each in enumerate(self.all_notes)}
        self.items: dict[str, str] = {}
        self.unused: dict[str, list[Ask]] = {name: self._asks(name) for name in POOLS}
        self.lengthy = [self.unused[name].pop() for name in ("knowledge", "observe", "build", "platform")]
        self.abroad, self.one_offs = self._shuffled(ABROAD), self._shuffled(ONE_OFFS)

    def write(self) -> Planted:
        self._files()
        earlier, late = self._sessions()
        self._place(earlier, late)
        for session in (*earlier, *late):
            self._talk(session)
        self._cycles()
        if self.planted:
            self._tasks()
        self._flush()
        return Planted(
            datetime.fromisoformat(NOW),
            self.turns,
            len(late),
            self._matters() if self.planted else {},
            self._decoys(),
            self.notes,
        )

    # -- the folder ------------------------------------------------------------------------------------------

    def _files(self) -> None:
        self._write("adjutant.yaml", SETTINGS)
        self._write("prompts/taxonomy.yaml", package.text("instance", "taxonomy.yaml"))
        for name, text in LAYERS.items():
            self._write(f"identity/{name}.md", text)
        for layer in ("user", "tools"):
            lines = "".join(f"- {each.text}\n" for each in ITEMS if each.layer == layer)
            self._write(f"identity/{layer}.md", f"# {layer.title()}\n\n{lines}")
        for folder, (workload, description, body, _) in SKILLS.items():
            front = f"name: {folder}\ndescription: {description}\nworkload: {workload}\n"
            self._write(f"skills/{folder}/SKILL.md", f"---\n{front}---\n\n{body}\n")
        for number, each in enumerate(self.all_notes):
            text = note_file.render(self._note(each, number))
            self._write(f"memory/notes/{each.type}/{self.notes[each.key]}.md", text)
        registry = "".join(f"- name: {name}\n  path: knowledge_bases/{name}\n" for name in KBS)
        self._write("knowledge_bases/registry.yaml", registry)
        for name, files in KBS.items():
            for path, text in files.items():
                self._write(f"knowledge_bases/{name}/{path}", text)
        first = datetime.combine(LAST - timedelta(days=75), time(8), UTC)
        here = Files(Tree(str(self.root)))
        config = config_file.load(here)
        churn.note_all(here, config, first, f"{first:%Y%m%dT%H%M%S}-0001")
        for item in layer_items.items(here, config):
            self.items |= {
                each.text: item.id
                for each in ITEMS
                if each.layer == item.layer and each.text in item.text and not item.text.lstrip().startswith("#")
            }

    def _note_id(self, each: NoteLine, number: int) -> str:
        return f"{LAST - timedelta(days=30 * each.months - number):%Y%m%d}T120000-{number + 0x10:04x}"

    def _note(self, each: NoteLine, number: int) -> note_file.Note:
        created = LAST - timedelta(days=30 * each.months - number)
        again = tuple(f"{LAST - timedelta(days=4 + 6 * turn)}" for turn in reversed(range(each.reinforced)))
        return note_file.Note(
            id=self.notes[each.key],
            type=each.type,
            title=note_file.title_of(each.body),
            body=each.body,
            created=f"{created}T12:00:00+00:00",
            reinforced=again,
            source="command",
        )

    # -- who says what when ----------------------------------------------------------------------------------

    def _sessions(self) -> tuple[list[_Session], list[_Session]]:
        """(those of the 30 days before, those of the month), each with its everyday talk."""
        earlier = [
            self._session(LAST - timedelta(days=ago), time(9, 30), 7)
            for ago in sorted(self.chance.sample(range(DAYS + 1, DAYS + BEFORE - 1), k=12), reverse=True)
        ]
        late: list[_Session] = []
        for ago in range(DAYS - 1, 0, -1):
            day = LAST - timedelta(days=ago)
            if day.weekday() < 5 or self.chance.random() < 0.3:
                late.append(self._session(day, time(9, 10 + ago), 7))
            if day.weekday() < 5 and ago % 4 == 1:
                late.append(self._session(day, time(15, ago), 6))
        return earlier, late + [self._session(LAST, hour, 5) for hour in LATE_HOURS]

    def _session(self, day: date, hour: time, many: int) -> _Session:
        channel = self.chance.choices(("cli", "telegram", "voice"), (6, 3, 1))[0]
        begins = datetime.combine(day, hour, UTC)
        name = f"{'telegram-7' if channel == 'telegram' else 'cli'}-{begins:%m%d-%H}"
        scenes = [self._everyday() for _ in range(many)]
        return _Session(name, channel, begins, [each for each in scenes if each.asks], [])

    def _everyday(self) -> _Scene:
        """A question that is asked this once; now and then a word in between."""
        if self.chance.random() < 0.1:
            return _Scene((self.chance.choice(SMALL_TALK),))
        if self.abroad and self.chance.random() < 0.05:
            return _Scene((self.abroad.pop(),))
        names = [name for name, left in self.unused.items() if left]
        name = self.chance.choices(names, [len(self.unused[name]) for name in names])[0]
        return _Scene((self.unused[name].pop(),), rounds=self.chance.choice((0, 0, 1, 1, 2)))

    def _asks(self, name: str) -> list[Ask]:
        """Two questions a subject, no two of the same words."""
        pool, found = POOLS[name], list[Ask]()
        for subject in pool.subjects:
            for ask in self.chance.sample(pool.asks, k=2):
                number = self.chance.randint(3, 96)
                found.append(Ask(ask.question.format(s=subject, n=number), ask.answer.format(s=subject, n=number)))
        return self._shuffled(found)

    def _place(self, earlier: list[_Session], late: list[_Session]) -> None:
        """What is planted and what looks like it, into sessions of their own; the last of each into the last day."""
        month, today = late[: -len(LATE_HOURS)], late[-len(LATE_HOURS) :]
        if self.planted:
            plan = self.plan
            wrong = [_Scene(asks, "correction", ("wrong",), ("wrong",)) for asks in plan.corrections]
            for scenes in (
                wrong,
                [_Scene(asks, "question") for asks in plan.question],
                [_Scene(asks, "unfiled") for asks in plan.unfiled],
                [_Scene((ask, asks), "manner") for ask, asks in zip(self.lengthy, plan.manner, strict=True)],
                [_Scene(asks, "skill_gap", rounds=5) for asks in plan.heavy],
            ):
                self._spread(scenes, month, today)
            stale = [_Scene(asks, "stale_note", ("stale",)) for asks in plan.stale]
            for scene, session in zip(stale[2:5], self.chance.sample(earlier, k=3), strict=True):
                session.scenes.append(scene)
            self._spread([*stale[:2], *stale[5:]], month, today)
        forwarded = _Scene((Ask(FORWARDED, "Shall I answer Nordby?"),))
        for scenes in (
            [_Scene(asks) for asks in DECOY_CORRECTIONS],
            [_Scene(asks) for asks in SHED],
            [_Scene(asks) for asks in OFFERS],
            [_Scene(asks) for asks in self.one_offs],
            [forwarded] * 4,
        ):
            self._spread(scenes, month, today)
        for session in self.chance.sample(month, k=9):
            session.strange.append(STRANGER)
        today[0].strange.append(STRANGER)

    def _spread(self, scenes: Sequence[_Scene], month: Sequence[_Session], today: Sequence[_Session]) -> None:
        """Each into a session of its own, in their order; the last into one of the last day."""
        chosen = sorted(self.chance.sample(range(len(month)), k=len(scenes) - 1))
        for at, scene in zip(chosen, scenes, strict=False):
            month[at].scenes.insert(self.chance.randint(0, len(month[at].scenes)), scene)
        last = self.chance.choice(today)
        last.scenes.insert(self.chance.randint(0, len(last.scenes)), scenes[-1])

    # -- a conversation and what is noted of it ---------------------------------------------------------------

    def _talk(self, session: _Session) -> None:
        at, messages = session.begins, list[dict[str, Any]]()
        for text in session.strange:
            messages.append(
                {"id": self._id(session, at), "ts": at.isoformat(), "role": STRANGE, "name": "Odd", "text": text}
            )
        before = ""
        for scene in session.scenes:
            for number, ask in enumerate(scene.asks):
                at += timedelta(minutes=self.chance.randint(2, 6), seconds=self.chance.randint(0, 59))
                id = self._id(session, at)
                if before and follow_ups.corrects(ask.question, messages[-1]["text"]):
                    self._signal(before, "corrected", f"{session.name}/{id}", at)
                messages += self._exchange(session, scene, number, ask, id, at)
                before = id
        self._write(f"state/conversations/{session.name}.jsonl", _jsonl(messages))

    def _exchange(
        self,
        session: _Session,
        scene: _Scene,
        number: int,
        ask: Ask,
        id: str,
        at: datetime,
    ) -> list[dict[str, Any]]:
        """The two messages; the interaction beside them."""
        about = classify(ask.question, self.scheme)
        workload = about.concept.removeprefix(taxonomy.PREFIX)
        agent = {"build": "coder", "pipeline": "worker", "tooling": "worker"}.get(workload, "conductor")
        everyday = not scene.plan and len(scene.asks) == 1
        outcome, cause, signals = self._fate(workload, everyday, at)
        heavy = self.planted and workload == "integration"
        failed = "misrouted" if outcome == kinds.FAILED else ""
        if matter := scene.plan or failed or ("skill_gap" if heavy else ""):
            self._prove(matter, id, f"{session.name}/{id}")
        rounds = 5 if heavy else scene.rounds
        signals += ("many_rounds",) * (rounds > 3)
        free = everyday and outcome == kinds.ANSWERED
        retrieved, used, told = self._found(scene, number, workload, free)
        items, more = self._used_items() if free else ((), [])
        answer = " ".join([ask.answer, *told, *more]) if outcome != kinds.FAILED else NO_ANSWER
        skills = tuple(
            folder
            for folder, (of, _, _, every) in SKILLS.items()
            if of == workload and everyday and self._turn(f"skill {folder}") % every == 0
        )
        run = f"{at:%Y%m%dT%H%M%S}-{self.ids % 0x10000:04x}"
        tokens, ms = self.chance.randint(1800, 4200), self.chance.randint(1200, 9000)
        self._line(
            Interaction(
                id=id,
                ts=at.isoformat(),
                kind=kinds.TURN,
                session=session.name,
                channel=session.channel,
                agent=agent,
                concept=about.concept,
                confidence=about.confidence,
                friction=friction_of(signals),
                friction_signals=signals,
                items=items,
                skills=skills,
                tokens=tokens,
                ms=ms,
                outcome=outcome,
                cause=cause,
                retrieved=(*retrieved, *(f"agent_skills/{folder}" for folder in skills)),
                used=tuple(used),
                parts=PARTS | {"notes": 14 * len(used), "message": len(ask.question) // 4},
                message=f"{session.name}/{id}",
                rounds=rounds,
                run=run,
            ),
            at,
        )
        self._spent(f"turn {agent}", run, at, tokens, ms)
        self.turns += at.date() > LAST - timedelta(days=DAYS)
        common: dict[str, Any] = {
            "concept": about.concept,
            "citations": [],
            "contract_hash": None,
            "prompt_sha": digest(run),
            "run": run,
            "degraded": cause or None,
            "tokens": tokens,
        }
        return [
            {"id": id, "ts": at.isoformat(), "role": OPERATOR, "name": OPERATOR, "text": ask.question},
            {
                "id": f"{id}-answer",
                "ts": (at + timedelta(seconds=ms // 1000)).isoformat(),
                "role": AGENT,
                "name": agent,
                "text": answer,
                **common,
            },
        ]

    def _fate(self, workload: str, everyday: bool, at: datetime) -> tuple[str, str, tuple[str, ...]]:
        """(outcome, cause, signals) of a turn: a specialist's fail this month, others now and then."""
        late = self.planted and at.date() > LAST - timedelta(days=DAYS)
        if everyday and late and workload == self.plan.failing[1] and self._turn("failing") % 4:
            return kinds.FAILED, "unreachable", ("failed",)
        if everyday and self._turn("wear") % 37 == 20:
            return kinds.DEGRADED, "timeout", ("degraded",)
        if everyday and self._turn("tear") % 29 == 11:
            return kinds.ANSWERED, "", ("tool_error",)
        return kinds.ANSWERED, "", ()

    def _spent(self, name: str, run: str, at: datetime, tokens: int, ms: int) -> None:
        """The line of usage and the span of a turn."""
        self.usage.append(
            {
                "ts": at.isoformat(),
                "run": run,
                "judgement": "turn",
                "model": "medium-model",
                "tokens_in": tokens - 300,
                "tokens_out": 300,
                "ms": ms,
            }
        )
        start = round(at.timestamp() * 1e9)
        self.events.append(
            {
                "trace_id": digest(run)[:32],
                "span_id": digest(f"{run} span")[:16],
                "parent": None,
                "name": name,
                "start": start,
                "end": start + ms * 1_000_000,
                "attributes": {"run": run, "behavior_contract_hash": ""},
                "status": {"code": "OK"},
            }
        )

    def _found(self, scene: _Scene, number: int, workload: str, free: bool) -> tuple[list[str], list[str], list[str]]:
        """(ids found, those used, the sentences that use them)."""
        keys = list(scene.found)
        used = list(scene.used) if number == 0 else []
        told = list[str]()
        for each in self.all_notes if free else ():
            if each.workload == workload and self._uses(each):
                keys.append(each.key)
                used.append(each.key)
                told.append(each.told)
        ids = {key: f"agent_memory/{self.notes[key]}" for key in keys}
        return [ids[key] for key in keys], [ids[key] for key in used], told

    def _uses(self, each: NoteLine) -> bool:
        if each.every:
            return self._turn(each.key) % each.every == 1
        turns, uses = self.counts.setdefault(each.key, [0, 0])
        share = SHARE + 0.1 if self.planted else 0.25
        yes = uses < share * (turns + 1)
        self.counts[each.key] = [turns + 1, uses + yes]
        return yes

    def _used_items(self) -> tuple[tuple[str, ...], list[str]]:
        """(ids of the layers' items that an answer uses, the sentences that do)."""
        at, found = self._turn("items"), list[Line]()
        for line in ITEMS:
            never = self.planted and line.text == self.plan.unused
            if not never and at % line.every == line.every // 2 and self.item_uses.get(line.text, 0) < line.most:
                self.item_uses[line.text] = self.item_uses.get(line.text, 0) + 1
                found.append(line)
        return tuple(self.items[line.text] for line in found), [line.told for line in found]

    def _turn(self, name: str) -> int:
        self.workload_turns[name] = self.workload_turns.get(name, -1) + 1
        return self.workload_turns[name]

    def _id(self, session: _Session, at: datetime) -> str:
        self.ids += 1
        if session.channel == "telegram":
            return f"tg-{900 + self.ids}"
        return f"{at:%Y%m%dT%H%M%S}-{self.ids % 0x10000:04x}"

    def _prove(self, matter: str, id: str, ref: str) -> None:
        self.proof.setdefault(matter, []).append(id)
        self.refs.setdefault(matter, []).append(ref)

    def _line(self, made: Interaction, at: datetime) -> None:
        self.lines.append((at, msgspec.to_builtins(made)))

    def _signal(self, of: str, name: str, source: str, at: datetime) -> None:
        self.lines.append((at, {"ts": at.isoformat(), "event": "signal", "of": of, "signal": name, "source": source}))

    # -- the heartbeat ---------------------------------------------------------------------------------------

    def _cycles(self) -> None:
        """A pulse each working day at nine; some left a notice, and some of these were marked."""
        kb, _, concern, titles = self.plan.notices
        useless = dict(zip((24, 16, 9, 0), titles, strict=True))
        others = dict(zip((27, 21, 14, 7, 2), OTHER_NOTICES, strict=True))
        for ago in range(DAYS + BEFORE - 1, -1, -1):
            day = LAST - timedelta(days=ago)
            if day.weekday() < 5 or ago in useless or ago in others:
                at = datetime.combine(day, time(9), UTC)
                run = f"{at:%Y%m%dT%H%M%S}-00{ago:02x}"
                keys = [f"{day}-0900"] if ago in useless or ago in others else []
                self._line(
                    Interaction(
                        id=f"{run}-pulse",
                        ts=at.isoformat(),
                        kind=kinds.CYCLE,
                        channel="cron",
                        agent="pulse",
                        run=run,
                        concept="uncategorised",
                        tokens=self.chance.randint(300, 900),
                        ms=900,
                        notices=tuple(keys),
                    ),
                    at,
                )
                self.actions.append(
                    {
                        "ts": at.isoformat(),
                        "type": "pulse",
                        "kbs_checked": sorted(KBS),
                        "issues_found": [],
                        "escalated": bool(keys),
                        "run": run,
                    }
                )
                if ago in useless:
                    self._notice(at, run, (kb, useless[ago], concern, "useless" if self.planted else ""))
                if ago in others:
                    self._notice(at, run, others[ago])

    def _notice(self, at: datetime, run: str, told: tuple[str, str, str, str]) -> None:
        """A notice, its insight, and after two hours its mark."""
        kb, title, concern, mark = told
        key, name = f"{at:%Y-%m-%d-%H%M}", f"{at:%Y-%m-%d-%H%M}.md"
        quote = insight_file.Quote(next(iter(KBS[kb])), 3, title)
        known = fingerprint(kb, quote.path, quote.quote)
        self._write(
            f"insights/sent/{name}",
            insight_file.render(
                insight_file.Insight(
                    kb=kb,
                    title=title,
                    why="two days late",
                    severity="high",
                    created=at.isoformat(),
                    fingerprint=known,
                    concern=concern,
                    evidence=[quote],
                    run=run,
                    attempts=1,
                    notice="sent",
                )
            ),
        )
        row = {
            "ts": at.isoformat(),
            "key": key,
            "event": "reserved",
            "outcome": None,
            "kind": "escalation",
            "text": f"[{kb}] {title}, two days late",
            "insight": name,
            "run": run,
            "channel": "outbox",
        }
        self.notices += [row, {**row, "event": "sent", "outcome": "sent"}]
        if mark:
            later = at + timedelta(hours=2)
            self.marks.append(
                {"ts": later.isoformat(), "fingerprint": known, "state": mark, "until": None, "insight": name}
            )
            self.notices.append({**row, "ts": later.isoformat(), "event": "marked", "state": mark})
            self._signal(f"{run}-pulse", mark, key, later)
            if kb == self.plan.notices[0]:
                self._prove("useless_notices", f"{run}-pulse", key)

    def _tasks(self) -> None:
        """What a specialist was given and could not do."""
        agent, _, texts = self.plan.failing
        for number, text in enumerate(texts):
            at = datetime.combine(LAST - timedelta(days=3 * number), time(11, 20 + number), UTC)
            id = f"{at:%Y%m%dT%H%M%S}-7a5{number}"
            about = classify(text, self.scheme)
            self._write(
                f"state/tasks/{id}.json",
                json.dumps(
                    Task(id, agent, text, FAILED, at.isoformat(), at.isoformat(), 3, id, "", "unreachable").row()
                ),
            )
            self._line(
                Interaction(
                    id=id,
                    ts=at.isoformat(),
                    kind=kinds.TASK,
                    channel="delegate",
                    agent=agent,
                    concept=about.concept,
                    confidence=about.confidence,
                    friction=friction_of(("failed",)),
                    friction_signals=("failed",),
                    outcome=kinds.FAILED,
                    cause="unreachable",
                    run=id,
                ),
                at,
            )
            self.proof.setdefault("misrouted", []).append(id)

    # -- what is true of it ----------------------------------------------------------------------------------

    def _matters(self) -> dict[str, Plant]:
        def plant(cause: str, kind: str, workload: str = "", proof: Sequence[str] = ()) -> Plant:
            return Plant(
                kind,
                self.plan.words[cause],
                tuple(proof or self.proof.get(cause, ())),
                tuple(self.refs.get(cause, ())),
                workload and taxonomy.PREFIX + workload,
            )

        changing, stable, *_ = self.plan.notes
        used = {
            each.key: [
                line["id"] for _, line in self.lines if f"agent_memory/{self.notes[each.key]}" in line.get("used", ())
            ]
            for each in (changing, stable)
        }
        return {
            "correction": plant("correction", "memory"),
            "question": plant("question", "memory"),
            "unused_item": plant("unused_item", "demote"),
            "skill_gap": plant("skill_gap", "skill_gap", "integration"),
            "unfiled": plant("unfiled", "concept"),
            "misrouted": plant("misrouted", "routing", self.plan.failing[1]),
            "useless_notices": plant("useless_notices", "prompt_edit"),
            "manner": plant("manner", "directive"),
            "stale_note": plant("stale_note", "memory"),
            "frequent": plant("frequent", "promote", changing.workload, used["changing"]),
            "frequent-stable": plant("frequent-stable", "promote", stable.workload, used["stable"]),
        }

    def _decoys(self) -> dict[str, tuple[str, ...]]:
        return {
            "one-off corrections": ("night train", "painted red", "chimney", "concert in June", "Freitag"),
            "a correction made twice": ("parish hall",),
            "what strangers and knowledge bases want": ("Nordby", "bullet", "German"),
            "a question asked twice": ("bicycle shed",),
            "an item used rarely": ("percentages",),
            "a skill used rarely": ("skills/backups",),
            "a notice called useless once": ("Water bill",),
            "notes used in a part of the turns": ("clock is put back", "Trondheim", "evening bell"),
        }

    # -- writing it ------------------------------------------------------------------------------------------

    def _flush(self) -> None:
        told = [line for _, line in sorted(self.lines, key=lambda each: each[0])]
        logs = {
            "interactions": told,
            "usage": self.usage,
            "events": self.events,
            "notices": self.notices,
            "marks": self.marks,
            "actions": self.actions,
            "slog": list(self._log()),
        }
        for name, rows in logs.items():
            self._write(f"state/{name}.jsonl", _jsonl(rows))
        self._write(f"state/notify_count_{LAST}.txt", "1")

    def _log(self) -> Iterator[dict[str, Any]]:
        """What was done, in the work log."""
        done = (
            "Upgraded the mail server",
            "Call with the harbour master",
            "Shipped the price list of Kestrel",
            "Read on heat pumps",
            "Cleared the queue of alerts",
            "Neue Regale im Lager",
            "Ryddet i boden",
        )
        for number, text in enumerate(done):
            at = datetime.combine(LAST - timedelta(days=4 * number), time(16), UTC)
            about = classify(text, self.scheme)
            yield {
                "ts": at.isoformat(),
                "id": f"{at:%Y%m%dT%H%M%S}-51{number:02}",
                "text": text,
                "concept": about.concept,
                "confidence": about.confidence,
                "tags": [],
            }

    def _shuffled(self, asks: Sequence[Any]) -> list[Any]:
        return self.chance.sample(list(asks), k=len(asks))

    def _write(self, path: str, text: str) -> None:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")


def _jsonl(rows: Sequence[dict[str, Any]]) -> str:
    return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
