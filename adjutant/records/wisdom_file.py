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
from typing import NamedTuple

from adjutant.clock import read_day
from adjutant.errors import FileDamaged, WisdomInvalid
from adjutant.records import rule_text
from adjutant.records.rule_text import FENCE, RULE
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
        soft += [(line + offset, message) for offset, message in rule_text.unfit(each.title, each.text)]
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
    return _Body(text.replace("\r\n", "\n").split("\n"), 0).entries()


def unfit(entry: RuleEntry) -> list[tuple[int, str]]:
    """Why an entry is no standing rule: (line from its title on, reason); [] for one that is."""
    found = _read(render(Wisdom("-", entries=(entry,))).encode("utf-8", "replace"), "")
    odd = found.wisdom.entries != (entry,) or any(problem.hard for problem in found.problems)
    told = "in the file it would read as something else: a title is one line, its text has no title or heading"
    return [*[(0, told)] * odd, *rule_text.unfit(entry.title, entry.text)]


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
    body = _Body(lines, end + 1)
    wisdom = Wisdom(name, compacted, body.entries(), begin, newline)
    named += body.problems
    named = [each for each in named if each.hard] or named or list(_compare_layout(begin + text, wisdom))
    return _Reading(wisdom, tuple(each.line for each in body.opened), tuple(named), text)


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


class _Opened(NamedTuple):
    """An entry while its lines are read."""

    line: int
    title: str
    category: str
    lines: list[str]

    def entry(self) -> RuleEntry:
        filled = [number for number, line in enumerate(self.lines) if line.strip()]
        text = "\n".join(self.lines[filled[0] : filled[-1] + 1]) if filled else ""
        return RuleEntry(_PIN.sub("", self.title), text, self.category, bool(_PIN.search(self.title)))


class _Body:
    """What stands below the head: `opened` entries, and what belongs to none in `problems`."""

    def __init__(self, lines: list[str], start: int) -> None:
        self.opened: list[_Opened] = []
        self.problems: list[Problem] = []
        self._category, self._heading, self._headed = "", 0, dict[str, int]()
        self._current: _Opened | None = None
        self._inside = False  # of text that belongs to no entry
        self._block, self._blocked = "", 0  # what opened code or a comment, and its line
        for number, line in enumerate(lines[start:], start=start + 1):
            self._add(number, line)
        self._end_category()
        if self._block:
            self._name(self._blocked, f"`{self._block}` without its end")
        first: dict[str, int] = {}
        for each in self.opened:
            if (same := first.setdefault(key(each.title), each.line)) != each.line:
                self._name(each.line, f"the title of line {same} again: no decision could tell the two apart")

    def entries(self) -> tuple[RuleEntry, ...]:
        return tuple(each.entry() for each in self.opened)

    def _name(self, line: int, message: str, hard: bool = True) -> None:
        self.problems.append(Problem(line, message, hard))

    def _add(self, number: int, line: str) -> None:
        title, heading, wrong = ("", "", "") if self._is_in_block(number, line) else _read_structure(line)
        if wrong:
            self._name(number, wrong)
            self._inside = True
        elif heading:
            self._end_category()
            self._category, self._current, self._heading, self._inside = heading, None, number, False
            if (before := self._headed.setdefault(heading, number)) != number:
                self._name(number, f"`## {heading}` stands on line {before} already", False)
        elif title:
            self._current = _Opened(number, title, self._category, [])
            self.opened.append(self._current)
            self._inside = False
        elif self._current is not None:
            self._current.lines.append(line)
            self._inside = False
        else:
            if line.strip() and not self._inside:
                self._name(number, "text outside of any entry: a title is `**title**` on its own line")
            self._inside = bool(line.strip())

    def _is_in_block(self, number: int, line: str) -> bool:
        """Whether a line stands in code between fences or a comment, or begins one: there nothing is structure."""
        fence = FENCE.match(line)
        if not self._block:
            comment = "<!--" in line and "-->" not in line[line.rindex("<!--") :]
            if fence or comment:
                self._blocked, self._block = number, fence[1] if fence else "<!--"
            return bool(self._block)
        if (self._block == "<!--" and "-->" in line) or (fence and fence[1].startswith(self._block)):
            self._block = ""
        return True

    def _end_category(self) -> None:
        if self._heading and not any(each.line > self._heading for each in self.opened):
            what = f"nothing stands under `## {self._category}`: the next distill leaves it out"
            self._name(self._heading, what, False)


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
