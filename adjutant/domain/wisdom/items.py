"""DOMAIN. What a distill has to decide on: bullets of months and live notes, each once until it changes."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from itertools import chain, count
from typing import Any, NamedTuple

import msgspec

from adjutant.documents import frontmatter
from adjutant.domain.memory import gate
from adjutant.domain.memory.shelf import Shelf
from adjutant.domain.periods import labels
from adjutant.domain.periods.labels import without_tail
from adjutant.errors import FileDamaged
from adjutant.language import likeness
from adjutant.language.likeness import again
from adjutant.language.sentences import sentences
from adjutant.ports import TRUST
from adjutant.records import period_file, wisdom_file
from adjutant.records.note import Note, title_of
from adjutant.records.period_file import MONTHLY, Bullet
from adjutant.records.wisdom_file import RuleEntry
from adjutant.records.wisdom_log import ADD, DROP, MERGE, WisdomState
from adjutant.screening.fence import clean_line
from adjutant.screening.screen import screen
from adjutant.store.files import Files, sha256

NOTE, MONTH = "note", "month"
LESSONS = ("Lessons", "Corrections")
BODY_CHARS = 2000
LEAST_WORDS = 3  # of a clause that is a title
_SHOWN = re.compile(r" \(`[^`]*`\)")  # the words that a reason quotes
_DATED = re.compile(r"\s*\([^()]*\d{4}-\d\d-\d\d[^()]*\)")
_TAGS = re.compile(
    r"<\s*/?\s*[A-Za-z!][^<>]*>|<{2,}|>{2,}|\[/?(?:INST|SYS)\b|^\s*(?:system|assistant|user)\s*:|```",
    re.IGNORECASE | re.MULTILINE,
)
_CLAUSE = re.compile(r"\s*(?:[;:–—(]|,(?=\s)|\s-\s).*", re.DOTALL)
_DAY = re.compile(r"\b(\d{4})-?(\d\d)-?(\d\d)(?=T|\b)")


class WisdomItem(msgspec.Struct, frozen=True, kw_only=True):
    """A bullet of a month, or a note. `section` of a bullet, the type of a note. `date`: the last day that speaks for
    it. `about`: concepts and tags. `count`: how often it was said, `before`: the months whose bullets said the same and
    did not become a rule. `already`: the entry into which it went when it was decided before, `replaces`: that of the
    note it supersedes, `replaced`: the id of the note that supersedes it. `unfit`: why nobody is to read it; its text
    is left out then."""

    id: str
    kind: str
    section: str
    text: str
    trust: str
    date: str
    sha256: str
    title: str = ""
    refs: tuple[str, ...] = ()
    about: tuple[str, ...] = ()
    count: int = 1
    before: tuple[str, ...] = ()
    already: str = ""
    replaces: str = ""
    replaced: str = ""
    unfit: str = ""


class GatheredItems(NamedTuple):
    """What is undecided, oldest first; and what cannot be read, {path: reason}."""

    items: tuple[WisdomItem, ...]
    damaged: dict[str, str]


def gather(files: Files, state: WisdomState, today: date, own: Mapping[str, str] = gate.NONE) -> GatheredItems:
    """The items as of a day. `own`: {value: name} of secrets. Raises FileDamaged (a file for a folder), IoFailed."""
    damaged: dict[str, str] = {}
    bullets, decided = _bullets(files, today, damaged), state.items
    passed = [item for item in bullets if item.id in decided and decided[item.id].decision == DROP]
    shelf = Shelf(files)
    found = [with_past(item, passed) for item in bullets if item.id not in decided]
    found += _notes(shelf.all(), state, today)
    found.sort(key=lambda item: (item.date, item.kind == NOTE, item.id))
    return GatheredItems(tuple(_hide_unfit(item, own) for item in found), damaged | shelf.damaged)


def show(item: WisdomItem, handle: str) -> str:
    """An item with its frontmatter, as a model reads it; `handle` is what it cites it by."""
    kind, times = "type" if item.kind == NOTE else "section", item.count if item.count > 1 else 0
    told: dict[str, Any] = {"item": handle, kind: item.section, "trust": item.trust, "date": item.date, "times": times}
    told |= {"title": item.title, "sources": list(item.refs), "said_before": list(item.before)}
    told |= {"in_entry": item.already, "supersedes_entry": item.replaces, "superseded_by": item.replaced}
    return f"{frontmatter.dump({key: value for key, value in told.items() if value})}\n{item.text}"


def with_past(item: WisdomItem, passed: Sequence[WisdomItem]) -> WisdomItem:
    """The item; a lesson with the months of those, let go before, that say the same."""
    if item.section not in LESSONS:
        return item
    same = (each for each in passed if each.section in LESSONS and each.id != item.id and again(item.text, each.text))
    before = dict.fromkeys((*item.before, *(each.id.partition("#")[0] for each in same)))
    return msgspec.structs.replace(item, before=tuple(before))


def _bullets(files: Files, today: date, damaged: dict[str, str]) -> list[WisdomItem]:
    found: dict[str, WisdomItem] = {}
    for name in files.names(files.tree.monthly):
        period = period_file.find_period(MONTHLY, name.removesuffix(".md"))
        if period is None or not name.endswith(".md") or not period.is_finished(today):
            continue
        path = files.tree.period(MONTHLY, period.name)
        shown = files.tree.relative(path)
        try:
            held = period_file.parse(files.read(path), shown)
        except FileDamaged as error:
            damaged[shown] = error.message
            continue
        for item in (_bullet(period, bullet) for bullet in held.bullets):
            found.setdefault(item.id, item)
    return list(found.values())


def _bullet(period: period_file.Period, bullet: Bullet) -> WisdomItem:
    digest = sha256("\0".join((bullet.section, bullet.text, bullet.trust)).encode("utf-8", "replace"))
    days = ("-".join(found) for ref in bullet.refs for found in _DAY.findall(ref))
    text, told, again = without_tail(bullet.text)
    if bullet.section == "Corrections" and not again:
        told = ()  # the day of what was wrong, and that of the correction
    said: dict[str, Any] = {"section": bullet.section, "trust": bullet.trust, "refs": bullet.refs, "text": text}
    last = period.last.isoformat()
    said |= {"date": max((day for day in days if day <= last), default=last), "count": len(told) or 1}
    return WisdomItem(id=f"{period.name}#{digest[:12]}", kind=MONTH, sha256=digest, **said)


def _notes(notes: Sequence[Note], state: WisdomState, today: date) -> list[WisdomItem]:
    known, found = {note.id: note for note in notes}, list[WisdomItem]()
    for note in notes:
        decided = state.items.get(note.id)
        same = decided is not None and decided.sha256 == note.sha
        past = note.superseded_by and (decided is None or decided.decision == DROP)
        if same or past or note.created[:10] > today.isoformat():
            continue
        said: dict[str, Any] = {"section": note.type, "title": note.title, "trust": note.trust, "sha256": note.sha}
        said |= {"text": note.body[:BODY_CHARS], "refs": (note.source,) if note.source else ()}
        said |= {"date": max((note.created[:10], *note.reinforced)), "count": 1 + len(note.reinforced)}
        said |= {"about": tuple(dict.fromkeys((*note.concepts, *note.tags))), "replaced": note.superseded_by or ""}
        said |= {"already": decided.entry if decided else "", "replaces": _find_taken_in(note, known, state)}
        found.append(WisdomItem(id=note.id, kind=NOTE, **said))
    return found


def _find_taken_in(note: Note, known: Mapping[str, Note], state: WisdomState) -> str:
    met, at = {note.id}, note.supersedes
    while at and at not in met:
        met.add(at)
        decided = state.items.get(at)
        if decided is not None and decided.decision in (MERGE, ADD):
            return decided.entry
        at = known[at].supersedes if at in known else None
    return ""


def _hide_unfit(item: WisdomItem, own: Mapping[str, str]) -> WisdomItem:
    """The item; without its text where it holds a secret, or is not the operator's and orders the assistant about."""
    told = "\n".join((item.title, item.text, *item.refs, *item.about))
    unfit = f"it holds {kind}" if (kind := gate.secret_in(told, own)) else ""
    if not unfit and item.trust != TRUST[0] and screen(told):
        unfit = "it reads like an instruction to the assistant"
    return msgspec.structs.replace(item, text="", title="", refs=(), about=(), unfit=unfit) if unfit else item


