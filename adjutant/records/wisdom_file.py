"""RECORDS. wisdom.md, the standing rules: read line by line, and written so that a right file keeps every byte."""

import re
from collections.abc import Iterator
from datetime import date
from itertools import takewhile
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
NEVER, PINNED, RULE = "never", "(pinned)", "---"
MAX_BYTES = 256 * 1024
TITLE_CHARS, SENTENCES = 80, 3
_HEAD = (
    (r"#\s+(\S.*?)\s+-\s+Wisdom\s*", "`# NAME - Wisdom`"),
    (rf"({re.escape(SENTENCE)})\s*", f"`{SENTENCE}`"),
    (rf"Last compacted:\s*({NEVER}|\d{{4}}-\d\d-\d\d)\s*", f"`Last compacted:` and a day (YYYY-MM-DD) or `{NEVER}`"),
    (rf"({RULE})\s*", f"`{RULE}` on a line of its own, above the entries"),
)
_TITLE = re.compile(r"\*\*(?![\s*])((?:(?!\*\*).)+)(?<![\s*])\*\*\s*")
_PIN = re.compile(r"(?:\A|\s+)\(pinned\)\Z", re.IGNORECASE)
_HEADING = re.compile(r"(#{1,6})(?:\s+(.*))?|##+[^\s#].*")
_COMMENT = re.compile(r"(?s)<!--.*?(?:-->|\Z)")  # in which nothing is structure
_STEP = re.compile(r"\s*\d+[.)]\s+\S")
_NO_RULE = (  # lines that no standing rule has
    (re.compile(r" {0,3}(?:```|~~~)"), "a command block: recipes belong elsewhere"),
    (re.compile(r"\s*\$\s+\S"), "a command: recipes belong elsewhere"),
    (re.compile(r"\s*[-*+]\s+\[[ xX]?\](?:\s|\Z)"), "a checkbox: tasks belong elsewhere"),
    (re.compile(r" {0,3}(?:([-*_])[ \t]*)(?:\1[ \t]*){2,}\s*\Z"), f"`{RULE}` stands once, above the entries"),
)
_ITEM = re.compile(r"\A\s*(?:[-*+]|\d+[.)])\s+")
_ANY_DAY = date(2000, 1, 1)


class RuleEntry(NamedTuple):
    """A rule. `title` without its `(pinned)`; `text` its lines as written; `category` "" where it stands in none."""

    title: str
    text: str
    category: str = ""
    pinned: bool = False

    @property
    def key(self) -> str:
        return key(self.title)


class Wisdom(NamedTuple):
    """The file. `name`: the conductor's; `compacted`: YYYY-MM-DD or never; `entries` in the file's order. `begin` and
    `newline` are how an editor saved it: a byte order mark or "", "\\n" or "\\r\\n"."""

    name: str
    compacted: str = NEVER
    entries: tuple[RuleEntry, ...] = ()
    begin: str = ""
    newline: str = "\n"


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
    """The file of `layers.wisdom.path`, through a link of the operator's."""
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
    """The file's bytes as a value; where there are none, an empty wisdom of `name`. Raises WisdomInvalid."""
    if data is None:
        return Wisdom(name)
    found = _read(data, name)
    if broken := [problem for problem in found.problems if problem.hard]:
        more = f" (and {len(broken) - 1} more)" if len(broken) > 1 else ""
        raise WisdomInvalid(f"{shown}:{broken[0].line}: {broken[0].message}{more}")
    return found.wisdom


def render(wisdom: Wisdom) -> str:
    """The file's text. Entries keep their order within their category, those of none come first."""
    text = f"# {wisdom.name} - Wisdom\n\n{SENTENCE}\n\nLast compacted: {wisdom.compacted}\n\n{RULE}\n"
    for category in sorted(dict.fromkeys(each.category for each in wisdom.entries), key=bool):
        text += f"\n## {category}\n" if category else ""
        for each in (each for each in wisdom.entries if each.category == category):
            text += f"\n**{each.title}{f' {PINNED}' * each.pinned}**\n" + (f"{each.text}\n" if each.text else "")
    return wisdom.begin + text.replace("\n", wisdom.newline)


