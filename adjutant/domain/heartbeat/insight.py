"""DOMAIN. One insight as a file: strict frontmatter, and a body that a person can read and may rewrite."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal, Protocol

import msgspec
import yaml
from frontmatter.default_handlers import YAMLHandler

from adjutant.domain.heartbeat.fingerprint import fingerprint
from adjutant.domain.prompting.fence import clean_line
from adjutant.errors import FileDamaged
from adjutant.store import marked_yaml
from adjutant.store.marked_yaml import Node

TITLE_CHARS, WHY_CHARS, QUOTE_CHARS = 120, 300, 300
OPERATOR = "operator"
_BOUNDARY = YAMLHandler.FM_BOUNDARY


class Cited(Protocol):
    """Where something stands: path relative to the knowledge base, 1-based line, the text of that line."""

    @property
    def path(self) -> str: ...
    @property
    def line(self) -> int: ...
    @property
    def quote(self) -> str: ...


class Quote(msgspec.Struct, frozen=True):
    """A piece of evidence as an insight's frontmatter holds it."""

    path: str
    line: int
    quote: str


class Insight(msgspec.Struct, kw_only=True):
    """What pulse found grave enough to file. `name` is its file name once filed; `sha` the file's as it was read."""

    kb: str
    title: str
    why: str
    severity: str
    created: str
    fingerprint: str
    concern: str | None = None
    evidence: Sequence[Cited] = ()
    run: str = ""
    attempts: int = 0
    notice: str | None = None
    name: str = ""
    sha: str = ""
    body: str = ""

    def prints(self) -> set[str]:
        """The fingerprints of the insight and of all its quotes."""
        return {self.fingerprint} | {fingerprint(self.kb, cited.path, cited.quote) for cited in self.evidence}


class _Front(msgspec.Struct):
    """What the frontmatter may say; a key that is missing has the value of an operator's own file."""

    created: str = ""
    kb: str = OPERATOR
    severity: Literal["low", "medium", "high", "critical"] = "high"
    concern: str | None = None
    fingerprint: str = ""
    evidence: list[Quote] = []
    run: str = ""
    attempts: int = 0
    notice: str | None = None


def render(insight: Insight) -> str:
    """The text of a new insight's file."""
    front = {
        "created": insight.created, "kb": insight.kb, "severity": insight.severity, "concern": insight.concern,
        "fingerprint": insight.fingerprint,
        "evidence": [{"path": cited.path, "line": cited.line, "quote": cited.quote} for cited in insight.evidence],
        "run": insight.run, "attempts": insight.attempts, "notice": insight.notice,
    }
    quotes = "".join(f"- {clean_line(cited.path, TITLE_CHARS)}:{cited.line}: {clean_line(cited.quote, QUOTE_CHARS)}\n"
                     for cited in insight.evidence)
    body = f"# {clean_line(insight.title, TITLE_CHARS)}\n\n{clean_line(insight.why, WHY_CHARS)}\n\n{quotes}"
    return f"---\n{_dump(front)}---\n\n{body}"


def _dump(front: dict[str, Any]) -> str:
    return str(yaml.safe_dump(_whole(front), allow_unicode=True, sort_keys=False, width=10_000))