def rule_of(item: WisdomItem) -> tuple[str, str]:
    """(title, text) of the rule that an item states: its first three sentences, without when it was said."""
    text = labels.capital(labels.front(_DATED.sub("", " ".join(item.text.split())))[1].strip())
    text = text[: max((each.end for each in sentences(text)[: wisdom_file.SENTENCES]), default=0)]
    if text and text[-1].isalnum():
        text += "."
    own = item.title if item.title and item.title != title_of(item.text) else ""
    clause = _CLAUSE.sub("", first := _first(text))
    named = clean_line(clause if len(clause.split()) >= LEAST_WORDS else first, 400).rstrip(".!…,;:")
    return _short(clean_line(own, 400)) or _short(named), text


def unfit(title: str, text: str) -> str:
    """Why nobody's words may stand as a rule, "" where they may; whoever they come from."""
    told = f"{title}\n{text}"
    for _, reason in wisdom_file.unfit(RuleEntry(title, text)):
        return _SHOWN.sub("", reason)  # a reason goes on record: no shred of a fact may outlive the fact there
    if not likeness.gist(text, likeness.common_language(text, title)).stems:
        return "no word of it says what it is about"
    if _TAGS.search(told):
        return "tags or role names of a prompt"
    if screen(told):
        return "it reads like an instruction to the assistant, not like a rule"
    return f"it holds {kind}" if (kind := gate.secret_in(told)) else ""


def unique(title: str, text: str, taken: Iterable[str]) -> str:
    """A title that no entry has: this one, the whole first sentence, else with a number behind it."""
    known, short = set(map(wisdom_file.key, taken)), _short(title, wisdom_file.TITLE_CHARS - 5)
    numbered = (f"{short} ({number})" for number in count(2))
    ways = chain((title, _short(clean_line(_first(text), 400))), numbered)
    return next(each for each in ways if wisdom_file.key(each) not in known)


def _first(text: str) -> str:
    return next((text[: each.end] for each in sentences(text)), "").rstrip(".!…")


def _short(title: str, most: int = wisdom_file.TITLE_CHARS) -> str:
    cut = title if len(title) <= most else title[: most + 1].rpartition(" ")[0] or title[:most]
    return cut.rstrip(" ,;:-–—")
