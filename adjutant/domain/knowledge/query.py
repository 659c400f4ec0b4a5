"""DOMAIN. Finds the passages of a knowledge base that answer a question, each with the line that says it."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence

import msgspec

from adjutant.domain.knowledge import outline
from adjutant.domain.knowledge.lexicon import Lexicon, tokens
from adjutant.domain.knowledge.outline import Block
from adjutant.domain.knowledge.passages import KbFile
from adjutant.domain.knowledge.question import GAP, LIGHT, VERB, Answers, Question, Term, matching, understand

FLOOR = 0.52  # the share of a question's weight that a passage must cover to count as an answer
LIMIT = 8
NEAR, NEXT, OVER, ABOVE = 0.7, 0.85, 0.85, 0.6  # a word in the same block, in its record or sentence, above, far above
NAMELESS = 0.6  # what is left of a score when a name in the question is not found,
NAME_ALONE = 0.8  # and when nothing else of it is
FITTING, ANSWERING, HEADING, DONE = 1.25, 1.2, 0.75, 0.92
FLAGGED, GAP_FOUND, BOX_FOUND = 0.95, 0.9, 0.6
MAX_TEXT, MAX_QUOTE = 1500, 300  # characters of one passage, of one quote
WORD = re.compile(r"\d+(?:[.,:]\d+)*|[^\W\d_]+")
ISO = re.compile(r"\d{4}-\d\d-\d\d")
OPEN_BOX = re.compile(r"\s*[-*+]\s+\[ \]")
OPEN_STATES = ("gap",)


class Passage(msgspec.Struct, frozen=True):
    """`text`: lines of a file from `line` (1-based) on, as they stand. `best`: the line that says most; `quote`: what
    of it to cite; `says`: that line for a person, with what it stands under. `score`: the share of the question that
    is covered, 0 to 1.
    """

    path: str
    line: int
    text: str
    best: int
    quote: str
    says: str
    score: float


class _Scored(msgspec.Struct):
    rank: float
    score: float
    file: KbFile
    block: Block
    best: int
    newest: str


def search(
    files: Sequence[KbFile],
    question: str,
    lexicon: Lexicon,
    *,
    kb: str = "",
    limit: int = LIMIT,
    fill: int = 0,
    flags: Mapping[tuple[str, int], str] | None = None,
) -> list[Passage]:
    """The passages nearest to `question`, best first; none when no word of it occurs.

    A passage's score is the share of the question's words, weighted by inverse document frequency over lines, that
    its best line, its block and the headings above it hold. `fill`: so many characters of other passages are added,
    for a model that understands what shares no word. `flags`: the state (gap, waiting, overdue, ...) that is known of
    lines, by path and 1-based number.
    """
    asked = understand(question, lexicon, known=kb)
    if not asked.terms:
        return []
    index = _Index(files, asked, lexicon, flags or {})
    scored = [one for file in index.files for one in index.score(file)]
    scored.sort(key=lambda one: (one.file.path, one.block.first))
    scored.sort(key=lambda one: (round(one.rank, 6), one.newest), reverse=True)
    chosen, rest = scored[:limit], scored[limit:]
    found = [_passage(one, index) for one in chosen]
    return found + _filled(files, found, [_passage(one, index) for one in rest], fill) if fill else found


class _Index:
    """What is known of one question's words in one set of files."""

    def __init__(
        self,
        files: Sequence[KbFile],
        asked: Question,
        lexicon: Lexicon,
        flags: Mapping[tuple[str, int], str],
    ) -> None:
        self.asked, self.answers, self.lexicon = asked, Answers(asked, lexicon), lexicon
        words = [set(WORD.findall(f"{file.path}\n{file.text}".lower())) for file in files]
        self.matches = matching(asked, set[str]().union(*words), lexicon)
        self.flags = flags
        self.states = {n: term.state for n, term in enumerate(asked.terms) if term.state}
        every = bool(self.states or asked.days)
        self.files = [
            file for file, held in zip(files, words, strict=True) if every or not held.isdisjoint(self.matches)
        ]
        self.weights = self._weights(sum(file.text.count("\n") + 1 for file in files))
        self.total = sum(self.weights) or 1.0

    def _weights(self, lines: int) -> list[float]:
        """Weight of each term: its own, times ln(1 + (N - df + 0.5) / (df + 0.5)) with lines as documents."""
        df = Counter[int]()
        for file in self.files:
            for line in file.text.lower().split("\n"):
                df.update({number for word in WORD.findall(line) for number in self.matches.get(word, ())})
                df.update(number for number, day in self.asked.days if day.search(line))
        return [
            weight * math.log(1 + (max(lines, df[n]) - df[n] + 0.5) / (df[n] + 0.5))
            for n, weight in enumerate(_weight(term, df[n]) for n, term in enumerate(self.asked.terms))
        ]

    def held(self, text: str) -> dict[int, float]:
        """How well each term is matched by the words of a text; terms it lacks are left out."""
        found: dict[int, float] = {}
        for word in WORD.findall(text.lower()):
            for number, grade in self.matches.get(word, {}).items():
                found[number] = max(grade, found.get(number, 0.0))
        return found

    def score(self, file: KbFile) -> list[_Scored]:
        """Every block of a file that holds, or stands under, a word of the question."""
        lines, found = file.lines(), []
        seen: dict[str, dict[int, float]] = {}
        for block in outline.blocks(file):
            for text in (block.over, block.above):
                if text not in seen:
                    seen[text] = self.held(text)
            over, above = seen[block.over], seen[block.above]
            own = [self._line(file.path, n, lines[n]) for n in range(block.first, block.end)]
            if self.states and self._only_an_example(lines, block):
                own = [{n: grade for n, grade in held.items() if n not in self.states} for held in own]
            if not (over or above or any(own)):
                continue
            scores = (self._score(lines, block, own, n, over, above) for n in range(len(own)))
            one = max(scores, key=lambda s: (round(s[0], 6), _newest(lines[block.first + s[2]]), -s[2]))
            if one[1] > 0:
                left = self.answers.lacking(lines[block.first + one[2]], "\n".join(lines[block.first : block.end]))
                best = block.first + one[2]
                found.append(_Scored(one[0] * left, one[1] * left, file, block, best, _newest(lines[best])))
        return found

    def _line(self, path: str, number: int, line: str) -> dict[int, float]:
        held = self.held(line)
        held |= {term: 1.0 for term, day in self.asked.days if day.search(line)}
        for term, state in self.states.items():
            grade = FLAGGED if self.flags.get((path, number + 1)) == state else 0.0
            if state in OPEN_STATES:
                grade = max(grade, GAP_FOUND if GAP.search(line) else BOX_FOUND if OPEN_BOX.match(line) else 0.0)
            if grade > held.get(term, 0.0):
                held[term] = grade
        return held

    def _only_an_example(self, lines: list[str], block: Block) -> bool:
        """A quotation, or something under a heading like Example: nothing is missing or late there."""
        if lines[block.first].lstrip().startswith(">"):
            return True
        under = tokens(block.over)
        return any(self.lexicon.head_kinds(under, name) & {"example", "template"} for name in self.lexicon.languages)

    def _score(
        self,
        lines: list[str],
        block: Block,
        own: list[dict[int, float]],
        n: int,
        over: dict[int, float],
        above: dict[int, float],
    ) -> tuple[float, float, int]:
        """(rank, score, n) of line n of a block."""
        line, covered, named, only_names = lines[block.first + n], 0.0, False, True
        for number, weight in enumerate(self.weights):
            grade = max(own[n].get(number, 0.0), OVER * over.get(number, 0.0), ABOVE * above.get(number, 0.0))
            for other, held in enumerate(own):
                if number in held and other != n:
                    grade = max(grade, held[number] * (NEXT if _together(lines, block, n, other) else NEAR))
            covered += weight * grade
            name = self.asked.terms[number].name
            named, only_names = named or (name and not grade), only_names and (name or not grade)
        score = min(covered / self.total, 1.0) * (NAMELESS if named else 1.0)
        score *= NAME_ALONE if only_names and covered < 0.9 * self.total else 1.0
        pairs = zip(block.columns, outline.cells(line), strict=False)
        filled = [column for column, cell in pairs if cell]
        rank = score * (FITTING if self.answers.fits(line, filled) else 1.0)
        key, value = outline.key_and_value(line)
        asked = self.held(key) if key and value and not self.held(value) else {}
        rank *= ANSWERING if (self.asked.focus in asked if self.asked.focus is not None else asked) else 1.0
        box = outline.BOX.match(lines[block.first])
        rank *= (HEADING if block.heading else 1.0) * (DONE if box and box[1] != " " else 1.0)
        return rank, score, n


