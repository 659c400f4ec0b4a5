"""DOMAIN. Pieces as statements: one thing said each, with what it is, who answers for it and what it is about."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from adjutant.domain.periods import extract_cues
from adjutant.domain.periods.about import compared, telling, topic
from adjutant.domain.periods.counts import without_tail, written
from adjutant.domain.periods.extract_cues import FILE
from adjutant.domain.periods.piece import Piece
from adjutant.language.detect import language_of
from adjutant.language.negation import is_negated
from adjutant.language.patterns import plain, regex
from adjutant.language.sentences import sentences
from adjutant.ports import TRUST
from adjutant.records.period_file import BULLET_CHARS, NEVER_CUT, SECTIONS
from adjutant.screening.screen import screen

OPEN, EVENTS, PATTERNS = "Open threads", "Key events", "Patterns"
SHORT, LONG = 300, 900  # characters of a bullet; of one that is never cut
MOST_ALONE = 2  # what a line is about, up to which it needs the title it stands under
_WORDLESS = 120  # a run of as many characters without a blank is no word
_FENCE = re.compile(r"\s*(?:```|~~~)")
_ITEM = re.compile(r"(\s*)(?:[-*+•·]|\d{1,3}[.)])\s+(.*)")
_BOX = re.compile(r"\[([ xX])\]\s+")
_HEADING = re.compile(r"\s*#{1,6}\s(.*)")
_RULE = re.compile(r"[-=*_|:\s]+")
_QUOTED = re.compile(r"^\s*(?:>\s?)+")
_ENDED = (".", "!", "?", "…", ":", ";")
# As we end a thread, and a bullet of one.
_CLOSED = r" – {written.done}$|\({written.open} \d[^()]*, {written.done} \d[^()]*\)$"
_SEVERITY = re.compile(r"(?:low|medium|high|critical|info) · (?:\([\w-]+\) )?")
_CLAUSE = re.compile(r"[;,–—]\s+|\s-\s")
_BOILERPLATE = r"(.{0,80}: )?{boilerplate}.{0,80}"
_COMMAND = r"(/\w+|{commands.asking} (\S+ ){0,2}?{commands.wanted}|{commands.orders})\b"


class Statement(NamedTuple):
    """One thing said. `text`: as it is shown. `moment`: ISO-8601, the newest. `stems`: what it is about.

    `times`, `days`: how often it was said and when, as YYYY-MM-DD. `done`: it came to its end; `denies`: it
    says that something is not so; `closes`: it ended an open thread. `kept`: never left out. `order`: as it came.
    """

    text: str
    section: str
    refs: tuple[str, ...]
    moment: str
    trust: str
    order: int
    stems: frozenset[str]
    language: str
    times: int = 1
    days: tuple[str, ...] = ()
    done: bool = False
    denies: bool = False
    closes: bool = False
    speaker: str = ""

    @property
    def kept(self) -> bool:
        """Whether it is never left out for length."""
        return self.section in NEVER_CUT

    @property
    def day(self) -> str:
        """The day of its moment, "" where nothing tells."""
        return self.moment[:10]


def statements(pieces: Sequence[Piece]) -> list[Statement]:
    """What the pieces say that is worth a look, in time order; greetings, commands and boilerplate are left out."""
    everyday = language_of("\n".join(piece.text[:300] for piece in pieces[:40]))
    answered = _answered(pieces)
    found: list[Statement] = []
    for piece in sorted(pieces, key=lambda piece: piece.moment):
        language = language_of(f"{piece.title}\n{piece.text}", everyday)
        carried = piece.section in SECTIONS
        for said in [_carried(piece)] if carried else dict.fromkeys(_said(piece, language)):
            one = _statement(piece, said, language, len(found))
            if one is not None and not (
                one.section == OPEN
                and piece.speaker
                and _QUESTIONED.search(one.text)
                and piece.refs
                and piece.refs[0] in answered
                and not carried
            ):
                found.append(one)
    return found


_QUESTIONED = re.compile(r"\?[\"')]*$")


class _Said(NamedTuple):
    text: str
    section: str = ""
    box: str = ""
    titled: bool = True
    times: int = 1
    days: tuple[str, ...] = ()


def _answered(pieces: Sequence[Piece]) -> frozenset[str]:
    """The refs of messages after which the other side spoke: what they ask was answered."""
    last: dict[str, Piece] = {}
    found = set()
    for piece in sorted(pieces, key=lambda piece: piece.moment):
        if not piece.speaker or not piece.refs:
            continue
        session = piece.refs[0].rpartition("/")[0]
        before = last.get(session)
        if before is not None and before.speaker != piece.speaker:
            found.add(before.refs[0])
        last[session] = piece
    return frozenset(found)


def _carried(piece: Piece) -> _Said:
    """A bullet of a period below, its count and days taken off."""
    text = " ".join(piece.text.split())
    if len(text) > BULLET_CHARS:
        text = text[: text.rfind(" ", 0, BULLET_CHARS)] + " …"
    said, times, days = without_tail(text, piece.moment)
    return _Said(said, piece.section, titled=False, times=times, days=days)


def _said(piece: Piece, language: str) -> Iterator[_Said]:
    """Items, sentences and their groups, each under the section that a heading or label above it names."""
    above = extract_cues.heading(piece.title)
    for said in dict.fromkeys(_blocks(_unordered(piece), above)):
        section, text = said.section, said.text
        told, length = extract_cues.label(text)
        if length:
            section, text = told or section, _capital(text[length:])
        if (said.box or said.section) and len(text) <= SHORT:
            yield said._replace(text=text, section=section)
            continue
        for number, sentence in enumerate(_grouped(text, bool(piece.title), language)):
            told, length = extract_cues.label(sentence)
            rest = _capital(sentence[length:]) if length else sentence
            yield said._replace(text=rest, section=told or (said.section if number else section))


def _unordered(piece: Piece) -> str:
    """A piece's text without the lines from outside that order the assistant about."""
    if piece.trust != TRUST[-1]:
        return piece.text
    lines = list(dict.fromkeys(piece.text.split("\n")))
    ordering = {hit.line for hit in screen("\n".join(lines))}
    return "\n".join(line for number, line in enumerate(lines, 1) if number not in ordering)


