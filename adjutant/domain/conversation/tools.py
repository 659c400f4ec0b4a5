"""DOMAIN. What a model may use within a turn: the table of tools, and each one's answer, which is data."""

import tomllib
from collections.abc import Callable
from typing import Any

from adjutant.app import App
from adjutant.domain.behavior import grammar
from adjutant.domain.conversation import workspace
from adjutant.domain.conversation.briefing import MOST_HITS
from adjutant.domain.conversation.preparing import Prepared
from adjutant.domain.conversation.workspace import ToolRefused
from adjutant.domain.memory import gate, notes
from adjutant.domain.memory.shelf import Shelf
from adjutant.domain.recall import places, showing, skills, taxonomy
from adjutant.domain.recall.search import search
from adjutant.domain.telemetry import spans
from adjutant.errors import AdjutantError, FileDamaged, IoFailed, Stopped
from adjutant.language import likeness
from adjutant.language.sentences import by_line
from adjutant.ports import Tool, ToolCall
from adjutant.records import queue, registry
from adjutant.records.note import new_id
from adjutant.screening.fence import Fence, clean_line
from adjutant.store import package

ANSWER, WHOLE = 6000, 24_000  # characters of an answer that the model is shown; of a file that it asked for
ALL_ANSWERS, LEAST = 120_000, 200  # characters of all answers of a turn; of one when these are used up
MAX_CALLS, MAX_NOTES, MAX_FILED = 24, 6, 3  # in one turn
HITS, PASSAGE, MAX_TAGS = 8, 500, 8
NAMED = 40  # skills or knowledge bases that the model is told the names of
FOLDER = "workspace"
MEMORY = places.find_collections("memory")
JOBS = tuple(name for name in queue.NAMES if name != queue.DELEGATE)
Ask = Callable[[str, str], str]  # (knowledge base, question) -> its answer with citations


def _read_table() -> tuple[Tool, ...]:
    found = list[Tool]()
    for name, row in tomllib.loads(package.text("domain", "conversation", "tools.toml")).items():
        needed = {each: {"type": "string", "description": help} for each, help in row.get("needs", {}).items()}
        form = {"type": "object", "properties": needed | row.get("takes", {}), "required": [*needed]}
        found.append(Tool(name, row["help"], form | {"additionalProperties": False}))
    return tuple(found)


TABLE = _read_table()


