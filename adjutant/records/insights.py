"""RECORDS. The insights folders, one file a matter: filed in pending/, moved to sent/ exactly once, or quarantined.

Every change is one read-check-write under the data lock `insights`; a name is unique over the three folders.
"""

import hashlib
import os
import re
from datetime import UTC, datetime
from itertools import chain, count, dropwhile
from typing import Annotated, Any

import msgspec

from adjutant.clock import moment
from adjutant.documents import edits, frontmatter
from adjutant.errors import FileDamaged, IoFailed
from adjutant.language.pack import cached, entry, listed, packs
from adjutant.language.stems import stem_by
from adjutant.records import pending as waiting
from adjutant.screening.fence import clean_line
from adjutant.store.disk import read_mtime
from adjutant.store.files import Files, sha256
from adjutant.store.reader import decode
from adjutant.store.settings import SEVERITIES

RANK = {severity: rank for rank, severity in enumerate(SEVERITIES)}
MAX_BYTES = 256 * 1024
TITLE_CHARS, WHY_CHARS, QUOTE_CHARS = 120, 300, 300
OPERATOR = "operator"


class Evidence(msgspec.Struct, frozen=True):
    """A line of a file: path relative to its knowledge base, 1-based line; `quote` literally stands in it."""

    path: str
    line: int
    quote: str


class Insight(msgspec.Struct, kw_only=True):
    """What pulse found grave enough to file, its matter's id in `matter`; an operator's own file has defaults for what
    it does not say. `decided`: notify, log or flag, once that was decided; `sha` of the file as it was read."""

    title: str
    why: str
    created: str = ""
    kb: str = OPERATOR
    severity: Annotated[str, msgspec.Meta(pattern=f"^({'|'.join(SEVERITIES)})$")] = "high"
    concern: str | None = None
    fingerprint: str = ""
    evidence: list[Evidence] = []
    run: str = ""
    matter: str | None = None
    decided: str | None = None
    attempts: int = 0
    notice: str | None = None
    name: str = ""
    sha: str = ""
    body: str = ""

    def prints(self) -> set[str]:
        return {self.fingerprint} | {fingerprint(self.kb, cited.path, cited.quote) for cited in self.evidence}


FRONT = Insight.__struct_fields__[2:-3]  # what the frontmatter holds, in its order


def render(insight: Insight) -> str:
    """The text of a new insight's file."""
    own = msgspec.to_builtins(insight)
    body = f"# {clean_line(insight.title, TITLE_CHARS)}\n\n{clean_line(insight.why, WHY_CHARS)}\n\n"
    for cited in insight.evidence:
        body += f"- {clean_line(cited.path, TITLE_CHARS)}:{cited.line}: {clean_line(cited.quote, QUOTE_CHARS)}\n"
    return f"---\n{frontmatter.dump({key: own[key] for key in FRONT})}---\n\n{body}"


def _read(files: Files, path: str) -> Insight:
    """The insight in a file; a text without any frontmatter is the operator's own. Raises FileDamaged with its line."""
    shown, data, name = files.tree.relative(path), files.read(path, MAX_BYTES), os.path.basename(path)
    text = decode(data, shown)
    parts = frontmatter.read(text, shown)
    title, why = _find_title_and_why(parts.body)
    if not title:
        raise FileDamaged(f"{shown}:{text.count(chr(10)) + 1}: an insight without any text")
    values = {key: value for key, value in parts.plain().items() if key in FRONT}
    values |= {"title": title, "why": why, "name": name, "sha": sha256(data), "body": parts.body}
    made = parts.convert(Insight, values, shown, strict=False)
    made.created = made.created or read_mtime(path) or datetime.fromtimestamp(0, UTC).isoformat()
    if moment(made.created) is None:
        raise FileDamaged(f"{shown}:1: `created: {made.created[:40]}` is not an ISO-8601 time with an offset")
    made.fingerprint = made.fingerprint or fingerprint(made.kb, name, title)
    return made


def _find_title_and_why(body: str) -> tuple[str, str]:
    """The first line that says something, and the paragraph after it, each cleaned to one line."""
    lines = dropwhile(lambda line: not clean_line(line, TITLE_CHARS), (line.strip() for line in body.split("\n")))
    title, why = next(lines, ""), "\n".join(lines).strip().partition("\n\n")[0]
    return clean_line(title, TITLE_CHARS), clean_line(why, WHY_CHARS)


def file(files: Files, insight: Insight, now: datetime, host: str = "") -> str:
    """Files a new insight; its name YYYY-MM-DD-HHMM.md. `host` in it keeps two machines from taking one name."""
    with files.lock("insights"):
        name = _find_free(files, f"{now:%Y-%m-%d-%H%M}{host and f'-{host}'}.md")
        files.create(files.tree.pending_insight(name), render(insight).encode("utf-8", "replace"))
    return name


