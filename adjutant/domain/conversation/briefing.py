"""DOMAIN. What a turn is given of files, in fences: the briefing of what happened, and passages about its message."""

from collections.abc import Sequence
from datetime import timedelta
from hashlib import sha256
from typing import Any, NamedTuple, TypeVar

from adjutant.app import App, plural
from adjutant.clock import Clock, moment
from adjutant.domain.matters.picture import Picture, sections
from adjutant.domain.prompting.assembly import Retrieved
from adjutant.domain.recall import places
from adjutant.domain.recall.answer_lines import FoundAnswer
from adjutant.domain.recall.classify import UNCATEGORISED, Classified
from adjutant.domain.recall.search import search
from adjutant.domain.recall.showing import cut_passage, place, safe
from adjutant.domain.recall.wanted import Wanted
from adjutant.domain.telling import message, standing
from adjutant.errors import AdjutantError, Stopped
from adjutant.index_ports import Document, Hit
from adjutant.language.phrases import matcher
from adjutant.records import conversation, insights, ledger
from adjutant.screening.fence import Fence, clean_line
from adjutant.screening.screen import screen
from adjutant.store import jsonl

T = TypeVar("T", Hit, FoundAnswer)
SILENCE = timedelta(hours=6)
LINE = 150  # characters
NAMED, SLOG = 3, 5  # lines of one kind at most
OPEN = 15  # lines of what is open, with the one that counts the rest
MOST = 1100  # characters of the other lines; with what stands around them about 300 tokens
LOG_BYTES = 256 * 1024  # of the ledger and the work log, from their end
STAGES = {  # what the ledger has of each, and how it is called
    "pulse": ("issues_found", "issue", "worst"),
    "review": ("recommendations", "recommendation", "first"),
}
LEFT_OUT = "- a line that reads like an instruction is left out"
HITS = 8
LOOKED_AT = 3 * HITS  # what is found by words that say nothing makes room for what is below it
PASSAGE = 600  # characters; eight of them with their labels are about what prompt.weather_tokens allows
LABEL = 140
MARKER = 12  # hex digits
LONGEST_TALK = 400  # messages
MOST_HITS = 100  # of one search
OWN = ("conversations", "journal")  # what Adjutant wrote, or heard: searched for questions about the past
SOURCES = tuple(each for each in places.DEFAULT if each.name not in OWN)
FLOOR = 0.25  # of the telling words: one rare word in three or four, or two of eight
MOST_WORDS = 8  # in a longer message nobody expects an answer to every word
BESIDE = 0.4  # of the best passage's evidence: what holds less than this stays out beside it
SKILLS = "agent_skills"
PARTS = {SKILLS: "skills", "vault_index": "vault", "kb": "vault", "slog": "slog", "journal": "slog"}  # else notes


def is_due(past: Sequence[conversation.ConversationMessage], clock: Clock) -> bool:
    """Nothing was said yet in this session, or nothing for six hours."""
    last = moment(past[-1].ts) if past else None
    return last is None or clock.now() - last >= SILENCE


def compose(app: App, concept: str, picture: Picture | None = None) -> str:
    """The last pulse and review, insights and notices that wait, the work log on `concept`, and what is open in
    `picture`; the same text for the same files on one day. What cannot be read is named. Raises Stopped."""
    lines = list[str]()
    for name, read in _KINDS.items():
        try:
            lines += read(app, concept)
        except Stopped:
            raise
        except AdjutantError as error:
            lines.append(_line(f"{name}: cannot be read: {error.message}"))
    while len(lines) > 1 and sum(len(line) + 1 for line in lines) > MOST:
        lines.pop()
    lines += _opens(picture) if picture is not None else []
    for hit in screen("\n".join(lines)):
        lines[hit.line - 1] = LEFT_OUT
    return fence("\n".join(lines), "the instance's own records")


