"""RECORDS. wisdom.md, the standing rules: read line by line, and written so that a right file keeps every byte.

    # Adjutant - Wisdom

    Distilled principles. Read this first every session (after SOUL.md).

    Last compacted: 2026-11-20

    ---

    ## Work

    **A promise without a date is no promise (pinned)**
    Ask for the day.

A byte order mark and CRLF throughout are kept. Other blank lines, line ends or blanks are named, and put right when the
file is next written; whatever cannot be an entry, a category or the head is named too, and then the file is left alone.
HTML comments and code blocks are text of the entry they stand in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from typing import NamedTuple

from adjutant.clock import read_day
from adjutant.errors import FileDamaged, WisdomInvalid
from adjutant.language import dates
from adjutant.language.detect import language_of
from adjutant.language.pack import listed
from adjutant.language.sentences import sentences as split
from adjutant.store.config import Config
from adjutant.store.files import Files, state_of
from adjutant.store.reader import BOM, decode

SENTENCE = "Distilled principles. Read this first every session (after SOUL.md)."
NEVER = "never"
PINNED = "(pinned)"
MAX_BYTES = 256 * 1024
_NAME = re.compile(r"#\s+(\S.*?)\s+-\s+Wisdom")
_COMPACTED = re.compile(rf"Last compacted:\s*({NEVER}|\d{{4}}-\d\d-\d\d)")
_TITLE = re.compile(r"\*\*(?![\s*])((?:(?!\*\*).)+)(?<![\s*])\*\*\s*")
_PIN = re.compile(r"(?:\A|\s+)\(pinned\)\Z", re.IGNORECASE)
_HEADING = re.compile(r"(#{1,6})(?:\s+(.*))?|##+[^\s#].*")
RULE = "---"
TITLE_CHARS, SENTENCES = 80, 3
FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_COMMENTS = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_FENCED = re.compile(r"(?ms)^ {0,3}(```+|~~~+).*?(?:^ {0,3}\1[`~]*\s*$|\Z)")
_CHECKBOX = re.compile(r"\s*[-*+]\s+\[[ xX]?\](?:\s|\Z)")
_COMMAND = re.compile(r"\s*\$\s+\S")
_STEP = re.compile(r"\s*\d+[.)]\s+\S")
_ITEM = re.compile(r"\A\s*(?:[-*+]|\d+[.)])\s+")
_RULE_LINE = re.compile(r" {0,3}(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}")
_ANY_DAY = date(2000, 1, 1)


class RuleEntry(NamedTuple):
    """A rule. `title` without its `(pinned)`; `text` its lines as written; `category` "" where it stands in none."""

    title: str
    text: str
    category: str = ""
    pinned: bool = False

    @property
    def key(self) -> str:
        """What makes it the same entry: its title, whatever the case and blanks."""
        return key(self.title)


class Wisdom(NamedTuple):
    """The file. `name`: the conductor's; `compacted`: YYYY-MM-DD or never; `entries` in the file's order.

    `begin` and `newline` are how an editor saved it: a byte order mark or "", "\\n" or "\\r\\n".
    """

    name: str
    compacted: str = NEVER
    entries: tuple[RuleEntry, ...] = ()
    begin: str = ""
    newline: str = "\n"

    def find(self, title: str) -> RuleEntry | None:
        """The entry of a title, however it is written and whether or not `(pinned)` is said."""
        return next((each for each in self.entries if each.key == key(title)), None)


class Problem(NamedTuple):
    """What is wrong on a line. `hard`: the file cannot be taken for a wisdom.md, and nothing writes it."""

    line: int
    message: str
    hard: bool


class WisdomHeld(NamedTuple):
    """The file on disk. `path` absolute, `shown` relative to the instance; `data` None where there is no file."""

    path: str
    shown: str
    data: bytes | None

    @property
    def sha(self) -> str:
        """What `Files.replace` expects: "" where there is no file."""
        return state_of(self.data)


def read_file(files: Files, config: Config) -> WisdomHeld:
    """The file of `layers.wisdom.path`, through a link of the operator's. Raises FileDamaged, IoFailed."""
    shown = config.text("layers.wisdom.path")
    path = files.tree.inside(shown)
    return WisdomHeld(path, shown, files.find(path, MAX_BYTES))


