"""DOMAIN. What a model may use within a turn: the table of tools, and each one's answer, which is data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from adjutant.domain.memory import gate, guessing, notes
from adjutant.domain.memory.shelf import Shelf
from adjutant.domain.prompting.fence import Fence, clean_line
from adjutant.domain.retrieval import collections, showing, skills, taxonomy
from adjutant.domain.retrieval.search import search
from adjutant.domain.turns import workspace
from adjutant.errors import (
    KbUnavailable,
    KbUnknown,
    LockBusy,
    MemoryRefused,
    ModelUnavailable,
    SearchInvalid,
    UsageError,
)
from adjutant.ports import Tool, ToolCall

TYPE_CHECKING = False
if TYPE_CHECKING:
    from adjutant.app import App
    from adjutant.ports import Hit

ANSWER = 6000  # characters of an answer that the model is shown
HITS, PASSAGE = 8, 500
MAX_TAGS = 8
FOLDER = "workspace"
Ask = Callable[[str, str], str]  # (knowledge base, question) -> its answer with citations

# What a model can mend by calling otherwise; everything else ends the turn.
MENDABLE = (MemoryRefused, SearchInvalid, KbUnknown, KbUnavailable, ModelUnavailable, UsageError, LockBusy)


class Refused(Exception):
    """A call that is not carried out; the text says why, for the model."""


def _object(required: dict[str, str], optional: dict[str, Any] | None = None) -> dict[str, Any]:
    """The JSON Schema of arguments: {name: help} of texts, and whatever else is optional."""
    texts = {name: {"type": "string", "description": help} for name, help in required.items()}
    return {"type": "object", "properties": {**texts, **(optional or {})}, "required": list(required),
            "additionalProperties": False}


_LIMIT = {"limit": {"type": "integer", "minimum": 1, "maximum": HITS}}
_TAGS = {"tags": {"type": "array", "items": {"type": "string"}, "maxItems": MAX_TAGS}}
_WORKLOAD = {"workload": {"type": "string", "description": "only what is about this workload"}}
_PATH = "relative to the workspace, such as drafts/mail.md"

TABLE = (
    Tool("memory_save", "Keep a note for later: what to do differently from now on, in one to three sentences.",
         _object({"content": "the note"}, _TAGS)),
    Tool("memory_search", "Look through the notes.", _object({"query": "words or a question"}, _LIMIT)),
    Tool("search", "Look through everything: notes, skills, vault, work log, journal, conversations, knowledge bases.",
         _object({"query": "words or a question"}, _WORKLOAD)),
    Tool("skill_read", "The whole text of a skill.", _object({"name": "its name"})),
    Tool("kb_query", "Ask one knowledge base a question.",
         _object({"name": "the knowledge base", "question": "in everyday words"})),
    Tool("workspace_list", "The files of the workspace.",
         _object({}, {"path": {"type": "string", "description": _PATH}})),
    Tool("workspace_read", "The text of a file of the workspace.", _object({"path": _PATH})),
    Tool("workspace_write", "Put a text into a file of the workspace; what it held before is replaced.",
         _object({"path": _PATH, "text": "the whole text"})),
)


class Toolbox:
    """The tools of one turn. `source`: what notes name as where they come from. `ask_kb` puts a question to a knowledge
    base; it raises what `adjutant kb query` does."""

    def __init__(self, app: App, *, source: str, ask_kb: Ask, folder: str = FOLDER) -> None:
        self._app, self._source, self._ask_kb, self._folder = app, source, ask_kb, folder
        self._fence = Fence(app.marker)
        self._verbs: dict[str, Callable[[dict[str, Any]], str]] = {
            "memory_save": self._save, "memory_search": self._recall, "search": self._search,
            "skill_read": self._skill, "kb_query": self._kb, "workspace_list": self._list,
            "workspace_read": self._read, "workspace_write": self._write,
        }
        assert self._verbs.keys() == {tool.name for tool in TABLE}

    def use(self, call: ToolCall) -> tuple[str, bool]:
        """(what the model is told, fenced; whether that is a refusal). An unknown tool, wrong arguments and what the
        house does not allow are refused with the reason. Raises Stopped, FileDamaged, IoFailed."""
        try:
            if call.name not in self._verbs:
                raise Refused(f"no tool is called {call.name[:40]!r}; there are {', '.join(self._verbs)}")
            return self._told(call.name, self._verbs[call.name](_arguments(call))), False
        except (Refused, workspace.OutOfBounds) as refused:
            return self._told(call.name, f"refused: {refused}"), True
        except MENDABLE as error:
            return self._told(call.name, f"refused: {error.message}"), True

    def _told(self, name: str, text: str) -> str:
        return self._fence.wrap(text or "nothing", f"answer of {name}", limit=ANSWER)

    # -- notes -----------------------------------------------------------------------------------------------

    def _save(self, given: dict[str, Any]) -> str:
        app = self._app
        guard = gate.for_instance(app.files, app.config, gate.own_secrets(app.files, app.secret, app.environment))
        text, tags = guard.admit(given["content"], "agent"), tuple(_tags(given.get("tags", [])))
        guard.refuse_secrets(",".join(tags))
        saved = notes.save(Shelf(app.files), notes.Draft(
            text=text, type=guessing.type_of(text), concepts=guessing.concepts_of(app.files, text), tags=tags,
            trust="agent", source=self._source, supersedes="", obstacle=guard.lifted(text),
        ), app.clock.now())
        return f"{saved.outcome}: {saved.note.id}, {saved.note.type}, {saved.note.path}"

    def _recall(self, given: dict[str, Any]) -> str:
        return self._hits(given["query"], collections.named("memory"), limit=given.get("limit"))

    # -- everything else that can be found -------------------------------------------------------------------

    def _search(self, given: dict[str, Any]) -> str:
        return self._hits(given["query"], collections.DEFAULT, workload=given.get("workload"))

    def _hits(
        self, query: str, where: tuple[collections.Collection, ...], *, limit: int | None = None,
        workload: str | None = None,
    ) -> str:
        found = search(self._app, query, collections=where, limit=limit or HITS, workload=workload)
        return "\n\n".join(_shown(hit, query) for hit in found.hits)

    def _skill(self, given: dict[str, Any]) -> str:
        shelf = skills.load(self._app.files, taxonomy.load(self._app.files))
        found = next((each for each in shelf.skills if each.name == given["name"]), None)
        if found is None:
            names = ", ".join(each.name for each in shelf.skills[:40])
            raise Refused(f"no skill is called {given['name'][:60]!r}; there are {names or 'none'}")
        return self._app.files.text(self._app.tree.inside(found.path), skills.MAX_BYTES)

    def _kb(self, given: dict[str, Any]) -> str:
        return self._ask_kb(given["name"], given["question"])

    # -- the workspace ---------------------------------------------------------------------------------------

    def _list(self, given: dict[str, Any]) -> str:
        return "\n".join(workspace.listed(self._app.files, self._folder, given.get("path", "")))

    def _read(self, given: dict[str, Any]) -> str:
        return workspace.read(self._app.files, self._folder, given["path"])

    def _write(self, given: dict[str, Any]) -> str:
        return f"written: {workspace.write(self._app.files, self._folder, given['path'], given['text'])}"


def _arguments(call: ToolCall) -> dict[str, Any]:
    """The arguments as the tool's schema has them. Raises Refused."""
    if call.arguments is None:
        raise Refused("the arguments are no JSON object")
    schema = next(tool.schema for tool in TABLE if tool.name == call.name)
    wanted: dict[str, Any] = schema["properties"]
    if missing := [name for name in schema["required"] if name not in call.arguments]:
        raise Refused(f"missing: {', '.join(missing)}")
    if odd := [name for name in call.arguments if name not in wanted]:
        raise Refused(f"unknown: {', '.join(clean_line(name, 40) for name in odd[:5])}; known are {', '.join(wanted)}")
    for name, value in call.arguments.items():
        if not _fits(value, wanted[name]):
            raise Refused(f"{name}: {wanted[name]['type']} is wanted")
    return call.arguments


def _fits(value: Any, schema: dict[str, Any]) -> bool:
    if schema["type"] == "string":
        return isinstance(value, str)
    if schema["type"] == "integer":
        whole = isinstance(value, int) and not isinstance(value, bool)
        return whole and bool(schema["minimum"] <= value <= schema["maximum"])
    return isinstance(value, list) and len(value) <= MAX_TAGS and all(isinstance(each, str) for each in value)


def _tags(given: list[str]) -> list[str]:
    found = [clean_line(tag, 40).lower().replace(" ", "-") for tag in given]
    return list(dict.fromkeys(tag for tag in found if tag))


def _shown(hit: Hit, query: str) -> str:
    document = hit.document
    place = document.path + (f"#{document.anchor}" if document.anchor else "")
    marks = "" if document.trust == "operator" else f", {document.trust}"
    head = clean_line(f"{document.title} ({place}{marks}) {document.created_at[:10]}", 200)
    return f"[{document.id}] {head}\n{showing.snippet(document.text, query, PASSAGE)}"