class Toolbox:
    """The tools of one turn. `source`: what notes name as theirs; `ask_kb` asks a knowledge base. What only untrusted
    passages of the prompt say, and not the operator's own words, is untrusted in a note."""

    def __init__(self, app: App, prepared: Prepared, source: str, ask_kb: Ask) -> None:
        folder, said = prepared.owner.workspace or FOLDER, prepared.assembly.message
        self._app, self._source, self._where = app, source, prepared.where
        forwarded = grammar.parse(said.encode()).forwarded
        self._message = said.removesuffix(forwarded)
        # the briefing names what stands in folders: its lines are nobody's word that counts
        briefings = "\n".join(part.text for part in prepared.assembly.parts if part.name == "briefing")
        heard = [forwarded, *prepared.passed_on, *(line[2:] for line in briefings.split("\n") if line[:2] == "- ")]
        strange = [each.passage for each in prepared.found if each.trust == "untrusted"]
        self._heard = [*filter(None, heard), *strange]
        self._calls = self._notes = self._filed = 0
        self._room = ALL_ANSWERS
        self._fence = Fence(app.marker)
        self._is_conductors = folder == FOLDER  # a specialist hands nothing on: two could go on doing so for ever
        self._verbs: dict[str, Callable[[dict[str, Any]], str]] = {
            "memory_save": self._save,
            "memory_search": lambda given: self._hits(given["query"], MEMORY, limit=given.get("limit") or HITS),
            "search": lambda given: self._hits(given["query"], places.DEFAULT, workload=given.get("workload")),
            "skill_read": self._skill,
            "kb_query": lambda given: self._hear(ask_kb(given["name"], given["question"])),
            "workspace_list": lambda given: "\n".join(workspace.list_files(app.files, folder, given.get("path", ""))),
            "workspace_read": lambda given: self._hear(workspace.read(app.files, folder, given["path"])),
            "workspace_write": lambda given: workspace.write(app.files, folder, given["path"], given["text"]),
            "delegate": self._delegate,
        }

    @property
    def table(self) -> tuple[Tool, ...]:
        """What the model is offered, with the names of what there is. Raises IoFailed."""
        try:
            known = [kb.name for kb in registry.load(self._app.files) if kb.enabled][:NAMED]
        except FileDamaged as error:
            self._app.say(error.message)
            known = []
        there = {"kb_query": known, "delegate": [*self._app.config.specialists, *JOBS]}
        told = {name: f" There are: {', '.join(each)}." if each else " There is none." for name, each in there.items()}
        offered = (tool for tool in TABLE if tool.name != "delegate" or self._is_conductors)
        return tuple(tool._replace(description=tool.description + told.get(tool.name, "")) for tool in offered)

    def use(self, call: ToolCall) -> tuple[str, bool]:
        """(what the model is told, fenced; whether that is a refusal: an unknown tool, wrong arguments, what the house
        does not allow, a damaged file, of which the operator is told). Raises Stopped, IoFailed."""
        name = call.name if call.name in self._verbs else "unknown"
        about = spans.gen_ai(operation__name="execute_tool", tool__name=name, tool__type="function")
        with spans.share(self._app).span(f"execute_tool {name}", **about) as span:
            told, refused = self._answer(call)
            if refused:
                span.fail("refused")
        return told, refused

    def _answer(self, call: ToolCall) -> tuple[str, bool]:
        self._calls += 1
        try:
            if self._calls > MAX_CALLS:
                raise ToolRefused(f"{MAX_CALLS} calls were made in this turn; answer from what you have")
            if call.name not in self._verbs:
                raise ToolRefused(f"no tool is called {call.name[:40]!r}; there are {', '.join(self._verbs)}")
            return self._tell(call.name, self._verbs[call.name](_arguments(call))), False
        except (Stopped, IoFailed):
            raise
        except (ToolRefused, AdjutantError) as error:
            if isinstance(error, FileDamaged):
                self._app.say(error.message)
            return self._tell(call.name, f"refused: {str(error).removeprefix('refused: ')}"), True

    def _tell(self, name: str, text: str) -> str:
        limit = min(WHOLE if name in ("skill_read", "workspace_read") else ANSWER, max(self._room, LEAST))
        shown = self._fence.wrap(text or "nothing", f"answer of {name}", limit=limit)
        self._room -= len(shown)
        return shown

    def _save(self, given: dict[str, Any]) -> str:
        if self._notes == MAX_NOTES:
            raise ToolRefused(f"{MAX_NOTES} notes were kept in this turn, which is enough")
        app, shelf = self._app, Shelf(self._app.files)
        guard = gate.for_app(app)
        cleaned = (clean_line(tag, 40).lower().replace(" ", "-") for tag in given.get("tags", []))
        tags = tuple(dict.fromkeys(tag for tag in cleaned if tag))
        guard.refuse_secrets(",".join(tags))
        # whoever's words these are, a model wrote them: they pass the gate as a stranger's do
        text = guard.admit(given["content"], "untrusted")
        about: dict[str, Any] = {"tags": tags, "trust": self._trust(text, shelf), "source": self._source}
        told = (text, notes.type_of(text), notes.concepts_of(app.files, text))
        draft = notes.NoteDraft(*told, **about, obstacle=guard.find_lifted(text))
        with spans.share(app).span("create_memory", **spans.gen_ai(operation__name="create_memory")):
            saved = notes.save(shelf, draft, app.clock.now())
        self._notes += 1
        return f"{saved.outcome}: {saved.note.id}, {saved.note.type}, {saved.note.path}"

    def _trust(self, text: str, shelf: Shelf) -> str:
        """The model's word where the operator's message says it, or no untrusted source of this turn or note does."""
        if self._is_own(text):
            return "agent"
        live = [note for note in shelf.saying(text, shelf.texts()) if not note.superseded_by]
        if live and all(note.trust == "untrusted" for note in live):
            return "untrusted"
        return "untrusted" if self._strange(text, self._lift()) else "agent"

    def repeats(self, answer: str) -> bool:
        """Whether a part of an answer says again what untrusted sources say of this turn, and the operator does not."""
        lifted = self._lift()
        return any(not self._is_own(part) and self._strange(part, lifted) for part in by_line(answer))

    def _is_own(self, text: str) -> bool:
        words = likeness.content(text)
        return bool(words) and likeness.holds(self._message, words)

    def _lift(self) -> gate.Gate:
        return gate.Gate({}, [("", passage) for passage in self._heard])

    def _strange(self, text: str, lifted: gate.Gate) -> bool:
        words = likeness.content(text)
        # More than half of the words: who repeats a passage puts in a word of his own.
        repeated = any(2 * sum(likeness.holds(each, (word,)) for word in words) > len(words) for each in self._heard)
        return repeated or bool(lifted.find_lifted(text))

    def _hits(
        self, query: str, where: tuple[places.Collection, ...], *, limit: int = HITS, workload: str | None = None
    ) -> str:
        here = self._where
        most = min(limit + len(here.own), MOST_HITS)
        found = search(self._app, query, collections=where, limit=most, workload=workload, but=here.but)
        told = list[str]()
        for document in (hit.document for hit in here.allow(found.hits)[:limit]):
            marks = "" if document.trust == "operator" else f", {document.trust}"
            title = f"{document.title} ({showing.place(document)}{marks}) {document.created_at[:10]}"
            said = showing.snippet(showing.safe(document).text, query, PASSAGE)
            told.append(f"[{document.id}] {clean_line(title, 200)}\n{said}")
            self._heard += [told[-1]] if document.trust == "untrusted" else []
        return "\n\n".join(told)

    def _skill(self, given: dict[str, Any]) -> str:
        shelf = skills.load(self._app.files, taxonomy.load(self._app.files))
        found = next((each for each in shelf.skills if each.name == given["name"]), None)
        if found is None:
            names = ", ".join(each.name for each in shelf.skills[:NAMED])
            raise ToolRefused(f"no skill is called {given['name'][:60]!r}; there are {names or 'none'}")
        return self._app.files.text(self._app.tree.inside(found.path), skills.MAX_BYTES)

    def _hear(self, text: str) -> str:
        self._heard.append(text)
        return text

    def _delegate(self, given: dict[str, Any]) -> str:
        """A task or a job, as a proposal. With conductor.may_delegate a task of the operator's own words is queued at
        once; a job never is: its input is an address or a path, which no model may choose alone."""
        app, name, text = self._app, given["to"].strip(), given["task"].strip()
        if not self._is_conductors:
            raise ToolRefused("a specialist files nothing")
        if self._filed == MAX_FILED:
            raise ToolRefused("enough was filed")
        if not text or len(text) > ANSWER:
            raise ToolRefused(f"task: 1 to {ANSWER} characters are wanted")
        gate.for_app(app).refuse_secrets(text)
        now = app.clock.now()
        id = new_id(now, [each.removesuffix(".json") for each in app.files.names(app.tree.tasks)])
        status = queue.PROPOSED
        if name in app.config.specialists:
            if app.config.flag("conductor.may_delegate") and not self._strange(text, self._lift()):
                status = queue.QUEUED
            queue.file(app.files, queue.Task(id=id, specialist=name, task=text, status=status), now)
        elif name in JOBS and text.startswith(("https://", "http://", "/")) and text.isprintable():
            queue.file_job(app.files, id, name, queue.make_input(text, app.config), now, status)
        else:
            known = ", ".join([*app.config.specialists, *JOBS])
            raise ToolRefused(f"`to` is one of {known}; a job's task is an https:// address or an absolute path")
        self._filed += 1
        accept = f"; the operator lets it be worked with `adjutant job accept {id}`" if status == queue.PROPOSED else ""
        return f"{status}: {id}{accept}"


def _arguments(call: ToolCall) -> dict[str, Any]:
    if call.arguments is None:
        raise ToolRefused("the arguments are no JSON object")
    schema = next(tool.schema for tool in TABLE if tool.name == call.name)
    wanted, needed = schema["properties"], schema["required"]
    given = {name: value for name, value in call.arguments.items() if value is not None or name in needed}
    if missing := [name for name in needed if name not in given]:
        raise ToolRefused(f"missing: {', '.join(missing)}")
    if odd := [clean_line(name, 40) for name in given if name not in wanted]:
        raise ToolRefused(f"unknown: {', '.join(odd[:5])}; known are {', '.join(wanted)}")
    for name, value in given.items():
        what, fits = _fits(wanted[name]["type"], value)
        if not fits:
            raise ToolRefused(f"{name}: {what} is wanted")
    return given


def _fits(kind: str, value: Any) -> tuple[str, bool]:
    if kind == "integer":
        return f"a whole number of 1 to {HITS}", type(value) is int and 1 <= value <= HITS
    if kind == "string":
        return "a text", isinstance(value, str)
    listed = isinstance(value, list) and len(value) <= MAX_TAGS and all(isinstance(tag, str) for tag in value)
    return f"a list of at most {MAX_TAGS} texts", listed