def limits(config: Config) -> tuple[int, int, tuple[str, ...]]:
    """(entries, characters, categories) that the settings allow the file to hold."""
    most = config.whole("memory.wisdom.max_entries"), config.whole("layers.wisdom.max_chars")
    return *most, config.paths("memory.wisdom.categories")


def key(title: str) -> str:
    """A title as entries are told apart by it."""
    return " ".join(_PIN.sub("", title).casefold().split())


def parse(data: bytes | None, shown: str, name: str = "") -> Wisdom:
    """The file's bytes as a value; where there are none, an empty wisdom of `name`.

    Raises WisdomInvalid with `shown` and the line.
    """
    if data is None:
        return Wisdom(name)
    found = _read(data, name)
    broken = [problem for problem in found.problems if problem.hard]
    if broken:
        more = f" (and {len(broken) - 1} more)" if len(broken) > 1 else ""
        raise WisdomInvalid(f"{shown}:{broken[0].line}: {broken[0].message}{more}")
    return found.wisdom


def render(wisdom: Wisdom) -> str:
    """The file's text. Entries keep their order within their category, those of none come first."""
    text = f"# {wisdom.name} - Wisdom\n\n{SENTENCE}\n\nLast compacted: {wisdom.compacted}\n\n{RULE}\n"
    for category in sorted(dict.fromkeys(each.category for each in wisdom.entries), key=bool):
        text += f"\n## {category}\n" if category else ""
        text += "".join(f"\n{_block(each)}" for each in wisdom.entries if each.category == category)
    return wisdom.begin + text.replace("\n", wisdom.newline)


def problems(data: bytes, most: int, chars: int, categories: tuple[str, ...] = ()) -> list[Problem]:
    """Everything that is wrong with a file, by line; [] for one that is right, whose bytes `render` gives again. `most`
    entries, `chars` and these categories are allowed."""
    found = _read(data, "")
    entries, text, allowed = found.wisdom.entries, found.text, ", ".join(categories)
    soft: list[tuple[int, str]] = []
    for line, each in zip(found.lines, entries, strict=True):
        soft += [(line + offset, message) for offset, message in _unfit(each.title, each.text)]
        if categories and each.category not in categories:
            told = f"`{each.category}` is no category of" if each.category else "an entry outside of the categories of"
            soft.append((line, f"{told} memory.wisdom.categories ({allowed})"))
        elif each.category and not categories:
            soft.append((line, f"`{each.category}`: memory.wisdom.categories names no categories"))
    if len(entries) > most:
        soft.append((found.lines[most], f"{len(entries)} entries, {most} are allowed (memory.wisdom.max_entries)"))
    if len(text) > chars:
        line = text.count("\n", 0, chars) + 1
        soft.append((line, f"{len(text)} characters, {chars} are allowed (layers.wisdom.max_chars)"))
    return sorted({*found.problems, *(Problem(line, message, False) for line, message in soft)})


def entries(text: str) -> tuple[RuleEntry, ...]:
    """The entries that can be read in a file which may be broken anywhere, for those who only look."""
    return _read_body(text.replace("\r\n", "\n").split("\n"), 0)[1]


def unfit(entry: RuleEntry) -> list[tuple[int, str]]:
    """Why an entry is no standing rule: (line from its title on, reason); [] for one that is."""
    found = _read(render(Wisdom("-", entries=(entry,))).encode("utf-8", "replace"), "")
    odd = found.wisdom.entries != (entry,) or any(problem.hard for problem in found.problems)
    told = "in the file it would read as something else: a title is one line, its text has no title or heading"
    return [*[(0, told)] * odd, *_unfit(entry.title, entry.text)]


def _block(entry: RuleEntry) -> str:
    title = f"**{entry.title}{f' {PINNED}' if entry.pinned else ''}**\n"
    return f"{title}{entry.text}\n" if entry.text else title


# -- reading -------------------------------------------------------------------------------------------------


class _Reading(NamedTuple):
    """`lines`: of each entry's title. `text`: the file without its byte order mark."""

    wisdom: Wisdom
    lines: tuple[int, ...] = ()
    problems: tuple[Problem, ...] = ()
    text: str = ""


