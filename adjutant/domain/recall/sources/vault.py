"""DOMAIN. Markdown folders as documents: a page split at its headings, id PATH#anchor, anchors as GitHub makes them."""

from __future__ import annotations

import re
from itertools import zip_longest

from adjutant.domain.recall.sources.parts import Ids, beyond, fingerprint, path_words, text_of
from adjutant.ports import Document
from adjutant.store import marked_yaml

COLLECTION = "vault_index"
MAX_FRONTMATTER = 100  # lines
TRAIL = " › "
_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)$")
_NO_PARAGRAPH = re.compile(r"\s*(?:[-*+>|#]|\d+[.)]\s|$)| {4}|\t")
_MARKS = frozenset("#=-`~")  # what a heading, the line under one and a fence begin with
_NO_SLUG = re.compile(r"[^\w -]+")
_LINK = re.compile(r"!?\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])")
_DATED = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d)?)?$")


class Section:
    """Part of a page: the headings it stands under, its own last; `anchor` "" for what stands above the first."""

    __slots__ = ("anchor", "lines", "trail")

    def __init__(self, trail: list[str], anchor: str) -> None:
        self.trail, self.anchor, self.lines = trail, anchor, list[str]()


def documents(path: str, data: bytes, *, inside: str = "", changed: str = "") -> list[Document]:
    """The sections of one page. `inside`: its path within the vault; `changed`: when, ISO-8601. Raises FileDamaged."""
    lines = text_of(path, data).split("\n")
    facts, start = _frontmatter(lines)
    parts = sections(lines[start:])
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
                trust="operator",
                created_at=created,
                updated_at=changed,
                names=names,
                source_sha=fingerprint(title, names, *tags, body),
            )
        )
    return found


def sections(lines: list[str]) -> list[Section]:
    """A page's sections in order. Headings in fenced code are text; those of two lines (=== and ---) count."""
    found, trail, anchors, fence = [Section([], "")], list[tuple[int, str]](), Ids(second=1), ""
    for line in lines:
        if line.lstrip()[:1] not in _MARKS:
            found[-1].lines.append(line)
            continue
        fence, was = _fence_after(fence, line), fence
        level, text = (0, "") if fence or was else _heading(line, found[-1].lines)
        if not level:
            found[-1].lines.append(line)
            continue
        while trail and trail[-1][0] >= level:
            trail.pop()
        trail.append((level, text))
        slug = _NO_SLUG.sub("", text.lower()).replace(" ", "-") or "section"
        found.append(Section([name for _, name in trail if name], anchors.own(slug)))
    return found


def _heading(line: str, above: list[str]) -> tuple[int, str]:
    """(level, text) where `line` is a heading or stands under one, which is then taken from `above`; else (0, "")."""
    if match := _HEADING.match(line):
        return len(match[1]), _plain(match[2] or "")
    if (match := _UNDERLINE.match(line)) and above and not _NO_PARAGRAPH.match(above[-1]):
        return (1 if match[1][0] == "=" else 2), _plain(above.pop())
    return 0, ""


def _fence_after(fence: str, line: str) -> str:
    """The fence that is open after `line`, "" when none is."""
    match = _FENCE.match(line)
    if match is None:
        return fence
    if not fence:
        return "" if match[1][0] == "`" and "`" in match[2] else match[1]
    closes = match[1][0] == fence[0] and len(match[1]) >= len(fence) and not match[2].strip()
    return "" if closes else fence


def _plain(text: str) -> str:
    """A heading's text as a page shows it."""
    text = _LINK.sub(r"\1", text) if "[" in text else text
    return " ".join(text.replace("`", "").replace("**", "").split())


def _frontmatter(lines: list[str]) -> tuple[dict[str, marked_yaml.Node], int]:
    """The mapping at the top, and the line where the text begins; what is no mapping is text."""
    if lines[0].rstrip() != "---":
        return {}, 0
    for end, line in enumerate(lines[1:MAX_FRONTMATTER], 1):
        if line.rstrip() in ("---", "..."):
            try:
                root = marked_yaml.mapping("\n".join(lines[1:end]).encode(), "frontmatter")
            except marked_yaml.Broken:
                return {}, 0
            return dict(root.items()), end + 1
    return {}, 0


def _words(facts: dict[str, marked_yaml.Node], key: str) -> tuple[str, ...]:
    node = facts.get(key)
    if node is None:
        return ()
    words = [item.text for item in node.elements()] if node.is_list else node.text.split(",")
    return tuple(plain for word in words if (plain := word.strip().lstrip("#")))


def _dated(facts: dict[str, marked_yaml.Node]) -> str:
    texts = [facts[key].text for key in ("created", "date") if key in facts]
    return next((text for text in texts if _DATED.match(text)), "")


def _about(facts: dict[str, marked_yaml.Node]) -> str:
    """What the frontmatter says the page is about: it leads what stands above the first heading."""
    texts = (facts[key].text.strip() for key in ("description", "summary") if key in facts and facts[key].is_scalar)
    return next(filter(None, texts), "")


def _title(facts: dict[str, marked_yaml.Node], parts: list[Section], path: str) -> str:
    named = facts["title"].text.strip() if "title" in facts else ""
    first = parts[1].trail[0] if len(parts) > 1 and parts[1].trail and not "".join(parts[0].lines).strip() else ""
    return _plain(named) or first or path_words(path.rpartition("/")[2]) or path
