"""RECORDS. One insight as a file: strict frontmatter, and a body that a person can read and may rewrite."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

import msgspec

from adjutant.documents import edits, frontmatter
from adjutant.errors import FileDamaged
from adjutant.records.evidence import Evidence
from adjutant.records.fingerprint import fingerprint
from adjutant.screening.fence import clean_line

TITLE_CHARS, WHY_CHARS, QUOTE_CHARS = 120, 300, 300
OPERATOR = "operator"


class Insight(msgspec.Struct, kw_only=True):
    """What pulse found grave enough to file: one file a matter, whose id is `matter` (None for an operator's own).

    `decided`: notify, log or flag, once that was decided; `name` is its file name once filed; `sha` the file's as it
    was read.
    """

    kb: str
    title: str
    why: str
    severity: str
    created: str
    fingerprint: str
    concern: str | None = None
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
        """The fingerprints of the insight and of all its quotes."""
        return {self.fingerprint} | {fingerprint(self.kb, cited.path, cited.quote) for cited in self.evidence}


class _InsightFront(msgspec.Struct):
    """What the frontmatter may say; a key that is missing has the value of an operator's own file."""

    created: str = ""
    kb: str = OPERATOR
    severity: Literal["low", "medium", "high", "critical"] = "high"
    concern: str | None = None
    fingerprint: str = ""
    evidence: list[Evidence] = []
    run: str = ""
    matter: str | None = None
    decided: str | None = None
    attempts: int = 0
    notice: str | None = None


def render(insight: Insight) -> str:
    """The text of a new insight's file."""
    own = msgspec.to_builtins(insight)
    values = {name: own[name] for name in _InsightFront.__struct_fields__}
    quotes = "".join(
        f"- {clean_line(cited.path, TITLE_CHARS)}:{cited.line}: {clean_line(cited.quote, QUOTE_CHARS)}\n"
        for cited in insight.evidence
    )
    body = f"# {clean_line(insight.title, TITLE_CHARS)}\n\n{clean_line(insight.why, WHY_CHARS)}\n\n{quotes}"
    return f"---\n{frontmatter.dump(values)}---\n\n{body}"


def parse(text: str, name: str, shown: str, sha: str, filed: str) -> Insight:
    """The insight in a file's text; `shown` is its path for messages, `filed` the ISO time of a file that tells none.

    A text without any frontmatter is the operator's own. Raises FileDamaged with file and line.
    """
    parts = frontmatter.read(text, shown)
    told = _front(parts, shown)
    title, why = _title_and_why(parts.body)
    if not title:
        raise FileDamaged(f"{shown}:{text.count(chr(10)) + 1}: an insight without any text")
    created = told.created or filed
    _check_time(created, shown)
    made = Insight(**msgspec.structs.asdict(told), title=title, why=why, name=name, sha=sha, body=parts.body)
    made.created, made.fingerprint = created, told.fingerprint or fingerprint(told.kb, name, title)
    return made


def revise(text: str, shown: str, attempts: int, notice: str | None, decided: str | None) -> str:
    """The same text with these in its frontmatter, no `decided` before that is known; all else stays. Raises
    FileDamaged."""
    first = {} if frontmatter.read(text, shown).end else {"kb": OPERATOR, "severity": "high"}
    known = {"decided": decided} if decided is not None else {}
    return edits.with_keys(text, shown, {**first, **known, "attempts": attempts, "notice": notice})


def _front(parts: frontmatter.Front, shown: str) -> _InsightFront:
    wanted = set(_InsightFront.__struct_fields__)
    try:
        return msgspec.convert(
            {key: value for key, value in parts.plain().items() if key in wanted}, _InsightFront, strict=False
        )
    except msgspec.ValidationError as error:
        key = str(error).partition("$.")[2].partition("`")[0].partition("[")[0].partition(".")[0]
        raise FileDamaged(f"{shown}:{parts.line_of(key)}: {error}") from error


def _check_time(created: str, shown: str) -> None:
    try:
        aware = datetime.fromisoformat(created).tzinfo is not None
    except ValueError:
        aware = False
    if not aware:
        raise FileDamaged(f"{shown}:1: `created: {created[:40]}` is not an ISO-8601 time with an offset")


def _title_and_why(body: str) -> tuple[str, str]:
    """The first line that says something, and the paragraph after it, each cleaned to one line."""
    lines = [line.strip() for line in body.split("\n")]
    first = next((n for n, line in enumerate(lines) if clean_line(line, TITLE_CHARS)), None)
    if first is None:
        return "", ""
    rest = "\n".join(lines[first + 1 :]).strip()
    return clean_line(lines[first], TITLE_CHARS), clean_line(rest.partition("\n\n")[0], WHY_CHARS)