def _read(data: bytes, name: str) -> _Reading:
    try:
        text = decode(data, "")
    except FileDamaged as error:
        line, _, message = error.message.lstrip(":").partition(": ")
        return _Reading(Wisdom(name), problems=(Problem(int(line), message, True),))
    if not text.strip():
        return _Reading(Wisdom(name), problems=(Problem(1, "an empty file", False),), text=text)
    begin = "\ufeff" if data.startswith(BOM) else ""
    newline = "\r\n" if "\r\n" in text and text.count("\r\n") == text.count("\n") else "\n"
    lines = text.replace("\r\n", "\n").split("\n")
    end = next((number for number, line in enumerate(lines) if line.rstrip() == RULE), len(lines))
    named: list[Problem] = []
    name, compacted = _read_head(lines[:end], end < len(lines), named)
    titles, entries, wrong = _read_body(lines, end + 1)
    wisdom = Wisdom(name, compacted, entries, begin, newline)
    named += wrong
    named = [each for each in named if each.hard] or named or list(_compare_layout(begin + text, wisdom))
    return _Reading(wisdom, titles, tuple(named), text)


def _read_head(lines: list[str], ruled: bool, named: list[Problem]) -> tuple[str, str]:
    """The conductor's name and the day; `lines` are those above the rule, all of them where there is none."""
    said = [(number, line.rstrip()) for number, line in enumerate(lines, start=1) if line.strip()]
    forms = (
        (_NAME, "`# NAME - Wisdom`"),
        (re.compile(re.escape(SENTENCE)), f"`{SENTENCE}`"),
        (_COMPACTED, f"`Last compacted:` and a day (YYYY-MM-DD) or `{NEVER}`"),
    )
    below, values = len(lines) + ruled, list[str]()
    for (form, told), (number, line) in zip(forms, [*said, *[(below, "")] * 3], strict=False):
        found = form.fullmatch(line)
        if found is None or (form is _COMPACTED and found[1] != NEVER and not read_day(found[1])):
            named.append(Problem(number, f"here stands {told}", True))
            return "", NEVER
        values.append(found[found.lastindex or 0])
    if not ruled:
        place, where = (said[3][0], "above this one") if len(said) > 3 else (below, "at the end")
        named.append(Problem(place, f"`{RULE}` on a line of its own is missing {where}", True))
    for number, line in said[3:] if ruled else ():
        what = "an entry" if _TITLE.fullmatch(line) else "text"
        named.append(Problem(number, f"{what} above `{RULE}`: entries stand below it", True))
    return values[0], values[2]


def _read_body(lines: list[str], start: int) -> tuple[tuple[int, ...], tuple[RuleEntry, ...], list[Problem]]:
    """(the line of each entry's title, the entries, what is wrong) of what stands below the head. In code between
    fences and in a comment nothing is structure."""
    opened, headings, named = list[tuple[int, str, str, list[str]]](), [(0, "")], list[Problem]()
    outside, block, begun = False, "", 0  # in text that belongs to no entry; what opened code or a comment, its line
    for number, line in enumerate(lines[start:], start=start + 1):
        fence, (title, heading, wrong) = FENCE.match(line), ("", "", "")
        if block:
            block = "" if (block == "<!--" and "-->" in line) or (fence and fence[1].startswith(block)) else block
        elif fence or ("<!--" in line and "-->" not in line[line.rindex("<!--") :]):
            block, begun = fence[1] if fence else "<!--", number
        else:
            title, heading, wrong = _read_structure(line)
        before, outside = outside, False
        if wrong:
            named.append(Problem(number, wrong, True))
            outside = True
        elif heading:
            headings.append((number, heading))
        elif title:
            opened.append((number, title, headings[-1][1], []))
        elif opened and opened[-1][0] > headings[-1][0]:
            opened[-1][3].append(line)
        elif line.strip():
            what = "text outside of any entry: a title is `**title**` on its own line"
            named += [] if before else [Problem(number, what, True)]
            outside = True
    named += [Problem(begun, f"`{block}` without its end", True)] if block else []
    first, stood = dict[str, int](), dict[str, int]()
    for number, title, *_ in opened:
        if (same := first.setdefault(key(title), number)) != number:
            what = f"the title of line {same} again: no decision could tell the two apart"
            named.append(Problem(number, what, True))
    for (number, heading), (end, _) in zip(headings[1:], [*headings[2:], (len(lines) + 1, "")], strict=False):
        if (same := stood.setdefault(heading, number)) != number:
            named.append(Problem(number, f"`## {heading}` stands on line {same} already", False))
        if not any(number < each[0] < end for each in opened):
            what = f"nothing stands under `## {heading}`: the next distill leaves it out"
            named.append(Problem(number, what, False))
    return tuple(each[0] for each in opened), tuple(_make_entry(*each[1:]) for each in opened), named