def problems(data: bytes, most: int, chars: int, categories: tuple[str, ...] = ()) -> list[Problem]:
    """What is wrong with a file, by line; [] for one whose bytes `render` gives again, of `most` entries at most."""
    found, names = _read(data), ", ".join(categories) or "none"
    soft = [(line + offset, told) for line, each in found.entries for offset, told in _unfit(each.title, each.text)]
    for line, each in found.entries:
        if each.category not in (categories or ("",)):
            told = f"`{each.category}` is no category" if each.category else "an entry outside of the categories"
            soft.append((line, f"{told} of memory.wisdom.categories ({names})"))
    for line, _ in found.entries[most : most + 1]:
        soft.append((line, f"{len(found.entries)} entries, {most} are allowed (memory.wisdom.max_entries)"))
    if len(found.text) > chars:
        told = f"{len(found.text)} characters, {chars} are allowed (layers.wisdom.max_chars)"
        soft.append((found.text.count("\n", 0, chars) + 1, told))
    return sorted({*found.problems, *(Problem(line, message, False) for line, message in soft)})


def entries(text: str) -> tuple[RuleEntry, ...]:
    """The entries that can be read in a file which may be broken anywhere, for those who only look."""
    return tuple(entry for _, entry in _read_body(text.replace("\r\n", "\n"), 0, []))


def unfit(entry: RuleEntry) -> list[tuple[int, str]]:
    """Why an entry is no standing rule: (line from its title on, reason); [] for one that is."""
    found = _read(render(Wisdom("-", entries=(entry,))).encode("utf-8", "replace"))
    odd = found.wisdom.entries != (entry,) or any(problem.hard for problem in found.problems)
    told = "in the file it would read as something else: a title is one line, its text has no title or heading"
    return [*[(0, told)] * odd, *_unfit(entry.title, entry.text)]


class _Reading(NamedTuple):
    """`entries` with the line of each title. `text`: the file without its byte order mark."""

    wisdom: Wisdom
    entries: list[tuple[int, RuleEntry]]
    problems: list[Problem]
    text: str = ""


def _read(data: bytes, name: str = "") -> _Reading:
    try:
        text = decode(data, "")
    except FileDamaged as error:
        line, _, message = error.message.lstrip(":").partition(": ")
        return _Reading(Wisdom(name), [], [Problem(int(line), message, True)])
    if not text.strip():
        return _Reading(Wisdom(name), [], [Problem(1, "an empty file", False)], text)
    begin = "\ufeff" if data.startswith(BOM) else ""
    newline = "\r\n" if "\r\n" in text and text.count("\r\n") == text.count("\n") else "\n"
    plain = text.replace("\r\n", "\n")
    head, start, named = _read_head(plain.split("\n"))
    entries = _read_body(plain, start, named)
    wisdom = Wisdom(*head, tuple(entry for _, entry in entries), begin, newline)
    return _Reading(wisdom, entries, named or _compare_layout(begin + text, wisdom), text)


def _read_head(lines: list[str]) -> tuple[tuple[str, str], int, list[Problem]]:
    """(the conductor's name and the day, how many lines the head takes, the first thing that is wrong with it)."""
    said = [(number, line) for number, line in enumerate(lines, start=1) if line.strip()]
    values, last = list[str](), len(lines)
    for (form, told), (number, line) in zip(_HEAD, [*said, *[(last, "")] * len(_HEAD)], strict=False):
        found = re.fullmatch(form, line)
        if found is None or (len(values) == 2 and found[1] != NEVER and not read_day(found[1])):
            return ("", NEVER), last, [Problem(number, f"expected here: {told}", True)]
        values.append(found[1])
    return (values[0], values[2]), said[len(_HEAD) - 1][0], []


