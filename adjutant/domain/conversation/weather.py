"""DOMAIN. Weather: what the folder holds on this message - skills, notes, vault, work log - a passage each, as data."""

from __future__ import annotations

from hashlib import sha256
from typing import NamedTuple

from adjutant.domain.conversation import excerpt, relevance
from adjutant.domain.prompting.assembly import Found
from adjutant.domain.recall import collections
from adjutant.domain.recall.classify import UNCATEGORISED, Classified
from adjutant.domain.recall.search import search
from adjutant.errors import AdjutantError, Stopped
from adjutant.screening.fence import Fence, clean_line
from adjutant.screening.screen import screen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from adjutant.app import App
    from adjutant.domain.conversation.relevance import Sought
    from adjutant.ports import Document, Hit

HITS = 8
LOOKED_AT = 3 * HITS  # what is found by words that say nothing makes room for what is below it
PASSAGE = 600  # characters; eight of them with their labels are about what prompt.weather_tokens allows
LABEL = 140
MARKER = 12  # hex digits
OWN = ("conversations", "journal")  # where the agent would read what it said itself
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
    """What was found, best first; `failed`: why nothing could be looked up, "" when it could."""

    found: tuple[Found, ...]
    failed: str = ""


def find(app: App, message: str, about: Classified) -> Weather:
    """At most HITS passages that are about the message. What it is filed under lifts a passage and excludes none.

    A search that fails is said, and the turn goes on without: an index that is locked, damaged or away. Raises Stopped.
    """
    where = ",".join(name for name in app.config.values["retrieval.weather"] if name in PARTS)
    wanted = relevance.sought(message)
    if not where or not wanted.words:
        return Weather(())
    concept = "" if about.concept == UNCATEGORISED else about.concept
    try:
        hits = search(app, message, collections=collections.named(where), limit=LOOKED_AT, about=concept).hits
    except Stopped:
        raise
    except AdjutantError as error:
        app.say(f"nothing was looked up for this message: {error.message}")
        return Weather((), clean_line(error.message, LABEL))
    return Weather(tuple(chosen(hits, wanted)))


def everywhere(app: App, message: str, most: int) -> list[Found]:
    """What a question comes nearest to in the folder and the knowledge bases, the agent's own records aside.

    [] for what asks nothing. It is for an answer without a model: no floor is needed where a person sees the places.

    A search that fails is said. Raises Stopped.
    """
    if not (relevance.sought(message).words or message.rstrip().endswith("?")):
        return []
    where = tuple(each for each in collections.DEFAULT if each.name not in OWN)
    try:
        hits = search(app, message, collections=where, limit=most).hits
    except Stopped:
        raise
    except AdjutantError as error:
        app.say(f"nothing was looked up for this message: {error.message}")
        return []
    found = []
    for hit in hits:
        document = safe(_whole(hit.document) if hit.document.collection == SKILLS else hit.document)
        words = dict.fromkeys(map(str, hit.why.get("terms", ())), 1.0)
        found.append(_found(hit.document, hit.score, excerpt.best(document, words, PASSAGE)))
    return found


def chosen(hits: list[Hit], wanted: Sought) -> list[Found]:
    """The passages of these hits that are about the message, in the order of the hits."""
    told = []
    for hit in hits:
        is_skill = hit.document.collection == SKILLS
        rare = relevance.evident(wanted, hit.why, around=is_skill)
        if sum(rare.values()) < wanted.needed:
            continue
        passage = excerpt.best(safe(_whole(hit.document) if is_skill else hit.document), rare, PASSAGE)
        told.append((relevance.held(hit.document, passage, rare), hit, passage))
    needed = max(wanted.needed, relevance.BESIDE * max((evidence for evidence, _, _ in told), default=0.0))
    found: list[Found] = []
    for evidence, hit, passage in told:
        if evidence >= needed and len(found) < HITS:
            # The order of the hits is not that of their scores alone; what is cut for room must keep to it.
            score = min(hit.score, found[-1].score) if found else hit.score
            found.append(_found(hit.document, score, passage))
    return found


def _whole(skill: Document) -> Document:
    """A skill with its body, which stands around its description."""
    return skill._replace(text=f"{skill.text}\n\n{skill.context}".strip(), context="")


def _found(document: Document, score: float, passage: str) -> Found:
    block = fenced(passage, _label(document))
    return Found(
        PARTS[document.collection],
        document.id,
        block,
        score,
        document.path,
        document.anchor,
        passage,
        document.trust,
        document.collection,
    )


def fenced(text: str, label: str) -> str:
    """`text` as data, under a marker that is the same for the same text and that no text can hold of itself."""
    return Fence(sha256(f"{label}\n{text}".encode("utf-8", "replace")).hexdigest()[:MARKER]).wrap(text, label)


def _label(document: Document) -> str:
    """What it is called, where it stands, and whose word it is where it is not the operator's."""
    place = _place(document)
    title = clean_line(document.title, LABEL)
    if document.trust == "operator":
        return clean_line(f"{title} ({place})", LABEL + len(place))
    safe = "" if screen(title) else f"{title} "
    return clean_line(f"{safe}({place}, {document.trust})", LABEL + len(place) + len(document.trust))


def _place(document: Document) -> str:
    return document.path + (f"#{document.anchor}" if document.anchor else "")


def safe(document: Document) -> str:
    """The text; of what is not the operator's own word each line that reads like an instruction gives way to its
    place."""
    if document.trust == "operator":
        return document.text
    lines = document.text.split("\n")
    for hit in screen(document.text):
        lines[hit.line - 1] = f"[a line that reads like an instruction is left out; it stands in {_place(document)}]"
    return "\n".join(lines)
