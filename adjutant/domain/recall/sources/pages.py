"""DOMAIN. The operator's own files as documents: a vault's pages split at headings, a knowledge base's at passages."""

import re
from collections.abc import Iterator, Sequence
from datetime import date
from functools import lru_cache
from typing import NamedTuple

from adjutant.documents import document
from adjutant.documents.blocks import ParsedFile
from adjutant.documents.folder import decode_text
from adjutant.documents.markdown import plain
from adjutant.domain.recall.classify import classify
from adjutant.domain.recall.sources.parts import Ids, base_tag, beyond, make, path_words
from adjutant.domain.recall.taxonomy import Scheme
from adjutant.index_ports import Document
from adjutant.screening.screen import redact_hits, screen

VAULT, KB = "vault_index", "kb"
TRAIL = " › "
MAX_LINES = 12  # of one passage; a longer paragraph is cut, so that its words still belong together
FILED = 2000  # characters by which a page or a part of it is filed under a concept
NAMED = ("row", "record", "event", "mail")  # blocks whose cells have names
JOINED = ("text", "field")  # blocks of which one passage is made: a paragraph, the frontmatter
MOST_CHARS = 4000  # of one passage
UNDATED = date(2000, 1, 1)
LEAD = 200  # characters of what stands over the paragraphs below it, as a heading does
# Beside the head of a mail, a paragraph that begins with a rule, or has a label and a value in each line.
_LEADS = re.compile(r"[-=_*~]{3,}\s*\S|(?:[^\W\d_][\w -]{0,20}: \S[^\n]*(?:\n|\Z)){2,}\Z")
_NO_SLUG = re.compile(r"[^\w -]+")
_DATED = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d)?)?$")


class FilePlace(NamedTuple):
    """Where a file lies: as documents name it, and within its folder; when it changed, ISO-8601; whose word it is."""

    path: str
    inside: str
    changed: str = ""
    trust: str = "untrusted"


class PagePassage(NamedTuple):
    """Lines of a page: the first one's number, what they say, the words directly above and all around, day, zone."""

    line: int
    text: str
    label: str
    above: str
    day: date | None = None
    zone: str = ""


def vault(place: FilePlace, data: bytes, scheme: Scheme | None = None) -> list[Document]:
    """The sections of one page, ids PATH#anchor with the anchors that GitHub makes."""
    page = _page(place, data)
    if page is None:
        return []
    facts = {field.name.lower(): field.value for field in reversed(page.meta)}
    created = facts.get("created") or facts.get("date") or ""
    created = created if _DATED.match(created) else place.changed
    opening = next((each for each in page.blocks if each.kind != "field"), None)
    first = plain(opening.text) if opening is not None and opening.kind == "heading" else ""
    title = plain(facts.get("title", "")) or first or path_words(place.path.rpartition("/")[2]) or place.path
    tags = tuple(word.lstrip("#") for word in _split_list(facts.get("tags", "")))
    also = [*path_words(place.inside or place.path).split(), *_split_list(facts.get("aliases", ""))]
    head, found = _head(title, page), list[Document]()
    for anchor, trail, body, zone in _sections(page, facts):
        shown = TRAIL.join(trail if trail and trail[0] == title else [title, *trail])
        id, text = f"{place.path}#{anchor}" if anchor else place.path, body or trail[-1]
        about = {"anchor": anchor, "tags": (*tags, *_tag_zone(zone)), "names": beyond(also, shown)}
        about["concepts"] = _file_under(f"{shown}\n{text}"[:FILED], head, scheme)
        made = make(VAULT, place.path, id, shown, text, trust=place.trust, **about)
        found.append(made._replace(created_at=created, updated_at=place.changed))
    return found


def base(place: FilePlace, data: bytes, name: str, scheme: Scheme | None = None) -> list[Document]:
    """The passages of one file of a knowledge base, ids NAME:PATH#LINE; instruction-like lines are screened."""
    page = _page(place, data, screened=True)
    if page is None:
        return []
    head, found = _head(page.title, page), list[Document]()
    for part in passages(page):
        title = TRAIL.join(filter(None, (name, part.label or path_words(place.inside.rpartition("/")[2]))))
        id, day, moment = f"{name}:{place.inside}#{part.line}", str(part.day or ""), place.changed
        if "" < day < moment[:10]:  # written on the day that it tells of
            moment = f"{day}{moment[10:]}"
        about = {"anchor": str(part.line), "tags": (base_tag(name), *_tag_zone(part.zone)), "trust": place.trust}
        about["names"] = beyond(f"{path_words(place.inside)} {part.above}".split(), title)
        about["concepts"] = _file_under(f"{title}\n{part.text}"[:FILED], head, scheme)
        found.append(make(KB, place.path, id, title, part.text, created_at=moment, updated_at=moment, **about))
    return found