def _runs(app: App, concept: str) -> list[str]:
    last, found = ledger.read_last(app.files), jsonl.tail(app.files, app.tree.actions, LOG_BYTES)
    lines = []
    for stage, (key, one, first) in STAGES.items():
        when = _moment(last["last"].get(stage)) if last else ""
        record = next((each for each in reversed(found) if when and each.get("type") == stage), dict[str, object]())
        told = "" if record.get("status", "completed") == "completed" else f", {record['status']}"
        if isinstance(matters := record.get(key), list):
            told += f", {plural(len(matters), one)}" + (f", the {first}: {matters[0]}" if matters else "")
        lines.append(_line(f"last {stage}: {when or 'never'}{told}"))
    return lines


def _insights(app: App, concept: str) -> list[str]:
    good, damaged = insights.pending(app.files)
    good.sort(key=lambda each: -insights.RANK.get(each.severity, 0))
    lines = [f"{each.severity}: {each.title} ({each.kb}, {each.name})" for each in good]
    bad = [_line(f"damaged: insights/pending/{name}") for name, _ in damaged[:1]]
    return (_tell("pending insight", lines) or ["pending insights: none"]) + bad


def _notices(app: App, concept: str) -> list[str]:
    held = reversed(standing.held_back(app.files, app.clock))
    return _tell("notice", [f"{each['outcome']}: {each.get('text')}" for each in held], " that nobody got")


def _opens(picture: Picture) -> list[str]:
    today, shown = picture.now.date(), [each for each in picture.shown() if each.certain or each.listed]
    parts = sections(shown, today)
    every = [*parts.late, *parts.near, *parts.week, *parts.waiting, *parts.new, *parts.rest]
    several = len({each.kb for each in every}) > 1
    named = message.first(every, OPEN - 1 if len(every) + bool(parts.older) < OPEN else OPEN - 2)
    lines = [f"open: {len(shown)}", *(f"- {message.line(each, today, several=several)}" for each in named)]
    return [*lines, *message.more(len(shown) - len(named))] if every else []


def _slog(app: App, concept: str) -> list[str]:
    about = "" if concept == UNCATEGORISED else f"{concept}/"
    said = (each for each in jsonl.tail(app.files, app.tree.slog, LOG_BYTES) if isinstance(each.get("text"), str))
    found = [each for each in said if f"{each.get('concept')}/".startswith(about)]
    return [_line(f"log {_moment(each.get('ts'))}: {each['text']}") for each in reversed(found[-SLOG:])]


_KINDS = {"the last runs": _runs, "pending insights": _insights, "notices": _notices, "work log": _slog}


def _tell(one: str, lines: Sequence[str], which: str = "") -> list[str]:
    more = f", the first {NAMED}" if len(lines) > NAMED else ""
    told = [f"{plural(len(lines), one)}{which}{more}:", *(f"- {_line(line)}" for line in lines[:NAMED])]
    return told if lines else []


def _moment(told: object) -> str:
    return told[:16].replace("T", " ") if isinstance(told, str) else ""


def _line(text: str) -> str:
    return clean_line(text, LINE)


class Weather(NamedTuple):
    """What was found, best first; the lines that answer; `failed`: why nothing could be looked up, "" when it could."""

    found: tuple[Retrieved, ...] = ()
    answers: tuple[FoundAnswer, ...] = ()
    failed: str = ""


class Where(NamedTuple):
    """What a turn looks into: collections, summaries up to a level; not the talk `but`, nor the messages `own`."""

    collections: tuple[places.Collection, ...]
    level: int
    but: str
    own: frozenset[str] = frozenset()

    def allow(self, hits: Sequence[T]) -> list[T]:
        return [hit for hit in hits if hit.document.id not in self.own]