def _make_entry(title: str, category: str, lines: list[str]) -> RuleEntry:
    filled = [number for number, line in enumerate(lines) if line.strip()]
    text = "\n".join(lines[filled[0] : filled[-1] + 1]) if filled else ""
    return RuleEntry(_PIN.sub("", title), text, category, bool(_PIN.search(title)))


def _read_structure(line: str) -> tuple[str, str, str]:
    """(title, category, what is wrong) of a line; all "" for text."""
    if title := _TITLE.fullmatch(line):
        return (title[1], "", "") if _PIN.sub("", title[1]) else ("", "", "a title without words")
    if heading := _HEADING.fullmatch(line.rstrip()):
        if heading[1] == "##" and heading[2]:
            return "", heading[2], ""
        return "", "", "a heading that wisdom.md has none of: `## category` is the only one"
    bare = line.strip()
    begins, ends = bare.startswith("**"), bare.endswith("**")
    half = (begins or ends) and bare.count("**") % 2 == 1
    near = half or (begins and ends and "**" not in bare[2:-2])
    return "", "", "nearly a title: `**title**` on a line of its own, no blank inside the stars" if near else ""


def _compare_layout(text: str, wisdom: Wisdom) -> Iterator[Problem]:
    """Where a file that can be read is not as it would be written."""
    right = render(wisdom)
    if right != text:
        pairs = enumerate(zip(text, right, strict=False))
        same = next((at for at, (one, other) in pairs if one != other), min(len(text), len(right)))
        what = "blanks, blank lines or line ends that the format has otherwise; the next distill puts them right"
        yield Problem(text.count("\n", 0, same) + 1, what, False)


def _unfit(title: str, text: str) -> list[tuple[int, str]]:
    """Why a title and a text are no standing rule: (line from the title on, reason)."""
    long = [(0, f"a title of {len(title)} characters, {TITLE_CHARS} are allowed")] * (len(title) > TITLE_CHARS)
    dated = [(0, f"a date as content (`{found}`): a standing rule has none")] if (found := _date(title)) else []
    return [*long, *dated, *_text(text)]


def _text(text: str) -> Iterator[tuple[int, str]]:
    if not _COMMENTS.sub("", text).strip():
        yield 0, "an entry without text: one to three sentences stand below its title"
        return
    steps, fenced = 0, False
    shown = _COMMENTS.sub(lambda found: "\n" * found[0].count("\n"), text)  # its lines kept in number
    for number, line in enumerate(shown.split("\n"), start=1):
        fence = bool(FENCE.match(line))
        steps += bool(_STEP.match(line))
        if fenced or fence:
            if not fenced:
                yield number, "a command block: recipes belong elsewhere"
            fenced ^= fence
        elif _COMMAND.match(line):
            yield number, "a command: recipes belong elsewhere"
        elif _CHECKBOX.match(line):
            yield number, "a checkbox: tasks belong elsewhere"
        elif _STEP.match(line) and steps == 2:
            yield number, "a list of steps: recipes belong elsewhere"
        elif _RULE_LINE.fullmatch(line.rstrip()):
            yield number, f"`{RULE}` stands once, above the entries"
        elif found := _date(line):
            yield number, f"a date as content (`{found}`): a standing rule has none"
    count = sentences(text)
    if count > SENTENCES:
        yield 0, f"{count} sentences, at most {SENTENCES} are allowed"


def _date(text: str) -> str:
    """The first date of a text; a weekday, a bare month and "the 3rd" come again, so a rule may name them."""
    found = (each for each in dates.find(text, _ANY_DAY) if each.exact and not each.relative)
    said = (text[each.start : each.end].rstrip(".") for each in found)
    words = listed("dates", "doubtful", "en") if language_of(text) == "en" else ()  # "2 may fail"
    return next((each for each in said if not any(word in words for word in each.split())), "")


def sentences(text: str) -> int:
    """How many sentences a text has; items of a list and paragraphs end one too. Comments and code are not counted."""
    said = _FENCED.sub("\n\n", _COMMENTS.sub("", text))
    parts = re.split(r"\n\s*\n|\0", "\n".join(_ITEM.sub("\0", line, count=1) for line in said.split("\n")))
    return sum(len(split(" ".join(part.split()))) for part in parts)