def passages(page: ParsedFile) -> Iterator[PagePassage]:
    """The parts of a page in order, each with the words that it stands under."""
    lead = ""
    for group in _group(page):
        first = page.blocks[group[0]]
        lead = "" if first.kind == "heading" else lead
        if first.kind == "heading" or first.zone == "own":
            continue
        over, parent = list[str](), first.parent  # the items above, outermost first
        while parent >= 0 and len(over) < MAX_LINES:
            over, parent = [page.blocks[parent].text, *over], page.blocks[parent].parent
        last = page.blocks[group[-1]]
        if first.kind in NAMED:
            end = "\n" if first.kind in ("record", "mail") else "; "
            cells = [each for each in first.columns if each.value]
            text = end.join(f"{each.name}: {each.value}" if each.name else each.value for each in cells)
        else:
            text = "\n".join(page.lines[first.line - 1 : last.end]).strip("\n")
        label = over[-1] if over else first.path[-1] if first.path else ""
        if first.kind == "mail" or (first.kind == "text" and _LEADS.match(text)):
            lead = text[:LEAD]
        above = plain(" ".join([*first.path, *over, lead]))
        text = (text or first.text)[:MOST_CHARS]
        yield PagePassage(first.line, text, plain(label)[:80], above, first.day, first.zone)


def _group(page: ParsedFile) -> Iterator[list[int]]:
    """Numbers of blocks: a paragraph's or the frontmatter's together, any other alone."""
    group: list[int] = []
    for number, each in enumerate(page.blocks):
        last, first = (page.blocks[group[at]] if group else each for at in (-1, 0))
        facts, known = ((one.kind, one.parent, one.path, one.day) for one in (each, last))
        near = each.line <= last.end + 1 and each.end - first.line < MAX_LINES
        if group and not (facts == known and each.kind in JOINED and near):
            yield group
            group = []
        group.append(number)
    if group:
        yield group


def _page(place: FilePlace, data: bytes, *, screened: bool = False) -> ParsedFile | None:
    try:
        text = decode_text(data)
    except OSError:
        return None
    if screened:
        text = redact_hits(text, screen(text), place.inside)
    near = date.fromisoformat(place.changed[:10]) if place.changed else UNDATED
    page = document.read(place.inside or place.path, text, near=near)
    return None if page.zone == "own" else page


def _sections(page: ParsedFile, facts: dict[str, str]) -> Iterator[tuple[str, list[str], str, str]]:
    """(anchor, headings above it and its own, body, zone); no heading alone where one below says it too."""
    heads = [each for each in page.blocks if each.kind == "heading"]
    starts = [(0, 0, ""), *((each.line - 1, each.end, plain(each.text)) for each in heads)]
    trail: list[tuple[int, str]] = []
    anchors, found = Ids(second=1), list[tuple[str, list[str], str, str]]()
    nothing = len(page.lines) + 1 if page.meta else 1
    opening = next((each.line for each in page.blocks if each.kind != "field"), nothing)
    for number, (_, start, text) in enumerate(starts):
        end = starts[number + 1][0] if number + 1 < len(starts) else len(page.lines)
        anchor, zone = "", page.zone
        if number:
            level, zone = heads[number - 1].depth, heads[number - 1].zone
            while trail and trail[-1][0] >= level:
                trail.pop()
            trail.append((level, text))
            anchor = anchors.own(_NO_SLUG.sub("", text.lower()).replace(" ", "-") or "section")
        body = "\n".join(page.lines[start if number else opening - 1 : end]).strip()
        if not number and (said := facts.get("description") or facts.get("summary")):
            body = f"{said}\n\n{body}".strip()
        found.append((anchor, [name for _, name in trail if name], body, zone))
    for at, (anchor, names, body, zone) in enumerate(found):
        below = found[at + 1][1] if at + 1 < len(found) else []
        if body or (names and below[: len(names)] != names):
            yield anchor, names, body, zone


def _split_list(value: str) -> list[str]:
    return [word for each in value.split(",") if (word := each.strip())]


def _tag_zone(zone: str) -> Sequence[str]:
    return (f"zone:{zone}",) if zone else ()


def _head(title: str, page: ParsedFile) -> str:
    heads = " ".join(each.text for each in page.blocks if each.kind == "heading")
    return f"{title}\n{heads}\n{' '.join(page.lines[:20])}"[:FILED]


def _file_under(text: str, head: str, scheme: Scheme | None) -> tuple[str, ...]:
    return () if scheme is None else _concepts(text, scheme) or _concepts(head, scheme)


@lru_cache(maxsize=4096)
def _concepts(text: str, scheme: Scheme) -> tuple[str, ...]:
    return classify(text, scheme).concepts