def _blocks(text: str, above: str) -> Iterator[_Said]:
    """List items with what continues them, and paragraphs, their broken lines joined."""
    section, under, fenced = above, "", False
    open_: list[str] = []
    box, indent = "", -1

    def flush() -> Iterator[_Said]:
        nonlocal box
        if open_:
            joined = " ".join(open_)
            yield _Said(f"{under} {joined}" if under and indent >= 0 else joined, section, box, titled=not under)
            open_.clear()
        box = ""

    for raw in text.split("\n"):
        line = raw.rstrip()
        if _FENCE.match(line):
            fenced = not fenced
            yield from flush()
            continue
        if fenced:
            continue
        line = _QUOTED.sub("", line) if line.lstrip().startswith(">") else line
        if not line.strip() or _RULE.fullmatch(line):
            yield from flush()
            if indent < 0:
                under = ""
            continue
        if heading := _HEADING.fullmatch(line):
            yield from flush()
            section, under, indent = extract_cues.heading(heading[1].strip("# \t")) or above, "", -1
            continue
        item = _ITEM.fullmatch(line)
        if item is None and indent >= 0 and raw.startswith((" ", "\t")) and open_:
            open_.append(line.strip())
            continue
        told = item[2] if item else line.strip()
        if item is not None or not _continues(open_, told) or indent >= 0:
            yield from flush()
            if item is None:
                indent, under = -1, ""
        if item is not None:
            deeper = len(item[1].expandtabs(4))
            if under and deeper < indent:
                under = ""
            indent = deeper
            if ticked := _BOX.match(told):
                box, told = ticked[1].lower(), told[ticked.end() :]
        if told.endswith(":") and len(told) <= 60 and not open_:
            named = extract_cues.heading(told)
            section, under = (named, "") if named else (section, told)
            indent = max(indent, 0)
            continue
        open_.append(told.strip("| ").replace(" | ", ", ") if told.startswith("|") else told)
    yield from flush()


def _continues(open_: list[str], line: str) -> bool:
    """Whether a line goes on with the one before: that was broken for its length, and did not end a sentence."""
    if not open_ or len(open_) > 60:
        return False
    before = open_[-1]
    if before.endswith(_ENDED):
        return len(before) >= 60
    return len(before) >= 60 or (len(before) >= 40 and line[:1].islower())


def _grouped(text: str, titled: bool, language: str) -> Iterator[str]:
    """Sentences; one that points back (`That is why …`) stays with the one before it, where both are short enough."""
    group = ""
    for part in (part for sentence in sentences(text) for part in _parts(sentence.text)):
        if group and len(group) + len(part) < SHORT and _hangs(part, group, titled, language):
            group = f"{group} {part}"
            continue
        if group:
            yield group
        group = part
    if group:
        yield group


def _hangs(part: str, before: str, titled: bool, language: str) -> bool:
    """Whether a sentence says nothing without the one before it. Under a title it does, where it is of another kind."""
    section = extract_cues.section_of(part)
    if not telling(plain(before)):
        return False
    if not topic(part, language) and not compared(part):
        return bool(section) or extract_cues.done(part)
    return _points_back(part) and (not titled or section in ("", extract_cues.section_of(before)))


