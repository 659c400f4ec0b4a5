"""OPINION. A prepared turn, answered by its owner; and the queue of delegated tasks, answered one after the other."""

from adjutant.app import App
from adjutant.domain.conversation import preparing, tools
from adjutant.domain.conversation.preparing import Prepared
from adjutant.domain.learning import noting
from adjutant.domain.matters.picture import row
from adjutant.domain.memory.gate import Blots
from adjutant.domain.prompting import churn
from adjutant.errors import FileChanged, FileDamaged, UsageError
from adjutant.judgements import answer as kb_answer
from adjutant.judgements import calling, turn
from adjutant.judgements.material import nears
from adjutant.records import queue
from adjutant.records.interactions import TASK
from adjutant.screening.fence import clean_line


def answer(
    app: App, prepared: Prepared, *, session: str, source: str, clean: turn.Clean, told: turn.Told | None = None
) -> turn.TurnOutcome:
    """The owner's model's answer, or what the folder says; `source`: where notes say they come from. Raises as
    `turn.Turn`, ConfigInvalid (no route to the model), FileDamaged (a specialist's folder)."""
    owner, said = prepared.owner, prepared.assembly.message

    def consult(name: str, question: str) -> str:  # a model's question changes nothing in a knowledge base
        said = kb_answer.consult(app, name, question, may_write=False)[0].result
        cited = (f"{each.path}:{each.line}: {each.quote}" for each in kb_answer.list_cited(said))
        return "\n".join([said.answer, *cited])

    agenda = None
    if prepared.agenda is not None:
        shown = prepared.agenda.cleaned(clean)
        firsts = (each.evidence[0] for each in shown.matters)
        cited = [turn.Citation(each.path, str(each.line), each.quote) for each in firsts]
        agenda = turn.Agenda(shown.lines, list(map(row, shown.matters)), cited)
    inputs = turn.Inputs(
        said,
        session,
        owner.role,
        [turn.RetrievedPassage(each.id, each.path, each.anchor, each.passage, each.trust) for each in prepared.found],
        nears(prepared.answers, lambda each: (each.document.path, each.document.anchor, each.quote)),
        agenda,
        list(prepared.wishes),
    )
    return turn.Turn(app, inputs, prepared, tools.Toolbox(app, prepared, source, consult), clean, told).take()


# -- the queue of delegated tasks: each is answered by its specialist, or put back with its reason --------------


REASON, MAX_CHARS = 200, 20_000
OUTSIDE = ("unreachable", "cap", "limit")  # what no task is to blame for; nothing more is asked in this run


def file_task(app: App, name: str, words: list[str]) -> queue.Task:
    """A task in the queue; keys in it are taken out first. Raises UsageError, FileDamaged, IoFailed, Stopped."""
    if name not in app.config.specialists:
        known = ", ".join(app.config.specialists)
        told = f"there are {known}" if known else "none is set up"
        raise UsageError(f"no specialist {name[:40]!r}; {told}", "name one under `specialists:` in adjutant.yaml")
    given = app.stdin_bytes() if words == ["-"] else " ".join(words).encode("utf-8", "surrogateescape")
    text, taken = Blots(app).message(given.decode("utf-8", "replace"))
    if not text.strip() or len(text) > MAX_CHARS:
        why = f"{len(text)} characters, at most {MAX_CHARS}" if text.strip() else "an empty task"
        raise UsageError(why, f'adjutant delegate {name} "Write a script that …"')
    for kind in taken:
        app.say(f"{kind} was taken out of the task: it is neither kept nor sent")
    return queue.file(app.files, queue.Task(id=app.run, specialist=name, task=text.strip()), app.clock.now())


class DelegatedRun:
    """One walk through the queue: what became of each task."""

    def __init__(self, app: App) -> None:
        self.app, self.blots = app, Blots(app)
        self.handled: list[queue.Task] = []
        self.unreached, self.over, self.tokens = "", False, 0

    def work(self, limit: int) -> None:
        files, now = self.app.files, self.app.clock.now()
        files.sweep(files.tree.tasks, now.timestamp())
        every, damaged = queue.list_tasks(files)
        for left in queue.recover(files, every, now):
            self.app.say(f"{left.id}: {left.reason}; {left.status}")
        for problem in damaged:
            self.app.say(f"{problem}; left where it is")
        for task in queue.waiting(every)[:limit]:
            self.app.gate()
            try:
                self._one(task)
            except FileChanged as error:
                self.app.say(error.message)
            if self.over:
                break

    def _one(self, task: queue.Task) -> None:
        app, files = self.app, self.app.files
        try:
            if task.specialist not in app.config.specialists:
                raise UsageError(f"adjutant.yaml has no specialist {task.specialist}")
            prepared = preparing.prepare(app, task.task, session=f"task-{task.id}", role=task.specialist)
        except UsageError as error:  # it has no prompt and never will
            queue.change(files, task, app.clock.now(), status=queue.FAILED, reason=error.message)
            noting.note_unanswered(app, self._about(task, app.clock.monotonic()), task.specialist, UsageError.code)
            self.handled.append(task)
            return
        if app.model(prepared.owner.backend) is None:
            self.unreached = f"no model is configured for {task.specialist}, and rules cannot do a task"
            return
        queue.claim(files, task, app.clock.now(), app.run)
        churn.note(files, prepared.layers, app.clock.now(), app.run)
        self.handled.append(task)
        began, source = app.clock.monotonic(), f"task {task.id}"
        try:
            said = answer(app, prepared, session=f"task-{task.id}", source=source, clean=self.blots.own)
        except FileDamaged as error:
            queue.put_back(files, task, app.clock.now(), error.message)
            raise
        self.tokens += said.tokens
        if said.degraded is None:
            queue.change(files, task, app.clock.now(), status=queue.DONE, answer=said.result.answer)
            noting.note_turn(app, self._about(task, began), prepared, said)
            return
        reason = clean_line(f"{said.degraded}: {said.why}", REASON)
        outside = said.degraded in OUTSIDE
        if outside or calling.share(app).failure is not None:
            self.unreached, self.over = reason, True
        queue.put_back(files, task, app.clock.now(), reason, counts=not outside)
        if task.status == queue.FAILED:
            noting.note_turn(app, self._about(task, began), prepared, said)

    def _about(self, task: queue.Task, began: float) -> noting.TurnRef:
        """The task as it is noted once it is done or has failed; the tries before that are no end of it."""
        now, ms = self.app.clock.now().isoformat(), round((self.app.clock.monotonic() - began) * 1000)
        return noting.TurnRef(task.id, TASK, f"task-{task.id}", noting.DELEGATE, now, ms)