def _weight(term: Term, occurs: int) -> float:
    """What nobody ever wrote counts less when it is a word of asking, a state, or looks like an English verb."""
    if occurs:
        return term.weight
    if term.weight == LIGHT or term.state:
        return 0.0 if term.weight == LIGHT else LIGHT
    return min(term.weight, VERB) if term.text.endswith(("ed", "ing")) else term.weight


def _together(lines: list[str], block: Block, one: int, other: int) -> bool:
    """Whether two lines of a block say one thing: a record's, or a sentence that runs on."""
    if block.record:
        return True
    first = block.first + min(one, other)
    return abs(one - other) == 1 and not lines[first].rstrip().endswith((".", "!", "?"))


def _newest(line: str) -> str:
    """The latest ISO date in a line: of two that say as much, the newer stands."""
    return max(ISO.findall(line), default="")


def _passage(one: _Scored, index: _Index) -> Passage:
    lines, block = one.file.lines(), one.block
    first, end = block.first, block.end
    while end - first > 1 and sum(map(len, lines[first:end])) > MAX_TEXT:
        first, end = (first + 1, end) if one.best - first > end - 1 - one.best else (first, end - 1)
    line = lines[one.best]
    said = outline.says(_window(line, index, MAX_QUOTE), block.columns)
    if block.record and one.best > block.first and len(lines[block.first]) <= MAX_QUOTE:
        said = f"{outline.says(lines[block.first])}; {said}"
    elif block.label and not block.heading and len(index.held(line)) < len(index.asked.terms):
        said = f"{block.label.rstrip(':')[:80]}: {said}"
    text = _window(line, index, MAX_TEXT) if end - first == 1 else "\n".join(lines[first:end])
    quote = _window(line, index, MAX_QUOTE)
    return Passage(one.file.path, first + 1, text, one.best + 1, quote, said, round(one.score, 3))


def _window(line: str, index: _Index, size: int) -> str:
    """A line, or of a long one the part around the first word that was looked for."""
    line = line.strip()
    if len(line) <= size:
        return line
    found = next((m.start() for m in WORD.finditer(line.lower()) if index.matches.get(m.group())), 0)
    start = max(0, min(found - size // 3, len(line) - size))
    return line[start : start + size].strip()


def _filled(files: Sequence[KbFile], found: list[Passage], more: list[Passage], budget: int) -> list[Passage]:
    """More passages up to `budget` characters: what was ranked lower first, then the files in order."""
    taken = {(passage.path, passage.line) for passage in found}
    for file in files:
        lines = file.lines()
        for block in outline.blocks(file):
            text = "\n".join(lines[block.first : block.end])
            if len(text) <= MAX_TEXT:
                number = block.first + 1
                more.append(Passage(file.path, number, text, number, lines[block.first].strip()[:MAX_QUOTE], "", 0.0))
    added: list[Passage] = []
    for passage in more:
        if (passage.path, passage.line) in taken:
            continue
        budget -= len(passage.text)
        if budget < 0:
            break
        taken.add((passage.path, passage.line))
        added.append(passage)
    return added
