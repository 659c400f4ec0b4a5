"""DOCUMENTS. Zones: what a page, a heading or a line is instead of its operator's open matter."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from adjutant.documents.blocks import Field
from adjutant.language.pack import cached, listed

OWN_MARK = "<!-- adjutant"  # first line of what Adjutant writes for a person to read
_NAMED = ("template", "archive", "example", "clipping")
LEAD_CHARS = 20  # in which a sentence says that it is an example
NAME_CHARS, MOST_WORDS = 60, 4  # of a name that says a zone: a longer one says more
END_CHARS = 600  # of a mail, where it says how to leave a list
_TO, _BOX = re.compile(r"(?m)^(?:to|cc):.*"), re.compile(r"[\w.+-]+(?=@)")
_LIST = re.compile(r"(?m)^(?:list-id:|precedence: *(?:bulk|list))")
_WORD = re.compile(r"[^\W\d_]+")
_PLACEHOLDER = re.compile(r"\{\{[^{}\n]{1,80}\}\}|<%[^<>%\n]{1,200}%>")
# A line of a notice or an answer: its place in a file, then an id with a digit.
_OWN_LINE = re.compile(r" · (?:[\w-]+: )?[^\s·]*[^\W\d][^\s·]*:\d+ · (?:unjudged · )?(?=[a-z]*\d)[a-z2-7]{4,8}(?=\s|$)")
_OWN_HEADING = re.compile(r"\d\d:\d\d — (?:Pulse|Escalation|Review)")
_OWN_KEYS = frozenset(("fingerprint", "matter", "run"))  # of an insight
_OWN_RECORDS = (frozenset(("id", "ts", "role", "name", "text")), frozenset(("ts", "run")))  # a talk, a log
_ADDRESS = re.compile(r"https?://\S")
_SOURCES = ("source", "url", "clipped", "link")


def of_file(path: str, meta: Iterable[Field], first: str, head: str) -> str:
    """The zone of a whole file: by its folders and name, its frontmatter, its first line. `head`: its frontmatter."""
    if first.startswith(OWN_MARK):
        return "own"
    *folders, name = path.split("/")
    said = f" {' '.join(_WORD.findall(name.lower()))} "
    if any(f" {copy} " in said for copy in listed("zones", "copy")):  # of the side that lost, as folders are kept alike
        return "archive"
    if zone := next(filter(None, map(of_name, [*folders, name.rpartition(".")[0] or name])), ""):
        return zone
    if _PLACEHOLDER.search(path) or _PLACEHOLDER.search(head):
        return "template"
    meta = tuple(meta)
    if {field.name for field in meta} >= _OWN_KEYS:
        return "own"
    for field in meta:
        key, value = field.name.lower(), field.value.strip().lower()
        if key in STATE_NAMES and (zone := of_state(value)):
            return zone
        if key in _NAMED and value in ("true", "yes"):
            return key
        named = value.replace("#", "").split(",") if key in ("type", "kind", "category", "tags") else ()
        if zone := next(filter(None, map(of_name, named)), ""):
            return zone
        if key in _SOURCES and _ADDRESS.match(value):
            return "clipping"
    return ""


def is_own_record(fields: Iterable[Field]) -> bool:
    """Whether a line of JSON is one of a conversation or a log of ours."""
    names = {field.name for field in fields}
    return any(own <= names for own in _OWN_RECORDS)


def of_state(state: str) -> str:
    """The zone of a page by its state: closed, or archive for what is put aside, which settles nothing."""
    return "closed" * _says(state, "closed") or "archive" * _says(state, "idle")


def is_decided(state: str) -> bool:
    """Whether a page's state says that it is in force: it tells of how things came to be, as a decision record does."""
    return _says(state, "decided")


def _says(state: str, key: str) -> bool:
    """Whether a state is a word of a list, with no noun behind it ("superseded by 12")."""
    said, known = _JOINTS.sub(" ", state.strip().lower()).replace("’", "'"), listed("zones", key)
    for word in known:
        if said.startswith(word) and not said[len(word) : len(word) + 1].isalnum():
            after = _WORD.search(said, len(word))
            glued = after is not None and said[len(word) : after.start()].isspace()
            if after is None or not glued or after[0] in known | listed("words", "stop"):  # "RESOLVED FIXED"
                return True
    return False


def of_name(name: str) -> str:
    """The zone that a folder's, a file's or a heading's name says: `99 Archive`, `_templates`, `Meeting template`."""
    words = [word.lower() for word in _WORD.findall(name[:NAME_CHARS])]
    names = _names()
    if not words or len(words) > MOST_WORDS:
        return ""
    ends = names.get(words[-1], "")
    if len(words) == 1 or ends in ("template", "archive"):
        return ends
    first = names.get(words[0], "")
    return names.get(" ".join(words), "") or (first if first in ("template", "clipping") else "")


