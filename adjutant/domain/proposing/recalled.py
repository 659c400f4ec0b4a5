"""DOMAIN. What was said, for a draft: the operator's own sentence, the answer he got, a note that says otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from adjutant.domain.analysis import gists
from adjutant.domain.behavior import own_words
from adjutant.domain.memory.shelf import Shelf
from adjutant.domain.proposing import lines
from adjutant.errors import AdjutantError
from adjutant.language import agreement
from adjutant.language.sentences import sentences
from adjutant.ports import TRUST
from adjutant.records.conversation import AGENT, OPERATOR
from adjutant.records.finding import Finding, Quote
from adjutant.records.note import Note
from adjutant.store import jsonl
from adjutant.store.files import Files

ANSWER_CHARS = 400
TAIL = 4 * 1024 * 1024  # bytes of a conversation in which a record is looked for
SAME_MATTER = 0.5  # of a note's telling stems, in what sets it aside
_LEAST = 2  # telling stems that a note and what denies it have in common


class Answer(NamedTuple):
    """What a question was answered with. `ref`: where it stands; `trust`: whose words they are."""

    text: str
    ref: str
    trust: str


# -- the operator's sentence ---------------------------------------------------------------------------------


def own_sentence(found: Finding) -> str:
    """The sentence in which the operator says it best, without the "no" before it; "" where none is his.

    Only what stands in his quotes is: `found.text` where it does, else the sentence that holds most of the subject.
    """
    if found.text and lines.verbatim(lines.plain(found.text), found.evidence):
        return lines.plain(gists.opened(lines.plain(found.text)))
    told = [part for quote in lines.operators(found.evidence) for part in own_words.sentences(quote)]
    stems = [stem for stem in found.subject.split() if stem]
    best = max(told, key=lambda part: _held(part, stems), default="")
    return lines.plain(gists.opened(best)) if best else ""


def own_question(found: Finding) -> str:
    """As `own_sentence`, in the form of a question where he has put it so."""
    best, stems = own_sentence(found), found.subject.split()
    asked = [
        part
        for quote in lines.operators(found.evidence)
        for part in own_words.sentences(quote)
        if part.endswith("?") and _held(part, stems) >= min(_held(best, stems), len(stems) - 1)
    ]
    fullest = max(asked, key=lambda part: (_held(part, stems), len(part)), default="")
    return lines.plain(gists.opened(fullest)) if fullest and not best.endswith("?") else best


def _held(sentence: str, stems: Sequence[str]) -> int:
    words = lines.plain(sentence).casefold().split()
    return sum(any(word.strip("\"'“„(").startswith(stem) for word in words) for stem in stems)


# -- the answer ----------------------------------------------------------------------------------------------


def answer(files: Files, found: Finding) -> Answer | None:
    """The newest answer on record to what was asked, as whole sentences; None where there is none.

    Raises FileDamaged, IoFailed.
    """
    for quote in found.evidence:
        if quote.text and quote.trust == TRUST[1]:
            return _answer(_uncut(files, quote), quote.ref, found)
    for quote in found.evidence:
        if quote.trust == TRUST[0] and (said := _after(files, quote, found)) is not None:
            return said
    return None


def _uncut(files: Files, quote: Quote) -> str:
    """The sentences that a quote holds, to their end where the quote was cut."""
    record = _record(files, quote)
    whole = " ".join(str(record["text"]).split()) if record is not None else ""
    line = " ".join(quote.text.split())
    at = whole.find(line)
    if at < 0 or line.endswith((".", "!", "?", "…")):
        return line
    return whole[at : next(each.end for each in sentences(whole) if each.end >= at + len(line))]


def _after(files: Files, quote: Quote, found: Finding) -> Answer | None:
    """The agent's message that follows on the operator's."""
    path, _, id = quote.ref.partition("#")
    told = _conversation(files, path)
    at = next((at for at, record in enumerate(told) if record.get("id") == id), len(told))
    for record in told[at + 1 :]:
        if record.get("role") == OPERATOR:
            return None
        if record.get("role") == AGENT and isinstance(record.get("text"), str):
            return _answer(record["text"], f"{path}#{record.get('id')}", found)
    return None


def _answer(text: str, ref: str, found: Finding) -> Answer | None:
    """An answer of the agent's; in the operator's words where he has said the very same."""
    kept = whole_sentences(text, ANSWER_CHARS)
    return Answer(kept, ref, TRUST[0] if lines.verbatim(kept, found.evidence) else TRUST[1]) if kept else None


def _record(files: Files, quote: Quote) -> dict[str, Any] | None:
    path, _, id = quote.ref.partition("#")
    return next(
        (
            record
            for record in _conversation(files, path)
            if record.get("id") == id and isinstance(record.get("text"), str)
        ),
        None,
    )


def _conversation(files: Files, path: str) -> list[dict[str, Any]]:
    """The records of a conversation by its path; none for any other file."""
    wanted = files.tree.inside(path)
    if wanted.rpartition("/")[0] != files.tree.conversations or not wanted.endswith(".jsonl"):
        return []
    try:
        return jsonl.tail(files, wanted, TAIL)
    except (AdjutantError, FileNotFoundError):
        return []


def whole_sentences(text: str, room: int) -> str:
    """As many whole sentences from the beginning of a text as fit, on one line; "" where the first one does not."""
    line = " ".join(text.split())
    return line[: max((each.end for each in sentences(line) if each.end <= room), default=0)]


def passage(text: str, wanted: str) -> str:
    """One line of a document: `wanted` where it stands in it, else all of it, else its first sentences that fit."""
    line = lines.plain(text)
    told = lines.plain(wanted)
    if told and told in line and len(told) <= lines.MOST:
        return told
    return line if len(line) <= lines.MOST else whole_sentences(line, lines.MOST)


# -- what stands otherwise -----------------------------------------------------------------------------------


def said_otherwise(files: Files, text: str, found: Finding) -> Note | None:
    """The live note whose place the operator's words take: it says what they contradict, or set aside by name.

    Of several the one that has most in common with them. Raises FileDamaged, IoFailed.
    """
    told = [text, *lines.operators(found.evidence)]
    live = [note for note in Shelf(files).all() if not note.superseded_by]
    against = [
        (_common(text, note.body), note)
        for note in live
        if any(_otherwise(each, note.body) for each in told) and _common(text, note.body)
    ]
    return max(against, key=lambda pair: (pair[0], pair[1].id), default=(0, None))[1]


def _otherwise(text: str, body: str) -> bool:
    said, stands = gists.gist(text), gists.gist(body)
    if _sets_aside(said, stands) or _denies(said, stands):
        return True
    return not said.wrong and said.denies == stands.denies and agreement.contradicts(text, body)


def _sets_aside(said: gists.Gist, stands: gists.Gist) -> bool:
    """Whether "Berg, not Hansen" is said where a note says Hansen, of the same matter, and hardly anything else: what
    else it says would be hidden with it."""
    right = said.telling - said.wrong
    return (
        bool(said.wrong & (stands.telling - stands.wrong))
        and bool(right & stands.telling)
        and len(said.telling & stands.telling) >= SAME_MATTER * len(stands.telling)
    )


def _denies(said: gists.Gist, stands: gists.Gist) -> bool:
    """Whether one says not to do what the other says."""
    right, shared = said.telling - said.wrong, said.telling & stands.telling - said.wrong
    most = max(len(right), len(stands.telling))
    return said.denies != stands.denies and len(shared) >= _LEAST and len(shared) >= agreement.OPPOSED * most


def _common(text: str, body: str) -> int:
    """How many telling stems a text and a note share."""
    return len(gists.gist(text).telling & gists.gist(body).telling)