def _points_back(text: str) -> bool:
    return regex(FILE, r"{points_back}\b").match(plain(text)) is not None


def _parts(sentence: str) -> Iterator[str]:
    """A sentence longer than any bullet, cut between clauses, else between words; runs without a blank left out."""
    if len(sentence) > _WORDLESS and max(map(len, sentence.split()), default=0) > _WORDLESS:
        sentence = " ".join(word for word in sentence.split() if len(word) <= _WORDLESS)
    while len(sentence) > LONG:
        cuts = [cut.end() for cut in _CLAUSE.finditer(sentence, SHORT, LONG)]
        at = cuts[-1] if cuts else sentence.rfind(" ", 0, LONG) + 1
        yield sentence[:at].strip()
        sentence = sentence[at:]
    if sentence.strip():
        yield sentence.strip()


def _statement(piece: Piece, said: _Said, language: str, order: int) -> Statement | None:
    text = _trimmed(said.text) if piece.section not in SECTIONS else said.text
    if not text or not any(map(str.isalnum, text)):
        return None
    section = said.section if piece.section not in SECTIONS else piece.section
    if not section:
        section = OPEN if said.box == " " else EVENTS if said.box else extract_cues.section_of(said.text)
    if section in NEVER_CUT and piece.section not in SECTIONS and piece.trust == TRUST[-1]:
        section = EVENTS  # what others decided or learned is news, and no rule of the operator's
    if not section:
        recurs = extract_cues.recurs(said.text) and not compared(said.text)
        section = PATTERNS if recurs else EVENTS
    if piece.section not in SECTIONS and _idle(text, section, piece):
        return None
    text = _shown(text, section, piece, said, language)
    if said.box == "x" and not extract_cues.done(text):
        text = f"{text.rstrip(' .')} – {written('done', language)}"
    return Statement(
        text,
        section,
        piece.refs,
        piece.moment,
        piece.trust,
        order,
        topic(text, language),
        language,
        times=said.times,
        days=said.days or _days(piece),
        done=said.box == "x" or extract_cues.done(text),
        denies=is_negated(text),
        closes=regex(FILE, _CLOSED).search(text) is not None,
        speaker=piece.speaker,
    )


def _days(piece: Piece) -> tuple[str, ...]:
    return (piece.moment[:10],) if piece.moment else ()


def _trimmed(text: str) -> str:
    """A text without its list mark, lead-in and label; a capital first, where something was taken off."""
    kept = " ".join(text.split())
    severity = _SEVERITY.match(kept)
    kept = kept[severity.end() :] if severity else kept
    for _ in range(3):
        length = max(extract_cues.label(kept)[1], extract_cues.lead_in(kept))
        if not length or length >= len(kept):
            break
        kept = _capital(kept[length:].lstrip())
    return kept.strip("-–—• ")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _idle(text: str, section: str, piece: Piece) -> bool:
    """Whether a text is nothing: small talk, a command, what a machine writes every hour."""
    lower = plain(text)
    if piece.trust != TRUST[0] and regex(FILE, _BOILERPLATE).fullmatch(lower):
        return True
    if section in NEVER_CUT:
        return len(lower.split()) < (2 if piece.trust == TRUST[0] else 5)
    if piece.speaker and regex(FILE, _COMMAND).match(lower):
        return True
    return not telling(lower)


def _shown(text: str, section: str, piece: Piece, said: _Said, language: str) -> str:
    """The text as a bullet: short enough, and begun with the heading it stands under where it needs that."""
    if section not in NEVER_CUT and len(text) > SHORT and piece.section not in SECTIONS:
        cuts = [cut.start() for cut in _CLAUSE.finditer(text, SHORT // 2, SHORT)]
        text = text[: cuts[-1] if cuts else text.rfind(" ", 0, SHORT)].rstrip(" ,;–—-") + " …"
    if not said.titled or not _needs_title(text, piece, language):
        return text
    return f"{piece.title.strip()}: {text}"


def _needs_title(text: str, piece: Piece, language: str) -> bool:
    title = plain(piece.title).strip(" *_#:.-–—")
    if not title or piece.trust == TRUST[-1] or piece.speaker or len(title) > 50 or len(text) > 160:
        return False
    if ": " in text[:30]:
        return False
    if regex(FILE, "{bare_titles}").fullmatch(title) or extract_cues.heading(piece.title) or title[0].isdigit():
        return False
    about, named = topic(text, language), topic(title, language)
    alone = len(about) <= MOST_ALONE or _points_back(text)
    return bool(named) and not named & about and alone