def is_to_many(name: str, letter: str) -> bool:
    """Whether something is for many, by its name, or a mail went to a list: by its head or its way out."""
    head, said = letter.partition("\n\n")[0].lower(), {word.lower() for word in _WORD.findall(name[:NAME_CHARS])}
    boxes = {box for line in _TO.findall(head) for box in _BOX.findall(line)}
    many = listed("zones", "circular") & said or listed("pages", "mail.many") & boxes or _LIST.search(head)
    return bool(many) or any(way in letter[-END_CHARS:].lower() for way in listed("pages", "mail.leave"))


def of_heading(text: str) -> str:
    """The zone of what stands below a heading."""
    zone = "own" if _OWN_HEADING.fullmatch(text) else of_name(text)
    return zone or ("closed" if text.strip(" :*_").lower() in listed("zones", "closed") else "")


def is_recipe(text: str) -> bool:
    """Whether a heading or line heads what is cooked with: what follows says how, for any day."""
    return text.strip(" :*_").lower() in listed("zones", "ingredients")


@cached(1)
def _names() -> Mapping[str, str]:
    """{name: zone}; of two zones of a name the first holds."""
    return {name: zone for zone in reversed(_NAMED) for name in listed("zones", zone)}


def of_text(text: str) -> str:
    """The zone of one block: a line with a placeholder waits to be filled in, one of a notice was pasted."""
    if " · " in text and _OWN_LINE.search(text):
        return "own"
    lead = text[:LEAD_CHARS].lower()
    if any(lead.startswith(each) and not lead[len(each) :][:1].isalnum() for each in listed("zones", "example_leads")):
        return "example"
    return "template" if ("{{" in text or "<%" in text) and _PLACEHOLDER.search(text) else ""


# -- the state that a page gives itself below its title, without frontmatter ---------------------------------------
STATE_LINES = 30  # of a page, in which it says its state
STATE_NAMES = ("status", "state")
_JOINTS = re.compile(r"(?<=\w)[_-]+(?=\w)")  # "wont-fix", "NOT_PLANNED"
_FENCE = re.compile(r"[\s>]*(`{3,}(?=[^`]*$)|~{3,})\s*(.*)")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s+(.*?)[\s#:*_]*$")
_SAID = re.compile(
    r"[\s>*_+-]{0,8}(status|state)[*_]{0,2}:[\s*_`]{0,4}([^\s|·][^|·]{0,79}?)\s*(?:[|·].*|\*\*\w.*)?$", re.IGNORECASE
)


def find_state(lines: Sequence[str], begin: int) -> Field | None:
    """The field of a line "**Status:** blocked" above a page's second heading, or of the line below a heading "Status".
    `begin`: the first line of the body, from 0. None where several lines name a state: those are of its parts."""
    text = list(_blank_code(lines[begin:]))
    found = list(_states(text[:STATE_LINES], begin + 1))
    more = (line for line in text[STATE_LINES:] if _SAID.match(line))
    return found[0] if len(found) == 1 and next(more, None) is None else None


def _blank_code(lines: Sequence[str]) -> Iterator[str]:
    """The lines, those of code empty: what an example shows is no state of the page."""
    fence = ""
    for line in lines:
        mark = _FENCE.match(line)
        yield line if not (fence or mark or line.startswith(("    ", "\t"))) else ""
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence) and not mark[2]:
            fence = ""


def _states(lines: Sequence[str], first: int) -> Iterator[Field]:
    headings, asked = 0, ""  # a page "Status" tells of many things
    for number, line in enumerate(lines, first):
        heading, said = _HEADING.match(line), _SAID.match(line)
        if heading:
            headings += 1
            asked = heading[1] if headings > 1 and heading[1].lower() in STATE_NAMES else ""
        elif (asked and line.strip()) or (said and headings < 2):
            name, value = (said[1], said[2]) if said else (asked, line)
            yield Field(name, value.strip(" \t*_`."), number)
            asked = ""


def without_state(lines: Sequence[str], field: Field | None) -> Sequence[str]:
    """The lines, the one that says the state with nothing but what stands behind it."""
    if field is None:
        return lines
    said = _SAID.match(lines[field.line - 1])
    rest = said[0][said.end(2) :].lstrip("*_` \t|·") if said else ""
    return [*lines[: field.line - 1], rest, *lines[field.line :]]