def _read_body(text: str, start: int, named: list[Problem]) -> list[tuple[int, RuleEntry]]:
    """The entries below the first `start` lines, each with the line of its title; what is wrong goes to `named`."""
    lines = text.split("\n")[start:]
    body = "\n".join(lines)
    if (last := body.rfind("<!--")) >= 0 and body.find("-->", last + 4) < 0:
        named.append(Problem(start + body.count("\n", 0, last) + 1, "`<!--` without its end", True))
    opened, category = dict[str, tuple[int, str, str, list[str]]](), ""
    said: list[str] | None = None
    for number, (row, shown) in enumerate(zip(lines, _blank(body).split("\n"), strict=False), start=start + 1):
        title, heading, wrong = _read_structure(shown)
        if title:
            first, *_, said = opened.setdefault(key(title), (number, title, category, []))
            if first != number:
                wrong = f"the same title as line {first}: rename one of the two"
        elif heading:
            category, said = heading, None
        elif said is not None and not wrong:
            said.append(row)
        elif row.strip():
            wrong, said = wrong or "text outside of any entry: a title is `**title**` on its own line", []
        named += [Problem(number, wrong, True)] if wrong else []
    return [(number, _make_entry(title, category, rows)) for number, title, category, rows in opened.values()]


def _make_entry(title: str, category: str, lines: list[str]) -> RuleEntry:
    filled = [number for number, line in enumerate(lines) if line.strip()]
    text = "\n".join(lines[filled[0] : filled[-1] + 1]) if filled else ""
    return RuleEntry(_PIN.sub("", title), text, category, bool(_PIN.search(title)))


def _read_structure(line: str) -> tuple[str, str, str]:
    if title := _TITLE.fullmatch(line):
        return (title[1], "", "") if _PIN.sub("", title[1]) else ("", "", "a title without words")
    if heading := _HEADING.fullmatch(line.rstrip()):
        if heading[1] == "##" and heading[2]:
            return "", heading[2], ""
        return "", "", "a heading that wisdom.md has none of: `## category` is the only one"
    bare = line.strip()
    ends = bare.startswith("**") + bare.endswith("**")
    near = ends and (bare.count("**") % 2 == 1 or (ends == 2 and "**" not in bare[2:-2]))
    return "", "", "nearly a title: `**title**` on a line of its own, no blank inside the stars" if near else ""


def _blank(text: str) -> str:
    return _COMMENT.sub(lambda found: "\n" * found[0].count("\n"), text)


def _compare_layout(text: str, wisdom: Wisdom) -> list[Problem]:
    right = render(wisdom)
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(text, right, strict=False)))
    what = "blanks, blank lines, line ends or categories that the format has otherwise"
    wrong = Problem(text.count("\n", 0, same) + 1, f"{what}; the next distill puts them right", False)
    return [wrong] if right != text else []


def _unfit(title: str, text: str) -> Iterator[tuple[int, str]]:
    """Why a title and a text are no standing rule: (line from the title on, reason)."""
    if len(title) > TITLE_CHARS:
        yield 0, f"a title of {len(title)} characters, {TITLE_CHARS} are allowed"
    shown, steps = _blank(text), 0
    for number, line in enumerate([title, *shown.split("\n")]):
        steps += bool(_STEP.match(line))
        wrong = next((what for form, what in _NO_RULE if number and form.match(line)), "")
        if not wrong and steps == 2 and _STEP.match(line):
            wrong = "a list of steps: recipes belong elsewhere"
        if not wrong and (found := _date(line)):
            wrong = f"a date as content (`{found}`): a standing rule has none"
        if wrong:
            yield number, wrong
    if not shown.strip():
        yield 0, "an entry without text: one to three sentences stand below its title"
    elif (count := sentences(text)) > SENTENCES:
        yield 0, f"{count} sentences, at most {SENTENCES} are allowed"


def _date(text: str) -> str:
    """The first date of a text; a weekday, a bare month and "the 3rd" come again, so a rule may name them."""
    found = (each for each in dates.find(text, _ANY_DAY) if each.exact and not each.relative)
    said = (text[each.start : each.end].rstrip(".") for each in found)
    words = listed("dates", "doubtful", "en") if language_of(text) == "en" else ()  # "2 may fail"
    return next((each for each in said if not any(word in words for word in each.split())), "")


def sentences(text: str) -> int:
    """How many sentences a text has; items of a list and paragraphs end one too. Comments and code are not counted."""
    said = _COMMENT.sub("", text)
    parts = re.split(r"\n\s*\n|\0", "\n".join(_ITEM.sub("\0", line, count=1) for line in said.split("\n")))
    return sum(len(split(" ".join(part.split()))) for part in parts)