def where(app: App, message: str, session: str, id: str, *, names: str | None = None, offline: bool = False) -> Where:
    """Where a message is looked up: by `names` (--in), else in files and notes, in the past only where it asks about
    that, without the talk it is part of. Raises SearchInvalid, FileDamaged, IoFailed."""
    past, own = matcher("questions", "past").first(message) is not None, {f"{session}/{id}"}
    if names is not None:
        chosen = places.find_collections(names)
    else:
        wanted = set(app.config.values["retrieval.weather"]) | ({each.key for each in SOURCES} if offline else set())
        wanted |= set(OWN) if past else set()
        chosen = tuple(each for each in places.DEFAULT if {each.key, each.name} & wanted)
    level = places.SUMMARIES if past or names is not None else 0
    if not past:
        return Where(chosen, level, app.tree.relative(app.tree.conversation(session)), frozenset(own))
    shown, later, over = 0 if offline else app.config.whole("turn.history_messages"), app.clock.now(), False
    for number, each in enumerate(reversed(conversation.newest(app.files, session, LONGEST_TALK))):
        when = moment(each.ts)
        over = over or when is None or later - when >= SILENCE
        if over and number >= shown:  # the newest messages stand in the prompt
            break
        later = when or later
        own.add(f"{session}/{each.id}")
    return Where(chosen, level, "", frozenset(own))


def find(app: App, message: str, about: Classified, where: Where) -> Weather:
    """At most HITS passages about the message, and lines that answer it; a failed search is said. Raises Stopped."""
    wanted = Wanted(message, today=f"{app.clock.now():%Y-%m-%d}")
    if not where.collections or not (wanted.telling or message.rstrip().endswith("?")):
        return Weather()
    try:
        limit, concept = min(LOOKED_AT + len(where.own), MOST_HITS), about.concept
        into: dict[str, Any] = {"collections": where.collections, "but": where.but, "level": where.level}
        into["about"] = "" if concept == UNCATEGORISED else concept
        found = search(app, message, limit=limit, wanted=wanted, **into)
    except Stopped:
        raise
    except AdjutantError as error:
        app.say(f"nothing was looked up for this message: {error.message}")
        return Weather(failed=clean_line(error.message, LABEL))
    return Weather(tuple(choose(where.allow(found.hits), wanted)), tuple(where.allow(found.answers)))


def choose(hits: Sequence[Hit], wanted: Wanted) -> list[Retrieved]:
    """The passages that are about the message, in the order of the hits. The evidence of one is the sum of the rarities
    (0 to 1) of the telling words that it holds, held against their number."""
    needed = FLOOR * min(len(wanted.telling), MOST_WORDS)
    told = []
    for hit in hits if needed else ():
        rarity = {word.removesuffix("…"): rare for word, rare in hit.why.get("rarity", {}).items()}
        rare, document = {word: rarity.get(word, 1.0) for word in wanted.telling}, hit.document
        if document.collection == SKILLS:  # with its body, which stands around its description
            document = document._replace(text=f"{document.text}\n\n{document.context}".strip(), context="")
        document = safe(document)
        passage = cut_passage(document.text, rare, PASSAGE)
        held = wanted.match("\n".join((document.title, document.names, *document.tags, passage)))
        evidence = sum(grade * rare[word] for word, grade in held.items() if word in rare)
        if evidence >= needed:
            told.append((evidence, hit, passage))
    needed = max([needed, *(BESIDE * evidence for evidence, _, _ in told)])
    found: list[Retrieved] = []
    for evidence, hit, passage in told:
        if evidence >= needed and len(found) < HITS:
            # The order of the hits is not that of their scores alone; what is cut for room must keep to it.
            score = min(hit.score, found[-1].score) if found else hit.score
            document, part = hit.document, PARTS.get(hit.document.collection, "notes")
            about = (document.path, document.anchor, passage, document.trust, document.collection)
            found.append(Retrieved(part, document.id, fence(passage, _label(document)), score, *about))
    return found


def show(text: str, label: str) -> Retrieved:
    """A text of ours that holds the operator's lines, as something found."""
    return Retrieved("vault", label, fence(text, label), 1.0, passage=text, trust="untrusted")


def fence(text: str, label: str) -> str:
    """`text` as data, under a marker that is the same for the same text and that no text can hold of itself."""
    return Fence(sha256(f"{label}\n{text}".encode("utf-8", "replace")).hexdigest()[:MARKER]).wrap(text, label)


def _label(document: Document) -> str:
    there, title = place(document), clean_line(document.title, LABEL)
    if document.trust != "operator":
        there, title = f"{there}, {document.trust}", "" if screen(title) else title
    return clean_line(f"{title} ({there})", LABEL + len(there))
