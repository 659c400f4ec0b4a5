"""DOMAIN. Weather: what the folder holds on this message - skills, notes, vault, work log - a passage each, as data."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import NamedTuple

from adjutant.app import App
from adjutant.clock import moment
from adjutant.domain.conversation.briefing import SILENCE
from adjutant.domain.prompting.assembly import Retrieved
from adjutant.domain.recall import places
from adjutant.domain.recall.answer_lines import FoundAnswer
from adjutant.domain.recall.classify import UNCATEGORISED, Classified
from adjutant.domain.recall.places import Collection
from adjutant.domain.recall.search import search
from adjutant.domain.recall.showing import cut_passage, place, safe
from adjutant.domain.recall.wanted import Wanted
from adjutant.errors import AdjutantError, Stopped
from adjutant.index_ports import Document, Hit
from adjutant.language.phrases import matcher
from adjutant.records import conversation
from adjutant.screening.fence import Fence, clean_line
from adjutant.screening.screen import screen

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
PARTS = {
    SKILLS: "skills",
    "agent_memory": "notes",
    "vault_index": "vault",
    "kb": "vault",
    "slog": "slog",
    "journal": "slog",
    "conversations": "notes",
}


class Weather(NamedTuple):
    """What was found, best first; the lines that answer; `failed`: why nothing could be looked up, "" when it could."""

    found: tuple[Retrieved, ...] = ()
    answers: tuple[FoundAnswer, ...] = ()
    failed: str = ""


class Where(NamedTuple):
    """What a turn looks into: collections, summaries up to a level, the conversation left out; `own`: ids of messages
    that are left out where the conversation is not, the one that is being answered among them."""

    collections: tuple[Collection, ...]
    level: int
    but: str
    own: frozenset[str] = frozenset()

    def allow(self, hits: Sequence[Hit]) -> list[Hit]:
        """Without the message that is being answered, and what was said around it."""
        return [hit for hit in hits if hit.document.id not in self.own]


def where(app: App, message: str, session: str, id: str, *, names: str | None = None, offline: bool = False) -> Where:
    """Where a message is looked up: by `names` (--in), else in the operator's own files and notes, in the past only
    where it asks about that. The talk that it is part of is none of the past: what stands in the prompt, or was said
    without six hours of silence since. Raises SearchInvalid (names), FileDamaged, IoFailed."""
    past = matcher("questions", "past").first(message) is not None
    if names is not None:
        chosen = places.find_collections(names)
    else:
        wanted = set(app.config.values["retrieval.weather"]) | ({each.key for each in SOURCES} if offline else set())
        wanted |= set(OWN) if past else set()
        chosen = tuple(each for each in places.DEFAULT if {each.key, each.name} & wanted)
    but = "" if past else app.tree.relative(app.tree.conversation(session))
    level = places.SUMMARIES if past or names is not None else 0
    shown = 0 if offline else app.config.whole("turn.history_messages")
    own = _own(app, session, shown) if not but else frozenset()
    return Where(chosen, level, but, own | {f"{session}/{id}"})


def _own(app: App, session: str, shown: int) -> frozenset[str]:
    """The ids of what was said in this talk so far; the newest `shown` messages stand in the prompt."""
    past, later, over, ids = conversation.newest(app.files, session, LONGEST_TALK), app.clock.now(), False, set[str]()
    for number, each in enumerate(reversed(past)):
        when = moment(each.ts)
        over = over or when is None or later - when >= SILENCE
        if over and number >= shown:
            break
        later = when or later
        ids.add(f"{session}/{each.id}")
    return frozenset(ids)


def find(app: App, message: str, about: Classified, where: Where) -> Weather:
    """At most HITS passages that are about the message, and the lines that answer it. What it is filed under lifts a
    passage and excludes none.

    A search that fails is said, and the turn goes on without. Raises Stopped.
    """
    wanted = Wanted(message, today=f"{app.clock.now():%Y-%m-%d}")
    if not where.collections or not (wanted.telling or message.rstrip().endswith("?")):
        return Weather()
    try:
        found = search(
            app,
            message,
            collections=where.collections,
            limit=min(LOOKED_AT + len(where.own), MOST_HITS),
            about="" if about.concept == UNCATEGORISED else about.concept,
            but=where.but,
            level=where.level,
            wanted=wanted,
        )
    except Stopped:
        raise
    except AdjutantError as error:
        app.say(f"nothing was looked up for this message: {error.message}")
        return Weather(failed=clean_line(error.message, LABEL))
    answers = tuple(each for each in found.answers if each.document.id not in where.own)
    return Weather(tuple(choose(where.allow(found.hits), wanted)), answers)


def choose(hits: Sequence[Hit], wanted: Wanted) -> list[Retrieved]:
    """The passages of these hits that are about the message, in the order of the hits.

    The evidence of a passage is the sum of the rarities of the telling words that it holds: 1 for a word of one
    document alone, towards 0 for one of most. It is held against their number, so that one shared word of five is
    chance, and one of one is an answer. Nothing is read off a score.
    """
    needed = FLOOR * min(len(wanted.telling), MOST_WORDS)
    told = []
    for hit in hits if needed else ():
        rarity = {word.removesuffix("…"): rare for word, rare in hit.why.get("rarity", {}).items()}
        rare = {word: rarity.get(word, 1.0) for word in wanted.telling}
        document = hit.document
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
            document = hit.document
            block, part = fence(passage, _label(document)), PARTS[document.collection]
            about = (document.path, document.anchor, passage, document.trust, document.collection)
            found.append(Retrieved(part, document.id, block, score, *about))
    return found


def show(text: str, label: str) -> Retrieved:
    """A text of ours that holds the operator's lines, as something found."""
    return Retrieved("vault", label, fence(text, label), 1.0, passage=text, trust="untrusted")


def fence(text: str, label: str) -> str:
    """`text` as data, under a marker that is the same for the same text and that no text can hold of itself."""
    return Fence(sha256(f"{label}\n{text}".encode("utf-8", "replace")).hexdigest()[:MARKER]).wrap(text, label)


def _label(document: Document) -> str:
    """What it is called, where it stands, and whose word it is where it is not the operator's."""
    there, title = place(document), clean_line(document.title, LABEL)
    if document.trust == "operator":
        return clean_line(f"{title} ({there})", LABEL + len(there))
    shown = "" if screen(title) else f"{title} "
    return clean_line(f"{shown}({there}, {document.trust})", LABEL + len(there) + len(document.trust))
