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
from collections.abc import Iterable, Iterator
from datetime import date
from typing import NamedTuple

from adjutant.errors import FileDamaged, WisdomInvalid
from adjutant.records import rule_text
from adjutant.records.rule_text import FENCE, RULE
from adjutant.store.config import Config
from adjutant.store.files import Files, sha256
from adjutant.store.reader import decode

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


class WisdomLimits(NamedTuple):
    """What adjutant.yaml allows the file to hold."""

    max_entries: int
    max_chars: int
    categories: tuple[str, ...] = ()


class WisdomHeld(NamedTuple):
    """The file on disk. `path` absolute, `shown` relative to the instance; `data` None where there is no file."""

    path: str
    shown: str
    data: bytes | None

    @property
    def sha(self) -> str:
        """What `Files.replace` expects: "" where there is no file."""
        return "" if self.data is None else sha256(self.data)


def read_file(files: Files, config: Config) -> WisdomHeld:
    """The file of `layers.wisdom.path`, through a link of the operator's. Raises FileDamaged, IoFailed."""
    shown = config.text("layers.wisdom.path")
    path = files.tree.inside(shown)
    try:
        return WisdomHeld(path, shown, files.read(path, MAX_BYTES))
    except FileNotFoundError:
        return WisdomHeld(path, shown, None)


def limits(config: Config) -> WisdomLimits:
    """What the settings allow."""
    return WisdomLimits(
        config.whole("memory.wisdom.max_entries"),
        config.whole("layers.wisdom.max_chars"),
        config.paths("memory.wisdom.categories"),
    )


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


def problems(data: bytes, limits: WisdomLimits) -> list[Problem]:
    """Everything that is wrong with a file, by line; [] for one that is right, whose bytes `render` gives again."""
    found = _read(data, "")
    named, entries = list(found.problems), found.wisdom.entries
    for line, each in zip(found.lines, entries, strict=True):
        named += (Problem(line + offset, message, False) for offset, message in rule_text.unfit(each.title, each.text))
        if limits.categories and each.category not in limits.categories:
            told = f"`{each.category}` is no category of" if each.category else "an entry outside of the categories of"
            named.append(Problem(line, f"{told} memory.wisdom.categories ({', '.join(limits.categories)})", False))
        elif each.category and not limits.categories:
            named.append(Problem(line, f"`{each.category}`: memory.wisdom.categories names no categories", False))
    if len(entries) > limits.max_entries:
        named.append(
            Problem(
                found.lines[limits.max_entries],
                f"{len(entries)} entries, {limits.max_entries} are allowed (memory.wisdom.max_entries)",
                False,
            )
        )
    if len(found.text) > limits.max_chars:
        named.append(
            Problem(
                found.text.count("\n", 0, limits.max_chars) + 1,
                f"{len(found.text)} characters, {limits.max_chars} are allowed (layers.wisdom.max_chars)",
                False,
            )
        )
    return sorted(set(named))


def entries(text: str) -> tuple[RuleEntry, ...]:
    """The entries that can be read in a file which may be broken anywhere, for those who only look."""
    return tuple(each.entry() for each in _body(text.replace("\r\n", "\n").split("\n"), 0, []))


def unfit(entry: RuleEntry) -> list[tuple[int, str]]:
    """Why an entry is no standing rule: (line from its title on, reason); [] for one that is."""
    return [*_misread(entry), *rule_text.unfit(entry.title, entry.text)]


def _block(entry: RuleEntry) -> str:
    title = f"**{entry.title}{f' {PINNED}' if entry.pinned else ''}**\n"
    return f"{title}{entry.text}\n" if entry.text else title


def _misread(entry: RuleEntry) -> Iterator[tuple[int, str]]:
    """An entry from elsewhere may hold what the file gives another meaning: another title, a heading."""
    found = _read(render(Wisdom("-", entries=(entry,))).encode("utf-8", "replace"), "")
    if found.wisdom.entries != (entry,) or any(problem.hard for problem in found.problems):
        yield 0, "in the file it would read as something else: a title is one line, its text has no title or heading"


# -- reading -------------------------------------------------------------------------------------------------


class _Reading(NamedTuple):
    """`lines`: of each entry's title. `text`: the file without its byte order mark."""

    wisdom: Wisdom
    lines: tuple[int, ...]
    problems: tuple[Problem, ...]
    text: str


class _Open:
    """An entry while its lines are read."""

    def __init__(self, line: int, title: str, category: str) -> None:
        self.line, self.category = line, category
        self.title, self.pinned = _PIN.sub("", title), bool(_PIN.search(title))
        self.lines: list[str] = []

    def entry(self) -> RuleEntry:
        lines = self.lines
        filled = [number for number, line in enumerate(lines) if line.strip()]
        text = "\n".join(lines[filled[0] : filled[-1] + 1]) if filled else ""
        return RuleEntry(self.title, text, self.category, self.pinned)


