"""OPINION. answer: what does one knowledge base say to a question, and on which line?"""

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import msgspec

from adjutant.app import App
from adjutant.children.folder import is_order
from adjutant.documents import folder as folders
from adjutant.domain.conversation.preparing import about_base
from adjutant.domain.matters import opened
from adjutant.domain.matters.look import replacement
from adjutant.domain.matters.signal import Evidence
from adjutant.domain.recall import places
from adjutant.domain.recall.answer_lines import QUOTE, FoundAnswer
from adjutant.domain.recall.search import SearchResult, search
from adjutant.domain.recall.wanted import Wanted
from adjutant.errors import KbUnavailable, ModelUnavailable, Stopped, UsageError
from adjutant.judgements import briefing
from adjutant.judgements.asking import OFFLINE, Asker, Opinion
from adjutant.judgements.hearing import load_judgement
from adjutant.judgements.material import KbLine, Near, ShownLines, beyond, nears, note_dropped, tell_nears
from adjutant.language.words import words
from adjutant.ports import Folder, ReplyRefused
from adjutant.records import registry
from adjutant.screening.fence import Fence, clean_line
from adjutant.screening.screen import screen
from adjutant.store.settings import AGENTS

NAME, TEMPLATE, TIER, TEMPERATURE, MAX_TOKENS = "answer", "answer.md", "cheap", 0.1, 800
SHOWN_CHARS, ANSWER_LINES, LINE_CHARS = 40_000, 12, 400


class Inputs(msgspec.Struct, frozen=True):
    """A question to one knowledge base, the lines found, best first; `answers` without a model, `added` by an agent."""

    kb: str
    question: str
    today: str
    lines: list[KbLine]
    folder: str = ""
    answers: list[Near] = []
    added: list[KbLine] = []
    agenda: list[str] = []
    agenda_rests: list[Evidence] = []


