"""OPINION. What several judgements share: lines shown with their numbers, and the check that a quote stands there."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, get_args

import msgspec

from adjutant.domain.matters.look import MAX_LINE, replacement
from adjutant.domain.matters.look import KbLine as KbLine  # with what is asked about it
from adjutant.domain.matters.signal import Evidence
from adjutant.domain.recall.answer_lines import FoundAnswer
from adjutant.domain.telling.agenda import NOTHING
from adjutant.screening.fence import Fence, clean_line
from adjutant.screening.screen import screen

Severity = Literal["low", "medium", "high", "critical"]
RANK: Mapping[str, int] = {"low": 0, "medium": 1, "high": 2, "critical": 3}
TITLE, WHY, QUOTE, LINE, TOLD = 120, 300, 300, 80, 400
MAX_EVIDENCE = 5
MAX_CITED = 100  # citations of one reply that are looked up


def severity_of(text: str) -> Severity:
    """A severity by its name; anything else counts as medium."""
    return next((each for each in get_args(Severity) if each == text), "medium")


class Near(msgspec.Struct, frozen=True):
    """A line that answers a question for certain, or comes near it: its place, its own words, the same for a person."""

    path: str
    anchor: str
    quote: str
    says: str
    certain: bool


def nears(answers: Sequence[FoundAnswer], cited: Callable[[FoundAnswer], tuple[str, str, str]]) -> list[Near]:
    """Answers as records have them; `cited`: file, place in it and words by which one is cited."""
    return [Near(*cited(each), each.told, each.certain) for each in answers]


def tell_nears(nears: Sequence[Near], intro: str = "") -> list[str]:
    """The lines of an answer without a model: what is certain, else that nothing is, and what comes near."""
    places = (each.path + (f"#{each.anchor}" if each.anchor else "") for each in nears)
    lines = [f"- {clean_line(each.says, TOLD)} ({place})" for each, place in zip(nears, places, strict=True)]
    if any(each.certain for each in nears):
        return [intro, *lines] if intro else lines
    return [NOTHING, *(["What comes nearest:"] if lines else []), *lines]


class Issue(msgspec.Struct, frozen=True, kw_only=True):
    """Something that touches a priority. `matter`: the id (in a reply, the handle) of an open one; `evidence`: handles,
    after the check lines, the decisive one first; `tell`: whether it is worth an interruption."""

    matter: str = ""
    evidence: list[str | Evidence]
    why: str
    title: str
    concern: str | None = None
    severity: Severity
    tell: bool = True
    kb: str = ""

    @property
    def cited(self) -> list[Evidence]:
        return [each for each in self.evidence if isinstance(each, Evidence)]


Find = Callable[[str], Sequence[str] | None]  # the lines of a file


def beyond(evidence: Iterable[str | Evidence], shown: ShownLines, folder: str, find: Find) -> list[KbLine]:
    """The lines that an agent cites and was not shown, orders replaced; `find` gives those of a file."""
    added: list[KbLine] = []
    for cited in filter(None, map(_read_pointer, list(evidence)[:MAX_CITED])):
        path = _relative(cited.path, folder)
        if shown.holds(cited) or (lines := find(path)) is None:
            continue
        known = [KbLine(path, number, text) for number, text in enumerate(lines, start=1)]
        found = ShownLines(known).resolve(msgspec.structs.replace(cited, path=path))
        if found and not shown.holds(found[0]):
            text = lines[found[0].line - 1][:MAX_LINE]
            added.append(KbLine(path, found[0].line, replacement(path, found[0].line) if screen(text) else text))
    return added


def note_dropped(count: int) -> list[str]:
    """The note of a check that citations stand for nothing."""
    said = "1 citation that stands for no line was" if count == 1 else f"{count} citations that stand for no line were"
    return [f"{said} dropped"] if count else []


class ShownLines:
    """Lines as a model is shown them, by handle (L1, L2 …), and what it cites of them found again: by handle, by place,
    or by most of its words. `handles`: what else can be cited; `folder`: where an agent looked."""

    def __init__(self, lines: list[KbLine], handles: dict[str, list[Evidence]] | None = None, folder: str = "") -> None:
        self._lines, self._folder = lines, folder
        self._named = {name.upper(): held for name, held in (handles or {}).items()}
        self._named |= {f"L{number}": [_evidence(line)] for number, line in enumerate(lines, start=1)}
        self._at = {(line.path, line.line): line for line in lines}

    def text(self) -> str:
        shown: list[str] = []
        before: KbLine | None = None
        for number, line in enumerate(self._lines, start=1):
            if before is None or (line.kb, line.path) != (before.kb, before.path):
                shown.append(f"# {line.kb}: {line.path}" if line.kb else f"# {line.path}")
            elif line.line > before.line + 2:  # one that is missing is blank as a rule
                shown.append("…")
            shown.append(f"L{number}: {line.text}")
            before = line
        return "\n".join(shown)

    def resolve(self, cited: str | Evidence) -> list[Evidence]:
        """The lines meant, none where nothing shown answers to it."""
        if isinstance(cited, str):
            named = [line for name in _handles(cited) for line in self._named.get(name, ())]
            rest = _HANDLE.sub(" ", cited)
            if named and sum(_words(rest).values()) <= len(named):
                return named
            if named and (lead := _LEAD.match(cited)) is not None:
                said = cited[lead.end() :]
                first = [each for each in named[:1] if _share(_words(said), each.quote) > MOST]
                return first or self._find_said(said) or named[:1]
            at = _read_pointer(cited)
            if at is None or not any(line.path == _relative(at.path, self._folder) for line in self._lines):
                return self._find_said(cited)
            cited = at
        path = _relative(cited.path, self._folder)
        if self.holds(cited):
            return [_evidence(self._at[path, cited.line])]
        line = cited.line  # else the one of its file that has nearly all of the words
        near = sorted((each for each in self._lines if each.path == path), key=lambda each: abs(each.line - line))
        return _best(near, _words(cited.quote))

    def holds(self, cited: Evidence) -> bool:
        """Whether the very line that is cited is shown, with most of the words of its quote."""
        there = self._at.get((_relative(cited.path, self._folder), cited.line))
        wanted = _words(cited.quote)
        return there is not None and (not wanted or _share(wanted, there.text) > MOST)

    def lines_of(self, cited: Iterable[str | Evidence]) -> tuple[list[Evidence], int]:
        """The lines meant, each once, and how many citations stand for none."""
        found = [self.resolve(each) for each in list(cited)[:MAX_CITED]]
        kept = list(dict.fromkeys(line for lines in found for line in lines))
        return kept[:MAX_EVIDENCE], found.count([])

    def kb_of(self, found: Evidence) -> str:
        """The knowledge base of a line that was meant, "" where only one is shown."""
        return next((line.kb for line in self._lines if line.kb and _evidence(line) == found), "")

    def _find_said(self, quote: str) -> list[Evidence]:
        wanted, exact = _words(quote), " ".join(quote.strip(_MARKS).split()).casefold()
        for line in self._lines if len(exact) >= LEAST_CHARS else ():
            if exact in " ".join(line.text.split()).casefold():
                return [_evidence(line)]
        return _best(self._lines, wanted) if sum(wanted.values()) >= LEAST_WORDS else []


# L is a line, M an open matter, I an item of a brief, N an insight that waits.
_HANDLE = re.compile(r"(?<![\w./#])[LMIN]\d{1,6}(?![\w/]|\.\w)", re.IGNORECASE)
_RANGE = re.compile(r"(?<![\w./#])([LMIN])(\d{1,6})\s*(?:-|–|to|\.\.)\s*[LMIN]?(\d{1,6})(?![\w/]|\.\w)", re.IGNORECASE)
_LEAD = re.compile(r"[\s\"'`(\[*-]*[LMIN]\d{1,6}[)\]:\s|.,-]*", re.IGNORECASE)
_POINTER = re.compile(
    r"[\s\"'`(\[#]*(?P<path>[^\s:\"'`#][^:\n\"'`#]*?)\s*(?::|#L?|,? line )\s*(?P<line>\d{1,7})\b[)\]:\s|-]*",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_]+")
MOST, BARE = 0.5, 0.75  # of a quote's words that a line has: at a place, and without one
LEAST_WORDS, LEAST_CHARS = 3, 12  # of a quote without a place: fewer stand on many lines
_MARKS = " \t\"'`.…-*[]()"
MOST_RANGE = 10


def _handles(cited: str) -> list[str]:
    found = _HANDLE.findall(cited)
    for letter, first, last in ((letter, int(first), int(last)) for letter, first, last in _RANGE.findall(cited)):
        found += [f"{letter}{number}" for number in range(first + 1, last + 1)] if last - first <= MOST_RANGE else []
    return list(dict.fromkeys(each.upper() for each in found))


def _read_pointer(cited: str | Evidence) -> Evidence | None:
    if isinstance(cited, Evidence):
        return cited
    found = _POINTER.match(cited)
    return Evidence(found["path"].strip(), int(found["line"]), cited[found.end() :]) if found is not None else None


def _words(text: str) -> Counter[str]:
    """The words of a quote, without its figures where it has others: a date alone is on many lines."""
    found = _WORD.findall(text.casefold())
    letters = [word for word in found if not word.isdigit()]
    return Counter(letters if len(letters) > 1 else found)


def _share(wanted: Counter[str], text: str) -> float:
    return sum((wanted & Counter(_WORD.findall(text.casefold()))).values()) / (sum(wanted.values()) or 1)


def _best(lines: Iterable[KbLine], wanted: Counter[str]) -> list[Evidence]:
    best = max(lines if wanted else (), key=lambda line: _share(wanted, line.text), default=None)
    return [_evidence(best)] if best is not None and _share(wanted, best.text) > BARE else []


def _evidence(line: KbLine) -> Evidence:
    return Evidence(line.path, line.line, line.text.strip()[:QUOTE])


def _relative(path: str, folder: str) -> str:
    return path.removeprefix(f"{folder}/" if folder else "./").removeprefix("./")


def tidy(issue: Issue) -> Issue:
    """Title, reason and concern as one clean line each."""
    concern = clean_line(issue.concern, TITLE) if issue.concern else None
    title, why = clean_line(issue.title, TITLE), clean_line(issue.why, WHY)
    return msgspec.structs.replace(issue, title=title, why=why, concern=concern or None)


def show_operator(inputs: Any, fence: Fence) -> dict[str, str]:
    """What a prompt says of the operator: what time it is (`now`), the priorities, concerns and quiet zones of his
    heart (`heart`), who he is and what was learnt (`layers`); the soul is his own voice to the conductor."""
    heart, layers = inputs.heart, inputs.layers
    told = {"Priorities": heart.priorities, "Concerns": heart.concerns, "Quiet zones, never raised": heart.quiet}
    parts = ["\n".join((f"{name}:", *(f"- {each}" for each in entries))) for name, entries in told.items() if entries]
    weighs = fence.wrap("\n".join(parts) or "No priorities are written down: everything counts.", "identity/heart.md")
    about = [layers["soul"]] if layers.get("soul") else []
    about += [fence.wrap(layers[name], f"the layer {name}") for name in ("user", "wisdom") if layers.get(name)]
    room = "\n".join(getattr(inputs, "room", ()))
    room = fence.wrap(room, "what was told, and what may be") if room else ""
    return {"now": inputs.now, "layers": "\n".join(about), "heart": weighs, "room": room}