def _read(data: bytes, name: str) -> _Reading:
    try:
        text = decode(data, "")
    except FileDamaged as error:
        line, _, message = error.message.lstrip(":").partition(": ")
        return _Reading(Wisdom(name), (), (Problem(int(line), message, True),), "")
    begin = "\ufeff" if data.startswith("\ufeff".encode()) else ""
    if not text.strip():
        return _Reading(Wisdom(name), (), (Problem(1, "an empty file", False),), text)
    newline = "\r\n" if "\r\n" in text and text.count("\r\n") == text.count("\n") else "\n"
    lines = text.replace("\r\n", "\n").split("\n")
    end = next((number for number, line in enumerate(lines) if line.rstrip() == RULE), len(lines))
    named: list[Problem] = []
    name, compacted = _head(lines[:end], end < len(lines), named)
    opened = _body(lines, end + 1, named)
    wisdom = Wisdom(name, compacted, tuple(each.entry() for each in opened), begin, newline)
    named = [problem for problem in named if problem.hard] or named or list(_layout(begin + text, wisdom))
    return _Reading(wisdom, tuple(each.line for each in opened), tuple(named), text)


def _head(lines: list[str], ruled: bool, named: list[Problem]) -> tuple[str, str]:
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
        if found is None or (form is _COMPACTED and not _is_day(found[1])):
            named.append(Problem(number, f"here stands {told}", True))
            return "", NEVER
        values.append(found[found.lastindex or 0])
    for number, line in said[3:]:
        if not ruled:
            named.append(Problem(number, f"`{RULE}` on a line of its own is missing above this one", True))
            break
        what = "an entry" if _TITLE.fullmatch(line) else "text"
        named.append(Problem(number, f"{what} above `{RULE}`: entries stand below it", True))
    if not ruled and len(said) == len(forms):
        named.append(Problem(below, f"`{RULE}` on a line of its own is missing at the end", True))
    return values[0], values[2]


def _is_day(text: str) -> bool:
    try:
        return text == NEVER or bool(date.fromisoformat(text))
    except ValueError:
        return False


def _body(lines: list[str], start: int, named: list[Problem]) -> list[_Open]:
    """The entries below the head; what belongs to none is named."""
    found: list[_Open] = []
    current: _Open | None = None
    headed, heading, category, inside = dict[str, int](), 0, "", False
    block = _Block()
    for number, line in enumerate(lines[start:], start=start + 1):
        told = None if block.holds(line, number) else _structure(line)
        if told is None:
            if current is not None:
                current.lines.append(line)
            elif line.strip() and not inside:
                named.append(Problem(number, "text outside of any entry: a title is `**title**` on its own line", True))
            inside = current is None and bool(line.strip())
        elif isinstance(told, Problem):
            named.append(told._replace(line=number))
            inside = True
        elif told[0] == "##":
            named += _empty(heading, category, found)
            category, current, heading = told[1], None, number
            if category in headed:
                named.append(Problem(number, f"`## {category}` stands on line {headed[category]} already", False))
            headed.setdefault(category, number)
        else:
            current = _Open(number, told[1], category)
            found.append(current)
    named += _empty(heading, category, found)
    if block.line:
        named.append(Problem(block.line, f"`{block.opening}` without its end", True))
    named += _twice(found)
    return found


class _Block:
    """Code between fences and HTML comments: lines in which nothing is a title or a heading."""

    def __init__(self) -> None:
        self.line, self.opening = 0, ""

    def holds(self, line: str, number: int) -> bool:
        """Whether a line stands in one, or begins one."""
        fence = FENCE.match(line)
        if not self.line:
            comment = "<!--" in line and "-->" not in line[line.rindex("<!--") :]
            if fence or comment:
                self.line, self.opening = number, fence[1] if fence else "<!--"
            return bool(self.line)
        if (self.opening == "<!--" and "-->" in line) or (fence and fence[1].startswith(self.opening)):
            self.line = 0
        return True


def _structure(line: str) -> tuple[str, str] | Problem | None:
    """What a line is: ("**", title), ("##", category), a problem whose line is yet to be told, None for text."""
    if title := _TITLE.fullmatch(line):
        return ("**", title[1]) if _PIN.sub("", title[1]) else Problem(0, "a title without words", True)
    if heading := _HEADING.fullmatch(line.rstrip()):
        if heading[1] == "##" and heading[2]:
            return "##", heading[2]
        return Problem(0, "a heading that wisdom.md has none of: `## category` is the only one", True)
    bare = line.strip()
    begins, ends = bare.startswith("**"), bare.endswith("**")
    half = (begins or ends) and bare.count("**") % 2 == 1
    if half or (begins and ends and "**" not in bare[2:-2]):
        return Problem(0, "nearly a title: `**title**` on a line of its own, no blank inside the stars", True)
    return None


def _empty(heading: int, category: str, found: Iterable[_Open]) -> Iterator[Problem]:
    if heading and not any(each.line > heading for each in found):
        yield Problem(heading, f"nothing stands under `## {category}`: the next distill leaves it out", False)


def _twice(found: Iterable[_Open]) -> Iterator[Problem]:
    first: dict[str, int] = {}
    for each in found:
        same = first.setdefault(key(each.title), each.line)
        if same != each.line:
            yield Problem(each.line, f"the title of line {same} again: no decision could tell the two apart", True)


def _layout(text: str, wisdom: Wisdom) -> Iterator[Problem]:
    """Where a file that can be read is not as it would be written."""
    right = render(wisdom)
    if right == text:
        return
    same = next(
        (at for at, (one, other) in enumerate(zip(text, right, strict=False)) if one != other),
        min(len(text), len(right)),
    )
    yield Problem(
        text.count("\n", 0, same) + 1,
        "blanks, blank lines or line ends that the format has otherwise; the next distill puts them right",
        False,
    )
