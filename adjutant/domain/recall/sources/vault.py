"""DOMAIN. Markdown folders as documents: a page split at its headings, id PATH#anchor, anchors as GitHub makes them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise, zip_longest
from typing import NamedTuple

from adjutant.documents import frontmatter, markdown
from adjutant.domain.recall.sources.parts import Ids, beyond, fingerprint, path_words, text_of
from adjutant.ports import Document

COLLECTION = "vault_index"
TRAIL = " › "
_NO_SLUG = re.compile(r"[^\w -]+")
_DATED = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d)?)?$")


class Section(NamedTuple):
    """Part of a page: the headings it stands under, its own last; `anchor` "" for what stands above the first."""

    trail: list[str]
    anchor: str
    lines: list[str]


def documents(
    path: str, data: bytes, *, inside: str = "", changed: str = "", trust: str = "operator"
) -> list[Document]:
    """The sections of one page. `inside`: its path within the vault; `changed`: when, ISO-8601. Raises FileDamaged."""
    text = text_of(path, data)
    meta, start = frontmatter.split(text)
    facts = {field.name: field.value for field in meta}
    parts = sections(text.split("\n")[start:])
    page, tags, created = _title(facts, parts, path), _words(facts, "tags"), _dated(facts) or changed
    if said := _about(facts):
        parts[0].lines[:0] = [said, ""]
    also = [*path_words(inside or path).split(), *_words(facts, "aliases")]
    found = []
    for part, below in zip_longest(parts, parts[1:]):
        body = "\n".join(part.lines).strip()
        if not body and (not part.trail or (below is not None and below.trail[: len(part.trail)] == part.trail)):
            continue  # says nothing but its heading, which stands in the titles of what is below it
        title = TRAIL.join(part.trail if part.trail and part.trail[0] == page else [page, *part.trail])
        names = beyond(also, title)
        found.append(
            Document(
                id=f"{path}#{part.anchor}" if part.anchor else path,
                collection=COLLECTION,
                title=title,
                text=body or part.trail[-1],
                path=path,
                anchor=part.anchor,
                tags=tags,
                trust=trust,
                created_at=created,
                updated_at=changed,
                names=names,
                source_sha=fingerprint(title, names, *tags, body),
            )
        )
    return found


def sections(lines: Sequence[str]) -> list[Section]:
    """A page's sections in order. Headings in code and quotations are text."""
    anchors, trail = Ids(second=1), list[tuple[int, str]]()
    heads = [each for each in markdown.elements(lines) if each.kind == "heading" and not each.quoted]
    found = [Section([], "", list(lines[: heads[0].line - 1] if heads else lines))]
    for head, below in pairwise([*heads, None]):
        assert head is not None  # only the last is none
        while trail and trail[-1][0] >= head.level:
            trail.pop()
        text = _plain(head.text)
        trail.append((head.level, text))
        slug = _NO_SLUG.sub("", text.lower()).replace(" ", "-") or "section"
        said = lines[head.end : below.line - 1 if below else None]
        found.append(Section([name for _, name in trail if name], anchors.own(slug), list(said)))
    return found


def _plain(text: str) -> str:
    """A heading's text as a page shows it."""
    return " ".join(markdown.plain(text).split())


def _words(facts: Mapping[str, str], key: str) -> tuple[str, ...]:
    return tuple(plain for word in facts.get(key, "").split(",") if (plain := word.strip().lstrip("#")))


def _dated(facts: Mapping[str, str]) -> str:
    return next((text for key in ("created", "date") if _DATED.match(text := facts.get(key, ""))), "")


def _about(facts: Mapping[str, str]) -> str:
    """What the frontmatter says the page is about: it leads what stands above the first heading."""
    return facts.get("description") or facts.get("summary", "")


def _title(facts: Mapping[str, str], parts: Sequence[Section], path: str) -> str:
    first = parts[1].trail[0] if len(parts) > 1 and parts[1].trail and not "".join(parts[0].lines).strip() else ""
    return _plain(facts.get("title", "")) or first or path_words(path.rpartition("/")[2]) or path