def load(files: Files, name: str) -> Insight:
    """A pending or sent insight by its file name. Raises FileNotFoundError, FileDamaged, IoFailed."""
    if not waiting.is_name(name):
        raise FileNotFoundError(f"no insight `{name}`")
    path = files.tree.pending_insight(name)
    return _read(files, path if files.exists(path) else files.tree.sent_insight(name))


def pending(files: Files) -> tuple[list[Insight], list[tuple[str, str]]]:
    """(insights oldest `created` first, [(name, reason)] of what cannot be read and is left alone)."""
    return _read_all(files, files.tree.pending)


def _read_all(files: Files, folder: str) -> tuple[list[Insight], list[tuple[str, str]]]:
    """A file that the disk or its mode refuses stops nothing."""
    good, damaged = list[Insight](), list[tuple[str, str]]()
    for name in filter(waiting.is_name, files.names(folder)):
        try:
            good.append(_read(files, f"{folder}/{name}"))
        except (FileDamaged, IoFailed) as error:
            damaged.append((name, error.message))
        except FileNotFoundError:
            continue  # another run moved it meanwhile
    # the names of one minute as they were given: 0900, 0900-2 … 0900-10
    return sorted(good, key=lambda each: (datetime.fromisoformat(each.created), len(each.name), each.name)), damaged


def find_damaged_sent(files: Files) -> list[tuple[str, str]]:
    """[(name, reason)] of insights in sent/ that cannot be read."""
    return _read_all(files, files.tree.sent)[1]


def update(files: Files, insight: Insight, **changed: Any) -> Insight:
    """Writes `attempts`, `notice` and `decided`, as far as given and not None, to a pending insight's frontmatter; the
    rest stays. Raises FileChanged when a person edited it since it was read, FileNotFoundError."""
    made = msgspec.structs.replace(insight, **{key: value for key, value in changed.items() if value is not None})
    path = files.tree.pending_insight(insight.name)
    shown, known = files.tree.relative(path), {"decided": made.decided} if made.decided is not None else {}
    with files.lock("insights"):
        text = files.text(path, MAX_BYTES)
        first = {} if frontmatter.read(text, shown).end else {"kb": OPERATOR, "severity": "high"}
        keys = {**first, **known, "attempts": made.attempts, "notice": made.notice}
        revised = edits.with_keys(text, shown, keys).encode("utf-8", "replace")
        files.replace(path, revised, expect=insight.sha)
    return msgspec.structs.replace(made, sha=sha256(revised))


def settle(files: Files, name: str) -> bool:
    """Moves a pending insight to sent/; False when it is not pending (another run was faster). Where sent/ holds the
    same text, an earlier move was cut and is completed; where another, the insight goes there under a free name."""
    source, target = files.tree.pending_insight(name), files.tree.sent_insight(name)
    with files.lock("insights"):
        if not files.exists(source):
            return False
        if files.find(target) == files.read(source):
            files.remove(source)
        else:
            files.move(source, files.tree.sent_insight(_find_free(files, name)) if files.exists(target) else target)
    return True


def discard(files: Files, name: str) -> str:
    """Moves a pending insight to quarantine; its name there, "" when it is not pending."""
    source = files.tree.pending_insight(name)
    with files.lock("insights"):
        if not files.exists(source):
            return ""
        kept = name if not files.exists(files.tree.quarantined(name)) else _find_free(files, name)
        files.move(source, files.tree.quarantined(kept))
    return kept


def _find_free(files: Files, name: str) -> str:
    """`name`, else with -2, -3 …: the first that none of the three folders holds."""
    stem, suffix = os.path.splitext(name)
    homes = (files.tree.pending_insight, files.tree.sent_insight, files.tree.quarantined)
    names = chain([name], (f"{stem}-{number}{suffix}" for number in count(2)))
    return next(free for free in names if not any(files.exists(home(free)) for home in homes))


_LETTERS = re.compile(r"[^\W\d_]{2,}")


def fingerprint(kb: str, path: str, quote: str) -> str:
    """16 hex digits of the sha256 over kb, path and the quote's stemmed content words (without dates and numbers); of a
    quote without any over all of it, blanks aside."""
    matter = " ".join(sorted(stems_of(quote))) or "".join(quote.split())
    return hashlib.sha256(f"{kb}\0{path}\0{matter}".encode("utf-8", "replace")).hexdigest()[:16]


def stems_of(text: str) -> frozenset[str]:
    """The stems of a text's content words, without dates and numbers."""
    words = {word for word in _LETTERS.findall(text.casefold()) if word not in _passing()}
    return frozenset(stem_by(word, "english") for word in words)  # whatever the language: it has to stay the same


@cached(1)
def _passing() -> frozenset[str]:
    """Words that say when, how late or nothing, in any language: they change while the matter stays."""
    phrases = [*listed("words", "stop"), *listed("matters", "deadline")]
    for pack in packs().values():
        keys = (key for key, value in pack.lists.get("dates", {}).items() if not isinstance(value, str))
        phrases += [phrase for key in keys for phrase in entry(pack, "dates", key)]
    return frozenset(word for phrase in phrases for word in _LETTERS.findall(phrase.casefold()))