def _whole(value: Any) -> Any:
    """The value with no half of a surrogate pair in its texts: YAML would write one, and read none."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {key: _whole(inner) for key, inner in value.items()}
    return [_whole(inner) for inner in value] if isinstance(value, list) else value


def parse(text: str, name: str, shown: str, sha: str, filed: str) -> Insight:
    """The insight in a file's text; `shown` is its path for messages, `filed` the ISO time of a file that tells none.

    A text without any frontmatter is the operator's own. Raises FileDamaged with file and line.
    """
    start, end, body = _split(text, shown)
    front = _front(text[start:end], text.count("\n", 0, start), shown) if end else _Front()
    title, why = _title_and_why(body)
    if not title:
        raise FileDamaged(f"{shown}:{text.count(chr(10)) + 1}: an insight without any text")
    created = front.created or filed
    _check_time(created, shown)
    return Insight(
        kb=front.kb, title=title, why=why, severity=front.severity, created=created,
        fingerprint=front.fingerprint or fingerprint(front.kb, name, title), concern=front.concern,
        evidence=front.evidence, run=front.run, attempts=front.attempts, notice=front.notice, name=name, sha=sha,
        body=body,
    )


def revise(text: str, shown: str, attempts: int, notice: str | None) -> str:
    """The same text with `attempts` and `notice` in its frontmatter; all else stays. Raises FileDamaged."""
    start, end, _ = _split(text, shown)
    if not end:
        first = {"kb": OPERATOR, "severity": "high", "attempts": attempts, "notice": notice}
        return f"---\n{_dump(first)}---\n\n{text}"
    front = text[start:end]
    front = _with_line(_with_line(front, "attempts", attempts), "notice", notice)
    return text[:start] + front + text[end:]


def _with_line(front: str, key: str, value: object) -> str:
    """YAML text with one top-level key set on its own line, or added as the last."""
    line = _dump({key: value}).rstrip("\n")
    changed, found = re.subn(rf"(?m)^{key}[ \t]*:.*$", line.replace("\\", r"\\"), front, count=1)
    return changed if found else f"{front.rstrip()}\n{line}\n"


def _split(text: str, shown: str) -> tuple[int, int, str]:
    """(start, end) of the YAML between the two `---` lines, both 0 when there is none, and the body."""
    assert _BOUNDARY is not None
    lead = len(text) - len(text.lstrip())
    opening = _BOUNDARY.match(text, lead)
    if opening is None:
        return 0, 0, text
    closing = _BOUNDARY.search(text, opening.end())
    if closing is None:
        raise FileDamaged(f"{shown}:{text.count(chr(10), 0, lead) + 1}: the frontmatter has no closing `---`")
    return opening.end(), closing.start(), text[closing.end() :]


def _front(text: str, lines_before: int, shown: str) -> _Front:
    try:
        root = marked_yaml.mapping(text.encode("utf-8", "replace"), "", max_depth=4)
    except marked_yaml.Broken as error:
        _, number, reason = str(error).split(":", 2)
        raise FileDamaged(f"{shown}:{int(number) + lines_before}:{reason}") from error
    wanted = set(_Front.__struct_fields__)
    found = {key: _plain(node) for key, node in root.items() if key in wanted}
    try:
        return msgspec.convert({key: value for key, value in found.items() if value is not None}, _Front, strict=False)
    except msgspec.ValidationError as error:
        key = str(error).partition("$.")[2].partition("`")[0].partition("[")[0].partition(".")[0]
        line = next((node.key_line for name, node in root.items() if name == key), 1)
        raise FileDamaged(f"{shown}:{line + lines_before}: {error}") from error


def _plain(node: Node) -> Any:
    """Texts as written (no YAML 1.1 guessing), mappings and lists of them."""
    if node.is_scalar:
        return None if node.is_null else node.text
    if node.is_mapping:
        return {key: _plain(child) for key, child in node.items()}
    return [_plain(child) for child in node.elements()]


def _check_time(created: str, shown: str) -> None:
    try:
        aware = datetime.fromisoformat(created).tzinfo is not None
    except ValueError:
        aware = False
    if not aware:
        raise FileDamaged(f"{shown}:1: `created: {created[:40]}` is no ISO-8601 time with an offset")


def _title_and_why(body: str) -> tuple[str, str]:
    """The first line that says something, and the paragraph after it, each cleaned to one line."""
    lines = [line.strip() for line in body.split("\n")]
    first = next((n for n, line in enumerate(lines) if clean_line(line, TITLE_CHARS)), None)
    if first is None:
        return "", ""
    rest = "\n".join(lines[first + 1 :]).strip()
    return clean_line(lines[first], TITLE_CHARS), clean_line(rest.partition("\n\n")[0], WHY_CHARS)