class Result(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`known` is false when the knowledge base does not say; then there is no citation."""

    known: bool
    answer: str
    citations: list[str | Evidence]


def variables(inputs: Inputs, fence: Fence) -> dict[str, Any]:
    """For prompts/answer.md."""
    return {
        "kb": inputs.kb,
        "today": inputs.today,
        "question": fence.wrap(inputs.question, "the question"),
        "passages": fence.wrap(show_lines(inputs).text(), f"knowledge base {inputs.kb}", limit=SHOWN_CHARS),
    }


def check(inputs: Inputs, result: Result) -> tuple[Result, list[str]]:
    """Only quotes that stand. Raises ReplyRefused when an answer says it knows and no quote of it stands."""
    if not result.known:
        return unknown(inputs), []
    citations, missing = show_lines(inputs).lines_of(result.citations)
    if not citations:
        how = 'cite a line by its handle, such as "L3", or say known: false'
        raise ReplyRefused(f"`known` is true, and nothing that you cite stands in the lines shown: {how}")
    text = _clean(result.answer)
    if not text:
        raise ReplyRefused("`known` is true, and the answer is empty")
    return Result(True, text, list(citations)), note_dropped(missing)


def rules(inputs: Inputs) -> Result:
    """The line that answers, or two; else that nothing is certain, and what comes near."""
    if inputs.agenda:
        return Result(True, "\n".join(clean_line(line, LINE_CHARS) for line in inputs.agenda), [*inputs.agenda_rests])
    certain = [each for each in inputs.answers if each.certain]
    if not certain:
        return unknown(inputs)
    told = _clean("\n".join(each.says for each in certain))
    return Result(True, told, [Evidence(each.path, int(each.anchor), each.quote) for each in certain])


def unknown(inputs: Inputs) -> Result:
    """What is said when the knowledge base does not say."""
    return Result(False, _clean("\n".join(tell_nears([each for each in inputs.answers if not each.certain]))), [])


def list_cited(result: Result) -> list[Evidence]:
    """The lines that an answer rests on, after its check."""
    return [each for each in result.citations if isinstance(each, Evidence)]


def show_lines(inputs: Inputs) -> ShownLines:
    """The lines as a model is shown them."""
    return ShownLines([*inputs.lines, *inputs.added], folder=inputs.folder)


def _clean(text: str) -> str:
    lines = (clean_line(line, LINE_CHARS) for line in text.split("\n")[:ANSWER_LINES])
    return "\n".join(line for line in lines if line)


# -- a question to one knowledge base: what is read, who is asked, what changed meanwhile -----------------------


MAX_QUESTION = 2000
FILL_FOR_A_MODEL = 12_000  # characters: a model may understand what shares no word with the question
TRANSPORT = ("timeout", "unreachable", "http")
HITS, LINES = 8, 12  # passages that are looked at; lines below its first in which one is cited
BASES = places.find_collections("kb")


def consult(app: App, name: str, text: str, *, may_write: bool = True) -> tuple[Opinion[Result], list[str] | None]:
    """(the answer, the paths an agent changed, None where it could not). Raises UsageError, Kb*, ModelUnavailable."""
    asked = " ".join(text.split())[:MAX_QUESTION]
    if not asked:
        raise UsageError("the question is empty", 'adjutant kb query NAME "When is the boiler service?"')
    kb, backend = registry.find(app.files, name), app.config.text("llm.backend")
    texts, wanted = _Texts(app, kb), Wanted(asked, kb.name, f"{app.clock.now():%Y-%m-%d}")
    unseen = not kb.enabled
    found = search(app, asked, collections=BASES, limit=HITS, fresh=True, base=kb.name, in_memory=unseen, wanted=wanted)
    open_ones = about_base(app, kb, asked) if kb.enabled else None
    folder = os.path.realpath(kb.folder)
    writes = may_write and kb.access == "read-write" and not app.dry_run and backend in AGENTS
    before = _look_into(kb) if writes else {}

    def list_changed() -> list[str]:
        after = _look_into(kb) if writes else {}
        return sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))

    def widen(inputs: Inputs, result: Result) -> Inputs:
        """With the lines that an agent found; they stand last: where it has changed one, the new one counts."""
        find = briefing.reader(app, kb)  # a new look: it may have made a file
        return msgspec.structs.replace(inputs, added=beyond(result.citations, show_lines(inputs), inputs.folder, find))

    inputs = Inputs(
        kb=kb.name,
        question=asked,
        today=f"{app.clock.now():%A %Y-%m-%d}",
        lines=texts.show(found, 0 if backend == OFFLINE else FILL_FOR_A_MODEL),
        folder=folder,
        answers=nears(found.answers, lambda each: texts.place(each, wanted)),
        agenda=open_ones.lines if open_ones else [],
        agenda_rests=[each.evidence[0] for each in open_ones.matters] if open_ones else [],
    )
    try:
        answered = Asker(app).ask(
            load_judgement(NAME),
            inputs,
            model_tier=kb.model,
            timeout=app.config.number("heartbeat.kb_timeout_seconds"),
            reads=Folder(folder, writes, texts.names),
            widen=widen,
        )
    except (Stopped, KeyboardInterrupt):
        for path in list_changed():
            app.say(f"changed by the agent: {path}")
        raise
    changed = list_changed()
    if answered.degraded in TRANSPORT or (answered.degraded == "malformed" and not answered.replied):
        why, details = f"({answered.degraded}): {answered.why}", {"run": app.run, "changed": changed}
        raise ModelUnavailable(f"the model did not answer {why}", details=details)
    return answered, changed if writes else None


def unavailable(kb: registry.KnowledgeBase, error: OSError) -> KbUnavailable:
    """What is to be said of a knowledge base whose folder cannot be read."""
    fix = f"restore the folder, or `adjutant kb remove {kb.name}`"
    return KbUnavailable(f"{kb.name}: {kb.folder}: {error.strerror or error}", fix)


def _look_into(kb: registry.KnowledgeBase) -> dict[str, tuple[int, int, int]]:
    """What tells a changed entry of the folder from an unchanged one, hidden ones included, links not followed."""
    found: dict[str, tuple[int, int, int]] = {}
    for place, below, names in os.walk(kb.folder):
        for path in (os.path.join(place, name) for name in (*below, *names)):
            with suppress(OSError):  # it went while the folder was walked
                info = os.lstat(path)
                if not stat.S_ISDIR(info.st_mode):
                    found[os.path.relpath(path, kb.folder)] = (info.st_ino, info.st_size, info.st_mtime_ns)
    return found


class _Texts:
    def __init__(self, app: App, kb: registry.KnowledgeBase) -> None:
        """Raises KbUnavailable."""
        config = app.config
        self._folder, self._limit = kb.folder, config.whole("limits.bytes_per_file")
        try:
            scan = opened.list_files(kb, opened.limits_of(config))
        except OSError as error:
            raise unavailable(kb, error) from error
        self._entries = {folders.printable(each.path): each for each in scan.entries}
        self._newest = sorted(self._entries, key=lambda path: (-self._entries[path].mtime_ns, path))
        self._lines: dict[str, list[str]] = {}
        self.names = [path for path in self._newest if not any(map(is_order, path.split("/")))]  # an agent may open

    def lines(self, path: str) -> list[str]:
        if path not in self._lines:
            with suppress(KeyError, OSError):
                self._lines[path] = folders.text_of(self._folder, self._entries[path], self._limit).split("\n")
        return self._lines.setdefault(path, [""])

    def place(self, found: FoundAnswer, wanted: Wanted) -> tuple[str, str, str]:
        """(path, number, text) of the line that an answer is cited by: of those it spans the one that says most."""
        path, first = _split_id(found.document.id)
        first, said = first + found.line, frozenset(words(found.quote))
        lines = self.lines(path)[first - 1 : first - 1 + LINES]
        if lines and found.quote.split("\n")[0] in lines[0]:
            lines = lines[: found.quote.count("\n") + 1]
        worth = [len(said.intersection(words(line))) + len(wanted.match(line)) for line in lines]
        if not any(worth):
            return path, str(first), found.quote
        at = worth.index(max(worth))
        line = lines[at].strip()
        start = max(line.find(found.quote[:QUOTE]), 0) if len(line) > QUOTE else 0
        return path, str(first + at), replacement(path, first + at) if screen(line) else line[start : start + QUOTE]

    def show(self, found: SearchResult, fill: int) -> list[KbLine]:
        """The lines of what was found, best first, each once; then so many characters of files, the newest first."""
        shown: dict[tuple[str, int], KbLine] = {}
        for path, first, count in self._parts(found, fill):
            lines = self.lines(path)[first - 1 : first - 1 + count]
            hits = {hit.line for hit in screen("\n".join(lines))}
            for at, line in enumerate(lines, start=first):
                safe = replacement(path, at) if at - first + 1 in hits else line
                shown.setdefault((path, at), KbLine(path, at, safe))
        return list(shown.values())

    def _parts(self, found: SearchResult, fill: int) -> Iterator[tuple[str, int, int]]:
        yield from ((*_split_id(hit.document.id), hit.document.text.count("\n") + 1) for hit in found.hits)
        for path in self._newest if fill > 0 else ():
            for first in range(1, len(self.lines(path)), LINES):
                fill -= len("\n".join(self.lines(path)[first - 1 : first - 1 + LINES]))
                if fill < 0:
                    return
                yield path, first, LINES


def _split_id(id: str) -> tuple[str, int]:
    """(path in the knowledge base, line) of a document's id."""
    path, _, line = id.partition(":")[2].rpartition("#")
    return path, int(line)
